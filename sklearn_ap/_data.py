"""Decorators for public functions with `data=`, which turn tables into arrays or an engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from . import _engines as engines
from ._engine import COLUMNS, Engine
from ._validation.parameters import checks_of
from ._validation.samples import by_name
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
_ROLES = (*COLUMNS, "y_score_a", "y_score_b", "clusters", "ids")

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
    opener = _Opener(function, on_engines)
    parameters, check_given = opener.parameters, opener.check_given

    @wraps(function)
    def opened(*args: P.args, **kwargs: P.kwargs) -> T:
        given = dict(zip(parameters, args, strict=False), **kwargs)
        if given.get("data") is None and not (on_engines and is_collection(given.get("y_true"))):
            check_given(given)
            return function(*args, **kwargs)
        check_positional(function, args, kwargs)
        return opener.open(given)  # type: ignore[no-any-return]

    def lazily(*args: Any, **kwargs: Any) -> Any:
        check_positional(function, args, kwargs)
        return opener.open(dict(zip(parameters, args, strict=False), **kwargs), lazy=True)

    if on_engines:
        _lazy[opened] = lazily
    return opened


class _Opener:
    """Calls a function with what a table or a collection contains, or with an engine for it."""

    def __init__(self, function: Callable[..., Any], on_engines: bool) -> None:
        self.function = function
        self.on_engines = on_engines
        self.parameters = signature(function).parameters
        self.check_given = checks_of(function)
        self._roles = [role for role in _ROLES if role in self.parameters]

    def open(self, given: dict[str, Any], lazy: bool = False) -> Any:
        data = given.pop("data", None)
        columns = {role: given[role] for role in self._roles if given.get(role) is not None}
        named: dict[str, Any] = {}
        if data is not None:
            named = check_names(data, columns)
            found = engines.read(data, named)
            if lazy and (isinstance(found, Engine) or not is_collection(found.get("y_true"))):
                refuse_lazy(data)
            if isinstance(found, Engine):
                check_all_named(data, columns, named)
                return self._run(found, given, named, data)
            columns |= found
            if given.get("n_positives") is not None and columns.get("groups") is None:
                names, average = named.get("y_true"), given.get("average", "macro")
                given["n_positives"] = by_name(given["n_positives"], names, average)
        if self.on_engines and (lazy or is_collection(columns.get("y_true"))):
            return self._run(engines.of_collections(columns, lazy), given, named, data)
        self.check_given(given | columns)
        if not self.on_engines:
            columns["data"] = named  # results can mention the names of columns
        return self._call(given | columns, named, data)

    def _run(
        self, engine: Engine, given: dict[str, Any], named: Mapping[str, Any], data: Any
    ) -> Any:
        if not self.on_engines:
            refuse_engine(self.function.__name__)
        check_required(self.function, engine.columns)
        read = dict.fromkeys(self._roles)  # columns that the engine reads
        self.check_given({name: value for name, value in given.items() if name not in read})
        return self._call(given | read | {"data": engine}, named, data)

    def _call(self, given: dict[str, Any], named: Mapping[str, Any], data: Any) -> Any:
        with naming_columns(named, data):
            return self.function(**given)
