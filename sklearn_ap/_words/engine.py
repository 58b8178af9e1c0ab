"""What an engine is: chunks of data somewhere, and functions that run over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from .inputs import PositiveClass

IN_CHUNKS = ("y_true", "y_score", "sample_weight", "groups")
# The columns in IN_CHUNKS, None for missing ones, and behind them those of clusters or of segments
# if there are any. The second one can be a mapping from models to their scores.
Chunk = list[Any]
Part = TypeVar("Part")  # what is made of a chunk, and of several parts
Rows = TypeVar("Rows")  # some rows of a chunk
Join = Callable[[list[Part]], Part]
Named = Mapping[str, Any]  # the name of a column by its role, the names of several, or by models

MOST_DISTINCT = 10_000_000  # the maximum number of scores to send to every worker
N_PARTITIONS = 64  # into which rows are divided by their groups
_FAN_IN = 4  # the number of parts that are joined at once


class ScatteredError(Exception):
    """Raised by engines whose chunks should contain whole groups, if rows of a group are apart."""


class NeedsRowsError(RuntimeError):
    """Raised if something can't be computed in chunks, so that the rows have to be read."""


def refuse_changed(what: str) -> NoReturn:
    raise RuntimeError(
        f"The chunks contained {what} when they were read a second time. Persist them, use a fixed "
        "seed where they are created, or make sure that nothing else changes them or uses their "
        "connection meanwhile."
    )


class Engine:
    """Base class of engines, which have chunks and run functions over them."""

    columns: Named  # or the columns themselves, if these are in chunks
    reads_again: bool = True  # whether the chunks can be read a second time
    most: int | None = None  # maximum of scores for the second pass

    @property
    def weighted(self) -> bool:
        return "sample_weight" in self.columns

    @property
    def grouped(self) -> bool:
        return "groups" in self.columns

    def for_request(self, positive: PositiveClass, n_positives: Any) -> Engine:
        """Return the engine for this positive class, if it can look up groups in n_positives."""
        return self

    def over_chunks(self, make: Callable[[Chunk], Part], join: Join[Part]) -> Part:
        """Compute `make(chunk)` for all chunks and join the parts. `join` gets a list of a few."""
        raise NotImplementedError

    def by_group(self) -> Engine | None:
        """Return an engine whose chunks contain all samples of their groups, if there is one.

        Its passes raise `ScatteredError` if it only reads tables that are sorted by groups.
        """
        return None

    def over_partitions(
        self,
        split: Callable[[Chunk], list[list[Rows]]],
        make: Callable[[list[Rows]], Part],
        join: Join[Part],
    ) -> Part:
        """Divide the rows of all chunks in one pass, and join what `make` returns for each part.

        `split` returns a list with the rows of each of the partitions, some of which are put
        together if there are few chunks.
        """
        rows: list[list[Rows]] = self.over_chunks(split, rows_of_partitions)
        cuts = cut_evenly(N_PARTITIONS, len(rows[0]))
        taken = (_take_rows(rows, partitions) for partitions in cuts)
        joined = join_in_tree((make(of_some) for of_some in taken if of_some), join)
        assert joined is not None
        return joined

    def collected(self) -> Mapping[str, Any]:
        """Read the columns into memory, and return them by their roles."""
        raise NotImplementedError


def rows_of_partitions(of_chunks: Sequence[list[list[Rows]]]) -> list[list[Rows]]:
    """Put the rows of each partition together, which each chunk has as one list per partition."""
    return [[*chain(*of_partition)] for of_partition in zip(*of_chunks, strict=True)]


def _take_rows(rows: list[list[Rows]], partitions: slice) -> list[Rows]:
    """Return the rows of some partitions, which `rows` no longer has afterwards."""
    taken = rows[partitions]
    rows[partitions] = [[]] * len(taken)
    return [*chain(*taken)]


def cut_evenly(size: int, number: int) -> list[slice]:
    """Cut a sequence of this size into so many parts of about the same length, if it's so long."""
    number = min(number, size)
    ends = [place * size // number for place in range(number + 1)]
    return [slice(start, end) for start, end in pairwise(ends)]


def in_chunk(columns: Mapping[str, Any]) -> Chunk:
    """Put columns with these roles in the order of chunks, with None for missing ones."""
    besides = [columns[role] for role in ("clusters", "by") if role in columns]
    return [*map(columns.get, IN_CHUNKS), *besides]


def join_in_tree(parts: Iterable[Part], join: Join[Part]) -> Part | None:
    """Join all parts, a few at a time, so that only a few per level are in memory.

    Return None if there are no parts. Part i comes before part i + 1 in what is joined.
    """
    levels: list[list[Part]] = []  # those of level i are each joined of _FAN_IN**i parts
    for latest in parts:
        for level in levels:
            level.append(latest)
            if len(level) < _FAN_IN:
                break
            latest = join(level.copy())  # which belongs to the next level
            level.clear()
        else:
            levels.append([latest])
    joined: list[Part] = []  # one, of all lower levels, which have the later parts
    for level in levels:
        joined = [*level, *joined]
        joined = [join(joined)] if len(joined) > 1 else joined
    return joined[0] if joined else None
