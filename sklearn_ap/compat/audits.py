"""Audit functions, scorers and programs, say what was found, and what to expect of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from math import isnan, nan
from textwrap import shorten
from typing import Any, NamedTuple

import numpy as np

from .._enter.entry import public
from .._enter.metric import Metric, write_plain_name
from .._inputs.records import DATA_OPTIONS
from .._show.results import LazyValue
from .._words.messages import format_count
from ..core.cutoff import Cut
from ..core.ragged import Array
from ..core.rules import GroupFunction, Step
from ..exceptions import InvalidParameterError
from ..metrics import make_metric
from .audited_scorers import (
    RankingSource,
    Scorer,
    Setting,
    find_changes,
    is_of_sklearn,
    make_settings,
    read_own_class,
    read_scorers,
)
from .call_log import (
    ASPECTS,
    FORMS,
    MAX_ERROR_LENGTH,
    MAX_FAILED_CALLS,
    MAX_SAMPLES_IN_TEXT,
    MAX_SECONDS,
    SCORE_ASPECTS,
    Call,
    CallLog,
    draw_ranking,
    format_call_value,
)
from .call_values import ALL_ROWS, CallValues, are_equal
from .data_sets import Reading
from .findings import (
    NO_TOOLS,
    Aspect,
    AspectOutcome,
    Audit,
    Conclusion,
    Finding,
    Findings,
    ScoringAudit,
)
from .mistakes import MISTAKES_OF_LABELS, NEGATED, NO_MISTAKE, OTHER_CLASS, OTHER_CLASS_NEGATED
from .ranking_files import call_or_replay
from .recognition import (
    N_SAMPLED_CALLS,
    ConstantValue,
    Hypothesis,
    PermanentFailure,
    Recognition,
    SizeLimit,
)
from .variant_rules import Order, RocArea
from .variants import TERMS, Variant

_HINT_AT_LABELS = (
    "Perhaps it finds no positives among the labels 0 and 1: does it expect other labels?"
)
_HINT_AT_ARGUMENTS = (
    "A scorer gets an array as X, and labels 0 and 1 unless its error asks for others."
)
_MAX_WRITTEN_WEIGHTS = 10
_QUALITIES: tuple[Order | Reading, ...] = (*Order, Reading.SINGLE)  # whose values end a name
_VALUES_AS_CODE = {"raise": '"raise"', "nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf"}
_N_RANKINGS_TO_NAME = 6  # rankings, of which all definitions are computed to know their names
_RARITY_OF_NO_DEFINITION = 9  # above that of every definition
_ASPECTS_BEYOND_PROBABILITIES = {*SCORE_ASPECTS} - {"scaled", "float32", "close scores"}
_MISTAKES_OF_SCORERS = (
    *(NO_MISTAKE, NEGATED, OTHER_CLASS, OTHER_CLASS_NEGATED),
    *MISTAKES_OF_LABELS,
)


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


def describe_difference_as_code(findings: Findings, finding: Finding) -> str:
    """Return code that makes the ranking of a row, with the values below it."""
    row = write_row(findings, finding)
    code = _get_call(finding).format_code(findings.log.weights_as, findings.log.seed)
    return f"{code}\nvalue: {row.value}\nexpected: {row.expected}\n{row.aspect}: {row.finding}"


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
    return f"{text} gives {_describe_returned(findings, call, finding.expected)}"


def _get_call(finding: Finding) -> Call:
    assert finding.call is not None
    return finding.call


def _describe_returned(findings: Findings, call: Call, expected: float) -> str:
    """Say what a call returned, and what it should have returned."""
    tolerance, other = findings.tolerance, format_call_value(float(expected))
    if call.is_text and are_equal(call.value, expected, tolerance):
        return f"the text {call.returned!r} instead of a number"
    if findings.raises and call.aspect == "no positives":
        other = "an error"
    elif call.aspect in FORMS and call.aspect not in findings.changing_forms:
        before = findings.calls[call.original]
        other = before.returned
        if not are_equal(before.value, expected, tolerance):  # it's the function's own value
            when = "in another call" if call.aspect == "repeated calls" else "before the change"
            return f"{call.returned}, and {other} {when}{call.error}"
    return f"{call.returned} instead of {other}{call.error}"


def _describe_counts(finding: Finding) -> str:
    """Say how many rankings differ in an aspect, and which ones if a feature tells them."""
    is_all_of_weights = finding.aspect == "weights" and finding.n_differing == finding.n_tried
    if finding.n_tried == 1 or is_all_of_weights:
        return ""
    where = "" if finding.limit is None else f", those {finding.limit}"
    return f" (it differs in {finding.n_differing:,} of {finding.n_tried:,} rankings{where})"


def _describe_tied_order(recognition: Recognition) -> str:
    """Say how the function ranks tied samples, without what that means for a row."""
    if recognition.is_between:
        return "the value is between those of the best and the worst order"
    assert recognition.order is not None
    return TERMS[recognition.order.value.removeprefix(", ")].partition(", so")[0]


def _describe_size_limit(limit: SizeLimit) -> str:
    """Say above how many samples a function fails, without its error."""
    verb = "fails" if limit.error else "gives nan"
    if limit.is_exact:
        return f"{verb} above {format_count(limit.most, 'samples')}"
    return f"{verb} in all rankings tried with more than {format_count(limit.most, 'samples')}"


# --- titles --------------------------------------------------------------------------------------


def write_title(findings: Findings) -> str:
    """Say what the function computes, and whether it always does."""
    recognition, model = findings.recognition, findings.recognition.model
    match recognition.failure:
        case PermanentFailure(error, which):
            return f"Every {which} fails{_end_error(error)}"
        case ConstantValue():
            return _describe_constant(recognition.failure)
    limit = findings.size_limit
    failure = "" if limit is None else _describe_size_limit(limit)
    if model is None or findings.conclusion is Conclusion.ALIKE:
        if model is None:
            counts = describe_count(findings, findings.is_equal)
            text = f"None of the definitions that are known here. It equals step on {counts}."
        else:
            text = _describe_likeness(findings, model)
        return f"{text} It {failure}{_end_error(limit.error)}" if limit else text
    match findings.conclusion:
        case Conclusion.EXCEPTIONS:
            text = model.sentence
            exceptions = [_describe_exception(findings, each) for each in findings.exceptions]
            if exceptions:
                text += f", except {', and '.join(exceptions)}"
            return f"{text}, but {failure}{_end_error(limit.error)}" if limit else f"{text}."
        case Conclusion.MISTAKEN:
            return f"{model.sentence}."
    counts = f"the same in {describe_count(findings, findings.fits)}"
    if findings.conclusion is Conclusion.WHEREVER_TRIED:
        untried = ", ".join(_list_untried(findings))
        return f"{model.sentence}, wherever tried: {counts}. Not tried: {untried}."
    if findings.is_trap.any():
        counts += " as arrays"
    return f"{model.sentence}, always: {counts}."


def _end_error(error: str) -> str:
    return error if error.endswith("?") else f"{error.rstrip('.')}."


def write_comparison_title(findings: Findings, expected: str) -> str:
    return f"It equals {expected} on {describe_count(findings, findings.is_equal)}."


def write_scorer_title(
    findings: Findings, conclusion: Conclusion, ranked_by: RankingSource, agrees: bool
) -> str:
    """Say what a scorer ranks by, too."""
    recognition, failure = findings.recognition, findings.recognition.failure
    match conclusion:
        case Conclusion.LABELS_RANKED:
            if isinstance(failure, PermanentFailure):
                example = f"every {failure.which} fails{failure.error.rstrip('.')}"
            else:
                example = _describe_values(findings)
            return (
                f"Ranks by predict, so by labels instead of scores: {example}. Pass "
                'response_method=("decision_function", "predict_proba").'
            )
        case Conclusion.OTHER_METRIC:
            return f"This isn't average precision; it ranks by {ranked_by}."
        case Conclusion.ROC_AREA:
            return f"ROC AUC isn't average precision; it ranks by {ranked_by}."
        case Conclusion.FAILS:
            return f"{write_title(findings)} {_HINT_AT_ARGUMENTS}"
    model = recognition.model
    is_turned = model is not None and model.mistake in (NEGATED, OTHER_CLASS_NEGATED)
    if is_turned and ranked_by.methods == ("predict_proba",):
        column = f"the column of {str(ranked_by).replace(',', '')}"
        return f"{write_title(findings)} Take {column}, not the other one."
    if model is not None and model.value_change.short == "times -1":
        return f"{write_title(findings)} Leave out greater_is_better=False, which negates it."
    if agrees and recognition.model is not None:
        return f"{recognition.model.sentence}, by {ranked_by}."
    return f"{write_title(findings)} It ranks by {ranked_by}."


def _describe_values(findings: Findings) -> str:
    """Say what differs in values, without counts."""
    finding = findings.by_aspect["values"]
    if finding.is_different:
        return describe_ranking(findings, finding)
    return _describe_finding(findings, finding)


def describe_count(findings: Findings, has: Array) -> str:
    n_rankings, n_having = findings.count_rankings(has)
    return f"{n_having:,} of {n_rankings:,} rankings"


def _describe_constant(failure: ConstantValue) -> str:
    which = "every ranking without ties"
    if failure.needs_both_classes:
        which += " and with both classes"
    text = f"Not a metric: {which} gives {failure.returned}."
    return f"{text} {_HINT_AT_LABELS}" if failure.has_no_positives else text


def _describe_likeness(findings: Findings, model: Hypothesis) -> str:
    """Say how often the function returns the value of a definition, and where it doesn't."""
    name = f'"{model.name}"' if "," in model.name else model.name
    counts = describe_count(findings, findings.is_equal)
    return f"Like {name}, but not always: the same in {counts}."


def _describe_exception(findings: Findings, finding: Finding) -> str:
    aspect = finding.aspect
    if aspect == "repeated calls":
        return "that it changes from call to call"
    if aspect == "arguments changed":
        return "that it changes its arguments"
    if finding.is_text_only:
        return "that it returns text instead of a number"
    if aspect == "ties" and findings.are_ties_explained:
        return f"with ties: {_describe_tied_order(findings.recognition)}"
    text = _describe_returned_everywhere(findings, finding)
    if not text:
        text = f"{describe_ranking(findings, finding)}{_describe_counts(finding)}"
    return f"{ASPECTS[aspect]}: {text}"


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
    for finding in findings.by_aspect.values():
        is_tried = finding.n_tried and not finding.n_skipped
        if finding.is_incomplete and not is_tried:
            yield finding.aspect
        if finding.n_too_large:
            yield f"more than {max(findings.log.memory):,} samples"


# --- notes ---------------------------------------------------------------------------------------


def list_notes(findings: Findings) -> Iterator[str]:
    """Yield what a function refuses, and what it needs."""
    for sentence in findings.recognition.alternatives:
        yield f"Nothing that was tried tells it from this: {sentence}."
    for finding in findings.by_aspect.values():
        aspect = finding.aspect
        if finding.outcome is AspectOutcome.ARRAYS_NEEDED:
            yield f"It needs arrays: as a pandas Series, {describe_ranking(findings, finding)}."
        is_refused = finding.outcome is AspectOutcome.REFUSED
        if is_refused and aspect in ("float labels", "read-only arrays"):
            yield f"It refuses {aspect}{_get_call(finding).error.rstrip('.')}."


def list_notes_on_calls(log: CallLog) -> Iterator[str]:
    """Yield the warning that most calls gave, and how many rankings weren't tried."""
    if log.warnings:
        text, n_calls = log.warnings.most_common(1)[0]
        calls, warning = format_count(n_calls, "calls"), shorten(text, MAX_ERROR_LENGTH)
        note = f'In {calls}, the function warned "{warning}"'
        if len(log.warnings) > 1:
            note += f", and {format_count(len(log.warnings) - 1, 'others')}"
        yield f"{note}."
    n_skipped, n_tried = log.skipped.total(), len(log.calls) + len(log.weighted)
    if log.has_given_up:
        yield f"After {MAX_FAILED_CALLS} calls that failed, the other rankings weren't tried."
    elif n_skipped:
        yield (
            f"After {MAX_SECONDS:g} s, {n_tried:,} of {n_tried + n_skipped:,} rankings were "
            "tried, because the function is slow."
        )


def describe_tried(log: CallLog, tolerance: float) -> str:
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


@dataclass(frozen=True)
class Expected:
    """What a function should compute."""

    name: str  # in words
    variant: Variant
    raises: bool = False  # an error without positives


def read_expected(
    metric: str | Metric, zero_division: Any = "warn", caller: str = "check_metric"
) -> Expected:
    """Return what a metric, or a definition in the words of an audit, computes of one ranking."""
    variant = None if isinstance(metric, Metric) else _read_definition(metric)
    if variant is None:
        if not isinstance(metric, Metric):
            metric = make_metric(metric, {}, caller, "metric")
        name, variant = write_plain_name(metric), _read_metric(metric)
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


def _read_metric(metric: Metric) -> Variant:
    """Return what a metric computes of one ranking, or refuse what needs more than that."""
    options = {*metric.options} & {*DATA_OPTIONS} - {"zero_division"}
    if options or isinstance(metric.rule, GroupFunction):
        what = " and ".join(sorted(options)) or "a function of its own"
        raise ValueError(
            f"check_metric calls the function with one ranking of labels 0 and 1, and {metric!r} "
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
        rest = rest.removesuffix(ending.value)
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
        if quality.value and quality is not Order.UNKNOWN and name.endswith(quality.value):
            return quality
    return None


def _read_metric_name(name: str) -> Variant | None:
    try:
        return _read_metric(make_metric(name, {}, "check_metric", "metric"))
    except InvalidParameterError:
        return None


def _normalize(name: str) -> str:
    """Return a name in the spelling of `Variant.name`."""
    return name.casefold().replace("@n", f"@{100 * ALL_ROWS:g}%").removesuffix(" average precision")


def _read_cut(name: str) -> Cut | None:
    """Return the cutoff in the name of a definition."""
    found = re.search(r"@(\d+(?:\.\d+)?)(%?)(?! to)", _normalize(name))
    if found is None:
        return None
    number = float(found[1])
    if found[2]:
        return Cut(number / 100) if 0 < number <= 100 else None
    return Cut(int(number)) if number >= 1 and number.is_integer() else None


@cache
def _list_expected_definitions(cut: Cut | None) -> dict[str, Variant]:
    """Return the definitions that an audit may name at a cutoff, by their names."""
    rng = np.random.default_rng(0)
    rankings = [draw_ranking(20, False, rng) for _ in range(_N_RANKINGS_TO_NAME)]
    values = CallValues([Call("values", *ranking) for ranking in rankings], 0.0)
    found: dict[str, Variant] = {}
    for variant in values.find_rarities([] if cut is None else [cut]):
        is_plain = variant.reading is Reading.EXACT and variant.order is Order.GROUPED
        usual = (0.0, None) if isinstance(variant.rule, RocArea) else (0.0,)
        if is_plain and variant.empty in usual and variant.average == "macro":
            found.setdefault(variant.name.casefold(), variant)
    return found


# --- what to expect ------------------------------------------------------------------------------


def compare_calls(log: CallLog, expected: Expected, tolerance: float) -> Findings:
    """Compare what a function did with what is expected of it."""
    found = Recognition.from_expected(log, tolerance, expected.variant)
    return Findings(found, expected.variant, expected.raises)


class Expectation(NamedTuple):
    """What to pass so that a function passes."""

    metric: str
    zero_division: str  # as text: "warn", "raise", "nan" or a number

    @property
    def arguments(self) -> str:
        text = f'"{self.metric}"'
        if self.zero_division == "warn":
            return text
        value = _VALUES_AS_CODE.get(self.zero_division, self.zero_division)
        return f"{text}, zero_division={value}"

    @property
    def options(self) -> str:
        metric = f'"{self.metric}"' if re.search(r"[^\w@%.-]", self.metric) else self.metric
        if self.zero_division == "warn":
            return f"--metric {metric}"
        return f"--metric {metric} --zero-division {self.zero_division}"


def find_expectation(found: Recognition) -> Expectation | None:
    """Return the definition that a function always computes; None if there is none."""
    model = found.model
    if model is None or found.order is None:
        return None
    if model.has_mistake and not found.is_single:
        return None
    variant = replace(model.variant, order=Order.GROUPED)
    name = "AP" if isinstance(variant.rule, Step) and variant.name == "step" else model.definition
    name += found.order.value
    if found.is_single:
        name += Reading.SINGLE.value
    for zero_division in ("warn", *_list_values_without_positives(found.log)):
        with_text = zero_division in ("warn", "raise")
        try:
            value: Any = zero_division if with_text else float(zero_division)
            expected = read_expected(name, value)
        except (InvalidParameterError, ValueError):
            return None
        if not compare_calls(found.log, expected, found.tolerance).differences:
            return Expectation(name, zero_division)
    return None


def _list_values_without_positives(log: CallLog) -> list[str]:
    """Return what a function does without positives, if it always does the same."""
    calls = [call for call in log.calls if call.aspect == "no positives"]
    if calls and all(call.error for call in calls):
        return ["raise"]
    texts = {f"{call.value:g}" for call in calls}
    return [*texts] if len(texts) == 1 else []


def audit_calls(log: CallLog, tolerance: float) -> tuple[Recognition, Audit]:
    """Compare what the function did with the definition that is most alike, or else with step."""
    recognition = Recognition.from_calls(log, tolerance)
    return recognition, _make_audit(_compare_with_intended(recognition))


def _compare_with_intended(recognition: Recognition) -> Findings:
    """Compare what a function did with what was meant.

    A function that ranks by anything but its scores, as the title says, doesn't compute what it
    should, so its rows say where it differs from the definition for the scores.
    """
    intended = replace(recognition.computed_variant.intended, order=Order.GROUPED)
    return Findings(recognition, intended)


def _make_audit(findings: Findings) -> Audit:
    log, model = findings.log, findings.recognition.model
    n_rankings, n_equal = findings.count_rankings(findings.is_equal)
    notes = [*list_notes(findings), *list_notes_on_calls(log)]
    if not findings.differences:
        notes.append(describe_tried(log, findings.tolerance))
    return Audit(
        definition=None if model is None else model.definition,
        mistake=", ".join(model.mistakes) or None if model is not None else None,
        title=write_title(findings),
        ranks_by=None,
        n_rankings=n_rankings,
        n_equal=n_equal,
        rows=write_rows(findings),
        notes=tuple(notes),
        _tools=LazyValue(findings.find_tools),
        _conclusion=findings.conclusion,
    )


# --- scorers -------------------------------------------------------------------------------------


def try_scorer(
    scorer: Scorer, setting: Setting, tolerance: float, random_state: Any
) -> tuple[CallLog, Setting, RankingSource]:
    """Call a scorer, in the setting whose positive class it ranks by."""
    setting, is_known = _find_own_setting(scorer, setting, tolerance, random_state)
    _, methods, _ = setting.try_once(scorer)
    ranked_by = RankingSource(tuple(methods), setting.positive, is_known)
    left_out = _ASPECTS_BEYOND_PROBABILITIES if "predict_proba" in methods else set()
    if setting.try_once(scorer, np.arange(4))[0] is None:  # it refuses labels as scores
        left_out = {*left_out, "integers"}
    log = CallLog(partial(setting.call, scorer), random_state, left_out, gets_series=True)
    return log.try_all(is_brief=is_of_sklearn(scorer)), setting, ranked_by


def _find_own_setting(
    scorer: Scorer, setting: Setting, tolerance: float, random_state: Any
) -> tuple[Setting, bool]:
    """Return the setting with the class that a scorer ranks by, and whether only it can be that."""
    first, last = sorted(setting[:2])
    settings = {
        last: setting._replace(positive=last, negative=first),  # what scikit-learn takes by default
        first: setting._replace(positive=first, negative=last),
    }
    own = read_own_class(scorer)
    if own in settings:
        return settings[own], True
    models = {
        label: _find_model(partial(each.call, scorer), tolerance, random_state)
        for label, each in settings.items()
    }
    rarities = {label: _rate_model(model) for label, model in models.items()}
    likeliest = min(rarities, key=lambda label: rarities[label])
    model = models[last]
    is_mistake = model is not None and model.has_mistake
    return settings[likeliest], rarities[first] != rarities[last] or is_mistake


def _find_model(function: Any, tolerance: float, random_state: Any) -> Hypothesis | None:
    """Return what equals a function on a few rankings, perhaps with labels for scores."""
    log = CallLog(function, random_state)
    random = (draw_ranking(20, False, log.rng) for _ in range(N_SAMPLED_CALLS // 2))
    log.try_each(Call("values", *log.shuffle(*ranking)) for ranking in random)
    return Recognition(log, tolerance).find_likeliest(_MISTAKES_OF_SCORERS)


def _rate_model(model: Hypothesis | None) -> int:
    if model is None:
        return _RARITY_OF_NO_DEFINITION
    return model.variant.rarity + 2 * model.has_mistake


def audit_scorer(
    scorer: Scorer, setting: Setting, tolerance: float, random_state: Any
) -> tuple[Recognition, Audit, Setting]:
    """Audit a scorer, and return the setting whose positive class it ranks by, too."""
    log, setting, ranked_by = try_scorer(scorer, setting, tolerance, random_state)
    recognition = Recognition.from_calls(log, tolerance, is_of_sklearn(scorer))
    findings = _compare_with_intended(recognition)
    audited = _make_audit(findings)
    conclusion = _conclude_on_scorer(scorer, findings, ranked_by)
    audited = replace(
        audited,
        title=write_scorer_title(findings, conclusion, ranked_by, audited.agrees is True),
        ranks_by=str(ranked_by) or None,
        _tools=NO_TOOLS,
        _conclusion=conclusion,
    )
    return recognition, audited, setting


def _conclude_on_scorer(scorer: Scorer, findings: Findings, ranked_by: RankingSource) -> Conclusion:
    """Return what is to be said of a scorer first."""
    model = findings.recognition.model
    fails = findings.conclusion is Conclusion.FAILS
    has_labels = model is not None and model.mistake in MISTAKES_OF_LABELS
    if ranked_by.methods == ("predict",) and (fails or has_labels):
        return Conclusion.LABELS_RANKED
    if model is None and is_of_sklearn(scorer) and not fails:
        return Conclusion.OTHER_METRIC
    if model is not None and isinstance(model.variant.rule, RocArea):
        return Conclusion.ROC_AREA
    return findings.conclusion


def audit_scorers(
    scorers: dict[str, Scorer], tolerance: float, random_state: Any
) -> Audit | ScoringAudit:
    """Audit scorers alone, and then together."""
    settings = make_settings(scorers)
    audits, positives = {}, {}
    for name, scorer in scorers.items():
        _, audits[name], setting = audit_scorer(scorer, settings[0], tolerance, random_state)
        positives[name] = setting.positive
    if [*audits] == [""]:
        return audits[""]
    changes = tuple(find_changes(scorers, settings, positives))
    return ScoringAudit((*audits,), (*audits.values(),), changes)


# --- public functions ----------------------------------------------------------------------------


@public()
def audit(function: Any, *, tolerance: float = 1e-6, random_state: Any = 0) -> Audit | ScoringAudit:
    """Find out which definition of average precision a function computes, and where they differ.

    The function is called as ``function(y_true, y_score)`` with about 1,600 rankings: all labels
    and ties of up to five samples, and random ones of up to 100,000, with their rows in an order
    that is far from sorted. Eight sizes from 201 to 5,000 are drawn from `random_state`. Its values
    are compared with the values of each definition, and with each other, for example after
    shuffling the rows. Each difference is shown on the smallest ranking that has it. What isn't
    tried isn't claimed.

    Scorers are called with an estimator that ranks by these scores, to find out by which of its
    methods, and for which class, they rank. Several are also called together, as scikit-learn does,
    with three kinds of estimators, to find out which values that changes.

    Parameters
    ----------
    function : callable, str, list, dict or array
        It gets the labels 0 and 1 and the prediction scores of one ranking as NumPy arrays, and
        returns a number. If it takes other arguments, pass a lambda. Or pass what you pass as
        `scoring` in scikit-learn: a scorer, its name, or a list or dict of these. What takes three
        arguments is a scorer. Or pass the values that a program returned for :func:`rankings`: in
        order, or a dict by their numbers.
    tolerance : float, default=1e-6
        How far apart equal values can be. The default is enough for sums in single precision.
    random_state : int, Generator or RandomState instance, default=0
        The seed of the random rankings.

    Returns
    -------
    audit : Audit or ScoringAudit
        It prints as a table of what differs. `definition` is the definition that the function
        computes, `agrees` says whether it always does, None if it was too slow to tell, and `rows`
        has what was found about each aspect. `ranks_by` says what a scorer ranks by. Of several
        scorers, `audits` has the audit of each, and `changes` what changes in company.

    See Also
    --------
    check_metric : Test that a function computes a metric.
    rankings : Let a program in another language compute the values.
    identify : Find the definition behind a reported value.

    Examples
    --------
    This is a common implementation. It is wrong if samples are tied:

    >>> import numpy as np
    >>> from sklearn_ap.compat import audit
    >>> def mean_precision(y_true, y_score):
    ...     hits = y_true[np.argsort(-y_score, kind="stable")] == 1
    ...     precision = np.cumsum(hits) / np.arange(1, hits.size + 1)
    ...     return precision[hits].mean() if hits.any() else 0.0
    >>> result = audit(mean_precision)
    >>> result.definition, result.agrees
    ('step', False)
    >>> [row.aspect for row in result.rows if not row.agrees]
    ['ties', 'order of rows', 'constant scores']
    >>> print(result.rows[1].finding.partition(": ")[2])
    [1, 0] with equal scores gives 1.0 instead of 0.5 (it differs in ...)

    Pass a function with a cutoff, or with groups, as a lambda:

    >>> from sklearn_ap import (
    ...     average_precision_at_k_score,
    ...     mean_average_precision_score,
    ... )
    >>> audit(lambda y, s: average_precision_at_k_score(y, s, k=5)).definition
    'AP@5 / min'
    >>> audit(
    ...     lambda y, s: mean_average_precision_score(y, s, groups=0 * y)
    ... ).definition
    'step'

    This scorer ranks by hard labels, for want of `response_method`:

    >>> from sklearn.metrics import average_precision_score, make_scorer
    >>> audit(make_scorer(average_precision_score)).ranks_by
    'predict, for the class 1'
    """
    scorers = read_scorers(function)
    if scorers is None:
        return audit_calls(call_or_replay(function, random_state), tolerance)[1]
    return audit_scorers(scorers, tolerance, random_state)
