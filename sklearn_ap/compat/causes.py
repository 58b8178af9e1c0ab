"""Why the value of a definition differs from step average precision on a data set, in words."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from .._package.toml import read_toml
from .._show.results import format_difference
from .._words.messages import format_mass
from ..core import rules
from ..core.cutoff import Cut, select_top
from ..core.operating_points import OperatingPoints
from ..core.ragged import compute_suffix_maxima, repeat_values
from . import variant_rules
from .data_sets import DataSet, Reading, Slip, ThresholdBins
from .definitions import TERMS
from .variant_rules import Order
from .variants import ValueRange, Variant

_MAX_NAMED_LEVELS = 4
_SINGULAR_VERBS = {"have": "has", "are": "is", "were": "was", "count": "counts"}


def describe_difference(
    variant: Variant, value: ValueRange, reference: float, data_set: DataSet
) -> str:
    """Say why a value differs; empty if it is the value of step, which is the reference.

    Each of the functions below yields causes in words, which are empty if they don't apply.
    """
    if all(_is_equal(end, reference) for end in value):
        return ""
    data_set = data_set.as_read(variant.reading)
    causes = (
        *_describe_ranked_rows(variant, data_set),
        *_describe_empty_groups(variant, data_set),
        *_describe_rule(variant, value, data_set),
        *_describe_tie_order(variant, value, data_set),
    )
    return "; ".join(filter(None, causes))


def _is_equal(value: float, other: float) -> bool:
    return bool(np.isclose(value, other, rtol=0, atol=1e-12))


def _conjugate(count: float, text: str) -> str:
    """Return a text about several things, or about one if there is one."""
    return " ".join(
        _SINGULAR_VERBS.get(word, word) if count == 1 else word for word in text.split()
    )


def _describe_ranked_rows(variant: Variant, data_set: DataSet) -> Iterator[str]:
    slip, causes = variant.slip, read_toml("compat/peers.toml")["causes"]
    yield causes.get(slip.name, "")
    if slip in (Slip.RETRIEVED, Slip.FOUND_ONLY) and data_set.has_unretrieved:
        n_without = int(np.count_nonzero(data_set.n_rows == 0))
        left_out = _conjugate(n_without, "have no rows, and are left out")
        yield f"{n_without:,} of {data_set.n_rows.size:,} groups {left_out}"
    if slip is Slip.FOUND_ONLY:
        exist = data_set.points().n_positives.sum()
        missed = exist - data_set.points(slip).n_positives.sum()
        left_out = _conjugate(missed, "were not scored, and are not counted")
        yield f"{format_mass(missed)} of {format_mass(exist)} positives {left_out}"
    if isinstance(variant.reading, ThresholdBins):
        yield f"scores between two of {variant.reading.n_thresholds} thresholds are tied"
    elif isinstance(variant.reading, Reading):
        yield causes.get(variant.reading.name, "")


def _describe_empty_groups(variant: Variant, data_set: DataSet) -> Iterator[str]:
    if variant.empty == 0 or not data_set.has_empty(variant.slip):
        return
    n_positives = data_set.points(variant.slip).n_positives
    if n_positives.size == 1:
        yield "there are no positives"
        return
    n_empty = int(np.count_nonzero(n_positives == 0))
    consequence = "are left out" if variant.empty is None else f"count {variant.empty:g}"
    they = _conjugate(n_empty, f"have no positives, and {consequence}")
    yield f"{n_empty:,} of {n_positives.size:,} groups {they}"


def _describe_rule(variant: Variant, value: ValueRange, data_set: DataSet) -> Iterator[str]:
    rule, cut = variant.rule, variant.rule.depth
    # The rule without its artificial point
    levels = rule.of if isinstance(rule, variant_rules.WithArtificialPoint) else rule
    points = data_set.order_points(
        variant.slip, variant.order, counts_rows=cut is not None and cut.counts_rows
    )
    # Then the points are those of one order of many.
    is_open = variant.order in variant_rules.ASSUMED
    if cut is not None:
        extremes = [points]
        if is_open:
            extremes = [
                data_set.select_first_points(variant.slip, cut, ties) for ties in ("best", "worst")
            ]
        yield from _describe_cutoff(rule, cut, extremes)
    yield getattr(rule, "cause", "")
    if isinstance(rule, rules.Linear):
        yield "straight lines join the points of the curve" if is_open else _describe_lines(points)
    if isinstance(levels, rules.Envelope | rules.Levels):
        yield (
            "the envelope fills where the curve rises again" if is_open else _describe_rises(points)
        )
    if isinstance(levels, variant_rules.RoundedLevels):
        yield f"the recalls 0, 1/10, ..., 1 count equally, {levels.rounded} to whole positives"
    if isinstance(levels, variant_rules.LevelRange):
        yield "the recalls 1/40, 2/40, ..., 1 count equally"
    if isinstance(levels, rules.NPoint | rules.FloatGrid):
        yield _describe_levels(levels, variant, value.at, data_set)
    if rule is not levels and np.any(rule.values(points) - levels.values(points) > 1e-12):
        yield "the point at recall 0, which is there only for drawing, counts with precision 1"


def _describe_rises(points: OperatingPoints) -> str:
    """Say how often, and by how much, the curve rises again, which the envelope fills."""
    gain = compute_suffix_maxima(points.precision, points.offsets) - points.precision
    n_raised = np.count_nonzero(gain > 1e-12)
    if not n_raised:
        return ""
    return f"the curve rises again after {n_raised:,} of its points, by up to {gain.max():.4f}"


def _describe_levels(
    rule: rules.NPoint | rules.FloatGrid, variant: Variant, value: float, data_set: DataSet
) -> str:
    """Say that all levels count equally, and which of them a grid of floats misses."""
    denominator = rule.n_points - 1
    text = f"the recalls 0, 1/{denominator}, ..., 1 count equally"
    missed = [f"{level}/{denominator}" for level in _find_missed_levels(variant, value, data_set)]
    if not missed:
        return text
    named, n_more = ", ".join(missed[:_MAX_NAMED_LEVELS]), len(missed) - _MAX_NAMED_LEVELS
    if n_more > 0:
        named += f" and {n_more:,} more"
    return f"{text}; as floats {named} {_conjugate(len(missed), 'are missed')}"


def _find_missed_levels(variant: Variant, value: float, data_set: DataSet) -> list[int]:
    """Return the levels that a grid of floats misses, if that changes the value."""
    rule = variant.rule
    if not isinstance(rule, rules.FloatGrid) or variant.order is not Order.GROUPED:
        return []
    exact_rule, points = rules.NPoint(rule.n_points), data_set.points(variant.slip)
    if _is_equal(value, replace(variant, rule=exact_rule).value(data_set).at):
        return []
    n_reached = exact_rule.reached(points)  # by each point, including level 0
    missed: list[int] = (np.unique(n_reached[rule.reached(points) < n_reached]) - 1).tolist()
    return missed


def _describe_lines(points: OperatingPoints) -> str:
    """Say how much straight lines between the points change the mean value, and where most."""
    lines = rules.Linear().area(points)
    n_positives = repeat_values(points.n_positives, points.offsets)
    recall_gained = lines.width / n_positives
    gain = recall_gained / points.n_queries * (lines.height - points.precision)  # at each point
    total = gain.sum()
    if _is_equal(total, 0):
        return ""
    largest = int(np.argmax(gain * np.sign(total)))  # of those that change the value as all do
    start = (points.positives_above / n_positives)[largest]
    end = (points.cum_positives / n_positives)[largest]
    verb = "gain" if total > 0 else "lose"
    return (
        f"straight lines between the points {verb} area compared with steps, most of it between "
        f"recall {start:.2f} and {end:.2f}: {format_difference(gain[largest], 4)}"
    )


def _describe_cutoff(
    rule: rules.Rule, cut: Cut, extremes: Sequence[OperatingPoints]
) -> Iterator[str]:
    """Say what a cutoff leaves out. Of ties in any order, there are the best and the worst one."""
    points = extremes[0]
    n_positives = points.n_positives.sum()
    k = select_top(points, cut)[2]  # of each ranking
    n_below = [n_positives - select_top(each, cut)[1].sum() for each in extremes]
    fewest, most = min(n_below), max(n_below)
    denominator = rule.denominator if isinstance(rule, rules.AveragePrecisionAtK) else ""
    if most > 1e-9 * n_positives:  # which rounding of weights may reach
        count = format_mass(most)
        if fewest != most:
            count = f"{format_mass(fewest)} to {count}"
        left_out = _conjugate(most, "are below the top k")
        yield f"{count} of {format_mass(n_positives)} positives {left_out}"
        if denominator == "hits":
            yield "the sum is divided only by the positives in the top k"
    divisor = f"{k[0]:g}" if np.all(k == k[0]) else "k"
    if denominator in ("k", "min") and np.any(points.n_positives > k):
        yield f"the sum is divided by {divisor}, not by all positives"
    if denominator == "k" and np.any(points.n_positives < k):
        yield f"the sum is divided by {divisor}, though there are fewer positives"


def _describe_tie_order(variant: Variant, value: ValueRange, data_set: DataSet) -> Iterator[str]:
    if variant.order is not Order.GROUPED:
        yield TERMS[variant.order.value.removeprefix(", ")]
        if variant.order is Order.BY_ID:
            yield f"if ids increase with the rows it is {value.at:.4f}"
    elif isinstance(variant.rule, rules.AveragePrecisionAtK) and data_set.has_split_tie(
        variant.slip, variant.rule.depth
    ):
        yield "k cuts through tied samples, which count in proportion"
