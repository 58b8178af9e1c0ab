"""How much values vary: one plan for each kind of sampling unit.

A plan contains what an interval needs: the values and their limits, on how many units they rest,
how far each unit moves them, and how to draw resamples. `Plan.vary` turns it into a `Spread`.
"""

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self, TypeGuard

import numpy as np

from .._finish import average_values, fill_undefined
from .._names import written
from .._progress import Drawn
from .._validation.errors import about
from .._validation.rankings import Sample, names_of_columns
from .._validation.samples import apply_n_positives
from .._validation.warned import warn_of_weighed_k
from ..core.cutoff import MOST_MASS, Cut, needs_every_point
from ..core.intervals import ROUNDING, Spread
from ..core.operating_points import OperatingPoints
from ..core.rankings import Names, Rankings, mean
from ..core.rules import AreaRule, Rule
from ..core.segments import Array
from ..core.segments import spread as each_point
from ..core.units import Clusters, Holding, Units, cells_of_points, n_alike, with_diagonal
from ..core.variation import (
    draw_counts,
    draw_units,
    excess_of_heavy,
    influence,
    limited,
    lost_to_one_more,
    lost_to_the_rare,
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

_N_RESAMPLES, _N_SWAPS = 499, 1999
_ENOUGH = 10  # units; the resamples of fewer take too few values


@dataclass(frozen=True, slots=True)
class Question:
    """What to compute from the samples, and by which method."""

    rule: Rule
    method: str
    n_resamples: int | None
    seed: int
    zero_division: ZeroDivision = "warn"

    @property
    def times(self) -> int:
        """How often to draw. Standard errors need fewer draws than p-values."""
        if self.n_resamples is not None:
            return self.n_resamples
        return _N_SWAPS if self.method == "randomization" else _N_RESAMPLES

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
    evenness: float = 1.0  # the fraction of the clusters that would say as much if all were equal

    def vary(self, question: Question) -> Spread:
        """Estimate how much the values vary."""
        if question.method == "bootstrap":
            return self.resampled(*self.draw(question.times, question.generator))
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
        n_units, one = _units_of(points), np.ones(1)
        _check_units(n_units, "samples")
        holding = Holding.equal(points.n_positives)
        still = _still(rule, points, value, one, holding, value.item(), n_units)
        if is_smooth(rule):
            unseen = limited(lost_to_one_more(rule, points, one), points, value, one, one)
        else:
            unseen = lost_to_the_rare(rule, points, value, one)
        still = still._replace(unseen=unseen)
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
        return values_of(self.rule, Drawn(times).each(draws, 1), 1)


def _units_of(points: OperatingPoints) -> int:
    return int((points.n_samples + missing(points)).item())


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitPlan(Plan):
    """Samples or clusters, with weights, or in one ranking per class or group.

    Classes and groups are fixed, and their values are averaged.
    """

    given: Rankings
    rankings: Rankings  # those that count
    units: Units
    points: OperatingPoints

    @classmethod
    def of(cls, question: Question, sample: Sample) -> Self:
        rule, clusters = question.rule, sample.clusters
        given = in_groups(sample.rankings, clusters)
        rankings, units, points = counted_units(
            rule,
            of_size(given) if is_smooth(rule) else given,
            clusters,
            question.zero_division,
        )
        _check_units(units.size, units.kind)
        number, values = _score(question, given, _as_scored(rule, given, units, points))
        shares = shares_of(rankings, points, question.zero_division)
        holding = units.holding(rankings, shares)
        still = _still(rule, points, values, shares, holding, number, units.size)
        still, heavy = _with_unseen(rule, rankings, units, points, still, holding)
        names = names_of_columns(rankings) if rankings.average in ("macro", "weighted") else ()
        return cls(
            rule=rule,
            still=still,
            basis=_basis(sample, rankings, units, holding.found),
            averaged=[name for name, share in zip(names, shares, strict=False) if share],
            unplaced=units.missing,
            heavy=heavy,
            evenness=holding.evenness(shares),
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
            deviations = with_diagonal(deviations, lacking * root)
            off = _off(rankings, still.values, still.shares, self.points)
            drift = np.append(drift, off * root) if np.ndim(drift) else drift
        deviations, drift = deviations * scale, drift * scale
        return still._replace(deviations=deviations, n_units=n_units, folds=folds, drift=drift)

    def draw(self, times: int, rng: np.random.Generator) -> tuple[Array, Array]:
        draws, n_queries = draw_units(self.rule, self.units, times, rng), self.units.cells.n_queries
        return values_of(self.rule, Drawn(times).each(draws, n_queries), n_queries)

    def resampled(self, drawn: Array, positives: Array) -> Spread:
        # The value of a group without positives is a convention, so it doesn't vary.
        drawn = np.where(self.points.n_positives == 0, self.still.values, drawn)
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

    def mean(self) -> Spread:
        """Return the weighted mean, before it is known how much it varies.

        A mean with unequal weights depends on fewer queries than there are.
        """
        number = mean(self.values, self.weight)
        most, perfect = (
            np.array([mean(np.maximum(each, self.values), self.weight)])
            for each in (self.most, self.perfect)
        )
        values, one, heavy = np.array([number]), np.ones(1), self.weight[self.weight > 0]
        trials = np.array([heavy.size], dtype=float)
        if np.ptp(heavy):
            trials = n_alike(np.square(heavy / heavy.sum()).sum(keepdims=True), trials)
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
            still=queries.mean()._replace(each=values[heavy]),
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
        n_units = values.size if np.ptp(weight) else None  # the t-test of equal weights is exact
        return self.still._replace(deviations=deviations[np.newaxis], n_units=n_units)

    def draw(self, times: int, rng: np.random.Generator) -> tuple[Array, Array]:
        values, weight, *_ = self.queries
        return resample_means(values, weight, times, rng)[:, np.newaxis], NOTHING


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


def in_groups(rankings: Rankings, clusters: Clusters | None) -> Rankings:
    """Turn a single ranking into one group if clusters have positives that were not scored."""
    if rankings.group is not None or clusters is None or clusters.absent is None:
        return rankings
    group = np.zeros(rankings.labels.size, np.int64)
    return replace(rankings, group=group, names=["all samples"], average="macro")


def counted_units(
    rule: Rule, rankings: Rankings, clusters: Clusters | None, zero_division: ZeroDivision
) -> tuple[Rankings, Units, OperatingPoints]:
    """Return the rankings that count, their units and their points."""
    may_lack = rankings.average == "weighted" or zero_division != zero_division
    if rankings.group is None:
        rankings = _with_positives(rankings, may_lack)
    every = needs_every_point(rule.depth, rankings.weight is not None)
    units = Units.of(rankings, None if clusters is None else clusters.of, every)
    points = apply_n_positives(units.cells.points(every), rankings)
    lacking = missing(points)
    if clusters is None:
        units = replace(units, missing=lacking)
    else:
        units = replace(
            units,
            n_scored=clusters.size,
            missing=clusters.unplaced(lacking),
            absent=clusters.absent,
        )
    if rankings.group is None:
        _check_positives(points.n_positives, rankings.names)
    else:
        fill_undefined(
            np.where(points.n_positives == 0, np.nan, 0.0), rankings.names, zero_division
        )
        _check_positives(points.n_positives.sum(keepdims=True), None)
    return rankings, units, points


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
) -> tuple[Any, Array | float, Array]:
    """Compute the influence of each scored unit on each value.

    The second array is its influence on the mean through the shares, and the third one is the
    influence of a positive that was not scored.
    """
    slopes = influence(check_smooth(rule), points)
    each = units.cells.spread(slopes.positive, slopes.tied, slopes.between)
    deviations = units.totals(each, slopes.missing)
    drift: Array | float = 0.0
    if rankings.average == "weighted":
        values = np.nan_to_num(rule.values(points))
        off = _off(rankings, values, shares_of(rankings, points), points)
        moved = units.cells.spread(each_point(off, points.offsets), 0.0, 0.0)
        drift = units.totals(moved, off).sum(axis=0)
    return deviations, drift, slopes.missing


def _off(rankings: Rankings, values: Array, shares: Array, points: OperatingPoints) -> Array:
    """Return the effect of one more positive of each class on the mean through the shares."""
    if rankings.average != "weighted":
        return np.zeros(values.shape)
    return np.asarray((values - shares @ values) / points.n_positives.sum())


def shares_of(
    rankings: Rankings, points: OperatingPoints, zero_division: ZeroDivision = 0.0
) -> Array:
    weight = points.n_positives if rankings.average == "weighted" else np.ones(points.n_queries)
    if zero_division != zero_division:  # rankings without positives are left out
        weight = np.where(points.n_positives == 0, 0, weight)
    return np.asarray(weight / weight.sum())


def _score(question: Question, rankings: Rankings, points: OperatingPoints) -> tuple[float, Array]:
    """Return the value of the metric, and the values of the classes that contain positives.

    Groups without positives have values, too, which are 0 if they are left out of the mean.
    """
    points = apply_n_positives(points, rankings)
    values = question.rule.values(points)
    number = average_values(question.rule, values, points, rankings.queries, question.quietly)
    if rankings.group is not None:
        return float(number), np.nan_to_num(fill_undefined(values, None, question.quietly))
    return float(number), values[np.flatnonzero(points.n_positives)]


def _as_scored(
    rule: Rule, rankings: Rankings, units: Units, points: OperatingPoints
) -> OperatingPoints:
    """Return the points that the metric computes from the same samples.

    `points` come from cells, which add up weights in another order. That makes no difference for
    counts, but can change the last bit of fractions.
    """
    weight = rankings.weight
    if rankings.group is not None:
        return rankings.points(rule.depth)
    is_whole = weight is None or weight.dtype.kind == "i"
    by_column = rankings.average in ("macro", "weighted")
    has_all = points.n_queries == (rankings.labels.shape[1] if by_column else 1)
    if is_whole and has_all and rule.depth is None:
        return points
    if rankings.average == "binary" and weight is not None and units.in_order is not None:
        return units.in_order.points(weight, needs_every_point(rule.depth, weighted=True))
    return rankings.points(rule.depth)


def _still(
    rule: Rule,
    points: OperatingPoints,
    values: Array,
    shares: Array,
    holding: Holding,
    number: float,
    n_units: int,
) -> Spread:
    """Collect what is known about values.

    A value that rests on a fraction of the positives depends on as many of the units. The value of
    a ranking without positives is a convention, so it's as certain as after infinitely many trials.
    """
    rests_on, (found, alike, of_mean) = rule.rests_on(points), holding
    trials = np.floor(found * rests_on + 1e-9) * (alike / found)
    trials = np.where(points.n_positives == 0, np.inf, np.maximum(trials, 1.0))
    together = max(of_mean * rests_on[shares > 0].max(), 1.0)
    most, perfect = np.maximum(rule.most(points), values), rule.perfect(points)
    return Spread(
        values,
        shares,
        NOTHING,
        trials,
        number,
        together=together,
        most=most,
        perfect=perfect,
        is_optimistic=rule.is_optimistic,
        excess=rule.lost_at_end(points),
        bent=n_units if rule.has_bend and n_units >= _ENOUGH else None,
    )


def _with_unseen(
    rule: Rule,
    rankings: Rankings,
    units: Units,
    points: OperatingPoints,
    still: Spread,
    holding: Holding,
) -> tuple[Spread, float]:
    """Add what values may lose to units that are missing from the sample.

    Also return the weight of the heaviest negatives, or 0 if single ones don't decide the values.
    """
    values, is_weighted = still.values, rankings.weight is not None
    if not is_smooth(rule):
        mean_weight = np.full(values.size, points.n_samples.sum() / rankings.labels.size)
        return still._replace(unseen=lost_to_the_rare(rule, points, values, mean_weight)), 0.0
    weight, of_positive = np.ones(values.size), points.n_positives / holding.found
    if not units.are_equal:
        slopes = influence(rule, points)
        weight = units.weight_of_negatives(slopes.tied, slopes.between)
    lost = lost_to_one_more(rule, points, weight)
    heavy = _weight_of_heavy(still._replace(unseen=lost), weight, of_positive)
    if is_weighted:
        excess = excess_of_heavy(rule, points, weight, of_positive)
        still = still._replace(excess=np.where(values > 1 - ROUNDING, 0.0, excess))
    unseen = limited(lost, points, values, weight, of_positive, is_weighted)
    return still._replace(unseen=unseen), heavy


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
    is_needed = still.bent is not None or still.is_optimistic
    return still._replace(deviations=deviations.T, drawn=drawn if is_needed else None)


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
    if rankings.group is not None:
        basis = in_words(units.n_scored, kind)
        if sample.rankings.group is None:
            return basis
        return f"{in_words(holding.size, sample.group_words)}, {basis}"
    if holding.size > 1:
        what = f"{units.n_scored:,} {'samples' if units.cluster is None else kind}"
        return f"{holding.size:,} classes, {what}"
    what = "rows with positives" if rankings.average == "micro" else "positives"
    return in_words(holding.item(), what if units.cluster is None else f"{kind} with positives")


def in_words(number: float, what: str) -> str:
    """Format a count with its noun: 1 positive, 2 positives, 1 cluster with positives."""
    things, *besides = what.split(" ")
    return " ".join([f"{number:,}", things.removesuffix("s") if number == 1 else things, *besides])
