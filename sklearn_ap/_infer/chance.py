"""The values of random rankings of the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
from scipy.special import ndtri

from .._evaluate.metric_values import average_values, evaluate_rankings
from .._read.model_rows import ModelRows
from .._show.results import Shared
from .._words.messages import redirect_warnings
from ..core.ragged import Array
from ..core.random_rankings import compute_mean_value, draw_values, find_shapes, iterate_block_sizes
from ..core.rankings import Rankings
from ..core.rules import Graded, GroupFunction, Rule
from ..core.tolerances import ROUNDING_TOLERANCE
from .settings import IntervalSettings

_FIRST_ORDERS, _MAX_ORDERS = 5, 10_000  # random orders that are drawn at first, and in all
_MIN_ORDERS_FOR_ERROR = 20  # random orders, before their standard error is trusted
_MAX_SHUFFLED_SCORES = 2**26  # that are shuffled in all of them, which takes half a minute
# The fraction of random orders that may have values as low as one upside down, and the numbers of
# orders after which it's asked whether they are more
_RARE_FRACTION, _ORDERS_BEFORE_CHECKS = 0.005, (20, 200, 999)
_SMALL_ERROR_OF_MEAN = 0.0003  # the standard error of a mean over random orders
_CLEAR_DISTANCE_IN_ERRORS = 6  # standard errors tell on which side of a value a mean is
_SCORES_PER_SHUFFLE = 2**18  # scores that are shuffled together
# More rows with the lowest score, or a larger score, suggest that missing ones were filled.
_MAX_ROWS_AT_LOWEST, _HUGE_SCORE = 20, 1e30


def _has_candidates(rule: Rule, model_rows: ModelRows) -> bool:
    """Whether a shuffle of the rows is a random ranking, as there are candidates that weren't
    retrieved, too.

    A recommender's list of 12 of 5,000 items, shuffled, has the same P@12.
    """
    if model_rows.only_retrieved:
        return False
    rankings, cut = model_rows.rankings, rule.cut
    if cut is None or cut.is_share or not rankings.is_grouped:
        return True
    counts_mass = rankings.weight is not None and not cut.counts_rows
    return counts_mass or bool((rankings.sizes > cut.compute_k(rankings.sizes)).any())


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


def _evaluate_tied(rule: Graded, rankings: Rankings) -> Array:
    """Evaluate all rows as tied, which is the mean over all orders for the rules that take it for
    tied rows.
    """
    return rule.evaluate_groups(replace(rankings, scores=np.zeros(rankings.scores.shape)))


def _draw_row_orders(rule: Rule, rankings: Rankings, times: int, rng: np.random.Generator) -> Array:
    """Shuffle scores within groups: return values of shape (times, n_rankings)."""
    group = rankings.group_of_rows
    # Rows sorted by group and at random within it take the scores, each group those of its rows.
    place_in_groups = np.argsort(np.argsort(group, kind="stable"))
    values = []
    n_together = max(_SCORES_PER_SHUFFLE // max(rankings.n_scores, 1), 1)
    for n_orders in iterate_block_sizes(times, n_together):
        shuffled = np.argsort(group + rng.random((n_orders, rankings.n_rows)), axis=1)
        scores = rankings.scores[shuffled[:, place_in_groups]]
        copies = _with_scores(rankings, group, scores)
        values.append(evaluate_rankings(rule, copies).values.reshape(n_orders, -1))
    return np.concatenate(values)


def _with_scores(rankings: Rankings, group: Array, scores: Array) -> Rankings:
    """Return a copy of all rankings for each of these scores, of shape (n_copies, n_rows) or
    (n_copies, n_rows, n_columns). In copies, rankings are groups.

    `group` is that of each row, 0 without groups.
    """
    n_copies, n_rankings = len(scores), rankings.positive_mass.size
    n_positives, judged = rankings.n_positives, rankings.judged
    if judged is not None:
        judged = judged._replace(counts=np.tile(judged.counts, (n_copies, 1)))

    def repeated(column: Any) -> Any:
        # One value for each copy of a score; columns of rows also for each column of scores.
        if column is None:
            return None
        if column.ndim < scores.ndim - 1:  # scores have several columns
            column = column[:, np.newaxis]
        return np.broadcast_to(column, scores.shape).ravel()

    ranking = group
    if rankings.is_columnwise:
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


class RandomBaseline(Shared):
    """What random rankings of the same rows get, which is computed when it's asked for, and drawn
    only if there is no closed form.

    Pickles leave the rows behind, but what is known of them is computed before.
    """

    _rankings: Rankings  # which pickles lack

    def __init__(self, settings: IntervalSettings, model_rows: ModelRows) -> None:
        self._settings, self._model_rows = settings, model_rows
        self._rule, self._rankings = settings.rule, model_rows.rankings
        cut = self._rule.cut
        counts_weight = cut is not None and not cut.counts_rows
        if self._rankings.has_equal_weights and not counts_weight:
            self._rankings = self._rankings.without_equal_weights()

    def __getstate__(self) -> dict[str, Any]:
        known = "exact", "mean", "fill_value", "is_of_groups", "has_all"
        return {name: getattr(self, name) for name in known}

    @cached_property
    def is_of_groups(self) -> bool:
        """Whether it's a mean over groups without clusters."""
        return self._model_rows.units_have_values and self._model_rows.clusters is None

    @cached_property
    def has_all(self) -> bool:
        """Whether the rows have candidates that weren't retrieved, too."""
        return _has_candidates(self._rule, self._model_rows)

    @cached_property
    def exact(self) -> float | None:
        """The mean in closed form; None if there is none, so that orders have to be drawn, and nan
        if nothing is known, as of a function.
        """
        rule, rankings = self._rule, self._rankings
        if isinstance(rule, GroupFunction):
            return np.nan
        if isinstance(rule, Graded):
            n_positives = evaluate_rankings(rule, rankings).n_positives
            return self._average(_evaluate_tied(rule, rankings), n_positives)
        if not _have_shapes(rankings):
            return None
        shapes = find_shapes(rankings)
        distinct = {shape.key: shape for shape in shapes}
        means = {key: compute_mean_value(rule, shape) for key, shape in distinct.items()}
        if None in means.values():
            return None
        values = np.array([means[shape.key] for shape in shapes], float)
        return self._average(values, np.array([shape.exist for shape in shapes]))

    def _average(self, values: Array, n_positives: Array) -> float:
        """Average the values of all rankings as the metric does."""
        rule, averaging = self._rule, self._rankings.averaging
        zero_division = self._settings.quiet_zero_division
        with redirect_warnings(lambda *_: None):  # as the value has warned
            return float(average_values(rule, values, n_positives, averaging, zero_division))

    @cached_property
    def fill_value(self) -> float | None:
        """The lowest score, if missing ones may have been filled with it, because many rows have
        it, or because a score is huge; None otherwise.
        """
        scores = self._rankings.scores
        if not scores.size:
            return None
        lowest = scores.min()
        is_likely = (
            np.count_nonzero(scores == lowest) > _MAX_ROWS_AT_LOWEST
            or np.abs(scores).max() > _HUGE_SCORE
        )
        return float(lowest) if is_likely else None

    @cached_property
    def mean(self) -> float:
        return self.estimate_mean(np.nan)

    def estimate_mean(self, value: float) -> float:
        """Return the mean, from no more random orders than tell it apart from a value; with nan,
        from so many that its standard error is small. The orders are always the same.
        """
        if self.exact is not None:
            return self.exact
        if not hasattr(self, "_rankings"):
            return self.mean
        rng, drawn = np.random.default_rng(0), np.zeros(0)
        for times in _iterate_numbers_of_orders():
            drawn = np.append(drawn, self._draw(times - drawn.size, rng))
            mean, error = float(drawn.mean()), float(drawn.std()) / sqrt(times)
            is_exact = times >= _MIN_ORDERS_FOR_ERROR and error <= _SMALL_ERROR_OF_MEAN
            # Never, if the value is nan
            is_clear = error < abs(mean - value) / _CLEAR_DISTANCE_IN_ERRORS
            if np.ptp(drawn) and (is_exact or is_clear):  # or else another value may be rare
                break
            if times * self._rankings.n_scores >= _MAX_SHUFFLED_SCORES:
                break
        return mean

    def is_rare(self, value: float) -> bool:
        """Whether less than .5% of random orders have a mean as low as this value, which only rows
        can tell.
        """
        if not hasattr(self, "_rankings"):
            return False
        rng, drawn = np.random.default_rng(0), np.zeros(0)
        for times in _ORDERS_BEFORE_CHECKS:
            drawn = np.append(drawn, self._draw(times - drawn.size, rng))
            n_low = np.count_nonzero(drawn <= value + ROUNDING_TOLERANCE * abs(value))
            if 1 + n_low >= _RARE_FRACTION * (1 + _ORDERS_BEFORE_CHECKS[-1]):
                return False
            if times * self._rankings.n_scores >= _MAX_SHUFFLED_SCORES:  # means are nearly normal
                return bool(drawn.mean() + float(ndtri(_RARE_FRACTION)) * drawn.std() > value)
        return True

    def _draw(self, times: int, rng: np.random.Generator) -> Array:
        """Return the mean over all rankings in each of so many random orders, of shape (times,)."""
        if isinstance(self._rule, Graded) or not _have_shapes(self._rankings):
            return self._draw_from_rows(times, rng)
        return self._draw_from_shapes(times, rng)

    def _draw_from_shapes(self, times: int, rng: np.random.Generator) -> Array:
        """Draw values of all rankings. Those of one shape have the same orders, but not at once."""
        shapes, zero_division = find_shapes(self._rankings), self._settings.quiet_zero_division
        # Without positives, some metrics are 0, and others are 0/0, which may be left out. Nothing
        # else about the values matters for the fractions.
        nowhere = np.zeros((1, 0), np.int64)
        values = []
        for shape in shapes:
            empty = 0.0 if shape.exist else self._rule.values(shape.make_points(nowhere)).item()
            values.append(empty)
        filled = np.where(np.isnan(values), zero_division, values).astype(float)
        fractions = _weight_rankings(self._rankings, filled).tolist()
        of_shape: dict[Any, Array] = {}
        means = np.zeros(times)
        for shape, share in zip(shapes, fractions, strict=True):
            if not share:
                continue
            if shape.key not in of_shape:
                drawn = draw_values(self._rule, shape, times, rng)
                of_shape[shape.key] = np.where(np.isnan(drawn), zero_division, drawn)
            means += share * rng.permutation(of_shape[shape.key])
        return means

    def _draw_from_rows(self, times: int, rng: np.random.Generator) -> Array:
        """Draw values of rows that keep their labels and weights."""
        rankings = self._rankings
        unweighted = rankings
        if rankings.average == "samples":  # weights are those of rankings, as in the fractions
            unweighted = replace(_as_groups(rankings), weight=None)
        drawn = _draw_row_orders(self._rule, _order_rows(unweighted), times, rng)
        drawn = np.where(np.isnan(drawn), self._settings.quiet_zero_division, drawn).astype(float)
        fractions = _weight_rankings(rankings, drawn[0])  # what is nan is so in all orders
        return np.asarray(np.nan_to_num(drawn) @ fractions)


def _order_rows(rankings: Rankings) -> Rankings:
    """Sort the rows, so that the same orders are drawn whatever their order is."""
    keys: list[Array] = []
    for column in (rankings.scores, rankings.labels, rankings.weight, rankings.group):
        if column is not None:
            keys.extend(np.atleast_2d(column.T))
    return rankings.take(np.lexsort(keys))


def _have_shapes(rankings: Rankings) -> bool:
    """Whether the samples of each ranking differ by labels and scores only."""
    if rankings.average == "samples":
        return True
    have_no_weights = rankings.weight is None or bool((rankings.weight == 1).all())
    return have_no_weights and rankings.average != "micro"


def _weight_rankings(rankings: Rankings, values: Array) -> Array:
    """Return the weight of each ranking in the mean, 0 for those whose values are nan. They add up
    to 1 unless all are 0.
    """
    weight = rankings.averaging.weight
    if rankings.average == "weighted":
        weight = rankings.positive_mass if rankings.n_positives is None else rankings.n_positives
    weight = np.ones(values.size) if weight is None else weight
    weight = np.where(np.isnan(values), 0.0, weight)
    return np.asarray(weight / (weight.sum() or 1))


def _iterate_numbers_of_orders() -> Iterator[int]:
    """Yield how many orders to draw in all, if those so far aren't enough."""
    times = _FIRST_ORDERS
    while times < _MAX_ORDERS:
        yield times
        times *= 2
    yield _MAX_ORDERS
