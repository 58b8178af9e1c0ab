"""Spark DataFrames, classic or of Spark Connect, whose rows are counted where they are.

What the driver gets is the counts at the scores of positives. Whatever isn't counted here, such as
groups, is read into its memory, as any other table. The executors need this package.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from .average import Evaluated
from .checks import check
from .columns import check_finite, read_weight
from .data import Averaging, are_rows
from .labels import check_what_is_positive, read_positive
from .points import Points, make_points_from_counts
from .ranking import set_existing
from .rules import ROW_ORDERS, Rule

_NUMBER_TYPES = ("boolean", "tinyint", "smallint", "int", "bigint", "float", "double")


def evaluate_on_spark(
    rule: Rule, y_true: Any, y_score: Any, **data_options: Any
) -> Evaluated | None:
    """Return the values of a rule, or None if the rows have to be read."""
    if not type(data_options["data"]).__module__.startswith("pyspark."):
        return None
    if rule.ties in ROW_ORDERS:
        raise ValueError(
            f"A DataFrame of Spark has no order, so ties={rule.ties!r} isn't available."
        )
    columns = {"y_true": y_true, "y_score": y_score, "sample_weight": data_options["sample_weight"]}
    column_of = {role: column for role, column in columns.items() if column is not None}
    n_positives, in_table = data_options["n_positives"], data_options["data"].columns
    are_named = all(isinstance(each, str) and each in in_table for each in column_of.values())
    is_plain = data_options["classes"] is None and data_options["groups"] is None
    if rule.needs_rows or are_rows(n_positives) or not (are_named and is_plain):
        return None
    pos_label = 1 if data_options["pos_label"] is None else data_options["pos_label"]
    labeled_by = {"pos_label": pos_label, "min_grade": data_options["min_grade"]}
    averaged_by = {name: data_options[name] for name in ("average", "zero_division")}
    check(**labeled_by, **averaged_by)
    check_what_is_positive(**labeled_by, keep_grades=False, may_lack_scores=False)
    table = _select(data_options["data"], column_of, pos_label)
    summary = _summarize(table, column_of)
    n_existing = None if n_positives is None else np.asarray(n_positives).reshape(1)
    if "sample_weight" in column_of:
        extremes = np.array([summary["lightest"], summary["heaviest"]], dtype=float)
        table = table.where("sample_weight > 0")
        if rule.check_weights(extremes, n_existing is not None) is None:
            table = table.drop("sample_weight")
    is_positive = _find_positive(table, **labeled_by)
    points = _count_by_score(table, is_positive, not summary["n_split"], rule.needs_every_point)
    points = set_existing(points, n_existing, None)
    return Evaluated(rule.values(points), points.n_positives, Averaging())


def _select(table: Any, column_of: dict[str, str], pos_label: Any) -> Any:
    """Select columns by their roles. Of vectors, the entry of the positive class is the score."""
    from pyspark.ml.functions import vector_to_array
    from pyspark.sql import functions as F

    types, columns = dict(table.dtypes), []
    for role, name in column_of.items():
        column, kind = F.col(f"`{name}`"), types[name]
        if role == "y_score" and kind.startswith(("vector", "array")):
            if pos_label not in (0, 1):
                raise ValueError(
                    f"The vectors in {name!r} have entries for the labels 0 and 1, and "
                    f"pos_label={pos_label!r} is none of them."
                )
            array = vector_to_array(column) if kind == "vector" else column
            column = F.when(F.size(array) == 2, array[int(pos_label)])
        elif role in ("y_score", "sample_weight"):
            if kind not in _NUMBER_TYPES:
                raise ValueError(
                    f"{role}={name!r} must be integers or floats. Got {kind}: cast the column."
                )
            column = column.cast("int") if kind == "boolean" else column
        columns.append(column.alias(role))
    return table.select(*columns)


def _summarize(table: Any, column_of: dict[str, str]) -> dict[str, Any]:
    """Refuse missing values, infinite scores and wrong weights, and return the extremes of weights
    and how many aren't whole, all in one pass over the rows.
    """
    from pyspark.sql import functions as F

    weight = F.col("sample_weight") if "sample_weight" in column_of else F.lit(1)
    aggregates = {
        "rows": F.count(F.lit(1)),
        "largest": F.max(F.abs(F.col("y_score").cast("double"))),
        "lowest": F.min(weight),
        "mass": F.sum(weight.cast("double")),
        "lightest": F.min(F.when(weight > 0, weight)),
        "heaviest": F.max(weight),
        "n_split": F.sum((weight % 1 != 0).cast("long")),
    }
    for role, kind in table.dtypes:
        is_missing = F.col(role).isNull()
        if kind in ("float", "double"):
            is_missing |= F.isnan(role)
        aggregates[role] = F.sum(is_missing.cast("long"))
    row = table.agg(*(value.alias(name) for name, value in aggregates.items())).first()
    summary: dict[str, Any] = row.asDict()
    if not summary["rows"]:
        raise ValueError("Found array with 0 sample(s) in y_true while a minimum of 1 is required.")
    for role in column_of:
        if summary[role]:
            raise ValueError(f"{role}={column_of[role]!r} has {summary[role]} missing values.")
    check_finite(np.array([summary["largest"]]), "y_score")
    read_weight(np.array([summary["lowest"], summary["mass"]], dtype=float))
    return summary


def _find_positive(table: Any, pos_label: Any, min_grade: Any) -> Any:
    """Return the condition for positives, after labels were refused that aren't binary."""
    from pyspark.sql import functions as F

    if min_grade is not None:
        return F.col("y_true") >= F.lit(min_grade)
    labels = [row[0] for row in table.select("y_true").distinct().limit(3).collect()]
    read_positive(np.array(labels), pos_label)
    positive = [label for label in labels if label == pos_label]
    return F.col("y_true") == F.lit(positive[0]) if positive else F.lit(False)


def _count_by_score(
    table: Any, is_positive: Any, has_whole_weights: bool, needs_every_point: bool
) -> Points:
    """Return the operating points, of which those between two positives may be joined."""
    from pyspark.sql import functions as F

    has_weights = "sample_weight" in table.columns
    weight = F.col("sample_weight") if has_weights else F.lit(1)
    falling = F.col("y_score").desc()
    counts = table.groupBy("y_score").agg(
        F.sum(F.when(is_positive, weight).otherwise(0)).cast("double").alias("positives"),
        F.sum(weight).cast("double").alias("total"),
        F.count("*").alias("rows"),
    )
    ordered = counts.repartitionByRange(falling).sortWithinPartitions(falling)
    if not (has_weights and needs_every_point):
        schema = "positives double, total double, rows long"
        ordered = ordered.mapInPandas(_join_negatives, schema)
    columns = ordered.select("positives", "total", "rows").toPandas()
    kind = np.int64 if has_whole_weights or not has_weights else np.float64
    positives, total = (columns[name].to_numpy(kind) for name in ("positives", "total"))
    rows = columns["rows"].to_numpy() if has_weights else None
    return make_points_from_counts(positives, total, rows, has_whole_weights)


def _join_negatives(frames: Iterator[Any]) -> Iterator[Any]:
    """Add up the negatives between two scores of positives in a partition."""
    import pandas as pd

    parts = [*frames]
    if parts:
        counts = pd.concat(parts)[["positives", "total", "rows"]]
        has_positives = counts["positives"].to_numpy() > 0
        starts = has_positives | np.append(True, has_positives[:-1])
        yield counts.groupby(np.cumsum(starts)).sum()
