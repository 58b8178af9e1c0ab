"""A threshold and what it flags, as far as those who check or save it have to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._inputs.records import NO_COLUMNS, Inputs
from .._read.tables import find_column_name
from .._show.results import Measurement
from .targets import Targets

TARGET_FIELDS = "min_recall", "min_precision", "confidence_level"  # of points and of `Targets`
REMEMBERED_ROLES = "groups", "clusters", "sample_weight"


class Choice(NamedTuple):
    """What a threshold was chosen from, as far as its result keeps that."""

    targets: Targets
    n_positives: int  # in the samples
    positive_share: float  # of the samples, or of their weight
    equal_weights: bool = True  # whether all positives weigh the same
    scores: str | None = None  # the name of the model, if its prediction scores have one
    labels: str | None = None  # the name of the column of labels
    # Of groups, clusters and weights; by `find_remembered_names`
    columns: Mapping[str, Any] = NO_COLUMNS
    existing: float | None = None  # how many positives exist, if the caller said so
    score_types: Sequence[str] = ()  # of those next to the threshold; see `find_types_near`
    is_lasting: bool = False  # whether scores of other types are flagged by the same threshold


def find_remembered_names(inputs: Inputs) -> dict[str, Any]:
    """Return the name or names of each column of groups, clusters or weights that was passed, of
    which an array has none.
    """
    passed = [role for role in REMEMBERED_ROLES if getattr(inputs, role) is not None]
    return {
        role: inputs.column_names.get(role) or find_column_name(inputs, role) or []
        for role in passed
    }


@dataclass(frozen=True, eq=False, repr=False)
class Point(Measurement):
    """The fields of an `OperatingPoint`, which describes them."""

    threshold: float  # flag y_score >= threshold; an int if the scores are
    precision: float
    recall: float
    n_flagged: int
    true_positives: int
    false_positives: int
    flagged_share: float  # of all samples; with weights, of their weight
    flagged_mass: float | None  # with weights: the weight of the flagged samples
    found_mass: float | None  # with weights: the weight of the positives among them
    n_samples: int = field(repr=False)
    shown: str = field(repr=False, compare=False)  # the score itself, as short as it can be
    source: Choice = field(repr=False, compare=False)
    n_groups: int | None = None
    least_per_group: int | None = None
    mean_per_group: float | None = None
    most_per_group: int | None = None
    min_recall: float | None = None
    min_precision: float | None = None
    confidence_level: float | None = None
    flagged_per_group: dict[Any, int] | None = field(default=None, repr=False, compare=False)
