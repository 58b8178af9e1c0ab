"""MAP: the mean over groups equals a loop over groups."""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import mean_average_precision_score

from . import oracle
from .strategies import FEW_SCORES


def looped(labels, scores, groups, weights=None, *, average="macro", undefined=0, **options):
    option = next(iter(options), None)
    rule = partial(
        {None: oracle.step, "k": oracle.at_k, "n_points": oracle.n_point}[option], **options
    )
    values = oracle.mean_over_groups(
        rule, labels, scores, groups, weights, average=average, undefined=undefined
    )
    return [float(v) for v in values] if average is None else float(values)


def mean_ap(labels, scores, groups, **options):
    options = {"zero_division": 0.0} | options
    return mean_average_precision_score(labels, scores, groups=groups, **options)


@pytest.mark.parametrize(
    ("options", "average"),
    [
        *(({}, "weighted"), ({"k": 4}, None)),
        *(({"n_points": 11}, "macro"), ({"n_points": 101}, "weighted")),  # the mAP of detections
    ],
)
def test_thousands_of_groups_with_float_weights(options, average):
    rng = np.random.default_rng(3)
    labels, groups = rng.integers(0, 2, 3000), rng.integers(0, 1000, 3000)
    scores, weights = rng.integers(0, 6, 3000), rng.lognormal(size=3000)
    weights[groups == 50] *= 1e12  # which must not blur the others
    expected = looped(labels, scores, groups, weights, average=average, **options)
    actual = mean_ap(labels, scores, groups, average=average, sample_weight=weights, **options)
    assert actual == pytest.approx(expected, rel=1e-12, abs=1e-12)


KINDS = {
    "floats": lambda groups: groups / 7,
    "unsigned": lambda groups: groups.astype(np.uint16),
    "large integers": lambda groups: 2**62 + groups.astype(np.int64),
    "bytes": lambda groups: groups.astype("S8"),
    "dates": lambda groups: np.datetime64("2020-01-01") + groups,
    "list of tuples": lambda groups: [(int(g) // 100, f"q{g}") for g in groups],
    "array of tuples": lambda groups: np.fromiter(((int(g), "q") for g in groups), dtype=object),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_groups_of_any_kind(kind):
    """With tied scores, and shuffled groups of unequal sizes, some without positives."""
    rng = np.random.default_rng(0)
    labels, scores = (rng.random(400) < 0.3).astype(int), rng.choice(FEW_SCORES, 400)
    groups = kind(rng.integers(0, 60, 400) ** 2)
    plain = [g.item() if hasattr(g, "item") else g for g in groups]
    expected = looped(labels, scores, plain, average=None)
    assert mean_ap(labels, scores, groups, average=None) == pytest.approx(expected, abs=1e-12)
    assert mean_ap(labels, scores, groups) == pytest.approx(np.mean(expected), abs=1e-12)


# Groups without positives


@pytest.mark.parametrize(
    ("groups", "name"),
    [
        *(([7, 7, 9], "9"), ([-3, -3, -2], "-2"), (["a", "a", "b"], "b")),
        (np.array([-128, -128, 127], dtype=np.int8), "127"),
        (np.array(["2020-01", "2020-01", "2020-02"], dtype="M8[ns]"), "2020-02-01"),
    ],
)
def test_a_group_without_positives_is_named_once_and_counts_0(groups, name):
    words = rf"[Nn]o positive.*1 of 2 groups \({name}\)"
    with pytest.warns(UndefinedMetricWarning, match=words) as caught:
        assert mean_average_precision_score([1, 0, 0], [3, 2, 1], groups=groups) == 1 / 2
    assert len(caught) == 1


def same_in_any_order(groups):
    """Return the order of the groups' values, which doesn't depend on the order of the rows.

    Each group has one positive, and is recognized by its precision: 1, 1/2, 1/3, ...
    """
    orders, groups = set(), list(groups)
    distinct = {name: i for i, name in enumerate(dict.fromkeys(groups))}
    for seed in range(40):
        labels, scores, names = [], [], []
        for j in np.random.default_rng(seed).permutation(len(groups)):
            i = distinct[groups[j]]
            labels += [1] + [0] * i
            scores += [0] + [2] * i
            names += [groups[j]] * (i + 1)
        values = mean_ap(labels, scores, names, average=None)
        orders.add(tuple(np.round(1 / values).astype(int) - 1))
    (order,) = orders
    return [list(distinct)[i] for i in order]


MIXED = {
    "large numbers": ([2**53, 2**53 + 1, 0.5], [0.5, 2**53, 2**53 + 1]),
    "beyond 64 bits": ([2**63, 2**63 + 1, -1], [-1, 2**63, 2**63 + 1]),
    "several types": (
        ["b", (2, "b"), 10, "a", "10", "2", 9.5, (2, 1)],
        [9.5, 10, "10", "2", "a", "b", (2, "b"), (2, 1)],
    ),
}


@pytest.mark.parametrize(("groups", "expected"), MIXED.values(), ids=MIXED)
def test_groups_have_one_order_whatever_that_of_the_rows(groups, expected):
    assert same_in_any_order(groups) == expected


def test_equal_groups_of_several_types_have_one_place():
    """The rows decide whether 2, 2.0 or True names a group, but not where the group is."""
    groups = ["x", 2, 2.0, np.float32(2), 1, True, Fraction(3, 2), Decimal(3) / 2, "w"]
    groups += [np.str_("w"), np.str_("x")]
    expected = [1, 1.5, 2, "w", "x"]
    assert same_in_any_order(groups) == expected


def test_positives_of_days_by_the_keys_that_pandas_makes_of_them():
    pandas = pytest.importorskip("pandas")
    days = np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]")
    mean = partial(mean_ap, [1, 1], [2, 1], days, average=None)
    plain = pandas.Series([1, 2], index=days.tolist())
    assert isinstance(plain.index[0], date)
    for by_day in (plain, plain.set_axis(pandas.DatetimeIndex(days))):
        for exist in (by_day, by_day.to_dict()):
            assert mean(n_positives=exist).tolist() == [1, 1 / 2]
    zoned = plain.set_axis(pandas.DatetimeIndex(days, tz="UTC"))
    for exist in (zoned, zoned.to_dict()):
        with pytest.raises(ValueError, match="and without time zones: except in pandas"):
            mean(n_positives=exist)
