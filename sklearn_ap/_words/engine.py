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
        each = (_take_rows(rows, some) for some in cut_evenly(N_PARTITIONS, len(rows[0])))
        found = join_in_tree((make(some) for some in each if some), join)
        assert found is not None
        return found

    def collected(self) -> Mapping[str, Any]:
        """Read the columns into memory, and return them by their roles."""
        raise NotImplementedError


def rows_of_partitions(parts: Sequence[list[list[Rows]]]) -> list[list[Rows]]:
    """Put the rows of each partition together."""
    return [[*chain(*each)] for each in zip(*parts, strict=True)]


def _take_rows(rows: list[list[Rows]], some: slice) -> list[Rows]:
    """Return the rows of some partitions, which are no longer kept."""
    taken = rows[some]
    rows[some] = [[]] * len(taken)
    return [*chain(*taken)]


def cut_evenly(size: int, number: int) -> list[slice]:
    """Cut a sequence of this size into so many parts of about the same length, if it's so long."""
    number = min(number, size)
    ends = [place * size // number for place in range(number + 1)]
    return [slice(start, end) for start, end in pairwise(ends)]


def in_chunk(columns: Mapping[str, Any]) -> Chunk:
    """Put columns with these roles in the order of chunks."""
    besides = [columns[role] for role in ("clusters", "by") if role in columns]
    return [*map(columns.get, IN_CHUNKS), *besides]


def join_in_tree(parts: Iterable[Part], join: Join[Part]) -> Part | None:
    """Join all parts, a few at a time, so that only a few per level are in memory.

    Return None if there are no parts.
    """
    levels: list[list[Part]] = []
    for part in parts:
        for level in levels:
            level.append(part)
            if len(level) < _FAN_IN:
                break
            part = join(level.copy())
            level.clear()
        else:
            levels.append([part])
    rest: list[Part] = []
    for level in levels:
        rest = [*level, *rest]
        rest = [join(rest)] if len(rest) > 1 else rest
    return rest[0] if rest else None
