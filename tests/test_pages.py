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
    assert said == {each.name for each in fields(result) if not each.name.startswith("_")}


FUNCTIONS = [name for name in ap.__all__ if inspect.isfunction(getattr(ap, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_of_functions_lead_to_others_and_can_be_pasted(name):
    docstring = inspect.getdoc(getattr(ap, name))
    assert "See Also\n--------" in docstring
    assert f">>> from sklearn_ap import {name}" in docstring


# The site is built in CI after the other tests.
SITE = DOCS / "_build/html"
needs_site = pytest.mark.skipif(
    shutil.which("node") is None or not (SITE / "searchindex.js").exists(),
    reason="needs Node.js, and the site",
)


def search_site(queries):
    """Return the addresses that each query finds, best first."""
    script = Path(__file__).with_name("search_site.js")
    command = ["node", str(script), str(SITE), json.dumps(queries)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@needs_site
def test_who_searches_the_name_of_a_function_finds_its_page_first():
    pages = {path.stem.split(".")[-1]: path.stem for path in SITE.glob("generated/*.html")}
    spellings = {name: name for name in pages}
    spellings |= {"ap.compare": "compare", "sklearn_ap.report": "report", "compare(": "compare"}
    for name, found in zip(spellings.values(), search_site([*spellings]), strict=True):
        assert found[0].startswith(f"generated/{pages[name]}#")


# What users type, and the page that they mean
SEARCHES = {
    "intervals": (
        "bootstrap", "compare two models", "confidence interval", "delong test", "f1 interval",
        "how many positives do i need", "mcnemar", "noninferiority", "p-value", "segments",
    ),
    "scorers": (
        "best_score_", "cross validation", "grid search pos_label", "isolation forest",
        "metadata routing", "outlier detection",
    ),
    "groups": (
        "graded relevance", "implicit feedback", "mrr", "ndcg", "qrels", "rag retrieval",
        "recommender", "recsys", "trec_eval", "unjudged documents",
    ),
    "detection": (
        "coco json", "coco map", "difficult objects", "instance segmentation masks", "map50-95",
        "mAP@0.5:0.95", "pascal voc 2007", "yolo map50",
    ),
    "production": ("drift", "json", "mlflow", "monitoring", "nightly"),
    "thresholds": (
        "alerts per day", "cost matrix money", "false positive rate", "precision at recall",
        "save threshold", "specificity", "threshold for recall",
    ),
    "large_data": (
        "batches", "duckdb", "gpu", "multithreading", "out of memory", "parquet", "polars",
        "pytorch", "spark",
    ),
    "boosting": ("catboost", "lightgbm early stopping", "xgboost custom metric"),
    "differences": ("drop in replacement", "replace scikit-learn"),
    "getting_started": ("chance level", "install"),
    "top_k": ("map@k denominator", "mean average precision at k", "row order changes the value"),
    "troubleshooting": (
        "contains infinity", "curve starts at 1", "error message", "no positive samples",
        "value is 1.0",
    ),
    "trust": ("simulations",),
    "which_definition": (
        "auprc", "test my own implementation", "trapezoidal rule", "which definition",
    ),
    "multiclass": ("macro micro", "multilabel"),
    "seeds": ("latex table", "random seeds"),
    "weights": ("class balance", "normalize average precision", "subsampled negatives"),
    "definitions": ("citation", "formula of average precision", "imbalanced data metric"),
}  # fmt: skip


@needs_site
def test_what_users_search_is_found_first():
    expected = [(query, page) for page, queries in SEARCHES.items() for query in queries]
    results = search_site([query for query, _ in expected])
    missed = [
        (query, found[:1])
        for (query, page), found in zip(expected, results, strict=True)
        if not found or found[0].split("#")[0] != page
    ]
    assert missed == []
