"""Whether a fraction, such as a recall, stays at a target while one looks at it again and again.

Tests at fixed times reject sooner or later if they are repeated often enough. These ones are bets
against the target at fair odds: if the target is kept, their wealth rarely multiplies.
"""

from __future__ import annotations

from math import inf, log, sqrt
from typing import NamedTuple, Self

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc

from .within import Array

# How far the fraction may have fallen, as a logarithm of the odds: from a fall that takes a million
# trials to see, to one that leaves nothing. Neighbors differ by so little that betting on the wrong
# one of them costs less than 5% more trials.
N_FALLS = 18
_FALLS = 0.01 * 1.5 ** np.arange(N_FALLS)
_FACTORS = np.exp(-_FALLS) - 1
_BELIEFS = np.sqrt(np.minimum(_FALLS, 1)) / np.maximum(_FALLS, 1)  # small falls are rarely at stake
_BELIEFS = np.log(_BELIEFS / _BELIEFS.sum())

_APART = 10  # trials between starts, so that few updates with many trials aren't worth less


class Watched(NamedTuple):
    """What was bet against a fraction of at least `target`, and what the bets are worth.

    There is a bet for each fall and for each time from which the fraction may have fallen. Half of
    the money is on a fall from the start, and the rest is spread over later starts. A bet of 1 is
    worth the probability of what happened after its start under the fall, divided by that under
    the target. All bets on the same fall grow alike, so their sum is all that there is to remember.
    Their total value has an expected value of at most 1 if each trial succeeds with a probability
    of at least the target, whatever has happened before. So it ever exceeds 1/error with a
    probability of at most `error` (Ville 1939).
    """

    target: float
    error: float
    found: int = 0  # all successes
    missed: int = 0  # all failures
    n_starts: int = 0
    since: int = 0  # the trials since the last start
    values: tuple[float, ...] = ()  # the logarithms of what the bets on each fall are worth
    most: float = 0.0  # the logarithm of the highest total value so far

    @property
    def is_broken(self) -> bool:
        """Whether the fraction was below the target, unless an event of this probability."""
        return self.most >= -log(self.error)

    def add(self, found: int, missed: int) -> Self:
        """Add the trials of one update. Their order doesn't matter."""
        if not found + missed:
            return self
        values, n_starts, since = np.array(self.values), self.n_starts, self.since
        if not n_starts or since >= _APART:
            n_starts, since = n_starts + 1, 0
            bet = log(_left(n_starts - 1) - _left(n_starts)) + _BELIEFS
            values = np.logaddexp(values, bet) if values.size else bet
        most = self.most
        if self.target < 1:
            # (1 - p) / (1 - target) for a fraction p with odds that are lower by this factor
            failure = -np.log1p(self.target * _FACTORS)
            values = values + found * (failure - _FALLS) + missed * failure
            most = max(most, float(np.logaddexp.reduce([*values, log(_left(n_starts))])))
        elif missed:
            most = inf
        return self._replace(
            found=self.found + found,
            missed=self.missed + missed,
            n_starts=n_starts,
            since=since + found + missed,
            values=tuple(values.tolist()),
            most=most,
        )

    def limits(self) -> tuple[float, float]:
        """Return the ends of a confidence sequence of the mean success rate since the start.

        Each of them is beyond the mean at any time with a probability of at most error / 2. The
        rate may change from trial to trial (Howard et al. 2021).
        """
        low, high = (_lowest(*counts, self.error / 2) for counts in (self[2:4], self[3:1:-1]))
        return low, 1 - high


def chance_of_spread(found: Array, sizes: Array) -> float:
    """Return how likely updates differ this much if their trials are independent, by Tarone (1979).

    The mean and variance are those of all ways to spread the successes over the trials, and the
    skewness is that of normal fractions.
    """
    total = float(sizes.sum())
    share = found.sum() / total if total else 0.0
    if sizes.size < 2 or not 0 < share < 1:
        return 1.0
    squares = ((found - share * sizes) ** 2).sum() / (share * (1 - share))
    second, third = (sizes**2).sum() / total, (sizes**3).sum() / total
    mean, spread = total - second, second * total - 2 * third + second**2
    if spread <= mean:  # one trial each
        return 1.0
    freedom = mean**2 / spread
    far = (squares - mean * total / (total - 1)) / sqrt(2 * (spread - mean))
    return float(chdtrc(freedom, max(freedom + far * sqrt(2 * freedom), 0.0)))


def _left(n_starts: int) -> float:
    """Return how much money is left for later starts."""
    return 0.5 / sqrt(n_starts) if n_starts else 1.0


def _lowest(found: int, missed: int, error: float) -> float:
    """Return the lowest mean that isn't rejected, by bets on means with higher odds."""

    def evidence(mean: float) -> float:
        each = _BELIEFS + found * _FALLS - (found + missed) * np.log1p(mean * np.expm1(_FALLS))
        return float(np.logaddexp.reduce(each)) + log(error)

    return float(brentq(evidence, 0.0, 1.0)) if found and evidence(0.0) > 0 else 0.0
