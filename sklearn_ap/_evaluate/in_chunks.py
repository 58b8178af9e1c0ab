"""What public functions call to compute a value from chunks, in as few passes as possible.

A pass summarizes each chunk, and joins the summaries of several. The first pass finds the
prediction scores of the positives, at which average precision changes. The second pass counts the
samples at these scores and between them. The passes don't know what runs them: that is an engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import pairwise
from math import isclose
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .._read.columns import check_found
from .._read.groups import name_all_groups, read_names
from .._read.rankings import (
    Seen,
    check_bounded,
    check_counted,
    check_evaluated,
    check_together,
    read_chunk,
)
from .._read.tables import check_reads_again
from .._words.arrays import listed
from .._words.engine import Args, Chunk, Engine, Part, ScatteredError
from .._words.inputs import Inputs, NPositives, PositiveClass, ZeroDivision
from .._words.messages import warn_of_own_groups
from .._words.parameters import check_group_average, check_several, check_weighted, text_of
from ..core import tallies
from ..core.cutoff import Cut, needs_every_point
from ..core.groups import Name, number_groups
from ..core.keys import sort_scores, sort_with_order
from ..core.operating_points import OperatingPoints, from_groups, join
from ..core.rankings import BY_NAME, Names, Queries, Rankings
from ..core.rules import Rule
from ..core.runs import Array
from ..core.tallies import NOTHING, Bounds, Stretches, Tally
from .value import average_values, finish, finish_bounds

_FINE = 16  # the number of quantiles to keep for each one that is needed

# Advice if there are too many scores to send to workers.
_BOUNDS = "metric_bounds, which returns guaranteed lower and upper bounds"
_SOME_ROWS = "a random sample of the rows, or read Parquet files on one machine, as data=Path('x')"


class Request(NamedTuple):
    """What is evaluated, and how, which workers have to know."""

    rule: Rule
    positive: PositiveClass
    zero_division: ZeroDivision
    n_positives: NPositives = None
    average: str | None = "macro"


def value_of_engine(rule: Rule, inputs: Inputs, engine: Engine) -> Any:
    """Compute the value of one ranking, or the mean over groups."""
    engine, request = _request_to(rule, inputs, engine)
    average = request.average
    if not engine.grouped:
        check_several(average != BY_NAME)
        counts = count_ranking(engine, rule, request.positive)
        return to_score(counts, request)
    if average != BY_NAME:
        check_group_average(average)
    return _mean_over_groups(engine, request)


def _request_to(rule: Rule, inputs: Inputs, engine: Engine) -> tuple[Engine, Request]:
    positive, n_positives = inputs.positive, inputs.n_positives
    request = Request(rule, positive, inputs.zero_division, n_positives, inputs.average)
    return engine.for_request(positive, n_positives), request


def _mean_over_groups(engine: Engine, request: Request) -> Any:
    groups, scattered = over_groups(engine, value_groups, join_values, request)  # type: ignore[arg-type]
    if groups is not None:
        return to_mean_of_values(groups, request)
    every = needs_every_point(request.rule.depth, engine.weighted)
    return to_mean(count_scattered(engine, request.positive, every, scattered), request)


def bounds(rule: Rule, inputs: Inputs, engine: Engine, n_bins: int) -> Bounds:
    """Compute bounds of the value of one ranking, or of the mean over groups, which is exact.

    Many groups of a few positives each would not need less memory if each of them had bins.
    """
    engine, request = _request_to(rule, inputs, engine)
    if engine.grouped:
        check_group_average(request.average)
        if request.average is None:
            raise ValueError(
                "average=None returns a value for each group, but bounds are those of a mean. Pass "
                "average='macro' or 'weighted'."
            )
        value = _mean_over_groups(engine, request)
        return Bounds(value, value, value, exact=True)
    check_bounded(rule, weighted=engine.weighted)
    instead = ", or update a MetricAccumulator(n_bins=...) with its batches"
    check_reads_again(engine.reads_again, "Bounds need", instead)
    counts = two_passes(engine, request.positive, n_bins)
    return bounds_of(counts._replace(tally=tallies.mix_gaps(counts.tally)), request)


def count_ranking(engine: Engine, rule: Rule, positive: PositiveClass) -> Counts:
    depth = rule.depth
    if engine.reads_again and (depth is None or depth.is_share):
        return two_passes(engine, positive, every=needs_every_point(depth, engine.weighted))
    join = partial(join_counts, depth=depth)
    counts: Counts = engine.over_chunks(count, join, positive, depth)
    return counts


def two_passes(
    engine: Engine,
    positive: PositiveClass,
    n_bins: int | None = None,
    every: bool = False,
    instead: str = _BOUNDS,
) -> Counts:
    join = partial(join_positives, n_bins=n_bins)
    positives = engine.over_chunks(find_positives, join, positive, n_bins, every)
    grid = make_grid(positives, n_bins, every, engine.most, instead)
    counts = engine.over_chunks(count_among, join_counts, positive, grid, n_bins)
    return check_passes(grid.first, counts)


# --- counts --------------------------------------------------------------------------------------


class Counts(NamedTuple):
    """Summary of chunks of one ranking."""

    seen: Seen
    tally: Tally
    found: float  # all positives, whether they are in the tally or not
    size: float  # all samples
    checksum: int = 0  # of labels and scores, where the tally doesn't tell whether they changed


def without_tally(seen: Seen, samples: Rankings) -> Counts:
    labels, weight = samples.labels, samples.weight
    if weight is None:
        return Counts(seen, NOTHING, int(np.count_nonzero(labels)), labels.size)
    return Counts(seen, NOTHING, weight[labels].sum().item(), weight.sum().item())


def rankings_of(chunk: Chunk, positive: PositiveClass) -> tuple[Rankings, Seen]:
    y_true, y_score, weight, groups, *_ = chunk
    return read_chunk(y_true, y_score, positive, weight, groups)


def join_samples(parts: list[Rankings]) -> Rankings:
    """Put samples of several chunks together, without their groups."""
    weights = [samples.weight for samples in parts if samples.weight is not None]
    return Rankings(
        np.concatenate([samples.labels for samples in parts]),
        tallies.in_one_dtype([samples.scores for samples in parts]),
        np.concatenate(weights) if weights else None,
        "binary",
    )


def count(chunk: Chunk, positive: PositiveClass, depth: Cut | None = None) -> Counts:
    """Count samples at their scores, at least at those that the top k samples can have."""
    samples, seen = rankings_of(chunk, positive)
    counts = of_all(seen, tallies.tally(samples.labels, samples.scores, samples.weight))
    return counts._replace(tally=counts.tally.best(depth))


def of_all(seen: Seen, counts: Tally) -> Counts:
    found = counts.positives.sum()
    return Counts(seen, counts, found.item(), (found + counts.negatives.sum()).item())


def join_counts(parts: list[Counts], depth: Cut | None = None) -> Counts:
    seen = join_seen([part.seen for part in parts])
    found, size = sum(part.found for part in parts), sum(part.size for part in parts)
    merged = tallies.merge([part.tally for part in parts])
    checksum = sum(part.checksum for part in parts)
    return Counts(seen, merged.best(depth), found, size, checksum)


def join_seen(parts: list[Seen]) -> Seen:
    seen = reduce(Seen.join, parts)
    check_together(seen)
    return seen


# --- the two passes ------------------------------------------------------------------------------


class Grid(NamedTuple):
    """What the second pass needs to know of the first one."""

    scores: Array  # samples are counted at and between these
    every: bool  # whether the scores of all samples are in the grid, rather than of the positives
    first: Counts  # what the first pass saw, without a tally


def find_positives(
    chunk: Chunk, positive: PositiveClass, n_bins: int | None, every: bool
) -> Counts:
    """Find the scores of the positives or of every sample, or with n_bins, quantiles of them."""
    samples, seen = rankings_of(chunk, positive)
    positives = samples if every else samples.take(np.flatnonzero(samples.labels))
    if n_bins is None:
        return without_tally(seen, samples)._replace(tally=_distinct([positives.scores]))
    counts = tallies.tally(positives.labels, positives.scores, positives.weight)
    quantiles = tallies.quantiles(counts, _FINE * n_bins)
    return without_tally(seen, samples)._replace(tally=quantiles, checksum=checksum_of(samples))


def checksum_of(samples: Rankings) -> int:
    """Add up the bits of all scores, those of positives twice, in any order and in any chunks."""
    bits = (samples.scores.astype(np.float64) + 0.0).view(np.uint64)  # no negative zeros
    return int(bits.sum(dtype=np.uint64)) + int(bits[samples.labels].sum(dtype=np.uint64))


def join_positives(parts: list[Counts], n_bins: int | None) -> Counts:
    if n_bins is None:
        joined = join_counts([part._replace(tally=NOTHING) for part in parts])
        return joined._replace(tally=_distinct([part.tally.low for part in parts]))
    joined = join_counts(parts)
    return joined._replace(tally=tallies.quantiles(joined.tally, _FINE * n_bins))


def _distinct(scores: list[Array]) -> Tally:
    """Make a tally of distinct scores at which nothing has been counted yet."""
    held = [some for some in scores if some.size] or [np.zeros(0)]
    found = tallies.distinct(tallies.in_one_dtype(held))
    nothing = np.broadcast_to(np.int64(0), found.shape)
    return Tally(found, found, nothing, nothing)


def make_grid(
    positives: Counts,
    n_bins: int | None,
    every: bool = False,
    most: int | None = None,
    instead: str = _BOUNDS,
) -> Grid:
    """Choose the scores at and between which samples are counted.

    At most 1/n_bins of the positives are between two neighbors: half of that because of the masses
    of the quantiles, and 1/_FINE of it for each time that quantiles were joined.
    """
    first = positives._replace(tally=NOTHING)
    if n_bins is not None:
        return Grid(tallies.quantiles(positives.tally, 2 * n_bins).low, every, first)
    check_few_enough(positives.tally.size, most, instead)
    return Grid(positives.tally.low, every, first)


def count_among(chunk: Chunk, positive: PositiveClass, grid: Grid, n_bins: int | None) -> Counts:
    """Count samples at the scores of the grid and between them."""
    samples, seen = rankings_of(chunk, positive)
    counts = tallies.tally_among(samples.labels, samples.scores, samples.weight, grid.scores)
    counted = of_all(seen, counts)
    if n_bins is not None:
        return counted._replace(checksum=checksum_of(samples))
    return check_places(counted, grid.every)


def check_places(counts: Counts, every: bool) -> Counts:
    between = counts.tally.low % 3 == 0
    check_same_data(between if every else counts.tally.positives[between])
    return counts


def check_passes(before: Counts, after: Counts) -> Counts:
    """Check that the second pass saw as many rows as the first, the same masses but for rounding,
    and the same scores.
    """
    first, second = before.seen.n_samples, after.seen.n_samples
    if first != second:
        refuse_changed(f"{second:,} rows instead of {first:,}")
    if not (
        isclose(before.found, after.found, rel_tol=1e-9)
        and isclose(before.size, after.size, rel_tol=1e-9)
    ):
        refuse_changed("other rows")
    check_same_data(np.array((before.checksum - after.checksum) % 2**64 != 0))
    return after


# --- curves --------------------------------------------------------------------------------------


class Spans(NamedTuple):
    """Counts at the scores of the grid and between them, and where the scores between them end."""

    counts: Counts
    between: Stretches


def curve(engine: Engine, positive: PositiveClass, marks: Sequence[Any] = ()) -> Counts:
    """Count samples at each score of a positive or among `marks`, and in the stretches of scores
    between them.

    The curve of a metric changes direction only there. A stretch is a bin from its lowest score to
    its highest one.
    """
    join = partial(join_positives, n_bins=None)
    positives = engine.over_chunks(find_positives, join, positive, None, False)
    check_counted(positives.seen)
    grid = make_grid(positives, None, False, engine.most, _SOME_ROWS)
    if marks:
        more = [grid.scores, np.array(marks)]
        grid = grid._replace(scores=tallies.distinct(tallies.in_one_dtype(more)))
    counts, between = engine.over_chunks(count_spans, join_spans, positive, grid)
    tally = tallies.with_scores(check_passes(grid.first, counts).tally, grid.scores, between)
    return counts._replace(tally=tally)


def count_spans(chunk: Chunk, positive: PositiveClass, grid: Grid) -> Spans:
    samples, seen = rankings_of(chunk, positive)
    counts = tallies.tally_among(samples.labels, samples.scores, samples.weight, grid.scores)
    missed = sort_scores(samples.scores[~samples.labels])
    between = Stretches.of(tallies.number_among(missed, grid.scores), missed)
    return Spans(check_places(of_all(seen, counts), grid.every), between)


def join_spans(parts: list[Spans]) -> Spans:
    counts, between = zip(*parts, strict=True)
    return Spans(join_counts(list(counts)), Stretches.join(between))


def curves_of_groups(engine: Engine, positive: PositiveClass) -> tuple[Seen, Array, list[Tally]]:
    """Return what `curve` counts for each group, and the names of the groups, in any order."""
    positives = engine.over_chunks(find_grouped_positives, join_grouped_positives, positive, False)
    check_counted(positives.first.seen)
    grid = make_group_grid(positives, False, engine.most)
    counts, between = engine.over_chunks(count_spans_in_groups, join_spans, positive, grid)
    seen, counted, *_ = check_passes(grid.first, counts)
    offsets = counted.size - grid.offsets(counted.low)
    whole = tallies.with_scores(counted, grid.score_of_places, between)
    return seen, grid.names, [whole.part(slice(b, a)) for a, b in pairwise(offsets.tolist())]


def count_spans_in_groups(chunk: Chunk, positive: PositiveClass, grid: GroupGrid) -> Spans:
    samples, seen = rankings_of(chunk, positive)
    place = places_in_groups(samples, grid)
    counts = tallies.tally(samples.labels, place, samples.weight)
    counted = of_all(seen, tallies.sort_into(counts, grid.places))
    number = tallies.number_among(place, grid.places)
    between = Stretches.of(number, samples.scores)
    return Spans(check_places(counted, grid.every), between)


# --- from counts to values -----------------------------------------------------------------------


def to_score(counts: Counts, request: Request) -> float:
    rule = request.rule
    exist = check_evaluated(counts.seen, counts.found, rule, request.n_positives)
    points = counts.tally.points(rule.depth).out_of(counts.found if exist is None else exist)
    if rule.depth is not None and not rule.depth.is_share:
        points = points._replace(n_samples=np.array([counts.size]))
    queries = _one_query(counts.seen)
    return float(finish(rule, points, queries, request.zero_division))


def bounds_of(counts: Counts, request: Request) -> Bounds:
    exist = check_evaluated(counts.seen, counts.found, request.rule, request.n_positives)
    queries = _one_query(counts.seen)
    return finish_bounds(request.rule, counts.tally, queries, request.zero_division, exist)


def _one_query(seen: Seen) -> Queries:
    return Queries(names=[seen.name], sample_weight=seen.sample_weight)


# --- whether the passes read the same rows --------------------------------------------------------


def check_few_enough(distinct: int, most: int | None, instead: str) -> None:
    if most is not None and distinct > most:
        raise ValueError(
            f"The positives have more than {most:,} distinct prediction scores, which are too many "
            f"to send to every worker. Use {instead}."
        )


def check_same_data(strange: Array) -> None:
    if strange.any():
        refuse_changed("different prediction scores")


def refuse_changed(what: str) -> NoReturn:
    raise RuntimeError(
        f"The chunks contained {what} when they were read a second time. Persist them, use a fixed "
        "seed where they are created, or make sure that nothing else changes them or uses their "
        "connection meanwhile."
    )


# --- many groups ---------------------------------------------------------------------------------

# Advice if there are too many scores to send to workers.
_ONE_MACHINE = (
    "a Spark DataFrame, or read Parquet files on one machine, as data=pathlib.Path('scores')"
)


def count_groups(engine: Engine, rule: Rule, positive: PositiveClass) -> Groups:
    """Count groups, in one pass if the chunks contain whole groups, and in two otherwise."""
    every = needs_every_point(rule.depth, engine.weighted)
    groups, scattered = over_groups(engine, find_groups, join_groups, positive, every)  # type: ignore[arg-type]
    return groups or count_scattered(engine, positive, every, scattered)


def over_groups(
    engine: Engine,
    make: Callable[[Chunk, *Args], Part],
    join: Callable[[list[Part]], Part],
    *args: *Args,
) -> tuple[Part | None, str]:
    """Run a pass over chunks that contain whole groups, if the engine can bring these together.

    If their rows are apart, but can be read again, return a group of which that was seen.
    """
    whole = engine.by_group()
    if whole is None:
        return None, ""
    try:
        found: Part = whole.over_chunks(make, join, *args)
        return found, ""
    except ScatteredError as error:
        scattered = str(error)  # the error itself would keep a chunk in memory
    if not engine.reads_again:
        refuse_scattered(scattered)
    return None, scattered


def refuse_scattered(group: str) -> NoReturn:
    raise ValueError(
        f"The rows of group {group} are not consecutive, and data can be read only once. Sort it "
        "by groups, or pass data that can be read again, such as a pyarrow.dataset.Dataset or a "
        "pathlib.Path."
    )


# --- groups in two passes ------------------------------------------------------------------------


def count_scattered(
    engine: Engine, positive: PositiveClass, every: bool, scattered: str = ""
) -> Groups:
    """Count groups whose rows are apart, of which one is known if a pass has seen that."""
    positives = engine.over_chunks(find_grouped_positives, join_grouped_positives, positive, every)
    # The source of a LazyFrame may be empty when it is read again.
    if scattered and not positives.first.seen.n_samples:
        refuse_scattered(scattered)
    grid = make_group_grid(positives, every, engine.most)
    counts = engine.over_chunks(count_in_groups, join_counts, positive, grid)
    return to_groups(counts, grid)


class GroupedPositives(NamedTuple):
    """Positives of chunks (or every sample) with their groups, and the names of all groups."""

    first: Counts  # without a tally
    names: Array
    whole: Array  # groups with integer weights
    group: Array  # the group number of each positive
    scores: Array


class GroupGrid(NamedTuple):
    """Numbers for each score of a positive in its own group, with groups concatenated."""

    names: Array
    whole: Array  # groups with integer weights
    scores: Array  # of the positives of all groups
    places: Array
    every: bool  # whether these are the scores of all samples, rather than of the positives
    first: Counts  # what the first pass saw, without a tally

    @property
    def step(self) -> int:
        return 3 * self.scores.size + 2

    def place(self, group: Array, scores: Array) -> Array:
        """Number scores in ascending order within groups, with the last group first."""
        number = np.empty(scores.size, dtype=np.int64)
        order, ranked = sort_with_order(scores)  # sorted ones are found several times as fast
        number[order] = tallies.number_among(ranked, self.scores)
        return np.asarray((len(self.names) - 1 - group) * self.step + number)

    def group_of(self, counted: Array) -> Array:
        """Return the group of each bin of a tally that was sorted into the places."""
        place = self.places[counted.astype(np.int64) // 3]
        return np.asarray(len(self.names) - 1 - place // self.step)

    @property
    def score_of_places(self) -> Array:
        """The score of each place, and any score for the highest place of a group."""
        if not self.scores.size:
            return np.zeros(self.places.size)
        return self.scores.take(self.places % self.step // 3, mode="clip")

    def offsets(self, counted: Array) -> Array:
        """Return where groups start among these bins, if the highest one is first."""
        return np.searchsorted(self.group_of(counted[::-1]), np.arange(len(self.names) + 1))


class Groups(NamedTuple):
    """Operating points of groups, in the order of the names."""

    seen: Seen
    names: Names
    points: OperatingPoints


def find_grouped_positives(chunk: Chunk, positive: PositiveClass, every: bool) -> GroupedPositives:
    return grouped_positives(*rankings_of(chunk, positive), every)


def grouped_positives(samples: Rankings, seen: Seen, every: bool) -> GroupedPositives:
    names, group = groups_of(samples)
    kept = np.flatnonzero(samples.labels | every)
    first = without_tally(seen, samples)
    whole = np.ones(len(names), dtype=bool)
    if samples.weight is not None:
        whole[group[samples.weight != np.floor(samples.weight)]] = False
    return GroupedPositives(first, names, whole, group[kept], samples.scores[kept])


def join_grouped_positives(parts: list[GroupedPositives]) -> GroupedPositives:
    first = join_counts([part.first for part in parts])
    names, numbers = join_names([part.names for part in parts])
    whole = np.ones(len(names), dtype=bool)
    for part, number in zip(parts, numbers, strict=True):
        whole[number[~part.whole]] = False
    group = [number[part.group] for part, number in zip(parts, numbers, strict=True)]
    scores = [part.scores for part in parts if part.scores.size] or [np.zeros(0)]
    return GroupedPositives(
        first, names, whole, np.concatenate(group), tallies.in_one_dtype(scores)
    )


def make_group_grid(positives: GroupedPositives, every: bool, most: int | None) -> GroupGrid:
    check_few_enough(positives.scores.size, most, _ONE_MACHINE)
    scores = tallies.distinct(positives.scores)
    grid = GroupGrid(positives.names, positives.whole, scores, np.zeros(0), every, positives.first)
    # Separate what is above the highest positive of a group from what is below the lowest of the
    # next.
    tops = np.arange(1, len(grid.names) + 1) * grid.step - 1
    places = np.concatenate([grid.place(positives.group, positives.scores), tops])
    return grid._replace(places=tallies.distinct(places))


def count_in_groups(chunk: Chunk, positive: PositiveClass, grid: GroupGrid) -> Counts:
    return counted_in_groups(*rankings_of(chunk, positive), grid)


def counted_in_groups(samples: Rankings, seen: Seen, grid: GroupGrid) -> Counts:
    counts = tallies.tally(samples.labels, places_in_groups(samples, grid), samples.weight)
    return check_places(of_all(seen, tallies.sort_into(counts, grid.places)), grid.every)


def places_in_groups(samples: Rankings, grid: GroupGrid) -> Array:
    names, group = groups_of(samples)
    distinct_names, (known, own) = join_names([grid.names, names])
    place = np.full(len(distinct_names), -1)
    place[known] = np.arange(known.size)
    check_same_data(place[own] < 0)
    return grid.place(place[own][group], samples.scores)


def to_groups(counts: Counts, grid: GroupGrid) -> Groups:
    seen, counted, *_ = check_passes(grid.first, counts)
    rows = counted.in_rows()[::-1] if grid.every else None
    positives, negatives = counted.positives[::-1], counted.negatives[::-1]
    points = tallies.from_counts(positives, negatives, grid.offsets(counted.low), rows)
    return Groups(seen, grid.names, points._replace(whole=grid.whole))


def to_mean(groups: Groups, request: Request) -> Any:
    points, names = arranged(groups, request.rule, request.rule.depth, request.n_positives)
    return _mean(request.rule.values(points), points.n_positives, names, groups.seen, request)


def _mean(values: Array, found: Array, names: list[Name], seen: Seen, request: Request) -> Any:
    queries = Queries(request.average, names, sample_weight=seen.sample_weight)
    return average_values(request.rule, values, found, queries, request.zero_division)


def arranged(
    groups: Groups, rule: Rule, depth: Cut | None, n_positives: NPositives
) -> tuple[OperatingPoints, list[Name]]:
    """Return the points of all groups that this cutoff needs, including groups that are only in
    n_positives, and their sorted names.
    """
    seen, names, points = groups
    check_evaluated(seen, 0, rule, n_positives, by_group=True)
    if points.rows is not None and not needs_every_point(depth, seen.weighted):
        points = points._replace(rows=None).where_positive()
    warn_of_own_groups(rule.depth, names, len(names), seen.n_samples)
    names, order, absent, exist = all_in_order(names, n_positives, seen.weighted)
    points = join([points, no_points(absent.size)]).arranged(order)
    if exist is not None:
        points = points.out_of(check_found(exist, points.n_positives, seen.weighted, names))
    return points, names


def all_in_order(
    names: Names, n_positives: NPositives, weighted: bool
) -> tuple[list[Name], Array, Array, Array | None]:
    """Return the sorted names of all groups, and the order that sorts them.

    Groups that are only in n_positives come after the others before they are sorted. Also return
    their numbers, and the positives of all groups if n_positives says how many exist.
    """
    exist = None
    if n_positives is None:
        names, place = read_names(names).numbered()
    else:
        given = listed(names) if isinstance(names, np.ndarray) else names
        names, place, exist = name_all_groups(given, n_positives, weighted)
    times = np.bincount(place, minlength=len(names))
    if times.size and times.max() > 1:
        raise RuntimeError(
            f"The rows of group {text_of(names[times.argmax()], repr)} came from several "
            "partitions, probably because there are equal groups that Spark distinguishes. Cast "
            "the column of groups to a plain string or integer."
        )
    absent = np.flatnonzero(times == 0)
    return names, np.argsort(np.concatenate([place, absent])), absent, exist


def groups_of(samples: Rankings) -> tuple[Array, Array]:
    """Return the distinct groups in any order, and the group number of each sample."""
    return np.asarray(samples.names), np.asarray(samples.group)


def join_names(parts: Sequence[Array]) -> tuple[Array, list[Array]]:
    """Return the distinct names of all parts, and their numbers for the names of each part."""
    names, number = read_names(together(parts), sorts=False).in_any_order()
    return names, np.split(number, np.cumsum([some.size for some in parts])[:-1])


def together(parts: Sequence[Array]) -> Array:
    """Concatenate names, as objects unless NumPy would leave all of them as they are."""
    held = [some for some in parts if some.size] or [np.zeros(0, dtype=object)]
    kinds = {some.dtype.kind for some in held}
    is_safe = len({some.dtype for some in held}) == 1 or kinds in ({"U"}, {"M"}, {"m"})
    return np.concatenate(held if is_safe else [some.astype(object) for some in held])


# --- groups within one chunk ---------------------------------------------------------------------


def find_groups(chunk: Chunk, positive: PositiveClass, every: bool | None = None) -> Groups:
    """Find the groups of a chunk that contains all of their samples, by default for any rule."""
    samples, seen = rankings_of(chunk, positive)
    return _close(seen, samples, seen.weighted if every is None else every)


def join_groups(parts: Sequence[Groups]) -> Groups:
    """Join the groups of several chunks, none of which is in two of them."""
    seen = join_seen([part.seen for part in parts])
    names = [name for part in parts for name in part.names]
    return Groups(seen, names, join([part.points for part in parts]))


def no_points(n_queries: int) -> OperatingPoints:
    nothing = np.zeros(0, dtype=np.int64)
    return tallies.from_counts(nothing, nothing, offsets=np.zeros(n_queries + 1, dtype=np.int64))


def _close(seen: Seen, samples: Rankings, every: bool) -> Groups:
    """Return the points of groups, all of whose samples are known."""
    names, group = groups_of(samples)
    present, group = number_groups(group)
    if not present.size:
        return Groups(seen, [], no_points(0))
    columns = samples.labels, samples.scores, group, present.size, samples.weight
    return Groups(seen, listed(names[present]), from_groups(*columns, every))


class GroupValues(NamedTuple):
    """The values of groups, and what their mean and its warnings also need."""

    seen: Seen
    names: Names
    values: Array
    n_positives: Array


def value_groups(chunk: Chunk, request: Request) -> GroupValues:
    rule, n_positives = request.rule, request.n_positives
    samples, seen = rankings_of(chunk, request.positive)
    if seen.weighted:
        check_weighted(rule)
    _, names, points = _close(seen, samples, needs_every_point(rule.depth, seen.weighted))
    if names and n_positives is not None:
        _, place, exist = name_all_groups(names, n_positives, seen.weighted)
        found = points.n_positives
        points = points.out_of(check_found(exist[place], found, seen.weighted, names))
    return GroupValues(seen, names, rule.values(points), points.n_positives)


def join_values(parts: list[GroupValues]) -> GroupValues:
    seen = join_seen([part.seen for part in parts])
    names = [name for part in parts for name in part.names]
    values, n_positives = zip(*(part[2:] for part in parts), strict=True)
    return GroupValues(seen, names, np.concatenate(values), np.concatenate(n_positives))


def to_mean_of_values(groups: GroupValues, request: Request) -> Any:
    seen, names, values, found = groups
    check_evaluated(seen, 0, request.rule, request.n_positives, by_group=True)
    warn_of_own_groups(request.rule.depth, names, len(names), seen.n_samples)
    names, order, absent, exist = all_in_order(names, request.n_positives, seen.weighted)
    if exist is not None:
        points = no_points(absent.size).out_of(exist[absent])
        values = np.concatenate([values, request.rule.values(points)])
        found = np.concatenate([found, points.n_positives])
    return _mean(values[order], found[order], names, seen, request)
