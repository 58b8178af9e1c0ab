"""Intervals and p-values, from the variation of values."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaincinv, expit, logit, ndtr, ndtri, stdtr, stdtrit

from .skewed import Mean, skewness_of
from .within import Array, any_of, blocks, lone, ratio

# Values that are mathematically equal can differ in the last bits, which depend on the order of
# summation. Their relative difference is less than this. Models that truly differ by so little
# would need some 10**12 samples.
ROUNDING = 1e-12
# By simulation, see benchmarks/coverage.md.
_LIKE_THE_HEAVIEST = 0.6
MANY = 1000  # degrees of freedom from which p-values of both tests differ by less than 0.01
_TINY = 1e-300
_NOTHING = np.zeros(0)
_FARTHEST = 7.0  # normal quantiles beyond which p-values are all the same
_USUAL_EXPONENT = 64  # of two: the fourth powers of such numbers are far from overflowing
_FEW = 10  # one of so many units is few
_MOST_OF = 2 / 3  # of the variance, which the few units have that decide
_APART = 10  # parts whose signs are all tried, while the sum of the others is nearly normal
_SIGNS = 1.0 - 2 * (np.arange(2 ** (_APART // 2))[:, np.newaxis] >> np.arange(_APART // 2) & 1)


def alpha_of(level: float) -> float:
    """Return what p-values have to be below. The float 1 - 0.95 isn't 0.05."""
    return round(1 - level, 12)


def have_same_weight(left: Array, right: Array) -> bool:
    """Whether values have the same weights, which may have been added up in another order."""
    if left is right or np.array_equal(left, right):
        return True
    return left.shape == right.shape and np.allclose(left, right, rtol=1e-9, atol=0)


@dataclass(frozen=True, eq=False)
class LookedUp:
    """The deviations of one value, for so many units that arrays of them would need much memory.

    The deviation of a unit is the sum of its entries in several tables. It's computed block by
    block whenever it is needed. This has those operators and methods of an array of shape
    (1, n_units) that a `Spread` needs, and no others: sums are always over the units.
    """

    tables: Sequence[Array]  # of entries
    places: Sequence[Array]  # of each unit's entry in each table, all of shape (n_units,)
    n_squared: int = 0  # how often the sums are squared: twice for fourth powers

    __array_ufunc__ = None  # arrays leave operators to this class

    def __mul__(self, factor: float) -> Self:
        return type(self)([table * factor for table in self.tables], self.places)

    def __sub__(self, other: Self) -> Self:
        tables = [*self.tables, *(other * -1.0).tables]
        return type(self)(tables, [*self.places, *other.places])

    def __pow__(self, exponent: int) -> Self:
        assert exponent == 2, "only squares are known"
        return self._squares

    @cached_property
    def _squares(self) -> Self:
        return type(self)(self.tables, self.places, self.n_squared + 1)

    @cached_property
    def _total(self) -> float:
        return float(sum(deviations.sum() for _, deviations in self._by_block()))

    def sum(self, axis: int) -> Array:
        return np.array([self._total])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        row = np.empty((1, self.places[0].size))
        for block, deviations in self._by_block():
            row[0, block] = deviations
        return row

    def __rmatmul__(self, shares: Array) -> Array:
        (row,) = np.asarray(self * shares.item())  # how much the only value counts
        return np.asarray(row)

    def _by_block(self) -> Iterator[tuple[slice, Array]]:
        """Yield the deviations of a block of units, or their powers, with the block."""
        for block in blocks(self.places[0].size):
            tables = zip(self.tables, self.places, strict=True)
            deviations = np.add.reduce([table.take(places[block]) for table, places in tables])
            for _ in range(self.n_squared):
                deviations *= deviations
            yield block, deviations


class Loss(NamedTuple):
    """What values may lose to units that weren't sampled."""

    unseen: Array | float = 0.0  # loss of each value to one more negative at the top, as a limit
    at_top: Array | float = 0.0  # this loss, however unlikely such a negative is
    excess: Array | float = 0.0  # how much too high each value may be on samples of this size
    of_mean: float = 0.0  # the same for the mean of values that rest on few positives each
    unseen_gain: Array | None = None  # of each value from one more heavy positive at the top
    spread_of_positives: Callable[[], float] = lambda: np.nan  # of the only ranking


class _SpreadFields(NamedTuple):
    """What a `Spread` consists of."""

    values: Array
    shares: Array  # of each value in the mean; they add up to 1
    deviations: Any
    trials: Array  # the number of units that each value depends on
    mean: float  # as the metric sums it; values @ shares can differ in the last bit
    together: float = np.inf  # the number of units that the mean depends on
    n_units: float | None = None  # represented by the columns; None if they are not influences
    folds: Array | None = None  # the number of units per column; None for one
    drift: Array | float = 0.0  # deviations of the mean because shares vary
    each: Array | None = None  # the values of rankings, for a mean over them
    weight: Array = _NOTHING  # the fraction of that mean that each of all rankings makes up
    loss: Callable[[], Loss] = Loss  # computed when it's needed, which it isn't for differences
    most: Array | float = 1.0  # the largest possible value, for any fraction of positives
    perfect: Array | float = 1.0  # the value of a perfect ranking
    scarce: Array | None = None  # standard errors of log(positives), if they limit that value
    is_optimistic: bool = False  # whether values tend to be higher than with more samples
    bent: int | None = None  # the number of units, if a cutoff or a target bends the distribution
    drawn: Array | None = None  # the values of resamples, one row each, if they are needed
    further: tuple[float, float] = (0.0, 0.0)  # standard errors of both ends that no unit shows
    ends: tuple[float, float] | None = None  # of values that aren't between 0 and `most`
    may_be_skewed: bool = False  # whether a mean needs Hall's test, besides the t-test


class Spread(_SpreadFields):
    """Joint variation of the values that a mean consists of.

    Their covariance is the product of the deviations with themselves. These have one row per value,
    and one column per sampling unit (its influence) or resample. With groups, they are sparse,
    because there may be many groups with few of the units each, and with millions of units,
    they are looked up.
    """

    def of_resamples(self, drawn: Array) -> Self:
        """Use the deviations of resamples, of shape (n_resamples, n_values), from their mean."""
        defined = ~np.isnan(drawn)
        counts = defined.sum(axis=0)
        if counts.min() < 2:
            raise ValueError("Fewer than two resamples have positives. Use a larger n_resamples.")
        center = np.where(defined, drawn, 0).sum(axis=0) / counts
        deviations = np.where(defined, drawn - center, 0) / np.sqrt(counts - 1)
        is_needed = self.bent is not None or self.is_optimistic
        return self._replace(deviations=deviations.T, drawn=drawn if is_needed else None)

    def within(self, low: float, high: float) -> Self:
        """Let values be between these ends, which can be infinite."""
        return self._replace(ends=(low, high), most=high - low)

    def less(self, other: Self) -> Self:
        """Return the differences from values of the same units."""
        if self.each is not None and not have_same_weight(self.weight, other.weight):
            # With other weights, rankings of equal values may still make a difference.
            return self._replace(each=None).less(other)
        if not have_same_weight(self.shares, other.shares):
            return self._as_one().less(other._as_one())
        each = None
        if self.each is not None and other.each is not None:
            each = self.each - other.each
        difference = self._replace(
            values=self.values - other.values,
            deviations=self.deviations - other.deviations,
            trials=np.minimum(self.trials, other.trials),
            together=min(self.together, other.together),
            n_units=other.n_units if self.n_units is None else self.n_units,
            mean=self.mean - other.mean,
            drift=self.drift - other.drift,
            each=each,
            drawn=None,  # intervals of differences are symmetrical
            most=np.maximum(self.most, other.most),
        )
        return difference.settled(max(self._largest, other._largest))

    def _as_one(self) -> Self:
        """Reduce to the mean, as if it were the value of a single ranking."""
        drawn = self.drawn
        if drawn is not None:
            drawn = self.mean + self.of_mean[:, np.newaxis] * np.sqrt(len(drawn) - 1)
            drawn = np.clip(drawn, 0, self.farthest)
        return self._replace(
            values=np.array([self.mean]),
            shares=np.ones(1),
            deviations=self.of_mean[np.newaxis],
            trials=np.array([self.together]),
            drift=0.0,
            loss=Loss,
            drawn=drawn,
            most=self.farthest,
            perfect=_weighted_mean(self.perfect, self.shares),
            scarce=None if self.scarce is None else (self.shares @ self.scarce)[np.newaxis],
        )

    def settled(self, largest: float | None = None) -> Self:
        """Set deviations to exactly 0 if they are only rounding errors.

        5/6 - 1/3 and 1 - 1/2 are the same difference, but not the same float. `largest` is the
        largest value that the differences were computed from.
        """
        noise = ROUNDING * (self._largest if largest is None else largest)
        if self.each is None:
            if self.standard_error > noise:
                return self
            return self._replace(deviations=self.deviations * 0.0, drift=0.0)
        each, are_equal = self.each, np.ptp(self.each) <= noise
        if not are_equal and self.standard_error > noise:
            return self
        if are_equal:
            each = np.full_like(each, each[0] if abs(each[0]) > noise else 0.0)
        return self._replace(deviations=self.deviations * 0.0, each=each)

    @property
    def is_constant(self) -> bool:
        """Whether all rankings have the same value, or their means in all clusters are the same."""
        return self.each is not None and not self.standard_error

    @property
    def farthest(self) -> float:
        """The largest possible mean, or difference of means."""
        return _weighted_mean(self.most, self.shares)

    @property
    def _largest(self) -> float:
        return float(np.abs(self.values if self.each is None else self.each).max())

    @cached_property
    def errors(self) -> Array:
        """The standard error of each value."""
        return length(self.deviations)

    @property
    def of_mean(self) -> Array:
        """The deviations of the mean, which are those of the value if there is only one."""
        is_one = self.values.size == 1 and not np.ndim(self.drift)
        if is_one and isinstance(self.deviations, np.ndarray):
            return np.asarray(self.deviations[0])
        return np.asarray(_mixed(self.shares, self.deviations) + self.drift)

    @cached_property
    def lost(self) -> Loss:
        return self.loss()

    @cached_property
    def standard_error(self) -> float:
        """The standard error of the mean."""
        if self.values.size == 1 and not np.ndim(self.drift):
            return float(self.errors.item())
        return float(length(self.of_mean))

    @cached_property
    def freedom(self) -> Any:
        """Degrees of freedom of each standard error.

        If a few units contribute most of the sum of squared influences, as the few bad ranks of a
        strong model do, the standard error is less certain than the number of units suggests,
        because a chi-square variable that varies as much has fewer degrees of freedom. This returns
        the geometric mean of these and of the number of units with positives.
        """
        most = np.maximum(lone(self.trials) - 1.0, 0.0)
        if self.n_units is None:
            return most
        squares = _tamed(self.deviations)[0] ** 2
        fourths = squares**2 if self.folds is None else squares**2 / np.maximum(self.folds, 1)
        total = lone(squares.sum(axis=1))
        excess = lone(fourths.sum(axis=1)) - total**2 / self.n_units
        heavy = np.where(excess > 0, 2 * total**2 / np.maximum(excess, _TINY), most)
        return np.sqrt(most * np.minimum(heavy, most))

    def limits(self, level: float) -> tuple[float, float]:
        """Compute the interval around the mean."""
        if self.ends is not None:
            return self._cut_at_ends(level, *self.ends)
        if self.values.size == 1:
            return self._limits(level)
        as_one = self._as_one()._replace(loss=lambda: self._lost_by_mean(level))
        low, high = as_one._limits(level)
        varies = (self.errors > ROUNDING * self.values) & (self.trials > 1)
        if (is_known := varies | self._are_perfect).all():
            return low, high
        # Values about which nothing is known may be anywhere in their own intervals.
        each, most = (self.values / self.most, self.errors, self.trials), self.farthest
        own = limits_around(*each, 1.0, level, best=self.perfect / self.most)
        distances = self.shares * np.abs(np.array(own) * self.most - self.values)
        below, above = length(np.where(is_known, 0.0, distances))
        low, high = np.hypot([self.mean - low, high - self.mean], [below, above]).tolist()
        return max(self.mean - low, 0.0), min(self.mean + high, most)

    def _lost_by_mean(self, level: float) -> Loss:
        """Return what a mean over rankings may lose: to one more negative in all, not to one in
        each ranking.
        """
        loss, shares = self.lost, self.shares
        by_chance = 1 - least_by_chance(self.trials, level)
        of_perfect = 2 / max(float(quantile(np.inf, level)), _TINY) * self.perfect * by_chance
        unseen = np.where(self._are_perfect, np.maximum(loss.unseen, of_perfect), loss.unseen)
        gain = None if loss.unseen_gain is None else self._of_largest(loss.unseen_gain)
        excess = (shares * loss.excess).sum(keepdims=True)
        return Loss(self._of_largest(unseen), 0.0, excess, loss.of_mean, gain)

    def _of_largest(self, changes: Array) -> Array:
        """Return how far the change of one value moves the mean, with those that vary together, for
        the value with which it moves most. Those without deviations vary alone.
        """
        errors, of_mean = self.errors, self.shares * changes
        per_error = np.divide(1.0, errors, out=np.zeros(errors.size), where=errors > 0)
        together = self.deviations @ _mixed(of_mean * per_error, self.deviations) * per_error
        return np.asarray(np.where(errors > 0, together, of_mean).max(keepdims=True))

    def _cut_at_ends(self, level: float, least: float, most: float) -> tuple[float, float]:
        """Compute the interval around a mean of values that units have, and cut it at their ends.

        It consists of the wider ends of Hall's interval, and of that on the logit scale, which only
        values between finite ends have. Others have that of a t-test. Hall's is too wide for values
        that are nearly all the same, so it's cut at that of a fraction. If a few units make up most
        of the variance, samples without any of them may be as likely, so the upper end is at least
        that with one more unit at the upper limit. The interval around equal values is infinite if
        an end is.
        """
        error, freedom = self._uncertainty()
        if self.is_constant:
            by_chance = float(least_by_chance(self.trials.item(), level))
            return around_equal(self.mean, by_chance, least, most)
        if not freedom > 0:
            return least, most
        if not (self.may_be_skewed and np.isfinite(most - least)):
            low, high, _ = self._tested(level, error, freedom)
            return max(low, least), min(high, most)
        reach = np.array([most - least])
        above = self._replace(values=self.values - least, most=reach, perfect=self.perfect - least)
        (low, high), (lowest, highest) = above._limits(level), above._like_fractions(level)
        lower, higher = self._as_skewed(error, freedom).limits(level)
        low = least + min(low, max(lower - least, lowest))
        high = least + max(high, min(higher - least, highest))
        if number_of_few(self.of_mean) <= max(self.of_mean.size // _FEW, 1):
            high = max(high, least + above._with_one_more(level))
        return max(low, least), min(high, most)

    def _like_fractions(self, level: float) -> tuple[float, float]:
        """Compute the interval as if the values were the most unequal ones with their mean: a
        fraction of successes.
        """
        reach, trials = self.farthest, self.trials.item()
        successes = trials * self.values.item() / reach
        failures, tail = max(trials - successes, _TINY), (1 - level) / 2
        low = betaincinv(max(successes, _TINY), failures + 1, tail)
        high = betaincinv(successes + 1, failures, 1 - tail)
        return reach * float(low), reach * float(high)

    def _with_one_more(self, level: float) -> float:
        """Compute the upper end on the logit scale as if one more unit were at the upper limit."""
        value, error, size = self.values / self.most, self.errors / self.most, self.trials
        mean = (size * value + 1) / (size + 1)
        variance = ((size - 1) * error**2 + (1 - value) ** 2 / (size + 1)) / (size + 1)
        _, high = limits_around(mean, np.sqrt(variance), size + 1, size, level)
        return float((high * self.most).item())

    def _limits(self, level: float) -> tuple[float, float]:
        """Compute the interval around a single value.

        Squared influences don't reflect negatives that would rank at the top but are rare enough to
        be missing from the data. The lower end is therefore at least as far away as if half of the
        loss to one such negative were the standard error. A perfect ranking loses nothing, unless
        negatives weigh more than positives. If positives have unequal weights, the upper end allows
        for another one of the heaviest.

        The value of a perfect ranking can be less than the largest possible value, as it is for
        recall at k with more than k positives. Its lower end is then at most the one after nothing
        but successes, and no upper end is above the value of a perfect ranking with as few
        positives as other samples may contain.
        """
        values, most, trials = lone(self.values), lone(self._reachable(level)), lone(self.trials)
        shares, errors, loss = values / most, lone(self.errors), self.lost
        freedom = np.maximum(trials - 1.0, 0.0) if self.bent is None else self.bent - 1.0
        low, high = limits_around(
            shares,
            errors / most,
            trials,
            freedom,
            level,
            self.is_constant,
            drawn=None if self.drawn is None or not self.bent else self.drawn / most,
            best=self.perfect / most,
            above=None if loss.unseen_gain is None else _above(errors, loss.unseen_gain) / most,
        )
        if self.is_optimistic and self.drawn is not None:
            top = np.nanquantile(self.drawn / most, (1 + level) / 2, axis=0)
            high = np.maximum(high, top)
            low = np.minimum(low, np.maximum(2 * shares - high, 0.0))
        lower = np.maximum(shares - quantile(np.inf, level) * lone(loss.unseen) / most / 2, 0.0)
        low = np.minimum(low, lower)
        if isinstance(loss.excess, np.ndarray):
            low = low * (1 - ratio(loss.excess, self.values, 0.0))
        low = np.minimum(low * most, values)
        high = np.maximum(np.minimum(high, 1.0) * most, values)
        is_perfect = values > (1 - ROUNDING) * lone(self.perfect)
        if any_of(is_perfect):
            by_chance = self.perfect * least_by_chance(trials, level)
            low = np.where(is_perfect, np.minimum(low, by_chance), low)
        return max(np.asarray(low).item() - loss.of_mean, 0.0), np.asarray(high).item()

    def _reachable(self, level: float) -> Array | float:
        """Return the largest values that are possible with as few positives as there may be."""
        if self.scarce is None:
            return self.most
        fewer = np.exp(quantile(np.inf, level) * self.scarce)
        return np.asarray(np.minimum(self.most, self.perfect * fewer))

    def t_test(self, level: float) -> tuple[float, float, float]:
        """Compute the interval around a mean of differences, and its p-value.

        Values that were computed elsewhere may be skewed, so they need Hall's test, too. If n units
        show the same difference, the p-value is that of n equal signs. If none of them shows any,
        it is 1.
        """
        most, (error, freedom) = self.farthest, self._uncertainty()
        if freedom > 0 and self.each is not None and self.is_constant:
            differs = np.any(self.each) and abs(self.mean) > ROUNDING * np.abs(self.each).max()
            p = float(2.0 ** (1 - self.trials.item())) if differs else 1.0
            alpha = alpha_of(level)
            return *self.around_equal(alpha, p < alpha), p
        if not freedom > 0 or error == 0:
            return -most, most, 1.0
        low, high, p = self._tested(level, error, freedom)
        return max(low, -most), min(high, most), p

    def around_equal(self, alpha: float, is_significant: bool) -> tuple[float, float]:
        """Compute the interval around a difference that all units show.

        If it's significant, other units are taken to lose at most as much on average as these win,
        so that the interval excludes 0.
        """
        by_chance = float((alpha / 2) ** (1 / self.trials.item()))
        below, above = around_equal(self.mean, by_chance, -self.farthest, self.farthest)
        if is_significant:
            near = self.mean * (2 * by_chance - 1)
            return (near, above) if self.mean > 0 else (below, near)
        return below, above

    def _tested(self, level: float, error: float, freedom: float) -> tuple[float, float, float]:
        """Compute the interval around the mean, which isn't cut yet, and its p-value."""
        if self.may_be_skewed and error > 0:
            return self._as_skewed(error, freedom).test(level)
        reach = float(quantile(freedom, level)) * error
        p = float(2 * stdtr(freedom, -abs(self.mean) / error)) if error else 0.0
        return self.mean - reach, self.mean + reach, p

    def _as_skewed(self, error: float, freedom: float) -> Mean:
        deviations = self.of_mean
        return Mean(self.mean, error, freedom, deviations.size, skewness_of(deviations))

    def flips_of(self, parts: Array) -> "SignFlips":
        """Return the distribution of the sum of these parts if models are swapped at random.

        Between near copies, an inversion moves a positive and a negative together, but swaps move
        them independently, so their deviation is too small. It's then stretched by the root of its
        ratio to the standard error: by simulation, the ratio itself costs more power than needed.
        """
        flips = SignFlips.of(parts)
        if self.standard_error > flips.deviation > 0:
            return flips.stretched(np.sqrt(self.standard_error / flips.deviation))
        return flips

    def swap_test(
        self, parts: Array, level: float, are_even: bool = True
    ) -> tuple[float, float, float]:
        """Compute the interval around a difference, and its p-value from swaps of two models.

        `parts` are what each unit contributes to the difference, to first order at the ranking of
        both models together. If the models are swapped in a unit, its part changes its sign, so
        under the null hypothesis all signs are equally likely. Unlike the standard error, this
        holds for any number of units, and however unequal they are. The evidence is the smaller one
        of the difference and the sum of its parts, which differ if few heavy units decide. A mean
        over several rankings, units that aren't `are_even` in size, or an end near 0 with a
        `further` standard error need the evidence of the t-test, too. Rankings with very few
        positives, or without one of the large units, are far from what first-order parts say.

        The end near 0 is as far from the difference as the quantile of the swaps is from 0, if the
        evidence is scaled to the difference. It therefore excludes 0 exactly if the p-value is low
        enough. If it doesn't, it's no farther than that of the t-test or that of unscaled swaps,
        but at least as far as a t-test with this p-value says, because few parts have few sums. The
        far end is at least that of the t-test.
        """
        flips, (error, freedom) = self.flips_of(parts), self._uncertainty()
        if not (freedom > 0 and flips.total):
            return self.t_test(level)
        difference, most, total = self.mean, self.farthest, float(parts.sum())
        size = abs(difference)
        evidence = min(size, abs(total)) if difference * total > 0 else 0.0
        of_near, of_far = self.further[:: 1 if difference > 0 else -1]
        is_enough = self.values.size == 1 and are_even and not of_near
        p, by_swaps = flips.pvalue(evidence), flips.reach(level)
        quantile_of_t = float(quantile(freedom, level))
        stretch = quantile_of_t / max(float(quantile(freedom, 1 - p)), _TINY)
        by_t = quantile_of_t * error
        near = size * by_swaps / evidence if evidence else np.inf
        if not is_enough:
            p, near = max(p, self.t_test(level)[2]), max(near, by_t)
        if p >= alpha_of(level):
            near = max(size, min(max(near, size * stretch), max(by_swaps, by_t)))
        beyond = quantile_of_t * float(np.hypot(self.standard_error, of_far))
        far = max(near, by_swaps, by_t, beyond)
        below, above = (near, far) if difference > 0 else (far, near)
        return float(max(difference - below, -most)), float(min(difference + above, most)), p

    def apart(self, other: Self, level: float) -> tuple[float, float]:
        """Compute the interval around the difference of two means from their own intervals [1]_.

        References
        ----------
        .. [1] G. Y. Zou, "Toward using confidence intervals to compare correlations", Psychological
           Methods 12, 2007.
        """
        (low, high), (other_low, other_high) = self.limits(level), other.limits(level)
        difference = self.mean - other.mean
        below = float(np.hypot(self.mean - low, other_high - other.mean))
        above = float(np.hypot(high - self.mean, other.mean - other_low))
        most = max(self.farthest, other.farthest)
        return float(max(difference - below, -most)), float(min(difference + above, most))

    def moved_out(
        self, ends: tuple[float, float], level: float, n_units: int, losses: Any
    ) -> tuple[float, float]:
        """Move the ends of a difference out that include 0, by what either model may lose to
        negatives that this sample lacks.

        An end moves to where a t-test with the standard error and this loss would put it, if that
        is farther. An end that excludes 0 stays, so the interval still agrees with the p-value.
        `losses` has the distances of both ends, and how far these are at least.
        """
        (low, high), most = ends, self.farthest
        by_t = float(quantile(n_units - 1, level)) * self.standard_error
        below, above = (max(float(np.hypot(by_t, loss)), least) for loss, least in losses)
        if low <= 0:
            low = min(low, max(self.mean - below, -most))
        if high >= 0:
            high = max(high, min(self.mean + above, most))
        return low, high

    @property
    def _are_perfect(self) -> Array:
        return np.asarray(self.values > (1 - ROUNDING) * self.perfect)

    @property
    def is_perfect(self) -> bool:
        return bool(self._are_perfect.all())

    def may_lose(self, level: float) -> float:
        """Return how far a single value may fall because of negatives that this sample lacks.

        That is half of what one more negative at the top would cost, as for the lower end of its
        interval. A perfect ranking shows no loss, so that end itself is its limit.
        """
        if self.is_perfect:
            return self.mean - self.limits(level)[0]
        return float(quantile(np.inf, level) * np.max(self.lost.unseen) / 2)

    def apart_test(self, other: Self, level: float) -> tuple[float, float, float]:
        """Compute the interval around the difference of two means that have their own intervals,
        and its p-value, which is 1 minus the level at which the interval would end at 0.

        The level is sought on the side of `level` that the interval shows, so that both agree.
        """
        difference = self.mean - other.mean

        def end(distance: float) -> float:  # the one towards 0, as a fraction of the difference
            ends = self.apart(other, float(2 * ndtr(distance) - 1))
            return ends[0 if difference > 0 else 1] / difference

        low, high = self.apart(other, level)
        if abs(difference) <= ROUNDING * max(abs(self.mean), abs(other.mean)):
            return min(low, 0.0), max(high, 0.0), 1.0
        here = float(ndtri((1 + level) / 2))
        near, far = (here, max(here, _FARTHEST)) if low > 0 or high < 0 else (0.0, here)
        if end(far) > 0:
            return low, high, float(2 * ndtr(-far))
        found = brentq(end, near, far, xtol=1e-6) if end(near) > 0 else near
        return low, high, float(2 * ndtr(-found))

    def _uncertainty(self) -> tuple[float, float]:
        """Return the standard error of a mean of differences for its t-test, and its freedom.

        A value that depends on less than two units doesn't show how much it varies. If it's one of
        several, its standard error is at least the value, which has one degree of freedom if
        nothing differs. Degrees of freedom are combined by Welch and Satterthwaite. They take
        values for independent, so the result is at most that of the mean as one value.
        """
        if self.values.size == 1:
            further = self.further[self.mean < 0]  # of the end near 0
            return float(np.hypot(self.standard_error, further)), self.freedom.item()
        values, errors = np.abs(self.values), self.errors
        varies = errors > ROUNDING * max(values.max(), self.standard_error)
        if np.count_nonzero(varies) < 2:
            freedom = self.freedom[varies] if varies.any() else self.freedom
            return self.standard_error, float(freedom.min())
        alone = np.where(self.trials < 2, values, 0.0)
        least = np.maximum(errors, alone)
        raise_by = np.divide(least, errors, out=np.ones(least.size), where=varies)
        raised = self._replace(shares=self.shares * raise_by)
        error = np.hypot(raised.standard_error, length(self.shares * np.where(varies, 0.0, alone)))
        variances = (self.shares * least) ** 2
        squares = variances**2 / np.maximum(self.freedom, 1.0)
        together = raised._as_one().freedom.item()
        return float(error), float(min(variances.sum() ** 2 / squares.sum(), together))


def number_of_few(parts: Array) -> int:
    """Return how many of the largest parts make up most of the sum of squares."""
    squares = np.sort(np.square(parts / (np.abs(parts).max(initial=0.0) or 1)))[::-1]
    return int(np.count_nonzero(np.cumsum(squares) < _MOST_OF * squares.sum())) + 1


def _weighted_mean(values: Array | float, shares: Array) -> float:
    if shares.size == 1:
        return float(lone(values))
    return float((values * shares).sum() / shares.sum())


def _mixed(shares: Array, rows: Any) -> Array:
    """Sum the rows weighted by shares, without BLAS, whose threads cost more than they save."""
    is_array = isinstance(rows, np.ndarray)
    return np.asarray(np.einsum("i,ij->j", shares, rows) if is_array else shares @ rows)


def length(rows: Any) -> Array:
    """Return the root of the sum of squares of each row, however large or small these are."""
    rows, scale = _tamed(rows)
    return np.asarray(np.sqrt((rows**2).sum(axis=-1)) * scale)


def scale_of(rows: Array) -> float:
    """Return a power of two, by which to divide before squares and fourth powers are summed.

    It is 1 unless these would overflow or vanish. Dividing by it rounds nothing.
    """
    largest = max(rows.max(initial=0.0), -rows.min(initial=0.0))
    _, exponent = np.frexp(largest)
    is_usual = largest == 0 or abs(exponent) < _USUAL_EXPONENT
    return 1.0 if is_usual else float(np.ldexp(1.0, exponent - 1))


def _tamed(rows: Any) -> tuple[Any, float]:
    """Divide the rows by their scale. Those of metrics between 0 and 1 can be sparse, and usual."""
    scale = scale_of(rows) if isinstance(rows, np.ndarray) else 1.0
    return (rows if scale == 1 else rows / scale), scale


def _above(errors: Array, gain: Array) -> Array:
    return np.asarray(np.hypot(errors, _LIKE_THE_HEAVIEST * lone(gain)))


def quantile(freedom: Array | float, level: Array | float) -> Array:
    """Return how many standard errors an interval extends to either side."""
    return np.asarray(stdtrit(freedom, (1 + level) / 2))


def limits_around(
    values: Array,
    errors: Array,
    trials: Array,
    freedom: Array | float,
    level: float,
    is_constant: Array | bool = False,
    drawn: Array | None = None,
    best: Array | float = 1.0,
    above: Array | None = None,
) -> tuple[Array, Array]:
    """Compute the interval around each value between 0 and 1, of which `best` is that of a perfect
    ranking.

    It is computed on the logit scale, so it stays between 0 and 1, or it is the middle of resamples
    if these are `drawn`, one row each. It always contains the value. `above` are the
    standard errors of upper ends, if they are different.

    At 0 and 1, where the standard error is not meaningful, it is at least as wide as after only
    failures or only successes in as many trials. Around a mean of equal values, it is that of
    `around_equal`.
    """
    reach = quantile(freedom if drawn is None else np.min(freedom), level)
    perfect = values > 1 - ROUNDING
    varies = errors > ROUNDING * values
    known = (trials > 1) & varies & (0 < values) & ~perfect
    are_known = not any_of(~known)
    if drawn is None:
        above = errors if above is None else above
        with nullcontext() if are_known else np.errstate(divide="ignore", invalid="ignore"):
            middle, reach = logit(values), reach / (values * (1 - values))
            low, high = expit(middle - reach * errors), expit(middle + reach * above)
        if are_known:
            return low, high
    else:  # widened as a t distribution is
        tail = float(ndtr(-reach))
        low, high = np.nanquantile(drawn, (tail, 1 - tail), axis=0, method="weibull")
        low, high = np.minimum(low, values), np.maximum(high, values)
    by_chance = least_by_chance(trials, level)
    is_best = values > (1 - ROUNDING) * best
    least = np.where(known, low, np.where(is_best, best * by_chance, 0.0))
    most = np.where(known, high, np.where(values > 0, 1.0, 1 - by_chance))
    below, above = around_equal(values, by_chance)
    least, most = np.where(is_constant, below, least), np.where(is_constant, above, most)
    if drawn is None:
        return least, most
    return np.minimum(low, least), np.maximum(high, most)


def around_equal(
    values: Any, by_chance: Any, least: float = 0.0, most: float = 1.0
) -> tuple[Any, Any]:
    """Compute the interval around a mean of equal values between these ends.

    If other units have other values, they are at most a fraction 1 - `by_chance` of all units, and
    they may all be at one of the ends.
    """
    others = 1 - by_chance
    return values - (values - least) * others, values + (most - values) * others


def least_by_chance(trials: Array | float, level: float) -> Array:
    """Compute the lower end of the interval after nothing but successes."""
    return np.asarray(((1 - level) / 2) ** (1 / np.asarray(trials)))


class SignFlips(NamedTuple):
    """The distribution of a sum whose parts have random signs.

    All signs of the largest parts are tried. The sum of the others is nearly normal.
    """

    sums: Array  # of the largest parts, with all their signs, divided by `rest`
    rest: float  # the standard deviation of the sum of the other parts
    deviation: float  # that of the whole sum
    total: float  # of all sizes, which isn't stretched

    @classmethod
    def of(cls, parts: Array) -> Self:
        sizes = np.zeros(max(parts.size, _APART))  # a part of 0 has any sign
        np.abs(parts, out=sizes[: parts.size])
        sizes.partition(sizes.size - _APART)
        total, others = float(sizes.sum()), sizes[:-_APART]
        rest = max(float(length(others)), ROUNDING * total) or 1.0
        half, other = (_SIGNS @ (sizes[-_APART:] / rest).reshape(-1, 2)).T
        return cls(np.add.outer(half, other).ravel(), rest, float(length(sizes)), total)

    def stretched(self, factor: float) -> Self:
        return self._replace(rest=self.rest * factor, deviation=self.deviation * factor)

    @property
    def least(self) -> float:
        """The smallest p-value: that of a difference to which all parts add up."""
        return self.pvalue(self.total)

    def pvalue(self, distance: float) -> float:
        """Return the probability of a sum at least as far from 0."""
        beyond = self.sums - (distance - 100 * ROUNDING * self.total) / self.rest
        return float(min(2 * ndtr(beyond).sum() / self.sums.size, 1.0))

    def reach(self, level: float) -> float:
        """Return the distance from 0 that sums exceed with a probability of 1 - level.

        On a probit scale, p-values are almost on a straight line through 0, unless the largest
        parts are most of the sum.
        """
        goal = float(ndtri((1 - level) / 2))
        end = self.deviation / np.sqrt(1 - level) + 200 * ROUNDING * self.total  # by Chebyshev

        def beyond(distance: float) -> float:
            return float(ndtri(self.pvalue(distance) / 2 + _TINY)) - goal

        return float(brentq(beyond, 0.0, end, xtol=ROUNDING * self.deviation))
