"""What NumPy rounds to 0 is no error, whatever callers set, and nothing without rows crashes."""

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap.exceptions import InvalidParameterError
from sklearn_ap.thresholds import OperatingPoint

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 2, 60)
with np.errstate(under="ignore"):
    TINY = {
        "subnormal": RNG.random(60) * 1e-310,
        "far apart": np.append(RNG.random(58) * 1e-310, [1e300, -1e300]),
        "float32": RNG.random(60).astype(np.float32) * np.float32(1e-40),
    }
CALLS = {
    "average_precision_score": ap.average_precision_score,
    "confidence_interval": ap.confidence_interval,
    "operating_point": lambda y, s: ap.operating_point(y, s, min_recall=0.5),
    "explain": ap.compat.explain,
    "identify": lambda y, s: ap.compat.identify(0.5, y, s),
    "hit_curve": ap.hit_curve,
    "report": lambda y, s: ap.report(y, {"a": s, "b": s[::-1]}),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("scores", TINY)
def test_underflow_is_no_error(name, scores):
    result = str(CALLS[name](LABELS, TINY[scores]))
    with np.errstate(all="raise"):
        assert str(CALLS[name](LABELS, TINY[scores])) == result


def test_the_smallest_weights_are_no_error():
    weight = np.full(60, 5e-324)
    assert ap.average_precision_score(LABELS, -LABELS, sample_weight=weight) < 1


def test_recall_never_exceeds_1():
    for seed in range(50):
        weight = np.random.default_rng(seed).random(40)
        _, hits, _ = ap.hit_curve(np.ones(40), np.arange(40.0), sample_weight=weight)
        assert hits.max() <= 1


NONE = {"y_true": np.zeros(0), "y_score": np.zeros(0)}


@pytest.mark.filterwarnings("ignore:(There are no rows|The model has no rows):UserWarning")
@pytest.mark.parametrize("weights", [{}, {"sample_weight": []}], ids=str)
def test_no_rows_but_existing_positives(weights):
    groups = {"groups": [], "n_positives": {"a": 3, "b": 2}}
    interval = ap.confidence_interval(**NONE, **groups, **weights)
    assert (interval.value, interval.low) == (0, 0)
    if not weights:
        columns = {"y_true": np.zeros((0, 2)), "y_score": np.zeros((0, 2)), "n_positives": [3, 2]}
        assert ap.confidence_interval(**columns).low == 0
    for labels in (np.zeros(0, dtype=str), np.zeros(0), []):
        judged = {"a": {0: 1, 1: 1}}
        assert ap.ndcg_score(labels, [], groups=[], n_positives=judged) == 0


def test_counts_of_no_cluster_are_refused():
    with pytest.raises(ValueError, match=r"has no number for 'a', .* one for each cluster"):
        ap.operating_point([1, 0], [2, 1], k=1, clusters=["a", "b"], n_positives={})


def test_explain_needs_a_k_for_k_counts():
    with pytest.raises(InvalidParameterError, match="k_counts='samples' says what k counts"):
        ap.compat.explain([1, 0], [2, 1], k_counts="samples")


def test_lists_in_lists_are_no_saved_threshold(tmp_path):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    saved = ap.operating_point([1, 0], [2, 1], k=1).to_dict()
    with pytest.raises(InvalidParameterError, match="as 'k', as to_dict returned it"):
        OperatingPoint.from_dict(saved | {"k": deep})
    (tmp_path / "deep.json").write_text("[" * 100_000 + "]" * 100_000)
    ap_main = pytest.importorskip("sklearn_ap.__main__")
    assert ap_main.main(["check", str(tmp_path / "deep.json"), "data.csv"]) == 2
