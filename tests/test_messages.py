"""Errors that say what to do, where following the advice gives the right value."""

import re
import warnings
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap.compat import identify
from sklearn_ap.inference import confidence_interval
from sklearn_ap.streaming import MetricAccumulator, score_chunks

NAN = float("nan")
LABELS, SCORES = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]


# The column of the positive class


@pytest.fixture(scope="module")
def fraud():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] + rng.normal(size=400) > 2, "fraud", "ok")
    return LogisticRegression().fit(X, y), X, y


def stepwise(y_true, y_score, **options):
    return MetricAccumulator(**options).update(y_true, y_score).result()


def ends(y_true, y_score, **options):
    return ap.hit_curve(y_true, y_score, **options)[1][:20].tolist()


def drawn(y_true, y_score, **options):
    pytest.importorskip("matplotlib")
    return ap.AveragePrecisionDisplay.from_predictions(y_true, y_score, **options).value


@pytest.mark.parametrize("function", [ap.average_precision_score, stepwise, ends, drawn])
@pytest.mark.parametrize("kind", [list, np.asarray, pd.Series, pd.Categorical])
@pytest.mark.parametrize("pos_label", ["fraud", "ok"])
def test_scores_of_two_columns_name_that_of_the_positive_class(function, kind, pos_label, fraud):
    model, X, y = fraud
    y_score, labels = model.predict_proba(X), kind(y)
    with pytest.raises(
        ValueError, match=r"are those of \['fraud', 'ok'\], as in classes_"
    ) as caught:
        function(labels, y_score, pos_label=pos_label)
    advice = re.search(r"y_score\[:, \d\]", str(caught.value)).group()
    right = model.predict_proba(X)[:, list(model.classes_).index(pos_label)]
    assert np.array_equal(eval(advice), right)
    assert function(labels, eval(advice), pos_label=pos_label) == function(
        labels, right, pos_label=pos_label
    )


@pytest.mark.parametrize(
    ("labels", "pos_label", "advice"),
    [
        ([0, 1, 1], 1, r"y_score[:, 1]."),
        ([-1, 1, 1], 1, r"y_score[:, 1]."),
        ([0, 1, 1], 0, r"y_score[:, 0]."),
        ([1, 1, 1], 1, r"y_score[:, 1]."),
        ([False, True, True], True, r"y_score[:, 1]."),
        ([3, 7, 3], 3, r"y_score[:, 0] if its columns are those of [3, 7]"),
        (["ok", "ok", "ok"], "fraud", r"y_score[:, list(model.classes_).index('fraud')]"),
        (["ok", "no", "ok"], 1, r"y_score[:, list(model.classes_).index(pos_label)]"),
    ],
)
def test_which_column_is_advised(labels, pos_label, advice):
    with pytest.raises(ValueError, match=re.escape(advice)):
        ap.average_precision_score(labels, np.ones((3, 2)), pos_label=pos_label)


# Labels that are missing

MISSING = {
    "strings": (["ham", None, "spam", "ham"], "ham"),
    "strings and nan": (["ham", NAN, "spam", "ham"], "ham"),
    "one string and nan": (["ham", NAN, "ham", "ham"], "ham"),
    "booleans": ([True, None, False, True], True),
    "integers": ([1, None, 0, 1], 1),
}
CONTAINERS = {
    "list": list,
    "objects": lambda labels: np.array(labels, dtype=object),
    "pandas": lambda labels: pd.Series(labels, dtype=object),
    "pandas nullable": lambda labels: pd.Series(labels).convert_dtypes(),
    "pandas categories": lambda labels: pd.Series(labels, dtype="category"),
    "polars": lambda labels: pytest.importorskip("polars").Series(labels, strict=False),
    "arrow": lambda labels: pytest.importorskip("pyarrow").array(labels, from_pandas=True),
}


@pytest.mark.parametrize("kind", CONTAINERS)
@pytest.mark.parametrize("missing", MISSING)
def test_missing_labels_are_named(kind, missing):
    labels, pos_label = MISSING[missing]
    if kind == "polars":  # which would make a string of nan
        labels = [None if label != label else label for label in labels]
    for function in (
        ap.average_precision_score,
        ap.hit_curve,
        stepwise,
        drawn,
        confidence_interval,
    ):
        with pytest.raises(ValueError, match=r"^Input y_true contains NaN"):
            function(CONTAINERS[kind](labels), SCORES, pos_label=pos_label)


def test_missing_labels_in_rows():
    with pytest.raises(ValueError, match=r"^Input y_true contains NaN"):
        ap.average_precision_score([[1, 0], [None, 1], [1, 1]], np.eye(3)[:, :2])


# What is not in memory


def of_module(module, name):
    return type(name, (), {"__module__": module, "__len__": lambda self: 4, "shape": (4,)})()


@pytest.mark.parametrize(
    "value",
    [
        of_module("pyspark.sql.classic.column", "Column"),
        of_module("pyspark.sql.connect.dataframe", "DataFrame"),
        of_module("pyspark.pandas.series", "Series"),
    ],
)
def test_what_to_do_with_spark(value):
    taken = {"y_true": LABELS, "y_score": SCORES, "groups": [1, 1, 2, 2]}
    for name in taken:
        words = rf"{name} is a \w+ of pyspark, .*Pass the whole table as data="
        with pytest.raises(TypeError, match=words):
            ap.mean_average_precision_score(**taken | {name: value})


def test_spark_frames_are_known_by_their_modules():
    sql = pytest.importorskip("pyspark.sql.classic.dataframe")
    assert sql.DataFrame.__module__.startswith("pyspark.sql.")
    assert pytest.importorskip("pyspark.sql").Column.__module__.startswith("pyspark.sql.")
    vectors = pytest.importorskip("pyspark.ml.linalg")
    scores = vectors.DenseVector(SCORES).toArray()
    assert ap.average_precision_score(LABELS, scores) == average_precision_score(LABELS, SCORES)


def test_a_column_of_duckdb_is_refused_in_one_line():
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("SELECT (i % 2)::INT AS y, i::DOUBLE AS s FROM range(40) AS t(i)")
    table = relation.df()
    expected = average_precision_score(table["y"], table["s"])
    assert ap.average_precision_score("y", "s", data=relation) == pytest.approx(expected)
    for given in ((relation["y"], table["s"]), (table["y"], relation["s"]), (relation, relation)):
        with pytest.raises(TypeError, match=r"of duckdb, .*the whole table as data=") as caught:
            ap.average_precision_score(*given)
        assert "\n" not in str(caught.value)


def test_large_values_are_not_printed_whole():
    wrong = {"n_positives": pd.Series([1, 2]), "pos_label": pd.DataFrame({"a": range(50)})}
    for option, value in wrong.items():
        with pytest.raises(ValueError, match=r"a Series|a DataFrame") as caught:
            ap.average_precision_score(LABELS, SCORES, **{option: value})
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="n_positives") as caught:
        ap.average_precision_score(LABELS, SCORES, n_positives=10**400)
    assert len(str(caught.value)) < 400


# Streams, scorers and grades


@pytest.mark.parametrize("loaders", [["a.parquet"], "a.parquet", [([0, 1], [1, 2])]])
def test_loaders_are_functions(loaders):
    with pytest.raises(TypeError, match=r"must be a function .*functools\.partial\(load, file\)"):
        score_chunks(loaders)


@pytest.mark.parametrize("name", ["bedroc", "pr_auc", "lift", "ndcg_at_10", "auc"])
def test_unknown_names_suggest_nothing_unrelated(name):
    with pytest.raises(ValueError, match=rf"Got '{name}' instead") as caught:
        ap.get_scorer(name)
    assert "Did you mean" not in str(caught.value)
    assert str(caught.value).count("get_scorer_names") == 1


def test_a_scorer_of_three_classes_has_no_positive_one():
    with pytest.raises(ValueError, match=r"pos_label='a' is for two classes.*y == 'a'"):
        ap.make_ap_scorer(classes=["a", "b", "c"], pos_label="a")
    with pytest.raises(ValueError, match=r"pos_label='c' is not one of the classes \['a', 'b'\]"):
        ap.make_ap_scorer(classes=["a", "b"], pos_label="c")
    for made in ({"classes": ["a", "b", "c"]}, {"classes": ["a", "b"], "pos_label": "b"}):
        assert callable(ap.make_ap_scorer(**made))
        assert callable(ap.get_scorer("average_precision", **made))


def test_grades_with_groups_point_to_min_grade():
    grades, scores, groups = np.array([0, 1, 2, 0, 3, 1]), [1, 2, 3, 6, 5, 4], [1, 1, 1, 2, 2, 2]
    for function in (ap.mean_average_precision_score, ap.average_precision_score):
        with pytest.raises(ValueError, match="For grades, pass min_grade, the lowest grade"):
            function(grades, scores, groups=groups)
        expected = np.mean(
            [
                average_precision_score(grades[part] >= 1, np.array(scores)[part])
                for part in (slice(0, 3), slice(3, 6))
            ]
        )
        value = function(grades, scores, groups=groups, min_grade=1)
        assert value == pytest.approx(expected)


# How many positives exist

ONE = {
    "array without dimensions": np.array(3),
    "Decimal": Decimal(3),
    "Fraction": Fraction(3),
    "NumPy's number": np.int32(3),
    "float": 3.0,
    "array API": lambda: pytest.importorskip("array_api_strict").asarray(3),
}


@pytest.mark.parametrize("three", ONE.values(), ids=ONE)
def test_one_number_of_positives(three):
    three = three() if callable(three) else three
    labels, scores = [0, 1, 1], [1, 2, 3]
    expected = average_precision_score(labels, scores) * 2 / 3  # no negative ranks above any
    given = {"n_positives": three}
    assert ap.average_precision_score(labels, scores, **given) == pytest.approx(expected)
    stream = MetricAccumulator().update(labels, scores)
    assert stream.result(**given) == pytest.approx(expected)
    values = ap.average_precision_score(
        labels, scores, groups=[1, 1, 2], n_positives={1: three, 2: 1}, average=None
    )
    assert values.tolist() == pytest.approx([1 / 3, 1])
    both = ap.average_precision_score(
        np.array([[0, 1, 1]] * 2).T, np.array([scores] * 2).T, n_positives=[three, 2], average=None
    )
    assert both.tolist() == pytest.approx([2 / 3, 1])


@pytest.mark.parametrize("wrong", [10**400, Decimal("nan"), Decimal("sNaN"), Decimal(-1), "3"])
def test_what_is_no_number_of_positives(wrong):
    labels, scores = [0, 1, 1], [1, 2, 3]
    for call in (
        lambda: ap.average_precision_score(labels, scores, n_positives=wrong),
        lambda: MetricAccumulator().update(labels, scores).result(n_positives=wrong),
        lambda: ap.average_precision_score(
            labels, scores, groups=[1, 1, 1], n_positives={1: wrong}
        ),
    ):
        with pytest.raises(ValueError, match=r"in the range \[0, 2\*\*53\]"):
            call()


TABLE = pd.DataFrame({"cat": [1, 0, 1, 0], "dog": [0, 1, 1, 0], "eel": [1, 0, 0, 0]})
COLUMNS = np.arange(12.0).reshape(4, 3)[:, ::-1] % 7
EXIST = [2, 4, 3]


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(EXIST, index=["cat", "dog", "eel"]),
        pd.Series([3, 2, 4], index=["eel", "cat", "dog"]),
        pd.Series(EXIST),
    ],
)
def test_a_series_of_one_number_for_each_column(series):
    expected = ap.average_precision_score(TABLE, COLUMNS, n_positives=EXIST, average=None)
    given = {"n_positives": series, "average": None}
    assert np.array_equal(ap.average_precision_score(TABLE, COLUMNS, **given), expected)
    if list(series) == EXIST:  # columns without names
        found = ap.average_precision_score(TABLE.to_numpy(), COLUMNS, **given)
        assert np.array_equal(found, expected)
    with pytest.raises(ValueError, match=r"numbers for \['cat', 'dog', 'cow'\], but the columns"):
        ap.average_precision_score(
            TABLE, COLUMNS, n_positives=pd.Series(EXIST, index=["cat", "dog", "cow"])
        )


def test_a_series_of_one_number_for_each_class():
    y_true = ["b", "c", "c", "a", "c"]
    y_score = np.random.default_rng(0).random((5, 3))
    counted = pd.Series(y_true).value_counts()  # c comes first
    assert counted.index[0] == "c"
    expected = ap.average_precision_score(y_true, y_score, n_positives=[2, 2, 6], average=None)
    given = {"n_positives": 2 * counted, "average": None}
    given["n_positives"] = pd.Series({"c": 6, "a": 2, "b": 2})
    assert np.array_equal(ap.average_precision_score(y_true, y_score, **given), expected)
    assert np.array_equal(
        ap.average_precision_score(y_true, y_score, n_positives=counted, average=None),
        ap.average_precision_score(y_true, y_score, average=None),
    )


def test_a_stream_does_not_pass_over_numbers_for_groups():
    stream = MetricAccumulator().update(LABELS, SCORES)
    for call in (stream.result, stream.bounds, stream.confidence_interval):
        with pytest.raises(ValueError, match="there are no groups"):
            call(n_positives={1: 5})
        with pytest.raises(ValueError, match="must be one number"):
            call(n_positives=pd.Series([5, 6]))


# What was probably meant


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        *[(10.0, "10"), (np.float64(20), "20"), ("10", "10"), ("1%", "0.01"), ("0.5 %", "0.005")],
        *[("0.1", "0.1"), ("1.0", None), (50.5, None), ("150%", None), (-3.0, None), (True, None)],
        *[(np.inf, None), (np.nan, None), ("1e400", None), ("top", None), ([10], None)],
    ],
)
def test_k_suggests_the_number_that_was_meant(given, meant):
    for ask in (
        lambda: ap.precision_at_k_score(LABELS, SCORES, k=given),
        lambda: ap.operating_point(LABELS, SCORES, k=given),
        lambda: ap.metric("precision_at_k", k=given),
        lambda: ap.make_ap_scorer("precision_at_k", k=given),
        lambda: identify("0.5", LABELS, SCORES, k=given),
    ):
        with pytest.raises(ValueError, match="'k' parameter") as caught:
            ask()
        found = re.search(r" Did you mean (.*)\?$", str(caught.value))
        assert (found and found[1]) == meant


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        *[(80, "0.8"), (99.5, "0.995"), ("80%", "0.8"), ("80", "0.8"), ("0.8", "0.8")],
        *[(100, "1.0"), (1.5, None), (101, None), (-0.5, None), (np.nan, None), ("high", None)],
    ],
)
def test_a_share_suggests_the_number_that_was_meant(given, meant):
    for ask in (
        lambda: ap.precision_at_recall_score(LABELS, SCORES, min_recall=given),
        lambda: ap.operating_point(LABELS, SCORES, min_precision=given),
        lambda: ap.metric("recall_at_precision", min_precision=given),
    ):
        with pytest.raises(ValueError, match=r"'min_.*' parameter") as caught:
            ask()
        found = re.search(r" Did you mean (.*)\?$", str(caught.value))
        assert (found and found[1]) == meant
    with pytest.raises(ValueError, match="'confidence_level' parameter") as caught:
        ap.confidence_interval(LABELS, SCORES, confidence_level=given)
    found = re.search(r" Did you mean (.*)\?$", str(caught.value))
    assert (found and found[1]) == (None if given == 100 else meant)


FUNCTIONS = {
    "metric": ap.average_precision_score,
    "metric at k": ap.average_precision_at_k_score,
    "bounds": ap.metric_bounds,
    "interval": confidence_interval,
    "compare": lambda y, s: ap.compare(y, s, SCORES),
    "report": lambda y, s: ap.report(y, {"a": s}, metrics=["AP"]),
    "influence": ap.influence,
    "threshold": lambda y, s: ap.operating_point(y, s, k=2),
    "curve": ap.hit_curve,
    "identify": lambda y, s: identify("0.5", y, s),
    "stream": lambda y, s: MetricAccumulator().update(y, s),
}
each_function = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)


@each_function
@pytest.mark.parametrize(
    "once", [lambda x: (i for i in x), iter, lambda x: dict(enumerate(x)).values()]
)
def test_a_generator_is_told_to_become_a_list(function, once):
    with pytest.raises(ValueError, match=r"pass (list\(y_score(_a)?\)|a list for each model)\.$"):
        function(LABELS, once(SCORES))
    with pytest.raises(ValueError, match=r"pass list\(y_true\)\.$"):
        function(once(LABELS), SCORES)


@each_function
@pytest.mark.parametrize("model", [LogisticRegression(), make_pipeline(LogisticRegression())])
def test_an_estimator_gets_the_same_advice_in_any_place(function, model):
    for given in ((model, SCORES), (LABELS, model)):
        with pytest.raises((TypeError, ValueError), match=r"estimator.*predict_proba"):
            function(*given)


def _tables(tmp_path):
    frame = pd.DataFrame({"y": LABELS, "s": ["spam", "ham"] * 2, "g": [0.0, np.nan, 2.0, 1.0]})
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.Table.from_pandas(frame)
    parquet.write_table(table, tmp_path / "x.parquet")
    return [frame, table, tmp_path / "x.parquet"]


@each_function
def test_text_as_scores_asks_whether_it_is_labels(function):
    words = r"Are these labels\? y_score needs what predict_proba or decision_function returns"
    for labels in (["spam", "ham"] * 2, np.array(["no", "no", "yes", "no"], dtype=object)):
        with pytest.raises(ValueError, match=words):
            function(LABELS, labels)
    with pytest.raises(ValueError, match=r"Convert your data to numeric values explicitly") as kept:
        function(LABELS, ["0.1", "0.2", "1e-3", "nan"])
    assert "labels?" not in str(kept.value)


def test_text_as_scores_in_tables(tmp_path):
    for table in _tables(tmp_path):
        with pytest.raises(ValueError, match=r"y_score .* Are these labels\?"):
            ap.average_precision_score("y", "s", data=table)


def test_missing_grades_say_what_search_does():
    grades = [0.0, np.nan, 2.0, 1.0]
    for function in (ap.average_precision_score, confidence_interval, ap.hit_curve):
        with pytest.raises(ValueError, match=r"nobody judged .* give them grade 0"):
            function(grades, SCORES, min_grade=2)
    filled = pd.Series(grades).fillna(0)
    left = [0, 2, 3]
    assert ap.recall_at_k_score(filled, SCORES, min_grade=2, k=2) == 1
    assert ap.recall_at_k_score(filled[left], np.take(SCORES, left), min_grade=2, k=2) == 1


# The keys of n_positives


GROUPS = ["301", "302"] * 2


@pytest.mark.parametrize("make", [dict, pd.Series])
@pytest.mark.parametrize(
    "function",
    [
        ap.mean_average_precision_score,
        confidence_interval,
        partial(identify, "0.5"),
        lambda y, s, **k: ap.report(y, {"a": s}, metrics=["AP"], **k),
    ],
)
def test_keys_of_another_type_than_groups_are_named(function, make):
    words = "The key 301 is an int, but the group '301' is a str"
    with pytest.raises(ValueError, match=words):
        function(LABELS, SCORES, groups=GROUPS, n_positives=make({301: 1, 302: 2}))
    words = "The key '301' is a str, but the group 301 is an int"
    with pytest.raises(ValueError, match=words):
        function(LABELS, SCORES, groups=[301, 302] * 2, n_positives=make({"301": 1, "302": 2}))
    with pytest.raises(ValueError, match=r"no number for the group '302', .* each group\.$"):
        function(LABELS, SCORES, groups=GROUPS, n_positives=make({"301": 1}))


def test_keys_of_another_type_than_clusters_are_named():
    with pytest.raises(ValueError, match="The key 302 is an int, but the cluster '302' is a str"):
        confidence_interval(LABELS, SCORES, clusters=GROUPS, n_positives={301: 1, 302: 2})


def test_keys_that_are_no_times_are_refused_in_words():
    days = np.array(["2026-01-01", "2026-01-02"] * 2, dtype="M8[D]")
    for keys in ({1: 1, 2: 1}, {"monday": 1, "tuesday": 1}):
        with pytest.raises(ValueError, match="need times as the keys of n_positives"):
            ap.mean_average_precision_score(LABELS, SCORES, groups=days, n_positives=keys)


def test_groups_that_cannot_be_pairs_are_refused_in_words():
    with pytest.raises(TypeError, match="groups must be hashable"):
        confidence_interval(
            LABELS, SCORES, groups=[[1], [2]] * 2, clusters=[1, 2, 3, 4], n_positives={(1, 2): 3}
        )


def test_pairs_the_other_way_round_are_swapped_as_advised():
    clusters = [1, 2, 3, 4]
    given = {"groups": GROUPS, "clusters": clusters}
    pairs = dict.fromkeys(zip(GROUPS, clusters, strict=True), 1)
    n_positives = {(cluster, group): n for (group, cluster), n in pairs.items()}
    with pytest.raises(
        ValueError, match=r"\(1, '301'\) seems to be .* \(cluster, group\)"
    ) as caught:
        confidence_interval(LABELS, SCORES, n_positives=n_positives, **given)
    advice = re.search(r"\{.*\}", str(caught.value)).group()
    assert eval(advice, {"n_positives": n_positives}) == pairs
    confidence_interval(LABELS, SCORES, n_positives=pairs, **given)


# The order of rows

FRAME = pd.DataFrame(
    {
        "label": [1, 0, 1, 0, 1, 0, 0, 1],
        "score": [0.9, 0.3, 0.8, 0.4, 0.7, 0.2, 0.6, 0.5],
        "other": [0.1, 0.8, 0.7, 0.3, 0.6, 0.2, 0.5, 0.4],
        "weight": [1, 2, 1, 3, 1, 1, 2, 1],
        "group": list("aabbaabb"),
    }
)
LABEL, SCORE, OTHER = FRAME["label"], FRAME["score"], FRAME["other"]
SHUFFLED = FRAME.sample(frac=1, random_state=0)
BY_NAME = FRAME.set_index(pd.Index(list("hgfedcba"), name="id"))
TWICE = FRAME.set_index(pd.Index(list("aabbccdd"), name="query"))


def long_index(values):
    return pd.Series(np.arange(len(values)) % 2, index=values)


NAMES = [f"row {number}" for number in range(3000)]
SWAPPED = [*NAMES[:1000], NAMES[1001], NAMES[1000], *NAMES[1002:]]
OBJECTS = pd.Index(NAMES, dtype=object)
SWAP = OBJECTS.get_indexer(SWAPPED)
EQUAL_OBJECTS = pd.Index([f"row {number}" for number in range(3000)], dtype=object)
LEVELS = pd.MultiIndex.from_product([range(30), NAMES[:100]])


def order_warnings(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught if "different orders" in str(each.message)]


def test_rows_in_another_order_are_paired_by_position_with_a_warning():
    by_score = SCORE.sort_values()
    with pytest.warns(UserWarning, match="y_true and y_score have the same index values in diff"):
        value = ap.average_precision_score(LABEL, by_score)
    assert value == ap.average_precision_score(LABEL.to_numpy(), by_score.to_numpy())
    (words,) = order_warnings(lambda: ap.average_precision_score(LABEL, by_score))
    assert "pass y_score.reindex(y_true.index)" in words
    assert "pass y_score.to_numpy()" in words
    aligned = ap.average_precision_score(LABEL, by_score.reindex(LABEL.index))
    assert aligned == ap.average_precision_score(LABEL, SCORE)
    assert ap.average_precision_score(LABEL, by_score.to_numpy()) == value


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: ap.average_precision_score(BY_NAME.label, BY_NAME.score.sort_index()),
            r"\('id'\)",
        ),
        (
            lambda: ap.average_precision_score(TWICE.label, TWICE.score.sort_values()),
            r"\('query'\).* more than once",
        ),
        (lambda: ap.average_precision_score(FRAME[["label"]], FRAME[["score"]][::-1]), "y_score"),
        (lambda: ap.average_precision_score("label", SCORE[::-1], data=FRAME), "y_score"),
        (
            lambda: ap.average_precision_score(
                BY_NAME.set_index("group", append=True).label,
                BY_NAME.set_index("group", append=True).score[::-1],
            ),
            r"\('id', 'group'\)",
        ),
        (
            lambda: ap.recall_at_k_score(LABEL, SCORE, k=2, sample_weight=FRAME.weight[::-1]),
            "sample_weight",
        ),
        (lambda: ap.precision_at_k_score(long_index(NAMES), long_index(NAMES[::-1])), "y_score"),
        (lambda: ap.precision_at_k_score(long_index(NAMES), long_index(SWAPPED)), "y_score"),
        (
            lambda: ap.precision_at_k_score(long_index(OBJECTS), long_index(OBJECTS[SWAP])),
            "y_score",
        ),
        (lambda: ap.mean_average_precision_score(LABEL, SCORE, groups=FRAME.group[::-1]), "groups"),
        (lambda: ap.confidence_interval(LABEL, SCORE, clusters=FRAME.group[::-1]), "clusters"),
        (lambda: ap.influence(LABEL, SCORE[::-1]), "y_score"),
        (lambda: ap.compare(LABEL, SCORE, OTHER[::-1]), "y_score_b"),
        (lambda: ap.compare(LABEL, {"a": SCORE, "b": OTHER[::-1]}), r"y_score_a\['b'\]"),
        (lambda: ap.compare([1, 0] * 4, {"a": SCORE[::-1], "b": SHUFFLED.other}), "'b'"),
        (
            lambda: ap.report(LABEL, {"a": SCORE[::-1], "b": OTHER[::-1]}, metrics=["AP", "P@3"]),
            r"y_score\['a'\]",
        ),
        (
            lambda: ap.report(
                LABEL, SCORE, metrics=["AP", ap.metric("AP", sample_weight=FRAME.weight[::-1])]
            ),
            "sample_weight",
        ),
        (lambda: ap.operating_point(LABEL, SCORE[::-1], k=3), "y_score"),
        (lambda: ap.interpolated_precision_recall_curve(LABEL, SCORE[::-1]), "y_score"),
        (lambda: ap.hit_curve(LABEL, SCORE[::-1]), "y_score"),
        (lambda: compat.identify(0.5, LABEL, SCORE[::-1]), "y_score"),
        (lambda: compat.explain(LABEL, SCORE[::-1]), "y_score"),
        (lambda: compat.trapezoidal_average_precision_score(LABEL, SCORE[::-1]), "y_score"),
        (lambda: MetricAccumulator().update(LABEL, SCORE[::-1]), "y_score"),
    ],
)
def test_the_order_of_rows_is_noticed_once_in_each_call(call, words):
    (message,) = order_warnings(call)
    assert re.search(words, message)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ap.average_precision_score(LABEL, SCORE),
        lambda: ap.average_precision_score(SHUFFLED.label, pd.Series(SCORE.to_numpy())),
        lambda: ap.average_precision_score(SHUFFLED.label, SHUFFLED.score.copy()),
        lambda: ap.average_precision_score(LABEL, SCORE.set_axis(range(10, 18))),
        lambda: ap.average_precision_score(LABEL.set_axis(list("abcdefgh")), SCORE),
        lambda: ap.average_precision_score(BY_NAME.label, TWICE.score),
        lambda: ap.average_precision_score(TWICE.label, TWICE.score.copy()),
        lambda: ap.average_precision_score(long_index(NAMES), long_index(list(NAMES))),
        lambda: ap.average_precision_score(long_index(NAMES[1:]), long_index(NAMES[:-1])),
        lambda: ap.average_precision_score(long_index(NAMES), long_index([*SWAPPED[:-1], "other"])),
        lambda: ap.average_precision_score(
            long_index(NAMES[:2001] + NAMES[2002:]), long_index(NAMES[:1001] + NAMES[1002:])
        ),
        lambda: ap.average_precision_score(long_index(OBJECTS), long_index(NAMES)),
        lambda: ap.average_precision_score(
            long_index(pd.interval_range(0, len(NAMES))), long_index(NAMES)
        ),
        lambda: ap.average_precision_score(long_index(OBJECTS), long_index(EQUAL_OBJECTS)),
        lambda: ap.average_precision_score(long_index(LEVELS), long_index(LEVELS.copy(deep=True))),
        lambda: ap.average_precision_score(
            LABEL.set_axis(np.arange(8, dtype=np.int32)), SCORE.set_axis(np.arange(8.0))
        ),
        lambda: ap.average_precision_score("label", "score", data=SHUFFLED, sample_weight="weight"),
        lambda: ap.compare(SHUFFLED.label, {"a": SHUFFLED.score, "b": pd.Series([*OTHER])}),
        lambda: GridSearchCV(
            LogisticRegression(), {"C": [1, 2]}, scoring=ap.get_scorer("AP"), cv=2
        ).fit(SHUFFLED[["score"]], SHUFFLED.label, sample_weight=SHUFFLED.weight),
    ],
)
def test_rows_in_one_order_need_no_warning(call):
    assert not order_warnings(call)


def test_displays_notice_the_order_of_rows_once():
    pytest.importorskip("matplotlib").use("agg")
    model, weight = LogisticRegression().fit(FRAME[["score"]], LABEL), FRAME.weight[::-1]
    folds = cross_validate(
        model, FRAME[["score"]], LABEL, cv=2, return_estimator=True, return_indices=True
    )
    for call in (
        lambda: ap.AveragePrecisionDisplay.from_predictions(LABEL, SCORE[::-1]),
        lambda: ap.HitCurveDisplay.from_predictions(LABEL, SCORE[::-1]),
        lambda: ap.AveragePrecisionDisplay.from_estimator(
            model, FRAME[["score"]], LABEL, sample_weight=weight
        ),
        lambda: ap.AveragePrecisionDisplay.from_cv_results(
            folds, FRAME[["score"]], LABEL, sample_weight=weight
        ),
    ):
        assert len(order_warnings(call)) == 1


@pytest.mark.parametrize(
    ("call", "option", "why"),
    [
        (ap.average_precision_score, "clusters", "Only intervals and comparisons depend on"),
        (ap.hit_curve, "average", "there is nothing to average"),
        (ap.hit_curve, "zero_division", "A curve has no single value"),
        (ap.metric_bounds, "classes", "evaluate one class at a time, as in y_true == label"),
        (compat.explain, "zero_division", "is part of what it reports"),
        (compat.sklearn_average_precision_score, "groups", "of scikit-learn has no such"),
        (lambda y, s, **o: ap.get_scorer("AP", **o), "clusters", "Only intervals"),
        (MetricAccumulator().update, "pos_label", "when you create the MetricAccumulator"),
        (lambda y, s, **o: MetricAccumulator().update(y, s).result(**o), "groups", "to update"),
        (lambda y, s, **o: score_chunks([lambda: (y, s)], **o), "groups", "whose update takes"),
    ],
)
def test_a_parameter_that_a_function_lacks_is_refused_with_the_reason(call, option, why):
    with pytest.raises(TypeError, match=why):
        call(LABELS, SCORES, **{option: LABELS})
