"""Pages, docstrings, messages and comments have one word for an idea, in the spelling of the US."""

import re
from pathlib import Path

import pytest

import sklearn_ap

ROOT = Path(__file__).parents[1]
PACKAGE = Path(sklearn_ap.__file__).parent
FILES = sorted(
    path
    for folder, pattern in (
        (PACKAGE, "**/*.py"),
        (PACKAGE, "**/*.toml"),
        (ROOT, "*.md"),
        (ROOT, "benchmarks/*.py"),
        (ROOT, "docs/*.md"),
        (ROOT, "docs/metrics.toml"),
        (ROOT, "docs/_*/*.py"),
        (ROOT, "docs/examples/*.py"),
        (ROOT, "tests/*.py"),
    )
    for path in folder.glob(pattern)
    if path != Path(__file__)
)
# What is not written, and what is written instead
WORDS = {
    r"\bcut-offs?\b": "cutoff",
    r"\bshare of\b": "fraction of",
    r"\bp values?\b": "p-value",
    r"\bKnown from\b": "Used by",
    r"\bleads? from .+ to\b": "has, finds, links to",
    r"\bhardly ranks\b": "barely ranks the samples",
    r"\banother quantity\b": "something different",
    r"\bholds? 0\b": "contains 0",
    r"\bmodels? that guess(?:es)?\b": "random guessing",
    r"\bfor sure\b": "unlikely to be chance",
    r"\b\w*(?:labell(?:ed|ing)|judgement|neighbour|behaviour|colour|favour)\w*": "US spelling",
    r"\b_?(?:centred?|licence|misspelt|catalogue)\b": "US spelling",
}
QUOTED = (  # titles of papers
    r"neighbourhoods\s+and\s+academic",
    r"statistic\s+p\s+values",
)
# Numbers such as .641 in prose, not in attributes and formats
POINTS = re.compile(r"(?<![^\s(])\.\d+\b(?![\w`\"'])")
CODE = re.compile(r"^```.*?^```$|`[^`]+`|\]\([^)]*\)|\$[^$]+\$|<!--.*?-->", re.M | re.S)


def unwanted(text):
    for quoted in QUOTED:
        text = re.sub(quoted, "", text)
    words = " ".join(text.split())
    return {
        found[0]: instead for word, instead in WORDS.items() for found in re.finditer(word, words)
    }


def test_one_word_for_one_idea():
    texts = {str(path): path.read_text(encoding="utf-8") for path in FILES}
    assert len(texts) > 200
    assert {name: found for name, text in texts.items() if (found := unwanted(text))} == {}
    pages = {name: CODE.sub("", text) for name, text in texts.items() if name.endswith(".md")}
    assert {name: found for name, text in pages.items() if (found := POINTS.findall(text))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "the cut-off k", "a share of\nthe positives", "a p value", "Known from COCO", "labelled",
        "It leads from the term to the formula.", "the interval does not hold 0", "neighbours",
        "a model that hardly ranks anything", "your judgement", "a model that guesses",
    ],
)  # fmt: skip
def test_what_is_unwanted_is_found(text):
    assert unwanted(text)


def test_what_only_looks_like_it_is_not():
    text = "recall - flagged_share of what it returns; misspelled; the p-value; 0.05 of [.5:.95]"
    assert unwanted(text) == {}
    assert POINTS.findall(f"{text}, mAP@[.5:.95], x.5, (0.5), `.5`") == []
    assert POINTS.findall("It is .641 (.5 before).") == [".641", ".5"]
