"""Names that aren't here lead to what to use instead, and the code in these sentences works."""

import copy
import importlib
import io
import math
import pickle
import re

import numpy as np
import pytest
import scipy
import scipy.stats

import sklearn_ap as ap
from sklearn_ap._package import read_toml
from sklearn_ap._words.refusals import find_substitute
from sklearn_ap.readers import read_runs

pd = pytest.importorskip("pandas")

ENTRIES = read_toml("_words/not_here.toml")["entries"]
NAMES = [name for entry in ENTRIES for name in entry.get("names", ())]


def code_for(name):
    """Return the code in the sentence to which a name leads."""
    sentence = find_substitute(name)
    assert sentence, name
    return re.findall("`(.*?)`", sentence)


def code_of(want):
    """Return the code of the entry that says what a reader wants, as no name leads to it."""
    (use,) = (entry["use"] for entry in ENTRIES if want in entry["want"])
    return re.findall("`(.*?)`", use)


def run(code, **names):
    return eval(code, {"ap": ap, "math": math, "np": np, "pd": pd, "scipy": scipy, **names})


# --- The list ------------------------------------------------------------------------------------


def test_entries_say_what_and_what_instead_and_names_lead_to_one_of_them():
    for entry in ENTRIES:
        assert {"want", "use"} <= entry.keys() <= {"want", "use", "names", "page", "listed"}
        assert not entry["use"].endswith(".")  # which the page doesn't need, and errors add
    assert len({*NAMES}) == len(NAMES)
    assert {"compare_values", "prevalence", "quantile", "on", "to_latex", "--model"} <= {*NAMES}
    assert find_substitute("average_precision") == ""


def test_names_of_what_is_here_lead_nowhere():
    """So nobody meets the sentence beside what it says isn't there."""
    modules = [
        ap,
        *(importlib.import_module(f"sklearn_ap.{name}") for name in ("compat", "readers")),
    ]
    for name in NAMES:
        if name not in ("identify", "explain"):  # which are in compat, and said to be there
            assert not any(hasattr(module, name) for module in modules)


# --- Who asks ------------------------------------------------------------------------------------

LABELS, SCORES = [1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1]
PREVALENCE, LATEX = "1 / rate", "escape=True"


@pytest.mark.parametrize("name", ["compare_values", "compare_chance"])
def test_names_of_the_package(name):
    sentence = re.escape(find_substitute(name))
    with pytest.raises(AttributeError, match=rf"^module 'sklearn_ap' .* '{name}'\. {sentence}$"):
        getattr(ap, name)
    with pytest.raises(ImportError, match=rf"^cannot import name '{name}' .*\. {sentence}$"):
        exec(f"from sklearn_ap import {name}")


@pytest.mark.parametrize(
    "call",
    [
        lambda **given: ap.average_precision_score(LABELS, SCORES, **given),
        lambda **given: ap.precision_at_k_score(LABELS, SCORES, k=2, **given),
        lambda **given: ap.metric("AP", **given),
        lambda **given: ap.metric("AP")(LABELS, SCORES, **given),
        lambda **given: ap.make_ap_scorer("AP", **given),
        lambda **given: ap.get_scorer("AP", **given),
        lambda **given: ap.make_multi_scorer(["AP", "P@2"], **given),
        lambda **given: ap.confidence_interval(LABELS, SCORES, **given),
        lambda **given: ap.report(LABELS, SCORES, **given),
        lambda **given: ap.operating_point(LABELS, SCORES, k=2, **given),
        lambda **given: ap.hit_curve(LABELS, SCORES, **given),
        lambda **given: ap.compat.explain(LABELS, SCORES, **given),
        lambda **given: ap.boosting.xgboost_metric("AP", **given),
        lambda **given: ap.operating_point(LABELS, SCORES, k=2).check(LABELS, SCORES, **given),
    ],
)
def test_parameters(call):
    with pytest.raises(TypeError, match=rf"'prevalence'.* {re.escape(PREVALENCE)}"):
        call(prevalence=0.5)


def test_values_of_parameters():
    words = r"'method' parameter of compare must .*'randomization' instead\. Use .*permutation"
    with pytest.raises(ap.exceptions.InvalidParameterError, match=words):
        ap.compare(LABELS, SCORES, SCORES[::-1], method="randomization")


def test_attributes_of_results():
    models = {"a": SCORES, "b": SCORES[::-1], "c": SCORES}
    interval, compared = ap.confidence_interval(LABELS, SCORES), ap.compare(LABELS, models)
    pair = ap.compare(LABELS, SCORES, SCORES[::-1])
    asked = [(interval, "plan"), (interval, "contributions"), (compared, "ranks")]
    for result in (interval, pair, compared, ap.report(LABELS, models)):
        asked += [(result, "to_latex"), (result, "to_html")]
    for result, name in asked:
        words = f"'{type(result).__name__}' object has no attribute '{name}'. "
        with pytest.raises(AttributeError) as caught:
            getattr(result, name)
        assert str(caught.value) == words + find_substitute(name)
        assert not hasattr(result, name)
        for copied in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
            assert copied == result
    with pytest.raises(AttributeError, match=r"^.Interval. object has no attribute .vaule.$"):
        interval.vaule  # noqa: B018


# --- Comparisons ---------------------------------------------------------------------------------


@pytest.fixture
def answers():
    """Two models on groups with text labels and weights. Only the first one has rows of z."""
    rng = np.random.default_rng(0)
    group = np.repeat([f"q{i}" for i in range(30)], 10)
    bad = (rng.random(300) < 0.4) | (np.arange(300) % 10 == 0)  # at least one in each group
    group[:10] = "z"
    rows = pd.DataFrame({"group": group, "weight": rng.choice([0.5, 1, 3], 300)})
    rows["label"] = np.where(bad, "bad", "good")
    rows["a"] = rng.standard_normal(300) + bad
    rows["b"] = rng.standard_normal(300) + bad * 0.5
    return rows


def values_of(rows, model, weighted):
    """Return each group's value by the definition, computed apart."""
    found = {}
    for name, part in rows.groupby("group"):
        weight = part["weight"] if weighted else None
        positive = part["label"] == "bad"
        found[name] = ap.average_precision_score(positive, part[model], sample_weight=weight)
    return found


@pytest.mark.parametrize("weighted", [False, True])
def test_values_of_groups_are_paired_by_name(answers, weighted):
    values, metric, test, _ = (*code_for("compare_values"), "")
    given = {"groups": "group", "sample_weight": "weight" if weighted else None}
    in_both = answers[answers["group"] != "z"].sample(frac=1, random_state=0)  # in another order
    first = '"label", "a", data=answers, **given, pos_label="bad"'
    second = '"label", "b", data=in_both, **given, pos_label="bad"'
    code = values.replace("...", first, 1).replace("...", second, 1).removeprefix("a, b = ")
    m = run(metric.removeprefix("m = "))
    a, b = run(code, m=m, answers=answers, in_both=in_both, given=given)
    found = run(test, a=a, b=b)
    expected_a, expected_b = values_of(answers, "a", weighted), values_of(in_both, "b", weighted)
    apart = [expected_a[name] - expected_b[name] for name in expected_b]
    assert found.df == len(expected_b) - 1 == 28
    t = np.mean(apart) / (np.std(apart, ddof=1) / math.sqrt(len(apart)))
    assert found.statistic == pytest.approx(t)
    assert found.pvalue == pytest.approx(2 * scipy.stats.t.sf(abs(t), 28))


def test_swaps_of_models_in_each_group():
    """All 2**6 signs of the differences, of which none is as far from 0 but for its opposite."""
    test, values = code_for("method=randomization")
    a = pd.Series({name: 0.5 + 0.01 * 2**i for i, name in enumerate("pqrstu")} | {"z": 0.1})
    b = pd.Series(dict.fromkeys("utsrqp", 0.5))
    assert run(test, a=a, b=b).pvalue == pytest.approx(2 / 2**6)
    code = values.removeprefix("a = ").replace("...", "LABELS, SCORES, groups=list('ppqqrr')")
    assert run(code, LABELS=LABELS, SCORES=SCORES)["q"] == 1.0


def test_values_of_each_group(answers):
    (code,) = code_for("contributions")
    assert code_for("contributions") == [code]
    y, s, groups = answers["label"] == "bad", answers["b"], answers["group"]
    assert run(code, y=y, s=s, groups=groups) == pytest.approx(values_of(answers, "b", False))


def test_a_model_against_random_rankings(answers):
    test, control = code_for("compare_chance")
    found = []
    for shift, seed in ((0, 0), (3, 1)):
        y = np.where(np.arange(24) < 8, "bad", "good")
        s = np.random.default_rng(seed).standard_normal(24) + shift * (y == "bad")
        w = np.random.default_rng(seed).choice([1.0, 2.0], 24)
        options = ", sample_weight=w, pos_label='bad')"
        code = test.replace(
            "average_precision_score(y, s)", f"average_precision_score(y, s{options}"
        )
        assert code != test
        found.append(run(code, y=y, s=s, w=w).pvalue)
    assert found[0] > 0.05
    assert found[1] == 1 / 1000  # no random ranking of 999 is as good
    assert run(control)(found)[1] == pytest.approx(2 / 1000)
    y, s = [1, 0, 0, 0], [4, 3, 2, 1]  # all 24 orders, in a fourth of which the positive is first
    assert run(test, y=y, s=s).pvalue == 1 / 4


def test_ranks_and_plans(answers):
    """The best model is the baseline, and intervals narrow with the root of the positives."""
    assert code_for("ranks") == ["ap.compare"]
    models = {"a": answers["a"], "b": answers["b"], "c": -answers["a"]}
    assert ap.compare(answers["label"], models, pos_label="bad").baseline == "a"
    assert "four times the positives, an interval is half as wide" in find_substitute("plan")
    widths = []
    for n in (500, 2000):
        rng = np.random.default_rng(3)
        y = np.arange(10 * n) < n
        interval = ap.confidence_interval(y, rng.standard_normal(y.size) + 1.5 * y)
        widths.append(interval.high - interval.low)
    assert widths[1] == pytest.approx(widths[0] / 2, rel=0.1)


# --- Weights in place of a prevalence, and budgets on most days -----------------------------------


@pytest.fixture(scope="module")
def payments():
    """All rows of a population, and 20 samples of all positives and one in ten negatives."""
    rng = np.random.default_rng(1)
    positive = rng.random(20_000) < 0.02
    rows = pd.DataFrame({"fraud": np.where(positive, "yes", "no")})
    rows["score"] = rng.standard_normal(20_000) + 2 * positive
    return rows, [rows[positive | (rng.random(20_000) < 0.1)] for _ in range(20)]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("metric", "options"),
    [("AP", {}), ("P@1%", {"k_counts": "weight"}), ("P@200", {"k_counts": "weight"})],
)
def test_weights_correct_for_dropped_negatives(payments, metric, options):
    """On average, by the rate as well as by the fraction of positives."""
    by_rate, by_fraction, instead_of, k_counts = code_for("prevalence")
    assert k_counts == 'k_counts="weight"'
    rows, samples = payments
    evaluate = ap.metric(metric, pos_label="yes")
    whole = evaluate("fraud", "score", data=rows)
    assert evaluate("fraud", "score", data=samples[0]) > whole + 0.1
    names = {"p": (rows["fraud"] == "yes").mean()}
    found = []
    for test in samples:
        is_positive = test["fraud"] == "yes"
        names |= {"is_positive": is_positive, "n_positives": is_positive.sum()}
        names["n_negatives"] = (~is_positive).sum()
        names["rate"] = names["n_negatives"] / (rows["fraud"] == "no").sum()
        weight = run(by_rate.removeprefix("sample_weight="), **names)
        other = by_rate.removeprefix("sample_weight=").replace(instead_of, by_fraction)
        assert weight == pytest.approx(run(other, **names))
        found.append(evaluate("fraud", "score", data=test, sample_weight=weight, **options))
    assert np.mean(found) == pytest.approx(whole, abs=0.02)


def test_balanced_average_precision():
    """A perfect half, and a random one: precision at each recall by hand."""
    _, by_fraction, *_ = code_for("prevalence")
    y, s = np.array([1, 0, 0, 1, 0, 0]), np.arange(6)[::-1]
    weight = run(by_fraction, p=0.5, n_positives=2, n_negatives=4)
    assert weight == 2 / 4
    found = ap.average_precision_score(y, s, sample_weight=np.where(y == 1, 1, weight))
    assert found == pytest.approx((1 / 1 + 2 / (2 + 2 * weight)) / 2)


def test_a_budget_on_most_days():
    limit, choice = code_for("quantile")
    rng = np.random.default_rng(0)
    day = pd.Series(np.repeat([f"day {i}" for i in range(40)], rng.integers(1, 30, 40)))
    scores = pd.Series(rng.integers(0, 50, day.size) / 50)
    y = np.where(rng.random(day.size) < scores, "fraud", "fine")
    k = 5
    t = run(limit.removeprefix("t = "), scores=scores, day=day, k=k)
    given = "y, scores, pos_label='fraud'"
    names = {"y": y, "scores": scores, "t": t}
    point = run(choice.replace("...", given), **names)
    per_day = lambda threshold: (scores >= threshold).groupby(day).sum()  # noqa: E731
    assert (per_day(point.threshold) <= k).mean() >= 0.9
    lower = sorted({*scores[scores < point.threshold]})[-1]
    # The next lower threshold breaks it, or keeps it by at most one day, as quantiles are of days.
    assert ((per_day(lower) > k).sum()) >= 0.1 * 40 - 1


# --- Data ----------------------------------------------------------------------------------------


CHECKED_BY = [
    ({"min_recall": 0.7}, []),
    ({"min_recall": 0.7, "min_precision": 0.2}, ["clusters"]),
    ({"min_precision": 0.2}, ["sample_weight"]),
    ({"k": 4}, ["groups"]),
]


@pytest.mark.parametrize(("targets", "columns"), CHECKED_BY)
def test_a_threshold_is_checked_in_each_segment(targets, columns):
    """At the level at which all intervals hold at once, with the columns of the choice."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"label": rng.random(900) < 0.2, "country": rng.choice([*"ABC"], 900)})
    table["score"] = rng.standard_normal(900) + 1.5 * table["label"]
    table["groups"] = table["clusters"] = rng.integers(0, 40, 900)
    table["sample_weight"] = rng.choice([1, 2, 5], 900)
    point = ap.operating_point(
        "label", "score", data=table, **targets, **{name: name for name in columns}
    )
    loop, _ = code_for("OperatingPoint.check.by")
    checks = run(loop, point=point, table=table, n=3)
    whole = point.check(data=table)
    for count in ("n_samples", "n_flagged", "true_positives"):
        assert sum(getattr(check, count) for check in checks.values()) == getattr(whole, count)
    assert [*checks] == [*"ABC"]
    for country, check in checks.items():
        part = table[table["country"] == country]
        arrays = {name: part[name].to_numpy() for name in columns}
        # 1 - (1 - 0.95) / 3, Bonferroni's level
        alone = point.check(part["label"], part["score"], confidence_level=59 / 60, **arrays)
        measures = ("precision", "recall", "flagged_share")
        for one, other in ((getattr(each, name) for each in (check, alone)) for name in measures):
            assert one == pytest.approx(other, abs=1e-12)
        assert check.kept == alone.kept


def test_a_check_has_no_segments():
    sentence = re.escape(find_substitute("OperatingPoint.check.by"))
    with pytest.raises(TypeError, match=rf"argument 'by'\. {sentence}$"):
        ap.operating_point(LABELS, SCORES, k=2).check(LABELS, SCORES, by=LABELS)


def test_tables_are_merged_without_losing_rows():
    (code,) = code_for("on")
    label = ["yes", "no", "yes", "no"]
    a = pd.DataFrame({"id": ["p", "q", "r", "s"], "label": label, "score": [4, 3, 2, 1.0]})
    b = pd.DataFrame({"id": ["s", "r", "q", "p"], "score": [1, 2, 4, 3.0]})
    both = run(code, a=a, b=b)
    given = {"data": both, "pos_label": "yes"}
    found = ap.report("label", ["score_a", "score_b"], metrics="AP", **given)
    assert [row.value for row in found] == [(1 + 2 / 3) / 2, (1 / 2 + 2 / 3) / 2]
    with pytest.raises(ValueError, match=r"1 of 4 rows.* the column 'score_b'"):
        ap.report("label", ["score_a", "score_b"], data=run(code, a=a, b=b[1:]), pos_label="yes")
    with pytest.raises(ValueError, match=r"1 of 4 rows.* the column 'label'"):
        ap.report("label", ["score_a", "score_b"], data=run(code, a=a[1:], b=b), pos_label="yes")
    with pytest.raises(pd.errors.MergeError):
        run(code, a=a, b=pd.concat([b, b]))


def test_a_long_table_gets_a_column_for_each_model():
    (code,) = code_for("--model")
    rows = [
        (i, label, score) for i, (label, score) in enumerate(zip("pnpn", [4, 3, 2, 1], strict=True))
    ]
    table = pd.DataFrame(rows, columns=["id", "label", "score"])
    table = pd.concat([table.assign(model="a"), table.assign(model="b", score=-table["score"])])
    wide = run(code, table=table.sample(frac=1, random_state=0))
    found = ap.report("label", ["a", "b"], metrics="AP", data=wide, pos_label="p")
    assert [row.value for row in found] == [(1 + 2 / 3) / 2, (1 / 2 + 2 / 4) / 2]
    with pytest.raises(ValueError, match=r"1 of 4 rows"):
        ap.report("label", ["a", "b"], data=run(code, table=table[1:]), pos_label="p")


def test_differences_of_different_rows():
    """As far apart as values of 2 x 400 samples of such rows are."""
    difference, error = code_of("different rows")

    def interval(seed, apart=1.0):
        rng = np.random.default_rng(seed)
        y = np.where(np.arange(400) < 100, "yes", "no")
        s = rng.standard_normal(400) + apart * (y == "yes")
        weight = rng.choice([1, 2], 400)
        return ap.confidence_interval(y, s, pos_label="yes", sample_weight=weight)

    pairs = [(interval(2 * seed), interval(2 * seed + 1)) for seed in range(120)]
    differences = [run(difference.removeprefix("d = "), a=a, b=b) for a, b in pairs]
    errors = [run(error, a=a, b=b) for a, b in pairs]
    assert np.mean(errors) == pytest.approx(np.std(differences), rel=0.15)


def test_a_mask_is_a_segment():
    (code,) = code_for("masks")
    mask = np.array([True, True, False, False, True, False])
    by = run(code.removeprefix("by="), mask=mask)
    _, row = ap.report(LABELS, SCORES, metrics="AP", by=by)
    inside = ap.average_precision_score(np.array(LABELS)[mask], np.array(SCORES)[mask])
    assert (row.segment, row.n_samples, row.value) == ("tagged", 3, inside)


# --- Files and pictures --------------------------------------------------------------------------


def test_a_table_in_latex():
    pytest.importorskip("jinja2")
    *_, code = code_for("to_latex")
    assert code_for("to_html")[-1] == code
    models = {"a_1": SCORES, "b": SCORES[::-1]}
    for result in (ap.report(LABELS, models, metrics="AP"), ap.compare(LABELS, models)):
        text = run(code, result=result, columns=["model", "value"])
        assert r"a\_1 & 0.756 \\" in text  # 34 / 45
    assert "0.756" in run(code, result=ap.confidence_interval(LABELS, SCORES), columns=["value"])


def test_spines_and_the_perfect_line():
    pytest.importorskip("matplotlib")
    (code,) = code_for("despine")
    display = ap.HitCurveDisplay.from_predictions(LABELS, SCORES)
    run(code, display=display)
    assert not display.ax_.spines["top"].get_visible()
    for code in code_for("plot_perfect"):
        run(code, display=display)
    assert "Perfect ranking" not in [line.get_label() for line in display.ax_.lines]
    entries = [entry.get_text() for entry in display.ax_.get_legend().get_texts()]
    assert len(entries) == 2
    assert "Perfect ranking" not in entries


# --- The command line ----------------------------------------------------------------------------


def test_definitions_of_a_value():
    for name in ("identify", "explain"):
        found = [run(code, value="0.7556", y=LABELS, s=SCORES) for code in code_for(name)]
        assert [type(each).__name__ for each in found] == ["Identification", "Explanation"]


def test_distances():
    (code,) = code_for("--lower-is-better")
    table = pd.DataFrame({"label": LABELS, "distance": [-score for score in SCORES]})
    kept = table.copy()
    (row,) = run(code, table=table)
    assert row.value == ap.average_precision_score(LABELS, SCORES)
    assert table.equals(kept)


def test_queries_that_every_run_has_answered():
    (code,) = code_for("--only-answered")
    qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}}
    runs = {"one": {"q1": {"d1": 1.0}, "q2": {"d1": 2.0}}, "two": {"q1": {"d2": 2.0, "d1": 1.0}}}
    tables = run(code.replace("...", "qrels, runs"), qrels=qrels, runs=runs)
    answered = {row.model: row.value for row in ap.report(data=tables, metrics="AP")}
    whole = ap.report(data=read_runs(qrels, runs), metrics="AP")
    all_queries = {row.model: row.value for row in whole}
    assert answered == {"one": 1.0, "two": 0.5}
    assert all_queries == {"one": 1.0, "two": 0.25}


def test_existing_positives_of_a_file(tmp_path, monkeypatch):
    (code,) = code_for("--n-positives")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counts.csv").write_text("query,positives\na,2\nb,4\n")
    counts = run(code.removeprefix("n_positives="))
    given = {"groups": ["a", "a", "a", "b", "b", "b"], "n_positives": counts}
    assert ap.average_precision_score(LABELS, SCORES, **given) == pytest.approx(
        ((1 + 2 / 3) / 2 + (1 / 2) / 4) / 2
    )


def test_lines_of_json_and_standard_input(tmp_path):
    by_line, from_input, call = code_for("jsonl")
    assert code_for("stdin") == [by_line, from_input, call]
    path = tmp_path / "rows.jsonl"
    path.write_text('{"label": "yes", "s": 2}\n{"label": "no", "s": 1}\n')

    class Sys:
        stdin = io.StringIO("label,s\nyes,2\nno,1\n")

    for table in (run(by_line, path=path), run(from_input, sys=Sys)):
        given = '"label", "s", pos_label="yes"'
        (row,) = run(call.replace("...", given), table=table)
        assert row.value == 1.0
