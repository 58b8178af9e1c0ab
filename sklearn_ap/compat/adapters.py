"""Call a scorer, or a function that takes or returns another shape, with labels and scores."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from inspect import Parameter
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from .._core import Array
from .calls import WEIGHTS, Call, CallLog, read_parameters
from .recognition import TOLERANCE, Recognition, compute_probe
from .transforms import NEGATED

# --- scorers --------------------------------------------------------------------------------------


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

_ORDER = 'np.argsort(-s, kind="stable")'
_HITS = f"y[{_ORDER}]"
_FOUND, _RELEVANT = f"{_ORDER}.tolist()", "np.flatnonzero(y).tolist()"
_COUNT, _SHARE, _EXIST = f"(t := np.cumsum({_HITS}))", "np.arange(1, t.size + 1)", "max(t[-1], 1)"

# What a function may take, as code that makes it of labels and scores, the most common first
_SHAPES: tuple[tuple[str, ...], ...] = (
    ("y", "s"),
    ("s", "y"),
    ("-s", "y"),  # distances
    ("y.tolist()", "s.tolist()"),
    (_HITS,),
    (f"np.flatnonzero({_HITS}) + 1",),  # ranks of positives
    (f"np.flatnonzero({_HITS})",),
    (_RELEVANT, _FOUND),
    (_FOUND, _RELEVANT),
    (f"[{_RELEVANT}]", f"[{_FOUND}]"),  # of one query
    (f"[{_FOUND}]", f"[{_RELEVANT}]"),
    (f"{_COUNT} / {_EXIST}", f"t / {_SHARE}"),  # recall and precision
    (f"{_COUNT} / {_SHARE}", f"t / {_EXIST}"),
    (f"(h := {_HITS})", "1 - h"),  # hits and misses
    ("list(zip(s, y))",),
    ("s", "np.flatnonzero(y)"),
    ("y[:, None]", "s[:, None]"),  # of one class
    ("s[:, None]", "y[:, None]"),
)
# What parameters of these names take, and then what others may take that a shape has nothing for
_OF_NAMES = dict.fromkeys(WEIGHTS, "np.ones(y.size)") | {"fraction": "0.1"}
_OF_NAMES |= dict.fromkeys(("k", "topk", "top_k", "cutoff"), "10")
_OF_OTHERS = "int(y.sum())", "10"
_MIN_DISTINCT = 3  # values that a definition has to explain


def find_way(log: CallLog, is_near: bool) -> str | None:
    """Return code that calls a function in the shape that it takes, with a key of what it returns.

    Its values fit a definition, or two thirds of them do if none `is_near` what labels and scores
    give. Else, a number that the function returns for these among others is taken, if there is one.
    """
    probe, known = compute_probe()
    prevalence = np.array([each.labels.mean() for each in probe])  # It is that of any ranking.
    most, best, among_others = 1.0 if is_near else 2 / 3, None, None
    for code in _list_ways(log.function):
        for way in (
            code,
            *(f"{code}[{key!r}]" for key in _list_keys(log.function, code, probe[0])),
        ):
            values = _evaluate(log, way, probe)
            fits = (np.abs(values - known) <= TOLERANCE) & (values != prevalence)
            fitting = fits[fits.sum(axis=1).argmax()]
            share = fitting.sum() / max(np.isfinite(values).sum(), len(probe) // 2)
            is_telling = np.unique(np.round(values[fitting], 9)).size >= _MIN_DISTINCT
            if is_telling and share >= most and (best is None or share > most):
                most, best = share, way
            if among_others is None and way.startswith("f(y, s)[") and np.isfinite(values).all():
                among_others = way
    return best or among_others


def make_call(function: Any, code: str) -> Callable[[Any, Any], Any]:
    """Return a function of labels and scores, made of the code that a user is told to write."""
    call: Callable[[Any, Any], Any] = eval(f"lambda y, s: {code}", {"f": function, "np": np})
    return call


def _evaluate(log: CallLog, code: str, probe: Sequence[Call]) -> Array:
    """Return the values of rankings, all nan if the first three have none or time is up."""
    call, values = make_call(log.function, code), np.full(len(probe), np.nan)
    for place, each in enumerate(probe):
        if log.can_retry and (place < 3 or np.isfinite(values).any()):
            values[place] = log.call(each, call).value
    return values


def _list_ways(function: Any) -> Iterator[str]:
    """Yield code that passes labels and scores in each shape that the parameters have room for."""
    needed = list_needed(function)
    for shape in _SHAPES:
        for other in _OF_OTHERS:
            rest, passed = [*shape], []
            for name in needed or shape:
                usual = rest.pop(0) if rest and name.lower() not in _OF_NAMES else other
                passed.append(_OF_NAMES.get(name.lower(), usual))
            if not rest and (other in passed or other == _OF_OTHERS[0]):
                yield f"f({', '.join(passed)})"
    parameters = read_parameters(function).values()
    names = [each.name for each in parameters if each.kind == each.KEYWORD_ONLY]
    if len(names) > 1 and not needed:
        yield f"f({names[0]}=y, {names[1]}=s)"
        yield f"f({names[0]}=s, {names[1]}=y)"


def _list_keys(function: Any, code: str, call: Call) -> list[Any]:
    """Return the keys or places of what may be a number among several values."""
    returned: Any = None
    with suppress(Exception, SystemExit), redirect_stdout(io.StringIO()), catch_warnings():
        simplefilter("ignore")
        returned = make_call(function, code)(*call.passed)
    if isinstance(returned, Mapping):
        return [*returned]
    is_short = isinstance(returned, tuple | list) or np.size(returned) == 1
    return [*range(len(returned))] if is_short and hasattr(returned, "__len__") else []
