"""What `average_precision_score` returned in each release of scikit-learn."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d

from .._arrays import in_namespace_of, to_host
from .._data import public
from .._inputs import Inputs
from .._typing import Average, Label, Score
from .._validation.labels import kind_of, refuse
from .._validation.parameters import InvalidParameterError
from .._validation.rankings import check_rankings
from .._validation.warned import warn_no_positives
from ..core.operating_points import OperatingPoints, from_rows
from ..core.rankings import Rankings
from ..core.segments import Array
from .releases import ERAS, RELEASES, Era, release_of

_PLAIN = ([0, 1], [-1, 1], [0], [-1], [1])  # labels of which 1 can only be the positive one
_VERSION = re.compile(r"(\d+)\.(\d+)(\.\d+)*((a|b|rc|\.post|\.dev)\d+)*")


@public()
def sklearn_average_precision_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    version: str,
    average: Average | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
) -> Score:
    r"""Compute what `average_precision_score` returns in a given release of scikit-learn.

    .. math::
        \sum_i \frac{r_i}{R}\, \frac{p_i^- + p_i}{2} \quad \text{(before 0.19)}
        \qquad
        \sum_i \frac{r_i}{R}\, p_i \quad \text{(since)}

    The sum is over the distinct prediction scores, highest first. Of all :math:`R` positives,
    :math:`r_i` have score i. The precision of the samples with this score or a higher one is
    :math:`p_i`. The precision of the samples with a higher score is :math:`p_i^-`, or 1 if there
    are none. The function has kept its name, but this has changed:

    ======= ========================================================================== ==========
    release since then                                                                 reference
    ======= ========================================================================== ==========
    0.13    trapezoids; several columns of labels are ranked as one; an error if all
            labels are positive, or all are negative
    0.14    all labels may be positive; an error for several columns
    0.15    `average` and `sample_weight`; a score no more than 1e-8 above the next
            lower one is tied with it, so that whole chains are tied; an error if all
            samples with the best score have weight 0
    0.16    nan instead of an error: no positives, or weight 0 at the best score
    0.18    scores are compared exactly                                                [1]_
    0.19    steps instead of trapezoids                                                [2]_ [3]_
    0.20    `pos_label` (before, labels are 0 and 1, or -1 and 1); weight 0 at the
            best score does no harm; average='weighted' gives 0.0 if all positives
            together weigh 1e-8 or less                                                [4]_ [5]_
    0.22    average='weighted' and 'samples': a class without positives, or such a row
            of weight 0, does not make the mean nan                                    [6]_
    1.1     no positives: -0.0 with a warning, and 0.0 as a part of a mean             [7]_
    1.3     multiclass labels, one class against the rest                              [8]_
    1.6     no positives: 0.0 with a warning                                           [9]_
    ======= ========================================================================== ==========

    The table leaves out changes that only affect the curve, but not its area. The curve ended at
    full recall in 0.13 to 1.1.0, and continues beyond it since 1.1.1. Samples of weight 0 are no
    longer points of the curve since 1.0 [10]_. Two behaviors are not reproduced: crashes, and the
    nan of 0.20.0 for a `pos_label` that no sample has.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, or multilabel indicators or multiclass labels if the release accepts them.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    version : str
        The release, from '0.13' to '1.9'; '0.18' and '0.18.2' mean the same.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How the values of several classes are averaged. Since 0.15.
    pos_label : int, float, bool or str, default=1
        The label of the positive class of a binary `y_true`. Since 0.20.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Since 0.15.

    Returns
    -------
    score : float or array of shape (n_classes,)
        The average precision. It is nan, without a warning, if the release returns nan.

    Raises
    ------
    ValueError
        If the release refuses the input or has no such keyword. For every release, also if scores
        are not finite, weights are negative, or all weights are 0.

    See Also
    --------
    sklearn_ap.average_precision_score : Compute the value of the latest release.
    trapezoidal_average_precision_score : Compute the value before 0.19, without other differences.

    References
    ----------
    .. [1] https://github.com/scikit-learn/scikit-learn/pull/7353
    .. [2] https://github.com/scikit-learn/scikit-learn/pull/7356
    .. [3] https://github.com/scikit-learn/scikit-learn/pull/9017
    .. [4] https://github.com/scikit-learn/scikit-learn/pull/9980
    .. [5] https://github.com/scikit-learn/scikit-learn/pull/12313
    .. [6] https://github.com/scikit-learn/scikit-learn/pull/14595
    .. [7] https://github.com/scikit-learn/scikit-learn/pull/19085
    .. [8] https://github.com/scikit-learn/scikit-learn/pull/24769
    .. [9] https://github.com/scikit-learn/scikit-learn/pull/27412
    .. [10] https://github.com/scikit-learn/scikit-learn/pull/18328

    Examples
    --------
    The problem that 0.19 solved, https://github.com/scikit-learn/scikit-learn/issues/9618:

    >>> from sklearn_ap.compat import sklearn_average_precision_score
    >>> y_true, y_score = [0, 1, 0, 0, 0], [0.7, 0.8, 0.5, 0.9, 0.1]
    >>> sklearn_average_precision_score(y_true, y_score, version="0.18")
    0.25
    >>> sklearn_average_precision_score(y_true, y_score, version="0.19")
    0.5

    The releases 0.15 to 0.17 treated these scores as equal:

    >>> y_true, y_score = [1, 0, 1], [3e-9, 2e-9, 1e-9]
    >>> sklearn_average_precision_score(y_true, y_score, version="0.17")
    0.833333
    >>> sklearn_average_precision_score(y_true, y_score, version="0.18")
    0.791667
    """
    era = era_of(version)
    rankings = _check(y_true, y_score, era, average, pos_label, sample_weight)
    columns = _columns(rankings, era)
    points = _points(columns)
    if rankings.average == "weighted" and points.n_positives.sum() <= era.no_mass:
        return 0.0
    values = _values(columns, points, era)
    if rankings.average is None:
        return in_namespace_of(y_score, values)
    if rankings.average == "binary":
        return values.item()
    weight = {"weighted": points.n_positives, "samples": rankings.weight}.get(rankings.average)
    return _mean(values, weight, era)


def era_of(version: str) -> Era:
    """Return the era that a release belongs to."""
    parts = _VERSION.fullmatch(version) if isinstance(version, str) else None
    release = (int(parts[1]), int(parts[2])) if parts else None
    if release not in RELEASES:
        raise InvalidParameterError(
            "The 'version' parameter must be a release of scikit-learn from '0.13' to '1.9', as a "
            f"str such as '0.18' or '0.18.2'. Got {version!r} instead."
        )
    return next(era for era in reversed(ERAS) if release_of(era.since) <= release)


# --- what the release accepts --------------------------------------------------------------------


def _check(
    y_true: Any, y_score: Any, era: Era, average: Average | None, pos_label: Any, sample_weight: Any
) -> Rankings:
    """Check the input, and keep all its samples, including those of weight 0."""
    _check_keywords(
        era,
        average=average != "macro",
        pos_label=pos_label != 1,
        sample_weight=sample_weight is not None,
    )
    y_true, y_score = to_host(y_true), to_host(y_score)
    if era.several_columns == "as one ranking":
        y_true, y_score = np.ravel(y_true), np.ravel(y_score)
    if "pos_label" in era.keywords or _may_average(y_true, era):
        inputs = Inputs(y_true, y_score, average, pos_label)
    else:
        _check_label_is_clear(y_true, y_score)
        inputs = Inputs(y_true, y_score)
    rankings = check_rankings(inputs)
    _check_labels(rankings, np.size(y_true), era)
    if sample_weight is None:
        return rankings
    check_rankings(inputs._replace(sample_weight=sample_weight))  # raises if weights are invalid
    weight = np.asarray(to_host(sample_weight), dtype=np.float64).ravel()
    return replace(rankings, weight=weight)


def _check_label_is_clear(y_true: Any, y_score: Any) -> None:
    """Check that 1 is the positive label, which these releases could not be told."""
    kind = kind_of(y_true)
    if kind != "binary":
        refuse(kind, y_score)
    present = np.unique(column_or_1d(y_true)).tolist()
    if present not in _PLAIN:
        raise ValueError(
            f"y_true takes value in {{{', '.join(map(repr, present))}}} and pos_label is not "
            "specified: either make y_true take value in {0, 1} or {-1, 1} or pass pos_label "
            "explicitly."
        )


def _check_keywords(era: Era, **given: bool) -> None:
    for keyword, is_given in given.items():
        if is_given and keyword not in era.keywords:
            first = next(each for each in ERAS if keyword in each.keywords)
            raise InvalidParameterError(
                f"average_precision_score of scikit-learn {era.since} has no {keyword!r}; it came "
                f"with {first.since}."
            )


def _may_average(y_true: Any, era: Era) -> bool:
    return era.several_columns == "averaged" and np.ndim(y_true) == 2 and np.shape(y_true)[1] > 1


def _check_labels(rankings: Rankings, n_given: int, era: Era) -> None:
    is_multiclass = rankings.labels.size > n_given  # each class became a column of labels
    if is_multiclass and not era.multiclass:
        raise ValueError("multiclass format is not supported")
    found = np.count_nonzero(rankings.labels)
    if not era.one_label and found in (0, n_given):
        raise ValueError("y_true must contain both positives and negatives.")


# --- what the release computes -------------------------------------------------------------------


class _Columns(NamedTuple):
    """One ranking per column, and the weights of all samples."""

    labels: Array
    scores: Array
    weight: Array | None


def _columns(rankings: Rankings, era: Era) -> _Columns:
    labels, scores, weight = rankings.labels, rankings.scores, rankings.weight
    if rankings.average == "samples":
        labels, scores, weight = labels.T, scores.T, None
    elif rankings.average in ("binary", "micro"):
        if weight is not None:
            weight = np.repeat(weight, labels.size // weight.size)
        labels, scores = labels.reshape(-1, 1), scores.reshape(-1, 1)
    if era.same_within:
        scores = merge_neighbours(scores, era.same_within)
    return _Columns(labels, scores, weight)


def merge_neighbours(scores: Array, distance: float) -> Array:
    """Replace all scores in each chain of close scores by the lowest one.

    Scores are compared from one sorted sample to the next, whatever their weights, so a chain of
    small steps can span a wide range.
    """
    order = np.argsort(scores, axis=0)
    ordered = np.take_along_axis(scores, order, axis=0)
    starts = np.ones(scores.shape, dtype=bool)
    with np.errstate(over="ignore"):  # an infinite difference is not close either
        starts[1:] = np.abs(np.diff(ordered, axis=0).astype(np.float64)) > distance
    place = np.arange(len(scores))[:, np.newaxis]
    lowest = np.maximum.accumulate(np.where(starts, place, 0), axis=0)
    merged = np.empty_like(scores)
    np.put_along_axis(merged, order, np.take_along_axis(ordered, lowest, axis=0), axis=0)
    return merged


def _points(columns: _Columns) -> OperatingPoints:
    labels, scores, weight = columns
    if weight is not None:
        kept = np.flatnonzero(weight)
        labels, scores, weight = labels[kept], scores[kept], weight[kept]
    return from_rows(labels.T, scores.T, weight)


def _values(columns: _Columns, points: OperatingPoints, era: Era) -> Array:
    values = era.rule.values(points)
    if era.nan_on_top and columns.weight is not None:
        top = columns.scores == columns.scores.max(axis=0)
        weighs = columns.weight[:, np.newaxis] > 0
        values[~np.any(top & weighs, axis=0)] = np.nan  # precision is 0/0 there
    if era.refuses_nan and np.isnan(values).any():
        raise ValueError("The precision-recall curve contains NaN.")
    if not np.isnan(era.no_positives) and not points.n_positives.all():
        warn_no_positives()
        values[points.n_positives == 0] = era.no_positives
    return values


def _mean(values: Array, weight: Array | None, era: Era) -> float:
    """Average the values as NumPy does: nan stays nan, but -0.0 becomes 0.0."""
    if weight is not None and not era.nan_weighs:
        values = np.where(weight == 0, 0.0, values)
    return float(np.average(values, weights=weight)) + 0.0
