"""What a race is: sides that do the same work, and what was set out to be reached."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

Arrays = tuple[Any, ...]
OURS = "sklearn_ap"
SIZES = (1000, 10**5, 10**6)


@dataclass(frozen=True)
class Side:
    """One that does the work.

    `prepare` makes a call of arrays, before the clock starts. It raises an ImportError where what
    it needs is not installed.
    """

    prepare: Callable[..., Callable[[], Any]]
    value: Callable[[Any], Any] | None = float  # of what the call returns; None: a yardstick
    clock: Callable[[Any], float] | None = None  # seconds, where what it returns says them
    parts: float = 1  # the call does one part of so many, and its time counts as often
    tolerance: float = 1e-12
    relative: float = 0  # for values that are drawn at random
    largest: float = math.inf  # most samples that it is asked for


@dataclass(frozen=True)
class Goal:
    """How often our time shall go into a rival's, or a yardstick's time into ours at most."""

    against: str
    floor: float | None  # has to be reached
    aim: float | None
    since: int = 0  # samples from which on it is set, in place of what stands before it


@dataclass(frozen=True)
class Race:
    """One work, at several sizes."""

    work: str
    make: Callable[[int], Arrays]  # of so many samples
    ours: Side
    against: dict[str, Side]
    goals: tuple[Goal, ...] = ()
    probe: Arrays = ()  # few samples on which other definitions give other values
    sizes: tuple[int, ...] = SIZES
    lead: str = ""  # the same in the words of a visitor, for the top of the page, at the last size
    limit: str = ""  # what stands in the way of the aims

    def goal(self, against: str, size: int) -> Goal | None:
        """The one that was set for this size."""
        known = [goal for goal in self.goals if goal.against == against and goal.since <= size]
        return known[-1] if known else None

    def is_yardstick(self, name: str) -> bool:
        return self.against[name].value is None


def calling(
    function: Callable[..., Any],
    take: Callable[..., Arrays] = lambda *arrays: arrays,
    **options: Any,
) -> Callable[..., Callable[[], Any]]:
    """What prepares calls of a function with the arrays, taken into another form before."""

    def prepare(*arrays: Any) -> Callable[[], Any]:
        return partial(function, *take(*arrays), **options)

    return prepare
