"""Metrics for data streams that don't fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import wraps
from numbers import Real
from threading import Lock
from typing import Any, Literal, ParamSpec, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._enter.entry import public
from ._enter.metric import Metric, read_rule
from ._enter.prevalence import factor_of
from ._evaluate.streams import (
    Groups,
    arranged,
    choose_from_counts,
    find_groups,
    join_groups,
    value_of_counts,
)
from ._evaluate.targets import Targets
from ._evaluate.value import fill_undefined, finish, valued_from
from ._infer.comparing import interval_from
from ._infer.intervals import Interval
from ._infer.plans import CountPlan, GroupPlan, Plan, vary_together
from ._infer.requests import IntervalRequest, seed_of
from ._read.validation import Seen, check_evaluated, check_together, read_chunk
from ._show.results import note_conditions
from ._words.arrays import to_host
from ._words.errors import InvalidParameterError
from ._words.inputs import Label, NPositives, PositiveClass, ZeroDivision
from ._words.messages import counted, warn_of_weighed_k, warning_once
from ._words.names import mean_title, written
from ._words.parameters import check_allowed, check_group_average, shown, text_of
from .core.cutoff import DEFAULT_COUNTS, EVERY_ROW
from .core.rankings import Queries
from .core.rules import Rule
from .core.tallies import NOTHING, Tally, merge, tally_scores
from .thresholds import OperatingPoint, described

__all__ = ["MetricAccumulator"]

_P = ParamSpec("_P")
_T = TypeVar("_T")

# New scores are merged into the sorted ones when there are at least as many of them, but no fewer
# than this.
_AT_ONCE = 2**15


def _also_of_one_sample(update: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let an update also take a label and a prediction score that aren't in lists."""

    @wraps(update)
    def updating(*args: Any, **keywords: Any) -> _T:
        named = dict(zip(("self", "y_true", "y_score"), args, strict=False)) | keywords
        score = _without_array(named.get("y_score"))
        if isinstance(score, Real | Decimal) and np.ndim(named.get("y_true", ())) == 0:
            stream, *values = args
            args = stream, *map(_in_a_list, values)
            keywords = {name: _in_a_list(value) for name, value in keywords.items()}
        return update(*args, **keywords)

    return updating


def _without_array(value: Any) -> Any:
    """Return the number in an array or a tensor without axes, and everything else unchanged."""
    return to_host(value)[()] if getattr(value, "ndim", None) == 0 else value


def _in_a_list(value: Any) -> Any:
    return None if value is None else [_without_array(value)]


class MetricAccumulator:
    """Accumulate chunks of data, and compute average precision by any definition.

    The mean of the average precisions of chunks is not the average precision of all samples, so the
    accumulator counts the positives and negatives at each distinct prediction score instead. These
    counts can be added up, which means that chunks can come in any order. Several threads can
    update the same accumulator.

    Parameters
    ----------
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`sklearn_ap.average_precision_score`.

    See Also
    --------
    sklearn_ap.average_precision_score : Compute average precision for arrays in memory.

    Examples
    --------
    >>> from sklearn_ap.streaming import MetricAccumulator
    >>> stream = MetricAccumulator()
    >>> stream.update([0, 1, 1], [0.9, 0.8, 0.3]).update(
    ...     [1, 0], [0.7, 0.1]
    ... ).result()
    0.638889
    >>> stream.result("11-point")
    0.75
    >>> stream
    MetricAccumulator(pos_label=1): 5 samples, 5 bins
    """

    def __init__(self, *, pos_label: Label = 1, min_grade: float | None = None) -> None:
        labels = {"pos_label": pos_label, "min_grade": min_grade}
        check_allowed(type(self).__name__, {"min_grade"}, labels)
        self.pos_label = pos_label
        self.min_grade = min_grade
        self._positive = PositiveClass.of(pos_label, min_grade)
        self._lock = Lock()  # acquired to change or read the state below
        self.reset()

    def reset(self) -> Self:
        """Remove all data."""
        with self._lock:
            self._seen = Seen(self._positive)
            # The sorted counts, the chunks that are not in them yet, and how many scores these have
            self._settled, self._pending, self._n_pending = NOTHING, list[Tally](), 0
            # With groups, their points in all chunks, and their names.
            self._groups, self._names = list[Groups](), dict[Any, None]()
        return self

    @_also_of_one_sample
    @public()
    def update(
        self,
        y_true: ArrayLike,
        y_score: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Add a chunk. If the chunk is invalid, the accumulator does not change.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels. The chunk may be empty, or contain only one of the two labels. To add a
            single sample, you can also pass its label, prediction score and weight without lists.
        y_score : array-like of shape (n_samples,)
            Prediction scores, higher for the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. Samples of weight 0 are left out.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as its query; groups are ranked separately. The result is
            a mean over groups. Each chunk must contain all samples of its groups, as a batch of
            queries does. A later chunk with one of these groups raises an error.

        Returns
        -------
        self : MetricAccumulator
        """
        if groups is not None:
            of_chunk = find_groups(y_true, y_score, self._positive, sample_weight, groups)
            return self._add(NOTHING, of_chunk.seen, [of_chunk])
        chunk, seen = read_chunk(y_true, y_score, self._positive, sample_weight)
        return self._add(tally_scores(chunk.labels, chunk.scores, chunk.weight), seen)

    def merge(self, other: Self) -> Self:
        """Add the data of another accumulator, which does not change.

        Parameters
        ----------
        other : MetricAccumulator
            Another accumulator, with the same `pos_label` and `min_grade`.

        Returns
        -------
        self : MetricAccumulator
        """
        if not isinstance(other, type(self)):
            raise TypeError(f"Only a {type(self).__name__} can be merged. Got {other!r} instead.")
        if other is self:
            raise ValueError(
                "The accumulator is merged with itself, which would count its data a second time. "
                "Pass another one, with other data."
            )
        if self._positive != other._positive:
            raise ValueError(
                f"The accumulators have different positive labels, {self._positive} and "
                f"{other._positive}. Create both with the same."
            )
        # Never hold both locks, because two accumulators can be merged into each other.
        with other._lock:
            counts, seen = [other._settled, *other._pending], other._seen
            groups = other._groups.copy()
        return self._add(merge(counts), seen, groups)

    @overload
    def result(
        self,
        metric: str | Metric = ...,
        *,
        zero_division: ZeroDivision = ...,
        n_positives: NPositives = ...,
        average: Literal["macro", "weighted"] = ...,
        prevalence: float | None = ...,
        **options: Any,
    ) -> float: ...

    @overload
    def result(
        self,
        metric: str | Metric = ...,
        *,
        zero_division: ZeroDivision = ...,
        n_positives: NPositives = ...,
        average: None,
        prevalence: float | None = ...,
        **options: Any,
    ) -> NDArray[np.float64]: ...

    @public(metric="metric")
    def result(
        self,
        metric: str | Metric = "average_precision",
        *,
        zero_division: ZeroDivision = "warn",
        n_positives: NPositives = None,
        average: str | None = "macro",
        prevalence: float | None = None,
        **options: Any,
    ) -> Any:
        """Compute the exact value of a metric on all samples that have been added.

        Parameters
        ----------
        metric : str or Metric, default="average_precision"
            The name of a metric, as for :func:`sklearn_ap.make_ap_scorer`, such as
            "average_precision_at_10", "precision_at_1%" or "P@10", or an object made by
            :func:`sklearn_ap.metric`. "linear", a definition that only `compat` has, works too.
        zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
            The value if there are no positives; nan leaves it out of the mean.
        n_positives : int, float or mapping, default=None
            How many positives exist, found or not; with `groups`, a mapping from groups to counts.
        average : {'macro', 'weighted'} or None, default='macro'
            How the values of groups are averaged; see :func:`sklearn_ap.average_precision_score`.
        prevalence : float, default=None
            The proportion of positives in the population that you want a value for; see
            :func:`sklearn_ap.average_precision_score`.
        **options
            Other parameters of the metric, such as `ties`, `k`, `k_counts`, `denominator` and
            `min_recall`, except parameters about the data.

        Returns
        -------
        score : float or array of shape (n_groups,)
            The value of the metric on the whole stream; an array with average=None.
        """
        counts, seen, groups = self._read()
        grouped, are_relative = groups is not None, prevalence is not None
        rule = read_rule("result", metric, options, grouped=grouped, are_relative=are_relative)
        if groups is not None:
            check_group_average(average)
            groups = _groups_in_population(rule, groups, n_positives, prevalence)
            points, names = arranged(groups, rule, rule.depth, n_positives)
            queries = Queries(average, names, sample_weight=groups.seen.sample_weight)
            return finish(rule, points, queries, zero_division)
        factor = _factor(counts, n_positives, prevalence)
        if factor is not None:
            counts, seen = counts.with_negatives(factor), seen._replace(weighted=True)
        return value_of_counts(rule, counts, seen, n_positives, zero_division)

    @public(metric="metric")
    def confidence_interval(
        self,
        metric: str | Metric = "average_precision",
        *,
        confidence_level: float = 0.95,
        method: str = "auto",
        n_resamples: int | None = None,
        random_state: Any = None,
        name: str | None = None,
        n_positives: NPositives = None,
        average: str = "macro",
        zero_division: ZeroDivision = "warn",
        **options: Any,
    ) -> Interval:
        """Compute a confidence interval from all samples that have been added.

        The stream must not have sample weights.

        Parameters
        ----------
        metric
            As in :meth:`result`.
        confidence_level, method, n_resamples, random_state, name
            As in :func:`sklearn_ap.confidence_interval`. The sampling units are the groups if there
            are any, and the samples otherwise.
        n_positives, average, zero_division
            As in :meth:`result`.
        **options
            As in :meth:`result`.

        Returns
        -------
        interval : Interval
            The interval that :func:`sklearn_ap.confidence_interval` returns for the whole
            stream.

        Examples
        --------
        >>> from sklearn_ap.streaming import MetricAccumulator
        >>> stream = MetricAccumulator()
        >>> stream.update([0, 1, 1], [0.9, 0.8, 0.3]).update([1, 0], [0.7, 0.1])
        MetricAccumulator(pos_label=1): 5 samples, 5 bins
        >>> stream.confidence_interval()
        Average precision 0.639, 95% interval 0.003 to 0.997 (3 positives)
        """
        counts, seen, groups = self._read()
        grouped, caller = groups is not None, "MetricAccumulator.confidence_interval"
        rule = read_rule(caller, metric, options, grouped=grouped)
        request = IntervalRequest(rule, method, n_resamples, seed_of(random_state), zero_division)
        request = request.resolved(by_query=grouped)
        if groups is not None:
            check_group_average(average)
            warn_of_weighed_k(rule.depth, groups.seen.sample_weight)
            with warning_once():
                points, names = arranged(groups, rule, rule.depth, n_positives)
                all_points = None
                if groups.seen.weighted:
                    all_points, _ = arranged(groups, rule, EVERY_ROW, n_positives)
            values = fill_undefined(rule.values(points), Queries(average, names), zero_division)
            weight = points.n_positives if average == "weighted" else None
            valued = valued_from(rule, points, values)
            plan: Plan = GroupPlan.of(rule, valued, weight, every=all_points)
            title = mean_title(rule, average)
        else:
            plan, title = self._counts(rule, counts, seen, n_positives), written(rule)
        (varied,) = vary_together(request, [plan])
        interval = replace(interval_from(request, varied, title, confidence_level), name=name)
        if groups is not None and groups.seen.weighted:
            note_conditions(interval, {"sample_weight": True})
        return interval

    @public()
    def operating_point(
        self,
        *,
        min_recall: float | None = None,
        min_precision: float | None = None,
        k: float | None = None,
        k_counts: str = DEFAULT_COUNTS,
        confidence_level: float | None = None,
        threshold: float | None = None,
        n_positives: float | None = None,
        prevalence: float | None = None,
    ) -> OperatingPoint:
        """Choose a threshold from all samples that have been added, or measure one.

        The stream must not have groups.

        Parameters
        ----------
        min_recall, min_precision : float, default=None
            The targets, as in :func:`sklearn_ap.operating_point`.
        k : int or float, default=None
            Choose the highest threshold that flags the top k samples. With a target, k is an upper
            limit.
        k_counts : {'samples', 'weight'}, default='weight'
            What k counts if samples have weights: their weight, or the samples themselves.
        confidence_level : float, default=None
            Choose a threshold that meets the targets in the population, with this probability. This
            needs a stream without sample weights, and no `prevalence`.
        threshold : float, default=None
            Measure this threshold instead of choosing one.
        n_positives : int or float, default=None
            As in :meth:`result`.
        prevalence : float, default=None
            As in :meth:`result`.

        Returns
        -------
        point : OperatingPoint
            What :func:`sklearn_ap.operating_point` returns for the whole stream, except that
            fractional weights may be added up in another order.

        Examples
        --------
        >>> from sklearn_ap.streaming import MetricAccumulator
        >>> stream = MetricAccumulator()
        >>> stream.update([0, 1, 1], [0.9, 0.8, 0.3]).update([1, 0], [0.7, 0.1])
        MetricAccumulator(pos_label=1): 5 samples, 5 bins
        >>> stream.operating_point(min_recall=0.6)
        Flag scores of at least 0.3: precision 0.750 and recall 1.000.
        This flags 4 of 5 samples; 3 of those flagged are positive.
        """
        counts, seen, groups = self._read()
        if groups is not None:
            raise ValueError(
                "operating_point() is for a single ranking, but there are groups. Call "
                "sklearn_ap.operating_point with the groups of all samples in memory."
            )
        if threshold is not None and not isinstance(threshold, Real | Decimal):
            raise InvalidParameterError(
                f"threshold must be a single number for a stream. Got {shown(threshold)} instead. "
                "Call sklearn_ap.operating_point with all samples in memory."
            )
        request = Targets(
            min_recall=min_recall,
            min_precision=min_precision,
            k=k,
            k_counts=counted(k, k_counts, prevalence is not None),
            quantile=None,  # of groups
            confidence_level=confidence_level,
            pos_label=self.pos_label,
            min_grade=self.min_grade,
            threshold=threshold,
            prevalence=prevalence,
        )
        request.check(grouped=False)
        if request.promise and (seen.weighted or prevalence is not None):
            changed = "" if seen.weighted else ", which prevalence changes"
            raise ValueError(
                f"confidence_level needs the weight of each sample{changed}, but a stream only "
                "keeps sums of weights. Call sklearn_ap.operating_point with all samples in memory."
            )
        factor = _factor(counts, n_positives, prevalence)
        point = described(choose_from_counts(request, counts, seen, n_positives, factor))
        if seen.weighted:
            note_conditions(point, {"sample_weight": True})
        return point

    def _counts(self, rule: Rule, counts: Tally, seen: Seen, n_positives: NPositives) -> CountPlan:
        """Return what an interval of a single ranking needs."""
        if seen.weighted:
            raise ValueError(
                "A stream keeps the sums of weights, but an interval also needs the sums of their "
                "squares. Use sklearn_ap.inference on arrays, or a stream without sample_weight."
            )
        exist = check_evaluated(seen, counts.positives.sum(), rule, n_positives)
        points, points_for_value = counts.points(), counts.points(rule.depth)
        if exist is not None:
            points, points_for_value = points.out_of(exist), points_for_value.out_of(exist)
        return CountPlan.of(rule, points, rule.values(points_for_value), names=[seen.name])

    def _add(self, counts: Tally, seen: Seen, groups: Sequence[Groups] = ()) -> Self:
        """Add counts and groups, or nothing if they don't fit the data that was seen before."""
        names = [name for of_chunk in groups for name in of_chunk.names]
        with self._lock:
            joined = self._seen.join(seen)
            check_together(joined)
            self._check_groups(seen, names)
            self._seen = joined
            self._groups += groups
            self._names |= dict.fromkeys(names)
            self._pending.append(counts)
            self._n_pending += counts.size
            if self._n_pending > max(_AT_ONCE, self._settled.size):
                self._settle()
        return self

    def _check_groups(self, seen: Seen, names: Sequence[Any]) -> None:
        """Check that groups are passed in all updates or in none, and that none comes back."""
        before = self._seen
        if before.n_samples and seen.n_samples:
            if bool(before.groups) != bool(seen.groups):
                raise ValueError(
                    "groups must be passed in all updates or in none, but they were passed in some "
                    "of them only."
                )
            if seen.groups and before.weighted != seen.weighted:
                raise ValueError(
                    "With groups, sample_weight must be passed in all updates or in none. Pass "
                    "ones for samples that count once."
                )
        for name in names:
            if name in self._names:
                raise ValueError(
                    f"The group {text_of(name, repr)} was already in an earlier update. Each "
                    "update must contain all samples of its groups, because they are ranked "
                    "immediately."
                )

    def _read(self) -> tuple[Tally, Seen, Groups | None]:
        """Return the sorted counts, what was seen, and the groups, all of the same chunks.

        If there are groups, there are no counts. Otherwise, `groups` is None.
        """
        with self._lock:
            self._settle()
            groups = None
            if self._seen.groups:
                groups = join_groups(self._groups)
                self._groups = [groups]
            return self._settled, self._seen, groups

    def _settle(self) -> None:
        """Merge pending counts into the sorted ones. The caller holds the lock."""
        self._settled = merge([self._settled, *self._pending])
        self._pending, self._n_pending = [], 0

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            self._settle()
            state = self.__dict__.copy()
            # A copy shares nothing that changes.
            state["_pending"] = list[Tally]()
            state["_groups"], state["_names"] = self._groups.copy(), self._names.copy()
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    def __repr__(self) -> str:
        counts, seen, groups = self._read()
        held = f"{counts.size:,} bins" if groups is None else f"{len(groups.names):,} groups"
        return f"{type(self).__name__}({self._positive}): {seen.n_samples:,} samples, {held}"


def _factor(counts: Tally, n_positives: NPositives, prevalence: float | None) -> float | None:
    """Return what to multiply the weights of negatives by, so that positives have a prevalence."""
    if prevalence is None:
        return None
    return factor_of((counts.positives.sum(), counts.negatives.sum()), prevalence, n_positives)


def _groups_in_population(
    rule: Rule, groups: Groups, n_positives: NPositives, prevalence: float | None
) -> Groups:
    """Weight the negatives of groups so that all positives together have this prevalence."""
    if prevalence is None:
        return groups
    seen, points, depth = groups.seen, groups.points, rule.depth
    if depth is not None and depth.by_rows and not seen.weighted:
        raise ValueError(
            "k_counts='samples' with prevalence needs all rows of the groups, which are only kept "
            "with weights. Pass sample_weight to the updates, such as ones, or let k be a fraction "
            "of the weight."
        )
    negatives = 0.0
    if (
        seen.n_others
    ):  # otherwise, the difference is only a rounding error, which would be scaled up
        negatives = (points.n_samples - points.n_positives).sum()
    factor = factor_of((points.n_positives.sum(), negatives), prevalence, n_positives)
    points = points.with_negatives(factor)
    return groups._replace(seen=seen._replace(weighted=True), points=points)
