"""Readers for the files of other tools, whose tables know what their columns are."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from copy import deepcopy
from dataclasses import dataclass, replace
from io import BytesIO, StringIO
from itertools import chain
from math import inf, isfinite, nextafter
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn, overload

import numpy as np

from ._enter.entry import public
from ._enter.metric import Metric, check_no_function
from ._read.files import check_is_text, decompressed, line_of
from ._words.arrays import to_host
from ._words.errors import InvalidParameterError
from ._words.inputs import OwnLabels
from ._words.messages import count_of, warn
from ._words.parameters import shown
from .core.within import Array
from .metrics import metric_of

__all__ = ["Retrieved", "answered", "read_coco", "read_runs", "read_trec"]

Source = str | PathLike[str] | IO[Any]
Nested = Source | Mapping[str, Mapping[str, float]]

_ESCAPED = "surrogateescape"  # which keeps names that aren't UTF-8


class _Bounds(NamedTuple):
    """The lowest and the highest possible value."""

    low: float
    high: float
    estimate: float  # the midpoint
    exact: bool  # whether both bounds are equal

    def __repr__(self) -> str:
        low, high, estimate = (float(f"{value:.6g}") for value in self[:3])
        return f"Bounds(low={low}, high={high}, estimate={estimate}, exact={self.exact})"


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
    overlaps : tuple of float
        The overlaps (IoU) at which detections were matched with objects. Metrics whose name could
        mean an overlap, such as `AP@0.5` and `AP@50`, are then refused.
    n_judged : dict or None
        From `read_trec` and `read_runs`: how many documents of each query were judged with which
        grade, retrieved or not.
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
    overlaps: tuple[float, ...] = ()
    n_judged: Mapping[Any, Mapping[int, int]] | None = None
    min_grade: float = 1

    def known_arguments(self, by_cluster: bool) -> dict[str, Any]:
        """Return the arguments that functions of sklearn_ap take from this table."""
        exist = self.n_per_cluster if by_cluster else None
        known: dict[str, Any] = {
            **self.roles,
            "n_positives": self.n_positives if exist is None else exist,
        }
        if self.n_judged is not None:
            labels = OwnLabels(known["y_true"])
            labels.grades, labels.min_grade = "grade", self.min_grade
            known |= {"y_true": labels, "n_positives": self.n_judged}
        return known

    def judged_at(self, k: int) -> float:
        """Return the fraction of the top k documents of all queries that were judged."""
        if isinstance(k, bool) or not isinstance(k, Integral) or k < 1:
            raise InvalidParameterError(
                "The 'k' parameter of judged_at must be an int in the range [1, inf), the number "
                f"of documents. Got {shown(k)} instead."
            )
        judged = self._judged()[self.columns["rank"] <= k]
        if not judged.size:
            raise ValueError("The table has no rows, so it has no top documents to be judged.")
        return float(np.mean(judged))

    @public(metric="metric")
    def bounds(self, metric: str | Metric = "average_precision", **options: Any) -> _Bounds:
        """Compute how low and how high a metric is, whichever unjudged documents are relevant.

        If an unjudged document is relevant, one more relevant document exists, so the value can
        rise or fall. For any number of relevant ones among the unjudged documents of a query, the
        value is highest if they are the first of these, and lowest if they are the last. All
        numbers are tried, so this takes two evaluations for each unjudged document of a query, or
        of its top k if the metric has a cutoff. Documents that were neither judged nor retrieved
        aren't taken into account.

        Parameters
        ----------
        metric : str or Metric, default="average_precision"
            The name of a metric, or an object made by :func:`~sklearn_ap.metric`. The bounds are
            those of its mean over queries, where a query without relevant documents counts 0.
        **options
            Other parameters of the metric, such as `k`.

        Returns
        -------
        bounds : named tuple
            `low` and `high`, their midpoint `estimate`, and `exact`, which tells whether both are
            equal.
        """
        one = metric_of(metric, options, "bounds", "metric")
        check_no_function("bounds", one)
        if one.of_data or getattr(one.rule, "denominator", "") == "hits":
            raise ValueError(
                f"{one.name!r} has no such bounds: leave out options about the data, and choose "
                "another denominator than 'hits', with which a hit can lower the value."
            )
        numbers = {name: number for number, name in enumerate(self.n_positives)}
        names = self.columns[self.roles["groups"]].tolist()
        group = np.array([numbers[name] for name in names], dtype=int)
        exist = np.array([*self.n_positives.values()])
        relevant, score = (self.columns[self.roles[role]] for role in ("y_true", "y_score"))
        # The unjudged documents of each query, in its order
        rows = np.flatnonzero(~self._judged())
        rows = rows[np.lexsort((self.columns["rank"][rows], group[rows]))]
        own = group[rows]
        counts = np.bincount(own, minlength=exist.size)
        ahead, behind = np.full((2, len(self)), len(self))
        ahead[rows] = np.arange(rows.size) - np.searchsorted(own, own)
        behind[rows] = counts[own] - 1 - ahead[rows]
        # With the same top k, a value is lowest if all unjudged documents below are relevant.
        k = np.bincount(group, minlength=exist.size)
        k = k if one.rule.depth is None else one.rule.depth.of(k)
        near = np.bincount(own[self.columns["rank"][rows] <= k[own]], minlength=exist.size)
        far = counts - near
        high = np.full(exist.size, -np.inf)
        low = -high
        for m in range(near.max() + 1):
            held, queries = np.flatnonzero((near >= m)[group]), np.flatnonzero(near >= m)
            for end, best, place, more in (
                (high, np.maximum, ahead, np.full(exist.size, m)),
                (low, np.minimum, behind, far + m),
            ):
                exists = zip(queries.tolist(), (exist + more)[queries].tolist(), strict=True)
                tried = one(
                    relevant[held] | (place[held] < more[group[held]]),
                    score[held],
                    groups=group[held],
                    n_positives=dict(exists),
                    average=None,
                    zero_division=0.0,
                )
                end[queries] = best(end[queries], tried)
        ends = float(np.mean(low)), float(np.mean(high))
        return _Bounds(*ends, sum(ends) / 2, ends[0] == ends[1])

    def _judged(self) -> Array:
        if "judged" not in self.columns:
            raise TypeError("Only a table of read_trec knows which of its rows were judged.")
        return self.columns["judged"]

    def __len__(self) -> int:
        return len(self.columns[self.roles["y_true"]])

    def __repr__(self) -> str:
        groups = f"{count_of(len(self.n_positives), 'groups')} ({self.roles['groups']})"
        parts = [groups, count_of(len(self), "rows")]
        if "judged" in self.columns and len(self):
            parts.append(f"{np.mean(self.columns['judged']):.1%} judged")
        return f"<Retrieved: {', '.join(parts)}>"


@overload
def answered(tables: Retrieved) -> Retrieved: ...


@overload
def answered(tables: Mapping[Any, Retrieved]) -> dict[Any, Retrieved]: ...


@public()
def answered(tables: Any) -> Retrieved | dict[Any, Retrieved]:
    """Keep the queries for which all engines have returned something.

    Otherwise, a query for which an engine has returned nothing counts as 0, as in ``trec_eval -c``.
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
        The rows of these queries, and how many of their documents are relevant or were judged.

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
    kept: set[Any] | None = None
    for table in tables.values():
        own = set(table.columns[table.roles["groups"]].tolist())
        kept = own if kept is None else kept & own
    if not kept:
        raise ValueError("There is no query for which all tables have rows.")
    return {model: _rows_of_groups(table, kept) for model, table in tables.items()}


def _rows_of_groups(table: Retrieved, kept: Collection[Any]) -> Retrieved:
    """Return the rows of some groups, and what is counted of them."""
    groups = table.columns[table.roles["groups"]].tolist()
    rows = np.array([group in kept for group in groups], dtype=bool)
    pairs, judged = table.n_per_cluster, table.n_judged
    return replace(
        table,
        columns={name: column[rows] for name, column in table.columns.items()},
        n_positives={group: n for group, n in table.n_positives.items() if group in kept},
        n_per_cluster=pairs and {pair: n for pair, n in pairs.items() if pair[0] in kept},
        n_judged=judged and {group: own for group, own in judged.items() if group in kept},
    )


# --- TREC -----------------------------------------------------------------------------------------


@overload
def read_trec(
    qrels: Source,
    runs: Source,
    *,
    min_grade: float = 1,
    unjudged: str = "negative",
    unjudged_queries: str = "raise",
    precision: str = "single",
) -> Retrieved: ...


@overload
def read_trec(
    qrels: Source,
    runs: Mapping[str, Source],
    *,
    min_grade: float = 1,
    unjudged: str = "negative",
    unjudged_queries: str = "raise",
    precision: str = "single",
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

    All metrics of the table have the values of ``trec_eval -c``, whose means are over all queries
    with judgments: a query for which nothing was retrieved counts 0. Without ``-c``, and in
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
        ranked by score, whatever their rank says. As in trec_eval, of documents with the same
        score, the last one in the order of names is ranked first.
    min_grade : int or float, default=1
        The lowest grade of relevant documents. A document with a negative grade counts as not
        judged.
    unjudged : {'negative', 'drop'}, default='negative'
        Whether documents that nobody judged are not relevant, or left out, as by ``trec_eval -J``.
    unjudged_queries : {'raise', 'drop'}, default='raise'
        Whether a query of the run that has no judgments is an error, or left out, as by trec_eval.
    precision : {'single', 'double'}, default='single'
        How scores are read: in single precision, in which close ones are tied, as by trec_eval 9
        and pytrec_eval, or in double precision, as by trec_eval 10.

    Returns
    -------
    table : Retrieved or dict of str to Retrieved
        A table, or one for each engine. Its columns are "query", "document", "grade" (nan if there
        is none), "judged", "relevant", "rank" and "score". Scores that were tied differ in their
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


def _read_tables(
    read: Callable[..., dict[bytes, dict[bytes, float]]],
    qrels: Any,
    runs: Any,
    min_grade: float,
    unjudged: str,
    unjudged_queries: str,
    precision: str = "single",
) -> Retrieved | dict[str, Retrieved]:
    """Read judgments, and make the table of a run, or one for each engine of a mapping."""
    grades = read(qrels, "qrels")
    judged = None if unjudged_queries == "drop" else grades
    name = _source_name(qrels, "qrels")

    def table(run: Any, role: str) -> Retrieved:
        return _retrieved(grades, read(run, role, judged, name), min_grade, unjudged, precision)

    if not _are_several_runs(runs):
        return table(runs, "runs")
    return {model: table(run, f"runs[{model!r}]") for model, run in runs.items()}


@overload
def read_runs(
    qrels: Nested,
    runs: Nested,
    *,
    min_grade: float = 1,
    unjudged: str = "negative",
    unjudged_queries: str = "raise",
) -> Retrieved: ...


@overload
def read_runs(
    qrels: Nested,
    runs: Mapping[str, Nested],
    *,
    min_grade: float = 1,
    unjudged: str = "negative",
    unjudged_queries: str = "raise",
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
    """Read judgments and runs as pytrec_eval, BEIR, MTEB and ranx have them.

    They are dicts from queries to dicts from documents to grades or scores, files with one JSON
    object per line, or BEIR's TSV files of judgments. Values are those of pytrec_eval, except for
    queries for which nothing was retrieved, which count 0 here and are left out there.

    Parameters
    ----------
    qrels : dict of dicts, path or file
        The judgments, as ``{"q1": {"d1": 1, "d2": 0}}``, or JSON lines with the keys "query-id",
        "corpus-id" and "score", or a TSV file with these three columns and a header. Files can be
        compressed by gzip, bzip2 or xz.
    runs : dict of dicts, path or file, or a mapping of these
        What the engine retrieved, in the same form. To read several engines, pass a mapping from
        their names to their runs. Scores are read in single precision, and ties are in the order
        of :func:`read_trec`.
    min_grade : int or float, default=1
        The lowest grade of relevant documents. A document with a negative grade counts as not
        judged.
    unjudged : {'negative', 'drop'}, default='negative'
        Whether documents that nobody judged are not relevant, or left out.
    unjudged_queries : {'raise', 'drop'}, default='raise'
        Whether a query of a run that has no judgments is an error, or left out.

    Returns
    -------
    table : Retrieved or dict of str to Retrieved
        A table with the columns that :func:`read_trec` describes, or one for each engine.

    See Also
    --------
    read_trec : Read the files of TREC.
    sklearn_ap.compare_values : Compare engines by values that pytrec_eval has computed.

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
    own = runs.values() if isinstance(runs, Mapping) else ()
    return any(
        _is_source(run)
        or (isinstance(run, Mapping) and any(isinstance(each, Mapping) for each in run.values()))
        for run in own
    )


def _read_nested(
    given: Any, role: str, judged: Collection[bytes] | None = None, judged_in: str = ""
) -> dict[bytes, dict[bytes, float]]:
    """Return the grade or the score of each document, by query; see `_read_lines`."""
    if _is_source(given):
        content, name = _content(given, role), _source_name(given, role)
        return _read_entries(content, name, role == "qrels", judged, judged_in)
    if not isinstance(given, Mapping) or not all(isinstance(v, Mapping) for v in given.values()):
        raise TypeError(
            f"{role} must be a dict of dicts, such as {{'q1': {{'d1': 1}}}}, or the path of JSON "
            f"lines or BEIR's TSV. Got {shown(given)} instead."
        )
    if not given:
        raise ValueError(f"{role} is empty, but must have a dict for each query.")
    found: dict[bytes, dict[bytes, float]] = {}
    for query, documents in given.items():
        own = found[_bytes(query, "query", role)] = {}
        try:
            _check_query_is_judged(_bytes(query, "query", role), judged, judged_in)
            for document, value in documents.items():
                own[_bytes(document, "document", role)] = _as_number(value, role == "qrels")
        except ValueError as error:
            raise ValueError(f"{role}, query {query!r}: {error}.") from None
    return found


def _read_entries(
    content: bytes, name: str, are_grades: bool, judged: Collection[bytes] | None, judged_in: str
) -> dict[bytes, dict[bytes, float]]:
    """Read JSON lines, or TSV with the header of BEIR; see `_read_lines`."""
    found: dict[bytes, dict[bytes, float]] = {}
    fields_of = _fields_of_json
    for number, line in enumerate(BytesIO(content), 1):
        if not line.strip():
            continue
        if not found and line.strip() == _HEADER:
            fields_of = _fields_of_tsv
            continue
        try:
            *names, value = fields_of(line)
            query, document = (str(each).encode(errors=_ESCAPED) for each in names)
            own = found.setdefault(query, {})
            _check_once(document, query, own)
            _check_query_is_judged(query, judged, judged_in)
            own[document] = _as_number(value, are_grades)
        except ValueError as error:
            raise ValueError(f"{line_of(name, number)}: {error}.") from None
    if not found:
        raise ValueError(f"{name} is empty, but must have JSON lines with the keys {_LISTED}.")
    return found


_KEYS = "query-id", "corpus-id", "score"
_LISTED = ", ".join(map(repr, _KEYS))
_HEADER = "\t".join(_KEYS).encode()  # of BEIR's TSV


def _fields_of_json(line: bytes) -> list[Any]:
    try:
        entry = json.loads(line)
    except ValueError as error:
        raise ValueError(
            f"it is not JSON ({error}). Read files of TREC by read_trec. A TSV file begins with "
            f"the header {_LISTED}, as those of BEIR do"
        ) from None
    if not isinstance(entry, dict) or not entry.keys() >= {*_KEYS}:
        raise ValueError(
            f"each line needs the keys {_LISTED}. To read a dict of dicts, call json.load"
        )
    return [entry[key] for key in _KEYS]


def _fields_of_tsv(line: bytes) -> list[Any]:
    (fields,) = csv.reader([line.decode(errors=_ESCAPED)], delimiter="\t")
    if len(fields) != len(_KEYS):
        raise ValueError(f"each line needs the columns {_LISTED}, but this one has {len(fields)}")
    return [*fields[:2], _parsed_number(fields[2].encode(errors=_ESCAPED), is_whole=False)]


def _bytes(name: Any, what: str, role: str) -> bytes:
    """Encode a name, because trec_eval compares names as bytes."""
    if not isinstance(name, str):
        raise TypeError(
            f"{role} has the {what} {shown(name)}, but names must be str, as in pytrec_eval."
        )
    return name.encode(errors=_ESCAPED)


def _as_number(value: Any, is_whole: bool) -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool) and value == value
    if not is_number or (is_whole and not float(value).is_integer()):
        raise ValueError(f"{shown(value)} is not {'an integer' if is_whole else 'a number'}")
    return float(value)


def _retrieved(
    grades: Mapping[bytes, Mapping[bytes, float]],
    scores: Mapping[bytes, Mapping[bytes, float]],
    min_grade: float,
    unjudged: str,
    precision: str,
) -> Retrieved:
    """Make the table of a run, in the order of ranks."""
    lowest = float(max(min_grade, 0))
    counts = {query: Counter(map(int, own.values())) for query, own in grades.items()}
    judged = {
        query: {grade: n for grade, n in sorted(own.items()) if grade >= 0}
        for query, own in counts.items()
    }
    exist = {
        query: sum(n for grade, n in own.items() if grade >= lowest)
        for query, own in judged.items()
    }
    numbers = {query: number for number, query in enumerate(exist)}
    code = np.repeat([numbers.get(query, -1) for query in scores], [*map(len, scores.values())])
    documents, grade, score = _rows_of_queries(scores, grades, code.size)
    del scores  # which takes more memory than the columns
    if precision == "single":
        with np.errstate(over="ignore"):
            score = np.clip(score.astype(np.float32).astype(float), -_INFINITE, _INFINITE)
    order = _order_by_query(code, score, documents)
    code, documents, grade = code[order], documents[order], grade[order]
    score, rank = (
        _untied(score[order], code),
        1 + np.arange(code.size) - np.searchsorted(code, code),
    )
    rows = (code >= 0) & ((unjudged == "negative") | (grade >= 0))
    if not rows.all():
        code, documents, grade, score, rank = (
            column[rows] for column in (code, documents, grade, score, rank)
        )
    names = np.array([_text(query) for query in exist], dtype=object)
    columns = {
        "query": names[code],
        "document": np.fromiter(map(_text, documents), object, code.size),
        "grade": grade,
        "judged": grade >= 0,
        "relevant": grade >= lowest,
        "rank": rank,
        "score": score,
    }
    return Retrieved(
        columns,
        {"y_true": "relevant", "y_score": "score", "groups": "query", "ids": "document"},
        dict(zip(names.tolist(), exist.values(), strict=True)),
        n_judged=dict(zip(names.tolist(), judged.values(), strict=True)),
        min_grade=min_grade.item() if isinstance(min_grade, np.generic) else max(min_grade, 0),
    )


def _rows_of_queries(
    scores: Mapping[bytes, Mapping[bytes, float]],
    grades: Mapping[bytes, Mapping[bytes, float]],
    n_rows: int,
) -> tuple[Array, Array, Array]:
    """Return the name, the grade and the score of each row.

    Names are objects, because an array of strings has room for the longest one in every row.
    """
    found = ((grades.get(query, {}), document) for query, own in scores.items() for document in own)
    grade = (own.get(document, np.nan) for own, document in found)
    score = chain.from_iterable(own.values() for own in scores.values())
    return (
        np.fromiter(chain.from_iterable(scores.values()), object, n_rows),
        np.fromiter(grade, float, n_rows),
        np.fromiter(score, float, n_rows),
    )


def _order_by_query(code: Array, score: Array, documents: Array) -> Array:
    """Return the order of rows by query, and within it by score and name, from the highest down."""
    order = np.lexsort((-score, code))
    is_tied = np.zeros(order.size + 1, dtype=bool)  # with the row before
    is_tied[1:-1] = (np.diff(code[order]) == 0) & (np.diff(score[order]) == 0)
    ends = np.flatnonzero(is_tied[1:] != is_tied[:-1])
    for first, last in ends.reshape(-1, 2).tolist():
        tied = slice(first, last + 1)
        order[tied] = sorted(order[tied], key=documents.__getitem__, reverse=True)
    return order


_INFINITE = 2.0**128  # what is beyond single precision, which trec_eval ranks as infinite


_OF_QRELS = "query", "iteration", "document", "grade"
_OF_RUN = "query", "Q0", "document", "rank", "score", "run name"


def _read_lines(
    source: Source, role: str, judged: Collection[bytes] | None = None, judged_in: str = ""
) -> dict[bytes, dict[bytes, float]]:
    """Return the grade or the score of each document, by query.

    Whatever follows the name of the run is ignored, as in trec_eval. If the judged queries are
    passed, others are refused.
    """
    if not _is_source(source):
        raise TypeError(
            f"{role} must be a path or an open file. Got {shown(source)} instead. For dicts of "
            "dicts, call read_runs."
        )
    name, fields = _source_name(source, role), _OF_QRELS if role == "qrels" else _OF_RUN
    layout = f"{role} must have lines of {', '.join(fields)}"
    place, most = (3, -1) if role == "qrels" else (4, 5)
    found: dict[bytes, dict[bytes, float]] = {}
    content = _content(source, role)
    if content.lstrip().startswith((b'{"', _HEADER)):
        return _read_entries(content, name, role == "qrels", judged, judged_in)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for number, line in enumerate(BytesIO(content), 1):  # a list would take twice the file's size
        parts = line.split(maxsplit=most)
        if not parts or line.startswith(b"#"):  # a comment, as in trec_eval 10
            continue
        try:
            if len(parts) != len(fields):
                raise ValueError(f"{layout}, but this one has {len(parts)} fields")
            query, document = parts[0], parts[2]
            own = found.setdefault(query, {})
            _check_once(document, query, own)
            _check_query_is_judged(query, judged, judged_in)
            own[document] = _parsed_number(parts[place], role == "qrels")
        except ValueError as error:
            raise ValueError(f"{line_of(name, number)}: {error}.") from None
    if not found:
        raise ValueError(f"{name} is empty, but {layout}.")
    return found


def _check_once(document: bytes, query: bytes, own: Collection[bytes]) -> None:
    if document in own:
        raise ValueError(
            f"the document {_text(document)!r} of query {_text(query)!r} is there twice"
        )


def _check_query_is_judged(query: bytes, judged: Collection[bytes] | None, judged_in: str) -> None:
    if judged is not None and query not in judged:
        raise ValueError(
            f"the query {_text(query)!r} is not in {judged_in}. Check that the files belong "
            "together. To leave such queries out, as trec_eval does, pass unjudged_queries='drop'"
        )


def _parsed_number(text: bytes, is_whole: bool) -> float:
    try:
        number = float(text)
    except ValueError:
        number = np.nan
    # Python alone reads 1_0 as 10.
    if number != number or b"_" in text or (is_whole and not number.is_integer()):
        raise ValueError(f"{shown(_text(text))} is not {'an integer' if is_whole else 'a number'}")
    return number


def _is_source(given: Any) -> bool:
    return isinstance(given, str | PathLike) or hasattr(given, "read")


def _source_name(source: Source, role: str) -> str:
    return str(source if isinstance(source, str | PathLike) else getattr(source, "name", role))


def _content(source: Source, role: str) -> bytes:
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


# --- COCO ----------------------------------------------------------------------------------------

# In pycocotools, 0.9 is 0.8999999999999999.
_OVERLAPS = {round(each, 2): each for each in np.linspace(0.5, 0.95, 10).tolist()}
_MEAN = "0.50:0.95"
_MOST = 100  # detections of a class in an image, of which COCO ignores all others
# What COCO calls the fields of torchmetrics
_FIELDS = {"labels": "category_id", "scores": "score", "iscrowd": "iscrowd"}


class _Matched(NamedTuple):
    """Detections without ties, and the objects that count."""

    category: Array  # of each detection, by its id
    image: Array
    score: Array
    is_hit: Array  # of shape (n_overlaps, n_detections)
    is_ignored: Array
    objects: Mapping[tuple[Any, Any], int]  # how many there are of each category in each image
    images: Iterable[Any]
    names: Mapping[Any, Any]  # of the categories


@overload
def read_coco(
    annotations: Any,
    detections: Any = None,
    *,
    overlap: float | str = 0.5,
    area: str = "all",
) -> Retrieved: ...


@overload
def read_coco(
    annotations: Any,
    detections: Any = None,
    *,
    overlap: Sequence[float],
    area: str = "all",
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
    COCO ignores: crowds, objects and wrong detections outside of the range of areas, detections
    beyond the 100 of highest confidence in a class and image, and classes without objects.
    Detections of equal confidence rank in COCO's order, because each but the first gets the next
    lower floating-point number.

    Parameters
    ----------
    annotations, detections : path, open file, or the parsed contents
        COCO's two JSON files, also compressed, whose boxes pycocotools matches. Or lists of dicts
        as torchmetrics takes them, the targets first, with boxes as x1, y1, x2, y2. Or as the
        only argument, a `COCOeval` of pycocotools or faster-coco-eval, which may also match masks,
        or more detections per image.
    overlap : float, sequence of float or str, default=0.5
        The least overlap (IoU) of a correct detection with its object. A sequence gives a table for
        each overlap. "0.50:0.95" gives one table for COCO's mean over the overlaps 0.50, 0.55, ...,
        0.95, with a group for each class at each overlap.
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
    levels = list(_OVERLAPS) if is_mean else np.ravel(overlap).astype(float).tolist()
    known = overlap == _MEAN if is_mean else levels and all(0 < level <= 1 for level in levels)
    if not known:
        raise ValueError(
            "overlap must be a number in the range (0, 1], several of these, or '0.50:0.95'. Got "
            f"{overlap!r} instead."
        )
    try:
        if hasattr(annotations, "evalImgs"):
            if annotations.params.iouType == "bbox":
                _check_boxes("annotations", annotations.cocoGt.anns.values())
                _check_boxes("detections", annotations.cocoDt.anns.values())
            found = _matched(annotations, levels, area)
        else:
            found = _matched_now(*_read_boxes(annotations, detections), levels, area)
    except KeyError as error:
        raise ValueError(f"An entry of annotations or detections has no {error}.") from None
    if not found.objects:
        raise ValueError(f"annotations has no objects that count, with area={area!r}.")
    if is_mean:
        return _table_of(found, range(len(levels)), levels)
    tables = {level: _table_of(found, [place], [level]) for place, level in enumerate(levels)}
    return tables if np.ndim(overlap) else tables[levels[0]]


def _read_boxes(annotations: Any, detections: Any) -> tuple[Mapping[str, Any], list[Any]]:
    """Return COCO's two files as Python objects."""
    if detections is None:
        raise TypeError("read_coco needs detections, unless annotations is a COCOeval.")
    truth = _parsed(annotations, "annotations")
    boxes = _parsed(detections, "detections")
    if isinstance(boxes, Mapping):
        raise ValueError("detections must be a list. Pass the annotations first.")
    _check_dicts("detections", boxes)
    if isinstance(truth, Mapping):
        for name in ("images", "categories", "annotations"):
            _check_dicts(f"{name!r} of annotations", truth[name])
    else:
        _check_dicts("annotations", truth)
        truth, boxes = _from_arrays(truth, boxes)
    if not truth["annotations"]:
        raise ValueError("annotations has no objects.")
    _check_ids(truth, boxes)
    for box in boxes:
        if not isinstance(box["score"], Real):
            _refuse_score(box["score"])
    return truth, boxes


_IF_UNKNOWN = {
    "category_id": "If a detector numbers its classes without gaps, convert its numbers to the ids "
    "of the categories. Leave out only classes that you don't evaluate.",
    "image_id": "Pass annotations and detections of the same images.",
}


def _check_ids(truth: Mapping[str, Any], boxes: list[Any]) -> None:
    """Check that all ids are known. pycocotools would drop the others without a word."""
    for key, place in (("category_id", "categories"), ("image_id", "images")):
        ids = [one["id"] for one in truth[place]]
        kinds = {Real if isinstance(each, Real) else type(each): each for each in ids}
        if len(kinds) > 1 or not kinds.keys() <= {Real, str}:
            raise ValueError(
                f"The ids of {place} must be all integers or all strings. Got "
                f"{' and '.join(map(shown, kinds.values()))}."
            )
        texts, known = {str(each): each for each in ids}, {*ids}
        for role, entries in (("annotations", truth["annotations"]), ("detections", boxes)):
            found = [one[key] for one in entries]
            unknown = [
                each for each in found if not (isinstance(each, Real | str) and each in known)
            ]
            for each in unknown:
                if str(each) in texts:
                    raise ValueError(
                        f"{role} have {key}={each!r}, but {place} have id={texts[str(each)]!r}. "
                        "Convert one of both, because ids of different types never match."
                    )
            if unknown:
                advice = _IF_UNKNOWN[key] if role == "detections" else f"Add them to {place}."
                others = [*{repr(each): each for each in unknown}.values()]
                raise ValueError(
                    f"The {key} of {role} must be among the ids of {place}, {shown(ids)}. Got "
                    f"{shown(others)} in {len(unknown):,} of {len(found):,} {role}. "
                    f"{advice}"
                )


def _check_boxes(role: str, entries: Iterable[Mapping[str, Any]]) -> None:
    """Check boxes and areas, because to pycocotools a box of NaN overlaps with every other."""
    fields = [("bbox", _is_box, "four finite numbers, x, y, width and height, both sides >= 0")]
    if role == "annotations":
        fields.append(("area", _is_area, "a finite number >= 0"))
    for number, one in enumerate(entries):
        for field, is_legal, words in fields:
            if not is_legal(one[field]):
                raise ValueError(
                    f"The {field} of {role}[{number}], in the image {one['image_id']!r}, must be "
                    f"{words}. Got {shown(one[field])} instead."
                )


def _is_box(given: Any) -> bool:
    try:
        x, y, width, height = given
        return bool(width >= 0 <= height and isfinite((abs(x) + width) * (abs(y) + height)))
    except (TypeError, ValueError, OverflowError):
        return False


def _is_area(given: Any) -> bool:
    return isinstance(given, Real) and 0 <= float(given) < inf


def _refuse_score(score: Any) -> NoReturn:
    raise ValueError(
        f"The score of a detection must be a finite number. Got {shown(score)} instead."
    )


def _parsed(given: Any, role: str) -> Any:
    if not _is_source(given):
        return given
    try:
        return json.loads(_content(given, role))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{_source_name(given, role)} is not JSON: {error}.") from None


def _check_dicts(name: str, given: Any) -> None:
    are_dicts = isinstance(given, Collection) and not isinstance(given, Mapping)
    if not (are_dicts and all(issubclass(kind, Mapping) for kind in set(map(type, given)))):
        raise TypeError(f"{name} must be a list of dicts. Got {shown(given)} instead.")


def _from_arrays(targets: Any, preds: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Convert the lists of torchmetrics to what COCO's files contain."""
    if len(targets) != len(preds):
        raise ValueError(f"There are targets of {len(targets)} images, but preds of {len(preds)}.")
    objects, boxes = (
        [row for image, one in enumerate(each) for row in _coco_boxes(role, one, image)]
        for role, each in (("targets", targets), ("preds", preds))
    )
    images = [{"id": image} for image in range(len(targets))]
    categories = [{"id": each} for each in {row["category_id"] for row in objects + boxes}]
    return {"images": images, "categories": categories, "annotations": objects}, boxes


def _coco_boxes(role: str, given: Mapping[str, Any], image: int) -> list[dict[str, Any]]:
    """Return the boxes of an image as COCO has them: x, y, width and height."""
    arrays = {name: np.asarray(to_host(each)) for name, each in given.items()}
    area = np.asarray(arrays.get("area", 0))
    corners = np.atleast_2d(arrays["boxes"]) if arrays["boxes"].size else np.zeros((0, 4))
    wrong = arrays["boxes"]
    if corners.shape[1:] == (4,) and corners.dtype.kind in "iuf":
        corners = corners if corners.dtype.kind == "f" else corners.astype(float)
        with np.errstate(over="ignore", invalid="ignore"):
            sizes = (corners[:, 2:] - corners[:, :2]).astype(float)
        wrong = corners[
            ~np.isfinite(np.hstack([corners, sizes])).all(axis=1) | (sizes < 0).any(axis=1)
        ]
    if wrong.size:
        raise ValueError(
            f"The boxes of {role}[{image}] must each be four finite numbers, x1, y1, x2 and y2, "
            f"with x1 <= x2 and y1 <= y2. Got {shown(wrong.tolist())} instead."
        )
    columns = {coco: arrays[name].tolist() for name, coco in _FIELDS.items() if name in arrays}
    columns["bbox"] = np.hstack([corners[:, :2], sizes]).tolist()
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


def _matched_now(
    truth: Mapping[str, Any], boxes: list[Any], levels: list[float], area: str
) -> _Matched:
    """Match boxes with objects by pycocotools."""
    _check_boxes("annotations", truth["annotations"])
    _check_boxes("detections", boxes)
    make_coco, make_evaluation = _pycocotools()
    with redirect_stdout(StringIO()):  # it prints a lot
        coco, found = make_coco(), make_coco()
        objects = [{"id": n, "iscrowd": 0, **one} for n, one in enumerate(truth["annotations"], 1)]
        coco.dataset = {"info": {}, **truth, "annotations": objects}
        coco.createIndex()
        if boxes:  # it changes them
            found = coco.loadRes([dict(box) for box in boxes])
        evaluation = make_evaluation(coco, found, "bbox")
        params = evaluation.params
        params.areaRng = [params.areaRng[_place_of("area", area, params.areaRngLbl)]]
        params.areaRngLbl, params.maxDets = [area], [_MOST]
        params.iouThrs = np.array([_OVERLAPS.get(round(level, 9), level) for level in levels])
        evaluation.evaluate()
    return _matched(evaluation, levels, area)


def _pycocotools() -> tuple[Any, Any]:
    """Return the classes of a data set and of an evaluation."""
    try:
        from pycocotools.coco import COCO
        from pycocotools.cocoeval import COCOeval
    except ImportError as error:
        raise ImportError(
            "pycocotools is needed to match boxes with objects: pip install pycocotools."
        ) from error
    return COCO, COCOeval


def _matched(evaluation: Any, levels: list[float], area: str) -> _Matched:
    """Return the matches of a COCOeval."""
    params, coco = deepcopy(evaluation.params), evaluation.cocoGt
    if not evaluation.evalImgs:  # as faster-coco-eval's, whose matches Python can't read
        data = deepcopy((coco, evaluation.cocoDt))  # which pycocotools changes
        evaluation = _pycocotools()[1](*data, params.iouType)
        evaluation.params = params
        with redirect_stdout(StringIO()):
            evaluation.evaluate()
    area_range = params.areaRng[_place_of("area", area, params.areaRngLbl)]
    places = [_place_of("overlap", level, params.iouThrs) for level in levels]
    if 0 in coco.anns:
        warn(
            "An object has the id 0, which means to pycocotools that a detection has no object, so "
            "the detection of this object counts as wrong. Number the annotations from 1."
        )
    cells = [each for each in evaluation.evalImgs if each and each["aRng"] == area_range]
    counts = [len(cell["gtIgnore"]) - int(np.count_nonzero(cell["gtIgnore"])) for cell in cells]
    keys = [(cell["category_id"], cell["image_id"]) for cell in cells]
    scores = [cell["dtScores"] for cell in cells]
    none = [np.zeros((len(params.iouThrs), 0))]
    is_hit, is_ignored = (
        np.concatenate(none + [cell[name] for cell in cells], axis=1)[places] != 0
        for name in ("dtMatches", "dtIgnore")
    )
    sizes = [len(each) for each in scores]
    category = np.repeat([category for category, _ in keys], sizes)
    return _Matched(
        category=category,
        image=np.repeat([image for _, image in keys], sizes),
        score=_untied(np.fromiter(chain.from_iterable(scores), dtype=float), category),
        is_hit=is_hit,
        is_ignored=is_ignored,
        objects={key: count for key, count in zip(keys, counts, strict=True) if count},
        images=params.imgIds,
        names={key: each.get("name", key) for key, each in coco.cats.items()},
    )


def _place_of(name: str, wanted: Any, known: Any) -> int:
    """Return the place of an area or an overlap in those that a COCOeval has."""
    for place, each in enumerate(known):
        if each == wanted or (name == "overlap" and abs(each - wanted) < 1e-9):
            return place
    raise ValueError(f"{name}={wanted!r} isn't among those that were matched: {list(known)}.")


def _untied(scores: Array, group: Array) -> Array:
    """Break ties in each group: each of equal scores but the first is the next lower number."""
    if not np.isfinite(scores).all():
        _refuse_score(float(scores[np.argmin(np.isfinite(scores))]))
    order = np.lexsort((-scores, group))
    lower, last, above = [], None, np.inf
    for own, score in zip(group[order].tolist(), scores[order].tolist(), strict=True):
        above = nextafter(above, -np.inf) if own == last and score >= above else score
        lower.append(above)
        last = own
    found = np.empty(scores.size)
    found[order] = lower
    return found


def _table_of(found: _Matched, places: Sequence[int], levels: Sequence[float]) -> Retrieved:
    """Return the table of one overlap, or of several with their levels in the names of groups."""
    categories = sorted({category for category, _ in found.objects})
    names = [found.names.get(category, category) for category in categories]
    if len(set(names)) < len(names):
        names = categories
    each = [names]
    if len(levels) > 1:
        each = [[f"{name} at {level:.2f}" for name in names] for level in levels]
    is_kept = ~found.is_ignored[places] & np.isin(found.category, categories)
    at, row = np.nonzero(is_kept)
    group = np.array(each, dtype=object)[at, np.searchsorted(categories, found.category[row])]
    pairs = dict.fromkeys(((each[0][0], image) for image in found.images), 0)
    for own in each:
        called = dict(zip(categories, own, strict=True))
        pairs |= {(called[key], image): count for (key, image), count in found.objects.items()}
    total = Counter[Any]()
    for (name, _), count in pairs.items():
        total[name] += count
    columns = {
        "correct": found.is_hit[places][is_kept],
        "confidence": found.score[row],
        "class" if len(levels) == 1 else "class at an overlap": group,
        "image": found.image[row],
    }
    roles = dict(zip(("y_true", "y_score", "groups", "clusters"), columns, strict=True))
    columns["category"] = np.array(names, dtype=object)[
        np.searchsorted(categories, found.category[row])
    ]
    columns["overlap"] = np.asarray(levels)[at]
    return Retrieved(columns, roles, dict(total), pairs, tuple(levels))
