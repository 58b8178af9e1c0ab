"""Time metrics of arrays on a GPU beside scikit-learn's dispatch and torchmetrics.

Needs PyTorch and torchmetrics, and CuPy if it is there. Without a GPU, tensors stay on the CPU,
which only shows that the script runs. Each value is compared with the one of NumPy arrays. A row
that fails prints its error. Times are medians, synchronized.

Usage: python benchmarks/gpu.py [SECONDS]
"""

import os
import sys
import time
from importlib.util import find_spec

import numpy as np

SECONDS = 90  # after which no more sizes are begun
SIZES = (  # samples, type of the scores, fraction of positives
    (10**5, "float32", 0.01),
    (10**6, "float64", 0.5),
    (10**7, "float32", 0.01),
    (10**7, "float64", 0.5),
    (10**8, "float32", 0.01),
)
MOST = 10**7  # samples of which NumPy's value is computed, too
START = time.perf_counter()


def main():
    os.environ["SCIPY_ARRAY_API"] = "1"  # before SciPy is imported, for scikit-learn's dispatch
    import sklearn
    import torch

    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    device = "cuda" if torch.cuda.is_available() else "cpu"
    name = torch.cuda.get_device_name() if device == "cuda" else device
    print(f"{name}, torch {torch.__version__}, scikit-learn {sklearn.__version__}")
    for size, dtype, share in SIZES:
        if time.perf_counter() - START < seconds:
            compare(size, dtype, share, device, seconds)


def compare(size, dtype, share, device, seconds):
    import sklearn
    import torch
    from sklearn.metrics import average_precision_score as theirs

    import sklearn_ap as ap

    metrics = {
        "AP": ap.average_precision_score,
        "envelope": ap.interpolated_average_precision_score,
        "11-point": ap.eleven_point_average_precision_score,
        "AP@100": ap.metric("AP@100"),
        "P@1%": ap.metric("P@1%"),
    }
    rng = np.random.default_rng(0)
    labels = (rng.random(size, dtype=np.float32) < share).astype(np.int64)
    scores = (rng.standard_normal(size, dtype=np.float32) + labels).astype(dtype)
    print(f"\n{size:.0e} {dtype}, {share:.0%} positives")
    y, s = (torch.as_tensor(column, device=device) for column in (labels, scores))
    expected = dict.fromkeys(metrics)
    if size <= MOST:
        expected = {name: metric(labels, scores) for name, metric in metrics.items()}
    for name, metric in metrics.items():
        row(name, lambda metric=metric: metric(y, s), seconds, expected[name])
    if find_spec("cupy"):
        import cupy

        on_cupy = [cupy.asarray(column) for column in (labels, scores)]
        row("AP, CuPy", lambda: metrics["AP"](*on_cupy), seconds, expected["AP"])
    if size < MOST:
        row("AP, NumPy", lambda: metrics["AP"](labels, scores), seconds, expected["AP"])
    with sklearn.config_context(array_api_dispatch=True):
        row("AP of scikit-learn, dispatch", lambda: theirs(y, s), seconds, expected["AP"])
    if find_spec("torchmetrics"):
        from torchmetrics.functional.classification import binary_average_precision

        shares = torch.sigmoid(s)  # which float32 rounds
        row("AP of torchmetrics", lambda: binary_average_precision(shares, y), seconds)
    row("one torch.sort", lambda: torch.sort(s)[0][0], seconds)
    if size == 10**6:
        columns = y.reshape(-1, 20), s.reshape(-1, 20)
        row("AP of 20 columns", lambda: metrics["AP"](*columns), seconds)
    if device == "cuda" and size == MOST:
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        metrics["AP"](y, s)
        peak = (torch.cuda.max_memory_allocated() - before) / 1e6
        print(f"    memory at the peak beyond the input: {peak:.0f} MB")


def row(name, call, seconds, expected=None):
    """Print the median of the milliseconds of a call, and how far its value is off."""
    try:
        value, took = call(), []
        while len(took) < 3 or (len(took) < 7 and time.perf_counter() - START < seconds):
            synchronize()
            start = time.perf_counter()
            value = call()
            synchronize()
            took.append(time.perf_counter() - start)
    except Exception as error:
        print(f"    {name:30} {type(error).__name__}: {str(error)[:90]}", flush=True)
        return
    off = "" if expected is None else f"off by {abs(float(value) - expected):.1e}"
    print(f"    {name:30} {1000 * sorted(took)[len(took) // 2]:9.2f} ms  {off}", flush=True)


def synchronize():
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()


if __name__ == "__main__":
    main()
