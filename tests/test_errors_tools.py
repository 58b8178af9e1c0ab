"""What scorers, metrics of boosting libraries, readers and `compat` refuse, and in which words."""

from copy import deepcopy
from functools import partial
from io import BytesIO, StringIO
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap.boosting import lightgbm_metric, xgboost_metric
from sklearn_ap.compat import sklearn_average_precision_score as of_release
from sklearn_ap.compat.history import ERAS
from sklearn_ap.readers import read_coco, read_trec

from .errors import AP, COMPARE, INTERVAL, MAP, NAN, POINT, REPORT, asked, each, refuses
from .test_detection import FILES
from .test_readers import QRELS, RUN, engine, trec

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
MAKE = [ap.make_ap_scorer, ap.make_outlier_ap_scorer]
BOTH = lightgbm_metric, xgboost_metric
TWO = {"pos_label": "a", "classes": ["a", "b"]}


class Detector(OutlierMixin, BaseEstimator):
    """Returns the scores that it was made with."""

    def __init__(self, scores):
        self.scores = scores

    def score_samples(self, X):
        return self.scores


def outliers(scores):
    return ap.make_outlier_ap_scorer()(Detector(scores), np.zeros((2, 1)), [1, -1])


def made(makes, *rows):
    """`(metric, options, error, words)` of something that is made of a metric."""
    return [
        (f"{metric}, {words}", each(makes, partial(call, metric, options)), *error, words)
        for metric, options, *error, words in rows
    ]


def call(metric, options, make):
    make(metric, **options)


# fmt: off
SCORERS = {
    "scorers": made(
        MAKE,
        ("linear", {}, "'linear' is not available in make_"),
        ("recall_at_precision_", {}, "Got 'recall_at_precision_' instead"),
        (10, {}, "The 'metric' parameter of make_ ... must be the name of a metric"),
        ("precision_at_10", {"k": 3}, TypeError, "k is already given in the name 'precision_at_10"),
        *((f"precision_at_{k}", {}, "The 'k' parameter ... in the range (0, 1]")
          for k in ("0%", "101%", "2.5")),
        ("precision_at_recall_1.5", {}, "The 'min_recall' parameter ... in the range [0, 1]"),
        ("roc_auc", {}, "Got 'roc_auc' instead. The area under the ROC ... 'AP', 'AP@10'"),
        ("average_precision", {"sample_weight": [1]}, TypeError,
         "sample_weight cannot be an option of make_"),
        ("average_precision", {"tie": "best"}, TypeError, "'tie' ... Did you mean 'ties'?"),
        ("average_precision", {"sample_weights": [1]}, TypeError, "Did you mean 'sample_weight'?"),
        ("average_precision", {"average": None}, "must return a single value"),
        ("average_precision", {"zero_division": 0.5}, "The 'zero_division' parameter"),
        ("average_precision", {"min_grade": "2"}, "The 'min_grade' parameter of"),
        ("average_precision", {"min_grade": 2, "pos_label": 3}, "=3 and min_grade=2 both")),
    "metrics that need options": made(
        [ap.make_ap_scorer, ap.get_scorer],
        *((metric, {}, TypeError, f"{metric} ... needs the option {option}")
          for metric, option in (("precision_at_recall", "min_recall"),
                                 ("recall_at_precision", "min_precision")))),
    "scorers of classes": [
        *((repr(labels), partial(ap.make_ap_scorer, classes=labels), ValueError, "classes")
          for labels in (3, "abc", [1], [1, 1, 2], [*"abca"])),
        (lambda: ap.make_ap_scorer(min_grade=2, classes=[0, 1]), "min_grade=2 is for grades, and"),
        *((f"classes {classes}", partial(ap.make_ap_scorer(classes=classes), BY_LETTER, X, LETTERS),
           ValueError, f"classes={classes} must be ... fitted on ... are ['a', 'b', 'c']")
          for classes in ([*"abd"], [*"dabc"])),
        (lambda: OF_ABC(GaussianNB().fit(X, FOUR), X, LETTERS), "are ['a', 'b', 'c', 'd']"),
        ("not fitted", lambda: OF_ABC(GaussianNB(), X, LETTERS),
         (ValueError, AttributeError), "classes_, but GaussianNB ... has none. Fit the estimator"),
        (lambda: PLAIN(BY_LETTER, X[NO_C], LETTERS[NO_C]), ValueError,
         "pos_label=1 is not" if sklearn.__version__ < "1.6" else "classes="),
    ],
    "scorers of means": asked(
        ap.make_map_scorer,
        ({"k": 0}, "'k' parameter"),
        ({"classes": [0, 1]}, TypeError, "classes"),
        ({"n_points": 11, "k": 5}, (TypeError, ValueError), "n_points"),
        ({"n_points": 11, "ties": "best"}, (TypeError, ValueError), "ties"),
        ({"average": None}, "average"),
        ({"pos_label": None}, "pos_label"),
        ({"groups": 3}, TypeError, "groups"),
        ({"groups": np.arange(3)}, TypeError, "groups"),
        ({"sample_weight": "no name"}, (TypeError, ValueError), "sample_weight"),
        ({"min_grade": "2"}, "The 'min_grade' parameter of"),
        ({"min_grade": 2, "pos_label": 3}, "=3 and min_grade=2 both")),
    "names of scorers": [
        *((name, partial(ap.get_scorer, name), ValueError, f"Got '{name}' ... mean ... '{nearest}'")
          for name, nearest in {
              "average_precison": "average_precision",
              "101_points_average_precision": "101_point_average_precision",
              "roc_acu": "roc_auc"}.items()),
        *((f"k=7 in {name}", partial(ap.get_scorer, name, k=7),
           TypeError, f"k is already given in the name '{name}'")
          for name in ("precision_at_5", "MAP@5")),
        *((f"options of {each!r}", partial(ap.get_scorer, each, pos_label=0),
           TypeError, "Only scorers of this package accept options ... pos_label")
          for each in ("roc_auc", PLAIN)),
        (lambda: ap.get_scorer("???"), ValueError, "sklearn_ap.get_scorer_names() lists all names"),
        ("a mean", lambda: ap.make_ap_scorer("mean_average_precision"),
         ValueError, "needs the groups of the samples. Use make_map_scorer"),
        *((f"{scoring!r}", [partial(ap.get_scorer, scoring),
                            partial(ap.make_multi_scorer, a=scoring)],
           TypeError, "a name or a scorer") for scoring in (None, 5, ["average_precision"])),
    ],
    "calls of scorers": [
        ("a request of groups", lambda: PLAIN.set_score_request(groups=True),
         (RuntimeError, TypeError), "enable_metadata_routing=True"),
        (lambda: PLAIN(BY_NAME, X, NAMES), "=1 is not a valid label ... ['fraud' 'legit']"),
        ("another label", lambda: ap.make_ap_scorer(pos_label="theft")(BY_NAME, X, NAMES),
         ValueError, "pos_label=theft ... ['fraud' 'legit']"),
        (lambda: ap.make_outlier_ap_scorer()(FOREST, X, Y), "pos_label=-1 ... one of [0"),
        ("a metric", lambda: cross_val_score(NB, X, Y, scoring=ap.recall_at_k_score,
                                             error_score="raise"),
         TypeError, "use sklearn_ap.make_ap_scorer"),
        ("no scores", [lambda: PLAIN(REGRESSOR, X, Y),
                       lambda: ap.make_map_scorer()(REGRESSOR, X, Y)],
         AttributeError, "LinearRegression has none ... decision_function"),
        (lambda: ap.make_multi_scorer(ap="AP", error_score="raise")(REGRESSOR, X, Y),
         AttributeError, "decision_function"),
        ("a mean without groups", lambda: ap.make_map_scorer(k=5)(NB, X, Y),
         ValueError, "groups ... set_config(enable_meta ... or as groups=... to the scorer"),
        (lambda: ap.make_map_scorer()(NB, X, Y, groups=Y), "enable_metadata_routing=True"),
        *((f"scores {scores!r}", partial(outliers, np.array(scores, object)), ValueError, words)
          for scores, words in [(["a", 1], "y_score must contain numbers"), ([NAN, 1], "NaN")]),
        *((f"weights {weight[:1]}", partial(FAR, NB, X, Y, sample_weight=weight), ValueError, words)
          for weight, words in ((["a"] * 60, "sample_weight must contain numbers"),
                                ([1.0] * 59, "inconsistent"),
                                ([NAN] * 60, "sample_weight"))),
    ],
    "several scorers": [
        ("none", ap.make_multi_scorer, (TypeError, ValueError), "needs at least one scorer"),
        (lambda: ap.make_multi_scorer(ap="average_precison"), ValueError, "'average_precision'"),
        *((words, partial(ap.make_multi_scorer, *scorers, **named), error, words)
          for scorers, named, error, words in [
            ((["AP"],), {"k": 3}, TypeError, "the scorers average_precision takes the option k"),
            ((["roc_auc"],), {"pos_label": 0}, TypeError, "None of the scorers roc_auc takes"),
            ((), {"p": "P@1%", "pos_labl": "yes"}, TypeError, "Did you mean 'pos_label'"),
            ((["AP", "AP"],), {}, ValueError, "called 'average_precision'. Pass one of them by"),
            (("AP",), {}, TypeError, "make_multi_scorer(['AP', 'P@1%'])"),
            (({"a": "AP"},), {}, TypeError, "make_multi_scorer(**scorers)"),
            (([3],), {}, TypeError, "3 has no name, so pass it by keyword"),
            ((["AP"],), {"average": None}, ValueError, "must return a single value"),
            ((["MAP"],), {"groups": Y}, TypeError, "Pass the values by metadata routing"),
            ((["AP"],), {"clusters": Y}, TypeError, "nor an option. Only intervals"),
        ]),
    ],
}


# Boosting

FIVE = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
ONES = np.array([1.0, 0.0, 1.0, 1.0, 0.0])


def called(make, given, labels, scores=FIVE, metric="AP"):
    make(metric, **given)(labels, scores)


def by_boosting(*rows):
    return [
        (words, [partial(called, make, given, *args) for make in BOTH], words)
        for given, args, words in rows
    ]


QUERIES = SimpleNamespace(  # with a weight each
    get_label=lambda: ONES,
    get_weight=lambda: np.array([1.0, 3]),
    get_group=lambda: np.array([2, 3]),
)

BOOSTING = {
    "metrics of boosting": made(
        BOTH,
        *(("AP", {"name": name}, "must be a str") for name in ("", "a b", "a:b", 3)),
        ("average_precision_at_10", {"k": 5}, TypeError, "is already given in the name"),
        ("AP", {"average": None}, "must return a single value"),
        ("MAP", {"average": "micro"}, "with groups"),
        ("AP", {"sample_weight": [1.0]}, TypeError, "cannot be an option of"),
        ("precision_at_recall", {}, TypeError, "needs the option min_recall"),
        ("AP", {"pos_label": 2}, "classes=np.unique(y)"),
        ("AP", {"classes": ["a"]}, "at least two labels, without duplicates"),
        ("AP", {"classes": ["a", "b"]}, "pos_label='a' or pos_label='b'"),
        ("AP", TWO | {"pos_label": "c"}, "pos_label='a' or pos_label='b'"),
        ("AP", {"classes": [*"abc"], "pos_label": "a"}, "fixed to 1"),
        ("AP", {"min_grade": 2, "pos_label": 0}, "pos_label=0 and min_grade=2 both define"),
        ("AP", {"min_grade": 2, "classes": [0, 1]}, "min_grade=2 is for grades, and classes is")),
    "calls of boosting libraries": by_boosting(
        ({"pos_label": 2, "classes": [1, 2]}, (ONES + 2,), "neither the classes [1, 2] nor"),
        (TWO, (ONES + 1,), "neither the classes ['a', 'b'] nor their numbers"),
        ({"pos_label": -1}, (ONES,), "pos_label=-1 is not a valid label ... classes=np.unique"),
        ({}, (np.where(ONES, "b", "a"),), "pos_label=1 is not a valid label ... ['a', 'b']"),
        ({}, (ONES, FIVE, "MAP"), "needs the groups of the rows"),
        ({"min_grade": 2}, (np.arange(3.0), np.ones((3, 3))), "needs one score for each sample"),
        ({"min_grade": 2}, (np.array([0.0, NAN, 2]), np.ones(3)), "missing value")),
    "one boosting library": [
        ("classes in another order than LightGBM numbers them",
         partial(called, lightgbm_metric, {"pos_label": "a", "classes": ["b", "a"]}, ONES),
         ValueError, "sorted order, ['a', 'b']"),
        ("predicted classes of which the labels lack one",
         partial(called, xgboost_metric, {"classes": [*"abc"]}, np.array([0.0, 1, 1, 0]),
                 np.array([0.0, 1, 2, 0])),
         ValueError, "The predictions are the classes"),
        (lambda: xgboost_metric("MAP", average="weighted")(FIVE, QUERIES), "Use average='macro'"),
        ("grades", lambda: lightgbm_metric("MAP")(FIVE, SimpleNamespace(
            get_label=lambda: np.array([0.0, 1, 2, 0, 1]), get_weight=lambda: None,
            get_group=lambda: np.array([2, 3]))),
         ValueError, "For grades, pass min_grade"),
    ],
}


# Readers

WITHOUT_BOX = [{"image_id": 7, "category_id": 2, "right": True}]
BOX = WITHOUT_BOX[0] | {"score": 0.5}
RUNS = {"bm25": engine(), "dense": engine([9, 1, 8, 1, 2])}
GRADES = ap.metric("MAP", min_grade=2)
COUNTED = [AP, COMPARE, ap.HitCurveDisplay.from_predictions]


def retrieved(*files):
    read_trec(*(BytesIO(file) if isinstance(file, bytes) else StringIO(file) for file in files))


def images(*given, **options):
    read_coco(*deepcopy(given), **{"matches": "right"} | options)


FOUND = read_coco(*FILES, matches="right")
PAIR = {"old": FOUND, "new": FOUND}
DETECTED = [
    lambda name: INTERVAL(data=FOUND, metric=name),
    lambda name: INTERVAL(data=FOUND, metric=ap.metric(name)),
    lambda name: COMPARE(data=PAIR, metric=name),
    lambda name: REPORT(data=FOUND, metrics=["AP", name]),
    lambda name: REPORT(data=PAIR, metrics={"mine": ap.metric(name)}),
    lambda name: ap.metric(name)(data=FOUND),
    lambda name: ap.metric(name).by_name(data=FOUND),
    lambda name: ap.influence(data=FOUND, metric=name),
    lambda name: ap.metric_bounds(data=FOUND, metric=name),
    lambda name: ap.AveragePrecisionDisplay.from_predictions(data=FOUND, metric=["step", name]),
]


def with_box(place, box, **fields):
    given = deepcopy(FILES)
    (given[1] if place else given[0]["annotations"])[1] |= {"bbox": box, **fields}
    read_coco(*given)


def with_corners(place, box):
    given = [[{"boxes": [[0, 0, 9, 9]], "labels": [1], "scores": [1.0]}] * 2 for _ in "ab"]
    given[place][1] = given[place][1] | {"boxes": [box]}
    read_coco(*given)


READERS = {
    "columns that nobody names": [
        ("none", AP, TypeError, "average_precision_score() needs y_true and y_score: pass"),
        ("labels alone", lambda: AP([1]), TypeError, "needs y_score: pass"),
        ("no groups", lambda: MAP([1], [1]), TypeError, "needs groups: pass"),
        (lambda: REPORT(data={"y": [1]}, metrics="AP"), TypeError, "needs y_true and y_score:"),
        ("a comparison", lambda: COMPARE([1]), TypeError, "needs y_score_a: pass"),
        ("None", lambda: AP(None, [1]), TypeError, "must be an array-like. Got None"),
        ("a table by position", each([INTERVAL, MAP, partial(REPORT, metrics="AP"), POINT],
                                     lambda f: f(engine())),
         TypeError, "() got a Retrieved as y_true. Such a table is passed by name, as ... data=t"),
        ("tables by position", lambda: COMPARE(RUNS), TypeError,
         "compare() got a dict as y_true. Such a table is passed by name, as compare(data=tables)"),
        ("other counts", lambda: COMPARE(
            data=RUNS | {"other": engine(exist={"cat": 2, "dog": 3, "eel": 1})}),
         ValueError, "'bm25' and 'other' have different n_positives"),
        ("other groups", lambda: ap.HitCurveDisplay.from_predictions("relevant", "score",
            groups="query", zero_division=0.0, data={
                "all": engine().columns,
                "few": {name: column[:3] for name, column in engine().columns.items()}}),
         ValueError, "'dog' is only in the model 'all', but all models need every group"),
        ("several tables", each([MAP, partial(INTERVAL, metric="MAP"), compat.explain],
                                lambda f: f(data=RUNS)),
         ValueError, "for each of 'bm25', 'dense', but only report, comp"),
    ],
    "positives that a table hasn't counted": [
        (words, each(COUNTED, lambda f, given=given: f(**given, data=trec(unjudged="drop"))),
         ValueError, words)
        for given, words in [
            ({"y_true": "grade", "min_grade": 2}, "min_grade is decided when a table is read"),
            ({"y_true": "judged"}, "n_positives with y_true='relevant', but got y_true='judged'."),
            ({"y_true": [1, 0, 1, 1]}, "but got y_true=[1, 0, 1, 1]. Pass n_positives, too"),
            ({"groups": None}, "n_positives with groups='query', but got groups=None"),
            ({"pos_label": 0}, "n_positives with pos_label=1, but got pos_label=0"),
        ]],
    "files of TREC": [
        (words, partial(retrieved, qrels, run), ValueError, words) for qrels, run, words in [
            (QRELS, RUN + "cat Q0 d3 5 0.1 me", "run, line 8: the document 'd3' of query 'cat' is"),
            (QRELS + "dog 1 d4 0", RUN, "qrels, line 7: the document 'd4' of query 'dog' is there"),
            (QRELS, RUN + "emu Q0 d1 1 3 me", "run, line 8: the query 'emu' is not in qrels"),
            (QRELS, RUN + "cat Q0 d1 1 3", "run, line 8: run must have ... query, ... has 5 fiel"),
            (RUN, QRELS, "qrels, line 1: qrels must have lines of query, ... one has 6 fields"),
            (QRELS, RUN + "cat Q0 d7 1 nan me", "run, line 8: 'nan' is not a number."),
            (QRELS, RUN + "cat Q0 d7 1 1_0 me", "run, line 8: '1_0' is not a number."),
            (QRELS + "dog 0 d1 1_0", RUN, "qrels, line 7: '1_0' is not an integer."),
            (QRELS + "dog 0 d1 " + "9" * 400, RUN, "qrels, line 7: '9 ... is not an integer"),
            (QRELS.encode("utf-16"), RUN, "qrels cannot be read: it is encoded in UTF-16"),
            (QRELS, RUN.encode("utf-16-le"), "run cannot be read: it is encoded in UTF-16"),
            (QRELS, "\n", "run is empty, but run must have lines of query, Q0, document"),
        ]],
    "tables of TREC": [
        (lambda: read_trec(StringIO(QRELS), 3), TypeError, "run must be a path or an open file."),
        ("text", lambda: read_trec(StringIO(QRELS), RUN),
         ValueError, "run must be a path, but got text. ... io.StringIO(run"),
        ("grades", [lambda: GRADES(data=trec()), lambda: REPORT(data=trec(), metrics=GRADES)],
         ValueError, "min_grade is decided when a table is read"),
        (lambda: trec().judged_at(0.5), "'k' parameter of judged_at must be an int ... Got 0.5"),
        ("no rows", lambda: trec("cat 0 d1 1", "emu Q0 d1 1 3 me",
                                 unjudged_queries="drop").judged_at(5),
         ValueError, "The table has no rows"),
        (lambda: engine().bounds(), TypeError, "Only a table of read_trec knows which of its rows"),
        (lambda: trec().bounds("AP@2", denominator="hits"), "another denominator than 'hits'"),
    ],
    "files of COCO": [
        (words, partial(images, *given, **options), error, words)
        for given, options, error, words in [
            (FILES[:1], {}, TypeError, "read_coco needs detections"),
            (FILES[::-1], {}, ValueError, "detections must be a list. Pass the annotations"),
            (({**FILES[0], "images": []}, FILES[1]), {}, ValueError,
             "image_id of annotations must be among the ids of images, []. Got [7, 8] in 4 of 4"),
            ((FILES[0], [BOX, BOX | {"image_id": 5}]), {}, ValueError,
             "among the ids of images, [7, 8, 9]. Got [5] in 1 of 2 detections. ... same images"),
            ((FILES[0], [BOX | {"category_id": i} for i in (0, 1, 2, 1)]), {}, ValueError,
             "among the ids of categories, [2, 5, 6]. Got [0, 1] in 3 of 4 detections. If a det"),
            (({**FILES[0], "categories": [{"id": 2}]}, []), {}, ValueError,
             "category_id of annotations must be among ... [2]. Got [5] in 1 of 4 annotations"),
            ((FILES[0], [BOX | {"category_id": [2]}]), {}, ValueError, "Got [[2]] in 1 of 1 det"),
            (({**FILES[0], "categories": [{"id": 2}, {"id": "b"}]}, []), {}, ValueError,
             "ids of categories must be all integers or all strings. Got 2 and 'b'"),
            (({**FILES[0], "images": [{"id": None}]}, []), {}, ValueError,
             "ids of images must be all ... Got None."),
            (([{"boxes": [], "labels": ["cat"]}], [{"boxes": [], "labels": []}]), {}, ValueError,
             "targets[0] must have as many labels and scores as boxes, 0. Got {'boxes': 0, 'lab"),
            ((FILES[0], [BOX | {"category_id": "2"}]), {}, ValueError,
             "category_id='2', but ... id=2"),
            (({**FILES[0], "images": [{"id": "7"}]}, []), {}, ValueError,
             "image_id=7, but ... id='7'"),
            ((FILES[0], WITHOUT_BOX), {}, ValueError, "entry of ... has no 'score'"),
            (([], []), {"matches": None}, ValueError, "annotations has no objects"),
            ((FILES[0], [1]), {}, TypeError, "detections must be a list of dicts. Got [1]"),
            ((StringIO("{"), []), {}, ValueError, "annotations is not JSON: Expecting property"),
            ((FILES[0], [BOX | {"score": NAN}]), {}, ValueError, "a finite number. Got nan"),
            ((FILES[0], [BOX | {"right": "false"}]), {}, ValueError, "or null. Got 'false'"),
            (([{}], []), {}, ValueError, "targets of 1 images, but preds of 0"),
            (FILES, {"overlap": 50}, ValueError, "in the range ... Got 50 instead"),
            (FILES, {"overlap": [0.5, 0.75]}, ValueError, "those of a single overlap"),
        ]],
    "metrics of detections that mean an overlap": [
        (name, [partial(call, name) for call in DETECTED], ValueError, words)
        for name, words in {
            "AP@0.5": "'AP@0.5' means an overlap (IoU) of 0.5, not a cutoff k. Pass the table of "
                      "read_coco(..., overlap=0.5) as data, and a metric such as '101-point' ... "
                      "For the cutoff, pass sklearn_ap.metric('average_precision_at_k', k=0.5).",
            "AP@.75": "read_coco(..., overlap=0.75) ... _at_k', k=0.75).",
            "ap_at_1.0": "read_coco(..., overlap=1) ... k=1.0).",
            "AP@25": "an overlap (IoU) of 0.25",
            "AP@50": "read_coco(..., overlap=0.5) ... metric('average_precision_at_k', k=50).",
            "AP@95": "an overlap (IoU) of 0.95",
            "mAP@50": "read_coco(..., overlap=0.5) ... metric('mean_average_precision', k=50).",
            "average_precision_at_75": "an overlap (IoU) of 0.75",
            "P@0.5": "metric('precision_at_k', k=0.5)",
            "mean_recall_at_0.5": "metric('recall_at_k', k=0.5)",
            "AP@0.5 / relevant": "metric('average_precision_at_k', k=0.5, denominator='relevant')",
        }.items()
    ] + [
        (name, each(DETECTED, lambda call, name=name: call(name)), ValueError,
         f"{name!r} says which overlap (IoU) makes a detection correct ... read_coco, and pass its")
        for name in ("AP50", "AP75", "mAP50", "mAP@0.5", "AP@[.5:.95]")
    ],
    "boxes of COCO": [
        *((f"{box} in {role}", partial(with_box, place, box),
           ValueError, f"bbox of {role}[1], in the image 7, must be four ... Got {box!r} instead")
          for place, role in enumerate(["annotations", "detections"])
          for box in ([NAN, 0, 9, 9], [0, 0, 9, np.inf], [-np.inf, 0, 9, 9], [0, 0, -1, 9],
                      [0, 0, 9, -1], ["1", "2", "3", "4"], "1234", [0, 0, 10], [0, 0, 9, 9, 9],
                      None, [0, 0, 1e200, 1e200], [0, 0, None, 9], {"x": 0, "y": 0})),
        *((f"an area of {area}", partial(with_box, 0, [0, 0, 9, 9], area=area),
           ValueError, f"area of annotations[1], in the image 7, must be a fi ... Got {area!r}")
          for area in (NAN, np.inf, -1, "100", None)),
    ],
    "boxes of torchmetrics": [
        (f"{box} in {role}", partial(with_corners, place, box),
         ValueError, f"boxes of {role}[1] must each be four ... x1, y1, x2 ... Got [[")
        for place, role in enumerate(["targets", "preds"])
        for box in ([NAN, 0, 9, 9], [np.inf, 0, np.inf, 9], [5, 0, 4, 9], [0, 5, 9, 4], [0, 0, 9],
                    np.uint8([5, 0, 4, 9]), [*"0099"])
    ],
}


# compat

GEESE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], range(10, 0, -1)
FINDERS = [compat.explain, partial(compat.identify, 0.5)]

COMPAT = {
    "values to identify": [
        (f"{value!r}", partial(compat.identify, value, *GEESE), (ValueError, TypeError), words)
        for words, values in {
            "value must be a number": ("abc", "", None, [0.5]),
            "a percentage with its sign, from '0%' to '100%'. Got":
                (1.2, -0.1, "120%", "67.2", 67.2),
            "value": (NAN, "inf")}.items()
        for value in values
    ],
    "data to explain": [
        (words, each(FINDERS, lambda f, data=data, given=given: f(*data, **given)),
         ValueError, words)
        for data, given, words in [
            (([], []), {}, "0 sample(s)"),
            (([1, 0, 1], [3, 2, 1]), {"groups": [*"aab"], "n_positives": {"a": 2}},
             "no number for the group"),
            (([[0, 1], [1, 0]], [[1, 2], [3, 4]]), {}, "y_true must be binary. Pass one column"),
        ]],
    "ids": asked(
        partial(compat.identify, "0.5", [0, 1, 0], [1, 1, 1]),
        ({"ids": [*"aba"]}, "ids contains 'a' twice, so the order of tied samples is not known"),
        ({"ids": [1, "1", 2]}, "ids contains ... 1 ... twice"),
        ({"ids": [*"aab"], "groups": [*"ppq"]}, "ids contains 'a' twice in the same group"),
        ({"ids": ["a", None, "b"]}, "ids must be strings or integers, but contains None"),
        ({"ids": [*"ab"]}, "3 in y_true and 2 in ids")),
    "releases of scikit-learn": [
        *((repr(version), partial(of_release, [0, 1], [0.1, 0.2], version=version),
           ValueError, f"from '0.13' to '1.9' ... Got {version!r}")
          for version in ("0.12", "0.25", "1.10", "2.0", "1", "", "0.18,", "v0.18", 0.18, None)),
        *((f"{name} in {version}",
           partial(of_release, [0, 1], [0.1, 0.2], version=version, **{name: value}),
           ValueError, f"no '{name}'; it came with {first}")
          for version, name, value, first in [
              ("0.14", "sample_weight", [1, 2], "0.15"),
              ("0.14", "average", "micro", "0.15"),
              ("0.19", "pos_label", 0, "0.20")]),
        *((words, [partial(of_release, *args, version=era.since) for era in ERAS],
           ValueError, words)
          for args, words in [
              (([0, 1], [0.1, NAN]), "NaN"),
              (([0, 1], [0.1, 0.2, 0.3]), "inconsistent numbers of samples"),
              (([], []), "0 sample"),
              ((["ham", "spam"], [0.1, 0.2]), "pos_label"),
              (([0.5, 0.7], [0.1, 0.2]), "continuous format is not supported")]),
        *((f"weights {weight}", [
            *(partial(of_release, [0, 1], [1, 2], version=version, sample_weight=weight)
              for version in ("0.17", "1.9")),
            partial(compat.trapezoidal_average_precision_score, [0, 1], [1, 2],
                    sample_weight=weight)],
           ValueError, words)
          for weight, words in (([1, -1], "Negative values"), ([0, 0], "weight"),
                                ([1, NAN], "NaN"), ([1], "inconsistent"))),
    ],
}
# fmt: on

test_refused = refuses(SCORERS | BOOSTING | READERS | COMPAT)
