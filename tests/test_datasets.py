"""The data to try the package on."""

import importlib.util
import sys

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap.datasets import load_payments

COLUMNS = ["payment", "fraud", "model_a", "model_b", "amount", "day", "account", "country"]
MODELS = ["model_a", "model_b"]


def test_every_call_makes_the_same_payments():
    one = load_payments(as_frame=False)
    two = load_payments(as_frame=False)
    assert list(one) == COLUMNS
    for name in COLUMNS:
        assert one[name] is not two[name]
        np.testing.assert_array_equal(one[name], two[name])


def test_the_payments_do_not_depend_on_the_release_of_numpy():
    """The pages show values of this table."""
    payments = load_payments(as_frame=False)
    assert payments["payment"].tolist() == [*range(1, 20_001)]
    assert payments["fraud"].sum() == 395
    assert [payments[m][0] for m in (*MODELS, "amount")] == [0.01584271, 0.00421853, 11.99]
    assert payments["model_b"].sum() == pytest.approx(359.12084812, abs=1e-8)
    assert payments["amount"].sum() == pytest.approx(1_141_559, abs=0.1)


def test_the_payments_look_like_payments():
    payments = load_payments(as_frame=False)
    fraud, account, day = (payments[name] for name in ("fraud", "account", "day"))
    assert day.dtype == "datetime64[D]"
    assert (np.diff(day) >= np.timedelta64(0, "D")).all()
    assert np.unique(day).size == 60
    # No day without fraud, so values by day are defined.
    assert np.unique(day[fraud == 1]).size == 60
    for model in MODELS:
        scores = payments[model]
        assert ((scores >= 0) & (scores <= 1)).all()
        assert np.unique(scores).size > 0.95 * scores.size
        flagged = scores >= 0.5  # the probabilities are about right
        assert abs(scores[flagged].mean() - fraud[flagged].mean()) < 0.1
    of_fraud = np.unique(account[fraud == 1], return_counts=True)[1]
    assert of_fraud.mean() > 1.5
    countries = {c: fraud[payments["country"] == c] for c in np.unique(payments["country"])}
    assert all(of_country.sum() >= 20 for of_country in countries.values())
    fractions = [of_country.mean() for of_country in countries.values()]
    assert max(fractions) > 5 * min(fractions)
    assert len(countries) == 6
    pairs = set(zip(account.tolist(), payments["country"].tolist(), strict=True))
    assert len(pairs) == np.unique(account).size  # an account is in one country


def test_model_b_is_better_in_all_countries_but_one():
    payments = load_payments()
    whole = ap.compare("fraud", "model_b", "model_a", clusters="account", data=payments)
    assert whole.low > 0
    differences = [
        ap.compare("fraud", "model_b", "model_a", data=part).difference
        for _, part in payments.groupby("country")
    ]
    assert sum(difference < 0 for difference in differences) == 1


def test_a_frame_has_the_columns_of_the_dict():
    pd = pytest.importorskip("pandas")
    arrays, frame = load_payments(as_frame=False), load_payments(as_frame=True)
    pd.testing.assert_frame_equal(frame, load_payments())
    assert list(frame) == COLUMNS
    for name in COLUMNS:
        np.testing.assert_array_equal(frame[name].to_numpy(), arrays[name])
    for data in (arrays, frame):
        value = ap.average_precision_score("fraud", "model_b", groups="day", data=data)
        assert value == pytest.approx(0.555, abs=5e-4)


def test_without_pandas_it_is_a_dict_of_arrays(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "sklearn_ap.datasets.find_spec",
        lambda name: None if name == "pandas" else found(name),
    )
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(load_payments(), dict)
    assert isinstance(load_payments(as_frame=False), dict)
    with pytest.raises(ImportError, match=r"pip install pandas.*as_frame=False returns a dict"):
        load_payments(as_frame=True)
