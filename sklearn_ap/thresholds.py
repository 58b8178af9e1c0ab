"""Thresholds that decide which samples to flag: chosen for a target, promised, or measured."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context, Decimal
from functools import partial
from math import ceil, floor, isnan, nan
from typing import Any

import numpy as np

from ._core import (
    Array,
    Column,
    Points,
    Rankings,
    check,
    check_calls,
    encode_groups,
    is_finite,
    is_number,
    rank_samples,
    read,
    read_column_or_matrix,
    rules,
    set_existing,
)
from ._results import Printed, Result, wording
from ._uncertainty import (
    compute_alpha,
    confirm_precisions,
    confirm_rate,
    count_needed,
    find_mass,
    list_rates,
    note_units,
    sum_tops,
)
from .exceptions import InvalidParameterError, NotReachableError

_MIN_DIGITS, _MAX_DIGITS = 3, 17  # digits of a printed threshold
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
        The fraction of negatives that aren't flagged, which is 1 minus the false positive rate, and
        of samples that aren't flagged that are negative; nan for 0/0, or if there are unscored
        positives, because negatives may be missing, too.
    n_flagged, true_positives : int
        How many samples are flagged, and how many of them are positive.
    n_samples, n_positives : int, float
        How many samples and positives there are; unscored positives count, unless there are
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
        The next score below the threshold in the data that it was chosen on, or measured on first.
        The threshold is printed with as many digits as tell it from that one.
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
        Sampling units: 4 rows.
        """
        point = operating_point(
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
        targets = {f"min_{name}": getattr(self, f"min_{name}") for name in _TARGETS}
        return replace(point, is_measured=True, next_lower=self.next_lower, **targets)

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
        level = "" if self.confidence_level is None else wording.format_level(self.confidence_level)
        ends = ("", "_low", "_high")
        rates = {name: tuple(getattr(self, name + end) for end in ends) for name in counts}
        has_intervals = any(low >= 0 for _, low, _ in rates.values())
        decimals = wording.count_decimals([*rates.values()])
        lines = []
        for name in _TARGETS:
            if (goal := getattr(self, f"min_{name}")) is None:
                continue
            decimals = max(decimals, wording.count_decimals([rates[name]], goal))
            target, (_, low, high) = f"{name} of at least {goal}", rates[name]
            if self.is_measured:
                verdict = "Missed the target" if high < goal else "Target"
                verdict = "Met the target" if low >= goal else verdict
                lines.append(f"{verdict}: {target}.")
            elif level:
                lines.append(f"Promised: {target}, with {level} confidence.")
        header = ["rate", "value", *([f"{level} interval"] if has_intervals else []), "samples"]
        rows = []
        for name, (n_hits, n_rows) in counts.items():
            value, low, high = rates[name]
            if isnan(value) and name not in ("precision", "recall"):
                continue
            numbers = [wording.format_value(value, decimals=decimals)]
            if has_intervals:
                numbers.append(wording.format_ends(low, high, decimals))
            samples = f"{n_hits:,.10g} of {n_rows:,.10g}"
            rows.append([_SHORT_NAMES.get(name, name), *numbers, samples])
        return Printed(header, [(title, rows)], [*lines, *self.notes])


def write_threshold(threshold: Any, next_lower: Any) -> str:
    """Write a score with as few digits as tell it from the next lower one. It is rounded down, so
    that what is written flags the same samples.
    """
    is_float = isinstance(threshold, float | np.floating)
    if not is_float or next_lower is None or not np.isfinite(threshold):
        return str(threshold)
    # Exponents are for scores that would take many zeros.
    is_plain = 1e-9 < abs(float(threshold)) < 1e16
    write = partial(np.format_float_positional, trim="0") if is_plain else str
    text = write(threshold)
    for n_digits in range(_MIN_DIGITS, _MAX_DIGITS):
        context = Context(prec=n_digits, rounding=ROUND_FLOOR)
        shorter = type(threshold)(str(context.create_decimal(Decimal(str(threshold)))))
        if shorter > next_lower and len(write(shorter)) < len(text):
            return write(shorter)
    return text


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
        Choose the threshold with the best precision among those with at least this recall; of
        equally precise ones the lowest, which has the highest recall.
    min_precision : float, default=None
        Choose the threshold with the best recall among those with at least this precision; of those
        with equal recall the highest, which is the most precise.
    min_specificity : float, default=None
        Choose the threshold with the best recall among those with at least this specificity, which
        flag at most a fraction 1 - `min_specificity` of the negatives; of those with equal recall
        the highest, which is the most specific.
    k : int or float, default=None
        Choose the highest threshold that flags the top k samples; a float in (0, 1] is a fraction.
    confidence_level : float, default=None
        The probability that the threshold meets its target in the population that samples or
        `clusters` are drawn from. A binomial test confirms the target: a recall or a specificity
        as tolerance limits do [1]_, and a precision by a sequence of tests [2]_. Of the thresholds
        that pass, the one with the best precision or recall is chosen. With `threshold` or `k`, the
        level of the intervals.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient. The more alike the samples of a cluster
        are, and the fewer clusters there are, the fewer independent samples they count as (the
        design effect) [3]_. Needs a confidence level.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Weights that are constant in each class correct its
        prevalence, as those of a case-control study do. Precision and negative predictive value
        then vary by sensitivity and specificity alone [4]_.
    n_positives : float, default=None
        How many positives exist, scored or not; with weights, their weight.
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
        If no threshold meets the target. Its `reachable` is the best target that can be met, or
        None for a promised precision, because a promise doesn't hold for a target that was lowered.

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
    target, goal = check_target(goals, confidence_level, sample_weight, n_positives)
    level = None if confidence_level is None else float(confidence_level)
    if isinstance(clusters, list | tuple) and data is not None and len(clusters) == 1:
        clusters = clusters[0]
    # Clusters are read as groups, but ranked together.
    groups = None if clusters is None else read_clusters(clusters, level, data)
    samples = read(
        y_true,
        y_score,
        groups=groups,
        pos_label=pos_label,
        sample_weight=sample_weight,
        min_grade=min_grade,
        data=data,
    )
    if samples.scores.ndim != 1:
        raise ValueError("A threshold needs one column of labels and one of scores. Got several.")
    n_existing = None if n_positives is None else float(n_positives)
    if target == "threshold":
        point = measure_threshold(samples, goal, n_existing, level)
    else:
        point = choose_threshold(samples, n_existing, target, goal, level)
    notes = point.notes + (note_units(samples, clusters, level) if level else ())
    return replace(point, pos_label=pos_label, min_grade=min_grade, notes=notes)


def check_target(
    goals: Mapping[str, Any], confidence_level: Any, sample_weight: Column, n_positives: Any
) -> tuple[str, Any]:
    """Return the only parameter that says which threshold is meant, and its value. Refuse options
    that have wrong values, or that it doesn't go with.
    """
    targets = [name for name, goal in goals.items() if goal is not None]
    if len(targets) != 1:
        got = " and ".join(targets) or "none of them"
        raise InvalidParameterError(f"Pass one of {', '.join(goals)}. Got {got}.")
    target, goal = targets[0], goals[targets[0]]
    if target != "threshold":
        check(**{target: goal})
    elif not (is_number(goal) or isinstance(goal, bool | np.bool_)) or goal != goal:
        raise InvalidParameterError(f"threshold must be a number. Got {goal!r}.")
    is_level = is_number(confidence_level) and 0.5 <= confidence_level < 1
    if confidence_level is not None and not is_level:
        raise InvalidParameterError(
            f"confidence_level must be a number in [0.5, 1). Got {confidence_level!r}."
        )
    if target == "k" and sample_weight is not None:
        raise InvalidParameterError(
            "k counts samples: leave out sample_weight, or pass it with threshold=point.threshold."
        )
    if n_positives is not None and not is_finite(n_positives):
        raise InvalidParameterError(
            f"n_positives must be the finite number of all positives. Got {n_positives!r}."
        )
    if n_positives is not None and target == "min_specificity":
        raise InvalidParameterError("min_specificity needs all samples: leave out n_positives.")
    return target, goal


def read_clusters(clusters: Any, level: float | None, data: Any) -> Any:
    """Return clusters as codes, or the name of their column."""
    if level is None:
        raise InvalidParameterError("clusters= works only with confidence_level=, such as 0.95.")
    if data is None:
        clusters = read_column_or_matrix(clusters, "clusters")
    if isinstance(clusters, list | tuple) or np.ndim(clusters) > 1:
        raise InvalidParameterError("clusters must be one column. Got several.")
    return clusters if isinstance(clusters, str) else encode_groups(clusters, "clusters")[0]


# --- one threshold --------------------------------------------------------------------------------


def measure_threshold(
    samples: Rankings, threshold: Any, n_positives: float | None, level: float | None
) -> OperatingPoint:
    """Compute the rates of a threshold, with intervals if there is a confidence level."""
    is_flagged = np.asarray(samples.scores >= threshold, dtype=bool)
    lower = samples.scores.take(np.flatnonzero(~is_flagged))
    rates = list_rates(samples, is_flagged, n_positives)
    attributes: dict[str, Any] = {name: rate.value for name, rate in rates.items()}
    if level is not None:
        for name, rate in rates.items():
            low, high = rate.compute_interval(samples, (1 - level) / 2)
            attributes |= {f"{name}_low": low, f"{name}_high": high}
    if samples.weight is not None and np.ptp(samples.weight) > 0:
        attributes["notes"] = ("Rates are weighted, samples are counted.",)
    return OperatingPoint(
        threshold=threshold,
        n_flagged=int(is_flagged.sum()),
        true_positives=int((is_flagged & samples.labels).sum()),
        n_samples=samples.labels.size,
        # A weight of positives doesn't say how many have no scores.
        n_positives=rates["recall"].n if samples.weight is None else int(samples.labels.sum()),
        confidence_level=level,
        next_lower=_as_score(lower.max()) if lower.size else None,
        **attributes,
    )


def _find_lowest(scores: Array, n_flagged: int) -> Any:
    """Return the lowest of so many highest scores."""
    place = scores.size - n_flagged
    return _as_score(np.partition(scores, place)[place])


def _as_score(score: Any) -> Any:
    """Return a score as a Python number if it has the same type."""
    return score.item() if isinstance(score, np.bool_ | np.int64 | np.float64) else score


# --- targets --------------------------------------------------------------------------------------


def choose_threshold(
    samples: Rankings, n_positives: float | None, target: str, goal: float, level: float | None
) -> OperatingPoint:
    """Return the best threshold that meets the target, and its rates on these samples."""
    scores = samples.scores
    if target == "k":
        n_flagged = min(int(rules.compute_k(goal, np.array([scores.size]))[0]), scores.size)
        # No label decides on the threshold of the top k, so that rates at it have intervals.
        return measure_threshold(samples, _find_lowest(scores, n_flagged), n_positives, level)
    # A promised precision is tested at all points in turn, also those without positives. And any
    # point can have the highest specificity.
    every_point = target == "min_specificity" or (target == "min_precision" and level is not None)
    points = rank_samples(replace(samples, group_codes=None), samples.weight, every_point)
    if not points.hits.any():
        raise NotReachableError(f"{target}={goal} can't be met: y_true has no positives.")
    if n_positives is not None:
        points = set_existing(points, np.asarray(n_positives).reshape(1), None)
    if target == "min_specificity" and points.n_positives[0] == points.mass[0]:
        raise NotReachableError(f"{target}={goal} can't be met: y_true has no negatives.")
    if level is None:
        place = find_best_point(points, target, goal)
    elif target == "min_precision":
        place = promise_precision(points, samples, goal, level)
    else:
        place = promise_rate(points, samples, target, goal, level)
    threshold = _find_lowest(scores, int(_count_rows(points)[place]))
    point = measure_threshold(samples, threshold, n_positives, None)
    targets: dict[str, Any] = {target: goal}
    return replace(point, confidence_level=level, **targets)


def _count_rows(points: Points) -> Array:
    """Count the samples at and above each point, whatever they weigh."""
    if points.rows is None or points.rows_above is None:
        return points.cum_samples
    return points.rows_above + points.rows


def _count_target(points: Points, target: str) -> tuple[Array, Array]:
    """Return the hits and the rows of which the target is a fraction, at each point."""
    n_flagged = points.cum_samples
    if target == "min_recall":
        return points.cum_hits, points.repeat(points.n_positives)
    if target == "min_precision":
        return points.cum_hits, n_flagged
    n_negatives = points.repeat(points.mass - points.n_positives)
    return n_negatives - (n_flagged - points.cum_hits), n_negatives


def find_best_point(points: Points, target: str, goal: float) -> int:
    """Return the place of the best point that meets the target on these samples: of equally precise
    ones the lowest one, and of those of equal recall the highest one.
    """
    n_hits, n_rows = _count_target(points, target)
    worth = points.precision if target == "min_recall" else points.cum_hits
    able = np.flatnonzero(rules.has_reached(points, n_hits, n_rows, goal))
    if not able.size:
        name = target.removeprefix("min_")
        # In four decimals that can be reached if the fraction can
        reachable = floor((n_hits / n_rows).max() * 10_000) / 10_000
        raise NotReachableError(
            f"No threshold reaches {target}={goal}: the highest {name} is {reachable:g}. Pass "
            f"{target}={reachable:g} or less.",
            reachable,
        )
    is_best = (worth * points.rounding_factors)[able] >= worth[able].max()
    return int(able[is_best][-1 if target == "min_recall" else 0])


# --- promises -------------------------------------------------------------------------------------


def promise_rate(points: Points, samples: Rankings, target: str, goal: float, level: float) -> int:
    """Return the place of the best point that keeps a recall or a specificity in the population.

    A recall is lower the higher the threshold. So the threshold is the highest one at which the
    binomial test of the positives rejects that their recall is below the goal, an order statistic
    of their scores (Wilks 1941). That is exact for independent rows. With ties, the confidence can
    only be higher. A specificity is the same for negatives, from the lowest score up.
    """
    n_hits, all_rows = _count_target(points, target)
    n_rows, places = all_rows[0], np.arange(n_hits.size)
    noun, rows = "positives", samples.labels
    if target == "min_specificity":
        noun, rows = "negatives", ~samples.labels
        n_hits, places = n_hits[::-1], places[::-1]  # In this order, true negatives rise, too.
    alpha = compute_alpha(level)

    def find_index(goal: float) -> int:
        # Units vary as where the rate on these samples is the goal. It's the same for rows that are
        # flagged and for those that aren't.
        near = places[min(np.searchsorted(n_hits, goal * n_rows), n_hits.size - 1)]
        is_flagged = samples.scores >= _find_lowest(samples.scores, _count_rows(points)[near])
        mass = find_mass(samples, rows, is_flagged, alpha)

        def is_confirmed(index: int) -> bool:
            return bool(confirm_rate(n_hits[index] / mass, n_rows / mass, goal, alpha))

        return bisect_left(range(n_hits.size), True, key=is_confirmed)

    index = find_index(goal)
    if index < n_hits.size:  # Points without further positives only lower specificity.
        return int(np.searchsorted(points.cum_hits, points.cum_hits[places[index]]))

    def is_lost(step: int) -> bool:
        return find_index(step / 10_000) == n_hits.size

    reachable = bisect_left(range(1, ceil(goal * 10_000)), True, key=is_lost) / 10_000
    requirement = ""
    if samples.group_codes is not None:
        noun = f"clusters with {noun}"
    elif 0 < goal < 1:
        least = count_needed(goal, alpha)
        if least > rows.sum():
            requirement = f" That takes at least {least:,} {noun}, and y_true has {rows.sum():,}."
    raise NotReachableError(
        f"{target}={goal} can't be promised with {100 * level:g}% confidence.{requirement} Pass "
        f"{target}={reachable:g} or less, or collect more {noun}.",
        reachable,
    )


def promise_precision(points: Points, samples: Rankings, goal: float, level: float) -> int:
    """Return the place of the lowest point that keeps a precision in the population."""
    sums, odds = sum_tops(samples, _count_rows(points), points.cum_hits)
    places = np.flatnonzero(confirm_precisions(sums, odds, goal, compute_alpha(level)))
    if not places.size:
        noun = "data" if samples.group_codes is None else "clusters"
        raise NotReachableError(
            f"No threshold keeps min_precision={goal} with {100 * level:g}% confidence. Collect "
            f"more {noun}. If you lower the target because of this, the promise doesn't hold."
        )
    return int(places[-1])
