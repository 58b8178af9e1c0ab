"""What was read or computed before."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class Memo:
    """Results of what is done only once to the same objects.

    Objects are the same if they are one in memory, however large they are. They are kept with the
    result, so that no other object gets their ids.
    """

    __slots__ = ("_results",)

    def __init__(self) -> None:
        self._results: dict[Any, tuple[Sequence[Any], Any]] = {}

    def once(self, what: Hashable, objects: Sequence[Any], compute: Callable[[], T]) -> T:
        """Return what was computed of these objects, or compute it. `what` says what it is."""
        key = (what, *map(id, objects))
        if key not in self._results:
            self._results[key] = objects, compute()
        result: T = self._results[key][1]
        return result
