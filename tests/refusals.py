"""How the tables of refused calls in test_refusals*.py are read, and what their calls share."""

import re

import pytest

import sklearn_ap as ap

from . import examples, registry

# scikit-learn's messages, which are passed on
OF_SEVERAL_LINES = "Expected 2D array", "Complex data not supported"

# Functions that refuse the same
PLAIN = [function.__name__ for function in registry.PLAIN]
AT_A_K = [function.__name__ for function in registry.AT_A_K]
CURVES = [function.__name__ for function in examples.CURVES]
EVERY = [function.__name__ for function in examples.EVERY]

# What calls may name without an import: this module, examples, and the public names of the package.
SHARED = {name: getattr(ap, name) for name in ap.__all__} | vars(examples) | globals()
SEVERAL = re.compile(r"\{([^{}]*\|[^{}]*|\*\w+)\}")


def calls(text, names):
    """Write out the calls of a row, in which braces list what may stand in one place.

    As in a shell, `"{AP|MAP}(Y, S, k={0|-1})"` are four calls. `{*EVERY}` stands for each item of
    the list EVERY.
    """
    if not (several := SEVERAL.search(text)):
        return [text]
    return [
        call
        for option in several[1].split("|")
        for each in (names[option[1:]] if option.startswith("*") else [option])
        for call in calls(text[: several.start()] + each + text[several.end() :], names)
    ]


def refuses(rows, names):
    """Make the test that each call of a table is refused with this type of error and these words.

    The table has rows `(calls, error, words)`. The error is a ValueError by default, and " ... " in
    the words stands for any text. Calls are evaluated among these names, the globals of a module.
    """
    names = SHARED | names
    params = [
        pytest.param(call, *(error or [ValueError]), words, id=call)
        for text, *error, words in rows
        for call in calls(text, names)
    ]

    @pytest.mark.parametrize(("call", "error", "words"), params)
    def test(call, error, words):
        pattern = ".*".join(map(re.escape, words.split(" ... ")))
        with pytest.raises(error, match=pattern) as caught:
            eval(call, names)
        assert all(isinstance(arg, str) for arg in caught.value.args)
        message = str(caught.value)
        if not any(each in message for each in OF_SEVERAL_LINES):
            assert "\n" not in message
            assert len(message) < 700

    return test
