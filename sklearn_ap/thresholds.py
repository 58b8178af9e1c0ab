"""Thresholds that decide which samples to flag."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context, Decimal
from math import ceil, floor, isnan, log, nan
from numbers import Real
from typing import Any, NoReturn

import numpy as np
from scipy.special import betainc, betaincinv, rel_entr

from ._core import (
    Array,
    Column,
    Points,
    Rankings,
    add_existing,
    check,
    is_finite,
    is_number,
    rank,
    read,
    rules,
    warn_caller,
)
from ._results import Printed, Result, format_ends, format_value
from .exceptions import InvalidParameterError, NotReachableError

# Of tests of precision. 20 negatives at the very top stop all of four, and each more costs alpha.
_N_STARTS = 6
_ROUNDING = 1e-9
_BLOCK = 2**12  # points that are tested together, until one fails
_MIN_DIGITS, _MAX_DIGITS = 3, 17  # of a threshold, as it is printed
_TARGETS = ("recall", "precision", "specificity")
_SHORT_NAMES = {"negative_predictive_value": "NPV"}


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
        The fraction of negatives that aren't flagged, and of samples that aren't flagged that are
        negative; nan for 0/0, or if some positives have no scores, since negatives may lack, too.
    false_positive_rate : float
        The fraction of negatives that are flagged, which is 1 - specificity.
    n_flagged, true_positives : int
        How many samples are flagged, and how many of them are positive.
    n_samples, n_positives : int, float
        How many samples and positives there are.
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
    false_positive_rate_low, false_positive_rate_high : float
        As for precision.
    next_lower : float or None
        The next score below the threshold in the data that it was chosen on. The threshold is
        printed with as many digits as tell it from that one.
    pos_label, min_grade : object
        Which labels are positive.
    notes : tuple of str
        The sentences below the table.
    """

    threshold: Any  # samples are flagged if y_score >= threshold
    precision: float
    recall: float
    specificity: float = nan
    negative_predictive_value: float = nan
    false_positive_rate: float = nan
    n_flagged: int
    true_positives: int
    n_samples: int
    n_positives: float  # found or not; with weights, those with scores
    min_recall: float | None = None  # the target
    min_precision: float | None = None
    min_specificity: float | None = None
    confidence_level: float | None = None  # of the promised target, or of measured intervals
    is_measured: bool = False  # on other samples than it was chosen on
    # The ends of intervals, nan if there are none
    precision_low: float = nan
    precision_high: float = nan
    recall_low: float = nan
    recall_high: float = nan
    specificity_low: float = nan
    specificity_high: float = nan
    negative_predictive_value_low: float = nan
    negative_predictive_value_high: float = nan
    false_positive_rate_low: float = nan
    false_positive_rate_high: float = nan
    next_lower: Any = None  # the next score below the threshold, in the data that it was chosen on
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
        specificity, negative predictive value and false positive rate.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n_samples,)
            Labels and prediction scores that weren't used to choose the threshold.
        confidence_level : float or None, default=0.95
            The fraction of such intervals that contain the true precision, recall and so on. They
            are exact (Clopper-Pearson), with clusters nearly so, and nan if samples have unequal
            weights.
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
        level = "" if self.confidence_level is None else f"{100 * self.confidence_level:g}%"
        n_unflagged = self.n_samples - self.n_flagged
        true_negatives = n_unflagged - (self.n_positives - self.true_positives)
        counts = {
            "precision": (self.true_positives, self.n_flagged),
            "recall": (self.true_positives, self.n_positives),
            "specificity": (true_negatives, self.n_samples - self.n_positives),
            "negative_predictive_value": (true_negatives, n_unflagged),
        }
        has_intervals = any(getattr(self, f"{name}_low") >= 0 for name in counts)
        rows = []
        for name, (hits, whole) in counts.items():
            value = getattr(self, name)
            if isnan(value) and name not in ("precision", "recall"):
                continue
            ends = format_ends(getattr(self, f"{name}_low"), getattr(self, f"{name}_high"))
            cells = [_SHORT_NAMES.get(name, name), format_value(value)]
            cells += [ends] if has_intervals else []
            rows.append([*cells, f"{hits:,.10g} of {whole:,.10g}"])
        header = ["rate", "value", *([f"{level} interval"] if has_intervals else []), "samples"]
        return Printed(header, [(title, rows)], [*self._describe_target(level), *self.notes])

    def _describe_target(self, level: str) -> Iterator[str]:
        """Say what is promised, or whether a target was met on other samples."""
        for name in _TARGETS:
            goal = getattr(self, f"min_{name}")
            if goal is None:
                continue
            target = f"{name} of at least {goal}"
            if not self.is_measured:
                if level:
                    yield f"Promised: {target}, with {level} confidence."
            elif getattr(self, f"{name}_high") < goal:
                yield f"Missed the target: {target}."
            elif getattr(self, f"{name}_low") >= goal:
                yield f"Met the target: {target}."
            else:
                yield f"Target: {target}."


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
        How much each sample counts. A recall is promised only if all positives weigh the same, a
        specificity only if all negatives do, and a precision only if all samples do.
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
    passed = {name: goal for name, goal in goals.items() if goal is not None}
    if len(passed) != 1:
        got = " and ".join(passed) or "none of them"
        raise InvalidParameterError(f"Pass one of {', '.join(goals)}. Got {got}.")
    _check_goals(passed, confidence_level)
    if k is not None and (confidence_level is not None or sample_weight is not None):
        raise InvalidParameterError(
            "k counts samples, and promises nothing: leave out confidence_level and sample_weight."
        )
    if clusters is not None and confidence_level is None:
        raise InvalidParameterError("clusters change only what has a confidence_level: pass both.")
    columns: Any = clusters
    if np.ndim(columns) > 1 or (data is not None and isinstance(columns, list)):
        raise InvalidParameterError("clusters must be one column. Got several.")
    if n_positives is not None and not is_finite(n_positives):
        raise InvalidParameterError(f"n_positives must be a finite number. Got {n_positives!r}.")
    if n_positives is not None and min_specificity is not None:
        raise InvalidParameterError("min_specificity needs all samples: leave out n_positives.")
    if n_positives is not None:
        n_positives = float(n_positives)
    # Clusters are read as groups, but ranked together.
    samples = read(
        y_true,
        y_score,
        groups=clusters,
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
    if threshold is not None:
        point = _describe(samples, threshold, n_positives, confidence_level)
    else:
        ((target, goal),) = passed.items()
        if target == "k":
            n_flagged = _count_top(samples, goal)
        else:
            n_flagged = _choose(samples, n_positives, target, goal, confidence_level)
        threshold = _find_lowest(samples.scores, n_flagged)
        lower = samples.scores[samples.scores < threshold]
        point = replace(
            _describe(samples, threshold, n_positives),
            min_recall=min_recall,
            min_precision=min_precision,
            min_specificity=min_specificity,
            confidence_level=confidence_level,
            next_lower=_as_score(lower.max()) if lower.size else None,
        )
    return replace(point, pos_label=pos_label, min_grade=min_grade)


def _check_goals(passed: dict[str, Any], confidence_level: Any) -> None:
    threshold = passed.get("threshold")
    if threshold is None:
        check(**passed)
    elif not isinstance(threshold, Real | np.bool_) or threshold != threshold:
        raise InvalidParameterError(f"threshold must be a number. Got {threshold!r}.")
    if confidence_level is None:
        return
    if not is_number(confidence_level) or not 0.5 <= confidence_level < 1:
        raise InvalidParameterError(
            f"confidence_level must be a number in [0.5, 1). Got {confidence_level!r}."
        )


# --- one threshold --------------------------------------------------------------------------------


def _describe(
    samples: Rankings, threshold: Any, n_positives: Any, level: float | None = None
) -> OperatingPoint:
    """Say what a threshold flags, with intervals if there is a confidence level."""
    weight = samples.weight
    if weight is None:
        weight = np.ones(samples.labels.size, dtype=np.int64)
    is_flagged = np.asarray(samples.scores >= threshold, dtype=bool)
    is_found = is_flagged & samples.labels
    flagged = weight[is_flagged].sum().item()
    found = weight[is_found].sum().item()
    exist = scored = weight[samples.labels].sum().item()
    if n_positives is not None:
        if n_positives < exist * (1 - _ROUNDING):
            raise ValueError(f"n_positives is {n_positives}, but y_true has {exist} positives.")
        exist = max(n_positives, exist)
    is_negative = ~samples.labels
    false_positives = weight[is_flagged & is_negative].sum().item()
    true_negatives = weight[~is_flagged & is_negative].sum().item()
    n_negatives, unflagged = true_negatives + false_positives, weight[~is_flagged].sum().item()
    are_all_scored = exist <= scored * (1 + _ROUNDING)
    # Of each rate: its rows, which of them are hits, and the mass of hits and of all of them
    rates = {
        "precision": (is_flagged, samples.labels, found, flagged),
        "recall": (samples.labels, is_flagged, found, exist),
    }
    if are_all_scored:
        rates["specificity"] = (is_negative, ~is_flagged, true_negatives, n_negatives)
        rates["negative_predictive_value"] = (~is_flagged, is_negative, true_negatives, unflagged)
    known: dict[str, Any] = {}
    for name, (_, _, hits, whole) in rates.items():
        known[name] = min(hits / whole, 1.0) if whole else nan
    if are_all_scored and n_negatives:
        known["false_positive_rate"] = false_positives / n_negatives
    point = OperatingPoint(
        threshold=threshold,
        n_flagged=int(is_flagged.sum()),
        true_positives=int(is_found.sum()),
        n_samples=weight.size,
        n_positives=exist if samples.weight is None else int(samples.labels.sum()),
        confidence_level=level,
        **known,
    )
    if level is None:
        return point
    ends: dict[str, Any] = {}
    unequal = []
    for name, (rows, is_hit, hits, whole) in rates.items():
        unit = _weigh_unit(samples, rows, is_hit)
        if isnan(unit):
            unequal.append(_SHORT_NAMES.get(name, name))
        low, high = _find_limits(hits / unit, max(whole - hits, 0) / unit, (1 - level) / 2)
        ends |= {f"{name}_low": low, f"{name}_high": high}
    if are_all_scored:
        ends["false_positive_rate_low"] = 1 - ends["specificity_high"]
        ends["false_positive_rate_high"] = 1 - ends["specificity_low"]
    notes = []
    if unequal:
        notes.append(f"Without an interval, since samples weigh unequally: {', '.join(unequal)}.")
    return replace(point, notes=tuple(notes), **ends)


def _find_lowest(scores: Array, n_flagged: int) -> Any:
    """Return the lowest of so many highest scores, as a Python number if it has the same type."""
    place = scores.size - n_flagged
    return _as_score(np.partition(scores, place)[place])


def _as_score(score: Any) -> Any:
    """Return a score as a Python number if it has the same type."""
    is_plain = np.asarray(score).dtype in (np.dtype(bool), np.dtype(int), np.dtype(float))
    return score.item() if is_plain and hasattr(score, "item") else score


def _find_limits(found: float, other: float, alpha: float) -> tuple[float, float]:
    """Return the ends of the exact binomial interval, each exceeded with probability alpha."""
    if isnan(found) or not found + other:
        return nan, nan
    low = betaincinv(found, other + 1, alpha) if found else 0.0
    high = betaincinv(found + 1, other, 1 - alpha) if other else 1.0
    return float(low), float(high)


def _weigh_unit(samples: Rankings, rows: Array, is_hit: Array) -> float:
    """Return the mass of a sampling unit: the weight of each of these rows, nan if it isn't equal.

    With clusters, it's that of as many rows as say what one independent row would: the design
    effect (Kish 1965), as if one more cluster were found and one more missed, so that few clusters
    aren't taken to be all alike. For clusters of one row, it's 1.
    """
    if not rows.any():
        return 1.0
    unit = 1.0
    if samples.weight is not None:
        weight = samples.weight[rows]
        unit = float(weight[0])
        if (weight != weight[0]).any():
            return nan
    if samples.group_codes is None:
        return unit
    m = np.bincount(samples.group_codes[rows])
    f = np.bincount(samples.group_codes[rows & is_hit], minlength=m.size)
    return unit * float(_compute_effect(f.sum(), m.sum(), (f @ f, f @ m, m @ m)))


def _compute_effect(found: Any, size: Any, squares: tuple[Any, Any, Any]) -> Any:
    """Compute the design effect from sums of f^2, f m and m^2 over clusters of m rows, f found."""
    fraction, usual = found / size, squares[2] / size
    more = usual * (fraction**2 + (1 - fraction) ** 2)
    together = squares[0] - 2 * fraction * squares[1] + fraction**2 * squares[2] + usual * more
    return together / (size * fraction * (1 - fraction) + more)


def _compute_effects(samples: Rankings, n_flagged: Array) -> tuple[Array, Array]:
    """Return the design effect of precision among so many highest scores, and how many clusters
    these have.
    """
    assert samples.group_codes is not None
    order = np.argsort(samples.scores, kind="stable")[::-1]
    is_hit = samples.labels[order].astype(np.int64)
    # m and f of the cluster of each sample, without this one and those below it
    by_cluster = np.argsort(samples.group_codes[order], kind="stable")
    starts = np.flatnonzero(np.diff(samples.group_codes[order][by_cluster], prepend=-1))
    sizes = np.diff(starts, append=order.size)
    m, f = np.empty(order.size, np.int64), np.empty(order.size, np.int64)
    hits_before = np.cumsum(is_hit[by_cluster]) - is_hit[by_cluster]
    m[by_cluster] = np.arange(order.size) - np.repeat(starts, sizes)
    f[by_cluster] = hits_before - np.repeat(hits_before[starts], sizes)
    more = is_hit * (2 * f + 1), is_hit * (m + 1) + f, 2 * m + 1  # of f^2, f m and m^2
    last = n_flagged - 1
    squares = tuple(np.cumsum(each)[last] for each in more)
    return _compute_effect(np.cumsum(is_hit)[last], n_flagged, squares), np.cumsum(m == 0)[last]


def _count_top(samples: Rankings, k: float) -> int:
    n = samples.scores.size
    if k > n:
        warn_caller(f"k={k} exceeds the {n:,} samples: all are flagged.")
    return min(int(rules.compute_k(k, np.array([n]))[0]), n)


# --- targets --------------------------------------------------------------------------------------


def _choose(
    samples: Rankings, n_positives: Any, target: str, goal: float, level: float | None
) -> int:
    """Return how many samples the threshold flags that meets the target."""
    is_promise_of_precision = target == "min_precision" and level is not None
    # A promised precision is tested at all points in turn, also those without positives.
    # Clusters are ranked together.
    points = rank(
        samples.labels, samples.scores, samples.weight, every_point=is_promise_of_precision
    )
    if not points.hits.any():
        raise NotReachableError(f"{target}={goal} can't be met: y_true has no positives.")
    if n_positives is not None:
        points = add_existing(points, np.asarray(n_positives).reshape(1), None)
    if target == "min_specificity" and points.n_positives[0] == points.mass[0]:
        raise NotReachableError(f"{target}={goal} can't be met: y_true has no negatives.")
    if level is None:
        place = _find_best(points, target, goal)
    elif target == "min_recall":
        place = _promise_recall(points, samples, goal, level)
    elif target == "min_specificity":
        place = _promise_specificity(points, samples, goal, level)
    else:
        place = _promise_precision(points, samples, goal, level)
    return _count_flagged(points, place)


def _count_flagged(points: Points, place: int) -> int:
    if points.tied_rows is None or points.rows_above is None:
        return int(points.above[place] + points.tied[place])
    return int(points.rows_above[place] + points.tied_rows[place])


def _find_best(points: Points, target: str, goal: float) -> int:
    """Return the place of the best point that meets the target on these samples, the last of equal
    ones.
    """
    hits = part = points.cum_hits
    if target == "min_recall":
        whole, worth = points.repeat(points.n_positives), points.precision
    elif target == "min_precision":
        whole, worth = points.above + points.tied, hits
    else:
        whole, worth = points.repeat(points.mass - points.n_positives), hits
        part = _count_true_negatives(points)
    has_hits = points.hits > 0
    best = np.flatnonzero(rules.has_reached(points, part, whole, goal) & has_hits)
    if not best.size:
        name = target.removeprefix("min_")
        most = _round_down((part / whole)[has_hits].max())
        raise NotReachableError(
            f"No threshold reaches {target}={goal}: the highest {name} is {most:g}. Pass "
            f"{target}={most:g} or less.",
            most,
        )
    best = best[(worth * points.rounding_factors)[best] >= worth[best].max()]
    return int(best[-1])


def _count_true_negatives(points: Points) -> Array:
    """Count the negatives below each point."""
    n_negatives = points.repeat(points.mass - points.n_positives)
    return np.asarray(n_negatives - (points.above + points.tied - points.cum_hits))


def _promise_recall(points: Points, samples: Rankings, goal: float, level: float) -> int:
    """Return the place of the highest point that keeps a recall: the binomial test rejects that the
    population's is lower. How clusters vary is seen where the recall on these samples is the goal.
    """
    first = np.searchsorted(points.cum_hits, goal * points.n_positives[0])
    is_flagged = _flag(points, samples, min(int(first), points.cum_hits.size - 1))
    unit = _weigh_unit(samples, samples.labels, is_flagged)
    if isnan(unit):
        _refuse_weights("recall", "positives")
    found, exist = points.cum_hits / unit, points.n_positives[0] / unit
    alpha = float(1 - rules.read_decimal(level))

    def is_kept(place: int) -> bool:
        return _is_confirmed(found[place], exist, goal, alpha)

    place = bisect_left(range(found.size), True, key=is_kept)  # the lower the threshold, the surer
    if place == found.size:
        _refuse_promise("recall", "positives", goal, level, unit, found[-1], exist, found[-1])
    return place


def _promise_specificity(points: Points, samples: Rankings, goal: float, level: float) -> int:
    """Return the place of the lowest point that keeps a specificity, in the same way."""
    left, n_negatives = _count_true_negatives(points), points.mass[0] - points.n_positives[0]
    first = bisect_left(range(left.size), True, key=lambda place: left[place] < goal * n_negatives)
    is_flagged = _flag(points, samples, max(first - 1, 0))
    unit = _weigh_unit(samples, ~samples.labels, ~is_flagged)
    if isnan(unit):
        _refuse_weights("specificity", "negatives")
    left, exist = left / unit, n_negatives / unit
    alpha = float(1 - rules.read_decimal(level))

    def is_broken(place: int) -> bool:
        return not _is_confirmed(left[place], exist, goal, alpha)

    n_kept = bisect_left(range(left.size), True, key=is_broken)  # the higher, the surer
    with_hits = np.flatnonzero(points.hits > 0)
    kept = with_hits[with_hits < n_kept]
    if not kept.size:
        most = left[with_hits[0]]
        _refuse_promise("specificity", "negatives", goal, level, unit, most, exist, exist)
    return int(kept[-1])


def _flag(points: Points, samples: Rankings, place: int) -> Array:
    """Return which samples are flagged at a point."""
    lowest = _find_lowest(samples.scores, _count_flagged(points, place))
    return np.asarray(samples.scores >= lowest, dtype=bool)


def _is_confirmed(hits: float, exist: float, goal: float, alpha: float) -> bool:
    """Whether the chance of so many hits by a lower rate than the goal is at most alpha."""
    chance = betainc(hits, max(exist - hits, 0) + 1, goal) if hits > 0 else 1.0
    return bool(chance <= alpha * (1 + _ROUNDING))


def _refuse_weights(rate: str, kind: str) -> NoReturn:
    raise InvalidParameterError(
        f"A {rate} is promised only if all {kind} have the same weight: leave out sample_weight or "
        "confidence_level."
    )


def _refuse_promise(
    rate: str,
    kind: str,
    goal: float,
    level: float,
    unit: float,
    most: float,
    exist: float,
    n_known: float,
) -> NoReturn:
    """Say which target can be promised, if at most so many units of those that exist are hits, and
    how many rows it takes, if y_true has too few of this kind.
    """
    alpha = float(1 - rules.read_decimal(level))
    best = _round_down(_find_limits(most, max(exist - most, 0), alpha)[0])
    needed = ""
    if goal < 1 and unit == 1:
        least = ceil(log(alpha) / log(goal) - _ROUNDING)  # if all of them are hits
        if least > n_known:
            needed = f" That takes at least {least:,} {kind}, and y_true has {n_known:,.0f}."
    raise NotReachableError(
        f"min_{rate}={goal} can't be promised with {100 * level:g}% confidence.{needed} Pass "
        f"min_{rate}={best:g} or less, or collect more {kind}.",
        best,
    )


def _promise_precision(points: Points, samples: Rankings, goal: float, level: float) -> int:
    """Return the place of the lowest point that keeps a precision."""
    unit = 1 if samples.weight is None else samples.weight[0]
    if samples.weight is not None and (samples.weight != unit).any():
        raise InvalidParameterError(
            "A precision is promised only if all samples have the same weight: leave out "
            "sample_weight or confidence_level."
        )
    alpha = float(1 - rules.read_decimal(level))
    hits, flagged = points.cum_hits / unit, (points.above + points.tied) / unit
    n_units = flagged
    if samples.group_codes is not None:
        effect, n_units = _compute_effects(samples, np.rint(flagged).astype(np.int64))
        hits, flagged = hits / effect, flagged / effect
    kept = np.flatnonzero(_keep_precision(hits, flagged, n_units, goal, alpha))
    if kept.size:
        return int(kept[-1])

    def is_out_of_reach(thousandths: int) -> bool:
        return not _keep_precision(hits, flagged, n_units, thousandths / 1000, alpha).any()

    best = bisect_left(range(1, ceil(goal * 1000)), True, key=is_out_of_reach) / 1000
    instead = f"Pass min_precision={best:g} or less, or collect" if best else "Collect"
    raise NotReachableError(
        f"No threshold keeps min_precision={goal} with {100 * level:g}% confidence. {instead} more "
        "data. A target that was chosen on these samples isn't promised.",
        best or None,
    )


def _keep_precision(
    hits: Array, flagged: Array, n_units: Array, goal: float, alpha: float
) -> Array:
    """Return which points keep a precision in the population, all with probability 1 - alpha.

    alpha is split over six starts at fixed numbers of units, which are rows or clusters. From each
    of them, points are tested downwards until one fails. A run of passed tests that reaches the
    next start gives its alpha to it (Wiens 2003).
    """
    if goal in (0, 1):  # which every point keeps, or none
        return np.full(flagged.size, goal == 0)
    # Fewer samples than at the first start can't pass: even if all are positive, goal**n > alpha/6.
    first = ceil(log(alpha / _N_STARTS) / log(goal) - _ROUNDING)
    starts = np.searchsorted(n_units, [first * 2**i for i in range(_N_STARTS)]).tolist()
    is_kept = np.zeros(flagged.size, dtype=bool)
    alpha_left = 0.0
    for start, next_start in zip(starts, [*starts[1:], flagged.size], strict=True):
        section = slice(start, next_start)
        alpha_here = alpha / _N_STARTS + alpha_left
        n_passed = _count_passed(hits[section], flagged[section], goal, alpha_here)
        is_kept[start : start + n_passed] = True
        alpha_left = alpha_here if start + n_passed == next_start else 0.0
    return is_kept


def _count_passed(hits: Array, flagged: Array, goal: float, alpha: float) -> int:
    """Count the points before the first one that fails the binomial test of a precision.

    The probability of T hits among N is at most exp(-N KL), where KL is the relative entropy
    T/N log(T/N / goal) + (1 - T/N) log((1 - T/N)/(1 - goal)) (Chernoff). It's 20 times as fast as
    `betainc`, and decides most tests.
    """
    is_below = np.append(hits <= goal * flagged, True)  # on these samples; the end fails, too
    end = int(np.argmax(is_below))
    for start in range(0, end, _BLOCK):
        block = slice(start, min(start + _BLOCK, end))
        T, N = hits[block], flagged[block]
        entropy = rel_entr(T / N, goal) + rel_entr((N - T) / N, 1 - goal)
        unsure = np.flatnonzero(N * entropy < -log(alpha) * (1 + _ROUNDING))
        tail = betainc(T[unsure], N[unsure] - T[unsure] + 1, goal)
        has_failed = tail > alpha * (1 + _ROUNDING)
        if has_failed.any():
            return start + int(unsure[np.argmax(has_failed)])
    return end


def _round_down(fraction: float) -> float:
    """Return a fraction in four decimals that can be reached if the fraction can."""
    return floor(fraction * 10_000) / 10_000
