"""Tables of results, for a terminal or a notebook."""

import re
import unicodedata
from collections.abc import Sequence
from html import escape
from textwrap import TextWrapper

WIDTH = 75

# On a wide screen, this is an ordinary table. On a narrow one, the first two cells of a row are
# next to each other, and the others below them, each with the name of its column.
_STYLE = """\
.sklearn-ap {max-width: 75em; line-height: 1.35}
.sklearn-ap table {border-collapse: collapse; margin: 0}
.sklearn-ap caption {text-align: left; caption-side: top; padding: .3em .5em; font-weight: bold}
.sklearn-ap th, .sklearn-ap td {vertical-align: top; padding: .3em .5em; white-space: normal; \
overflow-wrap: anywhere}
.sklearn-ap th {overflow-wrap: normal; white-space: nowrap}
.sklearn-ap tbody th {white-space: normal; overflow-wrap: anywhere}
.sklearn-ap td.number {white-space: nowrap; font-variant-numeric: tabular-nums}
.sklearn-ap p {margin: .5em}
@media (max-width: 600px) {
.sklearn-ap table, .sklearn-ap tbody, .sklearn-ap caption {display: block; width: auto}
.sklearn-ap thead {display: none}
.sklearn-ap tr {display: flex; flex-wrap: wrap; padding: .3em 0; border-top: 1px solid #8888}
.sklearn-ap td {flex: 1 0 100%; padding: .1em .5em; box-sizing: border-box}
.sklearn-ap td:first-child {flex: 1 1 50%; font-weight: bold}
.sklearn-ap td:nth-child(2) {flex: 0 0 auto}
.sklearn-ap td.number:nth-child(n+3) {display: flex; gap: .3em}
.sklearn-ap td:empty, .sklearn-ap td.number:empty {display: none}
.sklearn-ap td:nth-child(n+3)::before {content: attr(data-name) ": "; opacity: .7}
}"""


class _Wrapper(TextWrapper):
    """Wrapper that also breaks long function names, after a dot or a bracket."""

    wordsep_simple_re = re.compile(r"(\s+|(?<=[.(])(?=[A-Za-z]{6}))")


def stacked(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format each row as a paragraph.

    It starts with the value and the name, and continues with the other cells below, each after the
    name of its column.
    """
    indent = 2 + max(len(value) for _, value, *_ in rows)
    return "\n".join(
        f"{value:{indent}}{_indented(name, indent)}"
        + "".join(
            f"\n{' ' * indent}{_indented(f'{column}: {cell}', indent)}"
            for column, cell in zip(header[2:], others, strict=True)
            if cell
        )
        for name, value, *others in rows
    )


def _indented(text: str, indent: int) -> str:
    """Wrap a text to the width, and indent all lines after the first one."""
    lines = _Wrapper(WIDTH - indent - 2, break_on_hyphens=False).wrap(text)
    return f"\n{' ' * (indent + 2)}".join(lines)


def ends(low: float, high: float) -> str:
    """Format the ends of an interval."""
    return f"{low:z.3f} to {high:z.3f}"


def signed(difference: float, decimals: int = 3) -> str:
    """Format a difference with its sign, which 0.000 doesn't have."""
    text = f"{difference:+z.{decimals}f}"
    return text if float(text) else text[1:]


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def paragraph(text: str) -> str:
    return _Wrapper(WIDTH, break_on_hyphens=False).fill(text)


def one_line(name: str) -> str:
    return " ".join(name.split())


def columns_of(text: str) -> int:
    """Count the columns that a text takes in a terminal, where some characters are wide."""
    return sum(
        0
        if unicodedata.combining(character)
        else _WIDE.get(unicodedata.east_asian_width(character), 1)
        for character in text
    )


_WIDE = {"W": 2, "F": 2}


def aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Format a line of a table whose columns have these widths."""
    padded = (
        f"{cell}{' ' * (width - columns_of(cell))}"
        for cell, width in zip(cells, widths, strict=True)
    )
    return "  ".join(padded).rstrip()


def html(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str,
    notes: Sequence[str] = (),
    *,
    n_numbers: int,
) -> str:
    """Format a table for a notebook, in which `n_numbers` columns after the first hold numbers.

    Numbers are aligned to the right, and are never broken. Each cell states its own alignment,
    because JupyterLab aligns all cells to the right by rules that a style sheet can hardly beat,
    and ignores style sheets in notebooks that aren't trusted.
    """
    kinds = ["text", *["number"] * n_numbers, *["text"] * (len(header) - 1 - n_numbers)]
    head = "".join(
        f"<th {_ALIGNED[kind]}>{escape(name)}</th>"
        for name, kind in zip(header, kinds, strict=True)
    )
    body = "".join(f"<tr>{_html_cells(header, kinds, row)}</tr>" for row in rows)
    title = f'<caption style="text-align: left">{escape(caption)}</caption>' if caption else ""
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return (
        f'<div class="sklearn-ap"><style>{_STYLE}</style><table>{title}'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}</div>"
    )


_ALIGNED = {
    "text": 'style="text-align: left"',
    "number": 'class="number" style="text-align: right"',
}


def _html_cells(header: Sequence[str], kinds: Sequence[str], row: Sequence[str]) -> str:
    """Format the cells of a row, of which a single one is the heading of the rows below."""
    if len(row) == 1 < len(header):
        return f'<th colspan="{len(header)}" {_ALIGNED["text"]}>{escape(row[0])}</th>'
    return "".join(
        f'<td data-name="{escape(name)}" {_ALIGNED[kind]}>{escape(cell)}</td>'
        for name, kind, cell in zip(header, kinds, row, strict=True)
    )
