"""The files of this package that aren't code: tables in TOML, and a style sheet."""

import tomllib
from functools import cache
from pkgutil import get_data
from typing import Any


def read_text(path: str) -> str:
    """Return what a file inside of this package contains, also if the package is in a zip file."""
    content = get_data("sklearn_ap", path)
    assert content is not None
    return content.decode()


@cache
def read_toml(path: str) -> dict[str, Any]:
    """Return what a TOML file inside of this package contains."""
    return tomllib.loads(read_text(path))
