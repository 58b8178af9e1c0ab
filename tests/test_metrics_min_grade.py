"""Grades: `min_grade=g` gives the same as labels `y_true >= g`, wherever the grades are."""

from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score as sklearn_average_precision

import sklearn_ap as ap

from .containers import CONTAINERS
from .examples import AP

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


# Grades from 0 to 4 with some tied scores, and a query whose highest grade is 1
RNG = np.random.default_rng(0)
GRADE, NUMBER = RNG.integers(0, 5, 60), RNG.integers(0, 5, 60)
GRADE[NUMBER == 3] %= 2
SCORE = np.round(RNG.standard_normal(60) + GRADE / 2, 1)
QUERY = np.array([f"q{i}" for i in NUMBER])


@pytest.mark.sweep(6)
@pytest.mark.parametrize("kind", sorted(CONTAINERS))
@pytest.mark.parametrize("grades", [GRADE, GRADE / 2, GRADE > 2], ids=["grade", "half", "truth"])
def test_any_container_may_hold_grades(kind, grades):
    held = CONTAINERS[kind](grades)
    for min_grade in (1, 1.5, np.int8(2), Fraction(5, 2)):
        value = AP(held, SCORE, min_grade=min_grade, zero_division=0.0)
        assert value == AP(grades >= float(min_grade), SCORE, zero_division=0.0)


@pytest.mark.parametrize(
    "dtype", [int, np.uint8, np.int8, np.uint64, np.float16, np.float32, np.longdouble, Decimal]
)
@pytest.mark.parametrize("min_grade", [-1, 2, 1.5, 300, -(10**30), 10**30, 1e30])
def test_grades_of_any_type_are_compared_as_numbers(dtype, min_grade):
    given = [Decimal(int(x)) for x in GRADE] if dtype is Decimal else GRADE.astype(dtype)
    value = AP(given, SCORE, min_grade=min_grade, zero_division=0.0)
    assert value == AP([int(x) >= min_grade for x in GRADE], SCORE, zero_division=0.0)


@pytest.mark.parametrize("large", [2**60, 2**80])
@pytest.mark.parametrize("held", [list, np.array, partial(np.array, dtype=object)])
def test_large_grades_are_not_rounded(large, held):
    value = AP(held([large + i for i in range(4)]), [4, 3, 2, 1], min_grade=large + 2)
    assert value == AP([0, 0, 1, 1], [4, 3, 2, 1])


def test_a_grade_is_the_decimal_as_written():
    tenths = [0.1, 0.2, 0.3]
    for held in (np.float32(tenths), [Decimal(str(x)) for x in tenths], tenths):
        for place, lowest in enumerate(tenths):
            value = AP(held, [3, 2, 1], min_grade=lowest)
            assert value == AP(np.arange(3) >= place, [3, 2, 1])


def test_probabilities_of_several_grades_are_refused_with_what_ranks():
    X, grades = graded()
    model = LogisticRegression().fit(X, grades)
    proba = model.predict_proba(X)
    for use in (
        partial(AP, grades, proba, min_grade=2),
        partial(ap.make_ap_scorer(min_grade=2), model, X, grades),
        partial(ap.hit_curve, grades, proba, min_grade=2),
    ):
        with pytest.raises(ValueError, match=r"proba\[:, model.classes_ >= 2\].sum\(axis=1\)"):
            use()
    reaches = proba[:, model.classes_ >= 2].sum(axis=1)  # as the error says
    expected = sklearn_average_precision(grades >= 2, reaches)
    assert AP(grades, reaches, min_grade=2) == pytest.approx(expected)


def test_no_grade_is_high_enough():
    words = r"^No positive .*The value \(min_grade=5\) is undefined \(0/0\) and set to 0.0"
    with pytest.warns(UndefinedMetricWarning, match=words):
        assert AP(GRADE, SCORE, min_grade=5) == 0
    with pytest.warns(UndefinedMetricWarning, match=r"1 of 5 groups \(q3\)"):
        ap.mean_average_precision_score(GRADE, SCORE, groups=QUERY, min_grade=2)
    assert AP(GRADE, SCORE, min_grade=5, zero_division=1.0) == 1


def graded():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    return X, np.digitize(X[:, 0] + rng.standard_normal(200), [-1, 0, 1])


@pytest.mark.parametrize("high", [1, 3])
def test_scorers_of_classifiers_of_two_grades(high):
    """Their scores are high for the higher grade, whatever the two grades are."""
    X, grades = graded()
    grades = np.where(grades >= 2, high, 0)
    model = LogisticRegression().fit(X, grades)
    expected = sklearn_average_precision(grades == high, model.decision_function(X))
    for make in (ap.make_ap_scorer, partial(ap.get_scorer, "average_precision")):
        assert make(min_grade=high)(model, X, grades) == pytest.approx(expected)


def test_scorers_of_outliers():
    """Some outliers are worse than others."""
    X, grades = graded()
    detector = IsolationForest(n_estimators=9, random_state=0).fit(X)
    expected = AP(grades >= 3, -detector.score_samples(X))
    scorer = ap.make_ap_scorer(min_grade=3)
    assert scorer(detector, X, grades) == expected
    assert repr(scorer) == "make_ap_scorer('average_precision', min_grade=3)"
    assert "min_grade=0" in repr(ap.make_ap_scorer(min_grade=0))
