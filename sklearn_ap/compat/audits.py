"""Audit functions, scorers, and the values that programs return."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .._enter.entry import public
from ..core.rules import Step
from .aspects import SCORE_ASPECTS
from .audit_results import FAILS, NO_AVERAGE, Audit, ScoringAudit
from .audited_scorers import (
    Scorer,
    Setting,
    find_changes,
    is_of_sklearn,
    make_settings,
    read_own_class,
    read_scorers,
)
from .call_log import Call, CallLog, draw_ranking
from .data_sets import Slip
from .findings import Findings
from .ranking_files import call_or_replay
from .recognition import CUTS, N_SAMPLED_CALLS, CallValues, Recognition
from .variant_rules import Order, RocArea
from .variants import Variant

_RARITY_OF_NO_DEFINITION = 9  # above that of every definition
_ASPECTS_BEYOND_PROBABILITIES = {*SCORE_ASPECTS} - {"scaled", "float32", "close scores"}
_SLIPS_OF_LABELS = (Slip.PREDICTED, Slip.PREDICTED_FROM)
_HINT_AT_ARGUMENTS = (
    "A scorer gets an array as X, and labels 0 and 1 unless its error asks for others."
)


def audit_calls(
    log: CallLog, tolerance: float, is_other: bool = False
) -> tuple[Audit, Recognition]:
    """Compare what the function did with the definition that is most alike, or else with step.

    A function that ranks by anything but its scores, as the title says, doesn't compute what it
    should, so its rows say where it differs from the definition for the scores.
    """
    found = Recognition(log, tolerance, is_other)
    plain = replace(found.computed_variant.intended, order=Order.GROUPED)
    findings = Findings(found, plain)
    n_rankings, n_equal = findings.count_rankings(findings.is_equal)
    audited = Audit(
        definition=None if found.model is None else found.model.definition,
        title=findings.write_title(),
        ranks_by=None,
        n_rankings=n_rankings,
        n_equal=n_equal,
        tools=findings.find_tools(),
        rows=findings.rows,
        notes=(
            *findings.notes,
            *log.list_notes(),
            *([] if findings.differences else [log.describe_tried(tolerance)]),
        ),
    )
    return audited, found


# --- scorers ---


def try_scorer(
    scorer: Scorer, setting: Setting, tolerance: float, random_state: Any
) -> tuple[CallLog, Setting, str]:
    """Call a scorer, in the setting whose positive class it ranks by.

    Return that setting, and what the scorer ranks by, in words: the methods that it calls, and the
    class, unless it may be either. No words if it fails before it calls a method.
    """

    def find_definition(setting: Setting) -> Variant | None:
        log = CallLog(partial(setting.call, scorer), random_state)
        random = (draw_ranking(20, False, log.rng) for _ in range(N_SAMPLED_CALLS // 2))
        log.try_each(Call("values", *log.shuffle(*ranking)) for ranking in random)
        values = CallValues(log.calls, tolerance)
        return values.find_most_alike(values, CUTS[:1])

    first, last = sorted(setting[:2])
    settings = {
        last: setting._replace(positive=last, negative=first),  # what scikit-learn takes by default
        first: setting._replace(positive=first, negative=last),
    }
    own = read_own_class(scorer)
    is_known = own in settings
    if is_known:
        setting = settings[own]
    else:
        definitions = {label: find_definition(each) for label, each in settings.items()}
        rarities = {
            label: _RARITY_OF_NO_DEFINITION if definition is None else definition.rarity
            for label, definition in definitions.items()
        }
        setting = settings[min(rarities, key=lambda label: rarities[label])]
        definition = definitions[last]
        is_mistake = definition is not None and definition.slip is not Slip.NONE
        is_known = rarities[first] != rarities[last] or is_mistake
    _, methods, _ = setting.try_once(scorer)
    ranks_by = " and ".join(methods)
    if methods and is_known:
        ranks_by += f", for the class {setting.positive!r}"
    left_out = _ASPECTS_BEYOND_PROBABILITIES if "predict_proba" in methods else set()
    if setting.try_once(scorer, np.arange(4))[0] is None:  # it refuses labels as scores
        left_out = {*left_out, "integers"}
    log = CallLog(partial(setting.call, scorer), random_state, left_out, gets_series=True)
    return log.try_all(is_brief=is_of_sklearn(scorer)), setting, ranks_by


def _write_title(scorer: Scorer, audited: Audit, found: Recognition, ranks_by: str) -> str:
    methods = ranks_by.partition(", for")[0]
    values = audited.rows[0]
    rule, slip = found.computed_variant.rule, found.computed_variant.slip
    is_error = found.sentence.startswith(FAILS)
    if methods == "predict" and (is_error or (isinstance(rule, Step) and slip in _SLIPS_OF_LABELS)):
        example = values.finding.rpartition(" (")[0] or values.finding  # without counts
        if is_error:
            example = f"every call fails{audited.title.removeprefix(FAILS).rstrip('.')}"
        return (
            f"Ranks by predict, so by labels instead of scores: {example}. Pass "
            'response_method=("decision_function", "predict_proba").'
        )
    if found.model is None and is_of_sklearn(scorer) and not is_error:
        return f"{NO_AVERAGE}; it ranks by {ranks_by}."
    if isinstance(rule, RocArea):
        return f"ROC AUC isn't average precision; it ranks by {ranks_by}."
    if is_error:
        return f"{audited.title} {_HINT_AT_ARGUMENTS}"
    if slip in (Slip.TURNED, Slip.OTHER_CLASS_TURNED) and methods == "predict_proba":
        column = f"the column of {ranks_by.replace(',', '')}"
        return f"{audited.title} Take {column}, not the other one."
    if audited.agrees and found.model is not None:
        return f"{found.model.sentence}, by {ranks_by}."
    return f"{audited.title} It ranks by {ranks_by}."


def audit_scorer(
    scorer: Scorer, setting: Setting, tolerance: float, random_state: Any
) -> tuple[CallLog, Audit, Recognition, Setting]:
    """Audit a scorer, and return the setting whose positive class it ranks by, too."""
    log, setting, ranks_by = try_scorer(scorer, setting, tolerance, random_state)
    audited, found = audit_calls(log, tolerance, is_of_sklearn(scorer))
    title = _write_title(scorer, audited, found, ranks_by)
    return (
        log,
        replace(audited, title=title, ranks_by=ranks_by or None, tools=()),
        found,
        setting,
    )


def audit_scorers(
    scorers: dict[str, Scorer], tolerance: float, random_state: Any
) -> Audit | ScoringAudit:
    """Audit scorers alone, and then together."""
    settings = make_settings(scorers)
    audits, positives = {}, {}
    for name, scorer in scorers.items():
        _, audited, _, setting = audit_scorer(scorer, settings[0], tolerance, random_state)
        audits[name], positives[name] = audited, setting.positive
    if [*audits] == [""]:
        return audits[""]
    return ScoringAudit(
        (*audits,), (*audits.values(),), tuple(find_changes(scorers, settings, positives))
    )


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
        It prints as text. `definition` is the definition that the function computes, `agrees` says
        whether it always does, None if it was too slow to tell, and `rows` has what was found about
        each aspect. `ranks_by` says what a scorer ranks by. Of several scorers, `audits` has the
        audit of each, and `changes` what changes in company.

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
        return audit_calls(call_or_replay(function, random_state), tolerance)[0]
    return audit_scorers(scorers, tolerance, random_state)
