"""Measuring times and memory."""

import gc
import math
import subprocess
import sys
import time
import tracemalloc
import warnings
from collections import deque
from statistics import median

import numpy as np

import sklearn_ap

from .sides import OURS

TURN = 0.003  # the shortest turn, in seconds
FEWEST = 5  # the fewest rounds
SLOW, FEWEST_OF_SLOW = 1.0, 3  # calls that take longer than this get fewer rounds


def run(race, size, n_samples, budget):
    """Time all sides that are installed and agree with us, and report those that don't."""
    arrays = race.make(n_samples)
    result = {"work": race.work, "size": size, "samples": n_samples}
    result |= {"missing": {}, "disagree": {}, "off_by": {}, "seconds": {}, "ratios": {}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about groups without positives, and from other tools
        try:
            ours = race.ours.prepare(*arrays)
        except ImportError as error:
            return result | {"missing": {OURS: error.name}}
        sides = {OURS: timer(race.ours, ours)}
        for name, side in race.against.items():
            if n_samples > side.largest:
                continue
            try:
                call = side.prepare(*arrays)
            except ImportError as error:
                result["missing"][name] = error.name
                continue
            if side.value is not None:
                error, wrong = compare(race, side, call, ours)
                if wrong:
                    result["disagree"][name] = wrong
                    continue
                result["off_by"][name] = error
            sides[name] = timer(side, call)
        return result | summary(in_turn(sides, budget))


def compare(race, side, call, ours):
    """Return how much the values differ, and a pair of values that differ too much, if any."""
    calls = [(call, ours)]
    if race.probe:
        calls.append((side.prepare(*race.probe), race.ours.prepare(*race.probe)))
    errors = []
    for one, other in calls:
        theirs = np.atleast_1d(side.value(one())).astype(float)
        mine = np.atleast_1d(race.ours.value(other())).astype(float)
        if theirs.shape != mine.shape:
            return np.nan, (theirs.size, mine.size)
        close = np.isclose(theirs, mine, rtol=side.relative, atol=side.tolerance)
        if not close.all():
            worst = np.argmin(close)
            return np.nan, (float(theirs[worst]), float(mine[worst]))
        errors.append(float(np.abs(theirs - mine).max()))
    return errors[0], None


def timer(side, call):
    """Return a function that measures the mean time of a number of calls in a row."""

    def seconds(times):
        if side.clock:
            return side.parts * sum(side.clock(call()) for _ in range(times)) / times
        start = time.perf_counter()
        for _ in range(times):
            call()
        return side.parts * (time.perf_counter() - start) / times

    return seconds


def in_turn(timers, budget, most=201):
    """Time all sides in turn, until each of them has used its budget of seconds.

    A turn takes at least a few milliseconds: faster calls are repeated, as they are if you score
    folds or bootstrap samples. Each round starts with another side.
    """

    def turn(name):
        start = time.perf_counter()
        seconds = timers[name](in_a_row.get(name, 1))
        return seconds, time.perf_counter() - start

    in_a_row, fewest = {}, {}
    for name in timers:
        pace = turn(name)[1]
        in_a_row[name] = math.ceil(TURN / max(pace, 1e-7))
        fewest[name] = FEWEST_OF_SLOW if pace > SLOW else FEWEST
    spent = dict.fromkeys(timers, 0.0)
    times = {name: [] for name in timers}
    names = deque(timers)
    gc.collect()
    for _ in range(most):
        due = [name for name in names if spent[name] < budget or len(times[name]) < fewest[name]]
        if not due:
            break
        for name in due:
            seconds, took = turn(name)
            times[name].append(seconds)
            spent[name] += took
        names.rotate()
    return times


def summary(times):
    ours = times[OURS]
    return {
        "seconds": {name: _spread(had) for name, had in times.items()},
        "ratios": {name: _ratio(had, ours) for name, had in times.items() if name != OURS},
    }


def _ratio(theirs, ours):
    """Return the ratios of their times to ours, over the rounds in which both ran."""
    rounds = min(len(theirs), len(ours))
    theirs, ours = theirs[:rounds], ours[:rounds]
    each = _spread([their / our for their, our in zip(theirs, ours, strict=True)])
    return each | {"of_medians": median(theirs) / median(ours)}


def _spread(values):
    return {
        "min": min(values),
        "median": median(values),
        "max": max(values),
        "rounds": len(values),
    }


def peak_bytes(call):
    """Return the peak memory of a call, beyond what was allocated before."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def import_seconds(repeats=7):
    """Time the import of a metric where scikit-learn's metrics have already been imported."""
    code = (
        "import time, sklearn.metrics; start = time.perf_counter(); "
        "from sklearn_ap import average_precision_score; "
        "print(time.perf_counter() - start)"
    )
    command = [sys.executable, "-c", code]
    times = [
        float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        for _ in range(repeats)
    ]
    return _spread(times)


def calls(function):
    """Count the calls within the package: a cost that doesn't depend on the machine."""
    return len(called_by(function))


def called_by(function):
    """Return the code of each call within the package, when the function is called again."""
    (folder,), codes = sklearn_ap.__path__, []

    def called(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(folder):
            codes.append(frame.f_code)

    function()  # which imports what it needs
    before = sys.getprofile()
    sys.setprofile(called)
    try:
        function()
    finally:
        sys.setprofile(before)
    return codes


def machine():
    """Describe the hardware that the timings depend on."""
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})
    return {"cpu": _cpu(), "simd": simd.get("baseline", []) + simd.get("found", [])}


def kinds():
    """Map what NumPy can sort with on this machine to the features that have to be disabled."""
    known = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])
    long = [name for name in known if name == "X86_V4" or name.startswith("AVX512")]
    short = [name for name in known if name == "X86_V3" or name.startswith("AVX2")]
    if not (long and short):
        raise SystemExit("--docs needs a processor with AVX-512, and NumPy 2.3 or later.")
    # The generations of AMD are told apart, because NumPy's sort with AVX-512 is slow on Zen 4.
    generation = {"25": "Zen 4", "26": "Zen 5"}.get(_cpu("cpu family"), "AMD")
    maker = generation if "AMD" in _cpu() else "Intel"
    return {f"AVX-512 ({maker})": [], "AVX2": long, "neither": long + short}


def _cpu(entry="model name"):
    import platform

    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            found = {line.partition(":")[2].strip() for line in lines if line.startswith(entry)}
        return ", ".join(sorted(found))
    except OSError:
        return platform.processor() or platform.machine()
