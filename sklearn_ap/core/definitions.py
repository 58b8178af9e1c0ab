"""What each number means: an area under a curve over recall, as rectangles.

A new definition is one function here, from operating points to an `Area`, and one row of the
table at the end of this file.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from .cutoff import DENOMINATORS, as_float, cut, hits
from .operating_points import OperatingPoints
from .segments import Array, max_from_here_on, previous, spread, sums
from .ties import break_ties, expected_precision

DEFAULT_K = 10


class Area(NamedTuple):
    """One rectangle a point; their sum in units of `whole` is the number."""

    width: Array
    height: Array
    whole: Array  # one number a query; 0 where the area is undefined
    offsets: Array

    def value(self) -> Array:
        """One number a query, nan for 0/0."""
        width, whole = self.width, self.whole
        if width.dtype.kind == "f":  # products of tiny weights must not vanish
            exponent = -np.frexp(whole)[1]
            width = np.ldexp(width, spread(exponent, self.offsets))
            whole = np.ldexp(whole, exponent)
        area = sums(width * self.height, self.offsets)
        with np.errstate(invalid="ignore"):
            return np.minimum(area / whole, 1.0)


def step(points: OperatingPoints, ties: str = "grouped") -> Area:
    """Each positive counts the precision at its own score."""
    points = break_ties(points, ties)
    height = expected_precision(points) if ties == "expected" else points.precision
    return Area(points.positives, height, points.n_positives, points.offsets)


def envelope(points: OperatingPoints) -> Area:
    """Each positive counts the best precision at its own recall or any higher one."""
    height = max_from_here_on(points.precision, points.offsets)
    return Area(points.positives, height, points.n_positives, points.offsets)


def n_point(points: OperatingPoints, n_points: int) -> Area:
    """The envelope sampled at N evenly spaced recalls, 0 and 1 among them."""
    reached = _levels_reached(points, n_points)
    before = previous(reached, points.offsets)
    return Area(
        width=np.subtract(reached, before, out=before),
        height=max_from_here_on(points.precision, points.offsets),
        whole=np.where(points.n_positives > 0, n_points, 0),
        offsets=points.offsets,
    )


def linear(points: OperatingPoints) -> Area:
    """The trapezoid through all points of the curve, the artificial (0, 1) included."""
    height = (precision_before(points) + points.precision) / 2
    return Area(points.positives, height, points.n_positives, points.offsets)


def at_k(
    points: OperatingPoints, k: int = DEFAULT_K, denominator: str = "min", ties: str = "grouped"
) -> Area:
    """Each positive among the first k samples counts the precision there."""
    points = break_ties(points, ties)
    top = cut(points, k)
    found = sums(top.positives, top.offsets)
    whole = DENOMINATORS[denominator](k, points.n_positives, found)
    if ties == "expected":
        return Area(points.positives, expected_precision(points, k), whole, points.offsets)
    return Area(top.positives, top.precision, whole, top.offsets)


def precision_at_k(points: OperatingPoints, k: int, ties: str = "grouped") -> Array:
    """Positives among the first k samples, for each of the k; missing samples are misses."""
    return np.minimum(hits(break_ties(points, ties), k) / as_float(k), 1.0)


def recall_at_k(points: OperatingPoints, k: int, ties: str = "grouped") -> Array:
    """Positives among the first k samples, for each positive; nan for 0/0."""
    with np.errstate(invalid="ignore"):
        return np.minimum(hits(break_ties(points, ties), k) / points.n_positives, 1.0)


def precision_before(points: OperatingPoints) -> Array:
    """Precision among the samples with a better score; 1 where there are none, as at (0, 1)."""
    found = points.found_above
    return np.divide(found, points.above, out=np.ones(found.shape), where=points.above > 0)


def _levels_reached(points: OperatingPoints, n_points: int) -> Array:
    """How many of the recalls 0, 1/(n_points-1), ..., 1 are reached at each point."""
    found, n_positives = points.cum_positives, spread(points.n_positives, points.offsets)
    if found.dtype.kind in "iu" and n_positives.dtype.kind in "iu":
        if points.n_positives.max(initial=0) >= 2**62 // n_points:
            found = found.astype(object)  # Python's integers do not overflow
        levels = found * (n_points - 1)
        levels //= n_positives
    else:
        # Sums of fractional weights are rounded: what that may have lost counts as reached.
        n_terms = spread(np.diff(points.offsets), points.offsets) + 8
        recall = np.minimum(found / n_positives * (1 + 2 * np.finfo(float).eps * n_terms), 1.0)
        levels = np.floor(recall * (n_points - 1))
    levels = levels.astype(np.int64, copy=False)
    levels += 1
    return np.asarray(levels)


@dataclass(frozen=True)
class Definition:
    """A row of the table."""

    name: str
    title: str
    area: Callable[..., Area]
    score: str | None  # the public function; None for what only `compat` gives
    formula: str
    reference: str
    drawn: str  # "steps", "levels" or "line": how the curve is drawn that the area lies under
    options: Mapping[str, int] = field(default_factory=dict)  # what picks it in that function


_STEP = r"\sum_i \frac{r_i}{R}\, p_i"
_ENVELOPE = r"\sum_i \frac{r_i}{R} \max_{j \ge i} p_j"
_N_POINT = r"\frac{1}{N} \sum_{l=0}^{N-1} \max_{j:\, T_j (N-1) \ge l R} p_j"
_LINEAR = r"\sum_i \frac{r_i}{R}\, \frac{p_i^- + p_i}{2}"
_AT_K = r"\frac{1}{D} \sum_{N_i \le k} r_i\, p_i"

DEFINITIONS: dict[str, Definition] = {
    row.name: row
    for row in (
        Definition(
            name="step",
            title="Average precision",
            area=step,
            score="average_precision_score",
            formula=_STEP,
            reference="scikit-learn 0.19 and later; non-interpolated average precision",
            drawn="steps",
        ),
        Definition(
            name="envelope",
            title="Interpolated average precision",
            area=envelope,
            score="interpolated_average_precision_score",
            formula=_ENVELOPE,
            reference="PASCAL VOC 2010 and later; Manning, Raghavan and Schuetze (2008), 8.4",
            drawn="steps",
        ),
        Definition(
            name="11-point",
            title="11-point interpolated average precision",
            area=partial(n_point, n_points=11),
            score="eleven_point_average_precision_score",
            formula=_N_POINT,
            reference="PASCAL VOC 2007; TREC",
            drawn="levels",
        ),
        Definition(
            name="101-point",
            title="101-point interpolated average precision",
            area=partial(n_point, n_points=101),
            score="interpolated_average_precision_score",
            formula=_N_POINT,
            reference="COCO",
            drawn="levels",
            options={"n_points": 101},
        ),
        Definition(
            name="linear",
            title="Area under the linearly interpolated curve",
            area=linear,
            score=None,
            formula=_LINEAR,
            reference="scikit-learn before 0.19; auc(recall, precision)",
            drawn="line",
        ),
        Definition(
            name="at-k",
            title="Average precision at k",
            area=at_k,
            score="average_precision_at_k_score",
            formula=_AT_K,
            reference="the inner part of MAP@k; see `denominator` for who divides by what",
            drawn="steps",
        ),
    )
}


def find_rule(name: str) -> Callable[..., Area]:
    """The area rule of that name; a number of points that has no row of its own will do too."""
    if name in DEFINITIONS:
        return DEFINITIONS[name].area
    n_points, _, rest = name.partition("-")
    if rest == "point" and n_points.isdecimal() and int(n_points) >= 2:
        return partial(n_point, n_points=int(n_points))
    raise KeyError(name)
