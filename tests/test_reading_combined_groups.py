"""Several columns name groups and clusters by the tuples that occur."""

from datetime import date

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap as ap

from .tables import ROWS

pd = pytest.importorskip("pandas")

MAP = ap.mean_average_precision_score
LABEL, SCORE, DAY, KIND = (ROWS[name] for name in ("label", "score", "day", "kind"))
NAMES = sorted(set(zip(DAY.tolist(), KIND.tolist(), strict=True)))
NUMBER = np.array([NAMES.index(pair) for pair in zip(DAY.tolist(), KIND.tolist(), strict=True)])
BY_NUMBER = MAP(LABEL, SCORE, groups=NUMBER, average=None, zero_division=0.0)


def _polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def _arrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


WITHOUT_DATA = {
    "tuple of arrays": lambda columns: tuple(columns.values()),
    "tuple of lists": lambda columns: tuple(each.tolist() for each in columns.values()),
    "tuple of containers": lambda columns: (columns["day"].tolist(), pd.Categorical(KIND)),
    "pandas": pd.DataFrame,
    "polars": _polars,
    "Arrow": _arrow,
}


@pytest.mark.parametrize("kind", WITHOUT_DATA)
def test_without_data(kind):
    groups = WITHOUT_DATA[kind]({"day": DAY, "kind": KIND})
    found = ap.metric("MAP").by_name(LABEL, SCORE, groups=groups, zero_division=0.0)
    assert found == dict(zip(NAMES, BY_NUMBER.tolist(), strict=True))
    assert list(found) == NAMES
    expected = ap.confidence_interval(LABEL, SCORE, clusters=NUMBER)
    found = ap.confidence_interval(LABEL, SCORE, clusters=groups)
    assert (found.low, found.high) == (expected.low, expected.high)
    assert found.basis.replace(" (day, kind)", "") == expected.basis


def test_a_matrix_of_numbers():
    pairs = np.column_stack([DAY, NUMBER])
    found = MAP(LABEL, SCORE, groups=pairs, average=None, zero_division=0.0)
    assert found.tolist() == BY_NUMBER.tolist()
    assert (
        found.tolist()
        == MAP(LABEL, SCORE, groups=pairs.astype(float), average=None, zero_division=0.0).tolist()
    )


def test_a_list_of_other_strings_is_one_column():
    data = {"y": [1, 0, 1, 0], "s": [1, 2, 3, 4]}
    found = MAP("y", "s", groups=["a", "a", "b", "b"], data=data)
    assert found == MAP(data["y"], data["s"], groups=["a", "a", "b", "b"])
    assert MAP("y", "s", groups=["y", "y", "b", "b"], data=data) == found


def test_one_name_in_a_list_gives_tuples_too():
    """As `groupby` of pandas does."""
    found = ap.hit_curve("label", "score", groups=["kind"], data=ROWS)
    assert list(found) == [("cat",), ("dog",), ("eel",)]


def test_misspelled_names():
    with pytest.raises(ValueError, match=r"groups='knid' is not a column .* mean 'kind'"):
        MAP("label", "score", groups=["day", "knid"], data=ROWS)


DATES = pd.DataFrame(ROWS).assign(
    when=pd.to_datetime("2026-06-03") + pd.to_timedelta(DAY, unit="D"),
    country=np.where(KIND == "cat", "FR", "IT"),
)
BY_DATE = DATES.groupby(["when", "country"])["label"].sum() * 2


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_keys_of_n_positives():
    given = {"groups": ["when", "country"], "data": DATES}
    expected = MAP("label", "score", n_positives=BY_DATE, **given)
    keys = [date.fromisoformat(str(when)[:10]) for when, _ in BY_DATE.index]
    of_dates = {
        (key, country): number
        for key, (_, country), number in zip(keys, BY_DATE.index, BY_DATE, strict=True)
    }
    assert MAP("label", "score", n_positives=of_dates, **given) == expected
    as_text = DATES["when"].astype(str) + DATES["country"]
    in_text = {f"{key}{country}": number for (key, country), number in of_dates.items()}
    by_text = MAP(DATES["label"], DATES["score"], groups=as_text, n_positives=in_text)
    assert by_text == expected
    del of_dates[keys[0], "FR"]
    with pytest.raises(ValueError, match=r"group \(2026-06-01, 'FR'\).*, 'IT'\)\. \(groups"):
        MAP("label", "score", n_positives=of_dates, **given)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_keys_of_groups_and_clusters():
    """They are pairs, or flat as those of `groupby`."""
    flat = DATES.groupby(["when", "country", "query"])["label"].sum() * 2
    pairs = {((day, country), query): number for (day, country, query), number in flat.items()}
    number = DATES.groupby(["when", "country"]).ngroup()
    by_number = DATES.assign(number=number).groupby(["number", "query"])["label"].sum() * 2
    given = {"clusters": "query", "data": DATES}
    expected = ap.confidence_interval(
        "label", "score", groups=number.to_numpy(), n_positives=dict(by_number), **given
    )
    for n_positives in (flat, dict(flat), pairs):
        found = ap.confidence_interval(
            "label", "score", groups=["when", "country"], n_positives=n_positives, **given
        )
        assert (found.low, found.high) == (expected.low, expected.high)


def test_names_can_be_read():
    given = {"groups": ["when", "country"], "data": DATES}
    with pytest.warns(UndefinedMetricWarning, match=r"3 of 10 groups \(\(2026-06-03, FR\), "):
        report = ap.report("label", "score", metrics=["AP"], **given)
    assert "groups (when, country)" in str(report)
    assert report.per_group().index.names == ["when", "country"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "Arrow"])
@pytest.mark.parametrize("groups", ["day", ["day", "kind"]], ids=str)
def test_frames_of_counts_are_refused(kind, groups):
    """They don't say which column has the counts."""
    names = [groups] if isinstance(groups, str) else groups
    counts = pd.DataFrame(ROWS).groupby(names)["label"].sum() * 2
    frame = WITHOUT_DATA[kind](dict(counts.reset_index().items()))
    with pytest.raises(
        ValueError, match=r"must be a mapping or a pandas Series .* Got \w+ instead"
    ):
        MAP("label", "score", groups=groups, data=ROWS, n_positives=frame)
    with pytest.raises(ValueError, match=r"must be one number here\. Got .* instead\.$"):
        ap.average_precision_score("label", "score", data=ROWS, n_positives=frame)


def test_a_series_of_polars_has_no_names():
    pl = pytest.importorskip("polars")
    with pytest.raises(ValueError, match=r"must be a mapping or a pandas Series .* Got Series"):
        MAP("label", "score", groups="day", data=ROWS, n_positives=pl.Series([1, 2]))


RESULTS = {
    "interval": lambda data: ap.confidence_interval("label", "score", data=data),
    "comparison": lambda data: ap.compare("label", "score", "other", data=data),
    "comparisons": lambda data: ap.compare("label", ["score", "other"], data=data),
    "report": lambda data: ap.report("label", ["score", "other"], metrics=["AP"], data=data),
    "point": lambda data: ap.operating_point("label", "score", k=5, data=data),
    "points": lambda data: ap.operating_point("label", ["score", "other"], k=5, data=data),
    "check": lambda data: ap.operating_point(ROWS["label"], ROWS["score"], k=5).check(
        "label", "score", data=data
    ),
    "explanation": lambda data: ap.compat.explain("label", "score", data=data),
    "identification": lambda data: ap.compat.identify("0.5", "label", "score", data=data),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("name", RESULTS)
def test_polars_in_polars_out(name):
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    data = pl.DataFrame(ROWS)
    expected = RESULTS[name](pd.DataFrame(ROWS)).to_frame()
    assert isinstance(expected, pd.DataFrame)
    for table in (data, data.lazy()):
        found = RESULTS[name](table).to_frame()
        assert isinstance(found, pl.DataFrame)
        assert set(expected.columns) <= set(found.columns)
        assert len(found) == len(expected)
    found = ap.confidence_interval(data["label"], data["score"])
    assert isinstance(found.to_frame(), pl.DataFrame)
    assert isinstance(RESULTS[name](ROWS).to_frame(), pd.DataFrame)


@pytest.mark.parametrize("groups", ["when", ["when", "country"]], ids=str)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_values_per_group_in_polars(groups):
    pl = pytest.importorskip("polars")
    given = {"groups": groups, "metrics": ["AP", "P@1"]}
    models = ["score", "other"]
    expected = ap.report("label", models, data=DATES, **given).per_group()
    data = pl.DataFrame({name: DATES[name].to_numpy() for name in DATES})
    found = ap.report("label", models, data=data, **given).per_group()
    assert found.columns[-1] == "other, Precision at 1"
    assert found.select(found.columns[-4:]).to_numpy().tolist() == expected.to_numpy().tolist()
    assert found.columns[:-4] == (["group"] if groups == "when" else groups)
    assert found[found.columns[0]].dtype == pl.Datetime


IN_INDEX = pd.DataFrame({"label": LABEL, "score": SCORE, "day": DAY, "kind": KIND})


@pytest.mark.parametrize("index", [["day", "kind"], ["kind"]])
def test_levels_of_the_index_are_named_by_mistake(index):
    data = IN_INDEX.set_index(index)
    words = rf"groups='{index[0]}' is not a column of data, but in its index. Pass data=data.reset"
    with pytest.raises(ValueError, match=words):
        MAP("label", "score", groups=["day", "kind"], data=data)
    found = MAP(
        "label",
        "score",
        groups=["day", "kind"],
        data=data.reset_index(),
        average=None,
        zero_division=0.0,
    )
    assert found.tolist() == BY_NUMBER.tolist()


def test_columns_with_numbers_for_names():
    data = IN_INDEX.set_axis([10, 11, 0, 1], axis=1)
    words = r"groups=\[0, 1\] doesn't name columns .* numbered, rename them to strings\."
    with pytest.raises(ValueError, match=words):
        MAP(LABEL, SCORE, groups=[0, 1], data=data)
    with pytest.raises(
        ValueError, match=r"y_true='10' .* have to be strings, as after data.rename"
    ):
        MAP("10", "11", groups=["0", "1"], data=data)
    found = MAP(
        "10",
        "11",
        groups=["0", "1"],
        data=data.rename(columns=str),
        average=None,
        zero_division=0.0,
    )
    assert found.tolist() == BY_NUMBER.tolist()
    two = pd.DataFrame({"y": [1, 0], 0: [3, 2], 1: [2, 3]})  # whose groups can be a list of two
    assert MAP("y", [3, 2], groups=[0, 1], data=two, average=None, zero_division=0.0).tolist() == [
        1,
        0,
    ]
