"""The recipe of docs/large_data.md: two processes score a part of the rows each, and share them."""

import re
import sys
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from types import ModuleType

import numpy as np
import pytest

import sklearn_ap as ap

from .documentation import DOCS

N_PROCESSES, N_ROWS = 2, 101
WAIT = 60  # seconds
PAGE = DOCS.joinpath("large_data.md").read_text(encoding="utf-8")
(RECIPE,) = re.findall(r"^```py\n([^`]*?all_gather_object[^`]*?)^```$", PAGE, re.M)
KEEPS_COPIES = RECIPE.replace("return labels[rows], scores[rows]", "return labels, scores")


def all_rows():
    rng = np.random.default_rng(0)
    labels = rng.random(N_ROWS) < 0.3
    labels[0] = True  # the row that is repeated
    return labels, (rng.standard_normal(N_ROWS) + labels).round(1)


def sampled(rank):
    """Return the indices that a DistributedSampler gives to a process, of which each gets as many.

    It repeats the first ones to have enough.
    """
    n_padded = -(-N_ROWS // N_PROCESSES) * N_PROCESSES
    return np.resize(np.arange(N_ROWS), n_padded)[rank::N_PROCESSES]


def stand_in(rank, inboxes):
    """Make what the recipe calls of PyTorch, with queues between the processes."""

    def all_gather_object(parts, part):
        for inbox in inboxes:
            inbox.put((rank, part))
        for _ in range(N_PROCESSES):
            sender, sent = inboxes[rank].get(timeout=WAIT)
            parts[sender] = sent

    torch = ModuleType("torch")
    torch.Tensor = type("Tensor", (), {})  # for which SciPy looks
    torch.distributed = ModuleType("torch.distributed")
    torch.distributed.all_gather_object = all_gather_object
    torch.distributed.get_world_size = lambda: N_PROCESSES
    sys.modules |= {"torch": torch, "torch.distributed": torch.distributed}


def pytorch(rank, inboxes, folder):
    """Join the processes by PyTorch itself."""
    import torch.distributed as dist

    where = f"file://{folder}/store"
    dist.init_process_group("gloo", init_method=where, rank=rank, world_size=N_PROCESSES)


def evaluate(rank, code, inboxes, results, join):
    """Score the rows of one process, and run the recipe there."""
    join(rank, inboxes)
    labels, scores = all_rows()
    indices = sampled(rank)
    names = {"ap": ap, "np": np, "indices": indices}
    names |= {"labels": labels[indices], "scores": scores[indices]}
    exec(code, names)
    results.put((len(names["labels"]), names["value"]))


def run_processes(code, join):
    """Return how many rows each process got in the end, and its value."""
    context = get_context("spawn")
    inboxes, results = [context.Queue() for _ in range(N_PROCESSES)], context.Queue()
    processes = [
        context.Process(target=evaluate, args=(rank, code, inboxes, results, join), daemon=True)
        for rank in range(N_PROCESSES)
    ]
    for process in processes:
        process.start()
    found = [results.get(timeout=WAIT) for _ in processes]
    for process in processes:
        process.join(WAIT)
        assert process.exitcode == 0
    return found


def joining(kind, folder):
    if kind == "PyTorch":
        if not find_spec("torch"):
            pytest.skip("PyTorch isn't installed")
        return partial(pytorch, folder=folder)
    return stand_in


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["stand-in", "PyTorch"])
def test_processes_have_the_value_of_all_rows(kind, tmp_path):
    labels, scores = all_rows()
    value = ap.average_precision_score(labels, scores)
    found = run_processes(RECIPE, joining(kind, tmp_path))
    assert found == [(N_ROWS, value)] * N_PROCESSES


@pytest.mark.slow
def test_copies_of_rows_would_change_the_value():
    assert KEEPS_COPIES != RECIPE
    value = ap.average_precision_score(*all_rows())
    for n_rows, other in run_processes(KEEPS_COPIES, stand_in):
        assert n_rows == N_ROWS + 1
        assert other != pytest.approx(value, abs=1e-4)


def ratio_of_mean(labels, scores):
    """Return the mean over four batches as a multiple of the value of all rows."""
    batches = zip(np.split(labels, 4), np.split(scores, 4), strict=True)
    mean = np.mean([ap.average_precision_score(*each, zero_division=0.0) for each in batches])
    return mean / ap.average_precision_score(labels, scores)


def test_the_mean_of_batches_can_be_several_times_too_high_or_too_low():
    first_of_batch = np.tile(np.arange(10) == 0, 4)
    assert ratio_of_mean(first_of_batch, np.arange(40, 0, -1)) > 2
    first_batch = np.arange(40) < 10
    assert ratio_of_mean(first_batch, np.arange(40, 0, -1)) == 1 / 4
