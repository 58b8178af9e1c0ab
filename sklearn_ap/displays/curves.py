"""Drawing the curves of definitions, folds and groups, with their areas and operating points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._validation.pictures import check_one_each
from .artists import (
    MEAN,
    SEEN,
    SEEN_IN_COMPANY,
    Style,
    draw_area,
    draw_band,
    draw_line,
    draw_points,
    ink,
    make_room,
)
from .bands import Band
from .geometry import DrawnCurve
from .labels import curve_entry, mean_entry

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_GROUPS = 10  # up to this many groups have their own color and legend entry
_N_MEAN = 1000  # positions at which the mean of the curves of groups is computed

Family = Sequence[DrawnCurve]  # curves that look the same, such as those of the folds


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
    curve_kwargs: Style | Sequence[Style],
    fill_kwargs: Style,
    points_kwargs: Style,
) -> Drawn:
    """Draw all curves, each with the area under it and its operating points."""
    families, grouped = _families(curves), _has_groups(curves)
    styles = check_one_each(curve_kwargs, len(families))
    in_company, single = make_room(ax), len(families) == len(curves) and not grouped
    alone = single and not in_company
    faint = 0.2 / len(curves) / (3 if bands else 1)  # so that a band is visible above the area
    most = SEEN if alone else SEEN_IN_COMPANY if single else 0  # none for folds and groups
    drawn, looks = Drawn([], [], []), _looks(ax, families, bands, name)
    for family, look, given in zip(families, looks, styles, strict=True):
        for curve in family:
            line = draw_line(ax, curve.x, curve.y, given, **look)
            if curve is not family[0]:
                line.set_label(None)
            color = look["color"] = line.get_color()
            area = {"facecolor": color, "edgecolor": color, "alpha": faint, "visible": alone}
            area["linewidth"] = 0.5 if _few_levels(curve) else 0.0
            # If there are several definitions, they share their operating points.
            owned = color if len(families) == 1 or grouped else ink(ax, 0.7)
            dots = {"color": owned, "alpha": look["alpha"]}
            x, y = curve.recall, curve.precision
            drawn.lines.append(line)
            drawn.areas.append(_draw_area(ax, curve, fill_kwargs, area))
            drawn.points.append(draw_points(ax, x, y, points_kwargs, most, **dots))
    return drawn


def draw_mean(ax: Axes, curves: Sequence[DrawnCurve], groups: str, name: str | None) -> Any:
    """Draw the mean of the curves of groups, under which the area is the mean of their values."""
    if not _has_groups(curves):
        return None
    x = (np.arange(_N_MEAN) + 0.5) / _N_MEAN
    reached = [curve for curve in curves if curve.corner_x.size]
    y = np.zeros_like(x)
    for curve in reached:
        y += np.interp(x, curve.corner_x, curve.corner_y, right=0) / len(curves)
    values = [curve.average_precision for curve in curves]
    entry = mean_entry(curves[0].label, values, groups, name)
    return draw_line(ax, x, y, None, label=entry, color=ink(ax), **MEAN)


def draw_bands(ax: Axes, bands: Sequence[Band], curves: Family, lines: Sequence[Any]) -> list[Any]:
    """Draw the band of each definition in the color of its curve."""
    colors = {curve.label: line.get_color() for curve, line in zip(curves, lines, strict=True)}
    return [draw_band(ax, band.x, band.low, band.high, colors[band.label]) for band in bands]


def _has_groups(curves: Sequence[DrawnCurve]) -> bool:
    return curves[0].group is not None


def _families(curves: Sequence[DrawnCurve]) -> list[Family]:
    families: dict[Any, list[DrawnCurve]] = {}
    for curve in curves:
        families.setdefault((curve.label, curve.group), []).append(curve)
    return list(families.values())


def _looks(
    ax: Axes, families: Sequence[Family], bands: Sequence[Band], name: str | None
) -> Iterator[dict[str, Any]]:
    """Yield the style of each family."""
    linestyles = cycle(("-", "--", "-.", ":"))
    of = {band.label: band for band in bands}
    for family in families:
        is_group = _has_groups(family)
        look = _marks(family[0]) or {"linestyle": "-" if is_group else next(linestyles)}
        look["alpha"] = 1 if len(family) == 1 else 0.5
        look["label"] = curve_entry(family, of.get(family[0].label), name)
        if is_group:
            look |= look_of_many(ax, len(families))
        yield look


def look_of_many(ax: Axes, n_groups: int) -> dict[str, Any]:
    """Return the style that many groups share, which replaces their colors and legend entries."""
    if n_groups <= _MOST_GROUPS:
        return {}
    return {"label": None, "color": ink(ax, 0.3), "linewidth": 0.7}


def _draw_area(ax: Axes, curve: DrawnCurve, given: Style, defaults: dict[str, Any]) -> Any:
    if given:
        del defaults["visible"]  # a user who styles an area wants to see it
    return draw_area(ax, curve.corner_x, curve.corner_y, given, **defaults)


def _marks(curve: DrawnCurve) -> dict[str, Any]:
    """Return the style of a curve that is a mark at each recall level instead of a line."""
    if curve.drawn != "levels":
        return {}
    return {"linestyle": "none", "marker": "s", "markersize": 6 if _few_levels(curve) else 2}


def _few_levels(curve: DrawnCurve) -> bool:
    return curve.drawn == "levels" and curve.x.size < 30
