"""What the result classes have in common: how they print, convert and compare."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, fields
from datetime import date, time
from functools import cache, wraps
from html import escape
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from math import isfinite, isnan
from textwrap import TextWrapper, fill
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np

from .._arrays.host import find_library, to_host, unwrap_native
from .._package.toml import read_text, read_toml
from .._words.parameters import format_name
from .._words.refusals import find_substitute

T = TypeVar("T")

FORMAT_VERSION = (
    4  # of what `to_dict` returns; raise it if older versions of the package can't read it
)

_ONLY_IN_JSON = "version", "by", "notes", "conditions", "as_chosen"
PARAGRAPH_WIDTH = 75  # of paragraphs, in characters
_TABLE_WIDTH = 100  # of tables
_MAX_PRINTED_NOTES = 3  # that are printed
_MAX_PRINTED_SEGMENTS = 50  # that are printed
_USUAL_LEVELS = (0.01, 0.05, 0.1)  # of significance
_MAX_NAME_WIDTH = 36  # the maximum length of a model's name in a table


class Value:
    """Base class of frozen dataclasses that are equal if they have the same values.

    Unlike the methods that dataclasses generate, these let nan equal nan.
    """

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return are_same(_compared_fields(self), _compared_fields(other))

    def __hash__(self) -> int:
        return hash(to_hashable(_compared_fields(self)))

    def _as_dict(self) -> Any:
        """Return what `to_dict` converts to JSON: by default, the fields that are printed."""
        shown = [each.name for each in fields(self) if each.repr]  # type: ignore[arg-type]
        return {name: getattr(self, name) for name in shown}


def _compared_fields(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, each.name) for each in fields(value) if each.compare)


def are_same(left: Any, right: Any) -> bool:
    """Whether two values, or containers of the same type, are the same. Here, nan equals nan."""
    if left is right:
        return True
    is_container = hasattr(left, "__len__") or hasattr(right, "__len__")
    if is_container and type(left) is not type(right):
        return False
    if isinstance(left, tuple | list):
        return len(left) == len(right) and all(map(are_same, left, right))
    if isinstance(left, Mapping):
        return left.keys() == right.keys() and all(are_same(left[key], right[key]) for key in left)
    if hasattr(left, "equals"):  # of pandas, polars and Arrow
        return bool(left.equals(right))
    if np.ndim(left):
        left, right = np.asarray(to_host(left)), np.asarray(to_host(right))
        return left.dtype == right.dtype and are_same(left.tolist(), right.tolist())
    return bool(left == right) or _are_nan(left, right)


def to_hashable(value: Any) -> Any:
    """Return something that is equal for all values that are the same."""
    if isinstance(value, tuple):
        return tuple(map(to_hashable, value))
    if hasattr(value, "__len__") and not isinstance(value, str):
        return None  # what it contains can change
    return "nan" if _are_nan(value) else value


def _are_nan(*values: Any) -> bool:
    return all(isinstance(value, float | np.floating) and value != value for value in values)


class Shared:
    """Base class of what copies share."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self


class LocalData(Shared, Generic[T]):
    """The data that a result was computed from: copies share it, and pickles leave it behind."""

    def __init__(self, data: T | None = None) -> None:
        self._data = data

    def get(self, what: str, instead: str) -> T:
        """Return the data, or say what needs it and what to do instead."""
        if self._data is None:
            raise ValueError(
                f"{what} needs the data, which stayed behind when the result was pickled. {instead}"
            )
        return self._data

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()


class LazyValue(Shared, Generic[T]):
    """A value that is computed once, when it's needed or before it's pickled.

    After that, it has no `compute`.
    """

    def __init__(self, compute: Callable[[], T] | None = None, value: Any = None) -> None:
        self._compute = compute
        self._value: T = value

    def get(self) -> T:
        if self._compute is not None:
            self._value, self._compute = self._compute(), None
        return self._value

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (None, self.get())


@dataclass(frozen=True, eq=False)
class Note(Value):
    """A remark on a result.

    Attributes
    ----------
    code : str
        What the note is about, such as "no_rows".
    text : str
        What the note says.
    """

    code: str
    text: str


def sort_notes(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return different notes, the most serious ones first."""
    codes = read_toml("_words/messages.toml")["notes"]
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: codes.index(note.code)))


def format_notes(notes: Sequence[Note]) -> list[str]:
    """Return the texts of the first notes, which are the most serious ones."""
    texts = [note.text for note in notes[:_MAX_PRINTED_NOTES]]
    n_more = len(notes) - _MAX_PRINTED_NOTES
    if n_more > 0:
        noun = "note" if n_more == 1 else "notes"
        texts.append(f"{n_more} more {noun} in the attribute `notes`.")
    return texts


def select_segments(
    segments: Sequence[T], badness: Callable[[T], Any], which: str, noun: str = "segments"
) -> tuple[Sequence[T], list[str]]:
    """Return the segments to print, or other rows with this `noun`, and notes on which they are.

    Of too many, these are the ones of lowest `badness`, in their order; `which` says so in words.
    """
    if len(segments) <= _MAX_PRINTED_SEGMENTS:
        return segments, []
    worst = sorted(range(len(segments)), key=lambda place: badness(segments[place]))  # first
    shown = [segments[place] for place in sorted(worst[:_MAX_PRINTED_SEGMENTS])]
    return shown, [
        f"{_MAX_PRINTED_SEGMENTS} of {len(segments):,} {noun} are printed, {which}. `rows`, "
        "`to_dict` "
        "and `to_frame` have all of them."
    ]


class Printed(NamedTuple):
    """The texts of a table."""

    header: Sequence[str]  # the names of the columns
    # The name of a metric, its basis, and the rows about it, each with a cell for each column.
    # Without a name, the rows have no heading.
    blocks: Sequence[tuple[str, str, Sequence[Sequence[str]]]]
    title: str = ""
    notes: Sequence[str] = ()
    conditions: str = ""  # those of the result, in words


_IN_WORDS: dict[str, Callable[[Any], str]] = {  # the conditions that a result can have
    "sample_weight": lambda name: "weighted" if name is True else f"weighted by {join_lines(name)}",
    "min_grade": lambda grade: f"grades of at least {grade} are positive",
    "unjudged": lambda _: "without unjudged documents",
    "precision": lambda name: f"scores in {name} precision",
    "only_answered": lambda _: "only queries that every run has answered",
    "overlap": lambda overlap: f"at an overlap of {overlap}",
    "area": lambda area: f"{area} objects only",
    "use_difficult": lambda _: "difficult objects count",
}


READER_OPTIONS = {*_IN_WORDS} - {"sample_weight", "min_grade"}  # options of readers


def describe_conditions(conditions: Mapping[str, Any]) -> str:
    """Write conditions within a sentence, as in "weighted by mass, at an overlap of 0.5"."""
    names = [name for name in _IN_WORDS if name in conditions]  # in an order that no file changes
    return escape_hidden(", ".join(_IN_WORDS[name](conditions[name]) for name in names))


class Origin(NamedTuple):
    """What all results of a call know about it."""

    conditions: Mapping[str, Any]  # what changes the meaning of values
    is_of_polars: bool = False  # whether the data is, so that tables of results are, too


# The origin of results that are made now. A call sets it before it makes any, so that they are
# complete, and nothing writes to them afterwards.
ORIGIN: ContextVar[LazyValue[Origin]] = ContextVar("ORIGIN", default=LazyValue(value=Origin({})))  # noqa: B039


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(Value):
    """Base class of results, which print, display in notebooks and convert to tables."""

    _index: ClassVar[str | None] = None  # the column that labels the rows of a DataFrame
    origin: Origin = field(default_factory=lambda: ORIGIN.get().get(), repr=False, compare=False)

    @property
    def conditions(self) -> dict[str, Any]:
        """What changes the values' meaning: weights (True if they have no name), the lowest grade
        of positives, or how a reader made the table.
        """
        return dict(self.origin.conditions)

    def __init_subclass__(cls) -> None:
        for name in {"__str__", "_printed"} & vars(cls).keys():
            setattr(cls, name, _show_hidden(vars(cls)[name]))

    def _printed(self) -> Printed:
        raise NotImplementedError

    def _printed_fully(self) -> Printed:
        """Return the texts of the table, and those of the conditions."""
        return self._printed()._replace(conditions=" ".join(self._on_conditions()))

    def _on_conditions(self) -> list[str]:
        """Return a sentence on the conditions, if there are any."""
        words = describe_conditions(self.origin.conditions)
        return [f"{words[0].upper()}{words[1:]}."] if words else []

    def _as_dict(self) -> Any:
        return super()._as_dict() | {"conditions": self.conditions}

    if not TYPE_CHECKING:  # which knows all attributes

        def __getattr__(self, name: str) -> Any:
            try:
                return super().__getattribute__(name)  # raises the error of a property again
            except AttributeError as error:
                substitute = "" if name.startswith("_") else find_substitute(name)
                if not substitute:
                    raise
                raise AttributeError(f"{error}. {substitute}") from None

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return "<br>".join(escape(line) for line in str(self).splitlines())

    def to_dict(self) -> dict[str, Any]:
        """Return the values as a dict for JSON.

        Undefined values are None, infinities "inf" and "-inf", and dates strings. `version` rises
        if a key changes its meaning.
        """
        return {"version": FORMAT_VERSION} | dict(to_json(self._as_dict()))

    def _rows(self) -> list[dict[str, Any]]:
        """Return the rows of a DataFrame, which has no notes."""
        values = self._as_dict()
        rows = values if isinstance(values, list) else [values]
        return [{name: row[name] for name in row if name not in _ONLY_IN_JSON} for row in rows]

    def to_frame(self) -> Any:
        """Return a DataFrame of pandas, or of polars if the data is, or pandas isn't installed."""
        rows = self._rows()
        if self._makes_polars():
            rows = [{name: _to_polars_cell(value) for name, value in row.items()} for row in rows]
            return import_module("polars").from_dicts(rows, infer_schema_length=None)
        frame = _pandas_frame(rows)
        return frame if self._index is None else frame.set_index(self._index)

    def _makes_polars(self) -> bool:
        has_polars = find_spec("polars") is not None
        return has_polars and (self.origin.is_of_polars or find_spec("pandas") is None)

    def _as_html_table(self) -> str:
        # Numbers are aligned to the right, and are never broken. Each cell states its own
        # alignment, because JupyterLab aligns all cells to the right by rules that a style sheet
        # can hardly beat, and ignores style sheets in notebooks that aren't trusted.
        header, blocks, title, notes, conditions = self._printed_fully()
        rows: list[Sequence[str]] = []
        for name, basis, rows_below in blocks:
            if name:
                rows.append([_format_heading(name, basis)])
            rows += rows_below
        kinds = ["text" if name in _TEXT_COLUMNS else "number" for name in header]
        columns = zip(header, kinds, strict=True)
        head = "".join(f"<th {_ALIGNED[kind]}>{escape(name)}</th>" for name, kind in columns)
        names = _tell_columns_apart(header)
        body = "".join(f"<tr>{_html_cells(names, kinds, row)}</tr>" for row in rows)
        # Not a caption, which would be as narrow as the table
        lines = "<br>".join(escape(line) for line in (title, conditions) if line)
        above = f'<p style="text-align: left"><strong>{lines}</strong></p>' if lines else ""
        below_table = "".join(f"<p>{escape(note)}</p>" for note in notes)
        return (
            f'<div class="sklearn-ap"><style>{_style()}</style>{above}<table>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below_table}</div>"
        )

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        header, blocks, title, notes, conditions = self._printed_fully()
        alignment = [":--" if _is_text(name) else "--:" for name in header]
        lines = [_markdown_line(header), f"| {' | '.join(alignment)} |"]
        for name, basis, rows in blocks:
            if name:
                bold = f"**{_escape_markdown(_format_heading(name, basis))}**"
                empty_cells = [""] * (len(header) - 1)
                lines.append(f"| {' | '.join([bold, *empty_cells])} |")
            lines += map(_markdown_line, rows)
        above = [_escape_markdown(words) for words in (title, conditions) if words]
        paragraphs = [*above, "\n".join(lines), *map(_escape_markdown, notes)]
        return "\n\n".join(paragraphs) + "\n"


def escape_hidden(text: str) -> str:
    """Escape characters that change a terminal, or the order in which a text is shown."""
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


# Control characters but for line breaks, and marks, overrides and isolates of directions
_HIDDEN = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def _show_hidden(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Let what prints a result, or returns what is printed, show characters that names hide."""

    @wraps(method)
    def showing(self: Any) -> Any:
        return _map_texts(escape_hidden, method(self))

    return showing


def _map_texts(function: Callable[[str], str], printed: Any) -> Any:
    """Apply a function to a text, or to all texts of a `Printed`."""
    if isinstance(printed, str):
        return function(printed)
    texts = [_map_texts(function, part) for part in printed]
    return Printed(*texts) if isinstance(printed, Printed) else texts


def _pandas_frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return a DataFrame whose cells equal the values of the rows."""
    pandas = import_pandas()
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(chain.from_iterable(rows)):
        values = [row.get(name) for row in rows]
        columns[name] = pandas.Series(values, dtype=_pandas_dtype(name, values))
    return pandas.DataFrame(columns)


def _pandas_dtype(name: str, values: Sequence[Any]) -> str:
    """Return a type of pandas that has these values without rounding them; None is a gap."""
    present = [value for value in values if value is not None]
    has_gaps = len(present) < len(values)
    types = {type(value) for value in present}
    integers = [value for value in present if isinstance(value, int | np.integer)]
    if types == {bool} and not has_gaps:
        return "bool"
    if not types:
        return "Int64" if name in _INTEGERS else "float64" if name in _FLOATS else "object"
    if not types <= _NUMBERS:
        return "object"
    if len(integers) < len(present):
        are_exact = all(abs(int(value)) <= _MAX_EXACT_FLOAT for value in integers)
        return "float64" if are_exact else "object"
    if max(map(abs, map(int, integers))) >= 2**63:  # beyond 64 bits
        return "object"
    return "Int64" if has_gaps else "int64"


_NUMBERS = {int, float, np.int64, np.float64}
# Columns that can be empty, so that no value tells their type
_INTEGERS = {"n_resamples", "random_state", "n_groups", "wins", "ties", "losses"}
_INTEGERS |= {"n_within", "least_per_group", "most_per_group"}
_FLOATS = {"margin", "value", "expected", "flagged_mass", "found_mass", "mean_per_group"}
_FLOATS |= {"min_recall", "min_precision", "confidence_level"}
_MAX_EXACT_FLOAT = 2**53  # up to here, floats hold all integers


def _to_polars_cell(value: Any) -> Any:
    """Write tuples and dicts, whose parts can be of several types, and convert NumPy's times."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return value.item()
    if isinstance(value, dict):
        return str(value)
    return format_name(value) if isinstance(value, tuple) else value


def unify_types(names: list[Any]) -> list[Any]:
    """Write names of several types, and tuples, of which polars makes no column."""
    are_alike = len({*map(type, names)}) == 1 and not isinstance(names[0], tuple)
    return names if are_alike else [*map(format_name, names)]


def is_of_polars(data: Any) -> bool:
    """Whether data is of polars, or a result that was computed from such data."""
    if isinstance(data, Result):
        return data.origin.is_of_polars
    if isinstance(data, Mapping):
        return any(map(is_of_polars, data.values()))
    library = find_library(data)
    return library == "polars" or (
        library == "narwhals" and find_library(unwrap_native(data)) == "polars"
    )


class Table(Result):
    """Base class of results with several rows, each of which is a `Value`."""

    rows: Any

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> list[dict[str, Any]]:  # type: ignore[override]
        """Return the rows as a list of dicts for JSON.

        Undefined values are None, infinities "inf" and "-inf", and dates strings. Each row also
        says how the table was computed.
        """
        rows: list[dict[str, Any]] = to_json(self._as_dict())
        return rows

    def _as_dict(self) -> list[dict[str, Any]]:
        of_table = super()._as_dict()
        del of_table["rows"]
        return [row._as_dict() | of_table for row in self.rows]

    def __str__(self) -> str:
        header, blocks, title, notes, conditions = self._printed_fully()
        has_headings = any(name for name, *_ in blocks)
        indent = "  " if has_headings else ""
        header = _fit_first_cell(header, indent)
        rows_of_blocks = [[_fit_first_cell(row, indent) for row in rows] for *_, rows in blocks]
        columns = zip(header, *chain.from_iterable(rows_of_blocks), strict=True)
        widths = [max(map(count_columns, column)) for column in columns]
        lines = [fill(words, _TABLE_WIDTH) for words in (title, conditions) if words]
        lines.append(align_cells(header, widths))
        for (name, basis, _), rows in zip(blocks, rows_of_blocks, strict=True):
            if name:
                lines.append(
                    fill(_format_heading(name, basis), _TABLE_WIDTH, subsequent_indent="    ")
                )
            lines += [align_cells(row, widths) for row in rows]
        return "\n".join([*lines, *(fill(note, PARAGRAPH_WIDTH) for note in notes)])

    def _repr_html_(self) -> str:
        return self._as_html_table()


def to_json(value: Any) -> Any:
    """Convert a value to what JSON has, such as lists, strings and numbers that are finite."""
    if isinstance(value, Mapping):
        names = [format_name(key, lambda part: str(to_json(part))) for key in value]
        if len(set(names)) < len(names):  # as for the keys 1 and "1"
            names = [repr(key) for key in value]
        return dict(zip(names, map(to_json, value.values()), strict=True))
    if isinstance(value, list | tuple | np.ndarray):
        return [*map(to_json, value)]
    if isinstance(value, Note):
        return asdict(value)
    if isinstance(value, np.generic):
        # As Python's time, datetime64 has microseconds.
        value = str(value) if isinstance(value, np.datetime64) else value.item()
    if isinstance(value, float) and not isfinite(value):
        return None if isnan(value) else str(value)
    if isinstance(value, date | time):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _format_heading(name: str, basis: str) -> str:
    return f"{name} ({basis})" if basis else name


_TEXT_COLUMNS = {  # which are aligned to the left
    *("model", "params", "measure", "measure, by weight", "verdict"),
    *("definition", "reported by", "why it differs here", "aspect", "finding"),
}


def _is_text(column: str) -> bool:
    return column in _TEXT_COLUMNS or column.endswith("interval")


def _fit_first_cell(cells: Sequence[str], indent: str) -> Sequence[str]:
    """Indent a line of cells, and shorten the name in the first one."""
    return [indent + shorten_name(cells[0]), *cells[1:]]


def shorten_name(name: str) -> str:
    """Leave out the middle of a long name."""
    short = name
    n_characters = _MAX_NAME_WIDTH // 2  # at each end; wide characters leave room for fewer
    while count_columns(short) > _MAX_NAME_WIDTH:
        n_characters -= 1
        short = f"{name[:n_characters]}…{name[-n_characters:]}"
    return short


class _Wrapper(TextWrapper):
    """Wrapper that also breaks long function names, after a dot or a bracket."""

    wordsep_simple_re = re.compile(r"(\s+|(?<=[.(])(?=[A-Za-z]{6}))")


def format_paragraphs(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format each row as a paragraph.

    It starts with the second cell, a value, and the first one, a name, and continues with the other
    cells below, each after the name of its column. Empty ones are left out.
    """
    indent = 2 + max(len(value) for _, value, *_ in rows)
    lines = []
    for name, value, *cells_below in rows:
        lines.append(f"{value:{indent}}{_indent_lines(name, indent)}")
        for column, cell in zip(header[2:], cells_below, strict=True):
            if cell:
                lines.append(f"{' ' * indent}{_indent_lines(f'{column}: {cell}', indent)}")
    return "\n".join(lines)


def _indent_lines(text: str, indent: int) -> str:
    """Wrap a text to the width, and indent all lines after the first one."""
    lines = _Wrapper(PARAGRAPH_WIDTH - indent - 2, break_on_hyphens=False).wrap(text)
    return f"\n{' ' * (indent + 2)}".join(lines)


def describe_basis(method: str, basis: str) -> str:
    """Say what an interval rests on. The usual method goes without saying: `method` explains it."""
    return basis if method == "influence" else f"{method}, {basis}"


def format_level(result: Any) -> str:
    """Return the heading of a column of intervals, such as "95% interval"."""
    return f"{100 * result.confidence_level:g}% interval"


def format_ends(low: float, high: float, decimals: int = 3) -> str:
    """Format the ends of an interval, which a value may not have."""
    if isnan(low) and isnan(high):
        return "none"
    return f"{_format_end(low, decimals)} to {_format_end(high, decimals)}"


def _format_end(end: float, decimals: int) -> str:
    """Format an end, which is on one side of 0 even if it rounds to 0."""
    text = f"{end:z.{decimals}f}"
    return text if not end or float(text) else f"{'>' if end > 0 else '<'}{text}"


def format_difference(difference: float, decimals: int = 3) -> str:
    """Format a difference with its sign, which neither 0.000 nor nan has."""
    text = f"{difference:+z.{decimals}f}"
    return text if float(text) and not isnan(difference) else text[1:]


def format_pvalue(pvalue: float) -> str:
    """Format a p-value, which a difference may not have. One that is below 0.05, or another usual
    level, isn't rounded up to it without saying so.
    """
    if not pvalue >= 0.001:
        return "none" if isnan(pvalue) else "< 0.001"
    rounded = round(pvalue, 3)
    is_below = pvalue < rounded and rounded in _USUAL_LEVELS
    return f"< {rounded:.3f}" if is_below else f"{rounded:.3f}"


def format_difference_cells(row: Any, is_baseline: bool, decimals: int) -> list[str]:
    """Format a row's difference from the baseline with its interval and p-value."""
    if is_baseline:
        return ["baseline", "", ""]
    limits = format_ends(row.low, row.high, decimals)
    return [format_difference(row.difference, decimals), limits, format_pvalue(row.pvalue)]


def describe_table(
    n_models: int, joint: bool, margins: Mapping[str, float], baseline: str = ""
) -> list[str]:
    """Say in words what the result's own attributes say about all rows: the baseline, whether
    intervals and p-values are adjusted, which those of two models needn't be, and what margins
    verdicts by metrics are about.
    """
    words = [baseline] if baseline else []
    if n_models > 2 and joint:
        words.append(f"Intervals of differences and p hold for all {n_models} models at once.")
    elif n_models > 2:
        words.append(f"Intervals and p are not adjusted for {n_models} models.")
    if len(set(margins.values())) == 1:
        words.append(f"Verdicts are with a margin of {next(iter(margins.values())):g}.")
    elif margins:
        listed = ", ".join(f"{margin:g} ({join_lines(name)})" for name, margin in margins.items())
        words.append(f"Verdicts are with margins of {listed}.")
    return [" ".join(words)] if words else []


def fill_paragraph(text: str) -> str:
    return _Wrapper(PARAGRAPH_WIDTH, break_on_hyphens=False).fill(text)


def join_lines(name: Any) -> str:
    return " ".join(str(name).split())


def count_columns(text: str) -> int:
    """Count the columns that a text takes in a terminal, where some characters are wide."""
    width = 0
    for character in text:
        if not unicodedata.combining(character):
            width += _WIDE.get(unicodedata.east_asian_width(character), 1)
    return width


_WIDE = {"W": 2, "F": 2}


def align_cells(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Format a line of a table whose columns have these widths."""
    padded = (
        f"{cell}{' ' * (width - count_columns(cell))}"
        for cell, width in zip(cells, widths, strict=True)
    )
    return "  ".join(padded).rstrip()


@cache
def _style() -> str:
    """Read the style sheet.

    On a wide screen, it shows an ordinary table. On a narrow one, the first two cells of a row are
    next to each other, and the others below them, each with the name of its column.
    """
    return read_text("_show/results.css").rstrip()


_ALIGNED = {
    "text": 'style="text-align: left"',
    "number": 'class="number" style="text-align: right"',
}


def _tell_columns_apart(header: Sequence[str]) -> list[str]:
    """Return the names of columns below each other on a phone: the second "95% interval" is that of
    the column before it, such as "difference, 95% interval".
    """
    return [
        f"{header[place - 1]}, {name}" if name in header[:place] else name
        for place, name in enumerate(header)
    ]


def _html_cells(names: Sequence[str], kinds: Sequence[str], row: Sequence[str]) -> str:
    """Format the cells of a row, of which a single one is the heading of the rows below."""
    if len(row) == 1 < len(names):
        return f'<th colspan="{len(names)}" {_ALIGNED["text"]}>{escape(row[0])}</th>'
    return "".join(
        f'<td data-name="{escape(name)}" {_ALIGNED[kind]}>{escape(cell)}</td>'
        for name, kind, cell in zip(names, kinds, row, strict=True)
    )


# Markdown reads underscores within words as they are.
_MARKDOWN = re.compile(r"[\\`*|\[\]$~]|<(?=[\w/!?])|&(?=[\w#])|(?<!\w)_|_(?!\w)")


def _escape_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\g<0>", text)


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escape_markdown, cells))} |"


def import_pandas(user: str = "to_frame") -> Any:
    try:
        return import_module("pandas")
    except ImportError as error:
        raise ImportError(f"{user} needs pandas or polars: pip install pandas") from error
