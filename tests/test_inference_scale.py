"""Values that a function computes mean the same on any scale.

Multiplied by a power of two, which rounds nothing, they have the same p-values and verdicts, and
intervals that are as many times as wide, even if their squares would overflow or vanish.
"""

import re

import numpy as np
import pytest

import sklearn_ap as ap

from .values import compare_values

EXPONENTS = [-1000, -565, -260, 260, 664, 1000]
RNG = np.random.default_rng(0)
UNITS, CLUSTER = 24, np.arange(24) // 4
A, B, C = (RNG.normal(size=UNITS) + shift for shift in (0.5, 0.0, -0.3))
QUERY = np.arange(4 * UNITS) // 4
LABEL = np.tile([1, 0, 1, 0], UNITS)
ONE, OTHER = (each.repeat(4) + RNG.normal(size=4 * UNITS) for each in (A, B))
OF_RATIO = {"value", "values", "low", "high", "difference", "difference_low", "difference_high"}
OF_RATIO |= {"margin_low", "margin_high", "least_margin", "standard_error"}


def by_function(call, **given):
    """Call with a metric whose values are on a scale."""

    def at(factor):
        def gap(y_true, y_score):
            return factor * (y_score[y_true == 1].mean() - y_score[y_true == 0].mean())

        metric = ap.metric(gap, name="gap")
        return call(LABEL, metric=metric, groups=QUERY, random_state=0, **given)

    return at


def report(label, models, metric, **given):
    return ap.report(label, models, metrics=metric, **given)


def compare(label, metric, **given):
    return ap.compare(label, ONE, OTHER, metric=metric, **given)


def interval(label, metric, **given):
    return ap.confidence_interval(label, ONE, metric=metric, **given)


ALONE = {"x": ONE}
MODELS = {"x": ONE, "y": OTHER, "z": -ONE}
PAIR = {"x": ONE, "y": OTHER}
SEGMENT = QUERY % 3
USER = QUERY // 4
DRAWN = {"method": "bootstrap", "n_resamples": 50}
CALLS = {
    "two models": lambda factor: compare_values(factor * A, factor * B),
    "clusters": lambda factor: compare_values(factor * A, factor * B, clusters=CLUSTER),
    "several": lambda factor: compare_values(
        {"a": factor * A, "b": factor * B, "c": factor * C}, clusters=CLUSTER
    ),
    "fractions": lambda factor: compare_values(
        *(factor * (1 + np.tanh(each)) / 4 for each in (A, B)), clusters=CLUSTER
    ),
    "folds": lambda factor: ap.compare_folds(factor * A, factor * B, n_train=90, n_test=10),
    "interval": by_function(interval),
    "interval, clusters": by_function(interval, clusters=USER),
    "interval, bootstrap": by_function(interval, **DRAWN),
    "comparison": by_function(compare),
    "comparison, clusters": by_function(compare, clusters=USER),
    "comparison, bootstrap": by_function(compare, clusters=USER, **DRAWN),
    "report": by_function(report, models=MODELS),
    "segments": by_function(report, models=MODELS, by=SEGMENT),
    "segments, clusters": by_function(report, models=PAIR, by=USER % 2, clusters=USER),
    "segments of a model": by_function(report, models=ALONE, by=SEGMENT),
    "segments of a model, bootstrap": by_function(report, models=ALONE, by=SEGMENT, **DRAWN),
}


def scaled(value, factor, name=""):
    if isinstance(value, dict):
        return {key: scaled(each, factor, key) for key, each in value.items()}
    if isinstance(value, list):
        return [scaled(each, factor, name) for each in value]
    if name == "text":  # the least margin that can be shown is on the scale
        return re.sub(r"can be shown is \S+", "can be shown is x", value)
    is_value = name in OF_RATIO and isinstance(value, float)
    value = value * factor if is_value else value
    if isinstance(value, float) and factor != 1:
        return pytest.approx(value, rel=1e-9, abs=0)
    return value


@pytest.mark.sweep(10)
@pytest.mark.parametrize(
    ("call", "exponent"),
    [  # fractions stay between 0 and 1
        (call, exponent)
        for call in CALLS
        for exponent in EXPONENTS
        if call != "fractions" or exponent < 0
    ],
)
def test_a_power_of_two_scales_the_ends_and_nothing_else(call, exponent):
    # Fractions of about 1 have less room, because they can't exceed it.
    start = -50 if call == "fractions" else 0
    before, after = (CALLS[call](2.0**each).to_dict() for each in (start, exponent))
    if call == "fractions":  # whose range is what a sample may lack a part of
        for name in ("least_margin", "margin_low", "margin_high", "notes"):
            del before[name], after[name]
    assert scaled(after, 1) == scaled(before, 2.0 ** (exponent - start))
