"""Queries: every function equals a loop over groups, columns or rows."""

import re
import warnings
from fractions import Fraction
from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap

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


def groups_of(data):
    """Return the groups that exist, because samples of weight 0 don't count."""
    *_, groups, weights = data
    kept = groups if weights is None else [g for g, w in zip(groups, weights, strict=True) if w]
    return sorted(set(kept))


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
    st.one_of(grouped(), grouped(INTEGERS), grouped(DYADIC)), st.sampled_from(AVERAGES), st.data()
)
def test_groups_are_a_loop(name, given_, average, draw):
    data, _ = given_
    rule = draw.draw(rules(weighted=data[-1] is not None, names=[name]))
    expected = in_groups(rule, *without_zeros(data), average=average)
    assert of_function(rule, data, average=average) == near(expected)


@any_weight_of_k
@each_rule
@given(
    st.one_of(grouped(), grouped(INTEGERS)),
    st.sampled_from(AVERAGES),
    st.integers(0, 9),
    st.booleans(),
    st.data(),
)
def test_positives_of_groups_that_were_never_retrieved(
    name, given_, average, more, of_pandas, draw
):
    """Some positives of a group, or the whole group."""
    data, never = given_
    rule = draw.draw(rules(weighted=data[-1] is not None, names=[name]))
    data = without_zeros(data)
    exist = {never: more}
    for group in groups_of(data):
        rows = [i for i, other in enumerate(data[2]) if other == group]
        found = sum(data[0][i] * (1 if data[-1] is None else data[-1][i]) for i in rows)
        exist[group] = found + draw.draw(st.integers(0, 3))
    expected = in_groups(rule, *data, average=average, n_positives=exist)
    if of_pandas:
        pd = pytest.importorskip("pandas")
        index = pd.Index(list(exist), tupleize_cols=False)
        passed = pd.Series(list(exist.values()), index=index)
    else:
        passed = exist
    assert of_function(rule, data, average=average, n_positives=passed) == near(expected)


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
    keywords = {"average": average, "n_positives": exist, "sample_weight": weights}
    assert _listed(score(rule, labels, scores, **keywords)) == near(expected)
    if missing:
        for kind in (list, tuple):
            keywords["n_positives"] = kind(exist)
            assert _listed(score(rule, labels, scores, **keywords)) == near(expected)


@each_rule
@given(columns(), st.booleans(), st.data())
def test_rows_are_a_loop(name, data, missing, draw):
    """Each row is a query, with its own positives and its weight in the mean."""
    labels, scores, _ = data
    rule = draw.draw(rules(names=[name]))
    exist = labels.sum(axis=1) + np.arange(len(labels)) % 3 if missing else None
    values = over_queries(rule, labels, scores, None, exist)
    weights = np.arange(1, len(labels) + 1)
    for weight in (None, weights):
        each = np.ones(len(labels), int) if weight is None else weight
        kept = [(v, int(w)) for v, w in zip(values, each, strict=True) if v is not None]
        whole = sum(w for _, w in kept)
        expected = sum(v * w for v, w in kept) / whole if whole else None
        keywords = {"average": "samples", "n_positives": exist, "sample_weight": weight}
        assert score(rule, labels, scores, **keywords) == near(expected)


@some_rules
def test_all_cells_are_one_ranking(rule):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, (9, 3)), rng.integers(0, 6, (9, 3))
    found = int(labels.sum())
    for exist in (None, found, found + 4):
        expected = exact(rule, labels.ravel(), scores.ravel(), n_positives=exist)
        actual = score(rule, labels, scores, average="micro", n_positives=exist)
        assert actual == near(expected)
    if is_legal(rule, weighted=True):
        weights = rng.integers(1, 4, 9)
        expected = exact(rule, labels.ravel(), scores.ravel(), np.repeat(weights, 3))
        actual = score(rule, labels, scores, average="micro", sample_weight=weights)
        assert actual == near(expected)


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


# Multiclass targets, and object detection


def test_classes_of_a_table_of_detections_and_columns_of_the_same():
    rng = np.random.default_rng(1)
    classes, labels = np.array(list("abcd")), rng.integers(0, 2, 60)
    scores, group = rng.random(60), rng.choice(classes[:3], 60)
    exist = {"a": 30, "b": 31, "c": 32, "d": 5}
    values = ap.interpolated_average_precision_score(
        labels, scores, groups=group, n_positives=exist, n_points=101, average=None
    )
    for name, value in zip(classes, values, strict=True):
        mine = group == name
        expected = oracle.n_point(labels[mine], scores[mine], n_points=101, n_positives=exist[name])
        assert value == near(expected)
    assert values[3] == 0


@without_rows
def test_no_samples_in_columns():
    options = {"n_positives": [2, 0, 1], "average": None, "zero_division": nan}
    for empty in (np.zeros((0, 3), int), np.zeros((0, 3), bool)):
        values = ap.average_precision_score(empty, np.zeros((0, 3)), **options)
        assert values.tolist() == near([0, None, 0])
    values = ap.recall_at_k_score([], np.zeros((0, 3)), classes=list("abc"), **options)
    assert values.tolist() == near([0, None, 0])


# More about positives

LABELS, SCORES, NAMES = [1, 0, 1, 0], [4, 3, 2, 1], ["a", "a", "b", "b"]


def test_a_series_of_rows_is_taken_in_their_order():
    pd = pytest.importorskip("pandas")
    labels, exist = pd.DataFrame(np.eye(3, 2, dtype=int), columns=["a", "b"]), [2, 1, 1]
    given = labels, np.array([[0.9, 0.1], [0.2, 0.3], [0.5, 0.6]])
    value = ap.average_precision_score(*given, average="samples", n_positives=exist)
    series = pd.Series(exist, index=[7, 8, 9])
    assert value == ap.average_precision_score(*given, average="samples", n_positives=series)


def test_a_series_names_the_days_of_a_list_of_timestamps():
    pd = pytest.importorskip("pandas")
    days = list(pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-02"]))
    existing = pd.Series(
        [1, 2, 1], index=pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])
    )
    value = {"groups": days, "n_positives": existing, "average": None}
    found = ap.recall_at_k_score([1, 1, 0], [3.0, 2.0, 1.0], k=1, **value)
    assert found.tolist() == [1, 0.5, 0]


@some_rules
def test_no_samples_and_no_positives_said_are_refused(rule):
    for keywords in ({}, {"groups": []}):
        with pytest.raises(ValueError, match="0 sample"):
            score(rule, [], [], **keywords)


@some_rules
def test_weights_may_be_fractions_and_so_may_the_positives_that_exist(rule):
    if not is_legal(rule, weighted=True):
        return
    weights, exist = [0.5, 0.25, 1.5, 1.0], {"a": 0.75, "b": 1.5, "c": 0.125}
    expected = in_groups(rule, LABELS, SCORES, NAMES, weights, n_positives=exist)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # k may be light
        actual = score(rule, LABELS, SCORES, groups=NAMES, sample_weight=weights, n_positives=exist)
    assert actual == near(expected)


def test_the_warning_names_the_groups_that_are_empty_and_those_that_were_not_retrieved():
    exist = {"a": 1, "b": 1, "zero": 0, "never": 3}
    with pytest.warns(UndefinedMetricWarning, match=re.escape("(1 of 4: zero)")) as caught:
        values = ap.average_precision_score(
            LABELS, SCORES, groups=NAMES, n_positives=exist, average=None
        )
    assert values.tolist() == [1, 1, 0, 0]  # a, b, never, zero
    assert len(caught) == 1


def test_what_the_caller_gave_is_not_changed():
    exist, groups = {"a": 2, "b": 3}, np.array(NAMES)
    groups.flags.writeable = False
    ap.recall_at_k_score(LABELS, SCORES, k=1, groups=groups, n_positives=exist)
    assert exist == {"a": 2, "b": 3}


def test_numbers_of_positives_of_any_type():
    for kind in (int, float, np.int32, np.float32, np.uint8, Fraction):
        exist = {"a": kind(2), "b": kind(3)}
        values = ap.average_precision_score(
            LABELS, SCORES, groups=NAMES, n_positives=exist, average=None
        )
        assert values.tolist() == near([Fraction(1, 2), Fraction(1, 3)])


def test_rows_of_no_weight_keep_no_number_of_positives():
    y, score = np.eye(3, 2, dtype=int), np.array([[2, 1], [2, 1], [1, 2]])
    given = {"average": "samples", "zero_division": nan}
    value = ap.average_precision_score(
        y, score, sample_weight=[0, 1, 1], n_positives=[9, 2, 1], **given
    )
    assert value == ap.average_precision_score(y[1:], score[1:], n_positives=[2, 1], **given)


def test_the_curve_of_a_group_that_was_never_retrieved_is_empty():
    for weight in ([0.3, 0.5], [1, 2]):
        curves = ap.hit_curve(
            [1, 0], [2, 1], groups=["a", "a"], sample_weight=weight, n_positives={"a": 1, "b": 1}
        )
        assert [each.tolist() for each in curves["b"]] == [[0.0], [0.0], [np.inf]]
