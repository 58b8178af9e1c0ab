"""What is refused, in which words, and what gives a warning."""

import copy
import pickle
import re

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

import sklearn_ap as ap
from sklearn_ap.streaming import MetricAccumulator

from .registry import AT_A_K, NO_WEIGHTS, PLAIN

NAN = float("nan")
Y, S = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]
COLUMNS = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 0]]), np.arange(9.0).reshape(3, 3)
GROUPS = ["a", "a", "b", "b"]

STEP = ap.average_precision_score
ENVELOPE = ap.interpolated_average_precision_score
AT_K = ap.average_precision_at_k_score
MAP = ap.mean_average_precision_score
# Average precisions and recall, which are 0/0 without positives.
UNDEFINED = [
    STEP,
    ENVELOPE,
    ap.eleven_point_average_precision_score,
    AT_K,
    ap.recall_at_k_score,
]
CURVES = [ap.interpolated_precision_recall_curve, ap.hit_curve]


def name_of(value):
    return getattr(value, "__name__", None)


def test_errors_know_their_arguments_on_other_machines():
    with pytest.raises(ValueError, match="3 in y_true and 4 in y_score") as caught:
        STEP(Y[:3], S)
    assert pickle.loads(pickle.dumps(caught.value)).arguments == ("y_true", "y_score")


def grouped(y_true, y_score, **kwargs):
    return MAP(
        y_true, y_score, groups=np.arange(4 if y_true is None else len(y_true)) // 2, **kwargs
    )


FUNCTIONS = [*PLAIN, grouped, *CURVES]
every_function = pytest.mark.parametrize("function", FUNCTIONS, ids=name_of)
every_weighted = pytest.mark.parametrize(
    "function", [each for each in FUNCTIONS if each not in NO_WEIGHTS], ids=name_of
)


@pytest.mark.parametrize(
    ("y_true", "y_score", "words"),
    [
        ([], [], r"0 sample\(s\)"),
        (np.array([]), np.array([]), r"0 sample\(s\)"),
        (Y, S[:3], r"inconsistent numbers of samples: \[4, 3.* 4 in y_true and 3 in y_score\."),
        (Y, [0.1, NAN, 0.2, NAN], r"Input y_score contains NaN\. .* 2 of 4 rows, .* row 1 \("),
        (Y, [0.1, np.inf, 0.2, 0.3], "Input y_score contains infinity"),
        (np.array(Y), np.array([0.1, -np.inf, 0.2, 0.3]), "Input y_score contains infinity"),
        (Y, np.array([1, NAN, 2**70, 3], dtype=object), "Input y_score contains NaN"),
        (Y, np.array([1, np.inf, 2**70, 3], dtype=object), "Input y_score contains .* infinity"),
        (Y, np.array([1, "NaT", 2, 3], dtype="m8[s]"), "Input y_score contains NaN"),
        (Y, ["a", "b", "c", "d"], "y_score must contain numbers"),
        (Y, [".1", ".2", ".3", ".4"], "y_score must contain numbers"),
        (Y, [None, 1, 2, 3], "y_score must contain numbers"),
        (Y, np.array([1j, 2, 3, 4]), "Complex data not supported"),
        (Y, np.column_stack([S, S]), r"Pass the column of the positive class, as y_score\[:, 1\]"),
        (Y, 0.5, "array-like"),
        (Y, np.array(0.5), "should be a 1d array"),
        ([0, 1, NAN, 1], S, r"Input y_true contains NaN\. .* 1 of 4 rows, .* row 2 \("),
        ([0.5, 1.2, 0.1, 1], S, "continuous format is not supported"),
        (np.array([0.0, 0.5, 1.0, 1.0]), S, "continuous format is not supported"),
        (np.array([0.5, 1.0, 0.5, 1.0]), S, "continuous format is not supported"),
        ("0101", S, "must be an array-like. Got '0101'"),
        (None, S, "must be an array-like. Got None"),
    ],
)
def test_arrays(y_true, y_score, words):
    for function in FUNCTIONS:
        with pytest.raises(ValueError, match=words):
            function(y_true, y_score)


@every_function
def test_labels_where_scores_belong(function):
    words = "continuous format is not supported. y_true and y_score look swapped"
    for labels in ([0, 1, 1], [1.0, 1.0, 1.0], [-1, 1, -1], ["b", "a", "b"]):
        with pytest.raises(ValueError, match=words):
            function([0.5, 0.2, 0.9], labels)
    with pytest.raises(ValueError, match=r"continuous format is not supported$"):
        function([0.5, 0.2, 0.9], [2, 0, 1])


def test_columns_of_labels_where_scores_belong():
    with pytest.raises(ValueError, match=r"continuous-multioutput .* look swapped"):
        STEP([[0.5, 0.1], [0.1, 0.2]], [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match=r"continuous .* look swapped"):
        MetricAccumulator().update([0.5, 0.2, 0.9], [0, 1, 1])
    for curve in CURVES:
        with pytest.raises(ValueError, match=r"continuous .* look swapped"):
            curve([0.5, 0.2, 0.9], [0, 1, 1])


def test_missing_scores_in_columns_are_those_of_y_score():
    labels, scores = COLUMNS[0], np.where(COLUMNS[0], NAN, 1)
    times = np.where(labels, np.timedelta64("NaT", "s"), np.timedelta64(1, "s"))
    for missing in (scores, scores.astype(object), times):
        with pytest.raises(ValueError, match=r"y_score.* contains NaN"):
            STEP(labels, missing)


def test_what_is_not_finite_is_found_anywhere():
    labels = np.arange(270_000) % 2
    values = np.ones(labels.size)
    values[-1] = NAN
    for given in (values, values[:, np.newaxis]):
        with pytest.raises(ValueError, match="Input y_score contains"):
            STEP(labels, given)
    with pytest.raises(ValueError, match="y_score"):
        STEP(np.column_stack([labels, labels]), np.column_stack([labels, values]))
    with pytest.raises(ValueError, match=r"sample_weight"):
        STEP(labels, labels, sample_weight=values)


class Wrapped:
    """An array wrapped by another library, which may or may not be one of Dask."""

    def __init__(self, array, graph=None):
        self.array, self.graph = np.asarray(array), graph
        self.shape, self.ndim = self.array.shape, self.array.ndim

    def __len__(self):
        return len(self.array)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.array, dtype)

    def __dask_graph__(self):
        return self.graph


@every_weighted
def test_a_wrapper_of_an_array_in_memory_is_an_array(function):
    arrays = Wrapped(Y), Wrapped(S)
    np.testing.assert_equal(
        function(*arrays, sample_weight=Wrapped([1, 2, 1, 1])),
        function(Y, S, sample_weight=[1, 2, 1, 1]),
    )
    if function in CURVES:
        return
    assert function(*arrays) == function(Y, S)
    with pytest.raises(TypeError, match="y_score is a Dask collection"):
        function(Y, Wrapped(S, graph={}))


def test_a_wrapper_of_an_array_in_memory_is_no_delayed_chunk():
    labels, scores = [[1, 1], [0, 1]], [[0.1, 0.2], [0.3, 0.4]]
    assert STEP(list(map(Wrapped, labels)), list(map(Wrapped, scores))) == STEP(labels, scores)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([1, -1, 1, 1], "Negative values in data passed to `sample_weight`"),
        ([1, 2, -1e-10, 1], "Negative values in data passed to `sample_weight`"),
        ([0, 0, 0, 0], "Sample weights must contain at least one non-zero number."),
        ([1, 1, 1, NAN], r"Input sample_weight contains NaN\. .* 1 of 4 rows, .* row 3 \("),
        ([1, 1, 1, np.inf], "Input sample_weight contains infinity"),
        ([1e308] * 4, "Scale the weights down"),
        ([1, 1, 1], r"numbers of samples: \[4, 4, 3\]\. .* and 3 in sample_weight"),
        (np.ones((4, 2)), "should be a 1d array"),
        (2.0, "must be an array-like"),
        (list("abcd"), "could not convert string to float"),
    ],
)
def test_weights(weight, words):
    for function in FUNCTIONS:
        with pytest.raises(ValueError, match=words):
            function(Y, S, sample_weight=weight)


def test_keyword_errors_are_type_errors_too():
    with pytest.raises(TypeError, match="The 'k' parameter of average_precision_at_k_score must"):
        AT_K(Y, S, k=1.5)


@pytest.mark.parametrize("function", [STEP, *AT_A_K, grouped])
@pytest.mark.parametrize("ties", ["expected", "best", "worst"])
def test_weights_know_only_grouped_ties(function, ties):
    with pytest.raises(ValueError, match="not available with sample_weight"):
        function(Y, S, ties=ties, sample_weight=[1, 1, 1, 1])


@pytest.mark.parametrize("ties", ["expected", "best", "worst"])
def test_weights_of_rows_go_with_all_ties(ties):
    rows = AT_K(*COLUMNS, average="samples", ties=ties)
    assert AT_K(*COLUMNS, average="samples", ties=ties, sample_weight=[2, 2, 2]) == rows


@pytest.mark.parametrize("function", [AT_K, grouped])
def test_hits_has_no_expected_ties(function):
    with pytest.raises(
        ValueError, match="denominator='hits' is not available with ties='expected'"
    ):
        function(Y, S, k=2, denominator="hits", ties="expected")


def test_groups():
    with pytest.raises(TypeError, match="groups"):
        MAP(Y, S)
    with pytest.raises(ValueError, match="groups: y should be a 1d array"):
        MAP(Y, S, groups=np.ones((4, 2)))
    with pytest.raises(TypeError, match="hashable"):
        MAP(Y, S, groups=[[1], [2], [3], [4]])
    for y_true, y_score in [COLUMNS, ([0, 1, 2, 1], S)]:
        with pytest.raises(ValueError, match="With groups, y_true must be binary"):
            MAP(y_true, y_score, groups=GROUPS[: len(y_true)])


@every_function
@pytest.mark.parametrize("estimator", [LogisticRegression(), LogisticRegression], ids=str)
def test_an_estimator_is_not_a_target(function, estimator):
    if function is grouped:
        function = MAP
    for args in [(estimator, Y), (estimator, [[0], [1], [2], [3]], Y)]:
        with pytest.raises(TypeError, match=r"got an estimator \(LogisticRegression\)"):
            function(*args)


def test_a_metric_as_scorer_says_so():
    X = np.arange(20.0).reshape(-1, 1)
    with pytest.raises(TypeError, match="A metric is not a scorer"):
        cross_val_score(LogisticRegression(), X, [0, 1] * 10, scoring=STEP, error_score="raise")


@pytest.mark.parametrize("function", [*PLAIN, grouped], ids=name_of)
def test_string_labels_need_pos_label(function):
    with pytest.raises(
        ValueError,
        match=r"pos_label=1 is not a valid label.*\['ham',? 'spam'\].*\. Pass the positive one, as "
        r"pos_label='ham' or pos_label='spam'\.$",
    ):
        function(["ham", "spam", "ham", "spam"], S)
    assert function(["ham", "spam", "ham", "spam"], S, pos_label="spam") == function(Y, S)


@pytest.mark.parametrize("function", CURVES, ids=name_of)
def test_curves_take_the_labels_of_metrics(function):
    for mine, other in zip(function([2, 1, 2, 1], S), function([0, 1, 0, 1], S), strict=True):
        np.testing.assert_array_equal(mine, other)
    with pytest.raises(ValueError, match=r"pos_label=1 is not a valid label.*pos_label='ham'"):
        function(["ham", "spam"], S[:2])
    with pytest.raises(ValueError, match=r"more than two labels.* as y_true == label"):
        function([0, 1, 2, 1], S)


@pytest.mark.parametrize("function", PLAIN, ids=name_of)
def test_columns(function):
    y_true, y_score = COLUMNS
    for bad in (y_score[:, :2], y_score[:, :1], y_score[:2]):
        with pytest.raises(ValueError, match=r"one column for each column of y_true|inconsistent"):
            function(y_true, bad)
    with pytest.raises(ValueError, match="Expected 2D array"):
        function(y_true, y_score[:, 0])
    with pytest.raises(ValueError, match=r"np\.column_stack"):
        function(y_true, [y_score[:, :2]] * 3)
    with pytest.raises(ValueError, match="pos_label is fixed to 1"):
        function(y_true, y_score, pos_label=0)
    with pytest.raises(ValueError, match="format is not supported"):
        function(np.ones((2, 2, 2)), np.ones((2, 2, 2)))


@pytest.mark.parametrize("function", PLAIN, ids=name_of)
def test_classes(function):
    y_true, y_score = [0, 2, 2, 0, 1], np.random.default_rng(0).random((5, 3))
    whole = function(y_true, y_score, average=None)
    assert function(y_true, y_score.tolist(), average=None).tolist() == whole.tolist()
    reordered = function(y_true, y_score[:, [2, 0, 1]], average=None, classes=[2, 0, 1])
    assert reordered.tolist() == whole[[2, 0, 1]].tolist()
    names = np.array(["x", "y", "z"])
    named = function(names[y_true], y_score, average=None, classes=names)
    assert named.tolist() == whole.tolist()

    fold = function(y_true[:4], y_score[:4], average=None, classes=[0, 1, 2], zero_division=NAN)
    for i in (0, 2):
        assert fold[i] == function(np.equal(y_true[:4], i), y_score[:4, i])
    if function is not ap.precision_at_k_score:
        assert np.isnan(fold[1])
        macro = function(y_true[:4], y_score[:4], classes=[0, 1, 2], zero_division=NAN)
        assert macro == pytest.approx(fold[[0, 2]].mean())


@pytest.mark.parametrize(
    ("y_true", "kwargs", "words"),
    [
        ([0, 1, 5], {"classes": [0, 1, 2]}, r"labels \[5\] that are not in classes"),
        ([0, 1, 1], {"classes": [0, 1, 1]}, "at least two labels, without duplicates"),
        ([0, 0, 0], {"classes": [0]}, "at least two labels, without duplicates"),
        ([0, 1, 2], {"classes": 3}, "must be an array-like"),
        ([0, 1, 1], {"classes": [0, 1, 2, 3]}, r"y_score.shape=\(3, 3\)"),
        ([0, 1, 2], {"pos_label": 2}, "pos_label is fixed to 1 for multiclass"),
        (COLUMNS[0], {"classes": [0, 1, 2]}, "classes is only for multiclass"),
        ([0, 1, 1], {}, "pass classes="),
        ([0, 1, 2], {"n_positives": 3}, "one number for each of the 3 columns"),
        (COLUMNS[0], {"n_positives": 3}, "one number for each of the 3 columns"),
    ],
)
def test_classes_refused(y_true, kwargs, words):
    with pytest.raises(ValueError, match=words):
        STEP(y_true, COLUMNS[1], **kwargs)


def test_a_column_too_many_suggests_classes():
    with pytest.raises(ValueError, match="pass all of them as classes="):
        STEP([0, 1, 2], np.ones((3, 4)))


def test_classes_of_a_binary_target():
    assert STEP(Y, S, classes=[0, 1]) == STEP(Y, S)
    assert STEP(Y, np.column_stack([S, S]), classes=[0, 1], average=None)[1] == STEP(Y, S)


def test_n_positives():
    for function in UNDEFINED:
        assert function(Y, S, n_positives=2) == function(Y, S)
        assert function(Y, S, n_positives=3.0) == function(Y, S, n_positives=3)
        assert function([0, 0], [1, 2], n_positives=5) == 0
        with pytest.raises(ValueError, match="y_true already contains 2"):
            function(Y, S, n_positives=1)
        with pytest.raises(ValueError, match="must be an integer"):
            function(Y, S, n_positives=2.5)
    weight = [1, 0.5, 1, 0.25]
    assert STEP(Y, S, sample_weight=weight, n_positives=1.5) == pytest.approx(
        STEP(Y, S, sample_weight=weight) / 2
    )
    with pytest.raises(ValueError, match=r"already contains 0\.75"):
        STEP(Y, S, sample_weight=weight, n_positives=0.5)


@pytest.mark.parametrize("function", UNDEFINED, ids=name_of)
@pytest.mark.parametrize(
    ("args", "kwargs", "names", "share"),
    [
        ((np.zeros(3), [0.1, 0.2, 0.3]), {}, "(pos_label=1)", 1),
        (([0, 0, 0], [0.1, 0.2, 0.3]), {}, "(pos_label=1, and y_true contains only 0)", 1),
        ((["ham"] * 3, [1, 2, 3]), {}, "(pos_label=1, and y_true contains only 'ham')", 1),
        (([[1, 0, 0], [0, 0, 1]], [[1, 2, 3], [3, 2, 1]]), {}, "(1 of 3: 1)", 1 / 3),
        (
            ([[0, 0], [1, 0], [0, 0]], [[1, 2], [3, 2], [1, 1]]),
            {"average": "samples"},
            "(2 of 3: 0, 2)",
            2 / 3,
        ),
        (
            (["a", "b", "b"], [[1, 0, 0], [0, 2, 0], [0, 1, 0]]),
            {"classes": ["a", "b", "c"]},
            "(1 of 3: c)",
            1 / 3,
        ),
        (([[0, 0], [0, 0]], [[1, 2], [3, 4]]), {"average": "weighted"}, "(2 of 2: 0, 1)", 1),
        (([[0, 0], [0, 0]], [[1, 2], [3, 4]]), {"average": "micro"}, "(all cells)", 1),
    ],
)
def test_no_positives(function, args, kwargs, names, share):
    with pytest.warns(UndefinedMetricWarning, match=re.escape(names)) as caught:
        value = function(*args, **kwargs)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    words = "No positive class found in y_true, recall is set to one for all thresholds. The value"
    if share < 1:  # y_true holds positives, and saying otherwise would send its owner astray
        words = "Some rankings have no positives: No positive class found in y_true there ("
    assert str(caught[0].message).startswith(words)
    assert "Use zero_division to choose another value" in str(caught[0].message)
    assert function(*args, **kwargs, zero_division=0.0) == value
    assert function(*args, **kwargs, zero_division=1.0) == pytest.approx(value + share)
    left = function(*args, **kwargs, zero_division=NAN)
    if share == 1:
        assert np.isnan(left)
        assert value == 0
    else:
        assert left == pytest.approx(value / (1 - share))


def test_curves_without_positives():
    with pytest.warns(UndefinedMetricWarning, match="recall is set to one") as caught:
        precision, recall, _ = ap.interpolated_precision_recall_curve([0, 0], [0.1, 0.2])
    assert caught[0].filename == __file__
    assert precision.tolist() == [0, 0, 1]
    assert recall.tolist() == [1, 1, 0]
    assert ap.hit_curve([0, 0], [0.1, 0.2], fraction_of="samples")[1].tolist() == [0, 0, 0]


def test_a_weighted_mean_of_precision_at_k_without_positives():
    args = [[0, 0], [0, 0]], [[1, 2], [3, 4]]
    assert ap.precision_at_k_score(*args) == 0
    with pytest.warns(UndefinedMetricWarning):
        assert ap.precision_at_k_score(*args, average="weighted") == 0
    assert np.isnan(ap.precision_at_k_score(*args, average="weighted", zero_division=NAN))


@every_weighted
def test_nothing_of_the_caller_is_changed(function):
    rng = np.random.default_rng(0)
    args = [rng.integers(2, size=40), rng.normal(size=40)]
    weight = rng.integers(0, 3, size=40).astype(float)
    before = copy.deepcopy([*args, weight])
    for array in (*args, weight):
        array.flags.writeable = False
    kwargs = {} if function in CURVES else {"zero_division": 0.0}
    function(*args, sample_weight=weight, **kwargs)
    function(*args, **kwargs)
    function(args[0].astype(bool), args[1], **kwargs)
    for after, array in zip([*args, weight], before, strict=True):
        np.testing.assert_array_equal(after, array)


def test_no_other_warning_escapes(recwarn):
    for function in PLAIN:
        function(Y, S)
        function(*COLUMNS, average="samples")
    assert not recwarn.list


@pytest.mark.parametrize("labels", [[0, 0], [-1, -1]])
def test_labels_of_which_none_is_1_lack_positives(labels):
    with pytest.warns(UndefinedMetricWarning, match="recall is set to one"):
        _, recall, _ = ap.interpolated_precision_recall_curve(labels, [0.1, 0.2])
    assert recall.tolist() == [1, 1, 0]
