"""What searches and cross-validations returned: the scores of candidates on the same folds."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from .._core import Array, Metric, Rule, capitalize, write_title
from .._core import metric as make_metric
from .._core.steps import read_column_or_matrix, read_numbers

ADVICE_FOR_SEEDS = (
    "Put the predictions of all seeds below one another in a table, and call compare(..., "
    "groups='seed', clusters=['row', 'seed'])."
)
_MIN_FREEDOM = 4  # with less, three or more ways to train can't be told apart


@dataclass(frozen=True)
class Folds:
    """Scores of several ways to train on the same folds."""

    names: list[Any]  # of the ways; numbers, if they are candidates of a search
    scores: Array  # (n_ways, n_folds)
    title: str
    ratio: float  # n_test/n_train
    params: list[dict[str, Any]] | None = None  # of candidates
    cv: Any = None

    @property
    def freedom(self) -> float:
        """k - 1 for k folds, repeated or not."""
        n_folds: int = self.scores.shape[1]
        return max(min(n_folds - 1.0, 1 / self.ratio), 1.0)

    @property
    def are_enough(self) -> bool:
        """Whether they can tell ways to train apart."""
        return len(self.names) < 3 or self.freedom >= _MIN_FREEDOM

    def find(self, baseline: Any) -> int:
        """Return the place of a name, or of the only candidate that has these params."""
        if self.params is None or not isinstance(baseline, Mapping):
            check_baseline(baseline, dict.fromkeys(self.names))
            return self.names.index(baseline)
        places = range(len(self.params))
        found = [place for place in places if baseline.items() <= self.params[place].items()]
        if len(found) != 1:
            fits = f"baseline={baseline!r} fits {len(found)} of {self.params}"
            raise ValueError(f"{fits} in place of one.")
        return found[0]


def check_baseline(baseline: Any, models: Mapping[Any, Any]) -> None:
    """Refuse a baseline that is none of the models."""
    try:
        is_known = baseline in models
    except TypeError:  # It can't be hashed.
        is_known = False
    if not is_known:
        raise ValueError(f"baseline={baseline!r} is none of the models {[*models]}.")


def read_folds(
    results: Any, metric: str | Metric | None, n_train: float | None, n_test: float | None
) -> Folds:
    """Read a search, its `cv_results_`, or the scores of several ways to train by name."""
    if metric is not None and not isinstance(metric, str | Metric):
        raise TypeError(f"metric must be the name of a metric, or an object of it. Got {metric!r}.")
    ratio = None if n_train is None or n_test is None else n_test / n_train
    if hasattr(results, "trials_"):
        cv_results = collect_trials(results.trials_)
    else:
        cv_results = getattr(results, "cv_results_", results)
    if isinstance(cv_results, Mapping) and "params" in cv_results:
        return read_search(results, cv_results, metric, ratio)
    if not isinstance(results, Mapping) or len(results) < 2 or "test_score" in results:
        raise TypeError(
            "compare_folds needs a fitted search, or the folds of at least two ways to train, as "
            "in compare_folds({'forest': a, 'boosting': b})."
        )
    return read_ways(results, metric, ratio)


def collect_trials(trials: Sequence[Any]) -> dict[str, Any]:
    """Return the completed trials of Optuna's search, whose `cv_results_` lacks their params."""
    done = [trial for trial in trials if trial.state.name == "COMPLETE"]
    results: dict[str, Any] = {"params": [trial.params for trial in done]}
    for name in done[0].user_attrs if done else ():
        results[name] = [trial.user_attrs[name] for trial in done]
    return results


def read_search(
    search: Any, results: Mapping[str, Any], metric: str | Metric | None, ratio: float | None
) -> Folds:
    """Read the scores of the candidates of a search."""
    if "n_resources" in results:
        raise ValueError("The candidates of a halving search can't be compared: their rows differ.")
    params = [dict(each) for each in results["params"]]
    start = "split0_test_"
    names = [key.removeprefix(start) for key in results if key.startswith(start)]
    name = "score"
    if names == [name]:  # It doesn't say what it is.
        scorer = getattr(search, "scorer_", None)
        scoring = getattr(scorer, "metric", getattr(search, "scoring", None))
        title = choose_single(scoring, metric)
    else:
        refit = getattr(search, "refit", None)
        if metric is None and isinstance(refit, str):
            metric = refit
        title = name = choose_name(names, metric, "The search")
    folds = [key for key in results if key.startswith("split") and key.endswith(f"_test_{name}")]
    scores = np.array([results[f"split{place}_test_{name}"] for place in range(len(folds))], float)
    if min(scores.shape) < 2:
        raise ValueError(f"A search needs two candidates and two folds. Got {scores.shape[::-1]}.")
    is_known = np.isfinite(scores).all(axis=0)
    if not is_known.all():
        if not np.isfinite(scores).any():
            raise ValueError(
                "No candidate has a score on any fold. If the positive class isn't labeled 1, name "
                "it in the scorer, as in make_ap_scorer(pos_label='fraud'). Otherwise, pass "
                "error_score='raise' to the search to see why."
            )
        first = params[int(np.argmin(is_known))]
        raise ValueError(
            f"The candidate {first} has no score on some folds. To see why, pass "
            "error_score='raise' to the search."
        )
    cv = getattr(search, "cv", "unknown")
    if isinstance(cv, list | tuple):
        refuse_seeds([read_rows(test) for _, test in cv])
    if ratio is None:
        ratio = check_ratio(find_ratio(cv, len(folds)))
    return Folds([*range(len(params))], scores.T, make_title(title, metric), ratio, params, cv)


def choose_single(scoring: Any, metric: str | Metric | None) -> str | Metric:
    """Return what the only score of a search is called."""
    if not isinstance(scoring, str | Metric):
        return "score" if metric is None else metric
    if metric is not None and find_rule(metric) != find_rule(scoring):
        raise ValueError(f"The search has the scores of {scoring!r}. Got metric={metric!r}.")
    return scoring


def choose_name(names: Sequence[str], metric: str | Metric | None, what: str) -> str:
    """Return which of the names is that of the metric, maybe written in another way."""
    if metric is None and len(names) == 1:
        return names[0]
    if isinstance(metric, str) and metric in names:
        return metric
    same = [name for name in names if metric is not None and find_rule(name) == find_rule(metric)]
    if not same:
        raise ValueError(
            f"{what} has the scores of {[*names]}: pass one of them as metric=. Got {metric!r}."
        )
    return same[0]


def find_rule(metric: str | Metric) -> Rule | str:
    """Return the rule that a metric is, or the name of one that isn't ours."""
    if isinstance(metric, Metric):
        return metric.rule
    try:
        return make_metric(metric).rule
    except (ValueError, TypeError):  # other names, or ours without a number that they need
        return metric


def make_title(name: str | Metric, metric: str | Metric | None) -> str:
    """Write as a title what scores are called: by the metric that was passed, or as in results."""
    if isinstance(name, str) and name == metric:
        with suppress(ValueError, TypeError):  # if it's one of ours
            name = make_metric(name)
    if isinstance(name, Metric):
        return write_title(name, name.is_mean)
    return capitalize(name.replace("_", " "))


def find_ratio(cv: Any, n_folds: int) -> float | None:
    """Return n_test/n_train, if a splitter tells it."""
    if cv is None or isinstance(cv, Integral) or type(cv).__name__.endswith("KFold"):
        return 1 / (n_folds // getattr(cv, "n_repeats", 1) - 1)
    if isinstance(cv, list | tuple):
        return compute_ratio([each[0] for each in cv], [each[1] for each in cv])
    return None


def check_ratio(ratio: float | None) -> float:
    """Refuse folds of unknown sizes."""
    if ratio is None:
        raise ValueError(
            "The sizes of the folds are unknown: pass n_train and n_test, or call cross_validate "
            "with return_indices=True."
        )
    return ratio


def refuse_seeds(tests: Sequence[Array]) -> None:
    """Refuse folds that all test the same rows, which tell nothing about other rows."""
    if len(tests) > 1 and all(np.array_equal(test, tests[0]) for test in tests[1:]):
        raise ValueError(
            f"All {len(tests)} folds test the same rows, so they are seeds, not folds. "
            f"{ADVICE_FOR_SEEDS}"
        )


def read_rows(part: Any) -> Array:
    """Return the rows of the training or test part of a fold, which are indices or a mask."""
    rows = np.asarray(part)
    return np.flatnonzero(rows) if rows.dtype == bool else np.sort(rows)


def compute_ratio(train: Sequence[Any], test: Sequence[Any]) -> float:
    """Compute n_test/n_train of folds."""
    n_train = sum(read_rows(part).size for part in train)
    n_test = sum(read_rows(part).size for part in test)
    return n_test / n_train


def read_ways(ways: Mapping[Any, Any], metric: str | Metric | None, ratio: float | None) -> Folds:
    """Read the scores of ways to train, which are arrays or what `cross_validate` returned."""
    scores, titles, folds = [], set(), []
    for name, way in ways.items():
        values = way
        if isinstance(way, Mapping):
            names = [key.removeprefix("test_") for key in way if str(key).startswith("test_")]
            chosen = "score"
            if names != ["score"]:
                chosen = choose_name(names, metric, repr(name))
            titles.add(metric if chosen == "score" and metric is not None else chosen)
            values = way[f"test_{chosen}"]
            if "indices" in way:
                folds.append(way["indices"])
        called = f"results[{name!r}]"
        numbers = read_numbers(read_column_or_matrix(values, called), called)
        scores.append(numbers.astype(float).reshape(np.shape(values)))
    if len(titles) > 1:
        raise ValueError(f"All ways must have the same metric. Got {sorted(map(str, titles))}.")
    shapes = {each.shape for each in scores}
    if len(shapes) > 1 or scores[0].ndim != 1 or scores[0].size < 2:
        raise ValueError(f"All ways need a score for each of the same folds. Got shapes {shapes}.")
    if not np.isfinite(scores).all():
        raise ValueError("All folds need a finite score.")
    for each in folds:
        refuse_seeds([read_rows(test) for test in each["test"]])
    for each in folds[1:]:
        pairs = zip(each["test"], folds[0]["test"], strict=True)
        if not all(np.array_equal(read_rows(test), read_rows(first)) for test, first in pairs):
            raise ValueError("The ways have different folds. Pass the same cv to cross_validate.")
    if ratio is None and len(folds) == len(scores):
        ratio = compute_ratio(folds[0]["train"], folds[0]["test"])
    title = make_title(titles.pop() if titles else metric or "score", metric)
    return Folds([*ways], np.array(scores), title, check_ratio(ratio))
