"""What a check takes over from the choice of its threshold, and what it lacks."""

import json

import numpy as np
import pandas as pd
import pytest

import sklearn_ap as ap
from sklearn_ap.thresholds import OperatingPoint

from .tables import TABLES, arrow

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "fraud": RNG.integers(0, 3, 300),
        "model": RNG.normal(size=300).round(2),
        "account": RNG.integers(0, 40, 300),
        "day": RNG.integers(0, 9, 300),
        "shop": [*"abc"] * 100,
        "amount": RNG.integers(1, 9, 300),
    }
)
TABLE["model"] += TABLE["fraud"]
GIVEN = {
    "clusters": ("account", "with clusters account"),
    "groups": ("day", "with groups day"),
    "sample_weight": ("amount", "with weights amount"),
    "several columns": (["day", "shop"], "with groups day and shop"),
    "min_grade": (2, "with grades from 2 on as positive"),
}
CHOSEN = {"min_recall": 0.3, "k": 290, "k_counts": "samples"}


def chosen(**given):
    grade = {} if "min_grade" in given else {"min_grade": 1}
    point = ap.operating_point("fraud", "model", data=TABLE, **CHOSEN | grade | given)
    return OperatingPoint.from_dict(json.loads(json.dumps(point.to_dict())))


KINDS = ["pandas", "dict", "polars", "PyArrow table", "DuckDB"]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", GIVEN)
def test_a_check_applies_what_the_choice_had(name, tmp_path):
    value, words = GIVEN[name]
    role = "groups" if name == "several columns" else name
    point = chosen(**{role: value})
    rows = arrow({column: TABLE[column].to_numpy() for column in TABLE})
    for kind in KINDS:
        check = point.check(data=TABLES[kind](rows, tmp_path))
        grade = {} if name == "min_grade" else {"min_grade": 1}
        assert check.as_chosen == {role: value} | grade
        passed = point.check("fraud", "model", data=TABLE, **grade | {role: value})
        assert passed.as_chosen == {}
        assert check == passed
        assert words in " ".join(str(check).split()).split(", as in the choice.")[0]
        assert check.to_dict()["as_chosen"] == check.as_chosen
        assert not {note.code for note in check.notes} & {"other_data", "other_weights"}


@pytest.mark.parametrize("name", ["clusters", "groups", "sample_weight", "arrays"])
def test_what_a_check_lacks_is_a_note(name):
    role = "clusters" if name == "arrays" else name
    value, words = GIVEN[role]
    point = chosen(**{role: TABLE[value].to_numpy() if name == "arrays" else value})
    without = {role: False}
    is_said = words.split()[-1] if isinstance(value, str) and name != "arrays" else "without"
    for check in (
        point.check(data=TABLE, **without),
        point.check(TABLE["fraud"], TABLE["model"], **without),
        point.check("fraud", "model", data=TABLE[["fraud", "model"]], **without),
    ):
        assert role not in check.as_chosen
        notes = [note for note in check.notes if note.code in ("other_data", "other_weights")]
        assert len(notes) == 1
        assert is_said in notes[0].text or notes[0].code == "other_weights"
    check = point.check(data=TABLE.drop(columns=[] if name == "arrays" else value))
    assert {note.code for note in check.notes} & {"other_data", "other_weights"}


def test_labels_and_scores_are_taken_over_one_by_one():
    point = chosen()
    expected = str(point.check("fraud", "model", data=TABLE))
    for passed in ((None, "model"), ("fraud", None), (None, None), ("fraud",), ()):
        assert str(point.check(*passed, data=TABLE)) == expected
    assert str(point.check(y_true=None, y_score="model", data=TABLE)) == expected
    with pytest.raises(TypeError, match="multiple values for argument 'y_score'"):
        point.check("fraud", "model", y_score="other", data=TABLE)


def test_existing_positives_are_never_taken_over():
    point = chosen(n_positives=300)
    (note,) = point.check(data=TABLE).notes[:1]
    assert "chosen with n_positives, but is checked without them" in note.text
    (note,) = ap.operating_point([1, 0], [2, 1], k=1, groups=[1, 1]).check([1, 0], [2, 1]).notes
    said = "The threshold was chosen with groups, but is checked without them, so the check says"
    assert note.text == f"{said} nothing about each group."
    assert not point.check(data=TABLE, n_positives=250).notes
    assert point.check(data=TABLE).recall.value > point.check(data=TABLE, n_positives=250).recall[0]


def test_the_same_rows_are_no_other_population():
    labels = TABLE["fraud"] > 1
    weight = np.where(labels, 1, labels.sum() / (~labels).sum())
    point = ap.operating_point(labels, TABLE["model"], min_precision=0.5, sample_weight=weight)
    check = point.check(labels, TABLE["model"], sample_weight=weight)
    assert check.notes == ()
    assert check.precision.value == point.precision


def test_what_is_lacking_is_listed_in_one_order():
    point = chosen(clusters="account", groups="day", n_positives=dict.fromkeys(range(9), 50))
    check = point.check(TABLE["fraud"], TABLE["model"])
    lacking = [note.text.split()[5].strip(",") for note in check.notes if note.code == "other_data"]
    assert lacking == ["clusters", "groups", "n_positives"]
