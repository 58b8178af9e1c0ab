"""Simulated data for trying out the package."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logit

from ._enter.entry import public

if TYPE_CHECKING:
    from .core.ragged import Array

__all__ = ["load_payments"]

# What fraction of the accounts a country has, how likely an account there is to be stolen, and how
# far model B lifts frauds above legitimate payments. Only in Portugal is model B the weaker one.
_COUNTRIES = {
    "DE": (0.36, 0.09, 2.7),
    "FR": (0.24, 0.07, 2.7),
    "ES": (0.16, 0.12, 2.7),
    "IT": (0.12, 0.14, 2.7),
    "NL": (0.08, 0.05, 2.7),
    "PT": (0.04, 0.30, 2.0),
}
_LIFT_OF_A = 2.4
_N_ACCOUNTS, _N_DAYS = 4000, 60
_DAYS_OF_ABUSE = 14  # that a stolen account is used


@public()
def load_payments(*, as_frame: bool | None = None) -> Any:
    """Make a table of 20,000 payments that two models have scored for fraud.

    The data are simulated, and are the same on every call and every machine. About 2% of the
    payments are fraud. A stolen account is abused for two weeks, so frauds come in clusters. The
    fraction of fraud differs between countries, and model B is better than model A in all countries
    but one.

    Parameters
    ----------
    as_frame : bool, default=None
        True returns a pandas DataFrame, and False a dict of arrays. By default, it depends on
        whether pandas is installed. Either one works as `data`.

    Returns
    -------
    payments : DataFrame or dict of str to ndarray
        A row for each payment, in the order of time, with these columns:

        - ``payment``: a number that identifies the payment
        - ``fraud``: 1 for a fraud, 0 for a legitimate payment
        - ``model_a``, ``model_b``: the probability of fraud, according to each model
        - ``amount``: the amount paid
        - ``day``: the date
        - ``account``: the number of the account; payments of one account aren't independent, so
          use it as `clusters`
        - ``country``: the country of the account, one of six countries

    See Also
    --------
    sklearn_ap.report : Compare the two models.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> from sklearn_ap.datasets import load_payments
    >>> payments = load_payments()
    >>> ap.average_precision_score("fraud", "model_b", data=payments)
    0.512143
    >>> ap.precision_at_k_score("fraud", "model_b", k=0.01, data=payments)
    0.68
    """
    if as_frame is None:
        as_frame = find_spec("pandas") is not None
    elif as_frame and find_spec("pandas") is None:
        raise ImportError(
            "load_payments(as_frame=True) needs pandas: pip install pandas. Without pandas, "
            "as_frame=False returns a dict of arrays, which functions take as data, too."
        )
    columns = _payments()
    if not as_frame:
        return columns
    import pandas as pd

    return pd.DataFrame(columns)


def _payments() -> dict[str, Array]:
    """Return the columns of the table."""
    # NumPy never changes what RandomState draws, and rounding hides the last bits of exp, so every
    # machine makes the same table.
    rng = np.random.RandomState(20)
    size = 20_000
    shares, risks, lifts_of_b = np.array(list(_COUNTRIES.values())).T  # of shape (n_countries,)
    # One entry for each account
    country_of = rng.choice(len(shares), _N_ACCOUNTS, p=shares)
    stolen = rng.random_sample(_N_ACCOUNTS) < risks[country_of]
    stolen_on = rng.randint(1 - _DAYS_OF_ABUSE, _N_DAYS, _N_ACCOUNTS)
    activity = 0.1 + rng.exponential(size=_N_ACCOUNTS)

    # One entry for each payment
    account = rng.choice(_N_ACCOUNTS, size, p=activity / activity.sum())
    day = np.sort(rng.randint(_N_DAYS, size=size))
    days_since_theft = day - stolen_on[account]
    is_abused = (days_since_theft >= 0) & (days_since_theft < _DAYS_OF_ABUSE)
    fraud = stolen[account] & is_abused
    country = country_of[account]

    # Both models see the same traces of fraud, which are alike in payments of the same account.
    traces = 0.5 * rng.standard_normal(_N_ACCOUNTS)[account] + 0.85 * rng.standard_normal(size)

    def scored(lift: Any) -> Array:
        """Return probabilities, which are higher for frauds by `lift` before scaling."""
        evidence = traces + 0.5 * rng.standard_normal(size) + lift * fraud
        return np.asarray(expit(2.1 * (evidence - 1.35) + logit(fraud.mean()))).round(8)

    return {
        "payment": np.arange(1, size + 1),
        "fraud": fraud.astype(np.int64),
        "model_a": scored(_LIFT_OF_A),
        "model_b": scored(lifts_of_b[country]),
        "amount": np.exp(3.5 + fraud + rng.standard_normal(size)).round(2),
        "day": np.datetime64("2026-01-01") + day,
        "account": account + 1,
        "country": np.array(list(_COUNTRIES))[country],
    }
