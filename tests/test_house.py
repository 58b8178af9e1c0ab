"""How the package is built: what import contracts can't say.

One place decides where a question is computed, and passes are run by those who know how.
"""

import ast
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap._read.units import Sample
from sklearn_ap.core.evidence import CountedRows, NotReadError, ValuedGroups
from sklearn_ap.core.rankings import Rankings

PACKAGE = Path(sklearn_ap.__file__).parent
MODULES = {
    str(path.relative_to(PACKAGE)): ast.parse(path.read_text()) for path in PACKAGE.rglob("*.py")
}


def found_in(is_it):
    """Return how many nodes of each module are such ones."""
    numbers = {name: sum(map(is_it, ast.walk(tree))) for name, tree in MODULES.items()}
    return {name: number for name, number in numbers.items() if number}


def asks_for_engine(node):
    return (
        isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Is | ast.IsNot)
        and ast.unparse(node.left).endswith("engine")
    )


def test_one_place_decides_where():
    found = found_in(asks_for_engine)
    assert {*found} == {"_enter/entry.py", "_enter/prevalence.py", "_words/inputs.py"}
    assert sum(found.values()) <= 6


def runs_pass(node):
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return is_call and node.func.attr in ("over_chunks", "over_partitions")


def test_who_runs_passes():
    assert {*found_in(runs_pass)} == {
        "_words/engine.py",  # the partitions of a pass
        "_enter/prevalence.py",  # the weights of an engine
        "_evaluate/partitions.py",
        "_evaluate/passes.py",
    }


def imports_engines(node):
    return isinstance(node, ast.ImportFrom) and (node.module or "").endswith("_words.engine")


def test_public_functions_know_no_engines():
    inner = ("_enter/", "_evaluate/", "_read/", "_words/")
    assert all(name.startswith(inner) for name in found_in(imports_engines))


def tells_evidence_apart(node):
    is_call = isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance"
    kinds = ("Rankings", "ValuedGroups", "CountedRows", "Evidence")
    return is_call and any(kind in ast.unparse(node.args[1]) for kind in kinds)


def test_evidence_is_asked_for_what_it_knows():
    assert not found_in(tells_evidence_apart)


@pytest.mark.parametrize("kind", [ValuedGroups, CountedRows])
def test_evidence_without_rows_has_none(kind):
    assert not issubclass(kind, Rankings)
    of_rows = {field.name for field in fields(Rankings)}
    assert of_rows & {*dir(kind)} <= {"average", "names", "n_positives"}
    one = kind(**{field.name: np.zeros(0) for field in fields(kind)})
    with pytest.raises(NotReadError):
        _ = Sample(one).rankings
