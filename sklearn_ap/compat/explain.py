"""Show what every definition and every tool returns for some data, and why they differ."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import Column, Points, Scores, list_axes, load
from .._results import Printed, Result
from . import recipes
from .definitions import DEFINITIONS, MISTAKES, list_at_k
from .facts import find_reason
from .peers import name_tools, read_peers
from .recipes import Data, Mean, PeersOf, Recipe
from .transforms import UNKNOWN_ORDER, can_order_ties
from .wording import format_range, list_first

_DRAWN = ("step", "envelope", "linear", "11-point")
_MAX_PRINTED_LINES = 24  # before the last one
_LAST_LINE = "Not your value? identify() also tries what may be done to the data. k= adds AP@k."
_wrap = partial(wrap, width=100, break_on_hyphens=False)


@dataclass(frozen=True)
class Row:
    """One definition on your data. `low` and `high` differ if the order of ties is not known."""

    definition: str
    value: float
    low: float
    high: float
    difference: float  # the value minus that of step average precision
    tools: tuple[str, ...]
    why: str  # the reason for the difference


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """Result of :func:`explain`: print it, or use its `rows`.

    Attributes
    ----------
    title : str
        How many samples and positives there are.
    rows : tuple of Row
        One row for each definition, the most common first, with the attributes `definition`,
        `value`, `low`, `high`, `difference`, `tools` and `why`.
    """

    title: str
    rows: tuple[Row, ...]
    # The points of the curve that `plot` draws, None if there are several curves
    _points: Points | None = field(default=None, compare=False)

    def __str__(self) -> str:
        lines = [self.title, f"{'value':<16}  {'diff':>7}  definition, tools, and why it differs"]
        every_row = self._list_cells()
        for n_shown, (value, difference, names, tools, why) in enumerate(every_row):
            start = f"{value:<16}  {difference:>7}  "
            indent = " " * len(start)
            text = ": ".join(filter(None, [names, tools]))
            written = _wrap(text, initial_indent=start, subsequent_indent=indent)
            indent += "  "
            written += _wrap(why, initial_indent=indent, subsequent_indent=indent)
            if len(lines) + len(written) >= _MAX_PRINTED_LINES:
                lines.append(
                    f"{len(every_row) - n_shown} more, and all tools, are in `to_frame()`."
                )
                break
            lines += written
        return "\n".join([*lines, _LAST_LINE])

    def _print(self) -> Printed:
        header = ["value", "diff", "definition", "tools", "why it differs"]
        return Printed(header, [(self.title, self._list_cells())], [_LAST_LINE])

    def _list_cells(self) -> list[list[str]]:
        """List what has the same value, in a row for each one, and why it differs if that isn't in
        a row before.
        """
        cells, written = [], {""}
        for rows in recipes.group(self.rows, lambda row: format_range(row.low, row.high)).values():
            first = rows[0]
            has_difference = first.low == first.high and round(first.difference, 4) != 0
            tools = [*dict.fromkeys(tool for row in rows for tool in row.tools)]
            row = [
                format_range(first.low, first.high),
                f"{first.difference:+.4f}" if has_difference else "",
                list_first([row.definition for row in rows], 2, "; "),
                list_first(tools, 2) if tools else "",
                "" if first.why in written else first.why,
            ]
            written.add(first.why)
            cells.append(row)
        return cells

    def plot(self, axes: Any = None) -> Any:
        """Draw step, envelope, linear and 11-point average precision as areas, and return the first
        axis, whose `figure` has all four. To draw on axes of your own, pass four as `axes`.
        """
        points = self._points
        if points is None or not self.rows:
            raise ValueError("plot needs a single ranking with positives.")
        if axes is None:
            layout = {"figsize": (6, 6), "sharex": True, "sharey": True, "layout": "constrained"}
            _, axes = load("matplotlib.pyplot", "plot").subplots(2, 2, **layout)
        rows = {row.definition: row for row in self.rows}
        axes = list_axes(axes, len(_DRAWN))
        ends = np.column_stack((points.hits_above, points.cum_hits)).ravel()
        recall = np.minimum(ends / points.n_positives, 1)  # where each point's step starts and ends
        for ax, name in zip(axes, _DRAWN, strict=True):
            rule: Any = DEFINITIONS[name].rule
            height, (levels, heights), _ = rule.trace(points)
            if levels.size:  # equal bars at its recalls
                places = np.arange(levels.size) / levels.size
                ax.bar(places, heights, 0.9 / levels.size, align="edge", alpha=0.5)
            else:
                start = points.precision_above if rule.is_straight else height
                curve = np.column_stack((start, height)).ravel()
                ax.fill_between(recall, curve, alpha=0.3, linewidth=0)
                ax.plot(recall, curve)
            ax.set(xlabel="Recall", ylabel="Precision", xlim=(0, 1), ylim=(0, 1.02))
            ax.label_outer()
            tool = "".join(rows[name].tools[:1])
            ax.set_title(f"{name}: {rows[name].value:.3f}\n{tool}", loc="left", size="medium")
        return axes[0]


def explain(
    y_true: Column = None,
    y_score: Scores = None,
    *,
    k: float | None = None,
    average: str = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Explanation:
    """Show the value of each definition of average precision on your data, and why they differ.

    Each value is compared with step average precision, and each tool is listed at the value that it
    returns. If a tool ranks tied samples in an unknown order, its row has the range of values.

    Read more in :doc:`Which definition? </which_definition>`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    k : int or float, default=None
        A cutoff, which adds AP@k with every denominator, and what else tools compute at k.
    average : {'macro', 'micro', 'weighted', 'samples'}, default='macro'
        How values of classes, rows or groups are averaged.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    explanation : Explanation
        It prints as a table. `rows` and `to_frame()` have all tools, and `plot()` draws four areas.

    See Also
    --------
    identify : The definition of a value that somebody reports.
    audit : Which definition a function computes.

    Examples
    --------
    >>> from sklearn_ap.compat import explain
    >>> explain([0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]).rows[1].definition
    'linear'
    """
    known = recipes.read_data(
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )
    rows = _list_rows(known, k)
    title = f"Average precision: {recipes.describe_size(known.rankings)}"
    title += "" if rows else ". Without positives, no definition has a value."
    points = known.rank().points if known.rankings.average == "binary" else None
    return Explanation(title, tuple(rows), points)


def _list_rows(known: Data, k: float | None) -> list[Row]:
    """Return a row for each definition that is common, or that a tool reports of this data."""
    definitions = DEFINITIONS | MISTAKES | ({} if k is None else list_at_k(k))
    shown = [each for each in definitions.values() if each.is_average_precision]
    common = [Recipe(each) for each in shown if each.rarity <= 1 or each.rule.k is not None]
    usual = [peer for peer in read_peers() if not peer.is_setting]
    reported = recipes.list_reported(known, shown, usual)

    # Leave out transforms without an effect, and join the tools of what is then the same.
    peers_of: PeersOf = defaultdict(list)
    for recipe in dict.fromkeys([*reported, *common]):
        if known.is_defined(recipe.definition, recipe.transforms):
            peers_of[known.shorten(recipe)] += reported.get(recipe, [])

    places = {recipe: place for place, recipe in enumerate(common)}

    def find_place(recipe: Recipe) -> tuple[int, bool, int]:
        """Put what is common first, and then step if rankings without positives aren't 0."""
        is_other_mean = recipe.definition.term == "step" and recipe.mean != Mean.ZERO
        n_tools = len(name_tools(peers_of[recipe]))
        return places.get(recipe, len(common)), not is_other_mean, -n_tools

    step, _, _ = known.evaluate(Recipe(DEFINITIONS["step"]))[0].tolist()
    rows = []
    for recipe in sorted(peers_of, key=find_place):
        value, low, high = known.evaluate(recipe)[0].tolist()
        has_range = UNKNOWN_ORDER not in recipe.transforms or recipe.has_known_range
        if not has_range or not np.isfinite(value):
            continue
        why = recipe.definition.why
        if recipe.definition.term == "linear" and value > step and can_order_ties(known.rankings):
            why = "Straight lines join the points, which is too high for tied samples."
        plain = Recipe(recipe.definition)
        reasons = [""] if recipe != plain and plain in peers_of else [why]
        reasons += [find_reason("transforms", each.name) for each in recipe.transforms]
        reasons.append(find_reason("means", recipe.mean.value))
        tools = name_tools(peers_of[recipe])
        why = " ".join(filter(None, reasons))
        rows.append(Row(recipe.name, value, low, high, value - step, tools, why))
    return rows
