"""How the tables of refused calls in test_refusals*.py are written, and what their calls share."""

import itertools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pytest

from . import examples, registry

# scikit-learn's messages, which are passed on
MESSAGES_OF_SEVERAL_LINES = (
    "Expected 2D array",
    "Complex data not supported",
    "Pass pos_label=, the class to rank first",  # a search shows it below each traceback
)

# Functions that refuse the same
PLAIN = registry.PLAIN
AT_A_K = registry.AT_A_K
CURVES = examples.CURVES
EVERY = examples.EVERY


@dataclass(frozen=True)
class Refusal:
    """Calls, what may stand in each of their places, the type of the error, and its words."""

    words: str
    calls: tuple[Callable, ...]
    options: tuple[tuple, ...]
    error: type[Exception]


def refused(words, call, *options, error=ValueError):
    """Make a row of a table: a call, or a list of calls, that is refused in these words.

    A call has a parameter for each list of options, and is made with each combination of them, so
    `lambda f, k: f(Y, S, k=k)` with `[AP, MAP]` and `[0, -1]` are four calls. " ... " in the words
    stands for any text.
    """
    calls = tuple(call) if isinstance(call, list) else (call,)
    return Refusal(words, calls, tuple(map(tuple, options)), error)


def name_option(option):
    """Name an option in the id of a test, without the addresses of objects."""
    name = getattr(option, "__name__", None)
    if name is not None:
        return name
    return repr(option) if isinstance(option, bool | int | float | str | None) else ""


def list_calls(rows: Iterable[Refusal]):
    """Return a parameter of pytest for each call of a table, whose id has the row's line and what
    its words begin with.
    """
    calls = []
    for row in rows:
        begin = row.words.encode("ascii", "replace").decode()[:40]
        for call, *options in itertools.product(row.calls, *row.options):
            names = filter(None, map(name_option, options))
            line = call.__code__.co_firstlineno
            name = "-".join([f"line {line}", *names, begin])
            calls.append(pytest.param(row, call, options, id=name))
    return calls


def refuses(rows):
    """Make the test that each call of a table is refused with its type of error and its words."""

    @pytest.mark.parametrize(("row", "call", "options"), list_calls(rows))
    def test(row, call, options):
        pattern = ".*".join(map(re.escape, row.words.split(" ... ")))
        with pytest.raises(row.error, match=pattern) as caught:
            call(*options)
        assert all(isinstance(arg, str) for arg in caught.value.args)
        message = str(caught.value)
        if not any(text in message for text in MESSAGES_OF_SEVERAL_LINES):
            assert "\n" not in message
            assert len(message) < 700

    return test
