"""Write the pages that are made from tables of the package: python docs/_generate.py"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import sklearn_ap
from sklearn_ap import compat
from sklearn_ap._catalogue import DEFINITIONS, Definition
from sklearn_ap.compat.differences import DIFFERENCES, Difference
from sklearn_ap.compat.peers import PEERS, Peer

DOCS = Path(__file__).parent
LATEST = "1.9"  # the last release of scikit-learn that the table of differences knows
LABELS, RANKING = [0, 1, 1, 0, 1, 0, 0, 1, 0, 0], range(10, 0, -1)
ISSUES = "https://github.com/scikit-learn/scikit-learn/issues/"

DIFFERENCES_PAGE = """\
<!-- Written by docs/_generate.py from sklearn_ap.compat.DIFFERENCES; edit that. -->

# Differences from scikit-learn

`sklearn_ap.average_precision_score` takes the arguments of scikit-learn's function with the same
name. It gives the same value, to a few units in the last place. The first table lists the
exceptions. They are unusual input, for which scikit-learn gives no value or a wrong one. The second
table is about older releases of scikit-learn: its value has changed over the years.

Each row is tested on the installed scikit-learn, if the row is about that release. For other
releases, `sklearn_ap.compat.sklearn_average_precision_score(..., version=...)` computes what they
gave, and the rows are tested on that. It does not imitate crashes, rounding, casts and types, and
some input is an error in every release. Rows about these are tested only on the installed release.

The columns "scikit-learn" and "here" give the value. If the difference is an error, a warning or a
type, they give its name. An example lists `y_true, y_score` and the keywords.

## In scikit-learn {latest}

{today}

## In older releases

{before}

## Settled since

In these rows scikit-learn gives the same as this package, in the releases of the second column.

{settled}

Some changes concern only the curve. They do not change the average, so they are not in these
tables. Since 0.13 the curve stops at full recall, and since 1.1.1 it goes on
([#23214]({issues}23214)). Since 1.0 samples of weight 0 are not points of the curve
([#18328]({issues}18328)). `drop_intermediate` was new in 1.3 ([#24668]({issues}24668)).
"""

WHICH_PAGE = """\
<!-- Written by docs/_generate.py from the definitions; edit those, or the texts there. -->

# Which AP is this?

"Average precision" is the name of several numbers. Find the words of your paper in the first
table. The link leads to the formula and the function.

## The paper says

{papers}

Are the words not there, but you have the predictions? [`compat.identify`](why_different.md)
compares all definitions with a reported number. [Who computes which](peers.md) lists the tools.

## Which one to take

Use step, unless you compare with published numbers. It assumes nothing about what lies between two
points of the curve. A model that gives every sample the same score gets the share of positives.

- Use AP@k if somebody looks only at the first k samples.
- Use MAP if ranks matter only within a query, a user or a day.
- Use precision at a recall, or recall at a precision, if you will set one threshold, and it must
  reach that recall or precision.

## Symbols

All samples with the same score are one group. The groups are ordered by score, highest first.

- $r_i$ is the number of positives in group i, and $R$ is the number of all positives.
- $N_i$ is the number of samples in the groups up to and including group i, and $T_i$ is the number
  of positives among them.
- $p_i = T_i / N_i$ is the precision there, and $T_i / R$ is the recall.
- $p_i^-$ is the precision of the groups above group i. It is 1 for the first group.
- $D$ is one of [four denominators](top_k.md).
- $\\rho$ is the lowest recall that you accept, and $\\pi$ is the lowest precision.

With weights, each of these counts is a sum of weights. Scores are compared exactly. In the sums at
k, a group counts if all its samples are among the first k. If only a part of a group is among the
first k, it counts with that part.

All examples use one ranking of ten samples. The positives are at ranks 2, 3, 5 and 8.

{definitions}

## Mean average precision

$$\\frac{{1}}{{Q}} \\sum_{{q=1}}^{{Q}} \\mathrm{{AP}}_q$$

The mean of one average precision for each of Q queries, by any of the definitions.

- If the queries are [groups of rows](groups.md), pass `groups=` to any score, or use
  `mean_average_precision_score`.
- If they are the rows of a matrix, use `average="samples"`. If they are the columns, use
  [`average="macro"`](classes.md).
- In [detection](detection.md) the mean over classes is called mAP. mAP@[.5:.95] is also a mean over
  thresholds of overlap.
"""

DEFINITION = """\
## {title}

$${formula}$$

{sentence}

- Name: *{name}*
- Function: {function}
- Known from: {reference}
- Example: {example:.4f}{at}
"""

MISSED = "the usual programs miss some recalls, see [Who computes which](peers.md)"

# The words of papers, the definition behind them, and what else there is to know.
PAPERS = (
    ("average precision; scikit-learn", "step", "scikit-learn 0.19 (2017) and later"),
    ("average precision; scikit-learn, up to 2017", "linear", "scikit-learn before 0.19"),
    ("non-interpolated average precision", "step", ""),
    (
        "average precision; a hit curve",
        "step",
        "in texts on detection in statistics and on drug discovery",
    ),
    ("interpolated average precision", "envelope", "in texts on retrieval it may also be 11-point"),
    ("PASCAL VOC 2007; 11-point", "11-point", f"`use_07_metric=True`; {MISSED}"),
    ("PASCAL VOC 2010 to 2012; all points", "envelope", "mAP is its mean over classes"),
    (
        "COCO; AP; mAP@[.5:.95]",
        "101-point",
        f"mAP is its mean over classes and ten overlaps; {MISSED}",
    ),
    (
        "mAP@0.5; AP50",
        "101-point",
        "0.5 is an overlap, not a k; in texts on VOC it is the envelope",
    ),
    (
        "AUPRC; PR-AUC; AUC-PR",
        "linear",
        "if it is `auc(recall, precision)`; many mean [step](#average-precision)",
    ),
    ("MAP; TREC", "MAP", "the mean of step over queries"),
    ("MAP@k; AP@k", "at-k", "there are four denominators, see [Top k](top_k.md)"),
    ("mAP; classification of several labels", "MAP", "the mean of step over classes"),
    ("mAP; detection of objects", "MAP", "the mean over classes, see [Detection](detection.md)"),
    ("precision@k; P@10", "precision-at-k", "`P_10` in trec_eval; `k=0.01` is the top 1%"),
    ("recall@k; R@100", "recall-at-k", "`recall_100` in trec_eval"),
    ("precision at 90% recall; P@R", "precision-at-recall", "with `min_recall=0.9`"),
    ("recall at 90% precision; R@P", "recall-at-precision", "with `min_precision=0.9`"),
)

# What stands in the examples of those definitions that need a number.
NUMBERS = {"k": 4, "min_recall": 0.75, "min_precision": 0.6}

PEERS_PAGE = """\
<!-- Written by docs/_generate.py from sklearn_ap.compat.PEERS; edit that. -->

# Who computes which

This table lists tools, and which number each of them gives.

- **number**: the name of the [definition](which_ap.md#symbols). AP@k has its denominator after the
  slash. A *float grid* has recall levels such as 0.30000000000000004, which a recall of 3/10 does
  not reach. *Levels rounded* means that a level needs a whole number of positives. *Curved* assumes
  that positives and negatives are mixed evenly between two points of the curve.
- **ties**: which sample comes first if scores are equal. *Grouped* means that they are one point of
  the curve.
- **no positives**: the value of a query or class without positives.
- **trap**: what else can surprise you.

The last rows are numbers that people mistake for an average precision.

On your own data, [`compat.explain`](why_different.md) lists each tool with the number that it
gives there. A tool that ranks tied samples one by one may give another number than a tool that
groups them.

{peers}

Rows with "yes" in the last column are tested against the tool itself, if it is installed.
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
            peers=_table(
                ("tool", "number", "function", "ties", "no positives", "trap", "tested"),
                map(_peer, PEERS),
            ),
        ),
        "which_ap.md": WHICH_PAGE.format(
            papers=_table(
                ("the paper says", "it is", "note"),
                ((f"*{words}*", _to_heading(name), note) for words, name, note in PAPERS),
            ),
            definitions="\n".join(map(_definition, DEFINITIONS.values())).strip(),
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
    if isinstance(value, np.ndarray):
        return f"np.array({_value(value.tolist())}, dtype='{value.dtype}')"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return f"{value:g}" if isinstance(value, float) else repr(value)


def _linked(reference: str) -> str:
    """Numbers of issues and pull requests become links."""
    words = []
    for word in reference.split():
        number = word.strip("#,")
        end = "," if word.endswith(",") else ""
        is_issue = word.startswith("#")
        words.append(f"[#{number}]({ISSUES}{number}){end}" if is_issue else word)
    return " ".join(words)


def _to_heading(name: str) -> str:
    title = "Mean average precision" if name == "MAP" else DEFINITIONS[name].title
    return f"[{_called(name)}](#{title.lower().replace(' ', '-')})"


def _called(name: str) -> str:
    return "AP@k" if name == "at-k" else name


def _definition(row: Definition) -> str:
    name = row.score or "compat.trapezoidal_average_precision_score"
    function = getattr(sklearn_ap if row.score else compat, name.removeprefix("compat."))
    given = ", ".join(f"{option}={value}" for option, value in row.options.items())
    number = {row.number: NUMBERS[row.number]} if row.number in NUMBERS else {}
    at = "".join(f", at {option}={value}" for option, value in number.items())
    return DEFINITION.format(
        name=_called(row.name),
        title=row.title,
        formula=row.formula,
        sentence=type(row.rule(**number)).__doc__,
        function=f"{{py:func}}`~sklearn_ap.{name}`" + (f" with `{given}`" if given else ""),
        reference=row.reference,
        example=function(LABELS, RANKING, **row.options, **number),
        at=at,
    )


def _peer(row: Peer) -> tuple[str, ...]:
    tested = "yes" if row.package else ""
    return (
        f"{row.tool} {row.version}",
        row.number,
        f"`{row.function}`",
        row.ties.words,
        row.no_positives.words,
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
