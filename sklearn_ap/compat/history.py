"""What scikit-learn's `average_precision_score` returned in each release, and still returns."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d

from .._enter.entry import public
from .._read.labels import kind_of, refuse
from .._read.rankings import read_rankings
from .._words.arrays import columns, header, in_namespace_of, to_host
from .._words.errors import InvalidParameterError
from .._words.inputs import Average, Inputs, Label, NPositives, Score, ZeroDivision
from .._words.messages import ONLY_LABEL, warn_no_positives, without_warning
from .._words.toml import read_toml
from ..core.operating_points import OperatingPoints
from ..core.rankings import Rankings
from ..core.rules import Linear, Step
from ..core.runs import Array
from ..metrics import evaluated

_VERSION = re.compile(r"(\d+)\.(\d+)(\.\d+)*((a|b|rc|\.post|\.dev)\d+)*")


@dataclass(frozen=True)
class Era:
    """How `average_precision_score` works from one release until the next change."""

    since: str
    trapezoids: bool  # instead of steps
    keywords: Collection[str]
    several_columns: str  # of labels: "as one ranking", "refused" or "averaged"
    one_label: bool  # may y_true contain only positives, or only negatives?
    multiclass: bool
    same_within: float  # scores that differ by no more than this are tied
    no_positives: float
    nan_on_top: bool  # is it nan if all samples with the highest score have weight 0?
    refuses_nan: bool  # is an area that is nan an error?
    nan_weighs: bool  # does a class or row of weight 0 make the mean nan if it is nan?
    no_mass: float  # a mean weighted by positives is 0 if they have no more mass than this


RELEASES = [f"0.{minor}" for minor in range(13, 25)] + [f"1.{minor}" for minor in range(10)]


# In the table, eras have only the fields that change.
ERAS = tuple(Era(**era) for era in accumulate(read_toml("compat/history.toml")["eras"], or_))


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
    with without_warning(ONLY_LABEL):  # which scikit-learn doesn't give
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
    if header(y_score) is not None:  # which scikit-learn ignores
        y_score = np.asarray(columns(y_score))
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
        if scores.dtype == object:  # large integers can't be subtracted from floats
            gaps = np.diff(np.frompyfunc(Fraction, 1, 1)(ordered), axis=0)
        else:
            gaps = np.diff(ordered, axis=0).astype(np.float64)
        starts[1:] = np.abs(gaps) > distance
    place = np.arange(len(scores))[:, np.newaxis]
    lowest = np.maximum.accumulate(np.where(starts, place, 0), axis=0)
    merged = np.empty_like(scores)
    np.put_along_axis(merged, order, np.take_along_axis(ordered, lowest, axis=0), axis=0)
    return merged


def _values(columns: Rankings, points: OperatingPoints, era: Era) -> Array:
    values = (Linear() if era.trapezoids else Step()).values(points)
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
        For multiclass `y_true`, the class of each column of `y_score`. By default, a column of a
        table is the class that it is called by, and values are in sorted order. Otherwise, the
        classes are the sorted labels in `y_true`, so pass them if some may be missing there.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not. Pass one count for a single ranking, or one for each
        column, or for each row with average='samples'. Columns that have names can also be named by
        a mapping or pandas Series, and must be if the classes in the table aren't sorted. With
        `groups`, pass a mapping or Series from groups to counts. A group that is only in the
        mapping was never retrieved, so its value is 0. By default, all positives are in `y_true`.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. Each group, such as a query, a user or a day, is ranked
        separately. Groups can be numbers, strings or other hashable objects, in any order. Several
        columns (with `data`, a list of names, otherwise a 2-D array, DataFrame or tuple of arrays)
        name groups by the tuples that occur, as in pandas. `y_true` must be binary.
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
        Ibis or PyArrow table, a PyArrow dataset, a path to Parquet files, or one of Hugging Face's
        `datasets`. If one of :mod:`sklearn_ap.readers` has read it, it knows its columns, and you
        don't name them. Data that is not in memory is read in chunks, and only the columns that you
        name. Its target must be binary. `y_score` can be a list of names, one per class.

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
    >>> constant = [0.1] * 100
    >>> one_found = [0.9] + [0.1] * 98 + [0.9]
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


class _Table(np.ndarray[Any, Any]):
    """An array whose columns have names, like those of a DataFrame, which needs no pandas."""

    columns = ("c", "b", "a")


_NAMED = np.array([[0.1, 0.1, 0.8], [0.1, 0.8, 0.1], [0.8, 0.3, 0.1]]).view(_Table)
_WHOLE = 2**53  # the next whole number is no float
_HUGE, _LARGE = np.repeat(np.float32(2e38), 3), np.repeat(np.float16(4e4), 3)
_OBJECTS, _DECIMALS = np.array([1, 3], dtype=object), [Decimal(1), Decimal(3)]

# By the ids of differences, inputs whose types TOML doesn't have
_INPUTS: dict[str, dict[str, Any]] = {
    "named-columns": {"y_score": _NAMED},
    "large-labels": {"y_true": np.array([1.0, 1e19])},
    "object-booleans": {"y_true": np.array([False, True], dtype=object)},
    "timedelta-labels": {"y_true": [np.timedelta64(0, "s"), np.timedelta64(1, "s")]},
    "object-columns": {"y_score": np.array([[_WHOLE + 1, 1], [_WHOLE, 2]], dtype=object)},
    "long-doubles": {"y_score": [np.longdouble("0.1"), np.longdouble("0.2")]},
    "close-decimals": {"y_score": [Decimal("0.30000000000000000001"), Decimal("0.3")]},
    "masked": {"y_score": np.ma.array([0.9, 0.8, 0.7, 0.6], mask=[True, False, False, False])},
    "float32-weights": {"options": {"average": "weighted", "sample_weight": _HUGE}},
    "float32-weights-boolean": {"options": {"average": "weighted", "sample_weight": _HUGE}},
    "float16-weights-boolean": {"options": {"average": "weighted", "sample_weight": _LARGE}},
    "object-weights": {"options": {"average": "weighted", "sample_weight": _OBJECTS}},
    "decimal-weights": {"options": {"average": "samples", "sample_weight": _DECIMALS}},
}
DIFFERENCES = tuple(
    Difference(**row | _INPUTS.get(row["id"], {}))
    for row in read_toml("compat/history.toml")["differences"]
)
