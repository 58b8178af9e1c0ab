"""Arrays of other libraries are computed on the host, and results are returned to their device."""

import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import average_precision_score as theirs
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import sklearn_ap as ap
from sklearn_ap import metrics
from sklearn_ap._arrays.host import to_host
from sklearn_ap._inputs.records import Inputs
from sklearn_ap._read import on_device, validation
from sklearn_ap.core import rules
from sklearn_ap.core.operating_points import from_scores
from sklearn_ap.core.rankings import BY_NAME

from .calls import FUNCTIONS, plain
from .containers import ON_GPU, second_device

RNG = np.random.default_rng(0)
Y, S = RNG.integers(2, size=60), np.round(RNG.normal(size=60), 1)
W = RNG.random(60)
COLUMNS = RNG.integers(2, size=(30, 3)), np.round(RNG.normal(size=(30, 3)), 1)
STEP = rules.Step("grouped")


@pytest.fixture(params=[False, True], ids=["no dispatch", "dispatch"])
def dispatch(request):
    try:
        with sklearn.config_context(array_api_dispatch=request.param):
            yield request.param
    except (ImportError, RuntimeError) as reason:  # an optional package or SCIPY_ARRAY_API=1
        pytest.skip(str(reason))


def strict_arrays(name):
    xp = pytest.importorskip("array_api_strict", minversion="2.0")
    return lambda array: xp.asarray(array, device=xp.Device(name))


@pytest.mark.parametrize("device", ["CPU_DEVICE", "device1", "no_float64"])
def test_strict_arrays(device, dispatch):
    to, scores = strict_arrays(device), COLUMNS[1].astype(np.float32)
    per_class = ap.average_precision_score(to(COLUMNS[0]), to(scores), average=None)
    assert type(per_class) is (type(to(scores)) if dispatch else np.ndarray)
    if dispatch:
        assert per_class.device == to(scores).device
    np.testing.assert_allclose(
        np.from_dlpack(per_class), theirs(COLUMNS[0], scores, average=None), rtol=1e-6
    )
    if device == "no_float64":
        return
    for weight in (None, W):
        expected = theirs(Y, S, sample_weight=weight)
        actual = ap.average_precision_score(
            to(Y), to(S), sample_weight=None if weight is None else to(weight)
        )
        assert type(actual) is float
        assert actual == pytest.approx(expected, abs=1e-12)
    ap.mean_average_precision_score(to(Y), to(S), groups=to(np.arange(60) // 6), zero_division=0)
    ap.hit_curve(to(Y), to(S))


DEVICE_METRICS = {
    "AP": ap.average_precision_score,
    "expected": partial(ap.average_precision_score, ties="expected"),
    "envelope": ap.interpolated_average_precision_score,
    "101-point": partial(ap.interpolated_average_precision_score, n_points=101),
    "11-point": ap.eleven_point_average_precision_score,
    "AP@5": partial(ap.average_precision_at_k_score, k=5),
    "P@10%": partial(ap.precision_at_k_score, k=0.1),
    "recall@70%": partial(ap.recall_at_k_score, k=0.7),
    "hit rate@3": partial(ap.hit_rate_at_k_score, k=3),
    "RR": ap.reciprocal_rank_score,
    "R-precision": ap.r_precision_score,
    "P@R60": partial(ap.precision_at_recall_score, min_recall=0.6),
    "R@P60": partial(ap.recall_at_precision_score, min_precision=0.6),
}


def device_case(seed):
    """One ranking, or every fourth time columns, with ties in every third case."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(12, 300))
    shape = (size, 3) if seed % 4 == 3 else (size,)
    scores = rng.normal(size=shape).astype(["f8", "f4"][seed % 2])
    if seed % 3 == 1:
        scores = np.round(scores, 1)
    labels = rng.random(shape) < [0.5, 0.1, 0.9][seed % 3]
    labels[:2] = [[True], [False]] if labels.ndim == 2 else [True, False]
    dtype = ["i8", "i4", "f8", "?", "u1", "i8"][seed % 6]
    labels = labels.astype(dtype)
    if seed % 6 == 5 and labels.ndim == 1:
        labels[labels == 0] = -1
    averages = {"average": ["macro", None, "weighted", "micro"][seed // 4 % 4]}
    return labels, scores, averages if labels.ndim == 2 else {}


@pytest.fixture
def moved(monkeypatch):
    """The sizes of what is copied from a device that isn't the CPU to read rankings there."""
    sizes = []

    def recorded(array):
        sizes.append(array.size)
        return to_host(array)

    monkeypatch.setattr(on_device, "to_host", recorded)
    monkeypatch.setattr(metrics, "read_rankings", None)  # which copies all
    return sizes


@pytest.mark.parametrize(
    "seeds",
    [(0, 1, 2, 3, 5, 7, 11, 15), pytest.param(range(500), marks=pytest.mark.slow)],
    ids=["some", "all"],
)
@pytest.mark.filterwarnings("ignore:k=")
def test_what_is_counted_on_a_device_equals_what_is_counted_on_the_host(seeds, moved, monkeypatch):
    pytest.importorskip("sklearn", minversion="1.7")
    for seed in seeds:
        labels, scores, averages = device_case(seed)
        for name, metric in DEVICE_METRICS.items():
            moved.clear()
            found = metric(second_device(labels), second_device(scores), **averages)
            with monkeypatch.context() as patches:
                patches.setattr(metrics, "read_rankings", validation.read_rankings)
                expected = metric(labels, scores, **averages)
            # AP is summed in another order there: both are within 2.8e-16 of the exact fraction.
            atol = 3.4e-16 if name == "AP" else 2.3e-16
            np.testing.assert_allclose(found, expected, rtol=0, atol=atol, err_msg=name)
            assert type(found) is type(expected)
            n_positives = np.count_nonzero(labels == 1)
            if name == "AP":
                assert sum(moved) <= 10 * labels[0].size
            elif name in ("envelope", "11-point"):
                assert sum(moved) <= 10 * labels[0].size + 2 * n_positives
        if labels.ndim == 1:
            arrays = second_device(labels == 1), second_device(scores)
            ranking = on_device.SortedOnDevice.of(pytest.importorskip("array_api_strict"), *arrays)
            for ours, theirs_ in zip(
                ranking.points(), from_scores(labels == 1, scores), strict=True
            ):
                np.testing.assert_array_equal(ours, theirs_, strict=ours is not None)


def test_the_page_lists_what_the_host_computes():
    pytest.importorskip("sklearn", minversion="1.7")
    page = Path(__file__).parents[1].joinpath("docs", "large_data.md").read_text(encoding="utf-8")
    section = page.partition("## Score arrays on a GPU\n")[2].partition("\n## ")[0]
    words = " ".join(section.split())
    usual = Inputs(second_device(Y), second_device(S))
    columns = Inputs(*map(second_device, COLUMNS))

    def read(inputs, rule=STEP, **changes):
        return on_device.DeviceRankings.read(inputs._replace(**changes), rule)

    assert read(usual) is not None
    assert read(columns) is not None
    assert read(usual, y_true=second_device(2 * Y - 1)) is not None
    for listed, found in {
        "nDCG": read(usual, rules.NDCG()),
        "a metric of your own": read(usual, rules.GroupFunction(max, "max")),
        "`by_name`": read(columns, average=BY_NAME),
        "weights": read(usual, sample_weight=second_device(W)),
        "`groups`": read(usual, groups=second_device(Y)),
        "`n_positives`": read(usual, n_positives=100),
        "`classes`": read(columns, classes=["a", "b", "c"]),
        "`min_grade`": read(usual, min_grade=1),
        "another `pos_label`": read(usual, pos_label=0),
        '`average="samples"`': read(columns, average="samples"),
        "`data`": read(usual, column_names={"y_true": "label"}),
        "multiclass": read(columns, y_true=second_device(Y[:30])),
        "on another device than the scores": read(usual, y_true=Y),
        "aren't 0 and 1": read(usual, y_true=second_device(Y + 1)),
        "-1 and 1 in a single ranking": read(columns, y_true=second_device(2 * COLUMNS[0] - 1)),
        "lack negatives": read(usual, y_true=second_device(np.ones(60))),
        "lack positives in a column": read(columns, y_true=second_device(COLUMNS[0] * [1, 1, 0])),
        "aren't `float32` or `float64`": read(usual, y_score=second_device(np.argsort(S))),
        "aren't finite": read(usual, y_score=second_device(np.where(Y, S, np.inf))),
        "a matrix with one column": read(
            usual, y_true=second_device(Y[:, None]), y_score=second_device(S[:, None])
        ),
        "the first ten have at most two distinct values": read(
            usual, y_score=second_device(np.where(np.arange(60) < 10, Y, S))
        ),
    }.items():
        assert found is None, listed
    assert (
        "The CPU computes everything else, such as nDCG, metrics of your own, intervals, and calls "
        "with groups or weights."
    ) in words


def odd_inputs():
    nan, infinite, few = S.copy(), S.copy(), (S > 0).astype(float)
    nan[3], infinite[3] = np.nan, np.inf
    yield "nan", (Y, nan), {}
    yield "infinite", (Y, infinite), {}
    yield "few distinct scores", (Y, few), {}
    yield "labels 1 and 2", (Y + 1, S), {}
    yield "three labels", (RNG.integers(3, size=60), S), {}
    yield "pos_label", (Y, S), {"pos_label": 0}
    yield "one label", (np.zeros(60), S), {}
    yield "other lengths", (Y[1:], S), {}
    yield "integers", (Y, np.argsort(S)), {}
    yield "rows", COLUMNS, {"average": "samples"}
    yield "a column without positives", (COLUMNS[0] * [1, 1, 0], COLUMNS[1]), {}
    yield "weights", (Y, S), {"sample_weight": W}
    yield "n_positives", (Y, S), {"n_positives": 100}
    yield "no rows", (Y[:0], S[:0]), {}


@pytest.mark.parametrize("case", [*odd_inputs()], ids=lambda case: case[0])
def test_what_is_odd_is_read_on_the_host_with_its_messages(case):
    _, columns, options = case

    def outcome(convert):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                value = ap.average_precision_score(*map(convert, columns), **options)
            except ValueError as error:
                value = str(error)
        return value, [str(warning.message) for warning in said]

    assert outcome(second_device) == outcome(np.asarray)


class Linear(ClassifierMixin, BaseEstimator):
    """A classifier whose scores are on the device of X."""

    def __init__(self, feature=0):
        self.feature = feature

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def decision_function(self, X):
        return X[:, self.feature]


@pytest.mark.parametrize("name", ["AP", "P@10%", "11-point", "R-precision"])
def test_scorers_count_on_a_device(name, moved, monkeypatch):
    pytest.importorskip("sklearn", minversion="1.7")
    X, scorer = np.stack([S + 0.01 * W, -S], axis=1), ap.get_scorer(name)
    try:
        with sklearn.config_context(array_api_dispatch=True):
            arrays = second_device(X), second_device(Y)
            found = cross_val_score(Linear(), *arrays, scoring=scorer, cv=KFold(2))
            search = GridSearchCV(Linear(), {"feature": [0, 1]}, scoring=scorer, cv=KFold(2))
            best = search.fit(*arrays).best_score_
    except (ImportError, RuntimeError) as reason:  # without SCIPY_ARRAY_API=1
        pytest.skip(str(reason))
    assert moved
    monkeypatch.setattr(metrics, "read_rankings", validation.read_rankings)
    np.testing.assert_allclose(found, cross_val_score(Linear(), X, Y, scoring=scorer, cv=KFold(2)))
    assert best == pytest.approx(search.fit(X, Y).best_score_)


def test_tensors_are_detached():
    """Of a class like PyTorch's, which need not be installed."""

    class Tensor(list):
        __module__ = "torch"
        ndim = 1

        def numpy(self, force=False):
            if not force:
                raise RuntimeError("Can't call numpy() on a tensor that requires grad.")
            return np.asarray(self)

    value = ap.average_precision_score(Tensor([0, 1, 1]), Tensor([0.3, 0.2, 0.1]))
    assert value == pytest.approx(7 / 12)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_tensors(dtype, dispatch):
    torch = pytest.importorskip("torch")
    kind = {"dtype": getattr(torch, dtype), "requires_grad": True}
    scores, columns = torch.tensor(S, **kind), torch.tensor(COLUMNS[1], **kind)
    before = scores.detach().clone()
    expected = theirs(Y, before.double().numpy())
    for labels in (torch.tensor(Y), Y.tolist()):
        assert ap.average_precision_score(labels, scores) == pytest.approx(expected, abs=1e-12)
    assert scores.requires_grad
    assert torch.equal(scores.detach(), before)
    per_class = ap.average_precision_score(torch.tensor(COLUMNS[0]), columns, average=None)
    assert type(per_class) is (torch.Tensor if dispatch else np.ndarray)
    expected = theirs(COLUMNS[0], columns.detach().double().numpy(), average=None)
    np.testing.assert_allclose(per_class, expected, rtol=0, atol=1e-12)


def test_bool_and_integer_tensors(dispatch):
    torch = pytest.importorskip("torch")
    scores = torch.tensor([2**53 + 1, 2**53])
    assert ap.average_precision_score(torch.tensor([True, False]), scores) == 1
    assert ap.average_precision_score(torch.tensor([False, True]), scores) == 0.5


def test_arrays_of_an_older_protocol():
    """They can't be asked for another device, and NumPy can't read them in any other way."""

    class Older:
        def __init__(self, values):
            self.values = np.asarray(values)

        def __len__(self):
            return len(self.values)

        def __array_namespace__(self):
            return np

        def __dlpack__(self):
            return self.values.__dlpack__()

        def __dlpack_device__(self):
            return self.values.__dlpack_device__()

    value = ap.average_precision_score(Older([0, 1, 1]), Older([0.3, 0.2, 0.1]))
    assert value == pytest.approx(7 / 12)


on_gpu = pytest.mark.parametrize("kind", ON_GPU)


@pytest.mark.sweep(8)
@on_gpu
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.usefixtures("few_random_orders")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_function_takes_what_lies_on_a_gpu(kind, function):
    on_device = ON_GPU[kind]
    columns = [Y, S, -S] if function == "compare" else [Y, S]
    found = FUNCTIONS[function](*map(on_device, columns))
    assert plain(found) == plain(FUNCTIONS[function](*columns))


@pytest.mark.sweep(4)
@on_gpu
@pytest.mark.parametrize("name", ap.get_scorer_names())
def test_every_metric_and_scorer_takes_what_lies_on_a_gpu(kind, name):
    on_device, groups = ON_GPU[kind], np.arange(60) // 6
    with sklearn.config_context(enable_metadata_routing=True):
        metric, scorer = ap.metric(name), ap.get_scorer(name)
    for evaluate in (metric, partial(scorer._score_func, **scorer._kwargs)):
        columns = on_device(Y), on_device(S)
        found = evaluate(*columns, groups=on_device(groups), zero_division=0)
        assert found == evaluate(Y, S, groups=groups, zero_division=0)


@on_gpu
def test_groups_of_several_columns_on_a_gpu(kind):
    on_device, columns = ON_GPU[kind], (np.arange(60) // 30, np.arange(60) // 10 % 2)
    found = ap.mean_average_precision_score(Y, S, groups=tuple(map(on_device, columns)))
    assert found == ap.mean_average_precision_score(Y, S, groups=columns)
