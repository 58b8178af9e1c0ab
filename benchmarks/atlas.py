"""Measure where intervals, comparisons and promises hold, and where those that people use do.

Run it with python -m benchmarks atlas. `CELLS` has all populations, metrics and questions, which
were written before the first run. All methods get the same data sets. The counts are in atlas.csv,
and a run goes on from there, so delete it to begin anew.
"""

import argparse
import csv
import time
import warnings
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from joblib import Parallel, delayed
from scipy.special import expit, logit
from scipy.stats import t as student
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_ap import compare, confidence_interval, metric, operating_point
from sklearn_ap._show.figures import BLUE, ORANGE

from .coverage import (
    MODELS,
    FewObjects,
    FixedClasses,
    Pair,
    Population,
    Queries,
    Thinned,
    UnequalClusters,
    UnequalGroups,
    apart_for,
    truth,
)
from .promises import RECALL, Accounts, Amounts, Rounded, Truth

RESULTS = Path(__file__).with_name("atlas.csv")
PICTURE = Path(__file__).parents[1] / "docs" / "atlas.svg"
LEVEL, GOOD = 0.95, (0.93, 0.98)
ROUNDS = 40  # after each, all cells have equally many of the data sets that they need
N_RESAMPLES = 499
LARGE = 10**6  # rows, or 20,000 queries, of data sets that stand for the population
N_SAME_SIZE = 4_000  # data sets, whose mean is the truth of values that depend on the size
QUICK = 20  # data sets

# --- populations that no other script has ------------------------------------------------------


@dataclass(frozen=True)
class Skewed(Population):
    """Scores with lognormal noise, so that some of them are very low."""

    def draw(self, rng):
        found = super().draw(rng)
        noise = found["y_score"] - self.apart * found["y_true"]
        return found | {"y_score": -np.exp(noise) + self.apart * found["y_true"]}


@dataclass(frozen=True)
class Retrieval:
    """Queries with 20 documents, of which a tenth is relevant, and several equally good models.

    Some queries are easier than others, for all models.
    """

    what: str
    n_units: int
    graded: bool = False
    n_models: int = 2

    def draw(self, rng):
        size = self.n_units, 20
        grade = np.searchsorted([0.9, 0.97], rng.random(size))
        grade[:, 0] = np.maximum(grade[:, 0], 1)
        ease = 1 + 0.5 * rng.standard_normal((self.n_units, 1))
        shared = rng.standard_normal(size) + ease * grade
        scores = [(shared + rng.standard_normal(size)).ravel() for _ in range(self.n_models)]
        groups = np.repeat(np.arange(self.n_units), 20)
        y_true = (grade if self.graded else grade > 0).ravel()
        return [{"y_true": y_true, "y_score": score, "groups": groups} for score in scores]


@dataclass(frozen=True)
class Several:
    """Equally good models of the same rows, whose scores are correlated within each class."""

    what: str
    n_units: int
    n_models: int
    share: float = 0.1
    correlation: float = 0.8

    def draw(self, rng):
        y = rng.permutation(np.arange(round(self.n_units / self.share)) < self.n_units)
        shared = np.sqrt(self.correlation) * rng.standard_normal(y.size) + 1.5 * y
        own = np.sqrt(1 - self.correlation) * rng.standard_normal((self.n_models, y.size))
        return [{"y_true": y, "y_score": shared + each} for each in own]


@dataclass(frozen=True)
class Documents:
    """Queries of equally many documents, and one model or several that are equally good."""

    what: str
    n_units: int
    size: int
    relevant: int
    apart: float
    n_models: int = 1

    def draw(self, rng):
        y = np.tile(np.arange(self.size) < self.relevant, self.n_units)
        groups = np.repeat(np.arange(self.n_units), self.size)
        scores = rng.standard_normal((self.n_models, y.size)) + self.apart * y
        return [{"y_true": y, "y_score": score, "groups": groups} for score in scores]


@dataclass(frozen=True)
class Answers:
    """Questions that two models answer correctly equally often, and rarely one of them only.

    A correct answer is a positive above a negative.
    """

    what: str
    n_units: int
    correct: float
    differ: float  # the fraction of the questions

    def draw(self, rng):
        both = rng.random(self.n_units) < self.correct
        differ, which = rng.random((2, self.n_units)) < [[self.differ], [0.5]]
        groups = np.repeat(np.arange(self.n_units), 2)
        models = []
        for is_right in (which, ~which):
            right = np.where(differ, is_right, both)
            score = np.stack([right, ~right], axis=1).ravel().astype(float)
            models.append({"y_true": np.tile([1, 0], self.n_units), "y_score": score})
        return [model | {"groups": groups} for model in models]


@dataclass(frozen=True)
class Trained:
    """Rows of scikit-learn's data that two models weren't fitted on, of which test sets are drawn.

    The models are fitted on the first rows of a random order.
    """

    what: str
    n_units: int
    data: str
    models: tuple[str, str]
    n_fitted: int = 100

    def draw(self, rng):
        y, scores = pool(self)
        while True:
            rows = rng.integers(y.size, size=self.n_units)
            if 1 < np.count_nonzero(y[rows]) < rows.size:
                return [{"y_true": y[rows], "y_score": score[rows]} for score in scores]

    @property
    def truth(self):
        y, (a, b) = pool(self)
        value = metric("average_precision")
        return value(y, a) - value(y, b)


@cache
def pool(population):
    """Return the labels and both models' scores of the rows that these weren't fitted on."""
    data = {
        "breast cancer": lambda: load_breast_cancer(return_X_y=True),
        "digits": lambda: load_digits(return_X_y=True),
        "made, half positive": lambda: make_classification(
            2000, 20, n_informative=5, random_state=0
        ),
        "made, 10% positive": lambda: make_classification(
            2000, 20, n_informative=5, weights=[0.9], class_sep=0.7, random_state=1
        ),
    }
    models = {
        "neighbors": lambda: make_pipeline(StandardScaler(), KNeighborsClassifier(9)),
        "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
        "forest": lambda: RandomForestClassifier(50, random_state=0),
        "bayes": GaussianNB,
    }
    X, y = data[population.data]()
    y = y % 2 if population.data == "digits" else y == (population.data != "breast cancer")
    order = np.random.default_rng(0).permutation(y.size)
    fitted, others = np.split(order, [population.n_fitted])
    scores = []
    for name in population.models:
        model = models[name]().fit(X[fitted], y[fitted])
        scores.append(model.predict_proba(X[others])[:, 1])
    return y[others].astype(int), scores


# --- cells -------------------------------------------------------------------------------------


class Cell(NamedTuple):
    what: str
    population: Any
    metric: str = "average_precision"
    question: str = "interval"
    least: float = GOOD[0]  # what coverage has to be
    most_below: float = 1.0  # and at most how often an interval may be above the true value


def normal(n_positives, share, model):
    apart = apart_for(share, MODELS[model])
    return Population(f"{model}, {n_positives} of {share:.3g}", n_positives, share, apart)


def of(n_positives, share, apart, **given):
    return Population("", n_positives, share, apart, **given)


TWINS = Pair("", (50, 450), correlation=0.9)
NARROW = Pair("", (50, 50), correlation=0.9, spread=0.6)

CELLS = [
    # average precision
    Cell("random, 20 positives, 10%", of(20, 0.1, 0.0)),
    Cell("weak, 50 positives, 0.1%", normal(50, 0.001, "weak")),
    Cell("good, 10 positives, 0.1%", normal(10, 0.001, "good")),
    Cell("fair, 10 positives, 2%", normal(10, 0.02, "fair")),
    Cell("good, 200 positives, 2%", normal(200, 0.02, "good")),
    Cell("fair, 50 positives, 10%", normal(50, 0.1, "fair")),
    Cell("strong, 20 positives, 10%", normal(20, 0.1, "strong")),
    Cell("good, 50 positives, 50%", normal(50, 0.5, "good")),
    Cell("strong, 100 positives, 50%", normal(100, 0.5, "strong")),
    Cell("fair, 1,000 positives, 50%", normal(1000, 0.5, "fair")),
    Cell("ties, 50 positives, 10%", Rounded("", 50, 0.1, 2.0)),
    Cell("ties, 20 positives, 50%", Rounded("", 20, 0.5, 2.0)),
    Cell("t with 3 df, 50 positives, 50%", of(50, 0.5, 3.0, heavy_tails=3)),
    Cell("t with 3 df, 20 positives, 10%", of(20, 0.1, 4.0, heavy_tails=3)),
    Cell("Cauchy, 30 positives, 50%", of(30, 0.5, 5.0, heavy_tails=1)),
    Cell("2% of negatives on top, 50 of 100", of(50, 0.5, 3.0, on_top=0.02)),
    Cell("half of negatives look positive, 100 of 1,100", of(100, 1 / 11, 3.0, look_positive=0.5)),
    Cell("10% of negatives look positive, 30 of 300", of(30, 0.1, 4.0, look_positive=0.1)),
    Cell("2% of positives mislabeled, 50 of 500", of(50, 0.1, 4.0, mislabeled=0.02)),
    Cell("lognormal weights, sigma 1, 30 of 300", of(30, 0.1, 1.5, sigma=1.0)),
    Cell("lognormal weights, sigma 2, 30 of 300", of(30, 0.1, 1.5, sigma=2.0)),
    Cell("amounts that grow with scores, 100 of 1,000", Amounts("", 100, 0.1, 2.0)),
    Cell("one negative in 100 kept, 200 positives", Thinned("", 200)),
    Cell("one negative in 10 kept, weak, 100 positives", Thinned("", 100, 10, apart=1.5)),
    # cutoffs, targets and other definitions
    Cell("fair, 50 of 500", of(50, 0.1, 2.0), "precision_at_10%"),
    Cell("good, 100 of 10,000", of(100, 0.01, 3.0), "precision_at_1%"),
    Cell("fair, 50 of 500", of(50, 0.1, 2.0), "recall_at_5%"),
    Cell("fair, 50 of 2,500", of(50, 0.02, 2.0), "enrichment_factor_at_1%"),
    Cell("t with 2 df, 50 of 100", of(50, 0.5, 3.0, heavy_tails=2), "average_precision_at_20%"),
    Cell("fair, 50 of 500", of(50, 0.1, 2.0), "precision_at_recall_0.8"),
    Cell("fair, 100 of 1,000", of(100, 0.1, 2.0), "recall_at_precision_0.5"),
    Cell("lognormal scores, 50 of 500", Skewed("", 50, 0.1, 2.0), "recall_at_precision_0.5"),
    Cell("fair, 50 of 500", of(50, 0.1, 2.0), "interpolated_average_precision"),
    Cell("strong, 100 of 1,000", of(100, 0.1, 4.0), "11_point_average_precision"),
    Cell("fair, 50 of 500", of(50, 0.1, 2.0), "r_precision"),
    # clusters and groups
    Cell("30 equal clusters", UnequalClusters("", 30, 0.0)),
    Cell("30 lognormal clusters, sigma 1", UnequalClusters("", 30, 1.0)),
    Cell("50 lognormal clusters, sigma 2", UnequalClusters("", 50, 2.0)),
    Cell("10 equal clusters", UnequalClusters("", 10, 0.0)),
    Cell("accounts, 100 positives", Accounts("", 100, 0.05, 2.5)),
    Cell("20 queries", Retrieval("", 20)),
    Cell("50 queries", Retrieval("", 50, graded=True), "ndcg_at_10"),
    Cell("100 queries", Retrieval("", 100), "reciprocal_rank"),
    Cell("50 queries", Retrieval("", 50), "precision_at_10"),
    Cell("10 queries, of which one in five is hard", Queries("", 10)),
    Cell("30 lognormal groups, weighted", UnequalGroups("", 30)),
    Cell("ten classes with 40 positives", FixedClasses("", 400, (0.1,) * 10, (1.0,) * 10)),
    Cell("50 images with objects of three classes", FewObjects("", 50, (1.6, 0.2, 0.1))),
    # two models
    Cell("same shape, 50 of 500", TWINS, question="difference"),
    Cell("same shape, 50 of 500", TWINS, "precision_at_10%", question="difference"),
    Cell("narrow, 50 of 100", NARROW, question="difference"),
    Cell("strong, 50 of 100", replace(TWINS, n_units=(50, 50), apart=3.0), question="difference"),
    Cell(
        "negatives weigh 20, other shape, 200 of 400",
        Pair("", (200, 200), weight=20.0, spread=2.0),
        question="difference",
    ),
    Cell("30 queries", Retrieval("", 30), question="difference"),
    # two models that differ by the margin
    Cell("same shape, 50 of 500", replace(TWINS, better=0.3), question="margin"),
    Cell("narrow is worse, 50 of 100", replace(NARROW, better=-0.3), question="margin"),
    # several models, and promises
    Cell("10 models, 50 of 500", Several("", 50, 10), question="several"),
    Cell("5 models, 30 queries", Retrieval("", 30, n_models=5), question="several"),
    Cell("fair, 50 of 500", of(50, 0.1, 2.0), question="promise"),
    Cell("accounts, 50 positives", Accounts("", 50, 0.05, 2.5), question="promise"),
    # what the first atlas lacked: models that differ, one relevant document, and equal values
    Cell(
        "breast cancer, neighbors and logistic, 100 rows",
        Trained("", 100, "breast cancer", ("neighbors", "logistic")),
        question="margin",
        least=0.92,
        most_below=0.06,
    ),
    Cell(
        "odd digits, bayes and forest, 200 rows",
        Trained("", 200, "digits", ("bayes", "forest"), 200),
        question="margin",
        least=0.92,
        most_below=0.06,
    ),
    Cell(
        "made, half positive, bayes and forest, 200 rows",
        Trained("", 200, "made, half positive", ("bayes", "forest")),
        question="margin",
        least=0.92,
        most_below=0.06,
    ),
    Cell(
        "made, 10% positive, logistic and forest, 300 rows",
        Trained("", 300, "made, 10% positive", ("logistic", "forest"), 200),
        question="margin",
        least=0.92,
        most_below=0.06,
    ),
    Cell(
        "same shape, 50 of 100",
        Pair("", (50, 50), correlation=0.9, better=0.3),
        question="margin",
        most_below=0.055,
    ),
    Cell(
        "10 queries, 1 of 100 relevant",
        Documents("", 10, 100, 1, 1.5),
        "reciprocal_rank",
        least=0.9,
    ),
    Cell("50 queries, 1 of 100 relevant", Documents("", 50, 100, 1, 1.5)),
    Cell("5 users, 3 of 30 left out", Documents("", 5, 30, 3, 2.8), "precision_at_10"),
    Cell("20 users, 1 of 30 left out", Documents("", 20, 30, 1, 2.5), "precision_at_10"),
    Cell(
        "200 answers, 4% differ",
        Answers("", 200, 0.7, 0.04),
        "precision_at_1",
        "difference",
        least=0.94,
    ),
    Cell(
        "30 queries, random scores",
        Documents("", 30, 20, 1, 0.0),
        "reciprocal_rank",
        "note",
        least=0.988,
    ),
    Cell(
        "30 queries, reversed scores",
        Documents("", 30, 20, 1, -3.0),
        "reciprocal_rank",
        "note",
        least=0.98,
    ),
]


def name_of(cell):
    return f"{cell.question}, {cell.metric}: {cell.what}"


# --- data sets and what is true ----------------------------------------------------------------

EXACT = Population, Queries, Thinned, FixedClasses, FewObjects, UnequalGroups, UnequalClusters
ROWS = "y_true", "sample_weight", "groups", "clusters"


@cache
def apart_of(pair):
    return pair.apart_of_b


def drawn(population, rng):
    """Return what models share, and the scores of each of them."""
    if isinstance(population, Pair):
        found = population.draw(rng, apart_of(population))
        return found, [found.pop("y_score_a"), found.pop("y_score_b")]
    found = population.draw(rng)
    models = found if isinstance(found, list) else [found]
    scores = [each["y_score"] for each in models]
    return {name: given for name, given in models[0].items() if name != "y_score"}, scores


def parts_of(groups):
    """Return the places of the rows of each group. Rows are sorted by groups."""
    return np.split(np.arange(groups.size), np.searchsorted(groups, range(1, groups[-1] + 1)))


@cache
def true_value(cell):
    """Return the value, the difference of two models, or what tells the recall of thresholds."""
    population = cell.population
    if cell.question == "note":  # whether scores are reversed
        return population.apart < 0
    if isinstance(population, Trained):
        return population.truth
    if cell.question == "promise":
        return Truth(replace(population, n_units=1))
    if cell.question == "margin":
        positives, negatives = population.n_units
        share = positives / (positives + population.weight * negatives)
        a = truth(share, population.apart, population.spread_of_a)
        return a - truth(share, apart_of(population), population.spread)
    if cell.question != "interval":
        return 0.0
    if type(population) in EXACT and cell.metric == "average_precision":
        return float(population.truth)
    by_query = isinstance(population, Retrieval | Documents)
    size, n_sets = 20_000 if by_query else round(LARGE * population.share), 4
    if not by_query and cell.metric != "average_precision":
        # Intervals from resamples are about the mean over samples of the same size.
        size, n_sets = population.n_units, N_SAME_SIZE
    large, values = replace(population, n_units=size), []
    for seed in range(n_sets):
        given, scores = drawn(large, np.random.default_rng(seed))
        given.pop("clusters", None)
        values.append(metric(cell.metric)(y_score=scores[0], **given))
    return float(np.mean(values))


# --- methods -----------------------------------------------------------------------------------

# Each returns the ends of an interval and the true value, or None where it isn't for a cell.


def ours(cell, given, scores, rng):
    true, options = true_value(cell), {"metric": metric(cell.metric)}
    if cell.question == "promise":
        try:
            point = operating_point(
                **given, y_score=scores[0], min_recall=RECALL, confidence_level=LEVEL
            )
        except ValueError:  # too few positives to promise anything
            return None
        return RECALL - 1e-9, 1.0, true.at(point.threshold)[0]
    if cell.question in ("interval", "note"):
        found = confidence_interval(**given, y_score=scores[0], random_state=0, **options)
        if cell.question == "note":  # which is either right or wrong
            told = float("upside_down" in [note.code for note in found.notes])
            return told, told, true
    elif cell.question == "several":
        models = dict(enumerate(scores))
        rows = compare(**given, y_score_a=models, baseline=0, **options).rows[1:]
        return max(row.low for row in rows), min(row.high for row in rows), true
    else:
        a, b = scores
        found = compare(**given, y_score_a=a, y_score_b=b, random_state=0, **options)
    return found.low, found.high, true


def is_small(cell, given):
    return given["y_true"].size <= 2000 and cell.question not in ("promise", "note")


def of_pairs(each):
    """Return the values, or the differences from the first model, the second minus it."""
    return each[:1] if len(each) == 1 else each[0] - each[1:]


def percentile(cell, given, scores, rng):
    """Draw rows, or whole clusters or groups, again and again, and take the middle 95%."""
    if not is_small(cell, given) or "n_positives" in given:
        return None
    rows = {name: given[name] for name in ROWS if name in given}
    options = {name: given[name] for name in given if name not in rows}
    named = next((name for name in ("clusters", "groups") if name in rows), None)
    units = np.arange(rows["y_true"].size) if named is None else rows.pop(named)
    if named == "clusters":
        units = np.unique(units, return_inverse=True)[1]
    order, sizes = np.argsort(units, kind="stable"), np.bincount(units)
    starts, values, value = np.cumsum(sizes) - sizes, [], metric(cell.metric)
    while len(values) < N_RESAMPLES:
        which = rng.integers(sizes.size, size=sizes.size)
        of_unit, size = np.repeat(np.arange(which.size), sizes[which]), sizes[which]
        places = np.arange(of_unit.size) + np.repeat(starts[which] - np.cumsum(size) + size, size)
        chosen = order[places]
        again = {name: column[chosen] for name, column in rows.items()}
        if named == "groups":
            again["groups"] = of_unit
        if again["y_true"].any():
            each = [value(y_score=score[chosen], **again, **options) for score in scores]
            values.append(of_pairs(np.array(each)))
    low, high = np.quantile(values, ((1 - LEVEL) / 2, (1 + LEVEL) / 2), axis=0)
    return low.max(), high.min(), true_value(cell)


def boyd(cell, given, scores, rng):
    """Return the logit interval of Boyd, Eng and Page (2013)."""
    is_plain = set(given) == {"y_true"} and cell.metric == "average_precision"
    if not is_small(cell, given) or not is_plain or cell.question != "interval":
        return None
    value = metric(cell.metric)(given["y_true"], scores[0])
    if value == 1:
        return 1.0, 1.0, true_value(cell)
    error = 1 / np.sqrt(given["y_true"].sum() * value * (1 - value))
    return *expit(logit(value) + 1.959964 * error * np.array([-1, 1])), true_value(cell)


def compute_t_test(cell, given, scores, rng):
    """Return the interval of a t-test over queries, which is paired for two models."""
    if not is_small(cell, given) or "groups" not in given or set(given) != {"y_true", "groups"}:
        return None
    value, y, parts = metric(cell.metric), given["y_true"], parts_of(given["groups"])
    each = [[value(y[part], score[part]) for part in parts] for score in scores]
    differences = of_pairs(np.array(each))
    n_units = differences.shape[1]
    far = student.ppf((1 + LEVEL) / 2, n_units - 1) * differences.std(axis=1, ddof=1)
    low, high = differences.mean(axis=1) + np.multiply.outer([-1, 1], far / np.sqrt(n_units))
    return low.max(), high.min(), true_value(cell)


METHODS = {
    "sklearn_ap": (ours, 2000),
    "percentile bootstrap": (percentile, 300),
    "Boyd's logit interval": (boyd, 300),
    "t-test over queries": (compute_t_test, 300),
}

# --- the run -----------------------------------------------------------------------------------


@dataclass
class Count:
    """How many data sets were judged, and in how many of them the true value is where."""

    n_sets: int = 0
    inside: int = 0
    below: int = 0
    above: int = 0
    skipped: int = 0
    width: float = field(default=0.0)  # the sum

    def add(self, other):
        return Count(
            *(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True))
        )

    @property
    def rate(self):
        judged = self.n_sets - self.skipped
        return self.inside / judged if judged else np.nan


def judged(number, method, start, size):
    """Count for data sets that only depend on the cell and their place."""
    cell, function, total = CELLS[number], METHODS[method][0], Count()
    for place in range(start, start + size):
        rng = np.random.default_rng([crc32(name_of(cell).encode()), place])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given, scores = drawn(cell.population, rng)
            n_models = 1 if cell.question in ("interval", "promise", "note") else len(scores)
            found = function(cell, given, scores[:n_models], rng)
        if found is None:
            total = total.add(Count(1, skipped=1))
            continue
        low, high, true = found
        inside = low <= true <= high
        total = total.add(Count(1, inside, true < low, true > high, width=high - low))
    return number, method, total


def load():
    counts = {(name_of(cell), method): Count() for cell in CELLS for method in METHODS}
    if RESULTS.exists():
        with RESULTS.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                key = row.pop("cell"), row.pop("method")
                row = {
                    name: float(row[name]) if name == "width" else int(row[name]) for name in row
                }
                counts[key] = Count(**row)
    return counts


def save(counts):
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["cell", "method", *vars(Count())])
        for key, count in counts.items():
            if count.n_sets:
                lines.writerow([*key, *(round(value, 6) for value in vars(count).values())])


def run(minutes, n_sets=None, keep=True):
    """Judge data sets in rounds over all cells, until each has enough or time is up."""
    started, counts = time.monotonic(), load() if keep else {}
    while time.monotonic() - started < 60 * minutes:
        tasks = []
        for number, cell in enumerate(CELLS):
            for method, (_, wanted) in METHODS.items():
                done = counts.setdefault((name_of(cell), method), Count())
                left = (n_sets or wanted) - done.n_sets
                if left > 0 and not 0 < done.n_sets == done.skipped:
                    size = min(left, -(-wanted // ROUNDS))
                    tasks.append((number, method, done.n_sets, size))
        if not tasks:
            break
        jobs = (delayed(judged)(*task) for task in tasks)
        for number, method, more in Parallel(-1, return_as="generator_unordered")(jobs):
            key = name_of(CELLS[number]), method
            counts[key] = counts[key].add(more)
            if keep:
                save(counts)
    return counts


# --- what it shows -----------------------------------------------------------------------------


def outside(counts):
    """Return the rates of our cells that are far from the level. Notes have none."""
    rates = {key: count.rate for key, count in counts.items() if key[1] == next(iter(METHODS))}
    rates = {name: rate for (name, _), rate in rates.items() if not name.startswith("note")}
    return {name: rate for name, rate in rates.items() if not GOOD[0] <= rate <= GOOD[1]}


def beyond(counts):
    """Return the cells of ours that are beyond their own limits by more than two standard errors,
    with their coverage and the rate of intervals above the true value.
    """
    found = {}
    for cell in CELLS:
        count = counts[name_of(cell), next(iter(METHODS))]
        below, error = count.below / count.n_sets, 2 / np.sqrt(count.n_sets)
        limits = np.array([1 - cell.least, cell.most_below])
        allowed = limits + error * np.sqrt(limits * (1 - limits))
        if 1 - count.rate > allowed[0] or below > allowed[1]:
            found[name_of(cell)] = count.rate, below
    return found


# The questions of the cells, as the picture calls them, and the colors and marks of methods
QUESTIONS = {
    "interval": "The interval contains the true value",
    "difference": "The interval contains the true difference",
    "margin": 'At the margin, the verdict isn\'t "no worse"',
    "several": "All intervals contain the true differences",
    "promise": "The promised recall is kept",
}
GRAY = "#8c8c8c"  # which can be seen on white and on black
MARKS = {
    "sklearn_ap": ("o", BLUE),
    "percentile bootstrap": ("s", ORANGE),
    "Boyd's logit interval": ("^", GRAY),
    "t-test over queries": ("D", GRAY),
}
LETTERS = 8.5  # points, which phones show in 9 pixels
LINE = 0.14  # inches, of a line of a label
LINE_LENGTH = 30  # characters
TICKS = 0, 0.5, 0.8, 0.9, 1
# All rates from 0 to 1 are shown, and those near 1 are far apart.
STRETCH = (lambda rate: -np.sqrt(np.maximum(1 - rate, 0))), (lambda place: 1 - place**2)


def label_of(cell):
    """The population, after the metric if it isn't average precision."""
    if cell.metric == "average_precision":
        return cell.what
    return f"{cell.metric.replace('_', ' ')}: {cell.what}"


def draw(counts, path):
    """Draw a row for each cell, as high as its label, and a mark for each method's rate."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    parts = {each: [cell for cell in CELLS if cell.question == each] for each in QUESTIONS}
    parts = {question: cells for question, cells in parts.items() if cells}
    labels = {each: [fill(label_of(cell), LINE_LENGTH) for cell in parts[each]] for each in parts}
    # A row has half a line more than its label.
    rows = {each: [1.5 + label.count("\n") for label in labels[each]] for each in parts}
    heights = [LINE * sum(each) for each in rows.values()]
    figure = Figure(figsize=(4.5, sum(heights) + 0.55 * len(parts) + 0.6), layout="constrained")
    axes = figure.subplots(len(parts), sharex=True, height_ratios=heights, squeeze=False)[:, 0]
    for ax, (question, cells) in zip(axes, parts.items(), strict=True):
        ends = np.cumsum(rows[question])
        places = ends - np.array(rows[question]) / 2
        ax.axvspan(*GOOD, color=GRAY, alpha=0.2, linewidth=0)
        ax.axvline(LEVEL, color=GRAY)
        for method, (marker, color) in MARKS.items():
            keys = [(name_of(cell), method) for cell in cells]
            rates = np.array([counts[key].rate if key in counts else np.nan for key in keys])
            ax.plot(
                rates,
                places,
                marker,
                color=color,
                label=method,
                clip_on=False,
                markersize=5,
                zorder=3 if method == "sklearn_ap" else 2,
            )
        ax.set_title(QUESTIONS[question], loc="right", size=9.5, weight="bold")
        ax.set_yticks(places, labels[question], linespacing=0.95)
        ax.set_xscale("function", functions=STRETCH)
        ax.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
        ax.set(xlim=(0, 1), ylim=(ends[-1], 0))
        ax.grid(axis="y", alpha=0.3)
        ax.tick_params(length=0, labelbottom=True, labelsize=LETTERS)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.patch.set_alpha(0)
    looks = {"ncols": 2, "frameon": False, "fontsize": LETTERS}
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper left", **looks)
    figure.patch.set_alpha(0)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "atlas"}):  # a third of the size
        figure.savefig(path, metadata={"Date": None})


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m benchmarks atlas", description=__doc__)
    parser.add_argument("--minutes", type=float, default=120, help="no round begins after them")
    parser.add_argument("--quick", action="store_true", help="a few data sets, which aren't kept")
    options = parser.parse_args(arguments)
    counts = run(5, QUICK, keep=False) if options.quick else run(options.minutes)
    for (name, method), count in counts.items():
        if count.rate == count.rate:
            print(f"{count.rate:.3f} of {count.n_sets:5,}  {method:22}{name}")
    print(f"\n{len(outside(counts))} cells of sklearn_ap are outside {GOOD[0]} to {GOOD[1]}")
    for name, (rate, below) in beyond(counts).items():
        print(f"beyond its limits: {name}, {rate:.3f}, {below:.3f} above the true value")
    if not options.quick:
        draw(counts, PICTURE)
