"""Few positives among many samples, of which most are counted in bins rather than sorted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap.core import bins, operating_points
from sklearn_ap.core.operating_points import from_scores

SIZE = 3000

TINY, HUGE = np.finfo(float).tiny, np.finfo(float).max

DISTRIBUTIONS = {
    "uniform": lambda random: random.random(SIZE),
    "normal": lambda random: random.normal(size=SIZE),
    "probabilities": lambda random: 1 / (1 + np.exp(-random.normal(-4, 2, SIZE))),
    "log-normal": lambda random: random.lognormal(0, 5, SIZE),
    "heavy tails": lambda random: random.standard_cauchy(SIZE),
    "exponents": lambda random: (
        random.choice([-1, 1], SIZE) * np.exp(random.uniform(-600, 600, SIZE))
    ),
    "ties": lambda random: random.integers(-2, 3, SIZE) / 4,
    "many ties": lambda random: np.round(random.normal(size=SIZE), 1),
    "two zeros": lambda random: random.choice([-0.0, 0.0, 1.0], SIZE),
    "constant": lambda random: np.full(SIZE, 0.3),
    "neighbors": lambda random: np.nextafter(0.3, random.integers(0, 2, SIZE)),
    "integers": lambda random: random.integers(-(10**9), 10**9, SIZE),
    "large integers": lambda random: 2**62 + random.integers(0, 9000, SIZE),
    "unsigned": lambda random: random.integers(0, 2**64, SIZE, dtype=np.uint64),
    "small integers": lambda random: random.integers(-128, 128, SIZE, dtype=np.int8),
    "booleans": lambda random: random.random(SIZE) < 0.5,
    "float32": lambda random: random.normal(size=SIZE).astype(np.float32),
    "float16": lambda random: random.normal(size=SIZE).astype(np.float16),
    "long double": lambda random: random.normal(size=SIZE).astype(np.longdouble),
    "other byte order": lambda random: random.normal(size=SIZE).astype(">f8"),
    "every second": lambda random: random.normal(size=2 * SIZE)[::2],
    "sorted": lambda random: np.sort(random.random(SIZE)),
    "reversed": lambda random: np.sort(random.random(SIZE))[::-1],
    "one outlier": lambda random: np.append(random.random(SIZE - 1), 1e300),
    "infinities": lambda random: np.append(random.normal(size=SIZE - 2), [-np.inf, np.inf]),
    "subnormal": lambda random: random.random(SIZE) * TINY,
    "smallest": lambda random: random.integers(0, 4, SIZE) * 5e-324,
    "largest": lambda random: (random.random(SIZE) - 0.5) * HUGE,
    "beyond floats": lambda random: random.uniform(-1, 1, SIZE) * HUGE,
}


@pytest.fixture(autouse=True)
def small_data(monkeypatch):
    monkeypatch.setattr(bins, "_MIN_BINNED_SCORES", 10)


def labels_of(scores, n_positives, where, random):
    """Labels of positives anywhere, or at the highest or the lowest scores."""
    labels = np.zeros(scores.size, dtype=bool)
    order = {
        "anywhere": random.permutation(scores.size),
        "highest": np.argsort(-scores.astype(float)),
        "lowest": np.argsort(scores.astype(float)),
    }[where]
    labels[order[:n_positives]] = True
    return labels


def sorted_points(labels, scores):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operating_points, "choose_bins", lambda labels, scores: None)
        return from_scores(labels, scores)


def same(points, expected):
    for some, other in zip(points, expected, strict=True):
        if other is None:
            assert some is None
        else:
            assert some.dtype == other.dtype
            assert some.tolist() == other.tolist()
    return True


@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
@given(
    st.integers(0, 2**32),
    st.sampled_from([0, 1, 5, 70, SIZE]),
    st.sampled_from(["anywhere", "highest", "lowest"]),
)
def test_bins_give_the_points_of_a_sort(name, seed, n_positives, where):
    random = np.random.default_rng(seed)
    scores = DISTRIBUTIONS[name](random)
    labels = labels_of(scores, n_positives, where, random)
    expected = sorted_points(labels, scores)
    assert same(from_scores(labels, scores), expected)
    if scores.dtype != np.float64:
        assert bins.choose_bins(np.arange(SIZE) < 1, scores) is None
        return
    for size in (2, 50, 10 * SIZE):  # also where a sort is chosen
        for uses_bits in (False, True):
            table = bins.Bins.from_scores(scores, size, uses_bits)
            if 0 < table.scale < np.inf and (table.low > 0 or not uses_bits):
                assert same(operating_points._from_bins(labels, scores, table), expected)


@pytest.mark.parametrize(
    ("name", "uses_bits"),
    {
        "uniform": False,
        "normal": False,
        "sorted": False,
        "every second": False,
        "log-normal": True,
        "heavy tails": None,
        "exponents": None,
        "ties": None,
        "constant": None,
        "one outlier": None,
        "infinities": None,
        "float32": None,
        "integers": None,
    }.items(),
)
def test_which_scores_are_counted_in_bins(name, uses_bits):
    scores = np.concatenate([DISTRIBUTIONS[name](np.random.default_rng(i)) for i in range(10)])
    table = bins.choose_bins(np.arange(scores.size) < 100, scores)
    assert (table and table.uses_bits) == uses_bits
    assert bins.choose_bins(np.arange(scores.size) % 30 < 1, scores) is None


def test_few_scores_share_a_bin_with_positives_wherever_they_are():
    """Sorted scores don't look more even, and positives may be in the fullest bins."""
    for name in ("uniform", "normal", "probabilities", "log-normal"):
        for seed in range(5):
            random = np.random.default_rng(seed)
            scores = np.sort(np.concatenate([DISTRIBUTIONS[name](random) for _ in range(10)]))
            for n_positives in (10, 100, 300, 700):
                table = bins.choose_bins(np.arange(scores.size) < n_positives, scores)
                if table is not None:
                    fullest = np.sort(np.bincount(table.find_bins(scores)))[-n_positives:]
                    assert fullest.sum() < 0.6 * scores.size


def test_every_point_is_none_of_bins():
    random = np.random.default_rng(0)
    scores, labels = random.random(60_000), np.zeros(60_000, dtype=bool)
    labels[:10] = True
    assert from_scores(labels, scores).positives.size == 10  # of bins
    assert from_scores(labels, scores, every_point=True).positives.size == 60_000
