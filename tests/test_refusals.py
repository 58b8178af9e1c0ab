"""What is refused, and in which words: labels, scores, weights, classes, groups and options."""

from datetime import date
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd

import sklearn_ap as ap
from sklearn_ap import boosting, compat
from sklearn_ap.core.rules import Step

from .examples import GROUPS, NAN, S, Y
from .refusals import refuses

AP_AT_K = ap.average_precision_at_k_score
identified = partial(compat.identify, "0.5")


def reported(y_true, y_score, **options):
    return ap.report(y_true, {"a": y_score}, metrics=["AP"], **options)


def as_metric(y_true, y_score, k):
    return ap.metric("precision_at_k", k=k)


def as_scorer(y_true, y_score, k):
    return ap.make_ap_scorer("precision_at_k", k=k)


# Functions that refuse the same
K = ["P", "operating_point", "identified", "as_metric", "as_scorer"]
MEANS = ["MAP", "AP", "confidence_interval", "identified", "reported"]
OF_SCORES = [*MEANS[1:], "hit_curve"]

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
    ("{*EVERY}([], [])", "0 sample(s)"),
    ("{*EVERY}(np.array([]), np.array([]))", "0 sample(s)"),
    (
        "{*EVERY}(Y, S[:3])",
        "inconsistent numbers of samples: [4, 3 ... 4 in y_true and 3 in y_scor",
    ),
    ("{*EVERY}(Y, np.array(0.5))", "should be a 1d array"),
    ("{*PLAIN}(np.ones((2, 2, 2)), np.ones((2, 2, 2)))", "format is not supported"),
    # Labels
    ("{*EVERY}([0, 1, NAN, 1], S)", "Input y_true contains NaN. ... 1 of 4 rows, ... row 2 ("),
    (
        "{*EVERY}({[0.5, 1.2, 0.1, 1]|np.array([0.5, 1.0, 0.5, 1.0])}, S)",
        "continuous format is not supported",
    ),
    (
        "{*PLAIN|grouped}(TEXT, S)",
        (
            "pos_label=1 is not a valid label ... . Pass the positive one, as pos_label='ham' or "
            "pos_label='spam'."
        ),
    ),
    ("{*CURVES}(TEXT, S)", "pos_label=1 is not a valid label ... pos_label='ham'"),
    ("{*CURVES}([0, 1, 2, 1], S)", "more than two labels ... as y_true == label"),
    ("AP([[1, 0], [None, 1], [1, 1]], np.eye(3)[:, :2])", "Input y_true contains NaN"),
    ("AP([0, 1, 2], S[:3])", "If they are grades, pass min_grade="),
    ("AP(['a', 'b', 'c'], S[:3])", "pass all of them as classes=."),
    ("{MAP|AP}([0, 1, 2, 0], S, groups=GROUPS)", "For grades, pass min_grade, the lowest grade"),
    # min_grade
    ("{AP|hit_curve}([{NAN|None|Decimal('nan')}, 1, 2], S[:3], min_grade=2)", MISSING_GRADE),
    ("{AP|hit_curve}([Decimal('snan'), 1, 2], S[:3], min_grade=2)", MISSING_GRADE),
    (
        "{AP|hit_curve}([1, INF, 2], S[:3], min_grade=2)",
        "Input y_true contains infinity. Grades must",
    ),
    (
        "{AP|hit_curve}(['1', '2', '3'], S[:3], min_grade=2)",
        "but y_true contains '1'. Convert the grades to numbers",
    ),
    ("{AP|hit_curve}(objects(1, '2', 3), S[:3], min_grade=2)", "but y_true contains '2'"),
    (
        "{AP|hit_curve}(np.array([1, 2, 3], dtype='M8[s]'), S[:3], min_grade=2)",
        "compares numbers, but y_true contains",
    ),
    (
        "{AP|hit_curve}([[1, 2], [2, 3], [0, 1]], S[:3], min_grade=2)",
        "one column of grades ... has shape (3, 2)",
    ),
    ("{AP|hit_curve}([], [], min_grade=2)", "Found array with 0 sample(s) in y_true"),
    (
        "{AP|hit_curve}(Y, S, min_grade=2, pos_label='a')",
        "pos_label='a' and min_grade=2 both define which",
    ),
    (
        "AP([1, 2, 3], S[:3], classes=[1, 2, 3], min_grade=2)",
        "min_grade=2 is for grades, and classes is",
    ),
    # Labels and scores that are swapped
    (
        "{*EVERY}([0.5, 0.2, 0.9], {[0, 1, 1]|[1.0, 1.0, 1.0]|[-1, 1, -1]|['b', 'a', 'b']})",
        "continuous format is not supported. y_true and y_score look swapped",
    ),
    ("AP([[0.5, 0.1], [0.1, 0.2]], [[0, 1], [1, 0]])", "continuous ... look swapped"),
    # Scores
    (
        "{*EVERY}(Y, [0.1, NAN, 0.2, NAN])",
        "Input y_score contains NaN. ... 2 of 4 rows, ... row 1 (",
    ),
    (
        "{*EVERY}(Y, {[0.1, INF, 0.2, 0.3]|np.array([0.1, -INF, 0.2, 0.3])})",
        "Input y_score contains infinity",
    ),
    ("{*EVERY}(Y, objects(1, NAN, 2**70, 3))", "Input y_score contains NaN"),
    ("AP(LONG, LATE)", "Input y_score contains NaN"),
    ("{*EVERY}(Y, objects(1, INF, 2**70, 3))", "Input y_score contains ... infinity"),
    ("{*EVERY}(Y, {DAYS|['a', 'b', 'c', 'd']|[None, 1, 2, 3]})", "y_score must contain numbers"),
    ("{*EVERY}(Y, np.array([1j, 2, 3, 4]))", "Complex data not supported"),
    (
        "{*OF_SCORES}(Y, {TEXT|objects(*TEXT)})",
        "Are these labels? y_score needs what predict_proba or decision_function returns",
    ),
    (
        ("{*OF_SCORES}(Y, ['0.1', '0.2', '1', 'nan'])"),
        "Convert your data to numeric values explicitly",
    ),
    ("AP(Y[:2], [Decimal({'nan'|'sNaN'}), {Decimal(1)|2}])", "NaN"),
    ("AP(Y[:2], [Decimal({'inf'|'1e400'}), {Decimal(1)|2}])", "infinity"),
    (
        "AP(Y[:2], np.array([1, 2], 'M8[s]'))",
        (
            "contains times (datetime64[s]). To rank later ones higher, pass "
            "np.asarray(y_score).astype('int64')."
        ),
    ),
    (
        "AP(Y[:2], [MOMENT, MOMENT])",
        (
            "contains times (datetime64[ns]). To rank later ones higher, pass "
            "np.asarray(y_score).astype('int64')."
        ),
    ),
    (
        "AP(Y[:2], np.array([1, 2], 'm8[D]'))",
        (
            "contains times (timedelta64[D]). To rank longer ones higher, pass "
            "np.asarray(y_score).astype('int64')."
        ),
    ),
    (
        "AP(Y[:2], pd.Series([1, 2], dtype='m8[s]'))",
        (
            "contains times (timedelta64[s]). To rank longer ones higher, pass "
            "np.asarray(y_score).astype('int64')."
        ),
    ),
    (
        "AP(Y[:2], [date(2026, 1, 2), date(2026, 1, 1)])",
        "contains times, such as datetime.date(2026, 1, 2). Convert them to numbers in one unit",
    ),
    (
        "AP(Y[:2], [pd.{Timestamp|Timedelta}(1)] * 2)",
        "contains times, such as ... to numbers in one unit",
    ),
    ("AP(Y[:2], np.array([[1], ['NaT']], 'm8[D]'))", "contains missing values. ... row 1 ("),
    (
        "AP(Y[:2], {objects(np.longdouble('0.1'), 1)|np.nextafter(np.ones(2, np.longdouble), 2)})",
        "contains long doubles that float64 can't ... astype(float)",
    ),
    ("AP(Y, pd.Series([1, 2, None, 3], dtype='Int64'))", "y_score contains NaN"),
    ("AP(LABELS, np.where(LABELS, NAN, 1))", "y_score ... contains NaN"),
    ("AP(LABELS, np.where(LABELS, NAN, 1).astype(object))", "y_score ... contains NaN"),
    ("AP(np.c_[LONG, LONG], np.c_[LONG, LATE])", "y_score: ... contains NaN ... row 269999"),
    # Scores of both classes
    ("{*EVERY}(Y, np.c_[S, S])", "Pass the column of the positive class, as y_score[:, 1]"),
    ("{*EVERY}(Y, np.c_[S, S])", "If these are logits, subtract the other column from it"),
    ("AP([-1, 1, 1], np.ones((3, 2)), pos_label=1)", "y_score[:, list(model.classes_).index(1)]"),
    ("AP([0, 1, 1], np.ones((3, 2)), pos_label=0)", "as y_score[:, list(model.classes_).index(0)]"),
    (
        "AP(['ok', 'ok', 'ok'], np.ones((3, 2)), pos_label='fraud')",
        "y_score[:, list(model.classes_).index('fraud')]",
    ),
    # Columns
    ("{*PLAIN}(LABELS, SCORES[:, :2])", "one column for each column of y_true"),
    ("{*PLAIN}(LABELS, SCORES[:2])", "inconsistent"),
    ("{*PLAIN}(LABELS, SCORES[:, 0])", "Expected 2D array"),
    ("{*PLAIN}(LABELS, [SCORES[:, :2]] * 3)", "np.column_stack"),
    ("{*PLAIN}(LABELS, SCORES, pos_label=0)", "pos_label is fixed to 1"),
    # Columns that are called like labels
    (
        "{AP|confidence_interval}(['a', 'b', 'c'], pd.DataFrame(SCORES, columns=[*'abx']))",
        "called ['a', 'b', 'x'], like labels in y_true, but none like ['c']",
    ),
    (
        "{AP|confidence_interval}(['a', 'b', 'c'], pd.DataFrame(SCORES, columns=[*'abx']))",
        "If the names have another meaning, pass classes=",
    ),
    (
        (
            "{AP|confidence_interval}(['a', 'b', 'c'], pd.DataFrame(SCORES, columns=[*'cba']), "
            "classes=[*'abc'])"
        ),
        "but classes=['a', 'b', 'c'] names them in another",
    ),
    ("AP(['a', 'b', 'a'], pd.DataFrame(SCORES, columns=[*'abb']))", "but two are called the same"),
    (
        "AP('y', ['a', 'b', 'x'], data={'y': [*'abc'], 'a': S[:3], 'b': S[:3], 'x': S[:3]})",
        "(y_score are the columns ['a', 'b', 'x'])",
    ),
    (
        "AP(['a', 'b', 'a'], pd.DataFrame(SCORES[:, :2], columns=[*'ab']), pos_label='a')",
        "Pass the column of the positive class",
    ),
    # Classes
    ("AP([0, 1, 5], SCORES, classes=[0, 1, 2])", "labels [5] that are not in classes"),
    ("AP([0, 1, 1], SCORES, classes=[0, 1, 1])", "at least two labels, without duplicates"),
    ("AP([0, 0, 0], SCORES, classes=[0])", "at least two labels, without duplicates"),
    ("AP([0, 1, 1], SCORES, classes=[0, 1, 2, 3])", "y_score.shape=(3, 3)"),
    ("AP([0, 1, 1], SCORES, classes=None)", "pass classes="),
    ("AP(LABELS, SCORES, classes=[0, 1, 2])", "classes is only for multiclass"),
    ("AP([0, 1, 2], SCORES, pos_label=2)", "pos_label is fixed to 1 for multiclass"),
    (
        "make_ap_scorer(classes={[*'ab']|[*'abd']}, pos_label='c')",
        "pos_label='c' is not one of the classes ['a', 'b'",
    ),
    # Weights
    (
        "{*EVERY}(Y, S, sample_weight=[1, -1, 1, 1])",
        "Negative values in data passed to `sample_weight`",
    ),
    (
        "{*EVERY}(Y, S, sample_weight=[1, 2, -1e-10, 1])",
        "Negative values in data passed to `sample_weight`",
    ),
    (
        "{*EVERY}(Y, S, sample_weight={['1', '2', '3', '4']|pd.Series(['1', '2', '3', '4'])})",
        "sample_weight must contain numbers, but its dtype is ... explicitly",
    ),
    (
        "{*EVERY}(Y, S, sample_weight={DAYS|objects('1', '2', '3', '4')|DAYS - DAYS[0]})",
        "sample_weight must contain numbers, but its dtype is ... explicitly",
    ),
    (
        "{*EVERY}(Y, S, sample_weight=[0, 0, 0, 0])",
        "Sample weights must contain at least one non-zero number.",
    ),
    (
        "{*EVERY}(Y, S, sample_weight=[1, 1, 1, NAN])",
        "Input sample_weight contains NaN. ... 1 of 4 rows, ... row 3 (",
    ),
    ("{*EVERY}(Y, S, sample_weight=[1, 1, 1, INF])", "Input sample_weight contains infinity"),
    ("{*EVERY}(Y, S, sample_weight=[1e308] * 4)", "Scale the weights down"),
    (
        "AP([[1, 1]] * 8, np.ones((8, 2)), average='weighted', sample_weight=[2.2e307] * 8)",
        "Scale the weights down",
    ),
    (
        "{*EVERY}(Y, S, sample_weight=[1, 1, 1])",
        "numbers of samples: [4, 4, 3]. ... and 3 in sample_weight",
    ),
    ("{*EVERY}(Y, S, sample_weight=np.ones((4, 2)))", "should be a 1d array"),
    (
        "{*EVERY}(Y, S, sample_weight=list('abcd'))",
        "sample_weight must contain numbers, but its dtype",
    ),
    ("AP(LONG, LONG, sample_weight=LATE)", "Input sample_weight contains NaN"),
    (
        "{AP|*AT_A_K|grouped}(Y, S, ties={'expected'|'best'|'worst'}, sample_weight=[1] * 4)",
        "not available with sample_weight",
    ),
    # Weights of metrics of the first positive
    (
        "metric({'reciprocal_rank'|'hit_rate_at_3'})(Y, S, sample_weight=[1, 2, 1, 1])",
        "is not available with sample_weight, because it looks for one single sample",
    ),
    (
        "metric('reciprocal_rank')(Y, S, sample_weight=[1, 2, 1, 1], groups=GROUPS)",
        "is not available with sample_weight, because it looks for one single sample",
    ),
    (
        (
            "confidence_interval(Y, S, metric={'reciprocal_rank'|'hit_rate_at_3'}, "
            "sample_weight=[1, 2, 1, 1])"
        ),
        "is not available with sample_weight, because it looks for one single sample",
    ),
    (
        "metric('hit_rate_at_3')(Y, S, sample_weight=[1, 2, 1, 1], groups=GROUPS)",
        "is not available with sample_weight, because it looks for one single sample",
    ),
    # A single ranking
    (
        "confidence_interval(Y, S, metric={'reciprocal_rank'|'hit_rate_at_3'})",
        "a single ranking doesn't tell ... Pass groups=",
    ),
    (
        "compare(Y, S, S[::-1], metric={'reciprocal_rank'|'hit_rate_at_3'})",
        "a single ranking doesn't tell ... Pass groups=",
    ),
    # Groups
    ("MAP(Y, S)", TypeError, "groups"),
    ("MAP(Y, S, groups=[[1], [2], [3], [4]])", TypeError, "hashable"),
    ("MAP(Y, S, groups=np.ones((4, 2, 2)))", "groups: Found array with dim 3"),
    (
        "MAP(Y, S, groups=(['a', 'b', 'b'], [1, 2, 1, 1]))",
        "columns of groups must have the same length",
    ),
    ("MAP(Y, S, groups=(GROUPS, ['a', None, 'b', 'b']))", "groups contains missing values"),
    ("{*PLAIN}(Y, S, groups=['a', None, 'b', 'b'])", "groups contains missing values"),
    ("MAP(Y, S, groups=([1, 2],) * 2)", "There are 4 in y_true and 2 in groups"),
    ("MAP(Y, S, groups=[('a', NAN), 'b', 'b', ('a', NAN)])", "missing values"),
    ("MAP(Y, S, groups=[('a', np.datetime64('NaT', 'D')), 'b', 'b', 'b'])", "missing values"),
    (
        "MAP([0, 1], [1, 2], groups=objects(MOMENT, {None|np.datetime64('NaT', 'D')|NAN}))",
        "missing values",
    ),
    (
        "confidence_interval(Y, S, groups=[[1], [2]] * 2, clusters=Y, n_positives={(1, 2): 3})",
        TypeError,
        "groups must be hashable",
    ),
    (
        "{*PLAIN}(Y, S, groups=GROUPS[:3])",
        "inconsistent numbers of samples: [4, 3]. ... 3 in groups",
    ),
    ("{*PLAIN}(LABELS, SCORES, groups=GROUPS[:3])", "With groups, y_true must be binary"),
    ("{*PLAIN}([0, 1, 2, 1], S, groups=GROUPS)", "With groups, y_true must be binary"),
    (
        "{*PLAIN|MAP}(Y, S, groups=GROUPS, average={'samples'|'micro'})",
        "one of (None, 'macro', 'weighted')",
    ),
    (
        "MAP([0, 1], [1, 2], groups=[np.datetime64('9999-12-31'), MOMENT])",
        "groups mixes NumPy's datetimes or timedeltas of several units",
    ),
    (
        "MAP([0, 1], [1, 2], groups=objects(MOMENT, {1|date(2020, 1, 1)|'2020-01-01'}))",
        "groups mixes NumPy's datetimes",
    ),
    (
        "MAP([0, 1], [1, 2], groups=objects(MOMENT, np.timedelta64(1, 'ns')))",
        "groups mixes NumPy's datetimes",
    ),
    # n_positives
    ("AP(Y, S, sample_weight=[1, 0.5, 1, 0.25], n_positives=0.5)", "already contains 0.75"),
    ("AP([1, 1, 1, 0], S, sample_weight=[0.1] * 4, n_positives=0.2)", "already contains 0.3."),
    ("AP([0, 1, 2], SCORES, n_positives=3)", "one number for each of the 3 columns"),
    (
        "{*PLAIN}(LABELS, SCORES, n_positives=3, average='macro')",
        "one number for each of the 3 columns",
    ),
    (
        "AP(FRAME, SCORES, n_positives=pd.Series([2, 4, 3], index=['cat', 'dog', 'cow']))",
        "numbers for ['cat', 'dog', 'cow'], but the columns",
    ),
    (
        "AP(Y, S, n_positives={10**40|Decimal('nan')|Decimal('sNaN')|Decimal(-1)|'3'})",
        "in the range [0, 2**53]",
    ),
    ("AP(Y, S, groups=[1] * 4, n_positives={1: 10**40})", "in the range [0, 2**53]"),
    (
        "AP(Y, S, groups=[1] * 4, n_positives={1: Decimal({'nan'|'sNaN'|-1})})",
        "in the range [0, 2**53]",
    ),
    ("AP(Y, S, groups=[1] * 4, n_positives={1: '3'})", "in the range [0, 2**53]"),
    ("AP(Y, S, n_positives=10**400)", "in the range [0, 2**53]"),
    ("AP(Y, S, n_positives=pd.Series([1, 2]))", "a Series"),
    (
        "{*MEANS}(Y, S, groups=['301', '302'] * 2, n_positives={301: 1, 302: 2})",
        "no number for the group '301' ... Its keys look like 301. Convert the keys",
    ),
    (
        "{*MEANS}(Y, S, groups=[1, 2] * 2, n_positives=pd.Series({'1': 1, '2': 2}))",
        "no number for the group 1, ... Its keys look like '1'. Convert the keys",
    ),
    (
        "{*MEANS}(Y, S, groups=DAYS, n_positives=pd.Series({DAYS[0]: 1}))",
        "no number for the group 2026-01-02, ... with a time zone are in UTC: convert the keys",
    ),
    (
        "{*PLAIN}(Y, S, groups=GROUPS, n_positives={'a': 1})",
        "n_positives has no number for the group 'b' ... each group.",
    ),
    (
        "{*PLAIN}(Y, S, groups=GROUPS, n_positives={('a', 1): 1, ('b', 1): 1})",
        (
            "no number for the group 'a' ... look like ('a', 1). If these are pairs (group, "
            "cluster), add up"
        ),
    ),
    (
        "{*PLAIN}(Y, S, groups=GROUPS, n_positives={'a': 1, 'b': 0})",
        "n_positives=0 for 'b' is too small: ... already contains 1",
    ),
    (
        "{*PLAIN}(Y, S, groups=GROUPS, n_positives={'b': 1, 'a': -1})",
        "in the range [0, 2**53]. Got -1 for 'a'",
    ),
    (
        "{*PLAIN}(Y, S, groups=GROUPS, n_positives={'a': 1, 'b': 1.5})",
        "n_positives=1.5 must be an integer, because there is no samp",
    ),
    ("{*PLAIN}(Y, S, groups=GROUPS, n_positives={'a': 1, 'b': NAN})", "Got nan for 'b'"),
    ("{*PLAIN}(Y, S, groups=GROUPS, n_positives={})", "n_positives is empty"),
    (
        "{*PLAIN}(Y, S, groups=GROUPS, n_positives=5)",
        "a mapping or a pandas Series from each group ... Got int",
    ),
    (
        "{*PLAIN}(Y, S, groups=GROUPS, n_positives=[1, 1])",
        "a mapping or a pandas Series from each group ... Got list",
    ),
    (
        "{*PLAIN}(Y, S, groups=GROUPS, n_positives=pd.Series([1, 1, 1], index=['a', 'b', 'a']))",
        "names a group twice",
    ),
    ("{*PLAIN}(Y, S, n_positives={'a': 1, 'b': 1})", "no groups. Pass groups="),
    ("{*PLAIN}(Y, S, n_positives=[1, 1])", "must be one number here. Got [1, 1]"),
    (
        "{*PLAIN}(LABELS, SCORES, n_positives=[1, 2], average='macro')",
        "one number for each of the 3 columns here. Got [1, 2]",
    ),
    ("{*PLAIN}(LABELS, SCORES, n_positives=[1, 2, 1], average='micro')", "must be one number here"),
    (
        "{*PLAIN}(LABELS, SCORES, n_positives=[1, 2, 0], average=None)",
        "n_positives=0 for column 2 is too small: ... already contains 1",
    ),
    ("{*PLAIN}(LABELS, SCORES, n_positives=[1, 2, NAN], average=None)", "Got nan for column 2"),
    (
        "{*PLAIN}(LABELS, SCORES, n_positives={0: 1, 1: 2, 2: 1}, average=None)",
        "there are no groups",
    ),
    ("{*PLAIN}(LABELS, SCORES, n_positives=np.ones((2, 2)), average=None)", "n_positives"),
    (
        "confidence_interval(Y, S, clusters=['301', '302'] * 2, n_positives={301: 1, 302: 2})",
        "no number for '302' ... Its keys look like 301.",
    ),
    ("MAP(Y, S, groups=DAYS, n_positives={1: 1, 2: 1})", "need times as the keys of n_positives"),
    # Options
    ("AP(Y, S, pos_label=pd.DataFrame({'a': range(50)}))", "a DataFrame"),
    (
        "{AP_AT_K|grouped}(Y, S, k=2, denominator='hits', ties='expected')",
        "denominator='hits' is not available with ties='expected'",
    ),
    ("{*K}(Y, S, k={10.0|'10'})", "'k' parameter ... Did you mean 10?"),
    ("{*K}(Y, S, k=np.float64(20))", "'k' parameter ... Did you mean 20?"),
    ("{*K}(Y, S, k='1%')", "'k' parameter ... Did you mean 0.01?"),
    ("{*K}(Y, S, k='0.5 %')", "'k' parameter ... Did you mean 0.005?"),
    ("{*K}(Y, S, k='0.1')", "'k' parameter ... Did you mean 0.1?"),
    (
        "precision_at_recall_score(Y, S, min_recall={80|'80%'|'80'|'0.8'})",
        "' parameter ... Did you mean 0.8?",
    ),
    (
        "operating_point(Y, S, min_precision={80|'80%'|'80'|'0.8'})",
        "' parameter ... Did you mean 0.8?",
    ),
    (
        "metric('recall_at_precision', min_precision={80|'80%'|'80'|'0.8'})",
        "' parameter ... Did you mean 0.8?",
    ),
    (
        "confidence_interval(Y, S, confidence_level={80|'80%'|'80'|'0.8'})",
        "' parameter ... Did you mean 0.8?",
    ),
    ("precision_at_recall_score(Y, S, min_recall=99.5)", "' parameter ... Did you mean 0.995?"),
    ("operating_point(Y, S, min_precision=99.5)", "' parameter ... Did you mean 0.995?"),
    ("metric('recall_at_precision', min_precision=99.5)", "' parameter ... Did you mean 0.995?"),
    ("confidence_interval(Y, S, confidence_level=99.5)", "' parameter ... Did you mean 0.995?"),
    ("operating_point(Y, S, min_recall=100)", "'min_recall' parameter ... Did you mean 1.0?"),
    # n_points of means
    ("MAP(Y, S, groups=GROUPS, n_points=11, k=5)", "n_points=11 and k=5 can't be"),
    ("metric('MAP@5', n_points=11)", "n_points=11 and k=5 can't be combined"),
    (
        "MAP(Y, S, groups=GROUPS, n_points=11, ties='best')",
        "ties='best' is not available with n_points",
    ),
    # Options that a function lacks
    ("AP(Y, S, clusters=Y)", TypeError, "Only intervals and comparisons depend on"),
    ("get_scorer('AP', clusters=Y)", TypeError, "Only intervals"),
    ("hit_curve(Y, S, average='macro')", TypeError, "there is nothing to average"),
    ("hit_curve(Y, S, zero_division=0)", TypeError, "A curve has no single value"),
    (
        "hit_curve(Y, S, classes=[0, 1])",
        TypeError,
        "evaluate one class at a time, as in y_true == label",
    ),
    ("compat.explain(Y, S, zero_division=0)", TypeError, "is part of what it reports"),
    # Names of metrics
    (
        "{metric|get_scorer}({'AUPRC'|'PR AUC'|'aucpr'})",
        "Pass 'AP' for the area under steps. ... identify",
    ),
    (
        "report(Y, {'a': S}, metrics=['PR-AUC'])",
        "Pass 'AP' for the area under steps. 'PR-AUC' could",
    ),
    ("metric('COCO')", "'101-point', with the classes as groups, over overlaps"),
    ("metric('VOC')", "'11-point' until 2009, and 'interpolated_average_precision' from 2010"),
    ("metric('dcg@10')", "can't be averaged over queries: use 'nDCG@10'"),
    ("metric('BEDROC')", "CalcBEDROC, or 'EF@1%'"),
    ("metric('EF1')", "whether 'EF1' means a percentage, as 'EF@1%' does, or a number"),
    ("metric('precision')", "'precision' needs a cutoff, as in 'P@10'"),
    ("metric(3)", "The 'name' parameter of metric must be"),
    (
        "metric('AUROC')",
        "Got 'AUROC' instead. The area under ... use sklearn.metrics.roc_auc_score",
    ),
    ("metric('roc_auc_score')", "Got 'roc_auc_score' instead. The area under the ROC curve"),
    ("metric('f1')", "Got 'f1' instead. 'f1' depends on a threshold: use sklearn.metrics.f1_score"),
    ("metric('accuracy')", "Got 'accuracy' instead. 'accuracy' depends on a threshold"),
    (
        "metric('specificity')",
        "Got 'specificity' instead. The specificity ... recall_score(y_true, y_score >=",
    ),
    (
        "metric('sensitivity')",
        "Got 'sensitivity' instead. Sensitivity is recall, which ... as in 'R@1%'",
    ),
    (
        "metric('sensitivity@1%')",
        "Got 'sensitivity@1%' instead. Sensitivity is recall, which ... as in 'R@1%'",
    ),
    (
        "metric('sens_at_90_spec')",
        "Got 'sens_at_90_spec' instead. The sensitivity at a specificity",
    ),
    (
        "metric('PPV')",
        "Got 'PPV' instead. The positive predictive value is precision, ... as in 'P@1%'",
    ),
    (
        "metric('lift')",
        "Got 'lift' instead. The lift is the enrichment factor, which ... as in 'EF@1%'",
    ),
    (
        "metric('WSS@95')",
        "Got 'WSS@95' instead. Work saved ... operating_point returns, for WSS@95",
    ),
    (
        "metric('logAUC')",
        "Got 'logAUC' instead. logAUC is ... oddt.metrics.roc_log_auc, or 'EF@1%'",
    ),
    ("metric('auc')", "Got 'auc' instead. 'auc' is the area under some curve"),
    (
        "metric({'mAP@.5'|'MAP@0.75'|'Mean average precision at 0.5'|'AP75'|'mAP@0.5:0.95'})",
        'overlap (IoU) ... "Object detection (mAP)"',
    ),
    ("metric('mAP (IoU=0.5)')", 'overlap (IoU) ... "Object detection (mAP)"'),
    (
        "metric({'AP@[.50:.05:.95]'|'mAP@[0.5, 0.95]'|'mAP50-95'})",
        'overlap (IoU) ... "Object detection (mAP)"',
    ),
    # Options of metrics
    ("metric('P@10', k=5)", TypeError, "k is already given in the name 'P@10'"),
    (
        "metric('P@10', sampleweight=Y)",
        TypeError,
        "{'sampleweight'}. Did you mean 'sample_weight'?",
    ),
    ("metric('P@10', wat=Y)", TypeError, "has no option {'wat'}; it has { ... 'sample_weight'"),
    ("metric('P@10', data={})", TypeError, "has no option {'data'}"),
    ("metric('precision_at_recall')", TypeError, "needs the option min_recall"),
    ("metric('AP@3', denominator='hits', ties='expected')", "no closed form"),
    ("metric('P@10', sample_weight=3)", "The 'sample_weight' parameter of metric"),
    ("AP(Y, S, k=5)", TypeError, "'k'. For the top k, use average_precision_at_k_score(..., k=5)."),
    (
        "AP(Y, S, top_k=5)",
        TypeError,
        "'top_k'. For the top k, use average_precision_at_k_score(..., k=5).",
    ),
    (
        "AP(Y, S, topk=5)",
        TypeError,
        "'topk'. For the top k, use average_precision_at_k_score(..., k=5).",
    ),
    (
        "AP(Y, S, at_k=5)",
        TypeError,
        "'at_k'. For the top k, use average_precision_at_k_score(..., k=5).",
    ),
    ("P(Y, S, top_k=5)", TypeError, "'top_k'. Did you mean 'k'?"),
    ("P(Y, S, topk=5)", TypeError, "'topk'. Did you mean 'k'?"),
    ("P(Y, S, at_k=5)", TypeError, "'at_k'. Did you mean 'k'?"),
    ("metric('P@2')(Y, S, k=3)", TypeError, "k is already given in"),
    (
        "confidence_interval(Y, S, metric=metric('precision_at_k', k=7), k=3)",
        TypeError,
        "in metric('precision_at_k', k=7)",
    ),
    ("metric('AP')(object(), Y, S)", TypeError, "y_true"),
    (
        "metric('map_at_10')",
        "MTEB's 'map_at_10' divides by all relevant documents: write 'map_cut_10', as in trec_eval",
    ),
    ("metric('{P@n|precision_at_n|prec@n}')", "use 'R-precision'. ... write it, as in 'P@10'."),
    ("metric('AP').by_name(Y, S, groups=GROUPS, average='macro')", TypeError, "takes no average"),
    ("metric('mean P@2')(Y, S)", "pass groups="),
    ("confidence_interval(Y, S, metric='MRR')", "'MRR' is a mean over groups: pass groups="),
    ("confidence_interval(Y, S, metric='MAP@10')", "'MAP@10' is a mean over groups: pass groups="),
    (
        "confidence_interval(Y, S, metric='Mean precision at 5')",
        "'Mean precision at 5' is a mean over groups: pass groups=",
    ),
    (
        "confidence_interval(Y, S, metric='P@5 per day (min_grade=2)')",
        "must be the name of a metric",
    ),
    (
        "make_ap_scorer(metric('R@10', sample_weight=Y))",
        TypeError,
        "sample_weight of make_ap_scorer must be True, or the name under which you pass them",
    ),
    # Masks
    ("AP([*LABELS[:2], hide(LABELS[2])], SCORES)", "y_true is a masked array"),
    ("boosting.lightgbm_metric()(hide([0, 1, 1]), S[:3])", "y_true is a masked array"),
    ("AP(LABELS, [*SCORES[:2], hide(SCORES[2])])", "y_score is a masked array"),
    ("AP(LABELS, SCORES, n_positives=hide([5, 6, 7]))", "n_positives is a masked array"),
    (
        "AP({['a', np.ma.masked, 'a']|('a', 'a', np.ma.masked)}, [1, 2, 3], pos_label='a')",
        "y_true contains numpy.ma.masked",
    ),
    (
        "AP({['a', np.ma.masked, 'b']|('a', 'b', np.ma.masked)}, [1, 2, 3], pos_label='a')",
        "y_true contains numpy.ma.masked",
    ),
    (
        "AP({['a', np.ma.masked, 'c']|('a', 'c', np.ma.masked)}, [1, 2, 3], pos_label='a')",
        "y_true contains numpy.ma.masked",
    ),
    # Segments
    ("reported(Y, S, by=['a', 'b', 'a'])", "There are 4 in y_true and 3 in by"),
    ("reported(Y, S, by=[None, NAN, None, None])", "by has no segments: all of its values are m"),
    ("reported(Y, S, by={})", "by is an empty mapping. Map each group to its segment"),
    (
        "reported(Y, S, by={'a': {[0, 1]|np.array([True] * 4)|['a', 'b', 'a', 'b']}})",
        "which isn't the name of a segment. Use `by=np.where(mask",
    ),
    ("reported(Y, S, by={'a': 'x'})", "by={'a': 'x'} maps groups to segments, but there are no gr"),
    ("reported(Y * 50, np.arange(200), by=np.arange(200))", "by has 200 different values among 2"),
    ("reported(Y, S, by=[[1], [2]] * 2)", TypeError, "by must be hashable"),
    ("reported(Y, S, by={'abc'|3})", TypeError, "The 'by' parameter of report must be an array-"),
    ("reported(Y, S, by=GROUPS, joint={1|'no'})", TypeError, "The 'joint' parameter of report"),
    (
        "reported(Y, S, by=GROUPS, n_positives=9)",
        "n_positives is one number for all rows, so nothing says in which segment",
    ),
    (
        "reported(Y, S, by=[1, 2, 1, 2], groups=GROUPS, n_positives={'a': 3, 'b': 4})",
        "the group 'a' has rows in several segments ... Pass by with one value for all rows of a",
    ),
    (
        "reported(Y, S, by=[1, 2, 1, 2], clusters=GROUPS, n_positives={'a': 3, 'b': 4})",
        "the cluster 'a' has rows in several segments ... Pass by with one value for all rows of",
    ),
    # What was meant is another function
]

test_refused = refuses(REFUSED, globals())
