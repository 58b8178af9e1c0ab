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


def check(pyproject, changelog, citation):
    """What is released is what is cited, and what comes next is a later development version."""
    version = Version(tomllib.loads(pyproject)["project"]["version"])
    released = [
        (Version(number), date.fromisoformat(day)) for number, day in RELEASE.findall(changelog)
    ]
    assert released == sorted(released, reverse=True)
    cited = (
        Version(re.search(r"^version: (\S+)$", citation, re.M)[1]),
        date.fromisoformat(re.search(r"^date-released: (\S+)$", citation, re.M)[1]),
    )
    assert cited == released[0]
    if version.is_devrelease:
        assert version > cited[0]
    else:
        assert version == cited[0]
        assert "## Unreleased" not in changelog


def test_versions_agree():
    check(PYPROJECT, CHANGELOG, CITATION)


OURS = re.search(r'^version = "(\S+)"$', PYPROJECT, re.M)[1]
LATEST, DAY = RELEASE.search(CHANGELOG).groups()
MAJOR, MINOR, _ = Version(LATEST).release
NEXT = f"{MAJOR}.{MINOR + 1}.0"
ENTRY = f"## {LATEST} ({DAY})"


def changed(version, changelog=CHANGELOG, citation=CITATION):
    return PYPROJECT.replace(f'version = "{OURS}"', f'version = "{version}"'), changelog, citation


def above(heading):
    """The changelog with another section on top."""
    notes = CHANGELOG.replace("## Unreleased\n", "")
    return notes.replace(ENTRY, f"{heading}\n\n- A change.\n\n{ENTRY}")


AFTER = f"## {NEXT} (2999-12-31)"
CITED = CITATION.replace(LATEST, NEXT).replace(DAY, "2999-12-31")


@pytest.mark.parametrize(
    "files",
    [
        changed(f"{NEXT}.dev0"),
        changed(f"{NEXT}.dev0", above("## Unreleased")),
        changed(NEXT, above(AFTER), CITED),
        changed(f"{NEXT[:-1]}1.dev0", above(AFTER), CITED),
    ],
    ids=["just released", "under way", "the next", "after the next"],
)
def test_they_agree_before_and_after_a_release(files):
    check(*files)


@pytest.mark.parametrize(
    "files",
    [
        changed(NEXT),
        changed(NEXT, above(AFTER)),
        changed(NEXT, CHANGELOG, CITED),
        changed(LATEST, above("## Unreleased")),
        changed(f"{LATEST}.dev0"),
        changed(NEXT, above(AFTER), CITED.replace("2999", "2998")),
    ],
    ids=["nowhere else", "not cited", "not in the log", "not all of it", "behind", "another day"],
)
def test_a_place_that_was_forgotten_is_an_error(files):
    with pytest.raises(AssertionError):
        check(*files)


def test_the_pythons_that_are_listed_are_tested():
    script = ROOT / ".ci" / "run"
    if not script.exists():
        pytest.skip("only in a checkout")
    tested = re.findall(r"python(3\.\d+)", script.read_text(encoding="utf-8"))
    assert {*re.findall(r"Python :: (3\.\d+)", PYPROJECT)} <= {*tested}
