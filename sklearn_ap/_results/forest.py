"""The forest plot: intervals as bars, one below another."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from textwrap import wrap
from typing import Any

import numpy as np

from .._core import list_axes, load
from .tables import Result, wrap_text
from .wording import format_ends, format_margin, format_value

_MAX_LABEL = 36  # characters in a line beside a bar
_MAX_TITLE = 60  # characters in a line below the axis
_GRAY = "0.5"  # It is seen on white and on black.
_WIDTH_OF_DIGIT = 0.58  # of a character in numbers, as a fraction of the size of the font


@dataclass(frozen=True)
class Bar:
    """The interval of a value, or of a difference with its verdict. Matplotlib leaves out nan."""

    label: str
    middle: float
    low: float
    high: float
    verdict: str = ""  # or why there is no interval
    margin_ends: tuple[float, float] = (np.nan, np.nan)  # drawn if the result has a margin
    chance: float = np.nan  # the value of a random ranking
    color: int = 0  # a place in Matplotlib's cycle of ten colors
    is_segment: bool = False


@dataclass(frozen=True)
class Forest:
    """Bars on an axis."""

    bars: Sequence[Bar]
    title: str
    decimals: int
    greater_is_better: bool
    is_difference: bool = True


class Drawable(Result):
    """A result whose intervals can be drawn as bars."""

    confidence_level: float
    margin: float | None
    n_comparisons: int = 1  # how many comparisons intervals are adjusted for
    n_segments: int = 0  # for how many segments those in segments are adjusted, too

    def _draw(self) -> list[Forest]:
        raise NotImplementedError

    def plot(self, ax: Any = None) -> Any:
        """Plot the intervals as rows, on an axis for each metric, and return the first axis.

        Its `figure` has all of them. To draw on axes of your own, pass as many as `ax`.
        """
        forests = self._draw()
        if ax is None:
            plt = load("matplotlib.pyplot", "plot")
            heights = []
            for forest in forests:
                n_lines = sum(len(wrap(bar.label, _MAX_LABEL)) for bar in forest.bars)
                heights.append(1.4 + 0.16 * len(forest.bars) + 0.18 * n_lines)
            size, rows = (7, sum(heights)), {"nrows": len(forests), "height_ratios": heights}
            _, ax = plt.subplots(figsize=size, layout="constrained", **rows)
        axes = list_axes(ax, len(forests))
        for axis, forest in zip(axes, forests, strict=True):
            plot_forest(self, forest, axis)
        return axes[0]


def plot_forest(result: Drawable, forest: Forest, ax: Any) -> None:
    """Plot bars with their verdicts and numbers.

    Differences have lines at 0 and at the margin, and a mark is open if the verdict is unclear, and
    a cross if there is no interval. Which side is better stands above. Values have ticks at the
    values of random rankings.
    """
    bars, margin = forest.bars, result.margin
    for place, bar in enumerate(bars):
        color = f"C{bar.color % 10}"
        filling = ax.get_facecolor() if bar.verdict == "unclear" else color
        if margin is not None:
            ax.hlines(place, *bar.margin_ends, color, linewidth=0.6)
        ax.plot(bar.chance, place, "|", color=_GRAY, markersize=10)
        ax.hlines(place, bar.low, bar.high, color)
        mark = "x" if isnan(bar.low) else "o"
        ax.plot(bar.middle, place, mark, color=color, markerfacecolor=filling)
    write_numbers(forest, ax)
    n_first = sum(not bar.is_segment for bar in bars)  # rows of all data
    if n_first < len(bars):
        ax.axhline(n_first - 0.5, color=_GRAY, linewidth=0.8)
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    if forest.is_difference:
        ax.axvline(0, color=_GRAY, linestyle="--", linewidth=0.8, zorder=0)
        left, right = ("worse", "better") if forest.greater_is_better else ("better", "worse")
        side = {"color": _GRAY, "size": "small", "va": "bottom", "transform": ax.transAxes}
        ax.text(0, 1, f"\N{LEFTWARDS ARROW} {left}", ha="left", **side)
        ax.text(1, 1, f"{right} \N{RIGHTWARDS ARROW}", ha="right", **side)
    for end in () if margin is None else (-margin, margin):
        ax.axvline(end, color=_GRAY, linestyle="dotted", zorder=0)
    lines = [forest.title, *describe_lines(result, bars)]
    ax.set_xlabel("\n".join(line for text in lines for line in wrap_text(text, _MAX_TITLE)))
    ax.set_yticks(range(len(bars)), ["\n".join(wrap(bar.label, _MAX_LABEL)) for bar in bars])
    ax.set_ylim(len(bars) - 0.5, -0.5)  # the first bar at the top
    ax.locator_params(axis="x", nbins=4)  # so that labels have room on a narrow axis


def write_numbers(forest: Forest, ax: Any) -> None:
    """Write its number, its interval, or why there is none, and its verdict beside each bar."""
    rows = []
    for bar in forest.bars:
        middle = format_value(bar.middle, "+" if forest.is_difference else "", forest.decimals)
        ends, verdict = format_ends(bar.low, bar.high, forest.decimals), bar.verdict
        cells = (middle, f"({ends})") if ends else (middle, verdict)
        numbers = [cell.replace("-", "\N{MINUS SIGN}") for cell in cells]
        rows.append([*numbers, verdict if ends else ""])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    middle_end = 0.8 + _WIDTH_OF_DIGIT * widths[0]
    interval_end = middle_end + 0.8 + _WIDTH_OF_DIGIT * widths[1]
    beside = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset fontsize", "va": "center"}
    for place, (middle, ends, verdict) in enumerate(rows):
        ax.annotate(middle, (1, place), (middle_end, 0), ha="right", **beside)
        ax.annotate(ends, (1, place), (interval_end, 0), ha="right", **beside)
        ax.annotate(verdict, (1, place), (interval_end + 1, 0), **beside)


def describe_lines(result: Drawable, bars: Sequence[Bar]) -> list[str]:
    """Say what intervals are adjusted for, and what other lines are."""
    n_comparisons, interval = result.n_comparisons, f"{100 * result.confidence_level:g}% interval"
    if n_comparisons > 1:
        interval += f", adjusted for {n_comparisons} comparisons"
    if result.n_segments > 1:
        interval += f", segments: adjusted for {result.n_segments * n_comparisons}"
    elif n_comparisons == 1 and len(bars) > 1:
        interval += ", not adjusted"
    lines = [interval]
    if any(isfinite(bar.chance) for bar in bars):
        lines.append("Gray ticks: a random ranking")
    if result.margin is not None:
        lines.append(f"Dotted lines: the margin, {format_margin(result.margin)}")
        lines.append("Thin ends: the wider interval for verdicts about the margin")
    return lines
