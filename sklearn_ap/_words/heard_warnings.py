"""How warnings of code that isn't ours are kept from users, and calls that change the filters of
warnings themselves.

`warnings.catch_warnings` replaces the filters of the process before Python 3.14: in threads, one
takes back what another has set, and catches what others are warned of. So nothing in the package
uses it, but for the command line, which has a process of its own.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from threading import RLock, local
from types import SimpleNamespace
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Heard(local):
    """What this thread has heard."""

    is_listening = False
    category: type[Warning] | None = None  # of the last warning; None if there was none
    text = ""


_heard = _Heard()


class _CategoryKeeper(type):
    __subclasscheck__ = staticmethod(partial(setattr, _heard, "category"))  # type: ignore[assignment]


class _NoCategory(metaclass=_CategoryKeeper):
    """Keeps the category of a warning that is asked whether it's a subclass, and returns None."""


# Python asks each filter about the text and the category of a warning. The first of these keeps
# them for the thread, and never applies. The second one applies in threads that are listening. Both
# consist of builtin functions alone: within others, Python would let threads run that add or remove
# filters, although it's going through the list.
_KEEP = ("ignore", SimpleNamespace(match=partial(setattr, _heard, "text")), _NoCategory, None, 0)
_IGNORE = (
    "ignore",
    SimpleNamespace(match=partial(getattr, _heard, "is_listening")),  # with a default, the text
    Warning,
    None,
    0,
)
_FILTERS = [_KEEP, _IGNORE]

# Functions of others may use `catch_warnings`, so threads take turns.
_turn_of_functions = RLock()


@contextmanager
def hear_warnings() -> Iterator[_Heard]:
    """Keep the last warning of this thread within a context, and issue none."""
    with _turn_of_functions:
        filters: list[Any] = warnings.filters  # type: ignore[assignment]
        was_listening = _heard.is_listening
        filters[:0] = _FILTERS
        _heard.is_listening, _heard.category = True, None
        try:
            yield _heard
        finally:
            _heard.is_listening = was_listening
            _remove_filters(filters)
            _remove_filters(warnings.filters)  # which another thread may have replaced


def _remove_filters(filters: Any) -> None:
    for each in _FILTERS:
        if each in filters:
            filters.remove(each)


# Apart from the turn of functions, because these may have threads that call ours.
_turn_of_checks = RLock()


def in_turn(function: Callable[P, T]) -> Callable[P, T]:
    """Let threads take turns in a function of scikit-learn that uses `catch_warnings`."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        with _turn_of_checks:
            return function(*args, **kwargs)

    return called
