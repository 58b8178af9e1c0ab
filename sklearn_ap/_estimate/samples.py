"""How much a value varies if the units are samples, or clusters that are ranked together."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .._finish import average_values
from .._validation.inference import (
    check_columns,
    check_positives,
    check_resampled,
    check_smooth,
    check_units,
    is_smooth,
)
from .._validation.samples import check_existing
from ..core.cutoff import Cut, needs_every_point
from ..core.intervals import Spread
from ..core.operating_points import OperatingPoints
from ..core.rankings import Names, Rankings
from ..core.rules import Rule
from ..core.segments import Array
from ..core.segments import spread as each_point
from ..core.units import Units, cells_of_points
from ..core.variation import (
    Shortlist,
    draw_counts,
    draw_short,
    draw_units,
    influence,
    lost_to_one_more,
    missing,
    values_of,
)
from .question import NOTHING, Evidence, Question, ZeroDivision, in_words

# A value depends on a few negatives if each weighs more than _HEAVY positives, and one more of them
# at the top would take more than the share _MUCH of the value. With subsampled negatives, average
# precision is then too high by 2% or more (see docs/weights.md).
_HEAVY, _MUCH = 8, 0.25


def of_counts(
    question: Question, points: OperatingPoints, value: Array, names: Names | None = None
) -> Evidence:
    """Estimate how much the value of one unweighted ranking varies, with the samples as units.

    `value` is what the metric returns. If it were computed again from all points instead of the top
    k, its last bit might differ.
    """
    check_positives(points.n_positives, names)
    rule, lacking, cells = question.rule, missing(points), cells_of_points(points)
    n_units = int((points.n_samples + lacking).item())
    check_units(n_units, "samples")
    trials = _trials(rule, points, points.n_positives)
    unseen = lost_to_one_more(rule, points, np.ones(1)) if is_smooth(rule) else 0.0
    basis = in_words(points.n_positives.item(), "positives")
    still = _still(rule, points, value, np.ones(1), trials, value.item())._replace(unseen=unseen)
    if question.method == "bootstrap":
        draws = draw_counts(
            cells, int(lacking.item()), question.n_resamples, question.generator, rule.depth
        )
        drawn, _ = values_of(rule, draws, 1)
        return Evidence(of_resamples(still, drawn), basis)
    slopes = influence(check_smooth(rule), points)
    table = cells.spread(slopes.positive, slopes.tied, slopes.between)
    each, folds = np.append(table, slopes.missing), np.append(cells.mass, lacking)
    deviations = each * np.sqrt(folds * n_units / (n_units - 1))
    spread = still._replace(deviations=deviations[np.newaxis], n_units=n_units, folds=folds)
    return Evidence(spread, basis)


class Measured(NamedTuple):
    """A ranking and its units, with its value, before it is known how much that varies."""

    rankings: Rankings
    units: Units
    points: OperatingPoints
    still: Spread
    basis: str


def measured(question: Question, rankings: Rankings, cluster: Array | None = None) -> Measured:
    """Measure a ranking sample by sample, for weights, clusters and several classes."""
    rule, given = question.rule, rankings
    if is_smooth(rule):
        rankings = of_size(rankings)
    rankings, units, points = counted_units(rule, rankings, cluster, question.zero_division)
    check_units(units.size, "samples" if cluster is None else "clusters")
    number, values = _score(question, given, _as_scored(rule, given, units, points))
    holding = units.holding(rankings)
    trials, basis = _trials(rule, points, holding), _basis(rankings, units, holding)
    still = _still(rule, points, values, shares_of(rankings, points), trials, number)
    return Measured(rankings, units, points, still, basis)


def of_units(question: Question, rankings: Rankings, cluster: Array | None = None) -> Evidence:
    """Estimate how much the value of a ranking varies from each unit."""
    rule, model = question.rule, measured(question, rankings, cluster)
    if question.method == "bootstrap":
        spread = _of_all_rows(question, model)
    else:
        spread = _moved(question, model)
    if not is_smooth(rule):
        return Evidence(spread, model.basis)
    units, points = model.units, model.points
    slopes = influence(rule, points)
    weight = units.weight_of_negatives(slopes.tied, slopes.between)
    spread = spread._replace(unseen=lost_to_one_more(rule, points, weight))
    heavy = weight > _HEAVY * points.n_positives / units.holding(model.rankings)
    much = spread.shares @ (spread.unseen * heavy) > _MUCH * spread.mean
    heaviest = weight.max(where=heavy, initial=0).item() if much else 0.0
    return Evidence(spread, model.basis, heavy=heaviest)


def of_same_draws(
    question: Question, cut: Cut, models: Sequence[Measured], listed: Array | None
) -> list[Evidence]:
    """Estimate how much values of models vary between the same resamples.

    `listed` are the rows that resamples have to distinguish, on which draws depend; None for all.
    """
    if listed is None:
        return [Evidence(_of_all_rows(question, model), model.basis) for model in models]
    rule = question.rule
    lists = [
        (Shortlist.of(model.rankings, cut, listed, model.units), model.units) for model in models
    ]
    values: list[list[tuple[Array, Array]]] = [[] for _ in models]
    for each in draw_short(rule, lists, question.n_resamples, question.generator):
        for found, draws, (_, units) in zip(values, each, lists, strict=True):
            found.append(values_of(rule, draws, units.cells.n_queries))
    return [
        Evidence(_resampled(model, *map(np.concatenate, zip(*found, strict=True))), model.basis)
        for model, found in zip(models, values, strict=True)
    ]


def _still(
    rule: Rule, points: OperatingPoints, values: Array, shares: Array, trials: Array, number: float
) -> Spread:
    """Collect what is known about values before it is known how much they vary."""
    most, perfect = np.maximum(rule.most(points), values), rule.perfect(points)
    return Spread(values, shares, NOTHING, trials, number, most=most, perfect=perfect)


def _of_all_rows(question: Question, model: Measured) -> Spread:
    draws = draw_units(question.rule, model.units, question.n_resamples, question.generator)
    return _resampled(model, *values_of(question.rule, draws, model.units.cells.n_queries))


def _resampled(model: Measured, drawn: Array, positives: Array) -> Spread:
    """Estimate how much values vary between resamples."""
    spread = of_resamples(model.still, drawn)
    if model.rankings.average == "weighted":
        spread = spread._replace(drift=_drift_of_resamples(spread, drawn, positives))
    return spread


def _moved(question: Question, model: Measured) -> Spread:
    """Estimate how much values vary from the influence of each unit."""
    rankings, units, points, still, _ = model
    deviations, drift, lacking = deviations_of(question.rule, rankings, units, points)
    n_units, folds = units.size, None
    scale = np.sqrt(n_units / (n_units - 1))
    if units.missing.any():  # positives that were not scored share one column per class
        root, folds = np.sqrt(units.missing), np.append(np.ones(units.n_scored), units.missing)
        deviations = np.hstack([deviations, np.diag(lacking * root)])
        drift = np.append(drift, _off(rankings, still.values, still.shares, points) * root)
    deviations, drift = deviations * scale, drift * scale
    return still._replace(deviations=deviations, n_units=n_units, folds=folds, drift=drift)


def _score(question: Question, rankings: Rankings, points: OperatingPoints) -> tuple[float, Array]:
    """Return the value of the metric, and the values of the classes that contain positives."""
    rule, undefined = question.rule, question.quietly
    points = check_existing(points, rankings)
    values = rule.values(points)
    number = average_values(rule, values, points, rankings.queries, undefined)
    return float(number), values[np.flatnonzero(points.n_positives)]


def _as_scored(
    rule: Rule, rankings: Rankings, units: Units, points: OperatingPoints
) -> OperatingPoints:
    """Return the points that the metric computes from the same samples.

    `points` come from cells, which add up weights in another order. That makes no difference for
    counts, but can change the last bit of fractions.
    """
    weight = rankings.weight
    is_whole = weight is None or weight.dtype.kind == "i"
    by_column = rankings.average in ("macro", "weighted")
    has_all = points.n_queries == (rankings.labels.shape[1] if by_column else 1)
    if is_whole and has_all and rule.depth is None:
        return points
    if rankings.average == "binary" and weight is not None:
        return units.in_order.points(weight, needs_every_point(rule.depth, weighted=True))
    return rankings.points(rule.depth)


def counted_units(
    rule: Rule, rankings: Rankings, cluster: Array | None, zero_division: ZeroDivision
) -> tuple[Rankings, Units, OperatingPoints]:
    """Return the rankings that count, their units and their points."""
    may_lack = rankings.average == "weighted" or zero_division != zero_division
    rankings = check_columns(rankings, may_lack)
    every = needs_every_point(rule.depth, rankings.weight is not None)
    units = Units.of(rankings, cluster, every)
    points = check_existing(units.cells.points(every), rankings)
    check_positives(points.n_positives, rankings.names)
    return rankings, replace(units, missing=missing(points)), points


def of_size(rankings: Rankings) -> Rankings:
    """Scale up tiny weights so that dividing by them is safe, which leaves influences unchanged."""
    weight, exist = rankings.weight, rankings.n_positives
    if weight is None or weight.max(initial=0) > 1e-200:
        return rankings
    exist = None if exist is None else np.ldexp(exist, 800)
    return replace(rankings, weight=np.ldexp(weight, 800), n_positives=exist)


def deviations_of(
    rule: Rule, rankings: Rankings, units: Units, points: OperatingPoints
) -> tuple[Array, Array, Array]:
    """Compute the influence of each scored unit on each value.

    The second array is its influence on the mean through the shares, and the third one is the
    influence of a positive that was not scored.
    """
    slopes = influence(check_smooth(rule), points)
    deviations = units.totals(units.cells.spread(slopes.positive, slopes.tied, slopes.between))
    drift = np.zeros(units.n_scored)
    if rankings.average == "weighted" and rankings.group is None:
        off = _off(rankings, rule.values(points), shares_of(rankings, points), points)
        moved = units.cells.spread(each_point(off, points.offsets), 0.0, 0.0)
        drift = units.totals(moved).sum(axis=0)
    return deviations, drift, slopes.missing


def _off(rankings: Rankings, values: Array, shares: Array, points: OperatingPoints) -> Array:
    """Return the effect of one more positive of each class on the mean through the shares."""
    if rankings.average != "weighted":
        return np.zeros(values.shape)
    return np.asarray((values - shares @ values) / points.n_positives.sum())


def shares_of(rankings: Rankings, points: OperatingPoints) -> Array:
    weight = points.n_positives if rankings.average == "weighted" else np.ones(points.n_queries)
    return np.asarray(weight / weight.sum())


def _trials(rule: Rule, points: OperatingPoints, holding: Array) -> Array:
    """Return on how many of the units that contain positives each value depends."""
    return np.maximum(np.floor(holding * rule.rests_on(points) + 1e-9), 1.0)


def _basis(rankings: Rankings, units: Units, holding: Array) -> str:
    if holding.size > 1:
        return f"{holding.size:,} classes, {units.n_scored:,} {units.kind}"
    what = "rows with positives" if rankings.average == "micro" else "positives"
    what = what if units.cluster is None else "clusters with positives"
    return in_words(holding.item(), what)


def errors_of_curve(
    question: Question, rankings: Rankings, curve: Callable[[OperatingPoints], Array]
) -> Array:
    """Estimate the standard error of a ranking's curve at each position, by the bootstrap.

    `curve` returns the heights of several rankings at these positions, one row per ranking.
    """
    rule, times, rng = question.rule, question.n_resamples, question.generator
    _, units, _ = counted_units(rule, rankings, None, 0.0)
    if rankings.weight is None:
        lacking = int(units.missing.item())
        draws = draw_counts(units.cells, lacking, times, rng)
    else:
        draws = draw_units(rule, units, times, rng)
    each = np.concatenate([curve(some) for some in draws])
    return np.asarray(np.nanstd(each, axis=0, ddof=1))


def of_resamples(still: Spread, drawn: Array) -> Spread:
    drawn = check_resampled(drawn)
    defined = ~np.isnan(drawn)
    counts = defined.sum(axis=0)
    centre = np.where(defined, drawn, 0).sum(axis=0) / counts
    deviations = np.where(defined, drawn - centre, 0) / np.sqrt(counts - 1)
    return still._replace(deviations=deviations.T)


def _drift_of_resamples(spread: Spread, drawn: Array, positives: Array) -> Array:
    means = np.where(positives > 0, drawn, 0) * positives
    means = means.sum(axis=1) / positives.sum(axis=1)
    deviations = (means - means.mean()) / np.sqrt(means.size - 1)
    return np.asarray(deviations - spread.shares @ spread.deviations)
