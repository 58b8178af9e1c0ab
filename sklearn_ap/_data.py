"""Decorators for public functions with `data=`, which turn tables into arrays or an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from . import _engines as engines
from ._engine import COLUMNS, Engine
from ._validation.parameters import checks_of
from ._validation.tables import (
    check_all_named,
    check_names,
    check_positional,
    check_required,
    check_runs_on_engines,
    is_collection,
    naming_columns,
    refuse_engine,
    refuse_lazy,
)

P = ParamSpec("P")
T = TypeVar("T")

# Parameters that can name a column of a table.
_ROLES = (*COLUMNS, "y_score_a", "y_score_b", "clusters")

_lazy: dict[Any, Callable[..., Any]] = {}  # metrics and their lazy counterparts


def takes_table(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a public function whose `data=` is a table in memory."""
    return _with_data(function, on_engines=False)


def takes_data(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a public function that can also run on an engine, which it receives as `data`."""
    return _with_data(function, on_engines=True)


def lazily(metric: Any, *args: Any, **kwargs: Any) -> Any:
    """Evaluate a metric of Dask collections lazily."""
    return check_runs_on_engines(metric, _lazy)(*args, **kwargs)


def _with_data(function: Callable[P, T], on_engines: bool) -> Callable[P, T]:
    check_given = checks_of(function)
    parameters = signature(function).parameters
    roles_here = [role for role in _ROLES if role in parameters]

    @wraps(function)
    def opened(*args: P.args, **kwargs: P.kwargs) -> T:
        given = dict(zip(parameters, args, strict=False), **kwargs)
        if given.get("data") is None and not (on_engines and is_collection(given.get("y_true"))):
            check_given(given)
            return function(*args, **kwargs)
        check_positional(function, args, kwargs)
        return open_data(given)  # type: ignore[no-any-return]

    def open_data(given: dict[str, Any], lazy: bool = False) -> Any:
        data = given.pop("data", None)
        columns = {role: given[role] for role in roles_here if given.get(role) is not None}
        named: dict[str, Any] = {}
        if data is not None:
            named = check_names(data, columns)
            found = engines.read(data, named)
            if lazy and (isinstance(found, Engine) or not is_collection(found.get("y_true"))):
                refuse_lazy(data)
            if isinstance(found, Engine):
                check_all_named(data, columns, named)
                return run(found, given, named)
            columns |= found
        if on_engines and (lazy or is_collection(columns.get("y_true"))):
            return run(engines.of_collections(columns, lazy), given, named)
        check_given(given | columns)
        if not on_engines:
            columns["data"] = named  # results can mention the names of columns
        return call(given | columns, named)

    def run(engine: Engine, given: dict[str, Any], named: Mapping[str, Any]) -> Any:
        if not on_engines:
            refuse_engine(function.__name__)
        check_required(function, engine.columns)
        held = dict.fromkeys(roles_here)  # columns that the engine reads
        check_given({name: value for name, value in given.items() if name not in held})
        return call(given | held | {"data": engine}, named)

    def call(given: dict[str, Any], named: Mapping[str, Any]) -> Any:
        with naming_columns(named):
            return function(**given)  # type: ignore[call-arg]

    def lazily(*args: Any, **kwargs: Any) -> Any:
        check_positional(function, args, kwargs)
        return open_data(dict(zip(parameters, args, strict=False), **kwargs), lazy=True)

    if on_engines:
        _lazy[opened] = lazily
    return opened
