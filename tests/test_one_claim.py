"""What a result says about a difference comes from one test.

Its p-value is below 1 minus the level exactly if its interval excludes 0, and exactly if its
verdict without a margin is "better" or "worse". Models are as different as they can be, and also
alike, because a perfect or a useless one doesn't vary.
"""

from itertools import permutations, product

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap.core.influence import is_smooth

from .registry import METRICS, in_stable_order, required

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

LEVELS = [0.5, 0.8, 0.95, 0.999]
ROW = np.arange(40)
UNITS = {
    "rows": {},
    "weighted rows": {"sample_weight": 1.0 + ROW % 3},
    "classes": {"average": "macro"},
    "rows that are queries": {"average": "samples"},
    "groups": {"groups": ROW % 5},
    "clusters": {"clusters": ROW // 4},
    "groups in clusters": {"groups": ROW % 4, "clusters": ROW // 8},
    "clusters of groups": {"groups": ROW // 4, "clusters": ROW // 8},
}
BY_GROUP = {"rows that are queries", "groups", "clusters of groups"}
MODELS = ["perfect", "good", "fair", "upside down"]
METRIC = {name: ap.metric(name, **required(row)) for name, row in METRICS.items()}
METRIC |= {name: ap.metric(name) for name in ("AP@5", "P@3", "P@10%")}
DRAWS = {"n_resamples": 30, "random_state": 0, "zero_division": 0.0}


def data_of(units, seed):
    """Make models of which two are as good and as bad as can be, and two have some information."""
    rng = np.random.default_rng(seed)
    label = np.concatenate([rng.permutation(8) < some for some in (2, 2, 4, 1, 3)]).astype(int)
    if "average" in UNITS[units]:
        label = np.stack([np.roll(label, 7 * place) for place in range(3)], axis=1)
    noise = rng.normal(size=(3, *label.shape))
    upside_down = 0.1 * noise[1] - label
    scores = label + 0.1 * noise[0], label + noise[1], label + noise[2], upside_down
    return label, dict(zip(MODELS, scores, strict=True))


def metrics_for(units):
    """Metrics of a single sample have intervals for queries only."""
    return [name for name in METRIC if METRIC[name].rule.takes_weights or units in BY_GROUP]


def methods_for(metric, units):
    swaps = units in BY_GROUP or is_smooth(METRIC[metric].rule)
    return ["auto", "bootstrap", *["randomization"] * swaps]


def check(result):
    """Check each difference, and return which intervals exclude 0."""
    found = []
    of_report = isinstance(result, ap.reports.Report)
    for row in getattr(result, "rows", [result]):
        low, high = (row.difference_low, row.difference_high) if of_report else (row.low, row.high)
        if not np.isnan(row.pvalue):
            excludes, is_small = (
                low > 0 or high < 0,
                row.pvalue < round(1 - result.confidence_level, 12),
            )
            assert (row.verdict in ("better", "worse")) == excludes, row
            assert excludes == is_small, row
            found.append(excludes)
    assert found
    return found


def cases(units, number, *choices):
    """Yield labels, scores, a metric and arguments of some calls, and what was chosen for them."""
    every = [
        each
        for metric in metrics_for(units)
        for each in product([metric], methods_for(metric, units), LEVELS, range(3), *choices)
    ]
    for metric, method, level, seed, *chosen in in_stable_order(every, units, choices)[:number]:
        given = {"confidence_level": level, "method": method, **DRAWS, **UNITS[units]}
        yield *data_of(units, seed), METRIC[metric], given, *chosen


def few(number):
    every = pytest.param(10**6, marks=pytest.mark.slow, id="all")
    return pytest.mark.parametrize("number", [number, every])


@few(30)
@pytest.mark.parametrize("units", UNITS)
def test_two_models(units, number):
    found = []
    pairs = [*permutations(MODELS, 2)]
    for label, scores, metric, given, (one, other) in cases(units, number, pairs):
        found += check(ap.compare(label, scores[one], scores[other], metric=metric, **given))
    assert len(set(found)) == 2


@few(3)
@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("units", UNITS)
def test_tables_and_ranks(units, joint, number):
    """Ranks that differ imply a difference in the table, and that one implies it in a pair."""
    for label, scores, metric, given, base in cases(units, number, [None, *MODELS]):
        joined = given | {"baseline": base, "joint": joint}
        table = ap.compare(label, scores, metric=metric, **joined)
        check(table)
        check(ap.report(label, scores, metrics=metric, **joined))
        ranks = {row.model: row for row in table.ranks()}
        for row in table:
            if row.model == table.baseline:
                continue
            one, other = ranks[row.model], ranks[table.baseline]
            if one.high < other.low or other.high < one.low:
                assert row.verdict in ("better", "worse"), row
            pair = scores[row.model], scores[table.baseline]
            alone = ap.compare(label, *pair, metric=metric, **given)
            assert row.pvalue >= alone.pvalue - 1e-12
            assert row.low <= alone.low + 1e-12
            assert row.high >= alone.high - 1e-12


@few(4)
@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("units", [name for name in UNITS if "average" not in UNITS[name]])
def test_segments(units, joint, number):
    by = ROW // 8 % 2
    models = [("perfect", "upside down"), ("fair", "perfect"), ("good",)]
    for label, scores, metric, given, names in cases(units, number, models):
        given |= {"by": by, "joint": joint, "metrics": metric}
        given |= {"method": "auto"} if len(names) == 1 else {"baseline": names[0]}
        check(ap.report(label, {name: scores[name] for name in names}, **given))


@pytest.mark.parametrize("clusters", [None, ROW // 4])
def test_values(clusters):
    rng = np.random.default_rng(0)
    values = [rng.random(40), np.zeros(40), np.ones(40), rng.random(40) ** 4, rng.normal(size=40)]
    found = []
    for (one, other), level in product(permutations(values, 2), LEVELS):
        given = {"clusters": clusters, "confidence_level": level}
        found += check(ap.compare_values(one, other, **given))
    for level, joint in product(LEVELS, [True, False]):
        models = dict(enumerate(values))
        check(ap.compare_values(models, joint=joint, confidence_level=level))
    assert len(set(found)) == 2


@pytest.mark.parametrize("metric", ["AP@5", "R-precision", "recall_at_precision_0.5"])
def test_models_that_never_vary(metric):
    """The interval is made of those of both models, and ends at 0 at the level of the p-value."""
    label = np.repeat([1, 0], [5, 35])
    found = ap.compare(label, -ROW, ROW, metric=metric, random_state=0)
    assert (found.difference, found.verdict) == (1, "better")
    assert found.pvalue < 0.05
    edge = {"metric": metric, "random_state": 0, "confidence_level": 1 - found.pvalue}
    assert ap.compare(label, -ROW, ROW, **edge).low == pytest.approx(0, abs=1e-5)
