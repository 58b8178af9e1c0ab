"""The law of inference: what deviations of a value say about it, and about differences of models.

Each rule stands in one place, and docs/method.md has all of them in words:

============================================================  ====================================
what a sample may lack by chance: c = 1 - 0.025^(1/u)         Variation.compute_lacking
degrees of freedom of crossed units (Welch, Satterthwaite)    combine_freedom
equal units that say as much: u = (sum m)^2 / sum m^2         count_equal
the interval of a value                                       Variation.compute_interval
the difference of two models, and what their sample lacks     compare_variations
the strata of units with and without positives                vary_strata
a t-test, in which S is at least |D|/u, and Bonferroni        compute_t_test
ends for a margin: r becomes sqrt(r^2 + K^2 + c^2)            TTest.with_margin_ends
the corrected t-test of folds                                 compare_fold_scores
the best of many ways to train, without its luck              correct_best
verdicts                                                      decide_verdict
============================================================  ====================================

Influences, u at a cutoff, and K, the cost of one more negative, are in variation.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.special import expit, logit, stdtr, stdtrit

from .._core import Array

ROUNDING = 1e-12  # of values: relative differences below this are rounding errors
_N_DRAWS = 999  # of folds
_FOLD_NOISE = 1e-3  # folds whose differences vary by less, as a fraction of these, are equal


@dataclass(frozen=True, eq=False, kw_only=True)
class Variation:
    """A value, and how much it varies between samples.

    The squares of the deviations add up to the variance of the value. There is one for each
    sampling unit, which is a row, a cluster of rows or a group, or for each resample. The
    difference of two models has the differences of their deviations.
    """

    value: float
    deviations: Array
    units: float  # u: as many equal units with positives say as much
    basis: str  # such as "395 positives"
    limits: tuple[float, float] = (0.0, 1.0)
    perfect: float = 1.0  # the value of a perfect ranking, which a cutoff may limit
    find_most: Callable[[float], float] | None = None  # at a level, in place of the upper limit
    greater_is_better: bool = True
    cost: float = 0.0  # K: what one more negative above all others would cost
    bias: float = 0.0  # by how much means over classes, and resampled values, are too high
    lone: Array = field(default_factory=lambda: np.zeros(0))  # parts of classes with u < 2
    strata: Array | None = None  # of one ranking: the mass of positives in each unit
    group_values: Array | None = None  # if groups are the units
    resampled: Array | None = None  # the values of resamples
    crossed: tuple["Variation", ...] = ()  # the same value over other units, as seeds beside rows
    chance: float = np.nan  # the mean value of random rankings
    n_samples: int
    n_positives: float

    @cached_property
    def standard_error(self) -> float:
        return float(np.sqrt(sum(self._variances)))

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the standard error."""
        return combine_freedom(self._variances, [each.units for each in (self, *self.crossed)])

    @property
    def _variances(self) -> list[float]:
        return [float(np.sum(each.deviations**2)) for each in (self, *self.crossed)]

    @property
    def varies(self) -> bool:
        """Whether it's known how much the value varies."""
        noise = ROUNDING * max(abs(self.value), 1e-300)
        return self.units > 1 and self.standard_error > noise

    @property
    def largest(self) -> float:
        """The largest value of a group, or the only value, by which rounding errors are judged."""
        values = [self.value] if self.group_values is None else self.group_values
        return float(np.abs(values).max())

    def find_limits(self, level: float) -> tuple[float, float]:
        """Return the least and the highest value that samples have at this level."""
        least, most = self.limits
        return least, most if self.find_most is None else self.find_most(level)

    def compute_lacking(self, level: float) -> float:
        """Compute c: one in 40 samples (at the usual level) lacks a kind of units that makes up
        this fraction of the population.
        """
        return float(1 - ((1 - level) / 2) ** (1 / self.units))

    def compute_reach(self, level: float) -> float:
        """Compute how far a t interval extends to each side."""
        return float(stdtrit(self.freedom, (1 + level) / 2)) * self.standard_error

    def compute_plain_interval(self, level: float) -> tuple[float, float]:
        """Compute the interval of a t-test on the scale of the value."""
        least, most = self.find_limits(level)
        if not self.varies:
            return least, most
        reach = self.compute_reach(level)
        return max(self.value - reach, least), min(self.value + reach, most)

    def compute_interval(self, level: float) -> tuple[float, float]:
        """Compute the interval of a t-test on the logit scale.

        Its low end moves out by what one more negative would cost. Its high end is at least what
        the value would be if the units that the sample may lack were perfect. Over groups that
        vary, both ends move out by what one more group with the least or the best value would do.
        """
        least, most = self.find_limits(level)
        if self.units <= 1 or not np.isfinite(most - least):  # there is no logit scale
            return self.compute_plain_interval(level)
        if not self.greater_is_better:
            low, high = self._negate().compute_interval(level)
            return -high, -low
        width, lacking = most - least, self.compute_lacking(level)
        value, cost, gain = (self.value - least) / width, self.cost / width, 0.0
        if self.group_values is not None:
            cost, gain = value / (self.units + 1), (1 - value) / (self.units + 1)
        is_known = self.varies and 0 < value < 1 - ROUNDING
        low = high = value
        if is_known:
            low, high = self._compute_logit_interval(value, width, level)
            low = value - float(np.hypot(value - low, cost))
            high = value + float(np.hypot(high - value, gain))
        is_perfect = self.value >= (1 - ROUNDING) * self.perfect
        if is_perfect or not is_known:  # nothing shows how low it could be
            low = min(low, value - max(lacking * value, cost))
        if self.group_values is None or not is_known:
            high = max(high, value + lacking * (1 - value))
        low, high = max(low - self.bias / width, 0.0), min(high, 1.0)
        return min(least + low * width, self.value), max(least + high * width, self.value)

    def _negate(self) -> Self:
        return replace(
            self,
            value=-self.value,
            limits=(-self.limits[1], -self.limits[0]),
            perfect=-self.perfect,
            greater_is_better=True,
        )

    def describe(self, level: float) -> dict[str, Any]:
        """Return the value with its interval, and what these rest on, as results have it."""
        low, high = self.compute_interval(level)
        names = ("value", "standard_error", "units", "chance", "basis", "n_samples", "n_positives")
        return {"low": low, "high": high} | {name: getattr(self, name) for name in names}

    def _compute_logit_interval(
        self, value: float, width: float, level: float
    ) -> tuple[float, float]:
        """Compute the interval of a t-test on the logit scale, for limits of 0 and 1."""
        reach = self.compute_reach(level) / width
        moved = reach / (value * (1 - value))
        low, high = float(expit(logit(value) - moved)), float(expit(logit(value) + moved))
        if self.resampled is None or self.crossed:  # resamples of rows don't tell how seeds vary
            return low, high
        # Close to 1, this scale exaggerates large errors. So no end is farther away than both the
        # end of the plain t interval and the quantile of the resamples.
        tails = np.nanquantile(self.resampled, [(1 - level) / 2, (1 + level) / 2])
        tails = (tails - self.limits[0]) / width
        return max(low, min(tails[0], value - reach)), min(high, max(tails[1], value + reach))


def count_equal(mass: Array) -> float:
    """Count the equal units that say as much as units of these masses: (sum m)^2 / sum m^2."""
    if not mass.any():
        return 0.0
    relative = mass / mass.max()  # squares of large ones would overflow
    number, most = relative.sum() ** 2 / np.sum(relative**2), np.count_nonzero(mass)
    return float(most if number > most * (1 - 1e-9) else number)


def cross(variations: Sequence[Variation]) -> Variation:
    """Let a value vary over several kinds of units at once, whose variances add up.

    What varies in single cells, as how a seed ranks a row, is in both of two variances. So their
    sum is a little too large, and not too small for three seeds, as without that part.
    """
    first, *others = sorted(variations, key=lambda each: each.group_values is not None)
    return replace(first, crossed=tuple(others)) if others else first


def combine_freedom(variances: Sequence[float], units: Sequence[float]) -> float:
    """Compute the degrees of freedom of a sum of variances, each of which rests on u units."""
    total = sum(variances)
    freedoms = [max(u - 1, 1e-9) for u in units]
    if len(freedoms) == 1 or not total:
        return freedoms[0]
    return 1 / sum((v / total) ** 2 / df for v, df in zip(variances, freedoms, strict=True))


# --- differences ----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class TTest:
    """What a sample tells about a difference; nan what it doesn't tell."""

    difference: float = np.nan
    low: float = np.nan
    high: float = np.nan
    margin_low: float = np.nan  # ends for claims about a margin, which allow for what samples lack
    margin_high: float = np.nan
    least_margin: float = np.nan  # no smaller margin can be shown
    standard_error: float = np.nan
    units: float = np.nan  # of the t-test, which has one degree of freedom less
    pvalue: float = np.nan

    def with_margin_ends(self, unseen: float, most: float) -> Self:
        """Move ends out for claims about a margin: a distance r becomes sqrt(r^2 + K^2 + c^2).

        `unseen` is sqrt(K^2 + c^2): how much models may differ on what the sample lacks.
        """
        below = float(np.hypot(self.difference - self.low, unseen))
        above = float(np.hypot(self.high - self.difference, unseen))
        return replace(
            self,
            margin_low=max(self.difference - below, -most),
            margin_high=min(self.difference + above, most),
            least_margin=unseen,
        )


def compare_variations(a: Variation, b: Variation, level: float, family: int = 1) -> TTest:
    """Test the difference of two models on the same units, as one of a family of differences."""
    kinds = [*zip((a, *a.crossed), (b, *b.crossed), strict=True)]
    variances = [vary_difference(*kind) for kind in kinds]
    difference, error = a.value - b.value, float(np.sqrt(sum(variances)))
    noise = ROUNDING * max(a.largest, b.largest)
    if error <= noise:
        error, variances = 0.0, [0.0 for _ in kinds]
        difference = difference if abs(difference) > noise else 0.0
    freedom = combine_freedom(variances, [min(x.units, y.units) for x, y in kinds])
    of_one = 1 - (1 - level) / family
    most = max(float(np.diff(each.find_limits(of_one))[0]) for each in (a, b))
    units = min(a.units, b.units)
    test = compute_t_test(difference, error, units, freedom, level, family, most)
    test = replace(test, units=freedom + 1) if a.crossed else test
    lacking = max(compute_largest_loss(each, most, of_one) for each in (a, b))
    test = test.with_margin_ends(float(np.hypot(lacking, max(a.cost, b.cost))), most)
    if not test.standard_error:  # models that agree here may differ on what the sample lacks
        test = replace(test, low=test.margin_low, high=test.margin_high)
    return test


def vary_difference(a: Variation, b: Variation) -> float:
    """Compute the variance of a difference over units of one kind."""
    deviations = a.deviations - b.deviations
    variance = np.sum(deviations**2) if a.strata is None else vary_strata(deviations, a.strata)
    # A class that rests on fewer than two units doesn't show how much its difference varies.
    lone = a.lone - b.lone
    return float(variance + np.sum(lone**2))


def vary_strata(deviations: Array, mass: Array) -> float:
    """Compute the variance of a difference that varies only among units with positives, around what
    their mass explains, and among those without. How many there are of each is the same for both
    models.
    """
    n, variance, inside = deviations.size, 0.0, mass > 0
    strata = (deviations[inside], mass[inside]), (deviations[~inside], np.ones(n - inside.sum()))
    for part, m in strata:
        n_equal = count_equal(m)
        factor = 1.0
        if n_equal > 1:
            part = part - m * (part.sum() / m.sum())
            factor = n_equal / (n_equal - 1) * (n - 1) / n
        variance += float(part @ part) * factor
    return variance


def compute_largest_loss(variation: Variation, most: float, level: float) -> float:
    """Compute how much models may differ if they differ by `most` in what the sample may lack. If
    there is no limit, it's the farther end of the interval.
    """
    if not np.isfinite(most):
        most = max(map(abs, variation.compute_interval(level)))
    return variation.compute_lacking(level) * most


def compute_t_test(
    difference: float,
    error: float,
    units: float,
    freedom: float,
    level: float,
    family: int,
    most: float,
) -> TTest:
    """Make a t-test, whose p and interval say the same, for a family of so many (Bonferroni).

    The standard error is at least |D|/u, as if one more unit showed no difference, so that a few
    units with nearly equal differences don't pin it down. A single unit tells nothing.
    """
    if units <= 1:
        return TTest(difference=difference, units=units)
    error = max(error, abs(difference) / units)
    low = high = difference
    pvalue = 1.0
    if error:
        reach = float(stdtrit(freedom, 1 - (1 - level) / family / 2)) * error
        low, high = max(difference - reach, -most), min(difference + reach, most)
        pvalue = min(float(2 * stdtr(freedom, -abs(difference) / error)) * family, 1.0)
    alpha = compute_alpha(level)
    excludes_zero = low > 0 or high < 0
    if excludes_zero != (pvalue < alpha):  # by rounding
        pvalue = float(np.nextafter(alpha, 0)) if excludes_zero else alpha
    return TTest(
        difference=difference, low=low, high=high, standard_error=error, units=units, pvalue=pvalue
    )


def compute_alpha(level: float) -> float:
    """Return what p has to be below. The float 1 - 0.95 isn't 0.05."""
    return round(1 - level, 12)


def compare_fold_scores(
    a: Array, b: Array, ratio: float, freedom: float, level: float, family: int
) -> TTest:
    """Test the mean difference on k folds, which share training data: its variance is
    (1/k + n_test/n_train) s^2.
    """
    d = a - b
    difference, noise = float(d.mean()), ROUNDING * max(np.abs(a).max(), np.abs(b).max())
    error = float(np.sqrt((1 / d.size + ratio) * d.var(ddof=1)))
    are_fractions = min(a.min(), b.min()) >= 0 and max(a.max(), b.max()) <= 1
    if error <= noise and abs(difference) <= noise:
        difference, error = 0.0, 0.0
    # There are always few folds, so only equal differences are taken for too few to tell.
    units = freedom + 1 if error <= _FOLD_NOISE * abs(difference) else np.inf
    most = 1.0 if are_fractions else np.inf
    test = compute_t_test(difference, error, units, freedom, level, family, most)
    return replace(test, units=freedom + 1).with_margin_ends(0.0, most)


def correct_best(
    scores: Array, ratio: float, freedom: float, level: float
) -> tuple[float, float, float]:
    """Return what the best of several ways has on folds that didn't choose it, and a t interval.

    Folds are drawn with replacement, and the best way on these is evaluated on the others. Repeats
    test the same rows, so each one is drawn by itself. `scores` are of shape (n_ways, n_folds).
    """
    n_folds, k = scores.shape[1], round(freedom) + 1
    k = n_folds if n_folds % k else k
    times = np.random.default_rng(0).multinomial(k, np.full(k, 1 / k), _N_DRAWS)
    is_left = times == 0
    times, is_left = times[is_left.any(axis=1)], is_left[is_left.any(axis=1)]
    values = []
    for repeat in np.split(scores, n_folds // k, axis=1):
        best = np.argmax(repeat @ times.T, axis=0)
        values.append(np.average(repeat[best], axis=1, weights=is_left).mean())
    best = scores[np.argmax(scores.mean(axis=1))]
    value = min(float(np.mean(values)), float(best.mean()))
    reach = stdtrit(freedom, (1 + level) / 2) * np.sqrt((1 / n_folds + ratio) * best.var(ddof=1))
    least, most = (0, 1) if 0 <= scores.min() and scores.max() <= 1 else (-np.inf, np.inf)
    return value, float(max(value - reach, least)), float(min(value + reach, most))


def decide_verdict(test: TTest, margin: float | None = None, greater_is_better: bool = True) -> str:
    """Say what the interval of a difference shows about the first model.

    It's "equivalent" if the ends for the margin lie within it, even if the interval excludes 0, and
    "no worse" if they exclude losses of the margin or more. An end on the margin is outside of it.
    So identical models are equivalent only if the margin is above sqrt(K^2 + c^2).
    """
    low, high, lower, upper = test.low, test.high, test.margin_low, test.margin_high
    if not greater_is_better:
        low, high, lower, upper = -high, -low, -upper, -lower
    if np.isnan(low):
        return "unclear"
    inside = None if margin is None else margin * (1 - 1e-9)
    if inside is not None and -inside < lower and upper < inside:
        return "equivalent"
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    if inside is not None and lower > -inside:
        return "no worse"
    if inside is not None and upper < inside:
        return "no better"
    return "unclear"
