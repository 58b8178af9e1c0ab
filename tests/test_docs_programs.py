"""What the page on the command line shows of pytest and of CI, and MLflow, run as the pages say.

Its snippets are run by test_docs_pages.py where the programs are installed, as .ci/nightly does.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import which
from textwrap import dedent

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

import sklearn_ap as ap
from sklearn_ap.datasets import load_payments

ROOT = Path(__file__).parents[1]
PAGE = ROOT.joinpath("docs", "command_line.md").read_text(encoding="utf-8")


def below(heading, language):
    """Return the first block of code in this language below a heading."""
    after = PAGE.partition(f"\n## {heading}\n")[2]
    return re.search(rf"^```{language}\n(.*?)^```$", after, re.M | re.S)[1]


def run(command, folder, **variables):
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    return subprocess.run(
        command, cwd=folder, env=found, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_the_test_of_the_page_passes(tmp_path):
    tmp_path.joinpath("test_models.py").write_text(below("pytest", "python"))
    done = run([sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", "."], tmp_path)
    assert "= 1 passed" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metrics", "are_logged"),
    [
        ({"ap": "AP", "ap_at_50": "AP@50", "p_at_1": "P@1%"}, True),
        (["AP", "AP@50"], False),
    ],
)
def test_mlflow_logs_the_results_of_a_search_by_names_that_it_takes(metrics, are_logged, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    mlflow.set_experiment(experiment_id=mlflow.create_experiment("x", str(tmp_path / "files")))
    X, y = make_classification(300, random_state=0)
    scoring, first = ap.make_multi_scorer(metrics), next(iter(metrics))
    mlflow.sklearn.autolog(log_models=False, silent=True)
    try:
        search = GridSearchCV(
            LogisticRegression(), {"C": [0.1, 1.0]}, scoring=scoring, refit=first, cv=3
        ).fit(X, y)
    finally:
        mlflow.sklearn.autolog(disable=True)
    runs = mlflow.search_runs(output_format="list")
    candidates = [run.data for run in runs if "mlflow.parentRunId" in run.data.tags]
    logged = [
        {name: candidate.metrics.get(f"mean_test_{name}") for name in metrics}
        for candidate in sorted(candidates, key=lambda each: float(each.params.get("C", 0)))
    ]
    found = search.cv_results_
    expected = [{name: found[f"mean_test_{name}"][i] for name in metrics} for i in range(2)]
    if are_logged:
        assert logged == [pytest.approx(each) for each in expected]
    else:
        assert not any(value is not None for each in logged for value in each.values())


@pytest.mark.slow
@pytest.mark.skipif(not which("bash"), reason="needs bash")
def test_the_step_writes_its_summary(tmp_path):
    payments = load_payments(as_frame=False)
    columns = [payments[name] for name in ("fraud", "model_a", "model_b")]
    np.savetxt(
        tmp_path / "scores.csv",
        np.column_stack(columns),
        delimiter=",",
        header="fraud,model_a,model_b",
        comments="",
    )
    step = dedent(below("GitHub Actions", "yaml").partition("run: |\n")[2])
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = run(["bash", "-e", "-c", step], tmp_path, PATH=path, GITHUB_STEP_SUMMARY="summary.md")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    summary = tmp_path.joinpath("summary.md").read_text(encoding="utf-8")
    shown = ap.report(
        "fraud", ["model_a", "model_b"], baseline="model_a", margin=0.01, data=load_payments()
    )
    assert summary.split() == shown.to_markdown().split()
