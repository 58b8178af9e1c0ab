"""What functions with `verbose` show of their progress, on standard error."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from time import monotonic

from .._words.messages import setting

_PAUSE = 1.0  # seconds between two lines about resamples

_doing: ContextVar[str] = ContextVar("_doing", default="")  # empty if nothing is shown


def is_shown() -> bool:
    return bool(_doing.get())


@contextmanager
def step(what: str) -> Iterator[None]:
    """Show what is being done, as a part of what is shown already."""
    doing = _doing.get() and f"{_doing.get()}: {what}"
    _show(doing)
    with naming(doing):
        yield


def naming(doing: str) -> AbstractContextManager[None]:
    """Show the progress, which begins with these words, within this context."""
    return setting(_doing, doing)


def _show(doing: str) -> None:
    if doing:
        print(doing, file=sys.stderr, flush=True)


class ResampleProgress:
    """Shows how many resamples have been drawn, at most ten times."""

    def __init__(self, times: int) -> None:
        self._times, self._done, self._shown, self._at = times, 0, 0, monotonic()

    def add(self, number: int) -> None:
        self._done += number
        tenth = 10 * self._done // self._times
        if tenth > self._shown and monotonic() - self._at >= _PAUSE:
            self._shown, self._at = tenth, monotonic()
            doing = _doing.get()
            _show(doing and f"{doing}: {self._done:,} of {self._times:,} resamples")
