"""Displays in the style of scikit-learn's. Matplotlib is imported when something is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import _safe_indexing, check_array, check_consistent_length, column_or_1d

from ._core import (
    NOT_SAID,
    Array,
    Column,
    Metric,
    PointRule,
    Points,
    Rule,
    break_ties_by_row,
    check,
    check_calls,
    list_columns,
    load,
    rank_samples,
    read,
)
from ._core import metric as make_metric
from .scorers import RankingScorer

_N_GRID = 501  # points of the mean curve of folds
_MIN_HITS = 3  # Before a fold has found so many positives, its precision is mostly chance.
_N_PIXELS = 4000  # Figures have fewer in width and height.
_GRAY = "0.5"  # It is seen on white and on black.
_NO_MARKS = np.empty(0), np.empty(0)

Line = tuple[Array, Array]  # the coordinates of its points


class Curve(NamedTuple):
    """The curve of one ranking, and the value in its legend. It begins where nothing is flagged."""

    x: Array  # recall, or the fraction of samples that are flagged
    y: Array  # precision, or recall
    value: Any  # a float, or None if it isn't wanted, or a user has computed only the curve
    prevalence: Any  # the fraction of samples that are positive, or None
    n_positives: int = 1
    marks: Line = _NO_MARKS


Curves = Mapping[Any, Sequence[Curve]]  # the curve of each model, or those of its folds

# Labels and scores of which a curve is drawn, and options about them, as a metric takes them
Columns = dict[str, Any]


class _CurveDisplay:
    """What both displays share: lines of models, or the mean and the range of folds."""

    drawstyle = "default"
    # These name a metric as the caller does, and return the coordinates of the curve and its marks.
    _write_title: Callable[[Metric, str | Metric | None], str]
    _trace: Callable[[Any, Points, Array], tuple[Array, Array, Line]]

    def _set_curves(self, curves: Curves, title: str, pos_label: Any) -> None:
        self.curves = curves
        self.title = title
        self.pos_label = pos_label
        self._suffix = "" if pos_label in (None, 1) else f" (Positive label: {pos_label})"
        self._every_curve = [curve for folds in curves.values() for curve in folds]

    @classmethod
    def _build(
        cls,
        predictions: Mapping[Any, Sequence[Columns]],
        metric: str | Metric | None,
        pos_label: Any,
        drop_intermediate: bool = False,
    ) -> Self:
        """Make a display of the curve of each model, or of each of its folds."""
        check(drop_intermediate=drop_intermediate)
        definition = make_metric("average_precision" if metric is None else metric)
        title = cls._write_title(definition, metric)
        compute_curve = partial(cls._compute_curve, definition, title, drop_intermediate)
        curves = {model: [*map(compute_curve, folds)] for model, folds in predictions.items()}
        # The constructor takes what that of scikit-learn's display does.
        display = cls.__new__(cls)
        display._set_curves(curves, title, pos_label)
        if definition._rule.is_straight:
            display.drawstyle = "default"
        return display

    @classmethod
    def _compute_curve(
        cls, metric: Metric, title: str, drop_intermediate: bool, columns: Columns
    ) -> Curve:
        """Compute a curve, and the value of the metric if the legend has a title for it."""
        options = metric._choose_data_options(**columns)
        if options["pos_label"] is None:  # A function gets all labels, a curve is that of one.
            options["pos_label"] = 1
        _, rankings = break_ties_by_row(metric._rule, read(**options))
        if rankings.average != "binary":
            raise ValueError(
                "A display draws one class of several: pass pos_label=, or the scores of one."
            )
        points = rank_samples(rankings, rankings.weight, every_point=True)
        if not points.n_positives[0] or not points.hits.any():
            raise ValueError("No positive class found in y_true, so there is no curve.")
        n_samples, n_positives = points.mass[0], points.n_positives[0]
        recall = np.append(0, np.minimum(points.cum_hits / n_positives, 1))
        x, y, marks = cls._trace(metric._rule, points, recall)
        if drop_intermediate:
            rises = np.diff(x) > 0
            is_kept = np.append(True, rises) | np.append(rises, True)
            x, y = x[is_kept], y[is_kept]
        return Curve(
            x,
            y,
            value=float(metric(**columns)) if title else None,
            prevalence=float(points.cum_hits[-1] / n_samples),  # among rows with a score
            # With weights, this is how many of the mean weight there are.
            n_positives=max(int(n_positives / n_samples * points.n_rows[0]), 1),
            marks=marks,
        )

    def _draw(self, ax: Any, name: str | None, curve_kwargs: Mapping[str, Any] | None) -> None:
        """Draw the line of each model, or the mean and the range of its folds."""
        check(ax=ax, name=name, curve_kwargs=curve_kwargs)
        if ax is None:
            _, ax = load("matplotlib.pyplot", "plot").subplots(layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self.line_: Any = []
        self.band_: Any = None
        self.chance_level_: Any = None
        for model, curves in self.curves.items():
            model_name = name if name is not None and len(self.curves) == 1 else model
            properties = {"label": self._write_label(model_name, curves), **(curve_kwargs or {})}
            if len(curves) == 1:
                look = {"drawstyle": self.drawstyle} | properties
                (line,) = ax.plot(*_thin_out(curves[0]), **look)
            else:
                line = self._draw_folds(curves, properties)
            for curve in curves:
                if curve.marks[0].size:
                    ax.plot(*curve.marks, "s", color=line.get_color(), clip_on=False)
            self.line_.append(line)
        self.line_ = _unpack(self.line_)

    def _draw_folds(self, curves: Sequence[Curve], properties: dict[str, Any]) -> Any:
        """Draw the mean and the range of a model's folds, and each fold."""
        start = max(min(_MIN_HITS / curve.n_positives, 1) for curve in curves)
        grid = np.linspace(start, 1, _N_GRID)
        if self.drawstyle == "default":
            heights = [np.interp(grid, curve.x, curve.y) for curve in curves]
        else:
            heights = [
                curve.y.take(np.searchsorted(curve.x, grid), mode="clip") for curve in curves
            ]
        (line,) = self.ax_.plot(grid, np.mean(heights, axis=0), **properties)
        color = line.get_color()
        low, high = np.min(heights, axis=0), np.max(heights, axis=0)
        label = f"Range of {len(curves)} folds"
        self.band_ = self.ax_.fill_between(
            grid, low, high, color=color, alpha=0.2, linewidth=0, label=label
        )
        thin = {"drawstyle": self.drawstyle, "color": color, "alpha": 0.4, "linewidth": 0.8}
        for curve in curves:
            self.ax_.plot(curve.x, curve.y, **thin)
        return line

    def _write_label(self, model_name: Any, curves: Sequence[Curve]) -> str | None:
        """Write the name of a model and its value, or the mean over its folds, as far as known."""
        values = [curve.value for curve in curves if curve.value is not None]
        if not values:
            return None if model_name is None else str(model_name)
        text = f"{self.title} = {np.mean(values):.3f}"
        if len(values) > 1:
            text += f" +/- {np.std(values):.3f}"
        return text if model_name is None else f"{model_name} ({text})"

    def _add_legend(self) -> None:
        if self.ax_.get_legend_handles_labels()[1]:
            self.ax_.legend()


class AveragePrecisionDisplay(_CurveDisplay):
    """Precision-recall curves, drawn so that the area below each is its value in the legend.

    It replaces :class:`sklearn.metrics.PrecisionRecallDisplay`. Use :meth:`from_predictions`,
    :meth:`from_estimator` or :meth:`from_cv_results`, or pass a curve that you have computed.

    Parameters
    ----------
    precision, recall : ndarray
        A curve, in the order of :func:`sklearn.metrics.precision_recall_curve`.
    average_precision : float, default=None
        The value in the legend.
    name : str, default=None
        The name in the legend.
    pos_label : int, float, bool or str, default=None
        The label of the positive class.
    prevalence_pos_label : float, default=None
        The fraction of samples that are positive.

    Attributes
    ----------
    precision, recall, average_precision, name, pos_label, prevalence_pos_label
        As the parameters; lists if there are several curves.
    line_ : matplotlib Line2D or list of Line2D
        The line of the model, or of each of several.
    band_ : matplotlib PolyCollection or None
        The range of the folds.
    chance_level_ : matplotlib Line2D or None
        The precision of a random ranking.
    ax_, figure_ : matplotlib Axes and Figure
        Where the curves were drawn.

    See Also
    --------
    average_precision_score : The area below the curve.
    HitCurveDisplay : Recall against the fraction flagged.
    sklearn.metrics.PrecisionRecallDisplay : The display of scikit-learn.

    Examples
    --------
    >>> from sklearn_ap import AveragePrecisionDisplay
    >>> y_true = [1, 1, 0, 1, 0]
    >>> display = AveragePrecisionDisplay.from_predictions(y_true, [0.9, 0.8, 0.7, 0.6, 0.5])
    >>> display.line_.get_label()
    'AP = 0.917'
    """

    drawstyle = "steps-pre"  # a step ends at each recall

    def __init__(
        self,
        precision: ArrayLike,
        recall: ArrayLike,
        *,
        average_precision: float | None = None,
        name: str | None = None,
        pos_label: float | bool | str | None = None,
        prevalence_pos_label: float | None = None,
    ) -> None:
        check(name=name)
        x = column_or_1d(check_array(recall, ensure_2d=False))[::-1]
        y = column_or_1d(check_array(precision, ensure_2d=False))[::-1]
        check_consistent_length(x, y)
        curve = Curve(x, y, average_precision, prevalence_pos_label)
        self._set_curves({name: [curve]}, "AP", pos_label)

    def _set_curves(self, curves: Curves, title: str, pos_label: Any) -> None:
        super()._set_curves(curves, title, pos_label)
        self.precision = _unpack([curve.y[::-1] for curve in self._every_curve])
        self.recall = _unpack([curve.x[::-1] for curve in self._every_curve])
        self.average_precision = _unpack([curve.value for curve in self._every_curve])
        self.prevalence_pos_label = _unpack([curve.prevalence for curve in self._every_curve])
        self.name = _unpack([*curves])

    @classmethod
    @check_calls
    def from_predictions(
        cls,
        y_true: Column = None,
        y_score: Any = None,
        *,
        metric: str | Metric = "average_precision",
        pos_label: float | bool | str = NOT_SAID,
        sample_weight: Column = NOT_SAID,
        n_positives: float | str | None = NOT_SAID,
        min_grade: float | None = NOT_SAID,
        data: Any = None,
        drop_intermediate: bool = False,
        ax: Any = None,
        name: str | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        despine: bool = False,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Plot curves of labels and prediction scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.
        y_score : array-like of shape (n_samples,), mapping, or list of columns of `data`
            Prediction scores, or those of several models by name.
        metric : str or Metric, default="average_precision"
            The definition to draw: "AP" (steps), "envelope AP" (the best precision at this recall
            or a higher one), "11-point" or another number (dots on the envelope), or "linear"
            (straight lines).
        pos_label : int, float, bool or str, default=1
            The label of the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts.
        n_positives : float or 'rows', default=None
            How many positives exist, scored or not. 'rows' means that every positive has a row, and
            that the rows of unscored positives have no score.
        min_grade : float, default=None
            The lowest grade that is positive, if `y_true` has grades.
        data : table, default=None
            A table whose columns the other parameters name.
        drop_intermediate : bool, default=False
            Whether to leave out points inside vertical lines.
        ax, name, plot_chance_level, chance_level_kw, despine, curve_kwargs
            See :meth:`plot`.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display that was drawn.
        """
        predictions, pos_label = _read_predictions(
            y_true,
            y_score,
            metric,
            name,
            pos_label=pos_label,
            sample_weight=sample_weight,
            n_positives=n_positives,
            min_grade=min_grade,
            data=data,
        )
        return cls._build(predictions, metric, pos_label, drop_intermediate).plot(
            ax,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
            curve_kwargs=curve_kwargs,
        )

    @classmethod
    @check_calls
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        metric: str | Metric = "average_precision",
        response_method: str | Sequence[str] = "auto",
        pos_label: float | bool | str | None = None,
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool = False,
        ax: Any = None,
        name: str | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        despine: bool = False,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Plot the curve of a fitted classifier or outlier detector, or of several.

        Parameters
        ----------
        estimator : estimator, or mapping from names to estimators
            A fitted estimator, whose scores are read as by :func:`sklearn_ap.make_ap_scorer`.
        X, y : array-like of shape (n_samples, n_features), and (n_samples,)
            Test data, and its labels.
        metric : str or Metric, default="average_precision"
            See :meth:`from_predictions`.
        response_method : {'auto', 'decision_function', 'predict_proba'} or list, default='auto'
            The method whose output ranks the samples.
        pos_label : int, float, bool or str, default=None
            The label of the positive class; None means 1, or the outliers of a detector.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts.
        name : str, default=None
            The name of a single model, by default that of its class.
        drop_intermediate, ax, plot_chance_level, chance_level_kw, despine, curve_kwargs
            See :meth:`from_predictions`.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display that was drawn.
        """
        scorer = RankingScorer(*make_metric(metric)._split_label(pos_label), response_method)
        models = _name_models(estimator, type(estimator).__name__ if name is None else name)
        predictions = {
            model: [_predict(scorer, fitted, X, y, sample_weight)]
            for model, fitted in models.items()
        }
        return cls._build(predictions, scorer.metric, scorer.pos_label, drop_intermediate).plot(
            ax,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
            curve_kwargs=curve_kwargs,
        )

    @classmethod
    @check_calls
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        metric: str | Metric = "average_precision",
        response_method: str | Sequence[str] = "auto",
        pos_label: float | bool | str | None = None,
        sample_weight: ArrayLike | None = None,
        drop_intermediate: bool = True,
        ax: Any = None,
        name: str | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        despine: bool = False,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Plot the mean and the range of the curves of folds.

        Parameters
        ----------
        cv_results : dict
            What :func:`sklearn.model_selection.cross_validate` returns with
            ``return_estimator=True, return_indices=True``.
        X, y : array-like of shape (n_samples, n_features), and (n_samples,)
            The data that it was called with, and its labels.
        metric, response_method, pos_label, sample_weight
            See :meth:`from_estimator`.
        drop_intermediate : bool, default=True
            Whether to leave out points inside vertical lines.
        ax, name, plot_chance_level, chance_level_kw, despine, curve_kwargs
            See :meth:`plot`.

        Returns
        -------
        display : AveragePrecisionDisplay
            The display that was drawn.
        """
        scorer = RankingScorer(*make_metric(metric)._split_label(pos_label), response_method)
        check_consistent_length(X, y, sample_weight)
        if not isinstance(cv_results, Mapping) or not {"estimator", "indices"} <= {*cv_results}:
            raise ValueError(
                "cv_results must be those of cross_validate(..., return_estimator=True, "
                "return_indices=True)."
            )
        folds, columns = [], (X, y, sample_weight)
        tests = cv_results["indices"]["test"]
        for fitted, rows in zip(cv_results["estimator"], tests, strict=True):
            fold = [None if each is None else _safe_indexing(each, rows) for each in columns]
            folds.append(_predict(scorer, fitted, *fold))
        predictions = _name_models(folds, name)
        return cls._build(predictions, scorer.metric, scorer.pos_label, drop_intermediate).plot(
            ax,
            plot_chance_level=plot_chance_level,
            chance_level_kw=chance_level_kw,
            despine=despine,
            curve_kwargs=curve_kwargs,
        )

    @check_calls
    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        despine: bool = False,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Plot the curves. With folds, the line is their mean, and the band is their range.

        They begin where each fold has found three positives, because precision is mostly chance
        before that.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes, by default of a new figure.
        name : str, default=None
            The name of a single model in the legend.
        plot_chance_level : bool, default=False
            Whether to draw the precision of a random ranking, which is the fraction of positives.
        chance_level_kw : dict, default=None
            Keywords of Matplotlib's `plot` for this line.
        despine : bool, default=False
            Whether to leave out the lines above and to the right of the curves.
        curve_kwargs : dict, default=None
            Keywords of Matplotlib's `plot` for the curves, such as `color`.

        Returns
        -------
        display : AveragePrecisionDisplay
            This display, which now has `ax_`, `figure_` and `line_`.
        """
        check(plot_chance_level=plot_chance_level, chance_level_kw=chance_level_kw, despine=despine)
        prevalences = [c.prevalence for c in self._every_curve if c.prevalence is not None]
        if plot_chance_level and not prevalences:
            raise ValueError("plot_chance_level=True needs prevalence_pos_label=.")
        self._draw(ax, name, curve_kwargs)
        if plot_chance_level:
            prevalence = np.mean(prevalences)
            # Positives without a score, which n_positives counts, aren't found by chance either.
            reach = np.mean([curve.x.max() for curve in self._every_curve])
            label = f"Chance level (AP = {prevalence * reach:.3f})"
            (self.chance_level_,) = self.ax_.plot(
                (0, reach), (prevalence, prevalence), "--", color=_GRAY, label=label
            )
            self.chance_level_.set(**(chance_level_kw or {}))
        self.ax_.set(
            xlabel=f"Recall{self._suffix}",
            ylabel=f"Precision{self._suffix}",
            xlim=(-0.01, 1.01),
            ylim=(-0.01, 1.01),
            aspect="equal",
        )
        if despine:
            self.ax_.spines[["top", "right"]].set_visible(False)
            self.ax_.spines[["bottom", "left"]].set_bounds(0, 1)
        self._add_legend()
        return self

    @staticmethod
    def _write_title(definition: Metric, metric: str | Metric | None) -> str:
        title = definition._rule.curve_title
        if not title or definition._is_mean:
            raise ValueError(
                "A precision-recall curve can be drawn for 'AP', 'envelope AP', '11-point' or any "
                f"number of points, and 'linear'. Got metric={metric!r}."
            )
        return title

    @staticmethod
    def _trace(rule: PointRule, points: Points, recall: Array) -> tuple[Array, Array, Line]:
        height, marks, start = rule.trace(points)
        return recall, np.append(start, height), marks  # The start isn't averaged.


class HitCurveDisplay(_CurveDisplay):
    """Hit curves (gains curves): the fraction of positives found against that of samples flagged.

    Use :meth:`from_predictions`.

    Read more in :doc:`Top k and ties </top_k>`.

    Attributes
    ----------
    curves : dict of lists of Curve
        The curve of each model: `x` is the fraction flagged, `y` recall, and `value` that of the
        metric.
    line_ : matplotlib Line2D or list of Line2D
        The line of the model, or of each of several.
    chance_level_, perfect_ : matplotlib Line2D or None
        The lines of a random ranking and of a perfect one.
    ax_, figure_ : matplotlib Axes and Figure
        Where the curves were drawn.

    See Also
    --------
    hit_curve : The curve as arrays.
    AveragePrecisionDisplay : Precision against recall.

    Examples
    --------
    >>> from sklearn_ap import HitCurveDisplay
    >>> y_true = [1, 1, 0, 1, 0]
    >>> display = HitCurveDisplay.from_predictions(y_true, [5, 4, 3, 2, 1], metric="P@40%")
    >>> display.line_.get_label()
    'P@40% = 1.000'
    """

    perfect_: Any

    @classmethod
    @check_calls
    def from_predictions(
        cls,
        y_true: Column = None,
        y_score: Any = None,
        *,
        metric: str | Metric | None = None,
        pos_label: float | bool | str = NOT_SAID,
        sample_weight: Column = NOT_SAID,
        n_positives: float | str | None = NOT_SAID,
        min_grade: float | None = NOT_SAID,
        data: Any = None,
        ax: Any = None,
        name: str | None = None,
        plot_chance_level: bool = True,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Plot curves of labels and prediction scores.

        Parameters
        ----------
        y_true, y_score
            See :meth:`AveragePrecisionDisplay.from_predictions`.
        metric : str or Metric, default=None
            A metric for the legend, such as "P@1%".
        pos_label, sample_weight, n_positives, min_grade, data
            See :meth:`AveragePrecisionDisplay.from_predictions`.
        ax, name, plot_chance_level, curve_kwargs
            See :meth:`plot`.

        Returns
        -------
        display : HitCurveDisplay
            The display that was drawn.
        """
        predictions, pos_label = _read_predictions(
            y_true,
            y_score,
            "average_precision" if metric is None else metric,
            name,
            pos_label=pos_label,
            sample_weight=sample_weight,
            n_positives=n_positives,
            min_grade=min_grade,
            data=data,
        )
        return cls._build(predictions, metric, pos_label).plot(
            ax,
            plot_chance_level=plot_chance_level,
            curve_kwargs=curve_kwargs,
        )

    @check_calls
    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = True,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Plot the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes, by default of a new figure.
        name : str, default=None
            The name of a single model in the legend.
        plot_chance_level : bool, default=True
            Whether to draw the lines of a random ranking and of a perfect one.
        curve_kwargs : dict, default=None
            Keywords of Matplotlib's `plot` for the curves.

        Returns
        -------
        display : HitCurveDisplay
            This display, which now has `ax_`, `figure_` and `line_`.
        """
        check(plot_chance_level=plot_chance_level)
        self._draw(ax, name, curve_kwargs)
        self.perfect_ = None
        if plot_chance_level:
            prevalence = float(np.mean([curve.prevalence for curve in self._every_curve]))
            reach = float(np.mean([curve.y[-1] for curve in self._every_curve]))
            best = (0, prevalence, 1), (0, reach, reach)
            look = {"color": _GRAY, "zorder": 1}
            (self.perfect_,) = self.ax_.plot(*best, ":", label="Perfect", **look)
            (self.chance_level_,) = self.ax_.plot(
                (0, 1), (0, reach), "--", label="Chance level", **look
            )
        ylabel = f"Fraction of positives found{self._suffix}"
        self.ax_.set(xlabel="Fraction of samples flagged", ylabel=ylabel)
        self._add_legend()
        return self

    @staticmethod
    def _write_title(definition: Metric, metric: str | Metric | None) -> str:
        if metric is None:
            return ""
        if definition.name == "average_precision":
            return "AP"
        return metric if isinstance(metric, str) else definition.name

    @staticmethod
    def _trace(rule: Rule, points: Points, recall: Array) -> tuple[Array, Array, Line]:
        return np.append(0, points.cum_samples) / points.mass[0], recall, _NO_MARKS


def _thin_out(curve: Curve) -> Line:
    """Leave out points of a long line that are at the same pixel as the one before."""
    x, y = curve.x, curve.y
    if x.size < 10 * _N_PIXELS:
        return x, y
    pixels = [np.round(each / each.max() * _N_PIXELS) for each in (x, y)]
    is_new = np.any(np.diff(pixels, prepend=-1) != 0, axis=0)
    is_new[-1] = True
    return x[is_new], y[is_new]


# --- lines ----------------------------------------------------------------------------------------


def _unpack(values: list[Any]) -> Any:
    """Return the only value, or all of several."""
    return values[0] if len(values) == 1 else values


# --- labels and scores ----------------------------------------------------------------------------


def _read_predictions(
    y_true: Any, y_score: Any, metric: str | Metric, name: str | None, **options: Any
) -> tuple[dict[Any, list[Columns]], Any]:
    """Return the columns of each model, of which a single one has this name, and the label of the
    positive class.
    """
    options = make_metric(metric)._choose_data_options(**options)
    if options["data"] is not None and not isinstance(y_score, str) and list_columns(y_score):
        y_score = {column: column for column in y_score}
    columns = {
        model: [{"y_true": y_true, "y_score": scores, **options}]
        for model, scores in _name_models(y_score, name).items()
    }
    return columns, options["pos_label"]


def _name_models(models: Any, name: str | None) -> Mapping[Any, Any]:
    """Return models by name, of which a single one has this name."""
    check(name=name)
    if isinstance(models, Mapping | list) and not models:
        raise ValueError("Pass at least one model, or a fold of it. Got none.")
    return models if isinstance(models, Mapping) else {name: models}


def _predict(scorer: RankingScorer, estimator: Any, X: Any, y: Any, weight: Any) -> Columns:
    """Return the labels, the scores of their class, and weights if there are any."""
    columns = scorer.find_scores(estimator, X, y)
    return columns if weight is None else {**columns, "sample_weight": weight}
