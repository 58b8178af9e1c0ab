"""Rows of several tables, which become one table: by ids, or by their place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .._arrays.conversion import Codes, as_list, several_columns
from .._arrays.host import library_of, native, to_host
from .._inputs.records import Inputs, Named, OwnLabels, Unread
from .._spelling import arg, mapping_of, row_of_table, spell
from .._words.messages import count_of
from .._words.parameters import text_of
from .._words.refusals import naming_model
from ..core.exact_scores import in_one_dtype
from ..core.numbering import number_groups
from ..core.within import Array
from . import engines, tables
from .columns import is_missing, read_column
from .group_names import read_names

INDEX = "index"  # of pandas
_FEWEST = 40  # rows of each of two labels, which another order has by chance once in 10**23
_SAME_WEIGHT = 2.0**-22  # relative difference of weights, of which some are float32


class JoinedColumns(dict[str, Any]):
    """The columns of several tables, each from the first one that has it, in one order of rows."""

    by_place = False  # whether nothing but equal labels tells which rows belong together
    only_retrieved = False


class _Source(NamedTuple):
    """The columns of a model's table, or of one that only lends columns."""

    model: Any
    columns: dict[str, Any]  # by their names
    scores: Any  # None for a table that only lends columns
    ids: Array = np.zeros(0, dtype=np.int64)  # of the rows: equal numbers for equal ids everywhere
    row_of: Array = np.zeros(0, dtype=np.int64)  # the row of each id, -1 for those that it lacks

    @property
    def has_scores(self) -> bool:
        return self.scores is not None

    def cell(self, name: str, row: int) -> Any:
        """Return a value as it is written in Python."""
        values, _ = distinct(taken(self.columns[name], np.array([row])))
        return as_list(values)[0]


def one_of_tables(unread: Unread, roles: Named) -> tuple[Any, Named]:
    """Join the tables of several models. Return the columns of one table, or None if all of them
    were passed as arrays, and the scores of each model. Where groups may have rows of their own,
    return tables that have all columns, and the names of their scores.

    `roles` are the arguments that can name columns, without those of scores.
    """
    on = [unread.on] if isinstance(unread.on, str) else [*(unread.on or ())]
    data = {model: _with_index(table, on) for model, table in unread.data.items()}
    names_of = {model: tables.names_of_table(table) for model, table in data.items()}
    names = dict.fromkeys(name for of_table in names_of.values() for name in of_table or ())
    first = next(iter(unread.data.values()))
    named: dict[str, Any] = tables.read_roles(names or first, {**roles, "y_score": unread.y_score})
    del named["y_score"]
    if isinstance(unread.y_true, OwnLabels):
        named["grades"] = unread.y_true.grades
    if on:
        _check_have_ids(roles, named)
    read = []
    for model, table in data.items():
        absent = names.keys() - (names_of[model] or names) - {*on} if on else set()
        with naming_model(model, data, has_table=True):
            read.append(_source_of(model, table, unread, {**named, "on": on}, absent))
    read = _with_row_numbers(read, on)
    are_same = _check_rows(unread, read, on)
    _check_agree(read, on, named, may_scale=are_same or unread.n_positives is None)
    if not are_same:
        return _each_completed(unread, read, on, named), unread.y_score
    columns = _completed(read[0], read, on, named)
    columns.by_place = not on and any(table is not first for table in unread.data.values())
    from_reader = [isinstance(table, tables.KnownColumns) for table in unread.data.values()]
    columns.only_retrieved = any(from_reader)
    if columns.by_place:
        _check_can_pair(unread, read, named)
    in_order = {
        table.model: taken(table.scores, table.row_of[read[0].ids])
        for table in read
        if table.has_scores
    }
    return columns or None, {model: in_order[model] for model in unread.y_score}


def _each_completed(
    unread: Unread, read: Sequence[_Source], on: Sequence[str], named: Named
) -> dict[Any, JoinedColumns]:
    """Return a table with all columns for each model, whose groups have rows of their own."""
    if unread.n_positives is None:
        _check_are_scored(read, on, named)
    data = {}
    for table in read:
        if table.has_scores:
            data[table.model] = columns = _completed(table, read, on, named)
            columns.only_retrieved = isinstance(unread.data[table.model], tables.KnownColumns)
            names = tables.names_in(unread.y_score[table.model])
            matrix = np.asarray(table.scores).T if len(names) > 1 else [table.scores]
            columns |= dict(zip(names, matrix, strict=True))
    return data


def _with_index(table: Any, on: Sequence[str]) -> Any:
    """Make a column of the index of pandas if it has the ids."""
    table = native(table)
    if INDEX in on and hasattr(table, "iloc") and INDEX not in table.columns:
        return table.assign(**{INDEX: table.index.to_flat_index()})
    return table


def _check_have_ids(roles: Named, named: Named) -> None:
    """Check that no argument is an array, whose values have no ids."""
    for role, value in roles.items():
        n_named = len(named.get(role, ())) if isinstance(value, Mapping) else 1
        are_named = role in named and (not isinstance(value, Mapping) or n_named == len(value))
        if not are_named and not tables.are_of_groups(value):
            raise TypeError(
                f"With on=, {role} must name columns of the tables, because nothing tells to which "
                "ids the values of an array belong."
            )


def _source_of(
    model: Any, table: Any, unread: Unread, named: Named, absent: Collection[str]
) -> _Source:
    """Read the columns of a table, but for those that are `absent`, which others have."""
    wanted: dict[str, Any] = {}  # by role, for errors
    for role, of_role in named.items():
        wanted[role] = {name: name for name in tables.names_in(of_role) if name not in absent}
    is_model = model in unread.y_score
    lends = any(names for role, names in wanted.items() if role != "on")
    if is_model or not lends:  # the name of the scores is probably misspelled, which is refused
        wanted["y_score"] = unread.y_score.get(model, next(iter(unread.y_score.values())))
    source = {**engines.read(table, wanted, Inputs.of(unread).positive)}
    scores = source.pop("y_score", None)
    columns = {name: column for of_role in source.values() for name, column in of_role.items()}
    return _Source(model, columns, scores if is_model else None)


# --- ids -----------------------------------------------------------------------------------------


def _with_row_numbers(read: Sequence[_Source], on: Sequence[str]) -> list[_Source]:
    """Number the ids of all tables, or without ids their places, and check that no id is missing or
    repeats within a table.
    """
    ids = [np.arange(len(table.scores)) for table in read if not on]
    if on:
        ids = _numbers_together([[table.columns[name] for name in on] for table in read])
    n_ids = 1 + max(int(own.max(initial=-1)) for own in ids)
    numbered = []
    for table, own in zip(read, ids, strict=True):
        for name in on:
            if any(map(is_missing, distinct(table.columns[name])[0])):
                raise ValueError(
                    f"{arg('on', repr(name))} contains missing values in the table of "
                    f"{table.model!r}. Leave these rows out, or give them ids."
                )
        repeated = np.flatnonzero(np.bincount(own) > 1)
        if repeated.size:
            one, two = np.flatnonzero(own == repeated[0])[:2]
            raise ValueError(
                f"{arg('on')} must name what tells rows apart, but the table of {table.model!r} "
                f"has {_id_of(table, on, one)} in the rows {one} and {two} (counted from 0), and "
                f"{count_of(repeated.size, 'ids')} more than once. Pass several columns, as in "
                f"{arg('on', [*on, 'day'])}, or leave out copies of rows."
            )
        row_of = np.full(n_ids, -1)
        row_of[own] = np.arange(own.size)
        numbered.append(table._replace(ids=own, row_of=row_of))
    return numbered


def _numbers_together(of_tables: Sequence[Sequence[Any]]) -> list[Array]:
    """Number the rows of several tables by their values in the columns of each table: equal values
    have equal numbers, whatever their types. Missing values are equal.
    """
    number = np.zeros(1, dtype=np.int64)
    sizes: list[int] = []
    for columns in zip(*of_tables, strict=True):
        parts = [distinct(column) for column in columns]
        sizes = [rows.size for _, rows in parts]
        _, code = number_groups(_equal_values([values for values, _ in parts]), in_order=False)
        ends = np.cumsum([len(values) for values, _ in parts])[:-1]
        of_rows = [own[rows] for own, (_, rows) in zip(np.split(code, ends), parts, strict=True)]
        latest = np.concatenate(of_rows).astype(np.int64)
        _, number = number_groups(number * (latest.max(initial=0) + 1) + latest, in_order=False)
        number = number.astype(np.int64)
    return np.split(number, np.cumsum(sizes)[:-1])


def _equal_values(parts: Sequence[Array]) -> Array:
    """Return the values of several arrays as one array, in which equal values are equal objects."""
    if all(values.dtype.kind in "biuf" for values in parts):
        return in_one_dtype(parts)
    keys = [_equal_value(value) for values in parts for value in as_list(values)]
    return np.fromiter(keys, dtype=object, count=len(keys))


def _equal_value(value: Any) -> Any:
    """Return what equal values share: for times, the day and the nanoseconds since its start, of
    which 64 bits can't hold the sum for each date.
    """
    if is_missing(value):
        return None
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, date):  # of Python or pandas, whose times are dates, too
        value = np.datetime64(getattr(value, "asm8", value))
    if isinstance(value, np.timedelta64):
        return "ns", value.astype("m8[ns]").astype(np.int64).item()
    if not isinstance(value, np.datetime64):
        return value
    day = value.astype("M8[D]")
    return "day", day.astype(np.int64).item(), (value - day).astype("m8[ns]").item()


def distinct(column: Any) -> tuple[Array, Array]:
    """Return the distinct values of a column, and the index of each row's value among them."""
    held = read_names(column, "on").held
    if isinstance(held, Codes):
        number, code = number_groups(held.code, in_order=False)
        return held.among(number), code
    return number_groups(held, in_order=False)


# --- what has to be equal ------------------------------------------------------------------------


def _check_rows(unread: Unread, read: Sequence[_Source], on: Sequence[str]) -> bool:
    """Check that all tables have the same rows, which retrieved ones of groups may lack. Return
    whether they do.
    """
    first, *others = read
    are_same = True
    for other in others:
        differ = np.flatnonzero((first.row_of < 0) != (other.row_of < 0))
        are_same &= not differ.size
        if not differ.size or (on and unread.groups is not None):
            continue
        sizes = f"{first.ids.size:,} and {other.ids.size:,}"
        if not on:
            _refuse_pair(first, other, "rows", sizes, _how_to_pair())
        has = first if first.row_of[differ[0]] >= 0 else other
        where = f"{_id_of(has, on, has.row_of[differ[0]])} is only in the table of {has.model!r}"
        n_shared = np.count_nonzero((first.row_of >= 0) & (other.row_of >= 0))
        how_many = f"They have {sizes} rows, and share {n_shared:,}."
        advice = (
            f"Leave these rows out, or pass {arg('on', False)} if the rows are different ones. "
            f"Retrieved documents or boxes need {arg('groups')}, too."
        )
        for name in on:
            advice = _if_text(name, first, other) or advice
        _refuse_pair(first, other, "rows", where, how_many, advice)
    return are_same


def _check_agree(read: Sequence[_Source], on: Sequence[str], named: Named, may_scale: bool) -> None:
    """Check that columns of several tables have the same values in rows that belong together."""
    pairs = {name: role for role, of_role in named.items() for name in tables.names_in(of_role)}
    for name, role in pairs.items():
        first, *others = (table for table in read if name in table.columns)
        for other in others:
            shared = np.flatnonzero((first.row_of >= 0) & (other.row_of >= 0))
            own = [(table.columns[name], table.row_of[shared]) for table in (first, other)]
            if role == "sample_weight":
                one, two = (read_column(column, role)[rows].astype(float) for column, rows in own)
                differ = weights_differ(one, two, may_scale)
            else:
                numbers = _numbers_together([[column] for column, _ in own])
                one, two = (number[rows] for number, (_, rows) in zip(numbers, own, strict=True))
                differ = one != two
            if not differ.any():
                continue
            row, other_row = (int(rows[differ.argmax()]) for _, rows in own)
            values = first.cell(name, row), other.cell(name, other_row)
            which = _id_of(first, on, row) if on else row_of_table(row, first.model)
            where = (
                f"{name} is {values[0]!r} for {which} in the table of {first.model!r}, and "
                f"{values[1]!r} in that of {other.model!r}"
            )
            how_many = f"They differ in {differ.sum():,} of {shared.size:,} rows."
            advice = _if_text(name, first, other) or (
                "Correct one of the tables." if on else _how_to_pair()
            )
            _refuse_pair(first, other, spell(role), where, how_many, advice)


def weights_differ(one: Array, two: Array, may_scale: bool = True) -> Array:
    """Tell which weights of two tables differ by more than the precision of float32, and if they
    `may_scale`, by more than one factor.
    """
    factor = 1.0
    both = (one > 0) & (two > 0) & np.isfinite(one) & np.isfinite(two)
    if may_scale and both.any():
        factor = float(np.median(two[both] / one[both]))
    return ~np.isclose(one * factor, two, rtol=_SAME_WEIGHT, atol=0, equal_nan=True)


def _check_can_pair(unread: Unread, read: Sequence[_Source], named: Named) -> None:
    """Check that rows in the same place belong together, of which only their labels tell."""
    columns: Any = [read[0].columns[name] for name in tables.names_in(named.get("y_true", ()))]
    if not columns:  # the labels are an array
        columns = several_columns(unread.y_true) or [unread.y_true]
    (label,) = _numbers_together([columns])
    counts = np.bincount(label)
    why = ""
    if np.count_nonzero(counts >= _FEWEST) < 2:
        why = f"there are fewer than {_FEWEST} rows of each of two labels"
    elif np.count_nonzero(np.diff(label)) < counts.size:
        why = "their rows are sorted by label"
    if why:
        raise ValueError(
            f"Nothing tells which rows of the tables of {read[0].model!r} and {read[1].model!r} "
            f"belong together: equal labels in the same place say little, because {why}. "
            f"{_how_to_pair()}"
        )


def _how_to_pair() -> str:
    return (
        f"Pass {arg('on')}, the columns that tell which rows belong together, as in "
        f"{arg('on', repr('id'))}. If the models only share queries, images or other sampling "
        f"units, pass these as {arg('groups')} or {arg('clusters')}, and if the rows are different "
        f"ones, pass {arg('on', False)}."
    )


def _check_are_scored(read: Sequence[_Source], on: Sequence[str], named: Named) -> None:
    """Check that each row with a label is in the table of some model."""
    is_scored = np.any([table.row_of >= 0 for table in read if table.has_scores], axis=0)
    for table in read:
        lost = np.flatnonzero(~is_scored[table.ids])
        if lost.size and not table.columns.keys().isdisjoint(tables.names_in(named["y_true"])):
            raise ValueError(
                f"{_id_of(table, on, lost[0])} is only in the table of {table.model!r}, which has "
                f"no scores, and so for {lost.size:,} ids. If positives among them weren't "
                f"retrieved, pass {spell('n_positives')}, {mapping_of('group')} how many "
                "exist, found or not; otherwise, leave these rows out."
            )


def _completed(
    table: _Source, read: Sequence[_Source], on: Sequence[str], named: Named
) -> JoinedColumns:
    """Return all columns in the order of the rows of a table. What it lacks comes from the first
    one that has it.
    """
    columns = JoinedColumns()
    for role, of_role in named.items():
        for name in tables.names_in(of_role):
            having = [table] if name in table.columns else [t for t in read if name in t.columns]
            has = max(having, key=lambda other: np.count_nonzero(other.row_of[table.ids] >= 0))
            rows = has.row_of[table.ids]
            lacking = np.flatnonzero(rows < 0)
            if lacking.size:
                raise ValueError(
                    f"The table of {table.model!r} has no column {name!r} ({spell(role)}), and "
                    f"that of {has.model!r} has no row for {_id_of(table, on, lacking[0])}, and so "
                    f"for {lacking.size:,} ids. Add these rows to it, or the column to all tables."
                )
            columns[name] = taken(has.columns[name], rows)
    return columns


def _refuse_pair(first: _Source, other: _Source, what: str, where: str, *more: str) -> NoReturn:
    pair = f"{first.model!r} and {other.model!r}"
    of = f"models {pair}" if first.has_scores and other.has_scores else f"tables {pair}"
    raise ValueError(f"The {what} of the {of} differ: {where}. {' '.join(more)}")


def _if_text(name: str, *pair: _Source) -> str:
    """Say if a column is text in one of two tables, and not in the other."""
    text, number = (
        [table for table in pair if isinstance(table.cell(name, 0), str) is is_text]
        for is_text in (True, False)
    )
    if len(text) != 1 or is_missing(number[0].cell(name, 0)):
        return ""
    return (
        f"{name} is text in the table of {text[0].model!r}, such as {text[0].cell(name, 0)!r}, but "
        f"in that of {number[0].model!r} it isn't. Text never equals a number or a time, so "
        "convert one of the columns."
    )


def _id_of(table: _Source, on: Sequence[str], row: int) -> str:
    """Name a row by its id."""
    cells = tuple(table.cell(name, row) for name in on)
    return f"the id {text_of(cells if len(on) > 1 else cells[0], repr)}"


def taken(column: Any, rows: Array) -> Any:
    """Return the rows of a column of any library, without an index, which isn't that of others."""
    column = to_host(native(column))
    if hasattr(column, "iloc"):
        return column.iloc[rows].reset_index(drop=True)
    if library_of(column) == "pyarrow":
        return column.take(rows)
    return [column[row] for row in rows.tolist()] if type(column) in (list, tuple) else column[rows]
