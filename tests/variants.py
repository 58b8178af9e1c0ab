"""The values of `compat.PEERS` in plain loops, by the names of their definitions."""

from itertools import pairwise

import numpy as np

from . import oracle


def float_grid(labels, scores, n, artificial=False):
    """The loop that many people write, over the points of the curve."""
    curve, total = oracle.points(labels, scores), float(sum(map(bool, labels)))
    recall = np.array([float(T) / total for _, _, T, _ in curve] + [0.0] * artificial)
    precision = np.array([float(T / N) for _, _, T, N in curve] + [1.0] * artificial)
    return np.mean([precision[recall >= t].max(initial=0) for t in np.linspace(0, 1, n)])


def after_first(labels, scores):
    """The trapezoids between the points of the curve, none of which ends at the first."""
    curve, found = oracle.points(labels, scores), sum(map(bool, labels))
    pairs = pairwise((T / found, T / N) for _, _, T, N in curve)
    return sum((right - left) * (low + high) / 2 for (left, low), (right, high) in pairs)


def grouped(labels, scores, k):
    """The values that `compat.explain` always shows with tied samples as one point."""
    found = [oracle.precision_at_k(labels, scores, k=i) for i in range(1, k + 1)]
    first = max(T / N for _, _, T, N in oracle.points(labels, scores))
    eleven = oracle.n_point(labels, scores, n_points=11)
    return {
        "step": oracle.step(labels, scores),
        "envelope": oracle.envelope(labels, scores),
        "11-point": eleven,
        "101-point": oracle.n_point(labels, scores, n_points=101),
        "linear": oracle.linear(labels, scores),
        "11-point, float grid": float_grid(labels, scores, 11),
        "101-point, float grid": float_grid(labels, scores, 101),
        "11-point, with (0, 1)": float(eleven + (1 - first) / 11),
        "11-point, float grid, with (0, 1)": float_grid(labels, scores, 11, artificial=True),
        f"mean of P@1 to P@{k}": sum(found) / k,
        **{
            f"AP@{k} / {each}": oracle.at_k(labels, scores, k=k, denominator=each)
            for each in oracle.DENOMINATORS
        },
    }
