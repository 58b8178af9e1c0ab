"""What `scoring=` takes, as functions of labels and scores, and what company changes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names

from ..core.within import Array
from .replayed import are_values
from .trials import random_ranking

_SCORER_ARGUMENTS = ("estimator", "est", "clf", "classifier", "model", "X")
_N_IN_COMPANY = 12  # rankings of 20 samples

_LABELS, _SCORES = np.array([1, 0, 0, 1]), np.arange(4, 0, -1) / 8

Scorer = Callable[[Any, Array, Array], Any]


class Ranker(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier of two classes, whose only feature is the score of one of them."""

    def __init__(self, classes: tuple[Any, Any] = (0, 1), positive: Any = 1) -> None:
        self.classes = classes
        self.positive = positive
        self.methods: list[str] = []  # that were called

    @property
    def classes_(self) -> Array:
        return np.unique(self.classes)

    def fit(self, X: Array, y: Array) -> Ranker:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def _is_last(self) -> bool:
        return bool(self.classes_[-1] == self.positive)

    def decision_function(self, X: Array) -> Array:
        self.methods.append("decision_function")
        return X[:, 0] if self._is_last else -X[:, 0]

    def predict_proba(self, X: Array) -> Array:
        self.methods.append("predict_proba")
        columns = [1 - X[:, 0], X[:, 0]]
        return np.column_stack(columns if self._is_last else columns[::-1])

    def predict(self, X: Array) -> Array:
        self.methods.append("predict")
        is_last = (X[:, 0] > 0.5) == self._is_last
        predicted: Array = self.classes_[is_last.astype(int)]
        return predicted

    def score_samples(self, X: Array) -> Array:
        """Return low scores for the outliers."""
        self.methods.append("score_samples")
        return -X[:, 0]


class Setting(NamedTuple):
    """The classes between which a scorer is audited."""

    positive: Any
    negative: Any

    @property
    def turned(self) -> Setting:
        return Setting(self.negative, self.positive)

    @property
    def ranker(self) -> Ranker:
        return Ranker((self.positive, self.negative), self.positive)

    def labels(self, is_positive: Array) -> Array:
        labels: Array = np.where(is_positive, self.positive, self.negative)
        return labels

    def call(self, scorer: Scorer, labels: Array, scores: Array) -> Any:
        return scorer(self.ranker, scores.reshape(-1, 1), self.labels(labels))

    def try_once(self, scorer: Scorer, scores: Array = _SCORES) -> tuple[Any, list[str], str]:
        """Return what a scorer gives, the methods that it calls, and its complaints."""
        ranker, value, error = self.ranker, None, ""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                value = scorer(ranker, scores.reshape(-1, 1), self.labels(_LABELS))
            except Exception as raised:
                error = str(raised)
        complaints = " ".join([error, *(str(each.message) for each in caught)])
        return value, [*dict.fromkeys(ranker.methods)], complaints


class Change(NamedTuple):
    """A value that a scorer has in company, and has not alone."""

    scorer: str
    beside: str
    value: float
    alone: float
    why: str

    def __str__(self) -> str:
        values = f"{self.value:.3f} instead of {self.alone:.3f}"
        return f"{self.scorer!r} changes beside {self.beside!r}: {values}{self.why}."


# --- what was passed -----------------------------------------------------------------------------


def scorers_of(scoring: Any) -> dict[str, Scorer] | None:
    """Return the scorers by their names; None for a function of labels and scores, or its values.

    A single scorer has the name "".
    """
    if are_values(scoring):
        return None
    if isinstance(scoring, str):
        return {"": _named(scoring)}
    if isinstance(scoring, Mapping):
        return {name: _named(scorer) for name, scorer in scoring.items()}
    if isinstance(scoring, list | tuple | set):
        return {each if isinstance(each, str) else repr(each): _named(each) for each in scoring}
    if not _is_scorer(scoring):
        return None
    several, _, _ = Setting(1, 0).try_once(scoring)
    if isinstance(several, Mapping):  # a scorer of several metrics
        return {name: _one_of(scoring, name) for name in several}
    return {"": scoring}


def _named(scorer: Any) -> Any:
    """Return the scorer of scikit-learn with this name, or what was passed instead of a name."""
    if not isinstance(scorer, str):
        return scorer
    if scorer not in get_scorer_names():
        raise ValueError(
            f"scikit-learn has no scorer called {scorer!r}. Pass a name of "
            "sklearn.metrics.get_scorer_names(), or a scorer, such as "
            f"sklearn_ap.get_scorer({scorer!r}) for a metric of this package."
        )
    return get_scorer(scorer)


def _is_scorer(function: Any) -> bool:
    try:
        names = [*signature(function).parameters]
    except (TypeError, ValueError):  # not all functions have a signature
        return False
    return any(name in _SCORER_ARGUMENTS for name in names[:2])


def _one_of(scorer: Scorer, name: str) -> Scorer:
    return lambda estimator, X, y: scorer(estimator, X, y)[name]


def settings_for(scorers: Mapping[str, Scorer]) -> list[Setting]:
    """Return settings with the classes 0 and 1, else with what the scorers ask for.

    If they ask for one class, the other one then sorts behind, or before it.
    """
    asked = [label for scorer in scorers.values() for label in _asked_for(scorer)]
    positive, *others = dict.fromkeys(asked) or [1, 0]
    if others:
        return [Setting(positive, others[0])]
    if isinstance(positive, str):
        return [Setting(positive, f"~{positive}"), Setting(positive, f"!{positive}")]
    return [Setting(positive, abs(positive) + 1), Setting(positive, positive - 1)]


def _asked_for(scorer: Scorer) -> Iterator[Any]:
    """Yield the class that a scorer asks for, if it isn't 0 or 1: a number, or else text."""
    _, _, complaint = Setting(1, 0).try_once(scorer)
    asked = re.findall(r"pos_label=(.*?) is not a valid label", complaint)
    for kind in (int, float, str) if asked else ():
        with suppress(ValueError):
            label = kind(asked[0].strip("'\""))
            other = f"~{label}" if isinstance(label, str) else abs(label) + 1
            if "is not a valid label" not in Setting(label, other).try_once(scorer)[2]:
                yield label
                return


def is_of_sklearn(scorer: Scorer) -> bool:
    """Whether it's called like a scorer of scikit-learn for anything but average precision."""
    names = {_function_of(get_scorer(name)) for name in get_scorer_names()}
    return _function_of(scorer) in names - {_function_of(get_scorer("average_precision"))}


def _function_of(scorer: Scorer) -> str:
    """Return the beginning of a repr such as "make_scorer(f1_score, response_method='predict')"."""
    return repr(scorer).partition(",")[0]


# --- company -------------------------------------------------------------------------------------


def changes(
    scorers: Mapping[str, Scorer], settings: list[Setting], positives: Mapping[str, Any]
) -> Iterator[Change]:
    """Yield the scorers whose value changes beside the others, each of them once.

    `positives` are the classes that they rank by.
    """
    rng = np.random.default_rng(0)
    rankings = [random_ranking(20, False, rng) for _ in range(_N_IN_COMPANY)]
    changed = set()
    for setting in settings:
        for labels, scores in rankings:
            alone: dict[str, float] = {}
            for name, scorer in scorers.items():
                alone |= _values_together({name: scorer}, setting, labels, scores)
            working = {name: scorers[name] for name in alone}
            together = _values_together(working, setting, labels, scores)
            for name in together:
                if name in changed or _is_same(together[name], alone[name]):
                    continue
                changed.add(name)
                for other in working:
                    pair = {each: working[each] for each in working if each in (name, other)}
                    value = _values_together(pair, setting, labels, scores).get(name, np.nan)
                    if not _is_same(value, alone[name]):
                        first = positives[next(iter(pair))]
                        why = f", because scikit-learn hands the scores of {first!r} to both"
                        yield Change(name, other, value, alone[name], why)
                        break


def _values_together(
    scorers: Mapping[str, Scorer], setting: Setting, labels: Array, scores: Array
) -> dict[str, float]:
    """Return the values of scorers in one dict, as far as they don't fail."""
    setting = Setting(max(setting), min(setting))  # as estimators have the last class
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            scorer = check_scoring(setting.ranker, scoring=dict(scorers))
            return dict(setting.call(scorer, labels, scores))
        except Exception:
            return {}


def _is_same(value: float, other: float) -> bool:
    return bool(np.isclose(value, other, rtol=0, atol=1e-9, equal_nan=True))
