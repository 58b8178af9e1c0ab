"""What people pass that isn't there, and what they may have meant."""

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

Asked = ParamSpec("Asked")
Returned = TypeVar("Returned")

# Patterns of parameters that other functions have, and what to do instead
_ADVICE = {
    "k|denominator": "Call average_precision_at_k_score, or name the metric 'AP@10'.",
    "n_points|grid": "Call interpolated_average_precision_score, or pass it to metric('envelope').",
    "by": "For segments, call report(..., by=).",
    "clusters|confidence_level|margin": "For intervals, call confidence_interval or compare.",
    "groups": "It ranks all samples together, so call it for each group.",
    "ties": "Call average_precision_score, which also takes groups=.",
    "min_recall|min_precision": "Call precision_at_recall_score or recall_at_precision_score.",
    "(min_)?(sensitivity|tpr)": "Sensitivity is recall: pass min_recall=.",
    "needs_proba|needs_threshold": "Pass response_method=, such as 'predict_proba'.",
}


def find_advice(word: str, advice: Mapping[str, str]) -> str:
    """Return what a table of patterns says about a word, as a sentence after another one."""
    texts = (text for pattern, text in advice.items() if re.fullmatch(pattern, word, re.IGNORECASE))
    return "".join(f" {text}" for text in texts)


def suggest(word: str, words: Iterable[str], cutoff: float = 0.6) -> str:
    """Ask whether the nearest of the known words was meant, if there is one that is near."""
    near = get_close_matches(word, [*words], 1, cutoff)
    return f" Did you mean {near[0]!r}?" if near else ""


def suggest_parameter(word: str, parameters: Iterable[str]) -> str:
    """Say which parameter was meant, or which function has it."""
    parameters = sorted(parameters)
    if "curve_kwargs" in parameters:
        in_lines = " Properties of lines, such as color, go into curve_kwargs=."
        return suggest(word, parameters) + in_lines
    return find_advice(word, _ADVICE) or suggest(word, parameters)


def check_calls(function: Callable[Asked, Returned]) -> Callable[Asked, Returned]:
    """Let a function say what was meant by parameters that it doesn't have, or by an estimator in
    place of labels, as of a search that got the function as `scoring`.
    """
    parameters = frozenset(signature(function).parameters)
    takes_labels = "y_true" in parameters

    @wraps(function)
    def call(*args: Asked.args, **kwargs: Asked.kwargs) -> Returned:
        if not parameters.issuperset(kwargs):
            unknown = next(name for name in kwargs if name not in parameters)
            refused = f"{function.__name__}() got an unexpected keyword argument {unknown!r}."
            raise TypeError(refused + suggest_parameter(unknown, parameters))
        if takes_labels and len(args) > 2 and any(hasattr(each, "fit") for each in args[:2]):
            raise TypeError(
                "A metric takes labels and scores, but got an estimator. As scoring=, pass a "
                "scorer, such as sklearn_ap.get_scorer('AP')."
            )
        return function(*args, **kwargs)

    return call
