"""Kinds of tables, told apart without importing their libraries."""

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from pathlib import PurePath
from typing import Any, NoReturn

from .._arrays.host import find_library
from .._words.parameters import format_value, is_collection
from .._words.refusals import find_substitute

# Methods by which objects of other libraries, such as files, become tables.
_CONVERSION_METHODS = ("to_spark", "to_pandas", "read_all", "read")


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
