"""The values of `compat.PEERS` in plain loops, by the names of their definitions."""

import re
from itertools import pairwise

import numpy as np

from . import oracle


def float_grid(labels, scores, n, artificial=False):
    """The loop that many people write, over the points of the curve."""
    curve, total = oracle.points(labels, scores), float(sum(map(bool, labels)))
    recall = np.array([float(T) / total for _, _, T, _ in curve] + [0.0] * artificial)
    precision = np.array([float(T / N) for _, _, T, N in curve] + [1.0] * artificial)
    return np.mean([precision[recall >= t].max(initial=0) for t in np.linspace(0, 1, n)])


def rounded_levels(labels, scores, added):
    """trec_eval, by its source code: a level needs (long)(level * R + 0.9) hits."""
    curve, found = oracle.points(labels, scores), sum(map(bool, labels))
    levels = []
    for level in range(11):
        needed = int(level / 10 * found + added)
        levels.append(max((T / N for _, _, T, N in curve if needed <= T), default=0))
    return sum(levels) / 11


def curved(labels, scores):
    """Hits and misses grow evenly between the points of the curve, integrated by Simpson's rule."""
    hits, misses, area = 0.0, 0.0, 0.0
    for r, n, _, _ in oracle.points(labels, scores):
        r, n = float(r), float(n)
        if r and not hits + misses:
            area += r / n * r
        elif r:
            x, third = np.linspace(0, 1, 1001), r / 3000
            height = (hits + r * x) / (hits + misses + n * x)
            ends, odd, even = height[[0, -1]].sum(), height[1::2].sum(), height[2:-1:2].sum()
            area += third * (ends + 4 * odd + 2 * even)
        hits, misses = hits + r, misses + n - r
    return area / hits


def after_first(labels, scores):
    """The trapezoids between the points of the curve, none of which ends at the first."""
    curve, found = oracle.points(labels, scores), sum(map(bool, labels))
    pairs = pairwise((T / found, T / N) for _, _, T, N in curve)
    return sum((right - left) * (low + high) / 2 for (left, low), (right, high) in pairs)


def roc_area(labels, scores):
    pairs = [
        (a > b) + (a == b) / 2
        for a, x in zip(scores, labels, strict=True)
        if x
        for b, y in zip(scores, labels, strict=True)
        if not y
    ]
    return np.mean(pairs)


def at_k(denominator):
    return lambda y, s, k: oracle.at_k(y, s, k=k, denominator=denominator)


NUMBERS = {
    "step": lambda y, s, k: oracle.step(y, s),
    "envelope": lambda y, s, k: oracle.envelope(y, s),
    "11-point": lambda y, s, k: oracle.n_point(y, s, n_points=11),
    "101-point": lambda y, s, k: oracle.n_point(y, s, n_points=101),
    "linear": lambda y, s, k: oracle.linear(y, s),
    "11-point, float grid": lambda y, s, k: float_grid(y, s, 11),
    "101-point, float grid": lambda y, s, k: float_grid(y, s, 101),
    **{f"AP@k / {each}": at_k(each) for each in oracle.DENOMINATORS},
    "11-point, levels rounded up": lambda y, s, k: rounded_levels(y, s, 0.9),
    "11-point, levels rounded": lambda y, s, k: rounded_levels(y, s, 0.5),
    "curved": lambda y, s, k: curved(y, s),
    "linear after the first point": lambda y, s, k: after_first(y, s),
    "area under the ROC curve": lambda y, s, k: roc_area(y, s),
    "precision@k": lambda y, s, k: oracle.precision_at_k(y, s, k=k),
    "recall@k": lambda y, s, k: oracle.recall_at_k(y, s, k=k),
    "R-precision": lambda y, s, k: oracle.r_precision(y, s),
    "reciprocal rank": lambda y, s, k: oracle.reciprocal_rank(y, s),
    "hit rate@k": lambda y, s, k: oracle.hit_rate_at_k(y, s, k=k),
    "mean of P@1 to P@k": lambda y, s, k: (
        sum(oracle.precision_at_k(y, s, k=i) for i in range(1, k + 1)) / k
    ),
}


def grouped(labels, scores, k):
    """The values that `compat.explain` always shows with tied samples as one point."""
    first = max(T / N for _, _, T, N in oracle.points(labels, scores))
    other = re.compile("levels|curved|after|area|^precision|^recall|^R-|rank|^hit")
    values = {
        name.replace("@k", f"@{k}"): value(labels, scores, k)
        for name, value in NUMBERS.items()
        if not other.search(name)
    }
    values["11-point, with (0, 1)"] = float(values["11-point"] + (1 - first) / 11)
    values["11-point, float grid, with (0, 1)"] = float_grid(labels, scores, 11, artificial=True)
    return values
