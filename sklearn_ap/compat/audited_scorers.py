"""What `scoring=` takes, as functions of labels and scores, and what company changes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from functools import partial
from importlib import import_module
from inspect import Parameter
from itertools import chain, combinations, product
from math import isnan, nan
from textwrap import shorten
from typing import Any, NamedTuple

import numpy as np
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring, get_scorer, get_scorer_names
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.metaestimators import available_if

from .._package import read_toml
from .._words.heard_warnings import hear_warnings
from ..core.ragged import Array
from .call_log import draw_ranking, read_parameters
from .ranking_files import are_values

_SCORER_ARGUMENTS = ("estimator", "est", "clf", "classifier", "model", "X")
_PREFIXES_OF_LABELS = ("y", "label", "target", "true")  # of the names of labels
_N_RANKINGS_IN_COMPANY = 4  # rankings of 20 samples
_MAX_REASON_LENGTH = 150  # characters of an error
# Estimators, by the method that they lack
_ESTIMATOR_KINDS: dict[str, str] = read_toml("compat/peers.toml")["estimators"]
_LABELS, _SCORES = np.array([1, 0, 0, 1]), np.arange(4, 0, -1) / 8

Scorer = Callable[[Any, Array, Array], Any]


class Ranker(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier of two classes, whose only feature is the score of one of them."""

    def __init__(
        self, classes: tuple[Any, Any] = (0, 1), positive: Any = 1, lacks: str = ""
    ) -> None:
        self.classes = classes
        self.positive = positive
        self.lacks = lacks  # the method that it doesn't have
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

    @available_if(lambda self: self.lacks != "decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:
        self.methods.append("decision_function")
        scores = np.asarray(X)[:, 0]
        return scores if self._is_last else -scores

    @available_if(lambda self: self.lacks != "predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        self.methods.append("predict_proba")
        scores = np.asarray(X)[:, 0]
        columns = [1 - scores, scores]
        return np.column_stack(columns if self._is_last else columns[::-1])

    def predict(self, X: Any) -> Array:
        self.methods.append("predict")
        is_last = (np.asarray(X)[:, 0] > 0.5) == self._is_last
        return np.asarray(self.classes_[is_last.astype(int)])

    def score_samples(self, X: Any) -> Array:
        """Return low scores for the outliers."""
        self.methods.append("score_samples")
        return -np.asarray(X)[:, 0]


class Setting(NamedTuple):
    """The classes between which a scorer is audited, and what it gets."""

    positive: Any
    negative: Any
    lacks: str = ""  # the method that the estimator doesn't have
    has_frames: bool = False  # whether the scorer only takes a DataFrame and a Series
    groups: frozenset[str] = frozenset()  # the names under which scorers ask for groups

    @property
    def ranker(self) -> Ranker:
        return Ranker((self.positive, self.negative), self.positive, self.lacks)

    def call(self, scorer: Scorer, labels: Any, scores: Any, ranker: Ranker | None = None) -> Any:
        """Call a scorer with arrays, or with a DataFrame and a Series if the scores are one."""
        X: Any = np.asarray(scores).reshape(-1, 1)
        y: Any = np.where(np.asarray(labels), self.positive, self.negative)
        groups = {name: np.zeros(y.size, dtype=int) for name in self.groups}
        if self.has_frames or not isinstance(scores, np.ndarray):
            pandas = import_module("pandas")
            index = getattr(scores, "index", None)
            X, y = pandas.DataFrame(X, index, ["score"]), pandas.Series(y, index)
        with config_context(enable_metadata_routing=True) if groups else nullcontext():
            return scorer(ranker or self.ranker, X, y, **groups)

    def needs_frames(self, scorers: Mapping[str, Scorer]) -> bool:
        """Whether a scorer fails with arrays, and doesn't with a DataFrame and a Series."""
        failing = [each for each in scorers.values() if self.try_once(each)[0] is None]
        framed = self._replace(has_frames=True)
        return any(framed.try_once(each)[0] is not None for each in failing)

    def try_once(self, scorer: Scorer) -> tuple[Any, list[str], str]:
        """Return what a scorer gives, the methods that it calls, and its complaint."""
        ranker, value, error = self.ranker, None, ""
        with hear_warnings() as heard:
            try:
                value = self.call(scorer, _LABELS, _SCORES, ranker)
            except Exception as raised:
                error = str(raised)
        complaint = error or (heard.text if heard.category else "")
        return value, [*dict.fromkeys(ranker.methods)], complaint


def _read_requested_groups(scorer: Any) -> set[str]:
    """Return the name under which a scorer asks for groups."""
    if not hasattr(scorer, "get_metadata_routing"):
        return set()
    asked = get_routing_for_object(scorer).score.requests.get("groups")
    return {"groups"} if asked is True else {asked} if isinstance(asked, str) else set()


class RankingSource(NamedTuple):
    """The methods by which a scorer ranks, and for which class.

    There are no methods if it fails before it calls one.
    """

    methods: tuple[str, ...]
    positive: Any
    is_class_known: bool  # or it may be either class

    def __str__(self) -> str:
        return ", ".join(filter(None, self._words))

    @property
    def column(self) -> str:
        """What is ranked, if it's a column of probabilities."""
        return " ".join(filter(None, self._words))

    @property
    def _words(self) -> tuple[str, str]:
        of_class = f"for the class {self.positive!r}"
        has_class = bool(self.methods) and self.is_class_known
        return " and ".join(self.methods), of_class if has_class else ""


class Change(NamedTuple):
    """A value that a scorer has in company, and has not alone."""

    scorer: str
    beside: str
    value: float  # nan if it has none, because scikit-learn raises an error
    alone: float
    why: str

    def __str__(self) -> str:
        if isnan(self.value):
            return f"{self.scorer!r} has no value beside {self.beside!r}{self.why}."
        values = f"{self.value:.3f} instead of {self.alone:.3f}"
        return f"{self.scorer!r} changes beside {self.beside!r}: {values}{self.why}."


# --- what was passed -----------------------------------------------------------------------------


def read_scorers(scoring: Any) -> dict[str, Scorer] | None:
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
        return {name: _select_scorer(scoring, name) for name in several}
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
    parameters = [*read_parameters(function).values()]
    kinds = Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD
    required = [each for each in parameters if each.default is each.empty and each.kind in kinds]
    if len(required) == 3 and not required[0].name.startswith(_PREFIXES_OF_LABELS):
        return True
    return any(each.name in _SCORER_ARGUMENTS for each in parameters[:2])


def _select_scorer(scorer: Scorer, name: str) -> Scorer:
    return lambda estimator, X, y: scorer(estimator, X, y)[name]


def make_settings(scorers: Mapping[str, Scorer]) -> list[Setting]:
    """Return settings with the classes 0 and 1, else with what the scorers ask for.

    If they ask for one class, the other one then sorts behind, or before it.
    """
    asked = [label for scorer in scorers.values() for label in _list_requested_classes(scorer)]
    positive, *others = dict.fromkeys(asked) if {*asked} - {0, 1} else [1, 0]
    if others:
        settings = [Setting(positive, others[0])]
    else:
        settings = [Setting(positive, other) for other in _make_neighbor_labels(positive)]
    groups = frozenset().union(*map(_read_requested_groups, scorers.values()))
    settings = [each._replace(groups=groups) for each in settings]
    return [each._replace(has_frames=each.needs_frames(scorers)) for each in settings]


def _make_neighbor_labels(label: Any) -> tuple[Any, Any]:
    """Return a class that sorts behind a label, and one that sorts before it."""
    is_text = isinstance(label, str)
    return (f"~{label}", f"!{label}") if is_text else (abs(label) + 1, label - 1)


def _list_requested_classes(scorer: Any) -> Iterator[Any]:
    """Yield the classes that a scorer asks for.

    They are its options, or the class that an error names: a number, or else text.
    """
    options = getattr(scorer, "_kwargs", {})
    classes, asked = options.get("classes"), options.get("pos_label")
    if classes is not None and len(classes) == 2:
        first = [label for label in classes if asked in (None, label)][-1]
        yield from (first, *(label for label in classes if label != first))
        return
    if asked is not None:
        yield getattr(asked, "item", lambda: asked)()
        return
    refusal = "is not a valid label"
    named = re.search(f"pos_label=(.*?) {refusal}", Setting(1, 0).try_once(scorer)[2])
    if named is None:
        return
    for kind in (int, float, str):
        with suppress(ValueError):
            label = kind(named[1].strip("'\""))
            if refusal not in Setting(label, _make_neighbor_labels(label)[0]).try_once(scorer)[2]:
                yield label
                return


def read_own_class(scorer: Any) -> Any:
    """Return the positive class that a scorer says it has, or that its function has by default."""
    asked = getattr(scorer, "_kwargs", {}).get("pos_label")
    if asked is None:
        parameter = read_parameters(getattr(scorer, "_score_func", None)).get("pos_label")
        asked = None if parameter is None else parameter.default
    return asked


def is_of_sklearn(scorer: Scorer) -> bool:
    """Whether it's called like a scorer of scikit-learn for anything but average precision."""
    names = {_name_function(get_scorer(name)) for name in get_scorer_names()}
    return _name_function(scorer) in names - {_name_function(get_scorer("average_precision"))}


def is_made_by_sklearn(scorer: Scorer) -> bool:
    """Whether `make_scorer` made it, whose options say by which method it ranks."""
    return isinstance(scorer, type(get_scorer("average_precision")))


def _name_function(scorer: Scorer) -> str:
    """Return the beginning of a repr such as "make_scorer(f1_score, response_method='predict')"."""
    return repr(scorer).partition(",")[0]


# --- company -------------------------------------------------------------------------------------


class TogetherScores(NamedTuple):
    """The values of scorers that scikit-learn calls together, or its error."""

    values: dict[str, list[float]]  # one for each ranking, nan for a scorer that fails
    error: str = ""


def find_changes(
    scorers: Mapping[str, Scorer], settings: list[Setting], positives: Mapping[str, Any]
) -> Iterator[Change]:
    """Yield the scorers whose value changes beside another one, each of them once.

    `positives` are the classes that they rank by.
    """
    rng = np.random.default_rng(0)
    rankings = [draw_ranking(20, False, rng) for _ in range(_N_RANKINGS_IN_COMPANY)]
    turned = [(labels, 1 - scores) for labels, scores in rankings]
    found: dict[str, Change] = {}
    failures: dict[tuple[str, str], dict[str, list[Change]]] = defaultdict(dict)
    kinds: dict[str, set[str]] = defaultdict(set)  # of estimators, with which each scorer changes
    for setting, lacks in product(settings, _ESTIMATOR_KINDS):
        score = partial(_score_together, setting=setting._replace(lacks=lacks))
        alone: dict[str, list[float]] = {}
        for name, scorer in scorers.items():
            alone |= score({name: scorer}, rankings).values
        for pair in combinations(alone, 2):
            together = score({each: scorers[each] for each in pair}, rankings)
            if together.error:
                failing = _list_failing(pair, alone, lacks, together.error)
                if failing:
                    failures[pair][lacks] = failing
            for name, other in (pair, pair[::-1]):
                in_pair = together.values.get(name, alone[name])
                place = _find_first_change(in_pair, alone[name])
                if place is None:
                    continue
                kinds[name].add(lacks)
                of_turned = score({name: scorers[name]}, turned).values.get(name, alone[name])
                why = ""
                if _find_first_change(in_pair, of_turned) is None:
                    shared = positives[pair[0]]
                    why = f", because scikit-learn hands the scores of {shared!r} to both"
                change = Change(name, other, in_pair[place], alone[name][place], why)
                found.setdefault(name, change)
    for name, change in found.items():
        yield change._replace(why=f"{change.why}{_describe_kinds(kinds[name])}")
    for by_kind in failures.values():
        # With a single one of these kinds, a scorer may only need what such estimators lack
        if len(by_kind) > 1 or "" in by_kind:
            yield from chain.from_iterable(by_kind.values())


def _list_failing(
    pair: tuple[str, str], alone: Mapping[str, list[float]], lacks: str, error: str
) -> list[Change]:
    """Return the scorers of a pair that have a value alone, where scikit-learn raises an error."""
    has = f"with estimators that have {_ESTIMATOR_KINDS[lacks]}"
    why = f": scikit-learn raises an error {has}: {error}"
    failing = []
    for name, other in (pair, pair[::-1]):
        if not isnan(alone[name][0]):
            failing.append(Change(name, other, nan, alone[name][0], why))
            why = f", {has}"  # as the error of both is said already
    return failing


def _describe_kinds(kinds: set[str]) -> str:
    """Say with which estimators a value changes, if not with all."""
    if len(kinds) == len(_ESTIMATOR_KINDS):
        return ""
    has = ", or ".join(words for kind, words in _ESTIMATOR_KINDS.items() if kind in kinds)
    return f", with estimators that have {has}"


def _score_together(
    scorers: Mapping[str, Scorer], rankings: list[tuple[Array, Array]], setting: Setting
) -> TogetherScores:
    # As estimators have the last class
    positive, negative = max(setting[:2]), min(setting[:2])
    setting = setting._replace(positive=positive, negative=negative)
    values: dict[str, list[float]] = {name: [] for name in scorers}
    # Since scikit-learn 1.6; before, all scorers fail with one
    options = {"raise_exc": False} if "raise_exc" in read_parameters(check_scoring) else {}
    with hear_warnings():
        try:
            scorer = check_scoring(setting.ranker, scoring=dict(scorers), **options)
            for ranking in rankings:
                for name, value in setting.call(scorer, *ranking).items():
                    values[name].append(nan if isinstance(value, str) else value)
        except Exception as error:
            if not options:
                return TogetherScores({})
            text = shorten(f"{type(error).__name__}: {error}", _MAX_REASON_LENGTH)
            return TogetherScores({}, text.rstrip("."))
    return TogetherScores(values)


def _find_first_change(values: list[float], others: list[float]) -> int | None:
    """Return the place of the first value that differs from the other one; None if none does."""
    is_same = np.isclose(values, others, rtol=0, atol=1e-9, equal_nan=True)
    return None if is_same.all() else int(np.argmin(is_same))
