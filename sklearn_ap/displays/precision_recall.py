"""Precision-recall curves, with the area that each definition of average precision measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._enter.entry import public
from .._enter.metric import Metric
from .._read.units import Sample
from .._show.figures import draws
from .._words.inputs import Label, NPositives, Unread, ZeroDivision
from ..core.chance import Shape, mean_value
from ..core.cutoff import DEFAULT_COUNTS, reached, top
from ..core.operating_points import OperatingPoints
from ..core.rankings import mean
from ..core.resampling import heights
from ..core.rules import Area, AreaRule, AtK, Levels, Linear, Rule, Step
from ..core.within import Array
from . import base
from .base import Band, Curve, Display, Line, Style, Styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Metrics = str | Metric | Sequence[str | Metric]

_IF_NOTHING = 0.02  # where lines on a logarithmic axis start if no positive is found
_SPOTS_OF_MEAN = (np.arange(1000) + 0.5) / 1000  # where the mean of the curves of groups is drawn


@dataclass(frozen=True, eq=False, kw_only=True)
class DrawnCurve(Curve):
    """The curve of one ranking by one definition, whose value is the area under its edge.

    Parameters
    ----------
    share : str
        The label of the x axis: "Recall", or for AP@k the positives found, divided by the
        denominator of AP@k.
    prevalence : float
        The precision of a random order, nan without samples.
    area : Area
        What the edge belongs to.
    is_value : bool
        Whether the area is the value.
    """

    share: str
    prevalence: float
    area: Area
    is_value: bool

    @property
    def recall(self) -> Array:
        """The recall at each distinct score, highest score first."""
        return self.points[0]

    @property
    def precision(self) -> Array:
        """The precision at each distinct score, highest score first."""
        return self.points[1]

    def height_in_band(self, x: Array) -> Array:
        """Return the height of the area, which is a step where the edge is vertical."""
        if not self.area.whole.any():
            return np.full(x.size, self.value)
        return np.asarray(heights(self.area, x)[0])


def _drawn_by(rule: Rule) -> AreaRule:
    """Return the rule that draws the curve: steps if the value isn't an area."""
    return rule if isinstance(rule, AreaRule) else Step()


def _trace(points: OperatingPoints, rule: Rule, drop: bool, **own: Any) -> DrawnCurve:
    """Return the curve of a rule through the operating points of one ranking."""
    is_value, rule = isinstance(rule, AreaRule), _drawn_by(rule)
    depth, found = rule.depth, points.cum_positives
    prevalence = float(found[-1] / points.cum_total[-1]) if found.size else np.nan
    if drop and not (depth and depth.by_rows):  # unless rows have to be counted first
        points = points.where_positive()
    if depth is not None:
        points = reached(points, depth)
    if not points.n_positives.any():  # recall is 0/0, so nothing can be drawn
        points = points.where_positive()
    area = rule.area(points)
    first, whole, share = points, points.n_positives, "Recall"
    if isinstance(rule, AtK):
        first, whole = top(points, rule.depth).points, area.whole
        share = "Recall" if np.array_equal(whole, points.n_positives) else rule.share
    edge = _corners(area, rule, first)
    line = _levels(area) if isinstance(rule, Levels) else edge
    if depth is not None:
        end = edge[0][-1:]
        line = np.append(line[0], end), np.append(line[1], np.zeros_like(end))
    return DrawnCurve(
        line=line,
        points=(first.cum_positives / whole, first.precision),
        edge=edge,
        has_levels=isinstance(rule, Levels),
        share=share,
        prevalence=prevalence,
        area=area,
        is_value=is_value,
        **own,
    )


def _precision_bands(
    curves: Sequence[DrawnCurve], rule: Rule, sample: Sample | None, level: float
) -> list[Band]:
    if sample is None or curves[0].group is not None:
        return [base.band_over(curves, base.SPOTS, level, rule, sample)]
    rankings, drawn_by = sample.rankings, _drawn_by(rule)
    of_value = base.spread_of(rule, sample)
    found = of_value if rule == drawn_by else base.spread_of(drawn_by, sample)
    area = drawn_by.area(rankings.points(drawn_by.depth))
    end = float(area.width.sum() / area.whole.item())
    x = np.linspace(0, end, base.SPOTS.size + 1)[1:]
    drawn = base.resamples(drawn_by, sample, lambda points: heights(drawn_by.area(points), x))
    # The end is 0 if no positive is in the top k.
    trials = np.maximum(np.floor(found.trials * x / (end or 1.0)), 1.0)
    curve = heights(area, x)[0]
    low, high = base.middle(curve, drawn, trials, level)
    return [Band(curves[0].label, level, of_value.limits(level), x, low, high)]


def _corners(area: Area, rule: AreaRule, points: OperatingPoints) -> Line:
    """Return the upper edge of the area."""
    if isinstance(rule, Levels):
        # Each of N levels takes one N-th of the axis, which contains its own recall l/(N-1).
        _, height = _levels(area)
        edges = np.linspace(0, 1, height.size + 1)
        return np.repeat(edges, 4)[2:-2], np.outer(height, [0, 1, 1, 0]).ravel()
    edges = np.concatenate(([0.0], np.cumsum(area.width) / area.whole))
    left, right = area.height, area.height
    if isinstance(rule, Linear):
        left, right = points.precision_above, points.precision
    return np.repeat(edges, 2)[1:-1], np.stack((left, right), axis=1).ravel()


def _levels(area: Area) -> Line:
    """Return the recalls at which an N-point definition reads the envelope, and its heights."""
    height = np.zeros(area.whole.item())  # levels that are never reached count 0
    reached = np.repeat(area.height, area.width)
    height[: reached.size] = reached
    return np.linspace(0, 1, height.size), height


class AveragePrecisionDisplay(Display):
    """Visualization of precision-recall curves and average precision.

    Use :meth:`from_estimator`, :meth:`from_predictions` or :meth:`from_cv_results` to create a
    display. Each curve is drawn the way its definition of average precision reads it, and the
    shaded area under the curve is the value in the legend:

    - "step": horizontal steps, one for each distinct prediction score, at the height of its
      precision.
    - "envelope": horizontal steps, at the height of the best precision at that recall or beyond.
    - "11-point", "101-point": a mark at each of N recalls, at the height of the envelope. Each mark
      counts one N-th, so it is drawn on a bar that is one N-th of the axis wide.
    - "linear": straight lines between operating points, which start at recall 0 and precision 1.
    - "at-k": steps that end after the top k samples. If the cutoff k splits tied samples, they
      count in proportion. The x axis is recall if AP@k is divided by all positives. Otherwise it
      is the positives found, divided by the denominator of AP@k.
    - Any other metric, such as "P@1%": the steps of "step", without an area.

    The dots are operating points, one for each distinct prediction score. Tied samples share one
    dot, and since their scores don't tell what happens between them, nothing is drawn there. Data
    in chunks has dots only where the curve bends, which make the same lines and areas.

    A logarithmic axis, as of ``plt.subplots(subplot_kw={"xscale": "log"})``, shows the top of the
    ranking in detail. It can't show 0, so it starts just before the first positive. The areas are
    left out there, because they would not be the values. To show a part of a linear axis, call
    ``display.ax_.set(xlim=(0, 0.1), aspect="auto")``.

    If several displays share axes, only their curves are drawn, without the areas, and dots are
    kept only on curves that have few of them. Pass `fill_kwargs` and `points_kwargs` to show both.

    Parameters
    ----------
    curves : list of DrawnCurve
        One for each definition, and for each model, fold or group. Each has a
        `label`, its `value`, the arrays `recall` and `precision` of its operating points, and its
        `group` and `model`.
    name : str, default=None
        The name of the model in the legend. If None, the legend names only the definition.
    pos_label : int, float, bool or str, default=None
        The label of the positive class, which is added to the axis labels.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades. It is then added to
        the axis labels instead.
    bands : list of Band, default=None
        One for each model and definition. Each has the `interval` of the value, and the confidence
        band around the curve as the arrays `x`, `low` and `high`.

    Attributes
    ----------
    value : float or list of float
        The value of the metric, which the legend shows. That of a definition of average precision
        is the area under the curve. A list if there are several curves.
    line_ : matplotlib Line2D or list of Line2D
        The curve, or its marks. A list if there are several curves.
    fill_ : matplotlib PolyCollection or list of PolyCollection
        The area under each curve.
    points_ : matplotlib Line2D or list of Line2D
        The operating points of each curve. If there are more than 200, they are hidden, because
        they would look like a thick line. Pass `points_kwargs={"visible": True}` to show them.
    band_ : matplotlib PolyCollection, list of PolyCollection or None
        The confidence band around each curve, if `confidence_level` was passed.
    chance_level_ : matplotlib Line2D or None
        The chance level, if it is drawn.
    marks_ : list of matplotlib Line2D
        The marks of `operating_points`.
    mean_ : matplotlib Line2D, list of Line2D or None
        The mean of the curves of groups or folds. A list if there are several models or
        definitions.
    ax_ : matplotlib Axes
        The axes with the plot.
    figure_ : matplotlib Figure
        The figure that contains the axes.

    See Also
    --------
    HitCurveDisplay : Visualize the positives found against the fraction flagged.
    average_precision_score : Compute the area under the curve "step".

    Notes
    -----
    Up to twelve models have colors and line styles that color-blind readers can tell apart, on
    light and dark backgrounds. If you set another property cycle, as `plt.style.use("ggplot")`
    does, the colors come from there, and line styles differ once all colors are used. Definitions
    differ in line styles and markers, too.

    Examples
    --------
    >>> from sklearn_ap import AveragePrecisionDisplay
    >>> display = AveragePrecisionDisplay.from_predictions(
    ...     [1, 1, 0, 1, 0],
    ...     [0.9, 0.8, 0.7, 0.6, 0.5],
    ...     metric=["step", "11-point"],
    ... )
    >>> [line.get_label() for line in display.line_]
    ['AP = 0.917', '11-point AP = 0.909']
    """

    _trace = staticmethod(_trace)
    _bands_of = staticmethod(_precision_bands)
    _draws_each = True

    @classmethod
    @public(warns_once=True)
    def from_predictions(
        cls,
        y_true: ArrayLike | None = None,
        y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        metric: Metrics = "average_precision",
        k: float | None = None,
        denominator: str = "min",
        drop_intermediate: bool = False,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
        fill_kwargs: Style = None,
        points_kwargs: Style = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
        k_counts: str = DEFAULT_COUNTS,
        confidence_level: float | None = None,
        verbose: int = 0,
        operating_points: Any = None,
        pos_label: Label = 1,  # written by docs/_write/parameters.py
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        n_positives: NPositives = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        min_grade: float | None = None,
        prevalence: float | None = None,
        data: Any = None,
    ) -> Self:
        """Plot precision-recall curves from labels and prediction scores.

        With several models, each model gets a curve. With `groups`, each group gets a curve.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), default=None
            Binary labels.
        y_score : array-like of shape (n_samples,), or mapping, default=None
            Prediction scores, higher for the positive class. To draw several models, pass a mapping
            from their names to their prediction scores, or with `data` a list of column names.
        metric : str, Metric or list, default="average_precision"
            The definition to draw: 'step', 'envelope', '11-point' or any other number of points,
            'linear', 'at-k', or a list of several. Another metric, such as "P@1%", is shown in the
            legend, with steps and without an area.
        k : int or float, default=None
            The cutoff of the metric if its name has none, as in 'at-k'; see
            :func:`average_precision_at_k_score`. If None, it is the default of the metric.
        denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
            What 'at-k' is divided by; see :func:`average_precision_at_k_score`.
        drop_intermediate : bool, default=False
            Whether to leave out operating points without positives. The values don't change.
        name : str, default=None
            The name of the model in the legend, if there is only one.
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, a new figure is created.
        curve_kwargs : dict or list of dict, default=None
            Keywords for the curves, passed to matplotlib's `plot`. A list has one dict for each
            definition, model or group.
        fill_kwargs : dict, default=None
            Keywords for the areas, passed to matplotlib's `PolyCollection`. To hide them, pass
            `{"visible": False}`.
        points_kwargs : dict, default=None
            Keywords for the operating points, passed to matplotlib's `plot`. To hide them, pass
            `{"visible": False}`.
        plot_chance_level : bool, default=False
            Whether to plot the chance level, which is the precision of a random order.
        chance_level_kw : dict, default=None
            Keywords for the chance level, passed to matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines from the plot.
        k_counts : {'samples', 'weight'}, default='weight'
            What k counts if samples have weights: their weight, or the samples themselves. Pass
            it if the weights differ, because without it you get a warning.
        confidence_level : float, default=None
            The confidence level of the intervals, such as 0.95. The legend shows the interval of
            the value, as :func:`sklearn_ap.confidence_interval` computes it. The band
            around the curve shows an interval at each position on the x axis, computed by the
            bootstrap. If None, neither is drawn.
        verbose : int, default=0
            If 1, the progress is printed to standard error: whose band is computed, and how many of
            its resamples are drawn if they take longer than a second.
        operating_points : object, list or mapping, default=None
            One or several results of :func:`sklearn_ap.operating_point`, or a mapping from names,
            which the legend shows, to results. With several models, pass a mapping from models to
            results, such as the result for several models. Each is marked where its threshold is on
            the curve, and the legend shows the precision and the recall there. If it was chosen on
            other samples, or with other weights, the legend says "on these samples". The marks show
            the observed precision, so they are below an interpolated curve.
        pos_label : int, float, bool or str, default=1
            The label of the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights.
        zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
            The value without positives; nan leaves it out of the mean. The mean curve then leaves
            out the group, too.
        n_positives : int, float, array-like or mapping, default=None
            How many positives exist, found or not; with `groups`, a mapping to counts. The curve
            ends at the highest recall that is reached.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as its query, which is ranked separately. In object
            detection, these are the classes. Each group gets its own curve, and a thick line is the
            mean of the curves. The legend shows the value of each group and their mean. If there
            are more than 10 groups, they are drawn as thin gray lines, and the legend shows only
            the mean. Several models or definitions have only their means drawn.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient, as the sampling unit. They matter only
            with `confidence_level`, which takes either groups or clusters.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y_true` contains grades.
        prevalence : float, default=None
            The proportion of positives in the population, if it isn't that of the samples.
        data : table, default=None
            The table that contains the columns, if you pass column names instead of arrays. Data
            that is not in memory is read in chunks, in two passes, which is enough for the lines.
            For bands (`confidence_level`), and for a cutoff that counts rows of different weights,
            the columns that you name are read into memory. Data that can be read only once is read
            into memory. Models that scored different rows of the same groups or clusters can have a
            table each: pass a mapping from their names to the tables.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display, after drawing.

        Examples
        --------
        >>> from sklearn_ap import AveragePrecisionDisplay
        >>> display = AveragePrecisionDisplay.from_predictions(
        ...     [1, 1, 0, 0, 0, 1, 1], [7, 6, 5, 4, 3, 2, 1], metric="at-k", k=3
        ... )
        >>> display.line_.get_label()
        'AP@3 = 0.667'
        """
        unread = Unread(  # written by docs/_write/parameters.py
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight,
            zero_division=zero_division, n_positives=n_positives, groups=groups, clusters=clusters,
            min_grade=min_grade, prevalence=prevalence, data=data,
            caller="AveragePrecisionDisplay.from_predictions",
        )  # fmt: skip
        options: dict[str, Any] = {  # written by docs/_write/parameters.py
            "metric": metric, "k": k, "denominator": denominator,
            "drop_intermediate": drop_intermediate, "name": name, "ax": ax,
            "curve_kwargs": curve_kwargs, "fill_kwargs": fill_kwargs,
            "points_kwargs": points_kwargs, "plot_chance_level": plot_chance_level,
            "chance_level_kw": chance_level_kw, "despine": despine, "k_counts": k_counts,
            "confidence_level": confidence_level, "verbose": verbose,
            "operating_points": operating_points,
        }  # fmt: skip
        return base.from_predictions(cls, unread, options)

    @classmethod
    @public()
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        metric: Metrics = "average_precision",
        k: float | None = None,
        denominator: str = "min",
        drop_intermediate: bool = False,
        response_method: str = "auto",
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
        fill_kwargs: Style = None,
        points_kwargs: Style = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
        k_counts: str = DEFAULT_COUNTS,
        confidence_level: float | None = None,
        verbose: int = 0,
        operating_points: Any = None,
        pos_label: Label = 1,  # written by docs/_write/parameters.py
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        n_positives: NPositives = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        min_grade: float | None = None,
        prevalence: float | None = None,
    ) -> Self:
        """Plot precision-recall curves from a fitted binary classifier.

        Parameters
        ----------
        estimator : estimator instance, or mapping
            Fitted binary classifier, or a fitted pipeline that ends in one. To draw several models,
            pass a mapping from their names to their estimators.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Input values.
        y : array-like of shape (n_samples,)
            Target values.
        metric : str, Metric or list, default="average_precision"
            The definition to draw: 'step', 'envelope', '11-point' or any other number of points,
            'linear', 'at-k', or a list of several. Another metric, such as "P@1%", is shown in the
            legend, with steps and without an area.
        k : int or float, default=None
            The cutoff of the metric if its name has none, as in 'at-k'; see
            :func:`average_precision_at_k_score`. If None, it is the default of the metric.
        denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
            What 'at-k' is divided by; see :func:`average_precision_at_k_score`.
        drop_intermediate : bool, default=False
            Whether to leave out operating points without positives. The values don't change.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            The method that returns the prediction scores. 'auto' uses `predict_proba` if it exists,
            and `decision_function` otherwise.
        name : str, default=None
            The name of the model in the legend, if there is only one. If None, it is the class of
            the estimator.
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, a new figure is created.
        curve_kwargs : dict or list of dict, default=None
            Keywords for the curves, passed to matplotlib's `plot`. A list has one dict for each
            definition, model or group.
        fill_kwargs : dict, default=None
            Keywords for the areas, passed to matplotlib's `PolyCollection`. To hide them, pass
            `{"visible": False}`.
        points_kwargs : dict, default=None
            Keywords for the operating points, passed to matplotlib's `plot`. To hide them, pass
            `{"visible": False}`.
        plot_chance_level : bool, default=False
            Whether to plot the chance level, which is the precision of a random order.
        chance_level_kw : dict, default=None
            Keywords for the chance level, passed to matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines from the plot.
        k_counts : {'samples', 'weight'}, default='weight'
            What k counts if samples have weights: their weight, or the samples themselves. Pass it
            if the weights differ, because without it you get a warning.
        confidence_level : float, default=None
            The confidence level of the intervals, such as 0.95. The legend shows the interval of
            the value, as :func:`sklearn_ap.confidence_interval` computes it. The band around the
            curve shows an interval at each position on the x axis, computed by the bootstrap. If
            None, neither is drawn.
        verbose : int, default=0
            If 1, the progress is printed to standard error: whose band is computed, and how many of
            its resamples are drawn if they take longer than a second.
        operating_points : object, list or mapping, default=None
            One or several results of :func:`sklearn_ap.operating_point`, or a mapping from names,
            which the legend shows, to results. With several models, pass a mapping from models to
            results, such as the result for several models. Each is marked where its threshold is on
            the curve, and the legend shows the precision and the recall there. If it was chosen on
            other samples, or with other weights, the legend says "on these samples". The marks show
            the observed precision, so they are below an interpolated curve.
        pos_label : int, float, bool or str, default=1
            The label of the positive class. It is never guessed from the classes. With `min_grade`,
            the positive class is the larger one of the two.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights.
        zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
            The value without positives; nan leaves it out of the mean. The mean curve then leaves
            out the group, too.
        n_positives : int, float, array-like or mapping, default=None
            How many positives exist, found or not; with `groups`, a mapping to counts. The curve
            ends at the highest recall that is reached.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as its query, which is ranked separately. In object
            detection, these are the classes. Each group gets its own curve, and a thick line is the
            mean of the curves. The legend shows the value of each group and their mean. If there
            are more than 10 groups, they are drawn as thin gray lines, and the legend shows only
            the mean. Several models or definitions have only their means drawn.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient, as the sampling unit. They matter only
            with `confidence_level`, which takes either groups or clusters.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y` contains grades.
        prevalence : float, default=None
            The proportion of positives in the population, if it isn't that of the samples.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display, after drawing.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import AveragePrecisionDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = GaussianNB().fit(X[::2], y[::2])
        >>> display = AveragePrecisionDisplay.from_estimator(
        ...     model, X[1::2], y[1::2]
        ... )
        >>> display.line_.get_label()
        'GaussianNB (AP = 0.991)'
        """
        unread = Unread(  # written by docs/_write/parameters.py
            y, pos_label=pos_label, sample_weight=sample_weight, zero_division=zero_division,
            n_positives=n_positives, groups=groups, clusters=clusters, min_grade=min_grade,
            prevalence=prevalence, caller="AveragePrecisionDisplay.from_estimator",
        )  # fmt: skip
        options: dict[str, Any] = {  # written by docs/_write/parameters.py
            "metric": metric, "k": k, "denominator": denominator,
            "drop_intermediate": drop_intermediate, "name": name, "ax": ax,
            "curve_kwargs": curve_kwargs, "fill_kwargs": fill_kwargs,
            "points_kwargs": points_kwargs, "plot_chance_level": plot_chance_level,
            "chance_level_kw": chance_level_kw, "despine": despine, "k_counts": k_counts,
            "confidence_level": confidence_level, "verbose": verbose,
            "operating_points": operating_points,
        }  # fmt: skip
        return base.from_estimator(cls, estimator, X, unread, response_method, options)

    @classmethod
    @public()
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        metric: Metrics = "average_precision",
        k: float | None = None,
        denominator: str = "min",
        drop_intermediate: bool = True,
        response_method: str = "auto",
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
        fill_kwargs: Style = None,
        points_kwargs: Style = None,
        plot_chance_level: bool = False,
        chance_level_kwargs: Style = None,
        despine: bool = False,
        k_counts: str = DEFAULT_COUNTS,
        confidence_level: float | None = None,
        verbose: int = 0,
        pos_label: Label = 1,  # written by docs/_write/parameters.py
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        n_positives: NPositives = None,
        groups: ArrayLike | None = None,
        min_grade: float | None = None,
        prevalence: float | None = None,
    ) -> Self:
        """Plot the precision-recall curve of each fold of a cross-validation.

        The legend shows the mean of the values over folds.

        Parameters
        ----------
        cv_results : dict
            The result of :func:`sklearn.model_selection.cross_validate`, called with
            `return_estimator=True` and `return_indices=True`. To draw several models, pass a
            mapping from their names to their results.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The input values that were passed to the cross-validation.
        y : array-like of shape (n_samples,)
            The target values that were passed to the cross-validation.
        metric : str, Metric or list, default="average_precision"
            The definition to draw: 'step', 'envelope', '11-point' or any other number of points,
            'linear', 'at-k', or a list of several. Another metric, such as "P@1%", is shown in the
            legend, with steps and without an area.
        k : int or float, default=None
            The cutoff of the metric if its name has none, as in 'at-k'; see
            :func:`average_precision_at_k_score`. If None, it is the default of the metric.
        denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
            What 'at-k' is divided by; see :func:`average_precision_at_k_score`.
        drop_intermediate : bool, default=True
            Whether to leave out operating points without positives, which saves time with many
            folds. The values don't change.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            The method that returns the prediction scores. 'auto' uses `predict_proba` if it exists,
            and `decision_function` otherwise.
        name : str, default=None
            The name of the model in the legend, if there is only one.
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, a new figure is created.
        curve_kwargs : dict or list of dict, default=None
            Keywords for the curves, passed to matplotlib's `plot`. A list has one dict for each
            definition, model or group.
        fill_kwargs : dict, default=None
            Keywords for the areas, passed to matplotlib's `PolyCollection`. To hide them, pass
            `{"visible": False}`.
        points_kwargs : dict, default=None
            Keywords for the operating points, passed to matplotlib's `plot`. To hide them, pass
            `{"visible": False}`.
        plot_chance_level : bool, default=False
            Whether to plot the chance level, which is the precision of a random order.
        chance_level_kwargs : dict, default=None
            Keywords for the chance level, passed to matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines from the plot.
        k_counts : {'samples', 'weight'}, default='weight'
            What k counts if samples have weights: their weight, or the samples themselves. Pass it
            if the weights differ, because without it you get a warning.
        confidence_level : float, default=None
            The confidence level of the interval of the mean over folds, and of the band around the
            mean curve. The folds are the sampling units, or with `groups`, the groups. If None, the
            legend shows the standard deviation over folds instead.
        verbose : int, default=0
            If 1, the progress is printed to standard error: whose band is computed, and how many of
            its resamples are drawn if they take longer than a second.
        pos_label : int, float, bool or str, default=1
            The label of the positive class. It is never guessed from the classes. With `min_grade`,
            the positive class is the larger one of the two.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights.
        zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
            The value without positives; nan leaves it out of the mean. The mean curve then leaves
            out the group, too.
        n_positives : array-like or mapping, default=None
            How many positives exist, found or not: one count for each fold, in the order of the
            folds. With `groups`, pass a mapping or pandas Series from groups to counts, which needs
            folds that keep each group together. A group that is only in the mapping was never
            retrieved, so its value is 0. By default, all positives are in `y`.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as its query, which is ranked separately. In object
            detection, these are the classes. Each group gets its own curve, and a thick line is the
            mean of the curves. The legend shows the value of each group and their mean. If there
            are more than 10 groups, they are drawn as thin gray lines, and the legend shows only
            the mean. Several models or definitions have only their means drawn. A group that is in
            several folds has a curve in each of them, and counts with their mean.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y` contains grades.
        prevalence : float, default=None
            The proportion of positives in the population, if it isn't that of the samples.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display, after drawing.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import AveragePrecisionDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> results = cross_validate(
        ...     GaussianNB(), X, y, return_estimator=True, return_indices=True
        ... )
        >>> display = AveragePrecisionDisplay.from_cv_results(results, X, y)
        >>> display.mean_.get_label()
        'AP = 0.993 +/- 0.004'
        """
        unread = Unread(  # written by docs/_write/parameters.py
            y, pos_label=pos_label, sample_weight=sample_weight, zero_division=zero_division,
            n_positives=n_positives, groups=groups, min_grade=min_grade, prevalence=prevalence,
            caller="AveragePrecisionDisplay.from_cv_results",
        )  # fmt: skip
        options: dict[str, Any] = {  # written by docs/_write/parameters.py
            "metric": metric, "k": k, "denominator": denominator,
            "drop_intermediate": drop_intermediate, "name": name, "ax": ax,
            "curve_kwargs": curve_kwargs, "fill_kwargs": fill_kwargs,
            "points_kwargs": points_kwargs, "plot_chance_level": plot_chance_level,
            "chance_level_kwargs": chance_level_kwargs, "despine": despine, "k_counts": k_counts,
            "confidence_level": confidence_level, "verbose": verbose,
        }  # fmt: skip
        return base.from_cv_results(cls, cv_results, X, unread, response_method, options)

    @public()
    @draws
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Styles = None,
        fill_kwargs: Style = None,
        points_kwargs: Style = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
        operating_points: Any = None,
    ) -> Self:
        """Plot the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, a new figure is created.
        name : str, default=None
            The name of the model in the legend. If None, it is `self.name`.
        curve_kwargs : dict or list of dict, default=None
            Keywords for the curves, passed to matplotlib's `plot`. A list has one dict for each
            definition, model or group.
        fill_kwargs : dict, default=None
            Keywords for the areas, passed to matplotlib's `PolyCollection`. To hide them, pass
            `{"visible": False}`.
        points_kwargs : dict, default=None
            Keywords for the operating points, passed to matplotlib's `plot`. To hide them, pass
            `{"visible": False}`.
        plot_chance_level : bool, default=False
            Whether to plot the chance level, which is the precision of a random order.
        chance_level_kw : dict, default=None
            Keywords for the chance level, passed to matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines from the plot.
        operating_points : object, list or mapping, default=None
            One or several results of :func:`sklearn_ap.operating_point`, or a mapping from names,
            which the legend shows, to results. With several models, pass a mapping from models to
            results, such as the result for several models. Each is marked where its threshold is on
            the curve, and the legend shows the precision and the recall there. If it was chosen on
            other samples, or with other weights, the legend says "on these samples". The
            marks show the observed precision, so they are below an interpolated curve.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display itself.
        """
        chosen = self._to_mark(operating_points)
        from . import artists

        others = [curve.share for curve in self.curves if curve.share != "Recall"]
        if chosen and others:
            raise ValueError(
                "operating_points are marked at their recall, but the x axis is "
                f"{others[0].lower()!r}. Leave them out, or draw metric='step'."
            )
        words = f", by {self._weight_words}" if self._weight_words else ""
        words += base.words_of_positives(self)
        places = np.concatenate([[*c.recall, *c.edge[0]] for c in self.curves])
        found = places[places > 0]
        first = float(found.min()) if found.size else _IF_NOTHING
        labels = _x_label(self.curves) + words, "Precision" + words
        picture = artists.Picture(ax, *labels, square=True)
        is_log = picture.ax.get_xscale() == "log"
        picture.ax.set(xlim=(first / 2 if is_log else -0.01, 1.01), ylim=(-0.01, 1.01))
        picture.ax.set_aspect("auto" if is_log else "equal")
        name, groups = self.name if name is None else name, self._group_words
        bands, looks = self.bands or (), (curve_kwargs, points_kwargs)
        picture.draw(self.curves, bands, _SPOTS_OF_MEAN, first, name, groups, *looks)
        self.marks_ = picture.mark((mark, (mark.recall, mark.precision)) for mark in chosen)
        self._keep(picture)
        self.fill_: Any = base.only_or_list(picture.fill(self.curves, fill_kwargs))
        self.chance_level_ = None
        if plot_chance_level:
            of_one = base.families_of(base.families_of(self.curves, "label")[0])
            shares = [mean(np.array([curve.prevalence for curve in unit])) for unit in of_one]
            line = np.array([0.0, 1.0]), np.full(2, mean(np.array(shares)))
            ends = " to ".join(dict.fromkeys(map(artists.short, self._at_random())))
            words = f"; random AP = {ends}" if ends else ""
            label = f"Chance level (precision = {artists.short(line[1][0])}{words})"
            self.chance_level_ = artists.draw_reference(
                self.ax_, label, line, chance_level_kw, None
            )
        artists.finish(self.ax_, despine)
        return self

    def _at_random(self) -> Sequence[float]:
        """Return the range over models of random rankings' average precision, if it is known."""
        curves = base.families_of(self.curves, "label")[0]
        if self._weight_words or not all(map(_has_every_point, curves)):
            return ()
        models = base.families_of(curves, "model")
        values = [mean(np.array([*map(_value_at_random, own)])) for own in models]
        return min(values), max(values)


def _has_every_point(curve: DrawnCurve) -> bool:
    """Whether the curve isn't of folds, or of chunks."""
    return curve.flags is not None and curve.flags.highest is None


def _value_at_random(curve: DrawnCurve) -> float:
    """Return the mean average precision of random rankings with the same ties."""
    assert curve.flags is not None
    points = curve.flags.points
    found = int(points.cum_positives[-1]) if points.cum_positives.size else 0
    value = mean_value(Step(), Shape(points.total, found, points.n_positives.item()))
    return curve.value if value is None or np.isnan(value) else value


def _x_label(curves: Sequence[DrawnCurve]) -> str:
    """Return the label of the x axis, which names the definitions if they differ."""
    labels = {curve.share: curve.label for curve in curves}
    first, *others = dict.fromkeys(curve.share for curve in curves)
    besides = "; ".join(f"{labels[share]}: {share.lower()}" for share in others)
    return f"{first} ({besides})" if others else first
