"""Intervals and comparisons: numbers of other tools, and laws on random data."""

import numpy as np
import pytest
from scipy import stats

import sklearn_ap as ap
from sklearn_ap._law import Variation, compare_variations, decide_verdict
from sklearn_ap.inference import compare, confidence_interval

KINDS = "rows", "ties", "weights", "clusters", "groups", "crossing", "macro", "micro", "n_positives"
METRICS = "AP", "envelope AP", "linear", "P@10", "R@10%", "11-point"


def draw(seed, kind="rows", n=120):
    """Draw labels, the scores of two models, and what else describes the data."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    y[:3] = True
    noise = rng.standard_normal(n)
    a, b = noise + 1.3 * y, 0.7 * noise + 0.7 * rng.standard_normal(n) + 1.6 * y
    data = {}
    if kind == "ties":
        a, b = a.round(0), b.round(0)
    if kind == "weights":
        data["sample_weight"] = rng.choice([0.5, 1.0, 2.0], n)
    if kind in ("clusters", "crossing"):
        data["clusters"] = rng.integers(0, n // 4, n)
    if kind in ("groups", "crossing"):
        data["groups"] = np.arange(n) % (8 if kind == "groups" else 3)
    if kind in ("macro", "micro"):
        y = rng.random((n, 3)) < 0.3
        a, b = rng.standard_normal((2, n, 3)) + y
        data["average"] = kind
    if kind == "n_positives":
        data["n_positives"] = int(y.sum()) + 4
    return y, a, b, data


def close(first, second):
    return np.allclose(first, second, rtol=1e-7, atol=1e-9, equal_nan=True)


def test_readme_numbers():
    y = [1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0]
    s = [0.9, 0.8, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.3, 0.2, 0.1, 0.1]
    assert str(confidence_interval(y, s)).splitlines()[:2] == [
        "Average precision: 0.728, 95% interval 0.135 to 0.973", "5 positives, random 0.518",
    ]  # fmt: skip
    y, a = [1, 0, 1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    b = [0.9, 0.8, 0.2, 0.6, 0.5, 0.4, 0.3, 0.7]
    one = compare(y, a, b)
    assert (round(one.low, 3), round(one.high, 3), round(one.pvalue, 3)) == (-0.252, 0.543, 0.327)
    assert round(one.least_margin, 2) == 0.64


def test_groups_are_a_paired_t_test():
    y, a, b, data = draw(0, "groups")
    one = compare(y, a, b, **data)
    d = np.subtract(*(ap.average_precision_score(y, s, average=None, **data) for s in (a, b)))
    test = stats.ttest_1samp(d, 0)
    assert close([one.low, one.high], test.confidence_interval(0.95))
    assert close(one.pvalue, test.pvalue)


def test_a_function_without_limits_has_the_interval_of_a_t_test():
    def count_hits(y, s):
        return np.sum(y & (s > 1))

    y, a, b, data = draw(0, "groups")
    in_groups = [data["groups"] == group for group in range(8)]
    ends = []
    for s in (a, b):
        values = [count_hits(y[rows], s[rows]) for rows in in_groups]
        ends.append(stats.t.interval(0.95, 7, np.mean(values), stats.sem(values)))
    found = confidence_interval(y, a, metric=count_hits, **data)
    assert close([found.low, found.high], ends[0])
    # What the sample may lack can change the difference by the farthest end.
    pair = compare(y, a, b, metric=count_hits, **data)
    assert close(pair.least_margin, (1 - 0.025 ** (1 / 8)) * np.abs(ends).max())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", METRICS)
def test_one_claim(kind, metric):
    """p, interval and verdict say the same, and a value lies in its interval."""
    for seed in range(4):
        y, a, b, data = draw(seed, kind)
        if kind == "weights" and "@" in metric:
            data["k_counts"] = "weight"
        interval = confidence_interval(y, a, metric=metric, **data)
        assert 0 <= interval.low <= interval.value <= interval.high
        one = compare(y, a, b, metric=metric, **data)
        for row in (one, *compare(y, {"a": a, "b": b, "c": a + b}, metric=metric, **data)):
            if not np.isnan(row.low):
                assert (row.low > 0 or row.high < 0) == (row.pvalue < 0.05)
                assert (row.verdict in ("better", "worse")) == (row.pvalue < 0.05)
                assert row.margin_low <= row.low <= row.difference <= row.high <= row.margin_high


@pytest.mark.parametrize("kind", KINDS)
def test_order_and_scale_change_nothing(kind):
    y, a, b, data = draw(7, kind)
    order = np.random.default_rng(0).permutation(len(y))
    moved = {k: v[order] if np.ndim(v) else v for k, v in data.items()}
    order = np.s_[order, ::-1] if y.ndim > 1 else order  # also of the classes
    before, after = (
        compare(y, a, b, **data),
        compare(y[order], np.exp(a)[order], 3 * b[order], **moved),
    )
    assert close([before.low, before.high, before.pvalue], [after.low, after.high, after.pvalue])
    if "sample_weight" in data:
        for missed in (None, 2.5):
            exist = None if missed is None else data["sample_weight"] @ y + missed
            found = [
                compare(
                    y, a, b, sample_weight=unit * data["sample_weight"],
                    n_positives=None if exist is None else unit * exist,
                )
                for unit in (1, 3)
            ]  # fmt: skip
            before, scaled = ((each.low, each.margin_low, each.units) for each in found)
            assert close(before, scaled)


def test_swapped_models_swap_signs():
    y, a, b, _ = draw(2)
    one, other = compare(y, a, b, margin=0.2), compare(y, b, a, margin=0.2)
    assert close(
        [one.low, one.margin_low, one.pvalue], [-other.high, -other.margin_high, other.pvalue]
    )


def test_clusters_of_one_row_are_rows():
    y, a, *_ = draw(2)
    alone = confidence_interval(y, a, clusters=np.arange(120))
    assert close([*confidence_interval(y, a)], [*alone])


def test_samples_of_weight_0_do_not_exist():
    y, a, b, _ = draw(2)
    exists, cluster = np.arange(120) % 3 > 0, np.arange(120) // 5
    with_0 = compare(y, a, b, sample_weight=1.0 * exists, clusters=cluster)
    without = compare(y[exists], a[exists], b[exists], clusters=cluster[exists])
    assert close([with_0.low, with_0.high], [without.low, without.high])


def test_families():
    y, a, b, _ = draw(4)
    models = {"a": a, "b": b, "c": a + b}
    assert compare(y, models, baseline="a").family == 2
    chosen = compare(y, models)
    assert chosen.family == 3
    assert chosen[chosen.baseline].value == max(r.value for r in chosen)
    single = compare(y, b, a)
    assert close(compare(y, models, baseline="a")["b"].pvalue, min(2 * single.pvalue, 1))


def draw_variations(rng):
    """Draw how two models vary on the same few units, some equal, some without variance."""
    n = rng.choice([1, 2, 3, 5, 20])
    first, second = rng.standard_normal((2, n)) * rng.choice([0, 1e-14, 0.01, 0.3])
    values = rng.random(2).round(rng.integers(1, 4))
    return [
        Variation(
            value=value,
            deviations=deviations,
            units=float(n),
            basis="",
            cost=rng.choice([0.0, 0.05]),
            n_samples=n,
            n_positives=n,
        )
        for value, deviations in zip(values, (first, second), strict=True)
    ]


@pytest.mark.parametrize("n_results", [1000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_p_interval_and_verdict_say_the_same(n_results):
    rng = np.random.default_rng(0)
    for _ in range(n_results):
        a, b = draw_variations(rng)
        level, family = rng.choice([0.5, 0.9, 0.95, 0.99]), rng.choice([1, 2, 45])
        test = compare_variations(a, b, level, family)
        is_clear = test.pvalue < round(1 - level, 12)
        assert is_clear == (test.low > 0 or test.high < 0)
        assert is_clear == (decide_verdict(test) in ("better", "worse"))
        if a.units > 1:
            assert test.margin_low <= test.low <= test.difference <= test.high <= test.margin_high
            assert test.standard_error >= abs(test.difference) / a.units * (1 - 1e-12)
        else:
            assert np.isnan([test.low, test.pvalue]).all()


def test_a_result_can_be_recomputed_from_its_dict():
    """The ends and p of all results follow from what `to_dict` says."""
    for kind in ("rows", "clusters", "groups"):
        y, a, b, data = draw(5, kind)
        one = compare(y, a, b, **data).to_dict() | {"family": 1}
        several = compare(y, {"a": a, "b": b, "c": a + b}, baseline="a", **data).to_dict()
        for row in (one, *several["rows"][1:]):
            family = row.get("family", several["family"])
            d, s, u = row["difference"], row["standard_error"], row["units"]
            reach = stats.t.ppf(1 - 0.05 / family / 2, u - 1) * s
            assert close([row["low"], row["high"]], [max(d - reach, -1), min(d + reach, 1)])
            assert close(row["pvalue"], min(2 * family * stats.t.sf(abs(d) / s, u - 1), 1))
            unseen = row["least_margin"]
            assert close(row["margin_low"], max(d - np.hypot(d - row["low"], unseen), -1))
    y, a, *_ = draw(5, n=300)
    row = confidence_interval(y, a).to_dict()
    v, s, u, cost = (row[name] for name in ("value", "standard_error", "units", "cost"))
    moved, lacking = stats.t.ppf(0.975, u - 1) * s / (v * (1 - v)), 1 - 0.025 ** (1 / u)
    low, high = 1 / (1 + np.exp(-np.log(v / (1 - v)) + np.array([moved, -moved])))
    assert close(row["low"], v - np.hypot(v - low, cost))
    assert close(row["high"], max(high, v + lacking * (1 - v)))


@pytest.mark.parametrize("metric", ["P@3", "AP@3", "R@3", "EF@10%", "11-point", "R-precision"])
def test_k_counts_and_weights_have_the_values_of_the_metric(metric):
    for seed in range(20):
        y, a, b, data = draw(seed, "weights", 40)
        if "@" in metric:
            data["k_counts"] = "samples" if seed % 2 else "weight"
        options = {"k_counts": data["k_counts"]} if "@" in metric else {}
        score, weight = ap.metric(metric, **options), data["sample_weight"]
        values = [score(y, each, sample_weight=weight) for each in (a, b)]
        one = compare(y, a, b, metric=metric, **data)
        assert close([one.value, one.baseline_value], values)


def test_identical_models_are_equivalent_from_the_least_margin_on():
    y, a, *_ = draw(4)
    least = compare(y, a, a).least_margin
    assert compare(y, a, a, margin=least * 0.999).verdict == "unclear"
    assert compare(y, a, a, margin=least * 1.001).verdict == "equivalent"


def test_equal_models_and_few_units():
    y, a, *_ = draw(4)
    same = compare(y, a, a, margin=0.3)
    assert (same.difference, same.pvalue, same.verdict) == (0, 1, "equivalent")
    assert compare(y, a, a).verdict == "unclear"
    y = np.arange(30) < 1
    one = compare(y, -np.arange(30.0), np.arange(30.0))
    assert np.isnan([one.low, one.pvalue]).all()
    assert one.verdict == "unclear"
    assert confidence_interval(y, -np.arange(30.0)).low < 0.1


@pytest.mark.parametrize(("n", "apart"), [(5, 1.0), (20, 0.7), (20, 3.0)])
def test_coverage(n, apart):
    """Of 120 intervals of 95%, 107 or more contain the true value but in one of 20,000 cases."""
    large = np.arange(400_000) < 20_000
    true = ap.average_precision_score(
        large, np.random.default_rng(0).normal(size=400_000) + apart * large
    )
    y, found = np.arange(20 * n) < n, 0
    for seed in range(120):
        interval = confidence_interval(
            y, np.random.default_rng(seed).normal(size=y.size) + apart * y
        )
        found += interval.low <= true <= interval.high
    assert found >= 107


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda y, a: confidence_interval(y * 0, a), "no positives"),
        (
            lambda y, a: confidence_interval(y * 0, a, groups=1 * (a > 1), zero_division=0),
            "no positives",
        ),
        (lambda y, a: compare(y, a, a, margin=1.5), "margin"),
        (lambda y, a: compare(y, {"a": a}), "two models"),
        (lambda y, a: compare(y, {"a": a, "b": a}, baseline="c"), "none of the models"),
        (lambda y, a: compare(y, a, a, metric="MAP"), "groups="),
        (lambda y, a: confidence_interval(y, a, metric="RR"), "Pass groups="),
        (lambda y, a: confidence_interval(y, a, confidence_level=95), "confidence_level"),
        (lambda y, a: confidence_interval(y, a, clusters=a[1:]), "clusters"),
        (lambda y, a: confidence_interval(y, a, clusters=np.where(y, np.nan, 1)), "clusters has"),
        (lambda y, a: compare(y, {"a": a, "b": a[1:]}), "y_score of 'b'"),
    ],
)
def test_refusals(call, words):
    y, a, *_ = draw(0)
    with pytest.raises(ValueError, match=words):
        call(1 * y, a)
