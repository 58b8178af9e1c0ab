"""Measure how much memory grows at its peak while a table or a stream is scored.

The first table has 16 million rows in 16 Parquet files, which are read as a whole or in batches.
The second one has 10 and 30 million distinct scores, in an accumulator or in arrays. Each value
comes from a separate process. Needs PyArrow, polars and DuckDB, and Linux.

Usage: python benchmarks/table_memory.py
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

NAMES = ["label", "score"]
POSITIVES = ("0.01", "0.5")
MILLIONS = ("10", "30")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for share in POSITIVES:
            write(Path(folder, share), float(share), 16, 10**6)
        write(Path(folder, "small"), 0.1, 1, 1000)
        for share in POSITIVES:
            for kind in ("read", "path", "polars", "duckdb"):
                run(kind, str(Path(folder, share)))
    for millions in MILLIONS:
        for kind in ("stream", "arrays"):
            run(kind, millions)


def run(*arguments):
    subprocess.run([sys.executable, __file__, *arguments], check=True)


def made(seed, share, n_samples=10**6):
    rng = np.random.default_rng(seed)
    labels = rng.random(n_samples) < share
    return labels, rng.standard_normal(n_samples) + 2 * labels


def write(folder, share, n_files, n_rows):
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    for seed in range(n_files):
        labels, scores = made(seed, share, n_rows)
        columns = {"label": labels.astype(np.int64), "score": scores}
        pq.write_table(pa.table(columns), folder / f"{seed:02}.parquet")


def measure(kind, of):
    call, small, whole = sides(kind, of)
    call(small)  # so that everything is loaded
    before, start = now(), time.process_time()
    value = call(whole)
    took, grown = time.process_time() - start, peak() - before
    per = f", {grown / (int(of) * 1e6):.0f} bytes per score" if kind in ("stream", "arrays") else ""
    print(f"{Path(of).name:>4} {kind:<7} {grown / 1e6:6.0f} MB{per}, {took:.1f} s  {value}")


def sides(kind, of):
    """Return a function, and its arguments before and while memory is measured."""
    from sklearn_ap import average_precision_score

    if kind in ("stream", "arrays"):
        return {"stream": streamed, "arrays": in_arrays}[kind], 1, int(of)
    small = str(Path(of, "..", "small"))
    return lambda files: average_precision_score(*NAMES, data=opened(kind, files)), small, of


def opened(kind, files):
    pattern = f"{files}/*.parquet"
    if kind == "read":
        import pyarrow.parquet as pq

        return pq.read_table(files, columns=NAMES)
    if kind == "polars":
        import polars as pl

        return pl.scan_parquet(pattern)
    if kind == "duckdb":
        import duckdb

        return duckdb.read_parquet(pattern)
    return Path(files)


def streamed(millions):
    from sklearn_ap.streaming import MetricAccumulator

    stream = MetricAccumulator()
    for seed in range(millions):
        stream.update(*made(seed, 0.01))
    return stream.result()


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
