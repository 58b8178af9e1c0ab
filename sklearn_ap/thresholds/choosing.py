"""Choose a threshold for the rows of a model, from the points in which a threshold can end."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import Any

from .._evaluate.in_groups import by_name, flagged_in_groups
from .._inputs.records import Inputs
from .._read.tables import name_in
from .._read.validation import check_groups_at, warn_of_predicted
from ..core.operating_points import OperatingPoints
from ..core.rules import PrecisionAtRecall
from ..core.within import Array
from . import promises
from .checks import NewRows, existing, masses_of, read_new_rows, warn_if_narrow
from .point import OF_TARGETS, ChosenFrom, columns_in
from .rounding import Form, lasting_threshold, shortest_threshold
from .targets import Candidates, Targets, choose, out_of, plain_score


def choose_threshold(request: Targets, inputs: Inputs) -> dict[str, Any]:
    """Choose a threshold for the scores of one model, or measure the one that it has.

    Return the fields of its `OperatingPoint`: the threshold and what it flags, also in each group.
    """
    request = request.of_model(inputs.model)
    rows = read_new_rows(inputs)
    samples = rows.samples
    found, size, have_equal_weights = masses_of(samples)
    exist, n_groups = existing(rows, found)
    check_groups_at(request.depth, samples)
    warn_of_predicted(samples, inputs)

    state = _candidates_of(request, rows, exist, n_groups)
    place = choose(state)
    source = ChosenFrom(
        request,
        n_positives=state.in_rows.n_positives.item(),
        positive_share=found / size,
        equal_weights=have_equal_weights,
        scores=name_in(inputs, "y_score"),
        labels=name_in(inputs, "y_true"),
        columns=columns_in(inputs),
        existing=None if exist is None else exist.item(),
    )
    fields = _flagged_at(place, state, source)
    if n_groups is None:
        return fields
    flagged = by_name(*flagged_in_groups(samples, state.threshold_at(place)))
    fields |= {"n_groups": n_groups, "flagged_per_group": flagged}
    fields["least_per_group"] = min(flagged.values())
    fields["most_per_group"] = max(flagged.values())
    fields["mean_per_group"] = fields["n_flagged"] / n_groups
    return fields


def _candidates_of(
    request: Targets, rows: NewRows, exist: Array | None, n_groups: int | None
) -> Candidates:
    """Return the points in which a threshold can end, out of the positives that exist."""
    samples, seen, _, cluster = rows
    points, thresholds = samples.curve()
    in_rows = replace(samples, weight=None).curve()[0] if seen.weighted else points
    units = None
    if request.promise and (seen.weighted or cluster is not None):
        units = promises.SquaredMasses.of(samples, cluster, in_rows, thresholds)
    points = out_of(exist, points)
    return Candidates(request, n_groups, points, in_rows, thresholds, seen, units)


def _flagged_at(place: int, state: Candidates, source: ChosenFrom) -> dict[str, Any]:
    """Describe what the threshold at a point flags, or with -1, one that flags nothing."""
    request, points, in_rows = source.request, state.points, state.in_rows
    score = state.threshold_at(place)
    below = state.scores[place + 1 : place + 2]
    exact = plain_score(score[0])
    lasting = lasting_threshold(exact, below)
    threshold, shown = exact, str(exact)
    if request.threshold is not None:
        warn_if_narrow(state.scores, in_rows.total, score)
    else:
        shown = shortest_threshold(score[0], below)
        threshold = exact if lasting is None else lasting
    mass, found_mass, n_flagged, n_found = 0, 0, 0, 0
    if place >= 0:
        mass, found_mass = points.cum_total[place].item(), points.cum_positives[place].item()
        n_flagged = in_rows.cum_total[place].item()
        n_found = in_rows.cum_positives[place].item()
    precision, recall = _rates(request, points, mass, found_mass)
    return {
        "threshold": threshold,
        "precision": precision,
        "recall": recall,
        "n_flagged": n_flagged,
        "true_positives": n_found,
        "false_positives": n_flagged - n_found,
        "flagged_share": _share(mass, points.n_samples.item()),
        "flagged_mass": float(mass) if state.seen.weighted else None,
        "found_mass": float(found_mass) if state.seen.weighted else None,
        "n_samples": in_rows.n_samples.item(),
        "shown": shown,
        **{name: getattr(request, name) for name in OF_TARGETS},
        "source": source._replace(
            form=Form.of(state.scores, threshold), is_lasting=threshold == lasting
        ),
    }


def _rates(
    request: Targets, points: OperatingPoints, mass: float, found_mass: float
) -> tuple[float, float]:
    """Return the precision and the recall of what is flagged, from the mass of these samples and
    that of the positives among them.
    """
    precision = found_mass / mass if mass else nan
    recall = _share(found_mass, points.n_positives.item())
    if points.cum_total.dtype.kind != "f" or not request.is_plain:
        return precision, recall
    # Ratios of weights can differ in the last bit, so take the value that the metric returns.
    rule = request.rules[0]
    value = rule.values(points).item()
    return (value, recall) if isinstance(rule, PrecisionAtRecall) else (precision, value)


def _share(mass: float, total: float) -> float:
    """Return the fraction of a total, which rounded weights can exceed; nan for 0/0."""
    return min(mass / total, 1.0) if total else nan
