"""Change single expressions of a module by mutmut, and list the changes that no test notices.

    pip install "mutmut~=3.8.1"
    python -m tests.mutants --module _core/points --n 60 --seed 1

Only the tests that one would open for the module are run, of which mutmut picks those that enter
the changed function. Of a list of files in --tests, the names may lack "test_" and ".py".
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
VALUES = [
    "golden",
    "oracle",
    "invariants",
    "ties",
    "top_k",
    "ndcg",
    "undefined",
    "extremes",
    "refusals",
]
TESTS = {  # the files that one would open for a module
    "_core/columns": ["columns", "groups", "extremes", "refusals"],
    "_core/data": ["groups", "columns", "sklearn", "variation", *VALUES],
    "_core/ranking": ["groups", "columns", "sklearn", *VALUES],
    "_uncertainty/folds": ["folds", "method"],
    "_core/labels": ["columns", "groups", "extremes", "names", "refusals"],
    "_core/names": ["names", "invariants", "refusals"],
    "_core/objects": ["names", "refusals"],
    "_core/points": ["points", "groups", *VALUES],
    "_core/average": ["undefined", "groups", *VALUES],
    "_core/rules": ["points", "groups", *VALUES],
    "_results/forest": ["forest"],
    "_results/tables": ["reports"],
    "_results/wording": ["reports"],
    "_uncertainty/claims": ["inference", "reports"],
    "_uncertainty/comparison": ["method", "folds", "inference"],
    "_uncertainty/textbook": ["method", "folds", "inference"],
    "_uncertainty/unsampled": ["method", "variation", "inference"],
    "_uncertainty/estimation": ["variation", "inference"],
    "_uncertainty/influences": ["variation"],
    "_uncertainty/models": ["inference", "reports", "runs"],
    "_uncertainty/rates": ["thresholds"],
    "_uncertainty/resamples": ["variation", "inference"],
    "_uncertainty/searches": ["folds"],
    "_uncertainty/units": ["variation", "inference", "reports"],
    "_uncertainty/variation": ["method", "variation"],
    "boosting": ["boosting"],
    "compat": ["definitions", "transforms", "where", "audit"],
    "curves": ["curves", "every_function"],
    "displays": ["displays"],
    "inference": ["inference", "folds", "reports", "forest"],
    "metrics": ["names", *VALUES],
    "readers": ["readers"],
    "reports": ["reports", "every_function"],
    "scorers": ["scorers", "scoring_tools", "refusals"],
    "thresholds": ["thresholds", "every_function"],
}
# mutmut's own frames hide the caller's line, at which warnings point.
KEPT_OUT = "not at_the_caller and not test_without_positives"


def run(folder, *arguments):
    command = [sys.executable, "-m", "mutmut", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def read_codes(folder):
    """Return the exit code of the tests for each mutant, None for one that wasn't run."""
    codes = {}
    for file in (folder / "mutants").rglob("*.meta"):
        codes |= json.loads(file.read_text())["exit_code_by_key"]
    return codes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", default="_core/points", help="or a folder, as compat")
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", nargs="*")
    parser.add_argument("--most", type=float, default=1.0, help="what may go unnoticed, of 1")
    given = parser.parse_args()
    module = given.module
    if not (ROOT / "sklearn_ap" / module).is_dir():
        module += ".py"
    tests = given.tests or TESTS[given.module]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        kept_out = shutil.ignore_patterns(".*", "mutants", "__pycache__", "benchmarks")
        shutil.copytree(ROOT, copy, ignore=kept_out)
        settings = {
            "pytest_add_cli_args": ["-k", KEPT_OUT],
            "process_isolation": "forkserver",  # Arrow and polars hang in forks of what used them
            "source_paths": [f"sklearn_ap/{module}"],
            "also_copy": ["sklearn_ap", "docs", "conftest.py"],
            "pytest_add_cli_args_test_selection": [f"tests/test_{each}.py" for each in tests],
        }
        lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
        with (copy / "pyproject.toml").open("a") as file:
            file.write("\n".join(["\n[tool.mutmut]", *lines, ""]))
        said = run(copy, "run", "no such mutant")  # only makes them, and times the tests
        names = sorted(read_codes(copy))
        if not names:
            sys.exit(said[-3000:])
        drawn = random.Random(given.seed).sample(names, min(given.n, len(names)))
        run(copy, "run", *drawn)
        codes = read_codes(copy)
        unnoticed = [name for name in drawn if codes[name] == 0]
        noticed = [name for name in drawn if codes[name] in (1, 3)]
        if not noticed:
            sys.exit(said[-3000:])
        for name in unnoticed:
            print(run(copy, "show", name))
        print(f"{len(noticed)} noticed, {len(unnoticed)} not, of {len(drawn)} of {len(names)}.")
        print("Others (no test, or too slow):", [n for n in drawn if n not in unnoticed + noticed])
        if len(unnoticed) > given.most * len(drawn):
            sys.exit(f"More than {given.most:.0%} went unnoticed.")


if __name__ == "__main__":
    main()
