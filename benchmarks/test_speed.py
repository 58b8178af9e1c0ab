"""What must not get slower, in some minutes: python -m pytest benchmarks.

Compare with a run before a change by --benchmark-autosave and then --benchmark-compare; nothing
here fails for being slow. `-k strings` runs a part.
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
        warnings.simplefilter("ignore")  # groups without positives
        benchmark(call)
