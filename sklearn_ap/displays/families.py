"""Curves that look the same, such as those of one model on several folds."""

from collections.abc import Callable, Sequence
from typing import Any

from ..core.segments import Array

Family = Sequence[Any]  # of curves that share a legend entry


def families_of(curves: Sequence[Any]) -> list[Family]:
    families: dict[Any, list[Any]] = {}
    for curve in curves:
        families.setdefault((curve.label, curve.group, curve.model), []).append(curve)
    return list(families.values())


def have_groups(curves: Sequence[Any]) -> bool:
    return curves[0].group is not None


def defined(family: Family) -> Family:
    """Return the curves whose value is not nan, which are those that count in means."""
    return [curve for curve in family if curve.value is None or curve.value == curve.value]


def mean_over(families: Sequence[Family], height: Callable[[Any], Array]) -> Array | None:
    """Return the mean over families of the mean height of their curves; None without any."""
    total: Any = 0.0
    counted = [curves for curves in map(defined, families) if curves]
    for curves in counted:
        total = total + sum(map(height, curves)) / len(curves)
    return total / len(counted) if counted else None


def only_or_list(of_each: Sequence[Any]) -> Any:
    return of_each[0] if len(of_each) == 1 else list(of_each)
