"""Measure how often `compare_folds` leaves out the truly best candidate of a search.

Run it with python -m benchmarks.searches. Each candidate is a classifier that adds up its features,
weighted by the differences between the means of both classes in the training data, and is evaluated
by average precision. A fifth of the samples is positive, and folds are stratified. The first
candidate is the truly best one, alone or with all others. Beside a single winner, all others are
equally good. Its mean difference from each of them is twice the standard deviation of a fold's
difference. Near copies share five features, and have a weak one of their own.
"""

import argparse
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
from scipy.optimize import brentq

from benchmarks.coverage import drawn_in_parallel
from sklearn_ap.core.operating_points import from_rows
from sklearn_ap.core.rules import Step
from sklearn_ap.inference import compare_folds

FOLDS = (5, 1), (5, 2), (10, 10)  # the number of folds, and how often they are repeated
CANDIDATES = 4, 20
SAMPLES = 200, 500
_PILOTS = 200  # data sets from which it follows how much better a winner is


@dataclass(frozen=True)
class Search:
    """Features of unit variance whose mean is higher by `signal` for positives, shared by all
    candidates or their `own`. Those of the first candidate are `better` by so much.
    """

    what: str
    n_shared: int = 0
    n_own: int = 5
    signal: float = 0.5
    own_signal: float = 0.5
    better: float = 0.0
    n_candidates: int = 4
    n_samples: int = 500
    n_folds: int = 5
    n_repeats: int = 1

    def draw(self, rng):
        """Return the value of each candidate on each fold, of shape (n_candidates, n_splits)."""
        y = np.arange(self.n_samples) < self.n_samples // 5
        n_features = self.n_shared + self.n_candidates * self.n_own
        above = np.full(n_features, self.own_signal)
        above[: self.n_shared] = self.signal
        above[self.n_shared : self.n_shared + self.n_own] += self.better
        X = rng.standard_normal((self.n_samples, n_features)) + above * y[:, np.newaxis]
        signed = np.where(y, 1 / y.sum(), -1 / (~y).sum())[:, np.newaxis] * X
        values = []
        for _ in range(self.n_repeats):
            classes = [rng.permutation(np.flatnonzero(each)) for each in (y, ~y)]
            tests = np.hstack([rows.reshape(self.n_folds, -1) for rows in classes])
            weights = signed.sum(axis=0) - signed[tests].sum(axis=1)  # but for a factor
            parts = X[tests] * weights[:, np.newaxis]
            shape = *tests.shape, self.n_candidates, self.n_own
            scores = parts[:, :, self.n_shared :].reshape(shape).sum(axis=-1)
            scores += parts[:, :, : self.n_shared].sum(axis=-1, keepdims=True)
            rows = np.moveaxis(scores, -1, 0).reshape(-1, tests.shape[1])
            labels = np.tile(y[tests], (self.n_candidates, 1))
            of_rows = Step().values(from_rows(labels, rows))
            values.append(of_rows.reshape(self.n_candidates, self.n_folds))
        return np.hstack(values)

    def distance(self):
        """Return by how many standard deviations of a fold's difference the first of two is better.

        Repeats change neither of them.
        """
        one = replace(self, n_candidates=2, n_repeats=1)
        differences = np.array(
            [np.subtract(*one.draw(np.random.default_rng(i))) for i in range(_PILOTS)]
        )
        return differences.mean() / np.sqrt(differences.var(axis=1, ddof=1).mean())

    def with_winner(self, distance=2.0):
        """Let the first candidate be better by this distance from each other one."""

        def beyond(better):
            return replace(self, better=better).distance() - distance

        return replace(self, better=brentq(beyond, 0, 4, xtol=0.01))


SEARCHES = (
    Search("no signal", own_signal=0.0),
    Search("all equal"),
    Search("one winner"),
    Search("near copies", n_shared=5, n_own=1, own_signal=0.1),
)


def outcomes(rng, search):
    """Return whether the first candidate is left out, whether any is, and how many are left."""
    scores = search.draw(rng)
    params = [{"candidate": place} for place in range(search.n_candidates)]
    results = {f"split{place}_test_score": each for place, each in enumerate(scores.T)}
    fitted = SimpleNamespace(cv_results_={"params": params, **results})
    n_test = search.n_samples / search.n_folds
    best = compare_folds(fitted, n_train=search.n_samples - n_test, n_test=n_test).best
    return params[0] not in best, len(best) < len(params), len(best)


def searches(repeats):
    yield ["candidates", "number", "samples", "folds", "best is left out", "any is", "are left"]
    for search in SEARCHES:
        for n_samples in SAMPLES:
            for n_folds, n_repeats in FOLDS:
                given = replace(search, n_samples=n_samples, n_folds=n_folds, n_repeats=n_repeats)
                if search.what == "one winner":
                    given = given.with_winner()
                for n_candidates in CANDIDATES:
                    one = replace(given, n_candidates=n_candidates)
                    cells = drawn_in_parallel(outcomes, repeats, one)
                    missing, any_left_out, n_left = np.mean(cells, axis=0)
                    cell = [f"{missing:.3f}", f"{any_left_out:.3f}", f"{n_left:.1f}"]
                    yield [search.what, n_candidates, n_samples, f"{n_folds} x {n_repeats}", *cell]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.searches", description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000, help="data sets for each value")
    options = parser.parse_args(arguments)
    for number, line in enumerate(searches(options.repeats)):
        print(f"| {' | '.join(map(str, line))} |", flush=True)
        if not number:
            print("|---" * len(line) + "|")


if __name__ == "__main__":
    main()
