"""Change the package one small thing at a time, and see whether a quick test fails.

    python -m tests.mutants sklearn_ap/_infer/folds.py --n 40 --seed 1
    python -m tests.mutants sklearn_ap.core.rules.Step
    python -m tests.mutants --changed

A change makes a condition always true or always false, or leaves out a statement or an operand of
`and` or `or`. Those that no test notices are printed. If you know no input with a worse result,
delete the line or the operand. Else add a case to a test, unless it doesn't matter.

One process collects the tests. Each change is put in place in a fork of it, which runs the tests
that execute the changed line until one fails: those of the files that CONTRIBUTING.md names for the
module, then the others, quickest first. Which lines a test executes is traced once, and kept in
.pytest_cache/mutants until the file of the test changes.
"""

import argparse
import ast
import gc
import importlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from types import CodeType, FunctionType
from zlib import crc32

import pytest

ROOT = Path.cwd()  # which tests may leave
CACHE = ROOT / ".pytest_cache" / "mutants"
LONGEST = 20  # seconds of tests for a change, while they're traced


@dataclass(frozen=True)
class Change:
    path: str
    function: str
    tree: ast.Module
    node: ast.AST
    value: bool | None  # what a condition is to be; None for a statement that is left out
    lines: range  # a test that notices the change executes one of these

    def compile(self):
        """Return the changed module, with the same names, as closures keep their cells."""
        if self.value is None:
            new = ast.If(ast.Constant(False), [self.node], [])
        else:
            operator = ast.Or() if self.value else ast.And()
            new = ast.BoolOp(operator, [ast.Constant(self.value), self.node])
        ast.fix_missing_locations(ast.copy_location(new, self.node))

        class Replacer(ast.NodeTransformer):
            def visit(_, node):
                return new if node is self.node else super().visit(node)

        return compile(Replacer().visit(self.tree), self.path, "exec")

    def __str__(self):
        change = "left out" if self.value is None else self.value
        where = f"{self.path}:{self.node.lineno} {self.function}"
        return f"{where}\n    {ast.unparse(self.node)}  ->  {change}"


# Finding changes


def name_module(path):
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def find_functions(path, tree):
    """Return the functions of a module by their full names, each before those within it."""
    found = {}

    def visit(node, name):
        for child in ast.iter_child_nodes(node):
            is_named = isinstance(child, ast.ClassDef | ast.FunctionDef)
            full = f"{name}.{child.name}" if is_named else name
            if isinstance(child, ast.FunctionDef):
                found[full] = child
            visit(child, full)

    visit(tree, name_module(path))
    return found


def list_values(node, parent, names):
    """Return what may take the place of a node: a condition's values, or None to leave it out.

    `names` are those that the function binds, each as often as it does.
    """
    match parent:
        case ast.If() | ast.IfExp() if node is parent.test:
            return [True, False]
        case ast.While() if node is parent.test and not isinstance(node, ast.Constant):
            return [False]
        case ast.comprehension() if node in parent.ifs:
            return [True, False]
        case ast.BoolOp() if node in parent.values:  # without the operand
            return [isinstance(parent.op, ast.And)]
        case ast.If() if parent.body == [node]:  # as if the condition were false
            return []
    match node:
        case ast.Return():
            can_go = node is not parent.body[-1] or not isinstance(parent, ast.FunctionDef)
        case ast.Assign(targets=[ast.Name(id=name)]):
            can_go = names.count(name) > 1
        case ast.Assign(targets=[target]):
            can_go = not isinstance(target, ast.Tuple)
        case ast.Expr():
            can_go = isinstance(node.value, ast.Call)
        case _:
            small = ast.AugAssign | ast.Continue | ast.Break | ast.Raise | ast.Delete
            can_go = isinstance(node, small)
    return [None] if can_go else []


def find_changes(path, source):
    """Yield all changes of the functions of a module."""
    tree = ast.parse(source)

    def visit(node, parent, statement):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            return
        if isinstance(node, ast.stmt):
            statement = node
        test, body = getattr(statement, "test", None), getattr(statement, "body", None)
        head = range(statement.lineno, body[0].lineno if body else statement.end_lineno + 1)
        for value in list_values(node, parent, names):
            lines = head
            if body and value is False and test in (node, parent):  # the body is reached less often
                lines = range(body[0].lineno, body[0].end_lineno + 1)
            yield node, value, lines
        for child in ast.iter_child_nodes(node):
            yield from visit(child, node, statement)

    for function, definition in find_functions(path, tree).items():
        nodes = [*ast.walk(definition)]
        names = [node.arg for node in nodes if isinstance(node, ast.arg)]
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.append(node.id)
        for statement in definition.body:
            for change in visit(statement, definition, statement):
                yield Change(path, function, tree, *change)


def run_git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True).stdout


def list_changed_functions(path, source):
    """Return the functions that aren't the same where the branch left main."""
    base = run_git("merge-base", "main", "HEAD").strip()
    _, before = index_lines(path, run_git("show", f"{base}:{path}"))
    _, now = index_lines(path, source)
    return [name for name, checksum in now.items() if checksum != before.get(name)]


def draw_changes(options):
    changes = []
    for file in sorted(Path(options.package).rglob("*.py")):
        path, source = file.as_posix(), file.read_text(encoding="utf-8")
        try:
            importlib.import_module(name_module(path))
        except ImportError:  # of a library that isn't installed
            continue
        wanted = list_changed_functions(path, source) if options.changed else options.targets
        for change in find_changes(path, source):
            if any(f"{change.function}.".startswith(f"{name}.") for name in wanted):
                changes.append(change)
    random.Random(options.seed).shuffle(changes)
    return changes[: options.n]


# Running tests in forks


def run_in_forks(works, n_forks):
    """Call functions in forks, and yield the key of each with its answer; None if it died."""
    running = {}

    def wait_for_one():
        pid, _ = os.wait()
        key, end = running.pop(pid)
        with os.fdopen(end) as file:
            return key, json.loads(file.read() or "null")

    for key, work in works:
        if len(running) == n_forks:
            yield wait_for_one()
        end, write = os.pipe()
        if pid := os.fork():
            os.close(write)
            running[pid] = key, end
            continue
        try:
            for standard in (0, 1, 2):
                os.dup2(os.open(os.devnull, os.O_RDWR), standard)
            os.write(write, json.dumps(work()).encode())
        finally:
            os._exit(0)
    while running:
        yield wait_for_one()


FAILURES = []  # names of tests


def run_test(item, following):
    """Run a test, and return whether it passes, once pytest has filtered warnings."""
    FAILURES.clear()
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    return not FAILURES


# Which lines a test executes


def index_lines(path, source):
    """Return the function and the text of each line, and a checksum of each function.

    They stay the same when other functions change.
    """
    lines = [(name_module(path), line.strip()) for line in source.splitlines()]
    for function, tree in find_functions(path, ast.parse(source)).items():
        for place in range(tree.lineno - 1, tree.end_lineno):
            lines[place] = function, lines[place][1]
    checksums = defaultdict(int)
    for function, text in lines:
        checksums[function] = crc32(text.encode(), checksums[function])
    return lines, checksums


@cache
def read_lines(path):
    return index_lines(path, Path(path).read_text(encoding="utf-8"))


def trace(items, package, file):
    """Write the tests that pass, with their seconds, and which lines these execute: by function,
    its checksum, and the numbers of the tests of each line.
    """
    executed = defaultdict(set)

    @cache
    def make_tracer(path):
        path = os.path.relpath(path, ROOT)
        if not path.startswith(f"{package}{os.sep}"):
            return None
        add = executed[path].add

        def trace_line(frame, event, arg):
            if event == "line":
                add(frame.f_lineno)
            return trace_line

        return trace_line

    def trace_call(frame, event, arg):
        return make_tracer(frame.f_code.co_filename)

    tests, functions = [], {}
    for item, following in pairwise([*items, None]):
        start = time.process_time()
        threading.settrace(trace_call)
        sys.settrace(trace_call)
        has_passed = run_test(item, following)
        sys.settrace(None)
        threading.settrace(None)
        seconds = time.process_time() - start
        for path, numbers in executed.items():
            lines, checksums = read_lines(path)
            for function, text in {lines[number - 1] for number in numbers if has_passed}:
                _, tests_of = functions.setdefault(
                    function, (checksums[function], defaultdict(list))
                )
                tests_of[text].append(len(tests))
            numbers.clear()
        if has_passed:
            tests.append((item.nodeid, round(seconds, 3)))
    file.write_text(json.dumps({"tests": tests, "functions": functions}), encoding="utf-8")
    return len(tests)


def read_maps(items, options):
    """Return what the tests of each file execute. Trace those of files that have changed."""
    groups = defaultdict(list)
    for item in items:
        groups[item.nodeid.split("::")[0]].append(item)
    CACHE.mkdir(parents=True, exist_ok=True)
    files, works = [], []
    for path, group in groups.items():
        content = "\n".join([Path(path).read_text(encoding="utf-8"), *(i.nodeid for i in group)])
        name = path.replace("/", "+")
        file = CACHE / f"{name}.{crc32(content.encode())}.json"
        files.append(file)
        if not file.exists():
            for old in CACHE.glob(f"{name}.*"):
                old.unlink()
            works.append((path, partial(trace, group, options.package, file)))
    for path, n_tests in run_in_forks(works, options.jobs):
        print(f"traced {path}: {n_tests} tests", flush=True)
    return [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]


# Trying changes


def find_tests(change, maps):
    """Return the tests that execute the lines of a change, with their seconds.

    If the function isn't as it was when they were traced, all that execute it are.
    """
    lines, checksums = read_lines(change.path)
    reached = {lines[number - 1][1] for number in change.lines}
    found = {}
    for each in maps:
        checksum, tests_of = each["functions"].get(change.function, (None, {}))
        is_same = checksum == checksums[change.function]
        for line in tests_of.keys() & reached if is_same else tests_of:
            found |= dict(each["tests"][number] for number in tests_of[line])
    return found


@cache
def list_own_files(path):
    """Return how the names of a module's test files begin, by the table in CONTRIBUTING.md."""
    own = path.split("/")[1].removesuffix(".py")
    text = Path("CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(rf"^\|.*`{own}`.* \| (`test_.*`) \|$", text, re.MULTILINE)
    names = re.findall(r"`(test_\w+)", rows[0]) if rows else [f"test_{own}"]
    return "test_refusals", *names


def is_own(test, path):
    return test.split("/")[-1].startswith(list_own_files(path))


def choose_tests(found, path):
    """Return tests of at most `LONGEST` seconds: those of the module's files, then quick ones."""
    chosen, left = [], LONGEST
    for test in sorted(found, key=lambda test: (not is_own(test, path), found[test])):
        if found[test] < left:
            chosen.append(test)
            left -= found[test]
    return chosen


def find_live_functions():
    """Return the functions of each file, also those that other functions made at import."""
    functions = defaultdict(list)
    for each in gc.get_objects():
        if type(each) is FunctionType:
            functions[os.path.relpath(each.__code__.co_filename, ROOT)].append(each)
    return functions


def list_codes(code):
    inner = [list_codes(each) for each in code.co_consts if isinstance(each, CodeType)]
    return sum(inner, [code])


def try_change(change, functions, items):
    """Return the test that notices a change, or ""."""
    signal.setitimer(signal.ITIMER_PROF, 8 * LONGEST)  # of CPU time, for loops without an end
    signal.alarm(40 * LONGEST)  # for locks that nobody opens
    codes = defaultdict(list)
    for code in list_codes(change.compile()):
        codes[code.co_qualname, code.co_firstlineno].append(code)
    for function in functions:
        old = function.__code__
        new = codes[old.co_qualname, old.co_firstlineno]
        if len(new) == 1:  # lambdas on one line can't be told apart
            function.__code__ = new[0]
    for item, following in pairwise([*items, None]):
        if not run_test(item, following):
            return item.nodeid
    return ""


class Mutants:
    """Tries changes in place of pytest's loop over the tests."""

    __hash__ = object.__hash__  # pytest puts plugins in sets, for the examples of docstrings

    def __init__(self, options):
        self.options = options

    def pytest_runtest_logreport(self, report):
        if report.failed:
            FAILURES.append(report.nodeid)

    def pytest_runtestloop(self, session):
        items = {item.nodeid: item for item in session.items}
        # Read now what may be edited while tests are traced.
        changes = draw_changes(self.options)
        for file in Path(self.options.package).rglob("*.py"):
            read_lines(file.as_posix())
        maps = read_maps(session.items, self.options)
        chosen = [choose_tests(find_tests(change, maps), change.path) for change in changes]
        functions = find_live_functions()
        del maps
        gc.collect()
        gc.freeze()  # so that forks share it

        works = []
        for change, tests in zip(changes, chosen, strict=True):
            tests = [items[test] for test in tests if test in items]
            works.append((change, partial(try_change, change, functions[change.path], tests)))
        counts = defaultdict(Counter)
        for change, test in run_in_forks(works, self.options.jobs):
            if test == "":
                print(change, end="\n\n", flush=True)
            is_noticed = test != ""  # also if the process died
            count = counts[".".join(change.function.split(".")[:2])]
            count += Counter(tried=1, noticed=is_noticed, own=is_own(test or "", change.path))
        for package, count in sorted(counts.items()):
            noticed = f"{count['noticed']} of {count['tried']} noticed"
            print(f"{package}: {noticed}, {count['own']} by its own files")
        return True


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("targets", nargs="*", help="packages, modules, classes or functions")
    parser.add_argument("--changed", action="store_true", help="functions that differ from main")
    parser.add_argument("--n", type=int, default=40, help="how many changes are drawn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="forks at a time")
    parser.add_argument("--tests", nargs="*", default=[], help="files, instead of all")
    options = parser.parse_args()
    options.targets = [name_module(name.rstrip("/")) for name in options.targets or ["sklearn_ap"]]
    options.package = options.targets[0].split(".")[0]
    os.environ["CI"] = "1"  # Hypothesis without chance
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    pytest_options = ["-qq", "-s", "-p", "no:cacheprovider", *options.tests]
    sys.exit(pytest.main(pytest_options, [Mutants(options)]))
