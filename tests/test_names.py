"""What metrics are called, by people and by other tools, and which names are refused."""

import pickle
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.metrics import make_scorer

import sklearn_ap as ap
from sklearn_ap._core import parse_name, write_title
from sklearn_ap._core.rules import RULES
from sklearn_ap.exceptions import UnknownMetricError

from .cases import OPTIONS

MEANINGS = {  # the names, and how the package writes them
    "average_precision": ["AP", "ap", " step AP ", "step", "average precision",
                          "average_precision_score"],
    "average_precision_at_10": ["AP@10", "ap_at_10", "AP at 10", "average-precision@10"],
    "average_precision_at_1%": ["AP@1%", "average precision at 1 percent"],
    "average_precision_at_10_denominator=relevant": ["AP@10 / relevant"],
    "average_precision_at_10_denominator=hits": ["AP@10/hits"],
    "average_precision_at_10_ties=best": ["AP@10, ties best", "AP@10 ties=best"],
    "interpolated_average_precision": ["envelope AP", "all-point AP", "VOC2010", "VOC2012",
                                       "VOC 2010", "voc 2012"],
    "11_point_average_precision": ["11-point", "11 point AP", "eleven_point_average_precision",
                                   "11-point interpolated AP"],
    "11_point_float_average_precision": ["VOC07", "VOC 07", "VOC2007", "VOC 2007",
                                         "11-point float"],
    "101_point_float_average_precision_ties=input": ["COCO", "COCO AP",
                                                     "101-point float, ties=input"],
    "mean_101_point_float_average_precision_ties=input": ["COCO mAP"],
    "101_point_average_precision": ["101-point"],
    "precision_at_10": ["P@10", "P_10", "P.10", "precision@10", "PPV@10"],
    "precision_at_0.5%": ["P@.5%", "P@0.5%", "P @ 0.5 %"],
    "precision_at_0.7%": ["P@0.7%"],  # 0.7/100 is 0.006999999999999999
    "recall_at_5": ["R@5", "recall_5", "recall@5"],
    "recall_at_100": ["R@100"],
    "recall_at_10_denominator=min": ["R_cap@10"],
    "recall_at_0.00001%": ["recall@0.00001%"],
    "enrichment_factor_at_1%": ["EF1%", "EF@1%", "lift@1%"],
    "r_precision": ["R-precision", "Rprec", "r_precision_score"],
    "reciprocal_rank": ["RR", "recip_rank"],
    "reciprocal_rank_at_10": ["RR@10"],
    "hit_rate_at_10": ["HR@10", "hit rate@10", "success_10", "hits@10"],
    "precision_at_recall_0.9": ["P@R 0.9", "precision@recall 0.9", "precision at recall 90%"],
    "recall_at_precision_0.9": ["R@P 0.9"],
    "recall_at_precision_0.0000001": ["R@P 0.0000001"],
    "ndcg": ["nDCG", "NDCG"],
    "ndcg_at_10": ["nDCG@10", "ndcg_cut_10"],
    "ndcg_gains=exponential": ["nDCG exponential"],
    "ndcg_at_10_gains=exponential": ["nDCG@10 exponential"],
    "mean_average_precision": ["MAP", "mean AP", "map"],
    "mean_average_precision_at_10": ["MAP@10", "mean AP@10", "map_cut_10 denominator=min"],
    "mean_average_precision_at_10_denominator=relevant": ["map_cut_10"],
    "mean_11_point_average_precision": ["mean 11-point", "mean eleven_point_average_precision"],
    "mean_reciprocal_rank": ["MRR"],
    "mean_reciprocal_rank_at_10": ["MRR@10"],
    "mean_precision_at_10": ["mean P@10"],
}  # fmt: skip
PAIRS = [(name, ours) for ours, names in MEANINGS.items() for name in [ours, *names]]


@pytest.mark.parametrize(("name", "ours"), PAIRS)
def test_a_name_is_written_as_ours(name, ours):
    metric = ap.metric(name)
    assert metric.name == ours
    assert ap.metric(metric.name) == metric


CALLS = [
    {"average": None}, {"zero_division": np.nan}, {"pos_label": np.str_("x")}, {"min_grade": 2},
    {"classes": np.array([2, 1, 0])}, {"ties": "best", "pos_label": np.int64(0)},
]  # fmt: skip


@pytest.mark.parametrize("options", CALLS, ids=str)
def test_the_repr_of_a_metric_is_its_call(options):
    metric = ap.metric("AP@10", **options)
    again = eval(repr(metric), {"metric": ap.metric})
    assert repr(again) == repr(metric)
    assert again._data_options.keys() == metric._data_options.keys()


UNCLEAR = {
    "AP@k": "doesn't say k",
    **dict.fromkeys(["AP@-1", "-5 point", "- 5-point", "P@ -5"], "negative"),
    **dict.fromkeys(["precision_at_recall_-0.5", "recall_at_precision_-1"], "negative"),
    "mAP": "'MAP'; for boxes, write 'COCO mAP'",
    "precision": "'precision at 10'",
    **dict.fromkeys(
        ["P@200 per day", "accuracy", "tnr", "AP@10@20"], r"get_scorer_names\(\) lists|call"
    ),
    **dict.fromkeys(["EF1", "EF 1", "EF5", "ef_5", "EF0.5"], "'EF@1%'"),
    "AP@0.5": "could be an overlap of boxes or a fraction of the ranking. .* 'AP@50%'",
    "mAP@0.5": "overlap of boxes",
    "hit rate@1%": "P@1%",
    "HR@1%": "P@1%",
    "mean hit rate@1%": "P@1%",
    "40-point": "KITTI",
    "map_at_10": "MAP@10",
    "AP@0": "k must be",
    "0-point": "n_points must be",
    "precision_at_recall": "needs? min_recall|min_recall",
    "auc": "not the name of a metric",
    **dict.fromkeys(
        ["pr auc", "AUPRC", "AUPR", "prc_auc", "AUC-PR"], "ambiguous: write 'AP' for steps"
    ),
    "recall@10, grid=float": "says grid",
    "AP50": "overlap of boxes",
    "COCO AP50": "overlap of boxes",
    "COCO mAP@[.5:.95]": "overlap of boxes",
    "AP@[.5:.95]": "overlap of boxes",
    "precision_at_k": "doesn't say k",
    "#-point": "not the name of a metric",
    "": "not the name of a metric",
    "@10": "not the name of a metric",
    "AP@1@2": "not the name of a metric",
    "AP, tie=input": "not the name of a metric",
    "step, weights left out": "not the name of a metric",
    **dict.fromkeys(["specificity", "sensitivity@0.03", "TPR@0.01"], "call operating_point"),
    "mean of P@1 to P@10": r"not the name of a metric. get_scorer_names\(\) lists",
    "mAP@0.5:0.95": "overlap of boxes",
    **dict.fromkeys(["roc_auc", "ROC AUC", "auroc"], r"such as sklearn\.metrics\.roc_auc_score"),
    "F1": "for F1 predicted labels as scores",
}


@pytest.mark.parametrize("name", UNCLEAR)
def test_a_name_that_is_refused(name):
    with pytest.raises((ValueError, TypeError), match=UNCLEAR[name]):
        ap.metric(name)


@pytest.mark.parametrize("name", [*OPTIONS, "ndcg", "linear"])
def test_titles_are_names(name):
    options = OPTIONS.get(name, {"k": (None, 5), "gains": ("linear", "exponential")})
    if name == "linear":
        options = {}
    n_titles = 0
    for values in product(*options.values()):
        chosen = dict(zip(options, values, strict=True))
        try:
            metric = ap.metric(name, **chosen)
        except ValueError:  # of options that exclude each other
            continue
        for groups in ("", "seeds", "data sets and seeds"):
            title = write_title(metric, groups)
            assert ap.metric(title)._rule == metric._rule
            assert ap.metric(title)._is_mean == bool(groups)
            n_titles += 1
    assert n_titles > 0


@pytest.mark.parametrize(
    ("metric", "title"),
    [
        ("AP, ties=input", "Average precision, ties=input"),
        ("COCO", "COCO average precision, ties=input"),
        ("101-point float", "101-point float average precision"),
        ("VOC07, ties=input", "VOC 2007 average precision, ties=input"),
        ("MAP@10/relevant", "Mean average precision at 10, denominator=relevant"),
        ("mean P@1%, k_counts=samples", "Mean precision at 1%, k_counts=samples"),
        ("ndcg exponential", "nDCG, gains=exponential"),
        (ap.metric(max, name="F1_score"), "F1_score"),
    ],
)
def test_titles(metric, title):
    made = ap.metric(metric)
    assert write_title(made) == title
    of_one = write_title(ap.metric(made._rule.title) if made._is_mean else made)
    assert write_title(made, "days").startswith(of_one)
    assert write_title(made, "days").endswith(", mean over days")


MISSPELLED = {
    "avg_precision": "AP", "average_precison": "AP", "Average Precison@5": "AP@5",
    "mean_avg_precision": "MAP", "MAP@ten": "MAP@10", "lift": "EF@10",
    "enrichment_facto": "enrichment_factor",
    "precision_at_ten": "P@10", "precison@5": "P@5", "p@1o": "P@1", "recal@10": "R@10",
    "ndgc@10": "nDCG@10", "hitrate@10": "hit rate@10",
    "hit_ratio@10": "hit rate@10", "sucess@5": "hit rate@5", "r-precission": "R-precision",
    "mean_reciprocal": "mean RR", "reciprocal_rnk": "RR", "mrr@ten": "MRR@10",
    "11-pont": "11-point", "envelop": "envelope", "lineer": "linear", "coc": "COCO",
}  # fmt: skip


@pytest.mark.parametrize("name", MISSPELLED)
def test_the_nearest_name_is_suggested(name):
    with pytest.raises(UnknownMetricError, match="Did you mean") as caught:
        ap.metric(name)
    (suggested,) = re.findall(r"Did you mean '(.*)'\?", str(caught.value))
    assert ap.metric(suggested) == ap.metric(MISSPELLED[name])


with sklearn.config_context(enable_metadata_routing=True):
    NAMES = ap.get_scorer_names()


@pytest.mark.parametrize("name", NAMES)
def test_each_name_of_the_list_makes_a_metric(name):
    assert ap.metric(name).name in {name, "11_point_average_precision"}


def test_the_list_has_every_definition():
    kinds = {type(ap.metric(name)._rule) for name in NAMES}
    assert {rule.__name__ for rule in {*RULES} - kinds} == {"Linear"}
    assert sorted({*NAMES}) == NAMES
    exact = {parse_name(name).rule_type for name in OPTIONS}
    assert {rule.__name__ for rule in {*RULES} - exact} == {"Linear", "NDCG"}  # tested on their own
    without_number = {"interpolated_average_precision", "ndcg", "reciprocal_rank"}
    assert without_number <= {*NAMES}  # and those with a typical one


# --- metrics --------------------------------------------------------------------------------------

DATA, GROUPS = ([0, 2, 1, 0], [4, 3, 2, 1]), ["a", "a", "b", "b"]


@pytest.mark.parametrize(
    ("definition", "options", "same"),
    [
        ("AP", {"min_grade": 1}, ap.metric(ap.metric("AP"), min_grade=1)),
        ("P@2", {"min_grade": 2}, ap.metric("precision_at_k", k=2, min_grade=2)),
        ("MAP", {"k": 2, "min_grade": 1}, ap.metric("MAP@2", min_grade=1)),
        ("MAP", {"n_points": 11, "k": None}, ap.metric("mean 11-point")),
        ("MRR", {"k": 3}, ap.metric("MRR@3")),
        ("nDCG", {"k": 3}, ap.metric("nDCG@3")),
        ("interpolated_average_precision", {"n_points": 101}, ap.metric("101-point")),
        ("envelope AP", {"n_points": 11, "grid": "float"}, ap.metric("VOC07")),
        ("precision_at_recall", {"min_recall": 0.9}, ap.metric("P@R 0.9")),
        (ap.metric("AP", min_grade=1), {"min_grade": 2}, ap.metric("AP", min_grade=2)),
        (ap.metric("MAP@3", ties="best"), {"k": 5}, ap.metric("MAP@5", ties="best")),
    ],
)
def test_options(definition, options, same):
    metric = ap.metric(definition, **options)
    assert (metric.name, metric._data_options) == (same.name, same._data_options)
    assert {metric: "a key"}[same] == "a key"
    assert pickle.loads(pickle.dumps(metric)) == metric


@pytest.mark.parametrize("kind", [np.int32, np.uint8, np.float32, np.float64])
def test_numbers_of_numpy_are_written_so_that_they_are_read_again(kind):
    k = kind(3) if kind in (np.int32, np.uint8) else kind(0.1)
    for metric in (ap.metric("P@k", k=k), ap.metric("AP@k", k=k, denominator="k")):
        assert ap.metric(metric.name) == metric
        assert eval(repr(metric), vars(ap)) == metric


def test_equal_targets_make_equal_metrics():
    whole, real = (ap.metric("precision_at_recall", min_recall=target) for target in (1, 1.0))
    assert whole == real
    assert hash(whole) == hash(real)
    assert ap.metric("P@k", k=1) != ap.metric("P@k", k=1.0)  # the first sample, and all


def test_scikit_learn_makes_and_prints_a_scorer_of_a_metric():
    scorer = make_scorer(ap.metric("P@20"), response_method="predict_proba")
    assert repr(scorer) == "make_scorer(precision_at_20, response_method='predict_proba')"


LABELS, SCORES, WEIGHT = np.array([1, 2, 2, 1, 2, 1]), np.arange(6), np.arange(1, 7)
TWO, THREE = np.c_[LABELS == 1, LABELS + SCORES > 3], np.c_[SCORES, -SCORES, SCORES % 4]


@pytest.mark.filterwarnings("ignore:No positive class")
@pytest.mark.parametrize(
    ("option", "value", "other"),
    [
        ("average", "weighted", "micro"), ("classes", [2, 0, 1], [0, 2, 1]),
        ("pos_label", 2, 0), ("zero_division", 1, np.nan), ("min_grade", 2, 0),
        ("n_positives", 6, 9), ("groups", WEIGHT // 4, WEIGHT // 2),
        ("sample_weight", WEIGHT, WEIGHT % 2 + 1),
    ],
)  # fmt: skip
def test_options_of_the_data_hold_where_a_call_has_the_defaults(option, value, other):
    data = {
        "average": (TWO, THREE[:, :2]), "classes": (SCORES % 3, THREE), "zero_division": ([0], [1])
    }.get(option, (LABELS, SCORES))  # fmt: skip
    expected = ap.average_precision_score(*data, **{option: value})
    assert expected != ap.average_precision_score(*data)
    assert ap.metric("AP", **{option: value})(*data) == expected
    assert ap.metric("AP", **{option: other})(*data, **{option: value}) == expected


def test_metrics_are_equal_if_all_is_equal_and_their_text_makes_them():
    made = [
        *map(ap.metric, ["AP", "MAP", "P@1", "P@100%", "mean P@1", "VOC07", "MAP@3/k"]),
        ap.metric("AP", min_grade=1),
        ap.metric("AP", pos_label="a", average=None),
        ap.metric("AP", zero_division=np.nan),
        ap.metric("MAP", groups=np.array([1, 1, 2])),
        ap.metric("MAP", groups=np.array([1, 2, 2])),
    ]
    for place, each in enumerate(made):
        assert [each == other for other in made] == [place == n for n in range(len(made))]
        assert eval(repr(each), vars(ap) | {"array": np.array, "nan": np.nan}) == each
        assert pickle.loads(pickle.dumps(each)) == each
        assert each != each.name
    assert "name='Top', average=None" in repr(ap.metric(max, name="Top", average=None))


def test_a_function_is_evaluated_in_each_group():
    def spread(y_true, y_score):
        return y_score[y_true > 0].max() - y_score.min()

    assert ap.metric(spread)(*DATA, groups=GROUPS) == (0 + 1) / 2
    assert ap.metric(spread)(*DATA, groups=GROUPS[::-1], average=None).tolist() == [1, 0]
    assert ap.metric(spread, average=None)(*DATA, groups=GROUPS).tolist() == [0, 1]
    assert ap.metric(spread, name="Spread").name == "Spread"


@pytest.mark.parametrize(
    ("labels", "options", "expected"),
    [
        (["a", "b", "b"], {"pos_label": "b"}, [False, True, True]),
        ([1, 2, 2], {"pos_label": 2}, [False, True, True]),
        ([1, 2, 2], {"pos_label": 1}, [True, False, False]),
        ([0, 1, 1], {"pos_label": True}, [False, True, True]),
        ([0, 1, 3], {}, [0, 1, 3]),
        ([-1, 1, 1], {}, [-1, 1, 1]),
    ],
)
def test_a_function_gets_positives_if_a_label_is_named_and_else_numbers(labels, options, expected):
    seen = []

    def look(y_true, y_score):
        seen.append(y_true.tolist())
        return 0.5

    table = pd.DataFrame({"y": labels, "s": [1, 2, 3], "g": "all"})
    ap.metric(look)(labels, [1, 2, 3], **options)
    ap.metric(look, **options)("y", "s", data=table)
    ap.values_by_group("y", "s", groups="g", metric=look, data=table, **options)
    assert seen == 3 * [expected]


@pytest.mark.parametrize(
    ("labels", "scores", "options", "words"),
    [
        (["a", "b"], [1, 2], {}, r"Pass pos_label=, one of the labels \['a', 'b'\]"),
        (["a", "b"], [1, 2], {"pos_label": "c"}, "pos_label='c' is not a valid label"),
        ([0, 1, 2], [1, 2, 3], {"pos_label": 1}, "multiple classes"),
        ([0, 1, 2], [1, 2, 3], {"min_grade": 1}, "reads grades as they are"),
        ([[0, 1], [1, 0]], [[1, 2], [3, 4]], {"pos_label": 1}, "one column of labels"),
        ([[0, 1], [1, 0]], [[1, 2], [3, 4]], {}, "one column of labels"),
    ],
)
def test_labels_that_a_function_does_not_get(labels, scores, options, words):
    with pytest.raises(ValueError, match=words):
        ap.metric(lambda y, s: 0.5, name="half")(labels, scores, **options)


def test_a_function_gets_the_rows_of_a_group_in_their_order():
    def is_in_order(y_true, y_score):
        return np.all(np.diff(y_score) > 0)

    groups = np.random.default_rng(0).integers(0, 3, 999)
    assert ap.metric(is_in_order)(groups % 2, np.arange(999), groups=groups) == 1


def test_metrics_compare_whatever_holds_their_options():
    assert ap.metric("AP", classes=[0, 1, 2]) == ap.metric("AP", classes=np.arange(3))
    function = ap.metric(max, limits=[0, 1])
    assert hash(function) == hash(ap.metric(max, limits=(0, 1)))
    assert function._rule.limits == (0, 1)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_each_word_that_a_rule_takes_is_in_a_name_that_is_read(rule):
    name = next((name for name in rule.names if "#" in name), rule.names[0]).replace("#", "10")
    for option, words in rule.list_words().items():
        for word in words:
            metric = ap.metric(name, **{option: word})
            assert ap.metric(metric.name) == metric
            assert metric._rule.options[option] == word


def test_what_a_call_says_holds_also_if_it_is_the_default():
    y, s = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5]
    zero = ap.metric("AP", pos_label=0)
    assert zero(y, s) == ap.average_precision_score(y, s, pos_label=0)
    assert zero(y, s, pos_label=1) == ap.average_precision_score(y, s)
    separate = ap.metric("AP", average=None)
    assert separate(y, s, groups=[0, 0, 0, 1, 1]).size == 2
    assert np.ndim(separate(y, s, groups=[0, 0, 0, 1, 1], average="macro")) == 0


def test_the_package_lists_what_it_has():
    assert {*dir(ap)} == {*ap.__all__, "__version__"}
    if hasattr(ap, "compat"):
        assert dir(ap.compat) == sorted(ap.compat.__all__)


def test_a_metric_shows_only_what_users_call():
    assert [name for name in dir(ap.metric("AP")) if not name.startswith("_")] == ["name"]
