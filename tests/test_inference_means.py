"""Means of values of groups: their tests and intervals."""

import numpy as np
import pytest
from scipy import stats

from sklearn_ap import confidence_interval

from .by_page import compare_means
from .values import compare_values, mean_of

# Values of 0 and 1 look like predicted classes.
pytestmark = pytest.mark.filterwarnings("ignore:The model .* has only the prediction scores")
RNG = np.random.default_rng(0)
EASE = RNG.random(10).repeat(6)
A, B, _ = ((RNG.random(60) < share + 0.3 * EASE).astype(float) for share in (0.6, 0.4, 0.5))
GAIN = RNG.random(60)


def test_it_is_the_paired_t_test():
    for one, other in ((A, B), (GAIN, GAIN + RNG.normal(0, 0.1, 60)), (5 * A - 3, 5 * B - 3)):
        found, expected = compare_values(one, other), stats.ttest_rel(one, other)
        low, high = expected.confidence_interval()
        assert (found.low, found.high) == pytest.approx((low, high))
        assert found.pvalue == pytest.approx(expected.pvalue)
        assert found.difference == pytest.approx(np.mean(one - other))
        assert found.values == pytest.approx((one.mean(), other.mean()))
        assert (found.wins, found.losses) == (np.sum(one > other), np.sum(one < other))
        assert found.wins + found.ties + found.losses == 60


@pytest.mark.sweep(5)
@pytest.mark.parametrize("seed", range(30))
def test_skewed_differences_have_the_p_value_of_the_t_test(seed):
    rng = np.random.default_rng(seed)
    n, level, shift = 3 + seed * 3 % 50, [0.5, 0.95, 0.999][seed % 3], rng.normal()
    units = rng.lognormal(sigma=1 + seed % 2, size=n) * (-1) ** seed + shift
    other = rng.normal(size=n) + 3
    found = compare_values(units + other, other, confidence_level=level)
    expected = compare_means(units, level)
    assert (found.low, found.high, found.pvalue) == pytest.approx(expected)
    assert (found.low > 0 or found.high < 0) == (found.pvalue < 1 - level)
    ends = stats.ttest_1samp(units, 0).confidence_interval(level)
    assert tuple(mean_of(units, confidence_level=level)) == pytest.approx((units.mean(), *ends))


@pytest.mark.parametrize("wrong", [1, 2, 3, 10])
def test_an_interval_is_no_wider_than_that_of_a_fraction_unless_on_the_logit_scale(wrong):
    found = mean_of((np.arange(50) >= wrong).astype(float))
    low, high = stats.binomtest(50 - wrong, 50).proportion_ci()
    assert low - 0.04 < found.low < low
    assert high - 0.01 < found.high < high + 0.01


@pytest.mark.slow
def test_intervals_hold_for_clusters_of_unequal_size():
    """They are a little wide: they hold in 98% of data sets."""
    rng, holds = np.random.default_rng(0), []
    for _ in range(2000):
        size = rng.geometric(0.2, 30)
        cluster = np.repeat(np.arange(30), size)
        effect = 0.1 + 0.15 * rng.standard_normal(30)[cluster]
        one = (rng.random(cluster.size) < 0.6 + effect / 2).astype(float)
        other = (rng.random(cluster.size) < 0.6 - effect / 2).astype(float)
        found = compare_values(one, other, clusters=cluster)
        holds.append(found.low <= 0.1 <= found.high)
    assert 0.93 <= np.mean(holds) <= 0.985


def test_equal_gains_are_not_by_chance():
    same = compare_values(GAIN, GAIN, margin=0.05)
    assert (same.difference, same.pvalue, same.verdict) == (0, 1, "unclear")
    lacked = 1 - 0.025 ** (1 / 60)
    assert same.high == -same.low == 0
    assert same.margin_high == -same.margin_low == same.least_margin == pytest.approx(lacked)
    assert compare_values(GAIN, GAIN, margin=1.1 * lacked).verdict == "equivalent"
    constant = compare_values(GAIN + 1, GAIN)  # as if one more group showed no difference
    reach = stats.t.ppf(0.975, 59) / 60
    assert (constant.low, constant.high) == pytest.approx((1 - reach, 1 + reach))


def test_rows_of_a_matrix_are_groups():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, (30, 5)), rng.random((30, 5))
    labels[:, 2] = 1
    by_row = confidence_interval(labels, scores, metric="MAP", average="samples")
    row = np.arange(30).repeat(5)
    by_group = confidence_interval(labels.ravel(), scores.ravel(), metric="MAP", groups=row)
    assert [*by_row] == pytest.approx([*by_group], rel=1e-12)


def test_intervals_of_fractions_stay_within_their_range():
    found = compare_values([1, 1, 1, 0], [0, 0, 0, 0], confidence_level=0.99)
    assert found.high == 1
    beyond = compare_values([2, 2, 2, 0], [0, 0, 0, 0], confidence_level=0.99)
    assert beyond.high > 2
