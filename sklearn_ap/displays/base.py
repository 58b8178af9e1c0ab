"""What both displays do: they take predictions, estimators or folds, and draw the curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import make_scorer
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from .._data import reading
from .._engine import Engine
from .._finish import score
from .._inputs import Inputs, Label
from .._intake import to_host
from .._prevalence import reweighted
from .._validation.errors import naming_model
from .._validation.labels import AtLeast, if_swapped, kind_of, positive_class
from .._validation.models import are_names, read_models
from .._validation.rankings import Sample, read_sample
from .._validation.samples import apply_n_positives, check_one_column, name_units
from .._validation.warned import warn_of_other_order, warning_once
from ..core.operating_points import OperatingPoints, from_one_of_groups
from ..core.rankings import BY_NAME, Rankings
from ..core.rules import AreaRule, Step
from ..core.segments import Array
from . import artists
from .artists import Line, Style, Styles
from .bands import Band

if TYPE_CHECKING:
    from matplotlib.axes import Axes

P = ParamSpec("P")
T = TypeVar("T")

_CELLS = {
    "multilabel-indicator": "np.ravel(y_true), np.ravel(y_score), groups=np.tile(classes, len("
    "y_true))",
    "multiclass": "np.ravel(np.equal.outer(y_true, classes)), np.ravel(y_score), groups=np.tile("
    "classes, len(y_true))",
}


def runs(work: Callable[..., Any]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Run `work` in place of a method, which only declares and describes its parameters.

    `work` gets all of them by name, also those that the caller left out.
    """

    def decorate(declared: Callable[P, T]) -> Callable[P, T]:
        parameters = signature(declared).parameters
        defaults = {name: p.default for name, p in parameters.items() if p.default is not p.empty}

        @wraps(declared)
        def method(*args: Any, **kwargs: Any) -> T:
            check_matplotlib(declared.__qualname__)
            for name in kwargs:  # others would be taken for inputs, and ignored
                if name not in parameters:
                    raise TypeError(
                        f"{declared.__qualname__}() got an unexpected keyword argument {name!r}"
                    )
            given = dict(zip(parameters, args, strict=False), **kwargs)
            result: T = work(**defaults | given)
            return result

        return method

    return decorate


def check_matplotlib(caller: str) -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"{caller} needs matplotlib, which is not installed: pip install matplotlib"
        ) from error


# --- the data -------------------------------------------------------------------------------------


class Ranked(NamedTuple):
    """One ranking, or one for each group, in memory or from an engine."""

    points: Sequence[OperatingPoints]  # every point of each ranking
    names: Sequence[Any]  # of the groups; None for a single ranking
    sizes: Sequence[int | None]  # the numbers of samples, if they are known
    values: Callable[[AreaRule], Sequence[float]]
    sample: Sample | None  # with its sampling units, if it is in memory
    pos_label: Any
    group_words: str  # such as "groups (class)"
    weight_words: str | None  # such as "amount", if the axes show fractions of a column


def read_ranked(inputs: Inputs) -> Ranked:
    """Check a binary target, and rank its samples."""
    pos_label = positive_class(inputs.pos_label, inputs.min_grade)
    if inputs.engine is not None:
        return _from_engine(inputs.engine, inputs, pos_label)
    y_true, y_score = to_host(inputs.y_true), to_host(inputs.y_score)
    if not isinstance(pos_label, AtLeast):
        _check_binary(y_true, y_score, pos_label)
    inputs = inputs._replace(y_true=y_true, y_score=y_score, pos_label=pos_label, min_grade=None)
    sample = read_sample(Step(), inputs)
    rankings = sample.rankings
    names, sizes = [None], [rankings.scores.size]
    if rankings.group is not None:
        names = list(rankings.names or ())
        sizes = np.bincount(rankings.group, minlength=len(names)).tolist()

    def values(rule: AreaRule) -> Sequence[float]:
        found = score(rule, replace(rankings, average=None), inputs.zero_division)
        return list(found.tolist())

    weight = rankings.weight
    is_even = weight is None or not weight.size or bool(weight.min() == weight.max())
    by = None if is_even else _weight_words(inputs, inputs.column_names.get("sample_weight"))
    points, words = _points_of_each(rankings), sample.group_words
    return Ranked(points, names, sizes, values, sample, pos_label, words, by)


def _weight_words(inputs: Inputs, column: Any) -> str | None:
    """Return what the axes show fractions of: a column, or the population of a prevalence."""
    names = column, *(getattr(each, "name", None) for each in (column, inputs.sample_weight))
    named = [name for name in names if isinstance(name, str) and name]
    return named[0] if named else "weight" if inputs.prevalence is None else "population"


def _points_of_each(rankings: Rankings) -> list[OperatingPoints]:
    """Return all operating points of each group, or of the only ranking."""
    group, exist = rankings.group, rankings.n_positives
    if group is None:
        return [apply_n_positives(rankings.curve()[0], rankings)]
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(1, len(rankings.names or ())))
    each = []
    for place, samples in enumerate(np.split(order, starts)):
        own = rankings.take(samples)
        points = from_one_of_groups(own.labels, own.scores, own.weight, every=True)
        each.append(points if exist is None else points.out_of(exist[place]))
    return each


def _from_engine(engine: Engine, inputs: Inputs, pos_label: Any) -> Ranked:
    """Rank the samples of a table that isn't in memory, in one pass, and one for each metric."""
    from .. import _passes as passes  # which arrays don't need
    from .._passes.curves import curve

    found = curve(engine, _only_points, pos_label, inputs.n_positives)
    names, points = [None], [found]
    if engine.grouped:
        names, points = list(found), list(found.values())

    def values(rule: AreaRule) -> Sequence[float]:
        average = BY_NAME if engine.grouped else "macro"
        value = passes.score(rule, inputs, average)
        return list(value.values()) if engine.grouped else [value]

    words = name_units(engine.columns.get("groups"), "groups", {"groups": inputs.groups})
    by = None
    if inputs.prevalence is not None or "sample_weight" in engine.columns:
        by = _weight_words(inputs, engine.columns.get("sample_weight"))
    return Ranked(points, names, [None] * len(points), values, None, pos_label, words, by)


def _only_points(points: OperatingPoints, thresholds: Array, lacking: str = "") -> OperatingPoints:
    return points


def _check_binary(y_true: Any, y_score: Any, pos_label: Any) -> None:
    kind = kind_of(y_true)
    if kind.startswith("continuous"):
        raise ValueError(
            f"The target y is not binary. Got {kind} type of target{if_swapped(kind, y_score)}"
        )
    if kind != "binary":
        one = "y_true[:, column]" if kind == "multilabel-indicator" else "y_true == label"
        instead = ""
        if kind in _CELLS:
            call = f"from_predictions({_CELLS[kind]})"
            instead = f" To draw one curve per class, pass the classes as groups: {call}."
        raise ValueError(
            f"The target y is not binary. Got {kind} type of target. Draw one class at a time, as "
            f"in from_predictions({one}, y_score[:, column]).{instead}"
        )
    check_one_column(y_score, y_true, pos_label, "")


# --- estimators and folds -------------------------------------------------------------------------


def _response(
    estimator: Any, X: Any, y: Any, method: str, pos_label: Any, min_grade: float | None
) -> Any:
    """Return the prediction scores of a binary classifier.

    If its classes are grades, the larger one is positive.
    """
    if min_grade is not None and positive_class(pos_label, min_grade):
        classes = np.asarray(getattr(estimator, "classes_", ()))
        if classes.ndim == 1 and classes.size == 2 and classes.dtype.kind in "biuf":
            pos_label = classes.max().item()
    _check_binary_classifier(estimator, pos_label)
    methods = ("predict_proba", "decision_function") if method == "auto" else method
    # A scorer is scikit-learn's public way to compute them. The metric of this one returns them.
    scorer = make_scorer(_scores, response_method=methods, pos_label=pos_label)
    return scorer(estimator, X, y)


def _scores(y_true: Any, y_score: Any, *, pos_label: Any) -> Any:
    return y_score


def _check_binary_classifier(estimator: Any, pos_label: Any) -> None:
    """Check that an estimator is a binary classifier with this positive label."""
    expected = "Expected 'estimator' to be a binary classifier."
    check_is_fitted(estimator)
    if not is_classifier(estimator):
        raise ValueError(
            f"{expected} Got {type(estimator).__name__} instead. To draw other models, pass their "
            "prediction scores to from_predictions."
        )
    if any(np.ndim(label) for label in estimator.classes_):
        raise ValueError(
            f"{expected} Got several outputs instead. Draw one output at a time, by passing its "
            "prediction scores to from_predictions."
        )
    classes = np.asarray(estimator.classes_).tolist()
    if len(classes) != 2:
        got = "1 class" if len(classes) == 1 else f"{len(classes)} classes"
        raise ValueError(f"{expected} Got {got} instead.")
    if pos_label not in classes:
        one, other = classes
        raise ValueError(
            f"pos_label={pos_label!r} is not a valid label: It should be one of {classes}, the "
            f"classes of {type(estimator).__name__}. Pass the positive one, as pos_label={one!r} "
            f"or pos_label={other!r}."
        )


def _rank_folds(cv_results: Mapping[str, Any], X: Any, inputs: Inputs, method: str) -> list[Ranked]:
    """Rank the samples of each fold by its estimator, which was not fitted on them."""
    by_row = {name: getattr(inputs, name) for name in ("y_true", "sample_weight", "groups")}
    by_row = {name: rows for name, rows in by_row.items() if rows is not None}
    folds = []
    tests = _test_rows(cv_results, X, by_row)
    parts = [{name: _rows(rows, test) for name, rows in by_row.items()} for test in tests]
    exist = _in_folds(inputs.n_positives, [part.get("groups") for part in parts])
    for estimator, test, own, n_positives in zip(
        cv_results["estimator"], tests, parts, exist, strict=True
    ):
        y_score = _response(
            estimator, _rows(X, test), own["y_true"], method, inputs.pos_label, inputs.min_grade
        )
        fold = inputs._replace(y_score=y_score, n_positives=n_positives, **own)
        folds.append(read_ranked(fold if fold.prevalence is None else reweighted(fold)))
    return folds


def _test_rows(cv_results: Mapping[str, Any], X: Any, by_row: Mapping[str, Any]) -> list[Array]:
    """Return the indices of each fold's samples, which splitters can give as masks or slices."""
    check_consistent_length(X, *by_row.values())
    warn_of_other_order([(role.replace("y_true", "y"), rows) for role, rows in by_row.items()])
    if not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            "cv_results lacks the key 'estimator' or 'indices'. Call cross_validate with "
            "return_estimator=True and return_indices=True."
        )
    rows = np.arange(X.shape[0] if hasattr(X, "shape") else len(X))
    try:
        return [
            rows[test if isinstance(test, slice) else np.asarray(test)]
            for test in cv_results["indices"]["test"]
        ]
    except IndexError as error:
        raise ValueError(
            f"X has {rows.size} samples, but the folds were made from other data ({error}). Pass "
            "the X and y that you passed to cross_validate."
        ) from None


def _rows(data: Any, places: Any) -> Any:
    if isinstance(data, list | tuple):
        return [data[place] for place in places]
    if hasattr(data, "tocsr"):  # not all sparse formats support indexing by row
        return data.tocsr()[places]
    return data.iloc[places] if hasattr(data, "iloc") else data[places]


def _in_folds(n_positives: Any, groups: Sequence[Any]) -> list[Any]:
    """Split the counts of existing positives into those of each fold."""
    if n_positives is None:
        return [None] * len(groups)
    if groups[0] is None:
        counts = None if hasattr(n_positives, "keys") else np.atleast_1d(n_positives).tolist()
        if counts is None or len(counts) != len(groups):
            raise ValueError(
                f"n_positives must have one count for each of the {len(groups)} folds, in their "
                f"order. Got {n_positives!r}."
            )
        return list(counts)
    if not hasattr(n_positives, "keys"):
        return [n_positives] * len(groups)  # which each fold refuses
    rest, folds = dict(n_positives.items()), []
    for names in ({*np.asarray(own).tolist()} for own in groups):
        twice = [name for name in names if name in n_positives and name not in rest]
        if twice:
            raise ValueError(
                f"n_positives has one count for the group {twice[0]!r}, which has samples in "
                "several folds. Split with GroupKFold, which keeps each group in one fold, or "
                "leave n_positives out."
            )
        folds.append({name: rest.pop(name) for name in names if name in rest})
    folds[0] |= rest  # groups that were never retrieved are in no fold
    return folds


# --- the display ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trace:
    """A curve as it is drawn: its line, its operating points, and the edge that means are over.

    Without positives, there may be no edge, only a value.
    """

    line: Line
    points: Line
    edge: Line
    value: float = np.nan
    beyond: float | None = 0.0  # the height to the right of the edge; None for its last height

    def height(self, x: Array) -> Array:
        if not self.edge[0].size:
            return np.full(x.size, self.value)
        return np.interp(x, *self.edge, right=self.beyond)


@dataclass
class _Drawing:
    """The curves in some axes, with their operating points and the means of folds."""

    ax: Axes
    trace: Callable[[Any], Trace]
    spots: Array  # where means are drawn
    bent: Any
    points_kwargs: Style
    most: int  # how many operating points of a curve are visible
    of_points: Any  # their color, if it isn't that of their curve
    lines: list[Any] = field(default_factory=list)
    dots: list[Any] = field(default_factory=list)
    means: list[Any] = field(default_factory=list)

    def add(self, family: artists.Family, look: dict[str, Any], given: Style, place: int) -> Any:
        """Draw the curves of a family, and return their color. Folds are behind their mean."""
        mean = artists.mean_of_folds(family, self.trace, self.spots)
        entry = look.pop("label") if mean is not None else None
        for curve in family:
            drawn = self.trace(curve)
            line = artists.draw_line(self.ax, *drawn.line, given, self.bent, **look)
            if curve is family[0]:
                look = artists.tell_apart(self.ax, line, given, look, place) | {"label": None}
            own = {"color": self.of_points or look["color"], "alpha": look["alpha"]}
            self.lines.append(line)
            self.dots.append(
                artists.draw_points(self.ax, *drawn.points, self.points_kwargs, self.most, **own)
            )
        if mean is not None:
            style = look | {"label": entry, "alpha": 1}
            self.means.append(artists.draw_mean(self.ax, *mean, given, **style))
        return look["color"]


@dataclass(eq=False, repr=False)
class Display:
    """Base class of displays, which have curves, and draw them with their bands."""

    curves: Sequence[Any]
    _: KW_ONLY
    name: str | None = None
    pos_label: Label | None = None
    bands: Sequence[Band] | None = None
    group_words: str = "groups"
    weight_words: str | None = None

    def __post_init__(self) -> None:
        self.value: Any = artists.only_or_list([curve.value for curve in self.curves])

    @classmethod
    def _tracer(
        cls, caller: str, options: dict[str, Any], grouped: bool
    ) -> tuple[Any, dict[str, Any]]:
        """Take from the options what traces the curves, and what they say about the data.

        A tracer has the `rules` that it draws, and three methods: `curves` returns the curve of
        each ranking, `bands` those of a ranking whose samples are the sampling units, and
        `bands_over` those of the mean of the curves of groups or folds.
        """
        raise NotImplementedError

    def _draw(
        self,
        ax: Axes | None,
        trace: Callable[[Any], Trace],
        spots: Array,
        bands: Sequence[Band],
        marked: Sequence[tuple[Any, tuple[float, float]]],
        labels: tuple[str, str],
        *,
        name: str | None,
        curve_kwargs: Styles,
        points_kwargs: Style,
        xscale: str | None,
        bent_from: float,
    ) -> bool:
        """Draw all curves, their means at `spots`, bands and marks.

        Return whether the display has a single model, and the axes no other display.
        """
        families, grouped = artists.families_of(self.curves), artists.have_groups(self.curves)
        styles = _one_each(curve_kwargs, len(families))
        name = self.name if name is None else name
        self.ax_ = ax = artists.axes_or_new(ax)
        self.figure_ = ax.figure
        if xscale is not None:
            ax.set_xscale(xscale)
        artists.label_axes(ax, *labels)
        most = artists.most_dots(self.curves, artists.make_room(ax))
        bent = artists.straight(bent_from) + ax.transData
        # If there are several definitions, they share their operating points.
        of_all = artists.ink(ax, 0.7) if len({c.label for c in self.curves}) > 1 else None
        drawing = _Drawing(ax, trace, spots, bent, points_kwargs, most, of_all)
        rules = list(dict.fromkeys(c.label for c in self.curves if c.drawn != "levels"))
        models: dict[Any, Any] = dict.fromkeys(curve.model for curve in self.curves)
        colors = []
        looks = artists.looks_of(ax, families, () if grouped else bands, name)
        for (family, look), given in zip(looks, styles, strict=True):
            first, place = family[0], 0
            if len(models) == 1:
                place = rules.index(first.label) if first.label in rules else 0
            elif models[first.model] is not None:
                look["color"] = models[first.model]
            models[first.model] = drawing.add(family, look, given, place)
            colors.append(models[first.model])
        lines, means = drawing.lines, drawing.means
        self.line_: Any = artists.only_or_list(lines)
        self.points_: Any = artists.only_or_list(drawing.dots)
        if grouped:
            colors = [artists.ink(ax)]
            y = artists.mean_over(families, lambda curve: trace(curve).height(spots))
            if y is not None:
                entry = artists.mean_entry(families, bands, self.group_words, name)
                means.append(artists.draw_mean(ax, spots, y, label=entry, color=colors[0]))
        self.mean_: Any = artists.only_or_list(means) if means else None
        drawn = list(zip(bands, colors, strict=False))
        of_each = [artists.draw_band(ax, *each, len(drawn)) for each in drawn]
        self.band_: Any = artists.only_or_list(of_each) if of_each else None
        self.marks_ = artists.draw_marks(ax, marked, lines)
        return most == artists.SEEN


def _one_each(curve_kwargs: Any, count: int) -> list[Any]:
    """Return a dict for each curve, from a single dict or a list of them."""
    is_one = isinstance(curve_kwargs, Mapping | None)
    styles = [curve_kwargs] * count if is_one else list(curve_kwargs)
    if len(styles) != count:
        raise ValueError(
            "curve_kwargs must be None, a dict or a list with one dict for each of the "
            f"{count} curves. Got: {curve_kwargs!r}."
        )
    return styles


def check_plot(display: Display, operating_points: Any) -> list[Any]:
    """Check that there is something to draw. Return the operating points to mark."""
    check_matplotlib(f"{type(display).__name__}.plot")
    curves = display.curves
    if not curves:
        raise ValueError(
            "There are no curves to draw. Create the display with from_estimator, from_predictions "
            "or from_cv_results."
        )
    n_models, n_rules = len({c.model for c in curves}), len({c.label for c in curves})
    if n_models > 1 and operating_points is not None:
        raise ValueError(
            "operating_points belong to one model, but y_score contains "
            f"{n_models}. Draw each of them in a display of its own, which can share the axes."
        )
    if artists.have_groups(curves):
        _check_groups_only(n_models, n_rules, operating_points)
    if operating_points is None:
        return []
    is_list = isinstance(operating_points, list | tuple)
    return list(operating_points) if is_list else [operating_points]


def _check_groups_only(n_models: int, n_rules: int, operating_points: Any) -> None:
    """Check that curves of groups are not combined with what each of them would need."""
    for count, parameter, one, several in (
        (n_models, "y_score", "that of a single model", f"it contains {n_models}"),
        (n_rules, "metric", "a single one", f"{n_rules} were passed"),
    ):
        if count > 1:
            raise ValueError(
                f"groups draws one curve for each group, so {parameter} must be {one}, but "
                f"{several}. Draw each of them in axes of its own."
            )
    if operating_points is not None:
        raise ValueError(
            "operating_points is not drawn with groups: draw the group that they belong to in a "
            "display of its own."
        )


# --- constructors ---------------------------------------------------------------------------------


def from_predictions(cls: Any, y_true: Any, y_score: Any, *, data: Inputs, **options: Any) -> Any:
    caller = f"{cls.__name__}.from_predictions"
    options = {name: value for name, value in options.items() if name not in Inputs._fields}
    tracer, of_data = cls._tracer(caller, options, data.groups is not None)
    inputs = data._replace(**of_data)
    on_engines = options["confidence_level"] is None  # bands need all samples
    if on_engines:  # only bands depend on the sampling units
        inputs = inputs._replace(clusters=None)
    models: Mapping[Any, Any] = {None: inputs.y_score}
    if isinstance(inputs.y_score, Mapping) or (are_names(inputs.y_score) and inputs.y_score):
        _check_no_name(options["name"], "y_score")
        models = read_models(caller, "y_score", inputs.y_score, inputs.data is not None)
    if inputs.groups is not None:
        _check_groups_only(len(models), len(tracer.rules), options["operating_points"])
    ranked = {}
    with warning_once():
        for model, y_score in models.items():
            with naming_model(model, models) if len(models) > 1 else nullcontext():
                own = inputs._replace(y_score=y_score)
                ranked[model] = [reading(cls.from_predictions, own, read_ranked, on_engines)]
        return _drawn(cls, ranked, tracer, options)


def from_estimator(
    cls: Any, estimator: Any, X: Any, y: Any, *, response_method: str, **options: Any
) -> Any:
    asked = X, y, response_method, options["pos_label"], options["min_grade"]
    if isinstance(estimator, Mapping):
        y_score: Any = {model: _response(each, *asked) for model, each in estimator.items()}
    else:
        y_score = _response(estimator, *asked)
        options["name"] = options["name"] or type(estimator).__name__
    return cls.from_predictions(y, y_score, **options)


def from_cv_results(
    cls: Any, cv_results: Any, X: Any, y: Any, *, response_method: str, **options: Any
) -> Any:
    about_data = {name: options.pop(name) for name in Inputs._fields if name in options}
    inputs = Inputs(**about_data | {"y_true": y})
    caller = f"{cls.__name__}.from_cv_results"
    tracer, of_data = cls._tracer(caller, options, inputs.groups is not None)
    if of_data:
        raise ValueError(
            f"{', '.join(of_data)} can't be an option of the metric, because the folds have data "
            "of their own."
        )
    models = {None: cv_results}
    if cv_results and all(isinstance(each, Mapping) and each for each in cv_results.values()):
        _check_no_name(options["name"], "cv_results")
        models = cv_results
    if inputs.groups is not None:
        _check_groups_only(len(models), len(tracer.rules), None)
    with warning_once():
        ranked = {
            model: _rank_folds(own, X, inputs, response_method) for model, own in models.items()
        }
        return _drawn(cls, ranked, tracer, options, of_folds=True)


def _check_no_name(name: str | None, parameter: str) -> None:
    if name is not None:
        raise ValueError(
            f"name={name!r} is the name of a single model, but {parameter} contains several by "
            "name. Leave out name."
        )


def _drawn(
    cls: Any,
    models: Mapping[Any, Sequence[Ranked]],
    tracer: Any,
    options: dict[str, Any],
    of_folds: bool = False,
) -> Any:
    """Draw the curves of models, each of which has one ranking, or one for each fold."""
    curves, bands, level = [], [], options.pop("confidence_level")
    for model, folds in models.items():
        own = [curve for ranked in folds for curve in tracer.curves(ranked, model)]
        own = [curve for family in artists.families_of(own) for curve in family]
        curves += own
        if level is None:
            continue
        samples = None if of_folds else folds[0].sample
        if samples is not None and artists.have_groups(own) and samples.clusters is not None:
            raise ValueError(
                "With groups, confidence_level draws the groups and not the clusters: pass "
                "clusters=None, also if a table knows them. confidence_interval(..., groups=..., "
                "clusters=...) computes the interval of the mean over groups for clusters."
            )
        if samples is None or artists.have_groups(own):
            bands += tracer.bands_over(own, samples, level)
        else:
            bands += tracer.bands(samples, level)
    first = next(iter(models.values()))[0]
    display = cls(
        curves,
        name=options["name"],
        pos_label=first.pos_label,
        bands=bands or None,
        group_words=first.group_words,
        weight_words=first.weight_words,
    )
    return display.plot(**options)
