"""What scikit-learn's `average_precision_score` returned in each release, and still returns.

Each row of the page on differences is one small input, on which some releases differ or differed
from this package. Tests repeat the input with the installed release, and look up what older
releases returned.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from math import nan
from typing import Any

import numpy as np

from .._show.results import as_paragraphs

_VERSION = re.compile(r"(\d+)\.(\d+)(\.\d+)*((a|b|rc|\.post|\.dev)\d+)*")


def release_of(version: str) -> tuple[int, int]:
    """Return the two numbers that a version begins with.

    >>> release_of("0.18.2"), release_of("1.10.dev0+git")
    ((0, 18), (1, 10))
    """
    match = _VERSION.match(version)
    if match is None:
        raise ValueError(f"{version!r} is not a release.")
    return int(match[1]), int(match[2])


@dataclass(frozen=True)
class Difference:
    """What some releases return for one small input, and what this package returns for it.

    `ours` and `theirs` are the value or the name of an error. If only a warning or a type differs,
    they name it instead.

    See Also
    --------
    explain : Show the differences on your data.

    Examples
    --------
    >>> from sklearn_ap.compat import DIFFERENCES
    >>> row = next(
    ...     row for row in DIFFERENCES if row.title == "Negative weights"
    ... )
    >>> row.theirs, row.ours
    (1.5, 'ValueError')
    """

    id: str
    title: str
    versions: str  # "<0.19", "0.15-0.17", ">=0.20" or "1.9"; never a patch release
    reason: str
    y_true: Any
    y_score: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    ours: float | str = 1.0  # of a perfect ranking, as in most rows
    theirs: float | str = "ValueError"
    # pull requests or issues, or the releases in which it was seen
    reference: str = "seen in 1.5.0 to 1.9.1"

    def applies_to(self, version: str) -> bool:
        """Whether the row is about this release of scikit-learn.

        >>> from sklearn_ap.compat import DIFFERENCES
        >>> row = next(row for row in DIFFERENCES if row.id == "merged-ties")
        >>> row.versions, row.applies_to("0.17.1"), row.applies_to("0.18")
        ('0.15-0.17', True, False)
        """
        release = release_of(version)
        if self.versions.startswith("<"):
            return release < release_of(self.versions[1:])
        if self.versions.startswith(">="):
            return release >= release_of(self.versions[2:])
        first, _, last = self.versions.partition("-")
        return release_of(first) <= release <= release_of(last or first)


class Differences(tuple[Difference, ...]):
    """Rows that print as a table."""

    def __repr__(self) -> str:
        rows = [
            (
                row.title,
                row.versions,
                f"{_outcome_in_words(row.theirs)}, here {_outcome_in_words(row.ours)}",
            )
            for row in self
        ]
        return as_paragraphs(("difference", "seen in", "result"), rows)


def _outcome_in_words(result: float | str) -> str:
    return result if isinstance(result, str) else f"{result:.6g}"


class _NamedColumns(np.ndarray[Any, Any]):
    """An array whose columns have names, like those of a DataFrame, which needs no pandas."""

    columns = ("c", "b", "a")


_NAMED = np.array([[0.1, 0.1, 0.8], [0.1, 0.8, 0.1], [0.8, 0.3, 0.1]]).view(_NamedColumns)
_WHOLE = 2**53  # the next whole number is no float
_HUGE, _LARGE = np.repeat(np.float32(2e38), 3), np.repeat(np.float16(4e4), 3)

_ROWS = (
    # the value itself
    Difference(
        id="trapezoid",
        title="Trapezoids instead of steps",
        versions="<0.19",
        reason="Straight lines joined the points, though no threshold lies between them.",
        y_true=[0, 1, 0, 0, 0],
        y_score=[0.7, 0.8, 0.5, 0.9, 0.1],
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
        theirs=0.75,
        reference="#7353",
    ),
    # no positives, or nothing else
    Difference(
        id="positives-alone",
        title="Error if all labels are positive",
        versions="0.13",
        reason="`y_true` had to contain both labels.",
        y_true=[1, 1],
        y_score=[0.2, 0.1],
        reference="recorded from 0.13.1",
    ),
    Difference(
        id="no-positives-refused",
        title="Error if there are no positives",
        versions="<0.16",
        reason="The area was nan, and nan was an error.",
        y_true=[0, 0],
        y_score=[0.2, 0.1],
        ours=0.0,
        reference="recorded from 0.13.1 to 0.15.2",
    ),
    Difference(
        id="no-positives-nan",
        title="nan if there are no positives",
        versions="0.16-1.0",
        reason="Recall was 0/0.",
        y_true=[0, 0],
        y_score=[0.2, 0.1],
        ours=0.0,
        theirs=nan,
        reference="#8245, #19085",
    ),
    Difference(
        id="no-positives-warning",
        title="Warning if there are no positives",
        versions=">=1.5",
        reason="It begins with the same sentence, but belongs to a more specific category here.",
        y_true=[0, 0],
        y_score=[0.2, 0.1],
        ours="UndefinedMetricWarning",
        theirs="UserWarning",
    ),
    # labels
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
        ours=0.5,
        reference="#9980",
    ),
    Difference(
        id="multiclass",
        title="Multiclass labels",
        versions="<1.3",
        reason="Three or more classes were an error. Now each class is ranked against the rest.",
        y_true=[0, 1, 2],
        y_score=[[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.2]],
        reference="#24769",
    ),
    Difference(
        id="multiclass-list",
        title="Multiclass scores in a list",
        versions="1.9",
        reason="It reads the shape of `y_score` before it makes an array of it.",
        y_true=[0, 1, 2],
        y_score=[[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.2]],
        theirs="AttributeError",
        reference="seen in 1.9.1",
    ),
    Difference(
        id="named-columns",
        title="Scores in a DataFrame whose columns are named like the classes",
        versions=">=1.3",
        reason="scikit-learn ignores the names and sorts the classes. Here, the names count.",
        y_true=["a", "b", "c"],
        y_score=_NAMED,
        theirs=0.5555555555555556,
    ),
    Difference(
        id="large-labels",
        title="Float labels of 1e19 or more",
        versions=">=1.5",
        reason="Their cast to integers overflows. A list of them is an error here too.",
        y_true=np.array([1.0, 1e19]),
        y_score=[0.2, 0.1],
    ),
    Difference(
        id="object-booleans",
        title="Booleans or numbers in a column of objects",
        versions=">=1.5",
        reason="Objects other than strings are refused. "
        "Here booleans and numbers are labels, as in any column.",
        y_true=np.array([False, True], dtype=object),
        y_score=[0.1, 0.2],
    ),
    Difference(
        id="timedelta-labels",
        title="Timedelta labels",
        versions="1.9",
        reason="They are compared with `pos_label`, where 1 then means one of their units.",
        y_true=[np.timedelta64(0, "s"), np.timedelta64(1, "s")],
        y_score=[0.1, 0.2],
        ours="ValueError",
        theirs=1.0,
        reference="seen in 1.9.1",
    ),
    Difference(
        id="missing-among-strings",
        title="A list of labels with strings and nan",
        versions=">=1.5",
        reason="nan becomes the string `'nan'`, a label like others. Here it is a missing label.",
        y_true=["a", nan],
        y_score=[0.2, 0.1],
        options={"pos_label": "a"},
        ours="ValueError",
        theirs=1.0,
        reference="seen in 1.9.1",
    ),
    Difference(
        id="null-characters",
        title="Strings that differ only in null characters at the end",
        versions=">=1.5",
        reason="NumPy's strings lose these characters, so the labels are merged or confused.",
        y_true=["a", "a\0"],
        y_score=[0.1, 0.2],
        options={"pos_label": "a"},
        ours=0.5,
        theirs=1.0,
    ),
    # scores
    Difference(
        id="object-columns",
        title="Columns of objects, or of several types, with integers beyond 2^53",
        versions=">=1.5",
        reason="Several columns are cast to floats, so close integers are tied. One column is not.",
        y_true=[[1, 0], [0, 1]],
        y_score=np.array([[_WHOLE + 1, 1], [_WHOLE, 2]], dtype=object),
        theirs=0.75,
    ),
    Difference(
        id="listed-integers",
        title="Lists with integers beyond 2^53 beside fractions, or beyond 2^63 beside negative "
        "ones",
        versions=">=1.5",
        reason="NumPy makes floats of such a list, so close integers are tied.",
        y_true=[1, 0, 0],
        y_score=[_WHOLE + 1, _WHOLE, 0.5],
        theirs=0.5,
    ),
    Difference(
        id="close-decimals",
        title="Decimals that float64 can't tell apart",
        versions=">=1.5",
        reason="Here decimals become floats, with a warning if some become equal.",
        y_true=[1, 0],
        y_score=[Decimal("0.30000000000000000001"), Decimal("0.3")],
        ours=0.5,
        theirs=1.0,
    ),
    Difference(
        id="object-dates",
        title="Scores that are not numbers, such as a `datetime` or `Period`",
        versions=">=1.5",
        reason="It accepts what can be sorted and subtracted. Equal `Period`s are tied since 1.8.",
        y_true=[0, 1],
        y_score=[datetime(2020, 1, 1), datetime(2020, 1, 2)],
        ours="ValueError",
        theirs=1.0,
    ),
    Difference(
        id="long-doubles",
        title="Long doubles that float64 can't represent exactly",
        versions=">=1.5",
        reason="They are compared as they are. Here the message says how to round them.",
        y_true=[0, 1],
        y_score=[np.longdouble("0.1"), np.longdouble("0.2")],
        ours="ValueError",
        theirs=1.0,
    ),
    Difference(
        id="predicted-labels",
        title="Scores that look like predicted labels, of 30 rows or more",
        versions=">=1.5",
        reason="Here a warning asks whether they are predicted labels. The value is the same.",
        y_true=[0, 1] * 15,
        y_score=[0, 1] * 15,
        ours="UserWarning",
        theirs=1.0,
    ),
    # several columns
    Difference(
        id="columns-as-one-ranking",
        title="Several columns ranked as one",
        versions="0.13",
        reason="All cells were ranked together, and the value was the area of trapezoids.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.4, 0.5], [0.1, 0.6]],
        theirs=0.7916666666666666,
        reference="recorded from 0.13.1",
    ),
    Difference(
        id="columns-refused",
        title="Error for several columns",
        versions="0.14",
        reason="The parameter `average` did not exist yet.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.4, 0.5], [0.1, 0.6]],
        reference="recorded from 0.14.1",
    ),
    Difference(
        id="weighted-nan",
        title="`average='weighted'`: nan because of a class without positives",
        versions="0.16-0.21",
        reason="It had weight 0, but its nan still made the mean nan.",
        y_true=[[1, 0], [0, 0]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "weighted"},
        theirs=nan,
        reference="#14595",
    ),
    Difference(
        id="samples-nan",
        title="`average='samples'`: nan because of a row of weight 0",
        versions="0.16-0.21",
        reason="It had weight 0, but its nan still made the mean nan.",
        y_true=[[0, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "samples", "sample_weight": [0, 1]},
        theirs=nan,
        reference="#14595",
    ),
    Difference(
        id="samples-warning",
        title="`average='samples'`: a warning about a row of weight 0",
        versions=">=1.1",
        reason="The row does not count, but causes a warning.",
        y_true=[[0, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "samples", "sample_weight": [0, 1]},
        theirs="UserWarning",
    ),
    Difference(
        id="weighted-tiny",
        title="`average='weighted'`: 0.0 for tiny weights",
        versions=">=0.20",
        reason="If all positives together weigh 1e-8 or less, they count as no positives.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": [1e-9, 1e-9]},
        theirs=0.0,
        reference="seen in 1.5.0 to 1.9.1, recorded from 0.20.0 on",
    ),
    Difference(
        id="weighted-int",
        title="`average='weighted'`: an int if there are no positives",
        versions=">=1.5",
        reason="The 0 that it returns without positives is an int.",
        y_true=[[0, 0], [0, 0]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "weighted"},
        ours="float",
        theirs="int",
    ),
    Difference(
        id="weighted-by-labels",
        title="`average='weighted'`: labels other than 0 and 1",
        versions=">=1.5",
        reason="scikit-learn weights a class by the sum of its labels, not by its positives.",
        y_true=[[1, -1], [1, -1], [1, 1], [-1, 1]],
        y_score=[[0.9, 0.9], [0.8, 0.8], [0.7, 0.7], [0.6, 0.6]],
        options={"average": "weighted"},
        ours=0.7666666666666667,
        theirs=1.0,
    ),
    Difference(
        id="surplus-labels",
        title="Fewer columns of scores than of labels",
        versions=">=1.5",
        reason="It silently ignores the other labels.",
        y_true=[[0, 1], [1, 0]],
        y_score=[[0.1], [0.8]],
        ours="ValueError",
        theirs=1.0,
    ),
    Difference(
        id="surplus-scores",
        title="More columns of scores than of labels",
        versions=">=1.5",
        reason="The loop runs out of labels.",
        y_true=[[0, 1], [1, 0]],
        y_score=[[0.1, 0.9, 0.5], [0.8, 0.2, 0.5]],
        ours="ValueError",
        theirs="IndexError",
    ),
    Difference(
        id="class-without-scores",
        title="A class without a column of scores",
        versions="1.5-1.8",
        reason="The last class was silently ignored. This is an error since 1.9, as here.",
        y_true=[0, 1, 2],
        y_score=[[0.8, 0.1], [0.1, 0.8], [0.1, 0.1]],
        ours="ValueError",
        theirs=1.0,
        reference="seen in 1.5.0 to 1.8.0",
    ),
    # weights
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
        title="Error if the highest score has weight 0",
        versions="0.15",
        reason="Precision was 0/0 there, and nan was an error.",
        y_true=[0, 1],
        y_score=[0.2, 0.1],
        options={"sample_weight": [0, 1]},
        reference="recorded from 0.15.2",
    ),
    Difference(
        id="weightless-top-nan",
        title="nan if the highest score has weight 0",
        versions="0.16-0.19",
        reason="Precision was 0/0 there. Here samples of weight 0 are left out.",
        y_true=[0, 1],
        y_score=[0.2, 0.1],
        options={"sample_weight": [0, 1]},
        theirs=nan,
        reference="#9980",
    ),
    Difference(
        id="weightless",
        title="All weights 0",
        versions="1.0-1.8",
        reason="No sample was left to index. A ValueError says so since 1.9, as here.",
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
    ),
    Difference(
        id="weightless-samples",
        title="All weights 0 with `average='samples'`",
        versions=">=1.5",
        reason="The mean over the rows divides by 0.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "samples", "sample_weight": [0, 0]},
        ours="ValueError",
        theirs="ZeroDivisionError",
    ),
    Difference(
        id="negative-weights",
        title="Negative weights",
        versions=">=1.5",
        reason="scikit-learn accepts them, and the value may be greater than 1.",
        y_true=[0, 1],
        y_score=[0.9, 0.8],
        options={"sample_weight": [-1, 3]},
        ours="ValueError",
        theirs=1.5,
    ),
    Difference(
        id="weights-as-text",
        title="Weights that are strings or times",
        versions=">=1.5",
        reason="They are cast to floats, times in any unit.",
        y_true=[0, 1],
        y_score=[0.1, 0.2],
        options={"sample_weight": ["1", "2"]},
        ours="ValueError",
        theirs=1.0,
    ),
    Difference(
        id="float32-weights",
        title="`average='weighted'`: float32 or float16 weights",
        versions="1.9",
        reason="The positives of a class are added up in that type, which may overflow.",
        y_true=[[1, 0], [0, 1], [0, 1]],
        y_score=[[0.3, 0.1], [0.2, 0.3], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": _HUGE},
        theirs=nan,
        reference="seen in 1.9.1",
    ),
    Difference(
        id="float32-weights-boolean",
        title="`average='weighted'`: float32 weights of boolean labels",
        versions=">=1.5",
        reason="The positives of a class are added up in float32.",
        y_true=[[True, False], [False, True], [False, True]],
        y_score=[[0.3, 0.1], [0.2, 0.3], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": _HUGE},
        theirs=nan,
    ),
    Difference(
        id="float16-weights-boolean",
        title="`average='weighted'`: float16 weights of boolean labels",
        versions=">=1.5",
        reason="The positives of a class are added up in float16.",
        y_true=[[True, False], [False, True], [False, True]],
        y_score=[[0.3, 0.1], [0.2, 0.3], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": _LARGE},
        theirs=nan,
    ),
    Difference(
        id="object-weights",
        title="`average='weighted'`: weights that are objects",
        versions="1.9",
        reason="Their sum is an object too, which cannot be compared with 0.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": np.array([1, 3], dtype=object)},
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
        theirs="TypeError",
    ),
    # the rest
    Difference(
        id="empty",
        title="Empty input",
        versions=">=1.5",
        reason="scikit-learn looks up the last sample, and there is none.",
        y_true=[],
        y_score=[],
        ours="ValueError",
        theirs="IndexError",
    ),
    Difference(
        id="masked",
        title="Masked arrays",
        versions=">=1.5",
        reason="scikit-learn drops the mask, so hidden values count like all others.",
        y_true=[0, 1, 0, 1],
        y_score=np.ma.array([0.9, 0.8, 0.7, 0.6], mask=[True, False, False, False]),
        ours="ValueError",
        theirs=0.5,
        reference="seen in 1.5.2 and 1.9.1",
    ),
    Difference(
        id="return-type",
        title="The value is a NumPy scalar",
        versions="<1.7",
        reason="It is a Python float since 1.7, as here.",
        y_true=[0, 1],
        y_score=[0.1, 0.2],
        ours="float",
        theirs="float64",
        reference="#30575",
    ),
)
DIFFERENCES = Differences(_ROWS)
