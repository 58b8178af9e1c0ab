"""The types of scorers, and their arguments as Python's code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from sklearn.metrics import average_precision_score, make_scorer

Scorer = Callable[..., Any]


class NamedScorer(Protocol):
    """What `get_scorer` returns: a scorer of this package or of scikit-learn."""

    def __call__(self, estimator: Any, X: Any, y_true: Any = None, **params: Any) -> Any: ...

    def set_score_request(self, **requests: bool | str | None) -> Any: ...


SklearnScorer: Any = type(make_scorer(average_precision_score))


def format_as_code(value: Any) -> str:
    """Write a value as Python's code, without types of NumPy, and nan so that it can be read."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        items = [f"{format_as_code(key)}: {format_as_code(item)}" for key, item in value.items()]
        return f"{{{', '.join(items)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(format_as_code, value))}]"
    is_number = isinstance(value, float) and np.isfinite(value)
    return f"float('{value}')" if isinstance(value, float) and not is_number else repr(value)
