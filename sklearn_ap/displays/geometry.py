"""Where the lines go: a definition's curve, and the area under it that is the number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._validation import check_existing, fill_with_zero
from ..core.cutoff import reached, top
from ..core.operating_points import OperatingPoints, from_scores
from ..core.rankings import Rankings
from ..core.rules import Area, AreaRule, precision_before
from ..core.segments import Array


@dataclass(frozen=True, eq=False)
class DrawnCurve:
    """One ranking as one definition sees it: arrays to draw, all on the same axes.

    Parameters
    ----------
    label : str
        The definition as the legend has it, such as "Step AP", "AP@10" or "AP@10 / hits".
    drawn : {"steps", "levels", "line"}
        How the curve runs, from the table of definitions.
    average_precision : float
        The number. It is the area under the corners.
    share : str
        What lies on the x axis: "Recall", but for AP@k positives found, divided by what AP@k is
        divided by.
    recall, precision : ndarray of shape (n_thresholds,)
        The operating points: one a distinct score, best score first.
    x, y : ndarray
        The curve; of "levels" one point for each level.
    corner_x, corner_y : ndarray
        The upper edge of the area, from left to right.
    group : object
        The group whose ranking this is, or None.
    """

    label: str
    drawn: str
    average_precision: float
    share: str
    recall: Array
    precision: Array
    x: Array
    y: Array
    corner_x: Array
    corner_y: Array
    group: Any = None


def curves_of(
    rankings: Rankings, rules: Sequence[AreaRule], drop_intermediate: bool
) -> tuple[list[DrawnCurve], float]:
    """A curve for each rule, or for each group and rule, and the share of positives, which is the
    mean over groups.
    """
    curves: list[DrawnCurve] = []
    names = (None,) if rankings.group is None else rankings.names or ()
    values = [values_of(rule, rankings) for rule in rules]
    each = points_of_each(rankings)
    for rule, of_rule in zip(rules, values, strict=True):
        for points, value, name in zip(each, of_rule.tolist(), names, strict=True):
            curves.append(trace(points, rule, drop_intermediate, value, name))
    held = [points for points in each if points.cum_total.size]
    shares = [points.cum_positives[-1] / points.cum_total[-1] for points in held]
    return curves, float(np.mean(shares))


def values_of(rule: AreaRule, rankings: Rankings) -> Array:
    """The value of each ranking, as the metric returns it."""
    points = check_existing(rankings.points(rule.depth), rankings)
    names = None if rankings.group is None else rankings.names
    return fill_with_zero(rule.values(points), names)


def points_of_each(rankings: Rankings) -> list[OperatingPoints]:
    """Every operating point of each group, or of the only ranking."""
    group, exist = rankings.group, rankings.n_positives
    if group is None:
        return [check_existing(rankings.curve()[0], rankings)]
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(1, len(rankings.names or ())))
    each = []
    for place, samples in enumerate(np.split(order, starts)):
        own = rankings.take(samples)
        points = from_scores(own.labels, own.scores, own.weight, every=True)
        each.append(points if exist is None else points.out_of(exist[place]))
    return each


def trace(
    points: OperatingPoints,
    rule: AreaRule,
    drop_intermediate: bool,
    value: float,
    group: Any = None,
) -> DrawnCurve:
    """The curve of a rule, with its value, through the operating points of one query."""
    depth = rule.depth
    if drop_intermediate and not (depth and depth.by_rows):  # rows have to be counted first
        points = points.where_positive()
    if depth is not None:
        points = reached(points, depth)
    if not points.n_positives.any():  # recall is 0/0: there is no place to draw anything at
        points = points.where_positive()
    area = rule.area(points)
    first, whole, share = points, points.n_positives, "Recall"
    if depth is not None:
        first, whole = top(points, depth).points, area.whole
        share = "Recall" if np.array_equal(whole, points.n_positives) else rule.share
    corners = _corners(area, rule, first)
    line = _levels(area) if rule.drawn == "levels" else corners
    if depth is not None:
        end = corners[0][-1:]
        line = np.append(line[0], end), np.append(line[1], np.zeros_like(end))
    return DrawnCurve(
        rule.label,
        rule.drawn,
        value,
        share,
        first.cum_positives / whole,
        first.precision,
        *line,
        *corners,
        group,
    )


def _corners(area: Area, rule: AreaRule, points: OperatingPoints) -> tuple[Array, Array]:
    """The upper edge of the area."""
    if rule.drawn == "levels":
        # Each of N levels has an N-th of the axis to itself. Its own recall l/(N-1) lies in there.
        _, height = _levels(area)
        edges = np.linspace(0, 1, height.size + 1)
        return np.repeat(edges, 4)[2:-2], np.outer(height, [0, 1, 1, 0]).ravel()
    edges = np.concatenate(([0.0], np.cumsum(area.width) / area.whole))
    left, right = area.height, area.height
    if rule.drawn == "line":
        left, right = precision_before(points), points.precision
    return np.repeat(edges, 2)[1:-1], np.stack((left, right), axis=1).ravel()


def _levels(area: Area) -> tuple[Array, Array]:
    """The recalls at which an N-point definition samples the envelope, and what it finds there."""
    height = np.zeros(area.whole.item())  # levels that are never reached count 0
    reached = np.repeat(area.height, area.width)
    height[: reached.size] = reached
    return np.linspace(0, 1, height.size), height
