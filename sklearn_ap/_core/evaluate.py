"""From data to a value: rank where the data are, evaluate a rule, and average over rankings."""

from typing import Any, Unpack

from .average import average_values
from .data import Description
from .on_device import evaluate_on_device, is_on_device
from .on_host import evaluate_on_host
from .on_spark import evaluate_on_spark, is_of_spark
from .rules import Rule


def evaluate(rule: Rule, y_true: Any, y_score: Any, **described: Unpack[Description]) -> Any:
    """Return the value of a rule, or with average=None one for each ranking.

    Rankings on a device and tables of Spark are evaluated where they are, if that's possible.
    """
    evaluated = None
    if is_on_device(y_score):
        evaluated = evaluate_on_device(rule, y_true, y_score, **described)
    elif is_of_spark(described.get("data")):
        evaluated = evaluate_on_spark(rule, y_true, y_score, **described)
    if evaluated is None:
        evaluated = evaluate_on_host(rule, y_true, y_score, **described)
    return average_values(rule, *evaluated, described.get("zero_division", "warn"))
