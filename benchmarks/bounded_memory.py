"""Measure peak memory and the width of the bounds for 1e8 samples in 10,000 bins, in one pass.

Usage: python benchmarks/bounded_memory.py [number of samples]
"""

import resource
import sys
import time

import numpy as np

from sklearn_ap.streaming import MetricAccumulator

CHUNK = 1_000_000
N_BINS = 10_000
POSITIVES = 0.01


def peak_mb():
    """Return the peak memory of the process so far, in MB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


def chunks(n_samples):
    for seed in range(n_samples // CHUNK):
        rng = np.random.default_rng(seed)
        labels = rng.random(CHUNK) < POSITIVES
        yield labels, rng.standard_normal(CHUNK) + 2 * labels


def main():
    n_samples = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000_000
    imported = peak_mb()
    for _ in chunks(CHUNK):
        pass
    made = peak_mb()
    stream = MetricAccumulator(n_bins=N_BINS)
    seconds = 0.0
    for labels, scores in chunks(n_samples):
        start = time.perf_counter()
        stream.update(labels, scores)
        seconds += time.perf_counter() - start
    found = stream.bounds()
    print(stream)
    print(f"{found.low:.6f} <= AP <= {found.high:.6f}, width {found.high - found.low:.1e}")
    print(f"peak memory beyond the imported package: {peak_mb() - imported:.0f} MB,")
    print(f"including {made - imported:.0f} MB for the chunks; {seconds:.0f} s for the updates")


if __name__ == "__main__":
    main()
