"""What is refused, and in which words: labels, scores, weights, classes, groups and options."""

from datetime import date
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd

import sklearn_ap as ap
from sklearn_ap import boosting, compat
from sklearn_ap.core.rules import Step
from sklearn_ap.streaming import MetricAccumulator, score_chunks

from .errors import (
    AP,
    CURVES,
    EVERY,
    GROUPS,
    INF,
    INTERVAL,
    LABELS,
    MAP,
    NAN,
    POINT,
    REPORT,
    SCORES,
    TEXT,
    P,
    S,
    Y,
    cases,
    each,
    grouped,
    refuses,
    stream,
)
from .registry import AT_A_K, PLAIN
from .test_passes import Lists, evaluate

AP_AT_K = ap.average_precision_at_k_score
# fmt: off
MEANS = [MAP, AP, INTERVAL, partial(compat.identify, "0.5"),
         lambda y, s, **given: REPORT(y, {"a": s}, metrics=["AP"], **given)]
K = [
    P, POINT, partial(compat.identify, "0.5"),
    lambda y, s, k: ap.metric("precision_at_k", k=k),
    lambda y, s, k: ap.make_ap_scorer("precision_at_k", k=k),
]
SHARES = [
    lambda share: ap.precision_at_recall_score(Y, S, min_recall=share),
    lambda share: POINT(Y, S, min_precision=share),
    lambda share: ap.metric("recall_at_precision", min_precision=share),
    lambda share: INTERVAL(Y, S, confidence_level=share),
]
# fmt: on
FRAME = pd.DataFrame({"cat": [1, 0, 1], "dog": [0, 1, 1], "eel": [1, 0, 0]})
X = np.arange(20.0).reshape(-1, 1)
LONG = np.arange(270_000) % 2
LATE = np.append(np.ones(LONG.size - 1), NAN)
MOMENT = np.datetime64(1, "ns")
DAYS = np.array(["2026-01-01", "2026-01-02"] * 2, dtype="M8[D]")


STREAM, BINNED = stream(Y, S), stream([0, 1] * 20, range(40), n_bins=2)
OPEN = stream([1, 0, 0, 0], [8.0, 1.75, 1.5, 1.25], [1.0, 1.0, 5.0, 9.0], n_bins=2)
hide = partial(np.ma.array, mask=[False, True, False])
COLUMNS = {"y_true": np.array(Y), "y_score": np.array(S), "sample_weight": np.array([1.0, 2, 3, 1]),
           "groups": np.array(GROUPS)}  # fmt: skip


def apply(function, y_true, y_score):
    return function(y_true, y_score)


def scored(function, y_score):
    return function(Y, y_score)


def chunks(name):
    """Pass a chunk of which a value is hidden, as Dask passes it on."""
    hidden = np.ma.array(COLUMNS[name], mask=[False, True, False, False])
    chunk = list((COLUMNS | {name: hidden}).values())
    evaluate(Lists([chunk], COLUMNS), Step("grouped"), average=None)


def objects(*values):
    return np.array(values, dtype=object)


MISSING_GRADE = (
    "contains NaN, None or another missing value. Leave out the samples without a grade, or assign "
    "one. This concerns 1 of 3 rows, the first of them row 0 (counted from 0). In search, "
    "documents that nobody judged count as not relevant: give them grade 0."
)

# fmt: off
REFUSED = {
    "shapes": [
        *cases(EVERY, apply, ([], [], "0 sample(s)"),
               (np.array([]), np.array([]), "0 sample(s)"),
               (Y, S[:3], "inconsistent numbers of samples: [4, 3 ... 4 in y_true and 3 in y_scor"),
               (Y, np.array(0.5), "should be a 1d array")),
        *cases(PLAIN, apply, (*np.ones((2, 2, 2, 2)), "format is not supported")),
    ],
    "labels": [
        *cases(EVERY, apply,
               ([0, 1, NAN, 1], S, "Input y_true contains NaN. ... 1 of 4 rows, ... row 2 ("),
               ([0.5, 1.2, 0.1, 1], S, "continuous format is not supported"),
               (np.array([0.5, 1.0, 0.5, 1.0]), S, "continuous format is not supported")),
        *cases([*PLAIN, grouped], apply,
               (TEXT, S, "pos_label=1 is not a valid label ... . Pass the positive one, as "
                "pos_label='ham' or pos_label='spam'.")),
        *cases(CURVES, apply, (TEXT, S, "pos_label=1 is not a valid label ... pos_label='ham'"),
               ([0, 1, 2, 1], S, "more than two labels ... as y_true == label")),
        *cases([AP], apply,
               ([[1, 0], [None, 1], [1, 1]], np.eye(3)[:, :2], "Input y_true contains NaN"),
               ([0, 1, 2], S[:3], "If they are grades, pass min_grade="),
               (["a", "b", "c"], S[:3], "pass all of them as classes=.")),
        ("grades with groups", each([MAP, AP], lambda f: f([0, 1, 2, 0], S, groups=GROUPS)),
         "For grades, pass min_grade, the lowest grade"),
    ],
    "min_grade": [
        *cases([AP, ap.metric_bounds], lambda f, grades: f(grades, S[:len(grades)], min_grade=2),
               *(([grade, 1, 2], MISSING_GRADE)
                 for grade in (NAN, None, Decimal("nan"), Decimal("snan"))),
               ([1, INF, 2], "Input y_true contains infinity. Grades must"),
               (["1", "2", "3"], "but y_true contains '1'. Convert the grades to numbers"),
               (objects(1, "2", 3), "but y_true contains '2'"),
               (np.array([1, 2, 3], dtype="M8[s]"), "compares numbers, but y_true contains"),
               ([[1, 2], [2, 3], [0, 1]], "one column of grades ... has shape (3, 2)"),
               ([], "Found array with 0 sample(s) in y_true")),
        (each([AP, ap.metric_bounds], lambda f: f(Y, S, min_grade=2, pos_label="a")),
         "pos_label='a' and min_grade=2 both define which"),
        ("classes", lambda: AP([1, 2, 3], S[:3], classes=[1, 2, 3], min_grade=2),
         "min_grade=2 is for grades, and classes is"),
    ],
    "min_grade of a stream": [
        ("missing", lambda: stream([1, NAN], [1, 2], min_grade=0.5), "y_true contains"),
        ("another one", lambda: stream(Y, S, min_grade=2).merge(stream(Y, S, min_grade=3)),
         "different positive labels, min_grade="),
        (lambda: MetricAccumulator(pos_label=0, min_grade=2), "pos_label=0 and min_grade=2 both"),
    ],
    "labels and scores that are swapped": [
        *cases(EVERY, lambda f, labels: f([0.5, 0.2, 0.9], labels),
               *((labels, "continuous format is not supported. y_true and y_score look swapped")
                 for labels in ([0, 1, 1], [1.0, 1.0, 1.0], [-1, 1, -1], ["b", "a", "b"]))),
        (lambda: AP([[0.5, 0.1], [0.1, 0.2]], [[0, 1], [1, 0]]), "continuous ... look swapped"),
        ("in a stream", lambda: stream([0.5, 0.2, 0.9], [0, 1, 1]), "continuous ... look swapped"),
    ],
    "scores": [
        *cases(EVERY, scored,
               ([0.1, NAN, 0.2, NAN], "Input y_score contains NaN. ... 2 of 4 rows, ... row 1 ("),
               ([0.1, INF, 0.2, 0.3], "Input y_score contains infinity"),
               (np.array([0.1, -INF, 0.2, 0.3]), "Input y_score contains infinity"),
               (objects(1, NAN, 2**70, 3), "Input y_score contains NaN"),
               (objects(1, INF, 2**70, 3), "Input y_score contains ... infinity"),
               (DAYS, "y_score must contain numbers"),
               (["a", "b", "c", "d"], "y_score must contain numbers"),
               ([None, 1, 2, 3], "y_score must contain numbers"),
               (np.array([1j, 2, 3, 4]), "Complex data not supported")),
        *cases([*MEANS[1:], ap.hit_curve, stream], scored,
               *((labels, "Are these labels? y_score needs what predict_proba or decision_function "
                  "returns") for labels in (TEXT, objects(*TEXT))),
               (["0.1", "0.2", "1", "nan"], "Convert your data to numeric values explicitly")),
        *cases([AP], apply, *((Y[:2], [Decimal(missing), other], words)
                              for other in (Decimal(1), 2)
                              for missing, words in (
                                  ("nan", "NaN"), ("sNaN", "NaN"), ("inf", "infinity"),
                                  ("1e400", "infinity"))),
               *((Y[:2], scores, f"contains times ({unit}). To rank {first} ones higher, pass "
                  "np.asarray(y_score).astype('int64').")
                 for scores, unit, first in (
                     (np.array([1, 2], "M8[s]"), "datetime64[s]", "later"),
                     ([MOMENT, MOMENT], "datetime64[ns]", "later"),
                     (np.array([1, 2], "m8[D]"), "timedelta64[D]", "longer"),
                     (pd.Series([1, 2], dtype="m8[s]"), "timedelta64[s]", "longer"))),
               *((Y[:2], [moment] * 2, "contains times, such as ... to numbers in one unit")
                 for moment in (date(2026, 1, 1), pd.Timestamp(1), pd.Timedelta(1))),
               (Y[:2], np.array([[1], ["NaT"]], "m8[D]"), "contains missing values. ... row 1 ("),
               *((Y[:2], scores, "contains long doubles that float64 can't ... astype(float)")
                 for scores in (objects(np.longdouble("0.1"), 1),
                                np.nextafter(np.ones(2, np.longdouble), 2))),
               (Y, pd.Series([1, 2, None, 3], dtype="Int64"), "y_score contains NaN"),
               (LABELS, np.where(LABELS, NAN, 1), "y_score ... contains NaN"),
               (LABELS, np.where(LABELS, NAN, 1).astype(object), "y_score ... contains NaN"),
               (LONG, LATE, "Input y_score contains NaN"),
               (np.c_[LONG, LONG], np.c_[LONG, LATE], "y_score: ... contains NaN ... row 269999")),
    ],
    "scores of both classes": [
        *cases(EVERY, apply,
               (Y, np.c_[S, S], "Pass the column of the positive class, as y_score[:, 1]")),
        *cases([AP], lambda f, labels, label: f(labels, np.ones((3, 2)), pos_label=label),
               ([-1, 1, 1], 1, "y_score[:, list(model.classes_).index(1)]"),
               ([0, 1, 1], 0, "as y_score[:, list(model.classes_).index(0)]"),
               (["ok", "ok", "ok"], "fraud", "y_score[:, list(model.classes_).index('fraud')]")),
    ],
    "columns": [
        *cases(PLAIN, lambda f, scores: f(LABELS, scores),
               (SCORES[:, :2], "one column for each column of y_true"),
               (SCORES[:2], "inconsistent"),
               (SCORES[:, 0], "Expected 2D array"),
               ([SCORES[:, :2]] * 3, "np.column_stack")),
        (each(PLAIN, lambda f: f(LABELS, SCORES, pos_label=0)), "pos_label is fixed to 1"),
    ],
    "columns that are called like labels": [
        *cases([AP, INTERVAL], lambda f, names, options: f(
                   ["a", "b", "c"], pd.DataFrame(SCORES, columns=[*names]), **options),
               ("abx", {}, "called ['a', 'b', 'x'], like labels in y_true, but none like ['c']"),
               ("abx", {}, "If the names have another meaning, pass classes="),
               ("cba", {"classes": [*"abc"]}, "but classes=['a', 'b', 'c'] names them in another")),
        ("twice", lambda: AP(["a", "b", "a"], pd.DataFrame(SCORES, columns=[*"abb"])),
         "but two are called the same"),
        ("in data", lambda: AP("y", ["a", "b", "x"],
                               data={"y": [*"abc"], "a": S[:3], "b": S[:3], "x": S[:3]}),
         "(y_score are the columns ['a', 'b', 'x'])"),
        ("binary", lambda: AP(["a", "b", "a"], pd.DataFrame(SCORES[:, :2], columns=[*"ab"]),
                              pos_label="a"), "Pass the column of the positive class"),
    ],
    "classes": [
        *cases([AP], lambda f, labels, classes: f(labels, SCORES, classes=classes),
               ([0, 1, 5], [0, 1, 2], "labels [5] that are not in classes"),
               ([0, 1, 1], [0, 1, 1], "at least two labels, without duplicates"),
               ([0, 0, 0], [0], "at least two labels, without duplicates"),
               ([0, 1, 1], [0, 1, 2, 3], "y_score.shape=(3, 3)"),
               ([0, 1, 1], None, "pass classes="),
               (LABELS, [0, 1, 2], "classes is only for multiclass")),
        (lambda: AP([0, 1, 2], SCORES, pos_label=2), "pos_label is fixed to 1 for multiclass"),
        *cases([ap.make_ap_scorer], lambda f, classes, label: f(classes=classes, pos_label=label),
               ([*"abc"], "a", "pos_label='a' is for two classes ... y == 'a'"),
               ([*"ab"], "c", "pos_label='c' is not one of the classes ['a', 'b']")),
    ],
    "weights": [
        *cases(EVERY, lambda f, weights: f(Y, S, sample_weight=weights),
               ([1, -1, 1, 1], "Negative values in data passed to `sample_weight`"),
               *((weights, "sample_weight must contain numbers, but its dtype is ... explicitly")
                 for weights in (["1", "2", "3", "4"], pd.Series(["1", "2", "3", "4"]), DAYS,
                                 objects("1", "2", "3", "4"), DAYS - DAYS[0])),
               ([1, 2, -1e-10, 1], "Negative values in data passed to `sample_weight`"),
               ([0, 0, 0, 0], "Sample weights must contain at least one non-zero number."),
               ([1, 1, 1, NAN], "Input sample_weight contains NaN. ... 1 of 4 rows, ... row 3 ("),
               ([1, 1, 1, INF], "Input sample_weight contains infinity"),
               ([1e308] * 4, "Scale the weights down"),
               ([1, 1, 1], "numbers of samples: [4, 4, 3]. ... and 3 in sample_weight"),
               (np.ones((4, 2)), "should be a 1d array"),
               (list("abcd"), "sample_weight must contain numbers, but its dtype")),
        (lambda: AP(LONG, LONG, sample_weight=LATE), "Input sample_weight contains NaN"),
        ("an infinite sum in a mean", lambda: AP(
            [[1, 1]] * 8, np.ones((8, 2)), average="weighted", sample_weight=[2.2e307] * 8),
         "Scale the weights down"),
        *cases([AP, *AT_A_K, grouped], lambda f, ties: f(Y, S, ties=ties, sample_weight=[1] * 4),
               *((ties, "not available with sample_weight")
                 for ties in ("expected", "best", "worst")), name="with ties"),
    ],
    "weights of metrics of the first positive": [
        (f"{metric} of {name}", call,
         "is not available with sample_weight, because it looks for one single sample")
        for metric in ("reciprocal_rank", "hit_rate_at_k")
        for name, call in {
            "a ranking": partial(ap.metric(metric), Y, S, sample_weight=[1, 2, 1, 1]),
            "groups": partial(ap.metric(metric), Y, S, sample_weight=[1, 2, 1, 1], groups=GROUPS),
            "an interval": partial(INTERVAL, Y, S, metric=metric, sample_weight=[1, 2, 1, 1]),
            "a stream": partial(stream(Y, S, [1, 2, 1, 1]).result, metric),
            "a stream of groups": partial(stream(Y, S, [1, 2, 1, 1], groups=GROUPS).result, metric),
        }.items()
    ],
    "a single ranking": [
        (f"{metric} in {function.__name__}", call, "a single ranking doesn't tell ... Pass groups=")
        for metric in ("reciprocal_rank", "hit_rate_at_3")
        for function, call in {
            INTERVAL: partial(INTERVAL, Y, S, metric=metric),
            ap.compare: partial(ap.compare, Y, S, S[::-1], metric=metric),
        }.items()
    ],
    "groups": [
        *cases([MAP], lambda f, options: f(Y, S, **options),
               ({}, "groups"), ({"groups": [[1], [2], [3], [4]]}, "hashable"), error=TypeError),
        *cases([MAP], lambda f, groups: f(Y, S, groups=groups),
               (np.ones((4, 2, 2)), "groups: Found array with dim 3"),
               ((["a", "b", "b"], [1, 2, 1, 1]), "columns of groups must have the same length"),
               ((GROUPS, ["a", None, "b", "b"]), "groups contains missing values"),
               (([1, 2],) * 2, "There are 4 in y_true and 2 in groups"),
               ([("a", NAN), "b", "b", ("a", NAN)], "missing values"),
               ([("a", np.datetime64("NaT", "D")), "b", "b", "b"], "missing values")),
        (lambda: INTERVAL(Y, S, groups=[[1], [2]] * 2, clusters=Y, n_positives={(1, 2): 3}),
         TypeError, "groups must be hashable"),
        (lambda: ap.metric_bounds(Y, S, groups=GROUPS, average=None), "bounds are those of a mean"),
        *cases(PLAIN, lambda f, groups: f(Y, S, groups=groups),
               (GROUPS[:3], "inconsistent numbers of samples: [4, 3]. ... 3 in groups"),
               (["a", None, "b", "b"], "groups contains missing values")),
        *cases(PLAIN, lambda f, y, s: f(y, s, groups=GROUPS[:len(y)]),
               (LABELS, SCORES, "With groups, y_true must be binary"),
               ([0, 1, 2, 1], S, "With groups, y_true must be binary")),
        *cases([*PLAIN, MAP], lambda f, average: f(Y, S, groups=GROUPS, average=average),
               ("samples", "one of (None, 'macro', 'weighted')"),
               ("micro", "one of (None, 'macro', 'weighted')")),
        (lambda: MAP([0, 1], [1, 2], groups=[np.datetime64("9999-12-31"), MOMENT]),
         "groups mixes NumPy's datetimes or timedeltas of several units"),
        *cases([MAP], lambda f, other: f([0, 1], [1, 2], groups=objects(MOMENT, other)),
               *((other, "groups mixes NumPy's datetimes")
                 for other in (1, date(2020, 1, 1), np.timedelta64(1, "ns"), "2020-01-01")),
               *((other, "missing values") for other in (None, np.datetime64("NaT", "D"), NAN)),
               name="times and"),
    ],
    "n_positives": [
        ("less than the weight", lambda: AP(Y, S, sample_weight=[1, 0.5, 1, 0.25], n_positives=0.5),
         "already contains 0.75"),
        (lambda: AP([0, 1, 2], SCORES, n_positives=3), "one number for each of the 3 columns"),
        (lambda: AP(FRAME, SCORES, n_positives=pd.Series([2, 4, 3], index=["cat", "dog", "cow"])),
         "numbers for ['cat', 'dog', 'cow'], but the columns"),
        *cases([lambda exist: AP(Y, S, n_positives=exist),
                lambda exist: stream(Y, S).result(n_positives=exist),
                lambda exist: AP(Y, S, groups=[1] * 4, n_positives={1: exist})],
               lambda f, exist: f(exist),
               *((exist, "in the range [0, 2**53]")
                 for exist in (10**40, Decimal("nan"), Decimal("sNaN"), Decimal(-1), "3"))),
        ("400 digits", lambda: AP(Y, S, n_positives=10**400), "in the range [0, 2**53]"),
        ("a Series for one ranking", lambda: AP(Y, S, n_positives=pd.Series([1, 2])), "a Series"),
        (each(MEANS, lambda f: f(Y, S, groups=["301", "302"] * 2, n_positives={301: 1, 302: 2})),
         "no number for the group '301' ... Its keys look like 301. Convert the keys"),
        (each(MEANS, lambda f: f(Y, S, groups=[1, 2] * 2, n_positives=pd.Series({"1": 1, "2": 2}))),
         "no number for the group 1, ... Its keys look like '1'. Convert the keys"),
        *cases(PLAIN, lambda f, exist: f(Y, S, groups=GROUPS, n_positives=exist),
               ({"a": 1}, "n_positives has no number for the group 'b' ... each group."),
               ({("a", 1): 1, ("b", 1): 1}, "no number for the group 'a' ... look like ('a', 1). "
                "If these are pairs (group, cluster), add up"),
               ({"a": 1, "b": 0}, "n_positives=0 for 'b' is too small: ... already contains 1"),
               ({"b": 1, "a": -1}, "in the range [0, 2**53]. Got -1 for 'a'"),
               ({"a": 1, "b": 1.5}, "n_positives=1.5 must be an integer, because there is no samp"),
               ({"a": 1, "b": NAN}, "Got nan for 'b'"),
               ({}, "n_positives is empty"),
               (5, "a mapping or a pandas Series from each group ... Got int"),
               ([1, 1], "a mapping or a pandas Series from each group ... Got list"),
               (pd.Series([1, 1, 1], index=["a", "b", "a"]), "names a group twice"),
               name="of groups"),
        (each(PLAIN, lambda f: f(Y, S, n_positives={"a": 1, "b": 1})), "no groups. Pass groups="),
        (each(PLAIN, lambda f: f(Y, S, n_positives=[1, 1])), "must be one number here. Got [1, 1]"),
        *cases(PLAIN, lambda f, exist, average:
               f(LABELS, SCORES, n_positives=exist, average=average),
               ([1, 2], "macro", "one number for each of the 3 columns here. Got [1, 2]"),
               (3, "macro", "one number for each of the 3 columns"),
               ([1, 2, 1], "micro", "must be one number here"),
               ([1, 2, 0], None, "n_positives=0 for column 2 is too small: ... already contains 1"),
               ([1, 2, NAN], None, "Got nan for column 2"),
               ({0: 1, 1: 2, 2: 1}, None, "there are no groups"),
               (np.ones((2, 2)), None, "n_positives"), name="of columns"),
        (lambda: INTERVAL(Y, S, clusters=["301", "302"] * 2, n_positives={301: 1, 302: 2}),
         "no number for '302' ... Its keys look like 301."),
        ("numbers as keys for days", lambda: MAP(Y, S, groups=DAYS, n_positives={1: 1, 2: 1}),
         "need times as the keys of n_positives"),
        *cases([STREAM.result, STREAM.bounds, STREAM.confidence_interval],
               lambda f, exist: f(n_positives=exist),
               ({1: 5}, "there are no groups"), (pd.Series([5, 6]), "must be one number"),
               name="of a stream"),
    ],
    "options": [
        ("a frame", lambda: AP(Y, S, pos_label=pd.DataFrame({"a": range(50)})), "a DataFrame"),
        (each([AP_AT_K, grouped], lambda f: f(Y, S, k=2, denominator="hits", ties="expected")),
         "denominator='hits' is not available with ties='expected'"),
        *cases(K, lambda f, k: f(Y, S, k=k),
               *((k, f"'k' parameter ... Did you mean {meant}?") for k, meant in [
                   (10.0, 10), (np.float64(20), 20), ("10", 10), ("1%", 0.01), ("0.5 %", 0.005),
                   ("0.1", 0.1)]), name="k"),
        *cases(SHARES, lambda f, share: f(share),
               *((share, f"' parameter ... Did you mean {meant}?") for share, meant in [
                   (80, 0.8), (99.5, 0.995), ("80%", 0.8), ("80", 0.8), ("0.8", 0.8)]),
               name="a share of"),
        (lambda: POINT(Y, S, min_recall=100), "'min_recall' parameter ... Did you mean 1.0?"),
    ],
    "n_points of means": [
        (lambda: MAP(Y, S, groups=GROUPS, n_points=11, k=5), "n_points=11 and k=5 can't be"),
        (lambda: ap.metric("MAP@5", n_points=11), "n_points=11 and k=5 can't be combined"),
        ("ties", lambda: MAP(Y, S, groups=GROUPS, n_points=11, ties="best"),
         "ties='best' is not available with n_points"),
    ],
    "prevalence": [
        *((f"k={k} in {name}", call, f"k={k} can't be a total weight")
          for name, k, call in [
              ("a metric", 10, lambda: P(Y, S, k=10, prevalence=0.1)),
              ("its default", 10, lambda: AP_AT_K(Y, S, prevalence=0.1)),
              ("a report", 9, lambda: REPORT(Y, {"a": S}, metrics=["P@9"], prevalence=0.1)),
              ("a metric of a report", 5,
               lambda: REPORT(Y, {"a": S}, metrics=[ap.metric("P@5", prevalence=0.1)])),
              ("a threshold", 5, lambda: POINT(Y, S, k=5, prevalence=0.1)),
              ("an explanation", 5, lambda: compat.explain(Y, S, k=5, prevalence=0.1)),
              ("a stream", 5, lambda: stream(Y, S, n_bins=2).bounds("P@5", prevalence=0.1)),
          ]),
        ("ties", lambda: AP(Y, S, ties="best", prevalence=0.1), "with prevalence, bec"),
        (lambda: ap.reciprocal_rank_score(Y, S, prevalence=0.1), "leave prevalence out"),
        (lambda: ap.hit_rate_at_k_score(Y, S, k=10, prevalence=0.1), "leave prevalence out"),
        ("a percentage", lambda: AP(Y, S, prevalence=10), "Did you mean 0.1?"),
        ("nearly 0", lambda: AP(Y, S, prevalence=1e-308), "prevalence=1e-308 is too small"),
        ("a label too few", lambda: AP(Y[:3], np.array(S), prevalence=0.1), "and 4 in y_score."),
        (lambda: AP(LABELS, SCORES, prevalence=0.1), "prevalence is only for binary y_true"),
        (lambda: stream(Y, S, groups=GROUPS).result("P@3", k_counts="samples", prevalence=0.1),
         "needs all rows of the groups"),
    ],
    "options that a function lacks": [
        (lambda: AP(Y, S, clusters=Y), TypeError, "Only intervals and comparisons depend on"),
        (lambda: ap.get_scorer("AP", clusters=Y), TypeError, "Only intervals"),
        (lambda: ap.hit_curve(Y, S, average="macro"), TypeError, "there is nothing to average"),
        (lambda: ap.hit_curve(Y, S, zero_division=0), TypeError, "A curve has no single value"),
        ("classes in bounds", lambda: ap.metric_bounds(Y, S, classes=[0, 1]),
         TypeError, "evaluate one class at a time, as in y_true == label"),
        (lambda: compat.explain(Y, S, zero_division=0), TypeError, "is part of what it reports"),
        (lambda: compat.sklearn_average_precision_score(Y, S, groups=GROUPS),
         TypeError, "of scikit-learn has no such"),
        ("pos_label in an update", lambda: MetricAccumulator().update(Y, S, pos_label=1),
         TypeError, "when you create the MetricAccumulator"),
        (lambda: stream(Y, S).result(groups=GROUPS), TypeError, "to update"),
        (lambda: score_chunks([lambda: (Y, S)], groups=GROUPS), TypeError, "whose update takes"),
    ],
    "names of metrics": [
        *cases([ap.metric], lambda f, name: f(name),
               ("aucpr", "'AP' connects them by steps, and 'linear' by straight lines"),
               ("PR-AUC", "compat.identify"),
               ("COCO", "'101-point', with the classes as groups, over overlaps"),
               ("VOC", "'11-point' until 2007, and 'interpolated_average_precision' from 2010"),
               ("ndcg@10", "use sklearn.metrics.ndcg_score"),
               ("BEDROC", "CalcBEDROC, or 'EF@1%'"),
               ("EF1", "whether 'EF1' means a percentage, as 'EF@1%' does, or a number"),
               ("MRR@10", "no cut-off here"),
               ("precision", "'precision' needs a cut-off, as in 'P@10'"),
               (3, "The 'name' parameter of metric must be"),
               *((name, f"Got {name!r} instead. {advice}") for name, advice in (
                   ("AUROC", "The area under ... use sklearn.metrics.roc_auc_score"),
                   ("roc_auc_score", "The area under the ROC curve"),
                   ("f1", "'f1' depends on a threshold: use sklearn.metrics.f1_score"),
                   ("accuracy", "'accuracy' depends on a threshold"),
                   ("specificity", "The specificity ... recall_score(y_true, y_score >="),
                   ("sensitivity", "Sensitivity is recall, which ... as in 'R@1%'"),
                   ("sensitivity@1%", "Sensitivity is recall: 'R@1%' is the recall in the top 1%."),
                   ("sens_at_90_spec", "The sensitivity at a specificity"),
                   ("PPV", "The positive predictive value is precision, ... as in 'P@1%'"),
                   ("gain", "The gain is the fraction of positives found, which is recall"),
                   ("gain@10%", "The gain ... 'R@10%' is that of the top 10%."),
                   ("lift", "The lift is the enrichment factor, which ... as in 'EF@1%'"),
                   ("WSS@95", "Work saved ... operating_point returns, for WSS@95"),
                   ("logAUC", "logAUC is ... oddt.metrics.roc_log_auc, or 'EF@1%'"),
                   ("auc", "'auc' is the area under some curve"))),
               *((name, 'overlap (IoU) ... "Object detection (mAP)"') for name in (
                   "mAP@.5", "MAP@0.75", "Mean average precision at 0.5", "mAP (IoU=0.5)", "AP75",
                   "AP@[.50:.05:.95]", "mAP@0.5:0.95", "mAP@[0.5, 0.95]", "mAP50-95"))),
    ],
    "options of metrics": [
        *cases([ap.metric], lambda f, name, options: f(name, **options),
               ("P@10", {"k": 5}, "k is already given in the name 'P@10'"),
               ("P@10", {"sampleweight": Y}, "{'sampleweight'}. Did you mean 'sample_weight'?"),
               ("P@10", {"wat": Y}, "has no option {'wat'}; it has { ... 'sample_weight'"),
               ("P@10", {"data": {}}, "has no option {'data'}"),
               ("precision_at_recall", {}, "needs the option min_recall"), error=TypeError),
        *cases([ap.metric], lambda f, name, options: f(name, **options),
               ("AP@3", {"denominator": "hits", "ties": "expected"}, "no closed form"),
               ("P@10", {"sample_weight": 3}, "The 'sample_weight' parameter of metric")),
        *cases([AP], lambda f, name: f(Y, S, **{name: 5}),
               *((name, f"'{name}'. For the top k, use average_precision_at_k_score(..., k=5).")
                 for name in ("k", "top_k", "topk", "at_k")),
               name="instead of a metric at k:", error=TypeError),
        *cases([P], lambda f, name: f(Y, S, **{name: 5}),
               *((name, f"'{name}'. Did you mean 'k'?") for name in ("top_k", "topk", "at_k")),
               name="instead of k:", error=TypeError),
        (lambda: ap.metric("P@2")(Y, S, k=3), TypeError, "k is already given in"),
        ("again beside it", lambda: INTERVAL(Y, S, metric=ap.metric("precision_at_k", k=7), k=3),
         TypeError, "in metric('precision_at_k', k=7)"),
        (lambda: ap.metric("linear")(Y, S), TypeError, "sklearn_ap.compat"),
        (lambda: ap.metric("AP")(object(), Y, S), TypeError, "y_true"),
        (lambda: ap.metric("AP").by_name(Y, S, groups=GROUPS, average="macro"),
         TypeError, "takes no average"),
        ("a mean without groups", lambda: ap.metric("mean P@2")(Y, S), "pass groups="),
        *cases([INTERVAL], lambda f, name: f(Y, S, metric=name),
               *((name, f"'{name}' is a mean over groups: pass groups=")
                 for name in ("MRR", "MAP@10", "Mean precision at 5")),
               ("P@5 per day (min_grade=2)", "must be the name of a metric")),
        (lambda: stream(Y, S).result("MAP"), "is a mean over groups"),
        (lambda: ap.make_ap_scorer("Mean precision at 5"), "make_ap_scorer('precision_at_5'), and"),
        ("weights of a scorer", lambda: ap.make_ap_scorer(ap.metric("R@10", sample_weight=Y)),
         TypeError, "sample_weight cannot be an option of make"),
    ],
    "streams": [
        ("nothing", lambda: MetricAccumulator().result(), "0 sample"),
        ("nothing for an interval", lambda: MetricAccumulator().confidence_interval(), "0 sample"),
        ("no weight", lambda: stream([0, 1], [1, 2], [0, 0]).result(), "at least one non-zero"),
        ("heavy weights", lambda: stream(Y, S, [1e307] * 4).update([0, 1], [0.1, 0.2], [1e308] * 2),
         "Scale the weights down"),
        (lambda: stream(["ham"], [1]).update(["spam"], [1]), "pos_label=1 is not a valid label"),
        ("a float of bins", lambda: MetricAccumulator(n_bins=10.0), "Did you mean 10?"),
        ("values of shared bins", lambda: BINNED.result(), "n_bins=2 ... bounds()"),
        ("intervals of shared bins", lambda: BINNED.confidence_interval(), "not known exactly"),
        *cases([BINNED], lambda bins, metric, options: bins.bounds(metric, **options),
               ("step", {"ties": "best"}, "bounds if prediction scores share bins"),
               ("at-k", {"denominator": "hits"}, "bounds if prediction scores share bins")),
        *cases([OPEN.result, OPEN.bounds], lambda f, metric: f(metric, k=2, k_counts="samples"),
               ("precision-at-k", "scores share bins"), ("at-k", "scores share bins")),
        (lambda: stream([1], [0.5], n_bins=5, groups=["a"]), "n_bins=5. Use n_bins=None"),
        (lambda: stream(Y, S, [1, 1, 1, 1]).confidence_interval(), "keeps the sums of weights"),
        ("ties of weights", lambda: stream(Y, S, [2, 1, 1, 1]).result(ties="best"),
         "is not available with sample_weight"),
        (lambda: stream(Y, S).result("envelope", k=3), TypeError, "'envelope' has no option"),
        ("fewer positives than scored", lambda: stream(Y, S, [0.1, 0.2, 0.3, 0.4]).result(
            n_positives=0.59), "counts all positives, found or not"),
    ],
    "streams that don't merge": [
        (lambda: stream(Y, S).merge([1, 2]), TypeError, "MetricAccumulator can be merged"),
        ("another pos_label", lambda: stream(TEXT, S, pos_label="ham").merge(MetricAccumulator()),
         "pos_label='ham' and pos_label=1"),
        ("a third label", lambda: stream(TEXT, S, pos_label="ham").merge(
            stream(["ham", "eggs"], [1, 0], pos_label="ham")), "more than two labels"),
    ],
    "chunks of loaders": [
        (lambda: score_chunks([lambda: (Y, S), lambda: ([0, 1], [0.1, NAN])], n_jobs=1), "NaN"),
        (lambda: score_chunks([exit], metric="setp"), "'metric' parameter of score_chunks"),
    ],
    "masks": [
        *cases([chunks], lambda f, name: f(name),
               *((name, f"{name} is a masked array") for name in COLUMNS)),
        *cases([AP], lambda f, y, s, options: f(y, s, **options),
               ([*LABELS[:2], hide(LABELS[2])], SCORES, {}, "y_true is a masked array"),
               (LABELS, [*SCORES[:2], hide(SCORES[2])], {}, "y_score is a masked array"),
               (LABELS, SCORES, {"n_positives": hide([5, 6, 7])}, "n_positives is a masked array")),
        (lambda: boosting.lightgbm_metric()(hide([0, 1, 1]), S[:3]), "y_true is a masked array"),
        (lambda: score_chunks([lambda: ([0, 1, 1], hide(S[:3]))]), "y_score is a masked array"),
        *cases([AP], lambda f, labels: f(labels, [1, 2, 3], pos_label="a"),
               *((labels, "y_true contains numpy.ma.masked") for label in ("a", "b", "c")
                 for labels in (["a", np.ma.masked, label], ("a", label, np.ma.masked)))),
    ],
    "what was meant is another function": [
        *cases([score_chunks], lambda f, loaders: f(loaders),
               *((loaders, "must be a function ... functools.partial(load, file)")
                 for loaders in (["a.parquet"], "a.parquet", [([0, 1], [1, 2])])), error=TypeError),
    ],
}
# fmt: on

test_refused = refuses(REFUSED)
