"""Call a scorer, or a function that takes or returns another shape, with labels and scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from inspect import Parameter
from itertools import product
from operator import getitem, itemgetter
from re import IGNORECASE, fullmatch
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ..._core import Array
from ..transforms import NEGATED
from .calls import WEIGHTS, Call, CallLog, call_silently, read_parameters
from .search import TOLERANCE, Recognition, compute_probe

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
        negative = f"not {positive}" if isinstance(positive, str) else int(not positive)
        self.scorer, self.classifier = scorer, ColumnClassifier(positive, negative)

    def __call__(self, labels: Array, scores: Array) -> Any:
        y_true = self.classifier.name_classes(labels == 1)
        return self.scorer(self.classifier, scores[:, None], y_true)

    @property
    def called(self) -> list[str]:
        """The methods that the scorer has called."""
        return [*dict.fromkeys(self.classifier.called)]

    def write_hint(self, recognition: Recognition) -> str:
        """Say how to mend the scorer, or else what it ranks by, or how it was tried."""
        recipe = recognition.recipe
        if recipe is None and recognition.failure:
            return "A scorer is tried with two classes, and with an array of one column as X."
        if recipe is not None and recipe.returned == NEGATED:
            return "Leave out greater_is_better=False, or the minus sign."
        if recipe is not None and recipe.mistakes and self.called == ["predict"]:
            methods = ("decision_function", "predict_proba")
            return f"To rank by scores, pass response_method={methods} to make_scorer."
        positive = self.classifier.positive
        first, last = sorted((self.classifier.negative, positive))
        called = " and ".join(self.called) or "no method"
        verb = "calls" if self.called == ["predict"] else "ranks by"
        return f"It {verb} {called}, for class {positive!r} of {first!r} and {last!r}."


# --- functions that take or return something else -------------------------------------------------

_MIN_SHARE = 2 / 3  # of the values that a definition has to explain
_MAX_ERRORS = 1 / 4  # of the calls may raise an error
_MIN_DISTINCT = 3  # values that a definition has to explain, if it has more than two

_ORDER = 'np.argsort(-s, kind="stable")'
_HITS, _FOUND, _WANTED = f"y[{_ORDER}]", f"{_ORDER}.tolist()", "np.flatnonzero(y).tolist()"
_RECALL = f"np.cumsum({_HITS}) / max(y.sum(), 1)"
_PRECISION = f"np.cumsum({_HITS}) / np.arange(1, y.size + 1)"
_USUAL = "y", "s"
# What functions take together, as code of labels y and scores s, the most common first
SHAPES: tuple[tuple[str, ...], ...] = (
    _USUAL,
    ("s", "y"),
    ("-s", "y"),  # distances
    ("y.tolist()", "s.tolist()"),
    (_HITS,),  # labels from the highest score down
    (f"np.flatnonzero({_HITS}) + 1",),  # the ranks of positives
    (f"np.flatnonzero({_HITS})",),
    (_WANTED, _FOUND),
    (_FOUND, _WANTED),
    (_FOUND, "{*np.flatnonzero(y)}"),
    (_ORDER, "np.flatnonzero(y)"),
    ("{*np.flatnonzero(y)}", _FOUND),
    (f"[{_WANTED}]", f"[{_FOUND}]"),  # of one query
    (f"[{_FOUND}]", f"[{_WANTED}]"),
    (_HITS, f"1 - {_HITS}"),  # hits and misses
    ("1", _HITS),
    ("1", f"{_HITS}.tolist()"),
    (f"{_HITS}.tolist()",),
    (f"[{_HITS}.tolist()]",),
    ("s", _WANTED),
    ("list(zip(s, y))",),
    ("y[:, None]", "s[:, None]"),  # of one class
    ("s[:, None]", "y[:, None]"),
    ("y[None]", "s[None]"),
)
# After these, only the number of positives can come.
_CURVES: tuple[tuple[str, ...], ...] = (
    (_RECALL, _PRECISION),
    (_PRECISION, _RECALL),
    (f"({_RECALL}).tolist()", f"({_PRECISION}).tolist()"),
)
_OTHERS = "int(y.sum())", "10", "1", "[]"  # what parameters may take that come after these
_OF_NAMES = {  # and those that are told by their names, such as numRecs and eval_at
    "|".join(WEIGHTS): "np.ones(y.size)",
    r"frac(tion)?": "0.1",
    r"k|(.*_)?at(_?k)?|top_?[kn]?|num_?recs?|n_?recs?|cut(_?off)?|depth|limit": "10",
}


def make_arguments(y: Array, s: Array) -> dict[str, Any]:
    """Return what functions may take, by its code."""
    order = np.argsort(-s, kind="stable")
    hits, found, wanted = y[order], order.tolist(), np.flatnonzero(y).tolist()
    recall = np.cumsum(hits) / max(y.sum(), 1)
    precision = np.cumsum(hits) / np.arange(1, y.size + 1)
    return {
        "y": y,
        "s": s,
        "-s": -s,
        "y.tolist()": y.tolist(),
        "s.tolist()": s.tolist(),
        _HITS: hits,
        f"1 - {_HITS}": 1 - hits,
        f"{_HITS}.tolist()": hits.tolist(),
        f"[{_HITS}.tolist()]": [hits.tolist()],
        f"np.flatnonzero({_HITS}) + 1": np.flatnonzero(hits) + 1,
        f"np.flatnonzero({_HITS})": np.flatnonzero(hits),
        _ORDER: order,
        "np.flatnonzero(y)": np.flatnonzero(y),
        _FOUND: found,
        _WANTED: wanted,
        f"[{_FOUND}]": [found],
        f"[{_WANTED}]": [wanted],
        "{*np.flatnonzero(y)}": {*wanted},
        "list(zip(s, y))": [*zip(s, y, strict=True)],
        "y[:, None]": y[:, None],
        "s[:, None]": s[:, None],
        "y[None]": y[None],
        "s[None]": s[None],
        _RECALL: recall,
        _PRECISION: precision,
        f"({_RECALL}).tolist()": recall.tolist(),
        f"({_PRECISION}).tolist()": precision.tolist(),
        "int(y.sum())": int(y.sum()),
        "np.ones(y.size)": np.ones(y.size),
        "10": 10,
        "0.1": 0.1,
        "1": 1,
        "[]": [],
    }


HINT = "No shape fits that was tried, such as ids. Pass a lambda of labels y and scores s."


class Way(NamedTuple):
    """A way to call a function with labels and scores."""

    arguments: tuple[str, ...]
    keys: tuple[Any, ...] = ()  # of the number among what the function returns

    @property
    def code(self) -> str:
        return f"f({', '.join(self.arguments)})" + "".join(f"[{key!r}]" for key in self.keys)

    def wrap(self, function: Callable[..., Any]) -> Callable[[Array, Array], Any]:
        """Return the function of labels and scores that the code is."""
        get = itemgetter(*self.arguments, "y")  # With one more, it always returns several.
        return lambda y, s: reduce(getitem, self.keys, function(*get(make_arguments(y, s))[:-1]))


def find_way(log: CallLog, is_near: bool) -> Way | None:
    """Return a way to call a function whose values then fit a definition.

    If none `is_near` what labels and scores give, two thirds of them are enough. A way that gives a
    definition is better than one that gives a mistake.
    """
    probe, rows, recipes = compute_probe(log.cutoffs)
    prevalence = np.array([each.labels.mean() for each in probe])  # It is that of any ranking.
    most = (1.0 if is_near else _MIN_SHARE), False
    best = None
    for way in _list_ways(log.function, probe[0]):
        values, n_errors = _evaluate(log, way, probe)
        is_telling = np.isfinite(values) & (values != prevalence)
        fits = (np.abs(values - rows) <= TOLERANCE) & is_telling
        row = int(fits.sum(axis=1).argmax())
        share = fits[row].sum() / max(is_telling.sum(), len(probe) // 2)
        n_distinct = np.unique(np.round(values[fits[row]], 9)).size
        n_needed = 2 if recipes[row].definition.has_two_values and share == 1 else _MIN_DISTINCT
        has_values = n_errors <= _MAX_ERRORS * len(probe) and n_distinct >= n_needed
        fit = share, not recipes[row].mistakes
        if has_values and (fit > most or (best is None and fit >= most)):
            most, best = fit, way
    return best


def _evaluate(log: CallLog, way: Way, probe: tuple[Call, ...]) -> tuple[Array, int]:
    """Return the values of rankings, and how many have an error instead.

    All are nan if the first three have no value, or if time is up.
    """
    call, values, n_errors = way.wrap(log.function), np.full(len(probe), np.nan), 0
    for place, each in enumerate(probe):
        if log.can_retry and (place < 3 or np.isfinite(values).any()):
            called = log.call(each, call)
            values[place] = called.value
            n_errors += bool(called.error)
    return values, n_errors


def _list_ways(function: Any, call: Call) -> Iterator[Way]:
    """Yield ways to call a function, and then those that take a part of what it returns."""
    for way in _list_ways_to_pass(function):
        if way.arguments != _USUAL:  # This is what was tried before.
            yield way
        for key in _list_keys(way.wrap(function), call):
            yield way._replace(keys=(key,))


def _list_ways_to_pass(function: Any) -> Iterator[Way]:
    """Yield arguments in each shape that the parameters have room for."""
    told = [
        next((code for name, code in _OF_NAMES.items() if fullmatch(name, each, IGNORECASE)), "")
        for each in list_needed(function)
    ]
    shapes = [*product(SHAPES, _OTHERS), *product(_CURVES, _OTHERS[:1])]
    for shape, other in shapes:
        rest, arguments = [*shape], []
        for code in told or [""] * len(shape):
            arguments.append(code or (rest.pop(0) if rest else other))
        if not rest and (other in arguments or other == _OTHERS[0]):
            yield Way(tuple(arguments))


def _list_keys(call: Callable[[Array, Array], Any], ranking: Call) -> list[Any]:
    """Return the keys or places of what may be a number among several values."""
    returned = call_silently(call, *ranking.arguments)
    if isinstance(returned, Mapping):
        return [*returned]
    is_short = isinstance(returned, tuple | list) or np.size(returned) == 1
    return [*range(len(returned))] if is_short and hasattr(returned, "__len__") else []
