"""Advice of errors, which gives the right value if followed, and rows in different orders."""

import warnings
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.tree import DecisionTreeClassifier

import sklearn_ap as ap
from sklearn_ap import AveragePrecisionDisplay as Areas
from sklearn_ap import compat

from . import oracle
from .examples import AP, MAP, NAN, P, S, Y
from .oracle import near
from .tables import TABLES

# Labels


@pytest.mark.parametrize("function", [AP, ap.hit_curve])
@pytest.mark.parametrize("kind", [list, np.asarray, pd.Series, pd.Categorical])
@pytest.mark.parametrize(("pos_label", "column"), [("fraud", 0), ("ok", 1)])
def test_scores_of_two_columns_name_that_of_the_positive_class(function, kind, pos_label, column):
    labels, y_score = kind(["ok", "fraud", "ok"]), np.array([[0.1, 0.9], [0.4, 0.6], [0.6, 0.4]])
    words = rf"Pass .* as y_score\[:, list\(model.classes_\).index\('{pos_label}'\)\]"
    with pytest.raises(ValueError, match=words):
        function(labels, y_score, pos_label=pos_label)
    value = AP(labels, y_score[:, column], pos_label=pos_label)
    assert value == near({"fraud": 1 / 2, "ok": 5 / 6}[pos_label])


VECTORS = ["list", "array", "struct"]


def vectors_of(kind):
    """A table with a column of vectors of two entries."""
    pa = pytest.importorskip("pyarrow")
    label, entries = np.arange(40) % 2, np.tile([0.6, 0.8], (40, 1))
    if kind == "struct":
        rows = [dict(zip(("no", "it's 1"), row, strict=True)) for row in entries.tolist()]
        column = pa.array(rows, pa.struct([(name, pa.float64()) for name in rows[0]]))
    else:
        number = pa.list_(pa.float64(), 2 if kind == "array" else -1)
        column = pa.array(entries.tolist(), number)
    return pa.table({"label": label, "p": column})


OF_VECTORS = (
    r"^y_score must contain numbers, but it is a column of vectors, such as (\[0\.6, 0\.8\]|"
    r"\{'no': 0\.6, \"it's 1\": 0\.8\})\. Take the entry of the positive class\."
)


def skip_columns_of_classes(kind, vectors):
    if kind == "dict" and vectors != "struct":
        pytest.skip("a list of lists has a column of each class, for which other advice is given")


@pytest.mark.sweep(6)
@pytest.mark.parametrize("vectors", VECTORS)
@pytest.mark.parametrize("kind", [*TABLES])
def test_columns_of_vectors(kind, vectors, tmp_path):
    skip_columns_of_classes(kind, vectors)
    if (kind, vectors) == ("Ibis", "array"):
        pytest.skip("its backend for polars takes Arrays for Lists")
    data = TABLES[kind](vectors_of(vectors), tmp_path)
    for call in (AP, ap.report):
        with pytest.raises(ValueError, match=rf"{OF_VECTORS} \(y_score is the column 'p'\)$"):
            call("label", "p", data=data)


@pytest.mark.parametrize("vectors", VECTORS)
@pytest.mark.parametrize(
    "kind", ["pandas", "pandas with Arrow", "dict", "polars", "PyArrow table", "NumPy"]
)
def test_vectors_without_a_table(kind, vectors):
    skip_columns_of_classes(kind, vectors)
    rows = vectors_of(vectors)
    table = TABLES.get(kind, TABLES["pandas"])(rows, None)
    y_score = table["p"].to_numpy() if kind == "NumPy" else table["p"]
    with pytest.raises(ValueError, match=f"{OF_VECTORS}$"):
        AP(rows["label"], y_score)


LABELS, GUESSES = np.arange(36) % 2, np.arange(36) // 3 % 2  # of which the latter rank them badly
COLUMN = GUESSES[:, np.newaxis]
TREE = DecisionTreeClassifier().fit(COLUMN, GUESSES)
PREDICTED = "only the prediction scores .* and .*Are these predicted classes"


def lazy(**columns):
    return pytest.importorskip("polars").LazyFrame(columns)


@pytest.mark.parametrize(
    "call",
    [
        lambda: AP(LABELS, GUESSES),
        lambda: AP(LABELS.tolist(), GUESSES.astype(float).tolist()),
        lambda: AP(pd.Series(LABELS == 1), pd.Series(GUESSES == 1)),
        lambda: AP(2 * LABELS - 1, 2 * GUESSES - 1),
        lambda: AP("y", "s", data={"y": LABELS, "s": GUESSES}),
        lambda: AP("y", "s", data=lazy(y=LABELS, s=GUESSES)),
        lambda: make_scorer(AP)(TREE, COLUMN, LABELS),
    ],
)
def test_metrics_warn_of_predicted_labels(call):
    with pytest.warns(UserWarning, match=PREDICTED) as caught:
        assert call() == near(oracle.step(LABELS, GUESSES))
    assert len(caught) == 1


def test_metrics_of_groups_and_columns_warn_of_predicted_labels():
    groups = np.repeat([0, 1], 18)
    expected = oracle.step(LABELS[:18], GUESSES[:18]) + oracle.step(LABELS[18:], GUESSES[18:])
    two_rows = np.c_[LABELS, 1 - LABELS], np.c_[GUESSES, 1 - GUESSES]
    for mean in (
        lambda: MAP(LABELS, GUESSES, groups=groups),
        lambda: MAP("y", "s", groups="g", data=lazy(y=LABELS, s=GUESSES, g=groups)),
    ):
        with pytest.warns(UserWarning, match=PREDICTED):
            assert mean() == near(expected / 2)
    with pytest.warns(UserWarning, match=PREDICTED):
        AP(*two_rows)


@pytest.mark.parametrize(
    "call",
    [
        ap.hit_curve,
        ap.interpolated_precision_recall_curve,
        partial(ap.hit_curve, groups=np.repeat([0, 1], 18)),
        ap.AveragePrecisionDisplay.from_predictions,
        ap.HitCurveDisplay.from_predictions,
        compat.explain,
        partial(compat.identify, value=0.5),
        partial(ap.operating_point, min_recall=0.5),
        partial(ap.operating_point, k=18),
        partial(ap.operating_point, threshold=0.5),
        partial(ap.operating_point, k=18, groups=np.repeat([0, 1], 18)),
        ap.confidence_interval,
    ],
)
def test_all_else_that_ranks_warns_of_predicted_labels(call):
    with pytest.warns(UserWarning, match=PREDICTED) as caught:
        call(y_true=LABELS, y_score=GUESSES)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "If the model itself gives only two scores" in str(caught[0].message)


@pytest.mark.parametrize(
    "call",
    [
        ap.hit_curve,
        ap.interpolated_precision_recall_curve,
        ap.AveragePrecisionDisplay.from_predictions,
        ap.HitCurveDisplay.from_predictions,
        partial(ap.operating_point, min_recall=0.5),
    ],
)
def test_of_several_models_the_one_with_predicted_labels_is_named(call):
    models = {"ranked": LABELS + np.arange(36) / 36, "guessed": GUESSES * 0}
    with pytest.warns(UserWarning, match="All prediction scores of the model 'guessed' are 0"):
        call(y_true=LABELS, y_score=models)


def test_displays_of_estimators_know_what_they_rank():
    ap.AveragePrecisionDisplay.from_estimator(TREE, COLUMN, LABELS)


RARE = np.arange(100) % 50 == 7  # 2% positives
PREDICTED_LABELS = {
    "no positive predicted": {"y_true": RARE, "y_score": np.zeros(100)},
    "no positive predicted, as integers": {"y_true": RARE, "y_score": np.zeros(100, int)},
    "no positive predicted, though common": {"y_true": LABELS, "y_score": GUESSES * 0},
    "no negative predicted": {"y_true": ~RARE, "y_score": np.ones(100)},
    "no outlier predicted": {"y_true": np.where(RARE, 1, -1), "y_score": np.full(100, -1)},
    "predicted outliers": {"y_true": LABELS, "y_score": 1 - 2 * GUESSES},
    "encoded": {
        "y_true": np.where(LABELS, "fraud", "legit"),
        "y_score": 1 - GUESSES,
        "pos_label": "fraud",
    },
    "encoded, other labels": {"y_true": LABELS + 1, "y_score": GUESSES, "pos_label": 2},
}


def in_passes(**given):
    columns = {name: given.pop(name) for name in ("y_true", "y_score")}
    return AP("y_true", "y_score", data=lazy(**columns), **given)


def in_groups(y_true, **given):
    return MAP(y_true, groups=np.arange(len(y_true)) % 2, zero_division=0.0, **given)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("given", PREDICTED_LABELS.values(), ids=list(PREDICTED_LABELS))
@pytest.mark.parametrize(
    "call",
    [
        AP,
        partial(P, k=1),
        in_passes,
        in_groups,
        ap.hit_curve,
        ap.interpolated_precision_recall_curve,
        ap.AveragePrecisionDisplay.from_predictions,
        compat.explain,
    ],
)
def test_predicted_labels_are_noticed_where_they_are_common(call, given):
    with pytest.warns(UserWarning, match="Are these predicted classes") as caught:
        call(**given)
    assert len(caught) == 1


@pytest.mark.parametrize("given", PREDICTED_LABELS.values(), ids=list(PREDICTED_LABELS))
@pytest.mark.parametrize("call", [ap.confidence_interval, ap.report])
def test_intervals_notice_predicted_labels(call, given):
    with pytest.warns(UserWarning, match="predicted classes|that of random guessing"):
        call(**given)


@pytest.mark.filterwarnings("error")
def test_two_scores_that_are_no_labels():
    """The few rows of an example may look like anything, and so may the scores of a small tree."""
    for scores in (GUESSES / 2, GUESSES + 1, 2 * GUESSES, np.arange(36) % 3):
        assert AP(LABELS, scores) == near(oracle.step(LABELS, scores))
    labels, guesses = LABELS[:29], GUESSES[:29]
    for scores in (guesses * 0, guesses + 0.5, 2 * guesses - 1, guesses, guesses == 1):
        assert AP(labels, scores) == near(oracle.step(labels, scores))
    for scores in (RARE * 0 + 0.02, RARE * 0 + 1.0, RARE * 0 - 1, np.arange(100) % 3):
        assert AP(RARE, scores) == near(oracle.step(RARE, scores))
    assert AP(LABELS, GUESSES, min_grade=1) == near(oracle.step(LABELS, GUESSES))
    assert ap.ndcg_score(np.arange(36) % 4, GUESSES) > 0  # a feature ranks by grades
    point = ap.operating_point([1, 0], [1, 0], k=1)
    assert point.check(LABELS, GUESSES).precision.value == np.mean(LABELS[GUESSES == 1])


def test_scorers_know_what_they_rank():
    expected = near(oracle.step(LABELS, GUESSES))
    assert ap.make_ap_scorer()(TREE, COLUMN, LABELS) == expected  # which has these probabilities
    with pytest.warns(UserWarning, match=PREDICTED):
        make_scorer(AP)(TREE, COLUMN, LABELS)
    with pytest.warns(UserWarning, match=r"^The prediction .* as a decision tree can, ignore"):
        assert ap.make_ap_scorer()(TREE, COLUMN, LABELS.astype(float)) == expected


def test_spark_frames_are_known_by_their_modules():
    sql = pytest.importorskip("pyspark.sql.classic.dataframe")
    assert sql.DataFrame.__module__.startswith("pyspark.sql.")
    assert pytest.importorskip("pyspark.sql").Column.__module__.startswith("pyspark.sql.")
    assert AP(Y, pytest.importorskip("pyspark.ml.linalg").DenseVector(S).toArray()) == AP(Y, S)


def test_a_column_of_duckdb_is_refused():
    relation = pytest.importorskip("duckdb").sql("SELECT 1 AS y, 0.5 AS s")
    for given in ((relation["y"], [0.5]), ([1], relation["s"]), (relation, relation)):
        with pytest.raises(TypeError, match=r"^[^\n]*of duckdb, .*the whole table as data="):
            AP(*given)
    assert AP("y", "s", data=relation) == 1


NEITHER = ["150%", -3.0, True, NAN, "1e400", "top", [10]]


@pytest.mark.parametrize(
    ("call", "values"),
    [
        (lambda k: P(Y, S, k=k), [50.5, "1.0"]),  # "1.0" can be a count or a share
        (lambda share: ap.operating_point(Y, S, min_precision=share), [1.5, 150]),
        (lambda level: ap.confidence_interval(Y, S, confidence_level=level), [1.5, 150]),
    ],
)
def test_what_no_allowed_value_resembles_suggests_none(call, values):
    for value in values + NEITHER:
        with pytest.raises(ValueError, match=r"parameter of \w+ must (?!.*Did you mean)"):
            call(value)


# How many positives exist


@pytest.mark.parametrize("three", [np.array(3), Decimal(3), Fraction(3), np.int32(3), 3.0, None])
def test_one_number_of_positives(three):
    if three is None:
        three = pytest.importorskip("array_api_strict").asarray(3)
    labels, scores = [0, 1, 1], [1, 2, 3]
    assert AP(labels, scores, n_positives=three) == pytest.approx(2 / 3)
    groups = {"groups": [1, 1, 2], "n_positives": {1: three, 2: 1}}
    assert AP(labels, scores, **groups, average=None).tolist() == pytest.approx([1 / 3, 1])
    both = AP(np.c_[labels, labels], np.c_[scores, scores], n_positives=[three, 2], average=None)
    assert both.tolist() == pytest.approx([2 / 3, 1])


TABLE = pd.DataFrame({"cat": [1, 0, 1], "dog": [0, 1, 1], "eel": [1, 0, 0]})
EXIST = [2, 4, 3]


@pytest.mark.parametrize(
    ("labels", "series"),
    [
        (TABLE, pd.Series(EXIST, index=["cat", "dog", "eel"])),
        (TABLE, pd.Series([3, 2, 4], index=["eel", "cat", "dog"])),
        (TABLE, pd.Series(EXIST)),
        (TABLE.to_numpy(), pd.Series(EXIST)),
        (TABLE.to_numpy(), pd.Series(EXIST, index=["cat", "dog", "eel"])),
        (["cat", "dog", "eel"], pd.Series([3, 4, 2], index=["eel", "dog", "cat"])),
    ],
)
def test_a_series_of_one_number_for_each_column(labels, series):
    scores = [[3, 1, 3], [1, 3, 1], [2, 2, 2]]
    expected = AP(labels, scores, n_positives=EXIST, average=None)
    assert AP(labels, scores, n_positives=series, average=None).tolist() == expected.tolist()


# The order of rows

FRAME = pd.DataFrame(
    {
        "label": [1, 0, 1, 0, 1, 0, 0, 1],
        "score": [0.9, 0.3, 0.8, 0.4, 0.7, 0.2, 0.6, 0.5],
        "other": [0.1, 0.8, 0.7, 0.3, 0.6, 0.2, 0.5, 0.4],
        "weight": [1, 2, 1, 3, 1, 1, 2, 1],
        "group": [*"aabbaabb"],
    }
)
LABEL, SCORE, OTHER = FRAME["label"], FRAME["score"], FRAME["other"]
GIVEN, WEIGHT = (FRAME[["score"]], LABEL), FRAME["weight"][::-1]
MODEL = LogisticRegression().fit(*GIVEN)
FOLDS = cross_validate(MODEL, *GIVEN, cv=2, return_estimator=True, return_indices=True)
SHUFFLED = FRAME.sample(frac=1, random_state=0)
BY_NAME = FRAME.set_index(pd.Index(list("hgfedcba"), name="id"))
TWO_NAMES = BY_NAME.set_index("group", append=True)
TWICE = FRAME.set_index(pd.Index(list("aabbccdd"), name="query"))


def long_index(values):
    return pd.Series(np.arange(len(values)) % 2, index=values)


NAMES = [f"row {number}" for number in range(3000)]
SWAPPED = [*NAMES[:1000], NAMES[1001], NAMES[1000], *NAMES[1002:]]


def order_warnings(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught if "different orders" in str(each.message)]


def test_rows_in_another_order_are_paired_by_position_with_a_warning():
    by_score = SCORE.sort_values()
    with pytest.warns(UserWarning, match="y_true and y_score have the same index values in diff"):
        value = AP(LABEL, by_score)
    (words,) = order_warnings(lambda: AP(LABEL, by_score))
    assert "pass y_score.reindex(y_true.index)" in words
    assert AP(LABEL, by_score.reindex(LABEL.index)) == AP(LABEL, SCORE)
    assert "pass y_score.to_numpy()" in words
    assert AP(LABEL, by_score.to_numpy()) == value


# Calls with an argument in another order, by the two arguments that the warning names
IN_TWO_ORDERS = {
    "y_true and y_score": [
        lambda: AP(FRAME[["label"]], FRAME[["score"]][::-1]),
        lambda: AP("label", SCORE[::-1], data=FRAME),
        lambda: P(long_index(NAMES), long_index(SWAPPED)),
        lambda: ap.operating_point(LABEL, SCORE[::-1], k=3),
        lambda: ap.hit_curve(LABEL, SCORE[::-1]),
        lambda: compat.identify(0.5, LABEL, SCORE[::-1]),
        lambda: compat.trapezoidal_average_precision_score(LABEL, SCORE[::-1]),
        lambda: Areas.from_predictions(LABEL, SCORE[::-1]),
        lambda: ap.HitCurveDisplay.from_predictions(LABEL, SCORE[::-1]),
    ],
    "y_true and sample_weight": [
        lambda: P(LABEL, SCORE, k=0.5, sample_weight=WEIGHT),
        lambda: ap.report(LABEL, SCORE, metrics=["AP", ap.metric("AP", sample_weight=WEIGHT)]),
        lambda: Areas.from_estimator(MODEL, *GIVEN, sample_weight=WEIGHT),
    ],
    "y and sample_weight": [
        lambda: Areas.from_cv_results(FOLDS, *GIVEN, sample_weight=WEIGHT),
    ],
    "y_score and sample_weight": [  # and y_true has another index
        lambda: AP(
            LABEL.set_axis([*"abcdefgh"]), SHUFFLED.score, sample_weight=SHUFFLED.weight[::-1]
        ),
    ],
    "y_true and groups": [lambda: MAP(LABEL, SCORE, groups=FRAME.group[::-1])],
    "y_true and clusters": [
        lambda: ap.confidence_interval(LABEL, SCORE, clusters=FRAME.group[::-1]),
    ],
    "y_true and y_score_b": [lambda: ap.compare(LABEL, SCORE, OTHER[::-1])],
    "y_true and y_score_a['b']": [lambda: ap.compare(LABEL, {"a": SCORE, "b": OTHER[::-1]})],
    "y_score_a['a'] and y_score_a['b']": [
        lambda: ap.compare([1, 0] * 4, {"a": SCORE[::-1], "b": SHUFFLED.other}),
    ],
    "y_true and y_score['a']": [
        lambda: ap.report(LABEL, {"a": SCORE[::-1], "b": OTHER[::-1]}, metrics=["AP", "P@3"]),
    ],
}


@pytest.mark.parametrize(
    ("arguments", "call"),
    [(arguments, call) for arguments, calls in IN_TWO_ORDERS.items() for call in calls],
)
def test_the_order_of_rows_is_noticed_once_in_each_call(arguments, call):
    (message,) = order_warnings(call)
    assert message.startswith(f"{arguments} have the same index values in different orders")


@pytest.mark.parametrize(
    ("rows", "scores", "words"),
    [
        (BY_NAME, BY_NAME.score[::-1], "('id') in different orders"),
        (TWO_NAMES, TWO_NAMES.score[::-1], "('id', 'group') in different orders"),
        (TWICE, TWICE.score.sort_values(), "('query') in different orders"),
        (TWICE, TWICE.score.sort_values(), "Some values occur more than once"),
    ],
)
def test_the_warning_of_the_order_of_rows_names_the_index(rows, scores, words):
    (message,) = order_warnings(lambda: AP(rows.label, scores))
    assert words in message


@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [
        (LABEL, SCORE),
        (SHUFFLED.label, SHUFFLED.score.copy()),
        (LABEL.set_axis(list("abcdefgh")), SCORE),
        (LABEL.set_axis(np.arange(8, dtype=np.int32)), SCORE.set_axis(np.arange(8.0))),
        (BY_NAME.label, TWICE.score),
        (long_index(NAMES[1:]), long_index(NAMES[:-1])),
        (long_index(NAMES), long_index([*SWAPPED[:-1], "other"])),
    ],
)
def test_rows_in_one_order_need_no_warning(y_true, y_score):
    assert not order_warnings(lambda: AP(y_true, y_score))


def test_tables_models_and_searches_in_one_order_need_no_warning():
    models = {"a": SHUFFLED.score, "b": pd.Series([*OTHER])}
    search = GridSearchCV(LogisticRegression(), {"C": [1, 2]}, scoring=ap.get_scorer("AP"), cv=2)
    for call in (
        lambda: AP("label", "score", data=SHUFFLED, sample_weight="weight"),
        lambda: ap.compare(SHUFFLED.label, models),
        lambda: search.fit(SHUFFLED[["score"]], SHUFFLED.label, sample_weight=SHUFFLED.weight),
    ):
        assert not order_warnings(call)


# Groups of single rows

STARTS = pd.date_range("2026-03-01", periods=120, freq="47min")
EVENTS = pd.DataFrame(
    {"y": np.arange(120) % 4 == 0, "s": np.arange(120) * 37 % 120, "t": STARTS, "day": STARTS.date}
)


def by_polars(groups):
    lazy = pytest.importorskip("polars").from_pandas(EVENTS).lazy()
    return P("y", "s", k=15, groups=groups, data=lazy)


GROUPED = {"data": EVENTS, "zero_division": 0.0}
AT_15 = {
    "a metric": lambda groups: P("y", "s", k=15, groups=groups, data=EVENTS),
    "MAP": lambda groups: MAP("y", "s", k=15, groups=groups, **GROUPED),
    "a LazyFrame": by_polars,
    "an interval": lambda groups: ap.confidence_interval(
        "y", "s", metric="P@15", groups=groups, data=EVENTS
    ),
    "a report": lambda groups: ap.report("y", "s", metrics="P@15", groups=groups, data=EVENTS),
    "by name": lambda groups: ap.metric("P@15").by_name("y", "s", groups=groups, data=EVENTS),
    "a budget": lambda groups: ap.operating_point("y", "s", k=15, groups=groups, data=EVENTS),
    "an explanation": lambda groups: compat.explain("y", "s", k=15, groups=groups, data=EVENTS),
    "a picture": lambda groups: Areas.from_predictions(
        "y", "s", metric="AP@15", groups=groups, **GROUPED
    ),
}


@pytest.mark.sweep(4)
@pytest.mark.filterwarnings("ignore:.*(so all samples are flagged|No positive class|no positives)")
@pytest.mark.parametrize("name", AT_15)
def test_times_as_groups_are_said_to_be_groups_of_single_rows(name):
    words = (
        r"120 groups for 120 rows, so k=15 leaves nothing out\. The groups are times\..*dt\.date"
    )
    if name == "a picture":
        pytest.importorskip("matplotlib").use("agg")
    with pytest.warns(UserWarning, match=words):
        AT_15[name]("t")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        AT_15[name]("day")  # as that advice says
    assert not any("group of its own" in str(each.message) for each in caught)


@pytest.mark.parametrize("k", [1, 0.1])
def test_groups_of_single_rows_are_fine_if_k_is_1_or_a_fraction(k):
    P("y", "s", k=k, groups="t", data=EVENTS)


@pytest.mark.parametrize("name", ["HR@5", "RR", "RR@5"])
def test_the_first_positive_among_those_of_many_users(name):
    """Of all users together, some item near the top is nearly always positive."""
    clicks = {
        "clicked": np.arange(1200) % 9 == 0,
        "score": np.arange(1200.0),
        "user": np.arange(1200) // 12,
    }
    few = {name: column[:900] for name, column in clicks.items()}
    for data in (pd.DataFrame(clicks), lazy(**clicks)):
        with pytest.warns(UserWarning, match=r"1,200 rows with 134 positives.*pass groups="):
            ap.metric(name)("clicked", "score", data=data)
        ap.metric(name)("clicked", "score", groups="user", data=data, zero_division=0.0)
    ap.metric(name)("clicked", "score", data=few)  # as many as a query can have
    ap.metric(name)(clicks["clicked"], clicks["score"])  # of one query, as in a loop


def test_groups_of_single_rows_that_are_no_times():
    with pytest.warns(UserWarning, match="Is this the right column"):
        P(EVENTS["y"], EVENTS["s"], k=15, groups=range(120))
    P(EVENTS["y"][:19], EVENTS["s"][:19], k=15, groups=range(19))  # too few to tell
    exist = dict.fromkeys(range(500), 1)  # most of which were never retrieved
    P(EVENTS["y"], EVENTS["s"], k=15, groups=np.arange(120) // 2, n_positives=exist)


def test_a_budget_that_leaves_nothing_out():
    """With 4 days of 31, 31, 31 and 27 rows."""
    with pytest.warns(UserWarning, match="k=40 exceeds the mean number of samples per group, 30"):
        point = ap.operating_point("y", "s", k=40, groups="day", data=EVENTS)
    assert point.n_flagged == 120
    point = ap.operating_point("y", "s", k=29, groups="day", data=EVENTS)
    assert point.n_flagged < 120


# Columns that only look wrong


def test_columns_of_several_levels_and_of_an_index_are_read_as_the_advice_says():
    levels = pd.DataFrame({("m", "y"): Y, ("m", "s"): S})
    single = levels.set_axis(["_".join(map(str, name)) for name in levels.columns], axis=1)
    assert AP("m_y", "m_s", data=single) == AP(Y, S)
    numbered = pd.DataFrame({0: Y, 1: S})
    assert AP("0", "1", data=numbered.rename(columns=str)) == AP(Y, S)


@pytest.mark.parametrize("kind", [list, tuple, partial(np.array, dtype=object), pd.Series])
@pytest.mark.parametrize("labels", [[1, "a", 1, 0], ["a", 1, "a", 1], [True, "a", False, "a"]])
@pytest.mark.parametrize("function", [AP, ap.confidence_interval, ap.hit_curve])
def test_labels_of_mixed_types_are_refused_in_the_words_of_scikit_learn(function, labels, kind):
    words = r"Mix of label input types \(string and number\): y_true contains 'a' and (1|True)"
    with pytest.raises(ValueError, match=words):
        function(kind(labels), [4, 3, 2, 1])


@pytest.mark.parametrize("labels", [[1, 0, 1, 0], [1.0, 0, 1, 0], [True, 0, 1, False]])
@pytest.mark.parametrize(
    "kind", [partial(np.array, dtype=object), partial(pd.Series, dtype=object)]
)
@pytest.mark.parametrize("function", [AP, ap.confidence_interval, ap.hit_curve])
def test_numbers_can_be_objects(function, kind, labels):
    found, expected = (function(each, [4, 3, 2, 1]) for each in (kind(labels), [1, 0, 1, 0]))
    assert str(found) == str(expected)
    if function is AP:
        both = np.array([labels, labels[::-1]], dtype=object).T
        scores = np.array([[4, 3, 2, 1], [1, 2, 4, 3]]).T
        assert AP(both, scores) == AP(both.astype(int), scores)
        grades = np.array([2, 0, 1, 0], dtype=object)
        assert ap.ndcg_score(grades, [4, 3, 2, 1]) == ap.ndcg_score([2, 0, 1, 0], [4, 3, 2, 1])


@pytest.mark.parametrize("pos_label", [True, False])
@pytest.mark.parametrize("function", [AP, ap.confidence_interval, ap.hit_curve])
def test_booleans_can_be_objects(function, pos_label):
    y_true = np.array([True, False, True, False])
    expected = function(y_true, S, pos_label=pos_label)
    for objects in (y_true.astype(object), pd.Series(y_true, dtype=object)):
        found = function(objects, S, pos_label=pos_label)
        assert str(found) == str(expected)
    assert AP(np.eye(3, dtype=bool).astype(object), np.eye(3)) == 1


# Names and labels


@pytest.mark.parametrize("function", [ap.hit_curve, ap.operating_point])
@pytest.mark.parametrize("n_columns", [1, 3])
def test_three_classes_are_not_called_binary(function, n_columns):
    labels = np.array(["cat", "dog", "fox"] * 4)
    scores = np.arange(36).reshape(12, 3) % 7 / 7
    options = {"min_recall": 0.5} if function is ap.operating_point else {}
    words = r"more than two labels, \['cat', 'dog', 'fox'\], .* as y_true == label with its column"
    with pytest.raises(ValueError, match=words):
        function(labels, scores if n_columns == 3 else scores[:, 0], **options)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("precision", r"'precision' needs a cutoff, as in 'P@10'\."),
        ("recall", r"'recall' needs a cutoff, as in 'R@1%'\."),
        ("f1@1%", "'f1@1%' depends on a threshold"),
        ("F1 at 10", "'F1 at 10' depends on a threshold"),
        ("specificity@0.9", "The specificity depends on a threshold"),
        ("log_loss", "'log_loss' needs probabilities"),
        ("brier_score_loss", "'brier_score_loss' needs probabilities"),
        *((name, "'VOC07' until 2009") for name in ("VOC2007 mAP", "PASCAL VOC 2012 AP")),
    ],
)
def test_names_of_metrics_that_need_something_else(name, words):
    with pytest.raises(ValueError, match=words):
        ap.metric(name)


def test_warnings_point_to_the_caller_through_decorators():
    scores = [Decimal("0.3"), Decimal("0.300000000000000000000000001"), 0]
    with pytest.warns(UserWarning, match="decimals are converted") as warned:
        AP([0, 1, 0], scores)
    assert warned[0].filename == __file__


@pytest.mark.parametrize("kind", [list, lambda scores: np.array(scores, dtype=object), pd.Series])
def test_close_fractions_are_not_rounded(kind):
    """Fractions are compared exactly, so the positive is first, unlike as floats."""
    scores = [Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30), 0]
    assert float(scores[0]) == float(scores[1])
    assert AP([0, 1, 0], kind(scores)) == 1.0
    assert AP("y", "s", data={"y": [0, 1, 0], "s": kind(scores)}) == 1.0


def test_the_dates_of_an_index_of_times():
    times = pd.date_range("2026-01-01", periods=30, freq="6h")
    labels, scores = np.arange(30) % 3 == 0, np.arange(30) % 7
    with pytest.warns(UserWarning, match=r"times\.date \(a DatetimeIndex\)"):
        P(labels, scores, k=2, groups=times)
    assert P(labels, scores, k=2, groups=times.date) == P(
        labels, scores, k=2, groups=pd.Series(times).dt.date
    )
