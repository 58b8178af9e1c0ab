"""Find out which definition of average precision produced a value, and why two values differ.

========================  =========================================================================
explain, identify, audit  what users call, and how their results print
recipes                   the value of a definition on some data, after transforms, and which tools
                          report it
recognition               the definition and the mistake that give what a function returned
findings                  what differs from a definition, with the smallest ranking that shows it
calls                     the rankings that a function is called with, and what it did with each
adapters                  scorers, and functions that take or return another form
definitions               what tools and people compute, also by mistake, as a table
formulas                  how that is computed, where no metric of this package does it
transforms                what is done to the data before, and to the value after, as a table
peers, differences        which tool computes what, and where scikit-learn differs
facts                     how their TOML files are read
wording                   values, lists and sentences for results
========================  =========================================================================

**explain and identify.** `read_data` reads the labels and scores. A `Recipe` is a definition, with
transforms of the data before it and a mean over rankings after it. `explain` evaluates the recipes
of definitions that are common, and those that tools follow (`list_reported`). `identify` evaluates
each definition after each transform (`try_all`), and keeps the recipes that give the reported value
(`find_matches`), the most common ones first.

**audit.** A `CallLog` calls the function with some 330 rankings. `Search.recognize` tries thousands
of hypotheses on all of these values at once: definitions, then definitions with a mistake, then
transforms of values and of rankings. `Agreement` compares each aspect of the calls with the
definition, and writes what differs; `audit` puts this together.

Definitions, transforms and means have a `rarity`: 0 for what everybody reports, 3 for what nobody
means to. `identify` tries what adds up to 3 at most, and ranks matches by this sum.
"""

from typing import Any

from .audit import Audit, audit, check_metric
from .differences import Difference, read_differences
from .explain import Explanation, explain
from .facts import Table
from .findings import Finding
from .identify import Identification, identify
from .peers import Peer, read_peers

__all__ = [
    "DIFFERENCES",
    "PEERS",
    "Audit",
    "Difference",
    "Explanation",
    "Finding",
    "Identification",
    "Peer",
    "audit",
    "check_metric",
    "explain",
    "identify",
]

DIFFERENCES: Table[Difference]
PEERS: Table[Peer]


def __getattr__(name: str) -> Any:
    """Read a table when somebody asks for it, which most who import the package never do."""
    tables = {"DIFFERENCES": read_differences, "PEERS": read_peers}
    if name not in tables:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return tables[name]()


def __dir__() -> list[str]:
    return __all__
