"""What options may be, and where warnings point."""

import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import field
from importlib import import_module
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from ..exceptions import InvalidParameterError


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called this package, or scikit-learn, which calls its scorers."""
    n_frames = 2
    frame = sys._getframe(1)
    between = ("sklearn_ap.", "sklearn.", "joblib.")
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(between):
        n_frames += 1
        frame = frame.f_back
    warnings.warn(message, category, stacklevel=n_frames)


def load(module: str, user: str) -> Any:
    """Import a library that only some functions need, or say who needs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        library = module.partition(".")[0]
        raise ModuleNotFoundError(
            f"{user} needs {library}: python -m pip install {library}", name=library
        ) from error


def is_number(value: Any) -> bool:
    # NumPy calls differences of times integers.
    return isinstance(value, Real) and not isinstance(value, bool | np.timedelta64)


def is_finite(value: Any) -> bool:
    """Whether a number is one that a float can hold."""
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) < 2**1023
    return is_number(value) and isfinite(value)


def _is_count(value: Any, least: int) -> bool:
    """Whether it's an int from here on, which can be added to others in 64 bits."""
    is_int = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_int and bool(least <= value <= 2**62)


def _is_share(value: Any) -> bool:
    return isinstance(value, float | np.floating) and bool(0 < value <= 1)


def _has_two_ends(value: Any) -> bool:
    if not (isinstance(value, tuple | list) and len(value) == 2):
        return False
    return all(map(is_number, value)) and value[0] < value[1]


def choose_from(*words: str | None) -> Any:
    """Declare an option of a definition that takes these words, of which the first is usual."""
    return field(default=words[0], metadata={"words": words})


_DICT = (lambda value: isinstance(value, Mapping | None)), "a dict, or None"
_SIZE = (lambda value: value is None or (is_finite(value) and value > 0)), "a number above 0"
_TARGET = (lambda value: is_number(value) and 0 <= value <= 1), "a number in [0, 1]"

# Words of parameters of functions; definitions declare those of their options
_WORDS = {
    "area": ("all", "small", "medium", "large"),
    "average": ("macro", "micro", "weighted", "samples", None),
    "iou_type": ("bbox", "segm"),
}
_BOOLEANS = "adjust", "despine", "drop_intermediate", "greater_is_better", "plot_chance_level"
_TARGETS = "min_precision", "min_recall", "min_specificity"

# Of other parameters and of options that are numbers, whether a value is allowed, and what is
_ALLOWED: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(_BOOLEANS, (lambda value: isinstance(value, bool | np.bool_), "True or False")),
    **dict.fromkeys(("chance_level_kw", "curve_kwargs"), _DICT),
    **dict.fromkeys(("n_test", "n_train"), _SIZE),
    **dict.fromkeys(_TARGETS, _TARGET),
    "ax": (lambda value: value is None or hasattr(value, "spines"), "axes of Matplotlib"),
    "confidence_level": (lambda value: _is_share(value) and value != 1, "a number in (0, 1)"),
    "iou": (
        lambda value: (
            value is None or all(is_number(x) and 0 < x <= 1 for x in [*np.ravel(value)] or [0])
        ),
        "one or several numbers above 0 and at most 1",
    ),
    "k": (
        lambda value: _is_count(value, 1) or _is_share(value),
        "an int of at least 1, or a float in (0, 1] for a fraction of each ranking; at most 2**62",
    ),
    "limits": (_has_two_ends, "the lowest and the highest value of the function, such as (0, 1)"),
    "max_detections": (lambda value: _is_count(value, 1), "an int of at least 1"),
    "min_grade": (lambda value: value is None or is_finite(value), "a finite number"),
    "n_points": (lambda value: _is_count(value, 2), "an int of at least 2, and at most 2**62"),
    "name": (lambda value: isinstance(value, str | None), "text"),
    "pos_label": (
        lambda value: is_number(value) or isinstance(value, bool | np.bool_ | str),
        "a number, bool or str",
    ),
    "response_method": (
        lambda value: (
            isinstance(value, str | list | tuple) and all(isinstance(each, str) for each in value)
        ),
        "the name of a method, or a list of names",
    ),
    "zero_division": (
        lambda value: (
            (isinstance(value, str | bool) or is_number(value))
            and (value in ("warn", 0, 1) or value != value)
        ),
        "'warn', 0, 1 or nan",
    ),
}


def check(**options: Any) -> None:
    """Refuse an option whose value isn't allowed."""
    for name, value in options.items():
        check_option(name, value)


def list_axes(axes: Any, n: int) -> list[Any]:
    """Return so many axes of Matplotlib as a list, or refuse what is something else."""
    listed = [*np.ravel(axes)]
    for ax in listed:
        check(ax=ax)
    if len(listed) != n:
        raise ValueError(f"plot needs {n} axes. Got {len(listed)}.")
    return listed


def check_option(name: str, value: Any, words: tuple[str | None, ...] | None = None) -> None:
    """Refuse a value that is none of the words, or that the tables above don't allow."""
    words = words or _WORDS.get(name)
    if words is not None:
        is_allowed = isinstance(value, str | None) and value in words
        text = f"one of {', '.join(map(repr, words))}"
    else:
        is_in_range, text = _ALLOWED[name]
        is_allowed = is_in_range(value)
    if not is_allowed:
        raise InvalidParameterError(f"{name} must be {text}. Got {value!r} instead.")
