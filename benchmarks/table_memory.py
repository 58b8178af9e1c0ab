"""Measure how much memory grows at its peak while a table or arrays are evaluated.

The table has ten million rows in a Parquet file, 2% of them positive, which are read in batches.
The arrays have 10 and 30 million distinct scores. Each value comes from a separate process. Needs
PyArrow and Linux.

Usage: python benchmarks/table_memory.py
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

MILLIONS = ("10", "30")
N_ROWS, N_GROUPS, N_SEGMENTS = 10_000_000, 200_000, 20

# What a call takes besides labels and scores, by its name here
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "P@1000": ("precision_at_k_score", {"k": 1000}),
    "AP": ("average_precision_score", {}),
    "interval": ("confidence_interval", {}),
    "MAP": ("mean_average_precision_score", {"groups": "group", "zero_division": 0.0}),
    "weighted": ("average_precision_score", {"sample_weight": "mass"}),
    "of MAP": ("confidence_interval", {"groups": "group", "zero_division": 0.0}),
    "recall": ("operating_point", {"min_recall": 0.8}),
    "hits": ("hit_curve", {}),
    "report": ("report", {"y_score": ["score", "other"], "by": "segment"}),
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        large, small = Path(folder, "large.parquet"), Path(folder, "small.parquet")
        write(large, N_ROWS)
        write(small, 10_000)
        for call in CALLS:
            run(call, str(large))
    for millions in MILLIONS:
        run("arrays", millions)


def run(*arguments):
    subprocess.run([sys.executable, __file__, *arguments], check=True)


def made(seed, share, n_samples=10**6):
    rng = np.random.default_rng(seed)
    labels = rng.random(n_samples) < share
    return labels, rng.standard_normal(n_samples) + 2 * labels


def write(path, n_rows):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    label = rng.random(n_rows) < 0.02
    columns = {
        "label": label.astype(np.int64),
        "score": rng.standard_normal(n_rows) + label,
        "other": rng.standard_normal(n_rows) + label,
        "group": rng.integers(0, N_GROUPS, n_rows),
        "mass": rng.random(n_rows),
        "segment": rng.integers(0, N_SEGMENTS, n_rows),
    }
    pq.write_table(pa.table(columns), path, row_group_size=1_000_000)


def measure(kind, of):
    call, small, whole, n_rows = sides(kind, of)
    call(small)  # so that everything is loaded
    before, start = now(), time.process_time()
    call(whole)
    took, grown = time.process_time() - start, peak() - before
    print(f"{kind:<8} {grown / 1e6:6.0f} MB, {grown / n_rows:.0f} bytes a row, {took:.1f} s")


def sides(kind, of):
    """Return a function, its arguments before and while memory is measured, and how many rows the
    second of them has.
    """
    if kind == "arrays":
        return in_arrays, 1, int(of), int(of) * 10**6
    import sklearn_ap as ap

    name, given = CALLS[kind]
    arguments = {"y_true": "label", "y_score": "score", **given}
    small, whole = Path(of).with_name("small.parquet"), Path(of)
    return lambda path: getattr(ap, name)(**arguments, data=path), small, whole, N_ROWS


def in_arrays(millions):
    from sklearn_ap import average_precision_score

    labels, scores = np.empty(millions * 10**6, bool), np.empty(millions * 10**6)
    for seed in range(millions):
        part = slice(seed * 10**6, (seed + 1) * 10**6)
        labels[part], scores[part] = made(seed, 0.01)
    return average_precision_score(labels, scores)


def now():
    """Return the current memory of the process, in bytes."""
    text = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(text.partition("VmRSS:")[2].split()[0]) * 1024


def peak():
    """Return the peak memory of the process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(*sys.argv[1:])
    else:
        main()
