"""Scores of Spark DataFrames. The data stay where they are: only counts are collected.

A score takes two passes over the rows. The first pass collects the distinct scores of the
positives. The second pass counts, in each partition, the rows at these scores and between them. The
rows are not shuffled. They reach Python as Arrow columns. The executors add up the counts of the
partitions.

Call the functions like those with the same names in ``sklearn_ap``. They give the same values.
These points are different:

- They take a DataFrame, and the names of its columns in `y_true`, `y_score`, `sample_weight` and
  `groups`. Nulls are an error. `y_score` may hold vectors of two entries, like `rawPrediction` and
  `probability`. Labels have to be 0 and 1 then, and the entry of `pos_label` is the score.
- Targets are binary. There is no `classes`, and `average` is only for `groups`. `n_positives` is
  one number, or with groups a mapping or pandas Series.
- `partitioned_by_group=True` says that no group lies in two partitions, as after
  ``df.repartition("query")``. Then one pass is enough, and only the values of the groups are sent.
  Each partition has to fit in the memory of its worker.

Each pass reads the DataFrame once. If that is slow, persist it. Install `sklearn_ap` where the
executors run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pickle import dumps, loads
from typing import Any

import numpy as np

from . import _passes as passes
from . import _validation as check
from ._by_name import score_of
from ._typing import Label, NPositives
from .core.rules import (
    AtK,
    Envelope,
    NPoint,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    RecallAtPrecision,
    Rule,
    Step,
)

try:
    import pyarrow as pa
    from pyspark import TaskContext
    from pyspark.ml.evaluation import Evaluator
    from pyspark.ml.functions import vector_to_array
    from pyspark.ml.param import Param, Params
    from pyspark.ml.param.shared import HasLabelCol, HasRawPredictionCol, HasWeightCol
    from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
    from pyspark.sql import functions
except ImportError as error:
    raise ImportError(
        'sklearn_ap.spark needs PySpark with Arrow: pip install "sklearn_ap[spark]"'
    ) from error

__all__ = [
    "AveragePrecisionEvaluator",
    "average_precision_at_k_score",
    "average_precision_bounds",
    "average_precision_score",
    "eleven_point_average_precision_score",
    "interpolated_average_precision_score",
    "mean_average_precision_score",
    "precision_at_k_score",
    "precision_at_recall_score",
    "recall_at_k_score",
    "recall_at_precision_score",
]

DataFrame = Any  # of PySpark: the classic one, or that of Spark Connect

_ROWS = 2**20  # how many are counted at once
_FEW = 100  # texts that are likely to be labels, and not names of groups
_PIECE = 2**15  # bytes of a part in one row: Spark puts 10,000 rows, and at most 2 GB, in a batch
_NAMES = ("y_true", "y_score", "sample_weight", "groups")  # of a chunk's columns
_PIECES = "part int, place int, number int, piece binary"


def _param(name: str, doc: str) -> Any:
    """A parameter that is saved as it is: NumPy's numbers would not be."""
    return Param(Params._dummy(), name, doc, lambda v: v.item() if hasattr(v, "item") else v)


# --- the public functions ----------------------------------------------------------------------


@check.validated_options
def average_precision_score(
    df: DataFrame,
    y_true: str = "label",
    y_score: str = "score",
    *,
    pos_label: Label = 1,
    sample_weight: str | None = None,
    ties: str = "grouped",
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    groups: str | None = None,
    average: str | None = "macro",
    partitioned_by_group: bool = False,
) -> Any:
    """Average precision.

    Like :func:`sklearn_ap.average_precision_score` of all rows together. :mod:`sklearn_ap.spark`
    says what is different.

    Examples
    --------
    >>> from sklearn_ap.spark import average_precision_score
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> df = spark.createDataFrame(rows, "label int, score double")
    >>> average_precision_score(df)
    0.833333
    """
    return _score(
        Step(ties),
        df,
        y_true,
        y_score,
        sample_weight,
        groups,
        partitioned_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def interpolated_average_precision_score(
    df: DataFrame,
    y_true: str = "label",
    y_score: str = "score",
    *,
    n_points: int | None = None,
    pos_label: Label = 1,
    sample_weight: str | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    groups: str | None = None,
    average: str | None = "macro",
    partitioned_by_group: bool = False,
) -> Any:
    """Interpolated average precision.

    Like :func:`sklearn_ap.interpolated_average_precision_score` of all rows together.
    :mod:`sklearn_ap.spark` says what is different.

    Examples
    --------
    >>> from sklearn_ap.spark import interpolated_average_precision_score
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> df = spark.createDataFrame(rows, "label int, score double")
    >>> interpolated_average_precision_score(df)
    0.833333
    """
    return _score(
        Envelope() if n_points is None else NPoint(n_points),
        df,
        y_true,
        y_score,
        sample_weight,
        groups,
        partitioned_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def eleven_point_average_precision_score(
    df: DataFrame,
    y_true: str = "label",
    y_score: str = "score",
    *,
    pos_label: Label = 1,
    sample_weight: str | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    groups: str | None = None,
    average: str | None = "macro",
    partitioned_by_group: bool = False,
) -> Any:
    """11-point interpolated average precision.

    Like :func:`sklearn_ap.eleven_point_average_precision_score` of all rows together.
    :mod:`sklearn_ap.spark` says what is different.

    Examples
    --------
    >>> from sklearn_ap.spark import eleven_point_average_precision_score
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> df = spark.createDataFrame(rows, "label int, score double")
    >>> eleven_point_average_precision_score(df)
    0.848485
    """
    return _score(
        NPoint(11),
        df,
        y_true,
        y_score,
        sample_weight,
        groups,
        partitioned_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def average_precision_at_k_score(
    df: DataFrame,
    y_true: str = "label",
    y_score: str = "score",
    *,
    k: float = 10,
    denominator: str = "min",
    ties: str = "grouped",
    pos_label: Label = 1,
    sample_weight: str | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    groups: str | None = None,
    average: str | None = "macro",
    partitioned_by_group: bool = False,
    k_counts: str = "weight",
) -> Any:
    """Average precision at k.

    Like :func:`sklearn_ap.average_precision_at_k_score` of all rows together.
    :mod:`sklearn_ap.spark` says what is different.

    Examples
    --------
    >>> from sklearn_ap.spark import average_precision_at_k_score
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> df = spark.createDataFrame(rows, "label int, score double")
    >>> average_precision_at_k_score(df, k=2)
    0.5
    """
    return _score(
        AtK(k=k, ties=ties, k_counts=k_counts, denominator=denominator),
        df,
        y_true,
        y_score,
        sample_weight,
        groups,
        partitioned_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def precision_at_k_score(
    df: DataFrame,
    y_true: str = "label",
    y_score: str = "score",
    *,
    k: float = 10,
    ties: str = "grouped",
    pos_label: Label = 1,
    sample_weight: str | None = None,
    groups: str | None = None,
    average: str | None = "macro",
    partitioned_by_group: bool = False,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    k_counts: str = "weight",
) -> Any:
    """Precision at k.

    Like :func:`sklearn_ap.precision_at_k_score` of all rows together. :mod:`sklearn_ap.spark` says
    what is different.

    Examples
    --------
    >>> from sklearn_ap.spark import precision_at_k_score
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> df = spark.createDataFrame(rows, "label int, score double")
    >>> precision_at_k_score(df, k=2)
    0.5
    """
    return _score(
        PrecisionAtK(k=k, ties=ties, k_counts=k_counts),
        df,
        y_true,
        y_score,
        sample_weight,
        groups,
        partitioned_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def recall_at_k_score(
    df: DataFrame,
    y_true: str = "label",
    y_score: str = "score",
    *,
    k: float = 10,
    ties: str = "grouped",
    pos_label: Label = 1,
    sample_weight: str | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    groups: str | None = None,
    average: str | None = "macro",
    partitioned_by_group: bool = False,
    k_counts: str = "weight",
) -> Any:
    """Recall at k.

    Like :func:`sklearn_ap.recall_at_k_score` of all rows together. :mod:`sklearn_ap.spark` says
    what is different.

    Examples
    --------
    >>> from sklearn_ap.spark import recall_at_k_score
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> df = spark.createDataFrame(rows, "label int, score double")
    >>> recall_at_k_score(df, k=2)
    0.5
    """
    return _score(
        RecallAtK(k=k, ties=ties, k_counts=k_counts),
        df,
        y_true,
        y_score,
        sample_weight,
        groups,
        partitioned_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def precision_at_recall_score(
    df: DataFrame,
    y_true: str = "label",
    y_score: str = "score",
    *,
    min_recall: float,
    pos_label: Label = 1,
    sample_weight: str | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    groups: str | None = None,
    average: str | None = "macro",
    partitioned_by_group: bool = False,
) -> Any:
    """Precision at a recall.

    Like :func:`sklearn_ap.precision_at_recall_score` of all rows together. :mod:`sklearn_ap.spark`
    says what is different.

    Examples
    --------
    >>> from sklearn_ap.spark import precision_at_recall_score
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> df = spark.createDataFrame(rows, "label int, score double")
    >>> precision_at_recall_score(df, min_recall=0.9)
    0.666667
    """
    return _score(
        PrecisionAtRecall(min_recall),
        df,
        y_true,
        y_score,
        sample_weight,
        groups,
        partitioned_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def recall_at_precision_score(
    df: DataFrame,
    y_true: str = "label",
    y_score: str = "score",
    *,
    min_precision: float,
    pos_label: Label = 1,
    sample_weight: str | None = None,
    zero_division: float | str = "warn",
    n_positives: NPositives = None,
    groups: str | None = None,
    average: str | None = "macro",
    partitioned_by_group: bool = False,
) -> Any:
    """Recall at a precision.

    Like :func:`sklearn_ap.recall_at_precision_score` of all rows together. :mod:`sklearn_ap.spark`
    says what is different.

    Examples
    --------
    >>> from sklearn_ap.spark import recall_at_precision_score
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> df = spark.createDataFrame(rows, "label int, score double")
    >>> recall_at_precision_score(df, min_precision=0.9)
    0.5
    """
    return _score(
        RecallAtPrecision(min_precision),
        df,
        y_true,
        y_score,
        sample_weight,
        groups,
        partitioned_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def mean_average_precision_score(
    df: DataFrame,
    y_true: str = "label",
    y_score: str = "score",
    *,
    groups: str,
    k: float | None = None,
    denominator: str = "min",
    ties: str = "grouped",
    average: str | None = "macro",
    pos_label: Label = 1,
    sample_weight: str | None = None,
    zero_division: float | str = "warn",
    partitioned_by_group: bool = False,
    n_positives: NPositives = None,
    k_counts: str = "weight",
) -> Any:
    """Mean average precision.

    Like :func:`sklearn_ap.mean_average_precision_score` of all rows together.
    :mod:`sklearn_ap.spark` says what is different.

    Examples
    --------
    >>> from sklearn_ap.spark import mean_average_precision_score
    >>> rows = [
    ...     (1, 0.9, "a"),
    ...     (0, 0.8, "a"),
    ...     (1, 0.7, "a"),
    ...     (0, 0.6, "b"),
    ...     (1, 0.5, "b"),
    ... ]
    >>> df = spark.createDataFrame(
    ...     rows, "label int, score double, query string"
    ... )
    >>> mean_average_precision_score(df, groups="query")
    0.666667
    """
    return _score(
        Step(ties)
        if k is None
        else AtK(k=k, ties=ties, k_counts=k_counts, denominator=denominator),
        df,
        y_true,
        y_score,
        sample_weight,
        groups,
        partitioned_by_group,
        pos_label=pos_label,
        zero_division=zero_division,
        average=average,
        n_positives=n_positives,
    )


@check.validated_options
def average_precision_bounds(
    df: DataFrame,
    y_true: str = "label",
    y_score: str = "score",
    *,
    definition: str = "step",
    n_bins: int = 10_000,
    pos_label: Label = 1,
    sample_weight: str | None = None,
    zero_division: float | str = "warn",
    n_positives: float | None = None,
    **options: Any,
) -> Any:
    """Two numbers between which the average precision certainly lies, for data of any size.

    Like :func:`sklearn_ap.dask.average_precision_bounds` of all rows together.
    :mod:`sklearn_ap.spark` says what is different.

    Examples
    --------
    >>> from sklearn_ap.spark import average_precision_bounds
    >>> df = spark.range(1000).selectExpr(
    ...     "id % 3 = 0 AS label", "id * 7 % 1000 AS score"
    ... )
    >>> lower, upper, estimate, exact = average_precision_bounds(df, n_bins=20)
    >>> lower < 0.33756 < upper, exact
    (True, False)
    """
    rule = check.check_definition("average_precision_bounds", definition, options)
    return passes.bounds(
        _select(df, pos_label, y_true=y_true, y_score=y_score, sample_weight=sample_weight),
        rule,
        n_bins,
        pos_label=pos_label,
        zero_division=zero_division,
        n_positives=n_positives,
    )


def _score(
    rule: Rule,
    df: DataFrame,
    y_true: str,
    y_score: str,
    sample_weight: str | None,
    groups: str | None,
    partitioned_by_group: bool,
    average: str | None,
    **options: Any,
) -> Any:
    check.check_rule(rule)
    names = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight, "groups": groups}
    table = _select(df, options["pos_label"], **names)
    if groups is None:
        check.check_without_groups(average, partitioned_by_group=partitioned_by_group)
        return passes.score(table, rule, **options)
    check.check_group_average(average)
    options["n_positives"] = check.name_instants(options["n_positives"], table.types["groups"])
    score = passes.score_partitioned_groups if partitioned_by_group else passes.score_groups
    return score(table, rule, average=average, **options)


# --- the engine ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Table:
    """Passes over a DataFrame, whose columns are those of a chunk that are given."""

    df: DataFrame
    names: dict[str, str]  # of the columns
    types: dict[str, str]
    one_pass: str = "data that are partitioned by group, with partitioned_by_group=True"

    @property
    def weighted(self) -> bool:
        return "sample_weight" in self.names

    def over_chunks(self, make: Callable[..., Any], join: Callable[..., Any], *args: Any) -> Any:
        return self._over(make, join, args, _ROWS)

    def over_partitions(
        self, make: Callable[..., Any], join: Callable[..., Any], *args: Any
    ) -> Any:
        return self._over(make, join, args, None)

    def call(self, function: Callable[..., Any], *parts: Any) -> Any:
        return function(*parts)

    def settle(self, part: Any) -> Any:
        return part

    def give(self, finish: Callable[..., Any], part: Any) -> Any:
        return finish(part)

    def _over(
        self, make: Callable[..., Any], join: Callable[..., Any], args: Any, n_rows: int | None
    ) -> Any:
        """All partitions become parts, and executors join these: as many of them as the sizes of
        the parts ask for. What they have joined comes here piece by piece, so that the driver does
        not hold more than a few parts at once.
        """
        make_parts = partial(_make_parts, make, join, args, n_rows, self.types)
        join_parts = partial(_join_parts, join)
        parts = self.df.mapInArrow(make_parts, _PIECES)
        joined = parts.repartition("part").mapInArrow(join_parts, _PIECES)
        try:
            found = passes.join_in_tree(_unpack(joined.toLocalIterator()), join)
            return make(self._nothing(), *args) if found is None else found
        except Exception as error:
            if check.is_refusal(error):
                raise check.name_columns(error, self.names) from None
            raise

    def _nothing(self) -> passes.Chunk:
        return [np.zeros(0) if name in self.names else None for name in _NAMES]


def _select(df: DataFrame, pos_label: Any, **names: str | None) -> _Table:
    given = {name: column for name, column in names.items() if column is not None}
    types = check.check_table_columns(df, given)
    entry = check.check_entry(given, types, pos_label)
    columns = [_as_scalar(given[name], types[name], entry).alias(name) for name in given]
    return _Table(df.select(*columns), given, types)


def _as_scalar(name: str, type_: str, entry: int | None) -> Any:
    """A column of plain values: of vectors of two entries the one that is the score."""
    column = functions.col("`" + name.replace("`", "``") + "`")
    if check.is_vector(type_):
        array = vector_to_array(column) if type_ == "vector" else column
        return functions.when(
            functions.size(array) == 2, functions.get(array, functions.lit(entry))
        )
    # Doubles tell decimals of 15 digits apart, and keep their order.
    return column.cast("double") if check.is_short_decimal(type_) else column


# --- what runs on executors ----------------------------------------------------------------------


def _make_parts(
    make: Callable[..., Any],
    join: Callable[..., Any],
    args: Any,
    n_rows: int | None,
    types: dict[str, str],
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    tables = _gather(batches, n_rows)
    return _pack((make(_chunk(table, types), *args) for table in tables), join)


def _join_parts(
    join: Callable[..., Any], batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    columns = (batch.to_pydict().values() for batch in batches)
    return _pack(_unpack(chain.from_iterable(zip(*some, strict=True) for some in columns)), join)


def _gather(batches: Iterable[pa.RecordBatch], n_rows: int | None) -> Iterator[pa.Table]:
    """Tables of about n_rows rows, or one of all."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if n_rows is not None and sum(some.num_rows for some in held) >= n_rows:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _chunk(table: pa.Table, types: dict[str, str]) -> passes.Chunk:
    columns = {}
    for name, type_ in types.items():
        column = table.column(name)
        check.check_no_nulls(name, column.null_count, type_)
        columns[name] = _to_numpy(column)
    if check.is_vector(types["y_score"]):
        check.check_labels_of_vectors(columns["y_true"])
    return [columns.get(name) for name in _NAMES]


def _to_numpy(column: pa.ChunkedArray) -> Any:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column.to_numpy()
    # Few texts, many times.
    coded = column.dictionary_encode().combine_chunks()
    texts = coded.dictionary.to_pylist()
    # NumPy's own strings are faster where they are short and lose nothing, as zeros at the end.
    short = len(texts) < _FEW and not any(text.endswith("\0") for text in texts)
    distinct = np.array(texts, dtype=None if short else object)
    return distinct[coded.indices.to_numpy()]


# A part travels in pieces, as rows that say where they belong: a column of bytes is limited.


def _pack(parts: Iterable[Any], join: Callable[..., Any]) -> Iterator[pa.RecordBatch]:
    """The pieces of all parts joined, or of the error that says why the data are refused."""
    try:
        part = passes.join_in_tree(parts, join)
    except Exception as error:
        if not check.is_refusal(error):
            raise
        part = error
    if part is None:
        return
    packed = _compress(dumps(part, protocol=5))
    starts = range(0, len(packed), _PIECE)
    yield pa.RecordBatch.from_pydict(
        {
            "part": pa.array([TaskContext.get().partitionId()] * len(starts), pa.int32()),
            "place": pa.array(range(len(starts)), pa.int32()),
            "number": pa.array([len(starts)] * len(starts), pa.int32()),
            "piece": pa.array([packed[start : start + _PIECE] for start in starts], pa.binary()),
        }
    )


def _unpack(rows: Iterable[Any]) -> Iterator[Any]:
    """The parts whose pieces stand in rows; the first error is raised."""
    held: dict[int, dict[int, bytes]] = {}
    for name, place, number, piece in rows:
        pieces = held.setdefault(name, {})
        pieces[place] = piece
        if len(pieces) == number:
            part = loads(_expand(b"".join(pieces.pop(place) for place in range(number))))
            if isinstance(part, Exception):
                raise part
            yield part


def _compress(data: bytes) -> bytes:
    """To a tenth, where it is counts; Spark would take longer to carry them as they are."""
    packed: bytes = pa.compress(data, codec="zstd", asbytes=True)
    return len(data).to_bytes(8) + packed


def _expand(data: bytes) -> Any:
    size = int.from_bytes(data[:8])
    return pa.decompress(data[8:], decompressed_size=size, codec="zstd")


# --- tuning --------------------------------------------------------------------------------------


class AveragePrecisionEvaluator(
    Evaluator,
    HasLabelCol,
    HasRawPredictionCol,
    HasWeightCol,
    DefaultParamsReadable,
    DefaultParamsWritable,
):
    """Average precision for Spark's ``CrossValidator`` and ``TrainValidationSplit``.

    It gives the same numbers as the scorers of :func:`sklearn_ap.make_ap_scorer`, with the same
    metrics and options.

    Parameters
    ----------
    metric : str, default="average_precision"
        As in :func:`sklearn_ap.make_ap_scorer`. With `groupCol` also as in
        :func:`sklearn_ap.get_scorer`, such as "mean_average_precision_at_10".
    labelCol : str, default="label"
        The column of binary labels.
    rawPredictionCol : str, default="rawPrediction"
        The column of scores. It may hold vectors of two entries, if the labels are 0 and 1. Then
        the entry of `pos_label` is the score.
    weightCol : str, default=None
        The column of sample weights.
    groupCol : str, default=None
        The column of groups. Each group is ranked separately, and the number is the mean over
        groups. With the default metric that is MAP.
    pos_label : int, float, bool or str, default=1
        The label of the positive class: in `labelCol`, or before ``StringIndexer`` made `labelCol`.
    **options
        Other keywords of the score, such as `k`, `ties`, `denominator`, `average`, `n_points`,
        `n_positives` or `zero_division`; and `partitioned_by_group`, see :mod:`sklearn_ap.spark`.
        `n_positives` is the same for every DataFrame that is evaluated, so it is right only for a
        fixed test set, not in a `CrossValidator`.

    See Also
    --------
    sklearn_ap.make_ap_scorer : The same for scikit-learn.

    Examples
    --------
    >>> from sklearn_ap.spark import AveragePrecisionEvaluator
    >>> rows = [(0, 0.1), (0, 0.4), (1, 0.35), (1, 0.8)]
    >>> df = spark.createDataFrame(rows, "label int, score double")
    >>> AveragePrecisionEvaluator(rawPredictionCol="score").evaluate(df)
    0.833333
    >>> AveragePrecisionEvaluator(
    ...     "precision_at_2", rawPredictionCol="score"
    ... ).evaluate(df)
    0.5
    """

    metric: Any = _param("metric", "the name of a score, with or without a number in it")
    groupCol: Any = _param("groupCol", "the column of groups, each of them a ranking")
    pos_label: Any = _param("pos_label", "the label of the positive class")
    average: Any = _param("average", "how the mean over groups is taken: macro or weighted")
    zero_division: Any = _param("zero_division", "the value where there are no positives")
    n_positives: Any = _param("n_positives", "how many positives exist, found or not")
    k: Any = _param("k", "how many samples count, best first, or which share of them")
    k_counts: Any = _param("k_counts", "what k counts: weight, or samples whatever they weigh")
    denominator: Any = _param("denominator", "what AP@k is divided by: min, relevant, k or hits")
    ties: Any = _param("ties", "the order of ties: grouped, expected, best or worst")
    n_points: Any = _param("n_points", "at how many recall levels to interpolate")
    min_recall: Any = _param("min_recall", "the recall to be had at least")
    min_precision: Any = _param("min_precision", "the precision to be had at least")
    partitioned_by_group: Any = _param(
        "partitioned_by_group", "whether no group lies in two partitions"
    )

    def __init__(
        self,
        metric: str = "average_precision",
        *,
        labelCol: str = "label",
        rawPredictionCol: str = "rawPrediction",
        weightCol: str | None = None,
        groupCol: str | None = None,
        pos_label: Label = 1,
        **options: Any,
    ) -> None:
        super().__init__()
        self._setDefault(metric="average_precision", pos_label=1)
        given = {
            "metric": metric,
            "labelCol": labelCol,
            "rawPredictionCol": rawPredictionCol,
            "weightCol": weightCol,
            "groupCol": groupCol,
            "pos_label": pos_label,
        }
        defaults = {param.name: value for param, value in self._defaultParamMap.items()}
        self.setParams(
            **{name: v for name, v in given.items() if v != defaults.get(name)}, **options
        )

    def setParams(self, **params: Any) -> AveragePrecisionEvaluator:
        """Set parameters by their names."""
        check.check_params(params, [param.name for param in self.params])
        self._set(**params)
        self._read()
        return self

    def isLargerBetter(self) -> bool:
        """True: the model with the largest number is the best."""
        return True

    def _evaluate(self, dataset: DataFrame) -> float:
        score, options = self._read()
        pos_label = check.find_indexed(dataset, options["y_true"], options["pos_label"])
        return float(score(dataset, **options | {"pos_label": pos_label}))

    def _read(self) -> tuple[Callable[..., Any], dict[str, Any]]:
        """The score, and what to call it with."""
        params = {param.name: value for param, value in self.extractParamMap().items()}
        columns = {ours: params.pop(theirs, None) for ours, theirs in _COLUMNS.items()}
        metric, options = check.check_evaluated(params, columns["groups"])
        own = {name: v for name, v in options.items() if name != "partitioned_by_group"}
        pos_label = own.pop("pos_label")
        check.check_bindable(score_of(metric), own, pos_label, "Spark evaluator")
        return _SCORES[f"{metric}_score"], options | columns


_COLUMNS = {
    "y_true": "labelCol",
    "y_score": "rawPredictionCol",
    "sample_weight": "weightCol",
    "groups": "groupCol",
}
_SCORES = {name: value for name, value in globals().items() if name.endswith("_score")}
