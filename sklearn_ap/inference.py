"""Confidence intervals for metrics, and tests that compare models.

Standard errors are computed from influences. The influence of a sample is the derivative of the
metric with respect to the sample's weight. It has a closed form, and costs about as much to compute
as the metric itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from ._enter.entry import public, read_rows
from ._enter.metric import Metric, read_rule
from ._enter.models import (
    check_argument_order,
    name_compared_in_errors,
    read_compared,
    read_rows_by_model,
)
from ._infer.comparisons import Claims, compare_models, compute_interval
from ._infer.folds import compare_candidates, compare_named, compare_two, is_named
from ._infer.intervals import Comparison, Comparisons, Interval, SearchComparison
from ._infer.settings import IntervalSettings, check_margin, make_seed
from ._inputs.metric_names import write_as_passed
from ._inputs.records import Average, Inputs, Label, NPositives, ZeroDivision
from ._read.model_rows import ModelRows, read_model_rows, warn_of_unranked_model
from ._show.pictures import IntervalDisplay
from ._words.parameters import check_single_margin
from ._words.refusals import name_model_in_errors
from .core.rules import Graded, Rule

__all__ = [
    "Comparison",
    "Comparisons",
    "Interval",
    "IntervalDisplay",
    "SearchComparison",
    "compare",
    "compare_folds",
    "confidence_interval",
]


@public(metric="metric")
def confidence_interval(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    metric: str | Metric = "average_precision",
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
    name: str | None = None,
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
    **options: Any,
) -> Interval:
    r"""Compute a confidence interval for the value of a metric.

    About 95 of 100 such intervals contain the population's value. The standard error is the root of
    the summed squares of the influences, each a weight times the derivative by it [1]_, and the
    interval is that of a t-test on the logit scale [2]_, with one degree of freedom less than there
    are sampling units with positives. Its low end moves out by what one more negative at the top
    would cost, and its high end allows for positives that the sample may lack. If a cutoff or a
    target decides which samples count, and for N-point average precision, the interval comes from
    resamples instead, and is about the mean over test sets of the same size.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    metric : str or Metric, default="average_precision"
        The name of a metric, such as "P@10", or an object made by :func:`sklearn_ap.metric`.
    confidence_level : float, default=0.95
        The proportion of such intervals that should contain the true value.
    method : {'auto', 'influence', 'bootstrap'}, default='auto'
        How to compute the standard error: 'influence' uses the closed form, which step,
        interpolated and linear average precision have, and 'bootstrap' draws resamples.
    n_resamples : int, default=None
        The number of bootstrap resamples, by default 499. More resamples barely change an interval.
    random_state : int, Generator, RandomState instance or None, default=None
        Pass an int to get the same result each time.
    verbose : int, default=0
        If 1, progress is printed to standard error.
    name : str, default=None
        The name of the model, for printing.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate. With
        'samples', the rows are the sampling units. None is refused here.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean. Unless it is nan, a
        class without positives raises an error.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. With
        `clusters`, it can also be a mapping from clusters, or with `groups` from pairs (group,
        cluster).
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately. The groups are
        the sampling units, unless you pass `clusters` too.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient, as the sampling unit.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.
    **options
        Other parameters of the metric, such as `k`, `ties` or `denominator`.

    Returns
    -------
    interval : Interval
        It has `value`, `low` and `high`, and unpacks into these.

    Raises
    ------
    ValueError
        If there are no positives, or fewer than two sampling units.

    See Also
    --------
    compare

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
    Average precision: 0.728, 95% interval 0.135 to 0.973
    5 positives, random 0.518
    5 positives are few: with fewer than 6, intervals are very wide.
    """
    unread = Inputs.of_call(locals(), "confidence_interval")
    rule = _read_single_rule(unread, metric, options)
    settings = IntervalSettings(rule, method, n_resamples, make_seed(random_state), zero_division)
    with read_rows(unread) as inputs:
        with name_model_in_errors(name, [name]):
            model_rows = read_model_rows(rule, inputs)
        interval = _interval(settings, confidence_level, name, model_rows)
    return interval


def _interval(
    settings: IntervalSettings, confidence_level: float, name: str | None, model_rows: ModelRows
) -> Interval:
    """Compute the interval of one model, which the caller may have named."""
    if name is None:
        return compute_interval(settings, model_rows, confidence_level)
    interval = compute_interval(settings, model_rows._replace(model=name), confidence_level)
    return replace(interval, name=name)


@public(metric="metric", warns_once=True)
def compare(
    y_true: ArrayLike | None = None,
    y_score_a: ArrayLike | Mapping[str, ArrayLike] | None = None,
    y_score_b: ArrayLike | None = None,
    *,
    baseline: str | None = None,
    metric: str | Metric = "average_precision",
    confidence_level: float = 0.95,
    margin: float | None = None,
    joint: bool = True,
    method: str = "auto",
    n_resamples: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
    average: Average | None = "macro",  # written by docs/_write/parameters.py
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
    **options: Any,
) -> Comparison | Comparisons:
    r"""Compare two or more models, and test whether a difference is unlikely to be chance.

    The p-value and the interval come from a t-test with the standard error of the differences of
    influences [1]_, or of resamples if a cutoff or a target decides which samples count. Over
    groups that count equally, this is the paired t-test. The standard error of u units is at least
    the difference divided by u. The ends for claims about a margin move out by what the sample may
    lack. The user guide has the formulas.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score_a : array-like of shape (n_samples,) or (n_samples, n_classes), or mapping, default=None
        Prediction scores of model a. For several models, a mapping from names to prediction scores,
        or with `data`, a list of columns or a mapping from models to columns.
    y_score_b : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores of model b, for the same samples in the same order.
    baseline : str, default=None
        With several models, the model to compare the others with. If None, it is the best model,
        and differences are adjusted for all pairs.
    metric : str or Metric, default="average_precision"
        The name of a metric; see :func:`confidence_interval`.
    confidence_level : float, default=0.95
        The fraction of such intervals that should contain the true difference.
    margin : float, default=None
        The smallest difference that matters to you, chosen before you see the result. With it, the
        `verdict` can also be "equivalent", "no worse" or "no better".
    joint : bool, default=True
        Whether the intervals, p-values and verdicts of several models hold for all models at once.
        With False, they hold for each model alone.
    method : {'auto', 'influence', 'bootstrap'}, default='auto'
        How to compute the standard error: 'influence' uses the closed form, which step,
        interpolated and linear average precision have, and 'bootstrap' draws resamples.
    n_resamples : int, default=None
        The number of bootstrap resamples, by default 499.
    random_state : int, Generator, RandomState instance or None, default=None
        Pass an int to get the same result each time.
    verbose : int, default=0
        If 1, progress is printed to standard error.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient, as the sampling unit.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays. Or a
        mapping from models to tables of :mod:`sklearn_ap.readers`.
    **options
        Other parameters of the metric, such as `k`, `ties` or `denominator`.

    Returns
    -------
    comparison : Comparison or Comparisons
        For two models, a :class:`~sklearn_ap.inference.Comparison`, with the `difference` (first
        model - second), `low`, `high`, `pvalue` and `verdict`. For several models, a
        :class:`~sklearn_ap.inference.Comparisons`, whose `rows` have these for each `model`
        compared with the baseline.

    Raises
    ------
    ValueError
        If there are no positives, or fewer than two sampling units.

    See Also
    --------
    confidence_interval : Compute the interval of one model.

    References
    ----------
    .. [1] B. Efron, "Nonparametric estimates of standard error: the jackknife, the bootstrap and
       other methods", Biometrika 68, 1981.

    Examples
    --------
    >>> from sklearn_ap.inference import compare
    >>> y_true = [1, 0, 1, 1, 0, 1, 0, 0]
    >>> a = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    >>> b = [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7]
    >>> compare(y_true, a, b)
    Average precision: 4 positives
    model  value    diff     95% interval      p  verdict at 95%
    A      0.771  +0.146  -0.252 to 0.543  0.327  unclear
    B      0.625                                  baseline
    diff, p and verdict: A against B.
    With 4 positives, the smallest margin within which equivalence can be shown is
    0.64.
    """
    check_single_margin("compare", margin)
    unread = Inputs.of_call(locals(), "compare", y_score=y_score_a)
    rule = _read_single_rule(unread, metric, options)
    check_margin(rule, margin)
    models, in_table = read_compared(y_score_a, y_score_b, baseline, data)
    are_labels = min_grade is None and not isinstance(rule, Graded)  # grades can be fractions
    if are_labels:
        check_argument_order(y_true, y_score_b)
    called = write_as_passed(metric, "")
    seed = make_seed(random_state)
    settings = IntervalSettings(rule, method, n_resamples, seed, zero_division, called)
    with name_compared_in_errors(y_score_a, y_score_b):
        rows_by_model = read_rows_by_model(rule, unread._replace(y_score=models))
    for model_rows in rows_by_model.values():
        warn_of_unranked_model(model_rows, rule.cut)
    claims = Claims(confidence_level, margin, joint)
    return compare_models(settings, rows_by_model, baseline, claims, in_table)


@public()
def compare_folds(
    a: Any,
    b: Mapping[str, Any] | ArrayLike | None = None,
    *,
    baseline: str | None = None,
    metric: str | Metric | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    confidence_level: float = 0.95,
    margin: float | None = None,
) -> Comparison | Comparisons | SearchComparison:
    r"""Compare ways to train a model, by their values on the folds of a cross-validation.

    This takes into account that different training data would give different models. Because folds
    share training data, the corrected resampled t-test [1]_ multiplies the variance of the J
    differences by 1/J + n_test/n_train instead of 1/J. The test has k - 1 degrees of freedom
    for k folds, however often they are repeated. If all folds show the same difference, its
    standard error is this difference divided by k.

    Parameters
    ----------
    a : search, dict or array-like of shape (n_folds,)
        A fitted search with `cv_results_`, to compare its candidates with the best one. To compare
        two ways to train, what scikit-learn's `cross_validate` returned for the first one with
        return_indices=True, or its values on the folds, higher for better models, along with
        `n_train` and `n_test`. To compare several, a mapping from their names to these.
    b : dict or array-like of shape (n_folds,), default=None
        The same for the second way to train, on the same folds. Leave it out for a search or a
        mapping from names.
    baseline : str, default=None
        With a mapping from names, the way to train that the others are compared with. If None, it
        is the best one.
    metric : str or Metric, default=None
        The metric, if the results contain several: one of its names, or an object made by
        :func:`sklearn_ap.metric`. It needn't be the one that a search refits by. If they contain
        only a "score", what that is called.
    n_train, n_test : float, default=None
        The number of samples for training and for testing in each fold, or their means. By default,
        they come from the results, or from the `cv` of the search.
    confidence_level : float, default=0.95
        The proportion of intervals that should contain the true difference, or of searches whose
        truly best candidate should be among the `best`.
    margin : float, default=None
        The smallest difference that matters to you; see :func:`compare`.

    Returns
    -------
    comparison : Comparison, Comparisons or SearchComparison
        For two ways to train, the difference of the means over folds; see :func:`compare`. For
        several by name, a table of them, as of models there. For a search, a table of its
        candidates, whose `best` has the params of all candidates that may be the best.
        Intervals and p-values are adjusted for the comparisons with the best or the baseline
        (Bonferroni). That the data choose the best needs no other adjustment [2]_. With fewer than
        five folds, repeated or not, or shuffles that test more than a fifth of the samples, three
        or more ways have values and ranks only.

    See Also
    --------
    compare : Compare trained models on a test set.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52,
       2003.
    .. [2] J. C. Hsu, "Simultaneous confidence intervals for all distances from the 'best'", Annals
       of Statistics 9, 1981.

    Examples
    --------
    >>> from sklearn_ap.inference import compare_folds
    >>> a, b = [0.62, 0.71, 0.66, 0.70, 0.64], [0.58, 0.69, 0.65, 0.64, 0.61]
    >>> compare_folds(a, b, n_train=800, n_test=200)
    score: corrected t-test, 5 folds
    model  value    diff     95% interval      p  verdict at 95%
    A      0.666  +0.032  -0.004 to 0.068  0.068  unclear
    B      0.634                                  baseline
    diff, p and verdict: A against B.
    """
    check_single_margin("compare_folds", margin)
    sizes, claims = (n_train, n_test), Claims(confidence_level, margin)
    if b is None and is_named(a):
        return compare_named(a, baseline, metric, sizes, claims)
    if baseline is not None:
        raise TypeError(
            "baseline needs a mapping from names to ways to train, as "
            "compare_folds({'forest': a, 'boosting': b})."
        )
    if b is None:
        return compare_candidates(a, metric, sizes, claims)
    return compare_two(a, b, metric, sizes, claims)


def _read_single_rule(unread: Inputs, metric: Any, options: dict[str, Any]) -> Rule:
    """Read the metric of a function that needs a single value."""
    if unread.average is None:
        raise ValueError(
            f"{unread.caller} needs a single value, but average=None gives several. Choose another "
            "average, or pass one class or group at a time."
        )
    return read_rule(
        unread.caller,
        metric,
        options,
        grouped=unread.groups is not None or unread.average == "samples",
        takes_functions=True,
    )
