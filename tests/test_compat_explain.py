"""explain and identify: values against the oracle, ranges against all orders, and causes."""

import operator
import re
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import accumulate, chain, pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import (
    average_precision_score,
    f1_score,
    precision_recall_curve,
    precision_score,
    roc_auc_score,
)

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap._inputs.metric_names import write_rule
from sklearn_ap._inputs.records import Inputs
from sklearn_ap._words.messages import format_small_fraction
from sklearn_ap.compat import level_rules, miscounted_rules, variant_rules
from sklearn_ap.compat.candidates import _list_guesses, list_candidates
from sklearn_ap.compat.data_sets import DataSet
from sklearn_ap.compat.level_rules import WrongHeight
from sklearn_ap.compat.mistakes import (
    FOUND_ONLY,
    MISTAKES_WITH_ROWS,
    NEGATED,
    NO_MISTAKE,
    POOLED,
    RETRIEVED,
    UNWEIGHTED,
)
from sklearn_ap.compat.peers import find_order, merge_versions, name_tools
from sklearn_ap.compat.tie_orders import Order, compute_extremes
from sklearn_ap.compat.variant_rules import RocArea, StepOfFirst
from sklearn_ap.compat.variants import Variant, list_tie_orders
from sklearn_ap.core import rules as core
from sklearn_ap.core.cutoff import Cut
from sklearn_ap.core.operating_points import from_groups, from_scores
from sklearn_ap.core.rules import RULES, AreaRule, AveragePrecisionAtK, NPoint, PrecisionAtK, Step
from sklearn_ap.core.ties import break_ties

from . import oracle
from .oracle import near
from .registry import DEFINITIONS, required
from .strategies import INTEGERS, any_weight_of_k, picks, rankings

GEESE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], list(range(10, 0, -1))
WIGGLY = [0, 1, 0, 1, 1], [5, 4, 3, 2, 1]
TIED = [1, 0, 1, 0, 0, 1], [3, 3, 2, 2, 1, 1]
PAIRS = [1, 0, 1, 0, 1, 1], [1, 2, 3, 1, 2, 3]  # of two groups
AB = {"groups": [*"bababa"]}
EMPTY = [1, 0, 0, 1, 0, 0], [1, 2, 1, 2, 3, 1]  # the third group has no positives
THREE = {"groups": [0, 0, 1, 1, 2, 2]}

without_positives = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")


def said(result):
    return " ".join(str(result).split())


def found_in(value, *data, **options):
    """The names of the definitions that give a value."""
    return compat.identify(value, *data, **options).names


def float_grid(labels, scores, n, artificial=False):
    """The loop that many people write, over the points of the curve."""
    curve, total = oracle.points(labels, scores), float(sum(map(bool, labels)))
    recall = np.array([float(T) / total for _, _, T, _ in curve] + [0.0] * artificial)
    precision = np.array([float(T / N) for _, _, T, N in curve] + [1.0] * artificial)
    return np.mean([precision[recall >= t].max(initial=0) for t in np.linspace(0, 1, n)])


def after_first(labels, scores):
    """The trapezoids between the points of the curve, none of which ends at the first."""
    curve, found = oracle.points(labels, scores), sum(map(bool, labels))
    pairs = pairwise((T / found, T / N) for _, _, T, N in curve)
    return sum((right - left) * (low + high) / 2 for (left, low), (right, high) in pairs)


def grouped(labels, scores, k):
    """The values that `compat.explain` always shows with tied samples as one point."""
    found = [oracle.precision_at_k(labels, scores, k=i) for i in range(1, k + 1)]
    first = max(T / N for _, _, T, N in oracle.points(labels, scores))
    eleven = oracle.n_point(labels, scores, n_points=11)
    return {
        "step": oracle.step(labels, scores),
        "envelope": oracle.envelope(labels, scores),
        "11-point": eleven,
        "101-point": oracle.n_point(labels, scores, n_points=101),
        "linear": oracle.linear(labels, scores),
        "R40, recalls 1/40 to 1": oracle.r40(labels, scores),
        "AP@R": oracle.at_r(labels, scores),
        "11-point float": float_grid(labels, scores, 11),
        "101-point float": float_grid(labels, scores, 101),
        "11-point, with (0, 1)": float(eleven + (1 - first) / 11),
        "11-point float, with (0, 1)": float_grid(labels, scores, 11, artificial=True),
        f"mean of P@1 to P@{k}": sum(found) / k,
        **{
            f"AP@{k} / {each}": oracle.at_k(labels, scores, k=k, denominator=each)
            for each in oracle.DENOMINATORS
        },
    }


@given(rankings(positives=True), st.integers(1, 8))
def test_every_value_is_what_its_name_says(ranking, k):
    labels, scores = ranking.labels.tolist(), ranking.scores.tolist()
    explanation = compat.explain(labels, scores, k=k)
    rows = explanation.to_dict()
    step = oracle.step(labels, scores)
    for name, value in grouped(labels, scores, k).items():
        assert rows[name]["value"] == rows[name]["low"] == rows[name]["high"] == near(value), name
        assert rows[name]["difference"] == near(float(value) - float(step))
    is_tied = "step, ties expected" in rows
    assert {*rows} == {row.definition for row in explanation.rows}
    notes = [note for note in explanation.notes if note.startswith("Depending on the order of ")]
    tied = [n for r, n in oracle.tie_groups(labels, scores) if 0 < r < n]
    assert len(notes) == bool(tied)
    if tied:
        in_any_order = rows["step, ties in any order"]
        ends = dict.fromkeys(f"{in_any_order[end]:.4f}" for end in ("low", "high"))
        samples = f"{sum(tied)} samples tied at {len(tied)} score{'s' * (len(tied) > 1)}"
        text = f"Depending on the order of {samples}, step is {' to '.join(ends)}."
        assert notes == [text]
    if is_tied:
        assert rows["step, ties expected"]["value"] == near(oracle.expected(labels, scores))
    for name in ("step", "envelope", "linear"):
        rule = getattr(oracle, name)
        for order, sign in (("by row", 1), ("in any order", 1), ("by id", -1)):
            if row := rows.get(f"{name}, ties {order}"):
                rows_in_order = sorted(range(len(labels)), key=lambda i: (-scores[i], sign * i))
                ranked = [labels[i] for i in rows_in_order], range(len(labels), 0, -1)
                assert row["value"] == near(rule(*ranked))
                if order != "by row":
                    assert row["low"] == near(rule(*oracle.untied(labels, scores, "worst")))
                    assert row["high"] == near(rule(*oracle.untied(labels, scores, "best")))


def test_every_definition_has_a_row_or_is_tried():
    sample = DataSet.from_inputs(Inputs(*GEESE))
    tried = {
        write_rule(v.rule, "term")
        for cut in (None, Cut(3))
        for v in _list_guesses(sample, cut, False)
    }
    # People take an area for average precision. All other definitions are tried only on purpose.
    areas = {
        name: write_rule(
            row.rule(**required(row) | ({"k": 3} if row.number == "k" else {})), "term"
        )
        for name, row in DEFINITIONS.items()
        if isinstance(row.rule(**required(row)), AreaRule)
    }
    assert areas["at-k"] == "AP@3 / min"
    assert {name for name, term in areas.items() if term not in tried} == set()
    assert {"reciprocal rank", "precision@3", "recall@3"} < tried


def test_every_denominator_is_tried_in_every_order_of_ties():
    """Except for the mean over all orders of a mean over hits, which isn't known."""
    tied = list_tie_orders(DataSet.from_inputs(Inputs(*TIED)), Cut(3))
    tried = {variant.name for variant in tied if isinstance(variant.rule, AveragePrecisionAtK)}
    orders = "expected", "by row", "in any order", "best", "worst"
    names = {f"AP@3 / {each}, ties {order}" for each in oracle.DENOMINATORS for order in orders}
    assert tried == names - {"AP@3 / hits, ties expected"}


# Rows: a definition with its value, the tools that report it, and why it differs

WEIGHT = [1.0, 0.5, 2.0, 1.5, 1.0]
FAR_FROM_1 = [3.0, 1, 1, 2, 1, 1, 1, 1, 1, 1]
HALVES = [1, 0, 1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
SHARES = {"groups": [*"aaabbb"], "sample_weight": [1, 1, 1, 0.5, 0.5, 0.25], "k": 0.5}
DETECTED = ([1, 0, 1, 1], [4, 3, 2, 1]), {"n_positives": 5}
EXIST = {"a": 2, "b": 1, "never": 3}
UNRETRIEVED = ([1, 0, 1], [3, 2, 1]), {"groups": [*"aab"], "n_positives": EXIST}
NO_ROWS = ([1, 0], [2, 1]), {"groups": [*"aa"], "n_positives": {"a": 1, "b": 0}}
EQUAL_IN_SINGLE = [0, 1, 1, 0], 0.5 + np.array([4, 3, 2, 1]) * 1e-9
CLOSE = [1, 0, 0], [3e-9, 2e-9, 1e-9]
OLD = "linear, scores closer than 1e-8 tied"
CONSTANT = [1] * 10 + [0] * 90, [0] * 100
LEVELS = [*map(int, "01001011100010001110100")], range(23, 0, -1)
HITS = [1, 0, 1, 1], [3, 2, 2, 1]
RISING = [0, 1, 1, 1], [3, 2, 2, 1]
TIED_AT_K = [1, 1, 1, 0, 1], [5, 5, 5, 4, 3]
IN_GROUPS = [1, 1, 0, 1, 1, 0, 0, 0], [2, 0, 2, 1, 1, 1, 0, 2]
ALL_TIED = ([1, 0, 0], [0, 0, 0]), {"groups": [2, 2, 1]}
SKLEARN, DRAWN = "scikit-learn average_precision_score", "only for drawing"
EQUALLY = "the recalls 0, 1/10, ..., 1 count equally"
HALF = [1, 0, 0, 1], [0.9, 0.8, 0.9, 0.8]  # perfect in one group, but not in the other

# The data, the options, the definition, and what its row is: `value`, `low` and `high`, text in
# `reported_by` ("by", "not_by") and in `why` ("why", "not_why"; as a whole: "all_of_why").
ROWS = [
    # weights
    (WIGGLY, {"sample_weight": WEIGHT}, "step", {"by": "LightGBM average_precision", "not_by": "trec_eval"}),
    (WIGGLY, {"sample_weight": WEIGHT}, "step, weights left out", {"value": 8 / 15, "by": "trec_eval map", "why": "whatever its weight is"}),
    (WIGGLY, {"sample_weight": [0.0, 0.5, 2.0, 1.0, 1.0]}, "step", {"by": "(0.20 and later)"}),  # before, nan
    (([1, 0, 1], [3, 2, 1]), {"sample_weight": [0.1] * 3, "n_positives": 0.4}, "step", {"value": 5 / 12}),
    # groups
    (PAIRS, AB, "step", {"value": 1}),
    (PAIRS, AB, "step, all rows as one ranking", {"value": ap.average_precision_score(*PAIRS), "by": SKLEARN, "not_by": "trec_eval", "why": "between the groups"}),
    (PAIRS, {**AB, "k": 1}, "AP@1 / hits", {"value": 1}),
    (*ALL_TIED, "linear, no positives: 0.5", {"why": "1 of 2 groups has no positives, and counts 0.5; "}),
    (*ALL_TIED, "step, ties in any order", {"low": 0.25, "high": 0.5}),
    (IN_GROUPS, {"groups": [1, 2, 2, 0, 2, 0, 1, 2]}, "linear", {"why": "gain area"}),
    # positives that were not scored
    (*DETECTED, "step", {"value": (1 + 2 / 3 + 3 / 4) / 5}),
    (*DETECTED, "101-point float", {"by": "pycocotools"}),
    (*DETECTED, "step, missed positives not counted", {"value": (1 + 2 / 3 + 3 / 4) / 3, "by": SKLEARN, "why": "2 of 5 positives were not scored"}),
    (DETECTED[0], {"n_positives": 5, "k": 2}, "AP@2 / hits", {"value": 1, "by": SKLEARN}),  # whatever is missed
    (*UNRETRIEVED, "step", {"value": (0.5 + 1 + 0) / 3}),
    (*NO_ROWS, "step", {"value": 1 / 2, "not_by": "scikit-learn"}),
    (*NO_ROWS, "step, groups without rows left out", {"value": 1, "by": "scikit-learn"}),
    (([], []), {"n_positives": 3, "k": 2}, "step", {"value": 0}),
    # k
    (GEESE, {"k": 0.3}, "AP@30% / min", {"value": 2 / 3, "by": "LightGBM map@k"}),
    (GEESE, {"k": 0.3, "groups": [0] * 4 + [1] * 6}, "AP@30% / min", {"by": "LightGBM map@k"}),  # 2 and 2 rows
    (GEESE, {"k": 0.5, "groups": [0] * 4 + [1] * 6}, "AP@50% / min", {"reported_by": ""}),  # 2 and 3
    (HALVES, SHARES, "AP@50% / min", {"value": (1 / 2 + 0.5 / 0.625) / 2}),  # 3 / 2 is 2, 1.25 / 2 is 0.625
    (GEESE, {"k": 3, "sample_weight": FAR_FROM_1}, "AP@3 / hits", {"reported_by": ""}),
    (GEESE, {"k": 3, "sample_weight": FAR_FROM_1, "k_counts": "samples"}, "AP@3 rows / hits", {"value": 1, "by": "of the k best"}),
    (TIED, {"k": 3}, "step of the best 3 rows, ties in any order", {"value": 7 / 12, "low": 1 / 2, "high": 7 / 12, "why": "so the row shows the range over all orders"}),
    # scores that are read in another way
    (CLOSE, {}, OLD, {"value": 2 / 3, "by": "0.15 to 0.17", "why": "closer than 1e-8"}),
    (CLOSE, {}, "linear", {"value": 1, "not_by": "0.15"}),
    (([1, 0, 0], [1e-8, 0, -1]), {}, OLD, {"value": 0.75}),
    (EQUAL_IN_SINGLE, {}, "step", {"by": "trec_eval map (10)", "not_by": "trec_eval map (9"}),  # which reads doubles
    (EQUAL_IN_SINGLE, {}, "step, ties by id, scores as float32", {"reported_by": "trec_eval map (9); ir_measures AP (0.4.3)", "low": 5 / 12, "high": 1, "why": "single precision"}),
    (EQUAL_IN_SINGLE, {"k": 2}, "AP@2 / min", {"by": "LightGBM map@k", "not_by": "XGBoost map@k"}),
    (([1, 0, 1], [1.0, 0.5, 0.25]), {}, "step", {"by": "BinaryAveragePrecision"}),
    (([1, 0, 1], [1.5, 0.5, 0.25]), {}, "step", {"not_by": "BinaryAveragePrecision"}),  # a sigmoid changes it
    (([1, 0, 1], [0.5, 0.2, 0.1]), {}, "step", {"by": "RetrievalMAP"}),
    (([1, 0, 1], [0.5, 0.2, 0.0]), {}, "step", {"not_by": "RetrievalMAP"}),  # which ignores the positive
    (GEESE, {}, "step", {"by": "trec_eval map"}),
    # no positives
    (([0, 0], [1, 2]), {}, "step", {"value": 0, "not_by": "0.19"}),  # nan there
    (([0, 0], [1, 2]), {}, "step, no positives: 1", {"by": "LightGBM average_precision"}),
    (([0, 0], [1, 2]), {}, "linear, no positives: 0.5", {"by": "auc(recall, precision)"}),
    # of three groups, one has no positives, and the others get 1/2 and 1
    (EMPTY, {**THREE, "k": 2}, "AP@2 / relevant", {"value": 1 / 2, "by": "ranx", "not_by": "implicit"}),
    (EMPTY, {**THREE, "k": 2}, "AP@2 / min, no positives: 1", {"value": 2.5 / 3, "by": "LightGBM", "not_by": "ranx", "why": "1 of 3 groups has no positives, and counts 1"}),
    (EMPTY, {**THREE, "k": 2}, "AP@2 / min, no positives: left out", {"value": 3 / 4, "by": "implicit", "not_by": "LightGBM"}),
    # causes
    (WIGGLY, {}, "envelope", {"why": "rises again after 2 of its points"}),
    (RISING, {}, "envelope", {"why": "after 1 of its points, by up to 0.0833"}),
    (RISING, {}, "envelope, ties by row", {"why": "after 2 of its points, by up to 0.2500"}),
    (GEESE, {}, "envelope", {"not_why": "rises again"}),
    (GEESE, {}, "11-point", {"all_of_why": EQUALLY}),
    (GEESE, {}, "11-point float", {"all_of_why": f"{EQUALLY}; as floats 6/10 is missed"}),
    (LEVELS, {}, "11-point float", {"value": oracle.n_point(*LEVELS, n_points=11), "not_why": "missed"}),  # a level that costs nothing
    (WIGGLY, {}, "11-point, with (0, 1)", {"why": DRAWN}),
    (GEESE, {}, "11-point, with (0, 1)", {"not_why": DRAWN}),
    (HALF, {"groups": [0, 0, 1, 1]}, "11-point, with (0, 1)", {"why": DRAWN}),
    (*UNRETRIEVED, "11-point, with (0, 1)", {"value": 6 / 11, "why": DRAWN}),  # 6/11, 1 and 1/11
    (CONSTANT, {}, "linear", {"why": "gain area compared with steps, most of it between recall 0.00 and 1.00: +0.4500"}),
    (GEESE, {"k": 3}, "AP@3 / hits", {"all_of_why": "3 of 5 positives are below the top k; the sum is divided only by the positives in the top k"}),
    (GEESE, {"k": 3}, "mean of P@1 to P@3", {"why": "even at the ranks of negatives"}),
    (GEESE, {"k": 3}, "AP@3 / min", {"why": "divided by 3, not by all positives"}),
    (GEESE, {"k": 3}, "AP@3 / relevant", {"all_of_why": "3 of 5 positives are below the top k"}),
    (TIED_AT_K, {"k": 1}, "AP@1 / relevant", {"why": "3 of 4 positives are below the top k"}),
    (HITS, {"k": 2}, "AP@2 / min", {"why": "1.5 of 3 positives are below the top k"}),
    (HITS, {"k": 2}, "AP@2 / min, ties by row", {"why": "2 of 3 positives are below the top k"}),
    (TIED, {"k": 1}, "AP@1 / min", {"why": "k cuts through tied samples"}),
    (TIED, {"k": 2}, "AP@2 / min", {"not_why": "k cuts through"}),  # right below the tied samples
    (([1, 0, 1, 0], [4, 3, 2, 1]), {"k": 3}, "AP@3 / k", {"why": "though there are fewer positives"}),
    (([1, 0, 1, 0], [4, 3, 2, 1]), {"k": 2}, "AP@2 / k", {"not_why": "fewer positives"}),
]  # fmt: skip


@pytest.mark.sweep(4)
@without_positives
@pytest.mark.filterwarnings("ignore:k=.* counts weight:UserWarning")
@pytest.mark.filterwarnings("ignore:.*predicted classes:UserWarning")
@pytest.mark.parametrize(("data", "options", "name", "expected"), ROWS)
def test_row(data, options, name, expected):
    row = compat.explain(*data, **options).to_dict()[name]
    expected = dict(expected)
    for part, text in (("by", row["reported_by"]), ("why", row["why"])):
        assert expected.pop(part, "") in text
        assert expected.pop(f"not_{part}", "nowhere") not in text
    assert expected.pop("all_of_why", row["why"]) == row["why"]
    for field, value in expected.items():
        assert row[field] == (value if isinstance(value, str) else near(value))


def test_tools_that_count_missed_positives_have_no_value_without_them():
    rows = compat.explain(*PAIRS, **AB, n_positives={"a": 4, "b": 5}).to_dict()
    pooled = [row["reported_by"] for name, row in rows.items() if "all rows as one" in name]
    assert any("scikit-learn" in tools for tools in pooled)  # which is not told
    assert not any("VOC" in tools or "voc" in tools for tools in pooled)


def test_what_explain_leaves_out():
    """Ties where there are none, causes that don't act, and areas under the ROC curve."""
    explained = compat.explain([1, 1, 0, 0], [4, 3, 2, 1], k=10)
    assert explained.title == "Average precision: 4 samples, 2 positives"
    assert compat.explain([1, 0], [1, 0]).title == "Average precision: 2 samples, 1 positive"
    assert not any(row.why for row in explained.rows if row.difference == 0)
    assert not re.search("ties|ROC", " ".join(explained.to_dict()))
    assert "tied" not in str(compat.explain([0, 1, 0], [1.5, 1.5 - 1e-6, 1.5 - 2e-6]))
    with pytest.warns(UndefinedMetricWarning, match="^No positive class found in y_true") as caught:
        compat.explain([0, 0], [1, 2], k=1)
    assert "zero_division" not in str(caught[0].message)  # which explain has not
    for k in (100, 101):
        names = compat.explain(np.arange(200) % 2, np.arange(200), k=k).to_dict()
        assert (f"mean of P@1 to P@{k}" in names) == (k == 100)


@without_positives
@any_weight_of_k
@given(
    rankings(weights=INTEGERS[1:] / 2),
    st.sampled_from([1, 4, 0.3, 1.0]),
    st.sampled_from(["weight", "samples"]),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
    st.data(),
)
def test_rows_are_what_the_functions_give(ranking, k, k_counts, given_too, data):
    """With any combination of groups, weights, missed positives and k."""
    labels, scores, weights = ranking
    in_groups, weighted, missed = given_too
    options, n = {"sample_weight": weights} if weighted else {}, labels.size
    if in_groups:
        options["groups"] = data.draw(picks(n, range(4)))[0].astype(object)
    if missed:
        every = {"never": 3, **dict.fromkeys(range(4), n * 3)}
        options["n_positives"] = every if in_groups else n * 3
    explained = compat.explain(labels, scores, k=k, k_counts=k_counts, **options).rows
    at_k = {"k": k, "k_counts": k_counts}
    functions = {each: ap.metric(each) for each in ("step", "envelope", "11-point", "101-point")}
    for each in oracle.DENOMINATORS:
        functions[f" / {each}"] = ap.metric("average_precision_at_k", **at_k, denominator=each)
    for name, function in functions.items():
        row = next(row for row in explained if row.definition.endswith(name))
        assert row.value == near(function(labels, scores, zero_division=0.0, **options)), name


@pytest.mark.parametrize("data", [GEESE, WIGGLY, TIED, ([1, 1, 0, 0], [4, 3, 2, 1])])
def test_what_prauc_of_mlmetrics_loses(data):
    rows = compat.explain(*data).rows
    (row,) = (row for row in rows if "MLmetrics (R) PRAUC (" in row.reported_by)
    assert row.value == near(after_first(*data))
    assert ("the first point gains is lost" in row.why) == (data is not WIGGLY)


# Orders of tied samples

EVERY_RULE = [
    Step(),
    core.Envelope(),
    NPoint(11),
    NPoint(101),
    core.Linear(),
    core.FloatGrid(11),
    RocArea(),
    core.RPrecision(),
    core.ReciprocalRank(),
    core.ReciprocalRankAtK(2),
    core.HitRateAtK(2),
    core.EnrichmentFactor(2),
    core.PrecisionAtRecall(0.9),
    core.RecallAtPrecision(0.9),
    level_rules.RoundedLevels(0.9),
    level_rules.RoundedLevels(0.5),
    level_rules.WithArtificialPoint(NPoint(11)),
    level_rules.LevelRange(40, first=1, parts=40),
    level_rules.LevelRange(10, first=0, parts=10),
    *(level_rules.WrongEnvelope(NPoint(11), height) for height in WrongHeight),
    variant_rules.AveragePrecisionAtR(),
    level_rules.WrongEnvelope(core.FloatGrid(11), WrongHeight.WITHOUT_MAXIMUM),
    level_rules.WrongEnvelope(core.Envelope(), WrongHeight.MAXIMUM_TO_LEFT),
]
for n in (3, 11, 101):
    EVERY_RULE += [level_rules.LinesBetweenLevels(n), level_rules.LinesToFullRecall(n)]
for k in (1, 2, 4, 9):
    EVERY_RULE += [
        PrecisionAtK(k),
        core.RecallAtK(k),
        variant_rules.MeanOfPrecisions(k),
        StepOfFirst(k),
    ]
    EVERY_RULE += [
        AveragePrecisionAtK(k=k, denominator=denominator) for denominator in oracle.DENOMINATORS
    ]


def ends_of(rule, points):
    return compute_extremes(
        rule, *(break_ties(points, ties) for ties in ("grouped", "worst", "best"))
    )


def in_order(rule, order, scores):
    """Return a rule's value for labels that are already in order."""
    if isinstance(rule, StepOfFirst):
        kept, best = order[: rule.k], sorted(scores, reverse=True)[: rule.k]
        return average_precision_score(kept, best) if any(kept) else 0.0
    return rule.values(from_scores(np.array(order), -np.arange(len(order)))).item()


def test_every_rule_of_the_table_is_tried_over_all_orders():
    """Except for those whose range is not known."""
    own = {
        kind
        for module in (variant_rules, level_rules, miscounted_rules)
        for kind in vars(module).values()
        if isinstance(kind, type) and kind not in RULES and not issubclass(kind, core.Graded)
        if kind is not miscounted_rules.MistakenRule  # a base class
    }
    known = {kind for kind in (*own, *RULES) if vars(kind).get("term")}
    unknown = [
        variant_rules.Curved(),
        variant_rules.LinearAfterFirst(),
        variant_rules.LinearFromFirst(),
        variant_rules.LinearFromZero(),
        variant_rules.SortedByRecall(),
    ]
    unknown += [*miscounted_rules.INSTEAD_OF_STEP, *miscounted_rules.list_miscounted_ranks(None)]
    unknown.append(variant_rules.DavisGoadrich())
    assert {type(rule) for rule in EVERY_RULE} == known - {*map(type, unknown)}
    for rule in unknown:
        with pytest.raises(NotImplementedError, match=f"range of {type(rule).__name__}"):
            ends_of(rule, from_scores(np.array([True]), np.array([1.0])))


@pytest.mark.sweep(5)
@pytest.mark.parametrize("rule", EVERY_RULE, ids=repr)
@given(rankings(max_size=6, positives=True))
def test_the_range_is_that_of_all_orders(rule, ranking):
    labels, scores = ranking.labels == 1, ranking.scores
    if isinstance(rule, RocArea) and labels.all():
        return
    values = [in_order(rule, order, scores) for order in oracle.orders(labels, scores)]
    low, high = ends_of(rule, from_scores(labels, scores))
    assert (low.item(), high.item()) == (near(min(values)), near(max(values)))


@pytest.mark.sweep(6)
@pytest.mark.parametrize("rule", EVERY_RULE, ids=repr)
def test_the_ranges_of_groups_are_their_own(rule):
    rng = np.random.default_rng(3)
    labels, scores = rng.random(60) < 0.4, rng.integers(0, 4, 60)
    group = rng.integers(0, 9, 60)
    together = ends_of(rule, from_groups(labels, scores, group, 9, None, False))
    for place in range(9):
        here = group == place
        alone = ends_of(rule, from_scores(labels[here], scores[here]))
        for each, one in zip(together, alone, strict=True):
            np.testing.assert_allclose(each[place], one.item(), rtol=0, atol=1e-12)


@pytest.fixture
def search():
    """A ranking of 200 documents with many ties."""
    rng = np.random.default_rng(0)
    labels = (rng.random(200) < 0.2).astype(int)
    return labels, (rng.random(200) + labels * 0.4).round(1)


def test_ties_of_a_tool_stand_in_a_row_of_their_own(search):
    """Of the two tools one takes the last row first, and the other leaves the order open."""
    rows = compat.explain(*search).to_dict()
    assert not re.search("trec_eval|ranx", rows["step"]["reported_by"])
    row = rows["step, ties by id"]
    assert "trec_eval map" in row["reported_by"]
    assert row["value"] == pytest.approx(0.6940, abs=5e-5)
    assert row["low"] < row["value"] < row["high"]
    assert "ranx" in rows["step, ties in any order"]["reported_by"]
    found = compat.identify("0.6940", *search)
    assert found.names[0] == "step, ties by row, last first"
    assert found.matches[0].reported_by.startswith("trec_eval map (9 to 10)")
    assert found.matches[0].reported_by.endswith(" if ids increase with the rows")
    within = next(match for match in found.matches if "ranx" in match.reported_by)
    assert within.is_within_reach
    assert within.distance == 0


def test_what_gives_the_value_is_apart_from_what_could(search):
    text = str(compat.identify("0.6940", *search))
    gives, could = re.split(r"best and the worst\s+order\s+of\s+the\s+tied\s+samples:", text)
    start = "On your data, these definitions give 0.6940, to 4 decimals:\nvalue  "
    assert gives.startswith(start)
    assert re.search(r"\n0\.694001 .* step", gives)
    assert " to 0." not in gives
    assert "in some order" not in text  # as there are too many orders to try
    assert re.match(r"\n0\.6542 to 0\.7369 .* step, ties in any order", could)


def test_numbers_that_depend_on_the_order_of_ties_are_ranges():
    """Three of the six tied samples are in the top 5, of which one to three are positive."""
    labels = [1, 0, 1, 1, 1, 1, 0, 0, 1, 0]
    scores = [9, 8, 7, 7, 7, 7, 7, 7, 2, 1]
    for row in compat.explain(labels, scores, k=5).rows:
        if "ties in any order" in row.definition and "@5" in row.definition:
            assert "2 to 4 of 6 positives are below the top k" in row.why
        elif "@5" in row.definition and "ties" not in row.definition:
            assert "3 of 6 positives are below the top k" in row.why
        if "ties in any order" in row.definition:
            assert not re.search(r"rises again after \d|most of it between", row.why)


IN_ANY_ORDER = {
    "step": ap.average_precision_score,
    "envelope": ap.interpolated_average_precision_score,
    "11-point": ap.eleven_point_average_precision_score,
    "linear": compat.trapezoidal_average_precision_score,
    "P@4": partial(ap.precision_at_k_score, k=4),
    "reciprocal rank": ap.reciprocal_rank_score,
}


@pytest.mark.sweep(15)
@pytest.mark.parametrize("seed", range(15))
def test_values_between_those_of_two_orders_are_no_match(seed):
    """What is said to give a value in some order of the tied samples does so in one of them."""
    rng = np.random.default_rng(seed)
    labels, scores = rng.random(9) < 0.5, rng.integers(0, 5, 9)
    labels[:2] = 1, 0
    tied = [labels[scores == score] for score in np.unique(scores)[::-1]]
    orders = product(*({*permutations(group.tolist())} for group in tied))
    rankings = {tuple(chain.from_iterable(order)) for order in orders}
    falling = -np.arange(9)
    possible = {
        name: {round(float(metric(np.array(each), falling)), 9) for each in rankings}
        for name, metric in IN_ANY_ORDER.items()
    }
    values = {round(value, 6) for found in possible.values() for value in found if value == value}
    for value in [*sorted(values)[:2], 0.673833]:
        found = compat.identify(f"{value:.6f}", labels, scores, k=4)
        for match in found.matches:
            if match.is_within_reach and match.is_found_in_order and match.short_name in possible:
                assert any(abs(each - value) < 1e-6 for each in possible[match.short_name]), match
    for name in ("step", "linear"):
        for value in sorted(possible[name])[:1]:
            found = compat.identify(f"{value:.9f}", labels, scores, k=4)
            assert any(match.short_name == name for match in found.matches)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("name", "divisor"), [("recall@25", 20), ("precision@25", 25)])
@pytest.mark.parametrize(("n_hits", "is_whole"), [(8, True), (8.5, False), (9, True)])
def test_of_too_many_orders_to_try_whole_counts_tell_what_is_possible(
    name, divisor, n_hits, is_whole
):
    labels, scores = (np.arange(60) % 3 == 0).astype(int), np.arange(60) // 20
    found = compat.identify(n_hits / divisor, labels, scores, k=25, decimals=7).matches
    in_order = [match.is_found_in_order for match in found if match.short_name == name]
    assert in_order == [True] * len(in_order)
    assert bool(in_order) == is_whole


def test_orders_of_ties_that_all_give_the_value_are_not_shown():
    """The two tied samples are the last ones of many, and the range is below the last decimal."""
    labels = np.append(np.arange(4000) % 2, [1, 0])
    scores = np.append(np.arange(4000, 0, -1), [0, 0])
    value = float(oracle.linear(labels, scores))
    found = compat.identify(value, labels, scores, decimals=5)
    assert {"linear", "linear, ties in any order"} <= {*found.names}
    assert "linear, ties in any order" not in said(found)
    found = compat.identify(value, labels, scores, decimals=8)  # which neither order gives
    assert "linear" in found.names
    assert "linear, ties in any order" not in found.names


def test_ranges_alone_give_nothing_for_sure(search):
    labels, scores = search
    found = compat.identify("0.78", labels, 1 + scores.round())
    assert all(match.is_within_reach for match in found.matches)
    opening = r"Every match may well be an accident: \d+% of all values with 2 decimals match"
    sure = rf"{opening} at least as well\. On your data, no definition is sure to"
    assert re.match(sure, said(found))
    assert "these definitions give" not in said(found)
    assert re.search(opening, found._repr_html_().partition("</style>")[2])


def trec_row(rows, function="map"):
    (row,) = (row for row in rows if f"trec_eval {function} (9" in row.reported_by)
    return row


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("ids", "value"),
    [
        (["d1", "d2", "d3"], 1 / 2),  # d3, d2, d1, of which d2 is relevant
        (["d2", "d3", "d1"], 1),
        (["d3", "d1", "d2"], 1 / 3),
        ([f"d{i}" for i in (9, 10, 8)], 1 / 3),
        ([9, 10, 8], 1 / 3),  # text: "10" before "8"
        (["B", "b", "a"], 1),
        (["a", "é", "z"], 1),
    ],
)
def test_ids_break_the_ties_of_trec_eval(ids, value):
    labels, scores = [0, 1, 0], [0.5, 0.5, 0.5 + 1e-9]  # equal in single precision
    for passed in (ids, np.array(ids, dtype=object)):
        row = trec_row(compat.explain(labels, scores, ids=passed).rows)
        assert (row.value, row.low, row.high) == pytest.approx((value, value, value))
    found = compat.identify(f"{value:.6f}", labels, scores, ids=ids)
    assert any("trec_eval map (9" in m.reported_by and not m.is_within_reach for m in found.matches)
    if value == 0.5:
        assert row.definition.startswith("step, ties by your ids")
        assert "tied samples are ranked by the ids that you passed" in row.why


@pytest.mark.parametrize("weight", [{}, {"sample_weight": "weight"}])
def test_ids_can_be_a_column_and_have_weights_beside_them(weight):
    table = {"relevant": [0, 1, 0, 1], "score": [1.0] * 4, "query": [*"qqpp"]}
    table |= {"document": ["d1", "d2", "d1", "d2"], "weight": [0, 1, 2, 3]}
    for document, value in (("document", 1), (["d2", "d1", "d2", "d1"], 0.5)):
        options = {"groups": "query", "ids": document, "data": table, **weight}
        assert trec_row(compat.explain("relevant", "score", **options).rows).value == value


def test_the_same_id_in_two_groups_is_no_duplicate():
    """In the first group, the last id is that of the positive."""
    found = compat.explain([0, 1, 1], [1, 1, 1], groups=[*"ppq"], ids=[*"aba"])
    (row,) = [row for row in found.rows if row.definition == "step, ties by your ids"]
    assert row.value == 1


# Printed output


@pytest.fixture(scope="module")
def printed():
    """Results with ties, for which the lists of tools are long."""
    rng = np.random.default_rng(0)
    wide = rng.integers(0, 2, 500), np.round(rng.normal(size=500), 1)
    found = compat.explain(*wide, k=12), compat.identify("0.5", *wide)
    return *found, compat.identify("0.123456", *GEESE)  # which nothing matches


def test_repr_is_what_it_prints(printed):
    for text in printed:
        assert repr(text) == str(text)
    columns = ["value", "low", "high", "difference", "reported_by", "why", "tools"]
    assert [*printed[0].to_frame()] == columns


@pytest.mark.parametrize(
    ("decimals", "options"), [(9, {}), (9, {"k": 10}), (1, {}), (1, {"k": 10})]
)
def test_an_explanation_begins_with_what_people_report_and_counts_what_is_left(decimals, options):
    rng = np.random.default_rng(0)
    labels = rng.random(300) < 0.3
    found = compat.explain(labels, (labels + rng.normal(size=300)).round(decimals), **options)
    [(_, _, rows)] = found._printed().blocks
    values = [value for value, _, _ in rows]
    assert len({*values}) == len(values) <= 24
    exact = [float(value) for value in values if " to " not in value]
    assert sum(below > above for above, below in pairwise(exact)) == 1
    [begins] = [i for i, (above, below) in enumerate(pairwise(exact)) if below > above]
    step, linear = (found.to_dict()[name]["value"] for name in ("step", "linear"))
    assert {round(step, 4), round(linear, 4)} <= {*exact[: begins + 1]}
    n_values = len({(f"{row.low:.4f}", f"{row.high:.4f}") for row in found.rows})
    more = f"{n_values - len(values)} more, " if n_values > len(values) else ""
    assert f"`to_dict()` has {more}all tools, and why values differ." in said(found)


def test_a_line_is_named_where_it_makes_a_tenth_of_the_difference():
    """Of 2,000 positives that alternate with negatives, no line makes a digit."""
    rows = compat.explain(np.arange(4000) % 2 == 0, -np.arange(4000.0)).to_dict()
    text = "straight lines between the points lose area compared with steps"
    assert rows["linear"]["why"] == text
    few = compat.explain([0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]).to_dict()
    where = "most of it between recall 0.00 and 0.33: -0.0833"
    assert few["linear"]["why"] == f"{text}, {where}"


def test_zero_has_no_sign():
    """Not even for scikit-learn 1.1 to 1.5, which returned -0.0 without positives."""
    with pytest.warns(UndefinedMetricWarning):
        texts = [compat.explain([0, 0], [2, 1]), compat.identify("-0.00", [0, 0], [2, 1])]
    assert "On your data, these definitions give 0.00, to 2 decimals:" in str(texts[1])
    texts.append(compat.explain(np.repeat([1, 0, 1, 0], [200, 1, 1, 300]), -np.arange(502)))
    assert not re.search(r"[-+]0\.0+\b(?![.0-9])", "".join(map(str, texts)))


@pytest.mark.filterwarnings("ignore:.*predicted classes:UserWarning")
def test_scores_that_are_predictions_are_told_so():
    labels, predicted = [1, 0, 1, 0], [1, 0, 0, 0]
    for text in (compat.explain(labels, predicted), compat.identify("0.75", labels, predicted)):
        assert "two distinct values, like the output of predict()" in said(text)
        assert "predict()" in text._repr_html_()
    assert compat.explain(labels, [0, 0, 0, 0]).notes[-1].startswith("All scores are equal")
    assert "predict()" not in str(compat.explain([0, 1], [0.1, 0.9]))  # nothing unusual


def test_a_high_value_is_explained_by_chance_and_by_missed_positives():
    """As in scikit-learn's issue 30147, where missed objects had a score of 0."""
    labels = np.array([1] * 20 + [0, 1, 1, 1, 0] + [1] * 16)
    scores = np.append(np.linspace(0.9, 0.3, 25), np.zeros(16))
    text = said(compat.explain(labels, scores))
    found = ap.confidence_interval(labels, scores)
    assert f"a random ranking has {found.chance:.3f}." in text
    assert "The 16 rows of the lowest score, 0.0, are all positive." in text
    without = compat.explain(labels[:25], scores[:25], n_positives=39)
    assert f"pass n_positives=39: step is {without.to_dict()['step']['value']:.3f} then." in text
    assert "a random ranking has" not in said(without)
    for other in (labels * 0 + ([1, 0] * 21)[:41], np.append(labels[:-1], 0)):
        assert "lowest score" not in said(compat.explain(other, scores))
    for known in ({"n_positives": 40}, {"groups": labels * 0}, {"sample_weight": labels + 1}):
        assert "lowest score" not in said(compat.explain(labels, scores, **known))


# Identification


@pytest.mark.parametrize(
    ("data", "k", "one_in"),
    [
        (WIGGLY, 2, 10),
        *(
            pytest.param(data, k, 1, marks=pytest.mark.slow)
            for data, ks in ((GEESE, (None, 2)), (WIGGLY, (None, 2)), (TIED, (None, 1, 2, 3)))
            for k in ks
        ),
    ],
)
def test_each_number_is_traced_back_to_its_definition(data, k, one_in):
    cut = None if k is None else Cut(k)
    sample = DataSet.from_inputs(Inputs(*data))
    for variant in [*_list_guesses(sample, cut, False)][::one_in]:
        value = variant.value(sample)
        if 0 <= value.at < np.inf:
            found = compat.identify(value.at, *data, k=k, decimals=12)
            assert variant.name in found.names
            for match in found.matches:
                assert match.low - 1e-11 <= value.at <= match.high + 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("data", [GEESE, TIED], ids=["untied", "tied"])
def test_every_tool_is_named_beside_its_definition(data):
    """Where it is known what they do, and with nothing but the name of a function."""
    rows = compat.explain(*data, k=2).rows
    sample = DataSet.from_inputs(Inputs(*data))
    calls = [call for row in rows for call in row.reported_by.split("; ") if call]
    known = [f"{peer.tool} {peer.function} (" for peer in compat.PEERS]
    assert all(call.startswith(tuple(known)) for call in calls)
    for peer in compat.PEERS:
        name = re.sub(r"@k", "@2", peer.definition)
        same = [row for row in rows if row.definition.startswith(name)]
        named = any(f"{peer.tool} {peer.function} (" in row.reported_by for row in same)
        is_known = find_order(peer) is not Order.UNKNOWN and peer.is_known_on(sample)
        if data is GEESE and name in grouped(*data, 2):
            assert named == (is_known and not peer.is_setting)


def test_spark_joins_scores_from_2000_on():
    reader = next(p for p in compat.PEERS if p.function.startswith("BinaryClassificationEvaluator"))
    known = [
        reader.is_known_on(DataSet.from_inputs(Inputs([1] + [0] * (n - 1), range(n))))
        for n in (1999, 2000)
    ]
    assert known == [True, False]


def test_definitions_that_cannot_be_told_apart_have_one_value():
    """Those that differ beyond the decimals of the reported value are told apart."""
    draws = np.random.default_rng(0)
    labels = draws.integers(0, 2, 5000)  # so many that some values differ by less than 0.0001
    found = compat.identify("0.65", labels, np.round(draws.normal(labels, 2), 2))
    ends = {match.name: [match.low, match.high] for match in found.matches}
    assert found.indistinguishable
    for same in found.indistinguishable:
        alike = pytest.approx(ends[same[0]], rel=0, abs=1e-11)
        assert {*same} == {name for name in ends if ends[name] == alike}


def test_only_what_coincides_matches():
    found = compat.identify(float(oracle.envelope(*WIGGLY)), *WIGGLY, k=2, decimals=9)
    every = grouped(*WIGGLY, 2)
    expected = {name for name, value in every.items() if float(value) == near(0.6)}
    assert "envelope" in expected
    assert set(found.names) & set(every) == expected
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
        assert "The closest ones are" in said(result)


LAST_OF_8 = [0] * 7 + [1], range(8, 0, -1)
NEGATIVE_FIRST = [0, 1, 1, 0, 1, 0, 1], [5, 4, 4, 3, 2, 1, 0]
SINGLE = np.float32(oracle.step(*WIGGLY))
BY_ROWS = {"k": 3, "k_counts": "samples", "sample_weight": [1, 2, 3, 4, 5, 6]}
LAST_IS_1 = np.array([0, 1, 0, 1, 1]), np.array([0.8, 0.7, 0.4, 0.3, 1.0])
ONE_OF_TWO = ([1, 0, 0, 0], [4, 3, 2, 1]), {"groups": [0, 0, 1, 1]}
STRINGS = (np.array(["ham", "spam"])[GEESE[0]], GEESE[1]), {"pos_label": "spam"}


FOUND = [
    # 1/8 can be rounded both ways, although as a float it is off by more than half of 0.01
    ("0.12", LAST_OF_8, {}, "step"),
    ("0.13", LAST_OF_8, {}, "step"),
    (1.0000000000000004, ([1, 1, 0], [3, 2, 1]), {}, "step"),  # floats made it too large
    (SINGLE, WIGGLY, {}, "step"),
    (float(SINGLE), WIGGLY, {}, "step"),
    (0.388889, NEGATIVE_FIRST, {}, "AP@3 / min, ties by row"),  # and not the grouped value
    (2 / 3, GEESE, {"k": 0.3, "decimals": 9}, "AP@30% / min"),
    ((1 / 2 + 0.5 / 0.625) / 2, HALVES, SHARES, "AP@50% / min"),
    (ap.recall_at_k_score(*PAIRS, **BY_ROWS), PAIRS, BY_ROWS, "recall@3 rows"),
    (0.5, *UNRETRIEVED, "step"),
    (0, ([], []), {"n_positives": 3}, "step"),
    ((1 + 3 * 11 / 12) / 4, HALVES, {"groups": [*"aabbbb"]}, "step, groups weighted by their positives"),
    (float(oracle.n_point(*DETECTED[0], n_points=101, n_positives=5)), *DETECTED, "101-point float"),
    (1.0, *ONE_OF_TWO, "step, no positives: 1"),
    (1.0, *ONE_OF_TWO, "envelope, no positives: 1"),
    (float(oracle.linear(*GEESE)), *STRINGS, "linear"),
    (average_precision_score(LAST_IS_1[0], LAST_IS_1[1] > 0.5), LAST_IS_1, {}, "step, predict() instead of scores"),
]  # fmt: skip


@pytest.mark.sweep(5)
@without_positives
@pytest.mark.parametrize(("value", "data", "options", "name"), FOUND)
def test_what_is_found(value, data, options, name):
    assert name in found_in(value, *data, **options)


def test_what_is_off_by_a_decimal_is_not_found():
    assert "step" not in found_in("0.12", *LAST_OF_8, decimals=3)
    assert "step" not in found_in("0.1428", [0] * 6 + [1], range(7, 0, -1))  # 1/7 is 0.14286
    assert compat.identify(SINGLE, *WIGGLY).decimals == 6
    # Floats with 32 bits have more decimals than eight, except for a few.
    assert compat.identify(1 / 256, *WIGGLY).decimals == 8


def test_a_small_k_is_found_and_said_to_be_guessed():
    found, given = compat.identify(0.4, *GEESE), compat.identify(0.4, *GEESE, k=3)
    for each, guess, called in ((found, 3, " (k guessed)"), (given, None, "")):
        match = next(match for match in each.matches if match.name == "AP@3 / relevant")
        assert (match.guessed_k, match.show_name(each.k)) == (guess, f"AP@3 / relevant{called}")
    assert all(match.distance <= 0.05 for match in found.matches)
    assert found.guessed_ks == (*range(1, 11), 15, 20, 25, 30, 32, 50, 100)
    assert given.guessed_ks == (1, 2, *range(4, 11), 15, 20, 25, 30, 32, 50, 100)


def test_another_k_than_the_one_that_was_passed_comes_after_it():
    rng = np.random.default_rng(0)
    labels = rng.random(300) < 0.3
    scores = labels + rng.normal(size=300)
    value = ap.average_precision_at_k_score(labels, scores, k=50)
    found = compat.identify(f"{value:.5f}", labels, scores, k=10)
    assert [(match.name, match.guessed_k) for match in found.matches] == [
        ("AP@50 / min", 50),
        ("AP@50 / k", 50),
    ]
    assert "AP@50 / min, though k=10 was passed; AP@50 / k, though k=10 was passed" in said(found)
    at_k = ap.average_precision_at_k_score(labels, scores, k=10)
    assert compat.identify(f"{at_k:.1f}", labels, scores, k=10).matches[0].guessed_k is None


def test_k_beyond_the_data_is_tried_only_where_it_matters():
    names = [match.name for match in compat.identify(0.5, *WIGGLY, decimals=0).matches]
    beyond = {name.partition(",")[0] for name in names if "@10 " in f"{name} "}
    assert beyond == {"AP@10 / k", "precision@10", "mean of P@1 to P@10"}
    assert "AP@5 / relevant" in names
    found = compat.identify("0.5333", *WIGGLY).matches  # 5 takes all samples
    assert max(match.guessed_k or 0 for match in found) == 5
    missed = compat.identify("0.16", *WIGGLY, n_positives=20)  # (1/2 + 2/4 + 3/5)/10
    assert missed.names[:2] == ("AP@10 / min", "AP@10 / k")


def test_a_usual_k_comes_before_others():
    labels, scores = [1, 0, 1] + [0] * 47, range(50, 0, -1)
    value = ap.average_precision_at_k_score(labels, scores, k=20)
    found = compat.identify(value, labels, scores, decimals=10).matches
    guesses = [match.guessed_k for match in found if match.name.endswith("min")]
    assert set(guesses[:5]) == {3, 5, 10, 20, 50}
    assert {4, 15, 30} <= set(guesses[5:])


RNG = np.random.default_rng(4)
Y = (RNG.random(300) < 0.2).astype(int)
P = np.clip(RNG.random(300) * 0.7 + Y * 0.2, 0, 1)
RANKED = Y, P.argsort().argsort().astype(np.uint16)  # reversing their order is no negation
SWITCHED = "with the other class as positive"
MISTAKES = [
    ((Y, -P), "scores negated"),
    ((1 - Y, P), SWITCHED),
    ((1 - Y, -P), f"{SWITCHED} and scores negated"),
    ((Y, 2 * (P > 0.5)), "predict() instead of scores"),
]
STEP, AT_K = ap.average_precision_score, partial(ap.average_precision_at_k_score, k=20)
BESIDE = [
    *((STEP(*ranked), (Y, P), {}, f"step, {mistake}") for ranked, mistake in MISTAKES),
    *((STEP(*ranked), RANKED, {}, f"step, {mistake}") for ranked, mistake in MISTAKES[:3]),
    *((AT_K(*ranked), (Y, P), {"k": 20}, f"AP@20 / min, {what}") for ranked, what in MISTAKES),
    (STEP(Y, 2 * (P > 0.3)), (Y, P - 0.3), {}, "step, predict() instead of scores"),
    (roc_auc_score(Y, P), (Y, P), {}, "area under the ROC curve"),
    (roc_auc_score(Y, -P), (Y, P), {}, "area under the ROC curve, scores negated"),
    (ap.precision_at_k_score(Y, P, k=20), (Y, P), {}, "precision@20"),
    (ap.recall_at_k_score(Y, P, k=20), (Y, P), {}, "recall@20"),
    (ap.r_precision_score(Y, P), (Y, P), {}, "R-precision"),
    (ap.reciprocal_rank_score(Y, P), (Y, P), {}, "reciprocal rank"),
]


@pytest.mark.sweep(5)
@pytest.mark.parametrize(("value", "data", "options", "name"), BESIDE)
def test_what_is_usually_wrong_or_no_average_precision_is_found(value, data, options, name):
    found = compat.identify(value, *data, decimals=9, **options)
    match = next(match for match in found.matches if match.name == name)
    assert ("scikit-learn roc_auc_score" in match.reported_by) == name.endswith("ROC curve")


@pytest.mark.parametrize(
    ("data", "places"),
    [
        (GEESE, 1),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((TIED, 1), (GEESE, 2))),
    ],
)
def test_the_chance_is_that_of_all_numbers_with_these_decimals(data, places):
    numbers = [f"{i / 10**places:.{places}f}" for i in range(10**places + 1)]
    found = [compat.identify(number, *data, k=3) for number in numbers]
    every = [[match for match in each.matches if not match.is_within_reach] for each in found]
    for each, sure in zip(found, every, strict=True):
        assert each.chance == near(np.mean(list(map(bool, every))))
        either = np.mean([bool(each.matches) for each in found])
        # Values between those of two orders count, too, though no order may give them.
        assert max(each.chance, each.chance_within_reach) >= either - 1e-12
        for match in sure:  # which is as likely as all that are at least as common
            holds = [any(other.rarity <= match.rarity for other in others) for others in every]
            assert match.chance == near(np.mean(holds))


def test_common_numbers_come_first_and_chance_is_told():
    rng = np.random.default_rng(0)
    labels = (rng.random(500) < 0.3).astype(int)
    scores = rng.random(500) + labels * 0.3
    step = ap.average_precision_score(labels, scores)
    found = compat.identify(f"{step:.2f}", labels, scores)
    assert found.names[0] == "step"
    chances = [match.chance for match in found.matches]
    assert len(chances) > 3
    assert chances == sorted(chances)
    assert chances[0] <= 2 / 101
    assert found.chance > 0.2
    assert "by chance" in str(found)
    exact = compat.identify(step, labels, scores, k=10)
    assert exact.chance < 1e-6
    assert "by chance" not in str(exact)


PASSED = {
    "groups (queries or folds)": {"groups": np.arange(1000) % 5},
    "sample_weight": {"sample_weight": np.arange(1000) % 3 + 1},
    "n_positives": {"n_positives": 50},
    "k": {"k": 10},
    "ids": {"ids": np.arange(1000)},
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("passed", [None, *PASSED])
def test_what_was_not_passed_is_listed_where_nothing_matches(passed):
    labels, scores = np.arange(1000) < 40, np.random.default_rng(0).random(1000)
    found = compat.identify("0.999987", labels, scores, **PASSED.get(passed, {}))
    names = ", ".join(name for name in PASSED if name != passed)
    text = "Not tried: other rows, labels and models, and what you may have passed: "
    assert found.notes == (f"{text}{names}.",)
    step = compat.identify(ap.average_precision_score(labels, scores), labels, scores)
    assert step.notes == ()


@pytest.mark.filterwarnings("ignore:.*predicted classes:UserWarning")
def test_what_most_values_would_match_is_only_counted():
    """All scores are tied, so some order gives nearly any value."""
    found = compat.identify("0.20", np.arange(200) < 40, np.zeros(200))
    assert found.names[0] == "step"
    assert any(match.is_within_reach for match in found.matches)
    assert "These could give it" not in said(found)
    some = compat.identify("0.4", np.arange(200) < 40, np.zeros(200))
    assert some.matches[0].chance > 0.2
    # Of 0.2 everywhere, or of 0.4 and no positives in batches, or of hits among the first rows
    accidents = [
        "linear, with recall over precision; step, mean over batches of 100 rows, no positives: "
        "left out",
        "with a guessed k: AP@k; nDCG@k; precision@k; hit rate@k; recall@k",
        "in some order of the tied samples: R-precision",
    ]
    assert some._printed().blocks == [["", "", [["0.4", names] for names in accidents]]]
    assert "Not tried: other rows, labels and models, and what you may have passed" in said(some)


def test_of_many_matches_the_best_eight_are_shown():
    labels = [1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0]
    scores = [11, 1, -6, -3, -3, -3, 7, 9, 16, -6, -7, -8, 11, 19, 10, 17, 13, 25, -20, -21]
    found = compat.identify("0.94", labels, scores)
    rows = [row for *_, block in found._printed().blocks for row in block]
    unlikely = {(each.value, each.low) for each in found.matches if each.chance <= 0.2}
    assert len(unlikely) > len(rows) == 8


# What a reported value may be, and the name that is printed if k is a guess
TRUTHS = {
    "step": ap.average_precision_score,
    "envelope": ap.interpolated_average_precision_score,
    "11-point": ap.eleven_point_average_precision_score,
    "101-point": partial(ap.interpolated_average_precision_score, n_points=101),
    "linear": compat.trapezoidal_average_precision_score,
    "AP@k": partial(ap.average_precision_at_k_score, k=20),
    "precision@k": partial(ap.precision_at_k_score, k=10),
}
SEEDS = range(300)


@pytest.mark.sweep(10)
@pytest.mark.filterwarnings("ignore:.*predicted classes:UserWarning")
@pytest.mark.parametrize(
    "seed", [*SEEDS[:20], *(pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS[20:])]
)
@without_positives
def test_what_may_be_an_accident_is_named_briefly(seed):
    """Without tools, in at most 20 lines, and the definition that was reported is among them."""
    rng = np.random.default_rng(seed)
    n, places = rng.integers(50, 501), seed % 4 + 1
    labels = rng.random(n) < rng.choice([0.05, 0.2, 0.5])
    scores = rng.normal(rng.choice([0, 0.5, 1.5]) * labels)
    read = (np.asarray, partial(np.round, decimals=1), np.round, np.zeros_like, expit)
    scores = read[seed // 4 % 5](scores)
    options = {
        "groups": rng.integers(0, max(n // 10, 2), n) if rng.random() < 0.2 else None,
        "sample_weight": rng.integers(1, 4, n) if rng.random() < 0.1 else None,
    }
    truth = [*TRUTHS, ""][rng.integers(len(TRUTHS) + 1)]
    value = TRUTHS[truth](labels, scores, **options) if truth else rng.random()
    found = compat.identify(f"{value:.{places}f}", labels, scores, **options)
    header, parts, *_ = found._printed()
    assert bool(truth) <= bool(found.matches)
    least = min((match.chance for match in found.matches), default=1)
    if least <= 0.2:
        assert [*header] in (
            ["value", "by chance", "definition and tools"],
            ["value", "definition and tools"],
        )
        assert any(match.name in said(found) for match in found.matches if match.chance == least)
        return
    assert str(found).count("\n") < 20
    assert [*header] == ["value", "definition and tools"]
    names = "; ".join(name for *_, rows in parts for _, name in rows)
    if found.matches:
        assert said(found).startswith("Every match may well be an accident: ")
        assert not re.search("@[0-9]", names.replace("mean of P@1", ""))  # all k have one name
    if truth:
        assert re.search(rf"(^|; |: ){truth}(;|$)", names)


def test_what_tools_do_comes_before_what_people_do():
    rarity = {each: Variant(Step(), each).rarity for each in (NO_MISTAKE, *MISTAKES_WITH_ROWS)}
    assert rarity[NO_MISTAKE] < rarity[UNWEIGHTED] < rarity[NEGATED]
    assert rarity[NO_MISTAKE] < Variant(Step(), average="weighted").rarity
    assert rarity[NO_MISTAKE] < Variant(Step(), empty=1.0).rarity
    assert rarity[NO_MISTAKE] < Variant(Step(), order=Order.BY_ROW).rarity
    assert Variant(Step(), order=Order.BY_ROW).rarity < Variant(Step(), order=Order.BEST).rarity
    assert rarity[POOLED] == rarity[RETRIEVED] == rarity[FOUND_ONLY]


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


@pytest.mark.parametrize(
    "scores", [[1, 2.5, Decimal("3.1"), 4, 5, 6], [10**400 + number for number in range(6)]]
)
def test_scores_that_no_float_holds_are_numbers(scores):
    labels = [1, 0, 0, 1, 0, 1]
    value = ap.average_precision_score(labels, scores)
    assert "step" in str(compat.identify(value, labels, scores))
    assert f"{value:.4f}" in str(compat.explain(labels, scores))


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        (["1.1 and later", "0.20 to 1.0", "0.19"], ["0.19 and later"]),
        (["0.18", "0.16 to 0.17", "0.15", "0.14", "0.13"], ["0.13 to 0.18"]),
        (["0.18", "0.13"], ["0.13", "0.18"]),
        (["9", "10"], ["9 to 10"]),
        (["1.1 and later", "0.19 and later", "0.13 to 0.18", "0.15"], ["0.13 and later"]),
        (["1.9.0", "1.9.1", "2007, in Octave"], ["1.9.0", "1.9.1", "2007, in Octave"]),
        (["before 2.3", "3.0 and later"], ["3.0 and later", "before 2.3"]),
    ],
)
def test_consecutive_versions_are_joined(versions, expected):
    assert sorted(merge_versions(versions)) == sorted(expected)


def test_a_cell_names_each_tool_once_and_few_tools():
    """The rows have them all."""
    labels, scores = [0, 1, 0, 1, 1, 0], [6, 5, 4, 3, 2, 1]
    found = compat.identify("0.5333", labels, scores)
    (match, *_) = found.matches
    (cell, *_) = (row[-1] for row in found._printed().blocks[0][2])
    tools = {peer.tool for peer in compat.PEERS}
    for tool in tools:
        assert len(re.findall(rf"(?:: |, ){re.escape(tool)}(?:,|$)", cell)) <= 1
    same = [each.tools for each in found.matches if each.value == match.value]
    n_more = len({*chain.from_iterable(same)}) - 2
    assert cell.endswith(f": {match.tools[0]}, {match.tools[1]}, {n_more} more")
    assert match.reported_by.count(";") >= 4
    explanation = compat.explain(labels, scores)
    (linear,) = (row for row in explanation.rows if row.definition == "linear")
    assert "average_precision_score (0.13 to 0.18); scikit-learn auc(" in linear.reported_by
    assert linear.tools[0] == "scikit-learn auc", "its average precision is step now"
    _, older = (peer for peer in compat.PEERS if peer.tool == "cell-eval")
    assert name_tools([older]) == ("cell-eval before 0.6.6",)


def drawn(hits, exist, height_at_end):
    """Go along the curve, detection by detection, and add up trapezoids between 101 recalls.

    Ultralytics draws it from (0, 1) through every detection, also those that aren't correct, and
    from the last one to (1, 0): on a straight line, or after falling to 0 first.
    """
    recalls, heights, found = [0.0], [1.0], 0
    for rank, hit in enumerate(hits, start=1):
        found += int(hit)
        recalls.append(found / exist)
        heights.append(found / rank)
    recalls += [recalls[-1], 1.0]
    heights += [height_at_end(heights[-1]), 0.0]
    for i in range(len(heights) - 2, -1, -1):
        heights[i] = max(heights[i], heights[i + 1])
    area, before, i = 0.0, None, 0
    for level in np.linspace(0, 1, 101):
        while i + 1 < len(recalls) and recalls[i + 1] <= level:
            i += 1
        height = heights[i]
        if recalls[i] < level:
            part = (level - recalls[i]) / (recalls[i + 1] - recalls[i])
            height += part * (heights[i + 1] - heights[i])
        if before is not None:
            area += (before + height) / 2 / 100
        before = height
    return area


# What older releases add: recalls that no threshold reaches, up to the precision of all detections
ULTRALYTICS = {
    "8.4.37 and later": ("lines between 101 points", lambda last: 0.0),
    "8.0.0 to 8.4.36": ("lines between 101 points, to (1, 0)", lambda last: last),
}


@pytest.mark.sweep(8)
@pytest.mark.parametrize("version", ULTRALYTICS)
@pytest.mark.parametrize("seed", range(20))
def test_lines_between_levels_as_ultralytics_draws_them(seed, version):
    """Also with missed objects, and where nothing is found."""
    name, height_at_end = ULTRALYTICS[version]
    rng = np.random.default_rng(seed)
    y = rng.random(rng.integers(2, 60)) < rng.choice([0, 0.1, 0.4, 0.8])
    exist = max(y.sum() + rng.integers(0, 3), 1)
    expected = drawn(y, exist, height_at_end)
    ranks = np.arange(y.size)
    rows = compat.explain(y, -ranks, n_positives=exist).rows
    (row,) = (row for row in rows if f"Ultralytics ap_per_class ({version})" in row.reported_by)
    assert row.definition == name
    assert row.value == pytest.approx(expected, abs=1e-12)
    found = compat.identify(f"{expected:.9f}", y, -ranks, n_positives=exist, k=3)
    assert any(f"({version})" in match.reported_by for match in found.matches)


def test_ultralytics_by_hand():
    """Of two objects, the better one of two detections finds one.

    The curve has the points (0, 1), (1/2, 1) and (1/2, 1/2). From there, older releases draw a
    line to (1, 0), and newer ones fall to 0 first. The trapezoid between the recalls 0.49 and 0.5
    ends at the lower height.
    """
    rows = compat.explain([1, 0], [2, 1], n_positives=2).to_dict()
    assert rows["lines between 101 points"]["value"] == pytest.approx(0.49 + 0.01 / 2)
    older = rows["lines between 101 points, to (1, 0)"]
    assert older["value"] == pytest.approx(0.49 + 0.01 * (1 + 0.5) / 2 + 0.5 * 0.5 / 2)
    assert "one more joins its last point to recall 1" in older["why"]


def test_a_class_without_detections_counts_0_in_ultralytics():
    found = compat.explain([1, 0], [2, 1], groups=[*"aa"], n_positives={"a": 1, "b": 2}).rows
    rows = [row for row in found if "Ultralytics" in row.reported_by]
    assert [row.value for row in rows] == pytest.approx([0.995 / 2] * 2)


@pytest.mark.parametrize("n", [50, 200, 500])
def test_a_grid_of_thresholds_is_recognized(n):
    """What torchmetrics does with thresholds=n, threshold by threshold."""
    rng = np.random.default_rng(n)
    labels = rng.random(400) < 0.1
    scores = 1 / (1 + np.exp(4 - 2 * labels - rng.normal(size=400)))
    value, before = Fraction(0), Fraction(0)
    for i in range(n - 1, -1, -1):
        flagged = [label for label, s in zip(labels, scores, strict=True) if s >= i / (n - 1)]
        if flagged:
            recall = Fraction(int(sum(flagged)), int(labels.sum()))
            value += (recall - before) * Fraction(int(sum(flagged)), len(flagged))
            before = recall
    found = compat.identify(f"{float(value):.9f}", labels, scores)
    assert found.names == (f"step, scores between {n} thresholds",)
    assert found.matches[0].reported_by == (
        f"torchmetrics BinaryAveragePrecision(thresholds={n}) (1.9.0)"
    )


def test_keras_joins_points_at_200_thresholds_by_curves():
    """The sum over neighboring thresholds that Keras documents, with strict comparisons."""
    rng = np.random.default_rng(1)
    labels = rng.random(300) < 0.2
    scores = np.append(rng.beta(1, 5, 296) * (1 + labels[:296]) / 2, [0.0, 0.0, 1.0, 1.0])
    inner = [i / 199 for i in range(1, 199)]
    above = np.array([scores > t for t in (-1e-7, *inner, 1 + 1e-7)])
    found, flagged = above[:, labels].sum(axis=1), above.sum(axis=1)
    area = 0.0
    for tp, fewer, p, rest in zip(found, found[1:], flagged, flagged[1:], strict=False):
        slope = (tp - fewer) / (p - rest) if p > rest else 0.0
        log = np.log(p / rest) if rest else 0.0
        area += slope * (tp - fewer + (fewer - slope * rest) * log)
    found = compat.identify(f"{area / labels.sum():.9f}", labels, scores)
    assert found.names == ("curved, scores between 200 thresholds",)
    assert found.matches[0].reported_by.startswith("Keras AUC(curve='PR')")


def test_scores_at_a_threshold_of_a_grid_are_not_guessed():
    """In single precision, 0.5 may be on either side of the 100th of 199 steps, but not 0 or 1."""
    labels, edge = [0, 1, 1, 0, 1], 100 / 199
    rows = compat.explain(labels, [0.1, 0.2, edge + 1e-9, 0.7, 0.9])
    assert "Keras" not in str(rows.to_dict())
    assert "Keras" in str(compat.explain(labels, [0.0, 0.2, 0.5, 0.7, 1.0]).to_dict())


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("average", "name"),
    [
        ("macro", "step, mean over both classes"),
        ("weighted", "step, mean over both classes, classes weighted by their positives"),
        ("micro", "step, both columns of probabilities as one ranking"),
    ],
)
def test_means_over_both_columns_are_recognized(average, name):
    rng = np.random.default_rng(5)
    labels, weight = rng.random(200) < 0.2, rng.integers(1, 5, 200)
    scores = (rng.random(200) + labels * 0.5).round(2) / 2
    both = np.column_stack([~labels, labels]), np.column_stack([1 - scores, scores])
    for options in ({}, {"sample_weight": weight}):
        value = average_precision_score(*both, average=average, **options)
        found = compat.identify(f"{value:.9f}", labels, scores, **options)
        assert found.names[0] == name
        assert "average_precision_score of both columns" in found.matches[0].reported_by
    assert "both" not in str(compat.explain(labels, scores))  # they are no other definitions
    groups = np.arange(200) % 2  # which are no columns
    tried = compat.identify("0.123456", labels, scores, groups=groups, k=3)
    assert not any("both" in match.name for match in tried.closest)


# What people report besides the definitions of tools

GRADES = np.array([3, 0, 1, 2, 0, 1, 0, 0, 2, 1, 0, 3]), np.array([9, 8, 7, 6, 5, 4] * 2) / 10
SESSIONS = {"groups": np.repeat(["a", "b"], 6)}


@pytest.mark.parametrize("gains", ["linear", "exponential"])
@pytest.mark.parametrize(("k", "name"), [(None, "nDCG"), (3, "nDCG@3")])
def test_ndcg_is_identified_with_both_gains(gains, k, name):
    value = ap.ndcg_score(*GRADES, gains=gains, k=k, **SESSIONS)
    found = found_in(f"{value:.6f}", *GRADES, min_grade=1, k=k, **SESSIONS)
    assert f"{name}, {gains} gains" in found
    other = {"linear": "exponential", "exponential": "linear"}[gains]
    assert f"{name}, {other} gains" not in found


@pytest.mark.parametrize("k", [None, 3])
def test_rules_that_take_no_weights_are_not_tried_with_them(k):
    data_set = DataSet.from_inputs(Inputs(*GEESE, sample_weight=FAR_FROM_1))
    cut = None if k is None else Cut(k)
    tried = list_candidates(data_set, [Cut(2)], cut)
    rules = {variant.rule for variant in tried if variant.mistake is not UNWEIGHTED}
    assert not [rule for rule in rules if not (rule.takes_weights or rule.takes_equal_weights)]


def test_ndcg_of_labels_is_identified():
    value = ap.ndcg_score(*GEESE)
    assert "nDCG, linear gains" in found_in(f"{value:.6f}", *GEESE)
    weights = {"sample_weight": [1, 2] * 5}
    assert not any("nDCG" in name for name in found_in(f"{value:.6f}", *GEESE, **weights))
    assert "nDCG" not in said(compat.identify("0.123456", *TIED, n_positives=5))


@without_positives
@pytest.mark.parametrize("of", ["highest", "mean"])
def test_one_row_per_group_is_identified(of):
    groups = np.repeat(np.arange(10), 3)
    labels = (np.arange(30) % 7 == 0) & (groups % 2 == 0)
    scores = np.arange(30) * 37 % 31 / 31
    by_group = scores.reshape(10, 3)
    score = by_group.max(axis=1) if of == "highest" else by_group.mean(axis=1)
    value = average_precision_score(labels.reshape(10, 3).any(axis=1), score)
    found = found_in(f"{value:.6f}", labels, scores, groups=groups)
    assert f"step, one row per group with its {of} score" in found


@pytest.mark.parametrize("threshold", [0.5, 0.0])  # of probabilities, and of decision values
def test_labels_from_the_threshold_on_are_identified(threshold):
    scores = np.array([0.9, 0.5, 0.5, 0.7, 0.2, 0.5, 0.1]) - 0.5 + threshold
    labels = np.array([1, 1, 0, 0, 1, 1, 0])
    for predicted, name in (
        (scores >= threshold, "predict() with >= instead of scores"),
        (scores > threshold, "predict() instead of scores"),
    ):
        value = average_precision_score(labels, predicted)
        assert f"step, {name}" in found_in(f"{value:.6f}", labels, scores)


def test_sums_in_single_precision_are_found():
    value = np.float32(average_precision_score(*WIGGLY))
    near_by = np.nextafter(value + np.float32(1e-6), np.float32(1))
    assert "step" in found_in(near_by, *WIGGLY)
    assert "step" not in found_in(f"{near_by:.7f}", *WIGGLY)
    assert "step" not in found_in(value + np.float32(3e-6), *WIGGLY)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("n_decimals", [2, 7], ids=["tied", "untied"])
def test_counts_in_single_precision_are_found(n_decimals):
    """As scikit-learn's pull request 34817 makes them of float32 scores, and only of these."""
    rng = np.random.default_rng(0)
    labels = (rng.random(100) < 0.3).astype(int)
    scores = (rng.random(100) + 0.3 * labels).round(n_decimals).astype(np.float32)
    curve = oracle.points(labels, scores)
    counted = sum(float(r) * float(np.float32(T) / np.float32(N)) for r, _, T, N in curve)
    value = counted / labels.sum()
    assert 1e-12 < abs(value - average_precision_score(labels, scores)) < 1e-8
    found = compat.identify(value, labels, scores)
    assert found.names[0] == "step"
    assert found.decimals == 8
    assert "step" not in found_in(value, labels, scores.astype(float))
    assert "step" not in found_in(value + 1e-7, labels, scores)
    assert "step" not in found_in(value, labels, scores, decimals=12)


def test_half_precision_is_read_as_far_as_it_goes():
    value = average_precision_score(*WIGGLY)
    assert "step" in found_in(np.float16(value), *WIGGLY)
    assert "step" not in found_in(np.nextafter(np.float16(value), np.float16(1)), *WIGGLY)


@pytest.mark.parametrize(("value", "attribute"), [("0.5333", "matches"), ("0.987654", "closest")])
def test_lists_of_definitions_say_where_all_of_them_are(value, attribute):
    """Of few samples, most definitions have the same value."""
    labels = [0, 1, 0, 1, 1, 0] if attribute == "matches" else [0, 1]
    text = str(compat.identify(value, labels, -np.arange(len(labels))))
    assert re.search(rf"\band\s+[0-9]+\s+more\s+in\s+`{attribute}`", text)


# What programs compute instead of step, in plain loops


def curve(labels, scores):
    """The positives and samples at each distinct score or a higher one, from the highest down."""
    for score in sorted({*scores}, reverse=True):
        flagged = [label for label, other in zip(labels, scores, strict=True) if other >= score]
        yield sum(flagged), len(flagged)


def with_mistake(labels, scores, mistake):
    area = hits = samples = first = 0
    for hits_now, samples_now in curve(labels, scores):
        if not samples:
            first = hits_now
        if hits_now > hits:
            counted, ranked = {
                "ranks from 0": (hits_now, samples_now - 1),
                "ranks from 2": (hits_now, samples_now + 1),
                "hits counted late": (hits, samples_now),
                "the precision of the point above": (hits, samples) if samples else (1, 1),
                "divided by R + 1": (hits_now, samples_now),
                "without the first recall": (hits_now if samples else 0, samples_now),
                "the first rank skipped": (hits_now - first, samples_now),
            }[mistake]
            if not ranked:
                return np.inf
            area += (hits_now - hits) * Fraction(counted, ranked)
        hits, samples = hits_now, samples_now
    return area / (sum(labels) + (mistake == "divided by R + 1"))


def between_highest(labels, scores):
    """aucpr of ROCR: the fewest samples for each number of hits, joined by straight lines."""
    fewest = {0: 0}
    for hits, samples in curve(labels, scores):
        fewest.setdefault(hits, samples)
    points = [(hits, Fraction(hits, samples) if hits else 1) for hits, samples in fewest.items()]
    area = sum((x - a) * (y + b) / 2 for (a, b), (x, y) in pairwise(points))
    return area / sum(labels)


def davis_goadrich(labels, scores):
    """auc.davis.goadrich of PRROC."""
    area, hits, samples = Fraction(0), 0, 0
    for hits_now, samples_now in curve(labels, scores):
        for x in range(1, hits_now - hits + 1):
            step = Fraction(samples_now - samples, hits_now - hits)
            end = Fraction(hits + x) / (samples + x * step)
            above = samples + (x - 1) * step
            area += (end + ((hits + x - 1) / above if above else end)) / 2
        hits, samples = hits_now, samples_now
    return area / sum(labels)


def mean_of_precisions(labels, scores, starts):
    precisions = [Fraction(*counts) for counts in curve(labels, scores)] + [1] * starts
    return sum(precisions) / len(precisions)


def envelope_without_first(labels, scores):
    """np.diff(recall) * envelope[1:]."""
    points = [*curve(labels, scores)]
    best = [max(Fraction(*each) for each in points[i:]) for i in range(len(points))]
    gains = [now[0] - before[0] for before, now in pairwise(points)]
    return sum(map(operator.mul, gains, best[1:])) / sum(labels)


def at_levels(labels, scores, n_points):
    precision, recall, _ = precision_recall_curve(labels, scores)
    return np.interp(np.linspace(0, 1, n_points), recall[::-1], precision[::-1]).mean()


def at_falling_levels(labels, scores, n_points):
    precision, recall, _ = precision_recall_curve(labels, scores)
    return np.interp(np.linspace(0, 1, n_points), recall, precision).mean()


def over_precision(labels, scores):
    """Trapezoids below recall, over precision."""
    precision, recall, _ = precision_recall_curve(labels, scores)
    return (np.diff(precision) * (recall[1:] + recall[:-1]) / 2).sum()


def by_row_numbers(labels, scores):
    ranked = sorted(range(len(labels)), key=lambda row: -scores[row])
    hits = accumulate(labels[row] for row in ranked)
    precisions = [
        Fraction(count, row + 1) for row, count in zip(ranked, hits, strict=True) if labels[row]
    ]
    return sum(precisions) / sum(labels)


def best_f1(labels, scores):
    return max(Fraction(2 * hits, sum(labels) + samples) for hits, samples in curve(labels, scores))


INSTEAD = {
    miscounted_rules.Miscounted(
        core.Envelope(), miscounted_rules.WITHOUT_FIRST_RECALL
    ): envelope_without_first,
    variant_rules.SwappedAxes(): over_precision,
    variant_rules.RowNumbersAsRanks(): by_row_numbers,
    variant_rules.BestF1(): best_f1,
    **{level_rules.PrecisionAtLevels(n): partial(at_levels, n_points=n) for n in (11, 101)},
    **{
        level_rules.PrecisionAtFallingLevels(n): partial(at_falling_levels, n_points=n)
        for n in (11, 101)
    },
    variant_rules.LinesBetweenHighest(): between_highest,
    variant_rules.DavisGoadrich(): davis_goadrich,
    **{
        variant_rules.MeanOfAllPrecisions(starts): partial(mean_of_precisions, starts=starts)
        for starts in (False, True)
    },
    **{
        miscounted_rules.Miscounted(Step(), each): partial(with_mistake, mistake=each.words)
        for each in miscounted_rules.MISCOUNTS
    },
}


@pytest.mark.sweep(27)
@pytest.mark.parametrize("rule", INSTEAD, ids=repr)
@given(rankings(max_size=12, positives=True))
def test_what_programs_compute_instead_of_step(rule, ranking):
    labels, scores = ranking.labels.tolist(), ranking.scores.tolist()
    sample = DataSet.from_inputs(Inputs(labels, scores))
    value = INSTEAD[rule](labels, scores)
    assert Variant(rule).value(sample).at == near(value)
    assert Variant(rule).simplify_on(sample).value(sample).at == near(value)
    if 0 <= value <= 1 and not isinstance(rule, variant_rules.DavisGoadrich):
        assert write_rule(rule, "term") in compat.identify(float(value), labels, scores).names


# The ranks of hits among five ranks, the number of positives, and what mistakes make of them
RANKS_OF_HITS = [2, 3, 5]
MISCOUNTED_RANKS = [
    (core.ReciprocalRank(), "as 1/(rank + 1)", Fraction(1, 3)),
    (core.ReciprocalRank(), "of the last hit", Fraction(1, 5)),
    (core.ReciprocalRank(), "as a mean over all hits", Fraction(31, 90)),
    (core.ReciprocalRankAtK(3), "of the last hit", Fraction(1, 3)),
    (core.ReciprocalRankAtK(3), "as a mean over all hits", Fraction(5, 12)),
    (core.RPrecision(), "divided by R + 1", Fraction(2, 4)),
]


@pytest.mark.parametrize(("rule", "mistake", "expected"), MISCOUNTED_RANKS, ids=str)
def test_mistakes_in_ranks(rule, mistake, expected):
    labels = [int(rank in RANKS_OF_HITS) for rank in range(1, 6)]
    sample = DataSet.from_inputs(Inputs(labels, [5, 4, 3, 2, 1]))
    [miscounted] = (
        Variant(each)
        for each in miscounted_rules.list_miscounted_ranks(rule.cut)
        if (each.of, each.mistake) == (rule, mistake)
    )
    assert miscounted.value(sample).at == near(expected)
    k = None if rule.cut is None else 3
    found = compat.identify(float(expected), labels, [5, 4, 3, 2, 1], k=k)
    assert miscounted.name in found.names


def average_at_tenths(precision, recall):
    """Without recall 1, and without the point at recall 0."""
    levels = np.arange(0, 1, 0.1)
    return np.mean([precision[:-1][recall[:-1] >= level].max() for level in levels])


def of_first_rows(labels, scores):
    first = np.unique(scores, return_index=True)[1]
    return labels[first], scores[first]


def ndcg_from_second_rank(labels, scores):
    """method=0 of ndcg_at_k in rank_metrics.py."""
    discount = 1 / np.log2(np.maximum(np.arange(1, labels.size + 1), 2))
    return (labels[np.argsort(-scores)] * discount).sum() / discount[: labels.sum()].sum()


REPEATED = Y, P.round(2)
DISTINCT = np.unique(np.column_stack(REPEATED), axis=0).T
PLANTED = {
    "step, ranked by the order of rows": ((Y, P), STEP(Y, -np.arange(300))),
    "step, without the row that has the highest score": (
        (Y, P),
        STEP(np.delete(Y, P.argmax()), np.delete(P, P.argmax())),
    ),
    "step, without duplicated rows": (REPEATED, STEP(*DISTINCT)),
    "step, of only the first row with each score": (REPEATED, STEP(*of_first_rows(*REPEATED))),
    "step, of only the last row with each score": (
        REPEATED,
        STEP(*of_first_rows(*(each[::-1] for each in REPEATED))),
    ),
    "step, scores clipped to [0, 1]": ((Y, 4 * P - 2), STEP(Y, np.clip(4 * P - 2, 0, 1))),
    "step, scores without their signs": ((Y, 4 * P - 2), STEP(Y, np.abs(4 * P - 2))),
    "step, with labels and predict() swapped": ((Y, P), average_precision_score(P > 0.5, Y)),
    "step, ties best, scores with 2 decimals": (
        (Y, P),
        STEP(Y, np.lexsort((Y, P.round(2))).argsort()),
    ),
    "nDCG, with 1/log2(rank) from the second rank on, linear gains": (
        (Y, P),
        ndcg_from_second_rank(Y, P),
    ),
    "step, scores between 11 thresholds": ((Y, P), STEP(Y, np.floor(P * 10))),
    "precision of labels, 1 above 0.5, which isn't an average precision": (
        (Y, P),
        precision_score(Y, P > 0.5),
    ),
    "10-point, recalls 0 to 9/10": (
        (Y, P),
        average_at_tenths(*precision_recall_curve(Y, P)[:2]),
    ),
}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", PLANTED)
def test_what_colleagues_do_is_found(name):
    data, value = PLANTED[name]
    assert compat.identify(value, *data).names[0] == name


def test_accidents_of_four_decimals_are_not_claimed():
    values = np.random.default_rng(1).uniform(0.2, 0.95, 4)
    for value in values:
        found = compat.identify(f"{value:.5f}", Y, P)
        assert not str(found).startswith("On your data, these definitions give")


def test_mean_of_all_precisions_with_weights_and_groups():
    rng = np.random.default_rng(0)
    labels, scores = np.arange(40) % 3 == 0, rng.integers(0, 9, 40)
    weight, group = rng.integers(1, 4, 40), np.arange(40) % 4
    rule = Variant(variant_rules.MeanOfAllPrecisions(True))
    repeated = DataSet.from_inputs(Inputs(np.repeat(labels, weight), np.repeat(scores, weight)))
    weighted = DataSet.from_inputs(Inputs(labels, scores, sample_weight=weight))
    assert rule.value(weighted).at == pytest.approx(rule.value(repeated).at, abs=1e-12)
    precision, _, _ = precision_recall_curve(labels, scores, sample_weight=weight)
    assert rule.value(weighted).at == pytest.approx(precision.mean(), abs=1e-12)
    grouped = rule.values(DataSet.from_inputs(Inputs(labels, scores, groups=group)))[0][0]
    for each in range(4):
        precision, _, _ = precision_recall_curve(labels[group == each], scores[group == each])
        assert grouped[each] == pytest.approx(precision.mean(), abs=1e-12)


def test_rocr_by_hand():
    """A tie with two positives: from (0, 1) by (1/4, 1), (3/4, 3/5) to (1, 4/6)."""
    labels, scores = [1, 1, 0, 1, 0, 1], [6, 5, 5, 5, 3, 2]
    value = (1 + 1 + 2 * (1 + 3 / 4) + 3 / 4 + 4 / 6) / 8
    rows = compat.explain(labels, scores).to_dict()
    assert rows["linear between the highest points"]["value"] == pytest.approx(value, abs=1e-6)
    assert "ROCR" in rows["linear between the highest points"]["reported_by"]


# Laws


def random_data(seed, is_tied):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 300))
    labels = (rng.random(n) < rng.choice([0.05, 0.3, 0.7])).astype(int)
    labels[rng.choice(n, 2, replace=False)] = 0, 1
    scores = rng.random(n) + labels * 0.3
    return labels, scores.round(1) if is_tied else scores


ALONE = [name for name in ap.get_scorer_names() if not name.startswith("mean_average")]


@pytest.mark.sweep(24)
@pytest.mark.parametrize("is_tied", [False, True], ids=["untied", "tied"])
@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 16), marks=pytest.mark.slow)])
def test_each_metric_is_among_the_names_of_its_values(name, is_tied, seeds):
    rule = ap.metric(name).rule
    term = "nDCG" + name[4:].replace("_at_", "@") if "ndcg" in name else write_rule(rule, "term")
    for seed in seeds:
        labels, scores = random_data(seed, is_tied)
        value = Variant(rule).value(DataSet.from_inputs(Inputs(labels, scores))).at
        found = compat.identify(value, labels, scores)
        assert any(each == term or each.startswith(f"{term}, linear") for each in found.names), seed


@pytest.mark.parametrize("seeds", [range(15), pytest.param(range(500), marks=pytest.mark.slow)])
def test_explain_never_contradicts_itself(seeds):
    pattern = re.compile(r"straight lines .* (gain|lose) area .*: ([-+])\d")
    n_found = 0
    for seed in seeds:
        rows = compat.explain(*random_data(seed, is_tied=seed % 5 > 0)).rows
        for row in rows:
            for verb, sign in pattern.findall(row.why):
                assert {"gain": "+", "lose": "-"}[verb] == sign, (seed, row)
                if row.definition == "linear":
                    assert row.difference > 0 if verb == "gain" else row.difference < 0
                n_found += 1
            assert row.why or abs(row.difference) < 1e-9
    assert n_found > len(seeds) / 2


def test_lifts_are_above_1():
    labels, scores = [1, 1, 0, 0, 0, 0, 0, 0, 1, 0], range(10, 0, -1)
    for k, name in ((None, "enrichment factor@1%"), (2, "enrichment factor@2")):
        found = compat.identify(3.3333, labels, scores, k=k)
        assert found.reported == 3.3333
        assert name in found.names
        assert 0 < found.chance < 0.5
    for value in (3.2, 78.3, 1e300, "333.33%"):
        with pytest.raises(ValueError, match="value must be between 0 and 1, or a percentage"):
            compat.identify(value, labels, scores)


@pytest.mark.parametrize(
    ("value", "words"),
    [(1 / 3, "1/3"), (5 / 12, "5/12"), (0.5, ""), (0.6, ""), (1.0, ""), (13 / 18, "")],
)
def test_small_fractions(value, words):
    assert format_small_fraction(value) == words
    assert format_small_fraction(value + 1e-7) == ""


def test_a_small_fraction_is_printed_as_one():
    labels, scores = [0, 0, 1], [3, 2, 1]
    assert "1/3" in str(compat.identify(1 / 3, labels, scores))


@pytest.mark.filterwarnings("ignore:No positive")
@pytest.mark.parametrize("n_empty", [1, 2, 4])
def test_groups_without_positives_are_counted_beside_those_with_one(n_empty):
    n_positives = [0] * n_empty + [1, 1, 1, 2, 3]
    labels = np.concatenate([np.arange(4) < count for count in n_positives])
    scores = np.random.default_rng(0).random(labels.size)
    rows = compat.explain(labels, scores, groups=np.repeat(np.arange(n_empty + 5), 4)).rows
    counted = [row.why for row in rows if "no positives" in row.definition]
    have = "groups has" if n_empty == 1 else "groups have"
    assert len(counted) > 5
    assert all(why.startswith(f"{n_empty} of {n_empty + 5} {have} no positives") for why in counted)


def test_values_that_do_not_count_missed_positives_are_those_without_their_number():
    rng = np.random.default_rng(0)
    labels, scores = rng.random(20) < 0.4, rng.permutation(20)
    plain = {row.definition: row.value for row in compat.explain(labels, scores).rows}
    found = compat.explain(labels, scores, n_positives=int(labels.sum()) + 3).rows
    suffix = ", missed positives not counted"
    values = {
        row.definition.removesuffix(suffix): row.value
        for row in found
        if row.definition.endswith(suffix)
    }
    assert values.keys() >= {"step", "envelope", "linear"}
    for definition, value in values.items():
        assert value == pytest.approx(plain[definition], abs=1e-12)


# --- what colleagues do --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def predicted():
    rng = np.random.default_rng(5)
    labels = (rng.random(1500) < 0.2).astype(int)
    return labels, expit(rng.normal(size=1500) + 1.3 * labels - 1.5)


def mean_over_batches(labels, scores, size):
    starts = range(0, labels.size, size)
    return np.mean(
        [average_precision_score(labels[i : i + size], scores[i : i + size]) for i in starts]
    )


COLLEAGUES = {
    ", scores with 2 decimals": lambda y, s: average_precision_score(y, s.round(2)),
    ", scores with 3 decimals": lambda y, s: average_precision_score(y, s.round(3)),
    ", scores between 20 thresholds": lambda y, s: average_precision_score(y, (s * 19) // 1),
    ", scores between 1000 thresholds": lambda y, s: average_precision_score(y, (s * 999) // 1),
    ", mean over batches of 64 rows": partial(mean_over_batches, size=64),
    "F1 of predicted labels": lambda y, s: f1_score(y, s > 0.5),
    "accuracy of predicted labels": lambda y, s: np.mean(y == (s > 0.5)),
}


@pytest.mark.parametrize("words", COLLEAGUES)
def test_what_colleagues_do_is_among_the_first_three(predicted, words):
    value = COLLEAGUES[words](*predicted)
    assert any(words in name for name in compat.identify(f"{value:.6f}", *predicted).names[:3])


def test_other_numbers_of_thresholds_and_rows_are_tried_if_they_are_passed(predicted):
    labels, scores = predicted
    of_bins = f"{average_precision_score(labels, (scores * 36) // 1):.6f}"
    names = compat.identify(of_bins, *predicted, n_thresholds=37).names
    assert "step, scores between 37 thresholds" in names
    of_batches = f"{mean_over_batches(labels, scores, 300):.6f}"
    names = compat.identify(of_batches, *predicted, batch_size=300).names
    assert "step, mean over batches of 300 rows" in names


@pytest.mark.parametrize(("scores", "is_known"), [([4, 3, 2, 1], True), ([3, 2, 2, 1], False)])
def test_what_needs_rows_in_rank_order_is_unknown_with_ties(scores, is_known):
    found = compat.explain([0, 1, 0, 1], scores, groups=[*"qqqq"], k=3)
    assert any("Evidently" in row.reported_by for row in found.rows) == is_known


def test_ids_that_are_integers_are_sorted_as_text():
    """So "10" is before "8", and the positive is the last of the tied samples."""
    row = trec_row(compat.explain([0, 1, 0], [1, 1, 1], ids=[9, 10, 8]).rows)
    assert row.value == pytest.approx(1 / 3)


def test_what_could_give_a_value_is_shown_beside_many_that_do():
    """It is the least likely by chance here, and eight rows have other values."""
    found = compat.identify("0.00", np.arange(463) % 46 == 5, np.zeros(463))
    assert "These could give it, in some order of the tied samples:" in said(found)
    least = min(match.chance for match in found.matches)
    assert any(match.name in said(found) for match in found.matches if match.chance == least)
