"""What everything that draws has in common: it needs matplotlib, and cleans up if it fails."""

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def check_matplotlib(caller: str) -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"{caller} needs matplotlib, which is not installed: pip install matplotlib"
        ) from error


def draws(plot: Callable[P, T]) -> Callable[P, T]:
    """Decorate a method that draws. If it fails, the figures that it has created are closed."""

    @wraps(plot)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> T:
        check_matplotlib(plot.__qualname__)
        before = _figures()
        try:
            return plot(*args, **kwargs)
        except BaseException:
            for number in _figures() - before:
                sys.modules["matplotlib.pyplot"].close(number)
            raise

    return drawn


def _figures() -> set[int]:
    """Return the numbers of the figures that are open. Drawing on given axes needs no pyplot."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    return set() if pyplot is None else {*pyplot.get_fignums()}


def literal(name: str) -> str:
    """Return a name for a text of matplotlib, which would read what is between dollars as math."""
    return name.replace("$", r"\$")
