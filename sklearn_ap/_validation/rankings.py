"""Validation of labels with their prediction scores, weights and groups."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from .._inputs import Inputs
from .._intake import Codes, Decimals, codes, decimals, numbers, to_host
from ..core.rankings import Rankings
from ..core.rules import Rule
from ..core.segments import Array
from . import samples
from .labels import (
    check_no_classes,
    check_one_ranking,
    check_two_classes,
    no_labels,
    positive_class,
    read_chunk_labels,
    read_classes,
    read_labels,
)
from .parameters import check_group_average, check_unmasked, check_weighted
from .seen import Seen, check_counted, check_together, ends, time_dtype


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
        pos_label = positive_class(pos_label, inputs.min_grade)
    if classes is not None:
        classes = _columns_of(classes, y_true, y_score, pos_label)
    is_empty = n_positives is not None and np.shape(y_true)[:1] == (0,)
    if is_empty:
        labels, names = no_labels(y_true, pos_label, classes)
    else:
        labels, names = read_labels(y_true, pos_label, classes, y_score)
    if groups is not None:
        check_group_average(average)
        check_one_ranking(labels)
    if labels.ndim == 1:
        average = average if groups is not None else "binary"
        # Definitions only rank scores, so integers can replace decimals. Callers without a rule may
        # look at the scores themselves.
        found = None if rule is None or type(y_score) is np.ndarray else decimals(y_score)
        scores = found.ranks() if found else samples.read_scores(y_score, y_true, pos_label)
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
    if n_positives is not None:
        columns = getattr(y_true, "columns", inputs.column_names.get("y_true"))
        is_weighted = inputs.sample_weight is not None
        exist = samples.read_n_positives(n_positives, rankings, is_weighted, columns)
        rankings = replace(rankings, n_positives=exist)
    return _with_weight(rankings, inputs.sample_weight, rule)


def _columns_of(classes: Any, y_true: Any, y_score: Any, pos_label: Any) -> Array | None:
    """Return the classes of the columns of y_score; None if it is one column for two classes."""
    check_no_classes(pos_label)
    labels = read_classes(classes)
    if labels.size > 2 or np.ndim(y_score) != 1:
        return labels
    check_two_classes(y_true, labels)
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
    if n_positives is None:
        return replace(rankings, group=group, names=names)
    names, number, exist = samples.name_all_groups(names, n_positives, rankings.weight is not None)
    return replace(rankings, group=number[group], names=names, n_positives=exist)


def _with_weight(rankings: Rankings, sample_weight: Any, rule: Rule | None) -> Rankings:
    """Add checked weights, and remove samples of weight 0."""
    labels, scores = rankings.labels, rankings.scores
    if sample_weight is None:
        if len(labels) != len(scores):
            samples.check_lengths(y_true=labels, y_score=scores)
    else:
        weight = samples.read_weight(sample_weight, labels, scores, may_vanish=not len(labels))
        if rule is not None and rankings.average != "samples":
            check_weighted(rule)
        rankings = replace(rankings, weight=weight)
        if not weight.all():
            rankings = rankings.take(np.flatnonzero(weight))
    return rankings


# --- chunks ---------------------------------------------------------------------------------------


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
    y_score, scale = y_score if isinstance(y_score, Decimals) else (y_score, None)
    given = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight, "groups": groups}
    for name, column in given.items():
        if column is not None and type(column) is not np.ndarray:
            check_unmasked(name, column)
    y_true, y_score = numbers(y_true), to_host(y_score)
    if not np.ndim(y_score):
        column_or_1d(y_score)  # which raises scikit-learn's error about its shape
    size = _size_of(y_true, y_score, sample_weight)
    if size:
        labels, present = read_chunk_labels(y_true, pos_label, y_score)
        scores = samples.read_scores(y_score, y_true, pos_label) if scale is None else y_score
    else:
        labels, scores, present = np.zeros(0, dtype=bool), np.zeros(0), set()
    group = None if groups is None else samples.read_group_column(groups, size)
    seen = Seen(
        labels=frozenset(present),
        n_samples=size,
        n_counted=size,
        weighted=sample_weight is not None,
        scores=ends(scores) if size else (),
        scale=scale,
        groups=frozenset() if group is None or not size else frozenset([time_dtype(group)]),
    )
    check_together(seen, pos_label)
    weight = None
    if sample_weight is not None and size:
        weight = samples.read_weight(sample_weight, labels, scores, may_vanish=True)
        seen = seen.weighing(weight)
    rankings = Rankings(labels, scores, weight, "binary", group=group)
    if weight is not None and seen.n_counted < size:
        rankings = rankings.take(np.flatnonzero(weight))
    if group is None:
        return rankings, seen
    found, group = samples.distinct_in(rankings.group)
    return replace(rankings, group=group, names=found if values is None else values[found]), seen


def _size_of(y_true: Any, y_score: Any, sample_weight: Any) -> int:
    """Return the number of samples, after checking that all columns have as many."""
    are_arrays = type(y_true) is type(y_score) is np.ndarray and sample_weight is None
    if not (are_arrays and y_true.ndim and len(y_true) == len(y_score)):
        samples.check_lengths(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    return len(y_true)


def read_ranking(inputs: Inputs) -> tuple[Rankings, Seen]:
    """Check a binary target that is in memory, which is a single chunk that is not empty."""
    ranking, seen = read_chunk(
        inputs.y_true,
        decimals(inputs.y_score) or inputs.y_score,
        pos_label=positive_class(inputs.pos_label, inputs.min_grade),
        sample_weight=inputs.sample_weight,
        groups=inputs.groups,
    )
    check_counted(seen)
    return ranking, seen
