"""Validation of labels with scores, weights and groups."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

import numpy as np

from .._arrays.conversion import as_matrix, as_numbers
from .._arrays.host import to_host
from .._inputs.metric_names import write_rule
from .._inputs.records import Inputs, PositiveClass
from .._package import read_toml
from .._words.messages import (
    PREDICTED,
    describe_equal_scores,
    describe_two_scores,
    make_no_samples_error,
    warn,
    warn_of_equal_decimals,
    warn_of_own_groups,
)
from .._words.parameters import (
    check_group_average,
    check_weighted,
    format_name,
    format_value,
)
from .._words.refusals import attribute_errors
from ..core.cutoff import Cut
from ..core.numbering import Name
from ..core.ragged import Array
from ..core.rankings import Judged, Rankings
from ..core.rules import NDCG, Graded, GroupFunction, Rule
from .checks_in_turn import column_or_1d
from .class_columns import match_columns, sort_by_class
from .columns import (
    check_enough_exist,
    check_lengths,
    convert_grades,
    is_missing,
    read_column,
    read_n_positives,
    read_score_columns,
    read_scores,
    read_weight,
)
from .group_names import name_all_groups, read_names
from .labels import (
    check_one_ranking,
    make_empty_labels,
    read_labels,
    read_one_target,
    read_original_labels,
)

_MAX_EXPONENTIAL_GRADE = 1000  # grade of which 2**grade and sums of it are finite
FEW_ROWS = 10  # rows, of which little is said, because the smallest data can look like anything
_MIN_ROWS_TO_WARN = 30  # rows: tests of other tools have fewer, with scores of 0 and 1
_ENCODED_LABELS = ({0, 1}, {-1, 1})  # what labels become, and what detectors of outliers predict


def read_rankings(inputs: Inputs, rule: Rule | None = None, is_binary: bool = False) -> Rankings:
    """Check a binary, multilabel-indicator or multiclass target with its prediction scores.

    With groups, the target must be binary, and each group is a ranking. The columns of `inputs`
    are in memory. A `rule` that reads grades, or is a function of groups, gets the grades or the
    labels as they are. With `is_binary`, the target must be binary without groups, too.
    """
    if isinstance(rule, GroupFunction):
        return _read_for_function(rule, inputs)
    if isinstance(rule, Graded):
        return _read_graded(rule, inputs)
    y_true, y_score, classes, score_names = match_columns(inputs)
    average: str | None = inputs.average
    groups, n_positives, positive = inputs.groups, inputs.n_positives, inputs.positive
    names: Sequence[Name] | None

    if is_binary:
        _check_shapes(y_true, y_score, inputs.sample_weight)
        labels, name = read_one_target(y_true, positive, y_score)
        names = [name]
    elif n_positives is not None and np.shape(y_true)[:1] == (0,):  # no positive was found
        labels, names = make_empty_labels(y_true, positive, classes)
    else:
        if classes is not None:
            score_names = None  # `classes` says which class each column is
        labels, names = read_labels(y_true, positive, classes, y_score, score_names)
    if groups is not None:
        check_group_average(average)
        check_one_ranking(labels)
    elif labels.ndim == 1:
        average = "binary"
    if labels.ndim == 1:
        scores = _read_score_column(y_score, positive, score_names)
    elif not len(labels) and np.shape(y_score) == labels.shape:
        scores = np.zeros(labels.shape)
    else:
        scores = read_score_columns(y_score, labels, names)

    if average == "micro":
        names = ["all cells"]
    elif average == "samples":
        names = range(len(labels))
    rankings = Rankings(labels, scores, None, average, names=names)
    if groups is not None:
        return fit_weights(rule, _with_groups(rankings, inputs, rule))
    if score_names is not None and names is not None and rankings.is_columnwise:
        rankings = sort_by_class(rankings, names, n_positives, score_names)
    if n_positives is not None:
        label_names = getattr(y_true, "columns", inputs.column_names.get("y_true"))
        is_weighted = inputs.sample_weight is not None
        counts = read_n_positives(n_positives, rankings, is_weighted, label_names)
        rankings = replace(rankings, n_positives=counts)
    rankings = check_enough_exist(add_weight(rankings, inputs.sample_weight, rule))
    return fit_weights(rule, rankings)


def fit_weights(rule: Rule | None, rankings: Rankings) -> Rankings:
    """Check that a rule takes the weights. One that takes equal ones only counts rows."""
    if rule is None or rankings.weight is None or rankings.average == "samples":
        return rankings
    check_weighted(rule, rankings.has_equal_weights)
    return rankings.without_equal_weights() if rule.takes_equal_weights else rankings


def read_one_ranking(inputs: Inputs) -> Rankings:
    """Read a binary target and its groups, once for all models of a table."""
    read = partial(read_rankings, inputs, is_binary=True)
    first, rankings = inputs.read_first_model("ranking", read)
    return rankings if first is inputs else read_with_other_scores(rankings, inputs) or read()


def _check_shapes(y_true: Any, y_score: Any, sample_weight: Any) -> None:
    """Check that y_score is no single number, and that all columns have the same length."""
    if not np.ndim(y_score):
        column_or_1d(y_score)  # which raises scikit-learn's error about its shape
    have_one_shape = getattr(y_true, "shape", ()) == getattr(y_score, "shape", None)
    if sample_weight is not None or not have_one_shape:  # the check takes some time
        check_lengths(y_true=y_true, y_score=y_score, sample_weight=sample_weight)


def read_with_other_scores(first: Rankings, inputs: Inputs) -> Rankings | None:
    """Return the ranking of the same rows by another model, of which only the prediction scores are
    read. Return None if one of both has several columns of scores.
    """
    y_score = to_host(inputs.y_score)
    if first.scores.ndim > 1 or len(getattr(y_score, "shape", (0,))) != 1:
        return None
    scores, size = _read_score_column(y_score, inputs.positive), first.n_rows_read
    if len(scores) != size:
        columns = {"y_true": range(size), "y_score": scores}
        # as for the first model, of which rules that read y_true itself check no weights here
        if inputs.sample_weight is not None and first.y_true is None:
            columns["sample_weight"] = range(size)
        check_lengths(**columns)
    return replace(first, scores=scores if first.is_kept is None else scores[first.is_kept])


def _read_score_column(
    y_score: Any, positive: PositiveClass, score_names: Sequence[Name] | None = None
) -> Array:
    """Check that there is one prediction score per sample, and warn if different ones became equal.

    `score_names` are the names of the columns of y_score, for the error if it has several.
    """
    scores, are_merged = read_scores(y_score, positive, score_names)
    if are_merged:
        warn_of_equal_decimals()
    return scores


def _read_for_function(rule: GroupFunction, inputs: Inputs) -> Rankings:
    """Check what a function of groups gets: groups, prediction scores, and labels as they are.

    `inputs.n_positives` only counts documents by grade here, for functions that take `judged`.
    """
    name = rule.called
    if inputs.groups is None:
        raise ValueError(
            f"{name!r} is a function of the rows of one group, whose values are averaged: pass "
            "groups=, the group of each sample."
        )
    check_for_function(rule, inputs._asdict())
    graded = inputs.graded
    if inputs.n_positives is not None and not (rule.takes_judged and graded and graded.judged):
        _refuse_for_function(rule, "n_positives")
    if inputs.average not in ("macro", None):
        raise ValueError(
            f"average={inputs.average!r} is not available for {name!r}, because only the function "
            "knows what its labels mean: use average='macro', the mean over groups."
        )

    scores = _read_score_column(to_host(inputs.y_score), inputs.positive)
    passed_labels = (
        read_original_labels(inputs.y_true) if graded is None else _read_graded_labels(inputs)
    )
    check_lengths(y_true=passed_labels, y_score=scores)
    kind = passed_labels.dtype.kind
    if kind == "f":  # nan is a grade without judgment, which counts as 0
        passed_labels = np.where(np.isnan(passed_labels), 0, passed_labels)

    # What counts the positives for tables takes all grades above 0 as positive.
    labels = np.zeros(passed_labels.shape, dtype=bool)
    if kind in "iuf":
        labels = passed_labels > 0
    rankings = Rankings(labels, scores, None, inputs.average, y_true=passed_labels)
    return _with_groups(rankings, inputs, rule)


def _read_graded(rule: Graded, inputs: Inputs) -> Rankings:
    """Check grades with their prediction scores: one ranking, groups, or rows of a matrix.

    `inputs.graded` is what a table, or n_positives, says about grades, and None if neither does.
    """
    check_for_function(rule, inputs._asdict())
    graded, n_positives = inputs.graded, inputs.n_positives
    judged = None if graded is None else graded.judged
    if graded is not None and judged is None:
        with attribute_errors("n_positives"):
            raise ValueError(
                f"Without n_positives, {write_rule(rule)} doesn't know the judged documents that "
                "weren't retrieved. Leave n_positives out, because the table knows them."
            )
    grades, y_score = _read_graded_labels(inputs), to_host(inputs.y_score)
    if n_positives is not None and judged is None:
        _check_counts_tell_all(rule, grades)
    _check_gains_are_finite(rule, grades if judged is None else np.append(grades, judged.grades))

    lowest = 1 if graded is None else graded.lowest
    labels = grades > 0
    if grades.ndim == 2:
        rankings = _read_graded_matrix(rule, inputs, grades, labels, y_score)
    else:
        scores = _read_score_column(y_score, PositiveClass(None, lowest))
        check_lengths(y_true=grades, y_score=scores)
        if inputs.groups is not None:
            check_group_average(inputs.average)
            rankings = Rankings(labels, scores, None, inputs.average, y_true=grades)
            return _with_groups(rankings, inputs, rule)
        rankings = Rankings(labels, scores, None, "binary", names=["all documents"], y_true=grades)
    rankings = _with_all_positives(rankings, n_positives)
    return add_weight(rankings, inputs.sample_weight, rule)


def _read_graded_matrix(
    rule: Graded, inputs: Inputs, grades: Array, labels: Array, y_score: Any
) -> Rankings:
    """Check a matrix of grades, of shape (n_rankings, n_documents), as are `labels` and y_score."""
    if inputs.groups is not None:
        check_one_ranking(labels)
    if inputs.average not in ("macro", "samples"):
        raise ValueError(
            f"average={inputs.average!r} is not available for {write_rule(rule)} of a matrix, "
            "whose rows are rankings. Use average='macro', or pass one row per document, with "
            "groups=."
        )
    scores = read_score_columns(y_score, labels, None)
    return Rankings(labels, scores, None, "samples", names=range(len(labels)), y_true=grades)


@attribute_errors("y_true")
def _check_gains_are_finite(rule: Graded, grades: Array) -> None:
    """Check that no exponential gain 2**grade - 1 is infinite."""
    is_exponential = isinstance(rule, NDCG) and rule.gains == "exponential"
    if is_exponential and (grades > _MAX_EXPONENTIAL_GRADE).any():
        raise ValueError(
            "With gains='exponential', grades must be at most "
            f"{_MAX_EXPONENTIAL_GRADE}, because 2**1024 is more than floats can hold. "
            "Pass gains='linear', or a mapping from grades to gains."
        )


@attribute_errors("n_positives")
def _check_counts_tell_all(rule: Graded, grades: Array) -> None:
    """Check that a count of positives says which grades the documents have."""
    beyond_binary = grades[~np.isin(grades, (0, 1)) & ~np.isnan(grades)]
    if beyond_binary.size:
        raise ValueError(
            f"{write_rule(rule)} depends on the grades of all judged documents, and y_true has the "
            f"grade {beyond_binary[0]:g} besides 0 and 1: pass n_positives as counts by grade, as "
            f"in {{'q1': {{0: 12, 1: 3, 2: 1}}}}, with an entry for each group."
        )


def _with_all_positives(rankings: Rankings, n_positives: Any) -> Rankings:
    """Add how many documents of grade 1 exist, if none has a higher one.

    `n_positives` is None if the rows have all of them.
    """
    if n_positives is None:
        return rankings
    counts = read_n_positives(n_positives, rankings, weighted=False)
    return check_enough_exist(replace(rankings, n_positives=counts, judged=_assume_grade_1(counts)))


def _assume_grade_1(counts: Array) -> Judged:
    """Return that all relevant documents, of which each ranking has a count, have grade 1."""
    return Judged(np.ones(1), counts[:, np.newaxis], has_all=False)


@attribute_errors("y_true")
def _read_graded_labels(inputs: Inputs) -> Array:
    """Read grades of shape (n_rows,) or (n_rankings, n_documents), nan where nobody judged."""
    if inputs.graded is not None and inputs.graded.rows is not None:
        grades: Array = inputs.graded.rows
        return np.where(grades >= 0, grades, np.nan)
    y_true = to_host(inputs.y_true)
    if np.ndim(y_true) == 2:
        grades = np.asarray(as_matrix(y_true))
        if not grades.size:
            raise make_no_samples_error()
    else:
        grades = read_column(y_true, "y_true")
    if not grades.size and inputs.n_positives is None:
        raise make_no_samples_error()
    if grades.dtype.kind == "O":
        cells = [np.nan if is_missing(grade) else grade for grade in grades.ravel().tolist()]
        grades = np.array(cells).reshape(grades.shape)
    if grades.size and grades.dtype.kind not in "biuf":
        raise ValueError(
            f"Grades must be numbers, but y_true contains {format_value(grades.ravel()[0])}. "
            "Convert them to numbers, where higher ones are more relevant."
        )
    grades = convert_grades(grades)
    if np.isinf(grades).any():
        raise ValueError("Input y_true contains infinity. Grades must be finite.")
    if (grades < 0).any():
        raise ValueError(
            "Grades must be at least 0, but y_true contains "
            f"{grades[grades < 0][0]:g}. Give documents without a judgment the grade nan."
        )
    return grades


def check_for_function(rule: Rule, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that change labels if a function or a metric gets them as they are."""
    if not isinstance(rule, Graded):
        return
    for parameter in read_toml("_words/messages.toml")["not_for_functions"]:
        value = arguments.get(parameter)
        is_default = value is None or (parameter == "pos_label" and value == 1)
        if not is_default:
            _refuse_for_function(rule, parameter)


def _refuse_for_function(rule: Graded, parameter: str) -> NoReturn:
    why = "it reads the grades of each group as they are"
    if isinstance(rule, GroupFunction):
        why = "a function gets the labels of each group as they are"
    advice_on = read_toml("_words/messages.toml")["not_for_functions"]
    advice = advice_on.get(parameter, _ADVICE_ON_COUNTS)
    with attribute_errors(parameter):
        raise ValueError(
            f"{parameter} is not available for {write_rule(rule)!r}, because {why}. {advice}"
        )


_ADVICE_ON_COUNTS = (
    "Give the function a parameter judged, and pass counts by grade, as in n_positives={'q1': "
    "{0: 12, 1: 3}}."
)


def _with_groups(rankings: Rankings, inputs: Inputs, rule: Rule | None) -> Rankings:
    """Add weights, groups, and how many positives each group has, to rankings without these.

    The labels have one dimension. Rows of weight 0 are left out, and so are groups that have only
    such rows, unless n_positives names them.
    """
    column = read_names(inputs.groups, "groups", len(rankings.labels))
    rankings = add_weight(rankings, inputs.sample_weight, rule)
    names, group = column.keep(rankings.is_kept).number_names()
    warn_of_own_groups(None if rule is None else rule.cut, names, len(names), group.size)
    if inputs.n_positives is None:
        return replace(rankings, group=group, names=names)

    # From here on, `names` are also those of groups without rows, so groups get other numbers.
    graded = inputs.graded
    if isinstance(rule, Graded) and graded is not None and graded.judged is not None:
        row_of = dict(zip(graded.groups, range(len(graded.groups)), strict=True))
        names, new_number, rows = name_all_groups(names, row_of, weighted=False)
        group = new_number[group]
        judged = graded.judged._replace(counts=graded.judged.counts[rows])
        counts = judged.counts[:, judged.grades > 0].sum(axis=1)
        rankings = replace(rankings, judged=judged)
        # A function gets grade 0 for unjudged documents, so its zeros needn't have been counted.
        counts_zeros = judged.has_all and not isinstance(rule, GroupFunction)
        _check_judged(rankings, group, names, counts_zeros)
    else:
        is_weighted = rankings.weight is not None
        names, new_number, counts = name_all_groups(names, inputs.n_positives, is_weighted)
        group = new_number[group]
        if isinstance(rule, Graded):  # of grades 0 and 1
            rankings = replace(rankings, judged=_assume_grade_1(counts))
    return check_enough_exist(replace(rankings, group=group, names=names, n_positives=counts))


@attribute_errors("n_positives")
def _check_judged(
    rankings: Rankings, group: Array, names: Sequence[Name], counts_zeros: bool
) -> None:
    """Check that at least as many documents of each grade were judged as have it here.

    `rankings` must have grades and `judged`. `group` has the index of each row's group in `names`,
    whose counts `judged` has. Those of grade 0 only matter if it `counts_zeros`.
    """
    judged, grades = rankings.judged, rankings.y_true
    assert judged is not None
    assert grades is not None
    rows = np.flatnonzero(grades >= 0 if counts_zeros else grades > 0)
    column = np.searchsorted(-judged.grades, -grades[rows])  # both descend
    column[~np.isin(grades[rows], judged.grades)] = -1  # the last one: grades that nobody counted
    n_rows = np.zeros((len(names), judged.grades.size + 1), dtype=np.int64)
    np.add.at(n_rows, (group[rows], column), 1)
    has_too_few = (n_rows[:, :-1] > judged.counts).any(axis=1)
    lacking = np.flatnonzero(has_too_few | (n_rows[:, -1] > 0))
    if lacking.size:
        raise ValueError(
            f"n_positives has too few judged documents for {format_name(names[lacking[0]], repr)}: "
            "it counts all of them by grade, found or not, and y_true has more of some grade."
        )


def warn_of_single_row_groups(cut: Cut | None, rankings: Rankings) -> None:
    """Warn if nearly every row is a group of its own, for callers that learn k after the groups."""
    if cut is not None and rankings.group is not None and rankings.names is not None:
        n_groups = int(np.count_nonzero(np.bincount(rankings.group)))
        warn_of_own_groups(cut, rankings.names, n_groups, rankings.group.size)


def add_weight(
    rankings: Rankings, sample_weight: Any, rule: Rule | None = None, may_vanish: bool = False
) -> Rankings:
    """Add checked weights, and remove samples of weight 0, which may leave none.

    Also check that there are as many scores as labels. Weights of which all are 0 are refused,
    unless the samples `may_vanish`.
    """
    labels, scores = rankings.labels, rankings.scores
    if sample_weight is None:
        if len(labels) != len(scores):
            check_lengths(y_true=labels, y_score=scores)
        return rankings
    weight = read_weight(sample_weight, labels, scores, may_vanish or not len(labels))
    rankings = replace(rankings, weight=weight).with_mass()
    if rule is not None and rankings.average != "samples":
        check_weighted(rule, rankings.has_equal_weights)
    return rankings


def check_drawable(rankings: Rankings, inputs: Inputs) -> None:
    """Check that there is a curve to draw, and warn if its scores look like labels."""
    if not rankings.n_rows:
        with attribute_errors("y_true"):
            raise make_no_samples_error()
    warn_of_predicted(rankings, inputs)


def warn_of_predicted(rankings: Rankings, inputs: Inputs) -> None:
    """Warn if the prediction scores look like what `predict` returns."""
    if inputs.min_grade is not None:
        return
    scores, has_one_column = rankings.scores, rankings.scores.ndim == 1
    distinct = find_two_scores(scores)
    if distinct:
        labels = np.asarray(as_numbers(inputs.y_true)) if has_one_column else rankings.labels
        if labels.dtype.kind == "O":  # which missing ones don't compare with
            labels = labels[[not is_missing(label) for label in labels]]
        n_found = int(np.count_nonzero(rankings.labels))
        called = "" if inputs.model in (None, "") else f" of the model {inputs.model!r}"
        distinct_labels = frozenset(np.unique(labels).tolist())
        warn_if_predicted(distinct, distinct_labels, n_found, scores.size, called)


def warn_if_predicted(
    scores: frozenset[Name] | None,
    labels: frozenset[Name],
    n_found: int,
    n_scores: int,
    called: str = "",
) -> None:
    """Warn about the distinct scores if they can be those of `predict`.

    Two scores can if they are the labels, or what labels are encoded as, but not if there are more
    labels, as grades beside a feature of 0 and 1. A single one can if it stands for the negatives,
    or for positives that are common.
    """
    if not scores or len(labels) > 2 or n_scores < _MIN_ROWS_TO_WARN:
        return
    if len(scores) == 2:
        if scores == labels or scores in _ENCODED_LABELS:
            name = called.removeprefix(" of the model")
            warn(describe_two_scores(name, sorted(scores)), PREDICTED)
    elif 0 < n_found < n_scores:
        (score,) = scores
        if score == 0 or (score in labels and (score == -1 or 2 * n_found > n_scores)):
            warn(describe_equal_scores(called, score), PREDICTED)


def find_two_scores(scores: Array) -> frozenset[Name] | None:
    """Return the distinct scores if there are at most two, and None otherwise, which the first few
    scores of usual models tell.
    """
    if not scores.size or len(set(scores[:10].ravel().tolist())) > 2:
        return None if scores.size else frozenset()
    ends = np.stack([scores.min(), scores.max()])
    if ends.dtype.kind == "f":
        ends = ends + 0  # -0.0 is 0.0
    are_two = ((scores == ends[0]) | (scores == ends[1])).all()
    return frozenset(ends.tolist()) if are_two else None
