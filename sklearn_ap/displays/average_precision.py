"""Precision-recall curves, with the area that each definition of average precision measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from .._data import public
from .._inputs import Inputs
from .._named import Metric
from .._typing import Label, NPositives, ZeroDivision
from .._validation.pictures import (
    check_curves,
    check_markable,
    check_matplotlib,
    check_plain_in_groups,
    check_prevalence,
)
from .._validation.warned import warning_once
from ..core.cutoff import DEFAULT_COUNTS
from .artists import Style, Styles, axes_or_new, axis_labels, draw_marks, draw_reference, finish
from .bands import Band, bands_of, bands_over_folds
from .curves import draw_bands, draw_curves, draw_mean
from .families import only_or_list
from .geometry import DrawnCurve, curves_of
from .labels import chance_entry, positive_label, shares
from .response import (
    accepted_by,
    models_to_draw,
    rankings_of_folds,
    rankings_of_models,
    response,
    rules_to_draw,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class AveragePrecisionDisplay:
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
    - "at-k": steps that end after the top k samples. If the cut-off k splits tied samples, they
      count in proportion. The x axis is recall if AP@k is divided by all positives. Otherwise it
      is the positives found, divided by the denominator of AP@k.

    The dots are operating points, one for each distinct prediction score. Tied samples share one
    dot, and since their scores don't tell what happens between them, nothing is drawn there.

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
    prevalence_pos_label : float, default=None
        The share of positives, which is the chance level.
    bands : list of Band, default=None
        One for each model and definition. Each has the `interval` of the value, and the confidence
        band around the curve as the arrays `x`, `low` and `high`.
    group_words : str, default='groups'
        What the legend calls the groups, such as "groups (class)".

    Attributes
    ----------
    value : float or list of float
        The average precision, which is the area under the curve. A list if there are several
        curves.
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
    mean_ : matplotlib Line2D or None
        The mean of the curves of groups.
    ax_ : matplotlib Axes
        The axes with the plot.
    figure_ : matplotlib Figure
        The figure that contains the axes.

    See Also
    --------
    HitCurveDisplay : Visualize hits against the fraction detected.
    average_precision_score : Compute the area under the curve "step".

    Notes
    -----
    Colors come from the property cycle of the axes. If you draw several definitions, they also
    differ in line styles and markers. To compare several models,
    `plt.style.use("tableau-colorblind10")` sets colors that everybody can tell apart.

    Examples
    --------
    >>> from sklearn_ap import AveragePrecisionDisplay
    >>> display = AveragePrecisionDisplay.from_predictions(
    ...     [1, 1, 0, 1, 0],
    ...     [0.9, 0.8, 0.7, 0.6, 0.5],
    ...     metric=["step", "11-point"],
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
        group_words: str = "groups",
    ) -> None:
        self.curves = curves
        self.bands = bands
        self.group_words = group_words
        self.value = only_or_list([curve.value for curve in curves])
        self.name = name
        self.pos_label = pos_label
        self.prevalence_pos_label = prevalence_pos_label

    @classmethod
    @public(reads=False)
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        metric: str | Metric | Sequence[str | Metric] = "average_precision",
        k: float = 10,
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
        """Plot precision-recall curves from labels and prediction scores.

        With several models, each model gets a curve. With `groups`, each group gets a curve.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.
        y_score : array-like of shape (n_samples,), or mapping
            Prediction scores, higher for the positive class. To draw several models, pass a mapping
            from their names to their prediction scores, or with `data` a list of column names.
        metric : str, Metric or list, default="average_precision"
            The definition to draw: 'step', 'envelope', '11-point' or any other number of points,
            'linear', 'at-k', or a list of several.
        k : int or float, default=10
            The cut-off of 'at-k'; see :func:`average_precision_at_k_score`.
        denominator : {'min', 'relevant', 'k', 'hits'}, default='min'
            What 'at-k' is divided by; see :func:`average_precision_at_k_score`.
        drop_intermediate : bool, default=False
            Whether to leave out operating points without positives. The values don't change.
        name : str, default=None
            The name of the model in the legend, if there is only one.
        ax, curve_kwargs, fill_kwargs, points_kwargs, plot_chance_level, chance_level_kw, despine
            As in :meth:`plot`.
        k_counts : {'samples', 'weight'}, default='weight'
            What k counts if samples have weights: their weight, or the samples themselves. Pass
            it if the weights differ, because without it you get a warning.
        confidence_level : float, default=None
            The confidence level of the intervals, such as 0.95. The legend shows the interval of
            the value, as :func:`sklearn_ap.confidence_interval` computes it. The band
            around the curve shows an interval at each position on the x axis, computed by the
            bootstrap. If None, neither is drawn.
        operating_points : object or list of object, default=None
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
            retrieved, so its value is 0. By default, all positives are in `y_true`. The curve ends
            at the highest recall that is reached.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample. Each group, such as a query, a user or a day, is ranked
            separately. Groups can be numbers, strings or other hashable objects, in any order.
            `y_true` must be binary. In object detection, these are the classes. Each group gets its
            own curve, and a thick line is the mean of the curves. The legend shows the value of
            each group and their mean. If there are more than 10 groups, they are drawn as thin gray
            lines, and the legend shows only the mean.
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
        display : AveragePrecisionDisplay
            The display, after drawing.

        Examples
        --------
        >>> from sklearn_ap import AveragePrecisionDisplay
        >>> display = AveragePrecisionDisplay.from_predictions(
        ...     [1, 1, 0, 0, 0, 1, 1],
        ...     [7, 6, 5, 4, 3, 2, 1],
        ...     metric="at-k",
        ...     k=3,
        ... )
        >>> display.line_.get_label()
        'AP@3 = 0.667'
        """
        given = locals()
        check_matplotlib(f"{cls.__name__}.from_predictions")
        rules, about_data = rules_to_draw(f"{cls.__name__}.from_predictions", metric, given)
        inputs: Inputs = data._replace(**about_data)
        models = models_to_draw(f"{cls.__name__}.from_predictions", inputs, name)
        check_plain_in_groups(
            inputs.groups, confidence_level, operating_points, len(rules), len(models)
        )
        curves: list[DrawnCurve] = []
        bands: list[Band] = []
        with warning_once():
            for model, found in rankings_of_models(cls.from_predictions, models):
                ranking, pos_label, words = found
                own_curves, prevalence = curves_of(
                    [ranking], rules, drop_intermediate, inputs.zero_division, model
                )
                curves += own_curves
                bands += bands_of(rules, ranking, confidence_level)
        return cls(
            curves,
            name=name,
            pos_label=pos_label,
            prevalence_pos_label=prevalence,
            bands=bands or None,
            group_words=words,
        ).plot(**accepted_by(AveragePrecisionDisplay.plot, given))

    @classmethod
    @public()
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        metric: str | Metric | Sequence[str | Metric] = "average_precision",
        k: float = 10,
        denominator: str = "min",
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        n_positives: NPositives = None,
        groups: ArrayLike | None = None,
        min_grade: float | None = None,
        drop_intermediate: bool = False,
        response_method: str = "auto",
        pos_label: Label = 1,
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
        operating_points: Any = None,
    ) -> Self:
        """Plot precision-recall curves from a fitted binary classifier.

        Parameters
        ----------
        estimator : estimator instance
            Fitted binary classifier, or a fitted pipeline that ends in one.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Input values.
        y : array-like of shape (n_samples,)
            Target values.
        metric, k, denominator, sample_weight, zero_division, n_positives, groups, min_grade
            As in :meth:`from_predictions`.
        drop_intermediate : bool, default=False
            As in :meth:`from_predictions`.
        response_method : {'auto', 'predict_proba', 'decision_function'}, default='auto'
            The method that returns the prediction scores. 'auto' uses `predict_proba` if it exists,
            and `decision_function` otherwise.
        pos_label : int, float, bool or str, default=1
            The label of the positive class. It is never guessed from the classes. With `min_grade`,
            the positive class is the larger one of the two.
        name : str, default=None
            The name of the model in the legend. If None, it is the class of the estimator.
        ax, curve_kwargs, fill_kwargs, points_kwargs, plot_chance_level, chance_level_kw, despine
            As in :meth:`plot`.
        k_counts, confidence_level
            As in :meth:`from_predictions`.
        operating_points : object or list of object, default=None
            As in :meth:`plot`.

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
        'GaussianNB (Step AP = 0.991)'
        """
        given = accepted_by(AveragePrecisionDisplay.from_predictions, locals())
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
        metric: str | Metric | Sequence[str | Metric] = "average_precision",
        k: float = 10,
        denominator: str = "min",
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        groups: ArrayLike | None = None,
        min_grade: float | None = None,
        drop_intermediate: bool = True,
        response_method: str = "auto",
        pos_label: Label = 1,
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
    ) -> Self:
        """Plot the precision-recall curve of each fold of a cross-validation.

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
        metric, k, denominator, sample_weight, zero_division
            As in :meth:`from_predictions`.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample. Each group is ranked separately. A group that is in several
            folds has a curve in each of them, and counts with their mean.
        min_grade : int or float, default=None
            As in :meth:`from_predictions`.
        drop_intermediate : bool, default=True
            As in :meth:`from_predictions`, except that operating points without positives are left
            out by default.
        response_method, pos_label
            As in :meth:`from_estimator`.
        name : str, default=None
            The name of the model in the legend.
        ax, curve_kwargs, fill_kwargs, points_kwargs, plot_chance_level, chance_level_kw, despine
            As in :meth:`plot`.
        k_counts : {'samples', 'weight'}, default='weight'
            As in :meth:`from_predictions`.
        confidence_level : float, default=None
            The confidence level of the interval of the mean over folds, and of the band around the
            mean curve. The folds are the sampling units. If None, the legend shows the standard
            deviation over folds instead.

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
        >>> display.line_[0].get_label()
        'Step AP = 0.993 +/- 0.004'
        """
        given = locals()
        check_matplotlib(f"{cls.__name__}.from_cv_results")
        rules, about_data = rules_to_draw(f"{cls.__name__}.from_cv_results", metric, given)
        if about_data:
            raise ValueError(
                f"{', '.join(about_data)} can't be an option of the metric, because the folds have "
                "data of their own."
            )
        check_plain_in_groups(groups, confidence_level, None, len(rules))
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
            curves, prevalence = curves_of(rankings, rules, drop_intermediate, zero_division)
        return cls(
            curves,
            name=name,
            pos_label=pos_label,
            prevalence_pos_label=prevalence,
            bands=bands_over_folds(rules, rankings, curves, confidence_level),
            group_words=words,
        ).plot(**accepted_by(AveragePrecisionDisplay.plot, given))

    @public()
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
            definition or group.
        fill_kwargs : dict, default=None
            Keywords for the areas, passed to matplotlib's `PolyCollection`. Pass
            `{"visible": False}` to hide them.
        points_kwargs : dict, default=None
            Keywords for the operating points, passed to matplotlib's `plot`. Pass
            `{"visible": False}` to hide them.
        plot_chance_level : bool, default=False
            Whether to plot the chance level, which is the precision of a random order.
        chance_level_kw : dict, default=None
            Keywords for the chance level, passed to matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines from the plot.
        operating_points : object or list of object, default=None
            One or several results of :func:`sklearn_ap.operating_point` on the same samples. Each
            is marked at its recall and precision, and the legend shows its threshold. The marks
            show the observed precision, so they are below an interpolated curve.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display itself.
        """
        check_matplotlib(f"{type(self).__name__}.plot")
        check_curves(self.curves)
        every_share = [curve.share for curve in self.curves]
        marked = check_markable(operating_points, self.curves, every_share)
        self.ax_ = axes_or_new(ax)
        self.figure_ = self.ax_.figure
        positive = positive_label(self.pos_label)
        labels = axis_labels(self.ax_, shares(self.curves) + positive, "Precision" + positive)
        name = self.name if name is None else name
        bands = self.bands or ()
        drawn = draw_curves(
            self.ax_, self.curves, bands, name, curve_kwargs, fill_kwargs, points_kwargs
        )
        self.line_, self.fill_, self.points_ = map(only_or_list, drawn)
        self.mean_ = draw_mean(self.ax_, self.curves, self.group_words, name)
        of_each = draw_bands(self.ax_, bands, self.curves, drawn.lines)
        self.band_ = only_or_list(of_each) if of_each else None
        places = [(point.recall, point.precision) for point in marked]
        self.marks_ = draw_marks(self.ax_, marked, places, drawn.lines)
        self.chance_level_ = None
        if plot_chance_level:
            height = check_prevalence(self.prevalence_pos_label, type(self).__name__)
            self.chance_level_ = draw_reference(
                self.ax_, chance_entry(height), ((0, 1), (height, height)), chance_level_kw
            )
        self.ax_.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        finish(self.ax_, labels, despine, has_room=ax is None)
        return self
