"""Errors that name the columns they are about, and say what to do with missing values."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from .._words.refusals import CREATE_AGAIN_REMEDY, JUDGE_REMEDY, ErrorContext, Refusal
from .column_names import list_role_columns
from .labels import UNJUDGED
from .table_kinds import name_library

_ADVICE_IF_SPENT = (
    " Either data is empty, or its source can be read only once and was read before, so it "
    "has to be created again."
)


def name_columns_in_errors(
    columns: Mapping[str, Any],
    data: Any,
    nulls: Callable[[], Collection[str]] = tuple,
    graded: bool = False,
) -> ErrorContext:
    """Append the names of the columns to errors that are about them, and what to do with rows of
    missing values.

    `columns` has the names by the roles, and `nulls` returns those of columns that weren't in
    memory and contain nulls. Labels with `graded` are grades.
    """

    def tell(refusal: Refusal) -> None:
        arguments = refusal.arguments or ()
        if refusal.missing and not set(arguments).isdisjoint(nulls()):
            refusal.missing = "nulls"
            if refusal.found:
                refusal.subject, refusal.found = arguments[0], "nulls"
        named = {role: name for role, name in columns.items() if role in arguments}
        if not named:
            return
        advice = ""
        if refusal.missing and refusal.remedy != JUDGE_REMEDY:
            advice = _advise_on_missing_values([*named], graded)
        if refusal.remedy == CREATE_AGAIN_REMEDY and _can_be_spent(data):
            advice = _ADVICE_IF_SPENT
        which = ", ".join(_describe_named_columns(role, name) for role, name in named.items())
        refusal.columns = f" ({which}){advice}"
        refusal.arguments = ()  # so that nobody names them again

    return ErrorContext(tell)


def _advise_on_missing_values(roles: Sequence[str], graded: bool) -> str:
    """Say what to do with rows without a label, a group or a weight, of which nothing is known.

    Errors about missing scores say so themselves.
    """
    if roles == ["y_score"]:
        return ""
    if roles != ["y_true"]:
        return " Leave these rows out."
    if graded:
        return f" Leave these rows out. {UNJUDGED}"
    return (
        " Leave these rows out if it's chance which labels are missing. If labels come late, see "
        "the page on thresholds."
    )


def _can_be_spent(data: Any) -> bool:
    """Whether a table may be the result of a query, which doesn't tell whether its source can be
    read again.
    """
    is_query = name_library(data) in ("duckdb", "ibis", "polars")
    return is_query and not hasattr(data, "get_column")


def _describe_named_columns(role: str, named: Any) -> str:
    """Say which columns an argument names."""
    if isinstance(named, str):
        return f"{role} is the column {named!r}"
    return f"{role} are the columns {list_role_columns(named)}"
