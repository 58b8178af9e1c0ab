"""Values of random rankings, and scores that are upside down."""

import pickle
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy.stats import binom, chisquare, kstest

import sklearn_ap as ap
from sklearn_ap._infer.chance import _draw_row_orders
from sklearn_ap._inputs.records import Inputs
from sklearn_ap._read.validation import read_rankings
from sklearn_ap.core.random_rankings import (
    RankingShape,
    compute_mean_value,
    draw_places,
    draw_values,
)

from .retrieval import engine, trec

CUT = ["average_precision_at", "precision_at", "recall_at", "enrichment_factor_at"]
CLOSED = ["average_precision", "r_precision"]
CLOSED += [f"{name}_{k}" for name in CUT for k in ("1", "3", "10")]
CLOSED += [f"{name}_25%" for name in CUT]
OF_FIRST = ["reciprocal_rank", "RR@3", "hit_rate_at_1", "hit_rate_at_3"]
DRAWN = ["interpolated_average_precision", "11_point_average_precision"]
DRAWN += ["precision_at_recall_0.5", "recall_at_precision_0.5"]


def all_values(metric, labels, scores, n_positives=None):
    """The values of all orders of the labels, which are equally likely, each as one group."""
    size, found = len(labels), int(np.sum(labels))
    places = np.array([*combinations(range(size), found)])
    shuffled = np.zeros((len(places), size), int)
    np.put_along_axis(shuffled, places, 1, axis=1)
    return values_of_rows(metric, shuffled, np.broadcast_to(scores, shuffled.shape), n_positives)


def values_of_rows(metric, labels, scores, n_positives=None):
    """The value of each row of two matrices, each as one group, which one call computes."""
    group = np.arange(len(labels)).repeat(labels.shape[1])
    exist = None if n_positives is None else dict.fromkeys(range(len(labels)), n_positives)
    return metric(labels.ravel(), scores.ravel(), groups=group, average=None, n_positives=exist)


def cases():
    rng = np.random.default_rng(0)
    for size, n_scores in product((4, 7), (1, 3, 100)):
        found = int(rng.integers(1, size))
        labels = (np.arange(size) < found).astype(int)
        yield labels, rng.permutation(size) % n_scores, {}
        yield labels, rng.permutation(size) % n_scores, {"n_positives": found + 2}


@pytest.mark.sweep(5)
@pytest.mark.parametrize("ties", ["grouped", "expected", "best"])
@pytest.mark.parametrize("name", [*CLOSED, *OF_FIRST])
def test_closed_forms_are_the_means_over_all_orders(name, ties):
    metric, n_closed = ap.metric(name, ties=ties), 0
    for labels, scores, given in cases():
        found = compute_mean_value(
            metric.rule, RankingShape.from_samples(labels > 0, scores, given.get("n_positives"))
        )
        if found is not None:
            assert found == pytest.approx(all_values(metric, labels, scores, **given).mean(), 1e-12)
            n_closed += 1
    assert n_closed >= (4 if ties == "best" else 12)


def orders_within(group):
    """All orders of the rows in which each group stays at its places."""
    places = [np.flatnonzero(group == each) for each in np.unique(group)]
    for orders in product(*map(permutations, places)):
        found = np.empty(group.size, int)
        for own, order in zip(places, orders, strict=True):
            found[own] = order
        yield found


@pytest.mark.sweep(16)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan], ids=str)
@pytest.mark.parametrize("ties", ["grouped", "expected", "best", "worst"])
@pytest.mark.parametrize("name", ["AP", "P@1", "P@2", "R@2", "RR"])
def test_groups_without_positives_count_as_in_the_mean_over_all_orders(name, ties, zero_division):
    """P@k is 0 there, whatever `zero_division` says, which others leave out or replace."""
    labels, scores = np.array([1, 0, 0, 1, 1, 0, 0, 0]), np.array([2, 2, 1, 2, 2, 1, 2, 1])
    group, metric = np.array([0, 0, 0, 1, 1, 1, 2, 2]), ap.metric(name, ties=ties)
    given = {"groups": group, "zero_division": zero_division}
    # Orders that exchange tied rows are equal, each of them equally often.
    distinct = np.unique([scores[order] for order in orders_within(group)], axis=0)
    expected = np.mean([metric(labels, order, **given) for order in distinct])
    interval = ap.confidence_interval(labels, scores, metric=metric, **given, n_resamples=20)
    assert interval.chance == pytest.approx(expected, abs=0.02)


def test_the_mean_average_precision_of_random_rankings_of_many_rows():
    """Not the fraction of positives, as the expected harmonic sums tell."""
    known = (1000, 20, 0.026362), (100, 5, 0.090182), (100, 1, 0.051874), (1000, 100, 0.105843)
    for size, found, value in known:
        labels = np.arange(size) < found
        interval = ap.confidence_interval(labels, np.arange(size)[::-1])
        assert interval.chance == pytest.approx(value, abs=5e-7)


@pytest.mark.sweep(7)
@pytest.mark.parametrize("name", ["AP", "AP@100", "R@10%", *DRAWN])
@pytest.mark.parametrize("n_scores", [20, 2000])
def test_means_agree_with_shuffled_scores(name, n_scores):
    rng = np.random.default_rng(1)
    labels, scores = rng.random(2000) < 0.1, rng.integers(0, n_scores, 2000)
    metric = ap.metric(name)
    shuffled = [metric(labels, rng.permutation(scores)) for _ in range(300)]
    chance = ap.confidence_interval(labels, scores, metric=name, n_resamples=20).chance
    error = np.std(shuffled) / np.sqrt(300) + 0.0003
    assert abs(chance - np.mean(shuffled)) < 4 * error


@pytest.mark.parametrize("given", [
    *(pytest.param(each, marks=pytest.mark.slow) for each in ("weights", "groups", "columns")),
    "weighted groups",
])  # fmt: skip
def test_rows_keep_their_labels_weights_and_groups(given):
    rng = np.random.default_rng(2)
    group, weight = np.arange(300) % 6, rng.random(300) * 4
    labels = (rng.random(300) < 0.05 + 0.1 * group).astype(int)
    scores = rng.integers(0, 50, 300).astype(float)
    options = {
        "weights": {"sample_weight": weight},
        "groups": {"groups": group, "n_positives": dict.fromkeys(range(8), 30)},
        "weighted groups": {"groups": group, "sample_weight": weight, "average": "weighted"},
        "columns": {"average": "micro"},
    }[given]
    if given == "columns":
        labels, scores = labels.reshape(100, 3), scores.reshape(100, 3)
    order = np.arange(len(labels))
    found = []
    for _ in range(30):
        shuffled = rng.permutation(order)
        if "groups" in options:
            for each in range(6):
                own = np.flatnonzero(group == each)
                shuffled[own] = rng.permutation(own)
        found.append(ap.average_precision_score(labels, scores[shuffled], **options))
    chance = ap.confidence_interval(labels, scores, **options).chance
    assert abs(chance - np.mean(found)) < 4 * (np.std(found) / np.sqrt(30) + 0.0003)


def test_what_is_not_known_has_no_chance():
    metric = ap.metric(lambda y, s: float(y[np.argmax(s)]), name="first")
    own = ap.confidence_interval([1, 0, 1, 0], [4, 3, 2, 1], groups=[0, 0, 1, 1], metric=metric)
    assert np.isnan(own.chance)
    assert own.to_dict()["chance"] is None
    assert "random" not in str(own)
    report = ap.report([1, 0, 1, 0], [4, 3, 2, 1], metrics="AP")
    for kept in (ap.confidence_interval([1, 0, 1, 0], [4, 3, 2, 1]), *report.rows):
        loaded = pickle.loads(pickle.dumps(kept))
        assert loaded.chance == kept.chance > 0


def test_reports_print_it_once_for_each_metric():
    labels, scores = np.arange(100) < 5, np.arange(100)[::-1]
    models = {"a": scores, "b": scores // 10}
    report = ap.report(labels, models, metrics=["AP", "P@10"])
    alike = ap.report(labels, {"a": scores, "c": scores // 2}, metrics="AP")
    assert 0.001 < np.ptp([row.chance for row in alike]) < 0.01
    mean = np.mean([row.chance for row in alike])
    assert str(alike).splitlines()[0] == f"Average precision: 5 positives, random {mean:.3f}"
    # In tens, 0.069 is (0.05 - q) H_10/5 + 20 q with q = 5 * 4/(100 * 99).
    assert "Average precision: 5 positives, random 0.069 to 0.090\n" in str(report)
    assert "Precision at 10: bootstrap, 5 positives, random 0.050\n" in str(report)
    chances = [row.chance for row in report]
    assert [row["chance"] for row in report.to_dict()] == chances == [*report.to_frame().chance]
    assert "random 0.050" in report.to_markdown()
    by = ap.report(labels, scores, metrics="AP", by=np.arange(100) % 2)
    assert [row.chance for row in by] == [
        ap.confidence_interval(labels[rows], scores[rows]).chance
        for rows in (slice(None), slice(0, None, 2), slice(1, None, 2))
    ]


def test_no_model_is_called_the_best_that_may_be_random():
    rng = np.random.default_rng(3)
    labels = np.arange(400) < 10
    bad, good = rng.random(400), labels + rng.random(400)
    printed = " ".join(str(ap.report(labels, {"x": bad, "y": bad[::-1]})).split())
    assert "No model is shown to be better than random by average precision." in printed
    assert "No model is shown" not in str(ap.report(labels, {"x": bad, "y": good}))
    by = ap.report(labels, {"x": bad, "y": bad[::-1]}, by=np.arange(400) % 2)
    assert "better than random by average precision." in " ".join(str(by).split())


# --- random orders --------------------------------------------------------------------------------


def fraction_as_good(labels, scores, groups, times, seed=0):
    """The proportion of random orders, with that of the scores, whose mean isn't lower."""
    found = ap.confidence_interval(labels, scores, groups=groups)
    drawn = found.random_baseline._draw(times, np.random.default_rng(seed))
    return (1 + np.count_nonzero(drawn >= found.value - 1e-12)) / (1 + times)


def test_groups_that_share_a_table_draw_independently():
    """Each group of two rows is perfect in half of the orders."""
    labels, groups = np.tile([1, 0], 12), np.repeat(np.arange(12), 2)
    scores = np.where(groups < 9, labels, 1 - labels)
    exact = binom.sf(8, 12, 0.5)
    found = fraction_as_good(labels, scores, groups, 9999)
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 9999))


@pytest.mark.slow
def test_means_of_random_rankings_are_anywhere_among_those_of_random_orders():
    """Groups of one size share a table, from which each draws by itself."""
    rng = np.random.default_rng(5)
    labels, groups = np.tile(np.arange(20) < 4, 50), np.repeat(np.arange(50), 20)
    found = [fraction_as_good(labels, rng.random(1000), groups, 499, seed) for seed in range(200)]
    assert kstest(found, "uniform").pvalue > 0.01


@pytest.mark.parametrize("judged", [None, {3: 2, 2: 1, 1: 4, 0: 9}])
@pytest.mark.parametrize("name", ["nDCG", "nDCG@2"])
def test_graded_metrics_have_the_mean_over_all_orders(name, judged):
    grades, scores = np.array([3, 0, 1, 2, 0, np.nan]), np.array([5, 4, 4, 2, 1, 0])
    exist = None if judged is None else {0: judged, 1: judged}
    metric = ap.metric(name)
    orders = scores[np.array([*permutations(range(6))])]
    each = values_of_rows(metric, np.broadcast_to(grades, orders.shape), orders, judged)
    given = {"metric": metric, "groups": [0] * 6 + [1] * 6, "n_positives": exist}
    grades, scores = np.tile(grades, 2), np.tile(scores, 2)
    expected = pytest.approx(np.mean(each), 1e-12)
    assert ap.confidence_interval(grades, scores, **given).chance == expected
    if judged is None:
        rows = ap.confidence_interval(
            grades.reshape(2, 6), scores.reshape(2, 6), metric=metric, average="samples"
        )
        assert rows.chance == expected


def close_to_all_orders(drawn, each):
    """Whether the values were drawn about as often as among all orders."""
    drawn, each = np.round(drawn, 9), np.round(each, 9)
    values = np.unique(each)
    assert np.isin(drawn, values).all()
    for value in values:
        likely = np.mean(each == value)
        error = np.sqrt(likely * (1 - likely) / drawn.size)
        assert abs(np.mean(drawn == value) - likely) < 5 * error + 1e-12
    return True


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", ["AP", "11-point", "P@2", "RR"])
@pytest.mark.parametrize("tied", [[1] * 8, [2, 1, 3, 1, 1], [8]], ids=str)
@pytest.mark.parametrize("found", [1, 2, 4, 5, 7, 8])
def test_random_orders_have_the_values_of_all_orders(name, tied, found):
    rule, scores = ap.metric(name).rule, np.repeat(-np.arange(len(tied)), tied)
    shape = RankingShape(np.array(tied), found, found)
    drawn = draw_values(rule, shape, 20_000, np.random.default_rng(0))
    assert close_to_all_orders(drawn, all_values(ap.metric(name), np.arange(8) < found, scores))


def test_all_sets_of_places_are_equally_likely():
    for size, found in ((5, 2), (6, 3), (6, 5), (4, 0), (4, 4)):
        shape = RankingShape(np.ones(size, int), found, found)
        drawn = np.concatenate([*draw_places(shape, 30_000, np.random.default_rng(0))])
        assert drawn.shape == (30_000, found)
        sets, counts = np.unique(drawn, axis=0, return_counts=True)
        assert sets.tolist() == list(map(list, combinations(range(size), found)))
        assert chisquare(counts).pvalue > 1e-4 or counts.size == 1


@pytest.mark.sweep(6)
@pytest.mark.parametrize("scores", [[5, 4, 3, 2, 1, 0], [5, 4, 4, 2, 2, 2]], ids=str)
@pytest.mark.parametrize("grades", [[3, 0, 1, 2, 0, 0], [2, 1, 1, 2, 0, 3], [0, 0, 0, 0, 5, 0]])
@pytest.mark.parametrize("unjudged", [False, True])
@pytest.mark.parametrize("name", ["nDCG", "nDCG@2"])
def test_random_orders_of_grades_have_the_values_of_all_orders(name, scores, grades, unjudged):
    grades, scores = np.array(grades, float), np.array(scores)
    if unjudged:
        grades[1] = np.nan
    metric = ap.metric(name)
    orders = scores[np.array([*permutations(range(6))])]
    each = values_of_rows(metric, np.broadcast_to(grades, orders.shape), orders)
    rankings = read_rankings(Inputs(y_true=grades, y_score=scores), metric.rule)
    alone = replace(rankings, average="macro", group=np.zeros(6, np.int64), names=range(1))
    drawn = _draw_row_orders(metric.rule, alone, 20_000, np.random.default_rng(0))
    assert close_to_all_orders(drawn.ravel(), each)


def test_random_orders_that_hardly_vary_are_not_the_mean():
    """Of 200 rows with weights, one in 200 orders has the only positive first."""
    labels, weight = np.arange(200) < 1, np.tile([1.0, 2.0], 100)
    given = {"metric": "precision_at_1", "k_counts": "samples", "sample_weight": weight}
    chance = ap.confidence_interval(labels, np.arange(200), **given).chance
    assert chance == pytest.approx(1 / 200, abs=4 * np.sqrt(1 / 200 / 10_000))


@pytest.mark.filterwarnings("ignore:All rows of the model are positive")
def test_rankings_that_nothing_can_change_are_not_upside_down():
    for size in (7, 100, 1000):
        same = ap.confidence_interval(np.ones(size, int), np.arange(size))
        assert same.notes == ()
        assert same.chance == pytest.approx(1, abs=1e-12)


# --- upside down ----------------------------------------------------------------------------------


def are_upside_down(labels, scores, **given):
    return "upside_down" in [n.code for n in ap.confidence_interval(labels, scores, **given).notes]


def test_scores_upside_down_are_noted():
    rng = np.random.default_rng(9)
    labels = np.arange(1000) < 20
    scores = 2 * labels + rng.standard_normal(1000)
    right, turned = ap.confidence_interval(labels, scores), ap.confidence_interval(labels, -scores)
    assert right.notes == ()
    assert [note.code for note in turned.notes] == ["upside_down"]
    report = str(ap.report(labels, {"x": -scores}))
    for printed, of in (str(turned), ""), (turned.to_markdown(), ""), (report, "of x "):
        assert f"The scores {of}seem to be upside down" in " ".join(printed.split())
    for printed in (turned.to_markdown(), turned._repr_html_()):
        assert "pass -y_score" in printed
    assert "pass -y_score" in ap.compat.explain(labels, -scores).notes[0]
    assert not ap.compat.explain(labels, scores).notes


@pytest.mark.slow
@pytest.mark.parametrize("clustered", [False, True])
def test_upside_down_is_said_of_reversed_models_and_not_of_random_ones(clustered):
    rng = np.random.default_rng(10)
    n_clusters, each = (100, 10) if clustered else (1000, 1)
    cluster = np.repeat(np.arange(n_clusters), each)
    given = {"clusters": cluster} if clustered else {}

    def scores_of(labels, distance):
        shared = rng.standard_normal(n_clusters)[cluster] * 2 * clustered
        return shared + rng.standard_normal(1000) + distance * labels

    random = reversed_ = 0
    for number in range(2000):
        labels = rng.random(1000) < 0.05
        random += are_upside_down(labels, scores_of(labels, 0.0), **given)
        if number < 500:
            reversed_ += are_upside_down(
                labels, -scores_of(labels, 5.0 if clustered else 2.0), **given
            )
    assert random <= 10
    assert reversed_ >= 490


@pytest.mark.sweep(6)
@pytest.mark.parametrize("metric", ["MRR", "MAP", "nDCG@10"])
@pytest.mark.parametrize("as_rows", [False, True])
@pytest.mark.parametrize("n_seeds", [10, pytest.param(60, marks=pytest.mark.slow)])
def test_means_over_groups_are_upside_down_if_random_orders_rarely_have_them(
    metric, as_rows, n_seeds
):
    """A query with a single relevant document says little, but 30 of them are enough."""
    told = {0.0: 0, -3.0: 0}
    for apart, seed in product(told, range(n_seeds)):
        rng = np.random.default_rng([seed, int(-apart)])
        labels = np.tile(np.arange(20) < 1, (30, 1)).astype(int)
        scores = rng.normal(size=labels.shape) + apart * labels
        given = {"metric": metric, "groups": np.arange(600) // 20}
        if as_rows:
            given = {"metric": metric, "average": "samples"}
        else:
            labels, scores = labels.ravel(), scores.ravel()
        told[apart] += are_upside_down(labels, scores, **given)
    assert told[0.0] <= n_seeds / 30  # in 0.5%
    assert told[-3.0] == n_seeds


def test_how_rarely_random_orders_have_a_mean():
    """By all orders of the groups: 1/3 is the lowest value of each, with a probability of 1/3."""
    labels, scores = np.tile([1, 0, 0], 6), np.tile([1, 2, 3], 6)
    # 1/81, and 1/729
    for n_groups, told, method in (4, False, "auto"), (6, True, "bootstrap"), (6, True, "auto"):
        size = 3 * n_groups
        given = {"groups": np.arange(size) // 3, "metric": "MRR", "method": method}
        given |= {"random_state": 0} if method == "bootstrap" else {}
        found = ap.confidence_interval(labels[:size], scores[:size], **given)
        codes = [note.code for note in found.notes if note.code != "few_groups"]
        assert codes == ["upside_down"] * told
    words = "0.333 (as low in fewer than 5 of 1,000 random orders), but random rankings 0.611."
    assert words in " ".join(str(found).split())  # (1 + 1/2 + 1/3) / 3


LISTS = {"groups": np.repeat(np.arange(8), 12), "n_positives": dict.fromkeys(range(8), 9)}


@pytest.mark.parametrize("metric", ["P@12", "R@12", "AP@20", "nDCG@12", "MRR@12", "success@12"])
def test_lists_of_retrieved_items_have_no_random_baseline(metric):
    """A shuffle of a recommender's lists of 12 of 5,000 items has the same P@12."""
    rng = np.random.default_rng(0)
    labels, scores = rng.random(96) < 0.3, rng.random(96)
    found = ap.confidence_interval(labels, scores, metric=metric, **LISTS)
    report = ap.report(labels, {"a": scores, "b": -scores}, metrics=metric, **LISTS)
    for one in (found, pickle.loads(pickle.dumps(found)), *report.rows):
        assert np.isnan(one.chance)
    for one in (found.to_dict(), *report.to_dict()):
        assert one["chance"] is None
    assert "random" not in str(found) + str(report)


@pytest.mark.parametrize("metric", ["P@11", "MAP", "R-precision", "P@50%"])
def test_lists_beyond_the_cutoff_have_one(metric):
    rng = np.random.default_rng(0)
    labels, scores = rng.random(96) < 0.3, rng.random(96)
    assert ap.confidence_interval(labels, scores, metric=metric, **LISTS).chance > 0
    alone = ap.confidence_interval(labels, scores, metric="P@200")  # one ranking of all rows
    assert alone.chance == pytest.approx(labels.sum() / 200)


@pytest.mark.parametrize("metric", ["MAP", "MRR", "nDCG", "P@2"])
def test_tables_of_retrieved_rows_have_no_random_baseline(metric):
    for table in (trec(), engine()):
        if metric == "nDCG" and table.n_judged is None:
            continue
        found = ap.confidence_interval(data=table, metric=metric, zero_division=0.0)
        assert np.isnan(found.chance)
        assert "random" not in str(found)
        display = ap.AveragePrecisionDisplay.from_predictions(data=table, plot_chance_level=True)
        assert "random AP" not in display.chance_level_.get_label()


def test_reversed_scores_of_retrieved_rows_are_still_told():
    labels, scores = np.tile([0] * 9 + [1] * 3, 40), np.tile(np.arange(12, 0, -1), 40)
    given = {"groups": np.repeat(np.arange(40), 12), "metric": "AP@12"}
    (note,) = ap.confidence_interval(labels, scores, **given).notes
    assert note.code == "upside_down"
    assert "(as low in fewer than 5 of 1,000 random orders).\nIf a lower score" in note.text
