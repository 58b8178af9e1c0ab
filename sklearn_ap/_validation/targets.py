"""Validation of the target of `operating_point`, and whether any threshold meets it."""

from collections.abc import Mapping
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

from ..core.operating_points import OperatingPoints
from ..core.rules import PrecisionAtRecall, RecallAtPrecision
from .parameters import InvalidParameterError
from .seen import Seen, name_seen

_floor = Context(prec=4, rounding=ROUND_FLOOR).divide  # the suggested target must be reachable


def check_one_target(given: Mapping[str, Any]) -> None:
    targets = [f"{name}={value!r}" for name, value in given.items() if value is not None]
    if len(targets) != 1:
        raise InvalidParameterError(
            "operating_point needs exactly one of min_recall, min_precision and k, but got "
            f"{' and '.join(targets) or 'none of them'}. Each of them chooses a threshold."
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
