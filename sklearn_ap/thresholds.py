"""Thresholds that decide which samples to flag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_FLOOR, Context
from functools import partial
from math import ceil, inf, nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._applied import (
    ThresholdCheck,
    checked,
    classifier_of,
    clusters_of,
    of_same_class,
    read_existing,
)
from ._data import public
from ._inputs import Inputs, Label, NPositives
from ._intake import to_decimals
from ._passes import curves as passes
from ._passes.curves import State, Sums
from ._results import Printed, Result, Table, one_line
from ._targets import Source, Target, Targets, promised, rounded_down, squares_of_units
from ._validation.errors import about, naming_model
from ._validation.labels import positive_class
from ._validation.models import read_models
from ._validation.rankings import read_ranking, split_n_positives
from ._validation.seen import Seen, name_seen
from ._validation.warned import warn, warn_of_weighed_k, warning_once
from .core.cutoff import DEFAULT_COUNTS, Cut, as_fraction
from .core.operating_points import OperatingPoints
from .core.rankings import Rankings
from .core.rules import PrecisionAtK, PrecisionAtRecall, RecallAtPrecision
from .core.segments import Array

__all__ = ["OperatingPoint", "OperatingPointTable", "ThresholdCheck", "operating_point"]

_ENOUGH = 1 + 1e-9  # sums of the same weights can differ by this factor


@dataclass(frozen=True, eq=False, repr=False)
class OperatingPoint(Result):
    """Result of :func:`~sklearn_ap.operating_point`: a threshold and what it flags.

    It prints as two sentences, with another one each for sample weights, groups and `quantile`.

    Attributes
    ----------
    threshold : scalar
        Flag the samples with ``y_score >= threshold``. It has the type of the prediction scores.
    precision, recall : float
        Precision and recall at the threshold; with weights, as fractions of weight.
    n_flagged : int
        How many samples are flagged.
    true_positives, false_positives : int
        How many of the flagged samples are positive, and how many are negative.
    flagged_share : float
        The flagged fraction of all samples; with weights, of their weight.
    flagged_mass, found_mass : float or None
        With weights, the total weight of the flagged samples, and of the positives among them.
    n_samples : int
        How many samples there are.
    n_groups : int or None
        With groups, how many groups there are.
    least_per_group, mean_per_group, most_per_group : int, float and int, or None
        With groups, the minimum, the mean and the maximum number of flagged samples per group.
    flagged_per_group : dict or None
        With groups, the number of flagged samples in each group.
    n_within : int or None
        With `quantile`, the number of groups that stay within the budget.
    min_recall, min_precision : float or None
        The targets.
    confidence_level : float or None
        The probability that the threshold meets its targets in the population. None if that isn't
        promised.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 0]
    >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    >>> point = ap.operating_point(y_true, y_score, min_recall=0.8)
    >>> point
    Flag scores of at least 0.6: precision 0.750 and recall 1.000.
    This flags 4 of 6 samples, of which 3 are positive.
    >>> point.threshold, point.n_flagged
    (0.6, 4)
    """

    threshold: Any  # flag y_score >= threshold; has the type of the scores
    precision: float
    recall: float
    n_flagged: int
    true_positives: int
    false_positives: int
    flagged_share: float  # of all samples; with weights, of their weight
    flagged_mass: float | None  # with weights: the weight of the flagged samples
    found_mass: float | None  # with weights: the weight of the positives among them
    n_samples: int = field(repr=False)
    shown: str = field(repr=False, compare=False)  # a short threshold that flags the same samples
    n_groups: int | None = None
    least_per_group: int | None = None
    mean_per_group: float | None = None
    most_per_group: int | None = None
    min_recall: float | None = None
    min_precision: float | None = None
    confidence_level: float | None = None
    flagged_per_group: dict[Any, int] | None = field(default=None, repr=False, compare=False)
    n_within: int | None = None
    source: Source | None = field(default=None, repr=False, compare=False)

    @property
    def _title(self) -> str:
        return self._promise().capitalize()

    def _header(self) -> list[str]:
        """Return the header of a printed table of several models."""
        header = ["threshold", "precision", "recall", "flagged", "positive"]
        header += ["flagged weight", "positive weight"] * (self.flagged_mass is not None)
        return header + ["per group", "mean"] * (self.n_groups is not None)

    def _cells(self) -> list[str]:
        """Return the cells of a printed table."""
        cells = [self.shown, f"{self.precision:.3f}", f"{self.recall:.3f}"]
        cells += [f"{self.n_flagged:,} of {self.n_samples:,}", f"{self.true_positives:,}"]
        if self.flagged_mass is not None and self.found_mass is not None:
            cells += [_amount(self.flagged_mass), _amount(self.found_mass)]
        if self.n_groups is not None:
            cells += [
                f"{self.least_per_group:,} to {self.most_per_group:,}",
                f"{self.mean_per_group:,.2f}",
            ]
        return cells

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict, which can be a row of a table."""
        found = super().to_dict()
        hidden = [*_OF_TARGETS] if self.confidence_level is None else []
        hidden += [] if self.n_within is not None else ["n_within"]
        hidden += [] if self.n_groups is not None else _OF_GROUPS
        return {name: each for name, each in found.items() if name not in hidden}

    def _printed(self) -> Printed:
        table = OperatingPointTable({"": self})._printed()
        ((*_, (row,)),) = table.parts
        return table._replace(header=table.header[1:], parts=[("", "", [row[1:]])])

    def all_thresholds(self) -> dict[str, Array]:
        """Return what each threshold flags, as the columns of a table, highest threshold first.

        Returns
        -------
        columns : dict of ndarray of shape (n_thresholds,)
            "threshold", "precision", "recall", "n_flagged" and "true_positives", and with weights,
            "flagged_mass" and "found_mass".

        Examples
        --------
        >>> import sklearn_ap as ap
        >>> point = ap.operating_point([1, 0, 1], [0.9, 0.8, 0.7], k=1)
        >>> point.all_thresholds()["recall"]
        array([0.5, 0.5, 1. ])
        """
        if self.source is None or self.source.state is None:
            raise ValueError(
                "Pickling a result drops the thresholds that weren't chosen. Call operating_point "
                "again to list all thresholds."
            )
        points, in_rows, thresholds, seen, *_ = self.source.state
        found, exist = points.cum_positives, points.n_positives.item()
        columns = {
            "threshold": to_decimals(thresholds, seen.scale).copy(),
            "precision": points.precision,
            "recall": np.minimum(found / exist, 1.0) if exist else np.full(found.size, nan),
            "n_flagged": in_rows.cum_total.copy(),
            "true_positives": in_rows.cum_positives.copy(),
        }
        if seen.weighted:
            columns |= {"flagged_mass": points.cum_total.copy(), "found_mass": found.copy()}
        return columns

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is known about all thresholds, which may be millions."""
        source = self.source and self.source._replace(state=None)
        return self.__dict__ | {"source": source}

    @of_same_class
    @public()
    def check(
        self,
        y_true: ArrayLike | None = None,
        y_score: ArrayLike | None = None,
        *,
        confidence_level: float = 0.95,
        pos_label: Label | None = None,
        sample_weight: ArrayLike | None = None,
        n_positives: NPositives = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        min_grade: float | None = None,
        prevalence: float | None = None,
        data: Any = None,
    ) -> ThresholdCheck:
        """Measure the threshold on new data, and say whether the targets were kept there.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), default=None
            Binary labels of new samples, which weren't used to choose the threshold.
        y_score : array-like of shape (n_samples,), default=None
            Prediction scores of the same model.
        confidence_level : float, default=0.95
            The probability with which each interval contains the true value.
        pos_label : int, float, bool or str, default=None
            The label of the positive class. By default, this and `min_grade` are the ones that the
            threshold was chosen with.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. Samples of weight 0 are left out.
        n_positives : int, float, array-like or mapping, default=None
            How many positives exist, found or not. Pass one count for a single ranking, or one for
            each column, or for each row with average='samples'. With `groups`, pass a mapping or
            pandas Series from groups to counts. A group that is only in the mapping was never
            retrieved, so its value is 0. By default, all positives are in `y_true`.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample. Each group, such as a query, a user or a day, is ranked
            separately. Groups can be numbers, strings or other hashable objects, in any order.
            `y_true` must be binary.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient or its image. Samples of a cluster may
            depend on each other, so the clusters are the sampling units. Without `groups`, all
            samples are ranked together. With `groups`, each group is ranked separately, and a
            cluster can have samples in several groups. The groups are then fixed, as classes are,
            and only the clusters are drawn.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y_true` contains grades instead of labels,
            such as relevances from 0 to 4. With 2, the positives are `y_true >= 2`. `y_true` must
            then be one column of numbers, and you can't pass `pos_label` or `classes`.
        prevalence : float, default=None
            The proportion of positives in the population that you want a value for, if it isn't
            that of the samples, for example because negatives were subsampled. Negatives are
            weighted so that all existing positives make up this proportion of the total weight,
            over all groups together. The target must be binary. A cut-off k must be a fraction of
            the total weight, as in k=0.01, or count rows, with k_counts='samples'.
        data : table, default=None
            The table that contains the columns, if you pass column names instead of arrays. It can
            be a DataFrame or LazyFrame of pandas, polars, narwhals, Dask or Spark, a DuckDB
            relation, an Ibis or PyArrow table, a PyArrow dataset, or a path to Parquet files. If
            one of :mod:`sklearn_ap.readers` has read it, it knows its columns, and you don't name
            them. The columns that you name are read into memory.

        Returns
        -------
        check : ThresholdCheck
            It prints as a few sentences, and `to_dict` converts it to a dict.

        Examples
        --------
        >>> import sklearn_ap as ap
        >>> y_true = [1, 0, 1, 1, 0, 0]
        >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
        >>> point = ap.operating_point(y_true, y_score, min_recall=0.6)
        >>> point.check([1, 0, 0, 1], [0.7, 0.3, 0.8, 0.5])
        Of 4 new samples, 2 are flagged, and 1 of these is positive.
        With 95% intervals: precision 0.500 (0.013 to 0.987), recall 0.500
        (0.013 to 0.987), fraction flagged 0.500 (0.068 to 0.932).
        Recall of at least 0.6: not enough data to tell.
        """
        inputs: Inputs = data
        samples, seen = read_ranking(inputs)
        return checked(self, samples, seen, inputs, confidence_level)

    def classifier(self, estimator: Any, *, response_method: str = "auto") -> Any:
        """Return a scikit-learn classifier that flags the same samples as the threshold.

        Parameters
        ----------
        estimator : estimator
            The binary classifier whose prediction scores the threshold was chosen for. If it is
            fitted, the result can predict at once, and its `fit` doesn't fit the estimator again.
            With scikit-learn 1.5, call `fit` first, with the samples that `estimator` was fitted
            on.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            The method that returns the prediction scores. With 'auto', it is `predict_proba` if the
            estimator has it and the threshold was chosen from scores between 0 and 1. Otherwise, it
            is `decision_function`.

        Returns
        -------
        classifier : sklearn.model_selection.FixedThresholdClassifier
            A classifier with the same classes as the estimator.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> import sklearn_ap as ap
        >>> X, y = make_classification(random_state=0)
        >>> model = LogisticRegression().fit(X[:50], y[:50])
        >>> y_score = model.predict_proba(X[50:])[:, 1]
        >>> point = ap.operating_point(y[50:], y_score, min_recall=0.8)
        >>> point.classifier(model).threshold == point.threshold
        True
        """
        return classifier_of(self, estimator, response_method)

    def __str__(self) -> str:
        by_weight = self.flagged_mass is not None
        samples = "sample" if self.n_samples == 1 else "samples"
        are = "is" if self.true_positives == 1 else "are"
        lines = [
            f"Flag scores of at least {self.shown}: {self._in_words()}{' by weight' * by_weight}.",
            f"This flags {self.n_flagged:,} of {self.n_samples:,} {samples}, of which "
            f"{self.true_positives:,} {are} positive.",
        ]
        if self.flagged_mass is not None and self.found_mass is not None:
            flagged, found = _amount(self.flagged_mass), _amount(self.found_mass)
            lines.append(f"The flagged samples weigh {flagged}, the positives among them {found}.")
        if self.n_groups is not None:
            groups = "1 group" if self.n_groups == 1 else f"{self.n_groups:,} groups"
            lines.append(
                f"In {groups}, it flags {self.least_per_group:,} to {self.most_per_group:,} "
                f"samples per group, {self.mean_per_group:,.2f} on average."
            )
        if self.n_within is not None and self.source is not None:
            lines.append(
                f"The budget k={self.source.asked.k} suffices in {self.n_within:,} of these "
                "groups, but new groups may exceed it."
            )
        return "\n".join(lines)

    def _in_words(self) -> str:
        """Return the precision and the recall, each with the target that is promised."""
        missing = self.recall != self.recall
        here = {"recall": f"{self.recall:.3f}", "precision": f"{self.precision:.3f}"}
        if self.confidence_level is None:
            recall = "undefined recall (no positives)" if missing else f"recall {here['recall']}"
            return f"precision {here['precision']} and {recall}"
        targets = {"recall": self.min_recall, "precision": self.min_precision}
        found = [here[name] for name, target in targets.items() if target is not None]
        others = [f", {name} {here[name]}" for name, target in targets.items() if target is None]
        return f"{self._promise()} ({' and '.join(found)} here){''.join(others)}"

    def _promise(self) -> str:
        """Say what is promised; empty if nothing is."""
        if self.confidence_level is None:
            return ""
        targets = {"recall": self.min_recall, "precision": self.min_precision}
        each = [
            f"{name} at least {least:g}" for name, least in targets.items() if least is not None
        ]
        return f"{' and '.join(each)} with {100 * self.confidence_level:g}% confidence"


_OF_GROUPS = ["n_groups", "least_per_group", "mean_per_group", "most_per_group"]
_OF_TARGETS = ("min_recall", "min_precision", "confidence_level")


@dataclass(frozen=True, eq=False, repr=False)
class OperatingPointTable(Table, Mapping[str, Any]):
    """Result of :func:`~sklearn_ap.operating_point` for several models, and of its `check`.

    It prints as a table, also in a notebook, and is a mapping from models to results.

    Attributes
    ----------
    points : dict
        The :class:`OperatingPoint` of each model, or its :class:`ThresholdCheck`.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 0]
    >>> old = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    >>> new = [0.9, 0.3, 0.7, 0.6, 0.5, 0.4]
    >>> points = ap.operating_point(
    ...     y_true, {"old": old, "new": new}, min_recall=0.8
    ... )
    >>> points
    model  threshold  precision  recall  flagged  positive
    old    0.6        0.750      1.000   4 of 6   3
    new    0.6        1.000      1.000   3 of 6   3
    >>> points["new"].threshold
    0.6
    >>> points.check([1, 0, 1], {"old": old[:3], "new": new[:3]})[
    ...     "new"
    ... ].precision.value
    1.0
    """

    _index = "model"

    points: dict[str, Any]

    def __getitem__(self, model: str) -> Any:
        return self.points[model]

    def __iter__(self) -> Iterator[str]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def to_dict(self) -> list[dict[str, Any]]:  # type: ignore[override]
        """Return the rows as a list of dicts."""
        return [{"model": model} | point.to_dict() for model, point in self.points.items()]

    def check(self, y_true: ArrayLike, y_score: Any, **given: Any) -> OperatingPointTable:
        """Measure the threshold of each model on new data.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels of new samples, which weren't used to choose the thresholds.
        y_score : mapping
            The prediction scores of the same models. With `data`, pass a mapping from models to
            names of columns, or a list of names.
        **given
            Other parameters of :meth:`OperatingPoint.check`.

        Returns
        -------
        checks : OperatingPointTable
            A mapping from models to :class:`ThresholdCheck`, which prints as a table.
        """
        has_data = given.get("data") is not None
        models = read_models("OperatingPointTable.check", "y_score", y_score, has_data)
        if models.keys() != self.keys():
            raise ValueError(
                f"y_score must have the prediction scores of the models {list(self)}, whose "
                f"thresholds are checked. Got those of {list(models)} instead."
            )
        checks = {}
        with warning_once():
            for model, point in self.items():
                with naming_model(model, models):
                    checks[model] = point.check(y_true, models[model], **given)
        return OperatingPointTable(checks)

    def _printed(self) -> Printed:
        first = next(iter(self.values()))
        rows = [[one_line(str(model)), *one._cells()] for model, one in self.items()]
        differs = {model: getattr(one, "differs", ()) for model, one in self.items()}
        notes = [f"Note on {model}: {each}." for model in self for each in differs[model]]
        return Printed(["model", *first._header()], [("", "", rows)], first._title, notes)


@public(on_engines=True, of_models=OperatingPointTable, in_memory_with=("clusters", "quantile"))
def operating_point(
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    min_recall: float | None = None,
    min_precision: float | None = None,
    k: float | None = None,
    k_counts: str = DEFAULT_COUNTS,
    quantile: float | None = None,
    confidence_level: float | None = None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    min_grade: float | None = None,
    prevalence: float | None = None,
    data: Any = None,
) -> Any:
    """Choose a threshold for a target recall or precision, or for a number of samples to flag.

    A threshold is an operating point of a classifier [1]_. Pass `min_recall`, `min_precision` or
    both, or else `k`, to choose it. Samples are flagged if ``y_score >= threshold``, so either all
    of the samples that are tied are flagged, or none of them.

    Choose the threshold on samples that the model wasn't fitted on. A threshold that only just
    reaches its target there misses it on new samples about half the time. Pass `confidence_level`
    to leave a margin: the threshold then meets the target in the population with this probability,
    if the samples, or the `clusters`, are drawn from it independently. To measure the threshold on
    new samples, call the `check` method of the result.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), default=None
        Binary labels. If there are several classes, pass one at a time, as ``y_true == label``.
    y_score : array-like of shape (n_samples,), or mapping, default=None
        Prediction scores, higher for the positive class. Or a mapping from names of models to their
        prediction scores, to choose a threshold for each model. With `data`, pass the name of a
        column, or for several models, a list of names with one per model, or a mapping from models
        to names.
    min_recall : float, default=None
        Choose the threshold with the best precision among those with at least this recall. If
        several have the same precision, choose the one with the best recall. The comparison is
        exact.
    min_precision : float, default=None
        Choose the threshold with the best recall among those with at least this precision. If you
        pass `min_recall` too, choose the threshold that `min_recall` alone would choose. You get an
        error if it doesn't have this precision.
    k : int or float, default=None
        Choose the highest threshold that flags the top k samples. If the cut-off splits tied
        samples, all of these are flagged. A float is a fraction of the samples; see
        :func:`average_precision_at_k_score`. An int that exceeds the number of samples flags all of
        them, with a warning. With `groups`, an int is a budget instead: choose the lowest threshold
        that flags at most k samples per group on average, over all groups. A float is still a
        fraction of all samples.
    k_counts : {'samples', 'weight'}, default='weight'
        What k counts if samples have weights: their weight, or the samples themselves. Pass it if
        the weights differ, because without it you get a warning.
    quantile : float, default=None
        With `groups` and an int k, flag at most k samples in this fraction of the groups, instead
        of on average. If the groups are days and this is 0.9, you get the lowest threshold that
        flags at most k samples on at least 90% of the days in the data. It may flag more on other
        days. The columns are then read into memory.
    confidence_level : float, default=None
        Choose a threshold that meets `min_recall`, `min_precision` or both in the population, with
        this probability. It is the highest threshold for which a test confirms the recall [2]_, the
        lowest one for which it confirms the precision [3]_, or with both targets, the highest one
        for which it confirms both. With weights or clusters, the probability is approximate. If
        there isn't enough data, the error suggests a lower target. By default, only these samples
        have to meet the target.
    pos_label : int, float, bool or str, default=1
        The label of the positive class. It must be 1 for multilabel and multiclass `y_true`.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights. Samples of weight 0 are left out. Precision and recall are then fractions of
        weight. Samples of weight 0 don't count as flagged either.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not. Pass one count for a single ranking, or one for each
        column, or for each row with average='samples'. With `groups`, pass a mapping or pandas
        Series from groups to counts. A group that is only in the mapping was never retrieved, so
        its value is 0. By default, all positives are in `y_true`. With weights, pass their total
        weight. With `groups`, a single number is the total of all groups.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. Each group, such as a query, a user or a day, is ranked
        separately. Groups can be numbers, strings or other hashable objects, in any order. `y_true`
        must be binary. The threshold is the same for all groups: recall and precision are those of
        all samples together, and the result says how many samples of each group are flagged.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient or its image. Samples of a cluster may
        depend on each other, so the clusters are the sampling units. Without `groups`, all samples
        are ranked together. With `groups`, each group is ranked separately, and a cluster can have
        samples in several groups. The groups are then fixed, as classes are, and only the clusters
        are drawn. They matter only with `confidence_level`, and the columns are then read into
        memory.
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
        be binary.

    Returns
    -------
    point : OperatingPoint or OperatingPointTable
        It has the attributes `threshold`, `precision`, `recall`, `n_flagged`, `true_positives`,
        `false_positives`, `flagged_share`, `flagged_mass` and `found_mass`, and with groups also
        `n_groups`, `least_per_group`, `mean_per_group`, `most_per_group` and `flagged_per_group`.
        It prints as a few sentences, and `to_dict` converts it to a dict. `threshold` is one of the
        prediction scores, with its exact value and type. `flagged_share` is the fraction of all
        samples that is flagged, measured by weight if there are weights. `flagged_mass` and
        `found_mass` are the weight of all flagged samples and of the positives among them, or None
        without weights. If you pass `k` and there are no positives, the recall is nan. `check`
        measures the threshold on new samples, `classifier` makes a classifier of it, and
        `all_thresholds` lists what the others flag. With several models, the result is an
        `OperatingPointTable`, a mapping from models to such results. It prints as a table.
        `to_dict`, `to_frame`, `to_html`, `to_latex` and `to_markdown` convert both.

    See Also
    --------
    precision_at_recall_score : Compute the best precision at a target recall, as a metric.
    recall_at_precision_score : Compute the best recall at a target precision, as a metric.
    sklearn.model_selection.FixedThresholdClassifier : A classifier with this threshold.

    References
    ----------
    .. [1] T. Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters 27(8), 2006.
    .. [2] S. S. Wilks, "Determination of sample sizes for setting tolerance limits", Annals of
       Mathematical Statistics 12(1), 1941: an order statistic of the positives' scores.
    .. [3] A. N. Angelopoulos, S. Bates, E. J. Candes, M. I. Jordan and L. Lei, "Learn then test:
       calibrating predictive algorithms to achieve risk control", Annals of Applied Statistics
       19(2), 2025: exact binomial tests of one threshold after the other.

    Examples
    --------
    >>> from sklearn_ap import operating_point
    >>> y_true = [1, 0, 1, 1, 0, 0]
    >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    >>> point = operating_point(y_true, y_score, min_recall=0.8)
    >>> point
    Flag scores of at least 0.6: precision 0.750 and recall 1.000.
    This flags 4 of 6 samples, of which 3 are positive.
    >>> point.threshold
    0.6
    >>> operating_point(y_true, y_score, min_precision=0.7).recall
    1.0
    >>> operating_point(y_true, y_score, k=0.5).n_flagged
    3

    Flag at most one sample per day, on average over the days:

    >>> days = ["Mon", "Mon", "Tue", "Tue", "Tue", "Wed"]
    >>> operating_point(y_true, y_score, k=1, groups=days)
    Flag scores of at least 0.7: precision 0.667 and recall 0.667.
    This flags 3 of 6 samples, of which 2 are positive.
    In 3 groups, it flags 0 to 2 samples per group, 1.00 on average.
    """
    inputs: Inputs = data
    asked = Targets(
        *(min_recall, min_precision, k, k_counts, quantile, confidence_level),
        *(pos_label, min_grade),
    )
    asked.check(inputs)
    positives = positive_class(pos_label, min_grade)
    choose = partial(_choose, asked, pos_label=positives)
    if inputs.engine is not None:
        point: OperatingPoint = passes.threshold(
            inputs.engine,
            choose,
            _describe,
            positives,
            n_positives,
            squared=confidence_level is not None,
        )
        return point
    samples, seen = read_ranking(inputs)
    n_positives, _ = split_n_positives(n_positives, groups, clusters)
    points, thresholds = samples.curve()
    in_rows = replace(samples, weight=None).curve()[0] if seen.weighted else points
    squares = None
    if confidence_level is not None:
        squares = squares_of_units(samples, in_rows, inputs)
    elif clusters is not None:
        clusters_of(inputs, samples)  # refuse what can't be clusters
    found = passes.positives_of_groups(samples)
    limits = None if quantile is None or k is None else _limits(Cut(k, k_counts), samples)
    state = State(points, in_rows, thresholds, seen, found, squares, limits)
    point, threshold = choose(state, n_positives=n_positives)
    if samples.group is None:
        return point
    return _describe(point, passes.flagged_in_groups(samples, threshold))


def _limits(depth: Cut, samples: Rankings) -> Array:
    """Return the score of each group at which its flagged samples exceed k, in ascending order.

    Groups that never do are left out.
    """
    assert samples.group is not None
    order = np.lexsort((np.unique(samples.scores, return_inverse=True)[1], samples.group))[::-1]
    group = samples.group[order]
    each = np.ones(order.size) if samples.weight is None or depth.by_rows else samples.weight[order]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    before = np.append(0, np.cumsum(each))[first]
    flagged = np.cumsum(each) - np.repeat(before, np.diff(np.append(first, order.size)))
    over = np.flatnonzero(flagged > depth.k * _ENOUGH)
    return np.sort(samples.scores[order[over[np.unique(group[over], return_index=True)[1]]]])


def _choose(
    asked: Targets, state: State, *, pos_label: Any, n_positives: NPositives
) -> tuple[OperatingPoint, Array]:
    """Choose the point of one ranking that meets the target, and return it with its threshold."""
    points, in_rows, thresholds, seen, groups, *_ = state
    rule = asked.rule
    # Leave the zeros out, because they can change the last bit of the sum.
    found = points.positives[points.positives > 0].sum(keepdims=True)
    exist, n_groups = read_existing(seen, found.item(), rule, n_positives, groups)
    points = points.out_of(found if exist is None else exist)
    state = state._replace(points=points)
    n_within = None
    if isinstance(rule, PrecisionAtK):
        warn_of_weighed_k(rule.depth, seen.sample_weight)
        counted = in_rows if rule.depth.by_rows else points
        if state.limits is None:
            place = _first_k(rule, counted, seen, n_groups)
        else:
            assert n_groups is not None
            place, n_within = _within(asked, thresholds, state.limits, n_groups)
    else:
        _check_any_positives(rule, in_rows.n_positives.item(), seen, pos_label)
        if asked.confidence_level is None:
            place = _check_met(rule, rule.chosen(points), points)
            _check_both(asked, rule, points.take(np.array([place])))
        else:
            place = promised(asked, state)
    below = to_decimals(thresholds[place : place + 2], seen.scale)
    point = _at(place, rule, points, in_rows, below, seen.weighted, asked.confidence_level is None)
    point = replace(
        point,
        n_groups=n_groups,
        min_recall=asked.min_recall,
        min_precision=asked.min_precision,
        confidence_level=asked.confidence_level,
        n_within=n_within,
        source=Source(
            asked,
            in_rows.n_positives.item(),
            thresholds.dtype.kind == "f" and bool(thresholds[-1] >= 0 and thresholds[0] <= 1),
            state,
        ),
    )
    return point, thresholds[place : place + 1]


def _within(asked: Targets, thresholds: Array, limits: Array, n_groups: int) -> tuple[int, int]:
    """Return the last point within k in this fraction of the groups, and in how many it is."""
    most = n_groups - ceil(as_fraction(asked.quantile) * n_groups)  # groups that may exceed k
    place = thresholds.size - 1
    if most < limits.size:
        place = int(np.count_nonzero(thresholds > limits[-1 - most])) - 1
    if place < 0:
        raise ValueError(
            f"No threshold flags at most k={asked.k} samples in {100 * (asked.quantile or 0):.4g}% "
            "of the groups, because too many samples are tied at the highest prediction score. "
            "Pass a larger k."
        )
    return place, n_groups - int(np.count_nonzero(limits >= thresholds[place]))


def _first_k(rule: PrecisionAtK, points: OperatingPoints, seen: Seen, n_groups: int | None) -> int:
    """Return the index of the point that completes the top k.

    With groups, a count is a budget: return the index of the last point within k per group.
    """
    depth, of_weight = rule.depth, seen.weighted and not rule.depth.by_rows
    _warn_of_few(depth, points, of_weight, n_groups)
    if n_groups is None or depth.is_share:
        return rule.chosen(points)
    flagged = points.cum_total
    budget = depth.k * n_groups * (_ENOUGH if flagged.dtype.kind == "f" else 1)
    place = int(np.count_nonzero(flagged <= budget)) - 1
    what = "units of weight" if of_weight else "samples"
    return _check_within(place, depth.k, points, n_groups, what)


def _describe(point: OperatingPoint, flagged: Sums) -> OperatingPoint:
    """Say how many samples of each group are flagged. Groups without samples have none."""
    assert point.n_groups is not None
    number = flagged.values
    has_empty = number.size < point.n_groups
    return replace(
        point,
        least_per_group=0 if has_empty else number.min().item(),
        mean_per_group=point.n_flagged / point.n_groups,
        most_per_group=number.max().item(),
        flagged_per_group=flagged.as_dict(),
    )


def _warn_of_few(
    depth: Cut, points: OperatingPoints, of_weight: bool, n_groups: int | None
) -> None:
    """Warn if an integer k exceeds the number of samples or their total weight."""
    size = points.n_samples.item()
    if depth.is_share or depth.k * (n_groups or 1) <= size * _ENOUGH:
        return
    most = f"the sum of sample_weight, {size:g}" if of_weight else f"the {size:,} samples"
    if n_groups is not None:
        mean = size / n_groups
        most = f"the mean {'weight' if of_weight else 'number of samples'} per group, {mean:.4g}"
    warn(f"k={depth} exceeds {most}, so all samples are flagged.", UserWarning)


def _at(
    place: int,
    rule: Target,
    points: OperatingPoints,
    in_rows: OperatingPoints,
    below: Array,
    weighted: bool,
    is_best: bool,
) -> OperatingPoint:
    """Describe the point at this place, which may be the best one by the rule.

    `below` has its threshold and the next lower one.
    """
    found, flagged = points.cum_positives[place].item(), points.cum_total[place].item()
    precision, recall = found / flagged, _share(found, points.n_positives.item())
    # Equal precisions can differ in the last bit, so take the value that the metric returns.
    if is_best and isinstance(rule, PrecisionAtRecall):
        precision = rule.values(points).item()
    elif is_best and isinstance(rule, RecallAtPrecision):
        recall = rule.values(points).item()
    n_flagged, n_found = in_rows.cum_total[place].item(), in_rows.cum_positives[place].item()
    return OperatingPoint(
        threshold=_plain(below[0]),
        precision=precision,
        recall=recall,
        n_flagged=n_flagged,
        true_positives=n_found,
        false_positives=n_flagged - n_found,
        flagged_share=_share(flagged, points.n_samples.item()),
        flagged_mass=float(flagged) if weighted else None,
        found_mass=float(found) if weighted else None,
        n_samples=in_rows.n_samples.item(),
        shown=_short(below),
    )


def _share(part: float, whole: float) -> float:
    return min(part / whole, 1.0) if whole else nan


def _plain(score: Any) -> Any:
    """Convert a prediction score to a plain Python number, unless it is a time of NumPy."""
    is_number = isinstance(score, np.generic) and score.dtype.kind in "biuf"
    score = score.item() if is_number else score
    return score + 0.0 if isinstance(score, float) else score  # -0.0 is 0.0


def _short(below: Array) -> str:
    """Shorten the first of two thresholds.

    It gets the fewest digits, at least three, that flag the same samples. Digits are cut off rather
    than rounded, because a rounded threshold may exceed the score itself.
    """
    kind = below.dtype
    if kind.kind != "f" or kind.itemsize > 8:
        return str(below[0])
    score = float(below[0]) + 0.0
    lower = float(below[1]) if below.size > 1 else -inf
    for digits in range(3, 17):
        short = float(Context(digits, ROUND_FLOOR).create_decimal(repr(score)))
        with np.errstate(over="ignore"):
            # Arrays of narrow floats convert a Python float to their own type before they compare.
            lowest = min(short, float(kind.type(short)))
        if lower < lowest and short <= score:
            return repr(short)
    return repr(score)


def _amount(mass: float) -> str:
    in_full = mass < 1e15 and (mass >= 1000 or mass.is_integer())
    return f"{mass:,.0f}" if in_full else f"{mass:.4g}"


# --- whether a threshold meets the target ---------------------------------------------------------


def _check_within(place: int, k: float, points: OperatingPoints, n_groups: int, what: str) -> int:
    """Check that the highest threshold is within the budget of k per group."""
    if place >= 0:
        return place
    first = points.cum_total[0].item()
    raise ValueError(
        f"No threshold flags at most k={k} {what} per group on average, because {first:,} "
        f"{what} with the highest prediction score are tied, and there are {n_groups:,} groups. "
        f"Pass k={ceil(first / n_groups)} or more."
    )


@about("y_true")
def _check_any_positives(
    rule: PrecisionAtRecall | RecallAtPrecision, found: float, seen: Seen, pos_label: Any
) -> None:
    if not found:
        raise ValueError(
            f"{_target(rule)} cannot be met, because y_true has no positives "
            f"({name_seen(seen, pos_label)}). Without positives, only k chooses a threshold."
        )


@about("y_score")
def _check_met(
    rule: PrecisionAtRecall | RecallAtPrecision, place: int | None, points: OperatingPoints
) -> int:
    """Return the index of the chosen point, or raise an error if there is none."""
    if place is not None:
        return place
    part, whole = rule.most_of_one(points)
    best = rounded_down(part, whole)
    if isinstance(rule, PrecisionAtRecall):
        raise ValueError(
            f"No threshold reaches {_target(rule)}: of n_positives={whole}, y_true has {part}, so "
            f"the highest recall is {best}. Pass min_recall={best} or less."
        )
    raise ValueError(
        f"No threshold reaches {_target(rule)}: the highest precision at any threshold is {best}. "
        f"Pass min_precision={best} or less."
    )


def _target(rule: PrecisionAtRecall | RecallAtPrecision) -> str:
    if isinstance(rule, PrecisionAtRecall):
        return f"min_recall={rule.min_recall}"
    return f"min_precision={rule.min_precision}"


def _check_both(asked: Targets, rule: Target, chosen: OperatingPoints) -> None:
    """Check that the threshold that has the recall also has the precision."""
    if asked.min_precision is None or not isinstance(rule, PrecisionAtRecall):
        return
    if not RecallAtPrecision(asked.min_precision).reached(chosen).item():
        best = rounded_down(chosen.precision.item())
        raise ValueError(
            f"No threshold reaches both {_target(rule)} and min_precision={asked.min_precision}: "
            f"with that recall, the highest precision is {best}. Pass min_precision={best} or less."
        )
