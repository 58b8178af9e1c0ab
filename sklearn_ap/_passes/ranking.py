"""The passes over the chunks of one ranking, and what its value, bounds and curve are made of."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from math import isclose
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .._finish import finish, finish_bounds
from .._inputs import Chunk, Engine, Inputs
from .._validation.labels import positive_class
from .._validation.rankings import Seen, check_seen, check_together, read_chunk
from ..core import tallies
from ..core.cutoff import Cut, needs_every_point
from ..core.operating_points import OperatingPoints
from ..core.rankings import Queries, Rankings
from ..core.rules import Rule
from ..core.segments import Array
from ..core.tallies import NOTHING, Bounds, Tally

_FINE = 16  # the number of quantiles to keep for each one that is needed

# Advice if there are too many scores to send to workers.
_BOUNDS = "metric_bounds, which returns guaranteed lower and upper bounds"


def count_ranking(engine: Engine, rule: Rule, pos_label: Any) -> Any:
    depth = rule.depth
    if engine.reads_again and (depth is None or depth.is_share):
        return two_passes(engine, pos_label, every=needs_every_point(depth, engine.weighted))
    return engine.over_chunks(count, partial(join_counts, depth=depth), pos_label, depth)


def two_passes(
    engine: Engine, pos_label: Any, n_bins: int | None = None, every: bool = False
) -> Any:
    join = partial(join_positives, n_bins=n_bins)
    positives = engine.over_chunks(find_positives, join, pos_label, n_bins, every)
    grid = make_grid(positives, n_bins, every, engine.most)
    counts = engine.over_chunks(count_among, join_counts, pos_label, grid, n_bins)
    return check_passes(counts, grid)


# --- counts --------------------------------------------------------------------------------------


class Counts(NamedTuple):
    """Summary of chunks of one ranking."""

    seen: Seen
    tally: Tally
    found: float  # all positives, whether they are in the tally or not
    size: float  # all samples


def without_tally(seen: Seen, samples: Rankings) -> Counts:
    labels, weight = samples.labels, samples.weight
    if weight is None:
        return Counts(seen, NOTHING, int(np.count_nonzero(labels)), labels.size)
    return Counts(seen, NOTHING, weight[labels].sum().item(), weight.sum().item())


def asked_of(inputs: Inputs) -> tuple[Engine, Any, Any]:
    """Return the engine, the positive class, and n_positives with the groups of the chunks."""
    pos_label = positive_class(inputs.pos_label, inputs.min_grade)
    engine, n_positives = inputs.data.asked(pos_label, inputs.n_positives)
    return engine, pos_label, n_positives


def read(chunk: Chunk, pos_label: Any) -> tuple[Rankings, Seen]:
    y_true, y_score, weight, groups = chunk
    return read_chunk(y_true, y_score, pos_label=pos_label, sample_weight=weight, groups=groups)


def join_samples(parts: list[Rankings]) -> Rankings:
    """Put samples of several chunks together, without their groups."""
    weights = [samples.weight for samples in parts if samples.weight is not None]
    return Rankings(
        np.concatenate([samples.labels for samples in parts]),
        tallies.in_one_dtype([samples.scores for samples in parts]),
        np.concatenate(weights) if weights else None,
        "binary",
    )


def count(chunk: Chunk, pos_label: Any, depth: Cut | None = None) -> Counts:
    """Count samples at their scores, at least at those that the top k samples can have."""
    samples, seen = read(chunk, pos_label)
    counts = of_all(seen, tallies.tally(samples.labels, samples.scores, samples.weight))
    return counts._replace(tally=counts.tally.best(depth))


def of_all(seen: Seen, counts: Tally) -> Counts:
    found = counts.positives.sum()
    return Counts(seen, counts, found.item(), (found + counts.negatives.sum()).item())


def join_counts(parts: list[Counts], depth: Cut | None = None) -> Counts:
    seen = join_seen([part.seen for part in parts])
    found, size = sum(part.found for part in parts), sum(part.size for part in parts)
    merged = tallies.merge([part.tally for part in parts])
    return Counts(seen, merged.best(depth), found, size)


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


def find_positives(chunk: Chunk, pos_label: Any, n_bins: int | None, every: bool) -> Counts:
    """Find the scores of the positives or of every sample, or with n_bins, quantiles of them."""
    samples, seen = read(chunk, pos_label)
    positives = samples if every else samples.take(np.flatnonzero(samples.labels))
    if n_bins is None:
        return without_tally(seen, samples)._replace(tally=_distinct([positives.scores]))
    counts = tallies.tally(positives.labels, positives.scores, positives.weight)
    return without_tally(seen, samples)._replace(tally=tallies.quantiles(counts, _FINE * n_bins))


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
    positives: Counts, n_bins: int | None, every: bool = False, most: int | None = None
) -> Grid:
    """Choose the scores at and between which samples are counted.

    At most 1/n_bins of the positives are between two neighbors: half of that because of the masses
    of the quantiles, and 1/_FINE of it for each time that quantiles were joined.
    """
    first = positives._replace(tally=NOTHING)
    if n_bins is not None:
        return Grid(tallies.quantiles(positives.tally, 2 * n_bins).low, every, first)
    check_few_enough(positives.tally.size, most, _BOUNDS)
    return Grid(positives.tally.low, every, first)


def count_among(chunk: Chunk, pos_label: Any, grid: Grid, n_bins: int | None) -> Counts:
    """Count samples at the scores of the grid and between them."""
    samples, seen = read(chunk, pos_label)
    counts = tallies.tally_among(samples.labels, samples.scores, samples.weight, grid.scores)
    counted = of_all(seen, counts)
    return check_places(counted, grid.every) if n_bins is None else counted


def check_places(counts: Counts, every: bool) -> Counts:
    between = counts.tally.low % 3 == 0
    check_same_data(between if every else counts.tally.positives[between])
    return counts


def check_passes(counts: Counts, grid: Any) -> Counts:
    """Check that the second pass saw as much as the first one."""
    check_same_rows(
        (grid.first.seen.n_samples, counts.seen.n_samples),
        [(grid.first.found, counts.found), (grid.first.size, counts.size)],
    )
    return counts


# --- from counts to values -----------------------------------------------------------------------


class Asked(NamedTuple):
    """What is evaluated, and how, which workers have to know."""

    rule: Rule
    pos_label: Any
    zero_division: float | str
    n_positives: Any = None
    average: str | None = "macro"


def to_score(counts: Counts, asked: Asked) -> float:
    rule = asked.rule
    exist = check_seen(counts.seen, counts.found, rule, asked.n_positives)
    points = counts.tally.points(rule.depth).out_of(counts.found if exist is None else exist)
    if rule.depth is not None and not rule.depth.is_share:
        points = replace(points, n_samples=np.array([counts.size]))
    queries = _one_query(counts.seen)
    return float(finish(rule, points, queries, asked.zero_division))


def to_bounds(counts: Counts, asked: Asked) -> Bounds:
    return bounds_of(counts._replace(tally=tallies.mix_gaps(counts.tally)), asked)


def bounds_of(counts: Counts, asked: Asked) -> Bounds:
    exist = check_seen(counts.seen, counts.found, asked.rule, asked.n_positives)
    queries = _one_query(counts.seen)
    return finish_bounds(asked.rule, counts.tally, queries, asked.zero_division, exist)


def every_point(tally: Tally) -> OperatingPoints:
    """Return all points, highest score first, including those without positives."""
    positives, negatives = tally.positives[::-1], tally.negatives[::-1]
    return tallies.from_counts(positives, negatives, rows=tally.in_rows()[::-1])


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
        _refuse_changed("different prediction scores")


def check_same_rows(rows: tuple[int, int], masses: Sequence[tuple[float, float]]) -> None:
    """Check that two passes saw as many rows, and the same masses but for rounding."""
    first, second = rows
    same = all(isclose(before, after, rel_tol=1e-9) for before, after in masses)
    if first != second or not same:
        _refuse_changed(
            f"{second:,} rows instead of {first:,}" if first != second else "other rows"
        )


def _refuse_changed(what: str) -> NoReturn:
    raise RuntimeError(
        f"The chunks contained {what} when they were read a second time. Persist them, use a fixed "
        "seed where they are created, or make sure that nothing else changes them or uses their "
        "connection meanwhile."
    )
