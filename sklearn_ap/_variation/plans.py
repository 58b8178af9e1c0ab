"""How much values vary: one plan for each kind of sampling unit.

A plan contains what an interval needs: the values and their limits, on how many units they rest,
how far each unit moves them, and how to draw resamples. `Plan.vary` turns it into a `Spread`.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self, TypeGuard

import numpy as np

from .._finish import average_values, fill_undefined
from .._names import written
from .._validation.errors import about
from .._validation.samples import apply_n_positives
from .._validation.units import Sample, names_of_columns
from .._validation.warned import warn_of_weighed_k
from ..core.cutoff import ALL, MOST_MASS, Cut, needs_every_point
from ..core.intervals import Spread
from ..core.operating_points import OperatingPoints
from ..core.rankings import Names, Rankings, mean
from ..core.rules import AreaRule, Rule
from ..core.segments import Array
from ..core.segments import spread as each_point
from ..core.units import Clusters, Units, cells_of_points
from ..core.variation import (
    draw_counts,
    draw_units,
    influence,
    lost_to_one_more,
    missing,
    resample_means,
    values_of,
)

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

    @property
    def quietly(self) -> ZeroDivision:
        """What replaces 0/0 if a warning was given before."""
        return 0.0 if self.zero_division == "warn" else self.zero_division


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Values, their sampling units, and how they vary with these."""

    rule: Rule
    still: Spread  # the values and their limits, before it is known how much they vary
    basis: str  # such as "40 positives"
    # The fraction of the mean over groups that each group makes up.
    weight: Array = field(default_factory=lambda: NOTHING)
    averaged: Names = ()  # the names of the groups or classes whose values are averaged
    # Positives of each ranking that were not scored and belong to no named cluster.
    unplaced: Array = field(default_factory=lambda: NOTHING)
    heavy: float = 0.0  # the weight of negatives, if a single one can change the value a lot

    def vary(self, question: Question) -> Spread:
        """Estimate how much the values vary."""
        if question.method == "bootstrap":
            return self.resampled(*self.draw(question.n_resamples, question.generator))
        return self.moved()

    def moved(self) -> Spread:
        """Estimate how much the values vary from the influence of each unit on each value."""
        raise NotImplementedError

    def draw(self, times: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return the values and the positives of resamples, of shape (n_resamples, n_values)."""
        raise NotImplementedError

    def resampled(self, drawn: Array, positives: Array) -> Spread:
        """Estimate how much the values vary between resamples."""
        return of_resamples(self.still, drawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPlan(Plan):
    """One unweighted ranking, whose samples are the units. Its counts at each score are enough."""

    points: OperatingPoints

    @classmethod
    def of(
        cls, rule: Rule, points: OperatingPoints, value: Array, names: Names | None = None
    ) -> Self:
        """Make the plan of `value`, which is what the metric returns.

        If it were computed again from all points instead of the top k, its last bit might differ.
        """
        _check_positives(points.n_positives, names)
        _check_units(_units_of(points), "samples")
        still = _still(rule, points, value, np.ones(1), points.n_positives, value.item())
        if is_smooth(rule):
            still = still._replace(unseen=lost_to_one_more(rule, points, np.ones(1)))
        basis = in_words(points.n_positives.item(), "positives")
        return cls(rule=rule, still=still, basis=basis, points=points)

    def moved(self) -> Spread:
        points, cells, n_units = self.points, cells_of_points(self.points), _units_of(self.points)
        slopes = influence(check_smooth(self.rule), points)
        table = cells.spread(slopes.positive, slopes.tied, slopes.between)
        each, folds = np.append(table, slopes.missing), np.append(cells.mass, missing(points))
        deviations = each * np.sqrt(folds * n_units / (n_units - 1))
        return self.still._replace(deviations=deviations[np.newaxis], n_units=n_units, folds=folds)

    def draw(self, times: int, rng: np.random.Generator) -> tuple[Array, Array]:
        cells, lacking = cells_of_points(self.points), int(missing(self.points).item())
        draws = draw_counts(cells, lacking, times, rng, self.rule.depth)
        return values_of(self.rule, draws, 1)


def _units_of(points: OperatingPoints) -> int:
    return int((points.n_samples + missing(points)).item())


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitPlan(Plan):
    """Samples, or clusters that are ranked together, with weights or as one ranking per class."""

    given: Rankings
    rankings: Rankings  # those that count
    units: Units
    points: OperatingPoints

    @classmethod
    def of(cls, question: Question, sample: Sample) -> Self:
        rule, given, clusters = question.rule, sample.rankings, sample.clusters
        cluster = None if clusters is None else clusters.of
        rankings, units, points = counted_units(
            rule,
            of_size(given) if is_smooth(rule) else given,
            cluster,
            question.zero_division,
        )
        _check_units(units.size, units.kind)
        number, values = _score(question, given, _as_scored(rule, given, units, points))
        holding = units.holding(rankings)
        still = _still(rule, points, values, shares_of(rankings, points), holding, number)
        heavy = 0.0
        if is_smooth(rule):
            slopes = influence(rule, points)
            weight = units.weight_of_negatives(slopes.tied, slopes.between)
            still = still._replace(unseen=lost_to_one_more(rule, points, weight))
            heavy = _weight_of_heavy(still, weight, points.n_positives / holding)
        has_classes = rankings.average in ("macro", "weighted")
        return cls(
            rule=rule,
            still=still,
            basis=_basis(sample, rankings, units, holding),
            averaged=names_of_columns(rankings) if has_classes else (),
            unplaced=units.missing,
            heavy=heavy,
            given=given,
            rankings=rankings,
            units=units,
            points=points,
        )

    @property
    def cut(self) -> Cut | None:
        """The cut-off, if resamples may draw the rows below it together."""
        if self.units.absent is not None:
            return None
        return None if self.rule.weighs_all and self.given.weight is not None else self.rule.depth

    def moved(self) -> Spread:
        rankings, units, still = self.rankings, self.units, self.still
        deviations, drift, lacking = deviations_of(self.rule, rankings, units, self.points)
        n_units, folds = units.size, None
        scale = np.sqrt(n_units / (n_units - 1))
        if units.missing.any():  # positives that were not scored share one column per class
            root, folds = np.sqrt(units.missing), np.append(np.ones(units.n_scored), units.missing)
            deviations = np.hstack([deviations, np.diag(lacking * root)])
            drift = np.append(drift, _off(rankings, still.values, still.shares, self.points) * root)
        deviations, drift = deviations * scale, drift * scale
        return still._replace(deviations=deviations, n_units=n_units, folds=folds, drift=drift)

    def draw(self, times: int, rng: np.random.Generator) -> tuple[Array, Array]:
        draws = draw_units(self.rule, self.units, times, rng)
        return values_of(self.rule, draws, self.units.cells.n_queries)

    def resampled(self, drawn: Array, positives: Array) -> Spread:
        spread = of_resamples(self.still, drawn)
        if self.rankings.average != "weighted":
            return spread
        means = np.where(positives > 0, drawn, 0) * positives
        means = means.sum(axis=1) / positives.sum(axis=1)
        deviations = (means - means.mean()) / np.sqrt(means.size - 1)
        return spread._replace(drift=np.asarray(deviations - spread.shares @ spread.deviations))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlan(Plan):
    """Groups or rows that are drawn. Their values are enough."""

    queries: QueryValues  # without those that are left out

    @classmethod
    def of(cls, rule: Rule, queries: QueryValues, words: str, names: Names | None = None) -> Self:
        kept = np.flatnonzero(~np.isnan(queries.values))
        queries = QueryValues(*(each[kept] for each in queries))
        values, weight = queries.values, queries.weight
        _check_positives(weight.sum(keepdims=True), None)
        _check_units(values.size, words)
        heavy = np.flatnonzero(weight)
        return cls(
            rule=rule,
            still=queries.mean(np.array([heavy.size]))._replace(each=values[heavy]),
            basis=in_words(values.size, words),
            weight=weight / weight.sum(),
            averaged=() if names is None else [names[place] for place in kept.tolist()],
            queries=queries,
        )

    def vary(self, question: Question) -> Spread:
        return Plan.vary(self, question).settled()

    def moved(self) -> Spread:
        values, weight, *_ = self.queries
        deviations = centred(values, weight) * np.sqrt(values.size / (values.size - 1))
        return self.still._replace(deviations=deviations[np.newaxis])

    def draw(self, times: int, rng: np.random.Generator) -> tuple[Array, Array]:
        values, weight, *_ = self.queries
        return resample_means(values, weight, times, rng)[:, np.newaxis], NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan(Plan):
    """Clusters that are drawn, with samples in fixed groups whose values are averaged."""

    rankings: Rankings
    clusters: Clusters
    queries: QueryValues
    exist: Array  # the positives of each group

    @classmethod
    def of(cls, question: Question, sample: Sample, clusters: Clusters) -> Self:
        rule, rankings = question.rule, _in_groups(sample.rankings)
        if is_smooth(rule):
            rankings = of_size(rankings)
        queries = query_values(rule, rankings, question.zero_division)
        points = apply_n_positives(rankings.points(rule.depth or ALL), rankings)
        lacking = clusters.unplaced(missing(points))
        _check_units(clusters.size, "clusters")
        holding = np.array([clusters.holding(rankings.labels) + np.ceil(lacking).sum()])
        basis = in_words(clusters.size, sample.cluster_words)
        if sample.rankings.group is not None:
            basis = f"{in_words(queries.values.size, sample.group_words)}, {basis}"
        names = rankings.names or ()
        return cls(
            rule=rule,
            still=queries.mean(_trials(holding, rule.rests_on(points).max())),
            basis=basis,
            averaged=[names[n] for n in np.flatnonzero(~np.isnan(queries.values)).tolist()],
            unplaced=lacking,
            rankings=rankings,
            clusters=clusters,
            queries=queries,
            exist=points.n_positives,
        )

    def moved(self) -> Spread:
        """The influences of a cluster's samples and of its absent positives add up."""
        clusters, lacking, (values, weight, *_) = self.clusters, self.unplaced, self.queries
        own, lost = moved_in_groups(self.rule, self.rankings, values, weight)
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
        return self.still._replace(deviations=deviations[np.newaxis], n_units=n_units, folds=folds)

    def draw(self, times: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Leave out groups that have no positives in a resample."""
        rule, rankings, clusters = self.rule, self.rankings, self.clusters
        values, weight, *_ = self.queries
        every = needs_every_point(rule.depth, rankings.weight is not None)
        units = replace(
            Units.of(rankings, clusters.of, every),
            n_scored=clusters.size,
            missing=self.unplaced,
            absent=clusters.absent,
        )
        drawn, positives = values_of(rule, draw_units(rule, units, times, rng), values.size)
        drawn = np.where(self.exist == 0, values, drawn)
        by_size = rankings.average == "weighted"
        weight = positives if by_size else np.broadcast_to(weight, drawn.shape)
        weight = np.where(np.isnan(drawn), 0, weight)
        with np.errstate(invalid="ignore"):
            means = np.where(weight > 0, drawn, 0) * weight
            return means.sum(axis=1, keepdims=True) / weight.sum(axis=1, keepdims=True), positives


def query_values(rule: Rule, rankings: Rankings, zero_division: ZeroDivision) -> QueryValues:
    points = apply_n_positives(rankings.points(rule.depth), rankings)
    warn_of_weighed_k(rule.depth, rankings.queries.sample_weight)
    values = fill_undefined(rule.values(points), rankings.names, zero_division)
    weight = rankings.queries.weight
    if rankings.average == "weighted":
        weight = points.n_positives
    return QueryValues.of(rule, points, values, weight)


def centred(values: Array, weight: Array) -> Array:
    """Compute the influence of each query on the weighted mean, 0 for those that are left out."""
    counted = ~np.isnan(values)
    share = np.where(counted, weight, 0) / weight[counted].sum()
    values = np.where(counted, values, 0)
    return np.asarray(share * (values - share @ values))


def moved_in_groups(
    rule: Rule, rankings: Rankings, values: Array, weight: Array
) -> tuple[Array, Array]:
    """Compute the influence of each sample on the mean over groups.

    The second array is the influence of a positive of each group that was not scored.
    """
    units = Units.of(rankings)
    points = apply_n_positives(units.cells.points(), rankings)
    counted = np.where(np.isnan(values), 0, weight)
    _check_positives(counted.sum(keepdims=True), None)
    share = counted / counted.sum()
    deviations, _, lacking = deviations_of(rule, rankings, units, points)
    own, lost = share[rankings.group] * deviations[0], share * lacking
    if rankings.average != "weighted":
        return np.asarray(own), np.asarray(lost)
    off = (values - np.nansum(share * values)) / counted.sum()
    moved = units.cells.spread(each_point(off, points.offsets), 0.0, 0.0)
    return np.asarray(own + units.totals(moved)[0]), np.asarray(lost + off)


def _in_groups(rankings: Rankings) -> Rankings:
    """Turn a single ranking into one group."""
    if rankings.group is not None:
        return rankings
    group = np.zeros(rankings.labels.size, np.int64)
    return replace(rankings, group=group, names=["all samples"], average="macro")


def counted_units(
    rule: Rule, rankings: Rankings, cluster: Array | None, zero_division: ZeroDivision
) -> tuple[Rankings, Units, OperatingPoints]:
    """Return the rankings that count, their units and their points."""
    may_lack = rankings.average == "weighted" or zero_division != zero_division
    rankings = _with_positives(rankings, may_lack)
    every = needs_every_point(rule.depth, rankings.weight is not None)
    units = Units.of(rankings, cluster, every)
    points = apply_n_positives(units.cells.points(every), rankings)
    _check_positives(points.n_positives, rankings.names)
    return rankings, replace(units, missing=missing(points)), points


@about("y_true")
def _with_positives(rankings: Rankings, may_lack: bool) -> Rankings:
    """Keep the columns that have positives, which all of them must unless they `may_lack` them."""
    if rankings.average not in ("macro", "weighted"):
        return rankings
    found = rankings.labels.sum(axis=0) if rankings.n_positives is None else rankings.n_positives
    empty = np.flatnonzero(found == 0)
    if not empty.size or empty.size == found.size:
        return rankings
    names = names_of_columns(rankings)
    if not may_lack:
        which = ", ".join(str(names[place]) for place in empty[:5].tolist())
        raise ValueError(
            f"No positive class found in y_true for {empty.size} of {found.size} classes "
            f"({which}), so their value is undefined (0/0) and has no interval. Pass "
            "zero_division=nan to leave them out of the mean."
        )
    kept = np.flatnonzero(found)
    return replace(
        rankings,
        labels=rankings.labels[:, kept],
        scores=rankings.scores[:, kept],
        names=[names[place] for place in kept.tolist()],
        n_positives=None if rankings.n_positives is None else rankings.n_positives[kept],
    )


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


def _score(question: Question, rankings: Rankings, points: OperatingPoints) -> tuple[float, Array]:
    """Return the value of the metric, and the values of the classes that contain positives."""
    points = apply_n_positives(points, rankings)
    values = question.rule.values(points)
    number = average_values(question.rule, values, points, rankings.queries, question.quietly)
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


def _still(
    rule: Rule, points: OperatingPoints, values: Array, shares: Array, holding: Array, number: float
) -> Spread:
    """Collect what is known about values. `holding` units of each contain positives."""
    trials = _trials(holding, rule.rests_on(points))
    most, perfect = np.maximum(rule.most(points), values), rule.perfect(points)
    return Spread(values, shares, NOTHING, trials, number, most=most, perfect=perfect)


def _trials(holding: Array, share: Array) -> Array:
    """Return on how many units a value depends that rests on this fraction of the positives."""
    return np.maximum(np.floor(holding * share + 1e-9), 1.0)


def _weight_of_heavy(still: Spread, weight: Array, of_positive: Array) -> float:
    """Return the weight of the heaviest negatives, or 0 if single ones don't decide the value."""
    heavy = weight > _HEAVY * of_positive
    much = still.shares @ (still.unseen * heavy) > _MUCH * still.mean
    return float(weight.max(where=heavy, initial=0)) if much else 0.0


def of_resamples(still: Spread, drawn: Array) -> Spread:
    """Use the deviations of resamples, of shape (n_resamples, n_values), from their mean."""
    defined = ~np.isnan(drawn)
    counts = defined.sum(axis=0)
    if counts.min() < 2:
        raise ValueError("Fewer than two resamples have positives. Use a larger n_resamples.")
    centre = np.where(defined, drawn, 0).sum(axis=0) / counts
    deviations = np.where(defined, drawn - centre, 0) / np.sqrt(counts - 1)
    return still._replace(deviations=deviations.T)


def check_smooth(rule: Rule) -> AreaRule:
    """Check that a rule has influences in closed form."""
    if not is_smooth(rule):
        raise ValueError(
            f"{written(rule)} has no influence in closed form, because it is not smooth in the "
            "weights of the samples. Use method='bootstrap', which works for every definition."
        )
    return rule


def is_smooth(rule: Rule) -> TypeGuard[AreaRule]:
    """Whether a rule has influences in closed form."""
    return isinstance(rule, AreaRule) and rule.has_influence


def _check_units(n_units: int, kind: str) -> None:
    if n_units < 2:
        raise ValueError(
            f"At least two {kind} are needed to estimate how much a value varies, but there is "
            f"{n_units}."
        )
    if n_units > MOST_MASS:
        with about("n_positives"):
            raise ValueError(
                "n_positives counts weight, like the positives in y_true, and these weights are so "
                "small that it is too large for an interval. Scale the weights up."
            )


@about("y_true")
def _check_positives(n_positives: Array, names: Names | None) -> None:
    if not n_positives.all():
        name = "" if names is None or len(names) != 1 else f" ({names[0]})"
        raise ValueError(
            f"No positive class found in y_true{name}, so the value is undefined (0/0) and has no "
            "interval."
        )


def _basis(sample: Sample, rankings: Rankings, units: Units, holding: Array) -> str:
    kind = sample.cluster_words
    if holding.size > 1:
        what = f"{units.n_scored:,} {'samples' if units.cluster is None else kind}"
        return f"{holding.size:,} classes, {what}"
    what = "rows with positives" if rankings.average == "micro" else "positives"
    return in_words(holding.item(), what if units.cluster is None else f"{kind} with positives")


def in_words(number: float, what: str) -> str:
    """Format a count with its noun: 1 positive, 2 positives, 1 cluster with positives."""
    things, *besides = what.split(" ")
    return " ".join([f"{number:,}", things.removesuffix("s") if number == 1 else things, *besides])
