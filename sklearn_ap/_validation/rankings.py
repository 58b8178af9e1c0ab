"""Validation of labels with scores, weights and groups, also in chunks, and of sampling units."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np
from sklearn.utils import column_or_1d

from .._inputs import Inputs
from .._intake import Codes, codes, columns, header, names_of, numbers, to_host
from .._names import written
from .._results import text_of
from ..core.cutoff import Cut
from ..core.rankings import Names, Rankings
from ..core.rules import Rule
from ..core.segments import Array
from ..core.units import Absent, Clusters
from . import labels as targets
from . import samples
from .errors import NO_SAMPLES, NO_WEIGHT, PREDICTED, about, warn_of_own_groups, warn_that
from .parameters import check_group_average, check_unmasked, check_weighted, is_mapping
from .tables import column_name, name_of

_OTHERS = "numbers or text"
_FEW = 10  # rows, of which nothing is said, because the smallest data can look like anything


def read_rankings(inputs: Inputs, rule: Rule | None = None) -> Rankings:
    """Check a binary, multilabel-indicator or multiclass target with its prediction scores.

    With groups, the target must be binary, and each group is a ranking.
    """
    y_true, y_score = inputs.y_true, inputs.y_score
    if type(y_true) is not np.ndarray or type(y_score) is not np.ndarray:
        y_true, y_score = to_host(y_true), to_host(y_score)
    average: str | None = inputs.average
    groups, n_positives = inputs.groups, inputs.n_positives
    pos_label, classes = inputs.pos_label, inputs.classes
    if inputs.min_grade is not None:
        pos_label = targets.positive_class(pos_label, inputs.min_grade)
    called = _names_of_scores(inputs, y_score)
    if called is not None and np.ndim(y_true) == 2:
        y_score = _in_order_of_labels(y_true, y_score, called)
    if classes is not None:
        classes = _columns_of(classes, y_true, y_score, pos_label)
        if classes is not None and called is not None:
            targets.check_names_agree(called, classes)
    is_empty = n_positives is not None and np.shape(y_true)[:1] == (0,)
    if is_empty:
        labels, names = targets.no_labels(y_true, pos_label, classes)
    else:
        called = called if classes is None else None
        labels, names = targets.read_labels(y_true, pos_label, classes, y_score, called)
    if groups is not None:
        check_group_average(average)
        targets.check_one_ranking(labels)
    if labels.ndim == 1:
        average = average if groups is not None else "binary"
        y_score, are_merged = samples.without_decimals(y_score)
        if are_merged:
            warn_that("equal_decimals", "decimals")
        scores = samples.read_scores(y_score, pos_label, called)
    elif is_empty and np.shape(y_score) == labels.shape:
        scores = np.zeros(labels.shape)
    else:
        scores = samples.read_score_columns(y_score, labels, names)
    if average == "micro":
        names = ["all cells"]
    elif average == "samples":
        names = range(len(labels))
    rankings = Rankings(labels, scores, None, average, names=names)
    if groups is not None:
        return _in_groups(rankings, inputs, rule)
    if called is not None and names is not None and rankings.by_column:
        order = targets.sorted_places(names)  # in which models are compared
        if order != sorted(order):
            samples.check_counts_are_named(n_positives, names, called)
            rankings = rankings.columns(order)
    if n_positives is not None:
        named = getattr(y_true, "columns", inputs.column_names.get("y_true"))
        is_weighted = inputs.sample_weight is not None
        exist = samples.read_n_positives(n_positives, rankings, is_weighted, named)
        rankings = replace(rankings, n_positives=exist)
    return _with_weight(rankings, inputs.sample_weight, rule)


def _names_of_scores(inputs: Inputs, y_score: Any) -> Sequence[Any] | None:
    """Return the names of the columns of y_score, if it is a table or was read from several."""
    names = None if inputs.data is None else inputs.column_names.get("y_score")
    if isinstance(names, list | tuple):
        return list(names)
    return None if type(y_score) is np.ndarray else header(y_score)


def _in_order_of_labels(y_true: Any, y_score: Any, called: Sequence[Any]) -> Any:
    """Return columns of scores in the order of the columns of labels, if these have the same
    names.
    """
    names = names_of(y_true)
    if names is None or names == called:
        return y_score
    if {*names} != {*called}:
        shared = [name for name in names if name in called]
        if shared and header(y_true) is not None:
            with about("y_score"):
                raise ValueError(
                    f"The columns of y_score are called {called}, and those of y_true {names}. "
                    f"They share {shared[:5]}, but not all names. Pass the same columns in both, "
                    "or arrays to pair them by position."
                )
        return y_score
    order = [called.index(name) for name in names]
    return np.asarray(columns(y_score))[:, order]


def _columns_of(classes: Any, y_true: Any, y_score: Any, pos_label: Any) -> Array | None:
    """Return the classes of the columns of y_score; None if it is one column for two classes."""
    labels = targets.read_classes(classes, pos_label)
    if labels.size > 2 or np.ndim(y_score) != 1:
        return labels
    targets.check_known(y_true, labels)
    return None


def _in_groups(rankings: Rankings, inputs: Inputs, rule: Rule | None) -> Rankings:
    """Add the groups, which are codes of a column or their own names."""
    column, n_positives = codes(inputs.groups), inputs.n_positives
    given = inputs.groups if column is None else column.code
    group = samples.read_group_column(given, len(rankings.labels))
    rankings = _with_weight(replace(rankings, group=group), inputs.sample_weight, rule)
    group = np.asarray(rankings.group)
    if column is None:
        names, group = samples.name_groups(group)
    else:
        is_whole = group.size == column.code.size
        left = column._replace(code=group, is_numbered=column.is_numbered and is_whole)
        names, group = left.numbered()
    warn_of_own_groups(None if rule is None else rule.depth, names, len(names), group.size)
    if n_positives is None:
        return replace(rankings, group=group, names=names)
    names, number, exist = samples.name_all_groups(names, n_positives, rankings.weight is not None)
    return replace(rankings, group=number[group], names=names, n_positives=exist)


def check_groups_at(cut: Cut | None, rankings: Rankings) -> None:
    """Warn if nearly every row is a group of its own, for callers that learn k after the groups."""
    if cut is not None and rankings.group is not None and rankings.names is not None:
        n_groups = int(np.count_nonzero(np.bincount(rankings.group)))
        warn_of_own_groups(cut, rankings.names, n_groups, rankings.group.size)


def _with_weight(
    rankings: Rankings, sample_weight: Any, rule: Rule | None = None, may_vanish: bool = False
) -> Rankings:
    """Add checked weights, and remove samples of weight 0, which may leave none."""
    labels, scores = rankings.labels, rankings.scores
    if sample_weight is None:
        if len(labels) != len(scores):
            samples.check_lengths(y_true=labels, y_score=scores)
    else:
        weight = samples.read_weight(sample_weight, labels, scores, may_vanish or not len(labels))
        if rule is not None and rankings.average != "samples":
            check_weighted(rule)
        rankings = replace(rankings, weight=weight)
        if not weight.all():
            rankings = rankings.take(np.flatnonzero(weight))
    return rankings


# --- chunks ---------------------------------------------------------------------------------------


class Seen(NamedTuple):
    """Summary of chunks, for checks that concern all of them."""

    pos_label: Any  # the label of the positive class, or `AtLeast`
    labels: frozenset[Any] = frozenset()  # empty for grades
    n_samples: int = 0
    weighted: bool = False
    mass: float = 0.0
    weights: tuple[float, ...] = ()  # the lowest and the highest, besides 0; 1 without weights
    groups: frozenset[str] = frozenset()  # dtypes of times, or `_OTHERS`
    merged: bool = False  # whether different decimals of a chunk have become equal scores
    scores: frozenset[Any] | None = frozenset()  # the distinct ones; None if there are more than 2

    def join(self, other: Self) -> Self:
        weights = sorted(self.weights + other.weights)
        return self._replace(
            labels=self.labels | other.labels,
            n_samples=self.n_samples + other.n_samples,
            weighted=self.weighted or other.weighted,
            mass=self.mass + other.mass,
            weights=(weights[0], weights[-1]) if weights else (),
            groups=self.groups | other.groups,
            merged=self.merged or other.merged,
            scores=_up_to_two(self.scores, other.scores),
        )

    @property
    def sample_weight(self) -> Array | None:
        """Return what is known about the weights, which is the lightest and the heaviest."""
        return np.array(self.weights) if self.weighted else None

    @property
    def sorted_labels(self) -> list[Any]:
        return sorted(self.labels, key=lambda label: (isinstance(label, str), label))

    @property
    def name(self) -> str:
        """The name of the positives for messages."""
        return targets.name_positives(self.sorted_labels, self.pos_label)


def read_chunk(
    y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any = None, groups: Any = None
) -> tuple[Rankings, Seen]:
    """Check a chunk of a binary target with its prediction scores.

    Samples of weight 0 are removed, which may leave none. The names of the groups are an array in
    any order.
    """
    values: Any = None
    if isinstance(groups, Codes):
        groups, values, _ = groups
    given = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight, "groups": groups}
    for name, column in given.items():
        check_unmasked(name, column)
    y_true, (y_score, merged) = numbers(y_true), samples.without_decimals(to_host(y_score))
    if not np.ndim(y_score):
        column_or_1d(y_score)  # which raises scikit-learn's error about its shape
    shapes = getattr(y_true, "shape", ()), getattr(y_score, "shape", None)
    if sample_weight is not None or shapes[0] != shapes[1]:  # the check takes some time
        samples.check_lengths(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    size = len(y_true)
    if size:
        labels, present = targets.read_chunk_labels(y_true, pos_label, y_score)
        if len(present) > 2:  # say so before the scores are refused for having several columns
            check_together(Seen(pos_label, labels=frozenset(present)))
        scores = samples.read_scores(y_score, pos_label)
    else:
        labels, scores, present = np.zeros(0, dtype=bool), np.zeros(0), set()
    group = None if groups is None else samples.read_group_column(groups, size)
    rankings = Rankings(labels, scores, None, "binary", group=group)
    rankings = _with_weight(rankings, sample_weight if size else None, may_vanish=True)
    weight = rankings.weight
    extremes = (1.0, 1.0) if size and sample_weight is None else ()
    if weight is not None and weight.size:
        extremes = weight.min().item(), weight.max().item()
    seen = Seen(
        pos_label,
        labels=frozenset(present),
        n_samples=size,
        weighted=sample_weight is not None,
        mass=0.0 if weight is None else float(weight.sum()),
        weights=extremes,
        groups=_dtypes_of(group),
        merged=merged,
        scores=distinct_pair(rankings.scores),
    )
    check_together(seen)
    if group is None:
        return rankings, seen
    found, group = samples.distinct_in(rankings.group)
    return replace(rankings, group=group, names=found if values is None else values[found]), seen


def read_ranking(inputs: Inputs) -> tuple[Rankings, Seen]:
    """Check a binary target that is in memory, which is a single chunk that is not empty."""
    ranking, seen = read_chunk(
        inputs.y_true,
        inputs.y_score,
        pos_label=targets.positive_class(inputs.pos_label, inputs.min_grade),
        sample_weight=inputs.sample_weight,
        groups=inputs.groups,
    )
    check_counted(seen)
    return ranking, seen


@about("y_true")
def check_together(seen: Seen) -> None:
    """Check that chunks are one binary target with comparable prediction scores."""
    if seen.weighted:
        samples.check_mass(seen.mass)
    if len(seen.groups) > 1:
        with about("groups"):
            raise ValueError(
                f"groups mixes types that cannot be compared: {sorted(seen.groups)}. Convert all "
                "chunks to one type."
            )
    if seen.labels == {0, 1} and seen.pos_label == 1:
        return  # which is faster than what follows
    labels = seen.sorted_labels
    if labels and isinstance(labels[-1], str) and not isinstance(labels[0], str):
        raise ValueError(f"Mix of label input types (string and number) in y_true: {labels}.")
    if len(labels) > 2:
        raise ValueError(
            f"y_true contains more than two labels, {labels[:5]}, but it must be binary here. "
            "Evaluate one class at a time, as y_true == label with its column of y_score. For "
            "grades, pass min_grade, the lowest one that counts as positive."
        )
    targets.name_positives(labels, seen.pos_label)


def check_seen(
    seen: Seen, found: float, rule: Rule, n_positives: Any, by_group: bool = False
) -> Array | None:
    """Check that a rule can evaluate what was seen. Return n_positives as an array, or None."""
    if seen.n_samples or n_positives is None:
        check_counted(seen)
    else:
        warn_that("no_rows", "no rows")
    if seen.merged:
        warn_that("equal_decimals", "decimals")
    targets.warn_of_only_label(seen.sorted_labels, seen.pos_label)
    if seen.weighted:
        check_weighted(rule)
    if n_positives is None or by_group:
        return None
    exist = samples.read_one_count(n_positives, None, seen.weighted)
    return samples.check_found(exist, np.array([found]), seen.weighted)


def check_evaluated(
    seen: Seen, found: float, rule: Rule, n_positives: Any, by_group: bool = False
) -> Array | None:
    """Check what `check_seen` does before a value is computed, and warn of predicted labels."""
    exist = check_seen(seen, found, rule, n_positives, by_group)
    if seen.n_samples >= _FEW:
        _warn_if_predicted(seen.scores, seen.labels)
    return exist


def check_counted(seen: Seen) -> None:
    if not seen.n_samples:
        with about("y_true"):
            raise ValueError(NO_SAMPLES)
    if not seen.weights:
        with about("sample_weight"):
            raise ValueError(NO_WEIGHT)


def check_bounded(rule: Rule, weighted: bool) -> None:
    """Check that a rule has bounds if prediction scores share bins."""
    if not rule.has_bounds:
        raise ValueError(f"{written(rule)} has no bounds if prediction scores share bins.")
    if weighted and rule.depth is not None and rule.depth.by_rows:
        raise ValueError(
            "k_counts='samples' has no bounds if prediction scores share bins and samples have "
            "weights."
        )


def _dtypes_of(groups: Array | None) -> frozenset[str]:
    """Return the dtype of times, which are compared only with their own, or a word for others."""
    if groups is None or not groups.size:
        return frozenset()
    are_times = groups.dtype.kind in "mM"
    return frozenset([str(groups.dtype.newbyteorder("=")) if are_times else _OTHERS])


# --- sampling units: rows, groups or clusters ----------------------------------------------------


class Sample(NamedTuple):
    """Checked input, with its sampling units."""

    rankings: Rankings
    clusters: Clusters | None = None
    names: Names = ()  # the names of the units
    kind: str = "rows"  # the kind of the units: "rows", "groups" or "clusters"
    group_words: str = "groups"  # such as "groups (query)"
    cluster_words: str = "clusters"
    model: Any = None  # the name of the model, if it has one

    @property
    def by_query(self) -> bool:
        """Whether each sampling unit is ranked separately."""
        return self.clusters is None and has_queries(self.rankings)

    def of_class(self, place: int) -> Self:
        """Return the ranking of a single column."""
        return self._replace(rankings=replace(self.rankings.columns(place), average="binary"))


def stacked(one: Sample, other: Sample, ranks: Sequence[Array]) -> Sample | None:
    """Rank the samples of two models together, by their ranks within each model.

    The units of the first model come first. Return None if the models have different groups.
    """
    a, b = one.rankings, other.rankings
    by_group = a.group is not None and b.group is not None
    if (a.n_positives is None) != (b.n_positives is None):
        return None
    if by_group and list(a.names or ()) != list(b.names or ()):
        return None
    weights = [np.ones(len(each.labels)) if each.weight is None else each.weight for each in (a, b)]
    rankings = replace(
        a,
        labels=np.concatenate([a.labels, b.labels]),
        scores=np.concatenate(ranks),
        weight=None if a.weight is None and b.weight is None else np.concatenate(weights),
        n_positives=None if a.n_positives is None else a.n_positives + b.n_positives,
        group=np.concatenate([a.group, b.group]) if by_group else None,
    )
    clusters = None
    if one.clusters is not None and other.clusters is not None:
        clusters = one.clusters.beside(other.clusters)
    return one._replace(rankings=rankings, clusters=clusters, names=())


def has_queries(rankings: Rankings) -> bool:
    """Whether each group or row is ranked separately."""
    return rankings.group is not None or rankings.average == "samples"


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


def check_same_names(one: Names, other: Names, kind: str, models: tuple[Any, Any]) -> None:
    """Check that two models have the same units or groups."""
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
    raise ValueError(
        f"The {thing} {text_of(only[0], repr)} is only in the model {where!r}, but all models need "
        f"every {thing}. If the model {lacking!r} has no rows there, add the {thing} to its "
        f"n_positives{', with 0 if it has no positives' if kind == 'clusters' else ''}."
    )


def read_sample(rule: Rule, inputs: Inputs) -> Sample:
    """Check the input, and return it with its sampling units."""
    groups, clusters, weight = inputs.groups, inputs.clusters, inputs.sample_weight
    n_positives, pairs = split_n_positives(inputs.n_positives, groups, clusters)
    rankings = read_rankings(inputs._replace(n_positives=n_positives), rule)
    of_groups = samples.name_units(groups, "groups", inputs.column_names)
    model = column_name(inputs.column_names.get("y_score")) or name_of(inputs.y_score)
    if clusters is not None:
        words = samples.name_units(clusters, "clusters", inputs.column_names)
        drawn, names = read_clusters(clusters, rankings, weight, pairs)
        return Sample(rankings, drawn, names, "clusters", of_groups, words, model)
    if groups is not None:
        return Sample(rankings, None, rankings.names or (), "groups", of_groups, model=model)
    rows: Names = range(len(rankings.labels))
    if weight is not None:
        rows = np.flatnonzero(find_existing(weight, rankings))
    return Sample(rankings, None, rows, "rows", model=model)


# From a group and a cluster to the number of positives that exist there.
Pairs = dict[tuple[Any, Any], float]


def split_n_positives(n_positives: Any, groups: Any, clusters: Any) -> tuple[Any, Pairs | None]:
    """Split n_positives into totals, or counts of groups, and counts of clusters if it has them.

    Without groups, the keys are clusters. With groups, they are groups, or pairs of a group and a
    cluster. Where either of these is a tuple, keys can also be flat, as in (day, country, cluster).
    """
    if clusters is None or not is_mapping(n_positives):
        return n_positives, None
    counts = dict(n_positives.items())
    samples.read_counts(list(counts.values()), list(counts), weighted=True)
    if groups is None:
        pairs: Pairs = {(None, cluster): number for cluster, number in counts.items()}
        return sum(counts.values()), pairs
    of_group, of_cluster = _size_of_names(groups, "groups"), _size_of_names(clusters, "clusters")
    counts = {_paired(key, of_group, of_cluster): number for key, number in counts.items()}
    are_pairs = all(isinstance(key, tuple) and len(key) == 2 for key in counts)
    if not are_pairs or (of_group and not all(isinstance(group, tuple) for group, _ in counts)):
        return n_positives, None
    totals: dict[Any, float] = {}
    for (group, _), number in counts.items():
        totals[group] = totals.get(group, 0) + number
    return totals, counts


def _size_of_names(column: Any, role: str) -> int:
    """Return how many parts the names of groups or clusters have; 0 if they aren't tuples."""
    names = samples.read_groups(to_host(column), role)
    return len(names[0]) if names.size and isinstance(names[0], tuple) else 0


def _paired(key: Any, of_group: int, of_cluster: int) -> Any:
    """Split a flat key into a group and a cluster with so many parts; 0 if they aren't tuples."""
    parts = max(of_group, 1), max(of_cluster, 1)
    is_flat = isinstance(key, tuple) and len(key) == sum(parts) and not isinstance(key[0], tuple)
    if not is_flat or not (of_group or of_cluster):
        return key
    group, cluster = key[: parts[0]], key[parts[0] :]
    return group if of_group else group[0], cluster if of_cluster else cluster[0]


@about("clusters")
def read_clusters(
    clusters: Any, rankings: Rankings, sample_weight: Any, pairs: Pairs | None
) -> tuple[Clusters, Names]:
    """Return the clusters of samples and of missed positives, and their sorted names."""
    if rankings.average == "samples":
        raise ValueError(
            "With average='samples', the rows are the sampling units, so clusters are not "
            "available."
        )
    exists = find_existing(sample_weight, rankings)
    column = samples.read_group_column(clusters, exists.size, "clusters")
    names, of = samples.name_groups(column[exists], "clusters")
    if pairs is None:
        return Clusters(of, len(names)), names
    keys = samples.in_types_of(names, [cluster for _, cluster in pairs])
    every = samples.read_groups([*names, *keys], "clusters")
    names, number = samples.name_groups(every, "clusters")
    present, keyed = np.split(number, [len(number) - len(keys)])
    of = present[of]
    return Clusters(of, len(names), _read_absent(pairs, keyed, of, rankings, names)), names


def _read_absent(
    pairs: Pairs, cluster: Array, of: Array, rankings: Rankings, names: Names
) -> Absent:
    named = list(pairs) if rankings.group is not None else [cluster for _, cluster in pairs]
    groups = ["all samples"] if rankings.group is None else list(rankings.names or [])
    place = {name: number for number, name in enumerate(groups)}
    keys = samples.in_types_of(groups, [group for group, _ in pairs])
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
    samples.check_found(exist, found[at], weighted, named)
    return Absent(query, cluster, np.maximum(exist - found[at], 0.0))


def warn_of_dead(sample: Sample, cut: Cut | None) -> None:
    """Warn once about a model that hardly ranks anything, which is probably a mistake."""
    rankings, scores, subject = sample.rankings, sample.rankings.scores.ravel(), ""
    n_rankings = 1 if rankings.names is None else len(rankings.names)
    some = set(scores[:10].tolist())  # which is enough for usual models
    distinct = np.unique(scores) if len(some) < 3 else scores[:3]
    if scores.size == 0:
        name = "model_without_rows"
    elif scores.size < _FEW:
        return
    elif rankings.labels.all():
        name, subject = "only_positives", "labels"  # which other models probably share
    elif distinct.size == 1 and scores.size > n_rankings:
        name = "one_score"
    elif distinct.size == 2 and scores.size > 2 * n_rankings:
        name = "two_scores"
    elif cut is not None and _are_tied_at(cut, rankings):
        name = "tied_at_k"
    else:
        return
    called = "" if sample.model in (None, "") else f" {sample.model!r}"
    warn_that(name, subject, called=called, scores=distinct, k=cut)


def warn_of_predicted(rankings: Rankings, inputs: Inputs) -> None:
    """Warn if the prediction scores have only the values of the labels, as those of `predict`."""
    scores = rankings.scores
    if scores.size < _FEW or inputs.min_grade is not None:
        return
    pair = distinct_pair(scores)
    if pair is not None and len(pair) == 2:
        of_one = scores.ndim == 1
        labels = np.asarray(numbers(inputs.y_true)) if of_one else rankings.labels
        _warn_if_predicted(pair, frozenset(np.unique(labels).tolist()))


def _warn_if_predicted(pair: frozenset[Any] | None, labels: frozenset[Any]) -> None:
    if pair is not None and len(pair) == 2 and pair == labels:
        warn_that("two_scores", PREDICTED, called="", scores=sorted(pair))


def distinct_pair(scores: Array) -> frozenset[Any] | None:
    """Return the distinct scores if there are at most two, and None otherwise, which the first few
    scores of usual models tell.
    """
    if not scores.size or len(set(scores[:10].ravel().tolist())) > 2:
        return None if scores.size else frozenset()
    ends = np.stack([scores.min(), scores.max()])
    are_two = ((scores == ends[0]) | (scores == ends[1])).all()
    return frozenset(ends.tolist()) if are_two else None


def _up_to_two(one: frozenset[Any] | None, other: frozenset[Any] | None) -> frozenset[Any] | None:
    both = None if one is None or other is None else one | other
    return None if both is None or len(both) > 2 else both


def _are_tied_at(cut: Cut, rankings: Rankings) -> bool:
    """Whether k cuts off less than half of the first tied samples, wherever it cuts anything."""
    scores, size = rankings.scores, np.array([rankings.scores.size])
    n_first = np.count_nonzero(scores == scores.max())
    if rankings.weight is not None or n_first <= 2 * cut.of(size).item():
        return False
    every = replace(rankings, labels=np.ones_like(rankings.labels), n_positives=None).points(cut)
    k = cut.of(every.n_samples)
    cuts = np.flatnonzero(every.n_samples > k)
    return bool((every.total[every.offsets[cuts]] > 2 * k[cuts]).all())


def find_existing(sample_weight: Any, rankings: Rankings) -> Array:
    """Whether each sample counts, which those of weight 0 don't."""
    if sample_weight is None:
        return np.ones(len(rankings.labels), dtype=bool)
    return np.asarray(np.asarray(to_host(sample_weight)).ravel() != 0)
