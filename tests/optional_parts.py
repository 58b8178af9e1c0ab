"""Take parts of the package away, one at a time, and run the tests of the rest.

    python -m tests.optional_parts                     # each of them, and then all
    python -m tests.optional_parts compat              # one
    python -m tests.optional_parts compat+inference    # two

A part has its own modules, tests and pages. Beside these, only `__init__.py` and the lists that
begin with an underscore may name it, from which its lines are removed here.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARTS = {  # what goes: modules, and tests
    "compat": (["compat"], ["audit", "where", "transforms", "definitions", "pages", "tools"]),
    "audit": (["compat/_audit"], ["audit", "pages"]),
    "inference": (
        ["_uncertainty", "inference", "reports", "thresholds", "_results/forest"],
        [
            "variation",
            "inference",
            "method",
            "folds",
            "coverage",
            "reports",
            "forest",
            "thresholds",
            "runs",
            "pages",
        ],
    ),
    "elsewhere": (["_core/on_device", "_core/on_spark", "spark"], ["on_device", "on_spark"]),
    "tools": (
        ["boosting", "readers"],
        ["boosting", "readers", "runs", "pages"],
    ),
}


def remove_imports(text, modules):
    """Remove the imports from modules, and every mention of what was imported in a list."""
    gone = {*modules}
    for module in modules:
        *_, name = module.split("/")
        pattern = rf"^from \.+\w*\.?{name}(?:\.\w+)? import (\([^)]*\)|[^\n(]+)\n"
        for names in re.findall(pattern, text, re.MULTILINE):
            gone |= {*re.findall(r"\w+", names)}
        text = re.sub(pattern, "", text, flags=re.MULTILINE)
        found = re.search(r"^from \. import ([^\n]*)\n", text, re.MULTILINE)
        if found and name in found[1].split(", "):
            gone.add(name)
            kept = [each for each in found[1].split(", ") if each != name]
            line = f"from . import {', '.join(kept)}\n" if kept else ""
            text = text.replace(found[0], line)
    for name in gone:
        text = re.sub(rf'^ *"{name}",\n', "", text, flags=re.MULTILINE)  # in __all__
        text = re.sub(rf"^(_[A-Z]+ = [\[(].*?)\b{name}\b(, )?", r"\1", text, flags=re.MULTILINE)
    return text


def remove(folder, part):
    modules, tests = PARTS[part]
    package = folder / "sklearn_ap"
    for module in modules:
        if (package / module).is_dir():
            shutil.rmtree(package / module)
        else:  # Without compat, its audit is gone, too.
            (package / f"{module}.py").unlink(missing_ok=True)
    for name in tests:
        (folder / f"tests/test_{name}.py").unlink(missing_ok=True)
    for path in [*package.glob("**/__init__.py"), *package.glob("_*/*.py")]:
        path.write_text(remove_imports(path.read_text(), modules))


def main():
    failed = []
    for parts in sys.argv[1:] or [*PARTS, "+".join(PARTS)]:
        with tempfile.TemporaryDirectory() as folder:
            for name in (
                *("sklearn_ap", "tests", "docs", "conftest.py", "pyproject.toml"),
                *("CITATION.cff", "CONTRIBUTING.md", "README.md"),
            ):  # fmt: skip
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
                copy(ROOT / name, Path(folder) / name)
            for part in parts.split("+"):
                remove(Path(folder), part)
            command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"]
            print(f"== without {parts} ==", flush=True)
            if subprocess.run(command, cwd=folder, check=False).returncode:
                failed.append(parts)
    if failed:
        sys.exit(f"Something else needs {', '.join(failed)}.")


if __name__ == "__main__":
    main()
