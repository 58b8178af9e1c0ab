"""Hit curves, which show the hits against the fraction flagged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .._enter.entry import public
from .._enter.metric import Metric
from .._read.units import Sample
from .._show.figures import draws
from .._words.inputs import Label, NPositives, Unread, ZeroDivision
from ..core.cutoff import DEFAULT_COUNTS
from ..core.operating_points import OperatingPoints, lift
from ..core.resampling import hits
from ..core.rules import Rule, Step
from ..core.spread import ROUNDING
from ..core.within import Array
from . import base
from .base import Band, Curve, Display, Line, Style, Styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FRACTIONS = ("samples", "positives")  # of which hits are a fraction
_STEPS_OF_MEAN = np.linspace(0, 1, 1001)  # where the mean of the curves of groups is drawn


@dataclass(frozen=True, eq=False, kw_only=True)
class HitCurve(Curve):
    """The hit curve of one ranking. Its value is that of the metric in the legend.

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

    def whole(self, fraction_of: str) -> float:
        """Return what hits are divided by on the y axis."""
        return 1.0 if fraction_of == "samples" else self.prevalence

    def on_scale(self, fraction_of: str) -> Self:
        """Return the curve to draw. The recall of no positives is 0/0, which has been replaced."""
        whole, x, y = self.whole(fraction_of), self.detected, self.hits
        line = points = x, y / whole if whole else np.full(y.shape, self.value)
        if not whole and np.isnan(self.value):
            line = points = x[:0], y[:0]
        elif fraction_of == "lift" and whole:
            line, points = lift_along(line, 1 / max(self.n_samples, 1)), (x, lift(*line))
        return replace(self, line=line, points=points, edge=line)


def lift_along(line: Line, first: float) -> Line:
    """Divide a line of recall by the fraction flagged, which bends it between its corners."""
    x = np.unique(np.concatenate((line[0], _STEPS_OF_MEAN, np.geomspace(first, 1, 201))))
    return x, lift(x, np.interp(x, *line))


def _trace_hits(points: OperatingPoints, rule: Rule, drop: bool, **own: Any) -> HitCurve:
    """Return the hit curve of one ranking, which stays at 0 if no sample was retrieved."""
    line, mass = (np.arange(2.0), np.zeros(2)), 1.0
    if points.cum_total.size:
        line = points.shares(points.cum_total), points.shares(points.cum_positives)
        mass = points.cum_total[-1]
    return HitCurve(
        line=line,
        points=line,
        edge=line,
        detected=line[0],
        hits=line[1],
        prevalence=float(points.n_positives.item() / mass),
        n_samples=int((points.n_samples if points.rows is None else points.rows.whole).item()),
        **own,
    )


def _bands_of_curves(
    curves: Sequence[HitCurve], rule: Rule, sample: Sample | None, level: float
) -> list[Band]:
    if sample is not None and curves[0].group is None:
        bands = bands_of_hits(sample, level, rule, curves[0].label)
    else:
        x = _spots(max(curve.n_samples for curve in curves))
        scales = {each: [curve.on_scale(each) for curve in curves] for each in _FRACTIONS}
        bands = [base.band_over(each, x, level, rule, sample, by) for by, each in scales.items()]
    of_samples, recall = bands
    low, high = recall.low / recall.x, recall.high / recall.x
    return [of_samples, replace(recall, low=low, high=high, fraction_of="lift"), recall]


def _spots(n_samples: int) -> Array:
    """Return positions that are dense enough on a linear axis and on a logarithmic one."""
    return np.union1d(base.SPOTS, np.geomspace(1 / n_samples, 1, base.SPOTS.size))


def bands_of_hits(sample: Sample, level: float, rule: Rule, label: str) -> list[Band]:
    """Compute the band of a hit curve for each value of `fraction_of`."""
    found, rankings = base.spread_of(Step(), sample), sample.rankings
    of_value = found if rule == Step() else base.spread_of(rule, sample)
    points = rankings.points(None)
    size, n_found = points.n_samples.item(), rankings.found.item()
    positives = points.n_positives.item()
    x = _spots(rankings.scores.size)

    def shares(points: OperatingPoints) -> Array:
        """Return precision and recall where these fractions of the samples are flagged."""
        caught, exist = hits(points, x), points.n_positives[:, np.newaxis]
        with np.errstate(invalid="ignore"):  # nan in a resample without positives
            return np.hstack([caught / (x * points.n_samples[:, np.newaxis]), caught / exist])

    precision, recall = np.split(shares(points)[0], 2)
    drawn_p, drawn_r = np.split(base.resamples(Step(), sample, shares), 2, axis=1)
    # as many samples without weights would be as informative
    weight = np.ones(rankings.scores.size) if rankings.weight is None else rankings.weight
    weight = weight / weight.max()
    effective = weight.sum() ** 2 / (weight**2).sum()
    if sample.clusters is not None:
        effective = sample.clusters.size
    trials = np.maximum(np.floor(effective * x), 1.0)
    low, high = base.middle(precision, drawn_p, trials, level)
    # You can't find more than you flag, and the first samples may all be hits by chance.
    low_r, high_r = base.middle(recall, drawn_r, np.broadcast_to(found.trials, x.shape), level)
    if n_found and low[-1]:
        high_r = np.minimum(high_r, x / low[-1] * (n_found / positives))
    low_r = np.where(precision > 1 - ROUNDING, np.minimum(low_r, low * x * size / positives), low_r)
    if rankings.n_positives is None:
        low_r[-1] = 1.0  # if everything is flagged, everything is found
    ends = {"samples": base.rising(low * x, high * x), "positives": base.rising(low_r, high_r)}
    return [
        Band(label, level, of_value.limits(level), x, *own, scale) for scale, own in ends.items()
    ]


def _references(
    curves: Sequence[HitCurve], fraction_of: str
) -> tuple[float, Line | None, Line | None]:
    """Return where lines start, which is at the first sample, and the lines to compare with.

    These are a perfect ranking and random selection, if all curves share them.
    """
    from .artists import dense

    shares = np.concatenate([curve.detected for curve in curves])
    first = float(shares[shares > 0].min(initial=1.0))
    first = min([first, *(1 / curve.n_samples for curve in curves if curve.n_samples)])
    prevalence = _shared([curve.hits[-1] for curve in curves])
    wholes = [(curve.hits[-1], curve.whole(fraction_of)) for curve in curves]
    end = _shared([hits / whole for hits, whole in wholes if whole])
    if end is None:
        return first, None, None
    chance = dense((0, 1), (0, end), first)
    perfect = None if prevalence is None else dense((0, prevalence, 1), (0, end, end), first)
    if fraction_of == "lift":
        chance = lift_along(chance, first)
        perfect = perfect and lift_along(perfect, first)
    return first, perfect, chance


def _shared(numbers: Sequence[Any]) -> float | None:
    """Return the number that all of them are, up to rounding."""
    return float(numbers[0]) if numbers and np.ptp(numbers) <= ROUNDING else None


class HitCurveDisplay(Display):
    r"""Visualization of hit curves, also called gains curves, and of lift curves.

    Use :meth:`from_estimator`, :meth:`from_predictions` or :meth:`from_cv_results` to create a
    display.

    The samples with the highest prediction scores are *flagged*, and the positives among them are
    *hits*. If the fraction :math:`t` of all samples is flagged, the y axis shows recall, which is
    the fraction of all positives that are found. A perfect ranking rises straight to 1, which it
    reaches where :math:`t` is the prevalence :math:`\pi`, the fraction of positives. Random
    selection follows the line from 0 to 1. The curve is also called *gains curve*, *cumulative
    gains* or *cumulative accuracy profile*.

    With `fraction_of="samples"`, the y axis shows the hits as a fraction :math:`h(t)` of all
    samples [1]_: precision is :math:`h(t)/t`, and recall is :math:`h(t)/\pi`. With
    `fraction_of="lift"`, it is the *lift curve*: recall divided by :math:`t`, which is the
    enrichment factor, and 1 for random selection.

    The dots are operating points, one for each distinct prediction score. Between two dots, the
    line shows the mean hits over all orders of the samples that are tied there. Data in chunks has
    dots only where the curve bends, which make the same line.

    To show only the part of the ranking that you will look at, set the limits of the axes, as in
    ``display.ax_.set(xlim=(0, 0.1), ylim=(0, 0.6))``. All lines are also correct on logarithmic
    axes, whether you set the scale before or after drawing.

    Parameters
    ----------
    curves : list of HitCurve
        One for each model, fold or group. Each has the arrays `detected` and `hits`, the `value`
        of the metric, and its `group` and `model`.
    name : str, default=None
        The name of the model in the legend.
    pos_label : int, float, bool or str, default=None
        The label of the positive class, which is added to the axis labels.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades. It is then added to
        the axis labels instead.
    bands : list of Band, default=None
        One for each model and each value of `fraction_of`. Each has the `interval` of the
        metric, and the confidence band around the curve as the arrays `x`, `low` and `high`.

    Attributes
    ----------
    value : float or list of float
        The value of the metric, which the legend shows. A list if there are several curves.
    line_ : matplotlib Line2D or list of Line2D
        The hit curve. A list if there are several curves.
    points_ : matplotlib Line2D or list of Line2D
        The operating points of each curve. If there are more than 200, they are hidden, because
        they would look like a thick line, and those of folds and groups are always hidden. Pass
        `points_kwargs={"visible": True}` to show them.
    mean_ : matplotlib Line2D, list of Line2D or None
        The mean of the curves of groups or folds. A list if there are several models.
    perfect_ : matplotlib Line2D or None
        The line of a perfect ranking, if it is drawn.
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

    _trace = staticmethod(_trace_hits)
    _bands_of = staticmethod(_bands_of_curves)
    _called = "the hit curve"

    @classmethod
    @public(warns_once=True)
    def from_predictions(
        cls,
        y_true: ArrayLike | None = None,
        y_score: ArrayLike | Mapping[str, ArrayLike] | None = None,
        *,
        metric: str | Metric = "average_precision",
        k: float | None = None,
        k_counts: str = DEFAULT_COUNTS,
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
        """Plot hit curves from labels and prediction scores.

        With several models, each model gets a curve. With `groups`, each group gets a curve.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), default=None
            Binary labels.
        y_score : array-like of shape (n_samples,), or mapping, default=None
            Prediction scores, higher for the positive class. To draw several models, pass a mapping
            from their names to their prediction scores, or with `data` a list of column names.
        metric : str or Metric, default="average_precision"
            The metric in the legend, with its interval if there is one: a name, such as "EF@1%" or
            "P@1%" (see :func:`make_ap_scorer`), or an object made by :func:`metric`. The curve is
            the same for all metrics.
        k : int or float, default=None
            The cutoff of the metric if its name has none, as in 'at-k'; see
            :func:`average_precision_at_k_score`. If None, it is the default of the metric.
        k_counts : {'samples', 'weight'}, default='weight'
            What k counts if samples have weights: their weight, or the samples themselves. Pass it
            if the weights differ, because without it you get a warning.
        name : str, default=None
            The name of the model in the legend, if there is only one.
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, a new figure is created.
        curve_kwargs : dict or list of dict, default=None
            Keywords for the curves, passed to matplotlib's `plot`. A list has one dict for each
            definition, model or group.
        points_kwargs : dict, default=None
            Keywords for the operating points, passed to matplotlib's `plot`. To hide them, pass
            `{"visible": False}`.
        plot_perfect : bool, default=True
            Whether to plot the line of a perfect ranking. With groups, it is only drawn if all of
            them have the same prevalence.
        perfect_kw : dict, default=None
            Keywords for that line, passed to matplotlib's `plot`.
        plot_chance_level : bool, default=True
            Whether to plot the line of random selection. With groups, it is only drawn if it is the
            same for all of them.
        chance_level_kw : dict, default=None
            Keywords for the chance level, passed to matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines from the plot.
        fraction_of : {'positives', 'samples', 'lift'}, default='positives'
            What the y axis shows: the hits as a fraction of all existing positives, which is
            recall, or of all samples. 'lift' divides recall by the fraction flagged, which makes a
            lift curve of the gains curve.
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
            other samples, or with other weights, the legend says "on these samples".
        pos_label : int, float, bool or str, default=1
            The label of the positive class.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights.
        zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
            The value without positives; nan leaves it out of the mean. The mean curve then leaves
            out the group, too.
        n_positives : int, float, array-like or mapping, default=None
            How many positives exist, found or not; with `groups`, a mapping to counts. Recall is
            relative to this count.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as its query, which is ranked separately. In virtual
            screening, these are the targets. Each group gets its own curve, and a thick line is the
            mean of the curves. The legend shows the value of each group and their mean. If there
            are more than 10 groups, they are drawn as thin gray lines, and the legend shows only
            the mean. Several models or definitions have only their means drawn. The mean is over
            what is found when the same fraction of each group is flagged.
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
        unread = Unread(  # written by docs/_write/parameters.py
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight,
            zero_division=zero_division, n_positives=n_positives, groups=groups, clusters=clusters,
            min_grade=min_grade, prevalence=prevalence, data=data,
            caller="HitCurveDisplay.from_predictions",
        )  # fmt: skip
        options: dict[str, Any] = {  # written by docs/_write/parameters.py
            "metric": metric, "k": k, "k_counts": k_counts, "name": name, "ax": ax,
            "curve_kwargs": curve_kwargs, "points_kwargs": points_kwargs,
            "plot_perfect": plot_perfect, "perfect_kw": perfect_kw,
            "plot_chance_level": plot_chance_level, "chance_level_kw": chance_level_kw,
            "despine": despine, "fraction_of": fraction_of, "confidence_level": confidence_level,
            "verbose": verbose, "operating_points": operating_points,
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
        metric: str | Metric = "average_precision",
        k: float | None = None,
        k_counts: str = DEFAULT_COUNTS,
        response_method: str = "auto",
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
        """Plot a hit curve from a fitted binary classifier.

        Parameters
        ----------
        estimator : estimator instance, or mapping
            Fitted binary classifier, or a fitted pipeline that ends in one. To draw several models,
            pass a mapping from their names to their estimators.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Input values.
        y : array-like of shape (n_samples,)
            Target values.
        metric : str or Metric, default="average_precision"
            The metric in the legend, with its interval if there is one: a name, such as "EF@1%" or
            "P@1%" (see :func:`make_ap_scorer`), or an object made by :func:`metric`. The curve is
            the same for all metrics.
        k : int or float, default=None
            The cutoff of the metric if its name has none, as in 'at-k'; see
            :func:`average_precision_at_k_score`. If None, it is the default of the metric.
        k_counts : {'samples', 'weight'}, default='weight'
            What k counts if samples have weights: their weight, or the samples themselves. Pass it
            if the weights differ, because without it you get a warning.
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
        points_kwargs : dict, default=None
            Keywords for the operating points, passed to matplotlib's `plot`. To hide them, pass
            `{"visible": False}`.
        plot_perfect : bool, default=True
            Whether to plot the line of a perfect ranking. With groups, it is only drawn if all of
            them have the same prevalence.
        perfect_kw : dict, default=None
            Keywords for that line, passed to matplotlib's `plot`.
        plot_chance_level : bool, default=True
            Whether to plot the line of random selection. With groups, it is only drawn if it is the
            same for all of them.
        chance_level_kw : dict, default=None
            Keywords for the chance level, passed to matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines from the plot.
        fraction_of : {'positives', 'samples', 'lift'}, default='positives'
            What the y axis shows: the hits as a fraction of all existing positives, which is
            recall, or of all samples. 'lift' divides recall by the fraction flagged, which makes a
            lift curve of the gains curve.
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
            other samples, or with other weights, the legend says "on these samples".
        pos_label : int, float, bool or str, default=1
            The label of the positive class. It is never guessed from the classes. With `min_grade`,
            the positive class is the larger one of the two.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights.
        zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
            The value without positives; nan leaves it out of the mean. The mean curve then leaves
            out the group, too.
        n_positives : int, float, array-like or mapping, default=None
            How many positives exist, found or not; with `groups`, a mapping to counts. Recall is
            relative to this count.
        groups : array-like of shape (n_samples,), default=None
            The group of each sample, such as its query, which is ranked separately. In virtual
            screening, these are the targets. Each group gets its own curve, and a thick line is the
            mean of the curves. The legend shows the value of each group and their mean. If there
            are more than 10 groups, they are drawn as thin gray lines, and the legend shows only
            the mean. Several models or definitions have only their means drawn. The mean is over
            what is found when the same fraction of each group is flagged.
        clusters : array-like of shape (n_samples,), default=None
            The cluster of each sample, such as its patient, as the sampling unit. They matter only
            with `confidence_level`, which takes either groups or clusters.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y` contains grades.
        prevalence : float, default=None
            The proportion of positives in the population, if it isn't that of the samples.

        Returns
        -------
        display : HitCurveDisplay
            The display, after drawing.
        """
        unread = Unread(  # written by docs/_write/parameters.py
            y, pos_label=pos_label, sample_weight=sample_weight, zero_division=zero_division,
            n_positives=n_positives, groups=groups, clusters=clusters, min_grade=min_grade,
            prevalence=prevalence, caller="HitCurveDisplay.from_estimator",
        )  # fmt: skip
        options: dict[str, Any] = {  # written by docs/_write/parameters.py
            "metric": metric, "k": k, "k_counts": k_counts, "name": name, "ax": ax,
            "curve_kwargs": curve_kwargs, "points_kwargs": points_kwargs,
            "plot_perfect": plot_perfect, "perfect_kw": perfect_kw,
            "plot_chance_level": plot_chance_level, "chance_level_kw": chance_level_kw,
            "despine": despine, "fraction_of": fraction_of, "confidence_level": confidence_level,
            "verbose": verbose, "operating_points": operating_points,
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
        metric: str | Metric = "average_precision",
        k: float | None = None,
        k_counts: str = DEFAULT_COUNTS,
        response_method: str = "auto",
        name: str | None = None,
        ax: Axes | None = None,
        curve_kwargs: Styles = None,
        points_kwargs: Style = None,
        plot_perfect: bool = True,
        perfect_kw: Style = None,
        plot_chance_level: bool = True,
        chance_level_kwargs: Style = None,
        despine: bool = False,
        fraction_of: str = "positives",
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
        """Plot the hit curve of each fold of a cross-validation.

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
        metric : str or Metric, default="average_precision"
            The metric in the legend, with its interval if there is one: a name, such as "EF@1%" or
            "P@1%" (see :func:`make_ap_scorer`), or an object made by :func:`metric`. The curve is
            the same for all metrics.
        k : int or float, default=None
            The cutoff of the metric if its name has none, as in 'at-k'; see
            :func:`average_precision_at_k_score`. If None, it is the default of the metric.
        k_counts : {'samples', 'weight'}, default='weight'
            What k counts if samples have weights: their weight, or the samples themselves. Pass it
            if the weights differ, because without it you get a warning.
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
        points_kwargs : dict, default=None
            Keywords for the operating points, passed to matplotlib's `plot`. To hide them, pass
            `{"visible": False}`.
        plot_perfect : bool, default=True
            Whether to plot the line of a perfect ranking. With groups, it is only drawn if all of
            them have the same prevalence.
        perfect_kw : dict, default=None
            Keywords for that line, passed to matplotlib's `plot`.
        plot_chance_level : bool, default=True
            Whether to plot the line of random selection. With groups, it is only drawn if it is the
            same for all of them.
        chance_level_kwargs : dict, default=None
            Keywords for the chance level, passed to matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines from the plot.
        fraction_of : {'positives', 'samples', 'lift'}, default='positives'
            What the y axis shows: the hits as a fraction of all existing positives, which is
            recall, or of all samples. 'lift' divides recall by the fraction flagged, which makes a
            lift curve of the gains curve.
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
            The group of each sample, such as its query, which is ranked separately. In virtual
            screening, these are the targets. Each group gets its own curve, and a thick line is the
            mean of the curves. The legend shows the value of each group and their mean. If there
            are more than 10 groups, they are drawn as thin gray lines, and the legend shows only
            the mean. Several models or definitions have only their means drawn. The mean is over
            what is found when the same fraction of each group is flagged. A group that is in
            several folds has a curve in each of them, and counts with their mean.
        min_grade : int or float, default=None
            The lowest grade that counts as positive, if `y` contains grades.
        prevalence : float, default=None
            The proportion of positives in the population, if it isn't that of the samples.

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
        >>> display.mean_.get_label()
        'AP = 0.993 +/- 0.004'
        """
        unread = Unread(  # written by docs/_write/parameters.py
            y, pos_label=pos_label, sample_weight=sample_weight, zero_division=zero_division,
            n_positives=n_positives, groups=groups, min_grade=min_grade, prevalence=prevalence,
            caller="HitCurveDisplay.from_cv_results",
        )  # fmt: skip
        options: dict[str, Any] = {  # written by docs/_write/parameters.py
            "metric": metric, "k": k, "k_counts": k_counts, "name": name, "ax": ax,
            "curve_kwargs": curve_kwargs, "points_kwargs": points_kwargs,
            "plot_perfect": plot_perfect, "perfect_kw": perfect_kw,
            "plot_chance_level": plot_chance_level, "chance_level_kwargs": chance_level_kwargs,
            "despine": despine, "fraction_of": fraction_of, "confidence_level": confidence_level,
            "verbose": verbose,
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
        points_kwargs: Style = None,
        plot_perfect: bool = True,
        perfect_kw: Style = None,
        plot_chance_level: bool = True,
        chance_level_kw: Style = None,
        despine: bool = False,
        fraction_of: str = "positives",
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
            definition, model or group.
        points_kwargs : dict, default=None
            Keywords for the operating points, passed to matplotlib's `plot`. To hide them, pass
            `{"visible": False}`.
        plot_perfect : bool, default=True
            Whether to plot the line of a perfect ranking. With groups, it is only drawn if all of
            them have the same prevalence.
        perfect_kw : dict, default=None
            Keywords for that line, passed to matplotlib's `plot`.
        plot_chance_level : bool, default=True
            Whether to plot the line of random selection. With groups, it is only drawn if it is the
            same for all of them.
        chance_level_kw : dict, default=None
            Keywords for the chance level, passed to matplotlib's `plot`.
        despine : bool, default=False
            Whether to remove the top and right spines from the plot.
        fraction_of : {'positives', 'samples', 'lift'}, default='positives'
            What the y axis shows: the hits as a fraction of all existing positives, which is
            recall, or of all samples. 'lift' divides recall by the fraction flagged, which makes a
            lift curve of the gains curve.
        operating_points : object, list or mapping, default=None
            One or several results of :func:`sklearn_ap.operating_point`, or a mapping from names,
            which the legend shows, to results. With several models, pass a mapping from models to
            results, such as the result for several models. Each is marked where its threshold is on
            the curve, and the legend shows the precision and the recall there. If it was chosen on
            other samples, or with other weights, the legend says "on these samples".

        Returns
        -------
        display : HitCurveDisplay
            The display itself.
        """
        chosen = self._to_mark(operating_points)
        from . import artists

        first, perfect, chance = _references(self.curves, fraction_of)
        from_first, _ = artists.dense(_STEPS_OF_MEAN, _STEPS_OF_MEAN, first)
        along, up = _axis_labels(fraction_of, self._weight_words)
        up += base.words_of_positives(self)
        picture = artists.Picture(ax, along, up)
        curves = [curve.on_scale(fraction_of) for curve in self.curves]
        bands = [band for band in self.bands or () if band.fraction_of == fraction_of]
        name = self.name if name is None else name
        picture.draw(
            curves, bands, from_first, first, name, self._group_words, curve_kwargs, points_kwargs
        )
        self.marks_ = picture.mark((mark, self._place(mark, fraction_of)) for mark in chosen)
        self._keep(picture)
        self.perfect_ = self.chance_level_ = None
        if plot_perfect and perfect:
            style = {"linestyle": ":", "linewidth": 2}
            self.perfect_ = artists.draw_reference(
                self.ax_, "Perfect ranking", perfect, perfect_kw, name, **style
            )
        if plot_chance_level and chance:
            self.chance_level_ = artists.draw_reference(
                self.ax_, "Random selection", chance, chance_level_kw, name
            )
        self.ax_.margins(x=0.01)  # no fixed limits, which would not fit a logarithmic axis
        artists.finish(self.ax_, despine)
        return self

    def _place(self, mark: base.Mark, fraction_of: str) -> tuple[float, float]:
        """Return where a threshold is. If nothing is flagged, its lift is undefined."""
        x = mark.flagged_share
        if fraction_of == "lift":
            return x, mark.recall / x if x else np.nan
        return x, mark.recall if fraction_of == "positives" else mark.hits


def _axis_labels(fraction_of: str, by: str | None) -> tuple[str, str]:
    """Return the labels of the x and the y axis, for samples that are weighted `by` something."""
    what = "samples" if by is None else f"the {by}"
    found = "positives" if by in (None, "population") else what
    along = f"Fraction of {what} flagged"
    if fraction_of == "positives":
        return along, f"Fraction of {found} found"
    if fraction_of == "lift":
        return along, "Lift"
    return along, f"Positives found / all {by or 'samples'}"
