"""Curves in axes, with their means, bands, marks and legends. This imports matplotlib."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import cycle, pairwise, product, zip_longest
from typing import Any

import numpy as np
from matplotlib import rcParams, rcParamsDefault
from matplotlib.artist import Artist, getp
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.style import library
from matplotlib.transforms import Transform

from .._inputs.metric_names import lower_first
from .._show.figures import (
    COLORS,
    choose_gray,
    escape_dollars,
    keep_underscore,
    wrap_label,
)
from .._show.results import format_ends
from ..core.ragged import Array, is_first
from ..core.rankings import average_defined
from ..core.tolerances import ROUNDING_TOLERANCE
from .base import (
    Band,
    Bundle,
    Curve,
    Line,
    Mark,
    Style,
    Styles,
    bundle_curves,
    choose_positions,
    select_defined,
)

SEEN = 200  # the dots of more operating points are hidden, as they would look like a thick line
SEEN_IN_COMPANY = 50  # the same limit for each of several displays in the same axes
_STYLES, _SHAPES = ("-", "--", "-.", ":"), ("s", "D", "^", "v")  # of lines, and of recall levels
_MARKERS = ("D", "s", "^", "v", "P", "X", "o")
_N_BENT = 200  # points of a line that a logarithmic axis bends
_MANY, _COLUMNS = 20_000, 2000  # lines of more points than this are thinned, in so many columns
_ALL_MARKED = 1000  # if there are more points than this, those that would overlap share a dot
_APART = 200  # how many dots fit next to each other along an axis
_MOST_GROUPS = 10  # up to this many groups have their own color and legend entry
_RASTER = 10_000  # areas with more corners than this are rasterized in vector graphics
_LONG = 45  # characters in a line of a legend
_LONG_NUMBER = 5  # longer thresholds are rounded to three digits
# The same and the size of letters in axes of the caller, until the legend fits into them
_SHORTER: tuple[tuple[int, str], ...] = (
    *((_LONG, "small"), (30, "small"), (30, "x-small"), (20, "x-small"), (20, "xx-small")),
)
_MOST_LINES = 3  # of a legend, which has columns for more entries
_LEGEND_GAP = 0.5  # below a legend, as a fraction of the size of its font
_POINTS = 72  # in an inch
_OURS = "sklearn_ap"  # the gid of figures that displays create

# Legends ignore labels that start with "_". A display recognizes by them what another display drew
# in the same axes, and whether the user asked for it.
_AREA, _DOTS, _AS_ASKED = "_area", "_operating points", ", as asked"


# --- looks ----------------------------------------------------------------------------------------


def tell_apart(
    ax: Axes, line: Line2D, user_style: Style, look: Mapping[str, Any], place: int
) -> dict[str, Any]:
    """Give a line a color and a line style that no other line in the axes has. Return its look.

    Whatever the user set stays, and `look` is what the display has set. Definitions have a `place`,
    by which their line styles differ although their colors do, too.
    """
    set_by_user = merge_styles(Line2D, user_style)
    others: list[Any] = [drawn for drawn in ax.lines if drawn is not line]
    lines_before = [drawn for drawn in others if not str(drawn.get_label()).startswith(_DOTS)]
    has_color = "color" in set_by_user or "color" in look
    if not has_color and _is_by_default(line.get_color()):
        taken = [to_hex(drawn.get_color()) for drawn in lines_before]
        line.set_color(min(COLORS, key=taken.count))  # the one that is taken least often
    color = to_hex(line.get_color())
    if color in COLORS:
        place += COLORS.index(color) // 8  # the last four get another line style
    is_line = line.get_linestyle() != "None"
    key, styles = ("linestyle", _STYLES) if is_line else ("marker", _SHAPES)
    if key not in set_by_user and getp(line, key) == styles[0]:
        taken = [getp(drawn, key) for drawn in lines_before if to_hex(drawn.get_color()) == color]
        place %= len(styles)
        from_place = [*styles[place:], *styles[:place]]
        line.set(**{key: min(from_place, key=taken.count)})
    return {**look, "color": line.get_color(), key: getp(line, key)}


def _is_by_default(color: Any) -> bool:
    """Whether a color is that of matplotlib's own cycle, or of its style for dark backgrounds."""
    cycle_now = rcParams["axes.prop_cycle"]
    own_cycles = [each["axes.prop_cycle"] for each in (rcParamsDefault, library["dark_background"])]
    return cycle_now in own_cycles and color in cycle_now.by_key()["color"]


def has_few_levels(curve: Curve) -> bool:
    return curve.has_levels and curve.line[0].size < 30


def merge_styles(kind: type[Artist], user_style: Style, **defaults: Any) -> dict[str, Any]:
    """Return the defaults, overridden by what the caller sets under any alias."""
    return defaults | normalize_kwargs(dict(user_style or {}), kind)


# --- legend entries, with as many digits as they need ---------------------------------------------


def format_fraction(share: float) -> str:
    """Format a fraction with two decimals, or with two significant digits if it is small."""
    if share >= 0.1 or not share:
        return f"{share:.2f}"
    return np.format_float_positional(share, precision=2, fractional=False, trim="-")


def compute_bundle_mean(bundle: Bundle) -> float:
    """Return the mean of the values of a bundle, without undefined ones."""
    return average_defined(np.array([curve.value for curve in bundle]))


def format_legend_entry(bundle: Bundle, band: Band | None, groups: str, name: str | None) -> str:
    """Return the legend entry of a curve, or of the mean over folds or groups.

    `groups` is what the groups are called, such as "groups (class)", and `name` that of the only
    model, if it has one.
    """
    first = bundle[0]
    if first.model is not None:
        name = str(first.model)
    values = [
        compute_bundle_mean(unit) for unit in map(select_defined, bundle_curves(bundle)) if unit
    ]
    label = first.label if first.group is None else _name_mean(first.label)
    entry = f"{label} = {average_defined(np.array(values)):.{first.places}f}"
    if first.group is None and len(bundle) > 1:  # folds
        deviation = np.std([curve.value for curve in select_defined(bundle)] or [np.nan])
        entry += f" +/- {deviation:.{first.places}f}"
    if band is not None:
        entry += f", {100 * band.confidence_level:g}% {format_ends(*band.interval, first.places)}"
    if first.group is not None:
        if len(values) == 1:
            groups = groups.replace("groups", "group", 1)
        count = f"{len(values)} {groups}"
        entry += f" ({count})" if name is None else f", {count}"
    return keep_underscore(entry if name is None else f"{name} ({entry})")


def _name_mean(label: str) -> str:
    """Return what a mean over groups is called, such as "MAP@10" or "Mean precision@10"."""
    if "AP" in label:
        return label.replace("AP", "MAP", 1)
    return f"Mean {lower_first(label)}"


def compute_mean_line(curves: Bundle, spots: Array | None) -> Line | None:
    """Return the mean over groups of the mean over folds, at the positions `spots`.

    Without spots, it is at the recall levels that the curves are drawn at. It is None if no curve
    is defined.
    """
    x = max((curve.line[0] for curve in curves), key=len) if spots is None else spots

    def heights(curve: Curve) -> Array:
        has_levels = spots is None and curve.line[0].size  # curves without positives have none
        return curve.line[1] if has_levels else curve.height(x)

    of_bundles = [select_defined(bundle) for bundle in bundle_curves(curves)]
    means = [sum(map(heights, bundle)) / len(bundle) for bundle in of_bundles if bundle]
    return (x, np.asarray(sum(means) / len(means))) if means else None


def _split_styles(curve_kwargs: Styles, count: int) -> list[Any]:
    """Return a dict or None for each curve, from a single one of these or a list of them."""
    is_one = curve_kwargs is None or isinstance(curve_kwargs, Mapping)
    styles: list[Any] = [curve_kwargs] * count if is_one else list(curve_kwargs or ())
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

    def __init__(self, ax: Axes | None, *labels: str):
        if ax is None:
            import matplotlib.pyplot as plt

            figure, ax = plt.subplots(layout=_Layout(compress=True))
            figure.set_gid(_OURS)
        for axis, label in zip((ax.xaxis, ax.yaxis), labels, strict=True):
            lines = axis.get_label_text().splitlines() if ax.has_data() else []
            lines.append(escape_dollars(label))
            axis.set_label_text("\n".join(dict.fromkeys(lines)), wrap=True)
        self.ax, self.alone = ax, not make_room(ax)  # whether nothing else is in the axes
        self.lines: list[Line2D] = []
        self.dots: list[Line2D] = []
        self.means: list[Line2D] = []

    def draw(
        self,
        curves: Bundle,
        bands: Sequence[Band],
        spots: Array,
        first: float,
        name: str | None,
        groups: str,
        curve_kwargs: Styles,
        points_kwargs: Style,
    ) -> None:
        """Draw the curves of a display on their scale, with their bands, and their means at spots.

        On a logarithmic axis, lines start at `first`. There are no bands, or one for each bundle of
        curves with the same label and model, in their order.
        """
        ax, grouped = self.ax, curves[0].group is not None
        bundles = bundle_curves(curves, "label", "model")
        shows_groups = grouped and len(bundles) == 1  # of several bundles, only the means
        if shows_groups:
            bundles = bundle_curves(curves)
        self.alone = self.alone and len({curve.model for curve in curves}) == 1
        most = SEEN if self.alone else SEEN_IN_COMPANY
        if grouped or len(bundles) < len(curves):  # groups or folds
            self.alone, most = False, 0
        self._of_points: dict[str, Any] = {"user_style": points_kwargs, "most": most}
        if len({curve.label for curve in curves}) > 1:  # they share their operating points
            self._of_points["color"] = choose_gray(ax, 0.7)
        self._bent = Straight(first) + ax.transData
        self._labels = list(dict.fromkeys(curve.label for curve in curves if not curve.has_levels))
        self._color_of: dict[Any, Any] = dict.fromkeys(curve.model for curve in curves)
        styles = _split_styles(curve_kwargs, len(bundles))
        if shows_groups:
            for bundle, user_style in zip(bundles, styles, strict=True):
                entry = None
                if len(bundles) <= _MOST_GROUPS:
                    value = f"{compute_bundle_mean(bundle):.{bundle[0].places}f}"
                    entry = keep_underscore(f"{bundle[0].group}: {value}")
                self._add(bundle, entry, user_style, None)
            colors = [choose_gray(ax)]
            if line := compute_mean_line(curves, spots):
                entry = format_legend_entry(curves, next(iter(bands), None), groups, name)
                self._add_mean(line, entry, None, color=colors[0])
        else:
            colors = []
            for bundle, band, user_style in zip_longest(bundles, bands, styles):
                entry, line = format_legend_entry(bundle, band, groups, name), None
                if grouped or len(bundle) > 1:
                    line = compute_mean_line(bundle, None if bundle[0].has_levels else spots)
                colors.append(self._add(bundle, entry, user_style, line))
        self._draw_bands(list(zip(bands, colors, strict=False)))
        _show_all_dots_or_none(ax)

    def _draw_bands(self, drawn: Sequence[tuple[Band, Any]]) -> None:
        """Draw bands so faintly that curves stay visible below all of them, with edges that tell
        overlapping bands apart.
        """
        alpha = min(0.15, 1 / max(len(drawn), 1))
        style: dict[str, Any] = {"linewidth": 0.8, "zorder": 1.8}
        self.bands = []
        for band, color in drawn:
            x, low, high = thin_points(band.x, band.low, band.high)
            style |= {"facecolor": (color, alpha), "edgecolor": (color, 0.6)}
            self.bands.append(self.ax.fill_between(x, low, high, **style))

    def _add(self, bundle: Bundle, entry: str | None, user_style: Style, of_mean: Any) -> Any:
        """Draw the curves of a bundle behind their mean, if there is one, or only that of groups.

        The legend entry is that of the mean, or of the first curve. Return the color.
        """
        look, place = self._choose_look(bundle, entry)
        look["visible"] = of_mean is None or bundle[0].group is None
        for curve in bundle:
            label = entry if of_mean is None and curve is bundle[0] else None
            line = draw_line(self.ax, *curve.line, user_style, **look, label=label)
            if curve is bundle[0]:  # whose color and line style the others then have
                look = tell_apart(self.ax, line, user_style, look, place)
            style = {"color": look["color"], "alpha": look["alpha"], **self._of_points}
            self.lines.append(line)
            self.dots.append(draw_points(self.ax, *curve.points, **style))
        self._color_of[bundle[0].model] = look["color"]
        if of_mean is not None:
            look |= {"alpha": 1, "visible": True, "transform": self.ax.transData}
            self._add_mean(of_mean, entry, user_style, **look)
        return look["color"]

    def _add_mean(self, line: Line, entry: str | None, user_style: Style, **look: Any) -> None:
        look |= {"label": entry, "linewidth": 2.5, "zorder": 2.1}
        self.means.append(draw_line(self.ax, *line, user_style, **look))

    def _choose_look(self, bundle: Bundle, entry: str | None) -> tuple[dict[str, Any], int]:
        """Return the style of the curves of a bundle, and the place of their definition.

        Groups without a legend entry are gray.
        """
        first = bundle[0]
        look: dict[str, Any] = {"alpha": 1, "transform": self._bent}
        if len(bundle) > 1:
            look |= {"alpha": 0.4, "linewidth": 0.8}
        if first.has_levels:  # a mark at each recall level instead of a line
            look |= {"linestyle": "none", "marker": _SHAPES[0]}
            look["markersize"] = 6 if has_few_levels(first) else 2
        if entry is None:
            look |= {"color": choose_gray(self.ax, 0.3), "linewidth": 0.7}
        if len(self._color_of) > 1:  # models, of which this may be the first curve
            if self._color_of[first.model] is not None:
                look["color"] = self._color_of[first.model]
            return look, 0
        return look, self._labels.index(first.label) if first.label in self._labels else 0

    def fill(self, curves: Sequence[Any], user_style: Style) -> Sequence[PolyCollection]:
        """Draw the area under each curve if it is the value, but not on a logarithmic axis."""
        # A user who styles an area wants to see it.
        is_seen = self.ax.get_xscale() != "log" and (self.alone or bool(user_style))
        alpha = 0.2 / len(curves)
        if self.bands:
            alpha /= 3  # so that they are visible above the areas
        areas = []
        for curve, line in zip(curves, self.lines, strict=True):
            x, y = curve.edge
            look = merge_styles(
                PolyCollection,
                user_style,
                label=_AREA + (_AS_ASKED if user_style else ""),
                alpha=alpha,
                visible=is_seen and curve.is_value,
                facecolor=line.get_color(),
                edgecolor=line.get_color(),
                linewidth=0.5 if has_few_levels(curve) else 0.0,
                rasterized=x.size > _RASTER,
            )
            drawn_x, drawn_y = thin_points(x, y)
            areas.append(self.ax.fill_between(drawn_x, 0, drawn_y, **look))
        return areas

    def mark(self, marks: Iterable[tuple[Mark, tuple[float, float]]]) -> list[Line2D]:
        """Draw a large mark at the place (x, y) of each operating point, with a legend entry.

        It has the color of its curve, or is gray if it is on several.
        """
        colors = {line.get_color() for line in self.lines}
        is_on_several = len(self._color_of) == 1 and len(colors) > 1
        style: dict[str, Any] = {"linestyle": "none", "markersize": 8, "zorder": 2.5}
        style["markeredgecolor"] = choose_gray(self.ax)
        lines = []
        for (mark, (x, y)), marker in zip(marks, cycle(_MARKERS), strict=False):
            color = choose_gray(self.ax, 0.7) if is_on_several else self._color_of[mark.model]
            style["color"] = color
            style["marker"], style["label"] = marker, _format_mark(mark)
            lines.append(draw_line(self.ax, [x], [y], None, **style))
        return lines

    def refer(
        self, label: str, line: Line, user_style: Style, name: str | None, **style: Any
    ) -> Line2D:
        """Draw a line to compare with once, or if several displays differ in it, once for each.

        Its legend entry is `label`, with the name or the number of the model if another model's
        line is there.
        """
        ax = self.ax
        other_lines = [drawn for drawn in ax.lines if str(drawn.get_label()).startswith(label)]
        for drawn in other_lines:
            other: Any = drawn.get_data()
            x = np.union1d(other[0], line[0])
            heights = np.interp(x, *line), np.interp(x, *other)
            if np.allclose(*heights, rtol=0, atol=ROUNDING_TOLERANCE):
                if not user_style:
                    return drawn
                drawn.set_label(None)  # the new line is drawn above this one
                other_lines = []
        if other_lines:
            whose = f"of {name}" if name is not None else str(1 + len(other_lines))
            label = escape_dollars(f"{label} {whose}")
        look = {"color": choose_gray(ax), "linestyle": "--", "linewidth": 1, "zorder": 1.9} | style
        return draw_line(ax, *line, user_style, label=label, transform=self._bent, **look)


def _format_mark(mark: Mark) -> str:
    """Describe a mark. If it was chosen on other samples, it shows what happens on these."""
    values = f"precision {format_fraction(mark.precision)}, recall {format_fraction(mark.recall)}"
    if not mark.flagged_share:
        values = "nothing is flagged"
    here = "" if mark.is_of_these else " on these samples"
    name = f"{mark.name}, " if mark.name else ""
    shown = mark.point.shown
    if len(shown) > _LONG_NUMBER:
        shown = f"{mark.point.threshold:.3g}"
    return keep_underscore(f"{name}threshold {shown}{here}: {values}")


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


def draw_line(ax: Axes, x: Any, y: Any, user_style: Style, **defaults: Any) -> Line2D:
    """Draw a line in the user's style, which has precedence over the defaults."""
    style = merge_styles(Line2D, user_style, **defaults)
    has_marks = style.get("marker") not in (None, "", "none", "None", " ")
    # The user wants a mark at each point.
    (line,) = ax.plot(*([x, y] if has_marks else thin_points(x, y)), **style)
    return line


def thin_points(x: Array, *heights: Array) -> list[Array]:
    """Leave out what no picture shows of lines with many points, whose x must not decrease.

    The first, the lowest, the highest and the last point of each column are left. Steps between
    them stay steps. Columns are narrow on a linear axis and on a logarithmic one.
    """
    if np.size(x) <= _MANY:
        return [x, *heights]
    positive = x[x > 0]
    edges = choose_positions(positive.min(initial=1.0), np.linspace(0, 1, _COLUMNS + 1), _COLUMNS)
    starts = np.unique([0, *np.searchsorted(x, edges)])
    left: set[int] = set()
    for start, stop in pairwise([*starts[starts < x.size].tolist(), x.size]):
        within = [y[start:stop] for y in heights]
        left |= {start, stop - 1}
        for y in within:
            left |= {start + int(y.argmin()), start + int(y.argmax())}
    of_x = of_heights = np.array(sorted(left))
    if not np.any(np.diff(x) * np.diff(heights[0])):  # all lines are horizontal or vertical
        corner = np.flatnonzero(np.diff(of_x) > 1) + 1
        of_heights = np.insert(of_heights, corner, of_heights[corner - 1])
        of_x = np.insert(of_x, corner, of_x[corner])
    return [x[of_x], *(y[of_heights] for y in heights)]


def draw_points(
    ax: Axes, x: Array, y: Array, user_style: Style, most: int, **defaults: Any
) -> Line2D:
    """Draw the operating points, which are hidden by default if there are more than `most`."""
    defaults |= {"linestyle": "none", "marker": "o", "markersize": 3, "zorder": 1.95}
    defaults["visible"] = x.size <= most
    defaults["label"] = _DOTS + (_AS_ASKED if user_style else "")
    if x.size > _ALL_MARKED:
        # Keep the first point in each cell of a grid; complex numbers are pairs of its coordinates.
        cell = np.rint(_APART * x) + 1j * np.rint(_APART * y / (y.max() or 1))
        entered = np.flatnonzero(is_first(cell))
        _, first_in_cell = np.unique(cell[entered], return_index=True)
        shown = entered[np.sort(first_in_cell)]
        x, y = x[shown], y[shown]
    return draw_line(ax, x, y, user_style, **defaults)


def _show_all_dots_or_none(ax: Axes) -> None:
    """Hide the dots of all curves if those of one are hidden, unless the user asked for them."""
    dots = [line for line in ax.lines if line.get_label() == _DOTS]
    for line in dots:
        line.set_visible(all(each.get_visible() for each in dots))


class Straight(Transform):
    """The identity transform, which adds points to lines, so that scales can bend them.

    A logarithmic axis cannot show 0, and connects corners by lines that are straight only on it. So
    the points are between the corners of a line, whose x must not decrease, and start at `first`.
    """

    input_dims = output_dims = 2

    def __init__(self, first: float) -> None:
        super().__init__()
        self._added_x = np.geomspace(first, 1, _N_BENT)

    def transform_path_non_affine(self, path: Path) -> Path:
        x, y = np.asarray(path.vertices, dtype=float).T
        after = np.searchsorted(x, self._added_x, side="right")  # the place of the next corner
        is_between = (after > 0) & (after < x.size)
        added_x, after = self._added_x[is_between], after[is_between]
        before = after - 1
        way = (added_x - x[before]) / (x[after] - x[before])  # from 0 to 1, between two corners
        added_y = y[before] + way * (y[after] - y[before])
        corners = np.insert(x, after, added_x), np.insert(y, after, added_y)
        return Path(np.column_stack(corners))

    def inverted(self) -> Transform:
        return self


# --- legends --------------------------------------------------------------------------------------


def add_legend(ax: Axes) -> None:
    """Add a legend, above the axes if the figure is a display's own, which grows by its height.

    Entries are sorted by how far in front they are drawn, so the reference lines come last.
    """
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    # Chosen points are drawn above the curves, but come after the curve that they belong to.
    order = np.argsort([-min(handle.get_zorder(), 2) for handle in handles], kind="stable")
    handles, labels = [handles[i] for i in order], [labels[i] for i in order]
    if ax.figure.get_gid() != _OURS:
        for length, size in _SHORTER:
            entries = [_break_entry(label, length) for label in labels]
            legend = ax.legend(handles, entries, loc="best", fontsize=size)
            if _fits(legend, ax):
                break
        return
    entries = [_break_entry(label, _LONG) for label in labels]
    before = _measure_height(ax.get_legend())
    above: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "frameon": False}
    above |= {"borderpad": 0, "borderaxespad": _LEGEND_GAP}
    most_columns = -(-len(entries) // _MOST_LINES)  # rounded up
    looks = [*product(("small", "x-small"), range(most_columns, 1, -1)), ("small", 1)]
    for size, n_columns in looks:  # until one is narrow enough
        legend = ax.legend(handles, entries, fontsize=size, ncols=n_columns, **above)
        if legend.get_window_extent().width <= ax.figure.bbox.width - ax.bbox.x0:
            break
    legend.set_gid(_OURS)
    figure = ax.figure.figure
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + _measure_height(legend) - before)


class _Layout(ConstrainedLayoutEngine):
    """The layout of a display's own figure, with its legend between the axes and their title.

    Callers often set the title when the legend is there already.
    """

    def execute(self, fig: Figure) -> None:
        for ax in fig.axes:
            legend = ax.get_legend()
            if legend is not None and legend.get_gid() == _OURS:
                gap = _LEGEND_GAP * float(legend.get_texts()[0].get_fontsize())
                height = gap + _POINTS * _measure_height(legend)
                _pad_titles(ax, rcParams["axes.titlepad"] + height)
        super().execute(fig)


def _pad_titles(ax: Axes, points: float) -> None:
    """Draw all three titles this far above the axes, which is set by the centered one."""
    title = ax.title
    look: dict[str, Any] = {
        "fontproperties": title.get_fontproperties().copy(),
        "color": title.get_color(),
        "verticalalignment": title.get_verticalalignment(),
        "horizontalalignment": title.get_horizontalalignment(),
    }
    y = title.get_position()[1]
    ax.set_title(title.get_text(), loc="center", pad=points, y=None if y == 1 else y, **look)


def _measure_height(legend: Legend | None) -> float:
    """Return the height in inches that a legend takes."""
    return 0.0 if legend is None else legend.get_window_extent().height / legend.figure.dpi


def _fits(legend: Legend, ax: Axes) -> bool:
    box, inside = legend.get_window_extent(), ax.get_window_extent()
    return bool(box.width < inside.width and box.height < inside.height)


def _break_entry(entry: str, length: int) -> str:
    """Break a long legend entry into lines, but not within a value, an interval or `\\$`."""
    # "\0" stands for a space, and "\1" for "\\$", where lines must not be broken.
    unbroken = re.sub(
        r"\S+ = |\S+% \S+ to |\d+ group.*|precision \S+ recall \S+|threshold (?=[\d.])",
        lambda match: match[0].replace(" ", "\0"),
        entry,
    )
    lines = wrap_label(unbroken.replace(r"\$", "\1"), length)
    return lines.replace("\0", " ").replace("\1", r"\$")
