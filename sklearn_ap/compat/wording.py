"""Write values, lists and sentences for results."""

from collections.abc import Sequence
from textwrap import shorten


def list_first(words: Sequence[str], n: int, mark: str = ", ") -> str:
    """Join the first n words, and the number of the others."""
    listed = [*words[:n]]
    if len(words) > n:
        listed.append(f"and {len(words) - n} more")
    return mark.join(listed)


def join_words(*words: str) -> str:
    return ", ".join(filter(None, words))


def format_range(low: float, high: float, decimals: int = 4) -> str:
    ends = dict.fromkeys(f"{value:z.{decimals}f}" for value in (low, high))
    return " to ".join(ends)


def write_value(value: float) -> str:
    return str(round(float(value), 4) + 0.0)  # The sum makes 0.0 of -0.0.


def shorten_text(text: str, width: int) -> str:
    return shorten(text.rstrip(": "), width, placeholder=" ...")
