"""The atlas of where intervals hold: its methods, its counts, and what is said of them."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom, ttest_1samp, ttest_rel

import sklearn_ap as ap
from benchmarks import atlas

ROOT = Path(__file__).parents[1]
FOUND = (ROOT / "benchmarks" / "coverage.md").read_text(encoding="utf-8")
NAMES = [atlas.name_of(cell) for cell in atlas.CELLS]
SAVED = {key: count for key, count in atlas.load().items() if count.n_sets}


def cell(name):
    return atlas.CELLS[NAMES.index(name)]


def sample(name, seed=0):
    rng = np.random.default_rng(seed)
    return cell(name), *atlas.drawn(cell(name).population, rng), rng


def test_cells_have_names_of_their_own_and_are_saved():
    assert len(set(NAMES)) == len(NAMES) == 72
    assert {name for name, method in SAVED if method == "sklearn_ap"} == set(NAMES)
    for (name, method), count in SAVED.items():
        assert name in NAMES
        assert count.n_sets <= atlas.METHODS[method][1]
        assert count.inside + count.below + count.above + count.skipped == count.n_sets


def test_each_cell_that_is_outside_is_listed():
    part = FOUND[FOUND.index("## Cells of the atlas") :]
    part = part[: part.index("\n## ", 1)]
    rows = [line.split(" | ") for line in part.splitlines() if line.startswith("| ")][1:]
    listed = {row[0].strip("| "): row[1] for row in rows}
    assert listed == {name: f"{rate:.3f}" for name, rate in atlas.outside(SAVED).items()}
    assert all(len(row) == 4 and len(row[-1]) > 20 for row in rows)  # and says why


@pytest.mark.slow
@pytest.mark.parametrize("method", ["sklearn_ap", "percentile bootstrap"])
def test_a_run_that_goes_on_has_the_same_data_sets(method):
    number = NAMES.index("interval, average_precision: random, 20 positives, 10%")
    *_, whole = atlas.judged(number, method, 0, 6)
    *_, first = atlas.judged(number, method, 0, 2)
    *_, rest = atlas.judged(number, method, 2, 4)
    assert vars(first.add(rest)) == pytest.approx(vars(whole))
    assert whole.n_sets == 6


@pytest.mark.slow
def test_a_run_is_kept_and_goes_on(monkeypatch, tmp_path):
    monkeypatch.setattr(atlas, "RESULTS", tmp_path / "atlas.csv")
    monkeypatch.setattr(atlas, "CELLS", [cell("interval, average_precision: 30 equal clusters")])
    monkeypatch.setattr(
        atlas, "METHODS", {"sklearn_ap": (atlas.ours, 80), "boyd": (atlas.boyd, 80)}
    )
    monkeypatch.setattr(
        atlas, "Parallel", lambda *_, **__: lambda jobs: (f(*a) for f, a, _ in jobs)
    )
    counts = atlas.run(1)
    assert [count.n_sets for count in counts.values()] == [80, 2]  # nothing for Boyd et al.
    for key, count in atlas.load().items():
        assert vars(count) == pytest.approx(vars(counts[key]), abs=1e-6)
    assert atlas.run(1)[NAMES[35], "sklearn_ap"].n_sets == 80
    atlas.draw(counts, tmp_path / "atlas.svg")
    assert "<svg" in (tmp_path / "atlas.svg").read_text(encoding="utf-8")


def test_the_page_counts_the_cells_of_each_method():
    page = (ROOT / "docs" / "confidence_intervals.md").read_text(encoding="utf-8")
    low, high = atlas.GOOD
    assert f"The gray band reaches from {low} to {high}" in " ".join(page.split())
    n_drawn = sum(cell.question in atlas.QUESTIONS for cell in atlas.CELLS)
    assert f"Each of the {n_drawn} rows is a population" in page
    for method, words in {
        "percentile bootstrap": "The percentile bootstrap is below the band in {} of its {} rows, "
        "and above it in {}.",
        "sklearn_ap": "This package is below it in {} of {}, mostly for 11-point average precision "
        "in small samples, and above it in {}.",
    }.items():
        rates = np.array(
            [
                count.rate
                for (name, each), count in SAVED.items()
                if each == method and not name.startswith("note") and np.isfinite(count.rate)
            ]
        )
        below, above = np.count_nonzero(rates < low), np.count_nonzero(rates > high)
        assert words.format(below, rates.size, above) in " ".join(page.split())


@pytest.mark.slow
def test_the_t_test_is_that_of_scipy():
    one, given, scores, rng = sample("interval, average_precision: 20 queries")
    each = [
        [ap.metric("AP")(given["y_true"][rows], score[rows]) for rows in parts]
        for score in scores
        for parts in [[given["groups"] == group for group in range(20)]]
    ]
    low, high, _ = atlas.compute_t_test(one, given, scores[:1], rng)
    assert (low, high) == pytest.approx(ttest_1samp(each[0], 0).confidence_interval())
    two = one._replace(question="difference")
    assert atlas.compute_t_test(two, given, scores, rng)[:2] == pytest.approx(
        ttest_rel(*each).confidence_interval()
    )


@pytest.mark.slow
@pytest.mark.parametrize("role", ["clusters", "groups"])
def test_the_bootstrap_draws_units(role):
    """The mean of five units, four of which have only positives, is binomial."""
    given = {"y_true": np.repeat([1, 1, 0, 1, 1], 2), "clusters": np.repeat([7, 3, 5, 1, 9], 2)}
    metric = "precision_at_100%"
    if role == "groups":
        del given["clusters"]
        given["groups"], metric = np.repeat(range(5), 2), "precision_at_2"
    one, rng = atlas.Cell("", None, metric, "difference"), np.random.default_rng(0)
    low, high, _ = atlas.percentile(one, given, [np.zeros(10)], rng)
    assert (low, high) == pytest.approx((2 / 5, 1))
    assert binom.cdf([1, 2], 5, 0.8) == pytest.approx([0.007, 0.058], abs=0.001)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "interval, average_precision: fair, 50 positives, 10%",
        "interval, average_precision: 2% of positives mislabeled, 50 of 500",
        "interval, average_precision: half of negatives look positive, 100 of 1,100",
    ],
)
def test_exact_values_are_those_of_large_samples(name, monkeypatch):
    exact = atlas.true_value(cell(name))
    monkeypatch.setattr(atlas, "EXACT", ())
    monkeypatch.setattr(atlas, "LARGE", 10**5)
    assert atlas.true_value.__wrapped__(cell(name)) == pytest.approx(exact, abs=0.005)
