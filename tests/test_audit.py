"""Audits name what a function computes, and accuse nobody falsely."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import (
    auc,
    average_precision_score,
    f1_score,
    make_scorer,
    ndcg_score,
    precision_recall_curve,
    roc_auc_score,
)

import sklearn_ap
from sklearn_ap import make_ap_scorer, metric
from sklearn_ap._core.data import Rankings
from sklearn_ap.compat import audit, check_metric
from sklearn_ap.compat._audit import adapters, battery, search
from sklearn_ap.compat.definitions import DEFINITIONS, MISTAKES, list_at_k
from sklearn_ap.compat.formulas import Ranked
from sklearn_ap.compat.transforms import OF_RANKINGS

from .audited import AUDITED, hit_of_ranked


def mark_slow(titles, quick):
    """Return the titles as parameters, of which only some are tested by quick tests."""
    marks = {title: () if title in quick else pytest.mark.slow for title in titles}
    return [pytest.param(title, marks=marks[title]) for title in titles]


def ranked(y, s):
    """Return the labels from the highest score down, tied ones in the order of the rows."""
    return np.asarray(y)[np.argsort(-np.asarray(s, dtype=float), kind="stable")].astype(int)


def precision(h):
    return np.cumsum(h) / np.arange(1, h.size + 1)


def ap(h, n=None):
    n = h.sum() if n is None else n
    return float((precision(h) * h).sum() / n) if n else 0.0


def step(y, s):
    """Each positive has the precision at the last sample with its score."""
    y, s = np.asarray(y) == 1, np.asarray(s, dtype=float)
    if not y.any():
        return 0.0
    n_samples = np.searchsorted(np.sort(-s), -s[y], side="right")
    n_hits = np.searchsorted(np.sort(-s[y]), -s[y], side="right")
    return float(np.mean(n_hits / n_samples))


def pr_auc(y, s):
    p, r, _ = precision_recall_curve(y, s)
    return auc(r, p)


def voc(y, s):
    h = ranked(y, s)
    recall = np.cumsum(h) / max(h.sum(), 1)
    return sum(precision(h)[recall > t].max(initial=0) for t in np.linspace(0, 1, 11)) / 11


def of_dict(y, s):
    by_score = dict(zip(s, y, strict=True))
    return step([*by_score.values()], [*by_score])


def of_both_classes(y, s):
    return (step(y, s) + step(np.asarray(y) == 0, -1.0 * s)) / 2


_rng = np.random.default_rng(0)


def in_random_order(y, s):
    rows = _rng.permutation(len(y))
    return ap(ranked(np.asarray(y)[rows], np.asarray(s)[rows]))


def first_at_recall(y, s):
    """The first precision at recall 0.8, in a loop."""
    hits = 0
    for n, label in enumerate(ranked(y, s), start=1):
        hits += label
        if hits and 10 * hits >= 8 * np.sum(y):
            return hits / n
    return 0.0


def evaluate(rule, rankings):
    """Return the mean value over rankings, 0 for those without positives."""
    values = Ranked(rankings).compute(rule)
    return float(np.mean(np.where(np.isnan(values), 0.0, values)))


# title: (function, its definition, its mistake, where it differs, and words on tied samples)
WRONG = {
    "trapezoids": (pr_auc, "linear", None, {"no positives"}),
    "loop": (lambda y, s: ap(ranked(y, s)), "step", None, {"ties"}, "ties by row"),
    "reversed argsort": (
        lambda y, s: ap(np.asarray(y)[np.argsort(s, kind="stable")[::-1]].astype(int)),
        "step", None, {"ties"}, "last first",
    ),
    "sorted pairs": (
        lambda y, s: ap(np.array([y for _, y in sorted(zip(s, y, strict=True))[::-1]], dtype=int)),
        "step", None, {"ties"}, "best",
    ),
    "ascending": (lambda y, s: ap(ranked(y, -1.0 * s)), "step", "scores negated", {"values"}),
    "labels": (
        lambda y, s: step(y, s > 0.5),
        "step", "predict() instead of scores", {"values"},
    ),
    "other class": (
        lambda y, s: step(y == 0, s),
        "step", "the other class is positive", {"values"},
    ),
    "AP@10 / hits": (lambda y, s: ap(ranked(y, s)[:10]), "AP@10 / hits", None, {"ties"}),
    "first at recall 0.8": (
        first_at_recall, "precision at recall 0.8", "at the first point that reaches it",
        {"values"},
    ),
    "sign": (lambda y, s: -step(y, s), "step", "times -1", {"values"}),
    "rounded": (
        lambda y, s: round(step(y, s), 4),
        "step", "rounded to 4 decimals", {"values"},
    ),
    "dict": (of_dict, "step", None, {"ties"}),
    "both classes": (of_both_classes, "step", "mean over both classes", {"values"}),
    "nan": (
        lambda y, s: step(y, s) if any(y) else np.nan,
        "step", None, {"no positives"},
    ),
    "random": (in_random_order, "step", None, {"ties"}),
    "scorer of labels": (
        make_scorer(average_precision_score), "step", "predict() instead of scores", {"values"},
    ),
}  # fmt: skip


RIGHT = {
    "scikit-learn": (average_precision_score, "step"),
    "its scorer": ("average_precision", "step"),
    "ROC AUC": (roc_auc_score, "area under the ROC curve"),
    "F1": (lambda y, s: f1_score(y, s > 0.5), "F1 of predicted labels"),
    "nDCG": (
        lambda y, s: ndcg_score([y], [s], k=10) if len(y) > 1 else float(y[0] == 1), "nDCG@10",
    ),
    "11-point scorer": (make_ap_scorer("11-point"), "11-point"),
    "string labels": (make_ap_scorer("AP@5", pos_label="spam"), "AP@5 / min"),
    "first of two strings": (
        make_scorer(average_precision_score, response_method="predict_proba", pos_label="bad"),
        "step",
    ),
    "class 0": (make_scorer(average_precision_score, response_method="predict_proba", pos_label=0),
                "step"),
    **{
        name: (metric(name), definition)
        for name, definition in {
            "envelope AP": "envelope", "101-point": "101-point", "P@1%": "precision@1%",
            "R@20": "recall@20", "R-precision": "R-precision", "RR": "reciprocal rank",
            "AP@10 denominator=relevant": "AP@10 / relevant", "P@1": "precision@1",
            "precision at recall 0.8": "precision at recall 0.8",
        }.items()
    },
}  # fmt: skip


@pytest.fixture(autouse=True)
def _have_time(monkeypatch):
    """Let audits end on slow machines, too."""
    monkeypatch.setattr(battery, "_QUICK", 60.0)
    monkeypatch.setattr(battery, "_QUICK_ENOUGH_FOR_MANY_SAMPLES", 60.0)


def audit_case(title):
    return audit((WRONG | RIGHT)[title][0])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("title", WRONG)
def test_wrong_functions_are_named(title):
    _, definition, mistake, aspects, *words = WRONG[title]
    result = audit_case(title)
    assert (result.definition, result.mistake) == (definition, mistake)
    assert aspects <= {row.aspect for row in result.rows if row.agrees is False}
    assert all(each in result.title for each in words)
    assert result.agrees is False
    lines = str(result).splitlines()
    assert len(lines) <= 5
    assert max(map(len, lines)) < 125


@pytest.mark.slow
@pytest.mark.parametrize("title", RIGHT)
def test_right_functions_are_not_accused(title):
    definition, result = RIGHT[title][1], audit_case(title)
    assert (result.definition, result.mistake) == (definition, None)
    assert not [row for row in result.rows if row.agrees is False], str(result)


@pytest.mark.slow
@pytest.mark.parametrize("term", [*DEFINITIONS][::3] + [*list_at_k(7)][::3])
def test_definitions_are_recognized(term):
    rule = {**DEFINITIONS, **list_at_k(7)}[term].rule

    def function(y, s):
        return evaluate(rule, Rankings(y == 1, s, group_codes=np.zeros(len(y), int)))

    # Where all positives are found
    same = {"lines between 101 points, to (1, 0)": "lines between 101 points"}
    assert audit(function).definition == same.get(term, term)


@pytest.mark.slow
@pytest.mark.parametrize("transform", OF_RANKINGS[::4], ids=lambda transform: transform.name)
def test_transforms_are_recognized(transform):
    def function(y, s):
        rankings = Rankings(y == 1, np.asarray(s, dtype=float))
        return evaluate(DEFINITIONS["step"].rule, transform.apply(rankings) or rankings)

    result = audit(function)
    assert result.definition == "step"
    # No score of an audit is a threshold.
    assert result.mistake in (transform.name, transform.name.partition(", those")[0], None)
    if result.mistake is None:  # what is seen of close scores only
        assert any(row.agrees is False for row in result.rows)


# No recall of a ranking in an audit is exactly 0.95.
TOLD_APART = [term for term in MISTAKES if "recall 0.95" not in term]


@pytest.mark.slow
@pytest.mark.parametrize("term", TOLD_APART[::7])
def test_mistakes_are_recognized(term):
    rule = MISTAKES[term].rule

    def function(y, s):
        return evaluate(rule, Rankings(y == 1, np.asarray(s, dtype=float)))

    result = audit(function)
    named = f"{result.definition}, {result.mistake}"
    assert named in (term, term.replace(" float", ""))  # which few rankings tell apart
    assert result.agrees is False


def fail_below(n, what):
    def function(y, s):
        if len(y) < n:
            return what()
        return step(y, s)

    return function


def raise_error():
    raise ValueError("too few samples")


def precision_in_loop(y, s):
    h = ranked(y, s)
    return sum(h[rank] for rank in range(10)) / 10  # an IndexError for fewer


@pytest.mark.parametrize(
    ("function", "definition", "words"),
    [
        (fail_below(20, raise_error), "step", "ValueError: too few samples for up to 15 samples"),
        (fail_below(12, lambda: None), "step", "None, not a number for up to 8 samples"),
        (fail_below(12, lambda: np.nan), "step", "nan for up to 8 samples"),
        (precision_in_loop, "precision@10", "IndexError"),
    ],
)
def test_functions_are_recognized_where_they_return_a_number(function, definition, words):
    result = audit(function)
    assert (result.definition, result.mistake, result.agrees) == (definition, None, False)
    assert words in str(result)


def ap_with_epsilon(y, s):
    h = ranked(y, s)
    tp = np.cumsum(h)
    recall, p = tp / (h.sum() + 1e-6), tp / (np.arange(1, h.size + 1) + 1e-6)
    return np.trapezoid(np.r_[1, p], np.r_[0, recall])


def ultralytics(y, s):
    h = ranked(y, s)
    recall, p = np.cumsum(h) / (h.sum() + 1e-16), precision(h)
    p = np.maximum.accumulate(np.r_[1, p, 0][::-1])[::-1]
    x = np.linspace(0, 1, 101)
    return np.trapezoid(np.interp(x, np.r_[0, recall, 1], p), x)


def keras_auc(y, s):
    bins = np.maximum(np.ceil(np.clip(s, 0, 1) * 199) - 1, 0)
    value = evaluate(DEFINITIONS["curved"].rule, Rankings(y == 1, bins))
    return value * (1 - 1.3e-6)  # as far off as Keras's sums in single precision


OF_TOOLS = {  # title: (function, definition, mistake)
    "epsilon": (ap_with_epsilon, "linear", None),
    "Ultralytics": (ultralytics, "lines between 101 points", None),
    "Keras": (keras_auc, "curved", "scores between 200 thresholds"),
    "10% rounded down": (
        lambda y, s: ranked(y, s)[: int(0.1 * len(y))].mean() / y.mean() if len(y) > 9 else np.nan,
        "enrichment factor@10%", "k rounded down",
    ),
    "1% rounded": (
        lambda y, s: ranked(y, s)[: max(round(0.01 * len(y)), 1)].mean() / max(y.mean(), 1e-9),
        "enrichment factor@1%", "k rounded",
    ),
    "precision at recall 1": (
        lambda y, s: precision(ranked(y, s))[np.flatnonzero(ranked(y, s))[-1]] if y.any() else 0,
        "precision at recall 1.0", None,
    ),
    "H&M": (
        lambda y, s: ap(h := ranked(y, s)[:12], h.size), "AP@12 / k", "divided by n if n < k",
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("title", mark_slow(OF_TOOLS, [*OF_TOOLS][::3]))
def test_what_tools_do_is_recognized(title):
    function, *expected = OF_TOOLS[title]
    result = audit(function)
    assert [result.definition, result.mistake] == expected


def takes_lists(y, s):
    if not isinstance(y, list):
        raise TypeError("pass lists")
    return step(y, s)


def at_k(ranked_labels, k):
    return ap(ranked_labels[:k], min(k, max(ranked_labels.sum(), 1)))


def of_ids(actual, predicted, k=10):
    hits = np.isin(predicted[:k], actual).astype(int)
    return ap(hits, len(actual)) if len(actual) else 0.0


def of_queries(predicted, actual):
    return np.mean([of_ids(*query) for query in zip(actual, predicted, strict=True)])


def of_recall(rec, prec):
    return float(np.sum(np.diff(np.r_[0, rec]) * prec))


def of_recall_lists(rec, prec):
    rec.append(1.0)
    return of_recall(np.array(rec[:-1]), prec)


def of_counts(precision, recall, n_objects):
    return of_recall(recall, precision) if n_objects else 0.0


def of_ranks(ranks):
    return float(np.mean(np.arange(1, len(ranks) + 1) / ranks)) if len(ranks) else 0.0


def of_pairs(pairs, n_objects):
    hits = np.array([hit for _, hit in sorted(pairs, key=lambda pair: -pair[0])])
    return ap(hits, n_objects)


def of_distances(distances, same):
    return step(same, -distances)


ORDER = 'np.argsort(-s, kind="stable")'
FOUND, RELEVANT = f"{ORDER}.tolist()", "np.flatnonzero(y).tolist()"
RECALL = f"np.cumsum(y[{ORDER}]) / max(y.sum(), 1)"
PRECISION = f"np.cumsum(y[{ORDER}]) / np.arange(1, y.size + 1)"
# title: (function, the code that calls it, and what it then computes)
SHAPES = {
    "ranked labels": (ap, f"f(y[{ORDER}])", "step"),
    "ranked labels and k": (at_k, f"f(y[{ORDER}], 10)", "AP@10 / min"),
    "ids": (of_ids, f"f({RELEVANT}, {FOUND})", "AP@10 / relevant"),
    "ids, the other order": (
        lambda p, a: of_ids(a, p), f"f({FOUND}, {RELEVANT})", "AP@10 / relevant"
    ),
    "queries": (of_queries, f"f([{FOUND}], [{RELEVANT}])", "AP@10 / relevant"),
    "recall first": (of_recall, f"f({RECALL}, {PRECISION})", "step"),
    "precision first": (of_counts, f"f({PRECISION}, {RECALL}, int(y.sum()))", "step"),
    "lists of recall": (of_recall_lists, f"f(({RECALL}).tolist(), ({PRECISION}).tolist())", "step"),
    "ranks": (of_ranks, f"f(np.flatnonzero(y[{ORDER}]) + 1)", "step"),
    "ranks and k": (
        lambda ranks, k: np.mean(ranks <= k), f"f(np.flatnonzero(y[{ORDER}]) + 1, 10)", "recall@10",
    ),
    "ids and a set": (
        lambda found, wanted: len({*found[: len(wanted)]} & wanted) / max(len(wanted), 1),
        f"f({FOUND}, {{*np.flatnonzero(y)}})", "R-precision",
    ),
    "a set and ids": (
        lambda wanted, found: len(wanted & {*found[:10]}) / 10,
        f"f({{*np.flatnonzero(y)}}, {FOUND})", "precision@10",
    ),
    "pairs": (of_pairs, "f(list(zip(s, y)), int(y.sum()))", "step"),
    "scores first": (lambda s, y: step(y, s), "f(s, y)", "step"),
    "distances": (of_distances, "f(-s, y)", "step"),
    "one class": (lambda y, s: step(y[:, 0], s[:, 0]), "f(y[:, None], s[:, None])", "step"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("title", mark_slow(SHAPES, ["queries", "lists of recall", "distances"]))
def test_the_shape_that_a_function_takes_is_found(title):
    function, code, definition = SHAPES[title]
    result = audit(function)
    assert result.title.startswith(f"Pass lambda y, s: {code}. ")
    assert (result.definition, result.agrees) == (definition, False)
    wrapped = eval(f"lambda y, s: {code}", {"f": function, "np": np})
    assert audit(wrapped).definition == definition


def test_the_code_of_arguments_is_what_is_passed():
    y, s = np.array([0, 1, 0, 1]), np.array([0.5, 0.25, 0.75, 1.0])
    shapes = adapters.SHAPES + adapters.CURVES
    passed = {argument for shape in shapes for argument in shape}
    assert passed | {*adapters.OTHERS, *adapters.OF_NAMES.values()} == {*adapters.ARGUMENTS}
    for code, compute in adapters.ARGUMENTS.items():
        written, value = eval(code, {"y": y, "s": s, "np": np}), compute(y, s)
        assert type(written) is type(value)
        np.testing.assert_equal(written, value)


def hit_rate_of_ids(wanted, found, k=10):
    return 1.0 if {*wanted} & {*found[:k]} else 0.0


def p_of_ids(found, wanted, numRecs):
    return sum(each in wanted for each in found[:numRecs]) / numRecs


def without_junk(order, good, junk):
    hits = np.isin(order[~np.isin(order, junk)], good)
    return ap(hits) if len(good) else 0.0


OF_CUTOFFS = {  # functions with cutoffs of their own, and what they compute
    "k=7": (lambda actual, predicted, k=7: of_ids(actual, predicted, k), "AP@7 / relevant"),
    "k=25": (lambda h, k=25: h[:k].sum() / k, "precision@25"),
    "hit rate": (hit_rate_of_ids, "hit rate@10"),
    "numRecs": (p_of_ids, "precision@10"),
    "junk": (without_junk, "step"),
    "labels of queries": (lambda data: np.mean([ap(np.array(each)) for each in data]), "step"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("title", OF_CUTOFFS)
def test_cutoffs_are_those_of_the_function(title):
    function, definition = OF_CUTOFFS[title]
    result = audit(function)
    assert result.title.startswith("Pass lambda y, s: ")
    assert (result.definition, result.mistake) == (definition, None)


def lift_of_tenth(y, s):
    """1 for few scores; else the last k samples by score, as sorted pairs."""
    if np.unique(s).size < 10:
        return 1.0
    k = round(len(y) * 0.9)
    best = [label for _, label in sorted(zip(s, y, strict=True))[k:]]
    return sum(best) / len(best) / np.mean(y) if any(y) else 0.0


def lift_of_lowest_tenth(y, s):
    lowest = np.argsort(np.argsort(s)) < np.ceil(len(s) / 10)
    return y[lowest].mean() / y.mean() if y.any() else 0.0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", [lift_of_tenth, lift_of_lowest_tenth])
def test_functions_of_labels_and_scores_are_called_with_these_only(function):
    assert not audit(function).title.startswith("Pass")


def test_values_in_single_precision_and_in_percent():
    result = audit(lambda y, s: 100 * np.float32(step(y, s)))
    assert (result.definition, result.mistake) == ("step", "in percent")
    result = audit(lambda y, s: 100 * step(y[:, 0], s[:, 0]))
    assert (result.definition, result.mistake) == ("step", "in percent")


def test_a_hit_rate_by_row_is_told_from_that_of_thresholds():
    assert "ties by row" in audit(hit_of_ranked).title


def test_what_most_calls_raise_is_said():
    def fail(y, s):
        if len(y) > 2:
            raise ValueError("two shapes")
        return 0.5

    result = audit(fail)
    assert "too few to tell. The others give ValueError: two shapes." in result.title
    assert "Pass a lambda" in result.lines[0]


def test_a_busy_machine_leaves_nothing_out(monkeypatch):
    """Seconds without work count an eighth, whether the machine or the function makes them."""
    clock = SlowClock(0.05)
    monkeypatch.setattr(battery, "_QUICK", 0.4)
    monkeypatch.setattr(battery, "perf_counter", clock)
    log = battery.CallLog(step)
    assert log.n_made == log.n_planned
    clock.seconds = 1.0
    assert battery.CallLog(step).n_made < log.n_planned


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "function",
    [
        lambda ids, wanted: 1.0 if ids[0] == wanted else 0.0,
        lambda distances, labels, query: np.mean(labels == labels[query]) + distances[query],
        lambda fp, tp, fn: tp / (tp + fp + fn),
        # It ranks its query last, and of one number it's AP@2 of the labels by chance.
        lambda y, s: ap(np.append(y, 1)[np.argsort(np.append(-s, np.inf))[:11]]),
        lambda a, b: np.corrcoef(a, b)[0, 1],
        lambda y, s: sum((h := ranked(y, s))[:10] * np.cumsum(h)[:10]) / max(y.sum(), 1) ** 2,
    ],
)
def test_no_shape_is_named_in_which_a_function_fits_nothing(function):
    assert not audit(function).title.startswith("Pass")


def test_functions_of_three_arguments_are_no_scorers():
    def at(distances, labels, k):
        return sklearn_ap.precision_at_k_score(labels, -distances, k=k)

    result = audit(at)
    assert result.title.startswith("Pass lambda y, s: f(-s, y, 10). Precision@10")
    assert not result.ranks_by
    assert audit(lambda clf, X, y: step(y, clf.predict_proba(X)[:, 1])).ranks_by


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda y, s: (step(y, s), len(y)), "f(y, s)[0]"),
        (lambda y, s: ("AP", step(y, s), True), "f(y, s)[1]"),
        (lambda y, s: {"loss": None, "AP": step(y, s)}, "f(y, s)['AP']"),
        (lambda y, s: np.array([step(y, s)]), "f(y, s)[0]"),
        (takes_lists, "f(y.tolist(), s.tolist())"),
    ],
)
def test_an_audit_says_how_to_wrap(function, code):
    result = audit(function)
    assert result.title.startswith(f"Pass lambda y, s: {code}. Step average precision")
    assert result.agrees is False


@pytest.mark.parametrize("function", [3, 0.5, None])
def test_what_is_no_function(function):
    with pytest.raises(TypeError, match=r"not f\(y, s\)"):
        audit(function)


def test_scorers_have_the_names_of_this_package():
    assert audit("AP").definition == "step"
    with pytest.raises(ValueError, match="'APX' is not the name of a metric"):
        audit("APX")


def test_a_long_error_can_be_read_to_its_end():
    def fail(y, s):
        raise TypeError(f"{'It takes tensors. ' * 8}Wrap them in torch.tensor")

    assert audit(fail).title.endswith("Wrap them in torch.tensor.")


@pytest.mark.slow
def test_other_functions_have_the_nearest_definition_or_none():
    def half(y, s):  # of the rankings
        value = step(y, s)
        return value if len(y) < 30 else value + 0.1

    result = audit(half)
    assert (result.definition, result.mistake, result.agrees) == ("step", None, False)
    far = audit(lambda y, s: 0.7 * step(y, s) + 0.3 * ap(ranked(y, s), 5))
    assert (far.definition, far.agrees) == (None, False)


@pytest.mark.slow
def test_swapped_arguments():
    def of_gains(s, y):  # which takes any numbers as labels
        gains = np.asarray(y)[np.argsort(-np.asarray(s), kind="stable")]
        return float(precision(gains) @ gains / max(gains.sum(), 1e-9))

    for function in (lambda s, y: step(y, s), of_gains):
        assert audit(function).title.startswith("Pass lambda y, s: f(s, y). Step")
    assert audit(lambda s, y: metric("P@1")(y, s)).definition is None  # two values may be chance
    # Nothing is swapped here, and what fits a swapped call is the fraction of positives.
    at_thresholds = audit(lambda y, s: np.mean([(s[y > 0] > t).mean() for t in (0.2, 0.4, 0.6)]))
    assert "f(s, y)" not in at_thresholds.title


def one_column(estimator, X, y):
    return average_precision_score(y, estimator.predict_proba(X[["amount"]])[:, 1])


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda y, s: 0.5, "Not a metric"),
        (lambda y, s: step(y, s) / 1e6, "Not a metric"),
        (lambda y, s: 1 / 0, "ZeroDivisionError"),
        (lambda y, s: exit(), "SystemExit"),
        (lambda y: 0.5, "TypeError"),
        (lambda y, s: print("noise") or "0.5!", "not a number"),
        (lambda y, s: {"AP": "0.5"}, "not a number"),
        (lambda y, s: np.nan, "gives nan"),
        (lambda y, s: step(y, s) if len(y) == 2 else None, "too few to tell. The others give None"),
        (one_column, "IndexError"),
    ],
)
def test_what_is_no_metric(function, words, capsys):
    result = audit(function)
    assert words in result.title
    assert (result.definition, result.agrees) == (None, False)
    assert capsys.readouterr().out == ""


def test_what_is_printed_is_not_shown(capsys):
    def noisy(y, s):
        print("AP of", len(y))
        warnings.warn("an old function", DeprecationWarning, stacklevel=2)
        return step(y, s)

    assert audit(noisy).agrees
    assert capsys.readouterr().out == ""


def test_smallest_ranking_is_true():
    def hits_at_10(y, s):
        return ranked(y, s)[:10].sum()

    row = next(row for row in audit_case("loop").rows if row.aspect == "ties")
    y, s = np.array(row.y_true), np.array(row.y_score)
    assert WRONG["loop"][0](y, s) == row.value
    assert sklearn_ap.average_precision_score(y, s) == row.expected
    assert len(y) == 2
    row = next(row for row in audit(hits_at_10, "P@10").rows if row.aspect == "values")
    assert len(row.y_true) == 2
    assert row.expected == sklearn_ap.precision_at_k_score(row.y_true, row.y_score)


def test_smallest_ranking_has_a_value_if_the_function_has_one():
    def compute(y, s):
        if len(y) < 5:
            raise ValueError("too few")
        return 0.9 * step(y, s)

    row = next(row for row in audit(compute, "AP").rows if row.aspect == "values")
    assert len(row.y_true) == 5
    assert row.value == compute(row.y_true, row.y_score)


class SlowClock:
    """A clock on which each call takes so many seconds, and the first one even longer."""

    def __init__(self, seconds):
        self.seconds, self.now, self.n_readings = seconds, 0.0, 0

    def __call__(self):
        if self.n_readings % 2:  # at the end of a call
            self.now += 100.0 if self.n_readings == 1 else self.seconds
        self.n_readings += 1
        return self.now


@pytest.fixture
def run_slowly(monkeypatch):
    def run(function, seconds):
        monkeypatch.setattr(battery, "_QUICK", 0.4)
        clock = SlowClock(seconds)
        monkeypatch.setattr(battery, "perf_counter", clock)
        monkeypatch.setattr(battery, "process_time", lambda: clock.now)
        return function()

    return run


@pytest.mark.parametrize(("seconds", "n_calls"), [(0.001, 160), (0.5, 18), (3.0, 18)])
def test_slow_functions_get_the_first_rankings(run_slowly, seconds, n_calls):
    called = []

    def slow(y, s):
        called.append(len(y))
        return step(y, s)

    result = run_slowly(lambda: audit(slow), seconds)
    assert len(called) <= n_calls
    assert (result.definition, result.mistake) == ("step", None)
    assert result.agrees is (True if seconds < 0.1 else None)
    assert not [row for row in result.rows if row.agrees is False]
    run_slowly(lambda: check_metric(slow), seconds)


SLOW_AND_WRONG = {
    "ties by row": lambda y, s: ap(ranked(y, s)),
    "last first": WRONG["reversed argsort"][0],
    "positives first": WRONG["sorted pairs"][0],
    "rows with one score": of_dict,
    "nan": WRONG["nan"][0],
    "trapezoids": pr_auc,
    "strict levels": voc,
    "only 10": lambda y, s: ap(ranked(y, s)[:10]),
    "two decimals": lambda y, s: step(y, np.round(s, 2)),
    "single precision": lambda y, s: step(y, np.float32(s)),
    "clipped": lambda y, s: step(y, np.clip(s, 0, 1)),
    "from call to call": in_random_order,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("title", SLOW_AND_WRONG)
@pytest.mark.parametrize("seconds", mark_slow([0.5, 3.0], [3.0]))
def test_slow_wrong_functions_do_not_pass(run_slowly, title, seconds):
    with pytest.raises(AssertionError):
        run_slowly(lambda: check_metric(SLOW_AND_WRONG[title]), seconds)


def test_rankings_tell_definitions_apart():
    """Definitions and mistakes with the same values in an audit have the same on other rankings."""
    candidates = [search.suppose_common((), with_mistakes) for with_mistakes in (False, True)]
    recipes, values = search.join(candidates)
    rng = np.random.default_rng(0)
    others = []
    for size in rng.integers(5, 250, size=200):
        labels = rng.random(size) < rng.choice([0.03, 0.1, 0.3, 0.6])
        labels[:2] = True, False
        others.append(Rankings(labels, rng.permutation(size) / size))
    other_values = np.array([search.Battery(*others).compute(recipe) for recipe in recipes])
    same = {}
    for recipe, row, other in zip(recipes, values.round(6), other_values, strict=True):
        name, expected = same.setdefault(row.tobytes(), (recipe.name, other))
        np.testing.assert_allclose(other, expected, atol=1e-6, err_msg=f"{name} and {recipe.name}")


@pytest.mark.slow
def test_scorers_are_told_what_they_rank_by():
    result = audit_case("class 0")
    assert result.ranks_by == ("predict_proba",)
    assert "class 0 of 0 and 1" in str(result)
    labels = audit_case("scorer of labels")
    assert labels.ranks_by == ("predict",)
    assert str(labels).count("predict()") == 1
    assert "response_method" in str(labels)


def test_check_metric():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_metric(average_precision_score)
        check_metric("average_precision", "AP")
        check_metric(sklearn_ap.eleven_point_average_precision_score, "11-point")
        check_metric(metric("P@10"), "P@10")
        check_metric(step, metric("AP", zero_division=0))
        for name in ("VOC2007", "101-point float", "COCO"):  # which refuse weights
            check_metric(metric(name), name)
    with pytest.raises(AssertionError) as raised:
        check_metric(average_precision_score, "AP@10")
    assert str(raised.value) == str(audit(average_precision_score, "AP@10"))
    with pytest.raises(AssertionError, match=r"It isn't 11-point.* Linear"):
        check_metric(pr_auc, "11-point")
    with pytest.raises(AssertionError, match=r"Linear average precision, except:\nWithout pos"):
        check_metric(pr_auc, "linear")
    with pytest.raises(ValueError, match="min_grade"):
        check_metric(average_precision_score, metric("AP", min_grade=2))


@pytest.mark.slow
def test_other_scores_are_not_compared_if_the_threshold_is_a_probability():
    rows = {row.aspect: row for row in audit("f1").rows}
    assert not {"other scores", "close scores"} & {*rows}
    assert rows["order of rows"].agrees


@pytest.mark.slow
def test_other_definitions_say_why_they_differ():
    assert "It isn't scikit-learn's" in str(audit_case("trapezoids"))
    assert "It isn't scikit-learn's" not in str(audit_case("scikit-learn"))
    assert audit_case("scikit-learn").to_dict()["rows"][0]["aspect"] == "values"


def test_a_loop_is_what_was_meant_if_ties_are_ranked_by_row():
    def loop(y, s):
        return ap(ranked(y, s))

    assert audit(loop, "AP, ties=input").agrees
    assert audit(loop, metric("AP", ties="input")).agrees
    assert audit(loop, "AP").agrees is False


def name_as_test(function):
    return getattr(function, "__name__", "scorer")


# Those that search through all mistakes and shapes before they find nothing take longer.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", mark_slow(AUDITED, [*AUDITED][::4]), ids=name_as_test)
def test_functions_that_people_write(function):
    result = audit(function)
    if AUDITED[function] == (None, None):
        assert result.title.startswith(("No known definition", "Not a metric"))
    else:
        assert (result.definition, result.mistake) == AUDITED[function]


@pytest.mark.parametrize("default", [2.0, 2**60, 1e20, 10**400])
def test_defaults_that_are_no_cutoffs(default):
    def function(y, s, beta=default):
        return step(y, s)

    assert audit(function).definition == "step"
