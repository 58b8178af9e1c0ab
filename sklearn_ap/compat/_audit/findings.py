"""Compare what a function did with what a definition says, and write down what differs."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from ..._core import Array, capitalize
from ..recipes import Recipe
from ..wording import list_first, shorten_text, write_value
from .calls import ASPECTS, Call, CallLog, name_aspect
from .search import Batch, Recognition

_MAX_SHRINKING_CALLS = 300
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
        self.failed: list[Call] = []  # rankings of both classes without a number
        self.compared: list[Call] = []
        for call in log.calls:
            if self._has_failed(call):
                self.failed.append(call)
            else:
                self.compared.append(call)
        rows = [self._describe_failures(), *map(self._compare, ASPECTS)]
        self.rows = tuple(row for row in rows if row is not None)

    @property
    def differences(self) -> list[Finding]:
        return [row for row in self.rows if row.agrees is False]

    @property
    def unexplained(self) -> list[Finding]:
        """What differs from what the function was recognized as, with its mistakes."""
        return [row for row in self.differences if row.aspect not in self.explained]

    def _has_failed(self, call: Call) -> bool:
        if call.is_number or call.aspect not in ("values", "ties"):
            return False
        return not Batch([call]).fits(self.reference).all()

    def _describe_failures(self) -> Finding | None:
        """Say for which rankings of both classes there is no number."""
        if not self.failed:
            return None
        self._count(np.zeros(len(self.failed), dtype=bool))
        results = [call.result for call in self.failed]
        text = shorten_text(max(results, key=results.count), _MAX_SHOWN_ERROR)
        smallest = min(self.failed, key=lambda call: call.labels.size)
        largest = max(call.labels.size for call in self.failed)
        counted = [call.labels.size for call in self.log.calls if call.is_number]
        if largest < min(counted, default=0):
            text += f" for up to {largest} samples"
        n_tried = sum(call.aspect in ("values", "ties") for call in self.log.calls)
        text += f" (in {len(self.failed)} of {n_tried} rankings)"
        return Finding("failures", text, False, *smallest.lists, nan, None)

    def _compare(self, aspect: str) -> Finding | None:
        calls = [call for call in self.compared if call.aspect == aspect]
        if not calls:
            is_skipped = aspect in self.log.skipped
            return Finding(aspect, "not tried, for lack of time", None) if is_skipped else None
        if aspect == "weights":
            return self._compare_weights(calls)
        if self.reference.definition.needs_threshold and aspect in _ASPECTS_OF_SCORES:
            return Finding(aspect, "not compared, as the threshold is a probability", None)
        batch = Batch(calls)
        is_right, expected = batch.fits(self.reference), batch.compute(self.reference)
        if not calls[0].is_plain:  # The value of the ranking's plain form is right, too.
            expected = np.array([self.log.plain[call.place].value for call in calls])
            is_right |= batch.equals(expected)
        if aspect != "repeated calls":
            recipe = self.recognition.recipe
            if recipe is not None and (batch.fits(recipe) | is_right).all():
                self.explained.add(aspect)
            self._count(is_right)
        return self._write(calls, is_right, expected)

    def _compare_weights(self, calls: list[Call]) -> Finding:
        rule = self.reference.definition.rule
        if rule.k is not None or rule.grid == "float" or not rule.takes_weights:
            return Finding("weights", "not compared, as there is no definition with weights", None)
        recipe = self.recognition.recipe or self.reference
        unweighted = Batch([call._replace(weight=None) for call in calls])
        is_ignored = bool(unweighted.fits(recipe).all())
        if recipe.tie_order is not None and not is_ignored:
            return Finding("weights", "not compared, as ties are ranked one by one", None)
        batch = Batch(calls)
        is_right = batch.fits(self.reference)
        self._count(is_right)
        start = "ignored, " if is_ignored else ""
        return self._write(calls, is_right, batch.compute(self.reference), start)

    def _count(self, is_right: Array) -> None:
        self.n_tried += is_right.size
        self.n_equal += int(is_right.sum())

    def _write(
        self, calls: list[Call], is_right: Array, expected: Array, start: str = ""
    ) -> Finding:
        """Write a finding, with the smallest ranking that differs."""
        aspect, wrong = calls[0].aspect, np.flatnonzero(~is_right)
        if not wrong.size:
            return Finding(aspect, "nothing differs", True)
        place = min(wrong, key=lambda place: calls[place].labels.size)
        call, should = calls[place], float(expected[place])
        if call.is_plain:
            call = self._shrink(call)
            should = float(Batch([call]).compute(self.reference)[0])
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

    def _shrink(self, call: Call) -> Call:
        """Leave out ever fewer samples, then decimals, as long as the function still differs."""
        n_left_out = call.labels.size // 2
        start = n_tries = 0
        while n_left_out and n_tries < _MAX_SHRINKING_CALLS:
            rows = np.s_[start : start + n_left_out]
            labels, scores = np.delete(call.labels, rows), np.delete(call.scores, rows)
            smaller = self._retry(call, labels, scores)
            n_tries += 1
            if smaller is None:
                start += n_left_out
            else:
                call = smaller
            if start >= call.labels.size:
                start, n_left_out = 0, n_left_out // 2
        for decimals in (1, 2, 3, 4):
            rounded = self._retry(call, call.labels, np.round(call.scores, decimals))
            if rounded is not None:
                return rounded
        return call

    def _retry(self, call: Call, labels: Array, scores: Array) -> Call | None:
        """Call the function with another ranking of the aspect, and return it if it differs."""
        if not labels.size or not self.log.can_retry:
            return None
        if name_aspect(labels, scores) != name_aspect(call.labels, call.scores):
            return None
        retried = self.log.call(call._replace(labels=labels, scores=scores))
        if call.is_number and not retried.is_number:
            return None
        return None if Batch([retried]).fits(self.reference).all() else retried

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
