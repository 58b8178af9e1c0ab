"""What all results have in common: JSON, records of how they were computed, copies and pickles."""

import contextlib
import copy
import dataclasses
import datetime
import importlib
import inspect
import json
import operator
import pickle
import pkgutil
from decimal import Decimal

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._show.results import FORMAT_VERSION, Value, _pandas_frame, to_json

from .results import KINDS, examples

pytestmark = pytest.mark.usefixtures("few_rankings")


each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


ODD = [float("nan"), float("inf"), float("-inf"), np.float32("nan"), np.float64(0.1), np.int64(2)]
ODD += [datetime.date(2026, 6, 1), np.datetime64("2026-06-01"), Decimal("0.1"), np.bool_(True)]
ODD += [datetime.datetime(2026, 6, 1, 12), ("day", 1), 2**70]


def spoiled(value, odd):
    """Return a result with an odd value in place of each number, and odd keys in its dicts."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(spoiled(each, odd) for each in value))
    if dataclasses.is_dataclass(value):
        shown = [f.name for f in dataclasses.fields(value) if f.repr]
        return dataclasses.replace(value, **{n: spoiled(getattr(value, n), odd) for n in shown})
    if isinstance(value, dict):
        return {key: spoiled(each, odd) for key, each in value.items()} | {odd: odd}
    if isinstance(value, list | tuple):
        return type(value)(spoiled(each, odd) for each in value)
    return odd if isinstance(value, int | float) and not isinstance(value, bool) else value


@pytest.mark.sweep(9)
@each_kind
def test_dicts_hold_only_what_json_has(kind):
    """A new class of results is met here without an entry, by the example of its docstring."""
    found = [*examples(kind)]
    assert found
    for result in found:
        cases = [result]
        if not isinstance(result, ap.thresholds.OperatingPointTable):  # whose points are results
            cases += [spoiled(result, odd) for odd in ODD]
        for case in cases:
            converted = case.to_dict()
            assert json.loads(json.dumps(converted, allow_nan=False)) == converted
            rows = converted if isinstance(converted, list) else [converted]
            if kind.__name__ == "Explanation":  # whose keys are definitions
                assert {*converted} == {row.definition for row in case.rows}
            elif kind.__name__ == "Report" or rows is not converted:
                assert all(row["version"] == FORMAT_VERSION for row in rows)
            check_frame(case)


def check_frame(result):
    """Each cell of a DataFrame is what the row has, without rounding."""
    pandas = pytest.importorskip("pandas")
    frame = result.to_frame().reset_index()
    assert frame.round(3) is not None
    for place, row in enumerate(result._rows()):
        for name, value in row.items():
            cell = frame[name][place]
            if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
                assert pandas.isna(cell)
            elif not isinstance(value, dict | tuple | list):
                assert cell == value
                assert isinstance(cell, type(value)) or isinstance(value, int | float)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([0.5, None], "float64"),
        ([1, 2], "int64"),
        ([1, None], "Int64"),
        ([1, 0.5], "float64"),
        ([2**63 - 3, None], "Int64"),
        ([2**63 - 3, 0.5], "object"),
        ([2**70, 1], "object"),
        ([-(2**63), 1], "object"),
        ([True, False], "bool"),
        ([True, None], "object"),
        (["a", 1], "object"),
        ([None], "object"),
        ([datetime.date(2026, 6, 1)], "object"),
    ],
)
def test_columns_of_frames_round_nothing(values, dtype):
    pandas = pytest.importorskip("pandas")
    column = _pandas_frame([{"segment": value} for value in values])["segment"]
    assert column.dtype == dtype
    for cell, value in zip(column, values, strict=True):
        assert pandas.isna(cell) if value is None else cell == value


def test_there_are_results():
    """The search for them finds the known ones."""
    names = {kind.__name__ for kind in KINDS}
    assert names >= {"Interval", "Comparison", "Comparisons", "Report"}
    assert names >= {"OperatingPoint", "OperatingPointTable", "ThresholdCheck"}
    assert names >= {"Explanation", "Identification"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), None),
        (np.float32("nan"), None),
        (np.inf, "inf"),
        (-np.inf, "-inf"),
        (np.float64(0.1), 0.1),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (2**70, 2**70),
        (Decimal("0.1"), "0.1"),
        (None, None),
        (True, True),
        (datetime.date(2026, 6, 1), "2026-06-01"),
        (datetime.time(8, 30), "08:30:00"),
        (datetime.datetime(2026, 6, 1, 8), "2026-06-01T08:00:00"),
        (np.datetime64("2026-06-01T08", "ns"), "2026-06-01T08:00:00.000000000"),
        ((1, (2, "a")), [1, [2, "a"]]),
        (np.arange(3), [0, 1, 2]),
        ({datetime.date(2026, 6, 1): 1, 2: np.nan}, {"2026-06-01": 1, "2": None}),
        ({("Mon", 1): 0, None: 1, True: 2}, {"(Mon, 1)": 0, "None": 1, "True": 2}),
        ({1: "a", "1": "b"}, {"1": "a", "'1'": "b"}),  # no entry is lost
    ],
)
def test_what_json_lacks(value, expected):
    found = to_json(value)
    assert (type(found), found) == (type(expected), expected)


def test_checks_say_what_they_are_of():
    """A dict in a log tells what was promised, and which columns name the segments."""
    columns = {"y": [1, 0, 1, 0], "s": [4, 3, 2, 1], "day": [1, 1, 2, 2], "half": [1, 2, 1, 2]}
    point = ap.operating_point("y", "s", data=columns, min_recall=0.5, k=1, groups="day")
    asked = {"threshold": point.threshold, "min_recall": 0.5, "k": 1}
    found = point.check("y", "s", data=columns, groups="day").to_dict()
    assert found["min_precision"] is None
    assert {name: found[name] for name in asked} == asked
    for by, names in (("half", ["half"]), (["half", "day"], ["half", "day"]), ([1, 1, 2, 2], [])):
        report = ap.report("y", "s", by=by, data=columns, zero_division=0.0)
        assert all(row["by"] == names for row in report.to_dict())
    assert ap.report("y", "s", data=columns).to_dict()[0]["by"] == []


def test_attributes_and_frames_keep_nan_and_dates():
    pandas = pytest.importorskip("pandas")
    report = ap.report([1, 0, 1], {"a": [3, 2, 1], "b": [1, 2, 3]}, metrics="AP", baseline="a")
    assert np.isnan(report.rows[0].pvalue)
    assert report.to_dict()[0]["pvalue"] is None
    assert report.to_frame()["pvalue"].dtype == float
    days = [datetime.date(2026, 6, 1), datetime.date(2026, 6, 1), datetime.date(2026, 6, 2)]
    point = ap.operating_point([1, 0, 1], [3, 2, 1], k=1, groups=days)
    assert set(point.flagged_per_group) == {*days}
    assert not {"min_recall", "min_precision", "confidence_level"} & {*point.to_frame()}
    nothing = dataclasses.replace(point, threshold=np.inf, precision=np.nan)
    assert (nothing.to_dict()["threshold"], nothing.to_dict()["precision"]) == ("inf", None)
    assert pandas.isna(nothing.to_frame()["precision"]).all()


def drawn_by(result):
    one = result.rows[0] if isinstance(result, ap.reports.Report) else result
    return one.n_resamples, one.random_state


def test_results_record_the_draws_and_the_seed_repeats_them():
    y, a, b = [1, 0, 1, 1, 0, 1, 0, 0], [9, 8, 7, 6, 5, 4, 3, 2], [9, 8, 2, 6, 5, 4, 3, 7]
    given = {"y_true": y, "metric": "P@3"}
    calls = [
        lambda **drawn: ap.confidence_interval(**given, y_score=a, **drawn),
        lambda **drawn: ap.compare(**given, y_score_a=a, y_score_b=b, **drawn),
        lambda **drawn: ap.compare(**given, y_score_a={"a": a, "b": b}, **drawn),
        lambda **drawn: ap.report(y, a, metrics=["P@3", "P@2"], **drawn),
    ]
    for call in calls:
        given_seed = call(random_state=7, n_resamples=50)
        assert drawn_by(given_seed) == (50, 7)
        generators = np.random.default_rng(3), np.random.default_rng(3)
        found, again = (call(random_state=each, n_resamples=50) for each in generators)
        assert found == again
        assert (
            generators[0].integers(9, size=9).tolist() == generators[1].integers(9, size=9).tolist()
        )
        assert call(random_state=generators[0], n_resamples=50) != found  # it was advanced
        for random_state in (None, np.random, np.random.RandomState(3), generators[0]):
            found = call(random_state=random_state, n_resamples=50)
            assert call(random_state=drawn_by(found)[1], n_resamples=50) == found
        record = to_json(found._as_dict())
        record = record[0] if isinstance(record, list) else record
        assert record["n_resamples"] == 50
        assert record["random_state"] == drawn_by(found)[1]
    smooth = ap.confidence_interval(y, a, random_state=7)
    assert (smooth.method, smooth.n_resamples, smooth.random_state) == ("influence", None, None)


def test_results_record_how_they_were_computed():
    """Also over how many groups values are means, without those that are left out."""
    rng = np.random.default_rng(0)
    y, group = np.tile([1, 0, 1, 0, 0], 12), np.repeat(np.arange(12), 5)
    y[:5] = 0
    models = {name: rng.random(60) for name in "abc"}
    given = {"metric": "AP", "groups": group, "zero_division": np.nan}
    how = {"confidence_level": 0.9, "method": "bootstrap", "n_resamples": 60, "random_state": 5}
    drawn = {**given, **how}
    tables = [
        ap.confidence_interval(y, models["a"], **drawn),
        ap.compare(y, models["a"], models["b"], margin=0.1, **drawn),
        ap.compare(y, models, baseline="b", margin=0.1, **drawn),
        ap.report(y, models, metrics="AP", baseline="b", groups=group, zero_division=np.nan, **how),
    ]
    for result in tables:
        record = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        frame = result.to_frame().reset_index().iloc[0].to_dict()
        for one in (record[0] if isinstance(record, list) else record, frame):
            assert {name: one[name] for name in how} == how
            assert one["n_groups"] == 11
            assert one["metric"].endswith("verage precision")
            assert one["basis"] == "11 groups"
    compared = tables[2].to_dict()[0]
    assert (compared["baseline"], compared["margin"]) == ("b", 0.1)
    assert (compared["joint"], compared["adjustment"]) == (True, "bonferroni")
    alone = ap.compare(y, models, joint=False, **drawn).to_dict()[0]
    assert (alone["joint"], alone["adjustment"], alone["margin"]) == (False, None, None)
    assert tables[1].to_dict()["margin"] == 0.1
    assert tables[3].to_dict()[0]["baseline"] == "b"
    rows = ap.confidence_interval(y, models["a"])
    assert rows.n_groups is None
    clustered = ap.confidence_interval(y, models["a"], clusters=np.arange(60) % 7, **given)
    assert clustered.n_groups == 11
    assert ap.confidence_interval(np.c_[y, 1 - y], rng.random((60, 2))).n_groups is None


# --- copies and pickles --------------------------------------------------------------------------


def test_empty_columns_of_numbers_have_the_type_of_full_ones():
    """So that frames with and without a margin, groups or resamples can be concatenated."""
    pytest.importorskip("pandas")
    dtypes = {"int | None": "Int64", "float | None": "float64"}
    declared = {
        (field.name, dtypes[str(field.type)])
        for module in list_modules()
        for kind in vars(module).values()
        if inspect.isclass(kind) and issubclass(kind, Value) and dataclasses.is_dataclass(kind)
        for field in dataclasses.fields(kind)
        if field.repr and not field.name.startswith("_") and str(field.type) in dtypes
    }
    assert len(declared) > 9
    found = {(name, str(_pandas_frame([{name: None}])[name].dtype)) for name, _ in declared}
    assert found == declared


COPIES = [copy.copy, copy.deepcopy, pickled := lambda one: pickle.loads(pickle.dumps(one))]


def list_modules():
    """All modules of the package, but for those of libraries that aren't here."""
    for info in pkgutil.walk_packages(ap.__path__, "sklearn_ap."):
        with contextlib.suppress(ImportError):
            yield importlib.import_module(info.name)


def test_every_class_is_found_where_it_says():
    """Or else neither it nor what has one of its instances can be pickled."""
    found = {
        value
        for module in list_modules()
        for value in vars(module).values()
        if inspect.isclass(value) and value.__module__.startswith("sklearn_ap.")
    }
    assert len(found) > 200
    for kind in found:
        home = importlib.import_module(kind.__module__)
        assert operator.attrgetter(kind.__qualname__)(home) is kind


@pytest.mark.sweep(6)
@each_kind
@pytest.mark.parametrize("copied", COPIES)
def test_copies_are_equal_and_print_the_same(kind, copied):
    for result in examples(kind):
        other = copied(result)
        assert other == result
        formats = "to_dict", "to_markdown", "_repr_html_", "__str__"
        shown = [[getattr(one, each)() for each in formats] for one in (result, other)]
        assert shown[0] == shown[1]


def large_results():
    rng = np.random.default_rng(0)
    y = rng.random(20_000) < 0.1
    models = {name: y + rng.standard_normal(y.size) for name in "ab"}
    groups = np.arange(y.size) // 1000
    return {
        "interval": ap.confidence_interval(y, models["a"], name="model"),
        "comparison": ap.compare(y, *models.values()),
        "comparisons": ap.compare(y, models),
        "report": ap.report(y, models, metrics=["AP"], groups=groups),
        "point": ap.operating_point(y, models["a"], min_recall=0.5),
        "points": ap.operating_point(y, models, k=100),
    }


def test_pickles_hold_what_prints_and_copies_share_the_data():
    found = large_results()
    sizes = {name: len(pickle.dumps(result)) for name, result in found.items()}
    assert max(sizes.values()) < 4000, sizes  # 20,000 rows need at least 160,000 bytes
    question, report = lambda one: str(one.per_group()), found["report"]
    words = "^per_group needs the data, which stayed behind when the result was pickled. "
    with pytest.raises(ValueError, match=words):
        question(pickled(report))
    for copied in (copy.copy, copy.deepcopy):
        assert question(copied(report)) == question(report)
    assert pickled(found["interval"]).kind == "rows"
    point = pickled(found["point"])
    assert point.check([1, 0], [3, -3]) == found["point"].check([1, 0], [3, -3])


def test_results_with_a_metric_of_this_process_can_be_pickled():
    """Their source may hold what can't be pickled, which stays behind as the data does."""
    interval = ap.confidence_interval([1, 0, 1], [3, 2, 1])
    question, sample = interval.source.data.get("", "")
    odd = interval.source._replace(data=type(interval.source.data)((lambda: question, sample)))
    assert pickled(dataclasses.replace(interval, source=odd)) == interval
