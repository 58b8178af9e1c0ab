"""What a caller says about the data, as one value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._package import read_toml
from ..core.memo import Memo
from ..core.rankings import Judged

T = TypeVar("T")

# Types of public parameters, and of what metrics return
Average = Literal["macro", "micro", "samples", "weighted"]
GroupAverage = Literal["macro", "weighted"]
Denominator = Literal["hits", "k", "min", "relevant"]
Grid = Literal["exact", "float"]
KCounts = Literal["samples", "weight"]
Ties = Literal["best", "expected", "grouped", "worst"]
ZeroDivision = float | Literal["warn"]
Label = float | bool | str
NPositives = float | ArrayLike | Mapping[Any, Any] | None
Score = Any  # a float, or an array with average=None


class PositiveClass(NamedTuple):
    """What makes a sample positive: its label, or a grade that is at least `min_grade`."""

    label: Any = 1
    min_grade: Any = None  # None for labels

    @classmethod
    def of(cls, pos_label: Any, min_grade: Any) -> Self:
        """Return what makes samples positive, after checking that only one of the two was passed.

        None and 1 are the defaults of pos_label, so they may not have been passed.
        """
        if min_grade is None:
            return cls(pos_label)
        if pos_label is not None and pos_label != 1:
            raise ValueError(
                f"pos_label={pos_label!r} and min_grade={min_grade} both "
                "define which samples are positive. Pass pos_label for labels, or "
                "min_grade for grades, and leave out the other."
            )
        return cls(None, min_grade.item() if isinstance(min_grade, np.generic) else min_grade)

    def __str__(self) -> str:
        if self.min_grade is None:
            return f"pos_label={self.label!r}"
        return f"min_grade={self.min_grade}"


class ReaderLabels(str):
    """The column of labels of a table that also has grades, nan for documents without judgment."""

    grades: str  # the name of their column
    min_grade: float  # the lowest grade with a positive label


class Grades(NamedTuple):
    """What is known about grades besides labels."""

    lowest: float  # that of relevant documents
    rows: Any = None  # the grade of each row, nan for documents without judgment; None for y_true
    groups: Any = None  # the groups whose judged documents are counted
    judged: Judged | None = None  # how many have which grade, in this order of the groups


Named = Mapping[str, Any]  # the name of a column by its role, the names of several, or by models
NO_COLUMNS: Named = MappingProxyType({})


class Inputs(NamedTuple):
    """Everything that a caller says about the data, with names where columns have to be read.

    Public functions have these parameters, in this order and with these defaults, and make one
    value of them, in which `read_inputs` in `_enter/entry.py` replaces names by columns.
    docs/_write/parameters.py writes the first sentence of each description into the docstring of
    each function, and knows what a function has to add. The page on common options has all of it.

    Parameters
    ----------
    y_true, y_score : array-like
        The labels and the prediction scores, which each function describes.
    average : {'micro', 'macro', 'samples', 'weighted'} or None, default='macro'
        How values of classes, rows or groups are averaged; None keeps them separate. 'macro' is the
        mean over classes or groups, and 'weighted' weights this mean by the number of positives.
        'samples' is the mean over rows, where each row is a query, and 'micro' ranks all cells of
        the matrix together. With `groups`, pass 'macro', 'weighted' or None, which sorts the values
        by group.
    pos_label : int, float, bool or str, default=1
        The label of the positive class. If `y_score` is high for the other class, negate it, as in
        ``pos_label=0`` with ``-y_score``. If neither of two labels in `y_true` is `pos_label`, you
        get a ValueError. For multilabel and multiclass `y_true`, `pos_label` must be 1.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for. Samples of
        weight 0 are left out.
    zero_division : {'warn', 0.0, 1.0, nan}, default='warn'
        The value if there are no positives; nan leaves it out of the mean. 'warn' returns 0.0 with
        a warning.
    classes : array-like of shape (n_classes,), default=None
        For multiclass `y_true`, the class of each column of prediction scores. By default, the
        columns of a table stand for the classes that they are named after. Otherwise, the classes
        are the sorted labels in `y_true`, so pass `classes` if a label may be missing there.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts. By
        default, all positives are in `y_true`. With `groups`, a group that has positives in the
        mapping but no rows gets 0. Without `groups`, pass one count per column, or with
        average='samples', one per row. If the columns have names, you can also pass a mapping or
        pandas Series from names to counts. If the classes in the table aren't sorted, you must.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately. Groups can be any
        hashable objects, in any order, and `y_true` must be binary. To name groups by several
        columns, pass a 2-D array, DataFrame or tuple of arrays, or with `data`, a list of names.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each sample, such as its patient, as the sampling unit. Clusters don't change
        values, only intervals and tests. With `groups`, a cluster can consist of whole groups, such
        as all queries of a user, which then vary together. If clusters have samples in several
        groups, the groups are fixed, like classes. Clusters can be named by several columns, as
        groups can.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades. With 2, the positives
        are `y_true >= 2`. `y_true` must then be one column of numbers, and you can't pass
        `pos_label` or `classes`.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays. It can be a
        DataFrame or LazyFrame of pandas, polars, narwhals or Spark, a DuckDB relation, an Ibis or
        PyArrow table, a PyArrow dataset, a path to Parquet files, or one of Hugging Face's
        `datasets`. If a table isn't in memory, only the columns that you name are read, once.
        Tables of :mod:`sklearn_ap.readers` know their columns, so you don't name them.
    """

    y_true: Any = None
    y_score: Any = None
    average: Average | None = "macro"
    pos_label: Label = 1
    sample_weight: ArrayLike | None = None
    zero_division: ZeroDivision = "warn"
    classes: ArrayLike | None = None
    n_positives: NPositives = None
    groups: ArrayLike | None = None
    clusters: ArrayLike | None = None
    min_grade: float | None = None
    data: Any = None  # a table, or a mapping from models to tables
    besides: Mapping[str, Any] = NO_COLUMNS  # columns that only this function has, by their roles
    caller: str = ""  # the function, as errors call it
    model: Any = None  # the name of the model, if there are several
    memo: Memo | None = None  # of what models and metrics share
    # What is known once the columns have been read, which then stand in place of their names
    column_names: Mapping[str, Any] = NO_COLUMNS  # of what was read from a table, by the roles
    graded: Grades | None = None  # None if the caller only knows labels
    only_retrieved: bool = False  # whether the table lacks the candidates that weren't retrieved

    @classmethod
    def of_call(cls, arguments: Mapping[str, Any], caller: str, **others: Any) -> Self:
        """Return what the arguments of a function, as its `locals()` has them, say about the data.

        `others` are fields for which the function has other names.
        """
        said = {name: arguments[name] for name in _PARAMETERS if name in arguments}
        said.update(others)
        return cls(**said, caller=caller)

    def read_once(self, what: Hashable, objects: Sequence[Any], read: Callable[[], T]) -> T:
        """Read objects, unless it was done for another model or metric."""
        return read() if self.memo is None else self.memo.once(what, objects, read)

    def read_first_model(self, what: Hashable, read: Callable[[], T]) -> tuple[Self, T]:
        """Read the first of several models of one table. Return its inputs, too, which are `self`
        unless it was read before. Other models only have other prediction scores.
        """
        of_table = [value for name, value in self._asdict().items() if name not in _MODEL_FIELDS]
        return self.read_once(what, of_table, lambda: (self, read()))

    def select_model(self, model: Any, y_score: Any = None) -> Self:
        """Return what was said about one of several models, whose scores are y_score."""
        names = dict(self.column_names)
        of_models = names.pop("y_score", {})
        if model in of_models:
            names["y_score"] = of_models[model]
        return self._replace(y_score=y_score, column_names=names, model=model)

    @property
    def positive(self) -> PositiveClass:
        if self.graded is not None and self.graded.rows is None:  # of which all others are counted
            return PositiveClass.of(self.pos_label, self.graded.lowest)
        return PositiveClass.of(self.pos_label, self.min_grade)


# The parameters about the data, which `data` follows.
SHARED = Inputs._fields[: Inputs._fields.index("data")]
_PARAMETERS = (*SHARED, "data")
_MODEL_FIELDS = ("y_score", "column_names", "model")  # what differs between the models of a table
_FUNCTIONS_WITH_ALL = ("confidence_interval", "compare", "report")


def find_missing_parameters(function: str) -> Mapping[str, str]:
    """Return which parameters a public function doesn't take, and why, for errors and the guide.

    Functions that aren't listed return values, so they have no use for clusters.
    """
    first, *others = read_toml("_inputs/inputs.toml")["without"]  # the first one is of clusters
    rows = [row for row in (first, *others) if function in row["functions"]]
    if not rows and function not in _FUNCTIONS_WITH_ALL:
        rows = [first]
    return {name: row["why"] for row in rows for name in row["parameters"]}


def find_needed_parameters(function: str, parameters: Collection[str]) -> frozenset[str]:
    """Return what a public function with these parameters needs, unless its table knows it."""
    needed = {"y_true", "y_score", "y_score_a"}
    if function == "mean_average_precision_score":
        needed.add("groups")
    return frozenset(needed.intersection(parameters))


# What can be the name of a column. Some functions have ids.
COLUMNS = ("y_true", "y_score", "sample_weight", "groups", "clusters", "ids", "by")
COMBINABLE_ROLES = "groups", "clusters", "by"  # several columns can name, by tuples that occur

# What a `metric()` can contain besides the options of its definition.
DATA_OPTIONS = tuple(name for name in SHARED if name not in ("y_true", "y_score", "clusters"))
