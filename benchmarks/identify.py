"""How often `compat.identify` is right about what installed tools return.

Each tool of `tests/test_peers_tools.py` is called on 20 data sets. It counts as named if it is
among the matches, and as named first if it is among those that are least likely by chance.

Run it in the checkout that you want to measure, from its root: `python -m benchmarks.identify`.
"""

import warnings
from itertools import islice

import pytest

from sklearn_ap import compat
from tests import test_peers_tools as peers

N_DATA_SETS = 20


def data_sets(peer):
    """Yield data sets on which the value of a tool is known."""
    return islice((seed for seed in range(1000) if peers.is_known(peer, seed)), N_DATA_SETS)


def count(peer):
    """Return how many values were identified, how many as the first match, and how many tried."""
    named = first = tried = 0
    for seed in data_sets(peer):
        labels, scores, k, _, ours = peers.made(seed)
        for value in peers.really(peer, seed).values():
            if not 0 <= value <= 1:
                continue
            tried += 1
            matches = compat.identify(float(value), labels, scores, k=k, decimals=6, **ours).matches
            named += bool(peers.credited(peer, matches))
            best = [match for match in matches if match.chance == matches[0].chance]
            first += bool(peers.credited(peer, best))
    return named, first, tried


def main():
    total = [0, 0, 0]
    for peer in peers.TESTED:
        try:
            counts = count(peer)
        except pytest.skip.Exception as skipped:
            print(f"{peers.name(peer)}: {skipped}")
            continue
        total = [sum(pair) for pair in zip(total, counts, strict=True)]
        print(f"{peers.name(peer)}: {counts[0]} named, {counts[1]} first, of {counts[2]}")
    print(f"{total[0]} named, {total[1]} first, of {total[2]}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
