"""Validation of a reported value, and how many of its decimals are known."""

from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

_MOST_DECIMALS = 12  # the last digits of a float printed in full depend on the tool
_FLOAT32_DECIMALS = 6


def check_reported(value: Any, decimals: int | None) -> tuple[float, int]:
    """Return a value between 0 and 1, and how many of its decimals are known."""
    try:
        text = value.strip() if isinstance(value, str) else repr(float(value))
        number = text.removesuffix("%")
        exact = Decimal(number)
        places = -int(exact.as_tuple().exponent)
    except (InvalidOperation, TypeError, ValueError):
        raise ValueError(
            f"value must be a number, or a str that contains one. Got {value!r} instead."
        ) from None
    if number != text:
        exact, places = exact / 100, places + 2
    if not 0 <= round(exact, _MOST_DECIMALS) <= 1:  # sums can round to more than 1 in some tools
        raise ValueError(
            "value must be between 0 and 1, or a percentage with its sign, from '0%' to '100%'. "
            f"Got {value!r} instead."
        )
    if not isinstance(value, str) and float(np.float32(value)) == value and places > 8:
        places = _FLOAT32_DECIMALS  # hardly any float64 has this form by chance
    if decimals is not None:
        places = decimals
    return min(max(float(exact), 0.0), 1.0), min(max(places, 0), _MOST_DECIMALS)
