"""Rows of text that line up, in a terminal or a notebook."""

import re
from collections.abc import Sequence
from html import escape
from textwrap import TextWrapper

WIDTH = 100
_NARROW, _WIDE = 25, 36  # the first column, beside two columns of words or one

# Side by side on a wide screen. On a narrow one the first two cells of a row stand beside one
# another, and the others below, each with the name of its column.
_STYLE = """\
.sklearn-ap {max-width: 75em; line-height: 1.35}
.sklearn-ap table {border-collapse: collapse; margin: 0}
.sklearn-ap caption {text-align: left; caption-side: top; padding: .3em .5em; font-weight: bold}
.sklearn-ap th, .sklearn-ap td {text-align: left; vertical-align: top; padding: .3em .5em; \
white-space: normal; overflow-wrap: anywhere}
.sklearn-ap th {overflow-wrap: normal; white-space: nowrap}
.sklearn-ap td:nth-child(2) {white-space: nowrap; font-variant-numeric: tabular-nums}
.sklearn-ap p {margin: .5em}
@media (max-width: 600px) {
.sklearn-ap table, .sklearn-ap tbody, .sklearn-ap caption {display: block; width: auto}
.sklearn-ap thead {display: none}
.sklearn-ap tr {display: flex; flex-wrap: wrap; padding: .3em 0; border-top: 1px solid #8888}
.sklearn-ap td {flex: 1 0 100%; padding: .1em .5em; box-sizing: border-box}
.sklearn-ap td:first-child {flex: 1 1 50%; font-weight: bold}
.sklearn-ap td:nth-child(2) {flex: 0 0 auto}
.sklearn-ap td:empty {display: none}
.sklearn-ap td:nth-child(n+3)::before {content: attr(data-name) ": "; opacity: .7}
}"""


class _Wrapper(TextWrapper):
    """Lines may also end inside the long names of functions, behind a dot or a bracket."""

    wordsep_simple_re = re.compile(r"(\s+|(?<=[.(])(?=[A-Za-z]{6}))")


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """Columns as wide as their entries; the last ones, that many, hold words, and are wrapped to
    equal shares of what is left of the width."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    numbers = len(header) - words
    widths[0] = min(widths[0], _NARROW if words > 1 else _WIDE)
    left = WIDTH - sum(widths[:numbers]) - 2 * (len(header) - 1)
    for place in range(numbers, len(header)):
        widths[place] = min(widths[place], left // (len(header) - place))
        left -= widths[place]
    return "\n".join(line for row in (header, *rows) for line in _lines(row, widths))


def _lines(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    cells = [
        _Wrapper(width, break_on_hyphens=False).wrap(cell)
        for cell, width in zip(row, widths, strict=True)
    ]
    lines = []
    for place in range(max(map(len, cells))):
        parts = [cell[place] if place < len(cell) else "" for cell in cells]
        lines.append(
            "  ".join(part.ljust(w) for part, w in zip(parts, widths, strict=True)).rstrip()
        )
    return lines


def paragraph(text: str) -> str:
    return _Wrapper(WIDTH, break_on_hyphens=False).fill(text)


def html(
    header: Sequence[str], rows: Sequence[Sequence[str]], caption: str, notes: Sequence[str] = ()
) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(
        "<tr>"
        + "".join(
            f'<td data-name="{escape(name)}">{escape(cell)}</td>'
            for name, cell in zip(header, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return (
        f'<div class="sklearn-ap"><style>{_STYLE}</style><table><caption>{escape(caption)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}</div>"
    )
