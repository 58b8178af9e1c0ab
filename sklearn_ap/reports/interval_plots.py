"""Pictures of the intervals of models and segments. This imports matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

from .._show.figures import BLUE, choose_gray, escape_dollars, wrap_label

_MAX_PANELS_IN_ROW = 4
_CHARACTER_WIDTH = 0.09  # inches, of names to the left of the panels
_WIDTH = 3.9  # inches, of all panels unless they are many
_DOZEN = 12  # rows of more intervals than this are closer to each other


def make_panels(
    count: int, names: Sequence[str], title: Sequence[str], labels: Sequence[str]
) -> Any:
    """Return new axes next to each other, for intervals with these names, and labels below.

    The titles have as many lines as this one.

    All sizes are in inches.
    """
    n_columns = min(count, _MAX_PANELS_IN_ROW)
    between = 0.15 if len(names) <= _DOZEN else 0.06
    lines_of_names = [wrap_label(name).split("\n") for name in names]
    most_lines = max(map(len, lines_of_names))
    n_characters = max(len(line) for lines in lines_of_names for line in lines)
    height_of_names = (0.15 * most_lines + between) * len(names)
    n_lines_above, n_lines_below = (
        sum(len(wrap_label(line).split("\n")) for line in lines) for lines in (title, labels)
    )
    height_below = 0.45 + 0.17 * n_lines_below
    height_above = 0.1 + 0.17 * n_lines_above
    height = height_above + height_of_names + height_below
    panel = max(2.2, _WIDTH / n_columns), height
    left = _CHARACTER_WIDTH * (n_characters + 2)
    return _new_axes(count, n_columns, panel, left, sharey=True)


def make_panels_over_time(count: int) -> Any:
    """Return new axes for lines over time, one below the other unless they are many."""
    n_columns = 1 if count <= _MAX_PANELS_IN_ROW else 2
    return _new_axes(count, n_columns, (6.4 if n_columns == 1 else 4.8, 2.4), sharex=True)


def _new_axes(
    count: int, n_columns: int, panel: tuple[float, float], left: float = 0.0, **shared: bool
) -> Any:
    """Return this many axes in a new figure, each on a panel of this width and height in inches.

    `left` is the width of what is to the left of all panels.
    """
    import matplotlib.pyplot as plt

    n_rows = -(-count // n_columns)  # rounded up
    width, height = panel
    size = left + n_columns * width, n_rows * height
    style: dict[str, Any] = {"squeeze": False, "layout": "constrained", **shared}
    _, grid = plt.subplots(n_rows, n_columns, figsize=size, **style)
    axes = grid.ravel()
    for ax in axes[count:]:
        ax.remove()
    return axes[:count]


def draw_intervals(
    ax: Axes,
    names: Sequence[str],
    intervals: Sequence[tuple[float, float, float]],
    of_baseline: float | None,
    title: Sequence[str],
    xlabel: Sequence[str],
) -> ErrorbarContainer:
    """Draw values with their ends from top to bottom, next to their names.

    The intervals are a value and its ends, each.
    """
    value, low, high = np.transpose(intervals)
    y, reach = -np.arange(len(names)), np.maximum((value - low, high - value), 0)
    drawn = ax.errorbar(value, y, xerr=reach, fmt="o", capsize=3, color=BLUE)
    if of_baseline is not None:
        ax.axvline(of_baseline, color=choose_gray(ax, 0.5), linestyle="--", linewidth=1, zorder=1)
    ax.set(ylim=(y[-1] - 0.5, 0.5), xlabel=_literal_lines(xlabel))
    ax.set_title(_literal_lines(title), fontsize="medium")
    ax.set_yticks(y, list(map(_literal_text, names)))
    return drawn


def draw_over_time(
    ax: Axes,
    times: Sequence[Any],
    intervals: Sequence[tuple[float, float, float]],
    of_all: float | None,
    title: Sequence[str],
    label: Sequence[str],
) -> ErrorbarContainer:
    """Draw values as a line over time, with a band between their ends.

    The intervals are a value and its ends, each.
    """
    value, low, high = np.transpose(intervals)
    drawn = ax.errorbar(times, value, fmt="o-", markersize=3, color=BLUE)
    ax.fill_between(times, low, high, color=BLUE, alpha=0.2, linewidth=0)
    if of_all is not None:
        ax.axhline(of_all, color=choose_gray(ax, 0.5), linestyle="--", linewidth=1, zorder=1)
    ax.set_ylabel(_literal_lines([*title, *label]))
    locator: Any = AutoDateLocator(maxticks=6)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    return drawn


def _literal_lines(lines: Sequence[str]) -> str:
    return "\n".join(map(_literal_text, lines))


def _literal_text(name: str) -> str:
    return escape_dollars(wrap_label(name))
