"""A difference from scikit-learn, and the releases that it is about."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_RELEASE = re.compile(r"(\d+)\.(\d+)(?!\d)")
_RANGE = re.compile(r"(?:(<|>=)(\d+\.\d+)|(\d+\.\d+)(?:-(\d+\.\d+))?)")


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
