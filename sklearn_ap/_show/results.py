"""What the result classes have in common: how they print, convert and compare."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from datetime import date, time
from functools import cache, wraps
from html import escape
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, islice
from math import isfinite, isnan
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np

from .._arrays.host import find_library, to_host, unwrap_native
from .._package import read_text, read_toml
from .._words.parameters import format_name
from .._words.refusals import find_substitute
from ..core.tolerances import MAX_EXACT_INTEGER

T = TypeVar("T")

# Of what `to_dict` returns; raise it if older versions of the package can't read it.
FORMAT_VERSION = 5

_ONLY_IN_JSON = "version", "by", "notes", "conditions", "as_chosen"
WIDTH = 79  # of all text; only names and counts make tables wider
_MAX_PRINTED_NOTES = 3  # that are printed
MAX_PRINTED_SEGMENTS = 50  # that are printed
# Floats that loggers don't get: settings, and the ends of claims about one
_NOT_LOGGED = {"confidence_level", "min_recall", "min_precision"}
_NOT_LOGGED |= {"margin", "margin_low", "margin_high"}
_USUAL_LEVELS = (0.01, 0.05, 0.1)  # of significance
_MIN_LAST_WIDTH = 20  # of a last column that is broken into lines
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


def write_notes(notes: Iterable[Note]) -> list[str]:
    return [note.text for note in notes]


def shorten_notes(texts: Sequence[str]) -> list[str]:
    """Return the first sentences of the first notes, which are the most serious ones.

    A line break separates the first sentence from what else a note says.
    """
    short = [text.partition("\n")[0] for text in texts[:_MAX_PRINTED_NOTES]]
    n_more = len(texts) - _MAX_PRINTED_NOTES
    return short if n_more <= 0 else [*short, f"`notes` has {n_more:,} more."]


def break_after_sentence(text: str) -> str:
    """Put a line break after the first sentence, as notes have it."""
    return re.sub(r"(?<=[\w)'\"][.?]) (?=[A-Z])", "\n", text, count=1)


def select_segments(
    segments: Sequence[T],
    badness: Callable[[T], Any],
    which: str,
    noun: str = "segments",
    most: int = MAX_PRINTED_SEGMENTS,
) -> tuple[Sequence[T], list[str]]:
    """Return the segments to show, or other rows with this `noun`, and lines on which they are.

    Of too many, these are the ones of lowest `badness`, in their order; `which` says so in words.
    """
    if len(segments) <= most:
        return segments, []
    worst = sorted(range(len(segments)), key=lambda place: badness(segments[place]))  # first
    shown = [segments[place] for place in sorted(worst[:most])]
    return shown, [f"{most} of {len(segments):,} {noun} are shown, {which}: `rows` has all."]


class Printed(NamedTuple):
    """What a result prints: a table, the title above it, and what is said below."""

    header: Sequence[str]  # the names of the columns
    # The name of a metric, its basis, and the rows about it, each with a cell for each column.
    # Without a name, the rows have no heading.
    blocks: Sequence[tuple[str, str, Sequence[Sequence[str]]]]
    title: str = ""
    lines: Sequence[str] = ()  # what has to be known to read the table
    notes: Sequence[str] = ()  # remarks, which print(result) shortens
    conditions: str = ""  # those of the result, in words


def name_weights(name: Any) -> str:
    """Return what texts call weights, whose name is True if they have none."""
    return "weight" if name is True else escape_hidden(join_lines(name))


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
        printed = self._printed()._replace(conditions=" ".join(self._on_conditions()))
        if len(printed.blocks) == 1 and not printed.title:
            [(name, basis, rows)] = printed.blocks
            return printed._replace(title=_format_heading(name, basis), blocks=[("", "", rows)])
        return printed

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

    def __str__(self) -> str:
        printed = self._printed_fully()
        return format_table(printed._replace(notes=shorten_notes(printed.notes)))

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

    def _repr_html_(self) -> str:
        printed = self._printed_fully()
        alignments = ["left" if is_text else "right" for is_text in _find_texts(printed)]
        body = ""
        for name, basis, rows in printed.blocks:
            if name:
                heading = escape(_format_heading(name, basis))
                body += f'<tr><th colspan="{len(alignments)}" {_align("left")}>{heading}</th></tr>'
            body += "".join(_html_row("td", row, alignments) for row in rows)
        # Not a caption, which would be as narrow as the table
        above = "<br>".join(map(escape, filter(None, [printed.title, printed.conditions])))
        title = f"<p {_align('left')}><strong>{above}</strong></p>" if above else ""
        below = "".join(f"<p>{escape(line)}</p>" for line in (*printed.lines, *printed.notes))
        return (
            f'<div class="sklearn-ap"><style>{_style()}</style>{title}<table>'
            f"<thead>{_html_row('th', printed.header, alignments)}</thead>"
            f"<tbody>{body}</tbody></table>{below}</div>"
        )

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        printed = self._printed_fully()
        alignments = [":--" if is_text else "--:" for is_text in _find_texts(printed)]
        table = [_markdown_line(printed.header), f"| {' | '.join(alignments)} |"]
        for name, basis, rows in printed.blocks:
            if name:
                bold = f"**{_escape_markdown(_format_heading(name, basis))}**"
                empty_cells = [""] * (len(alignments) - 1)
                table.append(f"| {' | '.join([bold, *empty_cells])} |")
            table += map(_markdown_line, rows)
        above = filter(None, [printed.title, printed.conditions])
        below = map(join_lines, (*printed.lines, *printed.notes))
        parts = [*map(_escape_markdown, above), "\n".join(table), *map(_escape_markdown, below)]
        return "\n\n".join(parts) + "\n"


class Measurement(Result):
    """Base class of results whose values loggers take."""

    def to_metrics(self) -> dict[str, float]:
        """Return the defined values as a flat dict of floats, for loggers such as MLflow.

        Keys have a segment and a model, if there are any, and what the value is, as in
        "DE/model_b/average_precision_low". They are the same with any margin. Signs that loggers
        refuse are written as codes, as in "a_25_b" for the name "a%b".
        """
        rows = self._list_logged_rows()
        has_models = any(row.get("model") for row in rows)  # a single one may have no name
        has_columns = len({row.get("segment_column") for row in rows} - {None}) > 1
        metrics: dict[str, float] = {}
        for row in rows:
            of = []
            if row.get("segment") is not None:
                column = [row["segment_column"]] if has_columns else []
                of.append("_".join(map(_write_key, [*column, row["segment"]])))
            if has_models:
                of.append(_write_key(row["model"]))
            left_out = {*_NOT_LOGGED}
            if row.get("verdict", "") is None:  # as of the baseline, which is 0
                left_out.add("difference")
            for name, value in row.items():
                is_value = isinstance(value, float) or name == "threshold"
                if is_value and isfinite(value) and name not in left_out:
                    key = "/".join([*of, _write_metric_key(row, name)])
                    if key in metrics:
                        raise ValueError(f"Two values are called {key!r}. Choose other names.")
                    metrics[key] = float(value)
        return metrics

    def _list_logged_rows(self) -> list[dict[str, Any]]:
        return self._rows()


def _write_key(name: Any) -> str:
    """Write a name as a part of a key, without what MLflow refuses: most signs, empty parts, and a
    part that is a folder, such as "..". Different names stay different, because an underscore
    before what looks like a code is written as a code, too.
    """
    text = _REFUSED_IN_KEYS.sub(lambda sign: f"_{ord(sign[0]):02X}_", format_name(name))
    return text or "_0_"  # with one digit, unlike codes


_REFUSED_IN_KEYS = re.compile(r"[^\w. -]|^\.|_(?=[0-9A-F]{2,}(?:_|[^\w. -]))|^_(?=0_$)")


def _write_metric_key(row: Mapping[str, Any], name: str) -> str:
    """Write the metric of a row, and what the value called `name` is about it."""
    if name in ("low", "high") and "difference" in row and "difference_low" not in row:
        name = f"difference_{name}"
    if "metric" not in row:
        return name
    metric = row["metric"]
    if _TITLE.match(metric):
        words = re.split(r"[ ,()]+", f"{metric[0].lower()}{metric[1:]}".replace("%", " percent"))
        key = "_".join(map(_write_key, filter(None, words)))
    else:
        key = _write_key(metric)
    return key if name == "value" else f"{key}_{name}"


_TITLE = re.compile(r"[A-Z][a-z]+ |nDCG\b|\d+-point ")  # the beginnings of our metrics' titles


def format_table(printed: Printed) -> str:
    """Format a table in a terminal, below its title and above what is said of it."""
    texts = _find_texts(printed)
    table = _shorten_names(_list_rows(printed), texts)
    widths = [max(map(count_columns, column)) for column in zip(*table, strict=True)]
    header, *rows = [align_cells(cells, widths, texts) for cells in table]
    aligned = iter(rows)
    lines = [*wrap(printed.title), *wrap(printed.conditions)]
    for place, (name, basis, rows_below) in enumerate(printed.blocks):
        if place:
            lines.append("")
        lines += wrap(_format_heading(name, basis))
        if rows and not place:
            lines.append(header)
        lines += islice(aligned, len(rows_below))
    for text in (*printed.lines, *printed.notes):
        lines += wrap(text)
    return "\n".join(lines)


def format_whole(result: Result) -> str:
    """Format a result as `print` does, with all that its notes say."""
    return format_table(result._printed_fully())


def _list_rows(printed: Printed) -> list[Sequence[str]]:
    """Return the cells of the header, and those of each row."""
    return [printed.header, *chain.from_iterable(rows for *_, rows in printed.blocks)]


def _shorten_names(
    table: Sequence[Sequence[str]], texts: Sequence[bool]
) -> Sequence[Sequence[str]]:
    """Shorten the names in a table: those of columns, and the cells of all columns of words but the
    last one. If rows would look alike, they stay as they are.
    """
    header, *rows = table
    is_name = [*texts[:-1], False]

    def take_names(row: Sequence[str]) -> tuple[str, ...]:
        return tuple(cell for cell, is_one in zip(row, is_name, strict=True) if is_one)

    short = [
        [shorten_name(cell) if is_one else cell for cell, is_one in zip(row, is_name, strict=True)]
        for row in rows
    ]
    if len({*map(take_names, short)}) < len({*map(take_names, rows)}):
        return table
    return [[*map(shorten_name, header[:-1]), header[-1]], *short]


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
        are_exact = all(abs(int(value)) <= MAX_EXACT_INTEGER for value in integers)
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


def _to_polars_cell(value: Any) -> Any:
    """Write tuples and dicts, whose parts can be of several types, and convert NumPy's times."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        plain = value.item()
        # Python has no nanoseconds, of which NumPy makes an integer.
        return value.astype(f"{value.dtype.kind}8[us]").item() if isinstance(plain, int) else plain
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
    return find_library(unwrap_native(data)) == "polars"


class Table(Measurement):
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


def to_json(value: Any) -> Any:
    """Convert a value to what JSON has, such as lists, strings and numbers that are finite."""
    if isinstance(value, Mapping):
        names = [format_name(key, lambda part: str(to_json(part))) for key in value]
        if len(set(names)) < len(names):  # as for the keys 1 and "1"
            names = [repr(key) for key in value]
        return dict(zip(names, map(to_json, value.values()), strict=True))
    if isinstance(value, list | tuple | np.ndarray):
        return [*map(to_json, value)]
    if isinstance(value, Value):
        return to_json(value._as_dict())
    if isinstance(value, np.generic):
        # As Python's time, datetime64 has microseconds.
        value = str(value) if isinstance(value, np.datetime64) else value.item()
    if isinstance(value, float) and not isfinite(value):
        return None if isnan(value) else str(value)
    if isinstance(value, date | time):
        return value.isoformat()
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _format_heading(name: str, basis: str) -> str:
    return f"{name}: {basis}" if basis else name


def _find_texts(printed: Printed) -> list[bool]:
    """Find the columns that are aligned to the left: the first one, and those of words."""
    _, *rows = _list_rows(printed)
    columns = zip(*rows, strict=True) if rows else [()] * len(printed.header)
    return [place == 0 or _are_words(cells) for place, cells in enumerate(columns)]


def _are_words(cells: Iterable[str]) -> bool:
    """Whether most cells that aren't empty are other than numbers, intervals or "2 of 3"."""
    are_numbers = [_NUMERIC.fullmatch(cell) is not None for cell in cells if cell]
    return 2 * sum(are_numbers) < len(are_numbers)


_NUMBER = r"[<>]?[+-]?(\d[\d,.]*|inf|nan)(e[+-]\d+)?%?"
_NUMERIC = re.compile(f"{_NUMBER}( (to|of) {_NUMBER})?")


def shorten_name(name: str) -> str:
    """Leave out the middle of a long name."""
    short = name
    n_characters = _MAX_NAME_WIDTH // 2  # at each end; wide characters leave room for fewer
    while count_columns(short) > _MAX_NAME_WIDTH:
        n_characters -= 1
        short = f"{name[:n_characters]}…{name[-n_characters:]}"
    return short


def format_level(result: Any) -> str:
    """Return the heading of a column of intervals, such as "95% interval"."""
    return f"{100 * result.confidence_level:g}% interval"


def format_verdict_column(result: Any) -> str:
    """Return the heading of a column of verdicts, such as "verdict at 95%"."""
    return f"verdict at {100 * result.confidence_level:g}%"


def write_value(value: float, decimals: int = 3) -> str:
    """Format a value, which 0/0 hasn't."""
    return "" if isnan(value) else f"{value:z.{decimals}f}"


def format_ends(low: float, high: float, decimals: int = 3) -> str:
    """Format the ends of an interval, which a value may not have."""
    if isnan(low) and isnan(high):
        return ""
    return f"{_format_end(low, decimals)} to {_format_end(high, decimals)}"


def _format_end(end: float, decimals: int) -> str:
    """Format an end, which is on one side of 0 even if it rounds to 0."""
    text = f"{end:z.{decimals}f}"
    return text if not end or float(text) else f"{'>' if end > 0 else '<'}{text}"


def format_difference(difference: float, decimals: int) -> str:
    """Format a difference with its sign, which neither 0.000 nor nan has."""
    text = f"{difference:+z.{decimals}f}"
    return text if float(text) and not isnan(difference) else text[1:]


def format_pvalue(pvalue: float) -> str:
    """Format a p-value, which a difference may not have. One that is below 0.05, or another usual
    level, isn't rounded up to it without saying so.
    """
    if not pvalue >= 0.001:
        return "" if isnan(pvalue) else "<0.001"
    rounded = round(pvalue, 3)
    is_below = pvalue < rounded and rounded in _USUAL_LEVELS
    return f"<{rounded:.3f}" if is_below else f"{rounded:.3f}"


def format_difference_cells(pair: Any, decimals: int, instead: str) -> list[str]:
    """Format a difference with its interval, its p-value and its verdict, or `instead` of the
    verdict what a row without a difference is.
    """
    if pair is None or not pair.verdict:
        return ["", "", "", instead]
    limits = format_ends(pair.low, pair.high, decimals)
    difference = format_difference(pair.difference, decimals)
    return [difference, limits, format_pvalue(pair.pvalue), pair.reason or pair.verdict]


def describe_baseline(compared: Sequence[Any], baseline: Any, chosen_by: str) -> str:
    """Say which models differences are between. The data chose the baseline by a metric, or the
    caller did.
    """
    who = f"{join_lines(compared[0])} " if len(compared) == 1 else ""
    against = join_lines(baseline)
    if chosen_by:
        against = f"the baseline {against}, chosen as the best by {chosen_by}"
    elif not who:
        against = f"the baseline {against}"
    return f"diff, p and verdict: {who}against {against}."


def describe_family(
    family: int,
    n_compared: int,
    joint: bool,
    baseline: str = "the baseline",
    shown: str = "Intervals and p",
) -> list[str]:
    """Say for which comparisons what is `shown` of them is adjusted: a `family` of as many as were
    made, with the baseline, or if that was chosen, of all pairs.
    """
    if n_compared < 2:
        return []
    if not joint:
        return [f"{shown} are not adjusted."]
    things = f"comparisons with {baseline}" if family == n_compared else "pairs of models"
    return [f"{shown} are adjusted for {family:,} {things} (Bonferroni)."]


def describe_margins(margins: Mapping[str, float | None], ends: str | None = None) -> list[str]:
    """Say what the margins are by which metrics, if there are any, and which `ends` of a single
    difference they are compared with.
    """
    if ends and all(margins.values()):
        [margin] = margins.values()
        compared = f"The verdict compares it with a wider interval, {ends}, because rare"
        return [f"Margin: {margin:g}. {compared} cases may be missing from the sample."]
    listed = [f"{margin:g} ({join_lines(name)})" for name, margin in margins.items() if margin]
    if len({*margins.values()}) == 1:
        listed = [f"{margin:g}" for margin in {*margins.values()} if margin]
    return [f"Margin: {', '.join(listed)}."] if listed else []


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


def align_cells(cells: Sequence[str], widths: Sequence[int], texts: Sequence[bool]) -> str:
    """Format a row of a table whose columns have these widths: words to the left, and numbers to
    the right. Words in the last column are broken into lines.
    """
    padded = []
    for cell, width, is_text in zip(cells, widths, texts, strict=True):
        space = " " * (width - count_columns(cell))
        padded.append(cell + space if is_text else space + cell)
    *others, last = padded
    line = "".join(f"{cell}  " for cell in others)
    indent = count_columns(line)
    room = max(WIDTH - indent, _MIN_LAST_WIDTH)
    if texts[-1] and count_columns(cells[-1]) > room:
        last = f"\n{' ' * indent}".join(wrap(cells[-1], room))
    return (line + last).rstrip()


def wrap(text: str, width: int = WIDTH) -> list[str]:
    """Break a text into lines."""
    lines = TextWrapper(width, break_on_hyphens=False).wrap(text)
    return [line.rstrip() for line in lines]  # a space may precede a word that is broken


@cache
def _style() -> str:
    return read_text("_show/results.css").rstrip()


def _html_row(tag: str, cells: Sequence[str], alignments: Sequence[str]) -> str:
    """Format a row. Numbers, which are aligned to the right, are never broken."""
    columns = zip(cells, alignments, strict=True)
    written = (f"<{tag} {_align(side)}>{escape(cell)}</{tag}>" for cell, side in columns)
    return f"<tr>{''.join(written)}</tr>"


def _align(side: str) -> str:
    """Return the attribute of a cell that aligns it. JupyterLab aligns all cells to the right by
    rules that a style sheet can hardly beat, and ignores style sheets in notebooks that aren't
    trusted.
    """
    return f'style="text-align: {side}"'


# Markdown reads underscores within words as they are.
_MARKDOWN = re.compile(r"[\\`*|\[\]$~]|&(?=[\w#])|(?<!\w)_|_(?!\w)")
_HTML_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def _escape_markdown(text: str) -> str:
    # Some programs read tags although they are escaped by a backslash.
    return _HTML_TAG.sub("&lt;", _MARKDOWN.sub(r"\\\g<0>", text))


def _markdown_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escape_markdown, cells))} |"


def import_pandas(user: str = "to_frame") -> Any:
    try:
        return import_module("pandas")
    except ImportError as error:
        raise ImportError(f"{user} needs pandas or polars: pip install pandas") from error
