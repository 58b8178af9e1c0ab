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
from sklearn_ap import compat
from sklearn_ap.boosting import lightgbm_metric, xgboost_metric
from sklearn_ap.readers import read_coco, read_runs, read_trec

from .detections import FILES, detected
from .examples import NAN
from .refusals import refuses
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
MEANS = ["'MAP'", "'MAP@5'", "'MRR'", "'mean_precision_at_5'", "'mean_ndcg'"]
GROUPED = ["'MAP'", "'MRR@3'", "'AP'"]
AT_K = [f"'{name}_at_k'" for name in ("precision", "recall", "average_precision", "hit_rate")]
BOTH = ["lightgbm_metric", "xgboost_metric"]


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
    ("make_ap_scorer('linear')", "'linear' is not available in make_ap_scorer"),
    (
        "get_scorer('AP')(Y, Y)",
        TypeError,
        "an estimator, X and y_true. ... call sklearn_ap.metric('average_precision')(y_true, y_sc",
    ),
    ("compat.identify(Y, Y, 0.5)", "a number, ... and comes first, as in identify('0.78', y_true"),
    ("make_ap_scorer('recall_at_precision_')", "Got 'recall_at_precision_' instead"),
    ("make_ap_scorer(10)", "The 'metric' parameter of make_ ... must be the name of a metric"),
    (
        "make_ap_scorer('precision_at_10', k=3)",
        TypeError,
        "k is already given in the name 'precision_at_10",
    ),
    (
        "make_ap_scorer({'precision_at_0%'|'precision_at_101%'|'precision_at_2.5'})",
        "The 'k' parameter ... in the range (0, 1]",
    ),
    (
        "make_ap_scorer('precision_at_recall_1.5')",
        "The 'min_recall' parameter ... in the range [0, 1]",
    ),
    (
        "make_ap_scorer('roc_auc')",
        "Got 'roc_auc' instead. The area under the ROC ... 'AP', 'AP@10'",
    ),
    (
        "make_ap_scorer('average_precision', sample_weight=[1])",
        TypeError,
        "sample_weight of make_ap_scorer must be True",
    ),
    (
        "make_ap_scorer('average_precision', tie='best')",
        TypeError,
        "'tie' ... Did you mean 'ties'?",
    ),
    (
        "make_ap_scorer('average_precision', sample_weights=[1])",
        TypeError,
        "Did you mean 'sample_weight'?",
    ),
    ("make_ap_scorer('average_precision', average=None)", "must return a single value"),
    ("make_ap_scorer('average_precision', zero_division=0.5)", "The 'zero_division' parameter"),
    ("make_ap_scorer('average_precision', min_grade='2')", "The 'min_grade' parameter of"),
    ("make_ap_scorer('average_precision', min_grade=2, pos_label=3)", "=3 and min_grade=2 both"),
    # Metrics that need options
    (
        "{make_ap_scorer|get_scorer}('precision_at_recall')",
        TypeError,
        "precision_at_recall ... needs the option min_recall",
    ),
    (
        "{make_ap_scorer|get_scorer}('recall_at_precision')",
        TypeError,
        "recall_at_precision ... needs the option min_precision",
    ),
    # Scorers of classes
    ("make_ap_scorer(classes={3|'abc'|[1]|[1, 1, 2]|[*'abca']})", "classes"),
    ("make_ap_scorer(min_grade=2, classes=[0, 1])", "min_grade=2 is for grades, and"),
    (
        "make_ap_scorer(classes=[*'abd'])(BY_LETTER, X, LETTERS)",
        "classes=['a', 'b', 'd'] must be ... fitted on ... are ['a', 'b', 'c']",
    ),
    (
        "make_ap_scorer(classes=[*'dabc'])(BY_LETTER, X, LETTERS)",
        "classes=['d', 'a', 'b', 'c'] must be ... fitted on ... are ['a', 'b', 'c']",
    ),
    ("OF_ABC(GaussianNB().fit(X, FOUR), X, LETTERS)", "are ['a', 'b', 'c', 'd']"),
    (
        "OF_ABC(GaussianNB(), X, LETTERS)",
        (ValueError, AttributeError),
        "classes_, but GaussianNB ... has none. Fit the estimator",
    ),
    ("PLAIN(BY_LETTER, X[NO_C], LETTERS[NO_C])", "pass classes="),
    # Scorers of means
    ("make_ap_scorer('MAP', k=0)", "'k' parameter"),
    ("make_ap_scorer('MAP', classes=[0, 1])", "classes is not available for"),
    ("make_ap_scorer('MAP', n_points=11, k=5)", "n_points=11 and k=5 can't be combined"),
    ("make_ap_scorer('MAP', n_points=11, ties='best')", "not available with n_points"),
    ("make_ap_scorer('MAP', average=None)", "average"),
    ("make_ap_scorer({*GROUPED}, groups={3|np.arange(3)})", TypeError, "groups"),
    (
        "routed(lambda: make_ap_scorer('AP', sample_weight='no name'))",
        (TypeError, ValueError),
        "sample_weight",
    ),
    ("make_ap_scorer('MAP', min_grade='2')", "The 'min_grade' parameter of"),
    ("make_ap_scorer('MAP', min_grade=2, pos_label=3)", "=3 and min_grade=2 both"),
    (
        "{make_ap_scorer|get_scorer}({*MEANS})",
        RuntimeError,
        "first call sklearn.set_config(enable_metadata_routing=True)",
    ),
    # Options that a name has to say, or that each fold has of its own
    (
        "{make_ap_scorer|get_scorer|metric}({*AT_K})",
        "doesn't say the number k: write it, as in '",
    ),
    (
        "confidence_interval(Y, Y, metric={*AT_K})",
        "doesn't say the number k: write it, as in '",
    ),
    ("make_ap_scorer(n_positives=3)", TypeError, "each fold has its own positives"),
    ("make_ap_scorer(classes=[*'ab'])", "Pass pos_label='a' or pos_label='b'"),
    ("make_ap_scorer(response_method={'predict'|[]|['predict']})", "'response_method' parameter"),
    # Names of scorers
    ("get_scorer('average_precison')", "Got 'average_precison' ... mean ... 'average_precision'"),
    (
        "get_scorer('101_points_average_precision')",
        "Got '101_points_average_precision' ... mean ... '101_point_average_precision'",
    ),
    ("get_scorer('roc_acu')", "Got 'roc_acu' ... mean ... 'roc_auc'"),
    (
        "get_scorer('precision_at_5', k=7)",
        TypeError,
        "k is already given in the name 'precision_at_5'",
    ),
    ("get_scorer('MAP@5', k=7)", TypeError, "k is already given in the name 'MAP@5'"),
    (
        "get_scorer({'roc_auc'|PLAIN}, pos_label=0)",
        TypeError,
        "Only names of metrics in this package accept options ... pos_label",
    ),
    ("get_scorer('???')", "sklearn_ap.get_scorer_names() lists some"),
    (
        "get_scorer({None|5|['average_precision']})",
        TypeError,
        "a name or a scorer. Got ... For several, pass a list to make_multi_scorer",
    ),
    (
        "make_multi_scorer(dict(a={None|5|['average_precision']}))",
        TypeError,
        "a name or a scorer",
    ),
    # Calls of scorers
    (
        "PLAIN.set_score_request(groups=True)",
        (RuntimeError, TypeError),
        "enable_metadata_routing=True",
    ),
    ("PLAIN(BY_NAME, X, NAMES)", "=1 is not a valid label ... ['fraud' 'legit']"),
    (
        "make_ap_scorer(pos_label='theft')(BY_NAME, X, NAMES)",
        "pos_label=theft ... ['fraud' 'legit']",
    ),
    (
        "make_ap_scorer(pos_label=-1)(FOREST, X, Y)",
        "must be -1 for outliers and 1, or 1 for outliers and 0. Got 0, 1 and pos_label=-1",
    ),
    ("PLAIN(REGRESSOR, X, Y)", AttributeError, "LinearRegression has none ... decision_function"),
    (
        "routed(lambda: get_scorer('MAP'))(REGRESSOR, X, Y)",
        AttributeError,
        "LinearRegression has none ... decision_function",
    ),
    (
        "make_multi_scorer(['AP'], error_score='raise')(REGRESSOR, X, Y)",
        AttributeError,
        "decision_function",
    ),
    (
        "routed(lambda: get_scorer({*MEANS}))(NB, X, Y)",
        "groups ... set_config(enable_meta ... or as groups=... to the scorer",
    ),
    ("routed(lambda: get_scorer('MAP'))(NB, X, Y, groups=Y)", "enable_metadata_routing=True"),
    ("outliers(np.array(['a', 1], object))", "y_score must contain numbers"),
    ("outliers(np.array([NAN, 1], object))", "NaN"),
    ("FAR(NB, X, Y, sample_weight=['a'] * 60)", "sample_weight must contain numbers"),
    ("FAR(NB, X, Y, sample_weight=[1.0] * 59)", "inconsistent"),
    ("FAR(NB, X, Y, sample_weight=[NAN] * 60)", "sample_weight"),
    # Several scorers
    ("make_multi_scorer({[]|dict()})", "needs at least one scorer"),
    ("make_multi_scorer(dict(ap='average_precison'))", "'average_precision'"),
    ("make_multi_scorer('AP', 'P@20')", TypeError, "Pass several scorers as a list"),
    ("make_multi_scorer(['AP'], top='P@20')", TypeError, "make_multi_scorer({'top': 'P@20'})"),
    (
        "make_multi_scorer(['AP'], k=3)",
        TypeError,
        "the scorers AP takes the option k",
    ),
    ("make_multi_scorer(['roc_auc'], pos_label=0)", TypeError, "None of the scorers roc_auc takes"),
    ("make_multi_scorer(['P@1%'], pos_labl='yes')", TypeError, "Did you mean 'pos_label'"),
    ("make_multi_scorer(['AP', 'AP'])", "called 'AP'. Pass a dict"),
    ("make_multi_scorer('AP')", TypeError, "make_multi_scorer(['AP', 'P@1%'])"),
    ("make_multi_scorer([3])", TypeError, "3 has no name, so pass a dict"),
    ("make_multi_scorer(['AP'], average=None)", "must return a single value"),
    ("make_multi_scorer(['MAP'], groups=Y)", TypeError, "Pass the values by metadata routing"),
    (
        "make_multi_scorer(['AP'], clusters=Y)",
        TypeError,
        "not an option of a metric. Only intervals",
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
    ("{*BOTH}('AP', name={''|'a b'|'a:b'|3})", "must be a str"),
    ("{*BOTH}('average_precision_at_10', k=5)", TypeError, "is already given in the name"),
    ("{*BOTH}('AP', average=None)", "must return a single value"),
    ("{*BOTH}('MAP', average='micro')", "with groups"),
    ("{*BOTH}('AP', sample_weight=[1.0])", TypeError, "cannot be an option of"),
    ("{*BOTH}('precision_at_recall')", TypeError, "needs the option min_recall"),
    ("{*BOTH}('AP', pos_label=2)", "classes=np.unique(y)"),
    ("{*BOTH}('AP', classes=['a'])", "at least two labels, without duplicates"),
    ("{*BOTH}('AP', classes=['a', 'b'])", "pos_label='a' or pos_label='b'"),
    ("{*BOTH}('AP', pos_label='c', classes=['a', 'b'])", "pos_label='a' or pos_label='b'"),
    ("{*BOTH}('AP', classes=[*'abc'], pos_label='a')", "fixed to 1"),
    ("{*BOTH}('AP', min_grade=2, pos_label=0)", "pos_label=0 and min_grade=2 both define"),
    ("{*BOTH}('AP', min_grade=2, classes=[0, 1])", "min_grade=2 is for grades, and classes is"),
    # Calls of boosting libraries
    (
        "{*BOTH}('AP', pos_label=2, classes=[1, 2])(ONES + 2, FIVE)",
        "neither the classes [1, 2] nor",
    ),
    (
        "{*BOTH}('AP', pos_label='a', classes=['a', 'b'])(ONES + 1, FIVE)",
        "neither the classes ['a', 'b'] nor their numbers",
    ),
    (
        "{*BOTH}('AP', pos_label=-1)(ONES, FIVE)",
        "pos_label=-1 is not a valid label ... classes=np.unique",
    ),
    (
        "{*BOTH}('AP')(np.where(ONES, 'b', 'a'), FIVE)",
        "pos_label=1 is not a valid label ... ['a', 'b']",
    ),
    ("{*BOTH}('MAP')(ONES, FIVE)", "needs the groups of the rows"),
    (
        "{*BOTH}('AP', min_grade=2)(np.arange(3.0), np.ones((3, 3)))",
        "needs one score for each sample",
    ),
    ("{*BOTH}('AP', min_grade=2)(np.array([0.0, NAN, 2]), np.ones(3))", "missing value"),
    # One boosting library
    (
        "lightgbm_metric('AP', pos_label='a', classes=['b', 'a'])(ONES, FIVE)",
        "sorted order, ['a', 'b']",
    ),
    (
        (
            "xgboost_metric('AP', classes=[*'abc'])(np.array([0.0, 1, 1, 0]), np.array([0.0, 1, "
            "2, 0]))"
        ),
        "The predictions are the classes",
    ),
    ("xgboost_metric('MAP', average='weighted')(FIVE, QUERIES)", "Use average='macro'"),
    (
        (
            "lightgbm_metric('MAP')(FIVE, SimpleNamespace(get_label=lambda: np.array([0.0, 1, 2, "
            "0, 1]), get_weight=lambda: None, get_group=lambda: np.array([2, 3])))"
        ),
        "For grades, pass min_grade",
    ),
]


# Readers

BOX = {"image_id": 7, "category_id": 2, "bbox": [0, 0, 10, 10], "score": 0.5}
RUNS = {"bm25": engine(), "dense": engine([9, 1, 8, 1, 2])}
GRADES = ap.metric("MAP", min_grade=2)
COUNTED = ["AP", "compare", "HitCurveDisplay.from_predictions"]


def retrieved(*files):
    read_trec(*(BytesIO(file) if isinstance(file, bytes) else StringIO(file) for file in files))


def images(*given, **options):
    read_coco(*deepcopy(given), **options)


DETECTED = [
    "confidence_interval(data=detected(), metric=NAME)",
    "confidence_interval(data=detected(), metric=metric(NAME))",
    "compare(data={'old': detected(), 'new': detected()}, metric=NAME)",
    "report(data=detected(), metrics=['AP', NAME])",
    "report(data={'old': detected(), 'new': detected()}, metrics={'mine': metric(NAME)})",
    "metric(NAME)(data=detected())",
    "metric(NAME).by_name(data=detected())",
    "AveragePrecisionDisplay.from_predictions(data=detected(), metric=['step', NAME])",
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


OVERLAPS = [
    ("AP@0.5", "which overlap (IoU) ... 'interpolated_average_precision' ... write 'AP@50%'."),
    ("AP@.75", "which overlap (IoU) ... write 'AP@75%'."),
    ("ap_at_1.0", "which overlap (IoU) ... write 'ap_at_100%'."),
    ("AP@25", "an overlap (IoU) of 0.25"),
    ("AP@50", "read_coco(..., overlap=0.5) ... metric('average_precision_at_k', k=50)."),
    ("AP@95", "an overlap (IoU) of 0.95"),
    ("mAP@50", "read_coco(..., overlap=0.5) ... metric('mean_average_precision', k=50)."),
    ("average_precision_at_75", "an overlap (IoU) of 0.75"),
    ("P@0.5", "For a fraction of each ranking, write 'P@50%'."),
    ("mean_recall_at_0.5", "For a fraction of each ranking, write 'mean_recall_at_50%'."),
    ("AP@0.5 / relevant", "which overlap (IoU) ... write 'AP@50% / relevant'."),
    *(
        (
            name,
            f"{name!r} says which overlap (IoU) makes a detection correct. ... read_coco, "
            "and pass its",
        )
        for name in ("AP50", "AP75", "mAP50", "mAP@0.5", "AP@[.5:.95]")
    ),
]

# Boxes that are refused, and how messages write them
BOXES = {
    "[NAN, 0, 9, 9]": "[nan, 0, 9, 9]",
    "[0, 0, 9, INF]": "[0, 0, 9, inf]",
    "[-INF, 0, 9, 9]": "[-inf, 0, 9, 9]",
    "[0, 0, 1e200, 1e200]": "[0, 0, 1e+200, 1e+200]",
} | {
    box: box
    for box in (
        "[0, 0, -1, 9]",
        "[0, 0, 9, -1]",
        "[0, 0, 10]",
        "[0, 0, 9, 9, 9]",
        "[0, 0, None, 9]",
        "['1', '2', '3', '4']",
        "'1234'",
        "None",
        "{'x': 0, 'y': 0}",
    )
}
CORNERS = [
    "[NAN, 0, 9, 9]",
    "[INF, 0, INF, 9]",
    "[5, 0, 4, 9]",
    "[0, 5, 9, 4]",
    "[0, 0, 9]",
    "np.uint8([5, 0, 4, 9])",
    "[*'0099']",
]

LINE = '{"query-id": "q", "corpus-id": "d", "score": 1}'

READERS = [
    # Columns that nobody names
    ("AP()", TypeError, "average_precision_score() needs y_true and y_score: pass"),
    ("AP([1])", TypeError, "needs y_score: pass"),
    ("MAP([1], [1])", TypeError, "needs groups: pass"),
    ("report(data={'y': [1]}, metrics='AP')", TypeError, "needs y_true and y_score:"),
    ("compare([1])", TypeError, "needs y_score_a: pass"),
    ("AP(None, [1])", TypeError, "must be an array-like. Got None"),
    (
        "{confidence_interval|MAP|partial(report, metrics='AP')|operating_point}(engine())",
        TypeError,
        "() got a Retrieved as y_true. Such a table is passed by name, as ... data=t",
    ),
    (
        "compare(RUNS)",
        TypeError,
        "compare() got a dict as y_true. Such a table is passed by name, as compare(data=tables)",
    ),
    (
        "compare(data={**RUNS, 'other': engine(exist={'cat': 2, 'dog': 3, 'eel': 1})})",
        "'bm25' and 'other' have different n_positives: 2 and 3 for 'dog' (they differ for 1",
    ),
    ("MAP(data=RUNS)", "for each of 'bm25', 'dense', but only report, comp"),
    (
        "confidence_interval(metric='MAP', data=RUNS)",
        "for each of 'bm25', 'dense', but only report, comp",
    ),
    ("compat.explain(data=RUNS)", "for each of 'bm25', 'dense', but only report, comp"),
    # Positives that a table hasn't counted
    (
        "{AP|confidence_interval|HitCurveDisplay.from_predictions}(min_grade=2, data=detected())",
        "this table has no grades. Leave min_grade out",
    ),
    (
        "{*COUNTED}(y_true='judged', data=trec(unjudged='drop'))",
        "n_positives with y_true='relevant', but got y_true='judged'.",
    ),
    (
        "{*COUNTED}(y_true=[1, 0, 1, 1], data=trec(unjudged='drop'))",
        "but got y_true=[1, 0, 1, 1]. Pass n_positives, too",
    ),
    (
        "{*COUNTED}(groups=None, data=trec(unjudged='drop'))",
        "n_positives with groups='query', but got groups=None",
    ),
    (
        "{*COUNTED}(pos_label=0, data=trec(unjudged='drop'))",
        "n_positives with pos_label=1, but got pos_label=0",
    ),
    # Files of TREC
    (
        "retrieved(QRELS, RUN + 'cat Q0 d3 5 0.1 me')",
        "line 8 of runs: the document 'd3' of query 'cat' is",
    ),
    (
        "retrieved(QRELS + 'dog 1 d4 0', RUN)",
        "line 7 of qrels: the document 'd4' of query 'dog' is there",
    ),
    (
        "retrieved(QRELS, RUN + 'emu Q0 d1 1 3 me')",
        "line 8 of runs: the query 'emu' is not in qrels",
    ),
    (
        "retrieved(QRELS, RUN + 'cat Q0 d1 1 3')",
        "line 8 of runs: runs must have ... query, ... has 5 fiel",
    ),
    (
        "retrieved(RUN, QRELS)",
        "line 1 of qrels: qrels must have lines of query, ... one has 6 fields",
    ),
    ("retrieved(QRELS, RUN + 'cat Q0 d7 1 nan me')", "line 8 of runs: 'nan' is not a number."),
    ("retrieved(QRELS, RUN + 'cat Q0 d7 1 1_0 me')", "line 8 of runs: '1_0' is not a number."),
    ("retrieved(QRELS + 'dog 0 d1 1_0', RUN)", "line 7 of qrels: '1_0' is not an integer."),
    (
        "retrieved(QRELS + 'dog 0 d1 ' + '9' * 400, RUN)",
        "line 7 of qrels: '9 ... is not an integer",
    ),
    ("retrieved(QRELS.encode('utf-16'), RUN)", "qrels cannot be read: it is encoded in UTF-16"),
    ("retrieved(QRELS, RUN.encode('utf-16-le'))", "runs cannot be read: it is encoded in UTF-16"),
    ("retrieved(QRELS, '\\n')", "runs is empty, but runs must have lines of query, Q0, document"),
    # Dicts of dicts, and JSON lines
    ("read_runs({}, {'q': {'d': 1}})", "qrels is empty, but must have a dict for each query"),
    ("read_runs({'q': {'d': 1}}, {})", "runs is empty, but must have a dict for each query"),
    ("read_runs({'q': {'d': 1}}, {'a': {'q': {'d': 1}}, 'b': {}})", "runs['b'] is empty"),
    ("read_runs({'q': 1}, {'q': {'d': 1}})", TypeError, "qrels must be a dict of dicts, such as"),
    (
        "read_runs({'q': {'d': 1}}, [('q', 'd', 1)])",
        TypeError,
        "of JSON lines or BEIR's TSV. Got [",
    ),
    ("read_runs({'q': {'d': 0.5}}, {'q': {'d': 1}})", "qrels, query 'q': 0.5 is not an integer."),
    ("read_runs({'q': {'d': 1}}, {'q': {'d': NAN}})", "runs, query 'q': nan is not a number."),
    ("read_runs({'q': {'d': 1}}, {'q': {'d': '1'}})", "runs, query 'q': '1' is not a number."),
    (
        "read_runs({'q': {1: 1}}, {'q': {'d': 1}})",
        TypeError,
        "the document 1, but names must be str",
    ),
    ("read_runs({3: {'d': 1}}, {'q': {'d': 1}})", TypeError, "the query 3, but names must be str"),
    (
        "read_runs({'q': {'d': 1}}, {'a': {'x': {'d': 1}}})",
        "runs['a'], query 'x': the query 'x' is not in qrels. ... unjudged_queries='drop'",
    ),
    (
        "read_runs(StringIO('q 0 d 1'), {'q': {'d': 1}})",
        "line 1 of qrels: it is not JSON ... Read files of TREC by read_trec. A TSV file begins ",
    ),
    (
        "read_runs(StringIO('query-id\\tcorpus-id\\tscore\\nq\\td\\n'), {'q': {'d': 1}})",
        "line 2 of qrels: each line needs the columns 'query-id', 'corpus-id', 'score', but",
    ),
    (
        "read_runs(StringIO('query-id\\tcorpus-id\\tscore\\nq\\td\\t0.5\\n'), {'q': {'d': 1}})",
        "line 2 of qrels: 0.5 is not an integer.",
    ),
    ("read_trec({'q': {'d': 1}}, 'run')", TypeError, "For dicts of dicts, call read_runs."),
    (
        "read_trec(StringIO('q 0 d 1'), {'a': {'q': {'d': 1}}})",
        TypeError,
        "runs['a'] must be a path or an open file. ... For dicts of dicts, call read_runs.",
    ),
    (
        "read_trec(StringIO('q 0 d 1'), {'a': StringIO('q Q0 d 1 2')})",
        "line 1 of runs['a']: runs['a'] must have lines of query",
    ),
    (
        "read_runs(StringIO('{\"query-id\": 1}'), {'q': {'d': 1}})",
        "line 1 of qrels: each line needs the keys 'query-id', 'corpus-id', 'score'.",
    ),
    ("read_runs(StringIO('[1]'), {'q': {'d': 1}})", "line 1 of qrels: each line needs the keys"),
    ("read_runs(StringIO('\\n'), {'q': {'d': 1}})", "qrels is empty, but must have JSON lines"),
    (
        "read_runs(StringIO(2 * (LINE + '\\n')), {'q': {'d': 1}})",
        "line 2 of qrels: the document 'd' of query 'q' is there twice. Keep one judgment",
    ),
    ("read_runs(LINE, {'q': {'d': 1}})", "qrels must be a path, but got text. Pass it as io.Str"),
    # Tables of TREC
    ("read_trec(StringIO(QRELS), 3)", TypeError, "runs must be a path or an open file."),
    ("read_trec(StringIO(QRELS), RUN)", "runs must be a path, but got text. ... io.StringIO(runs"),
    ("GRADES(data=detected())", "this table has no grades"),
    ("report(data=detected(), metrics=GRADES)", "this table has no grades"),
    ("trec().judged_at(0.5)", "'k' parameter of judged_at must be an int ... Got 0.5"),
    ("read_runs({'cat': {'d1': 1}}, {'cat': {}}).judged_at(5)", "The table has no rows"),
    (
        "trec('cat 0 d1 1', 'emu Q0 d1 1 3 me', unjudged_queries='drop')",
        "None of the 1 queries of the run is among the 1 of the judgments: 'emu' is in the run",
    ),
    (
        "trec('cat 0 d1 1', 'cat Q0 D1 1 3 me')",
        "None of the 1 documents of the run is among ... 'D1' is in the run, and 'd1' in the judg",
    ),
    ("engine().judged_at(1)", TypeError, "Only a table of read_trec knows which of its rows"),
    # Files of COCO
    ("images(*FILES[:1])", TypeError, "read_coco needs detections"),
    ("images(*FILES[::-1])", "detections must be a list. Pass the annotations"),
    (
        "images({**FILES[0], 'images': []}, FILES[1])",
        "image_id of annotations must be among the ids of images, []. Got [7, 8] in 4 of 4",
    ),
    (
        "images(FILES[0], [BOX, {**BOX, 'image_id': 5}])",
        "among the ids of images, [7, 8, 9]. Got [5] in 1 of 2 detections. ... same images",
    ),
    (
        "images(FILES[0], [{**BOX, 'category_id': i} for i in (0, 1, 2, 1)])",
        "among the ids of categories, [2, 5, 6]. Got [0, 1] in 3 of 4 detections. If a det",
    ),
    (
        "images({**FILES[0], 'categories': [{'id': 2}]}, [])",
        "category_id of annotations must be among ... [2]. Got [5] in 1 of 4 annotations",
    ),
    ("images(FILES[0], [{**BOX, 'category_id': [2]}])", "Got [[2]] in 1 of 1 det"),
    (
        "images({**FILES[0], 'categories': [{'id': 2}, {'id': 'b'}]}, [])",
        "ids of categories must be all integers or all strings. Got 2 and 'b'",
    ),
    (
        "images({**FILES[0], 'images': [{'id': None}]}, [])",
        "ids of images must be all ... Got None.",
    ),
    (
        "images([{'boxes': [], 'labels': ['cat']}], [{'boxes': [], 'labels': []}])",
        "targets[0] must have as many labels and scores as boxes, 0. Got {'boxes': 0, 'lab",
    ),
    ("images(FILES[0], [{**BOX, 'category_id': '2'}])", "category_id='2', but ... id=2"),
    ("images({**FILES[0], 'images': [{'id': '7'}]}, [])", "image_id=7, but ... id='7'"),
    ("images(FILES[0], [{'image_id': 7, 'category_id': 2}])", "entry of ... has no 'score'"),
    ("images([], [])", "annotations has no objects"),
    ("images(FILES[0], [1])", TypeError, "detections must be a list of dicts. Got [1]"),
    ("images(StringIO('{'), [])", "annotations is not JSON: Expecting property"),
    ("detected(FILES[0], [{**BOX, 'score': NAN}])", "a finite number. Got nan"),
    ("images([{}], [])", "targets of 1 images, but preds of 0"),
    ("images(*FILES, overlap=50)", "in the range ... Got 50 instead"),
    # Metrics of detections that mean an overlap
    *((call.replace("NAME", repr(name)), words) for call in DETECTED for name, words in OVERLAPS),
    # Boxes of COCO
    *(
        (
            f"with_box('{role}', {box})",
            f"bbox of {role}[1], in the image 7, must be four ... Got {got} instead",
        )
        for role in ("annotations", "detections")
        for box, got in BOXES.items()
    ),
    *(
        (
            f"with_box('annotations', [0, 0, 9, 9], area={area})",
            f"area of annotations[1], in the image 7, must be a fi ... Got {got}",
        )
        for area, got in zip(
            ["NAN", "INF", "-1", "'100'", "None"],
            ["nan", "inf", "-1", "'100'", "None"],
            strict=True,
        )
    ),
    # Boxes of torchmetrics
    *(
        (
            f"with_corners('{role}', {box})",
            f"boxes of {role}[1] must each be four ... x1, y1, x2 ... Got [[",
        )
        for role in ("targets", "preds")
        for box in CORNERS
    ),
]


# compat

GEESE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1], range(10, 0, -1)
identified = partial(compat.identify, 0.5)

COMPAT = [
    # Values to identify
    (
        "compat.identify({'abc'|''|None|[0.5]}, *GEESE)",
        (ValueError, TypeError),
        "value must be a number",
    ),
    (
        "compat.identify({1.2|-0.1|'120%'|'67.2'|67.2}, *GEESE)",
        (ValueError, TypeError),
        "a percentage with its sign, from '0%' to '100%'. Got",
    ),
    ("compat.identify({NAN|'inf'}, *GEESE)", (ValueError, TypeError), "value"),
    # Data to explain
    ("{compat.explain|identified}([], [])", "0 sample(s)"),
    (
        "{compat.explain|identified}([1, 0, 1], [3, 2, 1], groups=[*'aab'], n_positives={'a': 2})",
        "no number for the group",
    ),
    (
        "{compat.explain|identified}([[0, 1], [1, 0]], [[1, 2], [3, 4]])",
        "y_true must be binary. Pass one column",
    ),
    # Ids
    (
        "compat.identify('0.5', [0, 1, 0], [1, 1, 1], ids=[*'aba'])",
        "ids contains 'a' twice, so the order of tied samples is not known",
    ),
    (
        "compat.identify('0.5', [0, 1, 0], [1, 1, 1], ids=[1, '1', 2])",
        "ids contains ... 1 ... twice",
    ),
    (
        "compat.identify('0.5', [0, 1, 0], [1, 1, 1], ids=[*'aab'], groups=[*'ppq'])",
        "ids contains 'a' twice in the same group",
    ),
    (
        "compat.identify('0.5', [0, 1, 0], [1, 1, 1], ids=['a', None, 'b'])",
        "ids must be strings or integers, but contains None",
    ),
    ("compat.identify('0.5', [0, 1, 0], [1, 1, 1], ids=[*'ab'])", "3 in y_true and 2 in ids"),
    # The area of trapezoids
    ("compat.trapezoidal_average_precision_score([0, 1], [1, 2], sample_weight=[1, NAN])", "NaN"),
    (
        "compat.trapezoidal_average_precision_score([0, 1], [1, 2], sample_weight=[1, -1])",
        "Negative values",
    ),
    ("compat.trapezoidal_average_precision_score([0, 1], [1, 2], sample_weight=[0, 0])", "weight"),
    (
        "compat.trapezoidal_average_precision_score([0, 1], [1, 2], sample_weight=[1])",
        "inconsistent",
    ),
]

test_refused = refuses(SCORERS + BOOSTING + READERS + COMPAT, globals())
