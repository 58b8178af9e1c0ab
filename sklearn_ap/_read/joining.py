"""Rows of several tables, which become one table: by ids, or by their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .._words.arrays import Codes, library_of, native, several_columns, to_host
from .._words.inputs import Inputs, Named, OwnLabels, Unread
from .._words.messages import naming_model
from .._words.parameters import text_of
from ..core.exact_scores import in_one_dtype
from ..core.numbering import number_groups
from ..core.within import Array
from . import engines, tables
from .columns import FROM_0, is_missing, read_column
from .group_names import read_names

INDEX = "index"  # of pandas
_FEWEST = 40  # rows of each of two labels, which another order has by chance once in 10**23
_SAME_WEIGHT = 2.0**-22  # relative difference of weights, of which some are float32
_HOW = (
    "Pass on=, the columns that tell which rows belong together, as in on='id'. If the models only "
    "share queries, images or other sampling units, pass these as groups= or clusters=, and if the "
    "rows are different ones, pass on=False."
)


class JoinedColumns(dict[str, Any]):
    """The columns of several tables, each from the first one that has it, in one order of rows."""

    by_place = False  # whether nothing but equal labels tells which rows belong together
    only_retrieved = False


class _Source(NamedTuple):
    """The columns of a model's table, or of one that only lends columns."""

    model: Any
    columns: dict[str, Any]
    scores: Any  # None for a table that only lends columns
    ids: Array  # of the rows: equal numbers for equal ids in all tables

    @property
    def has_scores(self) -> bool:
        return self.scores is not None

    def place(self, n_ids: int) -> Array:
        """Return the row of each id, -1 for those that the table lacks."""
        place = np.full(n_ids, -1)
        place[self.ids] = np.arange(self.ids.size)
        return place


def one_of_tables(unread: Unread, roles: Named) -> tuple[Any, Named]:
    """Join the tables of several models. Return the columns of one table, or None if all of them
    were passed as arrays, and the scores of each model. Where groups may have rows of their own,
    return tables that have all columns, and the names of their scores.

    `roles` are the arguments that can name columns, without those of scores.
    """
    scores, data = unread.y_score, unread.data
    names_of = {model: tables.names_of_table(native(table)) for model, table in data.items()}
    names = dict.fromkeys(name for of_table in names_of.values() for name in of_table or ())
    in_order = [*scores, *(model for model in data if model not in scores)]
    first = data[in_order[0]]
    named = tables.read_roles(names or first, {**roles, "y_score": scores})
    del named["y_score"]
    if isinstance(unread.y_true, OwnLabels):
        named["grades"] = unread.y_true.grades
    on = [unread.on] if isinstance(unread.on, str) else [*(unread.on or ())]
    if on:
        _check_have_ids(roles, named)
    read = []
    for model in in_order:
        absent = {*names} - {*(names_of[model] or names)} if on else set[Any]()
        with naming_model(model, data, has_table=True):
            read.append(_source_of(model, unread, named, on, absent))
    if on:
        _check_lend(read, unread, names_of)
        return _by_ids(unread, _numbered_together(read, on), on, named)
    columns = JoinedColumns({name: _plain(read[0].columns[name]) for name in tables.unique(named)})
    columns.by_place = any(table is not first for table in data.values())
    if columns.by_place:
        _check_can_pair(unread, read, named)
    models = {each.model: _plain(each.scores) for each in read}
    return columns or None, models


def _check_have_ids(roles: Named, named: Named) -> None:
    """Check that no argument is an array, whose values have no ids."""
    for role, value in roles.items():
        parts = value if isinstance(value, Mapping) else {None: value}
        columns = named.get(role, {} if isinstance(value, Mapping) else None)
        are_named = columns.keys() >= parts.keys() if isinstance(columns, Mapping) else columns
        if not are_named and not tables.are_of_groups(value):
            raise TypeError(
                f"With on=, {role} must name columns of the tables, because nothing tells to which "
                "ids the values of an array belong."
            )


def _source_of(
    model: Any, unread: Unread, named: Named, on: Sequence[str], absent: set[Any]
) -> _Source:
    """Read the columns of a table, but for those that are `absent`, which others have."""
    table, scores = native(unread.data[model]), unread.y_score.get(model)
    wanted: dict[str, Any] = {}
    for role, of_role in named.items():
        wanted[role] = {name: name for name in tables.names_in(of_role) if name not in absent}
        if isinstance(of_role, str) and wanted[role]:
            wanted[role] = of_role
    if scores is not None:
        wanted["y_score"] = scores
    has_index = hasattr(table, "iloc") and INDEX in on and INDEX not in table.columns
    if INDEX in on and not has_index and INDEX not in (tables.names_of_table(table) or [INDEX]):
        raise ValueError(
            f"on={INDEX!r} is the index of pandas, or a column of that name, and this table has "
            "neither. Pass the name of a column that all tables have."
        )
    wanted["on"] = {name: name for name in on if not (has_index and name == INDEX)}
    wanted = {role: names for role, names in wanted.items() if names}
    source = engines.read(table, wanted, Inputs.of(unread).positive)
    columns: dict[str, Any] = {}
    for role, names in wanted.items():
        if role != "y_score":
            columns |= {names: source[role]} if isinstance(names, str) else source[role]
    if has_index:
        index = table.index
        columns[INDEX] = index.to_flat_index() if index.nlevels > 1 else index
    of_model = source.get("y_score")
    n_rows = len(next(iter(columns.values())) if of_model is None else of_model)
    return _Source(model, columns, of_model, np.arange(n_rows))


def _check_lend(read: Sequence[_Source], unread: Unread, names_of: Mapping[Any, Any]) -> None:
    """Check that each table without scores, whose name could be misspelled, lends a column."""
    models = [each for each in read if each.has_scores]
    for each in read:
        lends = any(name not in model.columns for name in each.columns for model in models)
        if not each.has_scores and not lends:
            with naming_model(each.model, unread.data, has_table=True):
                name = next(iter(unread.y_score.values()))
                tables.check_named_columns(names_of[each.model], {"y_score": name})


# --- ids -----------------------------------------------------------------------------------------


def _numbered_together(read: Sequence[_Source], on: Sequence[str]) -> list[_Source]:
    """Number the ids of all tables together, and check that none of them repeats or lacks any."""
    ends = np.cumsum([each.ids.size for each in read])[:-1]
    ids: Array | None = None
    for name in on:
        columns = [each.columns[name] for each in read]
        for each, column in zip(read, columns, strict=True):
            if any(map(is_missing, distinct(column)[0])):
                raise ValueError(
                    f"on={name!r} contains missing values in the table of {each.model!r}. Leave "
                    "these rows out, or give them ids."
                )
        code = np.concatenate(_together(columns))
        if ids is not None:
            code = ids.astype(np.int64) * (int(code.max(initial=0)) + 1) + code
        ids = number_groups(code, in_order=False)[1]
    assert ids is not None
    numbered = [each._replace(ids=own) for each, own in zip(read, np.split(ids, ends), strict=True)]
    for each in numbered:
        counts = np.bincount(each.ids)
        if (repeated := np.flatnonzero(counts > 1)).size:
            first, second = np.flatnonzero(each.ids == repeated[0])[:2]
            raise ValueError(
                f"on= must name what tells rows apart, but the table of {each.model!r} has "
                f"{_id_of(each, on, first)} in the rows {first} and {second} {FROM_0}, and "
                f"{repeated.size:,} ids more than once. Pass several columns, as in "
                f"on={[*on, 'day']}, or leave out copies of rows."
            )
    return numbered


def _by_ids(
    unread: Unread, read: Sequence[_Source], on: Sequence[str], named: Named
) -> tuple[Any, Named]:
    """Put the rows of all tables into the order of the first one. With groups, tables may lack rows
    of others, and keep their own.
    """
    first, *others = read
    n_ids = 1 + max(int(each.ids.max(initial=-1)) for each in read)
    places = {each.model: each.place(n_ids) for each in read}
    are_same = True
    for other in others:
        differ = np.flatnonzero((places[first.model] < 0) != (places[other.model] < 0))
        if differ.size and unread.groups is None:
            _refuse_other_rows(first, other, on, places, differ)
        are_same &= not differ.size
    _check_agree(read, on, named, places)
    models = [each for each in read if each.has_scores]
    if are_same:
        scores = {}
        for each in models:
            scores[each.model] = taken(each.scores, places[each.model][first.ids])
        columns = _with_lent(first, read, on, named, places)
        return columns or None, scores
    _check_models_have(unread, read, on, named, places)
    data = {}
    for each in models:
        data[each.model] = columns = _with_lent(each, read, on, named, places)
        columns.only_retrieved = isinstance(unread.data[each.model], tables.KnownColumns)
        names = unread.y_score[each.model]
        if isinstance(names, str):
            columns[names] = each.scores
        else:
            columns |= dict(zip(names, np.asarray(each.scores).T, strict=True))
    return data, unread.y_score


def _with_lent(
    table: _Source,
    read: Sequence[_Source],
    on: Sequence[str],
    named: Named,
    places: Mapping[Any, Array],
) -> JoinedColumns:
    """Return all columns in the order of the rows of a table, those that it lacks from the first
    table that has them.
    """
    columns = JoinedColumns()
    for role, of_role in named.items():
        for name in tables.names_in(of_role):
            having = [table] if name in table.columns else _having(name, read)
            all_have = [each for each in having if (places[each.model][table.ids] >= 0).all()]
            has = [*all_have, *having][0]
            rows = places[has.model][table.ids]
            if (lacking := np.flatnonzero(rows < 0)).size:
                raise ValueError(
                    f"The table of {table.model!r} has no column {name!r} ({role}), and that of "
                    f"{has.model!r} has no row for {_id_of(table, on, int(lacking[0]))}, and so "
                    f"for {lacking.size:,} ids. Add these rows to it, or the column to all tables."
                )
            columns[name] = taken(has.columns[name], rows)
    return columns


def _having(name: str, read: Sequence[_Source]) -> list[_Source]:
    return [each for each in read if name in each.columns]


def _check_models_have(
    unread: Unread,
    read: Sequence[_Source],
    on: Sequence[str],
    named: Named,
    places: Mapping[Any, Array],
) -> None:
    """Check that each row with a label is in the table of some model, unless it is known how many
    positives exist.
    """
    if unread.n_positives is not None:
        return
    is_scored = np.logical_or.reduce([places[each.model] >= 0 for each in read if each.has_scores])
    for each in read:
        lost = np.flatnonzero(~is_scored[each.ids])
        if lost.size and any(name in each.columns for name in tables.names_in(named["y_true"])):
            raise ValueError(
                f"{_id_of(each, on, int(lost[0]))} is only in the table of {each.model!r}, which "
                f"has no scores, and so for {lost.size:,} ids. If positives among them weren't "
                "retrieved, pass n_positives, a mapping from each group to how many exist, found "
                "or not; otherwise, leave these rows out."
            )


def _refuse_other_rows(
    first: _Source,
    other: _Source,
    on: Sequence[str],
    places: Mapping[Any, Array],
    differ: Array,
) -> NoReturn:
    """Refuse tables of which one has ids that the other one lacks."""
    has = first if places[first.model][differ[0]] >= 0 else other
    row = int(places[has.model][differ[0]])
    text = ""
    for name in on:
        cells = [_cell(each.columns[name], 0) for each in (first, other)]
        if isinstance(cells[0], str) != isinstance(cells[1], str):
            text = (
                f" {name} is {cells[0]!r} in the first row of one and {cells[1]!r} in that of the "
                "other: text never equals a number or a time, so convert one of them."
            )
    advice = (
        "Leave out the rows that only one of them has, or pass on=False if the rows are different "
        "ones. Retrieved documents or boxes need groups=, too."
    )
    raise ValueError(
        f"The tables of {first.model!r} and {other.model!r} have different rows: "
        f"{_id_of(has, on, row)} is only in that of {has.model!r}, and so for {differ.size:,} ids."
        f"{text or ' ' + advice}"
    )


# --- values that have to be equal ----------------------------------------------------------------


def _check_agree(
    read: Sequence[_Source], on: Sequence[str], named: Named, places: Mapping[Any, Array]
) -> None:
    """Check that columns of several tables have the same values in rows with the same id, or
    without ids, in the same place.
    """
    for role, of_role in named.items():
        for name in dict.fromkeys(tables.names_in(of_role)):
            first, *others = _having(name, read)
            for other in others:
                shared = np.flatnonzero((places[first.model] >= 0) & (places[other.model] >= 0))
                rows = places[first.model][shared], places[other.model][shared]
                columns = first.columns[name], other.columns[name]
                differ = _differ(role, columns, rows)
                if differ.size:
                    at = int(rows[0][differ[0]]), int(rows[1][differ[0]])
                    cells = [_cell(*pair) for pair in zip(columns, at, strict=True)]
                    where = _id_of(first, on, at[0]) if on else f"row {at[0]} {FROM_0}"
                    text = ""
                    if isinstance(cells[0], str) != isinstance(cells[1], str):
                        text = " Text never equals a number, so convert one of them."
                    raise ValueError(
                        f"The {role} of the models {first.model!r} and {other.model!r} differ: "
                        f"{name} is {cells[0]!r} for {where} in the table of {first.model!r}, and "
                        f"{cells[1]!r} in that of {other.model!r}. They differ in "
                        f"{differ.size:,} of {shared.size:,} rows."
                        f"{text or (' Correct one of the tables.' if on else ' ' + _HOW)}"
                    )


def _differ(role: str, columns: tuple[Any, Any], rows: tuple[Array, Array]) -> Array:
    """Return in which pairs of rows the values of two columns differ. Weights may have one factor,
    and the precision of float32.
    """
    if role != "sample_weight":
        one, other = (code[own] for code, own in zip(_together(columns), rows, strict=True))
        return np.flatnonzero(one != other)
    pair = []
    for column, own in zip(columns, rows, strict=True):
        pair.append(np.asarray(read_column(column, role)[own], dtype=float))
    one, other = pair
    both = (one > 0) & (other > 0) & np.isfinite(one) & np.isfinite(other)
    factor = np.median(other[both] / one[both]) if both.any() else 1.0
    are_close = np.isclose(one * factor, other, rtol=_SAME_WEIGHT, atol=0, equal_nan=True)
    return np.flatnonzero(~are_close)


def _check_can_pair(unread: Unread, read: Sequence[_Source], named: Named) -> None:
    """Check that rows in the same place belong together, of which only their labels tell."""
    first, *others = read
    for other in others:
        if first.ids.size != other.ids.size:
            raise ValueError(
                f"The rows of the models {first.model!r} and {other.model!r} differ: "
                f"{first.ids.size:,} and {other.ids.size:,}. {_HOW}"
            )
    _check_agree(read, [], named, {each.model: each.ids for each in read})
    columns: Sequence[Any] = [first.columns[n] for n in tables.names_in(named.get("y_true", ()))]
    if not columns:  # the labels are an array
        columns = several_columns(unread.y_true) or [unread.y_true]
    code = np.zeros(first.ids.size, dtype=np.int64)
    for column in columns:
        (own,) = _together([column])
        code = number_groups(code * (int(own.max(initial=0)) + 1) + own)[1].astype(np.int64)
    counts = np.sort(np.bincount(code))[::-1]
    n_changes = np.count_nonzero(np.diff(code))
    why = ""
    if np.count_nonzero(counts >= _FEWEST) < 2:
        why = f"there are fewer than {_FEWEST} rows of each of two labels"
    elif n_changes < counts.size:
        why = "their rows are sorted by label"
    if why:
        raise ValueError(
            f"Nothing tells which rows of the tables of {first.model!r} and {others[0].model!r} "
            f"belong together: equal labels in the same place say little, because {why}. {_HOW}"
        )


def _together(columns: Sequence[Any]) -> list[Array]:
    """Return a number for each value of several columns, which equal values share, whatever their
    types. Missing values are equal.
    """
    parts = [distinct(column) for column in columns]
    if all(isinstance(names, np.ndarray) and names.dtype.kind in "biuf" for names, _ in parts):
        _, code = number_groups(in_one_dtype([names for names, _ in parts]), in_order=False)
    else:
        keys = [key for names, _ in parts for key in _equal_values(names)]
        _, code = number_groups(np.fromiter(keys, dtype=object, count=len(keys)), in_order=False)
    ends = np.cumsum([len(names) for names, _ in parts])[:-1]
    return [own[n] for own, (_, n) in zip(np.split(code, ends), parts, strict=True)]


def distinct(column: Any) -> tuple[Array, Array]:
    """Return the distinct values of a column, and the index of each row's value among them."""
    held = read_names(column, "on").held
    if isinstance(held, Codes):
        number, code = number_groups(held.code, in_order=False)
        return held.among(number), code
    return number_groups(held, in_order=False)


def _equal_values(names: Array) -> list[Any]:
    """Return what equal values share: None for missing ones, and nanoseconds of times."""
    if names.dtype.kind in "mM":
        return [_equal_value(name) for name in names.astype(f"{names.dtype.kind}8[ns]")]
    return [_equal_value(name) for name in names.tolist()]


def _equal_value(name: Any) -> Any:
    if is_missing(name):
        return None
    if hasattr(name, "year"):  # of Python or pandas
        if getattr(name, "tzinfo", None) is not None:
            name = name.astimezone(UTC).replace(tzinfo=None)
        name = np.datetime64(getattr(name, "asm8", name), "ns")
    return ("ns", name.astype(np.int64).item()) if isinstance(name, np.datetime64) else name


# --- columns in memory ---------------------------------------------------------------------------


def _plain(column: Any) -> Any:
    """Return a column without an index, which isn't that of other tables."""
    column = to_host(native(column))
    return column.reset_index(drop=True) if hasattr(column, "reset_index") else column


def taken(column: Any, rows: Array) -> Any:
    """Return the rows of a column of any library."""
    column = _plain(column)
    if np.array_equal(rows, np.arange(len(column))):
        return column
    if hasattr(column, "iloc"):
        return column.iloc[rows].reset_index(drop=True)
    if library_of(column) == "pyarrow":
        return column.take(rows)
    return [column[row] for row in rows.tolist()] if isinstance(column, list) else column[rows]


def _cell(column: Any, row: int) -> Any:
    """Return a value of a column of any library as it is written in Python."""
    value = (column.iloc if hasattr(column, "iloc") else column)[row]
    for convert in ("as_py", "item"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    return value


def _id_of(table: _Source, on: Sequence[str], row: int) -> str:
    """Name a row by its id."""
    cells = tuple(_cell(table.columns[name], row) for name in on)
    return f"the id {text_of(cells if len(on) > 1 else cells[0], repr)}"
