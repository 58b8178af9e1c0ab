"""How sure is a number, and is one model better than another?

Standard errors come from influences. An influence is the derivative of the score with respect to
the weight of a sample. It has a closed form, and costs about as much as the score itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from . import _validation as check
from ._catalogue import mean_title_of, title_of
from ._data import takes_table
from ._estimate import Evidence, Question, compared, evidence, has_queries, influences
from ._typing import Average, Label, NPositives, ZeroDivision
from .core.cells import rank_alike
from .core.intervals import sign_flips
from .core.rankings import Rankings
from .core.rules import Rule
from .core.segments import Array

__all__ = ["compare", "confidence_interval", "influence"]


class _Result:
    """What results share: they print, show in a notebook, and turn into a dict."""

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return "<br>".join(escape(line) for line in str(self).splitlines())

    def to_dict(self) -> dict[str, Any]:
        """The fields by their names, for a row of a table."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]


@dataclass(frozen=True, repr=False)
class Interval(_Result):
    """What `confidence_interval` gives.

    It prints as a sentence, and unpacks into `score`, `low` and `high`.
    """

    score: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    method: str
    metric: str  # as "Average precision"
    basis: str  # as "40 positives"

    @classmethod
    def of(cls, title: str, found: Evidence, level: float, method: str) -> Self:
        """The interval that evidence gives."""
        low, high = found.spread.limits(level)
        return cls(
            score=found.spread.mean,
            low=low,
            high=high,
            standard_error=found.spread.standard_error,
            confidence_level=float(level),
            method=method,
            metric=title,
            basis=found.basis,
        )

    def __iter__(self) -> Iterator[float]:
        return iter((self.score, self.low, self.high))

    def __str__(self) -> str:
        return f"{self.metric} {self.score:.3f}, {_ends(self)} ({self.method}, {self.basis})"


@dataclass(frozen=True, repr=False)
class Comparison(_Result):
    """What `compare` gives.

    It prints as two sentences, and unpacks into `difference`, `low` and `high`.
    """

    scores: tuple[float, float]
    difference: float  # a - b
    low: float
    high: float
    standard_error: float
    pvalue: float
    confidence_level: float
    method: str
    metric: str
    basis: str

    def __iter__(self) -> Iterator[float]:
        return iter((self.difference, self.low, self.high))

    def __str__(self) -> str:
        a, b = self.scores
        p = "p < 0.001" if self.pvalue < 0.001 else f"p = {self.pvalue:.3f}"
        return (
            f"{self.metric} {a:.3f} (a) and {b:.3f} (b)\n"
            f"Difference {self.difference:.3f}, {_ends(self)}, {p} ({self.method}, {self.basis})"
        )


def _ends(result: Interval | Comparison) -> str:
    return f"{100 * result.confidence_level:g}% interval {result.low:.3f} to {result.high:.3f}"


@takes_table
def confidence_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    metric: str = "average_precision",
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
    as in [2]_, so it stays between 0 and 1. With very little data, such as one positive or a
    perfect ranking of five, the interval is very wide.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the positive class.
    metric : str, default="average_precision"
        The name of a score; see :func:`sklearn_ap.make_ap_scorer`. The name may contain its number,
        as in "precision_at_10".
    confidence_level : float, default=0.95
        How often such intervals should contain the true score, that of the whole population.
    method : {'auto', 'influence', 'bootstrap'}, default='auto'
        'influence' is the closed form. Step, envelope and linear average precision have one.
        'bootstrap' takes the standard error of resamples, and works for every score. 'auto' uses
        the closed form if there is one.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. The score is the mean over groups, and the groups are the units.
    clusters : array-like of shape (n_samples,), default=None
        Which samples belong together, such as all samples of a patient or of a day. All samples are
        ranked together, and the clusters are the units.
    average : {'micro', 'macro', 'samples', 'weighted'}, default='macro'
        How several values make one number; see
        :func:`sklearn_ap.average_precision_score`. With 'samples' the rows are the units.
    pos_label : int, float, bool or str, default=1
        The label of the positive class of a binary target.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`.
    n_resamples : int, default=1999
        How many resamples the bootstrap draws.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws. An int gives the same interval each time.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; see :func:`sklearn_ap.average_precision_score`.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value of a group without positives. nan leaves it out of the mean. A class without
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

    See Also
    --------
    compare : Two models on the same samples.
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
    rule = check.check_definition("confidence_interval", metric, options, "metric")
    given: dict[str, Any] = {
        "average": average,
        "pos_label": check.positive_class(pos_label, min_grade),
        "sample_weight": sample_weight,
        "classes": classes,
        "n_positives": n_positives,
        "groups": groups,
    }
    rankings = check.check_rankings(y_true, y_score, ties=rule.ties, **given)
    cluster = _clusters(clusters, groups, rankings, sample_weight)
    method = check.check_method(method, rule, has_queries(rankings))
    seed = check.check_generator(random_state)
    found = evidence(Question(rule, method, n_resamples, seed, zero_division), rankings, cluster)
    return Interval.of(_title(rule, rankings), found, confidence_level, method)


@takes_table
def compare(
    y_true: ArrayLike,
    y_score_a: ArrayLike,
    y_score_b: ArrayLike,
    *,
    metric: str = "average_precision",
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
) -> Comparison:
    r"""Compare two models on the same samples: is the difference of their scores real?

    Both models see the same easy and hard samples. So the influence of a sample on the difference,
    :math:`U_j^a - U_j^b`, varies much less than its influence on either score. The interval and the
    p value are those of a t-test. With groups they equal SciPy's `ttest_rel` of the scores of the
    groups. Only the order of the scores counts: probabilities and the logits behind them do not
    differ, and their interval is 0 to 0.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score_a : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores of model a, higher for the positive class.
    y_score_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores of model b, for the same samples in the same order.
    metric : str, default="average_precision"
        The name of a score; see :func:`confidence_interval`.
    confidence_level : float, default=0.95
        How often such intervals should contain the true difference, that of the whole population.
    method : {'auto', 'influence', 'bootstrap', 'randomization'}, default='auto'
        As in :func:`confidence_interval`. 'randomization' is for groups, or for rows with
        average='samples'. It swaps the two models in random groups, and takes the p value from that
        [1]_.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. The groups are then the units.
    clusters : array-like of shape (n_samples,), default=None
        Which samples belong together, such as all samples of a patient. The clusters are then the
        units.
    average : {'micro', 'macro', 'samples', 'weighted'}, default='macro'
        How several classes or groups make one number; see :func:`confidence_interval`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class of a binary target.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of scores.
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
    comparison : Comparison
        It has `scores`, `difference` (a - b), `low`, `high`, `standard_error`, `pvalue`,
        `confidence_level`, `method`, `metric`, `basis` and `to_dict`. It prints as two sentences,
        and unpacks into `difference`, `low` and `high`.

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
    """
    check.check_one_number("compare", average)
    check.check_same_samples(y_score_a, y_score_b)
    rule = check.check_definition("compare", metric, options, "metric")
    given: dict[str, Any] = {
        "average": average,
        "pos_label": check.positive_class(pos_label, min_grade),
        "sample_weight": sample_weight,
        "classes": classes,
        "n_positives": n_positives,
        "groups": groups,
    }
    a = check.check_rankings(y_true, y_score_a, ties=rule.ties, **given)
    b = check.check_rankings(y_true, y_score_b, ties=rule.ties, **given)
    cluster = _clusters(clusters, groups, a, sample_weight)
    method = check.check_method(method, rule, has_queries(a), comparing=True)
    seed = check.check_generator(random_state)
    question = Question(rule, method, n_resamples, seed, zero_division)
    found, other = compared(question, a, b, cluster)
    difference = found.spread.less(other.spread)
    low, high, pvalue = difference.t_test(confidence_level)
    never_differ = difference.standard_error == 0
    if never_differ and rank_alike(a, b):
        low, high, pvalue = 0.0, 0.0, 1.0
    elif difference.each is not None and method == "randomization":
        pvalue = sign_flips(difference.each * found.weight, n_resamples, question.generator)
    elif difference.each is None and never_differ:
        low, high = found.spread.apart(other.spread, confidence_level)
    return Comparison(
        scores=(found.spread.mean, other.spread.mean),
        difference=difference.mean,
        low=low,
        high=high,
        standard_error=difference.standard_error,
        pvalue=pvalue,
        confidence_level=float(confidence_level),
        method=method,
        metric=_title(rule, a),
        basis=found.basis,
    )


@takes_table
def influence(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    metric: str = "average_precision",
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
    r"""Influence of each sample on a score: which samples matter most for the number?

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
    metric : str, default="average_precision"
        The name of a score that has influences in closed form: "average_precision",
        "interpolated_average_precision" or "linear".
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. The score is then the mean over groups.
    average : {'micro', 'macro', 'samples', 'weighted'}, default='macro'
        How several values make one number; see :func:`confidence_interval`. The influences of a
        sample on the classes are added.
    pos_label : int, float, bool or str, default=1
        The label of the positive class of a binary target.
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
    rule = check.check_definition("influence", metric, options, "metric")
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


def _clusters(clusters: Any, groups: Any, rankings: Rankings, sample_weight: Any) -> Array | None:
    """The number of each counted sample's cluster."""
    if clusters is None:
        return None
    exists = check.find_existing(sample_weight, rankings)
    cluster = check.check_clusters(clusters, exists.size, groups, rankings.average)
    return np.unique(cluster[exists], return_inverse=True)[1]


def _title(rule: Rule, rankings: Rankings) -> str:
    if rankings.average == "binary":
        return title_of(rule)
    if has_queries(rankings):
        return mean_title_of(rule, rankings.average)
    return f"{title_of(rule)} ({rankings.average})"
