"""Without positives, values are 0/0: `zero_division` says what they are, and a warning where."""

import re

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap

from .examples import AP, NAN, P
from .registry import GRADED, METRICS, needed_by_name

ALL = {row.name: row for row in METRICS.values()} | GRADED

AT_K = ap.average_precision_at_k_score


# Average precisions and recall, which are 0/0 without positives.
UNDEFINED = [AP, ap.interpolated_average_precision_score, ap.eleven_point_average_precision_score]


UNDEFINED += [AT_K, ap.recall_at_k_score]


def name_of(value):
    return getattr(value, "__name__", None)


@pytest.mark.parametrize("function", UNDEFINED, ids=name_of)
@pytest.mark.parametrize(
    ("args", "kwargs", "names", "share"),
    [
        ((np.zeros(3), [1, 2, 3]), {}, "(pos_label=1, and y_true contains only 0.0)", 1),
        (([0, 0, 0], [1, 2, 3]), {}, "(pos_label=1, and y_true contains only 0)", 1),
        (([[1, 0, 0], [0, 0, 1]], [[1, 2, 3], [3, 2, 1]]), {}, " for 1 of 3 columns (1)", 1 / 3),
        (([[0, 0], [1, 0], [0, 0]], [[1, 2], [3, 2], [1, 1]]), {"average": "samples"},
         " for 2 of 3 rows (0, 2)", 2 / 3),
        ((["a", "b", "b"], [[1, 0, 0], [0, 2, 0], [0, 1, 0]]), {"classes": ["a", "b", "c"]},
         " for 1 of 3 classes (c)", 1 / 3),
        (([[0, 0], [0, 0]], [[1, 2], [3, 4]]), {"average": "weighted"},
         " for 2 of 2 columns (0, 1)", 1),
        (([[0, 0], [0, 0]], [[1, 2], [3, 4]]), {"average": "micro"}, "(all cells)", 1),
    ],
)  # fmt: skip
def test_no_positives(function, args, kwargs, names, share):
    if function is ap.average_precision_score and kwargs.get("average") == "weighted":
        assert function(*args, **kwargs) == 0  # without a warning, as in scikit-learn
        return
    with pytest.warns(UndefinedMetricWarning, match=re.escape(names)) as caught:
        value = function(*args, **kwargs)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = str(caught[0].message)
    found, where = "No positive class found in y_true", names if " for" in names else " ("
    if function is ap.average_precision_score:  # which begins as scikit-learn's warning does
        value_is = "values" + where if " for 2" in names else "value" + where
        assert message.startswith(
            f"{found}, recall is set to one for all thresholds. The {value_is}"
        )
        assert ") are undef" in message if " for 2" in names else ") is undef" in message
    else:
        are = "their values are" if " for 2" in names else "the value is"
        assert message.startswith(f"{found}{where}")
        assert f"), so {are} undefined (0/0) and set to 0.0. Use" in message
    assert "Use zero_division to choose another value" in str(caught[0].message)
    assert function(*args, **kwargs, zero_division=0.0) == value
    assert function(*args, **kwargs, zero_division=1.0) == pytest.approx(value + share)
    left = function(*args, **kwargs, zero_division=NAN)
    if share == 1:
        assert np.isnan(left)
        assert value == 0
    else:
        assert left == pytest.approx(value / (1 - share))


@pytest.mark.parametrize("name", [name for name in ALL if name != "precision-at-k"])
def test_rows_without_positives_are_named_by_their_places_from_0(name):
    """Except by precision at k, whose value is 0 then."""
    definition = ALL[name]
    options = needed_by_name(definition.metric, definition) | definition.options
    metric = ap.metric(definition.metric, **options)
    with pytest.warns(UndefinedMetricWarning, match=r" for 1 of 3 rows \(1\)"):
        metric([[1, 0], [0, 0], [0, 1]], [[1, 2], [3, 4], [5, 6]], average="samples")


@pytest.mark.parametrize("labels", [[0, 0], [-1, -1]])
def test_curves_without_positives(labels):
    words = "No positive class found in y_true{}, recall is set to one for all thresholds."
    with pytest.warns(UndefinedMetricWarning, match=f"^{words.format('')}$") as caught:
        precision, recall, _ = ap.interpolated_precision_recall_curve(labels, [0.1, 0.2])
    assert caught[0].filename == __file__
    exist = {"groups": [*"aabb"], "n_positives": {"a": 0, "b": 2}}
    models = {"one": [4, 3, 2, 1], "other": [1, 2, 3, 4]}
    with pytest.warns(UndefinedMetricWarning) as caught:
        ap.hit_curve(labels * 2, models, **exist)
    assert [str(each.message) for each in caught] == [words.format(" for 1 of 2 groups (a)")]
    assert precision.tolist() == [0, 0, 1]
    assert recall.tolist() == [1, 1, 0]
    assert ap.hit_curve(labels, [0.1, 0.2], fraction_of="samples")[1].tolist() == [0, 0, 0]


def test_a_weighted_mean_of_precision_at_k_without_positives():
    args = [[0, 0], [0, 0]], [[1, 2], [3, 4]]
    assert P(*args) == 0
    with pytest.warns(UndefinedMetricWarning):
        assert P(*args, average="weighted") == 0
    assert np.isnan(P(*args, average="weighted", zero_division=NAN))
