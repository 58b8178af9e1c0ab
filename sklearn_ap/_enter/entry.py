"""The door of public functions: it checks their arguments, and reads what these name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from inspect import Parameter, signature
from numbers import Real
from typing import Any, ParamSpec, TypeVar

from numpy import ndarray

from .._read import engines, tables
from .._read.labels import as_flags
from .._show import progress
from .._show.results import Result, note_polars
from .._words.engine import Engine
from .._words.inputs import BY_MODEL, COLUMNS, OF_WEIGHTS, Inputs, needed_by
from .._words.messages import are_relative, naming_model, relative_weights, warning_once
from .._words.parameters import checks_of, is_collection
from .metric import Metric, unpacked
from .prevalence import reweighted

P = ParamSpec("P")
T = TypeVar("T")


def public(
    *,
    on_engines: bool = False,
    reads: bool = True,
    metric: str | None = None,
    of_models: Callable[[dict[Any, Any]], Any] | None = None,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a public function: check its arguments, and read the columns that they name.

    In place of `data`, the function gets `Inputs`: everything that the caller said about the data,
    with columns instead of their names. With `on_engines`, the function also runs on engines, which
    read tables that may not fit in memory: the `data` of the inputs is then the engine. For all
    other functions, the columns of such tables are read into memory. A function that doesn't read
    gets the inputs as they were passed, and gives each warning only once.

    The parameter called `metric` can be a `Metric`, which becomes a name and options.

    With `of_models`, the function is called for each of several models, and `of_models` turns a
    dict from their names to the results into one result.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        door = Door(function, function, on_engines, reads, metric, of_models)

        @wraps(function)
        def opened(*args: Any, **kwargs: Any) -> T:
            value: T = door.enter(args, kwargs)
            if isinstance(value, Result):
                note_polars(value, *args, *kwargs.values())
            return value

        return opened

    return decorate


def reading(
    user: Callable[..., Any],
    inputs: Inputs,
    function: Callable[[Inputs], Any],
    caller: str | None = None,
) -> Any:
    """Call a function with inputs that were passed to `user`, once their columns are read.

    Errors call it `caller`, if it isn't the user itself that has these parameters. If `y_score` is
    a mapping, the function is called for each of these models, and a dict of its results is
    returned.
    """
    door = Door.__new__(Door)  # a copy that calls something else
    vars(door).update(vars(_door_of(user, caller)), call=lambda data, **_: function(data))
    each = zip(Inputs._fields, inputs, door.defaults, strict=True)
    is_checked = "y_true" if inputs.data is None else ""  # also if it's None
    passed = {
        name: value for name, value, default in each if value is not default or name == is_checked
    }
    return door.enter((), {name: passed[name] for name in passed if name in door.parameters})


@cache
def _door_of(user: Callable[..., Any], caller: str | None) -> Door:
    return Door(user, user, of_models=dict, caller=caller)


@dataclass
class Door:
    """A public function with its options, and what is called with its arguments."""

    function: Callable[..., Any]
    call: Callable[..., Any]
    on_engines: bool = False
    reads: bool = True
    metric: str | None = None
    of_models: Callable[[dict[Any, Any]], Any] | None = None
    caller: str | None = None  # what errors call the function

    def __post_init__(self) -> None:
        self.parameters = signature(self.function).parameters
        own = {name: p.default for name, p in self.parameters.items() if p.default is not p.empty}
        unread = () if self.reads else {*Inputs._fields, *COLUMNS}
        self.check_given = checks_of(self.function, unread, self.caller)
        self.needed = needed_by(self.function.__name__, [n for n in own if own[n] is None])
        kinds = [p.kind for p in self.parameters.values()]
        self.n_positional = sum(kind is Parameter.POSITIONAL_OR_KEYWORD for kind in kinds)
        self.roles = [role for role in COLUMNS if role in self.parameters]
        self.defaults = [(Inputs._field_defaults | own)[name] for name in Inputs._fields]

    def enter(self, args: Any, kwargs: dict[str, Any]) -> Any:
        """Call the function with checked arguments, and with `Inputs` in place of `data`."""
        given = dict(zip(self.parameters, args, strict=False), **kwargs)
        if len(args) > self.n_positional or len(given) < len(args) + len(kwargs):
            if given.get("data") is None and not self.has_collections(given):
                self.check_given(given)
            self.function(*args, **kwargs)  # Python says what is wrong
        if self.metric is not None and isinstance(given.get(self.metric), Metric):
            given = unpacked(given, self.metric)
        has_data = given.get("data") is not None
        if has_data:
            given = tables.with_known(given, self.parameters) or given
        if missing := self.needed - given.keys():
            tables.refuse_missing(self.function.__qualname__, missing, given)
        if given.get("verbose") and not progress.is_shown():
            with progress.naming(self.function.__name__):
                return self.enter((), given)
        if given.get("prevalence") is not None and not are_relative():
            with relative_weights():
                return self.enter((), given)
        if "data" not in self.parameters:
            self.check_given(given)
            return self.call(**given)
        if self.of_models is not None and tables.are_models(given.get("y_score"), has_data):
            return self.of_models(self.each_model(given))
        if self.reads and (has_data or self.has_collections(given)):
            return self.open(given)
        values: Any = map(given.get, Inputs._fields, self.defaults)
        inputs = Inputs(*values)
        if not self.reads:
            with warning_once():
                self.check_given(given)
                return self.call(**given | {"data": inputs})
        self.check_given(given)
        given["data"] = inputs if OF_WEIGHTS.isdisjoint(given) else reweighted(inputs)
        return self.call(**given)

    def has_collections(self, given: Mapping[str, Any]) -> bool:
        """Whether Dask collections were passed."""
        labels = given.get("y_true")
        return type(labels) is not ndarray and is_collection(labels)

    def each_model(self, given: dict[str, Any]) -> Any:
        """Call the function for each model.

        Their columns are read together, unless each has a table of its own.
        """
        data: Any = given.get("data")
        has_tables = tables.are_tables(data)
        models = tables.read_models(self.function.__name__, "y_score", given["y_score"], data)
        found: dict[Any, Any] = {}
        for name in BY_MODEL:
            tables.check_by_model(name, given.get(name), models)
        with warning_once():
            if not has_tables:
                return self.open(given | {"y_score": models})
            for model, y_score in models.items():
                own = {**_of_model(given, model), "y_score": y_score, "data": data[model]}
                with naming_model(model, models, has_tables):
                    found[model] = self.open(own)
        return found

    def open(self, given: dict[str, Any]) -> Any:
        """Call the function with the columns of a table, or with collections of Dask."""
        table = given.pop("data", None)
        columns = {role: given[role] for role in self.roles if given.get(role) is not None}
        if isinstance(columns.get("benefit"), Real):
            del columns["benefit"]
        named: dict[str, Any] = {}
        engine = None
        if table is not None:
            named = tables.read_roles(table, columns)
            found = engines.read(table, named, whole=not self.on_engines)
            if isinstance(found, Engine):
                tables.check_single_columns(table, columns, named)
                engine = found
            else:
                if isinstance(models := columns.get("y_score"), Mapping):  # some can be arrays
                    found = {**found, "y_score": {**models, **found.get("y_score", {})}}
                columns |= found
        if engine is None and self.has_collections(given | columns):
            from .._read.dask import Graph, computed

            if self.on_engines:
                engine = Graph.of(columns)
            else:
                columns = computed(columns)
        if engine is not None:
            if missing := self.needed.intersection(self.roles) - columns.keys():
                tables.refuse_missing(self.function.__qualname__, missing, given)
            others = {name: given[name] for name in given if name not in self.roles}
            return self.evaluate(others, named, table, engine)
        given |= columns
        models = columns.get("y_score")
        if not isinstance(models, Mapping):
            return self.evaluate(given, named, table)
        of_models = {}
        if given.keys().isdisjoint(("pos_label", "classes")):  # whose errors name labels
            given["y_true"] = as_flags(given.get("y_true"))
        for model, y_score in models.items():
            with naming_model(model, models):
                own = {role: name for role, name in named.items() if role != "y_score"}
                if model in named.get("y_score", {}):
                    own["y_score"] = named["y_score"][model]
                one = _of_model(given, model) | {"y_score": y_score}
                of_models[model] = self.evaluate(one, own, table)
        return of_models

    def evaluate(
        self,
        given: dict[str, Any],
        named: Mapping[str, Any],
        table: Any,
        engine: Engine | None = None,
    ) -> Any:
        """Call the function with columns, or with the engine that has them. Errors name them."""
        self.check_given(given)
        values: Any = map(given.get, Inputs._fields, self.defaults)
        inputs = Inputs(*values)._replace(data=named if engine is None else engine)
        with tables.naming_columns(named, table, graded=inputs.min_grade is not None):
            inputs = inputs if OF_WEIGHTS.isdisjoint(given) else reweighted(inputs)
            return self.call(**given | {"data": inputs})


def _of_model(given: dict[str, Any], model: Any) -> dict[str, Any]:
    """Return the arguments of one of several models, which can have values of their own."""
    own = {name: given[name] for name in BY_MODEL if isinstance(given.get(name), Mapping)}
    return given | {name: values[model] for name, values in own.items()}
