"""What the pictures share: axes, styles, legend, and what gives way when a second one comes."""

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

SEEN = 200  # of more operating points no marks are seen, as they would run into a thick line
SEEN_IN_COMPANY = 50  # the same for each of several displays in the same axes
MEAN: dict[str, Any] = {"color": "k", "linewidth": 2.5, "zorder": 2.1}  # of the curves of groups
_ALL_MARKED = 1000  # of more than these, those that would lie on one another share a mark
_APART = 200  # marks that fit next to each other along an axis
_RASTER = 10_000  # an area of more corners is pixels in vector graphics, which would be huge
# So many entries of a legend are small, and so many do not fit into the axes; so many characters
# are small, and so many need two lines.
_MANY, _TOO_MANY, _LONG, _TOO_LONG = 4, 6, 40, 45

_NEXT_TO_NOTHING = 1e-11  # which ticks do not tell from 0

# By these labels, which no legend shows, a display knows what another one drew without being asked.
_AREA, _DOTS, _AS_ASKED = "_area", "_operating points", ", as asked"
_MARKERS = ("D", "s", "^", "v", "P", "X", "o")


def axes_or_new(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="compressed")[1]  # with room for a legend next to the axes


def make_room(ax: "Axes") -> bool:
    """Whether another display is in the axes. What would lie below the next one is then hidden, as
    far as nobody asked for it: areas, and operating points if there are many.
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
    """The places of points to mark: all, or of many one for each spot in the picture."""
    if x.size <= _ALL_MARKED:
        return np.arange(x.size)
    highest = y.max(initial=0) or 1
    spot = np.rint(_APART * x) + 1j * np.rint(_APART * y / highest)
    return np.sort(np.unique(spot, return_index=True)[1])


def draw_points(
    ax: "Axes", x: Array, y: Array, given: Style, most: int, **defaults: Any
) -> "Line2D":
    """The operating points; by default not seen if there are more than `most`."""
    apart = _visibly_apart(x, y)
    defaults |= {"linestyle": "none", "marker": "o", "markersize": 3, "zorder": 1.95}
    defaults["visible"] = x.size <= most
    defaults["label"] = _DOTS + (_AS_ASKED if given else "")
    return draw_line(ax, x[apart], y[apart], given, **defaults)


def draw_marks(
    ax: "Axes", points: Sequence[Any], places: Sequence[tuple[float, float]], color: Any
) -> "list[Line2D]":
    """A large mark for each operating point that was chosen, with its numbers in the legend."""
    marks = zip(points, places, cycle(_MARKERS), strict=False)
    style = {"linestyle": "none", "markeredgecolor": "k", "markersize": 8, "zorder": 2.5}
    return [
        draw_line(ax, [x], [y], None, marker=marker, color=color, label=mark_entry(point), **style)
        for point, (x, y), marker in marks
    ]


def draw_reference(
    ax: "Axes",
    x: Sequence[float] | Array,
    y: Sequence[float] | Array,
    given: Style,
    label: str,
    **defaults: Any,
) -> "Line2D":
    """A line to compare with. Several displays in the same axes label it once."""
    once = None if label in ax.get_legend_handles_labels()[1] else label
    defaults = {"color": "k", "linestyle": "--", "linewidth": 1, "zorder": 1.9} | defaults
    return draw_line(ax, x, y, given, label=once, **defaults)


def draw_area(ax: "Axes", x: Array, y: Array, given: Style, **defaults: Any) -> "PolyCollection":
    """The area under a line."""
    defaults["rasterized"] = x.size > _RASTER
    defaults["label"] = _AREA + (_AS_ASKED if given else "")
    return _between(ax, x, np.zeros_like(y), y, given, **defaults)


def draw_band(ax: "Axes", x: Array, low: Array, high: Array, color: Any) -> "PolyCollection":
    """The room between two lines."""
    style = {"facecolor": color, "alpha": 0.25, "linewidth": 0, "zorder": 1.8}
    return _between(ax, x, low, high, None, **style)


def _between(
    ax: "Axes", x: Array, low: Array, high: Array, given: Style, **defaults: Any
) -> "PolyCollection":
    """What `fill_between` draws, but axes need not reach down to its lower end, which may be next
    to nothing on a logarithmic one.
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
    """The defaults, less those that the caller sets, under whatever alias."""
    from matplotlib.cbook import normalize_kwargs

    return defaults | normalize_kwargs(dict(given or {}), kind)


def add_legend(ax: "Axes", has_room: bool) -> None:
    """What lies below, as the reference lines do, comes last. A large legend is put next to the
    axes if there is room.
    """
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    # Chosen points lie above the curves, but come after the curve that they belong to.
    order = np.argsort([-min(handle.get_zorder(), 2) for handle in handles], kind="stable")
    is_large = len(labels) > _MANY or max(map(len, labels)) > _LONG
    where: dict[str, Any] = {"loc": "best"}
    if len(labels) > _TOO_MANY and has_room:
        where = {"loc": "upper left", "bbox_to_anchor": (1.02, 1), "borderaxespad": 0}
    if is_large:
        where["fontsize"] = "small"
    ax.legend([handles[i] for i in order], [_broken(labels[i]) for i in order], **where)


def _broken(label: str) -> str:
    """A long label in two lines."""
    return label.replace(", ", ",\n", 1) if len(label) > _TOO_LONG else label


def zoom(ax: "Axes", right: float, first: float) -> None:
    """Show the x axis up to here, and of the y axis what is drawn there.

    A linear axis starts at 0, or so little above that its scale can still become logarithmic.
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
    """What to call the axes, given what is drawn there already: each name stands once."""
    if not ax.has_data():
        return {"xlabel": xlabel, "ylabel": ylabel}
    return {
        "xlabel": joined(ax.get_xlabel(), xlabel),
        "ylabel": joined(ax.get_ylabel(), ylabel),
    }


def remove_spines(ax: "Axes") -> None:
    ax.spines[["top", "right"]].set_visible(False)
