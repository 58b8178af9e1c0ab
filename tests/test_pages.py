"""What the pages compute and list on their own, against the package."""

import inspect
import itertools
import json
import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import inference, reports

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


def test_every_public_name_is_in_the_reference():
    text = "".join((DOCS / page).read_text() for page in ("api.rst", "results.rst"))
    listed = {*re.findall(r"^ {3}(?:sklearn_ap\.)?(\w+)$", text, re.MULTILINE)}
    listed |= {*re.findall(r"^\.\. autoclass:: (\w+)", text, re.MULTILINE)}
    modules = {name for name in ap.__all__ if inspect.ismodule(getattr(ap, name))}
    assert {*ap.__all__} - modules <= listed


RESULTS = [
    inference.Interval,
    inference.Comparison,
    inference.Comparisons,
    inference.SearchComparison,
    reports.Report,
    ap.OperatingPoint,
    ap.compat.Identification,
    ap.compat.Explanation,
    ap.compat.Audit,
    ap.compat.Finding,
]


@pytest.mark.parametrize("result", RESULTS)
def test_docstrings_of_results_have_all_attributes(result):
    docstring = inspect.getdoc(result)
    if result is inference.SearchComparison:
        docstring += inspect.getdoc(inference.Comparisons)
    lines = re.findall(r"^(\w[\w, ]*) : ", docstring, re.MULTILINE)
    said = {name for line in lines for name in line.split(", ")}
    assert said == {each.name for each in fields(result)}


FUNCTIONS = [name for name in ap.__all__ if inspect.isfunction(getattr(ap, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_of_functions_lead_to_others_and_can_be_pasted(name):
    docstring = inspect.getdoc(getattr(ap, name))
    assert "See Also\n--------" in docstring
    assert f">>> from sklearn_ap import {name}" in docstring


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
@pytest.mark.parametrize("text", ["compare", "ap.compare", "sklearn_ap.compare", "compare("])
def test_who_searches_the_name_of_a_function_finds_its_page_first(text):
    titles = {"compare.html": "Compare: compare models by compare", "generated/c.html": "compare"}
    sections = [
        {"id": url, "url": url, "title": title, "above": "", "text": "compare", "start": ""}
        for url, title in titles.items()
    ]
    script = f"""
        globalThis.MiniSearch = require({json.dumps(str(DOCS / "_static/minisearch.js"))});
        const {{ find, makeIndex }} = require({json.dumps(str(DOCS / "_static/search.js"))});
        const found = find({json.dumps(text)}, makeIndex({json.dumps(sections)}));
        console.log(JSON.stringify(found.map((each) => each.url)));
    """
    done = subprocess.run(["node", "-"], input=script, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["generated/c.html", "compare.html"]
