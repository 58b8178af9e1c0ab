"""Rankings on the host, which are read and evaluated."""

from dataclasses import replace
from typing import Any

import numpy as np

from .average import Evaluated
from .data import Rankings, read
from .points import SortedSamples
from .rules import ROW_ORDERS, Rule


def evaluate_on_host(rule: Rule, y_true: Any, y_score: Any, **data_options: Any) -> Evaluated:
    """Read data and evaluate each ranking."""
    keep_grades = rule.keeps_grades(data_options["pos_label"])
    rankings = read(y_true, y_score, keep_grades=keep_grades, **data_options)
    rule, rankings = break_ties_by_row(rule, rankings)
    return Evaluated(*rule.evaluate_rankings(rankings), rankings)


def break_ties_by_row(rule: Rule, rankings: Rankings) -> tuple[Rule, Rankings]:
    """Replace scores by ranks if tied samples are ranked in the order of rows, so that none are
    tied, and the rule is the usual one.
    """
    if rule.ties not in ROW_ORDERS:
        return rule, rankings
    scores = rankings.scores
    labels = np.zeros(scores.shape, dtype=bool)  # No label breaks ties.
    order = SortedSamples.sort(labels, scores, None, 1).order
    ranks = np.empty(order.size, dtype=np.int64)
    ranks[order] = np.arange(order.size)[::-1]
    usual: Rule = replace(rule, ties="grouped")
    return usual, replace(rankings, scores=ranks.reshape(scores.shape))
