"""What is refused, and in which words: labels, scores, weights, classes, groups and options."""

from datetime import date
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from sklearn_ap import (
    boosting,
    compare,
    compat,
    confidence_interval,
    get_scorer,
    hit_curve,
    make_ap_scorer,
    metric,
    operating_point,
    precision_at_recall_score,
    report,
)
from sklearn_ap.core.rules import Step

from .examples import (
    AP,
    CURVES,
    EVERY,
    GROUPS,
    INF,
    LABELS,
    MAP,
    NAN,
    PLAIN,
    SCORES,
    TEXT,
    P,
    S,
    Y,
    grouped,
)
from .refusals import AT_A_K, refused, refuses
from .tables import ROWS

AP_AT_K = ap.average_precision_at_k_score
identified = partial(compat.identify, "0.5")


def reported(y_true, y_score, **options):
    return ap.report(y_true, {"a": y_score}, metrics=["AP"], **options)


def as_metric(y_true, y_score, k):
    return ap.metric("precision_at_k", k=k)


def as_scorer(y_true, y_score, k):
    return ap.make_ap_scorer("precision_at_k", k=k)


# Functions that refuse the same
TARGETS = [
    lambda value: precision_at_recall_score(Y, S, min_recall=value),
    lambda value: operating_point(Y, S, min_precision=value),
    lambda value: metric("recall_at_precision", min_precision=value),
    lambda value: confidence_interval(Y, S, confidence_level=value),
]
K = [P, operating_point, identified, as_metric, as_scorer]
MEANS = [MAP, AP, confidence_interval, identified, reported]
OF_SCORES = [*MEANS[1:], hit_curve]

FRAME = pd.DataFrame({"cat": [1, 0, 1], "dog": [0, 1, 1], "eel": [1, 0, 0]})
LONG = np.arange(270_000) % 2
LATE = np.append(np.ones(LONG.size - 1), NAN)
MOMENT = np.datetime64(1, "ns")
DAYS = np.array(["2026-01-01", "2026-01-02"] * 2, dtype="M8[D]")

hide = partial(np.ma.array, mask=[False, True, False])
COLUMNS = {
    "y_true": np.array(Y),
    "y_score": np.array(S),
    "sample_weight": np.array([1.0, 2, 3, 1]),
    "groups": np.array(GROUPS),
}


def objects(*values):
    return np.array(values, dtype=object)


MISSING_GRADE = (
    "contains NaN, None or another missing value. Leave out the samples without a grade, or assign "
    "one. This concerns 1 of 3 rows, the first of them row 0 (counted from 0). In search, "
    "documents that nobody judged count as not relevant: give them grade 0."
)

REFUSED = [
    # Shapes
    refused("0 sample(s)", [lambda f: f([], []), lambda f: f(np.array([]), np.array([]))], EVERY),
    refused(
        "inconsistent numbers of samples: [4, 3 ... 4 in y_true and 3 in y_scor",
        lambda f: f(Y, S[:3]),
        EVERY,
    ),
    refused(
        "should be a 1d array",
        [lambda f: f(Y, np.array(0.5)), lambda f: f(Y, S, sample_weight=np.ones((4, 2)))],
        EVERY,
    ),
    refused("format is not supported", lambda f: f(np.ones((2, 2, 2)), np.ones((2, 2, 2))), PLAIN),
    # Labels
    refused(
        "Input y_true contains NaN. ... 1 of 4 rows, ... row 2 (",
        lambda f: f([0, 1, NAN, 1], S),
        EVERY,
    ),
    refused(
        "continuous format is not supported",
        lambda f, value: f(value, S),
        EVERY,
        [[0.5, 1.2, 0.1, 1], np.array([0.5, 1.0, 0.5, 1.0])],
    ),
    refused(
        "pos_label=1 is not a valid label ... . Pass the positive one, as pos_label='ham' or "
        "pos_label='spam'.",
        lambda f: f(TEXT, S),
        [*PLAIN, grouped],
    ),
    refused("pos_label=1 is not a valid label ... pos_label='ham'", lambda f: f(TEXT, S), CURVES),
    refused("more than two labels ... as y_true == label", lambda f: f([0, 1, 2, 1], S), CURVES),
    refused("Input y_true contains NaN", lambda: AP([[1, 0], [None, 1], [1, 1]], np.eye(3)[:, :2])),
    refused("If they are grades, pass min_grade=", lambda: AP([0, 1, 2], S[:3])),
    refused("pass all of them as classes=.", lambda: AP(["a", "b", "c"], S[:3])),
    refused(
        "For grades, pass min_grade, the lowest grade",
        lambda f: f([0, 1, 2, 0], S, groups=GROUPS),
        [MAP, AP],
    ),
    # min_grade
    refused(
        MISSING_GRADE,
        lambda f, value: f([value, 1, 2], S[:3], min_grade=2),
        [AP, hit_curve],
        [NAN, None, Decimal("nan"), Decimal("snan")],
    ),
    refused(
        "Input y_true contains infinity. Grades must",
        lambda f: f([1, INF, 2], S[:3], min_grade=2),
        [AP, hit_curve],
    ),
    refused(
        "but y_true contains '1'. Convert the grades to numbers",
        lambda f: f(["1", "2", "3"], S[:3], min_grade=2),
        [AP, hit_curve],
    ),
    refused(
        "but y_true contains '2'",
        lambda f: f(objects(1, "2", 3), S[:3], min_grade=2),
        [AP, hit_curve],
    ),
    refused(
        "compares numbers, but y_true contains",
        lambda f: f(np.array([1, 2, 3], dtype="M8[s]"), S[:3], min_grade=2),
        [AP, hit_curve],
    ),
    refused(
        "one column of grades ... has shape (3, 2)",
        lambda f: f([[1, 2], [2, 3], [0, 1]], S[:3], min_grade=2),
        [AP, hit_curve],
    ),
    refused(
        "Found array with 0 sample(s) in y_true", lambda f: f([], [], min_grade=2), [AP, hit_curve]
    ),
    refused(
        "pos_label='a' and min_grade=2 both define which",
        lambda f: f(Y, S, min_grade=2, pos_label="a"),
        [AP, hit_curve],
    ),
    refused(
        "min_grade=2 is for grades, and classes is",
        lambda: AP([1, 2, 3], S[:3], classes=[1, 2, 3], min_grade=2),
    ),
    # Labels and scores that are swapped
    refused(
        "continuous format is not supported. y_true and y_score look swapped",
        lambda f, value: f([0.5, 0.2, 0.9], value),
        EVERY,
        [[0, 1, 1], [1.0, 1.0, 1.0], [-1, 1, -1], ["b", "a", "b"]],
    ),
    refused("continuous ... look swapped", lambda: AP([[0.5, 0.1], [0.1, 0.2]], [[0, 1], [1, 0]])),
    # Scores
    refused(
        "Input y_score contains NaN. ... 2 of 4 rows, ... row 1 (",
        lambda f: f(Y, [0.1, NAN, 0.2, NAN]),
        EVERY,
    ),
    refused(
        "Input y_score contains infinity",
        lambda f, value: f(Y, value),
        EVERY,
        [[0.1, INF, 0.2, 0.3], np.array([0.1, -INF, 0.2, 0.3])],
    ),
    refused("Input y_score contains NaN", lambda f: f(Y, objects(1, NAN, 2**70, 3)), EVERY),
    refused("Input y_score contains NaN", lambda: AP(LONG, LATE)),
    refused(
        "Input y_score contains ... infinity", lambda f: f(Y, objects(1, INF, 2**70, 3)), EVERY
    ),
    refused(
        "y_score must contain numbers",
        lambda f, value: f(Y, value),
        EVERY,
        [DAYS, ["a", "b", "c", "d"], [None, 1, 2, 3]],
    ),
    refused("Complex data not supported", lambda f: f(Y, np.array([1j, 2, 3, 4])), EVERY),
    refused(
        "Are these labels? y_score needs what predict_proba or decision_function returns",
        lambda f, value: f(Y, value),
        OF_SCORES,
        [TEXT, objects(*TEXT)],
    ),
    refused(
        "Convert your data to numeric values explicitly",
        lambda f: f(Y, ["0.1", "0.2", "1", "nan"]),
        OF_SCORES,
    ),
    refused(
        "NaN",
        lambda value, value_2: AP(Y[:2], [Decimal(value), value_2]),
        ["nan", "sNaN"],
        [Decimal(1), 2],
    ),
    refused(
        "infinity",
        lambda value, value_2: AP(Y[:2], [Decimal(value), value_2]),
        ["inf", "1e400"],
        [Decimal(1), 2],
    ),
    refused(
        "contains times (datetime64[s]). To rank later ones higher, pass "
        "np.asarray(y_score).astype('int64').",
        lambda: AP(Y[:2], np.array([1, 2], "M8[s]")),
    ),
    refused(
        "contains times (datetime64[ns]). To rank later ones higher, pass "
        "np.asarray(y_score).astype('int64').",
        lambda: AP(Y[:2], [MOMENT, MOMENT]),
    ),
    refused(
        "contains times (timedelta64[D]). To rank longer ones higher, pass "
        "np.asarray(y_score).astype('int64').",
        lambda: AP(Y[:2], np.array([1, 2], "m8[D]")),
    ),
    refused(
        "contains times (timedelta64[s]). To rank longer ones higher, pass "
        "np.asarray(y_score).astype('int64').",
        lambda: AP(Y[:2], pd.Series([1, 2], dtype="m8[s]")),
    ),
    refused(
        "contains times, such as datetime.date(2026, 1, 2). Convert them to numbers in one unit",
        lambda: AP(Y[:2], [date(2026, 1, 2), date(2026, 1, 1)]),
    ),
    refused(
        "contains times, such as ... to numbers in one unit",
        lambda value: AP(Y[:2], value),
        [[pd.Timestamp(1)] * 2, [pd.Timedelta(1)] * 2],
    ),
    refused(
        "contains missing values. ... row 1 (", lambda: AP(Y[:2], np.array([[1], ["NaT"]], "m8[D]"))
    ),
    refused(
        "contains long doubles that float64 can't ... astype(float)",
        lambda value: AP(Y[:2], value),
        [objects(np.longdouble("0.1"), 1), np.nextafter(np.ones(2, np.longdouble), 2)],
    ),
    refused("y_score contains NaN", lambda: AP(Y, pd.Series([1, 2, None, 3], dtype="Int64"))),
    refused(
        "y_score ... contains NaN",
        lambda value: AP(LABELS, value),
        [np.where(LABELS, NAN, 1), np.where(LABELS, NAN, 1).astype(object)],
    ),
    refused(
        "y_score: ... contains NaN ... row 269999", lambda: AP(np.c_[LONG, LONG], np.c_[LONG, LATE])
    ),
    # Scores of both classes
    refused(
        "Pass the column of the positive class, as y_score[:, 1]",
        lambda f: f(Y, np.c_[S, S]),
        EVERY,
    ),
    refused(
        "If these are logits, subtract the other column from it", lambda f: f(Y, np.c_[S, S]), EVERY
    ),
    refused(
        "y_score[:, list(model.classes_).index(1)]",
        lambda: AP([-1, 1, 1], np.ones((3, 2)), pos_label=1),
    ),
    refused(
        "as y_score[:, list(model.classes_).index(0)]",
        lambda: AP([0, 1, 1], np.ones((3, 2)), pos_label=0),
    ),
    refused(
        "y_score[:, list(model.classes_).index('fraud')]",
        lambda: AP(["ok", "ok", "ok"], np.ones((3, 2)), pos_label="fraud"),
    ),
    # Columns
    refused("one column for each column of y_true", lambda f: f(LABELS, SCORES[:, :2]), PLAIN),
    refused("inconsistent", lambda f: f(LABELS, SCORES[:2]), PLAIN),
    refused("Expected 2D array", lambda f: f(LABELS, SCORES[:, 0]), PLAIN),
    refused("np.column_stack", lambda f: f(LABELS, [SCORES[:, :2]] * 3), PLAIN),
    refused("pos_label is fixed to 1", lambda f: f(LABELS, SCORES, pos_label=0), PLAIN),
    # Columns that are called like labels
    refused(
        "called ['a', 'b', 'x'], like labels in y_true, but none like ['c']. ... If the names have "
        "another meaning, pass classes=",
        lambda f: f(["a", "b", "c"], pd.DataFrame(SCORES, columns=[*"abx"])),
        [AP, confidence_interval],
    ),
    refused(
        "but classes=['a', 'b', 'c'] names them in another",
        lambda f: f(["a", "b", "c"], pd.DataFrame(SCORES, columns=[*"cba"]), classes=[*"abc"]),
        [AP, confidence_interval],
    ),
    refused(
        "but two are called the same",
        lambda: AP(["a", "b", "a"], pd.DataFrame(SCORES, columns=[*"abb"])),
    ),
    refused(
        "(y_score are the columns ['a', 'b', 'x'])",
        lambda: AP("y", ["a", "b", "x"], data={"y": [*"abc"], "a": S[:3], "b": S[:3], "x": S[:3]}),
    ),
    refused(
        "Pass the column of the positive class",
        lambda: AP(["a", "b", "a"], pd.DataFrame(SCORES[:, :2], columns=[*"ab"]), pos_label="a"),
    ),
    # Classes
    refused("labels [5] that are not in classes", lambda: AP([0, 1, 5], SCORES, classes=[0, 1, 2])),
    refused(
        "at least two labels, without duplicates",
        [
            lambda: AP([0, 1, 1], SCORES, classes=[0, 1, 1]),
            lambda: AP([0, 0, 0], SCORES, classes=[0]),
        ],
    ),
    refused("y_score.shape=(3, 3)", lambda: AP([0, 1, 1], SCORES, classes=[0, 1, 2, 3])),
    refused("pass classes=", lambda: AP([0, 1, 1], SCORES, classes=None)),
    refused("classes is only for multiclass", lambda: AP(LABELS, SCORES, classes=[0, 1, 2])),
    refused("pos_label is fixed to 1 for multiclass", lambda: AP([0, 1, 2], SCORES, pos_label=2)),
    refused(
        "pos_label='c' is not one of the classes ['a', 'b'",
        lambda classes: make_ap_scorer(classes=classes, pos_label="c"),
        [[*"ab"], [*"abd"]],
    ),
    # Weights
    refused(
        " This concerns 1 of 4 rows, the first of them row 2 (",
        lambda: AP([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[0, 1, -1, 1]),
    ),
    refused(
        "Negative values in data passed to `sample_weight`",
        lambda f, sample_weight: f(Y, S, sample_weight=sample_weight),
        EVERY,
        [[1, -1, 1, 1], [1, 2, -1e-10, 1]],
    ),
    refused(
        "sample_weight must contain numbers, but its dtype is ... explicitly",
        lambda f, sample_weight: f(Y, S, sample_weight=sample_weight),
        EVERY,
        [[*"1234"], [*"abcd"], pd.Series([*"1234"]), objects(*"1234"), DAYS, DAYS - DAYS[0]],
    ),
    refused(
        "Sample weights must contain at least one non-zero number.",
        lambda f: f(Y, S, sample_weight=[0, 0, 0, 0]),
        EVERY,
    ),
    refused(
        "Input sample_weight contains NaN. ... 1 of 4 rows, ... row 3 (",
        lambda f: f(Y, S, sample_weight=[1, 1, 1, NAN]),
        EVERY,
    ),
    refused(
        "Input sample_weight contains infinity",
        lambda f: f(Y, S, sample_weight=[1, 1, 1, INF]),
        EVERY,
    ),
    refused("Scale the weights down", lambda f: f(Y, S, sample_weight=[1e308] * 4), EVERY),
    refused(
        "Scale the weights down",
        lambda: AP([[1, 1]] * 8, np.ones((8, 2)), average="weighted", sample_weight=[2.2e307] * 8),
    ),
    refused(
        "numbers of samples: [4, 4, 3]. ... and 3 in sample_weight",
        lambda f: f(Y, S, sample_weight=[1, 1, 1]),
        EVERY,
    ),
    refused("Input sample_weight contains NaN", lambda: AP(LONG, LONG, sample_weight=LATE)),
    refused(
        "not available with sample_weight",
        lambda f, ties: f(Y, S, ties=ties, sample_weight=[1] * 4),
        [AP, *AT_A_K, grouped],
        ["expected", "best", "worst"],
    ),
    # Weights of metrics of the first positive
    refused(
        "is not available with sample_weight, because it looks for one single sample",
        [
            lambda value: metric(value)(Y, S, sample_weight=[1, 2, 1, 1]),
            lambda value: metric(value)(Y, S, sample_weight=[1, 2, 1, 1], groups=GROUPS),
            lambda value: confidence_interval(Y, S, metric=value, sample_weight=[1, 2, 1, 1]),
        ],
        ["reciprocal_rank", "hit_rate_at_3"],
    ),
    # A single ranking
    refused(
        "a single ranking doesn't tell ... Pass groups=",
        [
            lambda metric: confidence_interval(Y, S, metric=metric),
            lambda metric: compare(Y, S, S[::-1], metric=metric),
        ],
        ["reciprocal_rank", "hit_rate_at_3"],
    ),
    # Groups
    refused("groups", lambda: MAP(Y, S), error=TypeError),
    refused("hashable", lambda: MAP(Y, S, groups=[[1], [2], [3], [4]]), error=TypeError),
    refused("groups: Found array with dim 3", lambda: MAP(Y, S, groups=np.ones((4, 2, 2)))),
    refused(
        "columns of groups must have the same length",
        lambda: MAP(Y, S, groups=(["a", "b", "b"], [1, 2, 1, 1])),
    ),
    refused(
        "groups contains missing values",
        lambda f, groups: f(Y, S, groups=groups),
        PLAIN,
        [["a", None, "b", "b"], (GROUPS, ["a", None, "b", "b"])],
    ),
    refused("There are 4 in y_true and 2 in groups", lambda: MAP(Y, S, groups=([1, 2],) * 2)),
    refused(
        "missing values",
        [
            lambda: MAP(Y, S, groups=[("a", NAN), "b", "b", ("a", NAN)]),
            lambda: MAP(Y, S, groups=[("a", np.datetime64("NaT", "D")), "b", "b", "b"]),
            lambda: MAP([0, 1], [1, 2], groups=objects(MOMENT, None)),
            lambda: MAP([0, 1], [1, 2], groups=objects(MOMENT, np.datetime64("NaT", "D"))),
            lambda: MAP([0, 1], [1, 2], groups=objects(MOMENT, NAN)),
            lambda: MAP([0, 1], [1, 2], groups=[np.timedelta64(1, "D"), NAN]),
        ],
    ),
    refused(
        "groups must be hashable",
        lambda: confidence_interval(
            Y, S, groups=[[1], [2]] * 2, clusters=Y, n_positives={(1, 2): 3}
        ),
        error=TypeError,
    ),
    refused(
        "inconsistent numbers of samples: [4, 3]. ... 3 in groups",
        lambda f: f(Y, S, groups=GROUPS[:3]),
        PLAIN,
    ),
    refused(
        "With groups, y_true must be binary",
        [
            lambda f: f(LABELS, SCORES, groups=GROUPS[:3]),
            lambda f: f([0, 1, 2, 1], S, groups=GROUPS),
        ],
        PLAIN,
    ),
    refused(
        "one of (None, 'macro', 'weighted')",
        lambda f, average: f(Y, S, groups=GROUPS, average=average),
        [*PLAIN, MAP],
        ["samples", "micro"],
    ),
    refused(
        "groups mixes NumPy's datetimes",
        lambda other: MAP([0, 1], [1, 2], groups=objects(MOMENT, other)),
        [np.datetime64("9999-12-31"), 1, date(2020, 1, 1), "2020-01-01", np.timedelta64(1, "ns")],
    ),
    # n_positives
    refused(
        "already contains 0.75", lambda: AP(Y, S, sample_weight=[1, 0.5, 1, 0.25], n_positives=0.5)
    ),
    refused(
        "already contains 0.3.",
        lambda: AP([1, 1, 1, 0], S, sample_weight=[0.1] * 4, n_positives=0.2),
    ),
    refused("one number for each of the 3 columns", lambda: AP([0, 1, 2], SCORES, n_positives=3)),
    refused(
        "numbers for ['cat', 'dog', 'cow'], but the columns",
        lambda: AP(FRAME, SCORES, n_positives=pd.Series([2, 4, 3], index=["cat", "dog", "cow"])),
    ),
    refused(
        "in the range [0, 2**53]",
        [
            lambda count: AP(Y, S, n_positives=count),
            lambda count: AP(Y, S, groups=[1] * 4, n_positives={1: count}),
        ],
        [10**40, 10**400, Decimal("nan"), Decimal("sNaN"), Decimal(-1), "3"],
    ),
    refused("a Series", lambda: AP(Y, S, n_positives=pd.Series([1, 2]))),
    refused(
        "no number for the group '301' ... Its keys look like 301. Convert the keys",
        lambda f: f(Y, S, groups=["301", "302"] * 2, n_positives={301: 1, 302: 2}),
        MEANS,
    ),
    refused(
        "no number for the group 1, ... Its keys look like '1'. Convert the keys",
        lambda f: f(Y, S, groups=[1, 2] * 2, n_positives=pd.Series({"1": 1, "2": 2})),
        MEANS,
    ),
    refused(
        "no number for the group 2026-01-02, ... with a time zone are in UTC: convert the keys",
        lambda f: f(Y, S, groups=DAYS, n_positives=pd.Series({DAYS[0]: 1})),
        MEANS,
    ),
    refused(
        "n_positives has no number for the group 'b' ... each group.",
        lambda f: f(Y, S, groups=GROUPS, n_positives={"a": 1}),
        PLAIN,
    ),
    refused(
        "no number for the group 'a' ... look like ('a', 1). If these are pairs (group, "
        "cluster), add up",
        lambda f: f(Y, S, groups=GROUPS, n_positives={("a", 1): 1, ("b", 1): 1}),
        PLAIN,
    ),
    refused(
        "n_positives=0 for 'b' is too small: ... already contains 1",
        lambda f: f(Y, S, groups=GROUPS, n_positives={"a": 1, "b": 0}),
        PLAIN,
    ),
    refused(
        "in the range [0, 2**53]. Got -1 for 'a'",
        lambda f: f(Y, S, groups=GROUPS, n_positives={"b": 1, "a": -1}),
        PLAIN,
    ),
    refused(
        "unknown format is not supported",
        lambda f: f(np.array(1), np.array(0.5)),
        [ap.average_precision_score],
    ),
    refused(
        "takes from 0 to 2 positional arguments but 3 were given. Pass metrics by their name, as "
        "in metrics=['AP']",
        lambda: ap.report([0, 1], {"a": [0, 1]}, ["AP"]),
        error=TypeError,
    ),
    refused(
        "n_positives=1.5 must be an integer: it counts positives, not weight",
        lambda f: f(Y, S, groups=GROUPS, n_positives={"a": 1, "b": 1.5}),
        PLAIN,
    ),
    refused(
        "Got nan for 'b'", lambda f: f(Y, S, groups=GROUPS, n_positives={"a": 1, "b": NAN}), PLAIN
    ),
    refused("n_positives is empty", lambda f: f(Y, S, groups=GROUPS, n_positives={}), PLAIN),
    refused(
        "a mapping or a pandas Series from each group ... Got ",
        lambda f, counts: f(Y, S, groups=GROUPS, n_positives=counts),
        PLAIN,
        [5, [1, 1]],
    ),
    refused(
        "names a group twice",
        lambda f: f(Y, S, groups=GROUPS, n_positives=pd.Series([1, 1, 1], index=["a", "b", "a"])),
        PLAIN,
    ),
    refused("no groups. Pass groups=", lambda f: f(Y, S, n_positives={"a": 1, "b": 1}), PLAIN),
    refused("must be one number here. Got [1, 1]", lambda f: f(Y, S, n_positives=[1, 1]), PLAIN),
    refused(
        "one number for each of the 3 columns here. Got ",
        lambda f, counts: f(LABELS, SCORES, n_positives=counts, average="macro"),
        PLAIN,
        [3, [1, 2]],
    ),
    refused(
        "must be one number here",
        lambda f: f(LABELS, SCORES, n_positives=[1, 2, 1], average="micro"),
        PLAIN,
    ),
    refused(
        "n_positives=0 for column 2 is too small: ... already contains 1",
        lambda f: f(LABELS, SCORES, n_positives=[1, 2, 0], average=None),
        PLAIN,
    ),
    refused(
        "Got nan for column 2",
        lambda f: f(LABELS, SCORES, n_positives=[1, 2, NAN], average=None),
        PLAIN,
    ),
    refused(
        "there are no groups",
        lambda f: f(LABELS, SCORES, n_positives={0: 1, 1: 2, 2: 1}, average=None),
        PLAIN,
    ),
    refused(
        "n_positives", lambda f: f(LABELS, SCORES, n_positives=np.ones((2, 2)), average=None), PLAIN
    ),
    refused(
        "no number for '302' ... Its keys look like 301.",
        lambda: confidence_interval(
            Y, S, clusters=["301", "302"] * 2, n_positives={301: 1, 302: 2}
        ),
    ),
    refused(
        "need times as the keys of n_positives",
        lambda: MAP(Y, S, groups=DAYS, n_positives={1: 1, 2: 1}),
    ),
    # Options
    refused("a DataFrame", lambda: AP(Y, S, pos_label=pd.DataFrame({"a": range(50)}))),
    refused(
        "denominator='hits' is not available with ties='expected'",
        lambda f: f(Y, S, k=2, denominator="hits", ties="expected"),
        [AP_AT_K, grouped],
    ),
    refused("'k' parameter ... Did you mean 10?", lambda f, k: f(Y, S, k=k), K, [10.0, "10"]),
    refused("'k' parameter ... Did you mean 20?", lambda f: f(Y, S, k=np.float64(20)), K),
    refused("'k' parameter ... Did you mean 0.01?", lambda f: f(Y, S, k="1%"), K),
    refused("'k' parameter ... Did you mean 0.005?", lambda f: f(Y, S, k="0.5 %"), K),
    refused("'k' parameter ... Did you mean 0.1?", lambda f: f(Y, S, k="0.1"), K),
    refused(
        "' parameter ... Did you mean 0.8?",
        lambda f, value: f(value),
        TARGETS,
        [80, "80%", "80", "0.8"],
    ),
    refused("' parameter ... Did you mean 0.995?", lambda f: f(99.5), TARGETS),
    refused(
        "'min_recall' parameter ... Did you mean 1.0?",
        lambda: operating_point(Y, S, min_recall=100),
    ),
    # n_points of means
    refused("n_points=11 and k=5 can't be", lambda: MAP(Y, S, groups=GROUPS, n_points=11, k=5)),
    refused("n_points=11 and k=5 can't be combined", lambda: metric("MAP@5", n_points=11)),
    refused(
        "ties='best' is not available with n_points",
        lambda: MAP(Y, S, groups=GROUPS, n_points=11, ties="best"),
    ),
    # Options that a function lacks
    refused(
        "Only intervals and comparisons depend on", lambda: AP(Y, S, clusters=Y), error=TypeError
    ),
    refused("Only intervals", lambda: get_scorer("AP", clusters=Y), error=TypeError),
    refused(
        "there is nothing to average", lambda: hit_curve(Y, S, average="macro"), error=TypeError
    ),
    refused(
        "A curve has no single value", lambda: hit_curve(Y, S, zero_division=0), error=TypeError
    ),
    refused(
        "evaluate one class at a time, as in y_true == label",
        lambda: hit_curve(Y, S, classes=[0, 1]),
        error=TypeError,
    ),
    refused(
        "is part of what it reports", lambda: compat.explain(Y, S, zero_division=0), error=TypeError
    ),
    # Names of metrics
    refused(
        "Pass 'AP' for the area under steps. ... write make_scorer(",
        lambda f, value: f(value),
        [metric, get_scorer],
        ["AUPRC", "PR AUC", "aucpr"],
    ),
    refused(
        "Pass 'AP' for the area under steps. That under straight lines, 'PR-AUC', is too",
        lambda: report(Y, {"a": S}, metrics=["PR-AUC"]),
    ),
    refused("'101-point', with the classes as groups, over overlaps", lambda: metric("COCO")),
    refused(
        "'VOC07' until 2009, and 'interpolated_average_precision' from 2010", lambda: metric("VOC")
    ),
    refused("can't be averaged over queries: use 'nDCG@10'", lambda: metric("dcg@10")),
    refused("CalcBEDROC, or 'EF@1%'", lambda: metric("BEDROC")),
    refused(
        "whether 'EF1' means a percentage, as 'EF@1%' does, or a number", lambda: metric("EF1")
    ),
    refused("'precision' needs a cutoff, as in 'P@10'", lambda: metric("precision")),
    refused("The 'name' parameter of metric must be", lambda: metric(3)),
    refused(
        "' instead. The area under the ROC curve ... use sklearn.metrics.roc_auc_score",
        lambda name: metric(name),
        ["AUROC", "roc_auc_score"],
    ),
    refused(
        "' depends on a threshold ... : use sklearn.metrics",
        lambda name: metric(name),
        ["f1", "accuracy"],
    ),
    refused(
        "Got 'specificity' instead. The specificity ... recall_score(y_true, y_score >=",
        lambda: metric("specificity"),
    ),
    refused(
        "' instead. Sensitivity is recall, which ... as in 'R@1%'",
        lambda name: metric(name),
        ["sensitivity", "sensitivity@1%"],
    ),
    refused(
        "Got 'sens_at_90_spec' instead. The sensitivity at a specificity",
        lambda: metric("sens_at_90_spec"),
    ),
    refused(
        "Got 'PPV' instead. The positive predictive value is precision, ... as in 'P@1%'",
        lambda: metric("PPV"),
    ),
    refused(
        "Got 'lift' instead. The lift is the enrichment factor, which ... as in 'EF@1%'",
        lambda: metric("lift"),
    ),
    refused(
        "Got 'WSS@95' instead. Work saved ... operating_point returns, for WSS@95",
        lambda: metric("WSS@95"),
    ),
    refused(
        "Got 'logAUC' instead. logAUC is ... oddt.metrics.roc_log_auc, or 'EF@1%'",
        lambda: metric("logAUC"),
    ),
    refused("Got 'auc' instead. 'auc' is the area under some curve", lambda: metric("auc")),
    refused(
        'overlap (IoU) ... "Object detection (mAP)"',
        lambda value: metric(value),
        [
            "mAP@.5",
            "MAP@0.75",
            "Mean average precision at 0.5",
            "AP75",
            "mAP@0.5:0.95",
            "mAP (IoU=0.5)",
            "AP@[.50:.05:.95]",
            "mAP@[0.5, 0.95]",
            "mAP50-95",
        ],
    ),
    # Options of metrics
    refused("k is already given in the name 'P@10'", lambda: metric("P@10", k=5), error=TypeError),
    refused(
        "{'sampleweight'}. Did you mean 'sample_weight'?",
        lambda: metric("P@10", sampleweight=Y),
        error=TypeError,
    ),
    refused(
        "has no option {'wat'}; it has { ... 'sample_weight'",
        lambda: metric("P@10", wat=Y),
        error=TypeError,
    ),
    refused("has no option {'data'}", lambda: metric("P@10", data={}), error=TypeError),
    refused("needs the option min_recall", lambda: metric("precision_at_recall"), error=TypeError),
    refused("no closed form", lambda: metric("AP@3", denominator="hits", ties="expected")),
    refused("The 'sample_weight' parameter of metric", lambda: metric("P@10", sample_weight=3)),
    refused("The 'average' parameter of metric must", lambda: metric("P@10", average="mean")),
    refused(f"Got '{99 * 'm'}... instead.", lambda: metric("P@10", average=1000 * "m")),
    refused(
        "doesn't say the number k: write it, as in 'mean_precision_at_10', or pass",
        lambda: metric("mean_precision_at_k"),
    ),
    refused(
        "got an unexpected keyword argument ... For the top k, use average_precision_at_k_score(",
        lambda name: AP(Y, S, **{name: 5}),
        ["k", "top_k", "topk", "at_k"],
        error=TypeError,
    ),
    refused(
        "'. Did you mean 'k'?",
        lambda name: P(Y, S, **{name: 5}),
        ["top_k", "topk", "at_k"],
        error=TypeError,
    ),
    refused("k is already given in", lambda: metric("P@2")(Y, S, k=3), error=TypeError),
    refused(
        "in metric('precision_at_k', k=7)",
        lambda: confidence_interval(Y, S, metric=metric("precision_at_k", k=7), k=3),
        error=TypeError,
    ),
    refused("y_true", lambda: metric("AP")(object(), Y, S), error=TypeError),
    refused(
        "MTEB's 'map_at_10' divides by all relevant documents: write 'map_cut_10', as in trec_eval",
        lambda: metric("map_at_10"),
    ),
    refused(
        "use 'R-precision'. ... write it, as in 'P@10'.",
        lambda value: metric(value),
        ["P@n", "precision_at_n", "prec@n"],
    ),
    refused(
        "takes no average",
        lambda: metric("AP").by_name(Y, S, groups=GROUPS, average="macro"),
        error=TypeError,
    ),
    refused("pass groups=", lambda: metric("mean P@2")(Y, S)),
    refused(
        "' is a mean over groups: pass groups=",
        lambda name: confidence_interval(Y, S, metric=name),
        ["MRR", "MAP@10", "Mean precision at 5"],
    ),
    refused(
        "must be the name of a metric",
        lambda: confidence_interval(Y, S, metric="P@5 per day (min_grade=2)"),
    ),
    refused(
        "sample_weight of make_ap_scorer must be True, or the name under which you pass them",
        lambda: make_ap_scorer(metric("R@10", sample_weight=Y)),
        error=TypeError,
    ),
    # Masks
    refused(
        "y_true is a masked array",
        [
            lambda: AP([*LABELS[:2], hide(LABELS[2])], SCORES),
            lambda: boosting.lightgbm_metric()(hide([0, 1, 1]), S[:3]),
        ],
    ),
    refused("y_score is a masked array", lambda: AP(LABELS, [*SCORES[:2], hide(SCORES[2])])),
    refused(
        "n_positives is a masked array", lambda: AP(LABELS, SCORES, n_positives=hide([5, 6, 7]))
    ),
    refused(
        "y_true contains numpy.ma.masked",
        lambda value: AP(value, [1, 2, 3], pos_label="a"),
        [
            row
            for other in "abc"
            for row in (["a", np.ma.masked, other], ("a", other, np.ma.masked))
        ],
    ),
    # Segments
    refused("There are 4 in y_true and 3 in by", lambda: reported(Y, S, by=["a", "b", "a"])),
    refused(
        "by has no segments: all of its values are m",
        lambda: reported(Y, S, by=[None, NAN, None, None]),
    ),
    refused("by is an empty mapping. Map each group to its segment", lambda: reported(Y, S, by={})),
    refused(
        "which isn't the name of a segment. Use `by=np.where(mask",
        lambda value: reported(Y, S, by={"a": value}),
        [[0, 1], np.array([True] * 4), ["a", "b", "a", "b"]],
    ),
    refused(
        "by={'a': 'x'} maps groups to segments, but there are no gr",
        lambda: reported(Y, S, by={"a": "x"}),
    ),
    refused(
        "by has 200 different values among 2",
        lambda: reported(Y * 50, np.arange(200), by=np.arange(200)),
    ),
    refused("by must be hashable", lambda: reported(Y, S, by=[[1], [2]] * 2), error=TypeError),
    refused(
        "The 'by' parameter of report must be an array-",
        lambda by: reported(Y, S, by=by),
        ["abc", 3],
        error=TypeError,
    ),
    refused(
        "The 'joint' parameter of report",
        lambda joint: reported(Y, S, by=GROUPS, joint=joint),
        [1, "no"],
        error=TypeError,
    ),
    refused(
        "min_positives says which segments are judged, but there are none. Pass by=, or leave",
        lambda: reported(Y, S, min_positives=2),
    ),
    refused(
        "n_positives is one number for all rows, so nothing says in which segment",
        lambda: reported(Y, S, by=GROUPS, n_positives=9),
    ),
    refused(
        " 'a' has rows in several segments ... Pass by with one value for all rows of",
        [
            lambda: reported(Y, S, by=[1, 2, 1, 2], groups=GROUPS, n_positives={"a": 3, "b": 4}),
            lambda: reported(Y, S, by=[1, 2, 1, 2], clusters=GROUPS, n_positives={"a": 3, "b": 4}),
            lambda: reported(Y, S, by=[1, None, 2, 2], groups=GROUPS, n_positives={"a": 3, "b": 4}),
        ],
    ),
]

test_refused = refuses(REFUSED)


# What is refused of several models
WRONG_SCORES = {
    "missing": lambda scores: [None, *scores[1:]],
    "nan": lambda scores: [np.nan, *scores[1:]],
    "infinite": lambda scores: [np.inf, *scores[1:]],
    "text": lambda scores: ["0.5", *scores[1:]],
    "complex": lambda scores: scores + 1j,
    "dates": lambda scores: np.arange(len(scores)).astype("M8[s]"),
    "two columns": lambda scores: np.stack([scores, scores], axis=1),
    "too few": lambda scores: scores[1:],
    "too many": lambda scores: [*scores, 0.5],
    "empty": lambda scores: scores[:0],
}


@pytest.mark.sweep(5)
@pytest.mark.parametrize("given", [
    {},
    {"groups": "query"},
    {"sample_weight": "mass"},
    {"groups": "query", "sample_weight": "mass"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("wrong", WRONG_SCORES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_scores_of_another_model_are_refused_as_those_of_the_first(wrong, given):
    """Labels, groups and weights are read with the first model, but each error knows them."""
    given = given | {"data": ROWS | {"wrong": WRONG_SCORES[wrong](ROWS["other"])}}
    for function in (compare, report, hit_curve, partial(operating_point, min_recall=0.5)):
        with pytest.raises(ValueError, match="y_score") as first:
            function("label", ["wrong", "score"], **given)
        with pytest.raises(ValueError, match="y_score") as other:
            function("label", ["score", "wrong"], **given)
        assert str(other.value) == str(first.value)
