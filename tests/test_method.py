"""The rules of docs/method.md for intervals, tests and verdicts, written down a second time."""

import itertools

import numpy as np
from scipy import stats
from scipy.special import expit, logit

from sklearn_ap._uncertainty.comparison import compare_variations, decide_verdict
from sklearn_ap._uncertainty.folds import FoldScores
from sklearn_ap._uncertainty.textbook import TTest, compute_t_test, count_equal
from sklearn_ap._uncertainty.unsampled import bound_one_more, compute_interval
from sklearn_ap._uncertainty.variation import Variation

from .numbers import close


class KnownVariation(Variation):
    """A value that each negative above all others costs a known amount: usually, and in margins."""

    def compute_cost(self, n_negatives, in_margins=False):
        return n_negatives * self.negatives[int(in_margins)]


def draw_variations(rng):
    """Draw how two models vary on the same few units, some equal, some without variance."""
    n = rng.choice([1, 2, 3, 5, 20])
    errors = rng.standard_normal((2, n)) * rng.choice([0, 1e-16, 0.01, 0.3])
    bottom, width = rng.choice([[0, 1], [0, 1], [0, 0.4], [0, 5], [-0.5, 2]])
    known = {"basis": "", "n_samples": n, "n_positives": n, "limits": (bottom, bottom + width)}
    known |= {"n_effective": n * rng.choice([1.0, 0.7])}
    known["method"] = rng.choice(["influences", "resamples", "groups", "function"])
    if known["method"] == "groups":
        known["unseen"] = bottom + 0.1 * width, bottom + 0.9 * width
    if known["method"] == "resamples" and bottom == 0:
        known["perfect"] = rng.choice([0.8 * width, np.inf])
    return [
        KnownVariation(
            value=(bottom + width * round(rng.random(), 1)) * rng.choice([1, 1 + 1e-14]),
            deviations=deviations,
            negatives=rng.choice([0.0, 0.02], 2) * (known["method"] != "function"),
            bias=rng.choice([0.0, 0.01]),
            rare_parts=rng.choice([0.0, 0.02], 2),
            **known,
        )
        for deviations in errors
    ]


def find_ends(v, level):
    bottom, width = v.limits[0], v.limits[1] - v.limits[0]
    if v.n_effective <= 1:
        return [bottom, bottom + width]
    value, error = (v.value - bottom) / width, v.standard_error / width
    n_negatives = -np.log((1 - level) / 2) if v.method == "resamples" else 1
    cost = v.compute_cost(n_negatives) / width
    worst, best = (0, 1) if v.unseen is None else (np.array(v.unseen) - bottom) / width
    best = min(best, v.perfect / width)
    lacking = 1 - ((1 - level) / 2) ** (1 / v.n_effective)
    low = value - max(lacking * (value - worst), cost)
    high = value + lacking * (best - value)
    if error > 1e-10 and 0 < value < 1:
        reach = stats.t.ppf((1 + level) / 2, v.n_effective - 1) * error
        step = reach / (value * (1 - value))
        ends = expit(logit(value) + np.array([-step, step]))
        if v.method == "resamples":
            low, high = min(low, value - reach), max(ends[1], value + reach)
        else:
            gaps = np.array([value - worst, best - value]) / (v.n_effective + 1)
            if v.method != "groups":
                gaps[0] = cost
            if v.method == "function":
                gaps[1] = 0
            below, above = np.hypot(np.abs(ends - value), gaps)
            low, high = value - below, value + above
    low = max(low - v.bias / width, 0)
    return [min(bottom + width * low, v.value), max(bottom + width * min(high, 1), v.value)]


def test_ends_of_a_value():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        variation, _ = draw_variations(rng)
        level = rng.choice([0.5, 0.9, 0.95, 0.99])
        found = compute_interval(variation, level)
        assert close(found, find_ends(variation, level), (variation, level))


def test_one_more_unit_of_groups():
    """It loses more than the worst one by half the range of the losses, on the log scale."""
    equal = np.full(3, 1 / 3)
    worst, best = bound_one_more(np.array([0.5, 0.4, 0.64]), 0.0, np.ones(3), equal)
    assert close([worst, best], [1 - 0.6**1.5 / 0.36**0.5, 1 - 0.36**1.5 / 0.6**0.5])
    tops = np.array([0.5, 0.8, 0.0])  # a third group can have nothing but 0
    assert close(bound_one_more(np.array([0.5, 0.4, 0.0]), 0.0, tops, equal), [0, 1.3 / 3])
    for value in (0.0, 0.3, 1.0):  # nothing shows how far others may be
        assert close(bound_one_more(np.full(3, value), 0.0, np.ones(3), equal), [0, 1])
    mirrored = bound_one_more(1 - np.array([0.5, 0.4, 0.64]), 1.0, np.zeros(3), equal)
    assert close(mirrored, [1 - best, 1 - worst])


def test_differences():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        a, b = draw_variations(rng)
        level, q = rng.choice([0.5, 0.9, 0.95, 0.99]), rng.choice([1, 2, 45])
        test, u = compare_variations(a, b, level, q), a.n_effective
        width = max(min(np.diff(each.limits)[0], each.perfect) for each in (a, b))
        apart = [*(a.deviations - b.deviations), *(a.rare_parts - b.rare_parts)]
        difference, error = a.value - b.value, np.linalg.norm(apart)
        if max(abs(difference), error) < 1e-12:  # by rounding
            difference = error = 0
        error = max(error, abs(difference) / u**2)
        reach = stats.t.ppf(1 - (1 - level) / 2 / q, u - 1) * error
        low, high = max(difference - reach, -width), min(difference + reach, width)
        p = min(2 * q * stats.t.sf(abs(difference) / error, u - 1), 1) if error else 1
        lacking, one = 1 - ((1 - level) / 2 / q) ** (1 / u), 1 - (1 - level) / q
        cost = max(each.compute_cost(-np.log((1 - one) / 2), in_margins=True) for each in (a, b))
        unseen = np.hypot(cost, lacking * width)
        below, above = np.hypot(difference - low, unseen), np.hypot(high - difference, unseen)
        margins = [max(difference - below, -width), min(difference + above, width)]
        ends = [low, high] if error else margins
        of_test = [*ends, *margins, error, p] if u > 1 else [np.nan] * 6
        found = test.low, test.high, test.margin_low, test.margin_high, test.standard_error
        case = a, b, level, q
        assert close([*found, test.pvalue], of_test, case)
        assert close(
            [test.difference, test.units, test.least_margin], [difference, u, unseen], case
        )
        is_clear = test.pvalue < round(1 - level, 12)
        assert is_clear == (test.low > 0 or test.high < 0), case
        assert is_clear == (decide_verdict(test) in ("better", "worse")), case


def test_the_best_of_many_without_its_luck():
    """Ten equal ways, of which the best one is lucky, and one that is better on all folds."""

    def correct_best(scores):
        return FoldScores([], scores, "", 1 / 9, "").correct_best()

    too_high, corrected = [], []
    for seed in range(40):
        noise = 0.7 + 0.05 * np.random.default_rng(seed).standard_normal((10, 20))
        too_high.append(noise.mean(1).max() - 0.7)
        corrected.append(correct_best(noise) - 0.7)
    assert np.mean(too_high) > 0.015
    assert abs(np.mean(corrected)) < 0.005
    clear = np.vstack([noise, noise.max(0) + 0.1])
    assert abs(correct_best(clear) - clear[-1].mean()) < 0.002
    assert correct_best(np.vstack([noise * 0, noise * 0 + 1])) == 1


def test_p_and_interval_say_the_same_at_the_edge_of_significance():
    for units, ulps in itertools.product(range(5, 60), range(-4, 5)):
        difference = 0.1 * stats.t.ppf(0.975, units - 1) * (1 + ulps * 2e-16)
        test = compute_t_test(difference, 0.1, units - 1, 0.95, 1, 1.0)
        assert (test.low > 0) == (test.pvalue < 0.05)
        assert close(test.pvalue, 0.05)


def test_verdicts():
    """It's the first one of the table that applies. Ends are often on the margin or 0."""
    rng = np.random.default_rng(0)
    for _ in range(1000):
        lower, low, high, upper = np.sort(rng.integers(-4, 5, 4) / 10)
        margin = rng.choice([None, 0.1, 0.3])
        m = margin or -1
        verdicts = {
            "equivalent": -m < lower and upper < m,
            "better": low > 0,
            "worse": high < 0,
            "no worse": lower > -m,
            "no better": upper < m,
            "unclear": True,
        }
        expected = next(verdict for verdict, applies in verdicts.items() if applies)
        test = TTest(low=low, high=high, margin_low=lower, margin_high=upper)
        assert decide_verdict(test, margin) == expected
        test = TTest(low=-high, high=-low, margin_low=-upper, margin_high=-lower)
        assert decide_verdict(test, margin, greater_is_better=False) == expected


def test_equal_units():
    assert close([count_equal(np.array(m)) for m in ([2, 2, 0], [3, 1], [0.0])], [2, 16 / 10, 0])
    assert close(count_equal(np.array([3e200, 1e200])), 16 / 10)
    assert count_equal(np.array([1, 1 + 3e-5])) == 2  # or 1 could be more than 1
