"""Starts Spark's workers from a process that has already imported what is slow to import."""

# ruff: noqa: E402, F401
import gc
import sys

# Spark passes PySpark as an archive, which each process would compile anew.
sys.path[:] = [entry for entry in sys.path if not entry.endswith(".zip")]

import pandas as pd
import pyarrow as pa
from pyspark.daemon import manager

import sklearn_ap.spark

if __name__ == "__main__":
    # After each task a worker collects garbage: in 0.2 s if it searches all that is imported here.
    gc.freeze()
    manager()
