"""Call a scorer as a function of labels and scores."""

from __future__ import annotations

from inspect import Parameter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ..._core import Array
from ..transforms import NEGATED
from .calls import read_parameters
from .hypotheses import Recognition

_ESTIMATORS = "estimator", "est", "clf", "classifier", "model", "pipe", "pipeline"


def is_scorer(function: Any) -> bool:
    needed = list_needed(function)
    return (
        hasattr(function, "_score_func")
        or "estimator" in [*read_parameters(function)][:2]
        or (len(needed) == 3 and (needed[0].lower() in _ESTIMATORS or needed[1] == "X"))
    )


def list_needed(function: Any) -> list[str]:
    """Return the names of the parameters that a call has to pass, but for keywords."""
    kinds = Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD
    parameters = read_parameters(function).values()
    return [each.name for each in parameters if each.default is each.empty and each.kind in kinds]


class ColumnClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose only feature is the probability of the positive class."""

    def __init__(self, positive: Any = 1, negative: Any = 0) -> None:
        self.positive, self.negative = positive, negative
        self.classes_ = np.array(sorted((positive, negative)))
        self.called: list[str] = []

    def fit(self, X: Any, y: Any) -> ColumnClassifier:
        return self

    def decision_function(self, X: Any) -> Array:
        self.called.append("decision_function")
        centered = np.asarray(X)[:, 0] - 0.5
        return centered if self.classes_[1] == self.positive else -centered

    def predict_proba(self, X: Any) -> Array:
        self.called.append("predict_proba")
        p = np.asarray(X)[:, 0]
        return np.column_stack([p if each == self.positive else 1 - p for each in self.classes_])

    def predict(self, X: Any) -> Array:
        self.called.append("predict")
        return self.name_classes(np.asarray(X)[:, 0] > 0.5)

    def name_classes(self, is_positive: Array) -> Array:
        return np.asarray(np.where(is_positive, self.positive, self.negative))


class ScorerAsFunction:
    """A scorer as a function of labels and scores, for its positive class."""

    def __init__(self, scorer: Any) -> None:
        positive = getattr(scorer, "pos_label", None)
        if positive is None:
            positive = getattr(scorer, "_kwargs", {}).get("pos_label", 1)
        self.scorer, self.positive = scorer, positive
        self.negative = f"not {positive}" if isinstance(positive, str) else int(not positive)
        self.called: list[str] = []

    def __call__(self, labels: Array, scores: Array) -> Any:
        classifier = ColumnClassifier(self.positive, self.negative)
        try:
            return self.scorer(classifier, scores[:, None], classifier.name_classes(labels == 1))
        finally:
            self.called += [each for each in classifier.called if each not in self.called]

    def write_hint(self, recognition: Recognition) -> str:
        """Say how to mend the scorer, or else what it ranks by, or how it was tried."""
        if recognition.failure:
            return "A scorer is tried with two classes, and with an array of one column as X."
        hypothesis = recognition.hypothesis
        if hypothesis is not None and hypothesis.value_transform == NEGATED:
            return "Leave out greater_is_better=False, or the minus sign."
        if hypothesis is not None and hypothesis.transform and self.called == ["predict"]:
            methods = ("decision_function", "predict_proba")
            return f"To rank by scores, pass response_method={methods} to make_scorer."
        first, last = sorted((self.negative, self.positive))
        called = " and ".join(self.called) or "no method"
        verb = "calls" if self.called == ["predict"] else "ranks by"
        return f"It {verb} {called}, for class {self.positive!r} of {first!r} and {last!r}."
