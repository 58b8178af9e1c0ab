"""What an audit recognizes in the values of a function, or why nothing was ranked."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.rules import Step
from .call_log import CallLog
from .call_values import ORDERS_OF_ROWS
from .hypotheses import Hypothesis
from .mistakes import SINGLE_PRECISION, Mistake
from .tie_orders import Order
from .variants import Variant

KNOWN_ORDERS = (Order.GROUPED, *ORDERS_OF_ROWS, Order.EXPECTED, Order.BEST, Order.WORST)


@dataclass(frozen=True)
class PermanentFailure:
    """Nothing is known of a function but its error."""

    error: str  # the most frequent one, after a colon
    which: str  # the calls that fail, in words


@dataclass(frozen=True)
class SizeLimit:
    """The most samples for which a function has a value."""

    most: int
    returned: str  # for more samples, in words
    error: str  # of more samples, after a colon; empty if there is none
    is_exact: bool  # whether one more sample is too many; otherwise sizes between weren't tried


@dataclass(frozen=True)
class ConstantValue:
    """A function returns one value for every ranking without ties."""

    returned: str
    needs_both_classes: bool  # because rankings of one class have other values
    has_no_positives: bool  # perhaps: no ranking has another value than 0 or nan


@dataclass(frozen=True)
class Recognition:
    """The hypothesis that fits what a function did, or why nothing was ranked."""

    log: CallLog
    tolerance: float
    size_limit: SizeLimit | None = None
    hypothesis: Hypothesis | None = None
    order: Order | None = Order.GROUPED  # of ties; None if it isn't known
    is_between: bool = False  # of the values of the best and the worst order
    misreading: Mistake | None = None  # of scores of other forms; None if as they are
    failure: PermanentFailure | ConstantValue | None = None
    is_like: bool = False  # whether it is only the nearest definition
    alternatives: tuple[str, ...] = ()  # to the hypothesis, which nothing tried tells apart

    @property
    def computed_variant(self) -> Variant:
        """What the function computes, or else step."""
        return Variant(Step()) if self.hypothesis is None else self.hypothesis.variant

    @property
    def assumed_order(self) -> Order:
        return self.order if self.order in KNOWN_ORDERS else Order.GROUPED

    @property
    def has_tied_order(self) -> bool:
        """Whether something is known of tied samples, which aren't counted as one point."""
        return self.is_between or self.order not in (None, Order.GROUPED)

    @property
    def is_single(self) -> bool:
        """Whether scores are read in single precision."""
        return self.misreading is SINGLE_PRECISION
