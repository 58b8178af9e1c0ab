"""Intervals and comparisons: numbers of other tools, and laws on random data."""

import re
from itertools import cycle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import average_precision_score, roc_auc_score

import sklearn_ap as ap
from sklearn_ap.exceptions import InvalidParameterError
from sklearn_ap.inference import compare, confidence_interval

from .numbers import close

KINDS = "rows", "ties", "weights", "clusters", "groups", "crossing", "macro", "micro", "n_positives"
WEIGHTED, LEFT_OUT = {"average": "weighted", "zero_division": 0}, {"zero_division": np.nan}
METRICS = "AP", "linear", "P@10", "AP@3", "EF@10%", "R-precision", "11-point"
PLACE = np.arange(120)


def median(y, s):
    return np.median(s) if s[0] > 0 else np.nan


def draw(seed, kind="rows", n=120):
    """Draw labels, the scores of two models, and what else describes the data."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    y[:3] = True
    noise = rng.standard_normal(n)
    a, b = noise + 1.3 * y, 0.7 * noise + 0.7 * rng.standard_normal(n) + 1.6 * y
    data = {}
    if kind == "ties":
        a, b = a.round(0), b.round(0)
    if kind == "weights":
        data["sample_weight"] = rng.choice([0.5, 1.0, 2.0], n)
    if kind in ("clusters", "crossing"):
        data["clusters"] = rng.integers(0, n // 4, n)
    if kind in ("groups", "crossing"):
        data["groups"] = np.arange(n) % (8 if kind == "groups" else 3)
    if kind in ("macro", "micro"):
        y = rng.random((n, 3)) < 0.3
        a, b = rng.standard_normal((2, n, 3)) + y
        data["average"] = kind
    if kind == "n_positives":
        data["n_positives"] = int(y.sum()) + 4
    return y, a, b, data


@pytest.mark.parametrize("metric", ["average_precision", "ndcg"])
def test_groups_are_a_paired_t_test(metric):
    y, a, b, data = draw(0, "groups")
    y = y * (1 + np.arange(y.size) % 3) if metric == "ndcg" else y
    one = compare(y, a, b, metric=metric, **data)
    score = getattr(ap, f"{metric}_score")
    d = np.subtract(*(score(y, s, average=None, **data) for s in (a, b)))
    test = stats.ttest_1samp(d, 0)
    assert close([one.low, one.high], test.confidence_interval(0.95))
    assert close(one.pvalue, test.pvalue)
    pairs, data["clusters"] = (
        stats.ttest_1samp(d.reshape(4, 2).mean(axis=1), 0),
        data["groups"] // 2,
    )
    assert close(compare(y, a, b, metric=metric, **data).pvalue, pairs.pvalue)


def test_differences_that_are_nearly_equal_are_like_equal_ones():
    """Two queries tell nothing, whether both differ by 0.3691, or one of them by 0.3681."""
    for n_queries, is_clear in ((2, False), (4, True)):
        values = []
        for gap in (0.3691, 0.369099, 0.3681):
            labels, groups = np.tile([1, 0], n_queries), np.repeat(np.arange(n_queries), 2)
            weight = np.ones(2 * n_queries)
            weight[1::2], weight[1] = 0.3691 / (1 - 0.3691), gap / (1 - gap)
            a, b = np.tile([1.0, 0], n_queries), np.tile([0, 1.0], n_queries)
            found = compare(labels, a, b, groups=groups, sample_weight=weight)
            assert (found.verdict == "better") == (found.pvalue < 0.05) == is_clear
            values.append([found.low, found.high, found.pvalue])
        assert np.abs(np.diff(values, axis=0)).max() < 0.01


def test_ties_in_the_order_of_rows_are_ranks_without_ties():
    for kind in ("rows", "groups", "weights", "clusters", "macro"):
        y, a, b, data = draw(0, kind)
        a, b = a.round(0), b.round(0)
        rows = np.arange(y.shape[0]).reshape([-1] + [1] * (y.ndim - 1))
        of_rows = [s - rows / 1000 for s in (a, b)]
        found = compare(y, a, b, metric="AP", ties="input", **data)
        expected = compare(y, *of_rows, metric="AP", **data)
        assert close([found.difference, found.low], [expected.difference, expected.low])
        assert ", ties=input" in found.metric


def test_a_function_without_limits_has_the_interval_of_a_t_test():
    def count_hits(y, s):
        return np.sum(y & (s > 1))

    y, a, b, data = draw(0, "groups")
    in_groups = [data["groups"] == group for group in range(8)]
    ends = []
    for s in (a, b):
        values = [count_hits(y[rows], s[rows]) for rows in in_groups]
        ends.append(stats.t.interval(0.95, 7, np.mean(values), stats.sem(values)))
    found = confidence_interval(y, a, metric=count_hits, **data)
    assert close([found.low, found.high], ends[0])
    # What the sample may lack can change the difference by the farthest end.
    pair = compare(y, a, b, metric=count_hits, **data)
    assert close(pair.least_margin, (1 - 0.025 ** (1 / 8)) * np.abs(ends).max())


def find_fraction_in_order(y, s):
    """Compute ROC AUC: the fraction of pairs of a positive and a negative that are in order."""
    pairs = np.subtract.outer(s[y > 0], s[y == 0])
    return np.mean((pairs > 0) + 0.5 * (pairs == 0))


def find_deviations(y, s):
    """Compute those of DeLong, of each positive and of each negative."""
    pairs = 1.0 * (np.subtract.outer(s[y > 0], s[y == 0]) > 0)
    return pairs.mean(axis=1), pairs.mean(axis=0)


@pytest.mark.slow
def test_a_function_without_groups_varies_like_delongs():
    y, a, b, _ = draw(0, n=400)
    auc = ap.metric(find_fraction_in_order, limits=(0, 1))
    one, pair = confidence_interval(y, a, metric=auc), compare(y, a, b, metric=auc)
    of_a, of_b = find_deviations(y, a), find_deviations(y, b)
    assert one.value == pytest.approx(roc_auc_score(y, a))
    assert one.basis == f"400 rows, {y.sum()} with positives"
    assert (one.units, pair.units) == (y.sum(), y.sum())  # of the rarer label
    S2 = (
        [x.var(ddof=1) / x.size for x in of_a],
        [(x - z).var(ddof=1) / x.size for x, z in zip(of_a, of_b, strict=True)],
    )
    for found, variances in zip((one, pair), S2, strict=True):
        assert np.isclose(found.standard_error, np.sqrt(sum(variances)), rtol=0.1)
    again = compare(y, {"a": a, "b": b}, metric=auc, baseline="b")["a"]
    assert (again.standard_error, again.pvalue) == (pair.standard_error, pair.pvalue)
    clusters = confidence_interval(
        np.repeat(y, 2), np.repeat(a, 2), metric=auc, clusters=np.arange(800) // 2
    )
    assert close([*clusters], [*one])


def test_a_function_has_limits_or_a_plain_interval_and_losses_are_mirrored():
    y, a, *_ = draw(1)
    for extra in ({}, {"groups": PLACE % 6}):
        value, low, high = confidence_interval(y, a, metric=find_fraction_in_order, **extra)
        assert close(high - value, value - low)
        lost = ap.metric(
            lambda y, s: 100 * (1 - find_fraction_in_order(y, s)),
            name="lost",
            greater_is_better=False,
            limits=(0, 100),
        )
        auc = ap.metric(find_fraction_in_order, limits=(0, 1))
        value, low, high = confidence_interval(y, a, metric=auc, **extra)
        expected = [100 * (1 - value), 100 * (1 - high), 100 * (1 - low)]
        assert close([*confidence_interval(y, a, metric=lost, **extra)], expected)


@pytest.mark.slow
def test_a_function_of_positives_has_the_results_of_numbers():
    y, a, b, _ = draw(3)
    text, options = np.where(y == 1, "sick", "well"), {"clusters": PLACE // 2}
    auc = ap.metric(find_fraction_in_order, limits=(0, 1))
    named = options | {"pos_label": "sick"}
    for metric in (auc, ap.metric(auc, pos_label="sick")):
        found = confidence_interval(text, a, metric=metric, **named)
        assert found.to_dict() == confidence_interval(y, a, metric=auc, **options).to_dict()
        expected = compare(y, a, b, metric=auc, **options)
        assert compare(text, a, b, metric=metric, **named).to_dict() == expected.to_dict()
    reports = [
        ap.report(labels, {"a": a, "b": b}, metrics=[auc, "AP"], by=PLACE % 2, **extra)
        for labels, extra in ((text, named), (y, options))
    ]
    assert str(reports[0]) == str(reports[1])


def test_a_function_over_groups_whose_rows_were_sampled():
    """Here, three seeds of a model on the same rows."""
    y, a, b, _ = draw(2)
    labels, scores = np.tile(y, 3), np.concatenate([a, b, a + b])
    groups, rows = np.repeat(np.arange(3), 120), np.tile(np.arange(120), 3)
    found = confidence_interval(
        labels, scores, metric=find_fraction_in_order, groups=groups, clusters=rows
    )
    assert found.basis == f"3 groups, 120 clusters, {y.sum()} with positives"
    each = [find_deviations(y, s) for s in (a, b, a + b)]
    variances = [
        np.mean(parts, axis=0).var(ddof=1) / len(parts[0]) for parts in zip(*each, strict=True)
    ]
    assert np.isclose(found.standard_error, np.sqrt(sum(variances)), rtol=0.15)


def test_a_group_for_which_a_function_is_undefined_is_a_constant():
    y, a, *_ = draw(2)
    data = {"groups": PLACE % 3, "clusters": PLACE // 2}
    metric = ap.metric(lambda y, s: s[y > 0].mean() if y.any() else np.nan, name="mean")
    filled, left_out = (
        confidence_interval(y & (PLACE % 3 < 2), a, metric=metric, zero_division=fill, **data)
        for fill in (0, np.nan)
    )
    for name in ("value", "standard_error"):
        assert close(getattr(filled, name), getattr(left_out, name) * 2 / 3)


def test_resamples_without_positives_do_not_count():
    def need_both(y, s):
        if y.all() or not y.any():
            raise ValueError("One label only.")
        return s[y > 0].mean() - s[y == 0].mean()

    y = np.arange(40) < 2
    a = np.random.default_rng(0).standard_normal(40)
    found = confidence_interval(y, a, metric=need_both)
    assert "2 positives are few" in str(found)
    assert found.low < found.value < found.high
    with pytest.raises(ValueError, match=r"nothing has no finite value"):
        confidence_interval(
            y, a, metric=ap.metric(lambda y, s: np.nan, name="nothing"), zero_division=0
        )


def test_clusters_of_one_row_are_rows():
    y, a, *_ = draw(2)
    alone = confidence_interval(y, a, clusters=np.arange(120))
    assert close([*confidence_interval(y, a)], [*alone])


def test_samples_of_weight_0_do_not_exist():
    y, a, b, _ = draw(2)
    exists, cluster = np.arange(120) % 3 > 0, np.arange(120) // 5
    with_0 = compare(y, a, b, sample_weight=1.0 * exists, clusters=cluster)
    without = compare(y[exists], a[exists], b[exists], clusters=cluster[exists])
    assert close([with_0.low, with_0.high], [without.low, without.high])


@pytest.mark.parametrize(
    ("kind", "metric"),
    [*((kind, "AP") for kind in KINDS), *zip(cycle(KINDS), [*METRICS, *METRICS], strict=False)],
)
def test_several_models_are_compared_in_pairs_as_one_family(kind, metric):
    y, a, b, data = draw(4, kind)
    options = {}
    if kind == "weights" and "@" in metric:
        options["k_counts"] = "samples" if metric == "AP@3" else "weight"
    settings = {"metric": metric, "margin": 0.2} | data | options
    models = {"a": a, "b": b, "c": a + b}
    for baseline, family in (("b", 2), (None, 3)):
        table = compare(y, models, baseline=baseline, confidence_level=0.8, **settings)
        assert (table.n_comparisons, table.confidence_level) == (family, 0.8)
        assert any(f"{table.baseline} was chosen" in n for n in table.notes) == (family == 3)
        assert f"adjusted for {family} comparisons" in str(table)
        base, values = table[table.baseline], [row.value for row in table]
        assert family == 2 or close(base.value, max(values))
        known = [name for name, value in vars(base).items() if value == value]
        verdict = "baseline" if baseline else "highest"
        assert (known, base.verdict) == (["model", "value", "verdict"], verdict)
        assert f"against {table.baseline}, the highest." in str(table) or baseline
        for row in table:
            if row is not base:
                level = {"confidence_level": 1 - 0.2 / family}
                one = compare(y, models[row.model], models[base.model], **settings | level)
                expected = vars(one) | {"pvalue": min(family * one.pvalue, 1)}
                for name in ("model", "baseline", "notes", "confidence_level"):
                    del expected[name]
                found = vars(table) | vars(row) | {"baseline_value": base.value}
                for name, value in expected.items():
                    assert found[name] == value or close(found[name], value), name
    data.pop("clusters", None)
    score = ap.metric(metric, **options)
    assert close(values, [score(y, s, **data) for s in models.values()])
    assert "chosen" not in str(compare(y, {"a": a, "b": b}))  # as one pair is all pairs


def test_lower_can_be_better():
    """Here, the mean score of negatives."""

    def miss(y, s):
        return np.mean(s[y == 0])

    y, a, _, data = draw(1, "groups")
    b = a - 0.5 * (np.arange(y.size) % 3)
    data["metric"] = ap.metric(miss, greater_is_better=False)
    table = compare(y, {"a": a, "b": b}, **data)
    assert (table.baseline, table["a"].verdict, table["a"].difference > 0) == ("b", "worse", True)
    assert compare(y, b, a, **data).verdict == "better"


def test_two_models_without_hits_at_a_cutoff_may_differ_elsewhere():
    y = np.arange(60) >= 50
    same, other = -np.arange(60.0), np.append(np.arange(50) * 7 % 50, np.arange(-10.0, 0))
    for metric in ("P@3", "AP@3"):
        one = compare(y, same, other, metric=metric, margin=0.7)
        assert (one.value, one.baseline_value, one.difference, one.units) == (0, 0, 0, 3)
        assert (one.pvalue, one.verdict) == (1, "unclear")
        assert close([-one.low, one.high, one.least_margin], 1 - 0.025 ** (1 / 3))
    groups = {"groups": np.arange(60) % 5, "metric": "MAP@3"}  # which vary
    assert compare(y, same, other, **groups).pvalue == 1


def test_names_of_models():
    y, a, b, _ = draw(1)
    frame = pd.DataFrame({"y": y, "old": a, "new": b})

    def name(*models, **data):
        one = compare(data.pop("y", y), *models, **data)
        return getattr(one, "model", None) or [row.model for row in one], one.baseline

    assert name("new", "old", data=frame, y="y") == ("new", "old")
    assert name(frame["new"], frame["old"]) == ("new", "old")
    assert name(frame["new"], frame["new"] + 1) == name(frame["new"], a) == ("A", "B")
    assert name(["new", "old"], data=frame, y="y", baseline="old") == (["new", "old"], "old")
    assert name({1: "new", 2: "old"}, data=frame, y="y", baseline=2) == ([1, 2], 2)


UNITS = [  # what is said of rows 0, 2, 4, ..., which are positive, and if they are few
    ({}, "6 positives", None),
    ({"y_true": "five"}, "5 positives", "5 positives are few"),
    ({"y_true": "one"}, "1 positive", "Only 1 positive"),
    ({"n_positives": 8}, "8 positives", None),
    (
        {"sample_weight": "weight"},
        "6 positives, worth 3.33 equal ones",
        "Unequal positives count only as much as 3.33 equal ones",
    ),
    ({"clusters": "query_id"}, "4 queries, 2 with positives", "2 queries are few"),
    (
        {"clusters": np.arange(60) // 9},
        "7 clusters, 2 with",
        "Unequal clusters count only as much as 1.38 equal ones",
    ),
    (
        {"clusters": "batch_id"},
        "8 batches, 2 with positives, worth",
        "Unequal batches count only as much as 1.8 equal ones",
    ),
    ({"groups": "query_id"}, "4 queries, 2 with positives", "4 queries are few"),
    ({"groups": np.arange(60) % 4}, "4 groups, 2 with positives", "4 groups are few"),
    ({"groups": "query_id", "clusters": "half_day_id"}, "2 half days", "2 half days are"),
    (
        {"groups": "query_id", "clusters": "batch_id", "zero_division": np.nan},
        *(
            "4 queries, 8 batches, 2 with positives",
            "Unequal batches count only as much as 1.8 equal ones",
        ),
    ),
    ({"y_true": np.eye(60, 2)[::-1], "y_score": np.eye(60, 2)}, "2 classes, 2 positives", "2 pos"),
    ({"y_true": np.eye(60, 2), "y_score": np.eye(60, 2), "average": "micro"}, "2 positives", "2 p"),
]


@pytest.mark.parametrize(("columns", "basis", "few"), UNITS)
def test_units_are_said(columns, basis, few):
    place = np.arange(60)
    frame = pd.DataFrame({"a": place * 37 % 60, "weight": np.where(place == 0, 5, 1)})
    frame = frame.assign(query_id=place % 4, half_day_id=place % 4 // 2, batch_id=place // 8)
    for name, number in (("one", 1), ("five", 5), ("six", 6)):
        frame[name] = (place % 2 == 0) & (place < 2 * number)
    given = {"y_true": "six", "y_score": "a", "data": frame, "zero_division": 0} | columns
    if not isinstance(given["y_true"], str):
        del given["data"]
    found = confidence_interval(**given)
    assert basis in found.basis
    assert (", mean over " in found.metric) == ("groups" in columns)
    assert [few in note for note in found.notes] == [True] * (few is not None)


@pytest.mark.parametrize("metric", ["AP", "P@20"])
def test_a_ranking_that_is_worse_than_random_is_said(metric):
    rng = np.random.default_rng(0)
    y = np.arange(400) % 4 == 0
    for apart, is_said in ((-2, True), (0, False), (2, False)):
        found = confidence_interval(y, rng.standard_normal(400) + apart * y, metric=metric)
        assert any("Worse than random" in note for note in found.notes) == is_said
    few = confidence_interval(np.arange(20) == 19, -np.arange(20.0), metric=metric)
    assert "Worse than random" not in str(few)  # as it may be chance


def test_a_margin_that_cannot_be_shown_is_said():
    y, a, b, _ = draw(2)
    few, several = y & (np.cumsum(y) < 6), {"a": a, "b": b, "c": a + b}
    for labels, models in ((y, (a, b)), (few, (a, b)), (y, (several,))):
        result = compare(labels, *models)
        least = max(row.least_margin for row in getattr(result, "rows", [result])[:2])
        assert "no margin below" not in str(result.notes)  # since nobody asked for one
        for factor in (0.99, 1.01):
            result = compare(labels, *models, margin=factor * least)
            assert ("no margin below" in str(result.notes)) == (factor < 1)
            words = "rest on wider intervals"
            if len(models) == 2:
                words = f"wider interval, {result.margin_low:.3f} to {result.margin_high:.3f}"
            text = " ".join(str(result).split())
            assert words in text
            assert f"Margin: {factor * least:g}." in text
    assert "wider" not in str(compare(np.cumsum(y) * y == 1, a, b, margin=0.9))  # than none
    copies = compare(y, a, a, margin=0.9)  # whose interval is that for margins
    assert copies.verdict == "equivalent"
    assert "wider" not in str(copies)
    first = np.cumsum(y) * y == 1
    single = compare(first, first * 1.0, b, margin=0.99)
    assert "no margin can be shown" in str(single.notes)


def test_few_units_are_said_once_of_differences():
    """Two groups make a t interval 6.5 times as wide as many do, and three 2.2 times."""
    y, a, b, _ = draw(2)
    for n_groups, times in ((2, "6.5"), (3, "2.2"), (5, None)):
        groups = np.arange(y.size) % n_groups
        for models in ((a, b), ({"a": a, "b": b},)):
            result = compare(y, *models, baseline=None, groups=groups)
            notes = [note for note in result.notes if "few" in note]
            assert [f"{times} times as wide" in note for note in notes] == [True] * bool(times)
    perfect = compare(y, a, y, groups=np.arange(y.size) % 2)  # whose own value doesn't vary
    assert "6.5 times as wide" in str(perfect)
    assert "nothing shows" in str(confidence_interval(y, y, groups=np.arange(y.size) % 2))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda y, a: confidence_interval(y * 0, a), r"no positives\."),
        (lambda y, a: confidence_interval(y, a, groups=y * 0), "two sampling units"),
        (lambda y, a: confidence_interval(y * 0, a, groups=y, **LEFT_OUT), "no positives"),
        (lambda y, a: confidence_interval(y * 0, a, groups=y, **WEIGHTED), "no positives"),
        (lambda y, a: compare(y, a, a, margin=1.5), "margin"),
        (lambda y, a: compare(y, a, a, margin=0), "margin"),
        (lambda y, a: compare(y, a, a, margin=True), "margin"),
        (lambda y, a: compare(y, a, a, baseline="A"), "baseline"),
        (lambda y, a: compare(y, {"a": a}), "two models"),
        (lambda y, a: compare(y, {"a": a, "b": a}, baseline="c"), "none of the models"),
        (lambda y, a: compare(y, a, a, metric="MAP"), "groups="),
        (lambda y, a: confidence_interval(y, a, metric="RR"), "Pass groups="),
        (lambda y, a: confidence_interval(y, a, confidence_level=95), "confidence_level"),
        (lambda y, a: confidence_interval(y, a, clusters=a[1:]), "clusters"),
        (lambda y, a: confidence_interval(y, a, clusters=np.where(y, np.nan, 1)), "clusters has"),
        (lambda y, a: compare(y, {"a": a, "b": a[1:]}), "y_score of 'b'"),
        (lambda y, a: compare(None, a, a), "y_true"),
        (lambda y, a: compare(y, a, -a, metric=median, groups=PLACE % 8, **LEFT_OUT), "the same"),
    ],
)
def test_refusals(call, words):
    y, a, *_ = draw(0)
    with pytest.raises((ValueError, TypeError), match=words):
        call(1 * y, a)


@pytest.mark.parametrize("kind", KINDS)
def test_order_and_scale_change_nothing(kind):
    y, a, b, data = draw(7, kind)
    order = np.random.default_rng(0).permutation(len(y))
    moved = {name: value[order] if np.ndim(value) else value for name, value in data.items()}
    if kind == "weights":
        moved["sample_weight"] = 3 * moved["sample_weight"]
    before, after = (
        compare(y, a, b, **data),
        compare(y[order], np.exp(a)[order], 3 * b[order], **moved),
    )
    assert close([before.low, before.high, before.pvalue], [after.low, after.high, after.pvalue])


@pytest.mark.parametrize(("n", "apart"), [(5, 1.0), (20, 0.7), (20, 3.0)])
def test_coverage(n, apart):
    """Of 120 intervals of 95%, 107 or more contain the true value but in one of 20,000 cases."""
    large = np.arange(400_000) < 20_000
    scores = np.random.default_rng(0).normal(size=400_000) + apart * large
    true, found = ap.average_precision_score(large, scores), 0
    y = np.arange(20 * n) < n
    for seed in range(120):
        scores = np.random.default_rng(seed).normal(size=y.size) + apart * y
        interval = confidence_interval(y, scores)
        found += interval.low <= true <= interval.high
    assert found >= 107


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("metric", ["AP", "11-point", "P@10", "precision_at_recall_0.5"])
def test_intervals_of_two_equal_classes_are_that_of_one(metric, average):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 200)
    scores = rng.random(200) + labels / 2
    one = ap.confidence_interval(labels, scores, metric=metric)
    both = ap.confidence_interval(
        np.column_stack([labels, labels]),
        np.column_stack([scores, scores]),
        metric=metric,
        average=average,
    )
    assert both.value == pytest.approx(one.value, abs=1e-12)
    assert both.standard_error == pytest.approx(one.standard_error, rel=1e-9)


def test_an_interval_says_how_many_documents_have_a_grade():
    groups = {"groups": [0, 0, 1, 1]}
    found = ap.confidence_interval([2, 0, 3, 1], [1, 2, 3, 4], metric="nDCG", **groups)
    assert found.n_positives == 3


def test_an_undefined_group_has_the_worst_value():
    def error(y_true, y_score):
        return abs(y_true - y_score).mean() if y_true.any() else np.nan

    limited = ap.metric(error, greater_is_better=False, limits=(0, 9))
    with pytest.warns(UndefinedMetricWarning):
        found = confidence_interval([1, 0, 0], [1, 2, 3], metric=limited, groups=[0, 0, 1])
    assert found.standard_error == pytest.approx(4)


@pytest.mark.parametrize("metric", ["RR", "hit rate@2", "nDCG"])
def test_one_value_of_a_ranking_has_no_interval(metric):
    with pytest.raises(ValueError, match="whole ranking"):
        confidence_interval([1, 0, 1], [3.0, 2.0, 1.0], metric=metric)
    data = {"groups": ["a", "a", "b"], "clusters": [1, 2, 2]}
    with pytest.raises(ValueError, match="whole groups"):
        confidence_interval([1, 0, 1], [3.0, 2.0, 1.0], metric=metric, **data)


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [-1, 1]])
def test_predicted_labels_are_noticed(labels):
    y, a, *_ = draw(0)
    y, predicted = np.array(labels)[1 * y], np.array(labels)[1 * (a > 1)]
    said = "as from predict"
    assert said in str(confidence_interval(y, predicted))
    assert f"y_score of 'B' is {labels[0]} or {labels[1]}" in str(compare(y, a, predicted))
    assert str(ap.report(y, {"a": a, "p": predicted}, metrics=["AP", "P@9"])).count(said) == 1
    others = (2 + 1 * predicted, np.ones(y.size, int), 1 * (a > 1) + (a > 2))
    for scores in (a, 1.0 * predicted, *others):
        assert said not in str(confidence_interval(y, scores))
    names = np.where(y == labels[1], "yes", "no")
    assert said not in str(confidence_interval(names, predicted, pos_label="yes"))
    f1 = ap.metric(lambda y, p: 2 * np.sum((y == p) & (y > 0)) / np.sum([y > 0, p > 0]), name="F1")
    assert said not in str(confidence_interval(y, predicted, metric=f1))
    assert str(ap.report(y, predicted, metrics=["AP", f1])).count(said) == 1


# --- crossed units --------------------------------------------------------------------------------


def draw_seeds(seed, n=200, n_seeds=4, spread=0.3):
    """Draw a table with the scores of models a and b, each trained with several seeds."""
    rng = np.random.default_rng(seed)
    y, rows = rng.random(n) < 0.2, rng.standard_normal(n)
    parts = []
    for number in range(n_seeds):
        part = pd.DataFrame({"row": np.arange(n), "seed": number, "y": y})
        for model in "ab":
            noise = rows + 0.5 * rng.standard_normal(n)
            part[model] = noise + (1.5 + spread * rng.standard_normal()) * y
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("metric", ["AP", "P@20", "11-point"])
def test_variances_of_crossed_units_add_up(metric):
    given = {"data": draw_seeds(0), "metric": metric, "groups": "seed", "y_true": "y"}
    kinds = {"row": "row", "seed": None, "both": ["row", "seed"], "either": ["seed", "row"]}
    a, d = (
        {kind: call(clusters=each, **given, **scores) for kind, each in kinds.items()}
        for call, scores in (
            (confidence_interval, {"y_score": "a"}),
            (compare, {"y_score_a": "a", "y_score_b": "b"}),
        )
    )
    for found in (a, d):
        parts = [found[kind].standard_error for kind in ("row", "seed")]
        assert close(found["both"].standard_error, np.hypot(*parts))
        assert close([*vars(found["either"]).values()][1:5], [*vars(found["both"]).values()][1:5])
    # The degrees of freedom are those of Welch and Satterthwaite.
    V = np.square([d[kind].standard_error for kind in ("row", "seed")])
    df = V.sum() ** 2 / np.sum(V**2 / [d["row"].units - 1, d["seed"].units - 1])
    assert close(d["both"].units, df + 1)
    assert close(
        d["both"].pvalue, 2 * stats.t.sf(abs(d["both"].difference) / d["both"].standard_error, df)
    )
    assert d["both"].basis.endswith("4 seeds, 200 rows, 37 with positives; rows and seeds vary")
    assert (a["both"].n_samples, a["both"].n_positives) == (200, 37)
    with pytest.raises(ValueError, match="the same units"):
        confidence_interval("y", "a", clusters=["row", "row"], data=given["data"])


def test_positives_without_a_score_are_not_in_clusters():
    """Or there would be more clusters with positives than clusters."""
    y, cluster = PLACE % 3 == 0, PLACE // 4
    found = confidence_interval(y, PLACE * 37 % 60, clusters=cluster, n_positives=60)
    assert found.basis == "30 clusters, 30 with positives, 20 unscored positives"


@pytest.mark.parametrize(
    "clusters", [["row", "row"], ["row", "same"], ["seed", "row", "same"], "columns"]
)
def test_the_same_units_are_not_crossed(clusters):
    table = draw_seeds(0, n_seeds=3)
    table["same"] = "row " + (999 - table["row"]).astype(str)
    if clusters == "columns":
        clusters = table[["row", "same"]]
    with pytest.raises(ValueError, match="columns of clusters are the same units"):
        confidence_interval("y", "a", groups="seed", clusters=clusters, data=table)


def test_two_seeds_are_too_few():
    for n_seeds in (2, 3):
        given = {
            "data": draw_seeds(0, n_seeds=n_seeds),
            "groups": "seed",
            "clusters": ["row", "seed"],
        }
        for found in (confidence_interval("y", "a", **given), compare("y", "a", "b", **given)):
            assert ("2 seeds are too few" in str(found)) == (n_seeds == 2)


def test_a_group_may_have_several_columns():
    one, other = (draw_seeds(seed).assign(data_set=f"set {seed}") for seed in range(2))
    both = pd.concat([other, one], ignore_index=True)
    both["row"] = both["data_set"] + both["row"].astype(str)
    given = {"groups": ["data_set", "seed"], "data": both}
    found = ap.average_precision_score("y", "a", average=None, **given)
    each = [
        ap.average_precision_score("y", "a", groups="seed", data=t, average=None)
        for t in (one, other)
    ]
    assert close(found, np.ravel(each))
    arrays = both[["data_set", "seed"]].to_numpy()
    assert close(found, ap.average_precision_score(both.y, both.a, groups=arrays, average=None))
    # The rows of data sets are independent, so the variance of a mean over two is a quarter.
    parts = [
        confidence_interval("y", "a", groups="seed", clusters="row", data=t) for t in (one, other)
    ]
    mean = confidence_interval("y", "a", clusters="row", **given)
    halves = np.hypot(*(part.standard_error for part in parts)) / 2
    assert np.isclose(mean.standard_error, halves, rtol=0.01)
    numbers = {("set 0", s): 50 for s in range(4)} | {("set 1", s): 60 for s in range(4)}
    assert ap.average_precision_score("y", "a", n_positives=numbers, **given) < mean.value


@pytest.mark.parametrize("clusters", [["row", "seed"], "seed"])
def test_missing_seeds_are_said(clusters):
    both = pd.concat([draw_seeds(seed).assign(data_set=f"set {seed}") for seed in range(2)])
    given = {"groups": ["data_set", "seed"], "clusters": clusters}
    both["row"] = both["data_set"] + both["row"].astype(str)
    n_seeds = both["seed"].nunique()
    found = compare("y", "a", "b", data=both, **given)
    assert f": 2 data sets, {n_seeds} seeds" in " ".join(str(found).split())
    assert "missing" not in found.basis
    has_failed = (both["data_set"] == "set 1") & (both["seed"] == 0)
    found = compare("y", "a", "b", data=both[~has_failed], **given)
    assert f"2 data sets, {n_seeds} seeds, 1 of {2 * n_seeds} missing" in found.basis
    nested = both.assign(seed=both["seed"] + 10 * (both["data_set"] == "set 1"))
    assert f"{2 * n_seeds} groups" in compare("y", "a", "b", data=nested, **given).basis


@pytest.mark.slow
def test_intervals_of_crossed_units_cover_the_mean_over_rows_and_seeds():
    """If three seeds differ much, rows alone say little about others."""
    large = [draw_seeds(1000 + seed, 2000, 30, 0.5) for seed in range(40)]
    true = np.mean([ap.average_precision_score("y", "a", groups="seed", data=t) for t in large])
    found = {"row": 0, "both": 0}
    for seed in range(1, 101):
        table = draw_seeds(seed, 600, 3, 0.5)
        for kind, clusters in (("row", "row"), ("both", ["row", "seed"])):
            interval = confidence_interval("y", "a", groups="seed", clusters=clusters, data=table)
            found[kind] += interval.low <= true <= interval.high
    assert found["row"] < 75 < 85 < found["both"]


@pytest.mark.parametrize(
    ("function", "option", "words"),
    [
        (compare, {"weights": [1, 2, 1]}, "no option 'weights'. Did you mean 'sample_weight'?"),
        (
            confidence_interval,
            {"denominator": "k"},
            "average_precision has no option 'denominator'",
        ),
    ],
)
def test_options_that_are_refused(function, option, words):
    scores = [[3.0, 2.0, 1.0]] * (2 if function is compare else 1)
    with pytest.raises(InvalidParameterError, match=re.escape(words)):
        function([1, 0, 1], *scores, **option)


SCALES = [-490, 490]  # exponents of 2; 0.25 * 2**-490 is 8e-149


@pytest.mark.parametrize("options", [
    {"metric": "AP"}, {"metric": "envelope AP"}, {"metric": "11-point"}, {"metric": "linear"},
    {"metric": "P@20%", "k_counts": "weight"}, {"metric": "P@5", "k_counts": "samples"},
    {"metric": "EF@20%", "k_counts": "weight"}, {"metric": "R-precision"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("groups", [None, np.arange(60) % 4])
def test_extreme_weights_are_like_their_multiples(options, groups):
    rng = np.random.default_rng(0)
    labels, scores, weight = rng.integers(0, 2, 60), rng.random((2, 60)), rng.random(60) + 0.25

    def ask(scale):
        data = {"sample_weight": np.ldexp(weight, scale), "groups": groups}
        interval = confidence_interval(labels, scores[0], **options, **data)
        comparison = compare(labels, *scores, **options, **data)
        name = {each: value for each, value in options.items() if each != "metric"}
        value = ap.metric(options["metric"], **name)(labels, scores[0], **data)
        return value, interval.value, interval.low, interval.high, comparison.pvalue

    for scale in SCALES:
        assert ask(scale) == pytest.approx(ask(0), rel=1e-12)
    if groups is None:
        with pytest.raises(ValueError, match="weights between 1e-150 and 1e150"):
            ask(520)


def test_negatives_without_a_score_are_no_missed_positives():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 60)
    scores = np.where(rng.random(60) < 0.3, np.nan, rng.random(60) + labels)
    kept = (labels == 1) | ~np.isnan(scores)
    all_rows = confidence_interval(labels, scores, n_positives="rows")
    without = confidence_interval(labels[kept], scores[kept], n_positives="rows")
    assert (all_rows.value, all_rows.units) == pytest.approx((without.value, without.units))


RESAMPLED = "R@5%", "R@50", "AP@20", "11-point", "precision_at_recall_0.3", "R-precision"


@pytest.mark.parametrize("metric", ["AP", "VOC2010", "linear", *RESAMPLED])
def test_missed_positives_that_are_counted_are_resampled_like_those_that_are_rows(metric):
    rng = np.random.default_rng(1)
    labels = rng.random(300) < 0.15
    scores = rng.normal(size=(2, 300)) + labels
    exist = int(labels.sum()) + 20
    every_label = np.append(labels, np.ones(20, dtype=bool))
    every_score = np.hstack([scores, np.full((2, 20), np.nan)])
    options = {"metric": metric, "n_positives": exist}
    counted = confidence_interval(labels, scores[0], **options)
    compared = compare(labels, *scores, **options)
    options["n_positives"] = "rows"
    rows = confidence_interval(every_label, every_score[0], **options)
    compared_rows = compare(every_label, *every_score, **options)
    for name in ("value", "low", "high", "standard_error", "units", "cost", "basis"):
        assert getattr(rows, name) == pytest.approx(getattr(counted, name)), name
    for name in ("difference", "low", "high", "standard_error", "pvalue", "units"):
        assert getattr(compared_rows, name) == pytest.approx(getattr(compared, name)), name


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_no_order_of_rows_decides_in_a_matrix_with_ties(average):
    rng = np.random.default_rng(0)
    labels = (rng.random((60, 3)) < 0.4).astype(int)
    scores = (rng.normal(size=(60, 3)) + labels).round(1)
    options = {"metric": "11-point", "average": average}
    first = confidence_interval(labels, scores, **options)
    for _ in range(3):
        order = rng.permutation(60)
        other = confidence_interval(labels[order], scores[order], **options)
        assert (other.low, other.high) == pytest.approx((first.low, first.high), rel=1e-12)


@pytest.mark.parametrize("metric", ["AP", "linear", "11-point", "R-precision", "RR"])
def test_rows_of_a_matrix_that_are_ranked_apart_are_clusters_of_their_own(metric):
    rng = np.random.default_rng(0)
    labels = (rng.random((40, 5)) < 0.5).astype(int)
    scores = rng.normal(size=(40, 5)) + labels
    options = {"metric": metric, "average": "samples", "zero_division": 0}
    rows = confidence_interval(labels, scores, **options)
    clusters = confidence_interval(labels, scores, clusters=np.arange(40), **options)
    assert (clusters.low, clusters.high) == pytest.approx((rows.low, rows.high), rel=1e-12)


@pytest.mark.parametrize("n_missed", [0, 13])
@pytest.mark.parametrize("metric", ["AP", "linear", "R-precision", "11-point", "101-point"])
def test_missed_positives_have_the_unit_of_weights(metric, n_missed):
    rng = np.random.default_rng(0)
    labels, weight = (rng.random(60) < 0.5).astype(int), rng.integers(1, 4, 60)
    scores = rng.normal(size=60) + labels
    exist = int(weight @ labels) + n_missed
    first, *others = [
        confidence_interval(labels, scores, metric=metric, sample_weight=weight * unit,
                            n_positives=exist * unit)
        for unit in (1, 0.5, 2.0)
    ]  # fmt: skip
    for other in others:
        assert (other.low, other.high) == pytest.approx((first.low, first.high), rel=1e-9)
        assert other.units == pytest.approx(first.units)


@pytest.mark.parametrize("metric", ["R-precision", "11-point", "P@5"])
def test_no_order_of_columns_and_no_name_of_groups_decides(metric):
    rng = np.random.default_rng(0)
    labels = (rng.random((50, 3)) < [0.2, 0.3, 0.5]).astype(int)
    scores = rng.normal(size=(50, 3)) + labels
    exist = labels.sum(axis=0) + np.array([4, 2, 7])
    first = confidence_interval(labels, scores, metric=metric, n_positives=exist)
    moved = [2, 0, 1]
    columns = labels[:, moved], scores[:, moved]
    other = confidence_interval(*columns, metric=metric, n_positives=exist[moved])
    assert (other.low, other.high) == pytest.approx((first.low, first.high), rel=1e-12)
    group = np.repeat([0, 1, 2], [20, 30, 40])
    y = rng.random(90) < 0.4
    s = (rng.normal(size=90) + y).round(1)
    order = rng.permutation(90)
    clusters = np.arange(90) // 2 % 30
    options = {"metric": metric, "groups": group, "clusters": clusters}
    first = confidence_interval(y, s, **options)
    options |= {"groups": np.array(["c", "a", "b"])[group[order]], "clusters": clusters[order]}
    other = confidence_interval(y[order], s[order], **options)
    assert (other.low, other.high) == pytest.approx((first.low, first.high), rel=1e-12)


def test_too_many_missed_positives_are_refused():
    with pytest.raises(
        ValueError, match=r"y_true lacks 1e.12 of n_positives\. .* at most 10,000,000"
    ):
        confidence_interval([1, 0, 1, 0], [4, 3, 2, 1], n_positives=10**12)


def test_no_order_of_images_without_detections_decides():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"image": np.repeat(np.arange(40), 6), "class": rng.integers(0, 3, 240)})
    table["hit"] = (table["image"] >= 25) | (rng.random(240) < 0.6)
    found = rng.normal(size=240) + table["hit"]
    table["score"] = found.where(table["image"] < 25)
    options = {"metric": "COCO mAP", "groups": "class", "clusters": "image", "n_positives": "rows"}
    first, *others = [
        confidence_interval("hit", "score", data=each, **options)
        for each in (
            table,
            table.sample(frac=1, random_state=1),
            table.assign(image=rng.permutation(40)[table["image"]]).sort_values("image"),
        )
    ]
    for other in others:
        assert (other.low, other.high) == pytest.approx((first.low, first.high), rel=1e-12)


@pytest.mark.parametrize("metric", ["AP", "VOC2010", "linear"])
@pytest.mark.parametrize("groups", [None, "class"])
def test_missed_positives_that_are_rows_are_units_like_those_that_are_counted(metric, groups):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"hit": rng.random(200) < 0.4, "class": rng.integers(0, 3, 200)})
    table["score"] = table["hit"] + rng.normal(size=200)
    table.loc[table["hit"] & (rng.random(200) < 0.3), "score"] = np.nan
    exist = int(table["hit"].sum())
    asked = {"metric": metric}
    if groups is not None:
        exist = table.groupby("class")["hit"].sum().to_dict()
        asked |= {"groups": groups, "clusters": np.arange(200)}
    rows = confidence_interval("hit", "score", n_positives="rows", data=table, **asked)
    scored = table["score"].notna().to_numpy()
    if groups is not None:
        asked["clusters"] = np.arange(200)[scored]
    counted = confidence_interval("hit", "score", n_positives=exist, data=table[scored], **asked)
    for name in ("value", "low", "high", "standard_error", "units", "cost", "n_positives"):
        assert getattr(rows, name) == pytest.approx(getattr(counted, name)), name


# --- functions with negative values ---------------------------------------------------------------


def error(y, s):
    return np.mean((y - s) ** 2)


def negate_errors(y, s):
    return -error(y, s)


@pytest.mark.parametrize("kind", ["rows", "clusters", "groups"])
@pytest.mark.parametrize("margin", [0.01, 5.0])
def test_a_loss_and_its_negative_say_the_same(kind, margin):
    y, a, b, data = draw(3, kind)
    loss = compare(y, a, b, metric=ap.metric(error, greater_is_better=False), margin=margin, **data)
    gain = compare(y, a, b, metric=ap.metric(negate_errors), margin=margin, **data)
    assert (gain.difference, gain.low, gain.high) == pytest.approx(
        (-loss.difference, -loss.high, -loss.low)
    )
    assert gain.least_margin == pytest.approx(loss.least_margin)
    assert gain.pvalue == pytest.approx(loss.pvalue)
    value, negative = (
        confidence_interval(y, a, metric=function, **data) for function in (error, negate_errors)
    )
    assert (value.low, value.high) == pytest.approx((-negative.high, -negative.low))


def test_rounding_errors_of_negative_values_are_no_difference():
    y, a, _, data = draw(0, "groups")
    millions = ap.metric(lambda y, s: 1e6 * negate_errors(y, s), name="millions")
    same = compare(y, a, a + 1e-13, metric=millions, **data)
    assert (same.difference, same.pvalue) == (0, 1)


def test_groups_of_several_columns_may_need_clusters():
    rng = np.random.default_rng(0)
    y, s, image = np.arange(240) % 5 < 2, rng.random(240), np.arange(240) // 12
    kind, overlap = np.arange(240) % 3, np.arange(240) // 3 % 4
    pairs, words = np.column_stack([kind, overlap]), "Groups count as independent"
    assert words in str(confidence_interval(y, s, groups=pairs))
    assert words in str(compare(y, s, rng.random(240), groups=pairs))
    assert words not in str(confidence_interval(y, s, groups=kind))
    assert words not in str(confidence_interval(y, s, groups=pairs, clusters=image))


def test_a_function_may_change_what_it_gets():
    def reset(y, s):
        s[s < 0] = 0.0
        return s.mean()

    y, a, b, _ = draw(0, "rows")
    copies = a.copy(), b.copy()
    assert compare(y, a, b, metric=reset).difference == pytest.approx(
        a.clip(0).mean() - b.clip(0).mean()
    )
    assert all(map(np.array_equal, (a, b), copies))


def test_a_function_gets_weights_if_it_has_a_parameter_for_them():
    rng = np.random.default_rng(0)
    y, weight = rng.random(300) < 0.4, rng.choice([0, 1, 2.5], 300)
    models, groups = rng.random((2, 300)) + y, np.arange(300) % 12
    for data in ({}, {"groups": groups}):
        data["sample_weight"] = weight
        own = ap.metric(average_precision_score, limits=(0, 1))
        found, expected = (ap.compare(y, *models, metric=each, **data) for each in (own, "AP"))
        assert found.value == pytest.approx(expected.value)
        assert found.standard_error == pytest.approx(expected.standard_error, rel=0.2)
        assert found.units == pytest.approx(expected.units)


def test_groups_without_rows_are_noted():
    rng = np.random.default_rng(0)
    n = 400
    y, a, group = rng.random(n) < 0.4, rng.random(n), np.arange(n) % 8
    lacking = confidence_interval(y, a, groups=group, n_positives=dict.fromkeys(range(9), 60))
    assert "Groups without rows count as 0." in lacking.notes
    run = pd.DataFrame({"query": group, "y": y, "s": a})
    runs, counts = {"full": run, "short": run[run["query"] < 7]}, dict.fromkeys(range(8), 60)
    options = {"groups": "query", "n_positives": counts, "data": runs}
    notes = compare("y", "s", metric="AP", baseline="full", **options).notes
    assert [note for note in notes if "rows" in note] == [
        "Queries without rows of 'short' count as 0."
    ]
