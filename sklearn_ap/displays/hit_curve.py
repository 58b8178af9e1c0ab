"""Hit curves, which show the hits against the fraction flagged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike

from .._enter.entry import public
from .._enter.metric import Metric
from .._inputs.records import Inputs, Label, NPositives, ZeroDivision
from .._read.model_rows import ModelRows
from .._show.figures import draws
from ..core.operating_points import OperatingPoints, compute_lift
from ..core.ragged import Array
from ..core.resampling import count_hits
from ..core.rules import Rule, Step
from ..core.spread import count_equal_units
from ..core.tolerances import ROUNDING_TOLERANCE
from ..exceptions import InvalidParameterError
from . import base
from .base import Band, Curve, CurveData, Display, Line, PlotOptions, Style, Styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FRACTIONS = ("samples", "positives")  # of which hits are a fraction
_OF_MEAN = np.linspace(0, 1, 1001), 201  # steps and positions for the mean of the curves of groups


class HitOptions(PlotOptions, total=False):
    """Options of `HitCurveDisplay.plot`."""

    fraction_of: str


@dataclass(frozen=True, eq=False, kw_only=True)
class HitCurve(Curve):
    """The hit curve of one ranking, with the value of the metric in the legend.

    Parameters
    ----------
    detected : ndarray of shape (n_thresholds + 1,)
        The fraction of samples flagged, from 0 to 1.
    hits : ndarray of shape (n_thresholds + 1,)
        The fraction of samples that are flagged and positive.
    prevalence : float
        The number of existing positives, found or not, divided by the number of samples.
    n_samples : int
        The number of samples. On a logarithmic axis, lines start at the first sample.
    """

    detected: Array
    hits: Array
    prevalence: float
    n_samples: int

    @property
    def called(self) -> str:
        return "the hit curve"

    def whole(self, fraction_of: str) -> float:
        """Return what hits are divided by on the y axis."""
        return 1.0 if fraction_of == "samples" else self.prevalence

    def to_scale(self, fraction_of: str) -> Self:
        """Return the curve to draw.

        Without positives, recall is 0/0, which is the value that replaces it, or else not drawn.
        """
        divisor, x = self.whole(fraction_of), self.detected
        if divisor:
            line = x, self.hits / divisor
        elif np.isnan(self.value):
            line = x[:0], x[:0]
        else:
            line = x, np.full(x.shape, self.value)
        points = line
        if fraction_of == "lift" and divisor:
            points = x, compute_lift(*line)
            line = compute_lift_line(line, 1 / max(self.n_samples, 1))
        return replace(self, line=line, points=points, edge=line)


def compute_lift_line(line: Line, first: float) -> Line:
    """Divide a line of recall by the fraction flagged, which bends it between its corners."""
    x = np.union1d(line[0], base.choose_positions(first, *_OF_MEAN))
    return x, compute_lift(x, np.interp(x, *line))


def make_hit_bands(model_rows: ModelRows, level: float, rule: Rule, label: str) -> list[Band]:
    """Compute the bands of a hit curve: hits as a fraction of the samples, and of the positives."""
    spread, rankings = base.estimate_spread(Step(), model_rows), model_rows.rankings
    spread_of_value = spread if rule == Step() else base.estimate_spread(rule, model_rows)
    interval = spread_of_value.compute_limits(level)
    points = rankings.points(None)
    n_samples, n_found = points.n_samples.item(), rankings.positive_mass.item()
    n_positives = points.n_positives.item()
    x = base.choose_positions(1 / rankings.scores.size, base.SPOTS, base.SPOTS.size)

    def precision_and_recall(points: OperatingPoints) -> Array:
        """Return both where these fractions of the samples are flagged, precision first.

        They are of shape (n_rankings, 2 n_positions).
        """
        n_hits = count_hits(points, x)
        n_flagged = x * points.n_samples[:, np.newaxis]
        with np.errstate(invalid="ignore"):  # nan in a resample without positives
            return np.hstack([n_hits / n_flagged, n_hits / points.n_positives[:, np.newaxis]])

    precision, recall = np.split(precision_and_recall(points)[0], 2)
    drawn = base.draw_curve_resamples(Step(), model_rows, precision_and_recall)
    drawn_precision, drawn_recall = np.split(drawn, 2, axis=1)
    trials = np.maximum(np.floor(_count_effective_samples(model_rows) * x), 1.0)
    low_precision, high_precision = base.compute_ends(precision, drawn_precision, trials, level)
    trials = np.broadcast_to(spread.equal_units, x.shape)
    low_recall, high_recall = base.compute_ends(recall, drawn_recall, trials, level)
    # You can't find more than you flag, and the first samples may all be hits by chance.
    if low_precision[-1]:
        high_recall = np.minimum(high_recall, x / low_precision[-1] * (n_found / n_positives))
    only_hits = precision > 1 - ROUNDING_TOLERANCE
    by_precision = low_precision * x * n_samples / n_positives
    low_recall = np.where(only_hits, np.minimum(low_recall, by_precision), low_recall)
    if rankings.n_positives is None:
        low_recall[-1] = 1.0  # if everything is flagged, everything is found
    of_samples = base.widen_to_rising(low_precision * x, high_precision * x)
    of_positives = base.widen_to_rising(low_recall, high_recall)
    return [
        Band(label, level, interval, x, *of_samples, "samples"),
        Band(label, level, interval, x, *of_positives, "positives"),
    ]


def _count_effective_samples(model_rows: ModelRows) -> float:
    """Return how many samples without weights, or how many clusters, would tell as much."""
    if model_rows.clusters is not None:
        return float(model_rows.clusters.size)
    rankings = model_rows.rankings
    return rankings.scores.size if rankings.weight is None else count_equal_units(rankings.weight)


def _make_references(
    curves: Sequence[HitCurve], fraction_of: str
) -> tuple[float, Line | None, Line | None]:
    """Return where lines start, which is at the first sample, and the lines to compare with.

    These are a perfect ranking and random selection, each None unless all curves share it.
    """
    detected = np.concatenate([curve.detected for curve in curves])
    first = float(detected[detected > 0].min(initial=1.0))
    first = min([first, *(1 / curve.n_samples for curve in curves if curve.n_samples)])
    prevalence = _find_shared_number([curve.hits[-1] for curve in curves])
    # Where the curves end, on this scale
    ends = [curve.hits[-1] / whole for curve in curves if (whole := curve.whole(fraction_of))]
    end = _find_shared_number(ends)
    if end is None:
        return first, None, None
    chance = np.array([0.0, 1.0]), np.array([0.0, end])
    perfect = None
    if prevalence is not None:
        perfect = np.array([0.0, prevalence, 1.0]), np.array([0.0, end, end])
    if fraction_of == "lift":
        chance = compute_lift_line(chance, first)
        perfect = perfect and compute_lift_line(perfect, first)
    return first, perfect, chance


def _find_shared_number(numbers: Sequence[Any]) -> float | None:
    """Return the number that all of them are, up to rounding."""
    return float(numbers[0]) if numbers and np.ptp(numbers) <= ROUNDING_TOLERANCE else None


class HitCurveDisplay(Display):
    r"""Visualization of hit curves (gains curves) and lift curves.

    Use :meth:`from_estimator`, :meth:`from_predictions` or :meth:`from_cv_results` to create a
    display.

    The x axis shows the fraction t of samples that are flagged, and the y axis recall, the fraction
    of all positives that are found. A perfect ranking rises straight to 1, which it reaches at the
    fraction of positives pi, and random selection follows the line from 0 to 1. The curve is also
    called *cumulative gains* or *cumulative accuracy profile*.

    With `fraction_of="samples"`, the y axis shows the hits as a fraction h(t) of all samples [1]_,
    so precision is h(t)/t. With `fraction_of="lift"`, it is the *lift curve*: recall divided by t.

    To show only the top of the ranking, call ``display.ax_.set(xlim=(0, 0.1), ylim=(0, 0.6))``.
    Axes can be logarithmic, and those of a lift curve are by default, because lift is about the top
    of the ranking.

    Parameters
    ----------
    curves : list of HitCurve
        One for each model, fold or group, with its `value`, `group` and `model`, and the arrays
        `detected` and `hits`.
    name : str, default=None
        The name of the model in the legend.
    pos_label : int, float, bool or str, default=None
        The label of the positive class, which is added to the axis labels.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades. It is then added to
        the axis labels instead.
    bands : list of Band, default=None
        One for each model and value of `fraction_of`, with the `interval` of the metric and the
        arrays `x`, `low` and `high`.

    Attributes
    ----------
    value : float or list of float
        The value in the legend. A list if there are several curves.
    line_ : matplotlib Line2D or list of Line2D
        The hit curve. A list if there are several curves. Of over 20,000 points, it has only
        visible ones.
    points_ : matplotlib Line2D or list of Line2D
        One operating point for each distinct prediction score. They are hidden for folds and
        groups, and if there are more than 200, unless you pass `points_kwargs={"visible": True}`.
    mean_ : matplotlib Line2D, list of Line2D or None
        The mean of the curves of groups or folds. A list if there are several models.
    perfect_ : matplotlib Line2D or None
        The line of a perfect ranking. None if the curves differ in their prevalence.
    chance_level_ : matplotlib Line2D or None
        The line of random selection, if it is drawn.
    band_ : matplotlib PolyCollection, list of PolyCollection or None
        The confidence band around the curve, if `confidence_level` was passed.
    marks_ : list of matplotlib Line2D
        The marks of `operating_points`.
    ax_ : matplotlib Axes
        The axes with the plot.
    figure_ : matplotlib Figure
        The figure that contains the axes.

    See Also
    --------
    hit_curve
    AveragePrecisionDisplay

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", University of Waterloo,
       working paper 2004-09.

    Examples
    --------
    >>> from sklearn_ap import HitCurveDisplay
    >>> display = HitCurveDisplay.from_predictions(
    ...     [1, 1, 0, 1, 0], [9, 8, 7, 6, 5]
    ... )
    >>> display.line_.get_label()
    'AP = 0.917'
    """

    @public()
    @draws
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Styles = None,
        points_kwargs: Style = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style = None,
        fraction_of: str = "positives",
        operating_points: Any = None,
    ) -> Self:
        """Plot the hit curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to plot on.
        name : str, default=None
            The name of the model in the legend.
        curve_kwargs : dict or list of dict, default=None
            Keywords for the curves, passed to matplotlib's `plot`.
        points_kwargs : dict, default=None
            Keywords for the operating points, passed to matplotlib's `plot`.
        plot_chance_level : bool, default=True
            Whether to plot the line of random selection. With groups, it is only drawn if it is the
            same for all groups.
        chance_level_kw : dict, default=None
            Keywords for the chance level, passed to matplotlib's `plot`.
        fraction_of : {'positives', 'samples', 'lift'}, default='positives'
            What the y axis shows: the hits as a fraction of all existing positives, which is
            recall, or of all samples. 'lift' divides recall by the fraction flagged.
        operating_points : object, list or mapping, default=None
            One or more results of :func:`sklearn_ap.operating_point`, or a mapping from names (with
            several models, from models) to results.

        Returns
        -------
        display : HitCurveDisplay
            The display itself.
        """
        chosen = self._to_mark(operating_points)
        from . import artists

        first, perfect, chance = _make_references(self.curves, fraction_of)
        spots_of_mean = base.choose_positions(first, *_OF_MEAN)
        xlabel, ylabel = _write_axis_labels(fraction_of, self._weight_words)
        picture = artists.Picture(ax, xlabel, ylabel + base.describe_positives(self))
        if ax is None and fraction_of == "lift":
            picture.ax.set_xscale("log")
            picture.ax.xaxis.set_major_formatter("{x:g}")
        curves = [curve.to_scale(fraction_of) for curve in self.curves]
        bands = [band for band in self.bands or () if band.fraction_of == fraction_of]
        name, groups = self.name if name is None else name, self._group_words
        looks = curve_kwargs, points_kwargs
        picture.draw(curves, bands, spots_of_mean, first, name, groups, *looks)
        self.marks_ = picture.mark((mark, self._place(mark, fraction_of)) for mark in chosen)
        self._keep(picture)
        self.perfect_ = self.chance_level_ = None
        if perfect:
            style = {"linestyle": ":", "linewidth": 2}
            self.perfect_ = picture.refer("Perfect ranking", perfect, None, name, **style)
        if plot_chance_level and chance:
            line = "Random selection", chance
            self.chance_level_ = picture.refer(*line, chance_level_kw, name)
        self.ax_.margins(x=0.01)  # no fixed limits, which would not fit a logarithmic axis
        artists.add_legend(self.ax_)
        return self

    @classmethod
    @public(warns_once=True, passes_on=plot)
    def from_predictions(
        cls,
        y_true: ArrayLike | None = None,
        y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        metric: str | Metric = "average_precision",
        confidence_level: float | None = None,
        verbose: int = 0,
        pos_label: Label = 1,  # written by docs/_write/parameters.py
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        n_positives: NPositives = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        min_grade: float | None = None,
        data: Any = None,
        **plot_options: Unpack[HitOptions],
    ) -> Self:
        """Plot hit curves from labels and prediction scores.

        Each model gets a curve, or with `groups`, each group.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), default=None
            Binary labels.
        y_score : array-like of shape (n_samples,), or mapping, default=None
            Prediction scores, higher for the positive class.
        metric : str or Metric, default="average_precision"
            The metric in the legend, with its interval if there is one: a name, such as "EF@1%" or
            "P@1%" (see :func:`make_ap_scorer`), or an object made by :func:`metric`. The curve is
            the same for all metrics.
        confidence_level : float, default=None
            The confidence level, such as 0.95, of the interval in the legend, and of the band
            around the curve, which is computed by the bootstrap.
        verbose : int, default=0
            If 1, progress is printed to standard error.
        pos_label : int, float, bool or str, default=1
            The label of the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts, such as the number of rows that it stands for.
        zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
            The value if there are no positives; nan leaves it out of the mean.
        n_positives : int, float, array-like or mapping, default=None
            How many positives exist, found or not; with `groups`, a mapping from groups to counts.
            Recall is relative to this count.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as its query; groups are ranked separately. The mean
            curve averages the hits at the same fraction flagged in each group.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient, as the sampling unit.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y_true` contains grades.
        data : table, default=None
            The table that contains the columns, if you pass column names instead of arrays.
        **plot_options
            The options of :meth:`plot`: `ax`, `name`, `curve_kwargs`, `points_kwargs`,
            `plot_chance_level`, `chance_level_kw`, `fraction_of` and `operating_points`.

        Returns
        -------
        display : HitCurveDisplay
            The display, after drawing.

        Examples
        --------
        >>> from sklearn_ap import HitCurveDisplay
        >>> display = HitCurveDisplay.from_predictions(
        ...     ["active", "active", "inactive", "active", "inactive"],
        ...     [9, 8, 7, 6, 5],
        ...     pos_label="active",
        ...     fraction_of="positives",
        ... )
        >>> display.line_.get_ydata()
        array([0.        , 0.33333333, 0.66666667, 0.66666667, 1.        ,
               1.        ])
        """
        unread = Inputs.of_call(locals(), "HitCurveDisplay.from_predictions")
        drawing = base.Drawing(metric, confidence_level, plot_options.get("name"))
        return cls._from_predictions(unread, drawing).plot(**plot_options)

    @classmethod
    @public(warns_once=True, passes_on=plot)
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        metric: str | Metric = "average_precision",
        response_method: str = "auto",
        confidence_level: float | None = None,
        verbose: int = 0,
        pos_label: Label = 1,  # written by docs/_write/parameters.py
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        n_positives: NPositives = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        min_grade: float | None = None,
        **plot_options: Unpack[HitOptions],
    ) -> Self:
        """Plot a hit curve from a fitted classifier or outlier detector.

        Parameters
        ----------
        estimator : estimator instance, or mapping
            Fitted binary classifier or outlier detector, or a fitted pipeline that ends in one.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Input values.
        y : array-like of shape (n_samples,)
            Target values.
        metric : str or Metric, default="average_precision"
            The metric in the legend, with its interval if there is one: a name, such as "EF@1%" or
            "P@1%" (see :func:`make_ap_scorer`), or an object made by :func:`metric`.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            The method that returns the prediction scores.
        confidence_level : float, default=None
            The confidence level, such as 0.95, of the interval in the legend, and of the band
            around the curve, which is computed by the bootstrap.
        verbose : int, default=0
            If 1, progress is printed to standard error.
        pos_label : int, float, bool or str, default=1
            The label of the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts, such as the number of rows that it stands for.
        zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
            The value if there are no positives; nan leaves it out of the mean.
        n_positives : int, float, array-like or mapping, default=None
            How many positives exist, found or not; with `groups`, a mapping from groups to counts.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as its query; groups are ranked separately.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient, as the sampling unit.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y_true` contains grades.
        **plot_options
            The options of :meth:`plot`: `ax`, `name`, `curve_kwargs`, `points_kwargs`,
            `plot_chance_level`, `chance_level_kw`, `fraction_of` and `operating_points`. A single
            estimator is named after its class by default.

        Returns
        -------
        display : HitCurveDisplay
            The display, after drawing.
        """
        unread = Inputs.of_call(locals(), "HitCurveDisplay.from_estimator", y_true=y)
        name = plot_options.get("name")
        drawing = base.Drawing(metric, confidence_level, name, response_method=response_method)
        return cls._from_estimator(estimator, X, unread, drawing).plot(**plot_options)

    @classmethod
    @public(warns_once=True, passes_on=plot)
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        metric: str | Metric = "average_precision",
        response_method: str = "auto",
        confidence_level: float | None = None,
        verbose: int = 0,
        pos_label: Label = 1,  # written by docs/_write/parameters.py
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        n_positives: NPositives = None,
        groups: ArrayLike | None = None,
        min_grade: float | None = None,
        **plot_options: Unpack[HitOptions],
    ) -> Self:
        """Plot the hit curve of each fold of a cross-validation.

        The legend shows the mean of the values over folds.

        Parameters
        ----------
        cv_results : dict
            The result of :func:`sklearn.model_selection.cross_validate`, called with
            `return_estimator=True` and `return_indices=True`.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The input values that were passed to the cross-validation.
        y : array-like of shape (n_samples,)
            The target values that were passed to the cross-validation.
        metric : str or Metric, default="average_precision"
            The metric in the legend, with its interval if there is one: a name, such as "EF@1%" or
            "P@1%" (see :func:`make_ap_scorer`), or an object made by :func:`metric`.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            The method that returns the prediction scores.
        confidence_level : float, default=None
            The confidence level of the interval of the mean over folds, or with `groups`, over
            groups, and of the band around the mean curve.
        verbose : int, default=0
            If 1, progress is printed to standard error.
        pos_label : int, float, bool or str, default=1
            The label of the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts, such as the number of rows that it stands for.
        zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
            The value if there are no positives; nan leaves it out of the mean.
        n_positives : array-like or mapping, default=None
            How many positives exist, found or not, in each fold.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as its query; groups are ranked separately.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y_true` contains grades.
        **plot_options
            The options of :meth:`plot`: `ax`, `name`, `curve_kwargs`, `points_kwargs`,
            `plot_chance_level`, `chance_level_kw` and `fraction_of`.

        Returns
        -------
        display : HitCurveDisplay
            The display, after drawing.
        """
        unread = Inputs.of_call(locals(), "HitCurveDisplay.from_cv_results", y_true=y)
        name = plot_options.get("name")
        drawing = base.Drawing(metric, confidence_level, name, response_method=response_method)
        return cls._from_cv_results(cv_results, X, unread, drawing).plot(**plot_options)

    @classmethod
    def _read_rules(cls, unread: Inputs, metric: Any) -> tuple[dict[Rule, str], dict[str, Any]]:
        if isinstance(metric, list | tuple):
            raise InvalidParameterError(
                f"The 'metric' parameter of {unread.caller} must be one metric, because all "
                f"metrics have the same hit curve. Got {metric!r} instead."
            )
        return super()._read_rules(unread, metric)

    @classmethod
    def _trace(cls, points: OperatingPoints, rule: Rule, drop: bool, **fields: Any) -> HitCurve:
        """Return the hit curve of one ranking, which stays at 0 if no sample was retrieved.

        It has all points, and is the same for all rules.
        """
        if points.cum_total.size:
            line = (
                points.compute_fractions(points.cum_total),
                points.compute_fractions(points.cum_positives),
            )
            mass = points.cum_total[-1]
        else:
            line, mass = (np.arange(2.0), np.zeros(2)), 1.0
        n_samples = points.n_samples if points.rows is None else points.rows.n_rows
        return HitCurve(
            line=line,
            points=line,
            edge=line,
            detected=line[0],
            hits=line[1],
            prevalence=float(points.n_positives.item() / mass),
            n_samples=int(n_samples.item()),
            **fields,
        )

    @classmethod
    def _make_bands(
        cls, curves: Sequence[HitCurve], rule: Rule, curve_data: CurveData, level: float
    ) -> list[Band]:
        """Return the bands for hits as a fraction of samples, for lift, and for recall."""
        if curve_data.times is None and curves[0].group is None:
            of_samples, recall = make_hit_bands(curve_data.model_rows, level, rule, curves[0].label)
        else:
            n_samples = max(curve.n_samples for curve in curves)
            x = base.choose_positions(1 / n_samples, base.SPOTS, base.SPOTS.size)
            bands = []
            for fraction_of in _FRACTIONS:
                on_scale = [curve.to_scale(fraction_of) for curve in curves]
                bands.append(base.make_band(on_scale, x, level, rule, curve_data, fraction_of))
            of_samples, recall = bands
        low, high = recall.low / recall.x, recall.high / recall.x
        lift_band = replace(recall, low=low, high=high, fraction_of="lift")
        return [of_samples, lift_band, recall]

    def _place(self, mark: base.Mark, fraction_of: str) -> tuple[float, float]:
        """Return where a threshold is. If nothing is flagged, its lift is undefined."""
        x = mark.flagged_share
        if fraction_of == "lift":
            return x, mark.recall / x if x else np.nan
        return x, mark.recall if fraction_of == "positives" else mark.hits


def _write_axis_labels(fraction_of: str, by: str | None) -> tuple[str, str]:
    """Return the labels of the x and the y axis, for samples that are weighted `by` something."""
    samples = "samples" if by is None else f"the {by}"
    positives = "positives" if by is None else samples
    xlabel = f"Fraction of {samples} flagged"
    if fraction_of == "positives":
        return xlabel, f"Fraction of {positives} found"
    if fraction_of == "lift":
        return xlabel, "Lift"
    return xlabel, f"Positives found / all {by or 'samples'}"
