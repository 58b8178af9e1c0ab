"""Scorers for `scoring=`, made by `sklearn.metrics.make_scorer`, and one that combines several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from inspect import signature
from math import nan
from typing import Any, Literal

import sklearn.metrics
from numpy.typing import ArrayLike
from sklearn import config_context
from sklearn.metrics import make_scorer

from . import _bound
from ._bound import NOT_BOUND, NamedScore, score_of
from ._enter.entry import public
from ._enter.metric import (
    Metric,
    advice_on,
    check_given_once,
    full_name,
    name_in_logs,
    plain_name,
    refuse_name,
)
from ._read.labels import read_classes
from ._scoring import ClassScorer, FactoryCall, MultiScorer, RankingScorer, Scorer, requests_of
from ._words.inputs import SHARED, PositiveClass
from ._words.names import MAP, find, scorer_names
from ._words.parameters import check_allowed, meant_by, shown, why_without
from .core.rules import RULES, OfGroup
from .core.within import Array

Response = Literal["auto", "decision_function", "predict_proba"]

# --- factories ---------------------------------------------------------------------------------


@public(metric="metric")
def make_ap_scorer(
    metric: str | Metric = "average_precision",
    *,
    pos_label: float | bool | str = 1,
    classes: ArrayLike | None = None,
    rank: bool = False,
    response_method: Response = "auto",
    **options: Any,
) -> Scorer:
    """Make a scorer from a metric in this package.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        The name of a metric (see :func:`get_scorer_names`), such as
        "precision_at_1%" or "AP@10", or an object made by :func:`metric`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class. It is never guessed: a fold may contain only one class.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores. List all classes, in
        any order, so that folds that lack one can be scored. Pass both classes of a binary `y_true`
        if `predict_proba` returns a DataFrame or only one column, or if scikit-learn doesn't
        recognize the estimator as a classifier.
    rank : bool, default=False
        Whether the output of `predict` may also rank the samples, as for a regressor, if
        `pos_label` is the larger label, or that of a `decision_function` that returns labels.
    response_method : {'auto', 'decision_function', 'predict_proba'}, default='auto'
        The method of the estimator whose output ranks the samples. 'auto' prefers
        `decision_function`, as scikit-learn's scorers do.
    **options
        Other parameters of the metric, such as `k`, `min_recall`, `ties`, `average` or `min_grade`.
        Use `n_positives` only for a fixed test set, because it is the same in every fold.

    Returns
    -------
    scorer : callable
        A scorer of the kind that :func:`sklearn.metrics.make_scorer` returns, or with `classes`, a
        callable that contains one. With metadata routing, `set_score_request(groups=True)` makes it
        rank each group separately.

    See Also
    --------
    get_scorer : Read the options from a name.
    make_multi_scorer : Combine several scorers.

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
    bound = _bound.bind(metric, options, pos_label, "make_ap_scorer", means=False)
    arguments = _arguments(bound, pos_label)
    name = full_name(bound, pos_label=pos_label, response_method=response_method)
    methods = _methods(rank, response_method)
    besides = {"pos_label": pos_label, "rank": rank, "response_method": response_method}
    call = _factory_call(make_ap_scorer, bound, besides)
    make = partial(_scorer, _bound.ranking_score, name, plain_name(bound), methods)
    if classes is None:
        return make(call, arguments)
    _bound.check_taken(bound, "classes")
    positive = PositiveClass.of(pos_label, options.get("min_grade"))
    class_labels = read_classes(classes, positive).copy()
    if pos_label != 1:
        _check_scored_class(class_labels, pos_label)
    arguments["classes"] = class_labels
    if class_labels.size > 2:
        # Bind no label, because scikit-learn before 1.9 looks it up even if there are several
        # classes.
        arguments.setdefault("pos_label", None)
    return ClassScorer(partial(make, call.with_options(classes=class_labels)), arguments)


@public(metric="metric")
def make_outlier_ap_scorer(
    metric: str | Metric = "average_precision",
    *,
    pos_label: float | bool | str = -1,
    **options: Any,
) -> Scorer:
    """Make a scorer for outlier detectors.

    Detectors give high prediction scores to inliers, so the sample with the lowest `score_samples`
    ranks first.

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

    See Also
    --------
    make_ap_scorer : Make a scorer for classifiers.

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
    if options.get("min_grade") is not None and pos_label == -1:
        pos_label = 1  # the default of the metric, as grades need no label
    bound = _bound.bind(metric, options, pos_label, "make_outlier_ap_scorer", means=False)
    # The name omits the default label, which is -1 here, while 1 is a different one.
    is_default = pos_label == -1 or options.get("min_grade") is not None
    name = full_name(bound, **({} if is_default else {"pos_label": str(pos_label)}))
    title = f"outlier_{plain_name(bound)}"
    arguments = {"metric": bound.function, "pos_label": pos_label, **bound.all_options}
    methods = ("score_samples", "decision_function")
    call = _factory_call(
        make_outlier_ap_scorer, bound, {} if is_default else {"pos_label": pos_label}
    )
    return _scorer(_bound.outlier_score, f"outlier_{name}", title, methods, call, arguments)


def make_map_scorer(
    k: float | None = None,
    *,
    groups: bool | str = True,
    sample_weight: bool | str | None = None,
    pos_label: float | bool | str = 1,
    rank: bool = False,
    response_method: Response = "auto",
    **options: Any,
) -> Scorer:
    """Make a scorer for mean average precision, with groups from metadata routing.

    First call `sklearn.set_config(enable_metadata_routing=True)`. Then pass groups to the `fit` of
    a search, or in the `params` of `cross_validate`. They reach both the splitter and this scorer.

    Parameters
    ----------
    k : int or float, default=None
        The cutoff in each group; see :func:`average_precision_at_k_score`. None means all samples.
    groups : bool or str, default=True
        The metadata request for the groups. Pass a str if you pass the groups under another name.
    sample_weight : bool or str, default=None
        The metadata request for sample weights, as in `set_score_request`.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    rank : bool, default=False
        Whether the output of `predict` may also rank the samples, as for a regressor.
    response_method : {'auto', 'decision_function', 'predict_proba'}, default='auto'
        The method whose output ranks the samples; see :func:`make_ap_scorer`.
    **options
        Other parameters of :func:`mean_average_precision_score`, such as `min_grade` for a ranker
        that learns from grades. Pass `n_positives` only to score a fixed test set.

    Returns
    -------
    scorer : callable
        A scorer of the kind that :func:`sklearn.metrics.make_scorer` returns, with its metadata
        request set.

    See Also
    --------
    make_ap_scorer : Make a scorer that ranks all rows at once.

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
    _check_request("make_map_scorer", "groups", groups)
    _check_request("make_map_scorer", "sample_weight", sample_weight)
    check_allowed("make_map_scorer", set(), {"response_method": response_method})
    if k is not None:
        options["k"] = k
    bound = _bound.bind(MAP, options, pos_label, "make_map_scorer")
    arguments = _arguments(bound, pos_label)
    name = full_name(bound, pos_label=pos_label, response_method=response_method)
    methods = _methods(rank, response_method)
    requests = {"groups": groups, "sample_weight": sample_weight}
    besides = {"pos_label": pos_label, "rank": rank, "response_method": response_method}
    call = _factory_call(make_map_scorer, bound, requests | besides)
    scorer = _scorer(_bound.ranking_score, name, plain_name(bound), methods, call, arguments)
    with config_context(enable_metadata_routing=True):
        scorer.set_score_request(**requests)
    scorer.own_requests = requests_of(scorer)
    return scorer


def _check_request(caller: str, name: str, request: Any) -> None:
    if not isinstance(request, bool | str | None):
        raise TypeError(
            f"{name} of {caller} must be True, or the name under which you pass them to fit, "
            f"because each fold has its own. Got {shown(request)} instead. Pass the values by "
            f"metadata routing, as in search.fit(X, y, {name}=...)."
        )


def make_multi_scorer(
    scorers: Sequence[str | Metric | Scorer] = (),
    /,
    *,
    error_score: float | str = nan,
    **named: Any,
) -> Scorer:
    """Combine several scorers into one, for `scoring=` of searches and `cross_validate`.

    It predicts once for all of them, and each gets the scores of its own positive class.
    scikit-learn doesn't tell a callable the `error_score` of a search, so pass it here.

    Parameters
    ----------
    scorers : list, default=()
        Names for :func:`get_scorer`, objects made by :func:`metric`, or scorers. The results of
        names are called as you typed them, such as "P@1%".
    error_score : float or 'raise', default=nan
        The value of a scorer that fails. 'raise' raises its error.
    **named
        More scorers, whose results are named after the keywords. Parameters of
        :func:`make_ap_scorer` and of metrics, such as `pos_label` or `k`, apply to all metrics of
        this package that accept them.

    Returns
    -------
    scorer : callable
        A callable that returns a dict with the value of each scorer. Its attribute `scorers` has
        their names, for `refit=` of a search. With metadata routing,
        `set_score_request(sample_weight=True)` requests weights for all scorers that accept them,
        and `groups=True` groups for those of this package.

    See Also
    --------
    make_ap_scorer : Make one scorer.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_ap import make_multi_scorer
    >>> X, y = [[0], [1], [2], [3]], [0, 0, 1, 1]
    >>> several = make_multi_scorer(["AP", "P@1"], pos_label=0)
    >>> several(GaussianNB().fit(X, y), X, y)
    {'AP': 1.0, 'P@1': 1.0}
    """
    metrics = {MAP, *(kind.metric for kind in RULES if kind.metric)}
    option_names = set().union(*map(_options_of, metrics))
    options, by_keyword = {}, {}
    for name, value in named.items():
        if name in option_names and not callable(value):
            options[name] = value
        else:
            by_keyword[name] = value
    for name in ("groups", "sample_weight"):
        _check_request("make_multi_scorer", name, options.get(name))
    _check_option_names(by_keyword, option_names)
    _check_list(scorers, by_keyword)
    names = [*map(_result_name, scorers), *by_keyword]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(
            f"Two scorers are called {twice[0]!r}. Pass one of them by keyword, as in "
            "make_multi_scorer(name=...)."
        )

    scorings = dict(zip(names, [*scorers, *by_keyword.values()], strict=True))
    _check_same_class(scorings, options.get("pos_label", 1))
    taken = {name: _options_taken(scoring, options) for name, scoring in scorings.items()}
    made = {name: get_scorer(scoring, **taken[name]) for name, scoring in scorings.items()}
    for option in options:
        if not any(option in taken_options for taken_options in taken.values()):
            raise TypeError(
                f"None of the scorers {', '.join(names)} takes the option {option}, or its name or "
                "metric() already contains it. Leave it out."
            )
    of_sklearn = {name: each for name, each in scorings.items() if _is_name_of_sklearn(each)}
    return MultiScorer(made, error_score, of_sklearn)


def _options_of(metric: str) -> set[str]:
    """Return the options of the scorer of a metric."""
    of_metric = {*signature(score_of(metric)).parameters} - {"y_true", "y_score", *NOT_BOUND}
    factory = make_map_scorer if metric == MAP else make_ap_scorer
    return of_metric | {*signature(factory).parameters} - {"metric", "options"}


def _options_taken(scoring: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that apply to a metric, which are none for other scorers."""
    name, bound = scoring, {}
    if isinstance(scoring, Metric):
        name, bound = scoring.definition, scoring.options
    named = find(name)
    if named is None or not named.metric:
        return {}
    free = _options_of(named.metric) - {*named.options, *bound}
    return {option: value for option, value in options.items() if option in free}


def _check_option_names(by_keyword: Mapping[str, Any], options: set[str]) -> None:
    """Check that keywords of scorers are neither misspelled options nor data."""
    for name, value in by_keyword.items():
        meant = meant_by(name, options)
        is_name = isinstance(value, str) and (find(value) or _is_name_of_sklearn(value))
        if not (callable(value) or is_name) and (meant or name in (*SHARED, "data")):
            raise TypeError(
                f"make_multi_scorer got {name}={shown(value)}, which is neither a scorer nor an "
                f"option.{meant or why_without('make_multi_scorer', [name])}"
            )


def _is_name_of_sklearn(scoring: Any) -> bool:
    """Whether this is the name of a scorer that only scikit-learn has."""
    is_name = isinstance(scoring, str) and find(scoring) is None
    return is_name and scoring in sklearn.metrics.get_scorer_names()


# The scorers of scikit-learn that evaluate the class 1, and what `make_scorer` needs for another.
_OF_CLASS_1 = {
    "d2_brier_score": "d2_brier_score, response_method='predict_proba'",
    "f1": "f1_score",
    "jaccard": "jaccard_score",
    "neg_brier_score": "brier_score_loss, response_method='predict_proba', greater_is_better=False",
    "precision": "precision_score",
    "recall": "recall_score",
}


def _check_same_class(scorings: Mapping[str, Any], pos_label: Any) -> None:
    """Refuse a positive class beside scorers of scikit-learn that would evaluate the class 1."""
    for scoring in scorings.values():
        if pos_label != 1 and isinstance(scoring, str) and scoring in _OF_CLASS_1:
            raise ValueError(
                f"pos_label={pos_label!r} doesn't reach scikit-learn's scorer {scoring!r}, which "
                f"evaluates the class 1. In place of {scoring!r}, pass {scoring}=make_scorer("
                f"{_OF_CLASS_1[scoring]}, pos_label={pos_label!r}) of sklearn.metrics."
            )


def _check_list(scorers: Any, by_keyword: Mapping[str, Any]) -> None:
    if isinstance(scorers, str) or not isinstance(scorers, Sequence):
        instead = "**scorers" if isinstance(scorers, Mapping) else "['AP', 'P@1%']"
        raise TypeError(
            f"make_multi_scorer needs a list of names or scorers, but got {shown(scorers)}. Write "
            f"make_multi_scorer({instead})."
        )
    if any(isinstance(scorer, MultiScorer) for scorer in [*scorers, *by_keyword.values()]):
        raise TypeError(
            "make_multi_scorer can't contain a scorer of several metrics. Pass its scorers, "
            "as in make_multi_scorer(**scorer.scorers)."
        )
    for scorer in scorers:
        if not isinstance(scorer, str) and not getattr(scorer, "__name__", None):
            raise TypeError(
                f"{shown(scorer)} has no name, so pass it by keyword, as in "
                "make_multi_scorer(name=...)."
            )
    if not scorers and not by_keyword:
        raise ValueError(
            "make_multi_scorer needs at least one scorer, as in make_multi_scorer(['AP'])."
        )


def _result_name(scoring: Any) -> str:
    """Return the name of a result: what was typed, or the name of a scorer or metric."""
    return scoring if isinstance(scoring, str) else str(scoring.__name__)


# --- names -------------------------------------------------------------------------------------


@public(metric="scoring")
def get_scorer(scoring: str | Metric | Scorer, **options: Any) -> Scorer:
    """Get a scorer by its name.

    Parameters
    ----------
    scoring : str, Metric or callable
        A name from :func:`get_scorer_names` with any number, such as "precision_at_1%", a metric
        that :func:`make_ap_scorer` accepts, or the name of a scorer of scikit-learn. A callable is
        returned unchanged.
    **options
        Parameters of :func:`make_ap_scorer`, or of :func:`make_map_scorer` for names that begin
        with "mean_average_precision". Other scorers don't accept options.

    Returns
    -------
    scorer : callable
        The scorer, a new object at each call.

    See Also
    --------
    get_scorer_names : List the names.
    make_ap_scorer : Pass the options as keywords.

    Examples
    --------
    >>> from sklearn_ap import get_scorer
    >>> get_scorer("average_precision_at_5", pos_label="fraud")
    make_ap_scorer('average_precision_at_k', k=5, pos_label='fraud')
    """
    scorer: Any = scoring
    if isinstance(scoring, OfGroup):  # which a `Metric` of a function is unpacked into
        return make_ap_scorer(scoring, **options)
    if isinstance(scoring, str):
        named = find(scoring)
        if named and named.metric == MAP:
            check_given_once(scoring, named.options, options)
            return make_map_scorer(**named.options, **options)
        if named and ("k" in {**named.options, **options} or not scoring.endswith("_k")):
            return make_ap_scorer(scoring, **options)
        theirs = sklearn.metrics.get_scorer_names()
        if scoring not in theirs:
            _refuse_scoring(scoring, theirs)
        scorer = sklearn.metrics.get_scorer(scoring)
    elif not callable(scoring):
        raise TypeError(
            f"scoring must be a name or a scorer. Got {scoring!r} instead. For several, pass a "
            "list to make_multi_scorer."
        )
    if options:
        raise TypeError(
            f"Only scorers of this package accept options, but {', '.join(options)} was passed "
            f"with {scorer!r}."
        )
    return scorer  # type: ignore[no-any-return]


def _refuse_scoring(scoring: str, theirs: Sequence[str]) -> None:
    """Refuse an unknown name, and suggest one of this package or of scikit-learn."""
    near = get_close_matches(scoring, {*scorer_names(), *theirs}, cutoff=0.8)
    close = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    invalid = f"{scoring!r} is not a valid scoring value."  # scikit-learn's words
    refuse_name(
        f"{invalid} The 'scoring' parameter of get_scorer",
        scoring,
        instead=f"{advice_on(scoring) or close} sklearn_ap.get_scorer_names() lists some.",
    )


def get_scorer_names() -> list[str]:
    """Get the names of the predefined scorers.

    Returns
    -------
    names : list of str
        Names for :func:`get_scorer`, sorted. You can replace the numbers in them.

    See Also
    --------
    get_scorer : Get a scorer by its name.

    Examples
    --------
    >>> from sklearn_ap import get_scorer_names
    >>> get_scorer_names()[:2]
    ['101_point_average_precision', 'average_precision']
    """
    return scorer_names()


def _factory_call(
    factory: Callable[..., Any], metric: Metric, options: dict[str, Any]
) -> FactoryCall:
    """Return the call of a factory with the options that differ from their defaults."""
    defaults = signature(factory).parameters
    said = {name: value for name, value in options.items() if value != defaults[name].default}
    if isinstance(metric.rule, OfGroup):  # whose repr has its options
        return FactoryCall(factory.__name__, said, repr(metric))
    all_options = metric.all_options | said
    is_taken = "metric" in defaults
    return FactoryCall(factory.__name__, all_options, repr(metric.function) if is_taken else "")


def _scorer(
    score: Callable[..., Any],
    name: str,
    title: str,
    methods: Any,
    call: FactoryCall,
    options: dict[str, Any],
) -> RankingScorer:
    """Make a scorer with a short name, which learning curves and other tools show."""
    rule = options.get("rule")  # a function of groups
    made = make_scorer(
        NamedScore(score, name, takes_labels="predict" in methods),
        response_method=methods,
        greater_is_better=rule is None or rule.greater_is_better,
        **options,
    )
    return RankingScorer(made, name_in_logs(title), options.get("pos_label", 1), call)


def _methods(rank: bool, response_method: Response) -> tuple[str, ...]:
    either = ("decision_function", "predict_proba")
    methods = either if response_method == "auto" else (response_method,)
    return (*methods, "predict") if rank else methods


def _arguments(bound: Metric, pos_label: Any) -> dict[str, Any]:
    """Return what the scorer of a metric passes to its function."""
    arguments = {"metric": bound.function, **bound.all_options}
    if pos_label != 1:  # which is the default of the function, too
        arguments["pos_label"] = pos_label
    if arguments.get("min_grade") is not None or _bound.reads_grades(bound.function):
        # Otherwise scikit-learn would look up the label among the grades: for a classifier of two
        # grades, it then uses the prediction scores of the higher grade.
        arguments["pos_label"] = None
    return arguments


def _check_scored_class(classes: Array, pos_label: Any) -> None:
    """Check that a scorer can combine `classes` with a `pos_label` other than the default."""
    if classes.size > 2:
        raise ValueError(
            f"pos_label={pos_label!r} is for two classes, but there are {classes.size} in classes, "
            "each of which is evaluated, so leave pos_label out. To evaluate one class against the "
            f"rest, make the target binary, as in y == {pos_label!r}, and leave out both."
        )
    if pos_label not in classes.tolist():
        raise ValueError(f"pos_label={pos_label!r} is not one of the classes {classes.tolist()}.")
