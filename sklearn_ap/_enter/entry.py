"""The way of a call: its arguments are bound and checked, and its data is read and evaluated.

The decorator `public` does the first two, and the body of each public function the other two::

    unread = Unread(y_true, y_score, ..., data=data)
    for reading in readings(unread, reads):
        with reading as inputs:
            value = ...
    return value
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import wraps
from inspect import Parameter, signature
from operator import methodcaller
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy import ndarray

from .._read import engines, tables
from .._read.columns import leaving_out_unscored
from .._read.group_names import counts_grades, read_judged
from .._read.labels import as_flags
from .._show import progress
from .._show.results import Result, note_polars
from .._words.engine import Engine, NeedsRowsError
from .._words.inputs import (
    COLUMNS,
    COMBINED,
    Grades,
    Inputs,
    OwnLabels,
    Unread,
    needed_by,
)
from .._words.messages import amending, naming_model, warning_once
from .._words.parameters import check_inputs, checks_of, is_collection
from .._words.reads import Reads
from .metric import Metric, unpacked
from .prevalence import reweighted

P = ParamSpec("P")
T = TypeVar("T")


_is_assertion = methodcaller("errisinstance", AssertionError)


def public(
    *, metric: str | None = None, warns_once: bool = False
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a public function: bind its arguments to its parameters, and check them.

    What a function with `data` says about the data is checked when that is read. The parameter
    called `metric` can be a `Metric`, which becomes a name and options. A function that
    `warns_once` gives each warning only once, for any number of models and metrics.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        check = checks_of(function, of_models=warns_once)
        bind = _binding(function, metric, check)

        @wraps(function)
        def entered(*args: Any, **kwargs: Any) -> T:
            __tracebackhide__ = _is_assertion  # by pytest, whose tracebacks then end in the test
            arguments = bind(args, kwargs)
            if warns_once or arguments.get("verbose"):
                with ExitStack() as contexts:
                    if warns_once:
                        contexts.enter_context(warning_once())
                    if arguments.get("verbose") and not progress.is_shown():
                        contexts.enter_context(progress.naming(function.__name__))
                    check(arguments)
                    value: T = function(**arguments)  # type: ignore[call-arg]
            else:
                check(arguments)
                value = function(**arguments)  # type: ignore[call-arg]
            if isinstance(value, Result):
                note_polars(value, *args, *kwargs.values())
            return value

        return entered

    return decorate


def _binding(
    function: Callable[..., Any],
    metric: str | None,
    check: Callable[..., None],
) -> Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]]:
    """Return a function that binds arguments to the parameters of a public function.

    `metric` is the parameter that can be a `Metric`, and `check` what `checks_of` returns.
    """
    parameters = signature(function).parameters
    needed = needed_by(
        function.__name__, [name for name, p in parameters.items() if p.default is None]
    )
    kinds = [parameter.kind for parameter in parameters.values()]
    n_positional = kinds.count(Parameter.POSITIONAL_OR_KEYWORD)

    def bind(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        arguments = dict(zip(parameters, args, strict=False), **kwargs)
        # Too many positional arguments are cut off, and one that was passed twice is overwritten.
        if len(args) > n_positional or len(arguments) < len(args) + len(kwargs):
            if arguments.get("data") is None and not _is_dask(arguments.get("y_true")):
                check(arguments, whole=True)
            function(*args, **kwargs)  # Python says what is wrong
        if metric is not None and isinstance(arguments.get(metric), Metric):
            arguments = unpacked(arguments, metric)
        if arguments.get("data") is not None:
            arguments = tables.with_known(arguments, parameters) or arguments
        missing, labels = needed - arguments.keys(), arguments.get("y_true")
        if type(labels) is not ndarray and is_collection(labels):
            missing |= {name for name in needed if arguments.get(name) is None}
        if missing:
            tables.refuse_missing(function.__qualname__, missing, arguments)
        return arguments

    return bind


class OneReading:
    """What was read for a question: the context of the block that answers it.

    Errors of the block name the columns and the model. A block that finds out that chunks aren't
    enough raises a `NeedsRowsError`, after which `readings` reads the rows.
    """

    def __init__(self, inputs: Inputs, *naming: amending) -> None:
        self.inputs = inputs
        self.needs_rows = False
        self.naming = [*naming]  # what errors are told, from the inside out

    def __enter__(self) -> Inputs:
        return self.inputs

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> bool:
        """Amend the error, and return whether it ends only the block. Nobody would read the rows
        again for a block that has them, so its error goes on to the caller.
        """
        if error is None:
            return False
        for naming in self.naming:
            naming.__exit__(kind, error, traceback)
        self.needs_rows = isinstance(error, NeedsRowsError) and not self.inputs.has_rows
        return self.needs_rows


def readings(unread: Unread, reads: Reads = Reads.ROWS) -> Iterable[OneReading]:
    """Read the data of one model, for a block that answers a question::

        for reading in readings(unread, reads):
            with reading as inputs:
                value = ...

    If `reads` allows for it, a table that may not fit in memory becomes the engine of the first
    inputs. If the block then needs the rows, it runs again with these.
    """
    reading = _checked(read_inputs(unread, _may_stay([unread], reads)), unread)
    return [reading] if reading.inputs.has_rows else _then_rows(reading, unread)


def readings_of_models(unread: Unread, reads: Reads = Reads.ROWS) -> Iterator[OneReading]:
    """Read the data of one model or of several, as `readings` does.

    The models of one table share its engine. In memory, and in tables of their own, models follow
    one another, each as the `model` of its inputs.
    """
    if not has_models(unread):
        yield from readings(unread, reads)
        return
    models = each_model(unread)
    stays = _may_stay([*models.values()], reads)
    if tables.are_tables(unread.data):
        for model, unread_model in models.items():
            naming = naming_model(model, models, has_table=True)
            with naming:
                inputs = read_inputs(unread_model, stays)
            reading = _checked(inputs, unread_model, naming)
            yield from _then_rows(reading, unread_model, naming)
        return

    scores = {model: unread_model.y_score for model, unread_model in models.items()}
    all_models = unread._replace(y_score=scores)
    inputs = read_inputs(all_models, stays)
    if not inputs.has_rows:
        reading = _checked(inputs, all_models, naming_model("", models))
        yield reading
        if not reading.needs_rows:
            return
        inputs = read_inputs(all_models)
    if inputs.pos_label == 1 and inputs.classes is None:  # whose errors name labels
        inputs = inputs._replace(y_true=as_flags(inputs.y_true))
    for model, y_score in inputs.y_score.items():
        yield _checked(inputs.of_model(model, y_score), unread, naming_model(model, models))


def read_rows(unread: Unread) -> OneReading:
    """Read the data of one model into memory, for a question that needs the rows."""
    return _checked(read_inputs(unread), unread)


def _then_rows(reading: OneReading, unread: Unread, *naming: amending) -> Iterator[OneReading]:
    """Read the rows of one model, if the chunks that were read aren't enough, which the block that
    gets the first reading finds out.
    """
    yield reading
    if reading.needs_rows:
        with OneReading(reading.inputs, *naming):
            inputs = read_inputs(unread)
        yield _checked(inputs, unread, *naming)


def each_model(unread: Unread) -> dict[Any, Unread]:
    """Return what was said about each of several models, which may have tables of their own."""
    table = unread.data
    scores = tables.read_models(unread.caller, "y_score", unread.y_score, table)
    has_own_table = tables.are_tables(table)
    models = {}
    for model, y_score in scores.items():
        models[model] = unread._replace(y_score=y_score, model=model)
        if has_own_table:
            models[model] = models[model]._replace(data=table[model])
    return models


def _may_stay(models: Sequence[Unread], reads: Reads) -> bool:
    """Whether the columns of models can stay where they are, instead of being read into memory."""
    return reads is Reads.ONCE or (reads is Reads.AGAIN and all(map(_can_be_read_again, models)))


def _can_be_read_again(unread: Unread) -> bool:
    """Whether all columns of one model are in chunks that can be read again."""
    table, columns = unread.data, _columns_passed(unread)
    if table is None:
        return all(map(_is_dask, columns.values()))
    if tables.are_tables(table) or not engines.reads_again(table):
        return False
    named = tables.read_roles(table, columns)
    by = columns.get("by")
    if by is not None and ("by" not in named or named["by"] != by):
        return False  # because segments can be arrays, masks among columns, or those of groups
    return all(isinstance(named.get(role), str) or role in COMBINED for role in columns)


def _columns_passed(unread: Unread) -> dict[str, Any]:
    """Return the columns that aren't None, or their names, by their roles."""
    of_roles = {**unread._asdict(), **unread.besides}
    return {role: of_roles[role] for role in COLUMNS if of_roles.get(role) is not None}


def has_models(unread: Unread) -> bool:
    """Whether the caller passed a mapping of models, or with data, a list of their columns."""
    return tables.are_models(unread.y_score, unread.data is not None)


def read_inputs(unread: Unread, stays: bool = False) -> Inputs:
    """Read the columns that are named, those of Dask collections, or the engine that has them.

    Only if what is read `stays` where it is, can it become an engine. It is then in memory only if
    it already was.
    """
    inputs = Inputs.of(unread)
    table, labels = unread.data, unread.y_true
    if table is not None or (type(labels) is not ndarray and is_collection(labels)):
        inputs = _read_columns(inputs, unread, stays)
    if isinstance(labels, OwnLabels) or counts_grades(unread.n_positives):
        inputs = _with_grades(inputs, unread)
    return inputs


def _with_grades(inputs: Inputs, unread: Unread) -> Inputs:
    """Add what the caller or the table knows about grades, and count the relevant documents.

    Labels of the table are `OwnLabels`, which name its column of grades. n_positives either has
    counts by grade, or it is a count that the table doesn't know.
    """
    labels, lowest = unread.y_true, unread.min_grade
    grades = None
    if isinstance(labels, OwnLabels):
        grades = unread.data[labels.grades]
        lowest = labels.min_grade if lowest is None else max(lowest, 0)
    graded = Grades(1 if lowest is None else lowest, grades)
    if grades is not None and unread.min_grade is not None:
        # Documents without a judgment are nan, which no grade compares with.
        is_relevant = grades >= graded.lowest
        inputs = inputs._replace(y_true=np.where(is_relevant, grades, unread.min_grade - 1))
    if counts_grades(unread.n_positives):
        groups, judged = read_judged(unread.n_positives, unread.groups)
        counts = judged.counts[:, judged.grades >= graded.lowest].sum(axis=1)
        inputs = inputs._replace(n_positives=dict(zip(groups, counts.tolist(), strict=True)))
        has_all = judged.has_all or grades is not None
        graded = graded._replace(groups=groups, judged=judged._replace(has_all=has_all))
    return inputs._replace(graded=graded)


def _read_columns(inputs: Inputs, unread: Unread, stays: bool) -> Inputs:
    """Put the columns of a table, or of Dask collections, in the place of their names.

    If they stay in an engine, that is part of the inputs, and all columns are None.
    """
    columns = _columns_passed(unread)
    named: dict[str, Any] = {}
    engine = None
    if unread.data is not None:
        named = tables.read_roles(unread.data, columns)
        source = engines.read(unread.data, named, whole=not stays)
        if isinstance(source, Engine):
            tables.check_single_columns(unread.data, columns, named)
            engine = source
        else:
            passed = {role: columns.get(role) for role in ("y_score", "by")}
            columns |= source
            for role, mapping in passed.items():
                if isinstance(mapping, Mapping):  # some of its columns can be arrays
                    columns[role] = {**mapping, **source.get(role, {})}
    if engine is None and _is_dask(columns.get("y_true")):
        from .._read.dask import Graph, computed

        predictions = columns.get("y_score")
        models = predictions.values() if isinstance(predictions, Mapping) else [predictions]
        # Labels of predictions that are in memory fit there, too.
        if stays and any(map(is_collection, models)):
            engine = Graph.of(columns)
        else:
            columns = computed(columns)
    if engine is not None:
        columns = dict.fromkeys(columns)
    besides = {role: columns.pop(role, None) for role in unread.besides}
    return inputs._replace(**columns, engine=engine, column_names=named, besides=besides)


def _is_dask(y_true: Any) -> bool:
    """Whether this is a Dask collection."""
    return type(y_true) is not ndarray and is_collection(y_true)


def _checked(inputs: Inputs, unread: Unread, *naming: amending) -> OneReading:
    """Check what was read, and weigh it for a prevalence. `naming` amends the errors of both."""
    reading = OneReading(inputs, *naming)
    with reading:
        check_inputs(inputs, unread.caller)
    if unread.data is not None:
        graded = inputs.min_grade is not None
        columns = tables.naming_columns(inputs.column_names, unread.data, graded=graded)
        reading.naming.insert(0, columns)
    if inputs.prevalence is not None:
        with reading:
            reading.inputs = reweighted(inputs)
    if unread.groups is not None and unread.n_positives is not None:
        reading.naming.insert(0, leaving_out_unscored())
    return reading
