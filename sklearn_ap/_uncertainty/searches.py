"""Read what searches and cross-validations returned: the scores of ways to train on folds."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from .._core import Metric, capitalize, read_column_or_matrix, read_numbers, write_title
from .._core import metric as make_metric
from .folds import FoldScores, find_scheme, read_rows, refuse_seeds

_UNKNOWN = "unknown"  # a cv that nobody named


def read_folds(
    results: Any, metric: str | Metric | None, n_train: float | None, n_test: float | None
) -> FoldScores:
    """Read a search, its `cv_results_`, or the scores of several ways to train by name."""
    if metric is not None and not isinstance(metric, str | Metric):
        raise TypeError(f"metric must be the name of a metric, or an object of it. Got {metric!r}.")
    ratio = None if n_train is None or n_test is None else n_test / n_train
    cv_results = getattr(results, "cv_results_", results)
    if isinstance(cv_results, Mapping) and "params" in cv_results:
        return read_search(results, cv_results, metric, ratio)
    if not isinstance(results, Mapping) or len(results) < 2 or "test_score" in results:
        raise TypeError(
            "compare_folds needs a fitted search, or the folds of at least two ways to train, as "
            "in compare_folds({'forest': a, 'boosting': b})."
        )
    return read_ways(results, metric, ratio)


# --- searches -------------------------------------------------------------------------------------


def read_search(
    search: Any, results: Mapping[str, Any], metric: str | Metric | None, ratio: float | None
) -> FoldScores:
    """Read the scores of the candidates of a search."""
    if "n_resources" in results:
        raise ValueError("The candidates of a halving search can't be compared: their rows differ.")
    params = [dict(each) for each in results["params"]]
    start = "split0_test_"
    names: list[Any] = [key.removeprefix(start) for key in results if key.startswith(start)]
    is_single = names == ["score"]  # The scorer says its metric, if at all.
    if is_single:
        scorer = getattr(search, "scorer_", None)
        scoring = getattr(scorer, "metric", getattr(search, "scoring", None))
        names = [scoring] if isinstance(scoring, str | Metric) else names
    elif metric is None:
        refit = getattr(search, "refit", None)
        metric = refit if isinstance(refit, str) else None
    name = choose_name(names, metric, "The search")

    end = "_test_score" if is_single else f"_test_{name}"
    folds = [key for key in results if key.startswith("split") and key.endswith(end)]
    scores = np.array([results[f"split{fold}{end}"] for fold in range(len(folds))], float).T
    if min(scores.shape) < 2:
        raise ValueError(f"Pass two candidates and two folds. Got {len(params)} and {len(folds)}.")
    is_known = np.isfinite(scores).all(axis=1)
    if not is_known.all():
        raise ValueError(
            f"The candidate {params[int(np.argmin(is_known))]} has no score on some folds. If the "
            "positive class isn't labeled 1, name it in the scorer, as in "
            "make_ap_scorer(pos_label='fraud'). Otherwise, pass error_score='raise' to the search "
            "to see why."
        )
    cv = getattr(search, "cv", _UNKNOWN)
    if isinstance(cv, list | tuple):
        refuse_seeds(cv)
    scheme = find_scheme(cv, scores.shape[1], ratio)
    return FoldScores([*range(len(params))], scores, make_title(name, metric), *scheme, params)


# --- names of metrics -----------------------------------------------------------------------------


def choose_name(names: Sequence[Any], metric: str | Metric | None, what: str) -> Any:
    """Return which of the names is that of the metric, maybe written in another way. Scores without
    a name, "score", may be those of any metric.
    """
    if names == ["score"]:
        return "score" if metric is None else metric
    same = [name for name in names if name == metric or (metric is None and len(names) == 1)]
    if metric is not None and not same:
        rule = getattr(find_metric(metric), "_rule", metric)
        same = [name for name in names if getattr(find_metric(name), "_rule", name) == rule]
    if not same:
        raise ValueError(
            f"{what} has the scores of {[*names]}: pass one of them as metric=. Got {metric!r}."
        )
    return same[0]


def find_metric(name: str | Metric) -> str | Metric:
    """Return the metric of a name, or a name that isn't ours, or lacks a number that it needs."""
    with suppress(ValueError, TypeError):
        return make_metric(name)
    return name


def make_title(name: str | Metric, metric: str | Metric | None) -> str:
    """Write as a title what scores are called: by the metric that was passed, or as in results."""
    shown = find_metric(name) if name == metric else name
    return write_title(shown) if isinstance(shown, Metric) else capitalize(shown.replace("_", " "))


# --- ways to train --------------------------------------------------------------------------------


def read_ways(
    ways: Mapping[Any, Any], metric: str | Metric | None, ratio: float | None
) -> FoldScores:
    """Read the scores of ways to train, which are arrays or what `cross_validate` returned."""
    scores, names, splits = [], set(), []
    for way, results in ways.items():
        values = results
        if isinstance(results, Mapping):
            keys = [str(key) for key in results if str(key).startswith("test_")]
            name = choose_name([key.removeprefix("test_") for key in keys], metric, repr(way))
            values = results[f"test_{name}" if len(keys) > 1 else keys[0]]
            names.add(name)
            if results.get("indices"):
                indices = results["indices"]
                splits.append([*zip(indices["train"], indices["test"], strict=True)])
        label = f"results[{way!r}]"
        numbers = read_numbers(read_column_or_matrix(values, label), label)
        scores.append(numbers.astype(float).reshape(np.shape(values)))
    if len(names) > 1:
        raise ValueError(f"All ways must have the same metric. Got {sorted(map(str, names))}.")
    sizes = [each.size for each in scores]
    if len({each.shape for each in scores}) > 1 or scores[0].ndim != 1 or scores[0].size < 2:
        raise ValueError(f"All ways need a score for each of the same folds. Got {sizes} scores.")
    if not np.isfinite(scores).all():
        raise ValueError("All folds need a finite score.")
    for of_way in splits:
        refuse_seeds(of_way)
        for (_, test), (_, first) in zip(of_way, splits[0], strict=True):
            if not np.array_equal(read_rows(test), read_rows(first)):
                raise ValueError(
                    "The ways have different folds. Pass the same cv to cross_validate."
                )
    cv = splits[0] if len(splits) == len(scores) else _UNKNOWN
    scheme = find_scheme(cv, scores[0].size, ratio)
    title = make_title(names.pop() if names else metric or "score", metric)
    return FoldScores([*ways], np.array(scores), title, *scheme)
