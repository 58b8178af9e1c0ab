"""The tool that changes functions, and looks whether a test fails (tests/mutants.py)."""

import os
import subprocess
import sys
from pathlib import Path

from .mutants import find_changes

SOURCE = """
def compute_share(part, whole, *, least=0):
    if part is None or (part < 0 and whole > 0):
        raise ValueError(f"a part of {part if part else 0}")
    if whole == 0:
        return 0
    share = part / whole
    if least:
        share = max(share, least)
        log(share)
    return [each for each in [share] if each] if share else [share]
"""

CHANGES = """\
3 part is None or (part < 0 and whole > 0)  ->  True
3 part is None or (part < 0 and whole > 0)  ->  False
3 part is None  ->  False
3 part < 0 and whole > 0  ->  False
3 part < 0  ->  True
3 whole > 0  ->  True
4 part  ->  True
4 part  ->  False
5 whole == 0  ->  True
5 whole == 0  ->  False
7 share = part / whole  ->  left out
8 least  ->  True
8 least  ->  False
9 share = max(share, least)  ->  left out
10 log(share)  ->  left out
11 share  ->  True
11 share  ->  False
11 each  ->  True
11 each  ->  False
"""

FUNCTION = """
def compute_share(part, whole):
    if part < 0:
        raise ValueError
    if whole == 0:
        return 0
    return part / whole
"""
TEST = """
import pytest
from parts.shares import compute_share

def test_share():
    assert compute_share(1, 2) == 1 / 2
    with pytest.raises(ValueError):
        compute_share(-1, 2)
"""
TABLE = "| `shares` | `test_sha*` |\n"
PRINTED = """\
traced test_shares.py: 1 tests
parts/shares.py:5 parts.shares.compute_share
    whole == 0  ->  False

parts.shares: 3 of 4 noticed, 3 by its own files
"""


def test_changes_force_conditions_and_leave_out_statements():
    found = [str(change).replace("\n    ", " ") for change in find_changes("parts.py", SOURCE)]
    name = "parts.compute_share"
    assert found == [
        f"parts.py:{number} {name} {change}"
        for number, change in (line.split(" ", 1) for line in CHANGES.splitlines())
    ]


def test_only_what_no_test_notices_is_printed(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "shares.py").write_text(FUNCTION)
    (tmp_path / "parts" / "conftest.py").touch()  # which isn't told of the test
    (tmp_path / "test_shares.py").write_text(TEST)
    (tmp_path / "CONTRIBUTING.md").write_text(TABLE)
    (tmp_path / "pytest.ini").touch()
    environment = os.environ | {
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutants", "parts"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == PRINTED.strip()
