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
from .grouped import groups_of, together
from .passes import join_seen, of_models

_LAST = 64  # so many characters at the end of a string tell its partition
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # spreads neighboring numbers over all partitions
_FACTORS = np.cumprod(np.full(_LAST, _FACTOR))  # of the characters of strings


class Whole(NamedTuple):
    """Rows of groups in the rankings of all models, or some rows of groups in several parts."""

    models: Mapping[Any, tuple[Rankings, Seen]]
    clusters: Array | None  # the name of each group's cluster


def over_groups(
    engine: Engine,
    make: Callable[[Whole], Part],
    join: Join[Part],
    positive: PositiveClass,
) -> tuple[Part, str]:
    """Run a pass over rows of whole groups. Also return a group whose rows are apart, if a table
    was tried that could have been sorted.
    """
    scattered = ""
    whole = engine.by_group()
    if whole is not None:
        try:
            return whole.over_chunks(partial(_made_of_chunk, make, positive), join), scattered
        except ScatteredError as error:
            scattered = str(error)  # the error itself would keep a chunk in memory
        if not engine.reads_again:
            _refuse_scattered(scattered)
    split = partial(_split_by_group, positive=positive)
    return engine.over_partitions(split, partial(_made_of_parts, make), join), scattered


def _made_of_chunk(make: Callable[[Whole], Part], positive: PositiveClass, chunk: Chunk) -> Part:
    return make(_read_whole(chunk, positive))


def _made_of_parts(make: Callable[[Whole], Part], parts: Sequence[Whole]) -> Part:
    return make(_join_wholes(parts))


def _read_whole(chunk: Chunk, positive: PositiveClass) -> Whole:
    models = dict(of_models(chunk, positive))
    first, _ = next(iter(models.values()))
    return Whole(models, _clusters_of(first, *chunk[4:]))


def _clusters_of(samples: Rankings, clusters: Any = None) -> Array | None:
    """Return the name of each group's cluster."""
    if clusters is None:
        return None
    _, group = groups_of(samples)
    column = read_names(clusters, "clusters", sorts=False).keep(samples.exists)
    names, number = column.in_any_order()
    return np.asarray(names)[_one_for_each(group, number)]


def _one_for_each(group: Array, cluster: Array) -> Array:
    """Return the cluster of each group, all of whose rows must be in one."""
    own = np.zeros(group.max(initial=-1) + 1, dtype=np.int64)
    own[group] = cluster
    if (own[group] != cluster).any():
        raise NeedsRowsError  # which are drawn without their groups
    return own


# --- partitions -----------------------------------------------------------------------------------


def _split_by_group(chunk: Chunk, positive: PositiveClass) -> list[list[Whole]]:
    """Divide the rows of a chunk by their groups. The first partition has what was seen of all."""
    models, clusters = _read_whole(chunk, positive)
    first, _ = next(iter(models.values()))
    names, group = groups_of(first)
    part = _partition_of(names)
    order, ends = _in_parts(part)
    # The place of each group among those of its part, in as few bytes as its number needs.
    place = np.empty(order.size, dtype=np.min_scalar_type(order.size))
    place[order] = np.arange(order.size) - ends[part[order]]
    rows, row_ends = _in_parts(part[group])
    narrow = _narrow_names(names[order])
    shared = replace(first.take(rows), group=place[group[rows]])  # all models have these labels
    in_order = {
        model: (replace(shared, scores=samples.scores[rows]), seen)
        for model, (samples, seen) in models.items()
    }
    parts: list[list[Whole]] = [[] for _ in range(N_PARTITIONS)]
    for number in {0, *np.unique(part).tolist()}:
        some, own = (slice(*each[number : number + 2]) for each in (ends, row_ends))
        each = {
            model: (
                replace(samples.take(own), names=narrow[some]),
                seen if not number else seen._replace(n_samples=0, mass=0.0),
            )
            for model, (samples, seen) in in_order.items()
        }
        parts[number].append(Whole(each, None if clusters is None else clusters[order[some]]))
    return parts


def _narrow_names(names: Array) -> Array:
    """Convert integers to narrower ones, as there may be almost as many names as rows."""
    narrow = np.dtype(np.int32)
    fit = names.dtype.kind == "i" and names.size and names.itemsize > narrow.itemsize
    limits = np.iinfo(narrow)
    if fit and limits.min <= names.min() and names.max() <= limits.max:
        return names.astype(narrow)
    return names


def _in_parts(part: Array) -> tuple[Array, Array]:
    """Return the order that sorts by parts, and where each of them starts, and the end."""
    sizes = np.bincount(part, minlength=N_PARTITIONS)
    return np.argsort(part, kind="stable"), np.concatenate([[0], np.cumsum(sizes)])


def _join_wholes(parts: Sequence[Whole]) -> Whole:
    """Join parts of the same groups."""
    firsts = [next(iter(part.models.values()))[0] for part in parts]
    starts = np.cumsum([0, *(len(groups_of(samples)[0]) for samples in firsts)]).tolist()
    names, number = read_names(
        together([groups_of(samples)[0] for samples in firsts])
    ).in_any_order()
    groups = [
        groups_of(samples)[1].astype(np.int64) + start
        for samples, start in zip(firsts, starts, strict=False)
    ]
    group = number[np.concatenate(groups)]
    shared = replace(join_samples(firsts), group=group, names=names)
    models = {}
    for model in parts[0].models:
        samples, seen = zip(*(part.models[model] for part in parts), strict=True)
        scores = tallies.in_one_dtype([each.scores for each in samples])
        models[model] = replace(shared, scores=scores), join_seen(list(seen))
    held = [part.clusters for part in parts if part.clusters is not None]
    if not held:
        return Whole(models, None)
    clusters, cluster = read_names(together(held), "clusters", sorts=False).in_any_order()
    return Whole(models, clusters[_one_for_each(number, cluster)])


def join_samples(parts: Sequence[Rankings]) -> Rankings:
    """Put samples of several chunks together, without their groups."""
    weights = [samples.weight for samples in parts if samples.weight is not None]
    return Rankings(
        np.concatenate([samples.labels for samples in parts]),
        tallies.in_one_dtype([samples.scores for samples in parts]),
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
    native = np.ascontiguousarray(strings.astype(strings.dtype.newbyteorder("="), copy=False))
    characters = native.view(np.uint32).reshape(strings.size, strings.itemsize // 4)
    return np.asarray(characters.astype(np.uint64) @ _FACTORS[: characters.shape[1]])


def _word_of(name: Any) -> int:
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
