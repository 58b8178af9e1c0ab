"""Pictures of intervals: of models, segments, metrics or candidates. This imports matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

from ..core.ragged import Array
from .figures import COLORS, choose_gray, escape_dollars, keep_underscore, wrap_label
from .pictures import Drawn, IntervalMark, Strip

_MOST_PANELS = 4  # next to each other
# All sizes are in inches.
_PANEL_WIDTHS = (4.2, 3.3, 2.8, 2.8)  # of each panel, by the number of those next to each other
_PANEL_HEIGHT_OVER_TIME = 2.0
_WIDTH_OVER_TIME = 20  # characters beside a panel
_MOST_ROWS_HEIGHT = 9.0  # of all rows, unless names need more
_ABOVE_AND_BELOW = 0.9  # of the rows of a panel
_LINE_HEIGHT = 0.17  # of text, and of each model in a row
_CHARACTER_WIDTH, _SMALL_CHARACTER_WIDTH = 0.09, 0.075
_GAP = 0.8  # between rows, where 1 is the height of a model
_MARKERS = "os^D"  # of models that have the first colors, and of those that need them again
_CROWD = 60  # more marks than this in a panel are smaller


def draw(drawn: Drawn, interval: str, ax: Any) -> tuple[Any, list[ErrorbarContainer]]:
    """Draw values and differences on axes of the caller, or None. Return the axes, and what was
    drawn on them. `interval` is what intervals are called.
    """
    strips, columns = drawn.strips, drawn.columns
    if ax is not None and np.size(ax) == len(strips):
        columns = columns[-1:]
    axes = _make_axes(drawn, len(columns)) if ax is None else np.ravel(ax)
    panels = [(strip, column) for strip in strips for column in columns]
    if axes.size != len(panels):
        both = ", or twice as many for values and differences" if len(columns) > 1 else ""
        raise ValueError(
            f"ax must have one Axes for each metric, so {len(strips)}{both}. Got {axes.size}."
        )
    draw_panel = _draw_times if drawn.times else _draw_rows
    bars: list[ErrorbarContainer] = []
    for axis, (strip, column) in zip(axes, panels, strict=True):
        # of shape (n_rows, n_models, 3)
        ends = np.array([[getattr(mark, column) for mark in row.marks] for row in strip.rows])
        said = ["value" if column == "value" else f"difference from the {drawn.baseline}"]
        said += [interval] * (not np.isnan(ends[..., 1:]).all())
        bars += draw_panel(axis, strip, column, ends, "\n".join(said), drawn.times)
        if column == columns[0]:
            title = wrap_label(strip.title, 40 * len(columns))
            axis.set_title(escape_dollars(title), fontsize="medium", loc="left")
    _write_legends(axes, bars, [*_describe_marks(drawn, columns), *drawn.lines], ax is None)
    return axes, bars


def _make_axes(drawn: Drawn, n_columns: int) -> Any:
    """Return the axes of a new figure: for each strip, as many as there are columns.

    Strips whose rows have the same names are next to each other.
    """
    import matplotlib.pyplot as plt

    names = [[wrap_label(row.name) for row in strip.rows] for strip in drawn.strips]
    n_panels, n_beside = n_columns * len(names), n_columns
    if not drawn.times and all(each == names[0] for each in names):
        n_beside = min(n_panels, _MOST_PANELS)
    width = n_beside * _PANEL_WIDTHS[n_beside - 1]
    if drawn.times:
        width += 1.5  # for what is beside the panels
        heights = [_PANEL_HEIGHT_OVER_TIME] * len(names)
    else:
        lines = [name.split("\n") for each in names for name in each]
        width += _CHARACTER_WIDTH * (2 + max(len(line) for name in lines for line in name))
        row = _LINE_HEIGHT * (len(drawn.strips[0].models) + _GAP)
        n_rows = [len(each) for each in names[:: n_beside // n_columns]]  # of each line of panels
        row = min(row, _MOST_ROWS_HEIGHT / sum(n_rows))
        row = max(row, 0.06 + _LINE_HEIGHT * max(map(len, lines)))
        heights = [row * number for number in n_rows]
    size = width, sum(heights) + _ABOVE_AND_BELOW * len(heights)
    look: dict[str, Any] = {"sharey": "none" if drawn.times else "row", "layout": "constrained"}
    look |= {"figsize": size, "height_ratios": heights, "squeeze": False}
    axes = plt.subplots(len(heights), n_beside, **look)[1].ravel()
    for ax in axes[n_panels:]:
        ax.remove()
    return axes[:n_panels]


def _draw_rows(
    ax: Axes, strip: Strip, column: str, ends: Array, label: str, _: Any
) -> list[ErrorbarContainer]:
    """Draw the rows of a strip from top to bottom. In each, models have a place and a color."""
    n_rows, n_models, _ = ends.shape
    gray, bars = choose_gray(ax, 0.6), []
    line: dict[str, Any] = {"color": gray, "linewidth": 1, "zorder": 1}
    for place in _find_drawn_models(ends):
        x, low, high = ends[:, place].T
        y = -np.arange(n_rows) - (place - (n_models - 1) / 2) / (n_models + _GAP)
        reach = np.maximum((x - low, high - x), 0)
        look = _choose_look(strip, place, n_rows * n_models > _CROWD)
        bars.append(ax.errorbar(x, y, xerr=reach, linestyle="none", **look))
        _hollow_out(ax, [row.marks[place] for row in strip.rows], column, (x, y), look)
        for row, height in zip(strip.rows, y, strict=True):
            folds = row.marks[place].folds if column == "value" else ()
            ax.plot(folds, [height] * len(folds), ".", color=gray, alpha=0.5, zorder=1.5)
    for y, row in zip(range(0, -n_rows, -1), strip.rows, strict=True):
        if row.margin and column == "difference":
            ax.vlines([-row.margin, row.margin], y - 0.5, y + 0.5, linestyle=":", **line)
        if row.reason:
            words = ax.text(0.02, y, row.reason, transform=ax.get_yaxis_transform(), va="center")
            ground = {"facecolor": choose_gray(ax, 0), "edgecolor": "none", "pad": 1}
            words.set(size="small", color=gray, bbox=ground)
    if column == "difference":
        ax.axvline(0, linestyle="--", **line)
    if strip.has_all:
        ax.axhline(-0.5, **line)
    if n_models > 1:
        ax.set_yticks(-0.5 - np.arange(strip.has_all, n_rows - 1), minor=True)
        ax.grid(axis="y", which="minor", color=choose_gray(ax, 0.2))
    ax.set(ylim=(0.5 - n_rows, 0.5), xlabel=label)
    names = [escape_dollars(wrap_label(row.name)) for row in strip.rows]
    ax.set_yticks(-np.arange(n_rows), names)
    ax.tick_params(axis="y", which="both", length=0)
    ax.locator_params(axis="x", nbins=5)
    for first in ax.get_yticklabels()[: strip.has_all]:
        first.set_fontweight("bold")
    return bars


def _draw_times(
    ax: Axes, strip: Strip, column: str, ends: Array, label: str, times: Sequence[Any]
) -> list[ErrorbarContainer]:
    """Draw a line over time with a band for each model, and a dashed one for all data."""
    bars, x = [], np.array(times)
    line: dict[str, Any] = {"linewidth": 1, "zorder": 1}
    for place in _find_drawn_models(ends):
        y, low, high = ends[1:, place].T
        look = _choose_look(strip, place, True)
        bars.append(ax.errorbar(x, y, **look))
        ax.fill_between(x, low, high, color=look["color"], alpha=0.15, linewidth=0)
        ax.axhline(ends[0, place, 0], color=look["color"], linestyle="--", **line)
        _hollow_out(ax, [row.marks[place] for row in strip.rows[1:]], column, (x, y), look)
    if column == "difference":
        margin = strip.rows[0].margin or 0.0
        ax.axhline(0, color=choose_gray(ax, 0.6), **line)
        for end in {-margin, margin} - {0.0}:
            ax.axhline(end, color=choose_gray(ax, 0.6), linestyle=":", **line)
    ax.set_ylabel("\n".join(wrap_label(each, _WIDTH_OVER_TIME) for each in label.split("\n")))
    locator: Any = AutoDateLocator(maxticks=6)  # type: ignore[no-untyped-call]
    formatter: Any = ConciseDateFormatter(locator)  # type: ignore[no-untyped-call]
    # Days name their month, which otherwise is only said of the last one.
    formatter.formats[2], formatter.offset_formats[2] = "%d %b", "%Y"
    ax.xaxis.set(major_locator=locator, major_formatter=formatter)
    return bars


def _find_drawn_models(ends: Array) -> list[int]:
    """Return the places of the models that have values, as the baseline has no differences."""
    places: list[int] = np.flatnonzero(~np.isnan(ends[..., 0]).all(axis=0)).tolist()
    return places


def _choose_look(strip: Strip, place: int, are_many: bool) -> dict[str, Any]:
    """Return how the marks of a model look."""
    return {
        "color": COLORS[place % len(COLORS)],
        "marker": _MARKERS[place // len(COLORS) % len(_MARKERS)],
        "markersize": 3.5 if are_many else 6,
        "label": strip.models[place],
    }


def _hollow_out(
    ax: Axes,
    marks: Sequence[IntervalMark],
    column: str,
    at: tuple[Array, Array],
    look: dict[str, Any],
) -> None:
    """Draw differences again that are neither better nor worse, with the color of the ground in
    them.
    """
    if column == "difference":
        is_hollow = np.array([mark.verdict not in ("better", "worse") for mark in marks])
        look = look | {"label": None, "linestyle": "none", "zorder": 2.5}
        ax.plot(*(each[is_hollow] for each in at), markerfacecolor=choose_gray(ax, 0), **look)


def _describe_marks(drawn: Drawn, columns: Sequence[str]) -> list[str]:
    """Say what marks and lines mean that not all pictures have."""
    rows = [row for strip in drawn.strips for row in strip.rows]
    marks, said = [mark for row in rows for mark in row.marks], []
    if "difference" in columns:
        said.append("Differences are filled if better or worse, and hollow if neither is shown.")
        margins = sorted({f"{row.margin:g}" for row in rows if row.margin})
        if margins:
            said.append(f"Dotted: the margin of {' or '.join(margins)}.")
    if drawn.times:
        said.append("Dashed: all data.")
    if any(len(mark.folds) for mark in marks):
        said.append("Small dots: folds.")
    return said


def _write_legends(axes: Any, bars: Sequence[Any], said: Sequence[str], is_own: bool) -> None:
    """Say which model has which color, and what else has to be known: above and below all panels if
    the figure is our own, which grows by that.
    """
    models: dict[str, Any] = {str(bar.get_label()): bar for bar in bars}
    names = [keep_underscore(wrap_label(name)) for name in models]
    look: dict[str, Any]
    figure, text = axes[0].figure.figure, escape_dollars(" ".join(said))
    if not is_own:
        axes[-1].set_xlabel("\n".join(filter(None, [axes[-1].get_xlabel(), wrap_label(text)])))
        if len(models) > 1:  # between the axes and their title
            look = {"loc": "lower left", "bbox_to_anchor": (0, 1), "frameon": False, "ncols": 2}
            look |= {"title": axes[0].get_title("left"), "alignment": "left", "fontsize": "small"}
            axes[0].legend([*models.values()], names, **look)
            axes[0].set_title("", loc="left")
        return
    width, height = figure.get_size_inches()
    if text:
        text = wrap_label(text, int(width / _SMALL_CHARACTER_WIDTH))
        figure.supxlabel(text, x=0.01, ha="left", fontsize="small")
        height += _LINE_HEIGHT * (1 + text.count("\n"))
    if len(models) > 1:
        longest = max(len(line) for name in names for line in name.split("\n"))
        n_fitting = int(width / (_CHARACTER_WIDTH * (longest + 6)))
        look = {"loc": "outside upper left", "frameon": False}
        look["ncols"] = min(max(n_fitting, 1), len(names))
        legend = figure.legend([*models.values()], names, **look)
        height += legend.get_window_extent().height / figure.dpi
    figure.set_size_inches(width, height)
