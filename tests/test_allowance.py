"""Ends of differences move out, for what a model may lose to negatives that the sample lacks.

That changes neither p nor what an interval of 0 says, whatever the table, level and family.
"""

import numpy as np
import pytest
from hypothesis import settings
from scipy.stats import norm, spearmanr
from scipy.stats import t as student

import sklearn_ap as ap
from sklearn_ap.core.spread import SignFlips, Spread

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99]
METRICS = ["AP", "interpolated_average_precision"]


def table(seed):
    """Make labels, the scores of a model, a worse one, a near copy and one that may be perfect, and
    how rows are drawn.
    """
    rng = np.random.default_rng([93, seed])
    size = int(rng.choice([8, 20, 60, 200]))
    label = rng.permutation(np.arange(size) < max(2, round(size * rng.choice([0.1, 0.5, 0.9]))))
    apart, shared = rng.choice([0.0, 1.0, 3.0, 6.0]), rng.standard_normal(size)
    first = shared + 0.5 * rng.standard_normal(size) + apart * label
    models = {
        "first": first,
        "worse": shared + rng.standard_t(3, size) + rng.choice([0.5, 1.0]) * apart * label,
        "copy": first + 0.05 * rng.standard_normal(size),
        "perfect": label + rng.choice([0.01, 0.3]) * rng.standard_normal(size),
    }
    if rng.random() < 0.3:  # ties
        models = {name: np.round(score) for name, score in models.items()}
    units = [
        {},
        {},
        {"clusters": np.arange(size) // 2},
        {"sample_weight": rng.integers(1, 4, size)},
    ]
    return label, models, units[rng.integers(4)] | {"metric": METRICS[rng.integers(2)]}


def ends(found):
    return found.low, found.high


def compare(*columns, **given):
    """Return a comparison, and the ends of its interval without allowances."""
    tested, moved_out = [], Spread.moved_out

    def record(spread, ends_of_test, *more):
        tested.append(ends_of_test)
        return moved_out(spread, ends_of_test, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Spread, "moved_out", record)
        found = ap.compare(*columns, **given)
    return found, tested[0] if tested else ends(found)


def check(seed):
    """Check all laws on one table, and return whether an end has moved."""
    label, models, given = table(seed)
    names = [*np.random.default_rng(seed).permutation([*models])]
    a, b, c = (models[name] for name in names[:3])
    by_level = [compare(label, a, b, confidence_level=level, **given) for level in LEVELS]
    for level, (found, (low, high)) in zip(LEVELS, by_level, strict=True):
        assert (found.pvalue < round(1 - level, 12)) == (found.low > 0 or found.high < 0)
        assert found.low <= found.difference <= found.high
        assert found.low <= low
        assert found.high >= high
        if low > 0 or high < 0:  # an end that excludes 0 stays
            assert found.low == low if low > 0 else found.high == high
    limits = np.array([(-found.low, found.high) for found, _ in by_level])
    assert np.all(np.diff(limits, axis=0) >= -1e-12), "nested over levels"
    two, tested = by_level[LEVELS.index(0.95)]
    swapped = ap.compare(label, b, a, **given)
    assert swapped.pvalue == pytest.approx(two.pvalue, rel=1e-9)
    assert ends(swapped) == pytest.approx((-two.high, -two.low), abs=1e-9)
    of_three = {"a": a, "b": b, "c": c}
    family = ap.compare(label, of_three, baseline="b", **given)
    row = family.rows[0]
    assert row.low <= two.low + 1e-12, "nested over families"
    assert row.high >= two.high - 1e-12
    assert row.pvalue >= two.pvalue
    assert (row.pvalue < 0.05) == (row.low > 0 or row.high < 0)
    reverse = dict(reversed(of_three.items()))
    in_reverse = {row.model: row for row in ap.compare(label, reverse, baseline="b", **given)}
    with_copy = ap.compare(label, of_three | {"d": a}, baseline="b", **given).rows
    for same in (in_reverse["a"], with_copy[0], with_copy[3]):
        assert (*ends(same), same.pvalue) == pytest.approx((*ends(row), row.pvalue), rel=1e-9)
    return ends(two) != tested


def test_laws_of_allowances():
    assert sum(check(seed) for seed in range(12))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(12, 5012, 250))
def test_laws_of_allowances_of_many_tables(start):
    """1,500 in .ci/run, and 5,000 in .ci/nightly."""
    for seed in range(start, start + 5 * settings.default.max_examples // 2):
        check(seed)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(20))
def test_ends_rise_with_the_difference(seed):
    """So a better model never gets a worse verdict, whatever the margin."""
    rng = np.random.default_rng(seed)
    deviations, losses = 0.01 * rng.standard_normal((1, 60)), 0.1 * rng.random((2, 2))
    found = []
    for mean in np.linspace(-0.4, 0.4, 200).tolist():
        of_mean = np.array([mean])
        spread = Spread(of_mean, np.ones(1), deviations, np.array([60.0]), mean, n_units=60)
        low, high, _ = spread.t_test(0.95)
        found.append(spread.moved_out((low, high), 0.95, 60, losses))
    assert np.all(np.diff(found, axis=0) >= 0)


@pytest.mark.parametrize("level", [0.95, 0.99])
def test_an_allowance_by_definition(level):
    """Half of what one more negative at the top costs a model, times how differently both models
    rank the negatives.
    """
    rng = np.random.default_rng(5)
    y, shared = np.arange(120) < 40, rng.normal(size=120)
    a, b = (shared + rng.normal(size=120) + 2 * y for _ in range(2))
    found, tested = compare(y, a, b, confidence_level=level)
    assert tested[0] < 0 < tested[1]
    r = spearmanr(a[~y], b[~y]).statistic
    by_t = student.ppf((1 + level) / 2, 119) * found.standard_error
    reaches = []
    for score in (a, b):
        rank = np.arange(1, 121)[y[np.argsort(-score)]]
        loss = np.mean(np.arange(1, 41) / rank**2)  # to first order
        allowance = norm.ppf((1 + level) / 2) * np.sqrt(1 - r**2) * loss / 2
        reaches.append(np.hypot(by_t, allowance))
    expected = found.difference - reaches[0], found.difference + reaches[1]
    assert ends(found) == pytest.approx(expected, rel=1e-9)


def test_a_model_that_is_perfect_here_may_lose_what_its_interval_allows():
    rng = np.random.default_rng(1)
    y = np.arange(60) < 20
    perfect, other = y + 0.01 * rng.normal(size=60), y + 0.4 * rng.normal(size=60)
    found, tested = compare(y, perfect, other)
    below = 1 - ap.confidence_interval(y, perfect).low
    r = max(spearmanr(perfect[~y], other[~y]).statistic, 0)
    by_t = student.ppf(0.975, 59) * found.standard_error
    assert found.low <= 0
    reach = np.hypot(by_t, np.sqrt(1 - r**2) * below)
    assert found.low == pytest.approx(min(found.difference - reach, tested[0]))


def test_identical_rankings_have_no_allowance():
    y, score = np.arange(60) < 20, np.random.default_rng(1).normal(size=60)
    for other in (score, 2 * score):
        assert ends(ap.compare(y, score, other)) == (0, 0)


def test_near_copies_stay_equivalent():
    rng = np.random.default_rng(0)
    y = np.arange(400) < 200
    score = rng.normal(size=400) + 2.3 * y
    copy = score + 0.05 * rng.normal(size=400)
    assert ap.compare(y, copy, score, margin=0.02).verdict == "equivalent"


def test_a_note_says_where_one_negative_may_decide():
    y = np.arange(60) < 20
    better = -np.arange(60.0)
    worse = better.copy()
    worse[[19, 20]] = worse[[20, 19]]
    with_one_more = ap.average_precision_score([*y, False], [*worse, 1])
    loss = ap.average_precision_score(y, worse) - with_one_more
    text = f"One more negative at the top of 'A' would cost it {loss:.2g}, more than the difference"
    (note,) = ap.compare(y, worse, better).notes
    assert note.code == "one_negative"
    assert note.text.startswith(text)
    assert "Here, none of 40 negatives is above half of its positives" in note.text
    worse[[1, 30]] = worse[[30, 1]]  # now one negative is near the top
    better[[1, 30]] = better[[30, 1]]
    (note,) = ap.compare(y, worse, better).notes
    assert "Here, only 1 of 40 negatives is above half of its positives" in note.text
    worse[[2, 31]] = worse[[31, 2]]  # and another one
    better[[2, 32]] = better[[32, 2]]
    assert not ap.compare(y, worse, better).notes


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        ("envelope", ap.interpolated_average_precision_score),
        ("linear", ap.compat.trapezoidal_average_precision_score),
    ],
)
def test_the_note_on_one_negative_has_the_loss_of_each_metric(metric, score):
    y, better = np.arange(60) < 20, -np.arange(60.0)
    worse = better.copy()
    worse[[19, 20]] = worse[[20, 19]]
    loss = score(y, worse) - score([*y, False], [*worse, 1])
    (note,) = ap.compare(y, worse, better, metric=metric).notes
    assert f"would cost it {loss:.2g}, more than" in note.text


def test_no_note_on_negatives_if_one_more_costs_less_than_the_difference():
    """It would cost 0.5, for which twice that is a quick bound, and the difference is 0.67."""
    y, best, third = np.arange(12) == 0, -np.arange(12.0), -np.arange(12.0)
    third[:3] = third[[2, 0, 1]]
    assert ap.average_precision_score(y, third) == pytest.approx(1 / 3)
    assert ap.average_precision_score([*y, False], [*best, 1]) == 0.5
    codes = [note.code for note in ap.compare(y, third, best).notes]
    assert "one_negative" not in codes


@pytest.mark.filterwarnings("ignore:All")
def test_no_note_on_negatives_without_any():
    codes = [note.code for note in ap.compare([1] * 5, [1, 2, 3, 4, 5], [5, 4, 3, 2, 1]).notes]
    assert "one_negative" not in codes


def copies(seed, n_models=2, noise=0.02, size=300):
    rng = np.random.default_rng([103, seed])
    y = np.arange(size) < size // 10
    score = rng.normal(size=size) + 2 * y
    return y, *(score + noise * rng.normal(size=(n_models, size)))


@pytest.mark.parametrize("times", [0.5, 1.0, 4.0])
def test_swaps_are_stretched_by_the_root_of_what_they_lack(times):
    """`times` is how many times as large the standard error is as that of swaps."""
    parts = np.random.default_rng(0).standard_normal(40)
    spread = Spread(np.zeros(1), np.ones(1), times * parts[np.newaxis], np.array([40.0]), 0.0)
    flips, plain = spread.flips_of(parts), SignFlips.of(parts)
    factor = max(times, 1) ** 0.5
    assert flips.deviation == pytest.approx(factor * plain.deviation)
    assert flips.reach(0.9) == pytest.approx(factor * plain.reach(0.9))
    assert flips.pvalue(factor * plain.reach(0.9)) == pytest.approx(0.1)
    few = spread._replace(deviations=times * parts[np.newaxis, :5]).flips_of(parts[:5])
    assert few.least >= 2.0**-4


def test_copies_have_few_false_alarms():
    found = [ap.compare(*copies(seed)).pvalue for seed in range(60)]
    assert np.mean(np.array(found) < 0.05) <= 0.1


@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(20))
def test_an_end_that_includes_0_is_never_closer_than_a_rare_negative(seed):
    """Whether units differ, or only the places of negatives that don't matter."""
    y, a, b = copies(seed, noise=0.01)
    lowest = np.argsort(a)[:2]
    swapped = a.copy()
    swapped[lowest] = a[lowest[::-1]]
    others = 1 - 0.025 ** (1 / y.sum())
    for other in (swapped, b):
        found = ap.compare(y, a, other)
        for end, score in zip(ends(found), (a, other), strict=True):
            rank = np.arange(1, y.size + 1)[y[np.argsort(-score)]]
            loss = np.mean(np.arange(1, rank.size + 1) / rank**2)  # to first order
            assert (
                abs(end - found.difference) >= others * loss - 1e-12 or end * found.difference > 0
            )
    codes = [note.code for note in ap.compare(y, a, swapped, margin=0.1).notes]
    assert {"none_differ", "unseen_faults"} <= set(codes)


def test_every_equivalent_says_which_faults_would_go_unseen():
    y, a, b = copies(1)
    groups = np.arange(y.size) // 3
    for given, words in (
        ({}, "1% of rows (3 of 300)"),
        ({"clusters": groups}, "3% of clusters (3 of 100)"),
    ):
        models = {"a": a, "b": b, "c": a}
        found = ap.compare(y, models, baseline="a", margin=0.2, **given)
        assert f"A fault in fewer than {words} would go unseen." in [
            note.text for note in found.notes
        ]
    assert "unseen_faults" not in [note.code for note in ap.compare(y, a, b).notes]


def test_few_rows_that_would_use_up_the_margin_are_named():
    y, a, _ = copies(2)
    other = a.copy()
    other[[0, 1]] = -5.0  # two positives
    found = ap.compare(y, other, a)
    left = max(-found.low, found.high)
    for margin, is_told in ((1.01 * left, True), (left + 3 * found.standard_error, False)):
        codes = [note.code for note in ap.compare(y, other, a, margin=margin).notes]
        assert ("few_units" in codes) is is_told


@pytest.mark.parametrize("size", [65_000, 66_000])
def test_widths_of_copies_have_no_cliff(size):
    """Ranks among many rows are those of places, which only depend on the order."""
    rng = np.random.default_rng(3)
    y = np.arange(size) < 300
    score = rng.normal(size=size) + 2 * y
    a, b = (score + 0.02 * rng.normal(size=size) for _ in range(2))
    found = ap.compare(y, a, b)
    assert 0.002 < found.high - found.low < 0.007
    assert ends(ap.compare(y, np.exp(a), 2 * b + 1)) == pytest.approx(ends(found), abs=1e-12)


def test_few_clusters_have_the_smallest_p_value_that_stretched_swaps_leave():
    """`few_groups` names it if it isn't below alpha, and no p-value is below it."""
    n_told = 0
    for seed in range(10):
        y, a, b = copies(seed, size=280)
        clusters = np.arange(280) % 7
        found = ap.compare(y, a, b, clusters=clusters)
        notes = [note.text for note in found.notes if note.code == "few_groups"]
        if notes:
            least = float(notes[0].split("below ")[1].split(",")[0])
            assert least >= 0.05
            assert found.pvalue >= least * (1 - 1e-2)
            n_told += 1
    assert n_told
