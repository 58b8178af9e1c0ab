"""Compare a function with what it should compute, for tests and for the command line."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from functools import cache
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from .._enter.entry import public
from .._enter.metric import Metric, plain_name
from .._inputs.records import OF_DATA
from .._words.errors import InvalidParameterError
from .._words.parameters import check_allowed
from ..core.cutoff import Cut
from ..core.rules import OfGroup, Step
from ..metrics import metric_of
from .audit import (
    ALL_ROWS,
    FAILS,
    IN_SINGLE,
    Aspect,
    Audit,
    Expected,
    Findings,
    Recognized,
    ScoringAudit,
    Values,
    audit_of_scorer,
    audit_of_scorers,
    findings_of,
    trials_of,
)
from .replayed import are_values, calls_of
from .sample import Reading, Slip, Variant
from .scoring import scorers_of, settings_for
from .trials import Call, CallLog, random_ranking
from .variants import Order, RocArea, SlippedStep

_WRONG_IN_ANY_CASE = ("arguments changed", "repeated calls")
_QUALITIES: tuple[Order | Reading, ...] = (*Order, Reading.SINGLE)  # whose values end a name
_N_TO_NAME = 6  # rankings, of which all definitions are computed to know their names


# --- what is expected ----------------------------------------------------------------------------


def read_expected(metric: str | Metric, zero_division: Any = "warn") -> Expected:
    """Return what a metric, or a definition in the words of an audit, computes of one ranking."""
    variant = None if isinstance(metric, Metric) else _definition_named(metric)
    if variant is None:
        if not isinstance(metric, Metric):
            metric = metric_of(metric, {}, "check_metric", "metric")
        name, variant = plain_name(metric), _definition_of(metric)
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


def _definition_of(metric: Metric) -> Variant:
    """Return what a metric computes of one ranking, or refuse what needs more than that."""
    options = {*metric.options} & {*OF_DATA} - {"zero_division"}
    if options or isinstance(metric.rule, OfGroup):
        what = " and ".join(sorted(options)) or "a function of its own"
        raise ValueError(
            f"check_metric calls the function with one ranking of labels 0 and 1, and {metric!r} "
            f"is a metric with {what}. Pass the metric of one such ranking, such as 'AP'."
        )
    empty = metric.options.get("zero_division", "warn")
    if empty == "warn":
        return Variant(metric.rule)
    return Variant(metric.rule, empty=None if isnan(empty) else empty)


def _definition_named(name: Any) -> Variant | None:
    """Return the definition with this name in an audit, such as "AP@5 / min, ties by row".

    None if there is none, or if it's just the name of a metric.
    """
    if not isinstance(name, str):
        return None
    rest, order, reading = name.strip(), Order.GROUPED, Reading.EXACT
    ending = _quality_at_the_end(rest)
    while ending is not None:
        rest = rest.removesuffix(ending.value)
        if isinstance(ending, Order):
            order = ending
        else:
            reading = ending
        ending = _quality_at_the_end(rest)
    variant = _list_definitions(_cut_in(rest)).get(_normalize(rest))
    if variant is None and rest != name.strip():
        variant = _definition_of_metric_named(rest)
    if variant is None:
        return None
    return replace(variant, order=order, reading=reading)


def _quality_at_the_end(name: str) -> Order | Reading | None:
    for quality in _QUALITIES:
        if quality.value and quality is not Order.UNKNOWN and name.endswith(quality.value):
            return quality
    return None


def _definition_of_metric_named(name: str) -> Variant | None:
    try:
        return _definition_of(metric_of(name, {}, "check_metric", "metric"))
    except InvalidParameterError:
        return None


def _normalize(name: str) -> str:
    """Return a name in the spelling of `Variant.name`."""
    return name.casefold().replace("@n", f"@{100 * ALL_ROWS:g}%").removesuffix(" average precision")


def _cut_in(name: str) -> Cut | None:
    """Return the cutoff in the name of a definition."""
    found = re.search(r"@(\d+(?:\.\d+)?)(%?)(?! to)", _normalize(name))
    if found is None:
        return None
    number = float(found[1])
    if found[2]:
        return Cut(number / 100) if 0 < number <= 100 else None
    return Cut(int(number)) if number >= 1 and number.is_integer() else None


@cache
def _list_definitions(cut: Cut | None) -> dict[str, Variant]:
    """Return the definitions that an audit may name at a cutoff, by their names."""
    rng = np.random.default_rng(0)
    rankings = [random_ranking(20, False, rng) for _ in range(_N_TO_NAME)]
    values = Values([Call("values", *ranking) for ranking in rankings], 0.0)
    found: dict[str, Variant] = {}
    for variant in values.rarities([] if cut is None else [cut]):
        is_mistake = variant.slip is not Slip.NONE or isinstance(variant.rule, SlippedStep)
        is_plain = variant.reading is Reading.EXACT and variant.order is Order.GROUPED
        usual = (0.0, None) if isinstance(variant.rule, RocArea) else (0.0,)
        if is_plain and not is_mistake and variant.empty in usual and variant.average == "macro":
            found.setdefault(variant.name.casefold(), variant)
    return found


# --- what a function computes --------------------------------------------------------------------


class Examined(NamedTuple):
    """The calls of a function, or of a single scorer, and what they show."""

    trials: CallLog
    audit: Audit
    found: Recognized


def examine(function: Any, tolerance: float, random_state: Any) -> Examined:
    """Call a function or a scorer, and audit it."""
    scorers = scorers_of(function)
    if scorers is None:
        trials = calls_of(function, random_state)
        return Examined(trials, *findings_of(trials, tolerance))
    [scorer] = scorers.values()
    trials, audited, found, _ = audit_of_scorer(
        scorer, settings_for(scorers)[0], tolerance, random_state
    )
    return Examined(trials, audited, found)


def compare_with(trials: CallLog, expected: Expected, tolerance: float) -> Findings:
    """Compare what a function did with what is expected of it."""
    found = Recognized(trials, tolerance, of=expected.variant)
    return Findings(found, expected.variant, expected.raises)


def differing(findings: Findings) -> list[Aspect]:
    """Return what differs, the smallest ranking first."""
    rows = [row for row in findings.differing if row.y_true is not None]
    return sorted(rows, key=lambda row: len(row.y_true or ()))


class Expectation(NamedTuple):
    """What to pass so that a function passes."""

    metric: str
    zero_division: str  # as text: "warn", "raise", "nan" or a number

    @property
    def arguments(self) -> str:
        text = f'"{self.metric}"'
        if self.zero_division == "warn":
            return text
        value = '"raise"' if self.zero_division == "raise" else self.zero_division
        return f"{text}, zero_division={value}"

    @property
    def options(self) -> str:
        metric = f'"{self.metric}"' if re.search(r"[^\w@%.-]", self.metric) else self.metric
        if self.zero_division == "warn":
            return f"--metric {metric}"
        return f"--metric {metric} --zero-division {self.zero_division}"


def expectation_of(trials: CallLog, found: Recognized, tolerance: float) -> Expectation | None:
    """Return the definition that a function always computes; None if there is none."""
    model = found.model
    if model is None or found.order is None:
        return None
    is_single = found.reading == IN_SINGLE
    if model.words != "{name}" and not is_single:
        return None
    variant = replace(model.variant, order=Order.GROUPED)
    name = "AP" if isinstance(variant.rule, Step) and variant.name == "step" else model.definition
    name += found.order.value
    if is_single:
        name += Reading.SINGLE.value
    for zero_division in ("warn", *_say_without_positives(trials)):
        with_text = zero_division in ("warn", "raise")
        try:
            value: Any = zero_division if with_text else float(zero_division)
            expected = read_expected(name, value)
        except (InvalidParameterError, ValueError):
            return None
        if not differing(compare_with(trials, expected, tolerance)):
            return Expectation(name, zero_division)
    return None


def _say_without_positives(trials: CallLog) -> list[str]:
    """Return what a function does without positives, if it always does the same."""
    calls = [call for call in trials.calls if call.aspect == "no positives"]
    if calls and all(call.error for call in calls):
        return ["raise"]
    texts = {f"{call.value:g}" for call in calls}
    return [*texts] if len(texts) == 1 else []


# --- public functions ----------------------------------------------------------------------------


@public()
def check_metric(
    function: Any,
    metric: str | Metric = "average_precision",
    *,
    zero_division: float | str = "warn",
    tolerance: float = 1e-6,
    random_state: Any = 0,
) -> None:
    """Raise an AssertionError unless a function computes a metric, for your project's tests.

    It calls the function with the rankings of :func:`audit`, and warns if the function is too slow
    for all of them. A mean over groups, such as "MAP", is that of a single group.

    Parameters
    ----------
    function : callable, str, list, dict or array
        It gets the labels 0 and 1 and the prediction scores of one ranking as NumPy arrays, and
        returns a number. If it takes other arguments, pass a lambda. Or a scorer, or its name in
        scikit-learn, or the values that a program returned for :func:`rankings`.
    metric : str or Metric, default='average_precision'
        The metric that the function should compute: a name, or an object made by
        :func:`sklearn_ap.metric`. Or a definition in the words of :func:`audit`, such as "linear"
        or "AP@5 / min". Add how tied samples are ranked, as in "AP, ties by row", or "scores as
        float32" if scores that are equal in single precision may be tied.
    zero_division : float or 'raise', default='warn'
        What the function should return without positives, or 'raise' if it should raise an error.
        With nan, an error will do, too. By default, it's what the metric returns, which is 0.0.
    tolerance : float, default=1e-6
        How far apart equal values can be. The default is enough for sums in single precision.
    random_state : int, Generator or RandomState instance, default=0
        The seed of the random rankings.

    Returns
    -------
    None
        If nothing differs.

    Raises
    ------
    AssertionError
        With what the function computes, the smallest ranking on which it differs, and what to pass
        if that is what it should do.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn_ap.compat import check_metric
    >>> check_metric(average_precision_score)
    """
    __tracebackhide__ = True  # so that pytest's traceback begins and ends in the caller's test
    expected = read_expected(metric, zero_division)
    scorers = scorers_of(function)
    if scorers is None:
        trials = calls_of(function, random_state)
    elif len(scorers) == 1:
        [scorer] = scorers.values()
        trials, *_ = trials_of(scorer, settings_for(scorers)[0], tolerance, random_state)
    else:
        raise ValueError(
            f"function has {len(scorers)} scorers, and check_metric takes one. Write: assert "
            "sklearn_ap.compat.audit(scoring).agrees"
        )
    findings = compare_with(trials, expected, tolerance)
    rows = differing(findings)
    if not rows:
        for note in trials.notes() if trials.skipped.total() else ():
            warnings.warn(note, UserWarning, stacklevel=2)
        return
    audited, found = findings_of(trials, tolerance)
    name = "It" if are_values(function) else getattr(function, "__name__", function)
    title = f"It equals {expected.name} on {findings.counted(findings.is_equal)}."
    compared = replace(audited, rows=findings.rows, tools=(), title=title)
    row = rows[0]
    blocks = [
        f"{name} isn't {expected.name}. What it computes: {audited.title}",
        f"{findings.in_code[row.aspect]}\nvalue: {row.value}\nexpected: {row.expected}\n"
        f"{row.aspect}: {row.finding}",
        str(compared),
    ]
    allowed = expectation_of(trials, found, tolerance)
    if allowed is not None:
        blocks.append(f"To allow it: check_metric(..., {allowed.arguments})")
    raise AssertionError("\n\n".join(blocks))


# --- the command line ----------------------------------------------------------------------------


class Verdict(NamedTuple):
    """What the command line says of a function, and its exit code."""

    result: Audit | ScoringAudit
    kind: str
    words: str
    code: int


def judge(
    function: Any,
    metric: str | None = None,
    zero_division: Any = "warn",
    tolerance: float = 1e-6,
    random_state: Any = 0,
) -> Verdict:
    """Audit a function, and compare it with a metric, both with the same calls."""
    check_allowed("check_metric", set(), {"zero_division": zero_division})
    expected = None if metric is None else read_expected(metric, zero_division)
    scorers = scorers_of(function)
    is_several = scorers is not None and [*scorers] != [""]
    if scorers is not None and is_several and (expected is None or len(scorers) > 1):
        return _judge_scorers(scorers, expected, tolerance, random_state)
    trials, audited, found = examine(function, tolerance, random_state)
    if expected is not None:
        return _judge_by(expected, trials, audited, tolerance)
    differs = [row for row in audited.rows if row.agrees is False]
    wrong = [row for row in differs if row.aspect in _WRONG_IN_ANY_CASE]
    if found.sentence.startswith(FAILS):
        return Verdict(audited, "failed", audited.title, 1)
    if wrong:
        return Verdict(audited, "failed", f"{wrong[0].aspect}: {wrong[0].finding}", 1)
    allowed = expectation_of(trials, found, tolerance)
    words = (
        f"It computes no definition always: {audited.title} To compare it with one, add --metric"
    )
    if allowed is not None:
        words = f"It computes {allowed.metric}. To check for it in CI, add {allowed.options}"
    return Verdict(audited, "unchecked", words, 3)


def _judge_scorers(scorers: Any, expected: Expected | None, tolerance: float, seed: Any) -> Verdict:
    if expected is not None:
        raise ValueError(
            f"--metric is of one function, and there are {len(scorers)} scorers. Leave it out."
        )
    result = audit_of_scorers(scorers, tolerance, seed)
    return Verdict(result, "", "", {True: 0, False: 1, None: 3}[result.agrees])


def _judge_by(expected: Expected, trials: CallLog, audited: Audit, tolerance: float) -> Verdict:
    findings = compare_with(trials, expected, tolerance)
    rows = differing(findings)
    if rows:
        finding = f"{rows[0].aspect}: {rows[0].finding}"
        words = f"It isn't {expected.name}. What it computes: {audited.title} {finding}"
        return Verdict(audited, "failed", words, 1)
    is_unknown = any(row.agrees is None for row in findings.rows)
    return Verdict(audited, "", "", 3 if is_unknown else 0)
