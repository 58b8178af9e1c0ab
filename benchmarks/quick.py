"""Time average_precision_score against scikit-learn's, after checking that the values agree."""

import math
import statistics
import time

import numpy as np
from sklearn.metrics import average_precision_score as theirs

from sklearn_ap import average_precision_score as ours

# number of samples -> how often each side is timed
REPEATS = {1_000: 201, 100_000: 21, 1_000_000: 7}
POSITIVES = (0.01, 0.5)


def make_ranking(n_samples, share, seed=0):
    """Return labels with this share of positives, and scores that tell them apart a little."""
    rng = np.random.default_rng(seed)
    y_true = np.zeros(n_samples, dtype=np.int64)
    y_true[: round(share * n_samples)] = 1
    rng.shuffle(y_true)
    return y_true, rng.standard_normal(n_samples) + y_true


def seconds(function, *args):
    start = time.perf_counter()
    function(*args)
    return time.perf_counter() - start


def compare(y_true, y_score, repeats):
    """Return the median seconds of scikit-learn and of ours, timed in turn."""
    expected, got = theirs(y_true, y_score), ours(y_true, y_score)
    if not math.isclose(expected, got, rel_tol=0, abs_tol=1e-12):
        raise SystemExit(f"values differ: scikit-learn {expected!r}, sklearn_ap {got!r}")
    timings = [
        (seconds(theirs, y_true, y_score), seconds(ours, y_true, y_score)) for _ in range(repeats)
    ]
    return [statistics.median(column) for column in zip(*timings, strict=True)]


def main():
    print("  samples  positives  scikit-learn    sklearn_ap   ratio")
    for n_samples, repeats in REPEATS.items():
        for share in POSITIVES:
            sklearn_s, ours_s = compare(*make_ranking(n_samples, share), repeats)
            print(
                f"{n_samples:>9,}  {share:>9.0%}  {sklearn_s * 1e3:>9.3f} ms"
                f"  {ours_s * 1e3:>9.3f} ms  {sklearn_s / ours_s:>6.1f}"
            )


if __name__ == "__main__":
    main()
