"""What the pictures share: axes, styles, legend, and which points to mark."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.segments import Array

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

Style = Mapping[str, Any] | None

_SEEN = 200  # of more operating points no marks are seen, as they would run into a thick line
_ALL_MARKED = 1000  # of more than these, those that would lie on one another share a mark
_APART = 200  # marks that fit next to each other along an axis
_RASTER = 10_000  # an area of more corners is pixels in vector graphics, which would be huge


def axes_or_new(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def _visibly_apart(x: Array, y: Array) -> Array:
    """The places of points to mark: all, or of many one for each spot in the picture."""
    if x.size <= _ALL_MARKED:
        return np.arange(x.size)
    highest = y.max(initial=0) or 1
    spot = np.rint(_APART * x) + 1j * np.rint(_APART * y / highest)
    return np.sort(np.unique(spot, return_index=True)[1])


def draw_points(ax: "Axes", x: Array, y: Array, given: Style, **defaults: Any) -> "Line2D":
    apart = _visibly_apart(x, y)
    defaults |= {"linestyle": "none", "marker": "o", "markersize": 3, "zorder": 1.95}
    defaults["visible"] = x.size <= _SEEN
    return draw_line(ax, x[apart], y[apart], given, **defaults)


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
    from matplotlib.collections import PolyCollection

    defaults["rasterized"] = x.size > _RASTER
    return ax.fill_between(x, y, **styled(PolyCollection, given, **defaults))


def draw_band(ax: "Axes", x: Array, low: Array, high: Array, color: Any) -> "PolyCollection":
    """The room between two lines."""
    return ax.fill_between(x, low, high, color=color, alpha=0.25, linewidth=0, zorder=1.8)


def draw_line(ax: "Axes", x: Any, y: Any, given: Style, **defaults: Any) -> "Line2D":
    from matplotlib.lines import Line2D

    (line,) = ax.plot(x, y, **styled(Line2D, given, **defaults))
    return line


def styled(kind: "type[Artist]", given: Style, **defaults: Any) -> dict[str, Any]:
    """The defaults, less those that the caller sets, under whatever alias."""
    from matplotlib.cbook import normalize_kwargs

    return defaults | normalize_kwargs(dict(given or {}), kind)


def add_legend(ax: "Axes", loc: Any) -> None:
    """What lies below, as the reference lines do, comes last."""
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        order = np.argsort([-handle.get_zorder() for handle in handles], kind="stable")
        ax.legend([handles[i] for i in order], [labels[i] for i in order], loc=loc)


def axis_labels(ax: "Axes", xlabel: str, ylabel: str) -> dict[str, str]:
    """What to call the axes, given what is drawn there already: each name stands once."""
    if not ax.has_data():
        return {"xlabel": xlabel, "ylabel": ylabel}
    return {
        "xlabel": _joined(ax.get_xlabel(), xlabel),
        "ylabel": _joined(ax.get_ylabel(), ylabel),
    }


def _joined(names: str, name: str) -> str:
    return "\n".join(dict.fromkeys([*names.splitlines(), name]))


def remove_spines(ax: "Axes") -> None:
    ax.spines[["top", "right"]].set_visible(False)


def positive_label(pos_label: Any) -> str:
    return "" if pos_label is None else f" (Positive label: {pos_label})"
