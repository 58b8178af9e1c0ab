"""Which tool computes which definition, as facts in peers.toml."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from .facts import Table, read_toml
from .transforms import TRANSFORMS, WITHOUT_EMPTY_GROUPS, WITHOUT_UNSCORED, Transform


@dataclass(frozen=True)
class Peer:
    """A tool's function, and the definition that it computes."""

    tool: str
    version: str  # the one that was looked at, or those that the row is about
    function: str
    definition: str  # the name in definitions.py, with "@k" for a cutoff
    ties: str  # how it ranks tied samples
    order: str  # the transform that has the same effect on tied samples
    no_positives: str  # the value of a query or class without positives
    in_mean: str | None  # what such a query counts as in a mean; None if there is no value
    trap: str = ""
    recorded: str = ""  # version and date of the run that the tests compare with this row
    source: str = ""  # how the row is known otherwise, such as "run in 0.4.3" or "read in 2.9.0"
    queries: bool = False  # whether it returns the mean over queries or classes
    missed: bool = False  # whether positives that were not retrieved count
    weights: bool = False  # whether it takes weights of samples
    reading: str = ""  # the transform of scores that it makes
    ranks: str = ""  # the transform by which it ranks both classes
    average: str = "macro"  # over both classes
    is_setting: bool = False  # whether only an option computes this
    needs_negatives: bool = False
    is_known_on: str = ""  # the data for which its value is known, if not for all
    no_rows: str = ""  # what a query without rows is: "left out" or "an error", else 0
    option: str = ""  # the option that makes such a query count as 0

    @property
    def transforms(self) -> list[Transform]:
        """What it does to the data before it computes the definition, but for weights."""
        first = [] if self.missed else [WITHOUT_UNSCORED]
        if self.no_rows == "left out":
            first.append(WITHOUT_EMPTY_GROUPS)
        facts = (self.ranks, self.reading, self.order)
        return first + [TRANSFORMS[words] for words in facts if words in TRANSFORMS]

    def __str__(self) -> str:
        of = f"{self.tool} {self.function} ({self.version}): {self.definition}"
        return f"{of}. Trap: {self.trap}." if self.trap else f"{of}."


@cache
def read_peers() -> Table[Peer]:
    facts = read_toml("peers.toml")
    return Table(peer for block in facts["peers"] for peer in _read_block(block, facts))


def _read_block(block: dict[str, Any], facts: dict[str, Any]) -> Iterator[Peer]:
    fields = {name: block[name] for name in block if name != "functions"}
    if block["ties"] not in facts["orders"]:
        raise ValueError(f"peers.toml: {block['tool']} has ties={block['ties']!r}: list it.")
    fields["order"] = facts["orders"][block["ties"]]
    fields["in_mean"] = facts["no_positives"].get(block["no_positives"])
    for function, definition in block["functions"].items():
        yield Peer(**fields, function=function, definition=definition)


@cache
def list_rows(tool: str) -> list[Peer]:
    return [row for row in read_peers() if row.tool == tool]


@cache
def is_outdated(peer: Peer) -> bool:
    """Whether there is a newer version of the function, whose row stands before this one."""
    return next(row for row in list_rows(peer.tool) if row.function == peer.function) != peer


def name_tools(peers: Iterable[Peer]) -> tuple[str, ...]:
    """Name tools that compute the same, with what tells them from their other rows.

    That is the version, if others of the function aren't among them, or the function, if the tool's
    best-known one did the same in old versions, as scikit-learn's average precision and its `auc`.
    """
    same = {*peers}
    names = []
    for peer in sorted(peers, key=is_outdated):
        name, rows = peer.tool, list_rows(peer.tool)
        if any(row.function == peer.function and row not in same for row in rows):
            name += f" {peer.version}"
        elif any(
            row.function != peer.function and row.definition == peer.definition and is_outdated(row)
            for row in rows
        ):
            name += f" {peer.function.partition('(')[0]}"
        names.append(name)
    return tuple(dict.fromkeys(names))
