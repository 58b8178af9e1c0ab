"""What a definition is, and what the rest of the package asks of it.

A rule is a definition with its options, as one frozen value. `values` returns one number for each
ranking, nan for 0/0. The fields of a rule are the options of its metric. Whatever else depends on
the definition is asked of the rule, so that no other module needs to know which one it has:

========================  =========================================================================
names                     names, names_with_options, listed_names, number_option, is_function,
                          needs_number, split_name, title
options                   options, list_options, list_words, list_unusual; those of some definitions
                          are k, k_counts, ties, grid
labels, weights           needs_rows, keeps_grades, usual_label, takes_weights, check_weights
points                    needs_every_point, compute_cutoffs
a value, 0/0              evaluate_rankings, greater_is_better, limits, choose_worst
intervals, comparisons    varies_by, find_parts, find_deciding, compute_used_fraction,
                          compute_highest, needs_positives, needs_precision
a random ranking          average_at_random
pictures                  curve_title, is_straight, trace
========================  =========================================================================

A default that would be wrong for some definitions isn't one: the rule then refuses.
"""

from abc import ABC, abstractmethod
from dataclasses import MISSING, Field, fields
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from ..checks import check_option, warn_caller
from ..data import Rankings
from ..points import (
    Array,
    PerPoint,
    PerRanking,
    PerSample,
    Points,
    SortedSamples,
    make_points_from_counts,
)
from ..ranking import rank_samples, rank_top

# How a value varies between samples, which decides how inference finds out how much:
#   influences  little by small weights, and by sums of what single samples change
#   top         with the top of the ranking, where one more negative takes one of the places
#   points      with one or some points of the curve
#   groups      a ranking has one value, which doesn't tell how much it varies
#   rows        with any of the rows, since nobody knows what it rests on
VariesBy = Literal["influences", "top", "points", "groups", "rows"]


class Part(NamedTuple):
    """A part of an area, which is the sum of width * hits/samples over points."""

    width: PerPoint
    height: PerPoint  # height of the area at each point
    hits: PerPoint
    samples: PerPoint
    is_just_above: bool = False  # whether precisions are those just above the points


class Trace(NamedTuple):
    """How the precision-recall curve of a ranking is drawn."""

    height: PerPoint  # height at each point
    marks: tuple[Array, Array] = (np.empty(0), np.empty(0))  # recall and height
    start: float = 1.0  # height at recall 0, by default that of scikit-learn's first point


class Rule(ABC):
    """Base class of definitions, which are frozen dataclasses, whose fields are their options.

    It isn't a dataclass itself, so that only the rules that declare them have the options below.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    # --- names ---
    # Names of the metric have "#" for its number, and the first ones are ours. Other names also say
    # options.
    names: ClassVar[tuple[str, ...]]
    names_with_options: ClassVar[dict[str, dict[str, Any]]] = {}
    listed_names: ClassVar[tuple[str, ...]]  # what `get_scorer_names` returns
    number_option: ClassVar[str | None] = None  # the option that is the number in names
    is_function: ClassVar[bool] = False  # whether it's a user's function, which has no other name

    # --- options that only some definitions have, as their fields ---
    k: float | None = None
    k_counts: str | None = None
    ties: str = "grouped"
    grid: str = "exact"

    # --- data ---
    needs_rows: ClassVar[bool]  # whether points aren't enough, as for grades
    usual_label: ClassVar[Any] = 1  # pos_label, if nobody names another
    takes_weights: bool = True
    needs_positives: ClassVar[bool] = True  # whether data without any say nothing
    needs_precision: ClassVar[bool] = False  # whether a few negatives more can take it all

    # --- values ---
    greater_is_better: bool = True
    limits: tuple[float, float] = (0.0, 1.0)
    is_straight: ClassVar[bool] = False  # whether its points are joined by straight lines

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            if value is not None or option.default is not None:  # None is allowed as a default
                check_option(option.name, value, option.metadata.get("words"))

    @classmethod
    def list_options(cls) -> list[str]:
        return [option.name for option in fields(cls)]

    @classmethod
    def list_words(cls) -> dict[str, tuple[str, ...]]:
        """Return the words that each option takes, of those that take words."""
        return {
            option.name: tuple(word for word in option.metadata["words"] if word is not None)
            for option in fields(cls)
            if "words" in option.metadata
        }

    @property
    def options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.list_options()}

    def list_unusual(self) -> dict[str, Any]:
        """Return the fields that don't have their usual value."""
        values = {option: getattr(self, option.name) for option in fields(self)}
        return {each.name: value for each, value in values.items() if value != each.default}

    @classmethod
    def needs_number(cls) -> bool:
        """Whether an option has no default, which only numbers in names don't."""
        return any(option.default is MISSING for option in fields(cls))

    def split_name(self) -> tuple[str, dict[str, Any]]:
        """Return the name with its number, and the unusual options that it doesn't say."""
        unusual = self.list_unusual()
        if self.number_option is None or self.options[self.number_option] is None:
            return next(name for name in self.names if "#" not in name), unusual
        unusual.pop(self.number_option, None)
        number = write_number(self.options[self.number_option], self.number_option)
        return next(name for name in self.names if "#" in name).replace("#", number), unusual

    @property
    def title(self) -> str:
        """The name in words, with its number."""
        return self.split_name()[0].replace("_", " ")

    def keeps_grades(self, pos_label: Any) -> bool:
        """Whether labels are read as they are, if this is the label that the caller names."""
        return self.needs_rows

    def check_weights(self, weight: PerSample | None, has_counts: bool) -> PerSample | None:
        """Return the weights that matter, and refuse weights that the definition doesn't have.

        `has_counts` tells whether the caller says how many positives exist.
        """
        if weight is None:
            return None
        is_uniform = bool((weight == weight[0]).all())
        counts_mass = self.k is not None and self.k_counts != "samples"
        if is_uniform and not counts_mass and not has_counts:
            return None  # Equal weights change nothing.
        takes_weights = self.takes_weights and self.grid == "exact"
        if not takes_weights or self.ties != "grouped":
            if self.is_function:
                raise ValueError(f"{self} has no parameter sample_weight: add one to use weights.")
            raise ValueError(f"{self.title!r}, {self.options}, is not defined with sample weights.")
        if counts_mass and self.k_counts is None and not (is_uniform and isinstance(self.k, float)):
            warn_caller(
                f"k={self.k} counts weight, not samples, because there are weights. Pass "
                "k_counts='weight' to say so, or k_counts='samples' to count samples."
            )
        counts_units = has_counts or (counts_mass and isinstance(self.k, Integral))
        if not counts_units and weight.max() < 2.0**-900:  # where products have few digits
            weight = np.ldexp(weight, 900)
        return weight

    @property
    def needs_every_point(self) -> bool:
        """Whether points without positives matter, as for the mean weight of samples."""
        return self.k_counts == "samples"

    def compute_cutoffs(self, points: Points) -> PerRanking:
        """Return what k is in each ranking."""
        assert self.k is not None
        sizes = points.n_rows if self.k_counts == "samples" else points.mass
        return compute_k(self.k, sizes, points.has_whole_weights)

    @abstractmethod
    def evaluate_rankings(self, rankings: Rankings) -> tuple[PerRanking, PerRanking]:
        """Return the value of each ranking, nan for 0/0, and how many positives it has."""

    @abstractmethod
    def values(self, ranked: Any) -> PerRanking:
        """Return the value of each ranking, nan for 0/0, from `Points`, or from `Rankings`."""

    def choose_worst(self) -> float:
        """Return what counts as the value of a ranking for which it's 0/0."""
        worst = self.limits[0 if self.greater_is_better else 1]
        if not np.isfinite(worst):
            raise ValueError(
                f"{self} has no finite value for some data, and without limits nobody "
                "knows its worst value. Pass zero_division=."
            )
        return worst

    @property
    @abstractmethod
    def varies_by(self) -> VariesBy:
        """How the value varies between samples."""

    def average_at_random(
        self, samples: SortedSamples, n_existing: PerRanking
    ) -> PerRanking | None:
        """Return the mean value of each ranking over all orders of its scores, of which as many are
        tied as here, or None if there's no formula.
        """
        return None

    @property
    def curve_title(self) -> str:
        """What a precision-recall curve is called whose area is the value, if there is one."""
        return ""


class PointRule(Rule):
    """Base class of definitions that are computed from operating points."""

    needs_rows = False

    def evaluate_rankings(self, rankings: Rankings) -> tuple[PerRanking, PerRanking]:
        weight = self.check_weights(rankings.weight, rankings.n_positives is not None)
        is_single = rankings.group_codes is None and rankings.scores.ndim == 1
        if self.k is not None and weight is None and is_single:
            n_top = compute_k(self.k, np.array([rankings.scores.size]))
            points = rank_top(rankings, int(n_top[0]))
        else:
            points = rank_samples(rankings, weight, self.needs_every_point)
        return self.values(points), points.n_positives

    def compute_highest(self, points: Points) -> PerRanking:
        """Return the highest value that each ranking may have, in this sample or in another."""
        if self.limits != (0.0, 1.0):
            raise NotImplementedError(f"{type(self).__name__}.compute_highest")
        return np.ones(points.n_rankings)

    def find_parts(self, points: Points) -> list[Part]:
        """Return the parts of the area, before it's divided by R, if it varies by influences."""
        raise NotImplementedError(f"{type(self).__name__}.find_parts")

    def find_deciding(self, points: Points) -> PerPoint:
        """Tell which points decide the value, if it varies by points: it jumps if others do."""
        raise NotImplementedError(f"{type(self).__name__}.find_deciding")

    def compute_used_fraction(self, points: Points) -> PerRanking:
        """Compute the fraction of the positives of each ranking that its value rests on."""
        if self.k is None:
            raise NotImplementedError(f"{type(self).__name__}.compute_used_fraction")
        mass = self.compute_cutoffs(points)
        if self.k_counts == "samples":
            mass = mass * (points.mass / np.maximum(points.n_rows, 1))
        return np.minimum(mass / np.where(points.n_positives > 0, points.n_positives, 1), 1)

    def trace(self, points: Points) -> Trace:
        """Return the heights of the curve whose area is the value, if it has a `curve_title`."""
        raise NotImplementedError(f"{type(self).__name__}.trace")


class RowRule(Rule):
    """Base class of definitions that need the labels or grades of all samples."""

    needs_rows = True
    takes_weights = False
    varies_by: VariesBy = "groups"

    def evaluate_rankings(self, rankings: Rankings) -> tuple[PerRanking, PerRanking]:
        self.check_weights(rankings.weight, rankings.n_positives is not None)
        return self.values(rankings), rankings.count_positives()


# --- answers that several definitions share -------------------------------------------------------


def use_all(rule: PointRule, points: Points) -> PerRanking:
    """Say that a value rests on all positives."""
    return np.ones(points.n_rankings)


def average_tied(rule: PointRule, samples: SortedSamples, n_existing: PerRanking) -> PerRanking:
    """Return the mean over all orders of a value that counts hits, which are those of samples that
    are all tied.
    """
    size = np.diff(samples.offsets)
    has_rows = size > 0
    offsets = np.append(0, np.cumsum(has_rows))
    tied = make_points_from_counts(samples.n_hits[has_rows], size[has_rows], None, True, offsets)
    return rule.values(tied._replace(n_positives=n_existing))


def divide(part: Array, whole: Array) -> Array:
    """Divide, with nan for 0/0, and without quotients above 1 from rounding."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.minimum(part / whole, 1.0))


def compute_area(
    points: Points, width: PerPoint, height: PerPoint, whole: PerRanking
) -> PerRanking:
    """Compute sum width * height / whole in each ranking. `height` is overwritten."""
    return divide(points.sum(np.multiply(width, height, out=height)), whole)


def write_number(number: float, option: str) -> str:
    """Write a number without an exponent and with all of its digits, so that a name can be read."""
    decimal = Decimal(str(number))
    if option == "k" and not isinstance(number, Integral):
        return f"{(decimal * 100).normalize():f}%"
    return f"{decimal:f}"


@lru_cache
def read_decimal(number: float) -> Fraction:
    """Return a number as the decimal that was written, so that 0.07 is seven hundredths."""
    return Fraction(str(number))


def compute_k(
    k: float, sizes: PerRanking, has_whole_weights: PerRanking | None = None
) -> PerRanking:
    """Return the number of samples, or their mass, that a cutoff means in rankings of these sizes.

    A fraction is rounded up to whole samples, unless weights aren't whole.
    """
    if isinstance(k, Integral):
        return np.full(sizes.size, int(k))
    share = read_decimal(k)
    rounded_up = [
        max(-(-int(size) * share.numerator // share.denominator), 1) for size in sizes.tolist()
    ]
    whole = np.array(rounded_up, dtype=sizes.dtype)
    if sizes.dtype.kind != "f":
        return whole
    exact = np.where(sizes > 0, sizes * float(share), 1.0)
    return exact if has_whole_weights is None else np.where(has_whole_weights, whole, exact)
