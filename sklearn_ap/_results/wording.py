"""How results write numbers, and what they say about them."""

from collections.abc import Sequence
from math import floor, isfinite, isnan, log10
from typing import Any

import numpy as np

_MIN_DECIMALS, _MAX_DECIMALS = 3, 6


def count_decimals(
    intervals: Sequence[tuple[float, float, float]], goal: float | None = None
) -> int:
    """Return how many decimals the numbers of a row get: so many that the shorter side of each
    interval, which is its middle, low and high, has two digits, and that rounded ends are on the
    same side of the goal.
    """
    sides = [abs(end - middle) for middle, *ends in intervals for end in ends]
    least = min((side for side in sides if isfinite(side) and side > 1e-9), default=1.0)
    decimals = min(max(1 - floor(log10(least)), _MIN_DECIMALS), _MAX_DECIMALS)
    if goal is not None:
        ends = [end for _, *both in intervals for end in both]
        while any((round(end, decimals) < goal) != (end < goal) for end in ends):
            decimals += 1
    return decimals


def format_value(value: float, sign: str = "", decimals: int = _MIN_DECIMALS) -> str:
    """Format a value, which 0/0 hasn't, or with "+" a difference, of which 0 has no sign."""
    if isnan(value):
        return ""
    text = f"{value:{sign}z.{decimals}f}"
    return text if float(text) else text.lstrip("+")


def format_ends(low: float, high: float, decimals: int = _MIN_DECIMALS) -> str:
    """Format the ends of an interval. If it excludes 0, they have two significant digits at least,
    and else one, so that no end is rounded to 0.
    """
    if isnan(low):
        return ""
    n_digits = 2 if low * high > 0 else 1
    return " to ".join(_format_digits(end, decimals, n_digits) for end in (low, high))


def _format_digits(number: float, decimals: int, n_digits: int, sign: str = "") -> str:
    """Format a number with at least so many significant digits."""
    digits = round(number, decimals) or number  # what is printed, unless it would be 0
    needed = n_digits - 1 - floor(log10(abs(digits))) if digits and isfinite(number) else 0
    if needed > _MAX_DECIMALS:
        return f"{number:{sign}.{n_digits - 1}e}"
    return f"{number:{sign}z.{max(decimals, needed)}f}"


def format_estimate(
    middle: float, low: float, high: float, sign: str = "", decimals: int | None = None
) -> tuple[str, str]:
    """Format a value or a difference, and the ends of its interval, with decimals of their own if
    the row has none. If the interval excludes 0, neither is rounded to 0.
    """
    if decimals is None:
        decimals = count_decimals([(middle, low, high)])
    ends = format_ends(low, high, decimals)
    if middle and low * high > 0:
        return _format_digits(middle, decimals, 1, sign), ends
    return format_value(middle, sign, decimals), ends


def format_pvalue(pvalue: float, level: float = 0.95) -> str:
    """Format a p-value. One below 0.05, or below 1 - level, isn't rounded up to it."""
    if isnan(pvalue):
        return ""
    if pvalue < 0.001:
        return "<0.001"
    text = f"{pvalue:.3f}"
    return f"<{text}" if pvalue < float(text) in (0.1, 0.05, 0.01, round(1 - level, 12)) else text


def format_level(level: float) -> str:
    return f"{100 * level:.6g}%"


def describe_chance(chance: float, decimals: int) -> str:
    return "" if np.isnan(chance) else f", chance {format_value(chance, decimals=decimals)}"


def describe_adjustment(what: str, n: int, of: str = "comparisons") -> list[str]:
    return [f"{what} are adjusted for {n:,} {of} (Bonferroni)."] if n > 1 else []


def describe_margin(margin: float, rows: Sequence[Any]) -> list[str]:
    """Say what verdicts about a margin mean, and what they rest on."""
    lines = [f"Margin: {margin:g}. No better means: not better by {margin:g} or more."]
    if any(row.least_margin > 0 for row in rows):
        lines.append("Verdicts about it rest on wider intervals: rare cases may be missing here.")
    return lines
