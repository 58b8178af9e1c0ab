"""Rows of whole groups, in which each group can be evaluated at once.

Chunks contain whole groups if a table is sorted by them, or if the engine can bring them together.
Otherwise, one pass divides the rows of each chunk into partitions by the names of their groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, NoReturn
from zlib import crc32

import numpy as np

from .._read.group_names import read_names
from .._read.validation import Seen
from .._words.engine import N_PARTITIONS, Chunk, Engine, Join, NeedsRowsError, Part, ScatteredError
from .._words.inputs import PositiveClass
from ..core import tallies
from ..core.rankings import Rankings
from ..core.within import Array
from .grouped import groups_of, join_names, together
from .passes import join_seen, of_models

_LAST = 64  # so many characters at the end of a string tell its partition
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # spreads neighboring numbers over all partitions
_FACTORS = np.cumprod(np.full(_LAST, _FACTOR))  # of the characters of strings


class GroupRows(NamedTuple):
    """All rows of some groups in the rankings of all models, or those of a chunk in a partition."""

    models: Mapping[Any, tuple[Rankings, Seen]]
    clusters: Array | None  # the name of each group's cluster


def over_groups(
    engine: Engine, make: Callable[[GroupRows], Part], join: Join[Part], positive: PositiveClass
) -> tuple[Part, str]:
    """Run a pass over rows of whole groups, and join what `make` returns for them.

    Also return the name of a group whose rows are apart, if a table was tried that could have been
    sorted, and "" otherwise.
    """
    scattered = ""
    by_groups = engine.by_group()
    if by_groups is not None:
        try:
            of_chunk = partial(_made_of_chunk, make, positive)
            return by_groups.over_chunks(of_chunk, join), scattered
        except ScatteredError as error:
            scattered = str(error)  # the error itself would keep a chunk in memory
        if not engine.reads_again:
            _refuse_scattered(scattered)
    split = partial(_split_by_group, positive=positive)
    return engine.over_partitions(split, partial(_made_of_partition, make), join), scattered


def _made_of_chunk(
    make: Callable[[GroupRows], Part], positive: PositiveClass, chunk: Chunk
) -> Part:
    return make(_read_group_rows(chunk, positive))


def _made_of_partition(make: Callable[[GroupRows], Part], chunks: Sequence[GroupRows]) -> Part:
    return make(_join_group_rows(chunks))


def _read_group_rows(chunk: Chunk, positive: PositiveClass) -> GroupRows:
    models = dict(of_models(chunk, positive))
    first, _ = next(iter(models.values()))
    clusters = chunk[4] if len(chunk) > 4 else None  # see `in_chunk`
    return GroupRows(models, _clusters_of(first, clusters))


def _clusters_of(samples: Rankings, clusters: Any) -> Array | None:
    """Return the name of each group's cluster, from those of all rows, if there are any."""
    if clusters is None:
        return None
    _, group = groups_of(samples)
    column = read_names(clusters, "clusters", sorts=False).keep(samples.exists)
    names, number = column.in_any_order()
    return np.asarray(names)[_one_for_each(group, number)]


def _one_for_each(group: Array, cluster: Array) -> Array:
    """Return the cluster of each group, all of whose rows must be in one."""
    cluster_of_group = np.zeros(group.max(initial=-1) + 1, dtype=np.int64)
    cluster_of_group[group] = cluster  # that of any of its rows
    if (cluster_of_group[group] != cluster).any():
        raise NeedsRowsError  # to draw the clusters without their groups
    return cluster_of_group


# --- partitions -----------------------------------------------------------------------------------


def _split_by_group(chunk: Chunk, positive: PositiveClass) -> list[list[GroupRows]]:
    """Divide the rows of a chunk by their groups. Each partition is a list of one part, or empty.

    The first partition has what was seen of all.
    """
    models, clusters = _read_group_rows(chunk, positive)
    first, _ = next(iter(models.values()))
    names, group = groups_of(first)
    partition = _partition_of(names)  # of each group

    order, starts = _sorted_partitions(partition)
    # The number of each group within its partition, in as few bytes as that needs.
    number = np.empty(order.size, dtype=np.min_scalar_type(order.size))
    number[order] = np.arange(order.size) - starts[partition[order]]
    names = _narrow_names(names[order])
    clusters = None if clusters is None else clusters[order]

    row_order, row_starts = _sorted_partitions(partition[group])
    # All models have the same rows, but for their scores.
    shared = replace(first.take(row_order), group=number[group[row_order]])
    scores = {model: samples.scores[row_order] for model, (samples, _) in models.items()}
    partitions: list[list[GroupRows]] = [[] for _ in range(N_PARTITIONS)]
    for place in {0, *np.unique(partition).tolist()}:
        groups = slice(*starts[place : place + 2])
        rows = slice(*row_starts[place : place + 2])
        shared_here = replace(shared.take(rows), names=names[groups])
        models_here = {}
        for model, (_, seen) in models.items():
            # Joining adds these up, so only the first partition has them.
            seen_here = seen._replace(n_samples=0, mass=0.0) if place else seen
            models_here[model] = replace(shared_here, scores=scores[model][rows]), seen_here
        clusters_here = None if clusters is None else clusters[groups]
        partitions[place].append(GroupRows(models_here, clusters_here))
    return partitions


def _narrow_names(names: Array) -> Array:
    """Convert integers to narrower ones, as there may be almost as many names as rows."""
    narrow = np.dtype(np.int32)
    fit = names.dtype.kind == "i" and names.size and names.itemsize > narrow.itemsize
    limits = np.iinfo(narrow)
    if fit and limits.min <= names.min() and names.max() <= limits.max:
        return names.astype(narrow)
    return names


def _sorted_partitions(partition: Array) -> tuple[Array, Array]:
    """Return the order that sorts by partitions, and where each of them starts, and the end."""
    sizes = np.bincount(partition, minlength=N_PARTITIONS)
    return np.argsort(partition, kind="stable"), np.concatenate([[0], np.cumsum(sizes)])


def _join_group_rows(chunks: Sequence[GroupRows]) -> GroupRows:
    """Join the rows of several chunks, which can have rows of the same groups."""
    firsts = [next(iter(rows.models.values()))[0] for rows in chunks]
    names, numbers = join_names([groups_of(samples)[0] for samples in firsts])
    groups = [
        number[groups_of(samples)[1]] for number, samples in zip(numbers, firsts, strict=True)
    ]
    shared = replace(join_samples(firsts), group=np.concatenate(groups), names=names)
    models = {}
    for model in chunks[0].models:
        rankings, seen = zip(*(rows.models[model] for rows in chunks), strict=True)
        scores = tallies.in_one_dtype([samples.scores for samples in rankings])
        models[model] = replace(shared, scores=scores), join_seen(list(seen))
    clusters = [rows.clusters for rows in chunks if rows.clusters is not None]
    if not clusters:
        return GroupRows(models, None)
    cluster_names, cluster = read_names(together(clusters), "clusters", sorts=False).in_any_order()
    return GroupRows(models, cluster_names[_one_for_each(np.concatenate(numbers), cluster)])


def join_samples(chunks: Sequence[Rankings]) -> Rankings:
    """Put samples of several chunks together, without their groups."""
    weights = [samples.weight for samples in chunks if samples.weight is not None]
    return Rankings(
        np.concatenate([samples.labels for samples in chunks]),
        tallies.in_one_dtype([samples.scores for samples in chunks]),
        np.concatenate(weights) if weights else None,
        "binary",
    )


def _partition_of(names: Array) -> Array:
    """Return a number for each name, equal for equal names of any chunk and in any process."""
    kind = names.dtype.kind
    if kind in "biuf":
        words = (names.astype(np.float64) + 0.0).view(np.uint64)  # no negative zeros
    elif kind in "mM":
        words = names.view(np.uint64)
    elif kind == "U" and names.itemsize <= 4 * _LAST:
        words = _words_of(names)
    else:
        words = np.array([*map(_word_of, names.tolist())], dtype=np.uint64)
    # The lower half of the bits of a float is often empty.
    mixed = (words ^ (words >> np.uint64(32))) * _FACTOR
    return np.asarray(mixed >> np.uint64(56)).astype(np.uint8) % np.uint8(N_PARTITIONS)


def _words_of(strings: Array) -> Array:
    """Return a number for each string of at most `_LAST` characters, whatever their dtype's width,
    because characters that are missing count as 0.
    """
    native = np.ascontiguousarray(strings.astype(strings.dtype.newbyteorder("="), copy=False))
    characters = native.view(np.uint32).reshape(strings.size, strings.itemsize // 4)
    return np.asarray(characters.astype(np.uint64) @ _FACTORS[: characters.shape[1]])


def _word_of(name: Any) -> int:
    """Return the number of a name of any type, equal for equal names, as 1, 1.0 and Decimal(1)."""
    if isinstance(name, str):
        return int(_words_of(np.array([name[-_LAST:]]))[0])
    if isinstance(name, tuple):
        return crc32(repr([*map(_word_of, name)]).encode())
    try:
        return int(np.float64(float(name) + 0.0).view(np.uint64))
    except (TypeError, ValueError, OverflowError):
        return crc32(repr(name).encode())


def check_read_again(scattered: str, seen: Seen) -> None:
    """Check that there are rows again, which the source of a LazyFrame may not have."""
    if scattered and not seen.n_samples:
        _refuse_scattered(scattered)


def _refuse_scattered(group: str) -> NoReturn:
    raise ValueError(
        f"The rows of group {group} are not consecutive, and data can be read only once. Sort it "
        "by groups, or pass data that can be read again, such as a pyarrow.dataset.Dataset or a "
        "pathlib.Path."
    )
