"""Everything that tools and people compute, against plain loops over the points of a ranking."""

import math
from itertools import pairwise
from math import log2

import numpy as np
import pytest
from sklearn import metrics

import sklearn_ap as ap
from sklearn_ap._core import rules
from sklearn_ap._core.data import Rankings
from sklearn_ap.compat.definitions import (
    DEFINITIONS,
    MISTAKES,
    list_at_k,
    list_mistakes_at_k,
)
from sklearn_ap.compat.formulas import Ranked
from sklearn_ap.exceptions import UnknownMetricError

K = 10
AT_K = list_at_k(K)
EVERY = DEFINITIONS | MISTAKES | AT_K | list_mistakes_at_k(K)
OF_ORDER = [term for term in EVERY if not EVERY[term].needs_threshold]


def compute(term, positive, scores, group=None):
    n = 1 if group is None else int(group.max()) + 1
    rankings = Rankings(
        np.asarray(positive) == 1, np.asarray(scores), group_codes=group, n_rankings=n
    )
    return Ranked(rankings).compute(EVERY[term].rule)


def draw(seed, n=60, n_decimals=12):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.25
    positive[:2] = True, False
    scores = 1 / (1 + np.exp(-rng.normal(0, 1, n) - 1.2 * positive + 1))
    return positive, np.round(scores, n_decimals), rng


class Curve:
    """At each distinct score from the highest on: T positives of N samples up to there."""

    def __init__(self, positive, scores):
        self.T, self.N = [], []
        for score in sorted({*scores.tolist()}, reverse=True):
            self.T.append(int(np.sum(positive[scores >= score])))
            self.N.append(int(np.sum(scores >= score)))
        self.places = range(len(self.T))
        self.r = np.diff(self.T, prepend=0).tolist()
        self.n = np.diff(self.N, prepend=0).tolist()
        self.P = [t / n for t, n in zip(self.T, self.N, strict=True)]
        self.R, self.size = self.T[-1], self.N[-1]
        self.recall = [t / self.R for t in self.T]
        self.before = [1.0, *self.P[:-1]]
        self.best = [max(self.P[i:]) for i in self.places]

    def area(self, heights):
        """Each positive has the height of its point."""
        return sum(r * height for r, height in zip(self.r, heights, strict=True)) / self.R

    def lines(self, start):
        middles = [(a + b) / 2 for a, b in pairwise([start, *self.P])]
        return self.area(middles)

    def at_levels(self, levels, heights):
        """The mean of the heights at the first points that reach each level of recall."""
        found = [next((i for i in self.places if self.reaches(i, x)), None) for x in levels]
        return sum(0 if i is None else heights[i] for i in found) / len(levels)

    def at_counts(self, counts):
        """The mean of the envelope at the first points that have found so many positives."""
        found = [next(i for i in self.places if self.T[i] >= n) for n in counts]
        return sum(self.best[i] for i in found) / len(counts)

    def reaches(self, i, level):
        if isinstance(level, tuple):  # a fraction, in integers
            return self.T[i] * level[1] >= level[0] * self.R
        return self.recall[i] >= level

    def first(self, condition, values):
        return next((values[i] for i in self.places if condition(i)), 0.0)


def step(c):
    return c.area(c.P)


def linear(c):
    return c.lines(1.0)


def curve_evenly(c):
    """Between two points, draw the curve in 20,000 small steps."""
    total, t, n = 0.0, 0, 0
    for r, tied in zip(c.r, c.n, strict=True):
        if r:
            part = (np.arange(20_000) + 0.5) / 20_000
            total += r * np.mean((t + r * part) / (n + tied * part))
        t, n = t + r, n + tied
    return total / c.R


def dcg(c, k=None):
    """Tied samples share their gain."""
    k, total = k or c.size, 0.0
    for i in c.places:
        ranks = range(c.N[i] - c.n[i] + 1, min(c.N[i], k) + 1)
        total += c.r[i] / c.n[i] * sum(1 / log2(rank + 1) for rank in ranks)
    return total


def gain_of_first_paper(c, k):
    """Ranks 1 and 2 have the discount 1, and rank 3 has 1/log2(3). Tied samples share theirs."""
    return sum(
        r / n / max(log2(rank), 1)
        for r, n, end in zip(c.r, c.n, c.N, strict=True)
        for rank in range(end - n + 1, min(end, k) + 1)
    )


def ideal_of_first_paper(n):
    return sum(1 / max(log2(rank), 1) for rank in range(1, n + 1))


def top_precision(c, k):
    """The sum of the precisions of the hits in the top k. A point that k cuts counts in part."""
    total = 0.0
    for r, n, t, end in zip(c.r, c.n, c.T, c.N, strict=True):
        inside = min(max(k - (end - n), 0), n)
        h = r * inside / n
        total += h * (t - r + h) / (end - n + inside) if inside else 0
    return total


def join_levels(c, recall, height):
    """As in Ultralytics: np.interp of the envelope at 101 recalls, and the area below lines."""
    x = [0.0, *c.recall, *recall, 1.0]
    y = [1.0, *c.P, *height, 0.0]
    y = [max(y[i:]) for i in range(len(y))]
    grid = np.linspace(0, 1, 101)
    return np.trapezoid(np.interp(grid, x, y), grid)


def ideal(n):
    return sum(1 / log2(rank + 1) for rank in range(1, n + 1))


def roc_area(c):
    """The fraction of pairs in which the positive is higher, half of the tied ones."""
    negatives = c.size - c.R
    beaten = sum(
        r * (negatives - (n_above - t_above) - (n - r) + (n - r) / 2)
        for r, n, t_above, n_above in zip(c.r, c.n, [0, *c.T], [0, *c.N], strict=False)
    )
    return beaten / negatives / c.R


def find_first_rank(c):
    """The mean rank of the first of r positives among n tied samples."""
    i = next(i for i in c.places if c.T[i])
    return c.N[i] - c.n[i] + (c.n[i] + 1) / (c.r[i] + 1)


# Multiples of 0.01, which is 0.00999999977 as float32, from 0 up, and from 1 down
STEP = float(np.float32(0.01))
SINGLE_LEVELS = [
    float(np.float32(STEP * i if i < 50 else 1 - STEP * (100 - i))) for i in range(101)
]


BY_LOOPS = {
    "step": step,
    "linear": linear,
    "envelope": lambda c: c.area(c.best),
    "area under the ROC curve": roc_area,
    "R-precision": lambda c: top_hits(c, c.R) / c.R,
    "reciprocal rank": lambda c: 1 / find_first_rank(c),
    "nDCG": lambda c: dcg(c) / ideal(c.R),
    "linear after the first point": lambda c: c.lines(1.0) - c.r[0] * (1 + c.P[0]) / 2 / c.R,
    "curved": curve_evenly,
    "best F1 of all thresholds": lambda c: max(
        2 * t / (n + c.R) for t, n in zip(c.T, c.N, strict=True)
    ),
    "fraction of positives": lambda c: c.R / c.size,
    "step, 1/rank instead of precision": lambda c: c.area([1 / n for n in c.N]),
    "step, not divided by R": lambda c: step(c) * c.R,
    "step, divided by all samples": lambda c: step(c) * c.R / c.size,
    "nDCG, ranks 1 and 2 without a discount": lambda c: (
        gain_of_first_paper(c, c.size) / ideal_of_first_paper(c.R)
    ),
    "normalized Gini": lambda c: 2 * roc_area(c) - 1,
    "AP@R": lambda c: top_precision(c, c.R) / c.R,
    "101-point, levels in single precision": lambda c: c.at_levels(
        SINGLE_LEVELS, c.best
    ),
    "11-point, levels rounded": lambda c: c.at_counts([int(i / 10 * c.R + 0.5) for i in range(11)]),
    "11-point, levels rounded up": lambda c: c.at_counts(
        [int(i / 10 * c.R + 0.9) for i in range(11)]
    ),
    "lines between 101 points": lambda c: join_levels(c, [c.recall[-1]], [0.0]),
    "lines between 101 points, to (1, 0)": lambda c: join_levels(c, [], []),
    "nDCG, without the ideal, so DCG": dcg,
}  # fmt: skip


def add_levels(parts, grid, words):
    name = f"{parts + 1}-point{words}"
    levels = [(level, parts) for level in range(parts + 1)]
    if grid == "float":
        levels = np.linspace(0, 1, parts + 1).tolist()
    BY_LOOPS[name] = lambda c: c.at_levels(levels, c.best)
    BY_LOOPS[f"{name}, without the maximum to the right"] = lambda c: c.at_levels(levels, c.P)


def add_target(target):
    recall, precision = f"precision at recall {target}", f"recall at precision {target}"
    BY_LOOPS[recall] = lambda c: c.first(lambda i: c.recall[i] >= target - 1e-12, c.best)
    BY_LOOPS[f"{recall}, at the first point that reaches it"] = lambda c: c.first(
        lambda i: c.recall[i] >= target - 1e-12, c.P
    )
    BY_LOOPS[precision] = lambda c: max(
        recall if p >= target - 1e-12 else 0 for p, recall in zip(c.P, c.recall, strict=True)
    )


for each in (10, 100):
    add_levels(each, "exact", "")
    add_levels(each, "float", " float")
for each in (0.5, 0.8, 0.9, 0.95, 1.0):
    add_target(each)


# --- the top k, of samples without ties -----------------------------------------------------------


def top_hits(c, k):
    """Positives in the top k. Of tied samples that k cuts through, each counts in part."""
    return sum(
        r * min(max((k - (n - tied)) / tied, 0), 1)
        for r, n, tied in zip(c.r, c.N, c.n, strict=True)
    )


def compute_at_k(c):
    hits, first = top_hits(c, K), c.r.index(1) + 1
    divisors = {"min": min(K, c.R), "relevant": c.R, "k": K, "hits": max(hits, 1)}
    total = sum(r * p for r, p in zip(c.r[:K], c.P[:K], strict=True))
    return {f"AP@{K} / {name}": total / divisor for name, divisor in divisors.items()} | {
        f"precision@{K}": hits / K,
        f"recall@{K}": hits / c.R,
        f"nDCG@{K}": dcg(c, K) / ideal(min(K, c.R)),
        f"reciprocal rank@{K}": 1 / first if first <= K else 0,
        f"hit rate@{K}": float(first <= K),
        f"enrichment factor@{K}": hits / K / (c.R / c.size),
        f"recall@{K} / min": hits / min(K, c.R),
        f"F1@{K}": 2 * hits / (K + c.R),
        f"nDCG@{K}, without the ideal, so DCG": dcg(c, K),
        f"precision@{K}, divided by n if n < k": hits / min(K, c.size),
        f"AP@{K} / k, divided by n if n < k": total / min(K, c.size),
        f"nDCG@{K}, ranks 1 and 2 without a discount": gain_of_first_paper(c, K)
        / ideal_of_first_paper(min(K, c.R)),
    }


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_decimals", [12, 1])
def test_values_are_those_of_loops(seed, n_decimals):
    positive, scores, _ = draw(seed, 60, n_decimals)
    curve = Curve(positive, scores)
    for term, function in BY_LOOPS.items():
        atol = 1e-4 if term == "curved" else 1e-12
        found = compute(term, positive, scores)[0]
        assert found == pytest.approx(function(curve), abs=atol), term


@pytest.mark.parametrize(("seed", "n"), [(0, 60), (1, 60), (2, 14), (3, 8), (4, 200)])
def test_values_at_k_are_those_of_loops(seed, n):
    positive, scores, _ = draw(seed, n)
    if seed == 4:  # a single hit
        positive = np.arange(n) == np.argsort(scores)[-3]
    for term, value in compute_at_k(Curve(positive, scores)).items():
        assert compute(term, positive, scores)[0] == pytest.approx(value, abs=1e-12), term


@pytest.mark.parametrize("k", [0.1, 0.25])
@pytest.mark.parametrize("n", [7, 44, 60])
def test_fractions_of_samples_are_those_of_loops(k, n):
    positive, scores, _ = draw(0, n)
    curve, found = Curve(positive, scores), list_mistakes_at_k(k)
    assert len(found) == 6
    for name, definition in found.items():
        size = max(math.floor(k * n) if "down" in name else round(k * n), 1)
        hits = top_hits(curve, size)
        expected = hits / curve.R
        if "recall" not in name:
            expected = hits / size
            expected /= curve.R / n if "enrichment" in name else 1
        rankings = Rankings(positive, scores)
        value = Ranked(rankings).compute(definition.rule)
        assert value == pytest.approx(expected, abs=1e-12), name


def test_every_definition_has_a_loop():
    curve = Curve(*draw(0)[:2])
    assert {*OF_ORDER} - {*BY_LOOPS} - {*compute_at_k(curve)} == set()


# --- laws, and scikit-learn -----------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_groups_are_rankings_of_their_own(name):
    positive, scores, rng = draw(1, n_decimals=1)
    group = rng.integers(0, 4, 60)
    together = compute(name, positive, scores, group)
    apart = [compute(name, positive[group == g], scores[group == g])[0] for g in range(4)]
    np.testing.assert_allclose(together, apart, atol=1e-14)


@pytest.mark.parametrize("name", OF_ORDER)
def test_only_the_order_of_scores_counts(name):
    positive, scores, _ = draw(2, n_decimals=1)
    assert compute(name, positive, 7 * scores**3 - 2) == compute(name, positive, scores)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_perfect_ranking_is_near_one(name):
    value = compute(name, np.arange(1000) < 200, (1000 - np.arange(1000)) / 1600)
    assert value == pytest.approx(0.2 if name == "fraction of positives" else 1, abs=0.01)


def test_definitions_say_how_they_differ():
    for term, definition in (DEFINITIONS | AT_K).items():
        assert definition.term == term
        assert definition.why.endswith(".") == (definition.is_average_precision and term != "step")
        assert len(definition.why) <= 90
        assert 0 <= definition.rarity <= 2
    assert {*DEFINITIONS, *AT_K} & {*MISTAKES} == set()
    assert DEFINITIONS["step"].is_average_precision
    assert not DEFINITIONS["nDCG"].is_average_precision


@pytest.mark.parametrize("seed", range(20))
def test_definitions_are_those_of_scikit_learn(seed):
    positive, scores, _ = draw(seed, n_decimals=[1, 2, 12][seed % 3])
    precision, recall, _ = metrics.precision_recall_curve(positive, scores)
    flagged = scores > 0.5
    for name, value in {
        "step": metrics.average_precision_score(positive, scores),
        "linear": metrics.auc(recall, precision),
        "area under the ROC curve": metrics.roc_auc_score(positive, scores),
        "F1 of predicted labels": metrics.f1_score(positive, flagged),
        "nDCG": metrics.ndcg_score([positive], [scores]),
        f"nDCG@{K}": metrics.ndcg_score([positive], [scores], k=K),
    }.items():
        assert compute(name, positive, scores) == pytest.approx(value, abs=1e-12)


def test_names_of_compat_are_found_from_the_package():
    with pytest.raises(AttributeError, match=r"Use sklearn_ap\.compat\.identify\."):
        ap.identify  # noqa: B018


TERMS = DEFINITIONS | AT_K | list_at_k(0.05)


@pytest.mark.parametrize("term", TERMS)
def test_what_identify_prints_is_a_name_or_has_no_function(term):
    if isinstance(rule := TERMS[term].rule, rules.RULES) and term != "hit rate@5%":
        assert ap.metric(term)._rule == rule
        name = TERMS[term].title
        assert ap.metric(f"{name}")._rule == rule
        if "ties" in rule.list_options():
            assert ap.metric(f"{name}, ties by row")._rule.ties == "input"
    elif "nDCG" not in term:
        with pytest.raises(UnknownMetricError, match=r"not the name of a metric|P@1%"):
            ap.metric(term)


def test_linear_by_row_is_a_metric():
    positive, scores, _ = draw(0, n_decimals=1)
    by_row = positive[np.argsort(-scores, kind="stable")]
    expected = linear(Curve(by_row, -np.arange(60.0)))
    assert ap.metric("linear, ties by row")(positive, scores) == pytest.approx(expected)
    assert ap.metric("linear")(positive, scores) != pytest.approx(expected)
    with pytest.raises(ValueError, match=r"one of 'grouped', 'input'. Got 'best'"):
        ap.metric("linear", ties="best")


@pytest.mark.parametrize(
    "words", ["nDCG@10, ties by row", "mean of P@1 to P@10", "step, ties in any order"]
)
def test_audit_knows_more_than_metrics(words):
    with pytest.raises(UnknownMetricError, match=r"not the name of a metric|doesn't have"):
        ap.metric(words)


@pytest.mark.parametrize("term", [term for term in MISTAKES if "without the maximum" in term])
def test_recall_0_is_reached_at_the_first_sample(term):
    (value,) = compute(term, [0, 1, 0], [0.9, 0.8, 0.7])
    n_levels = int(term.partition("-")[0])
    assert value == pytest.approx((n_levels - 1) / n_levels / 2)
