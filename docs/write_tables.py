"""Write differences.md and peers.md from sklearn_ap.compat: python docs/write_tables.py [--check]

With --check, nothing is written. It fails if a page isn't what would be written. The order of
differences depends on the installed scikit-learn, so use the newest one.
"""

import ast
import re
import sys
from itertools import groupby
from pathlib import Path

import sklearn

sys.path.insert(0, str(Path(__file__).parents[1]))  # this checkout's package, not an installed one

from sklearn_ap.compat import DIFFERENCES, PEERS

DOCS = Path(__file__).parent
REPOSITORIES = {"burn": "tracel-ai/burn", "sentence-transformers": "huggingface/sentence-transformers"}
OLDEST, NEWEST = (1, 5), tuple(map(int, sklearn.__version__.split(".")[:2]))
COMMON = [  # tools that stand first
    *("scikit-learn", "torchmetrics", "Spark", "XGBoost", "LightGBM", "CatBoost", "Keras"),
    *("pycocotools", "Ultralytics", "trec_eval", "ranx", "ir_measures"),
]

DIFFERENCES_START = """<!-- Written by docs/write_tables.py. -->

# How values differ from scikit-learn's

`sklearn_ap.average_precision_score` returns scikit-learn's value, up to rounding errors in the last digits, except for the
{n} kinds of input on this page. A test runs each call. In Python, `ap.compat.DIFFERENCES` lists them.

"""
KINDS = {
    (True, True): "Both return a value, or a warning differs",
    (True, False): "scikit-learn returns a value, this package raises an error",
    (False, True): "scikit-learn raises an error, this package returns a value",
    (False, False): "The errors differ",
}
OLD = """## Before scikit-learn 1.5

This package can't be installed with these releases, but values that were computed with them differ, too:

"""
PEERS_START = """<!-- Written by docs/write_tables.py. -->

# What each tool computes

This table says which definition of average precision {n_tools} tools compute, how they rank tied samples, what they
return for a query or class without positives, and what else may surprise you. Widely used tools stand first.

[Metrics and formulas](definitions.md) explains most names: "step" is `AP`, and "envelope" is `VOC2010`. In "curved",
precision between two points is what you'd get if positives and negatives alternated evenly. Tied samples are "grouped"
if they share one threshold. In Python, the table is `ap.compat.PEERS`, with the source of each row.

"""


def format_cell(value):
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text.replace("|", r"\|").replace("*", r"\*").replace("\n", " ")


def find_last(versions):
    """Return the last release, such as (1, 8), of "<1.9", "1.5-1.8", ">=1.5" or "1.9"."""
    if versions.startswith(">="):
        return NEWEST
    major, minor = map(int, versions.strip("<").split("-")[-1].split("."))
    return major, minor - versions.startswith("<")


def format_difference(each):
    releases = "" if each.versions.startswith(">=") else f" {each.versions}"
    there, here = map(format_cell, (each.theirs, each.ours))
    if there.endswith("Warning") and not here.endswith("Warning"):
        here = "no warning"
    call = each.call
    if len(call) > 100:
        parsed = ast.parse(call).body[0].value
        parts = [ast.get_source_segment(call, part) for part in [*parsed.args, *parsed.keywords]]
        call = "average_precision_score(\n    " + ",\n    ".join(parts) + ",\n)"
    values = f"scikit-learn{releases}: **{there}**, here: **{here}**."
    return f"### {each.title}\n\n```python\n{call}\n```\n\n{values} {each.reason}\n"


def is_value(result):
    return not str(result).endswith("Error")


def format_differences():
    current = [each for each in DIFFERENCES if find_last(each.versions) == NEWEST]
    recent = [each for each in DIFFERENCES if OLDEST <= find_last(each.versions) < NEWEST]
    current.sort(key=lambda each: each.versions.startswith(">="))  # first what is new
    parts = {heading: [] for heading in KINDS.values()}
    for each in current:
        parts[KINDS[is_value(each.theirs), is_value(each.ours)]].append(each)
    parts["Only in older releases, from scikit-learn 1.5 on"] = recent
    text = DIFFERENCES_START.format(n=len(current) + len(recent))
    for heading, found in parts.items():
        text += "\n".join([f"## {heading}\n", *map(format_difference, found), ""])
    text += OLD
    for each in DIFFERENCES:
        if find_last(each.versions) < OLDEST:
            there, here = map(format_cell, (each.theirs, each.ours))
            text += f"- {each.title} ({each.versions}): {there}, here {here}\n"
    return text


def format_peers():
    def place(peer):  # newest releases first
        common = COMMON.index(peer.tool) if peer.tool in COMMON else len(COMMON)
        numbers = [-int(number) for number in re.findall(r"\d+", peer.version)]
        return common, peer.tool.lower(), "before" in peer.version, numbers

    def describe(peer):  # rows that agree in all of this are one row
        return peer.tool, peer.version, peer.ties, peer.no_positives, peer.trap

    text = PEERS_START.format(n_tools=len({peer.tool for peer in PEERS}))
    header = ["tool", "function and definition", "ties", "no positives", "what else may surprise you"]
    lines = [header, ["---"] * len(header)]
    for facts, peers in groupby(sorted(PEERS, key=lambda peer: (place(peer), describe(peer), peer.function)), describe):
        pulls = f"https://github.com/{REPOSITORIES.get(facts[0])}/pull"
        tool, version, *others = (re.sub(r"#(\d+)", rf"[#\1]({pulls}/\1)", format_cell(fact)) for fact in facts)
        functions = "<br>".join(f"`{each.function}`: {format_cell(each.definition)}" for each in peers)
        lines.append([f"**{tool}** {version}", functions, *others])
    return text + "".join("| " + " | ".join(line) + " |\n" for line in lines)


if __name__ == "__main__":
    pages = {"differences.md": format_differences(), "peers.md": format_peers()}
    for name, text in pages.items():
        if "--check" not in sys.argv:
            (DOCS / name).write_text(text, encoding="utf-8")
        elif (DOCS / name).read_text(encoding="utf-8") != text:
            sys.exit(f"Run python docs/write_tables.py: {name} changed.")
