"""Intervals and p-values, from the variation of values."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import expit, logit, ndtr, stdtr, stdtrit

from .ragged import Array, split_into_blocks, unwrap_single

# Values that are mathematically equal can differ in the last bits, which depend on the order of
# summation. Their relative difference is less than this. Models that truly differ by so little
# would need some 10**12 samples.
ROUNDING_TOLERANCE = 1e-12
_MIN_DIVISOR = 1e-300
_NOTHING = np.zeros(0)
_MAX_USUAL_EXPONENT = 64  # of two: the fourth powers of such numbers are far from overflowing


def compute_alpha(level: float) -> float:
    """Return what p-values have to be below. The float 1 - 0.95 isn't 0.05."""
    return round(1 - level, 12)


def have_same_weight(left: Array, right: Array) -> bool:
    """Whether values have the same weights, which may have been added up in another order."""
    if left is right or np.array_equal(left, right):
        return True
    return left.shape == right.shape and np.allclose(left, right, rtol=1e-9, atol=0)


@dataclass(frozen=True, eq=False)
class TabulatedDeviations:
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
        assert exponent == 2  # other powers aren't needed
        return self._squares

    @cached_property
    def _squares(self) -> Self:
        return type(self)(self.tables, self.places, self.n_squared + 1)

    @cached_property
    def _total(self) -> float:
        return float(sum(deviations.sum() for _, deviations in self._iterate_blocks()))

    def sum(self, axis: int) -> Array:
        return np.array([self._total])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        row = np.empty((1, self.places[0].size))
        for block, deviations in self._iterate_blocks():
            row[0, block] = deviations
        return row

    def __rmatmul__(self, fractions: Array) -> Array:
        (row,) = np.asarray(self * fractions.item())  # how much the only value counts
        return np.asarray(row)

    def _iterate_blocks(self) -> Iterator[tuple[slice, Array]]:
        """Yield the deviations of a block of units, or their powers, with the block."""
        for block in split_into_blocks(self.places[0].size):
            tables = zip(self.tables, self.places, strict=True)
            deviations = np.add.reduce([table.take(places[block]) for table, places in tables])
            for _ in range(self.n_squared):
                deviations *= deviations
            yield block, deviations


class _SpreadFields(NamedTuple):
    """What a `Spread` consists of."""

    values: Array
    fractions: Array  # of each value in the mean; they add up to 1
    deviations: Any
    units_per_value: Array  # as many equal units say as much about each value
    mean: float  # as the metric sums it; values @ fractions can differ in the last bit
    units_of_mean: float = np.inf  # as many equal units say as much about the mean
    # What each value would lose to one more negative at the top, see `compute_unseen`
    compute_losses_at_top: Callable[[], Array | float] = lambda: 0.0
    compute_bias: Callable[[], float] = lambda: 0.0  # of the mean of several rankings: too high by
    is_unequal: bool = False  # whether units may have influences of unequal size
    units_per_column: Array | None = None  # of the deviations; None for one
    # The mass of positives in each cluster, of shape (1, n_clusters), if differences have strata
    mass_in_clusters: Array | None = None
    fraction_deviations: Array | float = 0.0  # deviations of the mean because fractions vary
    ranking_values: Array | None = None  # the values of rankings, for a mean over them
    ranking_fractions: Array = _NOTHING  # of each of all rankings in that mean
    maximum: Array | float = 1.0  # the largest possible value, for any fraction of positives
    perfect: Array | float = 1.0  # the value of a perfect ranking
    log_count_errors: Array | None = None  # of positives, if they limit the value: standard errors
    is_optimistic: bool = False  # whether values tend to be higher than with more samples
    is_bent: bool = False  # whether a cutoff or a target bends the distribution of resamples
    resampled: Array | None = None  # the values of resamples, one row each, if they are needed
    value_range: tuple[float, float] | None = None  # of values that aren't between 0 and `maximum`
    worst: float = 0.0  # the value of a unit in which a model fails; infinite if it isn't known


class Spread(_SpreadFields):
    """The joint spread of the values that a mean consists of.

    Their covariance is the product of the deviations with themselves. These have one row per value,
    and one column per sampling unit (its influence) or resample. With groups, they are sparse,
    because there may be many groups with few of the units each, and with millions of units,
    they are looked up.
    """

    def with_resamples(self, drawn: Array) -> Self:
        """Use the deviations of resamples, of shape (n_resamples, n_values), from their mean."""
        defined = ~np.isnan(drawn)
        counts = defined.sum(axis=0)
        if counts.min() < 2:
            raise ValueError("Fewer than two resamples have positives. Use a larger n_resamples.")
        center = np.where(defined, drawn, 0).sum(axis=0) / counts
        deviations = np.where(defined, drawn - center, 0) / np.sqrt(counts - 1)
        is_needed = self.is_bent or self.is_optimistic
        return self._replace(deviations=deviations.T, resampled=drawn if is_needed else None)

    def with_value_range(self, low: float, high: float, worst: float) -> Self:
        """Let values be between these limits, of which one is the worst. They can be infinite."""
        return self._replace(value_range=(low, high), maximum=high - low, worst=worst)

    def subtract(self, other: Self) -> Self:
        """Return the differences from values of the same units."""
        fractions, other_fractions = self.ranking_fractions, other.ranking_fractions
        if self.ranking_values is not None and not have_same_weight(fractions, other_fractions):
            # With other weights, rankings of equal values may still make a difference.
            return self._replace(ranking_values=None).subtract(other)
        if not have_same_weight(self.fractions, other.fractions):
            return self._as_one().subtract(other._as_one())
        ranking_values = None
        if self.ranking_values is not None and other.ranking_values is not None:
            ranking_values = self.ranking_values - other.ranking_values
        difference = self._replace(
            values=self.values - other.values,
            deviations=self._center_strata(self.deviations - other.deviations),
            units_per_value=np.minimum(self.units_per_value, other.units_per_value),
            units_of_mean=min(self.units_of_mean, other.units_of_mean),
            mean=self.mean - other.mean,
            fraction_deviations=self.fraction_deviations - other.fraction_deviations,
            ranking_values=ranking_values,
            resampled=None,  # intervals of differences are symmetrical
            maximum=np.maximum(self.maximum, other.maximum),
        )
        return difference.clear_rounding(max(self._largest, other._largest))

    def _center_strata(self, deviations: Any) -> Any:
        """Let the deviations of a difference vary only among clusters with positives, and among
        those without. How many there are of each is the same for both models.

        Those with positives vary around what their mass of positives explains.
        """
        if self.mass_in_clusters is None:
            return deviations
        centered = deviations.copy()
        n_clusters = deviations.size
        for mass in (self.mass_in_clusters, 1.0 * (self.mass_in_clusters == 0)):
            n_equal = mass.sum() ** 2 / max((mass * mass).sum(), _MIN_DIVISOR)
            if n_equal > 1:
                within = deviations - mass * (deviations.sum(where=mass > 0) / mass.sum())
                unbiased = n_equal / (n_equal - 1) * (n_clusters - 1) / n_clusters
                np.copyto(centered, within * np.sqrt(unbiased), where=mass > 0)
        return centered

    def _as_one(self) -> Self:
        """Reduce to the mean, as if it were the value of a single ranking."""
        drawn = self.resampled
        if drawn is not None:
            drawn = self.mean + self.mean_deviations[:, np.newaxis] * np.sqrt(len(drawn) - 1)
            drawn = np.clip(drawn, 0, self.maximum_mean)
        log_count_errors = self.log_count_errors
        if log_count_errors is not None:
            log_count_errors = (self.fractions @ log_count_errors)[np.newaxis]
        return self._replace(
            values=np.array([self.mean]),
            fractions=np.ones(1),
            deviations=self.mean_deviations[np.newaxis],
            units_per_value=np.array([self.units_of_mean]),
            compute_losses_at_top=lambda: self._loss_at_top,
            fraction_deviations=0.0,
            resampled=drawn,
            maximum=self.maximum_mean,
            perfect=_average_weighted(self.perfect, self.fractions),
            log_count_errors=log_count_errors,
        )

    def clear_rounding(self, largest: float | None = None) -> Self:
        """Set deviations to exactly 0 if they are only rounding errors.

        5/6 - 1/3 and 1 - 1/2 are the same difference, but not the same float. `largest` is the
        largest value that the differences were computed from.
        """
        noise = ROUNDING_TOLERANCE * (self._largest if largest is None else largest)
        if self.ranking_values is None:
            if self.standard_error > noise:
                return self
            return self._replace(deviations=self.deviations * 0.0, fraction_deviations=0.0)
        ranking_values = self.ranking_values
        are_equal = np.ptp(ranking_values) <= noise
        if not are_equal and self.standard_error > noise:
            return self
        if are_equal:
            value = ranking_values[0] if abs(ranking_values[0]) > noise else 0.0
            ranking_values = np.full_like(ranking_values, value)
        return self._replace(deviations=self.deviations * 0.0, ranking_values=ranking_values)

    @property
    def is_constant(self) -> bool:
        """Whether all rankings have the same value, or their means in all clusters are the same."""
        return self.ranking_values is not None and not self.standard_error

    @property
    def units(self) -> float:
        """How many equal units with positives say as much as these, called u in the documentation.
        Degrees of freedom, what a sample may lack, the least p-value and notes follow from it.
        """
        return self.units_per_value.item() if self.values.size == 1 else self.units_of_mean

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom: those of u units, or if their influences may be of unequal size, the
        geometric mean of these and of those of as many equal influences as say as much.

        If a few units make up most of the sum of squared influences, the standard error is less
        certain than the number of units suggests.
        """
        of_units = max(self.units - 1.0, 0.0)
        if not self.is_unequal:
            return of_units
        is_looked_up = isinstance(self.deviations, TabulatedDeviations)
        influences = self.deviations if is_looked_up else self.mean_deviations[np.newaxis]
        squares = _scale_down(influences)[0] ** 2
        fourths = squares**2
        if self.units_per_column is not None:
            fourths = fourths / np.maximum(self.units_per_column, 1)
        sum_of_fourths = max(fourths.sum(axis=1).item(), _MIN_DIVISOR)
        equal_influences = squares.sum(axis=1).item() ** 2 / sum_of_fourths
        return float(np.sqrt(of_units * min(max(equal_influences - 1.0, 0.0), of_units)))

    @property
    def maximum_mean(self) -> float:
        """The largest possible mean, or difference of means."""
        return _average_weighted(self.maximum, self.fractions)

    @property
    def _largest(self) -> float:
        values = self.values if self.ranking_values is None else self.ranking_values
        return float(np.abs(values).max())

    @cached_property
    def errors(self) -> Array:
        """The standard error of each value."""
        return compute_norm(self.deviations)

    @property
    def mean_deviations(self) -> Array:
        """The deviations of the mean, which are those of the value if there is only one."""
        is_one = self.values.size == 1 and not np.ndim(self.fraction_deviations)
        if is_one and isinstance(self.deviations, np.ndarray):
            return np.asarray(self.deviations[0])
        return np.asarray(_mix_rows(self.fractions, self.deviations) + self.fraction_deviations)

    @cached_property
    def standard_error(self) -> float:
        """The standard error of the mean."""
        if self.values.size == 1 and not np.ndim(self.fraction_deviations):
            return float(self.errors.item())
        return float(compute_norm(self.mean_deviations))

    def compute_limits(self, level: float) -> tuple[float, float]:
        """Compute the interval around the mean, that of a t-test on the logit scale.

        Its lower end moves out by what one more negative at the top would cost. A mean over groups
        may be better than its t-test says, by the best groups that are missing by chance.
        """
        least, most = self.value_range or (0.0, self.maximum_mean)
        if not np.isfinite(most - least):
            return self._compute_limits_on_line(level, least, most)
        if self.values.size > 1:
            return self._compute_limits_of_several(level)
        reach = np.asarray(most - least)
        if self.value_range is None:
            reach = np.asarray(self._find_reachable(level))
        value, drawn = (self.values - least) / reach, None
        if self.resampled is not None:
            drawn = self.resampled / reach
        low, high = compute_value_limits(
            value,
            self.errors / reach,
            self.units_per_value,
            level,
            drawn if self.is_bent else None,
            best_unit=None if self._best_group is None else (self._best_group - least) / reach,
            perfect=(self.perfect - least) / reach,
            cost=self._loss_at_top / reach,
        )
        if drawn is not None and self.is_optimistic:
            top = np.nanquantile(drawn, (1 + level) / 2, axis=0)
            high = np.maximum(high, top)
            low = np.minimum(low, np.maximum(2 * value - high, 0.0))
        low, high = least + np.clip([low, high], 0.0, 1.0).reshape(2) * reach
        return min(float(low), self.mean), max(float(high), self.mean)

    def _compute_limits_on_line(
        self, level: float, least: float, most: float
    ) -> tuple[float, float]:
        """Compute the interval of a t-test, if an end is infinite."""
        if self.is_constant or self.units <= 1:
            return least, most
        reach = float(compute_quantile(self.units - 1, level)) * self.standard_error
        low, high = extend_to_best(
            self.mean - reach, self.mean + reach, self.mean, self._best_group, self.units, level
        )
        return max(float(low), least), min(float(high), most)

    def _compute_limits_of_several(self, level: float) -> tuple[float, float]:
        """Compute the interval around a mean of several rankings. Values about which nothing is
        known may be anywhere in their own intervals.
        """
        low, high = self._as_one().compute_limits(level)
        low = max(low - self.compute_bias(), 0.0)
        varies = (self.errors > ROUNDING_TOLERANCE * self.values) & (self.units_per_value > 1)
        is_known = varies | (self.values > (1 - ROUNDING_TOLERANCE) * self.perfect)
        if is_known.all():
            return low, high
        values = self.values / self.maximum
        own = compute_value_limits(values, self.errors, self.units_per_value, level)
        distances = self.fractions * np.abs(np.array(own) * self.maximum - self.values)
        below, above = compute_norm(np.where(is_known, 0.0, distances))
        low, high = np.hypot([self.mean - low, high - self.mean], [below, above]).tolist()
        return max(self.mean - low, 0.0), min(self.mean + high, self.maximum_mean)

    @property
    def _best_group(self) -> float | None:
        """The best value of a group in a mean over groups; None for other values."""
        if self.ranking_values is None:
            return None
        values = self.ranking_values
        return float(values.max() if self._is_greater_better else values.min())

    @property
    def _is_greater_better(self) -> bool:
        return self.value_range is None or self.worst == self.value_range[0]

    def _find_reachable(self, level: float) -> Array | float:
        """Return the largest values that are possible with as few positives as there may be."""
        if self.log_count_errors is None:
            return self.maximum
        fewer = np.exp(compute_quantile(np.inf, level) * self.log_count_errors)
        return np.asarray(np.minimum(self.maximum, self.perfect * fewer))

    def compute_t_test(self, level: float) -> tuple[float, float, float]:
        """Compute the interval around a mean of differences, and its p-value.

        If u units show the same difference, the p-value is that of u equal signs. If none shows
        any, it is 1.
        """
        most, error, freedom = self.maximum_mean, self._error_of_difference, self.freedom
        if self.units <= 1:
            return -most, most, 1.0
        if error == 0:
            return self._test_of_equal(level)
        if not freedom > 0:  # as if a single unit has all of the variance
            return -most, most, 1.0
        reach = float(compute_quantile(freedom, level)) * error
        p = float(2 * stdtr(freedom, -abs(self.mean) / error))
        return max(self.mean - reach, -most), min(self.mean + reach, most), p

    def _test_of_equal(self, level: float) -> tuple[float, float, float]:
        """Compute the interval and the p-value of a difference that all units show, or none."""
        largest = self.maximum_mean if self.ranking_values is None else self._largest
        alpha = compute_alpha(level)
        if largest and abs(self.mean) > ROUNDING_TOLERANCE * largest:
            p = float(2.0 ** (1 - self.units))
            return *self.compute_limits_around_equal(alpha, p < alpha), p
        if self.ranking_values is None:  # other units may show one, see `move_ends_out`
            return min(self.mean, 0.0), max(self.mean, 0.0), 1.0
        return *self.compute_limits_around_equal(alpha, False), 1.0

    @cached_property
    def _error_of_difference(self) -> float:
        """The standard error of a mean of differences. A value that depends on less than two units
        doesn't show how much it varies, so that its own standard error is at least the value.
        """
        if self.values.size == 1:
            return self.standard_error
        values, errors = np.abs(self.values), self.errors
        varies = errors > ROUNDING_TOLERANCE * max(values.max(), self.standard_error)
        if np.count_nonzero(varies) < 2:
            return self.standard_error
        alone = np.where(self.units_per_value < 2, values, 0.0)
        least = np.maximum(errors, alone)
        raise_by = np.divide(least, errors, out=np.ones(least.size), where=varies)
        raised = self._replace(fractions=self.fractions * raise_by)
        of_equal = compute_norm(self.fractions * np.where(varies, 0.0, alone))
        return float(np.hypot(raised.standard_error, of_equal))

    def compute_limits_around_equal(
        self, alpha: float, is_significant: bool
    ) -> tuple[float, float]:
        """Compute the interval around a difference that all units show.

        If it's significant, other units are taken to lose at most as much on average as these win,
        so that the interval excludes 0.
        """
        by_chance = float((alpha / 2) ** (1 / self.units))
        most = self.maximum_mean
        below, above = compute_limits_around_equal(self.mean, by_chance, -most, most)
        if is_significant:
            near = self.mean * (2 * by_chance - 1)
            return (near, above) if self.mean > 0 else (below, near)
        return below, above

    def compute_unseen(self, level: float) -> Array:
        """Return how far the value may fall because of what the sample may lack, of shape (2,): a
        fraction of its units that is missing by chance, which another model may lose, of the best
        value that the interval contains; and one more negative at the top.
        """
        low, high = self.compute_limits(level)
        if np.isfinite(self.worst):
            most = abs((high if self._is_greater_better else low) - self.worst)
        else:
            most = max(abs(low), abs(high))
        lacked = 1 - float(compute_success_bound(self.units, level))
        return np.array([lacked * most, self._loss_at_top])

    @cached_property
    def _loss_at_top(self) -> float:
        """What the mean would lose to one more negative at the top of one of its rankings."""
        return float(np.max(self.fractions * self.compute_losses_at_top()))

    def move_ends_out(self, low: float, high: float, unseen: Array) -> tuple[float, float]:
        """Move both ends of a difference out by what is `unseen` of its models.

        Around equal differences of all units, the interval allows for others already.
        """
        if self.is_constant:
            return low, high
        most = self.maximum_mean
        distances = [[self.mean - low, *unseen], [high - self.mean, *unseen]]
        below, above = compute_norm(np.array(distances)).tolist()
        return max(self.mean - below, -most), min(self.mean + above, most)


def _average_weighted(values: Array | float, fractions: Array) -> float:
    if fractions.size == 1:
        return float(unwrap_single(values))
    return float((values * fractions).sum() / fractions.sum())


def _mix_rows(fractions: Array, rows: Any) -> Array:
    """Sum the rows weighted by fractions, without BLAS, whose threads cost more than they save."""
    is_array = isinstance(rows, np.ndarray)
    return np.asarray(np.einsum("i,ij->j", fractions, rows) if is_array else fractions @ rows)


def compute_norm(rows: Any) -> Array:
    """Return the root of the sum of squares of each row, however large or small these are."""
    rows, scale = _scale_down(rows)
    return np.asarray(np.sqrt((rows**2).sum(axis=-1)) * scale)


def choose_scale(rows: Array) -> float:
    """Return a power of two, by which to divide before squares and fourth powers are summed.

    It is 1 unless these would overflow or vanish. Dividing by it rounds nothing.
    """
    largest = max(rows.max(initial=0.0), -rows.min(initial=0.0))
    _, exponent = np.frexp(largest)
    is_usual = largest == 0 or abs(exponent) < _MAX_USUAL_EXPONENT
    return 1.0 if is_usual else float(np.ldexp(1.0, exponent - 1))


def _scale_down(rows: Any) -> tuple[Any, float]:
    """Divide the rows by their scale. Those of metrics between 0 and 1 can be sparse, and usual."""
    scale = choose_scale(rows) if isinstance(rows, np.ndarray) else 1.0
    return (rows if scale == 1 else rows / scale), scale


def compute_quantile(freedom: Array | float, level: Array | float) -> Array:
    """Return how many standard errors an interval extends to either side."""
    return np.asarray(stdtrit(freedom, (1 + level) / 2))


def compute_value_limits(
    values: Array,
    errors: Array,
    units: Array,
    level: float,
    drawn: Array | None = None,
    best_unit: Array | float | None = None,
    perfect: Array | float = 1.0,
    cost: Array | float = 0.0,
) -> tuple[Array, Array]:
    """Compute the interval around each value between 0 and 1 that so many equal units say as much
    about: that of a t-test on the logit scale, or the middle of resamples if these are `drawn`, one
    row each. Lower ends move out by the `cost` of one more negative at the top, as squares.

    If units have values of their own, of which `best_unit` is the best one, the better end allows
    for those that are missing by chance.
    """
    is_inside = (0 < values) & (values < 1 - ROUNDING_TOLERANCE)
    known = (units > 1) & (errors > ROUNDING_TOLERANCE * values) & is_inside
    if drawn is None:
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = compute_quantile(units - 1.0, level) * errors / (values * (1 - values))
            lower, higher = expit(logit(values) - reach), expit(logit(values) + reach)
    else:  # widened as a t distribution is
        tail = float(ndtr(-compute_quantile(max(np.max(units) - 1.0, 1.0), level)))
        lower, higher = np.nanquantile(drawn, (tail, 1 - tail), axis=0, method="weibull")
    is_perfect = values >= (1 - ROUNDING_TOLERANCE) * perfect
    by_chance = compute_success_bound(units, level)
    is_any = units <= 1
    least, most = compute_limits_around_equal(values, by_chance)
    if best_unit is None:
        is_any = is_any | (is_inside & ~is_perfect)
        most = np.where(values > 0, 1.0, most)
    else:
        most = np.where(is_any, 1.0, most)
    least = np.where(is_any, 0.0, least)
    low = np.where(known, values - np.hypot(values - lower, cost), values - cost)
    # A perfect ranking doesn't show what those cost that are missing by chance.
    low = np.where(known & ~is_perfect, low, np.minimum(low, least))
    high = np.where(known, higher, most)
    low, high = extend_to_best(low, high, values, best_unit, units, level)
    if drawn is None:
        return low, high
    return np.minimum(low, lower), np.maximum(high, np.maximum(higher, values))


def extend_to_best(
    low: Any,
    high: Any,
    values: Any,
    best_unit: Array | float | None,
    units: Array | float,
    level: float,
) -> tuple[Any, Any]:
    """Extend the better end of the interval around means over units, so that a fraction of the
    units that is missing by chance may have the best value that was seen. It is the low end if
    that value is below the mean.
    """
    if best_unit is None:
        return low, high
    lacked = 1 - compute_success_bound(units, level)
    toward_best = values + lacked * (best_unit - values)
    return np.minimum(low, toward_best), np.maximum(high, toward_best)


def compute_limits_around_equal(
    values: Any, by_chance: Any, least: float = 0.0, most: float = 1.0
) -> tuple[Any, Any]:
    """Compute the interval around a mean of equal values between these ends.

    If other units have other values, they are at most a fraction 1 - `by_chance` of all units, and
    they may all be at one of the ends.
    """
    others = 1 - by_chance
    return values - (values - least) * others, values + (most - values) * others


def compute_success_bound(trials: Array | float, level: float) -> Array:
    """Compute the lower end of the interval after nothing but successes."""
    return np.asarray(((1 - level) / 2) ** (1 / np.asarray(trials)))
