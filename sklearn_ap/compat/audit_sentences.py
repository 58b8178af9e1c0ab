"""Write what an audit has found: its rows, its first line, and its notes."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan
from typing import NamedTuple

import numpy as np

from .._words.messages import format_count
from ..core.ragged import Array
from .audited_scorers import RankingSource, Scorer, is_made_by_sklearn
from .call_log import (
    ASPECTS,
    FORMS,
    MAX_FAILED_CALLS,
    MAX_SAMPLES_IN_TEXT,
    MAX_SECONDS,
    SOUNDNESS_ASPECTS,
    Call,
    CallLog,
    format_call_value,
)
from .call_values import are_equal
from .findings import Aspect, AspectOutcome, Conclusion, Finding, Findings
from .hypotheses import Hypothesis
from .mistakes import NEGATED, NEGATED_VALUE, OTHER_CLASS_NEGATED
from .recognition import ConstantValue, PermanentFailure, Recognition, SizeLimit

_HINT_AT_LABELS = (
    "Perhaps it finds no positives among the labels 0 and 1: does it expect other labels?"
)
_HINT_AT_ARGUMENTS = (
    "A scorer gets an array as X, and labels 0 and 1 unless its error asks for others."
)
# By whether make_scorer made the scorer, or somebody wrote it
_ADVICE_ON_LABELS = {
    True: 'Pass response_method=("decision_function", "predict_proba").',
    False: "Rank by decision_function(X), or by the positive class's column of predict_proba(X).",
}
_ADVICE_ON_SIGN = {
    True: "Leave out greater_is_better=False, which negates it.",
    False: "Leave out the minus sign.",
}
_MAX_WRITTEN_WEIGHTS = 10
_MAX_EXCEPTIONS_SPELLED_OUT = 2  # in a title; the others have rows


class AuditedScorer(NamedTuple):
    """A scorer, and what it ranks by."""

    scorer: Scorer
    ranked_by: RankingSource


# --- rows ----------------------------------------------------------------------------------------


def write_rows(findings: Findings) -> tuple[Aspect, ...]:
    return tuple(write_row(findings, finding) for finding in findings.by_aspect.values())


def write_row(findings: Findings, finding: Finding) -> Aspect:
    """Return the row of an aspect, with the ranking that shows what differs."""
    text = _describe_finding(findings, finding)
    if finding.is_different and finding.call is not None:
        ranking = finding.call.labels.tolist(), finding.call.scores.tolist()
        value = finding.call.value
        return Aspect(finding.aspect, text, False, *ranking, value, finding.expected)
    return Aspect(finding.aspect, text, None if finding.is_unknown else True)


def _describe_finding(findings: Findings, finding: Finding) -> str:
    match finding.outcome:
        case AspectOutcome.EQUAL:
            return _describe_equal(findings, finding)
        case AspectOutcome.DIFFERENT:
            return f"{_describe_differing_aspect(findings, finding)}{_describe_counts(finding)}"
        case AspectOutcome.REFUSED:
            return f"refused{_get_call(finding).error or ': nan'}"
        case AspectOutcome.ARRAYS_NEEDED:
            return f"needs arrays: {describe_ranking(findings, finding)}{_describe_counts(finding)}"
        case AspectOutcome.CHANGING:
            return "not compared: values change from call to call"
        case AspectOutcome.NOT_TRIED:
            return "not tried"
        case AspectOutcome.NO_WEIGHTS:
            return "it takes none"
        case AspectOutcome.UNDEFINED:
            return "not compared: nobody agrees on a weighted value"


def _describe_equal(findings: Findings, finding: Finding) -> str:
    log, n_tried, n_skipped = findings.log, finding.n_tried, finding.n_skipped
    text = "nothing differs" if n_tried else "not tried"
    if finding.n_too_large:
        text += f" up to {max(log.memory):,} samples, as more would take over 1 GB"
    if n_skipped and n_tried and finding.aspect != "many samples":
        return f"{text} in {n_tried:,} of {n_tried + n_skipped:,} rankings"
    if log.has_given_up:
        return "not tried"
    if n_skipped:
        most = max(log.seconds, default=0)
        seconds = log.seconds.get(most, nan)
        return f"not tried with more than {most:,} samples, which take {seconds:.2g} s"
    if finding.aspect == "shifted" and findings.recognition.is_single:
        return f"{text} but scores that are equal as float32"
    return text


def _describe_differing_aspect(findings: Findings, finding: Finding) -> str:
    """Say what differs in an aspect, and show it on the smallest ranking."""
    if finding.aspect == "arguments changed":
        call = _get_call(finding)
        return f"{' and '.join(call.changed)} of {call.ranking}"
    text = describe_ranking(findings, finding)
    if finding.aspect == "many samples" and findings.size_limit is not None:
        return f"{_describe_size_limit(findings.size_limit)}: {text}"
    if finding.aspect == "order of rows":
        return f"matters with ties only: {text}" if finding.has_ties_only else f"matters: {text}"
    if finding.aspect == "ties" and findings.recognition.has_tied_order:
        return f"{_describe_tied_order(findings.recognition)}: {text}"
    if finding.misreading is not None:
        return f"{text}, as if scores were read {finding.misreading.reading}"
    return text


def describe_ranking(findings: Findings, finding: Finding) -> str:
    """Say what a function gives for the smallest ranking on which it differs."""
    call, text = _get_call(finding), ""
    if finding.weight_mistake is not None:
        text = f"{finding.weight_mistake.words}, so "
    text += call.ranking
    if call.labels.size > MAX_SAMPLES_IN_TEXT:
        text += f" (`audit.rows[{[*ASPECTS].index(finding.aspect)}]`)"
    if call.weights is not None:
        weights = np.asarray(call.weights).tolist()[:_MAX_WRITTEN_WEIGHTS]
        text += f" and weights {', '.join(map(str, weights))}"
    text += f" gives {_describe_returned(findings, call, finding.expected)}"
    return f'{text}, with the warning "{finding.warning}"' if finding.warning else text


def _get_call(finding: Finding) -> Call:
    assert finding.call is not None
    return finding.call


def _describe_returned(findings: Findings, call: Call, expected: float) -> str:
    """Say what a call returned, and what it should have returned."""
    other = format_call_value(float(expected))
    if findings.raises and call.aspect == "no positives":
        other = "an error"
    elif call.aspect in FORMS and call.aspect not in findings.changing_forms:
        before = findings.get_original(call)
        other = before.returned
        # If it's the function's own value
        if not are_equal(before.value, expected, findings.tolerance):
            when = "in another call" if call.aspect == "repeated calls" else "before the change"
            return f"{call.returned}, and {other} {when}{call.error}"
    return f"{call.returned} instead of {other}{call.error}"


def _describe_counts(finding: Finding) -> str:
    """Say how many rankings differ in an aspect, and which ones if a feature tells them."""
    is_all_of_weights = finding.aspect == "weights" and finding.n_differing == finding.n_tried
    if finding.n_tried == 1 or is_all_of_weights:
        return ""
    where = "" if finding.limit is None else f", those {finding.limit}"
    differ = "differs" if finding.n_differing == 1 else "differ"
    return f" ({finding.n_differing:,} of {finding.n_tried:,} rankings {differ}{where})"


def _describe_tied_order(recognition: Recognition) -> str:
    """Say how the function ranks tied samples, without what that means for a row."""
    if recognition.is_between:
        return "the value is between those of the best and the worst order"
    assert recognition.order is not None
    return recognition.order.meaning


def _describe_size_limit(limit: SizeLimit) -> str:
    """Say above how many samples a function fails, without its error."""
    verb = "fails" if limit.error else f"gives {limit.returned}"
    if limit.is_exact:
        return f"{verb} above {format_count(limit.most, 'samples')}"
    return f"{verb} in all rankings tried with more than {format_count(limit.most, 'samples')}"


# --- titles --------------------------------------------------------------------------------------


def write_title(
    findings: Findings, conclusion: Conclusion, audited: AuditedScorer | None, subject: str = ""
) -> str:
    """Say what a function or a scorer computes, and whether it always does.

    `subject` is what the first words say that it is; by default what was recognized.
    """
    if audited is None:
        return _write_title_of_function(findings, subject)
    return _write_title_of_scorer(findings, conclusion, audited, subject)


def write_comparison_title(
    findings: Findings,
    own: Findings,
    conclusion: Conclusion,
    audited: AuditedScorer | None,
    expected: str,
) -> str:
    """Say whether the function is what is expected of it, and if not, what it is instead.

    `own` says what it computes, of which the conclusion is drawn.
    """
    name = _quote(expected)
    if findings.conclusion in CONCLUSIONS_ON_ONE_DEFINITION:
        subject = f"It's {name}" if findings.differences else _write_expected_subject(findings)
        return write_title(findings, findings.conclusion, audited, subject)
    hypothesis = own.recognition.hypothesis
    if hypothesis is not None and conclusion in (
        *CONCLUSIONS_ON_ONE_DEFINITION,
        Conclusion.MISTAKEN,
    ):
        instead = write_title(own, conclusion, audited, hypothesis.phrase)
        return f"It isn't {name}, but {instead}"
    own_title = write_title(own, conclusion, audited)
    if conclusion in (Conclusion.ALIKE, Conclusion.UNKNOWN):
        example = _describe_example(findings, findings.facts[0])
        return f"It isn't {name}: {example}. {own_title}"
    return f"It isn't {name}. {own_title}"


CONCLUSIONS_ON_ONE_DEFINITION = (
    Conclusion.EXCEPTIONS,
    Conclusion.WHEREVER_TRIED,
    Conclusion.ALWAYS,
)


def _write_expected_subject(findings: Findings) -> str:
    """Name what is expected and computed, as in "Linear, ties by row, as expected"."""
    definition = findings.definition
    words = (Hypothesis(definition).sentence, definition.order.value, definition.reading.words)
    return ", ".join([*filter(None, words), "as expected"])


def _quote(name: str) -> str:
    return f'"{name}"' if "," in name else name


def _write_title_of_function(findings: Findings, subject: str = "") -> str:
    hypothesis = findings.recognition.hypothesis
    match findings.recognition.failure:
        case PermanentFailure(error, which):
            return f"Every {which} fails{_end_error(error)}"
        case ConstantValue() as failure:
            return _describe_constant(failure)
    limit = findings.size_limit
    failing = f"{_describe_size_limit(limit)}{_end_error(limit.error)}" if limit else ""
    if hypothesis is None or findings.conclusion is Conclusion.ALIKE:
        text = _describe_likeness(findings)
        return f"{text} It {failing}" if failing else text
    text = subject or hypothesis.sentence
    match findings.conclusion:
        case Conclusion.EXCEPTIONS:
            exceptions = [
                _describe_exception(findings, each, is_short=place >= _MAX_EXCEPTIONS_SPELLED_OUT)
                for place, each in enumerate(findings.exceptions)
            ]
            if exceptions:
                text += ", and " if hypothesis.is_limited else ", except "
                text += ", and ".join(exceptions)
            return f"{text}, but {failing}" if failing else f"{text}."
        case Conclusion.MISTAKEN:
            return f"{text}."
    counts = f"the same in {describe_count(findings, findings.fits)}"
    if findings.conclusion is Conclusion.WHEREVER_TRIED:
        text, untried = f"{text}, wherever tried: {counts}.", ", ".join(_list_untried(findings))
        return f"{text} Not tried: {untried}." if untried else text
    if findings.is_trap.any():
        counts += " as arrays"
    return f"{text}, always: {counts}."


def _end_error(error: str) -> str:
    return error if error.endswith("?") else f"{error.rstrip('.')}."


def _write_title_of_scorer(
    findings: Findings, conclusion: Conclusion, audited: AuditedScorer, subject: str
) -> str:
    """Say what a scorer ranks by, too."""
    scorer, ranked_by = audited
    recognition, failure = findings.recognition, findings.recognition.failure
    match conclusion:
        case Conclusion.LABELS_RANKED:
            if isinstance(failure, PermanentFailure):
                example = f"every {failure.which} fails{failure.error.rstrip('.')}"
            else:
                example = describe_ranking(findings, findings.by_aspect["values"])
            advice = _ADVICE_ON_LABELS[is_made_by_sklearn(scorer)]
            return f"Ranks by predict, so by labels instead of scores: {example}. {advice}"
        case Conclusion.OTHER_METRIC:
            return f"This isn't average precision; it ranks by {ranked_by}."
        case Conclusion.ROC_AREA:
            return f"ROC AUC isn't average precision; it ranks by {ranked_by}."
        case Conclusion.FAILS:
            return f"{_write_title_of_function(findings)} {_HINT_AT_ARGUMENTS}"
    hypothesis, title = recognition.hypothesis, _write_title_of_function(findings, subject)
    is_turned = hypothesis is not None and hypothesis.mistake in (NEGATED, OTHER_CLASS_NEGATED)
    if is_turned and ranked_by.methods == ("predict_proba",):
        return f"{title} Take the column of {ranked_by.column}, not the other one."
    if hypothesis is not None and hypothesis.value_change is NEGATED_VALUE:
        return f"{title} {_ADVICE_ON_SIGN[is_made_by_sklearn(scorer)]}"
    if hypothesis is not None and findings.has_no_difference:
        return f"{subject or hypothesis.sentence}, by {ranked_by}."
    return f"{title} It ranks by {ranked_by}."


def describe_count(findings: Findings, has: Array) -> str:
    n_rankings, n_having = findings.count_rankings(has)
    return f"{n_having:,} of {n_rankings:,} rankings"


def _describe_constant(failure: ConstantValue) -> str:
    which = "every ranking without ties"
    if failure.needs_both_classes:
        which += " and with both classes"
    text = f"Not a metric: {which} gives {failure.returned}."
    return f"{text} {_HINT_AT_LABELS}" if failure.has_no_positives else text


def _describe_likeness(findings: Findings) -> str:
    """Say which definition is nearest, and how often the function returns its value."""
    hypothesis = findings.recognition.hypothesis
    if hypothesis is None:
        counts = describe_count(findings, findings.is_equal)
        text = "None of the definitions that are known here, and none is near"
        return f"{text}: the same as step average precision in {counts}."
    if not findings.recognition.is_like:  # but other aspects differ
        counts = describe_count(findings, findings.is_equal)
        return f"Like {_quote(hypothesis.phrase)}, but not always: the same in {counts}."
    counts = describe_count(findings, findings.fits)
    text = f"Like {_quote(hypothesis.phrase)}, but not always: the same in {counts}."
    return f"{text} No known definition is nearer."


def _describe_exception(findings: Findings, finding: Finding, is_short: bool) -> str:
    aspect = finding.aspect
    if aspect == "repeated calls":
        return "that it changes from call to call"
    if aspect == "arguments changed":
        return "that it changes its arguments"
    if is_short:
        return ASPECTS[aspect]
    if _has_order_of_ties(findings, finding):
        return f"with ties: {_describe_tied_order(findings.recognition)}"
    text = _describe_returned_everywhere(findings, finding) or _describe_example(findings, finding)
    return f"{ASPECTS[aspect]}: {text}"


def _describe_example(findings: Findings, finding: Finding) -> str:
    """Show what differs in an aspect on the smallest ranking, without what it's explained by."""
    if finding.aspect in SOUNDNESS_ASPECTS:
        return _describe_finding(findings, finding)
    return f"{describe_ranking(findings, finding)}{_describe_counts(finding)}"


def _describe_returned_everywhere(findings: Findings, finding: Finding) -> str:
    """Say what all calls about an aspect returned; empty if it's not the same."""
    tried, differing = findings.find_differing(finding.aspect)
    if finding.aspect == "weights" or len(differing) < len(tried):
        return ""
    texts = {_describe_returned(findings, findings.calls[i], findings.expected[i]) for i in tried}
    if len(texts) > 1:
        return ""
    return _describe_returned(findings, _get_call(finding), finding.expected)


def _list_untried(findings: Findings) -> Iterator[str]:
    """Name what could differ, but wasn't tried."""
    log = findings.log
    for finding in findings.by_aspect.values():
        if finding.is_incomplete and not finding.n_tried:
            yield finding.aspect
        if finding.n_too_large:
            yield f"more than {max(log.memory):,} samples"
    if log.skips_sizes:
        yield f"more than {max(log.seconds):,} samples"


# --- printed rows --------------------------------------------------------------------------------

# Those whose title says all, so that no rows are printed
_COMPLETE_CONCLUSIONS = (
    Conclusion.OTHER_METRIC,
    Conclusion.LABELS_RANKED,
    Conclusion.FAILS,
    Conclusion.CONSTANT,
)


def write_cells(findings: Findings, own: Findings, conclusion: Conclusion) -> list[tuple[str, str]]:
    """Return the rows that are printed, as aspects and examples.

    What the title shows isn't repeated, and neither is what follows from something else. `own` are
    the findings on what the function computes, of which the conclusion is drawn.
    """
    if conclusion in _COMPLETE_CONCLUSIONS:
        return []
    is_like = conclusion in (Conclusion.ALIKE, Conclusion.UNKNOWN)
    titled = own if findings.conclusion not in CONCLUSIONS_ON_ONE_DEFINITION else findings
    exceptions = titled.exceptions if titled.conclusion is Conclusion.EXCEPTIONS else []
    in_title = [
        finding.aspect
        for finding in exceptions[:_MAX_EXCEPTIONS_SPELLED_OUT]
        if not _has_order_of_ties(titled, finding)
    ]
    in_rows = {each.aspect for each in exceptions[_MAX_EXCEPTIONS_SPELLED_OUT:]}
    rest = [finding for finding in findings.facts if finding.aspect not in in_title]
    is_first_in_title = is_like and own is not findings  # as of "It isn't 11-point: [1] gives ..."
    printed = [] if is_first_in_title else rest[:1]
    printed += [each for each in rest[1:] if each.aspect in {*SOUNDNESS_ASPECTS, *in_rows}]
    return [(each.aspect, _describe_example(findings, each)) for each in printed]


def _has_order_of_ties(findings: Findings, finding: Finding) -> bool:
    """Whether the title says how tied samples are ranked, instead of what that changes."""
    return finding.aspect == "ties" and findings.are_ties_explained


# --- notes ---------------------------------------------------------------------------------------


def list_notes(findings: Findings, own: Findings) -> Iterator[str]:
    """Yield what else is to be said. `own` are the findings on what the function computes."""
    yield from _list_notes_on_findings(own)
    yield from list_notes_on_calls(findings.log)
    if not findings.differences:
        yield _describe_tried(findings.log, findings.tolerance)


def _list_notes_on_findings(findings: Findings) -> Iterator[str]:
    """Yield what else a function may compute, and what it refuses."""
    for sentence in findings.recognition.alternatives:
        yield f"Nothing that was tried tells it from this: {sentence}."
    for aspect in ("float labels", "read-only arrays"):
        finding = findings.by_aspect[aspect]
        if finding.outcome is AspectOutcome.REFUSED:
            yield f"It refuses {aspect}{_get_call(finding).error.rstrip('.')}."


def list_notes_on_calls(log: CallLog) -> Iterator[str]:
    """Yield how many rankings weren't tried."""
    n_skipped, n_tried = log.skipped.total(), len(log.calls) + len(log.weighted)
    if log.has_given_up:
        yield f"After {MAX_FAILED_CALLS} calls that failed, the other rankings weren't tried."
    elif n_skipped:
        text = f"After {MAX_SECONDS:g} s, {n_tried:,} of {n_tried + n_skipped:,} rankings had been "
        text += "tried, because the function is slow"
        if log.skips_sizes:
            text += f": none with more than {max(log.seconds):,} samples"
        yield f"{text}."


def _describe_tried(log: CallLog, tolerance: float) -> str:
    """Say on what a function was tried, which is all that is known of it."""
    calls = [*log.calls, *log.weighted]
    sizes = [f"{size:,}" for size in sorted({call.labels.size for call in calls})]
    fractions = [call.labels.mean() for call in calls if call.has_both_classes]
    text = (
        f"Tried in {log.n_called:,} calls, but not with NaN scores, other labels, or lists.\n"
        f"Arrays were contiguous, of int64, float64, float32 and bool, and had {', '.join(sizes)} "
        f"samples and at most {max(fractions, default=0):.0%} positives. Values within "
        f"{tolerance:g} are equal."
    )
    weights = [call.weights for call in log.weighted if call.weights is not None]
    if weights:
        used = np.concatenate(weights)
        text += f" Weights were {used[used > 0].min():g} to {used.max():,g}."
    return f"{text} Without {', '.join(log.unused)}." if log.unused else text
