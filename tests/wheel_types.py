"""What type checkers say of an installed wheel: errors at the marked lines, and at no others.

    python -m tests.wheel_types

Run it where the wheel, mypy and pyright are installed, and outside of a checkout.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """\
import sklearn_ap as ap

y, s = [0, 1], [0.1, 0.9]
value: float = ap.average_precision_score(y, s, pos_label=0)
wrong: str = ap.average_precision_score(y, s)  # error
each = ap.average_precision_score(y, s, groups=[1, 2], average=None)
print(value + each.max(), each.shape)
number: float = ap.ndcg_score(y, s, groups=[1, 2], average=None)  # error
ap.average_precision_score(y, s, sample_wieght=s)  # error
ap.precision_at_k_score(y, s, k="ten")  # error
print(ap.metric("AP@10")(y, s, groups=[1, 2]))
ap.metric("AP@10")(y, s, group=[1, 2])  # error
print(ap.confidence_interval(y, s).low + 1)
ap.confidence_interval(y, s).lowest  # error
print(ap.compare(y, s, s, metric="AP").difference + 1, ap.compare("y", "a", "b", data={}).pvalue)
print(ap.compare(y, {"old": s, "new": s}, baseline="old")["new"].verdict)
ap.compare(y, s, s).rows  # error
ap.compare(y, {"old": s, "new": s}).difference  # error
"""
EXPECTED = {n for n, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# error")}


def list_errors(program):
    """Return the lines at which each checker finds an error."""
    run = {"cwd": program.parent, "capture_output": True, "text": True, "check": False}
    command = [sys.executable, "-m", "mypy", "--strict", "--output", "json", program.name]
    found = map(json.loads, subprocess.run(command, **run).stdout.splitlines())
    yield "mypy", {each["line"] for each in found if each["severity"] == "error"}
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    found = json.loads(subprocess.run([*command, program.name], **run).stdout)
    yield (
        "pyright",
        {
            each["range"]["start"]["line"] + 1
            for each in found["generalDiagnostics"]
            if each["severity"] == "error"
        },
    )


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.py"
        program.write_text(PROGRAM)
        for checker, lines in list_errors(program):
            print(f"{checker}: errors at the lines {sorted(lines)}.")
            if lines != EXPECTED:
                sys.exit(f"{checker} should find errors at {sorted(EXPECTED)}.")


if __name__ == "__main__":
    main()
