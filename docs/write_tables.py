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

# How names and values differ from scikit-learn's

## Replace scikit-learn's names

| in scikit-learn | here |
| --- | --- |
| `average_precision_score(y, s)` | `ap.average_precision_score(y, s)` |
| `scoring="average_precision"` | `scoring=ap.get_scorer("AP")` |
| `make_scorer(average_precision_score, response_method=..., pos_label="bad")` | `ap.make_ap_scorer(pos_label="bad")` |
| `PrecisionRecallDisplay` | `ap.AveragePrecisionDisplay`, also with `from_predictions`, `from_estimator` and `from_cv_results` |
| `precision_recall_curve(y, s)` | keep scikit-learn's function |
| `auc(recall, precision)` | `ap.metric("linear")(y, s)`, if you have to reproduce it |
| `label_ranking_average_precision_score(y, s)` | `ap.average_precision_score(y, s, average="samples", zero_division=1.0)` |
| `ndcg_score(y, s)` | `ap.ndcg_score(y, s, average="samples")` |

## Values

For ordinary labels, scores and weights, nothing differs: `sklearn_ap.average_precision_score` returns scikit-learn's
value, up to rounding errors in the last digits. It differs for the {n} kinds of input on this page, of which these are
the most likely:

| your input | scikit-learn | sklearn_ap |
| --- | --- | --- |
{likely}

A test runs each call.

"""
LIKELY = {
    "no-positives-warning": "no positives",
    "negative-weights": "negative weights",
    "masked": "masked arrays",
    "object-dates": "dates as scores",
    "object-booleans": "booleans or numbers in columns of objects",
    "weightless-labels": "nan in samples of weight 0",
}
RARE = re.compile("decimals|fractions|float(16|32)|2\\^53|1e19|tiny|infinite|weights that are objects")
KINDS = {
    (True, True): "Different values or warnings",
    (True, False): "scikit-learn returns a value, this package raises an error",
    (False, True): "scikit-learn raises an error, this package returns a value",
}
REST = """## Rare input, and other errors

`ap.compat.DIFFERENCES` has the calls and the reasons, also of differences from scikit-learn before 1.5.

| input | scikit-learn | sklearn_ap |
| --- | --- | --- |
"""
PEERS_START = """<!-- Written by docs/write_tables.py. -->

# What each tool computes

This table says which definition of average precision {n_tools} tools compute, how they rank tied samples, what they
return for a query or class without positives, and what else may surprise you. Widely used tools stand first. Unfold a
row for a tool's other functions and older versions.

[Metrics and formulas](definitions.md) explains most names: "step" is `AP`, and "envelope", the best precision at this
recall or a higher one, is `VOC2010`. In "curved", precision between two points is what you'd get if positives and
negatives alternated evenly. Tied samples are "grouped" if they share one threshold.

✓ means that tests compare this with what the tool returned ({n_recorded} of {n} functions). For the others, we read the
source. In Python, the table is `ap.compat.PEERS`, with the source, or the recorded version, of each function.

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


def format_results(each):
    """Write what scikit-learn returns, with the releases in which it does, and what this package does."""
    releases = "" if each.versions.startswith(">=") else f" {each.versions}"
    there, here = map(format_cell, (each.theirs, each.ours))
    if there.endswith("Warning") and not here.endswith("Warning"):
        here = "no warning"
    return releases, there, here


def format_row(each):
    releases, there, here = format_results(each)
    return f"| {each.title} | {there}{f' ({releases[1:]})' if releases else ''} | {here} |\n"


def format_difference(each):
    releases, there, here = format_results(each)
    call = each.call
    if len(call) > 100:
        parsed = ast.parse(call).body[0].value
        parts = [ast.get_source_segment(call, part) for part in [*parsed.args, *parsed.keywords]]
        call = "average_precision_score(\n    " + ",\n    ".join(parts) + ",\n)"
    values = f"scikit-learn{releases}: **{there}**, sklearn_ap: **{here}**."
    return f"### {each.title}\n\n```python\n{call}\n```\n\n{values} {each.reason}\n"


def is_value(result):
    return not str(result).endswith("Error")


def list_likely():
    rows = []
    for name, words in LIKELY.items():
        (each,) = [each for each in DIFFERENCES if each.id == name]
        place = re.sub(r"[^\w -]", "", each.title.lower()).replace(" ", "-")
        there = "a value" if is_value(each.theirs) and "Warning" not in str(each.theirs) else each.theirs
        here = "a value" if is_value(each.ours) and "Warning" not in str(each.ours) else each.ours
        rows.append(f"| [{words}](#{place}) | {there} | {here} |")
    return "\n".join(rows)


def place_difference(each):
    """Put first what is likely, and before others what is new."""
    place = [*LIKELY].index(each.id) if each.id in LIKELY else len(LIKELY)
    return place, each.versions.startswith(">=")


def format_differences():
    current = [each for each in DIFFERENCES if find_last(each.versions) == NEWEST]
    recent = [each for each in DIFFERENCES if OLDEST <= find_last(each.versions) < NEWEST]
    current.sort(key=place_difference)
    parts, rest = {heading: [] for heading in KINDS.values()}, []
    for each in current:
        kind = KINDS.get((is_value(each.theirs), is_value(each.ours)))
        (rest if kind is None or RARE.search(each.title) else parts[kind]).append(each)
    text = DIFFERENCES_START.format(n=len(current) + len(recent), likely=list_likely())
    for heading, found in parts.items():
        text += "\n".join([f"## {heading}\n", *map(format_difference, found), ""])
    return text + REST + "".join(map(format_row, rest + recent))


def place_peer(peer):
    """Put widely used tools first, then newest versions, then the usual call of what agrees."""
    common = COMMON.index(peer.tool) if peer.tool in COMMON else len(COMMON)
    numbers = [-int(number) for number in re.findall(r"\d+", peer.version)]
    return common, peer.tool.lower(), "before" in peer.version, numbers, is_odd(peer), list_facts(peer), peer.function


def is_odd(peer):
    """Whether this isn't the first thing that a user of the tool calls."""
    return peer.is_setting or " of " in peer.function or peer.definition == "area under the ROC curve"


def list_facts(peer):
    """Functions that agree in all of this stand together."""
    return peer.version, peer.ties, peer.no_positives, peer.trap, bool(peer.recorded)


def link_issues(text, tool):
    pulls = f"https://github.com/{REPOSITORIES.get(tool)}/pull"
    return re.sub(r"#(\d+)", rf"[#\1]({pulls}/\1)", format_cell(text))


def list_functions(peers):
    return "<br>".join(f"`{each.function}`: {format_cell(each.definition)}" for each in peers)


def format_peers():
    """Write a row for each tool: what is called first, and folded, what else there is."""
    header = ["tool", "function and definition", "ties", "no positives", "what else may surprise you"]
    lines = [header, ["---"] * len(header)]
    for tool, of_tool in groupby(sorted(PEERS, key=place_peer), lambda peer: peer.tool):
        blocks = [[*peers] for _, peers in groupby(of_tool, lambda peer: (is_odd(peer), *list_facts(peer)))]
        first, *others = [[link_issues(fact, tool) for fact in list_facts(block[0])[:-1]] for block in blocks]
        version, *facts = first
        functions = list_functions(blocks[0])
        if others:
            functions += f"<details><summary>{len(others)} more</summary>"
            for block, (of_version, ties, no_positives, trap) in zip(blocks[1:], others, strict=True):
                mark = " ✓" * bool(block[0].recorded)
                said = f"{tool} {of_version}{mark}: ties {ties}; no positives: {no_positives}"
                functions += f"{list_functions(block)}<br>{said}{f'; {trap}' if trap else ''}<br><br>"
            functions = functions.removesuffix("<br><br>") + "</details>"
        mark = " ✓" * bool(blocks[0][0].recorded)
        lines.append([f"**{tool}** {version}{mark}", functions, *facts])
    start = PEERS_START.format(
        n_tools=len({peer.tool for peer in PEERS}),
        n_recorded=sum(bool(peer.recorded) for peer in PEERS),
        n=len([*PEERS]),
    )
    return start + "".join("| " + " | ".join(line) + " |\n" for line in lines)


if __name__ == "__main__":
    pages = {"differences.md": format_differences(), "peers.md": format_peers()}
    for name, text in pages.items():
        if "--check" not in sys.argv:
            (DOCS / name).write_text(text, encoding="utf-8")
        elif (DOCS / name).read_text(encoding="utf-8") != text:
            sys.exit(f"Run python docs/write_tables.py: {name} changed.")
