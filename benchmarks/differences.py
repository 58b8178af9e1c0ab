"""Measure intervals of real differences: at a margin, of trained models, and of odd scores.

Run it with python -m benchmarks.differences. "Tested" is the interval without what only moves its
far end, which is the one that p-values belong to.
"""

import argparse
import warnings
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import laplace
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import average_precision_score, compare

from .coverage import truth

LARGE = 200_000  # samples of each class that stand for the population


@dataclass(frozen=True)
class Normal:
    """Two models with normal scores, of which the first one is worse by a margin, or equally good.

    `goal` is the average precision of the second one, or its distance between the classes.
    """

    n_positives: int
    share: float
    margin: float = 0.0
    correlation: float = 0.8
    apart: float = 0.0
    goal: float = 0.0

    @property
    def what(self):
        of = f"{self.goal:g}" if self.goal else f"{truth(self.share, self.apart):.2f}"
        margin = f", margin {self.margin:g}, correlation {self.correlation:g}" * bool(self.margin)
        return f"{self.n_positives} positives, {self.share:.0%}, average precision {of}{margin}"

    @property
    def true(self):
        return -self.margin

    @property
    def distances(self):
        goal = self.goal or truth(self.share, self.apart)
        return [_apart_for(self.share, each) for each in (goal - self.margin, goal)]

    def draw(self, rng):
        y = np.arange(round(self.n_positives / self.share)) < self.n_positives
        shared, *own = rng.standard_normal((3, y.size))
        rho = self.correlation
        noise = [np.sqrt(rho) * shared + np.sqrt(1 - rho) * each for each in own]
        return y, *(each + apart * y for each, apart in zip(noise, self.distances, strict=True))


@cache
def _apart_for(share, goal):
    return brentq(lambda apart: truth(share, apart) - goal, -4, 9)


AT_MARGIN = [
    Normal(50, 0.1, 0.05, 0.6, 1.8), Normal(50, 0.1, 0.1, 0.9, 1.8),
    Normal(200, 0.1, 0.03, 0.9, 2.0), Normal(50, 0.02, 0.1, 0.6, 2.5),
    Normal(200, 0.02, 0.05, 0.9, 2.5), Normal(50, 0.5, 0.05, 0.6, 2.0),
    Normal(50, 0.5, 0.1, 0.9, 1.5), Normal(200, 0.5, 0.03, 0.6, 1.5),
    Normal(200, 0.5, 0.03, 0.9, 2.5),
]  # fmt: skip
EQUAL = [
    *(Normal(50, 0.02, goal=goal) for goal in (0.6, 0.9, 0.97)),
    *(Normal(50, 0.1, goal=goal) for goal in (0.6, 0.9, 0.97)),
    *(Normal(50, 0.5, goal=goal) for goal in (0.7, 0.85, 0.96)),
]


@dataclass(frozen=True)
class Odd:
    """An equally good model whose scores have another shape, beside one with normal scores, with
    which they are correlated within each class.
    """

    what: str
    apart: float = 2.0
    n_positives: int = 50
    share: float = 0.5
    true = 0.0

    def scores(self, rng, y, noise, apart):
        """Give normal noise another shape, and move the positives."""
        if self.what == "Laplace":
            noise = laplace.ppf(ndtr(noise))
        if self.what == "log-normal":
            noise = np.exp(noise)
        is_high = y
        if self.what == "5% of negatives look positive":
            is_high = y | (rng.random(y.size) < 0.05)
        scores = noise + apart * is_high
        return np.round(scores) if self.what == "whole numbers" else scores

    def draw(self, rng):
        y = np.arange(round(self.n_positives / self.share)) < self.n_positives
        shared, *own = rng.standard_normal((3, y.size))
        one, other = (np.sqrt(0.9) * shared + np.sqrt(0.1) * each for each in own)
        return y, self.scores(rng, y, one, _apart_of(self)), other + self.apart * y


@cache
def _apart_of(odd):
    """Return the distance between the classes at which it is as good."""
    y, goal = np.arange(2 * LARGE) < LARGE, truth(0.5, odd.apart)

    def beyond(apart):
        rng = np.random.default_rng(0)
        scores = odd.scores(rng, y, rng.standard_normal(y.size), apart)
        return average_precision_score(y, scores) - goal

    return brentq(beyond, 0, 20, xtol=1e-3)


SHAPES = [
    Odd(what, apart)
    for what in ("Laplace", "log-normal", "5% of negatives look positive", "whole numbers")
    for apart in (1.0, 2.0)
]


@dataclass(frozen=True)
class Trained:
    """Rows that two models weren't fitted on, of which test sets are drawn."""

    data: str
    models: tuple[str, str]
    n_rows: int = 200

    @property
    def what(self):
        return f"{self.data}: {' and '.join(self.models)}"

    @property
    def true(self):
        y, scores = fitted(self.data)
        a, b = (average_precision_score(y, scores[model]) for model in self.models)
        return a - b

    def draw(self, rng):
        y, scores = fitted(self.data)
        rows = rng.integers(y.size, size=self.n_rows)
        return y[rows], *(scores[model][rows] for model in self.models)


def _made(share, apart, seed):
    options = {"n_informative": 5, "weights": [1 - share], "class_sep": apart}
    return make_classification(1500, 20, random_state=seed, **options)


DATA = {
    "benign tumors": lambda: load_breast_cancer(return_X_y=True),
    "malignant tumors": lambda: (load_breast_cancer().data, 1 - load_breast_cancer().target),
    **{f"digit {each}": each for each in (3, 8, 9)},
    "even digits": lambda: (load_digits().data, 1 - load_digits().target % 2),
    "made, half, 1": lambda: _made(0.5, 1.0, 0),
    "made, 10%, 1": lambda: _made(0.1, 1.0, 1),
    "made, 30%, 0.5": lambda: _made(0.3, 0.5, 2),
    "made, half, 2": lambda: _made(0.5, 2.0, 3),
}
FITTED = {
    "neighbors": lambda: make_pipeline(StandardScaler(), KNeighborsClassifier(9)),
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": lambda: RandomForestClassifier(50, random_state=0),
    "bayes": GaussianNB,
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
}


@cache
def fitted(name):
    """Return the labels, and the scores by model, of the rows that models weren't fitted on."""
    given = DATA[name]
    X, y = given() if callable(given) else (load_digits().data, load_digits().target == given)
    order = np.random.default_rng(0).permutation(y.size)
    used, others = np.split(order, [100 if "tumors" in name else 200])
    models = {model: make().fit(X[used], y[used]) for model, make in FITTED.items()}
    scores = {model: each.predict_proba(X[others])[:, 1] for model, each in models.items()}
    return y[others].astype(int), scores


PAIRS = [Trained(data, models) for data in DATA for models in combinations(FITTED, 2)]


def judged(cell, repeats):
    """Return how often the true value is below, above and inside of the interval, and the mean
    width, with all of the ends and as tested, and how often models are equivalent with a margin of
    0.1 by both, and significantly different.
    """
    found = []
    for seed in range(repeats):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one = compare(*cell.draw(np.random.default_rng([2026, seed])))
        row = []
        for low, high in ((one.low, one.high), one.source.tested):
            row += [cell.true < low, cell.true > high, high - low, -0.1 < low and high < 0.1]
        found.append([*row, one.pvalue < 0.05])
    return np.mean(found, axis=0)


def tables(repeats):
    cells = [*AT_MARGIN, *EQUAL, *SHAPES, *PAIRS]
    rates = Parallel(-1)(delayed(judged)(cell, repeats) for cell in cells)
    of = dict(zip(cells, rates, strict=True))
    yield [
        "worse by the margin",
        "called no worse",
        "as tested",
        "other side",
        "width",
        "as tested",
    ]
    for cell in AT_MARGIN:
        below, above, width, _, tested, _, narrow, *_ = of[cell]
        yield [cell.what, *(f"{each:.3f}" for each in (below, tested, above, width, narrow))]
    yield ["equally good", "p < 0.05", "width", "as tested", "equivalent, 0.1", "as tested"]
    for cell in EQUAL:
        _, _, width, equivalent, _, _, narrow, before, alarms = of[cell]
        each = alarms, width, narrow, equivalent, before
        yield [cell.what, *(f"{value:.3f}" for value in each)]
    yield ["equally good, normal and", "p < 0.05"]
    for cell in SHAPES:
        goal = truth(cell.share, cell.apart)
        yield [f"{cell.what}, average precision {goal:.2f}", f"{of[cell][-1]:.3f}"]
    covered = {pair: 1 - of[pair][0] - of[pair][1] for pair in PAIRS}
    before = [1 - of[pair][4] - of[pair][5] for pair in PAIRS]
    few, earlier = (sum(each < 0.92 for each in rates) for rates in (covered.values(), before))
    yield [f"{len(PAIRS)} pairs", "coverage", f"{few} below 0.92, {earlier} as tested"]
    for pair in sorted(covered, key=covered.get)[:10]:
        yield [pair.what, f"{covered[pair]:.3f}", f"{pair.true:+.3f}"]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.differences", description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000, help="data sets per row")
    for row in tables(parser.parse_args(arguments).repeats):
        print(f"| {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main()
