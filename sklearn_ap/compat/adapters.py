"""Call a scorer, or a function that takes or returns another form, with labels and scores."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from functools import partial
from inspect import Parameter
from math import isfinite
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from .._core import Array
from .calls import read_parameters, read_value
from .recognition import Recognition
from .transforms import NEGATED

# --- scorers --------------------------------------------------------------------------------------


def is_scorer(function: Any) -> bool:
    parameters = [*read_parameters(function).values()]
    positional = Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD
    needed = [each for each in parameters if each.default is each.empty and each.kind in positional]
    return (
        hasattr(function, "_score_func")
        or "estimator" in [each.name for each in parameters[:2]]
        or (len(needed) == 3 and not needed[0].name.startswith("y"))
    )


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
        found = recognition.found
        if found is not None and found.value_transform == NEGATED:
            return "Leave out greater_is_better=False, or the minus sign."
        if found is not None and found.transform is not None and self.called == ["predict"]:
            methods = ("decision_function", "predict_proba")
            return f"To rank by scores, pass response_method={methods} to make_scorer."
        first, last = sorted((self.negative, self.positive))
        called = " and ".join(self.called) or "no method"
        verb = "calls" if self.called == ["predict"] else "ranks by"
        return f"It {verb} {called}, for class {self.positive!r} of {first!r} and {last!r}."


# --- functions that take or return something else -------------------------------------------------


Way = tuple[str, Callable[[Any, Any], Any]]  # some code, and the function that it makes


def adapt(function: Any) -> Way | None:
    """Find out whether a function without numbers takes data, or returns them, in another form."""
    y, s = np.array([0, 1, 0, 1] * 10), np.arange(40) / 64
    for code, call in _list_ways_to_call(function):
        with suppress(Exception, SystemExit), redirect_stdout(io.StringIO()), catch_warnings():
            simplefilter("ignore")
            returned = call(y, s)
            if call is not function and isfinite(read_value(returned)[0]):
                return code, call
            for key in _list_keys(returned):
                if isfinite(read_value(returned[key])[0]):
                    return f"{code}[{key!r}]", partial(_take, call, key)
    return None


def _list_ways_to_call(function: Any) -> Iterator[Way]:
    """Yield ways to pass labels and scores."""
    yield "f(y, s)", function
    yield "f(y.tolist(), s.tolist())", lambda y, s: function(y.tolist(), s.tolist())
    parameters = read_parameters(function).values()
    names = [each.name for each in parameters if each.kind == each.KEYWORD_ONLY]
    if len(names) > 1:
        code = f"f({names[0]}=y, {names[1]}=s)"
        yield code, lambda y, s: function(**{names[0]: y, names[1]: s})


def _list_keys(returned: Any) -> list[Any]:
    """Return the keys or places of what may be a number among several values."""
    if isinstance(returned, Mapping):
        return [*returned]
    is_short = isinstance(returned, tuple | list) or np.size(returned) == 1
    return [*range(len(returned))] if is_short else []


def _take(function: Callable[[Any, Any], Any], key: Any, y: Array, s: Array) -> Any:
    return function(y, s)[key]
