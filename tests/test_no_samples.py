"""Rankings in which nothing was found: no samples at all, with or without weights."""

import numpy as np
import pytest

import sklearn_ap

from .registry import DEFINITIONS, NO_WEIGHTS, WEIGHTED

EMPTY = np.zeros(0)
OPTIONS = {"min_recall": 0.5, "min_precision": 0.5}


def scores():
    for definition in DEFINITIONS.values():
        if definition.score:
            options = dict(definition.options)
            if definition.number in OPTIONS:
                options[definition.number] = OPTIONS[definition.number]
            yield pytest.param(definition.score, options, id=definition.name)
            if definition.number == "k" and definition.name in WEIGHTED:
                for k in (3, 0.5):
                    by_rows = {**options, "k": k, "k_counts": "samples"}
                    yield pytest.param(definition.score, by_rows, id=f"{definition.name} {k} rows")


@pytest.mark.parametrize("weight", [None, EMPTY, []])
@pytest.mark.parametrize(("name", "options"), list(scores()))
def test_no_samples_are_a_zero_with_weights_too(name, options, weight):
    score = getattr(sklearn_ap, name)
    if weight is not None and score in NO_WEIGHTS:
        pytest.skip("takes no weights")
    assert score(EMPTY, EMPTY, sample_weight=weight, n_positives=3, **options) == 0
    each = {"b": 2, "a": 1}
    grouped = {"sample_weight": weight, "groups": [], "n_positives": each, "average": None}
    assert score(EMPTY, EMPTY, **grouped, **options).tolist() == [0, 0]


def test_a_series_names_the_days_of_a_list_of_timestamps():
    pd = pytest.importorskip("pandas")
    days = list(pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-02"]))
    existing = pd.Series(
        [1, 2, 1], index=pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])
    )
    value = {"groups": days, "n_positives": existing, "average": None}
    found = sklearn_ap.recall_at_k_score([1, 1, 0], [3.0, 2.0, 1.0], k=1, **value)
    assert found.tolist() == [1, 0.5, 0]
