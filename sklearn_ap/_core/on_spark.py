"""Spark DataFrames, classic or of Spark Connect, whose rows are counted where they are.

What the driver gets is the counts at the scores of positives, or the value of each group. Whatever
isn't counted here is read into its memory, as any other table. The executors need this package.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from .average import Evaluated
from .checks import check
from .columns import check_finite, read_weight
from .data import Averaging, are_rows, read
from .labels import check_what_is_positive, read_positive
from .points import PerRanking, Points, make_points_from_counts
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
    columns = {"y_true": y_true, "y_score": y_score}
    columns |= {name: data_options[name] for name in ("sample_weight", "groups")}
    column_of = {role: column for role, column in columns.items() if column is not None}
    n_positives, in_table = data_options["n_positives"], data_options["data"].columns
    average, has_groups = data_options["average"], "groups" in column_of
    are_named = all(isinstance(each, str) and each in in_table for each in column_of.values())
    is_counted = not rule.needs_rows
    if has_groups:
        is_counted = average in ("macro", "weighted", None) and n_positives is None
    if not (are_named and is_counted) or data_options["classes"] is not None:
        return None
    if are_rows(n_positives):
        return None
    keep_grades = rule.keeps_grades(data_options["pos_label"])
    pos_label = 1 if data_options["pos_label"] is None else data_options["pos_label"]
    labeled_by = {"pos_label": pos_label, "min_grade": data_options["min_grade"]}
    check(**labeled_by, average=average, zero_division=data_options["zero_division"])
    check_what_is_positive(**labeled_by, keep_grades=keep_grades, may_lack_scores=False)
    table = _select(data_options["data"], column_of, pos_label)
    summary = _summarize(table, column_of, keep_grades)
    n_existing = None if n_positives is None else np.asarray(n_positives).reshape(1)
    if "sample_weight" in column_of:
        extremes = np.array([summary["lightest"], summary["heaviest"]], dtype=float)
        table = table.where("sample_weight > 0")
        if rule.check_weights(extremes, n_existing is not None) is None:
            table = table.drop("sample_weight")
    is_positive = None if keep_grades else _find_positive(table, **labeled_by)
    if has_groups:
        labeled_by["keep_grades"] = keep_grades
        values, n_found, names = _evaluate_groups(rule, table, labeled_by)
        return Evaluated(values, n_found, Averaging(average=average, names=names, kind="groups"))
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


def _summarize(table: Any, column_of: dict[str, str], keep_grades: bool) -> dict[str, Any]:
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
        if role == "y_true" and keep_grades:
            is_missing = F.lit(False)
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


def _evaluate_groups(
    rule: Rule, table: Any, labeled_by: dict[str, Any]
) -> tuple[PerRanking, PerRanking, list[Any]]:
    """Return the value, the number of positives and the name of each group."""
    from pyspark.sql.types import DoubleType, StructField, StructType

    schema = StructType([StructField("name", table.schema["groups"].dataType)])
    schema = schema.add("value", DoubleType()).add("n_positives", DoubleType())
    call = partial(_evaluate_partition, rule, labeled_by)
    # Each group is in one partition.
    rows = table.repartition("groups").mapInPandas(call, schema).collect()
    rows.sort(key=lambda row: row["name"])
    values = np.array([row["value"] for row in rows], dtype=float)  # nan for None
    n_positives = np.array([row["n_positives"] for row in rows], dtype=float)
    return values, n_positives, [row["name"] for row in rows]


def _evaluate_partition(
    rule: Rule, labeled_by: dict[str, Any], frames: Iterator[Any]
) -> Iterator[Any]:
    import pandas as pd

    parts = [*frames]
    if parts:
        frame = pd.concat(parts)
        weight = "sample_weight" if "sample_weight" in frame else None
        options = labeled_by | {"sample_weight": weight, "groups": "groups", "data": frame}
        rankings = read("y_true", "y_score", **options)
        values, _ = rule.evaluate_rankings(rankings)
        # Weights that are equal here may differ elsewhere.
        mass = (rankings.labels > 0) * np.asarray(frame.get("sample_weight", 1.0))
        n_positives = np.bincount(rankings.code_of_samples, mass, rankings.n_rankings)
        yield pd.DataFrame({"name": rankings.names, "value": values, "n_positives": n_positives})
