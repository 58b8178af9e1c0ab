"""Read the samples of all models, once for all metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._enter.models import read_rows_by_model
from .._inputs.records import Inputs
from .._read.model_rows import ModelRows, list_class_names
from .._words.refusals import attribute_errors
from ..core.rankings import Rankings
from ..core.rules import Graded, GroupFunction, Rule
from .segment_results import SegmentRows, read_segment_rows


class ReadModels(NamedTuple):
    """What was read: the samples of all models, and their segments."""

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


def _make_reading_key(rule: Rule, unread: Inputs) -> tuple[Any, ...]:
    """Return all that decides what is read for a metric, and what is refused."""
    is_weighted = unread.sample_weight is not None
    decides = (rule.ties, rule.takes_weights) if is_weighted else ()
    if not isinstance(rule, Graded):
        return decides
    highest = getattr(rule, "gains", None) == "exponential"
    return *decides, type(rule), highest, isinstance(rule, GroupFunction) and rule.takes_judged


class ModelReader:
    """Reads the samples of all models, once for all metrics that need the same."""

    def __init__(self) -> None:
        self._known: dict[Any, ReadModels] = {}  # by the rule's `_make_reading_key` and the data

    def read_classes(self, rule: Rule, unread: Inputs) -> Iterator[tuple[str, ReadModels]]:
        """Yield the samples of all models, or with average=None those of each class in turn."""
        read = self._read(rule, unread)
        first = next(iter(read.rows_by_model.values()))
        if unread.average is not None or first.rankings.average == "binary":
            yield "", read
            return
        if unread.groups is not None:
            raise ValueError(
                "average=None gives one row for each class. With groups, leave average out and "
                "call per_group() on the result, which has one row for each group."
            )
        classes = [
            list(list_class_names(model_rows.rankings))
            for model_rows in read.rows_by_model.values()
        ]
        if any(of_model != classes[0] for of_model in classes):
            words = f"The models have different classes: {classes}. Pass them as classes=."
            raise ValueError(words)
        for place, name in enumerate(classes[0]):
            _check_class_found(name, place, first.rankings)
            yield f"class {name}", read.select_class(place)

    def _read(self, rule: Rule, unread: Inputs) -> ReadModels:
        """Read the samples of all models, unless they are known from another metric."""
        # Data are the same if the caller passed the same objects, however large these are.
        key = *_make_reading_key(rule, unread), *map(id, unread)
        if key not in self._known:
            if "by" in unread.besides:
                segmented = read_segment_rows(rule, unread)
                self._known[key] = ReadModels(dict(segmented.whole), segmented)
            else:
                self._known[key] = ReadModels(read_rows_by_model(rule, unread))
        return self._known[key]


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
