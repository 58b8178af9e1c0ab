"""What tools return for the same rankings, so that facts about them can be checked.

Each module `of_...` calls a tool, or some that can be installed together. `python -m
tests.tools.record lightgbm` runs one of them with what is installed, and writes versions, the date
and all values into `recorded.json`. `tests/test_tools.py` compares these with what
`sklearn_ap/compat/peers.toml` says, offline.

`python -m tests.tools` installs each tool anew, in an environment of its own, and fails if
it returns something else than what is recorded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

K = 5  # what stands for "@k" in the names of functions


@dataclass(frozen=True)
class Function:
    """How a function of a tool is called.

    Attributes
    ----------
    of_one : callable
        It takes labels and scores of one ranking as arrays, and with `weights` or `missed` the
        keyword `weight` or the number of `missed` positives.
    of_queries : callable
        It takes a list of (labels, scores, missed), and returns the mean over queries or classes.
    weights, missed : bool
        Whether the function takes weights of samples, or positives that weren't retrieved.
    ranks : bool
        False if the caller ranks, so that there are no ties.
    """

    of_one: Callable[..., Any] | None = None
    of_queries: Callable[..., Any] | None = None
    weights: bool = False
    missed: bool = False
    ranks: bool = True

    def call(self, labels: Any, scores: Any, **more: Any) -> Any:
        if self.of_one is None:
            return self.of_queries([(labels, scores, more.get("missed", 0))])
        return self.of_one(labels, scores, **more)


def list_images(queries):
    """Yield the class of each image, whether it has an object, and a score if it has a detection.

    Each sample is a box in an image of its own, and a positive has an object in the same place.
    """
    for category, (labels, scores, missed) in enumerate(queries):
        for label, score in zip(labels, scores, strict=True):
            yield category, bool(label), float(score)
        for _ in range(missed):
            yield category, True, None
