"""Read what a function should compute, and say what to expect of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from .._enter.metric import Metric, write_plain_name
from .._inputs.records import DATA_OPTIONS
from ..core.cutoff import Cut
from ..core.rules import GroupFunction, Step
from ..exceptions import InvalidParameterError
from ..metrics import make_metric
from .call_log import Call, CallLog, draw_ranking
from .call_values import ALL_ROWS, CallValues
from .findings import Findings
from .hypothesis_search import recognize_expected
from .readings import Reading
from .recognition import Recognition
from .tie_orders import Order
from .variants import Variant

# Whose values end a name
_QUALITIES: tuple[Order | Reading, ...] = (
    *(order for order in Order if order not in (Order.GROUPED, Order.UNKNOWN)),
    Reading.SINGLE,
)
# As in "AP@5 / min" and "precision@1%", but not in "mean of P@1 to P@5" the first one
_CUT_IN_NAME = re.compile(r"@(?P<number>\d+(?:\.\d+)?)(?P<percent>%?)(?! to)")
_N_RANKINGS_TO_NAME = 6  # rankings, of which all definitions are computed to know their names


@dataclass(frozen=True)
class Expected:
    """What a function should compute."""

    name: str  # in words
    variant: Variant
    raises: bool = False  # an error without positives


def read_expected(metric: str | Metric, zero_division: Any, caller: str) -> Expected:
    """Return what a metric, or a definition in the words of an audit, computes of one ranking."""
    variant = None if isinstance(metric, Metric) else _read_definition(metric)
    if variant is None:
        if not isinstance(metric, Metric):
            metric = make_metric(metric, {}, caller, "metric")
        name, variant = write_plain_name(metric), _read_metric(metric, caller)
        if "zero_division" in metric.options and zero_division != "warn":
            raise ValueError(
                f"zero_division was passed twice: as {zero_division!r}, and in {metric!r}. Pass it "
                "once."
            )
    else:
        name = str(metric)
    if zero_division == "raise":
        return Expected(name, replace(variant, empty=None), raises=True)
    if zero_division != "warn":
        empty = None if isnan(zero_division) else float(zero_division)
        variant = replace(variant, empty=empty)
    return Expected(name, variant)


def _read_metric(metric: Metric, caller: str) -> Variant:
    """Return what a metric computes of one ranking, or refuse what needs more than that."""
    options = {*metric.options} & {*DATA_OPTIONS} - {"zero_division"}
    if options or isinstance(metric.rule, GroupFunction):
        what = " and ".join(sorted(options)) or "a function of its own"
        raise ValueError(
            f"{caller} calls the function with one ranking of labels 0 and 1, and {metric!r} "
            f"is a metric with {what}. Pass the metric of one such ranking, such as 'AP'."
        )
    empty = metric.options.get("zero_division", "warn")
    if empty == "warn":
        return Variant(metric.rule)
    return Variant(metric.rule, empty=None if isnan(empty) else empty)


def _read_definition(name: Any) -> Variant | None:
    """Return the definition with this name in an audit, such as "AP@5 / min, ties by row".

    None if there is none, or if it's just the name of a metric.
    """
    if not isinstance(name, str):
        return None
    rest, order, reading = name.strip(), Order.GROUPED, Reading.EXACT
    ending = _find_last_quality(rest)
    while ending is not None:
        rest = rest.removesuffix(f", {ending.value}")
        if isinstance(ending, Order):
            order = ending
        else:
            reading = ending
        ending = _find_last_quality(rest)
    variant = _list_expected_definitions(_read_cut(rest)).get(_normalize(rest))
    if variant is None and rest != name.strip():
        variant = _read_metric_name(rest)
    if variant is None:
        return None
    return replace(variant, order=order, reading=reading)


def _find_last_quality(name: str) -> Order | Reading | None:
    for quality in _QUALITIES:
        if name.endswith(f", {quality.value}"):
            return quality
    return None


def _read_metric_name(name: str) -> Variant | None:
    try:
        return _read_metric(make_metric(name, {}, "audit", "metric"), "audit")
    except InvalidParameterError:
        return None


def _normalize(name: str) -> str:
    """Return a name in the spelling of `Variant.name`."""
    return name.casefold().replace("@n", f"@{100 * ALL_ROWS:g}%").removesuffix(" average precision")


def _read_cut(name: str) -> Cut | None:
    """Return the cutoff in the name of a definition; None if there is none that is possible."""
    found = _CUT_IN_NAME.search(_normalize(name))
    if found is None:
        return None
    number = float(found["number"])
    if found["percent"]:
        is_possible = 0 < number <= 100
        return Cut(number / 100) if is_possible else None
    is_possible = number >= 1 and number.is_integer()
    return Cut(int(number)) if is_possible else None


@cache
def _list_expected_definitions(cut: Cut | None) -> dict[str, Variant]:
    """Return the definitions that an audit may name at a cutoff, by their names."""
    rng = np.random.default_rng(0)
    rankings = [draw_ranking(20, False, rng) for _ in range(_N_RANKINGS_TO_NAME)]
    values = CallValues([Call("values", *ranking) for ranking in rankings], 0.0)
    found: dict[str, Variant] = {}
    for variant in values.find_rarities([] if cut is None else [cut]):
        is_plain = variant.reading is Reading.EXACT and variant.order is Order.GROUPED
        if is_plain and variant.has_usual_empty and variant.average == "macro":
            found.setdefault(variant.name.casefold(), variant)
    return found


def compare_calls(log: CallLog, expected: Expected, tolerance: float) -> Findings:
    """Compare what a function did with what is expected of it."""
    found = recognize_expected(log, tolerance, expected.variant)
    return Findings(found, expected.variant, expected.raises)


# --- what to expect ------------------------------------------------------------------------------


class Expectation(NamedTuple):
    """What to pass so that a function passes."""

    metric: str
    zero_division: float | str  # "warn", "raise" or a number

    @property
    def arguments(self) -> str:
        """What to pass to a function, as code."""
        text = f'"{self.metric}"'
        if self.zero_division == "warn":
            return text
        value = self.zero_division
        if isinstance(value, str):
            code = f'"{value}"'
        else:
            code = f"{value:g}" if isfinite(value) else f"{'-' * (value < 0)}np.{abs(value):g}"
        return f"{text}, zero_division={code}"

    @property
    def options(self) -> str:
        """What to pass to the command line."""
        metric = f'"{self.metric}"' if re.search(r"[^\w@%.-]", self.metric) else self.metric
        if self.zero_division == "warn":
            return f"--metric {metric}"
        value = self.zero_division
        text = value if isinstance(value, str) else f"{value:g}"
        return f"--metric {metric} --zero-division {text}"


def find_expectation(found: Recognition) -> Expectation | None:
    """Return the definition that a function always computes; None if there is none."""
    hypothesis = found.hypothesis
    if hypothesis is None or found.is_like or found.order is None:
        return None
    if hypothesis.has_mistake and not found.is_single:
        return None
    variant = replace(hypothesis.variant, order=Order.GROUPED)
    name = (
        "AP" if isinstance(variant.rule, Step) and variant.name == "step" else hypothesis.definition
    )
    name += found.order.ending
    if found.is_single:
        name += f", {Reading.SINGLE.value}"
    for zero_division in ("warn", *_list_values_without_positives(found.log)):
        try:
            expected = read_expected(name, zero_division, "audit")
        except (InvalidParameterError, ValueError):
            return None
        if not compare_calls(found.log, expected, found.tolerance).differences:
            return Expectation(name, zero_division)
    return None


def _list_values_without_positives(log: CallLog) -> list[float | str]:
    """Return what a function does without positives, if it always does the same."""
    calls = [call for call in log.calls if call.aspect == "no positives"]
    if calls and all(call.error for call in calls):
        return ["raise"]
    outcomes = {call.outcome[0] for call in calls}
    return [nan if value is None else value for value in outcomes] if len(outcomes) == 1 else []
