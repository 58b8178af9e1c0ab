"""How scores, or the rows that have them, are read before they are ranked."""

import sys
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np

from .._package import read_toml
from .._words.messages import format_count
from ..core.ragged import Array
from ..core.rankings import Rankings

_MAX_CLOSE = 1e-8  # of scores that tools take for tied
_CLOSE_TO_THRESHOLD = 1e-7  # single precision at 1 has steps of half of that


class Reading(Enum):
    """How the scores are read, in words that follow the name of the definition."""

    EXACT = ""
    SINGLE = "scores as float32"
    CLOSE_TIED = "scores closer than 1e-8 tied"

    @property
    def words(self) -> str:
        return self.value

    @property
    def cause(self) -> str:
        """Why it changes a value, in `explain`; empty if it doesn't."""
        causes: dict[str, str] = read_toml("compat/peers.toml")["causes"]
        return causes.get(self.name, "")


@dataclass(frozen=True)
class ThresholdBins:
    """Scores that count only as being between two of n thresholds, evenly spaced from 0 to 1.

    Scores at a threshold belong to those above it, or else to those below.
    """

    n_thresholds: int
    goes_up: bool  # what a score at a threshold does

    @property
    def words(self) -> str:
        return f"scores between {self.n_thresholds} thresholds"

    def read(self, scores: Array) -> Array:
        """Return the number of the threshold below each score, from 0 to n_thresholds - 1."""
        steps: Array = scores.astype(float) * (self.n_thresholds - 1)  # whole at a threshold
        return np.asarray(np.floor(steps) if self.goes_up else np.maximum(np.ceil(steps) - 1, 0))

    def is_clear(self, scores: Array) -> bool:
        """Whether at most one score in 1,000 is so close to a threshold that its rounding decides.

        Tools have thresholds in single precision, and 0 and 1 are exact.
        """
        steps = scores.astype(float) * (self.n_thresholds - 1)
        distance = np.abs(steps - np.round(steps)) / (self.n_thresholds - 1)
        unclear = (distance < _CLOSE_TO_THRESHOLD) & (scores > 0) & (scores < 1)
        return 1000 * int(np.count_nonzero(unclear)) <= scores.size


@dataclass(frozen=True)
class RoundedScores:
    """Scores that were rounded, as in a CSV file."""

    n_decimals: int

    @property
    def words(self) -> str:
        return f"scores with {format_count(self.n_decimals, 'decimals')}"

    def read(self, scores: Array) -> Array:
        return np.round(scores.astype(float), self.n_decimals)


@dataclass(frozen=True)
class SparkBins:
    """Neighboring distinct scores that Spark ties, so that about as many as `numBins` remain."""

    n_bins: int

    @property
    def words(self) -> str:
        return f"scores in {self.n_bins:,} bins"

    def read(self, scores: Array) -> Array:
        distinct, places = np.unique(scores, return_inverse=True)
        size = max(distinct.size // self.n_bins, 1)  # of a bin, from the highest score down
        return -((distinct.size - 1 - places) // size)


@dataclass(frozen=True)
class Batches:
    """Groups of as many rows in their order, over whose values somebody has averaged."""

    size: int
    drops_last: bool  # if it has fewer rows

    @property
    def words(self) -> str:
        dropped = ", the last one dropped" if self.drops_last else ""
        return f"mean over batches of {self.size:,} rows{dropped}"

    def split(self, rankings: Rankings) -> Rankings:
        n_rows = rankings.n_rows
        if self.drops_last:
            n_rows -= n_rows % self.size
        group = np.arange(n_rows) // self.size
        batches = rankings.take(slice(n_rows))
        return replace(batches, group=group, names=range(int(group[-1]) + 1), average="macro")


AnyReading = Reading | ThresholdBins | RoundedScores | SparkBins | Batches


def read_bins(block: dict[str, Any]) -> list[ThresholdBins]:
    """Return the bins of the tools in a block of peers.toml, one for each number of thresholds."""
    goes_up = block.get("scores_at_a_threshold") == "above"
    return [ThresholdBins(number, goes_up) for number in block.get("thresholds", ())]


def apply_reading(rankings: Rankings, reading: AnyReading) -> Rankings:
    """Return rankings with other scores; the reading is not exact."""
    scores = rankings.scores
    if isinstance(reading, Batches):
        return reading.split(rankings)
    if not isinstance(reading, Reading):
        return replace(rankings, scores=reading.read(scores))
    if reading is Reading.CLOSE_TIED:
        return replace(rankings, scores=_merge_neighbors(scores))
    if scores.dtype == object:  # some of these numbers can be too large for a float
        largest = sys.float_info.max
        scores = np.clip(scores, -largest, largest).astype(float)
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32).astype(float)
    # Infinities are beyond all others, but finite, as rankings have no infinite scores.
    return replace(rankings, scores=np.clip(single, -(2.0**128), 2.0**128))


def _merge_neighbors(scores: Array) -> Array:
    """Replace all scores in each chain of close scores by the lowest one.

    Scores are compared from one sorted sample to the next, whatever their weights, so a chain of
    small steps can span a wide range.
    """
    order = np.argsort(scores)
    rising = scores[order]
    is_lowest = np.ones(scores.size, dtype=bool)  # of its chain
    with np.errstate(over="ignore"):  # an infinite difference is not close either
        if scores.dtype == object:  # large integers can't be subtracted from floats
            exact: Any = np.frompyfunc(Fraction, 1, 1)(rising)
            gaps: Any = np.diff(exact)
        else:
            gaps = np.diff(rising).astype(np.float64)
        is_lowest[1:] = np.abs(gaps) > _MAX_CLOSE
    lowest_of_chain = np.maximum.accumulate(np.where(is_lowest, np.arange(scores.size), 0))
    merged = np.empty_like(scores)
    merged[order] = rising[lowest_of_chain]
    return merged
