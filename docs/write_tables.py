"""Write differences.md and peers.md from sklearn_ap.compat: python docs/write_tables.py

With --check, nothing is written, and a page that would change is an error.
"""

import sys
from itertools import groupby
from pathlib import Path

from sklearn_ap.compat import DIFFERENCES, PEERS

DOCS = Path(__file__).parent

DIFFERENCES_START = """<!-- Written by docs/write_tables.py. -->

# How values differ from scikit-learn's

`sklearn_ap.average_precision_score` returns scikit-learn's value for every input except those in these tables. For most
of those, scikit-learn returns a wrong value, or raises an error that doesn't help.
A test runs each call. In Python, the tables are `ap.compat.DIFFERENCES`.

"""
PEERS_START = """<!-- Written by docs/write_tables.py. -->

# What each tool computes

The tables say which definition of average precision {n_tools} tools compute, how they rank tied samples, how they treat a
query or class without positives, and what else may surprise you ("trap"). [Definitions](definitions.md) explains most
names: "step" is `AP`, and "envelope" is `VOC2010`. In "curved", positives and negatives mix evenly between points.
Tied samples are "grouped" if they share one threshold. In Python, the table is `ap.compat.PEERS`, with the source of
each row.

"""


def format_cell(value):
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text.replace("|", r"\|").replace("*", r"\*").replace("\n", " ")


def format_table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def format_differences():
    header = ["what", "call", "scikit-learn", "here", "reason", "releases"]
    text = DIFFERENCES_START
    for heading, is_current in (("Current releases", True), ("Older releases only", False)):
        rows = []
        for each in DIFFERENCES:
            if each.versions.startswith(">=") == is_current:
                values = [format_cell(value) for value in (each.theirs, each.ours, each.reason, each.versions)]
                rows.append([format_cell(each.title), f"`{each.call}`", *values])
        text += f"## {heading}\n\n{format_table(header, rows)}\n"
    return text.rstrip() + "\n"


def format_peers():
    header = ["function", "definition", "ties", "no positives", "trap"]
    peers = sorted(PEERS, key=lambda peer: (peer.tool.lower(), peer.function))
    text = PEERS_START.format(n_tools=len({peer.tool for peer in peers}))
    for tool, peers_of_tool in groupby(peers, lambda peer: peer.tool):
        rows = []
        for each in peers_of_tool:
            values = [format_cell(value) for value in (each.definition, each.ties, each.no_positives, each.trap)]
            rows.append([f"`{each.function}` ({each.version})", *values])
        text += f"## {tool}\n\n{format_table(header, rows)}\n"
    return text.rstrip() + "\n"


def main():
    pages = {"differences.md": format_differences(), "peers.md": format_peers()}
    for name, text in pages.items():
        path = DOCS / name
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path} is old: run python docs/write_tables.py")


if __name__ == "__main__":
    main()
