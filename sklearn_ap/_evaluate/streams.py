"""What streams keep of their chunks: counts at prediction scores, or the points of whole groups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from .._read.columns import check_found
from .._read.validation import (
    Seen,
    check_counted,
    check_evaluated,
    check_together,
    read_chunk,
)
from .._words.arrays import as_list
from .._words.inputs import NPositives, PositiveClass, ZeroDivision
from .._words.messages import warn_of_own_groups
from ..core.cutoff import Cut, needs_every_point
from ..core.numbering import Name, number_groups
from ..core.operating_points import OperatingPoints, from_groups, join
from ..core.rankings import Names, Queries
from ..core.rules import Rule, Step
from ..core.tallies import Tally
from ..core.within import sums
from .in_groups import all_in_order, groups_of, no_points
from .point import Chosen, chosen_from
from .targets import Candidates, Targets, choose, out_of
from .value import finish

# --- counts ---------------------------------------------------------------------------------------


def value_of_counts(
    rule: Rule, counts: Tally, seen: Seen, n_positives: NPositives, zero_division: ZeroDivision
) -> float:
    """Evaluate a single ranking from the counts at all of its scores."""
    # Add up from the highest score down, as the counts of the points are.
    every = np.array([0, counts.size])
    found = sums(counts.positives[::-1], every).item()
    size = found + sums(counts.negatives[::-1], every).item()
    exist = check_evaluated(seen, found, rule, n_positives)
    points = counts.points(rule.depth).out_of(found if exist is None else exist)
    if rule.depth is not None and not rule.depth.is_share:
        points = points._replace(n_samples=np.array([size]))
    queries = Queries(names=[seen.name], sample_weight=seen.sample_weight, kind="classes")
    return float(finish(rule, points, queries, zero_division))


def choose_from_counts(
    request: Targets, counts: Tally, seen: Seen, n_positives: NPositives, factor: float | None
) -> Chosen:
    """Choose a threshold from the counts at all distinct prediction scores of one ranking, whose
    negatives weigh `factor` times as much if there is a prevalence.
    """
    check_counted(seen)
    positives = counts.positives.sum()
    exist = check_evaluated(seen, positives.item(), Step(), n_positives)
    have_equal_weights = _positives_weigh_the_same(counts, seen)
    if factor is not None:
        counts, seen = counts.with_negatives(factor), seen._replace(weighted=True)
    points, in_rows, scores = counts.curve()
    state = Candidates(out_of(exist, points), in_rows, scores, seen, None, None, None)
    positive_share = positives / (positives + counts.negatives.sum())
    place = choose(request, state, None)
    source = chosen_from(request, state, positive_share.item(), have_equal_weights, exist)
    return Chosen(state, place, None, None, source)


def _positives_weigh_the_same(counts: Tally, seen: Seen) -> bool:
    """Whether all positives certainly weigh the same: as much as the lightest or heaviest sample.

    At each score, only the sum of the weights is known.
    """
    if counts.positive_rows is None:
        return True
    masses = (counts.positive_rows * weight for weight in seen.weights)
    return any(np.allclose(counts.positives, mass, rtol=1e-9, atol=0) for mass in masses)


# --- groups, whose points streams keep until they know the metric -------------------------------


class Groups(NamedTuple):
    """Operating points of groups, in the order of the names."""

    seen: Seen
    names: Names
    points: OperatingPoints


def find_groups(
    y_true: Any, y_score: Any, positive: PositiveClass, sample_weight: Any, groups: Any
) -> Groups:
    """Find the groups of a chunk that contains all of their samples."""
    samples, seen = read_chunk(y_true, y_score, positive, sample_weight, groups)
    names, group = groups_of(samples)
    present, group = number_groups(group)
    if not present.size:
        return Groups(seen, [], no_points(0))
    columns = samples.labels, samples.scores, group, present.size, samples.weight
    # With weights, which points a metric needs can depend on k.
    return Groups(seen, as_list(names[present]), from_groups(*columns, every=seen.weighted))


def join_groups(chunks: Sequence[Groups]) -> Groups:
    """Join the groups of several chunks, none of which is in two of them."""
    seen = reduce(Seen.join, [groups.seen for groups in chunks])
    check_together(seen)
    names = [name for groups in chunks for name in groups.names]
    return Groups(seen, names, join([groups.points for groups in chunks]))


def arranged(
    groups: Groups, rule: Rule, depth: Cut | None, n_positives: NPositives
) -> tuple[OperatingPoints, list[Name]]:
    """Return the points of all groups that this cutoff needs, including groups that are only in
    n_positives, and their sorted names.
    """
    seen, names, points = groups
    check_evaluated(seen, 0, rule, n_positives, by_group=True)
    if points.rows is not None and not needs_every_point(depth, seen.weighted):
        points = points._replace(rows=None).where_positive()
    warn_of_own_groups(rule.depth, names, len(names), seen.n_samples)
    names, order, absent, exist = all_in_order(names, n_positives, seen.weighted)
    points = join([points, no_points(absent.size)]).arranged(order)
    if exist is not None:
        points = points.out_of(check_found(exist, points.n_positives, seen.weighted, names))
    return points, names
