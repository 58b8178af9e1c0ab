"""Questions about models: what is asked of the data, and what is said about differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from .._core import (
    Array,
    Metric,
    Rankings,
    Rule,
    check,
    flatten,
    number_groups,
    read,
    read_column_or_matrix,
    select_columns,
    write_title,
)
from ..exceptions import InvalidParameterError
from .law import ROUNDING, TTest, Variation, compare_variations, decide_verdict
from .units import SamplingUnits
from .variation import vary

MIN_UNITS = 6  # with positives; with fewer, intervals are very wide

# --- claims ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Claims:
    """What is said about differences, and how surely."""

    rule: Rule
    level: float
    margin: float | None = None
    family: int = 1  # how many differences it holds for at once

    def __post_init__(self) -> None:
        check(confidence_level=self.level)
        low, high = self.rule.limits
        check_margin(self.margin, high - low)

    def judge(self, a: Variation, b: Variation) -> tuple[TTest, str]:
        """Test the difference of model `a` from the baseline `b`, and decide on the verdict."""
        test = compare_variations(a, b, self.level, self.family)
        is_without_hits = a.value == b.value == 0 and a.group_values is None
        if self.rule.k is not None and is_without_hits:  # That shows nothing.
            test = TTest(difference=0.0, units=test.units, least_margin=test.least_margin)
        return test, decide_verdict(test, self.margin, self.rule.greater_is_better)


def check_margin(margin: float | None, most: float = np.inf) -> None:
    if margin is None:
        return
    is_number = isinstance(margin, Real) and not isinstance(margin, bool)
    if not is_number or not 0 < margin < most:
        raise InvalidParameterError(f"margin must be above 0 and below {most}. Got {margin!r}.")


def find_best(rule: Rule, variations: Mapping[Any, Variation]) -> Any:
    """Return the first model whose value is the best but for rounding."""
    values = np.array([each.value for each in variations.values()])
    return [*variations][find_highest(values if rule.greater_is_better else -values)]


def find_highest(values: Array) -> int:
    """Return the place of the first value that is the highest but for rounding."""
    return int(np.argmax(values >= values.max() - ROUNDING * np.abs(values).max()))


def count_family(n_models: int, is_chosen: bool) -> int:
    """Count the differences from a named baseline, or if the data chose it, of all pairs."""
    return n_models * (n_models - 1) // 2 if is_chosen else n_models - 1


def note_margin(variation: Variation, least: float, margin: float | None) -> list[str]:
    """Say if no useful margin can be shown, or not the one that was passed."""
    if variation.units >= MIN_UNITS and (margin is None or margin > least):
        return []
    return [f"With {variation.basis}, no margin below {least:.2g} can be shown."]


# --- questions ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Question:
    """Models, and what is asked of each of them."""

    metric: Metric
    models: dict[Any, Array]  # their scores
    y_true: Array
    clusters: Array | None  # numbered from 0
    data: dict[str, Any]  # as `_core.read` documents it, with arrays
    by: Array | None = None  # the segment of each sample
    group_word: str = "group"
    cluster_word: str = "cluster"

    @property
    def title(self) -> str:
        return write_title(self.metric, self.data["groups"] is not None)

    def read(self, model: Any) -> Rankings:
        """Read the labels with the scores of a model."""
        is_graded = self.metric.rule.is_graded
        return flatten(read(self.y_true, self.models[model], is_graded=is_graded, **self.data))

    def vary(self, model: Any, with_chance: bool = False) -> Variation:
        """Compute the value of a model, and how much it varies."""
        units = SamplingUnits(len(self.y_true), self.clusters, self.cluster_word, self.group_word)
        rankings, zero_division = self.read(model), self.data["zero_division"]
        return vary(self.metric.rule, rankings, units, zero_division, with_chance=with_chance)

    def vary_all(self, with_chance: bool = False) -> dict[Any, Variation]:
        """Do this for all models, whose units must be the same."""
        variations = {name: self.vary(name, with_chance=with_chance) for name in self.models}
        first, *others = variations.values()
        for each in others:
            if each.deviations.size != first.deviations.size or each.basis != first.basis:
                raise ValueError("All models need the same samples, groups and clusters.")
        return variations

    def take(self, rows: Array) -> Question:
        """Return the same question about some of the rows."""

        def part(column: Any) -> Any:
            return None if column is None else column[rows]

        data = self.data | {name: part(self.data[name]) for name in ("sample_weight", "groups")}
        if isinstance(data["n_positives"], Mapping):
            present = {*data["groups"].tolist()}
            data["n_positives"] = {g: n for g, n in data["n_positives"].items() if g in present}
        has_columns = any(scores.ndim == 2 for scores in self.models.values())
        if self.y_true.ndim == 1 and has_columns and data["classes"] is None:
            data["classes"] = np.unique(self.y_true)  # Some may be in no row.
        clusters = self.clusters
        if clusters is not None:
            clusters, _ = number_groups(clusters[rows])
        models = {name: scores[rows] for name, scores in self.models.items()}
        return replace(self, models=models, y_true=self.y_true[rows], clusters=clusters, data=data)


def ask(
    metric: Metric,
    y_true: Any,
    models: Mapping[Any, Any],
    *,
    clusters: Any,
    by: Any = None,
    **data: Any,
) -> Question:
    """Read the columns of the data, without samples of weight 0, which don't exist.

    The parameters of `data` are those of `read`. What isn't said there is as the metric says.
    """
    data = metric.choose_data(data)
    table = data.pop("data")
    if metric.is_mean and data["groups"] is None:
        raise ValueError("A mean over groups needs groups=, as of the queries of the samples.")
    groups = data["groups"]
    columns = {"y_true": y_true, "clusters": clusters, "groups": groups}
    columns |= {"sample_weight": data["sample_weight"], "by": by}
    names = {name: f"y_score of {name!r}" if len(models) > 1 else "y_score" for name in models}
    columns |= {names[name]: scores for name, scores in models.items()}
    if table is not None:
        selected = select_columns(table, metric.rule.is_graded, **columns)
        columns = dict(zip(columns, selected, strict=True))
    arrays = {
        name: read_column_or_matrix(column, name)
        for name, column in columns.items()
        if column is not None or name.startswith("y_")
    }
    if "by" in arrays and arrays["by"].ndim != 1:
        raise ValueError(f"by must be one column. Got an array of shape {arrays['by'].shape}.")
    sizes = {name: len(array) for name, array in arrays.items()}
    for name, size in sizes.items():
        if size != sizes["y_true"]:
            raise ValueError(f"y_true has {sizes['y_true']:,} samples, but {name} {size:,}.")
    weight = arrays.get("sample_weight")
    if weight is not None and not np.all(weight != 0):
        arrays = {name: array[weight != 0] for name, array in arrays.items()}
    data |= {name: arrays.get(name) for name in ("groups", "sample_weight")}
    if "clusters" in arrays:
        arrays["clusters"], _ = number_groups(arrays["clusters"], "clusters")
    return Question(
        metric,
        {name: arrays[names[name]] for name in models},
        arrays["y_true"],
        arrays.get("clusters"),
        data,
        arrays.get("by"),
        make_word(groups, "group"),
        make_word(clusters, "cluster"),
    )


def make_word(column: Any, otherwise: str) -> str:
    """Return what the values of a column are called, such as "account", if it has a name."""
    if not isinstance(column, str):
        return otherwise
    return column.removesuffix("_id").replace("_", " ")


def name_models(y_score: Any, table: Any) -> dict[Any, Any]:
    """Return the scores of models by name."""
    if isinstance(y_score, Mapping):  # in which None would stand for no baseline
        return {"None" if name is None else name: scores for name, scores in y_score.items()}
    if table is not None and np.ndim(y_score) == 1 and all(isinstance(s, str) for s in y_score):
        return {name: name for name in y_score}
    return {y_score if isinstance(y_score, str) else "A": y_score}


def name_pair(first: Any, second: Any) -> dict[Any, Any]:
    """Return the scores of two models by the names of their columns, or as A and B."""
    pair = (first, second)
    names = [each if isinstance(each, str) else getattr(each, "name", None) for each in pair]
    if None in names or names[0] == names[1]:
        names = ["A", "B"]
    return dict(zip(names, pair, strict=True))
