"""Passes over data in chunks, each of which does the jobs of several tasks.

A task yields the jobs of one pass after the other. A job makes something of the samples of each
chunk, and joins what it made of several. The tasks don't know what runs them: that is an engine, or
for samples in memory, a single chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from math import isclose
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._read.segments import check_few_segments, overlap, read_in_chunk
from .._read.validation import Seen, check_together, read_beside, read_chunk
from .._words.engine import Chunk, Engine, refuse_changed
from .._words.inputs import Inputs, PositiveClass
from .._words.messages import noting_model, warning_once
from ..core.numbering import number_groups
from ..core.rankings import Rankings
from ..core.within import Array, blocks

T = TypeVar("T")


class First(NamedTuple):
    """What the first pass saw of one model, which must be the same in every other pass."""

    seen: Seen
    found: float  # all positives, or their weight
    size: float  # all samples
    checksum: int = 0  # of labels and scores


def first_of(seen: Seen, samples: Rankings) -> First:
    labels, weight = samples.labels, samples.weight
    if weight is None:
        return First(seen, int(np.count_nonzero(labels)), labels.size)
    return First(seen, weight[labels].sum().item(), weight.sum().item())


class Job(NamedTuple):
    """What a pass makes of the samples of each chunk, and how it joins several."""

    make: Callable[..., Any]  # called with samples, and arguments
    join: Callable[[list[Any]], Any]
    arguments: tuple[Any, ...] = ()


Jobs = dict[str, Job]
Results = tuple[First, dict[str, Any]]  # what the first pass saw, and the results of jobs
Task = Generator[Jobs, Results, T]  # yields the jobs of one pass after the other


def inputs_of_models(inputs: Inputs) -> dict[Any, Inputs]:
    """Return what was said about each model of an engine, or about its only one, for None."""
    columns = inputs.chunks.columns.get("y_score")
    if not isinstance(columns, Mapping):
        return {None: inputs}
    return {model: inputs.of_model(model, y_score) for model, y_score in columns.items()}


def by_model(found: Mapping[Any, T], inputs: Inputs) -> dict[Any, T]:
    """Return what was found for each model by its name, which chunks of a single one don't know."""
    return {own.model: found[key] for key, own in inputs_of_models(inputs).items()}


def run_models(task: Callable[[Inputs], Task[T]], inputs: Inputs) -> dict[Any, T]:
    """Run a task for each model of an engine, in passes that they share."""
    engine = inputs.chunks.for_request(inputs.positive, inputs.n_positives)
    each = inputs_of_models(inputs._replace(engine=engine))
    tasks = {model: task(own) for model, own in each.items()}
    return _run_together(tasks, engine, inputs.positive)


def _run_together(
    tasks: Mapping[Any, Task[T]], engine: Engine, positive: PositiveClass
) -> dict[Any, T]:
    """Run the tasks of several models, the jobs of all of them in one pass.

    The samples must be the same in every pass.
    """
    before: dict[Any, First] = {}
    found: dict[Any, T] = {}
    jobs = {model: next(task) for model, task in tasks.items()}
    with warning_once():
        while jobs:
            makes = {
                model: [(job.make, *job.arguments) for job in own.values()]
                for model, own in jobs.items()
            }
            joins = {model: [job.join for job in own.values()] for model, own in jobs.items()}
            make = partial(_make_each, positive=positive, makes=makes)
            parts = engine.over_chunks(make, partial(_join_each, joins))
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


def run_on(task: Task[T], samples: Rankings, seen: Seen) -> T:
    """Run a task on samples in memory, which are a single chunk."""
    first, jobs = first_of(seen, samples), next(task)
    while True:
        found = {name: job.make(samples, *job.arguments) for name, job in jobs.items()}
        try:
            jobs = task.send((first, found))
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


Made = tuple[First, list[Any]]  # by jobs
Parts = dict[Any, Made]  # by model or segment


def _make_each(
    chunk: Chunk, positive: PositiveClass, makes: Mapping[Any, Sequence[tuple[Any, ...]]]
) -> Parts:
    made: Parts = {}
    for model, (samples, seen) in of_models(chunk, positive):
        own = makes.get(model, ())
        if own:
            with noting_model(model):
                sums = [marks_of(samples.take(some)).sum() for some in blocks(samples.n_rows)]
                first = first_of(seen, samples)._replace(checksum=sum(map(int, sums)))
                made[model] = first, [make(samples, *given) for make, *given in own]
    return made


def _join_each(joins: Mapping[Any, Sequence[Callable[..., Any]]], parts: list[Parts]) -> Parts:
    return {
        key: _join_made(own, [part[key] for part in parts if key in part])
        for key, own in joins.items()
    }


def _join_made(joins: Sequence[Callable[..., Any]], parts: Sequence[Made]) -> Made:
    counts, made = zip(*parts, strict=True)
    each = zip(joins, zip(*made, strict=True), strict=True)
    return _join_firsts(counts), [join(list(some)) for join, some in each]


def _join_firsts(parts: Sequence[First]) -> First:
    seen, *numbers = zip(*parts, strict=True)
    return First(join_seen(seen), *map(sum, numbers))


def join_seen(parts: Sequence[Seen]) -> Seen:
    seen = reduce(Seen.join, parts)
    check_together(seen)
    return seen


# --- segments -------------------------------------------------------------------------------------


class Split(NamedTuple):
    """What a pass makes of all samples, and of those of each segment."""

    whole: Made
    segments: Parts
    n_unknown: int  # samples of which it isn't known to which segments they belong
    may_overlap: bool


def run_segments(task: Callable[[], Task[T]], inputs: Inputs) -> tuple[T, dict[Any, T], Split]:
    """Run a task of a single pass on all samples of an engine, and on those of each segment."""
    engine = inputs.chunks.for_request(inputs.positive, inputs.n_positives)
    jobs = next(task())
    makes = [(job.make, *job.arguments) for job in jobs.values()]
    are_masks = isinstance(inputs.column_names.get("by"), Mapping)
    join = partial(_join_splits, [job.join for job in jobs.values()], are_masks)
    with warning_once():
        make = partial(_make_split, positive=inputs.positive, makes=makes)
        split = engine.over_chunks(make, join)
        seen = split.whole[0].seen
        whole, *each = (
            _end_of(task(), (first._replace(seen=seen), dict(zip(jobs, made, strict=True))))
            for first, made in [split.whole, *split.segments.values()]
        )
    return whole, dict(zip(split.segments, each, strict=True)), split


def _end_of(task: Task[T], results: Results) -> T:
    """Return what a task makes of the results of its only pass."""
    next(task)
    try:
        task.send(results)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise AssertionError("a task of segments has one pass")


def _make_split(chunk: Chunk, positive: PositiveClass, makes: Sequence[tuple[Any, ...]]) -> Split:
    """Make what jobs need of a chunk with one model: of all samples, and of each segment's.

    A segment without samples here is made, too. Joining knows only the segments of chunks, so a
    mask that never holds would be missing from the result, and from the adjustment of intervals.
    """
    ((_, (samples, seen)),) = of_models(chunk, positive)
    by = chunk[-1]
    names, places_of_segments, is_known = read_in_chunk(by, samples)

    def made(some: Rankings) -> Made:
        return first_of(seen, some), [make(some, *given) for make, *given in makes]

    segments = {
        name: made(samples_at(samples, places))
        for name, places in zip(names, places_of_segments, strict=True)
    }
    n_unknown = int(np.count_nonzero(~is_known))
    return Split(made(samples), segments, n_unknown, overlap(places_of_segments))


def _join_splits(
    joins: Sequence[Callable[..., Any]], are_masks: bool, parts: Sequence[Split]
) -> Split:
    whole, segments, n_unknown, may_overlap = zip(*parts, strict=True)
    names = dict.fromkeys(name for part in segments for name in part)
    if not are_masks:
        check_few_segments(names)
    joined = _join_each(dict.fromkeys(names, joins), list(segments))
    return Split(_join_made(joins, whole), joined, sum(n_unknown), any(may_overlap))


def samples_at(samples: Rankings, places: Array) -> Rankings:
    """Return some samples with the groups that they belong to."""
    some = samples.take(places)
    if some.group is None:
        return some
    present, group = number_groups(some.group)
    return replace(some, group=group, names=np.asarray(some.names)[present])


# --- what chunks contain --------------------------------------------------------------------------


def rankings_of(chunk: Chunk, positive: PositiveClass) -> tuple[Rankings, Seen]:
    y_true, y_score, weight, groups, *_ = chunk
    return read_chunk(y_true, y_score, positive, weight, groups)


def of_models(chunk: Chunk, positive: PositiveClass) -> Iterator[tuple[Any, tuple[Rankings, Seen]]]:
    """Read the rankings of each model in a chunk. A single one may have no name."""
    y_true, y_score, weight, groups, *_ = chunk
    models = y_score if isinstance(y_score, Mapping) else {None: y_score}
    first: tuple[Rankings, Seen] | None = None
    for model, scores in models.items():
        with noting_model(model):
            if first is None:
                found = first = rankings_of([y_true, scores, weight, groups], positive)
            else:
                found = read_beside(*first, scores, positive)
        yield model, found


# --- whether the passes read the same rows --------------------------------------------------------


def marks_of(samples: Rankings) -> Array:
    """Return a number for the label, score and weight of each sample.

    Sums of these tell whether the samples are the same, in any order and in any chunks.
    """
    marks = (samples.scores.astype(np.float64) + 0.0).view(np.uint64)  # no negative zeros
    if samples.weight is not None:
        marks = _scattered_bits(marks) + samples.weight.astype(np.float64).view(np.uint64)
    np.add(marks, _ODD, out=marks, where=samples.labels)
    return _scattered_bits(marks)


def _scattered_bits(bits: Array) -> Array:
    """Scatter numbers, because sums of regular ones are often equal, such as 1 + 3 and 2 + 2."""
    bits ^= bits >> np.uint64(32)
    bits *= _ODD
    bits ^= bits >> np.uint64(29)
    return bits


_ODD = np.uint64(0x9E3779B97F4A7C15)  # whose product changes each bit above


def check_passes(before: First, after: First) -> None:
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
    if (before.checksum - after.checksum) % 2**64:
        refuse_changed("different prediction scores")


def check_few_enough(distinct: int, most: int | None, instead: str) -> None:
    if most is not None and distinct > most:
        raise ValueError(
            f"The positives have more than {most:,} distinct prediction scores, which are too many "
            f"to send to every worker. Use {instead}."
        )
