"""What random rankings get, and whether a value is beyond that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any

import numpy as np
from scipy.stats import false_discovery_control

from .._evaluate.value import average_values, evaluate, fill_undefined, score
from .._read.units import Sample
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
from ..core.chance import Shape, in_orders, mean_value, shapes_of
from ..core.rankings import Elsewhere, Rankings
from ..core.rules import OfGroup, Rule
from ..core.runs import Array
from ..core.spread import ROUNDING
from .requests import IntervalRequest

_FIRST, _MOST = 20, 10_000  # random orders
_ENOUGH = 0.0003  # the standard error of a mean over random orders
_ORDERS, _ORDERS_PER_GROUP = 9999, 20  # of which p-values are made
_CALLS = 1000  # copies of a group that a function is called for at once
_MOST_PRINTED = 10  # groups at each end of a table


@dataclass(frozen=True, eq=False)
class GroupChance(Value):
    """One group compared with random rankings: a row of `ChanceComparison`."""

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

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> ap.compare_chance(y_true, y_score, random_state=0)
    Average precision 0.771, random 0.634: +0.137, p = 0.244 (9,999 random
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
        each = evaluate(rule, rankings)[1]
        values = fill_undefined(each, rankings.queries, request.quietly, rule)
    shares = shares_of(rankings, values)
    counted = np.flatnonzero(~np.isnan(values))
    wanted = max(_ORDERS, _ORDERS_PER_GROUP * counted.size)
    times = request.n_resamples or wanted
    together = min(times, request.n_resamples or _ORDERS)  # orders of all groups
    rng, total = request.generator, np.zeros(together)
    chances, pvalues = np.full(values.size, np.nan), np.full(values.size, np.nan)
    for places in _alike(rule, shapes, counted):
        table, known = _table(rule, rankings, shapes, places[0], times, rng)
        table = fill_undefined(table, rankings.queries, request.quietly, rule)
        exact = known is not None and known == known  # or else 0/0, which the table replaces
        chances[places] = known if exact else table.mean()
        pvalues[places] = _pvalues(table, values[places], rule)
        for place in places:
            drawn = table if counted.size == 1 else table[rng.integers(0, times, together)]
            total += shares[place] * drawn
    kept = shares > 0
    chance = float(shares[kept] @ chances[kept]) if counted.size else np.nan
    rows: tuple[GroupChance, ...] = ()
    if rankings.average != "binary":
        adjusted = np.full(values.size, np.nan)
        adjusted[counted] = false_discovery_control(pvalues[counted]) if counted.size else []
        names = range(values.size) if rankings.names is None else rankings.names
        columns = (each.tolist() for each in (values, chances, pvalues, adjusted))
        rows = tuple(map(GroupChance, names, *columns))
    is_mean = rankings.average != "binary"
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
        notes=(_few_orders(times, wanted),) if rows and times < wanted - 1 else (),
        places=rule.decimals,
    )


def _few_orders(times: int, wanted: int) -> Note:
    return Note(
        "few_orders",
        f"With {times:,} random orders, no p can be below {1 / (1 + times):.2g}, so few groups can "
        f"have a low adjusted p. Leave out n_resamples to draw {wanted:,}.",
    )


def _alike(rule: Rule, shapes: list[Shape], counted: Array) -> list[Array]:
    """Divide rankings into those that share the values of random orders."""
    if isinstance(rule, OfGroup):
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
    if not isinstance(rule, OfGroup):
        return in_orders(rule, shapes[place], times, rng), mean_value(rule, shapes[place])
    rows = rankings.take(np.flatnonzero(rankings.group == place))
    size, found = rows.n_rows, []
    for start in range(0, times, _CALLS):
        number = min(_CALLS, times - start)
        again = rows.take(np.tile(np.arange(size), number))
        scores = rng.permuted(again.scores.reshape(number, size), axis=1).ravel()
        group, names = np.repeat(np.arange(number), size), range(number)
        copies = replace(again, scores=scores, group=group, names=names, n_positives=None)
        found.append(evaluate(rule, copies)[1])
    return np.concatenate(found), None


def _pvalues(drawn: Array, values: Array, rule: Rule) -> Array:
    """Compute the proportion of orders at least as good, of which the one at hand is one."""
    sign = 1 if rule.greater_is_better else -1
    in_order = np.sort(sign * drawn)
    least = sign * values - ROUNDING * np.abs(values)
    return np.asarray((1 + drawn.size - in_order.searchsorted(least)) / (1 + drawn.size))


def chance_of(request: IntervalRequest, sample: Sample) -> float:
    """Compute the mean value if the scores are shuffled among the rows of each ranking.

    It is nan if the rows aren't in memory, and for functions, whose calls can take long.
    """
    rule, rankings = request.rule, sample.rankings
    if isinstance(rule, OfGroup) or isinstance(rankings, Elsewhere) or not rankings.n_rows:
        return np.nan
    with heard_by(lambda *_: None):  # as the value has warned
        if not have_shapes(rankings):
            return _mean_of(_shuffled(rule, rankings, request))
        shapes = shapes_of(rankings)
        exist = np.array([shape.exist for shape in shapes])
        means: dict[Any, float | None] = {each.key: mean_value(rule, each) for each in shapes}
        if None in means.values():
            undefined = np.where(exist > 0, 0.0, float(request.quietly))
            means = {**_drawn_means(rule, shapes, shares_of(rankings, undefined))}
        values = np.array([means[shape.key] for shape in shapes], float)
        given = rule, values, exist, rankings.queries, request.quietly
        return float(average_values(*given))


def have_shapes(rankings: Rankings) -> bool:
    """Whether the samples of each ranking differ by labels and scores only."""
    if rankings.average == "samples":
        return True
    return rankings.average != "micro" and (
        rankings.weight is None or bool((rankings.weight == 1).all())
    )


def shares_of(rankings: Rankings, values: Array) -> Array:
    """Return the weight of each ranking in the mean, 0 for those whose values are nan."""
    weight = rankings.queries.weight
    if rankings.average == "weighted":
        weight = rankings.found if rankings.n_positives is None else rankings.n_positives
    weight = np.ones(values.size) if weight is None else weight
    weight = np.where(np.isnan(values), 0.0, weight)
    return np.asarray(weight / (weight.sum() or 1))


def _drawn_means(rule: Rule, shapes: list[Shape], shares: Array) -> dict[Any, float]:
    """Estimate the mean value of each shape from random orders, until that of all is known."""
    rng = np.random.default_rng(0)
    share: dict[Any, float] = {}
    for shape, own in zip(shapes, shares.tolist(), strict=True):
        share[shape.key] = share.get(shape.key, 0.0) + own
    distinct = {shape.key: shape for shape in shapes}
    values: dict[Any, Array] = {key: np.zeros(0) for key in distinct}
    for times in _times():
        for key, shape in distinct.items():
            more = in_orders(rule, shape, times - values[key].size, rng)
            values[key] = np.append(values[key], more)
        variance = sum(share[key] ** 2 * np.nan_to_num(each).var() for key, each in values.items())
        if variance <= times * _ENOUGH**2:
            break
    return {key: float(each.mean()) for key, each in values.items()}


def _times() -> Iterator[int]:
    """Yield how many orders to draw in all, if those so far aren't enough."""
    times = _FIRST
    while times < _MOST:
        yield times
        times *= 2
    yield _MOST


def _shuffled(rule: Rule, rankings: Rankings, request: IntervalRequest) -> Iterator[float]:
    """Yield the values of random orders of rows that keep their labels and weights."""
    rng = np.random.default_rng(0)
    group = np.zeros(rankings.n_rows, np.int64) if rankings.group is None else rankings.group
    back = np.argsort(np.argsort(group, kind="stable"))
    while True:
        order = rng.permutation(rankings.n_rows)
        order = order[np.argsort(group[order], kind="stable")][back]
        yield score(rule, replace(rankings, scores=rankings.scores[order]), request.quietly)


def _mean_of(values: Iterator[float]) -> float:
    found: list[float] = []
    for times in _times():
        found += [next(values) for _ in range(times - len(found))]
        if np.std(found) <= sqrt(times) * _ENOUGH:
            break
    return float(np.mean(found))


# Users import the results from where the functions are that return them.
for _result in (ChanceComparison, GroupChance):
    _result.__module__ = "sklearn_ap.inference"
