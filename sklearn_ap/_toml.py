"""The tables of this package that are TOML files."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def read_toml(path: str) -> dict[str, Any]:
    """Return what a TOML file inside of this package contains."""
    return tomllib.loads((Path(__file__).parent / path).read_text(encoding="utf-8"))
