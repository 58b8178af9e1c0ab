"""Clusters that consist of whole groups, as users do of queries: groups are drawn with them."""

import numpy as np
import pytest
from scipy import stats

import sklearn_ap as ap


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
    """They are of equal size, so that a t-test of their means is the same."""
    given = {"metric": metric, "groups": QUERY, "clusters": USER}
    found = value(LABEL, A, **given)
    each = by_user(A, metric)
    assert found.value == pytest.approx(each.mean())
    assert found.standard_error == pytest.approx(stats.sem(each))
    assert found.basis == "60 groups, 12 clusters"
    assert found.units == list(range(12))
    assert found.contributions() @ found.contributions() == pytest.approx(found.standard_error**2)
    pair = ap.compare(LABEL, A, B, **given)
    expected = stats.ttest_rel(each, by_user(B, metric))
    assert pair.pvalue == pytest.approx(expected.pvalue, abs=0.02)
    assert [pair.low, pair.high] == pytest.approx(list(expected.confidence_interval()), abs=0.01)
    assert pair.wins + pair.ties + pair.losses == 60
    assert pair.units().kind == "groups"


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
    assert more.basis == "62 groups, 13 clusters"
    assert more.value == pytest.approx(found.value * 60 / 62)
    with pytest.raises(ValueError, match=r"group 60 is only in n_positives.*Map pairs \(group, cl"):
        value(LABEL, A, n_positives=of_group | {60: 3}, **given)


def test_models_whose_clusters_differ_in_kind_are_not_compared():
    whole = {"label": LABEL, "score": A, "query": QUERY, "user": USER}
    split = whole | {"score": B, "user": np.where(np.arange(LABEL.size) == 0, 11, USER)}
    with pytest.raises(ValueError, match="of the model 'a' consist of whole groups, but those of"):
        ap.compare("label", "score", groups="query", clusters="user", data={"a": whole, "b": split})


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
    assert 0.92 <= held[0] / 400 <= 0.98
    assert held[1] / 400 < 0.85
