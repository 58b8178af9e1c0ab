"""The package stays as small as it is. Who raises a ceiling says in the commit what it bought."""

import pytest

from .size import code_lines, package_lines, public_parameters

MOST_LINES = 27_175
MOST_PARAMETERS = 631  # without fields of results, which nobody passes
MOST_OF_ONE = 25  # parameters of a single callable


def test_lines_of_code():
    assert package_lines() <= MOST_LINES


def test_public_parameters():
    numbers = public_parameters()
    assert sum(numbers.values()) <= MOST_PARAMETERS
    assert max(numbers.values()) <= MOST_OF_ONE


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


def test_parameters_of_functions_classes_and_methods_count():
    numbers = public_parameters()
    assert numbers["average_precision_score"] == 13
    assert numbers["compat.explain"] > 2
    assert numbers["AveragePrecisionDisplay.plot"] > 2
    assert numbers["spark.MetricEvaluator"] > 2
    assert not {"self", "exceptions.NotReachableError"} & numbers.keys()
    assert not {"inference.Interval", "readers.Retrieved", "Metric"} & numbers.keys()
    assert numbers["inference.Interval.plan"] == 1
