"""How much a value varies: one plan for each kind of sampling unit.

A plan contains what an interval needs: the value and its limits, on how many units it rests, how
far each unit moves it, and what resamples are drawn from. `vary_together` adds to the plans of
models how much their values vary. It serves results and pictures.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from math import sqrt
from typing import Any, Self

import numpy as np

from .._evaluate.metric_values import (
    RankingValues,
    average_values,
    evaluate_rankings,
    fill_undefined,
)
from .._inputs.records import ZeroDivision
from .._read.model_rows import ModelRows, list_class_names, refuse_classes_without_positives
from .._show.progress import ResampleProgress, step
from .._words.messages import format_count, warn_of_heavy_negatives, warn_of_weighed_k, warning_once
from .._words.refusals import attribute_errors
from ..core.cutoff import ALL_ROWS_CUT, Cut, needs_every_point, select_reached
from ..core.influence import (
    UnitWeights,
    compute_deviations,
    compute_fraction_effects,
    compute_fractions,
    compute_influence,
    count_unscored,
    find_biasing_weight,
    find_heavy_weight,
    has_heavy_negatives,
    make_spread,
    weigh_units,
)
from ..core.operating_points import OperatingPoints
from ..core.ragged import Array, divide_safely, has_any
from ..core.rankings import Clusters, Names, Rankings, average_defined
from ..core.resampling import draw_counts, draw_units, evaluate_draws, resample_means
from ..core.rules import AreaRule, GroupFunction, PrecisionAtK, Rule
from ..core.spread import Spread, count_equal_units
from ..core.tolerances import MAX_EXACT_INTEGER
from ..core.units import (
    PositiveUnits,
    SamplingUnits,
    SortedLabels,
    append_diagonal,
    can_keep_order,
    count_contents,
    fill_cells,
    make_point_cells,
    rank_labels,
)
from ..core.verdicts import find_best
from ..exceptions import NoPositivesError, SingleUnitError
from . import sentences
from .settings import IntervalSettings, check_smooth

_ONE = np.ones(1)  # how much a single ranking counts, or the weight of each of its negatives


# --- plans ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan of how values vary with their sampling units, and then how much they do."""

    spread: Spread  # the values and their limits, and once it's known, how much they vary
    basis: str  # such as "40 positives"
    # As many equal units with positives say as much. At a cutoff, `spread` may have fewer.
    equal_units: float
    # How many positives of each ranking weren't scored, of shape (n_rankings,)
    unscored: Array = field(default_factory=lambda: np.zeros(0))
    model_rows: ModelRows  # the checked input
    averaged: Names = ()  # the names of the groups or classes whose values are averaged
    heavy: float = 0.0  # the weight of negatives, if a single one can change the value a lot

    @property
    def n_groups(self) -> int | None:
        """The number of groups over which the value is a mean; None without groups."""
        return len(self.averaged) if self.model_rows.rankings.is_grouped else None

    def find_heavy_weight(self, spread: Spread) -> float:
        """Return the weight of negatives that decide the value too much, or 0."""
        return self.heavy

    def estimate_from_influence(self, rule: Rule) -> Spread:
        """Estimate how much the values vary from the influence of each unit on each value."""
        raise NotImplementedError

    def estimate_from_resamples(self, drawn: Array, positives: Array) -> Spread:
        """Estimate how much the values vary between resamples, of which these are the values and
        the positives, of shape (n_resamples, n_values).
        """
        return self.spread.with_resamples(drawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPlan(Plan):
    """One unweighted ranking, whose samples are the units. Its counts at each score are enough,
    unless models are paired by their samples.

    Without `in_order`, it may be resampled. With it, it may not, because the draws of counts
    wouldn't belong to the same samples as those of another model: `make_plan` makes units of these.
    """

    points: OperatingPoints
    in_order: SortedLabels | None = None  # the samples, if models are paired by them

    @classmethod
    def from_points(
        cls,
        rule: Rule,
        points: OperatingPoints,
        value: Array,
        model_rows: ModelRows,
        in_order: SortedLabels | None = None,
    ) -> Self:
        """Make the plan of `value`, of shape (1,), which is what the metric returns.

        If it were computed again from all points instead of the top k, its last bit might differ.
        `points` are all points, whatever the cutoff.
        """
        _check_positives(points.n_positives, model_rows.rankings.names)
        unscored = count_unscored(points)
        n_units = _count_all_units(points, unscored)
        _check_units(n_units, "samples")
        positive_units = PositiveUnits.equal(points.n_positives)
        mean, used_fraction = value.item(), rule.compute_used_fraction(points)
        spread = make_spread(
            rule, points, value, _ONE, mean, positive_units, n_units, _ONE, used_fraction
        )
        return cls(
            spread=spread,
            basis=format_count(points.n_positives.item(), "positives"),
            equal_units=positive_units.equal_units_of_mean,
            unscored=unscored,
            model_rows=model_rows,
            points=points,
            in_order=in_order,
        )

    def estimate_from_influence(self, rule: Rule) -> Spread:
        """Estimate how much the value varies from the influence of each sample.

        The deviations have one column per sample if models are paired by these, and otherwise one
        per kind of equal samples.
        """
        points, unscored = self.points, self.unscored
        n_units = _count_all_units(points, unscored)
        slopes = compute_influence(check_smooth(rule), points, self.spread.values)
        by_kind = slopes.positive, slopes.tied, slopes.between
        if self.in_order is None:
            # One column for all equal samples, whose squares add up to n times that of one.
            deviations = np.concatenate(by_kind) * np.sqrt(np.concatenate(count_contents(points)))
        else:
            n_in_cells = make_point_cells(points).mass[0]
            in_rank_order = fill_cells(points.offsets, *by_kind).repeat(n_in_cells)
            deviations = self.in_order.arrange_by_label(in_rank_order)
        if has_any(unscored):  # all of them share one column
            deviations = np.append(deviations, slopes.unscored * np.sqrt(unscored))
        deviations *= sqrt(n_units / (n_units - 1))  # as in an unbiased variance
        return replace(self.spread, deviations=deviations[np.newaxis])


def _count_all_units(points: OperatingPoints, unscored: Array) -> int:
    """Count the samples of a single ranking, and its positives that weren't scored."""
    return int((points.n_samples + unscored).item())


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitPlan(Plan):
    """Samples or clusters, with weights, or in one ranking per class or group.

    Classes and groups are fixed, and their values are averaged.
    """

    units: SamplingUnits
    points: OperatingPoints  # those of the units, without classes that are left out
    weights: UnitWeights
    mass: Array | None  # of positives in each cluster, of shape (n_rankings, n_clusters)

    @classmethod
    def from_model_rows(cls, settings: IntervalSettings, model_rows: ModelRows) -> Self:
        """Make the plan of rows with weights, clusters, or several rankings that are fixed.

        The value is that of the rankings as they were passed. What else is known comes from the
        units, in which weights are scaled, and classes without positives are left out.
        """
        rule, clusters = settings.rule, model_rows.clusters
        as_passed = group_single_ranking(model_rows.rankings, clusters)
        scaled = as_passed.with_scaled_weights() if rule.is_smooth else as_passed
        units, points = make_counted_units(rule, scaled, clusters, settings.zero_division)
        rankings = units.rankings
        kind = "samples" if clusters is None else "clusters"
        _check_units(units.size, kind, rankings.weight is not None)

        value, values = _compute_value_and_class_values(settings, as_passed, units, points)
        fractions = compute_fractions(rankings, points, settings.zero_division)
        positive_units = units.count_positive_units(fractions)
        used_fraction = rule.compute_used_fraction(points)
        if isinstance(rule, PrecisionAtK) and model_rows.kind == "rows":
            positive_units, used_fraction = _limit_to_top(
                rule.cut, rankings, positive_units, used_fraction
            )
        weights = weigh_units(rule, units, points)
        spread = make_spread(
            rule,
            points,
            values,
            fractions,
            value,
            positive_units,
            units.size,
            weight=weights.negative,
            used_fraction=used_fraction,
        )
        n_units = positive_units.n_units
        heavy = find_heavy_weight(rule, points, fractions, value, n_units, weights.above)
        names = list_class_names(rankings) if rankings.average in ("macro", "weighted") else ()
        return cls(
            spread=spread,
            basis=sentences.describe_units_of_plan(model_rows, units, positive_units),
            equal_units=positive_units.equal_units_of_mean,
            model_rows=model_rows,
            # `names` may be empty, as for a single ranking, which has a share all the same.
            averaged=[name for name, share in zip(names, fractions, strict=False) if share],
            unscored=units.unscored,
            heavy=heavy,
            units=units,
            points=points,
            weights=weights,
            mass=positive_units.mass,
        )

    def find_cut(self, rule: Rule) -> Cut | None:
        """The cutoff, if resamples may draw the rows below it together."""
        if self.units.unscored_in_clusters is not None:
            return None
        if rule.weighs_all and self.units.rankings.weight is not None:
            return None
        return rule.cut

    def estimate_from_influence(self, rule: Rule) -> Spread:
        """Estimate how much the values vary from the influence of each unit on each ranking.

        The deviations have one row per ranking, and one column per unit, then one for all
        positives of a ranking that were not scored.
        """
        units, spread = self.units, self.spread
        deviations, fraction_deviations, of_unscored = compute_deviations(
            check_smooth(rule), units, self.points, self.weights
        )
        has_strata = spread.values.size == 1 and not units.unscored.any()
        if units.unscored.any():  # positives that were not scored share one column per class
            root = units.unscored_weight * np.sqrt(units.unscored)
            deviations = append_diagonal(deviations, of_unscored * root)
            if np.ndim(fraction_deviations):  # average="weighted", whose fractions vary
                on_mean = compute_fraction_effects(spread.values, spread.fractions, self.points)
                fraction_deviations = np.append(fraction_deviations, on_mean * root)
        scale = np.sqrt(units.size / (units.size - 1))  # as in an unbiased variance
        return replace(
            spread,
            deviations=deviations * scale,
            mass_in_clusters=self.mass if has_strata else None,
            fraction_deviations=fraction_deviations * scale,
        )

    def estimate_from_resamples(self, drawn: Array, positives: Array) -> Spread:
        """Estimate how much the values vary between resamples; both have the shape
        (n_resamples, n_values). With average="weighted", so do their fractions in the mean.
        """
        # The value of a group without positives is a convention, so it doesn't vary.
        drawn = np.where(self.points.n_positives == 0, self.spread.values, drawn)
        spread = self.spread.with_resamples(drawn)
        if self.units.rankings.average != "weighted":
            return spread
        # In each resample, the fractions of classes in the mean are those of its own positives.
        n_positives = positives.sum(axis=1)
        sums = (np.where(positives > 0, drawn, 0) * positives).sum(axis=1)
        means = divide_safely(sums, n_positives, 0.0)
        n_defined = np.count_nonzero(n_positives)
        center = means.sum() / n_defined
        deviations = np.where(n_positives > 0, means - center, 0) / np.sqrt(n_defined - 1)
        fraction_deviations = np.asarray(deviations - spread.fractions @ spread.deviations)
        return replace(spread, fraction_deviations=fraction_deviations)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlan(Plan):
    """Groups or rows that are drawn. Their values are enough."""

    values: Array  # without those that are left out, of shape (n_values,)
    weight: Array  # of each value in the mean; 0 is possible
    cluster: Array | None = None  # the number of each value's cluster; None if values are drawn
    biasing: Callable[[float], float] | None = None  # `find_biasing_weight` of a standard error

    @classmethod
    def from_values(
        cls,
        rule: Rule,
        group_values: RankingValues,
        weight: Array | None,
        model_rows: ModelRows,
        all_points: OperatingPoints | None,
    ) -> Self:
        """Make the plan of the weighted mean of values, of which nan is left out.

        `weight` has one number per value; None if all are equal. `all_points` are all points of the
        groups if their samples have weights, and else None.
        """
        defined = np.flatnonzero(~np.isnan(group_values.values))
        group_values = RankingValues(*(column[defined] for column in group_values))
        values = group_values.values
        weight = np.ones(defined.size) if weight is None else weight[defined]
        words = model_rows.ranking_words
        _check_positives(weight.sum(keepdims=True))
        _check_units(values.size, words)
        n_with_positives = values.size
        if not isinstance(rule, GroupFunction):  # which knows what its labels mean
            n_with_positives = int(np.count_nonzero(group_values.n_positives))
        basis = sentences.count_units(values.size, words, n_with_positives)

        cluster, unit_weight = None, weight[weight != 0]
        if model_rows.clusters is not None:
            of_values = model_rows.clusters.numbers[defined]
            _, cluster = np.unique(of_values, return_inverse=True)
            unit_weight = np.bincount(cluster, weight)
            _check_units(unit_weight.size, "clusters")
            basis = f"{basis}, {format_count(unit_weight.size, model_rows.cluster_words)}"
        units = np.array([count_equal_units(unit_weight)])
        basis += sentences.describe_inequality(unit_weight.size, units.item())

        spread = _make_mean_spread(rule, group_values, weight, units)
        biasing = None
        if all_points is not None and isinstance(rule, AreaRule):
            fractions = np.zeros(all_points.n_rankings)  # 0 for groups that are left out
            fractions[defined] = weight / weight.sum()
            biasing = partial(find_biasing_weight, rule, all_points, fractions, spread.mean)
        return cls(
            spread=spread,
            basis=basis,
            equal_units=units.item(),
            model_rows=model_rows,
            averaged=_find_group_names(model_rows, defined),
            values=values,
            weight=weight,
            cluster=cluster,
            biasing=biasing,
        )

    def add_by_unit(self, contributions: Array) -> Array:
        """Add up what values contribute, of shape (n_values,), if they are drawn in clusters.

        The result has one number for each unit that is drawn.
        """
        if self.cluster is None:
            return contributions
        return np.bincount(self.cluster, contributions)

    def find_heavy_weight(self, spread: Spread) -> float:
        return self.biasing(spread.standard_error) if self.biasing else 0.0

    def estimate_from_influence(self, rule: Rule) -> Spread:
        """Estimate how much the mean varies from the influence of each value or cluster on it."""
        deviations = self.add_by_unit(_center(self.values, self.weight))
        n_units = deviations.size
        deviations *= np.sqrt(n_units / (n_units - 1))  # as in an unbiased variance
        spread = replace(self.spread, deviations=deviations[np.newaxis])
        return spread.clear_rounding(spread.largest)

    def estimate_from_draws(self, times: int, rng: np.random.Generator) -> Spread:
        """Estimate how much the mean varies between resamples of the groups."""
        values, weight = self.values, self.weight
        if self.cluster is not None:  # each cluster has its mean, and the sum of its weights
            sums = self.add_by_unit(values * weight)
            weight = self.add_by_unit(weight)
            values = sums / weight
        means = resample_means(values, weight, times, rng)
        spread = self.spread.with_resamples(means[:, np.newaxis])
        return spread.clear_rounding(spread.largest)


def _make_mean_spread(
    rule: Rule, group_values: RankingValues, weight: Array, units: Array
) -> Spread:
    """Collect what is known about the weighted mean of values, of which none is nan, before it is
    known how much it varies. As many equal `units` say as much, of shape (1,).
    """
    values = group_values.values
    value = average_defined(values, weight)
    spread = Spread(
        values=np.array([value]),
        fractions=np.ones(1),
        equal_units_of_values=units,
        mean=value,
        ranking_values=values[weight != 0],
        maximum=np.array([average_defined(np.maximum(group_values.maximum, values), weight)]),
        perfect=np.array([average_defined(np.maximum(group_values.perfect, values), weight)]),
    )
    if isinstance(rule, GroupFunction):
        return spread.with_value_range(*rule.limits)
    return spread


def _find_group_names(model_rows: ModelRows, places: Array) -> Names:
    """Return the names of the groups at these places, none for rows."""
    names = model_rows.rankings.names if model_rows.rankings.is_grouped else None
    return () if names is None else [names[place] for place in places.tolist()]


def make_plan(settings: IntervalSettings, model_rows: ModelRows, alone: bool = False) -> Plan:
    """Plan how to vary the value of checked input.

    A value `alone` is not compared with that of another model on the same units. The counts at each
    score are then enough, so the rows of one ranking needn't be in memory.

    A comparison makes one plan for each model, and passes it to all pairs: rows are then ranked
    once, and a model has the same value, to the last bit, in each difference.
    """
    rankings, rule = model_rows.rankings, settings.rule
    if model_rows.units_have_values:
        group_values, weight = evaluate_groups(rule, rankings, settings.zero_division)
        all_points = None
        if rankings.is_grouped and has_heavy_negatives(rankings):
            all_points = rankings.points(ALL_ROWS_CUT)
        return GroupPlan.from_values(rule, group_values, weight, model_rows, all_points)
    # The counts of each score tell how much the value of one unweighted ranking varies.
    is_counted = rankings.average == "binary" and rankings.weight is None
    if not is_counted or model_rows.clusters is not None:
        return UnitPlan.from_model_rows(settings, model_rows)
    if alone:  # also for a bootstrap, which draws counts as it would draw samples
        points = rankings.points(None)
        points_at_k = points if rule.cut is None else rankings.points(rule.cut)
        return CountPlan.from_points(rule, points, rule.values(points_at_k), model_rows)
    # Models are paired by their samples, so these are kept: as units, or if they are few, in order.
    if settings.method == "bootstrap" or not can_keep_order(rankings):
        return UnitPlan.from_model_rows(settings, model_rows)
    in_order = rank_labels(rankings)
    points = rankings.add_unscored_positives(in_order.points())
    in_order = in_order.with_narrow_order()
    return CountPlan.from_points(rule, points, rule.values(points), model_rows, in_order)


def evaluate_groups(
    rule: Rule, rankings: Rankings, zero_division: ZeroDivision
) -> tuple[RankingValues, Array | None]:
    """Return the values of groups or rows, nan for one that is left out, and their weights in the
    mean, of shape (n_values,); None if these are equal.
    """
    group_values = evaluate_rankings(rule, rankings)
    warn_of_weighed_k(rule.cut, rankings.averaging.sample_weight)
    values = fill_undefined(group_values.values, rankings.averaging, zero_division, rule)
    weight = rankings.averaging.weight
    if rankings.average == "weighted":
        weight = group_values.n_positives
    return group_values._replace(values=values), weight


def _center(values: Array, weight: Array) -> Array:
    """Compute the influence of each value on the weighted mean. None of them is nan."""
    fractions = weight / weight.sum()
    return np.asarray(fractions * (values - fractions @ values))


def group_single_ranking(rankings: Rankings, clusters: Clusters | None) -> Rankings:
    """Turn a single ranking into one group if clusters have positives that were not scored."""
    if rankings.group is not None or clusters is None or clusters.unscored is None:
        return rankings
    group = np.zeros(rankings.labels.size, np.int64)
    return replace(rankings, group=group, names=["all samples"], average="macro")


def make_counted_units(
    rule: Rule, rankings: Rankings, clusters: Clusters | None, zero_division: ZeroDivision
) -> tuple[SamplingUnits, OperatingPoints]:
    """Return the units of the rankings that count, and the points of these.

    Columns without positives don't count. Groups do, whose values are then a convention.
    """
    if rankings.group is None:
        is_nan = zero_division != zero_division  # or a number or "warn", which equal themselves
        rankings = _with_positives(rankings, may_lack=rankings.average == "weighted" or is_nan)
    every_point = needs_every_point(rule.cut, rankings.weight is not None)
    cluster = None if clusters is None else clusters.numbers
    units = SamplingUnits.from_rankings(rankings, cluster, every_point)
    points = rankings.add_unscored_positives(units.cells.points(every_point))
    if rankings.n_positives is not None:
        units = units.with_unscored(None if clusters is None else clusters.unscored)
    if clusters is not None:  # which may contain no rows
        units = replace(units, n_scored=clusters.size)
    if rankings.group is None:
        _check_positives(points.n_positives, rankings.names)
    else:
        undefined = np.where(points.n_positives == 0, np.nan, 0.0)
        fill_undefined(undefined, rankings.averaging, zero_division)
        _check_positives(points.n_positives.sum(keepdims=True))
    return units, points


def _with_positives(rankings: Rankings, may_lack: bool) -> Rankings:
    """Keep the columns that have positives, which all of them must unless they `may_lack` them."""
    if not rankings.is_columnwise:
        return rankings
    n_positives = rankings.n_positives
    if n_positives is None:
        n_positives = rankings.labels.sum(axis=0)
    empty = np.flatnonzero(n_positives == 0)
    if not empty.size or empty.size == n_positives.size:  # all empty ones are refused later
        return rankings
    if not may_lack:
        why = sentences.explain_undefined_classes(empty.size)
        refuse_classes_without_positives(rankings, empty, why)
    return rankings.select_columns(np.flatnonzero(n_positives))


def _compute_value_and_class_values(
    settings: IntervalSettings, rankings: Rankings, units: SamplingUnits, points: OperatingPoints
) -> tuple[float, Array]:
    """Return the value of the metric, and the values of the classes that contain positives.

    Groups without positives have values, too, which are 0 if they are left out of the mean.

    `rankings` are those that were passed, with all columns, and `points` those of the units, which
    may lack columns. They come from cells, which add up weights in another order than the metric.
    That makes no difference for counts, but can change the last bit of fractions. So can zeros of
    points below a cutoff.
    """
    rule, weight = settings.rule, rankings.weight
    by_group = rankings.group is not None
    n_rankings = rankings.labels.shape[1] if rankings.is_columnwise else 1
    has_all = by_group or points.n_rankings == n_rankings
    are_counts = weight is None or weight.dtype.kind == "i"
    if weight is None and rankings.average == "binary" and rule.cut is not None:
        points = select_reached(points, rule.cut)
    elif not (has_all and are_counts and rule.cut is None):
        if rankings.average == "binary" and weight is not None and units.in_order is not None:
            every_point = needs_every_point(rule.cut, weighted=True)
            points = rankings.add_unscored_positives(units.in_order.points(weight, every_point))
        else:
            points = rankings.points(rule.cut)
    values = rule.values(points)
    averaging, zero_division = rankings.averaging, settings.quiet_zero_division
    value = float(average_values(rule, values, points.n_positives, averaging, zero_division))
    if by_group:
        return value, np.nan_to_num(fill_undefined(values, averaging, zero_division))
    are_counted = (points.n_positives == 0) & ~np.isnan(values)
    if rankings.average == "macro" and are_counted.any():  # as 0 for precision at k
        counted = np.flatnonzero(are_counted)
        why = sentences.explain_counted_classes(counted.size)
        refuse_classes_without_positives(rankings, counted, why)
    return value, values[np.flatnonzero(points.n_positives)]


def _check_units(n_units: int, kind: str, is_weighted: bool = False) -> None:
    """Check that there are neither too few units nor too many to count. A single one has a value,
    but no interval, which the error says by its class. `kind` is the plural that errors use, and
    `is_weighted` tells whether the samples have weights, whose sums n_positives then is.
    """
    if n_units < 2:
        words = sentences.explain_few_units(n_units, kind)
        raise SingleUnitError(words, format_count(1, kind)) if n_units else ValueError(words)
    if n_units > MAX_EXACT_INTEGER:
        with attribute_errors("n_positives"):
            how_much = "how much all positives weigh" if is_weighted else "how many positives exist"
            is_short = n_units < 100 * MAX_EXACT_INTEGER
            number = f"{n_units:,}" if is_short else f"{Decimal(n_units):.3g}"
            raise ValueError(
                f"With n_positives, there are {number} {kind} and missed positives, "
                f"but an interval can count at most 2**53 = {MAX_EXACT_INTEGER:,}. Pass {how_much}."
            )


def _check_positives(n_positives: Array, names: Names | None = None) -> None:
    """Check that all of these numbers (or weights) are above 0. A single name, which is that of the
    model or class, goes into the error.
    """
    if np.count_nonzero(n_positives) < n_positives.size:
        name = "" if names is None or len(names) != 1 else f" ({names[0]})"
        with attribute_errors("y_true"):
            raise NoPositivesError(
                f"No positive class found in y_true{name}, so the value is undefined "
                "(0/0) and has no interval."
            )


def _limit_to_top(
    cut: Cut, rankings: Rankings, positive_units: PositiveUnits, used_fraction: Array
) -> tuple[PositiveUnits, Array]:
    """Let the positives of one weighted ranking say as much as those in the top k do, on average,
    and let the value rest on as many of them as there are rows in the top k.

    Precision at k doesn't depend on what the positives below weigh.
    """
    labels, weight = rankings.labels, rankings.weight
    if weight is None or labels.ndim == 2 or rankings.group is not None:
        return positive_units, used_fraction
    order = np.argsort(rankings.scores, kind="stable")[::-1]
    toward_k = np.ones(order.size) if cut.counts_rows else weight[order].astype(float)
    above = np.cumsum(toward_k) - toward_k  # what k counts above each row
    top = order[above < cut.compute_k(toward_k.sum(keepdims=True))]
    positive_weight = weight[top[labels[top]]].astype(float)
    used_fraction = np.minimum(top.size / positive_units.n_units, 1.0)
    if not positive_weight.size:
        return positive_units, used_fraction
    equal_fraction = count_equal_units(positive_weight) / positive_weight.size
    equal_units = positive_units.n_units * equal_fraction
    in_top = positive_units._replace(
        equal_units=equal_units, equal_units_of_mean=equal_units.item()
    )
    return in_top, used_fraction


# --- what varies ---------------------------------------------------------------------------------


def vary_value(settings: IntervalSettings, model_rows: ModelRows) -> Plan:
    """Estimate how much the value of checked input varies."""
    with warning_once():
        return vary_together(settings, [make_plan(settings, model_rows, alone=True)])[0]


def vary_together(settings: IntervalSettings, plans: Sequence[Plan]) -> list[Plan]:
    """Estimate how much the values of models vary on the same units.

    Models can have rows of their own, but they have the same units. For a bootstrap, all plans are
    of the same kind. Plans that say this already are returned as they are.
    """
    if all(plan.spread.deviations is not None for plan in plans):
        return [*plans]
    if settings.method == "bootstrap":
        spreads = _resample(settings, plans)
    else:
        spreads = [plan.estimate_from_influence(settings.rule) for plan in plans]
    _warn_of_uneven(plans, spreads)
    pairs = zip(plans, spreads, strict=True)
    return [replace(plan, spread=spread) for plan, spread in pairs]


def _warn_of_uneven(plans: Sequence[Plan], spreads: Sequence[Spread]) -> None:
    """Warn if values depend on a few heavy negatives."""
    model_rows = plans[0].model_rows
    weight = model_rows.rankings.weight
    clusters = None if model_rows.clusters is None else model_rows.cluster_words
    pairs = zip(plans, spreads, strict=True)
    heaviest = max([plan.find_heavy_weight(spread) for plan, spread in pairs])
    lightest = weight.min() if weight is not None and weight.size else 1
    if clusters and (weight is None or lightest == weight.max()):  # heavy clusters are large
        warn_of_heavy_negatives(heaviest / lightest, clusters)
    else:
        warn_of_heavy_negatives(heaviest, by_group=isinstance(plans[0], GroupPlan))


def _resample(settings: IntervalSettings, plans: Sequence[Plan]) -> list[Spread]:
    """Estimate how much values vary between resamples that are drawn only once for all models."""
    if group_plans := [plan for plan in plans if isinstance(plan, GroupPlan)]:
        # Each generator is new, so that all models get the same draws.
        return [
            plan.estimate_from_draws(settings.times, settings.generator) for plan in group_plans
        ]
    pairs = zip(plans, draw_resamples(settings, plans), strict=True)
    return [plan.estimate_from_resamples(drawn[:, 0], drawn[:, 1]) for plan, drawn in pairs]


def draw_resamples(settings: IntervalSettings, plans: Sequence[Plan]) -> list[Array]:
    """Return the values and the positives of the resamples of each model, of shape
    (n_resamples, 2, n_values).

    The plans are either all of units, or a single one of counts. Those of groups are drawn by
    `GroupPlan.estimate_from_draws`.
    """
    rule, times, rng = settings.rule, settings.times, settings.generator
    unit_plans = [plan for plan in plans if isinstance(plan, UnitPlan)]
    if not unit_plans:
        (counts,) = [plan for plan in plans if isinstance(plan, CountPlan)]
        cells, unscored = make_point_cells(counts.points), counts.unscored.astype(np.int64)
        draws = draw_counts(cells, unscored, times, rng, rule.cut)
    else:
        models = [plan.units for plan in unit_plans]
        first, cut = models[0], unit_plans[0].find_cut(rule)
        if len(models) == 1 and first.are_rows:  # no model is paired with it by its units
            draws = draw_counts(first.cells, np.array(first.n_unscored), times, rng, cut)
        else:
            draws = draw_units(rule, models, times, rng, cut)
    functions = [
        partial(evaluate_draws, rule, n_rankings=plan.spread.values.size) for plan in plans
    ]
    return _evaluate_models(draws, functions, times)


def _evaluate_models(
    draws: Iterable[tuple[int, OperatingPoints]],
    functions: Sequence[Callable[[OperatingPoints], Array]],
    times: int,
) -> list[Array]:
    """Evaluate the resamples of each model by its function. The results have one row for each of
    `times` resamples.

    `draws` are batches of resamples, each with the number of its model. All models get the same
    batches in turn.
    """
    batches: list[list[Array]] = [[] for _ in functions]
    progress = ResampleProgress(times)
    for model, points in draws:
        values = functions[model](points)
        batches[model].append(values)
        if model == 0:  # counted once for all models
            progress.add(len(values))
    return [np.concatenate(of_model) for of_model in batches]


def vary_with_baseline(
    settings: IntervalSettings, plans: Mapping[Any, Plan], baseline: Any
) -> tuple[Any, dict[Any, list[Plan]]]:
    """Vary each model together with the baseline, by default (None) the one with the best value.

    Return the name of the baseline, and for each other model the pair of its plan and that of the
    baseline, with how much they vary. Both get the draws that they would get without further
    models.
    """
    if baseline is None:
        values = np.array([plan.spread.mean for plan in plans.values()])
        baseline = [*plans][find_best(settings.rule.sign * values)]
    compared_models = [model for model in plans if model != baseline]
    base = plans[baseline]
    has_cut = isinstance(base, UnitPlan) and base.find_cut(settings.rule) is not None
    if len(compared_models) > 1 and has_cut:  # each pair has a shortlist of its own
        pairs = {}
        for model in compared_models:
            with step(sentences.join_words([f"{model}", f"{baseline}"])):
                pairs[model] = vary_together(settings, [plans[model], base])
        return baseline, pairs
    together = dict(zip(plans, vary_together(settings, [*plans.values()]), strict=True))
    pairs = {model: [together[model], together[baseline]] for model in compared_models}
    return baseline, pairs


def draw_curves(
    settings: IntervalSettings, model_rows: ModelRows, curve: Callable[[OperatingPoints], Array]
) -> Array:
    """Return the curves of resamples of a single ranking, one row each.

    `curve` returns the heights of several rankings at these positions, one row per ranking.
    """
    rule, times, rng = settings.rule, settings.times, settings.generator
    rankings, clusters = model_rows.rankings, model_rows.clusters
    units, _ = make_counted_units(rule, rankings, clusters, 0.0)
    if rankings.weight is None and clusters is None:
        draws = draw_counts(units.cells, np.array(units.n_unscored), times, rng)
    else:
        draws = draw_units(rule, [units], times, rng)
    return _evaluate_models(draws, [curve], times)[0]
