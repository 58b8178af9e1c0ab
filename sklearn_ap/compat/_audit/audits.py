"""Audit a function or a scorer: which definition it computes, and where it doesn't.

The function is called with some 160 rankings. What it returned is compared with all definitions,
then with those of rankings or values that a mistake has changed. Nothing is said of a function but
what these calls have shown.
"""

from dataclasses import dataclass, replace
from typing import Any

from ..._core import Metric, capitalize, write_name
from ..._core import metric as make_metric
from ..._results import Printed, Result
from ...exceptions import InvalidParameterError
from ...scorers import get_scorer
from ..definitions import DEFINITIONS, Definition, find_definition
from ..recipes import Recipe
from ..transforms import BY_ROW
from ..wording import list_first, shorten_text
from .adapters import ScorerAsFunction, find_way, is_scorer
from .battery import ASPECTS, CallLog
from .findings import Agreement, Finding
from .search import Recognition, recognize, takes_labels_and_scores

_MAX_LINES = 5
_MAX_FINDINGS = 2  # printed in full
_MAX_LISTED = 3
_MAX_FINDING_WIDTH = 110
_HINT = "No shape fits that was tried, such as ids. Pass a lambda of labels y and scores s."
_METHODS = "decision_function", "predict_proba"
_NOT_TRIED = (
    "Not tried: weights, unscored positives, NaN, infinite scores, other labels than 0 and 1."
)


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """What an audit found; made by :func:`audit`. Print it, or use its `rows`.

    Attributes
    ----------
    definition : str or None
        The definition that the function computes, perhaps with mistakes, or the nearest one, as
        :func:`identify` calls it; None if none has even half of the values without ties.
    mistake : str or None
        What the function does to that definition, such as "scores negated".
    agrees : bool or None
        Whether the function is the metric in every aspect, or without a metric, whether it's an
        average precision without a mistake; None if there wasn't time to try all.
    rows : tuple of Finding
        One row for each aspect that was tried. Where the function differs, it has the smallest
        ranking that shows it.
    ranks_by : tuple of str
        The methods of the estimator that a scorer calls.
    title : str
        What the function computes, in a sentence.
    lines : tuple of str
        What else is printed.
    """

    definition: str | None
    mistake: str | None
    agrees: bool | None
    rows: tuple[Finding, ...]
    ranks_by: tuple[str, ...]
    title: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([self.title, *self.lines])

    def _print(self) -> Printed:
        return Printed([], [(self.title, [])], self.lines)


def audit(function: Any, metric: str | Metric | None = None) -> Audit:
    """Find out which definition of average precision a function or a scorer computes.

    The function is called with some 160 rankings, unless that takes too long. Its values are
    compared with every definition of :mod:`sklearn_ap.compat`, and then with common mistakes.
    Weights aren't tried.

    Read more in :doc:`Which definition? </which_definition>`.

    Parameters
    ----------
    function : callable or str
        A function that takes the labels (0 and 1) and the scores of one ranking as arrays, and
        returns a number; or a scorer, or the name of one. If it takes another shape, such as ids,
        the first line says how to wrap it, or wrap it in a lambda.
    metric : str or Metric, default=None
        What it should compute. None compares it with the definition that it seems to compute.

    Returns
    -------
    Audit
        It prints in five lines or fewer. `definition`, `mistake`, `agrees` and `rows` say the same
        for programs.

    See Also
    --------
    check_metric : The same, as a test.
    identify : The definition of a value.

    Examples
    --------
    This is a common implementation. It is wrong if samples are tied:

    >>> from sklearn_ap.compat import audit
    >>> import numpy as np
    >>> def mean_precision(y_true, y_score):
    ...     hits = y_true[np.argsort(-y_score, kind="stable")] == 1
    ...     precision = np.cumsum(hits) / np.arange(1, hits.size + 1)
    ...     return precision[hits].mean() if hits.any() else 0.0
    >>> result = audit(mean_precision)
    >>> result.definition, result.agrees
    ('step', False)
    >>> [row.aspect for row in result.rows if row.agrees is False]
    ['ties', 'many samples']
    """
    if isinstance(function, str):
        function = get_scorer(function)
    if not callable(function):
        raise InvalidParameterError(
            f"function must be a function or a scorer, such as f, not f(y, s). Got {function!r}."
        )
    reference = None if metric is None else _read_metric(metric)
    if is_scorer(function):
        log = CallLog(ScorerAsFunction(function), needs_probabilities=True)
    else:
        log = CallLog(function)
    return _describe(log, reference)


def _read_metric(metric: str | Metric) -> Recipe:
    value = metric if isinstance(metric, Metric) else make_metric(metric)
    options = {*value._data_options} - {"zero_division"}
    rule = value._rule
    if options or rule.is_function:
        raise ValueError(
            f"An audit calls the function with one ranking of labels 0 and 1, and {metric!r} is "
            f"a metric with {' and '.join(sorted(options)) or 'a function of its own'}."
        )
    name = metric if isinstance(metric, str) else write_name(rule)
    same = find_definition(name, rule.k)
    order = None
    if rule.ties == "input":
        rule, order = replace(rule, ties="grouped"), BY_ROW
    title = name if same is None else same.title
    zero_division = value._data_options.get("zero_division", "warn")
    without_positives = 0.0 if zero_division == "warn" else float(zero_division)
    definition = Definition(name, rule, 0, title, without_positives=without_positives)
    return Recipe(definition).transform(order)


def _describe(
    log: CallLog, reference: Recipe | None, recognition: Recognition | None = None
) -> Audit:
    """Say what a function computes, or where it differs from what it should compute."""
    if reference is not None:
        agreement = Agreement(log, None, reference)
        if not agreement.differences:
            name = capitalize(reference.definition.title)
            title = f"{name}, as expected: the same in {agreement.n_equal:,} rankings."
            return _conclude(agreement, Recognition(reference), title)
    recognition = recognition or recognize(log)
    recipe = recognition.recipe
    is_scorer = isinstance(log.function, ScorerAsFunction)
    if not (is_scorer or recognition.is_certain or takes_labels_and_scores(log)):
        way, has_values = find_way(log)
        if way is not None:
            wrapped = CallLog(way.wrap(log.function), cutoffs=log.cutoffs)
            found = recognize(wrapped)
            # What depends on one or two rows only has few values, so it's easily met by chance.
            if found.is_certain and found.recipe and found.recipe.definition.rule.k not in (1, 2):
                result = _describe(wrapped, reference, found)
                title = f"Pass lambda y, s: {way.code}. {result.title}"
                return replace(result, agrees=False, title=title)
        if has_values and recognition.failure:  # Nobody may call it with labels and scores.
            recognition = Recognition(failure="No known definition has its values.")

    own = Recipe(DEFINITIONS["step"])
    if recipe is not None:
        definition = find_definition(recipe.definition.term, recipe.definition.rule.k)
        own = Recipe(definition or recipe.definition)
    agreement = Agreement(log, recipe, own)
    title = _write_title(agreement, recognition)
    if reference is None:
        is_ap = own.definition.is_average_precision and not recognition.is_nearest
        return _conclude(agreement, recognition, title, own.definition.why if is_ap else "")
    name = reference.definition.title
    is_plain = recipe is not None and recipe.phrase == recipe.definition.title
    if is_plain and own.definition.rule == reference.definition.rule:
        title = f"{capitalize(name)}, except:"
    else:
        title = f"It isn't {name}. {title}"
    return _conclude(Agreement(log, recipe, reference), recognition, title)


def _write_title(agreement: Agreement, recognition: Recognition) -> str:
    """Say what a function computes, compared with the plain definition."""
    recipe, differences = recognition.recipe, agreement.differences
    if recognition.failure:
        return recognition.failure
    if recipe is None:
        return "No known definition has half of its values. It isn't step average precision."
    same = f"the same in {agreement.n_equal:,} of {agreement.n_tried:,} rankings"
    if recognition.is_nearest:
        return f"No known definition. The nearest is {recipe.phrase}: {same}."
    title = capitalize(recipe.phrase)
    if agreement.failed:
        title += ", where it returns a number"
    title += "." if recipe.mistakes or differences else f": {same}."
    if not recipe.definition.is_average_precision:
        title += " It isn't average precision."
    return title


def _conclude(agreement: Agreement, recognition: Recognition, title: str, why: str = "") -> Audit:
    """Write down where the function differs, what else the calls have shown, and `why` the
    definition isn't step average precision.
    """
    log, recipe, differences = agreement.log, recognition.recipe, agreement.differences
    has_tried_all = log.n_made == log.n_planned
    lines = [f"It isn't scikit-learn's average precision. {why}"] if why else []
    if not recognition.failure:
        explained = [row for row in differences if row.aspect in agreement.explained]
        others = [row for row in differences if row.aspect not in agreement.explained]
        shown = [*explained[:1], *others][:_MAX_FINDINGS]
        lines += [capitalize(shorten_text(f"{row}.", _MAX_FINDING_WIDTH)) for row in shown]
        rest = [ASPECTS[row.aspect] for row in others if row not in shown]
        if rest:
            lines.append(f"It also differs {list_first(rest, _MAX_LISTED)}.")
        if not has_tried_all:
            lines.append(
                f"It is slow, so only {log.n_made} of {log.n_planned} rankings were tried."
            )
    called: tuple[str, ...] = ()
    if isinstance(log.function, ScorerAsFunction):
        classifier = log.function.classifier
        called = (*classifier.called,)
        first, last = classifier.classes_.tolist()
        if recognition.failure:
            lines.append(
                "A scorer is tried with two classes, and with an array of one column as X."
            )
        elif called == ("predict",) and recipe is not None and recipe.mistakes:
            lines.append(f"To rank by scores, pass response_method={_METHODS} to make_scorer.")
        else:
            methods = " and ".join(called) or "no method"
            of = f"class {classifier.positive!r} of {first!r} and {last!r}"
            lines.append(f"It calls {methods}, for {of}.")
    elif recognition.failure:
        lines.append(_HINT)
    if not differences and has_tried_all:
        lines.append(_NOT_TRIED)
    is_right = recipe is not None and recipe.definition.is_average_precision and not differences
    return Audit(
        definition=None if recipe is None else recipe.definition.term,
        mistake=None if recipe is None else ", ".join(recipe.mistakes) or None,
        agrees=None if is_right and not has_tried_all else is_right,
        rows=agreement.rows,
        ranks_by=called,
        title=title,
        lines=tuple(lines[: _MAX_LINES - 1]),
    )


def check_metric(function: Any, metric: str | Metric = "average_precision") -> None:
    """Raise an AssertionError unless a function or scorer computes a metric, for your tests.

    A function that is too slow for all rankings is compared on 16, ties among them. Weights aren't
    tried.

    Read more in :doc:`Which definition? </which_definition>`.

    Parameters
    ----------
    function : callable or str
        As in :func:`audit`, which the error prints.
    metric : str or Metric, default="average_precision"
        What it should compute.

    See Also
    --------
    audit : Say which definition a function computes.

    Examples
    --------
    >>> from sklearn_ap.compat import check_metric
    >>> from sklearn.metrics import average_precision_score
    >>> check_metric(average_precision_score)
    """
    __tracebackhide__ = True  # With it, pytest's traceback ends in the caller's test.
    result = audit(function, metric)
    if result.agrees is False:
        raise AssertionError(str(result))
