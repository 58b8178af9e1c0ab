"""Columns of tables have the values of arrays, and their missing values are refused."""

from decimal import Decimal

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import _groups

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

rng = np.random.default_rng(0)
LABELS = (rng.random(60) < 0.4).astype(int)
SCORES = rng.random(60).round(2)
WEIGHT = rng.random(60)
QUERY = rng.integers(0, 5, 60)
NAMES_OF_ROWS = [f"q{query}" for query in QUERY]
COLUMNS = {"y": LABELS, "s": SCORES, "w": WEIGHT, "q": QUERY, "name": NAMES_OF_ROWS}
FRAME = pd.DataFrame(COLUMNS)
TABLE = pa.table(COLUMNS)
POLARS = pl.DataFrame(COLUMNS)


def read_duckdb():
    duckdb = pytest.importorskip("duckdb")
    return duckdb.sql("select * from FRAME")


def read_ibis():
    return pytest.importorskip("ibis").memtable(FRAME)


def read_dask():
    return pytest.importorskip("dask.dataframe").from_pandas(FRAME, npartitions=3)


def name_by(table):
    """Encode the names of an Arrow table as a dictionary."""
    return table.set_column(4, "name", table["name"].dictionary_encode())


# Of each kind of column, one table that has it
TABLES = {
    "pandas": lambda: FRAME,
    "pandas, other index": lambda: FRAME.set_index(rng.permutation(60)),
    "pandas, nullable": lambda: FRAME.convert_dtypes(),
    "pandas, Arrow": lambda: FRAME.convert_dtypes(dtype_backend="pyarrow"),
    "pandas, categories": lambda: FRAME.astype({"name": "category"}),
    "pandas, numbers as categories": lambda: FRAME.astype({"q": "category"}),
    "pandas, boolean": lambda: FRAME.astype({"y": "boolean"}),
    "polars": lambda: POLARS,
    "polars, lazy": lambda: POLARS.lazy(),
    "polars, categories": lambda: POLARS.with_columns(pl.col("name").cast(pl.Categorical)),
    "polars, enum": lambda: POLARS.with_columns(
        pl.col("name").cast(pl.Enum(["q9", *sorted(set(NAMES_OF_ROWS), reverse=True)]))
    ),
    "polars, small": lambda: POLARS.cast({"y": pl.Boolean, "q": pl.UInt8}),
    "polars, chunks": lambda: pl.concat([POLARS[:7], POLARS[7:]], rechunk=False),
    "polars, decimal labels": lambda: POLARS.cast({"y": pl.Decimal(4, 1)}),
    "Arrow": lambda: TABLE,
    "Arrow, chunks": lambda: pa.concat_tables([name_by(TABLE[:9]), name_by(TABLE[9:])]),
    "Arrow, large strings": lambda: TABLE.set_column(4, "name", TABLE["name"].cast("large_string")),
    "DuckDB": read_duckdb,
    "Ibis": read_ibis,
    "Dask": read_dask,
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.filterwarnings("ignore:No positive class", "ignore:.*infer_string")
def test_values_are_those_of_arrays(table):
    table = table()
    mean = ap.mean_average_precision_score(LABELS, SCORES, groups=QUERY)
    for groups in ("q", "name"):
        assert ap.mean_average_precision_score("y", "s", groups=groups, data=table) == mean
        assert ap.mean_average_precision_score(
            "y", "s", groups=groups, sample_weight="w", data=table
        ) == ap.mean_average_precision_score(LABELS, SCORES, groups=QUERY, sample_weight=WEIGHT)
    value = ap.average_precision_score("y", "s", sample_weight="w", data=table)
    assert value == ap.average_precision_score(LABELS, SCORES, sample_weight=WEIGHT)
    grades = ap.ndcg_score("q", "s", groups="name", data=table)
    assert grades == ap.ndcg_score(QUERY, SCORES, groups=QUERY)


TIMES = {
    "datetime": np.datetime64("2026-01-01T00:00:00", "us") + QUERY.astype("m8[h]"),
    "date": np.datetime64("2026-01-01", "D") + QUERY,
    "duration": QUERY.astype("m8[s]").astype("m8[us]"),
}


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_times_as_groups(make, time):
    values = ap.average_precision_score(LABELS, SCORES, groups=QUERY, average=None)
    columns = {"y": LABELS, "s": SCORES, "t": TIMES[time]}
    found = ap.average_precision_score("y", "s", groups="t", average=None, data=make(columns))
    np.testing.assert_array_equal(found, values)
    with_zone = pl.DataFrame(columns)
    if time == "datetime":
        with_zone = with_zone.with_columns(pl.col("t").dt.replace_time_zone("Europe/Berlin"))
    found = ap.average_precision_score("y", "s", groups="t", average=None, data=with_zone)
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize("make", [pd.Series, pl.Series, pa.array, pa.chunked_array, "category"])
def test_long_columns_of_names_have_the_groups_of_lists(make):
    names = [f"q{each}" for each in rng.integers(0, 50, 20_000)]
    labels, scores = rng.integers(0, 2, 20_000), rng.random(20_000)
    weight = np.where(np.array(names) == "q7", 0, 1)  # so that one group doesn't exist
    column = pd.Series(names, dtype="category") if make == "category" else None
    if column is None:
        column = make([names[:9], names[9:]]) if make is pa.chunked_array else make(names)
    data = {"sample_weight": weight, "average": None}
    found = ap.average_precision_score(labels, scores, groups=column, **data)
    np.testing.assert_array_equal(
        found, ap.average_precision_score(labels, scores, groups=names, **data)
    )
    assert found.size == 49


def lose(column, missing):
    values = list(COLUMNS[column])
    return [missing, *(value.item() if hasattr(value, "item") else value for value in values[1:])]


MISSING = [
    ("y", "y_true", None),
    ("y", "y_true", np.nan),
    ("s", "y_score", None),
    ("s", "y_score", np.nan),
    ("w", "sample_weight", None),
    ("w", "sample_weight", np.nan),
    ("q", "groups", None),
    ("q", "groups", np.nan),
    ("name", "groups", None),
]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, "dictionary", "category"])
@pytest.mark.parametrize(("column", "parameter", "missing"), MISSING)
def test_missing_values_are_refused(make, column, parameter, missing):
    values = lose(column, missing)
    if missing is not None:
        values = [float(value) for value in values]
    columns = COLUMNS | {column: values}
    if make == "dictionary":
        table = name_by(pa.table(columns))
    elif make == "category":
        table = pd.DataFrame(columns).astype({"name": "category"})
    else:
        table = make(columns)
    data = {"y_true": "y", "y_score": "s", parameter: column}
    metric = ap.mean_average_precision_score if "groups" in data else ap.average_precision_score
    with pytest.raises(ValueError, match=f"{parameter}='{column}' has 1 missing values"):
        metric(**data, data=table)


def test_a_matrix_of_columns_names_the_one_that_lacks_values():
    frame = POLARS.with_columns(other=pl.when(pl.col("s") > 0.5).then(pl.col("s")))
    with pytest.raises(ValueError, match=r"y_score='other' has .* missing values"):
        ap.average_precision_score(["y", "y"], ["s", "other"], data=frame)


DECIMALS = [Decimal(f"{score:.3f}") for score in SCORES]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("parameter", ["y_score", "sample_weight"])
def test_decimals_are_refused_where_floats_would_tie_them(make, parameter):
    table = make(COLUMNS | {"d": DECIMALS})
    data = {"y_true": "y", "y_score": "s", parameter: "d"}
    with pytest.raises(ValueError, match=r"decimals|must be real numbers"):
        ap.average_precision_score(**data, data=table)


def test_grades_may_be_missing():
    grades = [None, *QUERY.tolist()[1:]]
    expected = ap.ndcg_score([np.nan, *QUERY[1:]], SCORES)
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        assert ap.ndcg_score("y", "s", data=make({"y": grades, "s": SCORES})) == expected
        with pytest.raises(ValueError, match="missing values"):
            ap.average_precision_score("y", "s", min_grade=2, data=make({"y": grades, "s": SCORES}))


def test_refusals():
    with pytest.raises(ValueError, match="no column 'score'"):
        ap.average_precision_score("y", "score", data=FRAME)
    with pytest.raises(TypeError, match="dict"):
        ap.average_precision_score("y", "s", data=COLUMNS)


NAMES = ["", "a", "ä", "a\u0308", "z" * 40, "\U0001f600", " a", "a ", "A", "10", "9", "a\x00b"]


@pytest.mark.parametrize(
    "pool", [NAMES, [*NAMES, "\ud800"], [b"a", b"b"], [1, 2.5], [("a", 1), ("b", 2)]]
)
@pytest.mark.parametrize("dtype", [object, str])
@pytest.mark.parametrize("size", [50, 20_000])
def test_groups_are_numbered_in_sorted_order(pool, dtype, size):
    groups = np.empty(size, dtype=object)
    groups[:] = [pool[place] for place in rng.integers(0, len(pool), size)]
    groups = groups if isinstance(pool[0], tuple) else groups.astype(dtype)
    number, names = _groups.number_groups(groups)
    values = groups.tolist()
    assert names == sorted(set(values))
    assert [names[each] for each in number] == values


def test_groups_of_several_types_are_refused():
    for pool in ([None, "a"], [np.nan, "a"], [1, "a"], [b"a", "a"]):
        groups = np.empty(20_000, dtype=object)
        groups[:] = pool * 10_000
        with pytest.raises(ValueError, match=r"missing values|one type"):
            _groups.number_groups(groups)
