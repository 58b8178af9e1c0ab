"""What is refused, and in which words: functions of one group."""

from functools import partial

import matplotlib as mpl
import numpy as np
import pandas as pd

import sklearn_ap as ap
from sklearn_ap import boosting

from .examples import GROUPS, NAN, S, Y
from .refusals import refuses

mpl.use("agg")
metric, report, compare = ap.metric, ap.report, ap.compare
confidence_interval = ap.confidence_interval


def top(y_true, y_score):
    return y_true[np.argmax(y_score)]


def failing(y_true, y_score):
    raise RuntimeError("too few documents")


def returning(value):
    return metric(lambda y, s: value, name="odd")


OF_TOP, OF_FAILING = metric(top, name="Top"), metric(failing, name="Gain@10")
OF_TOP_ABOVE_0 = metric(lambda y, s: top(y, s) if s[0] > 0 else NAN, name="Top", limits=(0, 1))
SIX = pd.DataFrame({"y": [0, 1, 0, 1, 1, 0], "s": [1, 2, 3, 4, 5, 6], "group": [*"aabbcc"]})
TABLES = {"old": SIX[:4], "new": SIX.assign(low=SIX["s"] * (SIX["group"] != "c"))}
draw = ap.AveragePrecisionDisplay.from_predictions

REFUSED = [
    # What makes a metric of a function
    ("metric(lambda y, s: 1)", "a str that tells what the function computes ... Got '<lambda>'"),
    ("metric(partial(top))", "Got None"),
    ("metric(top, name=' ')", "Got ' '"),
    ("metric(top, name=3)", "The 'name' parameter of metric must be a str"),
    ("metric(top, name='AP')", "name='AP' is the name of a metric of this package"),
    ("metric(top, name='precision_at_10')", "leave the function out: metric('precision_at_10')"),
    ("metric(top, limits=1)", "The 'limits' parameter of metric ... (0, 1). Got 1"),
    ("metric(top, limits=(1, 0))", "the lowest and the highest value ... Got (1, 0)"),
    ("metric(top, limits=(0, NAN))", "The 'limits' parameter"),
    ("metric(top, limits=('0', '1'))", "The 'limits' parameter"),
    ("metric(top, greater_is_better=0)", "The 'greater_is_better' parameter of metric"),
    ("metric(top, k=3)", TypeError, "'top' has no option {'k'}"),
    ("metric('AP', name='mine')", TypeError, "describe a function ... Got 'AP' instead"),
    ("metric(OF_TOP, limits=(0, 1))", TypeError, "describe a function of groups"),
    ("metric('P@10', greater_is_better=False)", TypeError, "describe a function of groups"),
    # What it is called with
    ("OF_TOP(Y, S)", "'Top' is a function of the rows of one group ... pass groups="),
    ("confidence_interval(Y, S, metric=OF_TOP)", "pass groups=, the group of each sample"),
    ("report(Y, S, metrics=OF_TOP)", "pass groups=, the group of each sample"),
    ("OF_TOP(Y, S, groups=GROUPS, n_positives={1: 2})", "n_positives is not available for 'Top'"),
    (
        "OF_TOP(Y, S, groups=GROUPS, min_grade=1)",
        "min_grade is not available for 'Top' ... as in metric('P@5', min_grade=2)",
    ),
    ("report(Y, S, groups=GROUPS, pos_label=0, metrics=['AP', OF_TOP])", "pos_label ... 'Top'"),
    (
        "confidence_interval(Y, S, groups=GROUPS, pos_label=0, metric='nDCG@5')",
        "pos_label is not available for 'nDCG at 5', because it reads the grades",
    ),
    ("compare(Y, S, S, groups=GROUPS, pos_label='a', metric='nDCG')", "pos_label ... 'nDCG'"),
    ("metric('nDCG@5', pos_label=0)", "or pass it only to the metrics that need it"),
    ("OF_TOP(Y, S, groups=GROUPS, average='weighted')", "use average='macro', the mean"),
    (
        "OF_TOP(Y, S, groups=GROUPS, sample_weight=[1, 2, 1, 1])",
        "Top is not available with sample_weight ... has no parameter sample_weight: add one",
    ),
    ("OF_TOP([1, NAN, 0, 1], S, groups=GROUPS)", "Leave out the samples without a label"),
    ("OF_TOP(['a', None, 'b', 'b'], S, groups=GROUPS)", "Leave out the samples without a label"),
    ("OF_TOP(Y[:2], S, groups=GROUPS)", "inconsistent numbers of samples"),
    ("OF_TOP(Y, [0.1, NAN, 0.2, 0.3], groups=GROUPS)", "y_score contains NaN"),
    ("OF_TOP([[1, 0]] * 4, S, groups=GROUPS)", "y_true: y should be a 1d array"),
    # What it returns
    ("OF_FAILING(Y, S, groups=[*'aabb'])", "'Gain@10' failed for the group 'a': too few documents"),
    (
        "compare(Y, S, S[::-1], metric=OF_FAILING, groups=[*'aabb'])",
        "'Gain@10' failed for the group 'a': too few documents",
    ),
    ("returning(None)(Y, S, groups=GROUPS)", "must return a number, but returned None"),
    ("returning('0.5')(Y, S, groups=GROUPS)", "must return a number, but returned '0.5'"),
    ("returning([0.5])(Y, S, groups=GROUPS)", "must return a number, but returned [0.5]"),
    ("returning(1j)(Y, S, groups=GROUPS)", "must return a number, but returned 1j"),
    (
        "metric(top, limits=(0, 0.5))(Y, S, groups=[*'aabb'])",
        "'top' is 1 for the group ... outside of limits=(0.0, 0.5)",
    ),
    (
        "compare('y', ['s', 'low'], data=TABLES['new'], metric=OF_TOP_ABOVE_0, groups='group', "
        "zero_division=NAN)",
        "group 'c' ... no finite value there for 'low', pass a number as zero_division",
    ),
    (
        "confidence_interval(Y, S, metric=OF_TOP, groups=[*'aabb'], clusters=[1, 2, 3, 3])",
        "The group 'a' has rows of the clusters",
    ),
    # What needs counts
    ("draw(Y, S, metric=OF_TOP, groups=GROUPS)", "'Top' is not available in"),
]

test_refused = refuses(REFUSED, globals())
