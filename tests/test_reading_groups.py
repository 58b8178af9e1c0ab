"""Groups (queries, users, days), columns and rows: every function equals a loop over them."""

import re
import tracemalloc
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap
from sklearn_ap import mean_average_precision_score
from sklearn_ap.core import ragged, rankings

from . import oracle
from .registry import RULES, SOME, exact, has_function, in_groups, is_legal, name_of, rules, score
from .strategies import DYADIC, FEW_SCORES, INTEGERS, any_weight_of_k, picks

WITH_FUNCTION = sorted(name for name in RULES if name != "linear")
AVERAGES = ["macro", "weighted", None]
each_rule = pytest.mark.parametrize("name", WITH_FUNCTION)
COMPUTED = [rule for rule in SOME if has_function(rule)]
some_rules = pytest.mark.parametrize("rule", COMPUTED, ids=name_of)

GROUPS = {  # and one that has no samples
    "numbers": ([3, -1, 12], 7),
    "strings": (["b", "a", "cc"], "never"),
    "pairs": ([(1, "x"), (0, "y"), (1, "a")], (0, "z")),
}


def near(values):
    """Compare values, where undefined ones are nan."""
    if isinstance(values, list):
        return [near(value) for value in values]
    return pytest.approx(nan if values is None else float(values), abs=1e-12, nan_ok=True)


@st.composite
def grouped(draw, weights=None):
    """Rows of labels, scores, groups and weights or None, and a group without any row."""
    names, never = GROUPS[draw(st.sampled_from(list(GROUPS)))]
    size = draw(st.integers(1, 25))
    cells = [(0, 1), FEW_SCORES, range(len(names)), [1] if weights is None else weights]
    labels, scores, groups, masses = draw(picks(size, *cells))
    if not masses.any():
        masses[0] = 1
    groups = [names[group] for group in groups]
    masses = None if weights is None else masses.tolist()
    return (labels.tolist(), scores.tolist(), groups, masses), never


def without_zeros(data):
    if data[-1] is None:
        return data
    rows = [row for row in zip(*data, strict=True) if row[-1]]
    return tuple(map(list, zip(*rows, strict=True)))


def of_function(rule, data, **keywords):
    labels, scores, groups, weights = data
    values = score(rule, labels, scores, groups=groups, sample_weight=weights, **keywords)
    return values.tolist() if isinstance(values, np.ndarray) else values


# Against the oracle
@pytest.mark.sweep(8)
@any_weight_of_k
@each_rule
@given(
    st.one_of(grouped(), grouped(INTEGERS), grouped(DYADIC)),
    st.sampled_from(AVERAGES),
    st.integers(0, 9),
    st.booleans(),
    st.data(),
)
def test_groups_are_a_loop(name, given_, average, more, of_pandas, draw):
    """Also if some positives of a group, or the whole group, were never retrieved."""
    data, never = given_
    rule = draw.draw(rules(weighted=data[-1] is not None, names=[name]))
    found, data = of_function(rule, data, average=average), without_zeros(data)
    assert found == near(in_groups(rule, *data, average=average))
    labels, _, groups, weights = data
    exist = {never: more} | dict.fromkeys(sorted(set(groups)), 0)
    for label, group, weight in zip(labels, groups, weights or [1] * len(labels), strict=True):
        exist[group] += label * weight
    exist = {group: n + draw.draw(st.integers(0, 3)) for group, n in exist.items()}
    expected = in_groups(rule, *data, average=average, n_positives=exist)
    if of_pandas:
        pd = pytest.importorskip("pandas")
        index = pd.Index(list(exist), tupleize_cols=False)
        exist = pd.Series(list(exist.values()), index=index)
    assert of_function(rule, data, average=average, n_positives=exist) == near(expected)


without_rows = pytest.mark.filterwarnings("ignore:There are no rows:UserWarning")


@pytest.mark.sweep(5)
@without_rows
@some_rules
def test_nothing_was_retrieved_at_all(rule):
    exist = {"b": 3, "a": 0, "c": 2}
    nothing = [], [], [], None
    for average in AVERAGES:
        expected = in_groups(rule, *nothing, average=average, n_positives=exist)
        assert of_function(rule, nothing, average=average, n_positives=exist) == near(expected)
    assert score(rule, [], [], n_positives=3) == near(exact(rule, [], [], n_positives=3))
    empty = np.zeros(0)
    assert score(rule, empty, empty, n_positives=0) == near(exact(rule, [], [], n_positives=0))
    if is_legal(rule, weighted=True):
        for weight in (empty, []):
            assert score(rule, empty, empty, sample_weight=weight, n_positives=3) == 0
            found = of_function(rule, ([], [], [], weight), average="macro", n_positives=exist)
            assert found == near(in_groups(rule, *nothing, average="macro", n_positives=exist))


@st.composite
def columns(draw, weights=None):
    shape = draw(st.integers(1, 8)), draw(st.integers(2, 4))
    labels, scores = draw(picks(shape[0] * shape[1], (0, 1), FEW_SCORES))
    ranking = labels.reshape(shape), scores.reshape(shape)
    if weights is None:
        return *ranking, None
    (masses,) = draw(picks(shape[0], weights))
    if not masses.any():
        masses[0] = 1
    return *ranking, masses


@pytest.mark.sweep(8)
@any_weight_of_k
@each_rule
@given(st.one_of(columns(), columns(INTEGERS)), st.sampled_from(AVERAGES), st.booleans(), st.data())
def test_columns_are_a_loop(name, data, average, missing, draw):
    labels, scores, weights = data
    rule = draw.draw(rules(weighted=weights is not None, names=[name]))
    mass = labels.T @ (np.ones(len(labels), int) if weights is None else weights)
    exist = mass + np.arange(mass.size) if missing else None
    expected = over_queries(rule, labels.T, scores.T, average, exist, weights)
    for kind in (np.array, list, tuple) if missing else [lambda none: none]:
        keywords = {"average": average, "n_positives": kind(exist), "sample_weight": weights}
        assert _listed(score(rule, labels, scores, **keywords)) == near(expected)


@pytest.mark.sweep(8)
@each_rule
@given(columns(), st.booleans(), st.data())
def test_rows_are_a_loop(name, data, missing, draw):
    """Each row is a query, with its own positives and its weight in the mean."""
    labels, scores, _ = data
    rule = draw.draw(rules(names=[name]))
    exist = labels.sum(axis=1) + np.arange(len(labels)) % 3 if missing else None
    values = over_queries(rule, labels, scores, None, exist)
    for weight in (None, np.arange(len(labels), 0, -1) // 2 + (len(labels) < 2)):
        each = [1] * len(labels) if weight is None else weight.tolist()
        kept = [(v, w) for v, w in zip(values, each, strict=True) if v is not None and w]
        expected = sum(v * w for v, w in kept) / sum(w for _, w in kept) if kept else None
        keywords = {"average": "samples", "n_positives": exist, "sample_weight": weight}
        assert score(rule, labels, scores, **keywords) == near(expected)


@pytest.mark.sweep(5)
@some_rules
def test_all_cells_are_one_ranking(rule):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, (9, 3)), rng.integers(0, 6, (9, 3))
    found, weights = int(labels.sum()), rng.integers(1, 4, 9)
    for exist, weight in ((None, None), (found, None), (found + 4, None), (None, weights)):
        if weight is not None and not is_legal(rule, weighted=True):
            continue
        each = None if weight is None else np.repeat(weight, 3)
        expected = exact(rule, labels.ravel(), scores.ravel(), each, n_positives=exist)
        given_ = {"average": "micro", "n_positives": exist, "sample_weight": weight}
        assert score(rule, labels, scores, **given_) == near(expected)


def over_queries(rule, labels, scores, average, exist, weights=None):
    """The oracle in a loop over columns; None where it is 0/0."""
    rows = list(zip(labels, scores, strict=True))
    groups = [i for i, (y, _) in enumerate(rows) for _ in y]
    masses = None if weights is None else list(weights) * len(rows)
    data = [label for y, _ in rows for label in y], [s for _, row in rows for s in row], groups
    n_positives = None if exist is None else dict(enumerate(map(int, exist)))
    data = without_zeros((*data, masses))
    return in_groups(rule, *data, average=average, n_positives=n_positives)


def _listed(values):
    return values.tolist() if isinstance(values, np.ndarray) else values


@without_rows
def test_no_samples_in_columns():
    options = {"n_positives": [2, 0, 1], "average": None, "zero_division": nan}
    for empty in (np.zeros((0, 3), int), np.zeros((0, 3), bool)):
        values = ap.average_precision_score(empty, np.zeros((0, 3)), **options)
        assert values.tolist() == near([0, None, 0])
    values = ap.recall_at_k_score([], np.zeros((0, 3)), classes=list("abc"), **options)
    assert values.tolist() == near([0, None, 0])


def test_a_series_of_rows_is_taken_in_their_order():
    pd = pytest.importorskip("pandas")
    labels, exist = pd.DataFrame(np.eye(3, 2, dtype=int), columns=["a", "b"]), [2, 1, 1]
    given = labels, np.array([[0.9, 0.1], [0.2, 0.3], [0.5, 0.6]])
    value = ap.average_precision_score(*given, average="samples", n_positives=exist)
    series = pd.Series(exist, index=[7, 8, 9])
    assert value == ap.average_precision_score(*given, average="samples", n_positives=series)


def test_a_series_names_the_days_of_a_list_of_timestamps():
    pd = pytest.importorskip("pandas")
    one, two, three = pd.date_range("2020-01-01", periods=3)
    existing = pd.Series([1, 2, 1], index=[one, two, three])
    value = {"groups": [one, two, two], "n_positives": existing, "average": None}
    found = ap.recall_at_k_score([1, 1, 0], [3.0, 2.0, 1.0], k=1, **value)
    assert found.tolist() == [1, 0.5, 0]


NAMED = {"groups": ["a", "a", "b", "b"], "average": None}


def test_the_warning_names_the_groups_that_are_empty():
    """A group that was not retrieved isn't."""
    exist = {"a": 1, "b": 1, "zero": 0, "never": 3}
    with pytest.warns(UserWarning, match=re.escape("for 1 of 4 groups (zero), so")) as caught:
        values = ap.average_precision_score([1, 0, 1, 0], [4, 3, 2, 1], n_positives=exist, **NAMED)
    assert values.tolist() == [1, 1, 0, 0]  # a, b, never, zero
    assert [warning.category for warning in caught] == [UndefinedMetricWarning]


@pytest.mark.parametrize("metric", ["AP", "interpolated_average_precision", "11-point AP"])
def test_the_value_of_a_group_is_that_of_its_rows_to_the_last_bit(metric):
    """Or results of chunks would depend on how many groups each of them has."""
    rng = np.random.default_rng(0)
    y, scores, group = rng.random(2000) < 0.4, rng.random(2000), np.sort(rng.integers(0, 50, 2000))
    function = ap.metric(metric)
    alone = [function(y[group == each], scores[group == each]) for each in range(50)]
    assert function(y, scores, groups=group, average=None).tolist() == alone


WEIGHTS = {
    "none": lambda rng, size: None,
    "counts": lambda rng, size: rng.integers(1, 5, size),
    "fractions": lambda rng, size: rng.lognormal(size=size),
}
SIZES = {
    "alike": np.ones(130),  # more numbers than a signed byte has
    "three": np.ones(3),
    "one": np.ones(1),
    "the first has most": np.append(50, np.ones(8)),
    "the last has most": np.append(np.ones(8), 50),
    "two long ones between": np.array([1, 1, 1, 30, 30, 1, 1]),
}


@pytest.mark.sweep(8)
@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("metric", ["AP", "P@3", "AP@20%", "11-point AP", "interpolated AP"])
def test_parts_of_the_groups_have_the_same_values_to_the_last_bit(
    monkeypatch, metric, sizes, weights
):
    """Also where groups have no positives, no rows, or few positives and weights."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    group = rng.choice(sizes.size, 1500, p=sizes / sizes.sum())
    y, scores = rng.random(1500) < 0.02 + 0.2 * (group % 3), rng.random(1500).round(2)
    names = np.array([f"q{number:03}" for number in range(sizes.size)])
    given_ = {"groups": pd.Categorical(names[group]), "sample_weight": weights(rng, 1500)}
    given_ |= {"zero_division": np.nan, "average": None}
    exist = dict.fromkeys(["q", *names, "r", "s", "t", "u"], 1e9)
    function, made = ap.metric(metric), []
    for rows in (100, 10_000):
        monkeypatch.setattr(rankings, "_MIN_ROWS_PER_PART", rows)
        made.append(function(y, scores, **given_))
        made.append(function(y, scores, n_positives=exist, **given_))
    for in_part, at_once in zip(made[:2], made[2:], strict=True):
        assert np.array_equal(in_part, at_once, equal_nan=True)
    assert made[1].size == made[0].size + 5


@pytest.mark.sweep(4)
@pytest.mark.parametrize("dtype", [bool, np.int64])
@pytest.mark.parametrize("n_groups", [100, 2000])
@pytest.mark.parametrize("weighted", [False, True])
def test_groups_in_any_order_take_less_memory_than_their_columns(
    monkeypatch, dtype, n_groups, weighted
):
    """Evaluated at once, without parts, they took 1.9 to 3.1 times as much as these."""
    monkeypatch.setattr(rankings, "_MIN_ROWS_PER_PART", 2**14)
    monkeypatch.setattr(ragged, "ENTRIES_PER_BLOCK", 2**11)
    rng, size = np.random.default_rng(0), 150_000
    y, scores, group = rng.random(size) < 0.1, rng.random(size), rng.integers(0, n_groups, size)
    columns = [y.astype(dtype), scores, group]
    if weighted:
        columns.append(rng.random(size))
    call = partial(ap.average_precision_score, *columns[:2], groups=group, zero_division=0.0)
    call = partial(call, sample_weight=columns[3] if weighted else None)
    call()  # imports what it needs
    tracemalloc.start()
    try:
        call()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.95 * sum(column.nbytes for column in columns)


def test_the_curve_of_a_group_that_was_never_retrieved_is_empty():
    given_ = {"groups": ["a", "a"], "n_positives": {"a": 1, "b": 1}}
    for weight in ([0.3, 0.5], [1, 2]):
        curves = ap.hit_curve([1, 0], [2, 1], sample_weight=weight, **given_)
        assert [each.tolist() for each in curves["b"]] == [[0.0], [0.0], [np.inf]]


# Mean average precision
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


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("options", "average"),
    [
        ({}, "weighted"),
        ({"k": 4}, None),
        ({"n_points": 11}, "macro"),
        ({"n_points": 101}, "weighted"),  # the mAP of detections
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
        ([7, 7, 9], "9"),
        ([-3, -3, -2], "-2"),
        (["a", "a", "b"], "b"),
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


def test_the_lift_of_a_group_without_rows_is_undefined():
    exist = {"a": 1, "b": 2}
    curves = ap.hit_curve([1, 0], [2, 1], groups=["a", "a"], n_positives=exist, fraction_of="lift")
    assert [each.tolist() for each in curves["a"]] == [[0, 0.5, 1], [2, 2, 1], [np.inf, 2, 1]]
    flagged, lifts, thresholds = curves["b"]
    assert (flagged.tolist(), thresholds.tolist()) == ([0], [np.inf])
    assert np.isnan(lifts).tolist() == [True]


NAMES = {
    "strings": "a",
    "numbers": 1.5,
    "tuples": ("a", 1),
    "days of Python": date(2026, 1, 1),
    "times of NumPy": np.datetime64("2026-01-01"),
}


@pytest.mark.parametrize("role", ["groups", "clusters"])
@pytest.mark.parametrize("missing", [None, float("nan"), np.datetime64("NaT", "s")], ids=str)
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_of_any_type_are_missing_if_they_have_no_value(name, missing, role):
    names = [name, missing, name, name]
    objects = np.empty(4, dtype=object)
    objects[:] = names
    words = rf"^{role} contains missing values\. .* row 1 \(counted from 0\)"
    for column in names, objects:
        with pytest.raises(ValueError, match=words):
            ap.confidence_interval([0, 1, 1, 0], [1, 2, 3, 4], **{role: column})


DAYS = np.array(["2026-01-01", "2026-01-01", "2026-01-02", "2026-01-02"], dtype="M8[D]")
DAYS_IN = {
    "text": lambda: DAYS.astype(str).tolist(),
    "dates": DAYS.tolist,
    "an array of times": lambda: DAYS,
    "a list of times": lambda: list(DAYS),
    "seconds": lambda: DAYS.astype("M8[s]"),
    "durations": lambda: DAYS - DAYS[0],
    "a Series": lambda: pytest.importorskip("pandas").Series(DAYS.astype("M8[ns]")),
    "an index": lambda: pytest.importorskip("pandas").DatetimeIndex(DAYS),
}


@pytest.mark.sweep(6)
@pytest.mark.parametrize("in_series", [False, True])
@pytest.mark.parametrize("clusters", [list("aabb"), [1, 1, 2, 2], "the days"])
@pytest.mark.parametrize("container", DAYS_IN)
def test_pairs_as_keys_mean_the_same_for_days_of_any_type(container, clusters, in_series):
    """Functions without clusters say what to do, and the others take them."""
    days = DAYS_IN[container]()
    names = [*days]
    clusters = names if clusters == "the days" else clusters
    counts = {(names[0], clusters[0]): 1, (names[2], clusters[2]): 2}
    if in_series:
        pd = pytest.importorskip("pandas")
        index = pd.MultiIndex.from_tuples(list(counts))
        counts = pd.Series([1, 2], index=index)
    given = {"groups": days, "n_positives": counts}
    labels, scores = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6]
    with pytest.raises(ValueError, match=r"no number for the group .* pairs \(group, cluster\)"):
        mean_average_precision_score(labels, scores, **given)
    interval = ap.confidence_interval(labels, scores, clusters=clusters, **given)
    assert interval.value == 0.75
