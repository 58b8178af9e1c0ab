"""Compare a function with what it should compute, for tests and for the command line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

from .._enter.entry import public
from .._enter.metric import Metric
from .._words.parameters import check_allowed
from .audited_scorers import make_settings, read_scorers
from .audits import (
    Expected,
    audit_calls,
    audit_scorer,
    audit_scorers,
    compare_calls,
    describe_difference_as_code,
    find_expectation,
    list_notes_on_calls,
    read_expected,
    try_scorer,
    write_comparison_title,
    write_row,
    write_rows,
)
from .call_log import ASPECTS, SOUNDNESS_ASPECTS
from .findings import NO_TOOLS, Audit, Conclusion, Finding, Findings, ScoringAudit
from .ranking_files import are_values, call_or_replay
from .recognition import PermanentFailure, Recognition


def _examine(function: Any, tolerance: float, random_state: Any) -> tuple[Recognition, Audit]:
    """Call a function or a single scorer, and audit it."""
    scorers = read_scorers(function)
    if scorers is None:
        return audit_calls(call_or_replay(function, random_state), tolerance)
    [scorer] = scorers.values()
    return audit_scorer(scorer, make_settings(scorers)[0], tolerance, random_state)[:2]


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
        As in :func:`audit`, but a single scorer.
    metric : str or Metric, default='average_precision'
        The metric that the function should compute: a name, or an object made by
        :func:`sklearn_ap.metric`. Or a definition in the words of :func:`audit`, such as "linear"
        or "AP@5 / min". Add how tied samples are ranked, as in "AP, ties by row", or "scores as
        float32" if scores that are equal in single precision may be tied.
    zero_division : float or 'raise', default='warn'
        What the function should return without positives, or 'raise' if it should raise an error.
        With nan, an error will do, too. By default, it's what the metric returns, which is 0.0.
    tolerance, random_state
        As in :func:`audit`.

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
    audit_cases : Test each aspect by itself.

    Examples
    --------
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn_ap.compat import check_metric
    >>> check_metric(average_precision_score)
    """
    __tracebackhide__ = True  # so that pytest's traceback begins and ends in the caller's test
    expected = read_expected(metric, zero_division)
    comparison = _check_function(function, expected, tolerance, random_state)
    if comparison.findings.differences:
        raise AssertionError(comparison.describe(comparison.findings.differences[0]))
    for note in comparison.notes:
        warnings.warn(note, UserWarning, stacklevel=2)


@public()
def audit_cases(
    function: Any,
    metric: str | Metric = "average_precision",
    *,
    zero_division: float | str = "warn",
    tolerance: float = 1e-6,
    random_state: Any = 0,
) -> list[AuditCase]:
    """Return a test of each aspect in which a function could differ from a metric.

    Pass them to ``pytest.mark.parametrize`` to see all aspects that differ, by their names, and to
    mark the ones that you know as expected failures. The function isn't called before the first
    case is: all cases share one audit.

    Parameters
    ----------
    function : callable, str, list, dict or array
        As in :func:`check_metric`.
    metric, zero_division, tolerance, random_state
        As in :func:`check_metric`.

    Returns
    -------
    cases : list
        One case for each aspect of :func:`audit`, always in the same order. `aspect` is its name.
        Call a case to test the aspect: it raises an AssertionError if the function differs there.

    See Also
    --------
    check_metric : Test all aspects at once.

    Examples
    --------
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn_ap.compat import audit_cases
    >>> cases = audit_cases(average_precision_score)
    >>> [case.aspect for case in cases[:3]]
    ['values', 'ties', 'order of rows']
    >>> cases[1]()
    """
    expected = read_expected(metric, zero_division, "audit_cases")
    compare_once = cache(partial(_check_function, function, expected, tolerance, random_state))
    return [AuditCase(aspect, compare_once) for aspect in ASPECTS]


class AuditCase:
    """A test of one aspect."""

    def __init__(self, aspect: str, compare_once: Callable[[], CheckedFunction]) -> None:
        self.aspect = aspect
        self.__name__ = aspect  # which pytest takes as the name of a case
        self._compare_once = compare_once

    def __repr__(self) -> str:
        return f"<case {self.aspect!r}>"

    def __call__(self) -> None:
        """Raise an AssertionError if the function differs in this aspect."""
        __tracebackhide__ = True
        comparison = self._compare_once()
        finding = comparison.findings.by_aspect[self.aspect]
        if finding.is_different:
            raise AssertionError(comparison.describe(finding))
        if finding.is_unknown:
            for note in comparison.notes:
                warnings.warn(note, UserWarning, stacklevel=2)


class CheckedFunction(NamedTuple):
    """What a function did, compared with what is expected of it."""

    function: Any
    expected: Expected
    findings: Findings

    @property
    def notes(self) -> list[str]:
        """What to say of a function that was too slow for all rankings."""
        log = self.findings.log
        return [*list_notes_on_calls(log)] if log.skipped.total() else []

    def describe(self, finding: Finding) -> str:
        """Say what the function computes, and show the smallest ranking that differs."""
        recognition, audited = audit_calls(self.findings.log, self.findings.tolerance)
        compared = replace(
            audited,
            rows=write_rows(self.findings),
            _tools=NO_TOOLS,
            title=write_comparison_title(self.findings, self.expected.name),
            _conclusion=Conclusion.COUNTED,
        )
        blocks = [
            f"{self._name} isn't {self.expected.name}. What it computes: {audited.title}",
            describe_difference_as_code(self.findings, finding),
            str(compared),
        ]
        allowed = find_expectation(recognition)
        if allowed is not None:
            blocks.append(f"To allow it: check_metric(..., {allowed.arguments})")
        return "\n\n".join(blocks)

    @property
    def _name(self) -> Any:
        if are_values(self.function):
            return "It"
        return getattr(self.function, "__name__", self.function)


def _check_function(
    function: Any, expected: Expected, tolerance: float, random_state: Any
) -> CheckedFunction:
    """Call a function, or a single scorer, and compare it with what is expected of it."""
    scorers = read_scorers(function)
    if scorers is None:
        log = call_or_replay(function, random_state)
    elif len(scorers) == 1:
        [scorer] = scorers.values()
        log, *_ = try_scorer(scorer, make_settings(scorers)[0], tolerance, random_state)
    else:
        raise ValueError(
            f"function has {len(scorers)} scorers, and check_metric takes one. Write: assert "
            "sklearn_ap.compat.audit(scoring).agrees"
        )
    return CheckedFunction(function, expected, compare_calls(log, expected, tolerance))


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
    scorers = read_scorers(function)
    is_several = scorers is not None and [*scorers] != [""]
    if scorers is not None and is_several and (expected is None or len(scorers) > 1):
        return _judge_scorers(scorers, expected, tolerance, random_state)
    recognition, audited = _examine(function, tolerance, random_state)
    if expected is not None:
        return _judge_function(expected, recognition, audited)
    if isinstance(recognition.failure, PermanentFailure) or recognition.size_limit is not None:
        return Verdict(audited, "failed", audited.title, 1)
    for row in audited.rows:
        if row.aspect in SOUNDNESS_ASPECTS and row.agrees is False:
            return Verdict(audited, "failed", f"{row.aspect}: {row.finding}", 1)
    allowed = find_expectation(recognition)
    if allowed is None:
        words = (
            f"It computes no definition always: {audited.title} To compare it with one, add "
            "--metric"
        )
    else:
        words = f"It computes {allowed.metric}. To check for it in CI, add {allowed.options}"
    return Verdict(audited, "unchecked", words, 3)


def _judge_scorers(scorers: Any, expected: Expected | None, tolerance: float, seed: Any) -> Verdict:
    if expected is not None:
        raise ValueError(
            f"--metric is of one function, and there are {len(scorers)} scorers. Leave it out."
        )
    result = audit_scorers(scorers, tolerance, seed)
    return Verdict(result, "", "", {True: 0, False: 1, None: 3}[result.agrees])


def _judge_function(expected: Expected, recognition: Recognition, audited: Audit) -> Verdict:
    findings = compare_calls(recognition.log, expected, recognition.tolerance)
    if findings.differences:
        row = write_row(findings, findings.differences[0])
        words = (
            f"It isn't {expected.name}. What it computes: {audited.title} "
            f"{row.aspect}: {row.finding}"
        )
        return Verdict(audited, "failed", words, 1)
    is_unknown = any(finding.is_unknown for finding in findings.by_aspect.values())
    # As expected, so that `agrees` says what the exit code says
    definition = audited.definition or expected.name
    audited = replace(audited, definition=definition, rows=write_rows(findings))
    return Verdict(audited, "", "", 3 if is_unknown else 0)
