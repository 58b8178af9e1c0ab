"""Bins: the bounds are correct whatever is inside, can be reached, and are narrow."""

from functools import partial
from itertools import product
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from scipy.integrate import quad

import sklearn_ap as ap
from sklearn_ap._evaluate.counted import count_in_bins
from sklearn_ap._evaluate.passes import run_models
from sklearn_ap._evaluate.value import finish_bounds
from sklearn_ap._words.engine import Engine
from sklearn_ap._words.inputs import Inputs
from sklearn_ap.core.cutoff import Cut
from sklearn_ap.core.rankings import Queries
from sklearn_ap.core.rules import Envelope, NPoint, Step
from sklearn_ap.core.tallies import Tally, collapse, merge, quantiles, tally
from sklearn_ap.streaming import MetricAccumulator

from . import oracle
from .registry import RULES, exact, key_of, options_of, values_of

CLOSE = 1e-12

# Every rule that has bounds, with every value of its options.
BOUNDED = [
    rule
    for make in RULES.values()
    for values in product(*(values_of(make, option) for option in options_of(make)))
    if (rule := make(**dict(zip(options_of(make), values, strict=True)))).has_bounds
]
some_bounded = st.lists(st.sampled_from(BOUNDED), min_size=1, max_size=8, unique=True)


def arrangements(p, n):
    """All orders of p positives and n negatives with all ties, as lists of (p, n), best first."""
    if not p + n:
        return [()]
    groups = [(r, s) for r in range(p + 1) for s in range(n + 1) if r + s]
    return [(group, *rest) for group in groups for rest in arrangements(p - group[0], n - group[1])]


def expand(groups):
    """Return labels, scores and masses of tied samples with this (positive, negative) mass."""
    rows = []
    for i, (positive, negative) in enumerate(groups):
        rows += [(1, -i, positive), (0, -i, negative)]
    return zip(*[row for row in rows if row[2]], strict=True)


def units(groups):
    """Return labels and scores of tied samples with these counts of positives and negatives."""
    rows = [
        (y, -i) for i, counts in enumerate(groups) for y in (1, 0) for _ in range(counts[1 - y])
    ]
    return zip(*rows, strict=True)


def binned(masses, mixed):
    """Return a tally of bins, which are passed from the highest score down."""
    low = 2 * np.arange(len(masses))
    positives, negatives = np.array(masses)[::-1].T
    return Tally(low, low + np.array(mixed)[::-1], positives, negatives)


def bounds(counts, rule, n_positives=None):
    exist = None if n_positives is None else np.array([n_positives])
    return finish_bounds(rule, counts, Queries(), nan, exist)[:2]


few = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2)).filter(any), min_size=1, max_size=3
).filter(lambda masses: any(p for p, _ in masses))


def test_what_has_no_bounds():
    """A new rule needs a proof of its bounds, or has to be added here."""
    assert {key_of(rule) for rule in BOUNDED} == set(RULES) - {"linear"}
    assert {rule.ties for rule in BOUNDED if rule.takes_weights} == {"grouped"}
    assert "hits" not in {getattr(rule, "denominator", "min") for rule in BOUNDED}


@given(few, some_bounded, st.data())
def test_bounds_are_the_extremes_of_all_arrangements(masses, rules, data):
    """Both ends are reached, and nothing is beyond them."""
    mixed = [p + n > 1 and data.draw(st.booleans()) for p, n in masses]
    exist = data.draw(st.sampled_from([None, sum(p for p, _ in masses) + 1]))
    within = [
        arrangements(p, n) if several else [((p, n),)]
        for (p, n), several in zip(masses, mixed, strict=True)
    ]
    arranged = [
        tuple(units([group for part in parts for group in part])) for parts in product(*within)
    ]
    for rule in rules:
        reached = [float(exact(rule, *one, n_positives=exist)) for one in arranged]
        ends = bounds(binned(masses, mixed), rule, exist)
        assert ends == pytest.approx([min(reached), max(reached)], abs=CLOSE)


@st.composite
def weighted(draw):
    """Return bins of few weighted samples, and an order of the samples within their bins."""
    weight = st.sampled_from([0.125, 0.25, 0.75, 1.5, 2.5])  # sums of these are exact
    samples = st.tuples(st.booleans(), weight, st.integers(0, 3))
    chunks = draw(st.lists(st.lists(samples, min_size=1, max_size=4), min_size=1, max_size=3))
    rows = [(i, *sample) for i, chunk in enumerate(chunks) for sample in chunk]
    rows[0] = (0, True, *rows[0][2:])
    bin_, label, masses, rank = map(np.array, zip(*rows, strict=True))
    return label, masses, -10 * bin_ - rank


@given(weighted(), some_bounded)
def test_weighted_bounds_hold(data, rules):
    label, masses, score = data
    counts = tally(label, score, masses)
    start = np.flatnonzero(np.diff(counts.low // 10, prepend=-99))
    for rule in rules:
        if rule.takes_weights and not (rule.depth and rule.depth.by_rows):
            lower, upper = bounds(counts.join(start), rule)
            assert lower - CLOSE <= exact(rule, label, score, masses) <= upper + CLOSE


def test_weighted_ends_are_approached():
    """Many small masses, the negatives first and the positives one by one; and all at once."""
    lower, upper = bounds(binned([(2.5, 1.5), (1.5, 3.0)], [True, True]), Step())
    groups = [(0, 1.5), *[(2.5 / 1000, 0)] * 1000, (0, 3.0), *[(1.5 / 1000, 0)] * 1000]
    assert float(oracle.step(*expand(groups))) == pytest.approx(lower, abs=1e-3)
    assert float(oracle.step(*expand([(2.5, 0), (0, 1.5), (1.5, 0), (0, 3.0)]))) == upper


@pytest.mark.parametrize("name", ["precision-at-recall", "recall-at-precision", "n-point"])
@pytest.mark.parametrize("least", range(1, 10))
@pytest.mark.parametrize("size", [10, 3000, 10_000])
def test_thresholds_are_not_lost_to_rounding(name, least, size):
    """Tenths that are added one by one, as in a stream, reach a recall or a precision exactly."""
    rule, met = NPoint(11) if name == "n-point" else RULES[name](least / 10), least * size // 10
    groups = [(met, 0), (0, size), (size - met, 0)]
    if name == "recall-at-precision":
        groups = [(met, size - met), (0, size), (1, 0)]
    value = float(exact(rule, *expand(groups)))
    masses = [tuple(np.full(n, 0.1).cumsum()[-1] if n else 0.0 for n in each) for each in groups]
    masses[2] = (masses[2][0], 1e-9)
    for mixed in ([False, False, True], [True, False, True]):
        lower, upper = bounds(binned(masses, mixed), rule)
        assert lower - 1e-8 <= value <= upper + 1e-8


def test_levels_that_only_rounding_reaches_do_not_raise_the_lower_end():
    """The largest float below 3 is less than 3/10 of the total mass."""
    short = np.nextafter(3, 0)
    lower, upper = bounds(binned([(short, 1), (7, 8)], [True, True]), NPoint(11))
    for masses in ([(short, 1), (0, 8), (7, 0)], [(0, 1), (short, 0), (0, 8), (7, 0)]):
        assert lower <= float(oracle.n_point(*expand(masses), n_points=11)) <= upper


# How far apart the ends are


def normal(rng, label):
    return rng.standard_normal(label.size) + rng.choice([-2, 0, 1, 4]) * label


def blocks(rng, label):
    """Runs of positives and negatives, with labels made to fit."""
    score = rng.permutation(label.size)
    label[:] = (score // rng.integers(1, 30)) % 2 == 0
    return score


def shifting(rng, label):
    """Scores that are spread out at first, and concentrated later."""
    score = rng.random(label.size)
    return np.where(np.arange(label.size) > label.size // 2, 0.5 + 1e-9 * score, score)


def hidden(rng, label):
    """All positives are within the resolution of any uniform bins."""
    return np.where(label, 0.5 + 1e-12 * rng.random(label.size), rng.random(label.size))


SHAPES = {
    "uniform": lambda rng, label: rng.random(label.size) + 0.5 * label,
    "normal": normal,
    "squeezed": lambda rng, label: 1e-3 * special.expit(normal(rng, label)),
    "saturated": lambda rng, label: special.expit(20 * normal(rng, label)).astype(np.float32),
    "discrete": lambda rng, label: np.round(3 * normal(rng, label)),
    **{shape.__name__: shape for shape in (hidden, blocks, shifting)},
}
each_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def make(rng, shape, most):
    label = rng.random(rng.integers(2, most)) < rng.choice([0.03, 0.2, 0.5, 0.9])
    label[0] = True
    score = shape(rng, label)
    label[score.argmin()] = True
    return label, score


def cut_up(rng, label, score):
    """Chunks of neighboring scores, or of any scores."""
    order = [np.argsort(score), np.arange(label.size), rng.permutation(label.size)][rng.integers(3)]
    for some in np.array_split(order, rng.integers(1, 12)):
        yield [label[some], score[some], None, None]


class InThrees(Engine):
    """Chunks whose parts are joined three at a time."""

    def __init__(self, chunks):
        self.chunks, self.columns = chunks, {}

    def over_chunks(self, make, join):
        found = [make(chunk) for chunk in self.chunks]
        while len(found) > 1:
            found = [join(found[i : i + 3]) for i in range(0, len(found), 3)]
        return found[0]


@each_shape
@pytest.mark.parametrize(
    ("n_cases", "most", "most_bins"),
    [
        (20, 4000, 8),  # more positives than quantiles are kept of each chunk
        pytest.param(1500, 300, 79, marks=pytest.mark.slow),  # more than 10,000 in all shapes
    ],
)
def test_quantiles_of_positives_bound_the_score_closely(shape, n_cases, most, most_bins):
    rng = np.random.default_rng(0)
    for _ in range(n_cases):
        label, score = make(rng, shape, most)
        n_bins = int(rng.integers(1, most_bins + 1))
        engine = InThrees([*cut_up(rng, label, score)])
        (found,) = run_models(partial(count_in_bins, n_bins), Inputs(engine=engine)).values()
        counts = found.tally
        assert np.count_nonzero(counts.low % 3) < 4 * n_bins
        assert counts.positives.sum() == label.sum()
        assert counts.negatives.sum() == (~label).sum()
        assert counts.positives[counts.low % 3 == 0].max(initial=0) <= label.sum() / n_bins
        exact = tally(label, score)
        widest = (2 + 3 * np.log(label.sum())) / n_bins
        for rule in (Step(), Envelope(), NPoint(11)):
            lower, upper = bounds(counts, rule)
            assert lower - CLOSE <= bounds(exact, rule)[0] <= upper + CLOSE
            assert isinstance(rule, NPoint) or upper - lower <= widest


@each_shape
def test_collapsed_bins_contain_the_score(shape):
    """In one pass over chunks, and if bins are collapsed separately and merged afterwards."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        label, score = make(rng, shape, 2000)
        exact, n_bins = tally(label, score), int(rng.integers(1, 60))
        sides = np.array_split(np.arange(label.size), 3)
        parts = [collapse(tally(label[side], score[side]), n_bins) for side in sides]
        counts = collapse(merge(parts), n_bins)
        assert counts.size <= n_bins
        assert (counts.low[1:] > counts.high[:-1]).all()
        assert counts.positives.sum() == label.sum()
        for rule in (Step(), Envelope(), NPoint(11), NPoint(101)):
            lower, upper = bounds(counts, rule)
            assert lower - CLOSE <= bounds(exact, rule)[0] <= upper + CLOSE


def test_merged_bins_stay_narrow():
    """Bins that were collapsed separately are no wider after merging than those of one pass."""
    rng = np.random.default_rng(0)
    label = rng.random(100_000) < 0.2
    score = rng.standard_normal(label.size) + label
    parts = [collapse(tally(label[i::4], score[i::4]), 500) for i in range(4)]
    counts = collapse(merge(parts), 500)
    lower, upper = bounds(counts, Step())
    assert counts.size > 250
    assert upper - lower < (2 + 3 * np.log(label.sum())) / 500 / 4


def test_the_ends_never_cross_by_rounding():
    """If almost nothing is uncertain, and the sums of masses are rounded."""
    rng = np.random.default_rng(0)
    for _ in range(700):
        size = rng.integers(1, 5)
        low = 2 * np.arange(size)
        positives = rng.random(size)
        negatives = rng.random(size) * 10.0 ** -rng.integers(0, 18, size)
        counts = Tally(low, low + rng.integers(0, 2, size), positives, negatives)
        for rule in (Step(), Envelope(), NPoint(11)):
            lower, upper = bounds(counts, rule)
            assert lower <= upper


@pytest.mark.parametrize(("k", "kept"), [(1, 1), (2, 1), (3, 2), (4, 3), (99, 3)])
def test_only_bins_that_k_reaches_are_sent_on(k, kept):
    low = np.arange(3.0)
    counts = Tally(low, low, np.array([1, 0, 1]), np.array([3, 1, 1])).best(Cut(k))
    assert counts.low.tolist() == low[3 - kept :].tolist()


@pytest.mark.parametrize(
    ("positives", "negatives"),
    [
        ([1, 5, 1, 1], [60, 2, 1, 60]),
        ([5, 2, 1, 1], [60, 5, 20, 60]),
        ([5, 2, 1, 1], [5, 2, 1, 1]),
        (range(8, 0, -1), range(1, 9)),
    ],
)
def test_bins_are_joined_where_it_matters_least(positives, negatives):
    """One more positive in this pair, of (0, 1), (2, 3), ..., could move AP the least."""
    positives, negatives = np.array(positives), np.array(negatives)
    scores = np.arange(positives.size)

    def doubt(low):
        found, missed = positives[low + 2 :].sum(), negatives[low + 2 :].sum()
        p, n = positives[low : low + 2].sum() + positives.min(), negatives[low : low + 2].sum()
        lowest, _ = quad(lambda u: (found + u) / (found + u + missed + n), 0, p)
        return p * (found + p) / (found + p + missed) - lowest

    least = min(scores[::2], key=doubt)
    joined = collapse(Tally(scores, scores, positives, negatives), scores.size - 1)
    assert joined.low.tolist() == np.delete(scores, least + 1).tolist()
    assert joined.high.tolist() == np.delete(scores, least).tolist()


@pytest.mark.parametrize("n_slices", range(1, 7))
def test_no_slice_has_more_than_its_share(n_slices):
    rng = np.random.default_rng(n_slices)
    for size in range(1, 30):
        scores, masses = np.arange(size), rng.integers(1, 6, size)
        found = quantiles(Tally(scores, scores, masses, 0 * masses), n_slices)
        assert found.size < 2 * n_slices
        several = found.positives[np.diff(found.low, prepend=-1) > 1]
        assert all(several * n_slices <= masses.sum())


def test_bounds_of_a_mean_over_groups_are_its_value():
    """The values are 1 and 5/12, and the second group has twice as many positives."""
    given = {"y_score": [6, 5, 4, 3, 2, 1], "groups": ["a", "a", "b", "b", "b", "b"]}
    for average, value in (("macro", 17 / 24), ("weighted", 11 / 18)):
        found = ap.metric_bounds([1, 0, 0, 0, 1, 1], **given, average=average)
        assert found == pytest.approx((value, value, value, True))
    assert ap.metric_bounds([1, 0, 0, 0, 1, 1], **given, metric="MAP", k=1).high == 0.5


def test_bounds_that_meet_are_exact():
    stream = MetricAccumulator(n_bins=2).update([1, 1, 0, 0, 0], [5, 4, 3, 2, 1])
    bounds = stream.bounds("11-point")
    assert (bounds.low, bounds.high, bounds.exact) == (1, 1, True)


WEIGHTED = {
    "step": ("average_precision", {}),
    "envelope": ("interpolated_average_precision", {}),
    "at-k": ("average_precision_at_k", {"k": 3}),
    "precision-at-k": ("precision_at_k", {"k": 3}),
    "recall-at-k": ("recall_at_k", {"k": 0.1}),
    "r-precision": ("r_precision", {}),
}


@pytest.mark.parametrize("few", [(1e-200, 1e200), (1e-200, 0.5, 1.0, 1e200, 1e-300, 1e300)])
@pytest.mark.parametrize("rule", WEIGHTED)
def test_weights_hundreds_of_orders_of_magnitude_apart(rule, few):
    """Negatives that weigh nothing beside the positives of their bin still come before them."""
    name, options = WEIGHTED[rule]
    given = {"k_counts": "weight"} if options else {}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labels, scores = np.append([1, 0], rng.integers(0, 2, 30)), rng.integers(0, 12, 32) / 7
        mass = rng.choice(few, labels.size)
        expected = float(oracle.RULES[rule](labels, scores, mass, **options))
        for n_bins in (2, 4):
            stream = MetricAccumulator(n_bins=n_bins).update(labels, scores, mass)
            ends = ap.metric_bounds(
                labels, scores, metric=name, sample_weight=mass, n_bins=n_bins, **options, **given
            )
            for low, high, *_ in (ends, stream.bounds(name, **options, **given)):
                assert low - CLOSE <= expected <= high + CLOSE
