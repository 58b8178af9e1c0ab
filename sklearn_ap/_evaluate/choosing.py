"""Choose a threshold: from rows in memory, the counts of a stream, or passes over chunks.

Each of them leads to the candidates, the points in which a threshold can end, from which the same
functions choose. In passes, the first one finds the prediction scores of the positives, and
quantiles of all samples if the threshold may be anywhere. The second one counts the samples at
these scores and between them. Each of these bins ends in a candidate. If the threshold may be
within a bin, a third pass counts the scores in that one. With groups, the last pass counts how many
samples of each group are flagged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .._read.validation import Seen, check_counted, check_groups_at, check_seen
from .._words.engine import Engine, NeedsRowsError, refuse_changed
from .._words.errors import NotReachableError
from .._words.inputs import Inputs, NPositives
from .._words.messages import warn_of_own_groups
from ..core import promises, tallies
from ..core.cutoff import Cut
from ..core.keys import sort_with_order
from ..core.rankings import Rankings
from ..core.rules import Step
from ..core.tallies import NOTHING, Tally
from ..core.within import Array, is_first
from .checks import existing, read_new_rows
from .grouped import join_names
from .jobs import (
    Amounts,
    by_name,
    count_among,
    count_inside,
    distinct_scores,
    extremes,
    find_positives,
    find_tops,
    flagged_in_groups,
    found_in_groups,
    join_amounts,
    join_bins,
    join_slices,
    join_tops,
    marks_of_groups,
    slice_scores,
    weigh,
    with_ends,
)
from .passes import Job, Jobs, Task, by_model, check_few_enough, first_of, run_models
from .point import Chosen, chosen_from
from .targets import Candidates, Targets, choose, limits_of_groups, out_of, threshold_at

# Advice if there are too many scores to send to workers.
_ONE_MACHINE = "data on one machine, such as Parquet files, as data=pathlib.Path('scores')"

# In the same bins, the sums of squared weights, of logarithms of weights, and of squares of these.
SquareTallies = list[Tally]


def choose_in_memory(request: Targets, inputs: Inputs) -> Chosen:
    """Choose a threshold for the scores of one model, or measure the one that it has."""
    request = request.of_model(inputs.model)
    samples, seen, n_positives, cluster = read_new_rows(inputs)
    first = first_of(seen, samples)
    found_in = None if samples.group is None else found_in_groups(samples)
    exist, n_groups = existing(first, n_positives, found_in)
    check_groups_at(request.depth, samples)

    points, thresholds = samples.curve()
    in_rows = replace(samples, weight=None).curve()[0] if seen.weighted else points
    points = out_of(exist, points)
    units = None
    if request.promise and (seen.weighted or cluster is not None):
        units = promises.SquaredMasses.of(samples, cluster, in_rows, thresholds)
    limits, at_top = None, None
    if request.quantile is not None and request.depth is not None:
        limits, at_top = limits_of_groups(request.depth, samples)
    state = Candidates(points, in_rows, thresholds, seen, units, limits, at_top)
    place = choose(request, state, n_groups)

    flagged = None
    if n_groups is not None:
        flagged = by_name(*flagged_in_groups(samples, threshold_at(request, state, place)))
    have_equal_weights = len({*weigh(samples)}) < 2
    source = chosen_from(request, state, first.found / first.size, have_equal_weights)
    return Chosen(state, place, n_groups, flagged, source.called(inputs))


def choose_from_counts(
    request: Targets, counts: Tally, seen: Seen, n_positives: NPositives, factor: float | None
) -> Chosen:
    """Choose a threshold from the counts at all distinct prediction scores of one ranking, whose
    negatives weigh `factor` times as much if there is a prevalence.
    """
    check_counted(seen)
    positives = counts.positives.sum()
    exist = check_seen(seen, positives.item(), Step(), n_positives)
    have_equal_weights = _positives_weigh_the_same(counts, seen)
    if factor is not None:
        counts, seen = counts.with_negatives(factor), seen._replace(weighted=True)
    state = _candidates_of(counts, exist, seen)
    positive_share = positives / (positives + counts.negatives.sum())
    place = choose(request, state, None)
    source = chosen_from(request, state, positive_share.item(), have_equal_weights)
    return Chosen(state, place, None, None, source)


def _positives_weigh_the_same(counts: Tally, seen: Seen) -> bool:
    """Whether all positives certainly weigh the same: as much as the lightest or heaviest sample.

    At each score, only the sum of the weights is known.
    """
    if counts.positive_rows is None:
        return True
    masses = (counts.positive_rows * weight for weight in seen.weights)
    return any(np.allclose(counts.positives, mass, rtol=1e-9, atol=0) for mass in masses)


# --- passes ---------------------------------------------------------------------------------------


def choose_in_passes(request: Targets, inputs: Inputs) -> dict[Any, Chosen]:
    """Choose a threshold for each model of an engine, in passes that they share."""

    def task(of_model: Inputs) -> Task[Chosen]:
        return _choosing(request.of_model(of_model.model), of_model)

    return by_model(run_models(task, inputs), inputs)


def _choosing(request: Targets, inputs: Inputs) -> Task[Chosen]:
    """Choose a threshold for one model, and yield what each pass has to find for that."""
    engine = inputs.chunks
    first, results = yield _first_jobs(request, engine)
    check_counted(first.seen)
    exist, n_groups = existing(first, inputs.n_positives, results.get("found"))
    if engine.grouped:
        names, _ = results["found"]
        warn_of_own_groups(request.depth, names, len(names), first.seen.n_samples)
    if "bins" not in results:  # the first pass counts at a threshold that the caller has
        results |= yield from _count_bins(request, engine, results)
    counts, ends = results["bins"]
    bins = with_ends(counts, ends)
    squares = [with_ends(tally, ends) for tally in results.get("squares", ())]
    if not all(np.isfinite(tally.positives + tally.negatives).all() for tally in squares):
        raise NeedsRowsError  # to scale down weights whose squares overflow
    limits, at_top = None, None
    if "tops" in results:
        of_mass = Cut(request.k, "weight")  # which the tops have, also of samples
        limits, at_top = limits_of_groups(of_mass, results["tops"].as_rankings())

    def candidates(bins: Tally, squares: SquareTallies) -> Candidates:
        units = _squared_counts(bins, squares) if squares else None
        return _candidates_of(bins, exist, first.seen, units, limits, at_top)

    state, place = yield from _narrow(request, n_groups, candidates, bins, squares)
    flagged = None
    if engine.grouped:
        flagged = yield from _count_flagged(threshold_at(request, state, place), results["marks"])
    have_equal_weights = len({*results["weights"]}) < 2
    source = chosen_from(request, state, first.found / first.size, have_equal_weights)
    return Chosen(state, place, n_groups, flagged, source.called(inputs))


def _first_jobs(request: Targets, engine: Engine) -> Jobs:
    """Return the jobs of the first pass. Those that depend on its results have to wait."""
    jobs, depth = {"weights": Job(weigh, extremes)}, request.depth
    if request.threshold is not None:
        jobs["bins"] = Job(count_among, join_bins, (_at(request.threshold),))
    elif request.shares:
        jobs["positives"] = Job(find_positives, distinct_scores)
    if request.threshold is None and _may_be_anywhere(request):
        jobs["slices"] = Job(slice_scores, join_slices)
    if engine.grouped:
        jobs["found"] = Job(found_in_groups, join_amounts)
        jobs["marks"] = Job(marks_of_groups, join_amounts)
    if depth is not None and request.quantile is not None:
        jobs["tops"] = Job(find_tops, partial(join_tops, depth), (depth,))
    return jobs


def _count_bins(request: Targets, engine: Engine, results: dict[str, Any]) -> Task[dict[str, Any]]:
    """Count samples at the scores that the first pass has found, and between them.

    `results` are those of the first pass. Return "bins", and "squares" if they are needed.
    """
    positives = results.get("positives", np.zeros(0))
    check_few_enough(positives.size, engine.most, _ONE_MACHINE)
    grid = distinct_scores([positives, results.get("slices", NOTHING).low])
    jobs = {"bins": Job(count_among, join_bins, (grid,))}
    if request.promise and engine.weighted:
        jobs["squares"] = Job(_square_among, _join_squares, (grid,))
    _, counted = yield jobs
    return counted


def _narrow(
    request: Targets,
    n_groups: int | None,
    candidates: Callable[[Tally, SquareTallies], Candidates],
    bins: Tally,
    squares: SquareTallies,
) -> Task[tuple[Candidates, int]]:
    """Choose a candidate, and count inside of bins until it can't be within one.

    `squares` have the same bins, or are empty.
    """
    while True:
        state, place, refusal = candidates(bins, squares), -1, None
        try:
            place = choose(request, state, n_groups)
        except NotReachableError as error:
            refusal = error
        undecided = _undecided(request, state, place, n_groups, refusal is not None)
        inner = undecided[bins.mixed[undecided]]
        if not inner.size:
            break
        ends = np.stack([bins.low[inner], bins.high[inner]], axis=1).ravel()
        jobs = {"bins": Job(count_inside, tallies.merge, (ends,))}
        if squares:
            jobs["squares"] = Job(_square_inside, _join_squares, (ends,))
        _, inside = yield jobs
        bins = _opened(bins, inner, inside["bins"])
        pairs = zip(squares, inside.get("squares", ()), strict=True)
        squares = [_opened(tally, inner, tally_inside) for tally, tally_inside in pairs]
    if refusal is not None:
        raise refusal
    return state, place


def _count_flagged(threshold: Array, marks: Amounts) -> Task[dict[Any, int]]:
    """Count the flagged samples of each group, which have to be those with these marks."""
    jobs = {"flagged": Job(flagged_in_groups, join_amounts, (threshold,))}
    jobs["marks"] = Job(marks_of_groups, join_amounts)
    _, counted = yield jobs
    _check_same_groups(marks, counted["marks"])
    return by_name(*counted["flagged"])


def _at(threshold: Any) -> Array:
    """Return the threshold, and what arrays of narrow floats round it to, as a grid of scores."""
    exact = np.array([threshold])
    if exact.dtype != np.float64:
        return exact
    with np.errstate(over="ignore"):
        narrow = [exact.astype(dtype).astype(float) for dtype in (np.float32, np.float16)]
    return tallies.distinct(np.concatenate([exact, *narrow]))


def _may_be_anywhere(request: Targets) -> bool:
    """Whether the threshold can be the score of a negative."""
    is_promised = request.confidence_level is not None and request.min_precision is not None
    return request.k is not None or is_promised


def _candidates_of(
    bins: Tally,
    exist: Array | None,
    seen: Seen,
    units: promises.SquaredCounts | None = None,
    limits: Array | None = None,
    at_top: Array | None = None,
) -> Candidates:
    points, in_rows, scores = bins.curve()
    points = out_of(exist, points)
    return Candidates(points, in_rows, scores, seen, units, limits, at_top, tops=bins.high[::-1])


def _undecided(
    request: Targets, state: Candidates, place: int, n_groups: int | None, is_refused: bool
) -> Array:
    """Return the bins, in ascending order, inside of which the threshold can be, or a test of a
    promise can start.

    `place` is the index of the chosen point, or -1 if there is none, which is an error if
    `is_refused`. The chosen point is the last one that keeps to the request, and in a bin without
    positives, the first points keep to it. So only the next bin is undecided. If k is what is to be
    flagged, it is the bin that completes k. What an error suggests can also depend on higher
    starts.
    """
    if not _may_be_anywhere(request):
        return np.zeros(0, dtype=np.int64)
    completes_k = not request.shares and not request.is_budget(n_groups is not None)
    places = [place if completes_k and place >= 0 else place + 1]
    if request.promise and request.min_precision is not None:
        heavier = 1.0 if state.units is None else state.units.heavier
        n_flagged = promises.rows_at_starts(request.min_precision, request.error, heavier)
        starts = np.searchsorted(state.in_rows.cum_total, n_flagged).tolist()
        places += range(starts[-1] + 1) if is_refused and starts else starts
    last = state.scores.size - 1  # points are in descending order, bins in ascending order
    return np.array(sorted({last - place for place in places if place <= last}), dtype=np.int64)


def _opened(bins: Tally, inner: Array, inside: Tally) -> Tally:
    """Replace the bins with the indices `inner` by the counts at each of their scores."""
    is_outer = np.ones(bins.size, dtype=bool)
    is_outer[inner] = False
    return tallies.merge([bins.part(np.flatnonzero(is_outer)), inside])


def _squared_counts(bins: Tally, squares: SquareTallies) -> promises.SquaredCounts:
    """Return what a promise with weights needs of them, highest score first."""
    of_weights, *of_logs = squares
    positives, negatives = of_weights.positives[::-1], of_weights.negatives[::-1]
    # As in `promises.heavier_class`, from the sums of squares and of masses.
    numerator = negatives.sum() * bins.positives.sum()
    denominator = positives.sum() * bins.negatives.sum()
    heavier = float(numerator / denominator) if numerator and denominator else 1.0
    of_halves = np.stack([bins.positives[::-1], *(tally.positives[::-1] for tally in of_logs)])
    n_positives = bins.positives_in_rows()[::-1]
    return promises.SquaredCounts(positives, negatives, of_halves, n_positives, heavier)


def _check_same_groups(before: Amounts, after: Amounts) -> None:
    """Check that two passes have seen the same groups, with the same samples in each.

    The amounts are the marks of the samples.
    """
    (names_before, marks_before), (names_after, marks_after) = before, after
    names, (number_before, number_after) = join_names([names_before, names_after])
    marks = np.zeros((2, len(names)), dtype=np.uint64)
    marks[0, number_before] = marks_before
    marks[1, number_after] = marks_after
    if not np.array_equal(*marks):
        refuse_changed("other groups")


# --- squares of weights, for promises -------------------------------------------------------------


def _squared(samples: Rankings) -> list[Rankings]:
    """Return the samples with other weights: squares, logarithms, and the squares of these."""
    mass = np.ones(0) if samples.weight is None else samples.weight.astype(float)
    with np.errstate(over="ignore"):
        weights = [mass * mass, *promises.powers_of_log(mass)]
    return [replace(samples, weight=weight) for weight in weights]


def _square_among(samples: Rankings, grid: Array) -> SquareTallies:
    """Sum the squares and logarithms at the scores of the grid, and between them."""
    order, ranked = sort_with_order(samples.scores)
    number = tallies.number_among(ranked, grid)
    start = np.flatnonzero(is_first(number))
    number, labels = number[start], samples.labels[order]
    squares = []
    for squared in _squared(samples):
        assert squared.weight is not None
        mass = squared.weight[order]
        positives = np.add.reduceat(np.where(labels, mass, 0), start)
        negatives = np.add.reduceat(np.where(labels, 0, mass), start)
        squares.append(Tally(number, number, positives, negatives))
    return squares


def _square_inside(samples: Rankings, ends: Array) -> SquareTallies:
    return [count_inside(squared, ends) for squared in _squared(samples)]


def _join_squares(chunks: list[SquareTallies]) -> SquareTallies:
    return [tallies.merge(of_chunks) for of_chunks in zip(*chunks, strict=True)]
