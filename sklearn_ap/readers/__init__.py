"""Readers for the files of other tools, which return tables that know their columns."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO, StringIO
from itertools import chain, pairwise, repeat
from math import inf
from numbers import Integral, Real
from operator import ne
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn, TypedDict, Unpack, overload

import numpy as np

from .._arrays.host import to_host
from .._enter.entry import public
from .._inputs.records import OwnLabels
from .._package.toml import read_toml
from .._words.errors import InvalidParameterError
from .._words.messages import count_of, warn
from .._words.parameters import shown
from ..core.within import Array, is_first
from .files import check_is_text, decompressed
from .matching import by_confidence, match, overlaps_of_boxes, pairs_of, parts_of

__all__ = ["Retrieved", "answered", "read_coco", "read_runs", "read_trec"]

Source = str | PathLike[str] | IO[Any]
Nested = Source | Mapping[str, Mapping[str, float]]

_ESCAPED = "surrogateescape"  # which keeps names that aren't UTF-8


@dataclass(frozen=True, eq=False, repr=False)
class Retrieved:
    """What a search engine or a detector retrieved, as a table that knows its columns.

    Pass it as `data` to any function of sklearn_ap, without names of columns. Arguments that you
    pass take precedence over what the table knows. If you pass another `y_true`, `pos_label` or
    `groups`, also pass `n_positives`, because the table has counted its own positives.

    Attributes
    ----------
    columns : dict of str to ndarray
        The columns, each with an entry for every retrieved item.
    roles : dict of str to str
        Which column is `y_true`, `y_score`, `groups`, `clusters` or `ids`.
    n_positives : dict
        How many positives exist in each group, found or not.
    n_per_cluster : dict or None
        With clusters, how many positives exist in each pair of a group and a cluster.
    conditions : dict
        The options of the reader, besides `min_grade`, that aren't the default and change values.
        Results repeat them, and tables that were read with different ones can't be compared.
    n_judged : dict or None
        From `read_trec` and `read_runs`: the number of documents judged with each grade, per query,
        retrieved or not.
    min_grade : int or float
        The lowest grade of the documents that `n_positives` counts.

    See Also
    --------
    read_runs : Read tables of judgments and runs.
    read_coco : Read the files of a detector.

    Examples
    --------
    >>> from sklearn_ap.readers import read_runs
    >>> retrieved = read_runs(
    ...     {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 2.0, "d3": 1.0}}
    ... )
    >>> retrieved.n_positives
    {'q1': 1}
    """

    columns: Mapping[str, Array]
    roles: Mapping[str, str]
    n_positives: Mapping[Any, int]
    n_per_cluster: Mapping[tuple[Any, Any], int] | None = None
    conditions: Mapping[str, Any] = field(default_factory=dict)
    n_judged: Mapping[Any, Mapping[int, int]] | None = None
    min_grade: float = 1

    @property
    def overlaps(self) -> tuple[float, ...]:
        """The overlaps (IoU) at which detections were matched with objects. Metrics whose name
        could mean an overlap, such as `AP@0.5` and `AP@50`, are then refused.
        """
        overlap = self.conditions.get("overlap", 0.5)
        if "overlap" not in self.columns:
            return ()
        return tuple(_OVERLAPS) if overlap == _MEAN else (overlap,)

    def known_arguments(self, by_cluster: bool) -> dict[str, Any]:
        """Return the arguments that functions of sklearn_ap take from this table."""
        n_positives: Mapping[Any, Any] = self.n_positives
        if by_cluster and self.n_per_cluster is not None:
            n_positives = self.n_per_cluster
        arguments: dict[str, Any] = {**self.roles, "n_positives": n_positives}
        if self.n_judged is not None:
            # nDCG needs the grades, and other metrics count the grades from `min_grade` on.
            labels = OwnLabels(self.roles["y_true"])
            labels.grades, labels.min_grade = "grade", self.min_grade
            arguments |= {"y_true": labels, "n_positives": self.n_judged}
        return arguments

    def judged_at(self, k: int) -> float:
        """Return the fraction of the top k documents of all queries that were judged."""
        if isinstance(k, bool) or not isinstance(k, Integral) or k < 1:
            raise InvalidParameterError(
                "The 'k' parameter of judged_at must be an int in the range [1, inf), the number "
                f"of documents. Got {shown(k)} instead."
            )
        if "judged" not in self.columns:
            raise TypeError("Only a table of read_trec knows which of its rows were judged.")
        judged = self.columns["judged"][self.columns["rank"] <= k]
        if not judged.size:
            raise ValueError("The table has no rows, so it has no top documents to be judged.")
        return float(np.mean(judged))

    def __len__(self) -> int:
        return len(self.columns[self.roles["y_true"]])

    def __repr__(self) -> str:
        groups = f"{count_of(len(self.n_positives), 'groups')} ({self.roles['groups']})"
        counts = [groups, count_of(len(self), "rows")]
        if "judged" in self.columns and len(self):
            counts.append(f"{np.mean(self.columns['judged']):.1%} judged")
        return f"<Retrieved: {', '.join(counts)}>"


@overload
def answered(tables: Retrieved) -> Retrieved: ...


@overload
def answered(tables: Mapping[Any, Retrieved]) -> dict[Any, Retrieved]: ...


@public()
def answered(tables: Any) -> Retrieved | dict[Any, Retrieved]:
    """Keep only the queries for which every engine returned something.

    Otherwise, a query for which an engine returned nothing counts as 0, as in ``trec_eval -c``.
    Leave such queries out if the engine wasn't asked, or to get the values of tools that do so,
    such as pytrec_eval and BEIR. An engine that returns nothing for hard queries then looks better
    than it is.

    Parameters
    ----------
    tables : Retrieved, or mapping from engines to them
        What :func:`read_runs` and other readers return.

    Returns
    -------
    tables : Retrieved or dict of Retrieved
        The tables with only these queries, and with their counts of relevant and judged documents.

    See Also
    --------
    read_runs : Read tables of judgments and runs.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> qrels = {"cat": {"d1": 1, "d2": 0}, "dog": {"d1": 2}}
    >>> bm25 = {"cat": {"d2": 0.9, "d1": 0.8}}
    >>> dense = {"cat": {"d1": 0.9}, "dog": {"d3": 0.4, "d1": 0.1}}
    >>> found = ap.readers.read_runs(qrels, {"bm25": bm25, "dense": dense})
    >>> ap.readers.answered(found)["dense"].n_positives
    {'cat': 1}
    >>> [
    ...     ap.mean_average_precision_score(data=table)
    ...     for table in ap.readers.answered(found).values()
    ... ]
    [0.5, 1.0]
    """
    if isinstance(tables, Retrieved):
        return answered({"": tables})[""]
    if not isinstance(tables, Mapping) or not all(
        isinstance(table, Retrieved) for table in tables.values()
    ):
        raise TypeError(
            "tables must be a table of sklearn_ap.readers, or a mapping from models to such "
            f"tables. Got {shown(tables)} instead. Of other tables, keep the rows of the groups "
            "that all of them have, and pass the n_positives of these groups."
        )
    groups_of_tables = [
        set(table.columns[table.roles["groups"]].tolist()) for table in tables.values()
    ]
    answered_by_all = set.intersection(*groups_of_tables) if groups_of_tables else set()
    if not answered_by_all:
        raise ValueError("There is no query for which all tables have rows.")
    return {model: _rows_of_groups(table, answered_by_all) for model, table in tables.items()}


def _rows_of_groups(table: Retrieved, names: Collection[Any]) -> Retrieved:
    """Return the rows of the groups with these names, and what is counted of them."""
    groups = table.columns[table.roles["groups"]].tolist()
    rows = np.array([group in names for group in groups], dtype=bool)
    n_per_cluster, n_judged = table.n_per_cluster, table.n_judged
    if n_per_cluster is not None:
        n_per_cluster = {pair: n for pair, n in n_per_cluster.items() if pair[0] in names}
    if n_judged is not None:
        n_judged = {group: by_grade for group, by_grade in n_judged.items() if group in names}
    return replace(
        table,
        columns={name: column[rows] for name, column in table.columns.items()},
        conditions={**table.conditions, "only_answered": True},
        n_positives={group: n for group, n in table.n_positives.items() if group in names},
        n_per_cluster=n_per_cluster,
        n_judged=n_judged,
    )


# --- TREC -----------------------------------------------------------------------------------------


class _OptionsOfRuns(TypedDict, total=False):
    min_grade: float
    unjudged: str
    unjudged_queries: str


class _OptionsOfTrec(_OptionsOfRuns, total=False):
    precision: str


@overload
def read_trec(qrels: Source, runs: Source, **options: Unpack[_OptionsOfTrec]) -> Retrieved: ...


@overload
def read_trec(
    qrels: Source, runs: Mapping[str, Source], **options: Unpack[_OptionsOfTrec]
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
    return _read_tables(_read_lines, qrels, runs, min_grade, unjudged, unjudged_queries, precision)


# The grade of each judged document by query, or the score of each retrieved one. Bytes of a file
# that aren't UTF-8 are escaped in the names of queries and documents.
_ByQuery = Mapping[str, Mapping[str, float]]


class _JudgedQueries(NamedTuple):
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


def _read_tables(
    read: Callable[[Any, str, _JudgedQueries | None], _ByQuery],
    qrels: Any,
    runs: Any,
    min_grade: float,
    unjudged: str,
    unjudged_queries: str,
    precision: str = "single",
) -> Retrieved | dict[str, Retrieved]:
    """Read judgments, and make the table of a run, or one for each engine of a mapping.

    `read` is `_read_lines` or `_read_nested`. It gets a source, its role in errors, and the queries
    that it may contain, or None if it may contain any.
    """
    grades = read(qrels, "qrels", None)
    judged = None
    if unjudged_queries == "raise":
        judged = _JudgedQueries(grades.keys(), _source_name(qrels, "qrels"))

    def table(run: Any, role: str) -> Retrieved:
        return _retrieved(grades, read(run, role, judged), min_grade, unjudged, precision)

    if not _are_several_runs(runs):
        return table(runs, "runs")
    return {model: table(run, f"runs[{model!r}]") for model, run in runs.items()}


@overload
def read_runs(qrels: Nested, runs: Nested, **options: Unpack[_OptionsOfRuns]) -> Retrieved: ...


@overload
def read_runs(
    qrels: Nested, runs: Mapping[str, Nested], **options: Unpack[_OptionsOfRuns]
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
    """Read judgments and runs in the form that pytrec_eval, BEIR, MTEB and ranx use.

    They are dicts from queries to dicts from documents to grades or scores, files with one JSON
    object per line, or BEIR's TSV files of judgments. Values equal pytrec_eval's, except that a
    query for which nothing was retrieved counts as 0 here, while pytrec_eval leaves it out.

    Parameters
    ----------
    qrels : dict of dicts, path or file
        The judgments, as ``{"q1": {"d1": 1, "d2": 0}}``, or JSON lines with the keys "query-id",
        "corpus-id" and "score", or a TSV file with these three columns and a header. Files can be
        compressed by gzip, bzip2 or xz.
    runs : dict of dicts, path or file, or a mapping of these
        What the engine retrieved, in the same form. To read several engines, pass a mapping from
        their names to their runs. Scores are read in single precision, and ties are ordered as by
        :func:`read_trec`.
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
    return _read_tables(_read_nested, qrels, runs, min_grade, unjudged, unjudged_queries)


def _are_several_runs(runs: Any) -> bool:
    """Whether this maps models to runs, which are paths or have one more level of dicts."""
    if not isinstance(runs, Mapping):
        return False
    for run in runs.values():
        if _is_source(run):
            return True
        if not isinstance(run, Mapping) or isinstance(next(iter(run.values()), None), float):
            continue  # a query of a single run
        if any(isinstance(query, Mapping) for query in run.values()):
            return True
    return False


def _read_nested(source: Any, role: str, judged: _JudgedQueries | None) -> _ByQuery:
    """Read dicts of dicts, JSON lines, or BEIR's TSV; see `_read_lines`."""
    if _is_source(source):
        name = _source_name(source, role)
        return _read_entries(_content(source, role), name, role == "qrels", judged)
    if not isinstance(source, Mapping) or not all(isinstance(v, Mapping) for v in source.values()):
        raise TypeError(
            f"{role} must be a dict of dicts, such as {{'q1': {{'d1': 1}}}}, or the path of JSON "
            f"lines or BEIR's TSV. Got {shown(source)} instead."
        )
    if not source:
        raise ValueError(f"{role} is empty, but must have a dict for each query.")
    if _are_plain(source, role == "qrels", judged):
        return source
    by_query: dict[str, dict[str, float]] = {}
    for query, documents in source.items():
        query_name = _checked_name(query, "query", role)
        by_query[query_name] = by_document = {}
        try:
            if judged is not None:
                judged.check(query_name)
            for document, value in documents.items():
                document_name = _checked_name(document, "document", role)
                by_document[document_name] = _as_number(value, is_whole=role == "qrels")
        except ValueError as error:
            raise ValueError(f"{role}, query {query!r}: {error}.") from None
    return by_query


def _are_plain(source: _ByQuery, are_grades: bool, judged: _JudgedQueries | None) -> bool:
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


def _read_entries(
    content: bytes, name: str, are_grades: bool, judged: _JudgedQueries | None
) -> _ByQuery:
    """Read JSON lines, or TSV with the header of BEIR; see `_read_lines`."""
    fields_of = _fields_of_tsv if content.startswith(_HEADER) else _fields_of_json
    by_query = _by_query(content, name, fields_of, are_grades, judged)
    if not by_query:
        raise ValueError(f"{name} is empty, but must have JSON lines with the keys {_LISTED}.")
    return by_query


def _by_query(
    content: bytes,
    name: str,
    fields_of: Callable[[bytes], Sequence[Any]],
    are_grades: bool,
    judged: _JudgedQueries | None,
) -> _ByQuery:
    """Read lines of any format, of which `fields_of` returns query, document, and grade or score;
    nothing if a line has none.
    """
    by_query: dict[str, dict[str, float]] = {}
    for number, line in enumerate(BytesIO(content), 1):
        try:
            fields = fields_of(line) if line.strip() else []
            if not fields:
                continue
            query, document = _escaped(str(fields[0])), _escaped(str(fields[1]))
            by_document = by_query.setdefault(query, {})
            _check_once(document, query, by_document, are_grades)
            if judged is not None:
                judged.check(query)
            by_document[document] = _as_number(fields[2], are_grades)
        except ValueError as error:
            raise ValueError(f"line {number} of {name}: {error}.") from None
    return by_query


_KEYS = "query-id", "corpus-id", "score"
_LISTED = ", ".join(map(repr, _KEYS))
_HEADER = "\t".join(_KEYS).encode()  # of BEIR's TSV


def _fields_of_json(line: bytes) -> list[Any]:
    """Return query, document, and grade or score, which weren't checked."""
    try:
        entry = json.loads(line)
    except ValueError as error:
        raise ValueError(
            f"it is not JSON ({error}). Read files of TREC by read_trec. A TSV file begins with "
            f"the header {_LISTED}, as those of BEIR do"
        ) from None
    if not isinstance(entry, dict) or not entry.keys() >= {*_KEYS}:
        raise ValueError(f"each line needs the keys {_LISTED}")
    return [entry[key] for key in _KEYS]


def _fields_of_tsv(line: bytes) -> list[Any]:
    """Return query, document and grade, which is a number; nothing of the header."""
    if line.strip() == _HEADER:
        return []
    (fields,) = csv.reader([line.decode(errors=_ESCAPED)], delimiter="\t")
    if len(fields) != len(_KEYS):
        raise ValueError(f"each line needs the columns {_LISTED}, but this one has {len(fields)}")
    query, document, grade = fields
    return [query, document, _parsed_number(grade.encode(errors=_ESCAPED), is_whole=False)]


def _checked_name(name: Any, what: str, role: str) -> str:
    """Check a name of a query or a document, which is `what`."""
    if not isinstance(name, str):
        raise TypeError(
            f"{role} has the {what} {shown(name)}, but names must be str, as in pytrec_eval."
        )
    return _escaped(name)


def _as_number(value: Any, is_whole: bool) -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool) and value == value
    if isinstance(value, int) and abs(value) >= 2**1024:
        raise ValueError(f"{shown(value)} is more than floats can hold")
    if not is_number or (is_whole and not float(value).is_integer()):
        raise ValueError(f"{shown(value)} is not {'an integer' if is_whole else 'a number'}")
    return float(value)


def _retrieved(
    grades: _ByQuery, scores: _ByQuery, min_grade: float, unjudged: str, precision: str
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
    document, grade, score = _rows_of_queries(scores, grades, query.size)
    _check_meeting(grades, scores, grade)
    del scores  # which nothing else refers to, and which takes more memory than the columns
    if precision == "single":
        score = _in_single_precision(score)
    order = _order_by_query(query, score, document)
    query, document, grade = query[order], document[order], grade[order]
    score = _untied(score[order], query)
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
        conditions=_unusual(unjudged=unjudged, precision=precision),
        n_judged=dict(zip(names.tolist(), n_judged.values(), strict=True)),
        min_grade=lowest,
    )


def _check_meeting(grades: _ByQuery, scores: _ByQuery, grade: Array) -> None:
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
                f"judgments: {shown(min(found))} is in the run, and {shown(min(judged))} in the "
                "judgments. Write ids in the same way in both."
            )


_USUAL = {"unjudged": "negative", "precision": "single", "overlap": 0.5, "area": "all"}


def _unusual(**options: Any) -> dict[str, Any]:
    """Return the options of a reader that aren't the default."""
    return {name: value for name, value in options.items() if value != _USUAL[name]}


def _count_grades(by_document: Mapping[str, float]) -> dict[int, int]:
    """Return how many documents were judged with which grade, from the lowest one up."""
    counts = Counter(by_document.values())
    return {int(grade): n for grade, n in sorted(counts.items()) if grade >= 0}


def _rows_of_queries(scores: _ByQuery, grades: _ByQuery, n_rows: int) -> tuple[Array, Array, Array]:
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


def _in_single_precision(score: Array) -> Array:
    with np.errstate(over="ignore"):
        single = score.astype(np.float32).astype(float)
    return np.asarray(np.clip(single, -_INFINITE, _INFINITE))


def _order_by_query(query: Array, score: Array, document: Array) -> Array:
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
        order[run] = sorted(order[run], key=lambda row: _as_bytes(document.item(row)), reverse=True)
    return order


_INFINITE = 2.0**128  # what is beyond single precision, which trec_eval ranks as infinite


_OF_QRELS = "query", "iteration", "document", "grade"
_OF_RUN = "query", "Q0", "document", "rank", "score", "run name"


def _read_lines(source: Source, role: str, judged: _JudgedQueries | None) -> _ByQuery:
    """Read lines of TREC, whose grades are whole numbers if `role` is "qrels".

    Whatever follows the name of the run is ignored, as in trec_eval. Without judged queries, any
    query may be there.
    """
    if not _is_source(source):
        raise TypeError(
            f"{role} must be a path or an open file. Got {shown(source)} instead. For dicts of "
            "dicts, call read_runs."
        )
    name, content = _source_name(source, role), _content(source, role)
    if content.startswith(_HEADER) or re.match(rb"\s*(\[\s*)?\{", content):
        return _read_entries(content, name, role == "qrels", judged)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if not content.endswith(b"\n"):
        content += b"\n"
    columns = _OF_QRELS if role == "qrels" else _OF_RUN
    plain: dict[str, dict[str, float]] = {}
    if all(_add_lines(plain, lines, columns, judged) for lines in _blocks_of_lines(content)):
        return plain
    fields_of = partial(_fields_of_trec, role=role, columns=columns)
    by_query = _by_query(content, name, fields_of, role == "qrels", judged)
    if not by_query:
        raise ValueError(f"{name} is empty, but {role} must have lines of {', '.join(columns)}.")
    return by_query


def _blocks_of_lines(content: bytes) -> Iterator[bytes]:
    """Yield whole lines of about 32 KB, whose fields stay in the cache of a core."""
    stop = 0
    while stop < len(content):
        start, stop = stop, content.find(b"\n", stop + 2**15) + 1 or len(content)
        yield content[start:stop]


def _fields_of_trec(line: bytes, role: str, columns: Sequence[str]) -> list[Any]:
    """Return query, document, and grade or score; nothing of a comment, as in trec_eval 10."""
    if line.startswith(b"#"):
        return []
    is_whole = columns is _OF_QRELS
    fields = line.split(maxsplit=-1 if is_whole else len(columns) - 1)
    if len(fields) != len(columns):
        layout = f"{role} must have lines of {', '.join(columns)}"
        raise ValueError(f"{layout}, but this one has {len(fields)} fields")
    number = _parsed_number(fields[3 if is_whole else 4], is_whole)
    return [_text(fields[0]), _text(fields[2]), number]


def _add_lines(
    by_query: dict[str, dict[str, float]],
    lines: bytes,
    columns: Sequence[str],
    judged: _JudgedQueries | None,
) -> bool:
    """Add the documents of lines to those of their queries, unless lines are unusual or wrong."""
    n_columns, is_whole = len(columns), columns is _OF_QRELS
    n_lines = lines.count(b"\n")
    fields = lines.replace(b"\n", b" \0 ").split()
    are_ends = fields[n_columns :: n_columns + 1] == [b"\0"] * n_lines
    if b"\n#" in b"\n" + lines or not are_ends or len(fields) != n_lines * (n_columns + 1):
        return False
    queries, documents, texts = (
        fields[columns.index(name) :: n_columns + 1]
        for name in ("query", "document", "grade" if is_whole else "score")
    )
    try:
        values = [*map(float, texts)]
    except ValueError:
        return False
    text = b" ".join(texts).lower()
    if b"nan" in text or b"_" in text:  # Python alone reads 1_0 as 10
        return False
    if is_whole and not all(map(float.is_integer, values)):
        return False
    names = _text(b" ".join(documents)).split(" ")
    n_rows = len(queries)
    changes = np.fromiter(map(ne, queries[1:], queries), bool, n_rows - 1)
    for start, stop in pairwise([0, *(np.flatnonzero(changes) + 1).tolist(), n_rows]):
        query = _text(queries[start])
        if judged is not None and query not in judged.names:
            return False
        by_document = by_query.setdefault(query, {})
        n_documents = len(by_document) + stop - start
        by_document.update(zip(names[start:stop], values[start:stop], strict=True))
        if len(by_document) < n_documents:
            return False
    return True


_ONE_JUDGMENT = "Keep one judgment of each document, such as the last one"
_BEST_CHUNK = (
    "If these are its chunks, keep the best score of each document, as in "
    "run.groupby(['query', 'document'], as_index=False)['score'].max() of pandas"
)


def _check_once(document: str, query: str, read_before: Collection[str], are_grades: bool) -> None:
    if document in read_before:
        advice = _ONE_JUDGMENT if are_grades else _BEST_CHUNK
        raise ValueError(f"the document {document!r} of query {query!r} is there twice. {advice}")


def _parsed_number(text: bytes, is_whole: bool) -> float:
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    # Python alone reads 1_0 as 10.
    if number != number or b"_" in text or (is_whole and not number.is_integer()):
        raise ValueError(f"{shown(_text(text))} is not {'an integer' if is_whole else 'a number'}")
    return number


def _is_source(value: Any) -> bool:
    """Whether this is a path or an open file."""
    return isinstance(value, str | PathLike) or hasattr(value, "read")


def _source_name(source: Source, role: str) -> str:
    """Return what errors call a file: its path, or without one the name of the parameter."""
    if isinstance(source, str | PathLike):
        return str(source)
    return str(getattr(source, "name", role))


def _content(source: Source, role: str) -> bytes:
    """Read and decompress a file, whose `role` is the parameter that it was passed as."""
    if isinstance(source, str) and ("\n" in source or source[:2] in ('{"', "[{")):
        raise ValueError(f"{role} must be a path, but got text. Pass it as io.StringIO({role}).")
    content = Path(source).read_bytes() if isinstance(source, str | PathLike) else source.read()
    if isinstance(content, str):
        content = content.encode(errors=_ESCAPED)
    try:
        content = decompressed(content)
        if role not in ("annotations", "detections"):  # whose JSON may have any encoding
            check_is_text(content)
    except ValueError as error:
        raise ValueError(f"{_source_name(source, role)} cannot be read: {error}") from None
    return content


def _text(name: bytes) -> str:
    return name.decode(errors=_ESCAPED)


def _as_bytes(name: str) -> bytes:
    return name.encode(errors=_ESCAPED)


def _escaped(name: str) -> str:
    """Write a name as it would be read from a file."""
    return _text(_as_bytes(name))


# --- COCO ----------------------------------------------------------------------------------------

# In pycocotools, 0.9 is 0.8999999999999999.
_OVERLAPS = {round(each, 2): each for each in np.linspace(0.5, 0.95, 10).tolist()}
_MEAN = "0.50:0.95"
_AREAS = {
    "all": (0.0, 1e10),
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}
# What COCO calls the fields of torchmetrics
_FIELDS = {"labels": "category_id", "scores": "score", "iscrowd": "iscrowd"}


@overload
def read_coco(
    annotations: Any, detections: Any = None, *, overlap: float | str = 0.5, area: str = "all"
) -> Retrieved: ...


@overload
def read_coco(
    annotations: Any, detections: Any = None, *, overlap: Sequence[float], area: str = "all"
) -> dict[float, Retrieved]: ...


@public()
def read_coco(
    annotations: Any,
    detections: Any = None,
    *,
    overlap: float | str | Sequence[float] = 0.5,
    area: str = "all",
) -> Retrieved | dict[float, Retrieved]:
    """Read detections, and match them with objects as COCO does.

    The classes are the groups of the table, and the images are its clusters. It leaves out whatever
    COCO ignores: crowds, objects and wrong detections outside the range of areas, all but the 100
    most confident detections of a class in an image, and classes without objects. Detections of
    equal confidence keep COCO's order, because each one after the first gets the next lower
    floating-point number.

    Parameters
    ----------
    annotations, detections : path, open file, or the parsed contents
        COCO's two JSON files, possibly compressed, or lists of dicts as torchmetrics takes them,
        the targets first, with boxes as x1, y1, x2, y2. Instead of both, you can pass a `COCOeval`
        of pycocotools or faster-coco-eval, which may also have masks, or match more detections per
        image.
    overlap : float, sequence of float or str, default=0.5
        The minimum overlap (IoU) of a correct detection with its object. A sequence gives a table
        for each overlap. "0.50:0.95" gives one table for COCO's mean over the overlaps 0.50, 0.55,
        ..., 0.95, with a group for each class at each overlap.
    area : {'all', 'small', 'medium', 'large'}, default='all'
        Which objects count, by their area. A `COCOeval` may have other ranges.

    Returns
    -------
    table : Retrieved, or dict from overlaps to Retrieved
        The table to pass as `data`.

    See Also
    --------
    read_trec : Read the files of a search engine.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> from sklearn_ap.readers import read_coco
    >>> place = {"image_id": 1, "category_id": 1}
    >>> annotations = {
    ...     "images": [{"id": 1}],
    ...     "categories": [{"id": 1, "name": "cat"}],
    ...     "annotations": [
    ...         {**place, "bbox": [0, 0, 10, 10], "area": 100},
    ...         {**place, "bbox": [50, 0, 10, 10], "area": 100},
    ...     ],
    ... }
    >>> detections = [
    ...     {**place, "bbox": [0, 0, 10, 9], "score": 0.9},
    ...     {**place, "bbox": [20, 0, 10, 10], "score": 0.8},
    ... ]
    >>> coco = read_coco(annotations, detections)
    >>> ap.mean_average_precision_score(data=coco, n_points=101)
    0.504950495...
    """
    is_mean = isinstance(overlap, str)
    if is_mean:
        overlaps = list(_OVERLAPS)
        is_valid = overlap == _MEAN
    else:
        overlaps = np.ravel(overlap).astype(float).tolist()
        is_valid = bool(overlaps) and all(0 < each <= 1 for each in overlaps)
    if not is_valid:
        raise ValueError(
            "overlap must be a number in the range (0, 1], several of these, or '0.50:0.95'. Got "
            f"{overlap!r} instead."
        )
    try:
        if hasattr(annotations, "evalImgs"):
            if annotations.params.iouType == "bbox":
                _columns_of("annotations", annotations.cocoGt.anns.values())
                _columns_of("detections", annotations.cocoDt.anns.values())
            matched = _matched_otherwise(annotations, overlaps, area)
        else:
            truth, boxes = _read_boxes(annotations, detections)
            matched = _matched_boxes(truth, boxes, overlaps, area)
    except KeyError as error:
        raise ValueError(f"An entry of annotations or detections has no {error}.") from None
    if not matched.objects:
        raise ValueError(f"annotations has no objects that count, with area={area!r}.")
    if is_mean:
        return _table_of(matched, range(len(overlaps)), overlaps, area)
    tables = {
        each: _table_of(matched, [place], [each], area) for place, each in enumerate(overlaps)
    }
    return tables if np.ndim(overlap) else tables[overlaps[0]]


def _read_boxes(ground_truth: Any, detections: Any) -> tuple[Mapping[str, Any], list[Any]]:
    """Return the contents of COCO's two files: the data set, and its list of detections."""
    if detections is None:
        raise TypeError("read_coco needs detections, unless annotations is a COCOeval.")
    truth = _parsed(ground_truth, "annotations")
    boxes = _parsed(detections, "detections")
    if isinstance(boxes, Mapping):
        advice = "Pass the annotations first."
        if "annotations" not in boxes:  # of several detectors
            advice = (
                "For several detectors, call read_coco for each, as in {name: "
                "read_coco(annotations, each) for name, each in detections.items()}."
            )
        raise ValueError(f"detections must be a list. {advice}")
    _check_dicts("detections", boxes)
    if isinstance(truth, Mapping):
        for name in ("images", "categories", "annotations"):
            _check_dicts(f"{name!r} of annotations", truth[name])
    else:
        _check_dicts("annotations", truth)
        truth, boxes = _from_arrays(truth, boxes)
    if not truth["annotations"]:
        raise ValueError("annotations has no objects.")
    ids = Counter(entry["id"] for entry in truth["annotations"] if "id" in entry)
    if ids and ids.most_common(1)[0][1] > 1:
        raise ValueError(
            f"{ids.most_common(1)[0][1]} annotations have the id {ids.most_common(1)[0][0]!r}, and "
            "pycocotools would mix them up. Number the annotations from 1."
        )
    _check_ids(truth, boxes)
    scores = [box["score"] for box in boxes]
    if not all(issubclass(kind, Real) for kind in {*map(type, scores)}):
        _refuse_score(next(score for score in scores if not isinstance(score, Real)))
    return truth, boxes


def _check_ids(truth: Mapping[str, Any], boxes: list[Any]) -> None:
    """Check that all ids are known. pycocotools would drop the others without a word."""
    for key, place in (("category_id", "categories"), ("image_id", "images")):
        ids = [entry["id"] for entry in truth[place]]
        example_of_type = {Real if isinstance(each, Real) else type(each): each for each in ids}
        if len(example_of_type) > 1 or not example_of_type.keys() <= {Real, str}:
            raise ValueError(
                f"The ids of {place} must be all integers or all strings. Got "
                f"{' and '.join(map(shown, example_of_type.values()))}."
            )
        for role, entries in (("annotations", truth["annotations"]), ("detections", boxes)):
            _check_among(ids, place, [entry[key] for entry in entries], key, role)


def _check_among(ids: list[Any], place: str, used: list[Any], key: str, role: str) -> None:
    """Check the ids that entries of this role have as their `key`, such as "image_id".

    They must be among `ids`, those of a `place` of the data set, such as "images".
    """
    known = {*ids}
    have_names = all(issubclass(kind, Real | str) for kind in {*map(type, used)})
    if have_names and known.issuperset(used):
        return
    unknown = [each for each in used if not (isinstance(each, Real | str) and each in known)]
    id_of_text = {str(each): each for each in ids}
    for each in unknown:
        if str(each) in id_of_text:
            raise ValueError(
                f"{role} have {key}={each!r}, but {place} have id={id_of_text[str(each)]!r}. "
                "Convert one of them, because ids of different types never match."
            )
    advice = f"Add them to {place}."
    if role == "detections":
        advice = read_toml("_words/messages.toml")["unknown_ids"][key]
    distinct = [*{repr(each): each for each in unknown}.values()]
    raise ValueError(
        f"The {key} of {role} must be among the ids of {place}, {shown(ids)}. Got "
        f"{shown(distinct)} in {len(unknown):,} of {len(used):,} {role}. {advice}"
    )


def _columns_of(role: str, entries: Collection[Mapping[str, Any]]) -> dict[str, Array]:
    """Return the numbers of entries, which are checked: a box of NaN would match every object."""
    columns = {"bbox": _floats([entry["bbox"] for entry in entries])}
    if role == "annotations":
        columns["area"] = _floats([entry["area"] for entry in entries])
        columns["iscrowd"] = _floats([entry.get("iscrowd", 0) for entry in entries])
    if all(map(_are_legal, columns, columns.values())):
        return columns
    for number, entry in enumerate(entries):
        for key in columns.keys() & entry.keys():
            if not _are_legal(key, _floats([entry[key]])):
                raise ValueError(
                    f"The {key} of {role}[{number}], in the image {entry['image_id']!r}, must be "
                    f"{_LEGAL[key]}. Got {shown(entry[key])} instead."
                )
    raise AssertionError(columns)


_LEGAL = {
    "bbox": "four finite numbers, x, y, width and height, both sides >= 0",
    "area": "a finite number >= 0",
    "iscrowd": "the number 0 or 1",
}


def _floats(values: list[Any]) -> Array:
    """Return numbers as floats, and whatever isn't a number as nan."""
    try:
        array = np.array(values)
        if array.dtype.kind in "biufO":  # objects are, for example, fractions, or None
            return array.astype(float)
    except (TypeError, ValueError, OverflowError):
        pass
    return np.full(len(values), np.nan)


def _are_legal(key: str, column: Array) -> bool:
    """Whether this column of `_columns_of` has only legal values."""
    if not column.size:
        return True
    if key == "iscrowd":
        return bool(column.ndim == 1 and np.isin(column, (0, 1)).all())
    if key == "area":
        return bool(column.ndim == 1 and ((column >= 0) & (column < inf)).all())
    if column.shape[1:] != (4,):
        return False
    sides = column[:, 2:]
    with np.errstate(over="ignore"):
        reach = np.prod(np.abs(column[:, :2]) + sides, axis=1)
    return bool((sides >= 0).all() and np.isfinite(reach).all())


def _refuse_score(score: Any) -> NoReturn:
    raise ValueError(
        f"The score of a detection must be a finite number. Got {shown(score)} instead."
    )


def _parsed(contents: Any, role: str) -> Any:
    """Return the contents of a JSON file, unless it was parsed already."""
    if not _is_source(contents):
        return contents
    try:
        return json.loads(_content(contents, role))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{_source_name(contents, role)} is not JSON: {error}.") from None


def _check_dicts(name: str, entries: Any) -> None:
    is_list = isinstance(entries, Collection) and not isinstance(entries, Mapping)
    if not is_list or not all(issubclass(kind, Mapping) for kind in set(map(type, entries))):
        raise TypeError(f"{name} must be a list of dicts. Got {shown(entries)} instead.")


def _from_arrays(targets: Any, preds: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Convert the lists of torchmetrics to what COCO's files contain.

    Both lists have one dict of arrays for each image, which gets its place in the lists as its id.
    """
    if len(targets) != len(preds):
        raise ValueError(f"There are targets of {len(targets)} images, but preds of {len(preds)}.")
    objects: list[dict[str, Any]] = []
    boxes: list[dict[str, Any]] = []
    for image, target in enumerate(targets):
        objects += _coco_boxes("targets", target, image)
    for image, pred in enumerate(preds):
        boxes += _coco_boxes("preds", pred, image)
    images = [{"id": image} for image in range(len(targets))]
    categories = [{"id": each} for each in {row["category_id"] for row in objects + boxes}]
    return {"images": images, "categories": categories, "annotations": objects}, boxes


def _coco_boxes(role: str, fields: Mapping[str, Any], image: int) -> list[dict[str, Any]]:
    """Return the boxes of an image as COCO has them, one dict each.

    `fields` are the arrays of torchmetrics, whose boxes are x1, y1, x2, y2. Those of COCO are x, y,
    width, height.
    """
    if "difficult" in fields:
        raise ValueError(
            f"{role}[{image}] has 'difficult', but COCO's matching knows no difficult objects. "
            "Leave it out to count them like others. For PASCAL VOC, pass a table of your own "
            "detections, in which those of difficult objects have the weight 0, and count only the "
            "other objects in n_positives."
        )
    arrays = {name: np.asarray(to_host(array)) for name, array in fields.items()}
    corners = np.atleast_2d(arrays["boxes"]) if arrays["boxes"].size else np.zeros((0, 4))
    wrong = arrays["boxes"]
    if corners.shape[1:] == (4,) and corners.dtype.kind in "iuf":
        if corners.dtype.kind != "f":
            corners = corners.astype(float)  # differences of unsigned integers would wrap around
        with np.errstate(over="ignore", invalid="ignore"):
            sizes = (corners[:, 2:] - corners[:, :2]).astype(float)  # width and height
        is_finite = np.isfinite(np.hstack([corners, sizes])).all(axis=1)
        wrong = corners[~is_finite | (sizes < 0).any(axis=1)]
    if wrong.size:
        raise ValueError(
            f"The boxes of {role}[{image}] must each be four finite numbers, x1, y1, x2 and y2, "
            f"with x1 <= x2 and y1 <= y2. Got {shown(wrong.tolist())} instead."
        )
    columns = {coco: arrays[name].tolist() for name, coco in _FIELDS.items() if name in arrays}
    columns["bbox"] = np.hstack([corners[:, :2], sizes]).tolist()
    area = np.asarray(arrays.get("area", 0))  # of the mask, or else of the box
    columns["area"] = np.where(area > 0, area, sizes.prod(axis=1)).tolist()
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise ValueError(
            f"{role}[{image}] must have as many labels and scores as boxes, {len(corners)}. Got "
            f"{shown({name: len(array) for name, array in arrays.items()})}."
        )
    return [
        dict(zip(columns, row, strict=True), image_id=image)
        for row in zip(*columns.values(), strict=True)
    ]


_Entries = Collection[Mapping[str, Any]]  # annotations or detections


class _Asked(NamedTuple):
    """What is matched, as the params of a COCOeval say."""

    images: Sequence[Any]  # the ids
    categories: Sequence[Any]  # the ids
    names: Mapping[Any, Any]  # of categories, by their ids
    overlaps: Sequence[float]
    area: tuple[float, float]
    most: int = 100  # detections of a class in an image, of which COCO ignores all others
    has_keypoints: bool = False

    def cells_of(self, entries: _Entries) -> Array:
        """Return the number of the cell of each entry: its category in its image."""
        number_of_image = {each: number for number, each in enumerate(self.images)}
        number_of_category = {each: number for number, each in enumerate(self.categories)}
        image = [number_of_image[entry["image_id"]] for entry in entries]
        category = [number_of_category[entry["category_id"]] for entry in entries]
        first = np.array(category, dtype=np.intp) * len(self.images)
        return first + np.array(image, dtype=np.intp)

    def numbers_of(self, cell: Array) -> tuple[Array, Array]:
        """Return the number of the category and of the image of each cell."""
        return np.divmod(cell, max(len(self.images), 1))

    def ids_of(self, cell: Array) -> list[tuple[Any, Any]]:
        """Return the ids of the category and of the image of each cell."""
        category, image = (number.tolist() for number in self.numbers_of(cell))
        pairs = zip(category, image, strict=True)
        return [(self.categories[category], self.images[image]) for category, image in pairs]

    def are_outside(self, area: Array) -> Array:
        """Whether areas are outside the range of those that count."""
        return np.asarray((area < self.area[0]) | (area > self.area[1]))


class _Matched(NamedTuple):
    """Detections without ties within their category, and the objects that count."""

    asked: _Asked
    category: Array  # of shape (n_detections,): the number of the category
    image: Array  # of shape (n_detections,): the id of the image
    score: Array  # of shape (n_detections,)
    is_hit: Array  # of shape (n_overlaps, n_detections)
    is_ignored: Array  # of shape (n_overlaps, n_detections)
    objects: Mapping[tuple[Any, Any], int]  # how many there are, by category and image; never 0


def _matched_boxes(
    truth: Mapping[str, Any], boxes: list[Any], overlaps: list[float], area: str
) -> _Matched:
    """Match the boxes of files."""
    of_objects = _columns_of("annotations", truth["annotations"])
    box = _columns_of("detections", boxes)["bbox"].reshape(-1, 4)
    names = {entry["id"]: entry.get("name", entry["id"]) for entry in truth["categories"]}
    asked = _Asked(
        images=sorted({entry["id"] for entry in truth["images"]}),
        categories=sorted(names),
        names=names,
        overlaps=[_OVERLAPS.get(round(each, 9), each) for each in overlaps],
        area=[*_AREAS.values()][_place_of("area", area, _AREAS)],
    )

    def overlaps_of(cell: Array, detection: Array, thing: Array) -> Array:
        is_crowd = of_objects["iscrowd"][thing] == 1
        return overlaps_of_boxes(box[detection], of_objects["bbox"][thing], is_crowd)

    return _matched(asked, truth["annotations"], boxes, box[:, 2] * box[:, 3], overlaps_of)


def _matched_otherwise(evaluation: Any, overlaps: list[float], area: str) -> _Matched:
    """Match what a COCOeval has, by the overlaps that it has computed, which may be of masks."""
    if not evaluation.ious:
        evaluation = deepcopy(evaluation)
        with redirect_stdout(StringIO()):  # it prints a lot
            evaluation.evaluate()
    # Without categories, accumulate() replaces those of the other params.
    params, coco = evaluation._paramsEval, evaluation.cocoGt
    asked = _Asked(
        images=[*params.imgIds],
        categories=[*params.catIds] if params.useCats else [-1],
        names={each: entry.get("name", each) for each, entry in coco.cats.items()},
        overlaps=[params.iouThrs[_place_of("overlap", each, params.iouThrs)] for each in overlaps],
        area=params.areaRng[_place_of("area", area, params.areaRngLbl)],
        most=max(params.maxDets),
        has_keypoints="keypoints" in params.iouType,
    )

    def overlaps_of(cell: Array, detection: Array, thing: Array) -> Array:
        cells = asked.ids_of(cell[is_first(cell)])
        ious = [evaluation.ious.get((image, category), ()) for category, image in cells]
        overlap = np.concatenate([np.zeros(0), *map(np.ravel, ious)])
        if overlap.size != cell.size:
            raise ValueError(
                "annotations has the overlaps of other detections than those of its cocoDt and "
                "params. Call its evaluate() again, and then read_coco."
            )
        return overlap

    objects, found = _entries_of(coco, params), _entries_of(evaluation.cocoDt, params)
    areas = np.array([entry["area"] for entry in found], dtype=float)
    return _matched(asked, objects, found, areas, overlaps_of)


def _entries_of(coco: Any, params: Any) -> list[dict[str, Any]]:
    """Return the objects or detections that a COCOeval has evaluated, in its order."""
    images = {*params.imgIds}
    of_category: dict[Any, list[dict[str, Any]]] = {each: [] for each in params.catIds}
    for entry in coco.anns.values():
        if entry["image_id"] in images and entry["category_id"] in of_category:
            of_category[entry["category_id"]].append(entry)
    entries = [*chain.from_iterable(of_category.values())]
    return entries if params.useCats else [{**entry, "category_id": -1} for entry in entries]


def _matched(
    asked: _Asked,
    objects: _Entries,
    found: _Entries,
    area_of_found: Array,
    overlaps_of: Callable[[Array, Array, Array], Array],
) -> _Matched:
    """Match detections with objects.

    `overlaps_of` gets the cell, the detection and the object of each pair, which are ordered by
    cell, and in it by the rank of the detection.
    """
    there = _objects_in_cells(asked, objects)
    cell = asked.cells_of(found)
    score = np.array([entry["score"] for entry in found], dtype=float)
    order, rank = by_confidence(cell, score, asked.most)
    cell, score = cell[order], score[order]
    matched = np.zeros((len(asked.overlaps), rank.size), dtype=np.intp)
    for part in parts_of(cell, there.cell):
        detection, thing = pairs = pairs_of(cell[part], there.cell)
        overlap = overlaps_of(cell[part][detection], order[part][detection], there.place[thing])
        found_at = match(
            pairs, overlap, rank[part], there.is_crowd, there.is_ignored, asked.overlaps
        )
        matched[:, part] = found_at
    # -1, which is no object, takes what is appended.
    is_hit = np.append(there.has_id, False)[matched]
    is_outside = asked.are_outside(area_of_found[order])

    category, image = asked.numbers_of(cell)
    by_score = np.lexsort((-score, category))
    score[by_score] = _untied(score[by_score], category[by_score])
    counting, n_objects = np.unique(there.cell[~there.is_ignored], return_counts=True)
    return _Matched(
        asked,
        category=category,
        image=np.array(asked.images)[image],
        score=score,
        is_hit=is_hit,
        is_ignored=np.append(there.is_ignored, False)[matched] | (~is_hit & is_outside),
        objects=dict(zip(asked.ids_of(counting), n_objects.tolist(), strict=True)),
    )


class _Objects(NamedTuple):
    """Objects, ordered by their cells."""

    place: Array  # in the list of annotations
    cell: Array
    is_crowd: Array
    is_ignored: Array
    has_id: Array


def _objects_in_cells(asked: _Asked, entries: _Entries) -> _Objects:
    cell = asked.cells_of(entries)
    place = np.argsort(cell, kind="stable")
    is_crowd = np.array([entry.get("iscrowd", 0) for entry in entries], dtype=bool)
    is_ignored = is_crowd | asked.are_outside(np.array([entry["area"] for entry in entries]))
    if asked.has_keypoints:
        is_ignored |= [not entry.get("num_keypoints") for entry in entries]
    has_id = np.array([entry.get("id", 1) != 0 for entry in entries], dtype=bool)
    if not has_id.all():
        warn(
            "An object has the id 0, which means to pycocotools that a detection has no object, so "
            "the detection of this object counts as wrong. Number the annotations from 1."
        )
    return _Objects(place, cell[place], is_crowd[place], is_ignored[place], has_id[place])


def _place_of(name: str, value: Any, matched: Any) -> int:
    """Return the place of an area or an overlap, by `name`, in those that a COCOeval has."""
    for place, each in enumerate(matched):
        if each == value or (name == "overlap" and abs(each - value) < 1e-9):
            return place
    raise ValueError(f"{name}={value!r} isn't among those that were matched: {list(matched)}.")


def _untied(scores: Array, group: Array) -> Array:
    """Break ties in each group by the order of rows, which go from the highest score down.

    Each of equal scores but the first becomes the next lower number, and lower scores which that
    reaches make way for it.
    """
    if not np.isfinite(scores).all():
        _refuse_score(float(scores[np.argmin(np.isfinite(scores))]))
    # Floats that are next to each other become integers that are, and -0.0 becomes 0. If each row
    # is counted besides, lowering by one each row is a running minimum.
    number = (scores + 0.0).view(np.int64)
    number = np.where(number < 0, _LEAST - number, number)
    place = np.arange(scores.size)
    number += place
    start = np.flatnonzero(is_first(group))
    for first, stop in pairwise([*start.tolist(), scores.size]):
        np.minimum.accumulate(number[first:stop], out=number[first:stop])
    number -= place
    return np.where(number < 0, _LEAST - number, number).view(float)


_LEAST = np.iinfo(np.int64).min


def _table_of(
    matched: _Matched, places: Sequence[int], overlaps: Sequence[float], area: str
) -> Retrieved:
    """Return the table of the overlaps at these places of the first axis of `matched.is_hit`.

    The groups are the categories that have objects. With several overlaps, each category is a group
    at each of them.
    """
    categories = sorted({category for category, _ in matched.objects})
    numbers = [matched.asked.categories.index(category) for category in categories]
    names = [matched.asked.names.get(category, category) for category in categories]
    if len(set(names)) < len(names):
        names = categories
    groups_at = [names]  # of shape (n_overlaps, n_categories)
    if len(overlaps) > 1:
        groups_at = [[f"{name} at {overlap:.2f}" for name in names] for overlap in overlaps]

    # The table has a row for each detection at each overlap, unless it is ignored there.
    is_kept = ~matched.is_ignored[places] & np.isin(matched.category, numbers)
    at_overlap, detection = np.nonzero(is_kept)
    category = np.searchsorted(numbers, matched.category)[detection]

    # Each image is a cluster, also without objects: then it has a count of 0 in the first group.
    n_per_cluster = dict.fromkeys(((groups_at[0][0], image) for image in matched.asked.images), 0)
    for groups in groups_at:
        group_of = dict(zip(categories, groups, strict=True))
        for (of_category, image), n_objects in matched.objects.items():
            n_per_cluster[group_of[of_category], image] = n_objects
    n_objects_of = Counter[Any]()
    for (of_category, _), n_objects in matched.objects.items():
        n_objects_of[of_category] += n_objects
    n_positives = {
        group: n_objects_of[of_category]
        for groups in groups_at
        for of_category, group in zip(categories, groups, strict=True)
    }

    groups_name = "class" if len(overlaps) == 1 else "class at an overlap"
    columns = {
        "correct": matched.is_hit[places][is_kept],
        "confidence": matched.score[detection],
        groups_name: np.array(groups_at, dtype=object)[at_overlap, category],
        "image": matched.image[detection],
        "category": np.array(names, dtype=object)[category],
        "overlap": np.asarray(overlaps)[at_overlap],
    }
    roles = {
        "y_true": "correct",
        "y_score": "confidence",
        "groups": groups_name,
        "clusters": "image",
    }
    conditions = _unusual(overlap=overlaps[0] if len(overlaps) == 1 else _MEAN, area=area)
    return Retrieved(columns, roles, n_positives, n_per_cluster, conditions)
