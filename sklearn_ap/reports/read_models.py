"""Read the rows of all models, once for all metrics."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._enter.models import read_rows_by_model
from .._inputs.records import Inputs
from .._read.model_rows import ModelRows, list_class_names, list_what_decides
from .._words.refusals import attribute_errors
from ..core.rankings import Rankings
from ..core.rules import Rule
from .segment_results import SegmentRows, read_segment_rows


class ReadModels(NamedTuple):
    """What was read: the rows of all models, and their segments."""

    rows_by_model: dict[Any, ModelRows]
    segmented: SegmentRows | None = None

    def select_class(self, place: int) -> ReadModels:
        """Return what was read of a single class, whose columns are at this place."""
        rows_by_model = {
            model: model_rows.select_class(place)
            for model, model_rows in self.rows_by_model.items()
        }
        segmented = None if self.segmented is None else self.segmented.select_class(place)
        return ReadModels(rows_by_model, segmented)


def read_each_class(rule: Rule, unread: Inputs) -> Iterator[tuple[str, ReadModels]]:
    """Yield the rows of all models, or with average=None those of each class in turn. They are read
    once for all metrics that need the same.
    """
    what = "models", *list_what_decides(rule, unread)
    read = unread.read_once(what, unread, partial(_read_rows_and_segments, rule, unread))
    first = next(iter(read.rows_by_model.values()))
    if unread.average is not None or first.rankings.average == "binary":
        yield "", read
        return
    if unread.groups is not None:
        raise ValueError(
            "average=None gives one row for each class. With groups, leave average out and "
            "call per_group() on the result, which has one row for each group."
        )
    classes = [list(list_class_names(rows.rankings)) for rows in read.rows_by_model.values()]
    if any(of_model != classes[0] for of_model in classes):
        words = f"The models have different classes: {classes}. Pass them as classes=."
        raise ValueError(words)
    for place, name in enumerate(classes[0]):
        _check_class_found(name, place, first.rankings)
        yield f"class {name}", read.select_class(place)


def _read_rows_and_segments(rule: Rule, unread: Inputs) -> ReadModels:
    if "by" not in unread.besides:
        return ReadModels(read_rows_by_model(rule, unread))
    segmented = read_segment_rows(rule, unread)
    return ReadModels(dict(segmented.whole), segmented)


@attribute_errors("y_true")
def _check_class_found(name: Any, place: int, rankings: Rankings) -> None:
    """Check that a class with a row of its own has positives."""
    n_positives = rankings.n_positives
    if n_positives is None:
        n_positives = np.count_nonzero(rankings.labels, axis=0)
    if not n_positives[place]:
        raise ValueError(
            f"No positive class found in y_true for the class {name}, so its value is undefined "
            "(0/0) and has no interval. Leave out its column, or for multiclass labels, pass the "
            "other classes as classes=."
        )
