"""Columns of names, such as groups and clusters: one function reads each of them.

What was read is numbered later, because rows of weight 0 are left out first. Nothing is said about
values that are missing there.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np

from .._arrays.conversion import Codes, as_list, encode_column, split_columns
from .._arrays.host import extract_column, to_host
from .._inputs.records import COMBINABLE_ROLES, Named
from .._words.parameters import format_name, format_value, is_mapping
from .._words.refusals import Refusal, attribute_errors
from ..core.numbering import Name, number_groups
from ..core.ragged import Array
from ..core.rankings import Judged, Names
from .columns import (
    check_lengths,
    convert_grades,
    is_missing,
    locate_missing,
    read_column,
    read_counts,
)

_NUMPY_TIMES = (np.datetime64, np.timedelta64)


class Column(NamedTuple):
    """A column of names, with one for each row, which are strings or categories if it has codes."""

    held: Array | Codes
    role: str  # such as "groups", for errors

    def keep(self, rows: Array | None) -> Self:
        """Return the names of the rows of a mask, or of all rows for None."""
        if rows is None:
            return self
        held = self.held
        return self._replace(held=held.keep(rows) if isinstance(held, Codes) else held[rows])

    def number_names(self) -> tuple[list[Name], Array]:
        """Return the names that occur, sorted, and the index of each row's name among them."""
        if isinstance(self.held, Codes):
            return self.held.number_names()
        names, number = _number_names(self.held, self.role)
        return as_list(names), number

    def number_unsorted(self) -> tuple[Array, Array]:
        """Return the names that occur as an array, and the index of each row's name among them."""
        if isinstance(self.held, Codes):
            codes_present, number = number_groups(self.held.code, in_order=False)
            names = self.held.select_values(codes_present)
        else:
            names, number = _number_names(self.held, self.role, in_order=False)
        return names, number.astype(np.int64, copy=False)  # there may be more places than 2**31

    @property
    def cells(self) -> Array:
        """The names of the rows, or their codes."""
        return self.held.code if isinstance(self.held, Codes) else self.held


def read_names(
    names: Any, role: str = "groups", size: int | None = None, sorts: bool = True
) -> Column:
    """Read groups, clusters or other names of rows. Several columns become one, of tuples.

    With a `size`, there must be a name for each of so many rows. Without `sorts`, as for names that
    aren't sorted here, strings aren't looked for in other columns than those that came as codes.
    """
    if isinstance(names, Codes):
        return Column(names, role)
    names = to_host(names)
    several = split_columns(names) if role in COMBINABLE_ROLES else None
    held: Array | Codes | None = combine_columns(several, role) if several is not None else None
    if held is None and sorts:
        held = encode_column(names)
    if held is None:
        held = convert_names(names, role)
    column = Column(held, role)
    if size is not None and column.cells.size != size:
        check_lengths(**{"y_true": range(size), role: column.cells})
    return column


def convert_names(column: Any, role: str) -> Array:
    """Return one column of names as an array, without changing any of them."""
    if isinstance(column, list | tuple):
        column = _convert_list_of_names(column)
    check_no_nanoseconds(column, role)
    with attribute_errors(role):
        names = read_column(column, role)
        types = set(map(type, names)) if names.dtype.kind == "O" else set()
        if not types.isdisjoint(_NUMPY_TIMES) and not any(map(is_missing, names)):
            return _convert_times(names, role)
    return names


def _convert_list_of_names(names: Sequence[Any]) -> Array:
    """Make an array of numbers if it has the same names, and else one of objects.

    np.asarray alone would turn tuples into a second axis, convert both 1 and "1" to "1", and strip
    strings.
    """
    objects = np.fromiter(names, dtype=object, count=len(names))
    if not len(names) or not all(isinstance(name, Real) for name in names):
        return objects
    numbers = np.asarray(names)
    # Integers that are too large, or that are mixed with floats, would be rounded.
    is_exact = numbers.dtype.kind in "biu" or all(isinstance(name, float) for name in names)
    return numbers if is_exact else objects


def combine_columns(columns: Sequence[Any], role: str) -> Codes:
    """Combine columns into one, whose values are the tuples that occur, sorted."""
    numbered = [read_names(column, role).number_names() for column in columns]
    sizes = [len(number) for _, number in numbered]
    for size in sizes:
        if size != sizes[0]:
            with attribute_errors(role):
                raise ValueError(
                    f"The columns of {role} must have the same length. Got {sizes[0]} and {size}."
                )
    values, code = number_tuples(numbered)
    tuples = np.fromiter(values, dtype=object, count=len(values))
    ranked, number = number_groups(tuples)  # those of several types have an order of their own
    return Codes(number[code], ranked, is_numbered=True)


def number_tuples(
    columns: Sequence[tuple[Sequence[Name], Array]],
) -> tuple[list[tuple[Name, ...]], Array]:
    """Return the tuples that occur, in the order of their items, and the index of each row's tuple.

    Each column has its distinct names, in order, and the index of each row's name among them.
    """
    names, code = columns[0]
    tuples: list[tuple[Name, ...]] = [(name,) for name in names]
    for names, number in columns[1:]:
        # A pair of a tuple so far and a name becomes one integer.
        pairs, code = number_groups(code.astype(np.int64) * len(names) + number)
        longer = []
        for pair in pairs.tolist():
            before, latest = divmod(pair, len(names))
            longer.append((*tuples[before], names[latest]))
        tuples = longer
    return tuples, code


def check_no_nanoseconds(column: Any, role: str) -> None:
    """Refuse times of day in nanoseconds, which `datetime.time` lacks, so some would be merged."""
    column = None if type(column) is np.ndarray else extract_column(column)
    dtype = str(getattr(column, "type", getattr(column, "dtype", "")))
    if dtype.startswith(("Time", "time64[ns]")):
        with attribute_errors(role):
            raise ValueError(
                f"{role} contains times of day in nanoseconds, which Python's times cannot "
                "represent. Convert them to strings or to integers."
            )


def _number_names(names: Array, role: str, in_order: bool = True) -> tuple[Array, Array]:
    """Return an array of the distinct names, and the index of each row's name among them.

    Missing names are refused.
    """
    with attribute_errors(role):
        try:
            distinct, number = number_groups(names, in_order)
        except TypeError:
            words = f"{role} must be hashable, such as strings, numbers or tuples."
            raise TypeError(words) from None
        if names.dtype.kind in "OfmM" and any(map(is_missing, distinct)):
            unit, missing, where = "group", "NaN", locate_missing(names)
            if role == "clusters":  # without these rows, the others would be no random sample
                unit, missing = "cluster, or to one of its own", ""
            wrong, found = f" Assign every sample to a {unit}.", "missing values"
            refusal = Refusal(wrong, "", role, found, missing=missing, where=where)
            raise ValueError(refusal)
    return distinct, number


@attribute_errors("groups")
def name_all_groups(
    present: Names, n_positives: Any, weighted: bool
) -> tuple[list[Name], Array, Array]:
    """Return all groups that n_positives names, sorted; the index among them of each group that is
    present; and how many positives exist in each of them.

    `present` are the distinct groups of the rows, each of which n_positives has to name.
    """
    if not is_mapping(n_positives):
        raise ValueError(
            "With groups, n_positives must be a mapping or a pandas Series from each group to the "
            f"number of its positives. Got {type(n_positives).__name__} instead."
        )
    passed = list(n_positives) if isinstance(n_positives, Mapping) else n_positives.index
    keys, counts = convert_keys(present, passed), [count for _, count in n_positives.items()]
    if not keys:
        raise ValueError("n_positives is empty, but it needs a number for each group.")
    are_times = len(present) and isinstance(present[0], _NUMPY_TIMES)
    if are_times and any(isinstance(key, tuple) for key in keys):  # which nothing can sort
        raise _make_lacking_error(present[0], keys)
    names, number = read_names([*keys, *present]).number_names()
    of_keys, of_present = np.split(number, [len(keys)])
    if np.unique(of_keys).size < of_keys.size:
        raise ValueError("n_positives names a group twice. Pass one number for each group.")
    lacking = np.flatnonzero(~np.isin(of_present, of_keys))
    if lacking.size:
        raise _make_lacking_error(present[int(lacking[0])], keys)
    counts_of_keys = read_counts(counts, keys, weighted)
    counts_of_names = np.empty_like(counts_of_keys)
    counts_of_names[of_keys] = counts_of_keys
    return names, of_present, counts_of_names


def _make_lacking_error(group: Name, keys: Sequence[Name]) -> ValueError:
    """Say that n_positives lacks a group, and why its keys may look different."""
    advice = ""
    if isinstance(keys[0], tuple) and not isinstance(group, tuple):
        advice = (
            " If these are pairs (group, cluster), add up the numbers of each group, or pass "
            "clusters to functions that take them."
        )
    elif isinstance(keys[0], Real) != isinstance(group, Real):
        advice = " Convert the keys to the type of the groups."
    elif isinstance(group, np.datetime64):
        advice = " Times of columns with a time zone are in UTC: convert the keys to it."
    return ValueError(
        f"n_positives has no number for the group {format_name(group, repr)}, but it "
        f"needs one for each group. Its keys look like {format_name(keys[0], repr)}.{advice}"
    )


def has_counts_by_grade(n_positives: Any) -> bool:
    """Whether this maps groups to mappings from grades to counts."""
    if not is_mapping(n_positives):
        return False
    return is_mapping(next((counts for _, counts in n_positives.items()), None))


@attribute_errors("n_positives")
def read_judged(n_positives: Any, groups: Any) -> tuple[list[Name], Judged]:
    """Return the groups, and how many judged documents of each grade they have.

    The keys of n_positives are groups, and its values are mappings from grades to counts. `groups`
    is only checked to be there.
    """
    if groups is None:
        raise ValueError(
            "n_positives counts the judged documents of each group by grade, but there are no "
            "groups. Pass groups= too."
        )
    keys = list(n_positives) if isinstance(n_positives, Mapping) else n_positives.index
    of_groups = [by_grade for _, by_grade in n_positives.items()]
    for key, by_grade in zip(keys, of_groups, strict=True):
        if not is_mapping(by_grade):
            raise ValueError(
                "n_positives counts judged documents by grade in some groups, but is "
                f"{format_value(by_grade)} for {format_name(key, repr)}. Pass counts by grade for "
                "all groups, or for none."
            )
    passed = {grade for by_grade in of_groups for grade, _ in by_grade.items()}
    for grade in passed:
        if not isinstance(grade, Real | np.bool_) or not 0 <= float(grade) < np.inf:
            raise ValueError(
                "The grades in n_positives must be finite numbers >= 0. Got "
                f"{format_value(grade)}. Leave out documents that weren't judged."
            )

    as_float = {grade: convert_grades(np.array([grade])).item() for grade in passed}
    grades = np.array(sorted({*as_float.values()}, reverse=True))
    column_of = {grade: column for column, grade in enumerate(grades.tolist())}
    rows, grades_there, counts_there = [], [], []
    for row, by_grade in enumerate(of_groups):
        for grade, count in by_grade.items():
            rows.append(row)
            grades_there.append(grade)
            counts_there.append(count)
    columns = [column_of[as_float[grade]] for grade in grades_there]
    counts = np.zeros((len(of_groups), grades.size), dtype=np.int64)
    counts[rows, columns] = read_counts(counts_there, grades_there, weighted=False)
    return keys, Judged(grades, counts, has_all=0 in column_of)


def convert_keys(present: Names, keys: Iterable[Name]) -> list[Name]:
    """Return the keys of n_positives, with times as those of the groups, also within tuples.

    `present` are the groups. Tuples for groups that are none stay: they can be pairs of a group and
    a cluster, of which the lookup tells more.
    """
    keys, first = list(keys), present[0] if len(present) else None
    if isinstance(first, tuple) and any(isinstance(item, _NUMPY_TIMES) for item in first):
        if not all(isinstance(key, tuple) and len(key) == len(first) for key in keys):
            return keys
        present_columns, key_columns = zip(*present, strict=True), zip(*keys, strict=True)
        columns = map(convert_keys, present_columns, key_columns)
        return list(zip(*columns, strict=True))
    if not isinstance(first, _NUMPY_TIMES) or any(isinstance(key, tuple) for key in keys):
        return keys
    with suppress(TypeError, ValueError):
        if not any(getattr(key, "tzinfo", None) for key in keys):
            # pandas' times have nanoseconds, which Python's lack.
            exact = [key.to_numpy() if hasattr(key, "to_numpy") else key for key in keys]
            in_own_unit = np.array(exact, dtype=type(first))
            in_unit_of_groups = in_own_unit.astype(first.dtype)
            if np.array_equal(in_unit_of_groups.astype(in_own_unit.dtype), in_own_unit):
                return list(in_unit_of_groups)
    raise ValueError(
        "Groups and clusters that are times need times as the keys of n_positives, in the same "
        "unit and without time zones: except in pandas, columns with a time zone are read as times "
        f"in UTC. Got {format_value(keys)} instead."
    )


def name_units(role: str, titles: Sequence[str]) -> str:
    """Name groups or clusters for results, with the titles of their columns if these have any.

    Clusters are called by the plural of a column's name if that is a single English-looking word:
    "accounts", but "clusters (patient_id)".
    """
    if role == "clusters" and len(titles) == 1 and re.fullmatch("[a-z]+", titles[0]):
        return make_plural(titles[0])
    names = ", ".join(titles)
    return f"{role} ({names})" if names else role


def make_plural(word: str) -> str:
    """Return the plural of an English noun, which may be one already."""
    if re.search("([^s]s|[^aeiou]ies)$", word):
        return word
    if re.search("(s|x|z|ch|sh)$", word):
        return f"{word}es"
    if re.search("[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}s"


def list_column_titles(column: Any, role: str, column_names: Named) -> tuple[str, ...]:
    """Return the names of the columns of groups, clusters or segments; none if one has no name.

    `column_names` has what was read from a table, and other columns can be Series with a name.
    """
    names = (column_names or {}).get(role)
    if isinstance(names, str):
        return (names,)
    if names is None:
        columns = split_columns(column) or [column]
        names = [getattr(series, "name", None) for series in columns]
    is_list = isinstance(names, list | tuple)  # rather than a mapping of segments
    has_names = is_list and all(isinstance(name, str) and name for name in names)
    return tuple(names) if has_names else ()  # Series of polars without a name are called ""


def _convert_times(times: Iterable[object], name: str) -> Array:
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
