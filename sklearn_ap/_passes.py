"""Passes over chunks: functions that summarize a chunk, and that join the summaries of several.

The first pass finds the prediction scores of the positives, at which average precision changes. The
second pass counts the samples at these scores and between them. The passes don't know what runs
them: that is an engine, which has the chunks and calls functions on them.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import groupby
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from ._finish import average_values, finish, finish_bounds
from ._validation.chunks import check_chunk
from ._validation.collections import (
    check_few_enough,
    check_reads_again,
    check_same_data,
    check_sorted_by_group,
    check_whole_groups,
)
from ._validation.parameters import check_group_average, check_ties
from ._validation.samples import check_found, check_groups, name_all_groups, name_groups
from ._validation.seen import (
    Seen,
    check_bounded,
    check_counted,
    check_curve_seen,
    check_seen,
    check_together,
    name_seen,
)
from .core.bins import quantiles
from .core.bounds import Bounds
from .core.cutoff import Cut
from .core.operating_points import OperatingPoints, from_groups, from_scores, join
from .core.rankings import Queries, Rankings
from .core.rules import Rule
from .core.segments import Array
from .core.tallies import (
    Tally,
    from_counts,
    in_one_dtype,
    merge,
    mix_gaps,
    number_among,
    sort_into,
    tally,
    tally_among,
)

COLUMNS = ("y_true", "y_score", "sample_weight", "groups")
Chunk = list[Any]  # the columns in COLUMNS; None for missing ones
Part = TypeVar("Part")

MOST_DISTINCT = 10_000_000  # the maximum number of scores to send to every worker
_FAN_IN = 4  # the number of parts that are joined at once
_FINE = 16  # the number of quantiles to keep for each one that is needed

# Advice if there are too many scores to send to workers.
_BOUNDS = "average_precision_bounds, which returns guaranteed lower and upper bounds"
_ONE_MACHINE = (
    "a Spark DataFrame, or read Parquet files on one machine, as data=pathlib.Path('scores')"
)


class Engine:
    """Base class of engines, which have chunks and run functions over them. Parts can be lazy."""

    columns: Mapping[str, Any]  # the columns of the chunks by their roles
    reads_again: bool = True  # whether the chunks can be read a second time
    in_order: ClassVar[bool] = False  # whether it has `over_ordered_chunks`
    gathers: ClassVar[bool] = False  # whether it has `over_whole_groups`
    most: ClassVar[int | None] = None  # maximum of scores for the second pass

    @property
    def weighted(self) -> bool:
        return "sample_weight" in self.columns

    @property
    def grouped(self) -> bool:
        return "groups" in self.columns

    def asked(self, pos_label: Any, n_positives: Any) -> tuple["Engine", Any]:
        """Return the engine for this positive class, and n_positives with the groups
        of the chunks.
        """
        return self, n_positives

    def over_chunks(self, make: Callable[..., Any], join: Callable[..., Any], *args: Any) -> Any:
        """Compute `make(chunk, *args)` for all chunks and join the parts. `join` gets a list of a
        few.
        """
        raise NotImplementedError

    def over_ordered_chunks(
        self, make: Callable[..., Any], join: Callable[..., Any], *args: Any
    ) -> Any:
        """Call `join` with an iterator over `make(chunk, *args)`, in the order of the chunks."""
        raise NotImplementedError

    def over_whole_groups(
        self, make: Callable[..., Any], join: Callable[..., Any], *args: Any
    ) -> Any:
        """Do the same as `over_chunks` with chunks that contain all samples of their groups."""
        raise NotImplementedError

    def call(self, function: Callable[..., Any], *parts: Any) -> Any:
        """Return `function(*parts)`."""
        return function(*parts)

    def settle(self, part: Any) -> Any:
        """Return a part for the next pass, so that the previous pass can be completed first."""
        return part

    def give(self, finish: Callable[..., Any], part: Any) -> Any:
        """Return `finish(part)` to the caller."""
        return finish(part)


def join_in_tree(parts: Iterable[Part], join: Callable[[list[Part]], Part]) -> Part | None:
    """Join all parts, a few at a time, so that only a few per level are in memory.

    Return None if there are no parts.
    """
    levels: list[list[Part]] = []
    for part in parts:
        for level in levels:
            level.append(part)
            if len(level) < _FAN_IN:
                break
            part = join(level.copy())
            level.clear()
        else:
            levels.append([part])
    rest: list[Part] = []
    for level in levels:
        rest = [*level, *rest]
        rest = [join(rest)] if len(rest) > 1 else rest
    return rest[0] if rest else None


# --- metrics and their passes --------------------------------------------------------------------


def score(
    engine: Engine,
    rule: Rule,
    *,
    pos_label: Any,
    zero_division: float | str,
    n_positives: Any = None,
    average: str | None = "macro",
) -> Any:
    """Compute the value of one ranking, or the mean over groups."""
    engine, n_positives = engine.asked(pos_label, n_positives)
    options = {"rule": rule, "pos_label": pos_label, "zero_division": zero_division}
    options["n_positives"] = n_positives
    if not engine.grouped:
        return engine.give(partial(to_score, **options), _count_ranking(engine, rule, pos_label))
    check_group_average(average)
    if engine.gathers:
        values = partial(value_groups, rule=rule, pos_label=pos_label, n_positives=n_positives)
        groups = engine.over_whole_groups(values, partial(join_values, pos_label=pos_label))
        del options["pos_label"]
        return engine.give(partial(to_mean_of_values, average=average, **options), groups)
    groups = _count_groups(engine, rule, pos_label)
    return engine.give(partial(to_mean, average=average, **options), groups)


def bounds(engine: Engine, rule: Rule, n_bins: int, *, pos_label: Any, **options: Any) -> Any:
    """Compute bounds of the value of one ranking."""
    check_bounded(rule, weighted=engine.weighted)
    check_reads_again(engine.reads_again)
    engine, _ = engine.asked(pos_label, None)
    finish = partial(to_bounds, rule=rule, pos_label=pos_label, **options)
    return engine.give(finish, _two_passes(engine, pos_label, n_bins))


def curve(engine: Engine, draw: Callable[..., Any], pos_label: Any) -> Any:
    """Call `draw` with every point of one ranking, and the prediction score of each."""
    label = 1 if pos_label is None else pos_label
    engine, _ = engine.asked(label, None)
    counts = engine.over_chunks(count, partial(join_counts, pos_label=label), label)
    return engine.give(partial(to_curve, draw=draw, pos_label=pos_label), counts)


def curve_in_rows(engine: Engine, choose: Callable[..., Any], pos_label: Any) -> Any:
    """Call `choose` with every point of one ranking.

    It also gets the same points with each sample counted once, the prediction score of each, and
    what was seen.
    """
    engine, _ = engine.asked(pos_label, None)
    join = partial(join_counts_in_rows, pos_label=pos_label)
    counts = engine.over_chunks(count_in_rows, join, pos_label)
    return engine.give(partial(to_curve_in_rows, choose=choose), counts)


def _count_ranking(engine: Engine, rule: Rule, pos_label: Any) -> Any:
    depth = rule.depth
    if depth is not None and not depth.is_share:
        join = partial(join_best, pos_label=pos_label, depth=depth)
        return engine.over_chunks(count_best, join, pos_label, depth)
    if not engine.reads_again:
        return engine.over_chunks(count, partial(join_counts, pos_label=pos_label), pos_label)
    return _two_passes(engine, pos_label, every=_needs_every_score(depth, engine.weighted))


def _two_passes(
    engine: Engine, pos_label: Any, n_bins: int | None = None, every: bool = False
) -> Any:
    most = engine.most  # read in the calling process, not by workers
    join = partial(join_positives, pos_label=pos_label, n_bins=n_bins, most=most)
    positives = engine.over_chunks(find_positives, join, pos_label, n_bins, every)
    grid = engine.settle(engine.call(make_grid, positives, n_bins, most))
    join_all = partial(join_counts, pos_label=pos_label)
    return engine.over_chunks(count_among, join_all, pos_label, grid, n_bins)


def _count_groups(engine: Engine, rule: Rule, pos_label: Any) -> Any:
    """Count groups, in one pass if the samples of each group are consecutive, and in
    two otherwise.
    """
    every = _needs_every_score(rule.depth, engine.weighted)
    if engine.in_order:
        join_ordered = partial(join_runs, pos_label=pos_label, every=every)
        try:
            return engine.over_ordered_chunks(find_runs, join_ordered, pos_label, every)
        except Scattered as scattered:
            check_sorted_by_group(engine.reads_again, scattered.args[0])
    join = partial(join_grouped_positives, pos_label=pos_label, most=engine.most)
    positives = engine.over_chunks(find_grouped_positives, join, pos_label, every)
    grid = engine.settle(engine.call(partial(make_group_grid, most=engine.most), positives))
    join_all = partial(join_counts, pos_label=pos_label)
    counts = engine.over_chunks(count_in_groups, join_all, pos_label, grid)
    return engine.call(to_groups, counts, grid, rule.depth)


def _needs_every_score(depth: Cut | None, weighted: bool) -> bool:
    """Whether every score is needed, rather than only those of positives.

    This is so if k counts rows of weighted samples, because only masses are known between scores of
    positives.
    """
    return depth is not None and depth.by_rows and weighted


# --- counts --------------------------------------------------------------------------------------


class Counts(NamedTuple):
    """Summary of chunks of one ranking."""

    seen: Seen
    tally: Tally
    found: float  # all positives, whether they are in the tally or not
    size: float = 0  # all samples


def _read(chunk: Chunk, pos_label: Any) -> tuple[Rankings, Seen]:
    y_true, y_score, weight, groups = chunk
    return check_chunk(y_true, y_score, pos_label=pos_label, sample_weight=weight, groups=groups)


def count(chunk: Chunk, pos_label: Any) -> Counts:
    samples, seen = _read(chunk, pos_label)
    return _of_all(seen, tally(samples.labels, samples.scores, samples.weight))


def _of_all(seen: Seen, counts: Tally) -> Counts:
    found = counts.positives.sum()
    return Counts(seen, counts, found.item(), (found + counts.negatives.sum()).item())


class CountsInRows(NamedTuple):
    """Counts by weight, and if there are weights, also with each sample counted once."""

    by_weight: Counts
    in_rows: Tally | None  # None if there are no weights


def count_in_rows(chunk: Chunk, pos_label: Any) -> CountsInRows:
    samples, seen = _read(chunk, pos_label)
    counts = tally(samples.labels, samples.scores, samples.weight)
    in_rows = tally(samples.labels, samples.scores) if seen.weighted else None
    return CountsInRows(Counts(seen, counts, counts.positives.sum().item()), in_rows)


def join_counts_in_rows(parts: list[CountsInRows], pos_label: Any) -> CountsInRows:
    weighted = [part.in_rows for part in parts if part.in_rows is not None]
    joined = join_counts([part.by_weight for part in parts], pos_label)
    return CountsInRows(joined, merge(weighted) if weighted else None)


def join_counts(parts: list[Counts], pos_label: Any) -> Counts:
    seen = _join_seen([part.seen for part in parts], pos_label)
    found, size = sum(part.found for part in parts), sum(part.size for part in parts)
    return Counts(seen, merge([part.tally for part in parts]), found, size)


def _join_seen(parts: list[Seen], pos_label: Any) -> Seen:
    seen = reduce(Seen.join, parts)
    check_together(seen, pos_label)
    return seen


# --- the top k -----------------------------------------------------------------------------------


def count_best(chunk: Chunk, pos_label: Any, depth: Cut) -> Counts:
    """Count samples at the scores that can be in the top k."""
    return _keep_best(count(chunk, pos_label), depth)


def join_best(parts: list[Counts], pos_label: Any, depth: Cut) -> Counts:
    return _keep_best(join_counts(parts, pos_label), depth)


def _keep_best(counts: Counts, depth: Cut) -> Counts:
    return counts._replace(tally=counts.tally.best(depth))


# --- the two passes ------------------------------------------------------------------------------


def find_positives(chunk: Chunk, pos_label: Any, n_bins: int | None, every: bool) -> Counts:
    """Find the scores of the positives or of every sample, or with n_bins, quantiles of them."""
    samples, seen = _read(chunk, pos_label)
    positives = samples if every else samples.take(np.flatnonzero(samples.labels))
    if n_bins is None:
        return Counts(seen, _distinct([positives.scores]), 0)
    counts = tally(positives.labels, positives.scores, positives.weight)
    return Counts(seen, quantiles(counts, _FINE * n_bins), 0)


def join_positives(
    parts: list[Counts], pos_label: Any, n_bins: int | None, most: int | None = None
) -> Counts:
    if n_bins is None:
        seen = _join_seen([part.seen for part in parts], pos_label)
        distinct = _distinct([part.tally.low for part in parts])
        check_few_enough(distinct.size, most, _BOUNDS)
        return Counts(seen, distinct, 0)
    joined = join_counts(parts, pos_label)
    return joined._replace(tally=quantiles(joined.tally, _FINE * n_bins))


def _distinct(scores: list[Array]) -> Tally:
    """Make a tally of distinct scores at which nothing has been counted yet."""
    distinct = np.unique(in_one_dtype([some for some in scores if some.size] or [np.zeros(0)]))
    nothing = np.broadcast_to(np.int64(0), distinct.shape)
    return Tally(distinct, distinct, nothing, nothing)


def make_grid(positives: Counts, n_bins: int | None, most: int | None = None) -> Array:
    """Return the scores at and between which samples are counted.

    At most 1/n_bins of the positives are between two neighbors: half of that because of the masses
    of the quantiles, and 1/_FINE of it for each time that quantiles were joined.
    """
    if n_bins is not None:
        return quantiles(positives.tally, 2 * n_bins).low
    check_few_enough(positives.tally.size, most, _BOUNDS)
    return positives.tally.low


def count_among(chunk: Chunk, pos_label: Any, grid: Array, n_bins: int | None) -> Counts:
    """Count samples at the scores of the grid and between them."""
    samples, seen = _read(chunk, pos_label)
    counts = tally_among(samples.labels, samples.scores, samples.weight, grid)
    counted = _of_all(seen, counts)
    return _check_places(counted) if n_bins is None else counted


def _check_places(counts: Counts) -> Counts:
    between = counts.tally.low % 3 == 0
    check_same_data(counts.tally.positives[between])
    return counts


# --- from counts to values -----------------------------------------------------------------------


def to_score(
    counts: Counts,
    rule: Rule,
    pos_label: Any,
    zero_division: float | str,
    n_positives: float | None,
) -> float:
    exist = check_seen(counts.seen, counts.found, rule, n_positives)
    points = counts.tally.points(rule.depth).out_of(counts.found if exist is None else exist)
    if rule.depth is not None and not rule.depth.is_share:
        points = points.among(counts.size)
    return float(finish(rule, points, _one_query(counts.seen, pos_label), zero_division))


def to_bounds(
    counts: Counts,
    rule: Rule,
    pos_label: Any,
    zero_division: float | str,
    n_positives: float | None,
) -> Bounds:
    exist = check_seen(counts.seen, counts.found, rule, n_positives)
    queries = _one_query(counts.seen, pos_label)
    return finish_bounds(rule, mix_gaps(counts.tally), queries, zero_division, exist)


def to_curve(counts: Counts, draw: Callable[..., Any], pos_label: Any) -> Any:
    check_counted(counts.seen)
    check_curve_seen(counts.seen, pos_label)
    return draw(_every_point(counts.tally), counts.tally.low[::-1])


def to_curve_in_rows(counts: CountsInRows, choose: Callable[..., Any]) -> Any:
    (seen, by_weight, *_), in_rows = counts
    check_counted(seen)
    points = _every_point(by_weight)
    each_once = points if in_rows is None else _every_point(in_rows)
    return choose(points, each_once, by_weight.low[::-1], seen)


def _every_point(tally: Tally) -> OperatingPoints:
    """Return all points, highest score first, including those without positives."""
    positives, negatives = tally.positives[::-1], tally.negatives[::-1]
    return from_counts(positives, negatives, rows=tally.in_rows()[::-1])


def _one_query(seen: Seen, pos_label: Any) -> Queries:
    return Queries(names=[name_seen(seen, pos_label)], sample_weight=seen.sample_weight)


# --- groups in two passes ------------------------------------------------------------------------


class GroupedPositives(NamedTuple):
    """Positives of chunks (or every sample) with their groups, and the names of all groups."""

    seen: Seen
    names: list[Any]
    group: Array  # the group number of each positive
    scores: Array


class GroupGrid(NamedTuple):
    """Numbers for each score of a positive in its own group, with groups concatenated."""

    names: list[Any]
    scores: Array  # of the positives of all groups
    places: Array

    @property
    def step(self) -> int:
        return 3 * self.scores.size + 2

    def place(self, group: Array, scores: Array) -> Array:
        """Number scores in ascending order within groups, with the last group first."""
        from_last = len(self.names) - 1 - group
        return np.asarray(from_last * self.step + number_among(scores, self.scores))


class Groups(NamedTuple):
    """Operating points of groups, in the order of the names."""

    seen: Seen
    names: list[Any]
    points: OperatingPoints


def find_grouped_positives(chunk: Chunk, pos_label: Any, every: bool) -> GroupedPositives:
    samples, seen = _read(chunk, pos_label)
    names, group = _name(samples.group)
    positive = np.flatnonzero(samples.labels | every)
    return GroupedPositives(seen, names, group[positive], samples.scores[positive])


def join_grouped_positives(
    parts: list[GroupedPositives], pos_label: Any, most: int | None
) -> GroupedPositives:
    seen = _join_seen([part.seen for part in parts], pos_label)
    names, group = _name([name for part in parts for name in part.names])
    starts = np.cumsum([0] + [len(part.names) for part in parts])[:-1]
    held = [(part, start) for part, start in zip(parts, starts, strict=True) if part.scores.size]
    n_positives = sum(part.scores.size for part, _ in held)
    check_few_enough(n_positives, most, _ONE_MACHINE)
    return GroupedPositives(
        seen,
        names,
        np.concatenate([group[:0]] + [group[start + part.group] for part, start in held]),
        in_one_dtype([part.scores for part, _ in held] or [np.zeros(0)]),
    )


def make_group_grid(positives: GroupedPositives, most: int | None) -> GroupGrid:
    check_few_enough(positives.scores.size, most, _ONE_MACHINE)
    grid = GroupGrid(positives.names, np.unique(positives.scores), np.zeros(0))
    # Separate what is above the highest positive of a group from what is below the lowest of the
    # next.
    tops = np.arange(1, len(grid.names) + 1) * grid.step - 1
    places = np.concatenate([grid.place(positives.group, positives.scores), tops])
    return grid._replace(places=np.unique(places))


def count_in_groups(chunk: Chunk, pos_label: Any, grid: GroupGrid) -> Counts:
    samples, seen = _read(chunk, pos_label)
    names, group = _name(samples.group)
    numbers = {name: number for number, name in enumerate(grid.names)}
    check_same_data(np.array([name not in numbers for name in names]))
    group = np.array([numbers[name] for name in names], dtype=np.int64)[group]
    counts = tally(samples.labels, grid.place(group, samples.scores), samples.weight)
    counts = sort_into(counts, grid.places)
    return _check_places(_of_all(seen, counts))


def to_groups(counts: Counts, grid: GroupGrid, depth: Cut | None) -> Groups:
    seen, counted = counts.seen, counts.tally
    if not grid.names:
        return Groups(seen, [], _no_points(0))
    place = grid.places[counted.low[::-1] // 3]
    group = len(grid.names) - 1 - place // grid.step
    offsets = np.searchsorted(group, np.arange(len(grid.names) + 1))
    by_rows = depth is not None and depth.by_rows and counted.rows is not None
    rows = counted.in_rows()[::-1] if by_rows else None
    points = from_counts(counted.positives[::-1], counted.negatives[::-1], offsets, rows)
    return Groups(seen, grid.names, points)


def to_mean(
    groups: Groups,
    rule: Rule,
    pos_label: Any,
    zero_division: float | str,
    average: str | None,
    n_positives: Any,
) -> Any:
    points, names = arranged(groups, rule, n_positives)
    queries = Queries(average, names, sample_weight=groups.seen.sample_weight)
    return finish(rule, points, queries, zero_division)


def arranged(groups: Groups, rule: Rule, n_positives: Any) -> tuple[OperatingPoints, list[Any]]:
    """Return the points of all groups, including those only in n_positives, and
    their sorted names.
    """
    seen, names, points = groups
    check_seen(seen, 0, rule, n_positives, by_group=True)
    if points.rows is not None and not _needs_every_score(rule.depth, seen.weighted):
        points = replace(points, rows=None).where_positive()
    if n_positives is None:
        names, place = _name(names)
        return points.arranged(np.argsort(place)), names
    names, place, exist = name_all_groups(names, n_positives, seen.weighted)
    absent = np.setdiff1d(np.arange(len(names)), place)
    order = np.argsort(np.concatenate([place, absent]))
    points = join([points, _no_points(absent.size)]).arranged(order)
    found = check_found(exist, points.n_positives, seen.weighted, names)
    return points.out_of(found), names


def _name(groups: Any) -> tuple[list[Any], Array]:
    """Return the sorted distinct groups, and the group number of each sample."""
    groups = check_groups(groups)
    if not groups.size:
        return [], np.zeros(0, dtype=np.int64)
    return name_groups(groups)


# --- consecutive groups --------------------------------------------------------------------------


class Scattered(Exception):
    """Raised with the name of a group whose rows are not consecutive."""


class Run(NamedTuple):
    """Complete groups of a chunk, or samples of a group that may continue in the next chunk."""

    names: list[Any]
    points: OperatingPoints | None = None
    samples: Rankings | None = None


class Runs(NamedTuple):
    seen: Seen
    runs: list[Run]


def find_groups(chunk: Chunk, pos_label: Any) -> Groups:
    """Find the groups of a chunk that contains all of their samples, for any rule."""
    samples, seen = _read(chunk, pos_label)
    run = _close(samples, every=seen.weighted)
    return Groups(seen, run.names, run.points or _no_points(0))


def join_groups(parts: Sequence[Groups], seen: Seen) -> Groups:
    """Join the groups of several chunks, none of which is in two of them."""
    names = [name for part in parts for name in part.names]
    return Groups(seen, names, join([part.points for part in parts]))


def find_runs(chunk: Chunk, pos_label: Any, every: bool) -> Runs:
    """Split a chunk into its first group, those in the middle, and the last one."""
    samples, seen = _read(chunk, pos_label)
    names, group = _name(samples.group)
    if not names:
        return Runs(seen, [])
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    present = [names[number] for number in group[starts]]
    _refuse_repeated(present, set())
    ends = np.append(starts[1:], group.size)
    runs = [Run(present[:1], samples=samples.take(np.arange(ends[0])))]
    if len(present) > 2:
        runs.append(_close(samples.take(np.arange(ends[0], starts[-1])), every))
    if len(present) > 1:
        runs.append(Run(present[-1:], samples=samples.take(np.arange(starts[-1], ends[-1]))))
    return Runs(seen, runs)


def join_runs(parts: Iterable[Runs], pos_label: Any, every: bool) -> Groups:
    """Join the groups of all parts. Raise `Scattered` if a group is not consecutive."""
    seen: list[Seen] = []
    names: dict[Any, None] = {}
    points = []

    def runs() -> Iterator[Run]:
        for part in parts:
            seen.append(part.seen)
            yield from part.runs

    for _, same in groupby(runs(), key=lambda run: run.names):
        closed = _put_together(list(same), every)
        _refuse_repeated(closed.names, names)
        names |= dict.fromkeys(closed.names)
        if closed.points is not None:
            points.append(closed.points)
    joined = _join_seen(seen or [Seen()], pos_label)
    return Groups(joined, list(names), join(points) if points else _no_points(0))


def _refuse_repeated(names: list[Any], before: Container[Any]) -> None:
    own: set[Any] = set()
    for name in names:
        if name in before or name in own:
            raise Scattered(name)
        own.add(name)


def _no_points(n_queries: int) -> OperatingPoints:
    nothing = np.zeros(0, dtype=np.int64)
    return from_counts(nothing, nothing, offsets=np.zeros(n_queries + 1, dtype=np.int64))


def _close(samples: Rankings, every: bool) -> Run:
    names, group = _name(samples.group)
    labels, scores, weight = samples.labels, samples.scores, samples.weight
    if not names:
        return Run([])
    return Run(names, points=from_groups(labels, scores, group, len(names), weight, every))


def _put_together(runs: list[Run], every: bool) -> Run:
    """Join the samples of one group from several chunks."""
    parts = [run.samples for run in runs if run.samples is not None]
    if not parts:
        return runs[0]
    weights = [part.weight for part in parts if part.weight is not None]
    labels = np.concatenate([part.labels for part in parts])
    scores = in_one_dtype([part.scores for part in parts])
    points = from_scores(labels, scores, np.concatenate(weights) if weights else None, every)
    return Run(runs[0].names, points=points)


# --- groups within one chunk ---------------------------------------------------------------------


class GroupValues(NamedTuple):
    """The values of groups, and what their mean and its warnings also need."""

    seen: Seen
    names: list[Any]
    values: Array
    n_positives: Array
    n_samples: Array


def value_groups(chunk: Chunk, rule: Rule, pos_label: Any, n_positives: Any) -> GroupValues:
    samples, seen = _read(chunk, pos_label)
    check_ties(rule.ties, seen.weighted)
    names, group = _name(samples.group)
    if not names:
        return GroupValues(seen, [], *[np.zeros(0)] * 3)
    weight, every = samples.weight, _needs_every_score(rule.depth, seen.weighted)
    points = from_groups(samples.labels, samples.scores, group, len(names), weight, every)
    if n_positives is not None:
        _, place, exist = name_all_groups(names, n_positives, seen.weighted)
        found = points.n_positives
        points = points.out_of(check_found(exist[place], found, seen.weighted, names))
    return GroupValues(seen, names, rule.values(points), points.n_positives, points.n_samples)


def join_values(parts: list[GroupValues], pos_label: Any) -> GroupValues:
    seen = _join_seen([part.seen for part in parts], pos_label)
    names = [name for part in parts for name in part.names]
    columns = zip(*(part[2:] for part in parts), strict=True)
    return GroupValues(seen, names, *map(np.concatenate, columns))


def to_mean_of_values(
    groups: GroupValues,
    rule: Rule,
    zero_division: float | str,
    average: str | None,
    n_positives: Any,
) -> Any:
    seen, names, *columns = groups
    check_seen(seen, 0, rule, n_positives, by_group=True)
    check_whole_groups(names)
    if n_positives is None:
        names, place = _name(names)
    else:
        names, place, exist = name_all_groups(names, n_positives, seen.weighted)
        absent = np.setdiff1d(np.arange(len(names)), place)
        points = _no_points(absent.size).out_of(exist[absent])
        theirs = rule.values(points), points.n_positives, points.n_samples
        columns = [np.concatenate(pair) for pair in zip(columns, theirs, strict=True)]
        place = np.concatenate([place, absent])
    order = np.argsort(place)
    groups = GroupValues(seen, names, *(column[order] for column in columns))
    queries = Queries(average, names, sample_weight=seen.sample_weight)
    return average_values(rule, groups.values, groups, queries, zero_division)
