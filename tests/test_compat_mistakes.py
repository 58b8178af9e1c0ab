"""What programs compute instead of average precision gets its name in an audit."""

import numpy as np
import pytest
from sklearn.metrics import auc, average_precision_score, precision_recall_curve

import sklearn_ap as ap
from sklearn_ap.compat import audit


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


@pytest.mark.usefixtures("few_rankings")
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
