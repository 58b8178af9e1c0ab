"""Change the package one small thing at a time, and see whether a quick test fails.

    python -m tests.mutants sklearn_ap/_infer/folds.py --n 40 --seed 1
    python -m tests.mutants sklearn_ap.core.rules.Step
    python -m tests.mutants --changed

A change makes a condition always true or always false, or leaves out a statement or an operand of
`and` or `or`. With --all, it also leaves out keyword arguments, and adds 1 to numbers. Those that
no test notices are printed as diffs. If you know no input with a worse result, delete the line or
the operand. Else add a case to a test, unless it doesn't matter.

One process collects the tests. Each change is put in place in a fork of it, which runs the tests
that execute the changed statement until one fails. Which lines a test executes is traced once, and
kept in .pytest_cache/mutants until the file of the test changes. What modules compute while they
are imported doesn't change.
"""

import argparse
import ast
import gc
import importlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType

import pytest

ROOT = Path.cwd()  # which tests may leave
CACHE = ROOT / ".pytest_cache" / "mutants"
LONGEST = 10  # seconds of tests for a change


@dataclass(frozen=True)
class Change:
    path: str
    function: str
    source: str
    node: ast.AST  # what is replaced
    shown: str
    run: str  # mentions all names of the node, so that closures keep their variables
    lines: range  # a test that notices the change executes one of these
    body: range = range(0)  # a test for which the change alters nothing may execute one of these

    def replace(self, text):
        lines = self.source.encode().splitlines(keepends=True)
        first = sum(map(len, lines[: self.node.lineno - 1])) + self.node.col_offset
        last = sum(map(len, lines[: self.node.end_lineno - 1])) + self.node.end_col_offset
        whole = b"".join(lines)
        text = text.format(whole[first:last].decode())
        return (whole[:first] + text.encode() + whole[last:]).decode()

    def __str__(self):
        before, after = self.source.splitlines(), self.replace(self.shown).splitlines()
        diff = [*unified_diff(before, after, lineterm="", n=2)][3:]
        return "\n".join([f"{self.path}:{self.node.lineno} {self.function}", *diff])


# Finding changes


def name_module(path):
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def find_functions(path, source):
    """Return the functions of a module by their full names, each before those within it."""
    found = {}

    def visit(node, name):
        for child in ast.iter_child_nodes(node):
            is_named = isinstance(child, ast.ClassDef | ast.FunctionDef)
            full = f"{name}.{child.name}" if is_named else name
            if isinstance(child, ast.FunctionDef):
                found[full] = child
            visit(child, full)

    visit(ast.parse(source), name_module(path))
    return found


def list_conditions(node):
    """Return the conditions of a node, and what each of them is to be."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test):
            return [(test, True), (test, False)]
        case ast.While(test=test):
            return [] if isinstance(test, ast.Constant) else [(test, False)]
        case ast.comprehension(ifs=tests):
            return [(test, value) for test in tests for value in (True, False)]
        case ast.BoolOp(op=op, values=operands):  # without the operand
            return [(operand, isinstance(op, ast.And)) for operand in operands]
    return []


def can_be_left_out(statement, parent, names):
    """Return whether a module still makes sense without a statement, as no other change leaves it.

    `names` has the names that the function binds, each as often as it does.
    """
    is_last = statement is parent.body[-1]
    if isinstance(parent, ast.If) and parent.body == [statement] and not parent.orelse:
        return False
    match statement:
        case ast.Return():
            return not (is_last and isinstance(parent, ast.FunctionDef))
        case ast.Assign(targets=[ast.Name(id=name)]):
            return names.count(name) > 1
        case ast.Assign(targets=[target]):
            return not isinstance(target, ast.Tuple)
        case ast.Expr(value=value):
            return isinstance(value, ast.Call)
    return isinstance(statement, ast.AugAssign | ast.Continue | ast.Break | ast.Raise | ast.Delete)


def find_changes(path, source, with_arguments=False):
    """Yield all changes of the functions of a module."""

    def visit(node, parent, statement):
        if isinstance(node, ast.stmt):
            statement = node
        body = getattr(statement, "body", None)
        last = body[0].lineno - 1 if body else statement.end_lineno
        lines = range(statement.lineno, max(last, statement.lineno) + 1)
        for test, value in list_conditions(node):
            run = "(True or ({}))" if value else "(False and ({}))"
            within = range(0)
            if isinstance(node, ast.If):
                within = range(body[0].lineno, body[0].end_lineno + 1)
            if within and not value:  # noticed only where it's true
                yield test, "False", run, within
            else:
                yield test, str(value), run, lines, within
        if node is statement and can_be_left_out(node, parent, names):
            yield node, "pass", "if 0: {}", lines
        if with_arguments and isinstance(node, ast.keyword) and node.arg:
            yield node, "**{{}}", "**({{}} if True else dict({}))", lines
        if with_arguments and isinstance(node, ast.Constant) and type(node.value) in (int, float):
            yield node, "{} + 1", "({} + 1)", lines
        for child in ast.iter_child_nodes(node):
            # The places of what stands in an f-string are wrong before Python 3.12.
            if not isinstance(child, ast.FunctionDef | ast.ClassDef | ast.JoinedStr | ast.pattern):
                yield from visit(child, node, statement)

    for function, tree in find_functions(path, source).items():
        arguments = [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)]
        stored = [node for node in ast.walk(tree) if isinstance(getattr(node, "ctx", 0), ast.Store)]
        names = arguments + [node.id for node in stored if isinstance(node, ast.Name)]
        for statement in tree.body:
            if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
                for change in visit(statement, tree, statement):
                    yield Change(path, function, source, *change)


def run_git(*arguments):
    return subprocess.run(["git", *arguments], capture_output=True, text=True).stdout


def list_changed_functions(path, source):
    """Return the functions that aren't the same where the branch left main."""
    base = run_git("merge-base", "main", "HEAD").strip()
    before = find_functions(path, run_git("show", f"{base}:{path}"))
    old = {name: ast.dump(tree) for name, tree in before.items()}
    now = find_functions(path, source)
    return [name for name, tree in now.items() if ast.dump(tree) != old.get(name)]


def draw_changes(options):
    changes = []
    for file in sorted(Path(options.package).rglob("*.py")):
        path, source = file.as_posix(), file.read_text(encoding="utf-8")
        try:
            importlib.import_module(name_module(path))
        except ImportError:  # of a library that isn't installed
            continue
        wanted = list_changed_functions(path, source) if options.changed else options.targets
        for change in find_changes(path, source, options.all):
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


class Failures(list):
    """The tests that failed, after pytest has filtered warnings."""

    __hash__ = object.__hash__  # pytest puts plugins in sets, for the examples of docstrings

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.append(report.nodeid)


FAILURES = Failures()


def find_failure(items):
    """Run tests until one fails, and return its name, or ""."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if FAILURES:
            return FAILURES.pop()
    return ""


# Which lines a test executes


@cache
def name_lines(path):
    """Return a name for each line, which stays the same when other lines change."""
    source = Path(path).read_text(encoding="utf-8")
    lines = source.splitlines()
    functions = [name_module(path)] * len(lines)
    for name, tree in find_functions(path, source).items():
        functions[tree.lineno - 1 : tree.end_lineno] = [name] * (tree.end_lineno - tree.lineno + 1)
    return [f"{name}: {line.strip()}" for name, line in zip(functions, lines, strict=True)]


def trace(items, package, file, stamp):
    """Write which lines of the package each test executes, and how long it takes."""
    lines = defaultdict(set)

    @cache
    def make_tracer(path):
        path = os.path.relpath(path, ROOT)
        if not path.startswith(f"{package}{os.sep}"):
            return None
        add = lines[path].add

        def trace_line(frame, event, arg):
            if event == "line":
                add(frame.f_lineno)
            return trace_line

        return trace_line

    def trace_call(frame, event, arg):
        return make_tracer(frame.f_code.co_filename)

    numbers, tests = defaultdict(lambda: len(numbers)), {}
    for item, following in zip(items, [*items[1:], None], strict=True):
        for executed in lines.values():
            executed.clear()
        start = time.process_time()
        threading.settrace(trace_call)
        sys.settrace(trace_call)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        sys.settrace(None)
        threading.settrace(None)
        seconds = time.process_time() - start
        if FAILURES:
            FAILURES.clear()
            continue
        found = set()
        for path, executed in lines.items():
            names = name_lines(path)
            found |= {numbers[names[line - 1]] for line in executed}
        tests[item.nodeid] = round(seconds, 3), sorted(found)
    traced = {"stamp": stamp, "lines": [*numbers], "tests": tests}
    file.write_text(json.dumps(traced), encoding="utf-8")
    return len(tests)


def read_map(items, options):
    """Return what the tests of each file execute. Trace those of files that have changed."""
    groups = defaultdict(list)
    for item in items:
        groups[item.nodeid.split("::")[0]].append(item)
    CACHE.mkdir(parents=True, exist_ok=True)
    files = {path: CACHE / f"{path.replace('/', '+')}.json" for path in groups}
    maps, works = {}, []
    for path, group in groups.items():
        content = "\n".join([Path(path).read_text(encoding="utf-8"), *(i.nodeid for i in group)])
        stamp = sha256(content.encode()).hexdigest()
        with suppress(OSError):
            maps[path] = json.loads(files[path].read_text(encoding="utf-8"))
        if path not in maps or maps[path]["stamp"] != stamp:
            arguments = group, options.package, files[path], stamp
            works.append((path, lambda arguments=arguments: trace(*arguments)))
    for path, n_tests in run_in_forks(works, options.jobs):
        print(f"traced {path}: {n_tests} tests", flush=True)
        if n_tests is not None:
            maps[path] = json.loads(files[path].read_text(encoding="utf-8"))
    return maps.values()


def find_tests(changes, maps):
    """Return the tests that execute the lines of each change, with their seconds and ranks.

    Those that execute the body of an `if` come last if it is to be executed always.
    """
    known = {name for each in maps for name in each["lines"]}
    changes_at, bodies = defaultdict(list), {}
    for change in changes:
        names = name_lines(change.path)
        reached = {names[line - 1] for line in change.lines} & known
        if not reached:  # a line that is new, or that no test executes
            reached = {name for name in known if name.startswith(f"{change.function}: ")}
        for name in reached:
            changes_at[name].append(change)
        bodies[id(change)] = {names[line - 1] for line in change.body}
    found = {id(change): {} for change in changes}
    for each in maps:
        numbers = {name: number for number, name in enumerate(each["lines"])}
        wanted = {numbers[name]: changes_at[name] for name in numbers if name in changes_at}
        late = {key: {numbers.get(name) for name in body} for key, body in bodies.items()}
        for test, (seconds, lines) in each["tests"].items():
            executed = set(lines)
            for line in wanted.keys() & executed:
                for change in wanted[line]:
                    is_late = not late[id(change)].isdisjoint(executed)
                    found[id(change)][test] = is_late, seconds
    return found


# Trying changes


def order_tests(found, first):
    """Return tests of at most 10 seconds: `first`, then the fastest of different functions."""
    counts, ranks = defaultdict(int), {}
    for test, (is_late, seconds) in sorted(found.items(), key=lambda item: item[1]):
        function = test.split("[")[0]
        ranks[test] = test not in first, is_late, counts[function] // 2, seconds
        counts[function] += 1
    left, chosen = LONGEST, []
    for test in sorted(ranks, key=ranks.get):
        seconds = ranks[test][-1]
        if seconds < left:
            chosen.append(test)
            left -= seconds
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
    for code in list_codes(compile(change.replace(change.run), change.path, "exec")):
        codes[code.co_qualname, code.co_firstlineno].append(code)
    for function in functions:
        old = function.__code__
        new = codes[old.co_qualname, old.co_firstlineno]
        if len(new) == 1:  # lambdas on one line can't be told apart
            function.__code__ = new[0]
    return find_failure(items)


class Mutants:
    """Tries changes in place of pytest's loop over the tests."""

    def __init__(self, options):
        self.options = options

    def pytest_runtestloop(self, session):
        session.config.pluginmanager.register(FAILURES)
        items = {item.nodeid: item for item in session.items}
        # Read now what may be edited while tests are traced.
        changes = draw_changes(self.options)
        for file in Path(self.options.package).rglob("*.py"):
            name_lines(file.as_posix())
        maps = read_map(session.items, self.options)
        tests_of = find_tests(changes, maps)
        functions = find_live_functions()
        del maps
        gc.collect()
        gc.freeze()  # so that forks share it

        noticed_by = defaultdict(list)  # tests by path, the last one first

        def list_works():
            for change in changes:
                found = {test: at for test, at in tests_of[id(change)].items() if test in items}
                chosen = order_tests(found, noticed_by[change.path][:5])
                arguments = change, functions[change.path], [items[test] for test in chosen]
                yield change, lambda arguments=arguments: try_change(*arguments)

        counts = defaultdict(lambda: [0, 0])
        for change, test in run_in_forks(list_works(), self.options.jobs):
            count = counts[".".join(change.function.split(".")[:2])]
            count[0] += test != ""
            count[1] += 1
            if test == "":
                print(change, end="\n\n", flush=True)
            elif test:
                noticed_by[change.path].insert(0, test)
        for package, (n_noticed, n_tried) in sorted(counts.items()):
            print(f"{package}: {n_noticed} of {n_tried} noticed")
        return True


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("targets", nargs="*", help="packages, modules, classes or functions")
    parser.add_argument("--changed", action="store_true", help="functions that differ from main")
    parser.add_argument("--n", type=int, default=40, help="how many changes are drawn")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="change arguments and numbers, too")
    parser.add_argument("--jobs", type=int, default=2, help="forks at a time")
    parser.add_argument("--tests", nargs="*", default=[], help="files, instead of all")
    options = parser.parse_args()
    options.targets = [name_module(name.rstrip("/")) for name in options.targets or ["sklearn_ap"]]
    options.package = options.targets[0].split(".")[0]
    os.environ["CI"] = "1"  # Hypothesis without chance
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    pytest_options = ["-qq", "-s", "-p", "no:cacheprovider", *options.tests]
    sys.exit(pytest.main(pytest_options, [Mutants(options)]))
