"""Values that are hidden by a mask are refused, whichever argument contains them."""

from functools import partial

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import boosting, compat, inference
from sklearn_ap.core.rules import Step
from sklearn_ap.streaming import MetricAccumulator

from .registry import METRICS, required
from .test_passes import Lists, evaluate

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
    return np.ma.array(values, mask=np.isin(np.arange(len(values)), places))


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (function, name)
        for function in GROUPED + UNGROUPED
        for name in COLUMN
        if name != "groups" or function in GROUPED
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_hidden_values_are_refused(function, name):
    needed = {"groups": COLUMN["groups"]} if function is ap.mean_average_precision_score else {}
    given = {"y_true": Y, "y_score": S, **needed, name: hide(COLUMN[name], 1, 4)}
    match = rf"^{name}\w* is a masked array, and its mask hides 2 of 5 values"
    with pytest.raises(ValueError, match=match):
        function(given.pop("y_true"), given.pop("y_score"), **given)


@pytest.mark.parametrize("name", COLUMN)
def test_a_mask_that_hides_nothing_changes_nothing(name):
    for nothing in (np.ma.array(COLUMN[name]), hide(COLUMN[name])):
        found = ap.average_precision_score(**COLUMN | {name: nothing})
        assert found == ap.average_precision_score(**COLUMN)


@pytest.mark.parametrize("name", COLUMN)
def test_chunks(name):
    """As Dask passes them on."""
    chunk = list((COLUMN | {name: hide(COLUMN[name], 3)}).values())
    with pytest.raises(ValueError, match=f"{name} is a masked array"):
        evaluate(Lists([chunk], COLUMN), Step("grouped"), average=None)
