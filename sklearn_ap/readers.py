"""Judgments and runs of search engines, as tables."""

from __future__ import annotations

import gzip
import zlib
from codecs import BOM_UTF8
from collections.abc import Mapping
from csv import QUOTE_NONE
from io import BytesIO
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np

from ._core import Array, load

__all__ = ["read_trec"]

Source = str | PathLike[str] | IO[Any] | Mapping[str, Mapping[str, float]]

_QRELS = "query", "iteration", "document", "grade"
_RUN = "query", "Q0", "document", "rank", "score", "name"
_MAX_GRADE = 2**31
_SINGLE_INFINITY = 2.0**128  # what is beyond single precision, which trec_eval ranks as infinite


def read_trec(
    qrels: Source, run: Source | Mapping[Any, Source]
) -> tuple[Any, dict[str, dict[int, int]]]:
    """Read the judgments and the run of a search engine, in the formats of TREC.

    With both results, metrics have the values of ``trec_eval -c``: tied documents are ranked by
    name in descending order, scores are in single precision, queries without judgments are left
    out, and queries without documents count as 0.

    Read more in :doc:`Queries and users </groups>`.

    Parameters
    ----------
    qrels : path, open file or dict
        Lines of query, iteration, document and grade, plain or compressed by gzip, or a dict
        ``{query: {document: grade}}``. A document with a grade below 0 counts as not judged.
    run : path, open file or dict, or mapping from names to these
        Lines of query, Q0, document, rank, score and name, of which the ranks aren't read, or a
        dict ``{query: {document: score}}``.

    Returns
    -------
    table : DataFrame of pandas
        A row for each document that was retrieved, in the order of ranks, with "query", "document",
        "grade" (0 if there is none), "judged", and "score", in which ties are broken by the last
        digits. For several runs, it is a dict of such tables, which :func:`sklearn_ap.compare`
        takes.
    n_positives : dict of dicts
        The number of judged documents of each grade, for each query.

    See Also
    --------
    sklearn_ap.mean_average_precision_score : MAP.
    sklearn_ap.compare : Compare engines by their runs.

    Examples
    --------
    >>> from sklearn_ap.readers import read_trec
    >>> from io import StringIO
    >>> import sklearn_ap as ap
    >>> qrels = StringIO("cat 0 d1 1\\ncat 0 d2 0\\ndog 0 d1 2\\n")
    >>> run = StringIO("cat Q0 d2 1 0.9 me\\ncat Q0 d1 2 0.8 me\\n")
    >>> table, n_positives = read_trec(qrels, run)
    >>> n_positives
    {'cat': {0: 1, 1: 1}, 'dog': {2: 1}}
    >>> of_table = {"groups": "query", "n_positives": n_positives, "data": table}
    >>> ap.ndcg_score("grade", "score", k=10, **of_table)
    0.315...
    >>> ap.mean_average_precision_score("grade", "score", min_grade=1, **of_table)
    0.25
    """
    judged = _read_lines(qrels, "qrels", _QRELS)
    runs: Any = run
    if is_single(run):
        return _read_run(judged, runs)
    tables: dict[Any, Any] = {}
    n_positives: dict[str, dict[int, int]] = {}
    for name, each in runs.items():
        tables[name], n_positives = _read_run(judged, each)  # the same numbers for all
    return tables, n_positives


def is_single(run: Any) -> bool:
    """Whether this is one run: a file, or a dict of the scores of documents for each query."""
    if not isinstance(run, Mapping):
        return True
    first: Any = next(iter(run.values()), {})
    return isinstance(first, Mapping) and not any(isinstance(d, Mapping) for d in first.values())


def _read_run(judged: dict[str, Array], run: Source) -> tuple[Any, dict[str, dict[int, int]]]:
    """Read a run, and return its table, and the number of judged documents of each grade."""
    pd = load("pandas", "read_trec")
    found = _read_lines(run, "run", _RUN)
    n_judged = len(judged["query"])
    # Names are looked up once, and from here on they are numbers, lowest for judged queries.
    query, queries = pd.factorize(np.concatenate([judged["query"], found["query"]]))
    document, documents = pd.factorize(np.concatenate([judged["document"], found["document"]]))
    pair = query * len(documents) + document
    for rows in (np.arange(n_judged), np.arange(n_judged, pair.size)):
        again = rows[pd.Series(pair[rows]).duplicated()]
        if again.size:
            raise ValueError(
                f"Document {documents[document[again[0]]]!r} is there twice for query "
                f"{queries[query[again[0]]]!r}."
            )
    grade = judged["grade"].astype(int)
    n_positives = _count_grades(query[:n_judged], grade, queries)
    rows = np.flatnonzero(query[n_judged:] < len(n_positives)) + n_judged
    if not rows.size:
        raise ValueError(
            f"No query of the run has judgments: {found['query'][0]!r} is in the run, and "
            f"{judged['query'][0]!r} in the judgments."
        )
    with np.errstate(over="ignore"):
        single = found["score"][rows - n_judged].astype(np.float32).astype(float)
    score = np.clip(single, -_SINGLE_INFINITY, _SINGLE_INFINITY)
    query_rank = np.argsort(np.argsort(queries))
    order, score = _order_documents(query_rank[query[rows]], score, documents[document[rows]])
    rows = rows[order]
    known = np.flatnonzero(grade >= 0)
    place = pd.Index(pair[known]).get_indexer(pair[rows])  # -1 without a judgment
    is_judged = place >= 0
    table = pd.DataFrame(
        {
            "query": queries[query[rows]],
            "document": documents[document[rows]],
            "grade": np.append(grade[known], 0)[place],  # the last one is 0
            "judged": is_judged,
            "score": score,
        }
    )
    return table, n_positives


def _order_documents(query: Array, score: Array, name: Array) -> tuple[Array, Array]:
    """Return the order by query, falling score and falling name, and the scores in this order, of
    which tied ones are made to differ.
    """
    pd = load("pandas", "read_trec")
    order = np.lexsort((-score, query))
    is_tied = (np.diff(query[order]) == 0) & (np.diff(score[order]) == 0)  # with the one before
    # Names are compared only among tied documents, because that is slow.
    tied = order[np.append(False, is_tied) | np.append(is_tied, False)]
    name_rank = np.zeros(score.size, dtype=np.int64)
    name_rank[tied] = pd.factorize(name[tied], sort=True)[0]
    order = np.lexsort((-name_rank, -score, query))
    group = np.cumsum(np.append(False, ~is_tied))  # of tied documents
    n_until_end = np.cumsum(np.bincount(group))[group]
    n_below = n_until_end - 1 - np.arange(score.size)
    score = score[order]
    return order, score + n_below * np.spacing(np.abs(score))


def _count_grades(query: Array, grade: Array, queries: Array) -> dict[str, dict[int, int]]:
    """Count the documents of each query by grade, but those below 0, which aren't judged."""
    counts: dict[str, dict[int, int]] = {queries[number]: {} for number in np.unique(query)}
    rows, numbers = np.unique(
        np.column_stack([query, grade])[grade >= 0], axis=0, return_counts=True
    )
    for (number, each), count in zip(rows.tolist(), numbers.tolist(), strict=True):
        counts[queries[number]][each] = count
    return counts


def _read_lines(source: Source, role: str, fields: tuple[str, ...]) -> dict[str, Array]:
    """Read the query, the document, and the grade or the score of each line."""
    if isinstance(source, Mapping):
        return _read_dict(source, role)
    pd = load("pandas", "read_trec")
    content = _read_content(source, role)
    if not content.strip():
        raise ValueError(f"The {role} has no lines of {', '.join(fields)}.")
    number = "grade" if role == "qrels" else "score"
    header = " ".join([*fields, "more"]).encode() + b"\n"  # so that a longer line shows
    table = pd.read_csv(
        BytesIO(header + content),
        sep=r"\s+",
        index_col=False,  # a longer line has no index
        usecols=["query", "document", number, "more"],
        dtype=object,
        na_filter=False,
        quoting=QUOTE_NONE,
    )
    values = pd.to_numeric(table[number], errors="coerce").to_numpy(dtype=float)
    is_wrong = ~np.isfinite(values) | (table["more"].fillna("") != "").to_numpy()
    if role == "qrels":
        is_wrong |= (values % 1 != 0) | (np.abs(values) > _MAX_GRADE)
    if is_wrong.any():
        _refuse_line(content, role, fields, number, int(is_wrong.argmax()))
    return {
        "query": table["query"].to_numpy(),
        "document": table["document"].to_numpy(),
        number: values,
    }


def _read_dict(source: Mapping[str, Mapping[str, float]], role: str) -> dict[str, Array]:
    """Read the same of a dict, as pytrec_eval and ranx take it."""
    if not all(isinstance(documents, Mapping) for documents in source.values()):
        raise ValueError(f"The {role} must be a dict from queries to dicts from documents.")
    rows = [(query, name, value) for query in source for name, value in source[query].items()]
    if not rows:
        raise ValueError(f"The {role} has no documents.")
    query, document, value = (np.array(column, dtype=object) for column in zip(*rows, strict=True))
    name, number = ("grade", "whole") if role == "qrels" else ("score", "finite")
    values = np.array([each if isinstance(each, Real) else np.nan for each in value], dtype=float)
    is_wrong = ~np.isfinite(values)
    if role == "qrels":
        is_wrong |= (values % 1 != 0) | (np.abs(values) > _MAX_GRADE)
    if is_wrong.any():
        wrong = rows[int(is_wrong.argmax())]
        raise ValueError(f"The {role} must have a {number} {name} for each document. Got {wrong}.")
    return {"query": query, "document": document, name: values}


def _read_content(source: Source, role: str) -> bytes:
    """Return the bytes of a text in UTF-8."""
    if isinstance(source, str) and "\n" in source:
        first = source.strip().partition("\n")[0]
        raise ValueError(f"The {role} is a path. For its text, pass io.StringIO: {first!r}.")
    if isinstance(source, str | PathLike):
        content = Path(source).read_bytes()
    elif hasattr(source, "read"):
        content = source.read()
    else:
        raise TypeError(f"Pass the path of a file, or an open file. Got {source!r} instead.")
    if isinstance(content, str):
        content = content.encode()
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(
                f"The {role} is compressed by gzip, but damaged or cut off."
            ) from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"The {role} must be text in UTF-8.") from error
    if "\0" in text:
        raise ValueError(f"The {role} must be text in UTF-8, without NUL.")
    return content.removeprefix(BOM_UTF8)


def _refuse_line(
    content: bytes, role: str, fields: tuple[str, ...], number: str, row: int
) -> NoReturn:
    """Name the line of a row, of which empty lines have none."""
    lines = [(place, line) for place, line in enumerate(content.splitlines(), 1) if line.strip()]
    place, line = lines[row]
    kind = "whole" if number == "grade" else "finite"
    raise ValueError(
        f"Line {place} of the {role} must be {', '.join(fields)}, with a {kind} {number}. "
        f"Got {line.decode(errors='replace')!r}."
    )
