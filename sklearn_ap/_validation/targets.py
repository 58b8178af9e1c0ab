"""Validation of the target of `operating_point`, and whether any threshold meets it."""

from collections.abc import Mapping
from decimal import ROUND_FLOOR, Context, Decimal
from math import ceil
from typing import Any

import numpy as np

from ..core.operating_points import OperatingPoints
from ..core.rules import PrecisionAtRecall, RecallAtPrecision, Rule
from ..core.segments import Array
from .parameters import InvalidParameterError, is_mapping
from .samples import check_found, listed, name_all_groups
from .seen import Seen, check_seen, name_seen

_floor = Context(prec=4, rounding=ROUND_FLOOR).divide  # the suggested target must be reachable


def check_one_target(given: Mapping[str, Any]) -> None:
    targets = [f"{name}={value!r}" for name, value in given.items() if value is not None]
    if len(targets) != 1:
        raise InvalidParameterError(
            "operating_point needs exactly one of min_recall, min_precision and k, but got "
            f"{' and '.join(targets) or 'none of them'}. Each of them chooses a threshold."
        )


def read_existing(
    seen: Seen, found: float, rule: Rule, n_positives: Any, groups: tuple[Array, Array] | None
) -> tuple[Array | None, int | None]:
    """Return how many positives exist in all groups together, and how many groups there are.

    `groups` are the names of the groups and their positives. Either result is None if the caller
    didn't pass it.
    """
    if groups is None:
        return check_seen(seen, found, rule, n_positives), None
    names, in_group = groups
    if not is_mapping(n_positives):
        return check_seen(seen, found, rule, n_positives), len(names)
    check_seen(seen, found, rule, n_positives, by_group=True)
    known, place, exist = name_all_groups(listed(names), n_positives, seen.weighted)
    found_in = np.zeros(len(known), dtype=in_group.dtype)
    found_in[place] = in_group
    check_found(exist, found_in, seen.weighted, known)
    return exist.sum(keepdims=True), len(known)


def check_within(place: int, k: float, points: OperatingPoints, n_groups: int, what: str) -> int:
    """Check that the highest threshold is within the budget of k per group."""
    if place >= 0:
        return place
    first = points.cum_total[0].item()
    raise ValueError(
        f"No threshold flags at most k={k} {what} per group on average, because {first:,} "
        f"{what} with the highest prediction score are tied, and there are {n_groups:,} groups. "
        f"Pass k={ceil(first / n_groups)} or more."
    )


def check_any_positives(
    rule: PrecisionAtRecall | RecallAtPrecision, found: float, seen: Seen, pos_label: Any
) -> None:
    if not found:
        raise ValueError(
            f"{_target(rule)} cannot be met, because y_true has no positives "
            f"({name_seen(seen, pos_label)}). Without positives, only k chooses a threshold."
        )


def check_met(
    rule: PrecisionAtRecall | RecallAtPrecision, place: int | None, points: OperatingPoints
) -> int:
    """Return the index of the chosen point, or raise an error if there is none."""
    if place is not None:
        return place
    part, whole = rule.most_of_one(points)
    best = f"{_floor(Decimal(part), Decimal(whole)).normalize():f}"
    if isinstance(rule, PrecisionAtRecall):
        raise ValueError(
            f"No threshold reaches {_target(rule)}: of n_positives={whole}, y_true has {part}, so "
            f"the highest recall is {best}. Pass min_recall={best} or less."
        )
    raise ValueError(
        f"No threshold reaches {_target(rule)}: the highest precision at any threshold is {best}. "
        f"Pass min_precision={best} or less."
    )


def _target(rule: PrecisionAtRecall | RecallAtPrecision) -> str:
    if isinstance(rule, PrecisionAtRecall):
        return f"min_recall={rule.min_recall}"
    return f"min_precision={rule.min_precision}"
