"""Metrics of grades, and how they see documents that weren't retrieved."""

import re
from fractions import Fraction
from functools import partial
from itertools import permutations
from math import log2

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import ndcg_score

import sklearn_ap as ap
from sklearn_ap import confidence_interval
from sklearn_ap.exceptions import InvalidParameterError
from sklearn_ap.readers import read_runs

from .oracle import GAINS, dcg, ndcg_of
from .refusals import refused, refuses

# --- the definitions in plain Python, of documents in their order ---------------------------------


def ranked(scores):
    """Rank documents as trec_eval does: by score in single precision, then by name."""
    return sorted(scores, key=lambda name: (np.float32(scores[name]), name.encode()), reverse=True)


def capped_of(order, judged, k=5, least=1):
    relevant = sum(grade >= least for grade in judged)
    hits = sum(grade is not None and grade >= least for grade in order[:k])
    return hits / min(k, relevant) if relevant else 0.0


def random_set(seed):
    """Judgments and a run: grades, ties, unjudged documents, queries without one or the other."""
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    names = [f"d{i}" for i in range(15)]
    for query in map(str, range(4)):
        judged = rng.choice(names, rng.integers(1, 12), replace=False).tolist()
        qrels[query] = {name: int(rng.integers(-1, 4)) for name in judged}
        found = rng.choice(names, rng.integers(0, 15), replace=False).tolist()
        if found:
            run[query] = {
                name: float(rng.integers(0, 6)) + 1e-9 * float(rng.integers(3)) for name in found
            }
    return qrels, run


def random_sets(seeds):
    """Yield the random sets whose run has documents."""
    yield from ((qrels, run) for qrels, run in map(random_set, seeds) if run)


def expected(of, qrels, run, **options):
    orders = {
        query: [qrels[query].get(name) for name in ranked(run.get(query, {}))] for query in qrels
    }
    return {
        query: of(order, [*qrels[query].values()], **options) for query, order in orders.items()
    }


METRICS = {
    "nDCG": ndcg_of,
    "ndcg_cut_3": partial(ndcg_of, k=3),
    "nDCG@10": partial(ndcg_of, k=10),
    "nDCG@40": partial(ndcg_of, k=40),
    "nDCG@5 exponential": partial(ndcg_of, k=5, gains="exponential"),
    "R_cap@5": capped_of,
}


each_sets = pytest.mark.parametrize(
    "seeds",
    [range(30), pytest.param(range(30, 200), marks=pytest.mark.slow)],
    ids=["some", "all"],
)


@pytest.mark.sweep(2)
@each_sets
@pytest.mark.parametrize("least", [1, 2])
def test_random_sets_have_the_values_of_plain_python(least, seeds):
    for qrels, run in random_sets(seeds):
        table = read_runs(qrels, run, min_grade=least)
        for name, of in METRICS.items():
            given = {} if name.startswith(("nDCG", "ndcg")) else {"least": least}
            found = ap.metric(name).by_name(data=table, zero_division=0.0)
            assert found == pytest.approx(expected(of, qrels, run, **given), abs=1e-12), name


@each_sets
def test_random_sets_have_the_values_of_trec_eval(seeds):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    for qrels, run in random_sets(seeds):
        # pytrec_eval 0.5 doesn't return from nDCG of some sets with negative grades.
        qrels = {query: {d: max(g, 0) for d, g in own.items()} for query, own in qrels.items()}
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg", "ndcg_cut.3,10"}).evaluate(run)
        for name in ("ndcg", "ndcg_cut_3", "ndcg_cut_10"):
            found = ap.metric(name).by_name(data=read_runs(qrels, run), zero_division=0.0)
            for query, values in theirs.items():
                assert found[query] == pytest.approx(values[name], abs=1e-12)


def test_the_value_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    for _ in range(100):
        grades, scores = rng.integers(0, 4, (5, 12)), rng.integers(0, 5, (5, 12))
        given = {"k": int(rng.integers(1, 15)), "sample_weight": rng.random(5)}
        theirs = ndcg_score(grades, scores, **given)
        assert ap.ndcg_score(grades, scores, ignore_ties=False, **given) == pytest.approx(theirs)
    real, scores = rng.random((2, 3, 200))
    assert ap.ndcg_score(real, scores) == pytest.approx(ndcg_score(real, scores))


def test_the_value_of_tied_documents_is_the_mean_over_their_orders():
    rng = np.random.default_rng(1)
    for _ in range(30):
        grades = [None if rng.random() < 0.2 else int(rng.integers(0, 3)) for _ in range(6)]
        scores = sorted(rng.integers(0, 3, 6).tolist(), reverse=True)
        orders = [o for o in permutations(range(6)) if [scores[i] for i in o] == scores]
        judged = [grade for grade in grades if grade is not None]
        array = np.array(grades, dtype=float)
        each = [ndcg_of([grades[i] for i in order], judged) for order in orders]
        found = ap.ndcg_score(array, scores, zero_division=0.0)
        assert found == pytest.approx(np.mean(each))


# --- what wasn't retrieved ------------------------------------------------------------------------

QRELS = {f"q{i}": {f"d{j}": 1 for j in range(6)} for i in range(9)}
SHORT = {f"q{i}": {"d0": 2.0, "x": 1.5 + (i == 4)} for i in range(9)}
LONG = {f"q{i}": {"x": 8.5 + i % 3, **{f"d{j}": 9.0 - j for j in range(6)}} for i in range(9)}
TABLES = read_runs(QRELS, {"short": SHORT, "long": LONG})


def own_ndcg(y_true, y_score, judged):
    order = y_true[np.argsort(-y_score)]
    return ndcg_of(order.tolist(), judged.tolist(), 10)


def test_the_engine_that_finds_more_is_better():
    own = ap.metric(own_ndcg, name="own", limits=(0, 1))
    values = [
        np.mean([*expected(partial(ndcg_of, k=10), QRELS, run).values()]) for run in (SHORT, LONG)
    ]
    assert [round(value, 3) for value in values] == [0.290, 0.835]  # as trec_eval prints them
    for metric in ("nDCG@10", own):
        found = ap.compare(data=TABLES, metric=metric, baseline="short")
        assert [row.value for row in found] == pytest.approx(values)
        assert found.rows[1].verdict == "better"


def test_a_function_is_called_for_queries_without_rows_with_all_judged_grades():
    seen = {}

    def look(y_true, y_score, judged):
        seen[len(seen)] = y_true.tolist(), y_score.tolist(), judged.tolist()
        return 0.5

    qrels = {"a": {"x": 2, "y": 0, "z": -1}, "b": {"x": 1}}
    table = read_runs(qrels, {"a": {"z": 3.0, "new": 2.0, "x": 1.0}})
    assert ap.metric(look)(data=table) == 0.5
    assert seen == {0: ([0, 0, 2], [3, 2, 1], [2, 0]), 1: ([], [], [1])}
    seen.clear()
    counts = {"a": {2: 1, 0: 1}, "b": {1: 1}}
    ap.metric(look)([0, 0, 2], [3, 2, 1], groups=["a"] * 3, n_positives=counts)
    assert seen == {0: ([0, 0, 2], [3, 2, 1], [2, 0]), 1: ([], [], [1])}
    seen.clear()
    ap.metric(look)([0, 3, 2], [3, 2, 1], groups=["a"] * 3)
    assert seen[0][2] == [3, 2, 0]


@pytest.mark.parametrize("given", [{}, {"n_positives": None}, {"y_true": "grade"}])
def test_a_function_that_does_not_see_them_is_refused(given):
    blind = ap.metric(lambda y_true, y_score: 1.0, name="own", limits=(0, 1))
    table = TABLES["short"]
    calls = [
        lambda: blind(data=table, **given),
        lambda: blind.by_name(data=table, **given),
        lambda: ap.confidence_interval(data=table, metric=blind, **given),
        lambda: ap.report(data=TABLES, metrics=["MAP", blind], **given),
        lambda: ap.compare(data=TABLES, metric=blind, **given),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"'own' doesn't see .*\(y_true, y_score, judged\)"):
            call()
    with pytest.raises(ValueError, match="Leave n_positives out, because the table knows them"):
        ap.ndcg_score(data=table, n_positives=None)


# --- counts by grade ------------------------------------------------------------------------------


def test_the_readers_count_judged_documents_by_grade():
    qrels = {"a": {"x": 2, "y": 0, "z": -1, "w": 2}, "b": {"x": 1}, "c": {"x": -1}}
    table = read_runs(qrels, {"a": {"x": 1.0}}, min_grade=2)
    assert table.n_judged == {"a": {0: 1, 2: 2}, "b": {1: 1}, "c": {}}
    assert table.n_positives == {"a": 2, "b": 0, "c": 0}


def test_each_metric_has_the_lowest_grade_that_it_asks_for():
    for qrels, run in random_sets(range(5)):
        by_least = {least: read_runs(qrels, run, min_grade=least) for least in (1, 2, 3)}
        for name in ("MAP", "P@3", "R@3", "MRR"):
            for least, table in by_least.items():
                own = ap.metric(name, min_grade=least)
                found = own(data=by_least[1], zero_division=0.0)
                assert found == ap.metric(name)(data=table, zero_division=0.0)
        with_all = ap.report(
            data=by_least[1],
            metrics=["nDCG@10", ap.metric("MAP", min_grade=2)],
            zero_division=0.0,
        )
        given = {"data": by_least[2], "zero_division": 0.0}
        values = [ap.metric(name)(**given) for name in ("nDCG@10", "MAP")]
        assert [row.value for row in with_all] == values


def test_counts_by_grade_count_for_every_metric():
    grades, scores, groups = [2, 0, 1, 0], [4, 3, 2, 1], [*"aabb"]
    counts = {"a": {2: 1, 1: 2, 0: 4}, "b": {1: 1, 0: 1}, "c": {3: 1}}
    given = {"groups": groups, "zero_division": 0.0}
    for least in (None, 1, 2):
        exist = {
            group: sum(n for grade, n in own.items() if grade >= (least or 1))
            for group, own in counts.items()
        }
        found = ap.recall_at_k_score(
            grades, scores, k=1, n_positives=counts, min_grade=least, **given
        )
        assert found == ap.recall_at_k_score(
            grades, scores, k=1, n_positives=exist, min_grade=least or 1, **given
        )
    found = ap.ndcg_score(grades, scores, n_positives=counts, average=None, **given)
    best = dcg([2, 1, 1], None)
    assert found == pytest.approx([2 / best, 1, 0])


@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", [*METRICS, "MAP", "P@3", "own"])
def test_a_segment_of_queries_has_the_value_of_its_queries(name):
    metric = ap.metric(own_ndcg, name="own", limits=(0, 1)) if name == "own" else ap.metric(name)
    for qrels, run in random_sets(range(4)):
        kinds = {query: "even" if int(query) % 2 == 0 else "odd" for query in qrels}
        given = {"zero_division": 0.0, "metrics": [metric]}
        rows = ap.report(data=read_runs(qrels, run), by=kinds, **given)
        for row in [row for row in rows if row.segment is not None]:
            of_it = {query: own for query, own in qrels.items() if kinds[query] == row.segment}
            own = {query: found for query, found in run.items() if query in of_it}
            if own:
                table = read_runs(of_it, own)
                assert row.value == metric(data=table, zero_division=0.0)
                assert row.n_positives == sum(table.n_positives.values())


def test_queries_without_results_count_in_their_class():
    qrels = {query: {"d": 1} for query in "abcd"}
    run = {query: {"d": 1.0} for query in "abc"}
    kinds = dict(zip("abcd", ["tame", "tame", "wild", "wild"], strict=True))
    rows = ap.report(data=read_runs(qrels, run), by=kinds, metrics=["MAP", "nDCG@10"])
    found = {(row.segment, row.metric): row.value for row in rows}
    assert set(found.values()) == {0.75, 1, 0.5}
    assert {found[each] for each in found if each[0] == "wild"} == {0.5}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", [*METRICS, "MAP", "R@3"])
def test_a_count_of_positives_says_all_about_labels_0_and_1(name):
    rng = np.random.default_rng(0)
    for _ in range(5):
        labels, scores, groups = (rng.integers(0, most, 30) for most in (2, 9, 4))
        counts = (np.bincount(groups, labels, 5) + rng.integers(0, 5, 5)).astype(int).tolist()
        interval = partial(
            ap.confidence_interval, labels, scores, metric=name, groups=groups, zero_division=0.0
        )
        plain = interval(n_positives=dict(enumerate(counts)))
        by_grade = interval(n_positives={group: {1: n} for group, n in enumerate(counts)})
        assert plain == by_grade
        assert plain.notes == by_grade.notes


def test_a_count_of_positives_is_enough_for_one_ranking_and_for_rows():
    best = dcg([1, 1, 1], None)
    assert ap.ndcg_score([0, 1], [2, 1], n_positives=3) == pytest.approx(dcg([0, 1], None) / best)
    rows = ap.ndcg_score([[0, 1], [1, 0]], [[2, 1], [2, 1]], n_positives=[3, 1])
    assert rows == pytest.approx((dcg([0, 1], None) / best + 1) / 2)


def ndcg(grades=(2, 0, 1, 0), scores=(4, 3, 2, 1), **given):
    return ap.ndcg_score(list(grades), list(scores), **given)


GROUPS = [*"aabb"]
OF_GRADE_0 = [{0: 5}, {0.0: 1, 1: 2}, {np.int64(0): 1e-9}]
test_refused = refuses(
    [
        refused("Pass groups= too", lambda: ndcg(n_positives={"a": {1: 2}})),
        refused(
            "for all groups, or for none",
            lambda: ndcg(n_positives={"a": {1: 2}, "b": 1}, groups=GROUPS),
        ),
        refused(
            "numbers >= 0. Got -1", lambda: ndcg(n_positives={"a": {-1: 2}, "b": {}}, groups=GROUPS)
        ),
        refused(
            "too few judged documents for 'a'",
            lambda: ndcg(n_positives={"a": {1: 9}, "b": {1: 9}}, groups=GROUPS),
        ),
        refused(
            "y_true has the grade 2 besides 0 and 1: pass n_positives as counts by grade",
            lambda: ndcg(n_positives={"a": 2, "b": 1}, groups=GROUPS),
        ),
        refused("Only rows of a matrix", lambda: ndcg(sample_weight=[1, 2, 1, 1], groups=GROUPS)),
        refused(
            "would rank tied documents in the order of their rows", lambda: ndcg(ignore_ties=True)
        ),
        refused("at least 0, but y_true contains -1", lambda: ndcg([2, -1], [2, 1])),
        refused("infinity", lambda: ndcg([np.inf, 1], [2, 1])),
        refused("Grades must be numbers", lambda: ndcg("ab", [2, 1])),
        refused("contains NaN", lambda: ap.average_precision_score([1, np.nan, 0], [3, 2, 1])),
        refused(
            "min_grade is not available for 'nDCG",
            lambda: confidence_interval(
                [1, 0], [2, 1], metric="nDCG@10", min_grade=1, groups=[1, 2]
            ),
        ),
        refused(
            "needs all rows of a group together",
            lambda: ap.AveragePrecisionDisplay.from_predictions([1, 0], [2, 1], metric="nDCG@10"),
        ),
        refused(
            "grades must be at most 1000, because 2**1024",
            [
                lambda: ndcg([1001, 0, 1], [3, 2, 1], gains="exponential"),
                lambda: ndcg(
                    groups=[*"aaaa"], n_positives={"a": {2000: 1, 2: 1, 1: 1}}, gains="exponential"
                ),
            ],
        ),
        # Or unjudged documents would gain as much.
        refused(
            "where grade 0 gains 0",
            lambda gains: ndcg(gains=gains),
            OF_GRADE_0,
            error=InvalidParameterError,
        ),
    ],
)


def test_one_document_has_a_value_and_none_that_is_relevant_is_undefined():
    assert ap.ndcg_score([2], [1]) == 1
    with pytest.warns(UndefinedMetricWarning, match="No positive class"):
        assert ap.ndcg_score([0, np.nan], [2, 1]) == 0
    given = {"groups": [1, 1, 2], "zero_division": np.nan}
    assert ap.ndcg_score([1, 0, 0], [2, 1, 1], **given) == 1


def test_gains_can_be_any_mapping():
    grades, scores = [3, 1, 2, 0, np.nan], [5, 4, 3, 2, 1]
    for gains, of in GAINS.items():
        own = {grade: of(grade) for grade in range(4)}
        assert ap.ndcg_score(grades, scores, gains=own) == ap.ndcg_score(
            grades, scores, gains=gains
        )
        assert ap.ndcg_score(grades, scores, gains=own) == ap.ndcg_score(
            grades, scores, gains=own | {0: 0}
        )
    only = ap.ndcg_score(grades, scores, gains={2: 1})
    assert only == pytest.approx(1 / log2(4))
    gains = {2: 1}, {np.int64(2): 7, 3: np.float64(2.5)}, {3: 1e-7, 2: 7}
    metrics = [ap.metric("nDCG@3", gains=own) for own in gains]
    found = ap.report([3, 2, 3, 2], [4, 3, 2, 1], metrics=metrics, groups=[1, 1, 2, 2])
    names = [f"nDCG at 3 with {own} gains" for own in ("2:1", "2:7, 3:2.5", "2:7, 3:0.0000001")]
    assert [row.metric for row in found] == names


@pytest.mark.parametrize(
    "names",
    [
        "nDCG@10 ndcg_cut_10 ndcg_cut.10 NDCG@10 ndcg_at_10 cosine_ndcg@10 dot_ndcg@10",
        "nDCG@10+exponential ndcg_burges@10",
        "P@100% set_P",
        "R@100% set_recall",
        "R_cap@10 relative_P_10 relative_P.10",
        "HR@10 HitRate@10 success.10 hit_rate_at_10",
        "P@10 P.10 P_10",
        "map_cut_10 map_cut.10",
    ],
)
def test_names_of_other_tools_are_read(names):
    first, *others = [ap.metric(name.replace("+", " ")) for name in names.split()]
    for other in others:
        assert other == first


# By what an error names, metrics that we don't have
MISSING = {
    "'11-point'": ["11pt_avg"],
    "'precision_at_recall_0.20'": ["iprec_at_recall_0.20", "iprec_at_recall.0.20"],
    "'precision_at_recall_0.2'": ["IPrec@0.2"],
    "'hit_rate@5'": ["accuracy@5", "cosine_accuracy@5"],
    "judged_at": ["hole@10", "judged@10"],
    "np.exp(np.log(": ["gm_map"],
    "ir_measures": ["infAP", "bpref", "mean bpref", "binary preference"],
    "unjudged='drop'": ["Bpref"],
    "'nDCG@10'": ["rbp"],
    "min_grade=2": ["AP(rel=2)"],
}
test_names_of_what_is_missing_say_what_to_use = refuses(
    refused(instead, ap.metric, names) for instead, names in MISSING.items()
)


def test_the_geometric_mean_is_computed_as_the_error_says():
    """As in trec_eval, a query without relevant documents in its run counts as 0.00001."""
    labels, scores, query = [1, 0, 0, 1, 0, 0], [3, 2, 2, 1, 3, 1], [*"aabbcc"]
    with pytest.raises(ValueError, match="geometric mean") as caught:
        ap.metric("gm_map")
    words = " ".join(str(caught.value).split())
    expression, values = re.search(r"it is (.*) of values = (.*?\])\.", words).groups()
    values = values.replace("metric(", "ap.metric(").replace("...", "labels, scores, groups=query")
    columns = {"labels": labels, "scores": scores, "query": query}
    with pytest.warns(UserWarning, match="No positive class"):
        values = eval(values, {"ap": ap} | columns)
    assert values == [1.0, 0.5, 0.0]
    assert eval(expression, {"np": np, "values": values}) == pytest.approx((0.5e-5) ** (1 / 3))


# --- statistics -----------------------------------------------------------------------------------


def simulated(rng, n_queries, shift=0.0):
    """Grades of 12 documents for each query, whose engines are alike unless one is shifted."""
    grades = rng.choice(4, (n_queries, 12), p=[0.6, 0.2, 0.1, 0.1])
    skill = rng.random((n_queries, 1)) * 1.5
    return grades, [skill * grades + rng.normal(0, 1.5, grades.shape) for _ in range(2)]


@pytest.mark.slow
@pytest.mark.parametrize("n_queries", [25, 50, 200])
def test_intervals_cover_the_mean_and_alike_engines_rarely_differ(n_queries):
    rng = np.random.default_rng(n_queries)
    grades, (a, _) = simulated(rng, 100_000)
    truth = ap.ndcg_score(grades, a, k=10, zero_division=0.0)
    covered, alarms, times = 0, 0, 1000
    for _ in range(times):
        grades, (a, b) = simulated(rng, n_queries)
        given = {"metric": "nDCG@10", "zero_division": 0.0, "average": "samples"}
        interval = ap.confidence_interval(grades, a, **given)
        covered += interval.low <= truth <= interval.high
        alarms += ap.compare(grades, a, b, **given).pvalue < 0.05
    assert 0.93 <= covered / times <= 0.98
    assert alarms / times <= 0.06


FIRST = ap.metric(lambda y_true, y_score: float(y_true[np.argmax(y_score)]), name="first")


@pytest.mark.filterwarnings("ignore:.*predicted classes:UserWarning")
@pytest.mark.parametrize(
    "metric", ["nDCG", "nDCG@3", FIRST, ap.metric("P@2", min_grade=0.7)], ids=str
)
@pytest.mark.parametrize("kind", [float, np.float32, bool])
def test_fractional_grades_are_not_taken_for_scores(metric, kind):
    """Of two models, the second can have two scores only, as the first one can."""
    grades = np.array([0.5, 1.5, 0, 2, 0.75, 1] * 5)
    a, b, group = np.arange(30) % 7, (np.arange(30) % 2).astype(kind), np.arange(30) // 6
    if metric in ("nDCG", "nDCG@3"):
        grades[4] = np.nan  # unjudged
    one, other = (ap.compare(grades, *models, metric=metric, groups=group)
                  for models in ((a, b), (b, a)))  # fmt: skip
    assert one.difference == -other.difference
    assert one.pvalue == other.pvalue


def test_exponential_gains_of_the_highest_grade():
    assert ap.ndcg_score([[1000, 0, 1]], [[3, 2, 1]], gains="exponential") == 1


@pytest.mark.parametrize("kind", [np.float16, np.float32, float])
def test_grades_with_decimals_are_those_of_gains_and_counts(kind):
    """Also in 32 bits, which round 0.1 in another way than 64 bits."""
    scores, gains = [4, 3, 2, 1], {0.1: 1, 0.3: 5}
    found = ap.ndcg_score(np.array([0.1, 0.3, 0.0, np.nan], kind), scores, gains=gains)
    assert found == ap.ndcg_score([1, 5, 0, np.nan], scores)
    counts = {"a": {kind(0.1): 2, 0.3: 1, 0: 1}}
    given = {"groups": [*"aaaa"], "n_positives": counts}
    found = ap.ndcg_score(np.array([0.1, 0.3, 0.0, np.nan], kind), scores, **given)
    assert found == ap.ndcg_score([0.1, 0.3, 0.0, np.nan], scores, **given)
    assert found == pytest.approx(ndcg_of([0.1, 0.3, 0, None], [0.1, 0.1, 0.3, 0]))


KINDS_OF_GRADES = [np.uint8, np.uint64, np.int8, np.int64, np.float32, np.float64, Fraction]


@pytest.mark.parametrize("kind", [*KINDS_OF_GRADES, bool, np.bool_])
def test_counts_by_grade_can_have_keys_of_any_numbers(kind):
    """As np.unique returns them."""
    high = 1 if kind in (bool, np.bool_) else 2
    grades, scores = [high, 0, 1, 0], [4, 3, 2, 1]
    counts = {"a": {0: 1, high: 1}, "b": {0: 1, 1: 2}}
    other = {query: {kind(grade): n for grade, n in own.items()} for query, own in counts.items()}
    for metric in ("nDCG", "nDCG@1", "AP"):
        of = ap.metric(metric, min_grade=1) if metric == "AP" else ap.metric(metric)
        expected = of(grades, scores, groups=[*"aabb"], n_positives=counts)
        assert of(grades, scores, groups=[*"aabb"], n_positives=other) == expected


@pytest.mark.parametrize("name", ["AP(rel=2)", "P(rel=2)@5", "Rprec(rel=2)", "RR(rel=2)@10"])
def test_advice_on_the_lowest_grade_makes_the_metric_that_was_named(name):
    with pytest.raises(InvalidParameterError) as refused:
        ap.metric(name)
    (advised,) = re.findall(r"metric\('(.*?)', min_grade=2\)", str(refused.value))
    assert ap.metric(advised) == ap.metric(name.replace("(rel=2)", ""))


@pytest.mark.parametrize("missing", [None, pd.NA, np.nan])
def test_an_unjudged_document_beside_two_scores(missing):
    """It gains nothing at its rank."""
    assert ap.ndcg_score([1, missing, 0, 2], [1, 0, 1, 0]) == ap.ndcg_score(
        [1, 0, 0, 2], [1, 0, 1, 0]
    )
