"""The names of definitions, what their terms mean, and how common they are."""

from collections.abc import Callable, Iterable, Iterator
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
    """A rule without its cut-off k, which is passed later."""

    name: str
    make: Callable[..., Rule]


@dataclass(frozen=True)
class _Word:
    """What a kind of rule is called, and how rarely it is reported: 0 for the usual ones."""

    name: Callable[[Any], str]
    rarity: int


def _cut(cut: Cut) -> str:
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
RARITY = {kind: word.rarity for kind, word in _WORDS.items()}


def name_of(rule: Rule | OfK) -> str:
    """Return the short name of a rule, with its options."""
    return rule.name if isinstance(rule, OfK) else _WORDS[type(rule)].name(rule)


# Terms that names contain. If a name contains overlapping terms, the longest one counts.
_MEANINGS = {
    "float grid": "recall levels are floats such as 0.30000000000000004, which a recall of 3/10 "
    "does not reach",
    "with (0, 1)": "recall 0 counts with precision 1, the point that precision_recall_curve adds "
    "only for drawing",
    "levels rounded": "the positives that each recall level needs are rounded to a whole number",
    "levels rounded up": "the positives that each recall level needs are rounded up to a whole "
    "number",
    "curved": "the area under a curve along which positives and negatives mix evenly between two "
    "points",
    "ties by row": "tied samples are ranked one by one, in the order of your rows",
    "ties by row, last first": "tied samples are ranked one by one, the last of your rows first",
    "ties by id": "tied samples are ranked by document id, the last id first; you passed no ids, "
    "so the row shows the range over all orders",
    "ties by your ids": "tied samples are ranked by the ids that you passed, the last id first",
    "ties in any order": "tied samples are ranked one by one in an order that is not known, so the "
    "row shows the range over all orders",
    "ties expected": "the mean over all orders of the tied samples",
    "ties best": "among tied samples, positives are ranked first",
    "ties worst": "among tied samples, positives are ranked last",
}


def explained(names: Iterable[str]) -> Iterator[str]:
    """Explain each technical term in these names in one sentence."""
    terms: dict[str, None] = {}
    for name in names:
        found = [term for term in _MEANINGS if term in name]
        longest = (t for t in found if not any(t != other and t in other for other in found))
        terms |= dict.fromkeys(longest)
    return (f'"{term}": {_MEANINGS[term]}.' for term in _MEANINGS if term in terms)
