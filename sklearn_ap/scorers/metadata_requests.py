"""Which metadata scorers request, and accept."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature, signature
from typing import Any

from sklearn.metrics import average_precision_score, make_scorer
from sklearn.utils import metadata_routing

from .._words.messages import warn
from .._words.parameters import format_value
from .scorer_types import Scorer


def pop_requests(options: dict[str, Any]) -> dict[str, Any]:
    """Take what isn't None out of the options: requests of a maker, or metadata of a call."""
    names = [name for name in ("groups", "sample_weight") if options.get(name) is not None]
    return {name: options.pop(name) for name in names}


def check_request(caller: str, name: str, request: Any) -> None:
    if not isinstance(request, bool | str | None):
        raise TypeError(
            f"{name} of {caller} must be True, or the name under which you pass them to fit, "
            f"because each fold has its own. Got {format_value(request)} instead. Pass the values "
            f"by metadata routing, as in search.fit(X, y, {name}=...)."
        )


def list_requests(scorer: Scorer) -> dict[str, bool | str]:
    """Return the metadata requests that were set."""
    requests = metadata_routing.get_routing_for_object(scorer).score.requests
    return {name: alias for name, alias in requests.items() if alias is not None}


def can_take_weight(scorer: Scorer) -> bool:
    """Whether a scorer accepts weights, by its metadata request or its signature."""
    if hasattr(scorer, "get_metadata_routing"):
        # Before scikit-learn 1.9, no request mentions weights by default, not even ours.
        is_mentioned_by_default = _has_weight_request(make_scorer(average_precision_score))
        return _has_weight_request(scorer) or not is_mentioned_by_default
    parameters = signature(scorer).parameters.values()
    return any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in parameters)


def _has_weight_request(scorer: Scorer) -> bool:
    """Whether the metadata request mentions weights."""
    return "sample_weight" in metadata_routing.get_routing_for_object(scorer).score.requests


def select_params(name: str, scorer: Scorer, params: dict[str, Any]) -> dict[str, Any]:
    """Return what a scorer gets, without weights if it accepts none."""
    if "sample_weight" not in params or can_take_weight(scorer):
        return params
    warn(f"The scorer {name!r} does not accept sample_weight, so it ignores the weights.")
    return {key: value for key, value in params.items() if key != "sample_weight"}


def make_signature_without_params(call: Callable[..., Any]) -> Signature:
    """Return a signature without `self` and `**params`, which skore thinks are required."""
    full = signature(call)
    _, *named, _ = full.parameters.values()
    return full.replace(parameters=named)
