"""Groups as sampling units, which are evaluated where their rows are.

An interval around a mean over groups needs one value per group, and the rows of a group are needed
only for that. So each chunk or partition of whole groups is evaluated at once, for all models and
metrics, and only the values are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .._read.columns import check_found
from .._read.group_names import name_all_groups, name_units, read_names
from .._read.sampling_units import Sample
from .._read.tables import column_name, name_of
from .._read.validation import Seen, check_seen
from .._words.arrays import as_list
from .._words.engine import NeedsRowsError
from .._words.inputs import Inputs, PositiveClass
from .._words.messages import noting_model, warn_of_own_groups, warning_once
from .._words.parameters import check_weighted, is_mapping
from ..core.cutoff import Cut, needs_every_point
from ..core.evidence import Valued, ValuedGroups
from ..core.operating_points import OperatingPoints, by_group, from_groups
from ..core.rankings import Rankings
from ..core.rules import AreaRule, Rule
from ..core.tallies import Tally
from ..core.units import Clusters, rank_alike
from ..core.within import Array
from .grouped import all_in_order, groups_of, no_points, together
from .jobs import bins_of
from .partitions import GroupRows, check_read_again, over_groups
from .passes import join_seen
from .value import are_negatives_heavy, valued_from, weigh_labels


class GroupRequest(NamedTuple):
    """What is asked about groups, which workers have to know."""

    rules: Sequence[Rule]
    positive: PositiveClass
    n_positives: Any

    def needs_all_scores(self, weighted: bool) -> bool:
        """Whether a metric needs the points of all scores, rather than of positives."""
        return any(needs_every_point(rule.depth, weighted) for rule in self.rules)


class ModelValues(NamedTuple):
    """What is known about some groups in the ranking of one model."""

    seen: Seen
    valued: Sequence[Valued]  # by each metric
    best: Any = None  # the highest score; None if there are no rows, or they have weights
    n_best: int = 0  # how many rows have it
    are_tied: Sequence[bool] = ()  # whether each metric's cutoff is in the first ties of all groups


class GroupValues(NamedTuple):
    """What is known about some groups."""

    names: Array
    rows: Array  # how many rows each group has
    positive_rows: Array
    masses: Array  # as `weigh_labels` returns them, of all groups
    models: Mapping[Any, ModelValues]
    alike: Sequence[int]  # a number for each model, equal for those that rank these groups alike
    clusters: Array | None  # the name of each group's cluster


def samples_of_groups(rules: Sequence[Rule], inputs: Inputs) -> dict[Any, Sample]:
    """Evaluate the groups of an engine, and return them as the sampling units of each model."""
    y_score = inputs.chunks.columns["y_score"]
    group_words = _words("groups", inputs)
    model = column_name(inputs.column_names.get("y_score")) or name_of(y_score)
    models, clusters, are_heavy = value_groups(rules, inputs)
    if are_heavy and any(isinstance(rule, AreaRule) for rule in rules):
        raise NeedsRowsError  # to find out whether negatives bias the values
    if clusters is None:
        return {
            key: Sample(groups, None, groups.names or (), "groups", group_words, model=model)
            for key, groups in models.items()
        }
    names, cluster_of_group = read_names(clusters, "clusters").numbered()
    drawn = Clusters(cluster_of_group.astype(np.int64, copy=False), len(names))
    words = group_words, _words("clusters", inputs)
    return {
        key: Sample(groups, drawn, names, "clusters", *words, model, of_groups=True)
        for key, groups in models.items()
    }


def _words(role: str, inputs: Inputs) -> str:
    """Name groups or clusters for results, by their column or series."""
    column, named = inputs.chunks.columns[role], inputs.column_names
    if hasattr(type(column), "columns"):  # of Dask
        named = {role: list(column.columns)}
    is_series = hasattr(type(column), "to_frame")  # while other collections are called by tokens
    return name_units(column if is_series else (), role, named)


class Evaluated(NamedTuple):
    """The groups of each model, evaluated by several metrics."""

    models: dict[Any, ValuedGroups]
    clusters: Array | None  # of the groups, in their order
    are_negatives_heavy: bool  # so that areas may be biased


def value_groups(
    rules: Sequence[Rule], inputs: Inputs, check: Callable[..., Array | None] = check_seen
) -> Evaluated:
    """Evaluate the groups of an engine by several metrics, for each of its models. `check` is
    called with what was seen of each model.
    """
    engine = inputs.chunks.for_request(inputs.positive, inputs.n_positives)
    request = GroupRequest([*dict.fromkeys(rules)], inputs.positive, inputs.n_positives)
    value = partial(value_whole, request=request)
    values, scattered = over_groups(engine, value, join_values, request.positive)
    check_read_again(scattered, next(iter(values.models.values())).seen)
    models, clusters = _sorted_groups(values, request, inputs.average, check)
    return Evaluated(models, clusters, are_negatives_heavy(*values.masses))


# --- whole groups --------------------------------------------------------------------------------


def value_whole(rows: GroupRows, request: GroupRequest) -> GroupValues:
    """Evaluate groups, of which these are all rows."""
    first, _ = next(iter(rows.models.values()))
    names, group = groups_of(first)
    models = {}
    for model, (samples, seen) in rows.models.items():
        with noting_model(model):
            models[model] = _value_groups(samples, seen, request)
    rankings = [samples for samples, _ in rows.models.values()]
    return GroupValues(
        names,
        rows=np.bincount(group, minlength=names.size),
        positive_rows=np.bincount(group[first.labels], minlength=names.size),
        masses=weigh_labels(first.labels, first.weight),
        models=models,
        alike=_number_alike(rankings, [*models.values()]),
        clusters=rows.clusters,
    )


def _value_groups(samples: Rankings, seen: Seen, request: GroupRequest) -> ModelValues:
    """Evaluate groups in the ranking of one model. There may be none."""
    names, group = groups_of(samples)
    points = no_points(0)
    if names.size:
        columns = samples.labels, samples.scores, group, names.size, samples.weight
        points = from_groups(*columns, every=request.needs_all_scores(seen.weighted))
    valued = _by_each(points, names, request, seen.weighted)
    if not names.size or seen.weighted:
        return ModelValues(seen, valued, are_tied=[True] * len(valued))
    best = samples.scores.max()
    return ModelValues(
        seen,
        valued,
        best=np.asarray(best).item(),
        n_best=int(np.count_nonzero(samples.scores == best)),
        are_tied=[_are_tied_at(rule.depth, samples) for rule in request.rules],
    )


def _by_each(
    points: OperatingPoints, names: Array, request: GroupRequest, weighted: bool
) -> list[Valued]:
    """Evaluate points of groups with these names by each metric."""
    if weighted:
        for rule in request.rules:
            check_weighted(rule)
    if request.n_positives is not None and names.size:
        present = as_list(names)
        counts = _counts_of_groups(present, request.n_positives)
        _, place, exist = name_all_groups(present, counts, weighted)
        checked = check_found(exist[place], points.n_positives, weighted, present)
        points = points.out_of(checked)
    positive_points = points
    if points.rows is not None:
        positive_points = points._replace(rows=None).where_positive()
    valued = []
    for rule in request.rules:
        needed = points if needs_every_point(rule.depth, weighted) else positive_points
        valued.append(valued_from(rule, needed, rule.values(needed)))
    return valued


def _counts_of_groups(names: Sequence[Any], n_positives: Any) -> Any:
    """Return the counts of these groups, or all counts if they aren't found like this.

    `n_positives` is what the caller passed, which is refused later if it isn't a mapping.
    """
    if not is_mapping(n_positives):
        return n_positives
    counts = {name: n_positives[name] for name in names if name in n_positives}
    return counts if len(counts) == len(names) else n_positives


def _are_tied_at(cut: Cut | None, samples: Rankings) -> bool:
    """Whether more than 2 k rows have the highest score of their group, wherever k cuts it."""
    group = samples.group
    if cut is None or group is None:
        return False
    sizes = np.bincount(group)
    k = cut.of(sizes)
    cuts = np.flatnonzero(sizes > k)
    if cuts.size:
        # For usual models, the first group tells, so that the others needn't be sorted.
        in_first = group == cuts[0]
        n_best = _count_best(samples.scores[in_first], group[in_first], sizes.size)
        if n_best[cuts[0]] <= 2 * k[cuts[0]]:
            return False
    n_best = _count_best(samples.scores, group, sizes.size)
    return bool((n_best[cuts] > 2 * k[cuts]).all())


def _count_best(scores: Array, group: Array, n_groups: int) -> Array:
    """Count the rows with the highest score of each group. A group may have no rows here."""
    order = np.lexsort((scores, group))
    ends = np.cumsum(np.bincount(group, minlength=n_groups)) - 1
    best = scores[order][ends.clip(0)]
    return np.bincount(group[scores == best[group]], minlength=n_groups)


def _number_alike(rankings: Sequence[Rankings], models: Sequence[ModelValues]) -> list[int]:
    """Number models, with equal numbers for those that rank all groups alike."""
    numbers: list[int] = []
    for place, (ranking, values) in enumerate(zip(rankings, models, strict=True)):
        number = place
        for earlier in dict.fromkeys(numbers):
            if have_same_values(values, models[earlier]) and (
                not ranking.n_rows or rank_alike(ranking, rankings[earlier])
            ):
                number = earlier
                break
        numbers.append(number)
    return numbers


def have_same_values(model: ModelValues, baseline: ModelValues) -> bool:
    """Whether all metrics have the same values in two models."""
    pairs = zip(model.valued, baseline.valued, strict=True)
    return all(np.array_equal(a.values, b.values, equal_nan=True) for a, b in pairs)


def join_values(chunks: list[GroupValues]) -> GroupValues:
    """Join the values of groups, each of which is in one chunk."""
    models = {
        model: _join_models([values.models[model] for values in chunks])
        for model in chunks[0].models
    }
    # Models rank alike if they do so in all chunks.
    numbers = list(zip(*(values.alike for values in chunks), strict=True))
    clusters = [values.clusters for values in chunks if values.clusters is not None]
    return GroupValues(
        together([values.names for values in chunks]),
        rows=np.concatenate([values.rows for values in chunks]),
        positive_rows=np.concatenate([values.positive_rows for values in chunks]),
        masses=np.sum([values.masses for values in chunks], axis=0),
        models=models,
        alike=[numbers.index(number) for number in numbers],
        clusters=together(clusters) if clusters else None,
    )


def _join_models(chunks: list[ModelValues]) -> ModelValues:
    """Join the values of one model, with the highest score of all chunks and its number of rows."""
    by_metric = zip(*(values.valued for values in chunks), strict=True)
    best = max((values.best for values in chunks if values.n_best), default=None)
    return ModelValues(
        join_seen([values.seen for values in chunks]),
        [_join_valued(valued) for valued in by_metric],
        best=best,
        n_best=sum(values.n_best for values in chunks if values.best == best),
        are_tied=[all(tied) for tied in zip(*(values.are_tied for values in chunks), strict=True)],
    )


def _join_valued(valued: Sequence[Valued]) -> Valued:
    """Put the values of different groups by one metric together."""
    return Valued(*map(np.concatenate, zip(*valued, strict=True)))


# --- all groups ----------------------------------------------------------------------------------


def _sorted_groups(
    values: GroupValues, request: GroupRequest, average: Any, check: Callable[..., Array | None]
) -> tuple[dict[Any, ValuedGroups], Array | None]:
    """Put all groups in order, and add those that only n_positives names.

    Return the groups of each model, and the name of each group's cluster, in the same order.
    """
    _check_models(values, request, check)
    weighted = next(iter(values.models.values())).seen.weighted
    names, order, absent, exist = all_in_order(values.names, request.n_positives, weighted)
    no_rows = np.zeros(absent.size, dtype=np.int64)
    rows = np.concatenate([values.rows, no_rows])[order]
    positive_rows = np.concatenate([values.positive_rows, no_rows])[order]
    token = object()  # to tell the order of these groups from that of others
    groups = {}
    for number, (model, of_model) in zip(values.alike, values.models.items(), strict=True):
        by_rule = {}
        for rule, valued in zip(request.rules, of_model.valued, strict=True):
            if exist is not None:
                points = no_points(absent.size).out_of(exist[absent])
                of_absent = valued_from(rule, points, rule.values(points))
                valued = _join_valued([valued, of_absent])
            by_rule[rule] = Valued(*(column[order] for column in valued))
        few_scores: Any = of_model.seen.scores
        groups[model] = ValuedGroups(
            average=average,
            names=names,
            n_positives=exist,
            weights=of_model.seen.sample_weight,
            by_rule=by_rule,
            sizes=rows,
            positive_rows=positive_rows,
            few_scores=np.zeros(3) if few_scores is None else np.array(sorted(few_scores)),
            tied_at=_cutoffs_in_ties(request.rules, of_model, int(rows.sum())),
            order=(token, number),
        )
    return groups, None if values.clusters is None else values.clusters[order]


def _check_models(
    values: GroupValues, request: GroupRequest, check: Callable[..., Array | None]
) -> None:
    """Check what was seen of each model, and warn if each row is a group."""
    with warning_once():
        for model, of_model in values.models.items():
            if not of_model.seen.n_samples and request.n_positives is not None:
                continue  # nothing was retrieved, which is warned of with the name of the model
            with noting_model(model):
                for rule in request.rules:
                    check(of_model.seen, 0, rule, request.n_positives, by_group=True)
    n_rows = int(values.rows.sum())
    for rule in request.rules:
        warn_of_own_groups(rule.depth, values.names, values.names.size, n_rows)


def _cutoffs_in_ties(rules: Sequence[Rule], of_model: ModelValues, n_rows: int) -> frozenset[Cut]:
    """Return the cutoffs at less than half of the first ties: of each group, and of all rows."""
    cutoffs = set()
    for rule, is_tied in zip(rules, of_model.are_tied, strict=True):
        depth = rule.depth
        if is_tied and depth and of_model.n_best > 2 * depth.of(np.array([n_rows])).item():
            cutoffs.add(depth)
    return frozenset(cutoffs)


# --- curves ---------------------------------------------------------------------------------------


class Curves(NamedTuple):
    """What is counted of each group for its curve, in any order, for each model."""

    names: Array
    models: Mapping[Any, tuple[Seen, Sequence[Tally]]]


def curves_of_groups(inputs: Inputs) -> Curves:
    """Count samples at the scores of positives and between them, in each group of an engine."""
    engine = inputs.chunks.for_request(inputs.positive, inputs.n_positives)
    curves, scattered = over_groups(engine, _count_whole, _join_curves, inputs.positive)
    seen, _ = next(iter(curves.models.values()))
    check_read_again(scattered, seen)
    return curves


def _count_whole(rows: GroupRows) -> Curves:
    """Count the samples of groups, of which these are all rows."""
    models = {}
    for model, (samples, seen) in rows.models.items():
        names, group = groups_of(samples)  # the same for all models
        places, offsets = by_group(np.arange(group.size), group, names.size)
        places_of_groups = np.split(places, offsets[1:-1]) if names.size else []
        models[model] = seen, [bins_of(samples.take(places)) for places in places_of_groups]
    return Curves(names, models)


def _join_curves(chunks: list[Curves]) -> Curves:
    models = {}
    for model in chunks[0].models:
        seen, tallies = zip(*(curves.models[model] for curves in chunks), strict=True)
        models[model] = join_seen(seen), [*chain(*tallies)]
    return Curves(together([curves.names for curves in chunks]), models)
