"""The package in a zip file, and as a program of one file."""

import shutil
import subprocess
import sys
import zipapp
from pathlib import Path

import pytest

import sklearn_ap

PACKAGE = Path(sklearn_ap.__file__).parent
IN_ZIP = """
import sys
sys.path.insert(0, sys.argv[1])
import sklearn_ap as ap
y, s = [1, 0, 1, 1, 0, 1], [6, 5, 4, 3, 2, 1]
report = ap.report(y, {"a": s, "b": s[::-1]}, metrics=["AP"])
assert "<style>.sklearn-ap" in report._repr_html_()
assert len(ap.compat.PEERS) > 10 < len(ap.compat.DIFFERENCES)
for name in dir(ap):
    if name != "spark":
        getattr(ap, name)
try:
    ap.average_precision_score(y, s, average="mean")
except ap.exceptions.InvalidParameterError as error:
    print(error)
print(ap.average_precision_score([1, 0, 1], [3, 2, 1]), ap.__file__)
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The folder of the package alone, without the metadata of its installation."""
    folder = tmp_path_factory.mktemp("zip")
    left_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / "source" / "sklearn_ap", ignore=left_out)
    main = "sklearn_ap.__main__:main"
    zipapp.create_archive(folder / "source", folder / "program.pyz", main=main)
    return folder / "program.pyz"


def run(*arguments, folder):
    # -P keeps the checkout out of sys.path, and the folder has no package either.
    done = subprocess.run(
        [sys.executable, "-P", *map(str, arguments)], capture_output=True, text=True, cwd=folder
    )
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_package_works_from_a_zip_file_on_the_path(archive):
    *_, words, value = run("-c", IN_ZIP, archive, folder=archive.parent).splitlines()
    assert words.startswith("The 'average' parameter of average_precision_score must be a str")
    assert value == f"0.8333333333333333 {archive}/sklearn_ap/__init__.py"


@pytest.mark.slow
def test_the_package_works_as_a_program_of_one_file(archive):
    table = archive.with_name("scores.csv")
    table.write_text("fraud,model\n1,0.9\n0,0.8\n1,0.7\n", encoding="utf-8")
    given = table, "--y-true", "fraud", "--y-score", "model", "--format", "markdown"
    out = run(archive, "report", *given, folder=archive.parent)
    assert "| model | 0.833 |" in out
    # Only an installation has metadata, in which the version is.
    assert run(archive, "--version", folder=archive.parent).strip()
