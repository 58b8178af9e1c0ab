"""Values per unit that were computed elsewhere: `compare_values`."""

import re
from itertools import product

import numpy as np
import pytest
from scipy import special, stats

import sklearn_ap as ap
from sklearn_ap.core.skewed import Mean, skewness_of

from .intervals import hall, hall_and_t

RNG = np.random.default_rng(0)
UNITS = [f"q{i}" for i in range(60)]
DOCUMENT = np.arange(60) // 6
EASE = RNG.random(10).repeat(6)
A, B, C = ((RNG.random(60) < share + 0.3 * EASE).astype(float) for share in (0.6, 0.4, 0.5))
GAIN = RNG.random(60)


def series(values, order=None):
    pd = pytest.importorskip("pandas")
    made = pd.Series(values, index=pd.Index(UNITS, name="question"))
    return made if order is None else made.sample(frac=1, random_state=order)


def test_it_is_the_paired_t_test():
    for one, other in ((A, B), (GAIN, GAIN + RNG.normal(0, 0.1, 60)), (5 * A - 3, 5 * B - 3)):
        found, expected = ap.compare_values(one, other), stats.ttest_rel(one, other)
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
    found = ap.compare_values(units + other, other, confidence_level=level)
    low, high, p = hall_and_t(units, level)
    assert (found.low, found.high, found.pvalue) == pytest.approx((low, high, p))
    assert (found.low > 0 or found.high < 0) == (found.pvalue < 1 - level)
    alone = ap.compare_values(units, confidence_level=level)
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


def hall_and_logit(units):
    """Return the wider interval around a mean of units between 0 and 1."""
    n, mean = units.size, units.mean()
    reach = stats.t(n - 1).ppf(0.975) * stats.sem(units) / (mean * (1 - mean))
    near, far = special.expit(special.logit(mean) + reach * np.array([-1, 1]))
    low, high = hall(units)
    return min(low, near), max(high, far)


def test_one_sample_gives_its_mean():
    by_name = dict(zip(UNITS, GAIN.tolist(), strict=True))
    expected = ap.compare_values(GAIN)
    assert isinstance(expected, ap.inference.Interval)
    assert expected.value == pytest.approx(GAIN.mean())
    assert (expected.low, expected.high) == pytest.approx(hall_and_logit(GAIN))
    amounts = ap.compare_values(9 * GAIN)  # without limits
    assert (amounts.low, amounts.high) == pytest.approx(hall_and_t(9 * GAIN)[:2])
    for given in (GAIN.tolist(), by_name, series(GAIN, 1), {"a": GAIN}, series(GAIN).to_frame()):
        assert [*ap.compare_values(given)] == pytest.approx([*expected])
    assert str(ap.compare_values({"a": GAIN})).startswith("Mean value 0.")
    assert "(a)" in str(ap.compare_values({"a": GAIN}))
    clustered = ap.compare_values(GAIN, clusters=DOCUMENT)
    means = GAIN.reshape(10, 6).mean(axis=1)
    assert clustered.standard_error == pytest.approx(stats.sem(means))
    assert (clustered.low, clustered.high) == pytest.approx(hall_and_logit(means), abs=0.01)
    assert (ap.compare_values(np.ones(60)).low, 1) == (pytest.approx(0.025 ** (1 / 60)), 1)


@pytest.mark.parametrize("wrong", [1, 2, 3, 10])
def test_an_interval_is_no_wider_than_that_of_a_fraction_unless_on_the_logit_scale(wrong):
    """Hall's transform alone has a low end of 0.665 with 3 wrong answers of 50."""
    found = ap.compare_values((np.arange(50) >= wrong).astype(float))
    low, high = stats.binomtest(50 - wrong, 50).proportion_ci()
    assert low - 0.04 < found.low < low
    assert high - 0.01 < found.high < high + 0.01


def test_a_note_says_if_a_few_units_decide():
    for n, n_large, told in ((60, 1, True), (60, 3, True), (60, 5, False), (10, 1, True),
                             (10, 2, False), (9, 1, False)):  # fmt: skip
        units = np.where(np.arange(n) < n_large, 100.0, np.arange(n) % 3 / 3)
        for found in (ap.compare_values(units, np.arange(n) % 2), ap.compare_values(units)):
            assert [note.code for note in found.notes] == ["few_units"] * told
    normal = np.random.default_rng(0).normal(size=(200, 30))
    assert not any(ap.compare_values(units).notes for units in normal)
    found = ap.compare_values({"a": units, "b": np.arange(9)}, clusters=np.arange(9) // 2)
    assert found.notes == ()


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
        found = ap.compare_values(units, zeros)
        is_told = kind == "rare" and any(note.code == "few_units" for note in found.notes)
        alarms.append(found.pvalue < 0.05 and not is_told)
    assert np.mean(alarms) <= most


@pytest.mark.slow
@pytest.mark.parametrize("size", [20, 50])
def test_normal_differences_are_found_as_often_as_by_a_t_test(size):
    rng, found, by_t = np.random.default_rng(0), [], []
    for _ in range(2000):
        units = rng.normal(0.5, 1, size)
        found.append(ap.compare_values(units, np.zeros(size)).pvalue < 0.05)
        by_t.append(stats.ttest_1samp(units, 0).pvalue < 0.05)
    assert np.mean(found) >= 0.95 * np.mean(by_t)


def test_units_are_aligned_by_their_names():
    expected = ap.compare_values(A, B)
    by_name = dict(zip(UNITS, B.tolist(), strict=True))
    named = [series(B), series(B, 1), by_name, dict(reversed(by_name.items()))]
    for other in named:
        found = ap.compare_values(series(A), other)
        assert (found.difference, found.pvalue) == (expected.difference, expected.pvalue)
        assert sorted(row.unit for row in found.units()) == sorted(UNITS)
    assert found.basis == "60 units (question)"
    for one, other in ((A.tolist(), B.tolist()), (series(A).reset_index(drop=True), B)):
        found = ap.compare_values(one, other)
        assert (found.difference, found.pvalue) == (expected.difference, expected.pvalue)
    assert ap.compare_values([True, False, True], [False, False, True]).difference == 1 / 3


def test_units_can_be_tuples():
    pd = pytest.importorskip("pandas")
    index = pd.MultiIndex.from_product([range(6), range(10)])
    one, other = pd.Series(A, index=index), pd.Series(B, index=index)
    found = ap.compare_values(one, other.sample(frac=1, random_state=0))
    assert found.pvalue == ap.compare_values(A, B).pvalue
    assert found.units().rows[0].unit in list(index)


def test_several_models_are_compared_as_by_compare():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    models = {"a": A, "b": B, "c": C}
    found = ap.compare_values(models, baseline="b", margin=0.1)
    assert [row.model for row in found] == ["a", "b", "c"]
    assert found.baseline == "b"
    alone = [ap.compare_values(models[m], B) for m in "ac"]
    assert [found.rows[0].difference, found.rows[2].difference] == [x.difference for x in alone]
    for row, one in zip([found.rows[0], found.rows[2]], alone, strict=True):
        assert row.pvalue == min(1, 2 * one.pvalue)
    wide = ap.compare_values(A, B, confidence_level=0.975)
    assert wide.low == found.rows[0].low < alone[0].low < alone[0].high < found.rows[0].high
    assert found.rows[0].high == wide.high
    single = ap.compare_values(models, baseline="b", joint=False)
    assert single.rows[0].low == pytest.approx(alone[0].low)
    for frame in (pd.DataFrame(models, index=UNITS), pl.DataFrame(models), models):
        again = ap.compare_values(frame, baseline="b")
        assert [row.pvalue for row in again] == pytest.approx(
            [row.pvalue for row in found], nan_ok=True
        )
    by_unit = {m: dict(zip(UNITS, v.tolist(), strict=True)) for m, v in models.items()}
    ranks = ap.compare_values(by_unit).ranks()
    assert {row.model: row.value for row in ranks} == pytest.approx(
        {model: values.mean() for model, values in models.items()}
    )
    assert "a" in ranks.best


def test_clusters_are_the_sampling_units():
    """With clusters of equal size, the standard error is that of the means of the clusters."""
    differences = (A - B).reshape(10, 6).mean(axis=1)
    of_unit = dict(zip(UNITS, DOCUMENT.tolist(), strict=True))
    given = [(A, B, DOCUMENT), (series(A), series(B, 2), of_unit)]
    given += [(series(A), series(B), series(DOCUMENT, 3)), (series(A), series(B), DOCUMENT)]
    for one, other, clusters in given:
        found = ap.compare_values(one, other, clusters=clusters)
        assert found.standard_error == pytest.approx(stats.sem(differences))
        assert found.basis.endswith("10 clusters")
        low, high = stats.ttest_1samp(differences, 0).confidence_interval()
        assert found.low == pytest.approx(low, abs=0.02)
        assert found.high == pytest.approx(high, abs=0.02)
        assert found.wins == np.sum(A > B)  # units still win and lose
    assert found.standard_error > ap.compare_values(A, B).standard_error * 0.9


@pytest.mark.slow
def test_intervals_hold_for_clusters_of_unequal_size():
    rng, holds = np.random.default_rng(0), []
    for _ in range(2000):
        size = rng.geometric(0.2, 30)
        cluster = np.repeat(np.arange(30), size)
        effect = 0.1 + 0.15 * rng.standard_normal(30)[cluster]
        one = (rng.random(cluster.size) < 0.6 + effect / 2).astype(float)
        other = (rng.random(cluster.size) < 0.6 - effect / 2).astype(float)
        found = ap.compare_values(one, other, clusters=cluster)
        holds.append(found.low <= 0.1 <= found.high)
    assert 0.93 <= np.mean(holds) <= 0.97


def test_lower_can_be_better():
    found = ap.compare_values(A, B, greater_is_better=False, margin=0.05)
    better = ap.compare_values(B, A, margin=0.05)
    assert found.difference == -better.difference
    assert found.verdict == better.verdict
    assert (found.wins, found.losses) == (np.sum(A < B), np.sum(A > B))
    models = ap.compare_values({"a": A, "b": B}, greater_is_better=False)
    assert models.baseline == "b"
    assert models.ranks().rows[0].rank == 2


def test_equal_values_do_not_prove_that_models_are_equal():
    """Three correct answers of both models say little, but equal gains aren't by chance."""
    few = ap.compare_values([1, 1, 0], [1, 1, 0], margin=0.05)
    reach = 1 - 0.025 ** (1 / 3)
    assert (few.low, few.high, few.pvalue) == (pytest.approx(-reach), pytest.approx(reach), 1)
    assert few.verdict == "unclear"
    many = ap.compare_values(np.ones(1000), np.ones(1000), margin=0.05)
    assert many.verdict == "equivalent"
    same = ap.compare_values(GAIN, GAIN, margin=0.05)
    assert (same.low, same.high, same.pvalue, same.verdict) == (0, 0, 1, "equivalent")
    constant = ap.compare_values(GAIN + 1, GAIN)
    assert (constant.low, constant.high) == (pytest.approx(2 * 0.025 ** (1 / 60) - 1), np.inf)
    assert [note.code for note in constant.notes] == ["no_limits"]


def test_intervals_of_fractions_stay_within_their_range():
    found = ap.compare_values([1, 1, 1, 0], [0, 0, 0, 0], confidence_level=0.99)
    assert found.high == 1
    beyond = ap.compare_values([2, 2, 2, 0], [0, 0, 0, 0], confidence_level=0.99)
    assert beyond.high > 2


def test_nothing_passed_is_changed():
    one, other = series(A), series(B)
    known = one.copy(), other.copy()
    found = ap.compare_values(one, other, clusters=series(DOCUMENT), margin=0.1)
    assert one.equals(known[0])
    assert other.equals(known[1])
    assert found.plan(difference=0.05).n_units > 60


@pytest.mark.parametrize(
    ("clusters", "plan"),
    [(None, r"\d+ units, "), ([1, 1, 2, 3, 3], r"\d+ clusters with \d+ units, ")],
)
def test_values_have_units_but_no_positives(clusters, plan):
    """By hand: the differences are -.1, 0, .4, .1 and .1."""
    found = ap.compare_values(
        [0.1, 0.2, 0.5, 0.6, 0.3], [0.2, 0.2, 0.1, 0.5, 0.2], clusters=clusters
    )
    units = found.units()
    assert str(units).splitlines() == [
        "Mean value by unit, A minus B",
        "unit  A      B      difference",
        "0     0.100  0.200  -0.100",
        "1     0.200  0.200  0.000",
        "3     0.600  0.500  +0.100",
        "4     0.300  0.200  +0.100",
        "2     0.500  0.100  +0.400",
    ]
    assert [*units.to_frame()] == ["unit", "A", "B", "difference"]
    assert [*units.to_dict()[0]] == [*units.to_frame(), "conditions"]
    assert (units.kind, units.rows[0].n_positives) == ("units", None)
    with pytest.raises(ValueError, match="can list units, but not clusters"):
        found.units(of="clusters")
    needed = found.plan(difference=0.1)
    assert re.match(plan, str(needed))
    for planned, here in ((needed.n_rows, 5), (needed.n_units, 5 if clusters is None else 3)):
        assert 1 <= planned / (here * needed.factor) < 1.1  # rounded up to two digits
    assert needed.to_dict()["n_positives"] is None
    assert "positives" not in needed.to_markdown()
    many = ap.compare_values(np.arange(60), np.zeros(60)).units()
    assert str(many).splitlines()[-1] == "40 of 60 units are left out; to_frame has all."


def test_units_that_occur_twice_are_found_in_one_pass():
    """Counting each of them would take minutes."""
    pd = pytest.importorskip("pandas")
    twice = pd.Series(np.zeros(200_000), index=[*range(100_000)] * 2)
    with pytest.raises(ValueError, match="several values for the same unit"):
        ap.compare_values(twice, twice)
