"""Intervals and p-values, from the variation of values."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.special import expit, logit, ndtr, stdtr, stdtrit

from .ragged import Array, divide_safely, split_into_blocks, unwrap_single
from .tolerances import ROUNDING_TOLERANCE, SUM_TOLERANCE

# In mean differences: folds that vary by less than this are equal but for noise
_MIN_VARIATION = 1e-3
_MAX_USUAL_EXPONENT = 64  # of two: the squares of such numbers are far from overflowing


def compute_alpha(level: float) -> float:
    """Return what p-values have to be below. The float 1 - 0.95 isn't 0.05."""
    return round(1 - level, 12)


def have_same_weight(left: Array, right: Array) -> bool:
    """Whether values have the same weights, which may have been added up in another order."""
    if left is right or np.array_equal(left, right):
        return True
    return left.shape == right.shape and np.allclose(left, right, rtol=SUM_TOLERANCE, atol=0)


def compute_unit_mass(mass: Array | float, squares: Array | float, otherwise: float = 0.0) -> Array:
    """Compute what a typical unit weighs, from sums of the masses of units and of their squares.

    All units say as much about a fraction as their mass divided by it does in equal ones (Kish).
    """
    return divide_safely(np.asarray(squares), np.asarray(mass), otherwise)


def count_equal_parts(squares: Array | float, most: Array | float) -> Array:
    """Count the equal parts of 1 whose squares have this sum, at most `most`."""
    number = divide_safely(np.asarray(1.0), np.asarray(squares), 1.0)
    return np.where(number > most * (1 - SUM_TOLERANCE), most, number)


def count_equal_units(mass: Array) -> float:
    """Count the equal units that say as much as units of these masses; 0 if all are 0."""
    if not mass.any():
        return 0.0
    relative = mass / mass.max()  # squares of large ones would overflow
    squares = np.square(relative / relative.sum()).sum()
    return float(count_equal_parts(squares, int(np.count_nonzero(mass))))


@dataclass(frozen=True, eq=False)
class TabulatedDeviations:
    """The deviations of one value, for so many units that arrays of them would need much memory.

    The deviation of a unit is the sum of its entries in several tables. It's computed block by
    block whenever it is needed. This has those operators and methods of an array of shape
    (1, n_units) that a `Spread` needs, and no others: sums are always over the units.
    """

    tables: Sequence[Array]  # of entries
    places: Sequence[Array]  # of each unit's entry in each table, all of shape (n_units,)
    is_squared: bool = False

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
        return type(self)(self.tables, self.places, is_squared=True)

    @cached_property
    def _total_and_largest(self) -> tuple[float, float]:
        total, largest = 0.0, 0.0
        for _, deviations in self._iterate_blocks():
            total += float(deviations.sum())
            largest = max(largest, float(deviations.max()))
        return total, largest

    def sum(self, axis: int) -> Array:
        return np.array([self._total_and_largest[0]])

    def max(self, axis: int) -> Array:
        return np.array([self._total_and_largest[1]])

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
            if self.is_squared:
                deviations *= deviations
            yield block, deviations


@dataclass(frozen=True, eq=False)
class _VaryingMean:
    """A mean of values, and how they vary together.

    Their covariance is the product of the deviations with themselves. These have one row per value,
    and one column per sampling unit (its influence) or resample. With groups, they are sparse,
    because there may be many groups with few of the units each, and with millions of units,
    they are looked up.
    """

    values: Array
    fractions: Array  # of each value in the mean; they add up to 1
    equal_units_of_values: Array  # as many equal units say as much about each value
    mean: float  # as the metric sums it; values @ fractions can differ in the last bit
    equal_units_of_mean: float = np.inf  # as many equal units say as much about the mean
    deviations: Any = None  # None as long as it isn't known how much the values vary
    fraction_deviations: Array | float = 0.0  # deviations of the mean because fractions vary
    maximum: Array | float = 1.0  # the largest possible value, for any fraction of positives

    def clear_rounding(self, largest: float) -> Self:
        """Set deviations to exactly 0 if they are only rounding errors, and the mean with them.

        5/6 - 1/3 and 1 - 1/2 are the same difference, but not the same float. `largest` is the
        largest value that these were computed from.
        """
        noise = ROUNDING_TOLERANCE * largest
        if self.standard_error > noise:
            return self
        mean = self.mean if abs(self.mean) > noise else 0.0
        return replace(self, mean=mean, deviations=self.deviations * 0.0, fraction_deviations=0.0)

    @property
    def equal_units(self) -> float:
        """How many equal units with positives say as much as these, called u in the documentation.
        Degrees of freedom, what a sample may lack, and notes follow from it.
        """
        is_one = self.values.size == 1
        return self.equal_units_of_values.item() if is_one else self.equal_units_of_mean

    @property
    def maximum_mean(self) -> float:
        """The largest possible mean, or difference of means."""
        return _average_weighted(self.maximum, self.fractions)

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


@dataclass(frozen=True, eq=False)
class Spread(_VaryingMean):
    """How the values of a model vary, of which a metric is the mean, and what limits them."""

    # What each value would lose to one more negative at the top, see `compute_unseen`
    compute_losses_at_top: Callable[[], Array | float] = lambda: 0.0
    compute_bias: Callable[[], float] = lambda: 0.0  # of the mean of several rankings: too high by
    # The mass of positives in each cluster, of shape (1, n_clusters), if differences have strata
    mass_in_clusters: Array | None = None
    ranking_values: Array | None = None  # the values of rankings, for a mean over them
    perfect: Array | float = 1.0  # the value of a perfect ranking
    log_count_errors: Array | None = None  # of positives, if they limit the value: standard errors
    is_optimistic: bool = False  # whether values tend to be higher than with more samples
    has_bend: bool = False  # whether a cutoff or a target bends the distribution of resamples
    resampled: Array | None = None  # the values of resamples, one row each, if they are needed
    value_range: tuple[float, float] | None = None  # of values that aren't between 0 and `maximum`

    def with_resamples(self, drawn: Array) -> Self:
        """Use the deviations of resamples, of shape (n_resamples, n_values), from their mean."""
        defined = ~np.isnan(drawn)
        counts = defined.sum(axis=0)
        if counts.min() < 2:
            raise ValueError("Fewer than two resamples have positives. Use a larger n_resamples.")
        center = np.where(defined, drawn, 0).sum(axis=0) / counts
        deviations = np.where(defined, drawn - center, 0) / np.sqrt(counts - 1)
        is_needed = self.has_bend or self.is_optimistic
        return replace(self, deviations=deviations.T, resampled=drawn if is_needed else None)

    def with_value_range(self, low: float, high: float) -> Self:
        """Let values be between these limits, which can be infinite."""
        return replace(self, value_range=(low, high), maximum=high - low)

    def subtract(self, other: Self) -> "PairedDifference":
        """Return the difference from the mean of values of the same units."""
        if not have_same_weight(self.fractions, other.fractions):
            return self._as_one().subtract(other._as_one())
        difference = PairedDifference(
            values=self.values - other.values,
            fractions=self.fractions,
            equal_units_of_values=np.minimum(
                self.equal_units_of_values, other.equal_units_of_values
            ),
            mean=self.mean - other.mean,
            equal_units_of_mean=min(self.equal_units_of_mean, other.equal_units_of_mean),
            deviations=self._center_strata(self.deviations - other.deviations),
            fraction_deviations=self.fraction_deviations - other.fraction_deviations,
            maximum=np.maximum(self.maximum, other.maximum),
        )
        return difference.clear_rounding(max(self.largest, other.largest))

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
            n_equal = count_equal_units(mass)
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
        return replace(
            self,
            values=np.array([self.mean]),
            fractions=np.ones(1),
            deviations=self.mean_deviations[np.newaxis],
            equal_units_of_values=np.array([self.equal_units_of_mean]),
            compute_losses_at_top=lambda: self._loss_at_top,
            fraction_deviations=0.0,
            resampled=drawn,
            maximum=self.maximum_mean,
            perfect=_average_weighted(self.perfect, self.fractions),
            log_count_errors=log_count_errors,
        )

    @property
    def is_constant(self) -> bool:
        """Whether all rankings have the same value, or their means in all clusters are the same."""
        return self.ranking_values is not None and not self.standard_error

    @property
    def largest(self) -> float:
        """The largest of the values, or of the rankings' values."""
        values = self.values if self.ranking_values is None else self.ranking_values
        return float(np.abs(values).max())

    def compute_limits(self, level: float) -> tuple[float, float]:
        """Compute the interval around the mean, that of a t-test on the logit scale.

        Its low end moves out by what one more negative at the top would cost. Its high end is at
        least what the mean would be if the units that a sample lacks by chance were perfect.
        """
        least, most = self.value_range or (0.0, self.maximum_mean)
        if not np.isfinite(most - least):
            return self.compute_limits_on_line(level)
        if self.values.size > 1:
            lowest, highest = self._as_one().compute_limits(level)
            return max(lowest - self.compute_bias(), 0.0), highest
        reach = np.asarray(self._find_reachable(level))
        value, drawn = (self.values - least) / reach, None
        if self.resampled is not None:
            drawn = self.resampled / reach
        low, high = compute_value_limits(
            value,
            self.errors / reach,
            self.equal_units_of_values,
            level,
            drawn if self.has_bend else None,
            perfect=(self.perfect - least) / reach,
            cost=self._loss_at_top / reach,
            of_groups=self.ranking_values is not None,
        )
        if drawn is not None and self.is_optimistic:
            top = np.nanquantile(drawn, (1 + level) / 2, axis=0)
            high = np.maximum(high, top)
            low = np.minimum(low, np.maximum(2 * value - high, 0.0))
        low, high = least + np.clip([low, high], 0.0, 1.0).reshape(2) * reach
        return min(float(low), self.mean), max(float(high), self.mean)

    def compute_limits_on_line(self, level: float) -> tuple[float, float]:
        """Compute the interval of a t-test on the scale of the values, without what a sample may
        lack. Values that don't vary may be anywhere.
        """
        least, most = self.value_range or (0.0, self.maximum_mean)
        if not self.standard_error or self.equal_units <= 1:
            return least, most
        reach = float(compute_quantile(self.equal_units - 1, level)) * self.standard_error
        return max(self.mean - reach, least), min(self.mean + reach, most)

    def _find_reachable(self, level: float) -> Array | float:
        """Return the largest values that are possible with as few positives as there may be."""
        if self.log_count_errors is None:
            return self.maximum
        fewer = np.exp(compute_quantile(np.inf, level) * self.log_count_errors)
        return np.asarray(np.minimum(self.maximum, self.perfect * fewer))

    def compute_unseen(self, level: float) -> Array:
        """Return how much models may differ on what the sample lacks, of shape (2,): a fraction of
        the units that it lacks by chance, on which the difference may be the largest possible;
        and one more negative at the top of one of them.
        """
        most = self.maximum_mean
        if not np.isfinite(most):
            most = float(np.max(np.abs(self.compute_limits(level))))
        lacked = 1 - float(compute_success_bound(self.equal_units, level))
        return np.array([lacked * most, self._loss_at_top])

    @cached_property
    def _loss_at_top(self) -> float:
        """What the mean would lose to one more negative at the top of one of its rankings."""
        return float(np.max(self.fractions * self.compute_losses_at_top()))


@dataclass(frozen=True, eq=False)
class PairedDifference(_VaryingMean):
    """How the difference of two models varies, or that of two ways to train on the same folds."""

    are_folds: bool = False  # whether the units are folds

    def compute_t_test(self, level: float) -> tuple[float, float, float]:
        """Compute the interval around a mean of differences, and its p-value. A single unit doesn't
        tell anything about these.
        """
        if self.equal_units <= 1:
            return np.nan, np.nan, np.nan
        error = self.error_of_difference
        if error == 0:
            return 0.0, 0.0, 1.0
        reach = float(compute_quantile(self.equal_units - 1, level)) * error
        p = float(2 * stdtr(self.equal_units - 1, -abs(self.mean) / error))
        most = self.maximum_mean
        return max(self.mean - reach, -most), min(self.mean + reach, most), p

    @property
    def error_of_difference(self) -> float:
        """The standard error of a mean of differences.

        It is at least as if one more unit showed no difference, so that a few units with nearly the
        same difference don't pin it down. Folds, of which there are always few, need this only if
        nothing varies but noise.
        """
        error = self._error_over_classes
        if self.are_folds and error > _MIN_VARIATION * abs(self.mean):
            return error
        return max(error, abs(self.mean) / self.equal_units)

    def count_deciding_units(self) -> float:
        """Count how many units with equal deviations from the mean would have its variance, if each
        had the largest deviation; 0 if nothing varies. The deviations are those of units.
        """
        is_looked_up = isinstance(self.deviations, TabulatedDeviations)
        deviations = self.deviations if is_looked_up else self.mean_deviations[np.newaxis]
        squares = _scale_down(deviations)[0] ** 2
        return float(divide_safely(squares.sum(axis=1), squares.max(axis=1), 0.0).item())

    @cached_property
    def _error_over_classes(self) -> float:
        """The standard error of a mean over classes or of one difference. A class that depends on
        fewer than two units doesn't show how much its difference varies, so that the standard error
        of that is at least the difference.
        """
        if self.values.size == 1:
            return self.standard_error
        values, errors = np.abs(self.values), self.errors
        varies = errors > ROUNDING_TOLERANCE * max(values.max(), self.standard_error)
        alone = np.where(self.equal_units_of_values < 2, values, 0.0)
        least = np.maximum(errors, alone)
        raise_by = np.divide(least, errors, out=np.ones(least.size), where=varies)
        raised = replace(self, fractions=self.fractions * raise_by)
        of_equal = compute_norm(self.fractions * np.where(varies, 0.0, alone))
        return float(np.hypot(raised.standard_error, of_equal))

    def move_ends_out(self, low: float, high: float, unseen: float) -> tuple[float, float]:
        """Move both ends of a difference out by what its models may differ on what is `unseen`."""
        most = self.maximum_mean
        below, above = np.hypot([self.mean - low, high - self.mean], unseen).tolist()
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
    """Return a power of two, by which to divide before squares are summed.

    It is 1 unless these would overflow or vanish. Dividing by it rounds nothing.
    """
    largest = max(rows.max(initial=0.0), -rows.min(initial=0.0))
    _, exponent = np.frexp(largest)
    return 1.0 if abs(exponent) < _MAX_USUAL_EXPONENT else float(np.ldexp(1.0, exponent - 1))


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
    perfect: Array | float = 1.0,
    cost: Array | float = 0.0,
    of_groups: bool = False,
) -> tuple[Array, Array]:
    """Compute the interval around each value between 0 and 1 that so many equal units say as much
    about: that of a t-test on the logit scale, or the middle of resamples if these are `drawn`, one
    row each. Lower ends move out by the `cost` of one more negative at the top, as squares.

    A sample lacks a fraction of the units by chance, called c in the documentation. The high end
    is at least as if they were perfect, unless units have values of their own (`of_groups`) that
    vary. Without variance, the low end is at most as if they were worst.
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
    lacked = 1 - compute_success_bound(units, level)
    # A perfect ranking doesn't show what those cost that the sample lacks by chance.
    is_shown = known & (values < (1 - ROUNDING_TOLERANCE) * perfect)
    low = values - np.hypot(values - np.where(known, lower, values), cost)
    low = np.where(is_shown, low, np.minimum(low, (1 - lacked) * values))
    most = values + lacked * (1 - values)
    high = np.where(known, higher if of_groups else np.maximum(higher, most), most)
    if drawn is None:
        return low, high
    return np.minimum(low, lower), np.maximum(high, higher)


def compute_success_bound(trials: Array | float, level: float) -> Array:
    """Compute the lower end of the interval after nothing but successes."""
    return np.asarray(((1 - level) / 2) ** (1 / np.asarray(trials)))
