"""What the functions in `scorers.py` return: scorers that are right beside others.

In a dict of scorers, scikit-learn 1.5 to 1.9 keeps the predictions of the first scorer for all
others that call the same method, whatever their `pos_label`. So a scorer of another class would get
the scores of the wrong class, and hand those of its own to all others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from inspect import Signature, signature
from traceback import format_exc
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np
import sklearn
from sklearn.metrics import average_precision_score, make_scorer
from sklearn.utils import metadata_routing

from . import _bound
from ._enter.metric import name_in_logs
from ._evaluate.classifiers import as_classifier, predicting_once
from ._words.arrays import to_host
from ._words.messages import warn
from .core.within import Array

Scorer = Callable[..., Any]
SklearnScorer: Any = type(make_scorer(average_precision_score))


class FactoryCall(NamedTuple):
    """A call that makes a scorer, as its repr writes it."""

    factory: str
    options: dict[str, Any]
    metric: str = ""  # in Python; empty if the factory takes none

    def __str__(self) -> str:
        texts = [f"{name}={in_python(value)}" for name, value in self.options.items()]
        return f"{self.factory}({', '.join(filter(None, [self.metric, *texts]))})"

    def with_options(self, **options: Any) -> Self:
        return self._replace(options=self.options | options)


def in_python(value: Any) -> str:
    """Write a value as Python's code, without types of NumPy, and nan so that it can be read."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        items = [f"{in_python(key)}: {in_python(item)}" for key, item in value.items()]
        return f"{{{', '.join(items)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(in_python, value))}]"
    is_number = isinstance(value, float) and np.isfinite(value)
    return f"float('{value}')" if isinstance(value, float) and not is_number else repr(value)


class RankingScorer(SklearnScorer):  # type: ignore[misc]
    """A scorer that `make_scorer` made, and that gives beside others what it gives alone."""

    takes_all_metadata = True  # for `MultiScorer`

    def __init__(self, made: Any, name: str, pos_label: Any, call: FactoryCall) -> None:
        self.__dict__.update(vars(made))
        self.alone = made
        self.pos_label = pos_label  # None: predictions are the same for all classes
        self.call = call
        self.own_requests: dict[str, Any] = {}  # those that the call sets
        self.__name__ = name

    def _score(
        self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **params: Any
    ) -> float:
        """Evaluate the scorer. `method_caller` returns what another scorer has predicted, if any.

        This is the only private method of scikit-learn that this package knows. If a release
        doesn't call it, dicts of scorers with different classes are mixed up again.
        """
        try:
            if self._predicts_as_all_others(estimator):
                value = super()._score(method_caller, estimator, X, y_true, **params)
            else:
                value = self.alone(estimator, X, y_true, **params)
        except ValueError as error:
            self._say_what_to_write(error, estimator)
            raise
        return value  # type: ignore[no-any-return]

    def _predicts_as_all_others(self, estimator: Any) -> bool:
        """Whether its positive class is the one of scorers that name none, such as "roc_auc"."""
        classes = to_host(getattr(estimator, "classes_", None))
        if self.pos_label is None or classes is None or isinstance(classes, list):
            return True  # a regressor, a detector, or several targets, whose scores are all used
        return len(classes) > 0 and bool(np.asarray(classes)[-1] == self.pos_label)

    def _say_what_to_write(self, error: ValueError, estimator: Any) -> None:
        """Add to an error of scikit-learn how to name the classes."""
        classes = np.asarray(to_host(getattr(estimator, "classes_", ()))).tolist()
        if "is not a valid label" not in str(error) or len(classes) < 2:
            return
        if self.pos_label != 1:  # which somebody has chosen
            advice = (
                f"{type(estimator).__name__} was fitted on {classes}. If something that calls it "
                "has encoded the labels, encode y yourself: 1 for the positive class, and 0."
            )
        elif len(classes) == 2:
            first, second = (self._written(pos_label=label) for label in classes)
            advice = f"Name the positive class: write {first} or {second}."
        else:
            advice = f"Name all classes, as in {self._written(classes=classes)}."
        raise ValueError(f"{error}. {advice}") from error

    def set_score_request(self, **requests: Any) -> Self:
        """Set metadata requests, and keep those of earlier calls, which scikit-learn forgets."""
        super().set_score_request(**requests_of(self) | requests)
        return self

    def _written(self, **options: Any) -> str:
        """Write the calls that make this scorer, or one with other options."""
        requests = requests_of(self)
        if requests == self.own_requests:
            return str(self.call.with_options(**options))
        texts = [f"{name}={alias!r}" for name, alias in requests.items()]
        return f"{self.call.with_options(**options)}.set_score_request({', '.join(texts)})"

    def __repr__(self) -> str:
        return self._written()


class ClassScorer:
    """Scorer that looks up the columns of its classes in the `classes_` of an estimator.

    Created by `make_ap_scorer`, it leaves everything else to a scikit-learn scorer.
    """

    def __init__(self, make: Callable[[dict[str, Any]], Scorer], options: dict[str, Any]) -> None:
        self.make = make  # makes the scorer with these options, or with others
        self.options = options
        self.scorer: Any = make(options)
        self.__name__ = self.scorer.__name__

    def __call__(
        self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None, **params: Any
    ) -> Any:
        if sample_weight is not None:
            params["sample_weight"] = sample_weight
        classes, options = self.options["classes"], self.options
        if classes.size > 2:
            options = options | {"columns": score_columns(classes, estimator)}
        elif getattr(estimator, "classes_", None) is None:  # of a regressor or a detector
            return self.scorer(estimator, X, y_true, **params)
        else:
            score_columns(classes, estimator)  # which checks that these are the classes
        return self.make(options)(as_classifier(estimator), X, y_true, **params)

    def set_score_request(self, **requests: Any) -> Self:
        self.scorer.set_score_request(**requests)
        return self

    def __getattr__(self, name: str) -> Any:
        if name == "scorer":  # in a copy that is still empty
            raise AttributeError(name)
        return getattr(self.scorer, name)

    def __repr__(self) -> str:
        return repr(self.scorer)


def score_columns(classes: Array, estimator: Any) -> list[int]:
    """Return the column of each class in the prediction scores of an estimator.

    Check that these are the classes of the estimator.
    """
    classes_ = getattr(estimator, "classes_", None)
    if classes_ is None:
        raise ValueError(
            "A scorer with classes= looks up their columns in the estimator's classes_, but "
            f"{estimator!r} has none. Fit the estimator. If it is fitted, set its classes_ to the "
            "classes in the order of the columns of its prediction scores."
        )
    labels, columns = classes.tolist(), np.asarray(to_host(classes_)).tolist()
    if set(labels) != set(columns):
        raise ValueError(
            f"classes={labels} must be the classes that the estimator was fitted on, in any order, "
            f"which are {columns}. Pass those, or fit it on samples of all classes, as in folds of "
            "StratifiedKFold."
        )
    return [columns.index(label) for label in labels]


def _without_params(call: Callable[..., Any]) -> Signature:
    """Return a signature without `self` and `**params`, which skore thinks are required."""
    full = signature(call)
    _, *named, _ = full.parameters.values()
    return full.replace(parameters=named)


ClassScorer.__signature__ = _without_params(ClassScorer.__call__)  # type: ignore[attr-defined]


class MultiScorer:
    """Callable that evaluates several scorers; made by `make_multi_scorer`."""

    takes_all_metadata = True

    def __init__(
        self, scorers: dict[str, Scorer], error_score: float | str, of_sklearn: dict[str, str]
    ) -> None:
        self.scorers = scorers
        self.error_score = error_score
        self.of_sklearn = of_sklearn  # names of scorers, whose own reprs aren't all Python
        self.__name__ = name_in_logs("_and_".join(scorers))

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
                takes_all = takes_weight(scorer)
                params_of[name] = params if takes_all else _without_weight(name, params)
        data = (X,) if y_true is None else (X, y_true)
        once = predicting_once(estimator)
        scores = {}
        for name, scorer in self.scorers.items():
            only_predicts = isinstance(scorer, SklearnScorer | ClassScorer)
            try:
                scores[name] = scorer(
                    once if only_predicts else estimator, *data, **params_of[name]
                )
            except Exception:
                if self.error_score == "raise":
                    raise
                # in scikit-learn's words
                warn(
                    "Scoring failed. The score on this train-test partition for these parameters "
                    f"will be set to {self.error_score}. Details: \n{format_exc()}"
                )
                scores[name] = self.error_score
        return scores

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Request metadata for all scorers that accept it, and keep all other requests.

        Scorers of this package accept all metadata, and other scorers only weights.
        """
        requested = set()
        for name, scorer in self.scorers.items():
            of_scorer = {}
            if getattr(scorer, "takes_all_metadata", False):
                of_scorer = requests
            elif "sample_weight" in requests and takes_weight(scorer):
                of_scorer = {"sample_weight": requests["sample_weight"]}
            if of_scorer and hasattr(scorer, "set_score_request"):
                # The caller's scorer keeps its request.
                copied: Any = deepcopy(scorer)
                self.scorers[name] = copied.set_score_request(**requests_of(scorer) | of_scorer)
                requested |= {*of_scorer}
        lacking = {*requests} - requested
        if lacking:
            raise TypeError(
                f"None of the scorers {', '.join(self.scorers)} takes {', '.join(sorted(lacking))}."
            )
        return self

    @property
    def _score_func(self) -> NoReturn:
        one = next(iter(self.scorers))
        raise TypeError(
            "A scorer of several metrics can't be used where a single value is needed, as in "
            "LogisticRegressionCV. Pass one of its scorers, as in "
            f"scoring=scorer.scorers[{one!r}]. {_bound.IF_TUNED}"
        )

    def __repr__(self) -> str:
        error_score = in_python(self.error_score)
        besides = "" if error_score == "float('nan')" else f", error_score={error_score}"
        return f"make_multi_scorer(**{self.scorers | self.of_sklearn}{besides})"

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


MultiScorer.__signature__ = _without_params(MultiScorer.__call__)  # type: ignore[attr-defined]


def requests_of(scorer: Scorer) -> dict[str, bool | str]:
    """Return the metadata requests that were set."""
    requests = metadata_routing.get_routing_for_object(scorer).score.requests
    return {name: alias for name, alias in requests.items() if alias is not None}


def takes_weight(scorer: Scorer) -> bool:
    """Whether a scorer accepts weights, by its metadata request or its signature."""
    if hasattr(scorer, "get_metadata_routing"):
        # Before scikit-learn 1.7, no request mentions weights by default, not even ours.
        is_mentioned_by_default = _mentions_weight(make_scorer(average_precision_score))
        return _mentions_weight(scorer) or not is_mentioned_by_default
    parameters = signature(scorer).parameters.values()
    return any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in parameters)


def _mentions_weight(scorer: Scorer) -> bool:
    """Whether the metadata request mentions weights."""
    return "sample_weight" in metadata_routing.get_routing_for_object(scorer).score.requests


def _without_weight(name: str, params: dict[str, Any]) -> dict[str, Any]:
    if "sample_weight" not in params:
        return params
    warn(f"The scorer {name!r} does not accept sample_weight, so it ignores the weights.")
    return {key: value for key, value in params.items() if key != "sample_weight"}
