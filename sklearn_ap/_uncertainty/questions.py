"""Questions about models: what is asked of the data, and what is said about differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from .._core import (
    Array,
    Metric,
    Rankings,
    Rule,
    break_ties_by_row,
    check,
    encode_groups,
    find_distinct,
    is_finite,
    read,
    read_table,
    write_title,
)
from .._core.steps import (
    average_values,
    choose_samples,
    combine_columns,
    flatten,
    is_missing,
    list_classes,
    read_column_or_matrix,
    read_labels,
    read_names,
)
from ..exceptions import InvalidParameterError
from .law import ROUNDING, TTest, Variation, compare_variations, cross, decide_verdict
from .units import SamplingUnits, write_count
from .variation import Asked, vary

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
    if not is_finite(margin) or not 0 < margin < most:
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
    by: tuple[Array, list[Any]] | None = None  # the number of each sample's segment, and names
    group_word: str = "group"
    cluster_words: tuple[str, ...] = ()
    # For each kind of clusters, which column of groups it is, None if it's none of them
    group_columns: tuple[int | None, ...] = ()
    apart: Mapping[Any, Question] | None = None  # if each model has a table of its own
    has_warned: bool = False  # of what is 0/0, which depends on labels, not on models
    has_warned_of_weights: bool = False  # of what k counts, which segments share

    @property
    def title(self) -> str:
        return write_title(self.metric, self.data["groups"] is not None)

    def read(self, model: Any) -> Rankings:
        """Read the labels with the scores of a model."""
        if self.apart is not None:
            return self.apart[model].read(model)
        keep_grades = self.metric.rule.keeps_grades(self.data["pos_label"])
        return flatten(read(self.y_true, self.models[model], keep_grades=keep_grades, **self.data))

    @property
    def has_resamples(self) -> bool:
        """Whether units may be resampled, so that models that are compared vary together."""
        are_groups = self.data["groups"] is not None and not self.clusters
        return not are_groups and self.metric.rule.varies_by in ("top", "points", "rows")

    def vary(self, *models: Any, with_chance: bool = False) -> list[Variation]:
        """Compute the values of models, and how much they vary in the same samples."""
        # Only the first model warns, and what is random has no single value for several tables.
        options = {"with_chance": with_chance and self.apart is None}
        options["is_alone"] = len(self.models) == 1
        silent = replace(self, has_warned=True)
        prepared = [self._prepare(models[0]), *map(silent._prepare, models[1:])]
        n, varied = len(self.y_true), []
        kinds: list[tuple[Array | None, str, int | None]]
        kinds = [*zip(self.clusters, self.cluster_words, self.group_columns, strict=True)]
        for cluster, word, place in kinds or [(None, "cluster", None)]:
            asked = []
            for rule, zero_division, rankings in prepared:
                parts = find_parts(rankings, place)
                units = SamplingUnits(n, cluster, word, self.group_word, parts, len(kinds) > 1)
                asked.append(Asked(rule, rankings, units, zero_division))
            varied.append(vary(asked, **options))
            prepared = [(*silence(*each[:2]), each[2]) for each in prepared]
        variations = [cross(each) for each in zip(*varied, strict=True)]
        check_alike(variations)
        if len(kinds) < 2:
            return variations
        kinds_named = [write_count(2, word).removeprefix("2 ") for word in self.cluster_words]
        are_distinct = len({*kinds_named}) == len(kinds_named)
        several = " and ".join(kinds_named) if are_distinct else "several kinds of clusters"
        return [replace(each, basis=f"{each.basis}; {several} vary") for each in variations]

    def vary_all(self, with_chance: bool = False) -> dict[Any, Variation]:
        """Do this for all models, one by one."""
        question, variations = self, {}
        for name in self.models:
            (variations[name],) = question.vary(name, with_chance=with_chance)
            question = replace(self, has_warned=True)
        check_alike([*variations.values()])
        return variations

    def vary_pair(self, variations: Mapping[Any, Variation], *pair: Any) -> list[Variation]:
        """Return how two models vary in the same samples."""
        if not self.has_resamples:
            return [variations[name] for name in pair]
        return replace(self, has_warned=True).vary(*pair)

    def evaluate(self, model: Any) -> float:
        """Compute the value of a model alone."""
        rule, zero_division, rankings = self._prepare(model)
        values = rule.evaluate_rankings(rankings)
        return float(average_values(rule, *values, rankings, zero_division))

    def _prepare(self, model: Any) -> tuple[Rule, float | str, Rankings]:
        rule, rankings = break_ties_by_row(self.metric.rule, self.read(model))
        zero_division = self.data["zero_division"]
        if self.has_warned or self.has_warned_of_weights:
            rule, silent = silence(rule, zero_division)
            zero_division = silent if self.has_warned else zero_division
        return rule, zero_division, rankings

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
        clusters = tuple(encode_groups(each[rows])[0] for each in self.clusters)
        models = {name: scores[rows] for name, scores in self.models.items()}
        part_of = replace(self, models=models, y_true=self.y_true[rows], clusters=clusters)
        # What is 0/0 in a segment needn't be in all data.
        return replace(part_of, data=data, has_warned=False, has_warned_of_weights=True)


def check_alike(variations: Sequence[Variation]) -> None:
    """Refuse models that don't rank the same units."""
    if len({(each.deviations.size, each.basis) for each in variations}) > 1:
        raise ValueError("All models need the same samples, groups and clusters.")


def find_parts(rankings: Rankings, place: int | None) -> Array | None:
    """Number what this column of groups has in each group, also in those without rows."""
    if place is None or rankings.names is None:
        return None
    names = [name[place] if isinstance(name, tuple) else name for name in rankings.names]
    return encode_groups(np.array(names, dtype=object))[0]


def silence(rule: Rule, zero_division: float | str) -> tuple[Rule, float | str]:
    """Return a rule, and what counts as the value of 0/0, that have the same values and don't warn.

    `zero_division` is then a word that no caller can pass, in place of "warn".
    """
    if "k_counts" in rule.list_options() and rule.k_counts is None:
        rule = replace(rule, k_counts="weight")  # type: ignore[type-var]
    return rule, "worst" if isinstance(zero_division, str) else zero_division


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
    data = metric.choose_data_options(data)
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
    keep_grades = metric.rule.keeps_grades(data["pos_label"])
    columns, every_label = choose_samples(columns, table, keep_grades)
    arrays = {
        name: (read_names if name == "groups" else read_column_or_matrix)(column, name)
        for name, column in columns.items()
        if name not in ("y_true", "by") and (column is not None or name in names.values())
    }
    arrays["y_true"] = read_labels(columns["y_true"])
    segments = None if by is None else number_segments(columns["by"])
    sizes = {name: len(array) for name, array in arrays.items()}
    sizes |= {} if segments is None else {"by": len(segments[0])}
    for name, size in sizes.items():
        if size != sizes["y_true"]:
            raise ValueError(f"y_true has {sizes['y_true']:,} samples, but {name} {size:,}.")
    has_columns = any(arrays[name].ndim == 2 for name in names.values())
    is_multiclass = arrays["y_true"].ndim == 1 and has_columns and not keep_grades
    if is_multiclass and data["classes"] is None and every_label is not None:
        data["classes"] = list_classes(every_label)
    data |= {name: arrays.get(name) for name in ("groups", "sample_weight")}
    if "groups" in arrays and arrays["groups"].ndim == 2:
        data["groups"] = combine_columns(arrays["groups"])
    of_kinds = [*np.atleast_2d(arrays["clusters"].T)] if "clusters" in arrays else []
    kinds = [encode_groups(each, "clusters")[0] for each in of_kinds]
    check_kinds(kinds)
    are_named = isinstance(clusters, list) and len(clusters) == len(of_kinds)
    words = clusters if are_named else [clusters] * len(of_kinds)
    return Question(
        metric,
        {name: arrays[names[name]] for name in models},
        arrays["y_true"],
        tuple(kinds),
        data,
        segments,
        make_word(groups, "group"),
        tuple(make_word(word, "cluster") for _, word in zip(of_kinds, words, strict=True)),
        tuple(find_column(word, groups) for _, word in zip(of_kinds, words, strict=True)),
    )


def number_segments(by: Any) -> tuple[Array, list[Any]]:
    """Return the number of each sample's segment, and the names of segments."""
    if isinstance(by, list | tuple):
        by = read_column_or_matrix(by, "by")
    if np.ndim(by) == 2 and np.shape(by)[1] > 1:
        raise ValueError(f"by must be one column. Got an array of shape {np.shape(by)}.")
    return encode_groups(by, "by")


def find_column(name: Any, columns: Any) -> int | None:
    """Return the place of a name among those of columns, None if it isn't one of them."""
    names = columns if isinstance(columns, list) else [columns]
    if not isinstance(name, str):
        return None
    places = [place for place, each in enumerate(names) if isinstance(each, str) and each == name]
    return places[0] if places else None


def check_kinds(kinds: Sequence[Array]) -> None:
    """Refuse two kinds of clusters that are the same ones, whose variance would count twice."""
    for (i, a), (j, b) in combinations(enumerate(kinds, 1), 2):
        n_pairs = find_distinct(a * (b.max() + 1) + b).size
        if n_pairs == a.max() + 1 == b.max() + 1:
            raise ValueError(
                f"Columns {i} and {j} of clusters are the same units: pass one of them."
            )


def ask_apart(
    metric: Metric, y_true: Any, models: Mapping[Any, Any], tables: Mapping[Any, Any], **data: Any
) -> Question:
    """Read models that have tables of their own, such as the runs of search engines.

    Their rows aren't pairs, so groups are compared, and all of these have to be known.
    """
    for name, table in tables.items():
        read_table(table, f"data[{name!r}]")
    if [*models] != [*map(name_model, tables)]:
        raise ValueError("Pass one table as data. Only compare and report take one for each model.")
    groups = data["groups"] if isinstance(data["groups"], list) else [data["groups"]]
    names = [y_true, *groups, *models.values()]
    if data["n_positives"] is None or not all(isinstance(name, str) for name in names):
        raise ValueError(
            "Models with a table each are compared group by group: name the columns of y_true, "
            "y_score and groups, and pass n_positives, a mapping from all groups."
        )
    if data["by"] is not None:
        raise ValueError("by= isn't available if each model has a table of its own.")
    clusters = data["clusters"] if isinstance(data["clusters"], list) else [data["clusters"]]
    are_known = all(find_column(each, groups) is not None for each in clusters)
    if data["clusters"] is not None and not are_known:
        raise ValueError(
            "Rows of models with a table each aren't pairs, so clusters= must be columns of "
            f"groups={groups}. Got {data['clusters']!r}."
        )
    apart = {
        name: ask(metric, y_true, {name: models[name]}, data=table, **data)
        for name, table in zip(models, tables.values(), strict=True)
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
        names, scores = [*table], [y_score] * len(table)
    elif isinstance(y_score, Mapping):
        names, scores = [*y_score], [*y_score.values()]
    elif isinstance(y_score, str):
        names, scores = [y_score], [y_score]
    else:
        names, scores = ["A"], [y_score]
        is_list = table is not None and isinstance(y_score, list | tuple | np.ndarray)
        if is_list and np.iterable(y_score) and all(isinstance(each, str) for each in y_score):
            names, scores = [*y_score], [*y_score]
    models = dict(zip(map(name_model, names), scores, strict=True))
    if not models or len(models) < len(names):
        raise ValueError(f"Models must have different names. Got {names}.")
    return models


def name_model(name: Any) -> Any:
    """Return a name, as text if it's None, as if there were no baseline, or nan, which isn't equal
    to itself.
    """
    return str(name) if is_missing(name) else name


def name_pair(first: Any, second: Any) -> dict[Any, Any]:
    """Return the scores of two models by the names of their columns, or as A and B."""
    pair = (first, second)
    names = [each if isinstance(each, str) else getattr(each, "name", None) for each in pair]
    if None in names or names[0] == names[1]:
        names = ["A", "B"]
    return dict(zip(names, pair, strict=True))
