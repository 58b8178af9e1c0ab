"""From data to a value: rank where the data are, evaluate a rule, and average over rankings."""

from dataclasses import replace
from typing import Any

import numpy as np

from .average import Evaluated, average_values
from .data import DATA_PARAMETERS, Rankings, read
from .on_device import evaluate_on_device
from .on_spark import evaluate_on_spark
from .points import SortedSamples
from .rules import ROW_ORDERS, Rule

# These return None for data that they don't evaluate where they are.
_PLACES = [evaluate_on_device, evaluate_on_spark]


def evaluate(rule: Rule, y_true: Any, y_score: Any, **data_options: Any) -> Any:
    """Return the value of a rule, or with average=None one for each ranking."""
    data_options = DATA_PARAMETERS | data_options
    evaluated = _evaluate_where_data_are(rule, y_true, y_score, **data_options)
    return average_values(rule, *evaluated, data_options["zero_division"])


def evaluate_by_name(
    rule: Rule, y_true: Any, y_score: Any, **data_options: Any
) -> dict[Any, float]:
    """Return the value of each group, by its name."""
    data_options = DATA_PARAMETERS | data_options | {"average": None}
    evaluated = _evaluate_where_data_are(rule, y_true, y_score, **data_options)
    values = average_values(rule, *evaluated, data_options["zero_division"])
    assert evaluated.averaging.names is not None  # All groups have names.
    return dict(zip(evaluated.averaging.names, values.tolist(), strict=True))


def _evaluate_where_data_are(
    rule: Rule, y_true: Any, y_score: Any, **data_options: Any
) -> Evaluated:
    """Return the value of each ranking, from wherever the data are."""
    for evaluate_there in _PLACES:
        evaluated = evaluate_there(rule, y_true, y_score, **data_options)
        if evaluated is not None:
            return evaluated
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
