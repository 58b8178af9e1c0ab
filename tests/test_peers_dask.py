"""Collections of Dask, which are refused with code that reads them into memory."""

import pathlib
import re

import pytest

import sklearn_ap as ap

from .examples import AP, MAP, S, Y

pd = pytest.importorskip("pandas")
# Dask calls pandas 3 by a keyword that goes out of use.
pytestmark = [
    pytest.mark.slow,  # importing Dask takes seconds
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
ROWS = pd.DataFrame({"y": Y, "s": S, "day": [1, 1, 2, 2], "amount": [1.0, 2.0, 1.0, 3.0]})


def make_frame():
    dataframe = pytest.importorskip("dask.dataframe")  # not where tests are collected
    return dataframe.from_pandas(ROWS, npartitions=2)


def refused(call, *args, **given):
    with pytest.raises(TypeError, match="Dask") as caught:
        call(*args, **given)
    return str(caught.value)


CALLS = {
    "['y', 's']": [
        AP,
        ap.confidence_interval,
        ap.hit_curve,
        ap.report,
        lambda *columns, **given: ap.operating_point(*columns, k=2, **given),
        ap.operating_point(Y, S, k=2).check,
        ap.compat.explain,
    ],
    "['y', 's', 'day']": [lambda *columns, **given: MAP(*columns, groups="day", **given)],
    "['y', 's', 'amount']": [
        lambda *columns, **given: AP(*columns, sample_weight="amount", **given),
        lambda y, s, data: ap.report(y, [s, "amount"], data=data),
    ],
}


@pytest.mark.parametrize(
    ("columns", "call"), [(columns, call) for columns in CALLS for call in CALLS[columns]]
)
def test_tables_are_refused_with_code_that_reads_their_columns(columns, call):
    frame = make_frame()
    words = refused(call, "y", "s", data=frame)
    code = re.search(r"Pass data=(.*?), or after", words)[1]
    assert code == f"frame[{columns}].compute()"
    found = call("y", "s", data=eval(code, {"frame": frame}))
    assert repr(found) == repr(call("y", "s", data=ROWS))


def test_files_are_the_other_way(tmp_path):
    frame = make_frame()
    words = refused(AP, "y", "s", data=frame)
    write, path = re.search(r"or after (.*), data=(.*)\.$", words).groups()
    names = {"frame": frame, "pathlib": pathlib, "folder": str(tmp_path / "rows")}
    eval(write, names)
    assert AP("y", "s", data=eval(path, names)) == AP(Y, S)


def test_a_table_without_names_of_columns():
    assert "Pass data=frame[columns].compute()" in refused(AP, 0, 1, data=make_frame())


def advised(code, name, value):
    return eval(code, {name: value, "dask": pytest.importorskip("dask")})


@pytest.mark.parametrize(
    ("role", "call"),
    [
        ("y_true", lambda **own: AP(**{"y_true": Y, "y_score": S} | own)),
        ("y_score", lambda **own: AP(**{"y_true": Y, "y_score": S} | own)),
        ("sample_weight", lambda **own: AP(Y, S, **own)),
        ("groups", lambda **own: MAP(Y, S, **own)),
        ("clusters", lambda **own: ap.confidence_interval(Y, S, **own)),
        ("by", lambda **own: ap.report(Y, S, metrics="AP", **own)),
    ],
)
def test_columns_are_refused_with_code_that_computes_them(role, call):
    frame = make_frame()
    column = {"y_true": "y", "y_score": "s", "sample_weight": "amount"}.get(role, "day")
    words = refused(call, **{role: frame[column]})
    code = re.search(r"in memory\. Pass (.*)\.$", words)[1]
    assert code == f"dask.compute({role})[0]"
    found = call(**{role: advised(code, role, frame[column])})
    assert repr(found) == repr(call(**{role: ROWS[column]}))


def test_several_columns_are_refused_with_code_that_computes_them():
    frame = make_frame()
    models = {"a": frame["s"], "b": ROWS["amount"]}
    words = refused(ap.compare, Y, models)
    code = re.search(r"Pass (.*)\.$", words)[1]
    found = advised(code, "y_score_a", models)
    assert repr(ap.compare(Y, found)) == repr(ap.compare(Y, {"a": S, "b": ROWS["amount"]}))
    pair = frame["day"], frame["amount"]
    code = re.search(r"Pass (.*)\.$", refused(MAP, Y, S, groups=pair))[1]
    groups = advised(code, "groups", pair)
    given = {"zero_division": 0.0}
    expected = MAP(Y, S, groups=(ROWS["day"], ROWS["amount"]), **given)
    assert MAP(Y, S, groups=groups, **given) == expected
