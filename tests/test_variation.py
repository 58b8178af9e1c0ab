"""How much a value varies: its derivatives, its resamples, and values of others."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit
from sklearn.metrics import average_precision_score

import sklearn_ap as ap
from sklearn_ap import compare, confidence_interval
from sklearn_ap._core import SortedSamples, flatten, read
from sklearn_ap._uncertainty import resamples
from sklearn_ap._uncertainty.estimation import estimate_variations
from sklearn_ap._uncertainty.units import SampledModel, SampledRankings, SamplingUnits

from .numbers import close

SMOOTH = "AP", "envelope AP", "linear"
AVERAGES = "macro", "micro", "weighted"


def draw(seed, kind="rows", n=120):
    """Draw labels, the scores of two models, and what else describes the data."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    y[:3] = True
    noise = rng.standard_normal(n)
    a, b = noise + 1.3 * y, 0.7 * noise + 0.7 * rng.standard_normal(n) + 1.6 * y
    if kind == "ties":
        a = a.round(0)
    data = {}
    if kind == "weights":
        data["sample_weight"] = rng.choice([0.5, 1.0, 2.0], n)
    if kind == "n_positives":
        data["n_positives"] = int(y.sum()) + 1
    return y, a, b, data


def make_units(n_rows, cluster):
    names = () if cluster is None else range(cluster.max() + 1)
    return SamplingUnits(n_rows, cluster, names)


def estimate(metric, y, s, *, cluster=None, **data):
    rankings, units = flatten(read(y, s, **data)), make_units(len(y), cluster)
    model = SampledModel(ap.metric(metric)._rule, rankings, units, "warn")
    return estimate_variations([model], are_compared=True)[0]


@pytest.mark.parametrize("metric", SMOOTH)
@pytest.mark.parametrize("kind", ["rows", "ties", "weights", "n_positives"])
def test_influences_are_derivatives(metric, kind):
    """Double the weight of a sample a little, and see how the value moves."""
    y, a, _, data = draw(1, kind, 40)
    weight = data.pop("sample_weight", np.ones(40))
    if kind == "weights":  # if negatives weigh more than positives, it isn't quite the derivative
        weight = np.where(y, 2.0, np.minimum(weight, 1.0))
    score = ap.metric(metric)
    deviations = estimate(metric, y, a, sample_weight=weight, **data).deviations
    found, n = deviations[:40] / weight, deviations.size
    for number in data.values():  # positives that weren't scored move the value to 0
        assert close(deviations[40:], -score(y, a, **data) / number * np.sqrt(n / (n - 1)))
    step = 1e-6
    for place in range(40):
        ends = []
        for moved in (step, -step):
            changed = weight + moved * (np.arange(40) == place)
            exist = {name: number + moved * y[place] for name, number in data.items()}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ends.append(score(y, a, sample_weight=changed, **exist))
        expected = (ends[0] - ends[1]) / 2 / step * np.sqrt(n / (n - 1))
        if metric != "envelope AP":  # which has kinks where precisions are equal
            assert abs(found[place] - expected) < 2e-5, place


def test_resamples_agree_with_influences():
    y, a, b, _ = draw(3, n=2000)
    smooth = compare(y, a, b, metric="envelope AP").standard_error
    drawn = compare(y, a, b, metric="interpolated_average_precision", n_points=501).standard_error
    assert 0.85 < drawn / smooth < 1.2


RESAMPLED = (
    *("P@10", "R@10%", "AP@20", "AP@20 ties=best", "EF@10%", "R-precision", "11-point"),
    *("precision at recall 0.5", "recall at precision 0.5", "AP ties=expected"),
)


@pytest.mark.parametrize("kind", ["rows", "many", "ties", "weights", "clusters", *AVERAGES])
@pytest.mark.parametrize("metric", RESAMPLED)
def test_resamples_are_values_of_repeated_rows(metric, kind):
    n = 3000 if kind == "many" else 150
    y, a, _, data = draw(3, kind, n)
    cluster = np.random.default_rng(0).permutation(n) % 40 if kind == "clusters" else None
    options = {}
    if kind == "many":
        y &= np.arange(n) % 3 == 0  # with fewer points than are merged
    if kind in AVERAGES:
        rng = np.random.default_rng(0)
        y = np.column_stack([y, rng.random(n) < 0.4])
        a = rng.random((n, 2)) + y
        data["average"] = kind
    if kind == "weights":
        if "ties" in metric:
            return  # which aren't ordered with weights
        options = {"k_counts": "weight"} if "@" in metric else {}
    found = estimate(ap.metric(metric, **options), y, a, cluster=cluster, **data)
    rankings = flatten(read(y, a, **data))
    rule, units = ap.metric(metric, **options)._rule, make_units(n, cluster)
    sampled = SampledRankings(SampledModel(rule, rankings, units, "warn"))
    ordered = resamples.order_units([resamples.read_contents(sampled)])
    resampled = resamples.Resampling(sampled, ordered).evaluate_resamples()
    assert close(found.standard_error, np.std(resampled, ddof=1))
    block, times = resamples.find_blocks(ordered)
    block = block if cluster is None else block[cluster]
    for place in range(0, 499, 50):
        rows = np.repeat(np.arange(n), times[place].astype(int)[block])
        again = {name: value[rows] if np.ndim(value) else value for name, value in data.items()}
        expected = ap.metric(metric, **options)(y[rows], a[rows], **again)
        assert close(resampled[place], expected)


@pytest.mark.parametrize("metric", ["P@100", "AP@200", "R@1%"])
def test_points_near_a_cutoff_are_not_merged(metric):
    y, a, *_ = draw(0, n=40_000)
    error = confidence_interval(y, a, metric=metric).standard_error
    with_clusters = confidence_interval(y, a, metric=metric, clusters=np.arange(y.size))
    assert close(with_clusters.standard_error, error)
    weight = 1 + 1e-9 * np.arange(y.size)
    of_samples = ap.metric(metric, k_counts="samples")
    with_weights = confidence_interval(y, a, metric=of_samples, sample_weight=weight)
    assert abs(with_weights.standard_error / error - 1) < 1e-4


@pytest.mark.parametrize("size", [1, 3])
def test_positives_count_in_their_own_precision(size):
    """Without them and the rest of their cluster, it's lower."""
    rng = np.random.default_rng(0)
    y = np.repeat(rng.random((20, 2)) < 0.4, size, axis=0)
    scores = np.repeat(rng.permutation(40).reshape(20, 2) + 9 * y[::size], size, axis=0)
    biases = []
    for column, s in zip(y.T, scores.T, strict=True):
        falls = []
        for place in np.flatnonzero(column):
            above, others = s >= s[place], np.arange(20 * size) // size != place // size
            rest = column[above & others]
            precision = column[above].mean()
            falls.append(precision - rest.mean() if rest.size else 1 - precision)
        biases.append(np.mean(falls))
    found = estimate("AP", y, scores, cluster=np.arange(20 * size) // size, average="macro")
    assert close(found.bias, np.mean(biases))


MERGED = (
    *("P@R 0.5", "P@R 0.9", "P@R 0.95", "R@P 0.3", "R@P 0.5", "11-point", "VOC07", "101-point"),
    *("P@20%", "P@1000", "R@30%", "AP@20%", "EF@10%", "R-precision"),
)


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        *itertools.product(MERGED, ["rows"]),
        *itertools.product(["P@R 0.95", "R@P 0.3", "P@20%"], ["clusters", "weights", "macro"]),
    ],
)
def test_merged_points_vary_as_all_points_do(metric, kind, monkeypatch):
    n = 10_000
    rng = np.random.default_rng(1)
    cluster = rng.integers(0, 300, n) if kind == "clusters" else None
    y = rng.random((n, 2) if kind == "macro" else n) < 0.2
    a = rng.standard_normal(y.shape) + 1.5 * y
    data, options = {}, {}
    if kind == "macro":
        data["average"] = kind
    if kind == "weights":
        data["sample_weight"] = rng.choice([1.0, 2.0], n)
        options = {"k_counts": "samples"} if "@" in metric and "@R" not in metric else {}
        options = {} if "@P" in metric else options
    metric = ap.metric(metric, **options)
    error = estimate(metric, y, a, cluster=cluster, **data).standard_error
    monkeypatch.setattr(resamples, "_MAX_POINTS", n)
    expected = estimate(metric, y, a, cluster=cluster, **data).standard_error
    assert error == pytest.approx(expected, rel=0.05)


def test_samples_that_are_tied_at_the_cutoff_count_whole():
    """Half of all rows have the highest score, so precision is theirs, whatever k is."""
    y, n = np.random.default_rng(0).random(20_000) < 0.4, 20_000
    for k in (10, 1000):
        found = confidence_interval(y, np.arange(n) < n / 5, metric=f"P@{k}")
        assert abs(found.standard_error / np.sqrt(0.24 / (n / 5)) - 1) < 0.1


def test_a_class_of_one_positive_adds_its_difference():
    rng = np.random.default_rng(0)
    y = np.column_stack([rng.random((60, 2)) < 0.4, np.arange(60) == 7])
    scores = [rng.random((60, 3)) + y, rng.random((60, 3)) + y]
    first, second = (estimate("AP", y, each).deviations for each in scores)
    values = [average_precision_score(y[:, 2], each[:, 2]) for each in scores]
    expected = np.hypot(np.linalg.norm(first - second), np.subtract(*values) / 3)
    assert close(compare(y, *scores).standard_error, expected)


@pytest.mark.parametrize("size", [1, 4])
def test_a_difference_from_a_constant_score_varies_as_the_fraction_of_positives_does(size):
    """That's the average precision of the constant score. That of a perfect model doesn't vary."""
    y, a, *_ = draw(0)
    cluster, n = np.arange(120) // size, 120 // size
    of_fraction = np.bincount(cluster, y - y.mean()) / 120
    error = np.sqrt(n / (n - 1) * np.sum(of_fraction**2))
    found = compare(y, y, np.zeros(120), clusters=cluster)
    # The negatives of a cluster may rank together, which adds a little.
    assert found.standard_error == pytest.approx(error, rel=1e-9 if size == 1 else 0.01)
    of_model = confidence_interval(y, a, clusters=cluster).standard_error
    assert close(compare(y, y, a, clusters=cluster).standard_error, of_model)
    if size == 1:  # which is what rows are
        assert close([*list_ends(found)], [*list_ends(compare(y, y, np.zeros(120)))])


def list_ends(found):
    return found.low, found.high, found.margin_low, found.margin_high, found.pvalue


def test_one_positive_says_nothing():
    for scores in ([4, 3, 2, 1], [1, 2, 3, 4]):
        assert [*confidence_interval([1, 0, 0, 0], scores)][1:] == [0, 1]


def test_models_that_agree_here_may_differ_elsewhere():
    y = np.arange(100) < 50
    found = compare(y, y, y)
    assert (found.difference, found.standard_error, found.pvalue) == (0, 0, 1)
    assert close([-found.low, found.high], found.least_margin)


def test_margins_allow_for_clusters_and_seeds_that_fail_together():
    """Even if negatives of the clusters in the sample rank independently, and no seed fails."""
    rng = np.random.default_rng(0)
    y, cluster = rng.random(400) < 0.2, np.arange(400) // 10
    a = rng.standard_normal(400) + 2.5 * y
    found = compare(y, a, a, clusters=cluster)
    n_negatives = np.bincount(cluster, ~y)
    weight = -np.log(0.025) * np.sum(n_negatives**2) / np.sum(n_negatives)
    scores, labels = np.append(a, 99), np.append(y, False)
    last = ap.average_precision_score(labels, scores, sample_weight=[*np.ones(400), weight])
    cost = ap.average_precision_score(y, a) - last
    lacking = 1 - 0.025 ** (1 / found.units)
    assert close(found.least_margin, np.hypot(cost, lacking))
    row, seed = np.tile(np.arange(400), 5), np.repeat(np.arange(5), 400)
    data = {"groups": seed, "clusters": np.column_stack([row, seed])}
    b = np.tile(a, 5) + 1e-3 * rng.standard_normal(2000)
    found = compare(np.tile(y, 5), b, np.tile(a, 5), **data)
    assert found.least_margin > 1 - 0.025 ** (1 / 5)


def test_recall_at_a_precision_has_more_than_the_range_as_its_interval():
    """A few negatives that rank first would leave nothing of it."""
    rng = np.random.default_rng(0)
    y = np.arange(500) < 50
    found = confidence_interval(y, rng.standard_normal(500) + 3 * y, metric="R@P 0.9")
    reach = stats.t.ppf(0.975, 49) * found.standard_error
    assert 0.1 < found.low == pytest.approx(found.value - reach)
    assert found.cost == 0


def test_no_group_enriches_more_than_its_size_allows():
    y, a, *_ = draw(0)
    found = estimate("EF@20%", y, a, groups=np.minimum(np.arange(120) // 15, 6))
    assert close(found.limits, (0, (6 * 15 / 3 + 30 / 6) / 7))


def test_no_ranking_enriches_more_than_its_size_allows():
    for metric, weight in (("EF@5%", None), ("EF@5", None), ("EF@5%", np.full(100, 2.5))):
        first = np.arange(100) < 5
        found = confidence_interval(first, -np.arange(100), metric=metric, sample_weight=weight)
        assert close([found.value, found.high], 20)


def test_a_cutoff_uses_no_more_than_all_positives():
    y, a, *_ = draw(3)
    assert close([estimate(f"R@{k}", y, a).n_effective for k in (10, 60)], [10, y.sum()])


def test_another_sample_can_have_more_positives_than_a_perfect_ranking_of_this_one():
    found = confidence_interval(np.arange(100) < 3, -np.arange(100.0), metric="P@10")
    assert found.value == 0.3
    assert 0.35 < found.high < 1
    varied = estimate("P@10", np.arange(100) < 3, -np.arange(100.0))
    assert close(
        found.high, 0.3 + stats.t.ppf(0.975, varied.n_effective - 1) * varied.standard_error
    )


@pytest.mark.parametrize("metric", ["R@5%", "EF@50", "P@50", "AP@50"])
def test_the_unit_of_weights_says_nothing_about_a_cutoff_that_counts_samples(metric):
    """A value isn't the best possible one because few heavy samples were found."""
    y, a, *_ = draw(3, n=1000)
    weight = np.random.default_rng(0).lognormal(3, 1, 1000)
    options = {"metric": metric, "k_counts": "samples"}
    found = [
        confidence_interval(y, a, sample_weight=unit * weight, **options) for unit in (1, 1e-3)
    ]
    assert close([*found[0]], [*found[1]])
    assert found[0].low < found[0].value < found[0].high


SHARES, COUNTS = ("P@10%", "R@10%", "EF@10%", "AP@10%"), ("P@10", "R@10", "EF@10", "AP@10")
WEIGHTED = [
    *[{"metric": metric} for metric in (*SMOOTH, "R-precision", "precision at recall 0.5")],
    {"metric": "recall at precision 0.5"},
    *[{"metric": metric, "k_counts": "samples"} for metric in (*SHARES, *COUNTS)],
    *[{"metric": metric, "k_counts": "weight"} for metric in SHARES],
]


@pytest.mark.parametrize("units", ["rows", "groups", "clusters"])
@pytest.mark.parametrize("options", WEIGHTED, ids=str)
def test_the_unit_of_weights_says_nothing(options, units):
    """Euros, cents and thousands of euros have the same interval, and the same comparison."""
    y, a, b, _ = draw(5, n=240)
    data = {} if units == "rows" else {units: np.arange(240) % 12}
    weight = np.random.default_rng(1).lognormal(3, 1, 240)
    numbers = []
    for unit in (1, 100, 0.001):
        data["sample_weight"] = unit * weight
        found = confidence_interval(y, a, **options, **data)
        compared = compare(y, a, b, margin=0.1, **options, **data)
        numbers.append([*found, found.standard_error, found.units, *list_ends(compared)])
    assert close(numbers[0], numbers[1])
    assert close(numbers[0], numbers[2])


def test_the_unit_of_weights_says_nothing_where_precisions_are_equal():
    """Which of the points under an envelope has the best precision isn't a matter of rounding."""
    y, weight = [1, 0, 1, 0, 1, 0, 1, 0], np.array([2, 3, 1, 1, 1, 2, 2, 2])
    ends = []
    for unit in (1, 0.1, 0.3):
        found = confidence_interval(y, -np.arange(8), metric="VOC2010", sample_weight=unit * weight)
        ends.append([found.low, found.high, found.standard_error])
    assert close(ends[0], ends[1])
    assert close(ends[0], ends[2])


def test_a_share_of_the_weight_can_be_many_rows():
    """The scale of weights says nothing, also of how many rows a cutoff can reach."""
    y, a, *_ = draw(3, n=3000)
    weight = np.where(np.arange(3000) % 2, 1.0, 1.5)
    ends = [
        [*confidence_interval(y, a, metric="P@10%", sample_weight=unit * weight, k_counts="weight")]
        for unit in (1, 0.001)
    ]
    assert close(*ends)


IN_GROUPS = {"metric": "MAP", "groups": np.array([0, 0, 0, 1, 1, 1, 2, 2, 3])}


def test_of_each_class_the_top_is_drawn():
    y, a, *_ = draw(3, n=3000)
    both = np.column_stack([y, y]), np.column_stack([a, a])
    errors = [confidence_interval(*of, metric="P@10").standard_error for of in ((y, a), both)]
    assert close(*errors)


def find_ends(values):
    """Return the ends of the interval of the mean of P@20, which has these values in groups."""
    n_hits = (20 * np.array(values)).round().astype(int)
    labels = np.concatenate([(np.arange(40) < n) | (np.arange(40) >= 20) for n in n_hits])
    scores, group = np.tile(np.arange(40) < 20, len(values)), np.repeat(np.arange(len(values)), 40)
    found = confidence_interval(labels, scores * 1.0, metric="P@20", groups=group)
    return found.low, found.high


def test_ends_of_a_mean_over_groups():
    """They are those of a t-test on the logit scale, and of one more group."""
    for values, worst, best in (
        ([0.4, 0.5, 0.45], 1 - 0.6**1.5 / 0.5**0.5, 1 - 0.5**1.5 / 0.6**0.5),
        ([0.1, 0.15, 0.05, 0.2, 0.1], 1 - 0.95**1.5 / 0.8**0.5, 1 - 0.8**1.5 / 0.95**0.5),
        ([0.3, 0.9, 0.5, 0.6], 0, 1 - 0.1**1.5 / 0.7**0.5),
        ([1, 0.95, 0.95, 0.95], 0, 1),  # as if others could fail
        ([0, 0.05, 0.05, 0.05], 1 - 1 / 0.95**0.5, 1 - 0.95**1.5),
    ):
        v, reach = np.mean(values), stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
        ends = expit(logit(v) + reach / v / (1 - v) * np.array([-1, 1]))
        gaps = np.array([v - max(worst, 0), best - v]) / (len(values) + 1)
        low, high = v + np.array([-1, 1]) * np.hypot(ends - v, gaps)
        assert close(find_ends(values), [max(low, 0), min(high, 1)])


def test_a_mean_over_seeds_is_little_wider_than_a_t_interval():
    for values in ([0.5, 0.55, 0.5, 0.45, 0.5], [0.95, 0.9, 0.9, 0.85, 0.95], [0.05, 0.1, 0.1]):
        low, high = find_ends(values)
        reach = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
        assert 0.95 < (high - low) / (2 * reach) < 1.3


def draw_seeds(spread):
    """Draw two data sets of which one is easier, ranked by five seeds that differ by a spread."""
    rng = np.random.default_rng(0)
    y, noise = np.tile(np.arange(200) < 60, (5, 2)), np.tile(rng.standard_normal(400), (5, 1))
    apart = np.repeat([3.0, 0.7], 200) + spread * rng.standard_normal((5, 1))
    data_set, seed = np.tile(np.arange(400) // 200, (5, 1)), np.repeat(np.arange(5), 400)
    data = {"groups": np.column_stack([data_set.ravel(), seed]), "clusters": seed}
    return y.ravel(), (noise + apart * y).ravel(), data


def test_seeds_over_data_sets_are_units_whatever_the_data_sets_are():
    """One more seed is like other seeds, and not like the hardest data set."""
    y, s, data = draw_seeds(0.1)
    found = confidence_interval(y, s, **data)
    values = ap.values_by_group(y, s, groups=data["groups"])
    means = [np.mean([v for (_, seed), v in values.items() if seed == each]) for each in range(5)]
    reach = stats.t.ppf(0.975, 4) * stats.sem(means)
    assert 1 < (found.high - found.low) / (2 * reach) < 1.1


@pytest.mark.parametrize("metric", ["AP", "11-point", "precision_at_recall_0.5"])
def test_rows_that_are_ranked_five_times_say_the_same_as_once(metric):
    """A row of the test set that ranks first does so for all seeds that rank the same way."""
    rng = np.random.default_rng(4)
    y = np.arange(600) < 80
    a = rng.standard_normal(600) + 2 * y
    b = a + 0.02 * rng.standard_normal(600)
    once, five = (
        {"metric": metric},
        {"metric": metric, "groups": np.repeat(np.arange(5), 600), "clusters": [*range(600)] * 5},
    )
    value, same = (
        confidence_interval(y, a, **once),
        confidence_interval(*np.tile([y, a], 5), **five),
    )
    assert close([value.low, value.high, value.cost], [same.low, same.high, same.cost])
    apart = compare(y, a, b, margin=0.1, **once)
    same = compare(*np.tile([y, a, b], 5), margin=0.1, **five)
    for name in ("low", "high", "margin_low", "margin_high", "pvalue", "verdict"):
        assert getattr(apart, name) == pytest.approx(getattr(same, name)), name


@pytest.mark.parametrize("clusters", [True, False])
def test_seeds_that_change_nothing_have_a_point(clusters):
    y, s, data = draw_seeds(0)
    if not clusters:
        y, s, data = y[200:400], s[200:400], {}
        y, s, data = np.tile(y, 5), np.tile(s, 5), {"groups": np.repeat(np.arange(5), 200)}
    found = confidence_interval(y, s, **data)
    assert close([found.low, found.high], found.value)
    assert "the same scores" in str(found)
    # Groups with other scores whose values are equal may differ in another sample.
    s = s + 1e-9 * np.repeat(np.arange(5), s.size // 5)
    found = confidence_interval(y, s, **data)
    assert found.high - found.low > 0.1
    assert "the same scores" not in str(found)


@pytest.mark.parametrize("n_positives", [None, {query: 1 + query // 11 for query in range(12)}])
def test_queries_with_the_same_ranks_may_differ(n_positives):
    """Ranks don't show that queries rank the same documents."""
    y, ranks = np.tile([1] + [0] * 9, 12), np.tile(np.arange(10, 0, -1), 12)
    data = {"groups": np.repeat(np.arange(12), 10), "n_positives": n_positives}
    found = confidence_interval(y, ranks, metric="hit rate@1", **data)
    assert found.low < 0.8
    assert found.high == 1
    if n_positives:
        found = confidence_interval(y, ranks / 7, metric="hit rate@1", **data)
        assert found.low < 0.8


@pytest.mark.parametrize("metric", ["AP", "VOC07", "P@20%"])
def test_crossed_units_in_either_order(metric):
    rng = np.random.default_rng(0)
    y, s = rng.random(300) < 0.4, rng.normal(size=300)
    a, b = rng.integers(9, size=300), rng.integers(4, size=300)
    found, turned = (confidence_interval(y, s, metric=metric, clusters=c) for c in ([a, b], [b, a]))
    assert found.to_dict() | {"basis": ""} == turned.to_dict() | {"basis": ""}


def test_a_precision_has_one_interval_whoever_computes_it():
    """That of an own function is the textbook's, as that of a threshold is."""
    rng = np.random.default_rng(0)
    hospital = np.repeat(np.arange(12), 100)
    y = rng.random(1200) < 0.1
    s = rng.standard_normal(1200) + 1.3 * y + 0.3 * rng.standard_normal(12)[hospital]

    def find_precision(labels, scores):
        return labels[scores >= 1].mean()

    metric = ap.metric(find_precision, limits=(0, 1))
    own = confidence_interval(y, s, metric=metric, clusters=hospital)
    usual = ap.operating_point(y, s, threshold=1, clusters=hospital, confidence_level=0.95)
    assert own.value == usual.precision
    ends = usual.precision_low, usual.precision_high
    assert [own.low, own.high] == pytest.approx(ends, abs=0.03)


CHANCE = [
    *[{"metric": metric} for metric in ("AP", "P@2", "R@2", "R-precision", "EF@40%")],
    {"n_positives": 7},
    *[IN_GROUPS | {"zero_division": fill} for fill in ("warn", 0, 1, np.nan)],
    IN_GROUPS | {"average": "weighted"},
    IN_GROUPS | {"n_positives": {0: 3, 1: 2, 2: 1, 3: 1, 9: 2}},
    IN_GROUPS | {"metric": "P@2"},
    *[IN_GROUPS | {"metric": f"hit rate@{k}"} for k in (1, 2, 3)],
]


@pytest.mark.parametrize("has_ties", [True, False])
@pytest.mark.parametrize("data", CHANCE)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_chance_is_the_mean_over_all_orders(data, has_ties):
    """Of the labels in each ranking, with ties where the scores have them."""
    n, group = (9, data["groups"]) if "groups" in data else (6, np.zeros(6))
    y = np.array([1, 0, 1, 1, 0, 0, 0, 0, 1])[:n]
    scores = np.array([4, 4, 1, 1, 3, 3, 5, 5, 5])[:n] if has_ties else np.arange(n)
    data = {"metric": "AP"} | data
    found = confidence_interval(y, scores, **data).chance
    score = ap.metric(data.pop("metric"))
    orders = itertools.product(*[itertools.permutations(y[group == g]) for g in np.unique(group)])
    values = [score(np.concatenate(labels), scores, **data) for labels in orders]
    assert found == pytest.approx(np.mean(values), abs=1e-12)


@pytest.mark.parametrize("metric", ["AP", "P@2", "R-precision"])
def test_equal_weights_leave_chance_as_it_is(metric):
    metric = ap.metric(metric, k_counts="samples") if metric == "P@2" else metric
    for groups in ({}, {"groups": PLACE // 20}):
        data = {"y_true": COLUMNS[:, 0], "y_score": PLACE * 37 % 60, "metric": metric} | groups
        usual, found = (confidence_interval(**data, sample_weight=w) for w in (None, 0 * PLACE + 2))
        assert found.chance == usual.chance > 0


def test_chance_is_unknown_where_it_has_no_formula():
    weight = {"sample_weight": np.arange(1, 61)}
    grouped = weight | {"groups": PLACE // 20}
    for options in ({"metric": "linear"}, {"metric": "R@4", "ties": "best"}, weight, grouped):
        found = confidence_interval(COLUMNS[:, 0], PLACE * 37 % 60, **options)
        assert np.isnan(found.chance)
        assert "random" not in str(found)


def test_positives_that_were_not_scored_weigh_what_others_do():
    y, a, _, _ = draw(7, "rows")
    weight = np.full(len(y), 2.0)
    weight[0] = 2.0 + 1e-9  # or all would be equal, and change nothing
    once = confidence_interval(y, a, n_positives=int(y.sum()) + 3)
    twice = confidence_interval(y, a, sample_weight=weight, n_positives=2.0 * y.sum() + 6 + 2e-9)
    # Where none was found, they weigh what those of other classes do.
    y, a = np.column_stack([y, 0 * y]), np.column_stack([a, a])
    exist = y.sum(axis=0) + np.array([3, 4])
    one = confidence_interval(y, a, n_positives=exist)
    other = confidence_interval(y, a, n_positives=2 * exist, sample_weight=weight)
    for name in ("low", "high", "standard_error", "units"):
        assert abs(getattr(once, name) - getattr(twice, name)) < 1e-6, name
        assert abs(getattr(one, name) - getattr(other, name)) < 1e-6, name
    # Those of a class weigh 1, of another one 3, and of one where none was found the mean of both.
    place, usual = np.arange(40), (20 * 1 + 1 * 3) / 21
    y, weight = np.column_stack([place > 19, place < 1, place < 0]), np.where(place, 1, 3)
    exist = [20, 2 * 3, 2 * usual]
    found = confidence_interval(y, y * 1.0, sample_weight=weight, n_positives=exist)
    assert close(found.units, 9 / (20 / 20**2 + 2 / 2**2 + 2 / 2**2))
    # If none was found at all, they weigh the mean of all samples.
    found = confidence_interval(0 * place, place, sample_weight=weight, n_positives=2.1)
    assert close(found.units, 2)
    # A group without rows is a unit of its own, beside clusters of two groups.
    data = {"groups": place % 4, "clusters": place % 4 // 2, "n_positives": {-1: 1}}
    data["n_positives"] |= dict.fromkeys(range(4), 10)
    assert close(confidence_interval(place > 19, place, **data).units, 5**2 / (2**2 + 2**2 + 1))


PLACE = np.arange(60)
COLUMNS = np.column_stack([PLACE % 3 == 0, PLACE % 4 == 0]).astype(int)
CLUSTER, WEIGHT = np.minimum(PLACE // 5, 7), PLACE % 4 + 0.5


@pytest.mark.parametrize(
    ("data", "low", "high", "standard_error", "units"),
    [
        ({"clusters": CLUSTER}, 0.001621412, 0.532068886, 0.062676350, 4.654169360),
        ({"sample_weight": WEIGHT}, 0.088313424, 0.313346720, 0.047029255, 28.444444444),
        (
            {"sample_weight": WEIGHT, "n_positives": WEIGHT @ COLUMNS + 2.2},
            *(0.079623563, 0.295920147, 0.046219091, 34.313933743),
        ),
        (
            {"clusters": CLUSTER, "average": "weighted", "n_positives": [23, 18]},
            *(0.039871001, 0.434451116, 0.050912562, 6.249070632),
        ),
        (
            {"clusters": CLUSTER, "average": "micro", "sample_weight": WEIGHT},
            *(0.100183445, 0.383859878, 0.035230928, 4.560384032),
        ),
        (
            {"average": "weighted", "n_positives": [23, 15]},
            *(0.129511375, 0.405757286, 0.056785760, 30.083333333),
        ),
    ],
)
def test_means_over_classes(data, low, high, standard_error, units):
    """Values of an independent implementation, for clusters and positives that weren't scored."""
    scores = np.column_stack([PLACE * 37 % 60, PLACE * 23 % 60])
    found = confidence_interval(COLUMNS, scores, **data)
    each = found.low, found.high, found.standard_error, found.units
    assert each == pytest.approx((low, high, standard_error, units), abs=1e-8)
    if "sample_weight" in data:  # whose scale says nothing
        scaled = {n: 1e-3 * data[n] for n in ("sample_weight", "n_positives") if n in data}
        assert close([*confidence_interval(COLUMNS, scores, **data | scaled)], [*found])
        models = COLUMNS, scores, scores[:, ::-1]
        errors = [compare(*models, **data | unit).standard_error for unit in ({}, scaled)]
        assert close(*errors)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_class_without_positives_that_does_not_count():
    scores = np.column_stack([PLACE * 37 % 60, PLACE * 23 % 60, PLACE])
    labels = np.column_stack([COLUMNS, 0 * PLACE])
    for data in ({"average": "weighted"}, {"average": "weighted", "clusters": CLUSTER}):
        found = confidence_interval(labels, scores, **data)
        assert close(found.low, confidence_interval(COLUMNS, scores[:, :2], **data).low)
    found = confidence_interval(labels, scores, zero_division=np.nan)
    assert close(found.low, confidence_interval(COLUMNS, scores[:, :2]).low)
    with pytest.raises(ValueError, match="no positives"):
        confidence_interval(labels, scores)
    with pytest.raises(ValueError, match="no positives in 'c'"):
        confidence_interval(np.array(["a", "b"])[COLUMNS[:, 0]], scores, classes=["a", "c", "b"])


def test_groups_without_positives_and_clusters_of_one_group():
    labels, scores = COLUMNS[:, 0], PLACE * 37 % 60
    group = PLACE % 5
    data = {"groups": group, "average": "weighted", "zero_division": 0}
    found = confidence_interval(labels * (group < 3), scores, metric="MAP", **data)
    # Each of three groups has four positives, and two groups that were sampled have none.
    values = [ap.average_precision_score(labels[group == g], scores[group == g]) for g in range(3)]
    v, error = np.mean(values), np.sqrt(np.var(values) / 3 * 5 / 4)
    assert close([found.value, found.standard_error, found.units], [v, error, 3])
    reach = stats.t.ppf(0.975, 2) * error / (v * (1 - v))
    ends, losses = expit(logit(v) + reach * np.array([-1, 1])), 1 - np.array(values)
    worst, best = (
        losses.max() ** 1.5 / losses.min() ** 0.5,
        losses.min() ** 1.5 / losses.max() ** 0.5,
    )
    gaps = np.array([worst - (1 - v), 1 - v - best]) / 4
    assert close([found.low, found.high], v + np.array([-1, 1]) * np.hypot(ends - v, gaps))
    models = labels, scores, PLACE * 23 % 60
    one_group, none = (compare(*models, clusters=CLUSTER, groups=g) for g in (0 * group, None))
    assert close([*list_ends(one_group)], [*list_ends(none)])
    assert close(none.units, 4.651162791)


def test_a_weighted_mean_varies_by_the_fractions_of_its_classes():
    """P@1 is always 1 of one class and 0 of the other, so the mean is a fraction of positives."""
    place = np.arange(200)
    labels = np.column_stack([place < 10, place >= 190])
    scores = np.column_stack([-place, -place])
    found = confidence_interval(labels, scores, metric="P@1", average="weighted")
    assert found.value == 0.5
    assert found.standard_error == pytest.approx(np.sqrt(0.5 * 0.5 / 20), rel=0.15)


def test_positives_that_are_the_first_of_all_ties_never_vary():
    found = confidence_interval(np.arange(40) < 10, np.zeros(40), ties="best")
    assert (found.value, found.standard_error) == (1, 0)


def test_many_points_without_ties_vary_alike_however_ties_are_broken():
    labels = np.zeros(12_000, dtype=int)
    labels[2000 + np.random.default_rng(0).permutation(10_000)[:600]] = 1
    grouped, best = (
        confidence_interval(labels, -np.arange(12_000), ties=ties).standard_error
        for ties in ("grouped", "best")
    )
    assert best == pytest.approx(grouped, rel=0.15)


@pytest.mark.parametrize("ties", ["grouped", "best", "worst"])
def test_cells_are_merged_only_if_ties_are_points(ties):
    y, s, _, _ = draw(0, n=6000)
    samples = SortedSamples.sort(y, s, needs_order=False)
    cells, _ = resamples.Cells(samples, ap.metric("AP", ties=ties)._rule).number_samples()
    n_runs = 1 + np.count_nonzero(samples.is_hit[:-1] | samples.is_hit[1:])
    assert (cells[-1] + 1 < n_runs) == (ties == "grouped")
    if ties != "grouped":
        assert cells[-1] + 1 == n_runs


def test_a_class_without_positives_counts_in_an_interval_as_it_does_in_the_value():
    # P@10 of a class without positives is 0 and not 0/0, so that zero_division leaves none out.
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 300)
    indicators = np.eye(2, dtype=int)[labels]
    scores = np.c_[indicators + rng.normal(size=(300, 2)), rng.normal(size=300)]
    options = {"metric": "P@10", "zero_division": np.nan}
    of_two = ap.confidence_interval(indicators, scores[:, :2], **options)
    of_three = ap.confidence_interval(labels, scores, classes=[0, 1, 2], **options)
    assert of_three.value == pytest.approx(of_two.value * 2 / 3)
    assert of_three.standard_error == pytest.approx(of_two.standard_error * 2 / 3, rel=0.1)
    assert of_three.units == pytest.approx(of_two.units, rel=0.5)
    assert of_three.low < of_three.value < of_three.high < 0.8


@pytest.mark.parametrize("metric", ["AP@5", "P@3", "EF@20%", "11-point"])
def test_the_order_of_tied_rows_and_names_of_clusters_decide_no_resample(metric):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y, cluster = np.arange(24) % 2, rng.integers(0, 8, 24)
        scores, others = rng.integers(0, 5, (2, 24))
        rows, names = rng.permutation(24), rng.permutation(8)
        options = {"metric": metric, "clusters": cluster}
        moved = {"metric": metric, "clusters": names[cluster[rows]]}
        usual = confidence_interval(y, scores, **options)
        again = confidence_interval(y[rows], scores[rows], **moved)
        assert (again.low, again.high) == pytest.approx((usual.low, usual.high))
        usual = compare(y, scores, others, **options)
        again = compare(y[rows], scores[rows], others[rows], **moved)
        assert again.standard_error == pytest.approx(usual.standard_error)


def test_positives_count_once_if_boxes_are_ignored_at_some_overlaps():
    """A box that overlaps a crowd is a false alarm at 0.75, and doesn't count at 0.5."""
    images = np.arange(20)
    of_objects = {"image": np.tile(images, 2), "overlap": np.repeat([0.5, 0.75], 20)}
    score = np.append(images / 20, np.where(images % 2, images / 20, np.nan))
    labels = np.append(np.ones(40), np.zeros(5))
    found = ap.confidence_interval(
        labels,
        np.append(score, images[:5] / 10),
        groups=np.append(of_objects["overlap"], np.full(5, 0.75)),
        clusters=np.append(of_objects["image"], images[:5]),
        n_positives="rows",
    )
    assert found.n_positives == 20
    assert found.n_samples == labels.size


def list_ways(rng):
    """Return small data with many ties, and the same data with other names, columns in another
    order, or another unit of weights.
    """
    n = int(rng.integers(6, 12))
    y = rng.integers(0, 2, (n, 3))
    y[:2] = [[0], [1]]
    columns = [y, *rng.integers(0, 4, (2, n, 3))]
    names, order = np.array(["d", "a", "c"]), [2, 0, 1]
    row, seed = (each.ravel() for each in np.indices((n, 3)))
    entries, firsts = [each.ravel() for each in columns], [each[:, 0] for each in columns]
    weight, cluster = rng.integers(1, 4, n), np.arange(n) // 2
    return {
        "seeds": [
            (*entries, {"groups": seed, "clusters": [row, seed]}),
            (*entries, {"groups": names[seed], "clusters": [-row, names[seed]]}),
        ],
        "columns": [
            (*columns, {"average": "macro"}),
            (*(each[:, order] for each in columns), {"average": "macro"}),
        ],
        "weights": [(*firsts, {"sample_weight": weight * unit}) for unit in (1.0, 0.1)],
        "clusters": [(*firsts, {"clusters": sign * cluster}) for sign in (1, -1)],
    }


@pytest.mark.parametrize("way", ["seeds", "columns", "weights", "clusters"])
@pytest.mark.parametrize(
    "metric", ["P@3", "R@2", "EF@20%", "R-precision", "11-point", "VOC07", "P@R 0.8", "R@P 0.5"]
)
def test_names_and_units_decide_nothing(metric, way):
    if way == "weights" and metric == "VOC07":
        return  # whose levels of floats aren't defined with weights
    counts_samples = way == "weights" and metric in ("P@3", "R@2", "EF@20%")
    metric = ap.metric(metric, **({"k_counts": "samples"} if counts_samples else {}))
    for seed in range(4):
        numbers = []
        for y, a, b, data in list_ways(np.random.default_rng(seed))[way]:
            for first, second, sign in ((a, b, 1), (b, a, -1)):
                found = compare(y, first, second, metric=metric, **data)
                ends = sorted([sign * found.low, sign * found.high])
                numbers.append([*ends, found.pvalue, found.standard_error])
        assert np.allclose(numbers, numbers[0], rtol=1e-9, atol=1e-12), seed
