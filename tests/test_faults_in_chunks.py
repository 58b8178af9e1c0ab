"""What can go wrong where groups are evaluated: results are right, or there is an error."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._evaluate import group_values as by_group
from sklearn_ap._words.engine import NeedsRowsError
from sklearn_ap._words.inputs import Inputs
from sklearn_ap.core.rules import Step

from .chunks import Gathering, Lists
from .groups import COLUMNS, EXIST, compare, ordered, report
from .tables import LAZY, without_chance

pa = pytest.importorskip("pyarrow")

TABLE = pa.table({name: pa.array(column) for name, column in COLUMNS.items()})
SORTED = pa.table({name: pa.array(column) for name, column in ordered(COLUMNS).items()})
NAMED = {"y_true": "label", "y_score": "score", "groups": "query", "zero_division": 0.0}


class Passes:
    """A dataset of which each pass reads another table, or raises an error."""

    def __init__(self, *tables):
        self.tables, self.schema = list(tables), TABLE.schema

    def get_fragments(self):
        raise NotImplementedError

    def to_batches(self, columns, **_):
        table = self.tables.pop(0)
        if isinstance(table, Exception):
            raise table
        return iter(table.select(columns).to_batches(max_chunksize=50))


Passes.__module__ = "pyarrow.dataset"


def changed(name, row, value):
    column = TABLE[name].to_pylist()
    column[row] = value
    return TABLE.set_column(TABLE.schema.get_field_index(name), name, pa.array(column))


def interval(data, **given):
    return ap.confidence_interval(data=data, **NAMED | given)


POSITIVE = int(np.flatnonzero(COLUMNS["label"])[0])


# What changes or fails between the passes
def test_scattered_groups_are_read_once_more():
    """The first pass has noticed that groups are scattered, and nothing else."""
    other, given_ = changed("label", POSITIVE, 0), {"y_score_a": "score", "y_score_b": "other"}
    data = Passes(TABLE, other)
    found = compare(data, **given_, zero_division=0.0)
    assert not data.tables
    assert found.to_dict() == compare(other, **given_, zero_division=0.0).to_dict()


@pytest.mark.parametrize("number", range(2))
def test_a_pass_that_fails(number):
    tables = [TABLE] * 2
    tables[number] = OSError("The disk is gone.")
    with pytest.raises(OSError, match="The disk is gone"):
        interval(Passes(*tables))


def test_what_is_read_a_second_time_is_not_kept():
    """Sorted tables are read once, also if they change later."""
    data = Passes(SORTED, OSError())
    assert without_chance(interval(data).to_dict()) == without_chance(interval(SORTED).to_dict())


@pytest.mark.parametrize("table", [TABLE, SORTED], ids=["scattered", "sorted"])
@pytest.mark.parametrize("given", [{}, {"prevalence": 0.3}])
def test_a_reader_that_can_be_read_once(table, given):
    """Its rows are read into memory."""
    found = interval(table.to_reader(), **given)
    assert found.value == pytest.approx(interval(table, **given).value, abs=1e-12)


def test_a_source_that_is_empty_when_it_is_read_again():
    with pytest.raises(ValueError, match=r"rows of group 'q0' are not .* can be read only once"):
        interval(Passes(TABLE, TABLE.slice(0, 0)))


# Where the rows of groups are
def test_a_group_in_several_partitions_of_an_engine_that_brings_groups_together():
    class Broken(Gathering):
        def by_group(self):
            return Lists(self.chunks, self.columns)

    chunk = [np.array([1, 0]), np.array([0.2, 0.1]), None, np.array(["a", "b"])]
    engine = Broken([chunk, chunk], {"groups": "query", "y_score": "score"})
    with pytest.raises(RuntimeError, match="group 'a' came from several partitions"):
        by_group.value_groups([Step()], Inputs(engine=engine))


def test_a_group_whose_cluster_differs_between_chunks():
    """Its rows have to be read, as clusters of rows are drawn without their groups."""
    label, score, group = np.array([1, 0]), np.array([0.2, 0.1]), np.array(["a", "b"])
    chunks = [[label, score, None, group, np.array(own)] for own in (["x", "y"], ["y", "y"])]
    engine = Lists(chunks, {"groups": "query", "y_score": "score", "clusters": "site"})
    with pytest.raises(NeedsRowsError):
        by_group.value_groups([Step()], Inputs(engine=engine))


def test_nothing_at_all(tmp_path):
    for data in (TABLE.slice(0, 0), write(TABLE.slice(0, 0), tmp_path)):
        with pytest.raises(ValueError, match=r"0 sample\(s\) in y_true"):
            interval(data)


def test_nothing_was_retrieved(tmp_path):
    path = write(TABLE.slice(0, 0), tmp_path)
    with pytest.warns(UserWarning, match="has no rows") as ours:
        found = interval(path, n_positives=EXIST)
    with pytest.warns(UserWarning, match="has no rows") as expected:
        assert found.to_dict() == interval(TABLE.slice(0, 0), n_positives=EXIST).to_dict()
    assert [str(each.message) for each in ours] == [str(each.message) for each in expected]


def write(table, folder, **options):
    import pyarrow.parquet as pq

    path = Path(folder, "table.parquet")
    pq.write_table(table, path, **options)
    return path


@pytest.mark.parametrize("is_sorted", [True, False])
def test_a_group_with_half_of_the_rows(is_sorted, tmp_path, monkeypatch):
    """It spans many chunks, and the other groups share a few."""
    monkeypatch.setattr("sklearn_ap._read.arrow.ROWS", 10)
    queries = np.where(np.arange(240) < 120, "large", COLUMNS["query"])
    columns = COLUMNS | {"query": queries if is_sorted else queries[::-1]}
    columns = ordered(columns) if is_sorted else columns
    table = pa.table(columns)
    evaluate = partial(report, metrics=["AP", "P@3"], zero_division=0.0)
    found = evaluate(write(table, tmp_path, row_group_size=7))
    assert without_chance(found[0].to_dict()) == without_chance(evaluate(table)[0].to_dict())


@pytest.mark.parametrize("row", [0, 100, 239])
def test_a_missing_group_is_found_in_any_chunk(row, tmp_path, monkeypatch):
    monkeypatch.setattr("sklearn_ap._read.arrow.ROWS", 10)
    column = SORTED["query"].to_pylist()
    column[row] = None
    table = SORTED.set_column(SORTED.schema.get_field_index("query"), "query", pa.array(column))
    start = row // 20 * 20
    start = f"row {start} of data" if start else "0"
    words = rf"groups contains nulls.*first of them row {row % 20} \(counted from {start}\)"
    with pytest.raises(ValueError, match=words):
        interval(write(table, tmp_path, row_group_size=20))


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


@pytest.mark.parametrize("kind", ["path", "Dask"])
def test_a_missing_score_is_that_of_one_model(kind, tmp_path):
    column = [*COLUMNS["other"][:-1].tolist(), None if kind == "path" else np.nan]
    place = TABLE.schema.get_field_index("other")
    data = LAZY[kind](TABLE.set_column(place, "other", pa.array(column)), tmp_path)
    words = (
        r"y_score contains (nulls|NaN).*\(y_score is the column 'other'\) To rank them last, pass"
    )
    with pytest.raises(ValueError, match=words) as refusal:
        report(data, metrics=["AP"])
    assert "'score'" not in str(refusal.value)
    if kind == "Dask":
        with pytest.raises(ValueError, match=r"\(y_score is that of the model 'b'\)$"):
            ap.report(data.label, {"a": data.score, "b": data.other}, groups=data["query"])


def test_scores_of_two_types_within_a_group(tmp_path):
    """Arrow would round the integers, which are larger than 2**53."""
    import pyarrow.parquet as pq

    score = 2**53 + np.arange(8)[::-1]
    own = {"label": [0, 1, 0, 1], "query": ["a", "a", "b", "b"]}
    pq.write_table(pa.table(own | {"score": score[:4]}), tmp_path / "0.parquet")
    own["query"] = ["b", "b", "c", "c"]
    pq.write_table(pa.table(own | {"score": score[4:] / 1.0}), tmp_path / "1.parquet")
    found = interval(tmp_path)
    assert found.basis == "3 groups (query)"
    whole = {"label": [0, 1] * 4, "query": list("aabbbbcc"), "score": [*score[:4].tolist()]}
    whole["score"] += (score[4:] / 1.0).astype(int).tolist()
    assert without_chance(found.to_dict()) == without_chance(interval(pa.table(whole)).to_dict())


@pytest.mark.slow
def test_fifty_thousand_partitions():
    """Groups are in several of them, and most partitions have two rows."""
    rng = np.random.default_rng(0)
    label, score = rng.integers(0, 2, 100_000), rng.standard_normal(100_000)
    group = rng.integers(0, 500, 100_000)
    chunks = [
        [label[i : i + 2], score[i : i + 2], None, group[i : i + 2]] for i in range(0, 100_000, 2)
    ]
    engine = Lists(chunks, {"groups": "query", "y_score": "score"})
    (found,) = by_group.value_groups([Step()], Inputs(engine=engine)).models.values()
    expected = ap.average_precision_score(label, score, groups=group, average=None)
    assert found.by_rule[Step()].values.tolist() == expected.tolist()
