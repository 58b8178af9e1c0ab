"""From how numbers vary to intervals and p values."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy.special import expit, logit, stdtr, stdtrit

from .segments import Array

# Values that are equal on paper may end in other bits, as these depend on the order of the sums.
# They differ by less than this share of them. For models to differ truly, and by so little, it
# takes some 10**12 samples.
ROUNDING = 1e-12
_FLIPS = 2**16  # try all flips up to this many, even if fewer are asked for


class Spread(NamedTuple):
    """How the numbers of a mean vary together.

    Their covariance is the product of the deviations with themselves: one row a number, one column
    a unit (its influence) or a resample.
    """

    values: Array
    shares: Array  # of each number in the mean; they add up to 1
    deviations: Array
    trials: Array  # on how many units each number rests
    mean: float  # as the metric adds it up: values @ shares may end in another bit
    n_units: float | None = None  # that the columns stand for; None if they are no influences
    folds: Array | None = None  # how many units each column stands for; None for one
    drift: Array | float = 0.0  # deviations of the mean because the shares vary
    each: Array | None = None  # the values of queries, if the number is a mean over them
    unseen: Array | float = 0.0  # what each number would lose to one more negative at the top
    most: Array | float = 1.0  # what each number may be, whatever the share of positives
    perfect: Array | float = 1.0  # what each number is of a perfect ranking

    def less(self, other: Self) -> Self:
        """The differences to numbers of the same units."""
        if not np.array_equal(self.shares, other.shares):
            return self._as_one().less(other._as_one())
        each = None
        if self.each is not None and other.each is not None:
            each = self.each - other.each
        difference = self._replace(
            values=self.values - other.values,
            deviations=self.deviations - other.deviations,
            mean=self.mean - other.mean,
            drift=self.drift - other.drift,
            each=each,
            most=np.maximum(self.most, other.most),
        )
        return difference.settled(max(self._largest, other._largest))

    def _as_one(self) -> Self:
        """The mean alone, where each side has shares of its own."""
        together = _mixed(self.shares, self.deviations) + self.drift
        return self._replace(
            values=np.array([self.mean]),
            shares=np.ones(1),
            deviations=together[np.newaxis],
            trials=self.trials.max(keepdims=True),
            drift=0.0,
            most=self._most,
        )

    def settled(self, largest: float | None = None) -> Self:
        """The same, but with deviations of exactly 0 if they are nothing but rounding.

        5/6 - 1/3 and 1 - 1/2 are the same difference, but not the same float. `largest` is the
        largest value that differences were made of.
        """
        noise = ROUNDING * (self._largest if largest is None else largest)
        if self.each is None:
            if self.standard_error > noise:
                return self
            return self._replace(deviations=np.zeros_like(self.deviations), drift=0.0)
        if np.ptp(self.each) > noise:
            return self
        one = self.each[0] if abs(self.each[0]) > noise else 0.0
        return self._replace(
            deviations=np.zeros_like(self.deviations), each=np.full_like(self.each, one)
        )

    @property
    def is_constant(self) -> bool:
        """Whether all queries have the same value."""
        return self.each is not None and not np.ptp(self.each)

    @property
    def _most(self) -> float:
        """What the mean may be."""
        return float(np.average(np.broadcast_to(self.most, self.shares.shape), weights=self.shares))

    @property
    def _largest(self) -> float:
        return float(np.max(self.values if self.each is None else self.each))

    @property
    def errors(self) -> Array:
        """The standard error of each number."""
        return _length(self.deviations)

    @property
    def standard_error(self) -> float:
        """That of the mean."""
        return float(_length(_mixed(self.shares, self.deviations) + self.drift))

    @property
    def freedom(self) -> Array:
        """Degrees of freedom of each standard error.

        Where few units bring most of the sum of squared influences, as the few bad ranks of a
        strong model do, it is less certain than one of so many normal squares: a chi-square that
        varies as much has fewer degrees. Taken is the (geometric) middle between these and the
        number of units that hold positives.
        """
        most = np.maximum(self.trials - 1.0, 0.0)
        if self.n_units is None:
            return most
        squares = self.deviations**2
        fourths = squares**2 if self.folds is None else squares**2 / np.maximum(self.folds, 1)
        total = squares.sum(axis=1)
        excess = fourths.sum(axis=1) - total**2 / self.n_units
        heavy = np.divide(2 * total**2, excess, out=most.copy(), where=excess > 0)
        return np.asarray(np.sqrt(most * np.clip(heavy, np.minimum(most, 1.0), most)))

    def limits(self, level: float) -> tuple[float, float]:
        """The ends of the interval around the mean, out of those of each number.

        The distances of the ends take the place of standard errors [1]_, so that a number of which
        nothing is known adds all that it may be. Squared influences say nothing of the negatives
        that are rare enough to be missing here and rank on top. So unless a ranking is perfect,
        the lower end is at least as far off as if half of what one such negative takes were the
        standard error.

        The number of a perfect ranking may be less than the most that is possible, as recall at k
        is with more than k positives. Its lower end is not above that after nothing but successes.

        References
        ----------
        .. [1] G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a
           general approach", Statistics in Medicine 27, 2008.
        """
        shares, errors = self.values / self.most, self.errors / self.most
        low, high = limits(shares, errors, self.trials, self.freedom, level, self.is_constant)
        lower = np.maximum(shares - quantile(np.inf, level) * self.unseen / self.most / 2, 0.0)
        low = np.where(shares > 1 - ROUNDING, low, np.minimum(low, lower)) * self.most
        by_chance = self.perfect * _least_by_chance(self.trials, level)
        is_perfect = self.values > (1 - ROUNDING) * self.perfect
        low, high = np.where(is_perfect, np.minimum(low, by_chance), low), high * self.most
        if self.values.size == 1:
            return low.item(), high.item()
        below, above = self._reach(self.values - low, level), self._reach(high - self.values, level)
        return max(self.mean - below, 0.0), min(self.mean + above, self._most)

    def _reach(self, distances: Array, level: float) -> float:
        errors = self.errors
        vary = np.flatnonzero(errors > ROUNDING * self.values)
        ratio = self.shares[vary] * distances[vary] / errors[vary]
        together = _mixed(ratio, self.deviations[vary])
        together = together + self.drift * quantile(np.inf, level)
        alone = np.delete(self.shares * distances, vary)
        return float(np.hypot(_length(together), _length(alone)))

    def t_test(self, level: float) -> tuple[float, float, float]:
        """The ends of the interval around a mean of differences, and its p value.

        If all queries show the same difference, the t-test is certain of it. If none of n queries
        shows any, the t-test is 0/0. Other queries may still show one, but as in n trials without a
        success, their share is bounded, and so is each difference.
        """
        difference, error, freedom = self.mean, self.standard_error, self._freedom()
        most = self._most
        if freedom > 0 and self.is_constant:
            if np.any(self.each):
                return difference, difference, 0.0
            reach = most * (1 - float(_least_by_chance(self.trials.item(), level)))
            return -reach, reach, 1.0
        if not freedom > 0 or error == 0:
            return -most, most, 1.0
        reach = float(quantile(freedom, level)) * error
        p = float(2 * stdtr(freedom, -abs(difference) / error))
        return max(difference - reach, -most), min(difference + reach, most), p

    def apart(self, other: Self, level: float) -> tuple[float, float]:
        """The ends of the interval around the difference of two means that vary by themselves."""
        (low, high), (other_low, other_high) = self.limits(level), other.limits(level)
        difference = self.mean - other.mean
        below = np.hypot(self.mean - low, other_high - other.mean)
        above = np.hypot(high - self.mean, other.mean - other_low)
        most = max(self._most, other._most)
        return float(max(difference - below, -most)), float(min(difference + above, most))

    def _freedom(self) -> float:
        """Degrees of freedom of the standard error of the mean, by Welch and Satterthwaite."""
        variances, freedom = (self.shares * self.errors) ** 2, self.freedom
        vary = np.flatnonzero(variances)
        if vary.size < 2:
            return float(np.min(freedom[vary] if vary.size else freedom))
        with np.errstate(divide="ignore"):
            squares = variances[vary] ** 2 / freedom[vary]
        return float(variances.sum() ** 2 / squares.sum())


def _mixed(shares: Array, rows: Array) -> Array:
    """The rows, each as often as its share, added up; without BLAS, whose threads cost more."""
    return np.asarray(np.einsum("i,ij->j", shares, rows))


def _length(rows: Array) -> Array:
    return np.asarray(np.sqrt(np.square(rows).sum(axis=-1)))


def quantile(freedom: Array | float, level: float) -> Array:
    """How many standard errors an interval reaches to either side."""
    return np.asarray(stdtrit(freedom, (1 + level) / 2))


def limits(
    values: Array,
    errors: Array,
    trials: Array,
    freedom: Array,
    level: float,
    is_constant: Array | bool = False,
) -> tuple[Array, Array]:
    """The ends of the interval around each number between 0 and 1.

    On the logit scale, where it stays within them; and where the standard error cannot say it, at
    0 and at 1, as for as many successes or failures of as many trials. A standard error of 0 says
    something only if the number is a mean of values that are all the same.
    """
    perfect = values > 1 - ROUNDING
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = quantile(freedom, level) * errors / (values * (1 - values))
        low, high = expit(logit(values) - reach), expit(logit(values) + reach)
    varies = errors > ROUNDING * values
    known = (trials > 1) & (varies | is_constant) & (0 < values) & ~perfect
    by_chance = _least_by_chance(trials, level)
    low = np.where(known, low, np.where(perfect, by_chance, 0.0))
    high = np.where(known, high, np.where(values > 0, 1.0, 1 - by_chance))
    return low, high


def _least_by_chance(trials: Array | float, level: float) -> Array:
    """The lower end of the interval after nothing but successes."""
    return np.asarray(((1 - level) / 2) ** (1 / np.asarray(trials)))


def holm(pvalues: Sequence[float], n_tests: int) -> list[float]:
    """p values adjusted by Holm's method, if so many tests could have been made."""
    order = np.argsort(pvalues, kind="stable")
    raised = np.asarray(pvalues, dtype=float)[order] * (n_tests - np.arange(order.size))
    adjusted = np.empty(order.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return list(adjusted.tolist())


def sign_flips(parts: Array, times: int, rng: np.random.Generator) -> float:
    """The p value of a sum whose parts had either sign with the same chance.

    All flips are tried if there are no more of them than `times`, or so few that they cost next to
    nothing.
    """
    if 2**parts.size <= max(times + 1, _FLIPS):
        flips = np.arange(2**parts.size)[:, np.newaxis] >> np.arange(parts.size) & 1
        found, tried = _as_far(parts, flips), len(flips)
    else:
        at_once = max(2**20 // parts.size, 1)
        sizes = [min(at_once, times - start) for start in range(0, times, at_once)]
        found = 1 + sum(_as_far(parts, rng.integers(0, 2, (size, parts.size))) for size in sizes)
        tried = times + 1
    return found / tried


def _as_far(parts: Array, flips: Array) -> int:
    """How many flips bring the sum at least as far from 0."""
    sums = np.abs((1 - 2 * flips) @ parts)
    return int(np.count_nonzero(sums >= abs(parts.sum()) - 1e-12 * np.abs(parts).sum()))
