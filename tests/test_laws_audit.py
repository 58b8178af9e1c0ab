"""What `audit` says is borne out by what the function did, over products of faults and scorers."""

import inspect
import re
from ast import literal_eval
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import trapezoid
from sklearn import config_context, metrics
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, make_scorer
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import sklearn_ap as ap
from sklearn_ap.compat import audit
from sklearn_ap.compat.audited_scorers import find_changes, make_settings, read_scorers
from sklearn_ap.compat.call_log import ASPECTS, CallLog
from sklearn_ap.compat.hypothesis_search import recognize
from sklearn_ap.compat.metric_checks import judge

from .audits import find_row, list_differing, rank_by_rows, step

pytestmark = [pytest.mark.usefixtures("few_rankings"), pytest.mark.filterwarnings("ignore")]
with_all_rankings = pytest.mark.usefixtures("all_rankings")


def test_the_peak_of_memory_is_that_of_this_process():
    pytest.importorskip("resource")
    block = np.ones(2**23)
    assert inspect.getmodule(CallLog)._read_peak_memory() >= block.nbytes


# --- planted faults and titles -------------------------------------------------------------------


def is_tied(y, s):
    return np.unique(s).size < s.size


def has_both(y):
    return 0 < np.sum(y) < y.size


# An aspect, when a function does something else, and what it returns then
FAULTS = {
    "no positives": (lambda y, s: not y.any(), lambda y, s: 0.5),
    "one sample": (lambda y, s: y.all() and y.size == 1, lambda y, s: 0.25),
    "all positives": (lambda y, s: y.all() and y.size > 1, lambda y, s: np.nan),
    "constant scores": (lambda y, s: has_both(y) and np.ptp(s) == 0, lambda y, s: 0.9),
    "ties": (lambda y, s: has_both(y) and is_tied(y, s) and np.ptp(s) > 0, rank_by_rows),
    "integers": (lambda y, s: s.dtype.kind == "i", lambda y, s: -1.0),
    "float32": (lambda y, s: s.dtype == np.float32, lambda y, s: 2.0),
    "bool labels": (lambda y, s: y.dtype == bool, lambda y, s: step(y, -s)),
    "many samples": (lambda y, s: y.size >= 2_000, lambda y, s: 0.125),
    "beyond [0, 1]": (lambda y, s: np.ptp(s) > 20 and s.min() < 1e5, lambda y, s: step(1 - y, s)),
}
# What a title says of an aspect that differs: it names all, and shows up to two of them. Orders of
# rows matter if ties are ranked by row.
WORDS = {
    "no positives": ["without positives"],
    "one sample": ["with one sample"],
    "all positives": ["without negatives"],
    "constant scores": ["with constant scores", "with ties: tied samples are"],
    "order of rows": ["in the order of the rows", "in another order of rows", "with ties"],
    "many samples": ["with more than 1,999 samples", "with many samples"],
    "beyond [0, 1]": ["with scores beyond [0, 1]"],
}


def planted(chosen):
    def function(y_true, y_score):
        y, s = np.asarray(y_true), np.asarray(y_score)
        for aspect in chosen:
            applies, returns = FAULTS[aspect]
            if applies(y, s):
                return returns(y, s)
        return step(y, s)

    return function


SUBSETS = [
    [aspect for aspect, is_in in zip(FAULTS, chosen, strict=True) if is_in]
    for chosen in product((False, True), repeat=len(FAULTS))
]


@pytest.mark.slow
@pytest.mark.sweep(512)
@pytest.mark.parametrize("chosen", SUBSETS, ids=", ".join)
def test_each_aspect_that_differs_has_words_in_the_title(chosen):
    result = audit(planted(chosen))
    assert {*chosen} <= {*list_differing(result)}
    assert result.agrees is (not chosen)
    if not chosen:
        assert ", always: " in result.title
        return
    title = result.title
    assert ", always" not in title
    if title.startswith("Like "):
        return
    for aspect in list_differing(result):
        assert any(words in title for words in WORDS.get(aspect, [f"with {aspect}"])), title


@pytest.mark.sweep(12)
@pytest.mark.parametrize("aspect", FAULTS)
def test_no_tool_has_a_fault_that_was_planted(aspect):
    tools = audit(planted([aspect])).tools
    known = {"no positives", "all positives", "one sample", "ties"}  # of which PEERS tells
    assert tools == () or aspect in known
    assert not any(tool.startswith("scikit-learn average_precision_score") for tool in tools)


# --- what was measured ---------------------------------------------------------------------------


def with_close_ones_tied(y_true, y_score):
    order = np.argsort(-y_score, kind="stable")
    labels, scores = y_true[order], y_score[order].astype(float)
    is_last = np.append(~np.isclose(scores[1:], scores[:-1], rtol=1e-4), True)
    hits, ranks = np.cumsum(labels)[is_last], np.flatnonzero(is_last) + 1
    return (np.diff(hits, prepend=0) * hits / ranks).sum() / max(hits[-1], 1)


def with_small_numbers(y_true, y_score):
    labels = y_true[np.argsort(-y_score, kind="stable")].astype(float)
    hits, misses = np.cumsum(labels), np.cumsum(1 - labels)
    recall, precision = hits / (hits[-1] + 1e-6), hits / (hits + misses + 1e-6)
    return trapezoid(np.append(1, precision), np.append(0, recall))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("function", [with_close_ones_tied, with_small_numbers])
def test_the_largest_deviation_is_one_that_was_measured(function):
    deviations = {}

    def recorded(y_true, y_score):
        value = function(y_true, y_score)
        is_plain = y_true.dtype.kind == "i" and 0 <= y_score.min() and 1e-3 < y_score.max() <= 1
        is_array = type(y_true) is np.ndarray and y_score.dtype == float
        is_array &= np.ptp(y_score) > 1e-3  # unlike those of the aspect "close scores"
        if is_plain and is_array and has_both(y_true) and not is_tied(y_true, y_score):
            area = ap.compat.trapezoidal_average_precision_score
            right = step if function is with_close_ones_tied else area
            off = abs(value - right(y_true, y_score))
            deviations[y_true.size] = max(off, deviations.get(y_true.size, 0.0))
        return value

    result = audit(recorded)
    largest = max(off for size, off in deviations.items())
    if result.title.startswith("Like step average precision, but not always"):
        assert largest > 0.005
        return
    assert f"values are off by up to {float(f'{largest:.6g}')}" in result.title
    assert ("as by a small number in a denominator" in result.title) == (largest < 1e-5)
    if function is with_small_numbers:
        assert "tied samples are ranked one by one, in the order of the rows" in result.title
    for row in result.rows[:1]:
        assert row.agrees or abs(row.value - row.expected) <= largest


def test_roundings_are_said_of_values_that_are_rounded():
    title = audit(partial(ap.precision_at_k_score, k=0.01)).title
    assert title.startswith("Precision@1%, always")


def test_an_order_that_is_not_known_is_one_of_all_orders():
    best = partial(ap.average_precision_at_k_score, k=10**6, ties="best")
    worst = partial(ap.average_precision_at_k_score, k=10**6, ties="worst")
    title = audit(lambda y, s: (best(y, s) + worst(y, s)) / 2).title
    assert "the value is between those of the best and the worst order" in title
    assert "not known" not in title
    by_hash = audit(lambda y, s: rank_by_rows(y[order := np.argsort(s % 0.3)], s[order])).title
    assert "in an order that is not known" in by_hash


@pytest.mark.slow
def test_roc_auc_is_said_only_if_all_values_are_its():
    def wrong_for_many(y_true, y_score):
        if y_true.all() or not y_true.any():
            return 0.0
        value = metrics.roc_auc_score(y_true, y_score)
        return value if y_true.size < 10 else value**2

    assert "ROC" not in audit(wrong_for_many).title
    assert audit("roc_auc").title.startswith("ROC AUC isn't average precision")


def test_what_is_not_tried_is_not_always():
    weighted = audit(lambda y, s, sample_weight=None: ap.precision_at_k_score(y, s, k=3))
    assert find_row(weighted, "weights").agrees is False
    assert "they are ignored" in weighted.title
    other = audit(
        lambda y, s, sample_weight=None: (
            ap.precision_at_k_score(y, s, k=3) * (1 if sample_weight is None else 0.5)
        )
    )
    assert other.title.startswith("Precision@3, wherever tried: ")
    assert other.title.endswith("Not tried: weights.")


# --- what is tried -------------------------------------------------------------------------------


def weighing(change, name="sample_weight"):
    def weighed(y_true, y_score, **options):
        weights = options.get(name)
        weights = None if weights is None else change(weights, y_score)
        value = average_precision_score(y_true, y_score, sample_weight=weights)
        return value if y_true.any() else 0.0

    parameters = [inspect.Parameter(each, 1) for each in ("y_true", "y_score")]
    parameters.append(inspect.Parameter(name, 1, default=None))
    weighed.__signature__ = inspect.Signature(parameters)
    return weighed


def cut_to_whole_numbers(weights, scores):
    return weights.astype(int)


def lost_with_the_best(weights, scores):
    return weights if weights[np.argmax(scores)] else np.ones(weights.size)


def reversed_order(weights, scores):
    return weights[::-1]


def one_with_ties(weights, scores):
    return weights if np.unique(scores).size == scores.size else np.ones(weights.size)


WRONG_WEIGHTS = [cut_to_whole_numbers, lost_with_the_best, reversed_order, one_with_ties]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sample_weight", "weights", "weight", "w"])
def test_weights_are_tried_under_each_name(name):
    for change in WRONG_WEIGHTS:
        result = audit(weighing(change, name))
        assert list_differing(result) == ["weights"], change
        assert result.tools == (), "tools that take weights take them right"
    right = audit(weighing(lambda weights, scores: weights, name))
    assert right.agrees
    assert any("scikit-learn average_precision_score" in tool for tool in right.tools)
    assert not any("torcheval" in tool for tool in right.tools), "it takes no weights"


def test_weights_are_tried_through_keywords():
    result = audit(lambda y, s, **options: step(y, s))
    assert list_differing(result) == ["weights"]
    assert audit(lambda y, s, w=0.5: step(y, s)).agrees, "a number isn't weights"


def arrange_by_label(y_true, y_score):
    """As one that looks up rows of a Series by their labels."""
    if is_tied(y_true, y_score):
        return step(y_true, y_score)
    return step(np.asarray(y_true[np.argsort(-np.asarray(y_score))]), -np.arange(len(y_score)))


UNTRIED = {  # before: a function, and what the audit says
    "ties from 201 rows on": (
        lambda y, s: (rank_by_rows if y.size > 200 else step)(y, s),
        "except with many samples",
    ),
    "long constant scores": (
        lambda y, s: 0.5 if y.size > 5 and np.ptp(s) == 0 else step(y, s),
        "with constant scores",
    ),
    "products of 32 bits": (
        lambda y, s: step(y, s) if y.sum() * (1 - y.astype(int)).sum() < 2**31 else 0.0,
        "with many samples",
    ),
    "few positives": (
        lambda y, s: step(y, s) if y.mean() > 0.001 else 0.0,
        "(6 of 602 rankings differ, those with 999 negatives for each positive or more)",
    ),
    "inf": (lambda y, s: step(y, s) if np.isfinite(s).all() else 0.3, "with infinite scores"),
    "cut at 1e7": (lambda y, s: step(y, np.minimum(s, 1e7)), "with scores beyond [0, 1]"),
    "-0.0": (lambda y, s: step(y, s - 1e-9 * (np.signbit(s) & (s == 0))), "with negative scores"),
    "float labels": (lambda y, s: 0.3 if y.dtype == float else step(y, s), "with float labels"),
    "text": (lambda y, s: str(step(y, s)), "every ranking without ties gives text."),
}  # fmt: skip


@with_all_rankings
@pytest.mark.sweep(9)
@pytest.mark.parametrize("name", UNTRIED)
def test_what_was_not_tried_before_is_found(name):
    function, words = UNTRIED[name]
    verdict = judge(function, "AP")
    assert (verdict.result.agrees, verdict.code) == (False, 1)
    assert words in " ".join(str(verdict.result).split())
    assert verdict.result.tools == ()


def test_a_series_is_tried():
    """Functions of arrays may want arrays, and scorers get a Series in cross-validation."""
    result = audit(arrange_by_label)
    assert result.agrees
    assert result.title.endswith(" as arrays.")
    assert "arrays" not in str(result.notes), "as most functions need them"
    pattern = r"needs arrays: (.*) with scores (.*) and index (.*) gives (.*) instead of .*"
    labels, scores, index, value = re.fullmatch(
        pattern, find_row(result, "Series").finding
    ).groups()
    y = pd.Series(literal_eval(labels), index=literal_eval(f"[{index}]"))
    s = pd.Series(literal_eval(f"[{scores}]"), index=y.index)
    assert arrange_by_label(y, s) == pytest.approx(float(Fraction(value))), (
        "what is printed is what was passed"
    )
    scorer = audit(lambda estimator, X, y: arrange_by_label(y, estimator.decision_function(X)))
    assert scorer.agrees is False
    assert "except with a pandas Series: " in scorer.title
    in_frames = audit(
        lambda estimator, X, y: step(y.values, estimator.predict_proba(X.drop(columns=[]))[:, 1])
    )
    assert in_frames.agrees, "it only takes a DataFrame and a Series"


@with_all_rankings
@pytest.mark.parametrize(
    "k",  # a single rank that is tried is beyond the last one
    [*(pytest.param(k, marks=pytest.mark.slow) for k in (11, 12, 200, 500)), 1000],
)
def test_any_k_is_found(k):
    result = audit(partial(ap.average_precision_at_k_score, k=k))
    assert (result.definition, result.agrees) == (f"AP@{k} / min", True)


METRICS_AT_K = {
    "hit rate@11": ap.hit_rate_at_k_score,
    "recall@11": ap.recall_at_k_score,
    "precision@11": ap.precision_at_k_score,
    "enrichment factor@11": ap.enrichment_factor_score,
    "nDCG@11, linear gains": ap.ndcg_score,
    "AP@11 / min": ap.average_precision_at_k_score,
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("definition", METRICS_AT_K)
def test_a_k_that_nobody_guesses_is_found_for_each_metric(definition):
    function = partial(METRICS_AT_K[definition], k=11)
    log = CallLog(function, 0, left_out={*ASPECTS} - {"values"}).try_all()
    hypothesis = recognize(log, tolerance=1e-9).hypothesis
    assert hypothesis is not None
    assert hypothesis.definition == definition


# --- nothing right is accused --------------------------------------------------------------------

OF_CLASSIFIERS = [
    name
    for name in metrics.get_scorer_names()
    if name.startswith(("accuracy", "average_p", "balanced", "d2_b", "d2_log_l", "f1", "jacc"))
    or name.startswith(("matthews", "neg_b", "neg_log_loss", "neg_neg", "pos", "prec", "rec"))
    or name.startswith(("roc", "top_k"))
]


# Micro averages of two classes, and recall weighted by class, are the accuracy.
OF_LABELS = dict.fromkeys(
    ("accuracy", "f1_micro", "precision_micro", "recall_micro", "recall_weighted"),
    "accuracy of predicted labels, which isn't an average precision",
)
DEFINITIONS_OF_SCORERS = {
    **OF_LABELS,
    "average_precision": "step",
    "f1": "F1 of predicted labels, which isn't an average precision",
    "precision": "precision of labels, 1 above 0.5, which isn't an average precision",
    **dict.fromkeys(
        ("roc_auc", "roc_auc_ovo", "roc_auc_ovo_weighted", "roc_auc_ovr", "roc_auc_ovr_weighted"),
        "area under the ROC curve",
    ),
}


@pytest.mark.sweep(40)
@pytest.mark.parametrize("name", OF_CLASSIFIERS)
def test_no_scorer_of_scikit_learn_is_accused(name):
    result = audit(name)
    assert result.definition == DEFINITIONS_OF_SCORERS.get(name)
    assert audit([name]).agrees
    if name == "average_precision":
        assert result.agrees
        return
    what = "ROC AUC" if name.startswith("roc") else "This"
    assert result.title == f"{what} isn't average precision; it ranks by {result.ranks_by}."
    assert result.agrees is False
    assert "It isn't average precision." not in result.notes, "as the title says it"


@pytest.mark.slow
@pytest.mark.sweep(20)
@pytest.mark.parametrize("name", ap.get_scorer_names())
def test_no_metric_of_this_package_is_accused(name):
    with config_context(enable_metadata_routing=True):
        scorer = ap.get_scorer(name)
    result = audit(scorer)
    assert result.definition is not None
    assert not list_differing(result), str(result)
    assert audit(scorer, name).agrees


AVERAGE_PRECISIONS = ("step", "envelope", "11-point", "linear", "AP@")
RIGHT = [
    *(metrics.average_precision_score, ap.average_precision_score, step, ap.r_precision_score),
    *(ap.interpolated_average_precision_score, ap.eleven_point_average_precision_score),
    *(ap.reciprocal_rank_score, ap.compat.trapezoidal_average_precision_score),
    *(partial(ap.average_precision_at_k_score, k=k) for k in (1, 3, 17, 64)),
    *(partial(ap.precision_at_k_score, k=k) for k in (2, 0.02, 33)),
    *(partial(ap.recall_at_k_score, k=k) for k in (9, 0.1)),
    *(partial(ap.hit_rate_at_k_score, k=k) for k in (4, 40)),
    partial(ap.average_precision_at_k_score, k=10, denominator="relevant"),
]


@with_all_rankings
@pytest.mark.sweep(20)
@pytest.mark.parametrize("function", RIGHT)
def test_no_right_function_is_accused(function):
    """Those that aren't average precision are right, and don't agree."""
    result = audit(function)
    assert not list_differing(result), str(result)
    assert result.agrees is ("It isn't average precision." not in result.notes)
    assert result.agrees is result.definition.startswith(AVERAGE_PRECISIONS)


@with_all_rankings
@pytest.mark.slow
@pytest.mark.parametrize("function", RIGHT[:5])
def test_no_slow_function_is_accused(clock, function):
    def slow(y_true, y_score):
        clock[0] += 0.02
        return function(y_true, y_score)

    assert not list_differing(audit(slow))


# --- scorers in company --------------------------------------------------------------------------


NAMES = "average_precision", "roc_auc", "accuracy"
CONTAINERS = {
    "a list": [*NAMES],
    "a tuple": NAMES,
    "a set": {*NAMES},
    "a list of scorers": [metrics.get_scorer(name) for name in NAMES],
    "a dict": {name: metrics.get_scorer(name) for name in NAMES},
    "a scorer of several": ap.make_multi_scorer([*NAMES]),
}


@pytest.mark.parametrize("scoring", CONTAINERS.values(), ids=CONTAINERS)
def test_no_scorer_is_left_out_of_an_audit(scoring):
    X, y = make_classification(120, flip_y=0.2, random_state=0)
    model = LogisticRegression().fit(X, y)
    found = sorted(scorer(model, X, y) for scorer in read_scorers(scoring).values())
    assert found == sorted(metrics.get_scorer(name)(model, X, y) for name in NAMES)
    assert len({*found}) == len(NAMES)


def of_sklearn(pos_label, *methods):
    return make_scorer(average_precision_score, pos_label=pos_label, response_method=methods)


BOTH = "decision_function", "predict_proba"
SCORERS = {
    **{name: metrics.get_scorer(name) for name in ("roc_auc", "neg_log_loss", "accuracy")},
    "bad, both": of_sklearn("bad", *BOTH),
    "bad, turned": of_sklearn("bad", *BOTH[::-1]),
    "bad, probability": of_sklearn("bad", "predict_proba"),
    "bad, decision": of_sklearn("bad", "decision_function"),
    "good, both": of_sklearn("good", *BOTH),
    "good, probability": of_sklearn("good", "predict_proba"),
    "ours, bad": ap.make_ap_scorer(pos_label="bad"),
    "ours, good": ap.make_ap_scorer(pos_label="good"),
    "own": lambda model, X, y: average_precision_score(y == "bad", model.predict(X) == "bad"),
}  # fmt: skip
ESTIMATORS = {
    "RandomForestClassifier": RandomForestClassifier(10, random_state=0),
    "GaussianNB": GaussianNB(),
    "LinearSVC": LinearSVC(),
    "LogisticRegression": LogisticRegression(),
}
HAVE = {"GaussianNB": "RandomForestClassifier"}  # the same methods


@cache
def scores_of(estimator, names):
    X, y = make_classification(120, n_features=5, flip_y=0.2, weights=[0.7], random_state=0)
    y = np.where(y == 1, "bad", "good")
    scoring = {name: SCORERS[name] for name in names}
    given = {"cv": 2, "scoring": scoring, "error_score": np.nan}
    try:
        found = cross_validate(ESTIMATORS[estimator], X, y, **given)
    except AttributeError:  # of a method that the estimator lacks
        return dict.fromkeys(names, np.full(2, np.nan))
    return {name: found[f"test_{name}"] for name in names}


@pytest.mark.sweep(33)
@pytest.mark.parametrize("pair", [*combinations(SCORERS, 2)], ids=", ".join)
def test_company_changes_what_cross_validation_changes(pair):
    """With estimators that have both methods, or one of them."""
    scorers = {name: SCORERS[name] for name in pair}
    setting = make_settings({**scorers, "": SCORERS["bad, both"], "-": SCORERS["good, both"]})[0]
    found = [*find_changes(scorers, [setting], dict.fromkeys(pair, "bad"))]
    for estimator in ESTIMATORS:
        together, alone = scores_of(estimator, pair), {}
        for name in pair:
            alone |= scores_of(estimator, (name,))
        for name in pair if not np.isnan([*alone.values()]).any() else ():
            is_changed = not np.allclose(together[name], alone[name], rtol=0, atol=1e-12)
            said = [change for change in found if change.scorer == name]
            named = any(
                "estimators that have" not in change.why
                or HAVE.get(estimator, estimator) in change.why
                for change in said
            )
            assert named == is_changed, (estimator, name, *map(str, found))
