"""Which models are better than which, all pairs at once, and what ranks this leaves possible."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import ndtri

from .spread import ROUNDING, length, scale_of
from .within import Array, blocks

# Only pairs are tested whose difference is at least this multiple of the critical value. By
# simulation of 160,000 pairs, no test finds one that is closer to 0. If there are many pairs, the
# multiple is larger, which can only make the intervals of ranks wider.
_NEAR, _NEARER_OF_MANY, _MANY = 0.25, 0.75, 1000


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


def rank_limits(is_higher: Array) -> tuple[Array, Array]:
    """Return the lowest and the highest rank that each model can have [1]_.

    It is behind all models that are significantly higher, and ahead of all that are lower. If all
    of these claims are correct, all intervals contain the true ranks.

    References
    ----------
    .. [1] M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm, "Inference for ranks with
       applications to mobility across neighbourhoods and academic achievement across countries",
       Review of Economic Studies 91, 2024.
    """
    return 1 + is_higher.sum(axis=0), len(is_higher) - is_higher.sum(axis=1)


def errors_of_pairs(deviations: Sequence[Array]) -> Array:
    """Compute the standard errors of all differences from the deviations of each value, which have
    one entry for each unit.
    """
    covariance = np.zeros((len(deviations), len(deviations)))
    scale = scale_of(np.array([length(of_model) for of_model in deviations]))
    for block in blocks(deviations[0].size):
        of_block = np.stack([of_model[block] for of_model in deviations]) / scale
        covariance += of_block @ of_block.T
    variances = np.diag(covariance)
    squares = np.maximum(variances[:, np.newaxis] + variances - 2 * covariance, 0.0)
    return np.asarray(np.sqrt(squares) * scale)


def told_apart(
    values: Array, errors: Array, single: float, pvalue: Callable[[int, int], float]
) -> Array:
    """Return whether each model is significantly higher than each other one.

    Parameters
    ----------
    values : ndarray of shape (n_models,)
    errors : ndarray of shape (n_models, n_models)
        Standard errors of the differences. Differences that are far too small for them aren't
        tested.
    single : float
        What the p-value of a single difference has to be below, so that all hold at once.
    pvalue : callable
        Returns the two-sided p-value of the difference between two models.

    Returns
    -------
    is_higher : ndarray of shape (n_models, n_models)
        Whether the model of the row is higher than that of the column.
    """
    n_pairs = values.size * (values.size - 1) // 2
    gaps = values[:, np.newaxis] - values
    near = _NEAR if n_pairs <= _MANY else _NEARER_OF_MANY
    is_open = (gaps > _noise(values)) & (gaps > near * -ndtri(single / 2) * errors)
    is_higher = np.zeros(gaps.shape, bool)
    for row, column in np.argwhere(is_open).tolist():
        is_higher[row, column] = pvalue(row, column) < single
    return is_higher


def _noise(values: Array) -> float:
    return float(ROUNDING * np.fmax.reduce(np.abs(values), initial=0.0))
