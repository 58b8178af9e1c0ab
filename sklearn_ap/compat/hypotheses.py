"""What a function may compute: a definition, with a mistake or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from ..core.cutoff import Cut
from ..core.ragged import Array
from ..core.rules import AveragePrecisionAtK, RPrecision
from .call_log import Call
from .call_values import ALL_ROWS, CallValues, are_equal
from .mistakes import NO_MISTAKE, SAME_VALUE, Mistake, OtherCall, ValueChange
from .readings import Reading
from .tie_orders import Order
from .variant_rules import AveragePrecisionAtR
from .variants import Variant

# What each denominator of AP@k divides by
_DIVISORS = {
    "min": "{k} or the number of positives, whichever is smaller",
    "relevant": "the number of positives",
    "k": "{k}",
    "hits": "the number of positives among them",
}
_SUM_OVER_ALL_ROWS = AveragePrecisionAtK(ALL_ROWS, denominator="k")


@dataclass(frozen=True)
class Hypothesis:
    """What a function may compute: a definition, of rankings that a mistake has changed.

    Everything that is said of a function is one, and `is_true_of` says which calls bear it out.
    """

    variant: Variant
    mistake: Mistake = NO_MISTAKE
    value_change: ValueChange = SAME_VALUE
    tolerance: float = 0.0  # in addition to that of the audit
    least: int = 0  # samples, for fewer of which nothing is said
    most: float = inf  # samples, for more of which nothing is said
    other_class: OtherCall | None = None  # if it's the mean over both classes

    def is_true_of(self, calls: Sequence[Call], tolerance: float) -> Array:
        """Whether each value is the one that a function which does this returns."""
        if not calls:
            return np.zeros(0, dtype=bool)
        return self.is_equal_to(ChangedCalls(calls, self.mistake), tolerance)

    def is_equal_to(self, changed: ChangedCalls, tolerance: float) -> Array:
        """Whether each value is that of the definition for changed calls."""
        allowed = tolerance + self.tolerance + self.value_change.tolerance
        undone = self.value_change.undo(changed.returned)
        values = changed.values.with_values(undone, allowed)
        if self.other_class is None:
            is_equal = values.is_equal_to(self.variant)
        else:
            of_class = values.compute_values(self.variant)
            others = CallValues([*map(self.other_class, changed.calls)], allowed)
            of_both = (of_class + others.compute_values(self.variant)) / 2
            is_equal = are_equal(undone, of_both, allowed)
        # Without the positives that were left out, a value may be undefined.
        is_equal |= changed.has_lost_positives & np.isnan(changed.returned)
        is_few = (changed.sizes < self.least) & changed.had_positives
        return np.asarray(is_equal | is_few | (changed.sizes > self.most))

    def with_order(self, order: Order) -> Hypothesis:
        return replace(self, variant=replace(self.variant, order=order))

    @property
    def mistakes(self) -> list[str]:
        """What is done to the definition, in words."""
        words = (self.variant.rule_mistake, self.mistake.words, self.value_change.words)
        return [*filter(None, words)]

    @property
    def has_mistake(self) -> bool:
        return bool(self.mistakes)

    @property
    def is_limited(self) -> bool:
        """Whether it's true of some sizes only."""
        return self.least > 0 or self.most < inf

    @property
    def is_average_precision(self) -> bool:
        return self.variant.is_average_precision and not self.variant.has_threshold

    @property
    def definition(self) -> str:
        """The definition alone, without what has words of its own, such as the order of ties."""
        plain = replace(
            self.variant.intended, order=Order.GROUPED, reading=Reading.EXACT, empty=0.0
        )
        return "AP@n / k" if plain.rule == _SUM_OVER_ALL_ROWS else plain.name

    @property
    def name(self) -> str:
        """The definition, what its letters mean, and what is counted in another way."""
        name = "step average precision" if self.definition == "step" else self.definition
        if meaning := self._explain_letters():
            name += f" ({meaning})"
        mistake = self.variant.rule_mistake
        return f"{name}, {mistake}" if mistake else name

    def _explain_letters(self) -> str:
        """Say what the letters in the name of the definition stand for; empty if it has none."""
        match self.variant.intended.rule:
            case AveragePrecisionAtK(k=k, denominator=divisor):
                if k == ALL_ROWS:
                    return "the sum over all n samples, divided by n"
                is_share = Cut(k).is_share
                top = f"{100 * k:g}%" if is_share else f"{k:,}"
                number = "their number" if is_share else top
                return f"of the top {top}, divided by {_DIVISORS[divisor].format(k=number)}"
            case AveragePrecisionAtR() | RPrecision():
                return "R is the number of positives"
        return ""

    @property
    def phrase(self) -> str:
        """What is computed, as a part of a sentence."""
        return self.value_change.phrase(self.mistake.phrase(self.name))

    @property
    def sentence(self) -> str:
        text = self.phrase
        has_own_capitals = text[1].isupper()  # as nDCG
        return text if has_own_capitals else f"{text[0].upper()}{text[1:]}"


class ChangedCalls:
    """Calls whose rankings a mistake has changed."""

    def __init__(self, calls: Sequence[Call], mistake: Mistake) -> None:
        self.sizes = np.array([call.labels.size for call in calls])
        self.calls = [mistake.change(call) for call in calls]
        self.values = CallValues(self.calls, 0.0)
        self.returned = self.values.values
        self.had_positives = np.array([call.labels.any() for call in calls], dtype=bool)
        has_positives = np.array([call.labels.any() for call in self.calls], dtype=bool)
        self.has_lost_positives = self.had_positives & ~has_positives
