"""Metrics by name, for scorers and the like that get names and options before any data."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from inspect import signature
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import metrics
from ._catalogue import MAP, METRICS, write_name
from ._intake import to_host
from ._validation.parameters import check_group_average
from ._validation.scorers import (
    Scored,
    check_bindable,
    check_given_once,
    check_groups_given,
    check_metric,
    check_one_column,
)
from ._validation.warned import warn
from .core.cutoff import Cut


def score_of(metric: str) -> Callable[..., Any]:
    score: Callable[..., Any] = getattr(metrics, f"{metric}_score")
    return score


def bind(
    name: Any, options: Mapping[str, Any], pos_label: Any, user: str, grouped: bool = False
) -> Scored:
    """Look up a metric, and check the options that a scorer or the like binds to it."""
    found = check_metric(name, user, grouped)
    options = check_given_once(name, found.options, options)
    check_bindable(score_of(found.metric), options, pos_label, user)
    if found.metric == MAP:
        check_group_average(options.get("average", "macro"))
    return found._replace(options=options)


def default_k(score: Callable[..., Any]) -> float | None:
    parameter = signature(score).parameters.get("k")
    return None if parameter is None else parameter.default


def full_name(metric: str, options: Mapping[str, Any]) -> str:
    """Write the name of a metric with its options, as in "average_precision_at_5_ties=best".

    Options with their default values are omitted, and of arrays and mappings only the option is
    named.
    """
    parameters = signature(score_of(metric)).parameters
    in_name = "k" if metric == MAP else METRICS[metric].number
    others = [
        _in_name(option, value)
        for option, value in sorted(options.items())
        if option != in_name and not _is_default(value, parameters[option].default)
    ]
    defaults = {"k": default_k(score_of(metric))}
    return "_".join([write_name(metric, defaults | dict(options)), *others])


def name_in_logs(name: str) -> str:
    """Write a name in the characters that every log takes, as in "precision_at_1_percent".

    MLflow refuses "%" and "=" in the name of a metric.
    """
    return re.sub(r"[^\w./-]+", "_", name.replace("%", "_percent"), flags=re.ASCII)


def _is_default(value: Any, default: Any) -> bool:
    return np.ndim(value) == 0 and bool(value == default)


def _in_name(option: str, value: Any) -> str:
    """Write an option as one word, because logs of metrics are split at spaces and colons."""
    return f"{option}={re.sub(r'[^!-9;-~]+', '_', str(value))}" if np.isscalar(value) else option


def score_by_name(
    metric: str,
    y_true: Any,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Any:
    """Evaluate the metric of that name, and warn if k exceeds the number of samples."""
    score = score_of(metric)
    value = score(y_true, y_score, sample_weight=sample_weight, **options)
    if "groups" not in options and (
        np.ndim(y_true) == 1 or options.get("average") not in ("samples", "micro")
    ):
        weight = None if options.get("k_counts") == "samples" else sample_weight
        _warn_if_beyond(options.get("k", default_k(score)), len(y_true), weight)
    return value


def _warn_if_beyond(k: float | None, n_samples: int, sample_weight: Any) -> None:
    """Warn if an integer k exceeds the number of samples or their total weight."""
    if k is None or Cut(k).is_share:
        return
    if sample_weight is None:
        most, all_of_them = n_samples, f"the {n_samples} samples that are evaluated"
    else:
        most = np.asarray(to_host(sample_weight)).sum(dtype=float)
        all_of_them = f"the sum of sample_weight, {most:g}"
    if k > most:
        warn(
            f"k={k} exceeds {all_of_them}, so all samples count. Precision and the enrichment "
            "factor at k count the missing ranks as negatives.",
            UserWarning,
        )


# --- functions that scorers call ------------------------------------------------------------------


class NamedScore:
    """A metric function with a name of its own.

    Other tools distinguish scorers by the name of the function that they call, and some reject two
    scorers of the same name.
    """

    def __init__(self, score: Callable[..., Any], name: str) -> None:
        self.__wrapped__ = score  # where `inspect.signature` finds the parameters
        self.__name__ = name

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.__wrapped__(*args, **options)

    def __repr__(self) -> str:
        return self.__name__


class _DefaultLabel(int):
    """The default positive class, 1, which explains itself when an error message prints it.

    scikit-learn looks up the label among the classes before it calls a metric, and prints it in
    errors.
    """

    def __str__(self) -> str:
        return (
            f"{int(self)} (the default; pass the positive class, as in make_ap_scorer(..., "
            "pos_label=...), or all classes of a multiclass target, as in make_ap_scorer(..., "
            "classes=...))"
        )


_ONE = _DefaultLabel(1)


def ranking_score(
    y_true: Any,
    y_score: ArrayLike,
    *,
    metric: str,
    pos_label: Any = _ONE,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Any:
    """Evaluate the metric of that name, for scorers made by `make_ap_scorer`."""
    options["pos_label"] = 1 if pos_label is None else pos_label
    if "classes" not in options:
        check_one_column(y_true, y_score)
    return score_by_name(metric, y_true, y_score, sample_weight=sample_weight, **options)


def class_score(
    y_true: Any, y_score: Any, *, sample_weight: ArrayLike | None = None, **options: Any
) -> Any:
    """Evaluate a metric of several classes, for scorers made by `make_ap_scorer`.

    `columns` are the columns of `classes`. A tool that calls this function itself doesn't pass
    them. They are then in the order of the sorted classes, as in scikit-learn's estimators.
    """
    columns = options.pop("columns", None)
    if columns is None:
        columns = np.unique(options["classes"], return_inverse=True)[1]
    in_order = np.array_equal(columns, np.arange(len(columns)))
    if not in_order and np.shape(y_score) == (len(y_true), len(columns)):
        y_score = np.asarray(to_host(y_score))[:, columns]
    return ranking_score(y_true, y_score, sample_weight=sample_weight, **options)


def grouped_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    pos_label: Any = _ONE,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Any:
    """Evaluate mean average precision, for scorers made by `make_map_scorer`."""
    options |= {"groups": check_groups_given(groups), "pos_label": pos_label}
    return ranking_score(y_true, y_score, metric=MAP, sample_weight=sample_weight, **options)


def outlier_score(
    y_true: ArrayLike,
    inlier_score: Any,
    *,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> Any:
    """Evaluate a metric with inliers ranked last, for scorers made by `make_outlier_ap_scorer`."""
    reverse = _reverse(inlier_score)
    return ranking_score(y_true, reverse, sample_weight=sample_weight, **options)


def _reverse(scores: Any) -> Any:
    """Reverse the order of scores exactly. Plain negation could overflow integers."""
    scores = np.asarray(to_host(scores))
    if scores.dtype.kind in "biu":
        return ~scores
    if scores.dtype.kind == "O":
        return np.frompyfunc(_negate, 1, 1)(scores)
    return -scores


def _negate(score: Any) -> Any:
    if isinstance(score, Integral):
        return -int(score)  # NumPy's integers would overflow here too
    # The minus sign would round a Decimal.
    return score.copy_negate() if isinstance(score, Decimal) else -score
