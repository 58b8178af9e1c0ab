"""What passes find: positives, quantiles, bins, squares of weights, and sums of groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._words.arrays import as_list
from ..core import tallies
from ..core.cutoff import ENOUGH, Cut
from ..core.keys import sort_with_order
from ..core.operating_points import by_group
from ..core.rankings import Rankings
from ..core.tallies import NOTHING, Stretches, Tally, number_among
from ..core.within import Array, is_first, running_sum
from .grouped import groups_of, join_names
from .passes import marks_of

_SLICES = 2**12  # a bin has about one out of so many samples, unless they are tied

# --- scores ---------------------------------------------------------------------------------------


def find_positives(samples: Rankings, every: bool = False) -> Array:
    """Find the scores of the positives, or of `every` sample."""
    return tallies.distinct(samples.scores if every else samples.scores[samples.labels])


def distinct_scores(scores: list[Array]) -> Array:
    held = [some for some in scores if some.size] or [np.zeros(0)]
    return tallies.distinct(tallies.in_one_dtype(held))


def slice_scores(samples: Rankings) -> Tally:
    """Return quantiles of all samples, which are counted as positives."""
    every = np.ones(samples.labels.size, dtype=bool)
    return (
        tallies.quantiles(tallies.tally_scores(every, samples.scores), _SLICES)
        if every.size
        else NOTHING
    )


def join_slices(parts: list[Tally]) -> Tally:
    return tallies.quantiles(tallies.merge(parts), _SLICES)


def weigh(samples: Rankings) -> tuple[float, ...]:
    """Return the weights of the lightest and the heaviest positive."""
    if samples.weight is None:
        return ()
    weight = samples.weight[samples.labels]
    return (weight.min().item(), weight.max().item()) if weight.size else ()


def extremes(parts: list[tuple[float, ...]]) -> tuple[float, ...]:
    each = [weight for part in parts for weight in part]
    return (min(each), max(each)) if each else ()


# --- bins -----------------------------------------------------------------------------------------


Bins = tuple[Tally, Stretches]  # with the same numbers


def count_among(samples: Rankings, grid: Array) -> Bins:
    counts = tallies.tally_among(samples.labels, samples.scores, samples.weight, grid)
    return counts, Stretches.of(samples.scores, grid)


def join_bins(parts: list[Bins]) -> Bins:
    counts, ends = zip(*parts, strict=True)
    return tallies.merge(counts), Stretches.join(ends)


def bins_of(samples: Rankings) -> Tally:
    """Count all samples of one ranking at the scores of its positives and between them."""
    return with_ends(*count_among(samples, find_positives(samples)))


def with_ends(counts: Tally, ends: Stretches) -> Tally:
    """Replace the numbers of bins by their lowest and highest scores."""
    return replace(counts, low=ends.low, high=ends.high)


def count_inside(samples: Rankings, ends: Array) -> Tally:
    """Count at the scores in some bins, whose ends follow one another."""
    inside = np.flatnonzero(tallies.number_among(samples.scores, ends) % 4)
    if not inside.size:
        return NOTHING
    some = samples.take(inside)
    return tallies.tally_scores(some.labels, some.scores, some.weight)


# --- groups ---------------------------------------------------------------------------------------


Amounts = tuple[Array, Array]  # the names of groups, and a number for each


def found_in_groups(samples: Rankings) -> Amounts:
    weight = 1 if samples.weight is None else samples.weight
    return sums_by_group(samples, samples.labels * weight)


def flagged_in_groups(samples: Rankings, threshold: Array) -> Amounts:
    """Count the samples of each group whose prediction score is at least the threshold."""
    return sums_by_group(samples, are_flagged(samples.scores, threshold).astype(np.int64))


def flagged_weight_in_groups(samples: Rankings, threshold: Array) -> Amounts:
    return sums_by_group(samples, are_flagged(samples.scores, threshold) * samples.weight)


def marks_of_groups(samples: Rankings) -> Amounts:
    return sums_by_group(samples, marks_of(samples))


def are_flagged(scores: Array, threshold: Array) -> Array:
    """Whether scores of any dtype are at least the threshold, exactly."""
    return number_among(scores, threshold) >= 1


def by_name(names: Array, numbers: Array) -> dict[Any, Any]:
    """Return the number of each group, in the order of their names if these can be ordered."""
    found: dict[Any, Any] = dict(zip(as_list(names), numbers.tolist(), strict=True))
    try:
        return {name: found[name] for name in sorted(found)}
    except TypeError:
        return found


def sums_by_group(samples: Rankings, amounts: Array) -> Amounts:
    """Sum the amounts in each group, and return the names of the groups and the sums."""
    names, group = groups_of(samples)
    values = np.zeros(len(names), dtype=amounts.dtype)
    np.add.at(values, group, amounts)
    return names, values


def join_amounts(parts: list[Amounts]) -> Amounts:
    names, numbers = join_names([own for own, _ in parts])
    amounts = np.zeros(len(names), dtype=np.result_type(*(each for _, each in parts)))
    for (_, each), number in zip(parts, numbers, strict=True):
        amounts[number] += each
    return names, amounts


class Tops(NamedTuple):
    """The highest scores of each group, down to the one at which more than k samples are above."""

    names: Array
    group: Array  # the group number of each score
    scores: Array  # highest first within groups
    mass: Array

    def as_rankings(self) -> Rankings:
        labels = np.zeros(self.scores.size, dtype=bool)
        return Rankings(labels, self.scores, self.mass, "macro", group=self.group, names=self.names)


def find_tops(samples: Rankings, depth: Cut) -> Tops:
    names, group = groups_of(samples)
    mass = samples.weight
    if mass is None or depth.by_rows:
        mass = np.ones(samples.scores.size, dtype=np.int64)
    return _cut(Tops(names, group, samples.scores, mass), depth)


def join_tops(depth: Cut, parts: list[Tops]) -> Tops:
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
    order, offsets = by_group(order, tops.group[order], len(tops.names))
    group, scores, mass = (column[order] for column in tops[1:])
    first = is_first(group) | is_first(scores)
    start = np.flatnonzero(first)
    group, scores, mass = group[start], scores[start], np.add.reduceat(mass, start)
    offsets = np.searchsorted(start, offsets)
    above = running_sum(mass, offsets) - mass
    kept = np.flatnonzero(above <= depth.k * ENOUGH)
    return Tops(tops.names, group[kept], scores[kept], mass[kept])
