"""Judgments and runs of search engines, as tables."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from csv import QUOTE_NONE
from io import StringIO
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np

from ._core import Array, load

__all__ = ["read_trec"]

Source = str | PathLike[str] | IO[Any] | Mapping[str, Mapping[str, float]]

# The fields of each line, and the one that is a number
_FIELDS = {
    "qrels": ("query", "iteration", "document", "grade"),
    "run": ("query", "Q0", "document", "rank", "score", "name"),
}
_NUMBERS = {"qrels": ("grade", "a whole grade"), "run": ("score", "a finite score")}
_MAX_GRADE = 2**31
_SINGLE_INFINITY = 2.0**128  # trec_eval ranks scores beyond single precision as infinite.


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
    judged = _read_source(qrels, "qrels")
    n_positives = _count_judgments(judged)
    runs: Any = run
    if is_single_run(run):
        return _judge_run(_read_source(runs, "run"), judged), n_positives
    tables = {name: _judge_run(_read_source(each, "run"), judged) for name, each in runs.items()}
    return tables, n_positives


def is_single_run(run: Any) -> bool:
    """Whether this is one run: a file, or a dict of the scores of documents for each query."""
    if not isinstance(run, Mapping):
        return True
    first: Any = next(iter(run.values()), {})
    return isinstance(first, Mapping) and not any(isinstance(d, Mapping) for d in first.values())


def _count_judgments(judged: Any) -> dict[str, dict[int, int]]:
    """Count the documents of each query by grade, but those below 0, which aren't judged."""
    counts: dict[str, dict[int, int]] = {query: {} for query in judged["query"].unique()}
    by_grade = judged[judged["grade"] >= 0].groupby(["query", "grade"]).size()
    for (query, grade), count in by_grade.items():
        counts[query][int(grade)] = int(count)
    return counts


def _judge_run(found: Any, judged: Any) -> Any:
    """Return the documents of judged queries in the order of ranks, with their grades."""
    table = found[found["query"].isin(judged["query"])]
    if table.empty:
        raise ValueError(
            f"No query of the run has judgments: {found['query'].iloc[0]!r} is in the run, and "
            f"{judged['query'].iloc[0]!r} in the judgments."
        )
    table = table.merge(judged[judged["grade"] >= 0], how="left", on=["query", "document"])
    with np.errstate(over="ignore"):
        score = table["score"].astype(np.float32).astype(float)
    table["score"] = score.clip(-_SINGLE_INFINITY, _SINGLE_INFINITY)
    table["judged"] = table["grade"].notna()
    table["grade"] = table["grade"].fillna(0).astype(int)
    # The last names come first among tied documents, whose scores are made to differ.
    table = table.sort_values(["query", "score", "document"], ascending=[True, False, False])
    n_below = table.groupby(["query", "score"], sort=False).cumcount(ascending=False)
    table["score"] += n_below * np.spacing(table["score"].abs())
    return table[["query", "document", "grade", "judged", "score"]].reset_index(drop=True)


# --- sources --------------------------------------------------------------------------------------


def _read_source(source: Source, role: str) -> Any:
    """Read the query, the document, and the grade or the score of each line or item."""
    table = _read_dict(source, role) if isinstance(source, Mapping) else _read_lines(source, role)
    again = table[table.duplicated(["query", "document"])]
    if len(again):
        query, document = again["query"].iloc[0], again["document"].iloc[0]
        raise ValueError(f"Document {document!r} is there twice for query {query!r}.")
    return table


def _read_lines(source: Any, role: str) -> Any:
    pd = load("pandas", "read_trec")
    text = _read_text(source, role)
    fields, (column, wanted) = ", ".join(_FIELDS[role]), _NUMBERS[role]
    if not text.strip():
        raise ValueError(f"The {role} has no lines of {fields}.")
    header = " ".join([*_FIELDS[role], "more"])  # Longer lines have more, which is refused.
    table = pd.read_csv(
        StringIO(f"{header}\n{text}"),
        sep=r"\s+",
        index_col=False,
        usecols=["query", "document", column, "more"],
        dtype=str,
        na_filter=False,
        quoting=QUOTE_NONE,
    )
    values = pd.to_numeric(table[column], errors="coerce").to_numpy(dtype=float)
    is_wrong = _find_wrong(values, role) | (table["more"].fillna("") != "").to_numpy()
    if is_wrong.any():
        lines = [(place, line) for place, line in enumerate(text.split("\n"), 1) if line.strip()]
        place, line = lines[int(is_wrong.argmax())]
        raise ValueError(
            f"Line {place} of the {role} must be {fields}, with {wanted}. Got {line.strip()!r}."
        )
    return table.drop(columns="more").assign(**{column: values})


def _read_dict(source: Mapping[str, Mapping[str, float]], role: str) -> Any:
    """Read the same of a dict, as pytrec_eval and ranx take it."""
    pd = load("pandas", "read_trec")
    if not all(isinstance(documents, Mapping) for documents in source.values()):
        raise ValueError(f"The {role} must be a dict from queries to dicts from documents.")
    rows = [(query, name, value) for query in source for name, value in source[query].items()]
    if not rows:
        raise ValueError(f"The {role} has no documents.")
    column, wanted = _NUMBERS[role]
    numbers = [value if isinstance(value, Real) else np.nan for _, _, value in rows]
    values = np.array(numbers, dtype=float)
    is_wrong = _find_wrong(values, role)
    if is_wrong.any():
        wrong = rows[int(is_wrong.argmax())]
        raise ValueError(f"The {role} must have {wanted} for each document. Got {wrong}.")
    return pd.DataFrame(rows, columns=["query", "document", column]).assign(**{column: values})


def _find_wrong(values: Array, role: str) -> Array:
    """Return which numbers aren't finite, or which grades aren't whole."""
    is_wrong = ~np.isfinite(values)
    if role == "qrels":
        is_wrong |= (values != np.rint(values)) | (np.abs(values) > _MAX_GRADE)
    return is_wrong


def _read_text(source: Any, role: str) -> str:
    if isinstance(source, str) and "\n" in source:
        first = source.strip().partition("\n")[0]
        raise ValueError(f"The {role} is a path. For its text, pass io.StringIO: {first!r}.")
    if isinstance(source, str | PathLike):
        content = Path(source).read_bytes()
    elif hasattr(source, "read"):
        content = source.read()
    else:
        raise TypeError(f"Pass the path of a file, or an open file. Got {source!r} instead.")
    text = content if isinstance(content, str) else _decode(content, role)
    if "\0" in text:  # UTF-16 has it.
        raise ValueError(f"The {role} must be text in UTF-8, without NUL.")
    return text.removeprefix("\ufeff")


def _decode(content: bytes, role: str) -> str:
    """Decode bytes that may be compressed."""
    try:
        if content.startswith(b"\x1f\x8b"):
            content = gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"The {role} is compressed by gzip, but damaged or cut off.") from error
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"The {role} must be text in UTF-8.") from error
