"""Show which outputs of pages and docstrings are out of date: python docs/_write/outputs.py

It runs the examples again, and prints what has changed as a diff. With `--write`, it writes that,
too, and with names of files, it looks only at these. Lines that still match stay as they are, with
their "..." and rounded numbers. Outputs are in `text` blocks below `python` blocks and below
commands of this package, and in `>>>` sessions. Those of pages that docs/_write/pages.py writes are
in its texts. sklearn_ap/spark.py isn't run here.
"""

import ast
import contextlib
import difflib
import doctest
import os
import re
import shlex
import sys
import tempfile
import textwrap
import tomllib
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from _pytest.doctest import _get_checker  # the only one that knows NUMBER

ROOT = Path(__file__).parents[2]
# A snippet that needs an optional package says so: <!-- needs: distributed -->
# A page of which every snippet does says so too: <!-- this page needs: pandas -->
# What has to be true after a snippet of these, so that readers see both values:
# <!-- check: theirs == ours -->
SNIPPET = re.compile(
    r"(?:^<!-- needs: (?P<needs>\w+) -->\n)?^```(?P<language>python|pycon|sh)\n(?P<code>.*?)^```$"
    r"(?:\n\n^```text\n(?P<output>.*?)^```$)?(?:\n\n^<!-- check: (?P<check>.*?) -->$)?",
    re.M | re.S,
)
NEEDS = re.compile(r"^<!-- this page needs: (\w+) -->$", re.M)
EXECUTED = "<!-- this page is executed -->\n"  # by the site, which adds the outputs
OTHERS = (EXECUTED, "<!-- Written by ")
FILE = re.compile(r"this file,\s`(\S+)`:\n\n```text\n(.*?)^```$", re.M | re.S)
COMMAND = "python -m sklearn_ap "
WIDTH = 79  # of outputs, as wide as results print

CHECKER = _get_checker()
PROJECT = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text(encoding="utf-8"))
FLAGS = PROJECT["tool"]["pytest"]["ini_options"]["doctest_optionflags"]
IN_DOCSTRINGS = sum(map(doctest.register_optionflag, FLAGS))


def execute(code: str, path: str, names: dict[str, Any]) -> None:
    exec(compile(code, path, "exec"), names)


def run(text: str, path: str, execute: Callable[..., None] = execute) -> Iterator[tuple[Any, Any]]:
    """Run the snippets of a page in one namespace, and yield each with what it shows.

    This is what it prints, the whole session, or None if it can't run here.
    """
    names: dict[str, Any] = {}
    for file, content in FILE.findall(text):
        Path(file).write_text(content, encoding="utf-8")
    for snippet in SNIPPET.finditer(text):
        code, language, out = snippet["code"], snippet["language"], StringIO()
        if snippet["needs"] and not find_spec(snippet["needs"]):
            yield snippet, None
        elif language == "pycon":
            lines = code.splitlines(keepends=True)
            yield snippet, "".join(session(code, lines, names, doctest.ELLIPSIS))
        elif language == "python":
            above = "\n" * text.count("\n", 0, snippet.start("code"))  # right lines in a traceback
            with contextlib.redirect_stdout(out):
                execute(above + code, path, names)
            check = snippet["check"]
            assert check is None or eval(check, {"np": np, **names}), check
            yield snippet, out.getvalue()
        elif code.startswith(COMMAND):
            main = import_module("sklearn_ap.__main__").main
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                main(shlex.split(code.removeprefix(COMMAND).replace("\\\n", "")))
            yield snippet, out.getvalue() if snippet["output"] else None


def page(text: str, path: str = "page") -> str:
    """Return a page with the outputs that its snippets have now."""
    parts, end = [], 0
    for snippet, shown in run(text, path):
        # A long line is wrapped, except what a command prints, which is compared exactly.
        flags = doctest.NORMALIZE_WHITESPACE * (snippet["language"] == "python")
        start, stop = snippet.span("code" if snippet["language"] == "pycon" else "output")
        if shown and start < 0:
            start = stop = snippet.end("code") + len("```")
            shown = f"\n\n```text\n{merged('', shown, flags)}```"
        elif shown is not None and snippet["language"] != "pycon":
            shown = merged(snippet["output"] or "", shown, flags)
        if shown is not None and start >= 0:
            parts += [text[end:start], shown]
            end = stop
    return "".join(parts) + text[end:]


def docstrings(source: str, names: dict[str, Any]) -> str:
    """Return the source of a module with the outputs that its docstrings have now."""
    lines = source.splitlines(keepends=True)
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, documented)]
    places: list[Any] = [node.body[0] for node in nodes if ast.get_docstring(node)]
    for place in sorted(places, key=lambda place: place.lineno, reverse=True):
        whole = slice(place.lineno - 1, place.end_lineno)
        lines[whole] = session(place.value.value, lines[whole], dict(names), IN_DOCSTRINGS)
    return "".join(lines)


class Runner(doctest.DocTestRunner):
    """Collect the examples that show something else now."""

    changed: list[tuple[doctest.Example, str]]

    def report_failure(self, out: Any, test: Any, example: doctest.Example, got: str) -> None:
        self.changed.append((example, got))

    def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
        raise exc_info[1]


def session(text: str, lines: list[str], names: dict[str, Any], flags: int) -> list[str]:
    """Return the lines of a text, as they are written, with the outputs of its `>>>` examples."""
    lines = [*lines]
    test = doctest.DocTestParser().get_doctest(text, names, "example", None, 0)
    runner = Runner(CHECKER, optionflags=flags)
    runner.changed = []
    runner.run(test, clear_globs=False)
    names.update(test.globs)
    for example, got in reversed(runner.changed):
        start = example.lineno + example.source.count("\n")
        stop = start + example.want.count("\n")
        got = re.sub(r"^[^\S\n]*$(?=\n)", "<BLANKLINE>", got, flags=re.M)
        output = merged(example.want, got, flags)
        lines[start:stop] = [textwrap.indent(output, " " * example.indent)]
    return lines


def merged(old: str, new: str, flags: int) -> str:
    """Return an output as it is printed now, with the lines as they stand where they match."""
    if CHECKER.check_output(old, new, flags):
        return old
    shown, lines = old.splitlines(), []
    known = [line for line in shown if line != "..."]
    n = len(known)
    for line in map(str.rstrip, new.splitlines()):
        # In tables, rows move if a column gets wider, so spaces only don't matter in wrapped lines.
        wraps = len(line) > WIDTH and bool(flags & doctest.NORMALIZE_WHITESPACE)
        exactly = flags if wraps else flags & ~doctest.NORMALIZE_WHITESPACE
        runs = (known[i:j] for i in range(n) for j in range(i + 1, (n if wraps else i + 1) + 1))
        same = (run for run in runs if CHECKER.check_output("\n".join(run), line, exactly))
        indent = line[: len(line) - len(line.lstrip())]
        fits = textwrap.wrap(line, WIDTH, subsequent_indent=indent) if wraps else [line]
        lines += next(same, fits)
    if flags & doctest.ELLIPSIS and "..." in shown:
        above, below = shown.index("..."), shown[::-1].index("...")
        if above + below < len(lines):
            lines = [*lines[:above], "...", *lines[len(lines) - below :]]
    return "".join(f"{line}\n" for line in lines)


def today(path: Path, text: str) -> str:
    """Return the text of a file with the outputs of today."""
    if path.suffix == ".md":
        return page(text, str(path))
    parts = path.relative_to(ROOT).with_suffix("").parts
    if ">>> " not in text:
        return text
    return docstrings(text, vars(import_module(".".join(parts).removesuffix(".__init__"))))


def main(arguments: list[str]) -> int:
    """Return 1 if an output has changed or can't be compared."""
    files = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("sklearn_ap/**/*.py")]
    files = [Path(name).resolve() for name in arguments if name != "--write"] or sorted(files)
    code = 0
    for path in files:
        text = new = path.read_text(encoding="utf-8")
        if text.startswith(OTHERS) or path.name == "spark.py":
            continue
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            try:
                new = today(path, text)
            except Exception:
                print(f"{path} could not be run:\n{traceback.format_exc(limit=-1)}")
                code = 1
        before, after = (each.splitlines(keepends=True) for each in (text, new))
        sys.stdout.writelines(difflib.unified_diff(before, after, str(path), str(path)))
        if new != text:
            code = 1
            if "--write" in arguments:
                path.write_text(new, encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))  # the package of this checkout, whichever is installed
    os.environ.setdefault("MPLBACKEND", "agg")
    sys.exit(main(sys.argv[1:]))
