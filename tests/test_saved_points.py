"""Operating points that go through JSON to another process and another day."""

import copy
import datetime
import json
from decimal import Decimal
from uuid import UUID

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
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
    assert (found["version"], found["k"], found["quantile"]) == (3, 2, 0.5)
    assert found["flagged_per_group"] == [["2026-06-01", 3], ["2026-06-02", 2], ["2026-06-03", 2]]
    assert found["group_type"] == "date"
    named = ap.operating_point("y", "model_b", data={"y": Y, "model_b": S}, min_recall=0.5)
    assert [named.to_dict()[f"{name}_column"] for name in ("label", "score")] == ["y", "model_b"]
    assert loaded(named).check(Y, pd.Series(S, name="model_a")).notes[0].text == (
        "the threshold was chosen on the scores of 'model_b', but is checked on those of 'model_a'."
    )


def test_points_of_several_models():
    points = ap.operating_point(Y, {"old": S, "new": S.astype(np.float32)[::-1]}, min_recall=0.5)
    rows = sent(points.to_dict())
    assert [row["model"] for row in rows] == ["old", "new"]
    found = OperatingPointTable.from_dict(rows)
    assert found == points
    assert str(found) == str(points)
    assert OperatingPoint.from_dict(rows[1]) == points["new"]


# Refusals
def one_by_one(values):
    """Yield the places of all values within lists and dicts."""
    for key in values if isinstance(values, dict) else range(len(values)):
        yield (key,)
        if isinstance(values[key], dict | list):
            yield from ((key, *rest) for rest in one_by_one(values[key]))


def changed(values, place, value=...):
    """Return a copy in which one value is another one, or is left out."""
    values = copy.deepcopy(values)
    *outer, last = place
    inner = values
    for key in outer:
        inner = inner[key]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return values


def others(value):
    """Return values that aren't this one, also if JSON is written anew."""
    if isinstance(value, bool) or value is None:
        return [not value, 1, "true"]
    if isinstance(value, int | float):
        return [value + 1, value * 1.001 + 1e-9, str(value), None]
    return [value[:-1] if isinstance(value, str) and value else [1], None, 3]


SAVED = {name: make for name, make in POINTS.items() if name != "missed groups"}


@pytest.mark.filterwarnings("ignore:.*y_true contains only:UserWarning")
@pytest.mark.parametrize("name", SAVED)
def test_any_change_is_refused(name):
    result = SAVED[name]()
    values, load = sent(result.to_dict()), type(result).from_dict
    assert load(values) == result
    for place in one_by_one(values):
        inner = values
        for key in place:
            inner = inner[key]
        for value in (..., *others(inner)):
            with pytest.raises(InvalidParameterError, match=r"\.from_dict ") as caught:
                load(changed(values, place, value))
            assert "\n" not in str(caught.value)
    with pytest.raises(InvalidParameterError, match=r"its digest shows .* added"):
        load(values | {"comment": "more"})


def rewritten(value):
    """Write JSON as jq -S or JavaScript does: sorted, or with whole numbers as integers."""
    if isinstance(value, dict):
        return {key: rewritten(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [rewritten(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@pytest.mark.filterwarnings("ignore:.*y_true contains only:UserWarning")
@pytest.mark.parametrize("name", SAVED)
def test_files_that_other_programs_write_anew(name):
    result = SAVED[name]()
    found = type(result).from_dict(sent(rewritten(result.to_dict())))
    assert found == result
    assert str(found) == str(result)


def test_a_share_of_all_is_no_count_of_one():
    point = ap.operating_point(Y, S, k=1.0, k_counts="samples")
    found = OperatingPoint.from_dict(sent(rewritten(point.to_dict())))
    assert type(found.source.request.k) is float
    assert found.check(Y, S) == point.check(Y, S)


def budget(**values):
    return OperatingPoint.from_dict(sent(POINTS["budget"]().to_dict()) | values)


test_refused = refuses(
    [
        ("budget(version=4)", "has version 4. It was written by a newer sklearn_ap"),
        ("budget(version=1)", "reads version 3, ... has version 1. Choose the threshold again"),
        ("budget(version=None)", "has version None. Choose the threshold again"),
        (
            "budget(threshold=0.8)",
            "its digest shows that something was changed, ... as it was saved, as JSON, because",
        ),
        ("OperatingPoint.from_dict('{}')", "but got its JSON text. Pass ... json.loads(text)"),
        ("OperatingPoint.from_dict(POINTS['budget']())", "but got OperatingPoint. Pass that dict"),
        ("OperatingPoint.from_dict([{}])", "OperatingPointTable.from_dict"),
        ("OperatingPoint.from_dict({})", "this dict has no 'version'"),
        ("OperatingPointTable.from_dict({})", "but got dict. For one point, use OperatingPoint"),
        ("OperatingPointTable.from_dict([])", "but got an empty list"),
        ("OperatingPointTable.from_dict([POINTS['budget']().to_dict()])", "has no 'model'"),
        (
            "OperatingPointTable.from_dict(ap.operating_point(Y, {'a': S}, k=2).to_dict() * 2)",
            "got the model 'a', but each model needs a name of its own",
        ),
    ],
    globals(),
)
