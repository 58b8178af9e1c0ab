"""Hit curves, which show the hits against the fraction detected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._data import public
from .._inputs import Inputs
from .._typing import Label, NPositives, ZeroDivision
from .._validation.pictures import (
    check_curves,
    check_markable,
    check_matplotlib,
    check_one_each,
    check_plain_in_groups,
)
from .._validation.warned import warning_once
from .artists import (
    MEAN,
    Style,
    Styles,
    axes_or_new,
    axis_labels,
    draw_line,
    draw_marks,
    draw_points,
    draw_reference,
    finish,
    ink,
    make_room,
    zoom,
)
from .bands import Band, bands_of_hits, bands_of_hits_over_folds
from .curves import draw_bands, looks_of, most_dots
from .families import Family, defined, families_of, have_groups, only_or_list
from .hit_curves import HitCurve, hit_curves_of, mean_line, scale_of
from .labels import mean_entry, positive_label
from .response import accepted_by, models_to_draw, rankings_of_folds, rankings_of_models, response

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_AXES = {  # labels of the x and the y axis, for each value of `fraction_of`
    "samples": ("Fraction detected", "Hits / all samples"),
    "positives": ("Share of the samples detected", "Share of the positives found"),
}


class HitCurveDisplay:
    r"""Visualization of hit curves, which show how many of the detected samples are positive.

    Use :meth:`from_estimator`, :meth:`from_predictions` or :meth:`from_cv_results` to create a
    display.

    The samples with the highest prediction scores are *detected*, and the positives among them are
    *hits*. If the fraction :math:`t` of all samples is detected, the hits are the fraction
    :math:`h(t)` of all samples [1]_. Perfect detection rises straight to the prevalence
    :math:`\pi`, the share of positives, and stays there. Random selection follows the line
    :math:`h(t) = \pi t`. Precision is :math:`h(t)/t`, the slope of the line from the origin to the
    curve, and recall is :math:`h(t)/\pi`.

    The dots are operating points, one for each distinct prediction score. Between two dots, the
    line shows the mean hits over all orders of the samples that are tied there.

    The y axis shows recall, or with `fraction_of="samples"` the hits as a fraction of all samples.
    Pass `max_detected` to show only the part of the ranking that you will look at. `xlabel` and
    `ylabel` say what is tested and found. All lines are also correct on logarithmic axes, whether
    you set the scale before or after drawing.

    Parameters
    ----------
    curves : list of HitCurve
        One for each model, fold or group. Each has the arrays `detected` and `hits`, the average
        precision as its `value`, its `group` and `model`, and its `bands`.
    name : str, default=None
        The name of the model in the legend.
    pos_label : int, float, bool or str, default=None
        The label of the positive class, which is added to the axis labels.
    bands : dict of list of Band, default=None
        For each value of `fraction_of`, the confidence band of each model around its curve.
    group_words : str, default='groups'
        What the legend calls the groups, such as "groups (target)".

    Attributes
    ----------
    value : float or list of float
        The average precision, which the legend shows. A list if there are several curves.
    line_ : matplotlib Line2D or list of Line2D
        The hit curve. A list if there are several curves.
    points_ : matplotlib Line2D or list of Line2D
        The operating points of each curve. If there are more than 200, they are hidden, because
        they would look like a thick line, and those of folds and groups are always hidden. Pass
        `points_kwargs={"visible": True}` to show them.
    mean_ : matplotlib Line2D or None
        The mean of the curves of groups.
    perfect_ : matplotlib Line2D or None
        The line of perfect detection, if it is drawn.
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
        curves: Sequence[HitCurve],
        *,
        name: str | None = None,
        pos_label: Label | None = None,
        bands: Mapping[str, Sequence[Band]] | None = None,
        group_words: str = "groups",
    ) -> None:
        self.curves = curves
        self.bands = bands
        self.group_words = group_words
        self.value: Any = only_or_list([curve.value for curve in curves])
        self.name = name
        self.pos_label = pos_label

    @classmethod
    @public(reads=False)
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
        points_kwargs: Style = None,
        plot_perfect: bool = True,
        perfect_kw: Style = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style = None,
        despine: bool = False,
        fraction_of: str = "positives",
        confidence_level: float | None = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        max_detected: float | None = None,
        operating_points: Any = None,
        pos_label: Label = 1,
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        n_positives: NPositives = None,
        groups: ArrayLike | None = None,
        min_grade: float | None = None,
        prevalence: float | None = None,
        data: Any = None,
    ) -> Self:
        """Plot hit curves from labels and prediction scores.

        With several models, each model gets a curve. With `groups`, each group gets a curve.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.
        y_score : array-like of shape (n_samples,), or mapping
            Prediction scores, higher for the positive class. To draw several models, pass a mapping
            from their names to their prediction scores, or with `data` a list of column names.
        name : str, default=None
            The name of the model in the legend, if there is only one.
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
        zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
            The value where there are no positives. 'warn' returns 0.0 with a warning. nan leaves
            the class, row or group out of the mean. The mean curve of groups leaves it out, too.
        n_positives : int, float, array-like or mapping, default=None
            How many positives exist, found or not. Pass one count for a single ranking, or one for
            each column, or for each row with average='samples'. With `groups`, pass a mapping or
            pandas Series from groups to counts. A group that is only in the mapping was never
            retrieved, so its value is 0. By default, all positives are in `y_true`. Recall is
            relative to this count.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample. Each group, such as a query, a user or a day, is ranked
            separately. Groups can be numbers, strings or other hashable objects, in any order.
            `y_true` must be binary. In virtual screening, these are the targets. Each group gets
            its own curve, and a thick line is the mean of the curves. The legend shows the value of
            each group and their mean. If there are more than 10 groups, they are drawn as thin gray
            lines, and the legend shows only the mean. The mean is over what is found when the same
            fraction of each group is detected.
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
        inputs: Inputs = data
        models = models_to_draw(f"{cls.__name__}.from_predictions", inputs, name)
        check_plain_in_groups(groups, confidence_level, operating_points, n_models=len(models))
        curves: list[HitCurve] = []
        bands: dict[str, list[Band]] = {}
        with warning_once():
            for model, found in rankings_of_models(cls.from_predictions, models):
                ranking, pos_label, words = found
                curves += hit_curves_of(ranking, inputs.zero_division, model)
                if confidence_level is not None:
                    for scale, band in bands_of_hits(ranking, confidence_level).items():
                        bands.setdefault(scale, []).append(band)
        return cls(
            curves, name=name, pos_label=pos_label, bands=bands or None, group_words=words
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
        zero_division: ZeroDivision = "warn",
        n_positives: NPositives = None,
        groups: ArrayLike | None = None,
        min_grade: float | None = None,
        response_method: str = "auto",
        pos_label: Label = 1,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
        points_kwargs: Style = None,
        plot_perfect: bool = True,
        perfect_kw: Style = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style = None,
        despine: bool = False,
        fraction_of: str = "positives",
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
        sample_weight, zero_division, n_positives, groups, min_grade
            As in :meth:`from_predictions`.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            The method that returns the prediction scores. 'auto' uses `predict_proba` if it exists,
            and `decision_function` otherwise.
        pos_label : int, float, bool or str, default=1
            The label of the positive class. It is never guessed from the classes. With `min_grade`,
            the positive class is the larger one of the two.
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
        y_score = response(estimator, X, y, response_method, pos_label, min_grade)
        given["name"] = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, y_score, **given)

    @classmethod
    @public()
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        groups: ArrayLike | None = None,
        min_grade: float | None = None,
        response_method: str = "auto",
        pos_label: Label = 1,
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
        points_kwargs: Style = None,
        plot_perfect: bool = True,
        perfect_kw: Style = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style = None,
        despine: bool = False,
        fraction_of: str = "positives",
        confidence_level: float | None = None,
        xlabel: str | None = None,
        ylabel: str | None = None,
        max_detected: float | None = None,
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
        sample_weight, zero_division
            As in :meth:`from_predictions`.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample. Each group is ranked separately. A group that is in several
            folds has a curve in each of them, and counts with their mean.
        min_grade : int or float, default=None
            As in :meth:`from_predictions`.
        response_method, pos_label
            As in :meth:`from_estimator`.
        name : str, default=None
            The name of the model in the legend.
        ax, curve_kwargs, points_kwargs
            As in :meth:`plot`.
        plot_perfect, perfect_kw, plot_chance_level, chance_level_kw, despine, fraction_of
            As in :meth:`plot`.
        confidence_level : float, default=None
            The confidence level of the interval of the mean over folds, and of the band around the
            mean curve. The folds are the sampling units. If None, the legend shows the standard
            deviation over folds instead.
        xlabel, ylabel, max_detected
            As in :meth:`plot`.

        Returns
        -------
        display : HitCurveDisplay
            The display, after drawing.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import cross_validate
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from sklearn_ap import HitCurveDisplay
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> results = cross_validate(
        ...     GaussianNB(), X, y, return_estimator=True, return_indices=True
        ... )
        >>> display = HitCurveDisplay.from_cv_results(results, X, y)
        >>> display.line_[0].get_label()
        'AP = 0.993 +/- 0.004'
        """
        given = locals()
        check_matplotlib(f"{cls.__name__}.from_cv_results")
        check_plain_in_groups(groups, confidence_level, None)
        inputs = Inputs(
            y_true=y,
            pos_label=pos_label,
            sample_weight=sample_weight,
            groups=groups,
            min_grade=min_grade,
        )
        rankings, pos_label, words = rankings_of_folds(
            cv_results, X, inputs, response_method, confidence_level
        )
        with warning_once():
            curves = [c for each in rankings for c in hit_curves_of(each, zero_division)]
        return cls(
            [curve for family in families_of(curves) for curve in family],
            name=name,
            pos_label=pos_label,
            bands=None if confidence_level is None else bands_over_folds(curves, confidence_level),
            group_words=words,
        ).plot(**accepted_by(HitCurveDisplay.plot, given))

    @public()
    def plot(
        self,
        ax: Axes | None = None,
        *,
        name: str | None = None,
        curve_kwargs: Styles = None,
        points_kwargs: Style = None,
        plot_perfect: bool = True,
        perfect_kw: Style = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style = None,
        despine: bool = False,
        fraction_of: str = "positives",
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
            Keywords for the curves, passed to matplotlib's `plot`. A list has one dict for each
            model or group.
        points_kwargs : dict, default=None
            Keywords for the operating points, passed to matplotlib's `plot`. Pass
            `{"visible": False}` to hide them.
        plot_perfect : bool, default=True
            Whether to plot the line of perfect detection. With groups, it is only drawn if all of
            them have the same prevalence.
        perfect_kw : dict, default=None
            Keywords for that line, passed to matplotlib's `plot`.
        plot_chance_level : bool, default=True
            Whether to plot the line of random selection. With groups, it is only drawn if it is the
            same for all of them.
        chance_level_kw : dict, default=None
            Keywords for that line, passed to matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines from the plot.
        fraction_of : {'positives', 'samples'}, default='positives'
            What the y axis shows: the hits as a share of all existing positives, which is recall,
            or as a share of all samples. The curve is the same, on another scale.
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
        check_curves(self.curves)
        marked = check_markable(operating_points, self.curves)
        families, grouped = families_of(self.curves), have_groups(self.curves)
        bands = self.bands[fraction_of] if self.bands else ()
        styles = check_one_each(curve_kwargs, len(families))
        scale = scale_of(self.curves, fraction_of)
        name = self.name if name is None else name
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        labels = self._axis_labels(fraction_of, xlabel, ylabel)
        looks = looks_of(self.ax_, families, bands, name)
        lines, points = self._draw_curves(looks, styles, fraction_of, scale.first, points_kwargs)
        self.line_: Any = only_or_list(lines)
        self.points_: Any = only_or_list(points)
        self.mean_ = self._draw_mean(fraction_of, scale.first, name) if grouped else None
        of_each = draw_bands(self.ax_, bands, self.curves, lines)
        self.band_: Any = only_or_list(of_each) if of_each else None
        whole = self.curves[0].whole(fraction_of)
        places = [(p.flagged_share, p.precision * p.flagged_share / whole) for p in marked]
        self.marks_ = draw_marks(self.ax_, marked, places, lines)
        self.perfect_ = self.chance_level_ = None
        if plot_perfect and scale.perfect:
            style = {"linestyle": ":", "linewidth": 2}
            self.perfect_ = draw_reference(
                self.ax_, "Perfect detection", scale.perfect, perfect_kw, style
            )
        if plot_chance_level and scale.chance:
            self.chance_level_ = draw_reference(
                self.ax_, "Random selection", scale.chance, chance_level_kw
            )
        self.ax_.margins(x=0.01)  # no fixed limits, which would not fit a logarithmic axis
        if max_detected is not None:
            zoom(self.ax_, max_detected, scale.first)
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
        self,
        looks: Iterable[tuple[Family, dict[str, Any]]],
        styles: Sequence[Style],
        fraction_of: str,
        first: float,
        dots: Style,
    ) -> tuple[list[Any], list[Any]]:
        """Draw the curves and their operating points."""
        from .straight import Straight

        most = most_dots(self.curves, make_room(self.ax_))
        bent = Straight(first) + self.ax_.transData
        lines, points = [], []
        for (family, look), given in zip(looks, styles, strict=True):
            for curve in family:
                x, y = curve.on_scale(fraction_of)
                line = draw_line(self.ax_, x, y, given, transform=bent, **look)
                if curve is not family[0]:
                    line.set_label(None)
                color = look["color"] = line.get_color()
                lines.append(line)
                points.append(
                    draw_points(self.ax_, x, y, dots, most, color=color, alpha=look["alpha"])
                )
        return lines, points

    def _draw_mean(self, fraction_of: str, first: float, name: str | None) -> Any:
        families = families_of(self.curves)
        line = mean_line(families, fraction_of, first)
        if line is None:
            return None
        entry = mean_entry(families, self.group_words, name)
        return draw_line(self.ax_, *line, None, label=entry, color=ink(self.ax_), **MEAN)


def bands_over_folds(curves: Sequence[HitCurve], level: float) -> dict[str, list[Band]]:
    """Compute the band around the mean curve over folds, for each value of `fraction_of`."""
    known = defined(curves)
    values = np.array([curve.value for curve in known])
    n_samples = max(curve.n_samples or 1 for curve in curves)
    lines = {scale: [curve.on_scale(scale) for curve in known] for scale in _AXES}
    bands = bands_of_hits_over_folds(lines, values, n_samples, level)
    return {scale: [band] for scale, band in bands.items()}
