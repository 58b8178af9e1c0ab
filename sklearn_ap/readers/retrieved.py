"""Tables of what a search engine or a detector retrieved, which know their columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import pairwise
from numbers import Integral
from typing import Any, NoReturn, overload

import numpy as np

from .._enter.entry import public
from .._inputs.records import ReaderLabels
from .._words.messages import format_count
from .._words.parameters import format_value
from ..core.ragged import Array, is_first
from ..exceptions import InvalidParameterError

# In pycocotools, 0.9 is 0.8999999999999999.
COCO_OVERLAPS = {round(each, 2): each for each in np.linspace(0.5, 0.95, 10).tolist()}
MEAN_OVERLAP = "0.50:0.95"
DEFAULT_OPTIONS = {
    "unjudged": "negative",
    "precision": "single",
    "overlap": 0.5,
    "area": "all",
    "use_difficult": False,
}
_MIN_INT64 = np.iinfo(np.int64).min


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
    read_voc : Read those of PASCAL VOC.

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
        return tuple(COCO_OVERLAPS) if overlap == MEAN_OVERLAP else (overlap,)

    def get_known_arguments(self, by_cluster: bool) -> dict[str, Any]:
        """Return the arguments that functions of sklearn_ap take from this table."""
        n_positives: Mapping[Any, Any] = self.n_positives
        if by_cluster and self.n_per_cluster is not None:
            n_positives = self.n_per_cluster
        arguments: dict[str, Any] = {**self.roles, "n_positives": n_positives}
        if self.n_judged is not None:
            # nDCG needs the grades, and other metrics count the grades from `min_grade` on.
            labels = ReaderLabels(self.roles["y_true"])
            labels.grades, labels.min_grade = "grade", self.min_grade
            arguments |= {"y_true": labels, "n_positives": self.n_judged}
        return arguments

    def judged_at(self, k: int) -> float:
        """Return the fraction of the top k documents of all queries that were judged."""
        if isinstance(k, bool) or not isinstance(k, Integral) or k < 1:
            raise InvalidParameterError(
                "The 'k' parameter of judged_at must be an int in the range [1, inf), the number "
                f"of documents. Got {format_value(k)} instead."
            )
        if "judged" not in self.columns:
            raise TypeError("Only a table of read_trec knows which of its rows were judged.")
        judged = self.columns["judged"][self.columns["rank"] <= k]
        if not judged.size:
            raise ValueError("The table has no rows, so it has no top documents to be judged.")
        return float(np.mean(judged))

    def to_frame(self) -> Any:
        """Return the columns as a DataFrame of pandas."""
        try:
            pandas = import_module("pandas")
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install pandas") from error
        return pandas.DataFrame(dict(self.columns))

    def __len__(self) -> int:
        return len(self.columns[self.roles["y_true"]])

    def __repr__(self) -> str:
        groups = f"{format_count(len(self.n_positives), 'groups')} ({self.roles['groups']})"
        counts = [groups, format_count(len(self), "rows")]
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
            f"tables. Got {format_value(tables)} instead. Of other tables, keep the rows of the "
            "groups that all of them have, and pass the n_positives of these groups."
        )
    groups_of_tables = [
        set(table.columns[table.roles["groups"]].tolist()) for table in tables.values()
    ]
    answered_by_all = set.intersection(*groups_of_tables) if groups_of_tables else set()
    if not answered_by_all:
        raise ValueError("There is no query for which all tables have rows.")
    return {model: _keep_groups(table, answered_by_all) for model, table in tables.items()}


def _keep_groups(table: Retrieved, names: Collection[Any]) -> Retrieved:
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


def select_conditions(**options: Any) -> dict[str, Any]:
    """Return the options of a reader that aren't the default."""
    return {name: value for name, value in options.items() if value != DEFAULT_OPTIONS[name]}


def separate_ties(scores: Array, group: Array) -> Array:
    """Break ties in each group by the order of rows, which go from the highest score down.

    Each of equal scores but the first becomes the next lower number, and lower scores which that
    reaches make way for it.
    """
    if not np.isfinite(scores).all():
        refuse_score(float(scores[np.argmin(np.isfinite(scores))]))
    # Floats that are next to each other become integers that are, and -0.0 becomes 0. If each row
    # is counted besides, lowering by one each row is a running minimum.
    number = (scores + 0.0).view(np.int64)
    number = np.where(number < 0, _MIN_INT64 - number, number)
    place = np.arange(scores.size)
    number += place
    start = np.flatnonzero(is_first(group))
    for first, stop in pairwise([*start.tolist(), scores.size]):
        np.minimum.accumulate(number[first:stop], out=number[first:stop])
    number -= place
    return np.where(number < 0, _MIN_INT64 - number, number).view(float)


def refuse_score(score: Any) -> NoReturn:
    raise ValueError(
        f"The score of a detection must be a finite number. Got {format_value(score)} instead."
    )


Retrieved.__module__ = answered.__module__ = "sklearn_ap.readers"  # where users find them
