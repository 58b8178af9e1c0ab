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
from scipy.special import betainc, ndtri, stdtrit
from scipy.stats import beta

from .._core import Array, Rankings

# A promised precision is tested from so many starts. The first one is where a test can pass at all,
# and each next one flags twice as many. 20 negatives at the very top can stop the first four. More
# starts would cost more alpha.
_N_STARTS = 6
_N_TESTED = 2**12  # points that are tested together, until one fails
_ROUNDING = 1e-9
_MANY = 1e6  # standard errors, within which is every rate


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
    # For whole numbers, it's binom.sf(n_hits - 1, n, goal): 1 without hits, or nan in old SciPy.
    tail = betainc(n_hits, n - n_hits + 1, goal)
    return tail <= alpha * (1 + _ROUNDING)


def count_needed(goal: float, alpha: float) -> int:
    """Count the rows that confirm a rate if all of them are hits: goal**n is at most alpha."""
    return ceil(log(alpha) / log(goal) - _ROUNDING)


# --- design effects -------------------------------------------------------------------------------


class Sums(NamedTuple):
    """Sums over rows of weight w, and over their units, which are clusters or rows. A unit has the
    mass m, of which f are hits. Weights are such that n is the number of rows or, if these weigh
    unequally, Kish's number of equal rows. Squares are None if rows are independent and equal.
    """

    n: Any  # sum w
    n_hits: Any
    n_units: Any = None
    mm: Any = None  # sum m^2
    fm: Any = None
    ff: Any = None

    @classmethod
    def accumulate(
        cls, samples: Rankings, rows: Array, is_hit: Array, row_masses: tuple[float, float]
    ) -> Self:
        """Return the sums over the first of these rows, over the first two, and so on."""
        is_hit = is_hit[rows]
        w = np.ones(is_hit.size)
        if samples.weight is not None:
            w = samples.weight[rows] / np.where(is_hit, *row_masses)
        hit = w * is_hit
        m, f = np.zeros((2, w.size))  # of the unit of each row in the rows above it
        if samples.group_codes is not None:
            m, f = _sum_above(samples.group_codes[rows], np.stack([w, hit]))
        if not m.any() and (w == 1).all():
            return cls(np.cumsum(w), np.cumsum(hit))
        # A row adds w to the m of its unit and, if it is a hit, to its f. So the sums grow by:
        mm, fm, ff = w * (2 * m + w), w * f + hit * (m + w), hit * (2 * f + w)
        return cls(*map(np.cumsum, (w, hit, m == 0, mm, fm, ff)))

    def take(self, places: Any) -> Self:
        return type(self)(*(None if each is None else each[places] for each in self))

    def compute_design_effect(self, alpha: float) -> Any:
        """Return how many rows say as much as an independent one, in tests at the level alpha.

        The linearized variance of a rate r of G units is G/(G - 1) sum (f - r m)^2 / n^2. Its
        quotient by r (1 - r)/n is the design effect, which is at least 1, so that units that happen
        to be alike don't say more than their rows, nor do units without any miss, which don't show
        how they differ. It's multiplied by (t/z)^2, since the variance is estimated.
        """
        if self.mm is None:
            return 1.0
        r = self.n_hits / self.n
        of_units = self.ff - 2 * r * self.fm + r**2 * self.mm
        of_units *= self.n_units / np.maximum(self.n_units - 1, 1)
        of_rows = np.maximum(self.n * r * (1 - r), _ROUNDING)
        return np.maximum(of_units / of_rows, 1.0) * self.adjust_for_t(alpha)

    def adjust_for_t(self, alpha: float) -> Any:
        """Return (t/z)^2, where z is a quantile of the normal distribution, and t one of the t
        distribution with u - 1 degrees of freedom, for Kish's number of equal units,
        u = n^2 / sum m^2. A single unit tells nothing.
        """
        if self.mm is None or alpha >= 0.5:
            return 1.0
        t = stdtrit(np.maximum(self.n**2 / self.mm - 1, _ROUNDING), 1 - alpha)
        return (np.minimum(t, _MANY) / ndtri(1 - alpha)) ** 2


def _sum_above(clusters: Array, values: Array) -> Array:
    """Return the sums of each row of values over the samples of the same cluster that are above."""
    by_cluster = np.argsort(clusters, kind="stable")
    cluster, values = clusters[by_cluster], values[:, by_cluster]
    before = np.cumsum(values, axis=1) - values
    sums = np.empty_like(before)
    sums[:, by_cluster] = before - before[:, np.searchsorted(cluster, cluster)]
    return sums


def find_row_masses(samples: Rankings, rows: Array) -> tuple[float, float]:
    """Return which weight counts as one row, in the positive and in the negative class.

    It's the weight of rows of the class if that is constant, as in case-control studies. Else it's
    sum w^2 / sum w of all rows, by which sum w is Kish's number of equal rows.
    """
    if samples.weight is None or not rows.any():
        return 1.0, 1.0
    classes = samples.weight[rows & samples.labels], samples.weight[rows & ~samples.labels]
    if all(np.ptp(each) == 0 for each in classes if each.size):
        masses = [float(each[0]) for each in classes if each.size]
        return masses[0], masses[-1]
    weight = samples.weight[rows].astype(float)
    largest = weight.max()  # whose square would overflow if it's large
    mass = float(weight @ (weight / largest) / np.sum(weight / largest))
    return mass, mass


def find_mass(samples: Rankings, rows: Array, is_hit: Array, alpha: float) -> float:
    """Return which weight of these rows counts as an independent one, in tests of their rate."""
    masses = find_row_masses(samples, rows)
    sums = Sums.accumulate(samples, rows, is_hit, masses).take(-1)
    return masses[0] * float(sums.compute_design_effect(alpha))


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

    def compute_interval(self, samples: Rankings, alpha: float) -> tuple[float, float]:
        """Return the ends of an interval, each missed with probability alpha; nan without rows.

        If hits and misses are classes whose weights correct the prevalence, so that how many there
        might be is fixed, the log odds of T hits and F misses don't have the variance 1/T + 1/F,
        but less 1/P and 1/N, for all P and N samples of these classes (Mercaldo, Lau and Zhou
        2007). The design effect is the quotient of both.
        """
        if not self.n:
            return nan, nan
        of_hit, of_miss = self.row_masses
        n_hits, n_misses = self.n_hits / of_hit, self.n_misses / of_miss
        n, clusters, effect = n_hits + n_misses, samples.group_codes, 1.0
        are_rows = clusters is None or np.bincount(clusters).max() == 1
        if of_hit != of_miss and are_rows:
            P = np.count_nonzero(self.is_hit)
            known = n_hits * n_misses / n * (1 / P + 1 / (self.is_hit.size - P))
            effect = max(1 - known, _ROUNDING)
        elif self.rows.any():  # All positives may lack a score.
            sums = Sums.accumulate(samples, self.rows, self.is_hit, self.row_masses)
            effect = sums.take(-1).compute_design_effect(alpha)
        ends = compute_binomial_interval(n_hits / effect, n / effect, alpha)
        low, high = (_change_odds(end, of_hit / of_miss) for end in ends)
        return low, high


def _change_odds(rate: float, ratio: float) -> float:
    """Return the rate with so many times the odds, as weights of hits and misses change them."""
    return rate if ratio == 1 else rate * ratio / (rate * ratio + (1 - rate))


def list_rates(samples: Rankings, is_flagged: Array, n_positives: float | None) -> dict[str, Rate]:
    """Return the rates that are known; of negatives, none if some positives have no scores."""

    def weigh(rows: Array) -> float:
        if samples.weight is None:
            return int(np.count_nonzero(rows))
        return float(np.sum(samples.weight[rows]))

    def count(
        rows: Array, is_hit: Array, masses: tuple[float, float], n_unscored: float = 0
    ) -> Rate:
        n_misses = weigh(rows & ~is_hit) + n_unscored
        return Rate(rows, is_hit, weigh(rows & is_hit), n_misses, masses)

    is_positive = samples.labels
    n_scored = weigh(is_positive)
    n_unscored = 0 if n_positives is None else n_positives - n_scored
    if abs(n_unscored) <= 1e-9 * n_scored:  # Sums of weights are rounded.
        n_unscored = 0
    if n_unscored < 0:
        raise ValueError(f"n_positives is {n_positives}, but y_true has {n_scored} positives.")
    masses = find_row_masses(samples, np.ones_like(is_positive))
    of_positives = find_row_masses(samples, is_positive)
    rates = {
        "precision": count(is_flagged, is_positive, masses),
        "recall": count(is_positive, is_flagged, of_positives, n_unscored),
    }
    if not n_unscored:
        of_negatives = find_row_masses(samples, ~is_positive)
        rates["specificity"] = count(~is_positive, ~is_flagged, of_negatives)
        rates["negative_predictive_value"] = count(~is_flagged, ~is_positive, masses[::-1])
    return rates


# --- promised precisions --------------------------------------------------------------------------


def sum_tops(samples: Rankings, n_flagged: Array, n_hits: Array) -> tuple[Sums, float]:
    """Add up so many highest scores, and return how many times as much a positive weighs as a
    negative. Numbers of rows and hits are enough without weights and clusters.
    """
    if samples.weight is None and samples.group_codes is None:
        return Sums(n_flagged, n_hits), 1.0
    row_masses = find_row_masses(samples, np.ones(samples.labels.size, dtype=bool))
    order = np.argsort(samples.scores, kind="stable")[::-1]
    sums = Sums.accumulate(samples, order, samples.labels, row_masses)
    return sums.take(n_flagged - 1), row_masses[0] / row_masses[1]


def confirm_precisions(sums: Sums, odds: float, goal: float, alpha: float) -> Array:
    """Return which points keep a precision in the population, all with probability 1 - alpha. They
    and `odds` are what `sum_tops` returns.

    Precision may rise or fall with the threshold, so there is no order statistic. But if points are
    tested in an order that was fixed before, until one fails, all that pass hold together, whatever
    their number: a fixed sequence of tests (Angelopoulos et al. 2025). Each test is binomial, of
    the hits among the flagged rows, which is exact for independent rows.

    alpha is split over six starts at fixed numbers of rows, whatever their labels. From each of
    them, points are tested downwards until one fails. A run of passed tests that reaches the next
    start gives its alpha to it (Wiens 2003).
    """
    if goal in (0, 1):  # Every point keeps 0, and none keeps 1.
        return np.full(sums.n.size, goal == 0)
    goal = _change_odds(goal, 1 / odds)
    # Fewer samples than at the first start can't pass.
    first = count_needed(goal, alpha / _N_STARTS)
    most = np.maximum.accumulate(sums.n / sums.adjust_for_t(alpha / _N_STARTS))
    starts = np.searchsorted(most, [first * 2**i for i in range(_N_STARTS)]).tolist()
    is_kept = np.zeros(sums.n.size, dtype=bool)
    alpha_left = 0.0
    for start, next_start in zip(starts, [*starts[1:], sums.n.size], strict=True):
        alpha_here = alpha / _N_STARTS + alpha_left
        n_passed = _count_confirmed(sums.take(slice(start, next_start)), goal, alpha_here)
        is_kept[start : start + n_passed] = True
        alpha_left = alpha_here if start + n_passed == next_start else 0.0
    return is_kept


def _count_confirmed(sums: Sums, goal: float, alpha: float) -> int:
    """Count the points before the first one that fails the binomial test of a precision.

    Chernoff's bound of the tail takes a hundredth of the time of the beta distribution, and decides
    most tests. It is exp(-n KL), where KL, the relative entropy of the precision T/n to the goal,
    is at least (T/n - goal)^2 / (2 T/n (1 - goal)).
    """
    for start in range(0, sums.n.size, _N_TESTED):
        block = sums.take(slice(start, start + _N_TESTED))
        effect = block.compute_design_effect(alpha)
        n_hits, n = block.n_hits / effect, block.n / effect
        excess = n_hits - goal * n
        is_confirmed = (excess > 0) & (excess**2 >= -2 * log(alpha) * n_hits * (1 - goal))
        unsure = np.flatnonzero(~is_confirmed)
        is_confirmed[unsure] = confirm_rate(n_hits[unsure], n[unsure], goal, alpha)
        if not is_confirmed.all():
            return start + int(np.argmin(is_confirmed))
    return int(sums.n.size)
