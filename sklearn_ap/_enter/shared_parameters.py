"""The parameters about the data, which `Inputs` declares once for the functions of metrics and
curves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, ForwardRef, TypeVar

from .._inputs.records import SHARED, Inputs, find_missing_parameters

T = TypeVar("T")

# A function of scikit-learn's own name takes the parameters of that function first.
_DROP_IN = "average_precision_score"

_NAMES = (*SHARED, "data")


def spell_out_parameters(function: Callable[..., T]) -> Callable[..., T]:
    """Decorate a function with a parameter `unread`: it takes the parameters about the data in its
    place, and gets all of them in one `Inputs`.

    The types are in `__init__.pyi`, because type checkers don't see what is put in here.
    """
    declared = signature(function)
    caller = function.__name__
    own_names = frozenset(declared.parameters)

    @wraps(function)
    def call(*args: Any, **arguments: Any) -> T:
        about_data, own = {}, {}
        for name in arguments:  # in a loop, because calls are what a small metric costs
            if name in _NAMES:
                about_data[name] = arguments[name]
            if name in own_names or name not in _NAMES:
                own[name] = arguments[name]
        if args:  # too many, or also passed by name, which Python refuses
            return function(*args, **own)
        return function(**own, unread=Inputs(**about_data, caller=caller))

    shared = _make_parameters(caller)
    for name, parameter in shared.items():
        if name not in own_names:
            reference = ForwardRef(parameter.annotation, module=Inputs.__module__)
            call.__annotations__[name] = reference
    del call.__annotations__["unread"]
    call.__signature__ = _expand_signature(declared, shared, caller)  # type: ignore[attr-defined]
    return call


def _make_parameters(function: str) -> dict[str, Parameter]:
    """Make the parameters about the data that this function takes by their names."""
    left_out = find_missing_parameters(function)
    parameters = {}
    for name, default in Inputs._field_defaults.items():
        if name in _NAMES and name not in ("y_true", "y_score", *left_out):
            annotation: Any = Inputs.__annotations__[name]
            annotation = getattr(annotation, "__forward_arg__", annotation)
            kind = Parameter.KEYWORD_ONLY
            parameters[name] = Parameter(name, kind, default=default, annotation=annotation)
    return parameters


def _expand_signature(
    declared: Signature, shared: Mapping[str, Parameter], function: str
) -> Signature:
    """Put the shared parameters in the place of `unread`, where the function has none of its own.

    They follow the options of the function.
    """
    own = {name: each for name, each in declared.parameters.items() if name != "unread"}
    about_data = [own.pop(name, parameter) for name, parameter in shared.items()]
    labels, scores, *options = own.values()
    if function == _DROP_IN:
        *first, data = about_data
        return declared.replace(parameters=[labels, scores, *first, *options, data])
    return declared.replace(parameters=[labels, scores, *options, *about_data])
