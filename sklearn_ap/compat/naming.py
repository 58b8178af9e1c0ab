"""What numbers are called, and how common they are."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..core.cutoff import Cut
from ..core.rules import AtK, Envelope, Linear, NPoint, PrecisionAtK, RecallAtK, Rule, Step
from .rules import (
    Curved,
    FloatGrid,
    MeanOfPrecisions,
    RocArea,
    RoundedLevels,
    StepOfFirst,
    WithArtificialPoint,
)


@dataclass(frozen=True)
class OfK:
    """A rule that lacks its k."""

    name: str
    make: Callable[..., Rule]

    def __call__(self, k: float) -> Rule:
        return self.make(k=k)


@dataclass(frozen=True)
class _Word:
    """How a kind of rule is called, and how seldom it is what somebody reports: 0 for the usual."""

    name: Callable[[Any], str]
    rarity: int


def _cut(cut: Cut | None) -> str:
    assert cut is not None
    return f"{cut} rows" if cut.by_rows else f"{cut}"


_WORDS: dict[type[Rule], _Word] = {
    Step: _Word(lambda rule: "step", 0),
    Envelope: _Word(lambda rule: "envelope", 1),
    NPoint: _Word(lambda rule: f"{rule.n_points}-point", 1),
    Linear: _Word(lambda rule: "linear", 1),
    AtK: _Word(lambda rule: f"AP@{_cut(rule.depth)} / {rule.denominator}", 1),
    FloatGrid: _Word(lambda rule: f"{rule.n_points}-point, float grid", 2),
    RoundedLevels: _Word(lambda rule: f"11-point, levels {rule.rounded}", 2),
    Curved: _Word(lambda rule: "curved", 2),
    StepOfFirst: _Word(lambda rule: f"step of the {rule.depth} best rows", 2),
    PrecisionAtK: _Word(lambda rule: f"precision@{_cut(rule.depth)}", 2),
    RecallAtK: _Word(lambda rule: f"recall@{_cut(rule.depth)}", 2),
    RocArea: _Word(lambda rule: "area under the ROC curve", 2),
    WithArtificialPoint: _Word(lambda rule: f"{name_of(rule.of)}, with (0, 1)", 3),
    MeanOfPrecisions: _Word(lambda rule: f"mean of P@1 to P@{rule.k}", 3),
}

NAMED = tuple(_WORDS)


def name_of(rule: Rule | OfK) -> str:
    """The short name of a rule, with its options."""
    return rule.name if isinstance(rule, OfK) else _WORDS[type(rule)].name(rule)


def rarity_of(rule: Rule) -> int:
    return _WORDS[type(rule)].rarity
