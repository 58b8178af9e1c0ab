"""Values of random rankings: what a metric is if scores are shuffled among the samples.

The mean over all orders has a closed form for the rules in `_MEANS`. Of a ranking, it needs only
the ties, the number of positives among the samples, and how many exist. `draw_places` draws orders.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import gammaln

from . import rules
from .cutoff import DENOMINATORS
from .operating_points import OperatingPoints
from .ragged import Array, compute_running_sum, is_first, split_into_blocks
from .rankings import Rankings

_PLACES_PER_DRAW = 2**14  # drawn together: more of them take longer in fresh memory


class RankingShape(NamedTuple):
    """What the values of a ranking can be, whatever the order of its samples."""

    tied: Array  # how many samples have each score, from the highest score down
    found: int  # positives among the samples
    exist: float  # positives, found or not

    @classmethod
    def from_samples(cls, labels: Array, scores: Array, exist: float | None = None) -> Self:
        in_order = np.sort(scores)[::-1]
        start = np.flatnonzero(is_first(in_order))
        found = int(np.count_nonzero(labels))
        return cls(np.diff(np.append(start, scores.size)), found, found if exist is None else exist)

    @property
    def size(self) -> int:
        return int(self.tied.sum())

    @property
    def key(self) -> tuple[Any, ...]:
        """What is equal for rankings that have the same values in all orders."""
        return self.tied.tobytes(), self.found, self.exist

    def with_ties_broken(self) -> Self:
        return self._replace(tied=np.ones(self.size, np.int64))

    def make_points(self, place: Array) -> OperatingPoints:
        """Make the points of orders in which positives are at these places, one row per order."""
        n_orders, n_found = place.shape
        offsets, ends = np.arange(n_orders + 1) * n_found, np.cumsum(self.tied)
        score = np.repeat(np.arange(ends.size), self.tied).take(place.ravel())  # of each positive
        start = np.flatnonzero(is_first(score, offsets))
        positives, score = np.diff(np.append(start, score.size)), score[start]
        offsets = start.searchsorted(offsets)
        return OperatingPoints(
            positives=positives,
            total=self.tied[score],
            above=ends[score] - self.tied[score],
            cum_positives=compute_running_sum(positives, offsets),
            cum_total=ends[score],
            offsets=offsets,
            n_positives=np.full(n_orders, self.exist),
            n_samples=np.full(n_orders, self.size),
        )


def find_shapes(rankings: Rankings) -> list[RankingShape]:
    """Return the shape of each ranking whose samples don't have weights."""
    labels, scores, exist = rankings.labels, rankings.scores, rankings.n_positives
    if rankings.group is not None and rankings.names is not None:
        order = np.argsort(rankings.group, kind="stable")
        until = np.cumsum(np.bincount(rankings.group, minlength=len(rankings.names)))[:-1]
        labels_of, scores_of = np.split(labels[order], until), np.split(scores[order], until)
    elif labels.ndim == 1:
        labels_of, scores_of = [labels], [scores]
    elif rankings.average == "samples":
        labels_of, scores_of = [*labels], [*scores]
    else:
        labels_of, scores_of = [*labels.T], [*scores.T]
    counts = [None] * len(labels_of) if exist is None else exist.tolist()
    return [*map(RankingShape.from_samples, labels_of, scores_of, counts)]


def compute_mean_value(rule: rules.Rule, shape: RankingShape) -> float | None:
    """Compute the mean of the values over all orders; None if it has no closed form."""
    if rule.ties == "expected":
        rule, shape = _with_grouped_ties(rule), shape.with_ties_broken()
    elif rule.ties != "grouped":
        if shape.tied.size < shape.size:
            return None
        rule = _with_grouped_ties(rule)
    if not shape.found:  # so that all orders have the same value
        return float(rule.values(shape.make_points(np.zeros((1, 0), np.int64))).item())
    of_class = _MEANS.get(type(rule))
    return None if of_class is None else of_class(rule, shape)


def _with_grouped_ties(rule: Any) -> Any:
    return replace(rule, ties="grouped")


def _average_precisions(rule: Any, shape: RankingShape) -> float | None:
    """Add up the mean of r T/N at each score.

    Of two samples, both are positive with probability q = F (F - 1)/(N (N - 1)). If k cuts the
    samples tied at a score, a part of its positives is at precision T/k.
    """
    tied, found, exist = shape
    size = shape.size
    k = np.array([size]) if rule.cut is None else rule.cut.compute_k(np.array([size]))
    denominator = "relevant" if rule.cut is None else rule.denominator
    if denominator == "hits":
        return None
    # The chances that one sample is positive, and that two are
    single, pair = found / size, found * (found - 1) / max(size * (size - 1), 1)
    ends, total = np.cumsum(tied), 0.0
    for block in split_into_blocks(tied.size):  # whose arrays stay in the cache
        n, above = tied[block], ends[block] - tied[block]
        room = np.clip(k - above, 0, n)  # how many of the tied samples are in the top k
        fraction = room / n
        mean = room * (above * pair + fraction * (single + (n - 1) * pair))
        total += (mean / (above + room)).sum()
    divisor = DENOMINATORS[denominator](k, np.array([exist]), k)
    return float(total / divisor.item())


def _average_hits(rule: Any, shape: RankingShape) -> float:
    """Evaluate all samples as tied, whose hits are the mean number of them, as the value is
    proportional to the hits.
    """
    alike = shape._replace(tied=np.array([shape.size]))
    return float(rule.values(alike.make_points(np.arange(shape.found)[np.newaxis])).item())


def _average_first(rule: Any, shape: RankingShape) -> float:
    """Add up the values for all scores that can be the first with positives, and all numbers of
    positives there.

    The first one has r of its n positives, and N' samples are below it, with probability
    C(n, r) C(N', F - r)/C(N, F).
    """
    tied, n_found, _ = shape
    ends, size = np.cumsum(tied), shape.size
    k = size if rule.cut is None else rule.cut.compute_k(np.array([size]))
    most = np.minimum(tied, n_found)[ends - tied < k]  # positives at each score within the top k
    score = np.repeat(np.arange(most.size), most)
    r = np.arange(score.size) - np.repeat(np.cumsum(most) - most, most) + 1
    is_possible = n_found - r <= size - ends[score]  # the other positives have room below
    score, r = score[is_possible], r[is_possible]
    n, below = tied[score], size - ends[score]
    n_ways = _compute_log_choose(n, r) + _compute_log_choose(below, n_found - r)  # their logarithm
    chance = np.exp(n_ways - _compute_log_choose(size, n_found))
    points = OperatingPoints(
        positives=r,
        total=n,
        above=ends[score] - n,
        cum_positives=r,
        cum_total=ends[score],
        offsets=np.arange(r.size + 1),
        n_positives=np.full(r.size, n_found),
        n_samples=np.full(r.size, size),
    )
    return float(chance @ rule.evaluate_first(points))


def _compute_log_choose(n: Any, r: Any) -> Any:
    return gammaln(n + 1) - gammaln(r + 1) - gammaln(n - r + 1)


_MEANS: dict[type[rules.Rule], Callable[[Any, RankingShape], float | None]] = {
    rules.Step: _average_precisions,
    rules.AveragePrecisionAtK: _average_precisions,
    rules.PrecisionAtK: _average_hits,
    rules.RecallAtK: _average_hits,
    rules.EnrichmentFactor: _average_hits,
    rules.RPrecision: _average_hits,
    rules.ReciprocalRank: _average_first,
    rules.ReciprocalRankAtK: _average_first,
    rules.HitRateAtK: _average_first,
}


def draw_values(
    rule: rules.Rule, shape: RankingShape, times: int, rng: np.random.Generator
) -> Array:
    """Compute the values of random orders."""
    orders = draw_places(shape, times, rng)
    return np.concatenate([rule.values(shape.make_points(places)) for places in orders])


def draw_places(shape: RankingShape, times: int, rng: np.random.Generator) -> Iterator[Array]:
    """Draw the places of the positives, in ascending order, one row per order."""
    are_many = 2 * shape.found > shape.size  # so that those of the negatives are drawn
    n_entries = shape.size if are_many else shape.found  # of an order
    for n_orders in iterate_block_sizes(times, max(_PLACES_PER_DRAW // max(n_entries, 1), 1)):
        if are_many:
            is_positive = np.ones((n_orders, shape.size), dtype=bool)
            of_negatives = _draw_distinct_places(shape.size - shape.found, shape, n_orders, rng)
            np.put_along_axis(is_positive, of_negatives, 0, axis=1)
            yield is_positive.nonzero()[1].reshape(n_orders, shape.found)
        else:
            yield _draw_distinct_places(shape.found, shape, n_orders, rng)


def iterate_block_sizes(times: int, most: int) -> Iterator[int]:
    for start in range(0, times, most):
        yield min(most, times - start)


def _draw_distinct_places(
    wanted: int, shape: RankingShape, times: int, rng: np.random.Generator
) -> Array:
    """Draw this many distinct places for each order, in ascending order.

    Those that were drawn before are drawn again until all differ, which favors no place, so that
    all sets of places are equally likely.
    """
    places = rng.integers(shape.size, size=(times, wanted))
    places.sort(axis=1)
    orders, drawn = np.arange(times), places  # the places of the orders that may have equal ones
    while True:
        is_repeated = drawn[:, 1:] == drawn[:, :-1]
        rows = is_repeated.any(axis=1).nonzero()[0]
        if not rows.size:
            return places
        orders, drawn, repeated = orders[rows], drawn[rows], is_repeated[rows].nonzero()
        drawn[repeated] = rng.integers(shape.size, size=repeated[0].size)
        drawn.sort(axis=1)
        places[orders] = drawn
