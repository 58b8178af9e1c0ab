"""Metrics by the names that the package prints, and metrics combined with their options."""

import copy
import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.metrics import label_ranking_average_precision_score, recall_score

import sklearn_ap as ap
from sklearn_ap._inputs.metric_names import (
    describe_meaning,
    find_meaning,
    find_rule_options,
    parse_metric_name,
    short_names,
    suggest_name,
    write_rule,
)
from sklearn_ap.boosting import lightgbm_metric, xgboost_metric
from sklearn_ap.core.rules import AveragePrecisionAtK, RecallAtK

rng = np.random.default_rng(0)
GROUPS = np.repeat(["a", "b", "c", "d", "e", "f"], 20)
Y = rng.random(120) < 0.4
A = rng.integers(0, 40, 120) + 12 * Y
B = rng.integers(0, 40, 120) + 15 * Y
WEIGHT = rng.integers(1, 9, 120)


def draw(*args, **options):
    pytest.importorskip("matplotlib")
    return ap.AveragePrecisionDisplay.from_predictions(*args, **options)


def rule_of(name):
    named = parse_metric_name(name)
    return named.make(**named.options)


def test_one_rule_in_each_style():
    rule = AveragePrecisionAtK(20, "best", "samples", "hits")
    assert (
        write_rule(rule, "title") == "Average precision at 20 rows divided by hits with best ties"
    )
    assert write_rule(rule, "short") == "AP@20 rows / hits, ties best"
    assert write_rule(rule, "term") == "AP@20 rows / hits"
    assert write_rule(RecallAtK(1, k_counts="samples")) == "Recall at 1 row"
    assert parse_metric_name("Recall at 1 row").rule() == RecallAtK(1, k_counts="samples")
    name = "average_precision_at_20_denominator=hits_k_counts=samples_ties=best"
    assert write_rule(rule, "name") == name
    options = {"ties": "best", "k_counts": "samples", "denominator": "hits"}
    assert lightgbm_metric("AP@20", **options).__name__ == name.replace("=", "_")


def get_scorer(name):
    with config_context(enable_metadata_routing=True):
        return ap.get_scorer(name)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("EF1%", "EF@1%"),
        ("lift@10%", "EF@10%"),
        ("P_10", "P@10"),
        ("recall_10", "R@10"),
        ("map_cut_10", "MAP@10 / relevant"),
        ("Rprec", "R-precision"),
        ("RR", "reciprocal rank"),
        ("recip_rank", "reciprocal rank"),
        ("RR@10", "reciprocal rank@10"),
        ("PPV@1%", "P@1%"),
        *((name, "hit rate at 10") for name in ("success_10", "HR@10", "hit@10")),
        ("VOC2007", "11-point"),
        ("VOC2012", "envelope"),
        ("AP@10 %", "AP@10%"),
        ("AP@20/hits", "AP@20 / hits"),
        ("AP@20 /relevant, ties best", "AP@20 / relevant, ties best"),
        # short names
        ("AP", "average_precision"),
        ("AP@20", "average_precision_at_20"),
        ("ap@1%", "average_precision_at_1%"),
        ("11-point AP", "11_point_average_precision"),
        ("P@10", "precision_at_10"),
        ("precision@10", "precision_at_10"),
        ("R@1%", "recall_at_1%"),
        ("interpolated AP", "interpolated_average_precision"),
        *((name, "precision_at_recall_0.9") for name in ("Precision at recall 0.9", "P@R=0.9")),
        ("R@P90%", "recall_at_precision_0.9"),
        ("EF@1%", "enrichment_factor_at_1%"),
        ("MAP", "mean_average_precision"),
        ("mAP", "mean_average_precision"),
        # a cutoff is not an overlap
        ("MAP@10", "mean_average_precision_at_10"),
        ("mAP@50", "mean_average_precision_at_50"),
        ("mAP@50%", "mean_average_precision_at_50%"),
        ("MAP@0.5%", "MAP @ 0.5 %"),
    ],
)
def test_names_of_other_tools_and_short_names_are_read(theirs, ours):
    assert parse_metric_name(theirs) == parse_metric_name(theirs.upper()) == parse_metric_name(ours)
    scorers = [get_scorer(name) for name in (theirs, ours)]
    assert repr(scorers[0]) == repr(scorers[1])
    assert scorers[0].__name__ == scorers[1].__name__


# Whatever takes the name of a metric, and what it makes of it
BY_QUERY = {"groups": GROUPS}
DOORS = {
    "metric": lambda name: ap.metric(name)(Y, A, **BY_QUERY),
    "confidence_interval": lambda name: ap.confidence_interval(
        Y, A, metric=name, random_state=0, **BY_QUERY
    ),
    "compare": lambda name: ap.compare(Y, A, B, metric=name, **BY_QUERY).difference,
    "report": lambda name: ap.report(Y, {"a": A}, metrics=[name], **BY_QUERY).rows[0].value,
    "get_scorer": lambda name: repr(get_scorer(name)),
    "lightgbm_metric": lambda name: lightgbm_metric(name)(Y, A, None, np.full(6, 20)),
    "xgboost_metric": lambda name: xgboost_metric(name).__name__,
    "display": lambda name: draw(Y, A, metric=name, **BY_QUERY).curves[0].value,
}
AT_7 = ap.metric("AP@7", denominator="hits")
each_door = pytest.mark.parametrize("door", DOORS)


@pytest.mark.sweep(6)
@each_door
@pytest.mark.parametrize(
    ("given", "name"),
    [("map_cut_10", "MAP@10 / relevant"), ("EF1%", "EF@1%"), (AT_7, "AP@7 / hits")],
)
def test_every_door_reads_names_of_other_tools_and_metrics(door, given, name):
    if (door, given) in (("display", "EF1%"), ("metric", AT_7)):
        pytest.skip("not an area, or a metric already")
    assert DOORS[door](given) == DOORS[door](name)


@each_door
@pytest.mark.parametrize("name", ["aucpr", "mAP@0.5"])
def test_every_door_explains_names_with_several_meanings(door, name):
    with pytest.raises(ValueError, match=re.escape(describe_meaning(name))):
        DOORS[door](name)


def test_the_area_under_straight_lines_works_where_metrics_are_called():
    y_true, y_score = [0, 1, 0, 1, 1], [5, 4, 3, 2, 1]
    value = ap.compat.trapezoidal_average_precision_score(y_true, y_score)
    assert ap.metric("linear")(y_true, y_score) == value
    assert ap.confidence_interval(y_true, y_score, metric="linear").value == value
    by_name = ap.metric("linear").by_name(y_true, y_score, groups=[*"aaabb"])
    assert by_name == {"a": pytest.approx(1 / 4), "b": 1.0}


@each_door
@pytest.mark.parametrize("name", ["AUPRC", "PR AUC"])
def test_every_door_says_first_what_to_pass_for_the_area_under_the_curve(door, name):
    with pytest.raises(ValueError, match=r"^Pass 'AP' ") as caught:
        DOORS[door](name)
    assert len(str(caught.value).split()) <= 30


@pytest.mark.parametrize(
    "name",
    [
        "",
        "mean",
        "p",
        "precision",
        "recall",
        "DCG@10",
        "AUC-PR",
        "AP@",
        "AP@ties",
        "R2",
        "P@-1",
        "precision_at_-0.5",
        "AP@1e3",
        "P@1,000",
        "AP@#",
        "EF1",
        "11%-point",
        "MAP@k",
        "mean_average_precision_at_k",
        "5-foo",
        "5-",
        "5",
        "-point",
        "point",
        "-3-point",
        "x-point",
    ],
)
def test_other_names_are_nobodys(name):
    with pytest.raises(KeyError):
        parse_metric_name(name)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("average_precison_at_25", "average_precision_at_25"),
        ("avg_precision", "average_precision"),
        ("preciison@15", "precision_at_15"),
        ("recal at 2%", "recall_at_2%"),
        ("mean_average_precison@7", "mean_average_precision_at_7"),
        ("precision_at_recal_0.8", "precision_at_recall_0.8"),
        ("lift 10%", "lift@10%"),
        ("EF1percent", "EF@1%"),
        *((name, None) for name in ("AP50", "dcg_at_10", "pr_auc", "lift", "precision", 3)),
        *((name, None) for name in ("AP@1e3", "AP@-3", "P@1,000")),
        ("weighted mean average precision", None),
        # Nothing is suggested that leaves something out.
        *((name, None) for name in ("AP@20 k", "AP@1_000", "AP@1 000", "AP@10_%", "AP@10‰")),
        *((name, None) for name in ("AP@٣", "AP@²", "AP@5 or 10", "precison@20 ties best")),
        *((f"avrage_precision_at_20{more}", None) for more in (" / hits", "_rows")),
        *((f"mean_{name}", None) for name in ("mean_average_precision", "average_precison_at_0.5")),
    ],
)
def test_the_name_that_was_meant_keeps_its_number(wrong, meant):
    assert suggest_name(wrong) == meant
    if meant is not None:
        parse_metric_name(meant)
    with pytest.raises(KeyError):
        parse_metric_name(str(wrong))


PARTS = [
    "average",
    "avrage",
    "precision",
    "precison",
    "mean",
    "interpolated",
    "recall",
    "recal",
    "AP",
    "mAP",
    "MAP@",
    "P",
    "EF",
    "at",
    "@",
    "_",
    " ",
    "-",
    "point",
    "score",
    "k",
    "of",
    "a",
    "10",
    "101",
    "0.5",
    ".9",
    "1",
    "٣",
    "²",
    "%",
    " %",
    "‰",
    ",",
    "e3",
    " / hits",
    "/k",
    ", ties best",
    " with worst ties",
    " rows",
    " ties=best",
    " (k_counts=rows)",
]


@pytest.mark.slow
@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=7) | st.text(max_size=30).map(list))
@example(["avrage", "_", "precision", "_at_", "10", " %"])
@example(["recal", "@", ".9", "%"])
def test_a_suggestion_keeps_the_number_the_percent_sign_and_the_options(parts):
    text = "".join(parts)
    meant = suggest_name(text)
    if meant is not None:
        parse_metric_name(meant)
        number = re.findall(r"[\d.]*\d", text)
        assert number in (re.findall(r"[\d.]*\d", meant), [])
        assert not number or text.count("%") == meant.count("%")
        assert not re.search("hits|best|worst|rows|ties|/|‰|,|²", text)


def test_the_advice_on_overlaps_names_a_page():
    page = Path(__file__).parents[1] / "docs" / "detection.md"
    assert "# Object detection (mAP)\n" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("share", [1e-7, 5e-324, 0.1, 1, np.float64(1e-5)])
def test_tiny_decimals_are_read_back(share):
    for name, option in (("precision_at_recall", "min_recall"), ("R@P", "min_precision")):
        found = ap.metric(name.replace("R@P", "recall_at_precision"), **{option: share})
        assert rule_of(found.name) == rule_of(write_rule(found.rule, "short")) == found.rule
        assert "e-" not in lightgbm_metric(found).__name__


@pytest.mark.parametrize(
    ("name", "options", "title"),
    [
        ("P@10", {"ties": "best"}, "Precision at 10 with best ties"),
        ("recall_at_k", {"k": 0.01}, "Recall at 1%"),
        *((f"precision_at_{k}", {}, f"Precision at {k}") for k in ("0.55%", "29%", "0.7%")),
        ("R@1%", {"sample_weight": "sum", "k_counts": "samples"}, "Recall at 1% of rows, by sum"),
        ("R@1%", {"sample_weight": WEIGHT}, "Recall at 1%, weighted"),
        ("MAP", {"average": "weighted"}, "Weighted mean average precision (average=weighted)"),
        (
            "MAP@5",
            {"groups": "query", "zero_division": 0.0},
            "Mean average precision at 5 per query (zero_division=0.0)",
        ),
        ("map_cut_10", {}, "Mean average precision at 10 divided by relevant"),
        ("MRR", {}, "Mean reciprocal rank"),
        ("MRR@10", {}, "Mean reciprocal rank at 10"),
        ("mrr@1%", {"ties": "best"}, "Mean reciprocal rank at 1% with best ties"),
        ("mean Rprec", {}, "Mean R-precision"),
        ("nDCG@5", {"gains": {2: 3.5, 1: 1}}, "nDCG at 5 with 1:1, 2:3.5 gains"),
        ("linear", {}, "Area under the linearly interpolated curve"),
    ],
)
def test_its_name_tells_what_it_is(name, options, title):
    assert ap.metric(name, **options).name == title


def test_it_is_a_value():
    one, same = (ap.metric("P@10", ties="best", min_grade=2) for _ in range(2))
    assert one == same == ap.metric("precision_at_k", k=10, ties="best", min_grade=2)
    assert hash(one) == hash(same)
    assert ap.metric("P@10", ties="best") != one != "P@10"
    assert repr(one) == "metric('P@10', ties='best', min_grade=2)"
    weighted = ap.metric("R@10", sample_weight=WEIGHT)
    assert weighted == ap.metric("R@10", sample_weight=WEIGHT)
    assert ap.metric("R@10", sample_weight=WEIGHT + 1) != weighted
    assert ap.metric("R@10", sample_weight=list(WEIGHT)) != weighted
    assert ap.metric("AP@5") != ap.metric("MAP@5") == ap.metric("mean AP@5")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize(
    "options",
    [
        {"sample_weight": np.array([1.0, 2.0, np.nan])},
        {"sample_weight": pd.Series([1.0, 2.0], name="amount"), "groups": ["a", "b"]},
        {"n_positives": {"a": 3, "b": 4}, "zero_division": float("nan")},
        {"n_positives": pd.Series({"a": 3, "b": 4}), "pos_label": "yes"},
        {"classes": np.array(["a", "b", "c"], dtype=object)},
    ],
    ids=str,
)
def test_copies_are_the_same_metric(copied, options):
    one = ap.metric("R@10", **options)
    other = copied(one)
    assert (one, hash(one)) == (other, hash(other))
    assert one != ap.metric("R@10", **options, min_grade=2)
    assert one != ap.metric("R@10", **options | {"sample_weight": np.array([1.0, 3.0])})
    assert one != ap.metric("R@10", **options | {"n_positives": {"a": 3}})


def test_it_stands_for_its_name_and_options_everywhere():
    at_7 = ap.metric("precision_at_k", k=7, ties="best")
    expected = ap.precision_at_k_score(Y, A, k=7, ties="best")
    assert ap.confidence_interval(Y, A, metric=at_7, random_state=0).value == expected
    envelope = ap.metric("interpolated_average_precision", n_points=5)
    exact = ap.interpolated_average_precision_score(Y, A, n_points=5)
    assert ap.confidence_interval(Y, A, metric=envelope).value == exact
    for scorer in (ap.make_ap_scorer(at_7), ap.make_ap_scorer(metric=at_7), ap.get_scorer(at_7)):
        assert repr(scorer) == repr(ap.make_ap_scorer("precision_at_7", ties="best"))
    at_5 = ap.metric("MAP@5", zero_division=0.0)
    with config_context(enable_metadata_routing=True):
        assert repr(ap.get_scorer(at_5)) == repr(ap.make_ap_scorer("MAP@5", zero_division=0.0))
    weighted = ap.confidence_interval(Y, A, metric=ap.metric("AP", sample_weight=WEIGHT))
    assert tuple(weighted) == tuple(ap.confidence_interval(Y, A, sample_weight=WEIGHT))


def test_weights_in_a_metric_are_columns_of_a_table_too():
    table, options = {"y": Y, "s": A, "amount": WEIGHT}, {"k_counts": "samples"}
    by_amount = ap.metric("R@10", sample_weight="amount", **options)
    found = ap.confidence_interval("y", "s", data=table, metric=by_amount, random_state=0)
    options |= {"sample_weight": WEIGHT, "random_state": 0}
    assert tuple(found) == tuple(ap.confidence_interval(Y, A, metric="R@10", **options))


@pytest.mark.parametrize(
    ("name", "options", "function"),
    [
        ("AP@20", {"ties": "best"}, ap.average_precision_at_k_score),
        ("101-point", {}, ap.interpolated_average_precision_score),
        ("MAP@5", {"groups": GROUPS}, ap.mean_average_precision_score),
        ("mean P@5", {"groups": GROUPS}, ap.precision_at_k_score),
        ("EF@5%", {"sample_weight": WEIGHT, "k_counts": "samples"}, ap.enrichment_factor_score),
    ],
)
def test_a_called_metric_returns_what_its_function_returns(name, options, function):
    number = parse_metric_name(name).options
    called = pickle.loads(pickle.dumps(ap.metric(name, **options)))
    assert called(Y, A) == function(Y, A, **number, **options)
    # MLflow refuses "%", "=" and "@", and XGBoost spaces.
    assert re.fullmatch(r"[\w.-]+", called.__name__)


def test_values_by_name():
    table = {"y": [1, 0, 1, 0], "s": [0.9, 0.2, 0.3, 0.4], "day": ["mon", "mon", "tue", "tue"]}
    found = ap.metric("AP").by_name("y", "s", data=table, groups="day")
    assert found == {"mon": 1.0, "tue": 0.5}
    assert {type(value) for value in found.values()} == {float}
    arrays = ap.metric("AP", average="weighted", groups=table["day"])
    assert arrays.by_name(table["y"], table["s"]) == found


def test_values_by_the_names_of_classes():
    labels = pd.DataFrame({"cat": [1, 0, 0], "dog": [0, 1, 1]})
    scores = np.array([[0.5, 0.2], [0.7, 0.9], [0.1, 0.6]])
    precision = ap.metric("P@1")
    assert precision.by_name(labels, scores) == {"cat": 0.0, "dog": 1.0}
    assert precision.by_name(labels.to_numpy(), scores) == {0: 0.0, 1: 1.0}
    table = labels.assign(c=scores[:, 0], d=scores[:, 1])
    assert precision.by_name(["cat", "dog"], ["c", "d"], data=table) == {"cat": 0.0, "dog": 1.0}
    of_classes = precision.by_name(["a", "b", "c"], np.eye(3))
    assert of_classes == {"a": 1.0, "b": 1.0, "c": 1.0}


def test_a_metric_of_a_metric_adds_options():
    assert ap.metric(AT_7) == AT_7
    assert ap.metric(AT_7, ties="best") == ap.metric("AP@7", denominator="hits", ties="best")
    with pytest.raises(TypeError, match="denominator is already given in metric"):
        ap.metric(AT_7, denominator="k")


def test_the_specificity_is_where_the_advice_says():
    y_true, y_score = np.array([1, 0, 0, 1, 0]), np.array([5, 4, 3, 2, 1])
    assert recall_score(y_true, y_score >= 3, pos_label=0) == 1 / 3


def test_the_short_names_in_errors_are_read():
    assert all(map(parse_metric_name, short_names()))


PARAMETERS = {
    "metric": "'name' parameter of metric",
    "report": "'metrics' parameter of report",
    "get_scorer": "'scoring' parameter of get_scorer",
    "display": "'metric' parameter of ",
}


@pytest.mark.parametrize("door", [*DOORS, "make_ap_scorer"])
def test_an_unknown_metric_is_refused_with_the_parameter_and_short_names(door):
    with pytest.raises(ValueError, match="Did you mean 'precision_at_15'") as caught:
        DOORS.get(door, ap.make_ap_scorer)("precison_at_15")
    words = str(caught.value)
    assert PARAMETERS.get(door, f"'metric' parameter of {door}") in words
    assert "'AP', 'AP@10', 'P@10', 'R@1%', 'EF@1%', 'MAP', 'MAP@10', '11-point'" in words
    assert not re.search("at-k|envelope", words)


@pytest.mark.parametrize("option", sorted(find_rule_options()))
def test_a_report_leaves_options_to_its_metrics(option):
    words = (
        rf"report\(\) got .* '{option}'\. .* metrics=\[sklearn_ap\.metric\(\.\.\., {option}=2\)\]"
    )
    with pytest.raises(TypeError, match=words):
        ap.report([1, 0], [2, 1], **{option: 2})


@pytest.mark.parametrize(
    ("name", "advised"),
    [
        *(
            ("AP@0.5", "AP@50%"),
            ("P_0.5", "P_50%"),
            ("P.0.5", "P.50%"),
            ("recall 0.5", "recall 50%"),
        ),
        *(("EF@0.01", "EF@1%"), ("nDCG@.5", "nDCG@50%"), ("mean P@1.0", "mean P@100%")),
        *(
            ("AP@k", "ap@10"),
            ("R @ K", "r@10"),
            ("ap-at-k", "ap@10"),
            ("hit rate@k", "hit rate@10"),
        ),
        *(
            (f"{mean}{hits}1%", "success@1%")
            for mean in ("", "mean ")
            for hits in ("hit rate@", "HR at ")
        ),
        *((name, "interpolated_average_precision") for name in ("40-point", "mean 40 point AP")),
    ],
)
def test_names_with_several_readings_are_refused(name, advised):
    assert find_meaning(name) is None
    says = describe_meaning(name)
    assert repr(advised) in says
    assert find_meaning(advised) is not None
    with pytest.raises(ValueError, match=re.escape(says)):
        ap.metric(name)


@pytest.mark.parametrize(
    ("names", "advised"),
    [
        (("MAP@R", "mAP@r", "mean_average_precision_at_r"), "compat.explain does"),
        (("R40", "AP_R40", "AP|R40", "mAP R40"), "compat.explain has"),
        (("lwlrap", "LRAP", "label_ranking_average_precision_score"), "average='samples'"),
        (("Precision-Recall-Gain", "AUPRG", "prg"), "confidence_interval says"),
    ],
)
def test_what_others_call_average_precision_is_told_from_it(names, advised):
    for name in names:
        with pytest.raises(ValueError, match=re.escape(advised)):
            ap.metric(name)


def test_lwlrap_is_what_its_name_says():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, (40, 6)), rng.integers(0, 5, (40, 6))
    labels[:, 0] = 1
    weights = {"sample_weight": labels.sum(axis=1)}
    ranked = ap.average_precision_score(labels, scores, average="samples", **weights)
    theirs = label_ranking_average_precision_score(labels, scores, **weights)
    assert ranked == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(
    "name",
    [
        *("precision at recall 0.9", "R@P0.5", "recall_at_precision=.9", "AP@10 rows", "P@1.0%"),
        *("P_10", "mAP@50%", "success@1%", "HR@10"),
    ],
)
def test_names_with_one_reading_stay(name):
    assert find_meaning(name) == parse_metric_name(name)


def test_names_of_scikit_learn_are_said_to_stay_there():
    import sklearn.metrics

    for name in sklearn.metrics.__all__:
        if hasattr(ap, name):
            continue
        with pytest.raises(
            ImportError, match=f"'{name}' from 'sklearn_ap'. It stays in sklearn.metr"
        ):
            exec(f"from sklearn_ap import {name}")
        with pytest.raises(AttributeError, match=r"It stays in sklearn\.metrics"):
            getattr(ap, name)
    with pytest.raises(ImportError, match="Did you mean: 'average_precision_score'"):
        exec("from sklearn_ap import average_precison_score")
