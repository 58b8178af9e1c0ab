"""Ranks of several models, and the intervals that contain all of them at once."""

import json
import pickle

import numpy as np
import pytest
from scipy import stats

import sklearn_ap as ap
from sklearn_ap.core.all_pairs import errors_of_pairs, rank_limits, ranks_of, told_apart


def models_of(n_models=5, n=200, apart=0.8, seed=0):
    """Return labels, and the scores of models that get better from one to the next."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 4 == 0).astype(int)
    shared = rng.standard_normal(n) + y
    own = rng.standard_normal((n_models, n))
    scores = shared + own + apart * np.arange(n_models)[:, np.newaxis] * y
    return y, dict(zip("abcdefghijkl", scores, strict=False))


# Ranks of values


@pytest.mark.parametrize("seed", range(20))
def test_ranks_are_those_of_scipy(seed):
    values = np.random.default_rng(seed).integers(0, 5, 9) / 8
    assert ranks_of(values).tolist() == stats.rankdata(-values, method="min").tolist()


def test_equal_values_have_equal_ranks_whatever_their_last_bit_is():
    assert 0.1 + 0.2 != 0.3
    assert ranks_of(np.array([0.3, 0.5, 0.1 + 0.2, 0.1])).tolist() == [2, 1, 2, 4]


def test_ranks_of_nothing_but_zeros():
    assert ranks_of(np.zeros(3)).tolist() == [1, 1, 1]


# Intervals of ranks


def test_limits_by_hand():
    is_higher = np.zeros((4, 4), bool)
    is_higher[0, 2] = is_higher[0, 3] = is_higher[1, 3] = True
    low, high = rank_limits(is_higher)
    assert low.tolist() == [1, 1, 2, 3]
    assert high.tolist() == [2, 3, 4, 4]


def test_equal_values_are_never_told_apart():
    values = np.array([0.5, 0.5, 0.5 + 1e-16])
    found = told_apart(values, np.zeros((3, 3)), 0.1, lambda *_: 0.0)
    assert not found.any()


def test_errors_of_pairs_are_those_of_the_differences():
    deviations = np.random.default_rng(0).standard_normal((4, 50_000))  # several blocks
    expected = np.linalg.norm(deviations[:, np.newaxis] - deviations, axis=2)
    np.testing.assert_allclose(errors_of_pairs([*deviations]), expected, rtol=1e-9, atol=1e-5)


# Ranks of models


DAYS, PATIENTS = np.arange(200) // 10, np.arange(200) // 5
GIVEN = {
    "rows": {},
    "groups": {"groups": DAYS},
    "clusters": {"clusters": PATIENTS},
    "both": {"groups": DAYS, "clusters": np.arange(200) % 50},
    "weights": {"sample_weight": 1 + np.arange(200) % 3},
    "cutoff": {"metric": "P@10%", "random_state": 0},
    "bootstrap": {"method": "bootstrap", "random_state": 0},
    "randomization": {"method": "randomization", "groups": DAYS, "random_state": 0},
}
each_kind = pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)


@pytest.mark.sweep(4)
@each_kind
def test_ranks_follow_from_all_pairs(given):
    y, models = models_of()
    ranks = ap.compare(y, models, **given).ranks()
    values = [row.value for row in ranks]
    assert [row.model for row in ranks] == list(models)
    assert values == [ap.compare(y, models, **given).rows[place].value for place in range(5)]
    expected = stats.rankdata(-np.array(values), method="min")
    assert [row.rank for row in ranks] == expected.tolist()
    chosen = ap.compare(y, models, **given)
    rows = {row.model: row for row in ranks}
    n_worse = sum(row.verdict == "worse" for row in chosen)
    assert n_worse == 5 - rows[chosen.baseline].high
    assert n_worse
    assert ranks.best == tuple(row.model for row in ranks if row.low == 1)
    assert all(row.low <= row.rank <= row.high for row in ranks)


@each_kind
@pytest.mark.parametrize("apart", [0.1, 3])
def test_two_models_cant_be_told_apart_unless_one_is_better(given, apart):
    y, models = models_of(2, apart=apart)
    comparison = ap.compare(y, models, baseline="a", **given)
    is_better = comparison.rows[1].pvalue < 0.05
    assert is_better == (apart == 3)
    assert comparison.ranks().best == (("b",) if is_better else ("a", "b"))


@pytest.mark.sweep(4)
@each_kind
def test_identical_models_cant_be_told_apart(given):
    y, models = models_of(apart=3)
    models |= {"same": models["e"], "stretched": 2 * models["e"] + 1, "low": models["a"]}
    ranks = {row.model: row for row in ap.compare(y, models, **given).ranks()}
    for one, other in (("e", "same"), ("e", "stretched"), ("a", "low")):
        first, second = ranks[one], ranks[other]
        assert (first.rank, first.low, first.high) == (second.rank, second.low, second.high)
        assert first.low < first.high


def test_a_rank_is_known_if_nothing_else_is_close():
    y, models = models_of(3, apart=1.8, n=2000)
    models = {"a": models["b"], "b": models["a"], "c": models["c"]}
    ranks = ap.compare(y, models).ranks()
    assert [(row.rank, row.low, row.high) for row in ranks] == [(2, 2, 2), (3, 3, 3), (1, 1, 1)]
    assert ranks.best == ("c",)


def test_ranks_dont_depend_on_the_baseline_or_on_what_was_said_about_it():
    y, models = models_of()
    found = ap.compare(y, models).ranks()
    assert found == ap.compare(y, models, baseline="a", joint=False, margin=0.1).ranks()
    assert found.best == ap.compare(y, dict(reversed(models.items()))).ranks().best[::-1]


def test_a_higher_level_makes_intervals_wider():
    y, models = models_of(apart=0.5)
    widths = []
    for level in (0.5, 0.95, 0.999):
        rows = ap.compare(y, models, confidence_level=level).ranks().rows
        widths.append([row.high - row.low for row in rows])
    assert np.all(np.diff(widths, axis=0) >= 0)
    assert sum(widths[0]) < sum(widths[-1])


# How they print


def test_the_table_and_its_sentence():
    y, models = models_of(4, apart=1.2)
    ranks = ap.compare(y, {"b": models["d"], "a": models["a"], "d": models["d"]}).ranks()
    assert [line.split()[0] for line in str(ranks).splitlines()[2:5]] == ["b", "d", "a"]
    assert [(row.rank, row.low, row.high) for row in ranks] == [(1, 1, 2), (3, 3, 3), (1, 1, 2)]
    assert ranks.best == ("b", "d")
    assert ranks.to_frame().loc["a"].to_dict()["rank"] == 3
    rows = json.loads(json.dumps(ranks.to_dict(), allow_nan=False))
    assert [row["best"] for row in rows] == [True, False, True]
    assert pickle.loads(pickle.dumps(ranks)) == ranks
    for text in (ranks.to_html(), ranks.to_markdown(), ranks.to_latex("Ranks")):
        assert "be told apart as the best" in text


@pytest.mark.parametrize(
    ("names", "start"),
    [
        ("abc", "a, b and c can't be told apart as the best by average precision: no model is"),
        (
            "abcdefgh",
            "a, b, c, d, e and 3 others can't be told apart as the best by average precision",
        ),
    ],
)
def test_many_models_that_cant_be_told_apart(names, start):
    y, models = models_of(1)
    ranks = ap.compare(y, dict.fromkeys(names, models["a"])).ranks()
    assert " ".join(str(ranks).split()).rpartition("of them")[0].count(start[:60]) == 1
    assert start in " ".join(str(ranks).split())


def test_two_models_that_cant_be_told_apart():
    y, models = models_of(1)
    ranks = ap.compare(y, dict.fromkeys("ab", models["a"])).ranks()
    sentence = (
        "a and b can't be told apart as the best by average precision: no model is significantly "
        "better than either."
    )
    assert " ".join(str(ranks).split()).endswith(sentence)


def test_a_single_best_model():
    y, models = models_of(2, apart=3)
    sentence = "b is significantly better than the other model by average precision."
    assert " ".join(str(ap.compare(y, models).ranks()).split()).endswith(sentence)
    models |= {"c": models["a"]}
    sentence = "significantly better than all other models by average precision, all pairs at once."
    assert " ".join(str(ap.compare(y, models).ranks()).split()).endswith(sentence)


def test_after_pickling_ranks_need_the_data():
    y, models = models_of(3)
    found = ap.compare(y, models)
    copy = pickle.loads(pickle.dumps(found))
    assert copy == found
    with pytest.raises(ValueError, match="ranks needs the data, which stayed behind"):
        copy.ranks()


def test_a_picture():
    pytest.importorskip("matplotlib")
    y, models = models_of(apart=1.2)
    ranks = ap.compare(y, models).ranks()
    display = ranks.plot()
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == sorted(models, key=lambda name: ranks.to_frame()["rank"][name])
    points = display.errorbar_.lines[0].get_xdata().tolist()
    assert points == sorted(row.rank for row in ranks)
    (bars,) = display.errorbar_.lines[2]
    ends = {tuple(segment[:, 0]) for segment in bars.get_segments()}
    assert ends == {(row.low, row.high) for row in ranks}
    assert display.ax_.get_xlabel() == "Rank by average precision\n95% interval"
    assert ranks.plot(ax=display.ax_).ax_ is display.ax_


# Many models


def test_many_models_are_ranked_as_by_all_tests(monkeypatch):
    """Of many pairs, not all are tested, and most of them quickly."""
    y, models = models_of(12, apart=0.15, n=400)
    expected = ap.compare(y, models).ranks()
    monkeypatch.setattr("sklearn_ap.core.all_pairs._MANY", 10)
    assert ap.compare(y, models).ranks() == expected
    grouped = {"groups": np.arange(400) // 20}
    found = ap.compare(y, models, **grouped).ranks()
    monkeypatch.undo()
    assert found == ap.compare(y, models, **grouped).ranks()


@pytest.mark.slow
def test_many_models_of_queries_are_ranked():
    rng = np.random.default_rng(0)
    y = (rng.random(1000) < 0.2).astype(int)
    shared = rng.standard_normal(1000) + y
    models = {i: shared + 0.03 * i * y + rng.standard_normal(1000) for i in range(100)}
    given = {"groups": np.arange(1000) // 20, "zero_division": 0.0}
    ranks = ap.compare(y, models, **given).ranks()
    assert 1 < len(ranks.best) < 100
    assert len(ranks.rows) == 100


# Coverage
FEW = ((2, 400), (10, 200))  # models, and how many data sets they are ranked in


def coverage(n_models, of_true, units, n_sets, seed=0):
    """Return how often the intervals of all models contain their true ranks."""
    rng = np.random.default_rng(seed)
    better = np.asarray(of_true, dtype=float)
    is_better = better[:, np.newaxis] > better
    low, high = rank_limits(is_better)
    n, n_units = 300, 30
    held = 0
    for _ in range(n_sets):
        y = (np.arange(n) % 6 == 0).astype(int)
        unit = np.repeat(np.arange(n_units), n // n_units)
        of_unit = rng.standard_normal(n_units)[unit] * (units != "rows")
        shared = rng.standard_normal(n) + y + of_unit * y
        own = 0.7 * rng.standard_normal((n_models, n))
        if units == "clusters":
            own += 0.7 * rng.standard_normal((n_models, n_units))[:, unit] * y
        scores = np.round(shared + own + better[:, np.newaxis] * y, 1)  # with ties
        given = {} if units == "rows" else {units: unit}
        ranks = ap.compare(y, dict(enumerate(scores)), **given).ranks()
        found = np.array([(row.low, row.high) for row in ranks])
        held += bool(np.all(found[:, 0] <= low) and np.all(found[:, 1] >= high))
    return held / n_sets


@pytest.mark.slow
@pytest.mark.parametrize("units", ["rows", "groups", "clusters"])
@pytest.mark.parametrize(
    ("kind", "n_models", "n_sets"),
    [
        *((kind, n, sets) for kind in ("ties", "near ties", "levels") for n, sets in FEW),
        ("levels", 50, 20),
    ],
)
def test_all_intervals_hold_at_once(units, kind, n_models, n_sets):
    of_true = {
        "ties": np.zeros(n_models),
        "near ties": 0.02 * np.arange(n_models),
        "levels": np.repeat([0.0, 0.5, 1.5], n_models)[::3],
    }[kind]
    error = np.sqrt(0.05 * 0.95 / n_sets)
    assert coverage(n_models, of_true, units, n_sets) >= 0.95 - 3 * error
