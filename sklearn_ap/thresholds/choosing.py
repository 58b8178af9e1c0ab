"""Choose a threshold for the rows of a model, from the points in which a threshold can end."""

from __future__ import annotations

from dataclasses import replace

from .._evaluate.in_groups import by_name, flagged_in_groups
from .._inputs.records import Inputs
from .._read.tables import name_in
from .._read.validation import check_groups_at, warn_of_predicted
from . import promises
from .checks import existing, masses_of, read_new_rows
from .point import Chosen, ChosenFrom, columns_in
from .targets import Candidates, Targets, choose, limits_of_groups, out_of, threshold_at


def choose_threshold(request: Targets, inputs: Inputs) -> Chosen:
    """Choose a threshold for the scores of one model, or measure the one that it has."""
    request = request.of_model(inputs.model)
    rows = read_new_rows(inputs)
    samples, seen, _, cluster = rows
    found, size, have_equal_weights = masses_of(samples)
    exist, n_groups = existing(rows, found)
    check_groups_at(request.depth, samples)
    warn_of_predicted(samples, inputs)

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
    source = ChosenFrom(
        request,
        n_positives=in_rows.n_positives.item(),
        positive_share=found / size,
        equal_weights=have_equal_weights,
        scores=name_in(inputs, "y_score"),
        labels=name_in(inputs, "y_true"),
        columns=columns_in(inputs, have_equal_weights),
        existing=None if exist is None else exist.item(),
    )
    return Chosen(state, place, n_groups, flagged, source)
