"""Hits against the fraction detected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _validation as check
from .._data import takes_table
from .._typing import Label
from ..core.rules import Step
from ..core.segments import Array
from .artists import (
    SEEN,
    SEEN_IN_COMPANY,
    Style,
    add_legend,
    axes_or_new,
    axis_labels,
    draw_band,
    draw_line,
    draw_marks,
    draw_points,
    draw_reference,
    make_room,
    remove_spines,
    zoom,
)
from .bands import Band, bands_of_hits
from .labels import interval_entry, named, positive_label
from .response import response

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AXES = {  # what they show, by what hits are a share of
    "samples": ("Fraction detected", "Hits / all samples"),
    "positives": ("Share of the samples detected", "Share of the positives found"),
}


class HitCurveDisplay:
    r"""Hit curve: how many hits there are among the samples detected so far.

    The samples with the highest scores are detected. They are the fraction :math:`t` of all
    samples. Those of them that are positive are hits. The hits are the fraction :math:`h(t)` of all
    samples [1]_. Perfect detection rises straight to the prevalence :math:`\pi`, the share of
    positives, and stays there. Random selection follows the line :math:`h(t) = \pi t`. Precision is
    :math:`h(t)/t`, the slope of the line from the origin to the curve. Recall is :math:`h(t)/\pi`.

    The dots are operating points, one for each distinct score. The line between two dots shows the
    mean hits over all orders of the samples that are tied there.

    A screening or an alert system asks for other words and another scale: `share_of="positives"`
    shows the recall, `xlabel` and `ylabel` say what is tested and found, and `max_detected` shows
    the part of the ranking that anyone will look at.

    All lines are right on logarithmic axes too, set before or after.

    Make one with :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    detected : ndarray of shape (n_thresholds + 1,)
        The fraction of samples detected, from 0 to 1.
    hits : ndarray of shape (n_thresholds + 1,)
        The fraction of samples that are detected and positive, from 0 to the prevalence.
    average_precision : float, default=None
        The average precision, for the legend.
    name : str, default=None
        What the legend calls the model.
    pos_label : int, float, bool or str, default=None
        The label of the positive class, for the labels of the axes.
    bands : dict of Band, default=None
        For each value of `share_of` the band around the curve: three arrays `low` and `high`, and
        their places `x`, with the `interval` of the average precision.
    n_samples : int, default=None
        How many samples there are. Lines start at the first one on a logarithmic axis. None takes
        the first operating point for it.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The hit curve.
    points_ : matplotlib Line2D
        The operating points. More than 200 are hidden, because they would look like a thick line.
        `points_kwargs={"visible": True}` shows them.
    perfect_ : matplotlib Line2D or None
        The line of perfect detection, if it is drawn.
    chance_level_ : matplotlib Line2D or None
        The line of random selection, if it is drawn.
    band_ : matplotlib PolyCollection or None
        The band around the curve, if there is a confidence level.
    marks_ : list of matplotlib Line2D
        The marks of `operating_points`.
    ax_ : matplotlib Axes
        The axes of the picture.
    figure_ : matplotlib Figure
        The figure of the axes.

    See Also
    --------
    hit_curve : The points of the curve.
    AveragePrecisionDisplay : Precision against recall.

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
        detected: NDArray[np.float64],
        hits: NDArray[np.float64],
        *,
        average_precision: float | None = None,
        name: str | None = None,
        pos_label: Label | None = None,
        bands: Mapping[str, Band] | None = None,
        n_samples: int | None = None,
    ) -> None:
        self.bands = bands
        self.n_samples = n_samples
        self.detected = detected
        self.hits = hits
        self.average_precision = average_precision
        self.name = name
        self.pos_label = pos_label

    @classmethod
    @takes_table
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style = None,
        points_kwargs: Style = None,
        plot_perfect: bool = True,
        perfect_kw: Style = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style = None,
        despine: bool = False,
        share_of: str = "samples",
        data: Any = None,
        confidence_level: float | None = None,
        min_grade: float | None = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        max_detected: float | None = None,
        operating_points: Any = None,
    ) -> Self:
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.
        y_score : array-like of shape (n_samples,)
            Scores, higher for the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. Samples of weight 0 are left out.
        pos_label : int, float, bool or str, default=None
            The label of the positive class; 1 if None and the labels are {0, 1} or {-1, 1}.
        name : str, default=None
            What the legend calls the model.
        ax, curve_kwargs, points_kwargs
            As in :meth:`plot`.
        plot_perfect, perfect_kw, plot_chance_level, chance_level_kw, despine, share_of
            As in :meth:`plot`.
        data : table, default=None
            Where the columns are, if names of columns are passed. Here it has to be in memory: see
            :func:`sklearn_ap.average_precision_score`.
        confidence_level : float, default=None
            How often the intervals should contain the truth. The legend gives the interval of the
            average precision, as :func:`sklearn_ap.inference.confidence_interval` does. The band
            around the curve shows an interval for each place on the x axis, by the bootstrap. None
            draws neither.
        min_grade : int or float, default=None
            The lowest grade that counts as positive; see :func:`average_precision_score`.
        xlabel, ylabel, max_detected, operating_points
            As in :meth:`plot`.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.

        Examples
        --------
        >>> from sklearn_ap import HitCurveDisplay
        >>> display = HitCurveDisplay.from_predictions(
        ...     ["active", "active", "inactive", "active", "inactive"],
        ...     [9, 8, 7, 6, 5],
        ...     pos_label="active",
        ...     share_of="positives",
        ...     xlabel="Share of the library tested",
        ...     ylabel="Share of the actives found",
        ... )
        >>> display.line_.get_ydata()
        array([0.        , 0.33333333, 0.66666667, 0.66666667, 1.        ,
               1.        ])
        """
        check.check_matplotlib(f"{cls.__name__}.from_predictions")
        ranking, pos_label = check.check_drawable(
            y_true,
            y_score,
            pos_label=pos_label,
            sample_weight=sample_weight,
            min_grade=min_grade,
        )
        points, _ = ranking.curve()
        bands = None if confidence_level is None else bands_of_hits(ranking, confidence_level)
        display = cls(
            *points.shares(),
            average_precision=check.fill_with_zero(Step().values(points), ranking.names).item(),
            name=name,
            pos_label=pos_label,
            bands=bands,
            n_samples=ranking.scores.size,
        )
        return display.plot(
            ax,
            curve_kwargs=curve_kwargs,
            points_kwargs=points_kwargs,
            plot_perfect=plot_perfect,
            perfect_kw=perfect_kw,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
            share_of=share_of,
            xlabel=xlabel,
            ylabel=ylabel,
            max_detected=max_detected,
            operating_points=operating_points,
        )

    @classmethod
    @check.validated
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        response_method: str = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style = None,
        points_kwargs: Style = None,
        plot_perfect: bool = True,
        perfect_kw: Style = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style = None,
        despine: bool = False,
        share_of: str = "samples",
        confidence_level: float | None = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        max_detected: float | None = None,
        operating_points: Any = None,
    ) -> Self:
        """Draw how a fitted binary classifier ranks samples.

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
            The method that gives the scores. 'auto' is predict_proba if there is one.
        pos_label : int, float, bool or str, default=None
            The label of the positive class; 1 if None and the classes are {0, 1} or {-1, 1}. Other
            classes need it, because it is never guessed.
        name : str, default=None
            What the legend calls the model; the class of the estimator if None.
        ax, curve_kwargs, points_kwargs
            As in :meth:`plot`.
        plot_perfect, perfect_kw, plot_chance_level, chance_level_kw, despine, share_of
            As in :meth:`plot`.
        confidence_level : float, default=None
            As in :meth:`from_predictions`.
        xlabel, ylabel, max_detected, operating_points
            As in :meth:`plot`.

        Returns
        -------
        display : HitCurveDisplay
            The display, drawn.
        """
        check.check_matplotlib(f"{cls.__name__}.from_estimator")
        y_score, pos_label = response(estimator, X, y, response_method, pos_label)
        return cls.from_predictions(
            y,
            y_score,
            sample_weight=sample_weight,
            pos_label=pos_label,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            curve_kwargs=curve_kwargs,
            points_kwargs=points_kwargs,
            plot_perfect=plot_perfect,
            perfect_kw=perfect_kw,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
            share_of=share_of,
            confidence_level=confidence_level,
            xlabel=xlabel,
            ylabel=ylabel,
            max_detected=max_detected,
            operating_points=operating_points,
        )

    @check.validated
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Style = None,
        points_kwargs: Style = None,
        plot_perfect: bool = True,
        perfect_kw: Style = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style = None,
        despine: bool = False,
        share_of: str = "samples",
        xlabel: str | None = None,
        ylabel: str | None = None,
        max_detected: float | None = None,
        operating_points: Any = None,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw in. None makes a new figure.
        name : str, default=None
            What the legend calls the model; `self.name` if None.
        curve_kwargs : dict, default=None
            Keywords for the curve, as in matplotlib's `plot`.
        points_kwargs : dict, default=None
            Keywords for the operating points, as in matplotlib's `plot`. `{"visible": False}` hides
            them.
        plot_perfect : bool, default=True
            Whether to draw the line of perfect detection.
        perfect_kw : dict, default=None
            Keywords for that line, as in matplotlib's `plot`.
        plot_chance_level : bool, default=True
            Whether to draw the line of random selection.
        chance_level_kw : dict, default=None
            Keywords for that line, as in matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines.
        share_of : {'positives', 'samples'}, default='samples'
            What the y axis shows: the hits as a share of all samples, or as a share of all
            positives. The curve is the same, on another scale.
        xlabel : str, default=None
            What to call the x axis, such as "Share of the payments flagged". None calls it the
            fraction detected.
        ylabel : str, default=None
            What to call the y axis, such as "Share of the fraud found". None calls it what
            `share_of` says.
        max_detected : float, default=None
            How much of the x axis to show, such as 0.1 for the first 10% of the samples. The y axis
            then fits what is drawn there. If an axis is to be logarithmic, make it so before.
        operating_points : object or list of object, default=None
            What to mark: one or several results of :func:`sklearn_ap.operating_point` on the same
            samples. Each gets a mark on the curve, and its threshold is in the legend.

        Returns
        -------
        display : HitCurveDisplay
            The display itself.
        """
        check.check_matplotlib(f"{type(self).__name__}.plot")
        from .straight import Straight

        marked = check.check_markable(operating_points, [])
        whole = check.check_found_share(self.hits[-1]) if share_of == "positives" else 1.0
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        labels = self._axis_labels(share_of, xlabel, ylabel)
        most = SEEN_IN_COMPANY if make_room(self.ax_) else SEEN
        hits, label = self.hits / whole, self._legend_entry(self.name if name is None else name)
        bent = Straight(self._first()) + self.ax_.transData
        self.line_ = draw_line(
            self.ax_, self.detected, hits, curve_kwargs, label=label, transform=bent
        )
        color = self.line_.get_color()
        self.points_ = draw_points(self.ax_, self.detected, hits, points_kwargs, most, color=color)
        self.band_ = self._draw_band(share_of, color)
        places = [
            (point.flagged_share, point.precision * point.flagged_share / whole) for point in marked
        ]
        self.marks_ = draw_marks(self.ax_, marked, places, color)
        end = hits[-1]
        self.perfect_ = self._draw_perfect(perfect_kw, end) if plot_perfect else None
        self.chance_level_ = self._draw_chance(chance_level_kw, end) if plot_chance_level else None
        self.ax_.margins(x=0.01)  # and no fixed limits, which would not fit a logarithmic axis
        if max_detected is not None:
            zoom(self.ax_, max_detected, self._first())
        self.ax_.set(**labels)
        if despine:
            remove_spines(self.ax_)
        add_legend(self.ax_, has_room=ax is None)
        return self

    def _axis_labels(self, share_of: str, xlabel: str | None, ylabel: str | None) -> dict[str, str]:
        along, up = _AXES[share_of]
        up += positive_label(self.pos_label)
        return axis_labels(
            self.ax_, along if xlabel is None else xlabel, up if ylabel is None else ylabel
        )

    def _legend_entry(self, name: str | None) -> str | None:
        if self.average_precision is None:
            return name
        band = self.bands["samples"] if self.bands else None
        return named(f"AP = {self.average_precision:.3f}{interval_entry(band)}", name)

    def _draw_band(self, share_of: str, color: Any) -> Any:
        if not self.bands:
            return None
        band = self.bands[share_of]
        return draw_band(self.ax_, band.x, band.low, band.high, color)

    def _draw_perfect(self, given: Style, end: float) -> Any:
        x, y = self._sampled((0, self.hits[-1], 1), (0, end, end))
        return draw_reference(
            self.ax_, x, y, given, label="Perfect detection", linestyle=":", linewidth=2
        )

    def _draw_chance(self, given: Style, end: float) -> Any:
        x, y = self._sampled((0, 1), (0, end))
        return draw_reference(self.ax_, x, y, given, label="Random selection")

    def _sampled(self, x: Sequence[float], y: Sequence[float]) -> tuple[Array, Array]:
        from .straight import dense

        return dense(np.array(x), np.array(y), self._first())

    def _first(self) -> float:
        """The share of a single sample, or what is detected first if that is less."""
        first = float(self.detected[self.detected > 0].min(initial=1.0))
        return first if self.n_samples is None else min(first, 1 / self.n_samples)
