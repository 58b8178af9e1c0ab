"""Any function of one group as a metric: `metric(function, name=...)`."""

import json
import pickle
from functools import partial

import numpy as np
import pytest
import sklearn
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import average_precision_score, ndcg_score

import sklearn_ap as ap

from .by_page import compare_means
from .tables import TABLES, arrow, each_table
from .units import contributions

RNG = np.random.default_rng(0)
SIZE, N_GROUPS = 400, 40
GROUP = RNG.permutation(np.repeat(np.arange(N_GROUPS), SIZE // N_GROUPS))
GRADE = RNG.integers(0, 4, SIZE)
Y = (GRADE > 1).astype(int)
A, B = (GRADE + RNG.normal(0, noise, SIZE) for noise in (1.5, 2.5))
DATA = {"relevance": GRADE, "positive": Y, "a": A, "b": B, "query": GROUP}


def ndcg(y_true, y_score):
    return ndcg_score([y_true], [y_score], k=5)


def mean_of_top(y_true, y_score, sample_weight=None):
    top = np.argsort(-y_score)[:3]
    return np.average(y_true[top], weights=None if sample_weight is None else sample_weight[top])


def first_grade(y_true, y_score):
    return y_true[np.argmax(y_score)]


def average_precision(y_true, y_score):
    return average_precision_score(y_true, y_score)


NDCG = ap.metric(ndcg, name="Gain@5", limits=(0, 1))
TOP = ap.metric(mean_of_top, name="Mean grade of three")
AS_MAP = ap.metric(average_precision, name="own MAP", limits=(0, 1))


def by_loop(function, y_true, y_score, groups=GROUP, **columns):
    """Return the value of each group."""
    return np.array(
        [
            function(
                y_true[groups == group],
                y_score[groups == group],
                **{name: column[groups == group] for name, column in columns.items()},
            )
            for group in np.unique(groups)
        ]
    )


def test_the_value_is_the_mean_over_groups():
    each = by_loop(ndcg, GRADE, A)
    assert NDCG(GRADE, A, groups=GROUP) == pytest.approx(each.mean())
    assert NDCG("relevance", "a", groups="query", data=DATA) == pytest.approx(each.mean())
    np.testing.assert_array_equal(NDCG(GRADE, A, groups=GROUP, average=None), each)
    by_name = NDCG.by_name(GRADE, A, groups=GROUP)
    assert [*by_name] == [*range(N_GROUPS)]
    assert [*by_name.values()] == each.tolist()


def test_rows_come_in_their_order_and_labels_as_they_are():
    seen = []

    def look(y_true, y_score):
        seen.append((y_true.tolist(), y_score.tolist()))
        y_true[:] = y_true[0]  # what a function does to its arrays stays in there
        y_score[:] = 0
        return 1.0

    labels, scores = np.array(["x", "y", "x", "z", "y"]), np.array([5, 4, 3, 2, 1])
    groups = ["b", "a", "b", "a", "b"]
    known = labels.copy(), scores.copy()
    assert ap.metric(look, name="look")(labels, scores, groups=groups) == 1.0
    assert seen == [(["y", "z"], [4, 2]), (["x", "x", "y"], [5, 3, 1])]
    assert (labels == known[0]).all()
    assert (scores == known[1]).all()
    seen.clear()
    frame = {"y": [True, False], "s": [0.5, 0.25], "g": [1, 1]}
    ap.metric(look, name="look")("y", "s", groups="g", data=frame)
    assert seen == [([1, 0], [0.5, 0.25])]


def test_average_precision_has_the_values_and_the_comparison_of_the_metric():
    given = {"groups": GROUP, "zero_division": 0.0}
    assert AS_MAP(Y, A, **given) == pytest.approx(ap.metric("MAP")(Y, A, **given))
    own, ours = (ap.compare(Y, A, B, metric=m, **given) for m in (AS_MAP, "MAP"))
    for name in ("values", "difference", "low", "high", "pvalue", "standard_error", "wins"):
        assert getattr(own, name) == pytest.approx(getattr(ours, name))


def test_an_interval_without_limits_is_that_of_tests():
    each = by_loop(mean_of_top, GRADE, A)
    low, high, _ = compare_means(each, 0.999)
    wide = ap.confidence_interval(GRADE, A, metric=TOP, groups=GROUP, confidence_level=0.999)
    assert (wide.low, wide.high) == pytest.approx((low, high))
    near = [0.9, 1.0, 1.0, 0.2]
    value = ap.metric(lambda y, s: s[0], name="x", limits=(0, 1))
    given = [1, 1, 1, 1], near
    cut = ap.confidence_interval(*given, metric=value, groups=[1, 2, 3, 4])
    free = ap.metric(lambda y, s: s[0], name="x")
    beyond = ap.confidence_interval(*given, metric=free, groups=[1, 2, 3, 4])
    assert 0 <= cut.low < beyond.low
    assert cut.high <= 1 < beyond.high
    for least, most in ((0, np.inf), (-np.inf, 1)):
        half = ap.metric(lambda y, s: s[0], name="x", limits=(least, most))
        found = ap.confidence_interval(*given, metric=half, groups=[1, 2, 3, 4])
        assert (found.low, found.high) == (max(beyond.low, least), min(beyond.high, most))


def test_values_that_are_all_at_a_limit_have_an_interval():
    value = partial(ap.confidence_interval, [1] * 5, [2.0] * 5, groups=range(5))
    at_limit = value(metric=ap.metric(lambda y, s: 1.0, name="x", limits=(0, 1)))
    assert (at_limit.low, at_limit.high) == (pytest.approx(0.025 ** (1 / 5)), 1)
    inside = value(metric=ap.metric(lambda y, s: 0.5, name="x", limits=(0, 1)))
    by_chance = 0.025 ** (1 / 5)
    assert (inside.low, inside.high) == pytest.approx((0.5 * by_chance, 1 - 0.5 * by_chance))
    negative = value(metric=ap.metric(lambda y, s: -3.0, name="x"))
    assert (negative.low, negative.value, negative.high) == (-np.inf, -3, np.inf)
    assert [note.code for note in negative.notes] == ["few_groups", "no_limits"]
    assert negative.to_dict()["high"] == "inf"
    of_clusters = value(metric=ap.metric(lambda y, s: -3.0, name="x"), clusters=[0, 0, 1, 1, 2])
    assert of_clusters.notes[-1].text.startswith("All 3 clusters have equal values, which have no")


@pytest.mark.parametrize("method", ["influence", "bootstrap"])
def test_every_method_works(method):
    given = {"metric": TOP, "groups": GROUP, "random_state": 0, "method": method}
    found = ap.compare(GRADE, A, B, **given)
    one, other = by_loop(mean_of_top, GRADE, A), by_loop(mean_of_top, GRADE, B)
    error = stats.sem(one - other)
    assert found.standard_error == pytest.approx(error, rel=0.1)
    assert found.pvalue == pytest.approx(stats.ttest_rel(one, other).pvalue, abs=0.02)


def test_lower_can_be_better():
    loss = ap.metric(lambda y, s: 3.0 - ndcg(y, s), name="loss", greater_is_better=False)
    given = {"groups": GROUP, "margin": 0.001}
    gain = ap.compare(GRADE, A, B, metric=NDCG, **given)
    lost = ap.compare(GRADE, A, B, metric=loss, **given)
    assert not loss.greater_is_better
    assert lost.difference == pytest.approx(-gain.difference)
    assert (lost.verdict, gain.verdict) == ("better", "better")
    assert (lost.wins, lost.ties, lost.losses) == (gain.wins, gain.ties, gain.losses)
    row = next(line for line in str(lost).splitlines() if line.startswith("A "))
    assert f" {lost.difference:.3f} " in row
    assert row.endswith(" better")
    assert "(lower is better)" in str(lost)
    models = {"a": A, "b": B, "c": A + 1}
    assert ap.compare(GRADE, models, metric=loss, groups=GROUP).baseline == "a"


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "given",
    [
        {"groups": GROUP},
        {"groups": GROUP, "by": GROUP % 2},
        {"groups": GROUP, "by": np.minimum(GROUP, 1)},  # of which one segment has a single group
        {"groups": np.zeros(SIZE)},
    ],
)
@pytest.mark.parametrize("models", [{"a": A, "b": B}, {"b": B, "a": A, "c": -A}])
def test_a_report_of_a_loss_mirrors_that_of_the_gain(given, models):
    loss = ap.metric(lambda y, s: 3.0 - ndcg(y, s), name="loss", greater_is_better=False)
    gained = ap.report(GRADE, models, metrics=[NDCG], **given)
    lost = ap.report(GRADE, models, metrics=[loss], **given)
    assert lost.baseline == gained.baseline
    for one, other in zip(lost, gained, strict=True):
        assert (one.model, one.segment, one.verdict) == (other.model, other.segment, other.verdict)
        assert one.difference == pytest.approx(-other.difference, nan_ok=True)
        assert one.pvalue == pytest.approx(other.pvalue, nan_ok=True)


def test_models_are_the_same_only_if_their_scores_are():
    log_loss = ap.metric(lambda y, s: float(np.mean(np.exp(s))), name="sum", limits=(0, 9e9))
    given = [1, 0, 1, 0], [0.5, 1.5, 0.5, 1.5]
    same = ap.compare(*given, given[1], metric=log_loss, groups=[1, 1, 2, 2])
    assert (*same, same.pvalue) == (0, 0, 0, 1)
    moved = ap.compare(*given, [1.5, 2.5, 1.5, 2.5], metric=log_loss, groups=[1, 1, 2, 2])
    assert moved.difference < 0
    assert moved.standard_error == pytest.approx(-moved.difference / 2)
    assert moved.margin_low < -7e9
    assert moved.margin_high > 7e9


def test_weights_reach_functions_that_take_them():
    weight = RNG.random(SIZE) + 0.1
    found = TOP(GRADE, A, groups=GROUP, sample_weight=weight)
    assert found == pytest.approx(by_loop(mean_of_top, GRADE, A, sample_weight=weight).mean())
    weight[GROUP < 3] = 0  # these groups vanish
    found = TOP.by_name(GRADE, A, groups=GROUP, sample_weight=weight)
    assert [*found] == [*range(3, N_GROUPS)]
    subsampled = np.where(Y, 1, 20)
    assert TOP(Y, A, groups=GROUP, sample_weight=subsampled) < TOP(Y, A, groups=GROUP)


def test_a_value_that_is_not_finite_is_undefined():
    values = {1: 0.5, 2: np.nan, 3: np.inf}
    groups = [1, 2, 3]
    of_group = ap.metric(lambda y, s: values[y[0]], name="odd", limits=(0, 1))
    given = groups, [1.0, 2, 3]
    with pytest.warns(UndefinedMetricWarning, match=r"'odd' has no finite value for 2 of 3 groups"):
        assert of_group(*given, groups=groups) == pytest.approx(0.5 / 3)
    assert of_group(*given, groups=groups, zero_division=1.0) == pytest.approx(2.5 / 3)
    assert of_group(*given, groups=groups, zero_division=np.nan) == 0.5
    by_name = of_group.by_name(*given, groups=groups, zero_division=0.0)
    assert by_name == {1: 0.5, 2: 0.0, 3: 0.0}


EIGHT = np.repeat(np.arange(8), 2)
MODELS = {"fails": EIGHT + 10.0, "low": -EIGHT / 2 - 0.5, "high": EIGHT / 2 + 0.5}


def fails_above_9(of_failure, **given):
    return ap.metric(lambda y, s: s[0] if s[0] < 9 else of_failure, name="odd", **given)


@pytest.mark.sweep(6)
@pytest.mark.parametrize(
    ("limits", "is_gain", "worst"),
    [((-9, 9), True, -9), ((-9, 9), False, 9), ((-5, np.inf), True, -5), ((-np.inf, 5), False, 5)],
)
@pytest.mark.parametrize("of_failure", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("method", ["auto", "bootstrap"])
def test_a_model_that_fails_everywhere_is_the_worst(limits, is_gain, worst, of_failure, method):
    metric = fails_above_9(of_failure, greater_is_better=is_gain, limits=limits)
    given = {"groups": EIGHT, "method": method, "random_state": 0}
    with pytest.warns(UndefinedMetricWarning, match=f"for 8 of 8 .* set to {worst}.0, the worst"):
        found = ap.compare(EIGHT % 2, MODELS, metric=metric, baseline="fails", **given)
    assert {row.verdict for row in found if row.model != "fails"} == {"better"}
    with pytest.warns(UndefinedMetricWarning):
        report = ap.report(EIGHT % 2, MODELS, metrics=metric, baseline="low", **given)
    assert [(row.value, row.verdict) for row in report if row.model == "fails"] == [
        (worst, "worse")
    ]


@pytest.mark.parametrize(
    ("limits", "is_gain"),
    [(None, True), (None, False), ((-np.inf, 9), True), ((-9, np.inf), False)],
)
@pytest.mark.parametrize("zero_division", ["warn", np.nan])
def test_a_model_that_fails_has_no_value_without_a_worst_one(limits, is_gain, zero_division):
    metric = fails_above_9(np.nan, greater_is_better=is_gain, limits=limits)
    labels, given = EIGHT % 2, {"groups": EIGHT, "zero_division": zero_division}
    if zero_division == "warn":
        words = r"'odd' has no finite value for 8 of 8 groups .* Pass limits to metric, as in"
        for ask in (ap.compare, ap.confidence_interval, ap.report):
            name = "metrics" if ask is ap.report else "metric"
            scores = MODELS["fails"] if ask is ap.confidence_interval else MODELS
            with pytest.raises(ValueError, match=words):
                ask(labels, scores, **{name: metric}, **given)
        with pytest.raises(ValueError, match=words):
            metric(labels, MODELS["fails"], groups=EIGHT)
    else:
        assert np.isnan(metric(labels, MODELS["fails"], **given))
    assert metric(labels, MODELS["low"], **given) == MODELS["low"].mean()


def test_a_report_has_functions_beside_other_metrics():
    graded = ap.metric("P@3", min_grade=2)
    given = {"groups": "query", "data": DATA}
    report = ap.report("relevance", ["a", "b"], metrics=[graded, NDCG], baseline="a", **given)
    of_ndcg = [row for row in report if row.metric == "Gain@5"]
    assert of_ndcg[0].value == pytest.approx(by_loop(ndcg, GRADE, A).mean())
    assert of_ndcg[1].difference == pytest.approx(of_ndcg[1].value - of_ndcg[0].value)
    assert "Gain@5" in str(report)
    json.dumps(report.to_dict(), allow_nan=False)
    per_group = report.per_group()
    assert per_group.shape[0] == N_GROUPS


def test_a_function_is_called_once_for_each_group_and_model():
    """Intervals take the values that the mean was made of."""
    calls = []

    def counted(y_true, y_score):
        calls.append(y_true.size)
        return float(y_score[0])

    value = ap.metric(counted, name="counted")
    for n_models, ask in (
        (2, lambda: ap.report(Y, {"a": A, "b": B}, metrics=value, groups=GROUP)),
        (1, lambda: ap.confidence_interval(Y, A, metric=value, groups=GROUP)),
    ):
        calls.clear()
        ask()
        assert calls == [SIZE // N_GROUPS] * N_GROUPS * n_models


def test_scorers_give_it_the_groups():
    from sklearn.linear_model import Ridge

    X = np.c_[A, B]
    model = Ridge().fit(X, GRADE)
    expected = NDCG(GRADE, model.predict(X), groups=GROUP)
    scorer = ap.make_ap_scorer(NDCG, rank=True)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = scorer.set_score_request(groups=True)
        assert asking(model, X, GRADE, groups=GROUP) == pytest.approx(expected)
        assert pickle.loads(pickle.dumps(asking))(model, X, GRADE, groups=GROUP) > 0
        worse = ap.metric(ndcg, name="loss", greater_is_better=False)
        signed = ap.make_ap_scorer(worse, rank=True).set_score_request(groups=True)
        assert signed(model, X, GRADE, groups=GROUP) == pytest.approx(-expected)
        with pytest.raises(ValueError, match="pass groups="):
            asking(model, X, GRADE)
    assert repr(NDCG) == "metric(ndcg, name='Gain@5')"
    assert NDCG.__name__ == "Gain_5"
    assert ap.metric(NDCG, groups="query") != NDCG
    assert ap.metric(ndcg, name="Gain@5", limits=(0, 1)) == NDCG


def test_the_name_is_that_of_the_function_by_default():
    assert ap.metric(mean_of_top).name == "mean_of_top"
    assert ap.metric(partial(ndcg), name="{odd} %").name == "{odd} %"
    found = ap.confidence_interval(
        GRADE, A, metric=ap.metric(partial(ndcg), name="{odd} %"), groups=GROUP
    )
    assert found.metric == "Mean {odd} %"
    assert ap.metric(first_grade, name="f")(GRADE, A, groups=GROUP) > 1


def test_wherever_a_metric_goes():
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GroupKFold, cross_validate

    assert ap.get_scorer(NDCG).__name__ == "Gain_5"
    assert ap.make_multi_scorer([NDCG, "AP"]).__name__ == "Gain_5_and_AP"
    one, other = (ap.confidence_interval(GRADE, s, metric=NDCG, groups=GROUP) for s in (A, B))
    paired = ap.compare(GRADE, A, B, metric=NDCG, groups=GROUP)
    assert paired.difference == pytest.approx(one.value - other.value)
    assert np.linalg.norm(contributions(one)) == pytest.approx(one.standard_error)
    given = {"cv": GroupKFold(4), "params": {"groups": GROUP}, "return_indices": True}
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = ap.make_ap_scorer(NDCG, rank=True).set_score_request(groups=True)
        given["scoring"] = {scorer.__name__: scorer}
        folds = [cross_validate(Ridge(), X, GRADE, **given) for X in (A[:, None], B[:, None])]
    assert ap.compare_folds(*folds, metric=NDCG).metric == "Gain_5"


@pytest.mark.sweep(4)
@each_table
def test_a_function_gets_numbers_of_64_bits_from_any_table(kind, tmp_path):
    """Sums and products of labels must not overflow where a table holds them in few bytes."""
    columns = {
        "label": np.tile([1, 1, 0, 0], 20),
        "grade": np.tile(np.array([3, 2, 1, 0], np.int8), 20),
        "share": np.tile(np.array([0.5, 0.25, 0.0, 0.0], np.float32), 20),
        "seen": np.tile([True, True, False, False], 20),
        "score": np.tile([4.0, 3.0, 2.0, 1.0], 20),
        "small": np.tile(np.array([4, 3, 2, 1], np.uint8), 20),
        "single": np.tile(np.array([4, 3, 2, 1], np.float32), 20),
        "mass": np.tile(np.array([1, 2, 1, 2], np.uint16), 20),
        "query": np.repeat(np.arange(20), 4),
    }
    kinds = set()

    def of_top(y_true, y_score, sample_weight):
        kinds.update(column.dtype for column in (y_true, y_score, sample_weight))
        return float((y_true * 100)[np.argsort(-y_score)[:2]].mean())

    table, metric = TABLES[kind](arrow(columns), tmp_path), ap.metric(of_top, name="Top")
    for label, expected in {"label": 100, "grade": 250, "share": 37.5, "seen": 100}.items():
        for score in ("score", "small", "single"):
            given = {"groups": "query", "sample_weight": "mass", "data": table}
            assert metric(label, score, **given) == expected
    assert kinds <= {np.dtype(np.int64), np.dtype(np.float64)}


def test_a_function_gets_all_else_as_it_is():
    seen = []
    metric = ap.metric(lambda y, s: seen.append((y.dtype, s.dtype)) or 0.0, name="Seen")
    metric([*"abab"], np.array([2**63, 1, 2, 3], np.uint64), groups=[1, 1, 2, 2])
    metric([*"abab"], np.array([2**62, 1, 2, 3], np.uint64), groups=[1, 1, 2, 2])
    assert [kinds[1] for kinds in seen] == [np.uint64] * 2 + [np.int64] * 2
    assert {kinds[0].kind for kinds in seen} == {"U"}
