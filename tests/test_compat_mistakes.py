"""What programs compute instead of average precision gets its name in an audit."""

import numpy as np
import pytest
from sklearn.metrics import auc, average_precision_score, precision_recall_curve

import sklearn_ap as ap
from sklearn_ap.compat import audit, check_metric
from sklearn_ap.compat.call_log import Call, draw_ranking
from sklearn_ap.compat.call_values import CallValues
from sklearn_ap.core.cutoff import Cut

from .audits import rank_by_rows, step

pytestmark = pytest.mark.usefixtures("few_rankings")


def ranked(y_true, y_score):
    """Labels from the highest score down, tied ones in the order of the rows, and their ranks."""
    return y_true[np.argsort(-y_score, kind="stable")] == 1, np.arange(1, y_true.size + 1)


def ranks_from_0(y_true, y_score):
    found, ranks = ranked(y_true, y_score)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.cumsum(found) / (ranks - 1)
    return precision[found].mean() if found.any() else 0.0


def ranks_from_2(y_true, y_score):
    found, ranks = ranked(y_true, y_score)
    return (np.cumsum(found) / (ranks + 1))[found].mean() if found.any() else 0.0


def hits_counted_late(y_true, y_score):
    found, ranks = ranked(y_true, y_score)
    return ((np.cumsum(found) - found) / ranks)[found].mean() if found.any() else 0.0


def one_positive_more(y_true, y_score):
    found, ranks = ranked(y_true, y_score)
    return (np.cumsum(found) / ranks)[found].sum() / (found.sum() + 1)


def next_precision(y_true, y_score):
    precision, recall, _ = precision_recall_curve(y_true, y_score)
    return -np.sum(np.diff(recall) * precision[1:]) if y_true.any() else 0.0


def through_positives(y_true, y_score):
    """The trapezoidal rule over the precisions at the positives."""
    found, ranks = ranked(y_true, y_score)
    precision = np.append(1, (np.cumsum(found) / ranks)[found])
    recall = np.arange(precision.size) / max(found.sum(), 1)
    return auc(recall, precision) if found.any() else 0.0


def mean_of_curve(y_true, y_score):
    return precision_recall_curve(y_true, y_score)[0].mean() if y_true.any() else 0.0


def mean_of_ranks(y_true, y_score):
    found, ranks = ranked(y_true, y_score)
    return (np.cumsum(found) / ranks).mean() if found.any() else 0.0


def davis_goadrich(y_true, y_score):
    area = hits = samples = 0
    for score in np.unique(y_score)[::-1]:
        at = y_score == score
        r, n = int(y_true[at].sum()), int(at.sum())
        for x in range(1, r + 1):
            above = samples + (x - 1) * n / r
            end = (hits + x) / (samples + x * n / r)
            area += (end + ((hits + x - 1) / above if above else end)) / 2
        hits, samples = hits + r, samples + n
    return area / hits if hits else 0.0


SLIPS = {
    ranks_from_0: "ranks from 0",
    ranks_from_2: "ranks from 2",
    hits_counted_late: "hits counted late",
    one_positive_more: "divided by R + 1",
    next_precision: "the precision of the point above",
    mean_of_curve: "as the mean of all precisions, with (0, 1)",
    mean_of_ranks: "as the mean of all precisions",
}
OTHERS = {
    through_positives: "linear between the highest points",
    davis_goadrich: "Davis and Goadrich",
}


@pytest.mark.sweep(10)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", [*SLIPS, *OTHERS], ids=lambda function: function.__name__)
def test_an_audit_names_it(function):
    result = audit(function)
    assert result.definition == OTHERS.get(function, "step")
    assert result.mistake == SLIPS.get(function)
    words = result.mistake or result.definition.lower()
    assert words in " ".join(str(result).lower().split()).replace("r + 1", "R + 1")
    if function in SLIPS:  # nobody wants these
        assert not result.agrees
        assert not result.rows[0].agrees
        assert not result.tools


def lost_at_0(y_true, y_score):
    """Positives with scores of 0 or below don't count, as in torchmetrics' RetrievalMAP."""
    y_true = np.where(y_score > 0, y_true, 0)
    return average_precision_score(y_true, y_score) if y_true.any() else 0.0


def without_negative_scores(y_true, y_score):
    return ap.average_precision_score(y_true, np.maximum(y_score, 0), zero_division=0.0)


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lost_at_0, "reads scores without positives at 0 or below"),
        (without_negative_scores, "reads scores with 0 for negative ones"),
    ],
)
def test_an_audit_says_how_scores_are_read(function, words):
    result = audit(function)
    assert not result.agrees
    assert words in " ".join(str(result).split())


# --- the product of definitions and mistakes -----------------------------------------------------


def in_order(y_true, y_score):
    """The labels from the highest score down, tied ones in the order of the rows."""
    return np.asarray(y_true)[np.argsort(-np.asarray(y_score), kind="stable")].astype(float)


def precision_of(labels):
    return np.cumsum(labels) / np.arange(1, labels.size + 1)


def ap_of(labels, k=None):
    top = labels[:k]
    divisor = labels.sum() if k is None else min(labels.sum(), k)
    return (precision_of(top) * top).sum() / divisor if divisor else 0.0


def envelope_of(labels):
    best = np.maximum.accumulate(precision_of(labels)[::-1])[::-1]
    return (best * labels).sum() / labels.sum() if labels.any() else 0.0


def ndcg_of(labels, k=10):
    discount = 1 / np.log2(np.arange(2, labels.size + 2))
    best = (np.sort(labels)[::-1] * discount)[:k].sum()
    return (labels * discount)[:k].sum() / best if best else 0.0


OF_LABELS = {
    "step": ap_of,
    "AP@10 / min": lambda labels: ap_of(labels, 10),
    "envelope": envelope_of,
    "nDCG@10, linear gains": ndcg_of,
    "recall@10": lambda labels: labels[:10].sum() / labels.sum() if labels.any() else 0.0,
    "reciprocal rank": lambda labels: 1 / (1 + labels.argmax()) if labels.any() else 0.0,
}
OF_RANKINGS = {
    "of negated scores": lambda f, y, s: f(in_order(y, -s)),
    "with the other class as positive": lambda f, y, s: f(in_order(1 - y, s)),
    "but it ranks by the order of rows": lambda f, y, s: f(y.astype(float)),
    "of scores with 3 decimals, ties by row": lambda f, y, s: f(in_order(y, np.round(s, 3))),
    "of scores with 1 decimal, ties by row": lambda f, y, s: f(in_order(y, np.round(s, 1))),
    "of labels, 1 above 0.5, ties by row": lambda f, y, s: f(in_order(y, (s > 0.5) * 1.0)),
    "of the first 100 rows": lambda f, y, s: f(in_order(y[:100], s[:100])),
    "1 minus the value": lambda f, y, s: 1 - f(in_order(y, s)),
    "times -1": lambda f, y, s: -f(in_order(y, s)),
}


@pytest.mark.sweep(96)
@pytest.mark.parametrize("definition", OF_LABELS)
@pytest.mark.parametrize("mistake", OF_RANKINGS)
def test_a_mistake_is_named_with_every_definition(definition, mistake, monkeypatch):
    if "100 rows" in mistake:
        monkeypatch.setattr("sklearn_ap.compat.call_log.N_RANKED_SAMPLES", 300)
        monkeypatch.setattr("sklearn_ap.compat.hypothesis_search.N_RANKED_SAMPLES", 300)
        if "@" in definition:
            pytest.skip("two numbers of samples, of which single positives tell one")
    result = audit(lambda y, s: OF_RANKINGS[mistake](OF_LABELS[definition], y, s))
    assert (result.definition, result.mistake) == (definition, mistake), result.title
    assert not result.agrees
    assert result.tools == ()


def dcg_of(labels):
    return (labels / np.log2(np.arange(2, labels.size + 2))).sum()


def dcg_from_second_rank(labels):
    """method=0 of dcg_at_k in rank_metrics.py."""
    return (labels / np.log2(np.maximum(np.arange(1, labels.size + 1), 2))).sum()


def above(y, s, threshold):
    return in_order(y[s > threshold], s[s > threshold])


def up_to_levels(labels, n_points=11):
    """np.max(precision[recall <= level]), which stands in public code."""
    precision, hits = precision_of(labels), np.cumsum(labels)
    levels = range(n_points if labels.any() else 0)
    is_up_to = [hits * (n_points - 1) <= level * hits[-1] for level in levels]
    return sum(precision[each].max(initial=0) for each in is_up_to) / n_points


def at_levels(labels, n_levels):
    """The precisions of the first points that reach the recalls 0, 1/10, 2/10, ..."""
    recall, found = 10 * np.cumsum(labels), 0.0
    for level in range(n_levels if labels.any() else 0):
        found += precision_of(labels)[np.argmax(recall >= level * recall[-1] / 10)]
    return found / n_levels


def by_steps_of_precision(y, s, sign):
    precision, recall, _ = precision_recall_curve(y, s)
    return (sign(np.diff(precision)) * recall[:-1]).sum() if y.any() else 0.0


def ap_of_top(labels, n_positives, k=10):
    top = labels[:k]
    return (precision_of(top) * top).sum() / min(n_positives, k) if n_positives else 0.0


# Functions, with the definition and the mistake that an audit names
WRONG = [
    (
        lambda y, s: ap_of_top(above(y, s, 0.5), y.sum()),
        (
            "AP@10 / min",
            "but the function leaves out rows with scores up to 0.5, whose positives count",
        ),
    ),
    (
        lambda y, s: ap_of_top(in_order(y, s)[:10][::-1], y.sum()),
        ("AP@10 / min", "with the top 10 in reverse order, ties by row"),
    ),
    (
        lambda y, s: (
            (np.maximum.accumulate(precision_of(h := in_order(y, s))) * h).sum() / max(h.sum(), 1)
        ),
        ("envelope", "with the maximum to the left instead"),
    ),
    (
        lambda y, s: up_to_levels(in_order(y, s)),
        ("11-point", "recall <= each level instead of >="),
    ),
    (
        lambda y, s: dcg_of(in_order(y, s)[:10]),
        ("nDCG@10, linear gains", "without the ideal, so DCG"),
    ),
    (
        lambda y, s: dcg_of(in_order(y, s)[:10]) / dcg_of(np.ones(10)),
        ("nDCG@10, linear gains", "with an ideal of k positives"),
    ),
    (
        lambda y, s: dcg_of(in_order(y, s)[:10]) / dcg_of(np.ones(max(y.sum(), 1))),
        ("nDCG@10, linear gains", "with the ideal of all samples"),
    ),
    (
        lambda y, s: (
            dcg_from_second_rank(top := in_order(y, s)[:10])
            / max(dcg_from_second_rank(np.sort(top)[::-1]), 1e-9)
        ),
        (
            "nDCG@10, linear gains",
            "with 1/log2(rank) from the second rank on, and with the ideal of the top k",
        ),
    ),
    (
        lambda y, s: envelope_of(in_order(y, s)) * 0.9,
        ("envelope", "times 0.9"),
    ),
    (
        lambda y, s: ap_of_top(in_order(y, s)[:-1][:9], y.sum()),
        ("AP@10 / min", "the last of these ranks skipped"),
    ),
    (
        lambda y, s: in_order(y, s)[: max(y.size // 10, 1)].mean() / max(y.mean(), 1e-9),
        ("enrichment factor@10%", "rounded down to whole samples"),
    ),
    (
        lambda y, s: (step(y, s) - y.mean()) / max(1 - y.mean(), 1e-9),
        ("step", "as (AP - P)/(1 - P), where P is the fraction of positives"),
    ),
    (
        lambda y, s: by_steps_of_precision(y, s, abs),
        ("step", "as recall times the absolute change in precision"),
    ),
    (
        lambda y, s: by_steps_of_precision(y, s, lambda change: -change),
        ("step", "as recall times the change in precision"),
    ),
    (
        lambda y, s: step(y, (s[:, None] >= np.linspace(s.max(), s.min(), 10)).sum(axis=1)),
        ("step", "of scores between 10 thresholds from the lowest to the highest"),
    ),
    (
        lambda y, s: step(y, np.lexsort((y, np.round(s, 2))).argsort()),
        ("step", "of scores with 2 decimals, ties best"),
    ),
    (
        lambda y, s: step(y, -s) * y.mean(),
        ("AP@n / k", "of negated scores"),
    ),
    (
        lambda y, s: at_levels(in_order(y, s), 10),
        ("11-point", "recalls 0 to 9/10, without the maximum to the right"),
    ),
]


@pytest.mark.usefixtures("all_rankings")
@pytest.mark.slow
@pytest.mark.parametrize(("function", "named"), WRONG, ids=[mistake for _, (_, mistake) in WRONG])
def test_what_is_counted_in_another_way_is_named(function, named):
    definition, mistake = named
    result = audit(function)
    assert result.definition == definition, result.title
    assert result.mistake == mistake, result.title
    assert not result.agrees


@pytest.mark.parametrize("counted_in", ["recall", "precision"])
def test_weights_that_count_in_a_part_of_a_metric_are_told(counted_in):
    def average_precision(y_true, y_score, sample_weight=None):
        order = np.argsort(-y_score, kind="stable")
        ones = np.ones(y_true.size)
        weight = ones if sample_weight is None else sample_weight[order]
        of_recall, of_precision = (weight, ones) if counted_in == "recall" else (ones, weight)
        labels = y_true[order]
        is_last = np.append(np.diff(y_score[order]) != 0, True)
        hits, found = np.cumsum(labels * of_precision)[is_last], np.cumsum(labels * of_recall)
        total = np.cumsum(of_precision)[is_last]
        precision = np.divide(hits, total, out=np.zeros(hits.size), where=total > 0)
        return np.sum(np.diff(found[is_last], prepend=0) * precision) / max(found[-1], 1e-9)

    assert f"they count in {counted_in} only" in audit(average_precision).title


def test_no_value_of_a_ranking_depends_on_the_other_rankings():
    """Of which some have probabilities, and others decision values."""
    rng = np.random.default_rng(0)
    rankings = [draw_ranking(20, False, rng) for _ in range(3)]
    scales = (1, -1, 5)
    calls = [Call("values", y, x * s) for x, (y, s) in zip(scales, rankings, strict=True)]
    together, alone = CallValues(calls, 0.0), [CallValues([call], 0.0) for call in calls]
    for variant in together.find_rarities([Cut(3)]):
        expected = [each.compute_values(variant)[0] for each in alone]
        assert together.compute_values(variant) == pytest.approx(expected, nan_ok=True), variant


def test_scores_are_shown_if_only_they_make_a_difference():
    odd = 1 - (1 - 0.875) * 1e-9
    right = ap.average_precision_score
    result = audit(lambda y, s: 0.6 if s[0] == odd else right(y, s, zero_division=0.0))
    assert repr(odd) in result.title


def test_a_metric_that_is_no_average_precision_is_no_likeness():
    """The mean of P@1 and the reciprocal rank equals the latter in most small rankings."""
    first = ap.reciprocal_rank_score
    result = audit(lambda y, s: first(y, s) if y.sum() < 3 else -1.0)
    assert "reciprocal rank" not in result.title.lower()


@pytest.mark.usefixtures("all_rankings")
@pytest.mark.parametrize(
    ("empty", "more"),
    [
        pytest.param(0.0, "", marks=pytest.mark.slow),
        (np.nan, ", and without positives: nan instead of 0.0"),
    ],
)
def test_a_definition_of_many_samples_is_said_with_its_limit(empty, more):
    result = audit(lambda y, s: in_order(y, s)[:100].mean() if y.any() else empty)
    assert result.definition == "precision@100"
    assert result.mistake == "except for fewer than 100 samples"
    assert result.title == (
        "Precision@100, except for fewer than 100 samples, and with ties: tied samples are ranked "
        f"one by one, in the order of the rows{more}."
    )


@pytest.mark.sweep(3)
@pytest.mark.parametrize("definition", ["nDCG@10, linear gains", "recall@10", "reciprocal rank"])
def test_ties_by_row_are_an_order_of_every_metric(definition):
    check_metric(lambda y, s: OF_LABELS[definition](in_order(y, s)), f"{definition}, ties by row")
    with pytest.raises(AssertionError, match="ties"):
        check_metric(lambda y, s: OF_LABELS[definition](in_order(y, s)), definition)


def of_best(y_true, y_score, k):
    best = np.argsort(-y_score, kind="stable")[:k]
    return rank_by_rows(y_true[best], y_score[best])


def by_score(y_true, y_score):
    """The first row with each score."""
    first = np.unique(y_score, return_index=True)[1]
    return y_true[first], y_score[first]


BY_ROW = "except with ties: tied samples are ranked one by one, in the order of the rows"
# Functions, and their whole first lines
TITLES = [
    (lambda y, s: step(y, s) / 2, "Step average precision times 0.5."),
    (lambda y, s: -step(y, s), "Step average precision times -1."),
    (
        lambda y, s: (step(y, s) + step(1 - y, -s)) / 2,
        "The mean of step average precision over both classes.",
    ),
    (
        lambda s, y: step(y, s),
        "Step average precision, but the function takes its arguments in the other order: y_score, "
        "y_true.",
    ),
    (
        lambda y, s: step(y, s) if y.size <= 50 else np.nan,
        "Step average precision, but gives nan above 50 samples.",
    ),
    (
        lambda y, s: step(y, s) if y.size <= 50 else "nan",
        "Step average precision, but gives text above 50 samples.",
    ),
    (
        lambda y, s: step(y, np.clip(s, 0, 1)),
        "Step average precision, but the function reads scores clipped to [0, 1].",
    ),
    (
        lambda y, s: step(y, s.astype(np.float32)),
        "Step average precision, scores as float32.",
    ),
    (
        lambda y, s: step(y, -np.arange(y.size)),
        "Step average precision, but it ranks by the order of rows.",
    ),
    (
        lambda y, s: of_best(y, s, 5),
        f"AP@5 / hits (of the top 5, divided by the number of positives among them), {BY_ROW}.",
    ),
    (
        lambda y, s: step(y, s) if y.size <= 15 else step(y, s) / 2,
        "Step average precision, except with more than 15 samples.",
    ),
    (
        lambda y, s: rank_by_rows(*by_score(y, s)),
        "Step average precision, of only the first row with each score.",
    ),
    (
        lambda y, s: rank_by_rows(*by_score(y[::-1], s[::-1])),
        "Step average precision, of only the last row with each score.",
    ),
    (
        lambda y, s: rank_by_rows(y[s != 0], s[s != 0]),
        "Step average precision, but the function reads scores without rows whose score is 0, "
        f"{BY_ROW}.",
    ),
    (
        lambda y, s: 0.3 if y.dtype == float or y.all() or not y.any() else step(y, s),
        "Step average precision, except with float labels: [1.0, 0.0] with scores 0.75, 0.875 "
        "gives 0.3 instead of 0.5 (12 of 12 rankings differ), and without positives: 0.3 instead "
        "of 0.0, and without negatives, and with one sample.",
    ),
    (lambda y, s: in_order(y, s)[:3].sum() / 3, f"Precision@3, {BY_ROW}."),
    (
        lambda y, s: in_order(y, s)[: y.sum()].sum() / max(y.sum(), 1),
        f"R-precision (R is the number of positives), {BY_ROW}.",
    ),
    (
        lambda y, s: rank_by_rows(y[::-1], s[::-1]),
        "Step average precision, except with ties: tied samples are ranked one by one, the last "
        "row first.",
    ),
    (lambda y, s: 0.25, "Not a metric: every ranking without ties gives 0.25."),
    (lambda y, s: 1 / 0, "Every call fails: ZeroDivisionError: division by zero."),
    *(
        pytest.param(function, title, marks=pytest.mark.slow)
        for function, title in (
            (lambda y, s: round(step(y, s), 2), "Step average precision, rounded to 2 decimals."),
            (lambda y, s: 1 - step(y, s), "1 minus step average precision."),
            (lambda y, s: step(y[:10], s[:10]), "Step average precision, of the first 10 rows."),
            (
                lambda y, s: step(y[s >= 0.5], s[s >= 0.5]) if s.max() >= 0.5 else 0.0,
                "Step average precision, but the function leaves out rows with scores below 0.5.",
            ),
        )
    ),
]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("function", "title"), TITLES)
def test_titles(function, title):
    assert audit(function).title == title


def rounded_up(y_true, y_score):
    """One unit of the last decimal away from a value that is cut, in the other direction."""
    return np.ceil(100 * ap.average_precision_score(y_true, y_score) - 1e-9) / 100


def cut_off(y_true, y_score):
    return np.floor(100 * step(y_true, y_score) + 1e-9) / 100


def one_hit_less(y_true, y_score):
    """Values of which each is one unit lower, and has no more decimals."""
    return ap.precision_at_k_score(y_true, y_score, k=10, ties="worst") - 0.1


def one_rank_more(y_true, y_score):
    """Hits among the first 11 samples, divided by 10."""
    return 1.1 * ap.precision_at_k_score(y_true, y_score, k=11)


@pytest.mark.parametrize(
    ("function", "title"),
    [
        (cut_off, "Step average precision, cut to 2 decimals"),
        *(
            pytest.param(function, title, marks=pytest.mark.slow)
            for function, title in (
                (rounded_up, ""),
                (one_hit_less, ""),
                (one_rank_more, "Precision@11 times 1.1"),
            )
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:No positive class found")
def test_only_what_is_cut_off_is_called_cut(function, title):
    found = audit(function)
    assert found.title.startswith(title)
    for text in (found.title, *found.notes) if function is not cut_off else ():
        assert "cut to" not in text
