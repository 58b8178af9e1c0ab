"""The door of public functions: it checks their arguments, and reads what these name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from numpy import ndarray

from . import _engines as engines
from ._engine import Engine
from ._inputs import COLUMNS, Inputs, needed_by
from ._metric import Metric, unpacked
from ._prevalence import reweighted
from ._validation import tables
from ._validation.errors import naming_model
from ._validation.models import are_models, read_models
from ._validation.parameters import checks_of
from ._validation.warned import are_relative, relative_weights, warning_once

P = ParamSpec("P")
T = TypeVar("T")

_doors: dict[Any, _Door] = {}  # of the functions that run on engines


def public(
    *,
    on_engines: bool = False,
    reads: bool = True,
    metric: str | None = None,
    of_models: Callable[[dict[Any, Any]], Any] | None = None,
    in_memory_with: Collection[str] = (),
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a public function: check its arguments, and read the columns that they name.

    In place of `data`, the function gets `Inputs`: everything that the caller said about the data,
    with columns instead of their names. With `on_engines`, the function also runs on engines, which
    read tables that may not fit in memory: the `data` of the inputs is then the engine. For all
    other functions, and with the parameters `in_memory_with`, the columns of such tables are read
    into memory. A function that doesn't read gets the inputs as they were passed.

    The parameter called `metric` can be a `Metric`, which becomes a name and options.

    With `of_models`, the function is called for each of several models, and `of_models` turns a
    dict from their names to the results into one result.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        door = _Door(function, on_engines, reads, metric, in_memory_with)
        names, check_given, defaults = door.parameters, door.check_given, door.defaults
        needed, takes_data = door.needed, "data" in names

        @wraps(function)
        def opened(*args: Any, **kwargs: Any) -> T:
            given = dict(zip(names, args, strict=False), **kwargs)
            if metric is not None and isinstance(given.get(metric), Metric):
                args, kwargs = (), door.arguments(args, kwargs)
                given = kwargs
            has_data = given.get("data") is not None
            if has_data or not needed <= given.keys():
                args, kwargs = (), door.completed(args, kwargs)
                given = kwargs
            if given.get("prevalence") is not None and not are_relative():
                with relative_weights():
                    return opened(*args, **kwargs)
            if not takes_data:
                check_given(given)
                return function(*args, **kwargs)
            if of_models is not None and are_models(given.get("y_score"), has_data):
                combined: T = of_models(door.each_model(opened, door.arguments(args, kwargs)))
                return combined
            if reads and (has_data or door.is_lazy(given)):
                value: T = door.open(door.arguments(args, kwargs))
                return value
            check_given(given)
            values: Any = map(given.get, Inputs._fields, defaults)
            inputs = Inputs(*values)
            if reads and inputs.prevalence is not None:
                inputs = reweighted(inputs)
                kwargs["sample_weight"] = inputs.sample_weight
            kwargs["data"] = inputs
            return function(*args, **kwargs)

        if on_engines:
            _doors[opened] = door
        return opened

    return decorate


def lazily(metric: Any, *args: Any, **kwargs: Any) -> Any:
    """Evaluate a metric of Dask collections lazily."""
    try:
        door = _doors[metric]
    except (KeyError, TypeError):
        raise TypeError(
            "metric must be a metric of sklearn_ap, such as average_precision_score. "
            f"Got {metric!r} instead."
        ) from None
    with relative_weights(kwargs.get("prevalence") is not None):
        return door.open(door.arguments(args, kwargs), lazy=True)


def reading(
    user: Callable[..., Any],
    inputs: Inputs,
    function: Callable[[Inputs], Any],
    on_engines: bool = False,
) -> Any:
    """Call a function with inputs that were passed to `user`, once their columns are read.

    If the function runs on engines, the `data` of its inputs may be one, without columns. All
    other functions get the columns of any table. If `y_score` is a mapping, the function is called
    for each of these models, whose columns are read together, and a dict of its results is
    returned.
    """
    columns = {role: column for role, column in inputs._asdict().items() if role in COLUMNS}
    columns = {role: column for role, column in columns.items() if column is not None}
    named: dict[str, Any] = {}
    engine: Any = None
    if inputs.data is not None:
        named, found = _read(inputs.data, columns, whole=not on_engines)
        if isinstance(found, Engine):
            # Results name groups after their column.
            engine, found = found, dict.fromkeys(columns) | {"groups": named.get("groups")}
        elif on_engines and tables.is_collection(found.get("y_true")):
            engine, found = engines.of_collections(found, False), dict.fromkeys(columns)
        columns |= found
    table, inputs = inputs.data, inputs._replace(**columns)
    known = signature(user).parameters.keys() - (columns.keys() if engine is not None else ())

    def call(inputs: Inputs, named: Mapping[str, Any]) -> Any:
        checks_of(user)({name: each for name, each in inputs._asdict().items() if name in known})
        with tables.naming_columns(named, table, graded=inputs.min_grade is not None):
            inputs = inputs._replace(data=named if engine is None else engine)
            return function(inputs if inputs.prevalence is None else reweighted(inputs))

    models = inputs.y_score
    if not isinstance(models, Mapping):
        return call(inputs, named)
    of_models = {}
    for model, y_score in models.items():
        with naming_model(model, models):
            own = {"y_score": named["y_score"][model]} if "y_score" in named else {}
            of_models[model] = call(inputs._replace(y_score=y_score), named | own)
    return of_models


def _read(data: Any, columns: Mapping[str, Any], whole: bool) -> tuple[dict[str, Any], Any]:
    """Return the names of columns by their roles, and the columns, or unless the whole table is
    needed, an engine.
    """
    named = tables.read_roles(data, columns)
    found = engines.read(data, named, whole)
    if isinstance(found, Engine):
        tables.check_all_named(data, columns, named)
    return named, found


class _Door:
    """What a public function needs to be called with `data`."""

    def __init__(
        self,
        function: Callable[..., Any],
        on_engines: bool,
        reads: bool,
        metric: str | None,
        in_memory_with: Collection[str],
    ) -> None:
        self.function = function
        self._on_engines, self._in_memory_with = on_engines, in_memory_with
        self.metric = metric
        self.parameters = signature(function).parameters
        own = {name: p.default for name, p in self.parameters.items() if p.default is not p.empty}
        self.check_given = checks_of(function, () if reads else Inputs._fields)
        self.needed = needed_by(function.__name__, [n for n in own if own[n] is None])
        self._positional = [n for n, p in self.parameters.items() if p.kind is not p.KEYWORD_ONLY]
        self._roles = [role for role in COLUMNS if role in self.parameters]
        self.defaults = [(Inputs._field_defaults | own)[name] for name in Inputs._fields]

    def streams(self, given: Mapping[str, Any]) -> bool:
        """Whether the function runs on engines with these arguments."""
        in_memory = any(given.get(name) is not None for name in self._in_memory_with)
        return self._on_engines and not in_memory

    def is_lazy(self, given: Mapping[str, Any]) -> bool:
        """Whether the arguments are Dask collections, on which the function runs."""
        labels = given.get("y_true")
        is_array = type(labels) is ndarray
        return not is_array and tables.is_collection(labels) and self.streams(given)

    def arguments(self, args: Any, kwargs: Any) -> dict[str, Any]:
        """Return all arguments by name, with the options of a `Metric` among them."""
        given = dict(zip(self._positional, args, strict=False), **kwargs)
        if len(given) < len(args) + len(kwargs):
            self.function(*args, **kwargs)  # an argument too many, or given twice: Python says so
        if self.metric is None or not isinstance(given.get(self.metric), Metric):
            return given
        return unpacked(given, self.metric)

    def completed(self, args: Any, kwargs: Any) -> dict[str, Any]:
        """Add what `data` knows about its columns, and refuse arguments that are missing."""
        given = dict(zip(self.parameters, args, strict=False), **kwargs)
        if given.get("data") is None:  # names of columns are no arrays
            self.check_given(given)
        else:
            given = self.arguments(args, kwargs)
            given = tables.with_known(given, self.parameters) or given
        if missing := self.needed - given.keys():
            tables.refuse_missing(self.function.__qualname__, missing)
        return given

    def each_model(self, opened: Callable[..., T], given: dict[str, Any]) -> dict[Any, T]:
        """Call the function for each model."""
        has_data = given.get("data") is not None
        models = read_models(self.function.__name__, "y_score", given["y_score"], has_data)
        found: dict[Any, T] = {}
        with warning_once():
            for model, y_score in models.items():
                with naming_model(model, models):
                    one = given | {"y_score": y_score}
                    is_last = len(found) == len(models) - 1
                    found[model] = self.open(one, again=not is_last) if has_data else opened(**one)
        return found

    def open(self, given: dict[str, Any], lazy: bool = False, again: bool = False) -> Any:
        data = given.pop("data", None)
        columns = {role: given[role] for role in self._roles if given.get(role) is not None}
        named: dict[str, Any] = {}
        if data is not None:
            named, found = _read(data, columns, whole=not self.streams(given))
            if lazy and (
                isinstance(found, Engine) or not tables.is_collection(found.get("y_true"))
            ):
                raise TypeError(
                    f"lazy_score needs Dask collections, but data is {tables.described(data)}. "
                    "Call the metric itself, or pass a Dask DataFrame."
                )
            if isinstance(found, Engine):
                tables.check_reads_again(found.reads_again or not again, "Several models need")
                return self._run(found, given, named, data)
            columns |= found
        if (lazy or tables.is_collection(columns.get("y_true"))) and self.streams(given):
            return self._run(engines.of_collections(columns, lazy), given, named, data)
        self.check_given(given | columns)
        return self._call(given | columns, named, named, data)

    def _run(
        self, engine: Engine, given: dict[str, Any], named: Mapping[str, Any], data: Any
    ) -> Any:
        for role in self._roles:
            if role in self.needed and role not in engine.columns:
                raise TypeError(
                    f"{self.function.__name__} needs {role}. Pass the name of its column with "
                    "data, or a Dask collection like the other columns."
                )
        read = dict.fromkeys(self._roles)  # columns that the engine reads
        self.check_given({name: value for name, value in given.items() if name not in read})
        return self._call(given | read, engine, named, data)

    def _call(self, given: dict[str, Any], found: Any, named: Mapping[str, Any], data: Any) -> Any:
        values: Any = map((given | {"data": found}).get, Inputs._fields, self.defaults)
        inputs = Inputs(*values)
        with tables.naming_columns(named, data, graded=inputs.min_grade is not None):
            if inputs.prevalence is not None:
                inputs = reweighted(inputs)
                given["sample_weight"] = inputs.sample_weight
            return self.function(**given | {"data": inputs})
