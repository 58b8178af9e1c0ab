"""Values that are hidden by a mask are refused, whichever argument contains them."""

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score as sklearn_average_precision

import sklearn_ap as ap
from sklearn_ap import _passes as passes
from sklearn_ap import boosting, compat, inference
from sklearn_ap.core.rules import Step
from sklearn_ap.streaming import MetricAccumulator, score_chunks

from .registry import METRICS, required
from .test_passes import GIVEN, Lists

Y, S = np.array([0, 1, 0, 1, 1]), np.array([0.9, 0.8, 0.7, 0.6, 0.5])
COLUMN = {
    "y_true": Y,
    "y_score": S,
    "sample_weight": np.array([1.0, 2.0, 3.0, 1.0, 2.0]),
    "groups": np.array(["a", "b", "b", "a", "b"]),
}
GROUPED = [
    *(partial(getattr(ap, row.score), **required(row)) for row in METRICS.values()),
    ap.mean_average_precision_score,
    compat.explain,
    lambda *given, **more: compat.identify(0.5, *given, **more),
    inference.confidence_interval,
    inference.influence,
    lambda y_true, y_score, **more: inference.compare(y_true, S, y_score, **more),
]
UNGROUPED = [
    ap.hit_curve,
    ap.interpolated_precision_recall_curve,
    ap.AveragePrecisionDisplay.from_predictions,
    ap.HitCurveDisplay.from_predictions,
    compat.sklearn_average_precision_score,
    compat.trapezoidal_average_precision_score,
    boosting.xgboost_metric(),
    MetricAccumulator().update,
]


def hide(values, *places):
    mask = np.zeros(np.shape(values), dtype=bool)
    mask[[*places]] = True
    return np.ma.array(values, mask=mask)


def given_to(function):
    names = COLUMN if function in GROUPED else [name for name in COLUMN if name != "groups"]
    required = {"groups": COLUMN["groups"]} if function is ap.mean_average_precision_score else {}
    return names, {"y_true": Y, "y_score": S} | required


def call(function, y_true, y_score, **more):
    return function(y_true, y_score, **more)


each_place = pytest.mark.parametrize(
    ("function", "name"),
    [(function, name) for function in GROUPED + UNGROUPED for name in given_to(function)[0]],
    ids=lambda value: getattr(value, "__name__", value),
)


@each_place
def test_hidden_values_are_refused(function, name):
    _, given = given_to(function)
    match = rf"^{name}\w* is a masked array, and its mask hides 2 of 5 values"
    with pytest.raises(ValueError, match=match):
        call(function, **given | {name: hide(COLUMN[name], 1, 4)})


@pytest.mark.parametrize("name", COLUMN)
def test_a_mask_that_hides_nothing_changes_nothing(name):
    plain = {"groups": COLUMN["groups"], **COLUMN}
    for nothing in (np.ma.array(COLUMN[name]), hide(COLUMN[name])):
        found = call(ap.average_precision_score, **plain | {name: nothing})
        assert found == call(ap.average_precision_score, **plain)


def test_the_advice_gives_the_number_of_what_is_left():
    scores = hide(S, 0)
    shown = ~np.ma.getmaskarray(scores)
    found = ap.average_precision_score(Y[shown], scores[shown])
    assert found == pytest.approx(sklearn_average_precision(Y[1:], S[1:]), abs=1e-12)
    assert ap.average_precision_score(Y, scores.filled(0.0)) == pytest.approx(
        sklearn_average_precision(Y, [0, *S[1:]]), abs=1e-12
    )


@pytest.mark.parametrize(
    "labels", [Y == 1, np.where(Y, "yes", "no"), np.where(Y, "yes", "no").astype(object)]
)
def test_labels_of_any_type(labels):
    pos_label = "yes" if "yes" in labels.tolist() else True
    with pytest.raises(ValueError, match=r"y_true is a masked array.* hides 1 of 5"):
        ap.average_precision_score(hide(labels, 0), S, pos_label=pos_label)


def test_masks_in_lists():
    """Rows that are masked, and masked values inside lists."""
    columns, scores = np.eye(3, dtype=int), np.arange(9.0).reshape(3, 3)
    with pytest.raises(ValueError, match="y_score is a masked array"):
        ap.average_precision_score(columns, [*scores[:2], hide(scores[2], 0)])
    with pytest.raises(ValueError, match="y_true is a masked array"):
        ap.average_precision_score([*columns[:2], hide(columns[2], 0)], scores)
    for label in ("a", "b", "c"):
        for labels in (["a", np.ma.masked, label], ("a", label, np.ma.masked)):
            with pytest.raises(ValueError, match=r"y_true contains numpy\.ma\.masked"):
                ap.average_precision_score(labels, [1, 2, 3], pos_label="a")
            with pytest.raises((TypeError, ValueError)):
                ap.average_precision_score([0, 1, 1], [1, 2, 3], groups=labels)


def test_what_goes_with_columns_and_units():
    classes = hide([0, 1, 2], 1)
    scores = np.arange(15.0).reshape(5, 3)
    with pytest.raises(ValueError, match="classes is a masked array"):
        ap.average_precision_score(Y, scores, classes=classes)
    columns = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 0]])
    with pytest.raises(ValueError, match="n_positives is a masked array"):
        ap.average_precision_score(columns, scores[:3], n_positives=hide([5, 6, 7], 0))
    with pytest.raises(ValueError, match="clusters is a masked array"):
        inference.confidence_interval(Y, S, clusters=hide(np.arange(5), 0))


@pytest.mark.parametrize("name", COLUMN)
def test_chunks(name):
    """As Dask passes them on."""
    chunk = list((COLUMN | {name: hide(COLUMN[name], 3)}).values())
    with pytest.raises(ValueError, match=f"{name} is a masked array"):
        passes.score(Lists([chunk], COLUMN), Step("grouped"), **GIVEN, average=None)


def test_chunks_of_a_stream_and_of_boosting():
    with pytest.raises(ValueError, match="y_score is a masked array"):
        score_chunks([lambda: (Y, hide(S, 2))])
    with pytest.raises(ValueError, match="y_true is a masked array"):
        boosting.lightgbm_metric()(hide(Y, 2), S)


def test_scorers():
    model = LogisticRegression().fit(S[:, np.newaxis], Y)
    for scorer in (ap.make_ap_scorer(), ap.get_scorer("precision_at_2")):
        with pytest.raises(ValueError, match="y_true is a masked array"):
            scorer(model, S[:, np.newaxis], hide(Y, 2))
        with pytest.raises(ValueError, match="sample_weight is a masked array"):
            scorer(model, S[:, np.newaxis], Y, sample_weight=hide(np.ones(5), 2))
