"""How sure is a number, and is one model better than another?

Standard errors come from influences. An influence is the derivative of the score with respect to
the weight of a sample. It has a closed form, and costs about as much as the score itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _validation as check
from ._data import takes_table
from ._estimate import (
    Question,
    averaged_names,
    compared,
    evidence,
    influences,
    unplaced,
)
from ._intervals import (
    Comparison,
    Comparisons,
    Interval,
    are_queries,
    compare_models,
    compare_two,
    sample_of,
    title_in,
)
from ._named import Metric, takes_metric
from ._typing import Average, Label, NPositives, ZeroDivision
from .core.segments import Array

__all__ = ["compare", "confidence_interval", "influence"]


@takes_metric("metric")
@takes_table
def confidence_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    metric: str | Metric = "average_precision",
    confidence_level: float = 0.95,
    method: str = "auto",
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    n_resamples: int = 1999,
    random_state: Any = None,
    n_positives: NPositives = None,
    zero_division: ZeroDivision = "warn",
    min_grade: float | None = None,
    data: Any = None,
    **options: Any,
) -> Interval:
    r"""Confidence interval of a score: the range in which the true score probably lies.

    The standard error is the root of the summed squares of the influences, :math:`U_j = w_j\,
    \partial\,\mathrm{score} / \partial w_j` [1]_. The interval is symmetrical on the logit scale,
    as in [2]_, so it stays between 0 and 1. For an enrichment factor, that scale runs from 0 to
    n/k, the largest factor that a ranking of n samples can have. With very little data, such as
    one positive or a perfect ranking of five, the interval is very wide.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class.
    metric : str or Metric, default="average_precision"
        The name of a metric, such as "precision_at_10" or "P@10"; see
        :func:`sklearn_ap.make_ap_scorer`. Or a value of :func:`sklearn_ap.metric`.
    confidence_level : float, default=0.95
        How often such intervals should contain the true score, that of the whole population.
    method : {'auto', 'influence', 'bootstrap'}, default='auto'
        'influence' is the closed form. Step, envelope and linear average precision have one.
        'bootstrap' takes the standard error of resamples, and works for every score. 'auto' uses
        the closed form if there is one.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. The score is the mean over groups. The groups are the sampling
        units, unless `clusters` are passed too.
    clusters : array-like of shape (n_samples,), default=None
        Which samples belong together, such as all samples of a patient or all boxes of an image.
        The clusters are the sampling units. Without `groups` all samples are ranked together. With
        `groups` each group is ranked separately, and a cluster may have samples of several groups:
        the groups are fixed, as classes are, and the clusters are drawn.
    average : {'micro', 'macro', 'samples', 'weighted'}, default='macro'
        How several values make one number; see
        :func:`sklearn_ap.average_precision_score`. With 'samples' the rows are the units.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`.
    n_resamples : int, default=1999
        How many resamples the bootstrap draws.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws. An int gives the same interval each time.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; see :func:`sklearn_ap.average_precision_score`. With
        `clusters` it may be a mapping from clusters to numbers, or with `groups` too from pairs
        (group, cluster). Then missed positives belong to their clusters.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives. nan leaves a group out of the mean. A class without
        positives is an error, unless this is nan: then the class is left out too.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`sklearn_ap.average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed. Here it has to be in memory: see
        :func:`sklearn_ap.average_precision_score`.
    **options
        Other keywords of the score, such as `k`, `ties` or `denominator`.

    Returns
    -------
    interval : Interval
        It has `score`, `low`, `high`, `standard_error`, `confidence_level`, `method`, `metric`,
        `basis` and `to_dict`. It prints as a sentence, and unpacks into `score`, `low` and `high`.
        It knows its sampling units: `kind`, `units` and `contributions()`.

    See Also
    --------
    compare : Two models or more.
    influence : What the standard error is made of.

    References
    ----------
    .. [1] B. Efron, "Nonparametric estimates of standard error: the jackknife, the bootstrap and
       other methods", Biometrika 68, 1981.
    .. [2] K. Boyd, K. H. Eng and C. D. Page, "Area under the precision-recall curve: point
       estimates and confidence intervals", ECML PKDD 2013.

    Examples
    --------
    >>> from sklearn_ap.inference import confidence_interval
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    >>> y_score = [0.9, 0.8, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.1, 0.1]
    >>> confidence_interval(y_true, y_score)
    Average precision 0.728, 95% interval 0.168 to 0.973 (influence,
    5 positives)
    >>> confidence_interval(
    ...     y_true, y_score, metric="precision_at_5", random_state=0
    ... ).method
    'bootstrap'
    """
    check.check_one_number("confidence_interval", average)
    grouped = _is_grouped(groups, average)
    rule = check.check_definition("confidence_interval", metric, options, "metric", grouped)
    sample = sample_of(
        rule,
        y_true,
        y_score,
        clusters=clusters,
        data=data,
        average=average,
        pos_label=check.positive_class(pos_label, min_grade),
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
    )
    method = check.check_method(method, rule, are_queries(sample))
    seed = check.check_generator(random_state)
    question = Question(rule, method, n_resamples, seed, zero_division)
    found = evidence(question, sample)
    return Interval.of(title_in(rule, sample.rankings), found, confidence_level, question, sample)


def _takes_intervals(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of labels and scores that also takes two intervals in their place."""

    @wraps(function)
    def compare(*args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], Interval):
            return _compare_intervals(*args, **kwargs)
        return function(*args, **kwargs)

    return compare


def _compare_intervals(
    a: Interval,
    b: Any = None,
    *others: Any,
    confidence_level: float | None = None,
    method: str = "auto",
    **besides: Any,
) -> Comparison:
    """The models of two intervals, which are paired by the names of their sampling units."""
    check.check_only_intervals(others, besides)
    check.check_comparable(a, b)
    given = {"confidence_level": confidence_level, "method": method}
    check.check_allowed("compare", {"confidence_level"}, given)
    assert a.sample is not None
    assert b.sample is not None
    assert a.question is not None
    method = a.method if method == "auto" else method
    method = check.check_method(method, a.question.rule, are_queries(a.sample), comparing=True)
    check.check_same_units(a.sample.names, b.sample.names, a.sample.kind)
    assert b.question is not None
    check.check_same_question(a.question, b.question)
    same_rows = np.array_equal(a.sample.rankings.labels, b.sample.rankings.labels)
    check.check_same_labels(a.sample.kind, same_rows)
    if a.sample.kind != "groups":  # groups that are drawn are units, and hold what they miss
        one, other = (averaged_names(a.question, sample) for sample in (a.sample, b.sample))
        check.check_same_averaged(one, other, a.sample.rankings.group is not None)
        check.check_same_missing(unplaced(a.sample), unplaced(b.sample), same_rows)
    question = replace(a.question, method=method)
    found = compared(question, [a.sample, b.sample])
    level = a.confidence_level if confidence_level is None else confidence_level
    return compare_two(question, [a.sample, b.sample], found, level)


@_takes_intervals
@takes_metric("metric")
@takes_table
def compare(
    y_true: ArrayLike,
    y_score_a: ArrayLike | Mapping[str, ArrayLike],
    y_score_b: ArrayLike | None = None,
    *,
    baseline: str | None = None,
    metric: str | Metric = "average_precision",
    confidence_level: float = 0.95,
    method: str = "auto",
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    n_resamples: int = 1999,
    random_state: Any = None,
    n_positives: NPositives = None,
    zero_division: ZeroDivision = "warn",
    min_grade: float | None = None,
    data: Any = None,
    **options: Any,
) -> Comparison | Comparisons:
    r"""Compare models, and tell whether the difference between their scores is real.

    Both models see the same easy and hard samples. So the influence of a sample on the difference,
    :math:`U_j^a - U_j^b`, varies much less than its influence on either score. The interval and the
    p value are those of a t-test. With groups they equal SciPy's `ttest_rel` of the scores of the
    groups. Only the order of the scores counts: probabilities and the logits behind them do not
    differ, and their interval is 0 to 0.

    Two models that have different rows can share their sampling units: search engines return other
    documents for the same queries, and detectors other boxes in the same images. Compute the
    interval of each, and call ``compare(interval_a, interval_b)``, which pairs the units by name.
    `confidence_level` and `method` are all that it takes besides.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score_a : array-like of shape (n_samples,) or (n_samples, n_classes), or mapping
        Scores of model a, higher for the positive class. Or a mapping from names of models to their
        scores: then each of them is compared with the baseline.
    y_score_b : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores of model b, for the same samples in the same order. None with a mapping.
    baseline : str, default=None
        With a mapping, the model that the others are compared with. p values are then adjusted by
        Holm's method for that many tests. None is the best model. The data have chosen it, so p
        values are adjusted for all pairs of models.
    metric : str or Metric, default="average_precision"
        The name of a metric; see :func:`confidence_interval`.
    confidence_level : float, default=0.95
        How often such intervals should contain the true difference, that of the whole population.
    method : {'auto', 'influence', 'bootstrap', 'randomization'}, default='auto'
        As in :func:`confidence_interval`. 'randomization' is for groups, or for rows with
        average='samples'. It swaps the two models in random groups, and takes the p value from that
        [1]_.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. The groups are then the sampling units; see
        :func:`confidence_interval`.
    clusters : array-like of shape (n_samples,), default=None
        Which samples belong together, such as all samples of a patient. The clusters are then the
        sampling units; see :func:`confidence_interval`.
    average : {'micro', 'macro', 'samples', 'weighted'}, default='macro'
        How several classes or groups make one number; see :func:`confidence_interval`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`.
    n_resamples : int, default=1999
        How many resamples the bootstrap draws, or how many random swaps are made. With up to 16
        groups, all swaps are tried.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws. An int gives the same result each time.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives; see :func:`confidence_interval`.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`sklearn_ap.average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed. Here it has to be in memory: see
        :func:`sklearn_ap.average_precision_score`.
    **options
        Other keywords of the score, such as `k`, `ties` or `denominator`.

    Returns
    -------
    comparison : Comparison or Comparisons
        Of two models it has `scores`, `difference` (a - b), `low`, `high`, `standard_error`,
        `pvalue`, `confidence_level`, `method`, `metric`, `basis` and `to_dict`. It prints as two
        sentences, and unpacks into `difference`, `low` and `high`. Of a mapping it has `rows` with
        `model`, `score`, `difference` (model - baseline), `low`, `high` and the adjusted `pvalue`,
        and `baseline`, `to_dict` and `to_frame`. It prints as a table.

    See Also
    --------
    confidence_interval : One model.

    References
    ----------
    .. [1] M. D. Smucker, J. Allan and B. Carterette, "A comparison of statistical significance
       tests for information retrieval evaluation", CIKM 2007.

    Examples
    --------
    >>> from sklearn_ap.inference import compare
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> a = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> b = [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7]
    >>> compare(y_true, a, b)
    Average precision 0.771 (a) and 0.625 (b)
    Difference 0.146, 95% interval -0.252 to 0.543, p = 0.327 (influence,
    4 positives)
    >>> compare(y_true, {"old": b, "new": a, "same": a}, baseline="old")
    Average precision, differences to old (influence, 4 positives)
    model  score  difference  95% interval     p
    old    0.625  baseline
    new    0.771  0.146       -0.252 to 0.543  0.655
    same   0.771  0.146       -0.252 to 0.543  0.655
    """
    check.check_one_number("compare", average)
    check.check_models(y_score_a, y_score_b, baseline)
    grouped = _is_grouped(groups, average)
    rule = check.check_definition("compare", metric, options, "metric", grouped)
    models = y_score_a if isinstance(y_score_a, Mapping) else {"a": y_score_a, "b": y_score_b}
    check.check_two_models(models)
    check.check_baseline(models, baseline)
    check.check_order(y_true, y_score_b)
    first, *others = models.values()
    for other in others:
        check.check_same_samples(first, other)
    given: dict[str, Any] = {
        "clusters": clusters,
        "data": data,
        "average": average,
        "pos_label": check.positive_class(pos_label, min_grade),
        "sample_weight": sample_weight,
        "classes": classes,
        "n_positives": n_positives,
        "groups": groups,
    }
    samples = [sample_of(rule, y_true, y_score, **given) for y_score in models.values()]
    method = check.check_method(method, rule, are_queries(samples[0]), comparing=True)
    seed = check.check_generator(random_state)
    question = Question(rule, method, n_resamples, seed, zero_division)
    if isinstance(y_score_a, Mapping):
        return compare_models(
            question, dict(zip(models, samples, strict=True)), baseline, confidence_level
        )
    found = compared(question, samples)
    return compare_two(question, samples, found, confidence_level)


@takes_metric("metric")
@takes_table
def influence(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    metric: str | Metric = "average_precision",
    groups: ArrayLike | None = None,
    average: Average = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    zero_division: ZeroDivision = "warn",
    min_grade: float | None = None,
    data: Any = None,
    **options: Any,
) -> Array:
    r"""Influence of each sample on a score, which tells the samples that matter most.

    The influence is the weight of the sample times the derivative of the score with respect to that
    weight, :math:`U_j = w_j\, \partial\,\mathrm{score} / \partial w_j`. It is about what the score
    would lose without the sample. Influences add up to 0, because the score does not change if all
    weights grow by the same factor.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class.
    metric : str or Metric, default="average_precision"
        The name of a metric that has influences in closed form: "average_precision",
        "interpolated_average_precision" or "linear".
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. The score is then the mean over groups.
    average : {'micro', 'macro', 'samples', 'weighted'}, default='macro'
        How several values make one number; see :func:`confidence_interval`. The influences of a
        sample on the classes are added.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out, and have the influence 0.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not. The positives that are missing have no place in the
        result.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives; see :func:`confidence_interval`.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`sklearn_ap.average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed. Here it has to be in memory: see
        :func:`sklearn_ap.average_precision_score`.
    **options
        Other keywords of the score.

    Returns
    -------
    influence : ndarray of shape (n_samples,)
        One number for each sample.

    See Also
    --------
    confidence_interval : Computed from the squares of the influences.

    References
    ----------
    .. [1] F. R. Hampel, "The influence curve and its role in robust estimation", Journal of the
       American Statistical Association 69, 1974.

    Examples
    --------
    >>> from sklearn_ap.inference import influence
    >>> influence([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6])
    array([ 0.138889, -0.111111, -0.027778, 0. ])
    """
    check.check_one_number("influence", average)
    grouped = _is_grouped(groups, average)
    rule = check.check_definition("influence", metric, options, "metric", grouped)
    rankings = check.check_rankings(
        y_true,
        y_score,
        average=average,
        pos_label=check.positive_class(pos_label, min_grade),
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        ties=rule.ties,
    )
    exists = check.find_existing(sample_weight, rankings)
    out = np.zeros(exists.size)
    out[exists] = influences(rule, rankings, zero_division)
    return out


def _is_grouped(groups: Any, average: Any) -> bool:
    """Whether there is a ranking for each group or row."""
    return groups is not None or average == "samples"
