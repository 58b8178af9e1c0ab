"""Rows of text that line up, in a terminal or a notebook."""

import textwrap
from collections.abc import Sequence
from html import escape

WIDTH = 100


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their entries; the last one is wrapped to what is left of the width."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)][:-1]
    left = WIDTH - sum(widths) - 2 * len(widths)
    lines = []
    for row in (header, *rows):
        first, *more = textwrap.wrap(row[-1], left, break_on_hyphens=False) or [""]
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        lines.append("  ".join([*cells, first]).rstrip())
        lines += [" " * (WIDTH - left) + line for line in more]
    return "\n".join(lines)


def html(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    return (
        f"<table><caption>{escape(caption)}</caption><thead>{line(header, 'th')}</thead>"
        f"<tbody>{body}</tbody></table>"
    )
