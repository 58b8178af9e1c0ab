"""Thresholds that decide which samples to flag."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from math import ceil, floor, isnan, log, nan
from numbers import Real
from typing import Any

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


@dataclass(frozen=True, repr=False, kw_only=True)
class OperatingPoint(Result):
    """A threshold and what it flags; made by :func:`operating_point`.

    With weights, precision and recall are fractions of weight.

    Attributes
    ----------
    threshold : float
        Samples are flagged if their score is at least as high.
    precision, recall : float
        The fraction of flagged samples that are positive, and of positives that are flagged; nan
        for 0/0.
    n_flagged, true_positives : int
        How many samples are flagged, and how many of them are positive.
    n_samples, n_positives : int, float
        How many samples and positives there are.
    min_recall, min_precision : float or None
        The target.
    confidence_level : float or None
        The level of the promise, or of the intervals of a measured threshold.
    is_measured : bool
        Whether the samples are others than those on which the threshold was chosen.
    precision_low, precision_high, recall_low, recall_high : float
        The ends of intervals, nan if there are none.
    pos_label, min_grade : object
        Which labels are positive.
    notes : tuple of str
        The sentences below the table.
    """

    threshold: Any  # samples are flagged if y_score >= threshold
    precision: float  # nan if nothing is flagged
    recall: float  # nan without positives
    n_flagged: int
    true_positives: int
    n_samples: int
    n_positives: float  # found or not; with weights, those with scores
    min_recall: float | None = None  # the target
    min_precision: float | None = None
    confidence_level: float | None = None  # of the promised target, or of measured intervals
    is_measured: bool = False  # on other samples than it was chosen on
    # The ends of intervals, nan if there are none
    precision_low: float = nan
    precision_high: float = nan
    recall_low: float = nan
    recall_high: float = nan
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
        """Measure the threshold on other samples, with intervals of its precision and recall.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n_samples,)
            Labels and prediction scores that weren't used to choose the threshold.
        confidence_level : float or None, default=0.95
            The fraction of such intervals that contain the true precision, or recall. They are
            exact (Clopper-Pearson), with clusters nearly so, and nan if samples have unequal
            weights.
        sample_weight, n_positives, clusters, data
            See :func:`operating_point`.

        Returns
        -------
        point : OperatingPoint
            It has the same threshold and target, and `precision_low`, `precision_high`,
            `recall_low` and `recall_high`.

        Examples
        --------
        >>> point = operating_point([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], min_recall=1)
        >>> point.measure([1, 0, 0, 1], [0.9, 0.5, 0.8, 0.7])
        Flag scores of at least 0.7
        precision    95% interval  recall    95% interval  flagged   found
        0.667      0.094 to 0.992   1.000  0.158 to 1.000   3 of 4  2 of 2
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
        )

    def _print(self) -> Printed:
        title, lines = f"Flag scores of at least {self.threshold}", []
        target, verdict = None, "Target"
        for name, goal in (("recall", self.min_recall), ("precision", self.min_precision)):
            if goal is None:
                continue
            target = f"{name} of at least {goal}"
            if getattr(self, f"{name}_high") < goal:
                verdict = "Missed the target"
            elif getattr(self, f"{name}_low") >= goal:
                verdict = "Met the target"
        has_intervals = not isnan(self.recall_low) or not isnan(self.precision_low)
        level = "" if self.confidence_level is None else f"{100 * self.confidence_level:g}%"
        if target is not None and self.is_measured:
            lines.append(f"{verdict}: {target}.")
        elif target is not None and level:
            title += f", {target} with {level} confidence"
        header, cells = [], []
        for name in ("precision", "recall"):
            header.append(name)
            cells.append(format_value(getattr(self, name)))
            if has_intervals:
                header.append(f"{level} interval")
                low, high = getattr(self, f"{name}_low"), getattr(self, f"{name}_high")
                cells.append(format_ends(low, high))
        header += ["flagged", "found"]
        cells += [f"{self.n_flagged:,} of {self.n_samples:,}"]
        cells += [f"{self.true_positives:,} of {self.n_positives:,.10g}"]
        return Printed(header, [(title, [cells])], [*lines, *self.notes])


def operating_point(
    y_true: Column = None,
    y_score: Column = None,
    *,
    threshold: float | None = None,
    min_recall: float | None = None,
    min_precision: float | None = None,
    k: float | None = None,
    confidence_level: float | None = None,
    clusters: Column = None,
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    n_positives: float | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> OperatingPoint:
    """Choose a threshold for a recall, a precision or a number of flagged samples, or measure one.

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
    k : int or float, default=None
        Choose the highest threshold that flags the top k samples; a float in (0, 1] is a fraction.
    confidence_level : float, default=None
        The probability with which the threshold meets its target in the population that samples or
        `clusters` are drawn from: with `min_recall`, it is the highest one for which a binomial
        test confirms the recall [1]_; with `min_precision`, the lowest one for which a test
        confirms the precision [2]_. With `threshold`, the level of the intervals.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient. With a confidence level, samples count as
        fewer independent ones, the more those of a cluster are alike (the design effect [3]_).
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. A recall is promised only if all positives weigh the same, a
        precision only if all samples do.
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
    Flag scores of at least 0.6
    precision  recall  flagged   found
    0.750       1.000   4 of 6  3 of 3
    """
    goals = {
        "threshold": threshold,
        "min_recall": min_recall,
        "min_precision": min_precision,
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
        point = replace(
            _describe(samples, _find_lowest(samples.scores, n_flagged), n_positives),
            min_recall=min_recall,
            min_precision=min_precision,
            confidence_level=confidence_level,
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
    exist = weight[samples.labels].sum().item()
    if n_positives is not None:
        if n_positives < exist * (1 - _ROUNDING):
            raise ValueError(f"n_positives is {n_positives}, but y_true has {exist} positives.")
        exist = max(n_positives, exist)
    point = OperatingPoint(
        threshold=threshold,
        precision=found / flagged if flagged else nan,
        recall=min(found / exist, 1.0) if exist else nan,
        n_flagged=int(is_flagged.sum()),
        true_positives=int(is_found.sum()),
        n_samples=weight.size,
        n_positives=exist if samples.weight is None else int(samples.labels.sum()),
        confidence_level=level,
    )
    if level is None:
        return point
    others = {
        "precision": (is_flagged, samples.labels, flagged - found),
        "recall": (samples.labels, is_flagged, max(exist - found, 0)),
    }
    ends: dict[str, Any] = {}
    notes = []
    for name, (rows, is_hit, other) in others.items():
        unit = _weigh_unit(samples, rows, is_hit)
        if isnan(unit):
            notes.append(f"The {name} has no interval, because its samples have unequal weights.")
        low, high = _find_limits(found / unit, other / unit, (1 - level) / 2)
        ends |= {f"{name}_low": low, f"{name}_high": high}
    return replace(point, notes=tuple(notes), **ends)


def _find_lowest(scores: Array, n_flagged: int) -> Any:
    """Return the lowest of so many highest scores, as a Python number if it has the same type."""
    place = scores.size - n_flagged
    score = np.partition(scores, place)[place]
    if scores.dtype in (np.dtype(bool), np.dtype(int), np.dtype(float)):
        score = score.item()
    return score


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
    if samples.group is None:
        return unit
    m = np.bincount(samples.group[rows])
    f = np.bincount(samples.group[rows & is_hit], minlength=m.size)
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
    assert samples.group is not None
    order = np.argsort(samples.scores, kind="stable")[::-1]
    is_hit = samples.labels[order].astype(np.int64)
    # m and f of the cluster of each sample, without this one and those below it
    by_cluster = np.argsort(samples.group[order], kind="stable")
    starts = np.flatnonzero(np.diff(samples.group[order][by_cluster], prepend=-1))
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
    if level is None:
        place = _find_best(points, target, goal)
    elif target == "min_recall":
        place = _promise_recall(points, samples, goal, level)
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
    hits = points.cum_hits
    if target == "min_recall":
        whole, worth = points.repeat(points.n_positives), points.precision
    else:
        whole, worth = points.above + points.tied, hits
    best = np.flatnonzero(rules.has_reached(points, hits, whole, goal) & (points.hits > 0))
    if not best.size:
        name = target.removeprefix("min_")
        most = _round_down((hits / whole).max())
        raise NotReachableError(
            f"No threshold reaches {target}={goal}: the highest {name} is {most:g}. Pass "
            f"{target}={most:g} or less.",
            most,
        )
    best = best[(worth * points.rounding_factors)[best] >= worth[best].max()]
    return int(best[-1])


def _promise_recall(points: Points, samples: Rankings, goal: float, level: float) -> int:
    """Return the place of the highest point that keeps a recall: the binomial test rejects that the
    population's is lower. How clusters vary is seen where the recall on these samples is the goal.
    """
    first = np.searchsorted(points.cum_hits, goal * points.n_positives[0])
    n_flagged = _count_flagged(points, min(int(first), points.cum_hits.size - 1))
    is_flagged = samples.scores >= _find_lowest(samples.scores, n_flagged)
    unit = _weigh_unit(samples, samples.labels, np.asarray(is_flagged, dtype=bool))
    if isnan(unit):
        raise InvalidParameterError(
            "A recall is promised only if all positives have the same weight: leave out "
            "sample_weight or confidence_level."
        )
    found, exist = points.cum_hits / unit, points.n_positives[0] / unit
    alpha = float(1 - rules.as_fraction(level))

    def is_kept(place: int) -> bool:
        """Whether the chance of finding so many by a lower recall is at most alpha."""
        hits = found[place]
        chance = betainc(hits, max(exist - hits, 0) + 1, goal) if hits else 1.0
        return bool(chance <= alpha * (1 + _ROUNDING))

    place = bisect_left(range(found.size), True, key=is_kept)  # the lower the threshold, the surer
    if place < found.size:
        return place
    best = _round_down(_find_limits(found[-1], max(exist - found[-1], 0), alpha)[0])
    needed = ""
    if goal < 1 and unit == 1:
        least = ceil(log(alpha) / log(goal) - _ROUNDING)  # if all of them are found
        if least > found[-1]:
            needed = f" That takes at least {least:,} positives, and y_true has {found[-1]:.0f}."
    raise NotReachableError(
        f"min_recall={goal} can't be promised with {100 * level:g}% confidence.{needed} Pass "
        f"min_recall={best:g} or less, or collect more positives.",
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
    alpha = float(1 - rules.as_fraction(level))
    hits, flagged = points.cum_hits / unit, (points.above + points.tied) / unit
    n_units = flagged
    if samples.group is not None:
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
