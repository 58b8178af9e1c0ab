"""What the top k is: samples, their mass, or a share of the ranking."""

import warnings

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._core.rules import choose_denominator

P, R, AT_K = ap.precision_at_k_score, ap.recall_at_k_score, ap.average_precision_at_k_score
LABELS, SCORES = np.array([1, 0, 1, 0, 0, 1, 0, 0, 0, 0]), np.arange(10, 0, -1)
WEIGHT = np.array([2, 1, 1, 3, 1, 1, 1, 1, 1, 1])


@pytest.mark.parametrize(
    ("k", "expected"),
    [(1, 1), (3, 2 / 3), (10, 0.3), (12, 3 / 12), (2**62, 0), (np.int64(3), 2 / 3), (0.1, 1),
     (0.3, 2 / 3), (0.07, 1), (0.21, 2 / 3), (1.0, 0.3), (1e-300, 1), (np.float32(0.3), 2 / 3)],
)  # fmt: skip
def test_k_of_precision(k, expected):
    assert P(LABELS, SCORES, k=k) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [100, 300, 700, 1000, 1100])
@pytest.mark.parametrize("percent", [1, 7, 29, 57, 58])
def test_a_share_is_the_decimal_that_was_written(percent, n):
    """0.29 * 100 is 28.999999999999996, and 0.07 * 100 is 7.000000000000001."""
    labels = np.arange(n) < n * percent // 100
    assert R(labels, -np.arange(n), k=percent / 100) == 1
    assert P(labels, -np.arange(n), k=percent / 100) == 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"k": 3, "k_counts": "weight"}, 2 / 3),  # the first two samples
        ({"k": 3, "k_counts": "samples"}, 3 / 4),
        ({"k": 5, "k_counts": "weight"}, 3 / 5),  # and a third of the fourth
        ({"k": 0.5, "k_counts": "weight"}, 3 / 7),  # 6.5 is rounded up
        ({"k": 0.5, "k_counts": "samples"}, 3 / 8),
        ({"k": 12, "k_counts": "samples"}, 4 / (13 + 2 * 1.3)),
        ({"k": 16, "k_counts": "weight"}, 4 / 16),
    ],
)
def test_weights(options, expected):
    assert P(LABELS, SCORES, sample_weight=WEIGHT, **options) == pytest.approx(expected)


def test_a_share_of_fractional_weights_is_not_rounded():
    found = P(LABELS, SCORES, sample_weight=WEIGHT / 2, k=0.5, k_counts="weight")
    assert found == pytest.approx(1.5 / 3.25)


COUNTS_MASS = "k=.* counts weight.* k_counts='weight' .* k_counts='samples'"


@pytest.mark.parametrize(
    ("options", "warns"),
    [
        ({"k": 3, "sample_weight": WEIGHT}, True),
        ({"k": 3, "sample_weight": np.full(10, 2)}, True),
        ({"k": 3, "sample_weight": np.ones(10)}, False),
        ({"k": 0.3, "sample_weight": np.full(10, 2)}, False),
        ({"k": 0.25, "sample_weight": np.full(10, 2)}, False),  # 5 of 20, not 3 of 10
        ({"k": 0.25, "sample_weight": np.full(10, 0.5)}, False),  # 2.5 samples, not 3
        ({"k": 0.25, "sample_weight": np.full(10, 2), "k_counts": "weight"}, False),
        ({"k": 3, "sample_weight": WEIGHT, "k_counts": "samples"}, False),
        ({"k": 3}, False),
    ],
)
def test_a_warning_where_k_could_count_either(options, warns):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        P(LABELS, SCORES, **options)
    assert len(caught) == warns
    if warns:
        with pytest.warns(UserWarning, match=COUNTS_MASS):
            P(LABELS, SCORES, **options)


DENOMINATORS = {"min": 3, "relevant": 4, "k": 3, "hits": 1}


@pytest.mark.parametrize("denominator", DENOMINATORS)
def test_denominators(denominator):
    labels = [0, 1, 0, 0, 1, 1, 1]
    found = AT_K(labels, range(7, 0, -1), k=3, denominator=denominator)
    assert found == pytest.approx(0.5 / DENOMINATORS[denominator])


def test_hits_without_hits_are_0():
    """There are positives, so the value is not 0/0."""
    assert AT_K([0, 0, 1], [3, 2, 1], k=2, denominator="hits") == 0


def test_no_positives_are_undefined_except_for_precision():
    for function in (R, AT_K, ap.enrichment_factor_score, ap.r_precision_score):
        assert np.isnan(function([0, 0], [1, 2], zero_division=np.nan))
    assert P([0, 0], [1, 2], zero_division=np.nan) == 0


def test_the_enrichment_factor_is_precision_over_prevalence():
    assert ap.enrichment_factor_score(LABELS, SCORES, k=0.1) == pytest.approx(1 / 0.3)
    assert ap.enrichment_factor_score(LABELS, SCORES, k=20) == pytest.approx(0.5)


@pytest.mark.parametrize("n_ties", [1, 7])
def test_the_fast_way_to_the_top_k(n_ties):
    """Only the samples that k can reach are sorted; ties at the k-th score are among them."""
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, 500), rng.integers(0, 500 // n_ties, 500)
    for k in (1, 10, 31, 32, 33, 250, 499, 500, 501, 0.01):  # 32 scores are looked at first
        for ties in ("grouped", "expected", "best", "worst"):
            one = AT_K(labels, scores, k=k, ties=ties)
            groups = np.zeros(500)  # which are sorted as a whole
            assert one == pytest.approx(AT_K(labels, scores, k=k, ties=ties, groups=groups))


def test_a_denominator_without_a_formula_is_refused():
    with pytest.raises(KeyError, match="hits"):
        choose_denominator("hits+1", *np.ones((3, 1)))
