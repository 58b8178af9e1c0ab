"""How many calls of ours a function makes: a cost that doesn't depend on the machine."""

import sys

import numpy as np
import pytest

import sklearn_ap as ap

RNG = np.random.default_rng(0)
Y, SCORE = (RNG.random(100) < 0.3).astype(int), RNG.random(100)


def calls_of(function):
    """Return the modules of all calls within the package, once everything is imported."""
    (folder,), modules = ap.__path__, []

    def called(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(folder):
            modules.append(frame.f_code.co_filename)

    function()
    before = sys.getprofile()
    sys.setprofile(called)
    try:
        function()
    finally:
        sys.setprofile(before)
    return modules


@pytest.mark.parametrize(
    ("function", "most_calls", "most_modules"),
    [
        (lambda: ap.average_precision_score(Y, SCORE), 60, 12),
        (lambda: ap.compat.identify(0.5, Y, SCORE), 5000, 107),
    ],
    ids=["average_precision_score", "identify"],
)
def test_a_call_makes_few_calls(function, most_calls, most_modules):
    modules = calls_of(function)
    assert len(modules) <= most_calls
    assert len(set(modules)) <= most_modules
