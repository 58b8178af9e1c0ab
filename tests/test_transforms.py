"""What tools and people do to the data, against plain functions of labels and scores."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score as AP

from sklearn_ap._core.data import Rankings
from sklearn_ap.compat.definitions import DEFINITIONS
from sklearn_ap.compat.formulas import Ranked
from sklearn_ap.compat.transforms import OF_RANKINGS, OF_UNUSUAL_SCORES, TIE_ORDERS


def draw(seed, n_decimals, n=2500):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.2
    s = 1 / (1 + np.exp(-rng.normal(0, 1, n) - 1.2 * y + 1))
    s[:5] = 0, 1, 0.5, 0.5, 0.25
    return y, np.round(s, n_decimals)


def in_order(y, s, key):
    """Rank samples one by one, tied ones by a key from low to high."""
    order = sorted(range(len(y)), key=lambda row: (-s[row], key(row)))
    return AP(y[order], -np.arange(len(y)))


def chain(s):
    """Number chains of scores that are at most 1e-8 apart."""
    number, numbers = 0, {}
    distinct = sorted({*s.tolist()})
    for before, score in zip([distinct[0], *distinct], distinct, strict=False):
        number += score - before > 1e-8
        numbers[score] = number
    return np.array([numbers[score] for score in s.tolist()])


BY_HAND = {
    "ties by row": lambda y, s: in_order(y, s, lambda row: row),
    "ties by row, last first": lambda y, s: in_order(y, s, lambda row: -row),
    "ties best": lambda y, s: in_order(y, s, lambda row: not y[row]),
    "ties worst": lambda y, s: in_order(y, s, lambda row: y[row]),
    "scores as float32": lambda y, s: AP(y, s.astype(np.float32)),
    "scores closer than 1e-8 tied": lambda y, s: AP(y, chain(s)),
    "positives with scores of 0 or less ignored": lambda y, s: AP(y & (s > 0), s),
    "predict() instead of scores": lambda y, s: AP(y, s > 0.5),
    "the other class is positive and scores are negated": lambda y, s: AP(~y, -s),
    "scores negated": lambda y, s: AP(y, -s),
    "the other class is positive": lambda y, s: AP(~y, s),
    "mean over both classes": lambda y, s: (AP(y, s) + AP(~y, 1 - s)) / 2,
    "both columns as one ranking": lambda y, s: AP([*y, *~y], [*s, *(1 - s)]),
    **{
        f"scores with {words}": lambda y, s, n=n: AP(y, np.rint(s * 10**n))
        for n, words in ((1, "1 decimal"), *((n, f"{n} decimals") for n in (2, 3, 4)))
    },
    **{
        f"scores between {n} thresholds": lambda y, s, n=n: AP(
            y, [sum(score >= level for level in np.linspace(0, 1, n)) for score in s]
        )
        for n in (200, 100)
    },
    "scores between 200 thresholds, those at one below it": lambda y, s: AP(
        y, [max(sum(score > level for level in np.arange(200) / 199), 1) for score in s]
    ),
    "ranked by the order of rows": lambda y, s: AP(y, -np.arange(y.size)),
}
EVERY = *TIE_ORDERS, *OF_UNUSUAL_SCORES, *OF_RANKINGS


@pytest.mark.parametrize("transform", EVERY, ids=lambda transform: transform.name)
@pytest.mark.parametrize("n_decimals", [12, 3])
def test_transforms_are_those_of_plain_functions(transform, n_decimals):
    for seed in range(3):
        y, s = draw(seed, n_decimals)
        if transform in OF_UNUSUAL_SCORES:
            s = np.round(30 * s - 15, 7)
            s[10:2000] *= 1e-7
        transformed = transform.apply(Rankings(y, s))
        expected = BY_HAND[transform.name](y, s)
        if transformed is None:  # nothing is tied, so that nothing changes
            assert expected == pytest.approx(AP(y, s), abs=1e-12)
            continue
        found = np.mean(Ranked(transformed).compute(DEFINITIONS["step"].rule))
        assert found == pytest.approx(expected, abs=1e-12)


def test_every_transform_is_tested():
    assert {*BY_HAND} == {transform.name for transform in EVERY}


@pytest.mark.parametrize("transform", TIE_ORDERS, ids=lambda c: c.name)
def test_transforms_of_groups_are_those_of_each_group(transform):
    y, s = draw(0, 1)
    group = np.arange(y.size) % 7
    transformed = transform.apply(Rankings(y, s, group_codes=group, n_rankings=7))
    found = Ranked(transformed).compute(DEFINITIONS["step"].rule)
    function = BY_HAND[transform.name]
    assert found == pytest.approx([function(y[group == g], s[group == g]) for g in range(7)])
