"""Why a value differs from step average precision on this data."""

from collections.abc import Iterator

import numpy as np

from .._table import signed
from ..core.cutoff import Cut, top
from ..core.operating_points import OperatingPoints
from ..core.rules import AtK, Envelope, Linear, NPoint, Rule, Step
from ..core.segments import max_from_here_on, spread
from .orders import Order
from .rules import Curved, FloatGrid, MeanOfPrecisions, RoundedLevels, WithArtificialPoint
from .sample import AS_GIVEN, Reading, Sample, Slip, Value, View
from .variants import Variant


def cause(variant: Variant, value: Value, reference: float, sample: Sample) -> str:
    """Say why a value differs; empty if it is the value of step."""
    if all(_same(each, reference) for each in (value.at, value.low, value.high)):
        return ""
    causes = (
        *_of_view(variant.view, sample),
        *_of_empty(variant, sample),
        *_of_rule(variant, value, sample),
        *_of_order(variant, value, sample),
    )
    return "; ".join(filter(None, causes))


def _same(value: float, other: float) -> bool:
    return bool(np.isclose(value, other, rtol=0, atol=1e-12))


# --- what is ranked ------------------------------------------------------------------------------


def _of_view(view: View, sample: Sample) -> Iterator[str]:
    if view.slip is Slip.POOLED:
        yield "scores are compared between the groups, not only inside each"
    if view.slip is Slip.UNWEIGHTED:
        yield "every sample counts as 1, whatever its weight is"
    if view.slip in (Slip.RETRIEVED, Slip.FOUND_ONLY) and sample.has_unretrieved:
        without, n_groups = np.count_nonzero(sample.n_rows == 0), sample.n_rows.size
        left_out = "has no rows, and is" if without == 1 else "have no rows, and are"
        yield f"{without} of {n_groups} groups {left_out} left out"
    if view.slip is Slip.FOUND_ONLY:
        exist = sample.points().n_positives.sum()
        missed = exist - sample.points(view).n_positives.sum()
        yield f"{missed:g} of {exist:g} positives were not scored, and are not counted"
    if view.reading is Reading.SINGLE:
        yield "some scores are equal in single precision"
    if view.reading is Reading.CLOSE_TIED:
        yield "scores closer than 1e-8 are tied"


def _of_empty(variant: Variant, sample: Sample) -> Iterator[str]:
    if variant.empty == 0 or not sample.has_empty(variant.view):
        return
    n_positives = sample.points(variant.view).n_positives
    if n_positives.size == 1:
        yield "there are no positives"
        return
    empty = np.count_nonzero(n_positives == 0)
    has, are, count = ("has", "is", "counts") if empty == 1 else ("have", "are", "count")
    counts = f"{are} left out" if variant.empty is None else f"{count} {variant.empty:g}"
    yield f"{empty} of {n_positives.size} groups {has} no positives, and {counts}"


# --- the rule ------------------------------------------------------------------------------------


def _of_rule(variant: Variant, value: Value, sample: Sample) -> Iterator[str]:
    rule, cut = variant.rule, variant.rule.depth
    levels = rule.of if isinstance(rule, WithArtificialPoint) else rule
    points = sample.walked(variant.view, variant.order, by_rows=cut is not None and cut.by_rows)
    if cut is not None:
        yield from _of_cut(rule, cut, points)
    if isinstance(rule, MeanOfPrecisions):
        yield "the precision at every rank counts, even at the ranks of negatives"
    if isinstance(rule, Linear):
        yield _of_lines(points)
    if isinstance(rule, Curved):
        yield "between points of the curve, positives and negatives are assumed to be evenly mixed"
    if isinstance(levels, Envelope | NPoint | FloatGrid | RoundedLevels):
        yield _of_wiggles(points)
    if isinstance(levels, RoundedLevels):
        yield f"the recalls 0, 1/10, ..., 1 count equally, {levels.rounded} to whole positives"
    if isinstance(levels, NPoint | FloatGrid):
        yield _of_grid(levels, variant, value.at, sample)
    if rule is not levels and _best_precision(points) < 1:
        yield "the point at recall 0, which is there only for drawing, counts with precision 1"


def _best_precision(points: OperatingPoints) -> float:
    """Return the lowest height at which the envelope of a query starts."""
    starts = points.offsets[:-1][points.offsets[:-1] < points.offsets[1:]]
    best = max_from_here_on(points.precision, points.offsets)[starts]
    return float(best.min(initial=1.0))


def _of_wiggles(points: OperatingPoints) -> str:
    gain = max_from_here_on(points.precision, points.offsets) - points.precision
    raised = np.count_nonzero(gain > 1e-12)
    if not raised:
        return ""
    return f"the curve rises again after {raised} of its points, by up to {gain.max():.4f}"


def _of_grid(rule: NPoint | FloatGrid, variant: Variant, value: float, sample: Sample) -> str:
    """Say that all levels count equally, and which of them a grid of floats misses."""
    points = sample.points(variant.view)
    levels = rule.n_points - 1
    text = f"the recalls 0, 1/{levels}, ..., 1 count equally"
    if not isinstance(variant.rule, FloatGrid) or variant.order is not Order.GROUPED:
        return text
    exact = Variant(NPoint(rule.n_points), variant.view, variant.order, variant.empty)
    if _same(value, exact.value(sample).at):
        return text
    exactly = points.cum_positives / spread(points.n_positives, points.offsets) * levels
    level = np.rint(exactly).astype(int)
    hit = np.unique(level[np.isclose(exactly, level, rtol=1e-12, atol=0) & (level < levels)])
    grid = np.linspace(0, 1, levels + 1)
    lost = [f"{i}/{levels}" for i in hit if i / levels < grid[i]]
    if not lost:
        return text
    more = f" and {len(lost) - 4} more" if len(lost) > 4 else ""
    missed = "is missed" if len(lost) == 1 else "are missed"
    return f"{text}; as floats {', '.join(lost[:4])}{more} {missed}"


def _of_lines(points: OperatingPoints) -> str:
    lines, steps = Linear().area(points), Step().area(points)
    n_positives = spread(points.n_positives, points.offsets)
    width = lines.width / n_positives / points.n_positives.size
    gain = width * (lines.height - steps.height)
    if not gain.any():
        return ""
    largest = int(np.argmax(np.abs(gain)))
    end = (points.cum_positives / n_positives)[largest]
    start = (points.found_above / n_positives)[largest]
    verb = "gain" if gain.sum() > 0 else "lose"
    return (
        f"straight lines between the points {verb} area compared with steps, most of it between "
        f"recall {start:.2f} and {end:.2f}: {signed(gain[largest], 4)}"
    )


def _of_cut(rule: Rule, cut: Cut, points: OperatingPoints) -> Iterator[str]:
    _, hits, k = top(points, cut)
    n_positives = points.n_positives.sum()
    beyond = n_positives - hits.sum()
    denominator = rule.denominator if isinstance(rule, AtK) else ""
    if beyond > 1e-9 * n_positives:
        yield f"{beyond:g} of {n_positives:g} positives are below the top k"
        if denominator == "hits":
            yield "the sum is divided only by the positives in the top k"
    divisor = f"{k[0]:g}" if np.all(k == k[0]) else "k"
    if denominator in ("k", "min") and np.any(points.n_positives > k):
        yield f"the sum is divided by {divisor}, not by all positives"
    if denominator == "k" and np.any(points.n_positives < k):
        yield f"the sum is divided by {divisor}, though there are fewer positives"


# --- the order of ties ---------------------------------------------------------------------------

_ORDERS = {
    Order.BY_ROW: "tied samples are ranked in the order of the rows",
    Order.LAST_ROW_FIRST: "tied samples are ranked by row, last row first",
    Order.BY_ID: "tied samples are ranked by their ids, last id first",
    Order.BY_GIVEN_ID: "tied samples are ranked by your ids, last id first",
    Order.OPEN: "tied samples are ranked one by one, in an unknown order",
    Order.EXPECTED: "it is the mean over all orders of the tied samples",
    Order.BEST: "tied positives are ranked first",
    Order.WORST: "tied positives are ranked last",
}


def _of_order(variant: Variant, value: Value, sample: Sample) -> Iterator[str]:
    if variant.order is not Order.GROUPED:
        yield _ORDERS[variant.order]
        if variant.order is Order.BY_ID:
            yield f"if ids increase with the rows it is {value.at:.4f}"
    elif isinstance(variant.rule, AtK) and sample.cuts_tie(variant.view, variant.rule):
        yield "k cuts through tied samples, which count in proportion"


def ties(sample: Sample) -> str:
    """Say how many samples are tied where it matters; empty if there are none."""
    if sample.is_weighted or not sample.has_ties(AS_GIVEN, Step()):
        return ""
    points = sample.points()
    tied = points.total[(points.total > 1) & (points.positives > 0)]
    steps = Variant(Step(), order=Order.OPEN).value(sample)
    values = "one value" if tied.size == 1 else f"{tied.size} values"
    return (
        f"{tied.sum()} samples are tied at {values} of y_score, and some of them are positive: if "
        f"they are ranked one by one, step is between {steps.low:.4f} and {steps.high:.4f}, "
        "depending on their order."
    )
