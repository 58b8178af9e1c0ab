"""Conditions: what changes the meaning of a value is said wherever the value is.

Each function that takes a table and returns results is called under each condition, so a new one is
covered without a line.
"""

import inspect
import json
import pickle
import re
from functools import partial
from io import StringIO

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import readers
from sklearn_ap._show.results import Result
from sklearn_ap.readers.retrieved import DEFAULT_OPTIONS

from .axes import on_new_axes
from .calls import functions_of_tables
from .detections import DIFFICULT, FILES
from .retrieval import QRELS, RUN, trec
from .tables import ROWS

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("few_random_orders"),
]

CASES = {
    "weights": ({"sample_weight": "mass"}, ["weighted by mass"]),
    "unnamed weights": ({"sample_weight": ROWS["mass"]}, ["weighted"]),
}
NEEDED = {
    "y_true": "label",
    "y_score": "score",
    "y_score_a": "other",
    "y_score_b": "third",
    "value": "0.5",
}
OTHERS = {"n_resamples": 19, "random_state": 0}
POINT = ap.operating_point(ROWS["label"], ROWS["score"], min_recall=0.5)


def called(name, function):
    names = inspect.signature(function).parameters
    given = {role: value for role, value in (NEEDED | OTHERS).items() if role in names}
    if name == "operating_point":
        given["min_recall"] = 0.5
    if "ax" in names:
        function = on_new_axes(function)
    return partial(function, **given, data=ROWS)


VALUES = ("_score", "curve", "boosting.make_metric")  # what returns them, without words
FUNCTIONS = {
    name: called(name, each) for name, each in functions_of_tables() if not name.endswith(VALUES)
}
MODELS = ["score", "other", "third"]
FUNCTIONS |= {
    "OperatingPoint.check": partial(POINT.check, "label", "score", data=ROWS),
    "compare, several": partial(ap.compare, "label", MODELS, data=ROWS),
    "report, several": partial(ap.report, "label", MODELS, data=ROWS, metrics=["AP", "P@5%"]),
    "report, by": partial(ap.report, "label", MODELS, by="kind", data=ROWS),
    "points": partial(ap.operating_point, "label", MODELS, data=ROWS, min_recall=0.5),
}


def texts(result):
    """Return all that a result prints, and its JSON."""
    if hasattr(result, "ax_"):
        return [" ".join(entry.get_text() for entry in result.ax_.get_legend().get_texts())]
    return [str(result), result.to_markdown(), result._repr_html_()]


def rows_in_json(result):
    loaded = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    if "conditions" in loaded:
        return [loaded]
    return [*loaded.values()] if isinstance(loaded, dict) else loaded  # of `explain`


def check(result, words):
    """Check that each text has each of the words, once for each heading, and JSON has them."""
    for text in texts(result):
        flat = " ".join(text.replace("<br>", "\n").replace("\\", "").split()).lower()
        assert all(each in flat for each in words), flat
        if isinstance(result, Result):
            assert flat.count(words[0]) == 1, flat
    if not isinstance(result, Result):
        return
    assert len(result.conditions) == len(words)
    for row in rows_in_json(result):
        assert row["conditions"].keys() == result.conditions.keys()
    for copied in (pickle.loads(pickle.dumps(result)),):
        assert copied.conditions == result.conditions
        assert str(copied) == str(result)


@pytest.mark.sweep(20)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_condition_is_said(name):
    function = FUNCTIONS[name]
    plain = function()
    if isinstance(plain, Result):
        assert plain.conditions == {}
        assert all(row["conditions"] == {} for row in rows_in_json(plain))
    for given, words in CASES.values():
        check(function(**given), words)


def test_the_lowest_positive_grade_is_said():
    """In the title of a metric, or where there is none, as a condition."""
    given = {"data": ROWS, "min_grade": 2}
    point = ap.operating_point("grade", "score", min_recall=0.5, **given)
    for result in (
        point,
        point.check("grade", "score", data=ROWS),
        ap.operating_point("grade", MODELS, min_recall=0.5, **given),
        ap.compat.explain("grade", "score", **given),
        ap.compat.explain(data=trec(min_grade=2)),
    ):
        check(result, ["grades of at least 2 are positive"])
    compared = ap.compare("grade", MODELS, **given)
    for result in (
        ap.confidence_interval("grade", "score", **given),
        ap.compare("grade", "score", "other", **given),
        ap.confidence_interval(data=trec(min_grade=2)),
        compared,
        ap.report("grade", MODELS, **given),
        ap.report("grade", "score", by="kind", **given),
        ap.report("grade", "score", metrics=ap.metric("AP", min_grade=2), data=ROWS),
        ap.report(data=trec(min_grade=2)),
    ):
        assert result.conditions == {}
        for text in (*texts(result), json.dumps(result.to_dict())):
            assert "(min_grade=2)" in " ".join(text.replace("\\", "").split())
    assert "min_grade" not in str(ap.report(data=trec(min_grade=2), metrics="nDCG@5"))
    assert "min_grade" not in str(ap.report(data=trec()))


def test_points_are_loaded_with_their_conditions():
    point = ap.operating_point("label", "score", data=ROWS, min_recall=0.5, sample_weight="mass")
    loaded = ap.thresholds.OperatingPoint.from_dict(point.to_dict())
    assert loaded.conditions == point.conditions == {"sample_weight": "mass"}
    points = FUNCTIONS["points"](sample_weight="mass")
    loaded = ap.thresholds.OperatingPointTable.from_dict(points.to_dict())
    assert str(loaded) == str(points)
    assert loaded["other"].conditions == loaded.conditions == {"sample_weight": "mass"}


# --- how a reader made the table ------------------------------------------------------------------

OTHER_RUN = RUN.replace("d1 1 0.5", "d1 1 0.9").replace("1e-3", "8")
READ = {
    "unjudged": ({"unjudged": "drop"}, "without unjudged documents"),
    "precision": ({"precision": "double"}, "scores in double precision"),
    "overlap": ({"overlap": 0.75}, "at an overlap of 0.75"),
    "overlaps": ({"overlap": "0.50:0.95"}, "at an overlap of 0.50:0.95"),
    "area": ({"area": "small"}, "small objects only"),
    "difficult": ({"use_difficult": True}, "difficult objects count"),
}


def table(options):
    if "use_difficult" in options:
        return readers.read_voc(*DIFFICULT, **options)
    if options.keys() & {"overlap", "area"}:
        return readers.read_coco(*FILES, **options)
    return readers.read_trec(StringIO(QRELS), StringIO(RUN), **options)


FUNCTIONS_OF_READERS = {
    "confidence_interval": ap.confidence_interval,
    "report": ap.report,
    "compare": lambda data: ap.compare(data={"a": data, "b": data}),
    "report, several": lambda data: ap.report(data={"a": data, "b": data}),
    "operating_point": partial(ap.operating_point, min_recall=0.25),
    "explain": ap.compat.explain,
    "curves": on_new_axes(ap.AveragePrecisionDisplay.from_predictions),
    "hit curves": on_new_axes(ap.HitCurveDisplay.from_predictions),
}


@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", FUNCTIONS_OF_READERS)
@pytest.mark.parametrize("case", READ)
def test_results_say_how_a_table_was_read(case, name):
    options, words = READ[case]
    check(FUNCTIONS_OF_READERS[name](data=table(options)), [words])


def test_only_answered():
    tables = readers.read_trec(StringIO(QRELS), {"a": StringIO(RUN), "b": StringIO(OTHER_RUN)})
    check(ap.compare(data=readers.answered(tables)), ["only queries that every run has answered"])


@pytest.mark.sweep(2)
@pytest.mark.parametrize("case", [*READ, "answered"])
def test_tables_that_were_read_differently_are_not_compared(case):
    if case == "answered":
        usual, words = trec(), "only queries that every run has answered"
        other = readers.answered(usual)
    else:
        options, words = READ[case]
        usual, other = table({name: DEFAULT_OPTIONS[name] for name in options}), table(options)
    tables = {"old": usual, "new": other}
    is_alike = usual.n_positives == other.n_positives and [*usual.roles] == [*other.roles]
    for call in (
        lambda: ap.compare(data=tables),
        lambda: ap.report(data=tables, baseline="old"),
        lambda: ap.report(data=tables, margin=0.1),
    ):
        with pytest.raises(ValueError, match=r"read under different\s+conditions, .*Read both"):
            call()
    if not is_alike:
        return  # which is refused, because other positives count
    report = ap.report(data=tables)
    assert [row.model for row in report] == ["old", f"new ({words})"]
    assert report.baseline is None
    assert all(np.isnan(row.difference) for row in report)
    for text in texts(report):
        assert words in " ".join(text.split())
        assert not re.search(r"difference\s*[|<]|  difference  ", text)
    alone = ap.report(data=other)
    assert report.rows[1].value == alone.rows[0].value
    report.plot()


@pytest.mark.sweep(2)
@pytest.mark.parametrize("case", READ)
def test_other_conditions_are_refused_where_one_side_does_not_know_them(case):
    options, _ = READ[case]
    usual, other = table({name: DEFAULT_OPTIONS[name] for name in options}), table(options)
    names = [usual.roles[role] for role in ("y_true", "y_score")]
    data = {"old": {**usual.columns}, "new": other}
    with pytest.raises(ValueError, match=r"only if functions of sklearn_ap\.readers"):
        ap.compare(*names, groups=usual.roles["groups"], data=data)
    for chosen, checked in ((usual, other), (other, usual)):
        point = ap.operating_point(data=chosen, min_recall=0.25)
        saved = ap.thresholds.OperatingPoint.from_dict(point.to_dict())
        with pytest.raises(ValueError, match="Read both with the same options"):
            saved.check(data=checked)
        saved.check(data=chosen)


def test_a_column_is_no_condition():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"y": [1, 0, 1], "s": [3, 2, 1], "conditions": ["a", "b", "c"]})
    assert ap.confidence_interval("y", "s", data=table).conditions == {}
