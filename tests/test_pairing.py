"""Rows of several tables: an id that contradicts their order is an error, and without one, a table
that is sorted is told.
"""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sklearn_ap as ap
from sklearn_ap import __main__ as command_line
from sklearn_ap._read.pairing import Marks

from .tables import TABLES

N = 400
# Kinds that don't tell their columns before they are read, or in which some are floats
NO_ID = {"__arrow_c_stream__", "Hugging Face", "paths"}
ERROR = r"'A' and 'B' are in different orders: {} has the same values with the same labels in other"
RNG = np.random.default_rng(0)
LABEL = (RNG.random(N) < 0.3).astype(int)


def pair(rng=RNG, label=LABEL):
    """Two equally good models with their own ranks, deciles and flags, and the ids of the rows."""
    ids = rng.permutation(label.size) + 10**6
    fold = np.arange(label.size) % 5
    tables = {}
    for model in "AB":
        score = rng.normal(size=label.size) + label
        rank = np.argsort(np.argsort(-score)) + 1
        tables[model] = pd.DataFrame({"id": ids, "label": label, "score": score, "rank": rank})
        tables[model] = tables[model].assign(
            decile=rank * 10 // label.size, fold=fold, flagged=score > 1
        )
    return tables


PAIR = pair()


def by_score(tables):
    return {m: t.sort_values(["label", "score"], ascending=False) for m, t in tables.items()}


def compare(tables, **given):
    return ap.compare("label", "score", data=tables, **given)


def made(kind, table, folder):
    folder.mkdir()
    return TABLES[kind](pa.Table.from_pandas(table, preserve_index=False), folder)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", TABLES)
def test_an_id_that_is_in_other_places_is_refused_for_each_kind_of_table(kind, tmp_path):
    expected = compare(PAIR)
    tables = {m: made(kind, table, tmp_path / f"as they are {m}") for m, table in PAIR.items()}
    found = compare(tables)
    assert found.rows == expected.rows
    assert found.notes == ()
    tables = {m: made(kind, t, tmp_path / f"sorted {m}") for m, t in by_score(PAIR).items()}
    if kind in NO_ID:
        assert [note.code for note in compare(tables).notes] == ["by_place"]
        return
    with pytest.raises(ValueError, match=ERROR.format("id")):
        compare(tables)


def test_what_the_error_advises_works():
    with pytest.raises(ValueError, match=r"Sort both tables by 'id', .*, or pass clusters='id'"):
        compare(by_score(PAIR))
    expected = compare(PAIR).pairs[0].pvalue
    again = {m: table.sort_values("id") for m, table in by_score(PAIR).items()}
    assert compare(again).pairs[0].pvalue == pytest.approx(expected, rel=1e-6)
    clustered = compare(by_score(PAIR), clusters="id")
    assert clustered.pairs[0].pvalue == pytest.approx(expected, rel=1e-6)


def test_the_index_of_pandas():
    without = {m: table.drop(columns="id") for m, table in PAIR.items()}
    assert compare(without).notes == ()
    with pytest.raises(ValueError, match=ERROR.format("the index") + r".*table\.sort_index\(\)"):
        compare(by_score(without))
    again = {m: table.sort_index() for m, table in by_score(without).items()}
    assert compare(again).rows == compare(without).rows
    named = {m: table.set_index("id") for m, table in PAIR.items()}
    with pytest.raises(ValueError, match=ERROR.format("the index")):
        compare(by_score(named))
    assert compare(named).notes == ()


def test_rows_that_are_numbered_again_confirm_nothing():
    numbered = {
        m: table.reset_index(drop=True).assign(row=np.arange(N))
        for m, table in by_score(PAIR).items()
    }
    with pytest.raises(ValueError, match=ERROR.format("id")):
        compare(numbered)
    without = {m: table.drop(columns="id") for m, table in numbered.items()}
    (note,) = compare(without).notes
    assert note.code == "by_place"
    assert note.text.startswith(
        "Rows are paired by their place, and those of the table of A are sorted by label."
    )


@pytest.mark.sweep(3)
@pytest.mark.parametrize("ids", ["numbers", "text", "counted"])
@pytest.mark.parametrize("order", ["as they are", "by score of A"])
def test_tables_with_columns_of_each_model_are_read_as_before(ids, order):
    tables = PAIR
    if order == "by score of A":
        places = np.argsort(-PAIR["A"]["score"].to_numpy())
        tables = {m: table.iloc[places].reset_index(drop=True) for m, table in PAIR.items()}
    values = {"numbers": None, "text": tables["A"]["id"].map("case {}".format)}
    if ids == "counted":
        values["counted"] = np.arange(N)
    if values[ids] is not None:
        tables = {m: table.assign(id=values[ids]) for m, table in tables.items()}
    arrays = {m: table["score"].to_numpy() for m, table in tables.items()}
    expected = ap.compare(tables["A"]["label"].to_numpy(), arrays)
    found = compare(tables)
    assert found.rows == expected.rows
    is_said = ids == "counted" and order != "as they are"  # as numbers of rows prove nothing
    assert [note.code for note in found.notes] == ["by_place"] * is_said


def test_values_that_some_rows_share_are_no_ids():
    """The same days with the same labels in another order say nothing about rows."""
    day = np.repeat(np.arange(N // 2), 2)
    tables = {m: PAIR[m].drop(columns="id").assign(day=day) for m in "AB"}
    swapped = tables["B"].assign(day=day[::-1], label=tables["B"]["label"])
    found = compare(tables | {"B": swapped.assign(day=day[LABEL.argsort(kind="stable")][::-1])})
    assert found.notes == ()


def test_groups_and_clusters_pair_rows_by_their_names():
    tables = by_score(PAIR)
    for units in ({"groups": "fold"}, {"clusters": "fold"}):
        assert "by_place" not in [note.code for note in compare(tables, **units).notes]


@pytest.mark.parametrize("by", [None, "fold"])
def test_reports(by):
    with pytest.raises(ValueError, match=ERROR.format("id")):
        ap.report("label", "score", by=by, data=by_score(PAIR))
    without = {m: t.drop(columns="id").reset_index(drop=True) for m, t in by_score(PAIR).items()}
    without["B"]["fold"] = without["A"]["fold"]  # rows of a place are in one segment
    report = ap.report("label", "score", by=by, data=without)
    assert "by_place" in {note.code for note in report.notes}
    alone = ap.report("label", "score", data=without["A"])
    assert alone.notes == ()


def false_alarms(n_pairs, prepare):
    """Count pairs of equal models that differ significantly, and those about which nothing is
    said.
    """
    rng = np.random.default_rng(1)
    n_significant = n_silent = 0
    for _ in range(n_pairs):
        try:
            found = compare(prepare(pair(rng)))
        except ValueError:
            continue
        is_significant = found.pairs[0].pvalue < 0.05
        n_significant += is_significant
        n_silent += is_significant and not found.notes
    return n_significant, n_silent


def without_ids(tables):
    return {m: t.drop(columns=["id"]).reset_index(drop=True) for m, t in tables.items()}


@pytest.mark.slow
def test_no_false_alarm_is_silent():
    n_significant, n_silent = false_alarms(60, lambda tables: without_ids(by_score(tables)))
    assert n_significant > 30
    assert n_silent == 0
    assert false_alarms(60, by_score) == (0, 0)
    n_significant, _ = false_alarms(60, lambda tables: tables)
    assert n_significant < 9


def test_batches_add_up():
    whole, in_parts = Marks(), Marks()
    ids = np.random.default_rng(0).permutation(1000) - 500
    labels = ids % 3 == 0
    whole.add(ids, labels)
    for first in range(0, 1000, 137):
        in_parts.add(pa.array(ids[first : first + 137]), labels[first : first + 137].astype(int))
    sums = [(each.n_rows, each.by_place, each.by_label) for each in (whole, in_parts)]
    assert sums[0] == sums[1]
    assert whole.is_id
    assert not whole.is_count
    twice = Marks()
    twice.add(ids, labels)
    twice.add(ids, labels)
    assert not twice.is_id


def test_files_of_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for model, table in by_score(PAIR).items():
        table.to_csv(f"{model}.csv", index=False)
        PAIR[model].to_csv(f"as_{model}.csv", index=False)
    options = ["--file-per-model", "--label", "label", "--score", "score"]
    assert command_line.main(["report", "as_A.csv", "as_B.csv", *options]) == 0
    assert capsys.readouterr().err == ""
    assert command_line.main(["report", "A.csv", "B.csv", *options]) == 2
    said = capsys.readouterr().err
    assert "id has the same values with the same labels in other places" in said
    assert "or pass --cluster 'id', which pairs rows" in said
    assert command_line.main(["report", "A.csv", "B.csv", *options, "--cluster", "id"]) == 0


def test_nothing_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compare(PAIR).notes == ()
