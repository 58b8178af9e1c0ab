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
from sklearn_ap.compat.sample import Slip

DOCS = Path(__file__).parent
LATEST = "1.9"  # the last release of scikit-learn that the table of differences knows
LABELS, RANKING = [0, 1, 1, 0, 1, 0, 0, 1, 0, 0], range(10, 0, -1)
ISSUES = "https://github.com/scikit-learn/scikit-learn/issues/"

DIFFERENCES_PAGE = """\
<!-- Written by docs/_generate.py from sklearn_ap.compat.DIFFERENCES; edit that. -->

# Differences from scikit-learn

`sklearn_ap.average_precision_score` takes the arguments of scikit-learn's function of that name,
and gives its value, up to rounding in the last digits. The exceptions are in the first table. They
are all odd input, for which scikit-learn gives no value, or a value that is not the average
precision of what was passed. Older releases of scikit-learn computed other numbers: these are in
the second table.

Each row is tested with the installed scikit-learn, if the row is about that release. For the other
releases, `sklearn_ap.compat.sklearn_average_precision_score(..., version=...)` computes what they
gave, and the rows are tested with that. It does not imitate crashes, roundings, casts and types.
Rows about these are tested with the installed release only.

The columns "scikit-learn" and "here" hold the value, or the name of an error. Where a warning or a
type is the only difference, they hold its name. An example is `y_true, y_score` and the keywords.

## In scikit-learn {latest}

{today}

## In older releases

{before}

## Settled since

Here scikit-learn gives what this package gives, since the release in the second column.

{settled}

The tables leave out changes of the curve that do not change the average. From 0.13 on the curve
stopped at full recall, and since 1.1.1 it goes on ([#23214]({issues}23214)). Since 1.0 samples of
weight 0 are not points of the curve ([#18328]({issues}18328)). `drop_intermediate` came with 1.3
([#24668]({issues}24668)).
"""

WHICH_PAGE = """\
<!-- Written by docs/_generate.py from the definitions; edit those, or the texts there. -->

# Which AP is this?

"Average precision" stands for several numbers. Find the words of your paper in the table. The link
leads to the formula and the function.

## The paper says

{papers}

Not found? If you have the predictions, [`compat.identify`](why_different.md) tries all definitions
on a reported number. [Who computes which](peers.md) lists the tools.

## Which one to take

| your situation | take |
| --- | --- |
| you compare models, and nothing else is said | step |
| you compare with published numbers | the definition of that publication |
| only the first k are ever looked at | AP@k, or precision and recall at k |
| ranks mean something only within a query, a user or a day | MAP |
| one threshold has to find 90% of the positives | precision at a recall |
| one threshold has to be right in 90% of the alerts | recall at a precision |

Step makes no assumption about what lies between the points of the curve. With step, a model that
gives everything the same score gets the share of positives, and no more.

## Symbols

Samples with the same score form a group. The groups are numbered from the highest score down.

| symbol | meaning |
| --- | --- |
| $r_i$ | the number of positives in group i |
| $N_i$ | the number of samples in group i and above |
| $T_i$ | the number of positives in group i and above |
| $R$ | the number of all positives |
| $n$ | the number of all samples |
| $p_i = T_i / N_i$ | precision at group i |
| $T_i / R$ | recall at group i |
| $p_i^-$ | precision just above group i; 1 above the first group |
| $k$ | how many samples count, highest scores first |
| $D$ | one of [four denominators](top_k.md#ap-at-k) |
| $\\rho$, $\\pi$ | the smallest recall, or precision, that is asked for |

With weights, each number of samples is a sum of weights. Scores are compared exactly. The sums at k
take the groups within the first k samples. If k cuts through a group, a share of the group is
added: the share of its samples that lie within the first k.

All examples have one ranking of ten samples, with the positives at ranks 2, 3, 5 and 8.

{definitions}

## Mean average precision

$$\\frac{{1}}{{Q}} \\sum_{{q=1}}^{{Q}} \\mathrm{{AP}}_q$$

Compute the average precision of each of Q queries, by any of the definitions, and take the mean.

- Over [groups of rows](groups.md): `mean_average_precision_score`, or `groups=` of any score.
- Over the rows of a matrix: `average="samples"`. Over its columns: [`average="macro"`](classes.md).
- In [detection](detection.md), the mean over classes is called mAP. mAP@[.5:.95] is a mean over
  thresholds of overlap too.
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

MISSED = "the usual programs miss some recall levels: [Who computes which](peers.md)"

# The words of papers, the definition behind them, and what else there is to know.
PAPERS = (
    ("average precision; scikit-learn", "step", "since release 0.19 (2017)"),
    ("average precision; scikit-learn, up to 2017", "linear", "before release 0.19"),
    ("non-interpolated average precision", "step", ""),
    ("average precision; a hit curve", "step", "in drug discovery: [Screening](screening.md)"),
    ("interpolated average precision", "envelope", "in texts on retrieval it may be 11-point"),
    ("PASCAL VOC 2007; 11-point", "11-point", f"`use_07_metric=True`; {MISSED}"),
    ("PASCAL VOC 2010 to 2012; all points", "envelope", "the mean over classes is mAP"),
    (
        "COCO; AP; mAP@[.5:.95]",
        "101-point",
        f"then the mean over classes and ten thresholds of overlap; {MISSED}",
    ),
    (
        "mAP@0.5; AP50",
        "101-point",
        "0.5 is the overlap, not a k; in texts on VOC it is the envelope",
    ),
    (
        "AUPRC; PR-AUC; AUC-PR",
        "linear",
        "if it is `auc(recall, precision)`; many authors mean [step](#average-precision)",
    ),
    ("MAP; TREC", "MAP", "the mean of step over queries"),
    ("MAP@k; AP@k", "at-k", "four denominators: [Top k](top_k.md)"),
    ("mAP; classification of several labels", "MAP", "the mean of step over classes"),
    ("mAP; detection of objects", "MAP", "the mean over classes: [Detection](detection.md)"),
    ("precision@k; P@10", "precision-at-k", "trec_eval `P_10`; `k=0.01` is the top 1%"),
    ("recall@k; R@100", "recall-at-k", "trec_eval `recall_100`"),
    ("enrichment factor; EF1%; lift", "enrichment-factor", "[Screening](screening.md)"),
    ("precision at 90% recall; P@R", "precision-at-recall", "with `min_recall=0.9`"),
    ("recall at 90% precision; R@P", "recall-at-precision", "with `min_precision=0.9`"),
)

# What stands in the examples of those definitions that need a number.
NUMBERS = {"k": 4, "min_recall": 0.75, "min_precision": 0.6}

PEERS_PAGE = """\
<!-- Written by docs/_generate.py from sklearn_ap.compat.PEERS; edit that. -->

# Who computes which

Which number does each tool compute? The columns mean this:

- **number**: the name of the [definition](which_ap.md#symbols). AP@k has its denominator after the
  slash. A *float grid* has recall levels such as 0.30000000000000004, which a recall of 3/10 does
  not reach. *Levels rounded* are recall levels rounded to whole hits. *Curved* is the area under a
  curve on which hits and misses grow evenly from point to point.
- **ties**: which of the samples with the same score comes first, or that they are grouped into one
  point of the curve.
- **no positives**: what a query or a class without positives counts.
- **trap**: what else can change the number.

The last rows are numbers that are sometimes mistaken for average precision.

On your own data, [`compat.explain`](why_different.md) names the tools beside the number that they
give.

{peers}

Rows with a "yes" are tested against the tool itself, where it is installed.
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
    if isinstance(value, np.ma.MaskedArray):
        return f"np.ma.array({_value(value.data.tolist())}, mask={value.mask.tolist()})"
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
        "; ".join(filter(None, (row.trap, _without_rows(row)))),
        tested,
    )


def _without_rows(row: Peer) -> str:
    """What happens to queries of which nothing was retrieved, unless they count 0."""
    if not row.missed or row.no_rows.slip is Slip.NONE:
        return ""
    text = "refuses" if row.no_rows.slip is None else "leaves out"
    unless = f", unless called with {row.no_rows.option}" if row.no_rows.option else ""
    return f"{text} queries without rows{unless}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
