"""Tables that the command line reads."""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from glob import glob
from importlib import import_module
from io import StringIO
from math import nan
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from .._words.arrays import exact

_NUMBERS = ("y_score", "sample_weight", "benefit")
_TEXTS = ("groups", "clusters", "ids", "by")
_ABSENT = ("-", "#n/a", "n/a", "na", "none", "null")  # what other programs write for it


def read_table(paths: list[str], named: Mapping[str, Any]) -> dict[str, Any] | Path | list[Path]:
    """Return what `data` takes: the columns of CSV files, or paths to Parquet files.

    `named` maps roles to columns, and other columns are not kept. Groups, clusters and ids stay as
    they are written, because 01 isn't 1. Labels are numbers or booleans if all of them look like
    that, which scores and weights have to. An empty cell is a missing value.
    """
    # Of two roles of a column, the last one counts: scores are numbers, even if they are segments.
    roles = {
        name: role for role in (*_TEXTS, "y_true", *_NUMBERS) for name in _names(named.get(role))
    }
    columns: dict[str, list[str]] = {}
    files, found = _matching(paths), list[Path]()
    for path in files:
        cells = _read(path, roles)
        if isinstance(cells, Path):
            found.append(cells)
            continue
        for name in roles if columns else ():
            if (name in columns) != (name in cells):
                raise ValueError(f"{files[0]!r} and {path!r} don't both have a column {name!r}.")
        for name, some in cells.items():
            columns.setdefault(name, []).extend(some)
    if found and len(found) < len(files):
        raise ValueError("Pass CSV files or Parquet files, but not both.")
    if found:
        return found if len(found) > 1 else found[0]
    return {
        name: _as_texts(cells) if roles.get(name) in _TEXTS else _as_values(cells)
        for name, cells in columns.items()
    }


def _names(named: Any) -> list[str]:
    return [] if named is None else [named] if isinstance(named, str) else list(named)


def _matching(paths: list[str]) -> list[str]:
    """Return the files that were named, also by patterns that no shell has expanded."""
    files: list[str] = []
    for path in paths:
        is_pattern = re.search(r"[*?\[]", path) and not Path(path).exists()
        some = sorted(glob(path, recursive=True)) if is_pattern else [path]
        if not some:
            raise ValueError(f"No file matches {path!r}.")
        files += some
    return files


def _read(path: str, roles: Mapping[str, str]) -> dict[str, list[str]] | Path:
    """Return the path of Parquet files, or all columns of a CSV file by name, of which only those
    with roles have cells.
    """
    if path != "-" and Path(path).is_dir():
        return Path(path)
    with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
        if path != "-" and file.peek(4).startswith(b"PAR1"):
            return Path(path)
        content = file.read()
    try:
        text = unpacked(content)
        check_is_text(text)
        return _cells(text.decode(), roles)
    except TypeError as error:
        raise ValueError(f"{path!r}: {error}") from None
    except Exception as error:
        raise ValueError(f"{path!r} cannot be read as a CSV file in UTF-8: {error}") from None


def unpacked(content: bytes) -> bytes:
    """Decompress the content of a file as its first bytes say, and remove a byte order mark."""
    for start, (name, module) in _COMPRESSED.items():
        if re.match(start, content):
            try:
                content = import_module(module).decompress(content)
            except Exception as error:  # each module has errors of its own
                raise ValueError(f"it is not a complete {name} file: {error}.") from None
    for start, advice in _REFUSED.items():
        if content.startswith(start):
            raise ValueError(advice)
    return content.removeprefix(BOM_UTF8)


# What the files of a format begin with
_COMPRESSED = {
    rb"\x1f\x8b": ("gzip", "gzip"),
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": ("bzip2", "bz2"),
    rb"\xfd7zXZ\0": ("xz", "lzma"),
}
_REFUSED = {
    b"PK\3\4": "it is a zip archive, as Excel files are. Unpack it, or save the table as CSV.",
    b"\x28\xb5\x2f\xfd": "it is compressed by zstd. Decompress it first.",
    b"ARROW1": "it is a Feather file of Arrow. Save the table as Parquet or CSV.",
    b"FEA1": "it is a Feather file. Save the table as Parquet or CSV.",
}


def check_is_text(content: bytes) -> None:
    if b"\0" in content:  # every other byte of ASCII characters in UTF-16
        raise ValueError("it is encoded in UTF-16, or isn't text. Save it as text in UTF-8.")


def _cells(text: str, roles: Mapping[str, str]) -> dict[str, list[str]]:
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    csv.field_size_limit(2**31 - 1)  # 131,072 characters by default, and texts may be longer
    lines = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header = next(lines, [])
    if not header:
        raise ValueError("its first line doesn't contain the names of columns.")
    for name in roles:
        if header.count(name) > 1:
            raise ValueError(f"{header.count(name)} columns are called {name!r}.")
    columns: dict[str, list[str]] = {name: [] for name in header}
    kept = [(place, name, columns[name]) for place, name in enumerate(header) if name in roles]
    absent: dict[str, tuple[str, int]] = {}  # the first cell of labels that may be missing
    for row in lines:
        if not row:  # an empty line
            continue
        if len(row) != len(header):
            advice = " Decimals need a point, and texts with a comma quotes." * (delimiter == ",")
            raise ValueError(
                f"line {lines.line_num} has {len(row)} of {len(header)} cells."
                f"{advice if len(row) > len(header) else ''}"
            )
        for place, name, cells in kept:
            if roles[name] in _NUMBERS and isinstance(_value(row[place]), str):
                _refuse_text(row[place], name, roles[name], lines.line_num)
            if roles[name] == "y_true" and row[place].strip().lower() in _ABSENT:
                absent.setdefault(name, (row[place], lines.line_num))
            cells.append(row[place])
    for name, (cell, line) in absent.items():
        if len(set(columns[name])) > 2:  # of two labels, it can be one, such as "none" or "-"
            raise TypeError(
                f"y_true contains {cell!r} in line {line} of the column {name!r}, beside two or "
                "more labels. If the label is missing, remove the row, or write the label."
            )
    return columns


def _refuse_text(cell: str, name: str, role: str, line: int) -> NoReturn:
    advice = " Scores are what predict_proba or decision_function returns." * (role == "y_score")
    if re.fullmatch(r"[-+]?[\d.]*,\d+", cell):
        advice = " Write decimals with a point instead of a comma."
    elif cell.strip().lower() in _ABSENT:
        advice = " Remove the row, or write the weight."
        if role == "y_score":  # without the row, the ranking would be shorter
            advice = " To rank the row last, write a score below all others, such as -1e38."
    raise TypeError(
        f"{role} must contain numbers, but the column {name!r} contains {cell!r} in line {line}."
        f"{advice}"
    )


def _as_texts(cells: list[str]) -> Any:
    return np.array([cell or None for cell in cells], dtype=object)


def _as_values(cells: list[str]) -> Any:
    """Return numbers or booleans if all cells that aren't empty look like that, or else texts."""
    values = []
    for cell in cells:
        values.append(_value(cell))
        if isinstance(values[-1], str):
            return _as_texts(cells)
    return exact(values)


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
        kind = str(_types(data)[name])
    except Exception:  # which reading the data explains
        return text
    return text if re.search("str|obj|dict", kind) else _value(text)


def lacks(data: Any, name: str) -> bool:
    """Whether a table that can be read has no such column."""
    try:
        return name not in _types(data)
    except Exception:  # which reading the data explains
        return False


def _types(data: Any) -> dict[str, Any]:
    """Return the types of all columns."""
    if isinstance(data, Path | list):
        found: dict[str, Any] = import_module(f"{__package__}.arrow").types_of(data)
        return found
    return {each: column.dtype for each, column in data.items()}
