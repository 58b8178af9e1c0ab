"""How large the package is: its lines of code, types and data, and the parameters that users meet.

`python -m tests.size` prints them beside those of the commit that a change began with, and the
functions with the most parameters.
"""

import importlib
import inspect
import io
import os
import subprocess
import sys
import tarfile
from ast import (
    Assign,
    AsyncFunctionDef,
    ClassDef,
    Constant,
    Expr,
    FunctionDef,
    JoinedStr,
    Module,
    Name,
    parse,
    walk,
)
from dataclasses import is_dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import sklearn_ap

PACKAGE = Path(sklearn_ap.__file__).parent


def docstring_lines(tree):
    lines = set()
    for node in walk(tree):
        if isinstance(node, Module | ClassDef | FunctionDef | AsyncFunctionDef) and node.body:
            first = node.body[0]
            is_text = isinstance(first, Expr) and isinstance(first.value, Constant)
            if is_text and isinstance(first.value.value, str):
                lines.update(range(first.lineno, first.end_lineno + 1))
    return lines


def data_lines(tree):
    """Return the lines of the rows of `DIFFERENCES`, which are data, as those of peers.toml."""
    lines = set()
    for node in tree.body:
        is_data = isinstance(node, Assign) and isinstance(node.targets[0], Name)
        if is_data and node.targets[0].id == "_ROWS":
            lines.update(range(node.lineno, node.end_lineno + 1))
    return lines


def code_lines(text):
    """Return the number of lines that aren't blank, a comment, a docstring or data."""
    lines = {
        number
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    tree = parse(text)
    for node in walk(tree):  # a string can have blank lines, and lines that look like comments
        if isinstance(node, Constant | JoinedStr):
            lines.update(range(node.lineno, node.end_lineno + 1))
    return len(lines - docstring_lines(tree) - data_lines(tree))


def plain_lines(text):
    """Return the number of lines of TOML that aren't blank or a comment."""
    return sum(not line.lstrip().startswith("#") for line in text.splitlines() if line.strip())


COUNTED_LINES = {"py": code_lines, "pyi": code_lines, "toml": plain_lines}


def package_lines(suffix):
    """Return the number of lines of all files of the package with this suffix."""
    texts = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob(f"*.{suffix}"))
    return sum(map(COUNTED_LINES[suffix], texts))


def is_ours(item):
    """Return whether an object is a function or a class of this package, and no exception."""
    is_error = inspect.isclass(item) and issubclass(item, Exception)
    module = getattr(item, "__module__", None) or ""
    return callable(item) and module.startswith("sklearn_ap") and not is_error


def public_callables():
    """Return the public functions, classes and methods by name, each of them once."""
    callables = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
    for name in sklearn_ap._MODULES:
        module = importlib.import_module(f"sklearn_ap.{name}")
        for public in module.__all__:
            callables[f"{name}.{public}"] = getattr(module, public)
    callables = {name: item for name, item in callables.items() if is_ours(item)}

    for name, item in [*callables.items()]:
        if inspect.isclass(item):
            methods = inspect.getmembers(item, inspect.isroutine)
            callables |= {
                f"{name}.{method}": function for method, function in methods if method[0] != "_"
            }

    # A class has two names if two modules show it, and a method if two classes inherit it.
    names = {}
    for name, item in callables.items():
        names.setdefault(getattr(item, "__func__", item), name)
    return {name: item for item, name in names.items() if is_ours(item)}


def is_made_by_us(item):
    """Return whether functions of ours make the instances of a class, and callers only read them.

    All dataclasses are results, tables of readers or displays, which have their own constructors.
    `metric` makes a `Metric`.
    """
    return inspect.isclass(item) and (is_dataclass(item) or item is sklearn_ap.Metric)


def public_parameters():
    """Return the number of parameters of each public callable, without self and cls.

    The fields of results aren't counted, because nobody passes them.
    """
    numbers = {}
    for name, item in public_callables().items():
        if is_made_by_us(item):
            continue
        names = [*inspect.signature(item).parameters]
        numbers[name] = len([name for name in names if name not in ("self", "cls")])
    return numbers


HEADER = ("code", ".pyi", "TOML", "parameters")


def write_row(cells, label=""):
    return "".join(f"{cell:>12}" for cell in cells) + f"  {label}".rstrip()


def describe_size(label=""):
    numbers = [*map(package_lines, COUNTED_LINES), sum(public_parameters().values())]
    return write_row([f"{number:,}" for number in numbers], label)


def run_git(*arguments, folder):
    """Return what git prints; None if it fails, or isn't there."""
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout


def find_base(folder):
    """Return the commit that a change began with: where it left origin/main, else the one before.

    It is None where history is missing, as in a shallow clone.
    """
    base = run_git("merge-base", "origin/main", "HEAD", folder=folder)
    if base is None or base == run_git("rev-parse", "HEAD", folder=folder):
        base = run_git("rev-parse", "--verify", "HEAD~1", folder=folder)
    return None if base is None else base.decode().strip()


def describe_size_at(commit, folder):
    """Count the package of a commit, as this file counts."""
    archive = run_git("archive", commit, "sklearn_ap", folder=folder)
    with TemporaryDirectory() as copy:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(copy, filter="data")
        command = [sys.executable, "-P", __file__, "here"]
        environment = os.environ | {"PYTHONPATH": copy}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.rstrip()


if __name__ == "__main__":
    if sys.argv[1:] == ["here"]:
        print(describe_size())
    else:
        print(f"{write_row(HEADER)}\n{describe_size('here')}")
        checkout = Path(__file__).parents[1]
        if base := find_base(checkout):
            print(f"{describe_size_at(base, checkout)}  {base[:8]}")
        for name, number in sorted(public_parameters().items(), key=lambda item: -item[1])[:20]:
            print(f"{number:4d}  {name}")
