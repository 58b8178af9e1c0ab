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
from ..transforms import NEGATED
from .battery import WEIGHTS, Call, CallLog, call_silently, plan_calls, read_parameters
from .search import Recognition, equals, list_definitions_and_mistakes

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
_N_RANKINGS = 14  # with which each shape is tried
_N_TRIED_FIRST = 3  # one of these has to have a value
_MAX_CALLS, _MAX_CALLS_IF_SLOW = 3_000, 60


class Argument(NamedTuple):
    """What a function may take: code of labels y and scores s, and its value."""

    code: str
    compute: Callable[[Array, Array], Any]


def as_list(argument: Argument) -> Argument:
    code = f"({argument.code})" if " / " in argument.code else argument.code
    return Argument(f"{code}.tolist()", lambda y, s: argument.compute(y, s).tolist())


def of_one_query(argument: Argument) -> Argument:
    return Argument(f"[{argument.code}]", lambda y, s: [argument.compute(y, s)])


def rank_labels(y: Array, s: Array) -> Array:
    return y[np.argsort(-s, kind="stable")]


Y, S = Argument("y", lambda y, s: y), Argument("s", lambda y, s: s)
_ORDER = Argument('np.argsort(-s, kind="stable")', lambda y, s: np.argsort(-s, kind="stable"))
_HITS = Argument(f"y[{_ORDER.code}]", rank_labels)  # labels from the highest score down
_POSITIVES = Argument("np.flatnonzero(y)", lambda y, s: np.flatnonzero(y))
_FOUND, _WANTED = as_list(_ORDER), as_list(_POSITIVES)  # ids
_WANTED_SET = Argument("{*np.flatnonzero(y)}", lambda y, s: {*np.flatnonzero(y)})
_RECALL = Argument(
    f"np.cumsum({_HITS.code}) / max(y.sum(), 1)",
    lambda y, s: np.cumsum(rank_labels(y, s)) / max(y.sum(), 1),
)
_PRECISION = Argument(
    f"np.cumsum({_HITS.code}) / np.arange(1, y.size + 1)",
    lambda y, s: np.cumsum(rank_labels(y, s)) / np.arange(1, y.size + 1),
)
_ONE = Argument("1", lambda y, s: 1)

# What functions take together, the most common first
SHAPES: tuple[tuple[Argument, ...], ...] = (
    (Y, S),
    (S, Y),
    (Argument("-s", lambda y, s: -s), Y),  # distances
    (as_list(Y), as_list(S)),
    (_HITS,),
    (
        Argument(
            f"np.flatnonzero({_HITS.code}) + 1", lambda y, s: np.flatnonzero(rank_labels(y, s)) + 1
        ),
    ),
    (Argument(f"np.flatnonzero({_HITS.code})", lambda y, s: np.flatnonzero(rank_labels(y, s))),),
    (_WANTED, _FOUND),
    (_FOUND, _WANTED),
    (_FOUND, _WANTED_SET),
    (_ORDER, _POSITIVES),
    (_WANTED_SET, _FOUND),
    (of_one_query(_WANTED), of_one_query(_FOUND)),
    (of_one_query(_FOUND), of_one_query(_WANTED)),
    (_HITS, Argument(f"1 - {_HITS.code}", lambda y, s: 1 - rank_labels(y, s))),  # hits and misses
    (_ONE, _HITS),
    (_ONE, as_list(_HITS)),
    (as_list(_HITS),),
    (of_one_query(as_list(_HITS)),),
    (S, _WANTED),
    (Argument("list(zip(s, y))", lambda y, s: [*zip(s, y, strict=True)]),),
    (
        Argument("y[:, None]", lambda y, s: y[:, None]),
        Argument("s[:, None]", lambda y, s: s[:, None]),
    ),
    (Argument("y[None]", lambda y, s: y[None]), Argument("s[None]", lambda y, s: s[None])),
)
# After these, only the number of positives can come.
CURVES: tuple[tuple[Argument, ...], ...] = (
    (_RECALL, _PRECISION),
    (_PRECISION, _RECALL),
    (as_list(_RECALL), as_list(_PRECISION)),
)
# What parameters may take that come after these, and those that are told by their names
_CUTOFF = Argument("10", lambda y, s: 10)
OTHERS = (
    Argument("int(y.sum())", lambda y, s: int(y.sum())),
    _CUTOFF,
    _ONE,
    Argument("[]", lambda y, s: []),
)
OF_NAMES = {
    "|".join(WEIGHTS): Argument("np.ones(y.size)", lambda y, s: np.ones(y.size)),
    r"frac(tion)?": Argument("0.1", lambda y, s: 0.1),
    r"(min|target)_recall": Argument("0.8", lambda y, s: 0.8),
    r"k|(.*_)?at(_?k)?|top_?[kn]?|num_?recs?|n_?recs?|cut(_?off)?|depth|limit": _CUTOFF,
}
HINT = "No shape fits that was tried, such as ids. Pass a lambda of labels y and scores s."


class Way(NamedTuple):
    """A way to call a function with labels and scores."""

    arguments: tuple[Argument, ...]
    keys: tuple[Any, ...] = ()  # of the number among what the function returns

    @property
    def code(self) -> str:
        arguments = ", ".join(argument.code for argument in self.arguments)
        return f"f({arguments})" + "".join(f"[{key!r}]" for key in self.keys)

    def wrap(self, function: Callable[..., Any]) -> Callable[[Array, Array], Any]:
        """Return the function of labels and scores that the code is."""

        def call(y: Array, s: Array) -> Any:
            returned = function(*(argument.compute(y, s) for argument in self.arguments))
            return reduce(getitem, self.keys, returned)

        return call


def find_way(log: CallLog, is_near: bool) -> tuple[Way | None, bool]:
    """Return a way to call a function whose values then fit a definition, and whether the function
    returns several values in any way.

    If none `is_near` what labels and scores give, two thirds of them are enough. A way that gives a
    definition is better than one that gives a mistake.
    """
    # The largest first, as functions may fail on fewer samples than their cutoff.
    rankings = sorted(plan_calls()["values"][:_N_RANKINGS], key=lambda call: -call.labels.size)
    candidates = list_definitions_and_mistakes(log.cutoffs)
    expected = candidates.values[:, [call.place for call in rankings]]
    prevalence = np.array([call.labels.mean() for call in rankings])  # It is that of any ranking.
    most = (1.0 if is_near else _MIN_SHARE), False
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
        if len(called) < len(rankings) or sum(
            bool(each.error) for each in called
        ) > _MAX_ERRORS * len(called):
            continue
        values = np.array([each.value for each in called])
        is_telling = np.isfinite(values) & (values != prevalence)
        has_values |= np.unique(values[is_telling]).size >= _MIN_DISTINCT
        fits = equals(values, expected) & is_telling
        row = int(fits.sum(axis=1).argmax())
        share = fits[row].sum() / max(is_telling.sum(), len(rankings) // 2)
        recipe, n_distinct = candidates.recipes[row], np.unique(np.round(values[fits[row]], 9)).size
        n_needed = 2 if recipe.definition.has_two_values and share == 1 else _MIN_DISTINCT
        fit = share, not recipe.mistakes
        if n_distinct >= n_needed and (fit > most or (best is None and fit >= most)):
            most, best = fit, way
        if most == (1.0, True):
            break
    return best, has_values


def _list_ways(function: Any, call: Call) -> Iterator[Way]:
    """Yield ways to call a function, and then those that take a part of what it returns."""
    for way in _list_ways_to_pass(function):
        if way.arguments != (Y, S):  # This is what was tried before.
            yield way
        returned: Any = call_silently(way.wrap(function), *call.arguments)
        if isinstance(returned, Mapping):
            yield from (way._replace(keys=(key,)) for key in returned)
        elif isinstance(returned, tuple | list) or (np.size(returned) == 1 and np.ndim(returned)):
            yield from (way._replace(keys=(key,)) for key in range(len(returned)))


def _list_ways_to_pass(function: Any) -> Iterator[Way]:
    """Yield arguments in each shape that the parameters have room for."""
    needed = list_needed(function)
    # A cutoff after these, such as k=None, may be left out.
    optional = [*read_parameters(function).values()][len(needed) : len(needed) + 1]
    optional = [each for each in optional if each.default is None and _tell(each.name) == _CUTOFF]
    for names in [needed] + [[*needed, each.name] for each in optional]:
        told = [_tell(name) for name in names]
        for shape, other in (*product(SHAPES, OTHERS), *product(CURVES, OTHERS[:1])):
            rest, arguments = [*shape], []
            for argument in told or [None] * len(shape):
                arguments.append(argument or (rest.pop(0) if rest else other))
            if not rest and (other in arguments or other == OTHERS[0]):
                yield Way(tuple(arguments))


def _tell(name: str) -> Argument | None:
    """Return what a parameter takes, if its name tells."""
    fitting = (
        argument for words, argument in OF_NAMES.items() if fullmatch(words, name, IGNORECASE)
    )
    return next(fitting, None)
