"""The rows of models: checked input with its sampling units."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np

from .._inputs.records import Inputs, NPositives
from .._words.messages import LOST, describe_two_scores, warn
from .._words.parameters import format_list, format_name, is_mapping
from .._words.refusals import attribute_errors
from ..core.cutoff import Cut
from ..core.numbering import Name
from ..core.ragged import Array
from ..core.rankings import Clusters, Names, Rankings, UnscoredPositives
from ..core.rules import Graded, GroupFunction, Rule
from .columns import check_found, read_counts
from .group_names import convert_keys, list_column_titles, name_units, read_names
from .tables import find_column_name
from .validation import FEW_ROWS, read_rankings, read_with_other_scores


class ModelRows(NamedTuple):
    """All rows of one model: checked input, with its sampling units."""

    rankings: Rankings
    clusters: Clusters | None = None
    names: Names = ()  # the names of the units
    kind: str = "rows"  # the kind of the units: "rows", "groups" or "clusters"
    group_titles: tuple[str, ...] = ()  # of the columns that name the groups
    cluster_words: str = "clusters"
    model: Name = None  # the name of the model, if it has one
    of_groups: bool = False  # whether clusters consist of whole groups, and are numbered by group
    answered: frozenset[Name] | None = None  # groups of which some model has rows, if one lacks any
    min_grade: Any = None  # that is positive, if the caller or a reader chose it
    only_retrieved: bool = False  # whether the rows lack candidates, as tables of readers do
    has_own_table: bool = False  # rather than one with the other models

    @property
    def units_have_values(self) -> bool:
        """Whether each sampling unit has values: groups or rows, or clusters of whole groups."""
        return self.of_groups or (self.clusters is None and are_ranked_apart(self.rankings))

    @property
    def group_words(self) -> str:
        """What results call the groups, such as "groups (query)"."""
        return name_units("groups", self.group_titles)

    @property
    def ranking_words(self) -> str:
        """What each ranking of several is called: "rows" of a matrix, or the groups."""
        return self.group_words if self.rankings.is_grouped else "rows"

    @property
    def n_lacking(self) -> int:
        """The number of groups without rows here, of which another model has some."""
        if self.answered is None:
            return 0
        empty = np.flatnonzero(self.rankings.sizes == 0).tolist()
        names = self.rankings.names or ()
        return len([place for place in empty if names[place] in self.answered])

    def select_class(self, place: int) -> Self:
        """Return the ranking of a single column."""
        rankings = replace(self.rankings.select_columns(place), average="binary")
        return self._replace(rankings=rankings)


def count_positives(model_rows: ModelRows) -> int:
    """Count the existing positives, found or not."""
    rankings = model_rows.rankings
    if rankings.n_positives is None:
        return int(rankings.positive_rows.sum())
    return int(np.ceil(rankings.count_existing().sum()))


def are_ranked_apart(rankings: Rankings) -> bool:
    """Whether each group or row is ranked separately."""
    return rankings.group is not None or rankings.average == "samples"


def list_class_names(rankings: Rankings) -> Names:
    names = rankings.names
    return range(rankings.labels.shape[1]) if names is None else names


@attribute_errors("y_true")
def refuse_classes_without_positives(rankings: Rankings, empty: Array, why: str) -> NoReturn:
    """Refuse classes without positives."""
    names = list_class_names(rankings)
    which = format_list([names[place] for place in empty.tolist()], str)
    raise ValueError(
        f"No positive class found in y_true for {empty.size:,} of {len(names):,} classes "
        f"({which}), {why}"
    )


def check_same_names(
    names: Names,
    other_names: Names,
    kind: str,
    models: tuple[Name, Name],
    by_function: bool = False,
) -> None:
    """Check that two models have the same units or groups, which a function may have evaluated.

    `kind` is "groups" or "clusters".
    """
    first, second = list(names), list(other_names)
    if first == second:
        return
    thing = kind.removesuffix("s")
    in_first, in_second = set(first), set(second)
    unpaired = [name for name in first if name not in in_second]
    where, lacking = models
    if not unpaired:
        unpaired = [name for name in second if name not in in_first]
        lacking, where = models
    advice = (
        f"If the model {lacking!r} has no rows there, add the {thing} to its "
        f"n_positives{', with 0 if it has no positives' if kind == 'clusters' else ''}."
    )
    if by_function:
        advice = (
            f"If the function has no finite value there for {lacking!r}, pass a number as "
            f"zero_division; otherwise, leave the {thing} out of all models."
        )
    raise ValueError(
        f"The {thing} {format_name(unpaired[0], repr)} is only in the model {where!r}, but all "
        f"models need every {thing}. {advice}"
    )


def pair_tables(rows_by_model: Mapping[Any, ModelRows]) -> dict[Any, ModelRows]:
    """Tell samples that readers returned for several models that they are such, and for which
    groups some model has rows, if one lacks any.
    """
    if len(rows_by_model) > 1:
        _check_can_be_paired(rows_by_model)
    answered: set[Name] = set()
    is_any_empty = False
    for model_rows in rows_by_model.values():
        rankings = model_rows.rankings
        if rankings.is_grouped:
            names = np.fromiter(rankings.names or (), object, len(rankings.sizes))
            answered |= {*names[rankings.sizes > 0].tolist()}
            is_any_empty |= rankings.n_empty > 0
    known = frozenset(answered) if is_any_empty else None
    return {
        model: model_rows._replace(has_own_table=True, answered=known)
        for model, model_rows in rows_by_model.items()
    }


def _check_can_be_paired(rows_by_model: Mapping[Any, ModelRows]) -> None:
    """Check that groups or clusters say which rows of several tables belong together, and that the
    positives that a table lacks are counted.
    """
    lacking = set()
    for model_rows in rows_by_model.values():
        rankings = model_rows.rankings
        if model_rows.kind == "rows":
            lacking.add("groups or clusters, which pair them")
        if rankings.n_positives is None and rankings.judged is None:
            lacking.add("n_positives, which counts the positives that one of them lacks")
    if lacking:
        raise ValueError(
            f"The tables of {', '.join(map(repr, rows_by_model))} have different rows. So "
            f"comparing them takes {', and '.join(sorted(lacking))}. Don't pass None for what the "
            "tables know."
        )


def read_model_rows(rule: Rule, inputs: Inputs) -> ModelRows:
    """Check the input, whose columns are in memory, and return it with its sampling units."""
    read = partial(_read_first_rows, rule, inputs)
    first, model_rows = inputs.read_first_model(("rows", *list_what_decides(rule, inputs)), read)
    if first is inputs:
        return model_rows
    rankings = read_with_other_scores(model_rows.rankings, inputs)
    if rankings is None:
        return read()
    return model_rows._replace(rankings=rankings, model=find_column_name(inputs, "y_score"))


def list_what_decides(rule: Rule, inputs: Inputs) -> tuple[Any, ...]:
    """Return all of a rule that decides what is read for it, and what is refused."""
    is_weighted = inputs.sample_weight is not None
    decides = (rule.ties, rule.takes_weights) if is_weighted else ()
    if not isinstance(rule, Graded):
        return decides
    highest = getattr(rule, "gains", None) == "exponential"
    return *decides, type(rule), highest, isinstance(rule, GroupFunction) and rule.takes_judged


def _read_first_rows(rule: Rule, inputs: Inputs) -> ModelRows:
    groups, clusters = inputs.groups, inputs.clusters
    n_positives, pairs = split_n_positives(inputs.n_positives, groups, clusters)
    rankings = read_rankings(inputs._replace(n_positives=n_positives), rule)
    min_grade, graded = inputs.min_grade, inputs.graded
    if graded is not None and graded.lowest != 1:
        min_grade = graded.lowest
    model_rows = ModelRows(
        rankings,
        min_grade=min_grade,
        model=find_column_name(inputs, "y_score"),
        only_retrieved=inputs.only_retrieved,
    )
    if groups is not None:
        model_rows = model_rows._replace(
            group_titles=list_column_titles(groups, "groups", inputs.column_names)
        )
    if clusters is not None:
        drawn, names = read_clusters(clusters, rankings, pairs)
        clusters_of_groups = None
        if rankings.group is not None:
            clusters_of_groups = _group_clusters(drawn, names, rankings)
        return model_rows._replace(
            clusters=drawn if clusters_of_groups is None else clusters_of_groups,
            names=names,
            kind="clusters",
            cluster_words=name_units(
                "clusters", list_column_titles(clusters, "clusters", inputs.column_names)
            ),
            of_groups=clusters_of_groups is not None,
        )
    if groups is not None:
        return model_rows._replace(names=rankings.names or (), kind="groups")
    rows: Names = range(len(rankings.labels))
    if rankings.is_kept is not None:
        rows = np.flatnonzero(rankings.is_kept)
    return model_rows._replace(names=rows)


# From a group and a cluster to the number of positives that exist there.
Pairs = dict[tuple[Name, Name], float]


def split_n_positives(
    n_positives: Any, groups: Any, clusters: Any
) -> tuple[NPositives, Pairs | None]:
    """Split n_positives into totals, or counts of groups, and counts of clusters if it has them.

    Without groups, the keys are clusters. With groups, they are groups, or pairs of a group and a
    cluster. Where either of these is a tuple, keys can also be flat, as in (day, country, cluster).
    """
    if clusters is None or not is_mapping(n_positives):
        return n_positives, None
    counts = dict(n_positives.items())
    read_counts(list(counts.values()), list(counts), weighted=True)
    if groups is None:
        pairs: Pairs = {(None, cluster): number for cluster, number in counts.items()}
        return sum(counts.values()), pairs
    group_size = _count_name_items(groups, "groups")
    cluster_size = _count_name_items(clusters, "clusters")
    counts = {_split_key(key, group_size, cluster_size): count for key, count in counts.items()}
    are_pairs = all(isinstance(key, tuple) and len(key) == 2 for key in counts)
    if not are_pairs or (group_size and not all(isinstance(group, tuple) for group, _ in counts)):
        return n_positives, None  # counts of groups, which can be pairs themselves
    totals: dict[Name, float] = {}
    for (group, _), number in counts.items():
        totals[group] = totals.get(group, 0) + number
    return totals, counts


def _count_name_items(column: Any, role: str) -> int:
    """Return how many items the names of groups or clusters have; 0 if they aren't tuples."""
    names, _ = read_names(column, role).number_unsorted()
    return len(names[0]) if names.size and isinstance(names[0], tuple) else 0


def _split_key(key: Any, group_size: int, cluster_size: int) -> Any:
    """Split a flat key into a group and a cluster. Return any other key as it is.

    The sizes are how many items groups and clusters have; 0 if they aren't tuples.
    """
    n_of_group, n_of_cluster = max(group_size, 1), max(cluster_size, 1)
    is_flat = (
        isinstance(key, tuple)
        and len(key) == n_of_group + n_of_cluster
        and not isinstance(key[0], tuple)
    )
    if not is_flat or not (group_size or cluster_size):
        return key
    group, cluster = key[:n_of_group], key[n_of_group:]
    return group if group_size else group[0], cluster if cluster_size else cluster[0]


@attribute_errors("clusters")
def read_clusters(clusters: Any, rankings: Rankings, pairs: Pairs | None) -> tuple[Clusters, Names]:
    """Return the clusters of samples and of unscored positives, and their sorted names.

    `clusters` has one for each row that was read, also of weight 0. `pairs` has the numbers of
    positives that exist in clusters, and is None if they weren't passed.
    """
    if rankings.average == "samples":
        raise ValueError(
            "With average='samples', the rows are the sampling units, so clusters are not "
            "available."
        )
    column = read_names(clusters, "clusters", rankings.n_rows_read)
    names, of = column.keep(rankings.is_kept).number_names()
    of = of.astype(np.int64, copy=False)
    if pairs is None:
        return Clusters(of, len(names)), names
    # Number the clusters again, together with those that only `pairs` names.
    keys = convert_keys(names, [cluster for _, cluster in pairs])
    names, number = read_names([*names, *keys], "clusters").number_names()
    new_number, of_pairs = np.split(number, [len(number) - len(keys)])
    of, of_pairs = new_number[of].astype(np.int64), of_pairs.astype(np.int64)
    return Clusters(of, len(names), _read_unscored(pairs, of_pairs, of, rankings, names)), names


@attribute_errors("clusters")
def _group_clusters(clusters: Clusters, names: Names, rankings: Rankings) -> Clusters | None:
    """Return the clusters of groups if each cluster consists of whole groups, and None otherwise.

    Such groups are drawn with their clusters. Others are fixed, as classes are, but the value of a
    function can't be divided between clusters. The `rankings` must have groups, and `names` are
    those of the clusters.
    """
    group, cluster = rankings.group, clusters.numbers  # of rows, and below of unscored positives
    group_names, unscored = rankings.names, clusters.unscored
    assert group is not None
    assert group_names is not None
    if unscored is not None:
        group = np.concatenate([group, unscored.ranking])
        cluster = np.concatenate([cluster, unscored.cluster])
    cluster_of = np.full(len(group_names), -1)  # of each group; -1 if none is known
    cluster_of[group] = cluster
    cut = np.flatnonzero(cluster_of[group] != cluster)
    if cut.size and rankings.y_true is None:
        return None
    if cut.size:
        number = group[cut[0]]
        pair = names[cluster[cut[0]]], names[cluster_of[number]]
        raise ValueError(
            f"The group {format_name(group_names[number], repr)} has rows of the clusters "
            f"{format_name(pair[0], repr)} and {format_name(pair[1], repr)}, but a function has "
            "one value for the whole group. Pass clusters that consist of whole groups."
        )
    if (lacking := np.flatnonzero(cluster_of < 0)).size:
        with attribute_errors("n_positives"):
            raise ValueError(
                f"The group {format_name(group_names[lacking[0]], repr)} is only in n_positives, "
                "so its cluster isn't known. Map pairs (group, cluster) to numbers instead."
            )
    return replace(clusters, numbers=cluster_of, unscored=None)


def _read_unscored(
    pairs: Pairs, of_pairs: Array, of: Array, rankings: Rankings, names: Names
) -> UnscoredPositives:
    """Return how many of the positives in `pairs` have no row, by group and cluster.

    `of_pairs` has the cluster of each pair, and `of` that of each row, as indexes of `names`.
    """
    is_grouped = rankings.group is not None
    groups = list(rankings.names or []) if is_grouped else ["all samples"]
    number_of = {name: number for number, name in enumerate(groups)}
    keys = convert_keys(groups, [group for group, _ in pairs])
    ranking = np.array([number_of.get(group, 0) for group in keys], dtype=np.int64)
    group = np.zeros(of.size, dtype=np.int64)
    if rankings.group is not None:
        group += rankings.group  # whose type can be too narrow for numbers of pairs

    # Each pair of a group and a cluster is one number.
    weight = rankings.weight_left_out if rankings.weight is None else rankings.weight
    mass = rankings.labels * weight
    found = np.bincount(group * len(names) + of, mass, len(groups) * len(names))
    place = ranking * len(names) + of_pairs
    unnamed = np.setdiff1d(np.flatnonzero(found), place)
    passed_keys = list(pairs) if is_grouped else [cluster for _, cluster in pairs]
    if unnamed.size:
        number, cluster = divmod(int(unnamed[0]), len(names))
        key = (groups[number], names[cluster]) if is_grouped else names[cluster]
        raise ValueError(
            f"n_positives has no number for {format_name(key, repr)}, where "
            "y_true contains positives. It needs one for each cluster that has any. "
            f"Its keys look like {format_name(passed_keys[0], repr) if passed_keys else key}."
        )
    counts = np.array(list(pairs.values()), dtype=float)
    is_weighted = rankings.weight is not None or rankings.weight_left_out != 1
    check_found(counts, found[place], is_weighted, passed_keys)
    n_unscored = np.maximum(counts - found[place], 0.0) / rankings.weight_left_out
    return UnscoredPositives(ranking, of_pairs, n_unscored)


def warn_of_unranked_model(model_rows: ModelRows, cut: Cut | None) -> None:
    """Warn once about a model that barely ranks the samples, which is probably a mistake.

    `cut` is None unless the value is that of a top k.
    """
    rankings, subject = model_rows.rankings, ""
    called = "" if model_rows.model in (None, "") else f" {model_rows.model!r}"
    n_rankings = 1 if rankings.names is None else len(rankings.names)
    size, distinct = rankings.n_scores, rankings.few_scores  # three scores if there are more
    if size == 0:
        words = f"The model{called} has no rows, so its value is 0. {LOST}"
    elif size < FEW_ROWS:
        if 2 < size == rankings.n_rows and {*distinct.tolist()} == {0, 1}:
            warn(describe_two_scores(called, distinct))
        return
    elif rankings.positive_rows.sum() == size:
        subject = "labels"  # which other models probably share
        words = (
            f"All rows of the model{called} are positive, so every ranking of them is perfect. "
            "Were negatives filtered out, or do pos_label or min_grade make everything positive?"
        )
    elif distinct.size == 1 and size > n_rankings:
        words = (
            f"All prediction scores of the model{called} are {distinct[0]}, so its value is that "
            "of random guessing. Is this the right column, and did the model converge?"
        )
    elif distinct.size == 2 and size > 2 * n_rankings:
        words = describe_two_scores(called, distinct)
    elif cut is not None and rankings.has_tied_top(cut):
        words = (
            f"The model{called} has more than twice as many ties at the top as fit into the top "
            f"{cut}, so its value barely depends on the ranking. Were its prediction scores "
            "rounded or clipped?"
        )
    else:
        return
    warn(words, subject)
