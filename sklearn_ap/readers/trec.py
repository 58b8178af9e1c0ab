"""Judgments and runs in the formats of TREC."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise
from operator import ne
from typing import Any, Unpack, overload

import numpy as np

from .._enter.entry import public
from .._words.parameters import format_value
from .entries import (
    BEIR_HEADER,
    JudgedQueries,
    ValuesByQuery,
    parse_number,
    read_by_query,
    read_entries,
)
from .files import Source, decode, is_source, make_file_error, name_source, read_content
from .retrieved import Retrieved
from .run_tables import RunOptions, read_run_tables

_QRELS_COLUMNS = "query", "iteration", "document", "grade"
_RUN_COLUMNS = "query", "Q0", "document", "rank", "score", "run name"
_BYTES_PER_BLOCK = 2**15  # whose fields stay in the cache of a core


class _TrecOptions(RunOptions, total=False):
    precision: str


@overload
def read_trec(qrels: Source, runs: Source, **options: Unpack[_TrecOptions]) -> Retrieved: ...


@overload
def read_trec(
    qrels: Source, runs: Mapping[str, Source], **options: Unpack[_TrecOptions]
) -> dict[str, Retrieved]: ...


@public()
def read_trec(
    qrels: Any,
    runs: Any,
    *,
    min_grade: float = 1,
    unjudged: str = "negative",
    unjudged_queries: str = "raise",
    precision: str = "single",
) -> Retrieved | dict[str, Retrieved]:
    """Read the judgments and the runs of search engines, in the formats of TREC.

    All metrics of the table have the values of ``trec_eval -c``, which averages over all queries
    with judgments, so a query for which nothing was retrieved counts as 0. Without ``-c``, and in
    pytrec_eval, such queries are left out.

    Parameters
    ----------
    qrels : path or file
        The judgments, with lines of query, iteration, document and grade. Files can be compressed
        by gzip, bzip2 or xz, and lines that begin with # are comments. The JSON lines and the TSV
        that :func:`read_runs` describes are read, too.
    runs : path or file, or a mapping of these
        What the engine retrieved, with lines of query, Q0, document, rank, score and name of the
        run. To read several engines, pass a mapping from their names to their runs. Documents are
        ranked by score, whatever their rank says. As in trec_eval, documents with the same score
        are ranked by name, the last name first.
    min_grade : int or float, default=1
        The lowest grade of relevant documents. A document with a negative grade counts as not
        judged.
    unjudged : {'negative', 'drop'}, default='negative'
        Whether unjudged documents count as not relevant, or are left out, as by ``trec_eval -J``.
    unjudged_queries : {'raise', 'drop'}, default='raise'
        Whether a query of the run without judgments is an error, or is left out, as by trec_eval.
    precision : {'single', 'double'}, default='single'
        How scores are read: in single precision, which ties close scores, as by trec_eval 9 and
        pytrec_eval, or in double precision, as by trec_eval 10.

    Returns
    -------
    table : Retrieved or dict of str to Retrieved
        A table, or one for each engine. Its columns are "query", "document", "grade" (nan if there
        is none), "judged", "relevant", "rank" and "score". Tied scores are made to differ in their
        last digits.

    See Also
    --------
    read_runs : Read dicts, JSON lines, and the files of BEIR.
    sklearn_ap.report : Evaluate and compare engines, with a table each.

    Examples
    --------
    >>> from io import BytesIO, StringIO
    >>> import sklearn_ap as ap
    >>> qrels = "cat 0 d1 1\\ncat 0 d2 0\\ndog 0 d1 2\\n"
    >>> run = "cat Q0 d2 1 0.9 me\\ncat Q0 d1 2 0.8 me\\n"
    >>> found = ap.readers.read_trec(StringIO(qrels), StringIO(run))
    >>> found
    <Retrieved: 2 groups (query), 2 rows, 100.0% judged>
    >>> ap.mean_average_precision_score(data=found)
    0.25
    """
    return read_run_tables(
        _read_trec_lines, qrels, runs, min_grade, unjudged, unjudged_queries, precision
    )


def _read_trec_lines(source: Source, role: str, judged: JudgedQueries | None) -> ValuesByQuery:
    """Read lines of TREC, whose grades are whole numbers if `role` is "qrels".

    Whatever follows the name of the run is ignored, as in trec_eval. Without judged queries, any
    query may be there.
    """
    if not is_source(source):
        raise TypeError(
            f"{role} must be a path or an open file. Got {format_value(source)} instead. For dicts "
            "of dicts, call read_runs."
        )
    name, content = name_source(source, role), read_content(source, role)
    is_qrels = role == "qrels"
    if content.startswith(BEIR_HEADER) or re.match(rb"\s*(\[\s*)?\{", content):
        return read_entries(content, name, is_qrels, judged)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not content.endswith(b"\n"):
        content += b"\n"
    plain: dict[str, dict[str, float]] = {}
    if all(_add_lines(plain, lines, is_qrels, judged) for lines in _split_lines(content)):
        return plain
    parse_line = partial(_split_trec_line, role=role, is_qrels=is_qrels)
    by_query = read_by_query(content, name, parse_line, is_qrels, judged)
    if not by_query:
        columns = ", ".join(_name_columns(is_qrels))
        raise make_file_error(f"{name} is empty, but {role} must have lines of {columns}.")
    return by_query


def _name_columns(is_qrels: bool) -> tuple[str, ...]:
    return _QRELS_COLUMNS if is_qrels else _RUN_COLUMNS


def _split_lines(content: bytes) -> Iterator[bytes]:
    """Yield blocks of whole lines."""
    stop = 0
    while stop < len(content):
        start, stop = stop, content.find(b"\n", stop + _BYTES_PER_BLOCK) + 1 or len(content)
        yield content[start:stop]


def _split_trec_line(line: bytes, role: str, is_qrels: bool) -> list[Any]:
    """Return query, document, and grade or score; nothing of a comment, as in trec_eval 10."""
    if line.startswith(b"#"):
        return []
    columns = _name_columns(is_qrels)
    fields = line.split(maxsplit=-1 if is_qrels else len(columns) - 1)
    if len(fields) != len(columns):
        layout = f"{role} must have lines of {', '.join(columns)}"
        raise ValueError(f"{layout}, but this one has {len(fields)} fields")
    number = parse_number(fields[3 if is_qrels else 4], is_qrels)
    return [decode(fields[0]), decode(fields[2]), number]


def _add_lines(
    by_query: dict[str, dict[str, float]],
    lines: bytes,
    is_qrels: bool,
    judged: JudgedQueries | None,
) -> bool:
    """Add the documents of lines to those of their queries, unless lines are unusual or wrong."""
    columns = _name_columns(is_qrels)
    n_columns = len(columns)
    n_lines = lines.count(b"\n")
    fields = lines.replace(b"\n", b" \0 ").split()
    are_ends = fields[n_columns :: n_columns + 1] == [b"\0"] * n_lines
    if b"\n#" in b"\n" + lines or not are_ends:
        return False
    queries = fields[columns.index("query") :: n_columns + 1]
    documents = fields[columns.index("document") :: n_columns + 1]
    texts = fields[columns.index("grade" if is_qrels else "score") :: n_columns + 1]
    try:
        values = [*map(float, texts)]
    except ValueError:
        return False
    text = b" ".join(texts).lower()
    if b"nan" in text or b"_" in text:  # Python alone reads 1_0 as 10
        return False
    if is_qrels and not all(map(float.is_integer, values)):
        return False
    names = decode(b" ".join(documents)).split(" ")
    n_rows = len(queries)
    changes = np.fromiter(map(ne, queries[1:], queries), bool, n_rows - 1)
    for start, stop in pairwise([0, *(np.flatnonzero(changes) + 1).tolist(), n_rows]):
        query = decode(queries[start])
        if judged is not None and query not in judged.names:
            return False
        by_document = by_query.setdefault(query, {})
        n_documents = len(by_document) + stop - start
        by_document.update(zip(names[start:stop], values[start:stop], strict=True))
        if len(by_document) < n_documents:
            return False
    return True


read_trec.__module__ = "sklearn_ap.readers"  # where users find it
