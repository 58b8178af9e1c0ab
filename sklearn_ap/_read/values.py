"""Values of sampling units that were computed elsewhere, aligned by the names of the units."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._arrays.conversion import names_of
from .._arrays.host import to_host
from .._words.errors import InvalidParameterError
from .._words.parameters import is_mapping, shown, text_of
from .._words.refusals import about
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

    column: Any  # an array-like, with one entry per unit
    units: list[Any] | None  # the names of the units; None if there are only positions
    called: str | None = None  # what the index is called


def read_values(
    a: Any, b: Any, baseline: Any, clusters: Any, greater_is_better: bool
) -> tuple[OfGroup, dict[Any, Sample], bool]:
    """Return a rule that has these values, the sample of each model, and whether there are several
    models.

    `a` and `b` are the values of two models; or b is None, and `a` has those of one or of several.
    Values of later models are put in the order of the units of the first one.
    """
    models, are_several = _read_values_of_models(a, b)
    if baseline is not None and not are_several:
        raise TypeError("baseline needs a mapping of models, as compare_values({'A': a, 'B': b}).")
    check_baseline(models, baseline)
    values = {model: _read_numbers(model, column) for model, column in models.items()}
    first_model = next(iter(models))
    first = models[first_model]
    for model, column in models.items():
        values[model] = _in_order_of(first, first_model, column, model, values[model])
    n_units = values[first_model].size
    units: Names = range(n_units) if first.units is None else first.units
    of_units = None
    if clusters is not None:
        of_units = _read_unit_clusters(clusters, first, first_model, n_units)

    all_values = np.concatenate([*values.values()])
    are_fractions = all_values.min() >= 0 and all_values.max() <= 1
    limits = (0.0, 1.0) if are_fractions else (-np.inf, np.inf)
    rule = OfGroup(_no_function, "value", True, greater_is_better, limits)
    words = f"units ({first.called})" if first.called else "units"
    samples = {}
    for model, value in values.items():
        # Each unit is a group with one row, whose value is known.
        labels, group = np.zeros(n_units, dtype=bool), np.arange(n_units)
        rankings = Rankings(labels, value, None, "macro", group=group, names=units, y_true=value)
        rankings.known[id(rule)] = rule, value
        sample = Sample(rankings, None, units, "units", words, model=model, has_labels=False)
        if of_units is not None:
            drawn, names, cluster_words = of_units
            sample = sample._replace(clusters=drawn, names=names, kind="clusters", of_groups=True)
            sample = sample._replace(cluster_words=cluster_words)
        samples[model] = sample
    return rule, samples, are_several


def _no_function(y_true: Array, y_score: Array) -> float:
    """Stand for what computed the values, which is never called because they are known."""
    raise NotImplementedError


def _read_values_of_models(a: Any, b: Any) -> tuple[dict[Any, _UnitValues], bool]:
    """Return the values of each model by its name, and whether a mapping or a frame named them."""
    if b is not None:
        pair = dict(zip(name_two([name_of(a), name_of(b)], ("a", "b")), (a, b), strict=True))
        return {model: _read_unit_values(column, model) for model, column in pair.items()}, False
    names = names_of(a)
    _refuse_folds(a if names is None else names)
    if names is not None:
        return {name: _read_unit_values(a[name], name) for name in names}, True
    if isinstance(a, Mapping) and any(isinstance(v, Mapping) or np.ndim(v) for v in a.values()):
        return {model: _read_unit_values(column, model) for model, column in a.items()}, True
    return {name_of(a): _read_unit_values(a, name_of(a) or "a")}, False


def _refuse_folds(names: Any) -> None:
    """Refuse what cross_validate returns, a mapping or the names of its columns."""
    if isinstance(names, Mapping | list | tuple) and {"fit_time", "test_score"} & {*names}:
        raise InvalidParameterError(
            "compare_values needs independent units, but folds share training data. Use "
            "compare_folds for the results of cross_validate."
        )


def _read_unit_values(column: Any, model: Any) -> _UnitValues:
    """Read a Series with its index, a mapping from units to values, or an array-like."""
    column = to_host(column)
    if isinstance(column, Mapping):
        _refuse_folds(column)
        return _UnitValues(list(column.values()), list(column))
    index = getattr(column, "index", None)
    if index is not None and is_mapping(column):  # a Series of pandas
        called = index.name if isinstance(index.name, str) else None
        return _UnitValues(column, index.tolist(), called)
    if isinstance(column, str | bytes) or np.ndim(column) == 0:
        raise InvalidParameterError(
            f"The values of the model {model!r} must be a Series, a dict from units to values or "
            f"an array-like. Got {shown(column)} instead."
        )
    return _UnitValues(column, None)


def _read_numbers(model: Any, of_model: _UnitValues) -> Array:
    """Return the values of a model as finite floats, of shape (n_units,)."""
    try:
        values = np.asarray(of_model.column, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"The values of the model {model!r} aren't numbers: {error}") from None
    if values.ndim != 1 or not values.size:
        raise ValueError(
            f"The values of the model {model!r} must have one dimension, with one value per unit. "
            f"They have shape {values.shape}."
        )
    units = range(values.size) if of_model.units is None else of_model.units
    places = np.flatnonzero(~np.isfinite(values))
    if places.size:
        concerned = [units[place] for place in places[: _FEW + 1].tolist()]
        raise ValueError(
            f"The model {model!r} has no finite value for {places.size:,} of {values.size:,} units "
            f"({_unit_names(concerned)}). Leave these units out of all models, or say what they "
            "count as."
        )
    if of_model.units is not None and len(set(units)) < len(units):
        twice = [unit for unit, number in Counter(units).items() if number > 1]
        raise ValueError(
            f"The model {model!r} has several values for the same unit ({_unit_names(twice)}). "
            "Average them, or name the units apart and pass what they share as clusters=."
        )
    return values


def _in_order_of(
    first: _UnitValues, first_model: Any, of_model: _UnitValues, model: Any, values: Array
) -> Array:
    """Return values in the order of the units of the first model, which has the same ones.

    `values` are the numbers of `of_model`. Without names of units, models are paired by position.
    """
    if first.units is None or of_model.units is None:
        with_index = first if of_model.units is None else of_model
        numbers = [*range(len(with_index.column))]  # of an index that only counts rows
        if with_index.units not in (None, numbers):
            raise ValueError(
                f"The values of one of the models {first_model!r} and {model!r} have names of "
                "units, and those of the other don't. Pass both as Series or dicts, or both as "
                "arrays."
            )
        size = len(first.column)
        if size != values.size:
            raise ValueError(
                f"The models {first_model!r} and {model!r} have {size:,} and {values.size:,} "
                "values. Arrays are paired by position, so they need equal lengths. If units are "
                "missing, pass Series or dicts, whose units have names."
            )
        return values
    place = {unit: number for number, unit in enumerate(of_model.units)}
    units_of_first = set(first.units)
    _refuse_lacking(model, [unit for unit in first.units if unit not in place])
    _refuse_lacking(first_model, [unit for unit in of_model.units if unit not in units_of_first])
    return values[[place[unit] for unit in first.units]]


def _refuse_lacking(model: Any, units: Sequence[Any]) -> None:
    """Refuse a model that lacks units, if there are any."""
    if units:
        raise ValueError(
            f"The model {model!r} has no value for {len(units):,} of the units "
            f"({_unit_names(units)}), but all models need a value for every unit. Add what "
            "these count as, or leave them out of all models."
        )


def _unit_names(units: Sequence[Any]) -> str:
    names = [text_of(unit, repr) for unit in units[:_FEW]]
    if len(units) > _FEW:
        names.append("...")
    return ", ".join(names)


@about("clusters")
def _read_unit_clusters(
    clusters: Any, first: _UnitValues, model: Any, size: int
) -> tuple[Clusters, Names, str]:
    """Return the clusters of the units, their names, and what they are called.

    The units are those of the `first` model, in its order, and there are `size` of them.
    """
    words = name_units(clusters, "clusters", {})
    column = to_host(clusters)
    if is_mapping(clusters):
        of_units = _read_unit_values(clusters, "clusters")
        column = of_units.column
        if of_units.units is not None:
            if first.units is None:
                raise ValueError(
                    f"clusters has names of units, but the values of the model {model!r} don't. "
                    "Pass both as Series or dicts, or both as arrays."
                )
            cluster_of = dict(zip(of_units.units, column, strict=True))
            lacking = [unit for unit in first.units if unit not in cluster_of]
            if lacking:
                raise ValueError(
                    f"clusters has no entry for {len(lacking):,} of the units "
                    f"({_unit_names(lacking)}). Every unit needs its cluster."
                )
            column = [cluster_of[unit] for unit in first.units]
    if len(column) != size:
        raise ValueError(f"clusters has {len(column):,} entries, but there are {size:,} units.")
    names, of_unit = read_names(column, "clusters", size).numbered()
    return Clusters(of_unit, len(names)), names, words
