"""Tables that the command line reads."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Mapping
from importlib import import_module
from io import StringIO
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

_VALUES, _TEXTS = ("y_true", "y_score", "sample_weight"), ("groups", "clusters", "ids")


def read_table(path: str, named: Mapping[str, Any]) -> dict[str, Any] | Path:
    """Return what `data` takes: the columns of a CSV file, or a path to Parquet files.

    `named` maps roles to columns, and other columns are not kept. Groups, clusters and ids stay as
    they are written, because 01 isn't 1. Labels, scores and weights are numbers or booleans if all
    of them look like that. An empty cell is a missing value.
    """
    if path != "-" and Path(path).is_dir():
        return Path(path)
    with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
        if path != "-" and file.peek(4).startswith(b"PAR1"):
            return Path(path)
        content = file.read()
    texts, values = (
        {name for role in roles if role in named for name in np.ravel(named[role]).tolist()}
        for roles in (_TEXTS, _VALUES)
    )
    try:
        text = unpacked(content)
        check_is_text(text)
        columns = _cells(text.decode(), texts | values)
    except Exception as error:
        raise ValueError(f"{path!r} cannot be read as a CSV file in UTF-8: {error}") from None
    return {
        name: _as_texts(cells) if name in texts else _as_values(cells)
        for name, cells in columns.items()
    }


def unpacked(content: bytes) -> bytes:
    """Decompress the content of a file if it is gzipped, and remove a byte order mark of UTF-8."""
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(f"it is not a complete gzip file: {error}.") from None
    return content.removeprefix(BOM_UTF8)


def check_is_text(content: bytes) -> None:
    if b"\0" in content:  # every other byte of ASCII characters in UTF-16
        raise ValueError("it is encoded in UTF-16, or isn't text. Save it as text in UTF-8.")


def _cells(text: str, wanted: set[str]) -> dict[str, list[str]]:
    """Return all columns by name, of which only those that are wanted have cells."""
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    csv.field_size_limit(2**31 - 1)  # 131,072 characters by default, and texts may be longer
    lines = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header = next(lines, [])
    if not header:
        raise ValueError("its first line doesn't contain the names of columns.")
    for name in wanted:
        if header.count(name) > 1:
            raise ValueError(f"{header.count(name)} columns are called {name!r}.")
    columns: dict[str, list[str]] = {name: [] for name in header}
    kept = [(place, columns[name]) for place, name in enumerate(header) if name in wanted]
    for row in lines:
        if not row:  # an empty line
            continue
        if len(row) != len(header):
            raise ValueError(f"line {lines.line_num} has {len(row)} of {len(header)} cells.")
        for place, cells in kept:
            cells.append(row[place])
    return columns


def _as_texts(cells: list[str]) -> Any:
    return np.array([cell or None for cell in cells], dtype=object)


def _as_values(cells: list[str]) -> Any:
    """Return numbers or booleans if all cells that aren't empty look like that, or else texts."""
    values = []
    for cell in cells:
        values.append(_value(cell))
        if isinstance(values[-1], str):
            return _as_texts(cells)
    return np.array(values)


def _value(text: str) -> Any:
    """Return the number or the boolean that a text stands for, or else the text."""
    try:
        number = float(text.replace("_", " _"))  # Python alone reads 1_000 as a number
    except ValueError:
        return {"true": True, "false": False, "": nan}.get(text.lower(), text)
    return int(text) if text.lstrip("+-").isdecimal() else number


def label_in(data: Any, name: str, text: str) -> Any:
    """Return the label that a text stands for: a text, a number or a boolean as in its column."""
    try:
        if isinstance(data, Path):
            dataset = import_module("pyarrow.dataset").dataset(data, format="parquet")
            kind = str(dataset.schema.field(name).type)
        else:
            kind = str(data[name].dtype)
    except Exception:  # which reading the data explains
        return text
    return text if re.search("str|obj|dict", kind) else _value(text)
