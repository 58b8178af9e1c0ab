"""How much a mean over groups varies, if the groups are drawn or clusters with their samples."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .._finish import fill_undefined
from .._validation.inference import check_positives, check_units, is_smooth
from .._validation.samples import check_existing
from .._validation.warned import warn_of_weighed_k
from ..core.cutoff import ALL, needs_every_point
from ..core.intervals import Spread
from ..core.rankings import Rankings
from ..core.rules import Rule
from ..core.segments import Array
from ..core.segments import spread as each_point
from ..core.units import Clusters, Units
from ..core.variation import draw_units, missing, resample_means, values_of
from .question import Evidence, QueryValues, Question, Sample, ZeroDivision, in_words
from .samples import deviations_of, of_resamples, of_size


def of_queries(question: Question, sample: Sample) -> Evidence:
    queries = query_values(question.rule, sample.rankings, question.zero_division)
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
        spread = of_resamples(still, drawn[:, np.newaxis])
    else:
        deviations = centred(values, weight) * np.sqrt(values.size / (values.size - 1))
        spread = still._replace(deviations=deviations[np.newaxis])
    spread = spread._replace(each=values[heavy]).settled()
    basis = in_words(values.size, words)
    return Evidence(spread, basis, weight / weight.sum(), left_out)


def query_values(rule: Rule, rankings: Rankings, zero_division: ZeroDivision) -> QueryValues:
    points = check_existing(rankings.points(rule.depth), rankings)
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
    points = check_existing(units.cells.points(), rankings)
    counted = np.where(np.isnan(values), 0, weight)
    check_positives(counted.sum(keepdims=True), None)
    share = counted / counted.sum()
    deviations, _, lacking = deviations_of(rule, rankings, units, points)
    own, lost = share[rankings.group] * deviations[0], share * lacking
    if rankings.average != "weighted":
        return np.asarray(own), np.asarray(lost)
    off = (values - np.nansum(share * values)) / counted.sum()
    moved = units.cells.spread(each_point(off, points.offsets), 0.0, 0.0)
    return np.asarray(own + units.totals(moved)[0]), np.asarray(lost + off)


class _FixedGroups(NamedTuple):
    """Groups whose values are averaged, with samples in the clusters that are drawn."""

    rankings: Rankings
    clusters: Clusters
    queries: QueryValues
    exist: Array  # the positives of each group
    lacking: Array  # those that were not scored and belong to no cluster


def of_clusters(question: Question, sample: Sample, clusters: Clusters) -> Evidence:
    """Estimate how much the mean over fixed groups varies if the clusters are drawn."""
    rule, rankings = question.rule, _in_groups(sample.rankings)
    if is_smooth(rule):
        rankings = of_size(rankings)
    queries = query_values(rule, rankings, question.zero_division)
    points = check_existing(rankings.points(rule.depth or ALL), rankings)
    lacking = clusters.unplaced(missing(points))
    check_units(clusters.size, "clusters")
    holding = np.array([clusters.holding(rankings.labels) + np.ceil(lacking).sum()])
    trials = np.maximum(np.floor(holding * rule.rests_on(points).max() + 1e-9), 1.0)
    vary = _resampled_clusters if question.method == "bootstrap" else _moved_clusters
    groups = _FixedGroups(rankings, clusters, queries, points.n_positives, lacking)
    spread = vary(question, groups, queries.mean(trials))
    drawn = in_words(clusters.size, sample.cluster_words)
    if sample.rankings.group is not None:
        drawn = f"{in_words(queries.values.size, sample.group_words)}, {drawn}"
    return Evidence(spread, drawn)


def _in_groups(rankings: Rankings) -> Rankings:
    """Turn a single ranking into one group."""
    if rankings.group is not None:
        return rankings
    group = np.zeros(rankings.labels.size, np.int64)
    return replace(rankings, group=group, names=["all samples"], average="macro")


def _moved_clusters(question: Question, groups: _FixedGroups, still: Spread) -> Spread:
    """Use influences: those of a cluster's samples and of its absent positives add up."""
    rankings, clusters, (values, weight, *_), _, lacking = groups
    own, lost = moved_in_groups(question.rule, rankings, values, weight)
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


def _resampled_clusters(question: Question, groups: _FixedGroups, still: Spread) -> Spread:
    """Use resamples of clusters, leaving out groups that have no positives in a resample."""
    rule, (rankings, clusters, (values, weight, *_), exist, lacking) = question.rule, groups
    every = needs_every_point(rule.depth, rankings.weight is not None)
    units = replace(
        Units.of(rankings, clusters.of, every),
        n_scored=clusters.size,
        missing=lacking,
        absent=clusters.absent,
    )
    draws = draw_units(rule, units, question.n_resamples, question.generator)
    drawn, positives = values_of(rule, draws, values.size)
    drawn = np.where(exist == 0, values, drawn)
    weight = positives if rankings.average == "weighted" else np.broadcast_to(weight, drawn.shape)
    weight = np.where(np.isnan(drawn), 0, weight)
    with np.errstate(invalid="ignore"):
        means = np.where(weight > 0, drawn, 0) * weight
        means = means.sum(axis=1, keepdims=True) / weight.sum(axis=1, keepdims=True)
    return of_resamples(still, means)
