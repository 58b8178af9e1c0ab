"""Coordinates of the curve of each definition, and of the area under it, which is the value."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._finish import ZeroDivision, fill_undefined
from .._validation.samples import check_existing
from .._validation.warned import warn_of_weighed_k
from ..core.cutoff import reached, top
from ..core.operating_points import OperatingPoints, from_one_of_groups
from ..core.rankings import Rankings
from ..core.rules import Area, AreaRule
from ..core.segments import Array
from .families import families_of


@dataclass(frozen=True, eq=False)
class DrawnCurve:
    """The curve of one ranking by one definition, as arrays that share their axes.

    Parameters
    ----------
    label : str
        The definition, as the legend shows it, such as "Step AP", "AP@10" or "AP@10 / hits".
    drawn : {"steps", "levels", "line"}
        How the points of the curve are connected, from the table of definitions.
    value : float
        The value, which is the area under the corners.
    share : str
        The label of the x axis: "Recall", or for AP@k the positives found, divided by the
        denominator of AP@k.
    recall, precision : ndarray of shape (n_thresholds,)
        The operating points, one for each distinct score, highest score first.
    x, y : ndarray
        The curve; for "levels", one point for each level.
    corner_x, corner_y : ndarray
        The upper edge of the area, from left to right.
    group : object
        The group that was ranked, or None.
    model : object
        The name of the model, if there are several, or None.
    """

    label: str
    drawn: str
    value: float
    share: str
    recall: Array
    precision: Array
    x: Array
    y: Array
    corner_x: Array
    corner_y: Array
    group: Any = None
    model: Any = None


def curves_of(
    each: Sequence[Rankings],
    rules: Sequence[AreaRule],
    drop_intermediate: bool,
    zero_division: ZeroDivision,
    model: Any = None,
) -> tuple[list[DrawnCurve], float]:
    """Return the curves of each ranking, or each of its groups, and the mean share of positives."""
    curves: list[DrawnCurve] = []
    shares = []
    for rankings in each:
        names = (None,) if rankings.group is None else rankings.names or ()
        states = points_of_each(rankings)
        for rule in rules:
            values = values_of(rule, rankings, zero_division).tolist()
            for points, value, name in zip(states, values, names, strict=True):
                curve = _trace(points, rule, drop_intermediate, value, name)
                curves.append(replace(curve, model=model))
        held = [points for points in states if points.cum_total.size]
        shares.append(np.mean([p.cum_positives[-1] / p.cum_total[-1] for p in held]))
    return [curve for family in families_of(curves) for curve in family], float(np.mean(shares))


def values_of(rule: AreaRule, rankings: Rankings, zero_division: ZeroDivision) -> Array:
    """Return the value of each ranking, as the metric returns it."""
    points = check_existing(rankings.points(rule.depth), rankings)
    warn_of_weighed_k(rule.depth, rankings.queries.sample_weight)
    names = None if rankings.group is None else rankings.names
    return fill_undefined(rule.values(points), names, zero_division)


def points_of_each(rankings: Rankings) -> list[OperatingPoints]:
    """Return all operating points of each group, or of the only ranking."""
    group, exist = rankings.group, rankings.n_positives
    if group is None:
        return [check_existing(rankings.curve()[0], rankings)]
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(1, len(rankings.names or ())))
    each = []
    for place, samples in enumerate(np.split(order, starts)):
        own = rankings.take(samples)
        points = from_one_of_groups(own.labels, own.scores, own.weight, every=True)
        each.append(points if exist is None else points.out_of(exist[place]))
    return each


def _trace(
    points: OperatingPoints,
    rule: AreaRule,
    drop_intermediate: bool,
    value: float,
    group: Any,
) -> DrawnCurve:
    """Return the curve of a rule through the operating points of one ranking, with its value."""
    depth = rule.depth
    if drop_intermediate and not (depth and depth.by_rows):  # unless rows have to be counted first
        points = points.where_positive()
    if depth is not None:
        points = reached(points, depth)
    if not points.n_positives.any():  # recall is 0/0, so nothing can be drawn
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
    """Return the upper edge of the area."""
    if rule.drawn == "levels":
        # Each of N levels takes one N-th of the axis, which contains its own recall l/(N-1).
        _, height = _levels(area)
        edges = np.linspace(0, 1, height.size + 1)
        return np.repeat(edges, 4)[2:-2], np.outer(height, [0, 1, 1, 0]).ravel()
    edges = np.concatenate(([0.0], np.cumsum(area.width) / area.whole))
    left, right = area.height, area.height
    if rule.drawn == "line":
        left, right = points.precision_above, points.precision
    return np.repeat(edges, 2)[1:-1], np.stack((left, right), axis=1).ravel()


def _levels(area: Area) -> tuple[Array, Array]:
    """Return the recalls at which an N-point definition reads the envelope, and its heights."""
    height = np.zeros(area.whole.item())  # levels that are never reached count 0
    reached = np.repeat(area.height, area.width)
    height[: reached.size] = reached
    return np.linspace(0, 1, height.size), height
