"""What scikit-learn's `average_precision_score` returned in each release, and still returns.

Each row of the page on differences is one small input, on which some releases differ or differed
from this package. Tests repeat the input with the installed release, and look up what older
releases returned.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from math import isnan, nan
from typing import Any

import numpy as np

from .._show.results import Printed, format_table, import_pandas
from ..core.tolerances import MAX_EXACT_INTEGER

NEWEST_RELEASE = "1.9"  # of scikit-learn, among those in which all rows were tried

_MOST_WRITTEN = 10  # elements of a list that repeats two of them
_VERSION = re.compile(r"(\d+)\.(\d+)(\.\d+)*((a|b|rc|\.post|\.dev)\d+)*")


def read_release(version: str) -> tuple[int, int]:
    """Read the two numbers that a version begins with.

    >>> read_release("0.18.2"), read_release("1.10.dev0+git")
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

    @property
    def call(self) -> str:
        """The call that shows the difference, as code.

        >>> from sklearn_ap.compat import DIFFERENCES
        >>> next(row for row in DIFFERENCES if row.id == "negative-weights").call
        'average_precision_score([0, 1], [0.9, 0.8], sample_weight=[-1, 3])'
        """
        options = [f"{name}={_format_argument(value)}" for name, value in self.options.items()]
        arguments = [_format_argument(self.y_true), _format_argument(self.y_score), *options]
        return f"average_precision_score({', '.join(arguments)})"

    def applies_to(self, version: str) -> bool:
        """Whether the row is about this release of scikit-learn.

        >>> from sklearn_ap.compat import DIFFERENCES
        >>> row = next(row for row in DIFFERENCES if row.id == "merged-ties")
        >>> row.versions, row.applies_to("0.17.1"), row.applies_to("0.18")
        ('0.15-0.17', True, False)
        """
        release = read_release(version)
        if self.versions.startswith("<"):
            return release < read_release(self.versions[1:])
        if self.versions.startswith(">="):
            return release >= read_release(self.versions[2:])
        first, _, last = self.versions.partition("-")
        return read_release(first) <= release <= read_release(last or first)


Difference.__module__ = "sklearn_ap.compat"  # where users find it


class Differences(tuple[Difference, ...]):
    """Rows that print as a table, each with its reason below it."""

    def __repr__(self) -> str:
        rows = []
        for row in self:
            there, here = format_outcome(row.theirs), format_outcome(row.ours)
            rows.append((row.versions, f"{row.title}: {there}, here {here}"))
            rows.append(("", row.reason))
        header = "scikit-learn", "difference"
        return format_table(Printed(header, [("", "", rows)]))

    def to_frame(self) -> Any:
        """Return a DataFrame of pandas."""
        columns = ("title", "versions", "call", "theirs", "ours", "reason", "reference")
        rows = [{name: getattr(row, name) for name in columns} for row in self]
        return import_pandas().DataFrame(rows, index=[row.id for row in self])


def format_outcome(outcome: float | str) -> str:
    """Format a value to six digits, or the name of an error, warning or type."""
    return outcome if isinstance(outcome, str) else f"{outcome:.6g}"


def _format_argument(value: Any) -> str:
    """Write an argument as code, in which `np` and `pd` are NumPy and pandas."""
    if isinstance(value, _NamedColumns):
        return f"pd.DataFrame({value.tolist()}, columns={json.dumps(value.columns)})"
    if isinstance(value, np.ma.MaskedArray):
        return f"np.ma.array({value.data.tolist()}, mask={value.mask.tolist()})"
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return f"np.array({_format_argument(value.tolist())}, dtype=object)"
        numbers = ", ".join(map(str, value))
        return f"np.array([{numbers}], dtype=np.{value.dtype})"
    if isinstance(value, list):
        if len(value) > _MOST_WRITTEN and value == value[:2] * (len(value) // 2):
            return f"{value[:2]} * {len(value) // 2}"
        return f"[{', '.join(map(_format_argument, value))}]"
    if isinstance(value, datetime):
        return f"datetime({value.year}, {value.month}, {value.day})"
    if isinstance(value, float) and isnan(value):
        return "np.nan"
    if isinstance(value, str):
        return json.dumps(value)  # in double quotes
    return repr(value)


class _NamedColumns(np.ndarray[Any, Any]):
    """An array whose columns have names, like those of a DataFrame, which needs no pandas."""

    columns = ("c", "b", "a")


_NAMED = np.array([[0.1, 0.1, 0.8], [0.1, 0.8, 0.1], [0.8, 0.3, 0.1]]).view(_NamedColumns)
_HUGE, _LARGE = np.repeat(np.float32(2e38), 3), np.repeat(np.float16(4e4), 3)

_ROWS = (
    # the value itself
    Difference(
        id="trapezoid",
        title="Trapezoids instead of steps",
        versions="<0.19",
        reason="The points of the curve were joined by straight lines, but no threshold gives a "
        "point between them. Since 0.19, each gain in recall is multiplied by the precision at "
        "its own threshold, as here.",
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
        reason="Scores were compared with a tolerance, so a score at most 1e-8 above the next "
        "lower one was tied with it. Since 0.18 they are compared exactly, as here.",
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
        reason="The curve was only defined for two labels. Since 0.14, the value is 1 if all "
        "samples are positive, as here.",
        y_true=[1, 1],
        y_score=[0.2, 0.1],
        reference="recorded from 0.13.1",
    ),
    Difference(
        id="no-positives-refused",
        title="Error if there are no positives",
        versions="<0.16",
        reason="Recall is 0/0 without positives. The area under the curve was nan, which was "
        "refused.",
        y_true=[0, 0],
        y_score=[0.2, 0.1],
        ours=0.0,
        reference="recorded from 0.13.1 to 0.15.2",
    ),
    Difference(
        id="no-positives-nan",
        title="nan if there are no positives",
        versions="0.16-1.0",
        reason="Recall is 0/0 without positives, and nan was returned as the value. Since 1.1 "
        "it is 0 with a warning, as here.",
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
        reason="Both messages begin with the same sentence, and `UndefinedMetricWarning` is a "
        "kind of UserWarning, so filters for either package's warning match ours.",
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
        reason="The parameter `pos_label` is new in 0.20. Before, label 1 was always the "
        "positive one.",
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
        reason="Without `pos_label`, the positive label was known only if the labels were 0 and "
        "1, or -1 and 1. Since 0.20 it is 1, as here.",
        y_true=[1, 2],
        y_score=[0.1, 0.2],
        ours=0.5,
        reference="#9980",
    ),
    Difference(
        id="multiclass",
        title="Multiclass labels",
        versions="<1.3",
        reason="Only binary and multilabel targets were supported. Since 1.3, each class is "
        "ranked against the rest, as here.",
        y_true=[0, 1, 2],
        y_score=[[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.2]],
        reference="#24769",
    ),
    Difference(
        id="multiclass-list",
        title="Multiclass scores in a list",
        versions="1.9",
        reason="scikit-learn 1.9 reads `y_score.shape` before it converts `y_score` to an "
        "array, and a list has no shape.",
        y_true=[0, 1, 2],
        y_score=[[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.3, 0.2]],
        theirs="AttributeError",
        reference="seen in 1.9.1",
    ),
    Difference(
        id="named-columns",
        title="Scores in a DataFrame whose columns are named like the classes",
        versions=">=1.3",
        reason="scikit-learn ignores column names and takes columns in the sorted order of the "
        "classes, so columns in another order are silently swapped. Here, columns that "
        "are named like the classes are found by name.",
        y_true=["a", "b", "c"],
        y_score=_NAMED,
        theirs=0.5555555555555556,
    ),
    Difference(
        id="large-labels",
        title="Float labels of 1e19 or more",
        versions=">=1.5",
        reason="scikit-learn casts float labels to int64 to see whether they are whole. 1e19 "
        "overflows, so the labels look continuous and are refused. Lists of such labels "
        "are an error here, too.",
        y_true=np.array([1.0, 1e19]),
        y_score=[0.2, 0.1],
    ),
    Difference(
        id="object-booleans",
        title="Booleans or numbers in a column of objects",
        versions=">=1.5",
        reason="scikit-learn accepts a column of objects as labels only if it begins with a "
        "string. Tables often hold labels in such columns, so here booleans and numbers "
        "in them are labels, too.",
        y_true=np.array([False, True], dtype=object),
        y_score=[0.1, 0.2],
    ),
    Difference(
        id="timedelta-labels",
        title="Timedelta labels",
        versions="1.9",
        reason="scikit-learn 1.9 compares the labels with `pos_label`, and in NumPy a timedelta "
        "of one unit equals 1, whether the unit is a second or a day. Here a "
        "timedelta is positive only if you pass it as `pos_label`.",
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
        reason="NumPy turns nan into the string `'nan'` in a list with strings, and "
        "scikit-learn counts it as a label like any other. Here nan is a missing label, "
        "which is refused.",
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
        reason="NumPy's strings lose null characters at their end, so scikit-learn sees one "
        "label instead of two. Here labels are compared as Python compares them.",
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
        reason="scikit-learn casts several columns of objects to float64, which can't tell 2^53 "
        "and 2^53 + 1 apart, so they become tied. Here integers are compared exactly, as "
        "in scikit-learn if there is a single column.",
        y_true=[[1, 0], [0, 1]],
        y_score=np.array([[MAX_EXACT_INTEGER + 1, 1], [MAX_EXACT_INTEGER, 2]], dtype=object),
        theirs=0.75,
    ),
    Difference(
        id="listed-integers",
        title="Lists with integers beyond 2^53 beside fractions, or beyond 2^63 beside negative "
        "ones",
        versions=">=1.5",
        reason="NumPy converts a list of integers and fractions to float64, which rounds "
        "integers beyond 2^53 and ties them. Here each number is compared as it was "
        "passed.",
        y_true=[1, 0, 0],
        y_score=[MAX_EXACT_INTEGER + 1, MAX_EXACT_INTEGER, 0.5],
        theirs=0.5,
    ),
    Difference(
        id="close-decimals",
        title="Decimals that float64 can't tell apart",
        versions=">=1.5",
        reason="scikit-learn compares decimals exactly. Here they become float64 like other "
        "scores, and a warning says if some of them become equal.",
        y_true=[1, 0],
        y_score=[Decimal("0.30000000000000000001"), Decimal("0.3")],
        ours=0.5,
        theirs=1.0,
    ),
    Difference(
        id="object-dates",
        title="Scores that are not numbers, such as a `datetime` or `Period`",
        versions=">=1.5",
        reason="scikit-learn ranks any objects that can be sorted and subtracted. Here scores "
        "must be numbers, because a date in their place is probably the wrong column. "
        "scikit-learn ties equal `Period`s only since 1.8.",
        y_true=[0, 1],
        y_score=[datetime(2020, 1, 1), datetime(2020, 1, 2)],
        ours="ValueError",
        theirs=1.0,
    ),
    Difference(
        id="long-doubles",
        title="Long doubles that float64 can't represent exactly",
        versions=">=1.5",
        reason="scikit-learn compares long doubles exactly. Here scores are at most float64. "
        "Rounding could tie some of them, so the error says how to round them yourself.",
        y_true=[0, 1],
        y_score=[np.longdouble("0.1"), np.longdouble("0.2")],
        ours="ValueError",
        theirs=1.0,
    ),
    Difference(
        id="predicted-labels",
        title="30 or more scores that look like predicted labels",
        versions=">=1.5",
        reason="The output of `predict` ties all samples of a predicted class, so it's a poor "
        "ranking and often a mistake. This package warns that the scores may be predicted "
        "labels. The value is the same.",
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
        reason="Multilabel targets were neither supported nor refused: all cells were ranked "
        "together, and the value was the area of trapezoids.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.4, 0.5], [0.1, 0.6]],
        theirs=0.7916666666666666,
        reference="recorded from 0.13.1",
    ),
    Difference(
        id="columns-refused",
        title="Error for several columns",
        versions="0.14",
        reason="Multilabel targets were refused, because the parameter `average` is new in 0.15.",
        y_true=[[1, 0], [0, 1]],
        y_score=[[0.4, 0.5], [0.1, 0.6]],
        reference="recorded from 0.14.1",
    ),
    Difference(
        id="weighted-nan",
        title="`average='weighted'`: nan because of a class without positives",
        versions="0.16-0.21",
        reason="The class has weight 0, but its value was nan, and 0 times nan is nan. Since "
        "0.22, classes of weight 0 don't count, as here.",
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
        reason="The row has weight 0, but its value was nan, and 0 times nan is nan. Since "
        "0.22, rows of weight 0 don't count, as here.",
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
        reason="scikit-learn computes the value of each row before it weights the rows, so a "
        "row without positives causes a warning even if its weight is 0. Here rows of "
        "weight 0 are left out first.",
        y_true=[[0, 0], [0, 1]],
        y_score=[[0.2, 0.1], [0.1, 0.2]],
        options={"average": "samples", "sample_weight": [0, 1]},
        theirs="UserWarning",
    ),
    Difference(
        id="weighted-tiny",
        title="`average='weighted'`: 0.0 for tiny weights",
        versions=">=0.20",
        reason="scikit-learn returns 0 if the total weight of the positives is within 1e-8 of "
        "0. Here only the ratios of weights matter.",
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
        reason="scikit-learn returns early with the int 0 if there are no positives. Here every "
        "value is a float.",
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
        reason="scikit-learn weighs each class by the sum of its labels, which is the number of "
        "positives only for labels 0 and 1. Here the weight is always the number of "
        "positives.",
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
        reason="scikit-learn loops over the columns of `y_score`, so it silently ignores labels "
        "without a column. Here the shapes must agree.",
        y_true=[[0, 1], [1, 0]],
        y_score=[[0.1], [0.8]],
        ours="ValueError",
        theirs=1.0,
    ),
    Difference(
        id="surplus-scores",
        title="More columns of scores than of labels",
        versions=">=1.5",
        reason="scikit-learn loops over the columns of `y_score`, and runs out of labels. Here "
        "the error says that the shapes don't agree.",
        y_true=[[0, 1], [1, 0]],
        y_score=[[0.1, 0.9, 0.5], [0.8, 0.2, 0.5]],
        ours="ValueError",
        theirs="IndexError",
    ),
    Difference(
        id="class-without-scores",
        title="A class without a column of scores",
        versions="1.5-1.8",
        reason="scikit-learn looped over the columns of `y_score`, so it silently ignored the "
        "last class. Since 1.9 the shapes are compared, as here.",
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
        reason="The parameter `sample_weight` is new in 0.15.",
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
        reason="The sample of weight 0 was a point of the curve, where precision is 0/0, and "
        "nan was refused.",
        y_true=[0, 1],
        y_score=[0.2, 0.1],
        options={"sample_weight": [0, 1]},
        reference="recorded from 0.15.2",
    ),
    Difference(
        id="weightless-top-nan",
        title="nan if the highest score has weight 0",
        versions="0.16-0.19",
        reason="The sample of weight 0 was a point of the curve, where precision is 0/0, so the "
        "value was nan. Since 0.20, such a sample has no effect, as here.",
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
        reason="Samples of weight 0 are left out of the curve, so no sample was left, and "
        "looking up the last one failed. Since 1.9, a ValueError says so, as here.",
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
        reason="If all positives weigh 0, scikit-learn returns 0 as it does without positives. "
        "Here weights that are all 0 are an error with every `average`.",
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
        reason="The weighted mean over the rows divides by the sum of the weights, which is 0. "
        "Here the error names the weights.",
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
        reason="scikit-learn doesn't check the sign of weights. With negative weights, "
        "precision and the value can leave the range from 0 to 1, so this package rejects "
        "them.",
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
        reason="scikit-learn casts weights to floats, so text that looks like a number is "
        "accepted, and times count as the number of their units. Here weights must be "
        "numbers.",
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
        reason="scikit-learn 1.9 adds up the weights of a class's positives in the type of the "
        "weights. float32 ends at 3.4e38 and float16 at 65,504, so the sum can become "
        "infinite and the mean nan. Here sums are float64.",
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
        reason="scikit-learn multiplies labels by weights. If the labels are booleans (in 1.9, "
        "whatever they are), sums keep the type of the weights, so sums in float32 can "
        "become infinite and the mean nan. Here sums are float64.",
        y_true=[[True, False], [False, True], [False, True]],
        y_score=[[0.3, 0.1], [0.2, 0.3], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": _HUGE},
        theirs=nan,
    ),
    Difference(
        id="float16-weights-boolean",
        title="`average='weighted'`: float16 weights of boolean labels",
        versions=">=1.5",
        reason="scikit-learn multiplies labels by weights. If the labels are booleans (in 1.9, "
        "whatever they are), sums keep the type of the weights, so sums in float16 can "
        "become infinite and the mean nan. Here sums are float64.",
        y_true=[[True, False], [False, True], [False, True]],
        y_score=[[0.3, 0.1], [0.2, 0.3], [0.1, 0.2]],
        options={"average": "weighted", "sample_weight": _LARGE},
        theirs=nan,
    ),
    Difference(
        id="object-weights",
        title="`average='weighted'`: weights that are objects",
        versions="1.9",
        reason="scikit-learn 1.9 adds up the weights in their own type, and NumPy's `isclose` "
        "can't compare an object with 0. Here numbers in objects are read as floats.",
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
        reason="The weighted mean multiplies weights by floats, which Python can't do with a "
        "`Decimal`. `average='weighted'` fails with them, too. Here weights are read as "
        "floats.",
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
        reason="scikit-learn looks up the last sample, and there is none. Here the error says "
        "that there are no samples.",
        y_true=[],
        y_score=[],
        ours="ValueError",
        theirs="IndexError",
    ),
    Difference(
        id="masked",
        title="Masked arrays",
        versions=">=1.5",
        reason="scikit-learn converts masked arrays to plain ones, so masked values count like "
        "all others. Here masked arrays are refused, and the error says how to leave out "
        "masked values.",
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
        reason="The value was NumPy's float64. Since 1.7 it is a Python float, as here.",
        y_true=[0, 1],
        y_score=[0.1, 0.2],
        ours="float",
        theirs="float64",
        reference="#30575",
    ),
)
DIFFERENCES = Differences(_ROWS)
