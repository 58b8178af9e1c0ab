"""The forest plot: intervals as bars, one below another."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from textwrap import wrap
from typing import Any

import numpy as np

from .._core import check, load
from .tables import Result, wrap_text
from .wording import format_estimate

_MAX_LABEL = 36  # characters in a line beside a bar
_MAX_TITLE = 60  # characters in a line below the axis
_GRAY = "0.5"  # It is seen on white and on black.


@dataclass(frozen=True)
class Bar:
    """The interval of a value, or of a difference with its verdict. Matplotlib leaves out nan."""

    label: str
    middle: float
    low: float
    high: float
    verdict: str = ""
    margin_ends: tuple[float, float] = (np.nan, np.nan)  # drawn if the forest has a margin
    chance: float = np.nan  # the value of a random ranking
    color: int = 0  # a place in Matplotlib's cycle of ten colors


@dataclass(frozen=True)
class Forest:
    """Bars on an axis, and how many comparisons and segments their intervals are adjusted for."""

    bars: Sequence[Bar]
    title: str
    level: float
    margin: float | None
    n_compared: int = 1
    n_segments: int = 0
    is_difference: bool = True
    greater_is_better: bool | None = True  # None if that differs between bars


class Drawable(Result):
    """A result whose intervals can be drawn as bars."""

    def _draw(self) -> Forest:
        raise NotImplementedError

    def plot(self, ax: Any = None) -> Any:
        """Plot the intervals as rows, and return the axes of Matplotlib."""
        return plot_forest(self._draw(), ax)


def plot_forest(forest: Forest, ax: Any = None) -> Any:
    """Plot bars with their verdicts and numbers, and return the axes of Matplotlib.

    Differences have lines at 0 and at the margin, and a mark is open if the verdict is unclear.
    Which side is better stands above. Values have ticks at the values of random rankings.
    """
    check(ax=ax)
    plt = load("matplotlib.pyplot", "plot")
    labels = ["\n".join(wrap(bar.label, _MAX_LABEL)) for bar in forest.bars]
    if ax is None:
        n_lines = sum(label.count("\n") + 1 for label in labels)
        height = 1.4 + 0.16 * len(labels) + 0.18 * n_lines
        _, ax = plt.subplots(figsize=(7, height), layout="constrained")
    for place, bar in enumerate(forest.bars):
        color = f"C{bar.color % 10}"
        filling = ax.get_facecolor() if bar.verdict == "unclear" else color
        # This transform takes x as a fraction of the axes: texts stand beside them.
        beside = ax.get_yaxis_transform()
        ax.annotate(describe_bar(bar, forest), (1.02, place), xycoords=beside, va="center")
        if forest.margin is not None:
            ax.hlines(place, *bar.margin_ends, color, linewidth=0.6)
        ax.plot(bar.chance, place, "|", color=_GRAY, markersize=10)
        ax.hlines(place, bar.low, bar.high, color)
        ax.plot(bar.middle, place, "o", color=color, markerfacecolor=filling)
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    if forest.is_difference:
        ax.axvline(0, color=_GRAY, linestyle="--", linewidth=0.8, zorder=0)
    if forest.is_difference and forest.greater_is_better is not None:
        left, right = ("worse", "better") if forest.greater_is_better else ("better", "worse")
        side = {"color": _GRAY, "size": "small", "va": "bottom", "transform": ax.transAxes}
        ax.text(0, 1, f"\N{LEFTWARDS ARROW} {left}", ha="left", **side)
        ax.text(1, 1, f"{right} \N{RIGHTWARDS ARROW}", ha="right", **side)
    if forest.margin is not None:
        for end in (-forest.margin, forest.margin):
            ax.axvline(end, color=_GRAY, linestyle="dotted", zorder=0)
    ax.set_xlabel(_describe_lines(forest))
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylim(len(labels) - 0.5, -0.5)  # the first bar at the top
    ax.locator_params(axis="x", nbins=4)  # so that labels have room on a narrow axis
    return ax


def describe_bar(bar: Bar, forest: Forest) -> str:
    """Write the numbers of a bar, and its verdict."""
    sign = "+" if forest.is_difference else ""
    middle, ends = format_estimate(bar.middle, bar.low, bar.high, sign)
    numbers = f"{middle}  ({ends})" if ends else middle
    numbers = numbers.replace("-", "\N{MINUS SIGN}")
    return f"{numbers}  {bar.verdict}".strip()


def _describe_lines(forest: Forest) -> str:
    """Say what bars measure, what their intervals are adjusted for, and what other lines are."""
    n_compared, interval = forest.n_compared, f"{100 * forest.level:g}% interval"
    if n_compared > 1:
        interval += f", adjusted for {n_compared} comparisons"
    if forest.n_segments > 1:
        what = "segments" if n_compared == 1 else "comparisons in segments"
        interval += f", adjusted for {forest.n_segments * n_compared} {what}"
    elif n_compared == 1 and len(forest.bars) > 1:
        interval += ", not adjusted"
    lines = [*wrap_text(forest.title, _MAX_TITLE), interval]
    if any(isfinite(bar.chance) for bar in forest.bars):
        lines.append("Gray ticks: a random ranking")
    if forest.margin is not None:
        lines.append(f"Dotted lines: the margin, {forest.margin:g}")
        lines.append("Thin ends: the wider interval for verdicts about the margin")
    return "\n".join(lines)
