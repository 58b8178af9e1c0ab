"""Questions about models: what is asked of the data, and what is said about differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np

from .._core import (
    Array,
    Metric,
    Rankings,
    Rule,
    break_ties_by_row,
    check,
    number_groups,
    read,
    write_title,
)
from .._core.steps import (
    combine_columns,
    flatten,
    read_column_or_matrix,
    read_labels,
    select_columns,
)
from ..exceptions import InvalidParameterError
from .law import ROUNDING, TTest, Variation, compare_variations, cross, decide_verdict
from .units import SamplingUnits, write_count
from .variation import vary

MIN_UNITS = 6  # with positives; with fewer, intervals are very wide
_MIN_CROSSED = 3  # units of another kind, as seeds; with two, intervals may be too narrow

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
    notes = [*note_crossed(variation)]
    if variation.units >= MIN_UNITS and (margin is None or margin > least):
        return notes
    return [*notes, f"With {variation.basis}, no margin below {least:.2g} can be shown."]


def note_crossed(variation: Variation) -> Iterator[str]:
    """Say if two seeds, or other units that are crossed, don't tell how much they vary."""
    for each in variation.crossed:
        if each.units < _MIN_CROSSED:
            yield f"{each.basis} are too few: intervals may be too narrow, and p too small."


# --- questions ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Question:
    """Models, and what is asked of each of them."""

    metric: Metric
    models: dict[Any, Array]  # their scores
    y_true: Array
    clusters: tuple[Array, ...]  # of each kind, numbered from 0
    data: dict[str, Any]  # as `_core.read` documents it, with arrays
    by: Array | None = None  # the segment of each sample
    group_word: str = "group"
    cluster_words: tuple[str, ...] = ()
    apart: Mapping[Any, Question] | None = None  # if each model has a table of its own

    @property
    def title(self) -> str:
        return write_title(self.metric, self.data["groups"] is not None)

    def read(self, model: Any) -> Rankings:
        """Read the labels with the scores of a model."""
        if self.apart is not None:
            return self.apart[model].read(model)
        is_graded = self.metric.rule.is_graded
        return flatten(read(self.y_true, self.models[model], is_graded=is_graded, **self.data))

    @property
    def has_resamples(self) -> bool:
        """Whether units may be resampled, so that models that are compared vary together."""
        are_groups = self.data["groups"] is not None and not self.clusters
        return not are_groups and self.metric.rule.varies_by in ("top", "points", "rows")

    def vary(self, *models: Any, with_chance: bool = False) -> list[Variation]:
        """Compute the values of models, and how much they vary in the same samples."""
        ranked = [break_ties_by_row(self.metric.rule, self.read(name)) for name in models]
        # What is random depends on the rows, and so has no single value for several tables.
        options = {"with_chance": with_chance and self.apart is None}
        options["is_alone"] = len(self.models) == 1
        rule, zero_division = ranked[0][0], self.data["zero_division"]
        rankings = [each for _, each in ranked]
        n, kinds = len(self.y_true), zip(self.clusters, self.cluster_words, strict=True)
        units = [SamplingUnits(n, *kind, self.group_word) for kind in kinds]
        varied = [
            vary(rule, rankings, each, zero_division, **options)
            for each in units or [SamplingUnits(n, group_word=self.group_word)]
        ]
        variations = [cross(each) for each in zip(*varied, strict=True)]
        sizes = {(each.deviations.size, each.basis) for each in variations}
        if len(sizes) > 1:
            raise ValueError("All models need the same samples, groups and clusters.")
        if len(units) < 2:
            return variations
        kinds_named = [write_count(2, word).removeprefix("2 ") for word in self.cluster_words]
        are_distinct = len({*kinds_named}) == len(kinds_named)
        several = " and ".join(kinds_named) if are_distinct else "several kinds of clusters"
        return [replace(each, basis=f"{each.basis}; {several} vary") for each in variations]

    def vary_all(self, with_chance: bool = False) -> dict[Any, Variation]:
        """Do this for all models, one by one."""
        variations = {name: self.vary(name, with_chance=with_chance)[0] for name in self.models}
        sizes = {(each.deviations.size, each.basis) for each in variations.values()}
        if len(sizes) > 1:
            raise ValueError("All models need the same samples, groups and clusters.")
        return variations

    def vary_pair(self, variations: Mapping[Any, Variation], *pair: Any) -> list[Variation]:
        """Return how two models vary in the same samples."""
        return self.vary(*pair) if self.has_resamples else [variations[name] for name in pair]

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
        clusters = tuple(number_groups(each[rows])[0] for each in self.clusters)
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
    if isinstance(table, Mapping):
        return ask_apart(metric, y_true, models, table, clusters=clusters, by=by, **data)
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
        if name != "y_true" and (column is not None or name in names.values())
    }
    arrays["y_true"] = read_labels(columns["y_true"])
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
    if "groups" in arrays and arrays["groups"].ndim == 2:
        data["groups"] = combine_columns(arrays["groups"])
    of_kinds = [*np.atleast_2d(arrays["clusters"].T)] if "clusters" in arrays else []
    numbered = [number_groups(each, "clusters")[0] for each in of_kinds]
    for i, j in combinations(range(len(numbered)), 2):
        if np.array_equal(numbered[i], numbered[j]):
            raise ValueError(f"clusters {i} and {j} are the same units: pass each kind once.")
    are_named = isinstance(clusters, list) and len(clusters) == len(of_kinds)
    words = clusters if are_named else [clusters] * len(of_kinds)
    return Question(
        metric,
        {name: arrays[names[name]] for name in models},
        arrays["y_true"],
        tuple(numbered),
        data,
        arrays.get("by"),
        make_word(groups, "group"),
        tuple(make_word(word, "cluster") for _, word in zip(of_kinds, words, strict=True)),
    )


def ask_apart(
    metric: Metric, y_true: Any, models: Mapping[Any, Any], tables: Mapping[Any, Any], **data: Any
) -> Question:
    """Read models that have tables of their own, such as the runs of search engines.

    Their rows aren't pairs, so groups are compared, and all of these have to be known.
    """
    if [*models] != [*tables]:
        raise ValueError("Pass one table as data. Only compare and report take one for each model.")
    groups = data["groups"] if isinstance(data["groups"], list) else [data["groups"]]
    names = [y_true, *groups, *models.values()]
    if data["n_positives"] is None or not all(isinstance(name, str) for name in names):
        raise ValueError(
            "Models with a table each are compared group by group: name the columns of y_true, "
            "y_score and groups, and pass n_positives, a mapping from all groups."
        )
    for name in ("by", "clusters"):
        if data[name] is not None:
            raise ValueError(f"{name}= isn't available if each model has a table of its own.")
    apart = {
        name: ask(metric, y_true, {name: models[name]}, data=table, **data)
        for name, table in tables.items()
    }
    first = next(iter(apart.values()))
    return replace(first, models=dict(models), apart=apart)


def note_data(question: Question) -> Iterator[str]:
    """Say if the data aren't what they may be taken for."""
    yield from note_predictions(question)
    yield from note_unequal(question)


def note_unequal(question: Question) -> Iterator[str]:
    """Say if the mean over several columns of groups counts some of the first column more often."""
    groups = question.data["groups"]
    if groups is None or len(question.clusters) < 2 or not isinstance(groups[0], tuple):
        return
    numbers = Counter(str(name[0]) for name in {*groups})
    (most, n_most), (least, n_least) = numbers.most_common(1)[0], numbers.most_common()[-1]
    if n_most > n_least:
        counts = f"{most} has {n_most} groups, and {least} {n_least}"
        yield f"All groups count alike in the mean, where {counts}."


def note_predictions(question: Question) -> Iterator[str]:
    """Say if scores look like predicted labels: two whole numbers that are labels, too.

    The probabilities of trees may be 0.0 and 1.0, and a rule that flags samples has two values. So
    floats aren't suspected, and no metric warns. Functions of users may be about labels, as F1 is.
    """
    if not question.metric.rule.needs_positives:
        return
    for name in question.models:
        asked = question if question.apart is None else question.apart[name]
        scores = asked.models[name]
        if scores.dtype.kind not in "biu" or not scores.size:
            continue
        ends = low, high = scores.min(), scores.max()
        are_two = low < high and np.isin(scores, ends).all()
        if are_two and {*ends} <= {*np.unique(asked.y_true).tolist()}:
            which = f"y_score of {name!r}" if len(question.models) > 1 else "y_score"
            yield f"{which} is {low} or {high}, as from predict(). To rank, pass probabilities."


def make_word(column: Any, otherwise: str) -> str:
    """Return what the values of a column are called, such as "account", if it has a name."""
    if not isinstance(column, str):
        return otherwise
    return column.removesuffix("_id").replace("_", " ")


def name_models(y_score: Any, table: Any) -> dict[Any, Any]:
    """Return the scores of models by name."""
    if isinstance(table, Mapping):
        return dict.fromkeys(table, y_score)
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
