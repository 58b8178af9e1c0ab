"""Readers of data: each kind of table has a small module in this folder.

The columns of a table in memory are handled like any other arrays. Everything else becomes an
engine of `_passes`, which reads the data in chunks and knows nothing about metrics.

To add a kind of table, write a module with a function `read(data, named)`. `named` says which
column plays which role, as in `{"y_true": "label", "y_score": "score"}`, with a list of names where
several columns make a matrix. The function returns the columns by role, or an engine. Then enter
the module in `_READERS`.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .. import _validation as check
from .._passes import Engine

# The module that reads the data, by the library that made them.
_READERS = {
    "_duckdb": "duckdb",
    "dask": "dask",
    "dask_expr": "dask",
    "duckdb": "duckdb",
    "ibis": "ibis",
    "pandas": "eager",
    "pathlib": "pyarrow",
    "polars": "polars",
    "pyarrow": "pyarrow",
    "pyspark": "spark",
}


def read(data: Any, named: Mapping[str, Any]) -> Mapping[str, Any] | Engine:
    """The columns of a table in memory by their roles, or an engine for any other data."""
    check.check_is_table(data)
    first = data[0] if isinstance(data, list | tuple) else data
    libraries = [kind.__module__.partition(".")[0] for kind in type(first).__mro__]
    modules = [_READERS[library] for library in libraries if library in _READERS]
    module = import_module(f"{__name__}.{modules[0] if modules else 'eager'}")
    found: Mapping[str, Any] | Engine = module.read(data, named)
    return found


def of_collections(columns: Mapping[str, Any], lazy: bool = False) -> Engine:
    """The engine of Dask collections."""
    from .dask import Graph

    return Graph.of(columns, lazy)


def of_arrays(y_true: Any, y_score: Any, sample_weight: Any = None) -> Engine:
    """The engine of arrays in memory: one chunk."""
    from .one import One

    return One.of(y_true, y_score, sample_weight)
