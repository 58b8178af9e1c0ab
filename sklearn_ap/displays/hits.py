"""Hit curves, which show the hits against the fraction detected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._data import public
from .._inputs import Inputs
from .._typing import Label
from .._validation.pictures import (
    check_drawable,
    check_markable,
    check_matplotlib,
    check_one_each,
    check_plain_in_groups,
)
from .artists import (
    MEAN,
    SEEN,
    SEEN_IN_COMPANY,
    Style,
    axes_or_new,
    axis_labels,
    draw_band,
    draw_line,
    draw_marks,
    draw_points,
    draw_reference,
    finish,
    ink,
    make_room,
    zoom,
)
from .bands import Band, bands_of_hits
from .curves import look_of_many
from .hit_curves import HitCurves, hits_of, on_scale
from .labels import group_entry, interval_entry, mean_entry, named, positive_label
from .response import accepted_by, response

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AXES = {  # labels of the x and the y axis, for each value of `fraction_of`
    "samples": ("Fraction detected", "Hits / all samples"),
    "positives": ("Share of the samples detected", "Share of the positives found"),
}


class HitCurveDisplay:
    r"""Visualization of hit curves, which show how many of the detected samples are positive.

    Use :meth:`from_estimator` or :meth:`from_predictions` to create a display.

    The samples with the highest prediction scores are *detected*, and the positives among them are
    *hits*. If the fraction :math:`t` of all samples is detected, the hits are the fraction
    :math:`h(t)` of all samples [1]_. Perfect detection rises straight to the prevalence
    :math:`\pi`, the share of positives, and stays there. Random selection follows the line
    :math:`h(t) = \pi t`. Precision is :math:`h(t)/t`, the slope of the line from the origin to the
    curve, and recall is :math:`h(t)/\pi`.

    The dots are operating points, one for each distinct prediction score. Between two dots, the
    line shows the mean hits over all orders of the samples that are tied there.

    For screening or alerts, pass `fraction_of="positives"` to show recall on the y axis, and
    `max_detected` to show only the part of the ranking that you will look at. `xlabel` and `ylabel`
    say what is tested and found. All lines are also correct on logarithmic axes, whether you set
    the scale before or after drawing.

    Parameters
    ----------
    detected : ndarray of shape (n_thresholds + 1,), or list of ndarray
        The fraction of samples detected, from 0 to 1. With groups, one array per group.
    hits : ndarray of shape (n_thresholds + 1,), or list of ndarray
        The fraction of samples that are detected and positive, from 0 to the prevalence. With
        groups, one array per group.
    average_precision : float or list of float, default=None
        The average precision, which the legend shows. With groups, one value per group.
    name : str, default=None
        The name of the model in the legend.
    pos_label : int, float, bool or str, default=None
        The label of the positive class, which is added to the axis labels.
    bands : dict of Band, default=None
        For each value of `fraction_of`, the confidence band around the curve as the arrays `x`,
        `low` and `high`, and the `interval` of the average precision.
    n_samples : int, default=None
        The number of samples, or with groups that of the largest group. On a logarithmic axis,
        lines start at the first sample. If None, they start at the first operating point.
    groups : list, default=None
        The names of the groups, if each has a curve.
    group_words : str, default='groups'
        What the legend calls the groups, such as "groups (target)".

    Attributes
    ----------
    line_ : matplotlib Line2D or list of Line2D
        The hit curve. With groups, a list with one curve per group.
    points_ : matplotlib Line2D or list of Line2D
        The operating points of each curve. If there are more than 200, they are hidden, because
        they would look like a thick line, and those of groups are always hidden. Pass
        `points_kwargs={"visible": True}` to show them.
    mean_ : matplotlib Line2D or None
        The mean of the curves of groups.
    perfect_ : matplotlib Line2D or None
        The line of perfect detection, if it is drawn.
    chance_level_ : matplotlib Line2D or None
        The line of random selection, if it is drawn.
    band_ : matplotlib PolyCollection or None
        The confidence band around the curve, if `confidence_level` was passed.
    marks_ : list of matplotlib Line2D
        The marks of `operating_points`.
    ax_ : matplotlib Axes
        The axes with the plot.
    figure_ : matplotlib Figure
        The figure that contains the axes.

    See Also
    --------
    hit_curve : Compute the points of the curve.
    AveragePrecisionDisplay : Visualize precision against recall.

    References
    ----------
    .. [1] M. Zhu, "Recall, precision and average precision", working paper 2004-09, Department of
       Statistics and Actuarial Science, University of Waterloo, 2004.

    Examples
    --------
    >>> from sklearn_ap import HitCurveDisplay
    >>> display = HitCurveDisplay.from_predictions(
    ...     [1, 1, 0, 1, 0], [9, 8, 7, 6, 5]
    ... )
    >>> display.line_.get_label()
    'AP = 0.917'
    """

    def __init__(
        self,
        detected: NDArray[np.float64] | Sequence[NDArray[np.float64]],
        hits: NDArray[np.float64] | Sequence[NDArray[np.float64]],
        *,
        average_precision: float | Sequence[float] | None = None,
        name: str | None = None,
        pos_label: Label | None = None,
        bands: Mapping[str, Band] | None = None,
        n_samples: int | None = None,
        groups: Sequence[Any] | None = None,
        group_words: str = "groups",
    ) -> None:
        self.groups = groups
        self.group_words = group_words
        self.bands = bands
        self.n_samples = n_samples
        self.detected = detected
        self.hits = hits
        self.average_precision: Any = average_precision
        self.name = name
        self.pos_label = pos_label

    @classmethod
    @public()
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | Sequence[Style] = None,
        points_kwargs: Style = None,
        plot_perfect: bool = True,
        perfect_kw: Style = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style = None,
        despine: bool = False,
        fraction_of: str = "samples",
        confidence_level: float | None = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        max_detected: float | None = None,
        operating_points: Any = None,
        pos_label: Label = 1,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        min_grade: float | None = None,
        data: Any = None,
    ) -> Self:
        """Plot a hit curve from labels and prediction scores.

        With `groups`, each group gets a curve.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.
        y_score : array-like of shape (n_samples,)
            Prediction scores, higher for the positive class.
        name : str, default=None
            The name of the model in the legend.
        ax, curve_kwargs, points_kwargs
            As in :meth:`plot`.
        plot_perfect, perfect_kw, plot_chance_level, chance_level_kw, despine, fraction_of
            As in :meth:`plot`.
        confidence_level : float, default=None
            The confidence level of the intervals, such as 0.95. The legend shows the interval of
            the average precision, as :func:`sklearn_ap.confidence_interval` computes it.
            The band around the curve shows an interval at each position on the x axis, computed by
            the bootstrap. If None, neither is drawn.
        xlabel, ylabel, max_detected, operating_points
            As in :meth:`plot`.
        pos_label : int, float, bool or str, default=1
            The label of the positive class. It must be 1 for multilabel and multiclass `y_true`.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. Samples of weight 0 are left out.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample. Each group, such as a query, a user or a day, is ranked
            separately. Groups can be numbers, strings or other hashable objects, in any order.
            `y_true` must be binary. In virtual screening, these are the targets. Each group gets
            its own curve, and a thick line is the mean of the curves. The legend shows the value of
            each group and their mean. If there are more than 10 groups, they are drawn as thin gray
            lines, and the legend shows only the mean. The mean is over what is found when the same
            fraction of each group is detected, and a group without positives counts as 0
            everywhere.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y_true` contains grades instead of labels,
            such as relevances from 0 to 4. With 2, the positives are `y_true >= 2`. `y_true` must
            then be one column of numbers, and you can't pass `pos_label` or `classes`.
        data : table, default=None
            The table that contains the columns, if you pass column names instead of arrays. It can
            be a DataFrame or LazyFrame of pandas, polars, Dask or Spark, a DuckDB relation, an Ibis
            or PyArrow table, a PyArrow dataset, or a path to Parquet files. The table has to be in
            memory here.

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
        ...     xlabel="Share of the library tested",
        ...     ylabel="Share of the actives found",
        ... )
        >>> display.line_.get_ydata()
        array([0.        , 0.33333333, 0.66666667, 0.66666667, 1.        ,
               1.        ])
        """
        given = locals()
        check_matplotlib(f"{cls.__name__}.from_predictions")
        check_plain_in_groups(groups, confidence_level, operating_points)
        inputs: Inputs = data
        ranking, pos_label, group_words = check_drawable(inputs)
        return cls(
            **hits_of(ranking),
            name=name,
            pos_label=pos_label,
            bands=None if confidence_level is None else bands_of_hits(ranking, confidence_level),
            group_words=group_words,
        ).plot(**accepted_by(HitCurveDisplay.plot, given))

    @classmethod
    @public()
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        response_method: str = "auto",
        pos_label: Label = 1,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style = None,
        points_kwargs: Style = None,
        plot_perfect: bool = True,
        perfect_kw: Style = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style = None,
        despine: bool = False,
        fraction_of: str = "samples",
        confidence_level: float | None = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        max_detected: float | None = None,
        operating_points: Any = None,
    ) -> Self:
        """Plot a hit curve from a fitted binary classifier.

        Parameters
        ----------
        estimator : estimator instance
            Fitted binary classifier, or a fitted pipeline that ends in one.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Input values.
        y : array-like of shape (n_samples,)
            Target values.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. Samples of weight 0 are left out.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            The method that returns the prediction scores. 'auto' uses `predict_proba` if it exists,
            and `decision_function` otherwise.
        pos_label : int, float, bool or str, default=1
            The label of the positive class. It is never guessed from the classes.
        name : str, default=None
            The name of the model in the legend. If None, it is the class of the estimator.
        ax, curve_kwargs, points_kwargs
            As in :meth:`plot`.
        plot_perfect, perfect_kw, plot_chance_level, chance_level_kw, despine, fraction_of
            As in :meth:`plot`.
        confidence_level : float, default=None
            As in :meth:`from_predictions`.
        xlabel, ylabel, max_detected, operating_points
            As in :meth:`plot`.

        Returns
        -------
        display : HitCurveDisplay
            The display, after drawing.
        """
        given = accepted_by(HitCurveDisplay.from_predictions, locals())
        check_matplotlib(f"{cls.__name__}.from_estimator")
        y_score = response(estimator, X, y, response_method, pos_label)
        given["name"] = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, y_score, **given)

    @public()
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Style | Sequence[Style] = None,
        points_kwargs: Style = None,
        plot_perfect: bool = True,
        perfect_kw: Style = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style = None,
        despine: bool = False,
        fraction_of: str = "samples",
        xlabel: str | None = None,
        ylabel: str | None = None,
        max_detected: float | None = None,
        operating_points: Any = None,
    ) -> Self:
        """Plot the hit curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, a new figure is created.
        name : str, default=None
            The name of the model in the legend. If None, it is `self.name`.
        curve_kwargs : dict or list of dict, default=None
            Keywords for the curve, passed to matplotlib's `plot`. With groups, a list has one dict
            for each of them.
        points_kwargs : dict, default=None
            Keywords for the operating points, passed to matplotlib's `plot`. Pass
            `{"visible": False}` to hide them.
        plot_perfect : bool, default=True
            Whether to plot the line of perfect detection. With groups, it is only drawn if all of
            them have the same prevalence.
        perfect_kw : dict, default=None
            Keywords for that line, passed to matplotlib's `plot`.
        plot_chance_level : bool, default=True
            Whether to plot the line of random selection. With groups, it is only drawn if all of
            them have the same prevalence, or if `fraction_of` is 'positives'.
        chance_level_kw : dict, default=None
            Keywords for that line, passed to matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines from the plot.
        fraction_of : {'positives', 'samples'}, default='samples'
            What the y axis shows: the hits as a share of all samples, or as a share of all
            positives, which is recall. The curve is the same, on another scale.
        xlabel : str, default=None
            The label of the x axis, such as "Share of the payments flagged". If None, it is the
            fraction detected.
        ylabel : str, default=None
            The label of the y axis, such as "Share of the fraud found". If None, it depends on
            `fraction_of`.
        max_detected : float, default=None
            Where the x axis ends, such as 0.1 to show only the first 10% of the samples. The y axis
            is fitted to the part that is visible. If you want a logarithmic axis, set its scale
            before.
        operating_points : object or list of object, default=None
            One or several results of :func:`sklearn_ap.operating_point` on the same samples. Each
            is marked on the curve, and the legend shows its threshold.

        Returns
        -------
        display : HitCurveDisplay
            The display itself.
        """
        check_matplotlib(f"{type(self).__name__}.plot")
        marked = check_markable(operating_points, self.groups, [])
        grouped = self.groups is not None
        detected = self.detected if grouped else [self.detected]
        hits = self.hits if grouped else [self.hits]
        curves = on_scale(detected, hits, fraction_of, self.n_samples)
        styles = check_one_each(curve_kwargs, len(curves.curves))
        name = self.name if name is None else name
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        labels = self._axis_labels(fraction_of, xlabel, ylabel)
        lines, points = self._draw_curves(curves, self._looks(name), styles, points_kwargs)
        self.line_: Any = lines if grouped else lines[0]
        self.points_: Any = points if grouped else points[0]
        self.mean_ = self._draw_mean(curves, name) if grouped else None
        self.band_ = self._draw_band(fraction_of)
        self.marks_ = self._draw_marks(fraction_of, marked)
        self.perfect_ = self.chance_level_ = None
        if plot_perfect and curves.perfect:
            style = {"linestyle": ":", "linewidth": 2}
            self.perfect_ = draw_reference(
                self.ax_, "Perfect detection", curves.perfect, perfect_kw, style
            )
        if plot_chance_level and curves.chance:
            self.chance_level_ = draw_reference(
                self.ax_, "Random selection", curves.chance, chance_level_kw
            )
        self.ax_.margins(x=0.01)  # no fixed limits, which would not fit a logarithmic axis
        if max_detected is not None:
            zoom(self.ax_, max_detected, curves.first)
        finish(self.ax_, labels, despine, has_room=ax is None)
        return self

    def _axis_labels(
        self, fraction_of: str, xlabel: str | None, ylabel: str | None
    ) -> dict[str, str]:
        along, up = _AXES[fraction_of]
        up += positive_label(self.pos_label)
        return axis_labels(
            self.ax_, along if xlabel is None else xlabel, up if ylabel is None else ylabel
        )

    def _draw_curves(
        self, curves: HitCurves, looks: Sequence[Style], styles: Sequence[Style], dots: Style
    ) -> tuple[list[Any], list[Any]]:
        """Draw the curves and their operating points."""
        from .straight import Straight

        most = SEEN_IN_COMPANY if make_room(self.ax_) else SEEN
        most = most if self.groups is None else 0
        bent = Straight(curves.first) + self.ax_.transData
        lines, points = [], []
        for (x, y), look, given in zip(curves.curves, looks, styles, strict=True):
            line = draw_line(self.ax_, x, y, given, transform=bent, **(look or {}))
            color = line.get_color()
            lines.append(line)
            points.append(draw_points(self.ax_, x, y, dots, most, color=color))
        return lines, points

    def _looks(self, name: str | None) -> list[dict[str, Any]]:
        """Return the style of each curve: a legend entry, or thin and gray for many groups."""
        if self.groups is None:
            return [{"label": self._legend_entry(name)}]
        values = self.average_precision
        if values is None:
            values = [None] * len(self.groups)
        of_many = look_of_many(self.ax_, len(self.groups))
        entries = map(group_entry, self.groups, values)
        return [{"label": entry} | of_many for entry in entries]

    def _legend_entry(self, name: str | None) -> str | None:
        if self.average_precision is None:
            return named(None, name)
        band = self.bands["samples"] if self.bands else None
        return named(f"AP = {self.average_precision:.3f}{interval_entry(band)}", name)

    def _draw_mean(self, curves: HitCurves, name: str | None) -> Any:
        values = self.average_precision
        entry = named(None, name)
        if values is not None:
            entry = mean_entry("AP", values, self.group_words, name)
        return draw_line(self.ax_, *curves.mean(), None, label=entry, color=ink(self.ax_), **MEAN)

    def _draw_band(self, fraction_of: str) -> Any:
        if not self.bands:
            return None
        band = self.bands[fraction_of]
        return draw_band(self.ax_, band.x, band.low, band.high, self.line_.get_color())

    def _draw_marks(self, fraction_of: str, marked: Sequence[Any]) -> list[Any]:
        if not marked:
            return []
        whole = self.hits[-1] if fraction_of == "positives" else 1.0
        places = [(p.flagged_share, p.precision * p.flagged_share / whole) for p in marked]
        return draw_marks(self.ax_, marked, places, [self.line_])
