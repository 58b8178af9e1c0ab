"""Count the bytes a row that calls take at their peak, beyond the input.

python benchmarks/memory.py [--rows 1000000]
"""

import argparse
import sys
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import sklearn_ap as ap


def count_bytes(call: Callable[[], object]) -> int:
    call()  # imports and caches come first
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=10**6)
    n = parser.parse_args().rows
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, n)
    few = (rng.random(n) < 0.01).astype(np.int64)
    scores, group, weight = rng.random(n), rng.integers(0, n // 10, n), rng.random(n)
    other = scores + rng.normal(size=n)
    warnings.simplefilter("ignore")
    calls: dict[str, tuple[int | None, Callable[[], object]]] = {
        # the most that is allowed, and the call
        "AP": (38, lambda: ap.average_precision_score(labels, scores)),
        "AP, 1%": (38, lambda: ap.average_precision_score(few, scores)),
        "AP, rounded": (38, lambda: ap.average_precision_score(labels, scores.round(2))),
        "envelope": (38, lambda: ap.interpolated_average_precision_score(labels, scores)),
        "AP@100": (38, lambda: ap.average_precision_at_k_score(labels, scores, k=100)),
        "MAP": (60, lambda: ap.mean_average_precision_score(labels, scores, groups=group)),
        "nDCG": (None, lambda: ap.ndcg_score(labels, scores, groups=group)),
        "AP with weights": (
            None,
            lambda: ap.average_precision_score(labels, scores, sample_weight=weight),
        ),
        "interval of AP": (80, lambda: ap.confidence_interval(labels, scores)),
        "interval of MAP": (80, lambda: ap.confidence_interval(labels, scores, groups=group)),
        "comparison": (None, lambda: ap.compare(labels, scores, other)),
    }
    print("| | bytes a row | allowed |\n|---|--:|--:|")
    for name, (allowed, call) in calls.items():
        print(f"| {name} | {count_bytes(call) / n:.1f} | {allowed or ''} |", flush=True)


if __name__ == "__main__":
    main()
