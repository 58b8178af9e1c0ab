"""Values of sampling units that were computed elsewhere, aligned by the names of the units."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._words.arrays import names_of, to_host
from .._words.errors import InvalidParameterError
from .._words.messages import about
from .._words.parameters import is_mapping, shown, text_of
from ..core.rankings import Names, Rankings
from ..core.rules import OfGroup
from ..core.units import Clusters
from ..core.within import Array
from .group_names import name_units, read_names
from .sampling_units import Sample
from .tables import check_baseline, name_of, name_two

_FEW = 5  # units that an error names


class _UnitValues(NamedTuple):
    """The values of one model, or the clusters of the units."""

    given: Any  # an array-like
    units: list[Any] | None  # the names of the units; None if there are only positions
    called: str | None = None  # what the index is called


def read_values(
    a: Any, b: Any, baseline: Any, clusters: Any, greater_is_better: bool
) -> tuple[OfGroup, dict[Any, Sample], bool]:
    """Return a rule that has these values, the sample of each model, and whether there are several
    models.
    """
    models, in_table = _read_values_of_models(a, b)
    if baseline is not None and not in_table:
        raise TypeError("baseline needs a mapping of models, as compare_values({'A': a, 'B': b}).")
    check_baseline(models, baseline)
    (first, one), *_ = models.items()
    columns = {model: _read_numbers(model, column) for model, column in models.items()}
    for model, column in models.items():
        columns[model] = _in_order_of(one, first, column, model, columns[model])
    every = np.concatenate([*columns.values()])
    are_fractions = every.min() >= 0 and every.max() <= 1
    limits = (0.0, 1.0) if are_fractions else (-np.inf, np.inf)
    rule = OfGroup(_no_function, "value", True, greater_is_better, limits)
    units: Names = range(every.size // len(columns)) if one.units is None else one.units
    words = f"units ({one.called})" if one.called else "units"
    drawn = None if clusters is None else _read_unit_clusters(clusters, one, first, len(units))
    samples = {}
    for model, values in columns.items():
        labels, number = np.zeros(values.size, dtype=bool), np.arange(values.size)
        rankings = Rankings(labels, values, None, "macro", group=number, names=units, given=values)
        rankings.known[id(rule)] = rule, values
        sample = Sample(rankings, None, units, "units", words, model=model, has_labels=False)
        if drawn is not None:
            own, names, called = drawn
            sample = sample._replace(
                clusters=own, names=names, kind="clusters", cluster_words=called, of_groups=True
            )
        samples[model] = sample
    return rule, samples, in_table


def _no_function(y_true: Array, y_score: Array) -> float:
    """Stand for what computed the values, which is never called because they are known."""
    raise NotImplementedError


def _read_values_of_models(a: Any, b: Any) -> tuple[dict[Any, _UnitValues], bool]:
    if b is not None:
        pair = dict(zip(name_two([name_of(a), name_of(b)], ("a", "b")), (a, b), strict=True))
        return {model: _read_unit_values(each, model) for model, each in pair.items()}, False
    names = names_of(a)
    _refuse_folds(a if names is None else names)
    if names is not None:
        return {name: _read_unit_values(a[name], name) for name in names}, True
    if isinstance(a, Mapping) and any(isinstance(v, Mapping) or np.ndim(v) for v in a.values()):
        return {model: _read_unit_values(each, model) for model, each in a.items()}, True
    return {name_of(a): _read_unit_values(a, name_of(a) or "a")}, False


def _refuse_folds(given: Any) -> None:
    """Refuse what cross_validate returns."""
    if isinstance(given, Mapping | list | tuple) and {"fit_time", "test_score"} & {*given}:
        raise InvalidParameterError(
            "compare_values needs independent units, but folds share training data. Use "
            "compare_folds for the results of cross_validate."
        )


def _read_unit_values(given: Any, called: Any) -> _UnitValues:
    """Read a Series with its index, a mapping from units to values, or an array-like."""
    if isinstance(given, Mapping):
        _refuse_folds(given)
        return _UnitValues(list(given.values()), list(given))
    index = getattr(given, "index", None)
    if index is not None and is_mapping(given):  # a Series of pandas
        return _UnitValues(
            given, index.tolist(), index.name if isinstance(index.name, str) else None
        )
    if isinstance(given, str | bytes) or np.ndim(given) == 0:
        raise InvalidParameterError(
            f"The values of the model {called!r} must be a Series, a dict from units to values or "
            f"an array-like. Got {shown(given)} instead."
        )
    return _UnitValues(given, None)


def _read_numbers(model: Any, column: _UnitValues) -> Array:
    try:
        values = np.asarray(to_host(column.given), dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The values of the model {model!r} aren't numbers: {error}") from None
    if values.ndim != 1 or not values.size:
        raise ValueError(
            f"The values of the model {model!r} must have one dimension, with one value per unit. "
            f"They have shape {values.shape}."
        )
    where = np.flatnonzero(~np.isfinite(values))
    if where.size:
        units = range(values.size) if column.units is None else column.units
        raise ValueError(
            f"The model {model!r} has no finite value for {where.size:,} of {values.size:,} units "
            f"({_unit_names([units[place] for place in where[: _FEW + 1].tolist()])}). Leave these "
            "units out of all models, or say what they count as."
        )
    if column.units is not None and len(set(column.units)) < len(column.units):
        twice = [unit for unit, number in Counter(column.units).items() if number > 1]
        raise ValueError(
            f"The model {model!r} has several values for the same unit ({_unit_names(twice)}). "
            "Average them, or name the units apart and pass what they share as clusters=."
        )
    return values


def _in_order_of(
    first: _UnitValues, name: Any, other: _UnitValues, model: Any, values: Array
) -> Array:
    """Return values in the order of the units of the first model, which has the same ones."""
    if first.units is None or other.units is None:
        named = first if other.units is None else other
        if named.units not in (None, [*range(len(named.given))]):  # an index that counts rows
            raise ValueError(
                f"The values of one of the models {name!r} and {model!r} have names of units, and "
                "those of the other don't. Pass both as Series or dicts, or both as arrays."
            )
        size = len(first.given)
        if size != values.size:
            raise ValueError(
                f"The models {name!r} and {model!r} have {size:,} and {values.size:,} values. "
                "Arrays are paired by position, so they need equal lengths. If units are missing, "
                "pass Series or dicts, whose units have names."
            )
        return values
    place = {unit: number for number, unit in enumerate(other.units)}
    known = set(first.units)
    for lacking, units in (
        (model, [unit for unit in first.units if unit not in place]),
        (name, [unit for unit in other.units if unit not in known]),
    ):
        if units:
            raise ValueError(
                f"The model {lacking!r} has no value for {len(units):,} of the units "
                f"({_unit_names(units)}), but all models need a value for every unit. Add what "
                "these count as, or leave them out of all models."
            )
    return values[[place[unit] for unit in first.units]]


def _unit_names(units: Sequence[Any]) -> str:
    listed = [text_of(unit, repr) for unit in units[:_FEW]]
    return ", ".join([*listed, *["..."] * (len(units) > _FEW)])


@about("clusters")
def _read_unit_clusters(
    clusters: Any, first: _UnitValues, model: Any, size: int
) -> tuple[Clusters, Names, str]:
    """Return the clusters of the units, their names, and what they are called."""
    words = name_units(clusters, "clusters", {})
    if not is_mapping(clusters):
        column = clusters
    else:
        found = _read_unit_values(clusters, "clusters")
        column = found.given
        if found.units is not None and first.units is not None:
            of = dict(zip(found.units, found.given, strict=True))
            units = [unit for unit in first.units if unit not in of]
            if units:
                raise ValueError(
                    f"clusters has no entry for {len(units):,} of the units "
                    f"({_unit_names(units)}). Every unit needs its cluster."
                )
            column = [of[unit] for unit in first.units]
        elif found.units is not None:
            raise ValueError(
                f"clusters has names of units, but the values of the model {model!r} don't. Pass "
                "both as Series or dicts, or both as arrays."
            )
    if len(column) != size:
        raise ValueError(f"clusters has {len(column):,} entries, but there are {size:,} units.")
    names, of_unit = read_names(column, "clusters", size).numbered()
    return Clusters(of_unit, len(names)), names, words
