"""Write tests/first_run.md: the test files that run most of each module.

python -m pytest -n 2 --cov sklearn_ap --cov-context test --cov-report=
python -m tests.first_run
"""

from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "tests/first_run.md"
MOST_FILES = 4
HEADING = """\
# Which tests to run first

After a change to a module, these test files notice most faults, because their tests run much of
the module and little else. `tests/first_run.py` writes this page once a night.

| to change | first run |
|---|---|
"""


def lines_run(data):
    """Return the lines of each module that each test runs, as {test: {module: {line, ...}}}.

    Lines that run at the import of a module have no test, or that of whichever test came first.
    """
    lines = defaultdict(lambda: defaultdict(set))
    for path in data.measured_files():
        module = Path(path).relative_to(ROOT / "sklearn_ap").as_posix()
        for line, tests in data.contexts_by_lineno(path).items():
            for test in tests:
                lines[test.partition("|")[0]][module].add(line)
    return lines


def scores(lines):
    """Return a score of each test file for each module, as {module: {file: score}}.

    A test that runs only one module has a score of 1 there. Others share it out by their lines.
    """
    scores = defaultdict(lambda: defaultdict(float))
    for test, by_module in lines.items():
        file = test.partition("::")[0]
        if not file.startswith("tests/test_"):
            continue  # an import, or an example in a docstring
        n_lines = sum(map(len, by_module.values()))
        for module, of_module in by_module.items():
            scores[module][file] += len(of_module) / n_lines
    return scores


def table(scores):
    rows = []
    for module, by_file in sorted(scores.items()):
        files = sorted(by_file, key=by_file.get, reverse=True)[:MOST_FILES]
        named = ", ".join(f"`{file.removeprefix('tests/')}`" for file in files)
        rows.append(f"| `{module}` | {named} |\n")
    return HEADING + "".join(rows)


if __name__ == "__main__":
    from coverage import CoverageData  # which only this script needs

    data = CoverageData(ROOT / ".coverage")
    data.read()
    TABLE.write_text(table(scores(lines_run(data))), encoding="utf-8")
