"""Read what searches and cross-validations returned: the scores of ways to train on folds."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np

from .._core import Metric, Rule, capitalize, read_column_or_matrix, read_numbers, write_title
from .._core import metric as make_metric
from .folds import FoldScores, find_scheme, read_rows, refuse_seeds
from .textbook import PerFold

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
    name, title = choose_score(search, results, metric)
    scores = read_candidates(results, name, params)
    cv = getattr(search, "cv", _UNKNOWN)
    if isinstance(cv, list | tuple):
        refuse_seeds(cv)
    scheme = find_scheme(cv, scores.shape[1], ratio)
    return FoldScores([*range(len(params))], scores, title, scheme, params)


def choose_score(
    search: Any, results: Mapping[str, Any], metric: str | Metric | None
) -> tuple[str, str]:
    """Return which of the scores of a search is that of the metric, and its title."""
    start = "split0_test_"
    names = [key.removeprefix(start) for key in results if key.startswith(start)]
    refit = getattr(search, "refit", None)
    if metric is None and isinstance(refit, str) and names != ["score"]:
        metric = refit  # Scores of one metric have no name, which refit then isn't.
    name = choose_name(names, metric, "The search")
    return name, make_title(find_scoring(search, metric) if name == "score" else name, metric)


def find_scoring(search: Any, metric: str | Metric | None) -> str | Metric:
    """Return the metric of a search with one score, which says it by its scorer, if at all."""
    scorer = getattr(search, "scorer_", None)
    scoring = getattr(scorer, "metric", getattr(search, "scoring", None))
    if isinstance(scoring, str | Metric):
        return choose_name([scoring], metric, "The search")
    return "score" if metric is None else metric


def read_candidates(
    results: Mapping[str, Any], name: str, params: Sequence[Mapping[str, Any]]
) -> PerFold:
    """Return the scores of candidates, of shape (n_candidates, n_folds)."""
    folds = [key for key in results if key.startswith("split") and key.endswith(f"_test_{name}")]
    scores = np.array([results[f"split{place}_test_{name}"] for place in range(len(folds))], float)
    if min(scores.shape) < 2:
        raise ValueError(f"Pass two candidates and two folds. Got {len(params)} and {len(folds)}.")
    is_known = np.isfinite(scores).all(axis=0)
    if not is_known.all():
        raise ValueError(
            f"The candidate {params[int(np.argmin(is_known))]} has no score on some folds. If the "
            "positive class isn't labeled 1, name it in the scorer, as in "
            "make_ap_scorer(pos_label='fraud'). Otherwise, pass error_score='raise' to the search "
            "to see why."
        )
    return scores.T


# --- names of metrics -----------------------------------------------------------------------------


Name = TypeVar("Name", str, str | Metric)


def choose_name(names: Sequence[Name], metric: str | Metric | None, what: str) -> Name:
    """Return which of the names is that of the metric, maybe written in another way, or "score",
    which is that of any single metric.
    """
    if names == ["score"] or (metric is None and len(names) == 1):
        return names[0]
    same = [name for name in names if name == metric]
    if metric is not None and not same:
        same = [name for name in names if find_rule(name) == find_rule(metric)]
    if not same:
        raise ValueError(
            f"{what} has the scores of {[*names]}: pass one of them as metric=. Got {metric!r}."
        )
    return same[0]


def find_rule(metric: str | Metric) -> Rule | str:
    """Return the rule that a metric is, or the name of one that isn't ours."""
    if isinstance(metric, Metric):
        return metric._rule
    try:
        return make_metric(metric)._rule
    except (ValueError, TypeError):  # other names, or ours without a number that they need
        return metric


def make_title(name: str | Metric, metric: str | Metric | None) -> str:
    """Write as a title what scores are called: by the metric that was passed, or as in results."""
    if isinstance(name, str) and name == metric:
        with suppress(ValueError, TypeError):  # It may be none of our names.
            name = make_metric(name)
    if isinstance(name, Metric):
        return write_title(name)
    return capitalize(name.replace("_", " "))


# --- ways to train --------------------------------------------------------------------------------


def read_ways(
    ways: Mapping[Any, Any], metric: str | Metric | None, ratio: float | None
) -> FoldScores:
    """Read the scores of ways to train, which are arrays or what `cross_validate` returned."""
    scores, names, splits = [], set(), []
    for way, results in ways.items():
        values = results
        if isinstance(results, Mapping):
            keys = [key for key in results if str(key).startswith("test_")]
            name = choose_name([key.removeprefix("test_") for key in keys], metric, repr(way))
            values = results[f"test_{name}"]
            names.add(metric if name == "score" and metric is not None else name)
            if "indices" in results:
                indices = results["indices"]
                splits.append([*zip(indices["train"], indices["test"], strict=True)])
        label = f"results[{way!r}]"
        numbers = read_numbers(read_column_or_matrix(values, label), label)
        scores.append(numbers.astype(float).reshape(np.shape(values)))
    if len(names) > 1:
        raise ValueError(f"All ways must have the same metric. Got {sorted(map(str, names))}.")
    check_fold_scores(scores)
    check_splits(splits)
    cv = splits[0] if len(splits) == len(scores) else _UNKNOWN
    scheme = find_scheme(cv, scores[0].size, ratio)
    title = make_title(names.pop() if names else metric or "score", metric)
    return FoldScores([*ways], np.array(scores), title, scheme)


def check_fold_scores(scores: Sequence[PerFold]) -> None:
    """Refuse ways that don't have a score on each of the same folds."""
    sizes = [each.size for each in scores]
    if len({each.shape for each in scores}) > 1 or scores[0].ndim != 1 or scores[0].size < 2:
        raise ValueError(f"All ways need a score for each of the same folds. Got {sizes} scores.")
    if not np.isfinite(scores).all():
        raise ValueError("All folds need a finite score.")


def check_splits(of_ways: Sequence[Sequence[tuple[Any, Any]]]) -> None:
    """Refuse ways that were tested on different folds, or all on the same rows."""
    for splits in of_ways:
        refuse_seeds(splits)
    for splits in of_ways[1:]:
        pairs = zip(splits, of_ways[0], strict=True)
        for (_, test), (_, first) in pairs:
            if not np.array_equal(read_rows(test), read_rows(first)):
                raise ValueError(
                    "The ways have different folds. Pass the same cv to cross_validate."
                )
