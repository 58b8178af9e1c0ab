"""What random rankings get, and whether a value is beyond that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import false_discovery_control

from .._evaluate.value import average_values, fill_undefined, score, valued
from .._read.sampling_units import Sample
from .._show.results import (
    Note,
    Printed,
    Result,
    Value,
    one_line,
    paragraph,
    printed_notes,
    rounded_p,
    signed,
)
from .._words.messages import heard_by
from .._words.names import mean_title, written
from .._words.parameters import text_of
from ..core.random_rankings import (
    Shape,
    block_sizes,
    follows_from_counts,
    graded_in_orders,
    in_orders,
    mean_value,
    shapes_of,
)
from ..core.rankings import Rankings
from ..core.rules import NDCG, Bpref, Graded, OfGroup, Rule
from ..core.spread import ROUNDING
from ..core.within import Array
from .requests import IntervalRequest

_FIRST, _FEWEST, _MOST = 5, 20, 10_000  # random orders
_MOST_SCORES = 2**26  # that are shuffled in all of them, which takes half a minute
_RARELY, _TIMES = 0.005, (20, 200, 999)  # values this low are unlikely in so many random orders
_ENOUGH = 0.0003  # the standard error of a mean over random orders
_CLEARLY = 6  # standard errors from a value are enough to tell on which side of it a mean is
_ORDERS, _ORDERS_PER_GROUP = 9999, 20  # of which p-values are made
_AT_ONCE = 2**18  # scores that are shuffled together
_FILLED, _HUGE = 20, 1e30  # rows with the lowest score, or a score, that suggest a filled value
_MOST_PRINTED = 10  # groups at each end of a table


@dataclass(frozen=True, eq=False)
class GroupChance(Value):
    """One group compared with random rankings: a row of `ChanceComparison`.

    See Also
    --------
    sklearn_ap.compare_chance : Compare a value with those of random rankings.

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
        The one-sided p-value: the proportion of random orders that are at least as good, where your
        own order counts as one of them.
    method : str
        "random orders".
    metric : str
        The name of the metric, such as "Average precision".
    n_resamples, random_state : int
        The number of random orders, and the seed that gives the same ones again.
    rows : tuple
        With groups, one row for each, with the attributes `group`, `value`, `chance`, `pvalue` and
        `adjusted_pvalue`, which controls the false discovery rate.
    notes : tuple of Note
        What the result says besides its numbers. Each note has a `code`, such as "few_orders", and
        a `text`.

    See Also
    --------
    sklearn_ap.compare_chance : Compare a value with those of random rankings.

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
        found = super()._rows()[0]
        return found.pop("rows") or [found]

    def _said(self) -> str:
        value, chance = (f"{each:z.{self.places}f}" for each in (self.value, self.chance))
        p = f"p = {rounded_p(self.pvalue)}".replace("= <", "<")
        difference = signed(self.difference, self.places)
        orders = f"{self.n_resamples:,} random orders"
        return f"{self.metric} {value}, random {chance}: {difference}, {p} ({orders})"

    def __str__(self) -> str:
        below = ""
        if self.rows:
            least = min((row.adjusted_pvalue for row in self.rows), default=1.0)
            found = sum(row.adjusted_pvalue < 0.05 for row in self.rows)
            below = f"{found:,} of {len(self.rows):,} groups have an adjusted p below 0.05"
            below += f", the lowest of which is {rounded_p(least)}." if found else "."
        texts = [self._said(), *[below] * bool(below), *printed_notes(self.notes)]
        return "\n".join(map(paragraph, texts))

    def _printed(self) -> Printed:
        places = self.places
        if not self.rows:
            only = [f"{each:z.{places}f}" for each in (self.value, self.chance)]
            only += [signed(self.difference, places), rounded_p(self.pvalue)]
            header = ["value", "random", "difference", "p"]
            title = f"{self.metric} ({self.n_resamples:,} random orders)"
            return Printed(header, [("", "", [only])], title, printed_notes(self.notes))
        cells = [
            [
                one_line(text_of(row.group)),
                *(f"{each:z.{places}f}" for each in (row.value, row.chance)),
                *map(rounded_p, (row.pvalue, row.adjusted_pvalue)),
            ]
            for row in self.rows
        ]
        if len(cells) > 2 * _MOST_PRINTED + 1:
            cells[_MOST_PRINTED:-_MOST_PRINTED] = [["…"] * 5]
        header = ["group", "value", "random", "p", "adjusted p"]
        return Printed(header, [("", "", cells)], self._said(), printed_notes(self.notes))


def against_chance(request: IntervalRequest, sample: Sample) -> ChanceComparison:
    """Compare the value of checked input with those of random orders of each ranking."""
    rule, rankings = request.rule, sample.rankings
    if rankings.average not in ("binary", "samples") and rankings.group is None:
        raise ValueError(
            "compare_chance needs one ranking, or groups of rows. Pass one class at a time, as in "
            "y_true == label."
        )
    value = float(score(rule, rankings, request.zero_division))
    shapes = shapes_of(rankings)
    with heard_by(lambda *_: None):  # as the value has warned
        each = valued(rule, rankings).values
        values = fill_undefined(each, rankings.queries, request.quietly, rule)
    parts = parts_in_mean(rankings, values)
    read = _as_groups(rankings) if isinstance(rule, Graded) else rankings
    counted = np.flatnonzero(~np.isnan(values))
    wanted = max(_ORDERS, _ORDERS_PER_GROUP * counted.size)
    times = request.n_resamples or wanted
    together = min(times, request.n_resamples or _ORDERS)  # orders of all groups
    rng, total = request.generator, np.zeros(together)
    chances, pvalues = np.full(values.size, np.nan), np.full(values.size, np.nan)
    for places in _alike(rule, shapes, counted):
        table, known = _table(rule, read, shapes, places[0], times, rng)
        table = fill_undefined(table, rankings.queries, request.quietly, rule)
        exact = known is not None and known == known  # or else 0/0, which the table replaces
        chances[places] = known if exact else table.mean()
        pvalues[places] = _pvalues(table, values[places], rule)
        for place in places:
            drawn = table if counted.size == 1 else table[rng.integers(0, times, together)]
            total += parts[place] * drawn
    kept = parts > 0
    chance = float(parts[kept] @ chances[kept]) if counted.size else np.nan
    is_mean = rankings.average != "binary"
    rows = _group_chances(rankings, values, chances, pvalues) if is_mean else ()
    return ChanceComparison(
        value=value,
        chance=chance,
        difference=value - chance,
        pvalue=_pvalues(total, np.array([value]), rule).item() if counted.size else np.nan,
        method="random orders",
        metric=mean_title(rule, rankings.average) if is_mean else written(rule),
        n_resamples=times,
        random_state=request.seed,
        rows=rows,
        notes=tuple(_few_orders(times, wanted, counted.size)) if rows else (),
        places=rule.decimals,
    )


def _group_chances(
    rankings: Rankings, values: Array, chances: Array, pvalues: Array
) -> tuple[GroupChance, ...]:
    """Compare each group, with p-values that are adjusted for all of them."""
    counted, adjusted = np.flatnonzero(~np.isnan(values)), np.full(values.size, np.nan)
    adjusted[counted] = false_discovery_control(pvalues[counted]) if counted.size else []
    names = range(values.size) if rankings.names is None else rankings.names
    columns = (each.tolist() for each in (values, chances, pvalues, adjusted))
    return tuple(map(GroupChance, names, *columns))


def _few_orders(times: int, wanted: int, n_groups: int) -> Iterator[Note]:
    """Say if a single group can't have a low adjusted p-value."""
    least = min(n_groups / (1 + times), 1.0)
    if least >= 0.05:
        yield Note(
            "few_orders",
            f"With {times:,} random orders, no p can be below {1 / (1 + times):.2g}. If a single "
            f"group is better than chance, its adjusted p is at least {least:.2g}. Leave out "
            f"n_resamples to draw {wanted:,}.",
        )


def _alike(rule: Rule, shapes: list[Shape], counted: Array) -> list[Array]:
    """Divide rankings into those that share the values of random orders."""
    if isinstance(rule, Graded):
        return [np.array([place]) for place in counted.tolist()]
    places: dict[Any, list[int]] = {}
    for place in counted.tolist():
        places.setdefault(shapes[place].key, []).append(place)
    return [np.array(each) for each in places.values()]


def _table(
    rule: Rule,
    rankings: Rankings,
    shapes: list[Shape],
    place: int,
    times: int,
    rng: np.random.Generator,
) -> tuple[Array, float | None]:
    """Return the values of random orders of a ranking, and their exact mean, if it is known."""
    if not isinstance(rule, Graded):
        return in_orders(rule, shapes[place], times, rng), mean_value(rule, shapes[place])
    rows = rankings.take(np.flatnonzero(rankings.group == place))
    exist, judged = rankings.n_positives, rankings.judged
    alone = replace(
        rows,
        group=np.zeros(rows.n_rows, np.int64),
        names=range(1),
        n_positives=None if exist is None else exist[[place]],
        judged=None if judged is None else judged._replace(counts=judged.counts[[place]]),
    )
    if not isinstance(rule, NDCG | Bpref):
        return _in_row_orders(rule, alone, times, rng).ravel(), None
    known = float(_if_tied(rule, alone).item())
    n_judged = rule.documents(alone)[0].size
    if n_judged < alone.n_rows and np.unique(alone.scores).size < alone.n_rows:
        # How many judged rows are tied depends on the order.
        return _in_row_orders(rule, alone, times, rng).ravel(), known
    return graded_in_orders(rule, alone, times, rng), known


def _as_groups(rankings: Rankings) -> Rankings:
    """Make a group of one ranking, or of each row."""
    if rankings.group is not None:
        return rankings
    assert rankings.given is not None
    group = np.zeros(rankings.scores.shape, np.int64)
    if group.ndim == 2:
        group += np.arange(len(group))[:, np.newaxis]
    return replace(
        rankings,
        labels=rankings.labels.ravel(),
        scores=rankings.scores.ravel(),
        given=rankings.given.ravel(),
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
    back = np.argsort(np.argsort(group, kind="stable"))
    found = []
    for number in block_sizes(times, max(_AT_ONCE // max(rankings.n_scores, 1), 1)):
        order = np.argsort(group + rng.random((number, rankings.n_rows)), axis=1)[:, back]
        copies = _with_scores(rankings, group, rankings.scores[order])
        found.append(valued(rule, copies).values.reshape(number, -1))
    return np.concatenate(found)


def _with_scores(rankings: Rankings, group: Array, scores: Array) -> Rankings:
    """Return a copy of all rankings for each of these scores. In copies, rankings are groups."""
    exist, judged, n_rankings = rankings.n_positives, rankings.judged, rankings.found.size
    if judged is not None:
        judged = judged._replace(counts=np.tile(judged.counts, (len(scores), 1)))
    own = np.indices(rankings.scores.shape)[1] if rankings.by_column else group
    first = n_rankings * np.arange(len(scores)).reshape(-1, *[1] * (scores.ndim - 1))

    def repeated(column: Any) -> Any:
        if column is None:
            return None
        each = column if column.ndim == scores.ndim - 1 else column[:, np.newaxis]
        return np.broadcast_to(each, scores.shape).ravel()

    return Rankings(
        labels=repeated(rankings.labels),
        scores=scores.ravel(),
        weight=repeated(rankings.weight),
        average="macro",
        n_positives=None if exist is None else np.tile(exist, len(scores)),
        group=repeated(own) + np.broadcast_to(first, scores.shape).ravel(),
        names=range(n_rankings * len(scores)),
        given=repeated(rankings.given),
        judged=judged,
    )


def _pvalues(drawn: Array, values: Array, rule: Rule) -> Array:
    """Compute the proportion of orders at least as good, of which the one at hand is one."""
    in_order = np.sort(rule.sign * drawn)
    least = rule.sign * values - ROUNDING * np.abs(values)
    return np.asarray((1 + drawn.size - in_order.searchsorted(least)) / (1 + drawn.size))


class _KnownChance(NamedTuple):
    """What pickles keep of random rankings."""

    exact: float | None
    mean: float
    filled_with: float | None
    is_of_groups: bool


class AtRandom:
    """What random rankings of the same rows get, which is drawn only if there is no closed form.

    Pickles leave the rows behind, but what is known of them is computed before.
    """

    def __init__(self, *known: Any) -> None:
        self._known = _KnownChance(*known)

    @classmethod
    def of(cls, request: IntervalRequest, sample: Sample) -> AtRandom:
        return _OfRows(request, sample)

    @property
    def exact(self) -> float | None:
        """The mean in closed form, None without one, and nan for functions, or without rows."""
        return self._known.exact

    @property
    def mean(self) -> float:
        return self._known.mean

    @property
    def filled_with(self) -> float | None:
        """The lowest score, if missing ones may have been filled with it."""
        return self._known.filled_with

    @property
    def is_of_groups(self) -> bool:
        """Whether it's a mean over groups without clusters."""
        return self._known.is_of_groups

    @property
    def needs_rows(self) -> bool:
        """Whether it isn't known because the rows stayed where they are."""
        return False

    def near(self, value: float) -> float:
        """Return the mean, from no more random orders than tell it apart from a value."""
        return self.mean

    def rarely_has(self, value: float) -> bool:
        """Whether the mean over groups is rarely as low as a value, which only rows can tell."""
        return False


class _OfRows(AtRandom):
    """What random rankings get, computed from the rows when it's asked for."""

    def __init__(self, request: IntervalRequest, sample: Sample) -> None:
        self._rule, self._undefined = request.rule, request.quietly
        self._evidence = sample.evidence
        self._is_of_groups = sample.by_query and sample.clusters is None

    def __reduce__(self) -> tuple[Any, ...]:
        return AtRandom, (self.exact, self.mean, self.filled_with, self.is_of_groups)

    def __copy__(self) -> AtRandom:
        return self

    def __deepcopy__(self, memo: Any) -> AtRandom:
        return self

    @property
    def is_of_groups(self) -> bool:
        return self._is_of_groups

    @property
    def needs_rows(self) -> bool:
        evidence = self._evidence
        is_known = isinstance(self._rule, OfGroup) or evidence.has_rows or not evidence.n_rows
        return not is_known and self.exact != self.exact

    @cached_property
    def exact(self) -> float | None:
        rule, evidence = self._rule, self._evidence
        if isinstance(rule, OfGroup) or not evidence.n_rows:
            return np.nan
        if not evidence.has_rows:
            return self._of_counts()
        if isinstance(rule, Graded):
            values, exist = _if_tied(rule, evidence.rows), valued(rule, evidence).n_positives
        elif have_shapes(evidence.rows):
            shapes = shapes_of(evidence.rows)
            keys = [shape.key for shape in shapes]
            distinct = dict(zip(keys, shapes, strict=True))
            means = {key: mean_value(rule, shape) for key, shape in distinct.items()}
            if None in means.values():
                return None
            values = np.array([means[key] for key in keys], float)
            exist = np.array([shape.exist for shape in shapes])
        else:
            return None
        return self._averaged(values, exist)

    def _of_counts(self) -> float:
        """Return the mean if it follows from the numbers of rows and positives; nan otherwise."""
        evidence, rule = self._evidence, self._rule
        is_weighted = evidence.weights is not None and np.any(evidence.weights != 1)
        if is_weighted or not follows_from_counts(rule):
            return np.nan
        found = evidence.positive_rows
        exist = found if evidence.n_positives is None else evidence.n_positives
        counts = np.stack([evidence.sizes, found, exist], axis=1)
        distinct, place = np.unique(counts, axis=0, return_inverse=True)
        means = [mean_value(rule, Shape.counted(*row)) for row in distinct.tolist()]
        return self._averaged(np.array(means, float)[place.ravel()], exist)

    def _averaged(self, values: Array, exist: Array) -> float:
        rule, queries = self._rule, self._evidence.queries
        with heard_by(lambda *_: None):  # as the value has warned
            return float(average_values(rule, values, exist, queries, self._undefined))

    @cached_property
    def filled_with(self) -> float | None:
        if not self._evidence.has_rows:
            return None
        scores = self._evidence.rows.scores
        lowest = scores.min()
        is_likely = np.count_nonzero(scores == lowest) > _FILLED or np.abs(scores).max() > _HUGE
        return float(lowest) if is_likely else None

    @cached_property
    def mean(self) -> float:
        return self.near(np.nan)

    def near(self, value: float) -> float:
        if self.exact is not None:
            return self.exact
        rng, drawn = np.random.default_rng(0), np.zeros(0)
        for times in _numbers_of_orders():
            drawn = np.append(drawn, self._draw(times - drawn.size, rng))
            mean, error = float(drawn.mean()), float(drawn.std()) / sqrt(times)
            is_exact = times >= _FEWEST and error <= _ENOUGH
            is_clear = error < abs(mean - value) / _CLEARLY
            if np.ptp(drawn) and (is_exact or is_clear):  # other values may be rare
                break
            if times * self._evidence.n_scores >= _MOST_SCORES:
                break
        return mean

    def rarely_has(self, value: float) -> bool:
        if not self._evidence.has_rows:
            return False
        rng, drawn = np.random.default_rng(0), np.zeros(0)
        for times in _TIMES:
            drawn = np.append(drawn, self._draw(times - drawn.size, rng))
            n_low = np.count_nonzero(drawn <= value + ROUNDING * abs(value))
            if 1 + n_low >= _RARELY * (1 + _TIMES[-1]):
                return False
            if times * self._evidence.n_scores >= _MOST_SCORES:  # means are nearly normal
                return bool(drawn.mean() + float(ndtri(_RARELY)) * drawn.std() > value)
        return True

    def _draw(self, times: int, rng: np.random.Generator) -> Array:
        if isinstance(self._rule, Graded) or not have_shapes(self._evidence.rows):
            return self._of_rows(times, rng)
        return self._of_shapes(times, rng)

    def _of_shapes(self, times: int, rng: np.random.Generator) -> Array:
        """Draw values of all rankings. Those of one shape have the same orders, but not at once."""
        shapes = shapes_of(self._evidence.rows)
        # Without positives, some metrics are 0, and others are 0/0.
        nowhere = np.zeros((1, 0), np.int64)
        values = [
            0.0 if shape.exist else self._rule.values(shape.points(nowhere)).item()
            for shape in shapes
        ]
        filled = np.where(np.isnan(values), self._undefined, values).astype(float)
        parts = parts_in_mean(self._evidence.rows, filled).tolist()
        drawn: dict[Any, Array] = {}
        total = np.zeros(times)
        for shape, part in zip(shapes, parts, strict=True):
            if part and shape.key not in drawn:
                each = in_orders(self._rule, shape, times, rng)
                drawn[shape.key] = np.where(np.isnan(each), self._undefined, each)
            if part:
                total += part * rng.permutation(drawn[shape.key])
        return total

    def _of_rows(self, times: int, rng: np.random.Generator) -> Array:
        """Draw values of rows that keep their labels and weights."""
        rankings = self._evidence.rows
        of_each = rankings
        if rankings.average == "samples":  # weights are those of rankings
            of_each = replace(_as_groups(rankings), weight=None)
        drawn = _in_row_orders(self._rule, _sorted(of_each), times, rng)
        drawn = np.where(np.isnan(drawn), self._undefined, drawn).astype(float)
        parts = parts_in_mean(rankings, drawn[0])
        return np.asarray(np.nan_to_num(drawn) @ parts)


def _sorted(rankings: Rankings) -> Rankings:
    """Sort the rows, so that the same orders are drawn whatever their order is."""
    columns = rankings.scores, rankings.labels, rankings.weight, rankings.group
    keys = [row for column in columns if column is not None for row in np.atleast_2d(column.T)]
    return rankings.take(np.lexsort(keys))


def have_shapes(rankings: Rankings) -> bool:
    """Whether the samples of each ranking differ by labels and scores only."""
    if rankings.average == "samples":
        return True
    return rankings.average != "micro" and (
        rankings.weight is None or bool((rankings.weight == 1).all())
    )


def parts_in_mean(rankings: Rankings, values: Array) -> Array:
    """Return the weight of each ranking in the mean, 0 for those whose values are nan."""
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
