"""A threshold and what it flags, as far as those who check or save it have to know."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._show.results import Local, Result
from .targets import Targets


class ChosenFrom(NamedTuple):
    """What a threshold was chosen from."""

    request: Targets
    n_positives: int  # in the samples
    are_shares: bool  # whether all prediction scores can be probabilities
    state: Local[Any]  # a `Candidates`
    positive_share: float  # of the samples, or of their weight
    equal_weights: bool = True  # whether all positives weigh the same
    scores: str | None = None  # the name of the model, if its prediction scores have one
    labels: str | None = None  # the name of the column of labels


@dataclass(frozen=True, eq=False, repr=False)
class Point(Result):
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
    shown: str = field(repr=False, compare=False)  # a short threshold that flags the same samples
    source: ChosenFrom = field(repr=False, compare=False)
    n_groups: int | None = None
    least_per_group: int | None = None
    mean_per_group: float | None = None
    most_per_group: int | None = None
    min_recall: float | None = None
    min_precision: float | None = None
    confidence_level: float | None = None
    flagged_per_group: dict[Any, int] | None = field(default=None, repr=False, compare=False)
    n_within: int | None = None
