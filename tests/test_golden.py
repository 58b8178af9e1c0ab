"""Values computed by hand or in fractions, so that a definition never changes its value."""

from fractions import Fraction

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap.core.operating_points import from_scores

from . import oracle
from .registry import DEFINITIONS

ORACLE = {
    "step": oracle.step,
    "linear": oracle.linear,
    "envelope": oracle.envelope,
    "11-point": lambda *data, **options: oracle.n_point(*data, n_points=11, **options),
    "101-point": lambda *data, **options: oracle.n_point(*data, n_points=101, **options),
}

COLUMNS = ("step", "linear", "envelope", "11-point", "101-point")
UNTIED = {
    "1101010001": (0.783333, 0.762778, 0.783333, 0.803030, 0.785479),
    "111000011": (0.811111, 0.798413, 0.822222, 0.838384, 0.823982),
    "0101100100": (0.525000, 0.420238, 0.575000, 0.572727, 0.575248),
    "10110": (0.805556, 0.763889, 0.833333, 0.840909, 0.834158),
    "01011": (0.533333, 0.405556, 0.600000, 0.600000, 0.600000),
    "1" * 7 + "0" * 20 + "1" * 3: (0.792939, 0.789236, 0.800000, 0.818182, 0.801980),
}
CELLS = [
    (labels, name, golden)
    for labels, row in UNTIED.items()
    for name, golden in zip(COLUMNS, row, strict=True)
]


def ranking(text):
    """Return labels, highest score first, and scores without ties."""
    return np.array([int(c) for c in text]), np.arange(len(text), 0, -1.0)


def value(name, labels, scores):
    definition = DEFINITIONS[name]
    if definition.score is None:
        return definition.rule().values(from_scores(labels.astype(bool), scores))[0]
    return getattr(sklearn_ap, definition.score)(labels, scores, **definition.options)


def check(actual, exact, golden):
    """`golden` is a fraction, or a value rounded to six decimals."""
    if isinstance(golden, Fraction):
        assert exact == golden
    assert abs(exact - Fraction(golden)) <= Fraction(1, 2_000_000)
    assert actual == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize(("labels", "name", "golden"), CELLS)
def test_without_ties(labels, name, golden):
    labels, scores = ranking(labels)
    check(value(name, labels, scores), ORACLE[name](labels, scores), golden)


AT_K = [
    ("1100011", 3, "min", "2/3"),
    ("1100011", 3, "relevant", "1/2"),
    ("1100011", 3, "k", "2/3"),
    ("1100011", 3, "hits", "1"),
    ("1000011", 5, "min", "1/3"),
    ("1000011", 5, "relevant", "1/3"),
    ("1000011", 5, "k", "1/5"),
    ("1000011", 5, "hits", "1"),
]


@pytest.mark.parametrize(("labels", "k", "denominator", "golden"), AT_K)
def test_denominators_of_ap_at_k(labels, k, denominator, golden):
    labels, scores = ranking(labels)
    options = {"k": k, "denominator": denominator}
    actual = sklearn_ap.average_precision_at_k_score(labels, scores, **options)
    check(actual, oracle.at_k(labels, scores, **options), Fraction(golden))


@pytest.mark.parametrize(
    ("ties", "full", "at_2"),
    [
        ("grouped", Fraction(1, 2), Fraction(1, 4)),
        ("expected", 0.680556, 0.416667),
        ("best", Fraction(1), Fraction(1)),
        ("worst", 0.416667, Fraction(0)),
    ],
)
def test_two_of_four_all_tied(ties, full, at_2):
    labels, scores = np.array([0, 0, 1, 1]), np.zeros(4)
    actual = sklearn_ap.average_precision_score(labels, scores, ties=ties)
    check(actual, oracle.at_k(labels, scores, k=4, ties=ties), full)
    actual = sklearn_ap.average_precision_at_k_score(labels, scores, k=2, ties=ties)
    check(actual, oracle.at_k(labels, scores, k=2, ties=ties), at_2)


@pytest.mark.parametrize(
    ("ties", "golden"),
    [
        ("grouped", (1, 0.611111, 0.685185, 0.75, 0.75)),
        ("expected", (1, 0.666667, 0.777778, 0.861111, 0.861111)),
    ],
)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_cut_through_ties(ties, golden, k):
    labels, scores = np.array([1, 0, 0, 1, 0]), np.array([0.9, 0.5, 0.5, 0.5, 0.1])
    actual = sklearn_ap.average_precision_at_k_score(labels, scores, k=k, ties=ties)
    check(actual, oracle.at_k(labels, scores, k=k, ties=ties), golden[k - 1])


@pytest.mark.parametrize(("name", "golden"), [("step", 0.416667), ("11-point", 0.454545)])
def test_positives_never_retrieved(name, golden):
    labels, scores = ranking("101")
    definition = DEFINITIONS[name]
    score = getattr(sklearn_ap, definition.score)
    actual = score(labels, scores, **definition.options, n_positives=4)
    check(actual, ORACLE[name](labels, scores, n_positives=4), golden)


def test_random_selection_tends_to_the_prevalence():
    labels = np.arange(200_000) % 20 == 0
    scores = np.random.default_rng(0).random(labels.size)
    assert sklearn_ap.average_precision_score(labels, scores) == pytest.approx(0.05, abs=0.003)
