"""Estimate how much values vary between samples: the deviations from which all else follows.

`estimate_variations` returns a `Variation` for each model. The rule says how its value varies, and
so where its deviations come from: from the values of groups, if whole groups are drawn; from the
influences of samples, if the rule is smooth in their weights; and from resamples of the sampling
units for all other rules.
"""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._core import (
    PerRanking,
    PerSample,
    PointRule,
    Points,
    Rankings,
    SortedSamples,
    find_distinct,
    make_points_from_counts,
    rules,
    set_existing,
    take_mean,
)
from ..exceptions import NoIntervalError
from . import influences, resamples, unsampled
from .textbook import ROUNDING, PerUnit, count_equal
from .units import (
    SampledModel,
    SampledRankings,
    check_positives,
    check_units,
    count_once,
    sort_samples,
    write_count,
)
from .variation import NegativesOnTop, Variation


def estimate_variations(models: Sequence[SampledModel], *, are_compared: bool) -> list[Variation]:
    """Estimate how much the values of models vary in the same samples.

    If units are resampled, the models decide together which ones. If models are compared, also by
    several calls, each sample needs a deviation of its own.
    """
    rule, rankings, units = models[0].rule, models[0].rankings, models[0].units
    if rankings.average is None:
        raise ValueError("average=None has a value for each class: pass those of one class.")
    if rankings.kind in ("groups", "rows"):
        # If clusters consist of whole groups, or there are no clusters, groups vary, in all models.
        clusters = [model.units.find_clusters_of_groups(model.rankings) for model in models]
        of_groups = [cluster for cluster in clusters if cluster is not None]
        if len(of_groups) == len(models):
            return [estimate_over_groups(*pair) for pair in zip(models, of_groups, strict=True)]
    if rule.varies_by == "groups":
        raise ValueError(
            "This metric is one value of a whole ranking, which doesn't tell how much it varies. "
            "Pass groups=, such as queries, and clusters= only if they are made of whole groups."
        )
    if rule.varies_by == "rows":
        contents = []
        for model in models:
            ranked, (unit, ranking, _) = model.rankings, model.units.find_units(model.rankings)
            columns = ranked.labels, ranked.weight, unit, ranking, ranked.n_rankings
            contents.append(resamples.Contents(model.units.n_units, sort_samples(ranked), *columns))
        ordered = resamples.order_units(contents)
        return [estimate_function(model, ordered) for model in models]
    options = rankings.group_codes, rankings.weight, rankings.n_positives, units.cluster_codes
    have_equal_rows = rankings.scores.size == units.n_rows and all(o is None for o in options)
    if rule.varies_by == "influences" and have_equal_rows and not are_compared:
        return [estimate_by_counts(models[0])]
    all_sampled = [SampledRankings(model) for model in models]
    if rule.varies_by == "influences":
        return [estimate_over_units(sampled, None) for sampled in all_sampled]
    ordered = resamples.order_units([*map(resamples.read_contents, all_sampled)])
    return [estimate_over_units(sampled, ordered) for sampled in all_sampled]


def compute_chance(
    model: SampledModel, samples: SortedSamples, weight: PerSample | None, n_positives: PerRanking
) -> float:
    """Compute what a random ranking has on average, nan if weights or the rule have no formula. The
    weight is what the rule makes of the samples' weights: None if these are equal.
    """
    values = None
    if weight is None and model.rule.ties == "grouped":
        values = model.rule.average_at_random(samples, n_positives)
    silent = model._replace(warns=False)
    return np.nan if values is None else silent.average(values, n_positives)[0]


# --- groups as units ------------------------------------------------------------------------------


def estimate_over_groups(model: SampledModel, unit_of_group: PerRanking) -> Variation:
    """Estimate how much a mean over groups varies, each of which belongs to a sampling unit."""
    rule, rankings, units = model.rule, model.rankings, model.units
    values, n_positives, perfect, highest, chance = evaluate_groups(model)
    value, values, weight = model.average(values, n_positives)
    is_counted = weight > 0
    if not is_counted.any() or (rule.needs_positives and not n_positives.any()):
        raise NoIntervalError("y_true has no positives.", "no positives")
    # The units of groups that weigh 0 were drawn, too.
    n_units = find_distinct(unit_of_group[~np.isnan(values)]).size
    _, unit = np.unique(unit_of_group[is_counted], return_inverse=True)
    values, fractions = values[is_counted], weight[is_counted] / weight[is_counted].sum()
    deviations = np.bincount(unit, fractions * (values - fractions @ values))
    of_units = np.bincount(unit, fractions)
    check_units(deviations.size)
    # One more unit may be worse or better than all others, between the limits of its groups.
    limits = rule.limits
    bottom, top = limits if rule.greater_is_better else limits[::-1]
    tops = np.full(values.size, top)
    if rule.needs_positives:
        limits = 0.0, float(fractions @ np.maximum(highest[is_counted], values))
        tops = np.maximum(perfect[is_counted], values)
    unseen = None
    if np.isfinite([bottom, *tops]).all():
        means, highest_means = (np.bincount(unit, fractions * v) / of_units for v in (values, tops))
        unseen = unsampled.bound_one_more(means, bottom, highest_means, of_units)
    # Two queries may give their documents the same ranks. Other scores, or seeds that are passed as
    # clusters, show that rows are the same.
    are_ranks = units.cluster_codes is None and (rankings.scores % 1 == 0).all()
    varies = np.abs(deviations).max() > ROUNDING * abs(value)
    has_copies = not varies and not are_ranks and are_copies(rankings, unit_of_group)
    if has_copies:  # as one more unit would
        unseen = value, value
    # It rests on such as "12 queries, 10 with positives".
    n_groups, n_with_positives = values.size, np.count_nonzero(n_positives[is_counted])
    basis = write_count(n_groups, units.group_word if rankings.kind == "groups" else "row")
    if rankings.names is not None and len(rankings.names) == n_groups:
        basis = units.count_groups(rankings.names)
    if n_with_positives < n_groups and rule.needs_positives:
        basis += f", {n_with_positives:,} with positives"
    if deviations.size < n_groups and units.group_column is None:
        basis += f", {write_count(deviations.size, units.cluster_word)}"
    return Variation(
        value=value,
        method="groups",
        deviations=deviations * np.sqrt(n_units / (n_units - 1)),  # as variances are unbiased
        n_effective=count_equal(of_units),
        basis=basis,
        limits=limits,
        unseen=unseen,
        has_copies=has_copies,
        chance=chance,
        n_samples=rankings.scores.size if rankings.kind == "groups" else units.n_rows,
        n_positives=float(rankings.count_positives().sum()),
    )


def evaluate_groups(
    model: SampledModel,
) -> tuple[PerRanking, PerRanking, PerRanking, PerRanking, float]:
    """Return the value of each group, nan for 0/0, its number of positives, the values of perfect
    rankings of these groups, those that other groups may have, and the mean of random ones.
    """
    rule, rankings = model.rule, model.rankings
    perfect = np.ones(rankings.n_rankings)
    if rule.needs_rows:
        return *rule.evaluate_rankings(rankings), perfect, perfect, np.nan
    assert isinstance(rule, PointRule)
    samples = sort_samples(rankings)
    weight = rule.check_weights(rankings.weight, rankings.n_positives is not None)
    points = samples.build_points(weight, rule.needs_every_point)
    points = set_existing(points, rankings.n_positives, rankings.names)
    if rule.k is not None:
        perfect = evaluate_perfect(rule, points)
    chance = compute_chance(model, samples, weight, points.n_positives)
    return rule.values(points), points.n_positives, perfect, rule.compute_highest(points), chance


def are_copies(rankings: Rankings, unit_of_group: PerRanking) -> bool:
    """Whether all units hold the same labels and scores, as those of a model that no seed changes.
    Equal values alone may be chance.
    """
    unit, n_units = unit_of_group[rankings.code_of_samples], find_distinct(unit_of_group).size
    may_differ = rankings.n_positives is not None  # in positives that weren't scored
    if may_differ or find_distinct(unit).size < n_units or unit.size % n_units:
        return False
    order = np.lexsort([rankings.labels, rankings.scores, unit]).reshape(n_units, -1)
    return all((each[order] == each[order[0]]).all() for each in (rankings.labels, rankings.scores))


# --- rows or clusters as units --------------------------------------------------------------------


def estimate_over_units(sampled: SampledRankings, ordered: PerUnit | None) -> Variation:
    """Estimate how much a value, or a mean of values, varies over rows or clusters: by resamples of
    ordered units, or without these by the influences of samples, for a rule that is smooth.
    """
    rule, points, values = sampled.rule, sampled.points, sampled.values
    n, fractions = sampled.n_rankings, sampled.fractions
    u, basis = sampled.count_units()
    # What bounds the value: negatives that the sample may lack, or at a cutoff perfect rankings of
    # this sample, and of another one.
    negatives, perfect, limits = None, np.inf, (0.0, 1.0)
    if rule.varies_by == "top":
        perfect = float(fractions @ np.maximum(evaluate_perfect(rule, points), values))
        limits = 0.0, float(fractions @ np.maximum(rule.compute_highest(points), values))
    else:
        # How negatives rank together is that of average precision, if the rule has no derivatives.
        area, of_area = rule, values
        if ordered is not None:
            area = rules.Step()
            of_area = np.nan_to_num(area.values(points))
        derivatives = influences.differentiate(area, points, of_area, np.zeros(n))
        negatives = unsampled.find_negatives(sampled, derivatives)
        if rule.needs_precision:  # A few may cost the whole value, so that K would say nothing.
            negatives = replace(negatives, weight=np.zeros(n))

    bias, rare_parts = 0.0, np.zeros(n)
    if sampled.has_several:
        rare_parts = unsampled.list_rare_parts(sampled)
        bias = unsampled.compute_bias(sampled) if ordered is None else 0.0
    if ordered is None:
        assert negatives is not None
        if sampled.weight is not None or not sampled.units_are_samples:
            extra_weight = unsampled.compute_extra_weight(sampled, negatives.weight)
            if extra_weight.any():
                derivatives = influences.differentiate(rule, points, values, extra_weight)
        deviations = influences.compute_deviations(sampled, derivatives)
    else:
        is_counted = (fractions > 0) & (sampled.n_positives > 0)
        u *= float(rule.compute_used_fraction(points)[is_counted].max())
        resampled = resamples.Resampling(sampled, ordered).evaluate_resamples()
        deviations = resamples.compute_deviations_of_resamples(resampled)

    return Variation(
        value=sampled.value,
        method="influences" if ordered is None else "resamples",
        deviations=deviations,
        n_effective=max(u, 1.0),
        basis=basis,
        limits=limits,
        perfect=perfect,
        negatives=negatives,
        bias=bias,
        rare_parts=rare_parts,
        chance=compute_chance(sampled.model, sampled.samples, sampled.weight, sampled.n_positives),
        n_samples=sampled.n_samples,
        n_positives=sampled.n_positives_once,
    )


def evaluate_perfect(rule: PointRule, points: Points) -> PerRanking:
    """Return the values that rankings would have if their positives were first, without ties."""
    if rule.k_counts == "samples" and points.rows is not None:
        return rule.compute_highest(points)  # How much the top k can weigh isn't known.
    # Each ranking has a single point.
    has_positives, offsets = points.n_positives > 0, np.arange(points.n_rankings + 1)
    hits = np.where(has_positives, points.n_positives, 1)
    perfect = make_points_from_counts(hits, hits, None, True, offsets)
    mass, are_whole = np.maximum(points.mass, hits), points.has_whole_weights
    perfect = perfect._replace(mass=mass, n_rows=points.n_rows, has_whole_weights=are_whole)
    return np.where(has_positives, rule.values(perfect), 0.0)


def estimate_by_counts(model: SampledModel) -> Variation:
    """Estimate how much the value of a smooth rule varies for one ranking of equal rows, which are
    the sampling units, by counting these at each point, which takes a third of the time.

    No other model needs the deviation of each row, so that one stands for all.
    """
    rule, rankings = model.rule, model.rankings
    assert isinstance(rule, PointRule)
    samples = SortedSamples.sort(rankings.labels, rankings.scores, needs_order=False)
    points = samples.build_points(None, every_point=False)
    n_samples, n_positives = rankings.scores.size, float(points.n_positives[0])
    check_positives(points.n_positives, model)
    check_units(n_samples)
    values = rule.values(points)
    derivatives = influences.differentiate(rule, points, values, np.zeros(1))
    n_above = points.samples_above - np.append(0, points.cum_samples)[:-1]
    counts = points.hits, points.samples - points.hits, n_above
    of_kinds = zip(derivatives, counts, strict=True)
    variance = float(sum(np.vdot(kind * n, kind) for kind, n in of_kinds))
    variance *= n_samples / (n_samples - 1)  # unbiased
    one = np.ones(1)  # the weight of a negative, and the fraction of the ranking in the mean
    negatives = NegativesOnTop(
        rule=rule, points=points, values=values, fractions=one, weight=one, weight_in_margins=one
    )
    return Variation(
        value=float(values[0]),
        method="influences",
        deviations=np.sqrt([variance]),
        n_effective=n_positives,
        basis=write_count(int(n_positives), "positive"),
        negatives=negatives,
        chance=compute_chance(model, samples, None, points.n_positives),
        n_samples=n_samples,
        n_positives=n_positives,
    )


# --- functions of rows ----------------------------------------------------------------------------


def estimate_function(model: SampledModel, ordered: PerUnit) -> Variation:
    """Estimate how much the value of a user's function, or a mean of its values, varies, by
    resamples of ordered units.
    """
    rule, rankings, units = model.rule, model.rankings, model.units
    values, n_positives = rule.evaluate_rankings(rankings)
    if np.isnan(values).all():
        raise NoIntervalError(f"{rule} has no finite value.", "no value")
    value, values, fractions = model.average(values, n_positives)
    unit = units.find_units(rankings)[0][: rankings.scores.size]
    check_units(ordered.size)

    # What its value rests on isn't known. If samples are positive or not, the rarer ones count.
    is_positive = rankings.labels > 0
    is_rarer = is_positive == (2 * np.count_nonzero(is_positive) <= is_positive.size)
    weight = np.ones(unit.size) if rankings.weight is None else rankings.weight
    rarer_mass = weight * is_rarer if is_rarer.any() else weight
    basis = write_count(ordered.size, "row" if units.cluster_codes is None else units.cluster_word)
    if is_rarer.any():
        basis += f", {find_distinct(unit[is_positive]).size:,} with positives"
    if values.size > 1:
        basis = f"{write_count(values.size, units.group_word)}, {basis}"

    # Resamples in which a label is missing have no value, since many functions need both.
    columns: dict[str, Any] = {"labels": rankings.labels, "scores": rankings.scores}
    columns |= {} if rankings.weight is None else {"weight": rankings.weight}
    columns |= {} if rankings.group_codes is None else {"group_codes": rankings.group_codes}
    is_binary = is_positive.any() and not is_positive.all()
    block_of_unit, times = resamples.find_blocks(ordered)
    block = block_of_unit[unit]
    resampled = np.full(resamples.N_RESAMPLES, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The function has warned of these data before.
        for place, of_blocks in enumerate(times.astype(np.int64)):
            drawn = np.repeat(np.arange(unit.size), of_blocks[block])
            if is_binary and is_positive[drawn].all() == is_positive[drawn].any():
                continue
            drawn_columns = {name: column[drawn] for name, column in columns.items()}
            again = rule.values(replace(rankings, **drawn_columns))
            if values.size > 1:  # the value of a group that has none is a convention
                again = np.where(np.isnan(again), values, again)
            resampled[place] = take_mean(again, fractions)

    n_samples, n_positives_once = count_once(rankings, units)
    return Variation(
        value=value,
        method="function",
        deviations=resamples.compute_deviations_of_resamples(resampled),
        n_effective=max(count_equal(np.bincount(unit, rarer_mass)), 1.0),
        basis=basis,
        limits=rule.limits,
        n_samples=n_samples,
        n_positives=n_positives_once,
    )
