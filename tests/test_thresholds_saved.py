"""Operating points that go through JSON to another process and another day."""

import datetime
import json
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from sklearn_ap.exceptions import InvalidParameterError
from sklearn_ap.thresholds import OperatingPoint, OperatingPointTable

from .refusals import refused, refuses

Y = np.array([1, 0, 1, 1, 0, 0, 1, 0])
S = np.array([0.91, 0.83, 0.7, 0.7, 0.52, 0.43, 0.31, 0.1])
DAYS = [datetime.date(2026, 6, 1 + place % 3) for place in range(8)]
W = np.array([1, 2, 3, 4, 5, 6, 2, 1])


def sent(values):
    """Return what arrives on the other side of a file of strict JSON."""
    return json.loads(json.dumps(values, allow_nan=False))


def loaded(point):
    return OperatingPoint.from_dict(sent(point.to_dict()))


OF_GROUPS = ["n_groups", "least_per_group", "mean_per_group", "most_per_group"]
POINTS = {
    "recall": lambda **d: ap.operating_point(Y, S, min_recall=0.7, **d),
    "both": lambda **d: ap.operating_point(Y, S, min_recall=0.7, min_precision=0.001, **d),
    "promise": lambda **d: ap.operating_point(
        Y, S, min_recall=0.1, min_precision=0.001, confidence_level=0.6, **d
    ),
    "budget": lambda **d: ap.operating_point(Y, S, k=2, k_counts="samples", groups=DAYS, **d),
    "share": lambda **d: ap.operating_point(Y, S, k=0.3, k_counts="samples", **d),
    "limit": lambda **d: ap.operating_point(
        Y, S, min_recall=0.2, k=0.6, k_counts="samples", clusters=DAYS, **d
    ),
    "measured": lambda **d: ap.operating_point(Y, S, threshold=0.5, **d),
    "nothing": lambda **d: ap.operating_point(Y, S, threshold=np.inf, **d),
    "fraction": lambda **d: ap.operating_point(Y, S, threshold=Fraction(1, 3), **d),
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


def labels_of(name):
    """Return the labels with which a point was chosen."""
    labels = {"words": np.where(Y, "fraud", "ok"), "grades": 2 * Y, "no positives": 0 * Y}
    return labels.get(name, Y)


@pytest.mark.filterwarnings("ignore:.*y_true contains only:UserWarning")
@pytest.mark.parametrize("data", [{}, {"sample_weight": W}], ids=str)
@pytest.mark.parametrize("name", POINTS)
def test_a_loaded_point_is_the_same(name, data):
    if name == "missed groups":
        data = data | {"n_positives": dict.fromkeys(DAYS, 90) | {datetime.date(2026, 7, 1): 5}}
        point = ap.operating_point(Y, S, min_recall=0.001, groups=DAYS, **data)
    else:
        point = POINTS[name](**data)
    assert_alike(loaded(point), point)
    given = data | {"groups": DAYS} if name == "missed groups" else data
    check = point.check(labels_of(name), S, **given)
    again = loaded(point).check(labels_of(name), S, **given)
    assert again == check
    assert str(again) == str(check)
    assert again.to_dict() == check.to_dict()


def assert_alike(found, point):
    """Everything but the counts of groups is saved."""
    assert found == point
    assert str(found) == str(point)
    assert found.to_dict() == point.to_dict()
    assert found.source == point.source or np.isnan(point.source.positive_share)
    assert found.source.targets == point.source.targets
    assert found.flagged_per_group is None


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


def test_the_dict_has_what_a_check_and_a_record_need():
    found = ap.operating_point(Y, S, k=2, groups=DAYS).to_dict()
    assert (found["version"], found["k"], found["k_is_share"]) == (5, 2, False)
    assert "flagged_per_group" not in found
    named = ap.operating_point("y", "model_b", data={"y": Y, "model_b": S}, min_recall=0.5)
    assert [named.to_dict()[f"{name}_column"] for name in ("label", "score")] == ["y", "model_b"]
    assert loaded(named).check(Y, pd.Series(S, name="model_a")).notes[0].text == (
        "The threshold was chosen on the scores of 'model_b', but is checked on those of 'model_a'."
    )


def test_names_of_columns_and_labels_that_look_like_numbers():
    table = {"inf": np.where(Y, "inf", "1/3"), "-inf": S, "1/2": W, "None": DAYS, "3": DAYS[::-1]}
    point = ap.operating_point(
        "inf", "-inf", k=0.5, sample_weight="1/2", groups=["None", "3"], pos_label="inf",
        k_counts="samples", data=table,
    )  # fmt: skip
    assert_alike(loaded(point), point)
    assert loaded(point).check(data=table).to_dict() == point.check(data=table).to_dict()


OPTIONS = {  # which are drawn together; those of one name can't be
    "target": [
        {"min_recall": 0.5},
        {"min_recall": 1},
        {"min_precision": 0.25},
        {"min_recall": 0.4, "min_precision": 0.2},
        {"min_recall": 0.2, "confidence_level": 0.9},
        {"min_precision": 0.1, "confidence_level": 0.8},
        {"threshold": 0.4},
        {"threshold": np.float32(0.4)},
        {"threshold": -np.inf},
        {},
    ],
    "k": [
        {},
        {},
        {"k": 30},
        {"k": 0.9},
        {"k": 1.0},
        {"k": np.int64(40)},
        {"k": 40, "groups": "day"},
    ],
    "k_counts": [{"k_counts": "samples"}, {"k_counts": "weight"}],
    "weights": [{}, {"sample_weight": "weight"}, {"sample_weight": "alike"}],
    "groups": [{}, {"groups": "day"}, {"groups": ["day", "account"]}],
    "clusters": [{}, {"clusters": "account"}],
    "exist": [{}, {"n_positives": 500}],
    "labels": [{}, {"pos_label": 0}, {"y_true": "grade", "min_grade": 2}, {"y_true": "word"}],
}


@pytest.mark.sweep(10)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(40))
def test_a_check_says_the_same_after_saving(seed):
    """With all options of a choice together, also if another program has written the file anew."""
    rng = np.random.default_rng(seed)
    n_points = 0
    while n_points < 5:
        grade = rng.integers(0, 4, 60)
        table = pd.DataFrame({
            "fraud": grade // 2,
            "grade": grade,
            "word": np.where(grade > 1, "fraud", "ok"),
            "model": np.round((grade + rng.normal(size=60)) / 6, int(rng.integers(1, 4))),
            "weight": rng.integers(0, 4, 60) * rng.choice([1.0, 0.3]),
            "alike": 2.0,
            "day": pd.date_range("2026-06-01", periods=60, freq="7h").date,
            "account": rng.integers(0, 20, 60),
        })  # fmt: skip
        given = {"y_true": "fraud", "y_score": "model", "data": table}
        for choices in OPTIONS.values():
            given |= choices[rng.integers(len(choices))]
        if given["y_true"] == "word":
            given["pos_label"] = "fraud"
        try:
            point = ap.operating_point(**given)
        except ValueError:
            continue  # the options don't go together, or no threshold meets the targets
        n_points += 1
        for found in (loaded(point), OperatingPoint.from_dict(sent(rewritten(point.to_dict())))):
            assert_alike(found, point)
            assert type(found.source.targets.k) in (type(point.source.targets.k), int)
            later = table.sample(frac=1, replace=True, random_state=seed)
            check, again = (each.check(data=later) for each in (point, found))
            assert again == check
            assert str(again) == str(check)
            assert again.to_dict() == check.to_dict()


def test_points_of_several_models():
    points = ap.operating_point(Y, {"old": S, "new": S.astype(np.float32)[::-1]}, min_recall=0.5)
    rows = sent(points.to_dict())
    assert [row["model"] for row in rows] == ["old", "new"]
    found = OperatingPointTable.from_dict(rows)
    assert found == points
    assert str(found) == str(points)
    assert OperatingPoint.from_dict(rows[1]) == points["new"]


def rewritten(value):
    """Write JSON as jq -S or JavaScript does: sorted, or with whole numbers as integers."""
    if isinstance(value, dict):
        return {key: rewritten(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [rewritten(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@pytest.mark.filterwarnings("ignore:.*y_true contains only:UserWarning")
@pytest.mark.parametrize("name", sorted({*POINTS} - {"missed groups"}))
def test_files_that_other_programs_write_anew(name):
    point = POINTS[name]()
    assert_alike(OperatingPoint.from_dict(sent(rewritten(point.to_dict()))), point)


def test_a_share_of_all_is_no_count_of_one():
    point = ap.operating_point(Y, S, k=1.0, k_counts="samples")
    found = OperatingPoint.from_dict(sent(rewritten(point.to_dict())))
    assert type(found.source.targets.k) is float
    assert found.check(Y, S, groups=DAYS) == point.check(Y, S, groups=DAYS)


def test_a_count_is_no_share_if_a_program_wrote_it_as_a_float():
    """As pandas does with a column in which another row has no k."""
    point = POINTS["budget"]()
    found = OperatingPoint.from_dict(sent(point.to_dict()) | {"k": 2.0})
    assert found.source.targets == point.source.targets
    assert "  at most 2  " in str(found.check(Y, S, groups=DAYS))


# --- refusals -------------------------------------------------------------------------------------


def budget(**values):
    return OperatingPoint.from_dict(sent(POINTS["budget"]().to_dict()) | values)


@pytest.mark.parametrize("name", POINTS["recall"]().to_dict())
def test_a_dict_that_lacks_something_is_refused(name):
    values = POINTS["recall"]().to_dict()
    del values[name]
    with pytest.raises(InvalidParameterError, match=f"'{name}'|has version None"):
        OperatingPoint.from_dict(values)


@pytest.mark.parametrize(
    "name", ["threshold", "n_samples", "n_flagged", "true_positives", "false_positives", "k_counts"]
)
def test_a_dict_without_a_value_that_every_point_has_is_refused(name):
    values = POINTS["recall"]().to_dict()
    assert values[name] is not None
    values[name] = None
    with pytest.raises(InvalidParameterError, match=f"needs .* as '{name}'"):
        OperatingPoint.from_dict(values)


@pytest.mark.parametrize("k_counts", ["rows", "Samples", "", 1])
def test_what_k_counts_is_one_of_two(k_counts):
    values = POINTS["recall"]().to_dict() | {"k_counts": k_counts}
    with pytest.raises(InvalidParameterError, match="samples', 'weight'} as 'k_counts'"):
        OperatingPoint.from_dict(values)


ODD = [None, True, False, -1, 0, 1, 5, 0.5, 2.5, 1e308, 10**400, float("nan"), float("inf")]
ODD += ["inf", "1/0", "1/3", "", "x", [], [1], {}, {"groups": 3}, {"x": [{}]}, b"1"]
SAVED = ["recall", "budget", "promise", "measured", "words", "grades"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.sweep(8)
@pytest.mark.parametrize("field", sorted({*POINTS["recall"]().to_dict()} - {"version"}))
@pytest.mark.parametrize("name", SAVED)
def test_odd_fields_are_refused_by_name_or_make_a_point_that_works(name, field):
    values = sent(POINTS[name]().to_dict())
    grouped = {"groups": DAYS} if values["n_groups"] else {}
    named = []
    for odd in ODD:
        try:
            point = OperatingPoint.from_dict(values | {field: odd})
        except InvalidParameterError as error:
            named.append(re.search("as '(.*)', as to_dict returned it", str(error))[1])
            continue
        assert_alike(loaded(point), point)
        labels = labels_of(name)
        if point.source.targets.pos_label in labels:  # as after any other choice
            assert str(point.check(labels, S, **grouped))
    beside = {
        "k_is_share": ["k"],
        "pos_label": ["min_grade"],
        **dict.fromkeys(OF_GROUPS, OF_GROUPS),
    }
    assert {*named} <= {field, *beside.get(field, [])}


test_refused = refuses(
    [
        refused(
            "reads version 5, ... It was written by a newer sklearn_ap", lambda: budget(version=6)
        ),
        refused(
            "reads version 5, ... has version 4. Choose the threshold again",
            lambda: budget(version=4),
        ),
        refused("has version None. Choose the threshold again", lambda: budget(version=None)),
        refused(
            "needs a number as 'threshold', as to_dict returned it",
            lambda: budget(threshold="high"),
        ),
        refused(
            "needs a number in the range [0, 1] as 'min_recall'", lambda: budget(min_recall=-1)
        ),
        refused(
            "but got str. Read JSON text with json.loads", lambda: OperatingPoint.from_dict("{}")
        ),
        refused("but got OperatingPoint.", lambda: OperatingPoint.from_dict(POINTS["budget"]())),
        refused(
            "got list ... OperatingPointTable.from_dict", lambda: OperatingPoint.from_dict([{}])
        ),
        refused("has version None", lambda: OperatingPoint.from_dict({})),
        refused(
            "but got dict. For one point, use OperatingPoint",
            lambda: OperatingPointTable.from_dict({}),
        ),
        refused("but got an empty list", lambda: OperatingPointTable.from_dict([])),
        refused(
            "needs a dict with a",
            lambda: OperatingPointTable.from_dict([POINTS["budget"]().to_dict()]),
        ),
        refused(
            "got the model 'a' twice, but each model needs a name of its own",
            lambda: OperatingPointTable.from_dict(
                ap.operating_point(Y, {"a": S}, k=2).to_dict() * 2
            ),
        ),
    ],
)
