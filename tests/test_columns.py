"""Columns by name in tables of each kind, arrays in containers of each kind, missing values."""

from datetime import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._core.columns import read_weight
from sklearn_ap.exceptions import InvalidParameterError

from .random_calls import find

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

AP, MAP = ap.average_precision_score, ap.mean_average_precision_score
RNG = np.random.default_rng(0)
N = 40
ROWS = {
    "label": RNG.integers(0, 2, N),
    "other": RNG.integers(0, 2, N),
    "grade": RNG.integers(0, 4, N),
    "score": RNG.integers(0, 9, N) / 7,
    "second": RNG.integers(0, 9, N) / 7,
    "mass": RNG.integers(0, 4, N),
    "query": RNG.integers(0, 5, N),
}
ROWS["text"] = np.where(ROWS["label"], "bad", "good")
ROWS["topic"] = np.array([f"q{each}" for each in ROWS["query"]])
FRAME, POLARS, ARROW = pd.DataFrame(ROWS), pl.DataFrame(ROWS), pa.table(ROWS)


def read_duckdb():
    duckdb = pytest.importorskip("duckdb")
    return duckdb.sql("select * from FRAME")


def encode(table):
    """Encode the topics of an Arrow table as a dictionary."""
    place = table.schema.get_field_index("topic")
    return table.set_column(place, "topic", table["topic"].dictionary_encode())


TABLES = {
    "pandas": lambda: FRAME,
    "pandas, other index": lambda: FRAME.set_index(RNG.permutation(N)),
    "pandas, nullable": lambda: FRAME.convert_dtypes(),
    "pandas, Arrow": lambda: FRAME.convert_dtypes(dtype_backend="pyarrow"),
    "pandas, categories": lambda: FRAME.astype({"topic": "category"}),
    "pandas, numbers as categories": lambda: FRAME.astype({"query": "category"}),
    "pandas, boolean": lambda: FRAME.astype({"label": "boolean"}),
    "polars": lambda: POLARS,
    "polars, lazy": lambda: POLARS.lazy(),
    "polars, categories": lambda: POLARS.with_columns(pl.col("topic").cast(pl.Categorical)),
    "polars, enum": lambda: POLARS.with_columns(
        pl.col("topic").cast(pl.Enum(["q9", *sorted(set(ROWS["topic"]), reverse=True)]))
    ),
    "polars, small": lambda: POLARS.cast({"label": pl.Boolean, "query": pl.UInt8}),
    "polars, chunks": lambda: pl.concat([POLARS[:7], POLARS[7:]], rechunk=False),
    "Arrow": lambda: ARROW,
    "Arrow, chunks": lambda: pa.concat_tables([encode(ARROW[:9]), encode(ARROW[9:])]),
    "Arrow, large strings": lambda: pl.DataFrame(ROWS).to_arrow(),
    "DuckDB": read_duckdb,
    "Ibis": lambda: pytest.importorskip("ibis").memtable(FRAME),
}


CASES = {  # what a caller says, by the names of columns
    "labels": (AP, ("label", "score"), {}),
    "text": (AP, ("text", "score"), {"pos_label": "bad"}),
    "grades": (AP, ("grade", "score"), {"min_grade": 2}),
    "weights": (AP, ("label", "score"), {"sample_weight": "mass"}),
    "groups": (MAP, ("label", "score"), {"groups": "query", "average": None}),
    "text groups": (MAP, ("label", "score"), {"groups": "topic", "sample_weight": "mass"}),
    "nDCG": (ap.ndcg_score, ("grade", "score"), {"groups": "topic", "k": 3, "average": None}),
    "matrix": (AP, (["label", "other"], ["score", "second"]), {"average": None}),
    "classes": (AP, ("query", ["score", "second"] * 2 + ["score"]), {"average": None}),
    "curve": (
        ap.interpolated_precision_recall_curve,
        ("label", "score"),
        {"sample_weight": "mass"},
    ),
    "a bound option": (ap.metric("P@3", pos_label="bad"), ("text", "score"), {"groups": "query"}),
}


def as_array(value, rows=ROWS):
    if isinstance(value, list):
        return np.column_stack([rows[name] for name in value])
    return rows.get(value, value) if isinstance(value, str) else value


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.filterwarnings("ignore:.*infer_string")
def test_names_of_columns(kind, case):
    function, columns, options = CASES[case]
    arrays = {
        name: value if value in ("bad", None) else as_array(value)
        for name, value in options.items()
    }
    expected = function(*map(as_array, columns), **arrays)
    found = function(*columns, **options, data=TABLES[kind]())
    np.testing.assert_equal(found, expected)


TIMES = {
    "datetime": np.datetime64("2026-01-01T00:00:00", "us") + ROWS["query"].astype("m8[h]"),
    "date": np.datetime64("2026-01-01", "D") + ROWS["query"],
    "duration": ROWS["query"].astype("m8[s]").astype("m8[us]"),
}


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_times_as_groups(make, time):
    values = AP(ROWS["label"], ROWS["score"], groups=ROWS["query"], average=None)
    columns = {"y": ROWS["label"], "s": ROWS["score"], "t": TIMES[time]}
    found = AP("y", "s", groups="t", average=None, data=make(columns))
    np.testing.assert_array_equal(found, values)
    with_zone = pl.DataFrame(columns)
    if time == "datetime":
        with_zone = with_zone.with_columns(pl.col("t").dt.replace_time_zone("Europe/Berlin"))
    found = AP("y", "s", groups="t", average=None, data=with_zone)
    np.testing.assert_array_equal(found, values)


# --- missing values, and what isn't a table -------------------------------------------------------


def lose(column, missing):
    values = list(ROWS[column])
    return [missing, *(value.item() if hasattr(value, "item") else value for value in values[1:])]


MISSING = [
    ("label", "y_true", None),
    ("label", "y_true", np.nan),
    ("score", "y_score", None),
    ("score", "y_score", np.nan),
    ("mass", "sample_weight", None),
    ("mass", "sample_weight", np.nan),
    ("query", "groups", None),
    ("query", "groups", np.nan),
    ("topic", "groups", None),
]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, "dictionary", "category"])
@pytest.mark.parametrize(("column", "parameter", "missing"), MISSING)
def test_missing_values_are_refused(make, column, parameter, missing):
    values = lose(column, missing)
    if missing is not None:
        values = [float(value) for value in values]
    columns = ROWS | {column: values}
    if make == "dictionary":
        table = encode(pa.table(columns))
    elif make == "category":
        table = pd.DataFrame(columns).astype({"topic": "category"})
    else:
        table = make(columns)
    data = {"y_true": "label", "y_score": "score", parameter: column}
    metric = MAP if "groups" in data else AP
    with pytest.raises(ValueError, match=f"{parameter}='{column}' has 1 missing values"):
        metric(**data, data=table)


def test_a_matrix_of_columns_names_the_one_that_lacks_values():
    frame = POLARS.with_columns(lacking=pl.when(pl.col("score") > 0.5).then(pl.col("score")))
    with pytest.raises(ValueError, match=r"y_score='lacking' has .* missing values"):
        AP(["label", "label"], ["score", "lacking"], data=frame)


DECIMALS = [Decimal(f"{score:.3f}") for score in ROWS["score"]]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("parameter", ["y_score", "sample_weight"])
def test_decimals_are_numbers(make, parameter):
    data = {"y_true": "label", "y_score": "score", parameter: "d"}
    as_decimals, as_floats = (
        AP(**data, data=make(ROWS | {"d": column}))
        for column in (DECIMALS, [*map(float, DECIMALS)])
    )
    assert as_decimals == as_floats


def test_decimals_and_fractions_are_not_tied_by_rounding():
    close = [Decimal("0.30000000000000000001"), Decimal("0.3")]
    assert AP([1, 0], close) == 1
    assert AP([0, 1], close) == 0.5
    assert AP([1, 0], [Fraction(10**20 + 1, 3 * 10**20), Fraction(1, 3)]) == 1
    assert AP([1, 0], [0.5, Decimal("0.5")]) == 0.5
    with pytest.raises(ValueError, match=r"y_score must be real numbers\. Got 1j"):
        AP([1, 0], np.array([1j, Decimal(1)], dtype=object))


def test_decimals_of_duckdb_are_numbers():
    duckdb = pytest.importorskip("duckdb")
    table = duckdb.sql(
        "select label, score, cast(score as decimal(9, 6)) as d, 0.5 as w from FRAME"
    )
    expected = AP(ROWS["label"], ROWS["score"])
    assert AP("label", "d", sample_weight="w", data=table) == pytest.approx(expected)


def test_grades_may_be_missing():
    grades = [None, *ROWS["query"].tolist()[1:]]
    expected = ap.ndcg_score([np.nan, *ROWS["query"][1:]], ROWS["score"])
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        assert ap.ndcg_score("y", "s", data=make({"y": grades, "s": ROWS["score"]})) == expected
        with pytest.raises(ValueError, match="missing values"):
            AP("y", "s", min_grade=2, data=make({"y": grades, "s": ROWS["score"]}))
        with pytest.raises(ValueError, match="y_score='y' has 1 missing"):
            ap.ndcg_score("s", "y", data=make({"y": grades, "s": ROWS["query"]}))


def test_what_is_no_column_is_refused():
    with pytest.raises(ValueError, match="no column 'scores'"):
        AP("label", "scores", data=FRAME)
    for data in (ROWS, [ROWS], "table.csv", ROWS["label"], FRAME["label"], 3):
        with pytest.raises(InvalidParameterError, match="data must be a table"):
            AP("label", "score", data=data)
    if find(ap, "compare"):
        with pytest.raises(InvalidParameterError, match=r"data\['label'\] must be a table"):
            ap.compare("label", ["score", "second"], data=ROWS)
    with pytest.raises(ValueError, match="Expected unique column names"):
        AP("label", "score", data=pd.concat([FRAME, FRAME[["mass"]]], axis=1))


def test_names_of_groups_keep_their_types():
    pairs = [("a", 5), ("a", 10), ("a", 5), ("a", 10)]
    named = ap.values_by_group([1, 0, 1, 1], [4, 3, 2, 1], groups=pairs)
    assert [*named] == [("a", 5), ("a", 10)]
    unsigned = np.array([1, 0, 1, 0], dtype=np.uint64)
    assert [*ap.values_by_group([1, 1, 0, 0], [1, 2, 3, 4], groups=unsigned)] == [0, 1]


def test_names_and_arrays_together():
    assert AP("label", ROWS["score"], data=FRAME) == AP(ROWS["label"], ROWS["score"])


def test_labels_may_be_decimals():
    frame = POLARS.cast({"label": pl.Decimal(4, 1)})
    assert AP("label", "score", data=frame) == AP(ROWS["label"], ROWS["score"])


def test_only_the_columns_that_are_named_are_read():
    frame = pl.DataFrame(ROWS).lazy().with_columns(bad=pl.col("text").str.to_integer())
    assert AP("label", "score", data=frame) == AP(ROWS["label"], ROWS["score"])


# --- containers -----------------------------------------------------------------------------------

SERIES = {
    "list": list,
    "tuple": tuple,
    "column": lambda column: np.array(column)[:, np.newaxis],
    "objects": lambda column: np.array(column, dtype=object),
    "masked array that hides nothing": np.ma.array,
    "read-only": lambda column: np.frombuffer(np.array(column).tobytes(), np.array(column).dtype),
    "backwards": lambda column: np.array(column[::-1])[::-1],
    "frame of pandas": lambda column: pd.DataFrame({"x": column}),
    "shuffled index": lambda column: pd.Series(column, index=RNG.permutation(len(column))),
    "category": lambda column: pd.Series(column, dtype="category"),
    "nullable": lambda column: pd.Series(column).convert_dtypes(),
    "pyarrow in pandas": lambda column: pd.Series(column).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.Series,
    "Arrow": pa.array,
    "Arrow, in pieces": lambda column: pa.chunked_array([column[:5], column[5:]]),
}


@pytest.mark.parametrize("parameter", ["label", "score", "mass", "query"])
@pytest.mark.parametrize("kind", SERIES)
def test_arrays_in_containers(kind, parameter):
    names = ("label", "score", "mass", "query")
    given = {name: ROWS[name] for name in names}
    expected = MAP(
        given["label"], given["score"], sample_weight=given["mass"], groups=given["query"]
    )
    given[parameter] = SERIES[kind](ROWS[parameter].tolist())
    found = MAP(given["label"], given["score"], sample_weight=given["mass"], groups=given["query"])
    assert found == expected


@pytest.mark.parametrize("kind", [np.asarray, np.ndarray.tolist, pd.DataFrame, pl.DataFrame])
def test_matrices_in_containers(kind):
    labels, scores = (as_array(names) for names in (["label", "other"], ["score", "second"]))
    if kind is pl.DataFrame:
        labels, scores = kind(labels, schema=["a", "b"]), kind(scores, schema=["a", "b"])
        found = AP(labels, scores, average=None)
    else:
        found = AP(kind(labels), kind(scores), average=None)
    expected = AP(as_array(["label", "other"]), as_array(["score", "second"]), average=None)
    np.testing.assert_equal(found, expected)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "f4", "f8", "O"])
def test_labels_of_any_dtype(dtype):
    expected = AP(ROWS["label"], ROWS["score"])
    assert AP(ROWS["label"].astype(dtype), ROWS["score"]) == expected
    both = np.c_[ROWS["label"], ROWS["other"]]
    if dtype != "O":
        assert AP(both.astype(dtype), as_array(["score", "second"]), average=None)[
            0
        ] == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["category", "as it is"])
@pytest.mark.parametrize("values", [["no", "yes"], [0, 1], [False, True]])
def test_many_labels_of_any_type(kind, values):
    y, score = RNG.integers(0, 2, 20_000), RNG.random(20_000)  # Arrow numbers so many
    labels = pd.Series(np.array(values, dtype=object)[y]).infer_objects()
    labels = labels.astype("category") if kind == "category" else labels
    found = ap.average_precision_score(labels, score, pos_label=values[1])
    assert found == ap.average_precision_score(y, score)


# --- samples of weight 0, which don't exist -------------------------------------------------------

HOLES = {  # what a row of weight 0 may hold, by column
    "label": [7.0, np.nan, np.inf, None],
    "score": [np.nan, np.inf, None],
    "query": [np.nan, None, 99.0],
}
ASKED = {  # functions, and what they are asked beside labels and scores
    "average_precision_score": {},
    "values_by_group": {"groups": "query"},
    "hit_curve": {},
    "confidence_interval": {"groups": "query"},
    "compare": {"clusters": "query"},
    "report": {"by": "query"},
    "operating_point": {"min_recall": 0.5},
}
ASKED = {name: options for name, options in ASKED.items() if find(ap, name)}
SCORES = {"compare": {"y_score_a": "score", "y_score_b": "second"}}


def list_numbers(found):
    """Return the numbers of a result, without its names."""
    if isinstance(found, dict):
        return [*found.values()]
    if hasattr(found, "rows"):
        return [[row.n_samples, row.value, row.low, row.high] for row in found.rows]
    if isinstance(found, float | tuple):
        return found
    return [each for each in vars(found).values() if isinstance(each, float)]


@pytest.mark.parametrize("make", ["arrays", pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("name", ASKED)
@pytest.mark.filterwarnings("ignore:No positive class")
def test_a_row_of_weight_0_may_hold_anything(make, name):
    function = find(ap, name)
    named = {"y_true": "label", "sample_weight": "mass"} | ASKED[name]
    named |= SCORES.get(name, {"y_score": "score"})
    weight = np.where(np.arange(N) % 5, ROWS["mass"] + 1, 0)
    exist = {name: column[weight > 0] for name, column in ROWS.items()}
    exist["mass"] = weight[weight > 0]
    arrays = {name: as_array(value, exist) for name, value in named.items()}
    expected = function(**arrays)
    for column, holes in HOLES.items():
        for hole in holes:
            of_column = [float(each) for each in ROWS[column]]
            of_column[0] = hole
            rows = {name: ROWS[name] for name in ("label", "score", "second", "query")}
            rows |= {"mass": weight, column: of_column}
            if make == "arrays":
                arrays = {name: as_array(value, rows) for name, value in named.items()}
                found = function(**arrays)
            else:
                found = function(**named, data=make(rows))
            np.testing.assert_equal(list_numbers(found), list_numbers(expected))


def test_a_class_of_rows_of_weight_0_has_a_value_in_intervals_too():
    labels, weight = np.array([0, 1, 2] * 20), np.array([1.0, 1.0, 0.0] * 20)
    scores = np.random.default_rng(0).random((60, 3))
    value = AP(labels, scores, sample_weight=weight, zero_division=np.nan)
    for given in (labels, np.array(list("abc"))[labels], np.where(weight, labels, 2.0)):
        data = {"sample_weight": weight, "zero_division": np.nan}
        assert AP(given, scores, **data) == value
        if find(ap, "compare"):
            assert ap.compare(given, scores, scores, **data).value == pytest.approx(value)
    missing = np.where(np.arange(60) == 2, np.nan, labels)
    assert AP(missing, scores, sample_weight=weight, zero_division=np.nan) == value


# --- times ----------------------------------------------------------------------------------------


def test_times_of_numpy_are_named_by_python_if_it_has_them():
    exact = np.array(["2024-01-01", "2024-01-02"], "M8[ns]")
    named = ap.values_by_group([1, 1], [1, 2], groups=exact)
    assert [*named] == [datetime(2024, 1, 1), datetime(2024, 1, 2)]
    finer = exact + np.timedelta64(1, "ns")
    assert [*ap.values_by_group([1, 1], [1, 2], groups=finer)] == [*finer]


@pytest.mark.skipif(not find(ap, "report"), reason="reports are taken away")
def test_a_tuple_of_names_is_a_list_of_names():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 3, (60, 3)), columns=["g", "h", "i"])
    table["y"], table["a"], table["b"] = rng.random(60) < 0.5, rng.random(60), rng.random(60)
    for columns in ({"groups": ["g", "h"]}, {"clusters": ["g", "h"]}, {"by": ["i"]}):
        tuples = {name: tuple(each) for name, each in columns.items()}
        of_list, of_tuple = (
            ap.report("y", ["a", "b"], data=table, zero_division=0, **given)
            for given in (columns, tuples)
        )
        assert str(of_list) == str(of_tuple)
    plt = pytest.importorskip("matplotlib.pyplot")
    lines = ap.AveragePrecisionDisplay.from_predictions("y", ("a", "b"), data=table).ax_.lines
    assert len(lines) == 2
    plt.close("all")


def test_whole_weights_are_integers_if_floats_hold_their_sum():
    for weight, kind in ((2.0**51, "i"), (2.0**52, "f"), (0.5, "f")):
        assert read_weight(np.array([weight, weight])).dtype.kind == kind
