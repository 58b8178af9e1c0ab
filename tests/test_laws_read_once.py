"""Tables that aren't in memory are read once: results and errors are those of rows."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap as ap

from .groups import COLUMNS, EXIST
from .tables import LAZY, ROWS, arrow

pa = pytest.importorskip("pyarrow")

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
]

TABLE = pa.table({name: pa.array(column) for name, column in COLUMNS.items()})
NAMED = {"y_true": "label", "y_score": "score", "groups": "query", "zero_division": 0.0}
interval = partial(ap.confidence_interval, **NAMED)


def write(table, folder, **options):
    import pyarrow.parquet as pq

    path = Path(folder, "table.parquet")
    pq.write_table(table, path, **options)
    return path


# Values
@pytest.mark.sweep(8)
@pytest.mark.parametrize("kind", LAZY)
@pytest.mark.parametrize("given", [
    {"min_recall": 0.5, "groups": "query"},
    {"min_precision": 0.1, "confidence_level": 0.6},
    {"k": 3, "groups": "query"},
    {"threshold": 0.5, "sample_weight": "mass"},
], ids=str)  # fmt: skip
def test_thresholds_of_several_models(kind, given, tmp_path):
    models = {"one": "score", "two": "other"}
    expected = ap.operating_point("label", models, data=pa.table(ROWS), **given)
    found = ap.operating_point("label", models, data=LAZY[kind](arrow(ROWS), tmp_path), **given)
    assert str(found) == str(expected)
    assert [each.to_dict() for each in found.values()] == [
        each.to_dict() for each in expected.values()
    ]


def test_a_reader_is_read_once():
    found = interval(data=TABLE.to_reader(7))
    assert str(found) == str(interval(data=TABLE))


def test_a_reader_that_was_read():
    once = TABLE.to_reader(7)
    interval(data=once)
    with pytest.raises(ValueError, match=r"an earlier call has read it.* Create it again"):
        interval(data=once)


# Errors
def test_rows_that_do_not_fit_into_memory(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr("sklearn_ap._read.arrow.read_arrow", full)
    with pytest.raises(
        MemoryError, match=r"^data doesn't fit into memory\. Store scores as float32"
    ):
        interval(data=TABLE)


def test_nothing_at_all(tmp_path):
    for data in (TABLE.slice(0, 0), write(TABLE.slice(0, 0), tmp_path)):
        with pytest.raises(ValueError, match=r"0 sample\(s\) in y_true"):
            interval(data=data)


def test_nothing_was_retrieved(tmp_path):
    path = write(TABLE.slice(0, 0), tmp_path)
    with pytest.warns(UserWarning, match="has no rows") as ours:
        found = interval(data=path, n_positives=EXIST)
    with pytest.warns(UserWarning, match="has no rows") as expected:
        assert found.to_dict() == interval(data=TABLE.slice(0, 0), n_positives=EXIST).to_dict()
    assert [str(each.message) for each in ours] == [str(each.message) for each in expected]


@pytest.mark.parametrize("row", [0, 100, 239])
def test_a_missing_group_is_found_in_any_batch(row, tmp_path):
    column = TABLE["query"].to_pylist()
    column[row] = None
    table = TABLE.set_column(TABLE.schema.get_field_index("query"), "query", pa.array(column))
    words = rf"groups contains nulls.*concerns 1 of 240 rows, the first of them row {row} \(c"
    with pytest.raises(ValueError, match=words):
        interval(data=write(table, tmp_path, row_group_size=20))


@pytest.mark.parametrize("role", ["groups", "clusters", "y_true"])
def test_missing_strings_of_arrow_are_not_read_as_others(role, tmp_path):
    """NumPy would get one of the other strings instead, as Parquet files have few of them."""
    columns = {"y_true": ["no", "yes"] * 50, "groups": ["a", "b"] * 50, "clusters": ["c"] * 100}
    columns[role] = [*columns[role][:-1], None]
    table = pa.table({name: pa.array(each).dictionary_encode() for name, each in columns.items()})
    table = table.append_column("score", pa.array(np.arange(100.0)))
    named = {name: name for name in columns if name != "groups" or role == "groups"}
    for data in (table, write(table, tmp_path)):
        with pytest.raises(ValueError, match=f"{role} contains (NaN|nulls|missing)") as refusal:
            ap.confidence_interval(y_score="score", pos_label="yes", data=data, **named)
        assert role != "clusters" or "To leave these rows out" not in str(refusal.value)


def test_a_missing_score_is_that_of_one_model(tmp_path):
    column = [*COLUMNS["other"][:-1].tolist(), None]
    place = TABLE.schema.get_field_index("other")
    data = LAZY["path"](TABLE.set_column(place, "other", pa.array(column)), tmp_path)
    words = r"y_score contains nulls.* To rank these rows last.* \(y_score is the column 'other'\)$"
    with pytest.raises(ValueError, match=words) as refusal:
        ap.report("label", ["score", "other"], groups="query", data=data)
    assert "'score'" not in str(refusal.value)


# Several models
MODELS = ["score", "other", "third"]


@pytest.mark.parametrize("function", [
    lambda given: ap.compare("label", MODELS, zero_division=0.0, **given),
    lambda given: ap.report("label", MODELS, zero_division=0.0, **given),
    lambda given: ap.operating_point("label", MODELS, min_recall=0.5, **given),
    lambda given: ap.hit_curve("label", MODELS, **given),
], ids=["compare", "report", "operating_point", "hit_curve"])  # fmt: skip
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_what_models_share_is_read_once(function, monkeypatch):
    """Labels, weights and groups are those of the first model."""
    from sklearn_ap._read import validation

    read = []
    for name in ("read_labels", "read_one_target", "read_names", "read_weight"):
        original = getattr(validation, name)

        def counted(*args, name=name, original=original, **options):
            read.append(name)
            return original(*args, **options)

        monkeypatch.setattr(validation, name, counted)
    function({"groups": "query", "sample_weight": "mass", "data": ROWS})
    assert len(read) == len(set(read)) == 3


@pytest.mark.parametrize("lacking", [np.nan, None])
def test_scores_of_other_models_are_checked(lacking):
    other = [lacking, *ROWS["other"][1:]]
    for given in ({}, {"groups": "query"}, {"sample_weight": "mass"}):
        with pytest.raises(ValueError, match=r"y_score.*(NaN|missing)") as caught:
            ap.compare("label", ["score", "other"], data=ROWS | {"other": other}, **given)
        assert str(caught.value).endswith("(y_score is the column 'other')")
        with pytest.raises(ValueError, match=r"inconsistent numbers of samples.*in y_score"):
            ap.compare("label", ["score", "other"], data=ROWS | {"other": other[1:]}, **given)
