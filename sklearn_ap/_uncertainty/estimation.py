"""Estimate how much values vary between samples: the deviations from which all else follows.

`estimate_variations` returns a `Variation` for each model. The rule says how its value varies, and
so where its deviations come from: from the values of groups, if whole groups are drawn; from the
influences of samples, if the rule is smooth in their weights; and from resamples of the sampling
units for all other rules.
"""

import warnings
from collections.abc import Sequence
from dataclasses import replace

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
    set_existing,
    take_mean,
    weigh,
)
from ..exceptions import NoIntervalError
from . import influences, resamples, unsampled
from .textbook import ROUNDING, PerResample, PerUnit, count_equal
from .units import (
    SampledModel,
    SampledRankings,
    check_positives,
    check_units,
    count_once,
    sort_samples,
    write_count,
)
from .variation import Variation


def estimate_variations(
    models: Sequence[SampledModel], *, are_compared: bool = True
) -> list[Variation]:
    """Estimate how much the values of models vary in the same samples.

    If units are resampled, the models decide together which ones. If models are compared, also by
    several calls, each sample needs a deviation of its own.
    """
    rule, rankings = models[0].rule, models[0].rankings
    if rankings.average is None:
        raise ValueError("average=None has a value for each class: pass those of one class.")
    # If clusters consist of whole groups, or there are no clusters, groups vary, in all models.
    clusters = [model.units.find_clusters_of_groups(model.rankings) for model in models]
    of_groups = [each for each in clusters if each is not None]
    if len(of_groups) == len(models):
        pairs = zip(models, of_groups, strict=True)
        return [estimate_over_groups(model, cluster) for model, cluster in pairs]
    if rule.varies_by == "groups":
        raise ValueError(
            "This metric is one value of a whole ranking, which doesn't tell how much it varies. "
            "Pass groups=, such as queries, and clusters= only if they are made of whole groups."
        )
    if rule.varies_by == "rows":
        return estimate_functions(models)
    if rule.varies_by != "influences":
        return estimate_by_resamples(models)
    if not are_compared and has_equal_rows(models[0]):
        return [estimate_by_counts(models[0])]
    return [estimate_by_influences(model) for model in models]


def compute_chance(
    model: SampledModel, samples: SortedSamples, weight: PerSample | None, n_positives: PerRanking
) -> float:
    """Compute what a random ranking has on average, nan if weights or the rule have no formula. The
    weight is what the rule makes of the samples' weights: None if these are equal.
    """
    has_formula = weight is None and model.rule.ties == "grouped"
    values = model.rule.average_at_random(samples, n_positives) if has_formula else None
    if values is None:
        return np.nan
    mean, _, _ = model.silence().average(values, n_positives)
    return mean


# --- groups as units ------------------------------------------------------------------------------


def evaluate_each_group(
    model: SampledModel,
) -> tuple[PerRanking, PerRanking, PerRanking, PerRanking, float]:
    """Return the value of each group, nan for 0/0, its number of positives, the values of perfect
    rankings of these groups, those that other groups may have, and the mean of random ones.
    """
    rule, rankings = model.rule, model.rankings
    perfect = np.ones(rankings.n_rankings)
    if rule.needs_rows:
        return *rule.evaluate_rankings(rankings), perfect, perfect, np.nan
    rule = model.point_rule
    samples = sort_samples(rankings)
    weight = rule.choose_weights(rankings.weight, rankings.n_positives is not None)
    points = samples.build_points(weight, rule.needs_every_point)
    points = set_existing(points, rankings.n_positives, rankings.names)
    if rule.k is not None:
        perfect = evaluate_perfect(rule, points)
    chance = compute_chance(model, samples, weight, points.n_positives)
    return rule.values(points), points.n_positives, perfect, rule.compute_highest(points), chance


def estimate_over_groups(model: SampledModel, unit: PerRanking) -> Variation:
    """Estimate how much a mean over groups varies, each of which belongs to a sampling unit."""
    rule, rankings, units = model.rule, model.rankings, model.units
    values, n_positives, perfect, highest, chance = evaluate_each_group(model)
    value, values, weight = model.average(values, n_positives)
    is_counted = weight > 0
    if not is_counted.any() or (rule.needs_positives and not n_positives.any()):
        raise NoIntervalError("y_true has no positives.", "no positives")
    # The units of groups that weigh 0 were drawn, too.
    n_units = find_distinct(unit[~np.isnan(values)]).size
    of_group, (_, unit) = unit, np.unique(unit[is_counted], return_inverse=True)
    values, fractions = values[is_counted], weight[is_counted] / weight[is_counted].sum()
    deviations = np.bincount(unit, fractions * (values - fractions @ values))
    check_units(deviations.size)
    limits, (bottom, top) = rule.limits, rule.limits
    if not rule.greater_is_better:
        bottom, top = top, bottom
    tops = np.full(values.size, top)
    if rule.needs_positives:
        limits = 0.0, float(fractions @ np.maximum(highest[is_counted], values))
        tops = np.maximum(perfect[is_counted], values)
    of_units, unseen = np.bincount(unit, fractions), None
    if np.isfinite([bottom, *tops]).all():
        means = [np.bincount(unit, fractions * each) / of_units for each in (values, tops)]
        unseen = unsampled.bound_one_more(means[0], bottom, means[1], of_units)
    if np.abs(deviations).max() <= ROUNDING * abs(value) and are_copies(rankings, of_group):
        unseen = value, value
    return Variation(
        value=value,
        source="groups",
        deviations=influences.unbias(deviations, n_units),
        n_effective=count_equal(of_units),
        basis=describe_groups(model, n_positives[is_counted], deviations.size),
        limits=limits,
        unseen=unseen,
        greater_is_better=rule.greater_is_better,
        chance=chance,
        n_samples=rankings.scores.size if rankings.source == "groups" else units.n_rows,
        n_positives=float(rankings.count_positives().sum()),
    )


def are_copies(rankings: Rankings, unit_of_group: PerRanking) -> bool:
    """Whether all units hold the same labels and scores, as those of a model that no seed changes.
    Equal values alone may be chance.
    """
    unit, n_units = unit_of_group[rankings.code_of_samples], find_distinct(unit_of_group).size
    if find_distinct(unit).size < n_units or unit.size % n_units:
        return False
    order = np.lexsort([rankings.labels, rankings.scores, unit]).reshape(n_units, -1)
    return all((each[order] == each[order[0]]).all() for each in (rankings.labels, rankings.scores))


def describe_groups(model: SampledModel, n_positives: PerRanking, n_units: int) -> str:
    """Say what a mean over groups rests on, such as "12 queries, 10 with positives"."""
    n_groups, units, rankings = n_positives.size, model.units, model.rankings
    basis = write_count(n_groups, units.group_word if rankings.source == "groups" else "row")
    if rankings.names is not None and len(rankings.names) == n_groups:
        basis = units.count_groups(rankings.names)
    n_with_positives = int(np.count_nonzero(n_positives))
    if n_with_positives < n_groups and model.rule.needs_positives:
        basis += f", {n_with_positives:,} with positives"
    if n_units < n_groups and units.group_column is None:
        basis += f", {write_count(n_units, units.cluster_word)}"
    return basis


# --- influences of rows or clusters ---------------------------------------------------------------


def has_equal_rows(model: SampledModel) -> bool:
    """Whether there is one ranking of rows that count alike, and are the sampling units."""
    rankings, units = model.rankings, model.units
    options = rankings.group_codes, rankings.weight, rankings.n_positives, units.cluster_codes
    return all(each is None for each in options) and rankings.scores.size == units.n_rows


def estimate_by_counts(model: SampledModel) -> Variation:
    """Estimate how much the value of one ranking of equal rows varies, by counting these at each
    point, which takes a third of the time.
    """
    rule, rankings = model.point_rule, model.rankings
    samples = SortedSamples.sort_one(rankings.labels, rankings.scores)
    points = samples.build_points(None, every_point=False)
    n_samples = rankings.scores.size
    check_positives(points.n_positives, rankings, "warn")
    check_units(n_samples)
    n_positives = float(points.n_positives[0])
    values = rule.values(points)
    by_weight = influences.differentiate(rule, points, values, np.zeros(1))
    n_above = points.above - np.append(0, points.above + points.tied)[:-1]
    counts = points.hits, points.tied - points.hits, n_above

    def find_cost(n_negatives: float) -> float:
        weight = np.full(1, n_negatives)
        return float(unsampled.compute_losses(rule, points, values, weight)[0])

    # No other model needs the deviation of each sample, so that one deviation stands for all, whose
    # square is the sum of theirs.
    square = sum(np.vdot(each * n, each) for each, n in zip(by_weight, counts, strict=True))
    return Variation(
        value=float(values[0]),
        source="influences",
        deviations=influences.unbias(np.sqrt([square]), n_samples),
        n_effective=n_positives,
        basis=write_count(int(n_positives), "positive"),
        find_cost=find_cost,
        find_cost_in_margins=find_cost,
        chance=compute_chance(model, samples, None, points.n_positives),
        n_samples=n_samples,
        n_positives=n_positives,
    )


def estimate_by_influences(model: SampledModel) -> Variation:
    """Estimate how much the value of a smooth rule, or a mean of its values, varies, by the
    influences of samples.
    """
    sampled = SampledRankings(model)
    rule, points, values = sampled.rule, sampled.points, sampled.values
    derivatives = influences.differentiate(rule, points, values, np.zeros(sampled.n_rankings))
    negative_weight, in_margins = unsampled.weigh_negative(sampled, derivatives)
    extra_weight = unsampled.compute_extra_weight(sampled, negative_weight)
    if extra_weight.any():
        derivatives = influences.differentiate(rule, points, values, extra_weight)
    n_samples, n_positives = count_once(sampled.rankings, sampled.units)
    return Variation(
        value=sampled.value,
        source="influences",
        deviations=influences.compute_deviations(sampled, derivatives),
        n_effective=max(sampled.n_effective, 1.0),
        basis=sampled.describe_basis(),
        find_cost=unsampled.make_cost(sampled, negative_weight),
        find_cost_in_margins=unsampled.make_cost(sampled, in_margins),
        bias=unsampled.compute_bias(sampled),
        rare_parts=unsampled.list_rare_parts(sampled),
        positive_mass=sampled.sum_positive_mass() if sampled.n_rankings == 1 else None,
        chance=compute_chance(model, sampled.samples, sampled.weight, sampled.n_positives),
        n_samples=n_samples,
        n_positives=n_positives,
    )


# --- resamples of rows or clusters ----------------------------------------------------------------


def estimate_by_resamples(models: Sequence[SampledModel]) -> list[Variation]:
    """Estimate how much the values of any rule, or means of them, vary, by resamples of units whose
    order the models decide together.
    """
    all_sampled = [SampledRankings(model) for model in models]
    ordered = resamples.order_units([*map(resamples.read_contents, all_sampled)])
    pairs = zip(models, all_sampled, strict=True)
    return [resample(model, sampled, ordered) for model, sampled in pairs]


def resample(model: SampledModel, sampled: SampledRankings, ordered: PerUnit) -> Variation:
    """Return the value of a rule, or a mean of its values, with its deviations in resamples."""
    rule, points = sampled.rule, sampled.points
    is_counted = (sampled.fractions > 0) & (sampled.n_positives > 0)
    used_fraction = float(rule.compute_used_fraction(points)[is_counted].max())
    resampled = resamples.Resampling(sampled, ordered).evaluate_resamples()
    n_samples, n_positives = count_once(sampled.rankings, sampled.units)
    variation = Variation(
        value=sampled.value,
        source="resamples",
        deviations=resamples.compute_deviations_of_resamples(resampled),
        n_effective=max(sampled.n_effective * used_fraction, 1.0),
        basis=sampled.describe_basis(),
        rare_parts=unsampled.list_rare_parts(sampled),
        chance=compute_chance(model, sampled.samples, sampled.weight, sampled.n_positives),
        n_samples=n_samples,
        n_positives=n_positives,
    )
    if rule.varies_by != "top":
        negative_weight, in_margins = unsampled.weigh_negative(
            sampled, influences.differentiate_step(sampled)
        )
        # Where a few negatives may cost the whole value, K would say nothing about it.
        cost = None if rule.needs_precision else unsampled.make_cost(sampled, negative_weight)
        return replace(
            variation,
            find_cost=cost,
            find_cost_in_margins=unsampled.make_cost(sampled, in_margins),
        )
    # Perfect rankings of this sample bound the value, and those of another sample the interval.
    perfect = np.maximum(evaluate_perfect(rule, points), sampled.values)
    highest = np.maximum(rule.compute_highest(points), sampled.values)
    limits = 0.0, float(sampled.fractions @ highest)
    return replace(variation, perfect=float(sampled.fractions @ perfect), limits=limits)


def evaluate_perfect(rule: PointRule, points: Points) -> PerRanking:
    """Return the values that rankings would have if their positives were first, without ties."""
    if rule.k_counts == "samples" and points.tied_rows is not None:
        return rule.compute_highest(points)  # How much the top k can weigh isn't known.
    # Each ranking has a single point.
    has_positives, offsets = points.n_positives > 0, np.arange(points.n_rankings + 1)
    hits = np.where(has_positives, points.n_positives, 1)
    rows = None if points.tied_rows is None else hits
    perfect = make_points_from_counts(hits, hits, rows, True, offsets)
    mass = np.maximum(points.mass, hits)
    are_whole = points.has_whole_weights
    perfect = perfect._replace(mass=mass, n_rows=points.n_rows, has_whole_weights=are_whole)
    return np.where(has_positives, rule.values(perfect), 0.0)


def estimate_functions(models: Sequence[SampledModel]) -> list[Variation]:
    """Estimate how much the values of users' functions vary, by resamples of units whose order the
    models decide together.
    """
    contents = []
    for _, rankings, units, *_ in models:
        positive, codes = rankings.labels > 0, rankings.group_codes
        samples = SortedSamples.sort(positive, rankings.scores, codes, rankings.n_rankings)
        unit_and_ranking = units.find_all_units(rankings)
        columns = rankings.labels, rankings.weight, *unit_and_ranking
        contents.append(resamples.Contents(units.n_units, samples, *columns))
    ordered = resamples.order_units(contents)
    return [estimate_function(model, ordered) for model in models]


def estimate_function(model: SampledModel, ordered: PerUnit) -> Variation:
    """Estimate how much the value of a user's function, or a mean of its values, varies, by
    resamples of ordered units.

    What its value rests on isn't known. If samples are positive or not, the rarer ones are counted.
    """
    rule, rankings, units = model.rule, model.rankings, model.units
    values, n_positives = rule.evaluate_rankings(rankings)
    value, _, _ = model.average(values, n_positives)
    if np.isnan(values).all():
        raise NoIntervalError(f"{rule} has no finite value.", "no value")
    unit = units.find_units(rankings)
    n_units = int(unit.max()) + 1
    check_units(n_units)
    is_positive = rankings.labels > 0
    is_rarer = is_positive == (2 * np.count_nonzero(is_positive) <= is_positive.size)
    n_equal = count_equal(np.bincount(unit[is_rarer] if is_rarer.any() else unit))
    resampled = resample_function(
        model, ordered, unit, values, weigh(rankings, values, n_positives)
    )
    basis = write_count(n_units, "row" if units.cluster_codes is None else units.cluster_word)
    if is_rarer.any():
        basis += f", {find_distinct(unit[is_positive]).size:,} with positives"
    if values.size > 1:
        basis = f"{write_count(values.size, units.group_word)}, {basis}"
    n_samples, n_positives_once = count_once(rankings, units)
    return Variation(
        value=value,
        source="function",
        deviations=resamples.compute_deviations_of_resamples(resampled),
        n_effective=max(n_equal, 1.0),
        basis=basis,
        limits=rule.limits,
        greater_is_better=rule.greater_is_better,
        n_samples=n_samples,
        n_positives=n_positives_once,
    )


def resample_function(
    model: SampledModel, ordered: PerUnit, unit: PerSample, values: PerRanking, weight: PerRanking
) -> PerResample:
    """Return the value of a user's function in each resample, nan where a label is missing. The
    weights are those of rankings in the mean of their values.
    """
    rule, rankings = model.rule, model.rankings
    is_positive = rankings.labels > 0
    is_binary = is_positive.any() and not is_positive.all()
    block, times = resamples.find_blocks(ordered, unit)
    resampled = np.full(resamples.N_RESAMPLES, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The function has warned of these data before.
        for place, of_blocks in enumerate(times.astype(np.int64)):
            drawn = np.repeat(np.arange(unit.size), of_blocks[block])
            if is_binary and is_positive[drawn].all() == is_positive[drawn].any():
                continue  # many functions need both labels
            labels, scores = rankings.labels[drawn], rankings.scores[drawn]
            group = None if rankings.group_codes is None else rankings.group_codes[drawn]
            again = rule.values(replace(rankings, labels=labels, scores=scores, group_codes=group))
            if values.size > 1:  # the value of a group that has none is a convention
                again = np.where(np.isnan(again), values, again)
            resampled[place] = take_mean(again, weight)
    return resampled
