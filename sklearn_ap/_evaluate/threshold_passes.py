"""Passes over data in chunks, in which a threshold is chosen or measured.

The first pass finds the prediction scores of the positives, and quantiles of all samples if the
threshold may be anywhere. The second pass counts the samples at these scores and between them. Each
of these bins ends in an operating point, so a threshold can be chosen from the bins. If it may be
within a bin, a third pass counts the scores in that one. With groups, the last pass counts how many
samples of each group are flagged.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._read.rankings import Seen, check_counted
from .._words.engine import Chunk, Engine, NeedsRowsError
from .._words.errors import NotReachableError
from .._words.inputs import Inputs, PositiveClass, Unread
from .._words.messages import noting_model, warn_of_own_groups, warning_once
from ..core import promises, tallies
from ..core.cutoff import Cut
from ..core.keys import sort_with_order
from ..core.operating_points import gather
from ..core.rankings import Rankings
from ..core.runs import Array, is_first, running_sum
from ..core.tallies import NOTHING, Stretches, Tally
from .checking import (
    Kinds,
    ThresholdCheck,
    are_flagged,
    by_name,
    counts_weight,
    existing,
    judged,
    sums_by_group,
)
from .groups import of_models
from .in_chunks import (
    Counts,
    check_few_enough,
    check_passes,
    checksum_of,
    groups_of,
    join_counts,
    join_names,
    refuse_changed,
    without_tally,
)
from .targets import (
    ENOUGH,
    Found,
    State,
    Targets,
    choose,
    limits_of_groups,
    out_of,
    threshold_at,
)

T = TypeVar("T")

_SLICES = 2**12  # a bin has about one out of so many samples, unless they are tied

# Advice if there are too many scores to send to workers.
_ONE_MACHINE = "data on one machine, such as Parquet files, as data=pathlib.Path('scores')"


def can_be_chosen(request: Targets, unread: Unread) -> bool:
    """Whether the passes know everything that this threshold depends on.

    Promises with clusters depend on which samples belong together. A promised precision depends on
    the weight of every negative if these differ.
    """
    if unread.clusters is not None or unread.besides.get("benefit") is not None:
        return False
    is_promised = request.promise and request.min_precision is not None
    return not (is_promised and unread.sample_weight is not None)


def choose_in_passes(
    requests: Mapping[Any, Targets], inputs: Inputs, add_net: Callable[[State], State]
) -> dict[Any, Found]:
    """Choose a threshold for each model of an engine, in passes that they share. `add_net` adds
    what each threshold is worth to a state.
    """
    assert inputs.engine is not None
    engine = inputs.engine.for_request(inputs.positive, inputs.n_positives)
    tasks = {
        model: _choosing(request, inputs.n_positives, engine, add_net)
        for model, request in requests.items()
    }
    return run_together(tasks, engine, inputs.positive)


def _choosing(
    request: Targets,
    n_positives: Any,
    engine: Engine,
    add_net: Callable[[State], State],
) -> Task[Found]:
    """Choose a threshold for one model, and yield what each pass has to find for that."""
    jobs, depth = {"weights": Job(_weigh, _extremes)}, request.depth
    grid = None if request.threshold is None else _at(request.threshold)
    is_squared = bool(request.promise) and engine.weighted
    if grid is not None:
        jobs["bins"] = Job(_count_among, _join_bins, (grid,))
    elif request.shares or request.alert_cost is not None:
        jobs["positives"] = Job(_find_positives, _distinct)
    if grid is None and _may_be_anywhere(request):
        jobs["slices"] = Job(_slice, _join_slices)
    if engine.grouped:
        jobs["found"] = Job(_found_in_groups, _join_amounts)
        jobs["sizes"] = Job(_sizes_of_groups, _join_amounts)
    if depth is not None and request.quantile is not None:
        jobs["tops"] = Job(_top, partial(_join_tops, depth), (depth,))
    first, found = yield jobs
    seen = first.seen
    check_counted(seen)
    names, amounts = found.get("found", (None, None))
    exist, n_groups = existing(seen, first.found, n_positives, names, amounts)
    if names is not None:
        warn_of_own_groups(depth, names, len(names), seen.n_samples)
    if grid is None:
        positives = found.get("positives", np.zeros(0))
        check_few_enough(positives.size, engine.most, _ONE_MACHINE)
        grid = _distinct([positives, found.get("slices", NOTHING).low])
        jobs = {"bins": Job(_count_among, _join_bins, (grid,))}
        if is_squared:
            jobs["squares"] = Job(_square_among, _join_squares, (grid,))
        _, counted = yield jobs
        found |= counted
    tally, ends = found["bins"]
    bins = replace(tally, low=ends.low, high=ends.high)
    squares = [replace(each, low=ends.low, high=ends.high) for each in found.get("squares", ())]
    if not all(np.isfinite(each.positives + each.negatives).all() for each in squares):
        raise NeedsRowsError  # to scale down weights whose squares overflow
    limits, at_top = None, None
    if depth is not None and "tops" in found:
        of_mass = Cut(depth.k, "weight")  # which the tops have, also of samples
        limits, at_top = limits_of_groups(of_mass, found["tops"].as_rankings())
    while True:
        state = add_net(_state(bins, exist, seen, limits, at_top))
        if squares:
            state = state._replace(units=_units(bins, squares))
        place, error = -1, None
        try:
            place = choose(request, state, n_groups)
        except NotReachableError as refused:
            error = refused
        inner = _undecided(request, state, place, n_groups, error is not None)
        inner = inner[bins.mixed[inner]]
        if not inner.size:
            break
        ends = np.stack([bins.low[inner], bins.high[inner]], axis=1).ravel()
        jobs = {"inside": Job(_count_inside, tallies.merge, (ends,))}
        if squares:
            jobs["squares"] = Job(_square_inside, _join_squares, (ends,))
        _, opened = yield jobs
        squares = [
            _opened(each, inner, own)
            for each, own in zip(squares, opened.get("squares", ()), strict=True)
        ]
        bins = _opened(bins, inner, opened["inside"])
    if error is not None:
        raise error
    flagged = None
    if engine.grouped:
        threshold = threshold_at(request, state, place)
        jobs = {"flagged": Job(_flagged_in_groups, _join_amounts, (threshold,))}
        jobs["sizes"] = Job(_sizes_of_groups, _join_amounts)
        _, counted = yield jobs
        _check_same_groups(found["sizes"], counted["sizes"])
        flagged = by_name(*counted["flagged"])
    share = first.found / first.size
    return Found(state, place, n_groups, flagged, share, len({*found["weights"]}) < 2)


def check_in_passes(point: Any, confidence_level: float, inputs: Inputs) -> ThresholdCheck:
    """Measure a threshold on new samples, in one pass."""
    assert inputs.engine is not None
    engine = inputs.engine.for_request(inputs.positive, inputs.n_positives)
    task = _measuring(point, inputs.n_positives, engine)
    (kinds,) = run_together({None: task}, engine, inputs.positive).values()
    return judged(point, confidence_level, inputs, kinds)


def _measuring(point: Any, n_positives: Any, engine: Engine) -> Task[Kinds]:
    threshold = np.array([point.threshold])
    jobs = {"weights": Job(_weigh, _extremes), "kinds": Job(_sum_kinds, _add_up, (threshold,))}
    if engine.grouped:
        jobs["found"] = Job(_found_in_groups, _join_amounts)
        jobs["flagged"] = Job(_flagged_in_groups, _join_amounts, (threshold,))
        if counts_weight(point, engine.weighted):
            jobs["amounts"] = Job(_weight_in_groups, _join_amounts, (threshold,))
    first, found = yield jobs
    check_counted(first.seen)
    if not np.isfinite(found["kinds"]).all():
        raise NeedsRowsError  # to scale down weights whose squares overflow
    names, amounts = found.get("found", (None, None))
    exist, n_groups = existing(first.seen, first.found, n_positives, names, amounts)
    flagged_in, amounts_in = None, None
    if names is not None:
        flagged_in = amounts_in = by_name(*found["flagged"])
    if "amounts" in found:
        amounts_in = by_name(*found["amounts"])
    rows, mass, squares = found["kinds"]
    return Kinds(
        _KINDS >= 2,
        _KINDS % 2 > 0,
        rows=rows.astype(np.int64),
        mass=mass,
        squares=squares,
        cluster=None,
        weighted=engine.weighted,
        equal_weights=len({*found["weights"]}) < 2,
        exist=exist,
        n_groups=n_groups,
        flagged_in=flagged_in,
        amounts_in=amounts_in,
        found=first.found,
        whole=first.size,
    )


_KINDS = np.arange(4)  # of samples: 2 for positives, and 1 for flagged ones


def _at(threshold: Any) -> Array:
    """Return a threshold, and what arrays of narrow floats round it to."""
    each = np.array([threshold])
    if each.dtype != np.float64:
        return each
    with np.errstate(over="ignore"):
        narrow = [each.astype(kind).astype(float) for kind in (np.float32, np.float16)]
    return tallies.distinct(np.concatenate([each, *narrow]))


def _may_be_anywhere(request: Targets) -> bool:
    """Whether the threshold can be the score of a negative."""
    is_promised = request.confidence_level is not None and request.min_precision is not None
    return request.k is not None or is_promised


def _state(
    bins: Tally, exist: Array | None, seen: Seen, limits: Array | None, at_top: Array | None
) -> State:
    points, in_rows, scores = bins.curve()
    of_groups = None, limits, at_top
    return State(out_of(exist, points), in_rows, scores, seen, *of_groups, tops=bins.high[::-1])


def _undecided(
    request: Targets, state: State, place: int, n_groups: int | None, is_refused: bool
) -> Array:
    """Return the bins, in ascending order, inside of which the threshold can be, or a test of a
    promise can start.

    The chosen point is the last one that keeps to the request, and in a bin without positives, the
    first points keep to it. So only the next bin is undecided. If k is what is to be flagged, it is
    the bin that completes k. What an error suggests can also depend on higher starts.
    """
    if not _may_be_anywhere(request):
        return np.zeros(0, dtype=np.int64)
    completes = not request.shares and not request.is_budget(n_groups is not None)
    places = [place if completes and place >= 0 else place + 1]
    if request.promise and request.min_precision is not None:
        heavier = 1.0 if state.units is None else state.units.heavier
        numbers = promises.rows_at_starts(request.min_precision, request.error, heavier)
        starts = np.searchsorted(state.in_rows.cum_total, numbers).tolist()
        places.extend(range(starts[-1] + 1) if is_refused and starts else starts)
    size = state.scores.size
    return np.array(sorted({size - 1 - each for each in places if each < size}), dtype=np.int64)


def _opened(bins: Tally, inner: Array, inside: Tally) -> Tally:
    """Replace bins by the counts at each of their scores."""
    kept = np.ones(bins.size, dtype=bool)
    kept[inner] = False
    return tallies.merge([bins.part(np.flatnonzero(kept)), inside])


# --- several jobs in one pass ---------------------------------------------------------------------


class Job(NamedTuple):
    """What a pass makes of the samples of each chunk, and how it joins several."""

    make: Callable[..., Any]  # called with samples, and arguments
    join: Callable[[list[Any]], Any]
    arguments: tuple[Any, ...] = ()


Jobs = dict[str, Job]
Results = tuple[Counts, dict[str, Any]]  # what the first pass saw, and the results of jobs
Task = Generator[Jobs, Results, T]  # yields the jobs of one pass after the other


def run_together(
    tasks: Mapping[Any, Task[T]], engine: Engine, positive: PositiveClass
) -> dict[Any, T]:
    """Run the tasks of several models, the jobs of all of them in one pass.

    The samples must be the same in every pass.
    """
    before: dict[Any, Counts] = {}
    found: dict[Any, T] = {}
    jobs = {model: next(task) for model, task in tasks.items()}
    with warning_once():
        while jobs:
            makes = {
                model: [(job.make, *job.arguments) for job in own.values()]
                for model, own in jobs.items()
            }
            joins = {model: [job.join for job in own.values()] for model, own in jobs.items()}
            parts = engine.over_chunks(_make_each, partial(_join_each, joins), positive, makes)
            following = {}
            for model, (counts, made) in parts.items():
                with noting_model(model):
                    first = before.setdefault(model, counts)
                    if first is not counts:
                        check_passes(first, counts)
                    try:
                        results = first, dict(zip(jobs[model], made, strict=True))
                        following[model] = tasks[model].send(results)
                    except StopIteration as end:
                        found[model] = end.value
            jobs = following
    return {model: found[model] for model in tasks}


Parts = dict[Any, tuple[Counts, list[Any]]]  # by model


def _make_each(
    chunk: Chunk, positive: PositiveClass, makes: Mapping[Any, Sequence[tuple[Any, ...]]]
) -> Parts:
    made: Parts = {}
    for model, (samples, seen) in of_models(chunk, positive):
        own = makes.get(model, ())
        if own:
            with noting_model(model):
                first = without_tally(seen, samples)._replace(checksum=checksum_of(samples))
                made[model] = first, [make(samples, *given) for make, *given in own]
    return made


def _join_each(joins: Mapping[Any, Sequence[Callable[..., Any]]], parts: list[Parts]) -> Parts:
    joined: Parts = {}
    for model, own in joins.items():
        counts, made = zip(*(part[model] for part in parts), strict=True)
        each = zip(own, zip(*made, strict=True), strict=True)
        joined[model] = join_counts(list(counts)), [join(list(some)) for join, some in each]
    return joined


# --- jobs -----------------------------------------------------------------------------------------


def _find_positives(samples: Rankings) -> Array:
    return tallies.distinct(samples.scores[samples.labels])


def _distinct(scores: list[Array]) -> Array:
    held = [some for some in scores if some.size] or [np.zeros(0)]
    return tallies.distinct(tallies.in_one_dtype(held))


def _slice(samples: Rankings) -> Tally:
    """Return quantiles of all samples, which are counted as positives."""
    every = np.ones(samples.labels.size, dtype=bool)
    return (
        tallies.quantiles(tallies.tally(every, samples.scores), _SLICES) if every.size else NOTHING
    )


def _join_slices(parts: list[Tally]) -> Tally:
    return tallies.quantiles(tallies.merge(parts), _SLICES)


def _weigh(samples: Rankings) -> tuple[float, ...]:
    """Return the weights of the lightest and the heaviest positive."""
    if samples.weight is None:
        return ()
    return _extremes([tuple(samples.weight[samples.labels].tolist())])


def _extremes(parts: list[tuple[float, ...]]) -> tuple[float, ...]:
    each = [weight for part in parts for weight in part]
    return (min(each), max(each)) if each else ()


def _units(bins: Tally, squares: Sequence[Tally]) -> promises.SquaredCounts:
    """Return what a promise with weights needs of them."""
    (found, wrong), *logs = ((each.positives[::-1], each.negatives[::-1]) for each in squares)
    of_wrong, whole = wrong.sum() * bins.positives.sum(), found.sum() * bins.negatives.sum()
    heavier = float(of_wrong / whole) if of_wrong and whole else 1.0
    of_halves = np.stack([bins.positives[::-1], *(each for each, _ in logs)])
    numbers = bins.positives_in_rows()[::-1]
    return promises.SquaredCounts(found, wrong, of_halves, numbers, heavier)


def _squared(samples: Rankings) -> list[Rankings]:
    """Return the samples with other weights: squares, logarithms, and the squares of these."""
    mass = np.ones(0) if samples.weight is None else samples.weight.astype(float)
    with np.errstate(over="ignore"):
        each = mass * mass, *promises.powers_of_log(mass)
    return [replace(samples, weight=weight) for weight in each]


def _square_among(samples: Rankings, grid: Array) -> list[Tally]:
    order, ranked = sort_with_order(samples.scores)
    number = tallies.number_among(ranked, grid)
    start = np.flatnonzero(is_first(number))
    number, labels = number[start], samples.labels[order]
    found = []
    for each in _squared(samples):
        mass = np.zeros(0) if each.weight is None else each.weight[order]
        of_both = (np.add.reduceat(np.where(kept, mass, 0), start) for kept in (labels, ~labels))
        found.append(Tally(number, number, *of_both))
    return found


def _square_inside(samples: Rankings, ends: Array) -> list[Tally]:
    return [_count_inside(each, ends) for each in _squared(samples)]


def _join_squares(parts: list[list[Tally]]) -> list[Tally]:
    return [tallies.merge(each) for each in zip(*parts, strict=True)]


Bins = tuple[Tally, Stretches]  # with the same numbers


def _count_among(samples: Rankings, grid: Array) -> Bins:
    counts = tallies.tally_among(samples.labels, samples.scores, samples.weight, grid)
    return counts, Stretches.of_all(samples.scores, grid)


def _join_bins(parts: list[Bins]) -> Bins:
    counts, ends = zip(*parts, strict=True)
    return tallies.merge(counts), Stretches.join(ends)


def _sum_kinds(samples: Rankings, threshold: Array) -> Array:
    """Sum the rows of each kind, their weights, and the squares of these, of shape (3, 4)."""
    kind = 2 * samples.labels + are_flagged(samples.scores, threshold)
    each = np.ones(kind.size) if samples.weight is None else samples.weight.astype(float)
    with np.errstate(over="ignore"):
        columns = np.ones(kind.size), each, each * each
    return np.stack([np.bincount(kind, column, _KINDS.size) for column in columns])


def _add_up(parts: list[Array]) -> Array:
    return np.asarray(sum(parts))


def _count_inside(samples: Rankings, ends: Array) -> Tally:
    """Count at the scores in some bins, whose ends follow one another."""
    inside = np.flatnonzero(tallies.number_among(samples.scores, ends) % 6)
    if not inside.size:
        return NOTHING
    some = samples.take(inside)
    return tallies.tally(some.labels, some.scores, some.weight)


# --- jobs with groups -----------------------------------------------------------------------------

Amounts = tuple[Array, Array]  # the names of groups, and a number for each


def _found_in_groups(samples: Rankings) -> Amounts:
    return sums_by_group(
        samples, samples.labels * (1 if samples.weight is None else samples.weight)
    )


def _sizes_of_groups(samples: Rankings) -> Amounts:
    return sums_by_group(samples, np.ones(samples.scores.size, dtype=np.int64))


def _check_same_groups(before: Amounts, after: Amounts) -> None:
    """Check that two passes have seen the same groups, with as many samples in each."""
    joined, numbers = join_names([before[0], after[0]])
    sizes = np.zeros((2, len(joined)), dtype=np.int64)
    for row, number, (_, size) in zip(sizes, numbers, (before, after), strict=True):
        row[number] = size
    if not np.array_equal(*sizes):
        refuse_changed("other groups")


def _flagged_in_groups(samples: Rankings, threshold: Array) -> Amounts:
    return sums_by_group(samples, are_flagged(samples.scores, threshold).astype(np.int64))


def _join_amounts(parts: list[Amounts]) -> Amounts:
    names, numbers = join_names([own for own, _ in parts])
    amounts = np.zeros(len(names), dtype=np.result_type(*(each for _, each in parts)))
    for (_, each), number in zip(parts, numbers, strict=True):
        amounts[number] += each
    return names, amounts


def _weight_in_groups(samples: Rankings, threshold: Array) -> Amounts:
    return sums_by_group(samples, are_flagged(samples.scores, threshold) * samples.weight)


class Tops(NamedTuple):
    """The highest scores of each group, down to the one at which more than k samples are above."""

    names: Array
    group: Array  # the group number of each score
    scores: Array  # highest first within groups
    mass: Array

    def as_rankings(self) -> Rankings:
        labels = np.zeros(self.scores.size, dtype=bool)
        return Rankings(labels, self.scores, self.mass, "macro", group=self.group, names=self.names)


def _top(samples: Rankings, depth: Cut) -> Tops:
    names, group = groups_of(samples)
    mass = samples.weight
    if mass is None or depth.by_rows:
        mass = np.ones(samples.scores.size, dtype=np.int64)
    return _cut(Tops(names, group, samples.scores, mass), depth)


def _join_tops(depth: Cut, parts: list[Tops]) -> Tops:
    names, numbers = join_names([part.names for part in parts])
    group = [number[part.group] for part, number in zip(parts, numbers, strict=True)]
    held = [part.scores for part in parts if part.scores.size] or [np.zeros(0)]
    mass = np.concatenate([part.mass for part in parts])
    return _cut(Tops(names, np.concatenate(group), tallies.in_one_dtype(held), mass), depth)


def _cut(tops: Tops, depth: Cut) -> Tops:
    """Add up the masses at each score of a group, and keep the highest scores."""
    if not tops.scores.size:
        return tops
    order = sort_with_order(tops.scores)[0][::-1]
    order, offsets = gather(order, tops.group[order], len(tops.names))
    group, scores, mass = (column[order] for column in tops[1:])
    first = is_first(group) | is_first(scores)
    start = np.flatnonzero(first)
    group, scores, mass = group[start], scores[start], np.add.reduceat(mass, start)
    offsets = np.searchsorted(start, offsets)
    above = running_sum(mass, offsets) - mass
    kept = np.flatnonzero(above <= depth.k * ENOUGH)
    return Tops(tops.names, group[kept], scores[kept], mass[kept])
