"""What scorers, metrics of boosting libraries, readers and `compat` refuse, and in which words."""

from copy import deepcopy
from functools import partial
from io import BytesIO, StringIO
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

import sklearn_ap as ap
from sklearn_ap import (
    AveragePrecisionDisplay,
    HitCurveDisplay,
    compare,
    compat,
    confidence_interval,
    get_scorer,
    make_ap_scorer,
    make_multi_scorer,
    metric,
    operating_point,
    report,
)
from sklearn_ap.boosting import lightgbm_metric, xgboost_metric
from sklearn_ap.readers import read_coco, read_runs, read_trec, read_voc

from .detections import FILES, detected
from .examples import AP, INF, MAP, NAN
from .refusals import refused, refuses
from .retrieval import QRELS, RUN, engine, trec

pytestmark = pytest.mark.filterwarnings("ignore:There are no rows")

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(60, 2)), np.tile([0, 1, 1], 20)
NAMES, LETTERS = np.where(Y, "fraud", "legit"), np.array([*"abc"] * 20)
FOUR = np.array([*"abcd"] * 15)
NB, BY_NAME, BY_LETTER = (GaussianNB().fit(X, y) for y in (Y, NAMES, LETTERS))
NO_C = LETTERS != "c"
REGRESSOR, FOREST = LinearRegression().fit(X, Y), IsolationForest(n_estimators=2).fit(X)
PLAIN, FAR = ap.make_ap_scorer(), ap.make_ap_scorer("recall_at_k", k=100)
OF_ABC = ap.make_ap_scorer(classes=["a", "b", "c"])
MEANS = ["MAP", "MAP@5", "MRR", "mean_precision_at_5", "mean_ndcg"]
GROUPED = ["MAP", "MRR@3", "AP"]
AT_K = [f"{name}_at_k" for name in ("precision", "recall", "average_precision", "hit_rate")]
BOTH = [lightgbm_metric, xgboost_metric]


class Detector(OutlierMixin, BaseEstimator):
    """Returns the scores that it was made with."""

    def __init__(self, scores):
        self.scores = scores

    def score_samples(self, X):
        return self.scores


def routed(make):
    """Make a scorer while metadata routing is enabled."""
    with config_context(enable_metadata_routing=True):
        return make()


def outliers(scores):
    return ap.make_ap_scorer()(Detector(scores), np.zeros((2, 1)), [1, -1])


SCORERS = [
    # Scorers
    refused("'linear' is not available in make_ap_scorer", lambda: make_ap_scorer("linear")),
    refused(
        "an estimator, X and y_true. ... call sklearn_ap.metric('AP')(y_true, y_sc",
        lambda: get_scorer("AP")(Y, Y),
        error=TypeError,
    ),
    refused(
        "a number, ... and comes first, as in identify('0.78', y_true",
        lambda: compat.identify(Y, Y, 0.5),
    ),
    refused("Got 'recall_at_precision_' instead", lambda: make_ap_scorer("recall_at_precision_")),
    refused(
        "The 'metric' parameter of make_ ... must be the name of a metric",
        lambda: make_ap_scorer(10),
    ),
    refused(
        "k is already given in the name '",
        lambda f, name: f(name, k=3),
        [make_ap_scorer, get_scorer],
        ["precision_at_10", "MAP@5"],
        error=TypeError,
    ),
    refused(
        "The 'k' parameter ... in the range (0, 1]",
        lambda value: make_ap_scorer(value),
        ["precision_at_0%", "precision_at_101%", "precision_at_2.5"],
    ),
    refused(
        "The 'min_recall' parameter ... in the range [0, 1]",
        lambda: make_ap_scorer("precision_at_recall_1.5"),
    ),
    refused(
        "Got 'roc_auc' instead. The area under the ROC ... 'AP', 'AP@10'",
        lambda: make_ap_scorer("roc_auc"),
    ),
    refused(
        "sample_weight of make_ap_scorer must be True",
        lambda: make_ap_scorer("average_precision", sample_weight=[1]),
        error=TypeError,
    ),
    refused(
        "'tie' ... Did you mean 'ties'?",
        lambda: make_ap_scorer("average_precision", tie="best"),
        error=TypeError,
    ),
    refused(
        "Did you mean 'sample_weight'?",
        lambda: make_ap_scorer("average_precision", sample_weights=[1]),
        error=TypeError,
    ),
    refused(
        "must return a single value",
        [
            lambda: make_ap_scorer("average_precision", average=None),
            lambda: make_multi_scorer(["AP"], average=None),
        ],
    ),
    refused(
        "The 'zero_division' parameter",
        lambda: make_ap_scorer("average_precision", zero_division=0.5),
    ),
    refused(
        "The 'min_grade' parameter of",
        lambda value: make_ap_scorer(value, min_grade="2"),
        ["average_precision", "MAP"],
    ),
    refused(
        "=3 and min_grade=2 both",
        lambda value: make_ap_scorer(value, min_grade=2, pos_label=3),
        ["average_precision", "MAP"],
    ),
    # Metrics that need options
    refused(
        "precision_at_recall ... needs the option min_recall",
        lambda f: f("precision_at_recall"),
        [make_ap_scorer, get_scorer],
        error=TypeError,
    ),
    refused(
        "recall_at_precision ... needs the option min_precision",
        lambda f: f("recall_at_precision"),
        [make_ap_scorer, get_scorer],
        error=TypeError,
    ),
    # Scorers of classes
    refused(
        "classes",
        lambda classes: make_ap_scorer(classes=classes),
        [3, "abc", [1], [1, 1, 2], [*"abca"]],
    ),
    refused("min_grade=2 is for grades, and", lambda: make_ap_scorer(min_grade=2, classes=[0, 1])),
    refused(
        "classes=['a', 'b', 'd'] must be ... fitted on ... are ['a', 'b', 'c']",
        lambda: make_ap_scorer(classes=[*"abd"])(BY_LETTER, X, LETTERS),
    ),
    refused(
        "classes=['d', 'a', 'b', 'c'] must be ... fitted on ... are ['a', 'b', 'c']",
        lambda: make_ap_scorer(classes=[*"dabc"])(BY_LETTER, X, LETTERS),
    ),
    refused("are ['a', 'b', 'c', 'd']", lambda: OF_ABC(GaussianNB().fit(X, FOUR), X, LETTERS)),
    refused(
        "classes_, but GaussianNB ... has none. Fit the estimator",
        lambda: OF_ABC(GaussianNB(), X, LETTERS),
        error=(ValueError, AttributeError),
    ),
    refused("pass classes=", lambda: PLAIN(BY_LETTER, X[NO_C], LETTERS[NO_C])),
    # Scorers of means
    refused("'k' parameter", lambda: make_ap_scorer("MAP", k=0)),
    refused("classes is not available for", lambda: make_ap_scorer("MAP", classes=[0, 1])),
    refused(
        "n_points=11 and k=5 can't be combined", lambda: make_ap_scorer("MAP", n_points=11, k=5)
    ),
    refused("not available with n_points", lambda: make_ap_scorer("MAP", n_points=11, ties="best")),
    refused("average", lambda: make_ap_scorer("MAP", average=None)),
    refused(
        "groups",
        lambda value, groups: make_ap_scorer(value, groups=groups),
        GROUPED,
        [3, np.arange(3)],
        error=TypeError,
    ),
    refused(
        "sample_weight",
        lambda: routed(lambda: make_ap_scorer("AP", sample_weight="no name")),
        error=(TypeError, ValueError),
    ),
    refused(
        "first call sklearn.set_config(enable_metadata_routing=True)",
        lambda f, value: f(value),
        [make_ap_scorer, get_scorer],
        MEANS,
        error=RuntimeError,
    ),
    # Options that a name has to say, or that each fold has of its own
    refused(
        "doesn't say the number k: write it, as in '",
        lambda f, value: f(value),
        [make_ap_scorer, get_scorer, metric, lambda name: confidence_interval(Y, Y, metric=name)],
        AT_K,
    ),
    refused(
        "each fold has its own positives", lambda: make_ap_scorer(n_positives=3), error=TypeError
    ),
    refused("Pass pos_label='a' or pos_label='b'", lambda: make_ap_scorer(classes=[*"ab"])),
    refused(
        "'response_method' parameter",
        lambda response_method: make_ap_scorer(response_method=response_method),
        ["predict", [], ["predict"]],
    ),
    # Names of scorers
    refused(
        "Got 'average_precison' instead. Did you mean 'average_precision'? "
        "sklearn_ap.get_scorer_names() lists some. Names are ",
        lambda: get_scorer("average_precison"),
    ),
    refused(
        "Got '101_points_average_precision' ... mean ... '101_point_average_precision'",
        lambda: get_scorer("101_points_average_precision"),
    ),
    refused("Got 'roc_acu' ... mean ... 'roc_auc'", lambda: get_scorer("roc_acu")),
    refused(
        "Only names of metrics in this package accept options ... pos_label",
        lambda value: get_scorer(value, pos_label=0),
        ["roc_auc", PLAIN],
        error=TypeError,
    ),
    refused("sklearn_ap.get_scorer_names() lists some", lambda: get_scorer("???")),
    refused(
        "a name or a scorer. Got ... For several, pass a list to make_multi_scorer",
        [lambda value: get_scorer(value), lambda value: make_multi_scorer({"a": value})],
        [None, 5, ["average_precision"]],
        error=TypeError,
    ),
    # Calls of scorers
    refused(
        "enable_metadata_routing=True",
        lambda: PLAIN.set_score_request(groups=True),
        error=(RuntimeError, TypeError),
    ),
    refused(
        "Pass pos_label=, the class to rank first, when you make the scorer.\npos_label=1 is not a "
        "valid label: It should be one of ['fraud' 'legit']",
        lambda: PLAIN(BY_NAME, X, NAMES),
    ),
    refused(
        "pos_label=theft ... ['fraud' 'legit']",
        lambda: make_ap_scorer(pos_label="theft")(BY_NAME, X, NAMES),
    ),
    refused(
        "must be -1 for outliers and 1, or 1 for outliers and 0. Got 0, 1 and pos_label=-1",
        lambda: make_ap_scorer(pos_label=-1)(FOREST, X, Y),
    ),
    refused(
        "Got 'fine', 'odd', which don't tell what the detector calls an outlier",
        lambda: PLAIN(FOREST, X, np.where(Y, "odd", "fine")),
    ),
    refused(
        "If it doesn't request them, call its set_score_request(groups=True); a partial can't",
        lambda: routed(lambda: get_scorer("MAP")(NB, X, Y)),
    ),
    refused(
        "LinearRegression has none ... decision_function",
        [
            lambda: PLAIN(REGRESSOR, X, Y),
            lambda: routed(lambda: get_scorer("MAP"))(REGRESSOR, X, Y),
            lambda: make_multi_scorer(["AP"], error_score="raise")(REGRESSOR, X, Y),
        ],
        error=AttributeError,
    ),
    refused(
        "groups ... set_config(enable_meta ... or as groups=... to the scorer",
        lambda value: routed(lambda: get_scorer(value))(NB, X, Y),
        MEANS,
    ),
    refused(
        "enable_metadata_routing=True",
        lambda: routed(lambda: get_scorer("MAP"))(NB, X, Y, groups=Y),
    ),
    refused("y_score must contain numbers", lambda: outliers(np.array(["a", 1], object))),
    refused("NaN", lambda: outliers(np.array([NAN, 1], object))),
    refused("sample_weight must contain numbers", lambda: FAR(NB, X, Y, sample_weight=["a"] * 60)),
    refused("inconsistent", lambda: FAR(NB, X, Y, sample_weight=[1.0] * 59)),
    refused("sample_weight", lambda: FAR(NB, X, Y, sample_weight=[NAN] * 60)),
    # Several scorers
    refused("needs at least one scorer", lambda value: make_multi_scorer(value), [[], {}]),
    refused("'average_precision'", lambda: make_multi_scorer({"ap": "average_precison"})),
    refused(
        "Pass several scorers as a list", lambda: make_multi_scorer("AP", "P@20"), error=TypeError
    ),
    refused(
        "make_multi_scorer({'top': 'P@20'})",
        lambda: make_multi_scorer(["AP"], top="P@20"),
        error=TypeError,
    ),
    refused(
        "the scorers AP takes the option k", lambda: make_multi_scorer(["AP"], k=3), error=TypeError
    ),
    refused(
        "None of the scorers roc_auc takes",
        lambda: make_multi_scorer(["roc_auc"], pos_label=0),
        error=TypeError,
    ),
    refused(
        "Did you mean 'pos_label'",
        lambda: make_multi_scorer(["P@1%"], pos_labl="yes"),
        error=TypeError,
    ),
    refused(
        "pos_label='bad' doesn't reach scikit-learn's scorer 'f1'",
        lambda: make_multi_scorer(["AP", "f1"], pos_label="bad"),
    ),
    refused("called 'AP'. Pass a dict", lambda: make_multi_scorer(["AP", "AP"])),
    refused("make_multi_scorer(['AP', 'P@1%'])", lambda: make_multi_scorer("AP"), error=TypeError),
    refused("3 has no name, so pass a dict", lambda: make_multi_scorer([3]), error=TypeError),
    refused(
        "can't contain a scorer of several metrics. Pass its scorers, as in make_multi_scorer(",
        lambda put: make_multi_scorer(put(make_multi_scorer(["AP"]))),
        [lambda several: [several], lambda several: {"both": several}],
        error=TypeError,
    ),
    refused(
        "The names of scorers must be strings. Got 1 instead.",
        lambda: make_multi_scorer({1: "AP"}),
        error=TypeError,
    ),
    refused(
        "error_score must be a number or 'raise'. Got 'nan' instead.",
        lambda: make_multi_scorer(["AP"], error_score="nan"),
    ),
    refused(
        "Pass the values by metadata routing",
        lambda: make_multi_scorer(["MAP"], groups=Y),
        error=TypeError,
    ),
    refused(
        "not an option of a metric. Only intervals",
        lambda: make_multi_scorer(["AP"], clusters=Y),
        error=TypeError,
    ),
]


# Boosting

FIVE = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
ONES = np.array([1.0, 0.0, 1.0, 1.0, 0.0])
QUERIES = SimpleNamespace(  # with a weight each
    get_label=lambda: ONES,
    get_weight=lambda: np.array([1.0, 3]),
    get_group=lambda: np.array([2, 3]),
)
BOOSTING = [
    # Metrics of boosting
    refused("must be a str", lambda f, name: f("AP", name=name), BOTH, ["", "a b", "a:b", 3]),
    refused(
        "is already given in the name",
        lambda f: f("average_precision_at_10", k=5),
        BOTH,
        error=TypeError,
    ),
    refused("must return a single value", lambda f: f("AP", average=None), BOTH),
    refused("with groups", lambda f: f("MAP", average="micro"), BOTH),
    refused(
        "cannot be an option of", lambda f: f("AP", sample_weight=[1.0]), BOTH, error=TypeError
    ),
    refused(
        "needs the option min_recall", lambda f: f("precision_at_recall"), BOTH, error=TypeError
    ),
    refused("classes=np.unique(y)", lambda f: f("AP", pos_label=2), BOTH),
    refused("at least two labels, without duplicates", lambda f: f("AP", classes=["a"]), BOTH),
    refused(
        "pos_label='a' or pos_label='b'",
        [
            lambda f: f("AP", classes=["a", "b"]),
            lambda f: f("AP", pos_label="c", classes=["a", "b"]),
        ],
        BOTH,
    ),
    refused("fixed to 1", lambda f: f("AP", classes=[*"abc"], pos_label="a"), BOTH),
    refused(
        "pos_label=0 and min_grade=2 both define", lambda f: f("AP", min_grade=2, pos_label=0), BOTH
    ),
    refused(
        "min_grade=2 is for grades, and classes is",
        lambda f: f("AP", min_grade=2, classes=[0, 1]),
        BOTH,
    ),
    # Calls of boosting libraries
    refused(
        "neither the classes [1, 2] nor",
        lambda f: f("AP", pos_label=2, classes=[1, 2])(ONES + 2, FIVE),
        BOTH,
    ),
    refused(
        "neither the classes ['a', 'b'] nor their numbers",
        lambda f: f("AP", pos_label="a", classes=["a", "b"])(ONES + 1, FIVE),
        BOTH,
    ),
    refused(
        "pos_label=-1 is not a valid label ... classes=np.unique",
        lambda f: f("AP", pos_label=-1)(ONES, FIVE),
        BOTH,
    ),
    refused(
        "pos_label=1 is not a valid label ... ['a', 'b']",
        lambda f: f("AP")(np.where(ONES, "b", "a"), FIVE),
        BOTH,
    ),
    refused("needs the groups of the rows", lambda f: f("MAP")(ONES, FIVE), BOTH),
    refused(
        "needs one score for each sample",
        lambda f: f("AP", min_grade=2)(np.arange(3.0), np.ones((3, 3))),
        BOTH,
    ),
    refused(
        "missing value", lambda f: f("AP", min_grade=2)(np.array([0.0, NAN, 2]), np.ones(3)), BOTH
    ),
    # One boosting library
    refused(
        "sorted order, ['a', 'b']",
        lambda: lightgbm_metric("AP", pos_label="a", classes=["b", "a"])(ONES, FIVE),
    ),
    refused(
        "The predictions are the classes",
        lambda: xgboost_metric("AP", classes=[*"abc"])(
            np.array([0.0, 1, 1, 0]), np.array([0.0, 1, 2, 0])
        ),
    ),
    refused(
        "Use average='macro'", lambda: xgboost_metric("MAP", average="weighted")(FIVE, QUERIES)
    ),
    refused(
        "For grades, pass min_grade",
        lambda: lightgbm_metric("MAP")(
            FIVE,
            SimpleNamespace(
                get_label=lambda: np.array([0.0, 1, 2, 0, 1]),
                get_weight=lambda: None,
                get_group=lambda: np.array([2, 3]),
            ),
        ),
    ),
]


# Readers

BOX = {"image_id": 7, "category_id": 2, "bbox": [0, 0, 10, 10], "score": 0.5}
RUNS = {"bm25": engine(), "dense": engine([9, 1, 8, 1, 2])}
GRADES = ap.metric("MAP", min_grade=2)
COUNTED = [AP, compare, HitCurveDisplay.from_predictions]


def retrieved(*files):
    read_trec(*(BytesIO(file) if isinstance(file, bytes) else StringIO(file) for file in files))


def images(*given, **options):
    read_coco(*deepcopy(given), **options)


DETECTED = [
    lambda name: confidence_interval(data=detected(), metric=name),
    lambda name: confidence_interval(data=detected(), metric=metric(name)),
    lambda name: compare(data={"old": detected(), "new": detected()}, metric=name),
    lambda name: report(data=detected(), metrics=["AP", name]),
    lambda name: report(
        data={"old": detected(), "new": detected()}, metrics={"mine": metric(name)}
    ),
    lambda name: metric(name)(data=detected()),
    lambda name: metric(name).by_name(data=detected()),
    lambda name: AveragePrecisionDisplay.from_predictions(data=detected(), metric=["step", name]),
]


def with_box(role, box, **fields):
    annotations, detections = deepcopy(FILES)
    rows = {"annotations": annotations["annotations"], "detections": detections}[role]
    rows[1] |= {"bbox": box, **fields}
    read_coco(annotations, detections)


def with_corners(role, box):
    image = {"boxes": [[0, 0, 9, 9]], "labels": [1], "scores": [1.0]}
    images = {"targets": [image, image], "preds": [image, image]}
    images[role] = [image, image | {"boxes": [box]}]
    read_coco(images["targets"], images["preds"])


VOC_CAT = {"boxes": [[1, 1, 9, 9]], "labels": ["cat"]}
VOC_FOUND = VOC_CAT | {"scores": [0.5]}


def voc(annotations=None, found=None, **options):
    truth = {7: VOC_CAT} if annotations is None else annotations
    read_voc(truth, {7: VOC_FOUND} if found is None else found, **options)


def found_by(scores):
    voc(found={7: VOC_FOUND | {"scores": scores}})


def difficult(value):
    voc({7: VOC_CAT | {"difficult": [value]}})


def with_voc_box(role, box):
    if role == "annotations":
        voc({7: VOC_CAT | {"boxes": [box]}})
    voc(found={7: VOC_FOUND | {"boxes": [box]}})


OVERLAPS = [
    ("AP@0.5", "which overlap (IoU) ... 'interpolated_average_precision' ... write 'AP@50%'."),
    ("AP@.75", "which overlap (IoU) ... write 'AP@75%'."),
    ("ap_at_1.0", "which overlap (IoU) ... write 'ap_at_100%'."),
    ("AP@25", "an overlap (IoU) of 0.25"),
    ("AP@50", "with overlap=0.5, ... metric('average_precision_at_k', k=50)."),
    ("AP@95", "an overlap (IoU) of 0.95"),
    ("mAP@50", "with overlap=0.5, ... metric('mean_average_precision', k=50)."),
    ("average_precision_at_75", "an overlap (IoU) of 0.75"),
    ("P@0.5", "For a fraction of each ranking, write 'P@50%'."),
    ("mean_recall_at_0.5", "For a fraction of each ranking, write 'mean_recall_at_50%'."),
    ("AP@0.5 / relevant", "which overlap (IoU) ... write 'AP@50% / relevant'."),
    *(
        (
            name,
            f"{name!r} says which overlap (IoU) makes a detection correct. ... read_coco or "
            "read_voc",
        )
        for name in ("AP50", "AP75", "mAP50", "mAP@0.5", "AP@[.5:.95]")
    ),
]

# Boxes that are refused, and how messages write them
BOXES = [
    [NAN, 0, 9, 9],
    [0, 0, 9, INF],
    [-INF, 0, 9, 9],
    [0, 0, 1e200, 1e200],
    [0, 0, -1, 9],
    [0, 0, 9, -1],
    [0, 0, 10],
    [0, 0, 9, 9, 9],
    [0, 0, None, 9],
    ["1", "2", "3", "4"],
    "1234",
    None,
    {"x": 0, "y": 0},
]
CORNERS = [
    [NAN, 0, 9, 9],
    [INF, 0, INF, 9],
    [5, 0, 4, 9],
    [0, 5, 9, 4],
    [0, 0, 9],
    np.uint8([5, 0, 4, 9]),
    [*"0099"],
]

LINE = '{"query-id": "q", "corpus-id": "d", "score": 1}'

ONE = {"q": {"d": 1}}
COLUMNS = "query-id\tcorpus-id\tscore\n"
READERS = [
    # Columns that nobody names
    refused(
        "average_precision_score() needs y_true and y_score: pass ... of its columns. Only tables "
        "of sklearn_ap.readers are passed without names.",
        lambda: AP(),
        error=TypeError,
    ),
    refused("needs y_score: pass", lambda: AP([1]), error=TypeError),
    refused("needs groups: pass", lambda: MAP([1], [1]), error=TypeError),
    refused(
        "needs y_true and y_score:", lambda: report(data={"y": [1]}, metrics="AP"), error=TypeError
    ),
    refused("needs y_score_a: pass", lambda: compare([1]), error=TypeError),
    refused("must be an array-like. Got None", lambda: AP(None, [1]), error=TypeError),
    refused(
        "() got a Retrieved as y_true. Such a table is passed by name, as ... data=t",
        lambda f: f(engine()),
        [confidence_interval, MAP, partial(report, metrics="AP"), operating_point],
        error=TypeError,
    ),
    refused(
        "compare() got a dict as y_true. Such a table is passed by name, as compare(data=tables)",
        lambda: compare(RUNS),
        error=TypeError,
    ),
    refused(
        "'bm25' and 'other' have different n_positives: 2 and 3 for 'dog' (they differ for 1",
        lambda: compare(data={**RUNS, "other": engine(exist={"cat": 2, "dog": 3, "eel": 1})}),
    ),
    refused(
        "for each of 'bm25', 'dense', but only report, comp",
        [
            lambda: MAP(data=RUNS),
            lambda: confidence_interval(metric="MAP", data=RUNS),
            lambda: compat.explain(data=RUNS),
        ],
    ),
    # Positives that a table hasn't counted
    refused(
        "this table has no grades. Leave min_grade out",
        lambda f: f(min_grade=2, data=detected()),
        [AP, confidence_interval, HitCurveDisplay.from_predictions],
    ),
    refused(
        "n_positives with y_true='relevant', but got y_true='judged'.",
        lambda f: f(y_true="judged", data=trec(unjudged="drop")),
        COUNTED,
    ),
    refused(
        "but got y_true=[1, 0, 1, 1]. Pass n_positives, too",
        lambda f: f(y_true=[1, 0, 1, 1], data=trec(unjudged="drop")),
        COUNTED,
    ),
    refused(
        "n_positives with groups='query', but got groups=None",
        lambda f: f(groups=None, data=trec(unjudged="drop")),
        COUNTED,
    ),
    refused(
        "n_positives with pos_label=1, but got pos_label=0",
        lambda f: f(pos_label=0, data=trec(unjudged="drop")),
        COUNTED,
    ),
    # Files of TREC
    refused(
        "line 8 of runs: the document 'd3' of query 'cat' is",
        lambda: retrieved(QRELS, RUN + "cat Q0 d3 5 0.1 me"),
    ),
    refused(
        "line 7 of qrels: the document 'd4' of query 'dog' is there",
        lambda: retrieved(QRELS + "dog 1 d4 0", RUN),
    ),
    refused(
        "line 8 of runs: the query 'emu' is not in qrels",
        lambda: retrieved(QRELS, RUN + "emu Q0 d1 1 3 me"),
    ),
    refused(
        "line 8 of runs: runs must have ... query, ... has 5 fiel",
        lambda: retrieved(QRELS, RUN + "cat Q0 d1 1 3"),
    ),
    refused(
        "line 1 of qrels: qrels must have lines of query, ... one has 6 fields",
        lambda: retrieved(RUN, QRELS),
    ),
    refused(
        "line 8 of runs: ' ... ' is not a number.",
        lambda score: retrieved(QRELS, f"{RUN}cat Q0 d7 1 {score} me"),
        ["nan", "1_0"],
    ),
    refused(
        "line 7 of qrels: ' ... is not an integer.",
        lambda grade: retrieved(f"{QRELS}dog 0 d1 {grade}", RUN),
        ["1_0", 10**400],
    ),
    refused(
        "qrels cannot be read: it is encoded in UTF-16",
        lambda: retrieved(QRELS.encode("utf-16"), RUN),
    ),
    refused(
        "runs cannot be read: it is encoded in UTF-16",
        lambda: retrieved(QRELS, RUN.encode("utf-16-le")),
    ),
    refused(
        "runs is empty, but runs must have lines of query, Q0, document",
        lambda: retrieved(QRELS, "\n"),
    ),
    # Dicts of dicts, and JSON lines
    refused("qrels is empty, but must have a dict for each query", lambda: read_runs({}, ONE)),
    refused(
        "None of the 1,200 documents of the run is among the 1,001 of the judgments",
        lambda: read_runs(
            {"q": {f"a{place}": 1 for place in range(1_001)}},
            {"q": {f"b{place}": 1.0 for place in range(1_200)}},
        ),
    ),
    refused("runs is empty, but must have a dict for each query", lambda: read_runs(ONE, {})),
    refused("runs['b'] is empty", lambda: read_runs(ONE, {"a": ONE, "b": {}})),
    refused(
        "qrels must be a dict of dicts, such as", lambda: read_runs({"q": 1}, ONE), error=TypeError
    ),
    refused(
        "of JSON lines or BEIR's TSV. Got [",
        lambda: read_runs(ONE, [("q", "d", 1)]),
        error=TypeError,
    ),
    refused("qrels, query 'q': 0.5 is not an integer.", lambda: read_runs({"q": {"d": 0.5}}, ONE)),
    refused("runs, query 'q': nan is not a number.", lambda: read_runs(ONE, {"q": {"d": NAN}})),
    refused("runs, query 'q': '1' is not a number.", lambda: read_runs(ONE, {"q": {"d": "1"}})),
    refused(
        "the document 1, but names must be str",
        lambda: read_runs({"q": {1: 1}}, ONE),
        error=TypeError,
    ),
    refused(
        "the query 3, but names must be str", lambda: read_runs({3: {"d": 1}}, ONE), error=TypeError
    ),
    refused(
        "runs['a'], query 'x': the query 'x' is not in qrels. ... unjudged_queries='drop'",
        lambda: read_runs(ONE, {"a": {"x": {"d": 1}}}),
    ),
    refused(
        "line 1 of qrels: it is not JSON ... Read files of TREC by read_trec. A TSV file begins ",
        lambda: read_runs(StringIO("q 0 d 1"), ONE),
    ),
    refused(
        "line 2 of qrels: each line needs the columns 'query-id', 'corpus-id', 'score', but",
        lambda: read_runs(StringIO(COLUMNS + "q\td\n"), ONE),
    ),
    refused(
        "line 2 of qrels: 0.5 is not an integer.",
        lambda: read_runs(StringIO(COLUMNS + "q\td\t0.5\n"), ONE),
    ),
    refused("For dicts of dicts, call read_runs.", lambda: read_trec(ONE, "run"), error=TypeError),
    refused(
        "runs['a'] must be a path or an open file. ... For dicts of dicts, call read_runs.",
        lambda: read_trec(StringIO("q 0 d 1"), {"a": ONE}),
        error=TypeError,
    ),
    refused(
        "line 1 of runs['a']: runs['a'] must have lines of query",
        lambda: read_trec(StringIO("q 0 d 1"), {"a": StringIO("q Q0 d 1 2")}),
    ),
    refused(
        "line 1 of qrels: each line needs the keys 'query-id', 'corpus-id', 'score'.",
        lambda text: read_runs(StringIO(text), ONE),
        ['{"query-id": 1}', "[1]"],
    ),
    refused("qrels is empty, but must have JSON lines", lambda: read_runs(StringIO("\n"), ONE)),
    refused(
        "line 2 of qrels: the document 'd' of query 'q' is there twice. Keep one judgment",
        lambda: read_runs(StringIO(2 * (LINE + "\n")), ONE),
    ),
    refused("qrels must be a path, but got text. Pass it as io.Str", lambda: read_runs(LINE, ONE)),
    # Tables of TREC
    refused(
        "runs must be a path or an open file.",
        lambda: read_trec(StringIO(QRELS), 3),
        error=TypeError,
    ),
    refused(
        "runs must be a path, but got text. ... io.StringIO(runs",
        lambda: read_trec(StringIO(QRELS), RUN),
    ),
    refused(
        "this table has no grades",
        [lambda: GRADES(data=detected()), lambda: report(data=detected(), metrics=GRADES)],
    ),
    refused("'k' parameter of judged_at must be an int ... Got 0.5", lambda: trec().judged_at(0.5)),
    refused(
        "The table has no rows", lambda: read_runs({"cat": {"d1": 1}}, {"cat": {}}).judged_at(5)
    ),
    refused(
        "None of the 1 queries of the run is among the 1 of the judgments: 'emu' is in the run",
        lambda: trec("cat 0 d1 1", "emu Q0 d1 1 3 me", unjudged_queries="drop"),
    ),
    refused(
        "None of the 1 documents of the run is among ... 'D1' is in the run, and 'd1' in the judg",
        lambda: trec("cat 0 d1 1", "cat Q0 D1 1 3 me"),
    ),
    refused(
        "Only a table of read_trec knows which of its rows",
        lambda: engine().judged_at(1),
        error=TypeError,
    ),
    # Files of COCO
    refused("read_coco needs detections", lambda: images(*FILES[:1]), error=TypeError),
    refused("detections must be a list. Pass the annotations", lambda: images(*FILES[::-1])),
    refused(
        "image_id of annotations must be among the ids of images, []. Got [7, 8] in 4 of 4",
        lambda: images({**FILES[0], "images": []}, FILES[1]),
    ),
    refused(
        "among the ids of images, [7, 8, 9]. Got [5] in 1 of 2 detections. ... same images",
        lambda: images(FILES[0], [BOX, {**BOX, "image_id": 5}]),
    ),
    refused(
        "among the ids of categories, [2, 5, 6]. Got [0, 1] in 3 of 4 detections. If your det",
        lambda: images(FILES[0], [{**BOX, "category_id": i} for i in (0, 1, 2, 1)]),
    ),
    refused(
        "category_id of annotations must be among ... [2]. Got [5] in 1 of 4 annotations",
        lambda: images({**FILES[0], "categories": [{"id": 2}]}, []),
    ),
    refused("Got [[2]] in 1 of 1 det", lambda: images(FILES[0], [{**BOX, "category_id": [2]}])),
    refused(
        "ids of categories must be all integers or all strings. Got 2 and 'b'",
        lambda: images({**FILES[0], "categories": [{"id": 2}, {"id": "b"}]}, []),
    ),
    refused(
        "ids of images must be all ... Got None.",
        lambda: images({**FILES[0], "images": [{"id": None}]}, []),
    ),
    refused(
        "targets[0] must have as many labels and scores as boxes, 0. Got {'boxes': 0, 'lab",
        lambda: images([{"boxes": [], "labels": ["cat"]}], [{"boxes": [], "labels": []}]),
    ),
    refused(
        "category_id='2', but ... id=2", lambda: images(FILES[0], [{**BOX, "category_id": "2"}])
    ),
    refused(
        "image_id=7, but ... id='7'", lambda: images({**FILES[0], "images": [{"id": "7"}]}, [])
    ),
    refused("detections[0] has no 'image_id'.", lambda: images(FILES[0], [{}])),
    refused(
        "annotations[0] has no 'image_id'.", lambda: images({**FILES[0], "annotations": [{}]}, [])
    ),
    refused("annotations has no objects.", lambda: images({**FILES[0], "annotations": []}, [BOX])),
    refused(
        "detections must be a list of dicts. Got [1]",
        lambda: images(FILES[0], [1]),
        error=TypeError,
    ),
    refused("annotations is not JSON: Expecting property", lambda: images(StringIO("{"), [])),
    refused("not JSON: it is nested too deeply", lambda: images(StringIO("[" * 100_000), [])),
    refused(
        "not JSON: the key 'a' is there twice in {'a': 2}.",
        lambda: images(StringIO('{"a": 1, "a": 2}'), []),
    ),
    refused(
        "2 categories have the id 2, and only one can be meant.",
        lambda: images({**FILES[0], "categories": [*FILES[0]["categories"], {"id": 2}]}, []),
    ),
    refused(
        "name of categories[0] must be text. Got ['cat']",
        lambda: images({**FILES[0], "categories": [{"id": 2, "name": ["cat"]}, {"id": 5}]}, []),
    ),
    refused(
        "score of detections[0], in the image 7, must be a finite number. Got ",
        lambda score: images(FILES[0], [{**BOX, "score": score}]),
        [True, "1", 10**400, INF, None],
    ),
    refused("a finite number. Got nan", lambda: detected(FILES[0], [{**BOX, "score": NAN}])),
    refused("targets of 1 images, but preds of 0", lambda: images([{}], [])),
    refused("in the range ... Got 50 instead", lambda: images(*FILES, overlap=50)),
    # PASCAL VOC
    refused("overlap must be a number in the range [0, 1). Got 1", lambda: voc(overlap=1)),
    refused("in the range [0, 1). Got '0.50:0.95'", lambda: voc(overlap="0.50:0.95")),
    refused("in the range [0, 1). Got nan", lambda: voc(overlap=NAN)),
    refused("annotations must be a list of dicts. Got 3", lambda: voc(3), error=TypeError),
    refused("annotations has 1 image, and detections 2.", lambda: voc([VOC_CAT], [VOC_FOUND] * 2)),
    refused("annotations has 2 images, and detections 0.", lambda: voc([VOC_CAT] * 2, [])),
    refused("values of annotations must be a list of di", lambda: voc({7: []}), error=TypeError),
    refused("annotations[7] has no 'labels', which every", lambda: voc({7: {"boxes": []}})),
    refused("detections[7] has no 'scores', which every", lambda: voc(found={7: VOC_CAT})),
    refused(
        "as many labels and scores as boxes, 1. Got 1 labels and 2", lambda: found_by([0.9, 1])
    ),
    refused("The score of a detection must be a finite number. Got nan", lambda: found_by([NAN])),
    refused("The score of a detection must be a finite number. Got '1'", lambda: found_by(["1"])),
    refused("difficult of annotations[7] must be 0 or 1. Got [2]", lambda: difficult(2)),
    refused("difficult of annotations[7] must be 0 or 1. Got ['no']", lambda: difficult("no")),
    refused("annotations has no objects that count in these images", lambda: difficult(1)),
    refused(
        "annotations doesn't have the images of 2 of 2 detections: ['7', 8]. Call images as "
        "annotations does: [7].",
        lambda: voc(found=dict.fromkeys(["7", 8], VOC_FOUND)),
    ),
    refused(
        "images of annotations must be all integers or all strings. Got 7 and 'b'",
        lambda: voc({7: VOC_CAT, "b": VOC_CAT}),
    ),
    refused(
        "classes of annotations and detections must be all integers or all strings",
        lambda: voc(found={7: VOC_FOUND | {"labels": [1]}}),
    ),
    refused(
        "No class of detections, ['dog'], is among those of annotations, ['cat'].",
        lambda: voc(found={7: VOC_FOUND | {"labels": ["dog"]}}),
    ),
    refused(
        "1 of 2 images of image_set aren't in annotations: [8]. Those of annotations are [7].",
        lambda: voc(image_set=[7, 8]),
    ),
    refused("be a list of images. Got [['i']]", lambda: voc(image_set=[["i"]]), error=TypeError),
    refused("image_set has no images.", lambda: voc(image_set=[])),
    refused("a list of images, or a file. Got 7", lambda: voc(image_set=7), error=TypeError),
    *(
        refused(
            f"The boxes of {role}[7] must each be four ... Got [{box!r}] instead",
            lambda role, box: with_voc_box(role, box),
            [role],
            [box],
        )
        for role in ("annotations", "detections")
        for box in ([9.0, 1.0, 1.0, 9.0], [1.0, 1.0, 9.0, INF], [1.0, NAN, 9.0, 9.0], [1, 1, 9])
    ),
    # Metrics of detections that mean an overlap
    *(refused(words, call, [name]) for call in DETECTED for name, words in OVERLAPS),
    # Boxes of COCO
    *(
        refused(
            f"bbox of {role}[1], in the image 7, must be four ... Got {box!r} instead",
            with_box,
            [role],
            [box],
        )
        for role in ("annotations", "detections")
        for box in BOXES
    ),
    *(
        refused(
            f"area of annotations[1], in the image 7, must be a fi ... Got {area!r}",
            lambda area: with_box("annotations", [0, 0, 9, 9], area=area),
            [area],
        )
        for area in (NAN, INF, -1, "100", None)
    ),
    # Boxes of torchmetrics
    *(
        refused(
            f"boxes of {role}[1] must each be four ... x1, y1, x2 ... Got [[",
            with_corners,
            [role],
            [box],
        )
        for role in ("targets", "preds")
        for box in CORNERS
    ),
]


# compat

GEESE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], range(10, 0, -1)
identified = partial(compat.identify, 0.5)
of_ties = partial(compat.identify, "0.5", [0, 1, 0], [1, 1, 1])
of_trapezoids = partial(compat.trapezoidal_average_precision_score, [0, 1], [1, 2])

COMPAT = [
    # Values to identify
    refused(
        "value must be a number",
        lambda value: compat.identify(value, *GEESE),
        ["abc", "", None, [0.5]],
        error=(ValueError, TypeError),
    ),
    refused(
        "a percentage with its sign, from '0%' to '100%'. Got",
        lambda value: compat.identify(value, *GEESE),
        [1.2, -0.1, "120%", "67.2", 67.2],
        error=(ValueError, TypeError),
    ),
    refused(
        "value",
        lambda value: compat.identify(value, *GEESE),
        [NAN, "inf"],
        error=(ValueError, TypeError),
    ),
    # Data to explain
    refused("0 sample(s)", lambda f: f([], []), [compat.explain, identified]),
    refused(
        "no number for the group",
        lambda f: f([1, 0, 1], [3, 2, 1], groups=[*"aab"], n_positives={"a": 2}),
        [compat.explain, identified],
    ),
    refused(
        "y_true must be binary. Pass one column",
        lambda f: f([[0, 1], [1, 0]], [[1, 2], [3, 4]]),
        [compat.explain, identified],
    ),
    # Thresholds and batches
    refused(
        "n_thresholds are evenly spaced from 0 to 1, but y_score has scores from 1 to 10. Pass "
        "probabilities, or leave n_thresholds out.",
        lambda: identified(*GEESE, n_thresholds=7),
    ),
    refused(
        "batch_size is for batches of all rows, which aren't tried with groups, sample_weight or "
        "n_positives. Leave these out, or batch_size.",
        lambda given: identified(*GEESE, **given, batch_size=3),
        [{"groups": [*"ab"] * 5}, {"sample_weight": [1, 2] * 5}, {"n_positives": 9}],
    ),
    # Ids
    refused(
        "ids contains 'a' twice, so the order of tied samples is not known",
        lambda: of_ties(ids=[*"aba"]),
    ),
    refused("ids contains ... 1 ... twice", lambda: of_ties(ids=[1, "1", 2])),
    refused(
        "ids contains 'a' twice in the same group", lambda: of_ties(ids=[*"aab"], groups=[*"ppq"])
    ),
    refused(
        "ids must be strings or integers, but contains None", lambda: of_ties(ids=["a", None, "b"])
    ),
    refused("3 in y_true and 2 in ids", lambda: of_ties(ids=[*"ab"])),
    # The area of trapezoids
    refused("NaN", lambda: of_trapezoids(sample_weight=[1, NAN])),
    refused("Negative values", lambda: of_trapezoids(sample_weight=[1, -1])),
    refused("weight", lambda: of_trapezoids(sample_weight=[0, 0])),
    refused("inconsistent", lambda: of_trapezoids(sample_weight=[1])),
]

test_refused = refuses(SCORERS + BOOSTING + READERS + COMPAT)
