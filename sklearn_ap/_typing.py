"""Types of public parameters, and of what metrics return."""

from collections.abc import Mapping
from typing import Any, Literal

from numpy.typing import ArrayLike

Average = Literal["macro", "micro", "samples", "weighted"]
GroupAverage = Literal["macro", "weighted"]
Denominator = Literal["hits", "k", "min", "relevant"]
KCounts = Literal["samples", "weight"]
Ties = Literal["best", "expected", "grouped", "worst"]
ZeroDivision = float | Literal["warn"]
Label = float | bool | str
NPositives = float | ArrayLike | Mapping[Any, float] | None
Score = Any  # a float, or an array with average=None
