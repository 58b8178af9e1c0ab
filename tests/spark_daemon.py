"""Starts Spark's workers from a process that has already imported what is slow to import."""

import pandas as pd  # noqa: F401
import pyarrow as pa  # noqa: F401
from pyspark.daemon import manager

import sklearn_ap.spark  # noqa: F401

if __name__ == "__main__":
    manager()
