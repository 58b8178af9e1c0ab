"""A short version of the benchmarks, to notice slowdowns: python -m pytest benchmarks.

Run it with --benchmark-autosave before a change and with --benchmark-compare after it. Nothing here
fails for being slow. Use `-k strings` to run a part of it.
"""

import warnings

import pytest

from .races import RACES

pytest.importorskip("pytest_benchmark")
LARGEST = 10**5
SOME = [(race, size) for race in RACES for size in race.sizes if size <= LARGEST]


@pytest.mark.parametrize(("race", "size"), SOME, ids=[f"{race.work}: {n:,}" for race, n in SOME])
def test_race(benchmark, race, size):
    try:
        call = race.ours.prepare(*race.make(size))
    except ImportError as error:
        pytest.skip(f"needs {error.name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about groups without positives
        benchmark(call)
