"""What intervals, comparisons, reports, thresholds and displays refuse, and in which words."""

from dataclasses import FrozenInstanceError
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

import sklearn_ap as ap
from sklearn_ap import AveragePrecisionDisplay as Areas
from sklearn_ap import HitCurveDisplay as Hits
from sklearn_ap import (
    compare,
    compare_folds,
    confidence_interval,
    hit_curve,
    metric,
    operating_point,
    precision_at_recall_score,
    recall_at_precision_score,
    report,
)
from sklearn_ap.exceptions import NoPositivesError

from .examples import AP, NAN
from .refusals import refused, refuses

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")

Y, S = np.array([1, 0, 1, 0, 1, 1, 0, 0]), np.arange(8)[::-1]
PAIRS = np.repeat([*"abcd"], 2)  # groups or clusters of two samples each
MODELS = {"old": S, "new": S[::-1]}
FRAME = pd.DataFrame({"y": Y, "old": S, "new": S[::-1]})
SIX_Y, SIX_S, DAYS = [1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1], [*"MMTTTW"]
FOLD_A, FOLD_B = [0.5, 0.6], [0.4, 0.5]


# Intervals and comparisons

LABELS, SCORES = np.eye(8, 3) + np.eye(8, 3, -3), np.arange(24).reshape(8, 3)
EMPTY_CLASS = LABELS * [1, 1, 0]


def of_images(n_positives):
    """An interval of the object (0, 1) of image 0, and of others, which exist so often."""
    groups, clusters = [0, 0, 1, 0], [0, 1, 0, 0]
    ap.confidence_interval(
        [1, 0, 1, 0], [4, 3, 2, 1], groups=groups, clusters=clusters, n_positives=n_positives
    )


def folds(scores, test_size=2):
    """What cross_validate returns for folds of 10 samples."""
    test = [np.arange(start, start + test_size) for start in range(len(scores))]
    train = [np.setdiff1d(np.arange(10), some) for some in test]
    return {"test_score": np.array(scores), "indices": {"train": train, "test": test}}


FOLDS = folds([0.5, 0.6, 0.7])


def timed(name):
    """What cross_validate returns for two folds and this metric."""
    return {"fit_time": np.zeros(2), name: np.array([0.5, 0.6])}


def searched(params=({"C": 1}, {"C": 10}), n_folds=2, cv=2, **results):
    """What has the results of a search; without a cv, it doesn't know the sizes of its folds."""
    for fold in range(n_folds):
        results.setdefault(f"split{fold}_test_score", [0.6 + fold / 10, 0.5][: len(params)])
    search = SimpleNamespace(cv_results_={"params": list(params), **results}, cv=cv)
    if cv is None:
        del search.cv
    return search


SEARCH = searched()


def interval(y_true=Y, y_score=S, **options):
    return ap.confidence_interval(y_true, y_score, **options)


MISSPELLED = {
    "cluster": "clusters",
    "seed": "random_state",
    "weights": "sample_weight",
    "n_boot": "n_resamples",
}
INFERENCE = [
    # Intervals
    refused(
        "method='bootstrap'",
        lambda: confidence_interval(Y, S, metric="11-point", method="influence"),
    ),
    refused("a single value", lambda: confidence_interval(Y, S, average=None)),
    refused("two clusters", lambda: confidence_interval(Y, S, clusters=[0] * 8)),
    refused("8 in y_true and 7 in clusters", lambda: confidence_interval(Y, S, clusters=[0] * 7)),
    refused(
        "clusters contains missing values",
        lambda: confidence_interval(Y, S, clusters=[*PAIRS[:7], None]),
    ),
    refused(
        "At least two groups", lambda: confidence_interval(Y, S, clusters=[0] * 8, groups=[0] * 8)
    ),
    refused(
        "At least two clusters",
        lambda: confidence_interval(Y, S, clusters=[0] * 8, groups=[0, 1] * 4),
    ),
    refused("two groups", lambda: confidence_interval(Y, S, groups=[0] * 8)),
    refused(
        "the folds of at least two ways to train ... alone instead",
        lambda: compare_folds({"fit_time": [1, 1], "test_AP": FOLD_A}),
        error=TypeError,
    ),
    refused("has no option", lambda: confidence_interval(Y, S, k=3), error=TypeError),
    refused(
        "No positive class found",
        [
            lambda: confidence_interval([0] * 8, S),
            lambda: confidence_interval(np.zeros((8, 3)), SCORES),
            lambda: confidence_interval([0] * 8, S, groups=PAIRS, clusters=range(8)),
            lambda: compare(Y * 0, S, S),
        ],
        error=NoPositivesError,
    ),
    refused("two samples", lambda: confidence_interval([1], [1])),
    refused(
        "clusters are not available",
        lambda: confidence_interval(np.eye(8), np.eye(8), average="samples", clusters=range(8)),
    ),
    refused(
        "1 of 3 classes (2) ... zero_division=nan", lambda: confidence_interval(EMPTY_CLASS, SCORES)
    ),
    refused(
        "it counts as 0. Leave its column out.",
        lambda: confidence_interval(EMPTY_CLASS, SCORES, zero_division=NAN, metric="P@2"),
    ),
    refused(
        "there are 1.33e+241 samples and missed positives",
        lambda: confidence_interval(Y, S, n_positives=4, sample_weight=2.0**-800 * (Y + 1)),
    ),
    refused(
        "are 9,007,199,254,740,996 samples and missed positives",
        lambda: confidence_interval(Y, S, n_positives=2**53),
    ),
    # Misspelled parameters
    *(
        refused(
            f"{f.__name__}() got an unexpected keyword argument {name!r}. Did you mean {meant!r}?",
            lambda f, name: f(Y, S, **{name: Y}),
            [f],
            [name],
            error=TypeError,
        )
        for f in (confidence_interval, compare, report)
        for name, meant in MISSPELLED.items()
    ),
    refused("Did you mean 'ties'?", lambda: confidence_interval(Y, S, tie="best"), error=TypeError),
    # Results
    refused("'low'", lambda: setattr(interval(), "low", 0), error=FrozenInstanceError),
    refused(
        "'threshold'",
        lambda: setattr(operating_point(Y, S, k=2), "threshold", 1),
        error=FrozenInstanceError,
    ),
    # Objects of images
    refused(
        "no number for (0, 0), where y_true contains positives",
        lambda: of_images({(0, 1): 1, (1, 0): 2}),
    ),
    refused(
        "(0, 0) is too small: ... already contains 1",
        lambda: of_images({(0, 0): 0, (0, 1): 1, (1, 0): 2}),
    ),
    refused("numbers in the range", lambda: of_images({(0, 0): -1, (0, 1): 1, (1, 0): 2})),
    # Comparisons
    refused("7 in y_score. (y_score is that of the model 'B')", lambda: compare(Y, S, S[1:])),
    refused("needs at least two models", lambda: compare(Y, {"A": S})),
    refused("'C' is not one of the", lambda: compare(Y, MODELS, baseline="C")),
    refused(
        "The 'margin' parameter of compare must be a number, because compare evaluates one metric.",
        lambda: compare(Y, MODELS, margin={"AP": 0.1}),
    ),
    refused(
        "must be a number, because compare_folds",
        [
            lambda: compare_folds(FOLDS, FOLDS, margin={"AP": 0.1}),
            lambda: compare_folds(SEARCH, margin={"AP": 0.1}),
        ],
    ),
    refused("y_score_b must be left out", lambda: compare(Y, MODELS, S), error=TypeError),
    refused(
        "needs the prediction scores of a second model", lambda: compare(Y, S), error=TypeError
    ),
    refused("baseline needs a mapping", lambda: compare(Y, S, S, baseline="A"), error=TypeError),
    refused("Pass the labels first", lambda value: compare(S / 8, S, value), [Y, [*"abababab"]]),
    refused("at least two models", lambda: compare("y", ["old"], data=FRAME)),
    refused("y_score_a is empty", lambda: compare("y", [], data=FRAME)),
    refused("names a column twice", lambda: compare("y", ["old", "old"], data=FRAME)),
    refused(
        "y_score_a='X' is not a column of data",
        lambda: compare("y", {"A": "old", "B": "X"}, data=FRAME),
    ),
    refused("Pass their table as data", lambda: compare(Y, ["A", "B"]), error=TypeError),
    # Folds
    refused(
        "sizes of the folds are unknown ... return_indices",
        lambda: compare_folds(a=FOLDS, b={"test_score": [1, 2, 3]}),
    ),
    refused(
        "sizes of the folds are unknown",
        [
            lambda: compare_folds(a=FOLD_A, b=FOLD_B, n_train=8),
            lambda: compare_folds({"a": FOLD_A, "b": FOLD_B}),
        ],
    ),
    refused(
        "a must have a score for each of at least two folds",
        lambda: compare_folds(a=[0.5, NAN], b=FOLD_B),
    ),
    refused(
        "['score', 'ap'], ... Got None",
        lambda: compare_folds(a={**FOLDS, "test_ap": [1, 2, 3]}, b=FOLDS),
    ),
    # Searches
    refused(
        "a is a search. Pass it alone, as in", lambda: compare_folds(SEARCH, FOLDS), error=TypeError
    ),
    refused(
        "b is a search. Pass it alone, as in", lambda: compare_folds(FOLDS, SEARCH), error=TypeError
    ),
    refused(
        "needs a fitted search ... compare_folds({'forest': a, 'boosting': b})",
        lambda value: compare_folds(value),
        [FOLDS, FOLD_A],
        error=TypeError,
    ),
    # Several ways to train
    refused("at least two ways to train. Got ['a']", lambda: compare_folds({"a": FOLDS})),
    refused("at least two ways to train. Got []", lambda: compare_folds({})),
    refused(
        "must all be results of cross_validate, or all arrays ... [0.5, 0.6] instead",
        lambda: compare_folds({"a": FOLDS, "b": [0.5, 0.6]}),
        error=TypeError,
    ),
    refused(
        "Got the keys ['a', 'b'] instead. Pass several results by name as the only ones",
        lambda: compare_folds({"a": FOLDS, "b": FOLDS}, FOLDS),
        error=TypeError,
    ),
    refused(
        "'b' must be what cross_validate returned",
        lambda: compare_folds({"a": FOLDS, "b": {"fit_time": [1, 2]}}),
        error=TypeError,
    ),
    refused(
        "'b' is a search. Pass it alone",
        lambda: compare_folds({"a": FOLD_A, "b": SEARCH}, n_train=4, n_test=1),
        error=TypeError,
    ),
    refused(
        "baseline='c' is not one of the models ['a', 'b']",
        lambda: compare_folds({"a": FOLDS, "b": FOLDS}, baseline="c"),
    ),
    refused(
        "baseline needs a mapping from names",
        [
            lambda: compare_folds(FOLDS, FOLDS, baseline="a"),
            lambda: compare_folds(SEARCH, baseline="a"),
        ],
        error=TypeError,
    ),
    refused(
        "a ... and ... must have the same metric, but have 'ap' and 'roc_auc'",
        [
            lambda: compare_folds(timed("test_ap"), timed("test_roc_auc")),
            lambda: compare_folds(
                {"a": timed("test_ap"), "b": timed("test_ap"), "c": timed("test_roc_auc")}
            ),
        ],
    ),
    refused(
        "a ... and ... b ... must have the same folds, but have 3 and 2.",
        [
            lambda: compare_folds({"a": FOLDS, "b": folds([0.5, 0.6])}),
            lambda: compare_folds(FOLDS, folds([0.5, 0.6])),
        ],
    ),
    refused(
        "a ... and ... b ... have different folds: fold 0 has other samples in ... a ... than in",
        [
            lambda: compare_folds({"a": FOLDS, "b": folds([0.5, 0.6, 0.7], 3)}),
            lambda: compare_folds(FOLDS, folds([0.5, 0.6, 0.7], 3)),
        ],
    ),
    refused(
        "such as GridSearchCV, ... GaussianNB()",
        lambda: compare_folds(GaussianNB()),
        error=TypeError,
    ),
    refused(
        "This GridSearchCV instance is not fitted yet",
        lambda: compare_folds(GridSearchCV(GaussianNB(), {})),
        error=NotFittedError,
    ),
    refused(
        "{'C': 10} has no score on split1_test_score.",
        lambda: compare_folds(searched(split1_test_score=[0.7, NAN])),
    ),
    refused(
        "{'C': 1} has no score on split0_test_score",
        lambda: compare_folds(searched(split0_test_score=[np.inf, 1])),
    ),
    refused(
        "saw different rows, ... Use GridSearchCV",
        lambda: compare_folds(searched(n_resources=[10, 20])),
    ),
    refused(
        "['ap', 'score'], ... Got None", lambda: compare_folds(searched(split0_test_ap=[1, 2]))
    ),
    refused(
        "two candidates and two folds. Got 2 and 1.", lambda: compare_folds(searched(n_folds=1))
    ),
    refused(
        "candidates and two folds. Got 1 and 2.", lambda: compare_folds(searched(params=[{"C": 1}]))
    ),
    refused(
        "sizes of the folds are unknown. Pass both n_train and",
        [lambda: compare_folds(SEARCH, n_train=80), lambda: compare_folds(searched(cv=None))],
    ),
]


# Reports

SEVERAL = "If these are several models, pass a mapping from ... to report, or one model per call"
RUN = {"found": Y, "score": S, "query": np.repeat([0, 1, 2, 3], 2)}
RUNS = {"bm25": RUN, "dense": {name: column[:4] for name, column in RUN.items()}}
CLASSES = np.array([*"abcabcab"])
OF_CLASSES = {"old": 2 * np.eye(8, 3), "new": 2 * np.eye(8, 3, 1)}

REPORTS = [
    refused(
        "margin has a number for 'P@3', which is none of the metrics. These are ['Average",
        lambda: report(Y, MODELS, margin={"P@3": 0.1}),
    ),
    refused(
        "margin has a number for 'AP', which is none of the metrics. These are ['Average",
        lambda: report(Y, MODELS, metrics=metric("AP", pos_label=0), margin={"AP": 0.1}),
    ),
    refused(
        "a report of one model has no differences. Pass several models",
        lambda: report(Y, S, margin=0.1),
    ),
    refused(
        "The 'margin' parameter of report must be a number",
        lambda: report(Y, MODELS, margin={"AP": 0}),
    ),
    refused(
        "must be the name of a metric. Got 'APP' instead.",
        lambda: report(Y, MODELS, margin={"APP": 1}),
    ),
    # Reports
    refused("'metrics' parameter of report must be a metric", lambda: report(Y, MODELS, metrics=3)),
    refused(
        "Two metrics are called", lambda: report(Y, MODELS, metrics=["AP", "average_precision"])
    ),
    refused(
        "Two metrics are called '1'", lambda: report(Y, MODELS, metrics={1: "AP", "1": "P@10"})
    ),
    refused(
        "Did you mean 'average_precision'", lambda: report(Y, MODELS, metrics=["avg_precision"])
    ),
    refused("'MAP' is a mean over groups: pass groups=", lambda: report(Y, MODELS, metrics="MAP")),
    refused(
        "'odl' is not one of the models ['old' ... Did you mean 'old'?",
        lambda: report(Y, MODELS, metrics="AP", baseline="odl"),
    ),
    refused(
        "baseline='1' is not one of the models [0, 1]. Did you mean 1?",
        lambda: report(Y, {0: Y, 1: Y}, metrics="AP", baseline="1"),
    ),
    refused(
        "contains NaN. ... 4 of 8 rows, ... (y_score is that of the model 'b')",
        lambda: report(Y, {"a": Y, "b": np.where(Y, NAN, 1)}, metrics="AP"),
    ),
    refused(
        "[8, 7]. ... 7 in y_score. ... of the model 'b')",
        lambda: report(Y, {"a": Y, "b": Y[1:]}, metrics="AP"),
    ),
    refused(SEVERAL, lambda value: report(Y, value, metrics="AP"), [[S, S], np.c_[S, S]]),
    refused(
        "groups: Found array with dim 3",
        lambda: report(Y, Y, metrics="AP", groups=np.ones((8, 1, 2))),
    ),
    refused(
        "leave average out and call per_group",
        lambda: report(Y, MODELS, metrics="AP", groups=Y, average=None),
    ),
    refused("n_positives", lambda: report(Y, MODELS, metrics="AP", n_positives=3)),
    refused(
        "Pass the positive one, as pos_label=0 or pos_label=1.",
        lambda: report(Y, MODELS, metrics="AP", pos_label=2),
    ),
    refused(
        "y_true contains labels [0] that are not in classes [1, 2]",
        lambda: report(Y, MODELS, metrics="AP", classes=[1, 2]),
    ),
    refused("needs at least one model", lambda: report(Y, {}, metrics="AP")),
    refused(
        "names columns. Pass their table as data",
        lambda: report(Y, ["a", "b"], metrics="AP"),
        error=TypeError,
    ),
    refused("at least one", lambda: report("y", [], metrics="AP", data=FRAME)),
    refused("names a column twice", lambda: report("y", ["old", "old"], metrics="AP", data=FRAME)),
    refused(
        "'od' is not a column of data. Did you mean",
        lambda: report("y", ["od"], metrics="AP", data=FRAME),
    ),
    refused(
        "ties='expected'",
        lambda: report(Y, MODELS, metrics=["AP", metric("AP", ties="expected")], sample_weight=S),
    ),
    refused(
        "for the class d, ... Leave out its column, ... classes=",
        lambda: report(
            CLASSES,
            {n: np.c_[s, s[:, :1]] for n, s in OF_CLASSES.items()},
            metrics="AP",
            classes=[*"abcd"],
            average=None,
        ),
    ),
    refused(
        "for the class 2, ... Leave out its column",
        lambda: report(
            (CLASSES[:, None] == [*"abd"]).astype(int), OF_CLASSES, metrics="AP", average=None
        ),
    ),
    # Tables of models to compare
    refused(
        "With a mapping of models or tables, y_score_b must be left out",
        lambda: compare("found", "score", "score", data=RUNS, groups="query"),
        error=TypeError,
    ),
    # Results of reports
    refused(
        "per_group needs groups. Pass groups= to", lambda: report(Y, S, metrics="AP").per_group()
    ),
    refused(
        "one Axes for each metric, so 2. Got 1.",
        lambda: report(Y, S, metrics=["AP", "P@2"], by=np.asarray(Y) * 0).plot(Figure().subplots()),
    ),
]


# Thresholds

FITTED = LogisticRegression().fit(S[:, np.newaxis], np.where(Y, "fraud", "ok"))
HALF = {"old": S, "new": -S}
THRESHOLDS = [
    # Targets
    *(
        refused(
            "needs a target: min_recall, min_precision or k, but got none of them",
            lambda: operating_point(SIX_Y, SIX_S),
            error=error,
        )
        for error in (ValueError, TypeError)  # which it is both
    ),
    refused(
        "within k=2 reaches min_recall=0.8: the highest recall there is 0.3333. Pass min_recall=0.",
        lambda: operating_point(SIX_Y, SIX_S, min_recall=0.8, k=2),
    ),
    refused(
        "min_precision=0.9 beside min_recall=0.6: the highest precision there is 0.75.",
        lambda: operating_point(SIX_Y, SIX_S, min_recall=0.6, min_precision=0.9, k=5),
    ),
    refused(
        "at most k=2 samples, because 3 samples with the highest prediction score are tied. Pass "
        "k=3 or more.",
        lambda counts: operating_point(SIX_Y, [3, 3, 3, 2, 1, 0], min_recall=0.5, k=2, **counts),
        [{}, {"k_counts": "samples", "sample_weight": [2] * 6}],
    ),
    refused(
        "at most k=10%, because 3 samples with the highest prediction score are tied. Pass k=0.5",
        lambda: operating_point(SIX_Y, [3, 3, 3, 2, 1, 0], min_recall=0.5, k=0.1),
    ),
    refused(
        "min_recall=0.94 can't be promised with 90% confidence within k=39. Pass min_recall=0.9",
        lambda: operating_point(
            [1] * 40 + [0] * 40, range(80, 0, -1), min_recall=0.94, k=39, confidence_level=0.9
        ),
    ),
    refused(
        "threshold=3 is a threshold to be measured, so it can't be combined with",
        [
            lambda: operating_point(SIX_Y, SIX_S, threshold=3, min_recall=0.8),
            lambda: operating_point(SIX_Y, SIX_S, threshold=3, k=2),
        ],
    ),
    refused(
        "threshold={'a': 3} maps models to values, so y_score ... single model, pass a number.",
        lambda: operating_point(SIX_Y, SIX_S, threshold={"a": 3}),
    ),
    refused(
        "threshold has no value for the model 'b', but only for 'a'. Pass one for each model.",
        lambda: operating_point(SIX_Y, {"a": SIX_S, "b": SIX_S}, threshold={"a": 3}),
    ),
    refused(
        "threshold has a value for 'b', which is none of the models. These are 'old', 'new'.",
        lambda: operating_point(
            "y", ["old", "new"], threshold={"old": 3, "new": 1, "b": 2}, data=FRAME
        ),
    ),
    refused(
        "confidence_level=0.95 needs min_recall or min_precision, which it promises",
        lambda: operating_point(SIX_Y, SIX_S, k=10, confidence_level=0.95),
    ),
    refused(
        "many positives there are. Pass min_recall=0.3684 or",
        lambda: operating_point(SIX_Y, SIX_S, min_recall=1.0, confidence_level=0.95),
    ),
    refused(
        "at least 6 positives, and y_true has 5. Lower both targets, or collect more data.",
        lambda: operating_point(
            [0] * 50 + [1] * 5, range(55), min_recall=0.5, min_precision=1, confidence_level=0.95
        ),
    ),
    refused(
        "Did you mean 0.95?",
        lambda: operating_point(SIX_Y, SIX_S, min_recall=0.5, confidence_level=95),
    ),
    refused(
        "There are 6 in y_true and 2 in clusters",
        lambda: operating_point(SIX_Y, SIX_S, min_recall=0.5, clusters=[1, 2]),
    ),
    refused(
        "reaches min_precision=0.8 beside min_recall=0.8: the highest precision there is 0.75.",
        lambda: operating_point(SIX_Y, SIX_S, min_recall=0.8, min_precision=0.8),
    ),
    refused(
        "min_recall=0.5 cannot be met, because y_true has no positives (pos_label=1, and",
        lambda: operating_point([0] * 6, SIX_S, min_recall=0.5),
    ),
    refused(
        "min_precision=0 cannot",
        lambda: operating_point([0] * 6, SIX_S, min_precision=0, n_positives=4),
    ),
    refused(
        "at most k=1 samples per group on average, because 4 samples ... tied, and there are 3 "
        "groups. Pass k=2 or more",
        lambda: operating_point(SIX_Y, [2, 2, 2, 2, 1, 1], k=1, groups=DAYS),
    ),
    refused("5 in groups", lambda: operating_point(SIX_Y, SIX_S, groups=DAYS[:5], k=1)),
    refused(
        "n_positives=1 for 'T' is too small",
        lambda: operating_point(
            SIX_Y, SIX_S, groups=DAYS, min_recall=0.5, n_positives={"M": 1, "T": 1, "W": 0}
        ),
    ),
    refused(
        "has no number for the group 'M'",
        lambda: operating_point(
            SIX_Y, SIX_S, groups=DAYS, min_recall=0.5, n_positives={"T": 2, "W": 0}
        ),
    ),
    refused(
        "too many positives were missed (n_positives)",
        lambda: operating_point(
            [1] * 30, range(30), n_positives=80, min_recall=0.6, confidence_level=0.95
        ),
    ),
    refused(
        "with these weights or clusters, there is too little",
        lambda: operating_point(
            [1] * 40,
            range(40),
            sample_weight=[50] + [1] * 39,
            min_recall=0.8,
            confidence_level=0.95,
        ),
    ),
    # What has no threshold
    refused(
        "Found array with 0 sample(s) in y_true",
        [lambda: operating_point([], [], k=1), lambda: operating_point([], [], k=1, n_positives=3)],
    ),
    refused("inconsistent numbers of samples", lambda: operating_point(SIX_Y, range(7), k=1)),
    refused(
        "pos_label=1 is not a valid label ... 'a' or",
        lambda: operating_point([*"ababab"], SIX_S, k=1),
    ),
    refused(
        "more than two labels, ... one class ... y_true == label",
        lambda: operating_point([0, 1, 2, 0, 1, 2], SIX_S, k=1),
    ),
    refused(
        "multilabel-indicator ... : pass one column",
        lambda: operating_point([[0, 1], [1, 0]] * 3, [[1, 2], [3, 4]] * 3, k=1),
    ),
    refused(
        "y_score needs one score for each sample",
        lambda: operating_point(SIX_Y, [[1, 2], [3, 4]] * 3, k=1),
    ),
    refused(
        "at least one non-zero", lambda: operating_point(SIX_Y, SIX_S, k=1, sample_weight=[0] * 6)
    ),
    refused(
        "n_positives=0 is too small", lambda: operating_point(SIX_Y, SIX_S, k=1, n_positives=0)
    ),
    refused(
        "n_positives must be one number here",
        lambda: operating_point(SIX_Y, SIX_S, k=1, n_positives=[1]),
    ),
    refused(
        "unexpected keyword argument 'cutoff'",
        lambda: operating_point(SIX_Y, SIX_S, k=1, cutoff=0.5),
        error=TypeError,
    ),
    refused(
        "NaN ... that of the model 'new')",
        lambda: operating_point(SIX_Y, {"old": S[:6], "new": [*S[:5], NAN]}, k=1),
    ),
    refused("operating_point needs at least one model", lambda: operating_point(SIX_Y, {}, k=1)),
    refused("names a column twice", lambda: operating_point("y", ["old", "old"], k=1, data=FRAME)),
    refused(
        "1.0: the highest ... (y_score is that of the model 'new')",
        lambda: operating_point(SIX_Y, {"old": S[:6], "new": -S[:6]}, k=None, min_precision=1.0),
    ),
    # Targets that are called otherwise
    refused(
        "operating_point() got an unexpected keyword argument 'recall'. Did you mean 'min_recall'?",
        [
            lambda: operating_point(Y, S, recall=0.8),
            lambda: operating_point("y", "old", recall=0.8, data=FRAME),
        ],
        error=TypeError,
    ),
    refused(
        "precision_at_recall_score() got an unexpected keyword argument 'recall'. Did you "
        "mean 'min_recall'?",
        [
            lambda: precision_at_recall_score(Y, S, recall=0.8),
            lambda: precision_at_recall_score("y", "old", recall=0.8, data=FRAME),
        ],
        error=TypeError,
    ),
    refused(
        "operating_point() got an unexpected keyword argument 'precision'. Did you mean "
        "'min_precision'?",
        [
            lambda: operating_point(Y, S, precision=0.8),
            lambda: operating_point("y", "old", precision=0.8, data=FRAME),
        ],
        error=TypeError,
    ),
    refused(
        "recall_at_precision_score() got an unexpected keyword argument 'precision'. Did you "
        "mean 'min_precision'?",
        [
            lambda: recall_at_precision_score(Y, S, precision=0.8),
            lambda: recall_at_precision_score("y", "old", precision=0.8, data=FRAME),
        ],
        error=TypeError,
    ),
    # Thresholds that are applied
    refused(
        "needs y_score: ... Those of the choice are taken only if the table has columns of",
        lambda: operating_point("y", "old", k=2, data=FRAME).check(data=FRAME[["y", "new"]]),
        error=TypeError,
    ),
    refused(
        "Pass one model, whose threshold this is",
        lambda: operating_point(Y, HALF, min_recall=0.9)["old"].check(Y, HALF),
    ),
]


# Displays

X, TWO = S[:, np.newaxis], {"a": S, "b": S}
NAMED = np.array(["ok", "bad"])[Y]
NB = GaussianNB().fit(X, Y)
CV = {"estimator": [NB] * 2, "indices": {"test": [np.arange(4), np.arange(4, 8)]}}


def draw(make, *args, **given):
    """Nothing is drawn of what is refused."""
    ax = Figure().subplots()
    try:
        make(*args, ax=ax, **given)
    finally:
        assert not ax.lines


def drawn(display, y_score=S, **given):
    draw(display.from_predictions, Y, y_score, **given)


def fitted(display, estimator, y_true=Y, **given):
    draw(display.from_estimator, estimator, X, y_true, **given)


def of_folds(display, results, y_true=Y, **given):
    draw(display.from_cv_results, results, X[: len(y_true)], y_true, confidence_level=0.9, **given)


BOTH = [Areas, Hits]
DISPLAYS = [
    # Displays
    refused(
        "pos_label=1 is not ... pos_label='a' or ... 'b'",
        lambda display: draw(display.from_predictions, [*"abababab"], S),
        BOTH,
    ),
    refused(
        "counts all positives, found or not", lambda display: drawn(display, n_positives=2), BOTH
    ),
    refused(
        "each group has a curve of its own. Draw their",
        lambda display: drawn(display, groups=Y, operating_points=[]),
        BOTH,
    ),
    refused(
        "With groups, n_positives must be a mapping",
        lambda display: drawn(display, groups=Y, n_positives=3),
        BOTH,
    ),
    refused(
        "each model has a curve of its own. Pass a mapping from models to points",
        lambda display: drawn(display, TWO, operating_points=[]),
        BOTH,
    ),
    refused(
        "operating_points has a point of 'c', which is none of the models that are drawn. These",
        lambda display: drawn(display, TWO, operating_points={"c": operating_point(Y, S, k=3)}),
        BOTH,
    ),
    refused(
        "has the thresholds of 2 models, but a single one is drawn. Pass its point, such as",
        lambda display: drawn(display, operating_points=operating_point(Y, TWO, k=3)),
        BOTH,
    ),
    refused(
        "or a list or mapping of such results. Got {'a': 0.5}",
        lambda display: drawn(display, operating_points={"a": 0.5}),
        BOTH,
    ),
    refused(
        "name='A' is the name of a single model",
        [
            lambda display: drawn(display, TWO, name="A"),
            lambda display: fitted(display, {"a": NB, "b": NB}, name="A"),
        ],
        BOTH,
    ),
    refused(
        "(y_score is that of the model 'b')",
        lambda display: drawn(display, {"a": S, "b": S[1:]}),
        BOTH,
    ),
    refused(
        "a list with one dict for each of the 2 curves",
        lambda display: drawn(display, TWO, curve_kwargs=[{}]),
        BOTH,
    ),
    refused(
        "list(model.classes_).index(1)].", lambda display: drawn(display, [[0.2, 0.8]] * 8), BOTH
    ),
    refused(
        "both define which samples are positive",
        lambda display: drawn(display, min_grade=2, pos_label=3),
        BOTH,
    ),
    refused(
        "two groups, because the groups are",
        lambda display: drawn(display, groups=Y * 0, confidence_level=0.9),
        BOTH,
    ),
    refused(
        "draws the groups and not the clusters: pass clusters=None",
        lambda display: drawn(
            display, clusters=PAIRS, groups=Y, confidence_level=0.9, zero_division=0.0
        ),
        BOTH,
    ),
    # Their metrics
    refused("'metric' parameter ... Got 'auc'", lambda display: drawn(display, metric="auc"), BOTH),
    refused(
        "'MAP' is a mean over groups: pass groups=",
        lambda display: drawn(display, metric="MAP"),
        BOTH,
    ),
    refused(
        "Reciprocal rank is not available with sample_weight",
        lambda display: drawn(display, metric="reciprocal_rank", sample_weight=S + 1),
        BOTH,
    ),
    refused(
        "ties='best' is not available with sample_weight",
        lambda display: drawn(display, metric=metric("P@3", ties="best"), sample_weight=S + 1),
        BOTH,
    ),
    refused(
        "a single ranking doesn't tell how much it varies",
        lambda display: drawn(display, metric="reciprocal_rank", confidence_level=0.9),
        BOTH,
    ),
    refused(
        "'n' is not available in ... which counts positives",
        lambda display: drawn(display, metric=metric(len, name="n")),
        BOTH,
    ),
    refused(
        "must be one metric, because all metrics have the same hit curve. Got ['AP', 'P@1']",
        lambda: draw(Hits.from_predictions, Y, S, metric=["AP", "P@1"]),
    ),
    # Average precision displays
    refused(
        "must be the name of a metric. Got [] ... Names are",
        lambda: draw(Areas.from_predictions, Y, S, metric=[]),
    ),
    refused(
        "'metric' parameter ... Got 'auc'",
        lambda: draw(Areas.from_predictions, Y, S, metric=["step", "auc"]),
    ),
    refused(
        "at their recall, but the x axis is 'positives found / 3'",
        lambda metric: draw(
            Areas.from_predictions, Y, S, metric=metric, operating_points=operating_point(Y, S, k=3)
        ),
        ["AP@3", ["step", "AP@3"]],
    ),
    # Displays of estimators
    refused(
        "not fitted", lambda display: fitted(display, GaussianNB()), BOTH, error=NotFittedError
    ),
    refused(
        "from_estimator takes a fitted estimator, and then X and y. Got a",
        lambda display: draw(display.from_estimator, X, Y, GaussianNB()),
        BOTH,
        error=TypeError,
    ),
    refused(
        "Pass the positive one, as pos_label='a' or pos_label='b'.",
        lambda display: fitted(display, GaussianNB().fit(X, np.array(["a", "b"])[Y])),
        BOTH,
    ),
    refused("Got Ridge instead", lambda display: fitted(display, Ridge().fit(X, Y)), BOTH),
    refused(
        "pass their prediction scores to from_predictions",
        lambda display: fitted(display, KMeans(2).fit(X)),
        BOTH,
    ),
    refused(
        "if 2 are the outliers, np.where(y == 2, -1, 1). Then pos_label=-1 ranks outliers first",
        lambda display: fitted(display, IsolationForest(n_estimators=2).fit(X), Y + 1, pos_label=2),
        BOTH,
    ),
    refused(
        "Got GaussianNB with the classes [0 1 2]",
        lambda display: fitted(display, GaussianNB().fit(X, S % 3)),
        BOTH,
    ),
    refused(
        "Got GaussianNB with the classes [0] instead",
        lambda display: fitted(display, GaussianNB().fit(X, Y * 0)),
        BOTH,
    ),
    refused(
        "to be a binary classifier. Got MultiOutputClassifier",
        lambda display: fitted(
            display, MultiOutputClassifier(GaussianNB()).fit(X, np.c_[Y, 1 - Y])
        ),
        BOTH,
    ),
    refused(
        "pos_label=1 is not a valid label: It should be one of ['bad' 'ok']",
        lambda display: fitted(display, GaussianNB().fit(X, NAMED), NAMED),
        BOTH,
    ),
    refused(
        "pos_label=1 is not a valid label: It should be one of [2 3]",
        [
            lambda display: fitted(display, GaussianNB().fit(X, Y + 2), Y + 2),
            lambda display: of_folds(
                display, {**CV, "estimator": [GaussianNB().fit(X, Y + 2)] * 2}, Y + 2
            ),
        ],
        BOTH,
    ),
    # Displays of folds
    refused("return_indices=True", lambda display: of_folds(display, {"estimator": []}), BOTH),
    refused(
        "X has 7 samples, but the folds were made ... out of bounds",
        lambda display: of_folds(display, CV, Y[:7]),
        BOTH,
    ),
    refused(
        "two folds, because the folds are the sampling",
        lambda display: of_folds(display, {"estimator": [NB], "indices": {"test": [range(8)]}}),
        BOTH,
    ),
    refused(
        "inconsistent numbers of samples: [8, 7]",
        lambda display: draw(display.from_cv_results, CV, X, Y[:7], confidence_level=0.9),
        BOTH,
    ),
    refused(
        "one count for each of the 2 folds, in their order",
        lambda display: of_folds(display, CV, n_positives=200),
        BOTH,
    ),
    refused(
        "With groups, n_positives must be a mapping ... Got int instead.",
        lambda display: of_folds(display, CV, groups=Y, n_positives=200),
        BOTH,
    ),
    refused(
        "one count for the group 0, which has samples in several",
        lambda display: of_folds(display, CV, groups=Y, n_positives={0: 200, 1: 200}),
        BOTH,
    ),
    refused(
        "unexpected keyword argument 'chance_level_kwargs'. Did you mean 'chance_level_kw'?",
        [
            lambda: Areas.from_estimator(NB, X, Y, chance_level_kwargs={}),
            lambda: Areas.from_cv_results(CV, X, Y, chance_level_kwargs={}),
            lambda: Hits.from_estimator(NB, X, Y, chance_level_kwargs={}),
            lambda: Hits.from_cv_results(CV, X, Y, chance_level_kwargs={}),
        ],
        error=TypeError,
    ),
    # Calls of displays
    refused(
        "use AveragePrecisionDisplay.from_estimator",
        lambda: Areas.from_predictions(NB, X, Y),
        error=TypeError,
    ),
    refused(
        "use HitCurveDisplay.from_estimator",
        lambda: Hits.from_predictions(NB, X, Y),
        error=TypeError,
    ),
    refused(
        "no curves to draw. Create the display with from_est",
        lambda display: display([]).plot(),
        BOTH,
    ),
    refused(
        "operating_points belong to one curve, but each group has",
        lambda display: display.from_predictions(
            Y, S, groups=[0, 1] * 4, ax=Figure().subplots(), zero_division=0.0
        ).plot(Figure().subplots(), operating_points=operating_point(Y, S, k=1)),
        BOTH,
    ),
]


# Rules and curves

CURVES = [
    # Options of rules
    refused(
        "'n_points' param",
        lambda metric: confidence_interval(Y, S, metric=metric),
        ["1-point", "0-point"],
    ),
    refused("n_positives", lambda n_positives: AP(Y, S, n_positives=n_positives), [0, 2, -1]),
    # Curves
    refused("n_positives=2 ... already contains 4", lambda: hit_curve(Y, S, n_positives=2)),
    refused(
        "n_positives is a mapping, but there are no groups",
        lambda: hit_curve(Y, S, n_positives={"Mon": 4}),
    ),
    refused(
        "With groups, n_positives must be a mapping",
        lambda: hit_curve(Y, S, groups=PAIRS, n_positives=4),
    ),
]

test_refused = refuses(INFERENCE + REPORTS + THRESHOLDS + DISPLAYS + CURVES)
