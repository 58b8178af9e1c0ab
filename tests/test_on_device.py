"""Arrays that aren't NumPy's, on the host or on another device, have the values of NumPy's."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import sklearn_ap as ap
from sklearn_ap._core import evaluation, on_device
from sklearn_ap._core.data import DATA_PARAMETERS

strict = pytest.importorskip("array_api_strict")
pytest.importorskip("numpy", minversion="2.1")  # the first that copies by DLPack
pytest.importorskip("sklearn", minversion="1.7")  # the first that knows namespaces of arrays
DEVICES = ["device1", "no_float64"]
OTHERS = [  # which are copied to the host
    ap.interpolated_average_precision_score,
    ap.eleven_point_average_precision_score,
    lambda y, s, **data: ap.average_precision_score(y, s, ties="expected", **data),
    lambda y, s, **data: ap.average_precision_at_k_score(y, s, k=5, **data),
    lambda y, s, **data: ap.precision_at_k_score(y, s, k=0.2, **data),
    lambda y, s, **data: ap.recall_at_k_score(y, s, k=500, **data),
    lambda y, s, **data: ap.enrichment_factor_score(y, s, k=0.1, **data),
    lambda y, s, **data: ap.reciprocal_rank_score(y, s, ties="worst", **data),
    lambda y, s, **data: ap.precision_at_recall_score(y, s, min_recall=0.5, **data),
]


def draw(rng, shape, kind):
    labels = (rng.random(shape) < 0.3).astype(np.int64)
    scores = rng.normal(size=shape).astype(np.float32)
    if kind == "tied":
        scores = scores.round()
    if kind == "signed":
        scores = np.copysign(rng.integers(0, 3, shape), scores).astype(np.float32)  # also -0.0
    return labels, scores


@pytest.fixture(params=DEVICES)
def send(request):
    device = strict.Device(request.param)

    def send(values):
        values = values.astype(np.int32) if values.dtype == np.int64 else values
        return strict.asarray(values, device=device)

    return send


@pytest.mark.parametrize("kind", ["plain", "tied", "signed"])
@pytest.mark.parametrize("size", [1, 2, 40])
def test_values_are_those_of_the_host(kind, size, monkeypatch):
    device = strict.Device("device1")
    labels, scores = draw(np.random.default_rng(1), (size, 3), kind)
    labels[0] = 1
    calls = [(labels[:, 0], scores[:, 0], {}), (2 * labels[:, 0] - 1, scores[:, 0], {})]
    calls += [(labels[:, 0] == 1, scores[:, 0], {})]
    for y_true, y_score, data in calls:
        there = (strict.asarray(each, device=device) for each in (y_true, y_score))
        with monkeypatch.context() as patched:
            patched.setattr(evaluation, "read", None)  # nothing is read on the host
            value = ap.average_precision_score(*there, **data)
        expected = ap.average_precision_score(y_true, y_score, **data)
        np.testing.assert_allclose(value, expected, rtol=1e-12)


@pytest.mark.parametrize("metric", [ap.average_precision_score, *OTHERS])
def test_other_metrics_and_devices_without_doubles_have_the_values_of_the_host(send, metric):
    labels, scores = draw(np.random.default_rng(1), (40, 3), "tied")
    for average in ("macro", "micro", "weighted", None):
        value = metric(send(labels), send(scores), average=average)
        expected = metric(labels, scores, average=average)
        np.testing.assert_allclose(value, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "data",
    [
        {"sample_weight": np.arange(1, 41)},
        {"groups": np.arange(40) % 4},
        {"pos_label": 0},
        {"n_positives": 100},
    ],
    ids=str,
)
def test_what_is_not_ranked_there_is_copied(send, data):
    labels, scores = draw(np.random.default_rng(2), 40, "plain")
    value = ap.average_precision_score(send(labels), send(scores), **data)
    assert value == ap.average_precision_score(labels, scores, **data)
    rule = ap.metric("AP")._rule
    everything = DATA_PARAMETERS | data
    assert on_device.evaluate_on_device(rule, send(labels), send(scores), **everything) is None
    also_there = {
        name: send(values) if isinstance(values, np.ndarray) else values
        for name, values in data.items()
    }
    assert value == ap.average_precision_score(send(labels), send(scores), **also_there)
    multilabel = np.stack([labels, 1 - labels], axis=1), np.stack([scores, -scores], axis=1)
    value = ap.average_precision_score(*map(send, multilabel), average="samples")
    assert value == ap.average_precision_score(*multilabel, average="samples")
    grades = ap.ndcg_score(send(3 * labels), send(scores), k=5)
    assert grades == ap.ndcg_score(3 * labels, scores, k=5)


@pytest.mark.parametrize(
    ("change", "data"),
    [
        (lambda y, s: (y, np.where(s == s[0], np.nan, s)), {}),
        (lambda y, s: (y, np.where(s == s[0], np.inf, s)), {}),
        (lambda y, s: (y + (y == y[0]) * 3, s), {}),
        (lambda y, s: (y + 0.5, s), {}),
        (lambda y, s: (y[1:], s), {}),
        (lambda y, s: (y[:0], s[:0]), {}),
        (lambda y, s: (y, s), {"average": "mean"}),
        (lambda y, s: (y, s), {"zero_division": 2}),
    ],
)
def test_refusals_are_those_of_the_host(send, change, data):
    labels, scores = change(*draw(np.random.default_rng(3), 40, "plain"))
    labels, scores = np.asarray(labels, dtype=np.float32), np.asarray(scores, dtype=np.float32)
    with pytest.raises(ValueError) as on_host:  # noqa: PT011
        ap.average_precision_score(labels, scores, **data)
    with pytest.raises(type(on_host.value)) as on_device:
        ap.average_precision_score(send(labels), send(scores), **data)
    assert str(on_device.value) == str(on_host.value)


def test_no_positives(send):
    labels, scores = np.zeros(5, dtype=np.int32), np.arange(5, dtype=np.float32)
    with pytest.warns(UserWarning, match="No positive class found"):
        assert ap.average_precision_score(send(labels), send(scores)) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ap.average_precision_score(send(labels), send(scores), zero_division=1) == 1


def test_arrays_on_the_cpu_are_copied():
    labels, scores = draw(np.random.default_rng(4), 40, "plain")
    on_cpu = strict.asarray(labels), strict.asarray(scores)  # on "CPU_DEVICE", in upper case
    rule = ap.metric("AP")._rule
    assert on_device.evaluate_on_device(rule, *on_cpu, **DATA_PARAMETERS) is None


def test_torch(monkeypatch):
    torch = pytest.importorskip("torch")
    labels, scores = draw(np.random.default_rng(4), (200, 3), "tied")
    y_true, y_score = torch.asarray(labels), torch.asarray(scores).requires_grad_()
    expected = ap.average_precision_score(labels, scores)
    assert [metric(y_true, y_score) for metric in OTHERS] == [
        metric(labels, scores) for metric in OTHERS
    ]
    assert ap.average_precision_score(y_true, y_score) == expected  # copied from the CPU
    half = ap.average_precision_score(y_true, y_score.to(torch.bfloat16))
    assert half == ap.average_precision_score(labels, scores)  # small integers are exact
    compat = pytest.importorskip("sklearn.externals.array_api_compat")
    monkeypatch.setattr(on_device, "find_namespace", compat.array_namespace)
    monkeypatch.setattr(evaluation, "read", None)
    expected = average_precision_score(labels[:, 0], scores[:, 0])
    value = ap.average_precision_score(y_true[:, 0], y_score[:, 0])
    assert value == pytest.approx(expected, rel=1e-12)


class EagerTensor:
    """A tensor of TensorFlow, as far as it differs from those of torch."""

    device = "/job:localhost/replica:0/task:0/device:CPU:0"

    def __init__(self, values):
        self.values = np.asarray(values)

    def numpy(self):
        return self.values

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or self.values.dtype)


def test_tensors_of_tensorflow_are_read():
    y, s = [0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]
    found = ap.average_precision_score(EagerTensor(y), EagerTensor(s))
    assert found == ap.average_precision_score(y, s)
