"""How much a value varies: the same computation for arrays, streams and pictures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from ._finish import average_values
from ._validation.inference import (
    check_columns,
    check_positives,
    check_resampled,
    check_smooth,
    check_units,
    is_smooth,
)
from ._validation.samples import check_existing
from ._validation.undefined import (
    fill_undefined,
    warn_of_heavy_negatives,
    warn_of_light_k,
    warning_once,
)
from .core.cells import of_points
from .core.influence import influence, lost_to_one_more, missing
from .core.intervals import Spread
from .core.operating_points import OperatingPoints
from .core.rankings import Names, Rankings, mean
from .core.resampling import (
    draw_counts,
    draw_short,
    draw_units,
    resample_means,
    values_of,
)
from .core.rules import Rule
from .core.segments import Array
from .core.segments import spread as each_point
from .core.shortlist import Shortlist, shortlist
from .core.units import Clusters, Units

ZeroDivision = float | str
NOTHING = np.zeros(0)

# A value depends on a few negatives if each weighs more than _HEAVY positives, and one more of them
# at the top would take more than the share _MUCH of the value. With subsampled negatives, average
# precision is then too high by 2% or more (see docs/weights.md).
_HEAVY, _MUCH = 8, 0.25


@dataclass(frozen=True, slots=True)
class Question:
    """What to compute from the samples, and by which method."""

    rule: Rule
    method: str
    n_resamples: int
    seed: int
    zero_division: ZeroDivision = "warn"

    @property
    def generator(self) -> np.random.Generator:
        """A new generator, so that the draws are the same for each model that is compared."""
        return np.random.default_rng(self.seed)

    def again(self) -> Self:
        """Return the same question, without a second warning."""
        return replace(self, zero_division=_silent(self.zero_division))


class QueryValues(NamedTuple):
    """The values of queries, nan for one that is left out, with their weights and limits."""

    values: Array
    weight: Array
    most: Array  # the largest possible value of each
    perfect: Array  # the value of a perfect ranking of each

    @classmethod
    def of(cls, rule: Rule, points: OperatingPoints, values: Array, weight: Array | None) -> Self:
        weight = np.ones(values.size) if weight is None else weight
        return cls(values, weight, rule.most(points), rule.perfect(points))

    def mean(self, trials: Array) -> Spread:
        """Return the weighted mean, before it is known how much it varies."""
        number = mean(self.values, self.weight)
        most, perfect = (
            np.array([mean(np.maximum(each, self.values), self.weight)])
            for each in (self.most, self.perfect)
        )
        values, one = np.array([number]), np.ones(1)
        return Spread(values, one, NOTHING, trials, number, most=most, perfect=perfect)


class Evidence(NamedTuple):
    """How much a value varies, and the data that it is based on."""

    spread: Spread
    basis: str  # such as "40 positives"
    weight: Array = NOTHING  # the weight of each group in a mean over groups
    left_out: Array = NOTHING  # the indices of groups that are not in the mean
    heavy: float = 0.0  # the weight of negatives, if a single one can change the value a lot


@dataclass(frozen=True, slots=True)
class Sample:
    """Checked input, with its sampling units."""

    rankings: Rankings
    clusters: Clusters | None = None
    names: Names = ()  # the names of the units
    kind: str = "rows"  # the kind of the units: "rows", "groups" or "clusters"
    group_words: str = "groups"  # such as "groups (query)"
    cluster_words: str = "clusters"

    @property
    def classes(self) -> Names:
        """The names of the columns."""
        names = self.rankings.names
        return range(self.rankings.scores.shape[1]) if names is None else names

    def of_class(self, place: int) -> Self:
        """Return the ranking of a single column."""
        rankings, exist = self.rankings, self.rankings.n_positives
        one = replace(
            rankings,
            labels=rankings.labels[:, place],
            scores=rankings.scores[:, place],
            average="binary",
            n_positives=None if exist is None else exist[place : place + 1],
            names=[self.classes[place]],
        )
        return replace(self, rankings=one)


def has_queries(rankings: Rankings) -> bool:
    """Whether each group or row is ranked separately."""
    return rankings.group is not None or rankings.average == "samples"


def evidence(question: Question, sample: Sample) -> Evidence:
    """Estimate how much the value of checked input varies."""
    rankings, rule = sample.rankings, question.rule
    listed = _listed(question, [sample])
    if rankings.average == "binary" and rankings.weight is None and sample.clusters is None:
        points = read = check_existing(rankings.points(None), rankings)
        if listed is None or np.count_nonzero(listed) > 3 * points.positives.size:  # its cells
            if rule.depth is not None:
                read = check_existing(rankings.points(rule.depth), rankings)
            return of_counts(question, points, rule.values(read), rankings.names)
    found = unit_by_unit(question, sample, listed)
    warn_of_heavy_negatives(found.heavy)
    return found


def unit_by_unit(question: Question, sample: Sample, listed: Array | None = None) -> Evidence:
    """Do the same with a deviation for each unit, by which models can be paired."""
    rankings, clusters = sample.rankings, sample.clusters
    if clusters is not None and (rankings.group is not None or clusters.absent is not None):
        return _of_clusters(question, sample, clusters)
    if has_queries(rankings):
        return _of_queries(question, sample)
    found = of_units(question, rankings, None if clusters is None else clusters.of, listed)
    basis = found.basis.replace("clusters", sample.cluster_words)
    return found._replace(basis=basis)


def averaged_names(question: Question, sample: Sample) -> list[Any]:
    """Return the names of the fixed groups or classes whose values are averaged."""
    rankings = sample.rankings
    if rankings.group is not None:
        values = _query_values(question.rule, rankings, _silent(question.zero_division)).values
        names = rankings.names or ()
        return [names[place] for place in np.flatnonzero(~np.isnan(values)).tolist()]
    if rankings.average not in ("macro", "weighted"):
        return []
    if rankings.names is None:
        rankings = replace(rankings, names=range(rankings.labels.shape[1]))
    return list(check_columns(rankings, may_lack=True).names or ())


def unplaced(sample: Sample) -> Array:
    """Count the positives of each ranking that were not scored and belong to no named cluster."""
    rankings, clusters = sample.rankings, sample.clusters
    if rankings.n_positives is None:
        return np.zeros(1)
    lacking = missing(check_existing(rankings.points(None), rankings))
    if clusters is None or clusters.absent is None:
        return lacking
    return np.asarray(lacking - np.bincount(*clusters.absent[::2], lacking.size))


def compared(question: Question, samples: Sequence[Sample]) -> list[Evidence]:
    """Estimate how much the values of models vary on the same units."""
    listed = _listed(question, samples)
    with warning_once():
        found = [unit_by_unit(question, sample, listed) for sample in samples]
    warn_of_heavy_negatives(max(each.heavy for each in found))
    return found


def _listed(question: Question, samples: Sequence[Sample]) -> Array | None:
    """Return the rows that resamples of all models have to distinguish; None for all."""
    first = samples[0].rankings
    if samples[0].clusters is not None or has_queries(first):
        return None
    if question.rule.weighs_all and first.weight is not None:
        return None
    return shortlist(question.rule.depth, *(sample.rankings for sample in samples))


def _silent(zero_division: ZeroDivision) -> ZeroDivision:
    """Return the same value, without a second warning."""
    return 0.0 if zero_division == "warn" else zero_division


def of_counts(
    question: Question, points: OperatingPoints, value: Array, names: Names | None = None
) -> Evidence:
    """Estimate how much the value of one unweighted ranking varies, with the samples as units.

    `value` is what the metric returns. If it were computed again from all points instead of the top
    k, its last bit might differ.
    """
    check_positives(points.n_positives, names)
    rule, lacking, cells = question.rule, missing(points), of_points(points)
    n_units = int((points.n_samples + lacking).item())
    check_units(n_units, "samples")
    trials = _trials(rule, points, points.n_positives)
    unseen = lost_to_one_more(rule, points, np.ones(1)) if is_smooth(rule) else 0.0
    basis = _counted_in_words(points.n_positives.item(), "positives")
    still = _still(rule, points, value, np.ones(1), trials, value.item())._replace(unseen=unseen)
    if question.method == "bootstrap":
        draws = draw_counts(cells, int(lacking.item()), question.n_resamples, question.generator)
        drawn, _ = values_of(rule, draws, 1)
        return Evidence(_of_resamples(still, drawn), basis)
    slopes = influence(check_smooth(rule), points)
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
    """Do the same sample by sample, for weights, clusters and several classes.

    `listed` are the rows that resamples have to distinguish; None for all.
    """
    rule, given = question.rule, rankings
    if is_smooth(rule):
        rankings = _of_size(rankings)
    rankings, units, points = _counted(rule, rankings, cluster, question.zero_division)
    check_units(units.size, "samples" if cluster is None else "clusters")
    number, values = _score(question, given, _as_scored(rule, given, units, points))
    holding = units.holding(rankings)
    trials, basis = _trials(rule, points, holding), _basis(rankings, units, holding)
    still = _still(rule, points, values, _shares(rankings, points), trials, number)
    if question.method == "bootstrap":
        spread = _resampled(question, rankings, units, listed, still)
    else:
        spread = _moved(question, rankings, units, points, still)
    if not is_smooth(rule):
        return Evidence(spread, basis)
    slopes = influence(rule, points)
    weight = units.weight_of_negatives(slopes.tied, slopes.between)
    spread = spread._replace(unseen=lost_to_one_more(rule, points, weight))
    heavy = weight > _HEAVY * points.n_positives / holding
    much = spread.shares @ (spread.unseen * heavy) > _MUCH * spread.mean
    return Evidence(spread, basis, heavy=weight.max(where=heavy, initial=0).item() if much else 0.0)


def _still(
    rule: Rule, points: OperatingPoints, values: Array, shares: Array, trials: Array, number: float
) -> Spread:
    """Collect what is known about values before it is known how much they vary."""
    most, perfect = np.maximum(rule.most(points), values), rule.perfect(points)
    return Spread(values, shares, NOTHING, trials, number, most=most, perfect=perfect)


def _resampled(
    question: Question, rankings: Rankings, units: Units, listed: Array | None, still: Spread
) -> Spread:
    """Estimate how much values vary between resamples."""
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
    """Estimate how much values vary from the influence of each unit."""
    deviations, drift, lacking = _deviations(question.rule, rankings, units, points)
    n_units, folds = units.size, None
    scale = np.sqrt(n_units / (n_units - 1))
    if units.missing.any():  # positives that were not scored share one column per class
        root, folds = np.sqrt(units.missing), np.append(np.ones(units.n_scored), units.missing)
        deviations = np.hstack([deviations, np.diag(lacking * root)])
        drift = np.append(drift, _off(rankings, still.values, still.shares, points) * root)
    deviations, drift = deviations * scale, drift * scale
    return still._replace(deviations=deviations, n_units=n_units, folds=folds, drift=drift)


def influences(rule: Rule, rankings: Rankings, zero_division: ZeroDivision) -> Array:
    """Compute the influence of each sample on the value."""
    if rankings.average == "samples":
        values, weight, *_ = _query_values(rule, rankings, zero_division)
        return _centred(values, weight)
    rankings = _of_size(rankings)
    if rankings.group is None:
        rankings, units, points = _counted(rule, rankings, None, zero_division)
        deviations, drift, _ = _deviations(rule, rankings, units, points)
        return np.asarray(_shares(rankings, points) @ deviations + drift)
    values, weight, *_ = _query_values(rule, rankings, zero_division)
    return _moved_in_groups(rule, rankings, values, weight)[0]


def _moved_in_groups(
    rule: Rule, rankings: Rankings, values: Array, weight: Array
) -> tuple[Array, Array]:
    """Compute the influence of each sample on the mean over groups.

    The second array is the influence of a positive of each group that was not scored.
    """
    units = Units.of(rankings)
    points = check_existing(units.cells.points(), rankings)
    counted = np.where(np.isnan(values), 0, weight)
    check_positives(counted.sum(keepdims=True), None)
    share = counted / counted.sum()
    deviations, _, lacking = _deviations(rule, rankings, units, points)
    own, lost = share[rankings.group] * deviations[0], share * lacking
    if rankings.average != "weighted":
        return np.asarray(own), np.asarray(lost)
    off = (values - np.nansum(share * values)) / counted.sum()
    moved = units.cells.spread(each_point(off, points.offsets), 0.0, 0.0)
    return np.asarray(own + units.totals(moved)[0]), np.asarray(lost + off)


# --- samples -----------------------------------------------------------------------------------


def _score(question: Question, rankings: Rankings, points: OperatingPoints) -> tuple[float, Array]:
    """Return the value of the metric, and the values of the classes that contain positives."""
    rule, undefined = question.rule, _silent(question.zero_division)
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
        return units.in_order.points(weight, rule.depth is not None and rule.depth.by_rows)
    return rankings.points(rule.depth)


def _counted(
    rule: Rule, rankings: Rankings, cluster: Array | None, zero_division: ZeroDivision
) -> tuple[Rankings, Units, OperatingPoints]:
    """Return the rankings that count, their units and their points."""
    may_lack = rankings.average == "weighted" or zero_division != zero_division
    rankings = check_columns(rankings, may_lack)
    every = rankings.weight is not None and rule.depth is not None and rule.depth.by_rows
    units = Units.of(rankings, cluster, every)
    points = check_existing(units.cells.points(every), rankings)
    check_positives(points.n_positives, rankings.names)
    return rankings, replace(units, missing=missing(points)), points


def _of_size(rankings: Rankings) -> Rankings:
    """Scale up tiny weights so that dividing by them is safe, which leaves influences unchanged."""
    weight, exist = rankings.weight, rankings.n_positives
    if weight is None or weight.max(initial=0) > 1e-200:
        return rankings
    exist = None if exist is None else np.ldexp(exist, 800)
    return replace(rankings, weight=np.ldexp(weight, 800), n_positives=exist)


def _deviations(
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
        off = _off(rankings, rule.values(points), _shares(rankings, points), points)
        moved = units.cells.spread(each_point(off, points.offsets), 0.0, 0.0)
        drift = units.totals(moved).sum(axis=0)
    return deviations, drift, slopes.missing


def _off(rankings: Rankings, values: Array, shares: Array, points: OperatingPoints) -> Array:
    """Return the effect of one more positive of each class on the mean through the shares."""
    if rankings.average != "weighted":
        return np.zeros(values.shape)
    return np.asarray((values - shares @ values) / points.n_positives.sum())


def _shares(rankings: Rankings, points: OperatingPoints) -> Array:
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
    return _counted_in_words(holding.item(), what)


def _counted_in_words(number: float, what: str) -> str:
    """Format a count with its noun: 1 positive, 2 positives, 1 cluster with positives."""
    things, *besides = what.split(" ")
    return " ".join([f"{number:,}", things.removesuffix("s") if number == 1 else things, *besides])


# --- resamples ---------------------------------------------------------------------------------


def errors_of_curve(
    question: Question, rankings: Rankings, curve: Callable[[OperatingPoints], Array]
) -> Array:
    """Estimate the standard error of a ranking's curve at each position, by the bootstrap.

    `curve` returns the heights of several rankings at these positions, one row per ranking.
    """
    rule, times, rng = question.rule, question.n_resamples, question.generator
    _, units, _ = _counted(rule, rankings, None, 0.0)
    if rankings.weight is None:
        lacking = int(units.missing.item())
        draws = draw_counts(units.cells, lacking, times, rng)
    else:
        draws = draw_units(rule, units, times, rng)
    each = np.concatenate([curve(some) for some in draws])
    return np.asarray(np.nanstd(each, axis=0, ddof=1))


def _of_resamples(still: Spread, drawn: Array) -> Spread:
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


# --- queries -----------------------------------------------------------------------------------


def _of_queries(question: Question, sample: Sample) -> Evidence:
    queries = _query_values(question.rule, sample.rankings, question.zero_division)
    words = sample.group_words if sample.rankings.group is not None else "rows"
    return of_values(question, queries, words)


def of_values(question: Question, queries: QueryValues, words: str) -> Evidence:
    """Estimate how much the weighted mean of the units' values varies; nan leaves a unit out."""
    left_out = np.flatnonzero(np.isnan(queries.values))
    queries = QueryValues(*(np.delete(each, left_out) for each in queries))
    values, weight = queries.values, queries.weight
    check_positives(weight.sum(keepdims=True), None)
    check_units(values.size, words)
    heavy = np.flatnonzero(weight)
    still = queries.mean(np.array([heavy.size]))
    if question.method == "bootstrap":
        drawn = resample_means(values, weight, question.n_resamples, question.generator)
        spread = _of_resamples(still, drawn[:, np.newaxis])
    else:
        deviations = _centred(values, weight) * np.sqrt(values.size / (values.size - 1))
        spread = still._replace(deviations=deviations[np.newaxis])
    spread = spread._replace(each=values[heavy]).settled()
    basis = _counted_in_words(values.size, words)
    return Evidence(spread, basis, weight / weight.sum(), left_out)


def _query_values(rule: Rule, rankings: Rankings, zero_division: ZeroDivision) -> QueryValues:
    points = check_existing(rankings.points(rule.depth), rankings)
    warn_of_light_k(rule.depth, points, rankings.queries.sample_weight)
    values = fill_undefined(rule.values(points), rankings.names, zero_division)
    weight = rankings.queries.weight
    if rankings.average == "weighted":
        weight = points.n_positives
    return QueryValues.of(rule, points, values, weight)


def _centred(values: Array, weight: Array) -> Array:
    """Compute the influence of each query on the weighted mean, 0 for those that are left out."""
    counted = ~np.isnan(values)
    share = np.where(counted, weight, 0) / weight[counted].sum()
    values = np.where(counted, values, 0)
    return np.asarray(share * (values - share @ values))


# --- clusters that can have samples of several groups ------------------------------------------


def _of_clusters(question: Question, sample: Sample, clusters: Clusters) -> Evidence:
    """Estimate how much the mean over fixed groups varies if the clusters are drawn."""
    rule, rankings = question.rule, _in_groups(sample.rankings)
    if is_smooth(rule):
        rankings = _of_size(rankings)
    queries = _query_values(rule, rankings, question.zero_division)
    values, weight, *_ = queries
    points = check_existing(rankings.points(None), rankings)
    lacking = missing(points)
    if clusters.absent is not None:
        lacking = lacking - np.bincount(*clusters.absent[::2], lacking.size)
    check_units(clusters.size, "clusters")
    holding = np.array([clusters.holding(rankings.labels) + np.ceil(lacking).sum()])
    trials = np.maximum(np.floor(holding * rule.rests_on(points).max() + 1e-9), 1.0)
    still = queries.mean(trials)
    vary = _resampled_clusters if question.method == "bootstrap" else _moved_clusters
    spread = vary(question, rankings, clusters, values, weight, lacking, still)
    groups = _counted_in_words(values.size, sample.group_words)
    drawn = _counted_in_words(clusters.size, sample.cluster_words)
    return Evidence(spread, drawn if sample.rankings.group is None else f"{groups}, {drawn}")


def _in_groups(rankings: Rankings) -> Rankings:
    """Turn a single ranking into one group."""
    if rankings.group is not None:
        return rankings
    group = np.zeros(rankings.labels.size, np.int64)
    return replace(rankings, group=group, names=["all samples"], average="macro")


def _moved_clusters(
    question: Question,
    rankings: Rankings,
    clusters: Clusters,
    values: Array,
    weight: Array,
    lacking: Array,
    still: Spread,
) -> Spread:
    """Use influences: those of a cluster's samples and of its absent positives add up."""
    own, lost = _moved_in_groups(question.rule, rankings, values, weight)
    deviations = np.bincount(clusters.of, own, clusters.size)
    if clusters.absent is not None:
        query, cluster, number = clusters.absent
        deviations += np.bincount(cluster, lost[query] * number, clusters.size)
    n_units = clusters.size + int(np.ceil(lacking).sum())
    folds = None
    if lacking.any():
        deviations = np.append(deviations, lost * np.sqrt(lacking))
        folds = np.append(np.ones(clusters.size), lacking)
    deviations = deviations * np.sqrt(n_units / (n_units - 1))
    return still._replace(deviations=deviations[np.newaxis], n_units=n_units, folds=folds)


def _resampled_clusters(
    question: Question,
    rankings: Rankings,
    clusters: Clusters,
    values: Array,
    weight: Array,
    lacking: Array,
    still: Spread,
) -> Spread:
    """Use resamples of clusters, leaving out groups that have no positives in a resample."""
    rule = question.rule
    every = rankings.weight is not None and rule.depth is not None and rule.depth.by_rows
    units = replace(
        Units.of(rankings, clusters.of, every),
        n_scored=clusters.size,
        missing=lacking,
        absent=clusters.absent,
    )
    draws = draw_units(rule, units, question.n_resamples, question.generator)
    drawn, positives = values_of(rule, draws, values.size)
    empty = check_existing(rankings.points(None), rankings).n_positives == 0
    drawn = np.where(empty, values, drawn)
    weight = positives if rankings.average == "weighted" else np.broadcast_to(weight, drawn.shape)
    weight = np.where(np.isnan(drawn), 0, weight)
    with np.errstate(invalid="ignore"):
        means = np.where(weight > 0, drawn, 0) * weight
        means = means.sum(axis=1, keepdims=True) / weight.sum(axis=1, keepdims=True)
    return _of_resamples(still, means)
