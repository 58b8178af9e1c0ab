"""Without positives a value is 0/0: `zero_division` says what it is, and a warning says where."""

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap

AP, MAP = ap.average_precision_score, ap.mean_average_precision_score
AT_K, NDCG = ap.average_precision_at_k_score, ap.ndcg_score
RECALL, ENVELOPE = ap.recall_at_k_score, ap.interpolated_average_precision_score
COLUMNS = [[1, 0, 0], [0, 0, 1]], [[1, 2, 3], [3, 2, 1]]
ROWS = [[0, 0], [1, 0], [0, 0]], [[1, 2], [3, 2], [1, 1]]
CLASSES = ["a", "b", "b"], [[1, 0, 0], [0, 2, 0], [0, 1, 0]]
NONE = [[0, 0], [0, 0]], [[1, 2], [3, 4]]


@pytest.mark.parametrize("function", [AP, AT_K, RECALL, ENVELOPE])
@pytest.mark.parametrize(
    ("args", "given", "where", "share"),
    [
        (([0, 0, 0], [1, 2, 3]), {}, "", 1),
        (COLUMNS, {}, r" for 1 of 3 classes \(1\)", 1 / 3),
        (ROWS, {"average": "samples"}, r" for 2 of 3 rows \(0, 2\)", 2 / 3),
        (CLASSES, {"classes": ["a", "b", "c"]}, r" for 1 of 3 classes \(c\)", 1 / 3),
        (NONE, {"average": "micro"}, "", 1),
        (([0, 1, 0], [1, 2, 3]), {"groups": ["x", "x", "y"]}, r" for 1 of 2 groups \(y\)", 1 / 2),
        ((np.zeros(5), range(5)), {"groups": range(5)}, r"5 of 5 groups \(0, 1, 2, 3, 4\)", 1),
        ((np.zeros(9), range(9)), {"groups": range(9)}, r"9 groups \(0, 1, 2, 3, 4, ...\)", 1),
    ],
)  # fmt: skip
def test_no_positives(function, args, given, where, share):
    words = f"No positive class.*{where}.* set to 0.0.*: np.nan leaves"
    with pytest.warns(UndefinedMetricWarning, match=words) as caught:
        value = function(*args, **given)
    assert "set to one" not in str(caught[0].message)  # beside "set to 0.0"
    assert function(*args, **given, zero_division=0) == value
    assert function(*args, **given, zero_division=1) == pytest.approx(value + share)
    left = function(*args, **given, zero_division=np.nan)
    assert np.isnan(left) if share == 1 else left == pytest.approx(value / (1 - share))


@pytest.mark.parametrize("where", [{"groups": [1, 2, 2]}, {}])
def test_a_weighted_mean_without_positives(where):
    labels, scores = ([0, 0, 0], [3, 2, 1]) if where else NONE
    with pytest.warns(UndefinedMetricWarning):
        assert AP(labels, scores, average="weighted", **where) == 0
    for value in (0, 1, np.nan):
        for metric in ("AP", "P@1"):  # Alone, a precision is 0 without positives.
            options = {"average": "weighted", "zero_division": value, **where}
            mean = ap.metric(metric)(labels, scores, **options)
            assert mean == pytest.approx(value, nan_ok=True)


def test_a_weighted_mean_without_values():
    """Groups without positives weigh nothing, also if they alone have a value."""
    reverse = ap.metric(lambda y, s: np.nan if y.any() else 1, name="reverse", average="weighted")
    assert np.isnan(reverse([1, 0], [1, 2], groups=[0, 1], zero_division=np.nan))


def test_the_warning_points_at_the_caller():
    with pytest.warns(UndefinedMetricWarning) as caught:
        AP([0, 0], [1, 2])
    assert caught[0].filename == __file__


def test_grades_of_0():
    with pytest.warns(UndefinedMetricWarning, match=r"1 of 2 groups \(b\)"):
        assert NDCG([1, 0, 0], [1, 2, 3], groups=["a", "b", "b"]) == 0.5


def test_a_function_of_groups_has_its_worst_value():
    def error(y_true, y_score):
        return abs(y_true - y_score).mean() if y_true.any() else np.nan

    data, groups = ([1, 0, 0], [1, 2, 3]), {"groups": [0, 0, 1]}
    unlimited = ap.metric(error, greater_is_better=False)
    with pytest.raises(ValueError, match=r"error has no finite value .* zero_division"):
        unlimited(*data, **groups)
    assert unlimited(*data, **groups, zero_division=0) == 0.5
    limited = ap.metric(error, greater_is_better=False, limits=(0, 9))
    with pytest.warns(UndefinedMetricWarning, match="set to 9.0"):
        assert limited(*data, **groups) == 5
    with pytest.warns(UndefinedMetricWarning, match="set to -1.0"):
        assert ap.metric(error, limits=(-1, 9))(*data, **groups) == 0


def test_groups_with_positives_that_were_never_retrieved():
    """Their value is 0, not 0/0."""
    exist = {"a": 1, "b": 3, "c": 0, "d": {}}
    given = {"groups": ["a", "a"], "n_positives": exist, "zero_division": np.nan}
    values = MAP([1, 0], [2, 1], average=None, **given)
    np.testing.assert_equal(values, [1, 0, np.nan, np.nan])
    assert MAP([1, 0], [2, 1], **given) == 0.5
    assert MAP([1, 0], [2, 1], average="weighted", **given) == 0.25
    assert MAP([], [], groups=[], n_positives={"a": 1}) == 0
