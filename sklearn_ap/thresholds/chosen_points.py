"""Operating points, as users choose, print, save and check them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Self

from numpy.typing import ArrayLike

from .._enter.entry import public, read_rows
from .._inputs.records import Inputs, Label, NPositives
from .._show.results import Printed, Table, join_lines, write_value
from .._words.messages import format_mass
from . import checks
from .checks import ThresholdCheck
from .measured_rows import read_measured_rows
from .point import TARGET_FIELDS, Choice, Point  # noqa: F401  (types of OperatingPoint)
from .saved_points import read_fields, read_models_of_points, save_point


@dataclass(frozen=True, eq=False, repr=False)
class OperatingPoint(Point):
    """Result of :func:`~sklearn_ap.operating_point`: a threshold and what it flags.

    It prints as a table of one row.

    Attributes
    ----------
    threshold : scalar
        Flag the samples with ``y_score >= threshold``. A threshold that was chosen is a short
        decimal just below the prediction score that is printed, so that it flags the same samples
        if scores are rounded to float32, or saved as text of that or of their own type. Whole
        numbers stay as they are, as do scores that are too close to the next lower one, for which
        `is_lasting` is False in `to_dict`.
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
        With groups, the number of groups.
    least_per_group, mean_per_group, most_per_group : int, float and int, or None
        With groups, the minimum, the mean and the maximum number of flagged samples per group.
    flagged_per_group : dict or None
        With groups, the number of flagged samples in each group.
    min_recall, min_precision : float or None
        The targets.
    confidence_level : float or None
        The probability that the threshold meets its targets in the population. None without such a
        guarantee.

    See Also
    --------
    sklearn_ap.operating_point : Choose a threshold.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 0]
    >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    >>> point = ap.operating_point(y_true, y_score, min_recall=0.8)
    >>> point
    Flag scores of at least 0.6
    precision  recall  flagged  positive
    0.750       1.000   4 of 6         3
    >>> point.threshold, point.n_flagged
    (0.5999999, 4)
    """

    def _columns(self) -> list[tuple[str, str]]:
        """Return the header and the cell of each column of a printed table."""
        columns = [
            ("threshold", self.shown),
            ("precision", write_value(self.precision)),
            ("recall", write_value(self.recall)),
            ("flagged", f"{self.n_flagged:,} of {self.n_samples:,}"),
            ("positive", f"{self.true_positives:,}"),
        ]
        if self.flagged_mass is not None and self.found_mass is not None:
            columns.append(("flagged weight", format_mass(self.flagged_mass)))
            columns.append(("positive weight", format_mass(self.found_mass)))
        if self.n_groups is not None:
            columns.append(("per group", f"{self.least_per_group:,} to {self.most_per_group:,}"))
            columns.append(("mean", f"{self.mean_per_group:,.2f}"))
        return columns

    def _as_dict(self) -> dict[str, Any]:
        hidden = [name for name in _GROUP_FIELDS if getattr(self, name) is None]
        hidden += TARGET_FIELDS if self.confidence_level is None else ()
        return {name: value for name, value in super()._as_dict().items() if name not in hidden}

    def _printed(self) -> Printed:
        header, cells = zip(*self._columns(), strict=True)
        said = [f"Flag scores of at least {self.shown}"]
        if self.threshold == inf:
            said = ["Flag nothing"]
        if self.source.targets.promise:
            said.append(self.source.targets.promise)
        if self.flagged_mass is not None:
            said.append("fractions are by weight")
        return Printed(header[1:], [("", "", [cells[1:]])], ", ".join(said))

    def to_dict(self) -> dict[str, Any]:
        """Return the point as a dict that can be stored as JSON and loaded by :meth:`from_dict`.

        Undefined values are None, and an infinite threshold is "inf" or "-inf".
        `flagged_per_group` isn't saved.
        """
        return save_point(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Load a point from what :meth:`to_dict` returned, possibly in another process.

        The result prints and checks as the point does. A dict of another version is refused.

        Parameters
        ----------
        values : dict
            What `to_dict` returned, whether or not it went through JSON.

        Returns
        -------
        point : OperatingPoint
            The same operating point.

        Examples
        --------
        >>> import json
        >>> import sklearn_ap as ap
        >>> point = ap.operating_point([1, 0, 1], [0.9, 0.8, 0.7], min_recall=1.0)
        >>> text = json.dumps(point.to_dict())
        >>> ap.thresholds.OperatingPoint.from_dict(json.loads(text)) == point
        True
        """
        return cls(**read_fields(values))

    @checks.as_chosen
    @public()
    def check(
        self,
        y_true: ArrayLike | None = None,
        y_score: ArrayLike | None = None,
        *,
        confidence_level: float = 0.95,
        pos_label: Label | None = None,
        sample_weight: ArrayLike | None = None,  # written by docs/_write/parameters.py
        n_positives: NPositives = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        min_grade: float | None = None,
        data: Any = None,
    ) -> ThresholdCheck:
        """Measure the threshold on new data, and say whether it still meets its targets.

        What you don't pass is taken over from the choice, and the result says so: the positive
        class, and with `data`, the columns that the threshold was chosen with, if the table has
        them. Pass ``clusters=False``, for example, to check without. `n_positives` is never taken
        over, because new data have another number.

        A budget, which is an int k with `groups`, is judged if the groups of the new data are
        known. Without any target, `is_kept` is None.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), default=None
            Binary labels of new samples, which weren't used to choose the threshold.
        y_score : array-like of shape (n_samples,), default=None
            Prediction scores of the same model.
        confidence_level : float, default=0.95
            The probability that each interval contains the true value.
        pos_label : int, float, bool or str, default=None
            The label of the positive class. By default, this and `min_grade` are the ones that the
            threshold was chosen with.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts, such as the number of rows that it stands for.
        n_positives : int, float, array-like or mapping, default=None
            How many positives exist, found or not; with `groups`, a mapping from groups to counts.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as its query; groups are ranked separately.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient, as the sampling unit.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y_true` contains grades.
        data : table, default=None
            The table that contains the columns, if you pass column names instead of arrays.

        Returns
        -------
        check : ThresholdCheck
            It prints as a table, and `to_dict` converts it to a dict.

        Examples
        --------
        >>> import sklearn_ap as ap
        >>> y_true = [1, 0, 1, 1, 0, 0]
        >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
        >>> point = ap.operating_point(y_true, y_score, min_recall=0.6)
        >>> point.check([1, 0, 0, 1], [0.7, 0.3, 0.8, 0.5])
        2 of 4 new samples flagged, 1 of them positive
        measure           value    95% interval  target        verdict at 95%
        precision         0.500  0.013 to 0.987
        recall            0.500  0.013 to 0.987  at least 0.6  unclear
        fraction flagged  0.500  0.068 to 0.932
        """
        assert pos_label is not None  # see `as_chosen`
        unread = Inputs.of_call(locals(), "OperatingPoint.check")
        with read_rows(unread) as inputs:
            kinds = checks.measure_rows(self, read_measured_rows(inputs))
            return checks.judge_kinds(self, confidence_level, kinds, inputs)


_GROUP_FIELDS = ("n_groups", "least_per_group", "mean_per_group", "most_per_group")


@dataclass(frozen=True, eq=False, repr=False)
class OperatingPointTable(Table, Mapping[str, OperatingPoint]):
    """Result of :func:`~sklearn_ap.operating_point` for several models.

    It prints as a table, in notebooks too, and works as a mapping from models to results.

    Attributes
    ----------
    points : dict
        The :class:`OperatingPoint` of each model.

    See Also
    --------
    sklearn_ap.operating_point : Choose thresholds for several models.

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
    >>> points["new"].n_flagged
    3
    """

    _index = "model"

    points: dict[str, OperatingPoint]

    def __getitem__(self, model: str) -> OperatingPoint:
        return self.points[model]

    def __iter__(self) -> Iterator[str]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def _as_dict(self) -> list[dict[str, Any]]:
        return [{"model": model} | point._as_dict() for model, point in self.points.items()]

    def to_dict(self) -> list[dict[str, Any]]:  # type: ignore[override]
        """Return the points as a list of dicts that can be stored as JSON and loaded by
        :meth:`from_dict`. Each dict names its model.
        """
        return [{"model": model} | save_point(point) for model, point in self.points.items()]

    @classmethod
    def from_dict(cls, values: Sequence[Mapping[str, Any]]) -> Self:
        """Load the points of several models from what :meth:`to_dict` returned.

        Parameters
        ----------
        values : list of dict
            What `to_dict` returned, whether or not it went through JSON.

        Returns
        -------
        points : OperatingPointTable
            The same operating points.
        """
        models = read_models_of_points(values)
        points = {model: OperatingPoint.from_dict(row) for model, row in models.items()}
        return cls(points, origin=next(iter(points.values())).origin)

    def _printed(self) -> Printed:
        first = next(iter(self.values()))
        header = ["model", *(column for column, _ in first._columns())]
        rows = [
            [join_lines(model), *(cell for _, cell in point._columns())]
            for model, point in self.items()
        ]
        return Printed(header, [("", "", rows)], first.source.targets.promise.capitalize())


# Users import the results from where the function is that returns them.
for _result in (OperatingPoint, OperatingPointTable):
    _result.__module__ = "sklearn_ap.thresholds"
