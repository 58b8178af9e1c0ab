"""What "How intervals are made" in docs/confidence_intervals.md says, for average precision without
ties, in plain NumPy and without any code of the package.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.special import expit, logit


def count_equal(weights):
    """Return how many equal units carry as much."""
    weights = np.asarray(weights, float)
    return weights.sum() ** 2 / np.square(weights).sum()


def usual(weights):
    return np.square(weights).sum() / weights.sum()


def lacked(u, level=0.95):
    """The fraction of u units that a sample may lack, c."""
    return 1 - ((1 - level) / 2) ** (1 / u)


@dataclass
class Evidence:
    """What one model's value rests on."""

    value: float
    influences: np.ndarray  # of units
    positives: np.ndarray  # the mass of positives in each unit
    cost: float  # k, of one more negative at the top
    are_clusters: bool = False
    are_groups: bool = False
    bias: float = 0.0  # how much too high the value is on average
    shift: float = 0.0  # of the lower end of a mean over classes
    classes: tuple = ()  # the evidence of each

    @property
    def u(self):
        if self.are_groups:
            return self.influences.size
        return count_equal(self.positives[self.positives > 0])

    @property
    def error(self):
        n = self.influences.size
        return np.sqrt(np.square(self.influences).sum() * n / (n - 1))

    def interval(self, level=0.95):
        v, u = self.value, self.u
        reach = stats.t.ppf((1 + level) / 2, u - 1) * self.error / (v * (1 - v))
        low, high = expit(logit(v) - reach), expit(logit(v) + reach)
        if not self.are_groups:
            high = max(high, v + lacked(u, level) * (1 - v))
        return np.clip((v - np.hypot(v - low, self.cost) - self.shift, high), 0, 1)


def weigh(y, score, weight=None, cluster=None):
    """Return the evidence of rows or clusters of one ranking."""
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, float)
    order = np.argsort(-np.asarray(score))
    y, w = np.asarray(y, bool)[order], weight[order]
    unit = order if cluster is None else np.asarray(cluster)[order]
    hits, among = np.cumsum(w * y), np.cumsum(w)
    precision, whole = hits / among, w @ y
    value = (w * y) @ precision / whole

    def cost_of_negatives(divisor):
        """What each negative takes, for each unit of its weight, from positives below it."""
        lost = w * y * hits / among / divisor
        return -(lost.sum() - np.cumsum(lost)) / whole

    of_negatives, of_positives = usual(w[~y]), usual(w[y])
    numbers = np.unique(unit, return_inverse=True)[1]
    if cluster is not None:  # those of a cluster that rank together
        costs = np.where(y, 0, w * cost_of_negatives(among))
        of_negatives *= np.square(np.bincount(numbers, costs)).sum() / np.square(costs).sum()
    excess = max(of_negatives - of_positives, 0)
    slopes = cost_of_negatives(np.maximum(among - excess, hits) if excess > 1e-9 else among)
    gains = (w * y * (1 - precision) / among)[::-1].cumsum()[::-1]
    by_row = np.where(y, w * (precision - value + gains) / whole, w * slopes)
    positives, influences = np.bincount(numbers, w * y), np.bincount(numbers, by_row)
    at_top = (w * y) @ (hits / (among + of_negatives)) / whole
    bias = 1.5 * (w * y) @ ((1 - precision) / among) / y.sum()
    return Evidence(value, influences, positives, value - at_top, cluster is not None, bias=bias)


def weigh_classes(y, scores):
    """Return the evidence of the mean over classes, of rows that count equally."""
    each = [weigh(*columns) for columns in zip(y.T, scores.T, strict=True)]
    n_classes = len(each)
    # As many units as say as much about the mean: the positives of a class share 1 / n_classes.
    in_mean = sum(one.positives / one.positives.sum() for one in each) / n_classes
    return Evidence(
        np.mean([one.value for one in each]),
        sum(one.influences for one in each) / n_classes,
        in_mean,
        max(one.cost for one in each) / n_classes,
        shift=np.mean([one.bias for one in each]),
        classes=each,
    )


def interval_without_variance(value, u, cost=0.0, level=0.95):
    c = lacked(u, level)
    return value - max(c * value, cost), value + c * (1 - value)


def weigh_groups(values):
    """Return the evidence of groups that count equally."""
    n = len(values)
    influences = (values - np.mean(values)) / n
    return Evidence(np.mean(values), influences, np.ones(n), 0.0, are_groups=True)


@dataclass
class Difference:
    value: float
    low: float
    high: float
    margin_low: float
    margin_high: float
    p: float


def square_within_strata(influences, positives):
    """Return how much clusters contribute to the variance, within those with positives and without,
    beyond what their mass of positives explains.
    """
    squares = np.square(influences) * influences.size / (influences.size - 1)
    for mass in (positives, 1.0 * (positives == 0)):
        inside, n_equal = mass > 0, count_equal(mass) if mass.any() else 1
        if n_equal > 1:
            rest = influences - mass / mass.sum() * influences[inside].sum()
            squares[inside] = np.square(rest)[inside] * n_equal / (n_equal - 1)
    return squares


def subtract_influences(one, other):
    influences = one.influences - other.influences
    if one.u >= 2:
        return influences
    error = np.linalg.norm(influences) * np.sqrt(influences.size / (influences.size - 1))
    return influences * max(abs(one.value - other.value) / error, 1)


def subtract(one, other, level=0.95):
    difference, influences = one.value - other.value, one.influences - other.influences
    if one.classes:
        of_classes = map(subtract_influences, one.classes, other.classes)
        influences = sum(of_classes) / len(one.classes)
    n, u = influences.size, one.u
    squares = np.square(influences) * n / (n - 1)
    if one.are_clusters:
        squares = square_within_strata(influences, one.positives)
    low, high, p = compare_by_t(difference, np.sqrt(squares.sum()), u, level)
    unseen = np.hypot(max(one.cost, other.cost), lacked(u, level))
    moved = np.hypot(high - difference, unseen)
    ends = np.array([low, high, difference - moved, difference + moved])
    return Difference(difference, *np.clip(ends, -1, 1), p)


def compare_by_t(difference, error, u, level=0.95):
    """Return the ends and the p of a difference, before they are cut to what is possible."""
    error = max(error, abs(difference) / u)
    reach = stats.t.ppf((1 + level) / 2, u - 1) * error
    p = 2 * stats.t.sf(abs(difference) / error, u - 1)
    return difference - reach, difference + reach, p


def compare_means(differences, level=0.95):
    """Return those of a mean of differences, each of one group."""
    return compare_by_t(np.mean(differences), stats.sem(differences), len(differences), level)
