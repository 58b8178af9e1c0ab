"""scikit-learn's own tests of average_precision_score pass with our function."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sklearn

# Where the function is called, in the tests that scikit-learn installs.
CALLERS = ("classification", "common", "ranking", "score_objects")
METRICS = [f"sklearn.metrics.tests.test_{name}" for name in CALLERS]
DISPLAYS = [
    "sklearn.metrics._plot.tests.test_common_curve_display",
    "sklearn.metrics._plot.tests.test_precision_recall_display",
]

# In the names of all tests that call it. The others would take twice as long for nothing.
NAMES = ["average_precision", "inf_nan_input", "incorrect_shape", "invariance_multilabel"]
NAMES += ["precision_recall", "PrecisionRecall", "scale_invariance", "score_objects"]


def results(modules, folder):
    """Return the report of each test, by module."""
    report = folder / "report.xml"
    options = ["-p", "tests.sklearn_with_ours", "-p", "no:cacheprovider", "-p", "no:xdist"]
    options += ["-c", os.devnull, "--rootdir", str(Path(sklearn.__file__).parents[1])]
    options += ["--junitxml", str(report), "-k", " or ".join(NAMES), "--pyargs", *modules]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=Path(__file__).parents[1],
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr  # else not all of them ran
    of_module = {module: [] for module in modules}
    for test in ElementTree.parse(report).iter("testcase"):
        of_module[test.get("classname")].append(test)
    return of_module


@pytest.mark.slow
@pytest.mark.parametrize("modules", [METRICS, DISPLAYS], ids=["metrics", "displays"])
def test_they_pass(modules, tmp_path):
    for module, tests in results(modules, tmp_path).items():
        skipped = [test for test in tests if test.find("skipped") is not None]
        failed = {
            test.get("name"): "".join(outcome.itertext())
            for test in tests
            for outcome in test
            if outcome.tag in ("failure", "error")
        }
        assert not failed, "\n\n".join(failed.values())
        assert len(tests) > len(skipped), module  # some called our function
