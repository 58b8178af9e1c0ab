"""The results of inference: intervals, comparisons, and how large the next test set has to be."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from .._read.sampling_units import Sample, count_positives
from .._show.results import (
    Kept,
    Local,
    Note,
    Printed,
    Result,
    Table,
    Value,
    cells_of_difference,
    ends,
    legend,
    level_of,
    made_like,
    most_serious,
    one_line,
    paragraph,
    printed_notes,
    printed_segments,
    resting_on,
    rounded_p,
    shortened,
)
from .._words.messages import count_of
from .._words.parameters import check_allowed
from ..core.spread import Spread, quantile
from ..core.verdicts import verdict as verdict_on
from ..core.within import Array
from .chance import AtRandom
from .ranks import Ranks, in_sentence
from .requests import IntervalRequest
from .unit_table import Units, units_of
from .variation import plan_of

# A standard error varies by 1/sqrt(2 freedom). So many of these more make it large enough in 69% to
# 85% of simulated test sets.
_THREE_IN_FOUR = 1.28
_ASK_BEFORE = "Ask for it before pickling, or compute the result again."


class ComputedFrom(NamedTuple):
    """What a result was computed from, of which pickles keep what prints."""

    kind: str  # of the sampling units
    model: Any
    data: Local[tuple[IntervalRequest, Sample]]
    tested: tuple[float, float] | None = None  # ends without allowances

    @classmethod
    def of(cls, request: IntervalRequest, sample: Sample) -> ComputedFrom:
        return cls(sample.kind, sample.model, Local((request, sample)))


@dataclass(frozen=True, eq=False, repr=False)
class NextTestSet(Result):
    """How large the next test set has to be, if it is of the same kind.

    The method `plan` of an :class:`~sklearn_ap.inference.Interval` or of a
    :class:`~sklearn_ap.inference.Comparison` returns it. Numbers are rounded up to two digits,
    because a test set doesn't tell them better.

    Attributes
    ----------
    n_positives, n_rows, n_units : int
        The numbers of positives, rows and sampling units. For `compare_values`, the number of
        positives is None, and the rows are the values of each model.
    kind : str
        The kind of the sampling units: "rows", "groups" or "clusters", or for `compare_values`
        "units" or "clusters".
    factor : float
        The size of the next test set, as a multiple of this test set's.
    basis : str
        What its interval will be based on, such as "93 positives" or "74 groups (query)".

    See Also
    --------
    Comparison.plan : Plan the next test set.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> y_score = [0.9, 0.8, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.1, 0.1]
    >>> ap.confidence_interval(y_true, y_score).plan(half_width=0.1)
    180 positives among 430 rows, 35.4 times as many as here.
    Then about 3 in 4 test sets like this one have a 95% interval of +/-0.1 or
    less.
    """

    n_positives: int | None
    n_rows: int
    n_units: int
    kind: str
    factor: float
    basis: str = ""
    words: str = field(default="", repr=False, compare=False)  # all numbers
    aim: str = field(default="", repr=False, compare=False)  # what they suffice for

    @property
    def _besides(self) -> dict[str, int]:
        """The numbers of what isn't a sampling unit."""
        if self.n_positives is None:
            return {"units": self.n_rows} if self.kind == "clusters" else {}
        return {"positives": self.n_positives, "rows": self.n_rows}

    def _printed(self) -> Printed:
        number, _, words = self.basis.partition(" ")
        cells = {name: f"{count:,}" for name, count in self._besides.items()}
        cells |= {} if self.kind == "rows" else {words: number}
        cells["times as many"] = f"{self.factor:.3g}"
        return Printed([*cells], [("", "", [[*cells.values()]])], "The next test set", [self.aim])

    def __str__(self) -> str:
        size = f"{self.words}, {self.factor:.3g} times as many as here."
        return "\n".join([size, *self._on_conditions(), paragraph(self.aim)])


def _fewest_units(suffices: Callable[[float, int], Any], error: float, n_here: int) -> int:
    """Return the smallest number of units that suffices, if `n_here` have this standard error."""

    def are_enough(number: int) -> bool:
        return bool(suffices(error * np.sqrt(n_here / number), number - 1))

    numbers = range(2, 2**50)
    return numbers.start + bisect_left(numbers, True, key=are_enough)


def _next_test_set(
    result: Any, suffices: Callable[[float, int], Any], aim: str, larger: float = 1.0
) -> NextTestSet:
    """Find the smallest number of units with which a standard error and its degrees of freedom
    suffice, times `larger`. `result` is an `Interval` or a `Comparison`, and `aim` says what they
    suffice for.

    The standard error is derived from the interval, which also allows for its uncertainty. It falls
    with the root of the number of units, which are the positives if each row is a unit.
    """
    error = _error_to_plan_with(result)
    _, sample = result.source.data.get("plan", _ASK_BEFORE)
    n_positives, n_rows = count_positives(sample), sample.rankings.n_rows
    are_positives = sample.kind == "rows" and not sample.by_query
    n_here = n_positives if are_positives else len(sample.names)
    factor = _fewest_units(suffices, error, n_here) / n_here * larger
    if are_positives and factor * n_rows < 2:
        raise ValueError(
            f"A test set of fewer than two rows would suffice, because n_positives={n_positives} "
            f"is far more than the {n_rows:,} rows, whose half-width is already "
            f"{(result.high - result.low) / 2:.3g}. Plan with a smaller half_width or difference."
        )

    def in_next_set(number: int) -> int:
        """Return how many there have to be in the next test set instead of so many here."""
        count = ceil(number * factor - 1e-9)
        digits = 10 ** max(len(str(count)) - 2, 0)
        return int(-(-count // digits) * digits)

    n_units = in_next_set(len(sample.names))
    basis = count_of(in_next_set(n_positives), "positives")
    if sample.kind != "rows":
        words = sample.cluster_words if sample.kind == "clusters" else sample.group_words
        basis = count_of(n_units, words)
        if n_holding := _n_holding(sample):  # as in the basis of intervals
            basis = count_of(in_next_set(n_holding), f"{words} with positives")
    positives = in_next_set(n_positives) if sample.has_labels else None
    with made_like(result):
        size = NextTestSet(
            positives, in_next_set(n_rows), n_units, sample.kind, factor, basis, "", aim
        )
    return replace(size, words=_numbers_in_words(size, sample))


def _error_to_plan_with(result: Any) -> float:
    """Return the standard error that the interval stands for, without allowances."""
    is_constant = isinstance(result, Interval) and result.standard_error == 0
    if result.source is None or not (result.standard_error > 0 or is_constant):
        raise ValueError(
            "plan needs a result whose sampling units vary, not one of folds or of different rows, "
            "or with a standard error of 0."
        )
    low, high = result.source.tested or (result.low, result.high)
    return float((high - low) / 2 / quantile(np.inf, result.confidence_level))


def _numbers_in_words(size: NextTestSet, sample: Sample) -> str:
    """Return the numbers as in "74 groups with 93 positives among 224 rows"."""
    basis = "" if sample.kind == "rows" else size.basis
    joined = " among " if sample.rankings.n_positives is None else " and "
    besides = joined.join(count_of(count, name) for name, count in size._besides.items())
    if sample.kind == "clusters" and not sample.by_query and sample.rankings.is_grouped:
        besides += f" in {count_of(len(sample.rankings.names or ()), sample.group_words)}"
    joined = ", " if basis.endswith("positives") else " with "
    return joined.join(filter(None, (basis, besides)))  # either can be empty


def _n_holding(sample: Sample) -> int:
    """Count the clusters of a single ranking that contain positives; 0 for other units."""
    clusters = sample.clusters
    if clusters is None or clusters.absent or sample.rankings.average != "binary":
        return 0
    return len(set(clusters.of[sample.rankings.labels].tolist()))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Interval(Result):
    """Result of :func:`~sklearn_ap.confidence_interval`.

    It prints as a sentence, and unpacks into `value`, `low` and `high`.

    Attributes
    ----------
    value : float
        The value of the metric.
    chance : float
        The mean value of random rankings of the same rows, whose prediction scores are shuffled
        among the rows, so that labels and ties stay the same. It is nan for functions of your own,
        for tables of :mod:`sklearn_ap.readers`, which only have what was retrieved, and for a
        metric with a cutoff k if no group has more than k rows.
    low, high : float
        The ends of the interval.
    standard_error : float
        The standard error of `value`.
    confidence_level : float
        The probability that such an interval contains the true value, such as 0.95.
    method : str
        How the interval was computed, such as "influence" or "bootstrap".
    metric : str
        The name of the metric, such as "Average precision".
    basis : str
        What the interval is based on, such as "40 positives" or "30 queries".
    n_resamples, random_state : int or None
        The number of resamples or random swaps, and the seed that reproduces them. None if the
        method draws nothing.
    n_groups : int or None
        The number of groups that values are averaged over; None without groups.
    kind : str
        The kind of the sampling units: "rows", "groups" or "clusters".
    units : list
        The names of the sampling units: row numbers, groups or clusters.
    name : str or None
        The name that you passed.
    notes : tuple of Note
        Remarks on the result, the most serious first; for example, that a model has no rows for
        most groups, or that its scores seem to be upside down. Each note has a `code`, such as
        "no_rows", and a `text`. At most three are printed.

    See Also
    --------
    sklearn_ap.confidence_interval : Compute an interval.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> y_score = [0.9, 0.8, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.1, 0.1]
    >>> interval = ap.confidence_interval(y_true, y_score)
    >>> interval
    Average precision 0.728, 95% interval 0.168 to 0.973 (5 positives; random:
    0.518)
    >>> value, low, high = interval
    >>> interval.standard_error
    0.184547
    """

    value: float
    low: float = np.nan  # as the end, the standard error and the method if there is no interval
    high: float = np.nan
    standard_error: float = np.nan
    confidence_level: float
    method: str = ""
    metric: str  # such as "Average precision"
    basis: str  # such as "40 positives"
    n_resamples: int | None = None
    random_state: int | None = None
    n_groups: int | None = None
    name: str | None = field(default=None, compare=False)
    said: tuple[Note, ...] = field(default=(), repr=False, compare=False)  # without `chance`
    places: int = field(default=3, repr=False, compare=False)
    # Neither printed nor compared.
    source: ComputedFrom = field(repr=False, compare=False)
    at_random: AtRandom = field(repr=False, compare=False)
    below_random: Kept[float | None] | None = field(default=None, repr=False, compare=False)

    @property
    def chance(self) -> float:
        """The mean value of random rankings of the same rows, nan if these are only retrieved."""
        return self.at_random.mean if self.at_random.has_all else np.nan

    @property
    def notes(self) -> tuple[Note, ...]:
        """Remarks on the result, the most serious first."""
        return most_serious(filter(None, [*self.said, note_upside_down(self.metric, self)]))

    def _as_dict(self) -> Any:
        return super()._as_dict() | {"chance": self.chance, "notes": self.notes}

    @property
    def kind(self) -> str:
        """The kind of the sampling units: "rows", "groups" or "clusters"."""
        return self.source.kind

    @property
    def units(self) -> list[Any]:
        """The names of the sampling units: row numbers, groups or clusters."""
        return list(self.source.data.get("units", _ASK_BEFORE)[1].names)

    def contributions(self) -> Array:
        """Return what each sampling unit contributes to the sampling error of the value.

        The standard error is the root of the sum of their squares. If the bootstrap computed the
        interval, only groups have contributions, and this holds only approximately, because
        resamples are random.

        Returns
        -------
        contributions : ndarray of shape (n_units,)
            The contribution of each of `units`.
        """
        if self.method == "bootstrap" and self.kind != "groups":
            raise ValueError(
                "This interval comes from resamples, so there are no contributions of single "
                "sampling units. Use method='influence'."
            )
        request, sample = self.source.data.get("contributions", _ASK_BEFORE)
        plan = plan_of(request, sample)
        return plan.of_units(plan.moved(request.rule).of_mean)

    def plan(self, *, half_width: float) -> NextTestSet:
        """Return how large a test set of this kind must be for an interval of this half-width.

        About 3 in 4 test sets of that size have such an interval or a narrower one.

        Parameters
        ----------
        half_width : float
            Half the distance between the ends of the interval, such as 0.02.

        Returns
        -------
        size : NextTestSet
            The numbers of positives, rows and sampling units that suffice.
        """
        check_allowed("plan", set(), {"half_width": half_width})
        aim = f"{level_of(self)} of +/-{half_width:g} or less."
        spread = self._spread()
        if self.standard_error == 0:  # as of a perfect model, whose interval follows from its units
            tail, largest = (1 - self.confidence_level) / 2, spread.farthest
            return _next_test_set(
                self,
                lambda _, freedom: largest * (1 - tail ** (1 / (freedom + 1))) <= 2 * half_width,
                f"Then a test set with the same value has a {aim}",
            )
        return _next_test_set(
            self,
            lambda error, freedom: quantile(freedom, self.confidence_level) * error <= half_width,
            f"Then about 3 in 4 test sets like this one have a {aim}",
            (1 + _THREE_IN_FOUR / np.sqrt(2 * max(float(np.min(spread.freedom)), 1.0))) ** 2,
        )

    def _spread(self) -> Spread:
        """Return how the value varies, on which a plan is based."""
        request, sample = self.source.data.get("plan", _ASK_BEFORE)
        plan = plan_of(request, sample)
        return plan.spread if self.method == "bootstrap" else plan.moved(request.rule)

    def __iter__(self) -> Iterator[float]:
        return iter((self.value, self.low, self.high))

    def _printed(self) -> Printed:
        name = self.source.model if self.name is None else self.name
        row = {} if name is None else {"model": one_line(name)}
        row["value"] = f"{self.value:z.{self.places}f}"
        row[level_of(self)] = ends(self.low, self.high, self.places)
        title = f"{self.metric} ({self._basis()})"
        return Printed([*row], [("", "", [[*row.values()]])], title, printed_notes(self.notes))

    def _basis(self) -> str:
        return _method_and_basis(self) + printed_at_random([self])

    def __str__(self) -> str:
        name = "" if self.name is None else f" ({one_line(self.name)})"
        value = f"{self.metric} {self.value:z.{self.places}f}{name}"
        limits = ends(self.low, self.high, self.places)
        sentence = f"{value}, {level_of(self)} {limits} ({self._basis()})"
        said = [*self._on_conditions(), *printed_notes(self.notes)]
        return "\n".join([sentence, *map(paragraph, said)])


def printed_at_random(intervals: Iterable[Interval]) -> str:
    """Say what random rankings get, which depends on the ties of each model, if all models have a
    closed form, so that printing stays fast. Otherwise, return "".
    """
    means, places = [], 0
    for interval in intervals:
        random, places = interval.at_random, interval.places
        exact = random.exact if random.has_all else None
        means.append(np.nan if exact is None else exact)
    if not means or np.isnan(means).any():
        return ""
    least, most = f"{min(means):z.{places}f}", f"{max(means):z.{places}f}"
    return f"; random: {least}" if least == most else f"; random: {least} to {most}"


def note_upside_down(metric: str, interval: Interval, model: Any = None) -> Note | None:
    """Say if random rankings are above the interval of 99%, or if a mean over groups is one that
    they rarely have, and what to do. A `model` without a name is None or "".
    """
    random, places = interval.at_random, interval.places
    if interval.below_random is None:
        return None
    end = interval.below_random.get()
    if end is None:
        return None
    scores = "scores" if model in (None, "") else f"scores of {one_line(model)}"
    value, mean = f"{interval.value:z.{places}f}", f"{random.mean:z.{places}f}"
    doubt = f"99% interval up to {end:z.{places}f}"
    but = f", but random rankings {mean}" if random.has_all else ""
    if random.is_of_groups:
        doubt = "as low in fewer than 5 of 1,000 random orders"
    fill_later = ""
    if random.filled_with is not None:
        fill_later = (
            f" If missing scores were filled with {random.filled_with:g}, fill them after that, so "
            "that they still rank last."
        )
    return Note(
        "upside_down",
        f"The {scores} seem to be upside down: by {in_sentence(one_line(metric))}, they have "
        f"{value} ({doubt}){but}. If a lower score "
        "means more positive, as for a distance or a rank, pass -y_score, or --lower-is-better on "
        f"the command line.{fill_later}",
    )


class _PlansTestSets(Result):
    """What comparisons of two or of several models have in common."""

    def plan(self, *, difference: float, power: float = 0.8) -> NextTestSet:
        """Return how large a test set of this kind must be to find a difference of this size.

        Parameters
        ----------
        difference : float
            The size of the difference between the models that you want to find, such as 0.03.
        power : float, default=0.8
            The probability of a p-value below 1 - `confidence_level` if the difference has this
            size.

        Returns
        -------
        size : NextTestSet
            The numbers of positives, rows and sampling units that suffice, for each of several
            models.
        """
        check_allowed("plan", set(), {"difference": difference, "power": power})
        pairs: Any = getattr(self, "pairs", (self,))  # those of several models
        varying = [pair for pair in pairs if pair.standard_error > 0] or pairs
        sizes = [_planned(pair, difference, power) for pair in varying]
        return max(sizes, key=lambda size: size.factor)


def _planned(pair: Comparison, difference: float, power: float) -> NextTestSet:
    level = pair.confidence_level
    return _next_test_set(
        pair,
        lambda error, freedom: ndtr(difference / error - quantile(freedom, level)) >= power,
        f"Then, with a probability of about {power:.0%}, a difference of {difference:g} is "
        "significant, if models vary as they do here.",
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(_PlansTestSets):
    """Result of :func:`~sklearn_ap.compare` for two models.

    It prints as a few lines, which call a model "better" if the interval of the difference excludes
    0, and "higher" otherwise. It unpacks into `difference`, `low` and `high`.

    Attributes
    ----------
    values : tuple of two floats
        The values of the metric for both models.
    models : tuple of two str
        The names of the models, from their intervals, columns or Series, or else "A" and "B".
    difference : float
        The value of the first model minus the value of the second one.
    low, high : float
        The ends of the interval for the difference.
    standard_error : float
        The standard error of the difference.
    pvalue : float
        The two-sided p-value for the hypothesis of no difference.
    margin : float or None
        The smallest difference that matters, if you passed one.
    verdict : str
        What the interval shows about the first model: "better", "worse" or "unclear", and with a
        margin also "equivalent", "no worse" or "no better".
    wins, ties, losses : int or None
        The number of groups (or rows, with average='samples') in which the first model has a
        better, an equal and a worse value. None if the sampling units have no values of their own.
    confidence_level : float
        The probability that such an interval contains the true difference, such as 0.95.
    method : str
        How the interval was computed, such as "influence" or "bootstrap".
    metric : str
        The name of the metric, such as "Average precision".
    basis : str
        What the interval is based on, such as "40 positives" or "30 queries".
    n_resamples, random_state : int or None
        The number of resamples or random swaps, and the seed that reproduces them. None if the
        method draws nothing.
    n_groups : int or None
        The number of groups that values are averaged over; None without groups.
    notes : tuple of Note
        Remarks on the result, the most serious first, each with a `code`, such as "no_rows", and a
        `text`. At most three are printed.

    See Also
    --------
    sklearn_ap.compare : Compare two models.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> a = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> b = [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7]
    >>> paired = ap.compare(y_true, a, b)
    >>> paired
    Average precision 0.771 (A) and 0.625 (B)
    A is higher by 0.146 (95% interval -0.306 to 0.557, p = 0.500): could be
    chance
    (4 positives)
    One more negative at the top of 'A' would cost it 0.23, more than the
    difference. Here, only 1 of 4 negatives is above half of its positives, but
    other samples may reverse the order.
    >>> paired.difference, paired.pvalue
    (0.146, 0.5)
    """

    values: tuple[float, float]
    difference: float  # of the first model from the second
    low: float = np.nan  # as what follows, but for the level, if there is no interval
    high: float = np.nan
    standard_error: float = np.nan
    pvalue: float = np.nan
    confidence_level: float
    method: str = ""
    metric: str
    basis: str
    n_resamples: int | None = None
    random_state: int | None = None
    n_groups: int | None = None
    models: tuple[str, str] = field(default=("A", "B"), compare=False)
    margin: float | None = None
    verdict: str = ""  # follows from the interval and the margin
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False)
    greater_is_better: bool = field(default=True, repr=False)
    places: int = field(default=3, repr=False, compare=False)
    # What the first model and the second one were computed from. Folds have none.
    source: ComputedFrom | None = field(default=None, repr=False, compare=False)
    other: ComputedFrom | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.verdict:
            verdict = verdict_on(self.low, self.high, self.margin, self.greater_is_better)
            object.__setattr__(self, "verdict", verdict)

    def units(self, *, of: str | None = None) -> Units:
        """Return where the models differ: a table of the sampling units, worst difference first.

        Parameters
        ----------
        of : {'groups', 'clusters', 'rows'}, default=None
            What to list, by default the sampling units. If you passed groups as well as clusters,
            the sampling units are the clusters, and 'groups' lists the values of the groups.

        Returns
        -------
        units : Units
            A table with one row for each unit, and the columns "unit", one for each model,
            "difference" and "n_positives". For groups, it shows the values of the metric and their
            differences. Clusters and rows of a ranking have no values of their own, so it shows
            their contributions to the values and to the difference: roughly how much would be lost
            without the unit.
        """
        if self.source is None or self.other is None:
            raise ValueError(
                "This comparison has no sampling units, because it was made from folds, or of "
                "different rows (on=False). Call compare with labels and prediction scores of the "
                "same rows."
            )
        first = self.source.data.get("units", _ASK_BEFORE)
        second = self.other.data.get("units", _ASK_BEFORE)
        with made_like(self):
            return units_of(first, second, self.models, self.metric, of, self.greater_is_better)

    def __iter__(self) -> Iterator[float]:
        return iter((self.difference, self.low, self.high))

    def _printed(self) -> Printed:
        model, baseline = self.models
        return tabled({model: self}, self.models, baseline, self.confidence_level)._printed()

    def __str__(self) -> str:
        value_a, value_b = (f"{value:z.{self.places}f}" for value in self.values)
        a, b = (one_line(name) for name in self.models)
        lines = [f"{self.metric} {value_a} ({a}) and {value_b} ({b})"]
        lines += [*map(paragraph, self._on_conditions()), self._sentence(a, b)]
        if self.margin is not None:
            lines.append(f"Verdict on {a} with a margin of {self.margin:g}: {self.verdict}")
        if self.wins is not None:
            lost = f"ties in {self.ties:,} and loses in {self.losses:,}"
            lines.append(f"{a} wins in {self.wins:,}, {lost}")
        lines.append(f"({_method_and_basis(self)})")
        return "\n".join([*lines, *map(paragraph, printed_notes(self.notes))])

    def _sentence(self, a: str, b: str) -> str:
        """Say which model is higher (or lower, if that is better), by how much, and how surely."""
        low, high, places = self.low, self.high, self.places
        size = f"{abs(self.difference):.{places}f}"
        if not float(size) and (low > 0 or high < 0):
            size = f"less than {10**-places:.{places}f}"
        claim, doubt = f"Difference {0:.{places}f}", ""
        if self.difference and size != f"{0:.{places}f}":
            higher, lower = a, b
            if self.difference < 0:  # so that the interval is that of a positive difference
                higher, lower, low, high = b, a, -self.high, -self.low
            named, word = (higher, "higher") if self.greater_is_better else (lower, "lower")
            is_clear = low > 0
            claim = f"{named} is {'better' if is_clear else word} by {size}"
            doubt = "" if is_clear else ": could be chance"
        p = f"p = {rounded_p(self.pvalue)}".replace("= <", "<")
        return f"{claim} ({level_of(self)} {ends(low, high, places)}, {p}){doubt}"


@dataclass(frozen=True, eq=False)
class ModelComparison(Value):
    """One model compared with the baseline: a row of `Comparisons`."""

    model: str
    value: float
    difference: float = 0.0  # from the baseline, which itself has no interval and no p-value
    low: float = np.nan
    high: float = np.nan
    pvalue: float = np.nan  # adjusted for the number of models, unless joint=False
    verdict: str | None = None  # on the model; the baseline has none


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(_PlansTestSets, Table):
    """Result of :func:`~sklearn_ap.compare` for several models.

    It prints as a table with one row for each model.

    Attributes
    ----------
    rows : tuple
        One row for each model, with the attributes `model`, `value`, `difference`, `low`, `high`,
        `pvalue` and `verdict`, which a :class:`~sklearn_ap.inference.Comparison` explains. The
        difference is the model's value minus the baseline's.
    baseline : str
        The name of the model that the others are compared with.
    confidence_level : float
        The probability, such as 0.95, that all intervals contain their true differences, or if not
        `joint`, that each interval does.
    joint : bool
        Whether intervals and p-values are adjusted, so that all of them hold at once.
    adjustment : str or None
        How intervals and p-values are adjusted: "bonferroni", or "single-step" for random swaps in
        groups; None if nothing is adjusted.
    margin : float or None
        The smallest difference that matters, if you passed one.
    method : str
        How the intervals were computed, such as "influence" or "bootstrap".
    metric : str
        The name of the metric, such as "Average precision".
    basis : str
        What the intervals are based on, such as "40 positives" or "30 queries".
    n_resamples, random_state : int or None
        The number of resamples or random swaps, and the seed that reproduces them. None if the
        method draws nothing.
    n_groups : int or None
        The number of groups that values are averaged over; None without groups.
    notes : tuple of Note
        Remarks on the result, the most serious first, each with a `code`, such as "no_rows", and a
        `text`. At most three are printed.

    See Also
    --------
    sklearn_ap.compare : Compare several models.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> old = [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7]
    >>> new = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> models = ap.compare(
    ...     y_true, {"old": old, "new": new, "same": new}, baseline="old"
    ... )
    >>> models
    Average precision, differences from old (4 positives)
    model  value  difference  95% interval     p
    old    0.625  baseline
    new    0.771  +0.146      -0.306 to 0.557  0.500
    same   0.771  +0.146      -0.306 to 0.557  0.500
    Intervals of differences and p hold for all 3 models at once.
    One more negative at the top of 'new' would cost it 0.23, more than the
    difference. Here, only 1 of 4 negatives is above half of its positives, but
    other samples may reverse the order.
    One more negative at the top of 'same' would cost it 0.23, more than the
    difference. Here, only 1 of 4 negatives is above half of its positives, but
    other samples may reverse the order.
    >>> [row.model for row in models if row.pvalue < 0.05]
    []
    """

    _index = "model"

    rows: tuple[ModelComparison, ...]
    baseline: str
    confidence_level: float
    method: str
    metric: str
    basis: str
    n_resamples: int | None = None
    random_state: int | None = None
    n_groups: int | None = None
    margin: float | None = None
    joint: bool = field(default=True, kw_only=True)
    notes: tuple[Note, ...] = field(default=(), compare=False)
    places: int = field(default=3, repr=False, compare=False)
    pairs: tuple[Comparison, ...] = field(default=(), repr=False, compare=False)
    ranking: Local[Callable[[], Ranks]] = field(default_factory=Local, repr=False, compare=False)

    @property
    def adjustment(self) -> str | None:
        """How intervals and p-values are adjusted; None if nothing is adjusted."""
        if not self.joint or len(self.rows) < 3:
            return None
        swaps_groups = self.method == "randomization" and self.n_resamples is not None
        return "single-step" if swaps_groups else "bonferroni"

    def _as_dict(self) -> list[dict[str, Any]]:
        return [row | {"adjustment": self.adjustment} for row in super()._as_dict()]

    def ranks(self) -> Ranks:
        """Return the rank of each model, with intervals that hold for all models at once.

        Returns
        -------
        ranks : Ranks
            Its `rows` have the attributes `model`, `value`, `rank`, `low` and `high`, and `best`
            names the models that can't be told apart from the best one.
        """
        with made_like(self):
            return self.ranking.get("ranks", _ASK_BEFORE)()

    def units(self, model: Any = None, *, of: str | None = None) -> Units:
        """Return where a model differs from the baseline, worst difference first.

        :meth:`sklearn_ap.inference.Comparison.units` explains the table.

        Parameters
        ----------
        model : str, default=None
            The model to compare with the baseline. You can leave it out if there is only one.
        of : {'groups', 'clusters', 'rows'}, default=None
            What to list, by default the sampling units.

        Returns
        -------
        units : Units
            One row for each unit, worst difference first.
        """
        by_model = {pair.models[0]: pair for pair in self.pairs}
        if model is None and len(by_model) == 1:
            (model,) = by_model
        if model not in by_model:
            raise ValueError(
                f"units needs the model to compare with {self.baseline!r}. Pass one of "
                f"{list(by_model)}. Got {model!r} instead."
            )
        return by_model[model].units(of=of)

    def _printed(self) -> Printed:
        header = ["model", "value", "difference", level_of(self), "p"]
        header += ["verdict"] * (self.margin is not None)
        cells = []
        for row in self.rows:
            difference = cells_of_difference(row, row.model == self.baseline, self.places)
            verdict = [row.verdict or ""] * (self.margin is not None)
            value = f"{row.value:z.{self.places}f}"
            cells.append([one_line(row.model), value, *difference, *verdict])
        title = (
            f"{self.metric}, differences from {one_line(self.baseline)} ({_method_and_basis(self)})"
        )
        margins = {} if self.margin is None else {self.metric: self.margin}
        notes = [*legend(len(self.rows), self.joint, margins), *printed_notes(self.notes)]
        return Printed(header, [("", "", cells)], title, notes)


def tabled(
    pairs: Mapping[Any, Comparison],
    models: Iterable[Any],
    baseline: Any,
    level: float,
    joint: bool = True,
    ranking: Callable[[], Ranks] | None = None,
) -> Comparisons:
    """Show the models' differences from the baseline in a table.

    `pairs` compares each of the `models` with the baseline, except the baseline itself, which is
    one of them. Without a `ranking`, which returns the ranks, these can't be asked for.
    """
    first = next(iter(pairs.values()))
    rows = {model: ModelComparison(model, first.values[1]) for model in models}
    for model, pair in pairs.items():
        difference = pair.difference, pair.low, pair.high, pair.pvalue, pair.verdict
        rows[model] = ModelComparison(model, pair.values[0], *difference)
    names = ["method", "metric", "basis", "n_resamples", "random_state", "n_groups"]
    names += ["margin", "places"]  # which all pairs have in common
    return Comparisons(
        tuple(rows.values()),
        baseline,
        level,
        **{name: getattr(first, name) for name in names},
        joint=joint,
        notes=most_serious(note for pair in pairs.values() for note in pair.notes),
        pairs=tuple(pairs.values()),
        ranking=Local(ranking),
    )


@dataclass(frozen=True, eq=False)
class SearchCandidate(Value):
    """One candidate compared with the best one: a row of `SearchComparison`."""

    params: dict[str, Any]
    value: float
    rank: int
    difference: float = 0.0  # from the best, which itself has no interval and no p-value
    low: float = np.nan
    high: float = np.nan
    pvalue: float = np.nan  # adjusted for all pairs of candidates
    verdict: str | None = None  # on the candidate; the best has none
    may_be_best: bool = True  # whether it can't be told apart from the best


@dataclass(frozen=True, eq=False, repr=False)
class SearchComparison(Table):
    """Result of :func:`~sklearn_ap.compare_folds` for a search.

    It prints as a table from the best candidate to the worst one.

    Attributes
    ----------
    rows : tuple
        One row for each candidate in the order of the search, with the attributes `params`,
        `value`, `rank`, `difference`, `low`, `high`, `pvalue`, `verdict` and `may_be_best`. The
        value is the mean over the folds, and the difference is the candidate's value minus that of
        the best one. A :class:`~sklearn_ap.inference.Comparison` explains the others.
    best : tuple of dict
        The `params` of the best candidate, and of all that can't be told apart from it.
    confidence_level : float
        The probability, such as 0.95, that the truly best candidate is among the `best`.
    margin : float or None
        The smallest difference that matters, if you passed one.
    method : str
        How the candidates were compared: "corrected t-test".
    metric : str
        The name of the metric in the search, "score" if it has only one.
    basis : str
        What the intervals are based on, such as "5 folds".
    notes : tuple of Note
        Remarks on the result, each with a `code` and a `text`.

    See Also
    --------
    sklearn_ap.compare_folds : Compare the candidates of a search.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_classification(
    ...     1000, n_informative=5, weights=[0.8], random_state=0
    ... )
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> grid = {"max_depth": [1, 3, 5, 7]}
    >>> search = GridSearchCV(tree, grid, scoring=ap.get_scorer("AP"), cv=10)
    >>> candidates = ap.compare_folds(search.fit(X, y))
    >>> candidates
    score, differences from the best of 4 candidates (corrected t-test, 10
    folds)
    params       value  rank  difference  95% interval      p
    max_depth=5  0.832  1     best
    max_depth=3  0.819  2     -0.012      -0.073 to 0.048   1.000
    max_depth=7  0.811  3     -0.021      -0.082 to 0.040   1.000
    max_depth=1  0.696  4     -0.136      -0.222 to -0.050  0.003
    Intervals and p are adjusted for all pairs of 4 candidates.
    3 of 4 candidates can't be told apart from the best. 10 folds show only
    differences beyond about 1.5 standard deviations of a fold's difference:
    repeat the folds, or compare with a baseline of yours by compare_folds(a,
    b).
    >>> candidates.best
    ({'max_depth': 3}, {'max_depth': 5}, {'max_depth': 7})
    """

    rows: tuple[SearchCandidate, ...]
    confidence_level: float
    method: str
    metric: str
    basis: str
    margin: float | None = None
    notes: tuple[Note, ...] = field(default=(), compare=False)

    @property
    def best(self) -> tuple[dict[str, Any], ...]:
        """The params of the best candidate, and of all that can't be told apart from it."""
        return tuple(row.params for row in self.rows if row.may_be_best)

    def _printed(self) -> Printed:
        header = ["params", "value", "rank", "difference", level_of(self), "p"]
        header += ["verdict"] * (self.margin is not None)
        short = _without_steps({name for row in self.rows for name in row.params})
        in_order = sorted(self.rows, key=lambda row: row.rank)
        rows, said = printed_segments(in_order, lambda row: row.rank, "the best", "candidates")
        cells = []
        for row in rows:
            difference = cells_of_difference(row, False, 3)
            if row.verdict is None:
                difference = ["best", "", ""]
            verdict = [row.verdict or ""] * (self.margin is not None)
            params = _params_in_words(row.params, short)
            cells.append([params, f"{row.value:z.3f}", str(row.rank), *difference, *verdict])
        n_rows = len(self.rows)
        title = f"{self.metric}, differences from the best of {n_rows} candidates"
        family = f"Intervals and p are adjusted for all pairs of {n_rows} candidates."
        margins = {} if self.margin is None else {self.metric: self.margin}
        said += legend(2, True, margins, family if n_rows > 2 else "")
        said += printed_notes(self.notes) or [sentence_on_left(len(self.best), n_rows)]
        return Printed(header, [("", "", cells)], f"{title} ({_method_and_basis(self)})", said)


def sentence_on_left(n_best: int, n_candidates: int) -> str:
    """Say how many candidates, the best one included, are as good as it for all that is known."""
    if n_best == 1:
        others = "all others" if n_candidates > 2 else "the other"
        return f"The best candidate is significantly better than {others}."
    return f"{n_best} of {n_candidates} candidates can't be told apart from the best."


def _without_steps(names: Iterable[str]) -> dict[str, str]:
    """Leave out the steps of a pipeline where the name of the parameter is enough."""
    short = {name: name.rpartition("__")[2] for name in names}
    counts = Counter(short.values())
    return {name: short[name] if counts[short[name]] == 1 else name for name in names}


def _params_in_words(params: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Write params as "C=1, penalty=l2", with classes, functions and estimators in short."""
    words = []
    for name, value in params.items():
        called = getattr(value, "__name__", value)
        words.append(f"{names[name]}={shortened(one_line(called))}")
    return ", ".join(words) or "{}"


def _method_and_basis(result: Interval | Comparison | Comparisons | SearchComparison) -> str:
    return resting_on(result.method, result.basis)
