"""What stands beside the modules, in the wheel and at the root of the repository."""

import re
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

import sklearn_ap as ap

ROOT = Path(__file__).parents[1]


def test_type_checkers_read_the_package():
    assert files(ap).joinpath("py.typed").is_file()


@pytest.mark.skipif("compat" not in ap.__all__, reason="compat was taken away")
def test_compat_is_imported_when_somebody_asks_for_it():
    code = (
        "import sys, sklearn_ap as ap; print('sklearn_ap.compat' in sys.modules, ap.compat.explain)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert printed.stdout.startswith("False <function explain")


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == ap.__version__
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited[1] == ap.__version__


@pytest.mark.parametrize("name", ["InvalidParameterError", "NoIntervalError", "NotReachableError",
                                  "UnknownMetricError"])  # fmt: skip
def test_errors_that_one_may_catch_are_public(name):
    assert issubclass(getattr(ap.exceptions, name), ValueError)
