"""Queries: every function equals a loop over groups, columns or rows."""

import re
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap

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
@any_weight_of_k
@each_rule
@given(
    st.one_of(grouped(), grouped(INTEGERS), grouped(DYADIC)), st.sampled_from(AVERAGES),
    st.integers(0, 9), st.booleans(), st.data(),
)  # fmt: skip
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


def test_the_curve_of_a_group_that_was_never_retrieved_is_empty():
    given_ = {"groups": ["a", "a"], "n_positives": {"a": 1, "b": 1}}
    for weight in ([0.3, 0.5], [1, 2]):
        curves = ap.hit_curve([1, 0], [2, 1], sample_weight=weight, **given_)
        assert [each.tolist() for each in curves["b"]] == [[0.0], [0.0], [np.inf]]
