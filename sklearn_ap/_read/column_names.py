"""Names of columns: which ones a table has, and which role each of them plays."""

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain, repeat
from numbers import Integral
from operator import itemgetter
from typing import Any

from .._arrays.host import unwrap_native
from .._inputs.records import COMBINABLE_ROLES, Inputs
from .._package.registry import load
from .._words.parameters import format_list
from .._words.refusals import Refusal
from .table_kinds import are_paths, are_tables, check_is_table

_MAX_LISTED_COLUMNS = 20  # the number of columns that an error lists


class ReaderColumn(str):
    """The column of prediction scores of a table that knows it, so that it doesn't name a model."""

    __slots__ = ()


def read_roles(data: Any, roles: Mapping[str, Any]) -> dict[str, Any]:
    """Return the roles that are passed as names of columns, with these names.

    `roles` has what was passed as each argument: an array, the name of a column, a list of names,
    or a mapping from models to arrays and names, or from groups to segments.
    """
    roles = {**roles}
    if isinstance(roles.get("by"), Mapping):  # from groups, which no column has
        del roles["by"]
    named = {role: value for role, value in roles.items() if _is_name(role, value, data)}
    models = roles.get("y_score")
    if isinstance(models, Mapping):  # of which some can have arrays
        named_models = {
            model: name for model, name in models.items() if _is_name("y_score", name, data)
        }
        if named_models:
            named["y_score"] = named_models
    if are_tables(data) and not data.keys() >= {*list_distinct_names(named)}:
        names = [*data]
        listed = format_list(names, limit=_MAX_LISTED_COLUMNS)
        raise ValueError(
            f"data has a table for each of {listed}, but only report, compare and from_predictions "
            f"of displays take several tables. Pass one, as in data=tables[{names[0]!r}]."
        )
    for role, value in roles.items():
        for column in value.values() if isinstance(value, Mapping) else [value]:
            may_be_numbers = role in COMBINABLE_ROLES and isinstance(column, list | tuple)
            if may_be_numbers and not _are_numbers_of_columns(column, data):
                continue
            if may_be_numbers or isinstance(column, Integral):
                check_is_table(data)
                raise ValueError(
                    f"{role}={column!r} doesn't name columns of data, because names have to be "
                    "strings. If the columns are numbered, rename them to strings."
                )
    if not named:
        raise ValueError(
            "data was passed, but no argument names one of its columns, as in y_true='label'. To "
            "pass arrays instead, leave data out."
        )
    return named


def _is_name(role: str, value: Any, data: Any) -> bool:
    """Whether what was passed as an argument names one column, or several."""
    return isinstance(value, str) or _are_column_names(role, value, data)


def _are_numbers_of_columns(numbers: Sequence[Any], data: Any) -> bool:
    """Whether this is a list of columns with numbers for names, rather than a column itself."""
    if not hasattr(data, "iloc"):
        return False
    are_numbers = len(numbers) > 0 and all(isinstance(number, Integral) for number in numbers)
    return are_numbers and {*numbers} <= {*data.columns} and len(numbers) != len(data)


def _are_column_names(role: str, value: Any, data: Any) -> bool:
    """Whether what was passed as an argument is a list of names of columns of the table, rather
    than a column itself.
    """
    if not (isinstance(value, list | tuple) and value and are_names(value)):
        return False
    if role not in COMBINABLE_ROLES:
        return role.startswith("y_")
    # A list of strings is the column itself, unless they are names. Some are if one is misspelled,
    # or if they name levels of the index.
    names = _list_names_in_memory(data)
    if names is None or set(value) <= {*names}:
        return True
    return len(set(value)) == len(value) and not {*names}.isdisjoint(value)


def are_names(y_score: Any) -> bool:
    """Whether this is a list of names of columns."""
    return isinstance(y_score, list | tuple) and all(map(isinstance, y_score, repeat(str)))


def list_columns_and_index(data: Any) -> Sequence[Any] | None:
    """Return the names of the columns of a table; None for a stream, which isn't open."""
    if are_paths(data):
        return [*load("_read.arrow").list_columns_in_files(data)]
    return _list_names_in_memory(data)


def list_index_names(frame: Any) -> list[Any]:
    """Return the names of the levels of the index, if it is one of pandas."""
    names = getattr(getattr(frame, "index", None), "names", ())
    return [name for name in names if name is not None]


def _list_names_in_memory(data: Any) -> Sequence[Any] | None:
    """Return the names of the columns of a table, and of its index.

    Return None for a path or a stream, which isn't open.
    """
    data = unwrap_native(data)
    if isinstance(data, Mapping):
        return [*data]
    if hasattr(data, "iloc"):
        return [*data.columns, *list_index_names(data)]
    if hasattr(type(data), "collect_schema"):  # of polars
        return list(data.collect_schema().names())
    names = getattr(getattr(data, "schema", None), "names", None)
    if names is None:
        names = getattr(data, "columns", None)
    return getattr(data, "column_names", None) if names is None else list(names)


def list_role_columns(named: Any) -> list[str]:
    """Return the names of the columns with one role: one, several, or those of models."""
    if isinstance(named, str):
        return [named]
    if isinstance(named, Mapping):
        return [*chain.from_iterable(map(list_role_columns, named.values()))]
    return list(named)


def _list_named_roles(named: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the names of all columns, which `named` has by their roles, each with its role."""
    return [(role, name) for role in named for name in list_role_columns(named[role])]


def list_distinct_names(named: Mapping[str, Any]) -> list[str]:
    """Return the names of all columns, which `named` has by their roles, without duplicates."""
    return _drop_duplicates(_list_named_roles(named))


def _drop_duplicates(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return list(dict.fromkeys(map(itemgetter(1), pairs)))


def check_named_columns(
    names: Sequence[Any], named: Mapping[str, Any], index: Collection[Any] = ()
) -> list[str]:
    """Check that each name is that of one column, and return the names without duplicates.

    `names` are all columns of the table, `named` are those with a role, and `index` has the names
    of the table's index.
    """
    pairs = _list_named_roles(named)
    for role, name in pairs:
        times = list(names).count(name)
        if times == 1:
            continue
        if times:
            raise ValueError(
                f"data has {times} columns with the name {role}={name!r}. Rename or drop "
                "all but one."
            )
        if name in index:
            words = " is not a column of data, but in its index. Pass data=data.reset_index()."
            raise ValueError(Refusal(words, subject=f"{role}={name!r}"))
        near = get_close_matches(name, [text for text in names if isinstance(text, str)], 1)
        advice = f" Did you mean {near[0]!r}?" if near else ""
        if any(not isinstance(column, str) and str(column) == name for column in names):
            advice = " Names have to be strings, as after data.rename(columns=str) in pandas."
        if any(isinstance(column, tuple) for column in names):
            advice = (
                " Its columns have several levels, so give them single names first, as in "
                "data.set_axis(['_'.join(map(str, name)) for name in data.columns], axis=1)."
            )
        listed = [repr(column) for column in names[:_MAX_LISTED_COLUMNS]]
        n_left_out = len(names) - len(listed)
        more = f" and {n_left_out:,} more" if n_left_out else ""
        words = f" is not a column of data.{advice} It has {', '.join(listed) or 'none'}{more}."
        raise ValueError(Refusal(words, subject=f"{role}={name!r}"))
    return _drop_duplicates(pairs)


def get_column_name(column: Any) -> str | None:
    """Return the name of a column that the caller named, which names the model."""
    return column if isinstance(column, str) and not isinstance(column, ReaderColumn) else None


def find_column_name(inputs: Inputs, role: str) -> str | None:
    """Return the name of a column, if the caller named it or if it has one."""
    return get_column_name(inputs.column_names.get(role)) or get_series_name(getattr(inputs, role))


def get_series_name(y_score: Any) -> str | None:
    """Return the name of a Series, if it is text."""
    name = getattr(y_score, "name", None)
    return name if isinstance(name, str) and name else None
