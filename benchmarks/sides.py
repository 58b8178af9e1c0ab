"""A race: sides that do the same work, and the goals that were set for it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

import sklearn_ap as ap

Arrays = tuple[Any, ...]
OURS = "sklearn_ap"
SIZES = (1000, 10**5, 10**6)


@dataclass(frozen=True)
class Side:
    """A tool that does the work.

    `prepare` turns arrays into a call before the clock starts. It raises an ImportError if a
    package that it needs is not installed.
    """

    prepare: Callable[..., Callable[[], Any]]
    value: Callable[[Any], Any] | None = float  # from what the call returns; None for a yardstick
    clock: Callable[[Any], float] | None = None  # seconds, if the result of the call reports them
    parts: float = 1  # if the call does one of several parts, their number, for the total time
    tolerance: float = 1e-12
    relative: float = 0  # for random values
    largest: float = math.inf  # the most samples that it is timed with


@dataclass(frozen=True)
class Goal:
    """How many times as fast as a rival we want to be, or how many yardsticks it may take."""

    against: str
    floor: float | None  # the mark, which has to be reached
    aim: float | None  # what we hope for
    since: int = 0  # from this many samples on, it replaces the goals before it


@dataclass(frozen=True)
class Race:
    """One task at several sizes."""

    work: str
    make: Callable[[int], Arrays]  # arrays with so many samples
    ours: Side
    against: dict[str, Side]
    goals: tuple[Goal, ...] = ()
    probe: Arrays = ()  # a few samples on which other definitions return other values
    sizes: tuple[int, ...] = SIZES
    lead: str = ""  # the task in a visitor's words, for the top of results.md
    limit: str = ""  # what keeps it from the aims
    lead_rival: str = ""  # the side to compare it with there, if not scikit-learn

    def goal(self, against: str, size: int) -> Goal | None:
        """Return the goal for this size, if there is one."""
        known = [goal for goal in self.goals if goal.against == against and goal.since <= size]
        return known[-1] if known else None

    def is_yardstick(self, name: str) -> bool:
        return self.against[name].value is None


def calling(
    function: Callable[..., Any] | str,
    take: Callable[..., Arrays] = lambda *arrays: arrays,
    **options: Any,
) -> Callable[..., Callable[[], Any]]:
    """Return a `prepare` for a function that takes the arrays, converted to another form before.

    A function of ours can be a name, such as "inference.compare", because another version of the
    package may lack it.
    """

    def prepare(*arrays: Any) -> Callable[[], Any]:
        called = attrgetter(function)(ap) if isinstance(function, str) else function
        return partial(called, *take(*arrays), **options)

    return prepare
