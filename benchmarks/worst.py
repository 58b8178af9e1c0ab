"""Search populations for the worst case: how often are intervals and verdicts wrong, at most?

python -m benchmarks.worst                  # in some minutes; docs/trust.md has the results
python -m benchmarks.worst --sets 2000      # standard errors of .005
python -m benchmarks.worst --only rare groups

Each population has a parameter, such as how often a negative ranks first. A few data sets at each
value of a grid find the worst two, which are then judged on other data sets, so that the worst one
isn't chosen by its luck.
"""

import argparse
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

import sklearn_ap as ap

from .law import LARGE, classes, failing_queries, rows, seeds, weighted

Drawn = tuple[Any, tuple[Any, Any], dict[str, Any]]  # labels, scores of two models, options


@dataclass(frozen=True)
class Population:
    """Data sets by a parameter, and what is wrong about a result."""

    name: str
    n: int  # rows, or groups, of a data set
    draw: Callable[..., Drawn]  # of a generator, the parameter and n
    parameters: Sequence[float]
    is_wrong: Callable[["Population", float, Drawn], bool]
    metric: str = "AP"
    large: int = LARGE  # rows, or groups, that stand for a population


def find_labels(rng, n, share):
    return np.arange(n) < max(rng.binomial(n, share), 3)


def rank_first(rng, expected, n, share, size):
    """A nearly perfect model, in whose samples so many negatives are expected to rank first."""
    y = find_labels(rng, n, share)
    at_top = ~y & (rng.random(n) < expected / (size * (1 - share)))
    good = rng.standard_normal(n) + 7 * y
    return y, (good + 20 * at_top, good), {}


def lose_positives(rng, expected, n, share, size, gain=0.0, apart=2.0):
    """A near copy that ranks so many positives last, and is better by a gain at the others."""
    y = find_labels(rng, n, share)
    noise = rng.standard_normal((3, n))
    first, second = noise[0] + 0.1 * noise[1:] + apart * y
    is_lost = y & (rng.random(n) < expected / (size * share))
    return y, (np.where(is_lost, -20.0, first + gain * y), second), {}


def fail_on_top(rng, expected, n, share, size, gain=0.0, apart=2.0):
    """A near copy that ranks so many negatives first, and is better by a gain at the others."""
    y = find_labels(rng, n, share)
    noise = rng.standard_normal((3, n))
    first, second = noise[0] + 0.1 * noise[1:] + apart * y
    at_top = 20.0 * (~y & (rng.random(n) < expected / (size * (1 - share))))
    return y, (first + gain * y + at_top, second), {}


def draw_balanced(rng, expected, n, share, size, draw):
    """Two models that have the same average precision, of which one fails in rare rows."""
    gain = find_gain(draw, expected, share, size)
    return draw(rng, expected, n, share, size, gain=gain)


@cache
def find_gain(draw, expected, share, size):
    """Return the gain that makes up for rare failures."""
    low, high = 0.0, 3.0
    for _ in range(12):
        gain = (low + high) / 2
        y, (a, b), _ = draw(np.random.default_rng(0), expected, LARGE, share, size, gain=gain)
        is_better = ap.average_precision_score(y, a) > ap.average_precision_score(y, b)
        low, high = (low, gain) if is_better else (gain, high)
    return low


def find_easily(rng, expected, n, share, size, each=1):
    """A random ranking, but for a few clusters of rows whose positives are expected to be easy."""
    cluster = np.arange(n * each) // each
    y = rng.random(n * each) < share if each > 1 else find_labels(rng, n, share)
    of_clusters = size * (share if each == 1 else 1)
    is_easy = (rng.random(n) < expected / of_clusters)[cluster]
    scores = rng.standard_normal(n * each) + 8 * (y & is_easy)
    return y, (scores, scores), {"clusters": cluster} if each > 1 else {}


def separate(rng, apart, n, share):
    y = find_labels(rng, n, share)
    noise = rng.standard_normal((3, n))
    first, second = 0.7 * noise[0] + 0.7 * noise[1:] + apart * y
    return y, (first, second - 0.3 * y), {}


def level_off(rng, at_top, n, share):
    """A tenth of the positives ranks high, but a few negatives rank higher."""
    y = find_labels(rng, n, share)
    scores = rng.standard_normal(n) + 1.5 * y + 20 * (~y & (rng.random(n) < at_top))
    return y, (scores, scores), {}


def name_values(values):
    """Return a ranking for each value, whose precision at 1,000 it is."""
    n = 1000
    labels = np.concatenate([np.arange(n) < round(n * value) for value in values])
    labels = np.concatenate([labels.reshape(-1, n), np.ones((len(values), n), bool)], axis=1)
    scores = np.tile(np.arange(2 * n) < n, len(values)) * 1.0
    return labels.ravel(), (scores, scores), {"groups": np.repeat(np.arange(len(values)), 2 * n)}


def fail_sometimes(rng, rate, n):
    """Seeds of which some fail, and none is perfect."""
    fails = rng.random(n) < rate
    return name_values(np.where(fails, 0.55, 0.9) + 0.01 * rng.standard_normal(n))


def succeed_sometimes(rng, rate, n):
    """Groups near 0, but a few that are high."""
    high = rng.random(n) < rate
    return name_values(np.where(high, rng.beta(8, 2, n), 0.001 + rng.beta(1, 30, n)))


def find_one_of_many(rng, apart, n):
    """Queries with one relevant document among 50."""
    y = np.tile(np.arange(50) < 1, n)
    hard = np.repeat(apart + rng.standard_normal(n), 50)
    scores = rng.standard_normal(y.size) + hard * y
    return y, (scores, scores), {"groups": np.repeat(np.arange(n), 50)}


def fail_in_queries(rng, rate, n):
    return failing_queries(rng, n, rate)


def weigh_some(rng, weight, n):
    return weighted(rng, n, n // 10, weight, 0.1)


def weigh_low_positives(rng, expected, n, size):
    """Rows of which a tenth is positive, and a few positives weigh 30 and rank low."""
    y, models, _ = rows(rng, n, n // 10, 2.0)
    is_heavy = y & (rng.random(n) < expected / (0.1 * size))
    return y, tuple(s - 3 * is_heavy for s in models), {"sample_weight": np.where(is_heavy, 30, 1)}


def weigh_high_negatives(rng, expected, n, size):
    """Rows of which a tenth is positive, and a few negatives weigh 50 and rank high."""
    y, models, _ = rows(rng, n, n // 10, 2.0)
    is_heavy = ~y & (rng.random(n) < expected / (0.9 * size))
    return y, tuple(s + 3 * is_heavy for s in models), {"sample_weight": np.where(is_heavy, 50, 1)}


def fail_in_clusters(rng, expected, n, size, each=20):
    """Clusters of rows, and a few in which the negatives of both models rank high."""
    cluster = np.arange(n * each) // each
    y = rng.random(n * each) < 0.2
    shared, own = rng.standard_normal(n)[cluster], rng.standard_normal((2, n * each))
    fails = (rng.random((2, n)) < expected / size)[:, cluster] & ~y
    return y, tuple(0.5 * shared + 0.8 * own + 2 * y + 3 * fails), {"clusters": cluster}


def score_large_clusters_low(rng, expected, n, size):
    """Clusters of ten rows, and a few of 100, whose positives score low."""
    is_large = rng.random(n) < expected / size
    cluster = np.repeat(np.arange(n), np.where(is_large, 100, 10))
    y = rng.random(cluster.size) < 0.3
    scores = rng.standard_normal(y.size) + (1.5 - 2 * is_large[cluster]) * y
    return y, (scores, scores), {"clusters": cluster}


def draw_seeds(rng, spread, n):
    """Rows that a few seeds rank; or many of both, which stand for a population."""
    return seeds(rng, 600 if n < 20 else 4000, n, spread)


def draw_classes(rng, positives, n):
    return classes(rng, int(positives), n)


@cache
def find_truth(draw: Callable[..., Drawn], metric: str, parameter: float, n: int) -> list[float]:
    """Return the values of both models in a large data set."""
    y, models, options = draw(np.random.default_rng(1), parameter, n=n)
    options.pop("clusters", None)
    return [ap.metric(metric)(y, scores, **options) for scores in models]


def misses_value(population, parameter, drawn):
    y, (first, _), options = drawn
    of_all, _ = find_truth(population.draw, population.metric, parameter, population.large)
    found = ap.confidence_interval(y, first, metric=population.metric, **options)
    return not found.low <= of_all <= found.high


def misses_difference(population, parameter, drawn):
    first, second = find_truth(population.draw, population.metric, parameter, population.large)
    found = compare(population, drawn)
    return not found.low <= first - second <= found.high


def compare(population, drawn, margin=None):
    y, models, options = drawn
    return ap.compare(y, *models, metric=population.metric, margin=margin, **options)


def is_alarm(population, parameter, drawn):
    return compare(population, drawn).pvalue < 0.05


@cache
def find_large(draw, parameter, n):
    y, (scores, _), _ = draw(np.random.default_rng(1), parameter, n=n)
    return np.sort(scores[y])


def find_recall(population, parameter, threshold):
    """Return the recall of a threshold in a large data set."""
    positives = find_large(population.draw, parameter, population.large)
    return 1 - np.searchsorted(positives, threshold) / positives.size


def misses_recall(population, parameter, drawn):
    y, (scores, _), options = drawn
    found = ap.operating_point(y, scores, threshold=0.5, confidence_level=0.95, **options)
    recall = find_recall(population, parameter, 0.5)
    return not found.recall_low <= recall <= found.recall_high


def breaks_promise(population, parameter, drawn):
    """Whether a threshold was given whose recall is less than promised."""
    y, (scores, _), options = drawn
    try:
        found = ap.operating_point(y, scores, min_recall=0.8, confidence_level=0.95, **options)
    except ap.exceptions.NotReachableError:
        return False
    return find_recall(population, parameter, found.threshold) < 0.8


def is_not_worse(population, parameter, drawn):
    """Whether a model is said to be no worse that is worse by the margin."""
    first, second = find_truth(population.draw, population.metric, parameter, population.large)
    verdict = compare(population, drawn, margin=second - first).verdict
    return verdict in ("no worse", "equivalent", "better")


EXPECTED = [0.3, 0.6, 0.8, 1.0, 1.2, 1.5, 2.0, 3.0]
APART = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]
RATES = [0.003, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2]


def list_rare() -> Iterator[Population]:
    """Rows that rank far from where they should, of which so many are expected in a data set."""
    for n, share in ((150, 1 / 3), (500, 0.1), (2000, 0.1)):
        number = f"{n * share:.0f} of {n:,}"
        draw = partial(rank_first, share=share, size=n)
        yield Population(f"rare negatives first, {number}", n, draw, EXPECTED, misses_value)
        yield Population(f"no worse, {number}", n, draw, EXPECTED, is_not_worse)
        for name, lose in (("positives last", lose_positives), ("negatives first", fail_on_top)):
            equal = partial(draw_balanced, share=share, size=n, draw=lose)
            yield Population(f"equal models, {name}, {number}", n, equal, EXPECTED, is_alarm)
            draw = partial(lose, share=share, size=n)
            yield Population(f"{name}, {number}", n, draw, EXPECTED, misses_difference)


def list_easy() -> Iterator[Population]:
    """Positives that are easy, alone or in clusters, of which so many are expected."""
    for n in (200, 400, 1000):
        draw = partial(find_easily, share=0.05, size=n)
        yield Population(f"easy positives, {n // 20} of {n:,}", n, draw, EXPECTED, misses_value)
    for n in (12, 30):
        draw = partial(find_easily, share=0.1, size=n, each=60)
        name = f"easy clusters, of {n}"
        yield Population(name, n, draw, EXPECTED, misses_value, large=LARGE // 60)


def list_groups() -> Iterator[Population]:
    for n in (12, 25, 50):
        for metric in ("nDCG@10", "MAP"):
            name = f"{n} queries fail, {metric}"
            yield Population(name, n, fail_in_queries, RATES, misses_value, metric, 20_000)
    yield Population("10 seeds fail", 10, fail_sometimes, RATES, misses_value, "P@1000", 2000)
    yield Population("12 groups high", 12, succeed_sometimes, RATES, misses_value, "P@1000", 2000)
    for n in (8, 12, 30):
        name = f"{n} queries, one of 50"
        yield Population(name, n, find_one_of_many, APART, misses_value, "MRR", 20_000)


def list_metrics() -> Iterator[Population]:
    metrics = ["AP", "VOC2010", "11-point", "101-point", "R@5%", "P@5%", "EF@5%", "AP@5%"]
    metrics += ["R-precision", "precision at recall 0.8", "recall at precision 0.8"]
    draw = partial(separate, share=0.1)
    for n in (300, 1000):
        for metric in metrics:
            yield Population(f"{metric}, {n:,} rows", n, draw, APART, misses_value, metric)
        flat, metric = partial(level_off, share=0.1), "recall at precision 0.8"
        at_top = [0.0, 0.003, 0.01, 0.02, 0.05]
        yield Population(f"flat, {metric}, {n:,} rows", n, flat, at_top, misses_value, metric)
        yield Population(f"difference, {n:,} rows", n, draw, APART, misses_difference)


def list_weights() -> Iterator[Population]:
    heavy = [5, 10, 20, 50, 100, 200]
    yield Population("a tenth of negatives is heavy, 500 rows", 500, weigh_some, heavy, is_alarm)
    for weigh in (weigh_low_positives, weigh_high_negatives):
        name = f"{weigh.__name__}, 400 rows"
        yield Population(name, 400, partial(weigh, size=400), EXPECTED, misses_value)
    yield Population("ten classes, 100 rows", 100, draw_classes, [2, 3, 5, 10], is_alarm)


def list_clusters() -> Iterator[Population]:
    """Clusters that fail, or that are large and score low, of which so many are expected."""
    for n in (10, 15, 30, 100):
        draw = partial(fail_in_clusters, size=n)
        for is_wrong in (misses_value, is_alarm):
            yield Population(f"{n} clusters, some fail", n, draw, EXPECTED, is_wrong, large=20_000)
    for n in (12, 30, 100):
        draw = partial(score_large_clusters_low, size=n)
        for is_wrong in (misses_recall, breaks_promise):
            name = f"recall, {n} clusters, some large and low"
            yield Population(name, n, draw, EXPECTED, is_wrong, large=20_000)


def list_seeds() -> Iterator[Population]:
    """Rows x seeds."""
    for n in (2, 3, 5):
        for is_wrong in (misses_value, is_alarm):
            spreads = [0.05, 0.1, 0.2, 0.4]
            yield Population(f"{n} seeds", n, draw_seeds, spreads, is_wrong, large=300)


TOPICS = {
    "rare": list_rare,
    "easy": list_easy,
    "groups": list_groups,
    "metrics": list_metrics,
    "weights": list_weights,
    "clusters": list_clusters,
    "seeds": list_seeds,
}


def count_wrong(population: Population, parameter: float, seeds: Iterable[int]) -> float:
    wrong = []
    for seed in seeds:
        drawn = population.draw(np.random.default_rng([seed, 7]), parameter, n=population.n)
        wrong.append(population.is_wrong(population, parameter, drawn))
    return float(np.mean(wrong))


def find_worst(population: Population, n_sets: int) -> tuple[float, float]:
    """Return the worst parameter, and how often results are wrong there."""
    few, others = range(max(n_sets // 4, 10)), range(1_000_000, 1_000_000 + n_sets)
    first = {each: count_wrong(population, each, few) for each in population.parameters}
    worst_two = sorted(first, key=first.__getitem__)[-2:]
    again = {each: count_wrong(population, each, others) for each in worst_two}
    worst = max(again, key=again.__getitem__)
    return worst, again[worst]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=100, help="data sets of the worst parameter")
    parser.add_argument("--only", nargs="*", default=[*TOPICS], choices=TOPICS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for topic in arguments.only:
        for population in TOPICS[topic]():
            worst, rate = find_worst(population, arguments.sets)
            error = np.sqrt(max(rate * (1 - rate), 0.01) / arguments.sets)
            wrong = population.is_wrong.__name__
            print(
                f"{population.name} | {wrong} | {worst:g} | {rate:.3f} +- {error:.3f}", flush=True
            )


if __name__ == "__main__":
    main()
