"""Write the pages that are made from tables of the package: python docs/_generate.py"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_ap.compat.differences import DIFFERENCES, Difference
from sklearn_ap.compat.peers import PEERS, Peer
from sklearn_ap.core.definitions import DEFINITIONS, Definition

DOCS = Path(__file__).parent
LATEST = "1.9"  # the last release of scikit-learn that the table of differences knows
ISSUES = "https://github.com/scikit-learn/scikit-learn/issues/"

DIFFERENCES_PAGE = """\
<!-- Written by docs/_generate.py from sklearn_ap.compat.DIFFERENCES; edit that. -->

# Differences from scikit-learn

`sklearn_ap.average_precision_score` takes the arguments of scikit-learn's function of that name and
gives its value to a few units in the last place, save where that value is no average precision, or
none that was asked for. That value has changed as well: a number may differ from an older one by
the release alone.

Each row is tested on the scikit-learn that is installed, if the row holds for it. For the other
releases `sklearn_ap.compat.sklearn_average_precision_score(..., version=...)` re-enacts what they
gave, and the rows are tested on that; save for crashes, and for input that it always refuses.

In the columns "scikit-learn" and "here" stands the value, or the name of an error, or of a warning
or a type where that alone is the difference. An example is `y_true, y_score` and the keywords.

## In scikit-learn {latest}

{today}

## In older releases

{before}

## Settled since

Here scikit-learn gives what this package gives, since the release in the second column.

{settled}

What has changed for the curve alone is no row of these tables, as the average stays what it is.
Since 0.13 the curve stops at full recall, and since 1.1.1 it goes on ([#23214]({issues}23214)).
Samples of weight 0 are no points of it since 1.0 ([#18328]({issues}18328)). `drop_intermediate`
came with 1.3 ([#24668]({issues}24668)).
"""

PEERS_PAGE = """\
<!-- Written by docs/_generate.py from sklearn_ap.compat.PEERS and the definitions; edit those. -->

# Which AP is this?

One name stands for several numbers. Two tools that disagree on the same scores may both be right,
each by its own definition. Here are the definitions, and then the tools with the number that each
of them gives.

## The definitions

{definitions}

The symbols are those of [the first page](index.md); D is the denominator of AP@k, and N the number
of recall levels. The functions are in `sklearn_ap`. The linear one is in `sklearn_ap.compat`: it is
there to explain a number, not to judge a model.

## Who computes which

A number is named after its definition, AP@k with its denominator after the slash. A *float grid*
holds recall levels such as 0.30000000000000004, which a recall of 3/10 does not reach. "Ties" says
which of the samples with one score comes first, or that they are grouped into one point of the
curve. "No positives" says what a query or a class without any gives.

{peers}

Rows with a yes are tested against the tool itself, where it is installed.
"""


def pages() -> dict[str, str]:
    """The text of each page by its name."""
    differing = [row for row in DIFFERENCES if row.ours != row.theirs]
    return {
        "differences.md": DIFFERENCES_PAGE.format(
            latest=LATEST,
            today=_differences(row for row in differing if row.holds_for(LATEST)),
            before=_differences(row for row in differing if not row.holds_for(LATEST)),
            settled=_differences(row for row in DIFFERENCES if row.ours == row.theirs),
            issues=ISSUES,
        ),
        "peers.md": PEERS_PAGE.format(
            definitions=_table(
                ("name", "definition", "value", "function", "known from"),
                map(_definition, DEFINITIONS.values()),
            ),
            peers=_table(
                ("tool", "version", "function", "number", "ties", "no positives", "trap", "tested"),
                map(_peer, PEERS),
            ),
        ),
    }


def _differences(rows: Iterable[Difference]) -> str:
    return _table(
        ("difference", "releases", "scikit-learn", "here", "why", "example", "reference"),
        (
            (
                row.title,
                f"`{row.versions}`",
                _outcome(row.theirs),
                _outcome(row.ours),
                row.reason,
                _example(row),
                _linked(row.reference),
            )
            for row in rows
        ),
    )


def _outcome(value: float | str) -> str:
    return f"`{value}`" if isinstance(value, str) else f"{value:.6g}" if value % 1 else f"{value}"


def _example(row: Difference) -> str:
    options = (f"{name}={_value(value)}" for name, value in row.options.items())
    return f"`{', '.join((_value(row.y_true), _value(row.y_score), *options))}`"


def _value(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return repr(value)
    numbers = ", ".join(f"{number:g}" for number in value)
    return f"np.array([{numbers}], dtype='{value.dtype}')"


def _linked(reference: str) -> str:
    """Numbers of issues and pull requests become links."""
    words = []
    for word in reference.split():
        number = word.strip("#,")
        end = "," if word.endswith(",") else ""
        is_issue = word.startswith("#")
        words.append(f"[#{number}]({ISSUES}{number}){end}" if is_issue else word)
    return " ".join(words)


def _definition(row: Definition) -> tuple[str, ...]:
    function = row.score or "compat.trapezoidal_average_precision_score"
    options = ", ".join(f"{name}={value}" for name, value in row.options.items())
    call = f"`{function}({options})`" if options else f"`{function}`"
    return row.name, row.title, f"${row.formula}$", call, row.reference


def _peer(row: Peer) -> tuple[str, ...]:
    tested = "yes" if row.package else ""
    return (
        row.tool,
        row.version,
        f"`{row.function}`",
        row.number,
        row.ties,
        row.no_positives,
        row.trap,
        tested,
    )


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
