"""Compare what a function did with what a definition says, and write down what differs."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from ..._core import Array, capitalize
from ..recipes import Recipe
from ..wording import list_first, shorten_text, write_value
from .battery import ASPECTS, Call, CallLog
from .search import Recognition, compute, equals, fits

_MAX_FINDINGS = 2  # printed in full
_MAX_LISTED = 3
_MAX_FINDING_WIDTH = 110
_MAX_SHOWN_ERROR = 50

_ASPECTS_OF_SCORES = ("other scores", "close scores", "other types")


@dataclass(frozen=True)
class Finding:
    """What an audit found about one aspect.

    Attributes
    ----------
    aspect, finding : str
        What was examined, and what the function does.
    agrees : bool or None
        Whether the definition does the same; None if it couldn't be compared.
    y_true, y_score : list or None
        The smallest ranking that shows the difference.
    value, expected : float or None
        The values of the function, nan if it has none, and of the definition.
    """

    aspect: str
    finding: str
    agrees: bool | None
    y_true: list[Any] | None = None
    y_score: list[Any] | None = None
    value: float | None = None
    expected: float | None = None

    def __str__(self) -> str:
        return f"{ASPECTS[self.aspect]}: {self.finding}"


class Agreement:
    """What a function did, compared with a definition, the reference, in each aspect."""

    def __init__(self, log: CallLog, recognition: Recognition, reference: Recipe) -> None:
        self.log, self.recognition, self.reference = log, recognition, reference
        self.n_tried = self.n_equal = 0
        self.explained: set[str] = set()  # aspects in which the recognized mistake says it all
        both = log.calls["values"] + log.calls["ties"]
        # Rankings of both classes without a number
        self.failed = [
            call
            for call, is_right in zip(both, fits(reference, both), strict=True)
            if not call.is_number and not is_right
        ]
        failures = [self._describe_failures(len(both))] if self.failed else []
        self.rows = (*failures, *filter(None, map(self._compare, ASPECTS)))

    @property
    def differences(self) -> list[Finding]:
        return [row for row in self.rows if row.agrees is False]

    @property
    def unexplained(self) -> list[Finding]:
        """What differs from what the function was recognized as, with its mistakes."""
        return [row for row in self.differences if row.aspect not in self.explained]

    def _describe_failures(self, n_tried: int) -> Finding:
        """Say for which rankings of both classes there is no number."""
        self.n_tried += len(self.failed)
        results = [call.result for call in self.failed]
        text = shorten_text(max(results, key=results.count), _MAX_SHOWN_ERROR)
        smallest = min(self.failed, key=lambda call: call.labels.size)
        largest = max(call.labels.size for call in self.failed)
        counted = [call.labels.size for call in self.log.select(*ASPECTS)]
        if largest < min(counted, default=0):
            text += f" for up to {largest} samples"
        text += f" (in {len(self.failed)} of {n_tried} rankings)"
        return Finding("failures", text, False, *smallest.lists, nan, None)

    def _compare(self, aspect: str) -> Finding | None:
        failed = {call.place for call in self.failed if call.aspect == aspect}
        calls = [call for call in self.log.calls.get(aspect, ()) if call.place not in failed]
        if not calls:
            is_skipped = aspect in self.log.skipped
            return Finding(aspect, "not tried, for lack of time", None) if is_skipped else None
        if self.reference.definition.needs_threshold and aspect in _ASPECTS_OF_SCORES:
            return Finding(aspect, "not compared, as the threshold is a probability", None)
        recipe, start = self.recognition.recipe, ""
        if aspect == "weights":
            rule = self.reference.definition.rule
            if rule.k is not None or rule.grid == "float" or not rule.takes_weights:
                reason = "not compared, as there is no definition with weights"
                return Finding(aspect, reason, None)
            known = recipe or self.reference
            is_ignored = bool(fits(known, calls, is_weighted=False).all())
            if known.tie_order is not None and not is_ignored:
                return Finding(aspect, "not compared, as ties are ranked one by one", None)
            start = "ignored, " * is_ignored
        is_right, expected = fits(self.reference, calls), compute(self.reference, calls)[:, 0]
        if calls[0].plain is not None:  # The value of the ranking as it is is right, too.
            expected = np.array([self.log.get_plain(call).value for call in calls])
            is_right |= equals(np.array([call.value for call in calls]), expected)
        is_explained = recipe is not None and (fits(recipe, calls) | is_right).all()
        if is_explained and aspect not in ("repeated calls", "weights"):
            self.explained.add(aspect)
        if aspect != "repeated calls":
            self.n_tried += is_right.size
            self.n_equal += int(is_right.sum())
        return self._write(calls, is_right, expected, start)

    def _write(self, calls: list[Call], is_right: Array, expected: Array, start: str) -> Finding:
        """Write a finding, with the smallest ranking that differs."""
        aspect, wrong = calls[0].aspect, np.flatnonzero(~is_right)
        if not wrong.size:
            return Finding(aspect, "nothing differs", True)
        place = min(wrong, key=lambda place: (not calls[place].is_number, calls[place].labels.size))
        call, should = calls[place], float(expected[place])
        text = _write_difference(call, should)
        recipe = self.recognition.recipe
        is_order = bool(recipe and recipe.tie_order and not recipe.mistakes)
        word = "different" if is_order and aspect in ("ties", "many samples") else "wrong"
        n_wrong = f"({word} in {wrong.size} of {len(calls)} rankings)"
        has_one_result = len({calls[place].result for place in wrong}) == 1
        if aspect == "no positives" and has_one_result:
            hint = ", as with zero_division=nan" if call.result == "nan" else ""
            text = f"{start}{text}{hint}"
        elif call.error:
            text = f"{start}{text} {n_wrong}, as for {call.write_ranking()}"
        else:
            text = f"{start}{call.write_ranking()} gives {text} {n_wrong}"
        return Finding(aspect, text, False, *call.lists, call.value, should)

    def write_title(self) -> str:
        """Say what the function computes."""
        recognition, recipe = self.recognition, self.recognition.recipe
        if recognition.failure:
            return recognition.failure
        if recipe is None:
            title = self.reference.definition.title
            return f"No known definition has half of its values. It isn't {title}."
        same = f"the same in {self.n_equal:,} of {self.n_tried:,} rankings"
        if recognition.is_nearest:
            return f"No known definition. The nearest is {recipe.phrase}: {same}."
        text = capitalize(recipe.phrase)
        if self.failed:
            text += ", where it returns a number"
        is_as_defined = not recipe.mistakes and not self.differences
        text += f": {same}." if is_as_defined else "."
        if not recipe.definition.is_average_precision:
            text += " It isn't average precision."
        return text

    def list_lines(self) -> list[str]:
        """Return where the function differs, and what else the calls have shown."""
        if self.recognition.failure:
            return []
        explained = [row for row in self.differences if row.aspect in self.explained]
        shown = [*explained[:1], *self.unexplained][:_MAX_FINDINGS]
        lines = [capitalize(shorten_text(f"{row}.", _MAX_FINDING_WIDTH)) for row in shown]
        others = [ASPECTS[row.aspect] for row in self.unexplained if row not in shown]
        if others:
            lines.append(f"It also differs {list_first(others, _MAX_LISTED)}.")
        skipped = [words for aspect, words in ASPECTS.items() if aspect in self.log.skipped]
        if skipped:
            listed = list_first(skipped, _MAX_LISTED)
            lines.append(f"It is slow, so few or no rankings were tried {listed}.")
        return lines


def _write_difference(call: Call, expected: float) -> str:
    returned, right = write_value(call.value), write_value(expected)
    if returned == right:  # More decimals differ.
        returned, right = repr(call.value), repr(expected)
    if call.error:
        returned = shorten_text(call.error, _MAX_SHOWN_ERROR)
    return f"{returned} instead of {right}"
