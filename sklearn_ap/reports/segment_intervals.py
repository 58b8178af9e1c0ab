"""Values of segments: for each of them the same call on its rows, for all of them at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc

from .._evaluate.value import score
from .._infer.chance import AtRandom
from .._infer.comparing import Claims, title_in
from .._infer.intervals import Comparison, ComputedFrom, Interval
from .._infer.requests import IntervalRequest
from .._read.sampling_units import Sample
from .._read.segments import Segments, part_of
from .._show.results import Note
from .._words.messages import count_of
from .._words.parameters import text_of
from ..core.rules import Rule

_UNLIKELY = 0.01
_MUCH = 1.5  # times the lowest fraction of positives is the highest one, if that is told
EMPTY = "no positives"  # the reason why a segment has no interval


@dataclass(frozen=True)
class Evaluated:
    """The intervals of models by one metric, and their differences from the baseline, in all data
    or in a segment.
    """

    intervals: dict[Any, Interval]
    baseline: Any = None
    pairs: Mapping[Any, Comparison] = field(default_factory=dict)
    reason: str = ""  # why there are no intervals


class SegmentSamples(NamedTuple):
    """The samples of all segments, by model."""

    segments: Segments  # of the first model
    samples: dict[Any, dict[Any, Sample]]  # by segment and model

    @classmethod
    def of(cls, whole: Mapping[Any, Sample], segments: Mapping[Any, Segments]) -> SegmentSamples:
        """Cut the samples of models, each with the segments of its rows."""
        names = dict.fromkeys(name for of_model in segments.values() for name in of_model.names)
        samples = {}
        for name in names:
            # Of the groups of a segment, a model may have no rows.
            groups = {
                group for model, sample in whole.items()
                for group in segments[model].groups_of(name, sample)
            }  # fmt: skip
            samples[name] = {
                model: part_of(sample, segments[model].rows_of(name), groups)
                for model, sample in whole.items()
            }
        return cls(next(iter(segments.values())), samples)

    def of_class(self, place: int) -> SegmentSamples:
        """Return the samples of a single class, whose columns are at this place."""
        samples = {}
        for name, by_model in self.samples.items():
            samples[name] = {model: sample.of_class(place) for model, sample in by_model.items()}
        return self._replace(samples=samples)

    def notes(self, rule: Rule) -> Iterator[Note]:
        """Say what counts for all data only, whether segments can be compared, and what k is."""
        yield from (Note("no_segment", text) for text in self.segments.notes())
        of_first = [next(iter(by_model.values())).rankings for by_model in self.samples.values()]
        first = of_first[0]
        labels = [rankings.labels for rankings in of_first if rankings.labels.size]
        are_of_data = first.labels.ndim == 1 and first.n_positives is None
        if are_of_data and rule.rises_with_positives and _differ_in_positives(labels):
            yield Note(
                "fraction_of_positives",
                "The fraction of positives differs between segments, and average precision and "
                "precision rise with it.",
            )
        if rule.depth is not None and not rule.depth.is_share and first.group is None:
            yield Note(
                "k_in_segments",
                f"k={rule.depth} counts rows of each segment. To cut the whole ranking once, "
                f"choose a threshold: operating_point(..., k={rule.depth}).check(..., by=...).",
            )


def _differ_in_positives(labels: Sequence[Any]) -> bool:
    """Whether the fractions of positives differ significantly, and by more than a little."""
    n_rows = np.array([of_rows.size for of_rows in labels])
    n_positives = np.array([np.count_nonzero(of_rows) for of_rows in labels])
    fraction = n_positives.sum() / max(n_rows.sum(), 1)
    fractions = n_positives / n_rows
    if not 0 < fraction < 1 or n_rows.size < 2 or fractions.max() <= _MUCH * fractions.min():
        return False
    variances = n_rows * fraction * (1 - fraction)
    chi_square = ((n_positives - n_rows * fraction) ** 2 / variances).sum()
    return bool(chdtrc(n_rows.size - 1, chi_square) < _UNLIKELY)


def notes_in(names: Sequence[Any], results: Sequence[Evaluated]) -> Iterator[Note]:
    """Say in which segments no difference can be significant, in the words of the first one, and
    which faults would go unseen.
    """
    heard: dict[Any, tuple[Note, list[str]]] = {}
    for name, result in zip(names, results, strict=True):
        for pair in result.pairs.values():
            for note in pair.notes:
                if note.code in ("few_groups", "unseen_faults"):
                    heard.setdefault(note.code, (note, []))[1].append(text_of(name, repr))
    for note, segments in heard.values():
        first, *besides = dict.fromkeys(segments)
        others = f" and {count_of(len(besides), 'others')}" if besides else ""
        yield Note(note.code, f"In the segment {first}{others}: {note.text}")


def value_alone(
    request: IntervalRequest, sample: Sample, level: float, basis: str = ""
) -> Interval:
    """Compute the value of samples that have no interval, such as a single sampling unit."""
    value, rankings = np.nan, sample.rankings
    if rankings.n_rows or rankings.n_empty:  # or else there is nothing to evaluate
        value = float(score(request.rule, rankings, request.zero_division))
    return Interval(
        value=value,
        confidence_level=float(level),
        metric=title_in(request.rule, sample),
        basis=basis,
        places=request.rule.decimals,
        source=ComputedFrom.of(request, sample),
        at_random=AtRandom(request, sample),
    )


def difference_alone(
    request: IntervalRequest, one: Interval, other: float, models: tuple[Any, Any], claims: Claims
) -> Comparison:
    """Compare values of which one has no interval: that of an interval, and another one."""
    return Comparison(
        values=(one.value, other),
        difference=one.value - other,
        confidence_level=one.confidence_level,
        metric=one.metric,
        basis=one.basis,
        models=models,
        margin=claims.margin,
        greater_is_better=request.rule.greater_is_better,
        places=one.places,
    )
