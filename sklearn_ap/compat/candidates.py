"""What may have produced a value: variants, how rarely they are reported, and by which tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..core.cutoff import Cut
from ..core.rules import (
    NDCG,
    AveragePrecisionAtK,
    EnrichmentFactor,
    Graded,
    Linear,
    NDCGAtK,
    PrecisionAtK,
    Rule,
    Step,
)
from .data_sets import DataSet
from .level_rules import WITH_OTHER_LEVELS
from .miscounted_rules import (
    INSTEAD_OF_STEP,
    list_miscounted,
    list_miscounted_gains,
    list_miscounted_ranks,
)
from .mistakes import BOTH_CLASSES, NEGATED
from .peers import Peer, group_peers_by_variant, list_reports
from .tie_orders import Order
from .variant_rules import F1, Accuracy, MeanOfPrecisions, PrecisionAtHalf, RocArea
from .variants import Variant, list_definitions, list_step_rules, list_tie_orders

# 0 without a guess, and 2 for unusual ones
_RARITY_OF_K: dict[float | None, int] = {None: 0} | dict.fromkeys((1, 3, 5, 10, 20, 50, 100), 1)
GUESSED_KS = (*range(1, 11), 15, 20, 25, 30, 32, 50, 100)
_RARITY_OF_OTHER_K = 2  # than the one that was passed
_RARITY_OF_LABEL_METRICS = 3


class Candidate(NamedTuple):
    """What is known about a variant that may have produced a value."""

    rarity: int  # 0 for step, higher for what is rarely reported
    peers: Sequence[Peer]  # the tools that report it


def list_candidates(
    data_set: DataSet, guesses: Sequence[Cut], given: Cut | None = None
) -> dict[Variant, Candidate]:
    """Return each variant once: without a cutoff, with the given one, and with each guess."""
    reports = list_reports(data_set)
    by_variant: dict[Variant, Candidate] = {}
    longest = data_set.n_rows.max(initial=0)
    # Beyond the first guess that covers all rows, most rules have the same value again.
    covers_all = min((k for k in GUESSED_KS if k >= longest), default=np.inf)
    known = (None,) if given is None else (None, given)
    for cut in (*known, *guesses):
        guess = cut.k if cut is not None and cut is not given else None
        peers = group_peers_by_variant(reports, cut, data_set)
        for variant in [variant for variant in peers if variant.order is Order.BY_ID]:
            # which is what these tools report if ids increase with the rows
            peers[replace(variant, order=Order.LAST_ROW_FIRST)] = peers[variant]

        for variant in dict.fromkeys((*_list_guesses(data_set, cut, guess is not None), *peers)):
            if guess is not None and not _can_tell(variant.rule, data_set, guess > covers_all):
                continue
            # With another k than the one that was passed, a range of values says too little.
            if guess is not None and given is not None and variant.order is Order.OPEN:
                continue
            reported_by = peers.get(variant, ())
            rarity = variant.rarity + _RARITY_OF_K.get(guess, 2)
            if guess is not None and given is not None:
                rarity += _RARITY_OF_OTHER_K
            if not reported_by:
                rarity += 1
            by_variant.setdefault(variant, Candidate(rarity, reported_by))
    if data_set.graded is not None:
        for rule in (F1(), Accuracy(), PrecisionAtHalf()):
            by_variant[Variant(rule)] = Candidate(_RARITY_OF_LABEL_METRICS, ())
    return by_variant


def _list_guesses(data_set: DataSet, cut: Cut | None, is_guess: bool) -> Iterator[Variant]:
    """Yield everything that a reported value may be, with fewer mistakes if k is a guess."""
    every = list_definitions(data_set, cut)
    yield from every
    yield from list_tie_orders(data_set, cut)
    if data_set.graded is not None:
        gains = ["linear"]
        if data_set.of_grades is not None:  # of labels 0 and 1, both gains have the same value
            gains.append("exponential")
        for gain in gains:
            yield Variant(NDCG(gain) if cut is None else NDCGAtK(gain, cut.k))
    if not is_guess:
        yield from _list_mistakes(data_set, cut)
    if data_set.is_grouped and data_set.has_empty:
        for empty in (1.0, None):
            for variant in every:
                if variant.is_average_precision:
                    yield replace(variant, empty=empty)


def _list_mistakes(data_set: DataSet, cut: Cut | None) -> Iterator[Variant]:
    """Yield what somebody may have ranked or averaged by mistake."""
    rules = [Step(), Linear()] if cut is None else list_step_rules(cut)[:2]  # / min and / relevant
    for mistake in data_set.mistakes:
        for rule in rules:
            yield Variant(rule, mistake).simplify_on(data_set)
    if cut is None and data_set.has_both_columns:
        for rule in rules:
            yield Variant(rule, BOTH_CLASSES, average="weighted")
    if cut is None:
        yield Variant(RocArea(), NEGATED, empty=None)
        yield from map(Variant, (*WITH_OTHER_LEVELS, *INSTEAD_OF_STEP))
    if not data_set.is_weighted:
        miscounted = list_miscounted(cut)
        if cut is None:  # step's are tried above, with more of them
            miscounted = [*list_miscounted_ranks(None), *list_miscounted_gains(None)]
        for rule in miscounted:
            if data_set.graded is not None or not isinstance(rule, Graded):
                yield Variant(rule)
    if data_set.is_grouped:
        for rule in list_step_rules(cut):
            yield Variant(rule, average="weighted")


def _can_tell(rule: Rule, data_set: DataSet, is_beyond: bool) -> bool:
    """Whether a guessed k can have a value that no smaller k has.

    It `is_beyond` if a smaller guess covers all rows, too. Then only rules that divide by k have
    another value. Lifts are those of fractions.
    """
    if isinstance(rule, EnrichmentFactor):
        return rule.cut.is_share
    if not is_beyond:
        return True
    if isinstance(rule, AveragePrecisionAtK):
        return rule.denominator == "k" or (rule.denominator == "min" and data_set.misses_positives)
    return isinstance(rule, PrecisionAtK | MeanOfPrecisions)
