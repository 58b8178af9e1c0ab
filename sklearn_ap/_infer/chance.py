"""The values of random rankings, and tests whether a value is better."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import false_discovery_control

from .._evaluate.value import average_values, fill_undefined, score, valued
from .._read.sampling_units import Sample
from .._show.results import (
    Note,
    Printed,
    Result,
    Shared,
    Value,
    one_line,
    paragraph,
    printed_notes,
    rounded_p,
    signed,
)
from .._words.messages import heard_by
from .._words.names import leveled, mean_title, written
from .._words.parameters import text_of
from ..core.random_rankings import (
    Shape,
    block_sizes,
    graded_in_orders,
    in_orders,
    mean_value,
    shapes_of,
)
from ..core.rankings import Rankings
from ..core.rules import NDCG, Graded, OfGroup, Rule
from ..core.spread import ROUNDING
from ..core.within import Array
from .requests import IntervalRequest

_FIRST, _MOST = 5, 10_000  # random orders that are drawn at first, and in all
_FEWEST = 20  # random orders, before their standard error is trusted
_MOST_SCORES = 2**26  # that are shuffled in all of them, which takes half a minute
_RARELY = 0.005  # the fraction of random orders that may have values as low as one upside down
_TIMES = 20, 200, 999  # random orders in all, after which it's asked whether they are more
_ENOUGH = 0.0003  # the standard error of a mean over random orders
_CLEARLY = 6  # standard errors from a value are enough to tell on which side of it a mean is
_ORDERS, _ORDERS_PER_GROUP = 9999, 20  # of which p-values are made: the larger number of both
_AT_ONCE = 2**18  # scores that are shuffled together
# More rows with the lowest score, or a larger score, suggest that missing ones were filled.
_FILLED, _HUGE = 20, 1e30
_MOST_PRINTED = 10  # groups at each end of a table


@dataclass(frozen=True, eq=False)
class GroupChance(Value):
    """One group compared with random rankings: a row of `ChanceComparison`.

    See Also
    --------
    sklearn_ap.compare_chance : Compare a value with the values of random rankings.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> found = ap.compare_chance(
    ...     [1, 0, 0, 1],
    ...     [4, 3, 2, 1],
    ...     groups=["a", "a", "b", "b"],
    ...     n_resamples=99,
    ... )
    >>> [row.group for row in found.rows]
    ['a', 'b']
    """

    group: Any
    value: float
    chance: float
    pvalue: float
    adjusted_pvalue: float


@dataclass(frozen=True, eq=False, repr=False)
class ChanceComparison(Result):
    """Result of :func:`~sklearn_ap.compare_chance`.

    Attributes
    ----------
    value : float
        The value of the metric.
    chance : float
        The mean value of random rankings.
    difference : float
        `value` minus `chance`.
    pvalue : float
        The one-sided p-value: the proportion of orders, yours included, that are at least as good
        as yours.
    method : str
        "random orders".
    metric : str
        The name of the metric, such as "Average precision".
    n_resamples, random_state : int
        The number of random orders, and the seed that reproduces them.
    rows : tuple
        With groups, one row for each, with the attributes `group`, `value`, `chance`, `pvalue` and
        `adjusted_pvalue`, which controls the false discovery rate.
    notes : tuple of Note
        Remarks on the result. Each note has a `code`, such as "few_orders", and a `text`.

    See Also
    --------
    sklearn_ap.compare_chance : Compare a value with the values of random rankings.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> ap.compare_chance(y_true, y_score, random_state=0)
    Average precision 0.771, random 0.623: +0.148, p = 0.204 (9,999 random
    orders)
    """

    value: float
    chance: float
    difference: float
    pvalue: float
    method: str
    metric: str
    n_resamples: int
    random_state: int
    rows: tuple[GroupChance, ...] = ()
    notes: tuple[Note, ...] = field(default=(), compare=False)
    places: int = field(default=3, repr=False, compare=False)

    def _as_dict(self) -> Any:
        return super()._as_dict() | {"rows": [row._as_dict() for row in self.rows]}

    def _rows(self) -> list[dict[str, Any]]:
        (row,) = super()._rows()
        of_groups = row.pop("rows")
        return of_groups or [row]

    def _said(self) -> str:
        value = f"{self.value:z.{self.places}f}"
        chance = f"{self.chance:z.{self.places}f}"
        p = f"p = {rounded_p(self.pvalue)}".replace("= <", "<")
        difference = signed(self.difference, self.places)
        orders = f"{self.n_resamples:,} random orders"
        return f"{self.metric} {value}, random {chance}: {difference}, {p} ({orders})"

    def __str__(self) -> str:
        texts = [self._said(), *self._on_conditions()]
        if self.rows:
            pvalues = [row.adjusted_pvalue for row in self.rows]
            n_low = sum(pvalue < 0.05 for pvalue in pvalues)
            have = "has" if n_low == 1 else "have"
            text = f"{n_low:,} of {len(pvalues):,} groups {have} an adjusted p below 0.05"
            if n_low:
                lowest = "namely" if n_low == 1 else "the lowest of which is"
                text += f", {lowest} {rounded_p(min(pvalues))}"
            texts.append(f"{text}.")
        return "\n".join(map(paragraph, [*texts, *printed_notes(self.notes)]))

    def _printed(self) -> Printed:
        places = self.places
        if not self.rows:
            row = [f"{self.value:z.{places}f}", f"{self.chance:z.{places}f}"]
            row += [signed(self.difference, places), rounded_p(self.pvalue)]
            header = ["value", "random", "difference", "p"]
            title = f"{self.metric} ({self.n_resamples:,} random orders)"
            return Printed(header, [("", "", [row])], title, printed_notes(self.notes))
        cells = [
            [
                one_line(text_of(group.group)),
                f"{group.value:z.{places}f}",
                f"{group.chance:z.{places}f}",
                rounded_p(group.pvalue),
                rounded_p(group.adjusted_pvalue),
            ]
            for group in self.rows
        ]
        if len(cells) > 2 * _MOST_PRINTED + 1:
            cells[_MOST_PRINTED:-_MOST_PRINTED] = [["…"] * 5]
        header = ["group", "value", "random", "p", "adjusted p"]
        return Printed(header, [("", "", cells)], self._said(), printed_notes(self.notes))


def against_chance(request: IntervalRequest, sample: Sample) -> ChanceComparison:
    """Compare the value of checked input with those of random orders of each ranking."""
    rule, rankings = request.rule, sample.rankings
    _check_can_be_random(rule, sample)
    value = float(score(rule, rankings, request.zero_division))
    with heard_by(lambda *_: None):  # as the value has warned
        values = valued(rule, rankings).values
        values = fill_undefined(values, rankings.queries, request.quietly, rule)
    n_defined = int(np.count_nonzero(~np.isnan(values)))
    default = max(_ORDERS, _ORDERS_PER_GROUP * n_defined)
    times = request.n_resamples or default
    drawn, chances, pvalues = _draw_orders(request, rankings, values, times)

    chance = pvalue = np.nan
    if n_defined:
        shares = shares_in_mean(rankings, values)
        chance = float(shares[shares > 0] @ chances[shares > 0])
        pvalue = _pvalues(drawn, np.array([value]), rule).item()
    metric = written(rule)
    rows: tuple[GroupChance, ...] = ()
    notes: tuple[Note, ...] = ()
    if rankings.average != "binary":  # the value is a mean
        metric = mean_title(rule, rankings.average)
        rows = _group_chances(rankings, values, chances, pvalues)
        notes = tuple(_few_orders(times, default, n_defined))
    return ChanceComparison(
        value=value,
        chance=chance,
        difference=value - chance,
        pvalue=pvalue,
        method="random orders",
        metric=leveled(metric, rule, sample.min_grade),
        n_resamples=times,
        random_state=request.seed,
        rows=rows,
        notes=notes,
        places=rule.decimals,
    )


def _check_can_be_random(rule: Rule, sample: Sample) -> None:
    """Check that random orders of the rows are random rankings."""
    rankings = sample.rankings
    if rankings.average not in ("binary", "samples") and rankings.group is None:
        raise ValueError(
            "compare_chance needs one ranking, or groups of rows. Pass one class at a time, as in "
            "y_true == label."
        )
    if why := why_no_baseline(rule, sample):
        raise ValueError(
            f"{why}, so random orders would only shuffle what the model itself has chosen. Pass "
            "all candidates, and give those that weren't retrieved the lowest score."
        )


def why_no_baseline(rule: Rule, sample: Sample) -> str:
    """Say why a shuffle of the rows isn't a random ranking; empty if it is.

    A recommender's list of 12 of 5,000 items, shuffled, has the same P@12.
    """
    if sample.only_retrieved:
        return "A table of sklearn_ap.readers has only the rows that were retrieved"
    rankings, cut = sample.rankings, rule.depth
    if cut is None or cut.is_share or not rankings.is_grouped:
        return ""
    counts_mass = rankings.weight is not None and not cut.by_rows
    if counts_mass or (rankings.sizes > cut.of(rankings.sizes)).any():
        return ""
    return f"None of the {sample.group_words} has more than k={cut} rows"


def _draw_orders(
    request: IntervalRequest, rankings: Rankings, values: Array, times: int
) -> tuple[Array, Array, Array]:
    """Draw random orders of all rankings, whose `values` are nan if they are left out of the mean.

    Return the mean over all rankings in each random order, and for each ranking the mean over
    random orders and the p-value of its value, both nan if it's left out. Each ranking has `times`
    orders, and the mean fewer of them if there are many groups, unless the caller chose the number.
    """
    rule, rng = request.rule, request.generator
    shapes = shapes_of(rankings)
    shares = shares_in_mean(rankings, values)
    grouped = _as_groups(rankings) if isinstance(rule, Graded) else rankings
    defined = np.flatnonzero(~np.isnan(values))
    means = np.zeros(min(times, request.n_resamples or _ORDERS))
    chances, pvalues = np.full(values.size, np.nan), np.full(values.size, np.nan)
    for places in _alike(rule, shapes, defined):
        table, exact = _table(rule, grouped, shapes, places[0], times, rng)
        table = fill_undefined(table, rankings.queries, request.quietly, rule)
        if exact is None or np.isnan(exact):  # nan is 0/0, which the table has replaced
            exact = table.mean()
        chances[places] = exact
        pvalues[places] = _pvalues(table, values[places], rule)
        for place in places:
            drawn = table
            if defined.size > 1:  # each ranking draws from the table independently of all others
                drawn = table[rng.integers(0, times, means.size)]
            means += shares[place] * drawn
    return means, chances, pvalues


def _group_chances(
    rankings: Rankings, values: Array, chances: Array, pvalues: Array
) -> tuple[GroupChance, ...]:
    """Compare each group, with p-values that are adjusted for all of them. All arrays have the
    shape (n_groups,), and values are nan for groups that are left out.
    """
    defined = ~np.isnan(values)
    adjusted = np.full(values.size, np.nan)
    if defined.any():
        adjusted[defined] = false_discovery_control(pvalues[defined])
    names = range(values.size) if rankings.names is None else rankings.names
    columns = values.tolist(), chances.tolist(), pvalues.tolist(), adjusted.tolist()
    return tuple(map(GroupChance, names, *columns))


def _few_orders(times: int, default: int, n_groups: int) -> Iterator[Note]:
    """Say if a single group can't have a low adjusted p-value with so many random orders."""
    least = min(n_groups / (1 + times), 1.0)
    if least >= 0.05:
        yield Note(
            "few_orders",
            f"With {times:,} random orders, no p can be below {1 / (1 + times):.2g}. If a single "
            f"group is better than chance, its adjusted p is at least {least:.2g}. Leave out "
            f"n_resamples to draw {default:,}.",
        )


def _alike(rule: Rule, shapes: list[Shape], defined: Array) -> list[Array]:
    """Divide the rankings at these places into those that share the values of random orders."""
    if isinstance(rule, Graded):  # which depends on all grades, so each ranking is alone
        return [np.array([place]) for place in defined.tolist()]
    by_shape: dict[Any, list[int]] = {}
    for place in defined.tolist():
        by_shape.setdefault(shapes[place].key, []).append(place)
    return [np.array(places) for places in by_shape.values()]


def _table(
    rule: Rule,
    rankings: Rankings,
    shapes: list[Shape],
    place: int,
    times: int,
    rng: np.random.Generator,
) -> tuple[Array, float | None]:
    """Return the values of random orders of a ranking, of shape (times,), and their exact mean, or
    None if it isn't known.

    For a graded rule, the rankings have to be groups.
    """
    if not isinstance(rule, Graded):
        return in_orders(rule, shapes[place], times, rng), mean_value(rule, shapes[place])
    alone = _only_group(rankings, place)
    if not isinstance(rule, NDCG):
        return _in_row_orders(rule, alone, times, rng).ravel(), None
    exact = float(_if_tied(rule, alone).item())
    return graded_in_orders(rule, alone, times, rng), exact


def _only_group(rankings: Rankings, place: int) -> Rankings:
    """Return the rows of a single group, at this place among all, with what is counted for it."""
    rows = rankings.take(np.flatnonzero(rankings.group == place))
    n_positives, judged = rankings.n_positives, rankings.judged
    return replace(
        rows,
        group=np.zeros(rows.n_rows, np.int64),
        names=range(1),
        n_positives=None if n_positives is None else n_positives[[place]],
        judged=None if judged is None else judged._replace(counts=judged.counts[[place]]),
    )


def _as_groups(rankings: Rankings) -> Rankings:
    """Make a group of one ranking, or of each row, if scores have the shape
    (n_rankings, n_scores). Group i is row i, as everything else that a ranking has.
    """
    if rankings.group is not None:
        return rankings
    assert rankings.y_true is not None
    group = np.zeros(rankings.scores.shape, np.int64)
    if group.ndim == 2:  # the number of the row in each of its columns
        group += np.arange(len(group))[:, np.newaxis]
    return replace(
        rankings,
        labels=rankings.labels.ravel(),
        scores=rankings.scores.ravel(),
        y_true=rankings.y_true.ravel(),
        average="macro",
        group=group.ravel(),
        names=range(group.max(initial=0) + 1),
    )


def _if_tied(rule: Graded, rankings: Rankings) -> Array:
    """Evaluate all rows as tied, which is the mean over all orders for the rules that take it for
    tied rows.
    """
    return rule.of_groups(replace(rankings, scores=np.zeros(rankings.scores.shape)))


def _in_row_orders(rule: Rule, rankings: Rankings, times: int, rng: np.random.Generator) -> Array:
    """Shuffle scores within groups: return values of shape (times, n_rankings)."""
    group = np.zeros(rankings.n_rows, np.int64) if rankings.group is None else rankings.group
    # Rows sorted by group and at random within it take the scores, each group those of its rows.
    place_in_groups = np.argsort(np.argsort(group, kind="stable"))
    values = []
    for n_orders in block_sizes(times, max(_AT_ONCE // max(rankings.n_scores, 1), 1)):
        shuffled = np.argsort(group + rng.random((n_orders, rankings.n_rows)), axis=1)
        scores = rankings.scores[shuffled[:, place_in_groups]]
        copies = _with_scores(rankings, group, scores)
        values.append(valued(rule, copies).values.reshape(n_orders, -1))
    return np.concatenate(values)


def _with_scores(rankings: Rankings, group: Array, scores: Array) -> Rankings:
    """Return a copy of all rankings for each of these scores, of shape (n_copies, n_rows) or
    (n_copies, n_rows, n_columns). In copies, rankings are groups.

    `group` is that of each row, 0 without groups.
    """
    n_copies, n_rankings = len(scores), rankings.found.size
    n_positives, judged = rankings.n_positives, rankings.judged
    if judged is not None:
        judged = judged._replace(counts=np.tile(judged.counts, (n_copies, 1)))

    def repeated(column: Any) -> Any:
        """Repeat a column of rows or scores for each copy, and that of rows in each column."""
        if column is None:
            return None
        if column.ndim < scores.ndim - 1:  # scores have several columns
            column = column[:, np.newaxis]
        return np.broadcast_to(column, scores.shape).ravel()

    ranking = group
    if rankings.by_column:
        ranking = np.indices(rankings.scores.shape)[1]  # the column
    copy = np.arange(n_copies).repeat(scores[0].size)  # of each score
    return Rankings(
        labels=repeated(rankings.labels),
        scores=scores.ravel(),
        weight=repeated(rankings.weight),
        average="macro",
        n_positives=None if n_positives is None else np.tile(n_positives, n_copies),
        group=repeated(ranking) + n_rankings * copy,
        names=range(n_rankings * n_copies),
        y_true=repeated(rankings.y_true),
        judged=judged,
    )


def _pvalues(drawn: Array, values: Array, rule: Rule) -> Array:
    """Compute the proportion of orders at least as good, of which the one at hand is one.

    `drawn` are the values of random orders, and `values` of shape (n_values,) those to compare with
    all of them.
    """
    in_order = np.sort(rule.sign * drawn)
    least = rule.sign * values - ROUNDING * np.abs(values)
    n_worse = in_order.searchsorted(least)
    return np.asarray((1 + drawn.size - n_worse) / (1 + drawn.size))


class AtRandom(Shared):
    """What random rankings of the same rows get, which is computed when it's asked for, and drawn
    only if there is no closed form.

    Pickles leave the rows behind, but what is known of them is computed before.
    """

    _rankings: Rankings  # which pickles lack

    def __init__(self, request: IntervalRequest, sample: Sample) -> None:
        self._request, self._sample = request, sample
        self._rule, self._rankings = request.rule, sample.rankings

    def __getstate__(self) -> dict[str, Any]:
        known = "exact", "mean", "filled_with", "is_of_groups", "has_all"
        return {name: getattr(self, name) for name in known}

    @cached_property
    def is_of_groups(self) -> bool:
        """Whether it's a mean over groups without clusters."""
        return self._sample.by_query and self._sample.clusters is None

    @cached_property
    def has_all(self) -> bool:
        """Whether the rows have candidates that weren't retrieved, too."""
        return why_no_baseline(self._rule, self._sample) == ""

    @cached_property
    def exact(self) -> float | None:
        """The mean in closed form; None if there is none, so that orders have to be drawn, and nan
        if nothing is known, as of a function.
        """
        rule, rankings = self._rule, self._rankings
        if isinstance(rule, OfGroup) or not rankings.n_rows:
            return np.nan
        if isinstance(rule, Graded):
            n_positives = valued(rule, rankings).n_positives
            return self._averaged(_if_tied(rule, rankings), n_positives)
        if not have_shapes(rankings):
            return None
        shapes = shapes_of(rankings)
        distinct = {shape.key: shape for shape in shapes}
        means = {key: mean_value(rule, shape) for key, shape in distinct.items()}
        if None in means.values():
            return None
        values = np.array([means[shape.key] for shape in shapes], float)
        return self._averaged(values, np.array([shape.exist for shape in shapes]))

    def _averaged(self, values: Array, n_positives: Array) -> float:
        """Average the values of all rankings as the metric does."""
        rule, queries = self._rule, self._rankings.queries
        with heard_by(lambda *_: None):  # as the value has warned
            return float(average_values(rule, values, n_positives, queries, self._request.quietly))

    @cached_property
    def filled_with(self) -> float | None:
        """The lowest score, if missing ones may have been filled with it, because many rows have
        it, or because a score is huge; None otherwise.
        """
        scores = self._rankings.scores
        lowest = scores.min()
        is_likely = np.count_nonzero(scores == lowest) > _FILLED or np.abs(scores).max() > _HUGE
        return float(lowest) if is_likely else None

    @cached_property
    def mean(self) -> float:
        return self.near(np.nan)

    def near(self, value: float) -> float:
        """Return the mean, from no more random orders than tell it apart from a value; with nan,
        from so many that its standard error is small. The orders are always the same.
        """
        if self.exact is not None:
            return self.exact
        if not hasattr(self, "_rankings"):
            return self.mean
        rng, drawn = np.random.default_rng(0), np.zeros(0)
        for times in _numbers_of_orders():
            drawn = np.append(drawn, self._draw(times - drawn.size, rng))
            mean, error = float(drawn.mean()), float(drawn.std()) / sqrt(times)
            is_exact = times >= _FEWEST and error <= _ENOUGH
            is_clear = error < abs(mean - value) / _CLEARLY  # never, if the value is nan
            if np.ptp(drawn) and (is_exact or is_clear):  # or else another value may be rare
                break
            if times * self._rankings.n_scores >= _MOST_SCORES:
                break
        return mean

    def rarely_has(self, value: float) -> bool:
        """Whether less than .5% of random orders have a mean as low as this value, which only rows
        can tell.
        """
        if not hasattr(self, "_rankings"):
            return False
        rng, drawn = np.random.default_rng(0), np.zeros(0)
        for times in _TIMES:
            drawn = np.append(drawn, self._draw(times - drawn.size, rng))
            n_low = np.count_nonzero(drawn <= value + ROUNDING * abs(value))
            if 1 + n_low >= _RARELY * (1 + _TIMES[-1]):
                return False
            if times * self._rankings.n_scores >= _MOST_SCORES:  # means are nearly normal
                return bool(drawn.mean() + float(ndtri(_RARELY)) * drawn.std() > value)
        return True

    def _draw(self, times: int, rng: np.random.Generator) -> Array:
        """Return the mean over all rankings in each of so many random orders, of shape (times,)."""
        if isinstance(self._rule, Graded) or not have_shapes(self._rankings):
            return self._of_rows(times, rng)
        return self._of_shapes(times, rng)

    def _of_shapes(self, times: int, rng: np.random.Generator) -> Array:
        """Draw values of all rankings. Those of one shape have the same orders, but not at once."""
        shapes = shapes_of(self._rankings)
        # Without positives, some metrics are 0, and others are 0/0, which may be left out. Nothing
        # else about the values matters for the shares.
        nowhere = np.zeros((1, 0), np.int64)
        values = []
        for shape in shapes:
            empty = 0.0 if shape.exist else self._rule.values(shape.points(nowhere)).item()
            values.append(empty)
        filled = np.where(np.isnan(values), self._request.quietly, values).astype(float)
        shares = shares_in_mean(self._rankings, filled).tolist()
        of_shape: dict[Any, Array] = {}
        means = np.zeros(times)
        for shape, share in zip(shapes, shares, strict=True):
            if not share:
                continue
            if shape.key not in of_shape:
                drawn = in_orders(self._rule, shape, times, rng)
                of_shape[shape.key] = np.where(np.isnan(drawn), self._request.quietly, drawn)
            means += share * rng.permutation(of_shape[shape.key])
        return means

    def _of_rows(self, times: int, rng: np.random.Generator) -> Array:
        """Draw values of rows that keep their labels and weights."""
        rankings = self._rankings
        unweighted = rankings
        if rankings.average == "samples":  # weights are those of rankings, as in the shares
            unweighted = replace(_as_groups(rankings), weight=None)
        drawn = _in_row_orders(self._rule, _sorted(unweighted), times, rng)
        drawn = np.where(np.isnan(drawn), self._request.quietly, drawn).astype(float)
        shares = shares_in_mean(rankings, drawn[0])  # what is nan is so in all orders
        return np.asarray(np.nan_to_num(drawn) @ shares)


def _sorted(rankings: Rankings) -> Rankings:
    """Sort the rows, so that the same orders are drawn whatever their order is."""
    keys: list[Array] = []
    for column in (rankings.scores, rankings.labels, rankings.weight, rankings.group):
        if column is not None:
            keys.extend(np.atleast_2d(column.T))
    return rankings.take(np.lexsort(keys))


def have_shapes(rankings: Rankings) -> bool:
    """Whether the samples of each ranking differ by labels and scores only."""
    if rankings.average == "samples":
        return True
    return rankings.average != "micro" and (
        rankings.weight is None or bool((rankings.weight == 1).all())
    )


def shares_in_mean(rankings: Rankings, values: Array) -> Array:
    """Return the weight of each ranking in the mean, 0 for those whose values are nan. They add up
    to 1 unless all are 0.
    """
    weight = rankings.queries.weight
    if rankings.average == "weighted":
        weight = rankings.found if rankings.n_positives is None else rankings.n_positives
    weight = np.ones(values.size) if weight is None else weight
    weight = np.where(np.isnan(values), 0.0, weight)
    return np.asarray(weight / (weight.sum() or 1))


def _numbers_of_orders() -> Iterator[int]:
    """Yield how many orders to draw in all, if those so far aren't enough."""
    times = _FIRST
    while times < _MOST:
        yield times
        times *= 2
    yield _MOST


# Users import the results from where the functions are that return them.
for _result in (ChanceComparison, GroupChance):
    _result.__module__ = "sklearn_ap.inference"
