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


def join_names(chunks: Sequence[Array]) -> tuple[Array, list[Array]]:
    """Return the distinct names of all chunks, and their numbers for the names of each chunk."""
    names, number = read_names(together(chunks), sorts=False).in_any_order()
    ends = np.cumsum([names_of_chunk.size for names_of_chunk in chunks])
    return names, np.split(number, ends[:-1])


def together(chunks: Sequence[Array]) -> Array:
    """Concatenate names, as objects unless NumPy would leave all of them as they are."""
    arrays = [names for names in chunks if names.size] or [np.zeros(0, dtype=object)]
    dtypes = {names.dtype for names in arrays}
    kinds = {dtype.kind for dtype in dtypes}
    if len(dtypes) > 1 and kinds not in ({"U"}, {"M"}, {"m"}):
        arrays = [names.astype(object) for names in arrays]
    return np.concatenate(arrays)


def all_in_order(
    names: Names, n_positives: NPositives, weighted: bool
) -> tuple[list[Name], Array, Array, Array | None]:
    """Sort the names of all groups, of which `names` has those with rows, in any order.

    Return the sorted names, the order that sorts the groups if those that are only in n_positives
    come after the others, the places of these among the sorted names, and the positives of all
    groups, sorted, or None if n_positives doesn't say how many exist.
    """
    exist = None
    if n_positives is None:
        names, place = read_names(names).numbered()
    else:
        present = as_list(names) if isinstance(names, np.ndarray) else names
        names, place, exist = name_all_groups(present, n_positives, weighted)
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
    names, group = groups_of(samples)
    present, group = number_groups(group)
    if not present.size:
        return Groups(seen, [], no_points(0))
    columns = samples.labels, samples.scores, group, present.size, samples.weight
    # With weights, which points a metric needs can depend on k.
    return Groups(seen, as_list(names[present]), from_groups(*columns, every=seen.weighted))


def join_groups(chunks: Sequence[Groups]) -> Groups:
    """Join the groups of several chunks, none of which is in two of them."""
    seen = join_seen([groups.seen for groups in chunks])
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


def no_points(n_queries: int) -> OperatingPoints:
    nothing = np.zeros(0, dtype=np.int64)
    return tallies.from_counts(nothing, nothing, offsets=np.zeros(n_queries + 1, dtype=np.int64))
