"""Drawing the curves of definitions, folds and groups, with their areas and operating points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._validation.pictures import check_one_each
from .artists import (
    MEAN,
    SEEN,
    SEEN_IN_COMPANY,
    Style,
    Styles,
    draw_area,
    draw_band,
    draw_line,
    draw_points,
    ink,
    make_room,
)
from .bands import Band
from .families import Family, families_of, have_groups, mean_over
from .geometry import DrawnCurve
from .labels import curve_entry, mean_entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_GROUPS = 10  # up to this many groups have their own color and legend entry
_STYLES = ("-", "--", "-.", ":")
_N_MEAN = 1000  # positions at which the mean of the curves of groups is computed


class Drawn(NamedTuple):
    """The artists of each curve."""

    lines: list[Any]
    areas: list[Any]
    points: list[Any]


def draw_curves(
    ax: Axes,
    curves: Sequence[DrawnCurve],
    bands: Sequence[Band],
    name: str | None,
    curve_kwargs: Styles,
    fill_kwargs: Style,
    points_kwargs: Style,
) -> Drawn:
    """Draw all curves, each with the area under it and its operating points."""
    families = families_of(curves)
    styles = check_one_each(curve_kwargs, len(families))
    most = most_dots(curves, make_room(ax))
    alone = most == SEEN
    faint = 0.2 / len(curves) / (3 if bands else 1)  # so that a band is visible above the area
    has_one_rule = len({curve.label for curve in curves}) == 1
    drawn, looks = Drawn([], [], []), looks_of(ax, families, bands, name)
    for (family, look), given in zip(looks, styles, strict=True):
        for curve in family:
            line = draw_line(ax, curve.x, curve.y, given, **look)
            if curve is not family[0]:
                line.set_label(None)
            color = look["color"] = line.get_color()
            area = {"facecolor": color, "edgecolor": color, "alpha": faint, "visible": alone}
            area["linewidth"] = 0.5 if _few_levels(curve) else 0.0
            # If there are several definitions, they share their operating points.
            owned = color if has_one_rule else ink(ax, 0.7)
            dots = {"color": owned, "alpha": look["alpha"]}
            x, y = curve.recall, curve.precision
            drawn.lines.append(line)
            drawn.areas.append(_draw_area(ax, curve, fill_kwargs, area))
            drawn.points.append(draw_points(ax, x, y, points_kwargs, most, **dots))
    return drawn


def most_dots(curves: Sequence[Any], in_company: bool) -> int:
    """Return how many operating points of a curve are visible: none of folds and groups."""
    if have_groups(curves) or len(families_of(curves)) < len(curves):
        return 0
    return SEEN_IN_COMPANY if in_company or len({curve.model for curve in curves}) > 1 else SEEN


def draw_mean(ax: Axes, curves: Sequence[DrawnCurve], groups: str, name: str | None) -> Any:
    """Draw the mean of the curves of groups, under which the area is the mean of their values."""
    if not have_groups(curves):
        return None
    x = (np.arange(_N_MEAN) + 0.5) / _N_MEAN

    def height(curve: DrawnCurve) -> Any:
        if not curve.corner_x.size:  # without positives, there is only a value
            return np.full(_N_MEAN, curve.value)
        return np.interp(x, curve.corner_x, curve.corner_y, right=0)

    families = families_of(curves)
    y = mean_over(families, height)
    if y is None:
        return None
    entry = mean_entry(families, groups, name)
    return draw_line(ax, x, y, None, label=entry, color=ink(ax), **MEAN)


def draw_bands(ax: Axes, bands: Sequence[Band], curves: Family, lines: Sequence[Any]) -> list[Any]:
    """Draw the band of each family, in the order of the families, in the color of its curve."""
    color_of = {id(curve): line.get_color() for curve, line in zip(curves, lines, strict=True)}
    colors = [color_of[id(family[0])] for family in families_of(curves)]
    return [
        draw_band(ax, band.x, band.low, band.high, color)
        for band, color in zip(bands, colors, strict=False)
    ]


def looks_of(
    ax: Axes, families: Sequence[Family], bands: Sequence[Band], name: str | None
) -> Iterator[tuple[Family, dict[str, Any]]]:
    """Yield each family with its style. Definitions differ in line styles, and models in colors."""
    lines = dict.fromkeys(curve.label for curve, *_ in families if not _marks(curve))
    linestyles = dict(zip(lines, cycle(_STYLES), strict=False))
    for family, band in zip_longest(families, bands):
        first = family[0]
        look = _marks(first) or {"linestyle": linestyles[first.label]}
        look["alpha"] = 1 if len(family) == 1 else 0.5
        look["label"] = curve_entry(family, band, name)
        if have_groups(family):
            look |= look_of_many(ax, len(families))
        yield family, look


def look_of_many(ax: Axes, n_groups: int) -> dict[str, Any]:
    """Return the style that many groups share, which replaces their colors and legend entries."""
    if n_groups <= _MOST_GROUPS:
        return {}
    return {"label": None, "color": ink(ax, 0.3), "linewidth": 0.7}


def _draw_area(ax: Axes, curve: DrawnCurve, given: Style, defaults: dict[str, Any]) -> Any:
    if given:
        del defaults["visible"]  # a user who styles an area wants to see it
    return draw_area(ax, curve.corner_x, curve.corner_y, given, **defaults)


def _marks(curve: Any) -> dict[str, Any]:
    """Return the style of a curve that is a mark at each recall level instead of a line."""
    if not isinstance(curve, DrawnCurve) or curve.drawn != "levels":
        return {}
    return {"linestyle": "none", "marker": "s", "markersize": 6 if _few_levels(curve) else 2}


def _few_levels(curve: DrawnCurve) -> bool:
    return curve.drawn == "levels" and curve.x.size < 30
