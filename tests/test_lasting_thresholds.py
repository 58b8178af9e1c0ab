"""A threshold flags the same rows if scores become another type, or text, or a note says so."""

import io
import json
import warnings

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from sklearn_ap.thresholds import OperatingPoint


def logits(rng, size):
    return rng.normal(size=size) * 3


def boosting(rng, size):
    """Return probabilities of a sum of few leaves, many of which are near 0 and 1."""
    leaves = rng.normal(size=(30, 8))
    total = sum(leaf[rng.integers(0, 8, size)] for leaf in leaves) * 3
    return 1 / (1 + np.exp(-total))


SCORES = {
    **{
        f"{decimals} decimals": lambda rng, size, decimals=decimals: np.round(
            rng.random(size), decimals
        )
        for decimals in range(1, 8)
    },
    "card": lambda rng, size: rng.integers(300, 850, size).astype(float),
    "card of halves": lambda rng, size: rng.integers(600, 1700, size) / 2,
    "logits": logits,
    "continuous": lambda rng, size: rng.random(size),
    "boosting": boosting,
    "near 1": lambda rng, size: 1 - rng.random(size) * 1e-6,
    "large": lambda rng, size: rng.normal(size=size) * 1e9,
    "tiny": lambda rng, size: rng.random(size) * 1e-9,
    "integers": lambda rng, size: rng.integers(-50, 50, size),
    "large integers": lambda rng, size: rng.integers(2**24, 2**40, size),
    "dense integers": lambda rng, size: 2**30 + rng.integers(0, 500, size),
}


def csv(scores):
    text = pd.DataFrame({"s": scores}).to_csv(index=False)
    return pd.read_csv(io.StringIO(text))["s"].to_numpy()


def from_json(scores):
    return np.array(json.loads(json.dumps(scores.tolist())))


WAYS = {
    "float64": lambda s: s.astype(np.float64),
    "float32": lambda s: s.astype(np.float32),
    "CSV": csv,
    "CSV of float32": lambda s: csv(s.astype(np.float32)),
    "JSON": from_json,
    "float16": lambda s: s.astype(np.float16),
}
CHOSEN = "float64", "float32", "float16", "as is"


def point_of(rng, labels, scores):
    """Choose a threshold in one of several ways, or measure one, and send it through JSON."""
    quantile = float(np.quantile(scores.astype(float), rng.random()))
    given = [
        {"min_recall": float(rng.uniform(0.05, 1))},
        {"k": float(rng.uniform(0.01, 0.9))},
        {"k": int(rng.integers(1, scores.size))},
        {"threshold": float(scores[0])},
        {"threshold": round(quantile, 1)},
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        point = ap.operating_point(labels, scores, **given[rng.integers(5)])
    return OperatingPoint.from_dict(json.loads(json.dumps(point.to_dict())))


def assert_it_lasts(rng, kind, chosen, way):
    size = int(rng.integers(30, 400))
    scores = SCORES[kind](rng, size)
    labels = rng.random(size) < 0.3
    labels[:2] = True, False
    with np.errstate(over="ignore"):
        before = scores if chosen == "as is" else scores.astype(chosen)
        here = WAYS[way](scores)
    if not (np.isfinite(before).all() and np.isfinite(here).all()):
        return None
    point = point_of(rng, labels, before)
    check = point.check(labels, here)
    flagged = here.astype(float) >= float(point.threshold)
    assert check.n_flagged == flagged.sum()
    is_same = check.n_flagged == point.n_flagged and check.true_positives == point.true_positives
    notes = {note.code: note.text for note in check.notes}
    assert is_same or "other_type" in notes, (kind, chosen, way, point.threshold)
    if "other_type" in notes:
        n_near = int(notes["other_type"].split()[0].replace(",", ""))
        assert n_near >= abs(check.n_flagged - point.n_flagged)
        return False
    return True


@pytest.mark.parametrize("chosen", ["float64", "float32"])
@pytest.mark.parametrize("kind", SCORES)
def test_a_threshold_lasts_or_a_note_says_so(kind, chosen):
    rng = np.random.default_rng(list(SCORES).index(kind))
    for way in WAYS:
        assert_it_lasts(rng, kind, chosen, way)


@pytest.mark.slow
@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("kind", SCORES)
def test_many_thresholds_last_or_a_note_says_so(kind, chosen):
    rng = np.random.default_rng(100 + list(SCORES).index(kind))
    lasts = [assert_it_lasts(rng, kind, chosen, way) for way in WAYS for _ in range(20)]
    assert len(lasts) == 120
