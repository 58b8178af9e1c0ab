"""Which candidates of a search, or of several ways to train, may be the best: compare_folds."""

import json
import pickle
from dataclasses import replace
from functools import partial
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    RandomizedSearchCV,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import sklearn_ap as ap
from benchmarks.searches import SEARCHES, outcomes

SCORES = np.array(
    [
        [0.62, 0.71, 0.66, 0.70, 0.64],
        [0.58, 0.69, 0.65, 0.64, 0.61],
        [0.63, 0.60, 0.61, 0.66, 0.60],
        [0.30, 0.41, 0.33, 0.40, 0.35],
    ]
)
X, Y = make_classification(300, weights=[0.7], class_sep=0.5, random_state=0)
GRID = {"max_depth": [1, 2, 5]}
TREE = DecisionTreeClassifier(random_state=0)


def search(scores, cv=5, name="score", **others):
    """Return what has the results of a search with these scores, a row for each candidate."""
    results = {f"split{i}_test_{name}": each for i, each in enumerate(np.transpose(scores))}
    params = [{"C": place} for place in range(len(scores))]
    return SimpleNamespace(cv_results_={"params": params, **results, **others}, cv=cv)


def alone(scores, best, level, **given):
    return ap.compare_folds(scores, best, n_train=4, n_test=1, confidence_level=level, **given)


@pytest.mark.parametrize(
    ("scoring", "metric", "called"),
    [
        (None, None, "score"),
        (None, "average_precision", "average_precision"),
        (None, ap.metric("AP"), "Average precision"),
        ("average_precision", None, "average_precision"),
        ("average_precision", "AP", "average_precision"),
        (ap.get_scorer("P@10"), None, "Precision at 10"),
        (ap.get_scorer("P@10"), ap.metric("P@10"), "Precision at 10"),
    ],
)
def test_a_single_score_is_called_by_its_scorer_or_as_the_caller_says(scoring, metric, called):
    found = search(SCORES)
    found.scoring, found.scorer_ = scoring, scoring
    assert ap.compare_folds(found, metric=metric).metric == called
    if scoring is None:  # as in what cross_validate returned
        way = {"test_score": SCORES[0]}
        of_ways = ap.compare_folds(way, way, n_train=4, n_test=1, metric=metric)
        assert of_ways.metric == called


@pytest.mark.parametrize("scoring", ["average_precision", ap.get_scorer("AP")])
def test_a_single_score_is_not_called_by_another_metric(scoring):
    found = search(SCORES)
    found.scoring, found.scorer_ = scoring, scoring
    with pytest.raises(ValueError, match=r"so metric must be one of these\. Got 'P@10' instead\.$"):
        ap.compare_folds(found, metric="P@10")


@pytest.mark.parametrize("level", [0.95, 0.9])
@pytest.mark.parametrize("margin", [None, 0.1])
def test_each_candidate_is_compared_with_the_best_in_one_family(level, margin):
    found = ap.compare_folds(search(SCORES), confidence_level=level, margin=margin)
    best, *others = found.rows
    assert (best.value, best.rank, best.difference) == (pytest.approx(0.666), 1, 0)
    assert np.isnan([best.low, best.high, best.pvalue]).all()
    assert best.verdict is None
    for row, scores in zip(others, SCORES[1:], strict=True):
        pair = alone(scores, SCORES[0], 1 - (1 - level) / 3, margin=margin)
        ends = row.difference, row.low, row.high
        assert ends == pytest.approx(tuple(pair), rel=1e-9)
        assert row.pvalue == pytest.approx(min(3 * pair.pvalue, 1), rel=1e-9)
        assert row.verdict == pair.verdict
        assert row.may_be_best == (row.pvalue >= 1 - level) == (row.high >= 0)
    assert [row.params for row in found] == [{"C": place} for place in range(4)]
    assert [row.rank for row in found] == [1, 2, 3, 4]
    assert found.best == tuple(row.params for row in found if row.may_be_best)
    assert len(found.best) == 3


def test_two_candidates_print_what_compare_folds_prints():
    found, pair = ap.compare_folds(search(SCORES[:2])), alone(SCORES[1], SCORES[0], 0.95)
    row = found.rows[1]
    assert (row.difference, row.low, row.high, row.pvalue) == (*pair, pair.pvalue)
    assert "-0.032  -0.068 to 0.004  0.068  unclear" in str(found)
    assert "-0.032 | -0.068 to 0.004 | 0.068" in pair.to_markdown()
    assert "adjusted for" not in str(found)


@pytest.mark.parametrize("n_candidates", [2, 3, 10])
def test_p_and_interval_agree(n_candidates):
    rng = np.random.default_rng(n_candidates)
    for level in (0.8, 0.95, 0.99):
        scores = rng.random((n_candidates, 6)) + np.linspace(0, 1, n_candidates)[:, np.newaxis]
        found = ap.compare_folds(search(scores), confidence_level=level)
        turned = ap.compare_folds(search(scores[:, ::-1]), confidence_level=level)
        assert [row.rank for row in turned] == [row.rank for row in found]
        assert turned.best == found.best
        for row in found:
            assert row.may_be_best == (not row.high < 0)
            assert row.verdict == {1: None}.get(row.rank, "unclear" if row.may_be_best else "worse")


def test_copies_of_the_best_are_the_best_ones_too():
    found = ap.compare_folds(search(SCORES[[1, 0, 2, 2, 0, 1, 3]]))
    assert [row.rank for row in found] == [3, 1, 5, 5, 1, 3, 7]
    assert found.rows[4].pvalue == 1
    assert {"C": 4} in found.best
    assert ap.compare_folds(search(SCORES[[0, 0]])).best == ({"C": 0}, {"C": 1})


NAMES = "logistic", "forest", "boosting", "dummy"
NAMED = dict(zip(NAMES, SCORES, strict=True))


def compare_named(named, **given):
    return ap.compare_folds(named, n_train=4, n_test=1, **given)


@pytest.mark.parametrize("level", [0.95, 0.9])
@pytest.mark.parametrize("margin", [None, 0.1])
@pytest.mark.parametrize("baseline", [None, "forest"])
def test_each_way_to_train_is_compared_with_the_baseline_in_its_family(level, margin, baseline):
    """By default, that is the best one."""
    given = {"confidence_level": level, "margin": margin}
    found = compare_named(NAMED, baseline=baseline, **given)
    base, family = baseline or "logistic", 3
    assert found.baseline == base
    assert [row.model for row in found] == list(NAMES)
    for row in found:
        assert row.value == pytest.approx(NAMED[row.model].mean())
        if row.model == base:
            assert np.isnan([row.low, row.high, row.pvalue]).all()
            continue
        pair = alone(NAMED[row.model], NAMED[base], 1 - (1 - level) / family, margin=margin)
        ends = row.difference, row.low, row.high
        assert ends == pytest.approx(tuple(pair), rel=1e-9)
        assert row.pvalue == pytest.approx(min(family * pair.pvalue, 1), rel=1e-9)
        assert row.verdict == pair.verdict


def test_candidates_are_drawn_in_order_with_their_folds():
    pytest.importorskip("matplotlib").use("agg")
    found = ap.compare_folds(search(SCORES))
    display = found.plot()
    assert display.result is found
    values, differences = display.ax_.ravel()
    by_rank = sorted(found, key=lambda row: row.rank)
    best, *others = [str(row.params["C"]) for row in by_rank]
    names = [text.get_text() for text in values.get_yticklabels()]
    assert names == [f"{best} (best)", *others]
    assert values.get_title("left") == "score by C: corrected t-test, 5 folds"
    assert differences.get_xlabel() == "difference from the best\n95% interval"
    dots = [line.get_xdata() for line in values.lines if line.get_marker() == "."]
    np.testing.assert_allclose(dots, [SCORES[row.params["C"]] for row in by_rank])
    assert [row.value for row in by_rank] == pytest.approx(np.mean(dots, axis=1))
    many = ap.compare_folds(search(np.random.default_rng(0).random((60, 5)))).plot()
    assert len(many.ax_[0].get_yticklabels()) == 40
    said = "40 of 60 candidates are shown, the best: `rows` has all."
    assert said in many.figure_.get_supxlabel().replace("\n", " ")


def test_ways_to_train_are_drawn_with_their_folds():
    """Without intervals, only their values are."""
    pytest.importorskip("matplotlib").use("agg")
    of_two = ap.compare_folds(SCORES[0], SCORES[1], n_train=4, n_test=1)
    named = ap.compare_folds({"a": SCORES[0], "b": SCORES[1]}, baseline="b", n_train=4, n_test=1)
    for found in (of_two, named):
        display = found.plot()
        assert display.result is found
        values, differences = display.ax_.ravel()
        dots = [line.get_xdata() for line in values.lines if line.get_marker() == "."]
        np.testing.assert_allclose(dots, SCORES[:2])
        names = [text.get_text().lower() for text in values.get_yticklabels()]
        assert names == ["a", "b (baseline)"]
        assert differences.get_xlim()[0] < found.difference < differences.get_xlim()[1]
    untold = {"low": np.nan, "high": np.nan, "verdict": "unclear"}
    rows = tuple(replace(row, **untold) if row.verdict else row for row in named.rows)
    assert replace(named, rows=rows).plot().ax_.get_xlabel() == "value"


def test_two_ways_to_train_print_their_names():
    two = {name: NAMED[name] for name in ("forest", "dummy")}
    pair = alone(*two.values(), 0.95)
    for baseline in (None, "forest"):
        found = compare_named(two, baseline=baseline, metric="AP")
        assert found.metric == "AP"
        assert all(name in str(found) for name in two)
        dummy = found.rows[1]
        assert (found.baseline, dummy.model) == ("forest", "dummy")
        assert dummy.pvalue == pair.pvalue
        assert dummy.difference == pytest.approx(-pair.difference)
    assert found.pvalue == pair.pvalue
    assert found.difference == pytest.approx(-pair.difference)


def test_results_of_cross_validate_are_compared_by_name():
    """As their scores are, with the sizes of their folds."""
    models = {"tree": TREE, "bayes": GaussianNB(), "dummy": DummyClassifier()}
    scoring = {"AP": ap.get_scorer("AP"), "P@10": ap.get_scorer("P@10")}
    given = {"cv": KFold(6), "return_indices": True, "scoring": scoring}
    results = {name: cross_validate(model, X, Y, **given) for name, model in models.items()}
    for metric in ("AP", "average_precision", ap.metric("P@10")):
        key = "test_P@10" if isinstance(metric, ap.Metric) else "test_AP"
        scores = {name: result[key] for name, result in results.items()}
        found = ap.compare_folds(results, metric=metric)
        expected = ap.compare_folds(scores, n_train=250, n_test=50)
        assert found.rows == expected.rows
        assert found.baseline == expected.baseline


def test_rows_follow_the_candidates():
    found = ap.compare_folds(search(SCORES))
    turned = ap.compare_folds(search(SCORES[::-1]))
    for row, other in zip(found.rows, turned.rows[::-1], strict=True):
        assert replace(row, params={}) == replace(other, params={})


GROUPS = np.arange(300) // 3
LISTED = [(np.arange(100, 300), np.arange(50)), (np.arange(100), np.arange(200, 300))]
MASKS = [(np.isin(np.arange(300), train), np.isin(np.arange(300), test)) for train, test in LISTED]
SIZES = {
    "None": (None, (4, 1)),
    "an int": (3, (2, 1)),
    "KFold": (KFold(4), (3, 1)),
    "StratifiedKFold": (StratifiedKFold(3, shuffle=True, random_state=0), (2, 1)),
    "GroupKFold": (GroupKFold(4), (3, 1)),
    "StratifiedGroupKFold": (StratifiedGroupKFold(4), (3, 1)),
    "RepeatedKFold": (RepeatedKFold(n_splits=4, n_repeats=2, random_state=0), (3, 1)),
    "RepeatedStratifiedKFold": (RepeatedStratifiedKFold(n_splits=3, n_repeats=3), (2, 1)),
    "ShuffleSplit": (ShuffleSplit(6, random_state=0), (9, 1)),
    "a fraction for testing": (ShuffleSplit(6, test_size=0.2, random_state=0), (4, 1)),
    "a fraction for training": (ShuffleSplit(6, train_size=0.75, random_state=0), (3, 1)),
    "two fractions": (StratifiedShuffleSplit(4, test_size=0.2, train_size=0.5), (5, 2)),
    "two counts": (StratifiedShuffleSplit(4, test_size=60, train_size=90), (3, 2)),
    "GroupShuffleSplit": (GroupShuffleSplit(4, random_state=0), (4, 1)),
    "a list": (LISTED, (150, 75)),
    "masks": (MASKS, (150, 75)),
}
ASKED_FOR = {
    "one count": ShuffleSplit(4, test_size=60, random_state=0),
    "one count for training": ShuffleSplit(4, train_size=60, random_state=0),
    "a count and a fraction": ShuffleSplit(4, test_size=60, train_size=0.5, random_state=0),
    "TimeSeriesSplit": TimeSeriesSplit(3),
    "a generator": KFold(4).split(X),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize(("cv", "sizes"), SIZES.values(), ids=SIZES)
def test_the_splitter_says_how_many_samples_folds_have(cv, sizes):
    fitted = GridSearchCV(TREE, {"max_depth": [1, 5]}, scoring="average_precision", cv=cv)
    fitted.fit(X, Y, groups=GROUPS if "Group" in str(cv) else None)
    n_train, n_test = sizes
    assert ap.compare_folds(fitted) == ap.compare_folds(fitted, n_train=n_train, n_test=n_test)
    wrong = ap.compare_folds(fitted, n_train=n_train + 1, n_test=n_test)
    assert ap.compare_folds(fitted) != wrong


@pytest.mark.parametrize("cv", ASKED_FOR.values(), ids=ASKED_FOR)
def test_other_sizes_are_asked_for(cv):
    fitted = GridSearchCV(TREE, GRID, scoring="average_precision", cv=cv).fit(X, Y)
    for given in ({}, {"n_train": 200}, {"n_test": 100}):
        with pytest.raises(ValueError, match=r"folds are unknown\. Pass both n_train"):
            ap.compare_folds(fitted, **given)
    assert len(ap.compare_folds(fitted, n_train=200, n_test=100)) == 3


@pytest.mark.parametrize("splitter", [ShuffleSplit, GroupShuffleSplit])
def test_shuffles_have_the_sizes_of_their_splits(splitter):
    """If both sizes are counts, or none is: a count alone doesn't say how many rows there are."""
    for train_size, test_size in product([None, 0.25, 0.5, 1, 40], repeat=2):
        cv = splitter(1, train_size=train_size, test_size=test_size, random_state=0)
        [(train, test)] = cv.split(X, groups=GROUPS if splitter is GroupShuffleSplit else None)
        found = partial(ap.compare_folds, search(SCORES[:2], cv))
        n_counts = [type(size) for size in (train_size, test_size)].count(int)
        if n_counts == 1:
            with pytest.raises(ValueError, match="The sizes of the folds are unknown"):
                found()
            continue
        rows, expected = found().rows, found(n_train=train.size, n_test=test.size).rows
        for row, same in zip(rows[1:], expected[1:], strict=True):
            assert (row.low, row.high) == pytest.approx((same.low, same.high), rel=1e-9)


def test_repeated_folds_have_the_freedom_of_one_repeat():
    """Of ten repeats of ten folds, 9 instead of 99 degrees."""
    for n_folds, n_repeats, freedom in ((10, 10, 9), (10, 1, 9), (5, 2, 4), (2, 5, 1)):
        a, b = np.random.default_rng(0).standard_normal((2, n_folds * n_repeats))
        difference, ratio = a - b, 1 / (n_folds - 1)
        error = np.sqrt(np.var(difference, ddof=1) * (1 / difference.size + ratio))
        expected = 2 * stats.t(freedom).sf(abs(difference.mean()) / error)
        found = ap.compare_folds(a, b, n_train=n_folds - 1, n_test=1)
        assert found.pvalue == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("refit", [False, "roc_auc", "AP@10"])
def test_the_metric_of_a_search_with_several(refit):
    """It picks the best candidate, whichever the search refits. By default it is that metric."""
    scoring = ap.make_multi_scorer(["AP@10", "roc_auc"])
    fitted = GridSearchCV(TREE, GRID, scoring=scoring, refit=refit, cv=3).fit(X, Y)
    if refit:
        assert ap.compare_folds(fitted) == ap.compare_folds(fitted, metric=refit)
    else:
        with pytest.raises(ValueError, match="metric must be one of these"):
            ap.compare_folds(fitted)
    for metric in ("AP@10", "roc_auc"):
        found, means = ap.compare_folds(fitted, metric=metric), fitted.cv_results_
        assert found.metric == metric
        assert [row.value for row in found] == pytest.approx(means[f"mean_test_{metric}"])
        assert [row.rank for row in found] == means[f"rank_test_{metric}"].tolist()
    for same in ("average_precision_at_10", ap.metric("average_precision_at_k", k=10)):
        assert ap.compare_folds(fitted, metric=same) == ap.compare_folds(fitted, metric="AP@10")


def test_greater_is_better_for_negative_scorers():
    model, grid = LogisticRegression(), {"C": [1e-4, 1.0]}
    fitted = GridSearchCV(model, grid, scoring="neg_log_loss", refit=False, cv=10).fit(X, Y)
    found = ap.compare_folds(fitted)
    assert found.best == ({"C": 1.0},)
    assert found.rows[0].high < 0
    assert "may be the best" not in str(found)


def test_params_are_printed_in_short():
    model = Pipeline([("scale", StandardScaler()), ("clf", LogisticRegression())])
    grid = [
        {"clf__C": [0.1], "scale__with_mean": [True], "scale": ["passthrough", StandardScaler()]},
        {"clf": [DummyClassifier(), GaussianNB(priors=[0.25, 0.75]), DecisionTreeClassifier()]},
    ]
    grid[0].pop("scale__with_mean")
    fitted = GridSearchCV(model, grid, scoring="average_precision", cv=3).fit(X, Y)
    found = ap.compare_folds(fitted)
    assert str(found).splitlines()[1].startswith("C, scale, clf  ")
    for text in ("0.1, passthrough, -", "0.1, StandardScaler(), -", "-, -, GaussianNB("):
        assert f"\n{text}" in str(found)
    assert found.rows[0].params is not fitted.cv_results_["params"][0]
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))[0]["params"]["clf__C"] == 0.1
    assert str(pickle.loads(pickle.dumps(found))) == str(found)
    assert "GaussianNB(" in found._repr_html_()
    same_ends = search(SCORES[:2])
    same_ends.cv_results_["params"] = [{"a__n": 1, "b__n": max, "c__m": 2}, {}]
    header, *rows = str(ap.compare_folds(same_ends)).splitlines()[1:4]
    assert header.startswith("a__n, b__n, m  ")
    assert sorted(row.partition("  ")[0] for row in rows) == ["1, max, 2", "{}"]


@pytest.mark.parametrize(
    "values", [[1, "1", 1.0], [0.1, 0.1 + 1e-12, 0.2], ["a" * 50 + end + "b" * 50 for end in "xyz"]]
)
def test_candidates_never_look_alike(values):
    found = search(SCORES[:3])
    found.cv_results_["params"] = [{"C": value, "penalty": "l2"} for value in values]
    rows = str(ap.compare_folds(found)).splitlines()[2:5]
    assert len({row.partition("  ")[0] for row in rows}) == 3
    are_texts_told_apart = all(isinstance(value, str) for value in values)
    assert are_texts_told_apart == all(row.startswith("a" * 50) for row in rows)
    assert "l2" not in str(ap.compare_folds(found))  # which all have


def test_many_candidates_are_printed_in_part():
    found = ap.compare_folds(search(np.random.default_rng(0).random((60, 5))))
    assert "50 of 60 candidates are shown" in str(found)
    assert len(str(found).splitlines()) < 65
    assert len(found.to_dict()) == len(found.to_frame()) == 60


STRATIFIED = "RepeatedStratifiedKFold(n_splits=10, n_repeats=3)"
FEW = {  # the splitter, how many folds it makes, and the sentence
    "an int": (3, 3, f"3 folds are too few to tell 4 candidates apart: use {STRATIFIED}."),
    "KFold": (
        KFold(4),
        4,
        "4 folds are too few to tell 4 candidates apart: use "
        "RepeatedKFold(n_splits=10, n_repeats=3).",
    ),
    "GroupKFold": (
        GroupKFold(3),
        3,
        "3 folds are too few to tell 4 candidates apart: use GroupKFold(n_splits=10).",
    ),
    "repeated": (
        RepeatedStratifiedKFold(n_splits=3, n_repeats=4),
        12,
        "12 folds that each test 33% of the samples are too few to tell 4 candidates apart: use "
        f"{STRATIFIED}.",
    ),
    "halves": (
        ShuffleSplit(20, test_size=0.5),
        20,
        "20 folds that each test 50% of the samples are too few to tell 4 candidates apart: use "
        "ShuffleSplit(n_splits=10, test_size=0.1).",
    ),
}


@pytest.mark.parametrize(("cv", "n_folds", "sentence"), FEW.values(), ids=FEW)
def test_with_few_folds_candidates_have_values_and_ranks_only(cv, n_folds, sentence):
    scores = np.random.default_rng(0).random((4, n_folds)).round(3)
    found = ap.compare_folds(search(scores, cv))
    assert [(note.code, note.text) for note in found.notes] == [("few_folds", sentence)]
    assert len(found.best) == 4
    for row, of_folds in zip(found, scores, strict=True):
        assert row.value == pytest.approx(of_folds.mean())
        assert np.isnan([row.low, row.high, row.pvalue]).all()
        assert row.verdict == {1: None}.get(row.rank, "unclear")
    places = np.argsort(-scores.mean(axis=1))
    rows = [
        f"{place}  {scores[place].mean():.3f}     {rank}" for rank, place in enumerate(places, 1)
    ]
    assert str(found).splitlines()[1:6] == ["C  value  rank", *rows]
    two = ap.compare_folds(search(scores[:2], cv))
    assert np.isfinite([row.pvalue for row in two if row.verdict]).all()
    assert two.notes == ()


def test_with_few_folds_named_ways_have_values_and_ranks_only():
    named = {"a": [0.5, 0.7, 0.6], "b": [0.5, 0.5, 0.5], "c": [0.2, 0.3, 0.4]}
    given = {"n_train": 2, "n_test": 1, "baseline": "b", "margin": 0.1}
    found = ap.compare_folds(named, **given)
    assert str(found).splitlines() == [
        "score: 3 folds",
        "model  value  rank",
        "a      0.600     1",
        "b      0.500     2",
        "c      0.300     3",
        "3 folds are too few to tell 3 candidates apart: use",
        "RepeatedStratifiedKFold(n_splits=10, n_repeats=3).",
    ]
    assert [row.verdict for row in found] == ["unclear", None, "unclear"]
    ends = [[row.low, row.high, row.margin_low, row.margin_high, row.pvalue] for row in found]
    assert np.isnan(ends).all()
    assert [note.code for note in found.notes] == ["few_folds"]
    two = ap.compare_folds({name: named[name] for name in "ab"}, **given)
    assert np.isfinite(two.pvalue)


def test_five_folds_are_enough():
    assert ap.compare_folds(search(SCORES)).notes == ()


def test_what_the_search_holds_stays_as_it_is():
    space, given = {"max_depth": [1, 2, 5]}, {"n_iter": 3, "random_state": 0}
    fitted = RandomizedSearchCV(TREE, space, scoring="average_precision", cv=4, **given).fit(X, Y)
    before = pickle.dumps(fitted)
    assert len(ap.compare_folds(fitted)) == 3
    assert pickle.dumps(fitted) == before


@pytest.mark.slow
def test_the_truly_best_is_rarely_left_out():
    """Of 200 searches each, in which all candidates are equal or the first one is the best."""
    draw = partial(replace, n_samples=200)
    for candidates in SEARCHES:
        given = draw(candidates, better=0.6 * (candidates.what == "one winner"))
        rng = np.random.default_rng(0)
        found = np.array([outcomes(rng, given) for _ in range(200)])
        left_out, any_left_out, n_left = found.mean(axis=0)
        assert left_out <= 0.05
        if candidates.what == "one winner":
            assert n_left <= 3.5
        else:
            assert any_left_out <= 0.09


def test_names_that_are_written_find_their_scores():
    metrics = [ap.metric("success@10%"), ap.metric("interpolated_average_precision", n_points=40)]
    scoring = ap.make_multi_scorer([*metrics, "AP"])
    fitted = GridSearchCV(TREE, GRID, scoring=scoring, refit=False, cv=3).fit(X, Y)
    for metric in metrics:
        found = ap.compare_folds(fitted, metric=metric)
        assert found.rows[0].value == fitted.cv_results_[f"mean_test_{metric.__name__}"][0]


def test_folds_that_test_more_than_they_train_on_have_one_degree_of_freedom():
    """Half of the rows is the least that k folds train on."""
    rng = np.random.default_rng(0)
    a, b = rng.normal([[0.9], [0.6]], 0.003, (2, 20))
    spread = stats.t(1).ppf(0.975) * np.sqrt((1 / 20 + 9) * np.var(a - b, ddof=1))
    found = ap.compare_folds(a, b, n_train=100, n_test=900)
    assert found.low == pytest.approx((a - b).mean() - spread)
