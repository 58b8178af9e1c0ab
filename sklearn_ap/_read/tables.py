"""Tables: their kinds, the names and roles of their columns, and what readers know of their own.

The columns of a table in memory are handled like any other arrays. Any other table is read once, as
one table of Arrow. Kinds are told apart without importing their libraries. CONTRIBUTING.md explains
how to add one.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from itertools import chain, repeat
from numbers import Integral
from operator import itemgetter
from os import PathLike
from pathlib import PurePath
from typing import Any, NoReturn

import numpy as np

from .._arrays.conversion import as_numbers, make_matrix_of_columns
from .._arrays.host import find_library, unwrap_native
from .._inputs.metric_names import read_overlap
from .._inputs.records import (
    COMBINABLE_ROLES,
    NO_COLUMNS,
    Inputs,
    Named,
    PositiveClass,
    ReaderLabels,
)
from .._package import load
from .._words.parameters import format_list, format_name, format_value, is_collection
from .._words.refusals import (
    CREATE_AGAIN_REMEDY,
    JUDGE_REMEDY,
    ErrorContext,
    Refusal,
    find_substitute,
)
from ..core.rules import GroupFunction
from .labels import UNJUDGED

# Methods by which objects of other libraries, such as files, become tables.
_CONVERSION_METHODS = ("to_spark", "to_pandas", "read_all", "read")
_MAX_LISTED_COLUMNS = 20  # the number of columns that an error lists
_ADVICE_IF_SPENT = (
    " Either data is empty, or its source can be read only once and was read before, so it "
    "has to be created again."
)
# The module and the function that read a table, by the library of its class.
_READERS = {
    "_duckdb": ("arrow", "read_duckdb"),
    "datasets": ("arrow", "read_hugging_face"),
    "duckdb": ("arrow", "read_duckdb"),
    "ibis": ("arrow", "read_ibis"),
    "pathlib": ("arrow", "read_arrow"),
    "polars": ("arrow", "read_polars"),
    "pyarrow": ("arrow", "read_arrow"),
    "pyspark": ("from_spark", "read_spark"),
}

Columns = Mapping[str, Any]  # of any library, by their roles


def check_is_table(data: Any, names: Sequence[str] = ()) -> None:
    """Refuse what isn't a table, or is only text that names one, or a table of Dask.

    `names` are those of its columns that the call needs.
    """
    if is_collection(data):
        columns = list(names) or "columns"
        raise TypeError(
            f"data is a Dask {type(data).__name__}, which isn't in memory. Pass "
            f"data=frame[{columns}].compute(), or after frame.to_parquet(folder), "
            "data=pathlib.Path(folder)."
        )
    if isinstance(data, str):
        raise TypeError(f"data={format_value(data)} is a str. {_advise_on_text(data)}")
    if not _is_table(data):
        refuse_data(data)


def _is_table(data: Any) -> bool:
    """Whether this is a path, a mapping, or an object with the attributes of a table."""
    is_column = type(data).__name__ in ("Series", "Column", "ChunkedArray")
    is_pandas_on_spark = hasattr(type(data), "to_spark")  # has to become a table of Spark first
    if is_column or is_pandas_on_spark or isinstance(data, type):
        return False
    if are_paths(data) or isinstance(data, Mapping):
        return True
    attributes = ("columns", "schema", "collect_schema", "column_names", "__arrow_c_stream__")
    # First of the class, because polars warns if the columns of a LazyFrame are read.
    for thing in (type(data), data):
        for name in attributes:
            if hasattr(thing, name):
                return True
    return False


def are_tables(data: Any) -> bool:
    """Whether this is a mapping from names of models to tables, rather than to columns."""
    return isinstance(data, Mapping) and bool(data) and all(map(_is_table, data.values()))


def are_paths(data: Any) -> bool:
    """Whether this is a path, or a list of paths."""
    if not isinstance(data, list | tuple):
        return isinstance(data, PathLike)
    return bool(data) and all(isinstance(path, PathLike) for path in data)


def refuse_data(data: Any) -> NoReturn:
    """Refuse what isn't a table, and say how it could become one."""
    accepted = (
        "a DataFrame of pandas, polars, narwhals or Spark, a polars LazyFrame, a DuckDB "
        "relation, an Ibis or PyArrow table, a PyArrow dataset, a Dataset of Hugging Face, or a "
        "pathlib.Path to Parquet files"
    )
    kind, library = type(data).__name__, find_library(data)
    got = kind if library == "builtins" else f"{kind} of {library}"
    if isinstance(data, type):
        got = f"the class {data.__name__} itself"
    ways = [name for name in _CONVERSION_METHODS if hasattr(type(data), name)]
    advice = f" Pass data.{ways[0]}(), if that is such a table." if ways else ""
    empty = "an empty " if isinstance(data, list | tuple) and not data else ""
    raise TypeError(f"data must be a table: {accepted}. Got {empty}{got}.{advice}")


def refuse_tables() -> NoReturn:
    raise ValueError(
        "data can map models to tables only if functions of sklearn_ap.readers returned them. "
        f"{find_substitute('on')}"
    )


def _advise_on_text(text: str) -> str:
    """Say what to pass instead of a string."""
    if re.match(r"\s*(select|from|with)\s", text, re.IGNORECASE):
        return "For the result of a query, pass duckdb.sql(query)."
    if "://" in text:
        return f"For files at a URL, pass pyarrow.dataset.dataset({text!r})."
    if re.search(r"\.csv\b", text, re.IGNORECASE):
        return f"Read the file first: pass pandas.read_csv({text!r}) or polars.read_csv({text!r})."
    return f"For Parquet files, pass {format_glob(text) or f'pathlib.Path({text!r})'}."


def format_glob(path: str) -> str | None:
    """Write an expression for the files that a path with wildcards means, or return None."""
    folders = PurePath(path).parts
    wild = [place for place, name in enumerate(folders) if re.search(r"[*?\[]", name)]
    if not wild:
        return None
    folder, pattern = PurePath(*folders[: wild[0]]), PurePath(*folders[wild[0] :])
    return f"list(pathlib.Path({str(folder)!r}).glob({str(pattern)!r}))"


def describe_kind(data: Any) -> str:
    """Name the kind of a table in errors, with its article."""
    if are_paths(data):
        return "a path to Parquet files"
    library = find_library(data).removeprefix("_")
    name = type(data).__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name} of {library}"


def name_library(data: Any) -> str:
    """Name the library of a table, or "paths"."""
    if are_paths(data):
        return "paths"
    return find_library(data).removeprefix("_")


def import_pyarrow(data: Any) -> Any:
    try:
        return import_module("pyarrow")
    except ImportError as error:
        raise ImportError(
            f"PyArrow is needed to read {describe_kind(data)}: pip install pyarrow"
        ) from error


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
    return [*getattr(getattr(frame, "index", None), "names", ())]


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
        if any(str(column) == name for column in names):
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


def add_known_arguments(
    arguments: Mapping[str, Any], parameters: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Add to the arguments of a function those that their table, or each of their tables, knows.

    A table knows what `get_known_arguments` of its class returns: names of its columns, and how
    many positives exist, in each cluster if the function draws clusters. Its `columns` then take
    its place. Arguments that were passed take precedence. Return None if no table knows any.

    `arguments` has `data`, and `parameters` are those of the function.
    """
    data = arguments["data"]
    knowing = _select_reader_tables(data)
    if not knowing:
        return None
    if isinstance(data, Mapping) and len(knowing) < len(data):
        refuse_tables()
    of_differences = [arguments.get(name) for name in ("baseline", "margin", "by")]
    if "y_score_a" in parameters or any(each is not None for each in of_differences):
        _check_same_conditions(data if are_tables(data) else knowing)
    by_cluster = _has_drawn_clusters(arguments, parameters)
    overlaps = [getattr(table, "overlaps", ()) for table in knowing.values()]
    if any(overlaps):
        _check_no_overlaps(arguments, overlaps)
    added: dict[str, Any] = {}
    counts_of_added = None  # of positives, where n_positives counts judged documents by grade
    for model, table in knowing.items():
        from_table = table.get_known_arguments(by_cluster)
        if isinstance(labels := from_table["y_true"], ReaderLabels):
            _check_takes_judged(arguments)
            if arguments.get("y_true") == labels.grades:  # which the table's labels also have
                arguments = {role: arguments[role] for role in arguments if role != "y_true"}
        from_table["y_score"] = ReaderColumn(from_table["y_score"])
        if "y_score_a" in parameters:
            from_table["y_score_a"] = from_table.pop("y_score")
        if "n_positives" in parameters:
            _check_known_positives(arguments, from_table, by_cluster)
        wanted = parameters.keys() - arguments.keys()
        from_table = {role: from_table[role] for role in from_table if role in wanted}
        counts = table.n_positives if "n_positives" in from_table else None
        if added and (from_table, counts) != (added, counts_of_added):
            _refuse_different_tables(next(iter(knowing)), added, model, from_table)
        added, counts_of_added = from_table, counts
    if not isinstance(data, Mapping):
        return {**arguments, **added, "data": ReaderColumns(data)}
    columns = {model: ReaderColumns(table) for model, table in knowing.items()}
    return {**arguments, **added, "data": columns}


class ReaderColumns(dict[str, Any]):
    """The columns of a table that knows them, and under which conditions it was made."""

    only_retrieved = True  # so it lacks the candidates that weren't

    def __init__(self, table: Any) -> None:
        super().__init__(table.columns)
        self.conditions: Mapping[str, Any] = table.conditions


def find_conditions(arguments: Mapping[str, Any], model: Any = None) -> dict[str, Any]:
    """Return what changes the meaning of values and isn't a default: what the arguments of a call
    say about the data, and how a reader made the table, or the one of this model. Of the tables of
    several models, it is what they have in common.
    """
    conditions: dict[str, Any] = {}
    weight = arguments.get("sample_weight")
    if weight is not None:
        conditions["sample_weight"] = get_column_name(weight) or get_series_name(weight) or True
    data: Any = arguments.get("data")
    tables = [data]
    if are_tables(data):
        tables = [data[model]] if model in data else [*data.values()]
    of_tables = []
    for table in tables:
        found = getattr(table, "conditions", None)
        # DataFrames have their columns as attributes, and those of Spark Connect any others, too.
        of_tables.append(found if isinstance(found, Mapping) else NO_COLUMNS)
    first, *others = of_tables
    for name, value in first.items():
        if all(other.get(name) == value for other in others):
            conditions[name] = value
    return conditions


def find_lowest_grade(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the lowest grade that counts as positive, if the call or the table names one."""
    lowest = arguments.get("min_grade")
    known = getattr(arguments.get("y_true"), "min_grade", 1)  # which is 1 by default
    if lowest is None and known != 1:
        lowest = known
    return {} if lowest is None else {"min_grade": lowest}


def _refuse_different_tables(
    first_model: Any, first: Mapping[str, Any], second_model: Any, second: Mapping[str, Any]
) -> NoReturn:
    """Refuse tables that don't know the same. What they know is equal only if their lowest relevant
    grades differ, and with them the counts of positives.
    """
    roles = [role for role in {**second, **first} if second.get(role) != first.get(role)]
    role = roles[0] if roles else "min_grade"
    which = _describe_first_difference(first[role], second[role]) if role == "n_positives" else ""
    raise ValueError(
        f"The tables of {first_model!r} and {second_model!r} have different {role}{which}. "
        f"Read both with the same judgments or annotations, or pass {role}."
    )


def _check_same_conditions(tables: Mapping[Any, Any]) -> None:
    """Refuse differences between tables that a reader made with different options."""
    first, *others = tables
    for model in others:
        options = [{**getattr(tables[each], "conditions", {})} for each in (first, model)]
        if options[0] != options[1]:
            raise ValueError(
                f"The tables of {first!r} and {model!r} were read under different conditions, "
                f"{options[0] or 'the default'} and {options[1] or 'the default'}, so differences "
                "say nothing about the models. Read both with the same options, or call report "
                "without baseline, margin and by, which then only lists their values."
            )


def _describe_first_difference(first: Mapping[Any, Any], second: Mapping[Any, Any]) -> str:
    """Name the first group that has other counts in two tables, and how many groups do."""
    groups = {**first, **second}
    differ = [group for group in groups if first.get(group) != second.get(group)]
    group = differ[0]
    return (
        f": {first.get(group, 'none')} and {second.get(group, 'none')} for "
        f"{format_name(group, repr)} (they differ for {len(differ):,} of {len(groups):,} groups)"
    )


def _select_reader_tables(data: Any) -> dict[Any, Any]:
    """Return the tables that know their columns, by their models if there are several."""
    if not isinstance(data, Mapping):
        return {None: data} if hasattr(type(data), "get_known_arguments") else {}
    return {model: t for model, t in data.items() if hasattr(type(t), "get_known_arguments")}


def _list_metrics(arguments: Mapping[str, Any]) -> list[Any]:
    """Return the metrics among the arguments, by their names or as objects, or [None]."""
    metrics = arguments.get("metrics", arguments.get("metric"))
    metrics = metrics.values() if isinstance(metrics, Mapping) else metrics
    are_several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    return [*metrics] if are_several else [metrics]


def _check_takes_judged(arguments: Mapping[str, Any]) -> None:
    """Refuse functions that wouldn't see the relevant documents that weren't retrieved."""
    for metric in [*_list_metrics(arguments), arguments.get("rule")]:
        rule = getattr(metric, "rule", metric)
        if isinstance(rule, GroupFunction) and not rule.takes_judged:
            name = getattr(rule.function, "__name__", "function")
            raise ValueError(
                f"{rule.called!r} doesn't see the judged documents that weren't retrieved, so "
                "engines that find fewer could look better. Give the function a parameter judged, "
                f"as in def {name.replace('<lambda>', 'function')}(y_true, y_score, judged), which "
                "gets the grades of all judged documents of a query. 'nDCG@10' has them "
                "without a function."
            )


def _check_no_overlaps(arguments: Mapping[str, Any], of_tables: Sequence[Sequence[float]]) -> None:
    """Check that no metric of detections is called like AP@0.5, which isn't AP of their top 50%.

    `of_tables` are the overlaps at which the detections of each table were matched, none for a
    table of something else.
    """
    for metric in _list_metrics(arguments):
        name = getattr(metric, "definition", metric)
        if name == "mAP" and "n_points" not in {**arguments, **getattr(metric, "options", {})}:
            raise ValueError(
                "For detections, each benchmark means another metric by 'mAP'. Pass '101-point' "
                "for COCO's, '11-point' for PASCAL VOC's until 2009, "
                "'interpolated_average_precision' for that from 2010 on, or 'MAP' for the mean of "
                "scikit-learn's average precision."
            )
        meaning = read_overlap(name)
        if meaning is None:
            continue
        overlap, cutoff_call = meaning
        already = ""
        if all(overlaps and np.allclose(overlaps, overlap, atol=1e-9) for overlaps in of_tables):
            already = "This table has that overlap already, so only change the metric. "
        raise ValueError(
            f"For detections, {name!r} means an overlap (IoU) of {overlap:g}, not a cutoff k. "
            f"Read the table with overlap={overlap:g}, and pass a metric such as '101-point' "
            "(COCO) or 'interpolated_average_precision' (PASCAL VOC). "
            f"{already}For the cutoff, pass sklearn_ap.{cutoff_call}."
        )


def _check_known_positives(
    arguments: Mapping[str, Any], from_table: Mapping[str, Any], by_cluster: bool
) -> None:
    """Check that arguments and options of metrics leave a table the positives that it counted.

    `from_table` are the arguments that the table knows, of which n_positives counts clusters
    if `by_cluster`.
    """
    if "y_true" in arguments and "n_positives" in arguments:
        return
    metrics = _list_metrics(arguments)
    option_sets = [arguments, *(getattr(metric, "of_data", {}) for metric in metrics)]
    has_grades = isinstance(from_table["y_true"], ReaderLabels)
    if not has_grades and any(options.get("min_grade") is not None for options in option_sets):
        raise ValueError(
            "min_grade is the lowest grade that counts as positive, but this table has no grades. "
            "Leave min_grade out."
        )
    if "n_positives" in arguments:
        return
    counted_with = {"pos_label": 1, "y_true": from_table["y_true"], "groups": from_table["groups"]}
    if by_cluster and "clusters" in from_table:
        counted_with["clusters"] = from_table["clusters"]
    for role, name in counted_with.items():
        for options in option_sets:
            value = options.get(role, name)
            is_array = hasattr(value, "__len__") and not isinstance(value, str)
            if is_array or value != name:
                raise ValueError(
                    f"The table has counted its n_positives with {role}={name!r}, but got "
                    f"{role}={format_value(value)}. Pass n_positives, too."
                )


def _has_drawn_clusters(arguments: Mapping[str, Any], parameters: Mapping[str, Any]) -> bool:
    """Whether a function draws clusters, which few do without a confidence level."""
    if "clusters" not in parameters or arguments.get("clusters", "known") is None:
        return False
    default = getattr(parameters.get("confidence_level"), "default", 1)
    return arguments.get("confidence_level", default) is not None


def check_tables_are_data(caller: str, arguments: Mapping[str, Any]) -> None:
    """Check that no table that knows its columns was passed as one of them."""
    for role, value in arguments.items():
        if _select_reader_tables(value):
            table = "tables" if isinstance(value, Mapping) else "table"
            raise TypeError(
                f"{caller}() got a {type(value).__name__} as {role}. Such a table is passed by "
                f"name, as {caller}(data={table}), and knows its columns."
            )


def refuse_missing_arguments(
    caller: str, missing: Collection[str], arguments: Mapping[str, Any]
) -> NoReturn:
    """Refuse a call that lacks arguments, unless a table that knows them was passed wrongly."""
    check_tables_are_data(caller, arguments)
    known = "Only tables of sklearn_ap.readers are passed without names."
    if caller == "OperatingPoint.check":
        known = "Those of the choice are taken only if the table has columns of the same names."
    raise TypeError(
        f"{caller}() needs {' and '.join(sorted(missing, reverse=True))}: pass arrays, or with "
        f"data, the names of its columns. {known}"
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


def read(data: Any, named: Named, positive: PositiveClass) -> Columns:
    """Read the columns of a table, and return them by their roles.

    `positive` tells which entry of vectors has the scores of Spark's models.
    """
    data = unwrap_native(data)
    check_is_table(data, list_distinct_names(named))
    reader = _find_reader(data)
    if reader is None:
        return read_memory(data, named)
    module, function = reader
    if module == "arrow":
        import_pyarrow(data)
    read_table = getattr(load(f"_read.{module}"), function)
    besides = (positive,) if module == "from_spark" else ()
    try:
        columns: Columns = read_table(data, named, *besides)
    except MemoryError as error:
        raise MemoryError(
            "data doesn't fit into memory. Store scores as float32, or pass a random sample of the "
            "rows, or of whole groups if there are any."
        ) from error
    return columns


def is_in_memory(data: Any) -> bool:
    data = unwrap_native(data)
    return _find_reader(data) is None or hasattr(type(data), "num_rows")


def _find_reader(data: Any) -> tuple[str, str] | None:
    """Return the module and the function that read a table; None for most that are in memory."""
    if hasattr(type(data), "get_column"):  # of polars; DataFrames of Spark have any attribute
        return None
    first = data[0] if isinstance(data, list | tuple) else data
    for kind in type(first).__mro__:
        library = kind.__module__.partition(".")[0]
        if library in _READERS:
            return _READERS[library]
    return None


def read_memory(data: Any, named: Named) -> Columns:
    """Return the columns of a DataFrame, a mapping, or an object with Arrow's stream protocol."""
    if isinstance(data, Mapping):
        return pick_columns(list(data), named, data.__getitem__)
    if hasattr(data, "iloc"):
        index = list_index_names(data)
        return pick_columns(list(data.columns), named, data.__getitem__, index)
    if hasattr(data, "get_column"):
        return pick_columns(data.columns, named, data.get_column)
    if not hasattr(data, "__arrow_c_stream__"):
        refuse_data(data)
    pyarrow = import_pyarrow(data)
    with pyarrow.RecordBatchReader.from_stream(data) as reader:
        wanted = check_named_columns(reader.schema.names, named)
        schema = pyarrow.schema([reader.schema.field(name) for name in wanted])
        table = pyarrow.Table.from_batches([batch.select(wanted) for batch in reader], schema)
    return pick_columns(wanted, named, table.column)


def pick_columns(
    names: list[Any], named: Named, column: Callable[[str], Any], index: Collection[Any] = ()
) -> dict[str, Any]:
    """Return the columns by their roles. Several become a matrix, or a tuple of what they name.

    `names` are all columns of the table, of which `column` returns the one with a name, and `index`
    has the names of its index.
    """
    check_named_columns(names, named, index)
    return {role: _pick_by_role(role, name, column) for role, name in named.items()}


def _pick_by_role(role: str, name: Any, column: Callable[[str], Any]) -> Any:
    """Return the column with a role, or several: those of models, or a list of them."""
    if isinstance(name, str):
        return column(name)
    if isinstance(name, Mapping):
        return {model: _pick_by_role(role, own, column) for model, own in name.items()}
    if role in COMBINABLE_ROLES:
        return tuple(map(column, name))
    return make_matrix_of_columns([as_numbers(column(item)) for item in name])
