"""What all pictures share: they need matplotlib, clean up if they fail, and write names alike."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import wraps
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

P = ParamSpec("P")
T = TypeVar("T")

_PANEL_WIDTH = 28  # characters that fit below a panel

# Each color has a contrast of at least 3 to black and to white. To people with any kind of color
# blindness, the first eight look different (by at least 15 in units of CIEDE2000), and so do the
# last four (by 16), which get another line style.
COLORS = (
    *("#3ba0ba", "#e0790c", "#a50f86", "#475f4c", "#b70000", "#8e9978", "#996b80", "#0039ff"),
    *("#b0294e", "#7b45b3", "#7c8aff", "#ff4f9c"),
)
BLUE, ORANGE = COLORS[:2]


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
        drawn_by = args[0] if args else kwargs["self"]
        check_matplotlib(f"{type(drawn_by).__name__}.{plot.__name__}")
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


def choose_gray(ax: Axes, strength: float = 1.0) -> str:
    """Return the gray that stands out against the axes: black if they are light, white if dark.

    With less strength, it is a gray on the way from the background to there. What is behind
    transparent axes and figures is unknown, but text is readable on it.
    """
    from matplotlib import rcParams
    from matplotlib.colors import to_rgba

    def lightness(color: Any) -> float:
        return float(np.dot(to_rgba(color)[:3], (0.299, 0.587, 0.114)))

    behind = 1 - lightness(rcParams["text.color"])
    for patch in (ax.figure.figure, ax):
        color = patch.get_facecolor()
        behind += to_rgba(color)[3] * (lightness(color) - behind)
    most = 0.0 if behind > 0.5 else 1.0
    return f"{behind + strength * (most - behind):.3g}"


class _LabelWrapper(TextWrapper):
    """Break lines at spaces, and within names only after a mark such as "_" if one is there."""

    wordsep_simple_re = re.compile(r"(\s+|(?<=\w[_/-])(?=\w)|(?<=[^\W\d]\.)(?=[^\W\d]))")


def wrap_label(name: str, width: int = _PANEL_WIDTH) -> str:
    """Break a text into lines, and keep the breaks that it has."""
    wrapper = _LabelWrapper(width, break_on_hyphens=False)
    return "\n".join(line for each in name.split("\n") for line in wrapper.wrap(each))


def escape_dollars(name: str) -> str:
    """Return a name for a text of matplotlib, which would read what is between dollars as math."""
    return name.replace("$", r"\$")


def keep_underscore(entry: str) -> str:
    """Let legends show an entry as it is: they ignore labels that begin with an underscore."""
    return escape_dollars(f" {entry}" if entry.startswith("_") else entry)
