"""Audit functions, scorers and programs: find out what they compute, or whether it's a metric."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from .._enter.entry import public
from .._enter.metric import Metric
from .._show.results import LazyValue
from ..core.cutoff import Cut
from .audit_sentences import (
    AuditedScorer,
    list_notes,
    write_cells,
    write_comparison_title,
    write_rows,
    write_title,
)
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
from .call_log import SCORE_ASPECTS, Call, CallLog, draw_ranking
from .call_values import ALL_ROWS
from .expectations import Expected, compare_calls, find_expectation, read_expected
from .findings import NO_TOOLS, Audit, Conclusion, Findings, ScoringAudit
from .hypotheses import Hypothesis
from .hypothesis_search import N_SAMPLED_CALLS, HypothesisSearch, recognize
from .mistakes import MISTAKES_OF_LABELS, NEGATED, NO_MISTAKE, OTHER_CLASS, OTHER_CLASS_NEGATED
from .ranking_files import call_or_replay
from .tie_orders import Order
from .variant_rules import RocArea

_RARITY_OF_NO_DEFINITION = 9  # above that of every definition
_ASPECTS_BEYOND_PROBABILITIES = {*SCORE_ASPECTS} - {"scaled", "float32", "close scores"}
_MISTAKES_OF_SCORERS = (
    *(NO_MISTAKE, NEGATED, OTHER_CLASS, OTHER_CLASS_NEGATED),
    *MISTAKES_OF_LABELS,
)
_OTHER_METRICS = Conclusion.OTHER_METRIC, Conclusion.ROC_AREA  # whose titles say so


class ComparedLog(NamedTuple):
    """What a function did, compared with what it should compute."""

    findings: Findings
    own: Findings  # on what it computes; the same ones without an expectation, or if it's met
    expected: Expected | None = None


def compare_log(
    log: CallLog, expected: Expected | None, tolerance: float, is_other: bool = False
) -> ComparedLog:
    """Compare what a function did with a metric, or else with what it seems to compute.

    `is_other` tells that nobody takes it for average precision.
    """
    if expected is not None:
        findings = compare_calls(log, expected, tolerance)
        if not findings.differences:
            return ComparedLog(findings, findings, expected)
    recognition = recognize(log, tolerance, is_other)
    # A function that ranks by anything but its scores, as the title says, doesn't compute what it
    # should, so its rows say where it differs from the definition for the scores.
    intended = replace(recognition.computed_variant.intended, order=Order.GROUPED)
    own = Findings(recognition, intended)
    return ComparedLog(own if expected is None else findings, own, expected)


def make_audit(comparison: ComparedLog, scorer: AuditedScorer | None = None) -> Audit:
    """Say what was found."""
    findings, own, expected = comparison
    hypothesis, is_like = own.recognition.hypothesis, own.recognition.is_like
    cut = None if hypothesis is None else hypothesis.variant.rule.cut
    conclusion = _draw_conclusion(own, scorer)
    notes = [*list_notes(findings, own)]
    if expected is None:
        title = write_title(own, conclusion, scorer)
        advice = _advise_on_metric(own, conclusion)
    else:
        title = write_comparison_title(findings, own, conclusion, scorer, expected.name)
        advice = _advise_on_expectation(comparison)
    is_average_precision = hypothesis is None or hypothesis.is_average_precision
    if not is_average_precision and expected is None and conclusion not in _OTHER_METRICS:
        notes.insert(0, "It isn't average precision.")
    n_rankings, n_equal = findings.count_rankings(findings.is_equal)
    is_named = hypothesis is not None and not (is_like and own.is_nearest_only)
    return Audit(
        definition=hypothesis.definition if hypothesis is not None and is_named else None,
        mistake=None if hypothesis is None or is_like else ", ".join(hypothesis.mistakes) or None,
        title=title,
        ranks_by=None if scorer is None else str(scorer.ranked_by) or None,
        n_rankings=n_rankings,
        n_equal=n_equal,
        rows=write_rows(findings),
        notes=(*notes, *advice),
        _tools=NO_TOOLS if scorer is not None else LazyValue(own.find_tools),
        _cutoff="" if cut in (None, Cut(ALL_ROWS)) else str(cut),
        _cells=tuple(write_cells(findings, own, conclusion)),
        _is_meant=expected is not None or is_average_precision,
        _is_other_metric=conclusion is Conclusion.OTHER_METRIC,
    )


def _advise_on_metric(findings: Findings, conclusion: Conclusion) -> list[str]:
    """Say how to compare with another definition, if none is recognized."""
    if conclusion not in (Conclusion.ALIKE, Conclusion.UNKNOWN):
        return []
    hypothesis = findings.recognition.hypothesis
    example = "11-point" if hypothesis is None or hypothesis.definition != "11-point" else "AP@10"
    more = "More in `rows`. " if len(findings.facts) > 1 else ""
    return [f'{more}To compare with another definition: audit(f, metric="{example}")']


def _advise_on_expectation(comparison: ComparedLog) -> list[str]:
    """Say how to expect what a function computes, if it isn't what was expected."""
    if not comparison.findings.differences:
        return []
    allowed = find_expectation(comparison.own.recognition)
    return (
        []
        if allowed is None
        else [f"To expect what it computes: check_metric(f, {allowed.arguments})"]
    )


# --- scorers -------------------------------------------------------------------------------------


def _try_scorer(
    scorer: Scorer, setting: Setting, tolerance: float, random_state: Any
) -> tuple[CallLog, Setting, RankingSource]:
    """Call a scorer, in the setting whose positive class it ranks by."""
    setting, is_known = _find_own_setting(scorer, setting, tolerance, random_state)
    _, methods, _ = setting.try_once(scorer)
    ranked_by = RankingSource(tuple(methods), setting.positive, is_known)
    left_out = _ASPECTS_BEYOND_PROBABILITIES if "predict_proba" in methods else ()
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
    hypotheses = {
        label: _find_hypothesis(partial(each.call, scorer), tolerance, random_state)
        for label, each in settings.items()
    }
    rarities = {label: _rate_hypothesis(hypothesis) for label, hypothesis in hypotheses.items()}
    likeliest = min(rarities, key=lambda label: rarities[label])
    hypothesis = hypotheses[last]
    is_mistake = hypothesis is not None and hypothesis.has_mistake
    return settings[likeliest], rarities[first] != rarities[last] or is_mistake


def _find_hypothesis(function: Any, tolerance: float, random_state: Any) -> Hypothesis | None:
    """Return what equals a function on a few rankings, perhaps with labels for scores."""
    log = CallLog(function, random_state)
    random = (draw_ranking(20, False, log.rng) for _ in range(N_SAMPLED_CALLS // 2))
    log.try_each(Call("values", *log.shuffle(*ranking)) for ranking in random)
    return HypothesisSearch(log, tolerance).find_likeliest(_MISTAKES_OF_SCORERS)


def _rate_hypothesis(hypothesis: Hypothesis | None) -> int:
    if hypothesis is None:
        return _RARITY_OF_NO_DEFINITION
    return hypothesis.variant.rarity + 2 * hypothesis.has_mistake


def audit_scorer(
    scorer: Scorer,
    setting: Setting,
    expected: Expected | None,
    tolerance: float,
    random_state: Any,
) -> tuple[ComparedLog, Audit, Setting]:
    """Audit a scorer, and return the setting whose positive class it ranks by, too."""
    log, setting, ranked_by = _try_scorer(scorer, setting, tolerance, random_state)
    comparison = compare_log(log, expected, tolerance, is_of_sklearn(scorer))
    return comparison, make_audit(comparison, AuditedScorer(scorer, ranked_by)), setting


def _draw_conclusion(findings: Findings, audited: AuditedScorer | None) -> Conclusion:
    """Return what is to be said first."""
    if audited is None:
        return findings.conclusion
    hypothesis = findings.recognition.hypothesis
    fails = findings.conclusion is Conclusion.FAILS
    has_labels = hypothesis is not None and hypothesis.mistake in MISTAKES_OF_LABELS
    if audited.ranked_by.methods == ("predict",) and (fails or has_labels):
        return Conclusion.LABELS_RANKED
    if hypothesis is not None and isinstance(hypothesis.variant.rule, RocArea):
        return Conclusion.ROC_AREA
    if is_of_sklearn(audited.scorer) and not fails:
        return Conclusion.OTHER_METRIC
    return findings.conclusion


def audit_one(
    function: Any, expected: Expected | None, tolerance: float, random_state: Any
) -> tuple[ComparedLog, Audit]:
    """Audit a function, the values of a program, or a single scorer."""
    scorers = read_scorers(function)
    if scorers is None:
        comparison = compare_log(call_or_replay(function, random_state), expected, tolerance)
        return comparison, make_audit(comparison)
    if len(scorers) > 1:
        raise ValueError(
            f"There are {len(scorers)} scorers, and a metric is of one function. Pass one of them, "
            "or leave out the metric: sklearn_ap.compat.audit(scoring)"
        )
    [scorer] = scorers.values()
    setting = make_settings(scorers)[0]
    return audit_scorer(scorer, setting, expected, tolerance, random_state)[:2]


def audit_scorers(
    scorers: dict[str, Scorer], tolerance: float, random_state: Any
) -> Audit | ScoringAudit:
    """Audit scorers alone, and then together."""
    settings = make_settings(scorers)
    audits, positives = {}, {}
    for name, scorer in scorers.items():
        _, audits[name], setting = audit_scorer(scorer, settings[0], None, tolerance, random_state)
        positives[name] = setting.positive
    if [*audits] == [""]:
        return audits[""]
    changes = tuple(find_changes(scorers, settings, positives))
    return ScoringAudit((*audits,), (*audits.values(),), changes)


# --- public functions ----------------------------------------------------------------------------


@public()
def audit(
    function: Any,
    metric: str | Metric | None = None,
    *,
    zero_division: float | str = "warn",
    tolerance: float = 1e-6,
    random_state: Any = 0,
) -> Audit | ScoringAudit:
    """Find out which definition of average precision a function computes, or whether it's a metric.

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
    metric : str or Metric, default=None
        The metric that a function, or a single scorer, should compute: a name, or an object made by
        :func:`sklearn_ap.metric`. Or a definition in the words of an audit, such as "linear" or
        "AP@5 / min". Add how tied samples are ranked, as in "AP, ties by row", or "scores as
        float32" if scores that are equal in single precision may be tied. All rows then compare the
        function with this metric. By default, they compare it with the definition that it computes,
        or with the nearest one.
    zero_division : float or 'raise', default='warn'
        What the function should return without positives, or 'raise' if it should raise an error.
        With nan, an error will do, too. By default, it's what the metric returns, which is 0.0.
    tolerance : float, default=1e-6
        How far apart equal values can be. The default is enough for sums in single precision.
    random_state : int, Generator or RandomState instance, default=0
        The seed of the random rankings.

    Returns
    -------
    audit : Audit or ScoringAudit
        It prints what the function computes, and what differs. `definition` is the definition that
        it computes. `agrees` says whether it's the metric, or without one, an average precision
        without a mistake; None if it was too slow to tell. `rows` has what was found about each
        aspect. `ranks_by` says what a scorer ranks by. Of several
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
    [1, 0] with equal scores gives 1.0 instead of 0.5 (... rankings differ)

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

    Compare a function with what was meant:

    >>> audit(mean_precision, metric="11-point").agrees
    False
    """
    if metric is not None:
        expected = read_expected(metric, zero_division, "audit")
        return audit_one(function, expected, tolerance, random_state)[1]
    if zero_division != "warn":
        raise ValueError("Pass zero_division only beside metric.")
    scorers = read_scorers(function)
    if scorers is None:
        return audit_one(function, None, tolerance, random_state)[1]
    return audit_scorers(scorers, tolerance, random_state)
