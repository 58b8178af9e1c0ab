"""Time and memory of Dask collections, against scikit-learn and against a distributed sort.

Each value is checked against scikit-learn's before anything is timed. Needs dask[array,dataframe]
and distributed.

Usage: python benchmarks/large_data.py [memory | times]
"""

import math
import statistics
import sys
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import psutil
from distributed import Client, LocalCluster
from sklearn.metrics import average_precision_score as theirs

from sklearn_ap.dask import average_precision_bounds, average_precision_score

POSITIVES = (0.01, 0.5)
REPEATS = 3


def make(n_samples, share, seed):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n_samples) < share).astype(np.int8)
    return labels, rng.standard_normal(n_samples) + labels


def lazy_arrays(n_samples, n_chunks, share):
    """Arrays whose chunks are made when they are asked for."""
    size = n_samples // n_chunks
    made = [dask.delayed(make, nout=2, pure=True)(size, share, seed) for seed in range(n_chunks)]
    labels = [da.from_delayed(chunk[0], (size,), np.int8) for chunk in made]
    scores = [da.from_delayed(chunk[1], (size,), np.float64) for chunk in made]
    return da.concatenate(labels), da.concatenate(scores)


def gathered(labels, scores):
    return theirs(labels.compute(), scores.compute())


def by_sorting(table):
    """Average precision as one would write it with Dask alone: sort, then running sums."""
    ordered = table.sort_values("score", ascending=False)
    ordered["found"] = ordered["label"].cumsum()
    ordered["rank"] = ordered["one"].cumsum()
    hits = ordered[ordered["label"] == 1]
    return (hits["found"] / hits["rank"]).mean().compute()


def seconds(function, *args):
    start = time.perf_counter()
    value = function(*args)
    return time.perf_counter() - start, value


def times():
    print("1e7 rows in 10 chunks, in memory, threads: seconds, and ratios to ours")
    for share in POSITIVES:
        parts = [make(1_000_000, share, seed) for seed in range(10)]
        labels, scores = (np.concatenate(column) for column in zip(*parts, strict=True))
        chunked = [da.from_array(part, chunks=1_000_000) for part in (labels, scores)]
        frame = pd.DataFrame({"label": labels.astype(np.int64), "score": scores, "one": 1})
        table = dd.from_pandas(frame, npartitions=10)
        rivals = {
            "ours": (average_precision_score, *chunked),
            "bounds": (lambda *args: average_precision_bounds(*args).estimate, *chunked),
            "scikit-learn": (gathered, *chunked),
            "dask's sort": (by_sorting, table),
        }
        expected = theirs(labels, scores)
        spent = {name: [] for name in rivals}
        for _ in range(REPEATS):
            for name, (function, *args) in rivals.items():
                took, value = seconds(function, *args)
                tolerance = 1e-3 if name == "bounds" else 1e-9
                if not math.isclose(value, expected, abs_tol=tolerance):
                    raise SystemExit(f"{name} gives {value!r}, not {expected!r}")
                spent[name].append(took)
        ours = statistics.median(spent["ours"])
        for name, all_ in spent.items():
            median = statistics.median(all_)
            print(f"{share:>5.0%} {name:>14} {median:>8.2f} s {median / ours:>7.1f}")


def memory():
    print("4e7 lazy rows in 40 chunks, two workers: MB that each worker grows by at most")
    for share in POSITIVES:
        for name, score in (
            ("average_precision_score", average_precision_score),
            ("average_precision_bounds", average_precision_bounds),
        ):
            if name == "average_precision_score" and share > 0.1:
                continue  # 2e7 distinct scores of positives: refused, and bounds are named
            # Workers that the first call has not grown.
            options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
            with LocalCluster(**options) as cluster, Client(cluster) as client:
                labels, scores = lazy_arrays(40_000_000, 40, share)
                client.run(_imports)
                before = client.run(_now)
                took, value = seconds(score, labels, scores)
                after = client.run(_peak)
            grown = ", ".join(f"{after[worker] - before[worker]:.0f}" for worker in before)
            print(f"{share:>5.0%} {name:>25} {took:>6.1f} s  {grown} MB  {value}")


def _imports():
    import sklearn_ap.dask  # noqa: F401


def _now():
    """The memory that the process has, in MB."""
    return psutil.Process().memory_info().rss / 1e6


def _peak():
    """The most memory that the process has had, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    # Memory first: the peak of a new process starts where its parent's was.
    wanted = sys.argv[1:] or ["memory", "times"]
    for name in wanted:
        {"times": times, "memory": memory}[name]()
