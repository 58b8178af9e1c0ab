"""Every table that isn't in memory becomes one table of Arrow, with the columns that are named."""

from __future__ import annotations

from os import fspath
from pathlib import PurePath
from typing import Any

import pyarrow as pa
from pyarrow import dataset

from .._inputs.records import Named
from . import tables
from .engines import Columns, pick, read_memory


def read_arrow(data: Any, named: Named) -> Columns:
    """Read Parquet files, a dataset, a table or a stream of Arrow."""
    if tables.are_paths(data):
        data = _dataset(data)
    if not hasattr(data, "get_fragments"):
        return read_memory(data, named)
    wanted = tables.check_named_columns(data.schema.names, named)
    _check_types(data, wanted)
    return pick(wanted, named, data.to_table(columns=wanted).column)


def _dataset(data: Any) -> Any:
    """Return the files of paths, whose folders such as day=007 name columns of strings, unless all
    of them are numbers as Python writes them.
    """
    paths = [fspath(path) for path in (data if isinstance(data, list | tuple) else [data])]
    source = paths if len(paths) > 1 else paths[0]
    found = dataset.dataset(source, format="parquet", partitioning="hive")
    types: dict[str, pa.DataType] = {}
    for file in found.files:
        for folder in PurePath(file).parent.parts:
            name, is_column, text = folder.partition("=")
            if is_column and not (text.isdecimal() and str(int(text)) == text):
                types[name] = pa.string()
    fields = [field.with_type(types.get(field.name, field.type)) for field in found.schema]
    return dataset.dataset(source, pa.schema(fields), "parquet", partitioning=_hive(types, fields))


def _hive(types: dict[str, pa.DataType], fields: list[pa.Field]) -> Any:
    if not types:
        return "hive"
    of_folders = [field for field in fields if field.name in types]
    return dataset.partitioning(pa.schema(of_folders), flavor="hive")


def _check_types(data: Any, wanted: list[str]) -> None:
    """Refuse files that have a column in different types, which would be rounded to that of one."""
    for fragment in data.get_fragments():
        schema = fragment.physical_schema
        for name in {*wanted} & {*schema.names}:
            own, first = schema.field(name).type, data.schema.field(name).type
            if own != first:
                raise ValueError(
                    f"Files have {name!r} as {first} and {own}. Write them with one type."
                )


def types_of(data: Any) -> dict[str, pa.DataType]:
    """Return the types of the columns of Parquet files."""
    schema = _dataset(data).schema
    return dict(zip(schema.names, schema.types, strict=True))


def read_polars(data: Any, named: Named) -> Columns:
    return read_memory(data.select(tables.unique(named)).collect(), named)


def read_duckdb(data: Any, named: Named) -> Columns:
    names = tables.check_named_columns(data.columns, named)
    return pick(
        names, named, data.select(*(f'"{name}"' for name in names)).fetch_arrow_table().column
    )


def read_ibis(data: Any, named: Named) -> Columns:
    names = tables.check_named_columns(data.columns, named)
    return pick(names, named, data.select(names).to_pyarrow().column)


def read_hugging_face(data: Any, named: Named) -> Columns:
    wanted = tables.check_named_columns(data.column_names, named)
    return read_memory(data.select_columns(wanted).with_format("arrow")[:], named)
