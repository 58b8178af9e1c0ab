"""From samples or counts to how a number varies: one way for arrays, streams and pictures."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from . import _validation as check
from ._finish import average_values
from .core.cells import of_points
from .core.influence import influence, lost_to_one_more, missing
from .core.intervals import Spread
from .core.operating_points import OperatingPoints
from .core.rankings import Names, Rankings, mean
from .core.resampling import (
    draw_counts,
    draw_short,
    draw_units,
    heights,
    resample_means,
    values_of,
)
from .core.rules import AreaRule, Rule
from .core.segments import Array
from .core.segments import spread as each_point
from .core.shortlist import Shortlist, shortlist
from .core.units import Units

ZeroDivision = float | str
NOTHING = np.zeros(0)

# A score hangs on single negatives if they weigh more than so many positives, and one more at the
# top would take more than this share of the score. With thinned negatives that is where average
# precision is too high by 2% or more (see docs/weights.md).
_HEAVY, _MUCH = 8, 0.25


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the samples, and how it is to be found out."""

    rule: Rule
    method: str
    n_resamples: int
    seed: int
    zero_division: ZeroDivision = "warn"

    @property
    def generator(self) -> np.random.Generator:
        """One that draws the same for each model that is compared."""
        return np.random.default_rng(self.seed)


class Evidence(NamedTuple):
    """How a number varies, and what it rests on."""

    spread: Spread
    basis: str  # as "40 positives"
    weight: Array = NOTHING  # of each query in a mean over queries
    heavy: float = 0.0  # the weight of negatives, if a single one may change much


def has_queries(rankings: Rankings) -> bool:
    """Whether the units are queries."""
    return rankings.group is not None or rankings.average == "samples"


def evidence(question: Question, rankings: Rankings, cluster: Array | None = None) -> Evidence:
    """How the number of checked input varies."""
    if has_queries(rankings):
        return _of_queries(question, rankings)
    plain = rankings.average == "binary" and rankings.weight is None and cluster is None
    if plain:
        rule = question.rule
        points = read = check.check_existing(rankings.points(None), rankings)
        if rule.depth is not None:
            read = check.check_existing(rankings.points(rule.depth), rankings)
        return of_counts(question, points, rule.values(read), rankings.names)
    listed = shortlist(question.rule.depth, rankings) if cluster is None else None
    found = of_units(question, rankings, cluster, listed)
    check.warn_of_heavy_negatives(found.heavy)
    return found


def compared(
    question: Question, a: Rankings, b: Rankings, cluster: Array | None = None
) -> tuple[Evidence, Evidence]:
    """How the numbers of two models vary on the same units."""
    again = replace(question, zero_division=_silent(question.zero_division))
    if has_queries(a):
        return _of_queries(question, a), _of_queries(again, b)
    listed = shortlist(question.rule.depth, a, b) if cluster is None else None
    both = of_units(question, a, cluster, listed), of_units(again, b, cluster, listed)
    check.warn_of_heavy_negatives(max(found.heavy for found in both))
    return both


def _silent(zero_division: ZeroDivision) -> ZeroDivision:
    """The same value, without a second warning."""
    return 0.0 if zero_division == "warn" else zero_division


def of_counts(
    question: Question, points: OperatingPoints, value: Array, names: Names | None = None
) -> Evidence:
    """How the number of one ranking without weights varies, if the samples are the units.

    `value` is what the metric returns. Computed again from all points instead of the first k, it
    might end in another bit.
    """
    check.check_positives(points.n_positives, names)
    rule, lacking, cells = question.rule, missing(points), of_points(points)
    n_units = int((points.n_samples + lacking).item())
    check.check_units(n_units, "samples")
    trials = _trials(rule, points, points.n_positives)
    unseen = lost_to_one_more(rule, points, np.ones(1)) if check.is_smooth(rule) else 0.0
    basis = _counted_in_words(points.n_positives.item(), "positives")
    still = Spread(value, np.ones(1), NOTHING, trials, value.item(), unseen=unseen)
    if question.method == "bootstrap":
        draws = draw_counts(cells, int(lacking.item()), question.n_resamples, question.generator)
        drawn, _ = values_of(rule, draws, 1)
        return Evidence(_of_resamples(still, drawn), basis)
    slopes = influence(check.check_smooth(rule), points)
    table = cells.spread(slopes.positive, slopes.tied, slopes.between)
    each, folds = np.append(table, slopes.missing), np.append(cells.mass, lacking)
    deviations = each * np.sqrt(folds * n_units / (n_units - 1))
    spread = still._replace(deviations=deviations[np.newaxis], n_units=n_units, folds=folds)
    return Evidence(spread, basis)


def of_units(
    question: Question,
    rankings: Rankings,
    cluster: Array | None = None,
    listed: Array | None = None,
) -> Evidence:
    """The same sample by sample: for weights, clusters and several classes.

    `listed` are the rows that resamples tell apart, if not all of them.
    """
    rule, given = question.rule, rankings
    if check.is_smooth(rule):
        rankings = _of_size(rankings)
    rankings, units, points = _counted(rule, rankings, cluster, question.zero_division)
    check.check_units(units.size, "samples" if cluster is None else "clusters")
    number, values = _score(question, given, _as_scored(rule, given, units, points))
    holding = units.holding(rankings)
    trials, basis = _trials(rule, points, holding), _basis(rankings, units, holding)
    still = Spread(values, _shares(rankings, points), NOTHING, trials, number)
    if question.method == "bootstrap":
        spread = _resampled(question, rankings, units, listed, still)
    else:
        spread = _moved(question, rankings, units, points, still)
    if not check.is_smooth(rule):
        return Evidence(spread, basis)
    slopes = influence(rule, points)
    weight = units.weight_of_negatives(slopes.tied, slopes.between)
    spread = spread._replace(unseen=lost_to_one_more(rule, points, weight))
    heavy = weight > _HEAVY * points.n_positives / holding
    much = spread.shares @ (spread.unseen * heavy) > _MUCH * spread.mean
    return Evidence(spread, basis, heavy=weight.max(where=heavy, initial=0).item() if much else 0.0)


def _resampled(
    question: Question, rankings: Rankings, units: Units, listed: Array | None, still: Spread
) -> Spread:
    """How numbers vary from resample to resample."""
    rule, times, rng = question.rule, question.n_resamples, question.generator
    if rule.depth is None or listed is None:
        draws = draw_units(rule, units, times, rng)
    else:
        short = Shortlist.of(rankings, rule.depth, listed, units)
        draws = draw_short(rule, short, units, times, rng)
    drawn, positives = values_of(rule, draws, units.cells.n_queries)
    spread = _of_resamples(still, drawn)
    if rankings.average == "weighted":
        spread = spread._replace(drift=_drift_of_resamples(spread, drawn, positives))
    return spread


def _moved(
    question: Question, rankings: Rankings, units: Units, points: OperatingPoints, still: Spread
) -> Spread:
    """How numbers vary by the influence of each unit."""
    deviations, drift, lacking = _deviations(question.rule, rankings, units, points)
    n_units, folds = units.size, None
    scale = np.sqrt(n_units / (n_units - 1))
    if units.missing.any():  # positives that were not scored share a column a class
        root, folds = np.sqrt(units.missing), np.append(np.ones(units.n_scored), units.missing)
        deviations = np.hstack([deviations, np.diag(lacking * root)])
        drift = np.append(drift, _off(rankings, still.values, still.shares, points) * root)
    deviations, drift = deviations * scale, drift * scale
    return still._replace(deviations=deviations, n_units=n_units, folds=folds, drift=drift)


def influences(rule: Rule, rankings: Rankings, zero_division: ZeroDivision) -> Array:
    """The influence of each sample on the number."""
    if rankings.average == "samples":
        values, weight = _query_values(rule, rankings, zero_division)
        return _centred(values, weight)
    rankings = _of_size(rankings)
    if rankings.group is None:
        rankings, units, points = _counted(rule, rankings, None, zero_division)
        deviations, drift, _ = _deviations(rule, rankings, units, points)
        return np.asarray(_shares(rankings, points) @ deviations + drift)
    units = Units.of(rankings)
    points = check.check_existing(units.cells.points(), rankings)
    values, weight = _query_values(rule, rankings, zero_division)
    counted = np.where(np.isnan(values), 0, weight)
    check.check_positives(counted.sum(keepdims=True), None)
    share = counted / counted.sum()
    deviations, _, _ = _deviations(rule, rankings, units, points)
    own = share[rankings.group] * deviations[0]
    if rankings.average != "weighted":
        return np.asarray(own)
    off = (values - np.nansum(share * values)) / counted.sum()
    moved = units.cells.spread(each_point(off, points.offsets), 0.0, 0.0)
    return np.asarray(own + units.totals(moved)[0])


# --- samples -----------------------------------------------------------------------------------


def _score(question: Question, rankings: Rankings, points: OperatingPoints) -> tuple[float, Array]:
    """The number that the metric returns, and the values of the classes that hold positives."""
    rule, undefined = question.rule, _silent(question.zero_division)
    points = check.check_existing(points, rankings)
    values = rule.values(points)
    number = average_values(rule, values, points, rankings.queries, undefined)
    return float(number), values[np.flatnonzero(points.n_positives)]


def _as_scored(
    rule: Rule, rankings: Rankings, units: Units, points: OperatingPoints
) -> OperatingPoints:
    """The points that the metric makes of the same samples.

    `points` come from cells, which add up weights in another order. Counts don't mind, but
    fractions may end in another bit.
    """
    weight = rankings.weight
    is_whole = weight is None or weight.dtype.kind == "i"
    by_column = rankings.average in ("macro", "weighted")
    has_all = points.n_queries == (rankings.labels.shape[1] if by_column else 1)
    if is_whole and has_all and rule.depth is None:
        return points
    if rankings.average == "binary" and weight is not None:
        return units.in_order.points(weight, rule.depth is not None and rule.depth.by_rows)
    return rankings.points(rule.depth)


def _counted(
    rule: Rule, rankings: Rankings, cluster: Array | None, zero_division: ZeroDivision
) -> tuple[Rankings, Units, OperatingPoints]:
    """The units of the rankings that count, and their points."""
    may_lack = rankings.average == "weighted" or zero_division != zero_division
    rankings = check.check_columns(rankings, may_lack)
    every = rankings.weight is not None and rule.depth is not None and rule.depth.by_rows
    units = Units.of(rankings, cluster, every)
    points = check.check_existing(units.cells.points(every), rankings)
    check.check_positives(points.n_positives, rankings.names)
    return rankings, replace(units, missing=missing(points)), points


def _of_size(rankings: Rankings) -> Rankings:
    """The same with weights that can be divided by; influences do not depend on their scale."""
    weight, exist = rankings.weight, rankings.n_positives
    if weight is None or weight.max(initial=0) > 1e-200:
        return rankings
    exist = None if exist is None else np.ldexp(exist, 800)
    return replace(rankings, weight=np.ldexp(weight, 800), n_positives=exist)


def _deviations(
    rule: Rule, rankings: Rankings, units: Units, points: OperatingPoints
) -> tuple[Array, Array, Array]:
    """The influence of each scored unit on each number, its influence on the mean by way of the
    shares, and the influence of a positive that was not scored.
    """
    slopes = influence(check.check_smooth(rule), points)
    deviations = units.totals(units.cells.spread(slopes.positive, slopes.tied, slopes.between))
    drift = np.zeros(units.n_scored)
    if rankings.average == "weighted" and rankings.group is None:
        off = _off(rankings, rule.values(points), _shares(rankings, points), points)
        moved = units.cells.spread(each_point(off, points.offsets), 0.0, 0.0)
        drift = units.totals(moved).sum(axis=0)
    return deviations, drift, slopes.missing


def _off(rankings: Rankings, values: Array, shares: Array, points: OperatingPoints) -> Array:
    """What one more positive of each class does to the mean by way of the shares."""
    if rankings.average != "weighted":
        return np.zeros(values.shape)
    return np.asarray((values - shares @ values) / points.n_positives.sum())


def _shares(rankings: Rankings, points: OperatingPoints) -> Array:
    weight = points.n_positives if rankings.average == "weighted" else np.ones(points.n_queries)
    return np.asarray(weight / weight.sum())


def _trials(rule: Rule, points: OperatingPoints, holding: Array) -> Array:
    """On how many units each number rests, out of those that hold positives."""
    return np.maximum(np.floor(holding * rule.rests_on(points) + 1e-9), 1.0)


def _basis(rankings: Rankings, units: Units, holding: Array) -> str:
    if holding.size > 1:
        return f"{holding.size:,} classes, {units.n_scored:,} {units.kind}"
    what = "rows with positives" if rankings.average == "micro" else "positives"
    what = what if units.cluster is None else "clusters with positives"
    return _counted_in_words(holding.item(), what)


def _counted_in_words(number: float, what: str) -> str:
    """One positive, but two positives; "with positives" stays as it is."""
    things, *besides = what.split(" ")
    return " ".join([f"{number:,}", things.removesuffix("s") if number == 1 else things, *besides])


# --- resamples ---------------------------------------------------------------------------------


def errors_of_heights(question: Question, rankings: Rankings, x: Array) -> Array:
    """The standard error of the curve of one ranking at each place on the x axis."""
    rule, times, rng = question.rule, question.n_resamples, question.generator
    assert isinstance(rule, AreaRule)
    _, units, _ = _counted(rule, rankings, None, 0.0)
    if rankings.weight is None:
        lacking = int(units.missing.item())
        draws = draw_counts(units.cells, lacking, times, rng)
    else:
        draws = draw_units(rule, units, times, rng)
    each = np.concatenate([heights(rule.area(some), x) for some in draws])
    return np.asarray(np.nanstd(each, axis=0, ddof=1))


def _of_resamples(still: Spread, drawn: Array) -> Spread:
    drawn = check.check_resampled(drawn)
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


# --- queries -----------------------------------------------------------------------------------


def _of_queries(question: Question, rankings: Rankings) -> Evidence:
    values, weight = _query_values(question.rule, rankings, question.zero_division)
    return of_values(question, values, weight, "queries" if rankings.group is not None else "rows")


def of_values(question: Question, values: Array, weight: Array, kind: str) -> Evidence:
    """How the weighted mean of values varies, if each is that of a unit; nan leaves one out."""
    counted = np.flatnonzero(~np.isnan(values))
    values, weight = values[counted], weight[counted]
    check.check_positives(weight.sum(keepdims=True), None)
    check.check_units(values.size, kind)
    number, heavy = mean(values, weight), np.flatnonzero(weight)
    still = Spread(np.array([number]), np.ones(1), NOTHING, np.array([heavy.size]), number)
    if question.method == "bootstrap":
        drawn = resample_means(values, weight, question.n_resamples, question.generator)
        spread = _of_resamples(still, drawn[:, np.newaxis])
    else:
        deviations = _centred(values, weight) * np.sqrt(values.size / (values.size - 1))
        spread = still._replace(deviations=deviations[np.newaxis])
    spread = spread._replace(each=values[heavy]).settled()
    return Evidence(spread, f"{values.size:,} {kind}", weight[heavy] / weight.sum())


def _query_values(
    rule: Rule, rankings: Rankings, zero_division: ZeroDivision
) -> tuple[Array, Array]:
    """The value and the weight of each query; nan leaves one out."""
    points = check.check_existing(rankings.points(rule.depth), rankings)
    check.warn_of_light_k(rule.depth, points, rankings.queries.sample_weight)
    values = check.fill_undefined(rule.values(points), rankings.names, zero_division)
    weight = rankings.queries.weight
    if rankings.average == "weighted":
        weight = points.n_positives
    return values, np.ones(values.size) if weight is None else weight


def _centred(values: Array, weight: Array) -> Array:
    """The influence of each query on the weighted mean; 0 of those that are left out."""
    counted = ~np.isnan(values)
    share = np.where(counted, weight, 0) / weight[counted].sum()
    values = np.where(counted, values, 0)
    return np.asarray(share * (values - share @ values))
