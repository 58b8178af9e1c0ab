"""Lazy metrics for Dask.

The metrics themselves accept Dask arrays, series and lists of delayed chunks instead of arrays, and
a Dask DataFrame as ``data=``. They compute their value immediately.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ._enter.entry import Door, doors
from ._read.tables import described
from ._words.arrays import native
from ._words.engine import InMemory
from ._words.messages import relative_weights
from ._words.parameters import is_collection

__all__ = ["lazy_score"]


def lazy_score(metric: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Evaluate a metric of Dask collections lazily, as a ``Delayed``.

    Use it to compute several values together, or as a step of a larger graph. It needs more memory
    than calling the metric, because the worker that evaluates it gets all chunks.

    Parameters
    ----------
    metric : callable
        A metric in this package, such as :func:`sklearn_ap.average_precision_score` or
        :func:`sklearn_ap.metric_bounds`.
    *args, **kwargs
        The arguments of the metric: Dask collections, or column names with a Dask DataFrame as
        `data`.

    Returns
    -------
    value : Delayed
        The value of the metric, which ``value.compute()`` returns.

    Examples
    --------
    >>> import dask
    >>> import dask.array as da
    >>> import sklearn_ap as ap
    >>> from sklearn_ap.dask import lazy_score
    >>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
    >>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> value = lazy_score(ap.average_precision_score, y_true, y_score)
    >>> first = lazy_score(ap.precision_at_k_score, y_true, y_score, k=1)
    >>> dask.compute(value, first)
    (0.833333, 1.0)
    """
    try:
        import dask as _  # noqa: F401
    except ImportError as error:
        raise ImportError('lazy_score needs Dask: pip install "dask[dataframe]"') from error
    try:
        door = doors[metric]
    except (KeyError, TypeError):
        raise TypeError(
            "metric must be a metric of sklearn_ap, such as average_precision_score. "
            f"Got {metric!r} instead."
        ) from None
    data = native(kwargs.get("data"))
    if data is not None and not is_collection(data):
        raise TypeError(
            f"lazy_score needs Dask collections, but data is {described(data)}. Call the metric "
            "itself, or pass a Dask DataFrame."
        )
    lazy = _LazyDoor(door.function, door.call, on_engines=True, metric=door.metric)
    return lazy.enter(args, kwargs)


class _LazyDoor(Door):
    """The door of a metric that a worker evaluates, once it has all chunks."""

    def has_collections(self, given: Mapping[str, Any]) -> bool:
        return True

    def evaluate(
        self, given: dict[str, Any], named: Mapping[str, Any], table: Any, engine: Any = None
    ) -> Any:
        from dask.delayed import delayed

        self.check_given(given)
        return delayed(self.evaluate_chunks)(given, named, engine.chunks)

    def evaluate_chunks(self, given: dict[str, Any], named: Mapping[str, Any], chunks: Any) -> Any:
        with relative_weights(given.get("prevalence") is not None):
            return super().evaluate(given, named, None, InMemory(*chunks))
