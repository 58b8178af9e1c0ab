"""Groups that are evaluated where their rows are: results are those of rows in memory."""

import re
from datetime import time
from decimal import Decimal
from importlib.util import find_spec
from math import isnan, nan

import numpy as np
import pytest

import sklearn_ap as ap

from .groups import CASES, COLUMNS, EXIST, compare, expected, heard, intervals, ordered
from .tables import LAZY, has_numbers, without_chance

pytestmark = pytest.mark.usefixtures("no_random_orders")

pa = pytest.importorskip("pyarrow")

# To find out whether negatives bias the values, or because clusters are drawn without their groups.
# Tables of their own are read to find out whether models with equal values rank alike.
IN_MEMORY = {"heavy negatives", "clusters of rows", "equal models in tables"}
# Models with equal values, of which the rows tell whether they rank alike.
NEED_WHOLE_GROUPS = {"two models that rank alike", *(case for case in CASES if "three" in case)}


def are_close(found, wanted):
    if isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(are_close(found[k], wanted[k]) for k in wanted)
    if isinstance(wanted, list | tuple | np.ndarray):
        return len(found) == len(wanted) and all(map(are_close, found, wanted))
    if isinstance(wanted, float):
        return found == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    return found == wanted


@pytest.fixture
def stays(monkeypatch):
    """Refuse to read rows into memory."""

    def refuse(*_):
        raise AssertionError("The rows were read into memory.")

    of_dask = ["dask.computed"] if find_spec("dask") else []
    for engine in ("arrow.Batches.collected", *of_dask):
        monkeypatch.setattr(f"sklearn_ap._read.{engine}", refuse)


FIRST = {"several columns", "a report"}


@pytest.mark.parametrize("is_sorted", [True, False], ids=["sorted", "scattered"])
@pytest.mark.parametrize(
    ("kind", "case"),
    [
        pytest.param(kind, case, marks=[] if kind == "path" or case in FIRST else pytest.mark.slow)
        for kind in LAZY
        for case in CASES
    ],
)
def test_results_are_those_of_rows_in_memory(kind, case, is_sorted, tmp_path, request, monkeypatch):
    monkeypatch.setattr("sklearn_ap._read.arrow.ROWS", 50)
    are_whole = is_sorted and kind != "Dask"
    if case not in IN_MEMORY and (are_whole or case not in NEED_WHOLE_GROUPS):
        request.getfixturevalue("stays")
    table = LAZY[kind](pa.table(ordered(COLUMNS) if is_sorted else COLUMNS), tmp_path)
    found, warned = heard(case, table)
    wanted, expected_warnings = expected(case, is_sorted)
    exact = not any(word in case for word in ("weight", "negatives"))
    assert found == wanted if exact and not has_nan(wanted) else are_close(found, wanted)
    if has_numbers(table, "truth"):
        expected_warnings = [
            text.replace("False and True", "0 and 1") for text in expected_warnings
        ]
    assert warned == expected_warnings


def has_nan(value):
    if isinstance(value, dict):
        return any(map(has_nan, value.values()))
    if isinstance(value, list | tuple | np.ndarray):
        return any(map(has_nan, value))
    return isinstance(value, float) and isnan(value)


@pytest.mark.parametrize("is_sorted", [True, False], ids=["sorted", "scattered"])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n_positives": dict.fromkeys(EXIST, 1)}, "n_positives=1 for 'q"),
        ({"metric": "MRR@3", "sample_weight": "light"}, r"sample_weight is the column 'light'\)$"),
        (
            {"y_score_a": ["score", "holes"]},
            r"\(y_score is the column 'holes'\) To rank them last, pass data=polars.concat",
        ),
        ({"y_score_a": {"A": "score", "B": "holes"}}, r"\(y_score is the column 'holes'\) To"),
    ],
    ids=["n_positives", "weights", "columns", "models"],
)
def test_errors_name_groups_and_columns(given, words, is_sorted, stays, tmp_path, monkeypatch):
    monkeypatch.setattr("sklearn_ap._read.arrow.ROWS", 1)
    monkeypatch.setattr("sklearn_ap._read.arrow.BATCH", 1)
    holes = np.where(COLUMNS["score"] > 0.5, nan, 1.0)
    columns = COLUMNS | {"holes": holes, "light": np.full(240, 0.1)}
    table = LAZY["path"](pa.table(ordered(columns) if is_sorted else columns), tmp_path)
    with pytest.raises(ValueError, match=words):
        compare(table, **given)


def test_views_of_strings_are_groups():
    columns = ordered(COLUMNS)
    views = pa.array(columns["query"].tolist(), pa.string_view())
    try:
        views.cast(pa.large_string())
    except pa.ArrowNotImplementedError:
        pytest.skip("this version of PyArrow can't compute with views of strings")
    table = pa.table(columns | {"query": views})
    (found,) = intervals(
        pytest.importorskip("pyarrow.dataset").dataset(table), ["P@3"], zero_division=0.0
    )
    (expected,) = intervals(columns, ["P@3"], zero_division=0.0)
    assert without_chance(found.to_dict()) == without_chance(expected.to_dict())


HOURS = np.array(["2026-06-01T03", "2026-06-02T04"], dtype="M8[h]")
NAMES = {  # of two groups, the type of their column, and how the first one is called
    "dates": (HOURS.astype("M8[D]"), None, "2026-06-01"),
    "seconds": (HOURS.astype("M8[s]"), None, "2026-06-01T03:00"),
    "nanoseconds": (HOURS.astype("M8[ns]"), None, "2026-06-01T03:00"),
    "UTC": (HOURS.astype("M8[ms]"), pa.timestamp("ms", "UTC"), "2026-06-01T03:00"),
    "coded dates": (HOURS.astype("M8[D]"), pa.dictionary(pa.int8(), pa.date32()), "2026-06-01"),
    "times": ([time(3), time(4)], None, "datetime.time(3, 0)"),
    "strings": (["a", "b"], pa.large_string(), "'a'"),
    "integers": ([7, 8], None, "7"),
    "floats": ([0.5, 1.5], pa.float32(), "0.5"),
    "decimals": ([Decimal("0.5"), Decimal("1.5")], None, "Decimal('0.5')"),
}


@pytest.mark.parametrize("groups", ["x", ["kind", "x"]])
@pytest.mark.parametrize("case", NAMES)
def test_scattered_groups_are_called_by_their_names(case, groups):
    names, kind, text = NAMES[case]
    column = pa.array(names)
    if pa.types.is_dictionary(kind or column.type):
        column, kind = column.dictionary_encode(), None
    column = (column if kind is None else column.cast(kind)).take(pa.array([0, 1, 0, 1]))
    table = pa.table({"label": [1, 0, 0, 1], "score": [4, 3, 2, 1], "x": column, "kind": [1] * 4})
    text = re.escape(text if groups == "x" else f"(1, {text})")
    with pytest.raises(ValueError, match=rf"The rows of group {text} are not consecutive"):
        ap.average_precision_score("label", "score", groups=groups, data=table.to_reader())


def test_readers_of_tables_are_read_once():
    table, models = pa.table(COLUMNS), {"a": "score", "b": "other"}
    given = {"y_true": "label", "y_score_a": models, "groups": "query", "zero_division": 0.0}
    found = ap.compare(data={model: table.to_reader(50) for model in models}, **given)
    assert found.to_dict() == ap.compare(data=dict.fromkeys(models, table), **given).to_dict()


@pytest.mark.usefixtures("in_small_batches")
def test_the_best_scores_of_all_chunks_are_counted():
    """The first chunk has a small group, which 5 doesn't cut, with one of the best scores."""
    sizes = [5, *[20] * 4]
    columns = {
        "label": np.concatenate([np.arange(size) % 3 == 1 for size in sizes]),
        "score": np.concatenate([[2.0, 1, 0, 0, 0], *[np.repeat([2.0, 1, 0], [12, 4, 4])] * 4]),
        "query": np.repeat(np.arange(5), sizes),
    }
    dataset = pytest.importorskip("pyarrow.dataset").dataset(pa.table(columns))
    for data in (columns, dataset):
        with pytest.warns(UserWarning, match="ties at the top as fit into the top 5"):
            intervals(data, ["P@5"])
