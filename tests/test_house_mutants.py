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

# What stands in place of a line, by its number
CONDITIONS = [
    (3, "    if True:"),
    (3, "    if False:"),
    (3, "    if False or (part < 0 and whole > 0):"),
    (3, "    if part is None or (False):"),
    (3, "    if part is None or (True and whole > 0):"),
    (3, "    if part is None or (part < 0 and True):"),
    (5, "    if True:"),
    (5, "    if False:"),
    (8, "    if True:"),
    (8, "    if False:"),
    (11, "    return [each for each in [share] if each] if True else [share]"),
    (11, "    return [each for each in [share] if each] if False else [share]"),
    (11, "    return [each for each in [share] if True] if share else [share]"),
    (11, "    return [each for each in [share] if False] if share else [share]"),
]
STATEMENTS = [(7, "    pass"), (9, "        pass"), (10, "        pass")]

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
PRINTED = """\
traced test_shares.py: 1 tests
parts/shares.py:5 parts.shares.compute_share
     if part < 0:
         raise ValueError
-    if whole == 0:
+    if False:
         return 0
     return part / whole

parts.shares: 3 of 4 noticed
"""


def list_changed_lines(changes):
    """Return the number of each line that a change replaces, with what stands there then."""
    before = SOURCE.splitlines()
    replaced = []
    for change in changes:
        compile(change.replace(change.run), "changed", "exec")
        after = change.replace(change.shown).splitlines()
        pairs = enumerate(zip(before, after, strict=True), 1)
        replaced += [(number, new) for number, (old, new) in pairs if old != new]
    return replaced


def test_changes_force_conditions_and_leave_out_statements():
    found = list_changed_lines(find_changes("parts.py", SOURCE))
    assert sorted(found) == sorted(CONDITIONS + STATEMENTS)


def test_only_what_no_test_notices_is_printed(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "shares.py").write_text(FUNCTION)
    (tmp_path / "parts" / "conftest.py").touch()  # which isn't told of the test
    (tmp_path / "test_shares.py").write_text(TEST)
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
