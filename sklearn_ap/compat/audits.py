"""Audit functions, scorers, and the values that programs return."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .._enter.entry import public
from .._show.results import LazyValue
from .aspects import SCORE_ASPECTS
from .audit_results import NO_TOOLS, Audit, ScoringAudit
from .audit_sentences import (
    describe_tried,
    list_notes,
    list_notes_on_calls,
    write_rows,
    write_scorer_title,
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
from .call_log import Call, CallLog, draw_ranking
from .findings import Conclusion, Findings
from .mistakes import (
    MISTAKES_OF_LABELS,
    NEGATED,
    NO_MISTAKE,
    OTHER_CLASS,
    OTHER_CLASS_NEGATED,
)
from .ranking_files import call_or_replay
from .recognition import N_SAMPLED_CALLS, Hypothesis, Recognition
from .variant_rules import Order, RocArea

_RARITY_OF_NO_DEFINITION = 9  # above that of every definition
_ASPECTS_BEYOND_PROBABILITIES = {*SCORE_ASPECTS} - {"scaled", "float32", "close scores"}
_MISTAKES_OF_SCORERS = (
    *(NO_MISTAKE, NEGATED, OTHER_CLASS, OTHER_CLASS_NEGATED),
    *MISTAKES_OF_LABELS,
)


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
