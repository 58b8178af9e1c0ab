"""Where two models differ: a table of the sampling units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from .._read.sampling_units import Sample
from .._show.results import Printed, Table, Value, import_pandas, of_one_type, one_line, signed
from .._spelling import arg
from .._words.names import written
from .._words.parameters import check_allowed, text_of
from ..core.influence import is_smooth
from ..core.rankings import Names
from ..core.spread import ROUNDING
from ..core.within import Array
from .requests import IntervalRequest
from .variation import GroupPlan, plan_of, values_of_queries

_MOST_PRINTED = 10  # units at each end


@dataclass(frozen=True, eq=False)
class Unit(Value):
    """One sampling unit: a row of `Units`."""

    unit: Any
    values: tuple[float, float]  # of the first model and the second one
    difference: float
    n_positives: float | None = None
    n_rows: int | None = None  # the fewer of both models


@dataclass(frozen=True, eq=False, repr=False)
class Units(Table):
    """Where two models differ, as the method `units` of a comparison returns it.

    It prints as a table, whose middle is left out if it is long. A DataFrame has the columns
    "unit", one for each model, "difference", "n_positives" and "n_rows". There is no "n_rows" if
    the units are rows, and neither "n_positives" nor "n_rows" for `compare_values`.

    Attributes
    ----------
    rows : tuple
        One row for each unit, worst difference first, with the attributes `unit` (its name),
        `values` (of both models), `difference`, `n_positives` and `n_rows`. If one model has fewer
        rows than the other, `n_rows` is the smaller number, which can be 0. It is None for
        `compare_values`.
    models : tuple of two str
        The names of the models. The difference is the first model's value minus the second model's.
    metric : str
        The name of the metric.
    kind : str
        The kind of the units: "groups", "clusters" or "rows", or for `compare_values` "units".
    of_values : bool
        Whether units have values of the metric. Otherwise, the table shows their contributions to
        the values of all units together.

    See Also
    --------
    Comparison.units : List the sampling units of a comparison.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> query = [1, 1, 1, 2, 2, 2, 3, 3, 3]
    >>> relevant = [1, 0, 1, 1, 0, 0, 0, 1, 0]
    >>> bm25 = [9, 8, 7, 9, 8, 7, 9, 8, 7]
    >>> dense = [9, 7, 8, 7, 8, 9, 7, 9, 8]
    >>> paired = ap.compare(relevant, bm25, dense, groups=query)
    >>> units = paired.units()
    >>> units
    Mean average precision by group, A minus B
    unit  A      B      difference  positives  rows
    3     0.500  1.000  -0.500      1          3
    1     0.833  1.000  -0.167      2          3
    2     1.000  0.333  +0.667      1          3
    >>> units.rows[0].unit
    3
    >>> paired.wins, paired.ties, paired.losses
    (1, 0, 2)
    """

    names: Sequence[Any] = field(repr=False)
    # Of the two models, of differences, and if they are known, of positives and of rows. All have
    # the shape (n_units,).
    columns: tuple[Array, ...] = field(repr=False)
    models: tuple[Any, Any]
    metric: str
    kind: str
    of_values: bool

    @property
    def rows(self) -> tuple[Unit, ...]:
        """One row for each unit, worst difference first."""
        first, second, *besides = (column.tolist() for column in self.columns)
        values = zip(first, second, strict=True)
        return tuple(map(Unit, self.names, values, *besides))

    def __len__(self) -> int:
        return len(self.names)

    def _titles(self) -> list[str]:
        taken = {"unit", "difference", "n_positives", "n_rows"}
        models = [one_line(model) for model in self.models]
        models = [f"{name} (model)" if name in taken else name for name in models]
        return ["unit", *models, "difference", "n_positives", "n_rows"][: 1 + len(self.columns)]

    def _as_dict(self) -> list[dict[str, Any]]:
        columns = [self.names, *(column.tolist() for column in self.columns)]
        of_table = {"conditions": self.conditions}
        rows = zip(*columns, strict=True)
        return [dict(zip(self._titles(), row, strict=True)) | of_table for row in rows]

    def to_frame(self) -> Any:
        """Return the units as a DataFrame: polars if the data is polars, and pandas otherwise.

        If only one of the two libraries is installed, that one is used.
        """
        names: Any = list(self.names)
        if self._makes_polars():
            names = of_one_type(names)
        if names and isinstance(names[0], np.datetime64 | np.timedelta64):
            names = np.array(names)
        columns = dict(zip(self._titles(), [names, *self.columns], strict=True))
        library = import_module("polars") if self._makes_polars() else import_pandas()
        return library.DataFrame(columns)

    def _places(self) -> int:
        """Return how many decimals show three digits of the largest contribution."""
        largest = max(np.abs(column).max(initial=0.0) for column in self.columns[:2])
        is_small = 0 < largest < 1 and not self.of_values
        return 3 - int(np.ceil(np.log10(largest))) if is_small else 3

    def _printed(self) -> Printed:
        places = self._places()
        printed: list[int | None] = [*range(len(self))]  # the units, and None for a row of dots
        if len(self) > 2 * _MOST_PRINTED + 1:
            printed = [*printed[:_MOST_PRINTED], None, *printed[-_MOST_PRINTED:]]
        first, second, differences, *counts = self.columns
        header = [*self._titles()[:4], *["positives", "rows"][: len(counts)]]
        cells = []
        for unit in printed:
            if unit is None:
                cells.append(["…"] * len(header))
                continue
            row = [one_line(text_of(self.names[unit]))]
            row += [f"{first[unit]:z.{places}f}", f"{second[unit]:z.{places}f}"]
            row += [signed(differences[unit], places), *(f"{count[unit]:,}" for count in counts)]
            cells.append(row)
        model, baseline = (one_line(name) for name in self.models)
        title = self.metric
        if not self.of_values:
            title = f"contributions to {title}".capitalize()
        title = f"{title} by {self.kind.removesuffix('s')}, {model} minus {baseline}"
        notes = []
        if len(cells) < len(self):
            left = len(self) - 2 * _MOST_PRINTED
            notes.append(f"{left:,} of {len(self):,} {self.kind} are left out; to_frame has all.")
        return Printed(header, [("", "", cells)], title, notes)


def units_of(
    first: tuple[IntervalRequest, Sample],
    second: tuple[IntervalRequest, Sample],
    models: tuple[Any, Any],
    metric: str,
    of: str | None,
    greater_is_better: bool,
) -> Units:
    """Compare the units of two models, which have the same ones, in the same order.

    `of` is what the caller wants to list: "groups", "clusters" or "rows"; None if that is open.
    """
    (_, sample), (_, other_sample) = first, second
    check_allowed("units", {"of"}, {"of": of})
    kinds = [sample.kind]
    if sample.rankings.is_grouped:
        with_values = "groups" if sample.has_labels else "units"
        # If clusters consist of whole groups, only these have values.
        kinds = [with_values] if sample.by_query else [sample.kind, with_values]
    kind = kinds[0] if of is None else of
    if kind not in kinds:
        raise ValueError(
            f"This comparison can list {' and '.join(dict.fromkeys(kinds))}, but not {of}. Got "
            f"of={of!r}. Leave it out."
        )
    by_value = sample.by_query or of == "groups"
    read = _values_of_units if by_value else _contributions_of
    (names, values, positives), (_, other_values, other_positives) = read(*first), read(*second)
    difference = _differences(values, other_values)
    columns = [values, other_values, difference]
    if sample.has_labels:
        positives = np.maximum(positives, other_positives)
        columns.append(positives if np.any(positives % 1) else positives.astype(np.int64))
        if kind != "rows":
            n_rows = np.minimum(_count_rows(sample, kind), _count_rows(other_sample, kind))
            columns.append(n_rows)
    worst_first = np.argsort(difference if greater_is_better else -difference, kind="stable")
    order = worst_first[~np.isnan(difference[worst_first])]  # nan is left out of the mean
    names = [names[place] for place in order.tolist()]
    in_order = tuple(column[order] for column in columns)
    return Units(names, in_order, models, metric, kind, by_value)


def _count_rows(sample: Sample, kind: str) -> Array:
    """Count the rows of each group or cluster."""
    if kind == "groups":
        return sample.rankings.sizes
    assert sample.clusters is not None
    return np.bincount(sample.clusters.of, minlength=len(sample.names))


def _differences(one: Array, other: Array) -> Array:
    """Subtract values. A difference that may be a rounding error is 0, and nan stays nan: the value
    of what is left out.
    """
    largest = np.nanmax([np.abs(one), np.abs(other)], initial=0.0)
    difference = one - other
    difference[np.abs(difference) <= ROUNDING * largest] = 0.0
    return np.asarray(difference)


def _values_of_units(request: IntervalRequest, sample: Sample) -> tuple[Names, Array, Array]:
    """Return the names of groups or rows, their values, and their positives, found or not."""
    rankings = sample.rankings
    query_values, _ = values_of_queries(request.rule, rankings, request.quietly)
    names = sample.names if not rankings.is_grouped else rankings.names or ()
    n_positives = rankings.positive_rows if rankings.n_positives is None else rankings.n_positives
    return names, query_values.values, n_positives


def _contributions_of(request: IntervalRequest, sample: Sample) -> tuple[Names, Array, Array]:
    """Return the names of clusters or rows, their contributions to the value, and positives."""
    rankings, clusters, rule = sample.rankings, sample.clusters, request.rule
    if not is_smooth(rule):
        besides = ", or ask for units(of='groups')" if rankings.group is not None else ""
        raise ValueError(
            f"{written(rule)} has no contributions of single {sample.kind}, because it is not "
            "smooth in their weights. Compare the models by average precision, or with "
            f"{arg('groups')}, whose values can be listed{besides}."
        )
    n_units, plan = len(sample.names), plan_of(request, sample)
    contributions = plan.of_units(plan.moved(rule).of_mean)
    labels = rankings.labels if rankings.labels.ndim == 1 else rankings.labels.sum(axis=1)
    if clusters is None:
        return sample.names, contributions, labels.astype(float)
    positives = np.bincount(clusters.of, labels, n_units)
    if clusters.absent is not None:  # positives that were not scored
        positives += np.bincount(clusters.absent.cluster, clusters.absent.number, n_units)
    return sample.names, contributions, positives


def count_wins(first: GroupPlan, second: GroupPlan, greater_is_better: bool) -> dict[str, int]:
    """Count the units in which the first model has a better, an equal and a worse value, as
    "wins", "ties" and "losses".
    """
    signs = np.sign(_differences(first.values, second.values)) * (1 if greater_is_better else -1)
    counts = {"wins": signs == 1, "ties": signs == 0, "losses": signs == -1}
    return {name: int(np.count_nonzero(are_so)) for name, are_so in counts.items()}


# Users import the results from where the functions are that return them.
Units.__module__ = "sklearn_ap.inference"
