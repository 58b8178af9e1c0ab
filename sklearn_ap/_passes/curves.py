"""The passes over chunks for the curves of one ranking or of groups, and for a threshold."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from .._finish import name_rankings
from .._inputs import Chunk, Inputs
from .._intake import to_decimals
from .._validation.errors import warning_once
from .._validation.samples import check_found, listed
from .._validation.seen import Seen, check_counted, check_seen
from .._validation.tables import check_reads_again
from ..core.operating_points import OperatingPoints
from ..core.promises import Squares, Units
from ..core.rankings import Rankings
from ..core.rules import Step
from ..core.segments import Array
from ..core.tallies import Tally, merge, number_among, tally
from . import ranking
from .groups import all_in_order, groups_of, join_names
from .ranking import Counts

Draw = Callable[..., Any]  # of points, their prediction scores, and which groups lack positives


def curve(inputs: Inputs, draw: Draw) -> Any:
    """Draw the curve of one ranking, or with groups, a dict of the curve of each group."""
    engine, pos_label, n_positives = ranking.asked_of(inputs)
    options = {"draw": draw, "n_positives": n_positives}
    if engine.grouped:
        rows = engine.over_chunks(ranking.read, partial(_join_rows, pos_label=pos_label), pos_label)
        return engine.give(partial(draw_groups, **options), rows)
    join = partial(ranking.join_counts, pos_label=pos_label)
    counts = engine.over_chunks(ranking.count, join, pos_label)
    return engine.give(partial(_to_curve, **options), counts)


def _to_curve(counts: Counts, draw: Draw, n_positives: Any) -> Any:
    check_counted(counts.seen)
    return draw_one(
        counts.seen, ranking.every_point(counts.tally), counts.tally.low[::-1], draw, n_positives
    )


def draw_one(
    seen: Seen, points: OperatingPoints, thresholds: Array, draw: Draw, n_positives: Any
) -> Any:
    """Draw the curve of one ranking from all of its points."""
    exist = check_seen(seen, points.n_positives.item(), Step(), n_positives)
    points = points if exist is None else _out_of(points, exist)
    return draw(points, to_decimals(thresholds, seen.scale))


def _join_rows(parts: list[tuple[Rankings, Seen]], pos_label: Any) -> tuple[Rankings, Seen]:
    seen = ranking.join_seen([seen for _, seen in parts], pos_label)
    held = [samples for samples, _ in parts if samples.scores.size] or [parts[0][0]]
    names, numbers = join_names([np.asarray(samples.names) for samples in held])
    group = [number[samples.group] for samples, number in zip(held, numbers, strict=True)]
    return replace(ranking.join_samples(held), group=np.concatenate(group), names=names), seen


def draw_groups(rows: tuple[Rankings, Seen], draw: Draw, n_positives: Any) -> dict[Any, Any]:
    """Draw the curve of each group, in sorted order. Groups without samples have no points."""
    samples, seen = rows
    check_counted(seen)
    check_seen(seen, 0, Step(), n_positives, by_group=True)
    present, group = groups_of(samples)
    n_present = len(present)
    names, order, _, exist = all_in_order(present, n_positives, seen.weighted)
    in_groups = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=n_present))[:n_present]
    places = [*np.split(in_groups, ends)[:n_present], *[in_groups[:0]] * (len(names) - n_present)]
    curves = [samples.take(places[number]).curve() for number in order]
    found = np.array([points.n_positives.item() for points, _ in curves])
    if exist is not None:
        check_found(exist, found, seen.weighted, names)
        curves = [(_out_of(one, each), s) for (one, s), each in zip(curves, exist, strict=True)]
    lacking = name_rankings((found if exist is None else exist) == 0, names)
    with warning_once():
        return {
            name: draw(points, to_decimals(scores, seen.scale), lacking)
            for name, (points, scores) in zip(names, curves, strict=True)
        }


def _out_of(points: OperatingPoints, exist: Array) -> OperatingPoints:
    """Set the number of existing positives, which rounded weights can slightly exceed."""
    return points.out_of(np.maximum(exist, points.cum_positives.max(initial=0)))


# --- thresholds ----------------------------------------------------------------------------------


class Sums(NamedTuple):
    """A sum for each group, such as its positives or its flagged samples."""

    names: Array
    values: Array

    def as_dict(self) -> dict[Any, Any]:
        return dict(zip(listed(self.names), self.values.tolist(), strict=True))


class State(NamedTuple):
    """Everything from which a threshold is chosen."""

    points: OperatingPoints
    in_rows: OperatingPoints  # the same points, with each sample counted once
    scores: Array
    seen: Seen
    found: Sums | None  # the positives of each group; None if there are no groups
    units: Squares | Units | None = None  # None if each sample is a sampling unit of weight 1
    limits: Array | None = None  # the scores at which groups exceed a budget


def threshold(
    inputs: Inputs, choose: Callable[..., Any], describe: Callable[..., Any], squared: bool
) -> Any:
    """Call `choose` with the state of one ranking, which has squares of weights if `squared`.

    It returns its choice with an array that contains the threshold. With groups, a second pass
    counts the flagged samples of each group, and `describe` gets the choice and the counts.
    """
    engine, pos_label, n_positives = ranking.asked_of(inputs)
    if engine.grouped:
        check_reads_again(engine.reads_again, "The numbers of flagged samples per group need")
    join = partial(_join_counts, pos_label=pos_label)
    counts = engine.over_chunks(_count, join, pos_label, squared)
    options = {"choose": choose, "n_positives": n_positives}
    if not engine.grouped:
        return engine.give(partial(_to_point, **options), counts)
    chosen = engine.give(partial(_to_choice, **options), counts)
    lowest = engine.call(itemgetter(1), chosen)
    flagged = engine.over_chunks(_count_flagged, _join_sums, pos_label, lowest)
    return engine.give(partial(_describe, describe), engine.call(_pair, chosen, flagged))


class _Counts(NamedTuple):
    """Counts by weight, the counts at the same scores by other weights, and those in groups."""

    by_weight: Counts
    others: list[Tally]  # with each sample counted once, and by squared weight if asked for
    found: Sums | None  # the positives of each group; None if there are no groups


def _count(chunk: Chunk, pos_label: Any, squared: bool) -> _Counts:
    samples, seen = ranking.read(chunk, pos_label)
    labels, scores, weight = samples.labels, samples.scores, samples.weight
    others = [tally(labels, scores)] if seen.weighted else []
    if squared and seen.weighted:
        squares = None if weight is None else weight.astype(float) ** 2  # None if it is empty
        others.append(tally(labels, scores, squares))
    by_weight = ranking.of_all(seen, tally(labels, scores, weight))
    return _Counts(by_weight, others, positives_of_groups(samples))


def _join_counts(parts: list[_Counts], pos_label: Any) -> _Counts:
    by_weight = ranking.join_counts([part.by_weight for part in parts], pos_label)
    others = zip(*(part.others for part in parts), strict=True)
    found = [part.found for part in parts if part.found is not None]
    return _Counts(by_weight, list(map(merge, others)), _join_sums(found) if found else None)


def _to_choice(counts: _Counts, choose: Callable[..., Any], n_positives: Any) -> Any:
    (seen, by_weight, *_), others, found = counts
    check_counted(seen)
    points, *rest = map(ranking.every_point, [by_weight, *others])
    in_rows = rest[0] if rest else points
    units = Squares.of_points(points, rest[1]) if len(rest) > 1 else None
    state = State(points, in_rows, by_weight.low[::-1], seen, found, units)
    return choose(state, n_positives=n_positives)


def _to_point(counts: _Counts, choose: Callable[..., Any], n_positives: Any) -> Any:
    return _to_choice(counts, choose, n_positives)[0]


def positives_of_groups(samples: Rankings) -> Sums | None:
    """Sum the positives of each group, if there are groups."""
    if samples.group is None:
        return None
    weight = 1 if samples.weight is None else samples.weight
    return _sum(*groups_of(samples), samples.labels * weight)


def flagged_in_groups(samples: Rankings, threshold: Array) -> Sums:
    """Count the samples of each group whose prediction score is at least the threshold."""
    flagged = are_flagged(samples.scores, threshold)
    return _sum(*groups_of(samples), flagged.astype(np.int64))


def are_flagged(scores: Array, threshold: Array) -> Array:
    """Whether scores of any dtype are at least the threshold, exactly."""
    return number_among(scores, threshold) >= 2


def _count_flagged(chunk: Chunk, pos_label: Any, threshold: Array) -> Sums:
    samples, _ = ranking.read(chunk, pos_label)
    return flagged_in_groups(samples, threshold)


def _pair(chosen: Any, flagged: Sums) -> tuple[Any, Sums]:
    return chosen[0], flagged


def _describe(describe: Callable[..., Any], pair: tuple[Any, Sums]) -> Any:
    choice, flagged = pair
    ranking.check_same_rows((choice.n_flagged, flagged.values.sum().item()), [])
    return describe(choice, flagged)


def _sum(names: Array, group: Array, amounts: Array) -> Sums:
    values = np.zeros(len(names), dtype=amounts.dtype)
    np.add.at(values, group, amounts)
    return Sums(names, values)


def _join_sums(parts: list[Sums]) -> Sums:
    names, numbers = join_names([part.names for part in parts])
    return _sum(names, np.concatenate(numbers), np.concatenate([part.values for part in parts]))
