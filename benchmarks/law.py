"""Count how often statements of inference are true, in populations that are known.

python -m benchmarks.law               # a few data sets of each population, in half a minute
python -m benchmarks.law --sets 800    # standard errors of .008
python -m benchmarks.law --only alarms power

Each row says what was counted, what is wanted, and what was found, with its standard error.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any
from zlib import crc32

import numpy as np
from scipy.special import ndtr

import sklearn_ap as ap

LARGE = 400_000  # rows that stand for a population
SEEDS = (300, 3, 0.3), (600, 5, 0.5), (1000, 10, 0.1)  # rows, seeds, and how much these differ
LARGE_TARGETS = "precision_at_recall_0.9", "precision_at_recall_0.95"
Drawn = tuple[Any, tuple[Any, Any], dict[str, Any]]  # labels, scores of two models, options


@dataclass(frozen=True)
class Cell:
    name: str
    draw: Callable[[np.random.Generator], Drawn]
    wanted: str = ""
    truth: Callable[[], float] | None = None
    margin: float | None = None
    metric: str = "average_precision"


def rows(rng, n, positives, apart=1.5, gain=0.0, correlation=0.5, rate_at_top=0.0):
    """Normal scores; a fraction of the negatives can be on the very top."""
    y = np.arange(n) < max(rng.binomial(n, positives / n), 2)
    shared = np.sqrt(correlation) * rng.standard_normal(n)
    own = np.sqrt(1 - correlation) * rng.standard_normal((2, n))
    first, second = shared + own + apart * y
    at_top = 20.0 * (~y & (rng.random(n) < rate_at_top))
    return y, (first + gain * y + at_top, second + at_top), {}


def constant(rng, n, positives, apart):
    """A model, and one without information, which scores all rows alike."""
    y, (first, _), _ = rows(rng, n, positives, apart)
    return y, (first, np.zeros(n)), {}


def near_copies(rng, n, positives, noise=0.1):
    y = np.arange(n) < positives
    first, second = rng.standard_normal(n) + 2 * y + noise * rng.standard_normal((2, n))
    return y, (first, second), {}


def rare_failures(rng, n, positives, rate):
    """A model, and a copy that puts a few negatives on top."""
    y = np.arange(n) < positives
    good = rng.standard_normal(n) + 2 * y
    return y, (np.where(~y & (rng.random(n) < rate), good + 20, good), good), {}


def clusters(rng, holding, gain=0.0, each=10, healthy=80):
    """Patients with ten positive rows each, which models find to a similar degree."""
    cluster = np.r_[np.repeat(np.arange(holding), each), holding + np.arange(healthy)]
    y = np.arange(cluster.size) < holding * each

    def score(shift):
        found = 1.5 + rng.standard_normal(holding + healthy) + shift
        noise = 0.7 * rng.standard_normal(holding + healthy)
        return (y * found[cluster]) + noise[cluster] + 0.5 * rng.standard_normal(y.size)

    return y, (score(gain), score(0.0)), {"clusters": cluster}


def unequal_clusters(rng, n_clusters):
    sizes = np.ceil(rng.lognormal(1.5, 1.2, n_clusters)).astype(int)
    cluster = np.repeat(np.arange(n_clusters), sizes)
    y = rng.random(cluster.size) < 0.2
    y[:1] = True
    shared, own = rng.standard_normal((2, n_clusters))[:, cluster], rng.standard_normal((2, y.size))
    return y, tuple(np.sqrt(0.5) * (shared + own) + 1.5 * y), {"clusters": cluster}


def bursts(rng, n_clusters):
    """Single rows, of which a fifth is positive, and a few clusters of 20 similar negatives."""
    is_burst = rng.random(n_clusters) < 0.03
    cluster = np.repeat(np.arange(n_clusters), np.where(is_burst, 20, 1))
    y = (~is_burst & (rng.random(n_clusters) < 0.2))[cluster]
    shared, own = rng.standard_normal((2, n_clusters))[:, cluster], rng.standard_normal((2, y.size))
    return y, tuple(np.sqrt(0.9) * shared + np.sqrt(0.1) * own + 2 * y), {"clusters": cluster}


def queries(rng, n_queries, gain=0.0):
    group = np.repeat(np.arange(n_queries), 20)
    y = np.tile(np.arange(20) < 4, n_queries)
    hard = rng.standard_normal(n_queries)[group]
    first, second = rng.standard_normal((2, y.size)) + (1 + 0.7 * hard) * y
    return y, (first + gain * y, second), {"groups": group}


def failing_queries(rng, n_queries, rate):
    """Queries of which most are easy, and the positives of a few rank last."""
    group, fails = np.repeat(np.arange(n_queries), 20), rng.random(n_queries) < rate
    y = np.tile(np.arange(20) < 4, n_queries)
    shift = np.where(fails, -6.0, 3.0)[group]
    return y, tuple(rng.standard_normal((2, y.size)) + shift * y), {"groups": group}


def classes(rng, positives, n, n_classes=10):
    y = np.zeros((n, n_classes), bool)
    for column in y.T:
        column[rng.choice(n, positives, replace=False)] = True
    return y, tuple(rng.standard_normal((2, *y.shape)) + 2 * y), {"average": "macro"}


def folds(rng, n, positives, apart):
    """Ten stratified folds that one model ranks, as it would rank any test set."""
    y = np.arange(n) < positives
    models = rng.standard_normal((2, n)) + apart * y
    return y, tuple(models), {"groups": np.arange(n) % 10, "clusters": np.arange(n)}


def seeds(rng, n, n_seeds, spread):
    """Test rows that several seeds of each model rank, of which some are better than others."""
    y, noise = rng.random(n) < 0.1, 0.8 * rng.standard_normal(n)
    y[:1] = True
    better = 1.5 + spread * rng.standard_normal((2, n_seeds, 1))
    models = noise + 0.6 * rng.standard_normal((2, n_seeds, n)) + better * y
    row, seed = np.tile(np.arange(n), n_seeds), np.repeat(np.arange(n_seeds), n)
    data = {"groups": seed, "clusters": np.column_stack([row, seed])}
    return np.tile(y, n_seeds), tuple(each.ravel() for each in models), data


def similar(rng, n_clusters, each):
    """Clusters of equal or of random sizes, whose scores are alike, and normal in all rows."""
    sizes = each or np.ceil(rng.lognormal(1.0, 1.0, n_clusters)).astype(int)
    cluster = np.repeat(np.arange(n_clusters), sizes)
    y = rng.random(cluster.size) < 0.2
    shared, own = rng.standard_normal(n_clusters)[cluster], rng.standard_normal((2, y.size))
    return y, tuple(0.6 * shared + 0.8 * own + 2 * y), {"clusters": cluster}


def weighted(rng, n, positives, weight, rate=1.0):
    """Negatives of which some weigh more, as if others were dropped."""
    y, models, _ = rows(rng, n, positives, 2.0)
    return y, models, {"sample_weight": np.where(~y & (rng.random(n) < rate), weight, 1.0)}


@cache
def value_of(draw, metric="average_precision", times=1):
    """Return the value of the first model in a large sample, or the mean over many samples."""
    values = []
    for seed in range(times):
        y, (first, _), options = draw(np.random.default_rng(seed))
        options.pop("clusters", None)
        values.append(ap.metric(metric)(y, first, **options))
    return float(np.mean(values))


@cache
def difference_of(draw):
    """Return the difference of both models in a large sample."""
    y, models, _ = draw(np.random.default_rng(0))
    first, second = (ap.average_precision_score(y, scores) for scores in models)
    return first - second


def list_values() -> Iterator[Cell]:
    """Populations whose value is known: how often do intervals contain it?"""
    for name, apart in (("random", 0.0), ("weak", 0.7), ("fair", 1.5), ("strong", 3.0)):
        for positives, n in ((5, 50), (20, 400), (50, 500), (200, 4000)):
            draw = partial(rows, n=n, positives=positives, apart=apart)
            large = partial(rows, n=LARGE, positives=positives / n * LARGE, apart=apart)
            yield Cell(f"{name}, {positives} of {n:,}", draw, ">= .93", partial(value_of, large))
    for rate, wanted in ((0.002, ">= .65 (named)"), (0.02, ">= .93")):
        draw = partial(rows, n=500, positives=50, apart=3.0, rate_at_top=rate)
        large = partial(rows, n=LARGE, positives=0.1 * LARGE, apart=3.0, rate_at_top=rate)
        yield Cell(f"{rate:.1%} of negatives on top", draw, wanted, partial(value_of, large))
    for number in (8, 30, 200):
        draw, large = partial(queries, n_queries=number), partial(queries, n_queries=20_000)
        yield Cell(f"MAP of {number} queries", draw, ">= .93", partial(value_of, large))
    for number, wanted in ((12, ">= .87"), (50, ">= .93")):
        draw = partial(failing_queries, n_queries=number, rate=0.1)
        large = partial(failing_queries, n_queries=20_000, rate=0.1)
        yield Cell(f"MAP of {number}, a tenth fails", draw, wanted, partial(value_of, large))
    for number in (6, 20):
        draw = partial(clusters, holding=number)
        large = partial(clusters, holding=4000, healthy=4000 * 80 // number)
        yield Cell(f"{number} clusters with positives", draw, ">= .93", partial(value_of, large))
    for number in (12, 30):
        draw = partial(similar, n_clusters=number, each=50)
        yield Cell(
            f"{number} similar clusters",
            draw,
            ">= .93",
            partial(value_of, partial(similar, n_clusters=8000, each=50)),
        )
    draw, large = partial(classes, positives=20, n=400), partial(classes, positives=2000, n=40_000)
    yield Cell("ten classes of 20", draw, ">= .93", partial(value_of, large))
    for n, positives, apart in ((300, 30, 1.5), (1000, 50, 2.0)):
        draw = partial(folds, n=n, positives=positives, apart=apart)
        large = partial(rows, n=LARGE, positives=positives / n * LARGE, apart=apart)
        yield Cell(f"folds of {positives // 10}", draw, ">= .91", partial(value_of, large))
    for n, number, spread in SEEDS:
        draw = partial(seeds, n=n, n_seeds=number, spread=spread)
        large = partial(seeds, n=4000, n_seeds=500, spread=spread)
        yield Cell(f"{n} rows, {number} seeds", draw, ">= .92", partial(value_of, large))


def list_metrics() -> Iterator[Cell]:
    """All metrics: how often do intervals contain the mean over samples of this size?"""
    metrics = ["AP", "envelope AP", "linear", "11-point", "101-point", "AP@20", "P@20", "R@50"]
    metrics += ["EF@5%", "R-precision", "precision_at_recall_0.5", "recall_at_precision_0.5"]
    for metric in metrics:
        draw = partial(rows, n=1000, positives=100)
        yield Cell(metric, draw, ">= .93", partial(value_of, draw, metric, 400), metric=metric)
    draw = partial(rows, n=20_000, positives=4000)  # so many that points are merged
    for metric in LARGE_TARGETS:
        truth = partial(value_of, draw, metric, 400)
        yield Cell(f"{metric}, 20,000 rows", draw, ">= .93", truth, metric=metric)
    for metric in ("MAP", "MRR", "nDCG@10", "hit rate@3", "P@5"):
        draw, large = partial(queries, n_queries=30), partial(queries, n_queries=20_000)
        truth = partial(value_of, large, metric)
        yield Cell(f"{metric} of 30 queries", draw, ">= .93", truth, metric=metric)


def list_differences() -> Iterator[Cell]:
    """How often do intervals of a real difference contain it?"""
    for n, positives, gain in ((200, 20, 0.7), (500, 50, 0.7), (4000, 200, 0.3)):
        draw = partial(rows, n=n, positives=positives, gain=gain)
        large = partial(rows, n=LARGE, positives=positives / n * LARGE, gain=gain)
        yield Cell(f"{positives} of {n:,}", draw, ">= .92", partial(difference_of, large))
    for apart in (1.0, 3.0, 5.0):
        draw = partial(constant, n=300, positives=60, apart=apart)
        large = partial(constant, n=LARGE, positives=0.2 * LARGE, apart=apart)
        name = f"from a constant score, {apart:g} apart"
        yield Cell(name, draw, ">= .92", partial(difference_of, large))
    for n, positives, rate in ((500, 50, 0.002), (2000, 200, 0.0005)):
        draw = partial(rare_failures, n=n, positives=positives, rate=rate)
        name = f"{rate:.2%} of negatives on top, {positives} of {n:,}"
        large = partial(rare_failures, n=LARGE, positives=0.1 * LARGE, rate=rate)
        yield Cell(name, draw, ">= .93", partial(difference_of, large))


def list_equal() -> Iterator[Cell]:
    """Models that are equally good on average: how often is p below .05?"""
    for number in (10, 50):
        yield Cell(f"rows, {number}", partial(rows, n=10 * number, positives=number), "<= .08")
        draw = partial(near_copies, n=10 * number, positives=number)
        yield Cell(f"near copies, {number}", draw, "<= .08")
    for number in (2, 3, 5, 10, 20):
        draw = partial(clusters, holding=number)
        yield Cell(f"{number} clusters with positives", draw, "<= .08")
    yield Cell("unequal clusters, 30", partial(unequal_clusters, n_clusters=30), "<= .08")
    yield Cell("bursts in 300 clusters", partial(bursts, n_clusters=300), "<= .08")
    yield Cell("8 queries", partial(queries, n_queries=8), "<= .08")
    yield Cell("ten classes of 20", partial(classes, positives=20, n=400), "<= .08")
    yield Cell("ten classes of 2", partial(classes, positives=2, n=100), "<= .16 (named)")
    yield Cell("weight 20", partial(weighted, n=150, positives=50, weight=20.0), "<= .10 (named)")
    draw = partial(weighted, n=500, positives=50, weight=50.0, rate=0.1)
    yield Cell("a tenth of negatives weigh 50", draw, "<= .12 (named)")
    yield Cell("P@20", partial(rows, n=500, positives=50), "<= .08", metric="P@20")
    draw = partial(rows, n=20_000, positives=4000)
    for metric in LARGE_TARGETS:
        yield Cell(f"{metric}, 20,000 rows", draw, "<= .08", metric=metric)
    for n, number, spread in SEEDS:
        draw = partial(seeds, n=n, n_seeds=number, spread=spread)
        yield Cell(f"{n} rows, {number} seeds", draw, "<= .08")


def list_margins() -> Iterator[Cell]:
    """Models that differ by the margin, or copies: how often is "equivalent" or "no worse" said?"""
    for positives, n in ((2, 10), (5, 50), (50, 250)):
        draw = partial(near_copies, n=n, positives=positives, noise=0.0)
        yield Cell(f"copies, {positives} of {n}", draw, "<= .03", margin=0.05)
    draw = partial(near_copies, n=5000, positives=1000, noise=0.0)
    yield Cell("copies, 1,000 of 5,000: power", draw, ">= .95", margin=0.05)
    for n, positives, rate in ((200, 20, 0.005), (500, 50, 0.002), (2000, 200, 0.0005)):
        draw = partial(rare_failures, n=n, positives=positives, rate=rate)
        name = f"{rate:.2%} of negatives on top, {positives} of {n:,}"
        large = partial(rare_failures, n=LARGE, positives=0.1 * LARGE, rate=rate)
        yield Cell(name, draw, "<= .03", partial(difference_of, large))


def list_power() -> Iterator[Cell]:
    """Models of which one is better: how often is p below .05?"""
    for number, wanted in ((5, ">= .01"), (10, ">= .06"), (20, ">= .42")):
        draw = partial(clusters, holding=number, gain=1.2)
        yield Cell(f"{number} clusters with positives", draw, wanted)
    yield Cell("rows, 50", partial(rows, n=500, positives=50, gain=0.7), ">= .8")


def list_promises() -> Iterator[Cell]:
    """Thresholds that promise a rate of .5 with 95% confidence: how often is it less?"""
    for target in ("recall", "precision"):
        for number, each in ((1000, 1), (20, 10), (100, 5), (100, None)):
            name = f"{target}, {number} clusters of {each or 'random sizes'}"
            draw = partial(similar, n_clusters=number, each=each)
            yield Cell(name, draw, "<= .07", metric=target)


def is_covered(cell: Cell, drawn: Drawn) -> bool:
    y, (first, _), options = drawn
    interval = ap.confidence_interval(y, first, metric=cell.metric, **options)
    return interval.low <= cell.truth() <= interval.high


def compare(cell: Cell, drawn: Drawn, margin: float | None = None) -> Any:
    y, models, options = drawn
    return ap.compare(y, *models, metric=cell.metric, margin=margin, **options)


def is_difference_covered(cell: Cell, drawn: Drawn) -> bool:
    result = compare(cell, drawn)
    return result.low <= cell.truth() <= result.high


def is_alarm(cell: Cell, drawn: Drawn) -> bool:
    return compare(cell, drawn).pvalue < 0.05


def is_equivalent(cell: Cell, drawn: Drawn) -> bool:
    margin = cell.margin or abs(cell.truth())
    return compare(cell, drawn, margin).verdict == "equivalent"


def is_broken(cell: Cell, drawn: Drawn) -> bool:
    y, (first, _), options = drawn
    target = {f"min_{cell.metric}": 0.5, "confidence_level": 0.95}
    try:
        threshold = ap.operating_point(y, first, **target, **options).threshold
    except ap.exceptions.NotReachableError:
        return False
    found, alarms = 0.2 * ndtr(2 - threshold), 0.8 * ndtr(-threshold)
    rate = found / 0.2 if cell.metric == "recall" else found / (found + alarms)
    return bool(rate < 0.5)


TOPICS = {
    "values": (list_values, is_covered),
    "metrics": (list_metrics, is_covered),
    "differences": (list_differences, is_difference_covered),
    "alarms": (list_equal, is_alarm),
    "margins": (list_margins, is_equivalent),
    "power": (list_power, is_alarm),
    "promises": (list_promises, is_broken),
}


def count_left(n_folds: int, n_repeats: int, n_sets: int) -> tuple[float, float]:
    """Return how many of 20 candidates are left on average, and how often the best one isn't.

    The noise of a fold and the quality of candidates have the same standard deviation, and the best
    one is better than the second by two of these.
    """
    left, lost = [], 0
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        quality = rng.standard_normal((20, 1))
        quality[0] = quality.max() + 2
        scores = quality + rng.standard_normal((20, n_folds * n_repeats))
        results = {f"split{fold}_test_score": column for fold, column in enumerate(scores.T)}
        results["params"] = [{"candidate": place} for place in range(20)]
        best = ap.compare_folds(results, n_train=n_folds - 1, n_test=1).best
        left.append(len(best))
        lost += all(row.params["candidate"] for row in best)
    return float(np.mean(left)), lost / n_sets


def measure_best(n_folds: int, n_candidates: int, n_sets: int) -> float:
    """Return how much too high the corrected value of the best of equal candidates is on average,
    as a fraction of the standard deviation of a fold.
    """
    excess = []
    for seed in range(n_sets):
        scores = np.random.default_rng(seed).standard_normal((n_candidates, n_folds))
        results = {f"split{fold}_test_score": column for fold, column in enumerate(scores.T)}
        results["params"] = [{"candidate": place} for place in range(n_candidates)]
        best = ap.compare_folds(results, n_train=n_folds - 1, n_test=1)
        excess.append(best.corrected_value)
    return float(np.mean(excess))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=40, help="data sets of each population")
    parser.add_argument("--only", nargs="*", default=[*TOPICS, "folds"])
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for topic in arguments.only:
        if topic == "folds":
            for shape, wanted in (((10, 1), "<= 10"), ((10, 3), "<= 4")):
                left, lost = count_left(*shape, arguments.sets)
                print(f"folds | {shape}, left of 20 | {wanted} | {left:.1f}, lost {lost:.3f}")
            for shape in ((5, 10), (10, 10), (10, 100)):
                excess = measure_best(*shape, arguments.sets)
                print(f"folds | {shape}, the best | near 0 | too high by {excess:.2f}")
            continue
        list_cells, is_counted = TOPICS[topic]
        for cell in list_cells():
            seed = crc32(cell.name.encode())
            counted = [
                is_counted(cell, cell.draw(np.random.default_rng([seed, number])))
                for number in range(arguments.sets)
            ]
            rate = float(np.mean(counted))
            error = np.sqrt(max(rate * (1 - rate), 0.01) / arguments.sets)
            print(f"{topic} | {cell.name} | {cell.wanted} | {rate:.3f} +- {error:.3f}", flush=True)


if __name__ == "__main__":
    main()
