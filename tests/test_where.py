"""compat.DIFFERENCES, PEERS, explain and identify: tables of cases, and laws on random data."""

import itertools
import json
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import sklearn
from packaging.specifiers import SpecifierSet
from sklearn import metrics

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap.compat import DIFFERENCES, PEERS, explain, identify
from sklearn_ap.compat.definitions import DEFINITIONS, MISTAKES, list_at_k
from sklearn_ap.compat.facts import read_toml
from sklearn_ap.compat.identify import Tried, compute_chance_of_match
from sklearn_ap.compat.peers import _read_block
from sklearn_ap.compat.transforms import TRANSFORMS
from sklearn_ap.exceptions import InvalidParameterError

AP = metrics.average_precision_score
ROOT = Path(__file__).parents[1]


def draw(seed, n=400, n_decimals=12, share=0.15):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < share
    positive[:2] = True, False
    scores = 1 / (1 + np.exp(-rng.normal(0, 1, n) - 1.2 * positive + 1))
    return positive, np.round(scores, n_decimals), rng


# --- facts ----------------------------------------------------------------------------------------


def test_the_counts_on_the_first_pages_are_those_of_the_tables():
    first, tables = "", ""
    for name in ("README.md", "docs/index.md"):
        first += (ROOT / name).read_text(encoding="utf-8")
    for name in ("docs/differences.md", "docs/peers.md"):  # which docs/write_tables.py wrote
        tables += (ROOT / name).read_text(encoding="utf-8")
    for words in (r"kinds of (?:unusual )?input", "tools"):
        (number,) = {*re.findall(rf"(\d+) {words}", tables)}
        assert {*re.findall(rf"(\d+) {words}", first)} == {number}
    peers = [*PEERS]
    n_recorded = sum(bool(each.recorded) for each in peers)
    assert f"{n_recorded} of the {len(peers)} functions" in first


def test_peers_name_definitions():
    names = {*DEFINITIONS} | {name.replace("@10", "@k", 1) for name in list_at_k(10)}
    names |= {*MISTAKES} | {*read_toml("peers.toml")["definitions"]}
    assert {peer.definition for peer in PEERS} <= names
    made = {words for peer in PEERS for words in (peer.order, peer.reading, peer.ranks)}
    assert made <= {*TRANSFORMS} | {"", "not known"}
    assert len(PEERS) == len(PEERS.to_frame()) == len({*PEERS})
    assert all(bool(peer.source) != bool(peer.recorded) for peer in PEERS)
    assert "Trap: " in str(PEERS)


def applies_to(row, version):
    """Whether a row is about this release of scikit-learn."""
    first, _, last = row.versions.partition("-")
    allowed = first if first[0] in "<>" else f">={first},<={last or first}"
    return SpecifierSet(allowed).contains(".".join(version.split(".")[:2]))


def find_outcomes(function, call):
    names = {"average_precision_score": function, "np": np, "Decimal": Decimal}
    names["datetime"] = datetime
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            value = eval(call, names)
        except Exception as error:
            return [type(error).__name__]
    return [value, type(value).__name__, *(each.category.__name__ for each in heard)]


def is_outcome(expected, found):
    """Whether a value, also its sign, or the name of an error, a warning or a type was found."""
    if isinstance(expected, str) or isinstance(found[0], str):
        return expected in found
    has_sign = bool(np.signbit(found[0])) == bool(np.signbit(expected))
    return found[0] == pytest.approx(expected, nan_ok=True) and (has_sign or np.isnan(expected))


@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: row.id)
def test_differences(row):
    release = ".".join(sklearn.__version__.split(".")[:2])
    theirs = row.theirs if applies_to(row, sklearn.__version__) else row.ours
    for function, expected in (
        (ap.average_precision_score, row.ours),
        (AP, row.recorded.get(release, theirs)),
    ):
        found = find_outcomes(function, row.call)
        assert is_outcome(expected, found), (function, found)


@pytest.mark.parametrize("row", DIFFERENCES, ids=lambda row: row.id)
def test_what_releases_returned(row):
    for release, outcome in row.recorded.items():
        assert is_outcome(outcome, [row.theirs]) == applies_to(row, release)
    assert [each.id for each in DIFFERENCES].count(row.id) == 1
    assert row.reason.endswith(".")
    assert str(row) in str(DIFFERENCES)


# --- explain --------------------------------------------------------------------------------------


def test_explain_has_the_values_of_metrics():
    positive, scores, rng = draw(3)
    groups, weight = rng.integers(0, 9, 400), rng.integers(0, 4, 400)
    for data in ({}, {"groups": groups}, {"sample_weight": weight}):
        rows = {row.definition.split(";")[0]: row for row in explain(positive, scores, **data).rows}
        assert rows["step"].value == pytest.approx(
            ap.average_precision_score(positive, scores, **data), abs=1e-14
        )
        assert rows["11-point"].value == pytest.approx(
            ap.eleven_point_average_precision_score(positive, scores, **data), abs=1e-14
        )
    unweighted = rows["step, weights left out"]
    assert unweighted.value == AP(positive, scores)  # also of the rows whose weight is 0
    assert unweighted.difference == unweighted.value - rows["step"].value
    assert "torchmetrics" in unweighted.tools


def test_areas_that_explain_draws_are_its_values():
    plt = pytest.importorskip("matplotlib.pyplot")
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 40)
    found = explain(y, random.integers(0, 9, 40) + y, sample_weight=random.integers(1, 4, 40))
    values = {row.definition: row.value for row in found.rows}
    assert len(found.plot().figure.axes) == 4
    axes = plt.gcf().axes
    for ax, name in zip(axes, ("step", "envelope", "linear", "11-point"), strict=True):
        if name == "11-point":
            area = np.mean([bar.get_height() for bar in ax.patches])
        else:
            x, height = ax.lines[0].get_data()
            height = height[1:] if name != "linear" else (height[1:] + height[:-1]) / 2
            area = np.sum(np.diff(x) * height)
        assert area == pytest.approx(values[name])
        assert ax.get_title(loc="left").startswith(f"{name}: {values[name]:.3f}\n")
    found.plot(axes)
    assert len(axes[0].lines) == 2
    with pytest.raises(ValueError, match=r"plot needs 4 axes\. Got 2"):
        found.plot(axes[:2])
    plt.close("all")
    assert {*found.to_dict()} == {"title", "rows"}
    for other in (explain(y, y, groups=y), explain([0, 0], [1, 2])):
        with pytest.raises(ValueError, match="needs a single ranking with positives"):
            other.plot()


def test_notebooks_show_what_is_printed():
    pytest.importorskip("pandas")
    y, scores, _ = draw(3)
    found = [explain(y, scores), identify(AP(y, scores), y, scores), identify("0.5", y, scores)]
    others = [explain([0, 0], [1, 2])]  # without a table
    if hasattr(compat, "audit"):
        others.append(compat.audit(metrics.average_precision_score))
    for result in [*found, *others]:
        html, said = unescape(result._repr_html_()), " ".join(str(result).split())
        paragraphs = re.findall("<p>(.*?)</p>", html, re.DOTALL)
        assert all(" ".join(each.split()) in said for each in paragraphs)
        assert ("<table" in html) == (result in found)
        assert len(re.findall("<tr>", html)) <= 20
        for cell in re.findall("<td>(.*?)</td>", html)[:20]:
            assert cell in said
        assert result.to_latex()
        assert result.to_markdown()


def test_explain_has_the_values_of_tools_that_take_less():
    positive, scores, rng = draw(3)
    groups, weight = rng.integers(0, 9, 400), rng.integers(1, 4, 400)
    rows = explain(positive, scores, groups=groups, sample_weight=weight).rows
    pooled = {"step", "weights left out", "pooled into one ranking"}
    row = next(row for row in rows if {*row.definition.split(", ")} == pooled)
    assert row.value == pytest.approx(AP(positive, scores))
    assert "polars_ds" in row.tools
    found, half = int(positive.sum()), np.full(400, 0.5)
    half[0] = 0.25
    for data, value in (
        ({"sample_weight": half, "n_positives": found}, AP(positive, scores, sample_weight=half)),
        ({"groups": np.zeros(400), "n_positives": {0: found, 1: 0}}, AP(positive, scores)),
    ):  # of positives that were scored, with half their weight, or in a group that has rows
        rows = {row.definition: row for row in explain(positive, scores, **data).rows}
        row = rows["step, unscored positives not counted"]
        assert row.value == pytest.approx(value)
        assert "polars_ds" in row.tools or "scikit-learn 1.1 and later" in row.tools


OPTIONS = {  # what changes the step value of grades, and how
    "min_grade": ({"min_grade": 2}, lambda y, s: AP(y >= 2, s)),
    "n_positives": ({"min_grade": 1, "n_positives": 90},
                    lambda y, s: AP(y > 0, s) * np.sum(y > 0) / 90),
    "groups": ({"groups": np.arange(60) % 2, "min_grade": 1},
               lambda y, s: (AP(y[::2] > 0, s[::2]) + AP(y[1::2] > 0, s[1::2])) / 2),
    "sample_weight": ({"sample_weight": np.arange(60) % 3, "min_grade": 2},
                      lambda y, s: AP(y >= 2, s, sample_weight=np.arange(60) % 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_explain_and_identify_take_what_metrics_take(name):
    options, function = OPTIONS[name]
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 3, 60), rng.random(60)
    assert explain(y, s, **options).rows[0].value == pytest.approx(function(y, s))
    assert "step" in identify(f"{function(y, s):.9f}", y, s, **options).names


def test_groups_as_one_ranking_miss_what_each_of_them_misses():
    positive, scores, rng = draw(3)
    groups = rng.integers(0, 4, 400)
    exist = {group: int(positive[groups == group].sum()) + 5 for group in range(4)}
    value = AP(positive, scores) * positive.sum() / (positive.sum() + 20)
    found = identify(f"{value:.7f}", positive, scores, groups=groups, n_positives=exist)
    assert "step, pooled into one ranking" in found.names


def test_tools_in_an_order_that_nobody_knows_are_not_named():
    positive, scores, _ = draw(3, n_decimals=1)
    named = {tool for row in explain(positive, scores).rows for tool in row.tools}
    unknown = {peer.tool for peer in PEERS if peer.order == "not known"}
    known = {peer.tool for peer in PEERS if peer.order != "not known"}
    assert unknown - known
    assert not {tool for tool in unknown - known if any(each.startswith(tool) for each in named)}


def test_explain_and_identify_know_which_class_is_which():
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 60), rng.random(60)
    classes = {"classes": [0, 1, 2]}  # of which 2 has no rows, and counts as 0
    for scores, options, value in (
        (s, {"pos_label": 0}, AP(y == 0, s)),
        (np.column_stack([1 - s, s, s]), classes, (AP(y == 0, 1 - s) + AP(y == 1, s)) / 3),
    ):
        assert explain(y, scores, **options).rows[0].value == pytest.approx(value)
        assert "step" in identify(f"{value:.9f}", y, scores, **options).names


def test_explain_says_what_leaving_queries_out_does():
    """Of three queries with AP 5/6, 1/2 and 0/0, the mean is 4/9, or 2/3 without the last."""
    y = [1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    s = [0.9, 0.8, 0.7, 0.1, 0.9, 0.5, 0.4, 0.2, 0.3, 0.2, 0.9, 0.1]
    explanation = explain(y, s, groups=np.repeat([1, 2, 3], 4))
    assert explanation.title.endswith(", mean over 3 groups")
    rows = {row.definition: row for row in explanation.rows}
    assert rows["step"].value == pytest.approx(4 / 9)
    for words, value, why in (
        ("left out", 2 / 3, "Rankings without positives are left out."),
        ("1", 7 / 9, "Rankings without positives count as 1."),
        ("0.5", 11 / 18, "Rankings without positives count as 0.5."),
    ):
        row = rows[f"step, no positives: {words}"]
        assert row.value == pytest.approx(value)
        assert row.why == why
        assert f"step, no positives: {words}" in str(explanation)
    assert "float" not in rows["101-point float, no positives: left out"].why


def test_explain_says_why_lines_are_higher_or_lower():
    untied = explain([0, 1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5])
    tied = explain([1, 0, 0, 1, 0, 0], [3, 3, 3, 1, 1, 1])
    for explanation, is_higher in ((untied, False), (tied, True)):
        row = next(row for row in explanation.rows if row.definition == "linear")
        assert (row.difference > 0) == is_higher
        assert ("too high for tied" in row.why) == is_higher
    assert str(tied).splitlines()[-1].endswith("k= adds AP@k.")


def test_explanations_are_short():
    positive, scores, rng = draw(3, n_decimals=1)
    for data in ({}, {"k": 10, "groups": rng.integers(0, 9, 400)}):
        explanation = explain(positive, scores, **data)
        lines = str(explanation).splitlines()
        assert len(lines) <= 25
        assert max(map(len, lines)) <= 100
        assert len({*explanation.to_frame()["definition"]}) == len(explanation.rows)
        assert json.loads(json.dumps(explanation.to_dict()))["rows"][0]["definition"] == "step"


def test_tools_have_versions_where_they_differ():
    positive, scores, _ = draw(3)
    rows = {row.definition: row.tools for row in explain(positive, scores).rows}
    assert rows["step"][0] == "scikit-learn 1.1 and later"
    assert {"scikit-learn auc", "scikit-learn 0.18"} <= {*rows["linear"]}
    assert "trec_eval" in rows["step"]  # all versions do the same if float32 ties nothing
    close = 1 - scores * 1e-12
    tools = {tool for row in explain(positive, close).rows for tool in row.tools}
    assert {"trec_eval 10", "trec_eval 9"} <= tools


def test_orders_of_ties_are_within_the_range():
    positive, scores = np.array([1, 0, 1, 0, 1, 0]), np.array([5, 4, 4, 3, 3, 3])
    values = [
        AP(positive[list(order)], -np.arange(6))
        for order in itertools.permutations(range(6))
        if (np.diff(scores[list(order)]) <= 0).all()
    ]
    rows = {row.definition: row for row in explain(positive, scores).rows}
    row = rows["step, ties in any order"]
    assert (row.low, row.high) == pytest.approx((min(values), max(values)))


def test_no_range_is_shown_if_the_lowest_value_is_not_that_of_the_worst_order():
    """Hits at 1, 4 and 5 have (1 + 2/4 + 3/5) / 3 = 0.7, and with the last one at 6, 0.75."""
    rows = explain([1, 0, 1, 0, 0, 1], [5, 4, 4, 4, 3, 3], k=5).rows
    found = [row for row in rows if row.definition.startswith("AP@5 / hits")]
    assert found
    assert all(row.low == row.high or row.low <= 0.7 + 1e-12 for row in found)


def test_an_unknown_order_of_ties_is_a_match_within_its_range():
    positive, scores, rng = draw(5, 200, 1)
    order = np.lexsort((rng.random(200), -scores))
    value = AP(positive[order], -np.arange(200))
    names = identify(f"{value:.4f}", positive, scores).names
    assert "step, ties in any order" in names
    assert "step, ties by row" not in names
    assert len({name for name in names if name.endswith("ties in any order")}) > 1
    best = AP(positive, scores + 1e-9 * positive)
    assert "step, ties in any order" not in identify(f"{best + 0.01:.4f}", positive, scores).names


@pytest.mark.parametrize("k", [None, 10])
def test_explain_has_what_identify_finds_of_the_top_k(k):
    positive, scores, _ = draw(3)
    rows = {row.definition for row in explain(positive, scores, k=k).rows}
    assert ("AP@10 / hits" in rows) == (k is not None)


# --- identify -------------------------------------------------------------------------------------


def step_by_row(y, s):
    hits = y[np.argsort(-s, kind="stable")]
    return np.sum(hits * np.cumsum(hits) / np.arange(1, hits.size + 1)) / hits.sum()


def top_k(y, s, k):
    hits = y[np.argsort(-s, kind="stable")][:k]
    return np.sum(hits * np.cumsum(hits) / np.arange(1, k + 1))


def in_thresholds(s, n):
    return np.searchsorted(np.linspace(0, 1, n), s, "right")


# What a colleague did, and the name of it
CAUSES = [
    (AP, "step"),
    (lambda y, s: metrics.auc(*metrics.precision_recall_curve(y, s)[1::-1]), "linear"),
    (metrics.roc_auc_score, "area under the ROC curve"),
    (lambda y, s: AP(y, s > 0.5), "step, predict() instead of scores"),
    (lambda y, s: metrics.f1_score(y, s > 0.5), "F1 of predicted labels"),
    (lambda y, s: AP(y, np.round(s, 2)), "step, scores with 2 decimals"),
    (lambda y, s: AP(y, in_thresholds(s, 100)), "step, scores between 100 thresholds"),
    (lambda y, s: AP(~y, -s), "step, the other class is positive and scores are negated"),
    (lambda y, s: AP(y, -s), "step, scores negated"),
    (lambda y, s: top_k(y, s, 20) / y.sum(), "AP@20 / relevant"),
    (lambda y, s: top_k(y, s, 50) / y[np.argsort(-s)][:50].sum(), "AP@50 / hits"),
    (lambda y, s: 1 - AP(y, s), "step, 1 minus the value"),
    (lambda y, s: (AP(y, s) + AP(~y, 1 - s)) / 2, "step, mean over both classes"),
    (lambda y, s: AP(np.r_[y, ~y], np.r_[s, 1 - s]), "step, both columns as one ranking"),
    (lambda y, s: AP(y, -np.arange(y.size)), "step, ranked by the order of rows"),
    (lambda y, s: top_k(y, s, 12) / 12, "AP@12 / min"),
    (lambda y, s: top_k(y, s, 500) / y.sum(), "AP@500 / relevant"),
    (
        lambda y, s: step_by_row(y & (s > np.median(s)), s),
        "step, positives with scores of 0 or less ignored",
    ),
]


@pytest.mark.parametrize(("function", "name"), CAUSES, ids=[name for _, name in CAUSES])
def test_identify_names_causes(function, name):
    positive, scores, _ = draw(4, 2000)
    value = function(positive, scores)
    if "scores of 0" in name:
        scores = scores - np.median(scores)
    found = identify(f"{value:.5f}", positive, scores)
    assert name in found.matches[0].names
    assert len(str(found).splitlines()) <= 6


OF_KINDS = {
    "plain": lambda rng: {},
    "weights": lambda rng: {"sample_weight": rng.integers(0, 4, 600)},
    "groups": lambda rng: {"groups": rng.integers(0, 30, 600)},
}


@pytest.mark.parametrize("n_decimals", [1, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", OF_KINDS)
def test_identify_names_first_what_explain_shows(kind, n_decimals):
    positive, scores, rng = draw(11, 600, n_decimals)
    options = OF_KINDS[kind](rng)
    values = {row.definition: row.value for row in explain(positive, scores, **options).rows}
    values = {term: value for term, value in values.items() if term in DEFINITIONS}
    assert len(values) >= 8
    for term, value in values.items():
        match = identify(f"{value:.8f}", positive, scores, **options).matches[0]
        same = [each for each in values if values[each] == pytest.approx(value, abs=1e-12)]
        assert {*same} & {*match.names}, term


def envelope(hits):
    p = np.cumsum(hits) / np.arange(1, hits.size + 1)
    return np.maximum.accumulate(p[::-1])[::-1][hits == 1].mean()


def test_step_is_not_named_alone_if_tools_with_an_unstable_sort_compute_other_areas():
    positive, scores, rng = draw(5, 2000, 2)
    order = np.lexsort((rng.random(2000), -scores))
    match = identify(f"{envelope(positive[order]):.6f}", positive, scores).matches[0]
    assert "envelope, ties in any order" in match.names
    assert "py-faster-rcnn" in match.tools
    assert match.low <= match.value <= match.high


def test_what_tools_compute_stands_before_coincidences():
    positive, scores, _ = draw(5, 2000, 2)
    by_row = envelope(positive[np.argsort(-scores, kind="stable")])
    matches = identify(f"{by_row:.3f}", positive, scores).matches
    place = next(i for i, match in enumerate(matches) if "envelope, ties by row" in match.names)
    assert all(match.tools or match.rarity < 1 for match in matches[:place])


def test_identify_finds_means_without_empty_users_at_12():
    positive, scores, rng = draw(4, 2000)
    users = rng.integers(0, 400, 2000)
    value = ap.average_precision_at_k_score(
        positive, scores, k=12, groups=users, zero_division=np.nan
    )
    names = identify(f"{value:.6f}", positive, scores, groups=users).names
    assert any("12" in name and "left out" in name for name in names)


@pytest.mark.slow
def test_identify_with_groups_weights_and_ties():
    positive, scores, rng = draw(5, 2000, 2)
    groups, weight = rng.integers(0, 30, 2000), rng.integers(0, 5, 2000)
    step = AP(positive, scores)
    for value, data, name in (
        (step_by_row(positive, scores), {}, "step, ties by row"),
        (step, {"sample_weight": weight}, "step, weights left out"),
        (step, {"groups": groups}, "step, pooled into one ranking"),
        (ap.average_precision_score(positive, scores, groups=groups, zero_division=np.nan),
         {"groups": groups}, "step"),
    ):  # fmt: skip
        assert name in identify(f"{value:.6f}", positive, scores, **data).names


@pytest.mark.parametrize(
    ("average", "name"),
    [("macro", "step"), ("micro", "step, pooled into one ranking"),
     ("weighted", "step, weighted by positives")],
)  # fmt: skip
@pytest.mark.slow
def test_identify_classes(average, name):
    rng = np.random.default_rng(6)
    labels, scores = rng.integers(0, 3, 500), rng.dirichlet([1, 1, 1], 500)
    value = AP(np.eye(3)[labels], scores, average=average)
    assert any(each.startswith(name) for each in identify(f"{value:.6f}", labels, scores).names)


@pytest.mark.parametrize("names", [np.array(["cat", "dog", "emu"]), np.arange(3)])
def test_identify_one_class_of_several(names):
    rng = np.random.default_rng(6)
    labels, scores = rng.integers(0, 3, 500), rng.dirichlet([1, 1, 1], 500)
    alone = AP(labels == 2, scores[:, 2])
    found = identify(f"{alone:.6f}", names[labels], scores)
    assert f"step, the class {names[2].item()!r} alone" in found.names
    found = identify(f"{alone:.6f}", labels[:, None] == range(3), scores)
    assert "step, the class 2 alone" in found.names


def test_identify_names_keras():
    positive, scores, _ = draw(4, 2000)
    bins = np.maximum(np.ceil(scores * 199) - 1, 0)
    value = next(row.value for row in explain(positive, bins).rows if row.definition == "curved")
    match = identify(f"{value:.5f}", positive, scores).matches[0]
    assert match.names[0].startswith("curved, scores between 200 thresholds")
    assert match.tools == ("Keras",)


@pytest.mark.slow
def test_identify_reads_values():
    positive, scores, _ = draw(7, 2000)
    value = AP(positive, scores)
    for written in (f"{value:.2%}", f"{100 * value:.3f}", float(np.float32(value)), value):
        assert identify(written, positive, scores).names[0].startswith("step")


@pytest.mark.parametrize(
    "options",
    [{"k": "10"}, {"k": 0}, {"k": 1.5}, {"k": [1]}, {"k": 10**20}, {"average": None}],
)
def test_what_is_no_option(options):
    for call in (explain, partial(identify, "0.5")):
        with pytest.raises(InvalidParameterError, match=" must be "):
            call([0, 1], [1, 2], **options)


def test_scores_beyond_single_precision():
    for call in (explain, partial(identify, "0.833")):
        assert "step" in str(call([1, 0, 1], [1e39, 2, 3]))


def test_plots_need_four_axes():
    pytest.importorskip("matplotlib")
    explanation = explain([1, 0, 1], [3, 2, 1])
    for axes in ("x", [1], [1, 2, 3, 4]):
        with pytest.raises((ValueError, InvalidParameterError), match="axes"):
            explanation.plot(axes=axes)


def test_a_range_names_the_definitions_of_tools():
    positive, scores, rng = draw(5, 2000, 2)
    order = np.lexsort((rng.random(2000), -scores))
    text = str(identify(f"{envelope(positive[order]):.4f}", positive, scores))
    assert re.search(r"step,.* envelope,.* ties in any order", text)


def test_words_that_only_add_to_a_name_are_not_shown():
    match = identify("0.4056", [0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]).matches[0]
    assert match.names[0] == "linear"
    assert "linear, ties by row" not in match.names


@pytest.mark.parametrize("value", ["many", "nan", "1e400", "", "12 %%", float("inf"), None])
def test_what_is_no_value(value):
    with pytest.raises(InvalidParameterError, match="a number, or text"):
        identify(value, [0, 1], [1, 2])


@pytest.mark.slow
def test_identify_prints_the_digits_that_match():
    positive, scores, _ = draw(7, 2000)
    value = AP(positive, scores)
    for decimals in (2, 4, 6, 9):
        found = identify(f"{value:.{decimals}f}", positive, scores)
        assert f"{value:.{max(decimals, 4)}f}  step" in str(found)
        is_doubtful = found.matches[0].chance > 0.005
        assert is_doubtful == (decimals == 2) == ("by chance" in str(found))
        assert is_doubtful == ("Not tried: " in str(found))
    assert len(found.to_frame()) == len(json.loads(json.dumps(found.to_dict()))["matches"])


def test_identify_says_if_only_a_range_of_ties_matches():
    positive, scores = np.arange(40) % 2, np.arange(40) // 2 % 3
    found = identify("0.55551", positive, scores)
    assert [match.low < match.high for match in found.matches] == [True]
    assert "Only a range that ties allow has this value (do you need groups=?)" in str(found)
    assert "by chance" not in str(found)
    narrow = replace(found, matches=(replace(found.matches[0], chance=0.05),))
    assert "5% of unrelated values would match a definition by chance" in str(narrow)
    one_group = identify("0.55551", positive, scores, groups=np.zeros(40))
    assert "do you need groups=?" not in str(one_group)


def test_identify_says_what_it_cannot_try():
    positive, scores, _ = draw(8, 2000)
    found = identify("0.12345678", positive, scores)
    assert not found.matches
    assert "Not tried: other rows, labels and models, groups=" in str(found)
    assert "groups=" not in str(identify("0.12345678", positive, scores, groups=positive))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float16, np.float32, object])
def test_types_of_scores(dtype):
    positive, scores, _ = draw(9, 60)
    scores = (3 * scores).astype(int).astype(dtype)
    found = identify(AP(positive, scores.astype(float)), positive, scores)
    assert found.names[0] == explain(positive, scores).rows[0].definition == "step"


def test_without_positives():
    explanation = explain([0, 0, 0], [3, 2, 1])
    assert not explanation.rows
    assert explanation.to_frame().empty
    assert "Without positives" in str(explanation)
    assert not identify("0.5", [0, 0, 0], [3, 2, 1], k=2).matches


@pytest.mark.slow
def test_importing_the_package_leaves_searches_out():
    code = "import sklearn.metrics, sys; import sklearn_ap; from sklearn_ap import compat;"
    code += "assert 'sklearn.model_selection' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_as_common_counts_in_the_chance_of_a_match():
    tried = [Tried(0.50, None, 1), Tried(0.51, None, 1), Tried(0.52, None, 0), Tried(0.53, None, 2),
             Tried(0.9, None, 0)]  # fmt: skip
    chances = [compute_chance_of_match(tried, 0.5, rarity, 0.01) for rarity in range(3)]
    assert chances == pytest.approx([0.01 / 0.1, 0.03 / 0.1, 0.04 / 0.1])


@pytest.mark.parametrize(("value", "n_near"), [(0.5, 0.1), (0.98, 0.07), (1.0, 0.05), (0.01, 0.06)])
def test_the_chance_of_a_match_is_among_values_from_0_to_1(value, n_near):
    chance = compute_chance_of_match([Tried(value, None, 0)], value, 0, 0.001)
    assert chance == pytest.approx(0.001 / n_near)


def test_a_new_word_in_the_table_of_tools_is_named_with_the_tool():
    block = {"tool": "newtool", "ties": "sideways", "functions": {"ap": "step"}}
    with pytest.raises(ValueError, match="newtool has ties='sideways'"):
        [*_read_block(block, {"orders": {}})]
