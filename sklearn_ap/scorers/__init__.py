"""Scorers for `scoring=`, made by `sklearn.metrics.make_scorer`, and one that combines several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from math import nan
from traceback import format_exc
from typing import Any, Literal, NoReturn, Self

import numpy as np
import sklearn
import sklearn.metrics
from numpy.typing import ArrayLike
from sklearn import config_context
from sklearn.metrics import make_scorer
from sklearn.utils import metadata_routing

from .. import metrics
from .._enter.entry import public
from .._enter.metric import Metric, advice_on, full_name, name_in_logs, plain_name, refuse_name
from .._evaluate.classifiers import (
    as_classifier,
    classes_of,
    is_classifier,
    is_detector,
    predicting_once,
    with_score_samples,
)
from .._inputs.records import SHARED, PositiveClass
from .._package.toml import read_toml
from .._read.labels import read_classes
from .._words.messages import warn
from .._words.names import MAP, find, scorer_names
from .._words.parameters import meant_by, shown, why_without
from .._words.refusals import texts_alone
from ..core.rules import RULES, OfGroup
from . import binding, others
from .binding import NOT_BOUND, NamedScore, score_of
from .others import NamedScorer, Scorer, SklearnScorer, in_python, requests_of

Response = Literal["auto", "decision_function", "predict_proba"]


# --- one metric --------------------------------------------------------------------------------


@public(metric="metric", unchecked=("groups", "sample_weight"))
def make_ap_scorer(
    metric: str | Metric = "average_precision",
    *,
    pos_label: float | bool | str | None = None,
    classes: ArrayLike | None = None,
    groups: bool | str | None = None,
    sample_weight: bool | str | None = None,
    rank: bool = False,
    response_method: Response | Sequence[Response] = "auto",
    **options: Any,
) -> RankingScorer:
    """Make a scorer from a metric in this package, for classifiers, rankers and outlier detectors.

    Detectors of scikit-learn give high prediction scores to inliers, and those of PyOD to outliers.
    The scorer ranks the positive class first in both cases.

    Parameters
    ----------
    metric : str or Metric, default="average_precision"
        The name of a metric (see :func:`get_scorer_names`), such as
        "precision_at_1%" or "AP@10", or an object made by :func:`metric`.
    pos_label : int, float, bool or str, default=None
        The label of the class that is ranked first. If there are more than two classes, this one is
        evaluated against all others. By default, it is 1, or -1 for an outlier detector whose
        `y_true` has -1 and 1, and the value for more than two classes is their mean. Other labels
        are never guessed, because a fold may contain only one class. For an outlier detector, 1 or
        True mean the outliers beside 0 or False, and the inliers beside -1.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores. List all classes, in
        any order, so that folds that lack one can be scored. Pass both classes of a binary `y_true`
        if `predict_proba` returns a DataFrame or only one column, or if scikit-learn doesn't
        recognize the estimator as a classifier.
    groups : bool or str, default=None
        Whether to request groups by metadata routing and rank each of them separately, or the name
        under which you pass them. Means over groups, such as "MAP@10", request them by default.
        First call `sklearn.set_config(enable_metadata_routing=True)`.
    sample_weight : bool or str, default=None
        The metadata request for sample weights, as in `set_score_request`.
    rank : bool, default=False
        Whether the output of `predict` may also rank the samples, as for a regressor, if
        `pos_label` is the larger label, or that of a `decision_function` that returns labels.
    response_method : {'auto', 'decision_function', 'predict_proba'}, default='auto'
        The method of the estimator whose output ranks the samples, or several, of which the first
        that it has is called. 'auto' prefers `decision_function`, as scikit-learn's scorers do, and
        `score_samples` of outlier detectors.
    **options
        Other parameters of the metric, such as `k`, `min_recall`, `ties`, `average` or `min_grade`.

    Returns
    -------
    scorer : callable
        A scorer of the kind that :func:`sklearn.metrics.make_scorer` returns.

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
    requests = {"groups": groups, "sample_weight": sample_weight}
    for name, request in requests.items():
        others.check_request("make_ap_scorer", name, request)
    if "n_positives" in options:
        raise TypeError(
            "n_positives cannot be an option of a scorer, because each fold has its own positives. "
            "If you have a fixed test set, call the function of the metric on its predictions, as "
            "in average_precision_score(y_true, y_score, n_positives=...)."
        )
    bound = binding.bind(metric, options, pos_label, "make_ap_scorer")
    scorer = RankingScorer(bound, pos_label, classes, rank, response_method)
    if bound.grouped and groups is None:
        requests["groups"] = True
    requests = {name: request for name, request in requests.items() if request is not None}
    if requests:
        if not sklearn.get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                f"{' and '.join(requests)} can reach a scorer only if metadata routing is enabled: "
                "first call sklearn.set_config(enable_metadata_routing=True)."
            )
        scorer.set_score_request(**requests)
    return scorer


class RankingScorer(SklearnScorer):  # type: ignore[misc]
    """A scorer of scikit-learn's type that gives beside others what it gives alone.

    Made by :func:`~sklearn_ap.make_ap_scorer`. In a dict of scorers, scikit-learn 1.5 to 1.9 keeps
    the predictions of the first scorer for all others that call the same method, whatever their
    `pos_label`. So a scorer of another class would get the scores of the wrong class, and hand
    those of its own to all others.
    """

    takes_all_metadata = True  # for `MultiScorer`

    def __init__(
        self, metric: Metric, pos_label: Any, classes: Any, rank: bool, response_method: Any
    ) -> None:
        positive = PositiveClass.of(pos_label, metric.all_options.get("min_grade"))
        if classes is not None:
            binding.check_taken(metric, "classes")
            classes = read_classes(classes, positive).copy()
            others.check_among_classes(classes.tolist(), pos_label)
        self.metric = metric
        self.pos_label = pos_label
        self.classes = classes
        self.rank = rank
        self.response_method = response_method
        self.requests: dict[str, bool | str] = {}
        self.reads_grades = positive.min_grade is not None or binding.reads_grades(metric.function)
        self.alone = self._made(**self._usual_arguments())
        self.__dict__.update(vars(self.alone))
        self.__name__ = name_in_logs(plain_name(metric))

    def _usual_arguments(self) -> dict[str, Any]:
        """Return the arguments for most estimators, and for tools that call the function itself."""
        is_usual = self.pos_label in (None, 1)
        arguments: dict[str, Any] = {} if is_usual else {"pos_label": self.pos_label}
        if self.reads_grades:
            # scikit-learn would look up the label among the grades. For a classifier of two grades,
            # it would then use the prediction scores of the higher grade.
            arguments["pos_label"] = None
        if self.classes is None:
            return arguments
        if self.classes.size > 2:
            arguments["pos_label"] = None  # which scikit-learn before 1.9 looks up nonetheless
        if self.classes.size > 2 and self.pos_label is not None:
            arguments["one_class"] = (self.pos_label, np.unique(self.classes).tolist())
        else:
            arguments["classes"] = self.classes
        return arguments

    def _made(self, methods: Sequence[str] = (), detects: bool = False, **arguments: Any) -> Any:
        """Make a scorer of scikit-learn that passes these arguments to the metric."""
        rule = self.metric.rule
        named = {"response_method": self.response_method}
        if self.pos_label is not None:
            named["pos_label"] = str(self.pos_label)  # also if it's 1, which a name leaves out
        score = NamedScore(
            binding.outlier_score if detects else binding.ranking_score,
            full_name(self.metric, **named),
            takes_labels=self.rank,
        )
        return make_scorer(
            score,
            response_method=methods or self._methods(),
            greater_is_better=rule.greater_is_better,
            metric=self.metric.function,
            is_mean=self.metric.grouped,
            **self.metric.all_options,
            **arguments,
        )

    def _methods(self) -> tuple[str, ...]:
        methods = self.response_method
        if isinstance(methods, str):
            methods = ("decision_function", "predict_proba") if methods == "auto" else (methods,)
        return (*methods, "predict") if self.rank else tuple(methods)

    @texts_alone()
    @wraps(SklearnScorer.__call__)
    def __call__(self, *args: Any, **params: Any) -> Any:
        if len(args) == 2 and "y_true" not in params:
            raise TypeError(
                "A scorer is called with an estimator, X and y_true. For labels and prediction "
                f"scores, call sklearn_ap.metric({in_python(self._named())})(y_true, y_score)."
            )
        return super().__call__(*args, **params)

    def _score(
        self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **params: Any
    ) -> float:
        """Evaluate the scorer. `method_caller` returns what another scorer has predicted, if any.

        With two classes, scikit-learn selects the scores of a class before it keeps them, and keeps
        them by the name of the method alone, so they could be those of the other class.
        This is the only private method of scikit-learn that this package knows. If a release
        doesn't call it, dicts of scorers with different classes are mixed up again.
        """
        made, predictor = self._of_estimator(estimator)
        if predictor is estimator and _can_share_predictions(estimator):
            value = made._score(method_caller, estimator, X, y_true, **params)
        else:
            value = made(predictor, X, y_true, **params)
        return value  # type: ignore[no-any-return]

    def _of_estimator(self, estimator: Any) -> tuple[Any, Any]:
        """Return the scorer of scikit-learn for an estimator, and the estimator as it needs it."""
        classes, made, predictor = classes_of(estimator), self.alone, estimator
        if classes is None and is_detector(estimator):
            is_auto = self.response_method == "auto"
            methods = ("score_samples", "decision_function") if is_auto else self._methods()
            made = self._made(("score_samples",), detects=True, pos_label=self.pos_label)
            return made, with_score_samples(estimator, methods)

        columns: list[int] = []  # of self.classes
        if self.classes is not None and (classes is not None or self.classes.size > 2):
            columns = others.class_columns(self.classes.tolist(), estimator)
            predictor = as_classifier(estimator)
        if self.reads_grades:
            return made, predictor
        if classes is None:
            self._check_ranks(estimator)
            if self.pos_label is not None and self.classes is None:  # of which column, is unknown
                made = self._made(pos_label=self.pos_label, one_class=(self.pos_label, None))
            return made, predictor
        label = 1 if self.pos_label is None else self.pos_label
        if len(classes) == 2 and label not in classes:
            self._refuse_label(label, estimator, classes)
        if len(classes) > 2:
            others.check_not_pairs(estimator, self._methods())
            if not is_classifier(estimator):
                predictor = as_classifier(estimator)
            if self.pos_label is None and self.classes is None:
                made = self._made(pos_label=None)  # of the classes in y_true
            elif self.pos_label is None:
                made = self._made(pos_label=None, classes=self.classes, columns=columns)
            elif label in classes:
                made = self._made(pos_label=None, one_class=(label, classes))
            else:
                self._refuse_label(label, estimator, classes)
        return made, predictor

    def _check_ranks(self, estimator: Any) -> None:
        """Check that an estimator without classes has a method whose output can rank samples."""
        has_method = any(hasattr(estimator, method) for method in self._methods())
        if hasattr(estimator, "predict") and not has_method:
            # in scikit-learn's words
            raise AttributeError(
                f"{type(estimator).__name__} has none of the following attributes: "
                f"{', '.join(self._methods())}. To rank the samples by predict, as of a regressor, "
                f"write {self.written(rank=True)}."
            )

    def _refuse_label(self, label: Any, estimator: Any, classes: Sequence[Any]) -> NoReturn:
        """Say that the positive class isn't one of the estimator, and what to write."""
        if self.pos_label is None:
            first, second = (self.written(pos_label=each) for each in classes)
            advice = f"Pass pos_label=, the positive class: write {first} or {second}."
        else:
            advice = (
                f"{type(estimator).__name__} was fitted on {classes}, maybe in a fold that lacks "
                f"{label!r}, which StratifiedKFold avoids. If something that calls it has encoded "
                "the labels, encode y yourself: 1 for the positive class, and 0."
            )
        # in scikit-learn's words
        raise ValueError(
            f"pos_label={label} is not a valid label: It should be one of {np.asarray(classes)}. "
            f"{advice}"
        )

    def set_score_request(self, **requests: Any) -> Self:
        """Set metadata requests, and keep those of earlier calls, which scikit-learn forgets."""
        _check_request_names(requests, self.metric)
        requests = self.requests | requests
        super().set_score_request(**requests)
        self.requests = {name: alias for name, alias in requests.items() if alias is not None}
        return self

    def _call(self) -> dict[str, Any]:
        """Return what `make_ap_scorer` gets for this scorer, besides the metric."""
        said = {} if isinstance(self.metric.rule, OfGroup) else self.metric.all_options
        own: dict[str, Any] = {"pos_label": self.pos_label, "classes": self.classes}
        own["rank"] = self.rank or None
        own["response_method"] = None if self.response_method == "auto" else self.response_method
        own |= self.requests
        if self.metric.grouped and own.get("groups") is True:
            del own["groups"]
        return said | {name: value for name, value in own.items() if value is not None}

    def written(self, **options: Any) -> str:
        """Write the call that makes this scorer, or one with other options."""
        texts = [f"{name}={in_python(value)}" for name, value in (self._call() | options).items()]
        return f"make_ap_scorer({', '.join([in_python(self._named()), *texts])})"

    def _named(self) -> str | Metric:
        """Return the name of the metric without its options, or a function of groups."""
        if isinstance(self.metric.rule, OfGroup):
            return self.metric
        is_mean = self.metric.grouped and self.metric.function != MAP
        return f"mean_{self.metric.function}" if is_mean else self.metric.function

    def __repr__(self) -> str:
        return self.written()

    def __getstate__(self) -> dict[str, Any]:
        """Return a call of public functions, so that saved files contain no private name."""
        if not isinstance(rule := self.metric.rule, OfGroup):
            return {"metric": self._named(), "arguments": self._call()}
        of_function: dict[str, Any] = {"name": rule.called, "limits": rule.limits}
        of_function["greater_is_better"] = rule.greater_is_better
        arguments = self._call() | self.metric.of_data
        return {"metric": rule.function, "function": of_function, "arguments": arguments}

    def __setstate__(self, state: dict[str, Any]) -> None:
        definition = state["metric"]
        if "function" in state:
            definition = metrics.metric(definition, **state["function"])
        with config_context(enable_metadata_routing=True):
            made: Any = make_ap_scorer(definition, **state["arguments"])
            self.__dict__.update(vars(made))
            if made.requests:
                self.set_score_request(**made.requests)  # of this scorer


def _check_request_names(requests: Mapping[str, Any], metric: Metric) -> None:
    """Check that metadata have the names of parameters of the metric."""
    known = {*SHARED, "sample_weight"}
    if not isinstance(metric.rule, OfGroup):
        known = {*signature(score_of(metric.function)).parameters} - {"y_true", "y_score", "data"}
    for name in requests:
        if name not in known:
            raise TypeError(
                f"Unexpected args: {{{name!r}}} in set_score_request. The metric has no parameter "
                f"{name!r}.{meant_by(name, known)}"
            )


def _can_share_predictions(estimator: Any) -> bool:
    """Whether scikit-learn keeps all columns that an estimator predicts, not those of a class."""
    classes = classes_of(estimator)
    return classes is None or len(classes) > 2


# --- metrics as scorers -------------------------------------------------------------------------


def score_estimator(metric: Any, estimator: Any, X: Any, y_true: Any, **options: Any) -> Any:
    """Evaluate a metric function or a `Metric` as the scorer of it, for `scoring=`.

    What scikit-learn passes to scorers, weights and groups, belongs to the call. All other options
    are those of the scorer, and come from `functools.partial`.
    """
    data = {name: options.pop(name) for name in _REQUESTS if options.get(name) is not None}
    scorer = scorer_of_metric(metric, **options)
    return scorer(estimator, X, y_true, **data)


def scorer_of_metric(metric: Any, **options: Any) -> RankingScorer:
    """Make the scorer of a metric function, with its own defaults, or of a `Metric`."""
    if isinstance(metric, Metric):
        return make_ap_scorer(metric, **options)
    name = metric.__name__.removesuffix("_score")
    k = signature(metric).parameters.get("k")
    if k is not None and k.default is not None:
        options = {"k": k.default} | options
    if name == MAP and not sklearn.get_config()["enable_metadata_routing"]:
        raise RuntimeError(
            f"{metric.__name__} as scoring= needs the groups of the samples, which reach a scorer "
            "by metadata routing only: first call sklearn.set_config(enable_metadata_routing=True)."
            f" Then pass scoring={_written_call(name, options)}, and groups to fit, or params= of "
            "cross_validate."
        )
    return make_ap_scorer(name, **options)


def _written_call(name: str, options: Mapping[str, Any]) -> str:
    texts = [repr(name), *(f"{option}={in_python(value)}" for option, value in options.items())]
    return f"make_ap_scorer({', '.join(texts)})"


def requests_of_metric(metric: Any) -> metadata_routing.MetadataRequest:
    """Return the metadata requests of the scorer of a metric."""
    return metadata_routing.get_routing_for_object(scorer_of_metric(metric))


def is_metric_function(scoring: Any) -> bool:
    """Whether this is the function of one of our metrics."""
    name = getattr(scoring, "__name__", "")
    return callable(scoring) and getattr(metrics, name, None) is scoring and name.endswith("_score")


# --- several ------------------------------------------------------------------------------------


@public(unchecked=SHARED)  # which `make_ap_scorer` checks
def make_multi_scorer(
    scorers: Sequence[str | Metric | Scorer] | Mapping[str, str | Metric | Scorer],
    *,
    error_score: float | str = nan,
    **options: Any,
) -> MultiScorer:
    """Combine several scorers into one, for `scoring=` of searches and `cross_validate`.

    It predicts once for all of them, and each gets the scores of its own positive class.
    scikit-learn doesn't tell a callable the `error_score` of a search, so pass it here.

    Parameters
    ----------
    scorers : list or dict
        Names for :func:`get_scorer`, objects made by :func:`metric`, or scorers. In a list, the
        results of names are called as you typed them, such as "P@1%". A dict names the results.
    error_score : float or 'raise', default=nan
        The value of a scorer that fails. 'raise' raises its error.
    **options
        Parameters of :func:`make_ap_scorer` and of metrics, such as `pos_label` or `k`, which apply
        to all metrics of this package that accept them.

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
    scorings = _scorings_of(scorers)
    if isinstance(error_score, str) and error_score != "raise":
        raise ValueError(f"error_score must be a number or 'raise'. Got {error_score!r} instead.")
    requests = {name: options.pop(name) for name in _REQUESTS if options.get(name) is not None}
    for name, request in requests.items():
        others.check_request("make_multi_scorer", name, request)
    _check_option_names(options)
    _check_same_class(scorings, options.get("pos_label"))
    taken = {name: _options_taken(scoring, options) for name, scoring in scorings.items()}
    made: dict[str, Scorer] = {}
    for name, scoring in scorings.items():
        made[name] = get_scorer(scoring, **taken[name])
    for option in options:
        if not any(option in taken_options for taken_options in taken.values()):
            raise TypeError(
                f"None of the scorers {', '.join(scorings)} takes the option {option}, or its name "
                "or metric() already contains it. Leave it out."
            )
    of_sklearn = {name: each for name, each in scorings.items() if _is_name_of_sklearn(each)}
    several = MultiScorer(made, error_score, of_sklearn)
    return several.set_score_request(**requests) if requests else several


def _scorings_of(scorers: Any) -> dict[str, Any]:
    """Return scorers by the names of their results."""
    if isinstance(scorers, str) or not isinstance(scorers, Sequence | Mapping):
        raise TypeError(
            "make_multi_scorer needs a list of names or scorers, or a dict, but got "
            f"{shown(scorers)}. Write make_multi_scorer(['AP', 'P@1%'])."
        )
    each = scorers.values() if isinstance(scorers, Mapping) else scorers
    if not scorers:
        raise ValueError(
            "make_multi_scorer needs at least one scorer, as in make_multi_scorer(['AP'])."
        )
    if any(isinstance(scorer, MultiScorer) for scorer in each):
        raise TypeError(
            "make_multi_scorer can't contain a scorer of several metrics. Pass its scorers, "
            "as in make_multi_scorer(scorer.scorers)."
        )
    if isinstance(scorers, Mapping):
        for name in scorers:
            if not isinstance(name, str):
                raise TypeError(f"The names of scorers must be strings. Got {shown(name)} instead.")
        return dict(scorers)
    named = {}
    for scorer in scorers:
        # What was typed, or the name of a scorer or metric
        name = scorer if isinstance(scorer, str) else getattr(scorer, "__name__", None)
        if not name:
            raise TypeError(
                f"{shown(scorer)} has no name, so pass a dict, as in "
                "make_multi_scorer({'name': ...})."
            )
        if name in named:
            raise ValueError(
                f"Two scorers are called {name!r}. Pass a dict, which names them: "
                "make_multi_scorer({'name': ...})."
            )
        named[name] = scorer
    return named


def _options_of(metric: str) -> set[str]:
    """Return the options of the scorer of a metric."""
    of_metric = {*signature(score_of(metric)).parameters} - {"y_true", "y_score", *NOT_BOUND}
    return of_metric | {*signature(make_ap_scorer).parameters} - {"metric", "options"}


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


def _check_option_names(options: Mapping[str, Any]) -> None:
    """Check that keywords are options, neither misspelled nor scorers nor data."""
    known = set().union(*(_options_of(metric) for metric in _METRICS))
    for name, value in options.items():
        if name in known and not callable(value):
            continue
        why = meant_by(name, known) or why_without("make_multi_scorer", [name])
        if name in NOT_BOUND:
            why = " It belongs to the data."
        is_scorer = callable(value) or isinstance(value, str)
        if is_scorer and not why:
            why = f" Pass scorers in a dict, as in make_multi_scorer({{{name!r}: {shown(value)}}})."
        raise TypeError(
            f"make_multi_scorer got {name}={shown(value)}, which is not an option of a metric.{why}"
        )


def _is_name_of_sklearn(scoring: Any) -> bool:
    """Whether this is the name of a scorer that only scikit-learn has."""
    is_name = isinstance(scoring, str) and find(scoring) is None
    return is_name and scoring in sklearn.metrics.get_scorer_names()


_REQUESTS = "groups", "sample_weight"
_METRICS = {MAP, *(kind.metric for kind in RULES if kind.metric)}


def _check_same_class(scorings: Mapping[str, Any], pos_label: Any) -> None:
    """Refuse a positive class beside scorers of scikit-learn that would evaluate the class 1."""
    of_class_1 = read_toml("_words/messages.toml")["of_class_1"]
    for scoring in scorings.values():
        if pos_label not in (None, 1) and isinstance(scoring, str) and scoring in of_class_1:
            raise ValueError(
                f"pos_label={pos_label!r} doesn't reach scikit-learn's scorer {scoring!r}, which "
                f"evaluates the class 1. Pass a dict with {scoring!r}: make_scorer("
                f"{of_class_1[scoring]}, pos_label={pos_label!r}) of sklearn.metrics."
            )


class MultiScorer:
    """Callable that evaluates several scorers; made by `make_multi_scorer`."""

    takes_all_metadata = True

    def __init__(
        self, scorers: dict[str, Scorer], error_score: float | str, of_sklearn: dict[str, str]
    ) -> None:
        self.scorers = scorers
        self.error_score = error_score
        self.of_sklearn = of_sklearn  # names of scorers, whose own reprs aren't all Python
        self.__name__ = name_in_logs("_and_".join(scorers))

    def __call__(
        self, estimator: Any, X: Any, y_true: Any = None, sample_weight: Any = None, **params: Any
    ) -> dict[str, float]:
        if sample_weight is not None:
            params["sample_weight"] = sample_weight
        params_of: dict[str, Any] = {}  # what each scorer gets
        if sklearn.get_config()["enable_metadata_routing"]:
            routed = metadata_routing.process_routing(self, "score", **params)
            params_of = {name: routed[name].score for name in self.scorers}
        else:
            for name, scorer in self.scorers.items():
                params_of[name] = others.params_taken(name, scorer, params)
        data = (X,) if y_true is None else (X, y_true)
        once = predicting_once(estimator)
        scores = {}
        for name, scorer in self.scorers.items():
            model = once if isinstance(scorer, SklearnScorer) else estimator
            try:
                scores[name] = scorer(model, *data, **params_of[name])
            except Exception:
                if self.error_score == "raise":
                    raise
                # in scikit-learn's words
                warn(
                    "Scoring failed. The score on this train-test partition for these parameters "
                    f"will be set to {self.error_score}. Details: \n{format_exc()}"
                )
                scores[name] = self.error_score
        return scores

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Request metadata for all scorers that accept it, and keep all other requests.

        Scorers of this package accept all metadata, and other scorers only weights.
        """
        requested = set()
        for name, scorer in self.scorers.items():
            of_scorer = {}
            if getattr(scorer, "takes_all_metadata", False):
                of_scorer = requests
            elif "sample_weight" in requests and others.takes_weight(scorer):
                of_scorer = {"sample_weight": requests["sample_weight"]}
            if of_scorer and hasattr(scorer, "set_score_request"):
                # The caller's scorer keeps its request.
                copied: Any = deepcopy(scorer)
                self.scorers[name] = copied.set_score_request(**requests_of(scorer) | of_scorer)
                requested |= {*of_scorer}
        lacking = {*requests} - requested
        if lacking:
            raise TypeError(
                f"None of the scorers {', '.join(self.scorers)} takes {', '.join(sorted(lacking))}."
            )
        return self

    @property
    def _score_func(self) -> NoReturn:
        one = next(iter(self.scorers))
        raise TypeError(
            "A scorer of several metrics can't be used where a single value is needed, as in "
            "LogisticRegressionCV. Pass one of its scorers, as in "
            f"scoring=scorer.scorers[{one!r}]. {binding.IF_TUNED}"
        )

    def __repr__(self) -> str:
        error_score = in_python(self.error_score)
        besides = "" if error_score == "float('nan')" else f", error_score={error_score}"
        return f"make_multi_scorer({self.scorers | self.of_sklearn}{besides})"

    def get_metadata_routing(self) -> metadata_routing.MetadataRouter:
        # scikit-learn checks the requests of scorers in a callable only when it scores, and makes
        # nan of the error. It checks those of the callable itself before it fits anything.
        own = metadata_routing.MetadataRequest(owner=self)
        for scorer in self.scorers.values():
            requests = metadata_routing.get_routing_for_object(scorer).score.requests
            for name in [name for name, alias in requests.items() if alias is None]:
                own.score.add_request(param=name, alias=None)
        return (
            metadata_routing.MetadataRouter(owner=self)
            .add_self_request(own)
            .add(
                **self.scorers,
                method_mapping=metadata_routing.MethodMapping().add(caller="score", callee="score"),
            )
        )


MultiScorer.__signature__ = others.without_params(MultiScorer.__call__)  # type: ignore[attr-defined]


# --- names -------------------------------------------------------------------------------------


@public(metric="scoring", unchecked=SHARED)  # which `make_ap_scorer` checks
def get_scorer(scoring: str | Metric | Scorer, **options: Any) -> NamedScorer:
    """Get a scorer by its name.

    Parameters
    ----------
    scoring : str, Metric or callable
        A name from :func:`get_scorer_names` with any number, such as "precision_at_1%", a metric
        that :func:`make_ap_scorer` accepts, or the name of a scorer of scikit-learn. A callable is
        returned unchanged.
    **options
        Parameters of :func:`make_ap_scorer`. Other scorers don't accept options.

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
    if is_metric_function(scoring):
        return scorer_of_metric(scoring, **options)
    if isinstance(scoring, OfGroup):  # which a `Metric` of a function is unpacked into
        return make_ap_scorer(scoring, **options)
    if isinstance(scoring, str):
        if find(scoring):
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
            f"Only names of metrics in this package accept options, but {', '.join(options)} was "
            f"passed with {scorer!r}, which is a scorer already. Pass them where it is made, to "
            "make_ap_scorer or to sklearn.metrics.make_scorer. In make_multi_scorer, options apply "
            "to the metrics of this package only."
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
