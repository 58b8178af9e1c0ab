"""The 40 rankings, drawn by Python's own generator, so that they are the same everywhere."""

from random import Random
from typing import NamedTuple

import numpy as np


class Ranking(NamedTuple):
    kind: str
    labels: np.ndarray
    scores: np.ndarray
    weight: np.ndarray | None = None


def draw(random, kind, size, n_decimals=None, share=0.3, low=0.0, high=1.0):
    labels = [int(random.random() < share) for _ in range(size)]
    if 0 < share < 1:
        labels[:2] = 1, 0
        random.shuffle(labels)
    scores = []
    for label in labels:
        score = None
        while score is None or (score in scores and n_decimals is None):
            score = 0.2 * random.random() + 0.2 * label + 0.6 * random.random()
            # Multiples of 2**-20 are the same in single precision.
            score = round(score * 2**20) / 2**20
        scores.append(score if n_decimals is None else round(score, n_decimals))
    scores = np.array(scores) * (high - low) + low
    return Ranking(kind, np.array(labels), scores)


def draw_rankings():
    """Return rankings of a few kinds, of up to 120 samples."""
    random = Random(157)
    rankings = [draw(random, "no ties", n) for n in (2, 3, 5, 8, 12, 20, 33, 40, 60, 80, 100, 120)]
    for size, n_decimals in zip(
        (2, 3, 6, 12, 30, 60, 90, 120), (0, 0, 1, 1, 1, 1, 1, 2), strict=True
    ):
        rankings.append(draw(random, "ties", size, n_decimals))
    rankings += [draw(random, "ties", 120, 1, share=0.7), draw(random, "ties", 40, 0)]
    rankings += [
        draw(random, "no positives", n, d, share=0) for n, d in ((1, None), (5, None), (6, 0))
    ]
    rankings += [draw(random, "no negatives", n, d, share=1) for n, d in ((4, None), (6, 0))]
    rankings += [draw(random, "logits", n, low=-5, high=5) for n in (3, 10, 40, 100)]
    rankings += [draw(random, "not above 0", 12, low=-5, high=0)]
    close = [draw(random, "close", n) for n in (10, 40)]
    rankings += [each._replace(scores=0.5 + each.scores * 1e-9) for each in close]
    for size, n_decimals in ((5, None), (20, None), (60, None), (12, 1), (40, 1), (90, 1)):
        ranking = draw(random, "weights", size, n_decimals)
        weight = np.array([random.randint(1, 4) for _ in range(size)], dtype=float)
        rankings.append(ranking._replace(weight=weight))
    return rankings


RANKINGS = draw_rankings()
QUERIES = [each for each in RANKINGS if each.kind == "no ties"][4:7]  # whose mean is compared
MISSED = 3  # positives, which are added to the first of these
