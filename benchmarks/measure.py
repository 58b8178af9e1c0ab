"""Seconds and bytes."""

import gc
import math
import subprocess
import sys
import time
import tracemalloc
import warnings
from statistics import median

import numpy as np

from .others import IN_SINGLE_PRECISION

# How far another value may lie from ours; some sum in single precision whatever they are given.
TOLERANCE, SINGLE = 1e-9, 1e-4
TURN = 0.003  # seconds
FEWEST = 3  # rounds; the slowest sides get no more


def seconds(call, times=1):
    """What one call takes, in the mean over so many in a row."""
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times


def in_turn(calls, budget, most=201):
    """The times of each call, made in turn until each has had its budget of seconds.

    A turn lasts at least a few milliseconds: what takes less is called again and again, as by those
    who score folds or bootstrap samples.
    """
    in_a_row = {name: math.ceil(TURN / max(seconds(call), 1e-7)) for name, call in calls.items()}
    times = {name: [] for name in calls}
    gc.collect()
    for _ in range(most):
        due = [
            name
            for name, had in times.items()
            if sum(had) * in_a_row[name] < budget or len(had) < FEWEST
        ]
        if not due:
            break
        for name in due:
            times[name].append(seconds(calls[name], in_a_row[name]))
    return times


def run(race, budget):
    """Times of all sides that are there and agree; what the others gave instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # groups without positives
        value = race.ours()
        given = {name: float(call()) for name, call in race.others.items() if call is not None}
        agree = [
            name
            for name, other in given.items()
            if math.isclose(value, other, rel_tol=0, abs_tol=tolerance(name))
        ]
        calls = {"sklearn_ap": race.ours, **race.yardsticks}
        calls |= {name: race.others[name] for name in agree}
        times = in_turn(calls, budget)
    return summary(race, value, given, agree, times)


def tolerance(name):
    return SINGLE if name in IN_SINGLE_PRECISION else TOLERANCE


def summary(race, value, given, agree, times):
    ours = times["sklearn_ap"]
    return {
        "name": race.name,
        "value": value,
        "seconds": {name: _spread(had) for name, had in times.items()},
        "ratios": {
            name: _spread([other / own for other, own in zip(had, ours, strict=False)])
            | {"of_medians": median(had) / median(ours)}
            for name, had in times.items()
            if name != "sklearn_ap"
        },
        "off_by": {name: abs(given[name] - value) for name in agree},
        "disagree": {name: other for name, other in given.items() if name not in agree},
        "missing": [name for name in race.others if name not in given],
        "goals": [vars(goal) for goal in race.goals],
    }


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
