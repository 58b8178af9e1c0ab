"""Scorers for `scoring=`, made by `sklearn.metrics.make_scorer`, and one for several of them.

scikit-learn treats its objects specially in several places, so they are not subclassed, and wrapped
only if the scorer has to see the estimator, which a metric doesn't. The name and the metadata
request that they lack are set on them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from traceback import format_exc
from typing import Any, Self

import sklearn.metrics
from numpy.typing import ArrayLike
from sklearn import config_context
from sklearn.metrics import make_scorer
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)

from ._by_name import (
    NamedScore,
    bind,
    class_score,
    full_name,
    grouped_score,
    name_in_logs,
    outlier_score,
    ranking_score,
    score_of,
)
from ._catalogue import MAP, METRICS, write_name
from ._named import Metric, takes_metric
from ._validation.labels import check_no_classes, positive_class, read_classes
from ._validation.parameters import check_options
from ._validation.scorers import (
    NOT_BOUND,
    check_all_taken,
    check_bare_scorer,
    check_given_once,
    check_keywords,
    check_scored_class,
    check_some_scorers,
    columns_of,
    find_metric,
    options_among,
    refuse_name,
)
from ._validation.warned import warn

Scorer = Callable[..., Any]

# The numbers in these names can be replaced: the cut-off k, the recall or precision, or the number
# of points.
_NAMES = (
    "101_point_average_precision",
    "average_precision",
    "average_precision_at_10",
    "eleven_point_average_precision",
    "enrichment_factor_at_1%",
    "hit_rate_at_10",
    "interpolated_average_precision",
    "mean_average_precision",
    "mean_average_precision_at_10",
    "precision_at_1%",
    "precision_at_10",
    "precision_at_recall_0.9",
    "r_precision",
    "recall_at_10",
    "recall_at_precision_0.9",
    "reciprocal_rank",
)


# --- factories ---------------------------------------------------------------------------------


@takes_metric("metric")
def make_ap_scorer(
    metric: str | Metric = "average_precision",
    *,
    pos_label: float | bool | str = 1,
    classes: ArrayLike | None = None,
    rank: bool = False,
    **options: Any,
) -> Scorer:
    """Make a scorer from a metric in this package.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        The name of a metric in this package: "average_precision", "interpolated_average_precision",
        "eleven_point_average_precision", "average_precision_at_k", "precision_at_k", "recall_at_k",
        "enrichment_factor", "r_precision", "reciprocal_rank", "hit_rate_at_k",
        "precision_at_recall" or "recall_at_precision". The name can contain its number, as in
        "average_precision_at_10", "precision_at_1%", "enrichment_factor_at_1%" and
        "precision_at_recall_0.9". Short names such as "AP@10", "P@1%", "R@10" and "EF@1%" work too,
        and so does an object made by :func:`metric`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class. It is never guessed from the labels, because a fold may
        contain only one class.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`. With it, folds that lack one
        of the classes can be scored too. A scorer takes the classes in any order, because it looks
        up their columns in the `classes_` of the estimator, which have to be the same classes.
    rank : bool, default=False
        Whether the output of `predict` may rank the samples too, as for a regressor. The larger
        label then ranks first, so `pos_label` must be the larger one.
    **options
        Other parameters of the metric, such as `k`, `k_counts`, `min_recall`, `ties`,
        `denominator`, `average`, `n_points`, `n_positives`, `zero_division` or `min_grade`. Use
        `n_positives` only for a fixed test set, because it is the same in every fold: a count is
        taken as the number of positives of each fold, and a mapping adds all of its groups to each
        fold.

    Returns
    -------
    scorer : callable
        A scorer of the kind that :func:`sklearn.metrics.make_scorer` returns, or with more than two
        `classes`, a callable that contains one. With metadata routing,
        `set_score_request(groups=True)` makes it rank each group separately.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_ap import make_ap_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_ap_scorer(
    ...     "average_precision_at_k", k=20, ties="expected"
    ... )
    >>> cross_val_score(GaussianNB(), X, y, scoring=scorer)
    array([1., 1., 1., 1., 1.])
    """
    metric, options = _bound(metric, options, pos_label)
    name = full_name(metric, options)
    several = False
    if classes is not None:
        check_no_classes(positive_class(pos_label, options.get("min_grade")))
        check_options(score_of(metric), {"classes": classes})
        options["classes"] = classes = read_classes(classes).copy()
        if "pos_label" in options:
            check_scored_class(classes, pos_label)
        if classes.size > 2:
            # Bind no label, because scikit-learn before 1.9 looks it up even if there are several
            # classes.
            options.setdefault("pos_label", None)
            several = True
    options = {"metric": metric} | _without_label(options)
    named = name, write_name(metric, options), _methods(rank)
    return ClassScorer(named, options) if several else _scorer(ranking_score, *named, options)


@takes_metric("metric")
def make_outlier_ap_scorer(
    metric: str | Metric = "average_precision",
    *,
    pos_label: float | bool | str = -1,
    **options: Any,
) -> Scorer:
    """Make a scorer for outlier detectors.

    Detectors give high prediction scores to inliers, but you want to find the outliers, so the
    sample with the lowest `score_samples` ranks first.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        The name of a metric; see :func:`make_ap_scorer`.
    pos_label : int, float, bool or str, default=-1
        The label of the outliers.
    **options
        Other parameters of the metric; see :func:`make_ap_scorer`.

    Returns
    -------
    scorer : callable
        A scorer of the kind that :func:`sklearn.metrics.make_scorer` returns.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import IsolationForest
    >>> from sklearn_ap import make_outlier_ap_scorer
    >>> X = np.array([[0.0], [0.1], [-0.1], [0.2], [9.0]])
    >>> y = [1, 1, 1, 1, -1]
    >>> make_outlier_ap_scorer()(IsolationForest(random_state=0).fit(X), X, y)
    1.0
    """
    # The name omits the default label, which is -1 here, while 1 is a different one.
    label = 1 if pos_label == -1 else str(pos_label)
    if label == 1 and options.get("min_grade") is not None:
        pos_label = 1  # the default of the metric, as grades need no label
    metric, options = _bound(metric, options, pos_label)
    name = full_name(metric, options | {"pos_label": label})
    shown = write_name(metric, options)
    options = {"metric": metric, "pos_label": pos_label, **options}
    methods = ("score_samples", "decision_function")
    return _scorer(outlier_score, f"outlier_{name}", f"outlier_{shown}", methods, options)


def make_map_scorer(
    k: float | None = None,
    *,
    groups: bool | str = True,
    sample_weight: bool | str | None = None,
    pos_label: float | bool | str = 1,
    rank: bool = False,
    **options: Any,
) -> Scorer:
    """Make a scorer of mean average precision, with groups from metadata routing.

    First call `sklearn.set_config(enable_metadata_routing=True)`. Then pass groups to the `fit` of
    a search, or in the `params` of `cross_validate`. They reach both the splitter and this scorer.

    Parameters
    ----------
    k : int or float, default=None
        The cut-off in each group; see :func:`average_precision_at_k_score`. None means all samples.
    groups : bool or str, default=True
        The metadata request for the groups. Pass a str if you pass the groups under another name.
    sample_weight : bool or str, default=None
        The metadata request for sample weights, as in `set_score_request`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    rank : bool, default=False
        Whether the output of `predict` may rank the samples too, as for a regressor.
    **options
        Other parameters of :func:`mean_average_precision_score`, such as `min_grade` for a ranker
        that learns from grades. Pass `n_positives` only to score a fixed test set, not in a
        cross-validation: the mapping is the same in every fold, and its groups that are not in the
        fold have a value of 0.

    Returns
    -------
    scorer : callable
        A scorer of the kind that :func:`sklearn.metrics.make_scorer` returns, with its metadata
        request set.

    Examples
    --------
    >>> import numpy as np
    >>> import sklearn
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_ap import make_map_scorer
    >>> X, y = make_classification(random_state=0)
    >>> queries = np.arange(100) // 10
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     search = GridSearchCV(
    ...         GaussianNB(),
    ...         {"var_smoothing": [1e-9, 1e-1]},
    ...         cv=GroupKFold(5),
    ...         scoring=make_map_scorer(k=5),
    ...     ).fit(X, y, groups=queries)
    >>> bool(0 < search.best_score_ <= 1)
    True
    """
    _, options = _bound(MAP, options, pos_label, grouped=True)
    if k is not None:
        check_options(score_of(MAP), {**options, "k": k})
        options["k"] = k
    name, shown = full_name(MAP, options), write_name(MAP, options)
    methods = _methods(rank)
    scorer: Any = _scorer(grouped_score, name, shown, methods, _without_label(options))
    with config_context(enable_metadata_routing=True):
        # Set all requests at once, because a second call would reset the first.
        asking: Scorer = scorer.set_score_request(groups=groups, sample_weight=sample_weight)
    return asking


class ClassScorer:
    """Scorer of several classes, which looks up their columns in the `classes_` of an estimator.

    Made by `make_ap_scorer`. It leaves all else to a scorer of scikit-learn.
    """

    def __init__(self, named: tuple[str, str, tuple[str, ...]], options: dict[str, Any]) -> None:
        self.named = named
        self.options = options
        self.scorer: Any = _scorer(class_score, *named, options)
        self.__name__ = self.scorer.__name__

    def __call__(
        self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None, **params: Any
    ) -> Any:
        if sample_weight is not None:
            params["sample_weight"] = sample_weight
        columns = columns_of(self.options["classes"], estimator)
        scorer = _scorer(class_score, *self.named, self.options | {"columns": columns})
        return scorer(estimator, X, y_true, **params)

    def set_score_request(self, **requests: Any) -> Self:
        self.scorer.set_score_request(**requests)
        return self

    def __getattr__(self, name: str) -> Any:
        if name == "scorer":  # in a copy that is still empty
            raise AttributeError(name)
        return getattr(self.scorer, name)

    def __repr__(self) -> str:
        return repr(self.scorer)


def make_multi_scorer(scorers: Sequence[str | Metric | Scorer] = (), /, **named: Any) -> Scorer:
    """Combine several scorers into one, for `scoring=` of searches and `cross_validate`.

    If you pass a plain dict of scorers, scikit-learn shares their predictions, even if the scorers
    differ in `pos_label`. The values are then wrong, and nothing warns you. This function calls
    each scorer separately. As with a dict, if a scorer fails, the others are still evaluated, and
    the failed one gets `error_score` with a warning.

    Parameters
    ----------
    scorers : list, default=()
        Names for :func:`get_scorer`, objects made by :func:`metric`, or scorers. The names, as you
        wrote them, name the results.
    **named
        More of these, whose results get the names of the keywords. Parameters of
        :func:`make_ap_scorer` and of metrics, such as `pos_label` or `k`, are options instead. They
        apply to each metric of this package that takes them, unless its name or :func:`metric`
        already says otherwise, and not to scorers.

    Returns
    -------
    scorer : callable
        A callable that returns a dict with the value of each scorer. In a search, `refit=` must
        name one of them.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_ap import make_ap_scorer, make_multi_scorer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> both = make_multi_scorer(
    ...     benign=make_ap_scorer(pos_label=1),
    ...     malignant=make_ap_scorer(pos_label=0),
    ... )
    >>> scores = cross_validate(GaussianNB(), X, y, scoring=both)
    >>> sorted(name for name in scores if name.startswith("test"))
    ['test_benign', 'test_malignant']

    >>> several = make_multi_scorer(["AP", "P@10"], pos_label=0)
    >>> scores = cross_validate(GaussianNB(), X, y, scoring=several)
    >>> sorted(name for name in scores if name.startswith("test"))
    ['test_AP', 'test_P@10']
    """
    options = {each: named.pop(each) for each in options_among(named, _all_options())}
    theirs = sklearn.metrics.get_scorer_names()
    check_keywords(named, _all_options(), theirs)
    each = check_some_scorers(scorers, named)
    taken = {name: _taken(scoring, options) for name, scoring in each.items()}
    check_all_taken(options, taken)
    return MultiScorer({name: get_scorer(each[name], **taken[name]) for name in each})


def _all_options() -> set[str]:
    return set().union(*(_options_of(metric) for metric in (*METRICS, MAP)))


def _options_of(metric: str) -> set[str]:
    """Return the options of the scorer of a metric."""
    of_metric = {*signature(score_of(metric)).parameters} - {"y_true", "y_score", *NOT_BOUND}
    factory = make_map_scorer if metric == MAP else make_ap_scorer
    return of_metric | {*signature(factory).parameters} - {"metric", "options"}


def _taken(scoring: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that apply to a metric, which are none for other scorers."""
    one = isinstance(scoring, Metric)
    named = find_metric(scoring.definition if one else scoring)
    if named is None:
        return {}
    free = _options_of(named.metric) - {*named.options, *(scoring.options if one else ())}
    return {name: value for name, value in options.items() if name in free}


class MultiScorer:
    """Callable that evaluates several scorers; made by `make_multi_scorer`."""

    def __init__(self, scorers: dict[str, Scorer]) -> None:
        self.scorers = scorers
        self.__name__ = name_in_logs("_and_".join(scorers))

    def __call__(
        self, estimator: Any, X: Any, y_true: Any = None, sample_weight: Any = None, **params: Any
    ) -> dict[str, float]:
        error_score = _error_score_of_caller()
        if sample_weight is not None:
            params["sample_weight"] = sample_weight
        if sklearn.get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "score", **params)
            each = {name: routed[name].score for name in self.scorers}
        else:
            each = {
                name: _without_weight(name, params) if not _takes_weight(scorer) else params
                for name, scorer in self.scorers.items()
            }
        data = (X,) if y_true is None else (X, y_true)
        scores = {}
        for name, scorer in self.scorers.items():
            try:
                scores[name] = scorer(estimator, *data, **each[name])
            except Exception:
                if error_score == "raise":
                    raise
                _warn_of_failure(error_score)
                scores[name] = error_score
        return scores

    def __repr__(self) -> str:
        if not all(map(str.isidentifier, self.scorers)):
            return f"make_multi_scorer(**{self.scorers})"
        scorers = ", ".join(f"{name}={scorer!r}" for name, scorer in self.scorers.items())
        return f"make_multi_scorer({scorers})"

    def get_metadata_routing(self) -> MetadataRouter:
        return MetadataRouter(owner=self).add(
            **self.scorers, method_mapping=MethodMapping().add(caller="score", callee="score")
        )


def _error_score_of_caller() -> Any:
    """Return the value that replaces a scorer that fails, or "raise".

    scikit-learn passes `error_score` to the scorers of a dict but not to a callable, so the only
    place to find it is the frame of the calling function.
    """
    caller = sys._getframe(2)
    if caller.f_globals.get("__name__", "").partition(".")[0] != "sklearn":
        return "raise"
    return caller.f_locals.get("error_score", "raise")


def _warn_of_failure(error_score: float) -> None:
    """Warn of the exception that is being handled, in scikit-learn's words."""
    warn(
        "Scoring failed. The score on this train-test partition for these parameters will be set "
        f"to {error_score}. Details: \n{format_exc()}",
        UserWarning,
    )


def _takes_weight(scorer: Scorer) -> bool:
    """Whether a scorer accepts weights, by its metadata request or its signature."""
    if hasattr(scorer, "get_metadata_routing") and not isinstance(scorer, MultiScorer):
        return _requests_weight(scorer) or not _requests_weight(make_ap_scorer())
    parameters = signature(scorer).parameters.values()
    return any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in parameters)


def _requests_weight(scorer: Scorer) -> bool:
    """Whether the metadata request mentions weights, by default only since scikit-learn 1.7."""
    return "sample_weight" in get_routing_for_object(scorer).score.requests


def _without_weight(name: str, params: dict[str, Any]) -> dict[str, Any]:
    if "sample_weight" not in params:
        return params
    warn(
        f"The scorer {name!r} does not accept sample_weight, so it ignores the weights.",
        UserWarning,
    )
    return {key: value for key, value in params.items() if key != "sample_weight"}


# --- names -------------------------------------------------------------------------------------


@takes_metric("scoring")
def get_scorer(scoring: str | Metric | Scorer, **options: Any) -> Scorer:
    """Get a scorer by its name.

    Parameters
    ----------
    scoring : str, Metric or callable
        A name from :func:`get_scorer_names`, in which you can replace the number, as in
        "precision_at_25" and "precision_at_1%". Metrics of :func:`make_ap_scorer` and the names of
        scikit-learn's scorers work too. A callable is returned unchanged.
    **options
        Parameters of :func:`make_ap_scorer`, or of :func:`make_map_scorer` for names that begin
        with "mean_average_precision". Other scorers don't accept any.

    Returns
    -------
    scorer : callable
        The scorer, a new object at each call.

    Examples
    --------
    >>> from sklearn_ap import get_scorer
    >>> get_scorer("average_precision_at_5", pos_label="fraud")
    make_scorer(average_precision_at_5_pos_label=fraud,
    response_method=('decision_function', 'predict_proba'),
    metric=average_precision_at_k, k=5, pos_label=fraud)
    """
    if not isinstance(scoring, str):
        return check_bare_scorer(scoring, options)
    named = find_metric(scoring)
    if named and named.metric == MAP:
        return make_map_scorer(**check_given_once(scoring, named.options, options))
    if named and ("k" in {**named.options, **options} or not scoring.endswith("_k")):
        return make_ap_scorer(scoring, **options)
    theirs = sklearn.metrics.get_scorer_names()
    if scoring not in theirs:
        refuse_name(scoring, [*_NAMES, *theirs])
    return check_bare_scorer(sklearn.metrics.get_scorer(scoring), options)


def get_scorer_names() -> list[str]:
    """Get the names of the predefined scorers.

    Returns
    -------
    names : list of str
        Names for :func:`get_scorer`, sorted. You can replace the numbers in them.

    Examples
    --------
    >>> from sklearn_ap import get_scorer_names
    >>> get_scorer_names()[:2]
    ['101_point_average_precision', 'average_precision']
    """
    return list(_NAMES)


def _scorer(
    score: Callable[..., Any],
    name: str,
    shown: str,
    methods: tuple[str, ...],
    options: dict[str, Any],
) -> Scorer:
    """Make a scorer with a short name, which learning curves and other tools show."""
    scorer: Scorer = make_scorer(NamedScore(score, name), response_method=methods, **options)
    scorer.__name__ = name_in_logs(shown)
    return scorer


def _methods(rank: bool) -> tuple[str, ...]:
    methods = ("decision_function", "predict_proba")
    return (*methods, "predict") if rank else methods


def _bound(
    metric: Any, options: dict[str, Any], pos_label: Any, grouped: bool = False
) -> tuple[str, dict[str, Any]]:
    """Return the name of a metric without its number, and the options to bind to its scorer."""
    found = bind(metric, options, pos_label, "scorer", grouped)
    # The default is not bound, because the function that the scorer calls has the same default.
    label = {} if pos_label == 1 else {"pos_label": pos_label}
    return found.metric, found.options | label


def _without_label(options: dict[str, Any]) -> dict[str, Any]:
    """Bind no label if there are grades.

    Otherwise scikit-learn would look it up among the grades: for a classifier of two grades, it
    then uses the prediction scores of the higher grade.
    """
    return options if options.get("min_grade") is None else options | {"pos_label": None}
