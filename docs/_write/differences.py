"""How values differ from scikit-learn's, between releases, definitions and tools."""

import json
import re
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from sklearn_ap._inputs.metric_names import write_rule
from sklearn_ap._package import read_toml
from sklearn_ap.compat import DIFFERENCES, PEERS, Difference, Peer
from sklearn_ap.compat.data_sets import Reading, Slip
from sklearn_ap.compat.differences import NEWEST_RELEASE, format_outcome
from sklearn_ap.compat.peers import RULES_BY_DEFINITION, find_order, merge_versions
from sklearn_ap.compat.variant_rules import Order

PAGE = """\
<!-- Written by docs/_write/pages.py from compat/differences.py and compat/peers.toml. -->

# How values differ from scikit-learn

`sklearn_ap.average_precision_score` returns the same value as scikit-learn's function for valid
input. The tables list every case in which it differs. Each row was run with the
releases that it names; `>=1.5` means that older releases weren't tried, and any other `>=` names
the first release that differs. [What each tool computes](peers.md) is about other definitions.

```{{raw}} html
<p id="releases" hidden>
<label>Show what applies to scikit-learn <select></select></label>
</p>
<script type="application/json">
{rows_of_releases}
</script>
<script src="_static/releases.js" defer></script>
```

## With scikit-learn {newest}

{new}

In Python, `compat.DIFFERENCES` has all rows, and `DIFFERENCES.to_frame()` is a table of them:

```pycon
>>> from sklearn_ap.compat import DIFFERENCES
>>> rows = [row for row in DIFFERENCES if row.applies_to("1.8")]
>>> rows[0].title
'Warning if there are no positives'
>>> rows[0].theirs, rows[0].ours
('UserWarning', 'UndefinedMetricWarning')
```

Our function also works as [`scoring=`](in_scikit_learn.md), where scikit-learn's own function
raises a ValueError. If your labels don't include 1, pass
`functools.partial(average_precision_score, pos_label="bad")`.

## With older releases only

{old}
"""

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
        "ties in an order of the tool's own",
        "Tied samples are ranked one by one, in whatever order a sort, the model or the caller "
        "leaves them.",
    ),
    Order.WORST: (
        "ties with positives last",
        "Negatives are ranked above positives with the same score.",
    ),
}

WHY_WITHOUT_POSITIVES = {
    "nan": "Recall is 0/0, and the value is nan.",
    "an error": "Recall is 0/0, which raises an error.",
    "0.5": "Recall is set to 1, and the line from (0, 1) to (1, 0) has an area of 0.5 below it.",
    "1": "A query or class without positives counts as perfect, which raises the mean.",
    "left out": "A query or class without positives is left out of the mean. Here it counts as 0, "
    "unless you pass `zero_division=np.nan`.",
}

WHY_AT_EDGES: dict[str, tuple[str, Callable[[Peer], bool]]] = {
    "no negatives: no value, or 0": (
        "The curve or its area is defined only if both labels occur.",
        lambda peer: peer.needs_negatives,
    ),
    "float32 scores": (
        "Scores are read in single precision, so scores that differ by less become ties.",
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
        "The tool sees only the rows that it gets, so it divides by the positives among them.",
        lambda peer: peer.queries and not peer.missed,
    ),
    "both classes": (
        "With both columns of probabilities, the negatives count as a class, too.",
        lambda peer: peer.ranks is not Slip.NONE,
    ),
}

WHY_OF_DEFINITIONS = {
    write_rule(RULES_BY_DEFINITION[name], "term"): why
    for name, why in read_toml("compat/peers.toml")["why"].items()
}
# The functions that somebody calls average precision
AP_PEERS = [peer for peer in PEERS if peer.definition in {"step", *WHY_OF_DEFINITIONS}]


def page(format_table: Callable[..., str]) -> str:
    new, old = sort_rows()
    return PAGE.format(
        newest=NEWEST_RELEASE,
        rows_of_releases=textwrap.fill(json.dumps(find_rows_of_releases([*new, *old])), 75),
        new=format_differences(new, format_table),
        old=format_differences(old, format_table),
    )


def sort_rows() -> tuple[list[Difference], list[Difference]]:
    """Return the rows about the newest release, and all others, from the newest one on."""
    new = [row for row in DIFFERENCES if row.applies_to(NEWEST_RELEASE)]
    old = [row for row in DIFFERENCES if not row.applies_to(NEWEST_RELEASE)]
    return new, sorted(old, key=lambda row: find_releases(row)[-1], reverse=True)


def find_releases(row: Difference) -> list[int]:
    """Return the places of the releases that a row is about, among all releases."""
    return [i for i, release in enumerate(RELEASES) if row.applies_to(release)]


RELEASES = [f"0.{minor}" for minor in range(13, 25)]
RELEASES += [f"1.{minor}" for minor in range(int(NEWEST_RELEASE.removeprefix("1.")) + 1)]


def find_rows_of_releases(rows: list[Difference]) -> dict[str, list[int]]:
    """Return, for each release, the places of the rows on the page that apply to it."""
    return {
        release: [i for i, row in enumerate(rows) if row.applies_to(release)]
        for release in reversed(RELEASES)
    }


def format_differences(rows: Iterable[Difference], format_table: Callable[..., str]) -> str:
    return format_table(
        ("what you call", "scikit-learn", "here", "why", "releases"),
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
    """Yield what differs, why, and in which tools: definitions, then ties, then edges."""
    for definition, why in WHY_OF_DEFINITIONS.items():
        found = [peer for peer in AP_PEERS if peer.definition == definition]
        yield definition, why, format_tools(found, link)
    for order, (what, why) in WHY_OF_TIES.items():
        yield what, why, format_tools([p for p in AP_PEERS if find_order(p) is order], link)
    for value, why in WHY_WITHOUT_POSITIVES.items():
        found = [peer for peer in AP_PEERS if is_without_positives(peer, value)]
        yield f"no positives: {value}", why, format_tools(found, link)
    for what, (why, is_found) in WHY_AT_EDGES.items():
        yield what, why, format_tools(filter(is_found, AP_PEERS), link)


def is_without_positives(peer: Peer, value: str) -> bool:
    """Whether a tool treats a query or class without positives in this way."""
    if value == "left out":
        return "left out" in peer.no_positives
    return re.split(r" and |, ", peer.no_positives)[0] == value


def format_tools(peers: Iterable[Peer], link: Callable[[str], str]) -> str:
    """Name the tools, with those functions and versions that are meant if there are others."""
    found = list(peers)
    texts = []
    for tool in sorted({peer.tool for peer in found}, key=str.casefold):
        of_tool = [peer for peer in found if peer.tool == tool]
        text = link(tool)
        if len(of_tool) < sum(peer.tool == tool for peer in AP_PEERS):
            versions = defaultdict(list)
            for peer in of_tool:
                versions[peer.function].append(peer.version)
            calls = (f"`{name}` {', '.join(merge_versions(v))}" for name, v in versions.items())
            text += f" ({', '.join(calls)})"
        texts.append(text)
    return ", ".join(texts)
