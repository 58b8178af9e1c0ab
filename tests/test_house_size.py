"""What counts as code and as a parameter, and what a change is compared with."""

import shutil
import subprocess

import pytest

from .size import code_lines, describe_size, find_base, plain_lines, public_parameters


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('"""A module."""\n\n# a comment\nx = 1  # and its reason\n', 1),
        ('def f():\n    """Two\n    lines."""\n    return """not a\n    docstring"""\n', 3),
        ("x = [\n    1,\n\n    2,\n]\n", 4),
        ('x = """text\n\n# and no comment"""\n', 3),
        ('x = f"""{1}\n\n# and no comment"""\n', 3),
    ],
)
def test_what_counts_as_code(text, lines):
    assert code_lines(text) == lines


def test_what_counts_as_data():
    assert plain_lines("# a comment\n[table]\n\n  # another\nkey = 1  # and its reason\n") == 2


def test_code_types_and_data_have_columns_of_their_own():
    numbers = [int(cell.replace(",", "")) for cell in describe_size().split()]
    assert len(numbers) == 4
    assert min(numbers) > 100
    assert numbers[3] == sum(public_parameters().values())


def test_parameters_of_functions_classes_and_methods_count():
    numbers = public_parameters()
    assert numbers["average_precision_score"] == 12
    assert numbers["compat.explain"] > 2
    assert numbers["AveragePrecisionDisplay.plot"] > 2
    assert numbers["spark.MetricEvaluator"] > 2
    assert not {"self", "exceptions.NotReachableError"} & numbers.keys()
    assert not {"inference.Interval", "readers.Retrieved", "Metric"} & numbers.keys()


@pytest.fixture
def git(tmp_path):
    """A function that calls git in an empty repository, and returns what it prints."""
    if shutil.which("git") is None:
        pytest.skip("needs git")

    def call(command):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        command = ["git", *identity, *command.split()]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    call("init --quiet")
    return call


def commit(git):
    git("commit --quiet --allow-empty --message another")
    return git("rev-parse HEAD")


def test_a_change_is_compared_with_what_it_began_with(git, tmp_path):
    assert find_base(tmp_path) is None  # no history
    first = commit(git)
    assert find_base(tmp_path) is None
    second = commit(git)
    assert find_base(tmp_path) == first  # the one before
    git("update-ref refs/remotes/origin/main HEAD")
    assert find_base(tmp_path) == first
    commit(git)
    commit(git)
    assert find_base(tmp_path) == second  # where it left origin/main
