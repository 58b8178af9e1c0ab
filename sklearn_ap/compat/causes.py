"""Why a number differs from step average precision on this data; nothing where it does not."""

from typing import Any

import numpy as np

from ..core.definitions import linear, step
from ..core.operating_points import OperatingPoints
from ..core.segments import max_from_here_on, spread
from .numbers import Number, Sample


def cause(number: Number, value: float, reference: float, sample: Sample) -> str:
    """A sentence, or more; empty if the number is the same as step."""
    if np.isclose(value, reference, rtol=0, atol=1e-12):
        return ""
    parts = []
    if "all rows as one ranking" in number.name:
        return "scores are compared between the groups, not only inside each"
    if "0.15 to 0.17" in number.name:
        merged = not np.isclose(value, linear(sample.points).value()[0], rtol=0, atol=1e-12)
        return _of_lines(sample.points) + "; scores closer than 1e-8 are tied" * merged
    if number.k is not None:
        parts.append(_of_cut(number, sample.points))
    if number.row.startswith("mean of P@"):
        parts.append("every rank counts its precision, also those of negatives")
    if "ties" in number.name:
        parts.append(_of_ties(sample.points))
    if number.row == "linear":
        parts.append(_of_lines(sample.points))
    if number.row == "envelope" or "-point" in number.row:
        parts.append(_of_wiggles(sample.points))
    if "-point" in number.row:
        parts.append(_of_grid(number, sample.points))
    if "(0, 1)" in number.name and _best_precision(sample.points) < 1:
        parts.append("the drawn point at recall 0 counts as precision 1")
    return "; ".join(filter(None, parts))


def _best_precision(points: OperatingPoints) -> float:
    """The lowest over queries of what the envelope starts with."""
    starts = points.offsets[:-1][points.offsets[:-1] < points.offsets[1:]]
    best = max_from_here_on(points.precision, points.offsets)[starts]
    return float(best.min(initial=1.0))


def _of_ties(points: OperatingPoints) -> str:
    mixed = points.total > points.positives
    tied = np.flatnonzero(mixed & (points.total > 1))
    if not tied.size:
        return ""
    samples = points.total[tied].sum()
    low, high = (step(points, ties).value().mean() for ties in ("worst", "best"))
    return (
        f"{samples:g} samples are tied across labels, in {tied.size} scores; their order moves "
        f"step AP from {low:.4f} to {high:.4f}"
    )


def _of_wiggles(points: OperatingPoints) -> str:
    gain = max_from_here_on(points.precision, points.offsets) - points.precision
    raised = np.count_nonzero(gain > 1e-12)
    if not raised:
        return ""
    return (
        f"the curve rises again: {_times(raised, 'point')} further on are better, by up to "
        f"{gain.max():.4f}"
    )


def _of_grid(number: Number, points: OperatingPoints) -> str:
    """Which levels of recall are hit exactly: there a grid of floats may miss."""
    levels = int(number.name.partition("-")[0]) - 1
    n_positives = spread(points.n_positives, points.offsets)
    exactly = points.cum_positives * levels / n_positives
    level = np.rint(exactly).astype(int)
    hit = np.unique(level[np.isclose(exactly, level, rtol=1e-12, atol=0) & (level < levels)])
    text = f"the recalls 0, 1/{levels}, ..., 1 weigh alike, however many positives lie between them"
    if hit.size:
        text += f"; recall hits {_listed([f'{i}/{levels}' for i in hit])} exactly"
    if "float grid" not in number.name:
        return text
    grid = np.linspace(0, 1, levels + 1)
    lost = [f"{i}/{levels}" for i in hit if i / levels < grid[i]]
    if lost:
        text += f", and as floats {_listed(lost)} {'is' if len(lost) == 1 else 'are'} missed"
    return text


def _of_lines(points: OperatingPoints) -> str:
    lines, steps = linear(points), step(points)
    gain = lines.width * (lines.height - steps.height)
    if not gain.any():
        return ""
    largest = int(np.argmax(np.abs(gain)))
    n_positives = spread(points.n_positives, points.offsets)
    end = (points.cum_positives / n_positives)[largest]
    start = (points.found_above / n_positives)[largest]
    verb = "gain" if gain.sum() > 0 else "lose"
    return (
        f"straight lines between the points {verb} area over steps, most of all between recall "
        f"{start:.2f} and {end:.2f}: {gain[largest] / points.n_positives.sum():+.4f}"
    )


def _of_cut(number: Number, points: OperatingPoints) -> str:
    k = number.k or 0
    beyond = points.positives[points.above >= k].sum()
    cut = np.count_nonzero((points.above < k) & (points.cum_total > k) & (points.total > 1))
    denominator = number.row.rpartition("/ ")[2]
    parts = []
    if beyond:
        divided = {"hits": " and count for nothing"}.get(denominator, "")
        parts.append(f"{beyond:g} of {points.n_positives.sum():g} positives lie beyond k{divided}")
    if denominator == "k" and np.any(points.n_positives < k):
        parts.append("the sum is divided by k, though there are fewer positives")
    if cut:
        parts.append(f"k cuts through {_times(cut, 'group')} of tied samples")
    return "; ".join(parts)


def _times(count: Any, thing: str) -> str:
    return f"{count} {thing}" + ("s" if count != 1 else "")


def _listed(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
