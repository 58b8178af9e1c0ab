"""Validation of a reported value, and of the ids by which the tool behind it may break ties."""

from decimal import Decimal, InvalidOperation
from numbers import Integral
from typing import Any

import numpy as np

from ..core.rankings import Rankings
from ..core.segments import Array
from .samples import read_group_column

_MOST_DECIMALS = 12  # the last digits of a float printed in full depend on the tool
_FLOAT32_DECIMALS = 6


def read_reported(value: Any, decimals: int | None) -> tuple[float, int]:
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


def read_ids(ids: Any, rankings: Rankings) -> Array:
    """Check that rows of a group have different ids. Return their places in the order of the ids.

    Ids are compared as text, character by character, so that "d10" is before "d9".
    """
    listed = read_group_column(ids, rankings.labels.size, "ids").tolist()
    for each in listed:
        if not isinstance(each, str | Integral) or isinstance(each, bool):
            raise ValueError(
                f"ids must be strings or integers, but contains {each!r}. Pass the ids of the "
                "documents as they are written in the run."
            )
    text = [str(each) for each in listed]
    order = {each: place for place, each in enumerate(sorted(set(text)))}
    places = np.array([order[each] for each in text], dtype=np.int64)
    group = np.zeros(places.size, dtype=np.int64) if rankings.group is None else rankings.group
    by_group = np.lexsort((places, group))
    twice = (np.diff(places[by_group]) == 0) & (np.diff(group[by_group]) == 0)
    if twice.any():
        name = listed[int(by_group[int(np.flatnonzero(twice)[0])])]
        one, advice = (
            "",
            "Pass one row for each document, and groups= if there are several queries.",
        )
        if rankings.group is not None:
            one, advice = " in the same group", "Pass one row for each document of a group."
        raise ValueError(
            f"ids contains {name!r} twice{one}, so the order of tied samples is not known. {advice}"
        )
    return places
