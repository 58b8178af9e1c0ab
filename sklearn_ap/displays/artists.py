"""Curves in axes, with their means, bands, marks and legends. This imports matplotlib."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, zip_longest
from textwrap import TextWrapper
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from matplotlib import rcParams, rcParamsDefault
from matplotlib.artist import Artist, getp
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.container import ErrorbarContainer
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.layout_engine import ConstrainedLayoutEngine, TightLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.style import library
from matplotlib.transforms import ScaledTranslation, Transform

from .._show.figures import literal
from .._show.results import ends
from ..core.rankings import mean
from ..core.spread import ROUNDING
from ..core.within import Array
from .base import Band, Curve, Family, Line, Mark, Style, Styles, defined, families_of

SEEN = 200  # the dots of more operating points are hidden, as they would look like a thick line
SEEN_IN_COMPANY = 50  # the same limit for each of several displays in the same axes
# Each color has a contrast of at least 3 to black and to white. To people with any kind of color
# blindness, the first six look different (by at least 21 in units of CIEDE2000), and so do the last
# six (by 18), which get another line style.
_COLORS = (
    *("#3ba0ba", "#e0790c", "#6020f7", "#b4100c", "#978e81", "#7d536b"),
    *("#e72df5", "#329767", "#f0281a", "#62585c", "#9a839b", "#a20a9d"),
)
_STYLES, _SHAPES = ("-", "--", "-.", ":"), ("s", "D", "^", "v")  # of lines, and of recall levels
_MARKERS = ("D", "s", "^", "v", "P", "X", "o")
_N_BENT = 200  # points of a line that a logarithmic axis bends
_ALL_MARKED = 1000  # if there are more points than this, those that would overlap share a dot
_APART = 200  # how many dots fit next to each other along an axis
_MOST_GROUPS = 10  # up to this many groups have their own color and legend entry
_RASTER = 10_000  # areas with more corners than this are rasterized in vector graphics
# A legend with more entries than _MANY, or a label longer than _LONG, is set in a small font, and
# labels longer than _TOO_LONG are split. In figures that can't grow, fonts become smaller still.
_MANY, _LONG, _TOO_LONG = 4, 40, 45
_SMALLER = ("x-small", "xx-small")
_OURS = "sklearn_ap"  # the gid of figures that displays create
_IN_A_ROW, _OF_PANEL = 4, 28  # panels, and how many characters fit below each of them
_DOZEN = 12  # rows of more intervals than this are closer to each other
_PAD = 0.1  # around a legend, in inches
_LABELS = np.array([0.8, 0.7])  # what labels take beside and below axes, in inches
_SLACK = 0.2  # by how much labels may take more

# Legends ignore labels that start with "_". A display recognizes by them what another display drew
# in the same axes, and whether the user asked for it.
_AREA, _DOTS, _AS_ASKED = "_area", "_operating points", ", as asked"


# --- looks ----------------------------------------------------------------------------------------


def tell_apart(
    ax: Axes, line: Line2D, given: Style, look: Mapping[str, Any], place: int
) -> dict[str, Any]:
    """Give a line a color and a line style that no other line in the axes has. Return its look.

    Whatever the user asked for stays. Definitions have a `place`, by which their line styles differ
    although their colors do, too.
    """
    asked = styled(Line2D, given)
    others: list[Any] = [each for each in ax.lines if each is not line and not _are_dots(each)]
    if not {"color"} & {*asked, *look} and _is_by_default(line.get_color()):
        taken = [to_hex(each.get_color()) for each in others]
        line.set_color(min(_COLORS, key=taken.count))
    color = to_hex(line.get_color())
    if color in _COLORS:
        place += _COLORS.index(color) // 6
    is_line = line.get_linestyle() != "None"
    key, styles = ("linestyle", _STYLES) if is_line else ("marker", _SHAPES)
    if key not in asked and getp(line, key) == styles[0]:
        taken = [getp(each, key) for each in others if to_hex(each.get_color()) == color]
        place %= len(styles)
        line.set(**{key: min([*styles[place:], *styles[:place]], key=taken.count)})
    return {**look, "color": line.get_color(), key: getp(line, key)}


def _is_by_default(color: Any) -> bool:
    """Whether a color is that of matplotlib's own cycle, or of its style for dark backgrounds."""
    now, *others = (
        each["axes.prop_cycle"] for each in (rcParams, rcParamsDefault, library["dark_background"])
    )
    return now in others and color in now.by_key()["color"]


def _are_dots(line: Line2D) -> bool:
    return str(line.get_label()).startswith(_DOTS)


def has_few_levels(curve: Curve) -> bool:
    return curve.has_levels and curve.line[0].size < 30


def ink(ax: Axes, strength: float = 1.0) -> str:
    """Return the gray that stands out against the axes: black if they are light, white if dark.

    With less strength, it is a gray on the way from the background to there. What is behind
    transparent axes and figures is unknown, but text is readable on it.
    """

    def lightness(color: Any) -> float:
        return float(np.dot(to_rgba(color)[:3], (0.299, 0.587, 0.114)))

    behind = 1 - lightness(rcParams["text.color"])
    for patch in (ax.figure.figure, ax):
        color = patch.get_facecolor()
        behind += to_rgba(color)[3] * (lightness(color) - behind)
    most = 0.0 if behind > 0.5 else 1.0
    return f"{behind + strength * (most - behind):.3g}"


def styled(kind: type[Artist], given: Style, **defaults: Any) -> dict[str, Any]:
    """Return the defaults, overridden by what the caller sets under any alias."""
    return defaults | normalize_kwargs(dict(given or {}), kind)


# --- legend entries, with as many digits as they need ---------------------------------------------


def short(share: float) -> str:
    """Format a fraction with two decimals, or with two significant digits if it is small."""
    if share >= 0.1 or not share:
        return f"{share:.2f}"
    return np.format_float_positional(share, precision=2, fractional=False, trim="-")


def mean_of_family(family: Family) -> float:
    """Return the mean of the values of a family, without undefined ones."""
    return mean(np.array([curve.value for curve in family]))


def legend_entry_of(family: Family, band: Band | None, groups: str, name: str | None) -> str:
    """Return the legend entry of a curve, or of the mean over folds or groups."""
    first = family[0]
    places, name = first.places, name if first.model is None else str(first.model)
    values = [mean_of_family(known) for each in families_of(family) if (known := defined(each))]
    label = first.label if first.group is None else _mean_of(first.label)
    entry = f"{label} = {mean(np.array(values)):.{places}f}"
    if first.group is None and len(family) > 1:
        error = np.std([curve.value for curve in defined(family)] or [np.nan])
        entry += f" +/- {error:.{places}f}"
    if band is not None:
        entry += f", {100 * band.confidence_level:g}% {ends(*band.interval, places)}"
    if first.group is not None:
        groups = groups.replace("groups", "group", 1) if len(values) == 1 else groups
        count = f"{len(values)} {groups}"
        entry += f" ({count})" if name is None else f", {count}"
    return _kept(entry if name is None else f"{name} ({entry})")


def _mean_of(label: str) -> str:
    """Return what a mean over groups is called, such as "MAP@10" or "Mean precision@10"."""
    if "AP" in label:
        return label.replace("AP", "MAP", 1)
    return f"Mean {label[0].lower() if label[1:2].islower() else label[0]}{label[1:]}"


def _kept(entry: str) -> str:
    """Let legends show an entry as it is: they ignore labels that begin with an underscore."""
    return literal(f" {entry}" if entry.startswith("_") else entry)


def mean_line(curves: Family, spots: Array | None) -> Line | None:
    """Return the mean over groups of the mean over folds, at recall levels without spots.

    It is None if no curve is defined.
    """
    x = max((curve.line[0] for curve in curves), key=len) if spots is None else spots

    def is_at_levels(curve: Curve) -> bool:  # curves without positives have none
        return spots is None and bool(curve.line[0].size)

    means = [
        sum(each.line[1] if is_at_levels(each) else each.height(x) for each in known) / len(known)
        for family in families_of(curves)
        if (known := defined(family))
    ]
    return (x, np.asarray(sum(means) / len(means))) if means else None


def _one_each(curve_kwargs: Any, count: int) -> list[Any]:
    """Return a dict for each curve, from a single dict or a list of them."""
    is_one = isinstance(curve_kwargs, Mapping | None)
    styles = [curve_kwargs] * count if is_one else list(curve_kwargs)
    if len(styles) != count:
        raise ValueError(
            "curve_kwargs must be None, a dict or a list with one dict for each of the "
            f"{count} curves. Got: {curve_kwargs!r}."
        )
    return styles


# --- artists --------------------------------------------------------------------------------------


class Picture:
    """Axes with the curves of a display, and with their operating points, means, bands and marks.

    The axes are labeled with what they don't say already.
    """

    def __init__(self, ax: Axes | None, *labels: str, square: bool = False):
        if ax is None:
            import matplotlib.pyplot as plt

            width, height = rcParams["figure.figsize"]
            if square:  # without empty space on both sides
                width = min(width, height + 0.2)
            # The layout leaves room for a legend beside the axes.
            figure, ax = plt.subplots(figsize=(width, height), layout="compressed")
            figure.set_gid(_OURS)
        for axis, label in zip((ax.xaxis, ax.yaxis), labels, strict=True):
            said = axis.get_label_text().splitlines() if ax.has_data() else []
            axis.set_label_text("\n".join(dict.fromkeys([*said, literal(label)])), wrap=True)
        self.ax, self.alone = ax, not make_room(ax)  # whether nothing else is in the axes
        self.lines: list[Line2D] = []
        self.dots: list[Line2D] = []
        self.means: list[Line2D] = []

    def draw(
        self,
        curves: Family,
        bands: Sequence[Band],
        spots: Array,
        first: float,
        name: str | None,
        groups: str,
        curve_kwargs: Styles,
        points_kwargs: Style,
    ) -> None:
        """Draw the curves of a display on their scale, with their bands, and their means at spots.

        On a logarithmic axis, lines start at `first`.
        """
        ax, grouped = self.ax, curves[0].group is not None
        families = families_of(curves, "label", "model")
        apart = grouped and len(families) == 1  # of several, only the means are drawn
        if apart:
            families = families_of(curves)
        self.alone = self.alone and len({curve.model for curve in curves}) == 1
        most = SEEN if self.alone else SEEN_IN_COMPANY
        if grouped or len(families) < len(curves):  # groups or folds
            self.alone, most = False, 0
        self._of_points: dict[str, Any] = {"given": points_kwargs, "most": most}
        if len({curve.label for curve in curves}) > 1:  # they share their operating points
            self._of_points["color"] = ink(ax, 0.7)
        self._bent = Straight(first) + ax.transData
        self._rules = list(dict.fromkeys(curve.label for curve in curves if not curve.has_levels))
        self._of_models: dict[Any, Any] = dict.fromkeys(curve.model for curve in curves)
        styles = _one_each(curve_kwargs, len(families))
        colors = []
        for family, band, given in zip_longest(families, () if apart else bands, styles):
            entry, line = None, None
            if not apart:
                entry = legend_entry_of(family, band, groups, name)
                if grouped or len(family) > 1:
                    line = mean_line(family, None if family[0].has_levels else spots)
            elif len(families) <= _MOST_GROUPS:
                value = f"{mean_of_family(family):.{family[0].places}f}"
                entry = _kept(f"{family[0].group}: {value}")
            colors.append(self._add(family, entry, given, line))
        if apart:
            colors = [ink(ax)]
            if line := mean_line(curves, spots):
                entry = legend_entry_of(curves, next(iter(bands), None), groups, name)
                self._add_mean(line, entry, None, color=colors[0])
        self._draw_bands(list(zip(bands, colors, strict=False)))

    def _draw_bands(self, drawn: Sequence[tuple[Band, Any]]) -> None:
        """Draw bands so faintly that curves stay visible below all of them."""
        style: dict[str, Any] = {"alpha": min(0.25, 1 / max(len(drawn), 1)), "linewidth": 0}
        self.bands = [
            self.ax.fill_between(band.x, band.low, band.high, facecolor=color, zorder=1.8, **style)
            for band, color in drawn
        ]

    def _add(self, family: Family, entry: str | None, given: Style, of_mean: Any) -> Any:
        """Draw the curves of a family behind their mean, if there is one, or only that of groups.

        The legend entry is that of the mean, or of the first curve. Return the color.
        """
        look, place = self._look_of(family, entry)
        look["visible"] = of_mean is None or family[0].group is None
        for curve in family:
            label = entry if of_mean is None and curve is family[0] else None
            line = draw_line(self.ax, *curve.line, given, **look, label=label)
            if curve is family[0]:
                look = tell_apart(self.ax, line, given, look, place)
            own = {"color": look["color"], "alpha": look["alpha"], **self._of_points}
            self.lines.append(line)
            self.dots.append(draw_points(self.ax, *curve.points, **own))
        self._of_models[family[0].model] = look["color"]
        if of_mean is not None:
            look |= {"alpha": 1, "visible": True, "transform": self.ax.transData}
            self._add_mean(of_mean, entry, given, **look)
        return look["color"]

    def _add_mean(self, line: Line, entry: str | None, given: Style, **look: Any) -> None:
        look |= {"label": entry, "linewidth": 2.5, "zorder": 2.1}
        self.means.append(draw_line(self.ax, *line, given, **look))

    def _look_of(self, family: Family, entry: str | None) -> tuple[dict[str, Any], int]:
        """Return the style of the curves of a family, and the place of their definition.

        Groups without a legend entry are gray.
        """
        first = family[0]
        look: dict[str, Any] = {"alpha": 1, "transform": self._bent}
        if len(family) > 1:
            look |= {"alpha": 0.4, "linewidth": 0.8}
        if first.has_levels:  # a mark at each recall level instead of a line
            look |= {"linestyle": "none", "marker": _SHAPES[0]}
            look["markersize"] = 6 if has_few_levels(first) else 2
        if entry is None:
            look |= {"color": ink(self.ax, 0.3), "linewidth": 0.7}
        if len(self._of_models) > 1:
            color = self._of_models[first.model]
            return look if color is None else look | {"color": color}, 0
        return look, self._rules.index(first.label) if first.label in self._rules else 0

    def fill(self, curves: Sequence[Any], given: Style) -> Sequence[PolyCollection]:
        """Draw the area under each curve if it is the value, but not on a logarithmic axis."""
        # A user who styles an area wants to see it.
        seen = self.ax.get_xscale() != "log" and (self.alone or bool(given))
        style: dict[str, Any] = {"label": _AREA + (_AS_ASKED if given else "")}
        # so that a band is visible above the area
        style["alpha"] = 0.2 / len(curves) / (3 if self.bands else 1)
        areas = []
        for curve, line in zip(curves, self.lines, strict=True):
            x, y = curve.edge
            style |= {"visible": seen and curve.is_value}
            style |= {"facecolor": line.get_color(), "edgecolor": line.get_color()}
            style |= {"linewidth": 0.5 if has_few_levels(curve) else 0.0}
            style |= {"rasterized": x.size > _RASTER}
            look = styled(PolyCollection, given, **style)
            areas.append(self.ax.fill_between(x, 0, y, **look))
        return areas

    def mark(self, marks: Iterable[tuple[Mark, tuple[float, float]]]) -> list[Line2D]:
        """Draw a large mark at the place of each operating point, and describe it in the legend.

        It has the color of its curve, or is gray if it is on several.
        """
        colors = {line.get_color() for line in self.lines}
        color = colors.pop() if len(colors) == 1 else ink(self.ax, 0.7)
        style: dict[str, Any] = {"linestyle": "none", "markersize": 8, "zorder": 2.5}
        style |= {"markeredgecolor": ink(self.ax)}
        lines = []
        for (mark, (x, y)), marker in zip(marks, cycle(_MARKERS), strict=False):
            own = {"color": color if mark.model is None else self._of_models[mark.model]}
            own |= {"marker": marker, "label": _label_of(mark)}
            lines.append(draw_line(self.ax, [x], [y], None, **style, **own))
        return lines


def _label_of(mark: Mark) -> str:
    """Describe a mark. If it was chosen on other samples, it shows what happens on these."""
    found = f"precision {short(mark.precision)}, recall {short(mark.recall)}"
    if not mark.flagged_share:
        found = "nothing is flagged"
    here = "" if mark.is_of_these else " on these samples"
    name = f"{mark.name}, " if mark.name else ""
    return _kept(f"{name}threshold {mark.point.shown}{here}: {found}")


def make_room(ax: Axes) -> bool:
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


def draw_line(ax: Axes, x: Any, y: Any, given: Style, **defaults: Any) -> Line2D:
    (line,) = ax.plot(x, y, **styled(Line2D, given, **defaults))
    return line


def draw_points(ax: Axes, x: Array, y: Array, given: Style, most: int, **defaults: Any) -> Line2D:
    """Draw the operating points, which are hidden by default if there are more than `most`."""
    apart: Any = slice(None)
    if x.size > _ALL_MARKED:
        spot = np.rint(_APART * x) + 1j * np.rint(_APART * y / (y.max() or 1))
        apart = np.sort(np.unique(spot, return_index=True)[1])
    defaults |= {"linestyle": "none", "marker": "o", "markersize": 3, "zorder": 1.95}
    defaults["visible"] = x.size <= most
    defaults["label"] = _DOTS + (_AS_ASKED if given else "")
    return draw_line(ax, x[apart], y[apart], given, **defaults)


def draw_reference(
    ax: Axes, label: str, line: Line, given: Style, name: str | None, **style: Any
) -> Line2D:
    """Draw a reference line once, or if several displays differ in it, one for each of them."""
    drawn = [each for each in ax.lines if str(each.get_label()).startswith(label)]
    for each in drawn:
        x, y = map(np.asarray, each.get_data())
        if np.allclose(np.interp(x, *line), y, rtol=0, atol=ROUNDING):
            if not given:
                return each
            each.set_label(None)  # the new line is drawn above this one
            drawn = []
    if drawn and name is not None:
        label = literal(f"{label} of {name}")
    defaults: dict[str, Any] = {"color": ink(ax), "linestyle": "--", "linewidth": 1, "zorder": 1.9}
    return draw_line(ax, *line, given, label=label, **defaults | style)


def dense(x: Any, y: Any, first: float) -> Line:
    """Add points between the corners of a line, starting at `first`. `x` must not decrease.

    A logarithmic axis cannot show 0, and connects corners by lines that are straight only on it.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    more = np.geomspace(first, 1, _N_BENT)
    after = np.searchsorted(x, more, side="right")
    inside = (after > 0) & (after < x.size)
    more, after = more[inside], after[inside]
    before = after - 1
    along = (more - x[before]) / (x[after] - x[before])
    return np.insert(x, after, more), np.insert(
        y, after, y[before] + along * (y[after] - y[before])
    )


class Straight(Transform):
    """The identity transform, which adds points to lines, so that scales can bend them."""

    input_dims = output_dims = 2

    def __init__(self, first: float) -> None:
        super().__init__()
        self._first = first

    def transform_path_non_affine(self, path: Path) -> Path:
        x, y = np.asarray(path.vertices).T
        return Path(np.column_stack(dense(x, y, self._first)))

    def inverted(self) -> Transform:
        return self


# --- axes -----------------------------------------------------------------------------------------


def finish_axes(ax: Axes, despine: bool) -> None:
    """Remove spines, and add a legend outside of the axes, where it can't cover anything.

    Entries are sorted by how far in front they are drawn, so the reference lines come last.
    """
    if despine:
        ax.spines[["top", "right"]].set_visible(False)
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    # Chosen points are drawn above the curves, but come after the curve that they belong to.
    order = np.argsort([-min(handle.get_zorder(), 2) for handle in handles], kind="stable")
    entries = [handles[i] for i in order], [_broken(labels[i]) for i in order]
    is_long = len(labels) > _MANY or max(map(len, labels)) > _LONG
    before, figure = ax.get_legend(), _figure_of(ax)
    style: dict[str, Any] = {"loc": "upper left"}  # which takes less time than the best place
    legend = ax.legend(*entries, **style, fontsize="small" if is_long else None)
    size = _size(legend)
    if figure.get_gid() == _OURS:
        was_ours = before is not None and before.get_gid() == _OURS
        _grow(ax, legend, size, taken=_room(_size(before)) if was_ours else 0.0)
    elif ax.get_subplotspec() is None:  # axes that were placed by hand
        _place_legend(legend, is_beside=bool(_room(size)[0]))
    else:
        free = _free(ax)
        for smaller in _SMALLER:
            if size[1] > free[1]:
                legend = ax.legend(*entries, **style, fontsize=smaller)
                size = _size(legend)
        beside, below = np.maximum(free - np.diag(size), 0)
        is_square = ax.get_aspect() != "auto"
        area = np.min if is_square else np.prod
        is_beside = bool(area(beside) >= area(below))
        width, height = beside if is_beside else below
        if is_square and width < height + _SLACK:  # no layout would find its place
            ax.set_aspect("auto")
        _place_legend(legend, is_beside)
        if figure.get_layout_engine() is None:
            _make_room(ax, legend)
    legend.set_gid(_OURS)


def _figure_of(ax: Axes) -> Any:
    """Return the figure that axes are in, of which they may be in a part."""
    return ax.figure.figure


def _place_legend(legend: Any, is_beside: bool, loc: str = "upper left") -> float:
    """Place a legend beside its axes, at `loc`, or below them and the labels of the x-axis.

    Return the height of these labels in inches. Figures grow by the legend's `_size`, so any larger
    offset than here makes the axes smaller.
    """
    ax = legend.axes
    labels = ax.xaxis.get_tightbbox()  # tick labels and the axis label
    height = 0.0 if labels is None else (ax.bbox.y0 - labels.y0) / ax.figure.dpi
    if is_beside:
        anchor = (1.0, 1.0 if loc == "upper left" else 0.5)
        offset = (_PAD, 0.0)  # because the last tick label reaches beyond the axes
    else:
        loc, anchor, offset = "upper center", (0.5, 0.0), (0.0, -height)
    legend.set_loc(loc)
    inches = ScaledTranslation(*offset, ax.figure.dpi_scale_trans)
    legend.set_bbox_to_anchor(anchor, ax.transAxes + inches)
    return float(height)


def _grow(ax: Axes, legend: Any, size: Array, taken: Array | float) -> None:
    """Let a figure grow by its legend, which replaces one that took this room."""
    figure, room = _figure_of(ax), _room(size)
    used = _place_legend(legend, is_beside=bool(room[0]))
    width, height = figure.get_size_inches() - taken + room
    least = size[1] + used + _PAD
    figure.set_size_inches(width, max(height, least))
    if room[0] and ax.get_aspect() != "auto" and size[1] > (_free(ax) - room).min():
        # Square axes stay in the middle of a figure that is higher than they are.
        _place_legend(legend, is_beside=True, loc="center left")


def _broken(entry: str) -> str:
    """Break a long legend entry into lines, but not within a value, an interval or `\\$`."""
    kept = re.sub(
        r"\S+ = |\S+% \S+ to |\d+ group.*|precision \S+ recall \S+|threshold (?=[\d.])",
        lambda part: part[0].replace(" ", "\0"),
        entry,
    )
    lines = _wrapped(kept.replace(r"\$", "\1"), _TOO_LONG)
    return lines.replace("\0", " ").replace("\1", r"\$")


def _size(legend: Any) -> Array:
    """Return width and height of a legend in inches."""
    return np.asarray(legend.get_window_extent().size / legend.figure.dpi + _PAD)


def _room(size: Array) -> Array:
    """Return how many inches a legend takes: beside the axes if it is tall, or else below."""
    width, height = size
    return np.array([width, 0.0] if 2 * height > width else [0.0, height])


def _free(ax: Axes) -> Array:
    """Return the width and the height, in inches, that axes and their legend can share."""
    whole, spec = np.array(ax.figure.bbox.size) / ax.figure.dpi, ax.get_subplotspec()
    if spec is not None:
        rows, columns = spec.get_gridspec().get_geometry()
        whole = whole * (len(spec.colspan) / columns, len(spec.rowspan) / rows)
    return np.asarray(whole - _LABELS)


def _make_room(ax: Axes, legend: Any) -> None:
    """Make room for a legend once, so that the caller can still arrange the axes in any way."""
    figure = _figure_of(ax)
    is_plain = ax.figure is figure
    # Without a rectangle, the layout is computed in one pass instead of two.
    engine: Any = TightLayoutEngine(rect=None) if is_plain else ConstrainedLayoutEngine()  # type: ignore[arg-type]
    with catch_warnings():
        simplefilter("ignore", UserWarning)  # of axes that are placed by hand, or too small
        for turn in range(3):  # square axes come closer to their final size each time
            box, labels = legend.get_window_extent(), ax.yaxis.get_tightbbox()
            is_inside = box.x1 < figure.bbox.x1 and box.y0 > figure.bbox.y0
            if labels is not None:  # of which one may have been broken
                is_inside &= labels.x0 > figure.bbox.x0
            if is_inside and (turn or len(figure.axes) == 1):
                break
            engine.execute(figure)
            ax.apply_aspect()


# --- intervals of several models ------------------------------------------------------------------


def panels(count: int, names: Sequence[str], labels: Sequence[str]) -> Any:
    """Return new axes next to each other, for intervals with these names, and labels below."""
    n_columns = min(count, _IN_A_ROW)
    lines = [_wrapped(name).split("\n") for name in names]
    wide = 0.3 + 0.08 * max(len(line) for each in lines for line in each)
    between = 0.15 if len(names) <= _DOZEN else 0.06
    tall = (0.15 * max(map(len, lines)) + between) * len(names)
    below = 0.45 + 0.17 * len("\n".join(map(_wrapped, labels)).split("\n"))
    each = max(2.2, (6.4 - wide) / n_columns), below + tall
    return _new_axes(count, n_columns, each, wide, sharey=True)


def panels_over_time(count: int) -> Any:
    """Return new axes for lines over time, one below the other unless they are many."""
    n_columns = 1 if count <= _IN_A_ROW else 2
    return _new_axes(count, n_columns, (6.4 if n_columns == 1 else 4.8, 2.4), sharex=True)


def _new_axes(
    count: int, n_columns: int, each: tuple[float, float], besides: float = 0.0, **shared: bool
) -> Any:
    import matplotlib.pyplot as plt

    n_rows = -(-count // n_columns)
    size = besides + n_columns * each[0], n_rows * each[1]
    style: dict[str, Any] = {"squeeze": False, "layout": "constrained", **shared}
    axes = plt.subplots(n_rows, n_columns, figsize=size, **style)[1].ravel()
    for ax in axes[count:]:
        ax.remove()
    return axes[:count]


def draw_intervals(
    ax: Axes,
    names: Sequence[str],
    intervals: Sequence[tuple[float, float, float]],
    of_baseline: float | None,
    xlabel: Sequence[str],
) -> ErrorbarContainer:
    """Draw values with their ends from top to bottom, next to their names."""
    value, low, high = np.transpose(intervals)
    y, reach = -np.arange(len(names)), np.maximum((value - low, high - value), 0)
    drawn = ax.errorbar(value, y, xerr=reach, fmt="o", capsize=3, color=_COLORS[0])
    if of_baseline is not None:
        ax.axvline(of_baseline, color=ink(ax, 0.5), linestyle="--", linewidth=1, zorder=1)
    ax.set(ylim=(y[-1] - 0.5, 0.5), xlabel="\n".join(map(_literal_text, xlabel)))
    ax.set_yticks(y, list(map(_literal_text, names)))
    return drawn


def draw_over_time(
    ax: Axes,
    times: Sequence[Any],
    intervals: Sequence[tuple[float, float, float]],
    of_all: float | None,
    label: Sequence[str],
) -> ErrorbarContainer:
    """Draw values as a line over time, with a band between their ends."""
    value, low, high = np.transpose(intervals)
    drawn = ax.errorbar(times, value, fmt="o-", markersize=3, color=_COLORS[0])
    ax.fill_between(times, low, high, color=_COLORS[0], alpha=0.2, linewidth=0)
    if of_all is not None:
        ax.axhline(of_all, color=ink(ax, 0.5), linestyle="--", linewidth=1, zorder=1)
    ax.set_ylabel("\n".join(map(_literal_text, label)))
    locator: Any = AutoDateLocator(maxticks=6)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    return drawn


class _LabelWrapper(TextWrapper):
    """Break lines at spaces, and within names only after a mark such as "_" if one is there."""

    wordsep_simple_re = re.compile(r"(\s+|(?<=\w[_/-])(?=\w)|(?<=[^\W\d]\.)(?=[^\W\d]))")


def _wrapped(name: str, width: int = _OF_PANEL) -> str:
    return "\n".join(_LabelWrapper(width, break_on_hyphens=False).wrap(name))


def _literal_text(name: str) -> str:
    return literal(_wrapped(name))
