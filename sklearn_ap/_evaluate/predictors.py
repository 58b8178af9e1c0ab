"""Fitted estimators, in the form in which scikit-learn's scorers predict with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Self

import numpy as np
import sklearn.base
from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin

from .._arrays.host import to_host
from .._read.class_columns import arrange_columns


def as_classifier(estimator: Any) -> Any:
    """Return a classifier as scikit-learn wants to have it, so that it selects the column of the
    positive class from what this estimator predicts.
    """
    return type(type(estimator).__name__, (_Classifier,), {})(estimator)  # which errors name


class _Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator with `classes_` whose scores are arrays with a column for each class.

    scikit-learn doesn't take all estimators of other libraries for classifiers, columns can't have
    names, and the probabilities of two classes can't be one column, of the second class.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.classes_ = np.asarray(to_host(estimator.classes_))

    def fit(self, X: Any, y: Any = None) -> Self:  # which estimators have; this one is fitted
        return self

    def __getattr__(self, name: str) -> Any:
        if name not in ("decision_function", "predict_proba", "predict"):
            raise AttributeError(name)
        method = getattr(self.estimator, name)

        @wraps(method)
        def predict_in_order(X: Any) -> Any:
            """Return an array of what the method returns, in the order of `classes_`."""
            scores = arrange_columns(method(X), self.classes_)
            has_one_column = np.ndim(scores) == 1 or np.shape(scores)[1:] == (1,)
            if name == "predict" or not has_one_column or self.classes_.size != 2:
                return scores
            of_second_class = np.asarray(to_host(scores)).ravel()
            if name == "decision_function":
                return of_second_class
            of_second_class = of_second_class.astype(float)
            # Both columns rank the samples. 1 - of_second_class could round.
            return np.column_stack([-of_second_class, of_second_class])

        predict_in_order.__name__ = name
        return predict_in_order


def with_cached_predictions(estimator: Any) -> Any:
    """Return an estimator that calls each method that predicts once, for several scorers that get
    the same samples. Each of them selects the scores of its class by itself.
    """
    return type(type(estimator).__name__, (_CachedPredictor,), {})(estimator)  # which errors name


class _CachedPredictor:
    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator
        self._predictions: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._estimator, name)
        if name not in ("predict", "predict_proba", "decision_function", "score_samples"):
            return method

        def predict(X: Any) -> Any:
            if name not in self._predictions:
                self._predictions[name] = method(X)
            return self._predictions[name]

        predict.__name__ = name
        return predict


def list_classes(estimator: Any) -> list[Any] | None:
    """Return the classes of a classifier; None for others, and for those of several targets."""
    classes = to_host(getattr(estimator, "classes_", None))
    has_several_targets = isinstance(classes, list | tuple) and any(map(np.ndim, classes))
    if classes is None or has_several_targets:
        return None
    labels: list[Any] = np.asarray(classes).tolist()
    return labels


def is_classifier(estimator: Any) -> bool:
    return _is_kind(sklearn.base.is_classifier, estimator)


def is_detector(estimator: Any) -> bool:
    """Whether this is a detector of outliers of scikit-learn or PyOD, or a pipeline with one."""
    return _is_kind(sklearn.base.is_outlier_detector, estimator) or _is_of_pyod(estimator)


def _is_kind(check: Callable[[Any], bool], estimator: Any) -> bool:
    # scikit-learn 1.6 and 1.7 warn of estimators without tags, and later releases refuse them.
    has_kind = hasattr(estimator, "__sklearn_tags__") or hasattr(estimator, "_estimator_type")
    return has_kind and check(estimator)


def unwrap_estimator(estimator: Any) -> Any:
    """Return the last step of a pipeline, what a search has fitted, or the estimator itself."""
    if hasattr(estimator, "best_estimator_"):
        return unwrap_estimator(estimator.best_estimator_)
    if hasattr(estimator, "steps"):
        return unwrap_estimator(estimator.steps[-1][1])
    return estimator


def _is_of_pyod(estimator: Any) -> bool:
    """Whether a detector gives high scores to outliers, and labels 0 and 1."""
    return hasattr(unwrap_estimator(estimator), "decision_scores_")


def as_detector(detector: Any, wanted: Sequence[str]) -> Any:
    """Return a detector with `score_samples`, high for inliers, from the first of these methods
    that it has.
    """
    methods = [method for method in wanted if hasattr(detector, method)]
    if not methods:
        advice = f"It has none of {', '.join(wanted)}."
        last = unwrap_estimator(detector)
        if getattr(last, "novelty", None) is False:
            advice = "Create it with novelty=True."
        raise AttributeError(f"{type(last).__name__} can't score new samples. {advice}")
    return detector if methods[0] == "score_samples" else _Detector(detector, methods[0])


class _Detector(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """A detector whose scores are high for inliers, whichever side its own scores mark."""

    def __init__(self, detector: Any, method: str) -> None:
        self.detector = detector
        self.method = method

    def fit(self, X: Any, y: Any = None) -> Self:  # which estimators have; this one is fitted
        return self

    def score_samples(self, X: Any) -> Any:
        scores = np.asarray(to_host(getattr(self.detector, self.method)(X)))
        if scores.ndim == 2:  # probabilities, of which the last column is that of outliers
            scores = scores[:, -1]
        return scores if self._is_high_for_inliers(X, scores) else -scores

    def _is_high_for_inliers(self, X: Any, scores: Any) -> bool:
        """Compare the scores with what the detector predicts: -1 beside 1, or 1 beside 0."""
        if _is_of_pyod(self.detector):
            return False
        if not hasattr(self.detector, "predict"):  # as scikit-learn says that detectors rank
            return True
        predicted = np.asarray(to_host(self.detector.predict(X)))
        are_outliers = predicted == (1 if np.any(predicted == 0) else -1)
        outliers, inliers = scores[are_outliers], scores[~are_outliers]
        if outliers.size and inliers.size:
            if outliers.max() <= inliers.min():
                return True
            if outliers.min() >= inliers.max():
                return False
        raise ValueError(
            f"What {type(unwrap_estimator(self.detector)).__name__} predicts doesn't tell whether "
            f"outliers have high or low values of {self.method}. Give it a method score_samples "
            "that is high for inliers. Or if outliers have high values, write "
            "make_scorer(sklearn_ap.average_precision_score, "
            f"response_method={self.method!r}, pos_label=...), with the label of the outliers."
        )
