"""Whether intervals and tests are right on average, for each kind of unit and of metric.

Data sets are drawn from a population with fixed seeds. Their values show what the standard error
should be, and the population's value is their mean.
"""

from functools import partial

import numpy as np
import pytest
from scipy.special import ndtr

import sklearn_ap as ap

pytestmark = pytest.mark.slow

N_VALUES, N_SETS, N_OF_FUNCTION = 300, 16, 6  # which is called 499 times each


def gap(y_true, y_score):
    return y_score[y_true == 1].mean() - y_score[y_true == 0].mean()


METRICS = {
    "smooth": ap.metric("AP"),
    "cutoff": ap.metric("P@10%", k_counts="weight"),
    "target": ap.metric("precision at recall 0.5"),
    "own": ap.metric(gap),
}


def score(rng, y, shared=0.0):
    """Return the scores of two models that are equally good, and alike."""
    noise = rng.standard_normal((3, *y.shape))
    return [noise[0] + 0.7 * own + 1.3 * y + shared for own in noise[1:]]


def draw_rows(rng):
    y = rng.random(200) < 0.25
    return y, score(rng, y), {}


def draw_weights(rng):
    y, models, _ = draw_rows(rng)
    return y, models, {"sample_weight": rng.choice([0.5, 1.0, 2.0], y.size)}


def draw_clusters(rng):
    """Clusters of one to six rows, which are alike in what is positive, and in their scores."""
    cluster = np.repeat(np.arange(70), rng.integers(1, 7, 70))
    y = rng.random(cluster.size) < rng.choice([0.05, 0.5], 70)[cluster]
    return y, score(rng, y, rng.standard_normal(70)[cluster]), {"clusters": cluster}


def draw_groups(rng):
    """Groups that are ranked apart, and of which some are harder than others."""
    group = np.repeat(np.arange(30), 10)
    y = np.tile(np.arange(10) < 3, 30)
    return y, score(rng, y, 0.8 * y * rng.standard_normal(30)[group]), {"groups": group}


def draw_rows_in_groups(rng):
    """Four groups that every data set has."""
    y = rng.random(160) < 0.3
    data = {"groups": np.arange(160) // 40, "clusters": np.arange(160)}
    return y, score(rng, y), data


def draw_classes(rng, average="macro"):
    y = rng.random((120, 3)) < [0.2, 0.3, 0.4]
    return y, score(rng, y, 0.7 * rng.standard_normal((120, 1))), {"average": average}


def draw_micro(rng):
    return draw_classes(rng, "micro")


def draw_crossed(rng):
    """Rows that five seeds of each model rank, of which some are better than others."""
    y = rng.random(100) < 0.3
    noise, models = rng.standard_normal(100), []
    for _ in range(2):
        seeds = 1.2 + 0.3 * rng.standard_normal((5, 1))
        models.append((noise + 0.7 * rng.standard_normal((5, 100)) + seeds * y).ravel())
    row, seed = np.tile(np.arange(100), 5), np.repeat(np.arange(5), 100)
    data = {"groups": seed, "clusters": np.column_stack([row, seed])}
    return np.tile(y, 5), models, data


DRAW = {
    "rows": draw_rows,
    "weights": draw_weights,
    "clusters": draw_clusters,
    "groups": draw_groups,
    "rows in groups": draw_rows_in_groups,
    "classes": draw_classes,
    "micro": draw_micro,
    "crossed": draw_crossed,
}
REFUSED = {("weights", "own"), ("classes", "own"), ("micro", "own")}
PATHS = [(units, kind) for units in DRAW for kind in METRICS if (units, kind) not in REFUSED]


@pytest.mark.parametrize(("units", "kind"), PATHS)
def test_standard_errors_and_intervals(units, kind):
    """Standard errors are those of repeated samples, intervals rarely miss the population's value,
    and p of equally good models is rarely small.
    """
    metric, n_sets = METRICS[kind], N_OF_FUNCTION if kind == "own" else N_SETS
    # Crossed units count twice what varies in single cells, here a model's noise in a row.
    most = 1.35 if units == "crossed" else 1.2
    drawn = [DRAW[units](np.random.default_rng(seed)) for seed in range(N_VALUES)]
    values = np.array([list_values(metric, *each) for each in drawn])
    truth, error = values.mean(), np.sqrt(values.var(axis=0, ddof=1).mean())
    intervals = [
        ap.confidence_interval(y, models[0], metric=metric, **data)
        for y, models, data in drawn[:n_sets]
    ]
    assert 0.85 < np.mean([each.standard_error for each in intervals]) / error < most
    assert sum(not each.low <= truth <= each.high for each in intervals) <= 3  # of 16
    error = np.std(values[:, 0] - values[:, 1], ddof=1)
    comparisons = [
        ap.compare(y, *models, metric=metric, **data) for y, models, data in drawn[: min(n_sets, 8)]
    ]
    assert 0.85 < np.mean([each.standard_error for each in comparisons]) / error < most
    assert sum(each.pvalue < 0.05 for each in comparisons) <= 2  # of 8


def list_values(metric, y, models, data):
    known = {name: column for name, column in data.items() if name != "clusters"}
    return [metric(y, scores, **known) for scores in models]


@pytest.mark.parametrize("apart", [1, 2, 3, 5])
def test_differences_from_a_constant_score(apart):
    """They vary by the number of positives above all, if the other model is strong."""
    n_missed, large = 0, np.random.default_rng(0)
    y = large.random(400_000) < 0.2
    value = ap.average_precision_score(y, large.standard_normal(y.size) + apart * y) - 0.2
    for seed in range(200):
        rng = np.random.default_rng([seed, apart])
        y = rng.random(300) < 0.2
        found = ap.compare(y, rng.standard_normal(300) + apart * y, np.zeros(300))
        n_missed += not found.low <= value <= found.high
    assert n_missed <= 20


# --- what samples lack ----------------------------------------------------------------------------


def test_rows_are_the_units_of_folds():
    """Folds of three positives are too high. With rows as units, the low end allows for that."""
    n_missed = {"rows": 0, "folds": 0}
    large = np.random.default_rng(0).normal(size=400_000) + 1.5 * (np.arange(400_000) < 40_000)
    value = ap.average_precision_score(np.arange(400_000) < 40_000, large)
    for seed in range(100):
        y = np.arange(300) < 30
        scores = np.random.default_rng(seed).normal(size=300) + 1.5 * y
        for unit, clusters in (("rows", np.arange(300)), ("folds", None)):
            data = {"groups": np.arange(300) % 10, "clusters": clusters}
            interval = ap.confidence_interval(y, scores, **data)
            n_missed[unit] += not interval.low <= value <= interval.high
    assert n_missed["rows"] <= 10 < n_missed["folds"]


def test_groups_may_fail():
    """Half of all samples have no group that fails, of which 5% do."""
    n_missed, n_groups = 0, 12
    y = np.tile(np.arange(20) < 4, n_groups)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        shift = np.where(rng.random(n_groups) < 0.05, -6, 3).repeat(20)
        scores = rng.normal(size=y.size) + shift * y
        interval = ap.confidence_interval(y, scores, groups=np.arange(n_groups).repeat(20))
        n_missed += not interval.low <= 0.9155 <= interval.high
    assert n_missed <= 10


def test_models_that_agree_on_all_units_may_differ():
    """One model puts 2% of the positives last, and a third of all samples have none of these."""
    n_missed, n_agreeing, y = 0, 0, np.arange(500) < 50
    for seed in range(200):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=y.size) + 2 * y
        failing = np.where(y & (rng.random(y.size) < 0.02), scores - 20, scores)
        result = ap.compare(y, failing, scores)
        n_agreeing += result.difference == 0
        n_missed += not result.low <= -0.0146 <= result.high
    assert n_agreeing > 40
    assert n_missed <= 20


@pytest.mark.parametrize("target", ["min_recall", "min_precision"])
def test_promises_with_clusters(target):
    """Clusters of 20 rows are alike. If they are taken for 20 units, promises are broken."""
    n_broken, cluster = {"clusters": 0, "rows": 0}, np.arange(40).repeat(20)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        y = rng.random(cluster.size) < 0.2
        scores = 0.8 * rng.normal(size=40)[cluster] + 0.6 * rng.normal(size=y.size) + 2 * y
        for unit, clusters in (("clusters", cluster), ("rows", None)):
            options = {target: 0.5, "confidence_level": 0.95, "clusters": clusters}
            try:
                threshold = ap.operating_point(y, scores, **options).threshold
            except ap.exceptions.NotReachableError:
                continue
            found, alarms = 0.2 * ndtr(2 - threshold), 0.8 * ndtr(-threshold)
            rate = found / 0.2 if target == "min_recall" else found / (found + alarms)
            n_broken[unit] += rate < 0.5
    assert n_broken["clusters"] <= 20 < n_broken["rows"]


# --- the same sampling said in two ways -----------------------------------------------------------


def draw_repeated(rng):
    """Rows of which some are repeated, and the same ones with weights."""
    y, models, _ = draw_rows(rng)
    times, cluster = rng.integers(1, 4, y.size), np.arange(y.size) // 3
    rows = np.repeat(np.arange(y.size), times)
    repeated = y[rows], [scores[rows] for scores in models], {"clusters": cluster[rows]}
    return (y, models, {"sample_weight": times, "clusters": cluster}), repeated


def draw_without_0(rng):
    y, models, _ = draw_rows(rng)
    more, scores, _ = draw_rows(rng)
    weight = np.repeat([1.0, 0.0], [y.size, more.size])
    both = [np.append(*each) for each in zip(models, scores, strict=True)]
    return (y, models, {}), (np.append(y, more), both, {"sample_weight": weight})


def draw_entries(rng):
    """The entries of a matrix, as a micro average, and as rows in clusters."""
    y, models, data = draw_micro(rng)
    flat = y.ravel(), [scores.ravel() for scores in models]
    return (y, models, data), (*flat, {"clusters": np.repeat(np.arange(len(y)), 3)})


def draw_one_class(rng):
    """A ranking, and classes that are all alike."""
    y, models, _ = draw_rows(rng)
    columns = np.column_stack([y, y]), [np.column_stack([each, each]) for each in models]
    return (y, models, {}), (*columns, {"average": "macro"})


def draw_one_seed(rng):
    """Rows, and the same ones from three seeds that don't differ."""
    y, models, _ = draw_rows(rng)
    row, seed = np.tile(np.arange(200), 3), np.repeat(np.arange(3), 200)
    data = {"groups": seed, "clusters": np.column_stack([row, seed])}
    return (y, models, {}), (np.tile(y, 3), [np.tile(each, 3) for each in models], data)


def draw_ties(rng):
    y, models, _ = draw_rows(rng)
    return y, [scores.round(0) for scores in models], {}


def draw_ties_in_clusters(rng):
    y, models, data = draw_clusters(rng)
    return y, [scores.round(0) for scores in models], data


def draw_crossed_and_perfect(rng):
    """Two perfect models, between which all differences are rounding errors."""
    y, models, data = draw_crossed(rng)
    data |= {"sample_weight": rng.lognormal(size=y.size)}
    return y, [each + 20 * y for each in models], data


def draw_mirrored(rng):
    """Two models that change places in half of the rows, so that only weights tell them apart."""
    y, (a, b), _ = draw_rows(rng)
    data = {"sample_weight": rng.choice([0.5, 1.0, 2.0], 2 * y.size)}
    return np.tile(y, 2), [np.append(a, b), np.append(b, a)], data


def draw_each_row_a_cluster(rng):
    y, models, _ = draw_ties(rng)
    return (y, models, {}), (y, models, {"clusters": rng.permutation(y.size)})


def draw_each_weighted_row_a_cluster(rng):
    """Two perfect rankings, in which no influence shows how heavy negatives are."""
    y, _, data = draw_weights(rng)
    models = [1.0 * y, 2.0 * y]
    return (y, models, data), (y, models, data | {"clusters": rng.permutation(y.size)})


def draw_nearly_equal_weights(rng):
    y, models, _ = draw_rows(rng)
    return (y, models, {}), (y, models, {"sample_weight": rng.choice([1, 1.0001], y.size)})


def draw_groups_of_clusters(rng):
    y, models, data = draw_groups(rng)
    return (y, models, data), (y, models, data | {"clusters": data["groups"]})


def reorder(draw, rng):
    """Return a data set, and the same one with rows in another order, other names of units and
    groups, and other scores.
    """
    y, models, data = draw(rng)
    place, names = rng.permutation(len(y)), rng.permutation(1000)
    other = {name: data[name][place] if np.ndim(data[name]) else data[name] for name in data}
    other |= {name: names[other[name]] for name in other.keys() & {"groups", "clusters"}}
    return (y, models, data), (y[place], [scores[place] + 1 for scores in models], other)


IN_TWO_WAYS = {
    "each row a cluster": draw_each_row_a_cluster,
    "each weighted row a cluster": draw_each_weighted_row_a_cluster,
    "groups of clusters": draw_groups_of_clusters,
    "rows of weight 0": draw_without_0,
    "nearly equal weights": draw_nearly_equal_weights,
    "repeated rows": draw_repeated,
    "entries of a matrix": draw_entries,
    "equal classes": draw_one_class,
    "equal seeds": draw_one_seed,
}
DRAW_ORDERED = DRAW | {
    "ties": draw_ties,
    "ties in clusters": draw_ties_in_clusters,
    "perfect with weights": draw_crossed_and_perfect,
    "mirrored with weights": draw_mirrored,
}
IN_TWO_WAYS |= {f"order, {units}": partial(reorder, draw) for units, draw in DRAW_ORDERED.items()}
NEARLY_THE_SAME = "nearly equal weights", "repeated rows", "entries of a matrix", "equal classes"
NEARLY_THE_SAME += ("equal seeds",)  # whose interval doesn't know the quantiles of resamples
NOT_OF_FUNCTIONS = "weight", "repeated", "matrix", "class", "micro"


@pytest.mark.parametrize("kind", METRICS)
@pytest.mark.parametrize("way", IN_TWO_WAYS)
def test_the_same_sampling_in_two_ways(way, kind):
    if kind == "own" and any(word in way for word in NOT_OF_FUNCTIONS):
        return
    both = IN_TWO_WAYS[way](np.random.default_rng(0))
    first, second = (list_numbers(METRICS[kind], *each) for each in both)
    if way in NEARLY_THE_SAME:
        assert first == pytest.approx(second, rel=0.1, abs=0.02)
    else:
        assert first == pytest.approx(second, rel=1e-9, abs=1e-12)


def list_numbers(metric, y, models, data):
    interval = ap.confidence_interval(y, models[0], metric=metric, **data)
    comparison = ap.compare(y, *models, metric=metric, margin=0.3, **data)
    mirrored = ap.compare(y, *models[::-1], metric=metric, **data)
    numbers = [getattr(comparison, name) for name in ("difference", "low", "high", "pvalue")]
    of_mirrored = [-mirrored.difference, -mirrored.high, -mirrored.low, mirrored.pvalue]
    assert numbers == pytest.approx(of_mirrored, rel=1e-9, abs=1e-12)
    errors = [interval.standard_error, comparison.standard_error]
    ends = [comparison.margin_low, comparison.margin_high]
    return [*interval, interval.units, comparison.units, *errors, *numbers, *ends]
