"""From operating points to values: evaluate a rule, replace 0/0, and average over rankings."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from .._inputs.records import ZeroDivision
from .._words.messages import NO_POSITIVES_IN_LABELS, warn, warn_of_weighed_k
from .._words.parameters import format_list, format_name, format_value
from ..core.cutoff import needs_every_point, select_reached
from ..core.memo import Memo
from ..core.operating_points import SortedSamples
from ..core.ragged import Array, has_any
from ..core.rankings import BY_NAME, Averaging, Names, Rankings, average_defined
from ..core.rules import Graded, GroupFunction, Rule, Step


class RankingValues(NamedTuple):
    """The values of rankings by one metric, and what an interval around their mean also needs."""

    values: Array  # nan for 0/0
    n_positives: Array  # how many exist, found or not
    maximum: Array  # what the values can be at most, and are if the ranking is perfect
    perfect: Array


_WEIGHT, _JUDGED = "sample_weight", "judged"  # parameters of functions that take them


def compute_score(rule: Rule, rankings: Rankings, zero_division: ZeroDivision) -> Any:
    """Compute the value for checked input, or with average=None one value per ranking."""
    if isinstance(rule, Graded):
        values, exist, *_ = evaluate_rankings(rule, rankings)
    elif rankings.is_grouped:
        of_parts = [_evaluate_with_positives(rule, part) for part in rankings.split_groups()]
        values = np.concatenate([values for values, _ in of_parts])
        exist = np.concatenate([exist for _, exist in of_parts])
    else:
        values, exist = _evaluate_with_positives(rule, rankings)
    return average_values(rule, values, exist, rankings.averaging, zero_division)


def compute_each_value(
    rankings_of: Mapping[Rule, Rankings], in_order: SortedSamples, zero_division: ZeroDivision
) -> dict[Rule, list[float]]:
    """Compute the value of each ranking by each rule, from samples that were sorted for curves.

    Rules have the same rankings, some of them without their equal weights.
    """
    values: dict[Rule, list[float]] = {}
    memo = Memo()  # of points, which most rules share
    for rule, rankings in rankings_of.items():
        cut, is_weighted = rule.cut, rankings.weight is not None
        every_point = needs_every_point(cut, is_weighted)
        samples = in_order if is_weighted else in_order._replace(weight=None)
        points = memo.once(
            (is_weighted, every_point), (), partial(samples.make_points, every_point=every_point)
        )
        if cut is not None and not is_weighted and not rankings.is_grouped:
            points = select_reached(points, cut)  # which the metric sums, so that no bit differs
        points = rankings.add_unscored_positives(points)
        averaging = replace(rankings.averaging, average=None)
        of_each = rule.values(points), points.n_positives
        values[rule] = average_values(rule, *of_each, averaging, zero_division).tolist()
    return values


def _evaluate_with_positives(rule: Rule, rankings: Rankings) -> tuple[Array, Array]:
    points = rankings.points(rule.cut)
    return rule.values(points), points.n_positives


def evaluate_rankings(rule: Rule, rankings: Rankings) -> RankingValues:
    """Evaluate rankings, also for an interval around the mean of their values."""
    if not isinstance(rule, Graded):
        points = rankings.points(rule.cut)
        values = rule.values(points)
        limits = rule.compute_group_maximum(points)
        perfect = np.minimum(rule.perfect(points), limits)
        return RankingValues(values, points.n_positives, limits, perfect)
    compute = rule.evaluate_groups
    if isinstance(rule, GroupFunction):
        compute = partial(_call_for_each_group, rule)
    values = rankings.memo.once("values", [rule], partial(compute, rankings))
    exist = rankings.positive_mass if rankings.n_positives is None else rankings.n_positives
    ones = np.ones(values.size)
    return RankingValues(values, exist, ones, ones)


def _call_for_each_group(rule: GroupFunction, rankings: Rankings) -> Array:
    """Call a function with the rows of each group, in their order. Return a value per group."""
    names, group = rankings.names, rankings.group
    assert names is not None
    assert group is not None
    order = np.argsort(group, kind="stable")
    columns = {"y_true": rankings.y_true, "y_score": rankings.scores, _WEIGHT: rankings.weight}
    in_order = {
        name: _to_64_bits(column)[order] for name, column in columns.items() if column is not None
    }
    values = np.empty(len(names))
    start = 0
    for place, end in enumerate(np.cumsum(np.bincount(group, minlength=len(names))).tolist()):
        arguments = {name: column[start:end] for name, column in in_order.items()}
        y_true, y_score = arguments.pop("y_true"), arguments.pop("y_score")
        if rule.takes_judged:
            arguments[_JUDGED] = _list_judged_grades(rankings, place, y_true)
        try:
            value = rule.function(y_true, y_score, **arguments)
        except Exception as error:
            name = format_name(names[place], repr)
            raise ValueError(f"{rule.called!r} failed for the group {name}: {error}") from error
        values[place] = _read_float(value, rule, names[place])
        start = end
    values[~np.isfinite(values)] = np.nan
    _check_limits(values, rule, names)
    return values


def _to_64_bits(column: Array) -> Array:
    """Return numbers as int64 or float64, so that sums in a function don't depend on the table."""
    if column.dtype.kind == "f":
        return column.astype(np.float64, copy=False)
    fits = column.dtype.kind in "biu" and column.max(initial=0) <= np.iinfo(np.int64).max
    return column.astype(np.int64, copy=False) if fits else column


def _check_limits(values: Array, rule: GroupFunction, names: Names) -> None:
    """Check that a function returned no value beyond its limits, but for rounding."""
    low, high = rule.limits
    slack = 1e-9 * (high - low) if np.isfinite(high - low) else 0.0
    beyond = np.flatnonzero((values < low - slack) | (values > high + slack))
    if beyond.size:
        raise ValueError(
            f"{rule.called!r} is {values[beyond[0]]:.6g} for the group "
            f"{format_name(names[beyond[0]], repr)}, which is outside of limits={rule.limits}. "
            "Correct the limits, or leave them out."
        )


def _list_judged_grades(rankings: Rankings, place: int, y_true: Array) -> Array:
    """Return the grades of all judged documents of a group, from the highest down."""
    if rankings.judged is None:
        return np.sort(y_true)[::-1]
    return np.repeat(rankings.judged.grades, rankings.judged.counts[place])


def _read_float(value: Any, rule: GroupFunction, name: Any) -> float:
    """Convert what a function returned for the group of this name."""
    try:
        if np.ndim(value) == 0 and not isinstance(value, str | bytes):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"{rule.called!r} must return a number, but returned {format_value(value)} for the group "
        f"{format_name(name, repr)}."
    )


def average_values(
    rule: Rule, values: Array, n_positives: Array, averaging: Averaging, zero_division: ZeroDivision
) -> Any:
    """Average the values of rankings, or return each of them."""
    if averaging.sample_weight is not None:
        warn_of_weighed_k(rule.cut, averaging.sample_weight)
    if averaging.average == "weighted" and not n_positives.any():
        values = np.full(values.shape, np.nan)  # the mean is 0/0 too
    values = fill_undefined(values, averaging, zero_division, rule)
    if averaging.average == BY_NAME:
        names = averaging.names
        names = names.tolist() if isinstance(names, np.ndarray) else names
        return dict(zip(names or range(values.size), values.tolist(), strict=True))
    if averaging.average is None:
        return values
    return average_defined(
        values, n_positives if averaging.average == "weighted" else averaging.weight
    )


def fill_undefined(
    values: Array, averaging: Averaging, zero_division: ZeroDivision, rule: Rule | None = None
) -> Array:
    """Replace nan, which means 0/0 or what a function returned, and warn unless the caller chose
    the value.
    """
    undefined = np.isnan(values)
    if not has_any(undefined):
        return values
    if zero_division != "warn":
        return np.where(undefined, zero_division, values)
    besides = " Use zero_division to choose another value and silence this warning."
    if isinstance(rule, GroupFunction):
        where = name_rankings(undefined, averaging)
        words = f"{rule.called!r} has no finite value{where}"
        if not np.isfinite(rule.worst):
            raise ValueError(
                f"{words}, and without limits nobody knows its worst value. Pass limits to "
                "metric, as in limits=(0, 1), or zero_division=nan to leave such "
                f"{averaging.kind} out of the mean."
            )
        words += f", so it is set to {float(rule.worst)}, the worst value within its limits."
        warn(f"{words}{besides}", category=UndefinedMetricWarning)
        return np.where(undefined, rule.worst, values)
    is_in_sklearn = isinstance(rule, Step) and averaging.kind != "groups"
    if is_in_sklearn and averaging.average == "weighted" and undefined.all():
        return np.zeros_like(values)  # without a warning, as there
    return fill_with_zero(values, averaging, besides, is_in_sklearn)


def fill_with_zero(
    values: Array, averaging: Averaging, besides: str = "", is_in_sklearn: bool = False
) -> Array:
    """Replace nan, which means 0/0, by 0, and warn, first in scikit-learn's words if it warns."""
    undefined = np.isnan(values)
    if not (number := np.count_nonzero(undefined)):
        return values
    where, is_one = name_rankings(undefined, averaging), number == 1
    words = (
        f"{NO_POSITIVES_IN_LABELS}{where}, so {'the value is' if is_one else 'their values are'}"
    )
    if is_in_sklearn:
        value = f"The value{where} is" if is_one else f"The values{where} are"
        words = f"{NO_POSITIVES_IN_LABELS}, recall is set to one for all thresholds. {value}"
    warn(f"{words} undefined (0/0) and set to 0.0.{besides}", category=UndefinedMetricWarning)
    return np.where(undefined, 0.0, values)


def name_rankings(undefined: Array, averaging: Averaging) -> str:
    """List the undefined rankings by name, or by number without names."""
    names, where = averaging.names, np.flatnonzero(undefined)
    if averaging.average in ("binary", "micro"):
        return "" if names is None else f" ({format_name(names[0])})"
    places = where.tolist()
    lacking = places if names is None else [names[place] for place in places]
    listed = format_list(lacking, format_name)
    return f" for {where.size:,} of {undefined.size:,} {averaging.kind} ({listed})"
