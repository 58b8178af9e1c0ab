"""Choose thresholds, from the points in which a threshold can end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import nan
from typing import Any

from numpy.typing import ArrayLike

from .._enter.entry import public
from .._enter.models import read_rows_of_models, with_models
from .._inputs.records import Inputs, Label, NPositives
from .._read.tables import find_column_name
from .._read.validation import warn_of_predicted, warn_of_single_row_groups
from .._words.messages import warning_once
from .._words.parameters import is_mapping
from ..core.cutoff import DEFAULT_COUNTS
from ..core.operating_points import OperatingPoints
from ..core.rules import PrecisionAtRecall
from . import promises
from .chosen_points import OperatingPoint, OperatingPointTable
from .measured_rows import MeasuredRows, count_flagged_in_groups, read_measured_rows
from .point import TARGET_FIELDS, Choice, find_remembered_names
from .rounding import find_lasting_threshold, find_types_near, shorten_threshold, warn_if_narrow
from .targets import Candidates, Targets, choose_place, to_plain_score


@public()
def operating_point(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    min_recall: float | None = None,
    min_precision: float | None = None,
    k: float | None = None,
    k_counts: str = DEFAULT_COUNTS,
    confidence_level: float | None = None,
    threshold: float | Mapping[str, float] | None = None,
    pos_label: Label = 1,  # written by docs/_write/parameters.py
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Any:
    """Choose a threshold for a target recall, a target precision or a budget, or measure one.

    Pass `min_recall`, `min_precision` or both, or `k`, to choose a threshold, or `threshold` to
    measure one that you have. Samples are flagged if ``y_score >= threshold``, so tied samples are
    flagged together or not at all.

    Choose it on samples that the model wasn't fitted on. A threshold that only just reaches its
    target there misses it on new samples about half the time. Pass `confidence_level` to leave a
    margin.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), default=None
        Binary labels.
    y_score : array-like of shape (n_samples,), or mapping, default=None
        Prediction scores, or a mapping from model names to prediction scores. With `data`, a
        column, or for several models, a list of columns or a mapping from models to columns.
    min_recall : float, default=None
        Choose the threshold with the best precision among those with at least this recall, compared
        exactly. If several are equally precise, choose the one with the best recall.
    min_precision : float, default=None
        Choose the threshold with the best recall among those with at least this precision. If you
        also pass `min_recall`, it alone decides, and its threshold must reach this precision. With
        `confidence_level`, passing both lowers the threshold, because both have to hold at once.
    k : int or float, default=None
        Choose the highest threshold that flags the top k samples, or with a float, this fraction of
        all samples. With `groups`, an int is a budget: choose the lowest threshold that flags at
        most k samples per group on average. With another target, k is an upper limit.
    k_counts : {'samples', 'weight'}, default='weight'
        What k counts if samples have weights: their weight, or the samples themselves.
    confidence_level : float, default=None
        Choose a threshold that meets the targets in the population with this probability, if
        samples or `clusters` are drawn from it independently. With `min_recall`, it is the highest
        threshold for which a test confirms the recall [1]_; with only `min_precision`, it is the
        lowest one for which a test confirms the precision [2]_. With weights or clusters, the
        probability is approximate.
    threshold : float or mapping, default=None
        Measure this threshold instead of choosing one. With several models, it can be a mapping
        from models to thresholds.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for. Precision and
        recall are then fractions of weight.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. With
        weights, pass their total weight. With `groups`, a single number is the total of all groups.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately. The threshold,
        recall and precision are for all groups together.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient, as the sampling unit. They matter only with
        `confidence_level`.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    point : OperatingPoint or OperatingPointTable
        The `threshold` and what it flags. `check` measures it on new samples, and `to_dict` and
        `from_dict` save and load it. With several models, the result is a mapping from models to
        such points.

    Raises
    ------
    NotReachableError
        If no threshold reaches the target. Its `reachable` is the best target that can be reached.

    See Also
    --------
    precision_at_recall_score
    recall_at_precision_score

    References
    ----------
    .. [1] S. S. Wilks, "Determination of sample sizes for setting tolerance limits", Annals of
       Mathematical Statistics 12(1), 1941.
    .. [2] A. N. Angelopoulos et al., "Learn then test: calibrating predictive algorithms to achieve
       risk control", Annals of Applied Statistics 19(2), 2025.

    Examples
    --------
    >>> from sklearn_ap import operating_point
    >>> y_true = [1, 0, 1, 1, 0, 0]
    >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    >>> operating_point(y_true, y_score, min_recall=0.8)
    Flag scores of at least 0.6
    precision  recall  flagged  positive
    0.750       1.000   4 of 6         3
    """
    unread = Inputs.of_call(locals(), "operating_point")
    thresholds: Any = threshold
    if is_mapping(thresholds):
        thresholds = dict(thresholds.items())  # of pandas, too
    targets = Targets(
        min_recall=min_recall,
        min_precision=min_precision,
        k=k,
        k_counts=k_counts,
        confidence_level=confidence_level,
        pos_label=pos_label,
        min_grade=min_grade,
        threshold=to_plain_score(thresholds),
    )
    targets.check(unread.groups is not None)
    points: dict[Any, OperatingPoint] = {}
    of_models = with_models(unread)
    with warning_once():
        for reading in read_rows_of_models(of_models):
            with reading as inputs:
                points[inputs.model] = OperatingPoint(**choose_threshold(targets, inputs))
    if not isinstance(of_models.y_score, Mapping):
        return points[None]
    by_model = thresholds if isinstance(thresholds, Mapping) else {}
    for model in by_model:
        if model not in points:
            raise ValueError(
                f"threshold has a value for {model!r}, which is none of the models. These are "
                f"{', '.join(map(repr, points))}."
            )
    return OperatingPointTable(points)


def choose_threshold(targets: Targets, inputs: Inputs) -> dict[str, Any]:
    """Choose a threshold for the scores of one model, or measure the one that it has.

    Return the fields of its `OperatingPoint`: the threshold and what it flags, also in each group.
    """
    targets = targets.select_model(inputs.model)
    rows = read_measured_rows(inputs)
    samples, n_groups = rows.samples, rows.n_groups
    warn_of_single_row_groups(targets.cut, samples)
    warn_of_predicted(samples, inputs)

    state = _find_candidates(targets, rows, inputs)
    place = choose_place(state)
    source = Choice(
        targets,
        n_positives=state.in_rows.n_positives.item(),
        positive_share=rows.found / rows.size,
        equal_weights=rows.have_equal_weights,
        scores=find_column_name(inputs, "y_score"),
        labels=find_column_name(inputs, "y_true"),
        columns=find_remembered_names(inputs),
        existing=None if rows.exist is None else rows.exist.item(),
    )
    fields = _describe_point(place, state, source)
    if n_groups is None:
        return fields
    flagged = count_flagged_in_groups(samples, state.get_threshold(place))
    fields |= {"n_groups": n_groups, "flagged_per_group": flagged}
    fields["least_per_group"] = min(flagged.values())
    fields["most_per_group"] = max(flagged.values())
    fields["mean_per_group"] = fields["n_flagged"] / n_groups
    return fields


def _find_candidates(targets: Targets, rows: MeasuredRows, inputs: Inputs) -> Candidates:
    """Return the points in which a threshold can end, out of the positives that exist."""
    samples, cluster = rows.samples, rows.cluster
    is_weighted = samples.weight is not None
    in_order = replace(samples, group=None).sort()  # of all groups together
    points, thresholds = in_order.find_all_points()
    in_rows = points
    if is_weighted:
        in_rows = in_order._replace(weight=None).make_points(every_point=True)
    units = None
    if targets.promise and (is_weighted or cluster is not None):
        units = promises.SquaredMasses.of(samples, cluster, in_rows, thresholds)
    exist = rows.exist
    if exist is None:
        # Leave the zeros out, because they can change the last bit of the sum.
        exist = points.positives[points.positives > 0].sum(keepdims=True)
    points = points.with_n_positives(exist)
    return Candidates(targets, rows.n_groups, points, in_rows, thresholds, samples, inputs, units)


def _describe_point(place: int, state: Candidates, source: Choice) -> dict[str, Any]:
    """Describe what the threshold at a point flags, or with -1, one that flags nothing."""
    targets, points, in_rows = source.targets, state.points, state.in_rows
    score = state.get_threshold(place)
    below = state.scores[place + 1 : place + 2]
    exact = to_plain_score(score[0])
    lasting = find_lasting_threshold(exact, below)
    threshold, shown = exact, str(exact)
    if targets.threshold is not None:
        warn_if_narrow(state.scores, in_rows.total, score)
    else:
        shown = shorten_threshold(score[0], below)
        threshold = exact if lasting is None else lasting
    mass, found_mass, n_flagged, n_found = 0, 0, 0, 0
    if place >= 0:
        mass, found_mass = points.cum_total[place].item(), points.cum_positives[place].item()
        n_flagged = in_rows.cum_total[place].item()
        n_found = in_rows.cum_positives[place].item()
    precision, recall = _compute_rates(targets, points, mass, found_mass)
    return {
        "threshold": threshold,
        "precision": precision,
        "recall": recall,
        "n_flagged": n_flagged,
        "true_positives": n_found,
        "false_positives": n_flagged - n_found,
        "flagged_share": _compute_share(mass, points.n_samples.item()),
        "flagged_mass": float(mass) if state.is_weighted else None,
        "found_mass": float(found_mass) if state.is_weighted else None,
        "n_samples": in_rows.n_samples.item(),
        "shown": shown,
        **{name: getattr(targets, name) for name in TARGET_FIELDS},
        "source": source._replace(
            score_types=find_types_near(state.scores, threshold), is_lasting=threshold == lasting
        ),
    }


def _compute_rates(
    targets: Targets, points: OperatingPoints, mass: float, found_mass: float
) -> tuple[float, float]:
    """Return the precision and the recall of what is flagged, from the mass of these samples and
    that of the positives among them.
    """
    precision = found_mass / mass if mass else nan
    recall = _compute_share(found_mass, points.n_positives.item())
    if points.cum_total.dtype.kind != "f" or not targets.is_plain:
        return precision, recall
    # Ratios of weights can differ in the last bit, so take the value that the metric returns.
    rule = targets.rules[0]
    value = rule.values(points).item()
    return (value, recall) if isinstance(rule, PrecisionAtRecall) else (precision, value)


def _compute_share(mass: float, total: float) -> float:
    """Return the fraction of a total, which rounded weights can exceed; nan for 0/0."""
    return min(mass / total, 1.0) if total else nan
