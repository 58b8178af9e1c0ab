"""Tables: the same call gives the same value, wherever the columns are."""

import re
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import date, time
from decimal import Decimal
from functools import cache, partial
from itertools import permutations
from pathlib import Path
from time import sleep
from urllib.parse import quote

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._inputs.records import PositiveClass
from sklearn_ap._read import tables as table_readers
from sklearn_ap._read.tables import _READERS

from .calls import CASES, SHARES, check_decimals, check_shares, given_in
from .examples import AP, MAP, P
from .registry import in_stable_order
from .tables import (
    BAD,
    DECIMALS,
    EXIST,
    LAZY,
    LISTS,
    ROWS,
    TABLES,
    _parquet,
    arrow,
    columns_of,
    each_eager,
    each_lazy,
    each_table,
    without_chance,
)

pa = pytest.importorskip("pyarrow")
import pyarrow.dataset  # noqa: E402
import pyarrow.parquet  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
]


def test_every_reader_is_tried_and_listed():
    """Where users look, and where a reader without a table would go unnoticed."""
    page = Path(__file__).parents[1] / "docs" / "large_data.md"
    table = re.search(r"^\| `data` \|.*?^$", page.read_text(encoding="utf-8"), re.M | re.S)[0]
    with pytest.raises(TypeError) as refusal:
        AP("label", "score", data=object())
    listed = {
        "TABLES": " ".join([*TABLES, "Spark, which has its own tests"]),
        "docs/large_data.md": table,
        "check_is_table": str(refusal.value),
        "docs/api.rst": page.with_name("api.rst").read_text(encoding="utf-8"),
    }
    for _, reader in _READERS.values():
        for where, words in listed.items():
            words = " ".join(words.lower().split())
            assert reader.removeprefix("read_").replace("_", " ") in words, where


# Values
@pytest.mark.sweep(4)
@each_table
@pytest.mark.parametrize(("groups", "n_positives"), [("query", EXIST), ("day", None)])
def test_values_by_the_names_of_groups(made, kind, groups, n_positives):
    given = {"n_positives": n_positives, "zero_division": 0.0}
    metric = ap.metric("AP@3")
    found = metric.by_name("label", "score", data=made(kind), groups=groups, **given)
    values = metric(ROWS["label"], ROWS["score"], groups=ROWS[groups], average=None, **given)
    assert list(found) == sorted({*ROWS[groups].tolist(), *(n_positives or ())})
    assert [*found.values()] == pytest.approx(values.tolist(), abs=1e-12)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("kind", "is_sorted"), [*((kind, False) for kind in TABLES), *((kind, True) for kind in LAZY)]
)
def test_shares_of_groups_with_and_without_fractions(made, kind, is_sorted):
    rules = SHARES if kind == "dataset" else in_stable_order(SHARES, kind, is_sorted)[:3]
    check_shares(made(kind, is_sorted), rules)


@each_table
def test_nothing_to_score(kind, tmp_path):
    """It is refused, or if positives are known to exist, warned of once."""
    table = TABLES[kind](arrow({name: column[:0] for name, column in ROWS.items()}), tmp_path)
    value = partial(AP, "label", "score", data=table)
    point = partial(ap.operating_point, "label", "score", data=table, k=3)
    for call in (value, point, partial(value, groups="query")):
        with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\) in y_true"):
            call()
    for exist in ({"n_positives": 3}, {"groups": "day", "n_positives": {1: 2, -1: 3}}):
        with pytest.warns(UserWarning, match="There are no rows, so no positives") as caught:
            assert value(**exist) == 0
        assert len(caught) == 1


# Streams that are read once
def reader(table, size=None):
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(size))


@each_lazy
def test_ctrl_c_leaves_nothing_open(kind, tmp_path, monkeypatch, capsys):
    """While resamples are drawn."""
    table = TABLES[kind](arrow(columns_of()), tmp_path)
    call = partial(ap.report, "label", ["score", "mass"], metrics="P@5", data=table, n_resamples=9)
    call()

    def interrupt(*_):
        raise KeyboardInterrupt

    before = threading.enumerate()
    with monkeypatch.context() as patch:
        patch.setattr("sklearn_ap._show.progress.ResampleProgress.add", interrupt)
        with pytest.raises(KeyboardInterrupt) as kept:  # with its traceback, as in a console
            call(verbose=1)
    assert threading.enumerate() == before, kept
    for _ in range(100):  # threads of Arrow may still be closing a file
        files = [file.resolve() for file in Path("/proc/self/fd").glob("*")]
        if not (still_open := [file for file in files if tmp_path in file.parents]):
            break
        sleep(0.05)
    assert not still_open
    assert capsys.readouterr().err  # progress, which nothing writes any more
    call()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("n_characters", [6, 40])
def test_many_groups_of_strings_in_any_order(n_characters, tmp_path):
    """So many that they are numbered by their bytes, also those of several batches."""
    rng = np.random.default_rng(0)
    group = [f"{i:0{n_characters}}" for i in rng.integers(2000, size=10_000)]
    columns = {"label": rng.random(10_000) < 0.3, "score": rng.random(10_000), "group": group}
    path = _parquet(pa.table(columns), tmp_path / "many.parquet", row_group_size=2500)
    of = partial(AP, zero_division=0.0, average=None)
    found = of("label", "score", groups="group", data=path)
    expected = of(columns["label"], columns["score"], groups=np.array(group))
    assert found.tolist() == expected.tolist()


# Queries that are interrupted or refused
def on_duckdb(connection, ibis):
    """A million rows, which DuckDB computes in many batches."""
    query = """
        SELECT i % 3 = 0 AS label, (i * 7919 % 1000003)::DOUBLE AS score, i // 1000 AS day,
            CASE WHEN i = 5 THEN 'nan'::DOUBLE ELSE i END AS refused
        FROM range(1000000) t(i)
    """
    return ibis.duckdb.from_connection(connection).sql(query) if ibis else connection.sql(query)


@pytest.fixture(params=["DuckDB", "Ibis"])
def a_million_rows(request):
    """A connection of DuckDB, and a function that makes the table."""
    duckdb = pytest.importorskip("duckdb")
    ibis = pytest.importorskip("ibis") if request.param == "Ibis" else None
    if ibis and not hasattr(duckdb.DuckDBPyConnection, "fetch_record_batch"):
        pytest.skip("Ibis cannot stream from this version of DuckDB")
    connection = duckdb.connect()
    return connection, partial(on_duckdb, connection, ibis)


def test_threads_on_one_connection(a_million_rows):
    """Each gets the right value or an error, and with a cursor of its own, the right value."""
    connection, make = a_million_rows
    tables = [make() for _ in range(4)]
    expected = AP("label", "score", data=tables[0])

    def value(table):
        try:
            return AP("label", "score", data=table)
        except Exception:
            return expected

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(value, tables * 4)) == {expected}
        if hasattr(tables[0], "project"):  # a relation of DuckDB
            cursors = [connection.cursor() for _ in range(4)]  # old relations don't keep theirs
            own = [on_duckdb(cursor, None) for cursor in cursors]
            found = threads.map(lambda table: AP("label", "score", data=table), own)
            assert set(found) == {expected}


def test_a_connection_with_an_open_result(a_million_rows):
    """DuckDB 2 refuses our query, and older versions end the other one."""
    duckdb = pytest.importorskip("duckdb")
    connection, make = a_million_rows
    expected = AP("label", "score", data=make())
    table, other = make(), connection.sql("FROM range(1000000)")
    with (getattr(other, "to_arrow_reader", None) or other.fetch_arrow_reader)(1000) as opened:
        opened.read_next_batch()
        if duckdb.__version__ >= "2":
            with pytest.raises(duckdb.Error, match="connection has an open result"):
                AP("label", "score", data=table)
        else:
            assert AP("label", "score", data=table) == expected


def test_a_query_after_a_refused_one(a_million_rows):
    """The connection is free, although the traceback of the error is still there."""
    connection, make = a_million_rows
    expected = P("label", "score", data=make(), k=10)
    with pytest.raises(ValueError, match="y_score contains NaN") as kept:
        AP("label", "refused", data=make())
    assert connection.sql("SELECT 7").fetchall() == [(7,)]
    assert P("label", "score", data=make(), k=10) == expected > 0
    assert kept.tb is not None


@pytest.mark.sweep(6)
@each_table
@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"y_true": "labels"}, "y_true='labels' is not .* mean 'label'.* It has 'label', 'score'"),
        ({"y_score": "Score"}, "y_score='Score' is not a column .* It has 'label', 'score', 'thr"),
        ({"groups": "q"}, "groups='q' is not a column of data"),
        ({"y_true": "lists"}, "y_true is the column 'lists'"),
        ({"y_score": "lists"}, "y_score must .*y_score is the column 'lists'"),
        ({"groups": "lists"}, "groups must .*groups is the column 'lists'"),
        ({"sample_weight": "lists"}, "sample_weight is the column 'lists'"),
        ({"y_score": "text"}, "y_score must .*numbers.*y_score is the column 'text'"),
        ({"sample_weight": "digits"}, "sample_weight must .*numbers.* is the column 'digits'"),
        ({"y_true": "score"}, "continuous format is not .*y_true is the column 'score'"),
        ({"y_true": "three"}, "y_true is the column 'three'"),
        ({"y_true": "text", "pos_label": "a"}, "y_true is the column 'text'"),
        (
            {"y_true": "strings", "groups": "text"},
            r"_label=1 is not .*\(y_true is the column 's\w*'\)$",
        ),
        ({"y_score": "nan"}, "y_score contains NaN.*y_score is the column 'nan'"),
        ({"y_score": "gap"}, "y_score .*y_score is the column 'gap'"),
        ({"y_true": "unlabeled"}, "y_true is the column 'unlabeled'"),
        ({"groups": "nameless"}, "groups contains .*groups is the column 'nameless'"),
        ({"sample_weight": "gap"}, "sample_weight .*sample_weight is the column 'gap'"),
        ({"sample_weight": "negative"}, "[Nn]egative.*sample_weight is the column 'negative'"),
        ({"ties": "best", "sample_weight": "score"}, "sample_weight"),
        ({"groups": "text", "average": "micro"}, "average must be one of"),
        ({"y_true": "text", "min_grade": 1}, "min_grade=1 compares numbers"),
        ({"n_positives": 1}, "n_positives=1.* already contains 2"),
    ],
    ids=str,
)
def test_bad_columns(bad, kind, options, match):
    """The error names the argument and the column."""
    if kind == "dict" and set(LISTS) & set(map(str, options.values())):
        pytest.skip("has no such columns")
    given = {"y_true": "label", "y_score": "score", **options}
    with pytest.raises((ValueError, TypeError), match=match) as caught:
        AP(given.pop("y_true"), given.pop("y_score"), data=bad(kind), **given)
    assert type(caught.value).__module__.partition(".")[0] in ("builtins", "sklearn_ap")


@pytest.mark.parametrize("role", ["y_score", "sample_weight", "groups", "clusters", "by"])
def test_an_error_about_several_columns_says_which_argument_each_of_them_is(role):
    columns = {"y": [0, 1, 1, 0], "s": [4, 3, 2, 1], "short": [1, 1, 2]}
    named = {"y_true": "y", "y_score": "s"} | {role: "short"}
    with pytest.raises(ValueError, match=f"There are 4 in y_true and .*3 in {role}") as caught:
        ap.report(**named, data=columns)
    error = str(caught.value)
    which = error.removesuffix(")").rpartition("(")[2].split(", ")
    compared = [name for name in named if f" in {name}" in error]
    assert sorted(which) == sorted(f"{name} is the column {named[name]!r}" for name in compared)


def test_files_and_folders_that_cannot_be_read(tmp_path):
    good = _parquet(pa.table(BAD), tmp_path / "table.parquet")
    for folder in ("empty", "mixed"):
        (tmp_path / folder).mkdir()
    text = tmp_path / "mixed" / "text.parquet"
    text.write_text("label,score")
    missing, pattern = tmp_path / "nowhere.parquet", tmp_path / "*.csv"
    for data, error, words in (
        (missing, FileNotFoundError, r"No such file or folder: .*nowhere\.parquet"),
        ([good, good], ValueError, r"data has the path '.*table\.parquet' twice, so its rows"),
        ([good, missing], FileNotFoundError, r"file or folder: '[^',]*nowhere\.parquet'\."),
        (pattern, FileNotFoundError, r"that match, pass list\(.*\.glob\('\*\.csv'\)\)"),
        (text, ValueError, r"data must be Parquet files, .* but .*text\.parquet"),
        (text.parent, ValueError, r"data must be Parquet files, .* but .*text\.parquet"),
        (tmp_path / "empty", ValueError, r"must be Parquet files, but there are none in "),
        ([tmp_path, text.parent], ValueError, r"must contain files only\. To read a folder"),
    ):
        with pytest.raises(error, match=words):
            AP("label", "score", data=data)


def test_a_lazy_frame_whose_source_can_be_read_once():
    polars = pytest.importorskip("polars")
    plugins = pytest.importorskip("polars.io.plugins")
    held = [polars.DataFrame({"label": [1, 0, 1], "score": [0.9, 0.8, 0.7], "query": [1, 2, 1]})]

    def source(columns, *_):
        return (held.pop().select(columns or polars.all()) for _ in held[:1])

    schema = {"label": polars.Int64, "score": polars.Float64, "query": polars.Int64}
    data = plugins.register_io_source(source, schema=schema)
    assert AP("label", "score", groups="query", data=data, zero_division=0.0) == 0.5
    words = r"0 sample\(s\) in y_true .* Either data is empty, or .* was read before, .* again\.$"
    with pytest.raises(ValueError, match=words):
        P("label", "score", k=2, data=data)
    with pytest.warns(UserWarning, match="an earlier call read the source of the data"):
        P("label", "score", k=2, data=data, n_positives=3)


def test_a_parquet_file_is_read_first(tmp_path):
    import pyarrow.parquet as pq

    file = pq.ParquetFile(_parquet(pa.table(BAD), tmp_path / "table.parquet"))
    with pytest.raises(TypeError, match=r"a table: .* Got ParquetFile .* Pass data\.read\(\),"):
        AP("label", "score", data=file)
    assert AP("label", "score", data=file.read()) == pytest.approx(5 / 6)
    file.close()


@pytest.mark.parametrize("kind", ["pandas", "polars", "polars LazyFrame", "DuckDB"])
def test_what_narwhals_wraps(made, kind, monkeypatch):
    """It is read like the table itself, in memory without PyArrow."""
    table = made(kind)
    wrapped = pytest.importorskip("narwhals").from_native(table)
    if kind in ("pandas", "polars"):
        monkeypatch.setattr("sklearn_ap._read.tables.import_pyarrow", None)
    by_name = partial(ap.metric("P@3").by_name, "label", "score", groups="day")
    assert by_name(data=wrapped) == by_name(data=table)


def hive(folder, with_keys=False):
    """Folders that name the day, the shard and the country of their files."""
    import pyarrow.parquet as pq

    rows = {name: ROWS[name] for name in ("label", "score")} | {
        "day": np.array([date(2026, 6, 3 + day) for day in ROWS["day"].tolist()]),
        "shard": ROWS["count"],
        "part": ROWS["count"] / 4,
        "place": np.where(ROWS["kind"] == "cat", "a b/c=d", "nan"),
    }
    keys = ["day", "shard", "part", "place"]
    parts = [tuple(rows[key][i] for key in keys) for i in range(60)]
    for part in dict.fromkeys(parts):
        some = np.array([one == part for one in parts])
        where = "/".join(f"{k}={quote(str(v), safe='')}" for k, v in zip(keys, part, strict=True))
        (folder / where).mkdir(parents=True)
        columns = {name: rows[name][some] for name in rows if with_keys or name not in keys}
        pq.write_table(pa.table(columns), folder / where / "0.parquet")
    return rows


PARTITIONS = ["day", "shard", "part", "place", ["day", "place"]]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("with_keys", [False, True])
def test_folders_that_name_values(tmp_path, with_keys):
    """As in Hive, whose folders pandas, Polars and DuckDB read in the same way."""
    rows = hive(tmp_path / "hive", with_keys)
    folder, files = tmp_path / "hive", sorted((tmp_path / "hive").glob("**/*.parquet"))
    for groups in PARTITIONS:
        names = [groups] if isinstance(groups, str) else groups
        column = np.fromiter(zip(*(rows[name].tolist() for name in names), strict=True), object)
        given = {"average": None, "zero_division": 0.0}
        expected = MAP(rows["label"], rows["score"], groups=column, **given).tolist()
        exist = dict.fromkeys(column.tolist(), 50)
        among_50 = MAP(rows["label"], rows["score"], groups=column, n_positives=exist, **given)
        exist = {name if len(names) > 1 else name[0]: 50 for name in exist}
        by_hand = ap.confidence_interval(rows["label"], rows["score"], clusters=column)
        for data in (folder, files):
            found = MAP("label", "score", groups=groups, data=data, **given)
            assert found.tolist() == pytest.approx(expected, abs=1e-12)
            found = MAP("label", "score", groups=groups, n_positives=exist, data=data, **given)
            assert found.tolist() == pytest.approx(among_50.tolist(), abs=1e-12)
            interval = ap.confidence_interval("label", "score", clusters=groups, data=data)
            assert interval.high == pytest.approx(by_hand.high, abs=1e-9)
    assert AP("label", "shard", data=folder) == AP(rows["label"], rows["shard"])
    found = AP("label", "shard", data=folder / "day=2026-06-01", sample_weight="part")
    first = {name: column[rows["day"] == date(2026, 6, 1)] for name, column in rows.items()}
    expected = AP(first["label"], first["shard"], sample_weight=first["part"])
    assert found == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match=r"'shards' .* mean 'shard'.* It has .*'day', 'shard'"):
        AP("label", "shards", data=folder)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_folders_as_polars_reads_them(tmp_path):
    pl = pytest.importorskip("polars")
    hive(tmp_path / "hive")
    frame = pl.scan_parquet(tmp_path / "hive", hive_partitioning=True).collect()
    for groups in PARTITIONS:
        found = ap.hit_curve("label", "score", groups=groups, data=tmp_path / "hive")
        expected = ap.hit_curve("label", "score", groups=groups, data=frame)
        assert list(found) == list(expected)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1", "02", "2"], ["02", "1", "2"]),
        (["7", "007"], ["007", "7"]),
        (["007"], ["007"]),
        (["+1", "1"], ["+1", "1"]),
        (["1.5", "1.50"], ["1.5", "1.50"]),
        (["0", "-12", "3"], [-12, 0, 3]),
        (["0.25", "-1.5"], [-1.5, 0.25]),
        (["2026-06-30", "2026-06-01"], [np.datetime64("2026-06-01"), np.datetime64("2026-06-30")]),
        (["2026-06-31", "2026-06-01"], ["2026-06-01", "2026-06-31"]),
        (["20260601"], [20260601]),
        (["12345678901234567890", "1"], ["1", "12345678901234567890"]),
        (["nan"], ["nan"]),
        (["inf", "-inf"], ["-inf", "inf"]),
        (["x", "1"], ["1", "x"]),
    ],
    ids=str,
)
def test_ids_in_names_of_folders_are_as_they_are_written(tmp_path, texts, expected):
    """No two of them are merged, and only what Python writes in the same way is a number."""
    for text in texts:
        (tmp_path / f"id={text}").mkdir()
        rows = pa.table({"label": [1, 0, 1], "score": [3, 2, 1]})
        _parquet(rows, tmp_path / f"id={text}" / "0.parquet")
    found = ap.metric("P@1").by_name("label", "score", groups="id", data=tmp_path)
    assert [(type(name), name) for name in found] == [(type(name), name) for name in expected]


def test_equals_signs_in_names_of_files_are_no_columns(tmp_path):
    """Only folders have columns in their names."""
    for day, rows in (("1", {"day": [7, 7]}), ("2", {"day": [8, 8]})):
        _parquet(
            pa.table({"label": [1, 0], "score": [2, 1], **rows}), tmp_path / f"day={day}.parquet"
        )
    for data in (tmp_path, sorted(tmp_path.iterdir())):
        assert [*ap.metric("P@1").by_name("label", "score", groups="day", data=data)] == [7, 8]


def test_names_of_folders_take_precedence_over_columns_of_files(tmp_path):
    """As in polars, DuckDB and Spark."""
    pl, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    for user, label, others in (("a", [1, 0, 1], [*"xyy"]), ("b", [0, 1, 1], [*"yxx"])):
        (tmp_path / f"user={user}").mkdir()
        rows = {"label": label, "score": [3, 2, 1], "user": others}
        _parquet(pa.table(rows), tmp_path / f"user={user}" / "0.parquet")
    files = sorted(tmp_path.glob("*/*.parquet"))
    frames = [
        pl.scan_parquet(tmp_path, hive_partitioning=True),
        duckdb.sql(f"FROM read_parquet('{tmp_path}/*/*.parquet', hive_partitioning=true)"),
    ]
    for data in (tmp_path, files, *frames):
        found = ap.metric("AP").by_name("label", "score", groups="user", data=data)
        assert found == {"a": pytest.approx(5 / 6), "b": pytest.approx(7 / 12)}
    assert found == ap.metric("AP").by_name(
        "label", "score", groups="user", n_positives={"a": 2, "b": 2}, data=tmp_path
    )


# Types of columns
@pytest.mark.parametrize("groups", [{}, {"groups": "label"}], ids=str)
def test_files_of_several_types(tmp_path, groups):
    """No value is cast to the type that the column has in the first file."""
    label, score = np.array([1, 0, 0, 1]), np.array([1 + 1e-9, 1, 0.5, 0.25])
    kinds = [("f4", "i1", "int8"), ("f8", "i8", "int64"), ("f2", "i4", "int16")]
    files, other, parts = [], ["same", 1, 2.5], []
    for number, (of_score, of_rank, of_label) in enumerate(kinds):
        columns = {"score": score.astype(of_score), "label": label.astype(of_label)}
        columns["rank"] = np.array([4, 3, 2, 100 if number == 0 else 1000]).astype(of_rank)
        parts.append(columns)
        columns = columns | {"other": [other[number]] * 4}  # of which nothing is asked
        files.append(_parquet(pa.table(columns), tmp_path / f"{number}.parquet"))
    whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    value = partial(AP, "label", average=None, zero_division=0.0, **groups)
    for data in (files, files[::-1], tmp_path):
        for name in ("score", "rank"):
            found, expected = (value(name, data=each) for each in (data, whole))
            assert found == pytest.approx(expected, abs=1e-12)
        words = r"'other' has incompatible types .*: double, int64, string"
        with pytest.raises(TypeError, match=words):
            AP("other", "score", data=data)


NUMBERS = [*map(pa.from_numpy_dtype, ["b", "q", "Q", "e", "f", "d"])]
STRINGS = [pa.string(), pa.large_string()]
CODES = [pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.large_string())]
OTHERS = [pa.bool_(), pa.date32(), pa.string_view()]


def of_type(column, kind):
    if kind in NUMBERS:
        return pa.array(column.astype(kind.to_pandas_dtype()))
    strings = pa.array(column.tolist())
    return strings.dictionary_encode().cast(kind) if "dict" in str(kind) else strings.cast(kind)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kinds", [NUMBERS, STRINGS, CODES], ids=["numbers", "strings", "codes"])
@pytest.mark.parametrize("is_next", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_types_that_differ_between_two_files(tmp_path, kinds, is_next):
    """Each function gives the same, whichever type comes first."""
    rng = np.random.default_rng(0)
    names, scores = ["label", "group", "unit"], ["score", "weight"]
    columns = {"label": np.arange(24) % 3 == 0, "group": rng.integers(0, 2, 24) == 0}
    columns |= {"unit": np.arange(24) % 2 == 1, **dict.fromkeys(scores, np.arange(24) % 4 > 0)}
    if kinds is not NUMBERS:
        columns |= {name: np.char.add("is ", columns[name].astype(str)) for name in names}
        columns["unit"] = np.array([f"unit {i}" for i in range(24)])
    given = {} if kinds is NUMBERS else {"pos_label": "is True"}
    calls = [
        AP,
        partial(MAP, groups="group"),
        partial(ap.confidence_interval, clusters="unit"),
        partial(ap.confidence_interval, groups="group", sample_weight="weight"),
        lambda *given, **options: [
            (row.value, row.low, row.high, row.pvalue)
            for row in ap.report(*given, by="group", **options)
        ],
    ]

    def answers(data):
        return [without_chance(str(call("label", "score", data=data, **given))) for call in calls]

    expected = answers(columns)
    following = dict(zip(kinds, kinds[1:] + kinds[:1], strict=True))
    for both in permutations(kinds, 2):
        if is_next != (following[both[0]] == both[1]):
            continue
        for number, kind in enumerate(both):
            part = {name: column[12 * number :][:12] for name, column in columns.items()}
            kept = {
                name: of_type(column, kind if name in names or kinds is NUMBERS else pa.float64())
                for name, column in part.items()
            }
            _parquet(pa.table(kept), tmp_path / f"{number}.parquet")
        assert answers(tmp_path) == expected, both


@pytest.mark.parametrize(
    "pair", [*permutations([pa.int64(), pa.string(), CODES[0], *OTHERS], 2)], ids=str
)
def test_types_that_are_not_joined(tmp_path, pair):
    """Neither as files nor as a dataset, which has the types of its first file."""
    types = []
    for number, kind in enumerate(pair):
        try:
            group = pa.nulls(2).cast(kind)
        except pa.ArrowNotImplementedError:
            pytest.skip("older releases of PyArrow don't cast nulls to it")
        columns = {"label": [0, 1], "score": [1, 2], "group": group}
        file = tmp_path / f"{number}.parquet"
        _parquet(pa.table(columns), file)
        types.append(str(pyarrow.parquet.read_schema(file).field("group").type))
    names = ", ".join(sorted(types))  # as files have them, which may have other indices of codes
    for data in (tmp_path, pyarrow.dataset.dataset(tmp_path)):
        with pytest.raises(TypeError) as refusal:
            AP("label", "score", groups="group", data=data)
        words = f"The column 'group' has incompatible types in these files: {names}. Cast it to one"
        assert str(refusal.value).startswith(words)


MIXED = {
    "large integers": ([2**53 + 1, 2**53], pa.int64(), [2.0**53, 5.0], pa.float64()),
    "unsigned integers": ([-1, 2**53 + 1], pa.int64(), [2**64 - 1, 2**53], pa.uint64()),
}


@pytest.mark.parametrize("case", MIXED)
def test_numbers_that_no_common_type_has_are_not_rounded(tmp_path, case):
    here, type_here, there, type_there = MIXED[case]
    columns = zip([here, there], [type_here, type_there], strict=True)
    files = [
        _parquet(pa.table({"label": [1, 0], "x": pa.array(*column)}), tmp_path / f"{i}.parquet")
        for i, column in enumerate(columns)
    ]
    for data in (tmp_path, files, files[::-1]):
        for named in ({}, {"groups": "label"}):
            with pytest.raises(ValueError, match=r"not in range.* write it with one type"):
                AP("label", "x", data=data, **named)


def test_a_dataset_is_not_rounded_to_the_type_of_its_first_file(tmp_path):
    """PyArrow would give the scores two ties, and .5 for .583."""
    label, score = [0, 0, 1], [0.5, 0.5 + 1e-9, 0.5 + 2e-9]
    _parquet(pa.table({"label": [0], "score": pa.array([1], "float")}), tmp_path / "0.parquet")
    _parquet(pa.table({"label": label, "score": score}), tmp_path / "1.parquet")
    assert AP("label", "score", data=tmp_path) == AP([0, *label], [1, *score]) == 0.5
    with pytest.raises(TypeError, match=r"'score' has incompatible types .*: double, float"):
        AP("label", "score", data=pyarrow.dataset.dataset(tmp_path))
    wide = pa.schema({"label": pa.int64(), "score": pa.float64()})
    assert AP("label", "score", data=pyarrow.dataset.dataset(tmp_path, wide)) == 0.5


@pytest.mark.filterwarnings("ignore:.*predicted classes:UserWarning")
@pytest.mark.parametrize("is_lazy", [False, True])
def test_integers_of_128_bits(is_lazy):
    pl = pytest.importorskip("polars", minversion="1.34", reason="has them")
    large = [2**100 + 1, 2**100, -(2**100)]
    columns = {"label": [1, 0, 1], "score": large, "mass": [1, 2, 1]}
    frame = pl.DataFrame({name: pl.Series(x, dtype=pl.Int128) for name, x in columns.items()})
    score = partial(AP, "label", data=frame.lazy() if is_lazy else frame)
    assert score("score") == pytest.approx(5 / 6)
    assert score("score", sample_weight="mass") == pytest.approx((1 + 2 / 4) / 2)
    counts = dict.fromkeys(large, 2)
    found = score("label", groups="score", average=None, n_positives=counts)
    assert found.tolist() == [0.5, 0, 0.5]


def test_objects_of_pandas():
    """As databases return decimals and dates."""
    pd = pytest.importorskip("pandas")
    days = [date(2026, 1, 3), date(2026, 1, 2), date(2026, 1, 1)]
    numbers = {"label": [1, 0, 1], "score": [3, 2, 1]}
    frame = pd.DataFrame({name: list(map(Decimal, n)) for name, n in numbers.items()})
    assert frame.dtypes.tolist() == [object, object]
    assert AP("label", "score", data=frame) == pytest.approx(5 / 6)
    counts = dict.fromkeys(days, 2)
    found = AP([1, 0, 1], [3, 2, 1], groups=pd.Series(days), average=None, n_positives=counts)
    assert found.tolist() == [0.5, 0, 0.5]


def test_columns_of_some_files(tmp_path):
    """The error names the file, unless it is empty."""
    first = pa.table({"label": [1, 0, 1], "score": [3.0, 2.0, 1.0]})
    _parquet(first, tmp_path / "0.parquet")
    second = _parquet(pa.table({"label": pa.array([], pa.null())}), tmp_path / "1.parquet")
    assert AP("label", "score", data=tmp_path) == pytest.approx(5 / 6)
    _parquet(pa.table({"label": [1], "other": [2]}), second)
    words = r"It has 'label', 'other'\. This is the file .*1\.parquet"
    with pytest.raises(ValueError, match=words):
        AP("label", "score", data=tmp_path)
    _parquet(pa.table([[1], [2.0], [0]], ["label", "score", "label"]), second)
    for data in (tmp_path, second):
        with pytest.raises(ValueError, match=r"2 columns with the name y_true.* file .*1\.parquet"):
            AP("label", "score", data=data)


def test_a_misspelled_column_of_all_files_names_the_folder(tmp_path):
    for day in (1, 2):
        (tmp_path / f"day={day}").mkdir()
        _parquet(pa.table({"label": [1, 0]}), tmp_path / f"day={day}" / "p.parquet")
    folder = re.escape(str(tmp_path))
    words = rf"y_score='scroe' .* It has 'label', 'day'\. This is the folder '{folder}'"
    with pytest.raises(ValueError, match=words):
        AP("label", "scroe", data=tmp_path)
    with pytest.raises(ValueError, match=r"This is the file '.*day=1/p\.parquet'"):
        AP("label", "scroe", data=sorted(tmp_path.glob("*/*.parquet")))


@pytest.mark.parametrize("kind", ["reader", "dataset"])
def test_codes_of_numbers(kind):
    import pyarrow.dataset

    columns = {"label": [1, 0, 0, 1, 0], "score": [0.5, 0.5, 0.25, 2, 1], "query": [7, 7, 7, 9, 9]}
    coded = {name: pa.array(column).dictionary_encode() for name, column in columns.items()}
    table = pa.table(coded)
    for named, arrays in (({}, {}), ({"groups": "query"}, {"groups": columns["query"]})):
        data = table.to_reader(2) if kind == "reader" else pyarrow.dataset.dataset(table)
        found = AP("label", "score", data=data, average=None, **named)
        expected = AP(columns["label"], columns["score"], average=None, **arrays)
        assert found == pytest.approx(expected, abs=1e-12)


TIMES = time(8), time(9)
EXAMPLES = {
    "a group of strings without any weight does not exist": (
        {"y": [0, 1, 1, 1, 0], "s": [5, 4, 3, 2, 1], "w": [1, 1, 0, 1, 2], "g": [*"bbcaa"]},
        ap.metric("AP", sample_weight="w", average=None),
        [1, 0.5],
    ),
    "times of day are groups": (
        {"y": [1, 0, 0, 1, 0], "s": [1, 2, 0.5, 3, 1], "g": [TIMES[i] for i in (1, 1, 0, 0, 0)]},
        ap.metric("AP", average=None, n_positives=dict(zip(TIMES, (2, 4), strict=True))),
        [1 / 2, 1 / 8],
    ),
    # The two negatives share a bin of the first pass, but only one of them is in the top half.
    "rows at a fraction of weighted samples": (
        {"y": [1, 0, 0, 1], "s": [0.95, 0.9, 0.8, 0.7], "w": [1.0, 1, 9, 1]},
        ap.metric("P@50%", sample_weight="w", k_counts="samples"),
        1 / 2,
    ),
}


@each_lazy
@pytest.mark.parametrize("example", EXAMPLES)
def test_example(kind, example, tmp_path):
    if "times" in example and kind in ("Ibis", "polars LazyFrame"):
        pytest.skip("has them in nanoseconds")
    columns, metric, expected = EXAMPLES[example]
    groups = {"groups": "g"} if "g" in columns else {}
    found = metric("y", "s", data=TABLES[kind](pa.table(columns), tmp_path), **groups)
    assert found == pytest.approx(expected, abs=1e-12)


@each_table
def test_times_of_day_with_nanoseconds(kind, tmp_path):
    """Python's times lack them, so these two groups would be one."""
    if kind in ("dict", "pandas"):
        pytest.skip("does not know nanoseconds")
    columns = {"label": [1, 0, 0, 1], "score": [4, 3, 2, 1]}
    table = pa.table(columns | {"at": pa.array([1, 2, 1, 2], pa.time64("ns"))})
    table = TABLES[kind](table, tmp_path)
    if kind == "DuckDB" and "TIME_NS" not in map(str, table.types):
        pytest.skip("older versions read them in microseconds")
    with pytest.raises(ValueError, match=r"times of day in nanoseconds.*the column 'at'"):
        AP("label", "score", groups="at", data=table)


@pytest.mark.sweep(4)
@each_table
def test_decimals_that_become_equal_warn_once(kind, tmp_path):
    """Batches of seven rows contain integers of up to 64, 106 or 128 bits, or several of these."""
    rank = np.arange(30)
    numbers = [10 ** (17, 25, 37)[i // 10] + i for i in rank.tolist()]
    columns = {"label": rank % 3 % 2, "query": rank % 2, "mass": 1.0 + rank % 4}
    columns |= {"score": decimals(numbers, 38, 0), "short": decimals(rank.tolist(), 38, 0)}
    floats = np.array(numbers, dtype=float)
    table = TABLES[kind](pa.table(columns), tmp_path)
    for own in ({}, {"groups": "query"}, {"sample_weight": "mass"}):
        arrays = {role: columns[name] for role, name in own.items()}
        with pytest.warns(UserWarning, match="decimals are converted to float64") as caught:
            value = AP("label", "score", data=table, **own)
        assert value == pytest.approx(AP(columns["label"], floats, **arrays), abs=1e-12)
        assert len(caught) == 1
        assert AP("label", "short", data=table, **own) == pytest.approx(
            AP(columns["label"], rank, **arrays), abs=1e-12
        )
    for call in (ap.operating_point, ap.hit_curve, ap.confidence_interval):
        with pytest.warns(UserWarning, match="decimals are converted to float64") as caught:
            call("label", "score", data=table, **({"k": 5} if call is ap.operating_point else {}))
        assert len(caught) == 1


CURVES = [
    ap.hit_curve,
    ap.interpolated_precision_recall_curve,
]


def test_curves_and_intervals_of_a_reader():
    """It can be read only once, so it is read into memory, where all scores are thresholds."""
    for call in CURVES:
        *_, found = call("label", "score", data=arrow(ROWS).to_reader(7))
        *_, expected = call(ROWS["label"], ROWS["score"])
        assert found.tolist() == expected.tolist()
    found = ap.confidence_interval("label", "score", data=arrow(ROWS).to_reader(7))
    assert found == ap.confidence_interval(ROWS["label"], ROWS["score"])


@pytest.mark.parametrize(("label", "score", "words"), [
    ([1] * 20, range(20), "All rows of the model 'score' are positive"),
    ([0, 1] * 10, [3] * 20, "All prediction scores of the model 'score' are 3"),
    ([0, 1] * 10, [0, 1, 1, 1] * 5, "has only the prediction scores 0 and 1"),
    ([0, 1] * 10, [*[9] * 18, 1, 2], "'score' has more than twice as many ties .* top 2"),
])  # fmt: skip
def test_counted_rows_of_a_dead_model_are_told(label, score, words, tmp_path):
    pa_table = pa.table({"label": label, "score": [*score]})
    path = _parquet(pa_table, tmp_path / "rows.parquet")
    for data in (pa_table, path):
        with pytest.warns(UserWarning, match=words) as caught:
            ap.confidence_interval("label", "score", metric="P@2", random_state=0, data=data)
        assert len(caught) == 1


@pytest.mark.parametrize("n_first", [4, 5])
def test_half_of_the_first_tied_rows_are_enough(n_first, tmp_path):
    """Of four of them, the top 2 has half, and of five less."""
    columns = {"label": [1, 0] * 10, "score": [20] * n_first + [*range(20 - n_first)]}
    path = _parquet(pa.table(columns), tmp_path / "rows.parquet")
    for data in (pa.table(columns), path):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ap.confidence_interval("label", "score", metric="P@2", random_state=0, data=data)
        assert ["into the top 2, so" in str(each.message) for each in caught] == [True] * (
            n_first > 4
        )


def test_arrays_beside_a_table_are_read_with_it(made):
    """They can't be cut into the chunks of the table."""
    *_, found = ap.hit_curve("label", {"a": "score", "b": ROWS["other"]}, data=made("path"))["b"]
    *_, expected = ap.hit_curve(ROWS["label"], ROWS["other"])
    assert found.tolist() == expected.tolist()


def decimals(texts, precision, scale):
    return pa.array(list(map(Decimal, texts)), pa.decimal128(precision, scale))


@pytest.fixture(scope="module")
def exact(tmp_path_factory):
    columns = {
        name: pa.array(values) if kind is None else decimals(values, *kind)
        for name, (values, kind) in DECIMALS.items()
    }

    @cache
    def make(kind):
        return TABLES[kind](pa.table(columns), tmp_path_factory.mktemp("tables"))

    return make


@pytest.mark.sweep(4)
@each_table
def test_decimals_are_the_nearest_floats(exact, kind):
    # pandas and a dict have no type of decimals, so labels are refused
    check_decimals(exact(kind), of_labels=kind not in ("pandas", "dict"))


@pytest.mark.parametrize("scores", [np.array([0.3]), np.array([3])], ids=str)
def test_decimals_in_some_files_and_other_types_in_others(tmp_path, scores):
    """Some would be rounded."""
    _parquet(pa.table({"label": [1], "score": decimals(["0.3"], 5, 2)}), tmp_path / "a.parquet")
    _parquet(pa.table({"label": [0], "score": scores}), tmp_path / "b.parquet")
    words = r"'score' has incompatible types .*decimal128\(5, 2\).* Cast"
    with pytest.raises(TypeError, match=words) as caught:
        AP("label", "score", data=tmp_path)
    duckdb = pytest.importorskip("duckdb")
    code = re.search(r"data=(.*)\.$", str(caught.value))[1]
    table = eval(code, {"data": tmp_path, "pyarrow": pa, "duckdb": duckdb})
    assert AP("label", "score", data=table) == 0.5


def test_decimals_of_several_scales(tmp_path):
    texts, labels = ["0.3", "0.1", "0.25"], [1, 0, 1]
    for number, (digits, scale) in enumerate([(5, 2), (9, 3), (38, 9)]):
        each = decimals(texts[number:], digits, scale)
        _parquet(
            pa.table({"label": labels[number:], "score": each}), tmp_path / f"{number}.parquet"
        )
    columns = {
        "label": [label for number in range(3) for label in labels[number:]],
        "score": [float(text) for number in range(3) for text in texts[number:]],
    }
    for call in (AP, ap.report, ap.hit_curve):
        found, expected = (call("label", "score", data=each) for each in (tmp_path, columns))
        assert str(found) == str(expected) or call is ap.report
        assert call is not ap.report or found.rows[0].value == expected.rows[0].value


@pytest.mark.parametrize("name", ["label", "score", "query", "answer", "day"])
def test_a_column_without_a_value_in_some_file(tmp_path, name):
    """PyArrow writes it with a type of its own, whatever the column has in other files."""
    rows = arrow(ROWS).select(["label", "score", "query", "answer", "day"])
    place = rows.column_names.index(name)
    empty = rows.set_column(place, name, pa.nulls(len(rows)))
    assert str(empty.schema.field(name).type) == "null"
    for files in ([rows, empty], [empty, rows]):
        for number, table in enumerate(files):
            _parquet(table, tmp_path / f"{number}.parquet")
        groups = "query" if name in ("label", "score") else name
        if name in ("answer", "day"):
            found = ap.report("label", "score", by=name, data=tmp_path, zero_division=0.0)
            expected = ap.report("label", "score", by=name, data=rows, zero_division=0.0)
            assert [row.value for row in found][1:] == [row.value for row in expected][1:]
            continue
        with pytest.raises(ValueError, match=rf"contains nulls.*the column '{name}'"):
            AP("label", "score", groups=groups, data=tmp_path, zero_division=0.0)


@each_table
def test_columns_may_be_named_like_patterns_or_have_quotes(kind, tmp_path):
    """polars would expand patterns to all columns that match."""
    columns = {"*": [1, 0, 1], "^y$": [1, 1, 0], "y": [0, 1, 0], "^.*$": [3.0, 2, 1]}
    columns['a "b"'] = columns["*"]
    if kind == "Ibis":
        pytest.skip("passes them on to polars")
    table = TABLES[kind](pa.table(columns), tmp_path)
    for name, expected in {"*": 5 / 6, "^y$": 1, "y": 1 / 2, 'a "b"': 5 / 6}.items():
        assert AP(name, "^.*$", data=table) == pytest.approx(expected)


def test_columns_of_duckdb_that_differ_in_case():
    duckdb = pytest.importorskip("duckdb")
    rows = "(VALUES (1, 0, 3), (0, 1, 2), (1, 0, 1)) AS t"
    relation = duckdb.sql(f'SELECT col0 AS y, col1 AS "Y", col2 AS s FROM {rows}')
    assert relation.columns == ["y", "Y", "s"]
    assert AP("y", "s", data=relation) == pytest.approx(5 / 6)
    assert AP("Y", "s", data=relation) == pytest.approx(1 / 2)
    found = P("y", "s", groups="Y", data=relation, k=1, average=None)
    assert found.tolist() == [1, 0]


def test_a_table_can_have_attributes_of_its_own():
    """Where its class has none, a table is still recognized by what it has."""

    class Table:
        def __init__(self, columns):
            self.columns, self.iloc, self.held = list(columns), None, columns

        def __getitem__(self, name):
            return self.held[name]

    table = Table({"y": [1, 0, 1], "s": [3.0, 2, 1]})
    assert AP("y", "s", data=table) == pytest.approx(5 / 6)


def failing(kind):
    """Tables whose query fails after the first rows, and the library that raises the error."""
    if kind == "DuckDB":
        duckdb = pytest.importorskip("duckdb")
        label = "CASE WHEN i = 9000 THEN error('halfway') ELSE i % 2 END"
        query = f"SELECT {label} AS label, i * 1.0 AS score FROM range(10000) t(i)"
        return duckdb.sql(query), "duckdb"

    def fail(part):
        raise OSError("halfway")

    pl = pytest.importorskip("polars")
    late = pl.col("label").map_batches(fail, return_dtype=pl.Int64)
    return pl.LazyFrame({"label": [0, 1], "score": [1, 2]}).with_columns(late), "polars"


@pytest.mark.parametrize("kind", ["DuckDB", "polars LazyFrame"])
@pytest.mark.parametrize("options", [{}, {"groups": "label"}], ids=str)
def test_a_query_that_fails_halfway(kind, options):
    """The error of the library is raised unchanged."""
    table, library = failing(kind)
    with pytest.raises(Exception, match="halfway") as caught:
        AP("label", "score", data=table, **options)
    own = type(caught.value).__module__.strip("_").partition(".")[0]
    assert own in (library, "builtins")  # streams of newer versions of DuckDB raise an OSError
    assert "is the column" not in str(caught.value)


# Tables in memory: several columns, arrays and names together, and functions other than metrics
@each_eager
def test_n_positives_of_several_columns_by_name(kind, tmp_path):
    pd = pytest.importorskip("pandas")
    columns = {"cat": [1, 0, 1, 0], "dog": [1, 0, 0, 1], "a": [1, 2, 3, 4], "b": [4, 3, 2, 1]}
    value = partial(AP, ["cat", "dog"], ["a", "b"], average=None)
    value = partial(value, data=TABLES[kind](pa.table(columns), tmp_path))
    exist = pd.Series({"dog": 4, "cat": 2})
    assert value(n_positives=exist).tolist() == [1 / 2, (1 + 2 / 4) / 4]
    assert value(n_positives=exist.to_numpy()[::-1]).tolist() == [1 / 2, (1 + 2 / 4) / 4]
    found = ap.confidence_interval(
        ["cat", "dog"], ["a", "b"], data=value.keywords["data"], n_positives=exist
    )
    assert found.value == (1 / 2 + (1 + 2 / 4) / 4) / 2


LARGE = {  # columns whose types have no common one without rounding
    "signed and floats": [2**53 + np.array([1, 0, -9, 0, -9, -8]), np.arange(6) / 8],
    "unsigned and signed": [np.arange(6, dtype=np.uint64), 2**53 + np.array([1, 0, -9, 0, -9, -8])],
}


@each_eager
@pytest.mark.parametrize("columns", LARGE.values(), ids=LARGE)
def test_several_types_of_scores_are_not_rounded(kind, columns, tmp_path):
    label = np.tile([*"xyz"], 2)
    scores = dict(zip("xyz", [*columns, np.arange(6.0)], strict=True))
    table = TABLES[kind](pa.table({"label": label, **scores}), tmp_path)
    each = [AP(label == name, column) for name, column in scores.items()]
    value = partial(AP, average=None)
    assert value("label", list(scores), data=table).tolist() == each
    if kind in ("pandas", "pandas with Arrow", "polars"):
        assert value(label.tolist(), table[list(scores)]).tolist() == each


@each_eager
def test_arrays_beside_names(made, kind):
    value = partial(AP, data=made(kind))
    labels, scores, mass = (ROWS[name] for name in ("label", "score", "mass"))
    expected = AP(labels, scores, sample_weight=mass)
    assert value("label", scores, sample_weight="mass") == expected
    assert value(labels, "score", sample_weight=mass.tolist()) == expected
    assert value(labels, scores, sample_weight="mass") == expected


# What the caller passes is never changed
@pytest.mark.parametrize("kind", ["pandas", "polars", "dict", "PyArrow table"])
def test_nothing_is_changed(kind, tmp_path):
    table, before = (TABLES[kind](arrow(ROWS), tmp_path) for _ in range(2))
    for case in CASES:
        ap.confidence_interval(**given_in(case)[0] | {"average": "macro"}, data=table)
    assert table.equals(before) if hasattr(table, "equals") else table == before


class Guarded(dict):
    """A table of which only some columns may be read."""

    def __getitem__(self, name):
        assert name in ("label", "score", "mass")
        return super().__getitem__(name)


@pytest.mark.parametrize("kind", ["dict", "DuckDB", "polars LazyFrame"])
def test_only_the_named_columns_are_read(kind):
    """Another column of the query would fail."""
    columns = {"label": [0, 1] * 4 + [0], "score": range(9)}
    if kind == "dict":
        table = Guarded({**columns, "other": range(9)})
    elif kind == "DuckDB":
        duckdb = pytest.importorskip("duckdb")
        query = "SELECT i % 2 AS label, i AS score, error('taken') AS other FROM range(9) t(i)"
        table = duckdb.sql(query)
    else:
        pl = pytest.importorskip("polars")
        other = pl.col("score").map_batches(pytest.fail, return_dtype=pl.Int64).alias("other")
        table = pl.LazyFrame(columns).with_columns(other)
    assert AP("label", "score", data=table) == AP(*columns.values())


@pytest.mark.parametrize(
    "column",
    [
        [0, 1, 1, 300, -7, 2**62],
        [0.5, -0.0, float("inf"), float("nan"), 1.0, 2.0],
        [0.5, 1.5, None, 2.5, 3.5, 4.5],
        [True, False, False, True, False, True],
        ["a", "b", "b", "a", "c", "c"],
    ],
)
def test_columns_of_batches_are_read_into_memory_as_they_are(column):
    stream = reader(pa.table({"y": column, "s": column[::-1]}), 2)
    found = table_readers.read(stream, {"y_true": "y", "y_score": {"A": "s"}}, PositiveClass())
    assert repr(listed(found["y_true"])) == repr(column)
    assert repr(listed(found["y_score"]["A"])) == repr(column[::-1])


def listed(column):
    return column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()


def test_labels_that_are_read_into_memory_take_one_byte(tmp_path):
    path = _parquet(pa.table({"y": [0, 1] * 50, "s": [0.5] * 100}), tmp_path / "rows.parquet")
    found = table_readers.read(path, {"y_true": "y", "y_score": "s"}, PositiveClass())
    assert (found["y_true"].nbytes, found["y_score"].nbytes) == (100, 800)


@pytest.mark.parametrize("in_list", [False, True])
def test_a_table_of_a_subclass_is_one_of_its_class(in_list, tmp_path):
    """Such as the paths of other libraries, and data sets with methods of their own."""
    columns = {"label": [1, 0, 0, 1], "score": [4.0, 3.0, 2.0, 1.0]}

    class OwnPath(type(tmp_path)):  # of a module that nobody knows
        pass

    path = OwnPath(_parquet(pa.table(columns), tmp_path / "table.parquet"))
    assert AP("label", "score", data=[path] if in_list else path) == 0.75
