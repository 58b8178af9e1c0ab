"""Numbers that are equal but for rounding."""

import numpy as np


def close(found, expected, case=None):
    """Return True if they are close, else fail with both of them, and with one of many cases."""
    try:
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{case}") from None
    return True
