"""The modules of ours that are imported by name, when they are needed.

No contract on imports sees these, so they are listed here. They belong to outer rings, without
which all others work, or need libraries that may be missing.
"""

from importlib import import_module
from types import ModuleType

_MODULES = (
    "_on_spark",
    "_read.arrow",
    "_read.from_spark",
    "compat",
    "compat.metric_checks",
    "compat.ranking_files",
    "readers.csv_files",
    "reports.reporting",
    "scorers.metric_scorers",
    "scorers.score_functions",
)


def load(name: str) -> ModuleType:
    """Import a module of this list."""
    assert name in _MODULES, name
    return import_module(f"sklearn_ap.{name}")
