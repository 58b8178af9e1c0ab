"""Seconds and bytes."""

import gc
import math
import subprocess
import sys
import time
import tracemalloc
import warnings
from collections import deque
from functools import partial
from statistics import median

import numpy as np

from .others import TOLERANCE, TOLERANCES, is_installed

TURN = 0.003  # seconds
FEWEST = 5  # rounds; the slowest sides get no more


def seconds(call, times=1):
    """What one call takes, in the mean over so many in a row."""
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times


def in_turn(calls, budget, most=201):
    """The times of each call, made in turn until each has had its budget of seconds.

    A turn lasts at least a few milliseconds: what takes less is called again and again, as by those
    who score folds or bootstrap samples. Each round starts with another side.
    """
    in_a_row = {name: math.ceil(TURN / max(seconds(call), 1e-7)) for name, call in calls.items()}
    times = {name: [] for name in calls}
    names = deque(calls)
    gc.collect()
    for _ in range(most):
        due = [
            name
            for name in names
            if sum(times[name]) * in_a_row[name] < budget or len(times[name]) < FEWEST
        ]
        if not due:
            break
        for name in due:
            times[name].append(seconds(calls[name], in_a_row[name]))
        names.rotate()
    return times


def run(race, budget):
    """Times of all sides that are there and agree with us; and who does not."""
    arrays = race.make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # groups without positives
        value = float(race.ours(*arrays))
        result = {"name": race.name, "value": value, "missing": [], "disagree": {}, "off_by": {}}
        calls = {"sklearn_ap": partial(race.ours, *arrays)}
        calls |= {name: partial(call, *arrays) for name, call in race.yardsticks.items()}
        for name, prepare in race.others.items():
            if not is_installed(name):
                result["missing"].append(name)
                continue
            call = prepare(*arrays)
            pairs = [(float(prepare(*race.probe)()), float(race.ours(*race.probe)))]
            pairs.append((float(call()), value))
            wrong = [pair for pair in pairs if abs(pair[0] - pair[1]) > tolerance(name)]
            if wrong:
                result["disagree"][name] = wrong[0]
            else:
                result["off_by"][name] = abs(pairs[1][0] - value)
                calls[name] = call
        times = in_turn(calls, budget)
    goals = [vars(goal) for goal in race.goals]
    return result | {"goals": goals} | summary(times)


def tolerance(name):
    return TOLERANCES.get(name, TOLERANCE)


def summary(times):
    ours = times["sklearn_ap"]
    return {
        "seconds": {name: _spread(had) for name, had in times.items()},
        "ratios": {name: _ratio(had, ours) for name, had in times.items() if name != "sklearn_ap"},
    }


def _ratio(theirs, ours):
    """How often our time goes into theirs, over the rounds in which both ran."""
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
    """The most memory that a call has at once, beyond what there was before."""
    gc.collect()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def import_seconds(repeats=7):
    """What `import sklearn_ap` takes where scikit-learn's metrics are imported already."""
    code = (
        "import time, sklearn.metrics; start = time.perf_counter(); import sklearn_ap; "
        "print(time.perf_counter() - start)"
    )
    command = [sys.executable, "-c", code]
    times = [
        float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        for _ in range(repeats)
    ]
    return _spread(times)


def machine():
    """What the timings hang on."""
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})
    return {"cpu": _cpu(), "simd": simd.get("baseline", []) + simd.get("found", [])}


def _cpu():
    import platform

    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = {line.partition(":")[2].strip() for line in lines if "model name" in line}
        return ", ".join(sorted(names))
    except OSError:
        return platform.processor() or platform.machine()
