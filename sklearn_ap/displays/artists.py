"""What the pictures share: axes, styles, legend, and which points to mark."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.segments import Array

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

Style = Mapping[str, Any] | None

_APART = 50  # operating points closer than this fraction of the axes share a mark


def axes_or_new(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def _visibly_apart(x: Array, y: Array) -> Array:
    """The places of points to mark, one for each spot in the picture."""
    highest = y.max(initial=0) or 1
    spot = np.rint(_APART * x) * (2 * _APART) + np.rint(_APART * y / highest)
    return np.sort(np.unique(spot, return_index=True)[1])


def draw_points(ax: "Axes", x: Array, y: Array, given: Style, **defaults: Any) -> "Line2D":
    apart = _visibly_apart(x, y)
    defaults |= {"linestyle": "none", "marker": "o", "markersize": 3, "zorder": 1.95}
    return draw_line(ax, x[apart], y[apart], given, **defaults)


def draw_reference(
    ax: "Axes", x: tuple[float, ...], y: tuple[float, ...], given: Style, **defaults: Any
) -> "Line2D":
    return draw_line(
        ax,
        x,
        y,
        given,
        **{"color": "k", "linestyle": "--", "linewidth": 1, "zorder": 1.9} | defaults,
    )


def draw_area(ax: "Axes", x: Array, y: Array, given: Style, **defaults: Any) -> "PolyCollection":
    """The area under a line."""
    from matplotlib.collections import PolyCollection

    return ax.fill_between(x, y, **styled(PolyCollection, given, **defaults))


def draw_line(ax: "Axes", x: Any, y: Any, given: Style, **defaults: Any) -> "Line2D":
    from matplotlib.lines import Line2D

    (line,) = ax.plot(x, y, **styled(Line2D, given, **defaults))
    return line


def styled(kind: "type[Artist]", given: Style, **defaults: Any) -> dict[str, Any]:
    """The defaults, less those that the caller sets, under whatever alias."""
    from matplotlib.cbook import normalize_kwargs

    return defaults | normalize_kwargs(dict(given or {}), kind)


def add_legend(ax: "Axes", loc: Any) -> None:
    """One entry a label, though several displays share the axes; what lies below comes last."""
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        by_label = dict(zip(labels, handles, strict=True))
        entries = dict(sorted(by_label.items(), key=lambda entry: -entry[1].get_zorder()))
        ax.legend(list(entries.values()), list(entries), loc=loc)


def remove_spines(ax: "Axes") -> None:
    ax.spines[["top", "right"]].set_visible(False)


def positive_label(pos_label: Any) -> str:
    return "" if pos_label is None else f" (Positive label: {pos_label})"
