"""Install the newest tools, and fail if one returns something else than what is recorded.

python -m tests.tools [NAME ...]
"""

import ast
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def read_packages(script):
    """Return the PACKAGES of a module that can't be imported before these are installed."""
    for statement in ast.parse(script.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "PACKAGES":
            return ast.literal_eval(statement.value)
    raise ValueError(f"{script} doesn't say which PACKAGES it needs.")


def check(name):
    """Return whether tools return what is recorded."""
    packages = ["numpy", *read_packages(HERE / f"of_{name}.py")]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        command = [python, "-m", "tests.tools.record", "--check", name]
        return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    every = sorted(path.stem.removeprefix("of_") for path in HERE.glob("of_*.py"))
    failed = [name for name in sys.argv[1:] or every if not check(name)]
    sys.exit(f"Changed: {', '.join(failed)}" if failed else 0)
