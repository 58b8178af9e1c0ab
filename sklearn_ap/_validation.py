"""Everything that is refused is refused here, in scikit-learn's words where it has them."""

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import assert_all_finite, check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_non_negative

from ._arrays import to_host
from .core.averaging import Rankings
from .core.cutoff import DENOMINATORS
from .core.groups import number_groups
from .core.ties import TIES

Array = NDArray[Any]
P = ParamSpec("P")
T = TypeVar("T")

# Whole-number weights are summed as integers up to here; with n_points below a million or so,
# products of the two stay exact.
_MOST_MASS = 2**40
_MOST_POINTS = 2**20


class InvalidParameterError(ValueError, TypeError):
    """A keyword out of its range: a ValueError and a TypeError, as scikit-learn's own error is."""


# --- parameters ----------------------------------------------------------------------------------


class _Allowed(NamedTuple):
    holds: Callable[[Any], bool]
    words: str


def _one_of(options: tuple[str, ...], none: bool = False) -> _Allowed:
    words = "a str among {" + ", ".join(map(repr, sorted(options))) + "}"
    return _Allowed(
        lambda value: (isinstance(value, str) and value in options) or (none and value is None),
        words + " or None" if none else words,
    )


def _is_int(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _is_array_like(value: Any) -> bool:
    sized = hasattr(value, "__len__") or hasattr(value, "shape") or hasattr(value, "__array__")
    return sized and not np.isscalar(value)


_ARRAY = _Allowed(_is_array_like, "an array-like")

# What a parameter may be. A name means the same in every function, so one row serves them all;
# where None is the default it is allowed besides.
_PARAMETERS = {
    "y_true": _ARRAY,
    "y_score": _ARRAY,
    "sample_weight": _ARRAY,
    "classes": _ARRAY,
    "groups": _ARRAY,
    "average": _one_of(("macro", "micro", "samples", "weighted"), none=True),
    "denominator": _one_of(tuple(DENOMINATORS)),
    "ties": _one_of(TIES),
    "k": _Allowed(lambda k: _is_int(k) and k >= 1, "an int in the range [1, inf)"),
    "n_points": _Allowed(
        lambda n: _is_int(n) and 2 <= n <= _MOST_POINTS,
        f"an int in the range [2, {_MOST_POINTS}]",
    ),
    "n_positives": _Allowed(
        lambda n: _is_real(n) and 0 <= n <= 2**53, "a number in the range [0, 2**53]"
    ),
    "pos_label": _Allowed(
        lambda label: isinstance(label, Real | str | np.bool_),
        "an instance of 'numbers.Real', an instance of 'str' or an instance of 'bool'",
    ),
    "zero_division": _Allowed(
        lambda z: z == "warn" if isinstance(z, str) else _is_real(z) and (z in (0, 1) or z != z),
        "a float among {0.0, 1.0, nan} or a str among {'warn'}",
    ),
}


def validated(function: Callable[P, T]) -> Callable[P, T]:
    """Check parameters against the table above, and that no estimator stands for labels."""
    name = function.__name__
    parameters = signature(function).parameters
    nullable = _nullable(function)

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        given = dict(zip(parameters, args, strict=False), **kwargs)
        first = given.get("y_true")
        if callable(getattr(first, "fit", None)):
            raise TypeError(
                f"{name} takes y_true and y_score, and got an estimator ({_type_name(first)}) "
                "where y_true belongs. A metric is not a scorer: for `scoring=`, take one from "
                f"sklearn_ap.make_ap_scorer, or sklearn.metrics.make_scorer({name}, "
                "response_method=('decision_function', 'predict_proba'))."
            )
        _check_allowed(name, nullable, given)
        return function(*args, **kwargs)

    return checked


def check_options(function: Callable[..., Any], options: dict[str, Any]) -> None:
    """What the function would say to these keywords, before there is any data."""
    known = list(signature(function).parameters)[2:]
    for option in options:
        if option not in known:
            raise TypeError(
                f"{function.__name__} has no parameter {option!r}; it has {', '.join(known)}."
            )
    _check_allowed(function.__name__, _nullable(function), options)
    check_denominator(options.get("denominator", "min"), options.get("ties", "grouped"))


def _check_allowed(name: str, nullable: set[str], given: dict[str, Any]) -> None:
    for parameter, value in given.items():
        allowed = _PARAMETERS.get(parameter)
        if allowed is None or (value is None and parameter in nullable) or allowed.holds(value):
            continue
        raise InvalidParameterError(
            f"The {parameter!r} parameter of {name} must be {allowed.words}. Got {value!r} instead."
        )


def _nullable(function: Callable[..., Any]) -> set[str]:
    return {p.name for p in signature(function).parameters.values() if p.default is None}


def _type_name(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else type(value).__name__


def check_group_average(average: Any) -> None:
    if average not in ("macro", "weighted", None):
        raise ValueError("average has to be one of (None, 'macro', 'weighted') with groups.")


def check_denominator(denominator: str, ties: str) -> None:
    if denominator == "hits" and ties == "expected":
        raise ValueError(
            "denominator='hits' has no closed form with ties='expected': use ties='grouped', "
            "'best' or 'worst', or another denominator."
        )


# --- rankings ----------------------------------------------------------------------------------


def check_rankings(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
    classes: Any = None,
    n_positives: float | None = None,
    ties: str = "grouped",
) -> Rankings:
    """A binary, multilabel-indicator or multiclass target with its scores."""
    y_true, y_score = to_host(y_true), to_host(y_score)
    if classes is not None and len(classes) == 2 and np.ndim(y_score) == 1:
        classes = None  # two classes and one column of scores: binary after all
    labels, names = _check_labels(y_true, pos_label, classes, y_score)
    if labels.ndim == 1:
        average, scores = "binary", _check_scores(y_score)
    else:
        scores = _check_score_columns(y_score, labels, names)
    if average == "micro":
        names = ["all cells"]
    rankings = Rankings(labels, scores, None, average, n_positives, names=names)
    return _with_weight(rankings, sample_weight, ties)


def check_grouped_rankings(
    y_true: Any,
    y_score: Any,
    *,
    groups: Any,
    average: str | None,
    pos_label: Any,
    sample_weight: Any,
    ties: str,
) -> Rankings:
    """A binary target whose samples belong to groups."""
    check_group_average(average)
    y_score = to_host(y_score)
    labels, _ = _check_labels(to_host(y_true), pos_label, None, y_score)
    if labels.ndim == 2:
        raise ValueError(
            "Only binary y_true goes with groups; multilabel-indicator and multiclass formats are "
            "not supported. For one query a row use average_precision_score(average='samples')."
        )
    scores = _check_scores(y_score)
    groups = to_host(groups)
    check_consistent_length(labels, scores, groups)
    rankings = Rankings(labels, scores, None, average, group=_check_groups(groups))
    rankings = _with_weight(rankings, sample_weight, ties)
    names, group = _number_groups(np.asarray(rankings.group))
    return replace(rankings, group=group, names=names.tolist())


def check_curve(y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any) -> Rankings:
    """A target with one positive class, as for `precision_recall_curve`."""
    y_true = to_host(y_true)
    kind = _kind_of(y_true)
    if kind not in ("binary", "multiclass") or (kind == "multiclass" and pos_label is None):
        raise ValueError(f"{kind} format is not supported")
    y_true = column_or_1d(y_true)
    if pos_label is None:
        pos_label = 1
        present = np.unique(y_true).tolist()
        if present not in ([0, 1], [-1, 1], [0], [-1], [1]):
            raise ValueError(
                f"y_true takes value in {{{', '.join(map(repr, present))}}} and pos_label is not "
                "specified: either make y_true take value in {0, 1} or {-1, 1} or pass pos_label "
                "explicitly."
            )
    labels = np.asarray(y_true == pos_label, dtype=bool)
    rankings = Rankings(labels, _check_scores(to_host(y_score)), None, "binary")
    return _with_weight(rankings, sample_weight)


def _with_weight(rankings: Rankings, sample_weight: Any, ties: str = "grouped") -> Rankings:
    """The same with checked weights, less the samples of weight 0, which do not exist."""
    check_consistent_length(rankings.labels, rankings.scores)
    if sample_weight is not None:
        weight = _check_weight(sample_weight, rankings.labels)
        if ties != "grouped" and rankings.average != "samples":
            raise ValueError(
                f"ties={ties!r} orders single samples and has no meaning with sample_weight: "
                "use ties='grouped'."
            )
        rankings = replace(rankings, weight=weight)
        if not weight.all():
            rankings = rankings.take(np.flatnonzero(weight))
    if rankings.n_positives is not None:
        _check_n_positives(rankings, rankings.n_positives)
    return rankings


# --- labels ------------------------------------------------------------------------------------

Labels = tuple[Array, Sequence[Any] | None]  # True where positive, and what the columns are called


def _check_labels(y_true: Any, pos_label: Any, classes: Any, y_score: Any) -> Labels:
    if classes is None:
        labels = _plain_binary_labels(y_true, pos_label)
        if labels is not None:
            return labels, [f"pos_label={pos_label!r}"]
    kind = _kind_of(y_true)
    if kind == "multiclass" or classes is not None:
        return _class_labels(y_true, kind, pos_label, classes)
    if kind == "multilabel-indicator":
        _check_pos_label_is_one(pos_label, kind)
        return check_array(y_true) == 1, None
    if kind == "binary":
        _check_one_column(y_score)  # first, as it is the cause where classes are missing
        return _binary_labels(y_true, pos_label)
    raise ValueError(f"{kind} format is not supported")


def _plain_binary_labels(y_true: Any, pos_label: Any) -> Array | None:
    """Labels the short way, for an ordinary array of two numbers; None for all else."""
    if type(y_true) is not np.ndarray or y_true.ndim != 1 or y_true.size == 0:
        return None
    if isinstance(pos_label, str) or y_true.dtype.kind not in "biuf":
        return None
    if y_true.dtype.kind == "b":
        return y_true if pos_label == 1 else None
    low, high = y_true.min().item(), y_true.max().item()
    if low != low // 1 or high != high // 1:
        return None  # nan, inf or fractions
    if low != high and pos_label not in (low, high):
        return None
    labels = y_true == pos_label
    apart = high - low > 1 or y_true.dtype.kind == "f"
    if apart and not np.all(labels | (y_true == (low if pos_label == high else high))):
        return None
    return np.asarray(labels)


def _binary_labels(y_true: Any, pos_label: Any) -> Labels:
    y_true = column_or_1d(y_true)
    present = np.unique(y_true).tolist()
    name = f"pos_label={pos_label!r}"
    if pos_label not in present:
        if len(present) == 2:
            raise ValueError(
                f"{name} is not a valid label. It should be one of {present}: say which label is "
                f"the positive one, for example pos_label={present[-1]!r}."
            )
        name += f", and y_true holds {present[0]!r} alone"
    return np.asarray(y_true == pos_label, dtype=bool), [name]


def _class_labels(y_true: Any, kind: str, pos_label: Any, classes: Any) -> Labels:
    """One column of labels a class, and the classes."""
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"`classes` goes with multiclass y_true; {kind} format is not supported")
    _check_pos_label_is_one(pos_label, "multiclass")
    y_true = column_or_1d(y_true)
    if classes is None:
        classes = np.unique(y_true)
    else:
        classes = column_or_1d(to_host(classes))
        if len(np.unique(classes)) != len(classes) or len(classes) < 2:
            raise ValueError(f"`classes` must hold two or more different labels, got {classes}.")
    labels = y_true[:, np.newaxis] == classes
    known = labels.any(axis=1)
    if not known.all():
        unknown = np.unique(y_true[~known]).tolist()
        raise ValueError(f"y_true contains labels {unknown} that are not in classes {classes}.")
    return labels, classes.tolist()


def _check_pos_label_is_one(pos_label: Any, kind: str) -> None:
    if pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. "
            "Do not set pos_label or set pos_label to 1."
        )


def _kind_of(y_true: Any) -> str:
    shape = getattr(y_true, "shape", None)
    if (len(y_true) == 0) if shape is None else (shape[:1] == (0,)):
        raise ValueError("Found array with 0 sample(s) in y_true while a minimum of 1 is required.")
    with np.errstate(invalid="ignore"):  # nan is cast to an integer on the way to its refusal
        return str(type_of_target(y_true, input_name="y_true"))


# --- scores ------------------------------------------------------------------------------------


def _check_scores(y_score: Any) -> Array:
    """One finite score a sample."""
    if not (type(y_score) is np.ndarray and y_score.ndim == 1 and y_score.dtype.kind in "fiub"):
        _check_one_column(y_score)
        y_score = _check_real(column_or_1d(y_score))
    return _check_finite(y_score)


def _check_score_columns(y_score: Any, labels: Array, classes: Sequence[Any] | None) -> Array:
    """One finite score a sample and class."""
    if np.ndim(y_score) == 3:
        raise ValueError(
            f"Found array with dim 3 in y_score, of shape {np.shape(y_score)}. Probabilities of "
            "several outputs go in one column each: np.column_stack([p[:, 1] for p in y_score])."
        )
    if classes is not None and np.shape(y_score) != labels.shape:
        raise ValueError(
            "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes. Got `y_score.shape={np.shape(y_score)}` for the classes "
            f"{classes}: it takes one column for each class of the problem, and where y_true lacks "
            "some, classes= names them all."
        )
    scores = _check_finite(_check_real(check_array(y_score, dtype=None)))
    check_consistent_length(labels, scores)
    if scores.shape != labels.shape:
        raise ValueError(
            f"y_score is of shape {scores.shape} and y_true of shape {labels.shape}: one column of "
            "scores is needed for each column of labels."
        )
    return scores


def _check_real(scores: Array) -> Array:
    kind = scores.dtype.kind
    if kind == "O" and all(isinstance(score, float) for score in scores.flat):
        return scores.astype(np.float64)
    if kind in "fiub" or (
        # Python's numbers stay as they are: large integers would not fit a float.
        kind == "O" and all(isinstance(score, Real | Decimal) for score in scores.flat)
    ):
        return scores
    raise ValueError(
        f"y_score must hold numbers, and its dtype is {scores.dtype}. "
        "Convert your data to numeric values explicitly instead."
    )


def _check_finite(scores: Array) -> Array:
    if scores.dtype.kind == "f" and not np.isfinite(scores).all():
        assert_all_finite(scores)
    if scores.dtype.kind == "O" and not all(-np.inf < score < np.inf for score in scores.flat):
        raise ValueError("Input contains NaN or infinity.")
    return scores


def _check_one_column(y_score: Any) -> None:
    shape = np.shape(y_score)
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {shape} instead. y_true is binary, so "
            "y_score takes one score a sample: pass the column of the positive class, as "
            "y_score[:, 1]. If y_true merely lacks some classes of a multiclass problem, pass "
            "classes=."
        )


# --- weights and counts ------------------------------------------------------------------------


def _check_weight(sample_weight: Any, labels: Array) -> Array:
    """Weights that can be summed without surprises: int64 while they are whole, else float64."""
    weight = column_or_1d(to_host(sample_weight))
    check_consistent_length(labels, weight)
    weight = check_array(weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    check_non_negative(weight, "`sample_weight`")
    with np.errstate(over="ignore"):
        mass = weight.sum()
    if mass == 0:
        raise ValueError("Sample weights must contain at least one non-zero number.")
    if not np.isfinite(mass):
        raise ValueError("The sum of sample_weight is beyond float64: scale the weights down.")
    if mass < _MOST_MASS and np.array_equal(weight, np.floor(weight)):
        return np.asarray(weight, dtype=np.int64)
    return np.asarray(weight)


def _check_n_positives(rankings: Rankings, n_positives: float) -> None:
    if rankings.average != "binary":
        raise ValueError("n_positives is for binary y_true: it says how many positives exist.")
    if rankings.weight is None:
        found = np.count_nonzero(rankings.labels)
        if n_positives != int(n_positives):
            raise ValueError(f"n_positives={n_positives} must be whole without sample_weight.")
    else:
        found = rankings.weight[rankings.labels].sum()
    if n_positives < found:
        raise ValueError(
            f"n_positives={n_positives} counts all positives that exist, scored or not, and "
            f"y_true alone holds {found}."
        )


# --- groups ------------------------------------------------------------------------------------


def _check_groups(groups: Any) -> Array:
    if isinstance(groups, list | tuple):
        # Not np.asarray at once: it makes tuples a second axis, and one string of 1 and "1".
        groups = np.fromiter(groups, dtype=object, count=len(groups))
        if len(set(map(type, groups))) == 1 and np.isscalar(groups[0]):
            groups = np.asarray(groups.tolist())
    array: Array = np.asarray(groups)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"groups should be a 1d array, got an array of shape {array.shape}.")
    return array


def _number_groups(groups: Array) -> tuple[Array, Array]:
    try:
        names, group = number_groups(groups)
    except TypeError:
        raise TypeError("groups must be hashable: strings, numbers, tuples or the like.") from None
    if groups.dtype.kind in "OfmM" and any(map(_is_missing, names)):
        raise ValueError("groups contains missing values: give every sample a group.")
    return names, group


def _is_missing(name: Any) -> bool:
    try:
        return name is None or bool(name != name)
    except TypeError:  # pandas.NA does not say
        return True


# --- 0/0 ---------------------------------------------------------------------------------------

_NO_POSITIVES = "No positive class found in y_true, recall is set to one for all thresholds."


def fill_undefined(values: Array, names: Sequence[Any] | None, zero_division: float | str) -> Array:
    """nan stands for 0/0: replace it, and warn unless the caller chose the value."""
    undefined = np.isnan(values)
    if not undefined.any():
        return values
    if zero_division == "warn":
        where = np.flatnonzero(undefined)
        count = f"{where.size} of {values.size}: " if values.size > 1 else ""
        listed = ", ".join(str(i if names is None else names[i]) for i in where[:5])
        listed += ", ..." if where.size > 5 else ""
        warn(
            f"{_NO_POSITIVES} The score is 0/0 there ({count}{listed}) and 0.0 is given; "
            "zero_division chooses another value and silences this warning."
        )
        zero_division = 0.0
    return np.where(undefined, zero_division, values)


def warn_no_positives() -> None:
    warn(_NO_POSITIVES)


def warn(message: str, category: type[Warning] = UndefinedMetricWarning) -> None:
    """Warn at the line that called the package."""
    package = __name__.partition(".")[0]
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals["__name__"].partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
