"""Scores on the folds of a cross-validation: how these were split, and what they tell.

Folds share training rows, so their scores aren't independent. docs/method.md has the corrected
t-test of Nadeau and Bengio, and how the best of many candidates is evaluated without its luck.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from .._core import Array, PerSample
from .claims import check_baseline
from .comparison import decide_verdict
from .textbook import ROUNDING, PerFold, TTest, compute_t_test

ADVICE_FOR_SEEDS = (
    "Put the predictions of all seeds below one another in a table, and call compare(..., "
    "groups='seed', clusters=['row', 'seed'])."
)
_MIN_DEGREES_OF_FREEDOM = 4  # With less, three or more ways to train can't be told apart.
_USUAL_DEGREES_OF_FREEDOM = 9  # ten folds
_N_DRAWS = 999


# --- schemes --------------------------------------------------------------------------------------


def find_scheme(cv: Any, n_folds: int, ratio: float | None = None) -> tuple[float, str]:
    """Return n_test/n_train of `cv` as searches have it, which is a number, a splitter, or a list
    of splits; and a splitter that makes more folds.

    A number and k-fold splitters, repeated or not, split rows into equal parts. Of other splitters,
    the sizes of folds have to be known from elsewhere.
    """
    kind = type(cv).__name__
    if ratio is None and isinstance(cv, list | tuple):
        sizes = [(read_rows(train).size, read_rows(test).size) for train, test in cv]
        n_train, n_test = np.sum(sizes, axis=0).tolist()
        ratio = n_test / n_train
    elif ratio is None and (cv is None or isinstance(cv, Integral) or kind.endswith("KFold")):
        ratio = 1 / (n_folds // getattr(cv, "n_repeats", 1) - 1)
    if ratio is None:
        raise ValueError(
            "The sizes of the folds are unknown: pass n_train and n_test, or call cross_validate "
            "with return_indices=True."
        )
    more = "RepeatedStratifiedKFold(n_splits=10, n_repeats=3)"
    if "Group" in kind or "TimeSeries" in kind:
        more = f"{kind}(n_splits=10)"
    return ratio, more


def read_rows(part: Any) -> PerSample:
    """Return the rows of the training or test part of a fold, which are indices or a mask."""
    rows = np.asarray(part)
    return np.flatnonzero(rows) if rows.dtype == bool else np.sort(rows)


def refuse_seeds(splits: Sequence[tuple[Any, Any]]) -> None:
    """Refuse folds that all test the same rows, which tell nothing about other rows."""
    first, *others = [read_rows(test) for _, test in splits]
    if others and all(np.array_equal(test, first) for test in others):
        raise ValueError(
            f"All {len(splits)} folds test the same rows, so they are seeds, not folds. "
            f"{ADVICE_FOR_SEEDS}"
        )


# --- ways to train --------------------------------------------------------------------------------


@dataclass(frozen=True)
class FoldScores:
    """Scores of several ways to train on the same folds.

    If each row is tested once in k folds, n_test/n_train is 1/(k - 1). Repeats of that have more
    folds, but test the same rows.
    """

    names: list[Any]  # those of the ways; numbers, if they are candidates of a search
    scores: PerFold  # (n_ways, n_folds)
    title: str
    ratio: float  # n_test/n_train
    with_more_folds: str  # a splitter
    params: list[dict[str, Any]] | None = None  # parameters of candidates

    @property
    def means(self) -> Array:
        return np.asarray(self.scores.mean(axis=1))

    @property
    def n_folds(self) -> int:
        return int(self.scores.shape[1])

    @property
    def degrees_of_freedom(self) -> float:
        """k - 1 for k folds, repeated or not."""
        return max(min(self.n_folds - 1.0, 1 / self.ratio), 1.0)

    @property
    def n_repeats(self) -> int:
        """How often rows were split into k folds, 1 if these folds aren't whole repeats."""
        k = round(self.degrees_of_freedom) + 1
        return 1 if self.n_folds % k else self.n_folds // k

    @property
    def are_enough(self) -> bool:
        """Whether there are enough folds to tell the ways apart."""
        return len(self.names) < 3 or self.degrees_of_freedom >= _MIN_DEGREES_OF_FREEDOM

    @property
    def n_comparisons(self) -> int:
        """How many comparisons with a baseline p and intervals are adjusted for."""
        return len(self.names) - 1 if self.are_enough else 1

    def find_baseline(self, baseline: Any) -> int:
        """Return the place of a name, or of the only candidate that has these params."""
        if self.params is None or not isinstance(baseline, Mapping):
            check_baseline(baseline, dict.fromkeys(self.names))
            return self.names.index(baseline)
        places = range(len(self.params))
        matches = [place for place in places if baseline.items() <= self.params[place].items()]
        if len(matches) != 1:
            fits = f"baseline={baseline!r} fits {len(matches)} of {self.params}"
            raise ValueError(f"{fits} in place of one.")
        return matches[0]

    def find_ranks(self) -> list[int]:
        """Return the rank of each way, 1 for the best ones."""
        means = self.means
        noise = ROUNDING * np.abs(means).max()
        return [1 + int(np.sum(means > mean + noise)) for mean in means]

    def judge_way(
        self, place: int, base: int, level: float, margin: float | None
    ) -> tuple[TTest, str]:
        """Test the mean difference of a way from the baseline by the corrected t-test, and decide
        on the verdict. If folds are too few for that, only the difference is known.

        The standard error of a mean over n folds is S^2 = (1/n + n_test/n_train) s^2.
        """
        scores = self.scores[[place, base]]
        differences = scores[0] - scores[1]
        difference, variance = float(differences.mean()), differences.var(ddof=1)
        error = float(np.sqrt((1 / self.n_folds + self.ratio) * variance))
        noise = ROUNDING * np.abs(scores).max()
        if error <= noise:
            difference, error = difference if abs(difference) > noise else 0.0, 0.0
        if not self.are_enough:
            return TTest(difference=difference), ""
        largest = 1.0 if scores.min() >= 0 and scores.max() <= 1 else np.inf
        test = compute_t_test(
            difference, error, self.degrees_of_freedom, level, self.n_comparisons, largest
        )
        test = replace(test, margin_low=test.low, margin_high=test.high, least_margin=0.0)
        return test, decide_verdict(test, margin)

    def describe_test(self) -> str:
        basis = f"corrected t-test, {self.n_folds} folds"
        if self.degrees_of_freedom < self.n_folds - 1:  # repeated folds
            basis += f" (df {self.degrees_of_freedom:g})"
        return basis if self.params is None else f"{len(self.params):,} candidates, {basis}"

    def list_notes(self) -> list[str]:
        """Say what more folds would do."""
        n_folds, n_ways, more = self.n_folds, len(self.names), self.with_more_folds
        if self.are_enough and self.degrees_of_freedom >= _USUAL_DEGREES_OF_FREEDOM:
            return []
        if self.are_enough:
            return [f"{n_folds} folds only show large differences: cv={more} shows smaller ones."]
        notes = [f"{n_folds} folds are too few to compare {n_ways} ways to train: use cv={more}."]
        if self.params is None:
            notes.append(f"Seeds on the same rows aren't folds. {ADVICE_FOR_SEEDS}")
        return notes

    def correct_best(self) -> float:
        """Return what the best way has on folds that didn't choose it.

        Folds are drawn with replacement, and the best way on these is evaluated on the others.
        Repeats test the same rows, so each one is drawn by itself.
        """
        k = self.n_folds // self.n_repeats
        times = np.random.default_rng(0).multinomial(k, np.full(k, 1 / k), _N_DRAWS)
        times = times[(times == 0).any(axis=1)]
        values = []
        for repeat in np.split(self.scores, self.n_repeats, axis=1):
            best = np.argmax(repeat @ times.T, axis=0)
            values.append(np.average(repeat[best], axis=1, weights=times == 0).mean())
        return min(float(np.mean(values)), float(self.means.max()))
