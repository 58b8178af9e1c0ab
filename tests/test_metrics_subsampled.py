"""Weights in place of dropped negatives, and for another fraction of positives."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import sklearn_ap as ap
from sklearn_ap.compat import explain

from .examples import AP

PAYMENTS = ap.datasets.load_payments(as_frame=False)
FRAUD, SCORE = PAYMENTS["fraud"] == 1, PAYMENTS["model_b"]
RATE = 0.05
AT_K = {
    "P@200": partial(ap.precision_at_k_score, k=200),
    "P@1%": partial(ap.precision_at_k_score, k=0.01),
    "R@200": partial(ap.recall_at_k_score, k=200),
    "EF@1%": partial(ap.enrichment_factor_score, k=0.01),
}
HEAVY = "ignore:A few negatives of weight:UserWarning"


def draws(n_draws, rate=RATE):
    """Yield labels, scores and weights of all frauds and of one in twenty of the others."""
    for seed in range(n_draws):
        kept = FRAUD | (np.random.default_rng(seed).random(FRAUD.size) < rate)
        y = FRAUD[kept]
        yield y, SCORE[kept], np.where(y, 1, 1 / rate)


def weight_for(y, p, n_positives=None):
    """Return weights by which positives, all that exist, make up a fraction p."""
    exist = y.sum() if n_positives is None else n_positives
    return np.where(y, 1, (1 / p - 1) * exist / (y.size - y.sum()))


# Cutoffs
@pytest.mark.parametrize("name", AT_K)
def test_metrics_at_a_cutoff_are_those_of_all_payments(name):
    """On average over 40 draws. Cutoffs that count rows reach further down than in production."""
    metric = AT_K[name]
    everything = metric(FRAUD, SCORE)
    by_weight, by_rows = [], []
    for y, score, weight in draws(40):
        by_weight.append(metric(y, score, sample_weight=weight, k_counts="weight"))
        by_rows.append(metric(y, score, sample_weight=weight, k_counts="samples"))
    error = 0.03 * everything if name == "EF@1%" else 0.02
    assert abs(np.mean(by_weight) - everything) < error
    assert abs(np.mean(by_rows) - everything) > 0.1


@pytest.mark.filterwarnings(HEAVY)
def test_average_precision_is_a_little_too_high():
    """As docs/weights.md says, because few negatives are left where positives rank."""
    everything = AP(FRAUD, SCORE)
    found = [AP(y, score, sample_weight=weight) for y, score, weight in draws(40)]
    assert everything < np.mean(found) < 1.05 * everything
    assert AP(*next(draws(1))[:2]) > 1.5 * everything


def warns_of_heavy(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return any("A few negatives of weight" in str(each.message) for each in caught)


@pytest.mark.parametrize("rate", [0.5, 0.1, 0.05, 0.01])
def test_functions_warn_where_intervals_do(rate):
    found = []
    for y, score, weight in draws(3, rate):
        given = {"sample_weight": weight}
        of_value = warns_of_heavy(partial(AP, y, score, **given))
        of_interval = warns_of_heavy(partial(ap.confidence_interval, y, score, **given))
        assert of_value == of_interval
        found.append(of_value)
        at_k = ap.metric("AP@50%", k_counts="weight")  # where another negative takes a place, too
        assert not warns_of_heavy(partial(at_k, y, score, **given))
    assert any(found) == (rate < 0.1)


@pytest.mark.parametrize("weight_of_last", [1, 2])
def test_all_positives_must_weigh_the_same_for_a_warning(weight_of_last):
    """Also those beyond the first rows, at which the function looks first."""
    y = np.zeros(2_000, dtype=int)
    y[:40] = y[-1] = 1
    weight = np.where(y, 1, 50)
    weight[-1] = weight_of_last
    warns = warns_of_heavy(partial(AP, y, np.arange(2_000)[::-1], sample_weight=weight))
    assert warns == (weight_of_last == 1)


def test_heavy_negatives_are_tied_with_all_positives():
    y = np.arange(40) < 20
    assert AP(y, np.zeros(40), sample_weight=np.where(y, 1, 50)) == pytest.approx(1 / 51)


@pytest.mark.filterwarnings(HEAVY)
def test_reports_note_that_a_few_heavy_negatives_decide():
    y, score, weight = next(draws(1))
    report = ap.report(y, score, sample_weight=weight)
    assert any("A few negatives of weight 20" in note.text for note in report.notes)


def test_functions_do_not_warn_if_weights_merely_differ():
    rng = np.random.default_rng(0)
    for _ in range(200):
        y = rng.permutation(np.arange(rng.integers(30, 400)) < rng.integers(1, 15))
        weight = rng.lognormal(0, rng.uniform(0.5, 2.5), y.size)
        assert not warns_of_heavy(partial(AP, y, rng.normal(y), sample_weight=weight))


@pytest.mark.parametrize("k", [0.01, 0.07, 0.3, 1.0])
@pytest.mark.parametrize("name", ["P", "R", "EF", "AP"])
def test_a_fraction_doesnt_depend_on_the_scale_of_weights(name, k):
    """Only the rounding up to whole samples, of weights that stand for whole samples, does."""
    metric = ap.metric(f"{name}@{100 * k:g}%", k_counts="weight")
    y, score, weight = next(draws(1))
    n_all = weight.sum()
    assert n_all.is_integer()
    scaled = metric(y, score, sample_weight=np.pi * weight)
    by_fraction = metric(y, score, sample_weight=weight_for(y, y.sum() / n_all) / 3)
    assert scaled == pytest.approx(by_fraction, rel=1e-12)
    assert metric(y, score, sample_weight=weight) == pytest.approx(scaled, rel=0.01)


# A fraction of positives
def test_an_example_by_hand():
    """Each of the three negatives weighs 6, so that the two positives are 2 of 20."""
    y = np.array([1, 0, 1, 0, 0])
    assert weight_for(y, 0.1).tolist() == pytest.approx([1, 6, 1, 6, 6])
    value = AP(y, [0.9, 0.8, 0.7, 0.6, 0.5], sample_weight=weight_for(y, 0.1))
    assert value == pytest.approx((1 + 2 / 8) / 2, abs=1e-15)


@pytest.mark.parametrize("p", [0.001, 0.02, 0.5])
@pytest.mark.parametrize("exist", [None, 500])
def test_existing_positives_make_up_the_fraction(p, exist):
    """A threshold at the bottom flags everything that has a row."""
    y, score, _ = next(draws(1))
    weight = weight_for(y, p, exist)
    point = ap.operating_point(y, score, threshold=-np.inf, sample_weight=weight, n_positives=exist)
    n_missing = 0 if exist is None else exist - y.sum()
    total = point.flagged_mass + n_missing
    assert (point.found_mass + n_missing) / total == pytest.approx(p)


@pytest.mark.parametrize("times", [1, 2, 5])
def test_balanced_average_precision_repeats_positives(times):
    """With as many copies as it takes; the weight of negatives is n_positives / n_negatives."""
    rng = np.random.default_rng(times)
    y = rng.permutation(np.repeat([1, 0], [20, 20 * times]))
    score = rng.normal(y).round(1)
    balanced = AP(y, score, sample_weight=np.where(y, 1, y.sum() / (1 - y).sum()))
    copies = np.where(y, times, 1)
    assert balanced == pytest.approx(AP(np.repeat(y, copies), np.repeat(score, copies)))


@pytest.mark.filterwarnings(HEAVY)
def test_text_labels_and_groups():
    """One factor for all groups, so a group with more positives keeps more."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"query": rng.integers(0, 6, 300), "score": rng.normal(size=300)})
    table["label"] = np.where(rng.random(300) < 0.2 + table["query"] / 20, "fraud", "ok")
    is_positive = (table["label"] == "fraud").to_numpy()
    table["weight"] = weight_for(is_positive, 0.01)
    value = ap.mean_average_precision_score(
        "label", "score", groups="query", sample_weight="weight", pos_label="fraud", data=table
    )
    expected = [
        AP(is_positive[rows], table["score"][rows], sample_weight=table["weight"][rows])
        for rows in ((table["query"] == query).to_numpy() for query in range(6))
    ]
    assert value == pytest.approx(np.mean(expected))


# Everything that cuts by weight
@pytest.mark.filterwarnings("ignore:A few negatives of weight 20:UserWarning")
def test_intervals_displays_thresholds_and_explanations_cut_at_the_same_weight():
    y, score, weight = next(draws(1))
    given = {"sample_weight": weight}
    plain = ap.metric("AP@1%", k_counts="weight")
    value = plain(y, score, **given)
    assert ap.confidence_interval(y, score, metric=plain, n_resamples=9, **given).value == value
    assert ap.report(y, score, metrics=plain, n_resamples=9, **given).rows[0].value == value
    draw = ap.AveragePrecisionDisplay.from_predictions
    assert draw(y, score, metric=plain, **given).value == value
    given |= {"k": 0.01, "k_counts": "weight"}
    assert explain(y, score, **given).to_dict()["AP@1% / min"]["value"] == pytest.approx(value)
    point = ap.operating_point(y, score, **given)
    precision = ap.precision_at_k_score(y, score, **given)
    assert point.precision == pytest.approx(precision, rel=0.02)  # which splits ties
    assert point.flagged_share == pytest.approx(0.01, abs=0.001)


@pytest.mark.parametrize("n_negatives", [30, 90])
def test_a_fraction_that_ends_at_a_sample(n_negatives):
    """0.07 * 100 is 7.000000000000001 as a float, but the first seven samples are enough."""
    y, score = np.repeat([1, 0], [10, n_negatives]), np.arange(10 + n_negatives, 0, -1)
    weight = weight_for(y, 0.1)
    given = {"k": 0.07, "sample_weight": weight, "k_counts": "weight"}
    assert ap.operating_point(y, score, **given).n_flagged == 7


def test_whole_weights_are_repeated_rows():
    """3/10 of 4 rows, or of weights that stand for them, are 2 rows."""
    value = partial(ap.precision_at_k_score, [1, 0, 0, 0], [3, 2, 1, 0], k=0.3)
    assert value() == value(sample_weight=[1, 1, 1, 1], k_counts="weight") == 0.5
    halves = value(sample_weight=[0.5] * 4, k_counts="weight")
    assert halves == pytest.approx(1 / 1.2, abs=1e-12)


# A search
def test_a_search_scores_by_weight_and_fits_without():
    y, score, weight = next(draws(1))
    X = np.column_stack([score, score**2])
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = ap.make_ap_scorer("P@1%", k_counts="weight", sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=False)
        search = GridSearchCV(model, {"C": [0.01, 1.0]}, scoring=scorer, cv=StratifiedKFold(3))
        search.fit(X, y, sample_weight=weight)
    for fold, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        found = LogisticRegression(C=1.0).fit(X[train], y[train]).decision_function(X[test])
        value = AT_K["P@1%"](y[test], found, sample_weight=weight[test], k_counts="weight")
        assert search.cv_results_[f"split{fold}_test_score"][1] == pytest.approx(value)
