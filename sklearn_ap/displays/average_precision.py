"""Precision against recall, with the area that a definition of average precision measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .. import _validation as check
from .._data import takes_table
from .._typing import Label
from ..core.cutoff import DEFAULT_COUNTS
from ..core.rankings import Rankings
from ..core.rules import AreaRule
from .artists import (
    Style,
    add_legend,
    axes_or_new,
    axis_labels,
    draw_area,
    draw_band,
    draw_line,
    draw_points,
    draw_reference,
    positive_label,
    remove_spines,
)
from .bands import Band, band, band_over_folds
from .geometry import DrawnCurve, trace
from .response import folds, response

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class AveragePrecisionDisplay:
    """Precision-recall curves, drawn the way each definition of average precision reads them.

    Make one with :meth:`from_estimator`, :meth:`from_predictions` or :meth:`from_cv_results`. The
    curve follows the definition, and the shaded area under it is the number in the legend:

    - "step": horizontal steps, one for each distinct score. Its height is the precision there.
    - "envelope": horizontal steps. The height is the best precision at that recall or any higher
      one.
    - "11-point", "101-point": a mark at each of N recalls, at the height of the envelope. Each mark
      counts one N-th, so it stands on a bar that is one N-th of the axis wide.
    - "linear": straight lines between operating points. They start at recall 0 and precision 1.
    - "at-k": steps that end after the first k samples. If k lies inside a tie, the tie counts with
      its share. If AP@k is divided by all positives, the x axis is recall. Otherwise it is the
      positives found, divided by the denominator of AP@k.

    The dots are operating points, one for each distinct score. So tied samples share one dot. Their
    scores do not say what happens inside the tie, so nothing is drawn there.

    Parameters
    ----------
    curves : list of DrawnCurve
        One for each definition, or for each fold and definition. Each has its `label`, its
        `average_precision`, and the arrays `recall` and `precision` of its operating points.
    name : str, default=None
        What the legend calls the model. If None, the legend names only the definition.
    pos_label : int, float, bool or str, default=None
        The label of the positive class, for the labels of the axes.
    prevalence_pos_label : float, default=None
        The share of positives, for the chance level.
    bands : list of Band, default=None
        One for each definition. Each has the `interval` of the number, and three arrays for the
        band around the curve: `low` and `high`, and their places `x`.

    Attributes
    ----------
    average_precision : float or list of float
        The number, which is the area under the curve. It is a list if there are several curves.
    line_ : matplotlib Line2D or list of Line2D
        The curve, or its marks. It is a list if there are several curves.
    fill_ : matplotlib PolyCollection or list of PolyCollection
        The area under each curve.
    points_ : matplotlib Line2D or list of Line2D
        The operating points of each curve. More than 200 are hidden, because they would look like a
        thick line. `points_kwargs={"visible": True}` shows them.
    band_ : matplotlib PolyCollection, list of PolyCollection or None
        The band around each curve, if there is a confidence level.
    chance_level_ : matplotlib Line2D or None
        The chance level, if it is drawn.
    ax_ : matplotlib Axes
        The axes of the picture.
    figure_ : matplotlib Figure
        The figure of the axes.

    See Also
    --------
    HitCurveDisplay : Hits against the fraction detected.
    average_precision_score : The number under the curve "step".

    Notes
    -----
    Colors come from the property cycle of the axes. Several definitions also have different lines
    and marks. For several models, `plt.style.use("tableau-colorblind10")` has colors that everybody
    can tell apart.

    Examples
    --------
    >>> from sklearn_ap import AveragePrecisionDisplay
    >>> display = AveragePrecisionDisplay.from_predictions(
    ...     [1, 1, 0, 1, 0],
    ...     [0.9, 0.8, 0.7, 0.6, 0.5],
    ...     definition=["step", "11-point"],
    ... )
    >>> [line.get_label() for line in display.line_]
    ['Step AP = 0.917', '11-point AP = 0.909']
    """

    def __init__(
        self,
        curves: Sequence[DrawnCurve],
        *,
        name: str | None = None,
        pos_label: Label | None = None,
        prevalence_pos_label: float | None = None,
        bands: Sequence[Band] | None = None,
    ) -> None:
        self.curves = curves
        self.bands = bands
        self.average_precision = _only_or_list([curve.average_precision for curve in curves])
        self.name = name
        self.pos_label = pos_label
        self.prevalence_pos_label = prevalence_pos_label

    @classmethod
    @takes_table
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        definition: str | Sequence[str] = "step",
        k: float = 10,
        denominator: str = "min",
        sample_weight: ArrayLike | None = None,
        n_positives: float | None = None,
        drop_intermediate: bool = False,
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | Sequence[Style] = None,
        fill_kwargs: Style = None,
        points_kwargs: Style = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
        k_counts: str = DEFAULT_COUNTS,
        confidence_level: float | None = None,
        data: Any = None,
    ) -> Self:
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.
        y_score : array-like of shape (n_samples,)
            Scores, higher for the positive class.
        definition : str or list of str, default='step'
            What to draw: 'step', 'envelope', '11-point' or any number of points, 'linear', 'at-k',
            or a list of several.
        k : int or float, default=10
            How many samples count, best first, in 'at-k'; see
            :func:`average_precision_at_k_score`.
        denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
            What 'at-k' is divided by; see :func:`average_precision_at_k_score`.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights. Samples of weight 0 are left out.
        n_positives : int or float, default=None
            How many positives exist, found or not. The curve ends at the highest recall that is
            reached.
        drop_intermediate : bool, default=False
            Whether to leave out operating points without positives. They change no number.
        pos_label : int, float, bool or str, default=None
            The label of the positive class; 1 if None and the labels are {0, 1} or {-1, 1}.
        name : str, default=None
            What the legend calls the model.
        ax, curve_kwargs, fill_kwargs, points_kwargs, plot_chance_level, chance_level_kw, despine
            As in :meth:`plot`.
        k_counts : {'samples', 'weight'}, default='weight'
            What k counts if samples have weights: their weight, or the samples themselves.
        confidence_level : float, default=None
            How often the intervals should contain the truth. The legend gives the interval of
            :func:`sklearn_ap.inference.confidence_interval`. The band around the curve shows an
            interval for each place on the x axis, by the bootstrap. None draws neither.
        data : table, default=None
            Where the columns are, if names of columns are passed. Here it has to be in memory: see
            :func:`sklearn_ap.average_precision_score`.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display, drawn.

        Examples
        --------
        >>> from sklearn_ap import AveragePrecisionDisplay
        >>> display = AveragePrecisionDisplay.from_predictions(
        ...     [1, 1, 0, 0, 0, 1, 1],
        ...     [7, 6, 5, 4, 3, 2, 1],
        ...     definition="at-k",
        ...     k=3,
        ... )
        >>> display.line_.get_label()
        'AP@3 = 0.667'
        """
        check.check_matplotlib(f"{cls.__name__}.from_predictions")
        options = {"k": k, "denominator": denominator, "k_counts": k_counts}
        rules = check.check_drawn(cls.__name__, definition, options)
        curves, ranking, pos_label, prevalence = _curves(
            y_true,
            y_score,
            rules,
            drop_intermediate,
            sample_weight=sample_weight,
            n_positives=n_positives,
            pos_label=pos_label,
        )
        bands = None
        if confidence_level is not None:
            bands = [band(rule, ranking, confidence_level) for rule in rules]
        return cls(
            curves,
            name=name,
            pos_label=pos_label,
            prevalence_pos_label=prevalence,
            bands=bands,
        ).plot(
            ax,
            curve_kwargs=curve_kwargs,
            fill_kwargs=fill_kwargs,
            points_kwargs=points_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
        )

    @classmethod
    @check.validated
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        definition: str | Sequence[str] = "step",
        k: float = 10,
        denominator: str = "min",
        sample_weight: ArrayLike | None = None,
        n_positives: float | None = None,
        drop_intermediate: bool = False,
        response_method: str = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | Sequence[Style] = None,
        fill_kwargs: Style = None,
        points_kwargs: Style = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
        k_counts: str = DEFAULT_COUNTS,
        confidence_level: float | None = None,
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
        definition, k, denominator, sample_weight, n_positives, drop_intermediate
            As in :meth:`from_predictions`.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            The method that gives the scores. 'auto' is predict_proba if there is one.
        pos_label : int, float, bool or str, default=None
            The label of the positive class; 1 if None and the classes are {0, 1} or {-1, 1}. Other
            classes need it, because it is never guessed.
        name : str, default=None
            What the legend calls the model; the class of the estimator if None.
        ax, curve_kwargs, fill_kwargs, points_kwargs, plot_chance_level, chance_level_kw, despine
            As in :meth:`plot`.
        k_counts : {'samples', 'weight'}, default='weight'
            As in :meth:`from_predictions`.
        confidence_level : float, default=None
            As in :meth:`from_predictions`.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display, drawn.

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
        'GaussianNB (Step AP = 0.991)'
        """
        check.check_matplotlib(f"{cls.__name__}.from_estimator")
        y_score, pos_label = response(estimator, X, y, response_method, pos_label)
        return cls.from_predictions(
            y,
            y_score,
            definition=definition,
            k=k,
            denominator=denominator,
            sample_weight=sample_weight,
            n_positives=n_positives,
            drop_intermediate=drop_intermediate,
            pos_label=pos_label,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            curve_kwargs=curve_kwargs,
            fill_kwargs=fill_kwargs,
            points_kwargs=points_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
            k_counts=k_counts,
            confidence_level=confidence_level,
        )

    @classmethod
    @check.validated
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        definition: str | Sequence[str] = "step",
        k: float = 10,
        denominator: str = "min",
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool = True,
        response_method: str = "auto",
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Style | Sequence[Style] = None,
        fill_kwargs: Style = None,
        points_kwargs: Style = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
        k_counts: str = DEFAULT_COUNTS,
        confidence_level: float | None = None,
    ) -> Self:
        """Draw each fold of a cross-validation, and give the mean over folds.

        Parameters
        ----------
        cv_results : dict
            What :func:`sklearn.model_selection.cross_validate` returns when it is called with
            `return_estimator=True` and `return_indices=True`.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The input values that were cross-validated.
        y : array-like of shape (n_samples,)
            The target values.
        definition, k, denominator, sample_weight, drop_intermediate
            As in :meth:`from_predictions`, but operating points without positives are left out by
            default.
        response_method, pos_label
            As in :meth:`from_estimator`.
        name : str, default=None
            What the legend calls the model.
        ax, curve_kwargs, fill_kwargs, points_kwargs, plot_chance_level, chance_level_kw, despine
            As in :meth:`plot`.
        k_counts : {'samples', 'weight'}, default='weight'
            As in :meth:`from_predictions`.
        confidence_level : float, default=None
            How often the intervals should contain the truth: the interval of the mean over folds,
            and those of the band around the mean curve. The folds are the units. None gives only
            the spread of the folds.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display, drawn.

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
        >>> display.line_[0].get_label()
        'Step AP = 0.993 +/- 0.004'
        """
        check.check_matplotlib(f"{cls.__name__}.from_cv_results")
        options = {"k": k, "denominator": denominator, "k_counts": k_counts}
        rules = check.check_drawn(cls.__name__, definition, options)
        check.check_folds(cv_results, confidence_level)
        curves, prevalences, points = [], [], []
        for estimator, X_test, y_test, weight in folds(cv_results, X, y, sample_weight):
            y_score, label = response(estimator, X_test, y_test, response_method, pos_label)
            of_fold, ranking, label, prevalence = _curves(
                y_test,
                y_score,
                rules,
                drop_intermediate,
                sample_weight=weight,
                n_positives=None,
                pos_label=label,
            )
            curves += of_fold
            prevalences.append(prevalence)
            points.append(ranking.curve()[0])
        bands = None
        if confidence_level is not None:
            bands = [
                band_over_folds(rule, points, _values(curves, rule.label), confidence_level)
                for rule in rules
            ]
        return cls(
            curves,
            name=name,
            pos_label=label,
            prevalence_pos_label=float(np.mean(prevalences)),
            bands=bands,
        ).plot(
            ax,
            curve_kwargs=curve_kwargs,
            fill_kwargs=fill_kwargs,
            points_kwargs=points_kwargs,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
        )

    @check.validated
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Style | Sequence[Style] = None,
        fill_kwargs: Style = None,
        points_kwargs: Style = None,
        plot_chance_level: bool = False,
        chance_level_kw: Style = None,
        despine: bool = False,
    ) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw in; those of a new figure if None.
        name : str, default=None
            What the legend calls the model; `self.name` if None.
        curve_kwargs : dict or list of dict, default=None
            Keywords for the curves, as of matplotlib's `plot`; a list has one dict for each
            definition.
        fill_kwargs : dict, default=None
            Keywords for the areas, as of matplotlib's `fill_between`. `{"visible": False}` hides
            them.
        points_kwargs : dict, default=None
            Keywords for the operating points, as of matplotlib's `plot`. `{"visible": False}`
            hides them.
        plot_chance_level : bool, default=False
            Whether to draw the precision that samples in no order have.
        chance_level_kw : dict, default=None
            Keywords for the chance level, as of matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display itself.
        """
        check.check_matplotlib(f"{type(self).__name__}.plot")
        check.check_curves(self.curves)
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        positive = positive_label(self.pos_label)
        labels = axis_labels(self.ax_, _shares(self.curves) + positive, "Precision" + positive)
        name = self.name if name is None else name
        self._draw_curves(name, curve_kwargs, fill_kwargs, points_kwargs)
        self.band_ = self._draw_bands() if self.bands else None
        self.chance_level_ = self._draw_chance(chance_level_kw) if plot_chance_level else None
        self.ax_.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal", **labels)
        if despine:
            remove_spines(self.ax_)
        add_legend(self.ax_, "best")
        return self

    def _draw_curves(
        self,
        name: str | None,
        curve_kwargs: Style | Sequence[Style],
        fill_kwargs: Style,
        points_kwargs: Style,
    ) -> None:
        artists = []
        groups = _by_label(self.curves)
        styles = check.check_one_each(curve_kwargs, len(groups), "curve_kwargs")
        linestyles = cycle(("-", "--", "-.", ":"))
        for group, given in zip(groups, styles, strict=True):
            style = _marks(group[0]) or {"linestyle": next(linestyles)}
            entry = _legend_entry(group, self._bands().get(group[0].label), name)
            style |= {"label": entry, "alpha": 1 if len(group) == 1 else 0.5}
            for curve in group:
                line = draw_line(self.ax_, curve.x, curve.y, given, **style)
                if curve is not group[0]:
                    line.set_label(None)
                color = style["color"] = line.get_color()
                area = self._draw_area(curve, fill_kwargs, color)
                # Of several definitions none owns the operating points.
                dots = {"color": color if len(groups) == 1 else "0.3", "alpha": style["alpha"]}
                points = draw_points(self.ax_, curve.recall, curve.precision, points_kwargs, **dots)
                artists.append((line, area, points))
        self.line_, self.fill_, self.points_ = map(_only_or_list, zip(*artists, strict=True))

    def _draw_bands(self) -> Any:
        colors = {
            curve.label: line.get_color()
            for curve, line in zip(self.curves, _as_list(self.line_), strict=True)
        }
        return _only_or_list(
            [
                draw_band(self.ax_, band.x, band.low, band.high, colors[band.label])
                for band in self.bands or ()
            ]
        )

    def _bands(self) -> dict[str, Band]:
        return {band.label: band for band in self.bands or ()}

    def _draw_area(self, curve: DrawnCurve, given: Style, color: Any) -> Any:
        style = {"facecolor": color, "edgecolor": color, "alpha": 0.2 / len(self.curves)}
        if self.bands:  # which is to be seen above it
            style["alpha"] /= 3
        style["linewidth"] = 0.5 if _few_levels(curve) else 0.0
        return draw_area(self.ax_, curve.corner_x, curve.corner_y, given, **style)

    def _draw_chance(self, given: Style) -> Any:
        prevalence = check.check_prevalence(self.prevalence_pos_label, type(self).__name__)
        digits = ".2f" if prevalence >= 0.1 else ".2g"  # rare positives are not 0.00
        label = f"Chance level (precision = {prevalence:{digits}})"
        return draw_reference(self.ax_, (0, 1), (prevalence, prevalence), given, label=label)


def _curves(
    y_true: ArrayLike,
    y_score: ArrayLike,
    rules: Sequence[AreaRule],
    drop_intermediate: bool,
    **given: Any,
) -> tuple[list[DrawnCurve], Rankings, Label, float]:
    """A curve for each rule, the ranking, its positive label, and the share of positives."""
    ranking, pos_label = check.check_drawable(y_true, y_score, **given)
    points = check.check_existing(ranking.curve()[0], ranking)
    prevalence = float(points.cum_positives[-1] / points.cum_total[-1])
    curves = [trace(points, rule, drop_intermediate) for rule in rules]
    return curves, ranking, pos_label, prevalence


def _by_label(curves: Sequence[DrawnCurve]) -> list[list[DrawnCurve]]:
    """The curves of one definition together: more than one where there are folds."""
    labels = dict.fromkeys(curve.label for curve in curves)
    return [[curve for curve in curves if curve.label == label] for label in labels]


def _values(curves: Sequence[DrawnCurve], label: str) -> list[float]:
    return [curve.average_precision for curve in curves if curve.label == label]


def _legend_entry(group: Sequence[DrawnCurve], band: Band | None, name: str | None) -> str:
    values = [curve.average_precision for curve in group]
    entry = f"{group[0].label} = {np.mean(values):.3f}"
    if len(values) > 1:
        entry += f" +/- {np.std(values):.3f}"
    if band is not None:
        low, high = band.interval
        entry += f", {100 * band.confidence_level:g}% {low:.3f} to {high:.3f}"
    return entry if name is None else f"{name} ({entry})"


def _marks(curve: DrawnCurve) -> dict[str, Any]:
    """Sampled levels are marks, each on a bar, and not a line."""
    if curve.drawn != "levels":
        return {}
    return {"linestyle": "none", "marker": "s", "markersize": 6 if _few_levels(curve) else 2}


def _few_levels(curve: DrawnCurve) -> bool:
    return curve.drawn == "levels" and curve.x.size < 30


def _shares(curves: Sequence[DrawnCurve]) -> str:
    """What lies on the x axis, definition by definition where they differ."""
    shares = list(dict.fromkeys(curve.share for curve in curves))
    if len(shares) == 1:
        return shares[0]
    labels = {curve.share: curve.label for curve in curves}
    others = "; ".join(f"{labels[share]}: {share.lower()}" for share in shares[1:])
    return f"{shares[0]} ({others})"


def _as_list(of_each: Any) -> list[Any]:
    return of_each if isinstance(of_each, list) else [of_each]


def _only_or_list(of_each: Sequence[Any]) -> Any:
    return of_each[0] if len(of_each) == 1 else list(of_each)
