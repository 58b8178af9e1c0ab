"""Rates of a threshold, such as its recall: their intervals, and tests of what is promised.

A rate r is the fraction of n rows that are hits. If rows are independent and weigh the same, hits
are binomial, and intervals (Clopper and Pearson 1934) and tests are exact. Rows of clusters or of
unequal weights count as fewer of these, by their design effect (Korn and Graubard 1998). Then
counts aren't whole, so scipy.stats.binomtest refuses them, and binom rounds them. The beta
distribution takes them, and is equal for whole counts.
"""

from math import ceil, log, nan
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import ndtri, stdtrit
from scipy.stats import beta

from .._core import Array, Rankings

# A promised precision is tested from so many starts. The first one is where a test can pass at all,
# and each next one flags twice as many. 20 negatives at the very top can stop the first four. More
# starts would cost more alpha.
_N_STARTS = 6
_N_TESTED = 2**12  # points that are tested together, until one fails
_ROUNDING = 1e-9
_MUCH = 1e3  # A row of this mass tells nothing.


# --- binomial distributions -----------------------------------------------------------------------


def compute_binomial_interval(n_hits: float, n: float, alpha: float) -> tuple[float, float]:
    """Return the ends of Clopper and Pearson's interval, each missed with probability alpha."""
    n_misses = max(n - n_hits, 0)  # Sums of weights are rounded.
    low = beta.ppf(alpha, n_hits, n_misses + 1) if n_hits else 0.0
    high = beta.ppf(1 - alpha, n_hits + 1, n_misses) if n_misses else 1.0
    return float(low), float(high)


def confirm_rate(n_hits: Any, n: Any, goal: float, alpha: float) -> Any:
    """Whether a binomial test at the level alpha rejects that the rate is below the goal: so many
    hits or more have at most the probability alpha if each row is one with the probability `goal`.
    """
    # For whole numbers, it's binom.sf(n_hits - 1, n, goal). It's nan without hits.
    tail = beta.cdf(goal, n_hits, n - n_hits + 1)
    return tail <= alpha * (1 + _ROUNDING)


# --- design effects -------------------------------------------------------------------------------


class Squares(NamedTuple):
    """Sums of squares over units, which are clusters or rows. A unit has the mass m, of which f are
    hits. A row has the weight w.
    """

    n_units: Any
    mm: Any  # sum m^2
    fm: Any
    ff: Any
    ww: Any  # sum w^2
    ww_hits: Any  # over rows that are hits


class Sums(NamedTuple):
    """How many rows a rate is a fraction of, and how many are hits. With weights, n is Kish's
    number of equal rows, (sum w)^2 / sum w^2 in all.
    """

    n: Any
    n_hits: Any
    squares: Squares | None = None  # None if rows are independent and weigh the same
    odds: float = 1.0  # how many times as much a hit weighs as a miss

    def take(self, points: slice) -> Self:
        squares = self.squares
        if squares is not None:
            squares = Squares(*(each[points] for each in squares))
        return self._replace(n=self.n[points], n_hits=self.n_hits[points], squares=squares)

    def compute_design_effect(self, alpha: float) -> Any:
        """Return how many rows say as much as an independent one, in tests at the level alpha.

        The linearized variance of a rate r of G units is G/(G - 1) sum (f - r m)^2 / n^2. Its
        quotient by r (1 - r)/n is the design effect, which is at least that of rows, so that units
        that happen to be alike don't say more than their rows, nor do units without any miss, which
        don't show how they differ. It's multiplied by (t/z)^2, since the variance is estimated.
        """
        if self.squares is None:
            return 1.0
        n_units, mm, fm, ff, ww, ww_hits = self.squares
        r = self.n_hits / self.n
        of_units = (ff - 2 * r * fm + r**2 * mm) * n_units / np.maximum(n_units - 1, 1)
        of_rows = ww_hits * (1 - r) ** 2 + (ww - ww_hits) * r**2
        varies = (r > _ROUNDING) & (r < 1 - _ROUNDING)
        of_equal_rows = np.where(varies, self.n * r * (1 - r), 1.0)
        effect = np.where(varies, np.maximum(of_units, of_rows) / of_equal_rows, 1.0)
        return np.minimum(effect * self._adjust_for_t(alpha), self.n * _MUCH)

    def _adjust_for_t(self, alpha: float) -> Any:
        """Return (t/z)^2, where z is a quantile of the normal distribution, and t one of the t
        distribution with u - 1 degrees of freedom, for Kish's number of equal units,
        u = n^2 / sum m^2. It's infinite for a single unit, which tells nothing.
        """
        assert self.squares is not None
        freedom = np.maximum(self.n**2 / self.squares.mm - 1, _ROUNDING)
        quantiles = stdtrit(freedom, 1 - alpha) / ndtri(1 - alpha) if alpha < 0.5 else 1.0
        return np.where(freedom > 2 * _ROUNDING, quantiles**2, np.inf)

    def can_more_rows_confirm(self, goal: float, alpha: float) -> bool:
        """Whether more rows of the same units could confirm a rate, if all were hits.

        If rows of a unit correlate by rho, the design effect of units of M = sum m^2 / n rows is
        1 + (M - 1) rho, so the units never count as more rows than n / (M rho).
        """
        if self.squares is None:
            return True
        size, t_factor = self.squares.mm / self.n, self._adjust_for_t(alpha)
        rho = (self.compute_design_effect(alpha) / t_factor - 1) / max(size - 1, _ROUNDING)
        n = self.n / (size * max(rho, _ROUNDING) * t_factor)
        return bool(confirm_rate(n, n, goal, alpha))


def find_row_masses(samples: Rankings, rows: Array) -> tuple[float, float]:
    """Return which weight counts as one row, in the positive and in the negative class.

    It's the weight of rows of the class if that is constant, as in case-control studies. Else it's
    sum w^2 / sum w of all rows, by which sum w is Kish's number of equal rows.
    """
    if samples.weight is None or not rows.any():
        return 1.0, 1.0
    classes = samples.weight[rows & samples.labels], samples.weight[rows & ~samples.labels]
    constant = [float(each[0]) for each in classes if each.size and np.ptp(each) == 0]
    if len(constant) == sum(each.size > 0 for each in classes):
        return constant[0], constant[-1]
    weight = samples.weight[rows].astype(float)
    largest = weight.max()  # whose square would overflow if it's large
    mass = float(weight @ (weight / largest) / np.sum(weight / largest))
    return mass, mass


class Rate(NamedTuple):
    """A fraction of samples, such as recall: of the positives, those that are flagged."""

    rows: Array  # whether each sample is one of those of which it is a fraction
    is_hit: Array  # whether it then is a hit
    n_hits: float  # how many there are or, with weights, their weight
    n_misses: float  # those without a score, too
    row_masses: tuple[float, float]  # which weight counts as one hit, and one miss

    @property
    def n(self) -> float:
        return self.n_hits + self.n_misses

    @property
    def value(self) -> float:
        return self.n_hits / self.n if self.n else nan

    def sum_up(self, samples: Rankings) -> Sums:
        """Add up the rows and hits, and their squares if they aren't independent and equal."""
        is_hit = self.is_hit[self.rows]
        m: Array = np.ones(is_hit.size)
        if samples.weight is not None:
            m = samples.weight[self.rows] / np.where(is_hit, *self.row_masses)
        f: Array = m * is_hit
        ww, ww_hits, are_rows = m @ m, f @ f, (m == 1).all()
        if samples.group_codes is not None:
            clusters = samples.group_codes[self.rows]
            m, f = np.bincount(clusters, m), np.bincount(clusters, f)
            are_rows &= m.max(initial=0) <= 1
        squares = Squares(np.count_nonzero(m), m @ m, f @ m, f @ f, ww, ww_hits)
        return Sums(m.sum(), f.sum(), None if are_rows else squares)

    def compute_interval(self, samples: Rankings, alpha: float) -> tuple[float, float]:
        """Return the ends of an interval, each missed with probability alpha; nan without rows."""
        if not self.n:
            return nan, nan
        of_hit, of_miss = self.row_masses
        n_hits, n_misses = self.n_hits / of_hit, self.n_misses / of_miss
        effect = self.sum_up(samples).compute_design_effect(alpha)
        if of_hit != of_miss and samples.group_codes is None:
            effect = self._compute_effect_of_fixed_classes(n_hits, n_misses)
        low, high = compute_binomial_interval(n_hits / effect, (n_hits + n_misses) / effect, alpha)
        return _change_odds(low, of_hit / of_miss), _change_odds(high, of_hit / of_miss)

    def _compute_effect_of_fixed_classes(self, n_hits: float, n_misses: float) -> float:
        """Return the design effect of a precision, or a negative predictive value, of a known
        prevalence, where how many hits and misses there might be is fixed.

        The logarithm of the odds T/F of T hits and F misses then has not the variance 1/T + 1/F,
        but less 1/R and 1/(N - R), for all R positives and N - R negatives (Mercaldo, Lau and Zhou
        2007). The effect is the quotient of both.
        """
        n_hits_in_all = np.count_nonzero(self.is_hit)
        of_classes = 1 / n_hits_in_all + 1 / (self.is_hit.size - n_hits_in_all)
        return max(1 - of_classes * n_hits * n_misses / (n_hits + n_misses), _ROUNDING)


def _change_odds(rate: float, ratio: float) -> float:
    """Return the rate with so many times the odds, as weights of hits and misses change them."""
    return rate if ratio == 1 else rate * ratio / (rate * ratio + 1 - rate)


# --- promised precisions --------------------------------------------------------------------------


def sum_up_tops(samples: Rankings, n_flagged: Array, n_hits: Array) -> Sums:
    """Add up rows and positives among so many highest scores, as `Rate.sum_up` does for one.
    Without weights, their numbers are enough.
    """
    if samples.weight is None and samples.group_codes is None:
        return Sums(n_flagged, n_hits)
    of_hit, of_miss = find_row_masses(samples, samples.scores == samples.scores)
    order = np.argsort(samples.scores, kind="stable")[::-1]
    is_hit = samples.labels[order]
    w, m, f = np.ones(order.size), *np.zeros((2, order.size))
    if samples.weight is not None:
        w = samples.weight[order] / np.where(is_hit, of_hit, of_miss)
    hit = w * is_hit
    if samples.group_codes is not None:
        m, f = _sum_above(samples.group_codes[order], np.stack([w, hit]))
    # A row adds w to the m of its unit and, if it is a hit, to its f. So the sums grow by:
    mm, fm, ff = w * (2 * m + w), w * f + hit * (m + w), hit * (2 * f + w)
    growths = w, hit, m == 0, mm, fm, ff, w * w, w * hit
    n, hits, *squares = (np.cumsum(growth)[n_flagged - 1] for growth in growths)
    are_rows = not m.any() and (w == 1).all()
    return Sums(n, hits, None if are_rows else Squares(*squares), of_hit / of_miss)


def _sum_above(cluster: Array, values: Array) -> Array:
    """Return the sums of each row of values over the samples of the same cluster that are above."""
    by_cluster = np.argsort(cluster, kind="stable")
    ordered, values = cluster[by_cluster], values[:, by_cluster]
    before = np.cumsum(values, axis=1) - values
    sums = np.empty_like(before)
    sums[:, by_cluster] = before - before[:, np.searchsorted(ordered, ordered)]
    return sums


def confirm_precisions(sums: Sums, goal: float, alpha: float) -> Array:
    """Return which points keep a precision in the population, all with probability 1 - alpha.

    Precision may rise or fall with the threshold, so there is no order statistic. But if points are
    tested in an order that was fixed before, until one fails, all that pass hold together, whatever
    their number: a fixed sequence of tests (Angelopoulos et al. 2025). Each test is binomial, of
    the hits among the flagged rows, which is exact for independent rows.

    alpha is split over six starts at fixed numbers of rows. From each of them, points are tested
    downwards until one fails. A run of passed tests that reaches the next start gives its alpha to
    it (Wiens 2003).
    """
    if goal in (0, 1):  # Every point keeps 0, and none keeps 1.
        return np.full(sums.n.size, goal == 0)
    goal = _change_odds(goal, 1 / sums.odds)
    # Fewer samples than at the first start can't pass: even if all are positive, goal**n > alpha/6.
    first = ceil(log(alpha / _N_STARTS) / log(goal) - _ROUNDING)
    starts = np.searchsorted(sums.n, [first * 2**i for i in range(_N_STARTS)]).tolist()
    is_kept = np.zeros(sums.n.size, dtype=bool)
    alpha_left = 0.0
    for start, next_start in zip(starts, [*starts[1:], sums.n.size], strict=True):
        alpha_here = alpha / _N_STARTS + alpha_left
        n_passed = _count_confirmed(sums.take(slice(start, next_start)), goal, alpha_here)
        is_kept[start : start + n_passed] = True
        alpha_left = alpha_here if start + n_passed == next_start else 0.0
    return is_kept


def _count_confirmed(sums: Sums, goal: float, alpha: float) -> int:
    """Count the points before the first one that fails the binomial test of a precision."""
    for start in range(0, sums.n.size, _N_TESTED):
        block = sums.take(slice(start, start + _N_TESTED))
        if block.squares is None:
            is_confirmed = _confirm_counts(block.n_hits, block.n, goal, alpha)
        else:
            effect = block.compute_design_effect(alpha)
            is_confirmed = confirm_rate(block.n_hits / effect, block.n / effect, goal, alpha)
        if not is_confirmed.all():
            return start + int(np.argmin(is_confirmed))
    return int(sums.n.size)


def _confirm_counts(n_hits: Array, n: Array, goal: float, alpha: float) -> Array:
    """Do what `confirm_rate` does for whole counts, in a tenth of the time.

    Chernoff's bound of the tail is exp(-n KL), where KL, the relative entropy of the precision T/n
    to the goal, is at least (T/n - goal)^2 / (2 T/n (1 - goal)). It decides most tests.
    """
    excess = n_hits - goal * n
    is_confirmed = (excess > 0) & (excess**2 >= -2 * log(alpha) * n_hits * (1 - goal))
    unsure = np.flatnonzero(~is_confirmed)
    is_confirmed[unsure] = confirm_rate(n_hits[unsure], n[unsure], goal, alpha)
    return is_confirmed
