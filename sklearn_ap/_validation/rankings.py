"""Whole input, checked: labels with their scores, weights and groups."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d

from .._arrays import to_host
from ..core.averaging import Rankings
from .labels import check_classes, check_known, check_labels, default_pos_label, kind_of, refuse
from .parameters import check_group_average, check_ties
from .samples import (
    check_groups,
    check_n_positives,
    check_score_columns,
    check_scores,
    check_weight,
    name_groups,
    whole_if_possible,
)


def check_rankings(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
    classes: Any = None,
    n_positives: float | None = None,
    ties: str = "grouped",
) -> Rankings:
    """A binary, multilabel-indicator or multiclass target with its scores."""
    y_true, y_score = to_host(y_true), to_host(y_score)
    if classes is not None:
        classes = check_classes(classes)
        if classes.size == 2 and np.ndim(y_score) == 1:
            check_known(column_or_1d(y_true), classes)
            classes = None  # two classes and one column of scores: binary after all
    labels, names = check_labels(y_true, pos_label, classes, y_score)
    if labels.ndim == 1:
        average, scores = "binary", check_scores(y_score)
    else:
        scores = check_score_columns(y_score, labels, names)
    if average == "micro":
        names = ["all cells"]
    elif average == "samples":
        names = range(len(labels))
    if n_positives is not None:
        n_positives = whole_if_possible(n_positives)
    rankings = Rankings(labels, scores, None, average, n_positives, names=names)
    return _with_weight(rankings, sample_weight, ties)


def check_grouped_rankings(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any,
    average: str | None,
    pos_label: Any,
    sample_weight: Any,
    ties: str,
) -> Rankings:
    """A binary target whose samples belong to groups."""
    check_group_average(average)
    y_score = to_host(y_score)
    labels, _ = check_labels(to_host(y_true), pos_label, None, y_score)
    if labels.ndim == 2:
        raise ValueError(
            "Only binary y_true goes with groups; multilabel-indicator and multiclass formats are "
            "not supported. For one query a row use average_precision_score(average='samples')."
        )
    scores = check_scores(y_score)
    group = check_groups(to_host(groups))
    if len(group) != len(labels):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: y_true has "
            f"{len(labels)} and groups {len(group)}."
        )
    rankings = Rankings(labels, scores, None, average, group=group)
    rankings = _with_weight(rankings, sample_weight, ties)
    names, group = name_groups(np.asarray(rankings.group))
    return replace(rankings, group=group, names=names)


def check_curve(y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any) -> Rankings:
    """A target with one positive class, as for `precision_recall_curve`."""
    y_true, y_score = to_host(y_true), to_host(y_score)
    kind = kind_of(y_true)
    if kind not in ("binary", "multiclass") or (kind == "multiclass" and pos_label is None):
        refuse(kind, y_score)
    y_true = column_or_1d(y_true)
    if pos_label is None:
        pos_label = default_pos_label(y_true)
    labels = np.asarray(y_true == pos_label, dtype=bool)
    rankings = Rankings(labels, check_scores(y_score), None, "binary")
    return _with_weight(rankings, sample_weight)


def _with_weight(rankings: Rankings, sample_weight: Any, ties: str = "grouped") -> Rankings:
    """The same with checked weights, less the samples of weight 0, which do not exist."""
    labels, scores = rankings.labels, rankings.scores
    if sample_weight is None:
        if len(labels) != len(scores):
            check_consistent_length(labels, scores)
    else:
        weight = check_weight(sample_weight, labels, scores)
        check_ties(ties, weighted=rankings.average != "samples")
        rankings = replace(rankings, weight=weight)
        if not weight.all():
            rankings = rankings.take(np.flatnonzero(weight))
    if rankings.n_positives is not None:
        check_n_positives(rankings, rankings.n_positives)
    return rankings
