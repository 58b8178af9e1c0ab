"""Scorers of several metrics, which predict once for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from inspect import signature
from math import nan
from traceback import format_exc
from typing import Any, NoReturn, Self

import sklearn
import sklearn.metrics
from sklearn.utils import metadata_routing

from .. import metrics
from .._enter.entry import public
from .._enter.metric import Metric, write_log_name
from .._evaluate.predictors import with_cached_predictions
from .._inputs.metric_names import MAP, find_meaning
from .._inputs.records import SHARED
from .._package import read_toml
from .._words.messages import warn
from .._words.parameters import explain_missing_parameters, format_value, suggest_option
from ..core.rules import RULES
from .binding import UNBOUND_PARAMETERS
from .metadata_requests import (
    can_take_weight,
    check_request,
    list_requests,
    make_signature_without_params,
    pop_requests,
    select_params,
)
from .named_scorers import get_scorer
from .ranking_scorer import make_ap_scorer
from .score_functions import ADVICE_ON_TUNING
from .scorer_types import Scorer, SklearnScorer, format_as_code

_METRICS = {MAP, *(kind.metric for kind in RULES if kind.metric)}


@public(unchecked=SHARED)  # which `make_ap_scorer` checks
def make_multi_scorer(
    scorers: Sequence[str | Metric | Scorer] | Mapping[str, str | Metric | Scorer],
    *,
    error_score: float | str = nan,
    **options: Any,
) -> MultiScorer:
    """Combine several scorers into one, for `scoring=` of searches and `cross_validate`.

    It predicts once for all of them, and each gets the scores of its own positive class.
    scikit-learn doesn't tell a callable the `error_score` of a search, so pass it here.

    Parameters
    ----------
    scorers : list or dict
        Names for :func:`get_scorer`, objects made by :func:`metric`, or scorers. In a list, the
        results of names are called as you typed them, such as "P@1%". A dict names the results.
    error_score : float or 'raise', default=nan
        The value of a scorer that fails. 'raise' raises its error.
    **options
        Parameters of :func:`make_ap_scorer` and of metrics, such as `pos_label` or `k`, which apply
        to all metrics of this package that accept them.

    Returns
    -------
    scorer : callable
        A callable that returns a dict with the value of each scorer. Its attribute `scorers` has
        their names, for `refit=` of a search. With metadata routing,
        `set_score_request(sample_weight=True)` requests weights for all scorers that accept them,
        and `groups=True` groups for those of this package.

    See Also
    --------
    make_ap_scorer

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn_ap import make_multi_scorer
    >>> X, y = [[0], [1], [2], [3]], [0, 0, 1, 1]
    >>> several = make_multi_scorer(["AP", "P@1"], pos_label=0)
    >>> several(GaussianNB().fit(X, y), X, y)
    {'AP': 1.0, 'P@1': 1.0}
    """
    scorings = _read_scorings(scorers)
    if isinstance(error_score, str) and error_score != "raise":
        raise ValueError(f"error_score must be a number or 'raise'. Got {error_score!r} instead.")
    requests = pop_requests(options)
    for name, request in requests.items():
        check_request("make_multi_scorer", name, request)
    _check_option_names(options)
    _check_same_class(scorings, options.get("pos_label"))
    own_options = {name: _select_options(scoring, options) for name, scoring in scorings.items()}
    made: dict[str, Scorer] = {
        name: get_scorer(scoring, **own_options[name]) for name, scoring in scorings.items()
    }
    for option in options:
        if not any(option in of_scorer for of_scorer in own_options.values()):
            raise TypeError(
                f"None of the scorers {', '.join(scorings)} takes the option {option}, or its name "
                "or metric() already contains it. Leave it out."
            )
    sklearn_names = {name: each for name, each in scorings.items() if _is_name_of_sklearn(each)}
    several = MultiScorer(made, error_score, sklearn_names)
    return several.set_score_request(**requests) if requests else several


def _read_scorings(scorers: Any) -> dict[str, Any]:
    """Return scorers by the names of their results."""
    if isinstance(scorers, str) or not isinstance(scorers, Sequence | Mapping):
        raise TypeError(
            "make_multi_scorer needs a list of names or scorers, or a dict, but got "
            f"{format_value(scorers)}. Write make_multi_scorer(['AP', 'P@1%'])."
        )
    each = scorers.values() if isinstance(scorers, Mapping) else scorers
    if not scorers:
        raise ValueError(
            "make_multi_scorer needs at least one scorer, as in make_multi_scorer(['AP'])."
        )
    if any(isinstance(scorer, MultiScorer) for scorer in each):
        raise TypeError(
            "make_multi_scorer can't contain a scorer of several metrics. Pass its scorers, "
            "as in make_multi_scorer(scorer.scorers)."
        )
    if isinstance(scorers, Mapping):
        for name in scorers:
            if not isinstance(name, str):
                raise TypeError(
                    f"The names of scorers must be strings. Got {format_value(name)} instead."
                )
        return dict(scorers)
    named = {}
    for scorer in scorers:
        # What was typed, or the name of a scorer or metric
        name = scorer if isinstance(scorer, str) else getattr(scorer, "__name__", None)
        if not name:
            raise TypeError(
                f"{format_value(scorer)} has no name, so pass a dict, as in "
                "make_multi_scorer({'name': ...})."
            )
        if name in named:
            raise ValueError(
                f"Two scorers are called {name!r}. Pass a dict, which names them: "
                "make_multi_scorer({'name': ...})."
            )
        named[name] = scorer
    return named


def _list_options(metric: str) -> set[str]:
    """Return the options of the scorer of a metric."""
    of_metric = {*signature(getattr(metrics, f"{metric}_score")).parameters}
    of_maker = {*signature(make_ap_scorer).parameters}
    of_data = {"y_true", "y_score", *UNBOUND_PARAMETERS}
    return (of_metric - of_data) | (of_maker - {"metric", "options"})


def _select_options(scoring: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that apply to a metric, which are none for other scorers."""
    name, bound = scoring, {}
    if isinstance(scoring, Metric):
        name, bound = scoring.definition, scoring.options
    named = find_meaning(name)
    if named is None or not named.metric:
        return {}
    free = _list_options(named.metric) - {*named.options, *bound}
    return {option: value for option, value in options.items() if option in free}


def _check_option_names(options: Mapping[str, Any]) -> None:
    """Check that keywords are options, neither misspelled nor scorers nor data."""
    known = set().union(*(_list_options(metric) for metric in _METRICS))
    for name, value in options.items():
        if name in known:
            continue
        why = suggest_option(name, known) or explain_missing_parameters("make_multi_scorer", [name])
        if name in UNBOUND_PARAMETERS:
            why = " It belongs to the data."
        is_scorer = callable(value) or isinstance(value, str)
        if is_scorer and not why:
            call = f"make_multi_scorer({{{name!r}: {format_value(value)}}})"
            why = f" Pass scorers in a dict, as in {call}."
        raise TypeError(
            f"make_multi_scorer got {name}={format_value(value)}, which is not an option of a "
            f"metric.{why}"
        )


def _is_name_of_sklearn(scoring: Any) -> bool:
    """Whether this is the name of a scorer that only scikit-learn has."""
    return isinstance(scoring, str) and find_meaning(scoring) is None


def _check_same_class(scorings: Mapping[str, Any], pos_label: Any) -> None:
    """Refuse a positive class beside scorers of scikit-learn that would evaluate the class 1."""
    of_class_1 = read_toml("_words/messages.toml")["of_class_1"]
    for scoring in scorings.values():
        if pos_label not in (None, 1) and isinstance(scoring, str) and scoring in of_class_1:
            raise ValueError(
                f"pos_label={pos_label!r} doesn't reach scikit-learn's scorer {scoring!r}, which "
                f"evaluates the class 1. Pass a dict with {scoring!r}: make_scorer("
                f"{of_class_1[scoring]}, pos_label={pos_label!r}) of sklearn.metrics."
            )


class MultiScorer:
    """Callable that evaluates several scorers; made by `make_multi_scorer`."""

    can_take_all_metadata = True

    def __init__(
        self, scorers: dict[str, Scorer], error_score: float | str, sklearn_names: dict[str, str]
    ) -> None:
        self.scorers = scorers
        self.error_score = error_score
        self.sklearn_names = sklearn_names  # names of scorers, whose own reprs aren't all Python
        self.__name__ = write_log_name("_and_".join(scorers))

    def __call__(
        self, estimator: Any, X: Any, y_true: Any = None, sample_weight: Any = None, **params: Any
    ) -> dict[str, float]:
        if sample_weight is not None:
            params["sample_weight"] = sample_weight
        params_of: dict[str, Any] = {}  # what each scorer gets
        if sklearn.get_config()["enable_metadata_routing"]:
            routed = metadata_routing.process_routing(self, "score", **params)
            params_of = {name: routed[name].score for name in self.scorers}
        else:
            for name, scorer in self.scorers.items():
                params_of[name] = select_params(name, scorer, params)
        data = (X,) if y_true is None else (X, y_true)
        predictor = with_cached_predictions(estimator)
        values = {}
        for name, scorer in self.scorers.items():
            model = predictor if isinstance(scorer, SklearnScorer) else estimator
            try:
                values[name] = scorer(model, *data, **params_of[name])
            except Exception:
                if self.error_score == "raise":
                    raise
                # in scikit-learn's words
                warn(
                    "Scoring failed. The score on this train-test partition for these parameters "
                    f"will be set to {self.error_score}. Details: \n{format_exc()}"
                )
                values[name] = self.error_score
        return values

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Request metadata for all scorers that accept it, and keep all other requests.

        Scorers of this package accept all metadata, and other scorers only weights.
        """
        requested: set[str] = set()
        for name, scorer in self.scorers.items():
            of_scorer = {}
            if getattr(scorer, "can_take_all_metadata", False):
                of_scorer = requests
            elif "sample_weight" in requests and can_take_weight(scorer):
                of_scorer = {"sample_weight": requests["sample_weight"]}
            if of_scorer and hasattr(scorer, "set_score_request"):
                # The caller's scorer keeps its request.
                copied: Any = deepcopy(scorer)
                self.scorers[name] = copied.set_score_request(**list_requests(scorer) | of_scorer)
                requested |= {*of_scorer}
        lacking = {*requests} - requested
        if lacking:
            raise TypeError(
                f"None of the scorers {', '.join(self.scorers)} takes {', '.join(sorted(lacking))}."
            )
        return self

    @property
    def _score_func(self) -> NoReturn:
        first = next(iter(self.scorers))
        raise TypeError(
            "A scorer of several metrics can't be used where a single value is needed, as in "
            "LogisticRegressionCV. Pass one of its scorers, as in "
            f"scoring=scorer.scorers[{first!r}]. {ADVICE_ON_TUNING}"
        )

    def __repr__(self) -> str:
        arguments = [str(self.scorers | self.sklearn_names)]
        error_score = format_as_code(self.error_score)
        if error_score != "float('nan')":
            arguments.append(f"error_score={error_score}")
        return f"make_multi_scorer({', '.join(arguments)})"

    def get_metadata_routing(self) -> metadata_routing.MetadataRouter:
        # scikit-learn checks the requests of scorers in a callable only when it scores, and makes
        # nan of the error. It checks those of the callable itself before it fits anything.
        own = metadata_routing.MetadataRequest(owner=self)
        for scorer in self.scorers.values():
            requests = metadata_routing.get_routing_for_object(scorer).score.requests
            for name in [name for name, alias in requests.items() if alias is None]:
                own.score.add_request(param=name, alias=None)
        return (
            metadata_routing.MetadataRouter(owner=self)
            .add_self_request(own)
            .add(
                **self.scorers,
                method_mapping=metadata_routing.MethodMapping().add(caller="score", callee="score"),
            )
        )


MultiScorer.__signature__ = make_signature_without_params(MultiScorer.__call__)  # type: ignore[attr-defined]
MultiScorer.__module__ = "sklearn_ap.scorers"  # where users find it
