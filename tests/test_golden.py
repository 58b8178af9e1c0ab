"""Values computed by hand, in fractions or in texts on average precision, which never change."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import sklearn_ap

from . import oracle

AP, LINEAR = sklearn_ap.average_precision_score, sklearn_ap.metric("linear")
ENVELOPE, AT_K = (
    sklearn_ap.interpolated_average_precision_score,
    sklearn_ap.average_precision_at_k_score,
)
COLUMNS = {  # the functions, and the same in fractions
    "step": (AP, oracle.step),
    "linear": (LINEAR, oracle.linear),
    "envelope": (ENVELOPE, oracle.envelope),
    "11-point": (
        sklearn_ap.eleven_point_average_precision_score,
        partial(oracle.n_point, n_points=11),
    ),
    "101-point": (partial(ENVELOPE, n_points=101), partial(oracle.n_point, n_points=101)),
}
UNTIED = {
    "1101010001": (0.783333, 0.762778, 0.783333, 0.803030, 0.785479),
    "111000011": (0.811111, 0.798413, 0.822222, 0.838384, 0.823982),
    "0101100100": (0.525000, 0.420238, 0.575000, 0.572727, 0.575248),
    "10110": (0.805556, 0.763889, 0.833333, 0.840909, 0.834158),
    "01011": (0.533333, 0.405556, 0.600000, 0.600000, 0.600000),
    "1" * 7 + "0" * 20 + "1" * 3: (0.792939, 0.789236, 0.800000, 0.818182, 0.801980),
    # M. Zhu, "Recall, precision and average precision", University of Waterloo, 2004, table 1
    "1101000000": (0.916667,),
    "1001000100": (0.625000,),
    # The page on precision, recall, AP and AP@k: two models that one threshold can't tell apart
    "11001100": (0.816667,),
    "00110011": (0.440476,),
}


def ranking(text):
    """Return labels, highest score first, and scores without ties."""
    return np.array([int(c) for c in text]), np.arange(len(text), 0, -1.0)


def check(actual, exact, golden):
    """`golden` is a fraction, or a value rounded to six decimals."""
    if isinstance(golden, Fraction):
        assert exact == golden
    assert abs(exact - Fraction(golden)) <= Fraction(1, 2_000_000)
    assert actual == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize(("labels", "row"), UNTIED.items())
def test_without_ties(labels, row):
    data = ranking(labels)
    for (function, exact), golden in zip(COLUMNS.values(), row, strict=False):
        check(function(*data), exact(*data), golden)


@pytest.mark.parametrize(
    ("labels", "k", "golden"),
    [
        ("1100011", 3, {"min": "2/3", "relevant": "1/2", "k": "2/3", "hits": "1"}),
        ("1000011", 5, {"min": "1/3", "relevant": "1/3", "k": "1/5", "hits": "1"}),
        ("11001100", 3, {"min": "2/3"}),
    ],
)
def test_denominators_of_ap_at_k(labels, k, golden):
    labels, scores = ranking(labels)
    for denominator, fraction in golden.items():
        options = {"k": k, "denominator": denominator}
        actual = AT_K(labels, scores, **options)
        check(actual, oracle.at_k(labels, scores, **options), Fraction(fraction))


ALL_TIED = [0, 0, 1, 1], np.zeros(4)
CUT = [1, 0, 0, 1, 0], [0.9, 0.5, 0.5, 0.5, 0.1]


@pytest.mark.parametrize(
    ("data", "ties", "golden"),
    [
        (ALL_TIED, "grouped", {2: Fraction(1, 4), 4: Fraction(1, 2)}),
        (ALL_TIED, "expected", {2: 0.416667, 4: 0.680556}),
        (ALL_TIED, "best", {2: Fraction(1), 4: Fraction(1)}),
        (ALL_TIED, "worst", {2: Fraction(0), 4: 0.416667}),
        (CUT, "grouped", {1: 1, 2: 0.611111, 3: 0.685185, 4: 0.75, 5: 0.75}),
        (CUT, "expected", {1: 1, 2: 0.666667, 3: 0.777778, 4: 0.861111, 5: 0.861111}),
    ],
)
def test_cut_through_ties(data, ties, golden):
    for k, fraction in golden.items():
        exact = oracle.at_k(*data, k=k, ties=ties)
        check(AT_K(*data, k=k, ties=ties), exact, fraction)
    check(AP(*data, ties=ties), exact, fraction)


@pytest.mark.parametrize(("name", "golden"), [("step", 0.416667), ("11-point", 0.454545)])
def test_positives_never_retrieved(name, golden):
    data, exist = ranking("101"), {"n_positives": 4}
    function, exact = COLUMNS[name]
    check(function(*data, **exist), exact(*data, **exist), golden)


@pytest.mark.parametrize(("name", "golden"), [("linear", (0.55, 0.345)), ("step", (0.1, 0.14))])
def test_interpolation_rewards_ties(name, golden):
    """Nick Dingwall's post on average precision interpolation."""
    labels, tied = np.arange(100) < 10, np.full(100, 0.5)
    function, _ = COLUMNS[name]
    found = function(labels, tied), function(labels, np.r_[0.8, tied[:98], 0.8])
    assert found == pytest.approx(golden)


def test_table_of_cutoffs():
    """In whole percent, truncated, as in Sancho McCann's "It's a bird... it's a plane..."."""
    precision, recall = (
        [int(100 * metric(*ranking("1101010001"), k=k) + 1e-9) for k in range(1, 11)]
        for metric in (sklearn_ap.precision_at_k_score, sklearn_ap.recall_at_k_score)
    )
    assert precision == [100, 100, 66, 75, 60, 66, 57, 50, 44, 50]
    assert recall == [20, 40, 40, 60, 60, 80, 80, 80, 80, 100]


@pytest.mark.parametrize(("n", "golden"), [(10, 0.292897), (100, 0.138067), (10_000, 0.100791)])
def test_steps_are_random_tie_breaking_in_the_limit(n, golden):
    found = AP(np.arange(n) < n // 10, np.zeros(n), ties="expected")
    assert found == pytest.approx(golden, abs=5e-7)
