"""A data set, and the ways in which tools and people rank it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np

from .._finish import finish
from .._validation.labels import check_explained
from .._validation.rankings import check_rankings
from .._validation.samples import check_existing
from .._validation.undefined import fill_with_zero, warn_of_light_k
from ..core.cutoff import Cut, reached
from ..core.operating_points import OperatingPoints
from ..core.rankings import Queries, Rankings
from ..core.rules import Rule, Step
from ..core.segments import Array, sums
from .legacy import merge_neighbours
from .orders import Known, Order, Orders, ends
from .rules import StepOfFirst

T = TypeVar("T")


class Reading(Enum):
    """How the scores are read; the value is appended to the name of the definition."""

    EXACT = ""
    SINGLE = ", scores as float32"
    CLOSE_TIED = ", scores closer than 1e-8 tied"


class Slip(Enum):
    """What may have been ranked by mistake; the value is appended to the definition's name."""

    NONE = ""
    TURNED = ", scores negated"
    OTHER_CLASS = ", with the other class as positive"
    OTHER_CLASS_TURNED = ", with the other class as positive and scores negated"
    PREDICTED = ", predict() instead of scores"
    POOLED = ", all rows as one ranking"
    UNWEIGHTED = ", weights left out"
    RETRIEVED = ", groups without rows left out"
    FOUND_ONLY = ", missed positives not counted"

    @property
    def is_turned(self) -> bool:
        return self in (Slip.TURNED, Slip.OTHER_CLASS_TURNED)

    @property
    def is_of_other_class(self) -> bool:
        return self in (Slip.OTHER_CLASS, Slip.OTHER_CLASS_TURNED)


@dataclass(frozen=True)
class View:
    """What is ranked, and how its scores are read."""

    slip: Slip = Slip.NONE
    reading: Reading = Reading.EXACT


AS_GIVEN = View()


@dataclass(frozen=True)
class Value:
    """A value, and its range over the orders of tied samples that a tool leaves open."""

    at: float
    low: float
    high: float


@dataclass
class Sample:
    """A data set, with everything that was computed from it kept for reuse."""

    rankings: Rankings
    every_row: Rankings | None  # without weights, if there are any; and without `n_positives`
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, y_true: Any, y_score: Any, **given: Any) -> Self:
        """Check the input, and warn about undefined values as the metrics do."""
        rankings = check_rankings(y_true, y_score, **given)
        check_explained(rankings.labels)
        every_row = None
        if rankings.weight is not None:
            out = ("sample_weight", "n_positives")
            plain = {name: value for name, value in given.items() if name not in out}
            every_row = check_rankings(y_true, y_score, **plain)
        sample = cls(rankings, every_row)
        fill_with_zero(Step().values(sample.points()), rankings.names)  # for its warning
        return sample

    # --- properties ------------------------------------------------------------------------------

    @property
    def is_weighted(self) -> bool:
        return self.rankings.weight is not None

    @property
    def is_grouped(self) -> bool:
        return self.rankings.group is not None

    @property
    def unweighted(self) -> Rankings | None:
        """The rankings without weights, if there are weights and they can be left out."""
        return None if self.rankings.n_positives is not None else self.every_row

    @cached_property
    def all_have_weight(self) -> bool:
        """Whether no row has weight 0."""
        return self.every_row is None or self.every_row.scores.size == self.rankings.scores.size

    @cached_property
    def best_have_weight(self) -> bool:
        """Whether every group has a row with the highest score and a weight above 0."""
        if self.all_have_weight or self.every_row is None:
            return True
        if self.rankings.scores.dtype.kind not in "fiub":
            return False
        best, every = (_best_of_groups(each) for each in (self.rankings, self.every_row))
        return np.array_equal(best, every)

    @cached_property
    def has_unretrieved(self) -> bool:
        """Whether there are groups without rows."""
        return self.rankings.n_positives is not None and not self.n_rows.all()

    @cached_property
    def misses_positives(self) -> bool:
        """Whether positives exist that were not scored."""
        exist = self.rankings.n_positives
        return exist is not None and bool((exist > self.rankings.points(None).n_positives).any())

    @cached_property
    def distinct_scores(self) -> int:
        """The number of distinct scores, counting no further than 3."""
        scores, found = self.rankings.scores, 0
        while scores.size and found < 3:
            scores, found = scores[scores != scores[0]], found + 1
        return found

    @cached_property
    def slips(self) -> tuple[Slip, ...]:
        """The slips that could change a value on this data."""
        acts = {
            Slip.TURNED: True,
            Slip.OTHER_CLASS: True,
            Slip.OTHER_CLASS_TURNED: True,
            Slip.PREDICTED: self.threshold is not None and self.distinct_scores > 2,
            Slip.POOLED: self.is_grouped,
            Slip.UNWEIGHTED: self.unweighted is not None,
            Slip.RETRIEVED: self.has_unretrieved,
            Slip.FOUND_ONLY: self.misses_positives,
        }
        return tuple(slip for slip, does in acts.items() if does)

    @cached_property
    def n_rows(self) -> Array:
        """The number of samples in each query."""
        return _n_rows(self.rankings)

    def plainest(self, view: View, only_hits: bool) -> View:
        """Return the plainest view that is equivalent on this data.

        If only hits count, missed positives make no difference. Otherwise, all of them may be in
        groups without rows.
        """
        if view.slip is not Slip.FOUND_ONLY:
            return view
        all_in_groups = self.has_unretrieved and np.array_equal(
            self.points(replace(view, slip=Slip.RETRIEVED)).n_positives,
            self.points(view).n_positives,
        )
        if only_hits or all_in_groups:
            return replace(view, slip=Slip.RETRIEVED if self.has_unretrieved else Slip.NONE)
        return view

    def warn_of(self, cut: Cut | None) -> None:
        """Warn about a k that counts weight and is probably not what was meant."""
        warn_of_light_k(cut, self.points(), self.rankings.queries.sample_weight)

    def rows_of(self, cut: Cut) -> int | None:
        """Return k for a tool that counts rows; None if there is no single such number."""
        if not cut.is_share:
            return int(cut.k)
        rows = np.unique(cut.of(self.n_rows[self.n_rows > 0]))
        return int(rows[0]) if rows.size == 1 and (cut.by_rows or not self.is_weighted) else None

    # --- operating points ------------------------------------------------------------------------

    def points(self, view: View = AS_GIVEN, by_rows: bool = False) -> OperatingPoints:
        """Return the points of a view, which also count rows in addition to weights on request."""
        by_rows = by_rows and self.is_weighted_in(view)
        return self._once(("points", view, by_rows), lambda: self._points(view, by_rows))

    def _points(self, view: View, by_rows: bool) -> OperatingPoints:
        rankings = self._ranked(view)
        return self._existing(rankings.points(Cut(1, "samples") if by_rows else None), view)

    def _existing(self, points: OperatingPoints, view: View) -> OperatingPoints:
        """Count all positives that exist, unless the view ignores them."""
        if view.slip in (Slip.NONE, Slip.TURNED, Slip.PREDICTED, Slip.RETRIEVED):
            return check_existing(points, self._ranked(view))
        return points

    def first_points(self, view: View, rule: Rule) -> OperatingPoints:
        """Return the points of a view that a rule reads."""
        cut = rule.depth
        points = self.points(view, by_rows=cut is not None and cut.by_rows)
        if cut is None:
            return points
        return self._once(("first", view, cut), lambda: reached(points, cut))

    def is_weighted_in(self, view: View) -> bool:
        return self._ranked(view).weight is not None

    def has_empty(self, view: View) -> bool:
        """Whether some query has no positives."""
        return not self.points(view).n_positives.all()

    def has_negatives(self, view: View) -> bool:
        """Whether every query has negatives."""
        points = self.points(view)
        return bool((points.n_samples > sums(points.positives, points.offsets)).all())

    def has_ties(self, view: View, rule: Rule) -> bool:
        """Whether the rule reads tied samples that include positives."""
        cut = rule.depth
        if not self._once(("ties", view), lambda: _any_tied(self.points(view, by_rows=True))):
            return False
        if cut is None or (self.is_weighted_in(view) and not cut.by_rows):
            return True
        return self._once(("ties", view, cut), lambda: _any_tied(self.first_points(view, rule)))

    def cuts_tie(self, view: View, rule: Rule) -> bool:
        """Whether the k of a rule, in rows, splits tied samples that include positives."""
        cut = rule.depth
        if cut is None or not self.has_ties(view, rule):
            return False
        return self._once(("cut", view, cut), lambda: _any_cut(self.first_points(view, rule), cut))

    def reads_alike(self, view: View) -> bool:
        """Whether the scores, as the view reads them, rank the samples like the exact scores."""
        if view.reading is Reading.EXACT:
            return True
        return self._once(("alike", view), lambda: self._reads_alike(view))

    def _reads_alike(self, view: View) -> bool:
        scores = self._ranked(replace(view, reading=Reading.EXACT)).scores
        if view.reading is Reading.CLOSE_TIED:
            return not _any_close(scores)
        if scores.dtype in (np.float32, np.float16) or scores.dtype.kind == "b":
            return True
        ours, theirs = self.points(replace(view, reading=Reading.EXACT)), self.points(view)
        return np.array_equal(ours.positives, theirs.positives) and np.array_equal(
            ours.total, theirs.total
        )

    def can_read(self, view: View) -> bool:
        """Whether it is known how these scores are read."""
        rankings = self._ranked(view)
        if view.reading is Reading.SINGLE:
            return rankings.scores.dtype.kind in "fiub"
        if view.reading is Reading.CLOSE_TIED:
            one = rankings.group is None and rankings.scores.dtype.kind in "fiub"
            return self.reads_alike(view) or (one and rankings.weight is None)
        return True

    # --- values ----------------------------------------------------------------------------------

    def value(
        self, rule: Rule, view: View, order: Order, empty: float, average: str = "macro"
    ) -> Value:
        """Compute the value of a rule.

        `empty` is the value of a query without positives; nan leaves it out.
        """

        def number(rule: Rule, points: OperatingPoints) -> float:
            return float(finish(rule, points, Queries(average), empty))

        if order.is_of_rows:
            at = self._in_order_of_rows(number, rule, view, order)
            if not order.is_open:
                return Value(at, at, at)
            points = self.first_points(view, rule)
            orders = self._once(("orders", view, rule.depth), lambda: Orders.of(points))
            low, high = (number(Known(end), points) for end in ends(rule, orders))
            return Value(at, min(low, at), max(high, at))  # in case of rounding errors
        at = number(*order.applied(rule, self.first_points(view, rule)))
        return Value(at, at, at)

    def _in_order_of_rows(
        self,
        number: Callable[[Rule, OperatingPoints], float],
        rule: Rule,
        view: View,
        order: Order,
    ) -> float:
        last_first = order in (Order.BY_ID, Order.LAST_ROW_FIRST)
        if isinstance(rule, StepOfFirst):
            return number(Step(), self._points_of_first(view, rule.k))
        cut = rule.depth
        points = self._row_points(view, last_first)
        if cut is None:
            return number(rule, points)
        first = self._once(("first", view, last_first, cut), lambda: reached(points, cut))
        return number(rule, first)

    def walked(self, view: View, order: Order, by_rows: bool = False) -> OperatingPoints:
        """Return the points of a view in an order, or if it is open, in that of `Value.at`."""
        if order.is_of_rows and not self.is_weighted_in(view):
            return self._row_points(view, order in (Order.BY_ID, Order.LAST_ROW_FIRST))
        points = self.points(view, by_rows)
        return points if order.is_of_rows else order.applied(Step(), points)[1]

    def _row_points(self, view: View, last_first: bool) -> OperatingPoints:
        """Return one point per row."""

        def walked() -> OperatingPoints:
            ranked = replace(self._ranked(view), scores=self._places(view, last_first))
            return self._existing(ranked.points(None), view)

        return self._once(("rows", view, last_first), walked)

    def _points_of_first(self, view: View, k: float) -> OperatingPoints:
        """Return the points of only the first k rows."""
        rankings = self._ranked(view)
        rank = self._once(("rank", view), lambda: self._rank(view))
        sizes = Cut(k).of(_n_rows(rankings))
        inside = rank < (sizes if rankings.group is None else sizes[rankings.group])
        return rankings.take(np.flatnonzero(inside)).points(None)

    def _rank(self, view: View) -> Array:
        """Count the rows of the same query that are ranked before each row."""
        rankings, places = self._ranked(view), self._places(view, last_first=False)
        if rankings.group is None:
            return places.size - places
        order = np.lexsort((-places, rankings.group))
        size = _n_rows(rankings)
        rank = np.empty_like(places)
        rank[order] = np.arange(order.size) - np.repeat(np.cumsum(size) - size, size)
        return rank

    def _places(self, view: View, last_first: bool) -> Array:
        scores = self._ranked(view).scores
        return self._once(("places", view, last_first), lambda: _places(scores, last_first))

    # --- rankings --------------------------------------------------------------------------------

    def _ranked(self, view: View) -> Rankings:
        return self._once(("ranked", view), lambda: self._read(view))

    def _read(self, view: View) -> Rankings:
        if view.reading is Reading.EXACT:
            return self._slipped(view.slip)
        rankings = self._ranked(replace(view, reading=Reading.EXACT))
        if view.reading is Reading.SINGLE:
            if rankings.scores.dtype.kind not in "fiub":
                return rankings
            with np.errstate(over="ignore"):
                return replace(rankings, scores=_finite(rankings.scores.astype(np.float32)))
        return replace(
            rankings, scores=merge_neighbours(rankings.scores[:, np.newaxis], 1e-8)[:, 0]
        )

    def _slipped(self, slip: Slip) -> Rankings:
        rankings = self.rankings
        if slip is Slip.UNWEIGHTED:
            return self.unweighted if self.unweighted is not None else rankings
        if slip in (Slip.RETRIEVED, Slip.FOUND_ONLY):
            return _retrieved(rankings)
        if slip is Slip.POOLED:
            return replace(rankings, group=None, names=None, average="binary")
        if slip.is_of_other_class:
            rankings = replace(rankings, labels=~rankings.labels)
        if slip.is_turned:
            rankings = replace(rankings, scores=_turned(rankings.scores))
        if slip is Slip.PREDICTED:
            rankings = replace(rankings, scores=rankings.scores > self.threshold)
        return rankings

    @cached_property
    def threshold(self) -> float | None:
        """The threshold above which predict() returns the positive class; None if not numeric."""
        scores = self.rankings.scores
        if scores.dtype.kind not in "fiu" or not scores.size:
            return None
        return 0.5 if scores.min() >= 0 and scores.max() <= 1 else 0.0

    def _once(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept


def _n_rows(rankings: Rankings) -> Array:
    if rankings.group is None or rankings.names is None:
        return np.array([rankings.scores.size])
    return np.bincount(rankings.group, minlength=len(rankings.names))


def _retrieved(rankings: Rankings) -> Rankings:
    """Leave out the groups that have no rows."""
    if rankings.group is None or rankings.names is None:
        return rankings
    held = np.flatnonzero(_n_rows(rankings))
    exist = rankings.n_positives
    return replace(
        rankings,
        group=np.searchsorted(held, rankings.group),
        names=[rankings.names[place] for place in held.tolist()],
        n_positives=None if exist is None else exist[held],
    )


def _best_of_groups(rankings: Rankings) -> Array:
    """Return the highest score of each group that has rows, in the order of the groups."""
    if rankings.group is None:
        return np.sort(rankings.scores)[-1:]
    order = np.lexsort((rankings.scores, rankings.group))
    group = rankings.group[order]
    last = np.append(group[1:] != group[:-1], True)[: group.size]
    return np.asarray(rankings.scores[order][last])


def _any_tied(points: OperatingPoints) -> bool:
    if points.rows is not None:
        return bool(((points.rows.at > 1) & (points.positives > 0)).any())
    return bool(((points.total > 1) & (points.positives > 0)).any())


def _any_cut(points: OperatingPoints, cut: Cut) -> bool:
    if points.rows is None:
        at, above, size = points.total, points.above, points.n_samples
    else:
        at, above, size = points.rows.at, points.rows.above, points.rows.whole
    k = np.repeat(cut.of(size), np.diff(points.offsets))
    return bool(((above < k) & (above + at > k) & (points.positives > 0)).any())


def _any_close(scores: Array) -> bool:
    if scores.dtype.kind not in "fiub":
        return True
    gaps = np.diff(np.sort(scores)).astype(np.float64)
    return bool(((gaps > 0) & (gaps <= 1e-8)).any())


def _places(scores: Array, last_first: bool) -> Array:
    """Replace scores by distinct integers, ranking the first or the last of tied rows highest."""
    if last_first:
        order = np.argsort(scores, kind="stable")[::-1]
    else:
        order = np.argsort(scores[::-1], kind="stable")[::-1]
        order = scores.size - 1 - order
    places = np.empty(scores.size, dtype=np.int64)
    places[order] = np.arange(scores.size, 0, -1)
    return places


def _turned(scores: Array) -> Array:
    """Reverse the order of scores, also of unsigned integers and times, which can't be negated."""
    if scores.dtype.kind == "f":
        return -scores
    return -np.unique(scores, return_inverse=True)[1]


def _finite(scores: Array) -> Array:
    """Replace infinities by finite numbers beyond all others, which keeps the ranking."""
    if not np.isinf(scores).any():
        return scores
    beyond = 2.0 * np.finfo(scores.dtype).max.astype(np.float64)
    return np.nan_to_num(scores.astype(np.float64), posinf=beyond, neginf=-beyond)
