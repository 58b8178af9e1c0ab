"""Delete each rim in a copy of the package, and import and use everything else.

    python -m tests.without_rims

No contract sees modules that are imported by name, and an installed package would hide what a copy
lacks, so each module has to come from the copy.
"""

import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns, rmtree
from tempfile import TemporaryDirectory

PACKAGE = Path(__file__).parents[1] / "sklearn_ap"
RIMS = {
    "compat": ["compat"],
    "reports": ["reports"],
    "thresholds": ["thresholds"],
    "displays": ["displays"],
    "readers and the command line": ["readers", "datasets.py", "__main__.py"],
    "boosting": ["boosting.py"],
    "Spark": ["spark.py", "_on_spark.py"],
}
# Modules whose libraries are missing can't be imported with all rims either.
USE = """
import pkgutil, sys
from importlib import import_module
from pathlib import Path

import sklearn_ap as ap

copy = Path(ap.__file__).parent
assert copy.parent == Path(sys.argv[1]), copy
for module in pkgutil.walk_packages(ap.__path__, "sklearn_ap."):
    if module.name != "sklearn_ap.__main__":
        try:
            found = import_module(module.name)
        except ModuleNotFoundError as error:
            assert error.name and not error.name.startswith("sklearn_ap"), (module.name, error)
            continue
        assert copy in Path(found.__file__).parents, found.__file__
y, a, b = [0, 1, 0, 1, 1, 0] * 9, [*range(54)], [*range(1, 55)][::-1]
assert 0 < ap.average_precision_score(y, a) < 1
assert callable(ap.get_scorer("AP@10"))
assert ap.confidence_interval(y, a).low < ap.compare(y, {"a": a, "b": b}).rows[0].value
"""


def check_without(rim: str, paths: list[str]) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        copy = copytree(PACKAGE, root / PACKAGE.name, ignore=ignore_patterns("__pycache__"))
        for path in paths:
            place = copy / path
            if place.is_dir():
                rmtree(place)
            else:
                place.unlink()
        call = [sys.executable, "-P", "-W", "ignore", "-c", USE, str(root)]
        env = {"PYTHONPATH": str(root)}
        done = subprocess.run(call, capture_output=True, text=True, cwd=root, env=env)
    if done.returncode:
        raise SystemExit(f"Without {rim}:\n{done.stderr}")
    print(f"Without {rim}, everything else works.")


if __name__ == "__main__":
    for rim, paths in RIMS.items():
        check_without(rim, paths)
