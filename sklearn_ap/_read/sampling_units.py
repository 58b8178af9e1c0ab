"""Checked input with its sampling units: rows, groups, or clusters of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np

from .._words.inputs import Inputs, NPositives
from .._words.messages import LOST, about, two_scores, warn
from .._words.parameters import is_mapping, text_of
from ..core.cutoff import Cut
from ..core.evidence import Evidence
from ..core.numbering import Name
from ..core.rankings import Names, Rankings
from ..core.rules import OfGroup, Rule
from ..core.units import Absent, Clusters
from ..core.within import Array
from .columns import (
    check_found,
    read_counts,
)
from .group_names import in_types_of, name_units, read_names
from .tables import name_in
from .validation import FEW, read_rankings


class Sample(NamedTuple):
    """Checked input, with its sampling units."""

    evidence: Evidence
    clusters: Clusters | None = None
    names: Names = ()  # the names of the units
    kind: str = "rows"  # the kind of the units: "rows", "groups", "clusters" or "units"
    group_words: str = "groups"  # such as "groups (query)"
    cluster_words: str = "clusters"
    model: Name = None  # the name of the model, if it has one
    has_labels: bool = True  # or else values of units that were computed elsewhere
    of_groups: bool = False  # whether clusters consist of whole groups, and `of` is by group
    read: Callable[[], Any] | None = None  # returns this sample with its rows, if it has none
    answered: frozenset[Name] | None = None  # groups of which some model has rows, if one lacks any

    @property
    def rankings(self) -> Rankings:
        """The rows, which must be in memory."""
        return self.evidence.rows

    @property
    def by_query(self) -> bool:
        """Whether each sampling unit has values: groups or rows, or clusters of whole groups."""
        return self.of_groups or (self.clusters is None and has_queries(self.evidence))

    @property
    def n_lacking(self) -> int:
        """The number of groups without rows here, of which another model has some."""
        if self.answered is None:
            return 0
        empty = np.flatnonzero(self.evidence.sizes == 0).tolist()
        names = self.evidence.names or ()
        return sum(names[place] in self.answered for place in empty)

    def of_class(self, place: int) -> Self:
        """Return the ranking of a single column."""
        return self._replace(evidence=replace(self.rankings.columns(place), average="binary"))


def count_positives(sample: Sample) -> int:
    """Count the existing positives, found or not."""
    exist = sample.evidence.n_positives
    found = sample.evidence.positive_rows if exist is None else np.ceil(exist.sum())
    return int(found.sum())


def stacked(one: Sample, other: Sample, ranks: Sequence[Array]) -> Sample | None:
    """Rank the samples of two models together, by their ranks within each model.

    The units of the first model come first. Return None if the models have different groups.
    """
    a, b = one.rankings, other.rankings
    sorted_by_group = a.group is not None and b.group is not None
    if (a.n_positives is None) != (b.n_positives is None):
        return None
    if sorted_by_group and list(a.names or ()) != list(b.names or ()):
        return None
    weights = [np.ones(len(each.labels)) if each.weight is None else each.weight for each in (a, b)]
    rankings = replace(
        a,
        labels=np.concatenate([a.labels, b.labels]),
        scores=np.concatenate(ranks),
        weight=None if a.weight is None and b.weight is None else np.concatenate(weights),
        n_positives=None if a.n_positives is None else a.n_positives + b.n_positives,
        group=np.concatenate([a.group, b.group]) if sorted_by_group else None,
    )
    clusters = None
    if one.clusters is not None and other.clusters is not None:
        clusters = one.clusters.beside(other.clusters)
    return one._replace(evidence=rankings, clusters=clusters, names=())


def has_queries(evidence: Evidence) -> bool:
    """Whether each group or row is ranked separately."""
    return evidence.is_grouped or evidence.average == "samples"


def names_of_columns(rankings: Rankings) -> Names:
    names = rankings.names
    return range(rankings.labels.shape[1]) if names is None else names


@about("y_true")
def refuse_empty(rankings: Rankings, empty: Array, why: str) -> NoReturn:
    """Refuse classes without positives."""
    names = names_of_columns(rankings)
    which = ", ".join(str(names[place]) for place in empty[:5].tolist())
    raise ValueError(
        f"No positive class found in y_true for {empty.size} of {len(names)} classes ({which}), "
        f"{why}"
    )


def check_same_names(
    one: Names, other: Names, kind: str, models: tuple[Name, Name], by_function: bool = False
) -> None:
    """Check that two models have the same units or groups, which a function may have evaluated."""
    are_ranges = isinstance(one, range) and isinstance(other, range)
    if kind == "rows" and (one == other if are_ranges else np.array_equal(one, other)):
        return
    first, second = list(one), list(other)
    if kind == "rows":
        raise ValueError(
            f"The rows of the models {models[0]!r} and {models[1]!r} differ: {len(first)} and "
            f"{len(second)}. If the models share queries, images or other sampling units, pass "
            "these as groups= or clusters=."
        )
    if first == second:
        return
    thing, known, theirs = kind.removesuffix("s"), set(first), set(second)
    only = [name for name in first if name not in theirs]
    where, lacking = models if only else models[::-1]
    only = only or [name for name in second if name not in known]
    advice = (
        f"If the model {lacking!r} has no rows there, add the {thing} to its n_positives"
        f"{', with 0 if it has no positives' if kind == 'clusters' else ''}."
    )
    if by_function:
        advice = (
            f"If the function has no finite value there for {lacking!r}, pass a number as "
            f"zero_division; otherwise, leave the {thing} out of all models."
        )
    raise ValueError(
        f"The {thing} {text_of(only[0], repr)} is only in the model {where!r}, but all models need "
        f"every {thing}. {advice}"
    )


def beside_one_another(samples: Mapping[Any, Sample], rule: Rule) -> dict[Any, Sample]:
    """Check that models whose tables have the same groups know the same positives of each, and tell
    their samples for which groups only other models have rows.
    """
    each = [sample for sample in samples.values() if sample.evidence.is_grouped]
    if len(each) < max(len(samples), 2):
        return dict(samples)
    is_counted = any(sample.evidence.n_positives is not None for sample in each)
    if not is_counted and not isinstance(rule, OfGroup):  # which knows what its labels mean
        _check_same_positives(samples)
    if not any(sample.evidence.n_empty for sample in each):
        return dict(samples)
    answered = frozenset(
        name
        for sample in each
        for name, size in zip(sample.evidence.names or (), sample.evidence.sizes, strict=True)
        if size
    )
    return {model: sample._replace(answered=answered) for model, sample in samples.items()}


@about("n_positives")
def _check_same_positives(samples: Mapping[Any, Sample]) -> None:
    """Check that each group has as many positives in the tables of all models that have it."""
    (first, one), *others = samples.items()
    place = {name: number for number, name in enumerate(one.evidence.names or ())}
    for model, other in others:
        names = other.evidence.names or ()
        shared = [number for number, name in enumerate(names) if name in place]
        counts = one.evidence.positive_rows[[place[names[number]] for number in shared]]
        others_counts = other.evidence.positive_rows[shared]
        differ = np.flatnonzero(counts != others_counts)
        if not differ.size:
            continue
        what = "how many exist"
        if one.evidence.has_rows and one.rankings.given is not None:
            what = "how many documents were judged with which grade"
        number = differ[0]
        raise ValueError(
            f"The numbers of positives of the group {text_of(names[shared[number]], repr)} differ: "
            f"{counts[number]:,} in the table of {first!r}, {others_counts[number]:,} in that of "
            f"{model!r}. They differ for {differ.size:,} of {len(shared):,} groups. A table that "
            "was cut off lacks positives that count: pass n_positives, a mapping from each group "
            f"to {what}, found or not."
        )


def read_sample(rule: Rule, inputs: Inputs) -> Sample:
    """Check the input, and return it with its sampling units."""
    groups, clusters = inputs.groups, inputs.clusters
    n_positives, pairs = split_n_positives(inputs.n_positives, groups, clusters)
    rankings = read_rankings(inputs._replace(n_positives=n_positives), rule)
    of_groups = name_units(groups, "groups", inputs.column_names)
    model = name_in(inputs, "y_score")
    if clusters is not None:
        words = name_units(clusters, "clusters", inputs.column_names)
        drawn, names = read_clusters(clusters, rankings, pairs)
        whole = None if rankings.group is None else _of_whole_groups(drawn, names, rankings)
        kind = names, "clusters", of_groups, words, model
        return Sample(rankings, whole or drawn, *kind, of_groups=whole is not None)
    if groups is not None:
        return Sample(rankings, None, rankings.names or (), "groups", of_groups, model=model)
    rows: Names = range(len(rankings.labels))
    if rankings.exists is not None:
        rows = np.flatnonzero(rankings.exists)
    return Sample(rankings, None, rows, "rows", model=model)


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
    of_group, of_cluster = _size_of_names(groups, "groups"), _size_of_names(clusters, "clusters")
    counts = {_split_key(key, of_group, of_cluster): number for key, number in counts.items()}
    are_pairs = all(isinstance(key, tuple) and len(key) == 2 for key in counts)
    if not are_pairs or (of_group and not all(isinstance(group, tuple) for group, _ in counts)):
        return n_positives, None
    totals: dict[Name, float] = {}
    for (group, _), number in counts.items():
        totals[group] = totals.get(group, 0) + number
    return totals, counts


def _size_of_names(column: Any, role: str) -> int:
    """Return how many parts the names of groups or clusters have; 0 if they aren't tuples."""
    names, _ = read_names(column, role).in_any_order()
    return len(names[0]) if names.size and isinstance(names[0], tuple) else 0


def _split_key(key: Any, of_group: int, of_cluster: int) -> Any:
    """Split a flat key into a group and a cluster with so many parts; 0 if they aren't tuples."""
    parts = max(of_group, 1), max(of_cluster, 1)
    is_flat = isinstance(key, tuple) and len(key) == sum(parts) and not isinstance(key[0], tuple)
    if not is_flat or not (of_group or of_cluster):
        return key
    group, cluster = key[: parts[0]], key[parts[0] :]
    return group if of_group else group[0], cluster if of_cluster else cluster[0]


@about("clusters")
def read_clusters(clusters: Any, rankings: Rankings, pairs: Pairs | None) -> tuple[Clusters, Names]:
    """Return the clusters of samples and of missed positives, and their sorted names."""
    if rankings.average == "samples":
        raise ValueError(
            "With average='samples', the rows are the sampling units, so clusters are not "
            "available."
        )
    exists = rankings.exists
    size = len(rankings.labels) if exists is None else exists.size
    names, of = read_names(clusters, "clusters", size).keep(exists).numbered()
    of = of.astype(np.int64, copy=False)
    if pairs is None:
        return Clusters(of, len(names)), names
    keys = in_types_of(names, [cluster for _, cluster in pairs])
    names, number = read_names([*names, *keys], "clusters").numbered()
    present, keyed = np.split(number, [len(number) - len(keys)])
    of, keyed = present[of].astype(np.int64), keyed.astype(np.int64)
    return Clusters(of, len(names), _read_absent(pairs, keyed, of, rankings, names)), names


@about("clusters")
def _of_whole_groups(clusters: Clusters, names: Names, rankings: Rankings) -> Clusters | None:
    """Return the clusters of groups if each cluster consists of whole groups, and None otherwise.

    Such groups are drawn with their clusters. Others are fixed, as classes are, but the value of a
    function can't be divided between clusters.
    """
    group, groups, absent = rankings.group, rankings.names, clusters.absent
    assert group is not None
    assert groups is not None
    group, own = (
        (group, clusters.of)
        if absent is None
        else (
            np.concatenate([group, absent.query]),
            np.concatenate([clusters.of, absent.cluster]),
        )
    )
    of = np.full(len(groups), -1)
    of[group] = own
    apart = np.flatnonzero(of[group] != own)
    if apart.size and rankings.given is None:
        return None
    if apart.size:
        place = group[apart[0]]
        both = names[own[apart[0]]], names[of[place]]
        raise ValueError(
            f"The group {text_of(groups[place], repr)} has rows of the clusters "
            f"{text_of(both[0], repr)} and {text_of(both[1], repr)}, but a function has one value "
            "for the whole group. Pass clusters that consist of whole groups."
        )
    if (lacking := np.flatnonzero(of < 0)).size:
        with about("n_positives"):
            raise ValueError(
                f"The group {text_of(groups[lacking[0]], repr)} is only in n_positives, so its "
                "cluster isn't known. Map pairs (group, cluster) to numbers instead."
            )
    return replace(clusters, of=of, absent=None)


def _read_absent(
    pairs: Pairs, cluster: Array, of: Array, rankings: Rankings, names: Names
) -> Absent:
    named = list(pairs) if rankings.group is not None else [cluster for _, cluster in pairs]
    groups = ["all samples"] if rankings.group is None else list(rankings.names or [])
    place = {name: number for number, name in enumerate(groups)}
    keys = in_types_of(groups, [group for group, _ in pairs])
    query = np.array([place.get(group, 0) for group in keys], dtype=np.int64)
    group = np.zeros(of.size, dtype=np.int64) if rankings.group is None else rankings.group
    mass = rankings.labels if rankings.weight is None else rankings.labels * rankings.weight
    found = np.bincount(group * len(names) + of, mass, len(groups) * len(names))
    at = query * len(names) + cluster
    unnamed = np.setdiff1d(np.flatnonzero(found), at)
    if unnamed.size:
        one, other = divmod(int(unnamed[0]), len(names))
        key = names[other] if rankings.group is None else (groups[one], names[other])
        raise ValueError(
            f"n_positives has no number for {text_of(key, repr)}, where y_true contains positives. "
            "It needs one for each cluster that has any. Its keys look like "
            f"{text_of(named[0], repr)}."
        )
    exist, weighted = np.array(list(pairs.values()), dtype=float), rankings.weight is not None
    check_found(exist, found[at], weighted, named)
    return Absent(query, cluster, np.maximum(exist - found[at], 0.0))


def warn_of_dead(sample: Sample, cut: Cut | None) -> None:
    """Warn once about a model that barely ranks the samples, which is probably a mistake."""
    evidence, subject = sample.evidence, ""
    called = "" if sample.model in (None, "") else f" {sample.model!r}"
    n_rankings = 1 if evidence.names is None else len(evidence.names)
    size, distinct = evidence.n_scores, evidence.few_scores
    if size == 0:
        words = f"The model{called} has no rows, so its value is 0. {LOST}"
    elif size < FEW:
        if 2 < size == evidence.n_rows and {*distinct.tolist()} == {0, 1}:
            warn(two_scores(called, distinct))
        return
    elif evidence.positive_rows.sum() == size:
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
        words = two_scores(called, distinct)
    elif cut is not None and evidence.are_tied_at(cut):
        words = (
            f"The model{called} has more than twice as many ties at the top as fit into the top "
            f"{cut}, so its value barely depends on the ranking. Were its prediction scores "
            "rounded or clipped?"
        )
    else:
        return
    warn(words, subject)
