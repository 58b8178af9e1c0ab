"""Audit a function or a scorer: which definition it computes, and where it doesn't.

The function is called with some 330 rankings. What it returned is compared with all definitions,
then with those of rankings or values that a mistake has changed. Nothing is said of a function but
what these calls have shown.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter, iscoroutinefunction
from math import isfinite, nan
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer

from .._core import Array, Metric, write_name
from .._core import metric as make_metric
from .._results import Record
from ..exceptions import InvalidParameterError
from .calls import (
    ASPECTS,
    Call,
    Log,
    name_aspect,
    read_parameters,
    read_value,
    shorten_text,
    write_value,
)
from .changes import BY_ROW
from .definitions import AVERAGE_PRECISION, DEFINITIONS, OF_LABELS, AnyRule, Definition
from .mistakes import NEGATED
from .peers import list_first
from .recognition import Batch, Hypothesis, Recognition, Search, start_sentence

_MAX_SHRINKING_CALLS = 300
_MAX_FINDINGS = 2  # that are printed in full
_MAX_LISTED = 3
_MAX_LINES = 5
_MAX_WIDTH = 110
_MAX_ERROR_WIDTH = 50

_ASPECTS_OF_SCORES = ("other scores", "close scores", "other types")

# --- findings -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """What an audit found about one aspect.

    Attributes
    ----------
    aspect, finding : str
        What was examined, and what the function does.
    agrees : bool or None
        Whether the definition does the same; None if it couldn't be compared.
    y_true, y_score : list or None
        The smallest ranking that shows the difference.
    value, expected : float or None
        The values of the function, nan if it has none, and of the definition.
    """

    aspect: str
    finding: str
    agrees: bool | None
    y_true: list[Any] | None = None
    y_score: list[Any] | None = None
    value: float | None = None
    expected: float | None = None

    def __str__(self) -> str:
        return f"{ASPECTS[self.aspect]}: {self.finding}"


class Agreement:
    """What the function did, compared with what a definition says, by aspect."""

    def __init__(self, log: Log, recognition: Recognition, meant: Hypothesis) -> None:
        self.log, self.recognition, self.meant = log, recognition, meant
        self.n_tried = self.n_equal = 0
        self.explained: set[str] = set()  # aspects in which the recognized mistake says it all
        both = [call for call in log.calls if call.aspect in ("values", "ties")]
        self.failed = [
            call for call in both if not (call.is_number or Batch([call]).fits(meant).all())
        ]
        rows = [self._describe_failures(len(both)), *map(self._compare, ASPECTS)]
        self.rows = tuple(row for row in rows if row is not None)

    @property
    def differences(self) -> list[Finding]:
        return [row for row in self.rows if row.agrees is False]

    @property
    def exceptions(self) -> list[Finding]:
        """What differs from what the function was recognized as, with its mistakes."""
        return [row for row in self.differences if row.aspect not in self.explained]

    def _describe_failures(self, n_tried: int) -> Finding | None:
        """Say for which rankings of both classes there is no number."""
        if not self.failed:
            return None
        self._count(np.zeros(len(self.failed), dtype=bool))
        results = [call.result for call in self.failed]
        text = shorten_text(max(results, key=results.count), _MAX_ERROR_WIDTH)
        failed = {call.labels.size for call in self.failed}
        counted = {call.labels.size for call in self.log.calls if call.is_number}
        if max(failed) < min(counted, default=0):
            text += f" for up to {max(failed)} samples"
        text += f" (in {len(self.failed)} of {n_tried} rankings)"
        smallest = min(self.failed, key=lambda call: call.labels.size)
        return Finding("failures", text, False, *smallest.lists, nan, None)

    def _compare(self, aspect: str) -> Finding | None:
        calls = [call for call in self.log.calls if call.aspect == aspect]
        calls = [call for call in calls if not any(call is each for each in self.failed)]
        if not calls:
            is_skipped = aspect in self.log.skipped
            return Finding(aspect, "not tried, for lack of time", None) if is_skipped else None
        if aspect == "weights":
            return self._compare_weights(calls)
        if self.meant.definition.family == OF_LABELS and aspect in _ASPECTS_OF_SCORES:
            return Finding(aspect, "not compared, as the threshold is a probability", None)
        batch = Batch(calls)
        is_right, expected = batch.fits(self.meant), batch.compute(self.meant)
        plain = [self.log.calls[call.original] for call in calls if call.original is not None]
        if plain:  # the value of the plain form is right, too
            expected = np.array([call.value for call in plain])
            is_right |= batch.equals(expected)
        if aspect == "repeated calls":
            return self._write(calls, is_right, expected)
        found = self.recognition.found
        if found is not None and (batch.fits(found) | is_right).all():
            self.explained.add(aspect)
        self._count(is_right)
        return self._write(calls, is_right, expected)

    def _compare_weights(self, calls: list[Call]) -> Finding:
        rule, found = self.meant.definition.rule, self.recognition.found or self.meant
        if rule.k is not None or not rule.takes_weights:
            return Finding("weights", "not compared, as there is no definition with weights", None)
        plain = Batch([call._replace(weight=None) for call in calls])
        is_ignored = bool(plain.fits(found).all())
        if found.order is not None and not is_ignored:
            return Finding("weights", "not compared, as ties are ranked one by one", None)
        batch = Batch(calls)
        is_right = batch.fits(self.meant)
        self._count(is_right)
        words = "ignored, " if is_ignored else ""
        return self._write(calls, is_right, batch.compute(self.meant), words)

    def _count(self, is_right: Array) -> None:
        self.n_tried += is_right.size
        self.n_equal += int(is_right.sum())

    def _write(
        self, calls: list[Call], is_right: Array, expected: Array, words: str = ""
    ) -> Finding:
        """Write a finding, with the smallest ranking that differs."""
        aspect, wrong = calls[0].aspect, np.flatnonzero(~is_right)
        if not wrong.size:
            return Finding(aspect, "nothing differs", True)
        place = min(wrong, key=lambda place: calls[place].labels.size)
        call, should = calls[place], float(expected[place])
        if call.original is None and call.weight is None:
            call = self._shrink(call)
            should = float(Batch([call]).compute(self.meant)[0])
        returned, right = write_value(call.value), write_value(should)
        if returned == right:
            returned, right = repr(call.value), repr(should)
        error = shorten_text(call.error, _MAX_ERROR_WIDTH)
        text = f"{error or returned} instead of {right}"
        if aspect != "no positives" or len({calls[place].result for place in wrong}) > 1:
            n_wrong = f"(wrong in {wrong.size} of {len(calls)} rankings)"
            text = f"{call.ranking} gives {text} {n_wrong}"
            if call.error:
                text = f"{error} instead of {right} {n_wrong}, as for {call.ranking}"
        return Finding(aspect, words + text, False, *call.lists, call.value, should)

    def _shrink(self, call: Call) -> Call:
        """Leave out samples, then decimals, as long as the function still differs."""
        n_left_out, n_calls = call.labels.size // 2, 0
        while n_left_out and n_calls < _MAX_SHRINKING_CALLS:
            start = 0
            while start < call.labels.size:
                rows = np.s_[start : start + n_left_out]
                labels, scores = np.delete(call.labels, rows), np.delete(call.scores, rows)
                smaller = self._retry(call, labels, scores)
                n_calls += 1
                if smaller is None:
                    start += n_left_out
                else:
                    call = smaller
            n_left_out //= 2
        for decimals in (1, 2, 3, 4):
            rounded = self._retry(call, call.labels, np.round(call.scores, decimals))
            if rounded is not None:
                return rounded
        return call

    def _retry(self, call: Call, labels: Array, scores: Array) -> Call | None:
        """Call the function with another ranking of the kind, and return what still differs."""
        kind = name_aspect(call.labels, call.scores)
        if not labels.size or name_aspect(labels, scores) != kind or not self.log.can_retry:
            return None
        retried = self.log.call(call._replace(labels=labels, scores=scores))
        if call.is_number and not retried.is_number:
            return None
        return None if Batch([retried]).fits(self.meant).all() else retried

    def write_title(self) -> str:
        """Say what the function computes."""
        recognition, found = self.recognition, self.recognition.found
        if recognition.failure:
            return recognition.failure
        if found is None:
            return f"No known definition has half of its values. It isn't {self.meant.name}."
        same = f"the same in {self.n_equal:,} of {self.n_tried:,} rankings"
        if recognition.is_nearest:
            return f"No known definition. The nearest is {found.phrase}: {same}."
        text = start_sentence(found.phrase)
        if recognition.smallest:
            text += f", from {recognition.smallest} samples on"
        elif self.failed:
            text += ", where it returns a number"
        text += "." if found.mistakes or self.differences else f": {same}."
        if not found.is_average_precision:
            text += " It isn't average precision."
        return text

    def list_lines(self) -> Iterator[str]:
        """Yield where the function differs, and what else the calls have shown."""
        if not self.recognition.failure:
            recognized = [row for row in self.differences if row not in self.exceptions]
            shown = [*recognized[:1], *self.exceptions][:_MAX_FINDINGS]
            yield from (start_sentence(shorten_text(f"{row}.", _MAX_WIDTH)) for row in shown)
            others = [ASPECTS[row.aspect] for row in self.exceptions if row not in shown]
            if others:
                yield f"It also differs {list_first(others, _MAX_LISTED)}."
        if self.log.skipped and not self.recognition.failure:
            skipped = [ASPECTS[aspect] for aspect in ASPECTS if aspect in self.log.skipped]
            listed = list_first(skipped, _MAX_LISTED)
            yield f"It is slow, so few or no rankings were tried {listed}."


# --- scorers --------------------------------------------------------------------------------------


class ColumnClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose only feature is the probability of the positive class."""

    def __init__(self, positive: Any = 1, negative: Any = 0) -> None:
        self.positive, self.negative = positive, negative
        self.classes_ = np.array(sorted((positive, negative)))
        self.is_last = bool(self.classes_[1] == positive)
        self.called: list[str] = []

    def fit(self, X: Any, y: Any) -> ColumnClassifier:
        return self

    def decision_function(self, X: Any) -> Array:
        self.called.append("decision_function")
        centered = np.asarray(X)[:, 0] - 0.5
        return centered if self.is_last else -centered

    def predict_proba(self, X: Any) -> Array:
        self.called.append("predict_proba")
        columns = [1 - np.asarray(X)[:, 0], np.asarray(X)[:, 0]]
        return np.column_stack(columns if self.is_last else columns[::-1])

    def predict(self, X: Any) -> Array:
        self.called.append("predict")
        return self.name_classes(np.asarray(X)[:, 0] > 0.5)

    def name_classes(self, is_positive: Array) -> Array:
        return np.asarray(self.classes_[(is_positive == self.is_last).astype(int)])


class ScorerAsFunction:
    """A scorer as a function of labels and scores, for its positive class."""

    def __init__(self, scorer: Any) -> None:
        positive = getattr(scorer, "pos_label", None)
        if positive is None:
            positive = getattr(scorer, "_kwargs", {}).get("pos_label", 1)
        self.scorer, self.positive = scorer, positive
        self.negative = f"not {positive}" if isinstance(positive, str) else int(not positive)
        self.called: list[str] = []

    def __call__(self, labels: Array, scores: Array) -> Any:
        classifier = ColumnClassifier(self.positive, self.negative)
        try:
            return self.scorer(classifier, scores[:, None], classifier.name_classes(labels == 1))
        finally:
            self.called += [each for each in classifier.called if each not in self.called]

    def describe(self, recognition: Recognition) -> str:
        """Say what the scorer ranks by, or else how it was tried."""
        found = recognition.found
        if recognition.failure:
            return "A scorer is tried with two classes, and with an array of one column as X."
        if found is not None and found.value_change == NEGATED:
            return "Leave out greater_is_better=False, or the minus sign."
        if found is not None and found.change is not None and self.called == ["predict"]:
            methods = ("decision_function", "predict_proba")
            return f"To rank by scores, pass response_method={methods} to make_scorer."
        first, last = sorted((self.negative, self.positive))
        called = " and ".join(self.called) or "no method"
        verb = "calls" if self.called == ["predict"] else "ranks by"
        return f"It {verb} {called}, for class {self.positive!r} of {first!r} and {last!r}."


def is_scorer(function: Any) -> bool:
    parameters = [*read_parameters(function).values()]
    positional = Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD
    needed = [each for each in parameters if each.default is each.empty and each.kind in positional]
    names = [each.name for each in parameters[:2]]
    return (
        hasattr(function, "_score_func")
        or "estimator" in names
        or (len(needed) == 3 and not needed[0].name.startswith("y"))
    )


# --- functions that take or return something else ----------------------------------------------


class Adapted(NamedTuple):
    """A function of labels and scores, made of another one by some code."""

    code: str
    call: Callable[[Any, Any], Any]


def adapt(function: Any) -> Adapted | None:
    """Find out whether a function without numbers takes data, or returns them, in another form."""
    y, s = np.array([0, 1, 0, 1] * 10), np.arange(40) / 64
    parameters = read_parameters(function).values()
    names = [each.name for each in parameters if each.kind == each.KEYWORD_ONLY]
    forms = [
        Adapted("f(y, s)", function),
        Adapted("f(y.tolist(), s.tolist())", lambda y, s: function(y.tolist(), s.tolist())),
    ]
    if len(names) > 1:
        code = f"f({names[0]}=y, {names[1]}=s)"
        forms.append(Adapted(code, lambda y, s: function(**{names[0]: y, names[1]: s})))
    if torch := sys.modules.get("torch"):
        code = "f(torch.from_numpy(y), torch.from_numpy(s))"
        forms.append(Adapted(code, lambda y, s: function(*map(torch.from_numpy, (y, s)))))
    for code, call in forms:
        with suppress(Exception, SystemExit), redirect_stdout(io.StringIO()), catch_warnings():
            simplefilter("ignore")
            returned = call(y, s)
            if code != "f(y, s)" and isfinite(read_value(returned)[0]):
                return Adapted(code, call)
            for key in list_keys(returned):
                if isfinite(read_value(returned[key])[0]):
                    return Adapted(f"{code}[{key!r}]", partial(_take, call, key))
    return None


def list_keys(returned: Any) -> list[Any]:
    """Return the keys or places of what may be a number among several values."""
    if isinstance(returned, Mapping):
        return [*returned]
    is_short = isinstance(returned, tuple | list) or np.size(returned) == 1
    return [*range(len(returned))] if is_short else []


def _take(function: Callable[[Any, Any], Any], key: Any, y: Array, s: Array) -> Any:
    return function(y, s)[key]


# --- audits ---------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Audit(Record):
    """What an audit found; made by :func:`audit`. Print it, or use its `rows`.

    Attributes
    ----------
    definition : str or None
        The definition that the function computes, perhaps with mistakes, or the nearest one, as
        :func:`identify` calls it; None if none has half of the values without ties.
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


def audit(
    function: Any,
    metric: str | Metric | None = None,
) -> Audit:
    """Find out which definition of average precision a function or a scorer computes.

    The function is called with some 330 rankings, unless that takes too long. Its values are
    compared with every definition of :mod:`sklearn_ap.compat`, and then with common mistakes.

    Read more in :doc:`Which definition? </which_definition>`.

    Parameters
    ----------
    function : callable or str
        A function that takes the labels (0 and 1) and the scores of one ranking as arrays, and
        returns a number; or a scorer, or the name of one. If it takes other arguments, wrap it in a
        lambda.
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
    return _audit(function, metric)[0]


def _audit(function: Any, metric: str | Metric | None) -> tuple[Audit, Log]:
    meant = None if metric is None else _read_metric(metric)
    scorer = None
    if isinstance(function, str):
        function = get_scorer(function)
    if not callable(function):
        raise InvalidParameterError(
            f"function must be a function or a scorer, such as f, not f(y, s). Got {function!r}."
        )
    if iscoroutinefunction(function):
        raise InvalidParameterError(
            "function must return a number, and this one is async. Pass "
            "lambda y, s: asyncio.run(f(y, s))."
        )
    if is_scorer(function):
        function = scorer = ScorerAsFunction(function)
    log = Log(function, needs_probabilities=scorer is not None)
    search = Search(log)
    if scorer is None and not search.untied.calls:
        adapted = adapt(function)
        if adapted is not None:
            audited, log = _audit(adapted.call, metric)
            title = f"Pass lambda y, s: {adapted.code}. {audited.title}"
            return replace(audited, agrees=False, title=title), log
    if meant is not None:
        as_meant = Recognition(search.find_order(meant))
        compared = Agreement(log, as_meant, meant)
        if not compared.differences:
            name = start_sentence(meant.name)
            title = f"{name}, as expected: the same in {compared.n_equal:,} rankings."
            return _conclude(compared, title, scorer, is_right=True), log
    recognition = search.recognize()
    found = recognition.found
    own = Hypothesis(DEFINITIONS["step"]) if found is None else found.meant
    compared = Agreement(log, recognition, own)
    title = compared.write_title()
    if meant is not None:
        compared = Agreement(log, recognition, meant)
        is_alike = found is not None and found.phrase == found.name
        if is_alike and own.definition.rule == meant.definition.rule:
            title = f"{start_sentence(meant.name)}, except:"
        else:
            title = f"It isn't {meant.name}. {title}"
    is_right = own.is_average_precision and not recognition.is_nearest
    why = own.definition.why if is_right and meant is None else ""
    return _conclude(compared, title, scorer, is_right, why), log


def _read_metric(metric: str | Metric) -> Hypothesis:
    made = metric if isinstance(metric, Metric) else make_metric(metric)
    options = {*made.data_options} - {"zero_division"}
    if options or not made.rule.names or not isinstance(made.rule, AnyRule):
        raise ValueError(
            f"An audit calls the function with one ranking of labels 0 and 1, and {metric!r} is "
            f"a metric with {' and '.join(sorted(options)) or 'a function of its own'}."
        )
    empty = made.data_options.get("zero_division", "warn")
    name = metric if isinstance(metric, str) else write_name(made.rule)
    family = DEFINITIONS[name].family if name in DEFINITIONS else AVERAGE_PRECISION
    rule, order = made.rule, None
    if rule.ranks_by_row:
        rule, order = replace(rule, ties="grouped"), BY_ROW  # type: ignore[type-var]
    definition = Definition(name, rule, rarity=0, family=family)
    return Hypothesis(definition, order=order, empty=0.0 if empty == "warn" else float(empty))


def _conclude(
    compared: Agreement,
    title: str,
    scorer: ScorerAsFunction | None,
    is_right: bool,
    why: str = "",
) -> Audit:
    """Say what is known, and `why` the definition isn't step average precision."""
    recognition, found = compared.recognition, compared.recognition.found
    lines = [*compared.list_lines()]
    if why:
        lines.insert(0, f"It isn't scikit-learn's average precision. {why}")
    if scorer is not None:
        lines.append(scorer.describe(recognition))
    if not compared.differences and not compared.log.skipped:
        lines.append("Not tried: NaN and infinite scores, labels other than 0 and 1, lists.")
    agrees: bool | None = is_right and not compared.differences
    if agrees and compared.log.skipped:
        agrees = None
    return Audit(
        definition=None if found is None else found.term,
        mistake=None if found is None else ", ".join(found.mistakes) or None,
        agrees=agrees,
        rows=compared.rows,
        ranks_by=() if scorer is None else tuple(scorer.called),
        title=title,
        lines=tuple(lines[: _MAX_LINES - 1]),
    )


def check_metric(
    function: Any,
    metric: str | Metric = "average_precision",
) -> None:
    """Raise an AssertionError unless a function or scorer computes a metric, for your tests.

    A function that is too slow for all rankings is compared on some 17, ties among them, and it
    fails if these take more than a minute.

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
    __tracebackhide__ = True  # so that pytest's traceback ends in the caller's test
    audited, log = _audit(function, metric)
    if audited.agrees is False or log.lacks_first:
        raise AssertionError(str(audited))
