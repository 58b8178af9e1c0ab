"""Compare the speed with Spark's own evaluator, and measure how much the driver's memory grows.

Needs sklearn_ap[spark], psutil and Java 17 or later. The data are Parquet files in a temporary
folder. The driver is the Python process and its JVM. When memory is measured, executors run in
separate processes, which is what `local-cluster` means.

Usage: python benchmarks/spark.py [speed | memory]
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

POSITIVES = (0.05, 0.5)
ROUNDS = 5
NAMES = ("label", "score")


def main():
    if len(sys.argv) > 1:
        {"speed": speed, "memory": memory}[sys.argv[1]]()
        return
    for name in ("speed", "memory"):  # a JVM for each
        subprocess.run([sys.executable, __file__, name], check=True)


def speed():
    from pyspark.ml.evaluation import BinaryClassificationEvaluator

    from sklearn_ap import average_precision_score

    with tempfile.TemporaryDirectory() as folder:
        spark = session("local[2]")
        theirs = BinaryClassificationEvaluator(rawPredictionCol="score", metricName="areaUnderPR")
        sides = {
            "BinaryClassificationEvaluator": theirs.evaluate,
            "average_precision_score": lambda table: average_precision_score(*NAMES, data=table),
        }
        print(f"1e6 rows in a Parquet file, local[2]; medians of {ROUNDS} rounds after a warm-up")
        for share in POSITIVES:
            table = spark.read.parquet(write(folder, share, 1))
            took = {name: [] for name in sides}
            for _ in range(ROUNDS + 1):
                for name, evaluate in sides.items():
                    start = time.perf_counter()
                    value = evaluate(data=table)
                    took[name].append(time.perf_counter() - start)
                    print(f"{share:>4.0%} {name:<30} {took[name][-1]:6.2f}  {value}", flush=True)
            first, other = (median(some[1:]) for some in took.values())
            times = f"{other:.2f} s ({first / other:.1f} times)"
            print(f"{share:>4.0%} {first:.2f} s compared with {times}")
        spark.stop()


def memory():
    from sklearn_ap import average_precision_score

    with tempfile.TemporaryDirectory() as folder:
        spark = session("local-cluster[2,1,2048]")
        print("1e7 rows in 10 Parquet files, two executors: peak growth of the driver's memory, MB")
        small = spark.read.parquet(write(folder, 0.01, 1))
        average_precision_score(*NAMES, data=small)  # so that everything is loaded
        jvm = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
        for share in POSITIVES:
            table = spark.read.parquet(write(folder, share, 10))
            before = memory_of(os.getpid()), memory_of(jvm)
            start = time.perf_counter()
            value = average_precision_score(*NAMES, data=table)
            took = time.perf_counter() - start
            after = peak_of(os.getpid()), peak_of(jvm)
            grown = [then - now for then, now in zip(after, before, strict=True)]
            print(f"{share:>4.0%} Python {grown[0]:.0f}, JVM {grown[1]:.0f}  {took:.1f} s  {value}")
        spark.stop()


def session(master):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", False)
        .config("spark.ui.showConsoleProgress", False)
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def write(folder, share, n_files):
    """Write one million rows per file, with scores of a model that is better than chance."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(folder, f"{share}-{n_files}")
    path.mkdir()
    for seed in range(n_files):
        rng = np.random.default_rng(seed)
        labels = rng.random(10**6) < share
        scores = rng.standard_normal(10**6) + labels
        table = pa.table({"label": labels.astype(float), "score": scores})
        pq.write_table(table, path / f"{seed}.parquet")
    return str(path)


def memory_of(pid):
    """Return the memory of a process in MB."""
    return field_of(pid, "VmRSS")


def peak_of(pid):
    return field_of(pid, "VmHWM")


def field_of(pid, name):
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(text.partition(f"{name}:")[2].split()[0]) / 1e3


if __name__ == "__main__":
    main()
