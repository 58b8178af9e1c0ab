"""Passes over data in chunks, each of which does the jobs of several tasks.

A task yields the jobs of one pass after the other. A job makes something of the samples of each
chunk, and joins what it made of several. The tasks don't know what runs them: that is an engine, or
for samples in memory, a single chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial, reduce
from math import isclose
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._read.rankings import Seen, check_together, read_beside, read_chunk
from .._words.engine import Chunk, Engine, refuse_changed
from .._words.inputs import Inputs, PositiveClass
from .._words.messages import noting_model, warning_once
from ..core.rankings import Rankings
from ..core.within import Array

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


def run_on(task: Task[T], samples: Rankings, seen: Seen) -> T:
    """Run a task on samples in memory, which are a single chunk."""
    first, jobs = first_of(seen, samples), next(task)
    while True:
        found = {name: job.make(samples, *job.arguments) for name, job in jobs.items()}
        try:
            jobs = task.send((first, found))
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


Parts = dict[Any, tuple[First, list[Any]]]  # by model


def _make_each(
    chunk: Chunk, positive: PositiveClass, makes: Mapping[Any, Sequence[tuple[Any, ...]]]
) -> Parts:
    made: Parts = {}
    for model, (samples, seen) in of_models(chunk, positive):
        own = makes.get(model, ())
        if own:
            with noting_model(model):
                first = first_of(seen, samples)._replace(checksum=checksum_of(samples))
                made[model] = first, [make(samples, *given) for make, *given in own]
    return made


def _join_each(joins: Mapping[Any, Sequence[Callable[..., Any]]], parts: list[Parts]) -> Parts:
    joined: Parts = {}
    for model, own in joins.items():
        counts, made = zip(*(part[model] for part in parts), strict=True)
        each = zip(own, zip(*made, strict=True), strict=True)
        joined[model] = _join_firsts(counts), [join(list(some)) for join, some in each]
    return joined


def _join_firsts(parts: Sequence[First]) -> First:
    seen, *numbers = zip(*parts, strict=True)
    return First(join_seen(seen), *map(sum, numbers))


def join_seen(parts: Sequence[Seen]) -> Seen:
    seen = reduce(Seen.join, parts)
    check_together(seen)
    return seen


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


def checksum_of(samples: Rankings) -> int:
    return int(marks_of(samples).sum(dtype=np.uint64))


def marks_of(samples: Rankings) -> Array:
    """Return a number for the label, score and weight of each sample.

    Sums of these tell whether the samples are the same, in any order and in any chunks.
    """
    marks = (samples.scores.astype(np.float64) + 0.0).view(np.uint64)  # no negative zeros
    if samples.weight is not None:
        marks = _mixed(marks) + samples.weight.astype(np.float64).view(np.uint64)
    np.add(marks, _ODD, out=marks, where=samples.labels)
    return _mixed(marks)


def _mixed(bits: Array) -> Array:
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
    check_same_data(np.array((before.checksum - after.checksum) % 2**64 != 0))


def check_few_enough(distinct: int, most: int | None, instead: str) -> None:
    if most is not None and distinct > most:
        raise ValueError(
            f"The positives have more than {most:,} distinct prediction scores, which are too many "
            f"to send to every worker. Use {instead}."
        )


def check_same_data(strange: Array) -> None:
    if strange.any():
        refuse_changed("different prediction scores")
