"""Scorers for `scoring=`, of the type that `sklearn.metrics.make_scorer` returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import sklearn.metrics
from sklearn import config_context, get_config  # type: ignore[attr-defined]
from sklearn.base import is_outlier_detector
from sklearn.metrics import make_scorer

from ._core import Array, Metric, check, list_names, parse_name, read_column_or_matrix, write_call
from ._core import metric as make_metric
from .exceptions import UnknownMetricError

__all__ = ["get_scorer", "get_scorer_names", "make_ap_scorer"]

# scikit-learn has no public name for the class of its scorers. Of what is private in it, this
# module relies on the constructor and on `_score`, which scorers call in all releases from 1.5 on.
_SklearnScorer: Any = type(make_scorer(sklearn.metrics.accuracy_score))

_USUAL_METHODS = ("decision_function", "predict_proba")

# What a metric may know of the data, but not a scorer
_REFUSED = ("n_positives", "groups", "sample_weight", "classes", "data")


def make_ap_scorer(
    metric: str | Metric | Callable[..., float] = "average_precision",
    *,
    pos_label: float | bool | str | None = None,
    response_method: str | Sequence[str] = "auto",
    **options: Any,
) -> RankingScorer:
    """Make a scorer from a metric, for classifiers, rankers and outlier detectors.

    Read more in :doc:`Scorers </scorers>`.

    Parameters
    ----------
    metric : str, Metric or callable, default="average_precision"
        The name of a metric, such as "precision_at_1%", or what :func:`metric` accepts or returns.
    pos_label : int, float, bool or str, default=None
        The positive class; with several classes, it's ranked against all others. None means 1, the
        outliers of a detector, or the mean over more than two classes.
    response_method : str or list of str, default="auto"
        The method whose output ranks the samples, or several methods, of which the first one that
        the estimator has is called. "auto" is `decision_function`, else `predict_proba`, and for
        outlier detectors `score_samples`. Pass "predict" for regressors.
    **options
        Other parameters of the metric, such as `k` or `min_grade`.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y)`` returns the value; higher is better.

    See Also
    --------
    get_scorer : A scorer by its name.
    metric : A metric with its options, for functions.
    compare_folds : Compare the candidates of a search.

    Examples
    --------
    >>> from sklearn_ap import make_ap_scorer
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = make_ap_scorer("precision_at_10%", pos_label=0)
    >>> cross_val_score(KNeighborsClassifier(), X, y, scoring=scorer)
    array([0.962..., 1.        , 1.        , 1.        , 0.969...])
    """
    definition = make_metric(metric, **options)
    for name in _REFUSED:
        if name in definition._data_options:
            raise TypeError(
                f"{name} can't be an option of a scorer, because each fold has its own. For groups "
                "and weights, call set_score_request."
            )
    # Which class a metric ranks first decides which column of scores is read.
    definition, pos_label = definition._split_label(pos_label)
    scorer = RankingScorer(definition, pos_label, response_method)
    if definition._is_mean:  # scikit-learn says that this needs metadata routing.
        scorer.set_score_request(groups=True)
    return scorer


class RankingScorer(_SklearnScorer):  # type: ignore[misc]
    """A scorer of one metric; made by :func:`make_ap_scorer`.

    It reads the column of its class itself. scikit-learn keeps the predictions of the first scorer
    in a dict for all others that call the same method, whatever their class, so it would mix up
    scorers of different classes.
    """

    def __init__(
        self, metric: Metric, pos_label: Any, response_method: str | Sequence[str]
    ) -> None:
        self.metric = metric
        self.pos_label = pos_label
        self.positive = 1 if pos_label is None else pos_label
        self.response_method = response_method
        self.requests: dict[str, bool | str] = {}
        self.reads_grades = metric._reads_grades(pos_label)
        if self.reads_grades and pos_label is not None:
            raise ValueError(f"{metric.name} reads grades: leave out pos_label.")
        check(response_method=response_method)
        if pos_label is not None:
            check(pos_label=pos_label)
        methods = _USUAL_METHODS if response_method == "auto" else response_method
        self.methods = (methods,) if isinstance(methods, str) else tuple(methods)
        self.sign = 1 if metric._rule.greater_is_better else -1
        function = _WeightedFunction if metric._rule.takes_weights else _ScoreFunction
        super().__init__(function(metric.name), self.sign, {}, self.methods)
        self.__name__ = metric.name

    def _score(self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **data: Any) -> float:
        value: float = self.metric(**self.find_scores(estimator, X, y_true), **data)
        return self.sign * value

    def find_scores(self, estimator: Any, X: Any, y_true: Any) -> dict[str, Any]:
        """Return the labels, the scores, and which class or classes they belong to."""
        fitted_classes: Any = getattr(estimator, "classes_", None)
        is_detector = fitted_classes is None and _is_detector(estimator)
        methods = self.methods
        if is_detector and self.response_method == "auto":
            methods = ("score_samples", "decision_function")
        method = next((each for each in methods if hasattr(estimator, each)), None)
        if method is None:
            raise AttributeError(
                f"{type(estimator).__name__} has none of the following attributes: "
                f"{', '.join(methods)}. To rank by the values of a regressor, pass "
                'response_method="predict".'
            )
        scores = getattr(estimator, method)(X)
        if np.ndim(y_true) == 2 and np.shape(y_true)[1] > 1:
            if isinstance(scores, list):  # predict_proba returned a matrix for each label
                pairs = zip(map(np.asarray, scores), map(np.asarray, fitted_classes), strict=True)
                columns = [_select_column(output, labels.tolist(), 1) for output, labels in pairs]
                scores = np.column_stack(columns)
            return {"y_true": y_true, "y_score": np.asarray(scores), "pos_label": self.positive}
        scores = np.asarray(scores, dtype=float if is_detector else None)
        if is_detector and not _is_of_pyod(estimator):
            scores = -scores  # scikit-learn's detectors give inliers high scores.
        if fitted_classes is not None:
            classes = np.asarray(fitted_classes).tolist()
            _check_columns(estimator, method, scores, classes)
            return self._find_class_scores(y_true, scores, classes)
        if self.reads_grades:
            return {"y_true": y_true, "y_score": scores}
        if is_detector:
            return self._find_outlier_scores(y_true, scores)
        if max({self.positive, *np.unique(y_true).tolist()}) != self.positive:
            raise ValueError(
                "The estimator has no classes_, so it must give high values to the largest label, "
                f"which pos_label={self.positive!r} isn't."
            )
        return {"y_true": y_true, "y_score": scores, "pos_label": self.positive}

    def _find_class_scores(self, y_true: Any, scores: Array, classes: list[Any]) -> dict[str, Any]:
        """Return the scores of the positive class, those of grades, or those of all classes."""
        if self.reads_grades:
            if len(classes) > 2:
                raise ValueError(
                    f"The estimator has a column for each of the grades {classes}, but grades need "
                    "one score for each sample, such as that of a regressor."
                )
            return {"y_true": y_true, "y_score": _select_column(scores, classes, max(classes))}
        if self.pos_label is None and len(classes) > 2:
            return {"y_true": y_true, "y_score": scores, "classes": classes}
        label = self.positive
        if label not in classes:
            raise ValueError(
                f"pos_label={label!r} is not a valid label: It should be one of {classes}, which "
                "the estimator was fitted on. Pass pos_label= to make_ap_scorer, or stratify folds."
            )
        column = _select_column(scores, classes, label)
        labels = read_column_or_matrix(y_true, "y_true")
        if self.pos_label is None:
            others = {*labels.ravel().tolist()} - {*classes}  # Missing labels can't be sorted.
            if others:
                raise ValueError(
                    f"y_true has the classes {sorted(others, key=str)}, but the estimator was "
                    f"fitted on {classes} only. Stratify the folds, or pass pos_label=."
                )
            return {"y_true": y_true, "y_score": column}
        if len(classes) > 2:
            return {"y_true": labels == label, "y_score": column}
        return {"y_true": y_true, "y_score": column, "pos_label": label}

    def _find_outlier_scores(self, y_true: Any, outlying: Array) -> dict[str, Any]:
        """Return the scores of a detector, from the side that the positive label names."""
        labels = {*np.unique(y_true).tolist(), self.pos_label} - {None}
        if labels == {1} or not (labels <= {-1, 1} or labels <= {0, 1}):
            raise ValueError(
                "Labels of an outlier detector must be -1 for outliers and 1, or 1 for outliers "
                f"and 0. Got {sorted(labels, key=str)}, which don't tell which are the outliers: "
                "recode them, or pass pos_label=."
            )
        outlier = -1 if labels <= {-1, 1} else 1
        label = outlier if self.pos_label is None else self.pos_label
        scores = outlying if label == outlier else -outlying
        return {"y_true": y_true, "y_score": scores, "pos_label": label}

    def set_score_request(self, **requests: bool | str) -> Self:
        """Set metadata requests, and keep those of earlier calls, which scikit-learn forgets."""
        self.requests = self.requests | requests
        super().set_score_request(**self.requests)
        return self

    def __repr__(self) -> str:
        """Write the call that makes this scorer."""
        definition, keywords = self.metric._list_arguments()
        if self.metric._rule.is_function:
            definition, keywords = self.metric, {}
        if self.pos_label is not None:
            keywords["pos_label"] = self.pos_label
        if self.response_method != "auto":
            keywords["response_method"] = self.response_method
        call = write_call("make_ap_scorer", repr(definition), keywords)
        requests = dict(self.requests)
        if self.metric._is_mean and requests.get("groups") is True:
            del requests["groups"]  # The scorer of a mean requests groups by itself.
        if requests:
            call += write_call(".set_score_request", "", requests)
        return call

    def __getstate__(self) -> dict[str, Any]:
        """Return what this is made of, so that a saved scorer names nothing private."""
        names = ("metric", "pos_label", "response_method", "requests")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(  # type: ignore[misc]
            state["metric"], state["pos_label"], state["response_method"]
        )
        if state["requests"]:  # also in a process without metadata routing
            with config_context(enable_metadata_routing=True):
                self.set_score_request(**state["requests"])


class _ScoreFunction:
    """The function from which scikit-learn reads the name and the parameters of a scorer.

    Who calls it in place of the scorer passes predicted labels, as TunedThresholdClassifierCV does,
    or scores of a class that isn't named here.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, y_true: Any, y_score: Any) -> float:
        raise TypeError(
            "A ranking has the same value at every threshold, so none can be tuned by it. Choose "
            "one for a recall or precision, and pass it to FixedThresholdClassifier. For a value, "
            "call scorer(estimator, X, y)."
        )


class _WeightedFunction(_ScoreFunction):
    """scikit-learn passes weights only to scorers of functions whose signature has them."""

    def __call__(self, y_true: Any, y_score: Any, sample_weight: Any = None) -> float:
        return super().__call__(y_true, y_score)


# --- estimators -----------------------------------------------------------------------------------


def _check_columns(estimator: Any, method: str, scores: Array, classes: list[Any]) -> None:
    """Refuse predicted classes, and scores of pairs of classes."""
    if method == "predict":
        raise ValueError(
            f"predict of {type(estimator).__name__} returns classes, which don't rank the "
            "samples. Use decision_function or predict_proba."
        )
    # Of three classes, there are three pairs, too.
    shape = getattr(_last_step(estimator), "decision_function_shape", None)
    has_pairs = shape == "ovo" and method == "decision_function" and len(classes) > 2
    if scores.ndim == 2 and (has_pairs or scores.shape[1] != len(classes)):
        raise ValueError(
            f"{method} returned {scores.shape[1]} columns for the classes {classes}, or one "
            "for each pair (decision_function_shape='ovo'). A scorer needs one for each class."
        )


def _select_column(scores: Array, classes: list[Any], label: Any) -> Array:
    """Return the scores of one class. A single column has those of the second of two classes."""
    if scores.ndim == 2:
        if label not in classes:
            return np.zeros(len(scores))
        return np.asarray(scores[:, classes.index(label)])
    if len(classes) > 2:
        raise ValueError(f"The estimator returned one column of scores for classes {classes}.")
    if label == classes[-1]:
        return scores
    # Minus would wrap around for unsigned integers.
    return ~scores if scores.dtype.kind in "biu" else -scores


def _last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, what a search has fitted, or the estimator itself."""
    estimator = getattr(estimator, "best_estimator_", estimator)
    return _last_step(estimator.steps[-1][1]) if hasattr(estimator, "steps") else estimator


def _is_of_pyod(estimator: Any) -> bool:
    return hasattr(_last_step(estimator), "decision_scores_")


def _is_detector(estimator: Any) -> bool:
    # scikit-learn asks for tags or a type, which estimators of other packages may lack.
    has_kind = hasattr(estimator, "__sklearn_tags__") or hasattr(estimator, "_estimator_type")
    return (has_kind and is_outlier_detector(estimator)) or _is_of_pyod(estimator)


# --- names ----------------------------------------------------------------------------------------


def get_scorer_names() -> list[str]:
    """Return a name for each metric, with a typical number where the name has one.

    Means over groups, such as "mean_average_precision", are listed if metadata routing is enabled,
    because their scorers need it.

    See Also
    --------
    get_scorer : A scorer by its name.

    Examples
    --------
    >>> from sklearn_ap import get_scorer_names
    >>> get_scorer_names()[:3]
    ['101_point_average_precision', '101_point_float_average_precision', 'average_precision']
    """
    has_routing = get_config()["enable_metadata_routing"]
    return [name for name in list_names() if has_routing or not parse_name(name).is_mean]


def get_scorer(scoring: str | Metric, **options: Any) -> Any:
    """Return a scorer by the name of a metric of this package, or by scikit-learn's name.

    Read more in :doc:`Scorers </scorers>`.

    Parameters
    ----------
    scoring : str or Metric
        A name such as "P@1%", what :func:`metric` returns, or the name of one of scikit-learn's
        scorers.
    **options
        Parameters of :func:`make_ap_scorer`, which other scorers don't accept.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y)`` returns the value; higher is better.

    See Also
    --------
    make_ap_scorer : A scorer with options.
    get_scorer_names : The names.

    Examples
    --------
    >>> from sklearn_ap import get_scorer
    >>> get_scorer("P@1%")
    make_ap_scorer('precision_at_1%')
    """
    try:
        return make_ap_scorer(scoring, **options)
    except UnknownMetricError:
        if options or scoring not in sklearn.metrics.get_scorer_names():
            raise
        return sklearn.metrics.get_scorer(scoring)
