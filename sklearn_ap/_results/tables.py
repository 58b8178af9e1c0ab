"""How results are printed, and converted to dicts and tables: in one way, for all of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from html import escape
from math import isfinite, isnan
from textwrap import wrap
from typing import Any

import numpy as np

from .._core import load

_WIDTH = 79
_MAX_NAME = 36
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_NUMBER = re.compile(r"<?[+-]?\d[\d,.]*(e[+-]\d+)?%?( (to|of) -?\d[\d,.]*(e-\d+)?)?")
_INSEPARABLE = re.compile(r"(?<![,:]) (?=(to )?[+-]?\d)")  # the space before a number, or its "to"
_LATEX = str.maketrans(
    {each: rf"\{each}" for each in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": "$<$", ">": "$>$", "|": r"\textbar{}"}
)


@dataclass(frozen=True)
class Printed:
    """A table: blocks of rows, each below a heading, and what is said about all of them."""

    header: Sequence[str]
    blocks: Sequence[tuple[str, Sequence[Sequence[str]]]]
    lines: Sequence[str] = ()


class Result:
    """Base class of results, which are frozen dataclasses; those of tables have `rows`."""

    def _print(self) -> Printed:
        raise NotImplementedError

    def __str__(self) -> str:
        return format_table(self._print())

    def __repr__(self) -> str:
        return str(self)

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON has: None for undefined numbers, and text for dates and infinity."""
        return {name: to_json(value) for name, value in list_fields(self).items()}

    def to_frame(self) -> Any:
        """Return a DataFrame of pandas with one row for each row of the result."""
        pandas = load("pandas", "to_frame")
        rows = [list_fields(row) for row in getattr(self, "rows", [self])]
        frame = pandas.DataFrame(rows).drop(columns="notes", errors="ignore")
        if "segment" in frame:  # Beside None, which all data have, whole numbers would be floats.
            frame["segment"] = pandas.Series([row["segment"] for row in rows], dtype=object)
        return frame

    def _repr_html_(self) -> str:
        printed = self._print()
        parts = []
        for heading, rows in printed.blocks:
            parts.append(f"<p>{escape(heading)}</p>")
            if rows:
                table = "\n".join(write_html_row(row, "td") for row in rows)
                head = write_html_row(printed.header, "th")
                # Notebooks draw tables of this class as they draw those of pandas.
                parts.append(f'<table class="dataframe">\n{head}\n{table}\n</table>')
        return "\n".join(parts + [f"<p>{escape(line)}</p>" for line in printed.lines])

    def to_markdown(self) -> str:
        """Return the table in Markdown, with each interval beside its value in one cell."""
        printed = join_intervals(self._print())
        rule = "|" + "---|" * len(printed.header)
        parts = []
        for heading, rows in printed.blocks:
            parts.append(heading)
            if rows:
                head, *lines = map(write_markdown_row, [printed.header, *rows])
                parts.append("\n".join([head, rule, *lines]))
        return "\n\n".join(part for part in [*parts, *printed.lines] if part)

    def to_latex(self, caption: str | None = None, label: str | None = None) -> str:
        """Return the table in LaTeX, which needs the package booktabs.

        Without a caption, it gets the lines above and below the table.
        """
        printed = join_intervals(self._print())
        are_several = len(printed.blocks) > 1
        if caption is None:
            sentences = [*printed.lines] if are_several else [printed.blocks[0][0], *printed.lines]
            sentences = [f"{line.removesuffix('.')}." for line in sentences if line]
            caption = " ".join(map(escape_latex, sentences))
        if not printed.header:
            return caption
        lines = []
        for heading, rows in printed.blocks:
            lines.append(r"\midrule")
            if are_several:
                width = len(printed.header)
                lines.append(rf"\multicolumn{{{width}}}{{l}}{{{escape_latex(heading)}}} \\")
            lines += map(write_latex_row, rows)
        cells = zip(*(row for _, rows in printed.blocks for row in rows), strict=True)
        columns = "".join("l" if holds_words(each, i) else "r" for i, each in enumerate(cells))
        head = [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}"]
        head += [] if label is None else [rf"\label{{{label}}}"]
        head += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", write_latex_row(printed.header)]
        return "\n".join([*head, *lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"])


def list_fields(result: Any) -> dict[str, Any]:
    """Return the public fields of a dataclass, without those of its fields."""
    names = [each.name for each in fields(result) if not each.name.startswith("_")]
    return {name: getattr(result, name) for name in names}


def to_json(value: Any) -> Any:
    """Convert a value to what JSON has."""
    if is_dataclass(value):
        value = list_fields(value)
    if isinstance(value, Mapping):
        return {str(key): to_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [to_json(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not isfinite(value):
        return None if isnan(value) else str(value)
    return value if value is None or isinstance(value, str | int | float) else str(value)


# --- text -----------------------------------------------------------------------------------------


def format_table(printed: Printed) -> str:
    """Align the columns of a table: the first one and words to the left, numbers to the right."""
    every_row = [row for _, rows in printed.blocks for row in rows]
    aligned = []
    for place, column in enumerate(zip(printed.header, *every_row, strict=True)):
        cells = [shorten(cell) for cell in column]
        width, is_left = max(map(len, cells)), holds_words(cells[1:], place)
        aligned.append([cell.ljust(width) if is_left else cell.rjust(width) for cell in cells])
    header, *texts = ["  ".join(row).rstrip() for row in zip(*aligned, strict=True)] or [""]
    lines: list[str] = []
    for place, (heading, rows) in enumerate(printed.blocks):
        if place > 0:
            lines.append("")
        lines += wrap_text(heading)
        if place == 0 and header:
            lines.append(header)
        lines += texts[: len(rows)]
        texts = texts[len(rows) :]
    for line in printed.lines:
        lines += wrap_text(line)
    return "\n".join(lines)


def wrap_text(text: str, width: int = _WIDTH) -> list[str]:
    """Break a text into lines, but not in an interval, and before a number only after a comma."""
    lines = wrap(_INSEPARABLE.sub("\N{NO-BREAK SPACE}", text), width)
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


def holds_words(cells: Sequence[str], place: int) -> bool:
    """Whether a column holds words, which stand on the left: the first one, and those in which most
    cells that aren't empty are other than numbers or intervals.
    """
    filled = [cell for cell in cells if cell]
    n_numbers = sum(_NUMBER.fullmatch(cell) is not None for cell in filled)
    return place == 0 or 2 * n_numbers < len(filled)


def shorten(name: str) -> str:
    """Write a name on one line, without the middle of a long one."""
    name = " ".join(name.split())
    half = _MAX_NAME // 2
    return name if len(name) <= _MAX_NAME else f"{name[: half - 1]}…{name[-half:]}"


# --- notebooks and papers -------------------------------------------------------------------------


def join_intervals(printed: Printed) -> Printed:
    """Write each interval into the cell on its left, and cells without line breaks."""
    places = [i for i, name in enumerate(printed.header) if name.endswith(" interval")]

    def join(row: Sequence[str]) -> list[str]:
        cells = [*row]
        for place in reversed(places):
            ends = cells.pop(place)
            cells[place - 1] += f" ({ends})" if ends else ""
        return [" ".join(cell.split()) for cell in cells]

    blocks = [(heading, [*map(join, rows)]) for heading, rows in printed.blocks]
    return Printed(join(printed.header), blocks, printed.lines)


def write_html_row(cells: Sequence[str], tag: str) -> str:
    text = "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)
    return "<tr>" + _BOLD.sub(r"<b>\1</b>", text) + "</tr>"


def write_markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def write_latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(escape_latex, cells)) + r" \\"


def escape_latex(text: str) -> str:
    text = re.sub(r"(?<![\w.])-(?=\d)", "$-$", text.translate(_LATEX))
    return _BOLD.sub(r"\\textbf{\1}", text)
