"""How results write numbers, and what they say about them."""

from collections.abc import Sequence
from math import floor, isfinite, isnan, log10
from typing import Any

import numpy as np

_MIN_DECIMALS, _MAX_DECIMALS = 3, 6
_NOISE = 1e-9  # An interval that is narrower has no width but rounding errors.


def count_decimals(intervals: Sequence[tuple[float, float, float]], goal: float = 0.0) -> int:
    """Return how many decimals all numbers of a metric have in a table, whose middles, lows and
    highs these are: three, or as many as give the narrowest interval one digit, and the largest
    number two. If this has several digits before its point, three are that many fewer but one.

    If an interval that excludes the goal seems to contain it, there is one more if that helps.
    """
    widths = [high - low for _, low, high in intervals if _NOISE < high - low < np.inf]
    largest = max((abs(middle) for middle, *_ in intervals if isfinite(middle)), default=1) or 1
    of_largest = 1 - floor(log10(largest))
    of_narrowest = -floor(log10(min(widths, default=1000)))
    usual = max(_MIN_DECIMALS - floor(log10(max(largest, 1))), 0)
    decimals = min(max(usual, of_largest, of_narrowest), _MAX_DECIMALS)
    excluding = [(low, high) for _, low, high in intervals if not low <= goal <= high]
    for more in (decimals, decimals + 1):
        if not any(round(low, more) <= goal <= round(high, more) for low, high in excluding):
            return more
    return decimals


def format_value(value: float, sign: str = "", decimals: int = _MIN_DECIMALS) -> str:
    """Format a value, which 0/0 hasn't, or with "+" a difference, of which 0 has no sign."""
    if isnan(value):
        return ""
    text = f"{value:{sign}z.{decimals}f}"
    return text if float(text) else text.lstrip("+")


def format_ends(low: float, high: float, decimals: int = _MIN_DECIMALS) -> str:
    """Format the ends of an interval."""
    return "" if isnan(low) else f"{low:z.{decimals}f} to {high:z.{decimals}f}"


def format_pvalue(pvalue: float, level: float = 0.95) -> str:
    """Format a p-value. One just below 0.05, or below 1 - level, is rounded down."""
    if isnan(pvalue):
        return ""
    if pvalue < 0.001:
        return "<0.001"
    text = f"{pvalue:.3f}"
    is_level = float(text) in (0.1, 0.05, 0.01, round(1 - level, 12))
    return f"{float(text) - 0.001:.3f}" if is_level and pvalue < float(text) else text


def format_level(level: float) -> str:
    return f"{100 * level:.6g}%"


def format_margin(margin: float) -> str:
    """Format a margin with six digits at most, as "g" does, but without an exponent."""
    return np.format_float_positional(margin, 6, fractional=False, trim="-")


def describe_chance(chance: float, decimals: int) -> str:
    return "" if np.isnan(chance) else f", chance {format_value(chance, decimals=decimals)}"


def describe_adjustment(what: str, n: int, of: str = "comparisons") -> list[str]:
    return [f"{what} are adjusted for {n:,} {of} (Bonferroni)."] if n > 1 else []


def describe_margin(margin: float, rows: Sequence[Any]) -> list[str]:
    """Say what verdicts about a margin mean, and what they rest on."""
    text = format_margin(margin)
    lines = [f"Margin: {text}."]
    if any(row.verdict == "no better" for row in rows):
        lines = [f"Margin: {text}. No better means: not better by {text} or more."]
    if any(row.margin_low < row.low or row.margin_high > row.high for row in rows):
        lines.append("Verdicts about it rest on wider intervals: rare cases may be missing here.")
    return lines
