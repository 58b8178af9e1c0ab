"""Segments: parts of the rows that have values of their own."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .._arrays.conversion import split_columns
from .._arrays.host import extract_column, find_library, to_host, unwrap_native
from .._inputs.records import Inputs
from .._read.columns import (
    check_lengths,
    is_missing,
    to_integers_if_whole,
)
from .._read.group_names import convert_keys, list_column_titles, read_names
from .._read.model_rows import ModelRows
from .._words.parameters import format_list, format_name, format_value, is_mapping
from .._words.refusals import attribute_errors, find_substitute
from ..core.numbering import Name
from ..core.ragged import Array
from ..core.rankings import Clusters, Names, Rankings, UnscoredPositives

_MAX_SEGMENTS_OF_FEW_ROWS = 50  # more are allowed if they are few of the rows
_MAX_SEGMENTS_PER_ROW = 0.5
_MAX_VALUES_PER_COLUMN = 1_000  # segments, which are too many to be meant


class SegmentName(NamedTuple):
    """A value of a column, which is what its rows have in common."""

    value: Any
    column: str | None  # its name, if it has one


def write_segment(
    name: SegmentName | None, columns: Sequence[str], write: Callable[[Any], str] = str
) -> str:
    """Write the name of a segment, or of all data (None), with the name of its column if segments
    are those of several `columns`.
    """
    if name is None:
        return "all data"
    value = format_name(name.value, write)
    return f"{name.column}: {value}" if len(columns) > 1 else value


class Segments(NamedTuple):
    """Which samples belong to each segment."""

    names: list[SegmentName]
    rows: list[Array]  # the places of the samples of each segment, in ascending order
    n_unknown: tuple[int, ...]  # samples without a value, by column
    columns: tuple[str, ...]  # the names of the columns, none for a single one without a name
    of_groups: Mapping[Any, Any] = MappingProxyType({})  # the value of each group, if passed so

    def notes(self) -> Iterator[str]:
        """Say how many rows belong to no segment of a column because its value is missing."""
        lacking = []
        for n_unknown, column in zip(self.n_unknown, self.columns or ("by",), strict=True):
            if n_unknown:
                have = "1 row has" if n_unknown == 1 else f"{n_unknown:,} rows have"
                lacking.append(f"{have} no value of {column}")
        if lacking:
            they = "it counts" if sum(self.n_unknown) == 1 else "they count"
            besides = " and other columns" if len(self.columns) > 1 else ""
            yield f"{', and '.join(lacking)}, so {they} for all data{besides} only."

    def select_rows(self, name: SegmentName) -> Array:
        """Return the places of the samples of a segment, of which a model may have none."""
        return self.rows[self.names.index(name)] if name in self.names else np.zeros(0, np.int64)

    def groups_of(self, name: SegmentName, model_rows: ModelRows) -> set[Name]:
        """Return the groups of a segment whose positives are counted, even if they have no rows."""
        groups = {group for group, value in self.of_groups.items() if value == name.value}
        rankings = model_rows.rankings
        if rankings.n_positives is not None and rankings.group is not None:
            numbers = np.unique(rankings.group[self.select_rows(name)]).tolist()
            groups |= {(rankings.names or ())[number] for number in numbers}
        return groups


class _SegmentColumn(NamedTuple):
    """The segments of one column."""

    values: list[Any]
    rows: list[Array]  # the places of the samples with each value, in ascending order
    is_known: Array  # whether each sample has a value


@attribute_errors("by")
def read_segments(by: Any, inputs: Inputs, rankings: Rankings) -> Segments:
    """Read the segments of the samples that exist."""
    is_kept = rankings.is_kept
    is_kept = np.ones(len(rankings.labels), dtype=bool) if is_kept is None else is_kept
    titles = list_column_titles(by, "by", inputs.column_names)
    of_groups: Mapping[Any, Any] = {}
    if _has_segments_of_groups(by, is_kept.size, rankings):
        of_groups = _find_segments_of_groups(by, rankings)
        columns = [_read_segments_of_groups(of_groups, rankings)]
    else:
        several = split_columns(by)
        passed = [by] if several is None else several
        columns = [_read_segment_column(each, is_kept) for each in passed]
    if len(columns) > 1 and not titles:
        titles = tuple(f"column {number}" for number in range(1, len(columns) + 1))
    _check_columns(columns, titles)
    names, rows = [], []
    for place, column in enumerate(columns):
        title = titles[place] if titles else None
        names += [SegmentName(value, title) for value in column.values]
        rows += column.rows
    n_unknown = tuple(int(np.count_nonzero(~column.is_known)) for column in columns)
    return Segments(names, rows, n_unknown, titles, of_groups)


def sort_segment_names(of_models: Sequence[Segments]) -> list[SegmentName]:
    """Return the names of the segments of all models, whose own tables may lack some, one column
    after the other.
    """
    first = of_models[0].names
    names = dict.fromkeys(name for segments in of_models for name in segments.names)
    if len(names) == len(first):
        return first
    in_order = []
    for column in dict.fromkeys(name.column for name in names):
        values, _ = _number_values([name.value for name in names if name.column == column])
        in_order += [SegmentName(value, column) for value in values]
    return in_order


def _check_columns(columns: Sequence[_SegmentColumn], titles: Sequence[str]) -> None:
    """Check that columns have different names, and values that many rows share."""
    if len(set(titles)) < len(titles):
        raise ValueError(f"by has a column twice: {list(titles)}. Pass each of them once.")
    if not any(column.values for column in columns):
        raise ValueError("by has no segments: all of its values are missing.")
    for place, column in enumerate(columns):
        n_samples = np.count_nonzero(column.is_known)
        if len(column.values) > max(_MAX_SEGMENTS_OF_FEW_ROWS, _MAX_SEGMENTS_PER_ROW * n_samples):
            by = f"The column {titles[place]} of by" if len(columns) > 1 else "by"
            raise ValueError(
                f"{by} has {len(column.values):,} different values among {n_samples:,} rows. "
                f"{_ADVICE_ON_MANY_SEGMENTS}"
            )


_ADVICE_ON_MANY_SEGMENTS = (
    "Pass a column whose values many rows share, such as a country or a day, or bin numbers into a "
    "few classes."
)


def _has_segments_of_groups(by: Any, n_rows: int, rankings: Rankings) -> bool:
    """Whether this maps groups to their segments, as a dict does, or a Series whose index has the
    names of groups. One with a value for each row is a column.
    """
    if isinstance(by, Mapping):
        return True
    if rankings.group is None or not is_mapping(by) or len(by) == n_rows:
        return False
    groups, keys = rankings.names or (), [*by.keys()]
    if keys == [*range(len(keys))]:  # as pandas numbers rows
        return set(groups) == set(keys)
    return not set(groups).isdisjoint(convert_keys(groups, keys))


def _find_segments_of_groups(by: Any, rankings: Rankings) -> dict[Any, Any]:
    """Return the segment of each group, from a mapping.

    The keys of the result are all groups of the rankings, and perhaps others, in their types.
    """
    by = dict(by.items())  # of a Series, too
    if not by:
        raise ValueError("by is an empty mapping. Map each group to its segment.")
    for name, segment in by.items():
        if hasattr(segment, "__len__") and not isinstance(segment, str | tuple):
            raise ValueError(
                f"by maps {format_name(name, repr)} to {format_value(segment)}, which isn't the "
                f"name of a segment. {find_substitute('masks')}"
            )
    if rankings.group is None or rankings.names is None:
        raise ValueError(
            f"by={format_value(by)} maps groups to segments, but there are no groups. Pass "
            "groups=, whose names are its keys, or a column with the segment of each row."
        )
    groups = rankings.names
    of_groups = dict(zip(convert_keys(groups, [*by]), by.values(), strict=True))
    lacking = [group for group in groups if group not in of_groups]
    if lacking:
        raise ValueError(
            f"by has no segment for {len(lacking):,} of {len(groups):,} groups "
            f"({format_list(lacking, partial(format_name, write=repr))}). Add theirs, or None to "
            "let them count for all data only."
        )
    return of_groups


def _read_segments_of_groups(of_groups: Mapping[Any, Any], rankings: Rankings) -> _SegmentColumn:
    """Read the segments of groups, which can be missing."""
    assert rankings.names is not None
    segments = [of_groups[group] for group in rankings.names]
    is_named = np.array([not is_missing(segment) for segment in segments])
    number = np.full(len(segments), -1)  # of the segment of each group
    values: list[Any] = []
    if is_named.any():
        named = [name for name in segments if not is_missing(name)]
        values, number[is_named] = _number_values(named)
    of_row = number[rankings.group]
    rows = [np.flatnonzero(of_row == place) for place in range(len(values))]
    return _SegmentColumn(values, rows, of_row >= 0)


def _read_segment_column(column: Any, is_kept: Array) -> _SegmentColumn:
    """Read a column with the segment of each row.

    `is_kept` is False for rows of weight 0, which columns have, but samples leave out.
    """
    column = _extract_one_column(column)
    _check_size(column, is_kept.size)
    is_known = is_kept & ~find_missing(column)
    if not is_known.any():
        return _SegmentColumn([], [], is_known[is_kept])
    values, code = _number_values(_filter_rows(column, is_known))
    if len(values) > _MAX_VALUES_PER_COLUMN:
        raise ValueError(
            f"by has more than {_MAX_VALUES_PER_COLUMN:,} different values. "
            f"{_ADVICE_ON_MANY_SEGMENTS}"
        )
    places = np.flatnonzero(is_known[is_kept])
    # Sort the places by segment, which leaves them ascending within each.
    order = np.argsort(code.astype(np.min_scalar_type(len(values))), kind="stable")
    rows = np.split(places[order], np.cumsum(np.bincount(code))[:-1])
    return _SegmentColumn(values, rows, is_known[is_kept])


def _extract_one_column(column: Any) -> Any:
    """Return a column without a second axis, in a container of the same library, on the host."""
    column = unwrap_native(to_host(column))
    if isinstance(column, np.ndarray):
        return column.ravel() if column.size == len(column) else column
    return extract_column(column)


def _check_size(column: Any, size: int) -> None:
    if not hasattr(column, "__len__"):
        raise ValueError(
            "by must be a column, several columns, or a mapping from groups to their segments. "
            f"Got {format_value(column)} instead."
        )
    check_lengths(y_true=range(size), by=column)


def find_missing(column: Any) -> Array:
    """Whether each value of a column is missing."""
    library = find_library(column)
    if library == "pandas":
        return np.asarray(column.isna(), dtype=bool)
    if library == "pyarrow":
        return np.asarray(column.is_null(nan_is_null=True))
    if library == "polars":
        missing = column.is_null()
        return np.asarray(missing | column.is_nan() if column.dtype.is_float() else missing)
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuSUfmM":
        missing = column != column
        return np.asarray(missing if missing.ndim == 1 else missing.any(axis=1))
    return np.fromiter(map(is_missing, column), dtype=bool, count=len(column))


def _filter_rows(column: Any, mask: Array) -> Any:
    """Return the rows of a column where the mask is true, in a container of the same library."""
    if mask.all():
        return column
    library = find_library(column)
    if library == "pyarrow":
        return column.take(np.flatnonzero(mask))  # old Arrow filters by its own arrays only
    if library == "polars":
        return column.filter(mask.tolist())  # old polars takes no arrays
    if hasattr(column, "dtype"):
        taken = column.iloc[mask] if hasattr(column, "iloc") else column[mask]
        return list(taken) if taken.dtype == object else taken  # of numbers, beside None
    return [value for value, is_taken in zip(column, mask, strict=True) if is_taken]


def _number_values(column: Any) -> tuple[list[Any], Array]:
    """Return the values that occur, in the order of categories or else sorted, and the place of
    each row's value among them.
    """
    names, code = read_names(column, "by").number_names()
    key = _sort_key(names, _list_categories(column))
    if key is None:
        return names, code
    order = sorted(range(len(names)), key=lambda number: key(names[number]))
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.arange(len(order))
    return [names[number] for number in order], numbers[code]


def _sort_key(
    names: Sequence[Any], categories: Sequence[Any] | None
) -> Callable[[Any], Any] | None:
    """Return a key that sorts categories by their place, and texts with numbers by these, as in
    "week 9" and "week 10"; None for names that are sorted already.
    """
    if categories is not None:
        return {name: place for place, name in enumerate(categories)}.__getitem__
    if not all(isinstance(name, str) for name in names):
        return None
    try:
        if all(isfinite(float(name)) for name in names):
            return float
    except ValueError:
        pass
    return _split_numbers


def _split_numbers(text: str) -> list[Any]:
    """Split a text into texts and the numbers between them, which are in all odd places."""
    cut = re.split(r"([0-9]+(?:[.][0-9]+)?)", text)
    return [float(piece) if place % 2 else piece for place, piece in enumerate(cut)]


def _list_categories(column: Any) -> Sequence[Any] | None:
    """Return the categories of a column in their order; None if it has none, or none in order."""
    dtype = getattr(column, "dtype", None)
    if find_library(column) == "pandas" and hasattr(dtype, "categories"):
        return list(dtype.categories)  # type: ignore[union-attr]
    if find_library(column) == "pyarrow" and getattr(column.type, "ordered", False):
        chunks = getattr(column, "chunks", [column])
        values = [value for chunk in chunks for value in chunk.dictionary.to_pylist()]
        return list(dict.fromkeys(values))
    is_enum = find_library(column) == "polars" and type(dtype).__name__ == "Enum"
    return list(dtype.categories) if is_enum else None  # type: ignore[union-attr]


# --- parts of the rows ----------------------------------------------------------------------------


def take_part(model_rows: ModelRows, rows: Array, besides: Collection[Name] = ()) -> ModelRows:
    """Return some samples with the groups and clusters that they belong to, as if only their rows
    had been passed: values are equal to the last bit, so weights that are whole numbers here are
    integers, as those of a call are. `rows` are their places, and `besides` are groups that are
    known to belong to them, too, even if none of their rows do.
    """
    rankings = model_rows.rankings.take(rows)
    if rankings.weight is not None and rankings.weight.dtype.kind == "f":
        rankings = replace(rankings, weight=to_integers_if_whole(rankings.weight))
    groups: Array | None = None  # the old numbers of the groups that remain; None without groups
    if rankings.group is not None and rankings.names is not None:
        groups, group = _renumber_names(rankings.group, rankings.names, besides)
        names, counts, judged = rankings.names, rankings.n_positives, rankings.judged
        if groups.size < len(names):
            names = [names[number] for number in groups.tolist()]
            counts = None if counts is None else counts[groups]
            judged = judged and judged._replace(counts=judged.counts[groups])
        rankings = replace(rankings, group=group, names=names, n_positives=counts, judged=judged)
    if model_rows.kind == "rows":
        return model_rows._replace(rankings=rankings, names=range(rows.size))
    if model_rows.clusters is None:
        return model_rows._replace(rankings=rankings, names=rankings.names or ())

    cluster = model_rows.clusters.numbers[groups if model_rows.of_groups else rows]
    kept, new_cluster = _renumber_names(cluster, model_rows.names, ())
    unscored = model_rows.clusters.unscored
    if unscored is not None and groups is not None:
        # Each group, like a class, is drawn with all clusters, also those that it has no rows of.
        kept, new_cluster = np.arange(model_rows.clusters.size), cluster
    if unscored is not None:
        unscored = _take_unscored(unscored, groups, kept)
    if unscored is not None and groups is None:  # a single ranking, whose n_positives is their sum
        mass = rankings.labels if rankings.weight is None else rankings.labels * rankings.weight
        total = to_integers_if_whole(np.array([float(mass.sum() + unscored.number.sum())]))
        rankings = replace(rankings, n_positives=total)
    clusters = Clusters(new_cluster, kept.size, unscored)
    cluster_names = [model_rows.names[number] for number in kept.tolist()]
    return model_rows._replace(rankings=rankings, clusters=clusters, names=cluster_names)


def _take_unscored(
    unscored: UnscoredPositives, groups: Array | None, clusters: Array
) -> UnscoredPositives:
    """Return the unscored positives of some groups, or without groups of some clusters, renumbered.

    Both have the old numbers of those that remain, in ascending order.
    """
    if groups is None:
        is_in = np.isin(unscored.cluster, clusters)
        ranking = unscored.ranking[is_in]
    else:
        is_in = np.isin(unscored.ranking, groups)
        ranking = np.searchsorted(groups, unscored.ranking[is_in])
    cluster = np.searchsorted(clusters, unscored.cluster[is_in])
    return UnscoredPositives(ranking, cluster, unscored.number[is_in])


def _renumber_names(numbers: Array, names: Names, besides: Collection[Name]) -> tuple[Array, Array]:
    """Number the groups or clusters of some rows again, without gaps.

    `numbers` has the old number of each row's group or cluster, which is its place in `names`.
    Those in `besides` are kept even if no row belongs to them.
    Return the old numbers that are kept, in ascending order, and the new numbers of the rows.
    """
    is_kept = np.zeros(len(names), dtype=bool)
    is_kept[numbers] = True
    if besides:
        is_kept |= [name in besides for name in names]
    if is_kept.all():
        return np.arange(is_kept.size), numbers
    new_number = np.cumsum(is_kept) - 1  # by old number; only of use where `is_kept`
    return np.flatnonzero(is_kept), new_number[numbers]


def check_segments_are_whole(model_rows: ModelRows, rows: Sequence[Array]) -> None:
    """Check that each segment has all rows of what n_positives counts, so that unscored
    positives belong to one segment.
    """
    rankings, clusters = model_rows.rankings, model_rows.clusters
    if rankings.n_positives is None or rankings.average == "samples":
        return
    if rankings.group is not None:
        _check_names_are_whole(rankings.group, rankings.names or (), "group", rows)
    elif clusters is not None and clusters.unscored is not None:
        _check_names_are_whole(clusters.numbers, model_rows.names, "cluster", rows)
    else:
        _refuse_single_count()


@attribute_errors("n_positives")
def _refuse_single_count() -> NoReturn:
    raise ValueError(
        "n_positives is one number for all rows, so nothing says in which segment the "
        "missed positives are. With by, pass a mapping from groups to numbers, or none."
    )


@attribute_errors("by")
def _check_names_are_whole(numbers: Array, names: Names, kind: str, rows: Sequence[Array]) -> None:
    """Check that each segment has all rows of a group or cluster, or none of them.

    `numbers` has each row's group or cluster, as a place in `names`, and `kind` is "group" or
    "cluster". `rows` has the places of the rows of each segment.
    """
    sizes = np.bincount(numbers)
    for places in rows:
        n_here = np.bincount(numbers[places], minlength=sizes.size)
        split = np.flatnonzero((n_here > 0) & (n_here < sizes))
        if split.size:
            raise ValueError(
                f"n_positives counts the positives of each {kind}, but the {kind} "
                f"{format_name(names[split[0]], repr)} has rows in several segments, so it isn't "
                "known where its missed positives are. Pass by with one value for all rows of a "
                f"{kind}, or leave out n_positives."
            )
