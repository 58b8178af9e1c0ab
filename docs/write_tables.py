"""Write differences.md and peers.md from sklearn_ap.compat: python docs/write_tables.py [--check]

With --check, nothing is written. It fails if a page isn't what would be written. The order of
differences depends on the installed scikit-learn, so use the newest one.
"""

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
value, up to rounding errors in the last digits. It differs for the {n} kinds of input on this page. A test runs each of
them.

## Differences that you may meet

"""
LIKELY = [
    *("no-positives-warning", "negative-weights", "masked", "object-dates", "object-booleans"),
    "weightless-labels",
]
REST = """## Rare input, and other errors

`ap.compat.DIFFERENCES` has the call and the reason of each, also of differences from scikit-learn before 1.5.

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
    values = f"scikit-learn{releases}: **{there}**, sklearn_ap: **{here}**."
    return f"### {each.title}\n\n```python\n{each.call}\n```\n\n{values} {each.reason}\n"


def format_differences():
    shown = [each for each in DIFFERENCES if find_last(each.versions) >= OLDEST]
    likely = sorted((each for each in shown if each.id in LIKELY), key=lambda each: LIKELY.index(each.id))
    others = [each for each in shown if each.id not in LIKELY]
    others.sort(key=lambda each: find_last(each.versions) < NEWEST)  # what is new comes first
    text = DIFFERENCES_START.format(n=len(shown)) + "\n".join(map(format_difference, likely))
    return text + "\n" + REST + "".join(map(format_row, others))


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
