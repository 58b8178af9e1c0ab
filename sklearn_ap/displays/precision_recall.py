"""Precision-recall curves, with the area that each definition of average precision measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike

from .._enter.entry import public
from .._enter.metric import Metric
from .._inputs.records import Inputs, Label, NPositives, ZeroDivision
from .._show.figures import draws
from ..core.cutoff import select_reached, select_top
from ..core.operating_points import OperatingPoints
from ..core.ragged import Array
from ..core.random_rankings import RankingShape, compute_mean_value
from ..core.rankings import average_defined
from ..core.resampling import compute_heights
from ..core.rules import Area, AreaRule, AveragePrecisionAtK, Levels, Linear, Rule, Step
from . import base
from .base import Band, Curve, CurveData, Display, Line, PlotOptions, Style, Styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Metrics = str | Metric | Sequence[str | Metric]

_IF_NOTHING = 0.02  # where lines on a logarithmic axis start if no positive is found
_SPOTS_OF_MEAN = (np.arange(1000) + 0.5) / 1000  # where the mean of the curves of groups is drawn


class AreaOptions(PlotOptions, total=False):
    """Options of `AveragePrecisionDisplay.plot`."""

    fill_kwargs: Style


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
        The area whose upper edge is `edge`.
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

    def find_band_height(self, x: Array) -> Array:
        """Return the height of the area, which is a step where the edge is vertical."""
        if not self.area.whole.any():
            return np.full(x.size, self.value)
        return np.asarray(compute_heights(self.area, x)[0])


def _find_area_rule(rule: Rule) -> AreaRule:
    """Return the rule that draws the curve: steps if the value isn't an area."""
    return rule if isinstance(rule, AreaRule) else Step()


def _find_corners(area: Area, rule: AreaRule, points: OperatingPoints) -> Line:
    """Return the upper edge of the area as x and y, with two corners or more for each height."""
    if isinstance(rule, Levels):
        # Each of N levels takes one N-th of the axis, which contains its own recall l/(N-1). Its
        # bar begins and ends at 0.
        _, height = _find_levels(area)
        ends_of_bars = np.linspace(0, 1, height.size + 1)
        return np.repeat(ends_of_bars, 4)[2:-2], np.outer(height, [0, 1, 1, 0]).ravel()
    ends_of_steps = np.concatenate(([0.0], np.cumsum(area.width) / area.whole))
    left, right = area.height, area.height  # of each step
    if isinstance(rule, Linear):
        left, right = points.precision_above, points.precision
    return np.repeat(ends_of_steps, 2)[1:-1], np.stack((left, right), axis=1).ravel()


def _find_levels(area: Area) -> Line:
    """Return the recalls at which an N-point definition reads the envelope, and its heights."""
    height = np.zeros(area.whole.item())  # levels that are never reached count 0
    reached_heights = np.repeat(area.height, area.width)  # a width is a number of levels here
    height[: reached_heights.size] = reached_heights
    return np.linspace(0, 1, height.size), height


class AveragePrecisionDisplay(Display):
    """Visualization of precision-recall curves and average precision.

    Use :meth:`from_estimator`, :meth:`from_predictions` or :meth:`from_cv_results` to create a
    display. Each curve is drawn the way its definition of average precision interprets it, and the
    shaded area under the curve is the value in the legend:

    - "step": horizontal steps, one for each distinct prediction score, at the height of its
      precision.
    - "envelope": horizontal steps, at the height of the best precision at that recall or beyond.
    - "11-point", "101-point": a mark at each of N recalls, on a bar as high as the envelope.
    - "linear": straight lines between operating points, which start at recall 0 and precision 1.
    - "AP@10": steps that end after the top k samples. If the cutoff k splits tied samples, they
      count in proportion. The x axis is recall if AP@k is divided by all positives. Otherwise it
      is the positives found, divided by the denominator of AP@k.

    The dots are operating points, one for each distinct prediction score.

    To show the top of the ranking in detail, call
    ``display.ax_.set(xlim=(0, 0.1), aspect="auto")``, or draw on a logarithmic axis, as from
    ``plt.subplots(subplot_kw={"xscale": "log"})``, which has no areas.

    If displays share axes, areas and most dots are left out, unless you pass `fill_kwargs` and
    `points_kwargs`.

    Parameters
    ----------
    curves : list of DrawnCurve
        One for each definition, model, fold or group, with its `label`, `value`, `group` and
        `model`, and the arrays `recall` and `precision`.
    name : str, default=None
        The name of the model in the legend. If None, the legend names only the definition.
    pos_label : int, float, bool or str, default=None
        The label of the positive class, which is added to the axis labels.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades. It is then added to
        the axis labels instead.
    bands : list of Band, default=None
        One for each model and definition, with the `interval` of the value and the arrays `x`,
        `low` and `high`.

    Attributes
    ----------
    value : float or list of float
        The value in the legend. A list if there are several curves.
    line_ : matplotlib Line2D or list of Line2D
        The curve, or its marks. A list if there are several curves. Of over 20,000 points, it has
        only visible ones.
    fill_ : matplotlib PolyCollection or list of PolyCollection
        The area under each curve.
    points_ : matplotlib Line2D or list of Line2D
        The operating points. If there are more than 200, they are hidden, unless you pass
        `points_kwargs={"visible": True}`.
    band_ : matplotlib PolyCollection, list of PolyCollection or None
        The confidence bands, if `confidence_level` was passed.
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

    Examples
    --------
    >>> from sklearn_ap import AveragePrecisionDisplay
    >>> display = AveragePrecisionDisplay.from_predictions(
    ...     [1, 1, 0, 1, 0],
    ...     [0.9, 0.8, 0.7, 0.6, 0.5],
    ...     metric=["step", "11-point"],
    ... )
    >>> [line.get_label() for line in display.line_]
    ['AP = 0.917', '11-point = 0.909']
    """

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
        operating_points : object, list or mapping, default=None
            One or more results of :func:`sklearn_ap.operating_point`, or a mapping from names (with
            several models, from models) to results. Each is marked at its threshold on the curve,
            and the legend shows the precision and the recall there.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display itself.
        """
        chosen = self._to_mark(operating_points)
        from . import artists

        not_recall = [curve.share for curve in self.curves if curve.share != "Recall"]
        if chosen and not_recall:
            raise ValueError(
                "operating_points are marked at their recall, but the x axis is "
                f"{not_recall[0].lower()!r}. Leave them out, or draw metric='step'."
            )
        words = f", by {self._weight_words}" if self._weight_words else ""
        words += base.describe_positives(self)
        x = np.concatenate(
            [each for curve in self.curves for each in (curve.recall, curve.edge[0])]
        )
        # Where lines start on a logarithmic axis
        first = float(x[x > 0].min()) if np.any(x > 0) else _IF_NOTHING
        labels = _write_x_label(self.curves) + words, "Precision" + words
        picture = artists.Picture(ax, *labels)
        is_log = picture.ax.get_xscale() == "log"
        picture.ax.set(xlim=(first / 2 if is_log else -0.01, 1.01), ylim=(-0.01, 1.01))
        picture.ax.set_aspect("auto" if is_log else "equal")
        name, groups = self.name if name is None else name, self._group_words
        bands, looks = self.bands or (), (curve_kwargs, points_kwargs)
        picture.draw(self.curves, bands, _SPOTS_OF_MEAN, first, name, groups, *looks)
        self.marks_ = picture.mark((mark, (mark.recall, mark.precision)) for mark in chosen)
        self._keep(picture)
        self.fill_: Any = base.unwrap_artists(picture.fill(self.curves, fill_kwargs))
        self.chance_level_ = None
        if plot_chance_level:
            self.chance_level_ = picture.refer(*self._chance_level(), chance_level_kw, None)
        artists.add_legend(self.ax_)
        return self

    @classmethod
    @public(warns_once=True, passes_on=plot)
    def from_predictions(
        cls,
        y_true: ArrayLike | None = None,
        y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        metric: Metrics = "average_precision",
        drop_intermediate: bool = False,
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
        **plot_options: Unpack[AreaOptions],
    ) -> Self:
        """Plot precision-recall curves from labels and prediction scores.

        Each model gets a curve, or with `groups`, each group.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), default=None
            Binary labels.
        y_score : array-like of shape (n_samples,), or mapping, default=None
            Prediction scores, higher for the positive class. To draw several models, pass a mapping
            from their names to their prediction scores, or with `data` a list of column names.
        metric : str, Metric or list, default="average_precision"
            The definition to draw: 'step', 'envelope', '11-point' or any other number of points,
            'linear', 'AP@10', or a list of several. For other options than k, pass an object made
            by :func:`metric`. Another metric, such as "P@1%", is shown in the legend.
        drop_intermediate : bool, default=False
            Whether to leave out operating points without positives. This doesn't change the values.
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
            The value if there are no positives; nan leaves it out of the mean. With nan, the mean
            curve leaves out the group, too.
        n_positives : int, float, array-like or mapping, default=None
            How many positives exist, found or not; with `groups`, a mapping from groups to counts.
            The curve ends at the highest recall that is reached.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as its query; groups are ranked separately. Each group
            gets a curve and its value in the legend, and a thick line is the mean curve. More than
            10 groups are thin gray lines. With several models or definitions, only means are drawn.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient, as the sampling unit. They matter only
            with `confidence_level`, which takes either groups or clusters.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y_true` contains grades.
        data : table, default=None
            The table that contains the columns, if you pass column names instead of arrays. Or a
            mapping from models to tables of :mod:`sklearn_ap.readers`.
        **plot_options
            The options of :meth:`plot`: `ax`, `name`, `curve_kwargs`, `fill_kwargs`,
            `points_kwargs`, `plot_chance_level`, `chance_level_kw` and `operating_points`.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display, after drawing.

        Examples
        --------
        >>> from sklearn_ap import AveragePrecisionDisplay
        >>> display = AveragePrecisionDisplay.from_predictions(
        ...     [1, 1, 0, 0, 0, 1, 1], [7, 6, 5, 4, 3, 2, 1], metric="AP@3"
        ... )
        >>> display.line_.get_label()
        'AP@3 = 0.667'
        """
        unread = Inputs.of_call(locals(), "AveragePrecisionDisplay.from_predictions")
        name = plot_options.get("name")
        drawing = base.Drawing(metric, confidence_level, name, drop_intermediate)
        return cls._from_predictions(unread, drawing).plot(**plot_options)

    @classmethod
    @public(warns_once=True, passes_on=plot)
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        metric: Metrics = "average_precision",
        drop_intermediate: bool = False,
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
        **plot_options: Unpack[AreaOptions],
    ) -> Self:
        """Plot precision-recall curves from a fitted classifier or outlier detector.

        Parameters
        ----------
        estimator : estimator instance, or mapping
            Fitted binary classifier or outlier detector, or a fitted pipeline that ends in one. To
            draw several models, pass a mapping from their names to their estimators.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Input values.
        y : array-like of shape (n_samples,)
            Target values.
        metric : str, Metric or list, default="average_precision"
            The definition to draw: 'step', 'envelope', '11-point' or any other number of points,
            'linear', 'AP@10', or a list of several.
        drop_intermediate : bool, default=False
            Whether to leave out operating points without positives.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            The method that returns the prediction scores. 'auto' uses `predict_proba` if it exists,
            and `decision_function` otherwise, or `score_samples` of outlier detectors.
        confidence_level : float, default=None
            The confidence level, such as 0.95, of the interval in the legend, and of the band
            around the curve, which is computed by the bootstrap.
        verbose : int, default=0
            If 1, progress is printed to standard error.
        pos_label : int, float, bool or str, default=1
            The label of the positive class. It is never guessed from the classes. With `min_grade`,
            the positive class is the larger of the two. For an outlier detector, it names the side
            that is ranked first: of labels -1 and 1, -1 are the outliers, and of 0 and 1, 1 are.
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
            The options of :meth:`plot`: `ax`, `name`, `curve_kwargs`, `fill_kwargs`,
            `points_kwargs`, `plot_chance_level`, `chance_level_kw` and `operating_points`. A single
            estimator is named after its class by default.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display, after drawing.
        """
        unread = Inputs.of_call(locals(), "AveragePrecisionDisplay.from_estimator", y_true=y)
        name = plot_options.get("name")
        drawing = base.Drawing(metric, confidence_level, name, drop_intermediate, response_method)
        return cls._from_estimator(estimator, X, unread, drawing).plot(**plot_options)

    @classmethod
    @public(warns_once=True, passes_on=plot)
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        metric: Metrics = "average_precision",
        drop_intermediate: bool = True,
        response_method: str = "auto",
        confidence_level: float | None = None,
        verbose: int = 0,
        pos_label: Label = 1,  # written by docs/_write/parameters.py
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        n_positives: NPositives = None,
        groups: ArrayLike | None = None,
        min_grade: float | None = None,
        **plot_options: Unpack[AreaOptions],
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
            'linear', 'AP@10', or a list of several.
        drop_intermediate : bool, default=True
            Whether to leave out operating points without positives, which saves time with many
            folds. This doesn't change the values.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            The method that returns the prediction scores.
        confidence_level : float, default=None
            The confidence level of the interval of the mean over folds, or with `groups`, over
            groups, and of the band around the mean curve. Repeated folds, in which rows come back,
            count as those of one repeat. If None, the legend shows the standard deviation over
            folds.
        verbose : int, default=0
            If 1, progress is printed to standard error.
        pos_label : int, float, bool or str, default=1
            The label of the positive class. It is never guessed from the classes. With `min_grade`,
            the positive class is the larger of the two. For an outlier detector, it names the side
            that is ranked first: of labels -1 and 1, -1 are the outliers, and of 0 and 1, 1 are.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts, such as the number of rows that it stands for.
        zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
            The value if there are no positives; nan leaves it out of the mean.
        n_positives : array-like or mapping, default=None
            How many positives exist, found or not, in each fold. With `groups`, a mapping from
            groups to counts, which needs folds that keep each group together.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as its query; groups are ranked separately. A group in
            several folds has a curve in each fold, and counts with the mean of these curves.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y_true` contains grades.
        **plot_options
            The options of :meth:`plot`: `ax`, `name`, `curve_kwargs`, `fill_kwargs`,
            `points_kwargs`, `plot_chance_level` and `chance_level_kw`.

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
        unread = Inputs.of_call(locals(), "AveragePrecisionDisplay.from_cv_results", y_true=y)
        name = plot_options.get("name")
        drawing = base.Drawing(metric, confidence_level, name, drop_intermediate, response_method)
        return cls._from_cv_results(cv_results, X, unread, drawing).plot(**plot_options)

    @classmethod
    def _trace(cls, points: OperatingPoints, rule: Rule, drop: bool, **fields: Any) -> DrawnCurve:
        is_value, rule = isinstance(rule, AreaRule), _find_area_rule(rule)
        cut, prevalence = rule.cut, np.nan
        if points.cum_total.size:
            prevalence = float(points.cum_positives[-1] / points.cum_total[-1])
        if drop and not (cut and cut.counts_rows):  # unless rows have to be counted first
            points = points.keep_positive()
        if cut is not None:
            points = select_reached(points, cut)
        if not points.n_positives.any():  # recall is 0/0, so nothing can be drawn
            points = points.keep_positive()
        area = rule.area(points)
        drawn, divisor, share = points, points.n_positives, "Recall"
        if isinstance(rule, AveragePrecisionAtK):
            drawn, divisor = select_top(points, rule.cut).points, area.whole
            if not np.array_equal(divisor, points.n_positives):
                share = f"Positives found / {rule.cut}"
                if rule.denominator == "hits":
                    share = f"Positives found / those in top {rule.cut}"
        edge = _find_corners(area, rule, drawn)
        line = _find_levels(area) if isinstance(rule, Levels) else edge
        if cut is not None:  # the line falls to 0 after the top k
            x, y = line
            end = edge[0][-1:]  # empty if there is no edge
            line = np.append(x, end), np.append(y, np.zeros_like(end))
        return DrawnCurve(
            line=line,
            points=(drawn.cum_positives / divisor, drawn.precision),
            edge=edge,
            has_levels=isinstance(rule, Levels),
            share=share,
            prevalence=prevalence,
            area=area,
            is_value=is_value,
            **fields,
        )

    @classmethod
    def _make_bands(
        cls, curves: Sequence[DrawnCurve], rule: Rule, curve_data: CurveData, level: float
    ) -> list[Band]:
        if curve_data.times is not None or curves[0].group is not None:
            return [base.make_band(curves, base.SPOTS, level, rule, curve_data)]
        model_rows, drawn_by = curve_data.model_rows, _find_area_rule(rule)
        spread_of_value = base.estimate_spread(rule, model_rows)
        spread = spread_of_value if rule == drawn_by else base.estimate_spread(drawn_by, model_rows)
        area = drawn_by.area(model_rows.rankings.points(drawn_by.cut))
        end = float(area.width.sum() / area.whole.item())  # 0 if no positive is in the top k
        x = np.linspace(0, end, base.SPOTS.size + 1)[1:]
        drawn = base.draw_curve_resamples(
            drawn_by, model_rows, lambda points: compute_heights(drawn_by.area(points), x)
        )
        trials = np.maximum(np.floor(spread.equal_units * x / (end or 1.0)), 1.0)
        curve = compute_heights(area, x)[0]
        low, high = base.compute_ends(curve, drawn, trials, level)
        return [Band(curves[0].label, level, spread_of_value.compute_limits(level), x, low, high)]

    def _chance_level(self) -> tuple[str, Line]:
        """Return the legend entry and the line of the precision of a random order.

        It is the mean over groups of the mean over folds.
        """
        from .artists import format_fraction

        curves = base.bundle_curves(self.curves, "label")[0]  # all definitions have the same
        units = base.bundle_curves(curves)
        prevalences = [
            average_defined(np.array([curve.prevalence for curve in unit])) for unit in units
        ]
        precision = average_defined(np.array(prevalences))
        ends = " to ".join(dict.fromkeys(map(format_fraction, self._compute_random_values(curves))))
        shown = format_fraction(precision)
        # The line is at the precision, which is nearly the average precision of many positives.
        words = [f"precision {shown}"] * (ends != shown) + [f"AP {ends}"] * bool(ends)
        return f"Chance ({', '.join(words)})", (np.array([0.0, 1.0]), np.full(2, precision))

    def _compute_random_values(self, curves: Sequence[DrawnCurve]) -> Sequence[float]:
        """Return the range over models of random rankings' average precision.

        It is empty if that isn't known. The curves are of one definition.
        """
        are_folds = curves[0].flags is None
        if self._weight_words or self._only_retrieved or are_folds:
            return ()
        models = base.bundle_curves(curves, "model")
        values = [
            average_defined(np.array([*map(_compute_random_value, model)])) for model in models
        ]
        return min(values), max(values)


def _compute_random_value(curve: DrawnCurve) -> float:
    """Return the mean average precision of random rankings with the same ties."""
    assert curve.flags is not None
    points = curve.flags.points
    n_found = int(points.cum_positives[-1]) if points.cum_positives.size else 0
    shape = RankingShape(points.total, n_found, points.n_positives.item())
    value = compute_mean_value(Step(), shape)
    return curve.value if value is None or np.isnan(value) else value


def _write_x_label(curves: Sequence[DrawnCurve]) -> str:
    """Return the label of the x axis, which names the definitions if they differ."""
    label_of = {curve.share: curve.label for curve in curves}
    first, *more_shares = dict.fromkeys(curve.share for curve in curves)
    besides = "; ".join(f"{label_of[share]}: {share.lower()}" for share in more_shares)
    return f"{first} ({besides})" if more_shares else first
