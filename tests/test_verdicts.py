"""Verdicts: what the interval of a difference allows to say, with and without a margin."""

from fractions import Fraction
from itertools import product

import pytest

from sklearn_ap.core.verdicts import VERDICTS, verdict

# Ends below, on, between and above the landmarks -m, 0 and m, in units of a quarter margin.
PLACES = [*range(-6, 7)]
MARGINS = [None, 0.1, 0.01, 0.3, 1.0, 0.07, 2.5e-4, 40.0]


def said(low: Fraction, high: Fraction, margin: Fraction | None) -> str:
    """The rules in their order, in fractions."""
    if margin is not None and -margin < low and high < margin:
        return "equivalent"
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    if margin is not None and low > -margin:
        return "no worse"
    if margin is not None and high < margin:
        return "no better"
    return "unclear"


@pytest.mark.parametrize("margin", MARGINS)
def test_every_interval(margin):
    exact = Fraction(str(1.0 if margin is None else margin))
    for one, other in product(PLACES, PLACES):
        if one <= other:
            low, high = one * exact / 4, other * exact / 4
            expected = said(low, high, None if margin is None else exact)
            assert verdict(float(low), float(high), margin) == expected, (low, high)


@pytest.mark.parametrize("margin", MARGINS)
def test_a_metric_whose_low_values_are_better(margin):
    size = 1.0 if margin is None else margin
    around = {"better": "worse", "no better": "no worse"}
    around |= {turned: word for word, turned in around.items()}
    for one, other in product(PLACES, PLACES):
        if one <= other:
            low, high = one * size / 4, other * size / 4
            word = verdict(low, high, margin)
            assert verdict(low, high, margin, greater_is_better=False) == around.get(word, word)
            assert verdict(-high, -low, margin) == around.get(word, word)


@pytest.mark.parametrize(
    ("low", "high", "margin", "word"),
    [
        (0.002, 0.008, 0.01, "equivalent"),  # the difference isn't 0, but doesn't matter
        (-0.004, 0.008, 0.01, "equivalent"),
        (0.002, 0.02, 0.01, "better"),
        (-0.02, -0.002, 0.01, "worse"),
        (-0.002, 0.02, 0.01, "no worse"),
        (-0.02, 0.002, 0.01, "no better"),
        (-0.02, 0.02, 0.01, "unclear"),
        (-0.02, 0.02, None, "unclear"),
        (-0.002, 0.02, None, "unclear"),
        (0.0, 0.02, None, "unclear"),  # 0 is in the interval
        (-0.02, 0.0, None, "unclear"),
        (0.0, 0.02, 0.01, "no worse"),
        (-0.02, 0.0, 0.01, "no better"),
    ],
)
def test_by_hand(low, high, margin, word):
    assert verdict(low, high, margin) == word
    assert word in VERDICTS


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (-0.01, 0.005, "no better"),
        (-0.005, 0.01, "no worse"),
        (-0.01, 0.01, "unclear"),
        (0.005, 0.01, "better"),
        (-0.01, -0.005, "worse"),
    ],
)
def test_an_end_on_the_margin_is_outside(low, high, word):
    assert verdict(low, high, 0.01) == word


def test_an_end_on_the_margin_doesnt_depend_on_its_last_bit():
    assert 0.3 - 0.2 < 0.1
    assert verdict(0.05, 0.3 - 0.2, 0.1) == "better"
    assert verdict(0.2 - 0.3, 0.05, 0.1) == "no better"
    assert verdict(0.05, 0.0999999, 0.1) == "equivalent"


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize("greater_is_better", [True, False])
def test_an_undefined_interval_is_unclear(margin, greater_is_better):
    nan = float("nan")
    for low, high in [(nan, nan), (nan, 0.0), (0.0, nan), (nan, -1.0), (1.0, nan)]:
        assert verdict(low, high, margin, greater_is_better) == "unclear"


def test_an_interval_without_ends():
    inf = float("inf")
    assert verdict(-inf, inf, 0.01) == "unclear"
    assert verdict(0.5, inf, 0.01) == "better"
    assert verdict(-inf, -0.5, 0.01) == "worse"
    assert verdict(-0.005, inf, 0.01) == "no worse"
    assert verdict(-inf, 0.005, 0.01) == "no better"


def test_identical_models():
    assert verdict(0.0, 0.0, 1e-6) == verdict(-0.0, 0.0, 1e-6) == "equivalent"
    assert verdict(0.0, 0.0) == "unclear"
