"""How much a value varies: the same computation for arrays, streams and pictures."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._validation.inference import check_columns
from .._validation.samples import check_existing
from .._validation.warned import warn_of_heavy_negatives, warning_once
from ..core.cutoff import Cut
from ..core.intervals import Spread
from ..core.rankings import Rankings
from ..core.rules import Rule
from ..core.segments import Array
from ..core.variation import missing, shortlist
from .groups import centred, moved_in_groups, of_clusters, of_queries, query_values
from .question import Evidence, Question, Sample, ZeroDivision, has_queries
from .samples import (
    counted_units,
    deviations_of,
    measured,
    of_counts,
    of_same_draws,
    of_size,
    of_units,
    shares_of,
)


def evidence(question: Question, sample: Sample) -> Evidence:
    """Estimate how much the value of checked input varies."""
    rankings, rule = sample.rankings, question.rule
    if rankings.average == "binary" and rankings.weight is None and sample.clusters is None:
        points = read = check_existing(rankings.points(None), rankings)
        if rule.depth is not None:
            read = check_existing(rankings.points(rule.depth), rankings)
        return of_counts(question, points, rule.values(read), rankings.names)
    return compared(question, [sample])[0]


def unit_by_unit(question: Question, sample: Sample) -> Evidence:
    """Do the same with a deviation for each unit, by which models can be paired."""
    rankings, clusters = sample.rankings, sample.clusters
    if clusters is not None and (rankings.group is not None or clusters.absent is not None):
        return of_clusters(question, sample, clusters)
    if has_queries(rankings):
        return of_queries(question, sample)
    found = of_units(question, rankings, None if clusters is None else clusters.of)
    basis = found.basis.replace("clusters", sample.cluster_words)
    return found._replace(basis=basis)


def compared(question: Question, samples: Sequence[Sample]) -> list[Evidence]:
    """Estimate how much the values of models vary on the same units."""
    cut = _cut(question, samples[0])
    with warning_once():
        if cut is None:
            found = [unit_by_unit(question, sample) for sample in samples]
        else:
            models = [measured(question, sample.rankings) for sample in samples]
            listed = shortlist(cut, *(sample.rankings for sample in samples))
            found = of_same_draws(question, cut, models, listed)
    heaviest, first = max(each.heavy for each in found), samples[0]
    weight = first.rankings.weight
    each = 1 if weight is None else weight.min()
    if first.clusters is not None and (weight is None or each == weight.max()):
        warn_of_heavy_negatives(heaviest / each, first.cluster_words)
    else:
        warn_of_heavy_negatives(heaviest)
    return found


def compared_with(
    question: Question, samples: Mapping[str, Sample], baseline: str | None
) -> tuple[str, dict[str, list[Evidence]]]:
    """Do the same for each model and the baseline, which is the best model if it is None.

    Return the name of the baseline, and for each other model the evidence of that model and of the
    baseline. Both get the draws that they would get without further models.
    """
    cut = _cut(question, next(iter(samples.values())))
    if cut is None:
        each = dict(zip(samples, compared(question, list(samples.values())), strict=True))
        base = _best(baseline, {model: found.spread for model, found in each.items()})
        return base, {model: [each[model], each[base]] for model in samples if model != base}
    with warning_once():
        models = {name: measured(question, sample.rankings) for name, sample in samples.items()}
        base = _best(baseline, {name: model.still for name, model in models.items()})
        found = {}
        for name in samples:
            if name != base:
                listed = shortlist(cut, samples[name].rankings, samples[base].rankings)
                pair = [models[name], models[base]]
                found[name] = of_same_draws(question, cut, pair, listed)
        return base, found


def _best(baseline: str | None, spreads: Mapping[str, Spread]) -> str:
    if baseline is not None:
        return baseline
    return max(spreads, key=lambda model: spreads[model].mean)


def _cut(question: Question, sample: Sample) -> Cut | None:
    """Return the cut-off, if resamples may draw the rows below it together."""
    rule, rankings = question.rule, sample.rankings
    if sample.clusters is not None or has_queries(rankings):
        return None
    return None if rule.weighs_all and rankings.weight is not None else rule.depth


def averaged_names(question: Question, sample: Sample) -> list[Any]:
    """Return the names of the fixed groups or classes whose values are averaged."""
    rankings = sample.rankings
    if rankings.group is not None:
        values = query_values(question.rule, rankings, question.quietly).values
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
    return lacking if clusters is None else clusters.unplaced(lacking)


def influences(rule: Rule, rankings: Rankings, zero_division: ZeroDivision) -> Array:
    """Compute the influence of each sample on the value."""
    if rankings.average == "samples":
        values, weight, *_ = query_values(rule, rankings, zero_division)
        return centred(values, weight)
    rankings = of_size(rankings)
    if rankings.group is None:
        rankings, units, points = counted_units(rule, rankings, None, zero_division)
        deviations, drift, _ = deviations_of(rule, rankings, units, points)
        return np.asarray(shares_of(rankings, points) @ deviations + drift)
    values, weight, *_ = query_values(rule, rankings, zero_division)
    return moved_in_groups(rule, rankings, values, weight)[0]
