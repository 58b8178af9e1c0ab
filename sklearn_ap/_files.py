"""The tables that the command line reads: CSV files, which have no types, and Parquet files."""

from __future__ import annotations

import csv
import gzip
import math
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import numpy as np

from ._intake import exact_codes


def read_table(path: str, named: Mapping[str, Any]) -> dict[str, Any] | Path:
    """Return what `data` takes: the columns of a CSV file, or a path to Parquet files.

    `named` maps roles to columns. Every library reads the same: groups, clusters and ids stay as
    they are written, because 01 isn't 1. Labels are numbers or booleans if all of them look like
    that. An empty cell is a missing value.
    """
    if path != "-" and (Path(path).is_dir() or re.search(r"\.(parquet|pq)$", path.lower())):
        return Path(path)
    with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
        if path != "-" and file.peek(4).startswith(b"PAR1"):
            return Path(path)
        content = file.read()
    library = next(name for name in _LIBRARIES if find_spec(name.partition(".")[0]))
    try:
        content = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
        _check_encoding(content := content.removeprefix(b"\xef\xbb\xbf"))
        first = content.partition(b"\n")[0].decode()
        delimiter = max(",;\t", key=first.count)
        header = next(csv.reader([first], delimiter=delimiter), [])
        if not header:
            raise ValueError("its first line doesn't contain the names of columns.")
        for name in np.hstack([*named.values()]).tolist():
            if header.count(name) > 1:
                raise ValueError(f"{header.count(name)} columns are called {name!r}.")
        texts = [named[role] for role in ("y_true", "groups", "clusters", "ids") if role in named]
        columns = _LIBRARIES[library](import_module(library), content, delimiter, texts)
        if texts[0] in columns and texts[0] not in texts[1:]:
            columns[texts[0]] = _as_values(columns[texts[0]])
        return columns
    except Exception as error:
        raise ValueError(f"{path!r} cannot be read as a CSV file: {error}") from None


def _check_encoding(content: bytes) -> None:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError("it is encoded in UTF-16. Save it in UTF-8.")
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"line {line} contains {content[error.start : error.start + 1]!r}, which isn't UTF-8. "
            "If the file is encoded in Latin-1 or Windows-1252, save it in UTF-8."
        ) from None


# --- libraries ------------------------------------------------------------------------------------


def _by_pyarrow(module: Any, content: bytes, delimiter: str, texts: list[str]) -> dict[str, Any]:
    table = module.read_csv(
        BytesIO(content),
        # All rows tell the types.
        read_options=module.ReadOptions(block_size=min(len(content) + 1, 2**31 - 1)),
        parse_options=module.ParseOptions(delimiter=delimiter),
        convert_options=module.ConvertOptions(
            column_types=dict.fromkeys(texts, "string"), null_values=[""], strings_can_be_null=True
        ),
    )
    return {  # dates and times are text, as for the other libraries
        name: column.cast("string") if re.match("date|time", str(column.type)) else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def _by_polars(module: Any, content: bytes, delimiter: str, texts: list[str]) -> dict[str, Any]:
    frame = module.read_csv(
        content.rstrip(b"\r\n"),  # an empty line would be a row
        separator=delimiter,
        infer_schema_length=None,
        null_values="",
        schema_overrides=dict.fromkeys(texts, module.String),
    )
    return {column.name: column for column in frame}


def _by_python(module: Any, content: bytes, delimiter: str, texts: list[str]) -> dict[str, Any]:
    lines = module.reader(StringIO(content.decode(), newline=""), delimiter=delimiter)
    header, *rows = [row for row in lines if row]
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"the row {delimiter.join(row)!r} has {len(row)} cells.")
    columns: dict[str, Any] = {}
    for place, name in enumerate(header):
        cells = [row[place] or None for row in rows]
        values = [math.nan if cell is None else _number(cell) for cell in cells]
        is_text = name in texts or any(isinstance(value, str) for value in values)
        columns[name] = np.array(cells, object) if is_text else np.array(values)
    return columns


_LIBRARIES: dict[str, Callable[[Any, bytes, str, list[str]], dict[str, Any]]] = {
    "pyarrow.csv": _by_pyarrow,
    "polars": _by_polars,
    "csv": _by_python,
}

# --- labels ---------------------------------------------------------------------------------------


def _number(text: str) -> Any:
    """Return the number or the boolean that a text stands for, or else the text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:  # Python alone reads 1_000 as a number.
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text.replace("_", " _"))
    except ValueError:
        return text


def _as_values(column: Any) -> Any:
    """Return a column of texts as numbers or booleans if all of its texts look like that."""
    codes = exact_codes(column)
    if codes is None:  # a text is missing
        return column
    names, code = codes.numbered()
    values = [*map(_number, names)]
    found = np.array([] if any(isinstance(value, str) for value in values) else values)
    return column if found.dtype == object or not found.size else found[code]


def label_in(data: Any, name: str, text: str) -> Any:
    """Return the label that a text stands for: a text, a number or a boolean as in its column."""
    try:
        if isinstance(data, Path):
            dataset = import_module("pyarrow.dataset").dataset(data, format="parquet")
            column = dataset.schema.field(name)
        else:
            column = data[name]
    except Exception:  # which reading the data explains
        return text
    kind = str(getattr(column, "type", None) or column.dtype).lower()
    return text if re.search(r"str|obj|dict|cat|enum", kind) else _number(text)
