"""Scorers of one metric, of the type that `sklearn.metrics.make_scorer` returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Any, Literal, NoReturn, Self

import numpy as np
import sklearn
import sklearn.metrics
from numpy.typing import ArrayLike
from sklearn import config_context
from sklearn.metrics import make_scorer

from .. import metrics
from .._enter.entry import public
from .._enter.metric import Metric, write_full_name, write_log_name, write_plain_name
from .._evaluate.predictors import (
    as_classifier,
    as_detector,
    is_classifier,
    is_detector,
    list_classes,
    unwrap_estimator,
)
from .._inputs.metric_names import MAP
from .._inputs.records import PositiveClass
from .._read.class_columns import read_classes
from .._words.parameters import suggest_option
from .._words.refusals import TextErrors
from ..core.numbering import Name
from ..core.rules import GroupFunction
from .binding import bind_metric, check_has_parameter
from .metadata_requests import check_request
from .score_functions import ScoreFunction
from .scorer_types import SklearnScorer, format_as_code

Response = Literal["auto", "decision_function", "predict_proba"]


def find_class_columns(classes: Sequence[Name], estimator: Any) -> list[int]:
    """Return the column of each class in the prediction scores of an estimator.

    Check that these are the classes of the estimator.
    """
    columns = list_classes(estimator)
    if columns is None:
        raise ValueError(
            "A scorer with classes= looks up their columns in the estimator's classes_, but "
            f"{estimator!r} has none. Fit the estimator. If it is fitted, set its classes_ to the "
            "classes in the order of the columns of its prediction scores."
        )
    if {*classes} != {*columns}:
        raise ValueError(
            f"classes={[*classes]} must be the classes that the estimator was fitted on, in any "
            f"order, which are {columns}. Pass those, or fit it on samples of all classes, as in "
            "folds of StratifiedKFold."
        )
    return [columns.index(label) for label in classes]


def check_pos_label_in_classes(classes: Sequence[Name], pos_label: Any) -> None:
    """Check that classes contain the positive one, which must be named if there are two."""
    if pos_label is not None and pos_label not in classes:
        raise ValueError(f"pos_label={pos_label!r} is not one of the classes {[*classes]}.")
    if pos_label is None and len(classes) == 2 and 1 not in classes:
        first, second = classes
        raise ValueError(
            f"Neither of the classes {[*classes]} is 1, so the scorer can't tell which one is "
            f"positive. Pass pos_label={first!r} or pos_label={second!r}."
        )


def check_columns_rank_classes(estimator: Any, methods: Sequence[str]) -> None:
    """Refuse the margins of a support vector machine that has one for each pair of classes."""
    method = next((method for method in methods if hasattr(estimator, method)), None)
    classifier = unwrap_estimator(estimator)
    is_of_pairs = getattr(classifier, "decision_function_shape", None) == "ovo"
    if is_of_pairs and method == "decision_function":
        raise ValueError(
            f"{type(classifier).__name__} has decision_function_shape='ovo', so its "
            "columns are pairs of classes, which rank no class. Use 'ovr'."
        )


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
        that it has is called. 'auto' prefers `decision_function`, as scikit-learn's scorer of
        average precision does, and `score_samples` of outlier detectors.
    **options
        Other parameters of the metric, such as `k`, `min_recall`, `ties`, `average` or `min_grade`.

    Returns
    -------
    scorer : callable
        A scorer of the kind that :func:`sklearn.metrics.make_scorer` returns.

    See Also
    --------
    get_scorer : Read the options from a name.
    make_multi_scorer

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
        check_request("make_ap_scorer", name, request)
    if "n_positives" in options:
        raise TypeError(
            "n_positives cannot be an option of a scorer, because each fold has its own positives. "
            "If you have a fixed test set, call the function of the metric on its predictions, as "
            "in average_precision_score(y_true, y_score, n_positives=...)."
        )
    bound = bind_metric(metric, options, pos_label, "make_ap_scorer")
    scorer = RankingScorer(bound, pos_label, classes, rank, response_method)
    if bound.is_mean and groups is None:
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

    can_take_all_metadata = True  # for `MultiScorer`

    def __init__(
        self, metric: Metric, pos_label: Any, classes: Any, rank: bool, response_method: Any
    ) -> None:
        positive = PositiveClass.of(pos_label, metric.options.get("min_grade"))
        if classes is not None:
            check_has_parameter(metric, "classes")
            classes = read_classes(classes, positive).copy()
            check_pos_label_in_classes(classes.tolist(), pos_label)
        self.metric = metric
        self.pos_label = pos_label
        self.classes = classes
        self.rank = rank
        self.response_method = response_method
        self.requests: dict[str, bool | str] = {}
        self.usual_scorer = self._make_scorer(**self._choose_usual_arguments())
        self.__dict__.update(vars(self.usual_scorer))
        self.__name__ = write_log_name(write_plain_name(metric))

    def _choose_usual_arguments(self) -> dict[str, Any]:
        """Return the arguments for most estimators, and for tools that call the function itself."""
        is_usual = self.pos_label in (None, 1)
        arguments: dict[str, Any] = {} if is_usual else {"pos_label": self.pos_label}
        if self.metric.is_graded:
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

    def _make_scorer(
        self, methods: Sequence[str] = (), is_for_detector: bool = False, **arguments: Any
    ) -> Any:
        """Make a scorer of scikit-learn that passes these arguments on with what is predicted."""
        named = {"response_method": self.response_method}
        if self.pos_label is not None:
            named["pos_label"] = str(self.pos_label)  # also if it's 1, which a name leaves out
        name = write_full_name(self.metric, **named)
        return make_scorer(
            ScoreFunction(self.metric, name, self.rank, is_for_detector),
            response_method=methods or self._list_methods(),
            greater_is_better=self.metric.greater_is_better,
            **arguments,
        )

    def _list_methods(self) -> tuple[str, ...]:
        methods = self.response_method
        if isinstance(methods, str):
            methods = ("decision_function", "predict_proba") if methods == "auto" else (methods,)
        return (*methods, "predict") if self.rank else tuple(methods)

    @TextErrors()
    @wraps(SklearnScorer.__call__)
    def __call__(self, *args: Any, **params: Any) -> Any:
        if len(args) == 2 and "y_true" not in params:
            raise TypeError(
                "A scorer is called with an estimator, X and y_true. For labels and prediction "
                f"scores, call sklearn_ap.{self.metric!r}(y_true, y_score)."
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
        scorer, predictor = self._adapt_to_estimator(estimator)
        if predictor is estimator and _can_share_predictions(estimator):
            value = scorer._score(method_caller, estimator, X, y_true, **params)
        else:
            value = scorer(predictor, X, y_true, **params)
        return value  # type: ignore[no-any-return]

    def _adapt_to_estimator(self, estimator: Any) -> tuple[Any, Any]:
        """Return the scorer of scikit-learn for an estimator, and the estimator as it needs it."""
        classes = list_classes(estimator)
        if classes is None and is_detector(estimator):
            return self._adapt_to_detector(estimator)
        predictor = estimator
        columns: list[int] = []  # of self.classes
        if self.classes is not None and (classes is not None or self.classes.size > 2):
            columns = find_class_columns(self.classes.tolist(), estimator)
            predictor = as_classifier(estimator)
        if self.metric.is_graded:
            return self.usual_scorer, predictor
        if classes is None:
            return self._choose_scorer_without_classes(estimator), predictor
        label = 1 if self.pos_label is None else self.pos_label
        if len(classes) == 2 and label not in classes:
            self._refuse_label(label, estimator, classes)
        if len(classes) <= 2:
            return self.usual_scorer, predictor
        check_columns_rank_classes(estimator, self._list_methods())
        if not is_classifier(estimator):
            predictor = as_classifier(estimator)
        if self.pos_label is None and self.classes is None:
            scorer = self._make_scorer(pos_label=None)  # of the classes in y_true
        elif self.pos_label is None:
            scorer = self._make_scorer(pos_label=None, classes=self.classes, columns=columns)
        elif label in classes:
            scorer = self._make_scorer(pos_label=None, one_class=(label, classes))
        else:
            self._refuse_label(label, estimator, classes)
        return scorer, predictor

    def _adapt_to_detector(self, detector: Any) -> tuple[Any, Any]:
        methods = self._list_methods()
        if self.response_method == "auto":
            methods = ("score_samples", "decision_function")
        scorer = self._make_scorer(
            ("score_samples",), is_for_detector=True, pos_label=self.pos_label
        )
        return scorer, as_detector(detector, methods)

    def _choose_scorer_without_classes(self, estimator: Any) -> Any:
        self._check_ranks(estimator)
        if self.pos_label is None or self.classes is not None:
            return self.usual_scorer
        # Nobody knows which column is that of the class.
        return self._make_scorer(pos_label=self.pos_label, one_class=(self.pos_label, None))

    def _check_ranks(self, estimator: Any) -> None:
        """Check that an estimator without classes has a method whose output can rank samples."""
        methods = self._list_methods()
        has_method = any(hasattr(estimator, method) for method in methods)
        if hasattr(estimator, "predict") and not has_method:
            # in scikit-learn's words
            raise AttributeError(
                f"{type(estimator).__name__} has none of the following attributes: "
                f"{', '.join(methods)}. To rank the samples by predict, as of a regressor, "
                f"write {self.write_call(rank=True)}."
            )

    def _refuse_label(self, label: Any, estimator: Any, classes: Sequence[Any]) -> NoReturn:
        """Say that the positive class isn't one of the estimator, and what to write."""
        # in scikit-learn's words
        invalid = (
            f"pos_label={label} is not a valid label: It should be one of {np.asarray(classes)}."
        )
        if self.pos_label is None:
            calls = [self.write_call(pos_label=each) for each in classes]
            # A search shows this ten times below tracebacks, where only a short line is found.
            raise ValueError(
                "Pass pos_label=, the class to rank first, when you make the scorer.\n"
                f"{invalid} Write {' or '.join(calls)}."
            )
        raise ValueError(
            f"{invalid} {type(estimator).__name__} was fitted on {classes}, maybe in a fold that "
            f"lacks {label!r}, which StratifiedKFold avoids. If something that calls it has "
            "encoded the labels, encode y yourself: 1 for the positive class, and 0."
        )

    def set_score_request(self, **requests: Any) -> Self:
        """Set metadata requests, and keep those of earlier calls, which scikit-learn forgets."""
        _check_request_names(requests, self.metric)
        requests = self.requests | requests
        super().set_score_request(**requests)
        self.requests = requests
        return self

    def _list_arguments(self) -> dict[str, Any]:
        """Return what `make_ap_scorer` gets for this scorer, besides the metric."""
        options = {} if isinstance(self.metric.rule, GroupFunction) else self.metric.all_options
        own: dict[str, Any] = {"pos_label": self.pos_label, "classes": self.classes}
        own["rank"] = self.rank or None
        own["response_method"] = None if self.response_method == "auto" else self.response_method
        own |= self.requests
        if self.metric.is_mean and own.get("groups") is True:
            del own["groups"]
        return options | {name: value for name, value in own.items() if value is not None}

    def write_call(self, **options: Any) -> str:
        """Write the call that makes this scorer, or one with other options."""
        texts = [format_as_code(self._find_definition())]
        for name, value in (self._list_arguments() | options).items():
            texts.append(f"{name}={format_as_code(value)}")
        return f"make_ap_scorer({', '.join(texts)})"

    def _find_definition(self) -> str | Metric:
        """Return the name of the metric without its options, or a function of groups."""
        if isinstance(self.metric.rule, GroupFunction):
            return self.metric
        is_mean = self.metric.is_mean and self.metric.function != MAP
        return f"mean_{self.metric.function}" if is_mean else self.metric.function

    def __repr__(self) -> str:
        return self.write_call()

    def __getstate__(self) -> dict[str, Any]:
        """Return a call of public functions, so that saved files contain no private name."""
        if not isinstance(rule := self.metric.rule, GroupFunction):
            return {"metric": self._find_definition(), "arguments": self._list_arguments()}
        of_function: dict[str, Any] = {"name": rule.called, "limits": rule.limits}
        of_function["greater_is_better"] = rule.greater_is_better
        arguments = self._list_arguments() | self.metric.of_data
        return {"metric": rule.function, "function": of_function, "arguments": arguments}

    def __setstate__(self, state: dict[str, Any]) -> None:
        definition = state["metric"]
        if "function" in state:
            definition = metrics.metric(definition, **state["function"])
        with config_context(enable_metadata_routing=True):
            self.__dict__.update(vars(make_ap_scorer(definition, **state["arguments"])))


def _check_request_names(requests: Mapping[str, Any], metric: Metric) -> None:
    """Check that metadata have the names of parameters of the metric."""
    known = {*signature(metric).parameters} - {"y_true", "y_score", "data", "rule"}
    for name in requests:
        if name not in known:
            raise TypeError(
                f"Unexpected args: {{{name!r}}} in set_score_request. The metric has no parameter "
                f"{name!r}.{suggest_option(name, known)}"
            )


def _can_share_predictions(estimator: Any) -> bool:
    """Whether scikit-learn keeps all columns that an estimator predicts, not those of a class."""
    classes = list_classes(estimator)
    return classes is None or len(classes) > 2


RankingScorer.__module__ = "sklearn_ap.scorers"  # where users find it
