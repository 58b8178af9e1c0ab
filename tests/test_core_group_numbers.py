"""Groups are numbered as by np.unique, whichever algorithm is used."""

import numpy as np
import pytest

from sklearn_ap.core import numbering as module
from sklearn_ap.core import ragged
from sklearn_ap.core.numbering import number_groups

RNG = np.random.default_rng(0)
FEW, MANY = RNG.integers(9, size=500), RNG.integers(400, size=500)
NAMES = np.array([f"q{i}" for i in range(400)])
LONG = np.array([f"Ж{'x' * (i % 30)}{i}" for i in range(400)])

COLUMNS = {
    "integers": MANY,
    "integers far apart": MANY * 10**15,
    "integers below 0 far apart": MANY * -(10**15) + 7,
    "unsigned far apart": MANY.astype(np.uint64) * np.uint64(2**55),
    "strings": NAMES[MANY],
    "long strings": LONG[MANY],
    "wide characters": np.array(["\N{SNAKE}", "\N{SNAKE}a", "a\N{SNAKE}", "", "\x00a"])[FEW % 5],
    "two that differ at the end": np.array(["x" * 40 + "a", "x" * 40 + "b"])[FEW % 2],
    "rare ones among few": np.where(np.arange(500) % 101 == 1, NAMES[MANY], "often"),
    "other byte order": NAMES.astype(">U4")[FEW],
    "empty strings": np.array([""] * 3),
    "no strings": np.array([], dtype="U3"),
    "the same objects": NAMES.astype(object)[FEW],
    "objects of their own": NAMES[FEW].astype(object),
    "strided": np.repeat(NAMES[FEW], 2)[::2],
    "bytes": NAMES[FEW].astype("S"),
    "many bytes": np.char.encode(LONG, "utf-8")[MANY],
}


@pytest.fixture(autouse=True)
def hash_few_too(monkeypatch):
    monkeypatch.setattr(module, "_MAX_SORTED_GROUPS", 0)


def check(column):
    names, group = number_groups(column)
    expected, places = np.unique(column, return_inverse=True)
    assert names.tolist() == expected.tolist()
    assert group.tolist() == places.tolist()
    assert names[group].tolist() == column.tolist()


@pytest.mark.parametrize("block", [7, ragged.ENTRIES_PER_BLOCK])
@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_as_unique(monkeypatch, column, block):
    monkeypatch.setattr(ragged, "ENTRIES_PER_BLOCK", block)
    check(column)


STRINGS = [NAMES[FEW], NAMES[MANY], NAMES.astype("U8")[MANY], NAMES.astype(object)[FEW]]


def test_few_are_sorted(monkeypatch):
    monkeypatch.setattr(module, "_MAX_SORTED_GROUPS", 500)
    monkeypatch.setattr(module, "number_rows", None)
    check(NAMES[MANY])


@pytest.mark.parametrize("bits", [1, 4, 7])
@pytest.mark.parametrize("strings", STRINGS)
def test_places_that_strings_share(monkeypatch, strings, bits):
    """Few slots need one table after another, or one too many."""
    monkeypatch.setattr(module, "_count_bits", lambda size: bits)
    check(strings)


@pytest.mark.parametrize("strings", STRINGS)
def test_hashes_that_strings_share(monkeypatch, strings):
    """What no hash tells apart is sorted instead."""
    monkeypatch.setattr(module, "_HASH_FACTORS", [np.uint64(0)] * 8)
    assert module.number_rows(module.make_integer_words(np.arange(9)), 9) is None
    check(strings)


def test_hashes_fill_a_table():
    """Consecutive numbers, and numbers that are far apart."""
    table = np.empty(2**13, dtype=np.int32)
    for step in (1, 2**20, 2**50):
        numbers = np.arange(4096, dtype=np.uint64) * np.uint64(step)
        for held in ([numbers], [numbers, 0 * numbers], [0 * numbers, numbers]):
            filled = [
                np.unique(module._compute_slots(held, factor, table)).size
                for factor in module._HASH_FACTORS
            ]
            assert min(filled) > 500
            assert np.median(filled) > 2000


def test_more_kinds_than_are_wanted():
    kinds = np.arange(500) % 100
    assert module.number_rows(module.make_integer_words(kinds), 500, most=0.2) is not None
    assert module.number_rows(module.make_integer_words(kinds), 500, most=0.19) is None
    assert module.number_rows(module.make_integer_words(np.arange(500)), 500, most=0.9) is None


def test_of_equal_objects_the_first_gives_the_name():
    for groups in ([True, 1, True] * 500, [1, True, 1] * 500, [2, 1.0, True, 1.0] * 500):
        names, _ = number_groups(np.array(groups, dtype=object))
        expected = [1.0, 2] if len(set(groups)) == 2 else [groups[0]]
        assert list(map(repr, names)) == list(map(repr, expected))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8"])
def test_integers_at_both_ends_of_their_range(dtype):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    for one, other in ((low, low + 2), (high, high - 2), (low, high)):
        check(np.array([one, other, one] * 100, dtype=dtype))
