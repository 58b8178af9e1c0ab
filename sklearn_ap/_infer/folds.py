"""Values on the folds of a cross-validation, of ways to train or of the candidates of a search.

Folds share training data, so their values depend on each other. The corrected resampled t-test
allows for that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn import model_selection
from sklearn.utils.validation import check_is_fitted

from .._arrays.host import to_host
from .._enter.metric import Metric
from .._enter.models import check_baseline, name_pair
from .._inputs.metric_names import parse_metric_name
from .._read.tables import get_series_name
from .._show.results import Note
from .._words.parameters import format_value
from ..core.ragged import Array
from ..core.rules import GroupFunction, Rule
from ..core.spread import PairedDifference, compute_alpha
from ..core.verdicts import compute_ranks, find_best
from .comparisons import Claims
from .intervals import (
    Comparison,
    Comparisons,
    SearchCandidate,
    SearchComparison,
    make_table,
    with_difference,
)
from .sentences import note_few_folds

Sizes = tuple[float | None, float | None]  # of the samples for training and for testing in a fold

_METHOD = "corrected t-test"
_LEAST_FREEDOM = 4  # that of five folds; intervals of several ways are too wide with fewer
_K_FOLD_NAMES = "KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold"
_K_FOLDS = tuple(getattr(model_selection, name) for name in _K_FOLD_NAMES)
_REPEATED = model_selection.RepeatedKFold, model_selection.RepeatedStratifiedKFold


# --- the test -------------------------------------------------------------------------------------


def _estimate_difference(
    scores_a: Array, scores_b: Array, test_per_train: float
) -> PairedDifference:
    """Estimate how much the mean difference of scores on the same folds varies, by the corrected
    variance. `test_per_train` is how many samples a fold tests for each that it trains on.
    """
    differences, n_folds = scores_a - scores_b, scores_a.size
    # The variance of the mean is this factor times the sum of squared deviations.
    factor = (1 / n_folds + test_per_train) / (n_folds - 1)
    largest = float(np.abs([scores_a, scores_b]).max())
    are_fractions = largest <= 1 and min(scores_a.min(), scores_b.min()) >= 0
    return PairedDifference(
        values=differences.mean(keepdims=True),
        fractions=np.ones(1),
        deviations=(differences - differences.mean())[np.newaxis] * np.sqrt(factor),
        equal_units_of_values=np.array([1 + _compute_freedom(n_folds, test_per_train)]),
        mean=float(differences.mean()),
        are_folds=True,
        maximum=1.0 if are_fractions else np.inf,
    ).clear_rounding(largest)


def _compute_freedom(n_folds: int, test_per_train: float) -> float:
    """Return the degrees of freedom of the corrected variance: those of k folds, repeated or not,
    because each repeat splits the same samples again. `test_per_train` is 1 / (k - 1).

    Without signal, ten repeats of ten folds have up to 11% false alarms with 99 degrees of freedom.
    """
    return max(min(n_folds - 1.0, 1 / test_per_train), 1.0)


# --- ways to train --------------------------------------------------------------------------------


class FoldScores(NamedTuple):
    """The scores of one way to train on the folds of a cross-validation."""

    metric: str
    values: Array  # of shape (n_folds,)
    folds: Sequence[tuple[Any, Any]] | None  # the rows for training and for testing, if known


def is_named(results: Any) -> bool:
    """Whether these are several results by name, not the result of one cross-validation."""
    if not isinstance(results, Mapping):
        return False
    keys = [str(key) for key in results]
    is_timed = "fit_time" in keys and any(key.startswith("test_") for key in keys)
    return not ("test_score" in keys or is_timed or "params" in keys)


def compare_two(a: Any, b: Any, metric: Any, sizes: Sizes, claims: Claims) -> Comparison:
    """Compare the results of `cross_validate` for two ways to train, or their scores."""
    ways = {"a": _read_fold_scores("a", a, metric), "b": _read_fold_scores("b", b, metric)}
    test_per_train = _check_ways(ways, sizes)
    first, second = name_pair([get_series_name(a), get_series_name(b)], ("a", "b"))
    return _compare_two_ways((first, second), (ways["a"], ways["b"]), test_per_train, 1, claims)


def compare_named(
    results: Mapping[str, Any], baseline: Any, metric: Any, sizes: Sizes, claims: Claims
) -> Comparisons:
    """Compare several results by name with the baseline, or without one (None) with the best."""
    _check_named(results)
    check_baseline(results, baseline)
    ways = {name: _read_fold_scores(repr(name), results[name], metric) for name in results}
    test_per_train = _check_ways({repr(name): way for name, way in ways.items()}, sizes)
    names, scores = [*ways], np.array([way.values for way in ways.values()])
    is_chosen = baseline is None
    place = find_best(scores.mean(axis=1)) if is_chosen else names.index(baseline)
    base = names[place]
    family = len(names) - 1
    few_folds = _find_few_folds(len(names), scores.shape[1], test_per_train, None)
    compare = partial(
        _compare_two_ways, test_per_train=test_per_train, family=family, claims=claims,
        few_folds=few_folds,
    )  # fmt: skip
    pairs = {
        name: compare((name, base), (way, ways[base])) for name, way in ways.items() if name != base
    }
    return make_table(pairs, names, base, claims.level, is_chosen=is_chosen, family=family)


def _find_few_folds(n_ways: int, n_folds: int, test_per_train: float, cv: Any) -> tuple[Note, ...]:
    """Find out if folds are too few to tell several ways apart. Two of them have an interval, wide
    as it is.
    """
    freedom = _compute_freedom(n_folds, test_per_train)
    if n_ways < 3 or freedom >= _LEAST_FREEDOM:
        return ()
    basis = f"{n_folds} folds"
    if freedom < n_folds - 1:
        tested = test_per_train / (1 + test_per_train)
        basis += f" that each test {100 * tested:.0f}% of the samples"
    return (note_few_folds(basis, n_ways, _advise_splits(cv)),)


def _advise_splits(cv: Any) -> str:
    """Return the call that splits as `cv` does, but often enough; None is unknown."""
    kind = type(cv).__name__
    if isinstance(cv, model_selection.BaseShuffleSplit):
        return f"{kind}(n_splits=10, test_size=0.1)"
    if isinstance(cv, (model_selection.GroupKFold, model_selection.StratifiedGroupKFold)):
        return f"{kind}(n_splits=10)"
    if isinstance(cv, (model_selection.KFold, model_selection.RepeatedKFold)):
        return "RepeatedKFold(n_splits=10, n_repeats=3)"
    return "RepeatedStratifiedKFold(n_splits=10, n_repeats=3)"


def _check_named(results: Mapping[str, Any]) -> None:
    """Check that a mapping has several results of one kind."""
    if len(results) < 2:
        raise ValueError(
            f"compare_folds needs at least two ways to train. Got {[*results]} instead."
        )
    are_dicts = {isinstance(result, Mapping) for result in results.values()}
    if len(are_dicts) > 1:
        raise TypeError(
            "The values of a mapping must all be results of cross_validate, or all arrays with a "
            f"score for each fold. Got {', '.join(map(format_value, results.values()))} instead."
        )


def _compare_two_ways(
    names: tuple[Any, Any],
    ways: tuple[FoldScores, FoldScores],
    test_per_train: float,
    family: int,
    claims: Claims,
    few_folds: tuple[Note, ...] = (),
) -> Comparison:
    """Compare two ways to train, with an interval and a p-value that hold for the whole family, or
    without these if there are too `few_folds`.
    """
    first, second = ways
    difference = _estimate_difference(first.values, second.values, test_per_train)
    values = float(first.values.mean()), float(second.values.mean())
    known = claims.conclude(values, difference, family, is_tested=not few_folds)
    return Comparison(
        **vars(known),
        method=_METHOD,
        metric=first.metric,
        basis=f"{first.values.size} folds",
        margin=claims.margin,
        models=names,
        folds=(tuple(first.values.tolist()), tuple(second.values.tolist())),
        notes=few_folds,
    )


def _read_fold_scores(role: str, results: Any, metric: str | Metric | None) -> FoldScores:
    """Read what `cross_validate` returned, or the scores themselves. `role` is what errors call
    them, such as "a".
    """
    if hasattr(results, "cv_results_"):
        raise TypeError(f"{role} is a search. Pass it alone, as in compare_folds(search).")
    scores, folds = results, None
    if isinstance(results, Mapping):
        by_name = {key[5:]: results[key] for key in results if str(key).startswith("test_")}
        if not by_name:
            raise TypeError(
                f"{role} must be what cross_validate returned, with a key such as 'test_score'. "
                f"Got the keys {[*results]} instead. Pass several results by name as the only "
                "ones, as in compare_folds({'forest': a, 'boosting': b})."
            )
        if "indices" in results:
            folds = list(zip(results["indices"]["train"], results["indices"]["test"], strict=True))
        if metric is not None and [*by_name] == ["score"]:  # which doesn't say what it is
            scores = by_name["score"]
        else:
            metric = _choose_metric(role, [*by_name], metric)
            scores = by_name[metric]
    values = np.asarray(to_host(scores), dtype=float)
    if values.ndim != 1 or values.size < 2 or not np.isfinite(values).all():
        raise ValueError(
            f"{role} must have a score for each of at least two folds. Got "
            f"{format_value(scores)} instead."
        )
    return FoldScores(_get_title(metric or "score"), values, folds)


def _check_ways(ways: Mapping[str, FoldScores], sizes: Sizes) -> float:
    """Check that all ways to train have the same metric and folds as the first one, and return how
    many samples a fold tests for each that it trains on.
    """
    (first_role, first), *others = ways.items()
    n_train, n_test = sizes
    for role, way in others:
        both = f"{first_role} and {role}"
        if _identify_metric(way.metric) != _identify_metric(first.metric):
            raise ValueError(
                f"{both} must have the same metric, but have {first.metric!r} and {way.metric!r}."
            )
        if way.values.size != first.values.size:
            raise ValueError(
                f"{both} must have the same folds, but have {first.values.size} and "
                f"{way.values.size}."
            )
        if first.folds is not None and way.folds is not None:
            _check_same_folds((first_role, role), first.folds, way.folds)
    if first.folds is not None and all(way.folds is not None for _, way in others):
        n_trained, n_tested = _compute_mean_sizes(first.folds)
        n_train = n_trained if n_train is None else n_train
        n_test = n_tested if n_test is None else n_test
    if n_train is None or n_test is None:
        raise ValueError(
            "The sizes of the folds are unknown. Call cross_validate with return_indices=True, or "
            "pass n_train and n_test."
        )
    return n_test / n_train


def _choose_metric(role: str, names: Sequence[str | Metric], metric: Any) -> Any:
    """Return which of the names of metrics in `role` is that of the metric."""
    same = [
        name
        for name in names
        if metric is None or _identify_metric(name) == _identify_metric(metric)
    ]
    if not same or (metric is None and len(names) > 1):
        raise ValueError(
            f"{role} has the scores of {names}, so metric must be one of these. Got "
            f"{metric!r} instead."
        )
    # A Metric is no name: its scores are the first ones with a name of the same rule.
    return metric if metric in same else same[0]


def _get_title(metric: str | Metric) -> str:
    return metric.title if isinstance(metric, Metric) else metric


def _identify_metric(name: str | Metric) -> Rule | str:
    """Return the rule with this name, or the name itself if there is none."""
    if isinstance(name, Metric):
        return name.__name__ if isinstance(name.rule, GroupFunction) else name.rule
    with suppress(KeyError, TypeError):  # without an option that it needs, a name has no rule
        return parse_metric_name(name).rule()
    return name


def _check_same_folds(
    roles: tuple[str, str], folds_a: Sequence[Any], folds_b: Sequence[Any]
) -> None:
    """Check that both train and test on the same rows in each fold, in any order."""
    a, b = roles
    for number, (fold, fold_of_b) in enumerate(zip(folds_a, folds_b, strict=True)):
        if not all(map(np.array_equal, map(np.sort, fold), map(np.sort, fold_of_b))):
            raise ValueError(
                f"{a} and {b} have different folds: fold {number} has other samples in {a} than in "
                f"{b}. Pass the same cv to cross_validate for both, with random_state=0 if it "
                "shuffles."
            )


def _compute_mean_sizes(folds: Sequence[tuple[Any, Any]]) -> tuple[float, float]:
    """Return how many rows the folds have for training and for testing, which can be masks."""
    sizes = []
    for fold in folds:
        train, test = map(np.asarray, fold)
        sizes.append([rows.sum() if rows.dtype == bool else rows.size for rows in (train, test)])
    n_train, n_test = np.mean(sizes, axis=0).tolist()
    return n_train, n_test


# --- the candidates of a search -------------------------------------------------------------------


def compare_candidates(search: Any, metric: Any, sizes: Sizes, claims: Claims) -> SearchComparison:
    """Compare each candidate of a fitted search with the best one, in one family."""
    name, params, scores = _read_search(search, metric)
    n_folds, means = scores.shape[1], scores.mean(axis=1)
    test_per_train = _compute_test_per_train(search, n_folds, sizes)
    best, ranks = find_best(means), compute_ranks(means)
    few_folds = _find_few_folds(len(scores), n_folds, test_per_train, getattr(search, "cv", None))
    ways = [FoldScores(name, values, None) for values in scores]
    rows = []
    for place, way in enumerate(ways):
        row = SearchCandidate(params[place], float(means[place]), int(ranks[place]))
        row = replace(row, folds=tuple(way.values.tolist()))
        if place != best:
            names, family = (str(place), str(best)), len(ways) - 1
            of_both = way, ways[best]
            pair = _compare_two_ways(names, of_both, test_per_train, family, claims, few_folds)
            is_left = not pair.pvalue < compute_alpha(claims.level)
            row = with_difference(replace(row, may_be_best=is_left), pair)
        rows.append(row)
    basis = f"{n_folds} folds"
    level, margin = float(claims.level), claims.margin
    return SearchComparison(tuple(rows), level, _METHOD, name, basis, margin, few_folds)


def _read_search(search: Any, metric: Any) -> tuple[str, list[dict[str, Any]], Array]:
    """Return the name of the metric, the params of each candidate, and its score on each fold, of
    shape (n_candidates, n_folds).
    """
    results = getattr(search, "cv_results_", None)
    if results is None and hasattr(search, "error_score"):  # as searches have it
        check_is_fitted(search)
    if isinstance(search, Mapping) and "params" in search:
        raise TypeError("compare_folds needs the search itself in place of its cv_results_.")
    if results is None or "params" not in results:
        raise TypeError(
            "compare_folds needs a fitted search such as GridSearchCV, or the folds of at least "
            "two ways to train, as in compare_folds({'forest': a, 'boosting': b}). Got "
            f"{format_value(search)} alone instead."
        )
    if "n_resources" in results:
        raise ValueError(
            "The candidates of a search by successive halving saw different rows, so their scores "
            "can't be compared. Use GridSearchCV or RandomizedSearchCV."
        )
    start, params = "split0_test_", [dict(candidate) for candidate in results["params"]]
    names = [key.removeprefix(start) for key in results if key.startswith(start)]
    refit = getattr(search, "refit", None)
    if metric is None and refit in names:
        metric = refit
    if names == ["score"]:  # which doesn't say what it is
        name = "score"
        known = _find_metric(search)
        if known is not None:
            metric = _choose_metric("The search", [known], metric)
        elif metric is None:
            metric = name
    else:
        name = _choose_metric("The search", names, metric)
        metric = name
    pattern = rf"split\d+_test_{re.escape(name)}"
    folds = [key for key in results if re.fullmatch(pattern, key)]
    scores = np.array([results[fold] for fold in folds], dtype=float).T
    if min(scores.shape) < 2:
        raise ValueError(
            "A search needs at least two candidates and two folds. Got "
            f"{len(params)} and {len(folds)}."
        )
    has_failed = ~np.isfinite(scores)
    if has_failed.any():
        first = int(has_failed.any(axis=1).argmax())
        failed = ", ".join(folds[place] for place in np.flatnonzero(has_failed[first]))
        raise ValueError(
            f"The candidate {format_value(params[first])} has no score on {failed}. To see why, "
            "pass error_score='raise' to the search. Fit it again without what fails."
        )
    return _get_title(metric), params, scores


def _find_metric(search: Any) -> str | Metric | None:
    """Return the metric of a search with a single scorer; None if that has no name."""
    scoring = getattr(search, "scoring", None)
    if isinstance(scoring, str):
        return scoring
    metric: Metric | None = getattr(getattr(search, "scorer_", None), "metric", None)
    return metric


def _compute_test_per_train(search: Any, n_folds: int, sizes: Sizes) -> float:
    """Return how many samples a fold tests for each that it trains on, by default as the `cv` of
    the search says.
    """
    n_train, n_test = sizes
    if n_train is not None and n_test is not None:
        return n_test / n_train
    cv, ratio = getattr(search, "cv", "unknown"), None
    if sizes == (None, None):
        if cv is None or isinstance(cv, (Integral, *_K_FOLDS)):
            ratio = 1 / (n_folds - 1)
        elif isinstance(cv, _REPEATED):
            ratio = 1 / (n_folds // cv.n_repeats - 1)
        elif isinstance(cv, model_selection.BaseShuffleSplit):
            ratio = _compute_ratio_of_shuffles(cv)
        elif isinstance(cv, list | tuple):
            n_train, n_test = _compute_mean_sizes(cv)
            ratio = n_test / n_train
    if ratio is None:
        raise ValueError(
            "The sizes of the folds are unknown. Pass both n_train and n_test, the numbers of "
            "samples for training and for testing in each fold, or their means."
        )
    return ratio


def _compute_ratio_of_shuffles(cv: Any) -> float | None:
    """Return the ratio of the sizes that a ShuffleSplit has: fractions, counts or None. A count
    alone or beside a fraction doesn't tell it.
    """
    train, test = cv.train_size, cv.test_size
    if train is None and test is None:  # as documented in scikit-learn
        test = 0.2 if isinstance(cv, model_selection.GroupShuffleSplit) else 0.1
    train = 1 - test if train is None else train
    test = 1 - train if test is None else test
    return float(test / train) if (train < 1) == (test < 1) else None


# Users import the results from where the functions are that return them.
SearchComparison.__module__ = "sklearn_ap.inference"
