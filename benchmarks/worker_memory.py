"""Measure how much the memory of Dask workers grows if the rows do not fit in it.

Needs dask[array] and distributed.

Usage: python benchmarks/worker_memory.py
"""

import time

import dask
import dask.array as da
import numpy as np
import psutil
from distributed import Client, LocalCluster

from sklearn_ap import average_precision_score

POSITIVES = 0.01


def make(n_samples, share, seed):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n_samples) < share).astype(np.int8)
    return labels, rng.standard_normal(n_samples) + labels


def lazy_arrays(n_samples, n_chunks, share):
    """Return arrays whose chunks are made on demand."""
    size = n_samples // n_chunks
    made = [dask.delayed(make, nout=2, pure=True)(size, share, seed) for seed in range(n_chunks)]
    labels = [da.from_delayed(chunk[0], (size,), np.int8) for chunk in made]
    scores = [da.from_delayed(chunk[1], (size,), np.float64) for chunk in made]
    return da.concatenate(labels), da.concatenate(scores)


def main():
    print("4e7 lazy rows in 40 chunks, two workers: peak growth of each worker's memory, MB")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        labels, scores = lazy_arrays(40_000_000, 40, POSITIVES)
        client.run(_imports)
        before = client.run(_now)
        start = time.perf_counter()
        value = average_precision_score(labels, scores)
        took = time.perf_counter() - start
        after = client.run(_peak)
    grown = ", ".join(f"{after[worker] - before[worker]:.0f}" for worker in before)
    print(f"{took:.1f} s  {grown} MB  {value}")


def _imports():
    import sklearn_ap._read.dask  # noqa: F401


def _now():
    """Return the current memory of the process, in MB."""
    return psutil.Process().memory_info().rss / 1e6


def _peak():
    """Return the peak memory of the process so far, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    main()
