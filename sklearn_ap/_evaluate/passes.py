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


def by_model(results: Mapping[Any, T], inputs: Inputs) -> dict[Any, T]:
    """Return the result for each model by its name, which chunks of a single one don't know."""
    models = inputs_of_models(inputs)
    return {of_model.model: results[key] for key, of_model in models.items()}


def run_models(task: Callable[[Inputs], Task[T]], inputs: Inputs) -> dict[Any, T]:
    """Run a task for each model of an engine, in passes that they share."""
    engine = inputs.chunks.for_request(inputs.positive, inputs.n_positives)
    models = inputs_of_models(inputs._replace(engine=engine))
    tasks = {model: task(of_model) for model, of_model in models.items()}
    return _run_together(tasks, engine, inputs.positive)


def _run_together(
    tasks: Mapping[Any, Task[T]], engine: Engine, positive: PositiveClass
) -> dict[Any, T]:
    """Run the tasks of several models, the jobs of all of them in one pass.

    The samples must be the same in every pass.
    """
    firsts: dict[Any, First] = {}
    values: dict[Any, T] = {}  # of the tasks that have ended
    jobs = {model: next(task) for model, task in tasks.items()}
    with warning_once():
        while jobs:
            makes = {model: [*map(_making, of_model.values())] for model, of_model in jobs.items()}
            joins = {
                model: [job.join for job in of_model.values()] for model, of_model in jobs.items()
            }
            make = partial(_make_each, positive=positive, makes=makes)
            made_of_models = engine.over_chunks(make, partial(_join_each, joins))
            next_jobs = {}
            for model, made in made_of_models.items():
                with noting_model(model):
                    first = firsts.setdefault(model, made.first)
                    if first is not made.first:
                        check_passes(first, made.first)
                    results = dict(zip(jobs[model], made.results, strict=True))
                    try:
                        next_jobs[model] = tasks[model].send((first, results))
                    except StopIteration as end:
                        values[model] = end.value
            jobs = next_jobs
    return {model: values[model] for model in tasks}


def run_on(task: Task[T], samples: Rankings, seen: Seen) -> T:
    """Run a task on samples in memory, which are a single chunk."""
    first, jobs = first_of(seen, samples), next(task)
    while True:
        results = {name: job.make(samples, *job.arguments) for name, job in jobs.items()}
        try:
            jobs = task.send((first, results))
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


class Made(NamedTuple):
    """What a pass made of the samples of a model or of a segment."""

    first: First
    results: list[Any]  # of each job


Making = tuple[Any, ...]  # a function, which is called with samples, and its other arguments


def _making(job: Job) -> Making:
    """Return what workers need of a job."""
    return job.make, *job.arguments


def _make_each(
    chunk: Chunk, positive: PositiveClass, makes: Mapping[Any, Sequence[Making]]
) -> dict[Any, Made]:
    """Make what the jobs of each model need of a chunk. Models without jobs are left out."""
    made: dict[Any, Made] = {}
    for model, (samples, seen) in of_models(chunk, positive):
        if makes.get(model):
            with noting_model(model):
                checksums = [
                    int(marks_of(samples.take(rows)).sum()) for rows in blocks(samples.n_rows)
                ]
                first = first_of(seen, samples)._replace(checksum=sum(checksums))
                results = [make(samples, *arguments) for make, *arguments in makes[model]]
                made[model] = Made(first, results)
    return made


def _join_each(
    joins: Mapping[Any, Sequence[Callable[..., Any]]], chunks: list[dict[Any, Made]]
) -> dict[Any, Made]:
    """Join what was made of each model or segment, which not all chunks need to have."""
    return {
        key: _join_made(of_key, [made[key] for made in chunks if key in made])
        for key, of_key in joins.items()
    }


def _join_made(joins: Sequence[Callable[..., Any]], chunks: Sequence[Made]) -> Made:
    """Join what the same jobs made of several chunks."""
    of_jobs = zip(*(made.results for made in chunks), strict=True)
    results = [join(list(of_job)) for join, of_job in zip(joins, of_jobs, strict=True)]
    return Made(_join_firsts([made.first for made in chunks]), results)


def _join_firsts(chunks: Sequence[First]) -> First:
    return First(
        join_seen([first.seen for first in chunks]),
        found=sum(first.found for first in chunks),
        size=sum(first.size for first in chunks),
        checksum=sum(first.checksum for first in chunks),
    )


def join_seen(chunks: Sequence[Seen]) -> Seen:
    seen = reduce(Seen.join, chunks)
    check_together(seen)
    return seen


# --- segments -------------------------------------------------------------------------------------


class Split(NamedTuple):
    """What a pass makes of all samples, and of those of each segment."""

    whole: Made
    segments: dict[Any, Made]
    n_unknown: int  # samples of which it isn't known to which segments they belong
    may_overlap: bool


def run_segments(task: Callable[[], Task[T]], inputs: Inputs) -> tuple[T, dict[Any, T], Split]:
    """Run a task of a single pass on all samples of an engine, and on those of each segment.

    Return the result for all samples, that for each segment, and what the pass made for them.
    """
    engine = inputs.chunks.for_request(inputs.positive, inputs.n_positives)
    jobs = next(task())
    are_masks = isinstance(inputs.column_names.get("by"), Mapping)
    makes, joins = [*map(_making, jobs.values())], [job.join for job in jobs.values()]
    make = partial(_make_split, positive=inputs.positive, makes=makes)
    with warning_once():
        split = engine.over_chunks(make, partial(_join_splits, joins, are_masks))

        def end(made: Made) -> T:
            first = made.first._replace(seen=split.whole.first.seen)  # also in segments
            return _end_of(task(), (first, dict(zip(jobs, made.results, strict=True))))

        result = end(split.whole)
        segments = {name: end(made) for name, made in split.segments.items()}
    return result, segments, split


def _end_of(task: Task[T], results: Results) -> T:
    """Return what a task makes of the results of its only pass."""
    next(task)
    try:
        task.send(results)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise AssertionError("a task of segments has one pass")


def _make_split(chunk: Chunk, positive: PositiveClass, makes: Sequence[Making]) -> Split:
    """Make what jobs need of a chunk with one model: of all samples, and of each segment's.

    A segment without samples here is made, too. Joining knows only the segments of chunks, so a
    mask that never holds would be missing from the result, and from the adjustment of intervals.
    """
    ((_, (samples, seen)),) = of_models(chunk, positive)
    by = chunk[-1]
    names, places_of_segments, is_known = read_in_chunk(by, samples)

    def made_of(samples: Rankings) -> Made:
        results = [make(samples, *arguments) for make, *arguments in makes]
        return Made(first_of(seen, samples), results)

    segments = {
        name: made_of(samples_at(samples, places))
        for name, places in zip(names, places_of_segments, strict=True)
    }
    n_unknown = int(np.count_nonzero(~is_known))
    return Split(made_of(samples), segments, n_unknown, overlap(places_of_segments))


def _join_splits(
    joins: Sequence[Callable[..., Any]], are_masks: bool, chunks: Sequence[Split]
) -> Split:
    """Join what was made of several chunks, not all of which have samples of each segment."""
    names = dict.fromkeys(name for split in chunks for name in split.segments)
    if not are_masks:
        check_few_segments(names)
    segments = _join_each(dict.fromkeys(names, joins), [split.segments for split in chunks])
    return Split(
        _join_made(joins, [split.whole for split in chunks]),
        segments,
        n_unknown=sum(split.n_unknown for split in chunks),
        may_overlap=any(split.may_overlap for split in chunks),
    )


def samples_at(samples: Rankings, places: Array) -> Rankings:
    """Return the samples at some places, with the groups that they belong to."""
    samples = samples.take(places)
    if samples.group is None:
        return samples
    present, group = number_groups(samples.group)
    return replace(samples, group=group, names=np.asarray(samples.names)[present])


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
                ranking = first = rankings_of([y_true, scores, weight, groups], positive)
            else:  # the same labels, weights and groups
                ranking = read_beside(*first, scores, positive)
        yield model, ranking


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
