"""Measure intervals of real differences: at a margin, of trained models, of near copies, of models
that are perfect on a test set, and of odd scores.

Run it with python -m benchmarks.differences. All cells were written before they were run.
"""

import argparse
import warnings
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

import numpy as np
from joblib import Parallel, delayed
from scipy.optimize import brentq
from scipy.special import ndtr
from scipy.stats import laplace
from scipy.stats import t as student
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sklearn_ap import average_precision_score, compare

from .coverage import Population, truth

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

    kind: str
    goal: float  # average precision of both models
    n_positives: int = 50
    share: float = 0.5
    correlation: float = 0.9
    true = 0.0

    @property
    def what(self):
        of = f"{self.n_positives} positives, {self.share:.0%}, correlation {self.correlation:g}"
        return f"{self.kind}, average precision {self.goal:g}, {of}"

    def scores(self, rng, y, noise, apart):
        """Give normal noise another shape, and move the positives."""
        if self.kind == "t, 3 degrees of freedom":
            noise = student.ppf(ndtr(noise), 3)
        if self.kind == "Laplace":
            noise = laplace.ppf(ndtr(noise))
        if self.kind == "log-normal":
            noise = np.exp(noise)
        is_high = y
        if self.kind == "5% of negatives look positive":
            is_high = y | (rng.random(y.size) < 0.05)
        scores = noise + apart * is_high
        return np.round(scores) if self.kind == "whole numbers" else scores

    def draw(self, rng):
        y = np.arange(round(self.n_positives / self.share)) < self.n_positives
        shared, *own = rng.standard_normal((3, y.size))
        rho, apart = self.correlation, _apart_for(self.share, self.goal)
        one, other = (np.sqrt(rho) * shared + np.sqrt(1 - rho) * each for each in own)
        return y, self.scores(rng, y, one, _apart_of(self)), other + apart * y


@cache
def _apart_of(odd):
    """Return the distance between the classes at which it is as good."""
    y = np.arange(2 * LARGE) < 2 * LARGE * odd.share

    def beyond(apart):
        rng = np.random.default_rng(0)
        scores = odd.scores(rng, y, rng.standard_normal(y.size), apart)
        return average_precision_score(y, scores) - odd.goal

    return brentq(beyond, 0, 40, xtol=1e-3)


HEAVY = "t, 3 degrees of freedom", "log-normal"
SHAPES = [
    Odd(kind, goal, *sample)
    for kinds, goal, *sample in (
        (("Laplace", "log-normal", "5% of negatives look positive", "whole numbers"), 0.75),
        (("Laplace", "log-normal", "5% of negatives look positive", "whole numbers"), 0.92),
        (HEAVY, 0.95, 50, 0.1, 0.9),
        (HEAVY, 0.95, 200, 0.1, 0.9),
        (HEAVY, 0.9, 50, 0.02, 0.8),
        (HEAVY[1:], 0.8, 20, 0.02, 0.8),
    )
    for kind in kinds
]


@dataclass(frozen=True)
class Trained:
    """Rows that two models weren't fitted on, of which test sets are drawn.

    The first model is the worse one on all of these rows. There are three splits of the data.
    """

    data: str
    models: tuple[str, str]
    n_rows: int = 200
    split: int = 0

    @property
    def what(self):
        return f"{self.data}, {self.n_rows} rows: {' and '.join(self.models)}"

    @property
    def true(self):
        y, worse, better = worse_first(self)
        return average_precision_score(y, worse) - average_precision_score(y, better)

    def draw(self, rng):
        columns = worse_first(self)
        while True:
            rows = rng.integers(columns[0].size, size=self.n_rows)
            if 1 < columns[0][rows].sum() < self.n_rows:
                return [column[rows] for column in columns]


@cache
def worse_first(pair):
    """Return the labels, and the scores of the worse model and of the better one."""
    y, scores = fitted(pair.data, pair.split)
    of_models = [scores[model] for model in pair.models]
    return y, *sorted(of_models, key=lambda score: average_precision_score(y, score))


def _made(share, apart, seed, n_clusters=2):
    options = {"n_informative": 5, "weights": [1 - share], "class_sep": apart}
    return make_classification(
        1500, 20, random_state=seed, n_clusters_per_class=n_clusters, **options
    )


DATA = {  # with the numbers of rows of test sets
    "benign tumors": (lambda: load_breast_cancer(return_X_y=True), (100, 200, 400)),
    "malignant tumors": (
        lambda: (load_breast_cancer().data, 1 - load_breast_cancer().target),
        (100, 200, 400),
    ),
    "wine": (lambda: (load_wine().data, load_wine().target == 1), (100, 200)),
    "odd digits": (lambda: (load_digits().data, load_digits().target % 2), (100, 200, 400)),
    "digit 8": (lambda: (load_digits().data, load_digits().target == 8), (200, 400)),
    "made, half": (lambda: _made(0.5, 1.0, 0), (200, 400)),
    "made, 10%": (lambda: _made(0.1, 1.0, 1), (200, 400)),
    "made, many clusters": (lambda: _made(0.3, 1.0, 2, 8), (200, 400)),
}
FITTED = {
    "neighbors": lambda: make_pipeline(StandardScaler(), KNeighborsClassifier(9)),
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": lambda: RandomForestClassifier(50, random_state=0),
    "bayes": GaussianNB,
    "tree": lambda: DecisionTreeClassifier(max_depth=4, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=30, random_state=0),
}
N_FITTED = {"benign tumors": 100, "malignant tumors": 100, "wine": 60}


@cache
def fitted(name, split):
    """Return the labels, and the scores by model, of the rows that models weren't fitted on."""
    X, y = DATA[name][0]()
    order = np.random.default_rng(split).permutation(y.size)
    used, others = np.split(order, [N_FITTED.get(name, 200)])
    models = {model: make().fit(X[used], y[used]) for model, make in FITTED.items()}
    scores = {model: each.predict_proba(X[others])[:, 1] for model, each in models.items()}
    return y[others].astype(int), scores


PAIRS = [
    Trained(data, models, n_rows)
    for data, (_, sizes) in DATA.items()
    for n_rows in sizes
    for models in combinations(FITTED, 2)
]


@dataclass(frozen=True)
class NearCopy:
    """A model and a copy whose scores have some noise, as after quantizing or training again."""

    n_rows: int
    share: float
    goal: float  # average precision of the model
    noise: float  # standard deviations of the scores of a class

    @property
    def what(self):
        rows = f"{self.n_rows} rows, {self.share:.0%} positive"
        return f"{rows}, average precision {self.goal:g}, noise {self.noise:g}"

    @property
    def apart(self):
        return _apart_for(self.share, self.goal)

    @property
    def true(self):
        return truth(self.share, self.apart / np.hypot(1, self.noise)) - self.goal

    def draw(self, rng):
        y = np.arange(self.n_rows) < round(self.share * self.n_rows)
        score = rng.standard_normal(y.size) + self.apart * y
        return y, score + self.noise * rng.standard_normal(y.size), score


COPIES = [
    NearCopy(n_rows, share, goal, noise)
    for n_rows, share, goal in (
        (400, 0.5, 0.95), (400, 0.5, 0.8), (600, 0.1, 0.91), (1000, 0.1, 0.97)
    )
    for noise in (0.05, 0.2)
]  # fmt: skip


@dataclass(frozen=True)
class PerfectHere:
    """Test sets that lack the rare negatives by which the first model is worse, so that it's
    perfect on them.
    """

    n_rows: int
    share: float
    apart: float
    on_top: float = 0.0  # the fraction of negatives that rank above all others
    look_positive: float = 0.0  # the fraction of negatives with the scores of positives

    @property
    def what(self):
        rare = f"{self.on_top + self.look_positive:.1%}"
        kind = "on top" if self.on_top else "like positives"
        return f"{self.n_rows} rows, {self.share:.0%} positive, {rare} of negatives {kind}"

    @property
    def true(self):
        better = Population("", 1, self.share, self.apart)
        rare = {"on_top": self.on_top, "look_positive": self.look_positive}
        return replace(better, **rare).truth - better.truth

    def draw(self, rng):
        y = np.arange(self.n_rows) < round(self.share * self.n_rows)
        while True:
            worse, better = rng.standard_normal((2, y.size)) + self.apart * y
            worse[~y & (rng.random(y.size) < self.on_top)] += 1e6
            worse[~y & (rng.random(y.size) < self.look_positive)] += self.apart
            if worse[y].min() > worse[~y].max():
                return y, worse, better


PERFECT = [
    PerfectHere(100, 0.5, 6.0, on_top=0.02), PerfectHere(300, 0.1, 6.5, on_top=0.005),
    PerfectHere(200, 0.5, 6.5, on_top=0.01), PerfectHere(100, 0.2, 6.5, look_positive=0.02),
]  # fmt: skip


MARGIN = {NearCopy: 0.02}  # within which models are equivalent, or else 0.1


def judged(cell, repeats):
    """Return one row for each data set: whether the true value is below and above the interval, its
    width, whether the models are equivalent, the p-value, and whether the first one is "better".
    """
    found, margin, true = [], MARGIN.get(type(cell), 0.1), cell.true
    for seed in range(repeats):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            one = compare(*cell.draw(np.random.default_rng([2026, seed])))
        is_equivalent, is_better = -margin < one.low and one.high < margin, one.low > 0
        row = true < one.low, true > one.high, one.high - one.low, is_equivalent
        found.append([*row, one.pvalue, is_better])
    return np.array(found)


def rates(cell, repeats):
    """Return the means, with how often p is below 0.05 in place of p-values."""
    found = judged(cell, repeats)
    found[:, 4] = found[:, 4] < 0.05
    return found.mean(axis=0)


def tables(repeats):
    cells = [*AT_MARGIN, *EQUAL, *SHAPES, *COPIES, *PERFECT]
    trained = [replace(pair, split=split) for split in range(3) for pair in PAIRS]
    means = Parallel(-1)(delayed(rates)(cell, repeats) for cell in [*cells, *trained])
    of = dict(zip([*cells, *trained], means, strict=True))
    names = "called no worse", "beyond the other end", "width", "equivalent", "p < 0.05"
    for kind in (AT_MARGIN, EQUAL, SHAPES, COPIES, PERFECT):
        yield ["population", *names]
        for cell in kind:
            yield [cell.what, *(f"{of[cell][i]:.3f}" for i in range(5))]
    yield ["trained models, mean of the splits", "cells", "coverage", "below 0.92", "no worse",
           "worst tenth", "better", "width"]  # fmt: skip
    of_pairs = np.array(means[len(cells) :]).reshape(3, len(PAIRS), -1)
    for name in [*DATA, "all"]:
        of_data = of_pairs[:, [name in ("all", pair.data) for pair in PAIRS]]
        covered, no_worse = 1 - of_data[..., 0] - of_data[..., 1], np.sort(of_data[..., 0])
        n_cells = of_data.shape[1]
        worst = no_worse[:, -max(n_cells // 10, 1) :].mean()
        shown = no_worse.mean(), worst, *(of_data[..., i].mean() for i in (5, 2))
        few = f"{(covered < 0.92).sum() / 3:.1f}"
        yield [name, n_cells, f"{covered.mean():.3f}", few, *(f"{each:.3f}" for each in shown)]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.differences", description=__doc__)
    parser.add_argument("--repeats", type=int, default=1000, help="data sets per row")
    for row in tables(parser.parse_args(arguments).repeats):
        print(f"| {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    main()
