"""Operating points that go through JSON to another process and another day."""

import copy
import datetime
import json
import subprocess
import sys
from decimal import Decimal
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from sklearn_ap.displays import AveragePrecisionDisplay
from sklearn_ap.exceptions import InvalidParameterError
from sklearn_ap.thresholds import OperatingPoint, OperatingPointTable

from .refusals import refuses

Y = np.array([1, 0, 1, 1, 0, 0, 1, 0])
S = np.array([0.91, 0.83, 0.7, 0.7, 0.52, 0.43, 0.31, 0.1])
DAYS = [datetime.date(2026, 6, 1 + place % 3) for place in range(8)]
W = np.array([1, 2, 3, 4, 5, 6, 2, 1])


def sent(values):
    """Return what arrives on the other side of a file of strict JSON."""
    return json.loads(json.dumps(values, allow_nan=False))


def loaded(point):
    return OperatingPoint.from_dict(sent(point.to_dict()))


POINTS = {
    "recall": lambda **d: ap.operating_point(Y, S, min_recall=0.7, **d),
    "both": lambda **d: ap.operating_point(Y, S, min_recall=0.7, min_precision=0.001, **d),
    "promise": lambda **d: ap.operating_point(
        Y, S, min_recall=0.1, min_precision=0.001, confidence_level=0.6, **d
    ),
    "budget": lambda **d: ap.operating_point(Y, S, k=2, k_counts="samples", groups=DAYS, **d),
    "share": lambda **d: ap.operating_point(Y, S, k=0.3, k_counts="samples", **d),
    "quantile": lambda **d: ap.operating_point(
        Y, S, k=2, k_counts="samples", groups=DAYS, quantile=0.5, **d
    ),
    "missed groups": lambda **d: ap.operating_point(
        Y, S, min_recall=0.1, groups=DAYS, n_positives=dict.fromkeys([*DAYS, None], 90), **d
    ),
    "words": lambda **d: ap.operating_point(
        pd.Series(np.where(Y, "fraud", "ok"), name="label"),
        pd.Series(S, name="model_b"),
        min_recall=0.5,
        pos_label="fraud",
        **d,
    ),
    "grades": lambda **d: ap.operating_point(2 * Y, S, min_recall=0.5, min_grade=2, **d),
    "costs": lambda **d: ap.operating_point(Y, S, alert_cost=0.4, benefit=3, **d),
    "amounts": lambda **d: ap.operating_point(
        Y, S, alert_cost=1, benefit=pd.Series(W, name="amount"), **d
    ),
    "no positives": lambda **d: ap.operating_point(0 * Y, S, k=0.3, k_counts="samples", **d),
}


@pytest.mark.filterwarnings("ignore:.*y_true contains only:UserWarning")
@pytest.mark.parametrize("data", [{}, {"sample_weight": W}, {"prevalence": 0.01}], ids=str)
@pytest.mark.parametrize("name", POINTS)
def test_a_loaded_point_is_the_same(name, data):
    if name == "missed groups":
        data = data | {"n_positives": dict.fromkeys(DAYS, 90) | {datetime.date(2026, 7, 1): 5}}
        point = ap.operating_point(Y, S, min_recall=0.001, groups=DAYS, **data)
    else:
        point = POINTS[name](**data)
    found = loaded(point)
    assert found == point
    assert str(found) == str(point)
    assert found.to_dict() == point.to_dict()
    assert found.flagged_per_group == point.flagged_per_group
    assert found.source.request == point.source.request
    labels = np.where(Y, "fraud", "ok") if name == "words" else 2 * Y if name == "grades" else Y
    given = data | {"groups": DAYS} if name == "missed groups" else data
    assert found.check(labels, S, **given) == point.check(labels, S, **given)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64, np.uint64])
def test_thresholds_are_exact(dtype):
    """Also where the shortest decimal of a narrow float isn't its value."""
    rng = np.random.default_rng(0)
    info = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else None
    for _ in range(20):
        scores = rng.standard_normal(9).astype(dtype) / 3
        if info:
            scores = rng.integers(info.min, info.max, 9, dtype=dtype, endpoint=True)
        point = ap.operating_point(rng.permutation(9) > 4, scores, k=4)
        found = loaded(point)
        assert type(found.threshold) is type(point.threshold)
        assert found.threshold == point.threshold
        assert sum(float(s) >= found.threshold if info is None else int(s) >= found.threshold
                   for s in scores) == 4  # fmt: skip
        assert found.check([1, 0] * 4 + [1], scores).n_flagged == 4


def test_scores_that_are_predicted_labels():
    for given in ({"k": 4}, {"min_recall": 1.0}):
        point = ap.operating_point([1, 0, 1, 0, 1], np.array([1, 1, 1, 1, 0]) == 1, **given)
        found = loaded(point)
        assert found.threshold is point.threshold is ("k" in given)
        assert found == point


NAMES = {
    "int": [1, 2, 10],
    "large int": [2**70, -(2**70), 0],
    "float": [0.1, 1 / 3, 1.0],
    "bool": [True, False],
    "str": ["2026-06-01", "1", "é"],
    "date": DAYS,
    "datetime": [datetime.datetime(2026, 6, 1, 8, 30, 0, 17), datetime.datetime(2026, 6, 1)],
    "zoned": [*pd.date_range("2026-03-28", periods=3, tz="Europe/Berlin")],
    "time": [datetime.time(8, 30), datetime.time(9)],
    "Decimal": [Decimal("0.10"), Decimal(3)],
    "UUID": [UUID(int=1), UUID(int=2)],
    "datetime64": np.array(["2026-06-01", "2026-06-02"], dtype="M8[D]"),
    "datetime64[ns]": np.array(["2026-06-01T08:00:00.000000001", "2026-06-02"], dtype="M8[ns]"),
    "timedelta64": np.array([1, 90], dtype="m8[m]"),
    "tuple": [(datetime.date(2026, 6, 1), "FR"), (datetime.date(2026, 6, 1), "DE")],
    "different tuples": [("a", 1), (1, "a"), ("a",)],
    "different": [1, "1", 2.5, ("1", 1)],
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_of_groups_keep_their_types(kind):
    """A list is read as pandas does, so tuples and names of several types are objects."""
    names, groups = NAMES[kind], np.empty(8, dtype=object)
    if isinstance(names, np.ndarray):
        groups = np.resize(names, 8)
    else:
        groups[:] = [names[place % len(names)] for place in range(8)]
    point = ap.operating_point(Y, S, min_recall=0.7, groups=groups)
    found = loaded(point).flagged_per_group
    assert found == point.flagged_per_group
    assert [type(name) for name in found] == [
        datetime.datetime if kind == "zoned" else type(name) for name in point.flagged_per_group
    ]
    pairs = point.to_dict()["flagged_per_group"]
    assert all(isinstance(pair, list) and len(pair) == 2 for pair in pairs)


def test_the_dict_has_what_a_check_and_a_record_need():
    point = ap.operating_point(Y, S, k=2, groups=DAYS, quantile=0.5)
    found = point.to_dict()
    assert (found["version"], found["k"], found["quantile"]) == (1, 2, 0.5)
    assert found["flagged_per_group"] == [["2026-06-01", 3], ["2026-06-02", 2], ["2026-06-03", 2]]
    assert found["group_type"] == "date"
    named = ap.operating_point("y", "model_b", data={"y": Y, "model_b": S}, min_recall=0.5)
    assert [named.to_dict()[f"{name}_column"] for name in ("label", "score")] == ["y", "model_b"]
    assert loaded(named).check(Y, pd.Series(S, name="model_a")).differs[0] == (
        "the threshold was chosen on the scores of 'model_b', but is checked on those of 'model_a'"
    )


def test_points_of_several_models():
    points = ap.operating_point(Y, {"old": S, "new": S.astype(np.float32)[::-1]}, min_recall=0.5)
    rows = sent(points.to_dict())
    assert [row["model"] for row in rows] == ["old", "new"]
    assert rows == [{"model": model} | point.to_dict() for model, point in points.items()]
    found = OperatingPointTable.from_dict(rows)
    assert found == points
    assert str(found) == str(points)
    assert OperatingPoint.from_dict(rows[1]) == points["new"]


def test_what_a_loaded_point_can_do():
    point = ap.operating_point(Y, S, min_recall=0.5)
    found = loaded(point)
    with pytest.raises(ValueError, match=r"all_thresholds needs the data, .* result was saved\. A"):
        found.all_thresholds()
    assert point.all_thresholds()["n_flagged"][0] == 1
    (mark,) = AveragePrecisionDisplay.from_predictions(Y, S, operating_points=found).marks_
    assert mark.get_xydata().tolist() == [[point.recall, point.precision]]
    assert copy.deepcopy(found) == found
    assert loaded(found) == point


def test_it_loads_in_another_process(tmp_path):
    point = ap.operating_point(Y, S.astype(np.float32), min_recall=0.5)
    (tmp_path / "point.json").write_text(json.dumps(point.to_dict(), allow_nan=False))
    code = (
        "import json, sklearn_ap as ap\n"
        f"values = json.load(open({str(tmp_path / 'point.json')!r}))\n"
        "print(ap.thresholds.OperatingPoint.from_dict(values).threshold.hex())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == float(np.float32(0.7)).hex()


# Refusals
def test_a_dict_that_lacks_something_is_refused():
    for name, make in POINTS.items():
        if name in ("missed groups", "no positives"):
            continue
        values = sent(make().to_dict())
        for key in values:
            less = {other: value for other, value in values.items() if other != key}
            with pytest.raises(InvalidParameterError, match=f"this dict has no '{key}'"):
                OperatingPoint.from_dict(less)


def changed(**values):
    point = POINTS["quantile" if "n_within" in values or "quantile" in values else "budget"]()
    return OperatingPoint.from_dict(sent(point.to_dict()) | values)


def weighted(**values):
    return OperatingPoint.from_dict(POINTS["both"](sample_weight=W).to_dict() | values)


WRONG = {
    "threshold": [0.71, 1e9, "0.7", None, True, float("nan")],
    "precision": [0.9, None, 2],
    "recall": [1.0, -1],
    "n_flagged": [5, 4.5, -1],
    "true_positives": [4, 5],
    "false_positives": [4, 9],
    "flagged_share": [0.9, None],
    "flagged_mass": [3],
    "net_value": [3.5],
    "n_samples": [3, 80],
    "n_positives": [2, 9],
    "shown": ["0.8", "", 7],
    "n_groups": [2, 0, None],
    "least_per_group": [0],
    "most_per_group": [9],
    "mean_per_group": [1.0],
    "flagged_per_group": [[["2026-06-01", 2]], [[1, 2, 3]], 3, None, [["2026-06-01", "2"]]],
    "group_type": ["int", "datetime", "dates", None, {"tuple": ["date"]}, {"each": ["date"]}, []],
    "k": [None, 0, 1, 2.5, "2"],
    "k_counts": ["days", None],
    "quantile": [None, 2, 0],
    "n_within": [None, 4, -1],
    "min_recall": [1.5, "0.5"],
    "min_precision": [-1],
    "confidence_level": [0.9],
    "alert_cost": [1],
    "benefit": [-1, True, [1], float("inf")],
    "is_given": [None, True],
    "are_shares": ["yes"],
    "equal_weights": [1],
    "positive_share": [7],
    "score_column": [3],
    "version": [0, 1.5, "1", None],
    "pos_label": [None, [1]],
    "min_grade": ["2"],
}


@pytest.mark.parametrize("name", WRONG)
def test_a_dict_that_contradicts_itself_is_refused(name):
    for value in WRONG[name]:
        with pytest.raises(InvalidParameterError, match=r"OperatingPoint\.from_dict") as caught:
            changed(**{name: value})
        assert "\n" not in str(caught.value)


def test_every_value_is_checked():
    unchecked = {"found_mass", "label_column"}  # which are like others
    assert {*WRONG} | unchecked == set(POINTS["budget"]().to_dict())


test_refused = refuses(
    [
        ("changed(version=2)", "has version 2. A newer sklearn_ap has written it"),
        ("weighted(precision=1)", "precision=1, but from the counts, or from the weights, it is"),
        ("weighted(found_mass=None)", "found_mass=None, but flagged_mass is"),
        ("weighted(recall=0.1)", "recall=0.1, but min_recall is 0.7"),
        (
            "changed(flagged_per_group=[['2026-06-01', 5], ['2026-06-01', 0], ['2026-06-03', 0]])",
            "a name occurs twice",
        ),
        ("OperatingPoint.from_dict('{}')", "but got its JSON text. Pass ... json.loads(text)"),
        ("OperatingPoint.from_dict(POINTS['budget']())", "but got OperatingPoint. Pass that dict"),
        ("OperatingPoint.from_dict([{}])", "OperatingPointTable.from_dict"),
        ("OperatingPoint.from_dict({})", "this dict has no 'version'"),
        ("OperatingPointTable.from_dict({})", "but got dict. For one point, use OperatingPoint"),
        ("OperatingPointTable.from_dict([])", "but got an empty list"),
        ("OperatingPointTable.from_dict([POINTS['budget']().to_dict()])", "has no 'model'"),
        (
            "OperatingPointTable.from_dict([POINTS['budget']().to_dict() | {'model': 'a'}] * 2)",
            "got the model 'a', but each model needs a name of its own",
        ),
    ],
    globals(),
)
