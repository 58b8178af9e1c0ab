"""How releases of scikit-learn compute average precision, and what makes a difference."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..core.rules import Linear, Rule, Step

_RELEASE = re.compile(r"(\d+)\.(\d+)(?!\d)")
_RANGE = re.compile(r"(?:(<|>=)(\d+\.\d+)|(\d+\.\d+)(?:-(\d+\.\d+))?)")


@dataclass(frozen=True)
class Era:
    """How the function works from one release until the next change; by default as in 0.13."""

    since: str
    rule: Rule
    keywords: tuple[str, ...] = ()
    several_columns: str = "as one ranking"  # of labels; or "refused" or "averaged"
    one_label: bool = False  # may y_true contain only positives, or only negatives?
    multiclass: bool = False
    same_within: float = 0.0  # scores that differ by no more than this are tied
    no_positives: float = np.nan
    nan_on_top: bool = False  # is it nan if all samples with the highest score have weight 0?
    refuses_nan: bool = True  # is an area that is nan an error?
    nan_weighs: bool = True  # does a class or row of weight 0 make the mean nan if it is nan?
    no_mass: float = 0.0  # a mean weighted by positives is 0 if they have no more mass than this


_0_13 = Era(since="0.13", rule=Linear())
_0_14 = replace(_0_13, since="0.14", several_columns="refused", one_label=True)
_0_15 = replace(
    _0_14,
    since="0.15",
    keywords=("average", "sample_weight"),
    several_columns="averaged",
    same_within=1e-8,
    nan_on_top=True,
)
_0_16 = replace(_0_15, since="0.16", refuses_nan=False)
_0_18 = replace(_0_16, since="0.18", same_within=0.0)
_0_19 = replace(_0_18, since="0.19", rule=Step())
_0_20 = replace(
    _0_19,
    since="0.20",
    keywords=("average", "pos_label", "sample_weight"),
    nan_on_top=False,
    no_mass=1e-8,
)
_0_22 = replace(_0_20, since="0.22", nan_weighs=False)
_1_1 = replace(_0_22, since="1.1", no_positives=-0.0)
_1_3 = replace(_1_1, since="1.3", multiclass=True)
_1_6 = replace(_1_3, since="1.6", no_positives=0.0)

ERAS = (_0_13, _0_14, _0_15, _0_16, _0_18, _0_19, _0_20, _0_22, _1_1, _1_3, _1_6)
RELEASES = [(0, minor) for minor in range(13, 25)] + [(1, minor) for minor in range(10)]


@dataclass(frozen=True)
class Difference:
    """What some releases return for one small input, and what this package returns for it.

    `ours` and `theirs` are the value or the name of an error. If only a warning or a type differs,
    they are its name.
    """

    id: str
    title: str
    versions: str  # "<0.19", "0.15-0.17", ">=0.20" or "1.9"; never a patch release
    reason: str
    y_true: Any
    y_score: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    ours: float | str = 1.0  # of a perfect ranking, as in most rows
    theirs: float | str = "ValueError"
    # pull requests or issues, or the releases in which it was seen
    reference: str = "seen in 1.5.0 to 1.9.1"

    def applies_to(self, version: str) -> bool:
        """Whether the row is about this release of scikit-learn.

        >>> from sklearn_ap.compat import DIFFERENCES
        >>> row = next(row for row in DIFFERENCES if row.id == "merged-ties")
        >>> row.versions, row.applies_to("0.17.1"), row.applies_to("0.18")
        ('0.15-0.17', True, False)
        """
        release = release_of(version)
        parts = _RANGE.fullmatch(self.versions)
        if parts is None:
            raise ValueError(f"{self.versions!r} is not a range of releases.")
        sign, bound, first, last = parts.groups()
        if sign == "<":
            return release < release_of(bound)
        if sign == ">=":
            return release >= release_of(bound)
        return release_of(first) <= release <= release_of(last or first)


def release_of(version: str) -> tuple[int, int]:
    """Return the two numbers that a version begins with."""
    parts = _RELEASE.match(version)
    if parts is None:
        raise ValueError(f"{version!r} is not a release.")
    return int(parts[1]), int(parts[2])
