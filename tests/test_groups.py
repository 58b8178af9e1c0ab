"""Groups become numbers: the same as np.unique says, whichever way it goes."""

import numpy as np
import pytest

from sklearn_ap.core import groups as module
from sklearn_ap.core.groups import number_groups

RNG = np.random.default_rng(0)
FEW, MANY = RNG.integers(9, size=500), RNG.integers(400, size=500)
NAMES = np.array([f"q{i}" for i in range(400)])
LONG = np.array([f"Ж{'x' * (i % 30)}{i}" for i in range(400)])

COLUMNS = {
    "integers": MANY,
    "integers far apart": MANY * 10**15,
    "unsigned": MANY.astype(np.uint8),
    "strings of 32 bits a word": NAMES[MANY],
    "strings of 64 bits a word": NAMES.astype("U8")[MANY],
    "few strings": NAMES[FEW],
    "long strings": LONG[MANY],
    "other byte order": NAMES.astype(">U4")[FEW],
    "empty strings": np.array([""] * 3),
    "no strings": np.array([], dtype="U3"),
    "the same objects": NAMES.astype(object)[FEW],
    "many of the same objects": NAMES.astype(object)[MANY],
    "objects of their own": NAMES[FEW].astype(object),
    "strided": np.repeat(NAMES[FEW], 2)[::2],
    "bytes": NAMES[FEW].astype("S"),
}


@pytest.fixture(autouse=True)
def hash_few_too(monkeypatch):
    monkeypatch.setattr(module, "_FEW", 0)


def check(column):
    names, group = number_groups(column)
    expected, places = np.unique(column, return_inverse=True)
    assert names.tolist() == expected.tolist()
    assert group.tolist() == places.tolist()
    assert names[group].tolist() == column.tolist()


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_as_unique(column):
    check(column)


STRINGS = [NAMES[FEW], NAMES[MANY], NAMES.astype("U8")[MANY], NAMES.astype(object)[FEW]]


def test_few_are_sorted(monkeypatch):
    monkeypatch.setattr(module, "_FEW", 500)
    monkeypatch.setattr(module, "_hashes", None)
    check(NAMES[MANY])


@pytest.mark.parametrize("bits", [1, 4, 7])
@pytest.mark.parametrize("strings", STRINGS)
def test_places_that_strings_share(monkeypatch, strings, bits):
    """Few places make one table after another, or one too many."""
    monkeypatch.setattr(module, "_bits", lambda size: bits)
    check(strings)


@pytest.mark.parametrize("alike", [(1,), (1, 2)], ids=["of 32 bits", "of 64 bits too"])
@pytest.mark.parametrize("strings", STRINGS)
def test_hashes_that_strings_share(monkeypatch, strings, alike):
    """What one hash does not tell apart is left to the next one, or to a sort."""
    hashes = module._hashes

    def spoiled(words):
        for turn, hashed in enumerate(hashes(words), start=1):
            yield hashed % hashed.dtype.type(5) if turn in alike else hashed

    monkeypatch.setattr(module, "_hashes", spoiled)
    check(strings)


def test_hashes_differ_where_strings_do():
    words = np.array([f"{i:b}" for i in range(5000)]).view(np.uint32).reshape(5000, -1)
    narrow, wide = module._hashes(words)
    assert narrow.dtype == np.uint32
    assert wide.dtype == np.uint64
    assert np.unique(wide).size == 5000
    assert np.unique(wide >> np.uint64(32)).size >= 4990
    assert np.array_equal(wide.astype(np.uint32), narrow)
    (only,) = module._hashes(words.astype(np.uint64))
    assert np.unique(only).size == 5000


def test_objects_that_are_equal_and_not_the_same():
    one, other = "".join(["a", "b"]), "".join(["a", "b"])
    names, group = number_groups(np.array([one, other, "c"] * 20, dtype=object))
    assert names.tolist() == ["ab", "c"]
    assert group.tolist() == [0, 0, 1] * 20


def test_of_equal_objects_the_first_gives_the_name():
    for groups in ([True, 1, True] * 500, [1, True, 1] * 500, [2, 1.0, True, 1.0] * 500):
        names, _ = number_groups(np.array(groups, dtype=object))
        expected = [1.0, 2] if len(set(groups)) == 2 else [groups[0]]
        assert list(map(repr, names)) == list(map(repr, expected))
