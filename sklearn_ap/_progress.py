"""What functions with `verbose` show of their progress, on standard error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from time import monotonic
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_PAUSE = 1.0  # seconds between two lines about resamples

_doing: ContextVar[str] = ContextVar("_doing", default="")  # empty if nothing is shown


def showing(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function so that it shows its progress if `verbose` isn't 0."""

    @wraps(function)
    def shown(*args: Any, **kwargs: Any) -> Any:
        if not kwargs.get("verbose"):
            return function(*args, **kwargs)
        with _set(_doing.get() or function.__name__):
            return function(*args, **kwargs)

    return shown


@contextmanager
def step(what: str) -> Iterator[None]:
    """Show what is being done, as a part of what is shown already."""
    doing = _doing.get() and f"{_doing.get()}: {what}"
    _show(doing)
    with _set(doing):
        yield


@contextmanager
def _set(doing: str) -> Iterator[None]:
    token = _doing.set(doing)
    try:
        yield
    finally:
        _doing.reset(token)


def _show(doing: str) -> None:
    if doing:
        print(doing, file=sys.stderr, flush=True)


class Drawn:
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
