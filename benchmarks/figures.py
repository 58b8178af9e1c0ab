"""Measure what the page on confidence intervals says about their widths.

Run it with python -m benchmarks.figures, for about ten seconds. It prints how wide intervals are
around an average precision of 0.5, by the number of positives; how much the ends of an interval
from the bootstrap vary from seed to seed; and what SciPy's bootstrap returns if it isn't told that
labels and scores are paired.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import bootstrap

import sklearn_ap as ap

POSITIVES = (10, 40, 100, 400)
FRACTIONS = (0.02, 0.1)
N_SETS = 100


def data_set(rng, n_positives, fraction, distance):
    """Draw labels and normal scores, of which those of positives are higher by the distance."""
    n_negatives = round(n_positives / fraction) - n_positives
    scores = rng.normal(distance, 1, n_positives), rng.normal(0, 1, n_negatives)
    return np.repeat([1, 0], [n_positives, n_negatives]), np.concatenate(scores)


def half_width(n_positives, fraction):
    """The mean over data sets from a population with an average precision of 0.5."""

    def above(distance):
        rng = np.random.default_rng(1)
        return ap.average_precision_score(*data_set(rng, 2000, fraction, distance)) - 0.5

    distance, rng = brentq(above, 0.3, 5, xtol=0.01), np.random.default_rng(0)
    sets = [data_set(rng, n_positives, fraction, distance) for _ in range(N_SETS)]
    found = [ap.confidence_interval(*each) for each in sets]
    return np.mean([each.high - each.low for each in found]) / 2


def spread_of_ends(payments, n_resamples, n_seeds=30):
    """How much each end varies from seed to seed, as a fraction of half the width."""
    given = {"metric": "P@1%", "n_resamples": n_resamples, "data": payments}
    found = [
        ap.confidence_interval("fraud", "model_b", random_state=seed, **given)
        for seed in range(n_seeds)
    ]
    lows, highs = [each.low for each in found], [each.high for each in found]
    return np.std([lows, highs], axis=1) / (np.mean(highs) - np.mean(lows)) * 2


def main():
    for fraction in FRACTIONS:
        widths = [f"{n}: {half_width(n, fraction):.3f}" for n in POSITIVES]
        print(f"half-widths with {fraction:.0%} positives, by their number: {', '.join(widths)}")
    payments = ap.datasets.load_payments(as_frame=False)
    for n_resamples in (499, 1999):
        low, high = spread_of_ends(payments, n_resamples)
        print(f"ends from {n_resamples:,} draws vary by {low:.1%} and {high:.1%}")
    columns = payments["fraud"], payments["model_b"]
    given = {"vectorized": False, "method": "percentile", "n_resamples": 999, "random_state": 0}
    low, high = bootstrap(columns, ap.average_precision_score, **given).confidence_interval
    print(f"SciPy's bootstrap without paired=True: {low:.3f} to {high:.3f}")


if __name__ == "__main__":
    main()
