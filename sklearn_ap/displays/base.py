"""What both displays do: they take predictions, estimators or folds, and draw the curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import make_scorer
from sklearn.utils import indexable
from sklearn.utils.validation import check_is_fitted

from .._data import reading
from .._finish import score
from .._inputs import Engine, Inputs, Label
from .._intake import to_host
from .._names import written
from .._prevalence import reweighted
from .._progress import step
from .._validation.errors import warn_of_other_order, warning_once
from .._validation.labels import AtLeast, if_swapped, kind_of, positive_class
from .._validation.models import are_names, read_models, read_models_of_tables
from .._validation.rankings import Sample, check_same_names, read_sample
from .._validation.samples import apply_n_positives, check_one_column, name_units
from .._validation.tables import are_tables
from ..core.operating_points import OperatingPoints, from_one_of_groups
from ..core.rankings import BY_NAME, Rankings
from ..core.rules import AreaRule, Step
from ..core.segments import Array
from .families import (
    Band,
    Curve,
    entry_and_mean,
    families_of,
    families_to_draw,
    group_entry,
    mean_entry,
    mean_line,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

D = TypeVar("D", bound="Display")

Style = Mapping[str, Any] | None
Styles = Style | Sequence[Style]  # one for all curves, or one for each

_MOST_GROUPS = 10  # up to this many groups have their own color and legend entry
_CELLS = {
    "multilabel-indicator": "np.ravel(y_true), np.ravel(y_score), groups=np.tile(classes, len("
    "y_true))",
    "multiclass": "np.ravel(np.equal.outer(y_true, classes)), np.ravel(y_score), groups=np.tile("
    "classes, len(y_true))",
}


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

    def each(self, rule: AreaRule) -> Iterator[tuple[OperatingPoints, int | None, float, Any]]:
        """Yield the points of each ranking, its number of samples, its value, and its group."""
        return zip(self.points, self.sizes, self.values(rule), self.names, strict=True)


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
    group, exist, each = rankings.group, rankings.n_positives, []
    if group is None:
        return [apply_n_positives(rankings.curve()[0], rankings)]
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(1, len(rankings.names or ())))
    for place, samples in enumerate(np.split(order, starts)):
        own = rankings.take(samples)
        points = from_one_of_groups(own.labels, own.scores, own.weight, every=True)
        each.append(points if exist is None else points.out_of(exist[place]))
    return each


def _from_engine(engine: Engine, inputs: Inputs, pos_label: Any) -> Ranked:
    """Rank the samples of a table that isn't in memory, in one pass, and one for each metric."""
    from .. import _passes as passes  # which arrays don't need
    from ..curves import on_engine

    found = on_engine(_only_points, inputs)
    names, points = [None], [found]
    if engine.grouped:
        names, points = list(found), list(found.values())

    def values(rule: AreaRule) -> Sequence[float]:
        average = BY_NAME if engine.grouped else "macro"
        value = passes.score(rule, inputs, average)
        return list(value.values()) if engine.grouped else [value]

    words = name_units(None, "groups", engine.columns)
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
    check_one_column(y_score, pos_label, "")


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
    scorer = make_scorer(
        lambda _, y_score, **_options: y_score, response_method=methods, pos_label=pos_label
    )
    return scorer(estimator, X, y)


def _check_binary_classifier(estimator: Any, pos_label: Any) -> None:
    """Check that an estimator is a binary classifier with this positive label."""
    check_is_fitted(estimator)
    got, advice = type(estimator).__name__, ""
    classes = np.asarray(estimator.classes_).tolist() if is_classifier(estimator) else None
    if classes is None:
        advice = " To draw other models, pass their prediction scores to from_predictions."
    elif any(np.ndim(label) for label in estimator.classes_):
        got, advice = (
            "several outputs",
            (" Draw one output at a time, by passing its prediction scores to from_predictions."),
        )
    elif len(classes) != 2:
        got = "1 class" if len(classes) == 1 else f"{len(classes)} classes"
    elif pos_label in classes:
        return
    else:
        one, other = classes
        raise ValueError(
            f"pos_label={pos_label!r} is not a valid label: It should be one of {classes}, the "
            f"classes of {got}. Pass the positive one, as pos_label={one!r} or pos_label={other!r}."
        )
    raise ValueError(f"Expected 'estimator' to be a binary classifier. Got {got} instead.{advice}")


def _rank_folds(cv_results: Mapping[str, Any], X: Any, inputs: Inputs, method: str) -> list[Ranked]:
    """Rank the samples of each fold by its estimator, which was not fitted on them."""
    by_row = {name: getattr(inputs, name) for name in ("y_true", "sample_weight", "groups")}
    by_row = {name: rows for name, rows in by_row.items() if rows is not None}
    X, *_ = indexable(X, *by_row.values())
    warn_of_other_order([(role.replace("y_true", "y"), rows) for role, rows in by_row.items()])
    tests = _test_rows(cv_results, len(inputs.y_true))
    parts = [{name: _rows(rows, test) for name, rows in by_row.items()} for test in tests]
    exist = _in_folds(inputs.n_positives, [part.get("groups") for part in parts])
    folds = []
    for estimator, test, own, n_positives in zip(
        cv_results["estimator"], tests, parts, exist, strict=True
    ):
        y_score = _response(
            estimator, _rows(X, test), own["y_true"], method, inputs.pos_label, inputs.min_grade
        )
        fold = inputs._replace(y_score=y_score, n_positives=n_positives, **own)
        folds.append(read_ranked(fold if fold.prevalence is None else reweighted(fold)))
    return folds


def _test_rows(cv_results: Mapping[str, Any], n_rows: int) -> list[Array]:
    """Return the indices of each fold's samples, which splitters can give as masks or slices."""
    if not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            "cv_results lacks the key 'estimator' or 'indices'. Call cross_validate with "
            "return_estimator=True and return_indices=True."
        )
    tests, rows = cv_results["indices"]["test"], np.arange(n_rows)
    try:
        return [rows[test if isinstance(test, slice) else np.asarray(test)] for test in tests]
    except IndexError as error:
        raise ValueError(
            f"X has {n_rows} samples, but the folds were made from other data ({error}). Pass the "
            "X and y that you passed to cross_validate."
        ) from None


def _rows(data: Any, places: Array) -> Any:
    if isinstance(data, list | tuple):
        return [data[place] for place in places]
    return data.iloc[places] if hasattr(data, "iloc") else data[places]


def _in_folds(n_positives: Any, groups: Sequence[Any]) -> list[Any]:
    """Split the counts of existing positives into those of each fold."""
    has_names = hasattr(n_positives, "keys")
    if n_positives is None or (groups[0] is not None and not has_names):
        return [n_positives] * len(groups)  # a single count, which each fold refuses
    if groups[0] is None:
        counts = [] if has_names else np.atleast_1d(n_positives).tolist()
        if len(counts) != len(groups):
            raise ValueError(
                f"n_positives must have one count for each of the {len(groups)} folds, in their "
                f"order. Got {n_positives!r}."
            )
        return list(counts)
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


@dataclass(eq=False, repr=False)
class Display:
    """Base class of displays, which have curves, and draw them with their bands.

    `_trace` returns the curve of a ranking, from its points, a rule, the number of its samples if
    it is known, whether to drop intermediate points, and the value, group and model of the curve.
    `_bands_of` returns the bands of curves by a rule. If they are folds, there is no sample.
    """

    _trace: ClassVar[Callable[..., Any]]
    _bands_of: ClassVar[Callable[..., list[Band]]]
    from_predictions: ClassVar[Callable[..., Any]]
    plot: ClassVar[Callable[..., Any]]

    curves: Sequence[Any]
    _: KW_ONLY
    name: str | None = None
    pos_label: Label | None = None
    bands: Sequence[Band] | None = None
    group_words: str = "groups"
    weight_words: str | None = None

    def __post_init__(self) -> None:
        self.value: Any = only_or_list([curve.value for curve in self.curves])

    @classmethod
    def _rules(
        cls, caller: str, options: dict[str, Any], grouped: bool
    ) -> tuple[Sequence[AreaRule], dict[str, Any]]:
        """Take from the options the rules to draw, and what they say about the data."""
        return (Step(),), {}

    def _start(self, ax: Axes | None, xscale: str | None, *labels: tuple[str | None, str]) -> None:
        """Choose the axes, and label each with what was passed, or else with the second label."""
        from . import artists

        self.ax_ = artists.axes_or_new(ax)
        self.figure_ = self.ax_.figure
        if xscale is not None:
            self.ax_.set_xscale(xscale)
        artists.label_axes(self.ax_, *(usual if own is None else own for own, usual in labels))

    def _draw(
        self,
        curves: Sequence[Curve],
        spots: Array,
        bands: Sequence[Band],
        marked: Sequence[tuple[Any, tuple[float, float]]],
        *,
        name: str | None,
        curve_kwargs: Styles,
        points_kwargs: Style,
        first: float,
    ) -> bool:
        """Draw all curves, their means at `spots`, bands and marks.

        On a logarithmic axis, lines start at `first`. Return whether the display has a single
        model, and the axes no other display.
        """
        from . import artists

        ax, name = self.ax_, self.name if name is None else name
        families, apart = families_to_draw(curves)
        styles = _one_each(curve_kwargs, len(families))
        alone = not artists.make_room(ax) and len({curve.model for curve in curves}) == 1
        most = artists.SEEN if alone else artists.SEEN_IN_COMPANY
        if curves[0].group is not None or len(families) < len(curves):  # groups or folds
            alone, most = False, 0
        dots: dict[str, Any] = {"given": points_kwargs, "most": most}
        if len({curve.label for curve in curves}) > 1:  # they share their operating points
            dots["color"] = artists.ink(ax, 0.7)
        drawing = artists.Drawing(ax, curves, first, dots)
        if apart:
            for family, given in zip(families, styles, strict=True):
                entry = group_entry(family) if len(families) <= _MOST_GROUPS else None
                drawing.add(family, entry, given, None)
            if mean := mean_line(curves, spots):
                entry = mean_entry(curves, next(iter(bands), None), self.group_words, name)
                drawing.add_mean(mean, entry, None, color=artists.ink(ax))
            drawing.colors = [artists.ink(ax)]
        else:
            for family, band, given in zip_longest(families, bands, styles):
                entry, mean = entry_and_mean(family, band, spots, self.group_words, name)
                drawing.add(family, entry, given, mean)
        self.line_: Any = only_or_list(drawing.lines)
        self.points_: Any = only_or_list(drawing.dots)
        self.mean_: Any = only_or_list(drawing.means)
        drawn = list(zip(bands, drawing.colors, strict=False))
        self.band_: Any = only_or_list([artists.draw_band(ax, *each, len(drawn)) for each in drawn])
        self.marks_ = artists.draw_marks(ax, marked, drawing.lines)
        return alone


def only_or_list(of_each: Sequence[Any]) -> Any:
    """Return what is drawn, as displays of scikit-learn do: one, or a list, or None."""
    return None if not of_each else of_each[0] if len(of_each) == 1 else list(of_each)


def positive_label(pos_label: Any) -> str:
    if isinstance(pos_label, AtLeast):
        return f" (Positive label: {pos_label.grade} or higher)"
    return "" if pos_label is None else f" (Positive label: {pos_label})"


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
    _check_points(len({c.model for c in curves}), curves[0].group is not None, operating_points)
    if operating_points is None:
        return []
    is_list = isinstance(operating_points, list | tuple)
    return list(operating_points) if is_list else [operating_points]


def _check_points(n_models: int, grouped: bool, operating_points: Any) -> None:
    """Check that operating points belong to a curve."""
    if operating_points is None:
        return
    if n_models > 1:
        raise ValueError(
            f"operating_points belong to one model, but y_score contains {n_models}. Draw each of "
            "them in a display of its own, which can share the axes."
        )
    if grouped:
        raise ValueError(
            "operating_points is not drawn with groups: draw the group that they belong to in a "
            "display of its own."
        )


# --- constructors, which get all parameters of the methods with the same names --------------------


def from_predictions(cls: type[D], given: dict[str, Any]) -> D:
    caller = f"{cls.__name__}.from_predictions"
    check_matplotlib(caller)
    data, options = given["data"], _options_of(given)
    rules, of_data = cls._rules(caller, options, data.groups is not None)
    inputs: Inputs = data._replace(**of_data)
    on_engines = options["confidence_level"] is None  # bands need all samples
    if on_engines:  # only bands depend on the sampling units
        inputs = inputs._replace(clusters=None)
    elif inputs.groups is not None and inputs.clusters is not None:
        raise ValueError(
            "With groups, confidence_level draws the groups and not the clusters: pass "
            "clusters=None, also if a table knows them. confidence_interval(..., groups=..., "
            "clusters=...) computes the interval of the mean over groups for clusters."
        )
    models, several = None, are_tables(inputs.data)
    if several:
        models = read_models_of_tables(inputs.y_score, inputs.data)
    elif isinstance(inputs.y_score, Mapping) or (are_names(inputs.y_score) and inputs.y_score):
        models = read_models(caller, "y_score", inputs.y_score, inputs.data is not None)
    if models is not None:
        _check_no_name(options["name"], "data" if several else "y_score")
        inputs = inputs._replace(y_score=models)
    _check_points(len(models or [0]), inputs.groups is not None, options["operating_points"])
    with warning_once():
        found = reading(cls.from_predictions, inputs, read_ranked, on_engines)
        found = {None: found} if models is None else found
        (first, one), *others = found.items()
        for model, other in others:
            check_same_names(one.names, other.names, "groups", (first, model))
        return _drawn(cls, {model: [each] for model, each in found.items()}, rules, options)


def from_estimator(cls: type[D], given: dict[str, Any]) -> D:
    check_matplotlib(f"{cls.__name__}.from_estimator")
    estimator, name = given["estimator"], given["name"]
    asked = [given[each] for each in ("X", "y", "response_method", "pos_label", "min_grade")]
    if isinstance(estimator, Mapping):
        y_score: Any = {model: _response(each, *asked) for model, each in estimator.items()}
    else:
        y_score = _response(estimator, *asked)
        name = name or type(estimator).__name__
    inputs = _inputs_of(given)._replace(y_score=y_score)
    return from_predictions(cls, {**given, "name": name, "data": inputs})


def from_cv_results(cls: type[D], given: dict[str, Any]) -> D:
    caller = f"{cls.__name__}.from_cv_results"
    check_matplotlib(caller)
    cv_results, inputs, options = given["cv_results"], _inputs_of(given), _options_of(given)
    rules, of_data = cls._rules(caller, options, inputs.groups is not None)
    if of_data:
        raise ValueError(
            f"{', '.join(of_data)} can't be an option of the metric, because the folds have data "
            "of their own."
        )
    models = {None: cv_results}
    if cv_results and all(isinstance(each, Mapping) and each for each in cv_results.values()):
        _check_no_name(options["name"], "cv_results")
        models = cv_results
    with warning_once():
        asked = given["X"], inputs, given["response_method"]
        ranked = {model: _rank_folds(own, *asked) for model, own in models.items()}
        return _drawn(cls, ranked, rules, options, of_folds=True)


def _inputs_of(given: Mapping[str, Any]) -> Inputs:
    about_data = {name: each for name, each in given.items() if name in Inputs._fields}
    return Inputs(given["y"], **about_data)


def _options_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the metric and of the picture."""
    others = "cls", "estimator", "cv_results", "X", "y", "response_method", *Inputs._fields
    return {name: each for name, each in given.items() if name not in others}


def _check_no_name(name: str | None, parameter: str) -> None:
    if name is not None:
        raise ValueError(
            f"name={name!r} is the name of a single model, but {parameter} contains several by "
            "name. Leave out name."
        )


def _drawn(
    cls: type[D],
    models: Mapping[Any, Sequence[Ranked]],
    rules: Sequence[AreaRule],
    options: dict[str, Any],
    of_folds: bool = False,
) -> D:
    """Draw the curves of models, each of which has one ranking, or one for each fold."""
    curves, bands, level = [], [], options.pop("confidence_level")
    drop = options.pop("drop_intermediate", False)
    del options["verbose"]
    for model, folds in models.items():
        sample = None if of_folds else folds[0].sample
        for rule in rules:
            own = [
                cls._trace(points, rule, size, drop, value=value, group=group, model=model)
                for fold in folds
                for points, size, value, group in fold.each(rule)
            ]
            own = [curve for family in families_of(own) for curve in family]
            curves += own
            if level is not None:
                title = written(rule, "short") + ("" if model is None else f" of {model}")
                with step(f"band of {title}"):
                    bands += cls._bands_of(own, rule, sample, level)
    first = next(iter(models.values()))[0]
    display = cls(
        curves,
        name=options["name"],
        pos_label=first.pos_label,
        bands=bands or None,
        group_words=first.group_words,
        weight_words=first.weight_words,
    )
    display.plot(**options)
    return display
