"""How much a value varies: one plan for each kind of sampling unit.

A plan contains what an interval needs: the value and its limits, on how many units it rests, how
far each unit moves it, and what resamples are drawn from. `vary_together` adds to the plans of
models how much their values vary. It serves arrays, streams and pictures.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import nan, sqrt
from typing import Any, Self

import numpy as np

from .._evaluate.value import (
    are_negatives_heavy,
    average_values,
    fill_undefined,
    valued,
    weigh_labels,
)
from .._read.sampling_units import Sample, names_of_columns, refuse_empty, stacked
from .._show.progress import ResampleProgress, step
from .._words.inputs import ZeroDivision
from .._words.messages import (
    about,
    count_of,
    warn_of_heavy_negatives,
    warn_of_unequal_clusters,
    warn_of_weighed_k,
    warning_once,
)
from ..core.all_pairs import place_of_best
from ..core.cutoff import EVERY_ROW, MOST_MASS, Cut, needs_every_point
from ..core.evidence import Evidence, Valued
from ..core.influence import (
    deviations_of,
    is_smooth,
    known_about,
    lacked_at_top,
    shares_of,
    slopes_of,
    spread_of_positives,
    through_shares,
    unscored_positives,
    weight_of_biasing,
    weight_of_heavy,
)
from ..core.operating_points import OperatingPoints
from ..core.rankings import Names, Rankings, mean
from ..core.resampling import draw_counts, draw_units, resample_means, values_of
from ..core.rules import AreaRule, OfGroup, PrecisionAtK, Rule, Step
from ..core.spread import Spread
from ..core.units import (
    Clusters,
    Holding,
    InOrder,
    SamplingUnits,
    cells_of_points,
    contents,
    fractional_ranks,
    keeps_order,
    n_alike,
    over_cells,
    points_of_ranks,
    ranked,
    with_diagonal,
)
from ..core.within import Array, any_of, ratio
from .requests import IntervalRequest, check_smooth

NOTHING = np.zeros(0)

_ONE = np.ones(1)


# --- plans ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Values, their sampling units, and how they vary with these."""

    spread: Spread  # the values and their limits, and once it's known, how much they vary
    basis: str  # such as "40 positives"
    unscored: Array = field(
        default_factory=lambda: NOTHING
    )  # positives of each ranking, not scored
    sample: Any = None  # the checked input; None for a stream
    averaged: Names = ()  # the names of the groups or classes whose values are averaged
    heavy: float = 0.0  # the weight of negatives, if a single one can change the value a lot
    evenness: float = 1.0  # the mean fraction of the clusters that would say as much if equal

    @property
    def n_groups(self) -> int | None:
        """The number of groups over which the value is a mean; None without groups."""
        by_group = self.sample is not None and self.sample.evidence.is_grouped
        return len(self.averaged) if by_group else None

    def weight_of_heavy(self, spread: Spread) -> float:
        """Return the weight of negatives that decide the value too much, or 0."""
        return self.heavy

    def of_units(self, of_mean: Array) -> Array:
        """Return what each unit of the sample contributes, of the deviations of a mean.

        Those of missed positives, which come last, aren't known by unit.
        """
        return of_mean[: len(self.sample.names)]

    def moved(self, rule: Rule) -> Spread:
        """Estimate how much the values vary from the influence of each unit on each value."""
        raise NotImplementedError

    def resampled(self, drawn: Array, positives: Array) -> Spread:
        """Estimate how much the values vary between resamples, of which these are the values and
        the positives, of shape (n_resamples, n_values).
        """
        return self.spread.of_resamples(drawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPlan(Plan):
    """One unweighted ranking, whose samples are the units. Its counts at each score are enough,
    unless models are paired by their samples.
    """

    points: OperatingPoints
    in_order: InOrder | None = None  # the samples, if models are paired by them

    @classmethod
    def of(
        cls,
        rule: Rule,
        points: OperatingPoints,
        value: Array,
        sample: Sample | None = None,
        in_order: InOrder | None = None,
        names: Names | None = None,
    ) -> Self:
        """Make the plan of `value`, which is what the metric returns.

        If it were computed again from all points instead of the top k, its last bit might differ.
        """
        _check_positives(points.n_positives, names if sample is None else sample.evidence.names)
        lacking = unscored_positives(points)
        n_units = _n_units_of(points, lacking)
        _check_units(n_units, "samples")
        holding = Holding.equal(points.n_positives)
        known = rule, points, value, _ONE, value.item(), holding, n_units, _ONE
        basis = count_of(points.n_positives.item(), "positives")
        return cls(
            spread=known_about(*known),
            basis=basis,
            unscored=lacking,
            sample=sample,
            points=points,
            in_order=in_order,
        )

    def moved(self, rule: Rule) -> Spread:
        points, lacking, n_units = (
            self.points,
            self.unscored,
            _n_units_of(self.points, self.unscored),
        )
        slopes = slopes_of(check_smooth(rule), points, self.spread.values)
        by_kind = slopes.positive, slopes.tied, slopes.between
        folds: Array | None = None
        if self.in_order is None:
            folds = np.concatenate(contents(points))
            deviations = np.concatenate(by_kind) * np.sqrt(folds)
        else:
            each = over_cells(points.offsets, *by_kind).repeat(cells_of_points(points).mass[0])
            deviations = self.in_order.by_label(each)
        if any_of(lacking):  # all of them share one column
            folds = np.append(np.ones(deviations.size) if folds is None else folds, lacking)
            deviations = np.append(deviations, slopes.unscored * np.sqrt(lacking))
        deviations *= sqrt(n_units / (n_units - 1))
        return self.spread._replace(deviations=deviations[np.newaxis], n_units=n_units, folds=folds)


def _heaviest_positive(labels: Array, weight: Array) -> float:
    return float(weight.max(where=labels if labels.ndim == 1 else labels.any(axis=1), initial=0))


def _n_units_of(points: OperatingPoints, lacking: Array) -> int:
    return int((points.n_samples + lacking).item())


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitPlan(Plan):
    """Samples or clusters, with weights, or in one ranking per class or group.

    Classes and groups are fixed, and their values are averaged.
    """

    units: SamplingUnits
    points: OperatingPoints

    @classmethod
    def of(cls, request: IntervalRequest, sample: Sample) -> Self:
        rule, clusters = request.rule, sample.clusters
        given = in_groups(sample.rankings, clusters)
        sized = given.of_usual_size() if is_smooth(rule) else given
        units, points = counted_units(rule, sized, clusters, request.zero_division)
        rankings = units.rankings
        kind = "samples" if clusters is None else "clusters"
        _check_units(units.size, kind, rankings.weight is not None)
        number, values = _value_and_class_values(request, given, units, points)
        shares = shares_of(rankings, points, request.zero_division)
        holding, weight = units.holding(shares), np.ones(values.size)
        if isinstance(rule, PrecisionAtK) and sample.kind == "rows":
            holding = _at_the_top(rule.depth, rankings, holding)
        is_weighted = rankings.weight is not None and np.ptp(rankings.weight) > 0
        by_rows = units.are_rows or (clusters is None and rankings.average != "micro")
        if is_weighted or (is_smooth(rule) and not (by_rows and rankings.weight is None)):
            area = rule if is_smooth(rule) else Step()
            slopes = slopes_of(area, points)
            weight = units.weight_of_negatives(slopes.tied, slopes.between)
        else:
            weight *= points.n_samples.sum() / rankings.labels.size
        known = rule, points, values, shares, number, holding, units.size, weight
        heaviest = None
        if rankings.weight is not None and is_weighted:
            heaviest = _heaviest_positive(rankings.labels, rankings.weight)
        of_heavy = rule, points, shares, number, holding.found, weight
        names = names_of_columns(rankings) if rankings.average in ("macro", "weighted") else ()
        return cls(
            spread=known_about(*known, heaviest),
            basis=_basis(sample, units, holding.found),
            sample=sample,
            averaged=[name for name, share in zip(names, shares, strict=False) if share],
            unscored=units.unscored,
            heavy=weight_of_heavy(*of_heavy),
            evenness=float(shares @ (holding.alike / holding.found)),
            units=units,
            points=points,
        )

    def cut(self, rule: Rule) -> Cut | None:
        """The cutoff, if resamples may draw the rows below it together."""
        if self.units.absent is not None:
            return None
        return None if rule.weighs_all and self.units.rankings.weight is not None else rule.depth

    def moved(self, rule: Rule) -> Spread:
        units, spread = self.units, self.spread
        deviations, drift, lacking = deviations_of(check_smooth(rule), units, self.points)
        n_units, folds = units.size, None
        scale = np.sqrt(n_units / (n_units - 1))
        if units.unscored.any():  # positives that were not scored share one column per class
            root = np.sqrt(units.unscored)
            folds = np.append(np.ones(units.n_scored), units.unscored)
            deviations = with_diagonal(deviations, lacking * root)
            if np.ndim(drift):
                more = through_shares(spread.values, spread.shares, self.points)
                drift = np.append(drift, more * root)
        deviations, drift = deviations * scale, drift * scale
        return spread._replace(deviations=deviations, n_units=n_units, folds=folds, drift=drift)

    def resampled(self, drawn: Array, positives: Array) -> Spread:
        # The value of a group without positives is a convention, so it doesn't vary.
        drawn = np.where(self.points.n_positives == 0, self.spread.values, drawn)
        spread = self.spread.of_resamples(drawn)
        if self.units.rankings.average != "weighted":
            return spread
        means = np.where(positives > 0, drawn, 0) * positives
        exist = positives.sum(axis=1)
        means = ratio(means.sum(axis=1), exist, 0.0)
        center = means.sum() / np.count_nonzero(exist)
        deviations = np.where(exist > 0, means - center, 0) / np.sqrt(np.count_nonzero(exist) - 1)
        return spread._replace(drift=np.asarray(deviations - spread.shares @ spread.deviations))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlan(Plan):
    """Groups or rows that are drawn. Their values are enough."""

    values: Array  # without those that are left out
    weight: Array
    places: Array  # of the units that are drawn, among those of the sample
    cluster: Array | None = None  # of each value; None if the values themselves are drawn
    biasing: Callable[[float], float] | None = None  # `weight_of_biasing` of a standard error

    @classmethod
    def of(
        cls,
        rule: Rule,
        found: Valued,
        weight: Array | None,
        sample: Sample | None = None,
        every: OperatingPoints | None = None,
    ) -> Self:
        """Make the plan of the weighted mean of values, of which nan is left out.

        `every` are all points of groups whose samples have weights.
        """
        words, names = "groups", None
        if sample is not None:
            by_group = sample.evidence.is_grouped
            words, names = (
                ("rows", None) if not by_group else (sample.group_words, sample.evidence.names)
            )
        kept = np.flatnonzero(~np.isnan(found.values))
        values, _, most, perfect = (each[kept] for each in found)
        weight = np.ones(kept.size) if weight is None else weight[kept]
        _check_positives(weight.sum(keepdims=True))
        _check_units(values.size, words)
        held = np.flatnonzero(weight)
        heavy = weight[held]
        places, cluster, evenness = kept, None, 1.0
        n_holding = values.size
        if not isinstance(rule, OfGroup):  # which knows what its labels mean
            n_holding = int(np.count_nonzero(found.n_positives[kept]))
        basis = _count_units(values.size, words, n_holding)
        if sample is not None and sample.clusters is not None:
            places, cluster = np.unique(sample.clusters.of[kept], return_inverse=True)
            heavy = np.bincount(cluster, weight)
            _check_units(heavy.size, "clusters")
            evenness = float(n_alike(np.square(heavy / heavy.sum()).sum(), heavy.size)) / heavy.size
            basis = f"{basis}, {count_of(heavy.size, sample.cluster_words)}"
        trials = n_alike(np.square(heavy / heavy.sum()).sum(keepdims=True), float(heavy.size))
        number, biasing = mean(values, weight), None
        if every is not None and isinstance(rule, AreaRule):
            shares = np.zeros(every.n_queries)
            shares[kept] = weight / weight.sum()
            biasing = partial(weight_of_biasing, rule, every, shares, number)
        spread = Spread(
            np.array([number]),
            np.ones(1),
            NOTHING,
            trials,
            number,
            each=values[held],
            weight=weight / weight.sum(),
            most=np.array([mean(np.maximum(most, values), weight)]),
            perfect=np.array([mean(np.maximum(perfect, values), weight)]),
        )
        if isinstance(rule, OfGroup):
            spread = spread.within(*rule.limits)
        return cls(
            spread=spread,
            basis=basis,
            sample=sample,
            averaged=() if names is None else [names[place] for place in kept.tolist()],
            values=values,
            weight=weight,
            places=places,
            cluster=cluster,
            evenness=evenness,
            biasing=biasing,
        )

    @property
    def n_groups(self) -> int | None:
        is_stream = self.sample is None
        return self.values.size if is_stream else super(GroupPlan, self).n_groups

    def by_unit(self, parts: Array) -> Array:
        """Add up what values contribute, if they are drawn in clusters."""
        return parts if self.cluster is None else np.bincount(self.cluster, parts)

    def of_units(self, of_mean: Array) -> Array:
        each = np.zeros(len(self.sample.names))  # units without a value don't contribute
        each[self.places] = of_mean
        return each

    def weight_of_heavy(self, spread: Spread) -> float:
        return self.biasing(spread.standard_error) if self.biasing else 0.0

    def moved(self, rule: Rule) -> Spread:
        deviations = self.by_unit(_centered(self.values, self.weight))
        size = deviations.size
        deviations *= np.sqrt(size / (size - 1))
        is_t_test = self.cluster is None and not np.ptp(self.weight)  # which is exact
        return self.spread._replace(
            deviations=deviations[np.newaxis],
            n_units=None if is_t_test else size,
            ends=self.spread.ends or (0.0, self.spread.farthest),
            may_be_skewed=True,
        ).settled()

    def drawn(self, times: int, rng: np.random.Generator) -> Spread:
        """Estimate how much the mean varies between resamples of the groups."""
        values, weight = self.values, self.weight
        if self.cluster is not None:
            values, weight = self.by_unit(values * weight), self.by_unit(weight)
            values = values / weight
        means = resample_means(values, weight, times, rng)
        return self.spread.of_resamples(means[:, np.newaxis]).settled()


def plan_of(request: IntervalRequest, sample: Sample, alone: bool = False) -> Plan:
    """Plan how to vary the value of checked input.

    A value `alone` is not compared with that of another model on the same units. The counts at each
    score are then enough, so the rows of one ranking needn't be in memory.
    """
    evidence, clusters, rule = sample.evidence, sample.clusters, request.rule
    if sample.by_query:
        found, weight = values_of_queries(rule, evidence, request.zero_division)
        every = None
        if evidence.is_grouped and evidence.has_rows and _have_heavy_negatives(evidence.rows):
            every = evidence.points(EVERY_ROW)
        return GroupPlan.of(rule, found, weight, sample, every)
    if evidence.average != "binary" or evidence.weights is not None or clusters is not None:
        return UnitPlan.of(request, sample)
    if alone:  # also for a bootstrap, which draws counts as it would draw samples
        points = evidence.points(None)
        points_at_k = points if rule.depth is None else evidence.points(rule.depth)
        return CountPlan.of(rule, points, rule.values(points_at_k), sample)
    # Models are paired by their samples, so these are kept: as units, or if they are few, in order.
    rankings = sample.rankings
    if request.method == "bootstrap" or not keeps_order(rankings):
        return UnitPlan.of(request, sample)
    in_order = ranked(rankings)
    points = rankings.out_of_existing(in_order.points())
    return CountPlan.of(rule, points, rule.values(points), sample, in_order)


def _have_heavy_negatives(rankings: Rankings) -> bool:
    weight = rankings.weight
    if weight is None:
        return False
    # The squares of large weights would overflow.
    return are_negatives_heavy(*weigh_labels(rankings.labels, weight / (weight.max() or 1)))


def values_of_queries(
    rule: Rule, evidence: Evidence, zero_division: ZeroDivision
) -> tuple[Valued, Array | None]:
    """Return the values of queries, nan for one that is left out, and their weights."""
    found = valued(rule, evidence)
    warn_of_weighed_k(rule.depth, evidence.queries.sample_weight)
    values = fill_undefined(found.values, evidence.queries, zero_division, rule)
    by_positives = evidence.average == "weighted"
    weight = found.n_positives if by_positives else evidence.queries.weight
    return found._replace(values=values), weight


def _centered(values: Array, weight: Array | None) -> Array:
    """Compute the influence of each query on the weighted mean, 0 for those that are left out."""
    counted = ~np.isnan(values)
    weight = np.where(counted, 1.0 if weight is None else weight, 0)
    share = weight / weight[counted].sum()
    values = np.where(counted, values, 0)
    return np.asarray(share * (values - share @ values))


def in_groups(rankings: Rankings, clusters: Clusters | None) -> Rankings:
    """Turn a single ranking into one group if clusters have positives that were not scored."""
    if rankings.group is not None or clusters is None or clusters.absent is None:
        return rankings
    group = np.zeros(rankings.labels.size, np.int64)
    return replace(rankings, group=group, names=["all samples"], average="macro")


def counted_units(
    rule: Rule, rankings: Rankings, clusters: Clusters | None, zero_division: ZeroDivision
) -> tuple[SamplingUnits, OperatingPoints]:
    """Return the units of the rankings that count, and the points of these."""
    if rankings.group is None:
        may_lack = rankings.average == "weighted" or zero_division != zero_division
        rankings = _with_positives(rankings, may_lack)
    every = needs_every_point(rule.depth, rankings.weight is not None)
    units = SamplingUnits.of(rankings, None if clusters is None else clusters.of, every)
    points = rankings.out_of_existing(units.cells.points(every))
    units = replace(units, unscored=unscored_positives(points))
    if clusters is not None:
        missed = clusters.unplaced(units.unscored)
        units = replace(units, n_scored=clusters.size, unscored=missed, absent=clusters.absent)
    if rankings.group is None:
        _check_positives(points.n_positives, rankings.names)
    else:
        undefined = np.where(points.n_positives == 0, np.nan, 0.0)
        fill_undefined(undefined, rankings.queries, zero_division)
        _check_positives(points.n_positives.sum(keepdims=True))
    return units, points


def _with_positives(rankings: Rankings, may_lack: bool) -> Rankings:
    """Keep the columns that have positives, which all of them must unless they `may_lack` them."""
    if not rankings.by_column:
        return rankings
    found = rankings.labels.sum(axis=0) if rankings.n_positives is None else rankings.n_positives
    empty = np.flatnonzero(found == 0)
    if not empty.size or empty.size == found.size:
        return rankings
    if not may_lack:
        why = "so their value is undefined (0/0) and has no interval. Pass zero_division=nan"
        refuse_empty(rankings, empty, f"{why} to leave them out of the mean.")
    return rankings.columns(np.flatnonzero(found))


def _value_and_class_values(
    request: IntervalRequest, rankings: Rankings, units: SamplingUnits, points: OperatingPoints
) -> tuple[float, Array]:
    """Return the value of the metric, and the values of the classes that contain positives.

    Groups without positives have values, too, which are 0 if they are left out of the mean.

    `points` come from cells, which add up weights in another order than the metric. That makes no
    difference for counts, but can change the last bit of fractions.
    """
    rule, weight, by_group = request.rule, rankings.weight, rankings.group is not None
    n_queries = rankings.labels.shape[1] if rankings.by_column else 1
    has_all = by_group or points.n_queries == n_queries
    is_whole = weight is None or weight.dtype.kind == "i"
    if not (has_all and is_whole and rule.depth is None):
        if rankings.average == "binary" and weight is not None and units.in_order is not None:
            every = needs_every_point(rule.depth, weighted=True)
            points = rankings.out_of_existing(units.in_order.points(weight, every))
        else:
            points = rankings.points(rule.depth)
    values = rule.values(points)
    number = average_values(rule, values, points.n_positives, rankings.queries, request.quietly)
    if by_group:
        return float(number), np.nan_to_num(
            fill_undefined(values, rankings.queries, request.quietly)
        )
    counted = np.flatnonzero((points.n_positives == 0) & ~np.isnan(values))
    if rankings.average == "macro" and counted.size:  # as 0 for precision at k
        refuse_empty(rankings, counted, "and they count as 0. Leave their columns out.")
    return float(number), values[np.flatnonzero(points.n_positives)]


class SingleUnitError(ValueError):
    """The data has a value, but no interval, because there is a single sampling unit."""

    def __init__(self, words: str, kind: str) -> None:
        super().__init__(words)
        self.reason = words  # which stays as it is if a model is appended to the error
        self.basis = count_of(1, kind)


def _check_units(n_units: int, kind: str, is_weighted: bool = False) -> None:
    if n_units < 2:
        words = (
            f"At least two {kind} are needed to estimate how much a value varies, but there is "
            f"{n_units}."
        )
        raise SingleUnitError(words, kind) if n_units else ValueError(words)
    if n_units > MOST_MASS:
        with about("n_positives"):
            if is_weighted:
                raise ValueError(
                    "n_positives counts weight, like the positives in y_true, and these weights "
                    "are so small that it is too large for an interval. Scale the weights up."
                )
            raise ValueError(
                f"With n_positives, there are {n_units:,} {kind} and missed positives, but an "
                f"interval can count at most 2**53 = {MOST_MASS:,}. Pass how many positives exist."
            )


def _check_positives(n_positives: Array, names: Names | None = None) -> None:
    if np.count_nonzero(n_positives) < n_positives.size:
        name = "" if names is None or len(names) != 1 else f" ({names[0]})"
        with about("y_true"):
            raise ValueError(
                f"No positive class found in y_true{name}, so the value is undefined (0/0) and has "
                "no interval."
            )


def _at_the_top(cut: Cut, rankings: Rankings, holding: Holding) -> Holding:
    """Let the positives of one ranking say as much as those in the top k do, on average.

    Precision at k doesn't depend on what the positives below weigh.
    """
    labels, scores, weight = rankings.labels, rankings.scores, rankings.weight
    if weight is None or labels.ndim == 2 or rankings.group is not None:
        return holding
    order = np.argsort(scores, kind="stable")[::-1]
    counted = np.ones(order.size) if cut.by_rows else weight[order].astype(float)
    whole = counted.sum(keepdims=True)
    first = order[np.cumsum(counted) - counted < cut.of(whole)]
    heft = weight[first[labels[first]]].astype(float)
    if not heft.size:
        return holding
    heft /= heft.sum()
    alike = holding.found * n_alike(np.square(heft).sum(), heft.size) / heft.size
    return holding._replace(alike=alike, of_mean=alike.item())


def _basis(sample: Sample, units: SamplingUnits, holding: Array) -> str:
    kind, rankings = sample.cluster_words, units.rankings
    if rankings.group is not None:
        basis = count_of(units.n_scored, kind)
        if sample.rankings.group is None:
            return basis
        return f"{count_of(holding.size, sample.group_words)}, {basis}"
    if holding.size > 1:
        what = f"{units.n_scored:,} {'samples' if units.cluster is None else kind}"
        return f"{holding.size:,} classes, {what}"
    if units.cluster is not None:
        return _count_units(units.n_scored, kind, holding.item())
    what = "rows with positives" if rankings.average == "micro" else "positives"
    return count_of(holding.item(), what)


def _count_units(number: int, kind: str, n_holding: int) -> str:
    """Count sampling units, and those with positives if some have none."""
    basis = count_of(number, kind)
    return basis if n_holding == number else f"{basis}, {n_holding:,} with positives"


# --- what varies ---------------------------------------------------------------------------------


def varied(request: IntervalRequest, sample: Sample) -> Plan:
    """Estimate how much the value of checked input varies."""
    with warning_once():
        return vary_together(request, [plan_of(request, sample, alone=True)])[0]


def vary_together(request: IntervalRequest, plans: Sequence[Plan]) -> list[Plan]:
    """Estimate how much the values of models vary on the same units."""
    if request.method == "bootstrap":
        spreads = _resampled(request, plans)
    else:
        spreads = [plan.moved(request.rule) for plan in plans]
    _warn_of_uneven(plans, spreads)
    return [replace(plan, spread=one) for plan, one in zip(plans, spreads, strict=True)]


def _warn_of_uneven(plans: Sequence[Plan], spreads: Sequence[Spread]) -> None:
    """Warn if values depend on a few of their units, or on a few heavy negatives."""
    sample = plans[0].sample
    weight = None if sample is None else sample.evidence.weights
    clusters = None if sample is None or sample.clusters is None else sample.cluster_words
    warn_of_unequal_clusters(min(plan.evenness for plan in plans), clusters)
    each = zip(plans, spreads, strict=True)
    heaviest = max(plan.weight_of_heavy(spread) for plan, spread in each)
    lightest = 1 if weight is None else weight.min()
    if clusters and (weight is None or lightest == weight.max()):
        warn_of_heavy_negatives(heaviest / lightest, clusters)
    else:
        warn_of_heavy_negatives(heaviest, by_group=isinstance(plans[0], GroupPlan))


def _resampled(request: IntervalRequest, plans: Sequence[Plan]) -> list[Spread]:
    """Estimate how much values vary between resamples that are drawn only once for all models."""
    if groups := [plan for plan in plans if isinstance(plan, GroupPlan)]:
        return [plan.drawn(request.times, request.generator) for plan in groups]
    found = zip(plans, resamples_of(request, plans), strict=True)
    return [plan.resampled(drawn[:, 0], drawn[:, 1]) for plan, drawn in found]


def resamples_of(request: IntervalRequest, plans: Sequence[Plan]) -> list[Array]:
    """Return the values and the positives of the resamples of each model, of shape
    (n_resamples, 2, n_values).
    """
    rule, times, rng = request.rule, request.times, request.generator
    units = [plan for plan in plans if isinstance(plan, UnitPlan)]
    if len(units) == 1 and units[0].units.are_rows:  # no model is paired with it by its units
        own = units[0].units
        counts = own.cells, np.array(own.n_unscored)
        draws = draw_counts(*counts, times, rng, units[0].cut(rule))
    elif units:
        models = [plan.units for plan in units]
        draws = draw_units(rule, models, times, rng, units[0].cut(rule))
    else:
        (one,) = (plan for plan in plans if isinstance(plan, CountPlan))
        counts = cells_of_points(one.points), one.unscored.astype(np.int64)
        draws = draw_counts(*counts, times, rng, rule.depth)
    values = [partial(values_of, rule, n_queries=plan.spread.values.size) for plan in plans]
    return _evaluated(draws, values, times)


def _evaluated(
    draws: Iterable[tuple[int, OperatingPoints]],
    functions: Sequence[Callable[[OperatingPoints], Array]],
    times: int,
) -> list[Array]:
    """Evaluate the resamples of each model by its function. The results have one row each."""
    found: list[list[Array]] = [[] for _ in functions]
    progress = ResampleProgress(times)
    for place, points in draws:
        found[place].append(functions[place](points))
        if not place:
            progress.add(len(found[0][-1]))
    return [np.concatenate(each) for each in found]


def vary_beside(
    request: IntervalRequest, plans: Mapping[Any, Plan], baseline: Any
) -> tuple[Any, dict[Any, list[Plan]], dict[Any, Plan]]:
    """Vary each model together with the baseline, by default the one with the best value.

    Return the name of the baseline, and for each other model how much that model and the baseline
    vary. Both get the draws that they would get without further models. Also return how much all
    models vary together, unless each pair was drawn apart.
    """
    base = baseline
    if baseline is None:
        values = np.array([plan.spread.mean for plan in plans.values()])
        base = [*plans][place_of_best(request.rule.sign * values)]
    others, plan = [model for model in plans if model != base], plans[base]
    has_cut = isinstance(plan, UnitPlan) and plan.cut(request.rule) is not None
    if len(others) > 1 and has_cut:  # each pair has a shortlist of its own
        pairs = {}
        for model in others:
            with step(f"{model} and {base}"):
                pairs[model] = vary_together(request, [plans[model], plans[base]])
        return base, pairs, {}
    each = vary_all(request, plans)
    return base, {model: [each[model], each[base]] for model in others}, each


def vary_all(request: IntervalRequest, plans: Mapping[Any, Plan]) -> dict[Any, Plan]:
    """Vary all models together."""
    return dict(zip(plans, vary_together(request, [*plans.values()]), strict=True))


def parts_of(request: IntervalRequest, plans: Sequence[Plan]) -> Array | None:
    """Compute what each unit contributes to the difference of two models, to first order.

    All samples of both models are ranked together, by their fractional ranks within their own
    model, so that models can be swapped whose scores are on different scales. What a unit
    contributes is its influence as ranked by one model, minus that as ranked by the other. Swapping
    the models in other units doesn't change it, because the ranking of both together stays the
    same.

    Return None if the models weren't evaluated on the same groups.
    """
    one, other = (plan.sample for plan in plans)
    n_units = len(one.names)
    each, size = _of_equal(request.rule, plans), 2 * n_units
    if each is None:
        both = stacked(one, other, [_ranks_within_model(plan) for plan in plans])
        if both is None:
            return None
        each, size = _influence_of_units(
            request.rule, both.rankings, both.clusters, request.quietly
        )
    scale = 2 * np.sqrt(size / (size - 1))
    return np.asarray(scale * (each[:n_units] - each[n_units : 2 * n_units]))


def spread_in(plan: Plan) -> float:
    """Estimate how far apart the positives of a single ranking are; nan for other values."""
    if not isinstance(plan, CountPlan | UnitPlan) or plan.points.n_queries > 1:
        return nan
    return spread_of_positives(plan.points)


def unseen_at_top(
    plans: Sequence[Plan], spread_of: Callable[[Plan], float] = spread_in
) -> tuple[float, float]:
    """Return the standard errors of both ends of a difference that come from negatives missing at
    the top: either model may be worse than it looks.
    """
    one, other = map(spread_of, plans)
    fractions = lacked_at_top(one, other), lacked_at_top(other, one)
    each = zip(fractions, plans, strict=True)
    low, high = (part and part * float(np.max(plan.spread.loss().unseen)) for part, plan in each)
    return low, high


def _ranks_within_model(plan: Plan) -> Array:
    """Return the fractional ranks of a model, whose order is known unless classes were left out."""
    rankings = plan.sample.rankings
    if isinstance(plan, UnitPlan) and plan.units.rankings.labels is rankings.labels:
        return fractional_ranks(rankings, plan.units.in_order)
    return fractional_ranks(rankings)


def _of_equal(rule: Rule, plans: Sequence[Plan]) -> Array | None:
    """Compute the influences of both models together if each is one ranking of equal samples.

    Their ranks are known, so nothing is sorted. Return None for other models.
    """
    ranks = []
    for plan in plans:
        if not isinstance(plan, CountPlan) or plan.in_order is None or any_of(plan.unscored):
            return None
        ranks.append(plan.in_order.by_label(plan.in_order.ranks()))
    labels = [plan.sample.rankings.labels for plan in plans]
    points, cell = points_of_ranks(np.concatenate(labels), np.concatenate(ranks))
    slopes = slopes_of(check_smooth(rule), points)
    return over_cells(points.offsets, slopes.positive, slopes.tied, slopes.between).take(cell)


def _influence_of_units(
    rule: Rule, rankings: Rankings, clusters: Clusters | None, zero_division: ZeroDivision
) -> tuple[Array, int]:
    """Compute the influence of each scored unit on the mean, and count all units."""
    given = in_groups(rankings, clusters).of_usual_size()
    units, points = counted_units(rule, given, clusters, zero_division)
    deviations, drift, _ = deviations_of(check_smooth(rule), units, points)
    shares = shares_of(units.rankings, points, zero_division)
    return np.asarray(shares @ deviations + drift), units.size


def resamples_of_curve(
    request: IntervalRequest, sample: Sample, curve: Callable[[OperatingPoints], Array]
) -> Array:
    """Return the curves of resamples of a single ranking, one row each.

    `curve` returns the heights of several rankings at these positions, one row per ranking.
    """
    rule, times, rng = request.rule, request.times, request.generator
    rankings, clusters = sample.rankings, sample.clusters
    units, _ = counted_units(rule, rankings, clusters, 0.0)
    draws = draw_units(rule, [units], times, rng)
    if rankings.weight is None and clusters is None:
        draws = draw_counts(units.cells, np.array(units.n_unscored), times, rng)
    return _evaluated(draws, [curve], times)[0]
