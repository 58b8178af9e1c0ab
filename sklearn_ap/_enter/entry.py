"""The way of a call: its arguments are bound and checked, and its data is read and evaluated.

The decorator `public` does the first two, and the body of each public function the other two::

    unread = Inputs.of_call(locals(), "operating_point")
    with read_rows(unread) as inputs:
        value = ...
    return value
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import Token
from functools import partial, wraps
from inspect import Parameter, signature
from operator import methodcaller
from typing import Any, ParamSpec, TypeVar

import numpy as np

from .._inputs.records import (
    COLUMNS,
    Grades,
    Inputs,
    ReaderLabels,
    find_needed_parameters,
)
from .._read import tables
from .._read.columns import advise_on_unscored_in_errors
from .._read.group_names import has_counts_by_grade, read_judged
from .._read.tables import (
    ReaderColumns,
    add_known_arguments,
    find_conditions,
    find_lowest_grade,
    name_columns_in_errors,
    read_roles,
    refuse_missing_arguments,
)
from .._show import progress
from .._show.results import ORIGIN, LazyValue, Origin, is_of_polars
from .._words.messages import warning_once
from .._words.parameters import check_read_columns, format_value, make_checks
from .._words.refusals import ErrorContext, Refusal, use_text_alone
from .metric import Metric, unpack_metric

P = ParamSpec("P")
T = TypeVar("T")


# What has no metric, whose title would say min_grade
_WITHOUT_TITLE = ("operating_point", "check", "explain", "identify")

_is_assertion = methodcaller("errisinstance", AssertionError)


def public(
    *,
    metric: str | None = None,
    warns_once: bool = False,
    unchecked: Collection[str] = (),
    passes_on: Callable[..., Any] | None = None,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a public function: bind its arguments to its parameters, and check them.

    What a function with `data` says about the data is checked when that is read. The parameter
    called `metric` can be a `Metric`, which becomes a name and options. A function that
    `warns_once` gives each warning only once, for any number of models and metrics. `unchecked` are
    parameters that mean something else than in other functions, and `passes_on` is the method that
    gets the options that the function doesn't name.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        check = make_checks(function, warns_once, unchecked, passes_on)
        bind = _make_binder(function, metric, check)
        has_title = function.__name__ not in _WITHOUT_TITLE

        @wraps(function)
        def check_and_call(*args: Any, **kwargs: Any) -> T:
            __tracebackhide__ = _is_assertion  # by pytest, whose tracebacks then end in the test
            arguments = bind(args, kwargs)
            passed = [*args, *kwargs.values()]
            origin = partial(_make_origin, passed, arguments, has_title, ORIGIN.get())
            token = ORIGIN.set(LazyValue(origin))
            once = warning_once() if warns_once else nullcontext()
            shows = arguments.get("verbose") and not progress.is_shown()
            told = progress.show_progress(function.__name__) if shows else nullcontext()
            try:
                # Underflow is ignored by default, but callers can raise errors.
                with np.errstate(under="ignore"), once, told:
                    check(arguments)
                    return function(**arguments)  # type: ignore[call-arg]
            except (TypeError, ValueError) as error:
                if token.old_value is Token.MISSING:  # of the outermost call
                    use_text_alone(error)
                raise
            finally:
                ORIGIN.reset(token)

        return check_and_call

    return decorate


def _make_origin(
    passed: Sequence[Any], arguments: Mapping[str, Any], has_title: bool, outer: LazyValue[Origin]
) -> Origin:
    """Return what results know about a call: what was `passed`, and bound as `arguments`.

    Results whose metric `has_title` say min_grade there. Within another call of ours, such as that
    of a scorer, what results know about this `outer` one is true of the inner one, too.
    """
    conditions, of_polars = outer.get()
    conditions = {**conditions, **find_conditions(arguments)}
    if not has_title:
        conditions |= find_lowest_grade(arguments)
    for each in passed:
        if not of_polars and not isinstance(each, str | float | int):
            of_polars = is_of_polars(each)
    return Origin(conditions, of_polars)


def _make_binder(
    function: Callable[..., Any], metric: str | None, check: Callable[..., None]
) -> Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]]:
    """Return a function that binds arguments to the parameters of a public function.

    `metric` is the parameter that can be a `Metric`, and `check` what `make_checks` returns.
    """
    parameters = signature(function).parameters
    nullable = [name for name, p in parameters.items() if p.default is None]
    needed = find_needed_parameters(function.__name__, nullable)
    kinds = [parameter.kind for parameter in parameters.values()]
    n_positional = kinds.count(Parameter.POSITIONAL_OR_KEYWORD)

    def bind(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        arguments = dict(zip(parameters, args, strict=False), **kwargs)
        # Too many positional arguments are cut off, and one that was passed twice is overwritten.
        if len(args) > n_positional or len(arguments) < len(args) + len(kwargs):
            # With `metrics`, y_score may have several models.
            if arguments.get("data") is None and "metrics" not in parameters:
                check(arguments, whole=True)
            try:
                function(*args, **kwargs)  # Python says what is wrong
            except TypeError as error:
                is_excess = len(args) > n_positional
                if is_excess and "scorers" in parameters:
                    raise TypeError(f"{error}. Pass several scorers as a list.") from None
                if is_excess and "metrics" in parameters:
                    metrics = format_value(args[n_positional])
                    words = f"{error}. Pass metrics by their name, as in metrics={metrics}."
                    raise TypeError(words) from None
                if not is_excess or "k" not in parameters:
                    raise
                k = format_value(args[n_positional])
                raise TypeError(f"{error}. Pass k by its name, as in k={k}.") from None
        if metric is not None and isinstance(arguments.get(metric), Metric):
            arguments = unpack_metric(arguments, metric)
        if arguments.get("data") is not None:
            arguments = add_known_arguments(arguments, parameters) or arguments
        if missing := needed - arguments.keys():
            refuse_missing_arguments(function.__qualname__, missing, arguments)
        return arguments

    return bind


def read_rows(unread: Inputs) -> AbstractContextManager[Inputs]:
    """Read the data of one model, for a block that answers a question::

    with read_rows(unread) as inputs:
        value = ...
    """
    inputs = read_inputs(unread)
    check_read_columns(inputs)
    return name_inputs_in_errors(inputs)


def _list_passed_columns(unread: Inputs) -> dict[str, Any]:
    """Return the columns that aren't None, or their names, by their roles."""
    of_roles = {**unread._asdict(), **unread.besides}
    return {role: of_roles[role] for role in COLUMNS if of_roles.get(role) is not None}


def read_inputs(unread: Inputs) -> Inputs:
    """Read the columns that are named."""
    inputs = unread if unread.data is None else _read_columns(unread)
    labels, counts = unread.y_true, unread.n_positives
    if isinstance(labels, ReaderLabels) or (counts is not None and has_counts_by_grade(counts)):
        inputs = _add_grades(inputs, unread)
    return inputs


def _add_grades(inputs: Inputs, unread: Inputs) -> Inputs:
    """Add what the caller or the table knows about grades, and count the relevant documents.

    Labels of the table are `ReaderLabels`, which name its column of grades. n_positives either has
    counts by grade, or it is a count that the table doesn't know.
    """
    labels, lowest = unread.y_true, unread.min_grade
    grades = None
    if isinstance(labels, ReaderLabels):
        grades = unread.data[labels.grades]
        lowest = labels.min_grade if lowest is None else max(lowest, 0)
    graded = Grades(1 if lowest is None else lowest, grades)
    if grades is not None and unread.min_grade is not None:
        # Documents without a judgment are nan, which no grade compares with.
        is_relevant = grades >= graded.lowest
        inputs = inputs._replace(y_true=np.where(is_relevant, grades, unread.min_grade - 1))
    if has_counts_by_grade(unread.n_positives):
        count = partial(read_judged, unread.n_positives, unread.groups)
        groups, judged = unread.read_once(
            ("judged", unread.groups is None), [unread.n_positives], count
        )
        counts = judged.counts[:, judged.grades >= graded.lowest].sum(axis=1)
        inputs = inputs._replace(n_positives=dict(zip(groups, counts.tolist(), strict=True)))
        has_all = judged.has_all or grades is not None
        graded = graded._replace(groups=groups, judged=judged._replace(has_all=has_all))
    return inputs._replace(graded=graded)


def _read_columns(unread: Inputs) -> Inputs:
    """Put the columns of a table in the place of their names."""
    columns, data, positive = _list_passed_columns(unread), unread.data, unread.positive
    named = read_roles(data, columns)
    what = "columns", repr(named), positive
    source = unread.read_once(what, [data], lambda: tables.read(data, named, positive))
    read = {**columns, **source}
    if isinstance(columns.get("y_score"), Mapping):  # some of its columns can be arrays
        read["y_score"] = {**columns["y_score"], **source.get("y_score", {})}
    besides = {role: read.pop(role, None) for role in unread.besides}
    only_retrieved = isinstance(data, ReaderColumns) and data.only_retrieved
    return unread._replace(
        **read, column_names=named, besides=besides, only_retrieved=only_retrieved
    )


def name_inputs_in_errors(
    inputs: Inputs, naming: ErrorContext | None = None
) -> AbstractContextManager[Inputs]:
    """Give what was read to a block that answers a question. Its errors name the columns, and if
    there is a `naming` of it, the model.
    """

    def tell(refusal: Refusal) -> None:
        if inputs.groups is not None and inputs.n_positives is not None:
            advise_on_unscored_in_errors().tell(refusal)
        if inputs.data is not None:
            nulls, graded = partial(_roles_with_nulls, inputs), inputs.min_grade is not None
            named = name_columns_in_errors(inputs.column_names, inputs.data, nulls, graded)
            named.tell(refusal)
        if naming is not None:
            naming.tell(refusal)

    return ErrorContext(tell, inputs)


def _roles_with_nulls(inputs: Inputs) -> list[str]:
    """Return the roles of columns that contain nulls, if the table isn't in memory."""
    if tables.is_in_memory(inputs.data):
        return []
    roles = []
    for role in COLUMNS:
        column = getattr(inputs, role, None)
        columns = column if isinstance(column, tuple) else [column]
        if any(map(_has_nulls, columns)):
            roles.append(role)
    return roles


def _has_nulls(column: Any) -> bool:
    n_nulls = getattr(column, "null_count", 0)
    return bool(n_nulls() if callable(n_nulls) else n_nulls)  # a method of columns of polars
