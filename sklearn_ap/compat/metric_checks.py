"""Compare a function with what it should compute, for tests and for the command line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

from .._enter.entry import public
from .._enter.metric import Metric
from .._words.parameters import check_allowed
from .audit_sentences import list_notes_on_calls
from .audited_scorers import read_scorers
from .audits import ComparedLog, audit_one, audit_scorers
from .call_log import ASPECTS, SOUNDNESS_ASPECTS
from .expectations import find_expectation, read_expected
from .findings import Audit, ScoringAudit
from .recognition import PermanentFailure

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

    It is :func:`audit` with this metric, and warns if the function is too slow for all rankings. A
    mean over groups, such as "MAP", is that of a single group.

    Parameters
    ----------
    function : callable, str, list, dict or array
        As in :func:`audit`, but a single scorer.
    metric : str or Metric, default='average_precision'
        What it should compute, as in :func:`audit`.
    zero_division, tolerance, random_state
        As in :func:`audit`.

    Returns
    -------
    None
        If nothing differs.

    Raises
    ------
    AssertionError
        With what the audit prints: what the function computes, the smallest ranking on which it
        differs, and what to pass if that is what it should do.

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
    expected = read_expected(metric, zero_division, "check_metric")
    _raise_difference(*audit_one(function, expected, tolerance, random_state))


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

    In a file of tests, mark the differences that you know of:

    >>> import pytest
    >>> known = {"no positives"}
    >>> marked = [
    ...     pytest.param(case, marks=pytest.mark.xfail(strict=True))
    ...     if case.aspect in known
    ...     else case
    ...     for case in cases
    ... ]
    >>> @pytest.mark.parametrize("case", marked)
    ... def test_metric(case):
    ...     case()
    """
    expected = read_expected(metric, zero_division, "audit_cases")
    audit_once = cache(partial(audit_one, function, expected, tolerance, random_state))
    return [AuditCase(aspect, audit_once) for aspect in ASPECTS]


class AuditCase:
    """A test of one aspect."""

    def __init__(self, aspect: str, audit_once: Callable[[], tuple[ComparedLog, Audit]]) -> None:
        self.aspect = aspect
        self.__name__ = aspect  # which pytest takes as the name of a case
        self._audit_once = audit_once

    def __repr__(self) -> str:
        return f"<case {self.aspect!r}>"

    def __call__(self) -> None:
        """Raise an AssertionError if the function differs in this aspect."""
        __tracebackhide__ = True
        _raise_difference(*self._audit_once(), self.aspect)


def _raise_difference(comparison: ComparedLog, audited: Audit, aspect: str = "") -> None:
    """Raise an AssertionError if a function differs, or warn if it was too slow to tell.

    With an aspect, only that is looked at, and its row is the first line.
    """
    __tracebackhide__ = True
    rows = [row for row in audited.rows if not aspect or row.aspect == aspect]
    if any(row.agrees is False for row in rows):
        raise AssertionError(f"{aspect}: {rows[0].finding}\n{audited}" if aspect else str(audited))
    if any(row.agrees is None for row in rows):
        for note in list_notes_on_calls(comparison.findings.log):
            warnings.warn(note, UserWarning, stacklevel=3)


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
    """Audit a function, and say whether that is a failure."""
    check_allowed("audit", set(), {"zero_division": zero_division})
    scorers = read_scorers(function)
    if metric is None and scorers is not None and [*scorers] != [""]:
        result = audit_scorers(scorers, tolerance, random_state)
        return Verdict(result, "", "", _CODES[result.agrees])
    expected = None if metric is None else read_expected(metric, zero_division, "audit")
    comparison, audited = audit_one(function, expected, tolerance, random_state)
    if expected is not None:
        failing = "" if audited.agrees is not False else "failed"
        return Verdict(audited, failing, audited.title if failing else "", _CODES[audited.agrees])
    recognition = comparison.own.recognition
    if isinstance(recognition.failure, PermanentFailure) or recognition.size_limit is not None:
        return Verdict(audited, "failed", audited.title, 1)
    for row in audited.rows:
        if row.aspect in SOUNDNESS_ASPECTS and row.agrees is False:
            return Verdict(audited, "failed", f"{row.aspect}: {row.finding}", 1)
    allowed = find_expectation(recognition)
    if allowed is None:
        words = "To compare it with a definition, add --metric, as in --metric AP"
    else:
        words = f"It computes {allowed.metric}. To check for it in CI, add {allowed.options}"
    return Verdict(audited, "unchecked", words, 3)


_CODES = {True: 0, False: 1, None: 3}  # by whether a function agrees
