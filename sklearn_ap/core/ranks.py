"""Pairs of models, and ranks of their values."""

import numpy as np

from .ragged import Array
from .spread import ROUNDING_TOLERANCE


def list_pairs(size: int, base: int | None) -> Array:
    """Return the places of all pairs, or of those with a baseline, of shape (n_pairs, 2)."""
    if base is not None:
        return np.array([(place, base) for place in range(size) if place != base])
    return np.transpose(np.triu_indices(size, 1))


def compute_ranks(values: Array) -> Array:
    """Return the rank of each value, 1 for the highest one. Equal values have the same rank."""
    order = np.argsort(-values, kind="stable")
    apart = -np.diff(values[order]) > _compute_noise(values)
    ranks = np.empty(values.size, np.int64)
    places = np.arange(1, values.size + 1)
    ranks[order] = np.maximum.accumulate(np.where(np.append(True, apart), places, 1))
    return ranks


def find_best(values: Array) -> int:
    """Return the place of the highest value, the first one if several have rank 1."""
    return int(np.argmax(values >= np.fmax.reduce(values) - _compute_noise(values)))


def _compute_noise(values: Array) -> float:
    return float(ROUNDING_TOLERANCE * np.fmax.reduce(np.abs(values), initial=0.0))
