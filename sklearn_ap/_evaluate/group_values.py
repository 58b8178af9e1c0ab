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
from .._words.messages import (
    noting_model,
    warn_of_own_groups,
    warning_once,
)
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
from .partitions import Whole, check_read_again, over_groups
from .passes import join_seen
from .value import are_negatives_heavy, valued_from, weigh_labels


class Asked(NamedTuple):
    """What is asked about groups, which workers have to know."""

    rules: Sequence[Rule]
    positive: PositiveClass
    n_positives: Any

    def every(self, weighted: bool) -> bool:
        """Whether a metric needs the points of all scores, rather than of positives."""
        return any(needs_every_point(rule.depth, weighted) for rule in self.rules)


class ModelValues(NamedTuple):
    """What is known about some groups in the ranking of one model."""

    seen: Seen
    valued: Sequence[Valued]  # by each metric
    n_first: tuple[Any, int] = (None, 0)  # the highest score, and how many rows have it
    are_tied: Sequence[bool] = ()  # whether each metric's cutoff is in the first ties of all groups


class GroupValues(NamedTuple):
    """What is known about some groups."""

    names: Array
    rows: Array
    positive_rows: Array
    masses: Array  # the sum of the weights of negatives, and that of their squares; of positives
    models: Mapping[Any, ModelValues]
    alike: Sequence[int]  # a number for each model, equal for those that rank these groups alike
    clusters: Array | None  # the name of each group's cluster


def samples_of_groups(rules: Sequence[Rule], inputs: Inputs) -> dict[Any, Sample]:
    """Evaluate the groups of an engine, and return them as the sampling units of each model."""
    y_score = inputs.chunks.columns["y_score"]
    words = _words("groups", inputs)
    model = column_name(inputs.column_names.get("y_score")) or name_of(y_score)
    models, clusters, are_heavy = value_groups(rules, inputs)
    if are_heavy and any(isinstance(rule, AreaRule) for rule in rules):
        raise NeedsRowsError  # to find out whether negatives bias the values
    if clusters is None:
        return {
            name: Sample(each, None, each.names or (), "groups", words, model=model)
            for name, each in models.items()
        }
    names, of = read_names(clusters, "clusters").numbered()
    drawn = Clusters(of.astype(np.int64, copy=False), len(names))
    units = names, "clusters", words, _words("clusters", inputs), model
    return {name: Sample(each, drawn, *units, of_groups=True) for name, each in models.items()}


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
    asked = Asked([*dict.fromkeys(rules)], inputs.positive, inputs.n_positives)
    value = partial(value_whole, asked=asked)
    part, scattered = over_groups(engine, value, join_parts, asked.positive)
    check_read_again(scattered, next(iter(part.models.values())).seen)
    models, clusters = _sorted_groups(part, asked, inputs.average, check)
    return Evaluated(models, clusters, are_negatives_heavy(*part.masses))


# --- whole groups --------------------------------------------------------------------------------


def value_whole(rows: Whole, asked: Asked) -> GroupValues:
    """Evaluate groups, of which these are all rows."""
    first, _ = next(iter(rows.models.values()))
    names, group = groups_of(first)
    models = {}
    for model, (samples, own) in rows.models.items():
        with noting_model(model):
            models[model] = _value_groups(samples, own, asked)
    n_rows = np.bincount(group, minlength=names.size)
    positive_rows = np.bincount(group[first.labels], minlength=names.size)
    alike = _classes([samples for samples, _ in rows.models.values()], [*models.values()])
    return GroupValues(
        names,
        n_rows,
        positive_rows,
        weigh_labels(first.labels, first.weight),
        models,
        alike,
        rows.clusters,
    )


def _value_groups(samples: Rankings, seen: Seen, asked: Asked) -> ModelValues:
    names, group = groups_of(samples)
    every = asked.every(seen.weighted)
    points = no_points(0)
    if names.size:
        columns = samples.labels, samples.scores, group, names.size, samples.weight
        points = from_groups(*columns, every)
    valued = _by_each(points, names, asked, seen.weighted)
    if not names.size or seen.weighted:
        return ModelValues(seen, valued, are_tied=[True] * len(valued))
    best = samples.scores.max()
    n_first = np.asarray(best).item(), int(np.count_nonzero(samples.scores == best))
    cuts = [rule.depth for rule in asked.rules]
    return ModelValues(seen, valued, n_first, [_are_tied_at(cut, samples) for cut in cuts])


def _by_each(points: OperatingPoints, names: Array, asked: Asked, weighted: bool) -> list[Valued]:
    """Evaluate points of groups with these names by each metric."""
    if weighted:
        for rule in asked.rules:
            check_weighted(rule)
    if asked.n_positives is not None and names.size:
        own = as_list(names)
        _, place, exist = name_all_groups(own, _counts_of_groups(own, asked.n_positives), weighted)
        points = points.out_of(check_found(exist[place], points.n_positives, weighted, own))
    valued = []
    for rule in asked.rules:
        some = points
        if points.rows is not None and not needs_every_point(rule.depth, weighted):
            some = points._replace(rows=None).where_positive()
        valued.append(valued_from(rule, some, rule.values(some)))
    return valued


def _counts_of_groups(names: Sequence[Any], n_positives: Any) -> Any:
    """Return the counts of these groups, or all counts if they aren't found like this."""
    if not is_mapping(n_positives):
        return n_positives
    found = {name: n_positives[name] for name in names if name in n_positives}
    return found if len(found) == len(names) else n_positives


def _are_tied_at(cut: Cut | None, samples: Rankings) -> bool:
    """Whether k cuts off less than half of the first tied rows of each group that it cuts."""
    group = samples.group
    if cut is None or group is None:
        return False
    sizes = np.bincount(group)
    k = cut.of(sizes)
    cuts = np.flatnonzero(sizes > k)
    for one, only in ((cuts[:1], True), (cuts, False)):  # the first group tells for usual models
        own = group == one[0] if only and one.size else np.ones(group.size, dtype=bool)
        scores, numbers = samples.scores[own], group[own]
        order = np.lexsort((scores, numbers))
        ends = np.cumsum(np.bincount(numbers, minlength=sizes.size)) - 1
        best = scores[order][ends.clip(0)]
        tied = np.bincount(numbers[scores == best[numbers]], minlength=sizes.size)
        if not (tied[one] > 2 * k[one]).all():
            return False
    return True


def _classes(samples: Sequence[Rankings], models: Sequence[ModelValues]) -> list[int]:
    """Number models, with equal numbers for those that rank all groups alike."""
    numbers: list[int] = []
    for place, (own, found) in enumerate(zip(samples, models, strict=True)):
        others = (
            other
            for other in dict.fromkeys(numbers)
            if have_same_values(found, models[other])
            and (not own.n_rows or rank_alike(own, samples[other]))
        )
        numbers.append(next(others, place))
    return numbers


def have_same_values(one: ModelValues, other: ModelValues) -> bool:
    pairs = zip(one.valued, other.valued, strict=True)
    return all(np.array_equal(a.values, b.values, equal_nan=True) for a, b in pairs)


def join_parts(parts: list[GroupValues]) -> GroupValues:
    first = parts[0]
    models = {model: _join_models([part.models[model] for part in parts]) for model in first.models}
    pairs = list(zip(*(part.alike for part in parts), strict=True))
    return GroupValues(
        together([part.names for part in parts]),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.positive_rows for part in parts]),
        np.sum([part.masses for part in parts], axis=0),
        models,
        [pairs.index(pair) for pair in pairs],
        None
        if first.clusters is None
        else together([each for part in parts if (each := part.clusters) is not None]),
    )


def _join_models(parts: list[ModelValues]) -> ModelValues:
    by_metric = zip(*(part.valued for part in parts), strict=True)
    valued = [Valued(*map(np.concatenate, zip(*some, strict=True))) for some in by_metric]
    best = max((part.n_first[0] for part in parts if part.n_first[1]), default=None)
    n_first = best, sum(part.n_first[1] for part in parts if part.n_first[0] == best)
    tied = [all(some) for some in zip(*(part.are_tied for part in parts), strict=True)]
    return ModelValues(join_seen([part.seen for part in parts]), valued, n_first, tied)


# --- all groups ----------------------------------------------------------------------------------


def _sorted_groups(
    part: GroupValues, asked: Asked, average: Any, check: Callable[..., Array | None]
) -> tuple[dict[Any, ValuedGroups], Array | None]:
    """Put all groups in order, and add those that only n_positives names."""
    n_positives, token, found = asked.n_positives, object(), {}
    n_rows = int(part.rows.sum())
    with warning_once():
        for model, own in part.models.items():
            with noting_model(model):
                # If nothing was retrieved, that is warned of with the name of the model.
                for rule in asked.rules if own.seen.n_samples or n_positives is None else ():
                    check(own.seen, 0, rule, n_positives, by_group=True)
    for rule in asked.rules:
        warn_of_own_groups(rule.depth, part.names, part.names.size, n_rows)
    weighted = next(iter(part.models.values())).seen.weighted
    names, order, absent, exist = all_in_order(part.names, n_positives, weighted)
    lacking = np.zeros(absent.size, dtype=np.int64)
    rows, positive_rows = (
        np.concatenate([some, lacking])[order] for some in (part.rows, part.positive_rows)
    )
    for number, (model, own) in zip(part.alike, part.models.items(), strict=True):
        valued = {}
        for rule, each in zip(asked.rules, own.valued, strict=True):
            if exist is not None:
                points = no_points(absent.size).out_of(exist[absent])
                besides = valued_from(rule, points, rule.values(points))
                each = Valued(*map(np.concatenate, zip(each, besides, strict=True)))
            valued[rule] = Valued(*(some[order] for some in each))
        few: Any = own.seen.scores
        n_rows_of_all = np.array([n_rows])
        tied = [
            rule.depth
            for rule, is_tied in zip(asked.rules, own.are_tied, strict=True)
            if is_tied and rule.depth and own.n_first[1] > 2 * rule.depth.of(n_rows_of_all).item()
        ]
        found[model] = ValuedGroups(
            average=average,
            names=names,
            n_positives=exist,
            weights=own.seen.sample_weight,
            by_rule=valued,
            sizes=rows,
            positive_rows=positive_rows,
            few_scores=np.zeros(3) if few is None else np.array(sorted(few)),
            tied_at=frozenset(tied),
            order=(token, number),
        )
    return found, None if part.clusters is None else part.clusters[order]


# --- curves ---------------------------------------------------------------------------------------


class Curves(NamedTuple):
    """What is counted of each group for its curve, in any order, for each model."""

    names: Array
    models: Mapping[Any, tuple[Seen, Sequence[Tally]]]


def curves_of_groups(inputs: Inputs) -> Curves:
    """Count samples at the scores of positives and between them, in each group of an engine."""
    engine = inputs.chunks.for_request(inputs.positive, inputs.n_positives)
    found, scattered = over_groups(engine, _count_whole, _join_curves, inputs.positive)
    check_read_again(scattered, next(iter(found.models.values()))[0])
    return found


def _count_whole(rows: Whole) -> Curves:
    models = {}
    for model, (samples, seen) in rows.models.items():
        names, group = groups_of(samples)
        places, offsets = by_group(np.arange(group.size), group, names.size)
        each = np.split(places, offsets[1:-1]) if names.size else []
        models[model] = seen, [bins_of(samples.take(own)) for own in each]
    return Curves(names, models)


def _join_curves(parts: list[Curves]) -> Curves:
    models = {}
    for model in parts[0].models:
        seen, counts = zip(*(part.models[model] for part in parts), strict=True)
        models[model] = join_seen(seen), [*chain(*counts)]
    return Curves(together([part.names for part in parts]), models)
