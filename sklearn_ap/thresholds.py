"""Thresholds that decide which samples to flag: chosen for a target, promised, or measured."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context, Decimal
from math import ceil, floor, isnan, log, nan
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit
from scipy.stats import beta

from ._core import (
    Array,
    Column,
    Points,
    Rankings,
    check,
    check_calls,
    is_finite,
    is_number,
    rank,
    read,
    rules,
    set_existing,
    warn_caller,
)
from ._results import Printed, Result, count_decimals, format_ends, format_level, format_value
from .exceptions import InvalidParameterError, NotReachableError

_MIN_DIGITS, _MAX_DIGITS = 3, 17  # digits of a printed threshold
_TARGETS = ("recall", "precision", "specificity")
_SHORT_NAMES = {"negative_predictive_value": "NPV"}

# A promised precision is tested from so many starts. The first one is where a test can pass at all,
# and each next one flags twice as many. 20 negatives at the very top can stop the first four. More
# starts would cost more alpha.
_N_STARTS = 6
_N_TESTED = 2**12  # points that are tested together, until one fails
_ROUNDING = 1e-9
_MUCH = 1e3  # A row of this mass tells nothing.


@dataclass(frozen=True, repr=False, kw_only=True)
class OperatingPoint(Result):
    """A threshold and what it flags; made by :func:`operating_point`.

    With weights, rates are fractions of weight.

    Attributes
    ----------
    threshold : float
        Samples are flagged if their score is at least as high.
    precision, recall : float
        The fraction of flagged samples that are positive, and of positives that are flagged; nan
        for 0/0.
    specificity, negative_predictive_value : float
        The fraction of negatives that aren't flagged, which is 1 minus the false positive rate, and
        of samples that aren't flagged that are negative; nan for 0/0, or if some positives have no
        scores, since negatives may lack, too.
    n_flagged, true_positives : int
        How many samples are flagged, and how many of them are positive.
    n_samples, n_positives : int, float
        How many samples and positives there are; positives without scores count, unless there are
        weights.
    min_recall, min_precision, min_specificity : float or None
        The target.
    confidence_level : float or None
        The level of the promise, or of the intervals of a measured threshold.
    is_measured : bool
        Whether the samples are others than those on which the threshold was chosen.
    precision_low, precision_high, recall_low, recall_high : float
        The ends of intervals of the rates, nan if there are none.
    specificity_low, specificity_high : float
        As for precision.
    negative_predictive_value_low, negative_predictive_value_high : float
        As for precision.
    next_lower : float or None
        The next score below the threshold in the data that it was chosen on. The threshold is
        printed with as many digits as tell it from that one.
    pos_label, min_grade : object
        Which labels are positive.
    notes : tuple of str
        The sentences below the table.
    """

    threshold: Any
    precision: float
    recall: float
    specificity: float = nan
    negative_predictive_value: float = nan
    n_flagged: int
    true_positives: int
    n_samples: int
    n_positives: float
    min_recall: float | None = None
    min_precision: float | None = None
    min_specificity: float | None = None
    confidence_level: float | None = None
    is_measured: bool = False
    precision_low: float = nan
    precision_high: float = nan
    recall_low: float = nan
    recall_high: float = nan
    specificity_low: float = nan
    specificity_high: float = nan
    negative_predictive_value_low: float = nan
    negative_predictive_value_high: float = nan
    next_lower: Any = None
    pos_label: Any = 1
    min_grade: float | None = None
    notes: tuple[str, ...] = ()

    def measure(
        self,
        y_true: Column = None,
        y_score: Column = None,
        *,
        confidence_level: float | None = 0.95,
        sample_weight: Column = None,
        n_positives: float | None = None,
        clusters: Column = None,
        data: Any = None,
    ) -> OperatingPoint:
        """Measure the threshold on other samples, with intervals of its precision, recall,
        specificity and negative predictive value.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n_samples,)
            Labels and prediction scores that weren't used to choose the threshold.
        confidence_level : float or None, default=0.95
            The fraction of such intervals that contain the true precision, recall and so on. They
            are exact (Clopper-Pearson) for rows that weigh the same. With clusters or unequal
            weights, they are those of as many rows as say as much.
        sample_weight, n_positives, clusters, data
            See :func:`operating_point`.

        Returns
        -------
        point : OperatingPoint
            It has the same threshold and target, and `precision_low`, `precision_high` and so on.

        Examples
        --------
        >>> point = operating_point([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], min_recall=1)
        >>> point.measure([1, 0, 0, 1], [0.9, 0.5, 0.8, 0.7])
        Flag scores of at least 0.7: 3 of 4
        rate         value    95% interval  samples
        precision    0.667  0.094 to 0.992   2 of 3
        recall       1.000  0.158 to 1.000   2 of 2
        specificity  0.500  0.013 to 0.987   1 of 2
        NPV          1.000  0.025 to 1.000   1 of 1
        Target: recall of at least 1.
        """
        measured = operating_point(
            y_true,
            y_score,
            threshold=self.threshold,
            confidence_level=confidence_level,
            pos_label=self.pos_label,
            sample_weight=sample_weight,
            n_positives=n_positives,
            min_grade=self.min_grade,
            clusters=clusters,
            data=data,
        )
        return replace(
            measured,
            is_measured=True,
            min_recall=self.min_recall,
            min_precision=self.min_precision,
            min_specificity=self.min_specificity,
            next_lower=self.next_lower,
        )

    def _print(self) -> Printed:
        score = write_threshold(self.threshold, self.next_lower)
        title = f"Flag scores of at least {score}: {self.n_flagged:,} of {self.n_samples:,}"
        n_unflagged = self.n_samples - self.n_flagged
        n_negatives = self.n_samples - self.n_positives
        true_negatives = n_unflagged - (self.n_positives - self.true_positives)
        counts = {
            "precision": (self.true_positives, self.n_flagged),
            "recall": (self.true_positives, self.n_positives),
            "specificity": (true_negatives, n_negatives),
            "negative_predictive_value": (true_negatives, n_unflagged),
        }
        level = "" if self.confidence_level is None else format_level(self.confidence_level)
        ends = {
            name: (getattr(self, f"{name}_low"), getattr(self, f"{name}_high")) for name in counts
        }
        has_intervals = any(low >= 0 for low, _ in ends.values())
        header = ["rate", "value", "samples"]
        if has_intervals:
            header.insert(2, f"{level} interval")
        rows = []
        for name, (n_hits, n_rows) in counts.items():
            value = getattr(self, name)
            if isnan(value) and name not in ("precision", "recall"):
                continue
            decimals = count_decimals([(value, *ends[name])])
            row = [_SHORT_NAMES.get(name, name), format_value(value, decimals=decimals)]
            if has_intervals:
                row.append(format_ends(*ends[name], decimals))
            rows.append([*row, f"{n_hits:,.10g} of {n_rows:,.10g}"])
        lines = [self._describe_target(name, level) for name in _TARGETS]
        lines = [line for line in lines if line]
        return Printed(header, [(title, rows)], [*lines, *self.notes])

    def _describe_target(self, name: str, level: str) -> str:
        """Say what is promised, or whether a target was met on other samples."""
        goal = getattr(self, f"min_{name}")
        if goal is None:
            return ""
        target = f"{name} of at least {goal}"
        if self.is_measured:
            if getattr(self, f"{name}_high") < goal:
                return f"Missed the target: {target}."
            if getattr(self, f"{name}_low") >= goal:
                return f"Met the target: {target}."
            return f"Target: {target}."
        return f"Promised: {target}, with {level} confidence." if level else ""


def write_threshold(threshold: Any, next_lower: Any) -> str:
    """Write a score with as few digits as tell it from the next lower one. It is rounded down, so
    that what is written flags the same samples.
    """
    written = str(threshold)
    is_float = isinstance(threshold, float | np.floating)
    if not is_float or next_lower is None or not np.isfinite(threshold):
        return written
    for n_digits in range(_MIN_DIGITS, _MAX_DIGITS):
        context = Context(prec=n_digits, rounding=ROUND_FLOOR)
        rounded = type(threshold)(str(context.create_decimal(Decimal(written))))
        if rounded > next_lower and len(str(rounded)) < len(written):
            return str(rounded)
    return written


@check_calls
def operating_point(
    y_true: Column = None,
    y_score: Column = None,
    *,
    threshold: float | None = None,
    min_recall: float | None = None,
    min_precision: float | None = None,
    min_specificity: float | None = None,
    k: float | None = None,
    confidence_level: float | None = None,
    clusters: Column = None,
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    n_positives: float | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> OperatingPoint:
    """Choose a threshold for a recall, precision, specificity or number of flagged samples, or
    measure one.

    Choose it on samples that the model wasn't fitted on. A threshold that only just reaches its
    target there misses it on new samples about half the time, so pass `confidence_level` to leave a
    margin. Tied samples are flagged together.

    Read more in :doc:`Thresholds </thresholds>`.

    Parameters
    ----------
    y_true, y_score : array-like of shape (n_samples,)
        Binary labels, and prediction scores. The threshold is one of the scores, and has their
        type. Compare it with scores of the same type, because rounding can lose the samples at the
        threshold.
    threshold : float, default=None
        Measure this threshold.
    min_recall : float, default=None
        Choose the threshold with the best precision among those with at least this recall.
    min_precision : float, default=None
        Choose the threshold with the best recall among those with at least this precision.
    min_specificity : float, default=None
        Choose the threshold with the best recall among those with at least this specificity, which
        flag at most a fraction 1 - `min_specificity` of the negatives.
    k : int or float, default=None
        Choose the highest threshold that flags the top k samples; a float in (0, 1] is a fraction.
    confidence_level : float, default=None
        The probability with which the threshold meets its target in the population that samples or
        `clusters` are drawn from: with `min_recall`, it is the highest one for which a binomial
        test confirms the recall [1]_, with `min_specificity` the lowest one for which such a test
        confirms the specificity, and with `min_precision` the lowest one for which a test confirms
        the precision [2]_. With `threshold`, the level of the intervals.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient. With a confidence level, samples count as
        fewer independent ones, the more those of a cluster are alike (the design effect [3]_).
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Weights that are constant in each class correct its
        prevalence, and then precision and negative predictive value vary by sensitivity and
        specificity alone [4]_.
    n_positives : float, default=None
        How many positives exist, found or not; with weights, their weight.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table whose columns the other parameters name.

    Returns
    -------
    point : OperatingPoint
        The `threshold` and what it flags. ``point.measure(y_true, y_score)`` measures it on other
        samples.

    Raises
    ------
    NotReachableError
        If no threshold meets the target. Its `reachable` is the best target that can be met.

    See Also
    --------
    precision_at_recall_score : The best precision at a recall.
    hit_curve : What every threshold flags and finds.

    References
    ----------
    .. [1] S. S. Wilks, "Determination of sample sizes for setting tolerance limits", Annals of
       Mathematical Statistics 12(1), 1941.
    .. [2] A. N. Angelopoulos et al., "Learn then test: calibrating predictive algorithms to achieve
       risk control", Annals of Applied Statistics 19(2), 2025.
    .. [3] E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected
       number of positive counts estimated from survey data", Survey Methodology 24(2), 1998.
    .. [4] N. D. Mercaldo, K. F. Lau and X. H. Zhou, "Confidence intervals for predictive values
       with an emphasis to case-control studies", Statistics in Medicine 26(10), 2007.

    Examples
    --------
    >>> from sklearn_ap import operating_point
    >>> y_true = [1, 0, 1, 1, 0, 0]
    >>> point = operating_point(y_true, [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], min_recall=0.8)
    >>> point
    Flag scores of at least 0.6: 4 of 6
    rate         value  samples
    precision    0.750   3 of 4
    recall       1.000   3 of 3
    specificity  0.667   2 of 3
    NPV          1.000   2 of 2
    """
    goals = {
        "threshold": threshold,
        "min_recall": min_recall,
        "min_precision": min_precision,
        "min_specificity": min_specificity,
        "k": k,
    }
    target, goal = _find_target(goals)
    _check_combination(target, confidence_level, sample_weight, n_positives)
    if clusters is not None:
        _check_clusters(clusters, confidence_level, data)
    samples = read(
        y_true,
        y_score,
        groups=clusters,  # Clusters are read as groups, but ranked together.
        pos_label=pos_label,
        sample_weight=sample_weight,
        min_grade=min_grade,
        data=data,
    )
    if samples.scores.ndim != 1:
        raise ValueError(
            "A threshold needs one column of labels and one of scores. Got scores of shape "
            f"{samples.scores.T.shape}."
        )
    exist = None if n_positives is None else float(n_positives)
    if target == "threshold":
        point = _measure_threshold(samples, goal, exist, confidence_level)
    else:
        point = _choose_threshold(samples, exist, target, goal, confidence_level)
    return replace(
        point,
        min_recall=min_recall,
        min_precision=min_precision,
        min_specificity=min_specificity,
        pos_label=pos_label,
        min_grade=min_grade,
    )


def _find_target(goals: dict[str, Any]) -> tuple[str, Any]:
    """Return the only parameter that says which threshold is meant, and its value."""
    passed = {name: goal for name, goal in goals.items() if goal is not None}
    if len(passed) != 1:
        got = " and ".join(passed) or "none of them"
        raise InvalidParameterError(f"Pass one of {', '.join(goals)}. Got {got}.")
    ((target, goal),) = passed.items()
    if target != "threshold":
        check(**passed)
    elif not isinstance(goal, Real | np.bool_) or goal != goal:
        raise InvalidParameterError(f"threshold must be a number. Got {goal!r}.")
    return target, goal


def _check_combination(
    target: str, confidence_level: Any, sample_weight: Column, n_positives: Any
) -> None:
    """Refuse options that have wrong values, or that the target doesn't go with."""
    is_level = is_number(confidence_level) and 0.5 <= confidence_level < 1
    if confidence_level is not None and not is_level:
        raise InvalidParameterError(
            f"confidence_level must be a number in [0.5, 1). Got {confidence_level!r}."
        )
    if target == "k" and (confidence_level is not None or sample_weight is not None):
        raise InvalidParameterError(
            "k counts samples, and promises nothing: leave out confidence_level and sample_weight."
        )
    if n_positives is not None and not is_finite(n_positives):
        raise InvalidParameterError(
            "n_positives must be the finite number of all positives, found or not. "
            f"Got {n_positives!r}. Leave out rows without a score."
        )
    if n_positives is not None and target == "min_specificity":
        raise InvalidParameterError("min_specificity needs all samples: leave out n_positives.")


def _check_clusters(clusters: Any, confidence_level: Any, data: Any) -> None:
    if confidence_level is None:
        raise InvalidParameterError("clusters change only what has a confidence_level: pass both.")
    if np.ndim(clusters) > 1 or (data is not None and isinstance(clusters, list)):
        raise InvalidParameterError("clusters must be one column. Got several.")


# --- one threshold --------------------------------------------------------------------------------


class Rate(NamedTuple):
    """A fraction of samples, such as recall: of the positives, those that are flagged."""

    rows: Array  # whether each sample is one of those of which it is a fraction
    others: Array  # whether it might be, if it were ranked elsewhere
    is_hit: Array  # whether it then is a hit
    n_hits: float  # how many there are or, with weights, their weight
    n_rows: float

    @property
    def value(self) -> float:
        return min(self.n_hits / self.n_rows, 1.0) if self.n_rows else nan

    def find_interval(self, samples: Rankings, alpha: float) -> tuple[float, float]:
        """Return the ends of an interval, each missed with probability alpha; nan without rows."""
        if not self.n_rows:
            return nan, nan
        mass = _sum_up(samples, self).find_mass(alpha)
        return _find_interval(self.n_hits / mass, self.n_rows / mass, alpha)


def _measure_threshold(
    samples: Rankings, threshold: Any, n_positives: float | None, level: float | None
) -> OperatingPoint:
    """Compute the rates of a threshold, with intervals if there is a confidence level."""
    is_flagged = np.asarray(samples.scores >= threshold, dtype=bool)
    rates = _list_rates(samples, is_flagged, n_positives)
    measured: dict[str, Any] = {name: rate.value for name, rate in rates.items()}
    if level is not None:
        measured |= _compute_intervals(samples, rates, (1 - level) / 2)
    if samples.weight is not None and np.ptp(samples.weight) > 0:
        measured["notes"] = ("Rates are weighted, samples are counted.",)
    n_existing = rates["recall"].n_rows
    if samples.weight is not None:  # It is a weight, and doesn't say how many have no scores.
        n_existing = int(samples.labels.sum())
    return OperatingPoint(
        threshold=threshold,
        n_flagged=int(is_flagged.sum()),
        true_positives=int((is_flagged & samples.labels).sum()),
        n_samples=samples.labels.size,
        n_positives=n_existing,
        confidence_level=level,
        **measured,
    )


def _list_rates(samples: Rankings, is_flagged: Array, n_positives: float | None) -> dict[str, Rate]:
    """Return the rates that are known; of negatives, none if some positives have no scores."""
    is_positive, is_negative = samples.labels, ~samples.labels
    anyone = is_positive | is_negative

    def weigh(rows: Array) -> float:
        if samples.weight is None:
            return int(np.count_nonzero(rows))
        mass: float = samples.weight[rows].sum().item()
        return mass

    found, scored = weigh(is_flagged & is_positive), weigh(is_positive)
    exist = scored
    if n_positives is not None:
        if n_positives < scored * (1 - _ROUNDING):
            raise ValueError(f"n_positives is {n_positives}, but y_true has {scored} positives.")
        exist = max(n_positives, scored)
    flagged = weigh(is_flagged)
    rates = {
        "precision": Rate(is_flagged, anyone, is_positive, found, flagged),
        "recall": Rate(is_positive, is_positive, is_flagged, found, exist),
    }
    if exist <= scored * (1 + _ROUNDING):
        rejected = weigh(~is_flagged & is_negative)
        n_negatives = rejected + weigh(is_flagged & is_negative)
        unflagged = weigh(~is_flagged)
        rates["specificity"] = Rate(is_negative, is_negative, ~is_flagged, rejected, n_negatives)
        rates["negative_predictive_value"] = Rate(
            ~is_flagged, anyone, is_negative, rejected, unflagged
        )
    return rates


def _compute_intervals(samples: Rankings, rates: dict[str, Rate], alpha: float) -> dict[str, Any]:
    """Return the ends of the intervals of rates, each missed with probability alpha."""
    ends: dict[str, float] = {}
    for name, rate in rates.items():
        low, high = rate.find_interval(samples, alpha)
        ends |= {f"{name}_low": low, f"{name}_high": high}
    return ends


def _find_lowest(scores: Array, n_flagged: int) -> Any:
    """Return the lowest of so many highest scores."""
    place = scores.size - n_flagged
    return _as_score(np.partition(scores, place)[place])


def _as_score(score: Any) -> Any:
    """Return a score as a Python number if it has the same type."""
    is_plain = np.asarray(score).dtype in (np.dtype(bool), np.dtype(int), np.dtype(float))
    return score.item() if is_plain and hasattr(score, "item") else score


# --- binomial tests -------------------------------------------------------------------------------
#
# They are exact if rows are independent and weigh the same. With clusters or weights, rows count as
# so many independent ones (Korn and Graubard 1998). Then counts aren't whole, so scipy.stats.
# binomtest refuses them, and binom rounds them. The beta distribution takes them, and is equal for
# whole counts.


def _find_interval(n_hits: float, n: float, alpha: float) -> tuple[float, float]:
    """Return the ends of Clopper and Pearson's interval, each missed with probability alpha."""
    n_others = max(n - n_hits, 0)  # Sums of weights are rounded.
    low = beta.ppf(alpha, n_hits, n_others + 1) if n_hits else 0.0
    high = beta.ppf(1 - alpha, n_hits + 1, n_others) if n_others else 1.0
    return float(low), float(high)


def _compute_tail(n_hits: Any, n: Any, rate: float) -> Any:
    """Return the probability of at least so many hits among n, each with probability `rate`.

    For whole numbers, it is ``binom.sf(n_hits - 1, n, rate)``. It is nan without hits.
    """
    return beta.cdf(rate, n_hits, n - n_hits + 1)


class Sums(NamedTuple):
    """Sums over rows, and over their units, which are clusters or rows. A unit has the mass m, and
    its hits have the mass f. The mass of a row is its weight w, or 1.
    """

    usual: Any  # sum w^2 / sum w over all rows that there might be
    n_rows: Any
    n: Any  # sum m
    n_hits: Any  # sum f
    mm: Any  # sum m^2
    fm: Any
    ff: Any
    ww: Any  # sum w^2
    ww_hits: Any

    def take(self, places: Any) -> Sums:
        return Sums(self.usual, *(each[places] for each in self[1:]))

    def find_mass(self, alpha: float) -> Any:
        """Return the mass of one of the independent rows that say as much about the rate r, for
        tests at the level alpha.

        The linearized variance of r is u/(u - 1) sum (f - r m)^2 / n^2, where u = n^2 / sum m^2 is
        Kish's number of equal units. So many independent rows have this variance, and fewer have it
        times the square of the quantile of the t distribution with u - 1 degrees of freedom over
        the normal one. No units count as more than their rows would do without clusters.
        """
        r, least = self.n_hits / self.n, _ROUNDING * self.usual  # of rates that don't vary at all
        u = self.n**2 / np.maximum(self.mm, self.n * least)
        # Independent rows that weigh the same count as they are.
        rounding = _ROUNDING * self.n
        is_exact = abs(self.n - self.n_rows * self.usual) <= rounding
        is_exact &= abs(self.mm / self.usual - self.n) <= rounding
        if np.all(is_exact):
            return self.usual
        with np.errstate(divide="ignore", invalid="ignore"):
            t = stdtrit(u - 1, 1 - alpha) / ndtri(1 - alpha) if alpha < 0.5 else np.ones_like(u)
            of_units = (self.ff - 2 * r * self.fm + r**2 * self.mm) * (u / (u - 1)) * t**2
            of_rows = self.ww_hits * (1 - r) ** 2 + (self.ww - self.ww_hits) * r**2
            mass = np.maximum(of_units, of_rows) / (self.n * r * (1 - r))
        # If all rows are hits, or none, nothing shows how units vary.
        mass = np.where((r > 0) & (r < 1 - _ROUNDING), mass, self.usual * t**2)
        mass = np.where(u > 1 + _ROUNDING, mass, self.n * _MUCH)  # A single unit tells nothing.
        return np.where(is_exact, self.usual, np.clip(mass, least, self.n * _MUCH))


def _sum_up(samples: Rankings, rate: Rate) -> Sums:
    """Add up the rows and hits of a rate."""
    rows, is_hit = rate.rows, rate.is_hit[rate.rows]
    w = np.ones(is_hit.size) if samples.weight is None else samples.weight[rows].astype(float)
    m, f = w, w * is_hit
    if samples.group_codes is not None:
        cluster = samples.group_codes[rows]
        m, f = np.bincount(cluster, m), np.bincount(cluster, f)
    usual, n_rows = _find_usual_weight(samples, rate.others), np.float64(is_hit.size)
    sums = Sums(usual, n_rows, m.sum(), f.sum(), m @ m, f @ m, f @ f, w @ w, w @ (w * is_hit))
    return _correct_prevalence(samples, sums, rate.is_hit) if rate.others.all() else sums


def _sum_up_tops(samples: Rankings, points: Points) -> Sums:
    """Add up the rows and positives at and above each point."""
    n_flagged = _count_rows(points)
    if samples.weight is None and samples.group_codes is None:
        n, n_hits = n_flagged.astype(float), points.cum_hits
        return Sums(1.0, n, n, n_hits, n, n_hits, n_hits, n, n_hits)
    order = np.argsort(samples.scores, kind="stable")[::-1]
    is_hit = samples.labels[order]
    w = np.ones(order.size) if samples.weight is None else samples.weight[order].astype(float)
    m, f = np.zeros((2, order.size))
    if samples.group_codes is not None:
        m, f = _sum_above(samples.group_codes[order], np.stack([w, w * is_hit]))
    # A row adds w to the m of its unit and, if it is a hit, to its f. So the sums grow by:
    mm, fm, ff = w * (2 * m + w), w * (f + is_hit * (m + w)), w * is_hit * (2 * f + w)
    growths = np.ones(order.size), w, w * is_hit, mm, fm, ff, w * w, w * w * is_hit
    sums = (np.cumsum(growth)[n_flagged - 1] for growth in growths)
    usual = _find_usual_weight(samples, np.ones(order.size, dtype=bool))
    return _correct_prevalence(samples, Sums(usual, *sums), samples.labels)


def _correct_prevalence(samples: Rankings, sums: Sums, is_hit: Array) -> Sums:
    """Let a precision or negative predictive value vary as those of known prevalence do, if weights
    are constant within each class, and rows are units (Mercaldo, Lau and Zhou 2007).

    If a fraction p of a class is among the rows, their number varies by a factor of 1 - p less.
    """
    if samples.weight is None or samples.group_codes is not None:
        return sums
    of_hits, others = samples.weight[is_hit].astype(float), samples.weight[~is_hit].astype(float)
    if not of_hits.size or not others.size or of_hits[0] == others[0]:
        return sums
    if np.ptp(of_hits) > 0 or np.ptp(others) > 0:
        return sums
    ww_hits = sums.ww_hits * (1 - sums.ww_hits / (of_hits @ of_hits))
    ww_others = sums.ww - sums.ww_hits
    ww = ww_hits + ww_others * (1 - ww_others / (others @ others))
    return sums._replace(mm=ww, fm=ww_hits, ff=ww_hits, ww=ww, ww_hits=ww_hits)


def _find_usual_weight(samples: Rankings, rows: Array | slice) -> float:
    """Return sum w^2 / sum w, which is the weight of each row if they are equal."""
    if samples.weight is None:
        return 1.0
    w = samples.weight[rows].astype(float)
    return float(w @ w / w.sum()) if w.size else 1.0


def _sum_above(cluster: Array, values: Array) -> Array:
    """Return the sums of each row of values over the samples of the same cluster that are above."""
    by_cluster = np.argsort(cluster, kind="stable")
    ordered, values = cluster[by_cluster], values[:, by_cluster]
    before = np.cumsum(values, axis=1) - values
    sums = np.empty_like(before)
    sums[:, by_cluster] = before - before[:, np.searchsorted(ordered, ordered)]
    return sums


# --- targets --------------------------------------------------------------------------------------


def _choose_threshold(
    samples: Rankings, n_positives: float | None, target: str, goal: float, level: float | None
) -> OperatingPoint:
    """Return the best threshold that meets the target, and its rates on these samples."""
    if target == "k":
        n_flagged = _count_top(samples, goal)
    else:
        n_flagged = _count_flagged(samples, n_positives, target, goal, level)
    threshold = _find_lowest(samples.scores, n_flagged)
    lower = samples.scores.take(np.flatnonzero(samples.scores < threshold))
    return replace(
        _measure_threshold(samples, threshold, n_positives, None),
        confidence_level=level,
        next_lower=_as_score(lower.max()) if lower.size else None,
    )


def _count_flagged(
    samples: Rankings, n_positives: float | None, target: str, goal: float, level: float | None
) -> int:
    """Return how many samples the best threshold flags that meets the target."""
    is_promise_of_precision = target == "min_precision" and level is not None
    # A promised precision is tested at all points in turn, also those without positives.
    points = rank(
        samples.labels, samples.scores, samples.weight, every_point=is_promise_of_precision
    )
    if not points.hits.any():
        raise NotReachableError(f"{target}={goal} can't be met: y_true has no positives.")
    if n_positives is not None:
        points = set_existing(points, np.asarray(n_positives).reshape(1), None)
    if target == "min_specificity" and points.n_positives[0] == points.mass[0]:
        raise NotReachableError(f"{target}={goal} can't be met: y_true has no negatives.")
    if level is None:
        place = _find_best_point(points, target, goal)
    elif target == "min_precision":
        place = _promise_precision(points, samples, goal, level)
    else:
        place = _promise_rate(points, samples, target, goal, level)
    return int(_count_rows(points)[place])


def _count_top(samples: Rankings, k: float) -> int:
    n = samples.scores.size
    if k > n:
        warn_caller(f"k={k} exceeds the {n:,} samples: all are flagged.")
    return min(int(rules.compute_k(k, np.array([n]))[0]), n)


def _count_rows(points: Points) -> Array:
    """Count the samples at and above each point, whatever they weigh."""
    if points.tied_rows is None or points.rows_above is None:
        return points.above + points.tied
    return points.rows_above + points.tied_rows


def _count_target(points: Points, target: str) -> tuple[Array, Array]:
    """Return the hits and the rows of which the target is a fraction, at each point."""
    n_flagged = points.above + points.tied
    if target == "min_recall":
        return points.cum_hits, points.repeat(points.n_positives)
    if target == "min_precision":
        return points.cum_hits, n_flagged
    n_negatives = points.repeat(points.mass - points.n_positives)
    return n_negatives - (n_flagged - points.cum_hits), n_negatives


def _find_best_point(points: Points, target: str, goal: float) -> int:
    """Return the place of the best point that meets the target on these samples, the last of equal
    ones.
    """
    n_hits, n_rows = _count_target(points, target)
    worth = points.precision if target == "min_recall" else points.cum_hits
    able = np.flatnonzero(rules.has_reached(points, n_hits, n_rows, goal))
    if not able.size:
        name = target.removeprefix("min_")
        reachable = _round_down((n_hits / n_rows).max())
        raise NotReachableError(
            f"No threshold reaches {target}={goal}: the highest {name} is {reachable:g}. Pass "
            f"{target}={reachable:g} or less.",
            reachable,
        )
    is_best = (worth * points.rounding_factors)[able] >= worth[able].max()
    return int(able[is_best][-1])


# --- promises -------------------------------------------------------------------------------------


def _promise_rate(points: Points, samples: Rankings, target: str, goal: float, level: float) -> int:
    """Return the place of the best point that keeps a recall or a specificity in the population.

    A recall is lower the higher the threshold. So the threshold is the highest one at which the
    binomial test of the positives rejects that their recall is below the goal, an order statistic
    of their scores (Wilks 1941). That is exact for independent rows. With ties, the confidence can
    only be higher. A specificity is the same for negatives, from the lowest score up.
    """
    n_hits, all_rows = _count_target(points, target)
    n_rows, places = all_rows[0], np.arange(n_hits.size)
    if target == "min_recall":
        noun, rows = "positives", samples.labels
    else:
        noun, rows = "negatives", ~samples.labels
        n_hits, places = n_hits[::-1], places[::-1]  # In this order, true negatives rise, too.
    # How units vary is seen where the rate on these samples is the goal.
    near = places[min(np.searchsorted(n_hits, goal * n_rows), n_hits.size - 1)]
    is_flagged = samples.scores >= _find_lowest(samples.scores, _count_rows(points)[near])
    alpha = _find_alpha(level)
    # It is the same for those not flagged.
    rate = Rate(rows, rows, is_flagged, nan, nan)
    mass = float(_sum_up(samples, rate).find_mass(alpha))

    def is_kept(index: int) -> bool:
        tail = _compute_tail(n_hits[index] / mass, n_rows / mass, goal)
        return bool(tail <= alpha * (1 + _ROUNDING))

    index = bisect_left(range(n_hits.size), True, key=is_kept)
    if index < n_hits.size:
        return int(places[index])
    reachable = _round_down(_find_interval(n_hits[-1] / mass, n_rows / mass, alpha)[0])
    if samples.group_codes is not None:
        noun = f"clusters with {noun}"
    needed = ""
    if 0 < goal < 1 and samples.group_codes is None:
        # The test confirms so many rows if all of them are hits.
        least = ceil(log(alpha) / log(goal) - _ROUNDING)
        n_known = int(rows.sum())
        if least > n_known:
            needed = f" That takes at least {least:,} {noun}, and y_true has {n_known:,}."
    raise NotReachableError(
        f"{target}={goal} can't be promised with {100 * level:g}% confidence.{needed} Pass "
        f"{target}={reachable:g} or less, or collect more {noun}.",
        reachable,
    )


def _promise_precision(points: Points, samples: Rankings, goal: float, level: float) -> int:
    """Return the place of the lowest point that keeps a precision in the population."""
    sums = _sum_up_tops(samples, points)
    alpha = _find_alpha(level)

    def find_kept(goal: float) -> Array:
        return np.flatnonzero(_keep_precision(sums, goal, alpha))

    kept = find_kept(goal)
    if kept.size:
        return int(kept[-1])
    thousandths = range(1, ceil(goal * 1000))
    n_kept = bisect_left(thousandths, True, key=lambda each: not find_kept(each / 1000).size)
    reachable = n_kept / 1000
    instead = f"Pass min_precision={reachable:g} or less, or collect" if reachable else "Collect"
    raise NotReachableError(
        f"No threshold keeps min_precision={goal} with {100 * level:g}% confidence. {instead} more "
        "data. A target that was chosen on these samples isn't promised.",
        reachable or None,
    )


def _keep_precision(sums: Sums, goal: float, alpha: float) -> Array:
    """Return which points keep a precision in the population, all with probability 1 - alpha.

    Precision may rise or fall with the threshold, so there is no order statistic. But if points are
    tested in an order that was fixed before, until one fails, all that pass hold together, whatever
    their number: a fixed sequence of tests (Angelopoulos et al. 2025). Each test is binomial, of
    the hits among the flagged rows, which is exact for independent rows.

    alpha is split over six starts at fixed numbers of rows of the usual weight. From each of them,
    points are tested downwards until one fails. A run of passed tests that reaches the next start
    gives its alpha to it (Wiens 2003).
    """
    if goal in (0, 1):  # Every point keeps 0, and none keeps 1.
        return np.full(sums.n_rows.size, goal == 0)
    # Fewer samples than at the first start can't pass: even if all are positive, goal**n > alpha/6.
    first = ceil(log(alpha / _N_STARTS) / log(goal) - _ROUNDING)
    starts = np.searchsorted(sums.n / sums.usual, [first * 2**i for i in range(_N_STARTS)]).tolist()
    is_kept = np.zeros(sums.n_rows.size, dtype=bool)
    alpha_left = 0.0
    for start, next_start in zip(starts, [*starts[1:], sums.n_rows.size], strict=True):
        section = slice(start, next_start)
        alpha_here = alpha / _N_STARTS + alpha_left
        n_passed = _count_passed(sums.take(section), goal, alpha_here)
        is_kept[start : start + n_passed] = True
        alpha_left = alpha_here if start + n_passed == next_start else 0.0
    return is_kept


def _count_passed(sums: Sums, goal: float, alpha: float) -> int:
    """Count the points before the first one that fails the binomial test of a precision."""
    for start in range(0, sums.n.size, _N_TESTED):
        block = sums.take(slice(start, start + _N_TESTED))
        mass = block.find_mass(alpha)
        n_hits, n = block.n_hits / mass, block.n / mass
        # Hoeffding's inequality, exp(-2 n (hits/n - goal)^2), is enough for most points, and takes
        # a hundredth of the time of the beta distribution.
        has_passed = (n_hits > goal * n) & (2 * (n_hits - goal * n) ** 2 > -log(alpha) * n)
        left = np.flatnonzero(~has_passed)
        tail = _compute_tail(n_hits[left], n[left], goal)
        has_passed[left] = tail <= alpha * (1 + _ROUNDING)
        if not has_passed.all():
            return start + int(np.argmin(has_passed))
    return int(sums.n.size)


def _find_alpha(level: float) -> float:
    """Return 1 - level as written: in floats, 1 - 0.9 is below 0.1."""
    return float(1 - rules.read_decimal(level))


def _round_down(fraction: float) -> float:
    """Return a fraction in four decimals that can be reached if the fraction can."""
    return floor(fraction * 10_000) / 10_000
