"""The passes over the chunks of one ranking for its curve, and for a threshold."""

from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from .._engine import Chunk, Engine
from .._intake import to_decimals
from .._validation.collections import check_reads_again, check_same_rows
from .._validation.seen import Seen, check_counted
from ..core.operating_points import OperatingPoints
from ..core.rankings import Rankings
from ..core.segments import Array
from ..core.tallies import Tally, merge, number_among, tally
from .groups import distinct_in, put_in_one
from .ranking import Counts, count, every_point, join_counts, read


def curve(engine: Engine, draw: Callable[..., Any], pos_label: Any) -> Any:
    """Call `draw` with every point of one ranking, and the prediction score of each."""
    engine, _ = engine.asked(pos_label, None)
    counts = engine.over_chunks(count, partial(join_counts, pos_label=pos_label), pos_label)
    return engine.give(partial(_to_curve, draw=draw), counts)


def _to_curve(counts: Counts, draw: Callable[..., Any]) -> Any:
    check_counted(counts.seen)
    scores = to_decimals(counts.tally.low[::-1], counts.seen.scale)
    return draw(every_point(counts.tally), scores)


# --- thresholds ----------------------------------------------------------------------------------


class Sums(NamedTuple):
    """A sum for each group, such as its positives or its flagged samples."""

    names: Array
    values: Array


class State(NamedTuple):
    """Everything from which a threshold is chosen."""

    points: OperatingPoints
    in_rows: OperatingPoints  # the same points, with each sample counted once
    scores: Array
    seen: Seen
    found: Sums | None  # the positives of each group; None if there are no groups


def threshold(
    engine: Engine,
    choose: Callable[..., Any],
    describe: Callable[..., Any],
    pos_label: Any,
    n_positives: Any,
) -> Any:
    """Call `choose` with the state of one ranking.

    It returns its choice with an array that contains the threshold. With groups, a second pass
    counts the flagged samples of each group, and `describe` gets the choice and the counts.
    """
    if engine.grouped:
        check_reads_again(engine.reads_again, "The numbers of flagged samples per group need")
    engine, n_positives = engine.asked(pos_label, n_positives)
    join = partial(_join_counts, pos_label=pos_label)
    counts = engine.over_chunks(_count, join, pos_label)
    options = {"choose": choose, "n_positives": n_positives}
    if not engine.grouped:
        return engine.give(partial(_to_point, **options), counts)
    chosen = engine.give(partial(_to_choice, **options), counts)
    lowest = engine.call(itemgetter(1), chosen)
    flagged = engine.over_chunks(_count_flagged, _join_sums, pos_label, lowest)
    return engine.give(partial(_describe, describe), engine.call(_pair, chosen, flagged))


class _Counts(NamedTuple):
    """Counts by weight, with each sample counted once, and of the positives in groups."""

    by_weight: Counts
    in_rows: Tally | None  # None if there are no weights
    found: Sums | None  # None if there are no groups


def _count(chunk: Chunk, pos_label: Any) -> _Counts:
    samples, seen = read(chunk, pos_label)
    counts = tally(samples.labels, samples.scores, samples.weight)
    in_rows = tally(samples.labels, samples.scores) if seen.weighted else None
    by_weight = Counts(seen, counts, counts.positives.sum().item())
    return _Counts(by_weight, in_rows, positives_of_groups(samples))


def _join_counts(parts: list[_Counts], pos_label: Any) -> _Counts:
    weighted = [part.in_rows for part in parts if part.in_rows is not None]
    grouped = [part.found for part in parts if part.found is not None]
    return _Counts(
        join_counts([part.by_weight for part in parts], pos_label),
        merge(weighted) if weighted else None,
        _join_sums(grouped) if grouped else None,
    )


def _to_choice(counts: _Counts, choose: Callable[..., Any], n_positives: Any) -> Any:
    (seen, by_weight, *_), in_rows, found = counts
    check_counted(seen)
    points = every_point(by_weight)
    each_once = points if in_rows is None else every_point(in_rows)
    state = State(points, each_once, by_weight.low[::-1], seen, found)
    return choose(state, n_positives=n_positives)


def _to_point(counts: _Counts, choose: Callable[..., Any], n_positives: Any) -> Any:
    return _to_choice(counts, choose, n_positives)[0]


def positives_of_groups(samples: Rankings) -> Sums | None:
    """Sum the positives of each group, if there are groups."""
    if samples.group is None:
        return None
    weight = 1 if samples.weight is None else samples.weight
    return _sum(samples.group, samples.labels * weight)


def flagged_in_groups(samples: Rankings, threshold: Array) -> Sums:
    """Count the samples of each group whose prediction score is at least the threshold."""
    flagged = number_among(samples.scores, threshold) >= 2  # exact for scores of any dtype
    return _sum(samples.group, flagged.astype(np.int64))


def _count_flagged(chunk: Chunk, pos_label: Any, threshold: Array) -> Sums:
    samples, _ = read(chunk, pos_label)
    return flagged_in_groups(samples, threshold)


def _pair(chosen: Any, flagged: Sums) -> tuple[Any, Sums]:
    return chosen[0], flagged


def _describe(describe: Callable[..., Any], pair: tuple[Any, Sums]) -> Any:
    choice, flagged = pair
    check_same_rows((choice.n_flagged, flagged.values.sum().item()), [])
    return describe(choice, flagged.values)


def _sum(groups: Any, amounts: Array) -> Sums:
    names, group = distinct_in(groups)
    values = np.zeros(len(names), dtype=amounts.dtype)
    np.add.at(values, group, amounts)
    return Sums(names, values)


def _join_sums(parts: list[Sums]) -> Sums:
    names = put_in_one([part.names for part in parts])
    return _sum(names, np.concatenate([part.values for part in parts]))
