"""Tables that aren't in memory are read once, in batches: results and errors are those of rows."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap as ap

from .groups import COLUMNS, EXIST
from .tables import LAZY, ROWS, arrow

pa = pytest.importorskip("pyarrow")
from sklearn_ap._read.collecting import collected  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
    pytest.mark.usefixtures("in_small_batches"),
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
@pytest.mark.sweep(4)
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


@pytest.mark.parametrize("kind", LAZY)
def test_segments_of_a_check(kind, tmp_path):
    table = LAZY[kind](arrow(ROWS), tmp_path)
    point = ap.operating_point("label", "score", data=pa.table(ROWS), min_recall=0.5)
    for by in ("query", ["query", "day"]):
        given = {"by": by, "groups": "query"}
        expected, found = (
            point.check("label", "score", data=each, **given) for each in (pa.table(ROWS), table)
        )
        assert (found, str(found)) == (expected, str(expected))


def test_a_reader_is_read_once():
    found = interval(data=TABLE.to_reader(7))
    assert str(found) == str(interval(data=TABLE))


def test_a_reader_that_was_read():
    once = TABLE.to_reader(7)
    interval(data=once)
    with pytest.raises(ValueError, match=r"an earlier call has read it.* Create it again"):
        interval(data=once)


# Types
BIG = 2**53


@pytest.mark.parametrize("types", [
    ["uint64", "int64"], ["int64", "uint64"], ["float64", "int64"], ["int64", "float64"],
    ["uint64", "float64"], ["int32", "int64"], ["uint8", "uint64", "int64"],
])  # fmt: skip
def test_batches_of_several_types_are_not_rounded(types, tmp_path):
    """2**53 + 1 is above 2**53 in any type that has both."""
    import pyarrow.parquet as pq

    for number, kind in enumerate(types):
        is_last = number == len(types) - 1
        scores = [BIG + 1, 3] if is_last and "int" in kind else [BIG if "64" in kind else 7, 1]
        labels = [1, 0] if is_last else [0, 0]
        rows = pa.table({"y": labels, "s": pa.array(scores, pa.type_for_alias(kind))})
        pq.write_table(rows, tmp_path / f"{number}.parquet")
    if types[-1] != "float64":
        assert ap.average_precision_score("y", "s", data=tmp_path) == 1


def test_floats_of_two_types(tmp_path):
    import pyarrow.parquet as pq

    narrow, wide = np.array([0.1, 0.7], np.float32), np.array([0.1, 0.7])
    for number, scores in enumerate((narrow, wide)):
        pq.write_table(pa.table({"y": [0, 1], "s": scores}), tmp_path / f"{number}.parquet")
    whole = np.concatenate([narrow.astype(float), wide])
    found = ap.hit_curve("y", "s", data=tmp_path)[-1]
    assert found.tolist() == ap.hit_curve([0, 1, 0, 1], whole)[-1].tolist()


def test_types_that_cannot_be_joined():
    first = pa.record_batch({"y": [0, 1], "s": [0.5, 0.7]})
    named = {"y_true": "y", "y_score": "s"}
    times = pa.record_batch({"y": [0, 1], "s": pa.array([1, 2]).cast(pa.timestamp("us"))})
    with pytest.raises(TypeError, match=r"column 's' has batches of .* double and timestamp\[us\]"):
        collected(iter_of(first, times), named)
    whole = pa.array([1, 2]).cast(pa.decimal128(21, 2))
    decimals = pa.record_batch({"y": [0, 1], "s": whole})
    column = collected(iter_of(first, decimals), named)["y_score"]
    assert [float(each) for each in column.to_pylist()] == [0.5, 0.7, 1, 2]


def iter_of(*batches):
    yield from batches


def test_strings_are_held_as_codes():
    names = [f"{i % 7:0300}" for i in range(10_000)]
    table = pa.table({"y": [0, 1] * 5000, "s": range(10_000), "q": names})
    named = {"y_true": "y", "y_score": "s", "groups": "q"}
    column = collected(iter_of(*table.to_batches(100)), named)["groups"]
    assert column.to_pylist() == names
    assert column.nbytes < 10_000 * 6


# Errors
def test_rows_that_do_not_fit_into_memory():
    """The error says how many did, whichever batch was too much."""

    def growing():
        yield pa.record_batch({"y": [0, 1], "s": [0.5, 0.7]})
        raise MemoryError

    with pytest.raises(MemoryError, match=r"was full after 2 rows\. Store scores as float32"):
        collected(growing(), {"y_true": "y", "y_score": "s"})


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
    words = r"y_score contains nulls.*\(y_score is the column 'other'\) To rank them last, pass"
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
    for name in ("read_labels", "read_binary_labels", "read_names", "read_weight"):
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
