"""What the scorers of `scorers.py` know about other scorers, classes and metadata requests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Signature, signature
from typing import Any, Protocol

import numpy as np
from sklearn.metrics import average_precision_score, make_scorer
from sklearn.utils import metadata_routing

from .._evaluate.classifiers import classes_of, unwrap_estimator
from .._words.messages import warn
from .._words.parameters import shown
from ..core.numbering import Name

Scorer = Callable[..., Any]


class NamedScorer(Protocol):
    """What `get_scorer` returns: a scorer of this package or of scikit-learn."""

    def __call__(self, estimator: Any, X: Any, y_true: Any = None, **params: Any) -> Any: ...

    def set_score_request(self, **requests: bool | str | None) -> Any: ...


SklearnScorer: Any = type(make_scorer(average_precision_score))


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


# --- classes -------------------------------------------------------------------------------------


def class_columns(classes: Sequence[Name], estimator: Any) -> list[int]:
    """Return the column of each class in the prediction scores of an estimator.

    Check that these are the classes of the estimator.
    """
    columns = classes_of(estimator)
    if columns is None:
        raise ValueError(
            "A scorer with classes= looks up their columns in the estimator's classes_, but "
            f"{estimator!r} has none. Fit the estimator. If it is fitted, set its classes_ to the "
            "classes in the order of the columns of its prediction scores."
        )
    if {*classes} != {*columns}:
        raise ValueError(
            f"classes={[*classes]} must be the classes that the estimator was fitted on, in any "
            f"order, which are {columns}. Pass those, or fit it on samples of all classes, as in "
            "folds of StratifiedKFold."
        )
    return [columns.index(label) for label in classes]


def check_among_classes(classes: Sequence[Name], pos_label: Any) -> None:
    """Check that classes contain the positive one, which must be named if there are two."""
    if pos_label is not None and pos_label not in classes:
        raise ValueError(f"pos_label={pos_label!r} is not one of the classes {[*classes]}.")
    if pos_label is None and len(classes) == 2 and 1 not in classes:
        first, second = classes
        raise ValueError(
            f"Neither of the classes {[*classes]} is 1, so the scorer can't tell which one is "
            f"positive. Pass pos_label={first!r} or pos_label={second!r}."
        )


def check_not_pairs(estimator: Any, methods: Sequence[str]) -> None:
    """Refuse the margins of a support vector machine that has one for each pair of classes."""
    method = next((method for method in methods if hasattr(estimator, method)), None)
    classifier = unwrap_estimator(estimator)
    is_of_pairs = getattr(classifier, "decision_function_shape", None) == "ovo"
    if is_of_pairs and method == "decision_function":
        raise ValueError(
            f"{type(classifier).__name__} has decision_function_shape='ovo', so its "
            "columns are pairs of classes, which rank no class. Use 'ovr'."
        )


# --- metadata requests ---------------------------------------------------------------------------


def check_request(caller: str, name: str, request: Any) -> None:
    if not isinstance(request, bool | str | None):
        raise TypeError(
            f"{name} of {caller} must be True, or the name under which you pass them to fit, "
            f"because each fold has its own. Got {shown(request)} instead. Pass the values by "
            f"metadata routing, as in search.fit(X, y, {name}=...)."
        )


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


def params_taken(name: str, scorer: Scorer, params: dict[str, Any]) -> dict[str, Any]:
    """Return what a scorer gets, without weights if it accepts none."""
    if "sample_weight" not in params or takes_weight(scorer):
        return params
    warn(f"The scorer {name!r} does not accept sample_weight, so it ignores the weights.")
    return {key: value for key, value in params.items() if key != "sample_weight"}


def without_params(call: Callable[..., Any]) -> Signature:
    """Return a signature without `self` and `**params`, which skore thinks are required."""
    full = signature(call)
    _, *named, _ = full.parameters.values()
    return full.replace(parameters=named)
