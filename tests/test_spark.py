"""Spark DataFrames: with any partitions, the values are those of the local functions."""

import os
import pickle
import re
import signal
import subprocess
import sys
import warnings
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score as sklearn_average_precision
from sklearn.model_selection import GridSearchCV, PredefinedSplit

import sklearn_ap as ap
from conftest import REQUIRED

from . import calls, groups, oracle
from .documentation import DOCS, check_outputs
from .examples import AP, MAP, P
from .tables import DECIMALS, ROWS

if not REQUIRED:
    pytest.importorskip("pyspark", reason="these tests need PySpark: see CONTRIBUTING.md")

from pyspark.ml.functions import vector_to_array
from pyspark.sql import functions

from sklearn_ap._inputs.records import Inputs
from sklearn_ap._on_spark import check_before_evaluation, read_part
from sklearn_ap.core.rules import Step
from sklearn_ap.spark import MetricEvaluator

# Warnings from PySpark's own code
pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::ResourceWarning"
)


# The data: four partitions, of which one is empty and one lacks positives


def make_rows():
    """Return each column with its type, and the partitions of the rows."""
    rng = np.random.default_rng(0)
    size = 300
    part = rng.choice([0, 1, 3], size)
    label = np.where(part == 3, 0, rng.integers(0, 2, size))
    score = np.round(rng.standard_normal(size) + label, 1)
    steps = np.round(10 * score).astype(int)
    whole = [Decimal(x) for x in steps.tolist()]
    count = rng.integers(0, 4, size)
    query = rng.integers(0, 12, size)
    start = datetime(2026, 1, 1)
    return {
        "label": ("int", label),
        "answer": ("string", np.where(label, "yes", "no")),
        "truth": ("boolean", label == 1),
        "digit": ("decimal(10,0)", [Decimal(x) for x in label.tolist()]),
        "score": ("double", score),
        "single": ("float", score.astype(np.float32)),
        "large": ("bigint", 2**53 + steps),
        "price": ("decimal(10,2)", [x / 10 for x in whole]),
        "long_price": ("decimal(30,20)", [1 + x.scaleb(-10) for x in whole]),
        "day": ("date", [start.date() + timedelta(days=x) for x in steps.tolist()]),
        "time": ("timestamp", [start + timedelta(microseconds=x) for x in steps.tolist()]),
        "both": ("array<double>", np.stack([-score, score], axis=1)),
        "count": ("int", count),
        "mass": ("double", count / 4 + rng.random(size)),
        "query": ("string", [f"q{x}" for x in query]),
        "number": ("bigint", query),
        "own": ("int", 10 * part + query % 5),
    }, part  # fmt: skip


TYPED, PART = make_rows()


COLUMNS = {name: np.array(values).tolist() for name, (_, values) in TYPED.items()}


@pytest.fixture(scope="module")
def df(spark):
    rows = list(zip(*COLUMNS.values(), strict=True))
    schema = ", ".join(f"{name} {type_}" for name, (type_, _) in TYPED.items())
    parts = [[row for row, p in zip(rows, PART, strict=True) if p == part] for part in range(4)]
    partitioned = spark.sparkContext.parallelize(parts, 4).flatMap(lambda rows: rows)
    table = spark.createDataFrame(partitioned, schema).cache()
    assert table.rdd.glom().map(len).collect() == [np.sum(PART == part) for part in range(4)]
    yield table
    table.unpersist()


def local(metric, y_true="label", y_score="score", **options):
    arrays = {
        key: COLUMNS[options.pop(key)] for key in ("sample_weight", "groups") if key in options
    }
    return metric(np.array(COLUMNS[y_true]), np.array(COLUMNS[y_score]), **arrays, **options)


def on_spark(metric, table, y_true="label", y_score="score", **options):
    return metric(y_true, y_score, data=table, **options)


# Values
def rows_of_tables():
    """The rows of tests/tables.py."""
    columns = (column.tolist() for column in ROWS.values())
    return [dict(zip(ROWS, row, strict=True)) for row in zip(*columns, strict=True)]


@pytest.mark.filterwarnings("ignore:k=.* counts weight:UserWarning")
@pytest.mark.sweep(3)
@pytest.mark.parametrize("n_rules", [4, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", calls.CASES)
def test_a_case_of_every_table(spark, case, n_rules):
    """The cases of tests/calls.py, with some rules each."""
    table = spark.createDataFrame(rows_of_tables()).repartition(3)
    calls.check_metrics(table, case, calls.some_rules(n_rules, case, "Spark"))


@pytest.mark.parametrize(
    "function",
    [name for name in calls.FUNCTIONS if name not in calls.DISPLAYS],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:k=7 exceeds the mean number of samples per group, [34]")
def test_functions_of_every_table(spark, function):
    table = spark.createDataFrame(rows_of_tables())  # draws depend on the order of the rows
    for case in calls.some_cases(6, function, "Spark"):
        calls.check_function(table, "Spark", function, case)


@pytest.mark.parametrize("column", ["single", "large", "price", "long_price", "both"])
def test_scores_are_compared_exactly(df, column):
    """All rows are in the order of the column `score`, with its ties."""
    assert on_spark(AP, df, "label", column) == local(AP)


@pytest.mark.parametrize("label", ["label", "truth", "digit"])
@pytest.mark.parametrize("pos_label", [0, 1])
def test_vectors_count_with_the_entry_of_the_positive_class(df, label, pos_label):
    from pyspark.ml.functions import array_to_vector

    table = df.withColumn("rawPrediction", array_to_vector("both"))
    positives = np.array(COLUMNS["label"]) == pos_label
    expected = sklearn_average_precision(positives, np.array(COLUMNS["both"])[:, pos_label])
    for column in ("rawPrediction", "both"):
        found = on_spark(AP, table, label, column, pos_label=pos_label)
        assert found == pytest.approx(expected, abs=1e-12)


def test_the_evaluator_of_grades(df, indexed, tmp_path):
    columns = {"labelCol": "number", "rawPredictionCol": "score"}
    evaluator = MetricEvaluator("precision_at_20", min_grade=np.int64(6), **columns)
    evaluator.write().overwrite().save(str(tmp_path / "evaluator"))
    expected = P(np.array(COLUMNS["number"]) >= 6, np.array(COLUMNS["score"]), k=20)
    for one in (evaluator, MetricEvaluator.load(str(tmp_path / "evaluator"))):
        assert one.evaluate(df) == expected
    with pytest.raises(ValueError, match="pos_label=0 and min_grade=6 both define"):
        MetricEvaluator(min_grade=6, pos_label=0, **columns)
    with pytest.warns(UndefinedMetricWarning, match=r"\(min_grade=99\)"):
        assert on_spark(AP, df, "number", min_grade=99) == 0
    by_frequency = MetricEvaluator(min_grade=1, labelCol="index", rawPredictionCol="score")
    words = "min_grade=1 compares grades, but 'index' contains the numbers"
    with pytest.raises(ValueError, match=words):
        by_frequency.evaluate(indexed[0])


def test_intervals_of_vectors(df):
    interval = partial(ap.confidence_interval, "label", data=df)
    assert interval("both", clusters="query") == interval("score", clusters="query")
    assert (
        interval("both")
        == interval("score")
        == ap.confidence_interval(COLUMNS["label"], COLUMNS["score"])
    )


def test_columns_of_any_name(df, spark):
    table = df.withColumnsRenamed({"label": "a.b", "score": "`"})
    assert on_spark(AP, table, "a.b", "`") == local(AP)
    table = spark.createDataFrame([(1, 0, 3.0), (0, 1, 2.0), (1, 0, 1.0)], "y int, Y int, s double")
    assert on_spark(AP, table, "y", "s") == pytest.approx(5 / 6)
    assert on_spark(AP, table, "Y", "s") == pytest.approx(1 / 2)


def test_parts_travel_in_pieces(spark):
    """20,000 scores take more than one row."""
    table = spark.range(60_000, numPartitions=3).selectExpr(
        "id % 3 = 0 AS label", "pmod(hash(id), 1000003) AS score"
    )
    labels, scores = np.array(table.collect()).T
    found = on_spark(AP, table, pos_label=True)
    assert found == AP(labels, scores)


# Groups


@pytest.mark.parametrize("n_partitions", [1, pytest.param(2, marks=pytest.mark.slow), 4])
def test_shares_of_groups_in_any_partitions(spark, n_partitions):
    """Groups of whole and of fractional weights are in one partition, in two, or in more."""
    options = {
        "spark.sql.shuffle.partitions": n_partitions,
        "spark.sql.adaptive.coalescePartitions.enabled": False,
    }
    before = {name: spark.conf.get(name) for name in options}
    for name, value in options.items():
        spark.conf.set(name, value)
    calls.check_shares(spark.createDataFrame(rows_of_tables()), calls.SHARES)
    for name, value in before.items():
        spark.conf.set(name, value)


@pytest.mark.parametrize("type_", ["double", "float", "binary", "timestamp", "decimal(5,1)"])
def test_groups_of_other_types(df, type_):
    """Zeros of both signs are one group."""
    group, names = functions.col("number") - 6, [f"q{i}" for i in range(12)]
    if type_ in ("double", "float"):
        sign = functions.when(functions.col("label") == 1, -1.0).otherwise(1.0)
        group = functions.when(group == 0, 0.0 * sign).otherwise(group)
    elif type_ == "binary":
        group, names = functions.col("query"), sorted(names)
    table = df.withColumn("group", group.cast(type_))
    found = on_spark(MAP, table, groups="group", average=None)
    in_order = local(MAP, groups="query", average=None)
    expected = dict(zip(sorted(set(COLUMNS["query"])), in_order, strict=True))
    assert found == pytest.approx([expected[name] for name in names], abs=1e-15)


def test_decimals_are_the_nearest_floats(spark):
    columns = {name: list(map(Decimal, v)) for name, (v, _) in DECIMALS.items()}
    types = {name: f"decimal{kind or (1, 0)}" for name, (_, kind) in DECIMALS.items()}
    schema = ", ".join(f"{name} {type_}" for name, type_ in types.items())
    table = spark.createDataFrame([*zip(*columns.values(), strict=True)], schema).repartition(3)
    calls.check_decimals(table)


HOURS = [datetime(2026, 1, 1, hour, tzinfo=UTC) for hour in range(4)]


@pytest.fixture(scope="module")
def hours(spark):
    """Hour h has h + 1 positives, of which one is found, at the top."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    rows = [(int(best), float(best), time) for time in HOURS for best in (True, False)]
    table = spark.createDataFrame(rows, "label int, score double, hour timestamp")
    table = table.selectExpr("*", "hour(hour) AS clock", "CAST(hour AS timestamp_ntz) AS wall")
    assert {row.clock for row in table.select("clock").collect()} == {19, 20, 21, 22}
    yield table.coalesce(1)
    spark.conf.set("spark.sql.session.timeZone", before)


def exist_by(table, column):
    """Return how many positives exist, from pandas."""
    exist = table.select(column).distinct().toPandas()[column].sort_values()
    return exist.to_frame().assign(exist=[1, 2, 3, 4]).set_index(column)["exist"]


def test_numbers_of_positives_by_instants(hours):
    """pandas returns them in the time zone of the session, and groups are in UTC."""
    with pytest.raises(ValueError, match=r"2026-01-01, .* 2025-12-31T19.* are in UTC: con"):
        on_spark(MAP, hours, groups="hour", n_positives=exist_by(hours, "hour"))


@pytest.mark.filterwarnings("ignore:The model has only the prediction scores 0.0 and 1.0")
def test_numbers_of_positives_by_wall_times(hours):
    """They have no time zone, so their keys have none either."""
    by_wall = exist_by(hours, "wall")
    mean = partial(on_spark, MAP, hours, groups="wall", average=None)
    assert mean(n_positives=by_wall).tolist() == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])
    with pytest.raises(ValueError, match="in the same unit and without time zones"):
        mean(n_positives=by_wall.tz_localize("UTC"))


# Tasks, and what is left behind
def test_a_killed_worker_changes_nothing(df, tmp_path):
    """Spark repeats its task, which returns the same counts."""
    marker = tmp_path / "died"

    def die_once(batches):
        for batch in batches:
            if not Path(marker).exists():
                Path(marker).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    fragile = df.select("label", "score").mapInArrow(die_once, "label int, score double")
    assert on_spark(AP, fragile) == local(AP)
    assert marker.exists()
    marker.unlink()
    given = {"groups": "query", "zero_division": 0.0}
    columns = df.select("label", "score", "query")
    fragile = columns.mapInArrow(die_once, "label int, score double, query string")
    found = on_spark(ap.confidence_interval, fragile, **given)
    assert [*found] == [*local(ap.confidence_interval, **given)]
    assert marker.exists()


@pytest.mark.parametrize(
    "case", ["metrics", "three models", "a report", "clusters of whole groups"]
)
def test_groups_of_every_kind(spark, case):
    """The cases of tests/groups.py."""
    rows = zip(*(column.tolist() for column in groups.COLUMNS.values()), strict=True)
    table = spark.createDataFrame([*rows], [*groups.COLUMNS]).repartition(3)
    found, warned = groups.heard(case, table)
    assert (found, warned) == groups.expected(case, False)


def test_nothing_is_changed_or_kept(df, spark):
    def state():
        settings = {row.key: row.value for row in spark.sql("SET").collect()}
        return df.columns, settings, spark.sparkContext._jsc.getPersistentRDDs().size()

    before = state()
    on_spark(AP, df)
    on_spark(MAP, df, groups="query")
    on_spark(ap.hit_curve, df)
    assert state() == before


def test_the_page_about_large_data(spark, tmp_path, monkeypatch):
    """Its snippets get this session, as there is only one."""
    monkeypatch.chdir(tmp_path)  # for the files that it writes
    check_outputs(DOCS / "large_data.md")


# What gets to the driver
def n_numbers(value):
    """How many numbers and words a cell contains, which may be pickled."""
    if isinstance(value, bytes | bytearray):
        try:
            value = pickle.loads(value)
        except pickle.UnpicklingError:  # batches of Arrow
            return len(value)
    if isinstance(value, list | tuple | frozenset):
        return sum(map(n_numbers, value))
    return np.size(value)


@pytest.fixture
def fetched(df, monkeypatch):
    """How many numbers each `collect` of a DataFrame has returned."""
    numbers, kind = [], type(df)
    collect = kind.collect

    def counting(self):
        rows = collect(self)
        numbers.append(sum(n_numbers(list(row)) for row in rows))
        return rows

    monkeypatch.setattr(kind, "collect", counting)
    return numbers


@pytest.fixture(scope="module")
def large(spark):
    """20,000 rows with distinct scores in four partitions, of which 101 are positive, and 20
    groups.
    """
    return spark.range(20_000, numPartitions=4).selectExpr(
        "CAST(id % 200 = 7 OR id = 0 AS int) AS label",
        "pmod(id * 7919, 20011) / 20011D AS score",
        "pmod(id * 7919, 20011) AS whole",
        "id % 3 + 0.5D AS mass",
        "id % 20 AS query",
    )


# At most two bins per positive, five numbers per group, and in each partition what was seen of it.
@pytest.mark.parametrize(
    ("metric", "given"),
    [
        (AP, {}),
        (AP, {"y_score": "whole", "pos_label": 1, "n_positives": 150}),
        (AP, {"sample_weight": "mass"}),
        (ap.interpolated_average_precision_score, {"n_points": 101}),
        (P, {"k": 20}),
        (partial(P, k_counts="samples"), {"k": 500}),
        (P, {"k": 0.01, "sample_weight": "mass", "k_counts": "weight"}),
        (ap.reciprocal_rank_score, {}),
        (MAP, {"groups": "query"}),
        (MAP, {"groups": ["query", "label"], "zero_division": 0.0, "average": "weighted"}),
        (MAP, {"groups": "query", "n_positives": dict.fromkeys(range(25), 200)}),
        (MAP, {"groups": "query", "sample_weight": "mass"}),
        (P, {"groups": "query", "k": 5, "sample_weight": "mass", "k_counts": "weight"}),
    ],
)
@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.UndefinedMetricWarning", "ignore:Reciprocal rank looks for the"
)
def test_only_counts_and_values_of_groups_are_fetched(large, fetched, metric, given):
    value = on_spark(metric, large, **given)
    assert sum(fetched) < 2 * 102 + 5 * 40 + 60 * 4
    expected = on_spark(metric, large.toPandas(), **given)
    assert value == pytest.approx(expected, abs=1e-12)
    on_spark(ap.hit_curve, large)
    assert sum(fetched) > 20_000  # if the test can fail


def test_counts_that_are_too_many(large, monkeypatch):
    """Equal scores count once, so the 101 positives of one score are few enough."""
    monkeypatch.setattr("sklearn_ap._on_spark._MAX_DISTINCT_SCORES", 100)
    with pytest.raises(MemoryError, match=r"have 101 distinct .* at most 100 .* random sample"):
        on_spark(AP, large)
    assert on_spark(AP, large.withColumn("score", functions.lit(1.0))) == pytest.approx(
        101 / 20_000
    )


@pytest.mark.parametrize(
    ("metric", "given", "rows"),
    [
        (AP, {}, "label = 0"),
        (AP, {}, "label = 1"),
        (AP, {"y_score": "label"}, None),
        (AP, {"y_score": "label", "groups": "query"}, None),
        (P, {"k": 9, "sample_weight": "mass"}, None),
        (P, {"k": 2, "sample_weight": "mass", "groups": "query"}, None),
        (P, {"k": 3, "groups": "row"}, None),
        (MAP, {"groups": "query"}, "label = 0"),
        (MAP, {"groups": "query", "average": "weighted"}, "label = 0 OR query = 'q3'"),
        (ap.reciprocal_rank_score, {}, None),
        (AP, {"n_positives": 3}, None),
        (AP, {"y_true": "number"}, None),
        (AP, {"pos_label": 7}, None),
        (MAP, {"groups": "query", "n_positives": {"q1": 99}}, None),
        (MAP, {"groups": "query", "average": "samples"}, None),
        (partial(ap.metric("AP").by_name), {"groups": "query"}, None),
        (partial(ap.metric("AP").by_name), {}, None),
        (ap.reciprocal_rank_score, {"sample_weight": "mass"}, None),
    ],
)
def test_what_is_said_is_the_same_as_of_pandas(df, metric, given, rows):
    table = df.withColumn("row", functions.monotonically_increasing_id())
    table = table if rows is None else table.where(rows)

    def heard(data):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                value = on_spark(metric, data, **given)
            except ValueError as error:
                value = str(error)
        words = [str(each.message) for each in said if "PySpark" not in str(each.message)]
        ours = [word for word in words if "pyspark" not in word]
        return value, ours

    assert heard(table) == heard(table.toPandas())


@pytest.mark.slow
def test_spark_connect():
    """In a process of its own, as a process has one kind of session."""
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio and grpcio-status")
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CONNECTED],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
    )
    assert "True True True True True" in found.stdout


CONNECTED = """
import numpy as np
from pyspark.sql import SparkSession
import sklearn_ap as ap
from sklearn_ap.spark import MetricEvaluator

spark = SparkSession.builder.remote("local[2]").getOrCreate()
rng = np.random.default_rng(0)
y, s, g = rng.integers(0, 2, 500), rng.standard_normal(500).round(2), rng.integers(0, 9, 500)
rows = list(zip(y.tolist(), s.tolist(), g.tolist()))
df = spark.createDataFrame(rows, "y int, s double, g int").repartition(3)
read = ap.report("y", "s", data=df).rows[0].value
from sklearn_ap._read import from_spark
del from_spark.read_spark
evaluator = MetricEvaluator(labelCol="y", rawPredictionCol="s")
print(
    read == ap.average_precision_score(y, s),
    ap.average_precision_score("y", "s", data=df) == ap.average_precision_score(y, s),
    ap.precision_at_k_score("y", "s", k=7, data=df) == ap.precision_at_k_score(y, s, k=7),
    ap.mean_average_precision_score("y", "s", groups="g", data=df)
    == ap.mean_average_precision_score(y, s, groups=g),
    evaluator.evaluate(df) == ap.average_precision_score(y, s),
)
"""


# What is refused
@pytest.fixture(scope="module")
def bad(spark):
    """Columns with an invalid value in one of many rows."""
    row = "CASE WHEN id = 7 THEN {} ELSE {} END AS {}".format
    return spark.range(20, numPartitions=3).selectExpr(
        "id % 2 AS label",
        "id * 1.0D AS score",
        row("double('nan')", "1.0D", "gap"),
        row("double('inf')", "1.0D", "endless"),
        row("NULL", "id % 2", "no_label"),
        row("NULL", "id * 1.0D", "no_score"),
        row("NULL", "'q'", "no_query"),
        row("-1.0D", "1.0D", "negative"),
        "0 AS nothing",
        "id % 3 AS three",
        row("array(1.0D)", "array(1.0D, 2.0D)", "short"),
        row("NULL", "array(1.0D, 2.0D)", "no_pair"),
        "array(1.0D, 2.0D) AS pair",
        "IF(id % 2 = 0, 'a', 'b') AS words",
        "concat('a', IF(id = 7, char(0), '')) AS twins",
        "id % 2 + 1 AS one_or_two",
        "CAST(id AS string) AS text",
        "map(1, 2) AS pairs",
    )


@pytest.mark.parametrize(("options", "match"), [
    ({"y_true": "labels"}, r"'labels' is not a column of data. .* It has 'label', 'score'"),
    ({"y_score": "Z"}, r"y_score='Z' is not a column of data. It has 'label', 'score'"),
    ({"sample_weight": "text"}, "sample_weight must .*numbers.* is the column 'text'"),
    ({"y_score": "text"}, "y_score must .*numbers.*y_score is the column 'text'"),
    ({"y_true": "pairs"}, "y_true is the column 'pairs'"),
    ({"groups": "pair"}, "groups must .*groups is the column 'pair'"),
    ({"y_score": "gap"}, r"y_score contains NaN.*\(y_score is the column 'gap'\)"),
    ({"y_score": "endless"}, r"infinity.*\(y_score is the column 'endless'\)"),
    ({"y_true": "no_label"}, r"contains nulls.*\(y_true is the column 'no_label'\)"),
    ({"y_true": "no_label", "min_grade": 1},
     "nobody judged count as not relevant: give them grade 0"),
    ({"y_true": "words", "min_grade": 1}, "1 compares numbers, but y_true contains '(a|b)'"),
    ({"y_score": "pair", "min_grade": 1}, "which entry of the vectors in 'pair' belongs to min_gr"),
    ({"pos_label": 0, "min_grade": 1}, "pos_label=0 and min_grade=1 both define"),
    ({"y_score": "no_score"}, r"contains nulls.*\(y_score is the column 'no_score'\)"),
    ({"groups": "no_query"}, r"contains nulls.*\(groups is the column 'no_query'\)"),
    ({"y_true": "three"}, r"for the classes \[0, 1, 2\].*\(y_true is the column 'three'"),
    ({"y_true": "twins", "pos_label": "b"}, r"as pos_label='a' or pos_label='a\\x00'"),
    ({"y_score": "short"},
     r"not have two entries.* column of its own.*\(y_score is the column 'short'\)"),
    ({"y_score": "no_pair"}, "nulls, or vectors"),
    ({"y_true": "words", "y_score": "pair", "pos_label": "b"},
     r"'pair' belongs to pos_label='b', but only .*, or column\[i\] of arrays"),
    ({"y_score": "pair", "pos_label": 2}, "pos_label=2, but only to the labels 0 and 1"),
    ({"y_true": "one_or_two", "y_score": "pair"},
     "y_true contains the label 2, but y_score contains vectors"),
    ({"sample_weight": "negative"}, r"[Nn]egative.*\(sample_weight is the column 'negative'\)"),
    ({"sample_weight": "nothing"}, "at least one non-zero"),
])  # fmt: skip
def test_bad_input(bad, options, match):
    with pytest.raises((ValueError, TypeError), match=match) as caught:
        on_spark(AP, bad, **options)
    assert "java" not in str(caught.value).lower()


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda bad: on_spark(AP, bad.label), TypeError, r"a table: .* Got Column of pyspark"),
    (lambda bad: on_spark(AP, bad.select("label", "label", "score")),
     ValueError, "2 columns with the name y_true='label'"),
])  # fmt: skip
def test_bad_types(bad, call, error, words):
    with pytest.raises(error, match=words):
        call(bad)


@pytest.mark.parametrize("name", [AP, P])
def test_nothing_at_all(spark, df, name):
    for table in (spark.createDataFrame([], "label int, score double"), df.where("label > 1")):
        for call in (partial(on_spark, name), partial(on_spark, MAP, groups="score")):
            with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\) in y_true"):
                call(table)
        with pytest.warns(UserWarning, match="There are no rows, so no positives were found"):
            assert on_spark(name, table, n_positives=3) == 0


def test_no_positives(df):
    negatives = df.where("label = 0")
    with pytest.warns(UndefinedMetricWarning, match="No positive class") as caught:
        assert on_spark(AP, negatives) == 0
    ours = [each.filename for each in caught if each.category is UndefinedMetricWarning]
    assert ours == [__file__]
    assert on_spark(AP, negatives, zero_division=1.0) == 1


# The evaluator
def evaluator(*args, **params):
    return MetricEvaluator(*args, rawPredictionCol="score", **params)


@pytest.mark.parametrize(("metric", "params", "name", "options"), [
    ("average_precision", {}, "average_precision_score", {}),
    ("101_point_average_precision", {}, "interpolated_average_precision_score", {"n_points": 101}),
    ("VOC07", {}, "eleven_point_average_precision_score", {"grid": "float"}),
    ("average_precision_at_30", {"denominator": "k"}, "average_precision_at_k_score",
     {"k": 30, "denominator": "k"}),
    ("precision_at_k", {"k": np.int64(40), "ties": "worst"}, None, {"k": 40, "ties": "worst"}),
    ("recall_at_7%", {}, "recall_at_k_score", {"k": 0.07}),
    ("precision_at_recall_0.6", {}, "precision_at_recall_score", {"min_recall": 0.6}),
    ("average_precision", {"weightCol": "mass"}, None, {"sample_weight": "mass"}),
    ("average_precision", {"groupCol": "query"}, None, {"groups": "query"}),
    ("mean_average_precision_at_3", {"groupCol": "query", "average": "weighted"},
     "mean_average_precision_score", {"k": 3, "groups": "query", "average": "weighted"}),
    ("map_cut_3", {"groupCol": "query"}, "mean_average_precision_score",
     {"k": 3, "groups": "query", "denominator": "relevant"}),
    ("average_precision", {"labelCol": "answer", "pos_label": "yes"}, None,
     {"y_true": "answer", "pos_label": "yes"}),
])  # fmt: skip
def test_evaluator(df, metric, params, name, options):
    found = evaluator(metric, **params)
    assert found.evaluate(df) == pytest.approx(
        local(getattr(ap, name or f"{metric}_score"), **options), abs=1e-12
    )
    assert found.isLargerBetter()


def test_parameters_of_the_evaluator(df):
    one = evaluator("precision_at_k", k=5)
    other = one.copy({one.k: 9})
    assert (one.getOrDefault("k"), other.getOrDefault("k")) == (5, 9)
    assert other.evaluate(df) == local(P, k=9)
    assert one.setParams(k=0.5) is one
    assert one.evaluate(df) == local(P, k=0.5)
    for words in (
        "metric: the name of a metric",
        "k: the cutoff: how many of the top-ranked samples count, or which share (current: 0.5)",
        "labelCol: label column name. (default: label)",
    ):
        assert words in one.explainParams()
    assert all(param.doc for param in one.params)


@pytest.mark.parametrize("params", [
    {},
    {"metric": "average_precision_at_k", "k": 0.25, "zero_division": np.nan, "groupCol": "query"},
    {"metric": "precision_at_9", "labelCol": "answer", "pos_label": "yes"},
])  # fmt: skip
def test_the_evaluator_is_saved_and_loaded(df, tmp_path, params):
    path = str(tmp_path / "evaluator")
    saved = evaluator(**params)
    saved.save(path)
    loaded = MetricEvaluator.load(path)
    assert loaded.uid == saved.uid
    given = [
        sorted((param.name, repr(value)) for param, value in each.extractParamMap().items())
        for each in (saved, loaded)
    ]
    assert given[0] == given[1]
    assert loaded.evaluate(df) == saved.evaluate(df)


@pytest.mark.parametrize(("params", "error", "match"), [
    ({"metric": "accuracy"}, ValueError, "Got 'accuracy' instead"),
    ({"K": 3}, TypeError, "no parameter 'K'; it has .*denominator, grid, groupCol, k, k_counts"),
    ({"k": 3}, TypeError, "has no option {'k'}"),
    ({"metric": "precision_at_k", "k": 0}, ValueError, "'k' parameter"),
    ({"metric": "precision_at_recall"}, TypeError, "needs the option min_recall"),
    ({"metric": "mean_average_precision"}, ValueError, "it needs groupCol"),
    ({"metric": "nDCG@10"}, ValueError, "needs all rows of a group together"),
    ({"n_positives": {"a": 3}}, ValueError, "not a mapping"),
    ({"labelCol": 3}, TypeError, "labelCol"),
])  # fmt: skip
def test_wrong_parameters_are_refused_at_once(spark, params, error, match):
    with pytest.raises(error, match=match):
        MetricEvaluator(**params)


@pytest.fixture(scope="module")
def features(spark):
    """Rows with features and a fold: 2 folds of 150 rows."""
    from pyspark.ml.functions import array_to_vector

    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    y = (X[:, 0] + 0.5 * X[:, 1] + 1.5 * rng.standard_normal(300) > 1.5).astype(int)
    X[:, 2] *= 30
    fold = np.arange(300) % 2
    rows = list(zip(X.tolist(), y.tolist(), fold.tolist(), strict=True))
    table = spark.createDataFrame(rows, "x array<double>, label int, fold int").coalesce(2)
    return X, y, fold, table.withColumn("features", array_to_vector("x")).cache()


@pytest.mark.slow
@pytest.mark.parametrize("pos_label", [1, 0])
def test_tuning_picks_what_a_grid_search_picks(features, tmp_path, pos_label):
    """From three penalties, in two folds. The search is saved and loaded on the way."""
    from pyspark.ml.classification import LogisticRegression as SparkRegression
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    X, y, fold, table = features
    penalties = [0.01, 0.3, 3.0]
    model = SparkRegression(standardization=False, tol=1e-12, maxIter=100)
    search = CrossValidator(
        estimator=model,
        estimatorParamMaps=ParamGridBuilder().addGrid(model.regParam, penalties).build(),
        evaluator=MetricEvaluator(pos_label=pos_label),
        foldCol="fold",
        numFolds=2,
    )
    path = str(tmp_path / "search")
    search.save(path)
    found = CrossValidator.load(path).fit(table)
    # 150 rows are fitted, and the one library takes the mean where the other takes the sum.
    expected = GridSearchCV(
        LogisticRegression(tol=1e-10, max_iter=5000),
        {"C": [1 / (150 * penalty) for penalty in penalties]},
        cv=PredefinedSplit(fold),
        scoring=ap.make_ap_scorer(pos_label=pos_label),
    ).fit(X, y)
    means = expected.cv_results_["mean_test_score"]
    assert len(set(means)) == len(penalties)
    assert found.avgMetrics == pytest.approx(means, abs=1e-9)
    assert found.bestModel.getRegParam() == penalties[expected.best_index_]


@pytest.fixture(scope="module")
def indexed(df):
    """Labels as numbered by StringIndexer, and vectors with one entry per label."""
    from pyspark.ml.feature import StringIndexer
    from pyspark.ml.functions import array_to_vector

    tables = []
    for order in ("alphabetAsc", "alphabetDesc"):
        indexer = StringIndexer(inputCol="answer", outputCol="index", stringOrderType=order)
        vector = "both" if order == "alphabetAsc" else "reverse(both)"
        table = df.withColumn("vector", array_to_vector(functions.expr(vector)))
        tables.append(indexer.fit(df).transform(table))
    return tables


@pytest.mark.parametrize("pos_label", ["yes", "no"])
def test_labels_that_were_strings(indexed, pos_label):
    positives = np.array(COLUMNS["answer"]) == pos_label
    scores = np.array(COLUMNS["both"])[:, int(pos_label == "yes")]
    expected = sklearn_average_precision(positives, scores)
    one = MetricEvaluator(labelCol="index", rawPredictionCol="vector", pos_label=pos_label)
    for table in indexed:
        assert one.evaluate(table) == pytest.approx(expected, abs=1e-12)


def test_labels_that_are_strings(indexed):
    """They don't say which entry is theirs. Following the advice of the error gives the value."""
    one = MetricEvaluator(labelCol="answer", rawPredictionCol="vector", pos_label="no")
    scores = [-score for score in COLUMNS["score"]]
    expected = sklearn_average_precision(~np.array(COLUMNS["truth"]), scores)
    for place, table in enumerate(indexed):
        words = r"'vector' .* only to the labels 0 and 1.*vector_to_array\("
        with pytest.raises(ValueError, match=words):
            one.evaluate(table)
        table = table.withColumn("own", vector_to_array("vector")[place])
        found = one.copy({one.rawPredictionCol: "own"}).evaluate(table)
        assert found == pytest.approx(expected, abs=1e-12)


# Spark's own evaluator
@pytest.fixture(scope="module")
def theirs(spark):
    """Return the value of Spark's evaluator for labels, scores and weights."""
    from pyspark.ml.evaluation import BinaryClassificationEvaluator

    def evaluate(labels, scores, weights=None, **params):
        weights = np.ones(len(labels)) if weights is None else weights
        rows = np.stack([labels, scores, weights], axis=1).astype(float).tolist()
        table = spark.createDataFrame(rows, "label double, score double, weight double").coalesce(1)
        return BinaryClassificationEvaluator(
            rawPredictionCol="score", metricName="areaUnderPR", weightCol="weight", **params
        ).evaluate(table)

    return evaluate


def is_named(labels, scores, weights=None):
    """Whether `explain` says that Spark's evaluator returns the linear value."""
    rows = ap.compat.explain(labels, scores, sample_weight=weights).to_dict()
    return "Spark BinaryClassificationEvaluator" in str(rows["linear"]["reported_by"])


@pytest.mark.parametrize("seed", range(3))
def test_their_number_is_linear(theirs, seed):
    rng = np.random.default_rng(seed)
    labels, weights = rng.integers(0, 2, 40), rng.integers(1, 4, 40)
    scores = np.append(rng.integers(0, 20, 39), 100)
    plain, repeated = (labels, scores), (np.repeat(labels, weights), np.repeat(scores, weights))
    for given, whole in ((plain, plain), ((*plain, weights), repeated)):
        assert theirs(*given) == pytest.approx(float(oracle.linear(*whole)))
        assert is_named(*given)


@pytest.mark.filterwarnings("ignore:A few negatives of weight")
def test_subsampled_negatives_of_words_of_vectors_and_of_the_evaluator(df):
    label, score = np.array(COLUMNS["label"]), np.array(COLUMNS["score"])
    weight = np.where(label, 1, 20)
    rows = df.selectExpr("*", "if(label = 1, 1, 20) AS stands_for")
    for columns in ({"y_true": "answer", "pos_label": "yes"}, {"y_score": "both"}):
        value = on_spark(AP, rows, sample_weight="stands_for", **columns)
        assert value == pytest.approx(AP(label, score, sample_weight=weight), abs=1e-12)
    found = evaluator("P@5%", weightCol="stands_for", k_counts="weight").evaluate(rows)
    expected = P(label, score, k=0.05, sample_weight=weight, k_counts="weight")
    assert found == pytest.approx(expected, abs=1e-12)


def test_their_line_begins_at_the_first_point(theirs):
    labels, scores = [1, 0, 1, 0], [2, 2, 1, 0]
    # From precision 1/2 at recall 0, not from 1.
    assert theirs(labels, scores) == pytest.approx((1 / 2 + (1 / 2 + 2 / 3) / 2) / 2)
    assert not is_named(labels, scores)


def test_their_number_of_many_scores_is_of_bins(theirs):
    rng = np.random.default_rng(0)
    labels = rng.random(40_000) < 0.002
    scores = rng.permutation(40_000) + 30_000 * labels
    linear = ap.compat.trapezoidal_average_precision_score(labels, scores)
    assert theirs(labels, scores, numBins=0) == pytest.approx(linear)
    assert theirs(labels, scores) < linear - 0.02
    assert not is_named(labels, scores)


# Thresholds
@pytest.mark.parametrize(
    "given",
    [
        {"min_recall": 0.8, "sample_weight": "mass", "groups": "query"},
        {"k": 0.2, "y_score": "price"},
        {"min_precision": 0.5, "confidence_level": 0.8, "y_true": "answer", "pos_label": "yes"},
        {"k": 3, "groups": "own", "sample_weight": "count"},
        {"threshold": 0.35, "y_score": "both", "groups": "number"},
        {"min_recall": 0.5, "y_score": {"one": "score", "two": "single"}},
        {"min_precision": 1.0, "min_recall": 1.0},
    ],
)
def test_thresholds(df, given):
    given = {"y_true": "label", "y_score": "score", "k_counts": "weight", **given}
    arrays = {**COLUMNS, "both": [pair[1] for pair in COLUMNS["both"]]}
    whole = {
        name: arrays[value] if isinstance(value, str) and value in arrays else value
        for name, value in given.items()
    }
    if isinstance(given["y_score"], dict):
        single = np.array(COLUMNS["single"], np.float32)
        whole["y_score"] = {"one": COLUMNS["score"], "two": single}

    def outcome(**given):
        try:
            text = str(ap.operating_point(**given))
            return re.sub(r"^Weighted by \w+", "Weighted", text, flags=re.M)  # arrays have no name
        except ValueError as error:
            return str(error).partition(" (y_score is")[0]

    assert outcome(data=df, **given) == outcome(**whole)


def test_rows_of_weight_0_do_not_make_positives_rare():
    """Most of the others are positive and have one score, as if it was predicted."""
    label = np.array([1] * 60 + [0] * 80)
    weight = np.array([1.0] * 100 + [0.0] * 40)
    inputs = Inputs(y_true=label, y_score=np.ones(140), sample_weight=weight)
    with pytest.warns(UserWarning, match=r"All prediction scores are 1\.0"):
        check_before_evaluation(read_part(inputs)[1], 60, Step(), None)
