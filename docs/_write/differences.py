"""How values differ from scikit-learn's, between releases, definitions and tools."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from sklearn_ap._inputs.metric_names import write_rule
from sklearn_ap._package import read_toml
from sklearn_ap.compat import DIFFERENCES, PEERS, Difference, Peer
from sklearn_ap.compat.differences import NEWEST_RELEASE, format_outcome
from sklearn_ap.compat.mistakes import NO_MISTAKE
from sklearn_ap.compat.peers import RULES_BY_DEFINITION, find_order, merge_versions
from sklearn_ap.compat.readings import Reading
from sklearn_ap.compat.tie_orders import Order

PAGE = """\
<!-- Written by docs/_write/pages.py from compat/differences.py and compat/peers.toml. -->
<!-- this page needs: pandas -->

# How values differ from scikit-learn's

`sklearn_ap.average_precision_score` returns the same value as scikit-learn's function for valid
input. Where the two differ, scikit-learn usually returns a wrong value, or raises an error that
doesn't help. For example, scikit-learn ignores the names of columns:

```pycon
>>> import pandas as pd
>>> import sklearn_ap as ap
>>> from sklearn.metrics import average_precision_score
>>> y_true = ["a", "b", "c"]
>>> y_score = pd.DataFrame(
...     [[0.1, 0.1, 0.8], [0.1, 0.8, 0.1], [0.8, 0.3, 0.1]],
...     columns=["c", "b", "a"],
... )
>>> print(f"{{average_precision_score(y_true, y_score):.3f}}")
0.556
>>> print(f"{{ap.average_precision_score(y_true, y_score):.3f}}")
1.000
```

The ranking is perfect, but scikit-learn takes the first column for class a, although its name is c.

## Differences from scikit-learn {newest}

Each row was run with the releases that it names. For `>=1.5`, older releases weren't tried.

{new}

## Differences from older releases only

{old}

## Look up your release

`DIFFERENCES` has all rows of this page, and `DIFFERENCES.to_frame()` returns them as a DataFrame.
These rows are about scikit-learn 1.2, but not about {newest}:

```pycon
>>> from sklearn_ap.compat import DIFFERENCES
>>> for row in DIFFERENCES:
...     if row.applies_to("1.2") and not row.applies_to("{newest}"):
...         print(f"{{row.title}}: {{row.theirs}}, here {{row.ours}}")
Multiclass labels: ValueError, here 1.0
All weights 0: IndexError, here ValueError
The value is a NumPy scalar: float64, here float
```
"""

# The rows that people meet, besides the example of the page; the others stand folded below them.
MET = {
    *("predicted-labels", "negative-weights", "masked", "multiclass-list"),
    *("trapezoid", "multiclass"),
}

FOLDED = """\
<details>
<summary>{n} rarer cases</summary>

<!-- looked up -->

{rows}

<!-- end of what is looked up -->

</details>"""

WHY_OF_TIES = {
    Order.BY_ROW: (
        "ties in the order of the rows",
        "Tied samples are ranked one by one, so the value changes if the rows are shuffled.",
    ),
    Order.BY_ID: (
        "ties by document id",
        "Tied documents are ranked by id, the last one first, so other ids change the value.",
    ),
    Order.OPEN: (
        "ties in any other order",
        "Tied samples aren't one point of the curve. In most of these tools, a sort, the model or "
        "the caller decides on their order.",
    ),
    Order.WORST: (
        "ties with positives last",
        "Negatives are ranked above positives with the same score.",
    ),
}

WHY_WITHOUT_POSITIVES = {
    "nan": "Recall is 0/0, and the value is nan.",
    "an error": "Recall is 0/0, and the tool raises an error.",
    "0.5": "Recall is set to 1, and the line from (0, 1) to (1, 0) has an area of 0.5 below it.",
    "1": "A query or class without positives counts as perfect, which raises the mean.",
    "left out": "A query or class without positives is left out of the mean. This package counts "
    "it as 0, unless you pass `zero_division=np.nan`.",
}

WHY_AT_EDGES: dict[str, tuple[str, Callable[[Peer], bool]]] = {
    "no negatives: no value, or 0": (
        "The tool needs both labels.",
        lambda peer: peer.needs_negatives,
    ),
    "float32 scores": (
        "Scores are read in single precision, so scores that differ only in later digits are tied.",
        lambda peer: peer.reading is Reading.SINGLE,
    ),
    "scores closer than 1e-8": (
        "Scores are compared with a tolerance, so close ones become ties.",
        lambda peer: peer.reading is Reading.CLOSE_TIED,
    ),
    "thresholds from a grid": (
        "All scores between two thresholds of the grid are tied, mainly small probabilities.",
        lambda peer: not isinstance(peer.reading, Reading),
    ),
    "positives that were not retrieved": (
        "Positives count only if they are among the rows that you pass.",
        lambda peer: peer.queries and not peer.missed,
    ),
    "both classes": (
        "If you pass both columns of probabilities (in scikit-learn, also of labels), the "
        "negatives count as a class, too.",
        lambda peer: peer.ranks is not NO_MISTAKE,
    ),
}

WHY_OF_DEFINITIONS = {
    write_rule(RULES_BY_DEFINITION[name], "term"): why
    for name, why in read_toml("compat/peers.toml")["why"].items()
}
COMMON = 7  # tools
# The functions that somebody calls average precision
AP_PEERS = [peer for peer in PEERS if peer.definition in {"step", *WHY_OF_DEFINITIONS}]


def page(format_table: Callable[..., str]) -> str:
    new, old = sort_rows()
    return PAGE.format(
        newest=NEWEST_RELEASE,
        new=format_with_fold(new, format_table),
        old=format_with_fold(old, format_table),
    )


def sort_rows() -> tuple[list[Difference], list[Difference]]:
    """Return the rows about the newest release, and all others, from the newest one on."""
    new = [row for row in DIFFERENCES if row.applies_to(NEWEST_RELEASE)]
    old = [row for row in DIFFERENCES if not row.applies_to(NEWEST_RELEASE)]
    return new, sorted(old, key=find_last_release, reverse=True)


def find_last_release(row: Difference) -> int:
    """Return the place of the last release that a row is about, among all releases."""
    return max(i for i, release in enumerate(RELEASES) if row.applies_to(release))


RELEASES = [f"0.{minor}" for minor in range(13, 25)]
RELEASES += [f"1.{minor}" for minor in range(int(NEWEST_RELEASE.removeprefix("1.")) + 1)]


def format_with_fold(rows: Iterable[Difference], format_table: Callable[..., str]) -> str:
    rows = list(rows)
    met = [row for row in rows if row.id in MET]
    rare = [row for row in rows if row.id not in MET]
    folded = FOLDED.format(n=len(rare), rows=format_differences(rare, format_table))
    return f"{format_differences(met, format_table)}\n\n{folded}"


def format_differences(rows: Iterable[Difference], format_table: Callable[..., str]) -> str:
    return format_table(
        ("call", "scikit-learn", "here", "reason", "scikit-learn releases"),
        (
            (
                f"{row.title}: `{row.call}`",
                format_code(row.theirs),
                format_code(row.ours),
                row.reason,
                f"`{row.versions}`",
            )
            for row in rows
        ),
    )


def format_code(outcome: float | str) -> str:
    text = format_outcome(outcome)
    return f"`{text}`" if isinstance(outcome, str) else text


def list_tool_rows(link: Callable[[str], str]) -> Iterator[tuple[str, str, str]]:
    """Yield what differs, why, and in which tools."""
    for what, why, peers in find_peers_that_differ():
        yield what, why, format_tools(peers, link)


def count_tools() -> Iterator[tuple[str, str, str]]:
    """Yield how many tools differ, in what and why, the most common difference first."""
    counted = [
        (len({peer.tool for peer in peers}), what, why)
        for what, why, peers in find_peers_that_differ()
    ]
    for n, what, why in sorted(counted, reverse=True):
        if n >= COMMON:
            yield str(n), what, why


def find_peers_that_differ() -> Iterator[tuple[str, str, list[Peer]]]:
    """Yield what differs, why, and in which functions: definitions, then ties, then edges."""
    for definition, why in WHY_OF_DEFINITIONS.items():
        yield definition, why, [peer for peer in AP_PEERS if peer.definition == definition]
    for order, (what, why) in WHY_OF_TIES.items():
        yield what, why, [peer for peer in AP_PEERS if find_order(peer) is order]
    for value, why in WHY_WITHOUT_POSITIVES.items():
        found = [peer for peer in AP_PEERS if is_without_positives(peer, value)]
        yield f"no positives: {value}", why, found
    for what, (why, is_found) in WHY_AT_EDGES.items():
        yield what, why, [*filter(is_found, AP_PEERS)]


def is_without_positives(peer: Peer, value: str) -> bool:
    """Whether a tool treats a query or class without positives in this way."""
    if value == "left out":
        return "left out" in peer.no_positives
    return re.split(r" and |, ", peer.no_positives)[0] == value


def format_tools(peers: list[Peer], link: Callable[[str], str]) -> str:
    """Name the tools, with those functions and versions that are meant if there are others."""
    texts = []
    for tool in sorted({peer.tool for peer in peers}, key=str.casefold):
        of_tool = [peer for peer in peers if peer.tool == tool]
        text = link(tool)
        if len(of_tool) < sum(peer.tool == tool for peer in AP_PEERS):
            versions = defaultdict(list)
            for peer in of_tool:
                versions[peer.function].append(peer.version)
            calls = (f"`{name}` {', '.join(merge_versions(v))}" for name, v in versions.items())
            text += f" ({', '.join(calls)})"
        texts.append(text)
    return ", ".join(texts)
