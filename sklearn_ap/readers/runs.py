"""Judgments and runs as other tools of Python hold them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any, Protocol, Unpack, overload

import numpy as np

from .._enter.entry import public
from .._words.parameters import format_value
from .entries import JudgedQueries, ValuesByQuery, as_number, read_entries, read_entry_name
from .files import Source, is_source, name_source, read_content
from .retrieved import Retrieved
from .run_tables import RunOptions, read_run_tables
from .tool_tables import as_dicts


class HasDicts(Protocol):
    """A DataFrame, or ranx's Qrels or Run."""

    def to_dict(self) -> Any: ...


RunSource = Source | Mapping[str, Mapping[str, float]] | HasDicts


@overload
def read_runs(qrels: RunSource, runs: RunSource, **options: Unpack[RunOptions]) -> Retrieved: ...


@overload
def read_runs(
    qrels: RunSource, runs: Mapping[str, RunSource], **options: Unpack[RunOptions]
) -> dict[str, Retrieved]: ...


@public()
def read_runs(
    qrels: Any,
    runs: Any,
    *,
    min_grade: float = 1,
    unjudged: str = "negative",
    unjudged_queries: str = "raise",
) -> Retrieved | dict[str, Retrieved]:
    """Read judgments and runs in the form that pytrec_eval, BEIR, MTEB, ranx and ir_measures use.

    They are dicts from queries to dicts from documents to grades or scores, ranx's Qrels and Run,
    DataFrames, files with one JSON object per line, or BEIR's TSV files of judgments. Values equal
    pytrec_eval's, except that a query for which nothing was retrieved counts as 0 here, while
    pytrec_eval leaves it out.

    Parameters
    ----------
    qrels : dict of dicts, Qrels, DataFrame, path or file
        The judgments, as ``{"q1": {"d1": 1, "d2": 0}}``, or a DataFrame of pandas or polars with
        the columns "query_id", "doc_id" and "relevance", or JSON lines with the keys "query-id",
        "corpus-id" and "score", or a TSV file with these three columns and a header. Files can be
        compressed by gzip, bzip2 or xz.
    runs : dict of dicts, Run, DataFrame, path or file, or a mapping of these
        What the engine retrieved, in the same form, with the column "score" in DataFrames. To read
        several engines, pass a mapping from their names to their runs. Scores are read in single
        precision, and ties are ordered as by :func:`read_trec`.
    min_grade : int or float, default=1
        The lowest grade of relevant documents. A document with a negative grade counts as not
        judged.
    unjudged : {'negative', 'drop'}, default='negative'
        Whether unjudged documents count as not relevant, or are left out.
    unjudged_queries : {'raise', 'drop'}, default='raise'
        Whether a query of a run without judgments is an error, or is left out.

    Returns
    -------
    table : Retrieved or dict of str to Retrieved
        A table with the columns that :func:`read_trec` describes, or one for each engine.

    See Also
    --------
    read_trec : Read the files of TREC.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> qrels = {"cat": {"d1": 1, "d2": 0}, "dog": {"d1": 2}}
    >>> bm25 = {"cat": {"d2": 0.9, "d1": 0.8}}
    >>> dense = {"cat": {"d1": 0.9}, "dog": {"d3": 0.4, "d1": 0.1}}
    >>> found = ap.readers.read_runs(qrels, {"bm25": bm25, "dense": dense})
    >>> ap.mean_average_precision_score(data=found["dense"])
    0.75
    >>> [row.value for row in ap.compare(data=found, metric="MRR@10")]
    [0.25, 0.75]
    """
    return read_run_tables(_read_nested, qrels, runs, min_grade, unjudged, unjudged_queries)


def _read_nested(source: Any, role: str, judged: JudgedQueries | None) -> ValuesByQuery:
    """Read dicts of dicts, JSON lines, or BEIR's TSV; see `_read_trec_lines` in trec.py."""
    if is_source(source):
        name = name_source(source, role)
        return read_entries(read_content(source, role), name, role == "qrels", judged)
    source = as_dicts(source, role)
    if not isinstance(source, Mapping) or not all(isinstance(v, Mapping) for v in source.values()):
        raise TypeError(
            f"{role} must be a dict of dicts, such as {{'q1': {{'d1': 1}}}}, a DataFrame, or the "
            f"path of JSON lines or BEIR's TSV. Got {format_value(source)} instead."
        )
    if not source:
        raise ValueError(f"{role} is empty, but must have a dict for each query.")
    if _are_plain(source, role == "qrels", judged):
        return source
    by_query: dict[str, dict[str, float]] = {}
    for query, documents in source.items():
        query_name = read_entry_name(query, "query", role)
        by_query[query_name] = by_document = {}
        try:
            if judged is not None:
                judged.check(query_name)
            for document, value in documents.items():
                document_name = read_entry_name(document, "document", role)
                by_document[document_name] = as_number(value, is_whole=role == "qrels")
        except ValueError as error:
            raise ValueError(f"{role}, query {query!r}: {error}.") from None
    return by_query


def _are_plain(source: ValuesByQuery, are_grades: bool, judged: JudgedQueries | None) -> bool:
    """Whether all names are text, all values are numbers of usual types, and all queries judged.

    Dicts for which this is so need no copy, and none of the checks of each entry.
    """
    usual = {int} if are_grades else {int, float, np.float32, np.float64}
    try:
        "".join(chain(source, *source.values())).encode()
    except (TypeError, UnicodeEncodeError):
        return False
    if judged is not None and not all(map(judged.names.__contains__, source)):
        return False
    values = [*chain.from_iterable(by_document.values() for by_document in source.values())]
    if not usual.issuperset(map(type, values)):
        return False
    try:
        numbers = np.fromiter(values, float, len(values))
    except OverflowError:
        return False
    return not np.isnan(numbers).any()


read_runs.__module__ = "sklearn_ap.readers"  # where users find it
