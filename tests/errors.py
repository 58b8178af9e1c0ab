"""How the tables of errors in test_errors*.py are read, and the data that their rows share."""

import re
from functools import partial

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap.streaming import MetricAccumulator

from .registry import PLAIN

NAN, INF = float("nan"), float("inf")
Y, S = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
TEXT = ["ham", "spam", "ham", "spam"]
GROUPS = ["a", "a", "b", "b"]
LABELS = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 0]])  # three rows of three classes
SCORES = np.arange(9.0).reshape(3, 3)

AP, P, MAP = ap.average_precision_score, ap.precision_at_k_score, ap.mean_average_precision_score
INTERVAL, COMPARE, REPORT, POINT = (
    ap.confidence_interval,
    ap.compare,
    ap.report,
    ap.operating_point,
)
# scikit-learn's messages, which are passed on
OF_SEVERAL_LINES = "Expected 2D array", "Complex data not supported"

CURVES = [ap.interpolated_precision_recall_curve, ap.hit_curve]


def grouped(y_true, y_score, **options):
    groups = np.arange(4 if y_true is None else len(y_true)) // 2
    return MAP(y_true, y_score, groups=groups, **options)


def stream(y_true, y_score, *weights, groups=None, **options):
    given = {} if groups is None else {"groups": groups}
    return MetricAccumulator(**options).update(y_true, y_score, *weights, **given)


EVERY = [*PLAIN, grouped, *CURVES]


def each(functions, call):
    """The same call of several functions, all of which have to refuse it."""
    return [partial(call, function) for function in functions]


def cases(functions, call, *values_and_words, error=ValueError, name=""):
    """A row for each case `(*values, words)`, where all functions refuse the values."""
    return [
        (
            f"{name} {', '.join(map(repr, values))}".strip(),
            each(functions, lambda function, values=values: call(function, *values)),
            error,
            words,
        )
        for *values, words in values_and_words
    ]


def asked(functions, *rows, **usual):
    """The rows of one or several functions: `(options, error, words)`, and the options of all.

    If no error is given, it is a ValueError.
    """
    functions = functions if isinstance(functions, list) else [functions]
    return [
        (words, [partial(function, **usual | options) for function in functions], *error, words)
        for options, *error, words in rows
    ]


def refuses(rows):
    """Make the test that each call of a table is refused with this type of error and these words.

    The table has rows `(name, call, error, words)` by subject. Rows without a name are called like
    their words, the error is a ValueError by default, and " ... " stands for any text.
    """
    params = []
    for subject, each_row in rows.items():
        for row in each_row:
            name, call, *error, words = row if isinstance(row[0], str) else (row[-1], *row)
            name = f"{subject}, {name}"
            params.append(pytest.param(call, *(error or [ValueError]), words, id=name))

    @pytest.mark.parametrize(("call", "error", "words"), params)
    def test(call, error, words):
        pattern = ".*".join(map(re.escape, words.split(" ... ")))
        for one in call if isinstance(call, list) else [call]:
            with pytest.raises(error, match=pattern) as caught:
                one()
            message = str(caught.value)
            if not any(each in message for each in OF_SEVERAL_LINES):
                assert "\n" not in message
                assert len(message) < 700

    return test
