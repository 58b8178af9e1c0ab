"""Call a scorer, or a function that takes or returns another shape, with labels and scores."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from functools import reduce
from inspect import Parameter
from itertools import product
from operator import getitem
from re import IGNORECASE, fullmatch
from typing import Any, NamedTuple
from warnings import catch_warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ..._core import Array
from ..transforms import NEGATED
from .calls import WEIGHTS, Call, CallLog, read_parameters
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
_MIN_NUMBERS = 3 / 4  # of the calls that have to return a number
_MIN_DISTINCT = 3  # values that a definition has to explain, if it has more than two

_ORDER = 'np.argsort(-s, kind="stable")'
_HITS, _RETRIEVED, _RELEVANT = f"y[{_ORDER}]", f"{_ORDER}.tolist()", "np.flatnonzero(y).tolist()"
_RECALL = f"np.cumsum({_HITS}) / max(y.sum(), 1)"
_PRECISION = f"np.cumsum({_HITS}) / np.arange(1, y.size + 1)"
_COUNT, _CUTOFF, _FRACTION, _EQUAL_WEIGHTS = "int(y.sum())", "10", "0.1", "np.ones(y.size)"
_USUAL = "y", "s"
_EMPTY = "[]"


def _sort(s: Array) -> Array:
    return np.argsort(-s, kind="stable")


# What a function may take: the code that is printed, and what it is of labels y and scores s
ARGUMENTS: dict[str, Callable[[Array, Array], Any]] = {
    "y": lambda y, s: y,
    "s": lambda y, s: s,
    "-s": lambda y, s: -s,  # distances
    "y.tolist()": lambda y, s: y.tolist(),
    "s.tolist()": lambda y, s: s.tolist(),
    "y[:, None]": lambda y, s: y[:, None],  # of one class
    "s[:, None]": lambda y, s: s[:, None],
    "y[None]": lambda y, s: y[None],  # of one query
    "s[None]": lambda y, s: s[None],
    "list(zip(s, y))": lambda y, s: [*zip(s, y, strict=True)],
    _HITS: lambda y, s: y[_sort(s)],  # labels from the highest score down
    f"{_HITS}.tolist()": lambda y, s: y[_sort(s)].tolist(),
    f"[{_HITS}.tolist()]": lambda y, s: [y[_sort(s)].tolist()],
    f"1 - {_HITS}": lambda y, s: 1 - y[_sort(s)],
    f"np.flatnonzero({_HITS})": lambda y, s: np.flatnonzero(y[_sort(s)]),
    f"np.flatnonzero({_HITS}) + 1": lambda y, s: np.flatnonzero(y[_sort(s)]) + 1,
    _RETRIEVED: lambda y, s: _sort(s).tolist(),
    f"[{_RETRIEVED}]": lambda y, s: [_sort(s).tolist()],
    _RELEVANT: lambda y, s: np.flatnonzero(y).tolist(),
    f"[{_RELEVANT}]": lambda y, s: [np.flatnonzero(y).tolist()],
    "{*np.flatnonzero(y)}": lambda y, s: {*np.flatnonzero(y)},
    _RECALL: lambda y, s: np.cumsum(y[_sort(s)]) / max(y.sum(), 1),
    _PRECISION: lambda y, s: np.cumsum(y[_sort(s)]) / np.arange(1, y.size + 1),
    f"({_RECALL}).tolist()": lambda y, s: (np.cumsum(y[_sort(s)]) / max(y.sum(), 1)).tolist(),
    f"({_PRECISION}).tolist()": lambda y, s: (
        np.cumsum(y[_sort(s)]) / np.arange(1, y.size + 1)
    ).tolist(),
    _COUNT: lambda y, s: int(y.sum()),
    _EQUAL_WEIGHTS: lambda y, s: np.ones(y.size),
    _CUTOFF: lambda y, s: 10,
    _FRACTION: lambda y, s: 0.1,
    "1": lambda y, s: 1,
    _EMPTY: lambda y, s: [],
}
# What functions take together, the most common first
SHAPES: tuple[tuple[str, ...], ...] = (
    _USUAL,
    ("s", "y"),
    ("-s", "y"),
    ("y.tolist()", "s.tolist()"),
    (_HITS,),
    (f"np.flatnonzero({_HITS}) + 1",),  # the ranks of positives
    (f"np.flatnonzero({_HITS})",),
    (_RELEVANT, _RETRIEVED),
    (_RETRIEVED, _RELEVANT),
    (_RETRIEVED, "{*np.flatnonzero(y)}"),
    ("{*np.flatnonzero(y)}", _RETRIEVED),
    (f"[{_RELEVANT}]", f"[{_RETRIEVED}]"),  # of one query
    (f"[{_RETRIEVED}]", f"[{_RELEVANT}]"),
    (_HITS, f"1 - {_HITS}"),  # hits and misses
    ("1", _HITS),
    ("1", f"{_HITS}.tolist()"),
    (f"{_HITS}.tolist()",),
    (f"{_HITS}.tolist()", "1"),
    (f"[{_HITS}.tolist()]",),
    ("s", _RELEVANT),
    ("list(zip(s, y))",),
    ("y[:, None]", "s[:, None]"),
    ("s[:, None]", "y[:, None]"),
    ("y[None]", "s[None]"),
    ("s[None]", "y[None]"),
)
# What parameters may take that come after these
_OF_OTHERS = _COUNT, _CUTOFF, "1", _EMPTY
# After these, only the number of positives can come.
_CURVES: tuple[tuple[str, ...], ...] = (
    (_RECALL, _PRECISION),
    (_PRECISION, _RECALL),
    (f"({_RECALL}).tolist()", f"({_PRECISION}).tolist()"),
)
# Parameters that are told by their names, such as numRecs and eval_at
_OF_NAMES = {
    rf"({'|'.join(WEIGHTS)})": _EQUAL_WEIGHTS,
    r"frac(tion)?": _FRACTION,
    r"k|(.*_)?at(_?k)?|top_?[kn]?|num_?recs?|n_?recs?|cut(_?off)?|depth|limit": _CUTOFF,
}


class Way(NamedTuple):
    """A way to call a function with labels and scores."""

    arguments: tuple[str, ...]
    keys: tuple[Any, ...] = ()  # of the number among what the function returns

    @property
    def code(self) -> str:
        return f"f({', '.join(self.arguments)})" + "".join(f"[{key!r}]" for key in self.keys)

    def wrap(self, function: Callable[..., Any]) -> Callable[[Array, Array], Any]:
        """Return the function of labels and scores that the code is."""
        makers = [ARGUMENTS[code] for code in self.arguments]
        return lambda y, s: reduce(getitem, self.keys, function(*(make(y, s) for make in makers)))


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
        values = _evaluate(log, way, probe)
        is_telling = np.isfinite(values) & (values != prevalence)
        fits = (np.abs(values - rows) <= TOLERANCE) & is_telling
        row = int(fits.sum(axis=1).argmax())
        share = fits[row].sum() / max(is_telling.sum(), len(probe) // 2)
        n_distinct = np.unique(np.round(values[fits[row]], 9)).size
        n_needed = 2 if recipes[row].definition.has_two_values and share == 1 else _MIN_DISTINCT
        has_values = np.isfinite(values).mean() >= _MIN_NUMBERS and n_distinct >= n_needed
        fit = share, not recipes[row].mistakes
        if has_values and (fit > most or (best is None and fit >= most)):
            most, best = fit, way
    return best


def _evaluate(log: CallLog, way: Way, probe: tuple[Call, ...]) -> Array:
    """Return the values of rankings, all nan if the first three have none or time is up."""
    call, values = way.wrap(log.function), np.full(len(probe), np.nan)
    for place, each in enumerate(probe):
        if log.can_retry and (place < 3 or np.isfinite(values).any()):
            values[place] = log.call(each, call).value
    return values


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
    for shape, other in (*product(SHAPES, _OF_OTHERS), *product(_CURVES, (_COUNT,))):
        rest, arguments = [*shape], []
        for code in told or [""] * len(shape):
            arguments.append(code or (rest.pop(0) if rest else other))
        if not rest and (other in arguments or other == _OF_OTHERS[0]):
            yield Way(tuple(arguments))


def _list_keys(call: Callable[[Array, Array], Any], ranking: Call) -> list[Any]:
    """Return the keys or places of what may be a number among several values."""
    returned: Any = None
    silent = catch_warnings(action="ignore")
    with suppress(Exception, SystemExit), redirect_stdout(io.StringIO()), silent:
        returned = call(*ranking.arguments)
    if isinstance(returned, Mapping):
        return [*returned]
    is_short = isinstance(returned, tuple | list) or np.size(returned) == 1
    return [*range(len(returned))] if is_short and hasattr(returned, "__len__") else []
