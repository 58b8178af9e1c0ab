"""Tables that the command line reads."""

from __future__ import annotations

import csv
import json
import re
from array import array
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import glob
from importlib import import_module
from io import StringIO
from itertools import chain
from math import nan
from os.path import realpath
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from .._arrays.conversion import exact
from .._inputs.records import PositiveClass
from .._package.registry import load
from .._package.toml import read_toml
from .._read import engines
from .._read.columns import is_missing, of_last_row, read_column
from .._read.tables import names_of_table
from .._spelling import spell

_NUMBERS = ("y_score", "sample_weight", "n_positives")
_TEXTS = ("groups", "clusters", "ids", "by")
_ROLES = (*_TEXTS, "y_true", *_NUMBERS)  # of two roles of a column, the last one counts
_ABSENT = ("-", "#n/a", "n/a", "na", "none", "null")  # what other programs write for it


class TextTable(dict[str, Any]):
    """The columns of text files, which knows from which line each row is."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, Sequence[int]]] = []  # of each file

    def place_of(self, row: int) -> str:
        """Name the line of a row, which is numbered over all files."""
        for path, lines in self.lines:
            if row < len(lines):
                return line_of(path, lines[row])
            row -= len(lines)
        raise IndexError(row)


def line_of(path: str, number: int) -> str:
    """Name a line of a file, or of standard input, which is called "-"."""
    return f"line {number} of {'standard input' if path == '-' else path}"


def read_table(paths: list[str], named: Mapping[str, Any]) -> TextTable | Path | list[Path]:
    """Return what `data` takes: the columns of CSV files and JSON lines, or paths to Parquet files.

    `named` maps roles to columns, and other columns are not kept. Groups, clusters and ids stay as
    they are written, because 01 isn't 1. Labels are numbers or booleans if all of them look like
    that, which scores and weights have to, and ids that pair rows if they are written as such. An
    empty cell is a missing value.
    """
    # Of two roles of a column, the last one counts: scores are numbers, even if they are segments.
    roles = {name: role for role in _ROLES for name in _names(named.get(role))}
    columns: dict[str, list[str]] = {}
    table = TextTable()
    files, parquet = _matching(paths), list[Path]()
    for path in files:
        text = _read_csv(path)
        if isinstance(text, Path):
            parquet.append(text)
            continue
        cells, lines = _csv_cells(text, path, roles)
        for name in roles if columns else ():  # from the second file on
            if (name in columns) != (name in cells):
                raise ValueError(f"{files[0]!r} and {path!r} don't both have a column {name!r}.")
        for name in cells:
            columns.setdefault(name, []).extend(cells[name])
        table.lines.append((path, lines))
    if parquet and len(parquet) < len(files):
        raise ValueError("Pass text files or Parquet files, but not both.")
    if parquet:
        return parquet if len(parquet) > 1 else parquet[0]
    for name, texts in columns.items():
        role = roles.get(name)
        table[name] = _as_texts(texts) if role in _TEXTS else _as_values(texts)
    return table


def read_with_negated(paths: list[str], roles: Mapping[str, Any], negated: Sequence[str]) -> Any:
    """Read a table. Columns of scores that are `negated` are added to it."""
    table: Any = read_table(paths, roles)
    return _with_negated(_columns_in_memory(table, roles), negated) if negated else table


def _columns_in_memory(table: Any, roles: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that have a role, as far as the table has them. Parquet files are read as
    those of any call are.
    """
    if isinstance(table, dict):
        return table
    known = {*(names_of_table(table) or ())}
    named = {name: name for role in _ROLES for name in _names(roles.get(role)) if name in known}
    return dict(engines.read(table, {"columns": named}, PositiveClass())["columns"])


def _with_negated(columns: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Add columns of negated scores, so that lower ones mean more positive: -score of score."""
    for name in names:
        if name in columns:
            columns[f"-{name}"] = _negated(read_column(columns[name], "y_score"))
    return columns


def _negated(numbers: Any) -> Any:
    """Negate numbers without rounding or overflow. Text and missing values stay, to be refused."""
    if numbers.dtype.kind == "f":
        return -numbers
    if numbers.dtype.kind in "biu" and numbers.itemsize < 8:
        return -numbers.astype(np.int64)
    are_text = [isinstance(number, str) or is_missing(number) for number in numbers.tolist()]
    pairs = zip(numbers.tolist(), are_text, strict=True)
    return exact([number if is_text else -number for number, is_text in pairs])


def _names(named: Any) -> list[str]:
    """Return the names of the columns with a role, which are None, one or several."""
    if named is None:
        return []
    return [named] if isinstance(named, str) else list(named)


def _matching(paths: list[str]) -> list[str]:
    """Return the files that were named, also by patterns that no shell has expanded."""
    files: list[str] = []
    for path in paths:
        is_pattern = re.search(r"[*?\[]", path) and not Path(path).exists()
        matches = sorted(glob(path, recursive=True)) if is_pattern else [path]
        if not matches:
            raise ValueError(f"No file matches {path!r}.")
        files += matches
    seen = set[str]()
    for file in files:
        if realpath(file) in seen:
            raise ValueError(f"{file!r} was passed twice. Pass it once, or its rows count twice.")
        seen.add(realpath(file))
    return files


def _read_csv(path: str) -> str | Path:
    """Return the text of a file, or its path if it is a Parquet file or a folder."""
    if path != "-" and Path(path).is_dir():
        if any(Path(path).glob("*.csv*")):
            pattern = str(Path(path, "*.csv"))
            raise ValueError(f"{path!r} is a folder of CSV files. Pass the files, as {pattern!r}.")
        return Path(path)
    with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
        if path != "-" and file.peek(4).startswith(b"PAR1"):
            return Path(path)
        content = file.read()
    try:
        content = decompressed(content)
        check_is_text(content)
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{line_of(path, line)} isn't in UTF-8 ({error}). Save the file as text in UTF-8."
        ) from None
    except ValueError as error:
        raise ValueError(f"{path!r} cannot be read as CSV or JSON lines: {error}") from None


def decompressed(content: bytes) -> bytes:
    """Decompress the content of a file as its first bytes say, and remove a byte order mark."""
    for start, (name, module) in _COMPRESSED.items():
        if re.match(start, content):
            try:
                content = import_module(module).decompress(content)
            except Exception as error:  # each module has errors of its own
                raise ValueError(f"it is not a complete {name} file: {error}.") from None
    for digits, advice in read_toml("_words/messages.toml")["refused_files"].items():
        if content.startswith(bytes.fromhex(digits)):
            raise ValueError(advice)
    return content.removeprefix(BOM_UTF8)


# What the files of a format begin with
_COMPRESSED = {
    rb"\x1f\x8b": ("gzip", "gzip"),
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": ("bzip2", "bz2"),
    rb"\xfd7zXZ\0": ("xz", "lzma"),
}


def check_is_text(content: bytes) -> None:
    if b"\0" in content:  # every other byte of ASCII characters in UTF-16
        raise ValueError("it is encoded in UTF-16, or isn't text. Save it as text in UTF-8.")


def _csv_cells(
    text: str, path: str, roles: Mapping[str, str]
) -> tuple[dict[str, list[str]], Sequence[int]]:
    """Return all columns by name, of which only those with roles have cells, and the line of each
    row.

    `roles` has the role of each column that has one. Cells stay text, but those of numbers are
    checked.
    """
    is_json = re.match(r"\s*(\{|\[\s*\{)", text)
    rows = _rows_of_json(text, path) if is_json else _rows_of_csv(text, path)
    _, header = next(rows, (1, []))
    if not header:
        raise ValueError(f"{line_of(path, 1)} must contain the names of columns, but it is empty.")
    for name in roles:
        if header.count(name) > 1:
            raise ValueError(f"{header.count(name)} columns of {path!r} are called {name!r}.")
    columns: dict[str, list[str]] = {name: [] for name in header}
    roles = {name: role for name in header if (role := roles.get(name))}
    places = {name: place for place, name in enumerate(header) if name in roles}  # in each row
    absent: dict[str, tuple[str, int]] = {}  # the first cell of labels that may be missing
    lines = array("Q")
    are_flags: dict[str, bool] = {}  # of the first cell of numbers
    for line, row in rows:
        for name, place in places.items():
            cell, role = row[place], roles[name]
            if role in _NUMBERS and cell:
                parsed = _parsed_cell(cell)
                is_flag = isinstance(parsed, bool)
                if isinstance(parsed, str) or are_flags.setdefault(name, is_flag) != is_flag:
                    _refuse_text(cell, name, role, line_of(path, line))
            if role == "y_true" and cell.strip().lower() in _ABSENT:
                absent.setdefault(name, (cell, line))
            columns[name].append(cell)
        lines.append(line)
    for name, (cell, line) in absent.items():
        if len(set(columns[name])) > 2:  # of two labels, it can be one, such as "none" or "-"
            raise ValueError(
                f"{spell('y_true')} contains {cell!r} in {line_of(path, line)}, in the column "
                f"{name!r}, beside two or more labels. If the label is missing, remove the row, or "
                "write the label."
            )
    return columns, lines


def _rows_of_csv(text: str, path: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the header and each row of a CSV file, with the number of its first line."""
    delimiter = max(",;\t|", key=text.partition("\n")[0].count)
    csv.field_size_limit(2**31 - 1)  # 131,072 characters by default, and texts may be longer
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    n_cells, line = 0, 1
    if of_excel := re.match(r"(?i)sep=(.)\r?\n", text):  # a line that Excel writes and hides
        rows = csv.reader(StringIO(text, newline=""), delimiter=of_excel[1], strict=True)
        next(rows)
        line = 2
    try:
        for row in rows:
            n_cells = n_cells or len(row)
            if len(row) not in (0, n_cells):  # an empty line has none
                advice = (
                    " Write decimals with a point, and put text that contains a comma in quotes."
                )
                raise ValueError(
                    f"{line_of(path, line)} has {len(row)} of {n_cells} cells."
                    f"{advice if delimiter == ',' and len(row) > n_cells else ''}"
                )
            if row:
                yield line, row
            line = rows.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{line_of(path, line)} cannot be read as CSV: {error}.") from None


def _rows_of_json(text: str, path: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the names and the values of JSON lines, as they would be written in a CSV file.

    A value that a line doesn't have is an empty cell, as null is.
    """
    entries = dict[int, dict[str, Any]]()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            # As texts, numbers stay as they are written.
            entry = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)
            if not isinstance(entry, dict):
                raise ValueError
        except ValueError:
            raise ValueError(
                f"{line_of(path, number)} is not a JSON object. Write each row as an object in a "
                "line of its own, as jq -c does."
            ) from None
        entries[number] = entry
    names = [*dict.fromkeys(chain.from_iterable(entries.values()))]
    yield 1, names
    for number, entry in entries.items():
        yield number, [_as_cell(entry.get(name, "")) for name in names]


def _as_cell(value: Any) -> str:
    """Write a value of JSON as it would be written in a CSV file."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def _refuse_text(cell: str, name: str, role: str, place: str) -> NoReturn:
    """Refuse a cell of numbers in this column that is text. `place` is its line."""
    advice = " Scores are what predict_proba or decision_function returns." * (role == "y_score")
    if re.fullmatch(r"[-+]?[\d.]*,\d+", cell):
        advice = " Write decimals with a point instead of a comma."
    elif cell.strip().lower() in _ABSENT:
        advice = " Remove the row, or write the weight."
        if role == "y_score":  # without the row, the ranking would be shorter
            advice = f" To rank the row last, write a score {of_last_row()}"
    raise ValueError(
        f"{spell(role)} must contain numbers, but the column {name!r} contains {cell!r} in {place}."
        f"{advice}"
    )


def _as_texts(cells: list[str]) -> Any:
    """Return cells as an array of objects, with None for empty ones."""
    return np.array([cell or None for cell in cells], dtype=object)


def _as_values(cells: list[str]) -> Any:
    """Return numbers or booleans if all cells that aren't empty look like that, or else texts."""
    values = []
    for cell in cells:
        values.append(_parsed_cell(cell))
        if isinstance(values[-1], str):
            return _as_texts(cells)
    return exact(values)


def _parsed_cell(text: str) -> Any:
    """Return the number or the boolean that a text stands for, or else the text."""
    try:
        number = float(text.replace("_", " _"))  # Python alone reads 1_000 as a number
    except ValueError:
        return {"true": True, "false": False, "": nan}.get(text.lower(), text)
    return int(text) if text.lstrip("+-").isdecimal() else number


def read_mapping(
    path: str, names: list[str], value: str, role: str, read: Sequence[Callable[[str], Any]]
) -> dict[Any, Any]:
    """Return a column of a text file, by the name that the first columns have, or by tuples.

    `value` is the column, of this `role`, and `names` are the first columns. `read` are functions
    that turn the cells of these into names.
    """
    table = read_table([path], {"groups": names, role: value})
    if not isinstance(table, TextTable) or not {*names, value} <= table.keys():
        has = f", but has {', '.join(table)}" if isinstance(table, TextTable) else ""
        wanted = f"{', '.join(names)} and {value}"
        raise ValueError(f"{path!r} must be a CSV file with the columns {wanted}{has}.")
    mapping: dict[Any, Any] = {}
    rows = zip(*(table[name] for name in names), strict=True)
    for row, (cells, number) in enumerate(zip(rows, table[value].tolist(), strict=True)):
        if not all(cells) or number != number:
            raise ValueError(f"{table.place_of(row)} lacks {' or '.join([*names, value])}.")
        key = tuple(read_cell(cell) for read_cell, cell in zip(read, cells, strict=True))
        called = key if len(key) > 1 else key[0]
        if mapping.setdefault(called, number) != number:
            raise ValueError(
                f"{table.place_of(row)} says {value} {number!r} for {called!r}, but a line above "
                f"says {mapping[called]!r}. Write one of them."
            )
    return mapping


def label_in(data: Any, name: str, text: str) -> Any:
    """Return the label that a text stands for: a text, a number or a boolean as in its column."""
    return parser_of(data, name)(text)


def parser_of(data: Any, name: str) -> Callable[[str], Any]:
    """Return the function that turns texts into values of a column."""
    try:
        kind = str(_column_type(data, name))
    except Exception:  # which reading the data explains
        return str
    return str if re.search("str|obj|dict", kind) else _parsed_cell


def _column_type(data: Any, name: str) -> Any:
    """Return the type of a column in a table that `read_table` returned."""
    if isinstance(data, Path | list):
        return load("_read.arrow").types_of(data)[name]
    return data[name].dtype
