"""What peers.toml says of tools, against what these returned (`tests/tools/recorded.json`)."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from packaging.specifiers import SpecifierSet

import sklearn_ap
from sklearn_ap._core import Rankings
from sklearn_ap.compat import PEERS
from sklearn_ap.compat.definitions import DEFINITIONS, MISTAKES, list_at_k
from sklearn_ap.compat.recipes import KNOWN_ON, Data, Mean, Recipe
from sklearn_ap.compat.transforms import BEST, BY_ROW, LAST_ROW_FIRST, TRANSFORMS, WORST

from .tools import Function, K, record
from .tools import __main__ as weekly
from .tools.rankings import MISSED, QUERIES, RANKINGS

RECORDS = record.read_records()
RECORDED = [peer for peer in PEERS if peer.recorded]
BY_NAME = {
    each.name_of_any_k: each
    for each in (DEFINITIONS | MISTAKES | list_at_k(K)).values()
}  # fmt: skip
# What the order of tied samples has to be. Documents are named so that their order is that of rows.
ORDERS = {
    "grouped": None,
    "input order": BY_ROW,
    "input order, last first": LAST_ROW_FIRST,
    "document number, descending": LAST_ROW_FIRST,
    "document id, ascending": BY_ROW,
    "worst": WORST,
}
# What may be anything between the best and the worst order, and isn't one of the orders above
UNKNOWN = ["unstable sort", "random", "between the best and the worst order"]
OF_CALLERS = ["the caller's order", "the model's order"]
OF_NO_POSITIVES = {"0": 0.0, "1": 1.0, "0.5": 0.5, "-1": -1.0, "nan": "nan", "an error": "error"}


@cache
def find_record(peer):
    return RECORDS[peer.tool]["functions"][peer.function]


@cache
def read_ranking(place, missed):
    _, labels, scores, weight = RANKINGS[place]
    n_positives = np.array([labels.sum() + missed]) if missed else None
    return Data(Rankings(labels == 1, scores, weight=weight, n_positives=n_positives))


def compute(peer, place, order=None, missed=0):
    """Return the value that a row promises for one ranking, or None if it promises nothing."""
    data = read_ranking(place, missed if peer.missed else 0)
    definition = BY_NAME[peer.definition]
    if peer.is_known_on not in KNOWN_ON or not KNOWN_ON[peer.is_known_on](data):
        return None
    made = [TRANSFORMS[words] for words in (peer.ranks, peer.reading) if words]
    transforms = data.simplify([*made, *([order] if order else [])])
    if peer.ranks and peer.ranks not in [transform.name for transform in transforms]:
        return None
    mean = Mean.ZERO
    if peer.ranks and peer.average == "weighted":
        mean = Mean.WEIGHTED
    elif peer.ranks and peer.in_mean is not None:
        mean = Mean(peer.in_mean)
    return data.evaluate(Recipe(definition, transforms, mean))[0, 0]


def agree(found, expected):
    if expected is None:
        return True
    if isinstance(found, str) or isinstance(expected, str):
        return found == expected
    return found == pytest.approx(expected, abs=2e-6)


def list_kinds(*kinds):
    return [place for place, ranking in enumerate(RANKINGS) if ranking.kind in kinds]


QUERY_PLACES = list_kinds("no ties")[4 : 4 + len(QUERIES)]


def list_wrong(peer, kinds, order=None):
    values = find_record(peer)["values"]
    return [
        (place, values[place], compute(peer, place, order))
        for place in list_kinds(*kinds)
        if values[place] is not None and not agree(values[place], compute(peer, place, order))
    ]


def check_version(peer):
    """Compare the first number of what was recorded, such as "9 in pytrec-eval-terrier 0.5.11"."""
    record = RECORDS[peer.tool]
    assert peer.recorded == f"{record['version']}, {record['date']}"
    version = record["version"].split()[0]
    words = peer.version.split()
    if words[1:] == ["and", "later"]:
        assert SpecifierSet(f">={words[0]}").contains(version, prereleases=True)
    else:
        assert words[-1] == version


def check_values(peer):
    assert not list_wrong(peer, ["no ties", "logits", "not above 0"])
    is_known = [compute(peer, place) is not None for place in list_kinds("no ties", "ties")]
    assert sum(is_known) >= 8


def check_ties(peer):
    kinds = ["ties", "close"]
    is_ranked = find_record(peer)["ranks"]
    assert is_ranked != (peer.ties in OF_CALLERS)
    order = peer.ties.partition(";")[0]
    if order in ORDERS:
        assert not list_wrong(peer, kinds, ORDERS[order])
    else:
        assert order in [*UNKNOWN, *OF_CALLERS, "left out at the cutoff"]
    if order in UNKNOWN:
        for place in list_kinds(*kinds):
            found = find_record(peer)["values"][place]
            ends = [compute(peer, place, each) for each in (BEST, WORST)]
            # What is divided by the hits may be lowest in another order than the worst one.
            is_range = None not in ends and "hits" not in peer.definition
            assert not is_range or min(ends) - 2e-6 <= found <= max(ends) + 2e-6
        # The first positive is often the same in any order.
        is_telling = not peer.definition.startswith(("hit rate", "reciprocal rank"))
        assert not is_telling or all(
            list_wrong(peer, kinds, each) for each in (None, BY_ROW, LAST_ROW_FIRST)
        )


def check_no_positives(peer):
    record, words = find_record(peer), peer.no_positives
    places = list_kinds("no positives")
    values = [record["values"][place] for place in places]
    if peer.ranks:
        assert not list_wrong(peer, ["no positives"])
    elif words == "left out":
        assert -1 not in values
    else:
        number = words.split(",")[0].removesuffix(" and a warning")
        assert all(agree(value, OF_NO_POSITIVES[number]) for value in values), values
    has_warned = any(place in record["warned"] for place in places)
    is_quiet_elsewhere = not {*list_kinds("no ties")} & {*record["warned"]}
    if is_quiet_elsewhere and not peer.ranks:
        assert has_warned == ("warning" in words)


def check_no_negatives(peer):
    has_definition = not list_wrong(peer, ["no negatives"], ORDERS.get(peer.ties))
    assert has_definition != peer.needs_negatives


def check_weights(peer):
    values = [find_record(peer)["values"][place] for place in list_kinds("weights")]
    assert (None not in values) == peer.weights
    if peer.weights:
        assert not list_wrong(peer, ["weights"], ORDERS.get(peer.ties))


def check_queries(peer):
    """Check the mean over three queries and one without positives, or one that found nothing."""
    record = find_record(peer)
    assert ("mean" in record) == peer.queries
    assert "no rows" in record or not peer.no_rows
    if not peer.queries:
        return
    values = [compute(peer, place) for place in QUERY_PLACES]
    counted = {"": [0.0], "no positives: 1": [1.0], "no positives: 0.5": [0.5]}
    if peer.in_mean is None:
        assert record["mean"] in ("nan", "error")
    else:
        assert agree(record["mean"], np.mean(values + counted.get(peer.in_mean, [])))
    if "no rows" in record:
        if peer.no_rows == "an error":
            assert record["no rows"] == "error"
        else:
            nothing = [] if peer.no_rows == "left out" else [0.0]
            assert agree(record["no rows"], np.mean(values + nothing))


def check_missed(peer):
    record = find_record(peer)
    assert ("missed" in record) == peer.missed
    if peer.missed:
        assert agree(record["missed"], compute(peer, QUERY_PLACES[0], missed=MISSED))


CHECKS = [
    check_version, check_values, check_ties, check_no_positives, check_no_negatives, check_weights,
    check_queries, check_missed,
]  # fmt: skip


@pytest.mark.parametrize("peer", RECORDED, ids=lambda peer: f"{peer.tool} {peer.function}")
def test_rows_are_what_tools_returned(peer):
    for check in CHECKS:
        check(peer)


def test_every_record_has_a_row():
    rows = {(peer.tool, peer.function) for peer in RECORDED}
    assert rows == {(tool, name) for tool in RECORDS for name in RECORDS[tool]["functions"]}
    assert len(RECORDED) >= 60


def test_the_weekly_job_notices_changes(monkeypatch):
    """And it knows what to install for each module."""
    installed = Path(sklearn_ap.__file__).parent / "compat" / "peers.toml"
    monkeypatch.setattr(record, "PEERS", installed)
    old = {"tool": {"version": "1", "functions": {"f": {"values": [0.5, "nan"], "mean": 0.5}}}}
    new = {"tool": {"version": "2", "functions": {"f": {"values": [0.5, 0.0], "mean": 0.5000001}}}}
    assert [*record.list_changes(old, new)] == ["tool 2: values of f"]
    assert not [*record.list_changes(old, old)]
    values = RECORDS["ranx"]["functions"]["evaluate(metrics='map')"]["values"]
    tied = list_kinds("ties")[-1]
    changed = [0.1 if place == tied else value for place, value in enumerate(values)]
    old, new = (
        {"ranx": {"version": "1", "functions": {"evaluate(metrics='map')": {"values": each}}}}
        for each in (values, changed)
    )
    assert [*record.list_changes(old, new)]
    assert not [*record.list_changes(old, new, record.find_unstable())]
    scripts = [*weekly.HERE.glob("of_*.py")]
    assert len(scripts) >= 10
    assert all(map(weekly.read_packages, scripts))


def test_a_function_that_always_fails_is_not_recorded():
    def fail(labels, scores):
        raise TypeError("as of a wrong keyword")

    with pytest.raises(ValueError, match="fail"):
        record.record_function(Function(fail))
