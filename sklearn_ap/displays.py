"""Displays in the style of scikit-learn's. Matplotlib is imported when something is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import _safe_indexing

from ._core import (
    NOT_SAID,
    Array,
    Column,
    Metric,
    PointRule,
    Points,
    break_ties_by_row,
    check,
    load,
    rank_samples,
    read,
)
from ._core import metric as make_metric
from .scorers import make_ap_scorer

_N_GRID = 501  # places at which curves of folds are averaged
_N_FIRST = 3  # positives of a fold, before which its precision is mostly chance
_N_PIXELS = 4000  # in width or height, more than a figure has
_GRAY = "0.5"  # which is seen on white and on black


class Curve(NamedTuple):
    """The curve of one ranking, and the value in its legend."""

    x: Array  # recall, or the fraction of samples that are flagged
    y: Array  # precision, or recall
    value: float
    prevalence: float  # the fraction of samples that are positive
    n_positives: int
    marks: tuple[Array, Array] = (np.empty(0), np.empty(0))


class Ranking(NamedTuple):
    """Labels and scores of which a curve is drawn, and what else describes them."""

    y_true: Any
    y_score: Any
    data: dict[str, Any]


class _CurveDisplay:
    """What both displays share: lines of models, or the mean and the range of their folds."""

    _drawstyle = "default"

    def __init__(
        self,
        curves: Mapping[Any, Sequence[Curve]],
        *,
        metric: str = "AP",
        pos_label: Any = None,
        drawstyle: str = "default",
    ) -> None:
        if not curves:
            raise ValueError("There is nothing to draw: pass at least one model.")
        self.curves = curves
        self.metric = metric
        self.pos_label = pos_label
        self.drawstyle = drawstyle

    def _draw(
        self,
        ax: Any,
        name: str | None,
        curve_kwargs: Mapping[str, Any] | None,
        lines: Mapping[Any, Sequence[tuple[Array, Array]]],
        start: float,
    ) -> None:
        """Draw the line of each model, or the mean and the range of its folds from a start on."""
        if ax is None:
            plt = load("matplotlib.pyplot", "plot")

            _, ax = plt.subplots(layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        drawn: list[Any] = []
        self.band_: list[Any] = []
        for model, curves in self.curves.items():
            values = [curve.value for curve in curves]
            text = f"{self.metric} = {np.mean(values):.3f}"
            if len(curves) > 1:
                text += f" +/- {np.std(values):.3f}"
            title = name if model is None else model
            style = {"label": text if title is None else f"{title} ({text})"}
            style |= curve_kwargs or {}
            if len(curves) == 1:
                (line,) = ax.plot(*lines[model][0], drawstyle=self.drawstyle, **style)
            else:
                grid = np.linspace(start, 1, _N_GRID)
                heights = np.array([self._read_heights(*each, grid) for each in lines[model]])
                (line,) = ax.plot(grid, heights.mean(axis=0), **style)
                color, low, high = line.get_color(), heights.min(axis=0), heights.max(axis=0)
                band = ax.fill_between(grid, low, high, color=color, alpha=0.2, linewidth=0)
                if not self.band_:  # which the legend explains once
                    band.set_label(f"Range of {len(curves)} folds")
                self.band_.append(band)
                if len(self.curves) == 1:
                    for each in lines[model]:
                        look = {"color": color, "alpha": 0.4, "linewidth": 0.8}
                        ax.plot(*each, drawstyle=self.drawstyle, **look)
            for curve in curves:
                if curve.marks[0].size:
                    ax.plot(*curve.marks, "s", color=line.get_color(), clip_on=False)
            drawn.append(line)
        self.line_: Any = drawn[0] if len(drawn) == 1 else drawn

    def _read_heights(self, x: Array, y: Array, grid: Array) -> Array:
        if self.drawstyle == "default":
            return np.interp(grid, x, y)
        return y[np.minimum(np.searchsorted(x, grid), y.size - 1)]

    @property
    def _curve_list(self) -> list[Curve]:
        return [curve for curves in self.curves.values() for curve in curves]

    @property
    def _prevalence(self) -> float:
        return float(np.mean([curve.prevalence for curve in self._curve_list]))

    @property
    def _suffix(self) -> str:
        return "" if self.pos_label in (None, 1) else f" (Positive label: {self.pos_label})"

    @classmethod
    def from_predictions(
        cls,
        y_true: Column = None,
        y_score: Any = None,
        *,
        metric: str | Metric = "average_precision",
        pos_label: float | bool | str = NOT_SAID,
        sample_weight: Column = NOT_SAID,
        n_positives: float | None = NOT_SAID,
        min_grade: float | None = NOT_SAID,
        data: Any = None,
        **plot_options: Any,
    ) -> Self:
        """Plot curves of labels and prediction scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Binary labels.
        y_score : array-like of shape (n_samples,), mapping, or list of columns of `data`
            Prediction scores, or those of several models by name.
        metric : str or Metric, default="average_precision"
            For precision and recall, the definition to draw: "AP" by steps; "envelope AP" by the
            best precision at this recall or beyond; "11-point", or another number, by its height at
            so many recalls, too; or "linear" by straight lines. For hits, the metric in the legend,
            such as "P@1%".
        pos_label : int, float, bool or str, default=1
            The label of the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts.
        n_positives : float, default=None
            How many positives exist, found or not.
        min_grade : float, default=None
            The lowest grade that is positive, if `y_true` has grades.
        data : table, default=None
            A table whose columns the other parameters name.
        **plot_options
            Parameters of :meth:`plot`, such as `ax` and `name`.

        Returns
        -------
        display : AveragePrecisionDisplay or HitCurveDisplay
            The display that was drawn.
        """
        passed = {
            "pos_label": pos_label,
            "sample_weight": sample_weight,
            "n_positives": n_positives,
            "min_grade": min_grade,
            "data": data,
        }
        chosen = make_metric(metric).choose_data(passed)
        rankings = _read_predictions(y_true, y_score, **chosen)
        return cls._trace(rankings, metric, chosen["pos_label"]).plot(**plot_options)

    @classmethod
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
        **plot_options: Any,
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
        **plot_options
            Parameters of :meth:`plot`. The `name` of a single model is by default that of its
            class.

        Returns
        -------
        display : AveragePrecisionDisplay or HitCurveDisplay
            The display that was drawn.
        """
        metric, pos_label = _split_label(metric, pos_label)
        if not isinstance(estimator, Mapping):
            estimator = {plot_options.pop("name", None) or type(estimator).__name__: estimator}
        rankings = {
            model: [_predict(each, X, y, response_method, pos_label, sample_weight)]
            for model, each in estimator.items()
        }
        return cls._trace(rankings, metric, pos_label).plot(**plot_options)

    @classmethod
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
        **plot_options: Any,
    ) -> Self:
        """Plot the mean and the range of the curves of folds.

        Parameters
        ----------
        cv_results : dict, or mapping from names to dicts
            What :func:`sklearn.model_selection.cross_validate` returns with
            ``return_estimator=True, return_indices=True``.
        X, y : array-like of shape (n_samples, n_features), and (n_samples,)
            The data that it was called with, and its labels.
        metric : str or Metric, default="average_precision"
            See :meth:`from_predictions`.
        response_method, pos_label, sample_weight
            See :meth:`from_estimator`.
        **plot_options
            Parameters of :meth:`plot`, such as `ax` and `name`.

        Returns
        -------
        display : AveragePrecisionDisplay or HitCurveDisplay
            The display that was drawn.
        """
        metric, pos_label = _split_label(metric, pos_label)
        rankings = _predict_folds(cv_results, X, y, response_method, pos_label, sample_weight)
        return cls._trace(rankings, metric, pos_label).plot(**plot_options)

    @classmethod
    def _trace(
        cls, rankings: Mapping[Any, Sequence[Ranking]], metric: str | Metric, pos_label: Any
    ) -> Self:
        """Compute the curve of each ranking."""
        made = make_metric(metric)
        title = cls._write_title(made, metric)
        curves = {
            model: [cls._trace_one(made, each) for each in many] for model, many in rankings.items()
        }
        drawstyle = "default" if made.rule.is_straight else cls._drawstyle
        return cls(curves, metric=title, pos_label=pos_label, drawstyle=drawstyle)

    def plot(self, ax: Any = None) -> Self:
        raise NotImplementedError

    @staticmethod
    def _write_title(made: Metric, metric: str | Metric) -> str:
        raise NotImplementedError

    @staticmethod
    def _trace_one(made: Metric, ranking: Ranking) -> Curve:
        raise NotImplementedError


class AveragePrecisionDisplay(_CurveDisplay):
    """Precision-recall curves, drawn so that the area below each is its value in the legend.

    Use :meth:`from_predictions`, :meth:`from_estimator` or :meth:`from_cv_results`.

    Attributes
    ----------
    curves : dict of lists of Curve
        The curve of each model or, of :meth:`from_cv_results`, of each fold: `x` is recall, `y`
        precision, and `value` average precision.
    line_ : matplotlib Line2D or list of Line2D
        The line of the model, or of each of several.
    band_ : list of matplotlib PolyCollection
        The range of the folds of each model.
    chance_level_ : matplotlib Line2D or None
        The precision of a random ranking.
    ax_, figure_ : matplotlib Axes and Figure
        Where the curves were drawn.

    Examples
    --------
    >>> y_true = [1, 1, 0, 1, 0]
    >>> display = AveragePrecisionDisplay.from_predictions(y_true, [0.9, 0.8, 0.7, 0.6, 0.5])
    >>> display.line_.get_label()
    'AP = 0.917'
    """

    chance_level_: Any

    _drawstyle = "steps-pre"  # a step ends at each recall

    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        plot_chance_level: bool = False,
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
        curve_kwargs : dict, default=None
            Keywords of Matplotlib's `plot` for the curves.

        Returns
        -------
        display : AveragePrecisionDisplay
            This display, which now has `ax_`, `figure_` and `line_`.
        """
        lines = {
            model: [(curve.x, curve.y) for curve in curves] for model, curves in self.curves.items()
        }
        start = max(min(_N_FIRST / curve.n_positives, 1) for curve in self._curve_list)
        self._draw(ax, name, curve_kwargs, lines, start)
        self.chance_level_ = None
        if plot_chance_level:
            label = f"Chance level (AP = {self._prevalence:.3f})"
            self.chance_level_ = self.ax_.axhline(
                self._prevalence, color=_GRAY, linestyle="--", label=label
            )
        self.ax_.set(
            xlabel=f"Recall{self._suffix}",
            ylabel=f"Precision{self._suffix}",
            xlim=(-0.01, 1.01),
            ylim=(-0.01, 1.01),
            aspect="equal",
        )
        self.ax_.legend()
        return self

    @staticmethod
    def _write_title(made: Metric, metric: str | Metric) -> str:
        """Name the definition, and refuse one that isn't an area under a curve."""
        title = made.rule.curve_title
        if not title or made.is_mean:
            raise ValueError(
                "A precision-recall curve can be drawn for 'AP', 'envelope AP', '11-point' or any "
                f"number of points, and 'linear'. Got metric={metric!r}."
            )
        return title

    @staticmethod
    def _trace_one(made: Metric, ranking: Ranking) -> Curve:
        """Return recall and precision. A step ends at each recall."""
        rule = made.rule
        assert isinstance(rule, PointRule)
        points = _rank(made, *ranking, every_point=rule.is_straight)
        first, height, marks = rule.trace(points)
        recall = np.minimum(points.cum_hits / points.n_positives, 1)
        return Curve(
            np.append(0, recall),
            np.append(first, height),
            float(made(ranking.y_true, ranking.y_score, **ranking.data)),
            float(points.n_positives[0] / points.mass[0]),
            _count_positives(points),
            marks,
        )


class HitCurveDisplay(_CurveDisplay):
    """Hit curves (gains curves): which fraction of the positives is found against how many samples
    are flagged; or lift curves, their quotient.

    Use :meth:`from_predictions`, :meth:`from_estimator` or :meth:`from_cv_results`.

    Attributes
    ----------
    curves : dict of lists of Curve
        The curve of each model or, of :meth:`from_cv_results`, of each fold: `x` is the fraction
        flagged, `y` recall, and `value` that of the metric.
    line_ : matplotlib Line2D or list of Line2D
        The line of the model, or of each of several.
    band_ : list of matplotlib PolyCollection
        The range of the folds of each model.
    chance_level_, perfect_ : matplotlib Line2D or None
        The lines of a random ranking and of a perfect one.
    ax_, figure_ : matplotlib Axes and Figure
        Where the curves were drawn.

    Examples
    --------
    >>> y_true = [1, 1, 0, 1, 0]
    >>> display = HitCurveDisplay.from_predictions(y_true, [5, 4, 3, 2, 1], metric="P@40%")
    >>> display.line_.get_label()
    'P@40% = 1.000'
    """

    chance_level_: Any
    perfect_: Any

    def plot(
        self,
        ax: Any = None,
        *,
        fraction_of: str = "positives",
        name: str | None = None,
        plot_chance_level: bool = True,
        curve_kwargs: Mapping[str, Any] | None = None,
    ) -> Self:
        """Plot the curves. With folds, the line is their mean, and the band is their range.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes, by default of a new figure.
        fraction_of : {'positives', 'lift'}, default='positives'
            What hits are a fraction of; see :func:`sklearn_ap.hit_curve`.
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
        check(fraction_of=fraction_of)
        lines = {}
        for model, curves in self.curves.items():
            scaled = [_scale_hits(c.x, c.y, c.prevalence, fraction_of) for c in curves]
            lines[model] = [_thin_out(x, y) for x, y in scaled]
        start = 0.0
        if fraction_of == "lift":  # which is mostly chance before a few positives are found
            start = max(
                curve.x[np.searchsorted(curve.y, min(_N_FIRST / curve.n_positives, curve.y[-1]))]
                for curve in self._curve_list
            )
        self._draw(ax, name, curve_kwargs, lines, start)
        self.chance_level_ = self.perfect_ = None
        if plot_chance_level:
            prevalence = self._prevalence
            flagged = np.array([0, min(prevalence, 1), 1])
            best = _scale_hits(flagged, np.array([0, 1, 1]), prevalence, fraction_of)
            random = _scale_hits(flagged, flagged, prevalence, fraction_of)
            look = {"color": _GRAY, "zorder": 1}
            (self.perfect_,) = self.ax_.plot(*best, linestyle=":", label="Perfect", **look)
            (self.chance_level_,) = self.ax_.plot(
                *random, linestyle="--", label="Chance level", **look
            )
        ylabels = {
            "positives": "Fraction of positives found",
            "lift": "Lift",
        }
        self.ax_.set(
            xlabel="Fraction of samples flagged", ylabel=f"{ylabels[fraction_of]}{self._suffix}"
        )
        self.ax_.legend()
        return self

    @staticmethod
    def _write_title(made: Metric, metric: str | Metric) -> str:
        if made.is_mean:
            raise ValueError(f"A display draws one ranking. Got metric={metric!r}, a mean of many.")
        if made.name == "average_precision":
            return "AP"
        return metric if isinstance(metric, str) else made.name

    @staticmethod
    def _trace_one(made: Metric, ranking: Ranking) -> Curve:
        """Return the fraction flagged and recall, and the value of the metric."""
        points = _rank(made, *ranking, every_point=True)
        n_samples, n_positives = points.mass[0], points.n_positives[0]
        return Curve(
            np.append(0, points.above + points.tied) / n_samples,
            np.append(0, np.minimum(points.cum_hits / n_positives, 1)),
            float(made(ranking.y_true, ranking.y_score, **ranking.data)),
            float(n_positives / n_samples),
            _count_positives(points),
        )


def _scale_hits(
    flagged: Array, found: Array, prevalence: float, fraction_of: str
) -> tuple[Array, Array]:
    """Turn recall into lift, or leave it."""
    if fraction_of == "lift":
        # Between two points recall is straight, and lift isn't.
        finer = np.union1d(flagged, np.linspace(0, 1, 1001))
        lift = np.interp(finer, flagged, found)[1:] / finer[1:]
        return finer, np.append(lift[:1], lift)
    return flagged, found


def _thin_out(x: Array, y: Array) -> tuple[Array, Array]:
    """Leave out points of a long line that are at the same pixel as the one before."""
    if x.size < 10 * _N_PIXELS:
        return x, y
    pixels = [np.round(each / each.max() * _N_PIXELS) for each in (x, y)]
    is_new = np.any(np.diff(pixels, prepend=-1) != 0, axis=0)
    is_new[-1] = True
    return x[is_new], y[is_new]


# --- labels and scores ----------------------------------------------------------------------------


def _read_predictions(y_true: Any, y_score: Any, **data: Any) -> dict[Any, list[Ranking]]:
    """Return the ranking of each model, which has no name if there is a single one."""
    are_names = isinstance(y_score, list) and all(isinstance(each, str) for each in y_score)
    if data["data"] is not None and are_names:
        y_score = {column: column for column in y_score}
    if not isinstance(y_score, Mapping):
        y_score = {None: y_score}
    return {model: [Ranking(y_true, scores, data)] for model, scores in y_score.items()}


def _predict_folds(
    cv_results: Any, X: Any, y: Any, response_method: Any, pos_label: Any, weight: Any
) -> dict[Any, list[Ranking]]:
    """Return the rankings of each model, one for each fold."""
    named = {None: cv_results} if "fit_time" in cv_results else cv_results
    rankings: dict[Any, list[Ranking]] = {}
    for model, results in named.items():
        if "estimator" not in results or "indices" not in results:
            raise ValueError(
                "cv_results must be those of cross_validate(..., return_estimator=True, "
                "return_indices=True)."
            )
        rankings[model] = []
        for fitted, rows in zip(results["estimator"], results["indices"]["test"], strict=True):
            of_fold = None if weight is None else _safe_indexing(weight, rows)
            test = _safe_indexing(X, rows), _safe_indexing(y, rows)
            rankings[model].append(_predict(fitted, *test, response_method, pos_label, of_fold))
    return rankings


def _split_label(metric: str | Metric, pos_label: Any) -> tuple[str | Metric, Any]:
    """Take the label out of a metric, because it decides which scores of an estimator are read."""
    return metric.split_label(pos_label) if isinstance(metric, Metric) else (metric, pos_label)


def _predict(
    estimator: Any, X: Any, y: Any, response_method: Any, pos_label: Any, weight: Any
) -> Ranking:
    """Return which samples are positive, the scores that a scorer reads, and the weights."""
    scorer = make_ap_scorer(pos_label=pos_label, response_method=response_method)
    read_as = scorer._predict(estimator, X, y)
    if "classes" in read_as or np.ndim(read_as["y_true"]) != 1:
        raise ValueError("A display draws one class of several: pass pos_label=.")
    is_positive = np.asarray(read_as["y_true"]) == read_as.get("pos_label", 1)
    data = {} if weight is None else {"sample_weight": weight}
    return Ranking(is_positive, read_as["y_score"], data)


def _rank(
    made: Metric, y_true: Any, y_score: Any, data: dict[str, Any], every_point: bool = False
) -> Points:
    rankings = read(y_true, y_score, **made.choose_data(data))
    _, rankings = break_ties_by_row(made.rule, rankings)
    if rankings.average != "binary":
        raise ValueError("A display draws one ranking: pass labels and scores of one class.")
    points = rank_samples(rankings, rankings.weight, every_point)
    if not points.n_positives[0] or not points.hits.any():
        raise ValueError("No positive class found in y_true, so there is no curve.")
    return points


def _count_positives(points: Points) -> int:
    """Count the positives; with weights, as many of the mean weight as have their mass."""
    return max(int(points.n_positives[0] / points.mass[0] * points.n_rows[0]), 1)
