"""What scikit-learn's `average_precision_score` returned in each release, and still returns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d

from .._data import public
from .._inputs import Average, Inputs, Label, NPositives, Score, ZeroDivision
from .._intake import in_namespace_of, to_host
from .._validation.labels import kind_of, refuse
from .._validation.parameters import InvalidParameterError
from .._validation.rankings import read_rankings
from .._validation.warned import warn_no_positives
from ..core.operating_points import OperatingPoints
from ..core.rankings import Rankings
from ..core.rules import Linear, Rule, Step
from ..core.segments import Array
from ..metrics import evaluated

_VERSION = re.compile(r"(\d+)\.(\d+)(\.\d+)*((a|b|rc|\.post|\.dev)\d+)*")


@dataclass(frozen=True)
class Era:
    """How the function works from one release until the next change; by default as in 0.13."""

    since: str
    rule: Rule
    keywords: tuple[str, ...] = ()
    several_columns: str = "as one ranking"  # of labels; or "refused" or "averaged"
    one_label: bool = False  # may y_true contain only positives, or only negatives?
    multiclass: bool = False
    same_within: float = 0.0  # scores that differ by no more than this are tied
    no_positives: float = np.nan
    nan_on_top: bool = False  # is it nan if all samples with the highest score have weight 0?
    refuses_nan: bool = True  # is an area that is nan an error?
    nan_weighs: bool = True  # does a class or row of weight 0 make the mean nan if it is nan?
    no_mass: float = 0.0  # a mean weighted by positives is 0 if they have no more mass than this


# fmt: off
_0_13 = Era("0.13", Linear())
_0_14 = replace(_0_13, since="0.14", several_columns="refused", one_label=True)
_0_15 = replace(_0_14, since="0.15", several_columns="averaged", keywords=("average", "sample_weight"), same_within=1e-8, nan_on_top=True)
_0_16 = replace(_0_15, since="0.16", refuses_nan=False)
_0_18 = replace(_0_16, since="0.18", same_within=0.0)
_0_19 = replace(_0_18, since="0.19", rule=Step())
_0_20 = replace(_0_19, since="0.20", keywords=("average", "pos_label", "sample_weight"), nan_on_top=False, no_mass=1e-8)
_0_22 = replace(_0_20, since="0.22", nan_weighs=False)
_1_1 = replace(_0_22, since="1.1", no_positives=-0.0)
_1_3 = replace(_1_1, since="1.3", multiclass=True)
_1_6 = replace(_1_3, since="1.6", no_positives=0.0)
# fmt: on

ERAS = (_0_13, _0_14, _0_15, _0_16, _0_18, _0_19, _0_20, _0_22, _1_1, _1_3, _1_6)
RELEASES = [f"0.{minor}" for minor in range(13, 25)] + [f"1.{minor}" for minor in range(10)]


def release_of(version: str) -> tuple[int, int]:
    """Return the two numbers that a version begins with.

    >>> release_of("0.18.2"), release_of("1.10.dev0+git")
    ((0, 18), (1, 10))
    """
    parts = _VERSION.match(version)
    if parts is None:
        raise ValueError(f"{version!r} is not a release.")
    return int(parts[1]), int(parts[2])


_PLAIN = ([0, 1], [-1, 1], [0], [-1], [1])  # labels of which 1 can only be the positive one


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
    checked = _check(y_true, y_score, era, average, pos_label, sample_weight)
    rankings = _by_column(checked, era)
    kept = rankings if rankings.weight is None else rankings.take(np.flatnonzero(rankings.weight))
    points = kept.points(None)
    if checked.average == "weighted" and points.n_positives.sum() <= era.no_mass:
        return 0.0
    values = _values(rankings, points, era)
    if checked.average is None:
        return in_namespace_of(y_score, values)
    if checked.average == "binary":
        return values.item()
    weight = {"weighted": points.n_positives, "samples": checked.weight}.get(checked.average)
    if weight is not None and not era.nan_weighs:
        values = np.where(weight == 0, 0.0, values)
    return float(np.average(values, weights=weight)) + 0.0  # nan stays nan, but -0.0 becomes 0.0


def era_of(version: str) -> Era:
    """Return the era that a release belongs to."""
    is_version = isinstance(version, str) and _VERSION.fullmatch(version)
    release = release_of(version) if is_version else (0, 0)
    if release not in map(release_of, RELEASES):
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
    has_value = {
        "average": average != "macro",
        "pos_label": pos_label != 1,
        "sample_weight": sample_weight is not None,
    }
    for keyword, is_given in has_value.items():
        if is_given and keyword not in era.keywords:
            first = next(each for each in ERAS if keyword in each.keywords)
            raise InvalidParameterError(
                f"average_precision_score of scikit-learn {era.since} has no {keyword!r}; it came "
                f"with {first.since}."
            )
    y_true, y_score = to_host(y_true), to_host(y_score)
    if era.several_columns == "as one ranking":
        y_true, y_score = np.ravel(y_true), np.ravel(y_score)
    has_columns = np.ndim(y_true) == 2 and np.shape(y_true)[1] > 1
    if "pos_label" in era.keywords or (has_columns and era.several_columns == "averaged"):
        inputs = Inputs(y_true, y_score, average, pos_label)
    else:
        _check_label_is_clear(y_true, y_score)
        inputs = Inputs(y_true, y_score)
    rankings = read_rankings(inputs)
    n_given = np.size(y_true)
    if rankings.labels.size > n_given and not era.multiclass:  # each class became a column
        raise ValueError("multiclass format is not supported")
    if not era.one_label and np.count_nonzero(rankings.labels) in (0, n_given):
        raise ValueError("y_true must contain both positives and negatives.")
    if sample_weight is None:
        return rankings
    read_rankings(inputs._replace(sample_weight=sample_weight))  # raises if weights are invalid
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


# --- what the release computes -------------------------------------------------------------------


def _by_column(rankings: Rankings, era: Era) -> Rankings:
    """Return one ranking per column, with the scores that are compared and one weight per row."""
    labels, scores, weight = rankings.labels, rankings.scores, rankings.weight
    if rankings.average == "samples":
        labels, scores, weight = labels.T, scores.T, None
    elif rankings.average in ("binary", "micro"):
        if weight is not None:
            weight = np.repeat(weight, labels.size // weight.size)
        labels, scores = labels.reshape(-1, 1), scores.reshape(-1, 1)
    if era.same_within:
        scores = merge_neighbors(scores, era.same_within)
    return replace(rankings, labels=labels, scores=scores, weight=weight, average="macro")


def merge_neighbors(scores: Array, distance: float) -> Array:
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


def _values(columns: Rankings, points: OperatingPoints, era: Era) -> Array:
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


@evaluated
def trapezoidal_average_precision_score(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    average: Average | None = "macro",
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    zero_division: ZeroDivision = "warn",
    classes: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    prevalence: float | None = None,
    data: Any = None,
) -> Score:
    r"""Compute the area under the linearly interpolated precision-recall curve.

    .. math:: \sum_i \frac{r_i}{R}\, \frac{p_i^- + p_i}{2}

    This area is too optimistic. Use it to reproduce a value that somebody computed this way, not to
    judge a model. It is what `auc(recall, precision)` returns, and what scikit-learn called average
    precision before 0.19.

    The sum is over the distinct prediction scores, highest first. Of all :math:`R` positives,
    :math:`r_i` have score i. The precision of the samples with this score or a higher one is
    :math:`p_i`. The precision of the samples with a higher score is :math:`p_i^-`, or 1 if there
    are none.

    No threshold reaches the points on the straight line between two points of the curve [1]_. The
    precision on this line is too high, and the more samples are tied, the worse it gets. That's why
    a model that does nothing gets a high value: with a constant score, the line goes from precision
    1 down to the prevalence, the fraction of positives, and the area is more than one half, even if
    positives are very rare. With :func:`sklearn_ap.average_precision_score`, the value of such a
    model is the prevalence.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Prediction scores, higher for the positive class.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How the values of several classes, rows or groups are averaged. 'macro' is the mean over
        classes or groups, and 'weighted' weights this mean by the number of positives. 'samples' is
        the mean over rows, each of which is a query. 'micro' ranks all cells of the matrix
        together. None keeps the values apart: one for each class, or for each group in sorted
        order. With `groups`, only 'macro', 'weighted' and None are available.
    pos_label : int, float, bool or str, default=1
        The label of the positive class. It must be 1 for multilabel and multiclass `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value where there are no positives. 'warn' returns 0.0 with a warning. nan leaves the
        class, row or group out of the mean.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of `y_score`. By default, the classes are
        the sorted labels in `y_true`, so pass them if some may be missing there.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not. Pass one count for a single ranking, or one for each
        column, or for each row with average='samples'. With `groups`, pass a mapping or pandas
        Series from groups to counts. A group that is only in the mapping was never retrieved, so
        its value is 0. By default, all positives are in `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. Each group, such as a query, a user or a day, is ranked
        separately. Groups can be numbers, strings or other hashable objects, in any order. `y_true`
        must be binary.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades instead of labels,
        such as relevances from 0 to 4. With 2, the positives are `y_true >= 2`. `y_true` must then
        be one column of numbers, and you can't pass `pos_label` or `classes`.
    prevalence : float, default=None
        The proportion of positives in the population that you want a value for, if it isn't that of
        the samples, for example because negatives were subsampled. Negatives are weighted so that
        all existing positives make up this proportion of the total weight, over all groups
        together. The target must be binary. A cut-off k must be a fraction of the total weight, as
        in k=0.01, or count rows, with k_counts='samples'.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays. It can be a
        DataFrame or LazyFrame of pandas, polars, narwhals, Dask or Spark, a DuckDB relation, an
        Ibis or PyArrow table, a PyArrow dataset, or a path to Parquet files. If one of
        :mod:`sklearn_ap.readers` has read it, it knows its columns, and you don't name them. Data
        that is not in memory is read in chunks, and only the columns that you name. Its target must
        be binary. `y_score` can be a list of names, one per class.

    Returns
    -------
    score : float or array of shape (n_classes,)
        The area, between 0 and 1.

    See Also
    --------
    sklearn_average_precision_score : Compute the value of a given release of scikit-learn.
    sklearn_ap.average_precision_score : Compute the metric that you should report.

    References
    ----------
    .. [1] J. Davis and M. Goadrich, "The relationship between precision-recall and ROC curves",
       International Conference on Machine Learning, 2006, section 4.

    Examples
    --------
    Ten of a hundred samples are positive. A model that ranks one of them and one negative above
    all others is better than a model that does nothing, but its area is smaller:

    >>> from sklearn_ap import average_precision_score
    >>> from sklearn_ap.compat import trapezoidal_average_precision_score
    >>> y_true = [1] * 10 + [0] * 90
    >>> constant = [0] * 100
    >>> one_found = [1] + [0] * 98 + [1]
    >>> trapezoidal_average_precision_score(y_true, constant)
    0.55
    >>> trapezoidal_average_precision_score(y_true, one_found)
    0.345
    >>> (
    ...     average_precision_score(y_true, constant),
    ...     average_precision_score(y_true, one_found),
    ... )
    (0.1, 0.14)
    """
    return Linear()


# --- where this package differs ------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """What some releases return for one small input, and what this package returns for it.

    `ours` and `theirs` are the value or the name of an error. If only a warning or a type differs,
    they are its name.
    """

    id: str
    title: str
    versions: str  # "<0.19", "0.15-0.17", ">=0.20" or "1.9"; never a patch release
    reason: str
    y_true: Any
    y_score: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    ours: float | str = 1.0  # of a perfect ranking, as in most rows
    theirs: float | str = "ValueError"
    # pull requests or issues, or the releases in which it was seen
    reference: str = "seen in 1.5.0 to 1.9.1"

    def applies_to(self, version: str) -> bool:
        """Whether the row is about this release of scikit-learn.

        >>> from sklearn_ap.compat import DIFFERENCES
        >>> row = next(row for row in DIFFERENCES if row.id == "merged-ties")
        >>> row.versions, row.applies_to("0.17.1"), row.applies_to("0.18")
        ('0.15-0.17', True, False)
        """
        release = release_of(version)
        if self.versions.startswith("<"):
            return release < release_of(self.versions[1:])
        if self.versions.startswith(">="):
            return release >= release_of(self.versions[2:])
        first, _, last = self.versions.partition("-")
        return release_of(first) <= release <= release_of(last or first)


def _while(holds: Callable[[Era], bool]) -> str:
    """Write the releases of the eras for which this holds, as in `Difference.versions`."""
    held = [release for release in RELEASES if holds(era_of(release))]
    if len(held) == 1:
        return held[0]
    if held[-1] == RELEASES[-1]:
        return f">={held[0]}"
    return f"<{RELEASES[len(held)]}" if held[0] == RELEASES[0] else f"{held[0]}-{held[-1]}"


_HUGE = np.float32(2e38)
_WHOLE = 2**53  # the next whole number is no float

# Inputs that several rows share
_CLOSE = [1, 0], [2e-9, 1e-9]
_NO_POSITIVES = [0, 0], [0.2, 0.1]
_NEGATIVE_FIRST = [0, 1], [0.2, 0.1]
_POSITIVE_FIRST = [0, 1], [0.1, 0.2]
_MULTICLASS = [0, 1, 2], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.2]]
_TWO_COLUMNS = [[1, 0], [0, 1]], [[0.2, 0.1], [0.1, 0.2]]
_MIXED_COLUMNS = [[1, 0], [0, 1]], [[0.4, 0.5], [0.1, 0.6]]
_EMPTY_ROW = [[0, 0], [0, 1]], [[0.2, 0.1], [0.1, 0.2]]
_EMPTY_COLUMNS = [[0, 0], [0, 0]], [[0.2, 0.1], [0.1, 0.2]]
_BOOLEANS = [[True, False], [False, True], [False, True]], [[0.3, 0.1], [0.2, 0.3], [0.1, 0.2]]

# One row per line, in the order of the fields, and by name after `y_score`. Tests repeat each
# example in the releases that the row is about, and in those before and after.
# fmt: off
DIFFERENCES = (
    # --- the value itself ---
    Difference("trapezoid", "Trapezoids instead of steps", _while(lambda era: era.rule == Linear()), "The points of the curve were joined by straight lines, which no threshold reaches.", [0, 1, 0, 0, 0], [0.7, 0.8, 0.5, 0.9, 0.1], ours=0.5, theirs=0.25, reference="#7356, #9017, #9618"),
    Difference("merged-ties", "Close scores are tied", _while(lambda era: era.same_within > 0), "A score was tied with the next lower one if it was at most 1e-8 above it.", *_CLOSE, theirs=0.75, reference="#7353"),
    Difference("exact-comparison", "Close scores are distinct", ">=0.18", "Scores are compared exactly, as here.", *_CLOSE, theirs=1.0, reference="#7353"),
    # --- no positives, or nothing else ---
    Difference("positives-alone", "Error if all labels are positive", _while(lambda era: not era.one_label), "`y_true` had to contain both labels.", [1, 1], [0.2, 0.1], reference="recorded from 0.13.1"),
    Difference("no-positives-refused", "Error if there are no positives", _while(lambda era: era.refuses_nan), "The area was nan, and nan was an error.", *_NO_POSITIVES, ours=0.0, reference="recorded from 0.13.1 to 0.15.2"),
    Difference("no-positives-nan", "nan if there are no positives", _while(lambda era: isnan(era.no_positives) and not era.refuses_nan), "Recall was 0/0.", *_NO_POSITIVES, ours=0.0, theirs=np.nan, reference="#8245, #19085"),
    Difference("no-positives-negative-zero", "-0.0 if there are no positives", _while(lambda era: str(era.no_positives) == "-0.0"), "Recall was set to 1 with a warning, and the empty sum was multiplied by -1.", *_NO_POSITIVES, ours=0.0, theirs=-0.0, reference="#19085"),
    Difference("no-positives-zero", "0.0 if there are no positives", _while(lambda era: str(era.no_positives) == "0.0"), "This is the default here too, and `zero_division` sets another value.", *_NO_POSITIVES, ours=0.0, theirs=0.0, reference="#27412"),
    # --- labels ---
    Difference("pos-label", "No `pos_label`", _while(lambda era: "pos_label" not in era.keywords), "The keyword did not exist.", [1, 0], [0.2, 0.1], options={"pos_label": 0}, ours=0.5, theirs="TypeError", reference="#9980"),
    Difference("labels-one-and-two", "Labels 1 and 2", _while(lambda era: "pos_label" not in era.keywords), "Only 0 and 1, or -1 and 1, were allowed. Now 1 is the positive label, as here.", [1, 2], [0.1, 0.2], ours=0.5, reference="#9980"),
    Difference("multiclass", "Multiclass labels", _while(lambda era: not era.multiclass), "Three or more classes were an error. Now each class is ranked against the rest.", *_MULTICLASS, reference="#24769"),
    Difference("multiclass-list", "Multiclass scores in a list", "1.9", "It reads the shape of `y_score` before it makes an array of it.", *_MULTICLASS, theirs="AttributeError", reference="seen in 1.9.1"),
    Difference("large-labels", "Float labels of 1e19 or more", ">=1.5", "They are cast to integers to see whether they are whole, and the cast overflows. A list of them is an error here too.", np.array([1.0, 1e19]), [0.2, 0.1]),
    Difference("timedelta-labels", "Timedelta labels", "1.9", "They are compared with `pos_label`, where 1 then means one of their units.", [np.timedelta64(0, "s"), np.timedelta64(1, "s")], [0.1, 0.2], ours="ValueError", theirs=1.0, reference="seen in 1.9.1"),
    Difference("missing-among-strings", "A list of labels with strings and nan", ">=1.5", "nan becomes the string `'nan'`, a label like others. Here it is a missing label.", ["a", float("nan")], [0.2, 0.1], options={"pos_label": "a"}, ours="ValueError", theirs=1.0, reference="seen in 1.9.1"),
    Difference("null-characters", "Strings that differ only in null characters at the end", ">=1.5", "NumPy's strings lose these characters, so the labels are merged or confused.", ["a", "a\0"], [0.1, 0.2], options={"pos_label": "a"}, ours="ValueError", theirs=1.0),
    # --- scores ---
    Difference("object-columns", "Columns of objects, or of several types, with integers beyond 2^53", ">=1.5", "Several columns are cast to floats, so close integers are tied. One column is not.", [[1, 0], [0, 1]], np.array([[_WHOLE + 1, 1], [_WHOLE, 2]], dtype=object), theirs=0.75),
    Difference("object-dates", "Scores that are objects but not numbers or dates, such as a `datetime` or `Period`", ">=1.5", "It accepts what can be sorted and subtracted. Equal `Period`s are tied since 1.8.", [0, 1], [datetime(2020, 1, 1), datetime(2020, 1, 2)], ours="ValueError", theirs=1.0),
    # --- several columns ---
    Difference("columns-as-one-ranking", "Several columns ranked as one", _while(lambda era: era.several_columns == "as one ranking"), "All cells were ranked together, and the value was the area of trapezoids.", *_MIXED_COLUMNS, theirs=19 / 24, reference="recorded from 0.13.1"),
    Difference("columns-refused", "Error for several columns", _while(lambda era: era.several_columns == "refused"), "The parameter `average` did not exist yet.", *_MIXED_COLUMNS, reference="recorded from 0.14.1"),
    Difference("weighted-nan", "`average='weighted'`: nan because of a class without positives", _while(lambda era: era.nan_weighs and not era.refuses_nan), "It had weight 0, but its nan still made the mean nan.", [[1, 0], [0, 0]], [[0.2, 0.1], [0.1, 0.2]], options={"average": "weighted"}, theirs=np.nan, reference="#14595"),
    Difference("samples-nan", "`average='samples'`: nan because of a row of weight 0", _while(lambda era: era.nan_weighs and not era.refuses_nan), "It had weight 0, but its nan still made the mean nan.", *_EMPTY_ROW, options={"average": "samples", "sample_weight": [0, 1]}, theirs=np.nan, reference="#14595"),
    Difference("samples-warning", "`average='samples'`: a warning about a row of weight 0", _while(lambda era: not isnan(era.no_positives)), "The row does not count, but causes a warning. Here it is left out.", *_EMPTY_ROW, options={"average": "samples", "sample_weight": [0, 1]}, theirs="UserWarning"),
    Difference("weighted-tiny", "`average='weighted'`: 0.0 for tiny weights", _while(lambda era: era.no_mass > 0), "If all positives together weigh 1e-8 or less, they count as no positives.", *_TWO_COLUMNS, options={"average": "weighted", "sample_weight": [1e-9, 1e-9]}, theirs=0.0, reference="seen in 1.5.0 to 1.9.1, recorded from 0.20.0 on"),
    Difference("weighted-silent", "`average='weighted'`: no warning without positives", _while(lambda era: era.several_columns == "averaged"), "It returns 0.0 without a warning. Here you get the usual warning.", *_EMPTY_COLUMNS, options={"average": "weighted"}, ours="UndefinedMetricWarning", theirs=0.0, reference="seen in 1.5.0 to 1.9.1, recorded from 0.15.2 on"),
    Difference("weighted-int", "`average='weighted'`: an int if there are no positives", ">=1.5", "The 0 that it returns without positives is an int.", *_EMPTY_COLUMNS, options={"average": "weighted"}, ours="float", theirs="int"),
    Difference("weighted-by-labels", "`average='weighted'`: labels other than 0 and 1", ">=1.5", "The weight of a class is the sum of its labels. Here it is that of its positives.", [[1, -1], [1, -1], [1, 1], [-1, 1]], [[0.9, 0.9], [0.8, 0.8], [0.7, 0.7], [0.6, 0.6]], options={"average": "weighted"}, ours=23 / 30, theirs=1.0),
    Difference("surplus-labels", "Fewer columns of scores than of labels", ">=1.5", "It loops over the columns of `y_score`, and silently ignores the other labels.", [[0, 1], [1, 0]], [[0.1], [0.8]], ours="ValueError", theirs=1.0),
    Difference("surplus-scores", "More columns of scores than of labels", ">=1.5", "The loop runs out of labels. Here the message says what is wrong.", [[0, 1], [1, 0]], [[0.1, 0.9, 0.5], [0.8, 0.2, 0.5]], ours="ValueError", theirs="IndexError"),
    Difference("class-without-scores", "A class without a column of scores", "1.5-1.8", "The last class was silently ignored. This is an error since 1.9, as here.", [0, 1, 2], [[0.8, 0.1], [0.1, 0.8], [0.1, 0.1]], ours="ValueError", theirs=1.0, reference="seen in 1.5.0 to 1.8.0"),
    # --- weights ---
    Difference("sample-weight", "No `sample_weight`", _while(lambda era: "sample_weight" not in era.keywords), "The keyword did not exist.", *_NEGATIVE_FIRST, options={"sample_weight": [1, 3]}, ours=0.75, theirs="TypeError", reference="#3043"),
    Difference("weightless-top-refused", "Error if the highest score has weight 0", _while(lambda era: era.nan_on_top and era.refuses_nan), "Precision was 0/0 there, and nan was an error.", *_NEGATIVE_FIRST, options={"sample_weight": [0, 1]}, reference="recorded from 0.15.2"),
    Difference("weightless-top-nan", "nan if the highest score has weight 0", _while(lambda era: era.nan_on_top and not era.refuses_nan), "Precision was 0/0 there. Here samples of weight 0 are left out.", *_NEGATIVE_FIRST, options={"sample_weight": [0, 1]}, theirs=np.nan, reference="#9980"),
    Difference("weightless", "All weights 0", "1.0-1.8", "No sample was left to index. A ValueError says so since 1.9, as here.", *_POSITIVE_FIRST, options={"sample_weight": [0, 0]}, ours="ValueError", theirs="IndexError", reference="#18328"),
    Difference("weightless-weighted", "All weights 0 with `average='weighted'`", ">=1.5", "Positives of weight 0 count as no positives.", *_TWO_COLUMNS, options={"average": "weighted", "sample_weight": [0, 0]}, ours="ValueError", theirs=0.0),
    Difference("weightless-samples", "All weights 0 with `average='samples'`", ">=1.5", "The mean over the rows divides by 0. Here the message says what is wrong.", *_TWO_COLUMNS, options={"average": "samples", "sample_weight": [0, 0]}, ours="ValueError", theirs="ZeroDivisionError"),
    Difference("negative-weights", "Negative weights", ">=1.5", "They are accepted, and the value may be greater than 1.", [0, 1], [0.9, 0.8], options={"sample_weight": [-1, 3]}, ours="ValueError", theirs=1.5),
    Difference("float32-weights", "`average='weighted'`: float32 or float16 weights", "1.9", "The positives of a class are added up in that type, which rounds and may overflow.", [[1, 0], [0, 1], [0, 1]], [[0.3, 0.1], [0.2, 0.3], [0.1, 0.2]], options={"average": "weighted", "sample_weight": np.repeat(_HUGE, 3)}, theirs=np.nan, reference="seen in 1.9.1"),
    Difference("float32-weights-boolean", "`average='weighted'`: float32 weights of boolean labels", ">=1.5", "The positives of a class are added up in float32, since booleans are no wider.", *_BOOLEANS, options={"average": "weighted", "sample_weight": np.repeat(_HUGE, 3)}, theirs=np.nan),
    Difference("float16-weights-boolean", "`average='weighted'`: float16 weights of boolean labels", ">=1.5", "The positives of a class are added up in float16, since booleans are no wider.", *_BOOLEANS, options={"average": "weighted", "sample_weight": np.repeat(np.float16(4e4), 3)}, theirs=np.nan),
    Difference("object-weights", "`average='weighted'`: weights that are objects", "1.9", "Their sum is an object too, which cannot be compared with 0.", *_TWO_COLUMNS, options={"average": "weighted", "sample_weight": np.array([1, 3], dtype=object)}, theirs="TypeError", reference="seen in 1.9.1"),
    Difference("decimal-weights", "`average='samples'`: weights that are a `Decimal`", ">=1.5", "They cannot be multiplied by floats. `average='weighted'` fails on them too.", *_TWO_COLUMNS, options={"average": "samples", "sample_weight": [Decimal(1), Decimal(3)]}, theirs="TypeError"),
    # --- the rest ---
    Difference("empty", "Empty input", ">=1.5", "There is no last sample to index. Here the message says what is wrong.", [], [], ours="ValueError", theirs="IndexError"),
    Difference("masked", "Masked arrays", ">=1.5", "The mask is lost, so the values that it hides count like all others.", [0, 1, 0, 1], np.ma.array([0.9, 0.8, 0.7, 0.6], mask=[True, False, False, False]), ours="ValueError", theirs=0.5, reference="seen in 1.5.2 and 1.9.1"),
    Difference("return-type", "The value is a NumPy scalar", "<1.7", "It is a Python float since 1.7, as here.", *_POSITIVE_FIRST, ours="float", theirs="float64", reference="#30575"),
)
# fmt: on
