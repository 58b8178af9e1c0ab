"""Tables in CSV, which the command line reads."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

from sklearn.utils.fixes import parse_version

from .._words.heard_warnings import hear_warnings
from .._words.refusals import find_substitute
from .files import check_is_text, decompress

_VALUE_ROLES = "y_true", "y_score", "sample_weight"
_NUMBER_ROLES = _VALUE_ROLES[1:]
_NAME_ROLES = "groups", "clusters", "by"


def is_parquet(file: str) -> bool:
    if file == "-":
        raise ValueError(f"'-' isn't a file. {find_substitute('stdin')}")
    if Path(file).is_dir():
        return True
    with open(file, "rb") as opened:
        return opened.read(4) == b"PAR1"


def read_header(file: str) -> list[str]:
    """Return the names of columns as they are written: pandas changes those that it has read."""
    first = _read_by_pandas(file, header=None, nrows=1, dtype=str, keep_default_na=False)
    names = [str(name) for name in first.iloc[0]]
    if names[0].startswith("{"):
        raise ValueError(f"{file!r} has JSON lines. {find_substitute('jsonl')}")
    if len(names) == 1 and re.search(r"[;\t|]", names[0]):
        raise ValueError(f"{file!r} has {names[0]!r} as its only column. Separate cells by commas.")
    return names


def read_csv(files: Sequence[str], named: Mapping[str, Any]) -> Any:
    """Read the rows of files. `named` has columns by their roles: names of groups and segments are
    text, because 01 isn't 1.
    """
    values = _find_columns(_VALUE_ROLES, named)
    texts = _find_columns(_NAME_ROLES, named) - values
    tables = []
    for file in files:
        counts = Counter(read_header(file))
        for name in values | texts:
            if counts[name] > 1:
                raise ValueError(
                    f"{counts[name]} columns of {file!r} are called {name!r}. Rename one of them."
                )
        # "NA" and "None" can be names, so only empty cells are missing values.
        table = _read_by_pandas(
            file, dtype=dict.fromkeys(texts, str), keep_default_na=False, na_values=[""]
        )
        if table.empty:
            raise ValueError(f"{file!r} has no rows. Leave it out, or write rows below its header.")
        for role in _NUMBER_ROLES:
            for name in _find_columns([role], named) & {*table.columns}:
                _check_are_numbers(table[name], f"{role} must contain numbers, but {file!r}")
        tables.append(table)
    # A column that some file lacks is unknown, instead of empty in places.
    return import_module("pandas").concat(tables, ignore_index=True, join="inner")


def _check_are_numbers(column: Any, wrong: str) -> None:
    """Refuse text, which pandas leaves in a column of other types."""
    pandas = import_module("pandas")
    if pandas.api.types.is_numeric_dtype(column):
        return
    is_text = pandas.to_numeric(column, errors="coerce").isna() & column.notna()
    if is_text.any():
        row = int(is_text.to_numpy().argmax())
        raise ValueError(
            f"{wrong} has {column[row]!r} in the column {column.name!r} in row {row} (counted from "
            "0). Write a number there, with a point for decimals."
        )


def _find_columns(roles: Sequence[str], named: Mapping[str, Any]) -> set[str]:
    names = set[str]()
    for role in roles:
        columns = named.get(role) or ()
        names.update([columns] if isinstance(columns, str) else columns)
    return names


def read_group_segments(file: str) -> dict[str, str | None]:
    """Return the segment of each group, from a file with two columns. An empty cell is none."""
    table = _read_by_pandas(file, dtype=str, keep_default_na=False)
    if len(table.columns) != 2:
        raise ValueError(
            f"{file!r} must have two columns, groups and their segments, but it has "
            f"{', '.join(table.columns)}. Separate the two by commas, below a header."
        )
    groups = table[table.columns[0]].str.strip()
    segments = table[table.columns[1]].str.strip()
    repeated = groups[groups.duplicated()]
    if len(repeated):
        raise ValueError(f"{file!r} has {repeated.iloc[0]!r} in several rows. Keep one of them.")
    return {group: segment or None for group, segment in zip(groups, segments, strict=True)}


def _read_by_pandas(file: str, **options: Any) -> Any:
    try:
        pandas = import_module("pandas")
    except ImportError as error:
        raise ImportError("CSV needs pandas: pip install pandas. Parquet files don't.") from error
    content = Path(file).read_bytes()
    advice = " Separate cells by commas, write decimals with a point, and save the file in UTF-8."
    try:
        content = decompress(content)
        check_is_text(content)
    except ValueError as error:
        raise ValueError(f"{file!r} can't be read as CSV: {error}") from None
    if parse_version(pandas.__version__) < parse_version("3.1"):  # which reads them exactly
        options["float_precision"] = "round_trip"
    try:
        with hear_warnings() as heard:
            # Without an index, so that cells beyond the header are no names of rows
            table = pandas.read_csv(BytesIO(content), index_col=False, low_memory=False, **options)
    except ValueError as error:
        words = " ".join(str(error).split())
        raise ValueError(f"{file!r} can't be read as CSV: {words}.{advice}") from None
    if heard.category is pandas.errors.ParserWarning:
        raise ValueError(f"{file!r} has rows with more cells than its header.{advice}")
    return table
