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

`sklearn_ap.average_precision_score` takes the arguments of scikit-learn's function of that name and
gives its value to a few units in the last place. The exceptions are in the first table: odd input,
for which that value is missing, or is not the average precision of what was passed. And as
scikit-learn's value has changed over the years, a number of an older release may be another one:
that is the second table.

Each row is tested on the scikit-learn that is installed, if the row holds for it. For the other
releases `sklearn_ap.compat.sklearn_average_precision_score(..., version=...)` re-enacts what they
gave, and the rows are tested on that. It does not re-enact crashes, roundings, casts and types, and
refuses some input in every release: rows on these are tested as installed alone.

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

WHICH_PAGE = """\
<!-- Written by docs/_generate.py from the definitions; edit those, or the texts there. -->

# Which AP is this?

One name stands for several numbers. Find the words of the paper in the first table; behind the
link are the formula and the function.

## The paper says

{papers}

No luck, but the predictions are at hand? [`compat.identify`](why_different.md) tries them all on a
reported number. [Who computes which](peers.md) goes through the tools.

## Which one to take

Step, unless numbers have to be compared with published ones. It makes no assumption between points
of the curve, and a model that gives everything the same score gets the share of positives. AP@k is
for when only the first k are ever looked at, MAP for when ranks mean something only within a query,
a user or a day. Precision at a recall and recall at a precision are for when one threshold will be
set, and has to keep a promise.

## Symbols

Samples are grouped by distinct score, highest first. Group i holds $r_i$ positives. Down to it
there are $N_i$ samples, $T_i$ of them positive: precision is $p_i = T_i / N_i$, and recall is
$T_i / R$ with all $R$ positives; $p_i^-$ is the precision just above the group, and 1 above all of
them. With weights, each of these counts is a sum of weights. Scores are compared exactly.

The sums at k go over the groups within the first k samples, and a group that k cuts through adds
its share; D is one of [four denominators](top_k.md). $\\rho$ is the least recall that is asked for,
$\\pi$ the least precision.

The examples are all of one ranking, with the positives at ranks 2, 3, 5 and 8 of ten.

{definitions}

## Mean average precision

$$\\frac{{1}}{{Q}} \\sum_{{q=1}}^{{Q}} \\mathrm{{AP}}_q$$

One average precision, by any of the definitions, for each of Q queries, and their mean. Over
[groups of rows](groups.md) it is `groups=` of every score, and `mean_average_precision_score`; over
the rows or columns of a matrix it is `average="samples"` or [`average="macro"`](classes.md).
[Detection](detection.md) calls the mean over classes mAP, and where it says mAP@[.5:.95] it means a
mean over thresholds of overlap besides.
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

MISSED = "the usual programs miss some levels: [Who computes which](peers.md)"

# The words of papers, the definition behind them, and what else there is to know.
PAPERS = (
    ("average precision; scikit-learn", "step", "since 0.19, of the year 2017"),
    ("average precision; scikit-learn, up to 2017", "linear", "before 0.19"),
    ("non-interpolated average precision", "step", ""),
    ("average precision; a hit curve", "step", "statistical detection, drug discovery"),
    ("interpolated average precision", "envelope", "or 11-point, in texts on retrieval"),
    ("PASCAL VOC 2007; 11-point", "11-point", f"`use_07_metric=True`; {MISSED}"),
    ("PASCAL VOC 2010 to 2012; all points", "envelope", "the mean over classes is mAP"),
    (
        "COCO; AP; mAP@[.5:.95]",
        "101-point",
        f"then the mean over classes and ten overlaps; {MISSED}",
    ),
    ("mAP@0.5; AP50", "101-point", "0.5 is an overlap, no k; in texts on VOC the envelope"),
    (
        "AUPRC; PR-AUC; AUC-PR",
        "linear",
        "if `auc(recall, precision)`; many mean [step](#average-precision)",
    ),
    ("MAP; TREC", "MAP", "of step over queries"),
    ("MAP@k; AP@k", "at-k", "four denominators: [Top k](top_k.md)"),
    ("mAP; classification of several labels", "MAP", "of step over classes"),
    ("mAP; detection of objects", "MAP", "over classes: [Detection](detection.md)"),
    ("precision@k; P@10", "precision-at-k", "trec_eval `P_10`; `k=0.01` is the top 1%"),
    ("recall@k; R@100", "recall-at-k", "trec_eval `recall_100`"),
    ("precision at 90% recall; P@R", "precision-at-recall", "with `min_recall=0.9`"),
    ("recall at 90% precision; R@P", "recall-at-precision", "with `min_precision=0.9`"),
)

# What stands in the examples of those definitions that need a number.
NUMBERS = {"k": 4, "min_recall": 0.75, "min_precision": 0.6}

PEERS_PAGE = """\
<!-- Written by docs/_generate.py from sklearn_ap.compat.PEERS; edit that. -->

# Who computes which

The tools, and the number that each of them gives. It is named after its
[definition](which_ap.md#symbols), AP@k with its denominator after the slash. A *float grid* holds
recall levels such as 0.30000000000000004, which a recall of 3/10 does not reach, and *levels
rounded* ask for whole hits. *Curved* is the area under the curve on which hits and misses grow
evenly from point to point. "Ties" says which of the samples with one score comes first, or that
they are grouped into one point of the curve. "No positives" says what a query or a class without
any gives. The last rows are of numbers that are taken for an average precision.

On data of your own, [`compat.explain`](why_different.md) names each tool beside the number that it
gives there: one that takes tied samples one by one beside another number than one that groups them.

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
