"""Arrays on a device such as a GPU, whose scores are sorted and searched where they are.

What moves to the host is a sum, the few samples that the top k can contain, or one or two counts
per positive. All functions are those of the array API standard. What isn't read here is copied to
the host, where all messages are.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from .._arrays.host import find_library, namespace_on_device, to_host
from .._inputs.records import Inputs
from ..core.operating_points import OperatingPoints, from_scores
from ..core.ragged import Array, is_first
from ..core.rankings import BY_NAME, Averaging
from ..core.rules import Graded, Rule, Step

_MAX_INT32_SAMPLES = 2**31  # samples that 32 bits can count
_DEFAULTS = Inputs()
_CHANGEABLE_FIELDS = {"y_true", "y_score", "average", "zero_division", "besides", "model", "caller"}
_DEFAULT_FIELDS = [name for name in Inputs._fields if name not in _CHANGEABLE_FIELDS]


class DeviceRankings(NamedTuple):
    """Checked labels and scores on a device, of one ranking or with one in each column."""

    xp: Any  # the namespace of the arrays
    labels: Any  # bool, of the shape of the scores
    scores: Any
    average: str | None  # "binary" for a single ranking

    @classmethod
    def read(cls, inputs: Inputs, rule: Rule) -> Self | None:
        """Read labels and scores that need no message; None leaves all others to the host."""
        y_true, y_score = inputs.y_true, inputs.y_score
        average: str | None = inputs.average
        if type(y_score) is np.ndarray or average is BY_NAME or isinstance(rule, Graded):
            return None
        if any(getattr(inputs, name) is not getattr(_DEFAULTS, name) for name in _DEFAULT_FIELDS):
            return None
        xp = namespace_on_device(y_score)
        if xp is None or find_library(y_true) != find_library(y_score):
            return None
        if y_true.shape != y_score.shape or y_true.device != y_score.device or not y_true.shape[0]:
            return None
        if y_score.ndim == 1:
            average = "binary"
        elif y_score.ndim != 2 or y_score.shape[1] < 2 or average == "samples":
            return None
        labels = _find_positive_labels(xp, y_true)
        if labels is None or not _are_usual(xp, labels, y_score):
            return None
        if average == "micro":
            labels, y_score = xp.reshape(labels, (-1,)), xp.reshape(y_score, (-1,))
        return cls(xp, labels, y_score, average)

    @property
    def averaging(self) -> Averaging:
        return Averaging(self.average, kind="columns")

    def values(self, rule: Rule) -> tuple[Array, Array]:
        """Compute the value of each ranking, and the number of its positives."""
        columns = [(self.labels, self.scores)]
        if self.scores.ndim == 2:
            places = range(self.scores.shape[1])
            columns = [(self.labels[:, place], self.scores[:, place]) for place in places]
        values, n_positives = [], []
        for labels, scores in columns:  # one after the other, as each takes memory
            ranking = SortedOnDevice.of(self.xp, labels, scores)
            values.append(ranking.values(rule))
            n_positives.append(ranking.n_positives)
        return np.concatenate(values), np.concatenate(n_positives)


class SortedOnDevice(NamedTuple):
    """The labels and scores of one ranking, and the sorted scores of all samples and of positives.

    To `Step`, it looks like points from the highest score down, each of which is one positive.
    """

    xp: Any
    labels: Any
    scores: Any
    ranked: Any
    found: Any

    @classmethod
    def of(cls, xp: Any, labels: Any, scores: Any) -> Self:
        return cls(xp, labels, scores, xp.sort(scores), xp.sort(scores[labels]))

    @property
    def size(self) -> int:
        return int(self.scores.shape[0])

    @property
    def n_positives(self) -> Array:
        return np.array([self.found.shape[0]])

    def values(self, rule: Rule) -> Array:
        """Compute the value of the ranking, which has positives."""
        if rule.cut is not None:
            k = rule.cut.compute_k(np.array([self.size])).item()
            if 2 * k < self.size:
                return rule.values(self._find_top_points(int(k)))
        if not isinstance(rule, Step) or rule.ties != "grouped":
            return rule.values(self.points())
        area = rule.area(self)  # type: ignore[arg-type]
        whole = float(self.xp.sum(area.width * area.height))
        return np.minimum(whole / area.whole, 1.0)

    @property
    def positives(self) -> float:
        return 1.0  # at each point

    @property
    def offsets(self) -> Array:
        return np.array([0, self.found.shape[0]])

    @property
    def precision(self) -> Any:
        """The precision among samples with at least the score of each positive."""
        xp = self.xp
        hits = self.found.shape[0] - xp.searchsorted(self.found, self.found)
        flagged = self.size - xp.searchsorted(self.ranked, self.found)
        return xp.flip(xp.astype(hits, xp.float64) / xp.astype(flagged, xp.float64))

    def _find_top_points(self, k: int) -> OperatingPoints:
        """Return the points that the top k samples reach."""
        first = self.scores >= self.ranked[self.size - k]
        labels, scores = to_host(self.labels[first]), to_host(self.scores[first])
        points = from_scores(np.asarray(labels), np.asarray(scores))
        return points._replace(n_positives=self.n_positives, n_samples=np.array([self.size]))

    def points(self) -> OperatingPoints:
        """Return the points with positives, as `from_scores` makes them."""
        xp, n_positives = self.xp, self.found.shape[0]
        below = xp.searchsorted(self.ranked, self.found)
        until = xp.searchsorted(self.ranked, self.found, side="right")
        cum_total = self.size - self._copy_to_host(below)
        if int(xp.sum(until - below)) == n_positives:  # none is tied
            positives, above = np.ones(n_positives, dtype=np.int64), cum_total - 1
        else:
            start = is_first(cum_total).nonzero()[0]
            positives = np.diff(start, append=n_positives)
            cum_total, above = cum_total[start], (self.size - self._copy_to_host(until))[start]
        return OperatingPoints(
            positives=positives,
            total=cum_total - above,
            above=above,
            cum_positives=np.cumsum(positives),
            cum_total=cum_total,
            offsets=np.array([0, positives.size]),
            n_positives=self.n_positives,
            n_samples=np.array([self.size]),
        )

    def _copy_to_host(self, counts: Any) -> Array:
        """Copy counts to the host, of the highest score first, in 32 bits if they fit."""
        small = self.xp.astype(counts, self.xp.int32) if self.size < _MAX_INT32_SAMPLES else counts
        return np.asarray(to_host(small))[::-1].astype(np.int64)


def _find_positive_labels(xp: Any, y_true: Any) -> Any:
    """Return which labels are 1; None if there are others than 0 and 1, or -1 and 1."""
    if y_true.dtype == xp.bool:
        return y_true
    if not xp.isdtype(y_true.dtype, ("integral", "real floating")):
        return None
    labels, lowest = y_true == 1, xp.min(y_true)
    number = xp.astype(lowest, xp.float64)  # which can be compared with -1
    is_known = number == 0 if y_true.ndim == 2 else (number == 0) | (number == -1)
    return labels if bool(is_known & xp.all(labels | (y_true == lowest))) else None


def _are_usual(xp: Any, labels: Any, scores: Any) -> bool:
    """Whether all scores are finite, the first of them more than two, and both labels there."""
    if scores.dtype not in (xp.float32, xp.float64):
        return False
    has_positives, has_negatives = xp.all(xp.any(labels, axis=0)), xp.any(~labels)
    if not bool(xp.all(xp.isfinite(scores)) & has_positives & has_negatives):
        return False
    # Scores with few values may be labels, which is said on the host.
    first = to_host(scores[: min(scores.shape[0], 10), ...])
    return np.unique(np.asarray(first)).size > 2
