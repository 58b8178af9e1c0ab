"""Called with scikit-learn's own arguments, our function behaves like scikit-learn's."""

import re
import warnings

import numpy as np
import pytest
import sklearn
from sklearn import metrics

from sklearn_ap import average_precision_score, interpolated_precision_recall_curve
from sklearn_ap.compat import trapezoidal_average_precision_score

from .containers import CLASSES, NUMBERS, TWO, drawn, each_container

SKLEARN = tuple(map(int, sklearn.__version__.split(".")[:2]))
AVERAGES = ["macro", "micro", "weighted", "samples", None]
each_seeds = pytest.mark.parametrize(
    "seeds", [range(40), pytest.param(range(40, 500), marks=pytest.mark.slow)], ids=str
)
NO_POSITIVES = "No positive class found in y_true"

OWN_WARNINGS = "predicted classes", "so no sample is positive"


def outcome(function, *args, **kwargs):
    """Return the value with the texts of the warnings, or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function(*args, **kwargs)
        except Exception as error:
            return error, None
    texts = {str(w.message) for w in caught}
    texts = {text for text in texts if not any(own in text for own in OWN_WARNINGS)}
    # Ours goes on to say which of several rankings have none.
    return value, {NO_POSITIVES if NO_POSITIVES in text else text for text in texts}


def shared_words(message):
    """Return the words, without those that differ between versions, such as lists of options."""
    message = re.sub(r"\[.*?\]|\{.*?\}|an instance of '.*?'", "", message)
    return set(re.findall(r"\w{3,}", message))


def check_alike(*args, same_warnings=True, **kwargs):
    """Both give the same value and warnings, or both refuse the input with the same words."""
    theirs, their_warnings = outcome(metrics.average_precision_score, *args, **kwargs)
    ours, our_warnings = outcome(average_precision_score, *args, **kwargs)
    if isinstance(theirs, Exception):
        assert isinstance(ours, ValueError if isinstance(theirs, ValueError) else TypeError)
        if isinstance(theirs, ValueError):
            assert shared_words(str(theirs)) <= shared_words(str(ours))
        return
    if isinstance(ours, Exception):
        raise ours
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
    assert not same_warnings or our_warnings == their_warnings


def random_scores(rng, shape):
    dtype = rng.choice(["f", "few", "u1", "f2", "f4", "f8"])
    if dtype == "few":
        return rng.integers(0, rng.integers(1, 6), size=shape)
    if dtype == "u1":
        return rng.integers(0, 255, size=shape).astype(dtype)
    scores = rng.normal(size=shape)
    return scores if dtype == "f" else np.round(scores, rng.integers(0, 3)).astype(dtype)


def random_weight(rng, n):
    kind = rng.integers(4)
    if kind == 0:
        return None
    weight = rng.integers(0, 3, size=n) if kind == 1 else rng.random(n) * (rng.random(n) < 0.8)
    weight[rng.integers(n)] = 1
    return weight.astype(np.float32) if kind == 3 else weight


@each_seeds
def test_binary(seeds):
    for seed in range(4 * seeds.start, 4 * seeds.stop):
        rng = np.random.default_rng(seed)
        n = rng.integers(1, 40)
        labels = np.array([(0, 1), (-1, 1), (1, 2), (3, 7)][rng.integers(4)])
        y_true = labels[(rng.random(n) < rng.choice([0.0, 0.1, 0.5, 1.0])).astype(int)]
        y_true = y_true.astype(rng.choice([np.int8, np.int64, np.float64]))
        options = {"pos_label": labels[rng.integers(2)], "sample_weight": random_weight(rng, n)}
        check_alike(y_true, random_scores(rng, n), **options)


@pytest.mark.sweep(5)
@pytest.mark.parametrize("average", AVERAGES)
@each_seeds
def test_multilabel(seeds, average):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        shape = rng.integers(2, 12), rng.integers(2, 5)
        y_true = (rng.random(shape) < rng.choice([0.1, 0.5, 0.9])).astype(int)
        y_true.flat[:2] = 0, 1
        weight = random_weight(rng, shape[0])
        if average == "weighted" and weight is not None:
            weight = weight.astype(float)  # they would sum float32 weights in float32
        check_alike(
            y_true,
            random_scores(rng, shape),
            average=average,
            sample_weight=weight,
            # They warn of rows of weight 0, and not at all if no class has positives.
            same_warnings=(average == "samples" and (weight is None or np.all(weight)))
            or (average == "weighted" and np.any(y_true if weight is None else y_true[weight > 0]))
            or average in ("macro", "micro", None),
        )


@pytest.mark.sweep(5)
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("label", ["int", "str", "float"])
@each_seeds
def test_multiclass(seeds, average, label):
    for seed in seeds[::4]:
        rng = np.random.default_rng(seed)
        n_classes = rng.integers(3, 6)
        y_true = np.append(np.arange(n_classes), rng.integers(n_classes, size=rng.integers(0, 20)))
        y_true = {"int": 3 * y_true, "str": y_true.astype(str), "float": y_true - 1.0}[label]
        scores = random_scores(rng, (y_true.size, n_classes))
        weight = random_weight(rng, y_true.size)
        weight = None if weight is None else weight.astype(float)
        check_alike(y_true, scores, average=average, sample_weight=weight)


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble, object, bool])
def test_scores_of_any_type(dtype):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(2, size=50), np.round(rng.normal(size=50), 1).astype(dtype)
    check_alike(y_true, y_score)
    check_alike(y_true, y_score, sample_weight=rng.random(50).tolist())


def some_slow(values, *quick):
    """Only a few kinds of values are tried outside the sweep."""
    params = [
        pytest.param(each, id=name, marks=() if name in quick else pytest.mark.slow)
        for name, each in values.items()
    ]
    return pytest.mark.parametrize("values", params)


def only_ours_reads(labels):
    """Whether these are no texts in a column of objects, which is a documented difference."""
    is_object = str(getattr(labels, "dtype", "")) == "object"
    return is_object and not isinstance(np.asarray(labels)[0], str)


@pytest.mark.sweep(10)
@some_slow(TWO, "0 and 1", "strings", "one string")
@each_container
def test_labels_in_every_container(container, values):
    y_true = drawn(values)
    y_score = np.random.default_rng(1).normal(size=y_true.size).round(1)
    if only_ours_reads(container(y_true)):
        value = average_precision_score(container(y_true), y_score)
        assert value == average_precision_score(y_true, y_score)
        return
    for pos_label in [*values.tolist(), "none of them"]:
        for weight in (None, np.arange(y_true.size)):
            check_alike(container(y_true), y_score, pos_label=pos_label, sample_weight=weight)


@pytest.mark.sweep(10)
@some_slow(CLASSES, "integers below 0", "strings")
@each_container
def test_classes_in_every_container(container, values):
    y_true = drawn(values, n=50)
    y_score = np.random.default_rng(1).random((y_true.size, 3)).round(1)
    if only_ours_reads(container(y_true)):
        found = average_precision_score(container(y_true), y_score, average=None)
        np.testing.assert_equal(found, average_precision_score(y_true, y_score, average=None))
        return
    check_alike(container(y_true), y_score, average="weighted")
    check_alike(container(y_true), y_score, pos_label=2)
    check_alike(container(y_true[:4]), y_score[:4])
    if not isinstance(outcome(average_precision_score, container(y_true), y_score)[0], Exception):
        options = {"classes": np.sort(values)[[2, 0, 1]], "average": None}
        named = average_precision_score(container(y_true), y_score, **options)
        plain = average_precision_score(y_true, y_score[:, [1, 2, 0]], average=None)
        np.testing.assert_allclose(named, plain[[2, 0, 1]], rtol=0, atol=1e-12)


@pytest.mark.sweep(5)
@some_slow(NUMBERS, "floats", "uint8")
@each_container
def test_scores_and_weights_in_every_container(container, values):
    y_score = drawn(values)
    y_true = np.random.default_rng(1).integers(2, size=y_score.size)
    for labels in (y_true, y_true.tolist(), y_true.astype(str)):
        pos_label = "1" if labels is not y_true and isinstance(labels, np.ndarray) else 1
        check_alike(labels, container(y_score), pos_label=pos_label)
    check_alike(y_true, np.arange(y_true.size) % 50, sample_weight=container(y_score))


def check_curves(ours, theirs):
    best = np.append(np.maximum.accumulate(theirs[0][:-1]), 1.0)
    for mine, other in zip(ours, (best, *theirs[1:]), strict=True):
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-12)
    assert ours[2].dtype == theirs[2].dtype


@pytest.mark.sweep(5)
@some_slow(TWO, "-1 and 1", "strings")
@each_container
def test_curves_in_every_container(container, values):
    y_true = drawn(values)
    y_score = np.random.default_rng(1).normal(size=y_true.size).round(1)
    for given in ({}, {"pos_label": values[-1].item()}):
        labels = y_true if only_ours_reads(container(y_true)) else container(y_true)
        theirs, _ = outcome(metrics.precision_recall_curve, labels, y_score, **given)
        ours, _ = outcome(interpolated_precision_recall_curve, container(y_true), y_score, **given)
        if isinstance(theirs, Exception):  # which has no default for other labels; ours is 1
            assert isinstance(ours, type(theirs)) or not given
        else:
            check_curves(ours, theirs)


@pytest.mark.parametrize("only", [0, 1, "ham", True])
@pytest.mark.parametrize("pos_label", [0, 1, "ham"])
def test_one_class_only(only, pos_label):
    check_alike([only] * 4, [0.1, 0.2, 0.2, 0.3], pos_label=pos_label)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_large_integers_stay_apart(dtype):
    scores = np.array([2**53 + 1, 2**53], dtype=dtype)
    assert average_precision_score([1, 0], scores) == 1
    assert average_precision_score([0, 1], scores) == 0.5


@pytest.mark.slow
def test_counts_above_float32():
    n = 2**24 + 3
    y_true = np.ones(n, dtype=np.int8)
    y_true[0] = 0
    scores = np.linspace(0, 1, n, dtype=np.float32)
    assert average_precision_score(y_true, scores) == 1
    scores[:] = 0.5
    assert average_precision_score(y_true, scores) == (n - 1) / n


@pytest.mark.sweep(5)
@pytest.mark.parametrize("average", AVERAGES)
def test_many_and_long_columns(average):
    """On both sides of the length from which columns are counted one by one."""
    rng = np.random.default_rng(0)
    many = (450, 150)  # more cells than a small integer can count
    for shape in [(30, 80), (250 if average == "samples" else 2500, 3), many]:
        y_true, y_score = rng.random(shape) < 0.2, np.round(rng.normal(size=shape), 2)
        y_true[:, 0] = y_true[0] = True
        check_alike(y_true, y_score, average=average)
        if average != "samples":
            check_alike(y_true, y_score, average=average, sample_weight=rng.random(shape[0]))


def test_long_columns_of_scores_that_are_nearly_equal():
    rng = np.random.default_rng(0)
    y_true, steps = rng.random((12_000, 2)) < 0.2, rng.integers(50, size=(12_000, 2))
    check_alike(y_true, 1 + steps * 2.0**-52, average=None, sample_weight=rng.random(12_000))


def test_answer_is_a_float():
    assert type(average_precision_score([0, 1], [0.1, 0.2])) is float
    assert type(average_precision_score([[0, 1], [1, 0]], [[0.1, 0.2], [0.3, 0.1]])) is float


COLUMNS = [[0, 1], [1, 0]], [[0.1, 0.2], [0.3, 0.1]]


REFUSED = [
    *(([0, 1], scores, {}) for scores in ([0.1, np.nan], [0.1, np.inf], [-np.inf, 0.5], None)),
    *((labels, [0.1, 0.2], {}) for labels in ([0, np.nan], [0, 1, 1], [0.5, 1.2], ["a", "b"], 1)),
    *(([0, 1], [0.1, 0.2], {"sample_weight": weights}) for weights in ([1.0], [1.0, np.nan])),
    *(([0, 1], [0.1, 0.2], {"pos_label": label}) for label in (2, None)),
    ([0, 1], [0.1, 0.2], {"average": "mean"}),
    (*COLUMNS, {"pos_label": 2}),
    *((COLUMNS[0], scores, {}) for scores in ([0.1, 0.2], [[0.1, np.nan]] * 2, [[0.1, 0.2]])),
    ([0, 1, 2], np.eye(3), {"pos_label": 2}),
    ([0, 1], np.array([[0.1, 0.9], [0.3, 0.7]]), {}),
    ([0, 1], np.array([1j, 2]), {}),
    ([[0, 2], [1, 1]], COLUMNS[1], {}),
    *[([0, 1], [0.1, 0.2], {"sample_weight": [0, 0]})] * (SKLEARN >= (1, 9)),
]


@pytest.mark.parametrize(("y_true", "y_score", "options"), REFUSED)
def test_refused_alike(y_true, y_score, options):
    assert isinstance(outcome(average_precision_score, y_true, y_score, **options)[0], Exception)
    check_alike(y_true, y_score, **options)


@pytest.mark.parametrize("weighted", [False, True])
def test_curve_has_their_order_and_end(weighted):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = rng.integers(1, 40)
        data = np.append(1, rng.integers(2, size=n - 1)), random_scores(rng, n)
        weight = {"sample_weight": rng.random(n) if weighted else None}
        theirs = metrics.precision_recall_curve(*data, **weight)
        check_curves(interpolated_precision_recall_curve(*data, **weight), theirs)


@pytest.mark.parametrize("weight", [None, [1, 2, 3]])
def test_thresholds_have_one_zero(weight):
    """Whether zero is 0.0 or -0.0 must not depend on the order of the rows."""
    for y_score in ([-0.0, 0.0, -1.0], [0.0, -0.0, -1.0]):
        *_, thresholds = interpolated_precision_recall_curve(
            [1, 0, 1], np.array(y_score), sample_weight=weight
        )
        assert str(thresholds) == "[-1.  0.]"


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "kind", ["plain", "weights of 0", "no positives", "no weight of positives"]
)
def test_the_trapezoidal_area_is_that_of_recall_and_precision(kind):
    """Without positives, scikit-learn sets recall to 1, and the area is 0.5."""
    draws = np.random.default_rng(0)
    for _ in range(60):
        n = draws.integers(2, 9)
        y, s = draws.integers(0, 2, n), draws.integers(0, 4, n) / 4
        y[0] = 1
        weight = None if kind == "plain" else draws.integers(0, 3, n) + 0.0
        if kind == "weights of 0":
            weight[0] = 1.0
        elif kind == "no positives":
            y, weight = np.zeros(n, int), None
        elif kind == "no weight of positives":
            y[-1] = 0
            weight = np.where(y, 0.0, 1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            precision, recall, _ = metrics.precision_recall_curve(y, s, sample_weight=weight)
            found = trapezoidal_average_precision_score(y, s, sample_weight=weight)
        theirs = metrics.auc(recall, precision)
        assert (found, theirs) == (0.0, 0.5) if "no " in kind else found == pytest.approx(theirs)
