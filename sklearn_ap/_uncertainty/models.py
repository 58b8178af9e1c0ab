"""Models, and the data on which they are evaluated and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from .._core import (
    Array,
    Metric,
    PerSample,
    Rankings,
    Rule,
    are_rows,
    average_values,
    break_ties_by_row,
    check_groups,
    check_lengths,
    choose_samples,
    combine_columns,
    encode_groups,
    find_distinct,
    flatten,
    list_classes,
    list_columns,
    read,
    read_column_or_matrix,
    read_counts,
    read_labels,
    read_names,
    read_table,
    write_title,
)
from .estimation import estimate_variations
from .units import (
    SampledModel,
    SamplingUnits,
    make_plural,
    make_word,
    say_what_k_counts,
)
from .variation import Variation


@dataclass(frozen=True, eq=False)  # may be a key
class Table:
    """The columns of a table, or arrays: those of all models, or of one that has its own table."""

    scores: dict[Any, PerSample]  # prediction scores of models, by name
    y_true: PerSample
    kinds: tuple[SamplingUnits, ...]  # of sampling units, which are crossed if there are several
    data_options: dict[str, Any]  # parameters of `_core.read`, with arrays
    segments: tuple[PerSample, list[Any]] | None = None  # the code of each row's segment, and names

    def take(self, rows: Array, groups_without_rows: Sequence[Any] = ()) -> Table:
        """Return some of the rows, and some of the groups without rows."""
        data_options = dict(self.data_options)
        for name in ("sample_weight", "groups"):
            if data_options[name] is not None:
                data_options[name] = data_options[name][rows]
        if isinstance(data_options["n_positives"], Mapping):
            present = dict.fromkeys([*data_options["groups"].tolist(), *groups_without_rows])
            counts = data_options["n_positives"]
            data_options["n_positives"] = {name: counts[name] for name in present if name in counts}
        return Table(
            scores={name: scores[rows] for name, scores in self.scores.items()},
            y_true=self.y_true[rows],
            kinds=tuple(units.take(rows) for units in self.kinds),
            data_options=data_options,
        )


@dataclass(frozen=True)
class ModelData:
    """Models with their data, and the metric that evaluates them."""

    title: str  # of the metric, and what its mean is over
    rule: Rule  # the metric's rule, which in segments also says what k counts
    tables: dict[Any, Table]  # of each model, by its name: the same one, unless they are apart
    are_apart: bool  # whether each model has a table of its own
    may_resample: bool  # whether units may be resampled, in pairs of models together

    def read_rankings(self, name: Any) -> Rankings:
        """Read the labels with the scores of a model."""
        table = self.tables[name]
        keep_grades = self.rule.keeps_grades(table.data_options["pos_label"])
        options = table.data_options | {"keep_grades": keep_grades}
        return flatten(read(table.y_true, table.scores[name], **options))

    def compute_value(self, name: Any) -> float:
        """Compute the value of a model, without how much it varies."""
        rule, rankings = break_ties_by_row(self.rule, self.read_rankings(name))
        values = rule.evaluate_rankings(rankings)
        zero_division = self.tables[name].data_options["zero_division"]
        return float(average_values(rule, *values, rankings, zero_division, warns=False))

    def estimate(self, *names: Any, warns: bool = True) -> list[Variation]:
        """Estimate how much the values of models vary in the same samples."""
        ranked = [break_ties_by_row(self.rule, self.read_rankings(name)) for name in names]
        tables = [self.tables[name] for name in names]
        zero_division, of_kinds = tables[0].data_options["zero_division"], []
        for kinds in zip(*(table.kinds for table in tables), strict=True):
            models = []
            for (rule, rankings), units in zip(ranked, kinds, strict=True):
                # Warnings are about labels and weights, so that of one model is enough.
                rule = rule if warns else say_what_k_counts(rule)
                models.append(SampledModel(rule, rankings, units, zero_division, warns))
                warns = False
            of_kinds.append(estimate_variations(models, are_compared=len(self.tables) > 1))
        variations = []
        for of_model in zip(*of_kinds, strict=True):
            first, *others = sorted(of_model, key=lambda kind: kind.method == "groups")
            # What is random has no single value for several tables.
            basis, chance = first.basis, np.nan if self.are_apart else first.chance
            if others:
                words = dict.fromkeys(make_plural(units.cluster_word) for units in tables[0].kinds)
                basis = f"{basis}; {' and '.join(words)} vary"
            crossed = tuple(others)
            variations.append(replace(first, crossed=crossed, basis=basis, chance=chance))
        return variations

    def estimate_all(self, warns: bool = True) -> dict[Any, Variation]:
        """Estimate how much the values of all models vary, one model after the other."""
        variations: dict[Any, Variation] = {}
        for name in self.tables:
            (variations[name],) = self.estimate(name, warns=warns and not variations)
        return variations

    def estimate_pair(
        self, variations: Mapping[Any, Variation], *pair: Any, warns: bool = False
    ) -> list[Variation]:
        """Return how the values of two models vary in the same samples.

        If units are resampled, each pair has resamples of its own. Rows that are tied by one model
        are put in order by the other one, so that nothing else decides which rows are drawn. So a
        pair in a table has the p of the same pair alone, but shares no draws with other pairs.
        """
        if not self.may_resample:
            return [variations[name] for name in pair]
        return self.estimate(*pair, warns=warns)

    def replace_tables(self, tables: dict[Any, Table]) -> ModelData:
        """Return the same models with the tables of a segment."""
        # All data have warned of what k counts.
        rule = say_what_k_counts(self.rule)
        tables = number_together(tables) if self.are_apart else tables
        return replace(self, rule=rule, tables=tables)


def number_together(tables: dict[Any, Table]) -> dict[Any, Table]:
    """Number the clusters of several tables together, by their names."""
    numbered: dict[Any, list[SamplingUnits]] = {name: [] for name in tables}
    in_order = [
        sorted(each.kinds, key=lambda units: units.cluster_word) for each in tables.values()
    ]
    for units_of_tables in zip(*in_order, strict=True):
        names = [*dict.fromkeys(name for units in units_of_tables for name in units.cluster_names)]
        code_of = {name: code for code, name in enumerate(names)}
        for kinds, units in zip(numbered.values(), units_of_tables, strict=True):
            if units.cluster_codes is not None:
                codes = np.array([code_of[name] for name in units.cluster_names], dtype=np.int64)
                codes = codes[units.cluster_codes]
                units = replace(units, cluster_codes=codes, cluster_names=names)
            kinds.append(units)
    return {
        name: replace(tables[name], kinds=sort_kinds(kinds)) for name, kinds in numbered.items()
    }


def sort_kinds(kinds: Sequence[SamplingUnits]) -> tuple[SamplingUnits, ...]:
    """Sort kinds of units so that rows come before seeds, in whichever order they are passed."""
    return tuple(sorted(kinds, key=lambda units: -units.n_units))


# --- reading --------------------------------------------------------------------------------------


def read_models(
    metric: Metric,
    y_true: Any,
    models: Mapping[Any, Any],
    *,
    clusters: Any,
    by: Any = None,
    **data_options: Any,  # parameters of `_core.read`; what isn't said is as the metric says
) -> ModelData:
    """Read the data of models, which may have tables of their own, as search engines do."""
    data_options = metric._choose_data_options(**data_options)
    data, groups = data_options.pop("data"), data_options["groups"]
    are_apart, shared = isinstance(data, Mapping), (clusters, by, data_options)
    if are_apart:
        check_apart(models, data, *shared)
        tables = number_together(
            {
                name: read_columns(metric, y_true, {name: models[name]}, table, *shared)
                for name, table in data.items()
            }
        )
    else:
        tables = dict.fromkeys(models, read_columns(metric, y_true, models, data, *shared))
    units = next(iter(tables.values())).kinds[0]
    title = write_title(metric, "" if groups is None else units.name_groups())
    are_units_groups = groups is not None and clusters is None
    may_resample = not are_units_groups and metric._rule.varies_by in ("top", "points", "rows")
    joint_data = ModelData(title, metric._rule, tables, are_apart, may_resample)
    if are_apart and are_rows(data_options["n_positives"]):
        check_positives_alike(joint_data)
    return joint_data


def read_columns(
    metric: Metric,
    y_true: Any,
    models: Mapping[Any, Any],
    table: Any,
    clusters: Any,
    by: Any,
    data_options: Mapping[str, Any],
) -> Table:
    """Read the columns of a table, without samples of weight 0, which don't exist."""
    data_options, groups = dict(data_options), data_options["groups"]
    if metric._is_mean:
        check_groups(groups)

    # Find the columns, and leave out rows of weight 0. Errors call models by their titles.
    columns = {"y_true": y_true, "clusters": clusters, "groups": groups}
    columns["sample_weight"] = data_options["sample_weight"]
    columns["by"] = None if isinstance(by, Mapping) else by
    titles = {name: f"y_score of {name!r}" if len(models) > 1 else "y_score" for name in models}
    columns |= {titles[name]: scores for name, scores in models.items()}
    keep_grades = metric._rule.keeps_grades(data_options["pos_label"])
    may_lack_scores = are_rows(data_options["n_positives"])
    columns, every_label = choose_samples(columns, table, keep_grades, may_lack_scores)

    # Read them as arrays. Only labels and scores have to be there.
    labels, _ = read_labels(columns["y_true"], None)
    arrays = {"y_true": labels}
    for name in ("clusters", "sample_weight", *titles.values()):
        if columns[name] is not None or name in titles.values():
            arrays[name] = read_column_or_matrix(columns[name], name)
    if groups is not None:
        arrays["groups"] = read_names(columns["groups"], "groups")
    check_lengths(**arrays)

    # Find out which classes, groups, segments and sampling units there are.
    scores = {name: arrays[titles[name]] for name in models}
    has_columns = any(each.ndim == 2 for each in scores.values())
    is_multiclass = labels.ndim == 1 and has_columns and not keep_grades
    # Some classes may be in no row of weight above 0, or in none of a segment.
    every_label = labels if every_label is None and by is not None else every_label
    if is_multiclass and data_options["classes"] is None and every_label is not None:
        data_options["classes"] = list_classes(every_label)
    data_options |= {name: arrays.get(name) for name in ("groups", "sample_weight")}
    if groups is not None and arrays["groups"].ndim == 2:
        data_options["groups"] = combine_columns(arrays["groups"])
    if groups is not None and hasattr(data_options["n_positives"], "to_dict"):
        data_options["n_positives"] = read_counts([], data_options["n_positives"])
    segments = None
    if by is not None:
        segments = read_segments(by, columns["by"], data_options)
        check_lengths(y_true=labels, by=segments[0])
    return Table(scores, labels, read_units(arrays, clusters, groups), data_options, segments)


def read_segments(by: Any, column: Any, data_options: dict[str, Any]) -> tuple[Array, list[Any]]:
    """Return the code of each row's segment, and the names of segments: of a column in the order of
    its categories or else sorted, and of a mapping from groups also those that have no rows.
    """
    if isinstance(by, Mapping):
        if data_options["groups"] is None:
            raise ValueError("by= is a mapping from groups to segments, so pass groups=.")
        code, groups = encode_groups(data_options["groups"])
        if isinstance(data_options["n_positives"], Mapping):
            groups = [*dict.fromkeys([*groups, *data_options["n_positives"]])]
        for group in groups:
            if group not in by:
                raise ValueError(f"by= has no segment for the group {group!r}.")
        of_groups, names = encode_groups([by[group] for group in groups], "by")
        return of_groups[code], names
    codes, names = encode_groups(column, "by")
    column = by if hasattr(by, "dtype") else column  # without categories if samples were left out
    column = column.to_native() if hasattr(column, "to_native") else column
    categories: Any = getattr(getattr(column, "dtype", None), "categories", None)
    if hasattr(categories, "to_list"):  # Those of polars' Categorical aren't a list, in no order.
        place_of = {name: place for place, name in enumerate(categories.to_list())}
        order = np.argsort([place_of[name] for name in names])
        codes, names = np.argsort(order)[codes], [names[place] for place in order]
    return codes, names


def read_units(arrays: dict[str, Array], clusters: Any, groups: Any) -> tuple[SamplingUnits, ...]:
    """Return the sampling units. Clusters and groups may be called by the names of columns."""
    # A list of columns makes a matrix, and else is one of values.
    are_columns = isinstance(groups, list | tuple) and arrays["groups"].ndim == 2
    group_words = tuple(make_word(each, "group") for each in (groups if are_columns else [groups]))
    n_rows = len(arrays["y_true"])
    if clusters is None:
        return (SamplingUnits(n_rows, group_words=group_words),)
    columns = [encode_groups(each, "clusters") for each in np.atleast_2d(arrays["clusters"].T)]
    for (a, names_a), (b, names_b) in combinations(columns, 2):
        n_pairs = find_distinct(a * len(names_b) + b).size
        if n_pairs == len(names_a) == len(names_b):  # Their variance would count twice.
            raise ValueError("Two columns of clusters are the same units: pass one of them.")
    are_named = isinstance(clusters, list | tuple) and len(clusters) == len(columns)
    kinds = []
    for place, (codes, names) in enumerate(columns):
        name = clusters[place] if are_named else clusters
        word, group_column = make_word(name, "cluster"), find_column(name, groups)
        kinds.append(SamplingUnits(n_rows, codes, names, word, group_words, group_column))
    return sort_kinds(kinds)


def find_column(name: Any, columns: Any) -> int | None:
    """Return the place of a name among those of columns, None if it isn't one of them."""
    names = list_columns(columns)
    return names.index(name) if isinstance(name, str) and name in names else None


def check_apart(
    models: Mapping[Any, Any],
    tables: Mapping[Any, Any],
    clusters: Any,
    by: Any,
    data_options: Mapping[str, Any],
) -> None:
    """Refuse tables whose models can't be compared.

    Their rows aren't pairs, so groups are compared, and all of these have to be known; or clusters
    that all tables have, such as images, whose positives have to be known.
    """
    for name, table in tables.items():
        read_table(table, f"data[{name!r}]")
    if [*models] != [*tables]:
        raise ValueError(
            "Pass one table as data. Only compare, report and values_by_group take one for each "
            "model."
        )
    groups, n_positives = data_options["groups"], data_options["n_positives"]
    if groups is None or n_positives is None:
        raise ValueError(
            "Models with a table each are compared group by group: name the columns of y_true, "
            "y_score and groups, and pass n_positives, a mapping from all groups, or 'rows'. "
            "If all models scored the same rows, put their scores into one table, a column each."
        )
    kinds = clusters if isinstance(clusters, list | tuple) else [clusters]
    are_of_groups = clusters is None or all(find_column(each, groups) is not None for each in kinds)
    is_of_groups = by is None or isinstance(by, Mapping)
    if not (are_rows(n_positives) or (are_of_groups and is_of_groups)):
        raise ValueError(
            f"Models with a table each are compared by clusters={clusters!r} or by={by!r} only if "
            "it's known where unscored positives are: give these rows without a score, and pass "
            f"n_positives='rows'. Or pass columns of groups={list_columns(groups)} as clusters, "
            "and a mapping from all groups to segments as by=."
        )


def check_positives_alike(models: ModelData) -> None:
    """Refuse tables that don't have the same positives in each group and cluster, scored or not."""
    counts: dict[Any, list[Any]] = {}
    for name, table in models.tables.items():
        rankings = models.read_rankings(name)
        groups = zip(rankings.names or [], rankings.count_positives().tolist(), strict=False)
        counts[name] = [dict(groups)]
        for units in table.kinds if table.kinds[0].cluster_codes is not None else ():
            unit, _, is_positive = units.find_units(rankings)
            counts[name].append(np.bincount(unit[is_positive], minlength=units.n_units).tolist())
        first = next(iter(counts))
        if counts[name] != counts[first]:
            raise ValueError(
                "All tables need the same positives in each group and cluster, scored or not. "
                f"Those of {first!r} and {name!r} differ."
            )


# --- names of models ------------------------------------------------------------------------------


def name_models(y_score: Any, table: Any) -> dict[Any, Any]:
    """Return the scores of models by name."""
    if isinstance(table, Mapping):
        models = dict.fromkeys(table, y_score)
    elif isinstance(y_score, Mapping):
        models = dict(y_score)
    else:
        columns = list_columns(y_score) if isinstance(y_score, str) or table is not None else []
        models = dict(zip(columns, columns, strict=True)) or {"A": y_score}
        if len(models) < len(columns):
            raise ValueError(f"Models must have different names. Got {columns}.")
    if not models:
        raise ValueError("Pass at least one model. Got none.")
    return models


def name_pair(first: Any, second: Any) -> dict[Any, Any]:
    """Return the scores of two models by the names of their columns, or as A and B."""
    pair = (first, second)
    names = [each if isinstance(each, str) else getattr(each, "name", None) for each in pair]
    if None in names or names[0] == names[1]:
        names = ["A", "B"]
    return dict(zip(names, pair, strict=True))


# --- notes ----------------------------------------------------------------------------------------


def note_data(models: ModelData) -> list[str]:
    """Say if groups may share rows or images, or lack rows, and which scores look like predicted
    labels, unless a user's function is about labels, as F1 is.
    """
    notes, first = [], next(iter(models.tables.values()))
    groups, units = first.data_options["groups"], first.kinds[0]
    has_pairs = groups is not None and groups.size and isinstance(groups[0], tuple)
    if has_pairs and units.cluster_codes is None:
        notes.append(
            "Groups count as independent. If they share images or rows, pass these as clusters."
        )
    for table, name in {table: name for name, table in models.tables.items()}.items():
        counts = table.data_options["n_positives"]
        if isinstance(counts, Mapping):
            in_rows = {*table.data_options["groups"].tolist()}
            if any(count and group not in in_rows for group, count in counts.items()):
                of_table = f" of {name!r}" if models.are_apart else ""
                plural = make_plural(units.group_word).capitalize()
                notes.append(f"{plural} without rows{of_table} count as 0.")
    if not models.rule.needs_positives:
        return notes
    for name, table in models.tables.items():
        scores = table.scores[name]
        # The probabilities of trees may be 0.0 and 1.0, and a rule that flags samples has two
        # values. So floats aren't suspected, and no metric warns.
        if scores.dtype.kind in "biu" and scores.size:
            low, high = scores.min(), scores.max()
            are_two = low < high and np.isin(scores, (low, high)).all()
            if are_two and {low, high} <= {*np.unique(table.y_true).tolist()}:
                of_model = f" of {name!r}" if len(models.tables) > 1 else ""
                what = f"y_score{of_model} is {low} or {high}"
                notes.append(f"{what}, as from predict(). To rank, pass probabilities.")
    return notes
