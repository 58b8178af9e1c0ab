"""Comparisons of ways to train: by a search, by cross_validate, or by scores of folds."""

import numpy as np
import pytest
from scipy import stats
from sklearn import model_selection
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.neighbors import KNeighborsClassifier

from sklearn_ap import compare_folds, get_scorer, metric
from sklearn_ap._uncertainty.folds import FoldScores, find_scheme

from .numbers import close


def make_search(scores, scoring="average_precision", names=("score",), **settings):
    """Return what compare_folds reads of a search: one row of scores a candidate."""

    class Search:
        cv = scores.shape[1]

    search = Search()
    search.scoring = scoring
    vars(search).update(settings)
    search.cv_results_ = {
        f"split{fold}_test_{name}": column + place
        for place, name in enumerate(names)
        for fold, column in enumerate(scores.T)
    }
    search.cv_results_["params"] = [
        {"model__depth": depth, "model": "tree"} for depth in (None, 3, 5, 9)[: len(scores)]
    ]
    return search


def draw_scores(n_ways=3, n_folds=10, seed=0):
    rng = np.random.default_rng(seed)
    quality = np.array([0.5, 0.8, 0.79, 0.7])[:n_ways, np.newaxis]
    return rng.random((n_ways, n_folds)) / 20 + quality


@pytest.mark.parametrize("apart", [None, 0, 1e-15, 0.4])
def test_folds_are_the_corrected_t_test(apart):
    """Which has k - 1 degrees of freedom for k folds, repeated or not, written down again."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n, k, level = rng.choice([5, 10, 20]), rng.choice([5, 10]), rng.choice([0.8, 0.95])
        a, b, c = np.append(rng.random((3, n - 1)), np.ones((3, 1)), 1) * rng.choice([1, 9, -1])
        if apart is not None:  # by so much on nearly all folds
            a = b + apart + apart * 1e-5 * rng.random(n)
        known = {"n_train": k - 1, "n_test": 1, "confidence_level": level, "margin": 0.3}
        table = compare_folds({"a": a, "b": b, "c": c}, baseline="b", **known)
        assert (table.n_comparisons, table.margin, table.confidence_level) == (2, 0.3, level)
        assert table.metric == "Score"
        assert f"{n} folds{f' (df {k - 1})' if n > k else ''}" in table.basis
        u = min(n, k)
        for row, way in ((table["a"], a), (table["c"], c)):
            d, are_fractions = way - b, 0 <= min([*way, *b]) <= max([*way, *b]) <= 1
            most = 1 if are_fractions else np.inf
            difference, error = d.mean(), np.sqrt((1 / n + 1 / (k - 1)) * np.var(d, ddof=1))
            if abs(difference) < 1e-12:
                difference = error = 0
            error = max(error, abs(difference) / u**2)
            reach = stats.t.ppf(1 - (1 - level) / 4, u - 1) * error
            low, high = max(difference - reach, -most), min(difference + reach, most)
            p = min(4 * stats.t.sf(abs(difference) / error, u - 1), 1) if error else 1
            found = [row.difference, row.low, row.high, row.margin_low, row.margin_high]
            assert close(found, [difference, low, high, low, high])
            found = [row.least_margin, row.standard_error, row.units, row.pvalue]
            assert close(found, [0, error, u, p])
            inside = -0.3 < low and high < 0.3
            assert (row.verdict == "equivalent") == inside
            assert inside or (row.verdict in ("better", "worse")) == (p < 1 - level)


# Splitters of scikit-learn with options that they need, and whether their sizes are known.
SPLITTERS = {
    "GroupKFold": ({}, True),
    "GroupShuffleSplit": ({}, False),
    "KFold": ({"n_splits": 6}, True),
    "LeaveOneGroupOut": ({}, False),
    "LeaveOneOut": ({}, False),
    "LeavePGroupsOut": ({"n_groups": 2}, False),
    "LeavePOut": ({"p": 2}, False),
    "PredefinedSplit": ({"test_fold": np.arange(60) % 3}, False),
    "RepeatedKFold": ({"n_splits": 4, "n_repeats": 3}, True),
    "RepeatedStratifiedKFold": ({"n_splits": 6, "n_repeats": 2}, True),
    "ShuffleSplit": ({}, False),
    "StratifiedGroupKFold": ({}, True),
    "StratifiedKFold": ({}, True),
    "StratifiedShuffleSplit": ({}, False),
    "TimeSeriesSplit": ({}, False),
}


def test_no_splitter_is_left_out():
    public = {name for name, each in vars(model_selection).items() if hasattr(each, "get_n_splits")}
    assert public - {"BaseCrossValidator", "BaseShuffleSplit"} == {*SPLITTERS}


@pytest.mark.parametrize("name", [*SPLITTERS, "a number", "nothing"])
@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_a_scheme_is_what_the_splitter_does(name):
    """By its splits: how many rows each fold tests, and how often each row is tested."""
    options, is_known = SPLITTERS.get(name, ({}, True))
    if name == "a number":
        cv, splitter = 6, KFold(6)
    elif name == "nothing":
        cv, splitter = None, KFold()
    else:
        cv = splitter = getattr(model_selection, name)(**options)
    X, y, groups = np.zeros((60, 1)), np.arange(60) % 2, np.arange(60) // 2 % 10
    splits = [*splitter.split(X, y, groups)]
    n_folds, n_tested = len(splits), sum(test.size for _, test in splits)
    ratio = n_tested / sum(train.size for train, _ in splits)
    assert close(find_scheme(splits, n_folds)[0], ratio)
    assert close(find_scheme("unknown", n_folds, ratio)[0], ratio)
    if not is_known:
        with pytest.raises(ValueError, match="sizes of the folds are unknown"):
            find_scheme(cv, n_folds)
        return
    scores = FoldScores([], np.zeros((2, n_folds)), "", *find_scheme(cv, n_folds))
    assert (scores.n_folds, scores.n_repeats) == (n_folds, n_tested / 60)
    assert close([scores.ratio, scores.degrees_of_freedom], [ratio, n_folds / (n_tested / 60) - 1])


@pytest.mark.parametrize(
    ("sizes", "ratio"), [({}, 1 / 2), ({"n_train": 900, "n_test": 100}, 1 / 9)]
)
def test_sizes_of_folds_that_are_passed_count_more_than_those_of_the_indices(sizes, ratio):
    scores = {"a": [0.8, 0.7], "b": [0.5, 0.6]}
    ways = {name: {"test_score": each, "indices": HALVES} for name, each in scores.items()}
    one = compare_folds(ways, baseline="b", **sizes)["a"]
    assert close(one.standard_error, np.sqrt((1 / 2 + ratio) * np.var([0.3, 0.1], ddof=1)))


@pytest.mark.parametrize("more", [{}, {"model": "tree"}])
def test_a_baseline_is_named_by_its_params(more):
    search = make_search(draw_scores())
    table = compare_folds(search, baseline={"model__depth": None} | more)
    by_depth = {row.params["model__depth"]: row for row in table}
    assert by_depth[None].verdict == "baseline"
    assert by_depth[3].verdict == "better"
    with pytest.raises(ValueError, match="leave out baseline"):
        _ = table.best
    with pytest.raises(ValueError, match="fits 3"):
        compare_folds(search, baseline={"model": "tree"})
    with pytest.raises(ValueError, match=r"fits 0.*depth"):
        compare_folds(search, baseline={"model__depth": 4})


@pytest.mark.parametrize(
    ("names", "asked", "refit", "place"),
    [
        (("ap", "p10"), None, "p10", 1),
        (("ap", "p10"), "ap", "p10", 0),
        (("AP", "P@10"), "average_precision", "P@10", 0),
        (("AP", "P@10"), metric("precision_at_k", k=10), "AP", 1),
    ],
)
def test_a_metric_is_found_under_another_name(names, asked, refit, place):
    search = make_search(draw_scores(), None, names, refit=refit)
    table = compare_folds(search, metric=asked)
    assert int(table.rows[0].value) == place


@pytest.mark.parametrize("asked", ["P@10", metric("P@10"), "roc_auc"])
def test_a_metric_of_which_there_are_no_scores(asked):
    search = make_search(draw_scores(), "average_precision", ("average_precision",))
    with pytest.raises(ValueError, match=r"has the scores of .*'average_precision'"):
        compare_folds(search, metric=asked)


@pytest.mark.parametrize(
    ("params", "header", "names"),
    [
        ([{"m__C": 1, "m__k": 2}, {"m__C": 3, "m__k": 2}], ["C"], [["1"], ["3"]]),
        ([{"m__C": 1, "k": "a"}, {"m__C": 3, "k": "b"}], ["C", "k"], [["1", "a"], ["3", "b"]]),
        ([{"a__C": 1, "b__C": 4}, {"a__C": 3}], ["a__C", "b__C"], [["1", "4"], ["3"]]),
        ([{"C": 1, "k": 2}, {"C": 1, "k": 2}], ["C"], [["1"], ["1"]]),
    ],
)
def test_candidates_are_shown_by_params_that_differ(params, header, names):
    search = make_search(draw_scores(2)[::-1])
    search.cv_results_["params"] = params
    lines = [line.split() for line in str(compare_folds(search)).splitlines()]
    assert lines[1] == [*header, "value", "diff", "95%", "interval", "p", "verdict", "at", "95%"]
    assert [line[: len(name)] for line, name in zip(lines[2:], names, strict=False)] == names
    assert [line[len(name)][:2] for line, name in zip(lines[2:], names, strict=False)] == ["0."] * 2


def test_candidates_that_may_be_the_best():
    """The third is as good as the first, and the fourth is slightly but significantly worse."""
    first, tree = draw_scores(2)[::-1]
    search = make_search(np.vstack([first, tree, first, first - [0.01, 0.03] * 5]))
    for level, margin, verdict, best in (
        (0.95, None, "worse", [0, 2]),
        (0.95, 0.1, "equivalent", [0, 2]),
        (1 - 1e-7, None, "unclear", [0, 2, 3]),
    ):
        table = compare_folds(search, confidence_level=level, margin=margin)
        assert [(row.model, row.rank) for row in table] == [(0, 1), (2, 1), (3, 3), (1, 4)]
        assert [row.model for row in table.best] == best
        assert (table.rows[0].verdict, table.rows[2].verdict) == ("highest", verdict)
    assert (table.n_comparisons, table.metric) == (3, "Average precision")
    assert table.basis == "4 candidates, corrected t-test, 10 folds"
    assert "evaluate it on a test set" in table.notes[-1]
    value, best = table.corrected_value, table.rows[0].value
    assert value <= best
    assert f"Corrected for choosing the best: {value:.3f}." == table.notes[-2]
    table = compare_folds(search.cv_results_, n_train=9, n_test=1)
    assert (table.rows[0].rank, table.metric) == (1, "Score")
    assert (
        compare_folds(make_search(draw_scores(), None), metric="AP").metric == "Average precision"
    )


def test_few_folds():
    """Below four degrees of freedom, three ways have no verdicts, and below ten folds a note."""
    scores, sizes = draw_scores(3, 4), {"n_train": 3, "n_test": 1}
    ways = dict(zip("abc", scores, strict=True))
    table = compare_folds(ways, **sizes)
    assert np.isnan([row.pvalue for row in table]).all()
    assert [row.verdict for row in table] == ["", "highest", ""]
    assert "too few" in table.notes[0]
    assert "adjusted" not in str(table)  # as there's nothing to adjust
    assert len(compare_folds(make_search(scores)).best) == 3
    two = compare_folds({"a": ways["a"], "b": ways["b"]}, **sizes)
    assert two["a"].pvalue < 0.05
    assert "large differences" in two.notes[0]
    ten = dict(zip("abc", draw_scores(), strict=True))
    assert not compare_folds(ten, n_train=9, n_test=1).notes


HALVES = {"train": [[0, 1], [2, 3]], "test": [[2], [0]]}


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ({"a": [1, 2, 3], "b": [1, 2, 4]}, "n_train"),
        ({"a": {"test_score": [1, 2], "indices": HALVES}, "b": [1, 3]}, "n_train"),
        ({name: {"test_score": [1, 2], "indices": {}} for name in "ab"}, "n_train"),
        ({"a": [1, 2, 3], "b": [1, 2]}, "same folds"),
        ({"a": [1, 2, 3], "b": [1, 2, np.nan]}, "finite"),
        ({"test_score": [1, 2, 3], "fit_time": [1, 2, 3]}, "at least two ways"),
        ({"a": [1], "b": [2]}, "same folds"),
        ({"a": [[1], [2]], "b": [[1], [3]]}, "same folds"),
        ({"a": {"test_x": [1, 2]}, "b": {"test_y": [1, 2]}}, "same metric"),
        (make_search(draw_scores(), "roc_auc"), "roc_auc"),
        (make_search(draw_scores() * [np.nan] + [1]), "name it in the scorer"),
        (make_search(np.where(np.eye(3, 10, 1), np.nan, draw_scores())), "depth': None.* no score"),
        (make_search(np.where(np.eye(3, 10, -1), np.nan, draw_scores())), "depth': 3.* no score"),
        (make_search(draw_scores(1)), r"two candidates.*1 and 10"),
        ({"params": [{}], "n_resources": [1]}, "halving"),
    ],
)
def test_refusals_of_folds(results, words):
    with pytest.raises((ValueError, TypeError), match=words):
        compare_folds(results, metric="AP" if words == "roc_auc" else None)


def test_results_of_cross_validate_know_the_sizes_of_folds():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 2)), np.arange(60) % 2
    folds = [(np.arange(60) % 5 != fold, np.arange(60) % 5 == fold) for fold in range(4)]

    def run(neighbors, cv, **scoring):
        model = KNeighborsClassifier(neighbors)
        return cross_validate(model, X, y, cv=cv, scoring=scoring, return_indices=True)

    scoring = {"AP": "average_precision", "ROC": "roc_auc"}
    results = {name: run(name, folds, **scoring) for name in (1, 9)}
    scores = {name: result["test_AP"] for name, result in results.items()}
    found = compare_folds(results, metric="average_precision")
    assert found.metric == "AP"  # as the caller named it
    assert close(found[1].pvalue, compare_folds(scores, n_train=48, n_test=12)[1].pvalue)
    with pytest.raises(ValueError, match=r"'AP', 'ROC'.* metric="):
        compare_folds(results)
    for key, asked, title in (("test_AP", None, "AP"), ("test_score", "P@3", "Precision at 3")):
        of_one = {n: {key: scores[n], "indices": results[1]["indices"]} for n in scores}
        same = compare_folds(of_one, metric=asked)
        assert same.metric == title
        assert close(same[1].pvalue, found[1].pvalue)
    with pytest.raises(ValueError, match="different folds"):
        compare_folds({1: results[1], 9: run(9, folds[::-1], **scoring)}, metric="AP")
    search = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 9]}, cv=folds, scoring="roc_auc"
    )
    search.fit(X, y)
    keys = [f"split{fold}_test_score" for fold in range(4)]
    ways = {place: [search.cv_results_[key][place] for key in keys] for place in (0, 1)}
    of_ways = compare_folds(ways, baseline=0, n_train=48, n_test=12)
    for search.cv in (folds, tuple(folds)):
        assert close(compare_folds(search, baseline=0).rows[0].pvalue, of_ways[1].pvalue)


def test_folds_say_what_they_are():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 2)), np.arange(60) % 2

    def search(cv, groups=None):
        model, grid = KNeighborsClassifier(), {"n_neighbors": [1, 5]}
        found = GridSearchCV(model, grid, scoring=get_scorer("AP"), cv=cv)
        return str(compare_folds(found.fit(X, y, groups=groups)))

    assert "10 folds (df 4)" in search(RepeatedKFold(n_splits=5, n_repeats=2, random_state=0))
    grouped = search(GroupKFold(5), groups=np.arange(60) // 6)
    assert "5 folds\n" in grouped
    assert "GroupKFold(n_splits=10)" in grouped
    assert grouped.startswith("Average precision: ")
    in_time = make_search(draw_scores(2, 5), cv=TimeSeriesSplit(5))
    in_time = compare_folds(in_time, metric="AP", n_train=4, n_test=1)
    assert "TimeSeriesSplit(n_splits=10)" in in_time.notes[0]
    assert in_time.metric == "Average precision"


def test_seeds_are_not_folds():
    X, y = np.random.default_rng(0).random((60, 2)), np.arange(60) % 2
    same = [(np.arange(40), np.arange(40, 60))] * 5
    ways = {
        n: cross_validate(KNeighborsClassifier(n), X, y, cv=same, return_indices=True)
        for n in (1, 9)
    }
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 9]}, cv=same).fit(X, y)
    for results in (ways, search):
        with pytest.raises(ValueError, match=r"5 folds test the same rows.* clusters=\['row', 's"):
            compare_folds(results)
    values = dict(zip("abc", draw_scores(3, 4), strict=True))
    assert "Seeds on the same rows aren't folds" in str(compare_folds(values, n_train=3, n_test=1))


def test_refit_does_not_name_the_only_score_of_a_search():
    """scikit-learn ignores the text of `refit` if there is one score."""
    scores = np.random.default_rng(0).random((2, 5))
    for refit in ("average_precision", "score", "any"):
        search = make_search(scores, scoring=None, refit=refit)
        assert compare_folds(search).metric == "Score"
    search = make_search(scores, scoring="roc_auc", refit="score")
    assert compare_folds(search).metric == "Roc auc"
