"""With scikit-learn's own arguments, our function behaves as scikit-learn's."""

import re
import warnings

import numpy as np
import pytest
from sklearn import metrics

import sklearn_ap as ap
from sklearn_ap.exceptions import InvalidParameterError

AVERAGES = ["macro", "micro", "weighted", "samples", None]
NO_POSITIVES = "No positive class found in y_true"


def outcome(function, *args, **kwargs):
    """Return the value with the beginnings of the warnings, or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function(*args, **kwargs)
        except Exception as error:
            return error, None
    texts = {str(each.message) for each in caught}
    return value, {NO_POSITIVES if NO_POSITIVES in text else text for text in texts}


def shared_words(message):
    """Return the words, without those that differ between versions, such as lists of options."""
    message = re.sub(r"\[.*?\]|\{.*?\}|an instance of '.*?'", "", message)
    return set(re.findall(r"\w{3,}", message))


def check_alike(*args, same_warnings=True, **kwargs):
    """Both give the same value and warnings, or both refuse the input with the same words."""
    theirs, their_warnings = outcome(metrics.average_precision_score, *args, **kwargs)
    ours, our_warnings = outcome(ap.average_precision_score, *args, **kwargs)
    if isinstance(theirs, Exception):
        assert isinstance(ours, ValueError if isinstance(theirs, ValueError) else TypeError)
        if isinstance(theirs, ValueError) and not isinstance(ours, InvalidParameterError):
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
    return weight.astype(float)


def test_binary():
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n, labels = rng.integers(1, 40), [(0, 1), (-1, 1), (1, 2), (3, 7)][seed % 4]
        y_true = np.array(labels)[(rng.random(n) < rng.choice([0.0, 0.1, 0.5, 1.0])).astype(int)]
        y_true = y_true.astype(rng.choice([np.int8, np.int64, np.float64]))
        options = {"pos_label": labels[rng.integers(2)], "sample_weight": random_weight(rng, n)}
        check_alike(y_true, random_scores(rng, n), **options)


@pytest.mark.parametrize("average", AVERAGES)
def test_multilabel(average):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        shape = rng.integers(2, 12), rng.integers(2, 5)
        y_true = (rng.random(shape) < rng.choice([0.1, 0.5, 0.9])).astype(int)
        y_true.flat[:2] = 0, 1
        weight = random_weight(rng, shape[0])
        check_alike(
            y_true,
            random_scores(rng, shape),
            average=average,
            sample_weight=weight,
            # They warn of rows of weight 0, and not at all if no class has positives.
            same_warnings=average in ("macro", "micro", None) or weight is None,
        )


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("label", ["int", "str", "float"])
def test_multiclass(average, label):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        n_classes = rng.integers(3, 6)
        y_true = np.append(np.arange(n_classes), rng.integers(n_classes, size=rng.integers(0, 20)))
        y_true = {"int": 3 * y_true, "str": y_true.astype(str), "float": y_true - 1.0}[label]
        scores = random_scores(rng, (y_true.size, n_classes))
        check_alike(y_true, scores, average=average, sample_weight=random_weight(rng, y_true.size))


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble, object, bool])
def test_scores_of_any_type(dtype):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(2, size=50), np.round(rng.normal(size=50), 1).astype(dtype)
    check_alike(y_true, y_score)
    check_alike(y_true, y_score, sample_weight=rng.random(50).tolist())


@pytest.mark.parametrize("only", [0, 1, "ham", True])
@pytest.mark.parametrize("pos_label", [0, 1, "ham"])
def test_one_class_only(only, pos_label):
    check_alike([only] * 4, [0.1, 0.2, 0.2, 0.3], pos_label=pos_label)


@pytest.mark.parametrize("average", AVERAGES)
def test_long_columns(average):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.random((900, 6)) < 0.2, np.round(rng.normal(size=(900, 6)), 2)
    y_true[:, 0] = y_true[0] = True
    check_alike(y_true, y_score, average=average)
    check_alike(y_true, y_score, average=average, sample_weight=rng.random(900))


def test_the_answer_is_a_float():
    assert type(ap.average_precision_score([0, 1], [0.1, 0.2])) is float
    assert type(ap.average_precision_score([[0, 1], [1, 0]], [[0.1, 0.2], [0.3, 0.1]])) is float


COLUMNS = [[0, 1], [1, 0]], [[0.1, 0.2], [0.3, 0.1]]
REFUSED = [
    *(([0, 1], scores, {}) for scores in ([0.1, np.nan], [0.1, np.inf], [-np.inf, np.inf])),
    *((labels, [0.1, 0.2], {}) for labels in ([0, np.nan], [0, 1, 1], [0.5, 1.2], ["a", "b"])),
    *(([0, 1], [0.1, 0.2], {"sample_weight": weights}) for weights in ([1.0], [1.0, np.nan])),
    *(([0, 1], [0.1, 0.2], {"pos_label": label}) for label in (2, None)),
    ([0, 1], [0.1, 0.2], {"average": "mean"}),
    (*COLUMNS, {"pos_label": 2}),
    *((COLUMNS[0], scores, {}) for scores in ([[0.1, np.nan]] * 2,)),
    ([0, 1, 2], np.eye(3), {"pos_label": 2}),
    ([[0, 2], [1, 1]], COLUMNS[1], {}),
]


@pytest.mark.parametrize(("y_true", "y_score", "options"), REFUSED)
def test_refused_alike(y_true, y_score, options):
    assert isinstance(outcome(ap.average_precision_score, y_true, y_score, **options)[0], Exception)
    check_alike(y_true, y_score, **options)


@pytest.mark.parametrize("kind", ["plain", "no positives", "no weight of positives"])
def test_the_trapezoidal_area_is_that_of_recall_and_precision(kind):
    """Without positives, scikit-learn sets recall to 1, and the area is 0.5."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        n = rng.integers(2, 9)
        y, s, weight = rng.integers(0, 2, n), rng.integers(0, 4, n) / 4, None
        y[:2] = 0, 1
        if kind == "no positives":
            y[:] = 0
        elif kind == "no weight of positives":
            weight = np.where(y, 0.0, 1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            precision, recall, _ = metrics.precision_recall_curve(y, s, sample_weight=weight)
            found = ap.metric("linear")(y, s, sample_weight=weight)
        theirs = metrics.auc(recall, precision)
        assert (found, theirs) == (0.0, 0.5) if "no " in kind else found == pytest.approx(theirs)
