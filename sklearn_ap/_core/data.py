"""What a caller says about the data, read and checked once: `read` returns `Rankings`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, Literal

import numpy as np

from .checks import check, is_number
from .columns import (
    check_lengths,
    choose_samples,
    encode_groups,
    find_missing,
    read_column,
    read_labels,
    read_scores,
    sort_distinct,
)
from .labels import check_what_is_positive, find_positive
from .points import Array, PerRanking, PerSample


@dataclass(frozen=True, kw_only=True)
class Averaging:
    """How the values of rankings are averaged, and what the rankings are called in messages."""

    average: str | None = "binary"
    ranking_weight: PerRanking | None = None
    names: list[Any] | None = None  # names of groups or classes
    # Of "groups", such as queries, and of the "rows" of a matrix, there are others.
    kind: Literal["rankings", "groups", "rows", "classes"] = "rankings"


@dataclass(frozen=True)
class Missed:
    """Unscored positives: rows without a score."""

    rows: Array
    codes: Array  # the code of the ranking of each


@dataclass(frozen=True)
class Rankings(Averaging):
    """Samples of one or more rankings, end to end."""

    labels: PerSample  # whether samples are positive, or grades; in a matrix, each row is a ranking
    scores: PerSample
    weight: PerSample | None = None  # above 0; None if all are 1
    group_codes: PerSample | None = None  # the ranking of each sample; None for a single one
    n_rankings: int = 1
    n_positives: PerRanking | None = None  # how many exist in each ranking, if the caller says so
    judged: tuple[Array, Array] | None = None  # the group and grade of all judged documents
    scored_rows: Any = ...  # the rows of the samples, which are all if none lacks a score
    missed: Missed | None = None  # if the caller says that missed positives are rows

    @property
    def code_of_samples(self) -> PerSample:
        """The code of the ranking of each sample, 0 for a single one."""
        if self.group_codes is None:
            return np.broadcast_to(0, self.scores.size)
        return self.group_codes

    def count_positives(self) -> PerRanking:
        """Count the positives of each ranking, or the documents that have a grade above 0."""
        if self.n_positives is not None:
            return self.n_positives
        positive, codes = self.labels > 0, self.group_codes
        if codes is not None:  # An index is faster than a mask.
            return np.bincount(codes[np.flatnonzero(positive)], minlength=self.n_rankings)
        return np.asarray(np.count_nonzero(positive, axis=-1, keepdims=positive.ndim == 1))


def read(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    classes: Any = None,
    n_positives: Any = None,
    groups: Any = None,
    min_grade: Any = None,
    data: Any = None,
    keep_grades: bool = False,
) -> Rankings:
    """Read and check labels and scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators, multiclass labels or grades.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    average : {'macro', 'micro', 'weighted', 'samples'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples of weight 0 do not exist.
    zero_division : {'warn'} or float, default='warn'
        The value of a ranking without positives; nan leaves it out of the mean.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked apart.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.
    """
    check(average=average, zero_division=zero_division, min_grade=min_grade)
    may_lack_scores = are_rows(n_positives)
    check_what_is_positive(pos_label, min_grade, keep_grades, may_lack_scores)
    columns = {"y_true": y_true, "y_score": y_score, "groups": groups}
    columns["sample_weight"] = sample_weight
    columns, every_label = choose_samples(columns, data, keep_grades, may_lack_scores)

    # Read each column once.
    y_score, weight, is_scored = columns["y_score"], columns["sample_weight"], None
    if may_lack_scores:
        n_positives, y_score = None, read_column(y_score, "y_score")
        is_scored = ~find_missing(y_score)
        y_score = np.where(is_scored, y_score, 0)
    scores = read_scores(y_score)
    labels, label = read_labels(columns["y_true"], pos_label if scores.ndim == 1 else None)
    codes, names = None, None
    if columns["groups"] is not None:
        codes, names = encode_groups(columns["groups"])
    check_lengths(y_true=labels, y_score=scores, sample_weight=weight, groups=codes)
    if not labels.size and n_positives is None:
        raise ValueError("Found array with 0 sample(s) in y_true while a minimum of 1 is required.")
    if codes is not None and 2 in (labels.ndim, scores.ndim):
        raise ValueError("groups= needs one column of labels and one of scores.")

    # Find the positives, and split the samples into rankings.
    label = pos_label if scores.ndim == 2 else label
    positive, class_names = find_positive(
        labels, scores, label, min_grade, keep_grades, classes, every_label
    )
    is_one = codes is None and scores.ndim == 1
    rankings = Rankings(
        labels=positive,
        scores=scores,
        weight=None if weight is None or (weight == 1).all() else weight,
        group_codes=codes,
        names=class_names if codes is None else names,
        average="binary" if is_one else average,
    )
    if codes is not None:
        rankings = _split_groups(rankings, n_positives, min_grade, keep_grades)
    elif not is_one:
        rankings = _split_matrix(rankings, n_positives, keep_grades)
    elif n_positives is not None:
        rankings = replace(rankings, n_positives=_read_existing(n_positives, 1, keep_grades))
    return rankings if is_scored is None else _set_missed_apart(rankings, is_scored)


# The parameters that describe the data, with their defaults. The signature of `read` is their list.
DATA_PARAMETERS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in signature(read).parameters.items()
    if name not in ("y_true", "y_score", "keep_grades")
}


class _NotSaid:
    """The default of a parameter that is then as the metric says, or else as usual."""

    def __repr__(self) -> str:
        return "<as the metric says>"


NOT_SAID: Any = _NotSaid()


# --- rankings -------------------------------------------------------------------------------------


def are_rows(n_positives: Any) -> bool:
    """Whether the caller says that the positives that exist are rows, those missed without a
    score.
    """
    return isinstance(n_positives, str) and n_positives == "rows"


def _set_missed_apart(rankings: Rankings, is_scored: PerSample) -> Rankings:
    """Return the samples that have a score, and the positives among the others as missed."""
    if rankings.weight is not None:
        raise ValueError(
            "n_positives='rows' is not available with sample_weight. Leave out rows without a "
            "score, and pass the weight of all positives, scored or not, as n_positives."
        )
    missed, codes = np.flatnonzero(rankings.labels & ~is_scored), rankings.code_of_samples
    has_groups = rankings.group_codes is not None
    return replace(
        rankings,
        labels=rankings.labels[is_scored],
        scores=rankings.scores[is_scored],
        group_codes=codes[is_scored] if has_groups else None,
        n_positives=np.bincount(codes, rankings.labels, rankings.n_rankings).astype(np.int64),
        scored_rows=np.flatnonzero(is_scored),
        missed=Missed(missed, codes[missed]),
    )


def _read_existing(n_positives: Any, n_rankings: int, keep_grades: bool) -> PerRanking:
    """Return how many positives exist in each ranking, if the rankings aren't groups."""
    is_array = np.iterable(n_positives) and not isinstance(n_positives, str | Mapping)
    n_existing = read_column(n_positives if is_array else [n_positives], "n_positives")
    if n_existing.size != n_rankings or n_existing.dtype == object or keep_grades:
        what = "one number" if n_rankings == 1 else f"{n_rankings} numbers, one for each column"
        raise ValueError(f"n_positives must be {what}, unless you pass groups=.")
    return n_existing


def _split_groups(
    rankings: Rankings, n_positives: Any, min_grade: float | None, keep_grades: bool
) -> Rankings:
    """Return a ranking for each group."""
    codes, names = rankings.code_of_samples, rankings.names
    assert names is not None
    if rankings.average not in ("macro", "weighted", None):
        raise ValueError(f"average={rankings.average!r} is not available with groups=.")
    n_existing, judged = None, None
    if n_positives is not None:
        counts = read_counts(names, n_positives)
        if len(counts) > len(names):  # Nothing was retrieved for some groups.
            every_name = sort_distinct([*names, *counts], "groups")
            code_of = {name: code for code, name in enumerate(every_name)}
            codes = np.array([code_of[name] for name in names], dtype=np.int64)[codes]
            names = every_name
        existing = [counts[name] for name in names]
        if keep_grades or any(issubclass(kind, Mapping) for kind in {*map(type, existing)}):
            least = 1 if min_grade is None else min_grade  # A number is that of this grade.
            by_grade = [each if isinstance(each, Mapping) else {least: each} for each in existing]
            existing = [sum(n for grade, n in each.items() if grade >= least) for each in by_grade]
        n_existing = np.array(existing)
        if keep_grades:
            # List the group and the grade of each judged document.
            rows = [
                (code, *each) for code, counts in enumerate(by_grade) for each in counts.items()
            ]
            group, grade, number = np.array(rows, dtype=float).reshape(-1, 3).T
            if (number % 1 != 0).any() or (number > 2**62).any():
                raise ValueError(
                    f"n_positives must be whole numbers of documents. Got {number.tolist()}."
                )
            group, grade = np.repeat((group, grade), number.astype(np.int64), axis=1)
            judged = group.astype(np.int64), grade
            n_existing = np.bincount(judged[0], grade > 0, len(names)).astype(np.int64)
    return replace(
        rankings,
        group_codes=codes,
        names=names,
        n_rankings=len(names),
        n_positives=n_existing,
        judged=judged,
        kind="groups",
    )


def _split_matrix(rankings: Rankings, n_positives: Any, keep_grades: bool) -> Rankings:
    """Return the columns of a matrix as rankings, its rows, or all entries as a single one."""
    labels, scores, weight = rankings.labels, rankings.scores, rankings.weight
    average, (n_rows, n_columns) = rankings.average, scores.shape
    if keep_grades:  # Each row is a query.
        if average not in ("macro", "samples"):
            raise ValueError(f"average={average!r} is not available for grades in a matrix.")
        average = "samples"
    if n_positives is not None and average in ("micro", "samples"):
        raise ValueError(f"n_positives is not available with average={average!r}.")
    if average == "micro":
        weight = None if weight is None else np.repeat(weight, n_columns)
        return Rankings(labels.ravel(), scores.ravel(), weight)
    if average == "samples":
        return Rankings(
            labels, scores, n_rankings=n_rows, average=average, ranking_weight=weight, kind="rows"
        )
    n_existing = None
    if n_positives is not None:
        n_existing = _read_existing(n_positives, n_columns, keep_grades)
    return replace(
        rankings,
        labels=labels.T,
        scores=scores.T,
        n_rankings=n_columns,
        n_positives=n_existing,
        kind="classes",
    )


def flatten(rankings: Rankings) -> Rankings:
    """Hold the rows of a matrix of rankings end to end, as groups."""
    if rankings.scores.ndim == 1:
        return rankings
    n, size = rankings.scores.shape
    weight = None if rankings.weight is None else np.tile(rankings.weight, n)
    return replace(
        rankings,
        labels=rankings.labels.ravel(),
        scores=rankings.scores.ravel(),
        weight=weight,
        group_codes=np.repeat(np.arange(n), size),
    )


# --- how many positives each group has ------------------------------------------------------------


def read_counts(names: list[Any], n_positives: Any) -> Mapping[Any, Any]:
    """Return how many positives each group has, as a mapping."""
    if hasattr(n_positives, "to_dict"):  # a pandas Series
        counts = n_positives.to_dict()
        if len(counts) != len(n_positives):
            raise ValueError("n_positives has several numbers for the same group.")
        n_positives = counts
    if not isinstance(n_positives, Mapping):
        raise ValueError(
            "With groups=, n_positives must be a mapping from groups to numbers, or 'rows' if "
            "unscored positives are rows without a score."
        )
    for name in names:
        if name not in n_positives:
            raise ValueError(
                f"n_positives has no number for the group {name!r}. Pass 0 if it has no positives."
            )
    kinds = {*map(type, n_positives.values())}
    if kinds <= {int, float} and np.min([*n_positives.values()], initial=0) >= 0:
        return n_positives  # There may be a million of them.
    for name, count in n_positives.items():
        by_grade = count if isinstance(count, Mapping) else {1: count}
        if not all(is_number(grade) and is_number(n) and n >= 0 for grade, n in by_grade.items()):
            raise ValueError(
                f"n_positives must be numbers of at least 0, or map grades to such numbers. Got "
                f"{count!r} for the group {name!r}."
            )
    return n_positives
