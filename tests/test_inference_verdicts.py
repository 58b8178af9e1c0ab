"""Verdicts: what the interval of a difference allows to say, with and without a margin."""

import json
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid
from scipy.optimize import brentq

import sklearn_ap as ap
from sklearn_ap import __main__ as command_line
from sklearn_ap.core.verdicts import VERDICTS, decide_verdict

# Ends below, on, between and above the landmarks -m, 0 and m, in units of a quarter margin.
PLACES = [*range(-6, 7)]
MARGINS = [None, 0.1, 0.01, 0.3, 1.0, 0.07, 2.5e-4, 40.0]


def said(low: Fraction, high: Fraction, margin: Fraction | None) -> str:
    """The rules in their order, in fractions."""
    if margin is not None and -margin < low and high < margin:
        return "equivalent"
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    if margin is not None and low > -margin:
        return "no worse"
    if margin is not None and high < margin:
        return "no better"
    return "unclear"


TURNED = {"better": "worse", "no better": "no worse"}
TURNED |= {turned: word for word, turned in TURNED.items()}


@pytest.mark.parametrize("margin", MARGINS)
def test_every_interval(margin):
    """Also of a metric whose low values are better, and of models in the other order."""
    exact = Fraction(str(1.0 if margin is None else margin))
    for one, other in product(PLACES, PLACES):
        if one <= other:
            low, high = one * exact / 4, other * exact / 4
            expected = said(low, high, None if margin is None else exact)
            ends, turned = (float(low), float(high)), TURNED.get(expected, expected)
            assert decide_verdict(*ends, margin) == expected, ends
            assert decide_verdict(*ends, margin, greater_is_better=False) == turned, ends
            assert decide_verdict(-ends[1], -ends[0], margin) == turned, ends
            assert expected in VERDICTS


def test_an_end_on_the_margin_doesnt_depend_on_its_last_bit():
    assert 0.3 - 0.2 < 0.1
    assert decide_verdict(0.05, 0.3 - 0.2, 0.1) == "better"
    assert decide_verdict(0.2 - 0.3, 0.05, 0.1) == "no better"
    assert decide_verdict(0.05, 0.0999999, 0.1) == "equivalent"


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize("greater_is_better", [True, False])
def test_an_undefined_interval_is_unclear(margin, greater_is_better):
    nan = float("nan")
    for low, high in [(nan, nan), (nan, 0.0), (0.0, nan), (nan, -1.0), (1.0, nan)]:
        assert decide_verdict(low, high, margin, greater_is_better) == "unclear"


def test_an_interval_without_ends():
    inf = float("inf")
    assert decide_verdict(-inf, inf, 0.01) == "unclear"
    assert decide_verdict(0.5, inf, 0.01) == "better"
    assert decide_verdict(-inf, -0.5, 0.01) == "worse"
    assert decide_verdict(-0.005, inf, 0.01) == "no worse"
    assert decide_verdict(-inf, 0.005, 0.01) == "no better"


# Comparisons

Y = (np.arange(240) % 4 == 0).astype(int)
DAYS = np.arange(240) // 12


def models(apart=0.5, seed=0):
    rng = np.random.default_rng(seed)
    shared = rng.standard_normal(240) + Y
    return {
        "old": shared + rng.standard_normal(240) / 2,
        "new": shared + rng.standard_normal(240) / 2 + apart * Y,
        "same": 3 * shared,
        "copy": shared,
    }


GIVEN = {
    "rows": {},
    "groups": {"groups": DAYS},
    "clusters": {"clusters": DAYS},
    "cutoff": {"metric": "P@10%", "random_state": 0},
}
each_kind = pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)


@each_kind
def test_identical_models_are_equivalent_within_what_the_sample_may_lack(given):
    found = models()
    alone = ap.compare(Y, found["same"], found["copy"], **given)
    assert (alone.verdict, alone.pvalue) == ("unclear", 1)
    assert (alone.low, alone.high) == (0, 0)
    least = alone.least_margin
    for margin, said in ((0.9 * least, "unclear"), (1.1 * least, "equivalent")):
        pair = ap.compare(Y, found["same"], found["copy"], margin=margin, **given)
        assert pair.verdict == said


def test_verdicts_one_by_one_and_of_folds():
    found = models()
    expected = ap.compare(Y, found["new"], found["old"], margin=0.05)
    assert tuple(expected) == tuple(ap.compare(Y, found["new"], found["old"]))
    several = ap.compare(Y, found, baseline="old", margin=0.05, joint=False)
    assert several.rows[1].verdict == expected.verdict
    folds = ap.compare_folds([0.6, 0.7, 0.65], [0.6, 0.7, 0.66], n_train=90, n_test=10, margin=0.1)
    assert folds.verdict == "equivalent"


def test_verdicts_stand_in_every_output():
    found = models()
    pair = ap.compare(Y, found["new"], found["old"], margin=0.4)
    assert pair.verdict == "equivalent"
    several = ap.compare(Y, found, baseline="old", margin=0.4)
    for result in (pair, several):
        for text in (str(result), result.to_markdown(), result._repr_html_()):
            assert "verdict at 95%" in text
            assert "equivalent" in text
            assert (
                "Margin: 0.4. The verdict compares it with a wider interval, "
                if result is pair
                else "Margin: 0.4."
            ) in text
        assert "equivalent" in result.to_frame()["verdict"].tolist()
        assert "verdict" in json.dumps(result.to_dict(), allow_nan=False)
    assert ap.compare(Y, found["new"], found["old"]).to_dict()["verdict"] == "better"


# Reports


def test_reports_have_the_verdicts_of_compare():
    given = {"baseline": "old", "random_state": 0}
    report = ap.report(Y, models(), metrics=["AP", "P@10%"], margin=0.4, **given)
    for metric, rows in (("AP", report.rows[:4]), ("P@10%", report.rows[4:])):
        expected = ap.compare(Y, models(), metric=metric, margin=0.4, **given)
        assert [row.verdict for row in rows] == [row.verdict for row in expected]
    for text in (str(report), report.to_markdown(), report._repr_html_()):
        assert "Margin: 0.4." in text
        assert "equivalent" in text
    rows = report.to_frame()["verdict"].dropna().tolist()
    assert rows == [row["verdict"] for row in report.to_dict() if row["verdict"]]
    assert json.dumps(report.to_dict(), allow_nan=False)


AP_P = {"AP": "average_precision", "top": "P@10%"}


@pytest.mark.parametrize(
    ("metrics", "margin", "expected"),
    [
        (["AP", "P@10%"], 0.1, [0.1, 0.1]),
        (["AP", "P@10%"], {"AP": 0.1}, [0.1, None]),
        (["AP", "P@10%"], {"average_precision": 0.1, "precision_at_10%": 0.2}, [0.1, 0.2]),
        (["AP", "P@10%"], {"Precision at 10%": 0.2}, [None, 0.2]),
        (["AP", "P@10%"], {ap.metric("precision_at_k", k=0.1): 0.2}, [None, 0.2]),
        (AP_P, {"top": 0.2, "AP": 0.1}, [0.1, 0.2]),
        (AP_P, {"P@10%": 0.2}, [None, 0.2]),
        (["AP", ap.metric("AP", ties="expected")], {"AP": 0.1}, [0.1, None]),
    ],
)
def test_margins_of_metrics(metrics, margin, expected):
    report = ap.report(
        Y,
        {"a": models()["old"], "b": models()["new"]},
        metrics=metrics,
        margin=margin,
        baseline="a",
        random_state=0,
    )
    assert [row.margin for row in report.rows[1::2]] == expected
    printed = str(report)
    if expected == [0.1, 0.2]:
        assert "Margin: 0.1 (" in printed
    assert [
        row.verdict in ("better", "worse", "unclear") or row.margin is not None
        for row in report.rows[1::2]
    ] == [True, True]


def test_a_single_unit_is_unclear():
    report = ap.report(Y, models(), groups=np.zeros(240), margin=0.5, baseline="old")
    assert [row.verdict for row in report.rows] == [None, *["unclear"] * 3]
    assert "tied" not in str(report)


# The command line


@pytest.fixture
def gate(tmp_path, capsys):
    def gate(options, apart=0.5, seed=0):
        both = models(apart, seed)
        rows = zip(Y, both["old"], both["new"], DAYS, strict=True)
        lines = ["fraud,old,new,day", *(",".join(map(str, row)) for row in rows)]
        (tmp_path / "scores.csv").write_text("\n".join(lines))
        line = f"report {tmp_path}/scores.csv --y-true fraud --y-score old,new {options}"
        try:
            code = command_line.main(line.split())
        except SystemExit as stopped:
            code = stopped.code
        return code, *capsys.readouterr()

    return gate


@pytest.mark.parametrize(
    ("options", "apart", "code", "words"),
    [
        ("", 0, 0, "not judged: whether a model is worse than old, as all differences are unclear"),
        ("", -1.5, 1, "failed: Average precision of new is worse than that of old: -0."),
        (
            "--margin 0.01",
            0,
            3,
            "sklearn_ap: unclear: Average precision of new against old: -0.",
        ),
        ("--margin 0.5", 0, 0, ""),
        ("--margin AP=0.01", 0, 3, ": -0."),
        ("--margin 1e-2", 0, 3, "of new against old"),
        (
            "--margin P@10%=0.01 --metrics AP,P@10%",
            0,
            3,
            "Precision at 10% of new against old",
        ),
        ("--margin 0.01", -1.5, 1, "failed: "),
        ("--margin AP=0.9 --margin P@10%=0.001 --metrics AP,P@10%", 0, 3, "Precision at"),
        ("--margin 0.01 --fail-under AP=0.99", 0, 1, "below 0.99"),  # 1 beats 3
        ("--margin 0.01 --fail-under AP=0.99", 0, 1, "unclear: "),
        ("--margin 0", 0, 2, "--margin must be a number in the range (0, inf)"),
        ("--margin much", 0, 2, "Got 'much' instead"),
        ("--margin nan", 0, 2, "Got nan instead"),
        ("--margin P@5=0.1", 0, 2, "margin has a number for 'P@5', which is none of the metrics"),
    ],
)
def test_exit_codes_of_the_gate(gate, options, apart, code, words):
    line = f"--baseline old --fail-if-worse --random-state 0 {options}"
    found, out, err = gate(line, apart)
    assert (found, words in err) == (code, True)
    assert bool(err) == bool(words)
    assert ("0." in out) == (code != 2)


def test_the_gate_writes_json_whatever_it_decides(gate, tmp_path):
    for apart, code in ((0.5, 0), (0, 3), (-1.5, 1)):
        options = f"--baseline old --margin 0.01 --format json --output {tmp_path}/r.json"
        assert gate(options, apart)[0] == code
        (old, new) = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
        assert (old["verdict"], new["margin"]) == (None, 0.01)
        assert new["verdict"] in {0: ["better", "no worse"], 3: ["unclear"], 1: ["worse"]}[code]


WORSE, UNCLEAR, BETTER = -1.5, 0, 0.5  # how far the new model is from the old one


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("options", "of_worse", "of_unclear", "of_better"),
    [
        ("", 0, 0, 0),
        ("--baseline old", 0, 0, 0),
        ("--fail-if-worse", 2, 2, 2),
        ("--baseline old --fail-if-worse", 1, 0, 0),
        ("--margin 0.01", 2, 2, 2),
        ("--baseline old --margin 0.01", 1, 3, 0),
        ("--baseline old --fail-if-worse --margin 0.01", 1, 3, 0),
        ("--baseline old --margin 1", 2, 2, 2),
        ("--baseline old --fail-if-worse --margin 5", 2, 2, 2),
    ],
)
def test_what_is_a_gate(gate, options, of_worse, of_unclear, of_better):
    for apart, code in ((WORSE, of_worse), (UNCLEAR, of_unclear), (BETTER, of_better)):
        assert gate(options, apart)[0] == code
    by_day = gate(f"{options} --by day", WORSE)[0]  # whose all data is worse
    assert by_day == of_worse


def test_a_margin_is_smaller_than_the_range():
    both = models()
    for margin in (1, 1.5, 100):
        with pytest.raises(
            ValueError, match="smaller than the range of Average precision, which is 1"
        ):
            ap.compare(Y, both["new"], both["old"], margin=margin)
        with pytest.raises(ValueError, match=r"such as 0\.01 for 1%"):
            ap.report(Y, both, margin={"AP": margin})
    assert ap.compare(Y, both["new"], both["old"], metric="EF@10%", margin=2, random_state=0)
    assert ap.compare(Y, both["new"], both["old"], margin=0.99).verdict == "equivalent"


# Level and power

SPREAD = 1.4  # standard deviation of the scores of positives, if that of negatives is 1


def binormal_ap(distance, fraction):
    """Return the average precision of infinitely many samples with normal scores."""
    place = np.linspace(-8, 8 + distance, 200_001)
    above = stats.norm.sf(place, distance, SPREAD)
    precision = fraction * above / (fraction * above + (1 - fraction) * stats.norm.sf(place))
    return float(trapezoid(precision * stats.norm.pdf(place, distance, SPREAD), place))


def one_set(units, rng, truth):
    """Return labels and two models whose true values differ by this, and their sampling units."""
    if units == "groups":  # first place goes to a relevant document with another probability
        common = rng.random(160)
        y = np.tile([1, 0, 0, 0, 0], 160)
        scores = []
        for chance in (0.6 + truth / 2, 0.6 - truth / 2):
            own = np.where(rng.random(160) < 0.7, common, rng.random(160))
            score = rng.random((160, 5))
            score[:, 0] = np.where(own < chance, 2, -1)
            scores.append(score.ravel())
        return y, scores, {"groups": np.arange(800) // 5, "metric": "P@1"}
    # What can be shown about a margin depends on how many units have positives: 100 rows, or about
    # 105 of 166 clusters
    n_samples = 600 if units == "rows" else 1000
    y = np.arange(n_samples) % 6 == 0
    unit = rng.integers(0, 166, n_samples) if units == "clusters" else np.arange(n_samples)
    shared = rng.standard_normal(n_samples)
    scores = []
    for distance in (distance_for(truth), distance_for(0.0)):
        own = rng.standard_normal(n_samples)
        if units == "clusters":
            own = 0.6 * own + 0.8 * rng.standard_normal(166)[unit]
        noise = np.sqrt(0.6) * shared + np.sqrt(0.4) * own
        scores.append(np.where(y, distance + SPREAD * noise, noise))
    return y.astype(int), scores, {"clusters": unit} if units == "clusters" else {}


MARGIN = 0.08


@cache
def distance_for(truth):
    """Return the distance of the classes at which average precision is higher by this."""
    goal = binormal_ap(1.5, 1 / 6) + truth
    return brentq(lambda distance: binormal_ap(distance, 1 / 6) - goal, 0.5, 3) if truth else 1.5


def said_in(units, truth, n_sets):
    rng = np.random.default_rng(0)
    said = []
    for _ in range(n_sets):
        y, (one, other), given = one_set(units, rng, truth)
        said.append(ap.compare(y, one, other, margin=MARGIN, **given).verdict)
    return {word: said.count(word) / n_sets for word in VERDICTS}


@pytest.mark.slow
@pytest.mark.parametrize("units", ["groups", "rows", "clusters"])
def test_level_and_power_at_both_edges_of_the_margin(units):
    """A model that is worse by the margin is called no worse (equivalent, better) in 2.5%."""
    n_sets = 1000
    most = 0.025 + 3 * np.sqrt(0.025 * 0.975 / n_sets)
    below, above = (said_in(units, edge, n_sets) for edge in (-MARGIN, MARGIN))
    assert below["equivalent"] + below["no worse"] + below["better"] <= most
    assert above["equivalent"] + above["no better"] + above["worse"] <= most
    assert below["worse"] > 0.3
    assert above["better"] > 0.3
    equal = said_in(units, 0.0, n_sets)
    assert equal["better"] + equal["worse"] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / n_sets)
    assert equal["no worse"] + equal["no better"] + equal["equivalent"] > 0.3
