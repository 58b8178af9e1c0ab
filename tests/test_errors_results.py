"""What intervals, comparisons, reports, thresholds and displays refuse, and in which words."""

from dataclasses import FrozenInstanceError
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

import sklearn_ap as ap
from sklearn_ap import AveragePrecisionDisplay as Areas
from sklearn_ap import HitCurveDisplay as Hits

from .errors import AP, COMPARE, INTERVAL, NAN, POINT, REPORT, asked, each, refuses

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")

Y, S = np.array([1, 0, 1, 0, 1, 1, 0, 0]), np.arange(8)[::-1]
PAIRS = np.repeat([*"abcd"], 2)  # groups or clusters of two samples each
MODELS = {"old": S, "new": S[::-1]}
FRAME = pd.DataFrame({"y": Y, "old": S, "new": S[::-1]})
SIX, DAYS = {"y_true": [1, 0, 1, 1, 0, 0], "y_score": [6, 5, 4, 3, 2, 1]}, [*"MMTTTW"]
UNDEFINED, ZERO = {"zero_division": NAN}, {"zero_division": 0.0}
SURE = {"confidence_level": 0.95}
FOLD_A, FOLD_B = [0.5, 0.6], [0.4, 0.5]


# Intervals and comparisons

COLUMNS = {"y_true": np.eye(8, 3) + np.eye(8, 3, -3), "y_score": np.arange(24).reshape(8, 3)}
EMPTY_CLASS = COLUMNS | {"y_true": COLUMNS["y_true"] * [1, 1, 0]}
BY_QUERY, BY_ROW = {"groups": PAIRS}, {"clusters": range(8)}
RECALL = BY_QUERY | {"metric": "recall_at_k", "k": 1, **ZERO}
SOME = {"y_true": Y[:6], "y_score": S[:6]}
THIRDS = BY_QUERY | UNDEFINED | {"clusters": np.arange(8) % 3}
MISSED, EXIST = {"clusters": PAIRS, "n_positives": 9}, {"x": 5, "y": 4}
FEWER = {"y_true": Y * (np.arange(8) != 4)}  # the same objects, of which one more was missed


def paired(one, other, method="auto"):
    usual = {"y_true": Y, "y_score": S}
    COMPARE(*(INTERVAL(**usual | given) for given in (one, other)), method=method)


def existing(**changed):
    exist = {"n_positives": {(0, 0): 1, (0, 1): 1, (1, 0): 2} | changed.pop("exist", {})}
    exist["n_positives"] = {key: n for key, n in exist["n_positives"].items() if n is not None}
    INTERVAL([1, 0, 1, 0], [4, 3, 2, 1], groups=[0, 0, 1, 0], clusters=[0, 1, 0, 0], **exist)


def folds(scores, test_size=2):
    """What cross_validate returns for folds of 10 samples."""
    test = [np.arange(start, start + test_size) for start in range(len(scores))]
    train = [np.setdiff1d(np.arange(10), some) for some in test]
    return {"test_score": np.array(scores), "indices": {"train": train, "test": test}}


FOLDS = folds([0.5, 0.6, 0.7])


@cache
def interval():
    return INTERVAL(Y, S)


# fmt: off
INFERENCE = {
    "intervals": asked(
        INTERVAL,
        ({"method": "randomization"}, "compares two models"),
        ({"metric": "11-point", "method": "influence"}, "method='bootstrap'"),
        ({"average": None}, "a single value"),
        ({"clusters": [0] * 8}, "two clusters"),
        ({"clusters": [0] * 7}, "8 in y_true and 7 in clusters"),
        ({"clusters": [*PAIRS[:7], None]}, "clusters contains missing values"),
        ({"clusters": [0] * 8, "groups": [0] * 8}, "At least two clusters"),
        ({"groups": [0] * 8}, "two groups"),
        ({"k": 3}, TypeError, "has no option"),
        ({"y_true": [0] * 8}, "No positive class found"),
        ({"y_true": [1], "y_score": [1]}, "two samples"),
        ({"y_true": np.eye(8), "y_score": np.eye(8), "average": "samples", **BY_ROW},
         "clusters are not available"),
        (EMPTY_CLASS, "1 of 3 classes (2) ... zero_division=nan"),
        (EMPTY_CLASS | UNDEFINED | {"metric": "P@2"}, "count as 0. Leave their columns out."),
        ({"n_positives": 4, "sample_weight": 2.0**-800 * (Y + 1)}, "these weights are so small"),
        ({"n_positives": 2**53}, "are 9,007,199,254,740,996 samples and missed positives"),
        y_true=Y, y_score=S),
    "misspelled parameters": [
        *((f"{f.__name__} {name}", partial(f, Y, S, *besides, **{name: Y}), TypeError,
           f"{f.__name__}() got an unexpected keyword argument {name!r}. Did you mean {meant!r}?")
          for f, besides in ((INTERVAL, ()), (COMPARE, (S,)), (REPORT, ()))
          for name, meant in (("cluster", "clusters"), ("seed", "random_state"),
                              ("weights", "sample_weight"), ("n_boot", "n_resamples"))),
        *((f"{f.__name__} ties", partial(f, Y, S, tie="best"), TypeError, "Did you mean 'ties'?")
          for f in (INTERVAL, ap.metric_bounds)),
    ],
    "influences": [
        (lambda: ap.influence([1, 0], [2, 1], clusters=["x"]), "inconsistent numbers of samples"),
        (lambda: ap.influence([1, 0], [2, 1], metric="P@1"), "no influence in closed form"),
    ],
    "results": [
        ("can't be changed", lambda: setattr(interval(), "low", 0), FrozenInstanceError, "'low'"),
        ("nor points", lambda: setattr(POINT(Y, S, k=2), "threshold", 1),
         FrozenInstanceError, "'threshold'"),
        *((f"to plan with {name}", lambda call=call: call().plan(difference=0.1),
           ValueError, "Only a result with sampling units that vary")
          for name, call in {"folds": lambda: ap.compare_folds(FOLDS, FOLDS),
                             "one model": lambda: COMPARE(Y, S, 2 * S)}.items()),
        ("a power of 80", lambda: COMPARE(Y, S, -S).plan(difference=0.1, power=80),
         ValueError, "'power' parameter of plan must be a float in the range"),
    ],
    "pairs of intervals": asked(
        paired,
        ({"other": {"y_true": Y[1:], "y_score": S[1:]}},
         "rows of the models 'A' and 'B' differ: 8 and 7 ... as groups="),
        ({"other": {"y_true": Y[::-1]}}, "y_true of the models 'A' and 'B' differ"),
        ({"one": BY_QUERY, "other": BY_QUERY | {"clusters": Y}}, "kind: groups and clusters"),
        ({"one": BY_QUERY, "other": BY_QUERY | {"metric": "P@3"}},
         "differ in their metric: Mean average precision"),
        ({"one": RECALL, "other": RECALL | {"zero_division": 1.0}}, "zero_division: 0.0 and 1.0"),
        ({"one": RECALL, "other": RECALL | {"k_counts": "samples"}}, "metric: ... at 1 row."),
        ({"other": {"n_positives": 9}}, "isn't known which of them belong together"),
        ({"one": {"n_positives": 9}}, "isn't known which of them belong together"),
        *(({"one": given, "other": given | FEWER, "method": method},
           "isn't known which of them belong together")
          for method in ("influence", "bootstrap")
          for given in (MISSED, MISSED | {"groups": [*"xyxyxyxy"], "n_positives": EXIST})),
        ({"one": BY_QUERY | UNDEFINED, "other": SOME | {"groups": PAIRS[:6]} | UNDEFINED},
         "'d' is only in the model 'A', ... If the model 'B' has no rows there, add the group"),
        ({"one": SOME | {"groups": PAIRS[:6]}, "other": BY_QUERY | {"zero_division": "warn"}},
         "group 'd' is only in the model 'B'"),
        ({"one": {"clusters": PAIRS}, "other": {"clusters": [*"aabbcccc"]}},
         "cluster 'd' is only in the model 'A', ... n_positives, with 0 if it has no positives"),
        ({"one": THIRDS, "other": THIRDS | {"y_true": Y * (np.arange(8) < 4)}},
         "group 'c' is only in the model 'A'"),
        ({"one": COLUMNS | UNDEFINED | BY_ROW, "other": EMPTY_CLASS | UNDEFINED | BY_ROW},
         "over different classes: [0, 1, 2] and [0, 1]"),
        ({"one": {"groups": [*"aaaabbbb"], "average": "weighted", **ZERO},
          "other": {"groups": [*"aaaabbbb"], "average": "weighted", "n_positives":
                    {"a": 2, "b": 3}, **ZERO}, "method": "randomization"}, ValueError,
         "have different weights"),
        ({"one": BY_QUERY | {"clusters": Y, **ZERO}, "other": BY_QUERY | {"clusters": Y, **ZERO,
          "n_positives": {(q, c): 2 for q in "abcd" for c in (0, 1)}}, "method": "randomization"},
         "different groups, or only one has n_positives"),
        one={}, other={}),
    "intervals that are passed": [
        ("with groups", lambda: COMPARE(interval(), interval(), groups=Y),
         TypeError, "compare only accepts baseline, ... but got groups"),
        *((f"with {other!r}", lambda other=other: COMPARE(interval(), *other),
           TypeError, "compare needs two intervals, a mapping of intervals")
          for other in ([], [S])),
        ("with a baseline", lambda: COMPARE(interval(), interval(), baseline="A"),
         TypeError, "baseline needs a mapping of intervals"),
        ("one in a mapping", lambda: COMPARE({"a": interval()}), TypeError, "at least two"),
        (lambda: COMPARE({"a": S, "b": interval()}), TypeError, "Got ndarray instead"),
        ("in a list", lambda: COMPARE([interval(), interval()]),
         TypeError, "needs two intervals, a mapping ... Got list instead"),
        (lambda: COMPARE({"old": INTERVAL(Y, S, groups=PAIRS),
                          "new": INTERVAL(Y[:6], S[:6], groups=PAIRS[:6])}),
         ValueError, "'d' is only in the model 'old', ... 'new' has no rows"),
    ],
    "objects of images": asked(
        existing,
        ({"exist": {(0, 0): None}}, "no number for (0, 0), where y_true contains positives"),
        ({"exist": {(0, 0): 0}}, "(0, 0) is too small: ... already contains 1"),
        ({"exist": {(0, 0): -1}}, "numbers in the range")),
    "comparisons": [
        (words, partial(COMPARE, *args, **given), error, words) for args, given, error, words in [
            ((Y * 0, S, S), {}, ValueError, "No positive class found"),
            ((Y, S, S[1:]), {}, ValueError, "7 in y_score. (y_score is that of the model 'B')"),
            ((Y, S, -S), {"metric": "P@1", "method": "randomization"}, ValueError,
             "has no influence in closed form"),
            ((Y, {"A": S}), {}, ValueError, "needs at least two models"),
            ((Y, MODELS), {"baseline": "C"}, ValueError, "'C' is not one of the"),
            ((Y, MODELS, S), {}, TypeError, "y_score_b must be left out"),
            ((Y, S), {}, TypeError, "needs the prediction scores of a second model"),
            ((Y, S, S), {"baseline": "A"}, TypeError, "baseline needs a mapping"),
            ((S / 8, S, Y), {}, ValueError, "Pass the labels first"),
            ((S / 8, S, [*"abababab"]), {}, ValueError, "Pass the labels first"),
            (("y", ["old"]), {"data": FRAME}, ValueError, "at least two models"),
            (("y", []), {"data": FRAME}, ValueError, "y_score_a is empty"),
            (("y", ["old", "old"]), {"data": FRAME}, ValueError, "names a column twice"),
            (("y", {"A": "old", "B": "X"}), {"data": FRAME}, ValueError,
             "y_score_a='X' is not a column of data"),
            ((Y, ["A", "B"]), {}, TypeError, "Pass their table as data"),
        ]],
    "folds": asked(
        ap.compare_folds,
        ({"b": folds([0.5, 0.6, 0.7], 3)}, "different folds: fold 0 has other samples"),
        ({"b": folds([0.5, 0.6])}, "the same folds, but have 3 and 2"),
        ({"b": {"test_score": [1, 2, 3]}}, "sizes of the folds are unknown ... return_indices"),
        ({"a": FOLD_A, "b": FOLD_B, "n_train": 8}, "sizes of the folds are unknown"),
        ({"a": [0.5, NAN], "b": FOLD_B}, "a must have a score for each of at least two folds"),
        ({"metric": "ap"}, "the scores of ['score'], ... Got 'ap' instead"),
        ({"metric": ap.metric("AP")}, "['score'], ... Got metric('AP') instead"),
        ({"a": FOLDS | {"test_ap": [1, 2, 3]}}, "['score', 'ap'], ... Got None"),
        a=FOLDS, b=FOLDS),
}


# Reports

SEVERAL = "If these are several models, pass a mapping from ... to report, or one model per call"
RUN = {"found": Y, "score": S, "query": np.repeat([0, 1, 2, 3], 2)}
RUNS = {"bm25": RUN, "dense": {name: column[:4] for name, column in RUN.items()}}
NAMED = {"y_true": "found", "y_score": "score", "groups": "query", "data": RUNS, **ZERO}
KINDS = {"kind": [*"abcabc"], **dict.fromkeys("xyz", range(6)), "image": [*"112233"]}
CLASSES = np.array([*"abcabcab"])
OF_CLASSES = {"old": np.eye(8, 3), "new": np.eye(8, 3, 1)}
OF_DATA = {"y_true": "y", "data": FRAME}


def of_tables(**given):
    """Reports and comparisons refuse tables in the same words."""
    given = NAMED | given
    compared = {"y_score_a": given["y_score"], **given}
    del compared["y_score"]
    return [partial(REPORT, metrics="AP", **given), partial(COMPARE, **compared)]


REPORTS = {
    "reports": asked(
        REPORT,
        ({"metrics": 3}, "'metrics' parameter of report must be a metric"),
        ({"metrics": ["AP", "average_precision"]}, "Two metrics are called"),
        ({"metrics": {1: "AP", "1": "P@10"}}, "Two metrics are called '1'"),
        ({"metrics": ["avg_precision"]}, "Did you mean 'average_precision'"),
        ({"metrics": "MAP"}, "'MAP' is a mean over groups: pass groups="),
        ({"baseline": "odl"}, "'odl' is not one of the models ['old' ... Did you mean 'old'?"),
        ({"y_score": {0: Y, 1: Y}, "baseline": "1"},
         "baseline='1' is not one of the models [0, 1]. Did you mean 1?"),
        ({"y_score": {"a": Y, "b": np.where(Y, NAN, 1)}},
         "contains NaN. ... 4 of 8 rows, ... (y_score is that of the model 'b')"),
        ({"y_score": {"a": Y, "b": Y[1:]}}, "[8, 7]. ... 7 in y_score. ... of the model 'b')"),
        ({"y_score": [S, S]}, SEVERAL),
        ({"y_score": np.c_[S, S]}, SEVERAL),
        ({"y_score": Y, "groups": np.ones((8, 1, 2))},
         "groups: Found array with dim 3"),
        ({"groups": Y, "average": None}, "leave average out and call per_group"),
        ({"method": "randomization", "metrics": "P@10"}, "has no influence in closed form"),
        ({"n_positives": 3}, "n_positives"),
        ({"pos_label": 2}, "Pass the positive one, as pos_label=0 or pos_label=1."),
        ({"classes": [1, 2]}, "y_true contains labels [0] that are not in classes [1, 2]"),
        ({"y_score": {}}, "needs at least one model"),
        ({"y_score": ["a", "b"]}, TypeError, "names columns. Pass their table as data"),
        (OF_DATA | {"y_score": []}, "at least one"),
        (OF_DATA | {"y_score": ["old", "old"]}, "names a column twice"),
        (OF_DATA | {"y_score": ["od"]}, "'od' is not a column of data. Did you mean"),
        ({"metrics": ["AP", ap.metric("AP", ties="expected")], "sample_weight": S},
         "ties='expected'"),
        ({"y_true": CLASSES, "y_score": {n: np.c_[s, s[:, :1]] for n, s in OF_CLASSES.items()},
          "classes": [*"abcd"], "average": None}, ValueError,
         "for the class d, ... Leave out its column, ... classes="),
        ({"y_true": (CLASSES[:, None] == [*"abd"]).astype(int), "y_score": OF_CLASSES,
          "average": None}, ValueError, "for the class 2, ... Leave out its column"),
        y_true=Y, y_score=MODELS, metrics="AP"),
    "tables of models": [
        ("another column", of_tables(y_score="scor"),
         ValueError, "'scor' is not a column ... in the table of the model 'bm25'"),
        ("a column of one", of_tables(y_score={"bm25": "score"}),
         ValueError, "must be the name of a column in all of them, or a map"),
        ("other rows", of_tables(groups=None),
         ValueError, "The rows of the models 'bm25' and 'dense' differ: 8 and 4"),
        ("other groups", of_tables(), ValueError,
         "The group 2 is only in the model 'bm25', ... If the model 'dense' has no rows there"),
        ("no positives", of_tables(data={"m": RUN, "n": RUN | {"found": [0] * 8}}, groups=None),
         ValueError, "No positive class ... (in the table of the model 'n')"),
    ],
    "tables of models to compare": [
        (words, partial(COMPARE, "found", *y, data=data, groups="query", **given), error, words)
        for y, data, given, error, words in [
            (["score", "score"], RUNS, {}, TypeError,
             "With a mapping of models or tables, y_score_b must be left out"),
            (["score"], {"bm25": RUN}, {}, ValueError, "at least two models. Got ['bm25']"),
        ]],
    "results of reports": [
        (lambda: REPORT("kind", [*"xyz"], metrics="AP", clusters="image", average=None,
                        data={"one": KINDS, "other": KINDS | {"kind": [*"abdabd"]}}),
         ValueError, "['a', 'b', 'c'], ['a', 'b', 'd']"),
        (lambda: REPORT(Y, S, metrics="AP").per_group(), "per_group needs groups. Pass groups= to"),
        (lambda: REPORT(Y, S, metrics=["AP", "P@2"]).plot(Figure().subplots()),
         ValueError, "one Axes for each of the 2 metrics. Got 1."),
    ],
}


# Thresholds

def suggested(function, target, **data):
    names = ("y", "old") if data else (Y, S)
    return partial(function, *names, **{target: 0.8}, **data)


def classified(model, **given):
    point = POINT(**{"y_true": Y, "y_score": S, "min_recall": 0.8, **given})
    point.classifier(model)


FITTED = LogisticRegression().fit(S[:, np.newaxis], np.where(Y, "fraud", "ok"))
HALF = {"old": S, "new": -S}

THRESHOLDS = {
    "targets": asked(
        POINT,
        *((given, error, words) for error in (ValueError, TypeError) for given, words in [
            ({}, "min_recall, min_precision or both, or else k, but got none of them"),
            ({"min_recall": 0.8, "k": 100}, "but got min_recall=0.8 and k=100"),
            ({"min_recall": 1, "min_precision": 0, "k": 2},
             "min_recall=1 and min_precision=0 and k=2")]),
        ({"k": 10, **SURE}, "confidence_level=0.95 needs min_recall or min_precision"),
        ({"k": 0.1, "quantile": 0.9, "groups": DAYS}, "so it needs groups and an int k"),
        ({"min_recall": 0.5, "quantile": 0.9, "groups": DAYS}, "so it needs groups and an int"),
        ({"min_recall": 1.0, **SURE}, "many positives there are. Pass min_recall=0.3684 or"),
        ({"min_recall": 0.5, "confidence_level": 95}, "Did you mean 0.95?"),
        ({"min_recall": 0.5, "clusters": [1, 2]}, "There are 6 in y_true and 2 in clusters"),
        ({"min_recall": 0.8, "min_precision": 0.8}, "recall, the highest precision is 0.75."),
        ({"y_true": [0] * 6, "min_recall": 0.5},
         "min_recall=0.5 cannot be met, because y_true has no positives (pos_label=1, and"),
        ({"y_true": [0] * 6, "min_precision": 0, "n_positives": 4}, "min_precision=0 cannot"),
        ({"y_score": [2, 2, 2, 2, 1, 1], "k": 1, "groups": DAYS},
         "at most k=1 samples ... 4 samples ... Pass k=2 or more"),
        ({"y_score": [2, 2, 1, 1, 1, 1], "k": 1, "groups": DAYS, "quantile": 0.9},
         "No threshold flags at most k=1 samples in 90% of"),
        ({"groups": DAYS[:5], "k": 1}, "5 in groups"),
        ({"groups": DAYS, "min_recall": 0.5, "n_positives": {"M": 1, "T": 1, "W": 0}},
         "n_positives=1 for 'T' is too small"),
        ({"groups": DAYS, "min_recall": 0.5, "n_positives": {"T": 2, "W": 0}},
         "has no number for the group 'M'"),
        ({"y_true": [1] * 30, "y_score": range(30), "n_positives": 80, "min_recall": 0.6, **SURE},
         "too many positives were missed (n_positives)"),
        ({"y_true": [1] * 40, "y_score": range(40), "sample_weight": [50] + [1] * 39,
          "min_recall": 0.8, **SURE}, "with these weights or clusters, there is too little"),
        **SIX),
    "what has no threshold": asked(
        POINT,
        ({"y_true": [], "y_score": []}, "Found array with 0 sample(s) in y_true"),
        ({"y_true": [], "y_score": [], "n_positives": 3}, "Found array with 0 sample(s) in y_true"),
        ({"y_score": [*SIX["y_score"], 7]}, "inconsistent numbers of samples"),
        ({"y_true": [*"ababab"]}, "pos_label=1 is not a valid label ... 'a' or"),
        ({"y_true": [0, 1, 2, 0, 1, 2]}, "more than two labels, ... one class ... y_true == label"),
        ({"y_true": [[0, 1], [1, 0]] * 3, "y_score": [[1, 2], [3, 4]] * 3},
         "multilabel-indicator ... : pass one column"),
        ({"y_score": [[1, 2], [3, 4]] * 3}, "y_score needs one score for each sample"),
        ({"sample_weight": [0] * 6}, "at least one non-zero"),
        ({"n_positives": 0}, "n_positives=0 is too small"),
        ({"n_positives": [1]}, "n_positives must be one number here"),
        ({"threshold": 0.5}, TypeError, "unexpected keyword argument 'threshold'"),
        ({"y_score": {"old": S[:6], "new": [*S[:5], NAN]}}, "NaN ... that of the model 'new')"),
        ({"y_score": {}}, "operating_point needs at least one model"),
        ({"y_true": "y", "y_score": ["old", "old"], "data": FRAME}, "names a column twice"),
        ({"y_score": {"old": S[:6], "new": -S[:6]}, "k": None, "min_precision": 1.0},
         "1.0: the highest ... (y_score is that of the model 'new')"),
        k=1, **SIX),
    "targets that are called otherwise": [
        (f"{target} of {function.__name__} {[*data]}", suggested(function, target, **data),
         TypeError, f"{function.__name__}() got an unexpected keyword argument '{target}'. Did you "
         f"mean 'min_{target}'?")
        for target, other in (("recall", ap.precision_at_recall_score),
                              ("precision", ap.recall_at_precision_score))
        for function in (POINT, other)
        for data in ({}, {"data": FRAME})
    ],
    "thresholds that are applied": [
        ("to several models", lambda: POINT(Y, HALF, min_recall=0.9)["old"].check(Y, HALF),
         ValueError, "Pass one model, whose threshold this is"),
        ("to other classes", partial(classified, FITTED),
         ValueError, "has the classes ['fraud', 'ok']"),
        ("to grades", partial(classified, FITTED, y_true=2 * Y, min_grade=1),
         ValueError, "was chosen with min_grade"),
        ("without scores", partial(classified, StandardScaler()),
         ValueError, "StandardScaler has no decision_function"),
    ],
}


# Displays

X, TWO = S[:, np.newaxis], {"a": S, "b": S}
NB = GaussianNB().fit(X, Y)
CV = {"estimator": [NB] * 2, "indices": {"test": [np.arange(4), np.arange(4, 8)]}}


def draw(display, method="from_predictions", **given):
    """Nothing is drawn of what is refused."""
    ax = Figure().subplots()
    try:
        getattr(display, method)(ax=ax, **given)
    finally:
        assert not ax.lines


def of_both(method):
    return [partial(draw, display, method) for display in (Areas, Hits)]


DISPLAYS = {
    "displays": asked(
        of_both("from_predictions"),
        ({"y_true": [*"abababab"]}, "pos_label=1 is not ... pos_label='a' or ... 'b'"),
        ({"n_positives": 2}, "counts all positives, found or not"),
        ({"groups": Y, "operating_points": []}, "each group has a curve of its own. Draw their"),
        ({"groups": Y, "n_positives": 3}, "With groups, n_positives must be a mapping"),
        ({"y_score": TWO, "operating_points": []},
         "operating_points belong to one curve, but each model has a curve of its own"),
        ({"y_score": TWO, "name": "A"}, "name='A' is the name of a single model"),
        ({"y_score": {"a": S, "b": S[1:]}}, "(y_score is that of the model 'b')"),
        ({"y_score": TWO, "curve_kwargs": [{}]}, "a list with one dict for each of the 2 curves"),
        ({"y_score": [[0.2, 0.8]] * 8}, "list(model.classes_).index(1)]."),  # there is no classes=
        ({"min_grade": 2, "pos_label": 3}, "both define which samples are positive"),
        ({"groups": Y * 0, "confidence_level": 0.9}, "two groups, because the groups are"),
        ({"clusters": PAIRS, "groups": Y, "confidence_level": 0.9, **ZERO},
         "draws the groups and not the clusters: pass clusters=None"),
        y_true=Y, y_score=S),
    "average precision displays": asked(
        partial(draw, Areas),
        ({"metric": []}, "must be the name of a metric. Got [] ... Names are"),
        ({"metric": ["step", "auc"]}, "'metric' parameter ... Got 'auc'"),
        ({"metric": "P@1"}, "metric='P@1' cannot be drawn"),
        ({"metric": "AP@3", "operating_points": POINT(Y, S, k=3)},
         "at their recall, but the x axis is 'positives found / 3'"),
        y_true=Y, y_score=S),
    "displays of estimators": asked(
        of_both("from_estimator"),
        ({"estimator": GaussianNB()}, NotFittedError, "not fitted"),
        ({"estimator": Ridge().fit(X, Y)}, "Got Ridge instead"),
        ({"estimator": IsolationForest(n_estimators=2).fit(X)},
         "pass their prediction scores to from_predictions"),
        ({"estimator": GaussianNB().fit(X, S % 3)}, "Got GaussianNB with the classes [0 1 2]"),
        ({"estimator": GaussianNB().fit(X, Y * 0)}, "Got GaussianNB with the classes [0] instead"),
        ({"estimator": MultiOutputClassifier(GaussianNB()).fit(X, np.c_[Y, 1 - Y])},
         "to be a binary classifier. Got MultiOutputClassifier"),
        *(({"estimator": GaussianNB().fit(X, labels), "y": labels},
           f"pos_label=1 is not a valid label: It should be one of {np.unique(labels)}")
          for labels in (np.array(["ok", "bad"])[Y], Y + 2)),
        ({"estimator": {"a": NB, "b": NB}, "name": "A"}, "name='A' is the name of a single model"),
        estimator=NB, X=X, y=Y),
    "displays of folds": asked(
        of_both("from_cv_results"),
        ({"cv_results": {"estimator": []}}, "return_indices=True"),
        ({"X": X[:7], "y": Y[:7]}, "X has 7 samples, but the folds were made ... out of bounds"),
        ({"cv_results": {"estimator": [NB], "indices": {"test": [range(8)]}}},
         "two folds, because the folds are the sampling"),
        ({"y": Y[:7]}, "inconsistent numbers of samples: [8, 7]"),
        ({"n_positives": 200}, "one count for each of the 2 folds, in their order"),
        ({"groups": Y, "n_positives": {0: 200, 1: 200}},
         "one count for the group 0, which has samples in several"),
        ({"cv_results": CV | {"estimator": [GaussianNB().fit(X, Y + 2)] * 2}, "y": Y + 2},
         "pos_label=1 is not a valid label: It should be one of [2 3]"),
        cv_results=CV, X=X, y=Y, confidence_level=0.9),
    "calls of displays": [
        *((f"{display.__name__}: a model", partial(display.from_predictions, NB, X, Y),
           TypeError, f"use {display.__name__}.from_estimator") for display in (Areas, Hits)),
        ("nothing to draw", [lambda: Areas([]).plot(), lambda: Hits([]).plot()],
         ValueError, "no curves to draw. Create the display with from_est"),
        (each([Areas, Hits], lambda display: display.from_predictions(
             Y, S, groups=[0, 1] * 4, ax=Figure().subplots(), **ZERO).plot(
             Figure().subplots(), operating_points=POINT(Y, S, k=1))),
         ValueError, "operating_points belong to one curve, but each group has"),
    ],
}


# Rules and curves

CURVES = {
    "options of rules": [
        *((f"metric={name!r}", partial(INTERVAL, Y, S, metric=name), ValueError, "'n_points' param")
          for name in ("1-point", "0-point")),
        *((f"n_positives={n}", partial(AP, Y, S, n_positives=n), ValueError, "n_positives")
          for n in (0, 2, -1)),
    ],
    "curves": asked(
        ap.hit_curve,
        ({"n_positives": 2}, "n_positives=2 ... already contains 4"),
        ({"n_positives": {"Mon": 4}}, "n_positives is a mapping, but there are no groups"),
        ({"groups": PAIRS, "n_positives": 4}, "With groups, n_positives must be a mapping"),
        y_true=Y, y_score=S),
}
# fmt: on

test_refused = refuses(INFERENCE | REPORTS | THRESHOLDS | DISPLAYS | CURVES)
