"""The door of the public functions: arrays pass, and tables become arrays or an engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from . import _engines as engines
from . import _validation as check
from ._passes import COLUMNS, Engine

P = ParamSpec("P")
T = TypeVar("T")

# What may be a column of a table.
_ROLES = (*COLUMNS, "y_score_a", "y_score_b", "clusters")

_metrics: dict[Any, Callable[..., Any]] = {}  # how a function is called with an engine


def takes_table(function: Callable[P, T]) -> Callable[P, T]:
    """A public function with `data=`, a table in memory whose columns the strings name."""
    return _with_data(function, chunked=False)


def takes_data(function: Callable[P, T]) -> Callable[P, T]:
    """The same for a function that also runs on an engine, which comes to it as `data`."""
    return _with_data(function, chunked=True)


def lazily(metric: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function that runs on an engine returns of Dask collections, as a promise."""
    return check.check_runs_on_engines(metric, _metrics)(args, kwargs, lazy=True)


def _with_data(function: Callable[P, T], chunked: bool) -> Callable[P, T]:
    checked: Callable[..., Any] = check.validated(function)
    parameters = list(signature(function).parameters)

    def open_data(args: Any, kwargs: Any, lazy: bool = False) -> Any:
        given = dict(zip(parameters, args, strict=False), **kwargs)
        data = given.pop("data", None)
        roles = {role: given[role] for role in _ROLES if given.get(role) is not None}
        if data is not None:
            named = check.check_names(data, roles)
            found = engines.read(data, named)
            if isinstance(found, Engine):
                check.check_all_named(data, roles, named)
                return on_engine(found, given)
            roles |= found
        if chunked and (lazy or check.is_collection(roles.get("y_true"))):
            return on_engine(engines.of_collections(roles, lazy), given)
        return checked(**given | roles)

    def on_engine(engine: Engine, given: dict[str, Any]) -> Any:
        if not chunked:
            check.refuse_engine(function.__name__)
        check.check_required(function, engine.columns)
        held = dict.fromkeys(role for role in _ROLES if role in parameters)  # by the engine
        return checked(**given | held, data=engine)

    @wraps(function)
    def opened(*args: P.args, **kwargs: P.kwargs) -> T:
        first = args[0] if args else kwargs.get("y_true")
        if kwargs.get("data") is None and not (chunked and check.is_collection(first)):
            return checked(*args, **kwargs)  # type: ignore[no-any-return]
        return open_data(args, kwargs)  # type: ignore[no-any-return]

    if chunked:
        _metrics[opened] = open_data
    return opened
