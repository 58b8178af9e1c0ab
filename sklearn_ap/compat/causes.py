"""Why a number differs from step average precision on this data; nothing where it does not."""

from typing import Any

import numpy as np

from ..core.cutoff import Cut, top
from ..core.operating_points import OperatingPoints
from ..core.rules import AtK, Envelope, Linear, NPoint, Rule, Step
from ..core.segments import max_from_here_on, spread
from .naive import FloatGrid, MeanOfPrecisions, WithArtificialPoint
from .numbers import Number, Sample


def cause(number: Number, value: float, reference: float, sample: Sample) -> str:
    """A sentence, or more; empty if the number is the same as step."""
    if _same(value, reference):
        return ""
    rule = number.rule
    if rule is None and sample.is_grouped:
        return "scores are compared between the groups, not only inside each"
    if rule is None:
        merged = not _same(value, Linear().values(sample.points)[0])
        return _joined(_of_lines(sample.points), "scores closer than 1e-8 are tied" * merged)
    drawn = isinstance(rule, WithArtificialPoint)
    levels = rule.of if isinstance(rule, WithArtificialPoint) else rule
    parts = []
    if rule.depth is not None:
        parts.append(_of_cut(rule, sample.points))
    if isinstance(rule, MeanOfPrecisions):
        parts.append("every rank counts its precision, also those of negatives")
    if rule.ties != "grouped":
        parts.append(_of_ties(sample))
    if isinstance(rule, Linear):
        parts.append(_of_lines(sample.points))
    if isinstance(levels, Envelope | NPoint | FloatGrid):
        parts.append(_of_wiggles(sample.points))
    if isinstance(levels, NPoint | FloatGrid):
        parts.append(_of_grid(levels, drawn, value, sample))
    if drawn and _best_precision(sample.points) < 1:
        parts.append("the drawn point at recall 0 counts as precision 1")
    return _joined(*parts)


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _same(value: float, other: float) -> bool:
    return bool(np.isclose(value, other, rtol=0, atol=1e-12))


def _best_precision(points: OperatingPoints) -> float:
    """The lowest over queries of what the envelope starts with."""
    starts = points.offsets[:-1][points.offsets[:-1] < points.offsets[1:]]
    best = max_from_here_on(points.precision, points.offsets)[starts]
    return float(best.min(initial=1.0))


def _of_ties(sample: Sample) -> str:
    total = sample.points.total
    tied = total[total > 1]
    if not tied.size:
        return ""
    low, high = (sample.value(Step(ties)) for ties in ("worst", "best"))
    return (
        f"{tied.sum():g} samples are tied, positives among them, in {_times(tied.size, 'score')}; "
        f"their order moves step AP from {low:.4f} to {high:.4f}"
    )


def _of_wiggles(points: OperatingPoints) -> str:
    gain = max_from_here_on(points.precision, points.offsets) - points.precision
    raised = np.count_nonzero(gain > 1e-12)
    if not raised:
        return ""
    return f"the curve rises again after {raised} of its points, by up to {gain.max():.4f}"


def _of_grid(rule: NPoint | FloatGrid, drawn: bool, value: float, sample: Sample) -> str:
    """Which levels of recall are hit exactly: there a grid of floats may miss."""
    points = sample.points
    levels = rule.n_points - 1
    exactly = points.cum_positives / spread(points.n_positives, points.offsets) * levels
    level = np.rint(exactly).astype(int)
    hit = np.unique(level[np.isclose(exactly, level, rtol=1e-12, atol=0) & (level < levels)])
    text = f"the recalls 0, 1/{levels}, ..., 1 weigh alike, however many positives lie between them"
    if not hit.size:
        return text
    text += f"; recall hits {_listed([f'{i}/{levels}' for i in hit])} exactly, "
    if isinstance(rule, FloatGrid) and not drawn:
        grid = np.linspace(0, 1, levels + 1)
        lost = [f"{i}/{levels}" for i in hit if i / levels < grid[i]]
        if lost and not _same(value, sample.value(NPoint(rule.n_points))):
            return (
                text + f"and as floats {_listed(lost)} {'is' if len(lost) == 1 else 'are'} missed"
            )
    return text + "which a grid of floats could miss"


def _of_lines(points: OperatingPoints) -> str:
    lines, steps = Linear().area(points), Step().area(points)
    n_positives = spread(points.n_positives, points.offsets)
    width = lines.width / n_positives / points.n_positives.size
    gain = width * (lines.height - steps.height)
    if not gain.any():
        return ""
    largest = int(np.argmax(np.abs(gain)))
    end = (points.cum_positives / n_positives)[largest]
    start = (points.found_above / n_positives)[largest]
    verb = "gain" if gain.sum() > 0 else "lose"
    return (
        f"straight lines between the points {verb} area over steps, most of all between recall "
        f"{start:.2f} and {end:.2f}: {gain[largest]:+.4f}"
    )


def _of_cut(rule: Rule, points: OperatingPoints) -> str:
    depth = rule.depth or Cut(1)
    k = int(depth.k)
    n_positives = points.n_positives.sum()
    beyond = n_positives - top(points, depth).hits.sum()
    cut = np.count_nonzero((points.above < k) & (points.cum_total > k) & (points.total > 1))
    denominator = rule.denominator if isinstance(rule, AtK) else ""
    few, many = np.any(points.n_positives < k), np.any(points.n_positives > k)
    return _joined(
        f"{beyond:g} of {n_positives:g} positives lie beyond k" * bool(beyond),
        "the sum is divided by the hits alone" * bool(denominator == "hits" and beyond),
        f"the sum is divided by {k}, not by all positives"
        * bool(denominator in ("k", "min") and many),
        f"the sum is divided by {k}, though there are fewer positives"
        * bool(denominator == "k" and few),
        f"k cuts through {_times(cut, 'group')} of tied samples" * bool(cut),
    )


def _times(count: Any, thing: str) -> str:
    return f"{count} {thing}" + ("s" if count != 1 else "")


def _listed(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
