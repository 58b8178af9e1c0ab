"""Arrays of other libraries are computed on the host, and results are returned to their device."""

from functools import partial

import numpy as np
import pytest
import sklearn
from sklearn.metrics import average_precision_score as theirs

import sklearn_ap as ap

from .calls import FUNCTIONS, plain
from .containers import ON_GPU

RNG = np.random.default_rng(0)
Y, S = RNG.integers(2, size=60), np.round(RNG.normal(size=60), 1)
W = RNG.random(60)
COLUMNS = RNG.integers(2, size=(30, 3)), np.round(RNG.normal(size=(30, 3)), 1)


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


@on_gpu
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.usefixtures("few_random_orders")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_every_function_takes_what_lies_on_a_gpu(kind, function):
    on_device = ON_GPU[kind]
    columns = [Y, S, -S] if function == "compare" else [Y, S]
    found = FUNCTIONS[function](*map(on_device, columns))
    assert plain(found) == plain(FUNCTIONS[function](*columns))


@on_gpu
@pytest.mark.parametrize("name", ap.get_scorer_names())
def test_every_metric_and_scorer_takes_what_lies_on_a_gpu(kind, name):
    on_device, groups = ON_GPU[kind], np.arange(60) // 6
    metric, scorer = ap.metric(name), ap.get_scorer(name)
    for evaluate in (metric, partial(scorer._score_func, **scorer._kwargs)):
        columns = on_device(Y), on_device(S)
        found = evaluate(*columns, groups=on_device(groups), zero_division=0)
        assert found == evaluate(Y, S, groups=groups, zero_division=0)


@on_gpu
def test_values_of_units_on_a_gpu(kind):
    on_device = ON_GPU[kind]
    found = ap.compare_values(on_device(S), on_device(-S), clusters=on_device(Y))
    assert str(found) == str(ap.compare_values(S, -S, clusters=Y))


def test_values_of_units_without_a_length(dispatch):
    to = strict_arrays("device1")
    assert ap.compare_values(to(S), to(-S)).pvalue == ap.compare_values(S, -S).pvalue


@on_gpu
def test_groups_of_several_columns_on_a_gpu(kind):
    on_device, columns = ON_GPU[kind], (np.arange(60) // 30, np.arange(60) // 10 % 2)
    found = ap.mean_average_precision_score(Y, S, groups=tuple(map(on_device, columns)))
    assert found == ap.mean_average_precision_score(Y, S, groups=columns)
