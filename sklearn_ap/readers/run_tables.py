"""Tables of judgments and runs, in the order of ranks."""

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import chain, repeat
from typing import Any, TypedDict

import numpy as np

from .._words.parameters import format_value
from ..core.ragged import Array, is_first
from .entries import JudgedQueries, ValuesByQuery
from .files import encode, is_source, name_files_in_errors, name_source
from .retrieved import Retrieved, select_conditions, separate_ties
from .tool_tables import has_dicts

_SINGLE_INFINITY = 2.0**128  # what is beyond single precision, which trec_eval ranks as infinite


class RunOptions(TypedDict, total=False):
    min_grade: float
    unjudged: str
    unjudged_queries: str


def read_run_tables(
    read: Callable[[Any, str, JudgedQueries | None], ValuesByQuery],
    qrels: Any,
    runs: Any,
    min_grade: float,
    unjudged: str,
    unjudged_queries: str,
    precision: str = "single",
) -> Retrieved | dict[str, Retrieved]:
    """Read judgments, and make the table of a run, or one for each engine of a mapping.

    `read` gets a source, its role in errors, and the queries that it may contain, or None if it may
    contain any. It is `_read_trec_lines` or `_read_nested`.
    """
    grades = read(qrels, "qrels", None)
    judged = None
    if unjudged_queries == "raise":
        judged = JudgedQueries(grades.keys(), name_source(qrels, "qrels"))

    def table(run: Any, role: str) -> Retrieved:
        with name_files_in_errors(qrels=qrels, **{role: run}):
            return _make_run_table(grades, read(run, role, judged), min_grade, unjudged, precision)

    if not _are_several_runs(runs):
        return table(runs, "runs")
    return {model: table(run, f"runs[{model!r}]") for model, run in runs.items()}


def _are_several_runs(runs: Any) -> bool:
    """Whether this maps models to runs: paths, objects with dicts, or one more level of dicts."""
    if not isinstance(runs, Mapping):
        return False
    for run in runs.values():
        if is_source(run) or has_dicts(run):
            return True
        if not isinstance(run, Mapping) or isinstance(next(iter(run.values()), None), float):
            continue  # a query of a single run
        if any(isinstance(query, Mapping) for query in run.values()):
            return True
    return False


def _make_run_table(
    grades: ValuesByQuery, scores: ValuesByQuery, min_grade: float, unjudged: str, precision: str
) -> Retrieved:
    """Make the table of a run, in the order of ranks.

    No row is of a query without judgments. `unjudged` is 'negative' or 'drop', and `precision` is
    'single' or 'double'.
    """
    lowest = max(np.asarray(min_grade).item(), 0)  # negative grades count as not judged
    n_judged = {query: _count_grades(by_document) for query, by_document in grades.items()}
    n_relevant = [
        sum(n for grade, n in by_grade.items() if grade >= lowest) for by_grade in n_judged.values()
    ]
    # The number of the query of each row, which is -1 without judgments
    numbers = {query: number for number, query in enumerate(grades)}
    n_rows = [len(by_document) for by_document in scores.values()]
    query = np.repeat([numbers.get(name, -1) for name in scores], n_rows)
    document, grade, score = _collect_rows(scores, grades, query.size)
    _check_common_ids(grades, scores, grade)
    del scores  # which nothing else refers to, and which takes more memory than the columns
    if precision == "single":
        score = _round_to_single(score)
    order = _sort_by_query(query, score, document)
    query, document, grade = query[order], document[order], grade[order]
    score = separate_ties(score[order], query)
    n_above = np.searchsorted(query, np.arange(len(grades)))  # of all queries before
    rank = 1 + np.arange(query.size) - n_above[query]
    is_kept = query >= 0
    if unjudged == "drop":
        is_kept &= grade >= 0  # not nan
    if not is_kept.all():  # the ranks stay those among all documents
        query, document, grade = query[is_kept], document[is_kept], grade[is_kept]
        score, rank = score[is_kept], rank[is_kept]
    names = np.array([*grades], dtype=object)
    columns = {
        "query": names[query],
        "document": document,
        "grade": grade,
        "judged": grade >= 0,
        "relevant": grade >= lowest,
        "rank": rank,
        "score": score,
    }
    return Retrieved(
        columns,
        {"y_true": "relevant", "y_score": "score", "groups": "query", "ids": "document"},
        dict(zip(names.tolist(), n_relevant, strict=True)),
        conditions=select_conditions(unjudged=unjudged, precision=precision),
        n_judged=dict(zip(names.tolist(), n_judged.values(), strict=True)),
        min_grade=lowest,
    )


def _check_common_ids(grades: ValuesByQuery, scores: ValuesByQuery, grade: Array) -> None:
    """Check that the ids of a run occur among those of the judgments, if `grade`, that of each row,
    doesn't tell.
    """
    if not grade.size or not np.isnan(grade).all():
        return
    documents = chain(*grades.values()), chain(*scores.values())
    for what, ids in (("queries", (grades, scores)), ("documents", documents)):
        judged, found = map(set, ids)
        if judged.isdisjoint(found):
            raise ValueError(
                f"None of the {len(found):,} {what} of the run is among the {len(judged):,} of the "
                f"judgments: {format_value(min(found))} is in the run, and "
                f"{format_value(min(judged))} in the judgments. Write ids in the same way in both."
            )


def _count_grades(by_document: Mapping[str, float]) -> dict[int, int]:
    """Return how many documents were judged with which grade, from the lowest one up."""
    counts = Counter(by_document.values())
    return {int(grade): n for grade, n in sorted(counts.items()) if grade >= 0}


def _collect_rows(
    scores: ValuesByQuery, grades: ValuesByQuery, n_rows: int
) -> tuple[Array, Array, Array]:
    """Return the document, the grade (nan if there is none) and the score of each row of a run.

    Names are objects, because an array of strings has room for the longest one in every row.
    """
    documents = chain.from_iterable(scores.values())
    grade = chain.from_iterable(
        map(grades.get(query, {}).get, by_document, repeat(np.nan))
        for query, by_document in scores.items()
    )
    score = chain.from_iterable(by_document.values() for by_document in scores.values())
    return (
        np.fromiter(documents, object, n_rows),
        np.fromiter(grade, float, n_rows),
        np.fromiter(score, float, n_rows),
    )


def _round_to_single(score: Array) -> Array:
    with np.errstate(over="ignore"):
        single = score.astype(np.float32).astype(float)
    return np.asarray(np.clip(single, -_SINGLE_INFINITY, _SINGLE_INFINITY))


def _sort_by_query(query: Array, score: Array, document: Array) -> Array:
    """Return the order of rows by query, and within it by score and name, from the highest down.

    The rows of a query are next to each other, so each query is sorted on its own.
    """
    falling, start = -score, np.flatnonzero(is_first(query))
    stop = np.append(start[1:], query.size)
    in_order = np.argsort(query[start])
    parts = zip(start[in_order].tolist(), stop[in_order].tolist(), strict=True)
    order = np.concatenate(
        [np.zeros(0, dtype=np.intp), *(falling[at:end].argsort() + at for at, end in parts)]
    )
    # Whether each row is tied with the row before. Runs of tied rows, of which the first row isn't
    # tied with the row before, then begin and end where the next row differs in this.
    is_tied = np.zeros(order.size + 1, dtype=bool)
    is_tied[1:-1] = (np.diff(query[order]) == 0) & (np.diff(score[order]) == 0)
    ends_of_runs = np.flatnonzero(is_tied[1:] != is_tied[:-1]).reshape(-1, 2)
    for first, last in ends_of_runs.tolist():
        run = slice(first, last + 1)
        # trec_eval compares names as bytes, whose order differs from that of escaped text.
        order[run] = sorted(order[run], key=lambda row: encode(document.item(row)), reverse=True)
    return order
