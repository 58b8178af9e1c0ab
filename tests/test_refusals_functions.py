"""What is refused, and in which words: functions of one group."""

from functools import partial

import matplotlib as mpl
import numpy as np
import pandas as pd

import sklearn_ap as ap
from sklearn_ap import boosting

from .examples import GROUPS, NAN, S, Y
from .refusals import refused, refuses

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
    refused(
        "a str that tells what the function computes ... Got '<lambda>'",
        lambda: metric(lambda y, s: 1),
    ),
    refused("Got None", lambda: metric(partial(top))),
    refused("Got ' '", lambda: metric(top, name=" ")),
    refused("The 'name' parameter of metric must be a str", lambda: metric(top, name=3)),
    refused("name='AP' is the name of a metric of this package", lambda: metric(top, name="AP")),
    refused(
        "leave the function out: metric('precision_at_10')",
        lambda: metric(top, name="precision_at_10"),
    ),
    refused("The 'limits' parameter of metric ... (0, 1). Got 1", lambda: metric(top, limits=1)),
    refused("the lowest and the highest value ... Got (1, 0)", lambda: metric(top, limits=(1, 0))),
    refused(
        "The 'limits' parameter", lambda limits: metric(top, limits=limits), [(0, NAN), ("0", "1")]
    ),
    refused(
        "The 'greater_is_better' parameter of metric", lambda: metric(top, greater_is_better=0)
    ),
    refused("'top' has no option {'k'}", lambda: metric(top, k=3), error=TypeError),
    refused(
        "describe a function ... Got 'AP' instead",
        lambda: metric("AP", name="mine"),
        error=TypeError,
    ),
    refused(
        "describe a function of groups",
        [lambda: metric(OF_TOP, limits=(0, 1)), lambda: metric("P@10", greater_is_better=False)],
        error=TypeError,
    ),
    # What it is called with
    refused("'Top' is a function of the rows of one group ... pass groups=", lambda: OF_TOP(Y, S)),
    refused(
        "pass groups=, the group of each sample",
        [lambda: confidence_interval(Y, S, metric=OF_TOP), lambda: report(Y, S, metrics=OF_TOP)],
    ),
    refused(
        "n_positives is not available for 'Top'",
        lambda: OF_TOP(Y, S, groups=GROUPS, n_positives={1: 2}),
    ),
    refused(
        "min_grade is not available for 'Top' ... as in metric('P@5', min_grade=2)",
        lambda: OF_TOP(Y, S, groups=GROUPS, min_grade=1),
    ),
    refused(
        "pos_label ... 'Top'",
        lambda: report(Y, S, groups=GROUPS, pos_label=0, metrics=["AP", OF_TOP]),
    ),
    refused(
        "pos_label is not available for 'nDCG at 5', because it reads the grades",
        lambda: confidence_interval(Y, S, groups=GROUPS, pos_label=0, metric="nDCG@5"),
    ),
    refused(
        "pos_label ... 'nDCG'",
        lambda: compare(Y, S, S, groups=GROUPS, pos_label="a", metric="nDCG"),
    ),
    refused("or pass it only to the metrics that need it", lambda: metric("nDCG@5", pos_label=0)),
    refused(
        "use average='macro', the mean", lambda: OF_TOP(Y, S, groups=GROUPS, average="weighted")
    ),
    refused(
        "Top is not available with sample_weight ... has no parameter sample_weight: add one",
        lambda: OF_TOP(Y, S, groups=GROUPS, sample_weight=[1, 2, 1, 1]),
    ),
    refused(
        "Leave out the samples without a label",
        lambda value: OF_TOP(value, S, groups=GROUPS),
        [[1, NAN, 0, 1], ["a", None, "b", "b"]],
    ),
    refused("inconsistent numbers of samples", lambda: OF_TOP(Y[:2], S, groups=GROUPS)),
    refused("y_score contains NaN", lambda: OF_TOP(Y, [0.1, NAN, 0.2, 0.3], groups=GROUPS)),
    refused("y_true: y should be a 1d array", lambda: OF_TOP([[1, 0]] * 4, S, groups=GROUPS)),
    # What it returns
    refused(
        "'Gain@10' failed for the group 'a': too few documents",
        [
            lambda: OF_FAILING(Y, S, groups=[*"aabb"]),
            lambda: compare(Y, S, S[::-1], metric=OF_FAILING, groups=[*"aabb"]),
        ],
    ),
    refused(
        "must return a number, but returned None", lambda: returning(None)(Y, S, groups=GROUPS)
    ),
    refused(
        "must return a number, but returned '0.5'", lambda: returning("0.5")(Y, S, groups=GROUPS)
    ),
    refused(
        "must return a number, but returned [0.5]", lambda: returning([0.5])(Y, S, groups=GROUPS)
    ),
    refused("must return a number, but returned 1j", lambda: returning(1j)(Y, S, groups=GROUPS)),
    refused(
        "must return a number, but returned array([0.5])",
        lambda: returning(np.array([0.5]))(Y, S, groups=GROUPS),
    ),
    refused(
        "'top' is 1 for the group ... outside of limits=(0.0, 0.5)",
        lambda: metric(top, limits=(0, 0.5))(Y, S, groups=[*"aabb"]),
    ),
    refused(
        "'odd' is 0.123457 for the group 'a' ... outside of limits=(0.0, 0.0625)",
        lambda: metric(lambda y, s: 0.12345678, name="odd", limits=(0, 0.0625))(
            Y, S, groups=[*"aabb"]
        ),
    ),
    refused(
        "group 'c' ... no finite value there for 'low', pass a number as zero_division",
        lambda: compare(
            "y",
            ["s", "low"],
            data=TABLES["new"],
            metric=OF_TOP_ABOVE_0,
            groups="group",
            zero_division=NAN,
        ),
    ),
    refused(
        "The group 'a' has rows of the clusters",
        lambda: confidence_interval(Y, S, metric=OF_TOP, groups=[*"aabb"], clusters=[1, 2, 3, 3]),
    ),
    # What needs counts
    refused("'Top' is not available in", lambda: draw(Y, S, metric=OF_TOP, groups=GROUPS)),
]

test_refused = refuses(REFUSED)
