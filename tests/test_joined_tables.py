"""Rows of several tables: joined by ids, they give what one table gives, or are refused."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sklearn_ap as ap
from sklearn_ap import __main__ as command_line

from .tables import TABLES

N = 240
ROLES = {"y": "y_true", "w": "sample_weight", "g": "groups", "c": "clusters", "b": "by"}
NO_NAMES = {"__arrow_c_stream__"}  # which can't tell what they lack before they are read


def rows(seed=0, n=N):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return pd.DataFrame(
        {
            "id": rng.permutation(n) + 1000,
            "y": y,
            "w": rng.integers(1, 5, n) / 2,
            "g": rng.integers(0, 12, n),
            "c": rng.integers(0, 30, n),
            "b": rng.choice(["north", "south"], n),
            "s": y + rng.normal(size=n),
            "other": y + rng.normal(size=n) * 2,
        }
    )


def pair(table, seed=1):
    """A table for each model, of which the second one has another order of rows."""
    one, two = table.drop(columns="other"), table.drop(columns="s")
    return one, two.rename(columns={"other": "s"}).sample(frac=1, random_state=seed)


ROWS = rows()
A, B = pair(ROWS)


def called(function, y_score, columns, **given):
    """Call a function with the roles of these columns."""
    named = {ROLES[name]: name for name in columns if name != "y"}
    named |= {"zero_division": 0.0} if "groups" in named else {}
    if function is ap.compare:
        assert "by" not in named
        named["y_score_a"] = y_score
    else:
        named["y_score"] = y_score
    baseline = "A" if isinstance(y_score, str) else "s"
    return function("y", baseline=baseline, **named, **given)


def figures(result):
    """The rows of a result without the names of the models."""
    return [
        {name: each for name, each in row.items() if name not in ("model", "notes", "baseline")}
        for row in result.to_dict()
    ]


def other_value(name, value):
    if name == "b":
        return "west"
    return 1 - value if name == "y" else value + 1


def changed(table, name, row=7):
    """Change a column in one row, which is that of an id."""
    values = table[name].to_numpy(copy=True)
    place = np.flatnonzero(table["id"] == ROWS["id"][row])[0]
    values[place] = other_value(name, values[place])
    return table.assign(**{name: values})


CASES = {"compare": ["y", "w", "c"], "report": ["y", "w", "c", "b"], "groups": ["y", "g"]}
TYPES = {
    "as they are": {},
    "floats": {"id": float, "y": float, "g": float, "c": float, "w": np.float32},
    "narrow": {"id": np.uint16, "y": np.int8, "g": np.int16, "c": np.uint8},
}


@pytest.mark.sweep(29)
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("types", TYPES)
@pytest.mark.parametrize("case", CASES)
def test_joined_tables_are_one_table_or_refused(case, types, kind, tmp_path):
    columns = CASES[case]
    function = ap.compare if case == "compare" else ap.report
    expected = figures(called(function, ["s", "other"], columns, data=ROWS))

    def made(table, name):
        folder = Path(tmp_path, name)
        folder.mkdir()
        return TABLES[kind](pa.Table.from_pandas(table, preserve_index=False), folder)

    two = B.astype(TYPES[types])
    found = called(function, "s", columns, data={"A": A, "B": made(two, "same")}, on="id")
    assert figures(found) == expected
    if kind not in NO_NAMES:
        only_scores = made(two[["id", "s"]], "scores")
        found = called(function, "s", columns, data={"A": A, "B": only_scores}, on="id")
        assert figures(found) == expected
    for name in columns:
        wrong = made(changed(B, name).astype(TYPES[types]), f"{name} changed")
        words = rf"The {ROLES[name]} of the models 'A' and 'B' differ: {name} is .* for the id "
        with pytest.raises(ValueError, match=rf"{words}{ROWS['id'][7]} in the table of 'A', and "):
            called(function, "s", columns, data={"A": A, "B": wrong}, on="id")


IDS = {
    "integers": lambda ids: ids,
    "floats": lambda ids: ids.astype(float),
    "objects": lambda ids: ids.astype(object),
    "categories": lambda ids: ids.astype("category"),
    "the index": None,
    "text": lambda ids: ids.map("case {}".format),
    "categories of text": lambda ids: ids.map("case {}".format).astype("category"),
    "Arrow's text": lambda ids: ids.map("case {}".format).astype("string[pyarrow]"),
    "[ns]": lambda ids: pd.Timestamp("2026-01-01") + pd.to_timedelta(ids, "h"),
    "[us]": lambda ids: (pd.Timestamp("2026-01-01") + pd.to_timedelta(ids, "h")).astype("M8[us]"),
    "times as objects": lambda ids: (pd.Timestamp("2026-01-01") + pd.to_timedelta(ids, "h")).astype(
        object
    ),
}
KINDS = [["integers", "floats", "objects", "categories", "the index"]]
KINDS += [["text", "categories of text", "Arrow's text"], ["[ns]", "[us]", "times as objects"]]


@pytest.mark.parametrize(
    ("one", "other"), [pair for kinds in KINDS for pair in itertools.product(kinds, repeat=2)]
)
def test_ids_are_equal_by_value(one, other):
    expected = figures(ap.compare("y", ["s", "other"], baseline="s", data=ROWS))
    tables = {}
    has_index = "the index" in (one, other)
    for model, table, ids in (("A", A, one), ("B", B, other)):
        if ids == "the index":
            tables[model] = table.set_index("id").rename_axis(None)
        else:
            name = "index" if has_index else "id"
            tables[model] = table.rename(columns={"id": name})
            tables[model] = tables[model].assign(**{name: IDS[ids](table["id"])})
    on = "index" if has_index else "id"
    assert figures(ap.compare("y", "s", baseline="A", on=on, data=tables)) == expected


def test_large_integers_are_not_rounded():
    large = ROWS.assign(id=2**53 + np.arange(N))
    one, two = pair(large)
    with pytest.raises(ValueError, match=r"The rows of .* differ|tells rows apart"):
        ap.compare("y", "s", on="id", data={"A": one, "B": two.astype({"id": float})[::2]})
    assert ap.compare("y", "s", on="id", data={"A": one, "B": two.astype({"id": object})})


def test_several_columns_are_one_id():
    parts = {"day": lambda t: t["id"] // 100, "number": lambda t: t["id"] % 100}
    tables = {"A": A.assign(**parts), "B": B.assign(**parts)}
    expected = figures(ap.compare("y", ["s", "other"], baseline="s", data=ROWS))
    found = ap.compare("y", "s", baseline="A", on=["day", "number"], data=tables)
    assert figures(found) == expected
    with pytest.raises(ValueError, match=r"'A' has the id 1\d in the rows \d+ and \d+"):
        ap.compare("y", "s", on="day", data=tables)


def test_what_a_table_lacks_comes_by_id():
    expected = figures(ap.report("y", ["s", "other"], baseline="s", sample_weight="w", data=ROWS))
    one, two = A[["id", "s"]], B[["id", "s", "w"]]
    tables = {"A": one, "B": two, "labels": B[["id", "y"]].sample(frac=1, random_state=3)}
    given = {"baseline": "A", "sample_weight": "w", "on": "id"}
    assert figures(ap.report("y", "s", data=tables, **given)) == expected
    assert figures(ap.report("y", "s", data={**tables, "A": A, "B": B}, **given)) == expected
    wrong = {**tables, "A": A, "labels": changed(ROWS[["id", "y"]], "y")}
    with pytest.raises(ValueError, match=rf"y_true of the .* 'A' and 'labels' .*{ROWS['id'][7]}"):
        ap.report("y", "s", data=wrong, **given)
    misspelled = {**tables, "C": A.rename(columns={"s": "score"})[["id", "score"]]}
    with pytest.raises(ValueError, match=r"y_score='s' is not .*model 'C'"):
        ap.report("y", "s", data=misspelled, **given)
    with pytest.raises(ValueError, match="y_true='y' is not a column of data"):
        ap.report("y", "s", data={"A": one, "B": two}, **given)
    with pytest.raises(ValueError, match=r"y_score_a='s' is not|y_score='s' is not"):
        ap.compare("y", "s", on="id", data={"A": A, "B": B.rename(columns={"s": "score"})})


def test_weights_may_have_a_factor_and_the_precision_of_float32():
    expected = figures(ap.compare("y", ["s", "other"], baseline="s", sample_weight="w", data=ROWS))
    for factor in (3, 1 / 7):
        two = B.assign(w=(B["w"] * factor).astype(np.float32))
        tables = {"A": A, "B": two}
        found = ap.compare("y", "s", baseline="A", sample_weight="w", on="id", data=tables)
        assert figures(found) == expected


def test_weights_that_n_positives_counts_have_no_factor():
    """A table with weights in other units had another number of positives."""
    counts = ROWS["w"].where(ROWS["y"] == 1, 0).groupby(ROWS["g"]).sum().to_dict()
    tables = {"A": A[A["s"] > -1], "B": B[B["s"] > -1].assign(w=lambda table: table["w"] / 7)}
    given = {"groups": "g", "sample_weight": "w", "on": "id", "zero_division": 0.0}
    with pytest.raises(ValueError, match=r"The sample_weight of the models 'A' and 'B' differ"):
        ap.compare("y", "s", n_positives=counts, data=tables, **given)
    assert ap.compare("y", "s", metric="P@2", data=tables, **given)


WRONG = {
    "text": (lambda b: b.assign(id=b["id"].astype(str)), "Text never equals a number"),
    "fewer": (lambda b: b[1:], "The rows of .* differ: the id .* is only in the table of 'A'"),
    "more": (lambda b: pd.concat([b, b[:1].assign(id=-1)]), "id -1 is only in the table of 'B'"),
    "twice": (lambda b: pd.concat([b, b[:1]]), "must name what tells rows apart, but the table of"),
    "missing": (lambda b: b.assign(id=b["id"].where(b["id"] > 1000)), "contains missing values"),
    "none": (lambda b: b.drop(columns="id"), "on='id' is not a column of data"),
    "labels": (
        lambda b: b.assign(y=b["y"].astype(str)),
        "Text never equals a number or a time, so convert",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_ids_that_do_not_match_are_refused(what):
    change, words = WRONG[what]
    with pytest.raises(ValueError, match=words):
        ap.compare("y", "s", on="id", data={"A": A, "B": change(B)})


def test_arguments_that_do_not_go_together():
    with pytest.raises(ValueError, match="Pass data as a mapping from models to tables"):
        ap.compare("y", "s", "other", on="id", data=ROWS)
    with pytest.raises(TypeError, match="groups must name columns"):
        ap.compare("y", "s", on="id", groups=np.zeros(N), data={"A": A, "B": B})
    with pytest.raises(ValueError, match="on='index' is not a column of data"):
        ap.compare("y", "s", on="index", data={"A": A, "B": pa.Table.from_pandas(B, None, False)})


def test_with_groups_rows_may_be_in_some_tables_only():
    """Retrieved documents: what both have must agree, and positives that one lacks are counted."""
    counts = ROWS.groupby("g")["y"].sum().to_dict()
    given = {"groups": "g", "n_positives": counts, "zero_division": 0.0, "baseline": "A"}
    tables = {"A": A[A["s"] > -1], "B": B[B["s"] > -1]}
    expected = ap.compare("y", "s", data=tables, **given)
    found = ap.compare("y", "s", data=tables, on="id", **given)
    assert found.rows == expected.rows
    lent = {**tables, "B": tables["B"].drop(columns="y"), "labels": ROWS[["id", "y", "g"]]}
    assert ap.compare("y", "s", data=lent, on="id", **given).rows == expected.rows
    both = set(tables["A"]["id"]) & set(tables["B"]["id"])
    wrong = tables["B"].assign(y=lambda t: np.where(t["id"] == min(both), 1 - t["y"], t["y"]))
    with pytest.raises(ValueError, match=f"for the id {min(both)} in the table of 'A'"):
        ap.compare("y", "s", data={"A": tables["A"], "B": wrong}, on="id", **given)
    del given["n_positives"]
    with pytest.raises(ValueError, match=r"numbers of positives of the group|only in the table of"):
        ap.compare("y", "s", data=lent, on="id", **given)


def by_place(change=lambda table: table, n=N):
    two = B.set_index("id").loc[A["id"]].reset_index()
    return {"A": A[:n], "B": change(two)[:n]}


def test_nothing_given_pairs_by_place():
    expected = figures(ap.compare("y", ["s", "other"], baseline="s", data=ROWS))
    found = ap.compare("y", "s", baseline="A", data=by_place())
    assert figures(found) == expected
    assert [note.code for note in found.notes] == ["by_place"]
    assert ap.compare("y", {"one": "s", "two": "s"}, data={"one": A, "two": A}).notes == ()


@pytest.mark.parametrize("function", [ap.compare, ap.report])
@pytest.mark.parametrize("name", ["y", "w", "b"])
def test_what_differs_in_a_place_is_refused(name, function):
    columns = [c for c in ("y", "w", "b") if c != "b" or function is ap.report]
    if name not in columns:
        return
    with pytest.raises(ValueError, match=rf"The {ROLES[name]} of .* differ: .* row 7 .*Pass on="):
        called(function, "s", columns, data=by_place(lambda two: changed(two, name)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t[:60], "fewer than 40 rows of each of two labels"),
        (lambda t: t.sort_values("y", kind="stable"), "sorted by label"),
        (lambda t: t.sort_values("y", kind="stable", ascending=False), "sorted by label"),
    ],
)
def test_places_that_say_little_are_refused(change, words):
    tables = {model: change(table) for model, table in by_place().items()}
    with pytest.raises(ValueError, match=rf"{words}\. Pass on=, .* as in on='id'.*on=False"):
        ap.compare("y", "s", data=tables)
    assert ap.compare("y", "s", data=tables, on="id")
    assert ap.compare("y", "s", data=tables, on=False)


def test_groups_and_clusters_need_the_same_labels():
    given = {"groups": "g", "zero_division": 0.0}
    flipped = changed(B, "y")
    group, cluster = ROWS["g"][7], ROWS["c"][7]
    with pytest.raises(ValueError, match=f"positives of the group {group} differ"):
        ap.compare("y", "s", data={"A": A, "B": flipped}, **given)
    found = ap.compare("y", "s", metric="P@2", data={"A": A, "B": flipped}, **given)
    assert [n.text for n in found.notes if n.code == "other_rows"] == [
        "In 1 of 12 groups (g), the tables have other rows."
    ]
    with pytest.raises(ValueError, match=f"of the cluster {cluster} differ"):
        ap.compare("y", "s", data={"A": A, "B": flipped}, clusters="c")
    for units in (given, {"clusters": "c"}):
        with pytest.raises(ValueError, match=r"weights of the (group|cluster)"):
            ap.compare("y", "s", data={"A": A, "B": changed(B, "w", ROWS["y"].argmax())},
                       sample_weight="w", **units)  # fmt: skip
    cut = B[B["s"] > 0]
    with pytest.raises(ValueError, match=r"of the cluster .* differ"):
        ap.compare("y", "s", data={"A": A, "B": cut}, clusters="c")


def test_grades_that_differ_are_refused():
    """The same rows and scores were "better", with p < 0.001."""
    rng = np.random.default_rng(0)
    q, grade = np.repeat(np.arange(60), 10), rng.choice([0, 0, 0, 1, 2], 600)
    one = pd.DataFrame({"q": q, "y": grade, "s": grade + rng.normal(size=600) * 1.5})
    low = one["s"].groupby(one["q"]).rank(ascending=False) > 5
    other = one.assign(y=np.where((grade == 2) & low, 1, grade))
    with pytest.raises(ValueError, match="The grades of the group"):
        ap.compare("y", "s", metric="nDCG@5", groups="q", data={"A": one, "B": other})


@pytest.mark.slow
def test_planted_differences_among_1000_pairs():
    rng = np.random.default_rng(0)
    for number in range(1000):
        table = rows(number)
        one, two = pair(table, number)
        columns = [*rng.choice(["w", "c", "b"], rng.integers(0, 4), replace=False)]
        is_planted = number % 2
        if is_planted:
            name = rng.choice(["y", *columns])
            row = rng.integers(N)
            values = two[name].to_numpy(copy=True)
            values[row] = other_value(name, values[row])
            two = two.assign(**{name: values})
        for on, data in (("id", {"A": one, "B": two}), (None, None)):
            if on is None and "c" in columns:
                continue
            given = {} if on is None else {"on": on}
            tables = data or {"A": one, "B": two.set_index("id").loc[one["id"]].reset_index()}
            if is_planted:
                with pytest.raises(ValueError, match="differ: "):
                    called(ap.report, "s", ["y", *columns], data=tables, **given)
            else:
                assert called(ap.report, "s", ["y", *columns], data=tables, **given)


# --- different rows -------------------------------------------------------------------------------


def years(rng, gap=0.0, n_models=2, n_accounts=300):
    """Tables of models with rows of their own, of accounts that overlap, and have effects."""
    effect = rng.normal(size=n_accounts * 2)
    tables = {}
    for number in range(n_models):
        account = rng.integers(0, n_accounts, 900) + number * n_accounts // 3
        y = (rng.random(900) < 0.2).astype(int)
        noise = 0.8 * effect[account] + rng.normal(size=900)
        tables[f"model {number}"] = pd.DataFrame(
            {"account": account, "y": y, "s": y * (1.5 + gap * number) + noise}
        )
    return tables


def covered_and_alarms(n_sets, n_models):
    rng = np.random.default_rng(0)
    truth = []
    for model in ("model 0", "model 1"):
        population = pd.concat([years(rng, 0.3)[model] for _ in range(300)])
        truth.append(ap.average_precision_score("y", "s", data=population))
    covered = alarms = 0
    for _ in range(n_sets):
        given = {"on": False, "clusters": "account", "baseline": "model 0"}
        apart = ap.compare("y", "s", data=years(rng, 0.3), **given).pairs[0]
        covered += apart.low <= truth[1] - truth[0] <= apart.high
        equal = ap.compare("y", "s", data=years(rng, 0.0, n_models), **given)
        alarms += any(row.pvalue < 0.05 for row in equal)
    return covered / n_sets, alarms / n_sets


@pytest.mark.slow
@pytest.mark.parametrize("n_models", [2, 3])
def test_coverage_on_different_rows(n_models):
    covered, alarms = covered_and_alarms(100, n_models)
    assert covered >= 0.9
    assert alarms <= 0.1


def test_different_rows_have_independent_variances():
    tables = {"old": A, "new": B[: N // 2]}
    found = ap.compare("y", "s", baseline="old", on=False, data=tables)
    alone = [ap.confidence_interval("y", "s", data=table) for table in tables.values()]
    (pair,) = found.pairs
    assert pair.values == (alone[1].value, alone[0].value)
    errors = [interval.standard_error for interval in alone]
    assert pair.standard_error == pytest.approx(np.hypot(*errors))
    with pytest.raises(ValueError, match="different rows"):
        found.units()
    with pytest.raises(ValueError, match="with on=False"):
        ap.compare("y", "s", on=False, method="randomization", data=tables)
    assert [row.rank for row in found.ranks()] == [1, 2]


def test_clusters_in_both_tables_count_together():
    """As segments of one table do, in which both years are stacked."""
    tables = years(np.random.default_rng(1), 0.3)
    stacked = pd.concat([table.assign(year=year) for year, table in tables.items()])
    given = {"clusters": "account", "joint": False}
    rows_of = {row.segment: row for row in ap.report("y", "s", by="year", data=stacked, **given)}
    found = ap.compare("y", "s", on=False, baseline="model 0", data=tables, **given).pairs[0]
    of_segment = rows_of["model 1"]
    assert found.difference == pytest.approx(of_segment.difference)
    ends = of_segment.difference_low, of_segment.difference_high
    assert (found.low, found.high) == pytest.approx(ends)


@pytest.mark.parametrize("units", [{}, {"clusters": "c"}])
def test_reports_of_different_rows(units):
    report = ap.report("y", "s", on=False, by="b", margin=0.1, baseline="A", **units,
                       data={"A": A, "B": B[:150]}, metrics=["AP", "P@10%"])  # fmt: skip
    assert len(report.rows) == 12
    whole = ap.compare("y", "s", on=False, baseline="A", data={"A": A, "B": B[:150]}, **units)
    assert report.rows[1].difference_low == whole.pairs[0].low


# --- pictures and the command line ----------------------------------------------------------------


def test_pictures_take_labels_of_another_table():
    tables = {"A": A[["id", "s"]], "B": B[["id", "s"]], "labels": ROWS[["id", "y"]]}
    for display in (ap.AveragePrecisionDisplay, ap.HitCurveDisplay):
        found = display.from_predictions("y", "s", on="id", data=tables)
        expected = display.from_predictions("y", ["s", "other"], data=ROWS)
        for one, other in zip(found.ax_.lines, expected.ax_.lines, strict=True):
            np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())
        with pytest.raises(ValueError, match="no picture shows"):
            display.from_predictions("y", "s", on=False, data={"A": A, "B": B})


def test_joined_runs_still_lack_what_was_not_retrieved(tmp_path):
    rng = np.random.default_rng(0)
    pairs = [(query, document) for query in range(20) for document in range(10)]
    lines = [f"q{query} 0 d{document} {rng.integers(2)}\n" for query, document in pairs]
    Path(tmp_path, "qrels").write_text("".join(lines))
    for run in "AB":  # which retrieved the same documents
        lines = [f"q{q} Q0 d{d} 1 {rng.normal()} {run}\n" for q, d in pairs if d < 8]
        Path(tmp_path, run).write_text("".join(lines))
    runs = {run: tmp_path / run for run in "AB"}
    data = ap.readers.read_trec(qrels=tmp_path / "qrels", runs=runs)
    labels = []
    for on in (None, ["query", "document"]):
        display = ap.AveragePrecisionDisplay.from_predictions(
            data=data, on=on, groups=None, n_positives=None, plot_chance_level=True
        )
        labels.append([line.get_label() for line in display.ax_.lines])
    assert labels[0] == labels[1]
    assert "random AP" not in str(labels)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(line):
        code = command_line.main(line.split())
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_are_joined(run, kind):
    def write(table, name, kind=kind):
        getattr(table, f"to_{kind}")(f"{name}.{kind}", index=False)

    options = "--label y --score s --file-per-model --format json --baseline A"
    write(ROWS, "all", "csv")
    _, out, _ = run("report all.csv --label y --score s --score other --baseline s --format json")
    expected = out.replace('"other"', '"B"').replace('"s"', '"A"')
    write(A, "A", "csv")
    write(B, "B")
    assert run(f"report A.csv B.{kind} --on id {options}") == (0, expected, "")
    write(A[["id", "s"]], "A", "csv")
    write(B[["id", "s"]], "B")
    write(ROWS[["id", "y"]], "labels")
    line = f"report A.csv B.{kind} --on id --truth labels.{kind} {options}"
    assert run(line) == (0, expected, "")
    write(A, "A", "csv")
    for name in ("y", "w", "c"):
        write(changed(B, name), "B")
        weight = f"--weight w --cluster c --on id {options}"
        code, _, err = run(f"report A.csv B.{kind} {weight}")
        assert code == 2
        assert f"for the id {ROWS['id'][7]} in the table of 'A'" in err
    code, _, err = run(f"report A.csv B.{kind} {options}")
    assert code == 2
    assert "Pass --on, the columns" in err
    assert "pass --on none" in err
    assert run(f"report A.csv B.{kind} --on none {options}")[0] == 0


def test_options_of_files_that_do_not_go_together(run):
    ROWS.to_csv("all.csv")
    A.to_csv("A.csv")
    code, _, err = run("report all.csv --label y --score s --on id")
    assert (code, "pass --file-per-model or --model" in err) == (2, True)
    code, _, err = run("report all.csv A.csv --label y --score s --file-per-model --truth A.csv")
    assert (code, "--truth needs --on" in err) == (2, True)


# --- what the command line does with what was read ------------------------------------------------


def value_of(run, line):
    _, out, err = run(f"{line} --label y --score s --lower-is-better")
    return err or out.splitlines()[2].split()[1]


def test_negated_scores_do_not_wrap(run):
    y = [1, 1, 0, 0, 0, 0]
    for kind in ("uint8", "int8", "int64", "uint64"):
        scores = np.arange(6, dtype=np.uint64) + np.uint64(2**63 if kind == "uint64" else 0)
        if kind == "int8":
            scores = np.array([-128, -100, 0, 1, 2, 127])
        if kind == "int64":
            scores = np.array([-(2**63), -(2**63) + 1, 0, 1, 2, 2**63 - 1])
        pd.DataFrame({"y": y, "s": scores.astype(kind)}).to_parquet("t.parquet")
        assert value_of(run, "report t.parquet") == "1.000"


def test_files_are_not_cast_to_the_types_of_the_first(run):
    pd.DataFrame({"y": [1, 0], "s": [1, 3]}).to_parquet("a.parquet")
    pd.DataFrame({"y": [1, 0], "s": [2.5, 2.2]}).to_parquet("b.parquet")
    for files in ("a.parquet b.parquet", "b.parquet a.parquet"):
        assert value_of(run, f"report {files}") == "0.833"


def test_folders_stay_apart(run):
    for name, scores in (("007", [1, 2]), ("7", [2, 1])):
        Path("d", f"q={name}").mkdir(parents=True)
        pd.DataFrame({"y": [1, 0], "s": scores}).to_parquet(f"d/q={name}/x.parquet")
    assert value_of(run, "report d --group q --metric MAP") == "0.750"


def test_advice_has_the_right_direction(run):
    Path("t.csv").write_text("y,s\n1,\n0,2\n1,3\n")
    assert "above all others, such as 1e38." in value_of(run, "report t.csv")


def test_labels_of_large_integers_beside_a_double_are_refused():
    labels = np.array([2**53, 2**53 + 1, 2.0], dtype=object)
    with pytest.raises(ValueError, match="which no type holds exactly"):
        ap.average_precision_score(labels, [3, 2, 1], pos_label=2**53)


def test_different_rows_of_clusters_are_told_the_call_that_works():
    table = rows().sort_values("c")
    tables = {"old": table[:150], "new": table[90:]}
    with pytest.raises(ValueError, match="If the tables have different rows, pass on=False"):
        ap.compare("y", "s", clusters="c", data=tables)
    result = ap.compare("y", "s", clusters="c", on=False, data=tables)
    for model, own in tables.items():
        expected = ap.average_precision_score(own["y"], own["s"])
        assert result.to_frame().loc[model, "value"] == pytest.approx(expected)


@pytest.mark.parametrize("names", ["id", ["g", "id"]])
def test_an_index_named_by_on_is_told_the_call_that_works(names):
    one, two = rows(), rows().assign(s=lambda t: -t["s"])
    with pytest.raises(ValueError, match=r"Pass table\.reset_index\(\) in its place"):
        ap.compare(
            "y", "s", on=names, data={"one": one.set_index(names), "two": two.set_index(names)}
        )
    tables = {"one": one.set_index(names).reset_index(), "two": two}
    ap.compare("y", "s", on=names, data=tables)
