"""The door of public functions: it checks their arguments, and reads what these name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any, NamedTuple, ParamSpec, TypeVar

from numpy import ndarray

from . import _engines as engines
from ._inputs import COLUMNS, Engine, Inputs, needed_by
from ._intake import native
from ._metric import Metric, unpacked
from ._prevalence import reweighted
from ._validation import tables
from ._validation.errors import are_relative, naming_model, relative_weights, warning_once
from ._validation.models import are_models, read_models
from ._validation.parameters import checks_of

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
        door = _Door(function, on_engines, reads, metric, of_models, in_memory_with)

        @wraps(function)
        def opened(*args: Any, **kwargs: Any) -> T:
            value: T = door.enter(args, kwargs)
            return value

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
    if len(args) > door.n_positional:
        door.function(*args, **kwargs)  # Python says what is wrong
    given = dict(zip(door.parameters, args, strict=False), **kwargs)
    if door.metric is not None and isinstance(given.get(door.metric), Metric):
        given = unpacked(given, door.metric)
    data = given.get("data")
    if data is not None and not tables.is_collection(native(data)):
        raise TypeError(
            f"lazy_score needs Dask collections, but data is {tables.described(data)}. Call the "
            "metric itself, or pass a Dask DataFrame."
        )
    with relative_weights(given.get("prevalence") is not None):
        return door.open(given, lazy=True)


def reading(
    user: Callable[..., Any],
    inputs: Inputs,
    function: Callable[[Inputs], Any],
    on_engines: bool = False,
) -> Any:
    """Call a function with inputs that were passed to `user`, once their columns are read.

    If the function runs on engines, the `data` of its inputs may be one, without columns. All
    other functions get the columns of any table. If `y_score` is a mapping, the function is called
    for each of these models, and a dict of its results is returned. The columns of models are read
    together, unless each has a table of its own, or may have an engine.
    """
    models, of_models = inputs.y_score, {}
    has_tables = tables.are_tables(inputs.data)
    if isinstance(models, Mapping) and (on_engines or has_tables):
        for model, y_score in models.items():
            one = inputs._replace(y_score=y_score)
            one = one._replace(data=inputs.data[model]) if has_tables else one
            with naming_model(model, models, has_tables):
                of_models[model] = reading(user, one, function, on_engines)
        return of_models
    given, table = inputs._asdict(), inputs.data
    columns = {role: given[role] for role in COLUMNS if given.get(role) is not None}
    opened = _open(table, columns, on_engines and table is not None)
    read, named, engine = opened
    if engine is not None:
        read["groups"] = named.get("groups")  # after which results name groups
    inputs = inputs._replace(**read)
    known = signature(user).parameters.keys() - (() if engine is None else columns)

    def call(inputs: Inputs, named: Mapping[str, Any]) -> Any:
        checks_of(user)({name: each for name, each in inputs._asdict().items() if name in known})
        return _evaluated(function, inputs, opened._replace(named=named), table)

    models = inputs.y_score
    if not isinstance(models, Mapping):
        return call(inputs, named)
    for model, y_score in models.items():
        with naming_model(model, models):
            own = {"y_score": named["y_score"][model]} if "y_score" in named else {}
            of_models[model] = call(inputs._replace(y_score=y_score), {**named, **own})
    return of_models


class _Opened(NamedTuple):
    """The columns that a caller passed or named."""

    columns: dict[str, Any]  # by their roles; None for those that the engine reads
    named: Mapping[str, Any]  # their names by their roles, if they are those of a table
    engine: Engine | None


def _open(data: Any, columns: dict[str, Any], on_engine: bool, lazy: bool = False) -> _Opened:
    """Read the columns that are named into memory, unless an engine can read them."""
    named: dict[str, Any] = {}
    if data is not None:
        named = tables.read_roles(data, columns)
        found = engines.read(data, named, whole=not on_engine)
        if isinstance(found, Engine):
            tables.check_all_named(data, columns, named)
            return _Opened(dict.fromkeys(columns), named, found)
        columns = {**columns, **found}
    if on_engine and (lazy or tables.is_collection(columns.get("y_true"))):
        engine = engines.of_collections(columns, lazy)
        return _Opened(dict.fromkeys(columns), named, engine)
    return _Opened(columns, named, None)


def _evaluated(
    function: Callable[[Inputs], Any], inputs: Inputs, opened: _Opened, table: Any
) -> Any:
    """Call a function with its columns, which its errors name."""
    _, named, engine = opened
    with tables.naming_columns(named, table, graded=inputs.min_grade is not None):
        inputs = inputs._replace(data=named if engine is None else engine)
        return function(inputs if inputs.prevalence is None else reweighted(inputs))


@dataclass
class _Door:
    """A public function with its options, and what has to be known to call it."""

    function: Callable[..., Any]
    on_engines: bool
    reads: bool
    metric: str | None
    of_models: Callable[[dict[Any, Any]], Any] | None
    in_memory_with: Collection[str]

    def __post_init__(self) -> None:
        self.parameters = signature(self.function).parameters
        self.names = dict.fromkeys(self.parameters)
        own = {name: p.default for name, p in self.parameters.items() if p.default is not p.empty}
        self.check_given = checks_of(self.function, () if self.reads else Inputs._fields)
        self.needed = needed_by(self.function.__name__, [n for n in own if own[n] is None])
        kinds = [p.kind for p in self.parameters.values()]
        self.n_positional = sum(kind is Parameter.POSITIONAL_OR_KEYWORD for kind in kinds)
        self.roles = [role for role in COLUMNS if role in self.parameters]
        self.defaults = [(Inputs._field_defaults | own)[name] for name in Inputs._fields]

    def enter(self, args: Any, kwargs: dict[str, Any]) -> Any:
        """Call the function with checked arguments, and with `Inputs` in place of `data`."""
        given = dict(zip(self.names, args, strict=False), **kwargs)
        if len(args) > self.n_positional or len(given) < len(args) + len(kwargs):
            self.refuse(given, args, kwargs)
        if self.metric is not None and isinstance(given.get(self.metric), Metric):
            given = unpacked(given, self.metric)
        has_data = given.get("data") is not None
        if has_data or not self.needed <= given.keys():
            given = self.completed(given)
        if given.get("prevalence") is not None and not are_relative():
            with relative_weights():
                return self.enter((), given)
        if "data" not in self.names:
            self.check_given(given)
            return self.function(**given)
        if self.of_models is not None and are_models(given.get("y_score"), has_data):
            return self.of_models(self.each_model(given))
        if self.reads and (has_data or self.is_lazy(given)):
            return self.open(given)
        self.check_given(given)
        values: Any = map(given.get, Inputs._fields, self.defaults)
        inputs = Inputs(*values)
        if self.reads and inputs.prevalence is not None:
            inputs = reweighted(inputs)
        given["data"] = inputs
        return self.function(**given)

    def streams(self, given: Mapping[str, Any]) -> bool:
        """Whether the function runs on engines with these arguments."""
        in_memory = any(given.get(name) is not None for name in self.in_memory_with)
        return self.on_engines and not in_memory

    def is_lazy(self, given: Mapping[str, Any]) -> bool:
        """Whether the arguments are Dask collections, on which the function runs."""
        labels = given.get("y_true")
        is_array = type(labels) is ndarray
        return not is_array and tables.is_collection(labels) and self.streams(given)

    def refuse(self, given: dict[str, Any], args: Any, kwargs: Any) -> None:
        """Refuse an argument too many, or one that is given twice."""
        if given.get("data") is None:  # names of columns are no arrays
            self.check_given(given)
        self.function(*args, **kwargs)  # Python says what is wrong

    def completed(self, given: dict[str, Any]) -> dict[str, Any]:
        """Add what `data` knows about its columns, and refuse arguments that are missing."""
        if given.get("data") is None:  # names of columns are no arrays
            self.check_given(given)
        else:
            given = tables.with_known(given, self.parameters) or given
        if missing := self.needed - given.keys():
            tables.refuse_missing(self.function.__qualname__, missing)
        return given

    def each_model(self, given: dict[str, Any]) -> dict[Any, Any]:
        """Call the function for each model."""
        has_data = given.get("data") is not None
        models = read_models(self.function.__name__, "y_score", given["y_score"], has_data)
        found: dict[Any, Any] = {}
        with warning_once():
            for model, y_score in models.items():
                with naming_model(model, models):
                    one = given | {"y_score": y_score}
                    is_last = len(found) == len(models) - 1
                    found[model] = (
                        self.open(one, again=not is_last) if has_data else self.enter((), one)
                    )
        return found

    def open(self, given: dict[str, Any], lazy: bool = False, again: bool = False) -> Any:
        """Call the function with the columns of a table, or with collections of Dask."""
        data = given.pop("data", None)
        columns = {role: given[role] for role in self.roles if given.get(role) is not None}
        opened = _open(data, columns, self.streams(given), lazy)
        read, _, engine = opened
        if engine is None:
            self.check_given(given | read)
        else:
            tables.check_reads_again(engine.reads_again or not again, "Several models need")
            if missing := self.needed.intersection(self.roles) - read.keys():
                raise TypeError(
                    f"{self.function.__name__} needs {min(missing)}. Pass the name of its column "
                    "with data, or a Dask collection like the other columns."
                )
            self.check_given({name: given[name] for name in given if name not in self.roles})
        given = given | dict.fromkeys(self.roles) | read
        values: Any = map(given.get, Inputs._fields, self.defaults)

        def call(inputs: Inputs) -> Any:
            return self.function(**given | {"data": inputs})

        return _evaluated(call, Inputs(*values), opened, data)
