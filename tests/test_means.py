"""Means of values of groups: their tests and intervals."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from sklearn_ap.core.skewed import Mean, skewness_of

from .intervals import hall_and_t
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
def test_it_is_the_larger_p_value_of_the_t_test_and_of_hall(seed):
    rng = np.random.default_rng(seed)
    n, level, shift = 3 + seed * 3 % 50, [0.5, 0.95, 0.999][seed % 3], rng.normal()
    units = rng.lognormal(sigma=1 + seed % 2, size=n) * (-1) ** seed + shift
    other = rng.normal(size=n) + 3
    found = compare_values(units + other, other, confidence_level=level)
    low, high, p = hall_and_t(units, level)
    assert (found.low, found.high, found.pvalue) == pytest.approx((low, high, p))
    assert (found.low > 0 or found.high < 0) == (found.pvalue < 1 - level)
    alone = mean_of(units, confidence_level=level)
    assert (alone.low, alone.value, alone.high) == pytest.approx((low, units.mean(), high))


def test_hall_is_the_transform_of_the_paper():
    """The cubes of large deviations don't overflow, and without skewness, nothing is 0/0."""
    rng = np.random.default_rng(0)
    for n, level in product([3, 10, 200], [0.5, 0.95, 0.999]):
        units = rng.lognormal(size=n) - 1
        far = units - units.mean()
        mean = Mean(units.mean(), stats.sem(units), n - 1, n, skewness_of(1e200 * far))
        low, high, p = mean.test(level)
        assert (low, high, p) == pytest.approx(hall_and_t(units, level))
        assert (p < 1 - level) == (low > 0 or high < 0)
    straight = Mean(1.0, 1.0, 9, 10, 0.0).test(0.95)
    assert straight == pytest.approx(Mean(1.0, 1.0, 9, 10, 1e-12).test(0.95))


@pytest.mark.parametrize("wrong", [1, 2, 3, 10])
def test_an_interval_is_no_wider_than_that_of_a_fraction_unless_on_the_logit_scale(wrong):
    """Hall's transform alone has a low end of 0.665 with 3 wrong answers of 50."""
    found = mean_of((np.arange(50) >= wrong).astype(float))
    low, high = stats.binomtest(50 - wrong, 50).proportion_ci()
    assert low - 0.04 < found.low < low
    assert high - 0.01 < found.high < high + 0.01


def differences(kind, rng, size):
    if kind == "exponential":
        return rng.exponential(size=size) - 1
    if kind == "log-normal":
        return rng.lognormal(size=size) - np.exp(0.5)
    large = rng.random(size) < 0.05
    return np.where(large, rng.normal(3, 10, size), rng.normal(0, 0.05, size)) - 0.15


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "size", "most"), [
    ("exponential", 10, 0.085), ("exponential", 20, 0.06), ("exponential", 50, 0.06),
    ("log-normal", 20, 0.095), ("log-normal", 60, 0.065), ("rare", 60, 0.1),
])  # fmt: skip
def test_skewed_differences_are_rarely_called_better(kind, size, most):
    """And if they are, by rare and large ones, a note says so: `rare` counts those without."""
    alarms, zeros = [], np.zeros(size)
    for seed in range(3000):
        units = differences(kind, np.random.default_rng(seed), size)
        found = compare_values(units, zeros)
        is_told = kind == "rare" and any(note.code == "few_units" for note in found.notes)
        alarms.append(found.pvalue < 0.05 and not is_told)
    assert np.mean(alarms) <= most


@pytest.mark.slow
@pytest.mark.parametrize("size", [20, 50])
def test_normal_differences_are_found_as_often_as_by_a_t_test(size):
    rng, found, by_t = np.random.default_rng(0), [], []
    for _ in range(2000):
        units = rng.normal(0.5, 1, size)
        found.append(compare_values(units, np.zeros(size)).pvalue < 0.05)
        by_t.append(stats.ttest_1samp(units, 0).pvalue < 0.05)
    assert np.mean(found) >= 0.95 * np.mean(by_t)


@pytest.mark.slow
def test_intervals_hold_for_clusters_of_unequal_size():
    rng, holds = np.random.default_rng(0), []
    for _ in range(2000):
        size = rng.geometric(0.2, 30)
        cluster = np.repeat(np.arange(30), size)
        effect = 0.1 + 0.15 * rng.standard_normal(30)[cluster]
        one = (rng.random(cluster.size) < 0.6 + effect / 2).astype(float)
        other = (rng.random(cluster.size) < 0.6 - effect / 2).astype(float)
        found = compare_values(one, other, clusters=cluster)
        holds.append(found.low <= 0.1 <= found.high)
    assert 0.93 <= np.mean(holds) <= 0.97


def test_equal_gains_are_not_by_chance():
    same = compare_values(GAIN, GAIN, margin=0.05)
    assert (same.low, same.high, same.pvalue, same.verdict) == (0, 0, 1, "equivalent")
    constant = compare_values(GAIN + 1, GAIN)
    assert (constant.low, constant.high) == (pytest.approx(2 * 0.025 ** (1 / 60) - 1), np.inf)
    assert [note.code for note in constant.notes] == ["no_limits"]


def test_intervals_of_fractions_stay_within_their_range():
    found = compare_values([1, 1, 1, 0], [0, 0, 0, 0], confidence_level=0.99)
    assert found.high == 1
    beyond = compare_values([2, 2, 2, 0], [0, 0, 0, 0], confidence_level=0.99)
    assert beyond.high > 2
