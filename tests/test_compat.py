"""explain and identify: values against the oracle, ranges against all orders, and causes."""

import re
import sys
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import average_precision_score, roc_auc_score

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap._catalogue import DEFINITIONS
from sklearn_ap._inputs import Inputs
from sklearn_ap._validation.reported import check_reported
from sklearn_ap.compat.naming import NAMED, OfK, name_of
from sklearn_ap.compat.peers import ORDERS
from sklearn_ap.compat.rules import (
    Curved,
    FloatGrid,
    MeanOfPrecisions,
    Order,
    Orders,
    RocArea,
    RoundedLevels,
    StepOfFirst,
    WithArtificialPoint,
    ends,
)
from sklearn_ap.compat.sample import Sample, Slip, View
from sklearn_ap.compat.variants import Variant, Variants
from sklearn_ap.core.cutoff import Cut
from sklearn_ap.core.operating_points import from_groups, from_scores
from sklearn_ap.core.rules import AtK, Envelope, Linear, NPoint, PrecisionAtK, RecallAtK, Rule, Step

from . import oracle

GEESE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], list(range(10, 0, -1))
WIGGLY = [0, 1, 0, 1, 1], [5, 4, 3, 2, 1]
TIED = [1, 0, 1, 0, 0, 1], [3, 3, 2, 2, 1, 1]


def near(expected):
    return pytest.approx(float(expected), abs=1e-12)


def naive_float_grid(labels, scores, n, artificial=False):
    """The loop that many people write, over the points of the curve."""
    curve = oracle.points(labels, scores)
    total = float(oracle.positive_mass(curve))
    precision = np.array([float(T / N) for _, _, T, N in curve] + [1.0] * artificial)
    recall = np.array([float(T) / total for _, _, T, _ in curve] + [0.0] * artificial)
    levels = [max(precision[recall >= t], default=0.0) for t in np.linspace(0, 1, n)]
    return np.mean(levels)


def by_row(labels, scores, last_first=False):
    """Return the labels in order of falling score, with tied rows in their order or reversed."""
    rows = range(len(labels))[:: -1 if last_first else 1]
    order = sorted(rows, key=lambda i: -scores[i])
    return [labels[i] for i in order], range(len(labels), 0, -1)


def expectations(labels, scores, k):
    """All that has a name without ties; with them, of what counts them as one point."""
    data = labels, scores
    n_11 = oracle.n_point(*data, n_points=11)
    best = float(max(T / N for _, _, T, N in oracle.points(*data)))
    values = {
        "step": oracle.step(*data),
        "envelope": oracle.envelope(*data),
        "11-point": n_11,
        "101-point": oracle.n_point(*data, n_points=101),
        "linear": oracle.linear(*data),
        "11-point, float grid": naive_float_grid(*data, 11),
        "101-point, float grid": naive_float_grid(*data, 101),
        "11-point, with (0, 1)": float(n_11) + (1 - best) / 11,
        "11-point, float grid, with (0, 1)": naive_float_grid(*data, 11, artificial=True),
        f"mean of P@1 to P@{k}": sum(oracle.precision_at_k(*data, k=i) for i in range(1, k + 1))
        / k,
    }
    for denominator in oracle.DENOMINATORS:
        values[f"AP@{k} / {denominator}"] = oracle.at_k(*data, k=k, denominator=denominator)
    return values


@pytest.mark.parametrize("seed", range(60))
def test_every_number_is_what_its_name_says(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 30))
    labels = rng.integers(0, 2, n)
    labels[0] = 1
    scores = rng.integers(0, rng.choice([4, 100]), n)
    k = int(rng.integers(1, 8))
    rows = compat.explain(labels, scores, k=k).to_dict()
    labels, scores = labels.tolist(), scores.tolist()
    expected = expectations(labels, scores, k)
    expected["step, ties expected"] = oracle.expected(labels, scores)
    for name, value in expected.items():
        if name == "step, ties expected" and name not in rows:
            assert not re.search("tied", str(compat.explain(labels, scores)))
            continue
        assert rows[name]["value"] == rows[name]["low"] == rows[name]["high"] == near(value), name
        assert rows[name]["difference"] == near(float(value) - float(expected["step"]))
    for name, row in rows.items():
        rule = {"step": oracle.step, "envelope": oracle.envelope}.get(name.partition(",")[0])
        if rule and name.endswith("ties by row"):
            assert row["value"] == near(rule(*by_row(labels, scores)))
        elif rule and name.endswith(("in any order", "by id")):
            last = name.endswith("by id")
            assert row["value"] == near(rule(*by_row(labels, scores, last_first=last)))
            assert row["low"] == near(oracle.worst(rule, labels, scores))
            assert row["high"] == near(oracle.best(rule, labels, scores))


def test_every_definition_has_a_row_or_is_tried():
    rows = compat.explain(*GEESE, k=3).to_dict()
    reported = ("0", "0.4", "0.6", "0.7", "0.8", "1")
    found = [compat.identify(value, *GEESE, k=3, decimals=1) for value in reported]
    tried = set(rows) | {match.definition for each in found for match in each.matches}
    asked = {"precision-at-recall", "recall-at-precision"}  # take a number that is not here
    # A new definition that nobody takes for average precision has to be added here.
    beyond = {"enrichment-factor", "r-precision", "reciprocal-rank", "hit-rate-at-k"}
    for name in set(DEFINITIONS) - asked - beyond:
        shown = name.replace("at-k", "@3").replace("-@", "@")
        assert shown in tried or (name == "at-k" and "AP@3 / min" in tried), name


def test_a_rule_that_nobody_has_named_is_refused():
    class Toy(Rule):
        name = "toy"

    with pytest.raises(KeyError):
        name_of(Toy())


def test_the_names_of_rules_that_lack_k_are_those_of_rules_that_have_it():
    for peer in compat.PEERS:
        if isinstance(peer.rule, OfK):
            rule = peer.rule_at(7)
            plain = AtK(k=7, denominator="hits") if isinstance(rule, StepOfFirst) else rule
            assert re.sub(r"@k\b", "@7", peer.definition) == name_of(plain)


# Orders of tied samples

EVERY_RULE = [
    Step(),
    Envelope(),
    NPoint(11),
    NPoint(101),
    Linear(),
    FloatGrid(11),
    RoundedLevels(0.9),
    RoundedLevels(0.5),
    WithArtificialPoint(NPoint(11)),
    RocArea(),
    *(
        rule
        for k in (1, 2, 4, 9)
        for rule in (
            PrecisionAtK(k),
            RecallAtK(k),
            MeanOfPrecisions(k),
            StepOfFirst(k),
            *(AtK(k=k, denominator=denominator) for denominator in oracle.DENOMINATORS),
        )
    ),
]


def in_order(rule, order, scores):
    """Return a rule's value for labels that are already in order."""
    if isinstance(rule, StepOfFirst):
        kept, best = order[: rule.k], sorted(scores, reverse=True)[: rule.k]
        return average_precision_score(kept, best) if any(kept) else 0.0
    return rule.values(from_scores(np.array(order), -np.arange(len(order)))).item()


def test_every_rule_of_the_table_is_tried_over_all_orders():
    """Except for one, whose range is not known."""
    assert {type(rule) for rule in EVERY_RULE} == {rule for rule in NAMED if rule is not Curved}
    with pytest.raises(NotImplementedError, match="range of Curved"):
        ends(Curved(), Orders.of(from_scores(np.array([True]), np.array([1.0]))))


@pytest.mark.parametrize("rule", EVERY_RULE, ids=repr)
def test_the_range_is_that_of_all_orders(rule):
    rng = np.random.default_rng(len(repr(rule)))
    for _ in range(40):
        n = int(rng.integers(2, 8))
        labels, scores = rng.random(n) < 0.5, rng.integers(0, 3, n)
        labels[:2] = True, False
        values = [in_order(rule, order, scores) for order in oracle.orders(labels, scores)]
        low, high = ends(rule, Orders.of(from_scores(labels, scores)))
        assert low.item() == near(min(values))
        assert high.item() == near(max(values))


@pytest.mark.parametrize("rule", EVERY_RULE, ids=repr)
def test_the_ranges_of_groups_are_their_own(rule):
    rng = np.random.default_rng(3)
    labels, scores = rng.random(60) < 0.4, rng.integers(0, 4, 60)
    group = rng.integers(0, 9, 60)
    together = ends(rule, Orders.of(from_groups(labels, scores, group, 9)))
    for place in range(9):
        here = group == place
        alone = ends(rule, Orders.of(from_scores(labels[here], scores[here])))
        for each, one in zip(together, alone, strict=True):
            np.testing.assert_allclose(each[place], one.item(), rtol=0, atol=1e-12)


def test_the_mean_of_precisions_of_tied_samples():
    labels, scores = TIED
    for k in range(1, 12):
        expected = np.mean([oracle.precision_at_k(*TIED, k=i) for i in range(1, k + 1)])
        points = from_scores(np.array(labels, dtype=bool), np.array(scores))
        assert MeanOfPrecisions(k).values(points).item() == near(expected)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_area_under_the_roc_curve(weighted):
    rng = np.random.default_rng(0)
    for _ in range(30):
        labels, scores = rng.integers(0, 2, 20), rng.integers(0, 9, 20)
        labels[:2] = 0, 1
        weight = rng.integers(1, 4, 20) if weighted else None
        points = from_scores(labels == 1, scores, weight)
        expected = roc_auc_score(labels, scores, sample_weight=weight)
        assert RocArea().values(points).item() == near(expected)


def test_ties_of_a_tool_stand_in_a_row_of_their_own():
    """Of the two tools one takes the last row first, and the other leaves the order open."""
    rng = np.random.default_rng(0)
    labels = (rng.random(200) < 0.2).astype(int)
    scores = (rng.random(200) + labels * 0.4).round(1)
    rows = compat.explain(labels, scores).to_dict()
    assert "trec_eval" not in rows["step"]["reported_by"]
    assert "ranx" not in rows["step"]["reported_by"]
    row = rows["step, ties by id"]
    assert "trec_eval map" in row["reported_by"]
    assert row["low"] < 0.6940 < row["high"]
    assert row["value"] == pytest.approx(0.6940, abs=5e-5)
    assert "ranx" in rows["step, ties in any order"]["reported_by"]
    found = compat.identify("0.6940", labels, scores)
    assert found.names[0] == "step, ties by row, last first"
    assert "trec_eval map (9) if ids increase with the rows" in found.matches[0].reported_by
    within = next(match for match in found.matches if "ranx" in match.reported_by)
    assert within.is_within_reach
    assert within.distance == 0
    assert "the row shows the range over all orders" in " ".join(str(found).split())


def flat(text):
    return " ".join(str(text).split())


GIVE, COULD = "these definitions give", "could"


def test_what_gives_the_value_is_apart_from_what_could():
    rng = np.random.default_rng(0)
    labels = (rng.random(200) < 0.2).astype(int)
    scores = (rng.random(200) + labels * 0.4).round(1)
    text = str(compat.identify("0.6940", labels, scores))
    gives, could = text.split("These could give it, in some order of the tied samples:")
    assert gives.startswith(f"On your data, {GIVE} 0.6940, to 4 decimals:\n\n0.694001  step")
    assert " to 0." not in gives
    assert re.match(r"\n\n0.6542 to 0.7369  step, ties in any order", could)


def test_ranges_alone_give_nothing_for_sure():
    rng = np.random.default_rng(0)
    labels = (rng.random(200) < 0.2).astype(int)
    scores = (rng.random(200) + labels * 0.4).round(1).round()
    found = compat.identify("0.64", labels, scores)
    assert all(match.is_within_reach for match in found.matches)
    text = flat(found)
    opening = r"Every match may well be an accident: \d+% of all values with 2 decimals match"
    assert re.match(rf"{opening} at least as well\. On your data, no definition is sure to", text)
    assert GIVE not in text
    assert re.search(opening, found._repr_html_().partition("<caption")[2])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("seed", range(30))
def test_the_title_says_what_the_rows_are(seed):
    rng = np.random.default_rng(seed)
    labels, scores = rng.integers(0, 2, 12), rng.integers(0, 5, 12)
    found = compat.identify(f"{rng.random():.{seed % 4 + 1}f}", labels, scores)
    text, html = flat(found), found._repr_html_()
    for shown in (text, html):
        assert (GIVE in shown) == any(not match.is_within_reach for match in found.matches)
        assert ("no definition gives" in shown) == (not found.matches)
        likely = bool(found.matches) and found.matches[0].chance > 0.2
        assert ("Every match may well be an accident" in shown) == likely
    given = text.partition(GIVE)[2].partition("These could")[0].partition("value tried")[0]
    assert not re.search(r"\d to 0\.\d{4} ", given)


def trec_row(rows, function="map"):
    (row,) = (row for row in rows if f"trec_eval {function} (9" in row.reported_by)
    return row


@pytest.mark.parametrize(
    ("ids", "value"),
    [
        (["d1", "d2", "d3"], 1 / 2),  # d3, d2, d1, of which d2 is relevant
        (["d2", "d3", "d1"], 1),
        (["d3", "d1", "d2"], 1 / 3),
        (["d9", "d10", "d8"], 1 / 3),  # as text, "d10" is before "d8"
        ([9, 10, 8], 1 / 3),
        (["B", "b", "a"], 1),
        (["a", "é", "z"], 1),
    ],
)
def test_ids_break_the_ties_of_trec_eval(ids, value):
    labels, scores = [0, 1, 0], [0.5, 0.5, 0.5 + 1e-9]  # equal in single precision
    for given in (ids, np.array(ids, dtype=object)):
        row = trec_row(compat.explain(labels, scores, ids=given).rows)
        assert (row.value, row.low, row.high) == pytest.approx((value, value, value))
    found = compat.identify(f"{value:.6f}", labels, scores, ids=ids)
    assert any("trec_eval map (9" in m.reported_by and not m.is_within_reach for m in found.matches)
    if value == 0.5:
        assert row.definition.startswith("step, ties by your ids")
        assert "tied samples are ranked by your ids, last id first" in row.why
        assert "are ranked by the ids that you passed, the last id first." in flat(found)


def test_ids_can_be_a_column_and_have_weights_beside_them():
    table = {
        "relevant": [0, 1, 0, 1],
        "score": [1.0, 1.0, 1.0, 1.0],
        "query": ["q", "q", "p", "p"],
        "document": ["d1", "d2", "d1", "d2"],
        "weight": [0, 1, 2, 3],
    }
    for options in ({}, {"sample_weight": "weight"}):
        for document, value in (("document", 1), (["d2", "d1", "d2", "d1"], 0.5)):
            found = compat.explain(
                "relevant", "score", groups="query", ids=document, data=table, **options
            )
            assert trec_row(found.rows).value == value


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (["a", "b", "a"], r"ids contains 'a' twice, so the order of tied samples is not known"),
        ([1, "1", 2], r"ids contains '?1'? twice"),
        (["a", None, "b"], r"ids must be strings or integers, but contains None"),
        ([1.0, 2.0, 3.0], r"ids must be strings or integers, but contains 1\.0"),
        (["a", "b"], r"y_true has 3 and ids 2"),
    ],
)
def test_ids_that_order_nothing_are_refused(ids, words):
    with pytest.raises(ValueError, match=words):
        compat.explain([0, 1, 0], [1, 1, 1], ids=ids)
    with pytest.raises(ValueError, match=words):
        compat.identify("0.5", [0, 1, 0], [1, 1, 1], ids=ids)


def test_the_same_id_in_two_groups_is_no_duplicate():
    compat.explain([0, 1, 1], [1, 1, 1], groups=["p", "p", "q"], ids=["a", "b", "a"])
    with pytest.raises(ValueError, match="ids contains 'a' twice in the same group"):
        compat.explain([0, 1, 1], [1, 1, 1], groups=["p", "p", "q"], ids=["a", "a", "a"])


@pytest.mark.parametrize("seed", range(12))
def test_ids_give_what_trec_eval_gives(seed):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(seed)
    group = np.repeat(["p", "q", "r"], rng.integers(2, 15, 3))
    labels = (rng.random(group.size) < 0.4).astype(int)
    close = rng.integers(0, 3, group.size) * 1e-9 * (seed % 2)
    scores = rng.integers(0, 4, group.size) / 4 + close
    ids = [str(number) for number in rng.permutation(100)[: group.size]]
    run, judged = {}, {}
    for query, each, score, label in zip(group, ids, scores, labels, strict=True):
        run.setdefault(query, {})[each] = float(score)
        judged.setdefault(query, {})[each] = int(label)
    asked = {"map", "map_cut.5", "11pt_avg"}
    theirs = pytrec_eval.RelevanceEvaluator(judged, asked).evaluate(run).values()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        rows = compat.explain(labels, scores, k=5, groups=group, ids=ids).rows
    for function, name in (("map", "map"), ("map_cut", "map_cut_5"), ("11pt_avg", "11pt_avg")):
        row = trec_row(rows, function)
        assert row.low == row.high
        assert row.value == near(np.mean([each[name] for each in theirs]))


def test_without_ties_there_are_no_rows_for_them():
    assert not [name for name in compat.explain(*GEESE, k=3).to_dict() if "ties" in name]
    row = compat.explain(*GEESE).to_dict()["step"]
    for tool in ("scikit-learn average_precision_score", "trec_eval map", "ranx evaluate"):
        assert tool in row["reported_by"]


RELEASES = [(0, i) for i in range(13, 25)] + [(1, i) for i in range(10)]


def releases(versions):
    """Those that a row of PEERS holds for, among the ones that can be re-enacted."""
    for version in versions.split(", "):
        first, _, last = version.partition(" to ")
        start = tuple(map(int, first.removesuffix(" and later").split(".")))
        end = tuple(map(int, last.split("."))) if last else (9, 9) if "later" in first else start
        yield from (each for each in RELEASES if start <= each <= end)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("seed", range(120))
def test_releases_of_scikit_learn_are_named_beside_what_they_gave(seed):
    """Each of them is listed somewhere, unless it refused the data."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    labels = (rng.random(n) < rng.choice([0, 0.3, 0.7, 1])).astype(int)
    scores = [rng.random(n), rng.integers(0, 4, n), rng.permutation(n) * 4e-9][seed % 3]
    options = {"sample_weight": rng.integers(0, 3, n) / 2} if seed % 2 and n > 5 else {}
    if options and not options["sample_weight"].any():
        options["sample_weight"][0] = 1
    named = {}
    for row in compat.explain(labels, scores, **options).rows:
        if "weights left out" in row.definition:
            continue
        found = re.search(r"scikit-learn average_precision_score \(([^)]*)\)", row.reported_by)
        for release in releases(found[1]) if found else ():
            assert release not in named
            named[release] = row.value
    for release in RELEASES:
        try:
            version = ".".join(map(str, release))
            value = compat.sklearn_average_precision_score(
                labels, scores, version=version, **options
            )
        except ValueError:
            value = np.nan
        if release in named:
            assert named[release] == near(value), release
        else:  # a row of weight 0 may have made it nan, or tied what is close
            assert np.isnan(value) or (options and release < (0, 20)), release


# Weights, groups, k and missed positives


def test_tools_without_weights_are_named_beside_the_number_without_them():
    weight = [1.0, 0.5, 2.0, 1.5, 1.0]
    rows = compat.explain(*WIGGLY, sample_weight=weight, k=2).to_dict()
    assert rows["envelope"]["value"] == near(oracle.envelope(*WIGGLY, weight))
    assert rows["AP@2 / k"]["value"] == near(oracle.at_k(*WIGGLY, weight, k=2, denominator="k"))
    plain = rows["step, weights left out"]
    assert plain["value"] == near(oracle.step(*WIGGLY))
    assert "trec_eval map" in plain["reported_by"]
    assert "trec_eval" not in rows["step"]["reported_by"]
    assert "LightGBM average_precision" in rows["step"]["reported_by"]
    assert "whatever its weight is" in plain["why"]


def test_weights_of_0_leave_out_what_has_no_meaning():
    """Before 0.20, scikit-learn returned nan if the highest score had no weight."""
    rows = compat.explain(*WIGGLY, sample_weight=[0.0, 0.5, 2.0, 1.0, 1.0]).to_dict()
    assert "(1.1 and later, 0.20 to 1.0)" in rows["step"]["reported_by"]


def test_groups():
    labels, scores = [1, 0, 1, 0, 1, 1], [1, 2, 3, 1, 2, 3]
    groups = ["b", "a", "b", "a", "b", "a"]
    rows = compat.explain(labels, scores, groups=groups, k=1).to_dict()
    assert rows["step"]["value"] == ap.mean_average_precision_score(labels, scores, groups=groups)
    pooled = rows["step, all rows as one ranking"]
    assert pooled["value"] == ap.average_precision_score(labels, scores)
    assert "between the groups" in pooled["why"]
    assert "scikit-learn average_precision_score" in pooled["reported_by"]
    assert "trec_eval" not in pooled["reported_by"]  # which knows queries
    assert rows["AP@1 / hits"]["value"] == ap.mean_average_precision_score(
        labels, scores, groups=groups, k=1, denominator="hits"
    )
    rows = compat.identify("0.5", labels, scores, groups=groups, decimals=0).matches
    by_size = next(row for row in rows if row.name == "step, groups weighted by their positives")
    assert by_size.value == ap.mean_average_precision_score(
        labels, scores, groups=groups, average="weighted"
    )


def test_tools_that_count_missed_positives_have_no_value_without_them():
    labels, scores, groups = [1, 0, 1, 0, 1, 1], [1, 2, 3, 1, 2, 3], list("bababa")
    rows = compat.explain(labels, scores, groups=groups, n_positives={"a": 4, "b": 5}).to_dict()
    pooled = [row["reported_by"] for name, row in rows.items() if "all rows as one" in name]
    assert any("scikit-learn" in tools for tools in pooled)  # which is not told
    assert not any("VOC" in tools or "voc" in tools for tools in pooled)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.filterwarnings("ignore:k=.* counts weight:UserWarning")
@pytest.mark.parametrize("seed", range(80))
def test_rows_are_what_the_functions_give(seed):
    """With any combination of groups, weights, missed positives and k."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    data = rng.integers(0, 2, n), rng.integers(0, rng.choice([4, 100]), n)
    options = {}
    if seed % 2:
        options["groups"] = rng.integers(0, 4, n)
    if seed % 3 == 0:
        options["sample_weight"] = rng.integers(1, 5, n) / 2
    if seed % 5 < 2:
        exist = {"never": 3, **{int(group): n * 3 for group in range(4)}}
        options["n_positives"] = exist if "groups" in options else n * 3
        if "groups" in options:
            options["groups"] = options["groups"].astype(object)
    cut = {"k": [1, 4, 0.3, 1.0][seed % 4], "k_counts": ["weight", "samples"][seed % 7 % 2]}
    explained = compat.explain(*data, **cut, **options).rows
    scores = {
        "step": (ap.average_precision_score, {}),
        "envelope": (ap.interpolated_average_precision_score, {}),
        "11-point": (ap.eleven_point_average_precision_score, {}),
        "101-point": (ap.interpolated_average_precision_score, {"n_points": 101}),
    }
    for denominator in oracle.DENOMINATORS:
        given = {"denominator": denominator, **cut}
        scores[f" / {denominator}"] = (ap.average_precision_at_k_score, given)
    for name, (score, given) in scores.items():
        row = next(row for row in explained if row.definition.endswith(name))
        assert row.value == near(score(*data, zero_division=0.0, **given, **options)), name


def test_missed_positives_make_detectors_numbers():
    labels, scores = [1, 0, 1, 1], [4, 3, 2, 1]
    coco = naive_float_grid([*labels, 1, 1], [*scores, -1, -2], 101)
    found_alone = {"n_positives": 5}
    rows = compat.explain(labels, scores, **found_alone).to_dict()
    assert rows["step"]["value"] == near(oracle.step(labels, scores, n_positives=5))
    assert rows["101-point"]["value"] == near(
        oracle.n_point(labels, scores, n_points=101, n_positives=5)
    )
    scored = rows["step, missed positives not counted"]
    assert scored["value"] == near(oracle.step(labels, scores))
    assert "scikit-learn average_precision_score" in scored["reported_by"]
    assert "pycocotools" in rows["101-point, float grid"]["reported_by"]
    assert "2 of 5 positives were not scored" in scored["why"]
    assert coco > rows["101-point, float grid"]["value"]  # as if they were at the end
    number = float(rows["101-point, float grid"]["value"])
    assert "101-point, float grid" in compat.identify(number, labels, scores, **found_alone).names


def test_missed_positives_of_groups_that_were_never_retrieved():
    data, options = ([1, 0, 1], [3, 2, 1]), {"groups": ["a", "a", "b"]}
    exist = {"a": 2, "b": 1, "never": 3}
    row = compat.explain(*data, **options, n_positives=exist).to_dict()["step"]
    expected = ap.average_precision_score(*data, **options, n_positives=exist)
    assert row["value"] == near(expected) == near((0.5 + 1 + 0) / 3)
    with pytest.raises(ValueError, match="no number for the group"):
        compat.explain(*data, **options, n_positives={"a": 2})
    assert compat.identify(0.5, *data, **options, n_positives=exist).names[0] == "step"


def test_k_as_a_share_is_of_the_weights_of_each_group():
    """Half of 3 is rounded up to 2, and half of 1.25 is not rounded."""
    data = [1, 0, 1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    options = {"groups": [*"aaabbb"], "sample_weight": [1, 1, 1, 0.5, 0.5, 0.25], "k": 0.5}
    value = ap.average_precision_at_k_score(*data, **options)
    assert value == pytest.approx((1 / 2 + 0.5 / 0.625) / 2)
    assert compat.explain(*data, **options).to_dict()["AP@50% / min"]["value"] == near(value)
    assert "AP@50% / min" in compat.identify(value, *data, **options).names


def test_k_as_a_share_is_that_many_rows_of_each_group():
    rows = compat.explain(*GEESE, k=0.3).to_dict()
    for denominator in oracle.DENOMINATORS:
        expected = oracle.at_k(*GEESE, k=3, denominator=denominator)
        assert rows[f"AP@30% / {denominator}"]["value"] == near(expected)
    assert "LightGBM map@k" in rows["AP@30% / min"]["reported_by"]
    assert "AP@30% / min" in compat.identify(2 / 3, *GEESE, k=0.3, decimals=9).names
    groups = [0] * 4 + [1] * 6  # 2 and 2 of them, then 2 and 3
    alike = compat.explain(*GEESE, k=0.3, groups=groups).to_dict()["AP@30% / min"]
    assert "LightGBM map@k" in alike["reported_by"]
    other = compat.explain(*GEESE, k=0.5, groups=groups).to_dict()["AP@50% / min"]
    assert other["reported_by"] == ""  # no k of a tool is both


def test_k_of_rows_and_k_of_weight():
    weight = [3.0, 1, 1, 2, 1, 1, 1, 1, 1, 1]
    by_rows = compat.explain(*GEESE, k=3, k_counts="samples", sample_weight=weight).to_dict()
    expected = ap.average_precision_at_k_score(
        *GEESE, k=3, k_counts="samples", sample_weight=weight, denominator="relevant"
    )
    assert by_rows["AP@3 rows / relevant"]["value"] == near(expected)
    best = average_precision_score(GEESE[0][:3], GEESE[1][:3], sample_weight=weight[:3])
    assert by_rows["AP@3 rows / hits"]["value"] == near(best)
    assert "of the k best" in by_rows["AP@3 rows / hits"]["reported_by"]
    by_weight = compat.explain(*GEESE, k=3, sample_weight=weight).to_dict()
    assert by_weight["AP@3 / min"]["value"] == near(oracle.at_k(*GEESE, weight, k=3))
    assert by_weight["AP@3 / hits"]["reported_by"] == ""
    with pytest.warns(UserWarning, match="k_counts"):
        compat.explain(*GEESE, k=3, sample_weight=np.full(10, 5.0))


# Causes


def why(data, name, **options):
    return compat.explain(*data, **options).to_dict()[name]["why"]


def test_a_cause_that_does_not_act_is_not_named():
    perfect = [1, 1, 0, 0], [4, 3, 2, 1]
    for row in compat.explain(*perfect, k=10).rows:
        if row.difference == 0:
            assert row.why == ""
    assert "tied" not in str(compat.explain(*WIGGLY))
    assert "rises again" not in str(compat.explain(*GEESE))
    assert "only for drawing" not in why(GEESE, "11-point, with (0, 1)")
    half = [1, 0, 0, 1], [0.9, 0.8, 0.9, 0.8]  # perfect in one group, but not in the other
    rows = compat.explain(*half, groups=[0, 0, 1, 1]).to_dict()
    assert "only for drawing" in rows["11-point, with (0, 1)"]["why"]


def test_close_scores_are_told_from_equal_ones():
    apart = [0.5, 0.5 - 1e-6, 0.5 - 2e-6]
    assert "tied" not in str(compat.explain([0, 1, 0], apart))
    close = [1, 0, 0], [3e-9, 2e-9, 1e-9]
    rows = compat.explain(*close).to_dict()
    old = rows["linear, scores closer than 1e-8 tied"]
    assert (
        old["value"]
        == near(compat.sklearn_average_precision_score(*close, version="0.17"))
        != near(rows["linear"]["value"])
    )
    assert "0.16 to 0.17" in old["reported_by"]
    assert "0.16 to 0.17" not in rows["linear"]["reported_by"]
    assert "closer than 1e-8" in old["why"]
    limit = [1, 0, 0], [1e-8, 0, -1]
    old = compat.explain(*limit).to_dict()["linear, scores closer than 1e-8 tied"]
    assert old["value"] == compat.sklearn_average_precision_score(*limit, version="0.17") == 0.75


def test_scores_that_float32_ties():
    data = [0, 1, 1, 0], 0.5 + np.array([4, 3, 2, 1]) * 1e-9
    rows = compat.explain(*data, k=2).to_dict()
    assert "trec_eval" not in rows["step"]["reported_by"]
    single = rows["step, ties by id, scores as float32"]
    assert single["reported_by"] == "trec_eval map (9)"
    assert (single["low"], single["high"]) == (near(5 / 12), near(1))
    assert "single precision" in single["why"]
    assert "LightGBM map@k" in rows["AP@2 / min"]["reported_by"]
    assert "XGBoost map@k" not in rows["AP@2 / min"]["reported_by"]


def test_causes_that_act():
    explanation = compat.explain(*TIED)
    low, high = (float(oracle.at_k(*TIED, k=9, ties=ties)) for ties in ("worst", "best"))
    assert "6 samples are tied at 3 values of y_score" in str(explanation)
    assert f"{low:.4f} to {high:.4f}" in str(explanation)
    assert "rises again after 2 of its points" in why(WIGGLY, "envelope")
    assert why(GEESE, "11-point") == "the recalls 0, 1/10, ..., 1 count equally"
    assert "as floats 6/10 is missed" in why(GEESE, "11-point, float grid")
    assert "only for drawing" in why(WIGGLY, "11-point, with (0, 1)")
    constant = [1] * 10 + [0] * 90, [0] * 100
    assert "gain area compared with steps, most of it between recall 0.00 and 1.00" in why(
        constant, "linear"
    )
    assert "+0.4500" in why(constant, "linear")
    assert why(GEESE, "AP@3 / hits", k=3) == (
        "3 of 5 positives are below the top k; "
        "the sum is divided only by the positives in the top k"
    )
    assert "divided by 3, not by all positives" in why(GEESE, "AP@3 / min", k=3)
    assert why(GEESE, "AP@3 / relevant", k=3) == "3 of 5 positives are below the top k"
    assert "3 of 4 positives are below the top k" in why(
        ([1, 1, 1, 0, 1], [5, 5, 5, 4, 3]), "AP@1 / relevant", k=1
    )
    assert "k cuts through tied samples" in why(TIED, "AP@1 / min", k=1)
    assert "fewer positives" in why(([1, 0], [2, 1]), "AP@5 / k", k=5)


@pytest.mark.parametrize("groups", [None, np.arange(300) % 3])
@pytest.mark.parametrize("weight", [1e305, 5e-324])
def test_weights_of_any_size_are_explained_alike(weight, groups):
    data = np.tile([0, 0, 0, 1, 1, 1], 50), np.arange(300)  # recall hits every tenth
    given, plain = (
        [
            row
            for row in compat.explain(*data, groups=groups, sample_weight=np.full(300, mass)).rows
            if "float grid" not in row.definition  # whose levels are hit or missed by rounding
        ]
        for mass in (weight, 1.0)
    )
    assert [(row.definition, row.why) for row in given] == [
        (row.definition, row.why) for row in plain
    ]
    np.testing.assert_allclose([row.value for row in given], [row.value for row in plain], 1e-9)
    assert any("straight lines" in row.why for row in given)


EMPTY = [1, 0, 0, 1, 0, 0], [1, 2, 1, 2, 3, 1]  # the third group has no positives
PAIRS = [0, 0, 1, 1, 2, 2]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(
    ("counts", "suffix", "tool", "denominator"),
    [
        (0.0, "", "ranx", "relevant"),
        (1.0, ", no positives: 1", "LightGBM", "min"),
        (float("nan"), ", no positives: left out", "implicit", "min"),
    ],
)
def test_groups_without_positives_count_as_the_tools_count_them(counts, suffix, tool, denominator):
    value = ap.mean_average_precision_score(
        *EMPTY, groups=PAIRS, k=2, denominator=denominator, zero_division=counts
    )
    name = f"AP@2 / {denominator}{suffix}"
    row = compat.explain(*EMPTY, groups=PAIRS, k=2).to_dict()[name]
    assert row["value"] == near(value)
    found = compat.identify(value, *EMPTY, groups=PAIRS, k=2, decimals=9)
    match = next(match for match in found.matches if match.name == name)
    for by in (row["reported_by"], match.reported_by):
        assert tool in by
        assert not [other for other in {"ranx", "LightGBM", "implicit"} - {tool} if other in by]


def test_causes_in_groups():
    data = [1, 1, 0, 1, 1, 0, 0, 0], [2, 0, 2, 1, 1, 1, 0, 2]
    groups = [1, 2, 2, 0, 2, 0, 1, 2]
    row = compat.explain(*data, groups=groups).to_dict()["linear"]
    assert row["difference"] > 0
    assert "gain area" in row["why"]
    with pytest.warns(UndefinedMetricWarning):
        explanation = compat.explain([1, 0, 0], [0, 0, 0], groups=[2, 2, 1])
    half = explanation.to_dict()["linear, no positives: 0.5"]
    assert half["why"].startswith("1 of 2 groups has no positives, and counts 0.5; ")
    row = explanation.to_dict()["step, ties in any order"]
    assert (row["low"], row["high"]) == (0.25, 0.5)


def test_causes_are_those_of_the_order_that_a_tool_takes():
    data = [1, 0, 1, 1], [3, 2, 2, 1]
    assert "1.5 of 3 positives are below the top k" in why(data, "AP@2 / min", k=2)
    assert "2 of 3 positives are below the top k" in why(data, "AP@2 / min, ties by row", k=2)
    rising = [0, 1, 1, 1], [3, 2, 2, 1]
    assert "after 1 of its points, by up to 0.0833" in why(rising, "envelope")
    assert "after 2 of its points, by up to 0.2500" in why(rising, "envelope, ties by row")


def test_a_level_that_costs_nothing_is_not_named():
    labels = [int(label) for label in "01001011100010001110100"]
    rows = compat.explain(labels, range(len(labels), 0, -1)).to_dict()
    assert rows["11-point, float grid"]["value"] == near(rows["11-point"]["value"])
    assert "missed" not in rows["11-point, float grid"]["why"]


# Printed output


@pytest.fixture
def wide():
    """Data with ties, for which the lists of tools are long."""
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, 500), np.round(rng.normal(size=500), 1)


def test_it_prints_within_75_columns(wide):
    texts = compat.explain(*wide, k=12), compat.identify("0.5", *wide)
    for text in (*texts, compat.identify("0.123456", *GEESE)):
        assert max(map(len, str(text).splitlines())) <= 75
        assert repr(text) == str(text)


def test_in_print_a_line_starts_with_each_value(wide):
    """So that a narrow screen shows the values with their names."""
    for text, rows in (
        (explained := compat.explain(*wide, k=12), explained._cells()),
        (identified := compat.identify("0.5", *wide), identified._blocks()[1][0][1]),
    ):
        starts = re.findall(r"^(\d\S*(?: to \S+)?) +\w", str(text).partition("\n\n")[2], re.M)
        assert starts[: len(rows)] == [value for _, value, *_ in rows]


def test_both_show_as_html(wide):
    blocks = compat.identify("0.5", *wide)._blocks()[1]
    for text, cells, n_headings, n_numbers in (
        (compat.explain(*wide, k=12), compat.explain(*wide, k=12)._cells(), 0, 1),
        (compat.identify("0.5", *wide), [row for _, rows in blocks for row in rows], 1, 2),
    ):
        html = text._repr_html_()
        assert html.count("<tr>") == len(cells) + 1 + n_headings
        assert html.count('<th colspan="4"') == n_headings
        assert len(re.findall("<td", html)) == 4 * len(cells)
        numbers = html.count('class="number" style="text-align: right"')
        assert numbers == n_numbers * (len(cells) + 1)
        assert "@media (max-width" in html
    assert "&lt; 0.1%" in compat.identify("0.783333", *GEESE)._repr_html_()


def test_zero_has_no_sign():
    """Not even for scikit-learn 1.1 to 1.5, which returned -0.0 without positives."""
    with pytest.warns(UndefinedMetricWarning):
        texts = [compat.explain([0, 0], [2, 1]), compat.identify("-0.00", [0, 0], [2, 1])]
    assert "On your data, these definitions give 0.00, to 2 decimals:" in str(texts[1])
    y, scores = np.repeat([1, 0, 1, 0], [200, 1, 1, 300]), -np.arange(502)
    texts.append(compat.explain(y, scores))
    assert "between recall 1.00 and 1.00: 0.0000" in " ".join(str(texts[2]).split())
    assert not re.search(r"[-+]0\.0+\b(?![.0-9])", "".join(map(str, texts)))


def test_the_value_stands_beside_the_name():
    """In both tables the value is one of the first two cells, which stay together."""
    assert [*compat.explain(*GEESE)._cells()[0][:2]] == ["step; envelope", "0.783333"]
    assert compat.identify("0.78", *GEESE)._blocks()[0][:2] == ("definition", "value")


def test_names_of_functions_break_behind_their_dots():
    lines = str(compat.explain(*GEESE)).splitlines()
    assert any(line.rstrip().endswith(".") for line in lines)


def test_one_positive_is_one():
    assert compat.explain([1, 0], [1, 0]).title == "Average precision: 2 samples, 1 positive"


def test_to_frame():
    pytest.importorskip("pandas")
    frame = compat.explain(*GEESE, k=3).to_frame()
    assert frame.loc["linear", "value"] == near(oracle.linear(*GEESE))
    columns = ["value", "low", "high", "difference", "reported_by", "why"]
    assert list(frame.columns) == columns


@pytest.mark.parametrize("data", [GEESE, TIED])
def test_whoever_is_named_is_named_with_the_function(data):
    for row in compat.explain(*data, k=2).rows:
        for call in filter(None, row.reported_by.split("; ")):
            assert any(
                call.startswith(f"{peer.tool} {peer.function} (") and peer.version in call
                for peer in compat.PEERS
            )


def test_scores_that_are_predictions_are_told_so():
    labels, predicted = [1, 0, 1, 0], [1, 0, 0, 0]
    for text in (compat.explain(labels, predicted), compat.identify("0.75", labels, predicted)):
        assert "two distinct values, like the output of predict()" in str(text).replace("\n", " ")
        assert "predict()" in text._repr_html_()
    assert "predict()" not in str(compat.explain(*GEESE))
    assert "All scores are equal" in str(compat.explain(labels, [0, 0, 0, 0]))


# Identification


@pytest.mark.parametrize("data", [GEESE, WIGGLY, TIED], ids=["geese", "wiggly", "tied"])
@pytest.mark.parametrize(
    "cut", [None, Cut(2), *(pytest.param(Cut(k), marks=pytest.mark.slow) for k in (1, 3))], ids=str
)
def test_each_number_is_traced_back_to_its_definition(cut, data):
    variants = Variants(Sample.of(Inputs(*data)))
    for variant in variants.all(cut):
        value = variant.value(variants.sample)
        if value.at == value.at:
            k = None if cut is None else cut.k
            found = compat.identify(value.at, *data, k=k, decimals=12)
            assert variant.name in found.names
            for match in found.matches:
                assert match.low - 1e-11 <= value.at <= match.high + 1e-11


def untied_ranking(rng):
    """Enough positives, and few enough of them near the top, to tell the definitions apart."""
    n = 60
    labels = rng.random(n) < 0.35
    labels[[0, 3]] = True
    return labels.astype(int).tolist(), list(range(n, 0, -1))


# Only those in `expectations`. The values of the others are tested against the tools.
EXPECTED = expectations(*GEESE, 30)
LISTED = [
    peer
    for peer in compat.PEERS
    if peer.definition.replace("@k", "@30") in EXPECTED and ORDERS[peer.ties]
]


@pytest.mark.parametrize("peer", LISTED, ids=lambda p: f"{p.tool} {p.function}")
def test_the_number_of_each_peer_is_traced_back_to_it(peer):
    k, rng = 30, np.random.default_rng(len(peer.function))
    labels, scores = untied_ranking(rng)
    name = re.sub(r"(?<=[@])k\b", str(k), peer.definition)
    reported = float(expectations(labels, scores, k)[name])
    found = compat.identify(reported, labels, scores, k=k, decimals=10)
    match = next(match for match in found.matches if match.name == name)
    is_known = peer.is_known_on(Sample.of(Inputs(labels, scores)))
    assert (f"{peer.tool} {peer.function}" in match.reported_by) >= is_known


def test_spark_joins_scores_from_2000_on():
    reader = next(p for p in compat.PEERS if p.function.startswith("BinaryClassificationEvaluator"))
    known = [
        reader.is_known_on(Sample.of(Inputs([1] + [0] * (n - 1), range(n)))) for n in (1999, 2000)
    ]
    assert known == [True, False]


def test_only_what_coincides_matches():
    found = compat.identify(float(oracle.envelope(*WIGGLY)), *WIGGLY, k=2, decimals=9)
    expected = {
        name for name, value in expectations(*WIGGLY, 2).items() if float(value) == near(0.6)
    }
    assert "envelope" in expected
    tried = set(expectations(*WIGGLY, 2))
    assert set(found.names) & tried == expected
    assert any(expected <= set(same) for same in found.indistinguishable)


@pytest.mark.parametrize(
    ("value", "options", "decimals", "found"),
    [
        ("0.78", {}, 2, True),
        (0.78, {}, 2, True),
        ("0.7833", {}, 4, True),
        ("78.3%", {}, 3, True),
        ("0.782", {}, 3, False),
        ("0.782", {"decimals": 2}, 2, True),
        ("0.780", {}, 3, False),
        ("0.7833333333333333", {}, 12, True),
        (1, {"k": 3}, 1, False),
    ],
)
def test_precision_of_the_report(value, options, decimals, found):
    """The article on geese and planes says 0.782, because it adds up truncated precisions."""
    result = compat.identify(value, *GEESE, **options)
    assert result.decimals == decimals
    assert ("step" in result.names) == found
    if not result.matches:
        step = next(match for match in result.closest if match.name == "step")
        assert step.distance == pytest.approx(abs(result.reported - 0.783333), abs=1e-6)
        assert "On your data, no definition gives" in str(result)
        assert "The closest ones are" in str(result).replace("\n", " ")


@pytest.mark.parametrize("value", ["0.12", "0.13"])
def test_what_lies_half_way_may_have_been_rounded_up_or_down(value):
    """1/8 can be rounded both ways, although as a float it is off by more than half of 0.01."""
    found = compat.identify(value, [0] * 7 + [1], range(8, 0, -1))
    assert abs(1 / 8 - float(value)) > 0.5 * 10.0**-2
    assert "step" in found.names
    beyond = compat.identify(value, [0] * 7 + [1], range(8, 0, -1), decimals=3)
    assert "step" not in beyond.names


def test_a_number_that_floats_made_too_large():
    found = compat.identify(1.0000000000000004, [1, 1, 0], [3, 2, 1])
    assert found.reported == 1
    assert found.names[0] == "step"


def test_a_small_k_is_found_and_said_to_be_guessed():
    found = compat.identify(0.4, *GEESE)
    match = next(match for match in found.matches if match.name == "AP@3 / relevant")
    assert match.guessed_k == 3
    assert all(match.distance <= 0.05 for match in found.matches)
    assert "with k among 1 to 10" in str(found)
    given = compat.identify(0.4, *GEESE, k=3)
    assert next(m for m in given.matches if m.name == match.name).guessed_k is None
    assert given.guessed_ks == ()
    assert "k among" not in str(given)


def test_k_beyond_the_data_is_tried_only_where_it_matters():
    names = [match.name for match in compat.identify(0.5, *WIGGLY, decimals=0).matches]
    beyond = {name.partition(",")[0] for name in names if "@10 " in f"{name} "}
    assert beyond == {"AP@10 / k", "precision@10", "mean of P@1 to P@10"}
    assert "AP@5 / relevant" in names


def test_ties_among_positives_alone_matter_below_a_negative():
    """Three tools that break ties return 0.388889 here, which is not the grouped value."""
    data = [0, 1, 1, 0, 1, 0, 1], [5, 4, 4, 3, 2, 1, 0]
    assert "AP@3 / min, ties by row" in compat.identify(0.388889, *data).names
    assert "2 samples are tied" in str(compat.explain(*data))


@pytest.mark.parametrize(
    "value", [np.float32(oracle.step(*WIGGLY)), float(np.float32(oracle.step(*WIGGLY)))]
)
def test_a_number_in_single_precision(value):
    found = compat.identify(value, *WIGGLY)
    assert "step" in found.names
    assert found.decimals == 6


@pytest.fixture
def probabilities():
    rng = np.random.default_rng(4)
    labels = (rng.random(300) < 0.2).astype(int)
    return labels, np.clip(rng.random(300) * 0.7 + labels * 0.2, 0, 1)


@pytest.mark.parametrize(
    ("slip", "data"),
    [
        ("scores negated", lambda y, s: (y, -s)),
        ("with the other class as positive", lambda y, s: (1 - y, s)),
        ("with the other class as positive and scores negated", lambda y, s: (1 - y, -s)),
        ("predict() instead of scores", lambda y, s: (y, s > 0.5)),
    ],
)
@pytest.mark.parametrize("dtype", [float, np.uint8])
def test_what_is_usually_wrong_is_found(probabilities, slip, data, dtype):
    labels, scores = probabilities
    if dtype is np.uint8:
        if "predict" in slip:
            pytest.skip("whole numbers have another threshold")
        scores = (scores * 200).astype(np.uint8)
    wrong = data(labels, scores.astype(float))
    value = average_precision_score(*wrong)
    found = compat.identify(value, labels, scores)
    assert f"step, {slip}" in found.names
    assert slip.split()[0] in str(found)
    if dtype is float:
        at_k = ap.average_precision_at_k_score(*wrong, k=20)
        assert any(slip in name for name in compat.identify(at_k, labels, scores, k=20).names)


def test_decision_values_are_predicted_by_their_sign(probabilities):
    labels, scores = probabilities
    value = average_precision_score(labels, scores - 0.3 > 0)
    assert "step, predict() instead of scores" in compat.identify(value, labels, scores - 0.3).names


def test_numbers_that_are_no_average_precision_are_told_apart(probabilities):
    labels, scores = probabilities
    options = {"decimals": 9}
    auc = compat.identify(roc_auc_score(labels, scores), labels, scores, **options)
    assert "area under the ROC curve" in auc.names
    assert "scikit-learn roc_auc_score" in auc.matches[0].reported_by
    turned = compat.identify(roc_auc_score(labels, -scores), labels, scores, **options)
    assert "area under the ROC curve, scores negated" in turned.names
    precision = ap.precision_at_k_score(labels, scores, k=20)
    assert "precision@20" in compat.identify(precision, labels, scores, k=20, **options).names
    recall = ap.recall_at_k_score(labels, scores, k=20)
    assert "recall@20" in compat.identify(recall, labels, scores, **options).names
    assert not [name for name in compat.explain(labels, scores, k=20).to_dict() if "ROC" in name]


# Coincidence


def matches_by_chance(data, places, **options):
    """Return the share of all values with these decimals that match, by trying them all."""
    numbers = [f"{i / 10**places:.{places}f}" for i in range(10**places + 1)]
    found = [compat.identify(number, *data, **options) for number in numbers]
    exact = [any(not match.is_within_reach for match in each.matches) for each in found]
    return np.mean(exact), np.mean([bool(each.matches) for each in found]), found


@pytest.mark.parametrize("data", [GEESE, TIED], ids=["geese", "tied"])
def test_the_chance_is_that_of_all_numbers_with_these_decimals(data):
    exact, either, found = matches_by_chance(data, 2, k=3)
    for each in found:
        assert each.chance == near(exact)
        assert max(each.chance, each.chance_within_reach) == near(either)
    for rarity in {match.rarity for each in found for match in each.matches}:
        holds = [
            any(m.rarity <= rarity and not m.is_within_reach for m in each.matches)
            for each in found
        ]
        for each in found:
            for match in each.matches:
                if match.rarity == rarity and not match.is_within_reach:
                    assert match.chance == near(np.mean(holds))


def test_common_numbers_come_first_and_chance_is_told():
    rng = np.random.default_rng(0)
    labels = (rng.random(500) < 0.3).astype(int)
    scores = rng.random(500) + labels * 0.3
    step = ap.average_precision_score(labels, scores)
    found = compat.identify(f"{step:.2f}", labels, scores)
    assert found.names[0] == "step"
    assert len(found.names) > 3
    for match, after in pairwise(found.matches):
        assert match.chance <= after.chance
    assert found.matches[0].chance <= 2 / 101
    assert found.chance > 0.2
    assert f"{found.n_tried} values tried" in str(found)
    assert "pass more decimals, or k, to narrow it down" in str(found).replace("\n", " ")
    exact = compat.identify(step, labels, scores, k=10)
    assert exact.chance < 1e-6
    assert "narrow it down" not in str(exact)
    assert "< 0.1%" in str(exact)


def said(result):
    return " ".join(str(result).split())


def test_advice_follows_where_nothing_matches():
    rng = np.random.default_rng(0)
    labels, scores = np.arange(400) < 100, rng.random(400)
    nothing = said(compat.identify("0.9999", labels, scores, k=10))
    assert "another model, split or sample" in nothing
    assert "with 100 positives" in nothing
    assert "pass the fold of each row as groups" in nothing
    step = compat.identify(ap.average_precision_score(labels, scores), labels, scores, k=10)
    assert "another model" not in said(step)
    folds = np.arange(400) % 5
    grouped = said(compat.identify("0.9999", labels, scores, k=10, groups=folds))
    assert "another model" in grouped
    assert "fold" not in grouped


@pytest.mark.parametrize(
    ("n_positives", "reach"), [(10, 0.28), (40, 0.15), (100, 0.1), (400, 0.05)]
)
def test_how_far_an_interval_reaches_is_as_in_the_guide(n_positives, reach):
    labels, scores = np.arange(1000) < n_positives, np.random.default_rng(0).random(1000)
    nothing = said(compat.identify("0.9999", labels, scores, k=10))
    assert f"with {n_positives} positives" in nothing
    assert f"extends about {reach:.2f} to either side" in nothing


def test_advice_follows_where_anything_matches():
    """All scores are tied, so with one decimal some order gives nearly any value."""
    found = compat.identify("0.4", np.arange(200) < 40, np.zeros(200))
    assert found.matches
    assert found.matches[0].chance > 0.2
    assert "another model, split or sample" in said(found)


def test_terms_are_explained_where_they_are_printed():
    text = said(compat.explain(*GEESE))
    assert '"float grid": recall levels are floats' in text
    assert '"with (0, 1)": ' in text
    assert '"ties' not in text
    tied = said(compat.explain([0, 1, 1, 0], [0.9, 0.5, 0.3, 0.3]))
    assert '"ties in any order": tied samples are ranked one by one' in tied
    assert '"ties by row": ' in tied
    assert '"ties by row, last first"' not in tied
    assert "&quot;float grid&quot;: " in compat.explain(*GEESE)._repr_html_()


def test_more_numbers_are_tried_where_k_is_guessed():
    given, guessed = (compat.identify("0.5", *GEESE, k=k) for k in (3, None))
    assert given.n_tried < guessed.n_tried
    assert given.chance < guessed.chance


# What is refused


@pytest.mark.parametrize("value", ["abc", "", None, [0.5], 1.2, -0.1, "120%", float("nan"), "inf"])
def test_what_is_no_report(value):
    with pytest.raises((ValueError, TypeError), match="value"):
        compat.identify(value, *GEESE)


@pytest.mark.parametrize("value", ["67.2", 67.2])
def test_a_percentage_needs_its_sign(value):
    with pytest.raises(ValueError, match=r"a percentage with its sign, from '0%' to '100%'. Got"):
        compat.identify(value, *GEESE)


@pytest.mark.parametrize(
    "function", [compat.explain, lambda *a, **k: compat.identify(0.5, *a, **k)]
)
@pytest.mark.parametrize(
    ("args", "options", "words"),
    [
        (([], []), {}, r"0 sample\(s\)"),
        (([0, 1], [0.1, float("nan")]), {}, "contains NaN"),
        ((["a", "b"], [1, 2]), {}, "not a valid label"),
        (([0, 1], [1, 2, 3]), {}, "inconsistent numbers"),
        (([0, 1], [1, 2]), {"k": 0}, "'k' parameter"),
        (([0, 1], [1, 2]), {"k": 1.5}, "'k' parameter"),
        (([0, 1], [1, 2]), {"k": 1, "k_counts": "rows"}, "'k_counts' parameter"),
        (([0, 1], [1, 2]), {"n_positives": 0}, "y_true already contains 1"),
        (([0, 1], [1, 2]), {"n_positives": {"a": 1}}, "there are no groups"),
        (([0, 1], [1, 2]), {"sample_weight": [1, -1]}, "Negative values"),
        (([0, 1], [1, 2]), {"groups": [1]}, "inconsistent numbers"),
        (([[0, 1], [1, 0]], [[1, 2], [3, 4]]), {}, "y_true must be binary. Pass one column"),
    ],
)
def test_refused_as_the_scores_refuse(function, args, options, words):
    with pytest.raises(ValueError, match=words):
        function(*args, **options)


def test_string_labels():
    labels = np.array(["ham", "spam"])[GEESE[0]]
    rows = compat.explain(labels, GEESE[1], pos_label="spam", k=2).to_dict()
    assert rows["linear"]["value"] == near(oracle.linear(*GEESE))


@pytest.mark.parametrize(
    "scores",
    [
        np.arange(10).astype("datetime64[D]"),
        np.array([2**60 + i for i in range(10)], dtype=object),
        np.arange(10) / np.longdouble(7),
        np.arange(10) * 1e300,
        np.arange(10, dtype=np.uint8),
        np.arange(10) % 2 == 0,
    ],
    ids=lambda scores: str(scores.dtype),
)
def test_scores_of_any_kind(scores):
    labels = GEESE[0]
    rows = compat.explain(labels, scores, k=2).to_dict()
    expected = ap.average_precision_score(labels, scores)
    assert rows["step"]["value"] == near(expected)
    assert "step" in compat.identify(expected, labels, scores).names


@pytest.mark.parametrize("labels", [[0, 0], [1, 1], [1], [0]])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_one_class_alone(labels):
    scores = list(range(len(labels)))
    rows = compat.explain(labels, scores, k=1).to_dict()
    assert rows["step"]["value"] == float(labels[0])
    found = compat.identify(labels[0], labels, scores, decimals=6)
    assert "step" in found.names
    for match in found.matches:
        if "ROC" in match.name:
            assert match.reported_by == "LightGBM auc (4.7.0)"


def test_no_positives():
    with pytest.warns(UndefinedMetricWarning, match="^No positive class found in y_true") as caught:
        rows = compat.explain([0, 0], [1, 2], k=1).to_dict()
    assert "zero_division" not in str(caught[0].message)  # which explain has not
    assert rows["step"]["value"] == 0
    assert "LightGBM average_precision" in rows["step, no positives: 1"]["reported_by"]
    assert "0.19" not in rows["step"]["reported_by"]  # nan there
    assert "auc(recall, precision)" in rows["linear, no positives: 0.5"]["reported_by"]


def test_nothing_was_retrieved():
    rows = compat.explain([], [], n_positives=3, k=2).to_dict()
    assert rows["step"]["value"] == 0
    assert "step" in compat.identify(0, [], [], n_positives=3).names


def test_what_is_passed_stays_as_it_is():
    labels, scores, weight = np.array(TIED[0]), np.array(TIED[1], dtype=float), np.arange(6) / 2
    before = [each.copy() for each in (labels, scores, weight)]
    for each in (labels, scores, weight):
        each.flags.writeable = False
    compat.explain(labels, scores, k=2, sample_weight=weight)
    compat.identify("0.5", labels, scores)
    for each, copy in zip((labels, scores, weight), before, strict=True):
        np.testing.assert_array_equal(each, copy)


def test_orders_are_names_of_their_own():
    names = [Variant(Step(), order=order).name for order in Order]
    assert len(set(names)) == len(names)


def test_a_certain_match_has_a_probability_of_100_percent():
    found = compat.identify("0.5", [1, 0] * 3, [0.5] * 6)
    assert found.chance_within_reach == 1
    assert "or 100% if tied samples may be in any order" in str(found).replace("\n", " ")


def test_a_cut_off_right_below_tied_samples_does_not_cut_through_them():
    assert "k cuts through" not in why(TIED, "AP@2 / min", k=2)


def test_predictions_of_a_probability_of_1():
    """The largest score can be 1 itself."""
    labels, scores = np.array([0, 1, 0, 1, 1]), np.array([0.8, 0.7, 0.4, 0.3, 1.0])
    value = average_precision_score(labels, scores > 0.5)
    assert "step, predict() instead of scores" in compat.identify(value, labels, scores).names


@pytest.mark.parametrize(("best", "is_known"), [(1.0, True), (1.5, False)])
def test_torchmetrics_takes_scores_up_to_1_as_they_are(best, is_known):
    step = compat.explain([1, 0, 1], [best, 0.5, 0.25]).rows[0]
    assert step.definition == "step"
    assert ("BinaryAveragePrecision" in step.reported_by) == is_known


def test_what_tools_do_comes_before_what_people_do():
    rarity = {slip: Variant(Step(), View(slip)).rarity for slip in Slip}
    assert rarity[Slip.NONE] < rarity[Slip.UNWEIGHTED] < rarity[Slip.TURNED]
    assert Variant(Step()).rarity < Variant(Step(), average="weighted").rarity
    assert Variant(Step()).rarity < Variant(Step(), empty=1.0).rarity
    assert rarity[Slip.POOLED] == rarity[Slip.RETRIEVED] == rarity[Slip.FOUND_ONLY]


def test_a_usual_k_comes_before_others():
    labels, scores = [1, 0, 1] + [0] * 47, range(50, 0, -1)
    value = ap.average_precision_at_k_score(labels, scores, k=20)
    found = compat.identify(value, labels, scores, decimals=10).matches
    guesses = [match.guessed_k for match in found if match.name.endswith("min")]
    assert set(guesses[:5]) == {3, 5, 10, 20, 50}
    assert {4, 15, 30} <= set(guesses[5:])


def test_no_k_is_guessed_beyond_the_one_that_takes_all_samples():
    found = compat.identify("0.5333", [0, 1, 0, 1, 1], [5, 4, 3, 2, 1]).matches
    assert max(match.guessed_k or 0 for match in found) == 5


def test_two_different_scores_of_two_samples_are_no_predictions():
    assert not any("predict()" in note for note in compat.explain([0, 1], [0.1, 0.9]).notes)
    notes = compat.explain([0, 1, 1], [0.1, 0.9, 0.9]).notes
    assert any("predict()" in note for note in notes)


def test_a_group_without_rows_or_positives_is_not_known_to_most_tools():
    with pytest.warns(UndefinedMetricWarning):
        found = compat.explain([1, 0], [2, 1], groups=["a", "a"], n_positives={"a": 1, "b": 0})
    rows = found.to_dict()
    assert rows["step"]["value"] == 1 / 2
    assert "scikit-learn" not in rows["step"]["reported_by"]
    assert rows["step, groups without rows left out"]["value"] == 1
    assert "scikit-learn" in rows["step, groups without rows left out"]["reported_by"]


def test_the_weight_of_all_positives_may_be_a_fraction():
    found = compat.explain([1, 0, 1], [3, 2, 1], sample_weight=[0.1] * 3, n_positives=0.4)
    assert found.to_dict()["step"]["value"] == near((1 + 2 / 3) / 4)


def test_a_positive_that_scores_0_is_not_known_to_tools_that_ignore_it():
    for last, is_known in ((0.1, True), (0.0, False)):
        rows = compat.explain([1, 0, 1], [0.5, 0.2, last]).rows
        assert any("RetrievalMAP" in row.reported_by for row in rows) == is_known


def test_a_float_of_eight_decimals_is_taken_as_written():
    """Floats with 32 bits have more, except for a few such as 1/256."""
    assert check_reported(1 / 256, None)[1] == 8
    assert check_reported(float(np.float32(0.1)), None)[1] == 6


def test_as_many_positives_as_k_are_not_fewer():
    for k, fewer in ((2, False), (3, True)):
        row = compat.explain([1, 0, 1, 0], [4, 3, 2, 1], k=k).to_dict()[f"AP@{k} / k"]
        assert ("though there are fewer positives" in row["why"]) == fewer


def test_groups_without_positives_may_count_1_by_any_definition():
    with pytest.warns(UndefinedMetricWarning):
        found = compat.identify(1.0, [1, 0, 0, 0], [4, 3, 2, 1], groups=[0, 0, 1, 1])
    assert {"step, no positives: 1", "envelope, no positives: 1"} <= set(found.names)


def test_recall_at_a_number_of_rows_is_recognized():
    given = {"k": 3, "k_counts": "samples", "sample_weight": [1, 2, 3, 4, 5]}
    value = ap.recall_at_k_score([1, 0, 1, 1, 0], [5, 4, 3, 2, 1], **given)
    found = compat.identify(value, [1, 0, 1, 1, 0], [5, 4, 3, 2, 1], decimals=10, **given)
    assert "recall@3 rows" in found.names


def test_identify_evaluates_each_rule_once():
    """What tools have in common isn't worked out again for each tool and cut-off."""
    folder = str(Path(ap.__file__).parent)
    rng = np.random.default_rng(0)
    data = rng.random(100) < 0.3, rng.random(100)
    calls = 0

    def count(frame, event, _):
        nonlocal calls
        calls += event == "call" and frame.f_code.co_filename.startswith(folder)

    compat.identify("0.4056", *data)
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        compat.identify("0.4056", *data)
    finally:
        sys.setprofile(before)
    assert 1000 < calls < 6000
