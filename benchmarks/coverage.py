"""How often intervals hold the truth, and tests find it: python -m benchmarks.coverage.

Samples are drawn from a population that is known: a share of them is positive, and the scores of
both classes are normal, those of the positives better by so many standard deviations. Each number
is a share of data sets: of 10,000 its standard error is 0.002, of 2000 it is 0.005.
"""

import argparse
import warnings

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import brentq
from scipy.special import ndtr

from sklearn_ap._catalogue import read_name
from sklearn_ap.core.cells import of_points
from sklearn_ap.core.operating_points import from_rows, from_scores
from sklearn_ap.core.resampling import draw_counts, values_of
from sklearn_ap.core.rules import Step
from sklearn_ap.inference import compare, confidence_interval

SHARES = (0.02, 0.1, 0.5)
POSITIVES = (5, 10, 20, 50, 100)
MODELS = {"weak": 0.3, "fair": 0.6, "good": 0.9, "strong": 0.98}
AT_ONCE = 100
GRID = np.linspace(-9, 17, 200_001)


def truth(share, apart):
    """Average precision in the population: the mean precision at the score of a positive."""
    found, missed = share * ndtr(apart - GRID), (1 - share) * ndtr(-GRID)
    density = np.exp(-((GRID - apart) ** 2) / 2) / np.sqrt(2 * np.pi)
    with np.errstate(invalid="ignore"):
        precision = np.nan_to_num(found / (found + missed), nan=1.0)
    return np.trapezoid(precision * density, GRID)


def apart_for(share, strength):
    """How far the classes lie apart for an average precision so far from chance to 1."""
    goal = share + strength * (1 - share)
    return brentq(lambda apart: truth(share, apart) - goal, 0, 8)


def draw(rng, n_samples, share, apart):
    """Labels, two of them positive at least, and scores."""
    while True:
        y = rng.random(n_samples) < share
        if y.sum() > 1:
            return y, rng.standard_normal(n_samples) + apart * y


def in_parallel(function, repeats, *given):
    """The mean of what the function gives for so many data sets."""
    sizes = [min(AT_ONCE, repeats - start) for start in range(0, repeats, AT_ONCE)]
    jobs = (delayed(_some)(function, seed, size, *given) for seed, size in enumerate(sizes))
    return np.mean(np.concatenate(Parallel(n_jobs=-1)(jobs)), axis=0)


def _some(function, seed, size, *given):
    rng = np.random.default_rng([2026, seed])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [function(rng, *given) for _ in range(size)]


# --- intervals ---------------------------------------------------------------------------------


def holds(rng, n_samples, share, apart, expected, **options):
    """Whether the interval holds the truth."""
    found = confidence_interval(*draw(rng, n_samples, share, apart), random_state=0, **options)
    return found.low <= expected <= found.high


def percentile_holds(rng, n_samples, share, apart, expected):
    """Whether the middle 95% of resamples hold the truth."""
    points = from_scores(*draw(rng, n_samples, share, apart))
    values, _ = values_of(Step(), draw_counts(of_points(points), 0, 999, rng), 1)
    low, high = np.nanquantile(values, (0.025, 0.975))
    return low <= expected <= high


def expectation(metric, n_samples, share, apart, repeats=20_000):
    """The mean of a score of so many samples: what at-k scores and N-point estimate."""
    rng, named = np.random.default_rng(1), read_name(metric)
    rule = named.make(**named.options)
    values = []
    for _ in range(0, repeats, 1000):
        y = rng.random((1000, n_samples)) < share
        scores = rng.standard_normal(y.shape) + apart * y
        points = from_rows(y, scores)
        values.append(rule.values(points)[points.n_positives > 1])
    return np.concatenate(values).mean()


def coverage(repeats):
    yield ["positives", "share", *MODELS]
    for share in SHARES:
        for n_positives in POSITIVES:
            row = []
            for strength in MODELS.values():
                apart = apart_for(share, strength)
                n_samples = round(n_positives / share)
                given = n_samples, share, apart, truth(share, apart)
                row.append(f"{in_parallel(holds, repeats, *given):.3f}")
            yield [n_positives, f"{share:g}", *row]


def bootstrap_coverage(repeats):
    metrics = ("11_point_average_precision", "average_precision_at_10", "precision_at_10")
    yield ["positives", "share", "model", "AP, percentile", *metrics]
    for n_positives, share, model in [
        (20, 0.1, "fair"),
        (20, 0.1, "good"),
        (50, 0.5, "fair"),
        (100, 0.1, "fair"),
    ]:
        apart, n_samples = apart_for(share, MODELS[model]), round(n_positives / share)
        given = n_samples, share, apart
        row = [in_parallel(percentile_holds, repeats, *given, truth(share, apart))]
        for metric in metrics:
            one = delayed_options(metric)
            row.append(in_parallel(one, repeats, *given, expectation(metric, *given)))
        yield [n_positives, f"{share:g}", model, *(f"{value:.3f}" for value in row)]


class delayed_options:
    """`holds` for a metric, with fewer resamples than usual."""

    def __init__(self, metric):
        self.metric = metric

    def __call__(self, *given):
        return holds(*given, metric=self.metric, n_resamples=199)


# --- comparisons -------------------------------------------------------------------------------


def finds(rng, n_samples, share, apart_a, apart_b, correlation):
    """Whether a paired test finds a difference, and whether an unpaired one does."""
    y, a = draw(rng, n_samples, share, 0.0)
    b = correlation * a + np.sqrt(1 - correlation**2) * rng.standard_normal(n_samples)
    a, b = a + apart_a * y, b + apart_b * y
    paired = compare(y, a, b)
    error = np.hypot(*(confidence_interval(y, s).standard_error for s in (a, b)))
    return paired.pvalue < 0.05, abs(paired.difference) > 1.96 * error


def tests(repeats):
    yield ["positives", "share", "models", "correlation", "paired", "unpaired"]
    for models, better in (("equally good", 0.0), ("b better", 0.3)):
        for n_positives, share, correlation in [
            (20, 0.1, 0.5),
            (20, 0.1, 0.9),
            (50, 0.02, 0.9),
            (50, 0.1, 0.9),
            (50, 0.5, 0.9),
            (100, 0.1, 0.5),
            (100, 0.1, 0.9),
        ]:
            given = round(n_positives / share), share, 1.5, 1.5 + better, correlation
            found = in_parallel(finds, repeats, *given)
            yield [n_positives, f"{share:g}", models, correlation, *(f"{x:.3f}" for x in found)]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--repeats", type=int, default=10_000, help="data sets for each number")
    options = parser.parse_args(arguments)
    few = max(options.repeats // 5, 1)
    for title, lines in (
        ("How often 95% intervals hold the average precision of the population", coverage),
        ("The same of the bootstrap", bootstrap_coverage),
        ("How often a test at 5% finds a difference", tests),
    ):
        repeats = few if lines is bootstrap_coverage else options.repeats
        print(f"\n{title}, of {repeats:,} data sets\n")
        for number, line in enumerate(lines(repeats)):
            print(f"| {' | '.join(map(str, line))} |", flush=True)
            if not number:
                print("|---" * len(line) + "|")


if __name__ == "__main__":
    main()
