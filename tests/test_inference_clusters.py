"""Clusters that consist of whole groups, as users do of queries: groups are drawn with them."""

import numpy as np
import pytest
from scipy import stats

import sklearn_ap as ap
from sklearn_ap._infer.comparisons import _check_paired
from sklearn_ap._infer.variation import make_plan

from .by_page import compare_means
from .units import contributions, contributions_by_name


def make(n_clusters=12, seed=0):
    """Five queries of each user, of which some are much easier than others."""
    rng = np.random.default_rng(seed)
    ease = np.repeat(rng.normal(0, 1.5, n_clusters), 50)
    query = np.arange(50 * n_clusters) // 10
    label = rng.random(query.size) < 0.3
    label[::10] = True
    score = rng.standard_normal((2, query.size)) + ease * label
    return label, *score, query, query // 5


LABEL, A, B, QUERY, USER = make()
METRICS = ["AP", "P@3", "MRR"]
value = ap.confidence_interval


def by_user(scores, metric):
    values = ap.metric(metric)(LABEL, scores, groups=QUERY, average=None)
    return values.reshape(-1, 5).mean(axis=1)


@pytest.mark.parametrize("metric", METRICS)
def test_the_means_of_clusters_are_the_units(metric):
    """They are of equal size, so that a test of their means is the same."""
    given = {"metric": metric, "groups": QUERY, "clusters": USER}
    found = value(LABEL, A, **given)
    each = by_user(A, metric)
    assert found.value == pytest.approx(each.mean())
    assert found.standard_error == pytest.approx(stats.sem(each))
    assert found.basis == "60 groups, 12 clusters"
    each_part = contributions_by_name(found)
    assert list(each_part) == list(range(12))
    assert np.linalg.norm([*each_part.values()]) == pytest.approx(found.standard_error)
    pair = ap.compare(LABEL, A, B, **given)
    low, high, pvalue = compare_means(each - by_user(B, metric))
    assert pair.pvalue == pytest.approx(pvalue)
    assert [pair.low, pair.high] == pytest.approx([low, high])
    assert pair.wins + pair.ties + pair.losses == 60


def test_resamples_are_of_clusters():
    given = {"groups": QUERY, "clusters": USER, "random_state": 0, "method": "bootstrap"}
    found = value(LABEL, A, **given)
    assert found.standard_error == pytest.approx(stats.sem(by_user(A, "AP")), rel=0.15)


def test_a_group_in_two_clusters_is_fixed():
    split = USER.copy()
    split[0] = 11
    found = value(LABEL, A, groups=QUERY, clusters=split)
    assert found.standard_error < stats.sem(by_user(A, "AP")) / 10
    with pytest.raises(ValueError, match="and clusters= only if they consist of whole groups"):
        value(LABEL, A, groups=QUERY, clusters=split, metric="MRR")


def test_existing_positives_of_groups_and_of_pairs():
    of_group = dict.fromkeys(range(60), 10)
    of_pairs = {(group, group // 5): 10 for group in range(60)}
    given = {"groups": QUERY, "clusters": USER}
    found = value(LABEL, A, n_positives=of_group, **given)
    assert value(LABEL, A, n_positives=of_pairs, **given).to_dict() == found.to_dict()
    more = value(LABEL, A, n_positives=of_pairs | {(60, 12): 3, (61, 3): 4}, **given)
    assert more.basis == "62 groups, 13 clusters, effectively 12"
    assert more.value == pytest.approx(found.value * 60 / 62)
    with pytest.raises(ValueError, match=r"group 60 is only in n_positives.*Map pairs \(group, cl"):
        value(LABEL, A, n_positives=of_group | {60: 3}, **given)


def test_models_whose_clusters_differ_in_kind_are_not_compared():
    split = np.where(np.arange(LABEL.size) == 0, 11, USER)
    intervals = {
        "a": value(LABEL, A, groups=QUERY, clusters=USER),
        "b": value(LABEL, B, groups=QUERY, clusters=split),
    }
    plans = {name: make_plan(*each.source.data.get("", "")) for name, each in intervals.items()}
    with pytest.raises(ValueError, match="of the model 'a' consist of whole groups, but those of"):
        _check_paired(plans, by_function=False)


def test_segments_keep_clusters_together():
    half = np.where(USER < 6, "x", "y")
    table = ap.report(LABEL, A, groups=QUERY, clusters=USER, by=half)
    part = value(LABEL[USER < 6], A[USER < 6], groups=QUERY[USER < 6], clusters=USER[USER < 6])
    row = next(row for row in table if row.segment == "x")
    assert row.value == part.value
    assert row.basis == "30 groups, 6 clusters"


@pytest.mark.slow
def test_intervals_contain_the_true_value():
    """Users differ much, and queries of one user little: groups as units would be too sure."""
    large = make(3000, 99)
    truth = ap.metric("AP")(large[0], large[1], groups=large[3])
    held = np.zeros(2)
    for seed in range(400):
        label, score, _, query, user = make(15, 100 + seed)
        for place, clusters in enumerate([user, None]):
            found = value(label, score, groups=query, clusters=clusters)
            held[place] += found.low <= truth <= found.high
    assert 0.92 <= held[0] / 400 <= 0.99  # as ends allow for what a sample may lack
    assert held[1] / 400 < 0.85


def test_all_rows_decide_whether_groups_are_fixed():
    """In x, each image has one class, but as elsewhere, a new test set has the same classes."""
    rng = np.random.default_rng(0)
    image = np.arange(240) // 6
    kind = np.where(image < 20, image % 4, np.arange(240) % 4)
    label, score = rng.random(240) < 0.4, rng.standard_normal(240)
    table = ap.report(
        label, score, groups=kind, clusters=image, by=np.where(image < 20, "x", "y"), joint=False
    )
    found = next(part for part in table.parts if part.segment == ("x", None)).intervals[""]
    each = np.zeros(120)
    for one in range(4):
        rows = np.flatnonzero(kind[:120] == one)
        alone = contributions(value(label[rows], score[rows]))  # of 30 rows
        each[rows] = np.sqrt(29 / 30) * alone / 4
    by_image = each.reshape(20, 6).sum(axis=1)
    assert found.standard_error == pytest.approx(np.sqrt(20 / 19 * by_image @ by_image))
    alone = value(label[:120], score[:120], groups=kind[:120], clusters=image[:120])
    assert (alone.value, alone.basis) == (found.value, "4 groups, 20 clusters")


SEGMENTS = {"apart": np.where(USER < 6, "x", "y"), "shared": (USER < 8, USER > 4)}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("models", [{"a": A}, {"a": A, "b": B}], ids=len)
@pytest.mark.parametrize("by", SEGMENTS)
@pytest.mark.parametrize("lacking", ["users", "queries"])
def test_names_of_queries_and_users_are_independent(models, by, lacking):
    """Queries and users can have the same names, also where some are left out of the mean."""
    without = USER % 4 == 0 if lacking == "users" else QUERY % 4 == 0
    label = np.where(without, False, LABEL)
    names = np.array([f"n{place:02}" for place in range(60)])
    given = {"metrics": ["AP", "MRR"], "by": SEGMENTS[by], "zero_division": np.nan}
    rows = []
    for users in (names, np.char.add("user ", names)):
        units = {"groups": names[QUERY], "clusters": users[USER]}
        rows.append(ap.report(label, models, **given, **units).to_dict())
    assert rows[0] == rows[1]
    columns = {None: SEGMENTS[by]}
    if by == "shared":
        columns = {"column 1": USER < 8, "column 2": USER > 4}
    for row in rows[0]:
        if row["segment"] is None or row["metric"] != rows[0][0]["metric"]:
            continue
        part, score = columns[row["segment_column"]] == row["segment"], models[row["model"]]
        own = {"groups": QUERY[part], "clusters": USER[part], "zero_division": np.nan}
        assert row["value"] == value(label[part], score[part], **own).value


def test_a_query_can_have_the_name_of_another_user():
    other = np.random.default_rng(0).permutation(12)[USER]
    label = np.where(USER % 4 == 0, 0, LABEL)
    given = {"by": SEGMENTS["shared"], "clusters": USER, "zero_division": np.nan}
    found = [ap.report(label, A, groups=names, **given).rows for names in (USER, other)]
    one, other = ([(row.low, row.difference_high, row.pvalue) for row in rows] for rows in found)
    assert np.array(one) == pytest.approx(np.array(other), nan_ok=True)


def test_contributions_of_units_that_are_left_out():
    label = np.where(USER % 4 == 0, False, LABEL)
    for units in ({"groups": QUERY}, {"groups": QUERY, "clusters": USER}):
        found = value(label, A, zero_division=np.nan, **units)
        each = contributions_by_name(found)
        left_out = [name for name in each if not label[units.get("clusters", QUERY) == name].any()]
        assert {each[name] for name in left_out} == {0.0}
        assert sum(each[name] ** 2 for name in each) == pytest.approx(found.standard_error**2)


def test_resamples_have_the_positives_that_clusters_missed():
    """All 200 clusters have 30, so that recall at 5 is 5/6000 of precision at 5."""
    rng = np.random.default_rng(0)
    label, score = rng.random(600) < 0.3, rng.random(600)
    exist = dict.fromkeys(range(200), 30)
    given = {"clusters": np.arange(600) // 3, "n_positives": exist, "random_state": 0}
    errors = [
        value(label, score, metric=metric, **given).standard_error for metric in ("R@5", "P@5")
    ]
    assert errors[0] == pytest.approx(errors[1] * 5 / 6000)


def test_unequal_clusters_leave_fewer_degrees_of_freedom():
    """Groups weigh the same, but clusters of 1 to 4 groups don't."""
    rng, sizes = np.random.default_rng(0), np.array([1, 1, 1, 2, 3, 4])
    group = np.repeat(np.arange(12), 8)
    label = np.tile([1, 0, 0, 1, 0, 0, 0, 0], 12)
    models = rng.normal(size=(2, 96)) + label
    cluster = np.arange(6).repeat(sizes)[group]
    found = ap.compare(label, *models, metric="MAP", groups=group, clusters=cluster)
    n_equal = sizes.sum() ** 2 / np.square(sizes).sum()
    expected = 2 * stats.t.sf(abs(found.difference) / found.standard_error, n_equal - 1)
    assert found.pvalue == pytest.approx(expected)


def test_sums_of_equal_weights_that_round_up_are_not_too_many():
    """0.1 + 0.1 + 0.1 > 0.3, also for a definition that takes equal weights only."""
    label, cluster = np.tile([1, 1, 1, 0], 6), np.repeat([*"abcdef"], 4)
    score = np.random.default_rng(0).random(24)
    given = {"metric": "VOC07", "clusters": cluster, "random_state": 0}
    exist, weight = dict.fromkeys("abcdef", 0.3), np.full(24, 0.1)
    weighted = value(label, score, sample_weight=weight, n_positives=exist, **given)
    counted = value(label, score, n_positives=dict.fromkeys("abcdef", 3), **given)
    assert (weighted.low, weighted.high) == pytest.approx((counted.low, counted.high))
