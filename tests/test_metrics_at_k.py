"""AP@k, precision@k and recall@k: cutoffs, denominators, and the order of ties."""

import re
import warnings
from fractions import Fraction
from functools import partial
from math import fsum
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

import sklearn_ap as ap
from sklearn_ap import compat
from sklearn_ap.boosting import lightgbm_metric
from sklearn_ap.core.cutoff import Cut

from . import oracle, strategies
from .oracle import near
from .registry import AT_A_K, AT_K
from .strategies import any_weight_of_k, rankings

STEP, AP, EF = (
    ap.average_precision_score,
    ap.average_precision_at_k_score,
    ap.enrichment_factor_score,
)
P, R = ap.precision_at_k_score, ap.recall_at_k_score
each_score = pytest.mark.parametrize("score", [*AT_A_K, ap.ndcg_score])
has_k_counts = pytest.mark.parametrize("score", AT_A_K)


def at_k(labels, scores, weights=None, **options):
    """0 without positives, and where "hits" finds none."""
    options = {"sample_weight": weights, "zero_division": 0.0} | options
    return AP(labels, scores, **options)


@pytest.mark.parametrize("denominator", ["min", "relevant", "k"])
@given(rankings(positives=True, max_size=8), st.integers(1, 10))
def test_expected_ap(denominator, ranking, k):
    options = {"k": k, "denominator": denominator}
    exact = oracle.expected_by_enumeration(oracle.at_k, *ranking[:2], **options)
    assert at_k(*ranking, ties="expected", **options) == near(exact)
    exact = oracle.expected_by_enumeration(oracle.step, *ranking[:2])
    assert STEP(*ranking[:2], ties="expected") == near(exact)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("ties", ["best", "worst"])
@pytest.mark.parametrize("score", [AP, P, R, EF])
@given(rankings(positives=True, max_size=7), st.sampled_from([1, 2, 3, 4, 5, 9, 0.3, 0.5]))
def test_best_and_worst_are_the_extremes_of_all_orders(score, ties, ranking, k):
    labels, scores, _ = ranking
    extreme = max if ties == "best" else min
    for denominator in oracle.DENOMINATORS if score is AP else [None]:
        options = {"k": k} if denominator is None else {"k": k, "denominator": denominator}
        values = [
            score(order, range(len(order), 0, -1), **options)
            for order in oracle.orders(labels, scores)
        ]
        assert score(labels, scores, ties=ties, **options) == near(extreme(values))


def test_best_and_worst_mean_of_the_hits_of_long_rankings():
    """The sums over millions of ranks keep their digits, and no hits at all have a mean of 0."""
    labels, scores = (
        np.repeat([1, 0, 0, 1], [3, 10**6, 10, 4]),
        np.repeat([2, 1, 0], [3, 10**6, 14]),
    )
    value = partial(AP, labels, scores, k=10**6 + 7, denominator="hits")
    low = (3 + sum((3 + i) / (10**6 + 3 + i) for i in (1, 2, 3, 4))) / 7
    assert value(ties="worst") == pytest.approx(low, rel=1e-13)
    assert value(ties="best") == 1  # without the four at the end
    assert AP([0, 1], [1, 1], k=1, denominator="hits", ties="worst") == 0


@pytest.mark.parametrize("k", [10, 1000, 2**31, 2**63, 10**30])
@pytest.mark.parametrize("ties", oracle.TIES)
def test_beyond_the_data(k, ties):
    """Missing ranks are misses: precision@k keeps falling, and the other values stay."""
    labels, scores = [1, 0, 1, 1, 0], [3, 2, 2, 1, 1]
    full = STEP(labels, scores, ties=ties)
    for denominator in ("min", "relevant"):
        assert at_k(labels, scores, k=k, denominator=denominator, ties=ties) == full
    by_k = at_k(labels, scores, k=k, denominator="k", ties=ties)
    assert by_k == pytest.approx(3 * full / k, rel=1e-12, abs=0)
    assert P(labels, scores, k=k, ties=ties) == pytest.approx(3 / k, abs=0)
    assert R(labels, scores, k=k, ties=ties) == 1


@pytest.mark.parametrize(
    ("share", "size", "k"),
    [
        (0.07, 100, 7),  # 0.07 * 100 is 7.000000000000001
        (0.29, 100, 29),  # 0.29 * 100 is 28.999999999999996
        (0.001, 100, 1),
        (1e-300, 100, 1),
        (1.0, 100, 100),
        (0.071, 100, 8),
        (0.07000000000000002, 100, 8),
        (np.float32(0.07), 100, 7),
        (np.float64(0.29), 100, 29),
        (Fraction(7, 100), 100, 7),
        (Fraction(1, 3), 100, 34),
        (0.1, 7, 1),
        (0.5, 7, 4),
        (0.99, 7, 7),
        (1.0, 1, 1),
    ],
)
def test_shares_of_samples(share, size, k):
    """The smallest whole number that is at least the share, which is the decimal as written."""
    labels, scores = np.arange(size) % 3 == 0, np.arange(size, 0, -1)
    for score in (*AT_A_K, ap.ndcg_score):
        assert score(labels, scores, k=share) == score(labels, scores, k=k), score
        assert score(labels[::-1], scores, k=share) == score(labels[::-1], scores, k=k)


@pytest.mark.parametrize(("digits", "step"), [(100, 1), (1000, 37)])
def test_all_decimals_of_all_sizes(digits, step):
    """Decimals with two and three digits, checked with integers only."""
    sizes = np.arange(1, 250)
    for numerator in range(1, digits, step):
        expected = np.maximum(-(-sizes * numerator // digits), 1)
        assert Cut(numerator / digits).compute_k(sizes).tolist() == expected.tolist()


THREE, SIX = ([1, 0, 1], [3, 2, 1]), ([1, 0, 1, 1, 0, 1], [6, 5, 4, 3, 2, 1])
TWO, ROWS_OF_4 = ([1, 0], [2, 1]), {"k": 4, "sample_weight": [1.0, 4.0], "k_counts": "samples"}


@pytest.mark.parametrize("score", [*AT_K, ap.ndcg_score])
@pytest.mark.parametrize(("share", "k"), [(0.1, 1), (0.25, 3), (0.5, 5), (0.9, 9)])
def test_a_share_is_one_of_the_scored_samples_even_if_more_exist(score, share, k):
    rng = np.random.default_rng(0)
    grades, scores, groups = rng.integers(0, 3, 30), rng.permutation(30), np.repeat([0, 1, 2], 10)
    options = {"groups": groups, "average": None, "n_positives": {0: 20, 1: 30, 2: 40, 3: 5}}
    if score is ap.ndcg_score:
        exist = {group: {0: 9, 1: 20, 2: 10 * group + 8} for group in range(4)}
        options["n_positives"] = exist
    else:
        grades = grades > 0
    of_share = score(grades, scores, k=share, **options)
    np.testing.assert_array_equal(of_share, score(grades, scores, k=k, **options))


EXIST = {"k": 0.5, "groups": [*"aab"], "n_positives": {"a": 1, "b": 1, "c": 2}}
EXAMPLES = [
    # 0.3 of 7 is rounded up to 3 if weights are whole, as for 7 samples, but not otherwise.
    (P, THREE, {"k": 0.3, "sample_weight": [2, 3, 2]}, 2 / 3),
    (P, THREE, {"k": 0.3, "sample_weight": [1, 1.5, 1]}, 1 / 1.05),
    # Half of [1, 1, 1] is rounded up to 2, whatever "b" weighs; half of 1.25 is 0.625.
    (
        P,
        SIX,
        {"k": 0.5, "groups": [*"aaabbb"], "sample_weight": [1, 1, 1, 0.5, 0.5, 0.25]},
        [1 / 2, 0.5 / 0.625],
    ),
    # A tie that k cuts through enters with the fraction of its rows, here 2 of 3.
    (
        R,
        ([1, 1, 0, 1, 0], [2, 1, 1, 1, 0]),
        {"k": 3, "k_counts": "samples", "sample_weight": [4, 2, 6, 1, 3]},
        (4 + 2 / 3 * 3) / 7,
    ),
    # Rows that are missing weigh what the others do.
    (P, TWO, ROWS_OF_4, 1 / (5 + 2 * 2.5)),
    # The k of a group without samples is not 0, so precision there is 0 rather than 0/0.
    (P, THREE, EXIST, [1, 1, 0]),
    (P, THREE, {**EXIST, "sample_weight": [0.5, 0.25, 0.5]}, [1, 1, 0]),
]


@pytest.mark.parametrize(("score", "data", "options", "expected"), EXAMPLES)
def test_example(score, data, options, expected):
    average = {"average": None} if "groups" in options else {}
    assert score(*data, **options, **average) == pytest.approx(expected, rel=1e-12)


WEIGHED = {"sample_weight": [20, 30, 40], "k": 2}


def of_weight(k):
    what = "a fraction of the total" if str(k).endswith("%") else "a total"
    return rf"^k={k} counts weight.* is {what} weight.* k_counts='weight'.* k_counts='samples'"


@has_k_counts
def test_weights_without_k_counts_warn_and_name_both_readings(score):
    for k, shown in ((2, "2"), (1000, "1000"), (0.1, "10%")):
        with pytest.warns(UserWarning, match=of_weight(shown)) as caught:
            value = score([1, 0, 1], [3, 2, 1], **WEIGHED | {"k": k})
        assert len(caught) == 1
        assert caught[0].filename == __file__
    assert score([1, 0, 1], [3, 2, 1], k_counts="weight", **WEIGHED | {"k": 0.1}) == value
    for options in ({"groups": [1, 1, 2]}, {"sample_weight": [0.5, 0.5, 0.5]}):
        with pytest.warns(UserWarning, match=of_weight(2)):
            score([1, 0, 1], [3, 2, 1], **WEIGHED | options)


@has_k_counts
def test_weights_that_mean_the_same_in_both_readings_do_not_warn(score, recwarn):
    for options in (
        {"k_counts": "samples"},
        {"k_counts": "weight"},
        {"k_counts": "weight", "k": 0.5},
        {"sample_weight": None},
        {"sample_weight": [1, 1, 0]},  # the last sample doesn't exist
        {"sample_weight": [0.5, 0.5, 0.5], "k": 0.5},
    ):
        score([1, 0, 1], [3, 2, 1], **WEIGHED | options)
    score(np.eye(3, dtype=int), np.eye(3), average="samples", **WEIGHED)  # weights of queries
    assert not recwarn.list


PACKAGE = Path(ap.__file__).parent
ROWS = np.arange(40)
WEIGHTS = {"sample_weight": ROWS % 3 + 1.0}
Y = ROWS % 4 == 0
A, B = ROWS % 7 + 4 * Y, ROWS % 5 + 4 * Y
MODELS = {"a": A, "b": B, "c": A + B}
QUERIES = {"groups": ROWS % 8, "clusters": ROWS % 2}


def draw_curves(way, *data, **options):
    draw = getattr(ap.AveragePrecisionDisplay, f"from_{way}")
    draw(*data, confidence_level=0.9, **options, **WEIGHTS)


WAYS = {
    "interval": lambda top: ap.confidence_interval(Y, A, metric=top, **WEIGHTS),
    "interval of groups": lambda top: ap.confidence_interval(
        Y, A, metric=top, **WEIGHTS, **QUERIES
    ),
    "comparison": lambda top: ap.compare(Y, MODELS, metric=top, **WEIGHTS),
    "comparison of groups": lambda top: ap.compare(Y, A, B, metric=top, **WEIGHTS, **QUERIES),
    "report": lambda top: ap.report(Y, MODELS, metrics=["AP", top], **WEIGHTS),
    "threshold": lambda top: ap.operating_point(Y, A, k=3, **top.options, **WEIGHTS),
    "explain": lambda top: compat.explain(Y, A, k=3, **top.options, **WEIGHTS),
    "scorer": lambda top: ap.get_scorer(top)(BY_LEVEL, LEVELS, Y, **WEIGHTS),
    "LightGBM": lambda top: lightgbm_metric(top)(Y, A, WEIGHTS["sample_weight"]),
    "display": lambda top: draw_curves("predictions", Y, A, metric=["step", top]),
    "display of folds": lambda top: draw_curves("cv_results", FOLDS, LEVELS, Y, metric=top),
}
LEVELS = np.column_stack([A, B])
BY_LEVEL = LogisticRegression().fit(LEVELS, Y)
FOLDS = cross_validate(BY_LEVEL, LEVELS, Y, return_estimator=True, return_indices=True)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore:A few negatives:UserWarning")
def test_a_call_warns_once(way):
    """It does so for all models and resamples together, and not if k_counts is passed."""
    for options, n_warnings in (({}, 1), ({"k_counts": "weight"}, 0), ({"k_counts": "samples"}, 0)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            WAYS[way](ap.metric("AP@3", **options))
        of_k = [each for each in caught if "k_counts" in str(each.message)]
        assert len(of_k) == n_warnings
        assert all(re.match(of_weight(3), str(each.message)) for each in of_k)
        assert not any(Path(each.filename).is_relative_to(PACKAGE) for each in of_k)


def test_a_cut_through_nothing_but_positives_is_exactly_one():
    for n in range(1, 60, 3):
        labels, scores = np.ones(n, dtype=int), np.zeros(n)
        for k in range(1, n + 1):
            assert at_k(labels, scores, k=k) == 1
            assert P(labels, scores, k=k) == 1


def test_a_cut_at_the_last_sample_changes_no_digit():
    for n in range(2, 200):
        labels, scores = [1] + [0] * (n - 1), [0] * n
        assert at_k(labels, scores, k=n) == STEP(labels, scores)


@any_weight_of_k
@given(rankings(weights=strategies.FLOATS), st.sampled_from([1, 2, 4, 40, 0.3, 0.7]))
def test_rounding_of_weights_never_lifts_a_score_above_one(ranking, k):
    """Even if there are nothing but positives, whose masses add up to a little more than k."""
    labels, scores, weights = ranking
    options = {"k": k, "sample_weight": weights, "zero_division": 0.0}
    for positive in (labels, np.ones(labels.size)):
        for score in (AP, P, R):
            assert 0 <= score(positive, scores, **options) <= 1
    size = k if isinstance(k, int) else k * weights.sum()
    most = weights.sum() / max(size, weights[labels == 1].sum())
    assert 0 <= EF(labels, scores, **options) <= most * (1 + 1e-14)


def expected_terms(groups, k):
    """The terms of expected AP@k for (positives, size) of each group, highest score first."""
    above = before = 0
    for r, n in groups:
        if r:
            slope = (r - 1) / (n - 1) if n > 1 else 0.0
            for i in range(before + 1, min(before + n, k) + 1):
                yield r / n * (above + (i - before - 1) * slope + 1) / i
        above, before = above + r, before + n


MILLION = 1_000_000
EACH_SIZE = [
    [(0, MILLION), (2, 3)],
    [(0, 64), (2, 2)],
    [(10, 500_000), (1, 2), (2, 3), (0, 1), (3, 50)],  # small groups after a large one
    [(1, 100_000)],  # constant scores
    [(50_000, 100_000)],
    [(1, 2)] * 50_000,
]
SWEPT = [
    *([(0, MILLION), (r, n)] for r, n in [(1, 2), (2, 2), (1, 3), (1, 50), (25, 50), (49, 50)]),
    # Around the points where one formula takes over from another
    *(
        [(0, t), (n, n)]
        for t in (1, 62, 63, 64, 65, 128, 1000)
        for n in (2, 3, t // 20 + 2, t // 11 + 2, t // 10 + 2, t // 9 + 2, t + 2, 20 * t)
    ),
    [(MILLION, MILLION), (2, 3)],
    [(MILLION // 2, MILLION), (25, 50)],
    [(100_000, 100_000)],
    [(0, 900_000)] + [(1, 3), (0, 3), (2, 3)] * 10_000,  # triples far down
    [(i % 10 == 0, 1) for i in range(100_000)],  # no ties
    [(0, MILLION)] + [(i % 10 == 0, 1) for i in range(100_000)],
]
EACH_SIZE += [pytest.param(groups, marks=pytest.mark.slow) for groups in SWEPT]


@pytest.mark.sweep(3)
@pytest.mark.parametrize("groups", EACH_SIZE)
def test_expected_keeps_its_digits(groups):
    positives, sizes = np.array(groups, dtype=int).T
    labels = np.repeat(np.tile([1, 0], sizes.size), np.ravel([positives, sizes - positives], "F"))
    scores = np.repeat(np.arange(sizes.size, 0, -1.0), sizes)
    total, size = int(positives.sum()), int(sizes.sum())
    for k in (size, size - 1, size - int(sizes[-1]) // 2):
        reference = fsum(expected_terms(groups, k)) / min(k, total)
        actual = at_k(labels, scores, k=k, ties="expected")
        assert actual == pytest.approx(reference, rel=1e-11, abs=0)
        assert actual == pytest.approx(reference, rel=0, abs=1e-13)
        if k == size:
            assert STEP(labels, scores, ties="expected") == actual
