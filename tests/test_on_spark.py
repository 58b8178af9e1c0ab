"""Spark DataFrames, in any partitions, have the values of arrays."""

import os
import sys

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._core.on_spark import _evaluate_partition

pd = pytest.importorskip("pandas")
sql = pytest.importorskip("pyspark.sql")

# PySpark uses what pandas 3 deprecates.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

rng = np.random.default_rng(0)
SIZE = 200
FRAME = pd.DataFrame(
    {
        "y": (rng.random(SIZE) < 0.4).astype(int),
        "s": rng.normal(size=SIZE).round(1),
        "whole": rng.integers(-(2**62), 2**62, SIZE),
        "w": rng.random(SIZE).round(2),
        "count": rng.integers(0, 4, SIZE),
        "tenth": 0.1,  # of which sums are rounded
        "grade": rng.integers(0, 4, SIZE),
        "q": [f"q{query}" for query in rng.integers(0, 9, SIZE)],
    }
)
FRAME["text"] = np.where(FRAME["y"] == 1, "yes", "no")
FRAME["is_bad"] = FRAME["y"] == 1
FRAME["none"] = "no"


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", 3).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def table(spark):
    return spark.createDataFrame(FRAME).repartition(4).persist()


AP, PRECISION, MAP = (
    ap.average_precision_score,
    ap.precision_at_k_score,
    ap.mean_average_precision_score,
)
CALLS = [
    (AP, "y", "s", {}),
    (AP, "y", "whole", {}),
    (AP, "is_bad", "s", {"sample_weight": "w"}),
    (AP, "y", "s", {"sample_weight": "tenth", "ties": "worst"}),
    (AP, "text", "s", {"pos_label": "yes", "sample_weight": "count"}),
    (AP, "grade", "s", {"min_grade": 2, "n_positives": 150}),
    (AP, "y", "s", {"sample_weight": "tenth", "n_positives": 90}),
    (AP, "none", "s", {"pos_label": 1, "zero_division": 1.0}),
    (ap.eleven_point_average_precision_score, "y", "s", {"sample_weight": "count"}),
    (PRECISION, "y", "s", {"k": 0.1}),
    *(
        (PRECISION, "y", "s", {"k": k, "k_counts": "samples", "sample_weight": "w"})
        for k in (7, 23, 60, 150)
    ),
    (ap.reciprocal_rank_score, "y", "s", {"ties": "expected"}),
    (MAP, "y", "s", {"groups": "q"}),
    (AP, "y", "s", {"groups": "q", "average": "weighted", "sample_weight": "count"}),
    (AP, "text", "s", {"groups": "q", "average": None, "pos_label": "yes"}),
    (ap.ndcg_score, "grade", "s", {"groups": "q", "k": 3}),
]


def test_values_are_those_of_arrays(table, monkeypatch):
    expected = [metric(y, s, data=FRAME, **data) for metric, y, s, data in CALLS]
    monkeypatch.setattr("sklearn_ap._core.evaluation.read", None)  # nothing is read by the driver
    values = [metric(y, s, data=table, **data) for metric, y, s, data in CALLS]
    for value, wanted, call in zip(values, expected, CALLS, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-12, err_msg=str(call))


def test_weights_that_are_equal_in_a_partition_count_in_the_mean():
    heavy = FRAME["q"] == "q1"
    weight = np.where(heavy, 10, FRAME["count"] + 1)
    columns = {"y_true": FRAME["y"], "y_score": FRAME["s"], "groups": FRAME["q"]}
    frame = pd.DataFrame(columns | {"sample_weight": weight})
    labeled_by = {"pos_label": 1, "min_grade": None, "keep_grades": False}
    found = pd.concat(
        pd.concat(_evaluate_partition(ap.metric("AP")._rule, labeled_by, [part]))
        for _, part in frame.groupby(heavy)
    )
    mass = frame["sample_weight"].where(frame["y_true"] == 1, 0).groupby(frame["groups"]).sum()
    assert found.set_index("name")["n_positives"].to_dict() == mass.to_dict()


def test_what_is_not_counted_is_read(table):
    exist = {"groups": "q", "n_positives": {f"q{query}": 50 for query in range(9)}}
    value = AP("y", "s", data=table, **exist)
    assert value == pytest.approx(AP("y", "s", data=FRAME, **exist))


@pytest.mark.parametrize(
    ("columns", "data", "words"),
    [
        (["case when s > 1 then null else y end as y", "s"], {}, "y_true='y' has .* missing"),
        (["y", "case when s > 1 then double('nan') else s end as s"], {}, "y_score='s' has .* mis"),
        (["y", "case when s > 1 then double('inf') else s end as s"], {}, "infinity"),
        (["grade as y", "s"], {}, "multiple classes"),
        (["grade as y", "s", "q"], {"groups": "q"}, "multiple classes"),
        (["text as y", "s"], {}, "pos_label=1 is not a valid label"),
        (["double(y) as y", "s"], {"pos_label": "yes"}, "pos_label='yes' is not a valid label"),
        (["text as y", "s"], {"pos_label": "yes", "min_grade": 2}, "both say which samples"),
        (["y", "cast(s as decimal(5, 1)) as s"], {}, r"y_score='s' .* decimal\(5,1\)"),
        (["y", "string(s) as s"], {}, "y_score='s' must be integers or floats. Got string"),
        (["y", "s", "w - 0.5d as w"], {"sample_weight": "w"}, "Negative values"),
        (["y", "s", "w", "q"], {"sample_weight": "w", "groups": "q", "ties": "best"}, "weights"),
        (["y", "s"], {"average": "mean"}, "average must be"),
        (["y", "array(s, s, s) as s"], {}, "y_score='s' has 200 missing values"),
    ],
    ids=str,
)
def test_refusals(table, columns, data, words):
    with pytest.raises(ValueError, match=words):
        AP("y", "s", data=table.selectExpr(*columns), **data)


def test_no_rows(table):
    with pytest.raises(ValueError, match="0 sample"):
        AP("y", "s", data=table.where("s > 100"))


def test_evaluator(table, tmp_path):
    from sklearn_ap.spark import MetricEvaluator

    evaluator = MetricEvaluator("P@10", labelCol="y", rawPredictionCol="s", ties="best")
    expected = PRECISION("y", "s", k=10, ties="best", data=FRAME)
    evaluator.write().overwrite().save(str(tmp_path / "evaluator"))
    for each in (evaluator, evaluator.copy(), MetricEvaluator.load(str(tmp_path / "evaluator"))):
        assert each.evaluate(table) == pytest.approx(expected)
    vectors = table.selectExpr("y as label", "array(-s, s) as rawPrediction")
    assert MetricEvaluator().evaluate(vectors) == pytest.approx(AP("y", "s", data=FRAME))


@pytest.mark.slow
def test_evaluator_chooses_the_model_of_a_cross_validation(table):
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.feature import StringIndexer, VectorAssembler
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    from sklearn_ap.spark import MetricEvaluator

    indexer = StringIndexer(inputCol="text", outputCol="label")
    data = VectorAssembler(inputCols=["s", "w"], outputCol="features").transform(table)
    data = indexer.fit(data).transform(data)  # the rarer label is 1
    model = LogisticRegression(maxIter=3)
    search = CrossValidator(
        estimator=model,
        estimatorParamMaps=ParamGridBuilder().addGrid(model.regParam, [0.0, 1.0]).build(),
        evaluator=MetricEvaluator("AP"),
        numFolds=2,
        seed=0,
    ).fit(data)
    predictions = search.bestModel.transform(data)
    found = MetricEvaluator("AP").evaluate(predictions)
    rows = predictions.select("label", "rawPrediction").collect()
    scores = [row["rawPrediction"][1] for row in rows]
    assert found == pytest.approx(AP([row["label"] for row in rows], scores))
    assert len(search.avgMetrics) == 2
    assert all(0 < each < 1 for each in search.avgMetrics)
