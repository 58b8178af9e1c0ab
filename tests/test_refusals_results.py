"""What intervals, comparisons, reports, thresholds and displays refuse, and in which words."""

from dataclasses import FrozenInstanceError
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
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

from .examples import NAN
from .refusals import refuses

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


INFERENCE = [
    # Intervals
    ("confidence_interval(Y, S, metric='11-point', method='influence')", "method='bootstrap'"),
    ("confidence_interval(Y, S, average=None)", "a single value"),
    ("confidence_interval(Y, S, clusters=[0] * 8)", "two clusters"),
    ("confidence_interval(Y, S, clusters=[0] * 7)", "8 in y_true and 7 in clusters"),
    ("confidence_interval(Y, S, clusters=[*PAIRS[:7], None])", "clusters contains missing values"),
    ("confidence_interval(Y, S, clusters=[0] * 8, groups=[0] * 8)", "At least two groups"),
    ("confidence_interval(Y, S, clusters=[0] * 8, groups=[0, 1] * 4)", "At least two clusters"),
    ("confidence_interval(Y, S, groups=[0] * 8)", "two groups"),
    ("confidence_interval(Y, S, k=3)", TypeError, "has no option"),
    ("confidence_interval([0] * 8, S)", "No positive class found"),
    ("confidence_interval([1], [1])", "two samples"),
    (
        "confidence_interval(np.eye(8), np.eye(8), average='samples', clusters=range(8))",
        "clusters are not available",
    ),
    ("confidence_interval(EMPTY_CLASS, SCORES)", "1 of 3 classes (2) ... zero_division=nan"),
    (
        "confidence_interval(EMPTY_CLASS, SCORES, zero_division=NAN, metric='P@2')",
        "it counts as 0. Leave its column out.",
    ),
    (
        "confidence_interval(Y, S, n_positives=4, sample_weight=2.0**-800 * (Y + 1))",
        "these weights are so small",
    ),
    (
        "confidence_interval(Y, S, n_positives=2**53)",
        "are 9,007,199,254,740,996 samples and missed positives",
    ),
    # Misspelled parameters
    (
        "confidence_interval(Y, S, cluster=Y)",
        TypeError,
        (
            "confidence_interval() got an unexpected keyword argument 'cluster'. Did you mean "
            "'clusters'?"
        ),
    ),
    (
        "confidence_interval(Y, S, seed=Y)",
        TypeError,
        (
            "confidence_interval() got an unexpected keyword argument 'seed'. Did you mean "
            "'random_state'?"
        ),
    ),
    (
        "confidence_interval(Y, S, weights=Y)",
        TypeError,
        (
            "confidence_interval() got an unexpected keyword argument 'weights'. Did you mean "
            "'sample_weight'?"
        ),
    ),
    (
        "confidence_interval(Y, S, n_boot=Y)",
        TypeError,
        (
            "confidence_interval() got an unexpected keyword argument 'n_boot'. Did you mean "
            "'n_resamples'?"
        ),
    ),
    (
        "compare(Y, S, S, cluster=Y)",
        TypeError,
        "compare() got an unexpected keyword argument 'cluster'. Did you mean 'clusters'?",
    ),
    (
        "compare(Y, S, S, seed=Y)",
        TypeError,
        "compare() got an unexpected keyword argument 'seed'. Did you mean 'random_state'?",
    ),
    (
        "compare(Y, S, S, weights=Y)",
        TypeError,
        "compare() got an unexpected keyword argument 'weights'. Did you mean 'sample_weight'?",
    ),
    (
        "compare(Y, S, S, n_boot=Y)",
        TypeError,
        "compare() got an unexpected keyword argument 'n_boot'. Did you mean 'n_resamples'?",
    ),
    (
        "report(Y, S, cluster=Y)",
        TypeError,
        "report() got an unexpected keyword argument 'cluster'. Did you mean 'clusters'?",
    ),
    (
        "report(Y, S, seed=Y)",
        TypeError,
        "report() got an unexpected keyword argument 'seed'. Did you mean 'random_state'?",
    ),
    (
        "report(Y, S, weights=Y)",
        TypeError,
        "report() got an unexpected keyword argument 'weights'. Did you mean 'sample_weight'?",
    ),
    (
        "report(Y, S, n_boot=Y)",
        TypeError,
        "report() got an unexpected keyword argument 'n_boot'. Did you mean 'n_resamples'?",
    ),
    ("confidence_interval(Y, S, tie='best')", TypeError, "Did you mean 'ties'?"),
    # Results
    ("setattr(interval(), 'low', 0)", FrozenInstanceError, "'low'"),
    ("setattr(operating_point(Y, S, k=2), 'threshold', 1)", FrozenInstanceError, "'threshold'"),
    # Objects of images
    ("of_images({(0, 1): 1, (1, 0): 2})", "no number for (0, 0), where y_true contains positives"),
    ("of_images({(0, 0): 0, (0, 1): 1, (1, 0): 2})", "(0, 0) is too small: ... already contains 1"),
    ("of_images({(0, 0): -1, (0, 1): 1, (1, 0): 2})", "numbers in the range"),
    # Comparisons
    ("compare(Y * 0, S, S)", "No positive class found"),
    ("compare(Y, S, S[1:])", "7 in y_score. (y_score is that of the model 'B')"),
    ("compare(Y, {'A': S})", "needs at least two models"),
    ("compare(Y, MODELS, baseline='C')", "'C' is not one of the"),
    (
        "compare(Y, MODELS, margin={'AP': 0.1})",
        "The 'margin' parameter of compare must be a number, because compare evaluates one metric.",
    ),
    ("compare_folds(FOLDS, FOLDS, margin={'AP': 0.1})", "must be a number, because compare_folds"),
    ("compare(Y, MODELS, S)", TypeError, "y_score_b must be left out"),
    ("compare(Y, S)", TypeError, "needs the prediction scores of a second model"),
    ("compare(Y, S, S, baseline='A')", TypeError, "baseline needs a mapping"),
    ("compare(S / 8, S, {Y|[*'abababab']})", "Pass the labels first"),
    ("compare('y', ['old'], data=FRAME)", "at least two models"),
    ("compare('y', [], data=FRAME)", "y_score_a is empty"),
    ("compare('y', ['old', 'old'], data=FRAME)", "names a column twice"),
    ("compare('y', {'A': 'old', 'B': 'X'}, data=FRAME)", "y_score_a='X' is not a column of data"),
    ("compare(Y, ['A', 'B'])", TypeError, "Pass their table as data"),
    # Folds
    (
        "compare_folds(a=FOLDS, b=folds([0.5, 0.6, 0.7], 3))",
        "different folds: fold 0 has other samples",
    ),
    ("compare_folds(a=FOLDS, b=folds([0.5, 0.6]))", "the same folds, but have 3 and 2"),
    (
        "compare_folds(a=FOLDS, b={'test_score': [1, 2, 3]})",
        "sizes of the folds are unknown ... return_indices",
    ),
    ("compare_folds(a=FOLD_A, b=FOLD_B, n_train=8)", "sizes of the folds are unknown"),
    ("compare_folds(a=[0.5, NAN], b=FOLD_B)", "a must have a score for each of at least two folds"),
    (
        "compare_folds(a=FOLDS, b=FOLDS, metric='ap')",
        "the scores of ['score'], ... Got 'ap' instead",
    ),
    (
        "compare_folds(a=FOLDS, b=FOLDS, metric=metric('AP'))",
        "['score'], ... Got metric('AP') instead",
    ),
    ("compare_folds(a={**FOLDS, 'test_ap': [1, 2, 3]}, b=FOLDS)", "['score', 'ap'], ... Got None"),
    # Searches
    ("compare_folds(SEARCH, FOLDS)", TypeError, "a is a search. Pass it alone, as in"),
    ("compare_folds(FOLDS, SEARCH)", TypeError, "b is a search. Pass it alone, as in"),
    ("compare_folds(FOLDS)", TypeError, "needs the folds of two models, or a fitted search"),
    ("compare_folds(FOLD_A)", TypeError, "needs the folds of two models, or a fitted search"),
    ("compare_folds(GaussianNB())", TypeError, "such as GridSearchCV, ... GaussianNB()"),
    (
        "compare_folds(GridSearchCV(GaussianNB(), {}))",
        NotFittedError,
        "This GridSearchCV instance is not fitted yet",
    ),
    (
        "compare_folds(searched(split1_test_score=[0.7, NAN]))",
        "{'C': 10} has no score on split1_test_score.",
    ),
    (
        "compare_folds(searched(split0_test_score=[np.inf, 1]))",
        "{'C': 1} has no score on split0_test_score",
    ),
    ("compare_folds(searched(n_resources=[10, 20]))", "saw different rows, ... Use GridSearchCV"),
    ("compare_folds(searched(split0_test_ap=[1, 2]))", "['ap', 'score'], ... Got None"),
    ("compare_folds(SEARCH, metric='ap')", "The search has the scores of ['score'], ... Got 'ap'"),
    ("compare_folds(searched(n_folds=1))", "two candidates and two folds. Got 2 and 1."),
    ("compare_folds(searched(params=[{'C': 1}]))", "candidates and two folds. Got 1 and 2."),
    ("compare_folds(SEARCH, n_train=80)", "sizes of the folds are unknown. Pass both n_train and"),
    ("compare_folds(searched(cv=None))", "sizes of the folds are unknown. Pass both n_train and"),
    ("compare_folds(SEARCH, margin={'AP': 0.1})", "must be a number, because compare_folds"),
]


# Reports

SEVERAL = "If these are several models, pass a mapping from ... to report, or one model per call"
RUN = {"found": Y, "score": S, "query": np.repeat([0, 1, 2, 3], 2)}
RUNS = {"bm25": RUN, "dense": {name: column[:4] for name, column in RUN.items()}}
CLASSES = np.array([*"abcabcab"])
OF_CLASSES = {"old": 2 * np.eye(8, 3), "new": 2 * np.eye(8, 3, 1)}

REPORTS = [
    (
        "report(Y, MODELS, margin={'P@3': 0.1})",
        "margin has a number for 'P@3', which is none of the metrics. These are ['Average",
    ),
    ("report(Y, S, margin=0.1)", "a report of one model has no differences. Pass several models"),
    ("report(Y, MODELS, margin={'AP': 0})", "The 'margin' parameter of report must be a number"),
    ("report(Y, MODELS, margin={'APP': 1})", "must be the name of a metric. Got 'APP' instead."),
    # Reports
    ("report(Y, MODELS, metrics=3)", "'metrics' parameter of report must be a metric"),
    ("report(Y, MODELS, metrics=['AP', 'average_precision'])", "Two metrics are called"),
    ("report(Y, MODELS, metrics={1: 'AP', '1': 'P@10'})", "Two metrics are called '1'"),
    ("report(Y, MODELS, metrics=['avg_precision'])", "Did you mean 'average_precision'"),
    ("report(Y, MODELS, metrics='MAP')", "'MAP' is a mean over groups: pass groups="),
    (
        "report(Y, MODELS, metrics='AP', baseline='odl')",
        "'odl' is not one of the models ['old' ... Did you mean 'old'?",
    ),
    (
        "report(Y, {0: Y, 1: Y}, metrics='AP', baseline='1')",
        "baseline='1' is not one of the models [0, 1]. Did you mean 1?",
    ),
    (
        "report(Y, {'a': Y, 'b': np.where(Y, NAN, 1)}, metrics='AP')",
        "contains NaN. ... 4 of 8 rows, ... (y_score is that of the model 'b')",
    ),
    (
        "report(Y, {'a': Y, 'b': Y[1:]}, metrics='AP')",
        "[8, 7]. ... 7 in y_score. ... of the model 'b')",
    ),
    ("report(Y, [S, S], metrics='AP')", SEVERAL),
    ("report(Y, np.c_[S, S], metrics='AP')", SEVERAL),
    ("report(Y, Y, metrics='AP', groups=np.ones((8, 1, 2)))", "groups: Found array with dim 3"),
    (
        "report(Y, MODELS, metrics='AP', groups=Y, average=None)",
        "leave average out and call per_group",
    ),
    ("report(Y, MODELS, metrics='AP', n_positives=3)", "n_positives"),
    (
        "report(Y, MODELS, metrics='AP', pos_label=2)",
        "Pass the positive one, as pos_label=0 or pos_label=1.",
    ),
    (
        "report(Y, MODELS, metrics='AP', classes=[1, 2])",
        "y_true contains labels [0] that are not in classes [1, 2]",
    ),
    ("report(Y, {}, metrics='AP')", "needs at least one model"),
    ("report(Y, ['a', 'b'], metrics='AP')", TypeError, "names columns. Pass their table as data"),
    ("report('y', [], metrics='AP', data=FRAME)", "at least one"),
    ("report('y', ['old', 'old'], metrics='AP', data=FRAME)", "names a column twice"),
    ("report('y', ['od'], metrics='AP', data=FRAME)", "'od' is not a column of data. Did you mean"),
    (
        "report(Y, MODELS, metrics=['AP', metric('AP', ties='expected')], sample_weight=S)",
        "ties='expected'",
    ),
    (
        (
            "report(CLASSES, {n: np.c_[s, s[:, :1]] for n, s in OF_CLASSES.items()}, "
            "metrics='AP', classes=[*'abcd'], average=None)"
        ),
        "for the class d, ... Leave out its column, ... classes=",
    ),
    (
        (
            "report((CLASSES[:, None] == [*'abd']).astype(int), OF_CLASSES, metrics='AP', "
            "average=None)"
        ),
        "for the class 2, ... Leave out its column",
    ),
    # Tables of models to compare
    (
        "compare('found', 'score', 'score', data=RUNS, groups='query')",
        TypeError,
        "With a mapping of models or tables, y_score_b must be left out",
    ),
    # Results of reports
    ("report(Y, S, metrics='AP').per_group()", "per_group needs groups. Pass groups= to"),
    (
        "report(Y, S, metrics=['AP', 'P@2']).plot(Figure().subplots())",
        "one Axes for each metric, so 2. Got 1.",
    ),
]


# Thresholds

FITTED = LogisticRegression().fit(S[:, np.newaxis], np.where(Y, "fraud", "ok"))
HALF = {"old": S, "new": -S}
THRESHOLDS = [
    # Targets
    (
        "operating_point(SIX_Y, SIX_S)",
        "needs a target: min_recall, min_precision or k, but got none of them",
    ),
    (
        "operating_point(SIX_Y, SIX_S)",
        TypeError,
        "needs a target: min_recall, min_precision or k, but got none of them",
    ),
    (
        "operating_point(SIX_Y, SIX_S, min_recall=0.8, k=2)",
        "within k=2 reaches min_recall=0.8: the highest recall there is 0.3333. Pass min_recall=0.",
    ),
    (
        "operating_point(SIX_Y, SIX_S, min_recall=0.6, min_precision=0.9, k=5)",
        "min_precision=0.9 beside min_recall=0.6: the highest precision there is 0.75.",
    ),
    (
        "operating_point(SIX_Y, [3, 3, 3, 2, 1, 0], min_recall=0.5, k=2)",
        "at most k=2 samples, because 3 samples with the highest prediction score are tied. Pass "
        "k=3 or more.",
    ),
    (
        "operating_point(SIX_Y, [3, 3, 3, 2, 1, 0], min_recall=0.5, k=0.1)",
        "at most k=10%, because 3 samples with the highest prediction score are tied. Pass k=0.5",
    ),
    (
        "operating_point([1] * 40 + [0] * 40, range(80, 0, -1), min_recall=0.94, k=39, "
        "confidence_level=0.9)",
        "min_recall=0.94 can't be promised with 90% confidence within k=39. Pass min_recall=0.9",
    ),
    (
        "operating_point(SIX_Y, SIX_S, threshold=3, {min_recall=0.8|k=2})",
        "threshold=3 is a threshold to be measured, so it can't be combined with",
    ),
    (
        "operating_point(SIX_Y, SIX_S, threshold={'a': 3})",
        "threshold={'a': 3} maps models to values, so y_score ... single model, pass a number.",
    ),
    (
        "operating_point(SIX_Y, {'a': SIX_S, 'b': SIX_S}, threshold={'a': 3})",
        "threshold has no value for the model 'b', but only for 'a'. Pass one for each model.",
    ),
    (
        "operating_point('y', ['old', 'new'], threshold={'old': 3, 'new': 1, 'b': 2}, data=FRAME)",
        "threshold has a value for 'b', which is none of the models. These are 'old', 'new'.",
    ),
    (
        "operating_point(SIX_Y, SIX_S, k=10, confidence_level=0.95)",
        "confidence_level=0.95 needs min_recall or min_precision, which it promises",
    ),
    (
        "operating_point(SIX_Y, SIX_S, min_recall=1.0, confidence_level=0.95)",
        "many positives there are. Pass min_recall=0.3684 or",
    ),
    ("operating_point(SIX_Y, SIX_S, min_recall=0.5, confidence_level=95)", "Did you mean 0.95?"),
    (
        "operating_point(SIX_Y, SIX_S, min_recall=0.5, clusters=[1, 2])",
        "There are 6 in y_true and 2 in clusters",
    ),
    (
        "operating_point(SIX_Y, SIX_S, min_recall=0.8, min_precision=0.8)",
        "reaches min_precision=0.8 beside min_recall=0.8: the highest precision there is 0.75.",
    ),
    (
        "operating_point([0] * 6, SIX_S, min_recall=0.5)",
        "min_recall=0.5 cannot be met, because y_true has no positives (pos_label=1, and",
    ),
    ("operating_point([0] * 6, SIX_S, min_precision=0, n_positives=4)", "min_precision=0 cannot"),
    (
        "operating_point(SIX_Y, [2, 2, 2, 2, 1, 1], k=1, groups=DAYS)",
        "at most k=1 samples ... 4 samples ... Pass k=2 or more",
    ),
    ("operating_point(SIX_Y, SIX_S, groups=DAYS[:5], k=1)", "5 in groups"),
    (
        (
            "operating_point(SIX_Y, SIX_S, groups=DAYS, min_recall=0.5, n_positives={'M': 1, 'T': "
            "1, 'W': 0})"
        ),
        "n_positives=1 for 'T' is too small",
    ),
    (
        "operating_point(SIX_Y, SIX_S, groups=DAYS, min_recall=0.5, n_positives={'T': 2, 'W': 0})",
        "has no number for the group 'M'",
    ),
    (
        (
            "operating_point([1] * 30, range(30), n_positives=80, min_recall=0.6, "
            "confidence_level=0.95)"
        ),
        "too many positives were missed (n_positives)",
    ),
    (
        (
            "operating_point([1] * 40, range(40), sample_weight=[50] + [1] * 39, min_recall=0.8, "
            "confidence_level=0.95)"
        ),
        "with these weights or clusters, there is too little",
    ),
    # What has no threshold
    ("operating_point([], [], k=1)", "Found array with 0 sample(s) in y_true"),
    ("operating_point([], [], k=1, n_positives=3)", "Found array with 0 sample(s) in y_true"),
    ("operating_point(SIX_Y, range(7), k=1)", "inconsistent numbers of samples"),
    ("operating_point([*'ababab'], SIX_S, k=1)", "pos_label=1 is not a valid label ... 'a' or"),
    (
        "operating_point([0, 1, 2, 0, 1, 2], SIX_S, k=1)",
        "more than two labels, ... one class ... y_true == label",
    ),
    (
        "operating_point([[0, 1], [1, 0]] * 3, [[1, 2], [3, 4]] * 3, k=1)",
        "multilabel-indicator ... : pass one column",
    ),
    (
        "operating_point(SIX_Y, [[1, 2], [3, 4]] * 3, k=1)",
        "y_score needs one score for each sample",
    ),
    ("operating_point(SIX_Y, SIX_S, k=1, sample_weight=[0] * 6)", "at least one non-zero"),
    ("operating_point(SIX_Y, SIX_S, k=1, n_positives=0)", "n_positives=0 is too small"),
    ("operating_point(SIX_Y, SIX_S, k=1, n_positives=[1])", "n_positives must be one number here"),
    (
        "operating_point(SIX_Y, SIX_S, k=1, cutoff=0.5)",
        TypeError,
        "unexpected keyword argument 'cutoff'",
    ),
    (
        "operating_point(SIX_Y, {'old': S[:6], 'new': [*S[:5], NAN]}, k=1)",
        "NaN ... that of the model 'new')",
    ),
    ("operating_point(SIX_Y, {}, k=1)", "operating_point needs at least one model"),
    ("operating_point('y', ['old', 'old'], k=1, data=FRAME)", "names a column twice"),
    (
        "operating_point(SIX_Y, {'old': S[:6], 'new': -S[:6]}, k=None, min_precision=1.0)",
        "1.0: the highest ... (y_score is that of the model 'new')",
    ),
    # Targets that are called otherwise
    (
        "operating_point(Y, S, recall=0.8)",
        TypeError,
        "operating_point() got an unexpected keyword argument 'recall'. Did you mean 'min_recall'?",
    ),
    (
        "operating_point('y', 'old', recall=0.8, data=FRAME)",
        TypeError,
        "operating_point() got an unexpected keyword argument 'recall'. Did you mean 'min_recall'?",
    ),
    (
        "precision_at_recall_score(Y, S, recall=0.8)",
        TypeError,
        (
            "precision_at_recall_score() got an unexpected keyword argument 'recall'. Did you "
            "mean 'min_recall'?"
        ),
    ),
    (
        "precision_at_recall_score('y', 'old', recall=0.8, data=FRAME)",
        TypeError,
        (
            "precision_at_recall_score() got an unexpected keyword argument 'recall'. Did you "
            "mean 'min_recall'?"
        ),
    ),
    (
        "operating_point(Y, S, precision=0.8)",
        TypeError,
        (
            "operating_point() got an unexpected keyword argument 'precision'. Did you mean "
            "'min_precision'?"
        ),
    ),
    (
        "operating_point('y', 'old', precision=0.8, data=FRAME)",
        TypeError,
        (
            "operating_point() got an unexpected keyword argument 'precision'. Did you mean "
            "'min_precision'?"
        ),
    ),
    (
        "recall_at_precision_score(Y, S, precision=0.8)",
        TypeError,
        (
            "recall_at_precision_score() got an unexpected keyword argument 'precision'. Did you "
            "mean 'min_precision'?"
        ),
    ),
    (
        "recall_at_precision_score('y', 'old', precision=0.8, data=FRAME)",
        TypeError,
        (
            "recall_at_precision_score() got an unexpected keyword argument 'precision'. Did you "
            "mean 'min_precision'?"
        ),
    ),
    # Thresholds in segments
    (
        "operating_point(Y, S, k=2).check(Y, S, by=[0, 1] * 4, {groups|clusters}=PAIRS, "
        "n_positives=dict.fromkeys('abcd', 2))",
        " 'a' has rows in several segments ... Pass by with one value for all rows of a",
    ),
    # Thresholds that are applied
    (
        "operating_point('y', 'old', k=2, data=FRAME).check(data=FRAME[['y', 'new']])",
        TypeError,
        "needs y_score: ... Those of the choice are taken only if the table has columns of",
    ),
    (
        "operating_point(Y, HALF, min_recall=0.9)['old'].check(Y, HALF)",
        "Pass one model, whose threshold this is",
    ),
]


# Displays

X, TWO = S[:, np.newaxis], {"a": S, "b": S}
NB = GaussianNB().fit(X, Y)
CV = {"estimator": [NB] * 2, "indices": {"test": [np.arange(4), np.arange(4, 8)]}}


def draw(make, *args, **given):
    """Nothing is drawn of what is refused."""
    ax = Figure().subplots()
    try:
        make(*args, ax=ax, **given)
    finally:
        assert not ax.lines


DISPLAYS = [
    # Displays
    (
        "draw({Areas|Hits}.from_predictions, [*'abababab'], S)",
        "pos_label=1 is not ... pos_label='a' or ... 'b'",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, S, n_positives=2)",
        "counts all positives, found or not",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, S, groups=Y, operating_points=[])",
        "each group has a curve of its own. Draw their",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, S, groups=Y, n_positives=3)",
        "With groups, n_positives must be a mapping",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, TWO, operating_points=[])",
        "each model has a curve of its own. Pass a mapping from models to points",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, TWO, operating_points={'c': "
        "operating_point(Y, S, k=3)})",
        "operating_points has a point of 'c', which is none of the models that are drawn. These",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, S, operating_points=operating_point(Y, TWO, k=3))",
        "has the thresholds of 2 models, but a single one is drawn. Pass its point, such as",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, S, operating_points={'a': 0.5})",
        "or a list or mapping of such results. Got {'a': 0.5}",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, TWO, name='A')",
        "name='A' is the name of a single model",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, {'a': S, 'b': S[1:]})",
        "(y_score is that of the model 'b')",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, TWO, curve_kwargs=[{}])",
        "a list with one dict for each of the 2 curves",
    ),
    ("draw({Areas|Hits}.from_predictions, Y, [[0.2, 0.8]] * 8)", "list(model.classes_).index(1)]."),
    (
        "draw({Areas|Hits}.from_predictions, Y, S, min_grade=2, pos_label=3)",
        "both define which samples are positive",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, S, groups=Y * 0, confidence_level=0.9)",
        "two groups, because the groups are",
    ),
    (
        (
            "draw({Areas|Hits}.from_predictions, Y, S, clusters=PAIRS, groups=Y, "
            "confidence_level=0.9, zero_division=0.0)"
        ),
        "draws the groups and not the clusters: pass clusters=None",
    ),
    # Their metrics
    ("draw({Areas|Hits}.from_predictions, Y, S, metric='auc')", "'metric' parameter ... Got 'auc'"),
    (
        "draw({Areas|Hits}.from_predictions, Y, S, metric='MAP')",
        "'MAP' is a mean over groups: pass groups=",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, S, metric='reciprocal_rank', sample_weight=S + 1)",
        "Reciprocal rank is not available with sample_weight",
    ),
    (
        (
            "draw({Areas|Hits}.from_predictions, Y, S, metric=metric('P@3', ties='best'), "
            "sample_weight=S + 1)"
        ),
        "ties='best' is not available with sample_weight",
    ),
    (
        (
            "draw({Areas|Hits}.from_predictions, Y, S, metric='reciprocal_rank', "
            "confidence_level=0.9)"
        ),
        "a single ranking doesn't tell how much it varies",
    ),
    (
        "draw({Areas|Hits}.from_predictions, Y, S, metric=metric(len, name='n'))",
        "'n' is not available in ... which counts positives",
    ),
    (
        "draw(Hits.from_predictions, Y, S, metric=['AP', 'P@1'])",
        "must be one metric, because all metrics have the same hit curve. Got ['AP', 'P@1']",
    ),
    # Average precision displays
    (
        "draw(Areas.from_predictions, Y, S, metric=[])",
        "must be the name of a metric. Got [] ... Names are",
    ),
    (
        "draw(Areas.from_predictions, Y, S, metric=['step', 'auc'])",
        "'metric' parameter ... Got 'auc'",
    ),
    (
        (
            "draw(Areas.from_predictions, Y, S, metric='AP@3', "
            "operating_points=operating_point(Y, S, k=3))"
        ),
        "at their recall, but the x axis is 'positives found / 3'",
    ),
    # Displays of estimators
    ("draw({Areas|Hits}.from_estimator, GaussianNB(), X, Y)", NotFittedError, "not fitted"),
    (
        "draw({Areas|Hits}.from_estimator, X, Y, GaussianNB())",
        TypeError,
        "from_estimator takes a fitted estimator, and then X and y. Got a",
    ),
    (
        "draw({Areas|Hits}.from_estimator, GaussianNB().fit(X, np.array(['a', 'b'])[Y]), X, Y)",
        "Pass the positive one, as pos_label='a' or pos_label='b'.",
    ),
    ("draw({Areas|Hits}.from_estimator, Ridge().fit(X, Y), X, Y)", "Got Ridge instead"),
    (
        "draw({Areas|Hits}.from_estimator, IsolationForest(n_estimators=2).fit(X), X, Y)",
        "pass their prediction scores to from_predictions",
    ),
    (
        "draw({Areas|Hits}.from_estimator, GaussianNB().fit(X, S % 3), X, Y)",
        "Got GaussianNB with the classes [0 1 2]",
    ),
    (
        "draw({Areas|Hits}.from_estimator, GaussianNB().fit(X, Y * 0), X, Y)",
        "Got GaussianNB with the classes [0] instead",
    ),
    (
        (
            "draw({Areas|Hits}.from_estimator, MultiOutputClassifier(GaussianNB()).fit(X, "
            "np.c_[Y, 1 - Y]), X, Y)"
        ),
        "to be a binary classifier. Got MultiOutputClassifier",
    ),
    (
        (
            "draw({Areas|Hits}.from_estimator, GaussianNB().fit(X, np.array(['ok', 'bad'])[Y]), "
            "X, np.array(['ok', 'bad'])[Y])"
        ),
        "pos_label=1 is not a valid label: It should be one of ['bad' 'ok']",
    ),
    (
        "draw({Areas|Hits}.from_estimator, GaussianNB().fit(X, Y + 2), X, Y + 2)",
        "pos_label=1 is not a valid label: It should be one of [2 3]",
    ),
    (
        "draw({Areas|Hits}.from_estimator, {'a': NB, 'b': NB}, X, Y, name='A')",
        "name='A' is the name of a single model",
    ),
    # Displays of folds
    (
        "draw({Areas|Hits}.from_cv_results, {'estimator': []}, X, Y, confidence_level=0.9)",
        "return_indices=True",
    ),
    (
        "draw({Areas|Hits}.from_cv_results, CV, X[:7], Y[:7], confidence_level=0.9)",
        "X has 7 samples, but the folds were made ... out of bounds",
    ),
    (
        (
            "draw({Areas|Hits}.from_cv_results, {'estimator': [NB], 'indices': {'test': "
            "[range(8)]}}, X, Y, confidence_level=0.9)"
        ),
        "two folds, because the folds are the sampling",
    ),
    (
        "draw({Areas|Hits}.from_cv_results, CV, X, Y[:7], confidence_level=0.9)",
        "inconsistent numbers of samples: [8, 7]",
    ),
    (
        "draw({Areas|Hits}.from_cv_results, CV, X, Y, confidence_level=0.9, n_positives=200)",
        "one count for each of the 2 folds, in their order",
    ),
    (
        (
            "draw({Areas|Hits}.from_cv_results, CV, X, Y, confidence_level=0.9, groups=Y, "
            "n_positives={0: 200, 1: 200})"
        ),
        "one count for the group 0, which has samples in several",
    ),
    (
        (
            "draw({Areas|Hits}.from_cv_results, {**CV, 'estimator': [GaussianNB().fit(X, Y + 2)] "
            "* 2}, X, Y + 2, confidence_level=0.9)"
        ),
        "pos_label=1 is not a valid label: It should be one of [2 3]",
    ),
    (
        "{Areas|Hits}.{from_estimator(NB|from_cv_results(CV}, X, Y, chance_level_kwargs={})",
        TypeError,
        "unexpected keyword argument 'chance_level_kwargs'. Did you mean 'chance_level_kw'?",
    ),
    # Calls of displays
    ("Areas.from_predictions(NB, X, Y)", TypeError, "use AveragePrecisionDisplay.from_estimator"),
    ("Hits.from_predictions(NB, X, Y)", TypeError, "use HitCurveDisplay.from_estimator"),
    ("Areas([]).plot()", "no curves to draw. Create the display with from_est"),
    ("Hits([]).plot()", "no curves to draw. Create the display with from_est"),
    (
        (
            "{Areas|Hits}.from_predictions(Y, S, groups=[0, 1] * 4, ax=Figure().subplots(), "
            "zero_division=0.0).plot(Figure().subplots(), operating_points=operating_point(Y, S, "
            "k=1))"
        ),
        "operating_points belong to one curve, but each group has",
    ),
]


# Rules and curves

CURVES = [
    # Options of rules
    ("confidence_interval(Y, S, metric={'1-point'|'0-point'})", "'n_points' param"),
    ("AP(Y, S, n_positives={0|2|-1})", "n_positives"),
    # Curves
    ("hit_curve(Y, S, n_positives=2)", "n_positives=2 ... already contains 4"),
    (
        "hit_curve(Y, S, n_positives={'Mon': 4})",
        "n_positives is a mapping, but there are no groups",
    ),
    ("hit_curve(Y, S, groups=PAIRS, n_positives=4)", "With groups, n_positives must be a mapping"),
]

test_refused = refuses(INFERENCE + REPORTS + THRESHOLDS + DISPLAYS + CURVES, globals())
