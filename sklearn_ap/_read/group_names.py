"""Columns of names, such as groups and clusters: one function reads each of them.

What was read is numbered later, because rows of weight 0 are left out first. Nothing is said about
values that are missing there.
"""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np

from .._words.arrays import Codes, as_list, codes, only_column, several_columns, to_host
from .._words.engine import Named
from .._words.inputs import COMBINED
from .._words.messages import about, missing_value_error
from .._words.parameters import is_mapping, shown, text_of
from ..core.numbering import Name, number_groups
from ..core.rankings import Judged, Names
from ..core.within import Array
from .columns import (
    as_mapping,
    check_lengths,
    grades_as_written,
    is_missing,
    places_of_missing,
    read_column,
    read_counts,
)

_TIMES = {np.datetime64, np.timedelta64}


class Column(NamedTuple):
    """A column of names, with one for each row, which are strings or categories if it has codes."""

    held: Array | Codes
    role: str

    def keep(self, rows: Array | None) -> Self:
        """Return the names of some rows, or of all rows for None."""
        if rows is None:
            return self
        held = self.held
        return self._replace(held=held.keep(rows) if isinstance(held, Codes) else held[rows])

    def numbered(self) -> tuple[list[Name], Array]:
        """Return the names that occur, sorted, and the index of each row's name among them."""
        if isinstance(self.held, Codes):
            return self.held.numbered()
        names, number = _distinct_in(self.held, self.role)
        return as_list(names), number

    def in_any_order(self) -> tuple[Array, Array]:
        """Return the names that occur as an array, and the index of each row's name among them."""
        if isinstance(self.held, Codes):
            found, number = number_groups(self.held.code, in_order=False)
            names = self.held.among(found)
        else:
            names, number = _distinct_in(self.held, self.role, in_order=False)
        return names, number.astype(np.int64, copy=False)  # there may be more places than 2**31

    @property
    def cells(self) -> Array:
        """The names of the rows, or their codes."""
        return self.held.code if isinstance(self.held, Codes) else self.held


def read_names(
    given: Any, role: str = "groups", size: int | None = None, sorts: bool = True
) -> Column:
    """Read groups, clusters or other names of rows. Several columns become one, of tuples.

    With a `size`, there must be a name for each of so many rows. Without `sorts`, as the names of
    chunks are sorted only once all of them are known, strings aren't looked for in other columns
    than those that came as codes.
    """
    if isinstance(given, Codes):
        return Column(given, role)
    given = to_host(given)
    several = several_columns(given) if role in COMBINED else None
    held: Array | Codes | None = combine(several, role) if several is not None else None
    if held is None and sorts:
        held = codes(given)
    if held is None:
        held = as_names(given, role)
    column = Column(held, role)
    if size is not None and column.cells.size != size:
        check_lengths(**{"y_true": range(size), role: column.cells})
    return column


def as_names(column: Any, role: str) -> Array:
    """Return one column of names as an array, without changing any of them."""
    if isinstance(column, list | tuple):
        # np.asarray would turn tuples into a second axis, convert both 1 and "1" to "1", and strip
        # strings.
        objects = np.fromiter(column, dtype=object, count=len(column))
        plain = np.asarray(column) if all(isinstance(name, Real) for name in column) else objects
        # Integers that are too large, or that are mixed with floats, would be rounded.
        exact = plain.dtype.kind in "biu" or all(isinstance(name, float) for name in column)
        column = plain if exact and len(column) else objects
    check_no_nanoseconds(column, role)
    with about(role):
        names = read_column(column, role)
        types = set(map(type, names)) if names.dtype.kind == "O" else set()
        if types & _TIMES and not any(map(is_missing, names)):
            return _in_one_unit(names, role)
    return names


def combine(columns: Sequence[Any], role: str = "groups") -> Codes:
    """Combine columns into one, whose values are the tuples that occur, sorted."""
    each = [read_names(column, role).numbered() for column in columns]
    (_, first), *others = each
    for _, own in others:
        if len(own) != len(first):
            with about(role):
                raise ValueError(
                    f"The columns of {role} must have the same length. Got {len(first)} and "
                    f"{len(own)}."
                )
    values, code = tuples_in(each)
    tuples = np.fromiter(values, dtype=object, count=len(values))
    ranked, number = number_groups(tuples)  # those of several types have an order of their own
    return Codes(number[code], ranked, is_numbered=True)


def tuples_in(
    columns: Sequence[tuple[Sequence[Name], Array]],
) -> tuple[list[tuple[Name, ...]], Array]:
    """Return the tuples that occur, in the order of their parts, and the number of each row's.

    Each column has its names, and the place of each row's name among them.
    """
    (names, code), *others = columns
    values: list[tuple[Name, ...]] = [(name,) for name in names]
    for names, own in others:
        found, code = number_groups(code.astype(np.int64) * len(names) + own)
        each = (divmod(pair, len(names)) for pair in found.tolist())
        values = [(*values[before], names[latest]) for before, latest in each]
    return values, code


def check_no_nanoseconds(column: Any, role: str) -> None:
    """Refuse times of day in nanoseconds, which `datetime.time` lacks, so some would be merged."""
    column = None if type(column) is np.ndarray else only_column(column)
    dtype = str(getattr(column, "type", getattr(column, "dtype", "")))
    if dtype.startswith(("Time", "time64[ns]")):
        with about(role):
            raise ValueError(
                f"{role} contains times of day in nanoseconds, which Python's times cannot "
                "represent. Convert them to strings or to integers."
            )


def _distinct_in(names: Array, role: str, in_order: bool = True) -> tuple[Array, Array]:
    """Return an array of the distinct names, and the index of each row's name among them."""
    with about(role):
        try:
            found, number = number_groups(names, in_order)
        except TypeError:
            words = f"{role} must be hashable, such as strings, numbers or tuples."
            raise TypeError(words) from None
        if names.dtype.kind in "OfmM" and any(map(is_missing, found)):
            where = places_of_missing(names)
            if role == "clusters":  # without these rows, the others would be no random sample
                words = "Assign every sample to a cluster, or to one of its own."
                raise ValueError(f"clusters contains missing values. {words}{where}")
            raise missing_value_error(
                f"{role} contains missing values. Assign every sample to a group.{where}"
            )
    return found, number


@about("groups")
def name_all_groups(
    present: Names, n_positives: Any, weighted: bool
) -> tuple[list[Name], Array, Array]:
    """Return all groups that n_positives names, sorted, and how many positives exist in each.

    Also return the index of each group that is present among them.
    """
    if not is_mapping(n_positives):
        raise ValueError(
            "With groups, n_positives must be a mapping or a pandas Series from each group to the "
            f"number of its positives. Got {type(n_positives).__name__} instead."
            f"{as_mapping(n_positives)}"
        )
    # A list of an index would contain Python's times, which lack nanoseconds.
    given = list(n_positives) if isinstance(n_positives, Mapping) else n_positives.index
    keys, counts = in_types_of(present, given), [count for _, count in n_positives.items()]
    if not keys:
        raise ValueError("n_positives is empty, but it needs a number for each group.")
    names, number = read_names([*keys, *present]).numbered()
    own, others = np.split(number, [len(keys)])
    if np.unique(own).size < own.size:
        raise ValueError("n_positives names a group twice. Pass one number for each group.")
    for place in np.flatnonzero(~np.isin(others, own)).tolist():
        advice = ""
        if isinstance(keys[0], tuple) and not isinstance(present[place], tuple):
            advice = (
                " If these are pairs (group, cluster), add up the numbers of each group, or pass "
                "clusters to functions that take them."
            )
        elif isinstance(keys[0], Real) != isinstance(present[place], Real):
            advice = " Convert the keys to the type of the groups."
        raise ValueError(
            f"n_positives has no number for the group {text_of(present[place], repr)}, but it "
            f"needs one for each group. Its keys look like {text_of(keys[0], repr)}.{advice}"
        )
    checked = read_counts(counts, keys, weighted)
    exist = np.empty_like(checked)
    exist[own] = checked
    return names, others, exist


def counts_grades(n_positives: Any) -> bool:
    """Whether this maps groups to mappings from grades to counts."""
    if not is_mapping(n_positives):
        return False
    return is_mapping(next((each for _, each in n_positives.items()), None))


@about("n_positives")
def read_judged(n_positives: Any, groups: Any) -> tuple[list[Name], Judged]:
    """Return the groups, and how many judged documents of each grade they have."""
    if groups is None:
        raise ValueError(
            "n_positives counts the judged documents of each group by grade, but there are no "
            "groups. Pass groups= too."
        )
    keys = list(n_positives) if isinstance(n_positives, Mapping) else n_positives.index
    each = [own for _, own in n_positives.items()]
    for key, own in zip(keys, each, strict=True):
        if not is_mapping(own):
            raise ValueError(
                f"n_positives counts judged documents by grade in some groups, but is {shown(own)} "
                f"for {text_of(key, repr)}. Pass counts by grade for all groups, or for none."
            )
    given = {grade for own in each for grade, _ in own.items()}
    wrong = [
        grade
        for grade in given
        if not isinstance(grade, Real | np.bool_) or not 0 <= float(grade) < np.inf
    ]
    if wrong:
        raise ValueError(
            "The grades in n_positives must be finite numbers >= 0. Got "
            f"{shown(wrong[0])}. Leave out documents that weren't judged."
        )
    floats = {grade: grades_as_written(np.array([grade])).item() for grade in given}
    grades = np.array(sorted({*floats.values()}, reverse=True))
    columns = {grade: place for place, grade in enumerate(grades.tolist())}
    counts = np.zeros((len(each), len(columns)), dtype=np.int64)
    for row, own in zip(counts, each, strict=True):
        row[[columns[floats[grade]] for grade, _ in own.items()]] = read_counts(
            [count for _, count in own.items()], [grade for grade, _ in own.items()], False
        )
    return keys, Judged(grades, counts, 0 in columns)


def in_types_of(present: Names, keys: Any) -> list[Name]:
    """Return the keys of n_positives as a list, of NumPy times if the groups are times, or have
    times in tuples.
    """
    first = present[0] if len(present) else None
    if isinstance(first, tuple) and not _TIMES.isdisjoint(map(type, first)):
        parts = range(len(first))
        if all(isinstance(key, tuple) and len(key) == len(first) for key in keys):
            is_index = hasattr(keys, "get_level_values")  # whose times can have nanoseconds
            each = [keys.get_level_values(i) if is_index else [k[i] for k in keys] for i in parts]
            converted = [in_types_of([name[i] for name in present], each[i]) for i in parts]
            return list(zip(*converted, strict=True))
    times = {type(name) for name in present} & _TIMES
    if not times:
        return list(keys)
    found = keys if isinstance(keys, list) else np.asarray(keys)
    try:
        if not any(getattr(key, "tzinfo", None) for key in found):
            # pandas' times have nanoseconds, which Python's lack.
            each = [key.to_numpy() if hasattr(key, "to_numpy") else key for key in found]
            found = np.array(each, dtype=times.pop())
            exact = found.astype(present[0].dtype)
            if np.array_equal(exact.astype(found.dtype), found):
                return list(exact)
    except (TypeError, ValueError):
        pass
    raise ValueError(
        "Groups and clusters that are times need times as the keys of n_positives, in the same "
        "unit and without time zones: except in pandas, columns with a time zone are read as times "
        f"in UTC. Got {shown(keys)} instead."
    )


def name_units(column: Any, role: str, data: Named) -> str:
    """Name groups or clusters for results, with the names of their columns if these have any."""
    names = ", ".join(columns_called(column, role, data))
    return f"{role} ({names})" if names else role


def columns_called(column: Any, role: str, data: Named) -> tuple[str, ...]:
    """Return the names of the columns of groups, clusters or segments; none if one has no name."""
    names = (data or {}).get(role)
    if names is None:
        names = [getattr(each, "name", None) for each in several_columns(column) or [column]]
    names = [names] if isinstance(names, str) else names
    are_named = isinstance(names, list | tuple) and all(isinstance(each, str) for each in names)
    return tuple(names) if are_named else ()


def _in_one_unit(times: Iterable[object], name: str) -> Array:
    """Make one array of NumPy's datetimes or timedeltas.

    Those of several units are refused, because NumPy may round some of them, and equal ones have
    different hashes. So are those beside other types, some of which they can equal.
    """
    dtypes = {str(getattr(time, "dtype", type(time).__name__)) for time in times}
    if len(dtypes) > 1:
        raise ValueError(
            f"{name} mixes NumPy's datetimes or timedeltas of several units or with other types, "
            f"{sorted(dtypes)}. Convert all of them to one, such as datetime64[s]."
        )
    return np.array(list(times))
