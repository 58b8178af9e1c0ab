"""What the pages compute on their own, against the package."""

import itertools
import json
import re
import shutil
import subprocess
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap as ap

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.filterwarnings("ignore:No positive class")
@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_picture_of_definitions_has_the_values_of_the_package():
    rankings = [*itertools.product([0, 1], repeat=10)]
    script = f"""
        const {{ evaluate }} = require({json.dumps(str(DOCS / "_static/ranking.js"))});
        const values = {json.dumps(rankings)}.map(evaluate);
        console.log(JSON.stringify(values.map((v) => [v.step, v.envelope, v.linear, v.eleven])));
    """
    done = subprocess.run(["node", "-"], input=script, capture_output=True, text=True, check=True)
    names = ["AP", "VOC2010", "linear", "11-point"]
    scores = -np.arange(10)
    expected = [[ap.metric(name)(labels, scores) for name in names] for labels in rankings]
    np.testing.assert_allclose(json.loads(done.stdout), expected, atol=1e-12)


def test_results_have_the_attributes_of_their_page():
    found = []
    for line in (DOCS / "results.rst").read_text(encoding="utf-8").splitlines():
        if started := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = import_module(started[1])
        elif started := re.match(r"\.\. autoclass:: (\w+)\(\)", line):
            result = getattr(module, started[1])
        elif line.startswith("      - ``"):
            names = {*dir(result), *(each.name for each in fields(result))}
            said = re.findall(r"``(\w+)``", line.partition(":")[0])
            assert names >= {*said}, (result, said)
            found += said
    assert len(found) > 40
