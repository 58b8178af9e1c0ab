"""What is said about values and differences of models, and how surely."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import Rankings, Rule, check, is_finite
from ..exceptions import InvalidParameterError
from .comparison import compare_variations, decide_verdict
from .textbook import ROUNDING, TTest, compute_reach, count_equal
from .units import SamplingUnits, make_plural, make_word, write_count
from .unsampled import compute_interval
from .variation import Variation

MIN_UNITS = 6  # With fewer equal units with positives, intervals are very wide.
_MIN_GROUPS = 5  # whose values themselves show how much these vary
_MIN_CROSSED = 3  # With two seeds, or other units of another kind, intervals may be too narrow.


@dataclass(frozen=True)
class Claims:
    """What is said about differences, and how surely."""

    rule: Rule
    level: float
    margin: float | None = None
    n_comparisons: int = 1  # how many differences p and intervals are adjusted for
    n_segments: int = 1  # how many segments the intervals of values are adjusted for

    def __post_init__(self) -> None:
        check(confidence_level=self.level)
        low, high = self.rule.limits
        check_margin(self.margin, high - low)

    def choose_baseline(
        self, variations: Mapping[Any, Variation], baseline: Any
    ) -> tuple[Any, str]:
        """Return the baseline, or without one the first model whose value is the best but for
        rounding, and its role, which stands in place of a verdict. It says "highest" or "lowest",
        since "best" would be read as significantly better.
        """
        if baseline is not None:
            return baseline, "baseline"
        values = np.array([each.value for each in variations.values()])
        best, role = values.max(), "highest"
        if not self.rule.greater_is_better:
            best, role = values.min(), "lowest"
        is_best = np.abs(values - best) <= ROUNDING * np.abs(values).max()
        return [*variations][int(np.argmax(is_best))], role

    def judge(self, a: Variation, b: Variation) -> tuple[TTest, str]:
        """Test the difference of model `a` from the baseline `b`, and decide on the verdict."""
        test = compare_variations(a, b, self.level, self.n_comparisons)
        return test, decide_verdict(test, self.margin, self.rule.greater_is_better)

    def list_notes(
        self, variation: Variation, units: SamplingUnits, least_margin: float
    ) -> list[str]:
        """Say if few units tell how much differences vary, of models such as this one, and if the
        margin can't be shown.
        """
        level = 1 - (1 - self.level) / self.n_comparisons
        notes = note_variation(variation, units, level, varies=True)
        if self.margin is not None and self.margin <= least_margin:
            least = np.format_float_positional(least_margin, 2, fractional=False, trim="-")
            are_some = least_margin < variation.largest_difference
            which = f"margin below {least}" if are_some else "margin"
            notes.append(f"With {variation.basis}, no {which} can be shown.")
        return notes


def check_margin(margin: float | None, largest: float = np.inf) -> None:
    """Refuse a margin that isn't a difference that models can have."""
    if margin is not None and not (is_finite(margin) and 0 < margin < largest):
        raise InvalidParameterError(f"margin must be above 0 and below {largest}. Got {margin!r}.")


def check_baseline(baseline: Any, models: Mapping[Any, Any]) -> None:
    """Refuse a baseline that is none of the models."""
    if not isinstance(baseline, Hashable) or baseline not in models:
        what = f"is none of the models {[*models]}"
        if not models:
            what = "is for a dict or list of models: of two, y_score_b is the baseline"
        raise ValueError(f"baseline={baseline!r} {what}.")


# --- notes ----------------------------------------------------------------------------------------


def note_value(variation: Variation, units: SamplingUnits, level: float) -> list[str]:
    """Say if few units tell how much a value varies, or all are copies, or if a random ranking is
    clearly better.
    """
    notes = note_variation(variation, units, level, variation.varies)
    if variation.has_copies:
        word = units.group_word if units.cluster_codes is None else units.cluster_word
        notes = [f"All {make_plural(word)} have the same scores, so the interval is a point."]
    if compute_interval(variation, 0.99)[1] < variation.chance * (1 - ROUNDING):
        notes.append("Worse than random: negate the scores, or choose the other pos_label.")
    return notes


def note_variation(
    variation: Variation, units: SamplingUnits, level: float, varies: bool
) -> list[str]:
    """Say if a value varies over few units, or over two seeds, or other units of another kind."""
    least = _MIN_GROUPS if variation.method == "groups" else MIN_UNITS
    word = units.group_word if variation.method == "groups" else "positive"
    if units.cluster_codes is not None:
        word = units.cluster_word
    few = [each for each in variation.crossed if each.n_effective < _MIN_CROSSED]
    return note_few(variation.n_effective, least, word, level, varies) + [
        f"{each.basis} are too few: intervals may be too narrow, and p too small." for each in few
    ]


def note_units(samples: Rankings, column: Any, level: float) -> tuple[str, ...]:
    """Say what intervals and promises of rates rest on, and if clusters with positives are few."""
    if samples.group_codes is None or samples.names is None:
        return (f"Sampling units: {write_count(samples.labels.size, 'row')}.",)
    word = make_word(column, "cluster")
    n_positives = np.bincount(samples.group_codes[samples.labels])
    few = note_few(count_equal(n_positives), MIN_UNITS, word, level)
    return f"Sampling units: {write_count(len(samples.names), word)}.", *few


def note_few(u: float, least: int, word: str, level: float, varies: bool = True) -> list[str]:
    """Say if so many equal units are few, and how much wider that makes a t interval."""
    if round(u, 9) >= least or u == 0:
        return []
    few = f"Only 1 {word}" if u == 1 else f"{u:g} {make_plural(word)} are few"
    if u % 1:
        few = f"Unequal {make_plural(word)} count only as much as {u:.3g} equal ones"
    if u == 1 or not varies:
        return [f"{few}: nothing shows how much results vary."]
    times = compute_reach(1.0, u - 1, level) / compute_reach(1.0, np.inf, level)
    wider = f"{times:.2g}" if times < 100 else "over 100"
    return [f"{few}, which makes intervals {wider} times as wide."]
