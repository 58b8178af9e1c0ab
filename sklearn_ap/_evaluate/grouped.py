"""Groups: their names, and the points of groups whose rows are together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._read.columns import check_found
from .._read.group_names import name_all_groups, read_names
from .._read.validation import Seen, check_evaluated
from .._words.arrays import as_list
from .._words.engine import Chunk
from .._words.inputs import NPositives, PositiveClass
from .._words.messages import warn_of_own_groups
from .._words.parameters import text_of
from ..core import tallies
from ..core.cutoff import Cut, needs_every_point
from ..core.numbering import Name, number_groups
from ..core.operating_points import OperatingPoints, from_groups, join
from ..core.rankings import Names, Rankings
from ..core.rules import Rule
from ..core.within import Array
from .passes import join_seen, rankings_of


def groups_of(samples: Rankings) -> tuple[Array, Array]:
    """Return the distinct groups in any order, and the group number of each sample."""
    return np.asarray(samples.names), np.asarray(samples.group)


def join_names(parts: Sequence[Array]) -> tuple[Array, list[Array]]:
    """Return the distinct names of all parts, and their numbers for the names of each part."""
    names, number = read_names(together(parts), sorts=False).in_any_order()
    return names, np.split(number, np.cumsum([some.size for some in parts])[:-1])


def together(parts: Sequence[Array]) -> Array:
    """Concatenate names, as objects unless NumPy would leave all of them as they are."""
    held = [some for some in parts if some.size] or [np.zeros(0, dtype=object)]
    kinds = {some.dtype.kind for some in held}
    is_safe = len({some.dtype for some in held}) == 1 or kinds in ({"U"}, {"M"}, {"m"})
    return np.concatenate(held if is_safe else [some.astype(object) for some in held])


def all_in_order(
    names: Names, n_positives: NPositives, weighted: bool
) -> tuple[list[Name], Array, Array, Array | None]:
    """Return the sorted names of all groups, and the order that sorts them.

    Groups that are only in n_positives come after the others before they are sorted. Also return
    their numbers, and the positives of all groups if n_positives says how many exist.
    """
    exist = None
    if n_positives is None:
        names, place = read_names(names).numbered()
    else:
        given = as_list(names) if isinstance(names, np.ndarray) else names
        names, place, exist = name_all_groups(given, n_positives, weighted)
    times = np.bincount(place, minlength=len(names))
    if times.size and times.max() > 1:
        raise RuntimeError(
            f"The rows of group {text_of(names[times.argmax()], repr)} came from several "
            "partitions, probably because there are equal groups that Spark distinguishes. Cast "
            "the column of groups to a plain string or integer."
        )
    absent = np.flatnonzero(times == 0)
    return names, np.argsort(np.concatenate([place, absent])), absent, exist


# --- points, which streams keep until they know the metric ----------------------------------------


class Groups(NamedTuple):
    """Operating points of groups, in the order of the names."""

    seen: Seen
    names: Names
    points: OperatingPoints


def find_groups(chunk: Chunk, positive: PositiveClass) -> Groups:
    """Find the groups of a chunk that contains all of their samples."""
    samples, seen = rankings_of(chunk, positive)
    return _close(seen, samples, seen.weighted)


def _close(seen: Seen, samples: Rankings, every: bool) -> Groups:
    """Return the points of groups, all of whose samples are known."""
    names, group = groups_of(samples)
    present, group = number_groups(group)
    if not present.size:
        return Groups(seen, [], no_points(0))
    columns = samples.labels, samples.scores, group, present.size, samples.weight
    return Groups(seen, as_list(names[present]), from_groups(*columns, every))


def join_groups(parts: Sequence[Groups]) -> Groups:
    """Join the groups of several chunks, none of which is in two of them."""
    seen = join_seen([part.seen for part in parts])
    names = [name for part in parts for name in part.names]
    return Groups(seen, names, join([part.points for part in parts]))


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


def no_points(n_queries: int) -> OperatingPoints:
    nothing = np.zeros(0, dtype=np.int64)
    return tallies.from_counts(nothing, nothing, offsets=np.zeros(n_queries + 1, dtype=np.int64))
