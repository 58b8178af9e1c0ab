"""Functions as people write them, with what `audit` says of them as they are.

Each is written anew after a kind of function that occurs in public code: of labels and scores,
ranked labels, ids, ranks, or recall and precision.
"""

import math

import numpy as np
from sklearn.metrics import (
    auc,
    average_precision_score,
    label_ranking_average_precision_score,
    make_scorer,
    ndcg_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

# --- labels and scores ----------------------------------------------------------------------------


def area_under_pr(y_true, probability):
    precision, recall, _ = precision_recall_curve(y_true, probability)
    return auc(recall, precision)


def mean_precision(y, p):
    if y.sum() == 0:
        return float("nan")
    hits = y[np.argsort(-p, kind="stable")]
    return float((np.cumsum(hits) / np.arange(1, len(y) + 1) * hits).sum() / y.sum())


def trapezoids_without_start(p, y):
    ranked = y[np.argsort(-p)]
    precision = np.cumsum(ranked) / np.arange(1, len(y) + 1)
    recall = np.cumsum(ranked) / max(ranked.sum(), 1)
    return float(np.sum(np.diff(recall) * (precision[1:] + precision[:-1]) / 2))


def average_of_101(y, s):
    hits = np.cumsum(y[np.argsort(-s)])
    precision, recall = hits / np.arange(1, len(y) + 1), hits / max(y.sum(), 1)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    found = [np.where(recall >= level)[0] for level in np.linspace(0, 1, 101)]
    return float(np.mean([envelope[each[0]] if len(each) else 0.0 for each in found]))


def average_of_11(y, s):
    hits = np.cumsum(y[np.argsort(-s)])
    precision, recall = hits / np.arange(1, len(y) + 1), hits / max(y.sum(), 1)
    highest = [precision[recall >= level] for level in np.linspace(0, 1, 11)]
    return sum(each.max() if each.size else 0 for each in highest) / 11


def gini(actual, predicted):
    actual = actual[np.lexsort((np.arange(len(actual)), -predicted))].astype(float)
    return (actual.cumsum().sum() / actual.sum() - (len(actual) + 1) / 2) / len(actual)


def normalized_gini(actual, predicted):
    return gini(actual, predicted) / gini(actual, actual)


def gini_of_auc(y_true, y_pred):
    return 2 * roc_auc_score(y_true, y_pred) - 1


def enrichment_rounded(scores, labels, frac=0.10):
    order = np.argsort(-scores)
    top = labels[order[: max(1, round(frac * len(scores)))]].mean()
    return float(top / labels.mean()) if labels.any() else np.nan


def enrichment_cut(y_true, y_pred, alpha=0.1):
    order = np.argsort(-y_pred)
    return sum(y_true[order][: int(len(y_true) * alpha)]) / (sum(y_true) * alpha)


def enrichment_rounded_up(labels, scores, fraction=0.05):
    n = math.ceil(len(labels) * fraction)
    return labels[np.argsort(-scores)[:n]].mean() / labels.mean()


def lift_of_decile(y_true, y_prob):
    n = math.ceil(len(y_true) / 10)
    return y_true[np.argsort(y_prob)[::-1][:n]].mean() / y_true.mean()


def precision_of_top_15(y_true, y_score, k=15):
    return y_true[np.argsort(-y_score)[:k]].sum() / k


def precision_at_recall(y_true, scores, recall_target=0.8):
    precision, recall, _ = precision_recall_curve(y_true, scores)
    return float(precision[recall >= recall_target].max())


def precision_where_reached(y_true, y_prob, target_recall):
    precision, recall, _ = precision_recall_curve(y_true, y_prob)
    return float(precision[np.where(recall >= target_recall)[0][-1]])


def recall_at_precision(y_true, y_prob, target=0.9):
    precision, recall, _ = precision_recall_curve(y_true, y_prob)
    return recall[precision >= target].max()


def best_f1(y_true, y_prob):
    precision, recall, _ = precision_recall_curve(y_true, y_prob)
    return np.nanmax(2 * precision * recall / np.maximum(precision + recall, 1e-12))


def f1_of_half(y_true, y_prob):
    flagged = y_prob >= 0.5
    hits = (flagged & (y_true == 1)).sum()
    return 2 * hits / (flagged.sum() + (y_true == 1).sum())


def auc_of_ranks(y, p):
    ranks = np.empty(len(p))
    ranks[np.argsort(p, kind="stable")] = np.arange(1, len(p) + 1)
    _, inverse, counts = np.unique(p, return_inverse=True, return_counts=True)
    ranks = (np.bincount(inverse, ranks) / counts)[inverse]
    positives, negatives = y.sum(), (1 - y).sum()
    return (ranks[y == 1].sum() - positives * (positives + 1) / 2) / (positives * negatives)


def step_of_two_classes(y_true, prob):
    return float(average_precision_score(y_true, prob)) if len({*y_true}) > 1 else y_true.mean()


def lrap(y_true, y_score):
    return label_ranking_average_precision_score(y_true[None], y_score[None])


def ks(y_true, y_score):
    fpr, tpr, _ = roc_curve(y_true, y_score)
    return (tpr - fpr).max()


def step_in_percent(y_true, y_score):
    return 100 * np.float32(average_precision_score(y_true, y_score))


def from_pairs(pairs, n_objects):
    hits, total = 0, 0.0
    for rank, (_, is_hit) in enumerate(sorted(pairs, key=lambda pair: -pair[0]), start=1):
        hits += is_hit
        total += is_hit * hits / rank
    return total / n_objects if n_objects else 0.0


def of_neighbors(distances, same):
    ranked = same[np.argsort(distances)]
    return float((np.cumsum(ranked) / np.arange(1, ranked.size + 1))[ranked == 1].mean())


# --- ranked labels --------------------------------------------------------------------------------


def average_relevances(relevances):
    hits, total = 0, 0.0
    for rank, relevance in enumerate(relevances, start=1):
        if relevance > 0:
            hits += 1
            total += hits / rank
    return total / max(1, hits)


def mean_of_top(r, k):
    return np.mean(np.asarray(r)[:k])


def dcg_at_k(r, k):
    top = np.asarray(r, dtype=float)[:k]
    return np.sum(top / np.log2(np.arange(2, top.size + 2)))


def ndcg_of_ranked(r, k):
    best = dcg_at_k(sorted(r, reverse=True), k)
    return dcg_at_k(r, k) / best if best else 0.0


def ndcg_of_rank_one_first(r, k=10):
    def add(labels):
        labels = np.asarray(labels, dtype=float)[:k]
        return labels[0] + np.sum(labels[1:] / np.log2(np.arange(2, labels.size + 1)))

    best = add(sorted(r, reverse=True))
    return add(r) / best if best else 0.0


def mrr_of_lists(rs):
    firsts = (np.asarray(r).nonzero()[0] for r in rs)
    return np.mean([1 / (first[0] + 1) if first.size else 0.0 for first in firsts])


def precision_to_last_hit(r):
    places = np.asarray(r).nonzero()[0]
    return np.mean(r[: places[-1] + 1]) if places.size else 0.0


def recall_of_ranked(r, k, all_pos_num):
    return np.sum(r[:k]) / all_pos_num


def hit_of_ranked(r, k):
    return 1.0 if np.sum(r[:k]) > 0 else 0.0


# --- ids ------------------------------------------------------------------------------------------


def apk(actual, predicted, k=10):
    hits, total = 0.0, 0.0
    for rank, item in enumerate(predicted[:k]):
        if item in actual and item not in predicted[:rank]:
            hits += 1
            total += hits / (rank + 1)
    return total / min(len(actual), k) if actual else 0.0


def mapk(actual, predicted, k=7):
    return np.mean([apk(a, p, k) for a, p in zip(actual, predicted, strict=True)])


def precision_of_ids(recommended, relevant, k):
    return sum(1 for item in recommended[:k] if item in relevant) / k


def precision_of_fewer_ids(retrieved, gold, k):
    return sum(item in gold for item in retrieved[:k]) / min(k, len(retrieved))


def recall_of_ids(relevant, retrieved, k):
    return len({*retrieved[:k]} & relevant) / len(relevant) if relevant else 1.0


def hit_of_ids(recommended, relevant, k=15):
    return 1.0 if {*recommended[:k]} & {*relevant} else 0.0


def rr_of_ids(predictions, ground_truth):
    return next((1 / rank for rank, p in enumerate(predictions, 1) if p in ground_truth), 0.0)


def rr_at_k(recommended, relevant, k=5):
    return next((1 / rank for rank, r in enumerate(recommended[:k], 1) if r in relevant), 0.0)


def ndcg_of_ids(recs, true_set, k):
    dcg = sum(1 / np.log2(i + 2) for i, item in enumerate(recs[:k]) if item in true_set)
    ideal = sum(1 / np.log2(i + 2) for i in range(min(len(true_set), k)))
    return dcg / ideal if ideal else 0.0


def ap_of_ids(ranking, relevant, k=None):
    hits, total = 0, 0.0
    for rank, item in enumerate(ranking[:k] if k else ranking, 1):
        if item in relevant:
            hits += 1
            total += hits / rank
    return total / len(relevant) if relevant else 0.0


def ap_of_found(recommended, relevant, k=20):
    precisions, hits = [], 0
    for rank, item in enumerate(recommended[:k], 1):
        if item in relevant:
            hits += 1
            precisions.append(hits / rank)
    return float(np.mean(precisions)) if precisions else 0.0


def f1_of_ids(recs, true_set, k):
    precision = precision_of_ids(recs, true_set, k)
    recall = len({*recs[:k]} & {*true_set}) / len(true_set) if true_set else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def r_precision_of_ids(retrieved, relevant):
    return len({*retrieved[: len(relevant)]} & {*relevant}) / max(len(relevant), 1)


def precision_of_all_or_k(retrieved, relevant, k=None):
    k = len(retrieved) if k is None else k
    return sum(item in relevant for item in retrieved[:k]) / k


def without_junk(order, good, junk):
    kept = order[~np.isin(order, junk)]
    hits = np.isin(kept, good)
    return (np.cumsum(hits) / np.arange(1, hits.size + 1))[hits].mean() if hits.any() else 0.0


def hit_of_one(ranklist, item):
    return int(item in ranklist)


# --- ranks, recall and precision ------------------------------------------------------------------


def hits_of_ranks(ranks, k):
    return np.mean(np.array(ranks) <= k)


def mean_of_reciprocal(ranks):
    return np.mean(1 / np.array(ranks)) if len(ranks) else 0.0


def voc_ap(rec, prec, use_07_metric=False):
    if use_07_metric:
        return sum(prec[rec >= t].max(initial=0) for t in np.arange(0, 1.1, 0.1)) / 11
    recall, precision = np.r_[0.0, rec, 1.0], np.r_[0.0, prec, 0.0]
    for i in range(precision.size - 1, 0, -1):
        precision[i - 1] = max(precision[i - 1], precision[i])
    i = np.where(recall[1:] != recall[:-1])[0]
    return np.sum((recall[i + 1] - recall[i]) * precision[i + 1])


def voc07_ap(rec, prec):
    return voc_ap(rec, prec, use_07_metric=True)


def yolo_ap(recall, precision):
    precision = np.maximum.accumulate(np.r_[1.0, precision, 0.0][::-1])[::-1]
    x = np.linspace(0, 1, 101)
    return np.trapezoid(np.interp(x, np.r_[0.0, recall, 1.0], precision), x)


def ap_of_lists(precision, recall):
    total = before = 0.0
    for p, r in zip(precision, recall, strict=True):
        total += p * (r - before)
        before = r
    return total


def ap_off_by_two(recall, precision):
    return np.inner(precision[:-2], recall[1:-1] - recall[:-2])


def of_estimator(estimator, X, y):
    return average_precision_score(y, estimator.predict_proba(X)[:, 1])


# The definition and the mistake that are named, None if there is none. By row or otherwise, the
# order of ties isn't a mistake.
AUDITED = {
    area_under_pr: ("linear", None),
    mean_precision: ("step", None),
    trapezoids_without_start: ("linear after the first point", None),
    average_of_101: ("101-point float", None),
    average_of_11: ("11-point float", None),
    normalized_gini: ("normalized Gini", None),
    gini_of_auc: ("normalized Gini", None),
    enrichment_rounded: ("enrichment factor@10%", "k rounded"),
    enrichment_cut: (None, None),
    enrichment_rounded_up: ("enrichment factor@5%", None),
    lift_of_decile: ("enrichment factor@10%", None),
    precision_of_top_15: ("precision@15", None),
    precision_at_recall: ("precision at recall 0.8", None),
    precision_where_reached: ("precision at recall 0.8", "at the first point that reaches it"),
    recall_at_precision: ("recall at precision 0.9", None),
    best_f1: ("best F1 of all thresholds", None),
    f1_of_half: ("F1 of predicted labels", None),
    auc_of_ranks: ("area under the ROC curve", None),
    step_of_two_classes: ("step", None),
    lrap: ("step", None),
    ndcg_score: ("nDCG", None),
    ks: (None, None),
    step_in_percent: ("step", "in percent"),
    from_pairs: ("step", None),
    of_neighbors: ("step", None),
    average_relevances: ("step", None),
    mean_of_top: ("precision@10", "divided by n if n < k"),
    dcg_at_k: ("nDCG@10", "without the ideal, so DCG"),
    ndcg_of_ranked: ("nDCG@10", None),
    ndcg_of_rank_one_first: ("nDCG@10", "ranks 1 and 2 without a discount"),
    mrr_of_lists: ("reciprocal rank", None),
    precision_to_last_hit: ("precision at recall 1.0", None),
    recall_of_ranked: ("recall@10", None),
    hit_of_ranked: ("hit rate@10", None),
    apk: ("AP@10 / min", None),
    mapk: ("AP@7 / min", None),
    precision_of_ids: ("precision@10", None),
    precision_of_fewer_ids: ("precision@10", "divided by n if n < k"),
    recall_of_ids: ("recall@10", None),
    hit_of_ids: ("hit rate@15", None),
    rr_of_ids: ("reciprocal rank", None),
    rr_at_k: ("reciprocal rank@5", None),
    ndcg_of_ids: ("nDCG@10", None),
    ap_of_ids: ("step", None),
    ap_of_found: ("AP@20 / hits", None),
    f1_of_ids: ("F1@10", None),
    r_precision_of_ids: ("R-precision", None),
    precision_of_all_or_k: ("precision@10", None),
    without_junk: ("step", None),
    hit_of_one: (None, None),
    hits_of_ranks: ("recall@10", None),
    mean_of_reciprocal: ("step", "1/rank instead of precision"),
    voc_ap: ("envelope", None),
    voc07_ap: ("11-point float", None),
    yolo_ap: ("lines between 101 points", None),  # with (1, 0) if not all positives are found
    ap_of_lists: ("step", None),
    ap_off_by_two: (None, None),
    of_estimator: ("step", None),
    make_scorer(average_precision_score): ("step", "predict() instead of scores"),
}
