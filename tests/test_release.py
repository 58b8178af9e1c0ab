"""The version is the same everywhere."""

import re
import tomllib
from datetime import date
from pathlib import Path

import pytest
from packaging.version import Version

ROOT = Path(__file__).parents[1]
NAMES = ("pyproject.toml", "CHANGELOG.md", "CITATION.cff")
PYPROJECT, CHANGELOG, CITATION = ((ROOT / name).read_text(encoding="utf-8") for name in NAMES)
RELEASE = re.compile(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", re.M)


def test_versions_agree():
    """What is released is what is cited, and what comes next is a later development version."""
    version = Version(tomllib.loads(PYPROJECT)["project"]["version"])
    released = [
        (Version(number), date.fromisoformat(day)) for number, day in RELEASE.findall(CHANGELOG)
    ]
    assert released == sorted(released, reverse=True)
    cited = (
        Version(re.search(r"^version: (\S+)$", CITATION, re.M)[1]),
        date.fromisoformat(re.search(r"^date-released: (\S+)$", CITATION, re.M)[1]),
    )
    assert cited == released[0]
    if version.is_devrelease:
        assert version > cited[0]
    else:
        assert version == cited[0]
        assert "## Unreleased" not in CHANGELOG


def test_the_pythons_that_are_listed_are_tested():
    script = ROOT / ".ci" / "run"
    if not script.exists():
        pytest.skip("only in a checkout")
    tested = re.findall(r"python(3\.\d+)", script.read_text(encoding="utf-8"))
    assert {*re.findall(r"Python :: (3\.\d+)", PYPROJECT)} <= {*tested}
