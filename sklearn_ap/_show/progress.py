"""What functions with `verbose` show of their progress, on standard error."""

import sys
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from time import monotonic

from .._words.messages import set_variable

_PAUSE = 1.0  # seconds between two lines about resamples

_doing: ContextVar[str] = ContextVar("_doing", default="")  # empty if nothing is shown


def is_shown() -> bool:
    return bool(_doing.get())


def step(what: str) -> AbstractContextManager[None]:
    """Show what is being done, as a part of what is shown already."""
    outer = _doing.get()
    if not outer:
        return nullcontext()
    _show(f"{outer}: {what}")
    return show_progress(f"{outer}: {what}")


def show_progress(doing: str) -> AbstractContextManager[None]:
    """Show the progress, which begins with these words, within this context."""
    return set_variable(_doing, doing)


def _show(doing: str) -> None:
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
            if is_shown():
                _show(f"{_doing.get()}: {self._done:,} of {self._times:,} resamples")
