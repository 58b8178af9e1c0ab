"""Entries of judgments and runs: a query, a document, and a grade or a score."""

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from io import BytesIO
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from .._words.parameters import format_value
from .files import ESCAPED_BYTES, decode, escape, make_file_error, parse_json

# The grade of each judged document by query, or the score of each retrieved one. Bytes of a file
# that aren't UTF-8 are escaped in the names of queries and documents.
ValuesByQuery = Mapping[str, Mapping[str, float]]
_BEIR_KEYS = "query-id", "corpus-id", "score"
_LISTED_KEYS = ", ".join(map(repr, _BEIR_KEYS))
BEIR_HEADER = "\t".join(_BEIR_KEYS).encode()  # of BEIR's TSV
_KEEP_ONE_JUDGMENT = "Keep one judgment of each document, such as the last one"
_KEEP_BEST_CHUNK = (
    "If these are its chunks, keep the best score of each document, as in "
    "run.groupby(['query_id', 'doc_id'], as_index=False)['score'].max() of pandas"
)


class JudgedQueries(NamedTuple):
    """The queries that a run may contain."""

    names: Collection[str]
    source: str  # the file of judgments, for errors

    def check(self, query: str) -> None:
        if query not in self.names:
            raise ValueError(
                f"the query {query!r} is not in {self.source}. Check that the files belong "
                "together. To leave such queries out, as trec_eval does, pass "
                "unjudged_queries='drop'"
            )


def read_entries(
    content: bytes, name: str, are_grades: bool, judged: JudgedQueries | None
) -> ValuesByQuery:
    """Read JSON lines, or TSV with the header of BEIR; see `_read_trec_lines` in trec.py."""
    parse_line = _parse_tsv_line if content.startswith(BEIR_HEADER) else _parse_json_line
    by_query = read_by_query(content, name, parse_line, are_grades, judged)
    if not by_query:
        raise make_file_error(
            f"{name} is empty, but must have JSON lines with the keys {_LISTED_KEYS}."
        )
    return by_query


def read_by_query(
    content: bytes,
    name: str,
    parse_line: Callable[[bytes], Sequence[Any]],
    are_grades: bool,
    judged: JudgedQueries | None,
) -> ValuesByQuery:
    """Read lines of any format, of which `parse_line` returns query, document, and grade or score;
    nothing if a line has none.
    """
    by_query: dict[str, dict[str, float]] = {}
    for number, line in enumerate(BytesIO(content), 1):
        try:
            fields = parse_line(line) if line.strip() else []
            if not fields:
                continue
            query, document = escape(str(fields[0])), escape(str(fields[1]))
            by_document = by_query.setdefault(query, {})
            check_is_new(document, query, by_document, are_grades)
            if judged is not None:
                judged.check(query)
            by_document[document] = as_number(fields[2], are_grades)
        except ValueError as error:
            raise make_file_error(f"line {number} of {name}: {error}.") from None
    return by_query


def _parse_json_line(line: bytes) -> list[Any]:
    """Return query, document, and grade or score, which weren't checked."""
    try:
        entry = parse_json(line)
    except ValueError as error:
        raise ValueError(
            f"it is not JSON ({error}). Read files of TREC by read_trec. A TSV file begins with "
            f"the header {_LISTED_KEYS}, as those of BEIR do"
        ) from None
    if not isinstance(entry, dict) or not entry.keys() >= {*_BEIR_KEYS}:
        raise ValueError(f"each line needs the keys {_LISTED_KEYS}")
    return [entry[key] for key in _BEIR_KEYS]


def _parse_tsv_line(line: bytes) -> list[Any]:
    """Return query, document and grade, which is a number; nothing of the header."""
    if line.strip() == BEIR_HEADER:
        return []
    try:
        (fields,) = csv.reader([line.decode(errors=ESCAPED_BYTES)], delimiter="\t")
    except csv.Error as error:
        raise ValueError(f"it is not TSV ({error})") from None
    if len(fields) != len(_BEIR_KEYS):
        raise ValueError(
            f"each line needs the columns {_LISTED_KEYS}, but this one has {len(fields)}"
        )
    query, document, grade = fields
    return [query, document, parse_number(grade.encode(errors=ESCAPED_BYTES), is_whole=False)]


def read_entry_name(name: Any, what: str, role: str) -> str:
    """Check a name of a query or a document, which is `what`."""
    if not isinstance(name, str):
        raise TypeError(
            f"{role} has the {what} {format_value(name)}, but names must be str, as in pytrec_eval."
        )
    return escape(name)


def as_number(value: Any, is_whole: bool) -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool) and value == value
    if isinstance(value, int) and abs(value) >= 2**1024:
        raise ValueError(f"{format_value(value)} is more than floats can hold")
    if not is_number or (is_whole and not float(value).is_integer()):
        raise ValueError(f"{format_value(value)} is not {'an integer' if is_whole else 'a number'}")
    return float(value)


def parse_number(text: bytes, is_whole: bool) -> float:
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    # Python alone reads 1_0 as 10.
    if number != number or b"_" in text or (is_whole and not number.is_integer()):
        raise ValueError(
            f"{format_value(decode(text))} is not {'an integer' if is_whole else 'a number'}"
        )
    return number


def check_is_new(document: str, query: str, read_before: Collection[str], are_grades: bool) -> None:
    if document in read_before:
        advice = _KEEP_ONE_JUDGMENT if are_grades else _KEEP_BEST_CHUNK
        raise ValueError(f"the document {document!r} of query {query!r} is there twice. {advice}")
