"""Time metrics of arrays on a GPU beside NumPy's and torchmetrics', and check their values.

    python benchmarks/gpu.py [--seconds 120]

Needs PyTorch; CuPy, JAX and torchmetrics are timed if they are installed. Times are medians,
synchronized. Without a GPU, it says so and stops.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # so that JAX leaves memory to the others
os.environ["JAX_ENABLE_X64"] = "1"

import sklearn_ap as ap

SIZES = [  # samples, type of scores, fraction of positives
    (10**6, "float32", 0.01),
    (10**6, "float64", 0.5),
    (10**7, "float32", 0.01),
    (10**7, "float64", 0.5),
    (10**8, "float32", 0.01),
    (10**8, "float32", 0.5),
]
METRICS: dict[str, Callable[..., Any]] = {
    "AP": ap.average_precision_score,
    "envelope": ap.interpolated_average_precision_score,
    "11-point": ap.eleven_point_average_precision_score,
    "AP@100": lambda y, s: ap.average_precision_at_k_score(y, s, k=100),
    "P@1%": lambda y, s: ap.precision_at_k_score(y, s, k=0.01),
}


def time_call(call: Callable[[], Any], synchronize: Callable[[], None]) -> tuple[float, Any]:
    """Return the median of the milliseconds of five calls or of one second, and the value."""
    value, times = call(), []
    while len(times) < 5 and sum(times) < 1:
        synchronize()
        start = time.perf_counter()
        value = call()
        synchronize()
        times.append(time.perf_counter() - start)
    return 1000 * sorted(times)[len(times) // 2], value


def show(
    name: str, call: Callable[[], Any], synchronize: Callable[[], None], wanted: Any = None
) -> None:
    try:
        milliseconds, value = time_call(call, synchronize)
    except Exception as error:  # the other rows are still of interest
        print(f"  {name:24} {type(error).__name__}: {str(error)[:100]}", flush=True)
        return
    off = "" if wanted is None else f"   off by {abs(float(value) - float(wanted)):.1e}"
    print(f"  {name:24} {milliseconds:10.2f} ms{off}", flush=True)


def send(library: str, values: Any) -> Any:
    if library == "torch":
        return import_module("torch").as_tensor(values, device="cuda")
    if library == "cupy":
        return import_module("cupy").asarray(values)
    return import_module("jax.numpy").asarray(values)


def compare(size: int, dtype: str, share: float, libraries: list[str]) -> None:
    import torch

    rng = np.random.default_rng(0)
    labels = (rng.random(size, dtype=np.float32) < share).astype(np.int32)
    scores = (rng.standard_normal(size, dtype=np.float32) + labels).astype(dtype)
    print(f"\n{size:.0e} {dtype}, {share:.0%} positives")
    on_host = partial(METRICS["AP"], labels, scores)
    wanted = on_host()
    show("AP, NumPy", on_host, lambda: None)
    for library in libraries:
        y_true, y_score = send(library, labels), send(library, scores)
        for name, function in METRICS.items():
            expected = wanted if name == "AP" else None
            if expected is None and size <= 10**7:
                expected = function(labels, scores)
            if library == "torch" or name == "AP":
                call = partial(function, y_true, y_score)
                show(f"{name}, {library}", call, torch.cuda.synchronize, expected)
        if library != "torch":
            continue
        show("one torch.sort", partial(torch.sort, y_score), torch.cuda.synchronize)
        if find_spec("torchmetrics"):
            theirs = import_module("torchmetrics.functional.classification")
            call = partial(theirs.binary_average_precision, y_score, y_true)
            show("AP, torchmetrics", call, torch.cuda.synchronize)
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        METRICS["AP"](y_true, y_score)
        peak = (torch.cuda.max_memory_allocated() - before) / size
        print(f"  {'peak beyond the input':24} {peak:10.1f} bytes a sample")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=120, help="after which no size begins")
    seconds, begin = parser.parse_args().seconds, time.perf_counter()
    import torch

    if not torch.cuda.is_available():
        raise SystemExit("torch finds no GPU.")
    print(torch.cuda.get_device_name(), "torch", torch.__version__, "NumPy", np.__version__)
    libraries = [name for name in ("torch", "cupy", "jax") if find_spec(name)]
    for size, dtype, share in SIZES:
        if time.perf_counter() - begin < seconds:
            compare(size, dtype, share, libraries)
    print(f"\n{time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
