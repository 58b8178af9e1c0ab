"""The forest plot: intervals as bars, one below another."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isnan, sqrt
from textwrap import wrap
from typing import Any

import numpy as np

from .._core import list_axes, load
from .tables import Result, wrap_text
from .wording import format_ends, format_margin, format_value

_MAX_LABEL = 36  # characters in a line beside a bar
_MAX_TITLE = 60  # characters in a line below the axis
_GRAY = "0.5"  # It is seen on white and on black.
_SMALL, _USUAL = 3.0, 6.0  # the sizes of marks, in points
_WIDTH_OF_DIGIT = 0.55  # of a character in numbers, as a fraction of the size of the font


@dataclass(frozen=True)
class Bar:
    """The interval of a value, or of a difference with its verdict. Matplotlib leaves out nan."""

    label: str
    middle: float
    low: float
    high: float
    verdict: str = ""  # or why there is no interval
    margin_ends: tuple[float, float] = (np.nan, np.nan)  # drawn if the forest has a margin
    chance: float = np.nan  # the value of a random ranking
    color: int = 0  # a place in Matplotlib's cycle of ten colors
    n_positives: float = np.nan  # of a segment: the area of its mark grows with them


@dataclass(frozen=True)
class Forest:
    """Bars on an axis, and how many comparisons and segments their intervals are adjusted for."""

    bars: Sequence[Bar]
    title: str
    level: float
    margin: float | None
    decimals: int
    n_comparisons: int = 1
    n_segments: int = 0
    is_difference: bool = True
    greater_is_better: bool = True


class Drawable(Result):
    """A result whose intervals can be drawn as bars."""

    def _draw(self) -> list[Forest]:
        raise NotImplementedError

    def plot(self, ax: Any = None) -> Any:
        """Plot the intervals as rows, and return the axes of Matplotlib: one axis, or if there are
        several metrics, an array with one for each.
        """
        forests = self._draw()
        if ax is None:
            plt = load("matplotlib.pyplot", "plot")
            heights = [1.4 + 0.16 * len(each.bars) + 0.18 * count_lines(each) for each in forests]
            figure, ratios = (7, sum(heights)), {"height_ratios": heights}
            rows = {"nrows": len(forests), "gridspec_kw": ratios, "layout": "constrained"}
            _, ax = plt.subplots(figsize=figure, **rows)
        for axis, forest in zip(list_axes(ax, len(forests)), forests, strict=True):
            plot_forest(forest, axis)
        return ax


def count_lines(forest: Forest) -> int:
    return sum(len(wrap(bar.label, _MAX_LABEL)) for bar in forest.bars)


def plot_forest(forest: Forest, ax: Any) -> None:
    """Plot bars with their verdicts and numbers.

    Differences have lines at 0 and at the margin, and a mark is open if the verdict is unclear, and
    a cross if there is no interval. Which side is better stands above. Values have ticks at the
    values of random rankings.
    """
    bars = forest.bars
    texts = [describe_bar(bar, forest) for bar in bars]
    most = max((bar.n_positives for bar in bars if bar.n_positives > 0), default=1)
    for place, (bar, cells) in enumerate(zip(bars, texts, strict=True)):
        color = f"C{bar.color % 10}"
        filling = ax.get_facecolor() if bar.verdict == "unclear" else color
        has_interval, size = not isnan(bar.low), _USUAL
        if has_interval and not isnan(bar.n_positives):
            size = max(_SMALL, _USUAL * sqrt(bar.n_positives / most))
        write_beside(ax, place, cells, texts)
        if forest.margin is not None:
            ax.hlines(place, *bar.margin_ends, color, linewidth=0.6)
        ax.plot(bar.chance, place, "|", color=_GRAY, markersize=10)
        ax.hlines(place, bar.low, bar.high, color)
        look = {"color": color, "markerfacecolor": filling, "markersize": size}
        ax.plot(bar.middle, place, "o" if has_interval else "x", **look)
    n_first = sum(isnan(bar.n_positives) for bar in bars)  # rows of all data
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
    if forest.margin is not None:
        for end in (-forest.margin, forest.margin):
            ax.axvline(end, color=_GRAY, linestyle="dotted", zorder=0)
    ax.set_xlabel(_describe_lines(forest))
    ax.set_yticks(range(len(bars)), ["\n".join(wrap(bar.label, _MAX_LABEL)) for bar in bars])
    ax.set_ylim(len(bars) - 0.5, -0.5)  # the first bar at the top
    ax.locator_params(axis="x", nbins=4)  # so that labels have room on a narrow axis


def describe_bar(bar: Bar, forest: Forest) -> tuple[str, str, str]:
    """Write the number of a bar, its interval, or why there is none, and its verdict."""
    middle = format_value(bar.middle, "+" if forest.is_difference else "", forest.decimals)
    ends, verdict = format_ends(bar.low, bar.high, forest.decimals), bar.verdict
    ends, verdict = (f"({ends})", verdict) if ends else (verdict, "")
    middle, ends = (text.replace("-", "\N{MINUS SIGN}") for text in (middle, ends))
    return middle, ends, verdict


def write_beside(ax: Any, place: int, cells: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write the cells of a row beside its bar, numbers to the right of their columns."""
    beside = {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset fontsize", "va": "center"}
    *numbers, verdict = zip(cells, zip(*rows, strict=True), strict=True)
    x = 0.0
    for cell, column in numbers:
        x += 0.8 + _WIDTH_OF_DIGIT * max(map(len, column))
        ax.annotate(cell, (1, place), (x, 0), ha="right", **beside)
    ax.annotate(verdict[0], (1, place), (x + 1, 0), **beside)


def _describe_lines(forest: Forest) -> str:
    """Say what bars measure, what their intervals are adjusted for, and what other lines are."""
    n_comparisons, interval = forest.n_comparisons, f"{100 * forest.level:g}% interval"
    if n_comparisons > 1:
        interval += f", adjusted for {n_comparisons} comparisons"
    if forest.n_segments > 1:
        interval += f", segments: adjusted for {forest.n_segments * n_comparisons}"
    elif n_comparisons == 1 and len(forest.bars) > 1:
        interval += ", not adjusted"
    lines = [*wrap_text(forest.title, _MAX_TITLE), interval]
    if any(isfinite(bar.chance) for bar in forest.bars):
        lines.append("Gray ticks: a random ranking")
    if forest.margin is not None:
        lines.append(f"Dotted lines: the margin, {format_margin(forest.margin)}")
        lines.append("Thin ends: the wider interval for verdicts about the margin")
    return "\n".join(lines)
