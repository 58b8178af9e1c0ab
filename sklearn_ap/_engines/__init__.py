"""Readers of tables and engines, with one small module for each kind of data.

The columns of a table in memory are handled like any other arrays. Any other table becomes an
engine, which reads the data in chunks and knows nothing about metrics. CONTRIBUTING.md
explains how to add one.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .._inputs import Engine
from .._intake import native
from .._validation.parameters import is_collection
from .._validation.tables import check_is_table, check_single_columns

# Modules that read data, by the library of the data.
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


def read(data: Any, named: Mapping[str, Any], whole: bool = False) -> Mapping[str, Any] | Engine:
    """Return the columns of a table in memory by their roles, or an engine for any other data.

    With `whole`, the columns of any other data are read into memory.
    """
    data = native(data)
    check_is_table(data)
    if whole and is_collection(data):
        from .dask import computed

        data = computed(data, named)
    first = data[0] if isinstance(data, list | tuple) else data
    libraries = [kind.__module__.partition(".")[0] for kind in type(first).__mro__]
    modules = [_READERS[library] for library in libraries if library in _READERS]
    module = import_module(f"{__name__}.{modules[0] if modules else 'eager'}")
    found: Mapping[str, Any] | Engine = module.read(data, named)
    if not isinstance(found, Engine):
        return found
    if whole:
        return found.collected()
    check_single_columns(data, named)
    return found


def of_collections(columns: Mapping[str, Any], lazy: bool = False) -> Engine:
    """Return the engine for Dask collections."""
    from .dask import Graph

    return Graph.of(columns, lazy)
