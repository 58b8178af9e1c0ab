"""Where `sklearn.metrics.average_precision_score` gives something else, and in which releases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

_RELEASE = re.compile(r"(\d+)\.(\d+)(?!\d)")
_RANGE = re.compile(r"(?:(<|>=)(\d+\.\d+)|(\d+\.\d+)(?:-(\d+\.\d+))?)")
_TINY, _HUGE = 1e-9, np.float32(2e38)
_HALF_HUGE = np.float16(4e4)
_WHOLE = 2**53  # the next whole number is no float


@dataclass(frozen=True)
class Difference:
    """What some releases give for one small input, and what this package gives for it.

    `ours` and `theirs` are a number, or the name of an error, of a warning beside the number or,
    where just the type differs, of a type.
    """

    id: str
    title: str
    versions: str  # "<0.19", "0.15-0.17", ">=0.20" or "1.9"; never a patch release
    reason: str
    y_true: Any
    y_score: Any
    options: Mapping[str, Any]
    ours: float | str
    theirs: float | str
    reference: str  # the pull requests or issues, or where it was seen

    def holds_for(self, version: str) -> bool:
        """Whether a release of scikit-learn is one of those.

        >>> row = next(row for row in DIFFERENCES if row.id == "merged-ties")
        >>> row.versions, row.holds_for("0.17.1"), row.holds_for("0.18")
        ('0.15-0.17', True, False)
        """
        release = _release(version)
        parts = _RANGE.fullmatch(self.versions)
        if parts is None:
            raise ValueError(f"{self.versions!r} is no range of releases.")
        sign, bound, first, last = parts.groups()
        if sign == "<":
            return release < _release(bound)
        if sign == ">=":
            return release >= _release(bound)
        return _release(first) <= release <= _release(last or first)


def _release(version: str) -> tuple[int, int]:
    parts = _RELEASE.match(version)
    if parts is None:
        raise ValueError(f"{version!r} is no release.")
    return int(parts[1]), int(parts[2])


DIFFERENCES = (
    # --- the number itself ---
    Difference(
        id="trapezoid",
        title="Trapezoids instead of steps",
        versions="<0.19",
        reason="Straight lines joined the points of the curve, and no threshold reaches them.",
        y_true=[0, 1, 0, 0, 0],
        y_score=[0.7, 0.8, 0.5, 0.9, 0.1],
        options={},
        ours=0.5,
        theirs=0.25,
        reference="#7356, #9017, #9618",
    ),
    Difference(
        id="merged-ties",
        title="Close scores are tied",
        versions="0.15-0.17",
        reason="A score was tied with the next lower one if it was at most 1e-8 above it.",
        y_true=[1, 0],
        y_score=[2e-9, 1e-9],
        options={},
        ours=1.0,
        theirs=0.75,
        reference="#7353",
    ),
    Difference(
        id="exact-comparison",
        title="Close scores are distinct",
        versions=">=0.18",
        reason="Scores are compared exactly, as here.",
        y_true=[1, 0],
        y_score=[2e-9, 1e-9],
        options={},
        ours=1.0,
        theirs=1.0,
        reference="#7353",
    ),
    # --- no positives, or nothing else ---
    Difference(
        id="positives-alone",
        title="Positives alone are refused",
        versions="0.13",
        reason="Both labels had to be in `y_true`.",
        y_true=[1, 1],
        y_score=[0.2, 0.1],
        options={},
        ours=1.0,
        theirs="ValueError",
        reference="recorded from 0.13.1",
    ),
    Difference(
        id="no-positives-refused",
        title="No positives: an error",
        versions="<0.16",
        reason="The area was nan, and nan was an error.",
        y_true=[0, 0],
        y_score=[0.2, 0.1],
        options={},
        ours=0.0,
        theirs="ValueError",
        reference="recorded from 0.13.1 to 0.15.2",
    ),
    Difference(
        id="no-positives-nan",
        title="No positives: nan",
        versions="0.16-1.0",
        reason="Recall was 0/0.",
        y_true=[0, 0],
        y_score=[0.2, 0.1],
        options={},
        ours=0.0,
        theirs=np.nan,
        reference="#8245, #19085",
    ),
    Difference(
        id="no-positives-negative-zero",
        title="No positives: -0.0",
        versions="1.1-1.5",
        reason="Recall became 1 with a warning. The sum over no steps was 0, and got a minus sign.",
        y_true=[0, 0],
        y_score=[0.2, 0.1],
        options={},
        ours=0.0,
        theirs=-0.0,
        reference="#19085",
    ),
    Difference(
        id="no-positives-zero",
        title="No positives: 0.0",
        versions=">=1.6",
        reason="The same as here. Here `zero_division` can choose another value.",
        y_true=[0, 0],
        y_score=[0.2, 0.1],
        options={},
        ours=0.0,
        theirs=0.0,
        reference="#27412",
    ),
    # --- labels ---
    Difference(
        id="pos-label",
        title="No `pos_label`",
        versions="<0.20",
        reason="The keyword did not exist.",
        y_true=[1, 0],
        y_score=[0.2, 0.1],
        options={"pos_label": 0},
        ours=0.5,
        theirs="TypeError",
        reference="#9980",
    ),
    Difference(
        id="labels-one-and-two",
        title="Labels 1 and 2",
        versions="<0.20",
        reason="Only 0 and 1, or -1 and 1, were allowed. Now 1 is the positive label, as here.",
        y_true=[1, 2],
        y_score=[0.1, 0.2],
        options={},
        ours=0.5,
        theirs="ValueError",
        reference="#9980",
    ),
    Difference(
        id="multiclass",
        title="Multiclass labels",
        versions="<1.3",
        reason="Three or more classes were an error. Now each class is ranked against the rest.",
        y_true=[0, 1, 2],
        y_score=[[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.2]],
        options={},
        ours=1.0,
        theirs="ValueError",
        reference="#24769",
    ),
    Difference(
        id="multiclass-list",
        title="Multiclass scores in a list",
        versions="1.9",
        reason="It reads the shape of `y_score` before it makes an array of it.",
        y_true=[0, 1, 2],
        y_score=[[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.2]],
        options={},
        ours=1.0,
        theirs="AttributeError",
        reference="seen in 1.9.1",
    ),
    Difference(
        id="large-labels",
        title="Float labels of 1e19 and more",
        versions=">=1.5",
        reason="It casts them to integers to see whether they are whole, and the cast overflows. "
        "Lists of them are an error here too.",
        y_true=np.array([1.0, 1e19]),
        y_score=[0.2, 0.1],
        options={},
        ours=1.0,
        theirs="ValueError",
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="timedelta-labels",
        title="Timedelta labels",
        versions="1.9",
        reason="They are compared with `pos_label`, and 1 then means one of their units.",
        y_true=[np.timedelta64(0, "s"), np.timedelta64(1, "s")],
        y_score=[0.1, 0.2],
        options={},
        ours="ValueError",
        theirs=1.0,
        reference="seen in 1.9.1",
    ),
    # --- scores ---
    Difference(
        id="object-columns",
        title="Columns of objects: integers beyond 2^53",
        versions=">=1.5",
        reason="Several columns become floats, so close integers are tied. One column does not.",
        y_true=[[1, 0], [0, 1]],
        y_score=np.array([[_WHOLE + 1, 1], [_WHOLE, 2]], dtype=object),
        options={},
        ours=1.0,
        theirs=0.75,
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="object-dates",
        title="Scores that are objects but not numbers, such as a `date` or pandas `Period`",
        versions=">=1.5",
        reason="It accepts what it can sort and subtract. Since 1.8 equal `Period`s are tied.",
        y_true=[0, 1],
        y_score=[date(2020, 1, 1), date(2020, 1, 2)],
        options={},
        ours="ValueError",
        theirs=1.0,
        reference="seen in 1.5.0 to 1.9.1",
    ),
    # --- several columns ---
    Difference(
        id="columns-as-one-ranking",
        title="Several columns are one ranking",
        versions="0.13",
        reason="All cells were ranked together, and the number was the area of trapezoids.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.4, 0.5], [0.1, 0.6]],
        options={},
        ours=1.0,
        theirs=19 / 24,
        reference="recorded from 0.13.1",
    ),
    Difference(
        id="columns-refused",
        title="Several columns are refused",
        versions="0.14",
        reason="There was no `average` yet.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.4, 0.5], [0.1, 0.6]],
        options={},
        ours=1.0,
        theirs="ValueError",
        reference="recorded from 0.14.1",
    ),
    Difference(
        id="weighted-nan",
        title="`average='weighted'`: nan from a class without positives",
        versions="0.16-0.21",
        reason="Its weight was 0, but its nan still made the mean nan.",
        y_true=[[1, 0], [0, 0]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "weighted"},
        ours=1.0,
        theirs=np.nan,
        reference="#14595",
    ),
    Difference(
        id="samples-nan",
        title="`average='samples'`: nan from a row of weight 0",
        versions="0.16-0.21",
        reason="Its weight was 0, but its nan still made the mean nan.",
        y_true=[[0, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "samples", "sample_weight": [0, 1]},
        ours=1.0,
        theirs=np.nan,
        reference="#14595",
    ),
    Difference(
        id="samples-warning",
        title="`average='samples'`: a warning about a row of weight 0",
        versions=">=1.1",
        reason="The row does not count, but there is a warning about it. Here the row is left out.",
        y_true=[[0, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "samples", "sample_weight": [0, 1]},
        ours=1.0,
        theirs="UserWarning",
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="weighted-tiny",
        title="`average='weighted'`: 0.0 for tiny weights",
        versions=">=0.20",
        reason="If all positives together weigh 1e-8 or less, they count as no positives.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": [_TINY, _TINY]},
        ours=1.0,
        theirs=0.0,
        reference="seen in 1.5.0 to 1.9.1, recorded from 0.20.0 on",
    ),
    Difference(
        id="weighted-silent",
        title="`average='weighted'`: no warning without positives",
        versions=">=0.15",
        reason="It gives 0.0 without a warning. Here there is the usual warning.",
        y_true=[[0, 0], [0, 0]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "weighted"},
        ours="UndefinedMetricWarning",
        theirs=0.0,
        reference="seen in 1.5.0 to 1.9.1, recorded from 0.15.2 on",
    ),
    Difference(
        id="weighted-int",
        title="`average='weighted'`: an int without positives",
        versions=">=1.5",
        reason="The 0 for no positives is an int.",
        y_true=[[0, 0], [0, 0]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "weighted"},
        ours="float",
        theirs="int",
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="weighted-by-labels",
        title="`average='weighted'`: labels other than 0 and 1",
        versions=">=1.5",
        reason="A class has the sum of its labels as its weight, here that of its positives.",
        y_true=[[1, -1], [1, -1], [1, 1], [-1, 1]],
        y_score=[[0.9, 0.9], [0.8, 0.8], [0.7, 0.7], [0.6, 0.6]],
        options={"average": "weighted"},
        ours=23 / 30,
        theirs=1.0,
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="surplus-labels",
        title="Fewer columns of scores than of labels",
        versions=">=1.5",
        reason="It loops over the columns of `y_score`, and ignores other labels in silence.",
        y_true=[[0, 1], [1, 0]],
        y_score=[[0.1], [0.8]],
        options={},
        ours="ValueError",
        theirs=1.0,
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="surplus-scores",
        title="More columns of scores than of labels",
        versions=">=1.5",
        reason="The loop has no labels left. Here the message says what is wrong.",
        y_true=[[0, 1], [1, 0]],
        y_score=[[0.1, 0.9, 0.5], [0.8, 0.2, 0.5]],
        options={},
        ours="ValueError",
        theirs="IndexError",
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="class-without-scores",
        title="A class without a column of scores",
        versions="1.5-1.8",
        reason="It ignored the last class without a warning. In 1.9 this is an error, as here.",
        y_true=[0, 1, 2],
        y_score=[[0.8, 0.1], [0.1, 0.8], [0.1, 0.1]],
        options={},
        ours="ValueError",
        theirs=1.0,
        reference="seen in 1.5.0 to 1.8.0",
    ),
    # --- weights ---
    Difference(
        id="sample-weight",
        title="No `sample_weight`",
        versions="<0.15",
        reason="The keyword did not exist.",
        y_true=[0, 1],
        y_score=[0.2, 0.1],
        options={"sample_weight": [1, 3]},
        ours=0.75,
        theirs="TypeError",
        reference="#3043",
    ),
    Difference(
        id="weightless-top-refused",
        title="Weight 0 at the best score: an error",
        versions="0.15",
        reason="Precision was 0/0 there, and nan was an error.",
        y_true=[0, 1],
        y_score=[0.2, 0.1],
        options={"sample_weight": [0, 1]},
        ours=1.0,
        theirs="ValueError",
        reference="recorded from 0.15.2",
    ),
    Difference(
        id="weightless-top-nan",
        title="Weight 0 at the best score: nan",
        versions="0.16-0.19",
        reason="Precision was 0/0 there. Here samples of weight 0 are left out.",
        y_true=[0, 1],
        y_score=[0.2, 0.1],
        options={"sample_weight": [0, 1]},
        ours=1.0,
        theirs=np.nan,
        reference="#9980",
    ),
    Difference(
        id="weightless",
        title="All weights 0",
        versions="1.0-1.8",
        reason="No sample was left to index. Since 1.9 a ValueError says so, as here.",
        y_true=[0, 1],
        y_score=[0.1, 0.2],
        options={"sample_weight": [0, 0]},
        ours="ValueError",
        theirs="IndexError",
        reference="#18328",
    ),
    Difference(
        id="weightless-weighted",
        title="All weights 0 with `average='weighted'`",
        versions=">=1.5",
        reason="Positives of weight 0 count as no positives.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": [0, 0]},
        ours="ValueError",
        theirs=0.0,
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="weightless-samples",
        title="All weights 0 with `average='samples'`",
        versions=">=1.5",
        reason="The mean of the rows divides by 0. Here the message says what is wrong.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "samples", "sample_weight": [0, 0]},
        ours="ValueError",
        theirs="ZeroDivisionError",
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="negative-weights",
        title="Negative weights",
        versions=">=1.5",
        reason="It accepts them, and the number may be greater than 1.",
        y_true=[0, 1],
        y_score=[0.9, 0.8],
        options={"sample_weight": [-1, 3]},
        ours="ValueError",
        theirs=1.5,
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="float32-weights",
        title="`average='weighted'`: float32 or float16 weights",
        versions="1.9",
        reason="It adds up the positives of a class in that type, which rounds and may overflow.",
        y_true=[[1, 0], [0, 1], [0, 1]],
        y_score=[[0.3, 0.1], [0.2, 0.3], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": np.repeat(_HUGE, 3)},
        ours=1.0,
        theirs=np.nan,
        reference="seen in 1.9.1",
    ),
    Difference(
        id="float32-weights-boolean",
        title="`average='weighted'`: float32 weights of boolean labels",
        versions=">=1.5",
        reason="Boolean labels are no wider, so it adds up the positives of a class in float32.",
        y_true=[[True, False], [False, True], [False, True]],
        y_score=[[0.3, 0.1], [0.2, 0.3], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": np.repeat(_HUGE, 3)},
        ours=1.0,
        theirs=np.nan,
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="float16-weights-boolean",
        title="`average='weighted'`: float16 weights of boolean labels",
        versions=">=1.5",
        reason="Boolean labels are no wider, so it adds up the positives of a class in float16.",
        y_true=[[True, False], [False, True], [False, True]],
        y_score=[[0.3, 0.1], [0.2, 0.3], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": np.repeat(_HALF_HUGE, 3)},
        ours=1.0,
        theirs=np.nan,
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="object-weights",
        title="`average='weighted'`: weights that are objects",
        versions="1.9",
        reason="Their sum is an object too, and cannot be compared with 0.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": np.array([1, 3], dtype=object)},
        ours=1.0,
        theirs="TypeError",
        reference="seen in 1.9.1",
    ),
    Difference(
        id="decimal-weights",
        title="`average='samples'`: weights that are a `Decimal`",
        versions=">=1.5",
        reason="They cannot be multiplied by floats. `average='weighted'` fails on them too.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "samples", "sample_weight": [Decimal(1), Decimal(3)]},
        ours=1.0,
        theirs="TypeError",
        reference="seen in 1.5.0 to 1.9.1",
    ),
    # --- the rest ---
    Difference(
        id="empty",
        title="Empty input",
        versions=">=1.5",
        reason="There is no last sample to index. Here the message says what is wrong.",
        y_true=[],
        y_score=[],
        options={},
        ours="ValueError",
        theirs="IndexError",
        reference="seen in 1.5.0 to 1.9.1",
    ),
    Difference(
        id="return-type",
        title="The value is a NumPy scalar",
        versions="<1.7",
        reason="Since then it is a Python float, as here.",
        y_true=[0, 1],
        y_score=[0.1, 0.2],
        options={},
        ours="float",
        theirs="float64",
        reference="#30575",
    ),
)
