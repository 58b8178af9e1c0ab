"""What is inside of this package: its modules by name, and its files."""

import tomllib
from functools import cache
from importlib import import_module
from pkgutil import get_data
from types import ModuleType
from typing import Any

# The modules of ours that are imported by name, when they are needed. No contract on imports sees
# these, so they are listed here. They belong to outer rings, without which all others work, or need
# libraries that may be missing.
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


def read_text(path: str) -> str:
    """Return what a file inside of this package contains, also if the package is in a zip file."""
    content = get_data("sklearn_ap", path)
    assert content is not None
    return content.decode()


@cache
def read_toml(path: str) -> dict[str, Any]:
    """Return what a TOML file inside of this package contains."""
    return tomllib.loads(read_text(path))
