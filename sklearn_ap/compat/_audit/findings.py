"""Compare what a function did with what a definition says, and write down what differs."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from ..recipes import Recipe
from ..wording import shorten_text, write_value
from .battery import ASPECTS, Call, CallLog
from .search import compute, equals, fits

_MAX_WRITTEN = 4  # samples
_MAX_SHOWN_ERROR = 50


@dataclass(frozen=True)
class Finding:
    """What an audit found about one aspect.

    Attributes
    ----------
    aspect, finding : str
        What was examined, and what the function does.
    agrees : bool
        Whether the definition does the same.
    y_true, y_score : list or None
        The smallest ranking that shows the difference.
    value, expected : float or None
        The values of the function, nan if it has none, and of the definition.
    """

    aspect: str
    finding: str
    agrees: bool
    y_true: list[Any] | None = None
    y_score: list[Any] | None = None
    value: float | None = None
    expected: float | None = None

    def __str__(self) -> str:
        return f"{ASPECTS[self.aspect]}: {self.finding}"


class Agreement:
    """What a function did, compared with a definition, the reference, in each aspect."""

    def __init__(self, log: CallLog, recipe: Recipe | None, reference: Recipe) -> None:
        """Take the calls, and what the function was recognized as, with its mistakes, if so."""
        self.log, self.recipe, self.reference = log, recipe, reference
        self.n_tried = self.n_equal = 0
        self.failed: list[Call] = []  # rankings of both classes without a number
        self.explained: set[str] = set()  # aspects in which the recognized mistake says it all
        rows = [row for aspect in log.calls if (row := self._compare(aspect)) is not None]
        if self.failed:
            results = [call.result for call in self.failed]
            text = shorten_text(max(results, key=results.count), _MAX_SHOWN_ERROR)
            sizes = [call.labels.size for call in self.failed]
            counted = [call.labels.size for call in log.select(*log.calls)]
            if max(sizes) < min(counted, default=0):
                text += f" for up to {max(sizes)} samples"
            n_tried = len(log.calls["values"]) + len(log.calls["ties"])
            text += f" (in {len(sizes)} of {n_tried} rankings)"
            smallest = self.failed[sizes.index(min(sizes))]
            ranking = smallest.labels.tolist(), smallest.scores.tolist()
            rows.insert(0, Finding("failures", text, False, *ranking, nan))
        self.rows = tuple(rows)
        self.differences = [row for row in rows if not row.agrees]

    def _compare(self, aspect: str) -> Finding | None:
        """Compare the calls of an aspect, and show the smallest ranking that differs."""
        calls = self.log.calls[aspect]
        is_about_scores = aspect in ("other scores", "close scores")
        if not calls or (is_about_scores and self.reference.definition.needs_threshold):
            return None
        if calls[0].plain is None:
            expected, is_right = compute(self.reference, calls)[:, 0], fits(self.reference, calls)
        else:  # They have the value of the same ranking as it is, whether that is right or not.
            expected = self.log.get_plain_values(calls)
            is_right = equals(np.array([call.value for call in calls]), expected)
        self.n_tried += len(calls)
        self.n_equal += int(is_right.sum())
        if aspect in ("values", "ties"):
            has_value = is_right | [call.is_number for call in calls]
            self.failed += [calls[place] for place in np.flatnonzero(~has_value)]
            calls = [calls[place] for place in np.flatnonzero(has_value)]
            expected, is_right = expected[has_value], is_right[has_value]
        wrong = [(calls[place], float(expected[place])) for place in np.flatnonzero(~is_right)]
        if not wrong:
            return Finding(aspect, "nothing differs", True)
        if self.recipe is not None and (fits(self.recipe, calls) | is_right).all():
            self.explained.add(aspect)

        call, should = min(wrong, key=lambda each: (not each[0].is_number, each[0].labels.size))
        value, right = call.result, write_value(should)
        if value == right:  # More decimals differ.
            value, right = repr(call.value), repr(should)
        text = f"{shorten_text(value, _MAX_SHOWN_ERROR)} instead of {right}"
        labels, scores = call.labels.tolist(), call.scores.tolist()
        if aspect == "no positives" and len({each.result for each, _ in wrong}) == 1:
            if value == "nan":
                text += ", as with zero_division=nan"
        else:
            ranking = f"a ranking of {len(labels):,} samples"
            if len(labels) <= _MAX_WRITTEN:
                ranking = f"{labels} with scores {', '.join(map(repr, scores))}"
            text = f"{ranking} gives {text} (different in {len(wrong)} of {len(calls)} rankings)"
        return Finding(aspect, text, False, labels, scores, call.value, should)
