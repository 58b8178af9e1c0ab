"""Call a scorer, or a function that takes or returns another shape, with labels and scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from inspect import Parameter
from itertools import product
from operator import getitem
from re import IGNORECASE, fullmatch
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ..._core import Array
from ..transforms import VALUE_TRANSFORMS
from .battery import Call, CallLog, call_silently, plan_calls, read_parameters
from .search import IGNORES_RANKING, equals, join, return_otherwise, suppose_common

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
        self.called: dict[str, None] = {}  # the methods that a scorer has called

    def fit(self, X: Any, y: Any) -> ColumnClassifier:
        return self

    def decision_function(self, X: Any) -> Array:
        self.called["decision_function"] = None
        centered = np.asarray(X)[:, 0] - 0.5
        return centered if self.classes_[1] == self.positive else -centered

    def predict_proba(self, X: Any) -> Array:
        self.called["predict_proba"] = None
        p = np.asarray(X)[:, 0]
        return np.column_stack([p if each == self.positive else 1 - p for each in self.classes_])

    def predict(self, X: Any) -> Array:
        self.called["predict"] = None
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


# --- functions that take or return something else -------------------------------------------------

_MAX_ERRORS = 1 / 4  # of the calls may raise an error
_MIN_DISTINCT = 3  # values that have to fit a definition, if it has more than two
_N_RANKINGS = 14  # with which each shape is tried
_N_TRIED_FIRST = 3  # one of these has to have a value
_MAX_CALLS, _MAX_CALLS_IF_SLOW = 3_000, 60

_ORDER = 'np.argsort(-s, kind="stable")'
_FOUND = f"{_ORDER}.tolist()"  # ids
_HITS = f"y[{_ORDER}]"  # labels from the highest score down
_POSITIVES = "np.flatnonzero(y)"
_WANTED, _WANTED_SET = f"{_POSITIVES}.tolist()", f"{{*{_POSITIVES}}}"
_RECALL = f"np.cumsum({_HITS}) / max(y.sum(), 1)"
_PRECISION = f"np.cumsum({_HITS}) / np.arange(1, y.size + 1)"


def _rank(s: Array) -> Array:
    return np.argsort(-s, kind="stable")


def _compute_recall(y: Array, s: Array) -> Array:
    return np.asarray(np.cumsum(y[_rank(s)]) / max(y.sum(), 1))


def _compute_precision(y: Array, s: Array) -> Array:
    return np.cumsum(y[_rank(s)]) / np.arange(1, y.size + 1)


# What a function may take: code of labels y and scores s, and its value
ARGUMENTS: dict[str, Callable[[Array, Array], Any]] = {
    "y": lambda y, s: y,
    "s": lambda y, s: s,
    "-s": lambda y, s: -s,  # distances
    "y.tolist()": lambda y, s: y.tolist(),
    "s.tolist()": lambda y, s: s.tolist(),
    "y[:, None]": lambda y, s: y[:, None],
    "s[:, None]": lambda y, s: s[:, None],
    "y[None]": lambda y, s: y[None],
    "s[None]": lambda y, s: s[None],
    "list(zip(s, y))": lambda y, s: [*zip(s, y, strict=True)],
    _HITS: lambda y, s: y[_rank(s)],
    f"1 - {_HITS}": lambda y, s: 1 - y[_rank(s)],  # misses
    f"{_HITS}.tolist()": lambda y, s: y[_rank(s)].tolist(),
    f"[{_HITS}.tolist()]": lambda y, s: [y[_rank(s)].tolist()],
    f"np.flatnonzero({_HITS})": lambda y, s: np.flatnonzero(y[_rank(s)]),
    f"np.flatnonzero({_HITS}) + 1": lambda y, s: np.flatnonzero(y[_rank(s)]) + 1,
    _ORDER: lambda y, s: _rank(s),
    _FOUND: lambda y, s: _rank(s).tolist(),
    f"[{_FOUND}]": lambda y, s: [_rank(s).tolist()],
    _POSITIVES: lambda y, s: np.flatnonzero(y),
    _WANTED: lambda y, s: np.flatnonzero(y).tolist(),
    f"[{_WANTED}]": lambda y, s: [np.flatnonzero(y).tolist()],
    _WANTED_SET: lambda y, s: {*np.flatnonzero(y)},
    _RECALL: _compute_recall,
    _PRECISION: _compute_precision,
    f"({_RECALL}).tolist()": lambda y, s: _compute_recall(y, s).tolist(),
    f"({_PRECISION}).tolist()": lambda y, s: _compute_precision(y, s).tolist(),
    "int(y.sum())": lambda y, s: int(y.sum()),
    "10": lambda y, s: 10,
    "1": lambda y, s: 1,
    "0.8": lambda y, s: 0.8,
    "[]": lambda y, s: [],
}
# What functions take together, the most common first
SHAPES: tuple[tuple[str, ...], ...] = (
    ("y", "s"),
    ("s", "y"),
    ("-s", "y"),
    ("y.tolist()", "s.tolist()"),
    (_HITS,),
    (f"np.flatnonzero({_HITS}) + 1",),
    (f"np.flatnonzero({_HITS})",),
    (_WANTED, _FOUND),
    (_FOUND, _WANTED),
    (_FOUND, _WANTED_SET),
    (_ORDER, _POSITIVES),
    (_WANTED_SET, _FOUND),
    (f"[{_WANTED}]", f"[{_FOUND}]"),
    (f"[{_FOUND}]", f"[{_WANTED}]"),
    (_HITS, f"1 - {_HITS}"),
    (f"{_HITS}.tolist()",),
    (f"[{_HITS}.tolist()]",),
    ("list(zip(s, y))",),
    ("y[:, None]", "s[:, None]"),
    ("y[None]", "s[None]"),
)
# After these, only the number of positives can come.
CURVES: tuple[tuple[str, ...], ...] = (
    (_RECALL, _PRECISION),
    (_PRECISION, _RECALL),
    (f"({_RECALL}).tolist()", f"({_PRECISION}).tolist()"),
)
# What parameters may take that come after these, and those that are told by their names
OTHERS = "int(y.sum())", "10", "1", "[]"
OF_NAMES = {
    r"(min|target)_recall": "0.8",
    r"k|(.*_)?at(_?k)?|top_?[kn]?|num_?recs?|n_?recs?|cut(_?off)?|depth|limit": "10",
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

        def call(y: Array, s: Array) -> Any:
            returned = function(*(ARGUMENTS[code](y, s) for code in self.arguments))
            return reduce(getitem, self.keys, returned)

        return call


def find_way(log: CallLog) -> tuple[Way | None, bool]:
    """Return a way to call a function whose values then fit a definition, or else one whose values
    fit a mistake, and whether the function returns several values in any way.
    """
    # The largest first, as functions may fail on fewer samples than their cutoff.
    rankings = sorted(plan_calls()["values"][:_N_RANKINGS], key=lambda call: -call.labels.size)
    common = suppose_common(log.cutoffs)
    in_percent = return_otherwise(common, VALUE_TRANSFORMS[0])
    recipes, expected = join((common, suppose_common(log.cutoffs, with_mistakes=True), in_percent))
    # Definitions of the first rank have few values, which are easily those of others.
    rows = [
        row
        for row, (definition, *_) in enumerate(recipes)
        if not definition.needs_threshold
        and definition.term != IGNORES_RANKING
        and definition.rule.k != 1
    ]
    expected = expected[np.ix_(rows, [call.place for call in rankings])]
    prevalence = np.array([call.labels.mean() for call in rankings])  # It is that of any ranking.
    best, has_values, n_calls = None, False, 0
    for way in _list_ways(log.function, rankings[0]):
        function = way.wrap(log.function)
        called: list[Call] = []
        for call in rankings:
            if len(called) < _N_TRIED_FIRST or any(each.is_number for each in called):
                called.append(log.call(call, function))
        n_calls += len(called)
        if n_calls > (_MAX_CALLS if log.is_quick else _MAX_CALLS_IF_SLOW):
            break
        n_errors = sum(bool(each.error) for each in called)
        if len(called) < len(rankings) or n_errors > _MAX_ERRORS * len(called):
            continue
        values = np.array([each.value for each in called])
        is_telling = np.isfinite(values) & (values != prevalence)
        n_distinct = np.unique(np.round(values[is_telling], 9)).size
        has_values |= n_distinct >= _MIN_DISTINCT
        fitting = np.flatnonzero((equals(values, expected) | ~is_telling).all(axis=1))
        if fitting.size and 2 * is_telling.sum() >= len(rankings):
            recipe = recipes[rows[fitting[0]]]
            is_hit_rate = recipe.definition.term.startswith("hit rate")  # which has two values
            if n_distinct >= (2 if is_hit_rate else _MIN_DISTINCT):
                if not recipe.mistakes:
                    return way, True
                best = best or way
    return best, has_values


def _list_ways(function: Any, call: Call) -> Iterator[Way]:
    """Yield arguments in each shape that the parameters have room for, and then those that take a
    part of what the function returns.
    """
    needed = list_needed(function)
    # A cutoff after these, such as k=None, may be left out.
    optional = [*read_parameters(function).values()][len(needed) : len(needed) + 1]
    optional = [each for each in optional if each.default is None and _tell(each.name) == "10"]
    for names in [needed] + [[*needed, each.name] for each in optional]:
        told = [_tell(name) for name in names]
        for shape, other in (*product(SHAPES, OTHERS), *product(CURVES, OTHERS[:1])):
            rest, arguments = [*shape], []
            for argument in told or [None] * len(shape):
                arguments.append(argument or (rest.pop(0) if rest else other))
            if rest or (other not in arguments and other != OTHERS[0]):
                continue
            way = Way(tuple(arguments))
            if way.arguments != SHAPES[0]:  # This is what was tried before.
                yield way
            returned = call_silently(way.wrap(function), call.labels.copy(), call.scores.copy())
            keys: Any = ()
            if isinstance(returned, Mapping):
                keys = returned
            elif isinstance(returned, tuple | list) or (
                np.size(returned) == np.ndim(returned) == 1
            ):
                keys = range(len(returned))
            yield from (way._replace(keys=(key,)) for key in keys)


def _tell(name: str) -> str | None:
    """Return what a parameter takes, if its name tells."""
    fitting = (code for words, code in OF_NAMES.items() if fullmatch(words, name, IGNORECASE))
    return next(fitting, None)
