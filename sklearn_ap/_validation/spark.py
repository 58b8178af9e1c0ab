"""Validation of Spark columns and evaluators, without importing PySpark."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

import numpy as np

from .grades import AtLeast
from .parameters import is_mapping
from .scorers import Scored
from .tables import check_lazy_columns

_NUMBER = r"tinyint|smallint|int|bigint|float|double|decimal\(.*\)"
_TIME = r"date|timestamp|timestamp_ntz"
_VECTOR = rf"vector|array<(?:{_NUMBER})>"
_TEXT = r"string|char\(.*\)|varchar\(.*\)"

# The types that columns can have, as Spark writes them.
_TYPES = {
    "y_true": (rf"boolean|{_NUMBER}|{_TEXT}", "numbers, booleans or strings"),
    "y_score": (rf"boolean|{_NUMBER}|{_TIME}|{_VECTOR}", "numbers, or vectors of them"),
    "sample_weight": (_NUMBER, "numbers"),
    "groups": (
        rf"boolean|binary|{_NUMBER}|{_TIME}|{_TEXT}",
        "strings, numbers or times",
    ),
}


def check_spark_columns(df: Any, named: Mapping[str, Any]) -> dict[str, str]:
    """Check the columns of a Spark DataFrame, and return their types."""
    if not hasattr(type(df), "mapInArrow"):
        raise TypeError(f"data must be a Spark DataFrame. Got {type(df).__name__} instead.")
    columns = check_lazy_columns(df, df.columns, named)
    types = dict(df.dtypes)
    return {role: _check_type(role, name, types[name]) for role, name in columns.items()}


def _check_type(role: str, column: str, type_: str) -> str:
    pattern, words = _TYPES[role]
    if not re.fullmatch(pattern, type_):
        raise ValueError(
            f"{role} must be a column of {words}, but the column {column!r} is of type {type_}."
        )
    return type_


def is_vector(type_: str) -> bool:
    return re.fullmatch(_VECTOR, type_) is not None


def check_entry(names: Mapping[str, str], types: Mapping[str, str], pos_label: Any) -> int | None:
    """Return the index of the positive class in vectors of scores; None if there are no vectors.

    Spark's models number their classes, so entry i belongs to the label i.
    """
    type_ = types["y_score"]
    if not is_vector(type_):
        return None
    if isinstance(pos_label, AtLeast):
        raise ValueError(
            f"With {pos_label}, y_score must be a column of numbers, but {names['y_score']!r} is "
            f"of type {type_}, and it is not known which entry of its vectors ranks by grade. "
            f"{_own_column(names['y_score'], type_)}"
        )
    is_text = re.fullmatch(_TEXT, types["y_true"]) is not None
    if is_text or pos_label not in (0, 1):
        why = "the labels are strings" if is_text else "it is not one of the labels 0 and 1"
        raise ValueError(
            f"It is not known which entry of the vectors in {names['y_score']!r} belongs to "
            f"pos_label={pos_label!r}, because {why}. {_own_column(names['y_score'], type_)} Or "
            "use the column of labels 0 and 1 that the model was trained on."
        )
    return int(pos_label)


def check_entries(n_nulls: int) -> None:
    """Check that every row has a vector of two entries."""
    if n_nulls:
        raise ValueError(
            "y_score contains nulls, or vectors that do not have two entries. Filter or fill rows "
            "with nulls. If vectors are longer, make the entry of the positive class a column of "
            "its own, with vector_to_array(column)[i]."
        )


def check_labels_of_vectors(labels: Any) -> None:
    """Check that the labels are 0 and 1, which tell the entries of vectors apart."""
    others = labels[(labels != 0) & (labels != 1)]
    if others.size:
        raise ValueError(
            f"y_true contains the label {others[0]}, but y_score contains vectors, whose entries "
            "are only known for the labels 0 and 1. Make the entry of the positive class a column "
            "of its own, with vector_to_array(column)[i]."
        )


def check_not_indexed(df: Any, column: Any, min_grade: Any) -> None:
    """Check that grades are not the numbers of StringIndexer, which are in order of frequency."""
    for field in df.schema.fields:
        if min_grade is not None and field.name == column and _indexed(field):
            raise ValueError(
                f"min_grade={min_grade!r} compares grades, but {column!r} contains the numbers "
                "that StringIndexer assigned to strings. Use a column with the grades themselves."
            )


def find_indexed(df: Any, column: Any, pos_label: Any) -> Any:
    """Return the number that StringIndexer assigned to a label, or the label itself."""
    for field in df.schema.fields:
        names = _indexed(field)
        if field.name == column and field.dataType.typeName() != "string" and pos_label in names:
            return names.index(pos_label)
    return pos_label


def _indexed(field: Any) -> list[Any]:
    """Return the labels that StringIndexer has numbered in a column, if any."""
    names: list[Any] = field.metadata.get("ml_attr", {}).get("vals", [])
    return names


def name_instants(n_positives: Any, type_: str | None) -> Any:
    """Convert the keys of n_positives to times in UTC, in which executors read timestamps."""
    if type_ != "timestamp" or not is_mapping(n_positives):
        return n_positives
    named = {}
    for key, number in n_positives.items():
        if getattr(key, "tzinfo", None) is None:
            raise ValueError(
                f"n_positives has the key {key!r}, a time without a time zone, but Spark's "
                "timestamps are instants. Add a time zone to the keys. If they come from "
                "toPandas(), it is that of the session: "
                "n_positives.tz_localize(spark.conf.get('spark.sql.session.timeZone'))."
            )
        named[np.datetime64(key.astimezone(UTC).replace(tzinfo=None))] = number
    if len(named) < len(n_positives):
        raise ValueError("n_positives names a group twice. Pass one number for each group.")
    return named


def _own_column(name: str, type_: str) -> str:
    entry = f"vector_to_array({name!r})[i]" if type_ == "vector" else f"df[{name!r}][i]"
    return (
        f"Make that entry a column of its own, df.withColumn('score', {entry}), where i is the "
        "number of the class in the model."
    )


# --- parameters of Spark's evaluators ------------------------------------------------------------


def check_params(given: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise TypeError(
                f"MetricEvaluator has no parameter {name!r}; it has {', '.join(known)}."
            )


def check_evaluated(name: str, metric: Scored, group_column: str | None) -> None:
    """Check that an evaluator can compute this metric, whose name was given."""
    if metric.grouped and group_column is None:
        raise ValueError(f"metric={name!r} is a mean over groups, so it needs groupCol.")
    if is_mapping(metric.options.get("n_positives")):
        raise ValueError("n_positives must be a number for an evaluator, not a mapping.")
