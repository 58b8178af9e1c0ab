"""Pairs of models, and ranks of their values."""

import numpy as np

from .spread import ROUNDING
from .within import Array


def pairs_with(size: int, base: int | None) -> Array:
    """Return the places of all pairs, or of those with a baseline, of shape (n_pairs, 2)."""
    if base is not None:
        return np.array([(place, base) for place in range(size) if place != base])
    return np.transpose(np.triu_indices(size, 1))


def ranks_of(values: Array) -> Array:
    """Return the rank of each value, 1 for the highest one. Equal values have the same rank."""
    order = np.argsort(-values, kind="stable")
    apart = -np.diff(values[order]) > _noise(values)
    ranks = np.empty(values.size, np.int64)
    places = np.arange(1, values.size + 1)
    ranks[order] = np.maximum.accumulate(np.where(np.append(True, apart), places, 1))
    return ranks


def place_of_best(values: Array) -> int:
    """Return the place of the highest value, the first one if several have rank 1."""
    return int(np.argmax(values >= np.fmax.reduce(values) - _noise(values)))


def _noise(values: Array) -> float:
    return float(ROUNDING * np.fmax.reduce(np.abs(values), initial=0.0))
