"""Estimators as scikit-learn wants to have them."""

from __future__ import annotations

from functools import wraps
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from .._read.labels import places_by_name
from .._words.arrays import as_matrix, header, names_of, to_host


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
        def in_order(X: Any) -> Any:
            """Return an array of what the method returns, in the order of `classes_`."""
            scores = method(X)
            columns = places_by_name(header(scores), self.classes_)
            if names_of(scores) is not None:
                scores = np.asarray(as_matrix(scores))
                if columns is not None:
                    scores = scores[:, columns]
            has_one_column = np.ndim(scores) == 1 or np.shape(scores)[1:] == (1,)
            if name == "predict" or not has_one_column or self.classes_.size != 2:
                return scores
            of_second_class = np.asarray(to_host(scores)).ravel()
            if name == "decision_function":
                return of_second_class
            of_second_class = of_second_class.astype(float)
            # Both columns rank the samples. 1 - of_second_class could round.
            return np.column_stack([-of_second_class, of_second_class])

        in_order.__name__ = name
        return in_order


def predicting_once(estimator: Any) -> Any:
    """Return an estimator that calls each method that predicts once, for several scorers that get
    the same samples. Each of them selects the scores of its class by itself.
    """
    return type(type(estimator).__name__, (_PredictsOnce,), {})(estimator)  # which errors name


class _PredictsOnce:
    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator
        self._predictions: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._estimator, name)
        if name not in ("predict", "predict_proba", "decision_function", "score_samples"):
            return found

        def predict(X: Any) -> Any:
            if name not in self._predictions:
                self._predictions[name] = found(X)
            return self._predictions[name]

        predict.__name__ = name
        return predict
