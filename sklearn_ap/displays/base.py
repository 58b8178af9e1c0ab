"""What both displays share: rankings from predictions, estimators or folds, and their bands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypedDict

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import make_scorer
from sklearn.utils import indexable
from sklearn.utils.validation import check_is_fitted

from .._arrays.host import to_host
from .._enter.entry import read_inputs
from .._enter.metric import Metric, check_no_function, read_rule
from .._enter.models import read_models, read_rows_of_models
from .._evaluate.metric_values import compute_each_value
from .._evaluate.predictors import as_classifier, as_detector, is_detector
from .._infer.settings import IntervalSettings
from .._infer.variation import draw_curves, vary_value
from .._inputs.metric_names import write_as_passed, write_rule
from .._inputs.records import COLUMNS, Inputs, Label, PositiveClass
from .._read.columns import check_one_column
from .._read.labels import advise_if_swapped, find_target_kind
from .._read.model_rows import ModelRows, check_same_names, read_model_rows
from .._read.tables import are_names, are_tables, find_conditions
from .._read.validation import check_drawable, fit_weights, warn_of_single_row_groups
from .._show.figures import check_matplotlib
from .._show.progress import step
from .._show.results import describe_conditions, join_lines, name_weights
from .._words.messages import PREDICTED, suppress_warning, warn_of_other_order
from .._words.parameters import check_rule, format_value
from ..core.exact_scores import are_flagged
from ..core.operating_points import OperatingPoints
from ..core.ragged import Array, divide_safely
from ..core.rankings import Rankings
from ..core.rules import Rule, Step
from ..core.spread import Spread, compute_value_limits
from ..core.tolerances import ROUNDING_TOLERANCE, SUM_TOLERANCE
from ..curves import ScoredPoints, rank_groups
from ..scorers.score_functions import rank_outliers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..thresholds.point import Point

Style = Mapping[str, Any] | None
Styles = Style | Sequence[Style]  # one for all curves, or one for each
Line = tuple[Array, Array]  # x and y


class PlotOptions(TypedDict, total=False):
    """Options of `plot` that both displays have, for type checkers and editors."""

    ax: Axes | None
    name: str | None
    curve_kwargs: Styles
    points_kwargs: Style
    plot_chance_level: bool
    chance_level_kw: Style
    operating_points: Any


SPOTS = np.linspace(0, 1, 101)[1:]  # positions at which the band is computed
_MOST_POINTS = 500  # of more positives, neighbors are merged, which makes no visible difference
_SEED = 0  # so that a picture is the same each time


# --- the data -------------------------------------------------------------------------------------


class Drawing(NamedTuple):
    """What a constructor draws of the data."""

    metric: Any
    confidence_level: float | None
    name: str | None  # of the only model
    drop_intermediate: bool = False  # points without positives
    response_method: str = "auto"


class CurveData(NamedTuple):
    """What is drawn of a model or fold: one ranking, or one for each group."""

    flags: Mapping[Any, ScoredPoints]  # of each group; None is a single ranking
    values: Mapping[Rule, Sequence[float]]  # of each group, in the same order
    model_rows: ModelRows  # with its sampling units
    positive: PositiveClass
    conditions: Mapping[str, Any]
    times: float | None = None  # of a fold: in how many folds a sample is on average

    @property
    def weight_words(self) -> str | None:
        """What the axes show fractions of, such as "amount"; None if it is samples."""
        weight = self.model_rows.rankings.weight
        if weight is None or not np.ptp(weight):
            return None
        return name_weights(self.conditions["sample_weight"])


def read_curve_data(
    inputs: Inputs, rules: Iterable[Rule], conditions: Mapping[str, Any]
) -> CurveData:
    """Check a binary target, rank its samples, and compute their values by the rules."""
    positive = inputs.positive
    if positive.min_grade is None:
        _check_binary(to_host(inputs.y_true), to_host(inputs.y_score), positive)
    model_rows = read_model_rows(Step(), inputs)
    rankings = model_rows.rankings
    check_drawable(rankings, inputs)
    counted_by = {rule: fit_weights(rule, rankings) for rule in rules}
    for rule in rules:
        warn_of_single_row_groups(rule.cut, rankings)
    in_order = rankings.sort()
    flags = rank_groups(rankings, in_order)
    values = compute_each_value(counted_by, in_order, inputs.zero_division)
    return CurveData(flags, values, model_rows, positive, conditions)


def _check_binary(y_true: Any, y_score: Any, positive: PositiveClass) -> None:
    """Refuse other targets, with code that draws a curve for each class."""
    kind = find_target_kind(y_true)
    if kind == "binary":
        check_one_column(y_score, positive)
        return
    advice = advise_if_swapped(kind, y_score)
    if not kind.startswith("continuous"):
        of_class, of_all = "y_true == label", "np.equal.outer(y_true, classes)"
        if kind == "multilabel-indicator":
            of_class, of_all = "y_true[:, column]", "y_true"
        advice = (
            f". Draw one class at a time, as in from_predictions({of_class}, y_score[:, column]). "
            "To draw one curve per class, pass the classes as groups: from_predictions(np.ravel("
            f"{of_all}), np.ravel(y_score), groups=np.tile(classes, len(y_true)))."
        )
    raise ValueError(f"The target y is not binary. Got {kind} type of target{advice}")


# --- estimators and folds -------------------------------------------------------------------------


def _compute_response(estimator: Any, X: Any, inputs: Inputs, method: str) -> Any:
    """Return the prediction scores of a binary classifier, or of a detector of outliers."""
    if not hasattr(estimator, "fit"):
        raise TypeError(
            "from_estimator takes a fitted estimator, and then X and y. Got "
            f"{format_value(estimator)}."
        )
    check_is_fitted(estimator)
    if is_detector(estimator):
        wanted = ("score_samples", "decision_function") if method == "auto" else (method,)
        of_inliers = as_detector(estimator, wanted).score_samples(X)
        is_graded = inputs.min_grade is not None
        _, y_score = rank_outliers(inputs.y_true, of_inliers, inputs.pos_label, is_graded)
        return y_score
    pos_label = _find_positive_class(estimator, inputs.pos_label, inputs.min_grade)
    methods = ("predict_proba", "decision_function") if method == "auto" else method
    # A scorer is scikit-learn's public way to compute them. The metric of this one returns them.
    scorer = make_scorer(
        lambda _, y_score, **_options: y_score, response_method=methods, pos_label=pos_label
    )
    return scorer(as_classifier(estimator), X, inputs.y_true)


def _find_positive_class(estimator: Any, pos_label: Any, min_grade: float | None) -> Any:
    """Return the positive class of a binary classifier, which is the larger of two grades."""
    classes: Any = estimator.classes_ if is_classifier(estimator) else ()
    if len(classes) != 2 or any(map(np.ndim, classes)):  # those of each output
        of = f" with the classes {classes}" if len(classes) else ""
        raise ValueError(
            f"Expected 'estimator' to be a binary classifier. Got {type(estimator).__name__}{of} "
            "instead. To draw other models, or single classes or outputs, pass their prediction "
            "scores to from_predictions."
        )
    if min_grade is not None and not isinstance(classes[0], str):
        return max(classes)
    if pos_label not in classes:
        first, second = np.asarray(classes).tolist()
        raise ValueError(
            f"pos_label={pos_label!r} is not a valid label: It should be one of {classes}. "
            f"Pass the positive one, as pos_label={first!r} or pos_label={second!r}."
        )
    return pos_label


def _predict_folds(
    cv_results: Mapping[str, Any], X: Any, inputs: Inputs, method: str
) -> tuple[list[Inputs], float]:
    """Return the rows of each fold, scored by its estimator, which was not fitted on them, and in
    how many folds a row is on average.

    `method` is the `response_method`, and the inputs are those of all rows of `X`.
    """
    if not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            "cv_results lacks the key 'estimator' or 'indices'. Call cross_validate with "
            "return_estimator=True and return_indices=True."
        )
    columns = inputs._asdict()
    by_row = {role: columns[role] for role in COLUMNS if columns.get(role) is not None}
    X, *_ = indexable(X, *by_row.values())
    warn_of_other_order([(role.replace("y_true", "y"), column) for role, column in by_row.items()])
    tests, rows = cv_results["indices"]["test"], np.arange(len(inputs.y_true))
    try:  # splitters can give masks or slices, too
        tests = [rows[test if isinstance(test, slice) else np.asarray(test)] for test in tests]
    except IndexError as error:
        raise ValueError(
            f"X has {rows.size:,} samples, but the folds were made from other data ({error}). Pass "
            "the X and y that you passed to cross_validate."
        ) from None
    inputs_of_folds = [
        inputs._replace(**{role: _take_rows(column, test) for role, column in by_row.items()})
        for test in tests
    ]
    n_positives = _split_among_folds(inputs.n_positives, [each.groups for each in inputs_of_folds])
    tested = np.concatenate(tests)
    times = tested.size / max(np.unique(tested).size, 1)  # more than 1 if folds are repeated
    scored = []
    folds = zip(cv_results["estimator"], tests, inputs_of_folds, n_positives, strict=True)
    for estimator, test, of_fold, counts in folds:
        y_score = _compute_response(estimator, _take_rows(X, test), of_fold, method)
        scored.append(of_fold._replace(y_score=y_score, n_positives=counts))
    return scored, times


def _take_rows(data: Any, places: Array) -> Any:
    """Return the rows at these places of a list, an array, a sparse matrix or a DataFrame."""
    if isinstance(data, list | tuple):
        return [data[place] for place in places]
    return data.iloc[places] if hasattr(data, "iloc") else data[places]


def _split_among_folds(n_positives: Any, groups: Sequence[Any]) -> list[Any]:
    """Split the counts of existing positives into those of each fold.

    `groups` are the groups of the rows of each fold, or None for each fold without groups.
    """
    has_groups, is_mapping = groups[0] is not None, hasattr(n_positives, "keys")
    if n_positives is None or (has_groups and not is_mapping):
        return [n_positives] * len(groups)  # a single count, which each fold refuses
    if not has_groups:
        counts = [] if is_mapping else np.atleast_1d(n_positives).tolist()
        if len(counts) != len(groups):
            raise ValueError(
                f"n_positives must have one count for each of the {len(groups)} folds, in their "
                f"order. Got {n_positives!r}."
            )
        return list(counts)
    in_no_fold, counts_of_folds = dict(n_positives.items()), []
    for groups_of_fold in groups:
        names = {*np.asarray(groups_of_fold).tolist()}
        twice = [name for name in names if name in n_positives and name not in in_no_fold]
        if twice:
            raise ValueError(
                f"n_positives has one count for the group {twice[0]!r}, which has samples in "
                "several folds. Split with GroupKFold, which keeps each group in one fold, or "
                "leave n_positives out."
            )
        counts_of_folds.append({name: in_no_fold.pop(name) for name in names if name in in_no_fold})
    counts_of_folds[0] |= in_no_fold  # groups that were never retrieved
    return counts_of_folds


# --- curves and their bands ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class Curve:
    """A curve as it is drawn.

    Parameters
    ----------
    label : str
        The metric, as the legend shows it.
    value : float
        The value, which the legend shows.
    places : int
        The number of decimals that the legend shows.
    most : float
        The largest value that the ranking can have, which isn't 1 for enrichment factors.
    line, points, edge : pair of ndarray
        The line, its operating points, and the upper edge of the area, over which means are taken,
        each as x and y. Without positives, there may be no edge.
    has_levels : bool, default=False
        Whether the line consists of marks at recall levels.
    group : object, default=None
        The group that was ranked.
    model : object, default=None
        The name of the model, if there are several.
    flags : object, default=None
        What each threshold flags, if operating points can be marked on the curve.
    """

    label: str
    value: float
    places: int
    most: float
    line: Line
    points: Line
    edge: Line
    has_levels: bool = False
    group: Any = None
    model: Any = None
    flags: ScoredPoints | None = None

    @property
    def called(self) -> str:
        """What progress calls the curve."""
        return self.label

    def height(self, x: Array) -> Array:
        """Return the height of the edge, which is 0 to its right; without an edge, the value."""
        if not self.edge[0].size:
            return np.full(x.size, self.value)
        return np.interp(x, *self.edge, right=0.0)

    def find_band_height(self, x: Array) -> Array:
        """Return the height that the band is an interval for."""
        return self.height(x)


Bundle = Sequence[Curve]  # curves that share a legend entry, such as those of one model on folds


@dataclass(frozen=True, eq=False)
class Band:
    """Confidence band around the curve of a definition, and the interval of its value.

    Parameters
    ----------
    label : str
        The metric, as the legend shows it.
    confidence_level : float
        The proportion of such intervals that should contain the true value.
    interval : tuple of float
        The ends of the interval of the value.
    x, low, high : ndarray
        Positions on the x axis, and the ends of the interval of the curve there.
    fraction_of : str, default=None
        What the y axis of a hit curve shows.
    """

    label: str
    confidence_level: float
    interval: tuple[float, float]
    x: Array
    low: Array
    high: Array
    fraction_of: str | None = None


def choose_positions(first: float, steps: Array, count: int) -> Array:
    """Return positions that are dense enough on a linear axis and on a logarithmic one."""
    return np.union1d(steps, np.geomspace(first, 1, count))


def bundle_curves(curves: Sequence[Any], *attributes: str) -> list[list[Any]]:
    """Gather the curves with equal attributes: by default the folds of a label, group and model."""
    key_of = attrgetter(*attributes or ("label", "group", "model"))
    bundles: dict[Any, list[Any]] = {}
    for curve in curves:
        bundles.setdefault(key_of(curve), []).append(curve)
    return list(bundles.values())


def select_defined(bundle: Sequence[Any]) -> list[Any]:
    """Return the curves whose value is not nan, which are those that count in means."""
    return [curve for curve in bundle if not np.isnan(curve.value)]


def make_band(
    curves: Bundle,
    x: Array,
    level: float,
    rule: Rule,
    curve_data: CurveData,
    fraction_of: str | None = None,
) -> Band:
    """Compute the band around the mean curve, with the folds or groups as the sampling units.

    A group on several folds counts with its mean. Folds in which each row is several `times` tell
    no more than those of a single time. The interval of groups that aren't in folds is that of
    `confidence_interval`. `x` are the positions of the band.
    """
    words, units, times = "folds", [[curve] for curve in curves], curve_data.times or 1.0
    if curves[0].group is not None:
        words, units, times = "groups", bundle_curves(curves), 1.0
    curves_of_units = [unit for unit in map(select_defined, units) if unit]
    if len(curves_of_units) < 2:
        raise ValueError(
            f"confidence_level needs at least two {words}, because the {words} are the sampling "
            "units."
        )
    most = max(curve.most for curve in curves)  # intervals are of values between 0 and 1
    means = [np.mean([curve.value for curve in unit]) for unit in curves_of_units]
    heights = [
        sum(curve.find_band_height(x) for curve in unit) / len(unit) for unit in curves_of_units
    ]
    values, y = np.array(means) / most, np.stack(heights)
    band = make_unit_band(curves[0].label, values, x, y, level, fraction_of, times)
    if curve_data.times is None:
        return replace(
            band, interval=estimate_spread(rule, curve_data.model_rows).compute_limits(level)
        )
    low, high = band.interval
    return replace(band, interval=(most * low, most * high))


def make_unit_band(
    label: str,
    values: Array,
    x: Array,
    curves: Array,
    level: float,
    fraction_of: str | None = None,
    times: float = 1.0,
) -> Band:
    """Compute the band around the mean over units, which tell as much as fewer by a factor `times`.

    The values are of shape (n_units,), and `curves` of shape (n_units, n_positions), which are the
    heights at `x`. All are between 0 and 1.
    """
    n_units = np.array([max(len(values) / times, 2.0)])
    table = np.column_stack([values, curves])  # the value is one more position
    errors = table.std(axis=0, ddof=1) / np.sqrt(n_units)
    errors[np.ptp(table, axis=0) <= ROUNDING_TOLERANCE] = 0
    means = table.mean(axis=0)
    low, high = compute_value_limits(means, errors, n_units, level, of_groups=True)
    interval, low, high = (low[0], high[0]), low[1:], high[1:]
    if fraction_of is not None:  # a hit curve never decreases
        # Where no unit has found anything yet, or each has found everything, an interval follows
        # only from their number. The curve is not higher there than just after, or not lower than
        # just before.
        mean = curves.mean(axis=0)
        between = np.flatnonzero((mean > 0) & (mean < 1 - ROUNDING_TOLERANCE))
        if between.size:
            first, last = between[[0, -1]]
            high[:first] = np.minimum(high[:first], high[first])
            low[last:] = np.maximum(low[last:], low[last])
        if fraction_of == "positives" and np.all(curves[:, -1] == 1):
            low[-1] = 1.0  # if everything is flagged, everything is found
        low, high = widen_to_rising(low, high)
    return Band(label, level, interval, x, low, high, fraction_of)


def widen_to_rising(low: Array, high: Array) -> tuple[Array, Array]:
    """Widen a band where its ends decrease.

    An interval must not be cut to what holds at another position: after nothing but hits, the lower
    end depends on chance, but where all samples are flagged, it depends on the fraction of
    positives, which may be lower.
    """
    return np.minimum.accumulate(low[::-1])[::-1], np.maximum.accumulate(high)


def compute_ends(curve: Array, drawn: Array, trials: Array, level: float) -> tuple[Array, Array]:
    """Compute the interval at each position from resamples, which bend where positives run out.

    The resamples `drawn` are of shape (n_resamples, n_positions), and `trials` is how many samples
    the curve is known from at each position, of which the last one has all.
    """
    errors = np.asarray(np.nanstd(drawn, axis=0, ddof=1))
    return compute_value_limits(curve, errors, trials, level, drawn)


def estimate_spread(rule: Rule, model_rows: ModelRows) -> Spread:
    """Estimate how much the value varies."""
    settings = IntervalSettings(rule, "auto", None, _SEED).with_method(model_rows.units_have_values)
    return vary_value(settings, model_rows).spread


def draw_curve_resamples(
    rule: Rule, model_rows: ModelRows, curve: Callable[[OperatingPoints], Array]
) -> Array:
    settings = IntervalSettings(rule, "bootstrap", None, _SEED)
    return draw_curves(
        settings, model_rows._replace(rankings=_merge_scores(model_rows.rankings)), curve
    )


def _merge_scores(rankings: Rankings) -> Rankings:
    """Merge neighboring scores of a ranking that has many positives.

    Scores at the top stay distinct, because a logarithmic axis shows them one by one.
    """
    of_positives = np.sort(rankings.scores[rankings.labels])
    size = of_positives.size
    if size <= _MOST_POINTS:
        return rankings
    even = np.linspace(0, size - 1, _MOST_POINTS)
    at_the_top = size - np.geomspace(1, size, _MOST_POINTS // 5)
    edges = of_positives[np.union1d(even, at_the_top).astype(np.int64)]
    return replace(rankings, scores=np.searchsorted(edges, rankings.scores, side="right"))


# --- the display ----------------------------------------------------------------------------------


class Mark(NamedTuple):
    """An operating point, and where its threshold is on the curve that is drawn."""

    point: Point
    precision: float
    recall: float
    flagged_share: float
    model: Any  # whose curve it is on
    name: str | None = None  # what the legend calls it

    @property
    def hits(self) -> float:
        """The fraction of all samples that is flagged and positive."""
        return self.precision * self.flagged_share if self.flagged_share else 0.0

    @property
    def is_of_these(self) -> bool:
        """Whether the point was chosen on the samples that are drawn, with the same weights."""
        point = self.point
        there = point.precision, point.recall, point.flagged_share
        return np.allclose(self[1:4], there, rtol=SUM_TOLERANCE, atol=SUM_TOLERANCE, equal_nan=True)


@dataclass(eq=False, repr=False)
class Display:
    """Base class of displays, which have curves, and draw them with their bands."""

    curves: Sequence[Any]
    _: KW_ONLY
    name: str | None = None
    pos_label: Label | None = None
    min_grade: float | None = None
    bands: Sequence[Band] | None = None
    _group_words: str = field(default="groups", init=False)  # as the legend calls them
    _weight_words: str | None = field(default=None, init=False)  # such as "amount"
    _only_retrieved: bool = field(default=False, init=False)  # whether the rows lack candidates

    def __post_init__(self) -> None:
        self.value: Any = unwrap_artists([curve.value for curve in self.curves])

    @classmethod
    def _from_predictions(cls, unread: Inputs, drawing: Drawing) -> Self:
        """Return the display of labels and prediction scores, which isn't drawn yet."""
        caller = unread.caller
        check_matplotlib(caller)
        rules, of_data = cls._read_rules(unread, drawing.metric)
        unread = unread._replace(**of_data)
        in_groups = unread.groups is not None and unread.clusters is not None
        if in_groups and drawing.confidence_level is not None:
            raise ValueError(
                "With groups, confidence_level draws the groups and not the clusters: pass "
                "clusters=None, also if a table knows them. confidence_interval(..., groups=..., "
                "clusters=...) computes the interval of the mean over groups for clusters."
            )
        models, data = unread.y_score, unread.data
        if are_tables(data) or isinstance(models, Mapping) or (are_names(models) and models):
            models = read_models(caller, "y_score", models, data)
            unread = unread._replace(y_score=models)
            _check_unnamed(models, drawing)
        curve_data: dict[Any, CurveData] = {}  # of each model, which is None for a single one
        for reading in read_rows_of_models(unread):
            with reading as inputs:
                conditions = find_conditions(unread._asdict(), inputs.model)
                curve_data[inputs.model] = read_curve_data(inputs, rules, conditions)
        first, *others = curve_data
        groups = [*curve_data[first].flags]
        for model in others:
            check_same_names(groups, [*curve_data[model].flags], "groups", (first, model))
        return cls._from_rankings(
            {model: [curve_data[model]] for model in curve_data}, rules, drawing
        )

    @classmethod
    def _from_estimator(cls, estimator: Any, X: Any, unread: Inputs, drawing: Drawing) -> Self:
        """Return the display of the prediction scores of an estimator, or of several."""
        check_matplotlib(unread.caller)
        score_by = partial(_compute_response, X=X, inputs=unread, method=drawing.response_method)
        if isinstance(estimator, Mapping):
            y_score: Any = {model: score_by(each) for model, each in estimator.items()}
        else:
            y_score = score_by(estimator)
            if drawing.name is None:
                drawing = drawing._replace(name=type(estimator).__name__)
        caller = unread.caller.replace("from_estimator", "from_predictions")
        with suppress_warning(PREDICTED):  # such as the probabilities of a decision tree
            return cls._from_predictions(unread._replace(y_score=y_score, caller=caller), drawing)

    @classmethod
    def _from_cv_results(
        cls, cv_results: Mapping[Any, Any], X: Any, unread: Inputs, drawing: Drawing
    ) -> Self:
        """Return the display of the folds of a cross-validation, or of several models on them."""
        check_matplotlib(unread.caller)
        rules, of_data = cls._read_rules(unread, drawing.metric)
        if of_data:
            raise ValueError(
                f"{', '.join(of_data)} can't be an option of the metric, because the folds have "
                "data of their own."
            )
        models: Mapping[Any, Any] = {None: cv_results}
        if cv_results and all(isinstance(each, Mapping) and each for each in cv_results.values()):
            models = cv_results
            _check_unnamed(models, drawing)
        conditions = find_conditions(unread._asdict())
        curve_data: dict[Any, list[CurveData]] = {}
        with suppress_warning(PREDICTED):
            inputs = read_inputs(unread)
            for model, results in models.items():
                folds, times = _predict_folds(results, X, inputs, drawing.response_method)
                curve_data[model] = [
                    read_curve_data(fold, rules, conditions)._replace(times=times) for fold in folds
                ]
        return cls._from_rankings(curve_data, rules, drawing)

    @classmethod
    def _from_rankings(
        cls, models: Mapping[Any, Sequence[CurveData]], rules: Mapping[Rule, str], drawing: Drawing
    ) -> Self:
        """Return the display of models, each of which has one ranking, or one for each fold.

        A single model is None.
        """
        curves, bands = [], []
        for model, folds in models.items():
            for rule, label in rules.items():
                traced = cls._trace_folds(folds, rule, label, model, drawing.drop_intermediate)
                curves += traced
                if drawing.confidence_level is not None:
                    of_model = "" if model is None else f" of {model}"
                    with step(f"band of {traced[0].called}{of_model}"):
                        bands += cls._make_bands(traced, rule, folds[0], drawing.confidence_level)
        first = next(iter(models.values()))[0]
        display = cls(
            curves,
            name=drawing.name,
            pos_label=first.positive.label,
            min_grade=first.positive.min_grade,
            bands=bands or None,
        )
        display._group_words, display._weight_words = (
            first.model_rows.group_words,
            first.weight_words,
        )
        display._only_retrieved = first.model_rows.only_retrieved
        return display

    @classmethod
    def _trace_folds(
        cls, folds: Sequence[CurveData], rule: Rule, label: str, model: Any, drop: bool
    ) -> list[Any]:
        """Return the curves of a model by a rule with this label, group by group."""
        curves = [
            cls._trace(
                flags.points,
                rule,
                drop,
                label=", ".join(filter(None, [label, describe_conditions(fold.conditions)])),
                value=value,
                places=rule.decimals,
                most=rule.compute_maximum(flags.points).item(),
                group=group,
                model=model,
                flags=flags if fold.times is None else None,
            )
            for fold in folds
            for (group, flags), value in zip(fold.flags.items(), fold.values[rule], strict=True)
        ]
        return [curve for bundle in bundle_curves(curves) for curve in bundle]

    @classmethod
    def _trace(cls, points: OperatingPoints, rule: Rule, drop: bool, **fields: Any) -> Any:
        """Return the curve of a rule through the operating points of one ranking.

        `drop` leaves out points without positives, and `fields` are the other fields of the curve.
        """
        raise NotImplementedError

    @classmethod
    def _make_bands(
        cls, curves: Sequence[Any], rule: Rule, curve_data: CurveData, level: float
    ) -> list[Band]:
        """Return the bands of the curves of a model by a rule."""
        raise NotImplementedError

    @classmethod
    def _read_rules(cls, unread: Inputs, metric: Any) -> tuple[dict[Rule, str], dict[str, Any]]:
        """Return the different rules of one or more metrics with what legends call them, and what
        these say about the data.
        """
        caller = unread.caller
        are_several = isinstance(metric, list | tuple)
        metrics = metric if are_several and metric else [metric]  # no metrics are refused below
        rules: dict[Rule, str] = {}
        about_data: dict[str, Any] = {}
        for metric in metrics:
            check_no_function(caller, metric)
            if isinstance(metric, Metric):
                about_data |= metric.of_data
                rule = check_rule(metric.rule)  # which was made without the data
                name = None if metric.options else metric.definition
            else:
                grouped = unread.groups is not None
                rule, name = read_rule(caller, metric, {}, grouped=grouped), metric
            rules.setdefault(rule, write_as_passed(name, write_rule(rule, "short")))
        if about_data and len(rules) > 1:
            raise ValueError(
                f"{', '.join(about_data)} can't be an option of one of several metrics, because "
                f"they share their data. Pass it to {caller}."
            )
        return rules, about_data

    def _to_mark(self, operating_points: Any) -> list[Mark]:
        """Check that there is something to draw. Return the operating points to mark, each with the
        precision, the recall and the fraction flagged where its threshold is on the curve.
        """
        if not self.curves:
            raise ValueError(
                "There are no curves to draw. Create the display with from_estimator, "
                "from_predictions or from_cv_results."
            )
        if operating_points is None:
            return []
        first, are_named = self.curves[0], isinstance(operating_points, Mapping)
        curve_of = {curve.model: curve for curve in reversed(self.curves)}  # the first of a model
        kind = "model" if len(curve_of) > 1 and not are_named else ""
        if first.flags is None:
            kind = "fold"
        if first.group is not None:
            kind = "group"
        if kind:
            ways = "Pass a mapping from models to points, or draw" if kind == "model" else "Draw"
            raise ValueError(
                f"operating_points belong to one curve, but each {kind} has a curve of its own. "
                f"{ways} their {kind} in a display of its own, which can share the axes."
            )
        if are_named:
            return _make_marks(curve_of, operating_points)
        are_several = isinstance(operating_points, list | tuple)
        points = operating_points if are_several else [operating_points]
        return [_place_mark(first, point) for point in points]

    def _keep(self, picture: Any) -> None:
        """Keep what was drawn."""
        self.ax_, self.figure_ = picture.ax, picture.ax.figure
        self.line_: Any = unwrap_artists(picture.lines)
        self.points_: Any = unwrap_artists(picture.dots)
        self.mean_: Any = unwrap_artists(picture.means)
        self.band_: Any = unwrap_artists(picture.bands)


def _check_unnamed(models: Mapping[Any, Any], drawing: Drawing) -> None:
    """Check that no name was passed for models that have names."""
    if drawing.name is not None:
        raise ValueError(
            f"name={drawing.name!r} is the name of a single model, but {[*models]} have names of "
            "their own. Leave out name."
        )


def _make_marks(curve_of: Mapping[Any, Any], points: Mapping[Any, Point]) -> list[Mark]:
    """Return the marks of points with names, which are those of the models if these are several."""
    names = [*points]
    if len(curve_of) == 1:
        if hasattr(points, "points") and len(names) > 1:
            raise ValueError(
                f"operating_points has the thresholds of {len(names)} models, but a single one is "
                f"drawn. Pass its point, such as operating_points=points[{names[0]!r}]."
            )
        curve_of = dict.fromkeys(names, *curve_of.values())
    marks = []
    for name, point in points.items():
        if name not in curve_of:
            raise ValueError(
                f"operating_points has a point of {name!r}, which is none of the models that are "
                f"drawn. These are {', '.join(map(repr, reversed(curve_of)))}."
            )
        marks.append(_place_mark(curve_of[name], point)._replace(name=join_lines(name)))
    return marks


def _place_mark(curve: Any, point: Point) -> Mark:
    """Return the mark of a point on a curve. What is 0/0 there is nan."""
    flags, threshold = curve.flags, point.threshold
    points = flags.points
    n_points = np.count_nonzero(are_flagged(flags.scores, np.array([threshold])))
    if not n_points:
        recall = 0.0 if points.n_positives.item() else np.nan
        return Mark(point, np.nan, recall, 0.0, curve.model)
    hits, flagged = points.cum_positives[n_points - 1], points.cum_total[n_points - 1]
    precision, flagged_share = float(hits / flagged), float(flagged / points.cum_total[-1])
    recall = divide_safely(np.minimum(hits, points.n_positives), points.n_positives).item()
    return Mark(point, precision, recall, flagged_share, curve.model)


def unwrap_artists(of_each: Sequence[Any]) -> Any:
    """Return what is drawn, as displays of scikit-learn do: one, or a list, or None."""
    if not of_each:
        return None
    return of_each[0] if len(of_each) == 1 else list(of_each)


def describe_positives(display: Display) -> str:
    if display.min_grade is not None:
        return f" (Positive label: {display.min_grade} or higher)"
    label = display.pos_label
    is_usual = label is None or (not isinstance(label, str) and label == 1)
    return "" if is_usual else f" (Positive label: {label})"
