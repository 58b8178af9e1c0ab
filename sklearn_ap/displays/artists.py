"""What both displays draw with: axes, styles, legends, and how displays share axes."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.segments import Array
from .labels import joined, mark_entry

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

Style = Mapping[str, Any] | None
Styles = Style | Sequence[Style]  # one for all curves, or one for each

SEEN = 200  # the dots of more operating points are hidden, as they would look like a thick line
SEEN_IN_COMPANY = 50  # the same limit for each of several displays in the same axes
MEAN: dict[str, Any] = {"linewidth": 2.5, "zorder": 2.1}  # style of a mean curve
_ALL_MARKED = 1000  # if there are more points than this, those that would overlap share a dot
_APART = 200  # how many dots fit next to each other along an axis
_RASTER = 10_000  # areas with more corners than this are rasterized in vector graphics
# A legend with more entries than _MANY, or a label longer than _LONG, is set in a small font. One
# with more entries than _TOO_MANY goes next to the axes. Labels longer than _TOO_LONG are split.
_MANY, _TOO_MANY, _LONG, _TOO_LONG = 4, 6, 40, 45

_NEXT_TO_NOTHING = 1e-11  # so small that tick labels show it as 0

# Legends ignore labels that start with "_". A display recognizes by them what another display drew
# in the same axes, and whether the user asked for it.
_AREA, _DOTS, _AS_ASKED = "_area", "_operating points", ", as asked"
_MARKERS = ("D", "s", "^", "v", "P", "X", "o")


def axes_or_new(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="compressed")[1]  # leaves room for a legend next to the axes


def ink(ax: "Axes", strength: float = 1.0) -> str:
    """Return the gray that stands out against the axes: black if they are light, white if dark.

    With less strength, it is a gray on the way from the background to there. What is behind
    transparent axes and figures is unknown, but text is readable on it.
    """
    from matplotlib import rcParams
    from matplotlib.colors import to_rgba

    def lightness(color: Any) -> float:
        return float(np.dot(to_rgba(color)[:3], (0.299, 0.587, 0.114)))

    behind = 1 - lightness(rcParams["text.color"])
    for patch in (ax.figure.figure, ax):
        color = patch.get_facecolor()
        behind += to_rgba(color)[3] * (lightness(color) - behind)
    most = 0.0 if behind > 0.5 else 1.0
    return f"{behind + strength * (most - behind):.3g}"


def make_room(ax: "Axes") -> bool:
    """Prepare axes for a display, and return whether they already contain another one.

    Areas and large numbers of operating points are then hidden, because the new display would be
    drawn over them, unless the user asked for them.
    """
    labels = {str(artist.get_label()).removesuffix(_AS_ASKED) for artist in ax.get_children()}
    for area in ax.collections:
        if area.get_label() == _AREA:
            area.set_visible(False)
    for line in ax.lines:
        if line.get_label() == _DOTS and np.size(line.get_xdata()) > SEEN_IN_COMPANY:
            line.set_visible(False)
    return bool(labels & {_AREA, _DOTS})


def _visibly_apart(x: Array, y: Array) -> Array:
    """Return the indices of the points to mark: all, or if there are many, one for each spot."""
    if x.size <= _ALL_MARKED:
        return np.arange(x.size)
    highest = y.max(initial=0) or 1
    spot = np.rint(_APART * x) + 1j * np.rint(_APART * y / highest)
    return np.sort(np.unique(spot, return_index=True)[1])


def draw_points(
    ax: "Axes", x: Array, y: Array, given: Style, most: int, **defaults: Any
) -> "Line2D":
    """Draw the operating points, which are hidden by default if there are more than `most`."""
    apart = _visibly_apart(x, y)
    defaults |= {"linestyle": "none", "marker": "o", "markersize": 3, "zorder": 1.95}
    defaults["visible"] = x.size <= most
    defaults["label"] = _DOTS + (_AS_ASKED if given else "")
    return draw_line(ax, x[apart], y[apart], given, **defaults)


def draw_marks(
    ax: "Axes",
    points: Sequence[Any],
    places: Sequence[tuple[float, float]],
    lines: "Sequence[Line2D]",
) -> "list[Line2D]":
    """Draw a large mark for each chosen operating point, and describe it in the legend.

    It has the color of the curve, or is gray if there are several.
    """
    colors = {line.get_color() for line in lines}
    color = colors.pop() if len(colors) == 1 else ink(ax, 0.7)
    marks = zip(points, places, cycle(_MARKERS), strict=False)
    style = {"linestyle": "none", "markeredgecolor": ink(ax), "markersize": 8, "zorder": 2.5}
    return [
        draw_line(ax, [x], [y], None, marker=marker, color=color, label=mark_entry(point), **style)
        for point, (x, y), marker in marks
    ]


def draw_reference(
    ax: "Axes", label: str, line: tuple[Any, Any], given: Style, style: Style = None
) -> "Line2D":
    """Draw a reference line, which several displays in the same axes label only once."""
    once = None if label in ax.get_legend_handles_labels()[1] else label
    defaults = {"color": ink(ax), "linestyle": "--", "linewidth": 1, "zorder": 1.9}
    return draw_line(ax, *line, given, label=once, **defaults | dict(style or {}))


def draw_area(ax: "Axes", x: Array, y: Array, given: Style, **defaults: Any) -> "PolyCollection":
    """Draw the area under a line."""
    defaults["rasterized"] = x.size > _RASTER
    defaults["label"] = _AREA + (_AS_ASKED if given else "")
    return _between(ax, x, np.zeros_like(y), y, given, **defaults)


def draw_band(ax: "Axes", x: Array, low: Array, high: Array, color: Any) -> "PolyCollection":
    """Draw the band between two lines."""
    style = {"facecolor": color, "alpha": 0.25, "linewidth": 0, "zorder": 1.8}
    return _between(ax, x, low, high, None, **style)


def _between(
    ax: "Axes", x: Array, low: Array, high: Array, given: Style, **defaults: Any
) -> "PolyCollection":
    """Fill the area between two lines, like `fill_between`.

    The limits of the axes follow only the upper line, because the lower one may be close to 0,
    which is far away on a logarithmic axis.
    """
    from matplotlib.collections import PolyCollection

    corners = np.column_stack([np.append(x, x[::-1]), np.append(high, low[::-1])])
    area = PolyCollection([corners] if x.size else [], **styled(PolyCollection, given, **defaults))
    ax.add_collection(area, autolim=False)
    if x.size:
        ax.update_datalim(np.column_stack([x, high]))
    ax.autoscale_view()
    return area


def draw_line(ax: "Axes", x: Any, y: Any, given: Style, **defaults: Any) -> "Line2D":
    from matplotlib.lines import Line2D

    (line,) = ax.plot(x, y, **styled(Line2D, given, **defaults))
    return line


def styled(kind: "type[Artist]", given: Style, **defaults: Any) -> dict[str, Any]:
    """Return the defaults, overridden by what the caller sets under any alias."""
    from matplotlib.cbook import normalize_kwargs

    return defaults | normalize_kwargs(dict(given or {}), kind)


def _add_legend(ax: "Axes", has_room: bool) -> None:
    """Add a legend, next to the axes if it has many entries and there is room.

    Entries are sorted by how far in front they are drawn, so the reference lines come last.
    """
    handles, labels = ax.get_legend_handles_labels()
    # Chosen points are drawn above the curves, but come after the curve that they belong to.
    order = np.argsort([-min(handle.get_zorder(), 2) for handle in handles], kind="stable")
    is_large = len(labels) > _MANY or max(map(len, labels)) > _LONG
    where: dict[str, Any] = {"loc": "best"}
    if len(labels) > _TOO_MANY and has_room:
        where = {"loc": "upper left", "bbox_to_anchor": (1.02, 1), "borderaxespad": 0}
    if is_large:
        where["fontsize"] = "small"
    ax.legend([handles[i] for i in order], [_broken(labels[i]) for i in order], **where)


def _broken(label: str) -> str:
    """Split a long label into two lines."""
    return label.replace(", ", ",\n", 1) if len(label) > _TOO_LONG else label


def zoom(ax: "Axes", right: float, first: float) -> None:
    """Limit the x axis to `right`, and the y axis to what is drawn up to there.

    A linear axis starts so little above 0 that you can still make its scale logarithmic.
    """
    lines = [line.get_xydata() for line in ax.lines if line.get_visible()]
    areas = [path.vertices for area in ax.collections for path in area.get_paths()]
    inside = [y[x <= right] for x, y in (np.asarray(path).T for path in [*lines, *areas])]
    top = max(y.max(initial=0) for y in inside) or 1
    left, bottom = _NEXT_TO_NOTHING * right, _NEXT_TO_NOTHING * top
    if ax.get_xscale() == "log":
        left = min(first, right / 100)
    if ax.get_yscale() == "log":
        bottom = min(y.min(initial=top, where=y > 0) for y in inside[: len(lines)])
    ax.set(xlim=(left, 1.01 * right), ylim=(bottom, 1.05 * top))


def axis_labels(ax: "Axes", xlabel: str, ylabel: str) -> dict[str, str]:
    """Return the labels of the axes, each added only once to what is there already."""
    if not ax.has_data():
        return {"xlabel": xlabel, "ylabel": ylabel}
    return {
        "xlabel": joined(ax.get_xlabel(), xlabel),
        "ylabel": joined(ax.get_ylabel(), ylabel),
    }


def finish(ax: "Axes", labels: dict[str, str], despine: bool, has_room: bool) -> None:
    """Add what surrounds the curves: the labels of the axes, and a legend if there is any entry."""
    ax.set(**labels)
    if despine:
        ax.spines[["top", "right"]].set_visible(False)
    if ax.get_legend_handles_labels()[1]:
        _add_legend(ax, has_room)
