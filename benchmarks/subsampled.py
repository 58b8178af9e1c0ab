"""Measure how much too high average precision is if negatives were kept at random.

Run it with python -m benchmarks.subsampled, which writes benchmarks/subsampled.md. docs/weights.md
has the largest cells of its columns.
"""

import argparse
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.stats import lognorm, norm, t

PAGE = Path(__file__).with_suffix(".md")
INTRODUCTION = """\
# Average precision of subsampled negatives

How much too high the corrected value is, on average over all data sets of a kind (in parentheses,
for the worst of four shapes of scores). Rows are the average precision of all data, and columns how
much one more kept negative at the top would lower the value. Written by python -m
benchmarks.subsampled.
"""
VALUES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
PREVALENCES = (0.001, 0.005, 0.02)
RATES = (0.5, 0.2, 0.05, 0.02, 0.005, 0.001)  # fractions of negatives that are kept
COSTS = (0.02, 0.1, 0.25, 0.5, 1.0)  # of one more negative; above 0.25, the package warns
N_POSITIVES = 200
MIN_DRAWS = 40  # fewer data sets of a kind say nothing about their mean
QUANTILES = (np.arange(4000) + 0.5) / 4000

# Scores of positives, from which the strength of a model is added, and of negatives
SHAPES = {
    "normal": (norm, norm),
    "positives spread twice as far": (norm(scale=2), norm),
    "negatives with heavy tails": (norm, t(4)),
    "positives with a tail upwards": (lognorm(1), norm),
}


def negatives_above(shape, strength, quantiles):
    """Compute the fraction of negatives above the positives at these quantiles."""
    positives, negatives = SHAPES[shape]
    return negatives.sf(positives.ppf(quantiles) + strength)


def strength_for(shape, value, prevalence):
    """Find how strong a model with this average precision is, or None if no model has it."""
    found = prevalence * QUANTILES

    def excess(strength):
        above = (1 - prevalence) * negatives_above(shape, strength, QUANTILES[::-1])
        return np.mean(found / (found + above)) - value

    return brentq(excess, -12, 12, xtol=1e-6) if excess(-12) < 0 < excess(12) else None


def average_precision(mass):
    """Compute it from the mass of negatives above each positive, from the highest score down."""
    found = np.arange(1, mass.size + 1)
    return np.mean(found / (found + mass))


def drawn(shape, strength, prevalence, rate, rng):
    """Draw a data set, and return its value, that of its kept rows, and the cost of one more."""
    above = np.sort(negatives_above(shape, strength, rng.random(N_POSITIVES)))
    n_negatives = N_POSITIVES * (1 - prevalence) / prevalence
    # Those below all positives change nothing, and the others fall evenly onto these fractions.
    negatives = np.sort(rng.random(rng.poisson(n_negatives * above[-1]))) * above[-1]
    kept = negatives[rng.random(negatives.size) < rate]
    mass = np.searchsorted(kept, above) / rate
    value = average_precision(mass)
    everything = average_precision(np.searchsorted(negatives, above))
    return everything, value, 1 - average_precision(mass + 1 / rate) / value


def measured(n_draws, random_state=0):
    """Measure the excess by average precision, cost and shape, with all shapes as None."""
    rng = np.random.default_rng(random_state)
    values = defaultdict(list)
    for shape in SHAPES:
        for prevalence in PREVALENCES:
            for value in VALUES:
                strength = strength_for(shape, value, prevalence)
                if strength is None:
                    continue
                for rate in RATES:
                    for _ in range(n_draws):
                        *pair, cost = drawn(shape, strength, prevalence, rate, rng)
                        band = int(np.searchsorted(COSTS, cost))
                        values[value, band, shape].append(pair)
                        values[value, band, None].append(pair)
    return {
        kind: thinned / everything - 1
        for kind, pairs in values.items()
        if len(pairs) >= MIN_DRAWS
        for everything, thinned in [np.mean(pairs, axis=0)]
    }


def as_table(excesses):
    bands = ["up to 2%", *(f"{low:.0%} to {high:.0%}" for low, high in pairwise(COSTS))]
    bands[-1] = f"over {COSTS[-2]:.0%}"
    lines = [f"| average precision | {' | '.join(bands)} |", "|---" * (len(bands) + 1) + "|"]
    for value in VALUES:
        cells = []
        for band in range(len(COSTS)):
            worst = [
                excesses[value, band, each] for each in SHAPES if (value, band, each) in excesses
            ]
            mean = excesses.get((value, band, None))
            cells.append(f"{mean:.0%} ({max(worst):.0%})" if worst else "")
        lines.append(f"| {value:g} | {' | '.join(cells)} |")
    return "\n".join(lines).replace("-0%", "0%")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=100)
    table = as_table(measured(parser.parse_args().draws))
    PAGE.write_text(f"{INTRODUCTION}\n{table}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
