"""Every container is recognized, and its missing values are not mistaken for anything else."""

from contextlib import suppress
from decimal import Context, Decimal
from functools import partial
from importlib.util import find_spec
from itertools import product

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import sklearn_ap as ap
from sklearn_ap._arrays import conversion
from sklearn_ap._arrays.conversion import as_numbers, convert_decimals, encode_column
from sklearn_ap._arrays.host import find_library, to_host, unwrap_native

from . import oracle
from .containers import CLASSES, CONTAINERS, NUMBERS, TWO, drawn, each_container
from .examples import AP, MAP

SIZE = 302
Y = np.tile([0, 1, 1], 101)[:SIZE]
S = np.random.default_rng(1).normal(size=SIZE).round(1)

# Containers of objects or categories: numbers in them are left to scikit-learn.
NOT_OF_NUMBERS = {
    "objects",
    "pandas objects",
    "pandas categories",
    "pandas categories in another order",
    "pandas Categorical",
    "Arrow dictionary",
    "Arrow chunks of dictionaries",
}


def made_of(column):
    made = {}
    for name, make in CONTAINERS.items():
        with suppress(pytest.skip.Exception):  # not of these values, or not installed
            made[name] = make(column)
    return made


def test_every_library_has_a_container():
    columns = drawn(TWO["strings"]), drawn(NUMBERS["floats"])
    tried = {find_library(each) for column in columns for each in made_of(column).values()}
    assert {library for library in conversion._CONTAINERS if find_spec(library)} <= tried


@pytest.mark.parametrize("values", [*TWO.values(), *NUMBERS.values()], ids=[*TWO, *NUMBERS])
def test_numbers_become_an_array(values):
    column = drawn(values)
    for name, container in made_of(column).items():
        given = to_host(container)  # as all columns are read
        taken = as_numbers(given)
        if column.dtype.kind == "U" or name in NOT_OF_NUMBERS:
            assert taken is unwrap_native(given), name
        else:
            assert type(taken) is np.ndarray, name
            assert taken.ndim == 1, name
            assert np.array_equal(taken, column), name


@pytest.mark.parametrize("values", [TWO["strings"], TWO["one string"], CLASSES["strings"]])
def test_strings_become_codes(values):
    column = drawn(values)
    for name, given in made_of(column).items():
        taken = encode_column(to_host(given))
        check_codes(taken, column, name)
        for value in ("ham", "b", "none of them"):
            assert taken.equal(value).tolist() == (column == value).tolist(), name


@pytest.mark.parametrize("name", ["pandas categories", "pandas categories in another order"])
def test_categories_of_integers_become_codes(name):
    column = drawn(CLASSES["integers below 0"])
    taken = encode_column(CONTAINERS[name](column))
    assert np.array(taken.values)[taken.code].tolist() == column.tolist()


@pytest.mark.parametrize(
    "given",
    [
        ["a", 1, "b"],
        [1, "a", 2],
        [1, [2], 3],
        [],
        None,
        1.5,
        range(3),
        np.array(["a", b"b", "a"], dtype=object),
        np.array([["a", "b"], ["b", "a"]]),
        np.array("a"),
        np.ma.array([1, 0, 1]),
    ],
)
def test_what_is_not_known_stays_what_it_is(given):
    assert as_numbers(given) is given
    assert encode_column(given) is None


def test_groups_of_pandas_and_arrow_that_are_rare():
    """An index of several levels, and a dictionary that names a group twice."""
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    value = partial(AP, [0, 1, 1, 0], [4, 3, 2, 1], average=None)
    levels = pd.MultiIndex.from_arrays([["a", "a", "b", "b"], [1, 1, 2, 2]])
    assert value(groups=levels).tolist() == [1 / 2, 1]
    groups = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 2]), pa.array(["a", "a", "b"]))
    assert value(groups=groups).tolist() == [1 / 2, 1]


@pytest.mark.sweep(3)
@pytest.mark.parametrize("values", [*CLASSES.values(), TWO["strings"], TWO["booleans"]])
def test_groups(values):
    group = drawn(values)[: SIZE - 2]
    labels, scores, names = Y[: group.size], S[: group.size], np.unique(group)
    alone = [(labels[group == name], scores[group == name]) for name in names]
    exist = dict(zip(names.tolist(), range(300, 310), strict=False))
    cases = [
        ({}, [AP(*own) for own in alone]),
        ({"sample_weight": group != names[0]}, [AP(*own) for own in alone[1:]]),
        (
            {"n_positives": exist},
            [AP(*own, n_positives=n) for own, n in zip(alone, exist.values(), strict=True)],
        ),
    ]
    for groups in made_of(group).values():
        for given, expected in cases:
            found = MAP(labels, scores, average=None, groups=groups, **given)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", ["int64", "Int64", "UInt64", "int64[pyarrow]", "uint64[pyarrow]"])
def test_integers_that_name_groups_stay_what_they_are(dtype):
    """As floats, several groups would become one."""
    pd = pytest.importorskip("pandas")
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    group = 2**60 + drawn(np.arange(5))
    value = partial(AP, np.tile(Y, 2)[: group.size], np.tile(S, 2)[: group.size])
    expected = value(groups=group, average=None)
    exist = dict.fromkeys(np.unique(group).tolist(), 500)
    of_500 = value(groups=group, n_positives=exist)
    for given in (pd.Series(group, dtype=dtype), pd.DataFrame({"g": group}, dtype=dtype)):
        assert value(groups=given, average=None).tolist() == expected.tolist()
        assert value(groups=given, n_positives=exist) == of_500 > 0


ARROW_STRINGS = {
    "few": ["ham", "spam", "", "eggs and ham", "Ж", "\N{SNAKE}", "\uff41"],
    "rare ones": ["ham", "spam"] * 400 + [f"rare {i}" for i in range(40)],
    "many": [f"q{i}" for i in range(500)],
    "one": ["ham"],
    "of 12 bytes": ["x" * size for size in range(13)],
    "of 13 bytes": ["x" * size for size in range(14)],
}


@pytest.mark.parametrize("strings", ARROW_STRINGS.values(), ids=ARROW_STRINGS)
@pytest.mark.parametrize("kind", ["string", "large_string"])
@pytest.mark.parametrize("cut", ["whole", "slice", "chunks"])
def test_many_strings_of_arrow(strings, kind, cut):
    pa = pytest.importorskip("pyarrow")
    column = np.random.default_rng(0).permutation(strings * (2000 // len(strings)))
    array = pa.array(column.tolist(), type=getattr(pa, kind)())
    if cut == "slice":
        array, column = array.slice(3, 907), column[3:910]
    if cut == "chunks":
        array = pa.chunked_array([array[:900], array[9:9], array[900:]])
    check_codes(encode_column(array), column)
    assert encode_column(pa.array(["a", None] * 5000)) is None


def check_codes(taken, column, name=""):
    """Codes stand for these values, and can be numbered in their order."""
    assert np.array(taken.values)[taken.code.astype(int)].tolist() == column.tolist(), name
    names, number = taken.number_names()
    assert names == taken.present() == sorted(set(column.tolist())), name
    assert [names[place] for place in number] == column.tolist(), name


@pytest.mark.parametrize("size", [127, 128, 129])
def test_as_many_categories_as_fit_in_a_byte(size):
    pd = pytest.importorskip("pandas")
    names = np.array([f"{number:03}" for number in range(size)] * 2)
    score = np.random.default_rng(0).random(2 * size)
    value = partial(AP, np.arange(2 * size) < size, score, average=None)
    found, expected = (value(groups=groups) for groups in (pd.Categorical(names), names))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.sweep(4)
@each_container
@pytest.mark.parametrize("other", ["a", "b"])
def test_labels_with_a_null_at_the_end(container, other):
    """NumPy's strings lose it, so scikit-learn merges or confuses labels that differ in it."""
    label = container(np.array([other, "a\0", other, "a\0"], dtype=object))
    if getattr(getattr(label, "dtype", None), "name", "") == "category" and len(set(label)) == 1:
        pytest.skip("pandas 2.2 merges them itself")
    for pos_label, expected in {other: 5 / 6, "a\0": 1 / 2}.items():
        point = ap.operating_point(label, [4, 3, 2, 1], pos_label=pos_label, k=4)
        assert point.precision == 0.5
        assert AP(label, [4, 3, 2, 1], pos_label=pos_label) == pytest.approx(expected)
    if other == "b":
        with pytest.raises(ValueError, match=r"pos_label='a' is not a valid label"):
            AP(label, [4, 3, 2, 1], pos_label="a")


@hypothesis.given(st.data(), st.sampled_from([(38, "decimal128"), (76, "decimal256")]))
def test_decimals_become_the_nearest_floats(data, kind):
    """Of any digits and scale, also in a slice. Arrow's own cast rounds several times."""
    pa = pytest.importorskip("pyarrow")
    most, name = kind
    precision = data.draw(st.integers(1, most))
    scale = data.draw(st.integers(max(precision - most, -5), precision))  # others overflow in Arrow
    near = [10**precision - 1, 2**53 + 1, 3 * 2**53 + 1, 2**63, 2**64, -(2**63) - 1, 2**106 - 1]
    between_floats = product((2**54 + 1, 2**54 + 3), (1, -1, 2**60))
    near += [41, 15 * 10**9, 10**24, 41 * 10**36]  # some of which Arrow rounds otherwise
    near += [10 ** max(scale, 0) * number * factor // 2 for number, factor in between_floats]
    numbers_ = st.integers(1 - 10**precision, 10**precision - 1)
    some = numbers_ | st.sampled_from([each for each in near if abs(each) < 10**precision])
    unscaled = data.draw(st.lists(some, min_size=1, max_size=9))
    values = [Decimal(number).scaleb(-scale, Context(prec=99)) for number in unscaled]
    column = pa.array(values, getattr(pa, name)(precision, scale))
    floats = list(map(float, values))
    for start in (0, len(unscaled) // 2):
        found = convert_decimals(pa.chunked_array([column[start:], column[:start]]))
        assert found.floats.tolist() == floats[start:] + floats[:start]
        assert found.are_merged == (len(set(floats)) < len(set(values)))
    assert convert_decimals(values).floats.tolist() == floats
    assert convert_decimals(values).are_merged == found.are_merged


@pytest.mark.parametrize("of_rows", [list, np.array, tuple, lambda rows: list(map(list, rows))])
def test_rows_of_half_precision(of_rows):
    labels = np.column_stack([Y, np.roll(Y, 1), Y == 0])
    scores = np.random.default_rng(2).random(labels.shape).astype(np.float16)
    exact, weights = scores.astype(float), scores[:, 0]
    for average in ("micro", "macro"):
        found = AP(labels, of_rows(list(scores)), average=average, sample_weight=list(weights))
        assert found == AP(labels, exact, average=average, sample_weight=weights.astype(float))


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_columns_of_decimals(library):
    pa, module = pytest.importorskip("pyarrow"), pytest.importorskip(library)
    near = [Decimal("0.70"), Decimal("0.30000000000000004"), Decimal("0.30000000000000004001")]
    column = pa.chunked_array([near, near], pa.decimal128(38, 20))
    with_null = pa.chunked_array([*column.chunks, pa.nulls(1, column.type)])
    make = {
        "pyarrow": lambda given: given,
        "polars": lambda given: module.Series(given),
        "pandas": lambda given: module.Series(given, dtype=module.ArrowDtype(given.type)),
    }[library]
    found = convert_decimals(make(column))
    assert found.floats.tolist() == [0.7, 0.1 + 0.2, 0.1 + 0.2] * 2
    assert found.are_merged
    assert not convert_decimals(make(column.filter(pa.array([True, True, False] * 2)))).are_merged
    for other in (with_null, column.cast(pa.float64()), column.cast(pa.string())):
        assert convert_decimals(make(other)) is None


@pytest.mark.parametrize(
    "scores",
    [
        [2**64 - 1, 2**64 - 2, -3],
        (2**53 + 1, 2**53, 0.5),
        [np.uint64(2**64 - 1), 2**64 - 2, np.int64(-3)],
        [-(2**60) - 1.0, -(2**60), -(2**60) - 3],  # the first one is a float
        [10**400, 10**400 - 1, 0.5],
    ],
)
def test_lists_with_large_integers_are_not_rounded(scores):
    """NumPy makes floats of them if some are negative, or beside a fraction."""
    exact = np.empty(3, dtype=object)
    exact[:] = scores
    labels = [1, 0, 1]
    expected = AP(labels, exact)
    assert AP(labels, scores) == expected == oracle.near(oracle.step(labels, scores))
    assert AP("y", "s", data={"y": labels, "s": list(scores)}) == expected
    rows = [[score, each] for score, each in zip(scores, (1, 2, 3), strict=True)]
    both = np.column_stack([labels, [0, 1, 0]])
    assert AP(both, rows, average=None)[0] == expected
    assert ap.operating_point(labels, scores, k=1).threshold == max(scores)


def test_results_of_a_series_without_a_name_are_those_of_an_array():
    series = pytest.importorskip("polars").Series(S)
    assert str(ap.confidence_interval(Y, series)) == str(ap.confidence_interval(Y, S))


def test_a_null_is_no_group():
    groups = pytest.importorskip("pyarrow").array(["a", None, "b", "a"])
    with pytest.raises(ValueError, match="groups contains missing values"):
        MAP([1, 0, 1, 0], [4, 3, 2, 1], groups=groups)


@pytest.mark.parametrize("make", [np.asarray, list])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_infinite_scores_are_refused_without_a_warning(dtype, make):
    """The advice to clip them is given where the dtype holds such numbers."""
    with pytest.raises(ValueError, match="Input y_score contains infinity") as caught:
        AP([1, 0, 1], make(np.array([np.inf, 1, 2], dtype)))
    assert ("np.clip" in str(caught.value)) == (dtype is not np.float16)


@pytest.mark.skipif(find_spec("pyarrow") is None, reason="needs pyarrow")
def test_arrow_tables_of_several_columns_are_matrices():
    import pyarrow as pa

    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, (30, 2)), rng.random((30, 2))
    table = pa.table({"a": scores[:, 0], "b": scores[:, 1]})
    expected = ap.average_precision_score(labels, scores)
    assert ap.average_precision_score(labels, table) == expected
    assert ap.average_precision_score(labels, table.to_batches()[0]) == expected
