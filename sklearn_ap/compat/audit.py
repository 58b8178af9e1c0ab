"""Find out which definition a function computes, and where it differs from that definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import chain, compress, permutations, product
from math import nan
from textwrap import fill
from typing import Any

import numpy as np

from .._enter.entry import public
from .._show.results import WIDTH, Printed, Result, Value, as_paragraphs, paragraph
from .._words.messages import count_of
from ..core.cutoff import DENOMINATORS, Cut
from ..core.rankings import Rankings
from ..core.rules import AreaRule, AtK, EnrichmentFactor, Graded, PrecisionAtK, Step
from ..core.within import Array
from . import explanation
from .aspects import ASPECTS, EDGES, FORMS, OF_SCORES, REFUSABLE, SOUND, WITH_BOTH, aspect_of
from .explanation import TERMS, Peer, credit, few_tools, reports_on, tools_at_cut, value_without
from .identify import GUESSED_KS, candidates
from .mistakes import IN_BLOCKS, MISTAKES, READINGS, OtherCall, reads, roundings
from .replayed import calls_of
from .sample import DataSet, Reading, Slip, Variant
from .scoring import (
    Change,
    Scorer,
    Setting,
    changes,
    is_of_sklearn,
    own_positive,
    scorers_of,
    settings_for,
)
from .trials import MOST_CALLS, MOST_UNTIED, Call, CallLog, in_digits, random_ranking
from .variants import ASSUMED, DavisGoadrich, Order, RocArea

_MOST_ROWS = 7  # that are printed
_MOST_EXCEPTIONS = 4  # in a title
_MOST_ORDERED = 5  # samples, of which all orders of ties are tried
_N_FOR_MISTAKES = 40  # rankings on which each mistake is tried first
ALL_ROWS = 0.999999  # of at most a million, as a share; 1.0 would equal a single row
_SHARES = (*map(Cut, (0.01, 0.05, 0.1)),)
_KS = (*map(Cut, GUESSED_KS), *_SHARES, Cut(ALL_ROWS))
_OFF, _OFF_BY_A_SMALL_NUMBER = 0.005, 1e-5
_ONE_BY_ONE = (Order.BY_ROW, Order.LAST_ROW_FIRST)
_KNOWN = (Order.GROUPED, *_ONE_BY_ONE, Order.EXPECTED, Order.BEST, Order.WORST)
IN_SINGLE = "in single precision"
_ORDERS_OF_CALLERS = ("the caller's order", "the model's order")
_OF_GROUPS = (Slip.POOLED, Slip.HIGHEST_OF_GROUP, Slip.MEAN_OF_GROUP)  # each is a ranking here
_OF_FIRST = [AtK(1, denominator=denominator) for denominator in DENOMINATORS]  # rather P@1
_MOST = 1e300  # above all other scores
_RARITY_OF_OTHERS = 3
_RARITY_OF_NONE = 9  # above that of every definition
_NOT_OF_PROBABILITIES = {*OF_SCORES} - {"scaled", "float32", "close scores"}
_OF_LABELS = (Slip.PREDICTED, Slip.PREDICTED_FROM)
_NO_AVERAGE = "This isn't average precision"
FAILS = "Every call fails"
_NO_POSITIVES = (
    ". Perhaps it finds no positives among the labels 0 and 1: does it expect other labels?"
)
_GIVEN = "A scorer gets an array as X, and labels 0 and 1 unless its error asks for others."
_SAY_ALL = (_NO_AVERAGE, "Ranks by predict", FAILS, "Not a metric")  # titles
_IGNORED = "they are ignored, so "
_OF_WEIGHTS: dict[str, Callable[[Call, Any], Any]] = {
    _IGNORED: lambda call, weights: np.ones(weights.size),
    "they are squared, so ": lambda call, weights: weights**2,
    "they are cut to whole numbers, so ": lambda call, weights: np.trunc(weights),
    "they are rounded to whole numbers, so ": lambda call, weights: np.round(weights),
    "those below 1 count as 0, so ": lambda call, weights: np.where(weights < 1, 0, weights),
    "those of 0 count as 1, so ": lambda call, weights: np.where(weights == 0, 1, weights),
    "they only tell which samples count, so ": lambda call, weights: (weights > 0).astype(float),
    "they aren't sorted with the scores, so ": lambda call, weights: weights[
        np.argsort(np.argsort(-call.scores, kind="stable"))
    ],
    "those of negatives are ignored, so ": lambda call, weights: np.where(call.labels, weights, 1),
    "those of positives are ignored, so ": lambda call, weights: np.where(call.labels, 1, weights),
}
_OF_TIES = ("ties", "order of rows", "constant scores", "repeated calls")
# The rankings among which those that differ in an aspect may be told by a feature
_AMONG = {
    "values": ("values",),
    "ties": ("ties", "constant scores"),
    "many samples": ("values", "many samples"),
}
_OF_NO_TOOL = {*SOUND, *REFUSABLE, "many samples", "weights"}
_SWAPPED = "{name}, but the function takes its arguments in the other order: y_score, y_true"


@dataclass(frozen=True, eq=False)
class Aspect(Value):
    """What an audit found about one aspect.

    Attributes
    ----------
    aspect : str
        What was examined, such as "ties".
    finding : str
        What the function does.
    agrees : bool or None
        Whether the definition does the same; None if time ended the audit before all was tried.
    y_true, y_score : list or None
        The smallest ranking that shows the difference; None if there is none.
    value, expected : float or None
        The values of the function, nan if it has none, and of the definition.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
    >>> from sklearn_ap.compat import audit
    >>> def in_order(y_true, y_score):
    ...     hits = y_true[(-y_score).argsort(kind="stable")].cumsum()
    ...     found = y_true[(-y_score).argsort(kind="stable")] == 1
    ...     return (hits / (1 + np.arange(hits.size)))[found].sum() / max(
    ...         hits[-1], 1
    ...     )
    >>> ties = audit(in_order).rows[1]
    >>> ties.y_true, ties.y_score, ties.value, ties.expected
    ([1, 0], [0.875, 0.875], 1.0, 0.5)
    """

    aspect: str
    finding: str
    agrees: bool | None
    y_true: list[Any] | None = None
    y_score: list[Any] | None = None
    value: float | None = None
    expected: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Result):
    """Result of :func:`~sklearn_ap.compat.audit`: print it, or use its `rows`.

    Attributes
    ----------
    definition : str or None
        The definition that equals the function on most rankings without ties, in the words of
        :func:`identify`; None if none equals it on half of them.
    title : str
        The first line: what the function computes, and where it doesn't.
    ranks_by : str or None
        For scorers, the method whose values they rank by, and the positive class, unless it could
        be either.
    n_rankings : int
        How many rankings were evaluated.
    n_equal : int
        The number of rankings for which the function returns the value of the definition.
    tools : tuple of str
        The tools of `PEERS` that are known to agree with the function in every aspect, weights
        included.
    rows : tuple of Aspect
        One row for each aspect, with `aspect`, `finding` and `agrees`. Where the function differs,
        `y_true`, `y_score`, `value` and `expected` are the smallest ranking that shows it.
    notes : tuple of str
        The warnings of the function, and what was not tried.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
    >>> from sklearn.metrics import average_precision_score
    >>> from sklearn_ap.compat import audit
    >>> result = audit(average_precision_score)
    >>> result.definition, result.agrees
    ('step', True)
    """

    _index = "aspect"

    definition: str | None
    title: str
    ranks_by: str | None
    n_rankings: int
    n_equal: int
    tools: tuple[str, ...]
    rows: tuple[Aspect, ...]
    notes: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool | None:
        """Whether the function is that definition in every aspect; None if time ended the audit."""
        agree = {row.agrees for row in self.rows}
        if False not in agree and None in agree:
            return None
        return self.definition is not None and agree == {True}

    def __str__(self) -> str:
        """Show what differs, first whatever makes all else unclear."""
        rows = sorted(self.rows, key=lambda row: row.aspect not in SOUND)
        differing = [(row.finding, f"  {row.aspect}") for row in rows if row.agrees is False]
        lines = [paragraph(self.title)]
        in_title = EDGES if ", except " in self.title else ()
        if not self.title.startswith(_SAY_ALL) and any(
            row.agrees is False and row.aspect not in in_title for row in rows
        ):
            lines.append(as_paragraphs(("aspect", "finding"), differing[:_MOST_ROWS]))
            below = f"Nothing differs in {count_of(len(rows) - len(differing), 'aspects')}"
            if len(differing) > _MOST_ROWS:
                below += f", and something does in {len(differing) - _MOST_ROWS} more"
            lines.append(f"{below}: see `rows`.")
        return "\n".join([*lines, *map(paragraph, self._below())])

    def _below(self) -> list[str]:
        tools = [f"Tools that do the same: {few_tools(self.tools, 'tools')}."] if self.tools else []
        return [*tools, *self.notes]

    def _printed(self) -> Printed:
        rows = [(row.aspect, row.finding) for row in self.rows]
        return Printed(("aspect", "finding"), [("", "", rows)], self.title, self._below())

    def _as_dict(self) -> dict[str, Any]:
        values = {"definition": self.definition, "agrees": self.agrees} | asdict(self)
        del values["origin"]
        return values

    def _rows(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self.rows]


@dataclass(frozen=True)
class Expected:
    """What a function should compute."""

    name: str  # in words
    variant: Variant
    raises: bool = False  # an error without positives


# --- the definition ------------------------------------------------------------------------------


class Values:
    """What the function returned for some rankings, which are the groups of one data set."""

    def __init__(self, calls: Sequence[Call], tolerance: float | Array) -> None:
        scores = np.concatenate([call.scores for call in calls]).astype(float)
        weights = [call.weights for call in calls if call.weights is not None]
        rankings = Rankings(
            labels=np.concatenate([call.labels for call in calls]).astype(bool),
            scores=np.clip(scores, -_MOST, _MOST),  # without infinities, as tables have
            weight=np.concatenate(weights).astype(float) if weights else None,
            average="macro",
            group=np.repeat(np.arange(len(calls)), [call.labels.size for call in calls]),
            names=range(len(calls)),
        )
        if rankings.weight is not None:  # rows of weight 0 are left out, as a reader does
            rankings = rankings.take(np.flatnonzero(rankings.weight))
        self.sample = DataSet(rankings, every_row=None)
        self.values = np.array([call.value for call in calls])
        self.has_both = np.array([call.has_both_classes for call in calls])
        self.tolerance = tolerance

    def expected(self, definition: Variant) -> Array:
        """Return the value of a definition for each ranking."""
        return np.asarray(definition.values(self.sample)[0][0])

    def are(self, variant: Variant) -> Array:
        """Whether each value is that of a variant, or between its values over orders of ties."""
        values, _ = variant.values(self.sample)
        if len(values) == 1:
            return _are_equal(self.values, values[0], self.tolerance)
        _, low, high = values
        is_high_enough = low - self.tolerance <= self.values
        return np.asarray(is_high_enough & (self.values <= high + self.tolerance))

    def rarities(self, cuts: Sequence[Cut]) -> dict[Variant, int]:
        """Return what a function of one ranking may compute, with how rare that is."""
        lifts = (EnrichmentFactor(cut.k) for cut in cuts)
        others = map(Variant, (*explanation.AT_TARGETS, DavisGoadrich(), *lifts))
        return dict.fromkeys(others, _RARITY_OF_OTHERS) | {
            variant: candidate.rarity + 2 * (variant.rule in _OF_FIRST)
            for variant, candidate in candidates(self.sample, cuts).items()
            if variant.slip not in _OF_GROUPS and variant.average != "weighted"
        }

    def most_alike(self, all_values: Values, cuts: Sequence[Cut] = _KS) -> Variant | None:
        """Return the definition that equals most of these values, and of several that of all.

        All values are compared in the order of ties that suits a definition best. Of those that
        equal as many, it's the least rare. Return None if it equals fewer than half.
        The area under the ROC curve is no likeness: it equals all values, or is another metric.
        """
        rarities = self.rarities(cuts)
        n_equal = {
            variant: int(np.count_nonzero(self.are(variant)))
            for variant in rarities
            if not isinstance(variant.rule, RocArea)
            or all_values.are(variant)[all_values.has_both].all()
        }
        most = max(n_equal.values())
        if 2 * most < self.values.size:
            return None
        best = [variant for variant in n_equal if n_equal[variant] == most]

        def n_equal_of_all(variant: Variant) -> int:
            ordered = (replace(variant, order=each) for each in (Order.GROUPED, *_ONE_BY_ONE))
            return max(int(np.count_nonzero(all_values.are(each))) for each in ordered)

        return min(best, key=lambda variant: (-n_equal_of_all(variant), rarities[variant]))

    def tools(self, cut: Cut | None, order: Order | None) -> list[Peer]:
        """Return the tools that are known to return these values."""
        tools: list[Peer] = []
        for report, peers in tools_at_cut(reports_on(self.sample), cut, self.sample).items():
            known: Order | None = report.order
            if known is Order.BY_ID:
                known = ASSUMED[Order.BY_ID]
            if known is Order.OPEN:  # which a caller decides, but nobody else knows
                peers = [peer for peer in peers if peer.ties in _ORDERS_OF_CALLERS]
                known = order if order in _ONE_BY_ONE else None
            if report.slip in _OF_GROUPS or known is None or not peers:
                continue
            if self.are(replace(report, order=known)).all():
                tools += peers
        return tools


def _are_equal(values: Array | float, expected: Array | float, tolerance: float | Array) -> Array:
    with np.errstate(invalid="ignore"):  # of infinities
        is_near = np.abs(values - expected) <= tolerance
    are_both_nan = np.isnan(values) & np.isnan(expected)
    return np.asarray(is_near | (values == expected) | are_both_nan)


def _in_single(call: Call) -> Call:
    return call._replace(scores=call.scores.astype(np.float32))


def _multiplied(factor: float, call: Call) -> Call:
    return call._replace(value=factor * call.value)


def _of_other_class(call: Call) -> Call:
    return call._replace(labels=1 - call.labels, scores=-call.scores)


@dataclass(frozen=True)
class _Model:
    """What a function may compute: a definition, of rankings that a mistake has changed.

    Everything that is said of a function is a model, and `fits` says which calls bear it out.
    """

    variant: Variant
    words: str = "{name}"
    change: OtherCall = lambda call: call
    tolerance: float = 0.0  # in addition to that of the audit
    fewest: int = 0  # samples with which the mistake is made
    has_both_classes: bool = False  # whether it's the mean over both

    def fits(self, calls: Sequence[Call], tolerance: float) -> Array:
        """Whether each value is the one that a function which does this returns."""
        if not calls:
            return np.zeros(0, dtype=bool)
        changed = [self.change(call) if call.labels.size >= self.fewest else call for call in calls]
        has_mistake = np.array([call.labels.size >= self.fewest for call in calls])
        allowed = tolerance + self.tolerance * has_mistake
        values = Values(changed, allowed)
        if not self.has_both_classes:
            return values.are(self.variant)
        of_other = Values([*map(_of_other_class, changed)], allowed).expected(self.variant)
        return _are_equal(values.values, (values.expected(self.variant) + of_other) / 2, allowed)

    def in_order(self, order: Order) -> _Model:
        return replace(self, variant=replace(self.variant, order=order))

    @property
    def definition(self) -> str:
        """The definition without the order of ties, which has words of its own."""
        name = replace(self.variant, order=Order.GROUPED).name
        return name.replace(f"@{100 * ALL_ROWS:g}%", "@n")

    @property
    def name(self) -> str:
        return "step average precision" if self.definition == "step" else self.definition

    @property
    def sentence(self) -> str:
        text = self.words.format(name=self.name)
        return f"{text[0].upper()}{text[1:]}"


def _in_all_orders(call: Call) -> Iterator[Call]:
    """Yield a call in each order of its tied samples."""
    scores = np.unique(call.scores)[::-1]
    orders = ({*permutations(call.labels[call.scores == each].tolist())} for each in scores)
    for ordered in product(*orders):
        labels = np.concatenate(ordered)
        yield call._replace(labels=labels, scores=-np.arange(labels.size))


class Recognized:
    """The model that fits what a function did, or that nothing was ranked, in a sentence."""

    def __init__(
        self,
        trials: CallLog,
        tolerance: float,
        is_other: bool = False,
        of: Variant | None = None,
    ) -> None:
        """`is_other` tells that nobody takes it for average precision, `of` what it should be."""
        self.trials, self.tolerance = trials, tolerance
        values = [call for call in trials.calls if call.aspect == "values"]
        self.untied = [call for call in values if not call.rank]
        self.of_ranks = [call for call in values if call.rank]
        many = [call for call in self.about("many samples") if call.has_no_ties]
        self.decisive = [*many, *self.untied, *self.of_ranks]
        self.model: _Model | None = None
        self.order: Order | None = Order.GROUPED  # of ties; None if it isn't known
        self.is_between = False  # of the values of the best and the worst order
        self.reading = ""  # how scores of other forms are read; empty if as they are
        self.sentence = ""
        if of is not None:
            self.model = self._as_read(self._ordered(_Model(of)))
            return
        sentence = self._nothing_ranked()
        if sentence and not is_other:
            self.model = self._first_that_fits(self._swapped())
            self.sentence = "" if self.model else sentence
        if sentence or not self.untied:
            return
        plain = many + self.about(*WITH_BOTH, *EDGES)
        definition = self.of(self.untied).most_alike(self.of(plain), self.cuts)
        if definition is not None:
            self.model = _Model(definition)
        if self.model is None or not self.fit(self.model, self.decisive):
            self.model = None if is_other else self._first_that_fits(self._mistakes()) or self.model
        if self.model is not None:
            self.model = self._as_read(self._ordered(self.model))

    @property
    def computed(self) -> Variant:
        """What the function computes, or else step."""
        return Variant(Step()) if self.model is None else self.model.variant

    @property
    def known_order(self) -> Order:
        return self.order if self.order in _KNOWN and self.order else Order.GROUPED

    def of(self, calls: Sequence[Call]) -> Values:
        return Values(calls, self.tolerance)

    def fit(self, model: _Model, calls: Sequence[Call]) -> bool:
        with suppress(NotImplementedError):  # a few rules have no range over all orders
            return bool(model.fits(calls, self.tolerance).all())
        return False

    def about(self, *aspects: str) -> list[Call]:
        return [call for call in self.trials.calls if call.aspect in aspects]

    @property
    def cuts(self) -> Sequence[Cut]:
        """The cutoffs that the function may have: the last ranks whose labels change the value."""
        if not self.of_ranks or np.isnan([call.value for call in self.of_ranks]).any():
            return _KS
        cuts = [Cut(ALL_ROWS)]
        for size in {call.labels.size for call in self.of_ranks}:
            values = {call.rank: call.value for call in self.of_ranks if call.labels.size == size}
            last = max(values)
            ks = [rank for rank in values if abs(values[rank] - values[last]) > 1e-9]
            is_far = size > len(self.of_ranks)  # only a few ranks are tried
            if ks and (max(ks) < last - 1 or is_far):
                cuts += [Cut(max(ks)), *_SHARES]
                if 100 * max(ks) % size == 0:
                    cuts.append(Cut(max(ks) / size))
        return cuts

    def _nothing_ranked(self) -> str:
        """Say that the function always fails, or always returns one value."""
        calls = [call for call in self.trials.calls if call.aspect != "Series"]
        if calls and all(call.returned == "an error" for call in calls):
            [(error, _)] = Counter(call.error for call in calls).most_common(1)
            return f"{FAILS}{error.rstrip('.')}{'' if error.endswith('?') else '.'}"
        returned = {call.returned for call in self.untied}
        if len(returned) != 1 or len(self.untied) == 1:
            return ""
        untied = [call for call in calls if not call.is_refused and call.has_no_ties]
        if {call.returned for call in untied if call.has_both_classes} != returned:
            return ""
        where = " and with both classes" * (len({call.returned for call in untied}) > 1)
        hint = _NO_POSITIVES if {call.returned for call in calls} <= {"0.0", "nan"} else "."
        return f"Not a metric: every ranking without ties{where} gives {returned.pop()}{hint}"

    @cached_property
    def few(self) -> list[Call]:
        return self.untied[:: -(-len(self.untied) // _N_FOR_MISTAKES)]

    @cached_property
    def variants(self) -> list[Variant]:
        """What a mistake may be made with, the least rare first."""
        rarities = self.of(self.few).rarities(self.cuts)
        return [
            variant
            for variant in sorted(rarities, key=lambda variant: rarities[variant])
            if variant.is_average_precision or isinstance(variant.rule, PrecisionAtK)
            if variant.slip is Slip.NONE and variant.reading is Reading.EXACT
        ]

    def _first_that_fits(self, models: Iterator[_Model]) -> _Model | None:
        """Return the first model that has the values of all rankings without ties."""
        return next((model for model in models if self.fit(model, self.decisive)), None)

    def _mistakes(self) -> Iterator[_Model]:
        """Yield what the function may do instead of a definition, the most likely first."""
        if self.model is not None:
            yield from self._mistakes_of_many(self.model)
        yield from self._roundings()
        yield from self._swapped()
        for words, change in MISTAKES.items():
            yield from self._alike(_Model(Variant(Step()), words, change))
        yield from self._multiples()
        mean = "The mean of {name} over both classes"
        for rule in explanation.AREAS:
            yield _Model(Variant(rule), mean, has_both_classes=True)
        yield from self._deviations()

    def _alike(self, model: _Model) -> Iterator[_Model]:
        """Yield the model with each definition with which it fits a few rankings."""
        values = Values([*map(model.change, self.few)], self.tolerance + model.tolerance)
        alike = (variant for variant in self.variants if values.are(variant).all())
        return (replace(model, variant=variant) for variant in alike)

    def _roundings(self) -> Iterator[_Model]:
        """Yield that values are rounded, if that changes some."""
        values = np.array([call.value for call in self.decisive])
        for words, tolerance in roundings(values):
            for model in self._alike(_Model(Variant(Step()), words, tolerance=tolerance)):
                if not self.fit(replace(model, tolerance=tolerance / 10), self.decisive):
                    yield model

    def _multiples(self) -> Iterator[_Model]:
        """Yield that values are those of a definition times a constant."""
        values = self.of(self.few)
        for variant in self.variants:
            expected = values.expected(variant)
            is_positive = (expected > 0) & np.isfinite(values.values)
            factors = values.values[is_positive] / expected[is_positive]
            if factors.size and factors[0] > 0 and np.ptp(factors) < 1e-6 * factors[0]:
                factor = float(np.median(factors))
                words = f"{{name}} times {in_digits(factor)}"
                yield _Model(variant, words, partial(_multiplied, 1 / factor))

    def _mistakes_of_many(self, model: _Model) -> Iterator[_Model]:
        """Yield what changes with the number of rows, if there is a definition for few of them."""
        for words, each in IN_BLOCKS.items():
            yield replace(model, words=words, change=each)
        is_fit = model.fits(self.decisive, self.tolerance)
        sizes = np.array([call.labels.size for call in self.decisive])
        if is_fit.any() and sizes[is_fit].max() < sizes[~is_fit].min():
            fewest = int(sizes[~is_fit].min())
            where = f"of the rankings tried, in those with {fewest:,} samples or more"
            for words, each in MISTAKES.items():
                yield _Model(model.variant, f"{words}, {where}", each, fewest=fewest)

    def _swapped(self) -> Iterator[_Model]:
        """Yield that the function takes the scores first."""
        values: dict[int, float] = {}

        def swapped(call: Call) -> Call:
            if id(call) not in values:
                other = Call("values", call.scores, call.labels)
                has_time = self.trials.has_time(call.labels.size)
                values[id(call)] = self.trials.call(other).value if has_time else nan
            return call._replace(value=values[id(call)])

        if self.trials.gets_series or len({swapped(call).value for call in self.few}) < 2:
            return
        yield from self._alike(_Model(Variant(Step()), _SWAPPED, swapped))

    def _deviations(self) -> Iterator[_Model]:
        """Yield by how much the values are off, if it's little: the most that was measured."""
        values = self.of(self.decisive)
        off = {each: np.abs(values.values - values.expected(each)) for each in self.variants}
        near = [variant for variant in off if off[variant].max() < _OFF]  # and not nan
        if not near:
            return
        nearest = min(near, key=lambda variant: off[variant].max())
        least, is_off = float(off[nearest].max()), off[nearest] > self.tolerance
        words = f"{{name}}, but values are off by up to {in_digits(least)}"
        if least < _OFF_BY_A_SMALL_NUMBER:
            words += ", as by a small number in a denominator,"
        sizes = [call.labels.size for call in compress(self.decisive, is_off)]
        span = f"{min(sizes):,} to " * (min(sizes) < max(sizes))
        where = _told_by(self.decisive, is_off) or f"with {span}{max(sizes):,} samples"
        words += f", of the rankings tried, in those {where}"
        yield _Model(nearest, words, tolerance=least, fewest=min(sizes))

    def _ordered(self, model: _Model) -> _Model:
        """Return the model with the order in which it ranks ties, if that is known."""
        all_tied = self.about("ties", "order of rows", "constant scores")
        tied = [call for call in all_tied if np.ptp(call.scores) > 0]
        self.order = None if tied else Order.GROUPED
        knows_mean = isinstance(model.variant.rule, Step | AtK)
        known = [order for order in _KNOWN if knows_mean or order is not Order.EXPECTED]
        for orders, calls in product((known, [Order.OPEN]), (all_tied, tied) if tied else ()):
            order = next((each for each in orders if self.fit(model.in_order(each), calls)), None)
            if order is None:
                continue
            self.is_between = order is Order.OPEN and not self._have_some_order(model, calls)
            self.order = None if self.is_between else order
            return model if self.is_between else model.in_order(order)
        return model

    def _have_some_order(self, model: _Model, calls: Sequence[Call]) -> bool:
        """Whether each value of a few samples is that of one of the orders of tied samples."""
        few = [call for call in map(model.change, calls) if call.labels.size <= _MOST_ORDERED]
        orders = [[*_in_all_orders(call)] for call in few]
        are = self.of([*chain.from_iterable(orders)]).are(model.variant)
        starts = np.cumsum([0, *map(len, orders)])[:-1]
        return bool(np.logical_or.reduceat(are, starts).all())

    def _as_read(self, model: _Model) -> _Model:
        """Return the model with how the function reads scores of other forms, if that is known."""
        is_plain = model.variant.reading is Reading.EXACT and model.variant.slip is Slip.NONE
        again = self.about("repeated calls")
        n_values = len({(call.original, call.returned) for call in again})
        is_steady = n_values * len(FORMS["repeated calls"]) <= len(again)
        if not (is_plain and is_steady and model.words == "{name}" and self.order in _KNOWN):
            return model
        calls = [call for call in self.about(*OF_SCORES) if not call.error]
        if self.fit(model, calls):
            return model
        calls += self.about("values", "many samples")
        for how, change in {IN_SINGLE: _in_single, **READINGS}.items():
            words = "{name}, scores as float32" if how == IN_SINGLE else reads(how)
            read = replace(model, words=words, change=change)
            if self.fit(read, calls):
                self.reading = how
                return read
        return model


# --- what differs --------------------------------------------------------------------------------


class Findings:
    """What a function did, compared with a definition, and which model explains it."""

    def __init__(self, found: Recognized, definition: Variant, raises: bool = False) -> None:
        """`raises` tells that it should raise an error without positives."""
        self.found, self.definition, self.raises = found, definition, raises
        self.trials, self.calls, tolerance = found.trials, found.trials.calls, found.tolerance
        self.tolerance = tolerance
        # All arrays have one entry for each call.
        self.values = np.array([call.value for call in self.calls])
        original = np.array([call.original for call in self.calls], dtype=int)
        is_original = original == np.arange(original.size)
        expected = np.full(original.size, nan)
        expected[is_original] = self.of(np.flatnonzero(is_original)).expected(definition)
        self.expected = expected[original]
        many = self.about("many samples")
        if found.order in _KNOWN and many:  # ties are another aspect
            of_many = replace(definition, order=found.known_order)
            self.expected[many] = self.of(many).expected(of_many)
        # Forms of a ranking that have another value by this definition
        changing = self._are(*self._changing_forms())
        places = np.flatnonzero(changing)
        if places.size:
            self.expected[places] = self.of(places).expected(definition)
        self.is_equal = _are_equal(self.values, self.expected, tolerance)
        if definition.order is Order.OPEN:  # any order will do
            places = np.flatnonzero((is_original | changing) & ~self._are("many samples"))
            self.is_equal[places] = self.of(places).are(definition)
        if raises:
            places = np.array(self.about("no positives"), dtype=int)
            self.is_equal[places] = [bool(self.calls[i].error) for i in places]
        is_as_before = _are_equal(self.values, self.values[original], tolerance)
        is_form = self._are(*FORMS) & ~changing
        self.is_right = np.where(is_form, is_as_before, self.is_equal)
        self.fits = np.zeros(original.size, dtype=bool)
        if found.model is not None:
            self.fits = found.model.fits(self.calls, tolerance)
        if found.reading == IN_SINGLE:  # it can't tell all shifted scores apart
            self.is_right |= self._are("shifted") & self.fits
        if found.order not in _KNOWN:  # nothing is known of many ties
            has_ties = np.array([not call.has_no_ties for call in self.calls], dtype=bool)
            self.is_right |= self._are("many samples") & has_ties
        is_refused = np.array([call.is_refused for call in self.calls], dtype=bool)
        self.is_refused = self._are(*REFUSABLE) & is_refused
        # A function may want arrays.
        is_trap = self._are("Series") & (not self.trials.gets_series)
        self.is_trap = is_trap & bool((is_trap & ~self.is_right & ~self.is_refused).any())
        self.is_steady = bool(self.is_right[self._are("repeated calls")].all())
        self.instead: dict[str, str] = {}  # what is returned, by the aspect that differs
        self.in_code: dict[str, str] = {}  # the smallest ranking, by the aspect that differs
        self.not_tried: list[str] = []  # aspects
        self.notes: list[str] = []
        self.rows = tuple(map(self._row, ASPECTS))

    def _changing_forms(self) -> set[str]:
        """Return the forms in which a ranking may have another value by the definition."""
        forms = set()
        if self.definition.order in _ONE_BY_ONE:
            forms.add("order of rows")
        if self.definition.order is Order.OPEN:
            forms |= {*FORMS} - {"repeated calls"}
        if self.definition.reading is not Reading.EXACT:
            forms |= {*OF_SCORES}
        return forms

    def _are(self, *aspects: str) -> Array:
        return np.array([call.aspect in aspects for call in self.calls], dtype=bool)

    def about(self, *aspects: str) -> list[int]:
        """Return the numbers of the calls about some aspects."""
        return [i for i, call in enumerate(self.calls) if call.aspect in aspects]

    def of(self, places: Iterable[int]) -> Values:
        return Values([self.calls[i] for i in places], self.tolerance)

    @property
    def differing(self) -> list[Aspect]:
        return [row for row in self.rows if row.agrees is False]

    def counts(self, has: Array) -> tuple[int, int]:
        """Return the number of rankings, and of those that have something."""
        is_ranking = ~self._are("repeated calls") & ~self.is_refused & ~self.is_trap
        return int(is_ranking.sum()), int(np.count_nonzero(has & is_ranking))

    def counted(self, has: Array) -> str:
        n_rankings, n_having = self.counts(has)
        return f"{n_having:,} of {n_rankings:,} rankings"

    def _row(self, aspect: str) -> Aspect:
        """Say what differs in an aspect, with the smallest ranking that shows it."""
        if aspect == "weights":
            return self._row_of_weights()
        if aspect in self.trials.left_out:
            return Aspect(aspect, "not tried", True)
        tried, differing = self._differing_in(aspect)
        if not differing:
            return self._row_if_alike(aspect, len(tried))
        counts = self._counts_in(aspect, len(differing), len(tried))
        texts = {self._instead_of(self.calls[i], self.expected[i]) for i in differing}
        is_uniform = len(texts) == 1 and len(differing) == len(tried)
        if aspect == "ties":  # constant scores are tied, too
            differing += [i for i in self.about("constant scores") if not self.is_equal[i]]
        smallest = min(differing, key=lambda i: (self.is_equal[i], self.calls[i].labels.size))
        call, expected = self._shrunk(smallest)
        instead = self._instead_of(call, expected)
        finding = f"{call.ranking} gives {instead}"
        if self.is_refused[smallest] or self.is_trap[smallest]:
            return self._row_if_harmless(aspect, call, finding, counts)
        self.instead[aspect] = instead if is_uniform else f"{finding}{counts}"
        if aspect == "arguments changed":
            finding = f"{call.changed} of {call.ranking}"
        elif aspect == "order of rows":
            with_ties = " with ties only" if self._are_tied(differing) else ""
            finding = f"matters{with_ties}: {finding}"
        elif aspect == "ties" and self._of_ties:
            finding = f"{self._of_ties}: {finding}"
        elif aspect in OF_SCORES and self._is_explained(aspect) and self.found.reading:
            finding += f", as if scores were read {self.found.reading}"
        return self._differing(aspect, f"{finding}{counts}", call, expected)

    def _differing_in(self, aspect: str) -> tuple[list[int], list[int]]:
        """Return the calls about an aspect, and those that differ; refused ones if all do."""
        tried = self.about(aspect)
        if aspect == "arguments changed":
            tried = [*range(len(self.calls))]
            return tried, [i for i in tried if self.calls[i].changed]
        wrong = [i for i in tried if not self.is_right[i]]
        differing = [i for i in wrong if not self.is_refused[i]] or wrong
        if aspect == "values" and not differing:
            differing = [i for i in tried if self.calls[i].is_text]
        return tried, differing

    def _counts_in(self, aspect: str, n_differing: int, n_tried: int) -> str:
        """Say how many rankings differ in an aspect, and which ones if a feature tells them."""
        if n_tried == 1:
            return ""
        among = self.about(*_AMONG.get(aspect, ()))
        where = _told_by([self.calls[i] for i in among], ~self.is_right[among])
        those = f", those {where}" if where else ""
        return f" ({n_differing:,} of {n_tried:,} rankings{those})"

    def _instead_of(self, call: Call, expected: float) -> str:
        """Say what a call returned, and what it should have returned."""
        if call.is_text and _are_equal(call.value, expected, self.tolerance):
            return f"the text {call.returned!r} instead of a number"
        is_form = call.aspect in FORMS and call.aspect not in self._changing_forms()
        other = self.calls[call.original].returned if is_form else in_digits(float(expected))
        if self.raises and call.aspect == "no positives":
            other = "an error"
        return f"{call.returned} instead of {other}{call.error}"

    def _row_if_harmless(self, aspect: str, call: Call, finding: str, counts: str) -> Aspect:
        """Return the row of an aspect that a function may refuse, or may need arrays for."""
        if call.is_refused:
            if aspect in ("float labels", "read-only arrays"):
                self.notes.append(f"It refuses {aspect}{call.error.rstrip('.')}.")
            return Aspect(aspect, f"refused{call.error or ': nan'}", True)
        if not self.is_steady:
            return Aspect(aspect, "not compared: values change from call to call", True)
        self.notes.append(f"It needs arrays: as a pandas Series, {finding}.")
        return Aspect(aspect, f"needs arrays: {finding}{counts}", True)

    def _are_tied(self, places: list[int]) -> bool:
        return all(self.calls[self.calls[i].original].aspect != "values" for i in places)

    def _is_explained(self, aspect: str) -> bool:
        """Whether the model has all values of an aspect that differ, and all without ties."""
        places = self.about(aspect)
        has = self.fits if aspect == "values" else self.fits | self.is_right
        return bool(places) and bool(has[places].all())

    def _row_if_alike(self, aspect: str, n_tried: int) -> Aspect:
        """Return the row of an aspect in which no ranking differs."""
        n_skipped = self.trials.skipped[aspect]
        if n_skipped or not n_tried:
            self.not_tried.append(aspect)
        words = "nothing differs" if n_tried else "not tried"
        if aspect == "many samples" and self.trials.n_too_large:
            most = max(self.trials.memory)
            self.not_tried.append(f"more than {most:,} samples")
            words += f" up to {most:,} samples, as more would take over 1 GB"
        if n_skipped and n_tried and aspect != "many samples":
            words += f" in {n_tried:,} of {n_tried + n_skipped:,} rankings"
        elif n_skipped:
            most = max(self.trials.seconds, default=0)
            seconds = self.trials.seconds.get(most, nan)
            words = f"not tried with more than {most:,} samples, which take {seconds:.2g} s"
        elif aspect == "shifted" and self.found.reading == IN_SINGLE:
            words += " but scores that are equal as float32"
        return Aspect(aspect, words, None if n_skipped else True)

    def _row_of_weights(self) -> Aspect:
        """Compare weighted values with those of the definition, by the order of its ties."""
        if not (self.trials.weights_as or self.trials.gets_series):
            return Aspect("weights", "it takes none", True)
        if isinstance(self.definition.rule, Graded):  # which has no weights
            return Aspect("weights", "not tried", True)
        is_known = self.found.order in _KNOWN
        calls = [call for call in self.trials.weighted if is_known or call.has_no_ties]
        if calls and all(call.error for call in calls):
            return Aspect("weights", f"refused{calls[0].error}", True)
        weighted = replace(self.definition, order=self.found.known_order)
        expected = Values(calls, self.tolerance).expected(weighted) if calls else np.zeros(0)
        values = np.array([call.value for call in calls])
        wrong = np.flatnonzero(~_are_equal(values, expected, self.tolerance)).tolist()
        if not wrong:
            return self._row_if_alike("weights", len(calls))
        words = ""
        for meaning, change in _OF_WEIGHTS.items():
            others = [call._replace(weights=change(call, call.weights)) for call in calls]
            if Values(others, self.tolerance).are(weighted).all():
                words = meaning
        if not isinstance(weighted.rule, AreaRule) and words != _IGNORED:
            self.not_tried.append("weights")
            return Aspect("weights", "not compared: nobody agrees on a weighted value", True)
        smallest = min(wrong, key=lambda i: calls[i].labels.size)
        call, of_definition = calls[smallest], float(expected[smallest])
        weights = ", ".join(map(str, np.asarray(call.weights).tolist()[:10]))
        instead = self._instead_of(call, of_definition)
        finding = f"{words}{call.ranking} and weights {weights} gives {instead}"
        if len(wrong) < len(calls):
            finding += f" ({len(wrong):,} of {len(calls):,} rankings)"
        self.instead["weights"] = finding
        return self._differing("weights", finding, call, of_definition)

    def _differing(self, aspect: str, finding: str, call: Call, expected: float) -> Aspect:
        self.in_code[aspect] = call.in_code(self.trials.weights_as)
        ranking = call.labels.tolist(), call.scores.tolist()
        return Aspect(aspect, finding, False, *ranking, call.value, expected)

    def _shrunk(self, place: int) -> tuple[Call, float]:
        """Leave out samples of a large ranking as long as the function still differs, in the same
        aspect.

        Return the last call, and the value that is expected for it.
        """
        call, expected = self.calls[place], float(self.expected[place])
        # How far values are off is said of the sizes that were tried.
        has_sizes = self.found.model is not None and self.found.model.tolerance > 0
        is_large = call.original == place and call.labels.size > MOST_UNTIED
        if not is_large or call.changed or has_sizes:
            return call, expected
        aspect, definition = aspect_of(call.labels, call.scores), self.definition
        if call.aspect == "many samples":
            definition = replace(definition, order=self.found.known_order)
        n_left_out = call.labels.size // 2  # samples at a time, from each start
        while n_left_out:
            start = 0
            while start < call.labels.size and self.trials.n_called < MOST_CALLS:
                left_out = np.s_[start : start + n_left_out]
                labels, scores = np.delete(call.labels, left_out), np.delete(call.scores, left_out)
                if not labels.size or aspect_of(labels, scores) != aspect:
                    start += n_left_out
                    continue
                if not self.trials.has_time(labels.size):
                    return call, expected
                smaller_call = self.trials.call(call._replace(labels=labels, scores=scores))
                values = Values([smaller_call], self.tolerance)
                if values.are(definition).all():
                    start += n_left_out
                else:  # the next samples are at the same place now
                    call, expected = smaller_call, float(values.expected(definition)[0])
            n_left_out //= 2
        return call, expected

    def tools(self) -> tuple[str, ...]:
        """Name the tools that are known to do the same as the function in every aspect."""
        model = self.found.model
        if model is None or (model.words != "{name}" and self.found.reading != IN_SINGLE):
            return ()
        with_both = self.about(*WITH_BOTH, "many samples")
        forms = [i for i in self.about(*FORMS) if not (self.is_refused | self.is_trap)[i]]
        calls = [self.calls[i] for i in with_both + forms]
        is_odd = any(call.returned == "an error" or call.is_text for call in calls)
        if is_odd or {row.aspect for row in self.differing} & _OF_NO_TOOL:
            return ()
        tools = Values(calls, self.tolerance).tools(model.variant.rule.depth, self.found.order)
        if self.trials.weighted and not all(call.error for call in self.trials.weighted):
            tools = [peer for peer in tools if peer.weights]
        for aspect in EDGES:
            places = self.about(aspect)
            expected = self.of(places).expected(model.variant) if places else np.zeros(0)
            values = self.values[places]
            errors = [self.calls[i].returned == "an error" for i in places]
            tools = [
                peer
                for peer in tools
                if _are_equal(values, value_without(peer, aspect, expected), self.tolerance).all()
                and ((peer.no_positives.startswith("an error") and all(errors)) or not any(errors))
            ]
        return tuple(filter(None, credit(model.variant, tools).split("; ")))

    # --- what may be said of it ------------------------------------------------------------------

    def title(self) -> str:
        """Say what the function computes, and whether it always does.

        Each aspect that differs has words here, or the title only says what the function is like.
        """
        model = self.found.model
        if self.found.sentence:
            return self.found.sentence
        if model is None:
            counts = self.counted(self.is_equal)
            return f"None of the definitions that are known here. It equals step on {counts}."
        exceptions = [*self._exceptions()]
        of_values = [row for row in self.differing if row.aspect in ("values", "many samples")]
        off = [abs((row.value or 0.0) - (row.expected or 0.0)) for row in of_values]
        most = model.tolerance + self.tolerance
        is_off_by_more = model.tolerance > 0 and any(each > most for each in off)
        is_alike = is_off_by_more or not self._is_explained("values")
        if is_alike or len(exceptions) > _MOST_EXCEPTIONS:
            return self._likeness(model)
        if exceptions:
            return f"{model.sentence}, except {', and '.join(exceptions)}."
        if model.words != "{name}":
            return f"{model.sentence}."
        counts = self.counted(self.fits)
        if self.not_tried:
            not_tried = ", ".join(self.not_tried)
            return f"{model.sentence}, wherever tried: {counts}. Not tried: {not_tried}."
        return f"{model.sentence}, always: {counts}{' as arrays' * bool(self.is_trap.any())}."

    def _likeness(self, model: _Model) -> str:
        """Say how often the function returns the value of a definition, and where it doesn't."""
        name = f'"{model.name}"' if "," in model.name else model.name
        plain = _Model(replace(model.variant, order=Order.GROUPED))
        counts = self.counted(plain.fits(self.calls, self.tolerance))
        where = _told_by(self.found.decisive, ~plain.fits(self.found.decisive, self.tolerance))
        also = f" Of the rankings tried without ties, those {where} differ." if where else ""
        return f"Like {name}, but not always the same: {counts}.{also}"

    def _exceptions(self) -> Iterator[str]:
        """Yield words for each aspect that differs, but for what the model explains."""
        aspects = [row.aspect for row in self.differing]
        said: set[str] = set()
        if self._of_ties and "ties" in aspects:
            is_between = self.found.is_between
            said = {each for each in _OF_TIES if is_between or self._is_explained(each)}
        elif "repeated calls" in aspects:
            wrong = [i for i in self.about("order of rows") if not self.is_right[i]]
            said = {*_OF_TIES} if self._are_tied(wrong) else said
        for aspect in sorted(aspects, key=[*EDGES, *ASPECTS].index):
            if aspect == "ties" and "ties" in said and self._of_ties:
                yield f"with ties: {self._of_ties}"
            elif aspect == "repeated calls":
                yield "that it changes from call to call"
            elif aspect == "arguments changed":
                yield "that it changes its arguments"
            elif aspect == "values" and all(self.is_right[i] for i in self.about("values")):
                yield "that it returns text instead of a number"
            elif aspect not in said and not self._is_explained(aspect):
                yield f"{ASPECTS[aspect]}: {self.instead[aspect]}"

    @property
    def _of_ties(self) -> str:
        """How the function ranks tied samples, in words, without what that means for a row."""
        if self.found.is_between:
            return "the value is between those of the best and the worst order"
        if self.found.order in (None, Order.GROUPED):
            return ""
        return TERMS[self.found.order.value.removeprefix(", ")].partition(", so")[0]


# What rankings have that may make a difference
_FEATURES: dict[str, Callable[[Call], int]] = {
    "samples": lambda call: call.labels.size,
    "positives": lambda call: int(call.labels.sum()),
    "negatives": lambda call: int((1 - call.labels).sum()),
    "samples with one score": lambda call: int(np.unique(call.scores, return_counts=True)[1].max()),
    "negatives for each positive": lambda call: int((1 - call.labels).sum() // call.labels.sum()),
}


def _told_by(calls: Sequence[Call], differs: Array) -> str:
    """Say which rankings differ, if one of their features tells exactly these from all others."""
    if not differs.any() or differs.all() or not all(call.labels.any() for call in calls):
        return ""
    for words, feature in _FEATURES.items():
        amounts = np.array([feature(call) for call in calls])
        of_these, of_others = amounts[differs], amounts[~differs]
        if of_these.min() > of_others.max():
            return f"with {of_these.min():,} {words} or more"
        if of_these.max() < of_others.min():
            return f"with at most {count_of(int(of_these.max()), words)}"
    return ""


def findings_of(
    trials: CallLog, tolerance: float, is_other: bool = False
) -> tuple[Audit, Recognized]:
    """Compare what the function did with the definition that is most alike, or else with step.

    A function that ranks by anything but its scores, as the title says, doesn't compute what it
    should, so its rows say where it differs from the definition for the scores.
    """
    found = Recognized(trials, tolerance, is_other)
    plain = replace(found.computed.meant, order=Order.GROUPED)
    findings = Findings(found, plain)
    n_rankings, n_equal = findings.counts(findings.is_equal)
    audited = Audit(
        definition=None if found.model is None else found.model.definition,
        title=findings.title(),
        ranks_by=None,
        n_rankings=n_rankings,
        n_equal=n_equal,
        tools=findings.tools(),
        rows=findings.rows,
        notes=(
            *findings.notes,
            *trials.notes(),
            *([] if findings.differing else [trials.tried(tolerance)]),
        ),
    )
    return audited, found


# --- scorers -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class ScoringAudit(Result):
    """Result of :func:`~sklearn_ap.compat.audit` for several scorers.

    Attributes
    ----------
    names : tuple of str
        The names of the scorers.
    alone : tuple of Audit
        What each of them computes alone.
    audits : dict of Audit
        The same by name.
    changes : tuple
        The scorers whose value changes in company, with the attributes `scorer`, `beside`, `value`,
        `alone` and `why`.
    agrees : bool
        Whether no value changes, and each scorer always computes a definition, or is one of
        scikit-learn's other scorers.

    See Also
    --------
    audit : Find out which definition a function computes.

    Examples
    --------
    >>> from sklearn_ap.compat import audit
    >>> result = audit(["roc_auc", "average_precision"])
    >>> result.agrees
    True
    >>> result.audits["roc_auc"].ranks_by
    'decision_function'
    """

    _index = "scorer"

    names: tuple[str, ...]
    alone: tuple[Audit, ...]
    changes: tuple[Change, ...]

    @property
    def audits(self) -> dict[str, Audit]:
        """The audits of the scorers by their names."""
        return dict(zip(self.names, self.alone, strict=True))

    @property
    def agrees(self) -> bool | None:
        """Whether there is nothing to mend; None if time ended an audit."""
        agree = {each.title.startswith(_NO_AVERAGE) or each.agrees for each in self.alone}
        if self.changes or False in agree:
            return False
        return None if None in agree else True

    def __str__(self) -> str:
        width = max(map(len, self.audits)) + 1
        lines = [f"{f'{name}:':<{width}} {each.title}" for name, each in self.audits.items()]
        texts = [*lines, *map(str, self.changes)]
        return "\n".join(fill(text, WIDTH, subsequent_indent="    ") for text in texts)

    def _printed(self) -> Printed:
        rows = [(name, each.title) for name, each in self.audits.items()]
        return Printed(("scorer", "finding"), [("", "", rows)], "", [*map(str, self.changes)])

    def _as_dict(self) -> dict[str, Any]:
        audits = {name: each._as_dict() for name, each in self.audits.items()}
        in_company = [change._asdict() for change in self.changes]
        return {"agrees": self.agrees, "audits": audits, "changes": in_company}

    def _rows(self) -> list[dict[str, Any]]:
        fields = ("title", "definition", "agrees", "ranks_by")
        return [
            {"scorer": name} | {field: getattr(each, field) for field in fields}
            for name, each in self.audits.items()
        ]


def trials_of(
    scorer: Scorer, setting: Setting, tolerance: float, random_state: Any
) -> tuple[CallLog, Setting, str]:
    """Call a scorer, in the setting whose positive class it ranks by.

    Return that setting, and what the scorer ranks by, in words: the methods that it calls, and the
    class, unless it may be either. No words if it fails before it calls a method.
    """

    def definition_in(setting: Setting) -> Variant | None:
        trials = CallLog(partial(setting.call, scorer), random_state)
        random = (random_ranking(20, False, trials.rng) for _ in range(_N_FOR_MISTAKES // 2))
        trials.try_each(Call("values", *trials.shuffled(*ranking)) for ranking in random)
        values = Values(trials.calls, tolerance)
        return values.most_alike(values, _KS[:1])

    first, last = sorted(setting[:2])
    settings = {
        last: setting._replace(positive=last, negative=first),  # what scikit-learn takes by default
        first: setting._replace(positive=first, negative=last),
    }
    own = own_positive(scorer)
    is_known = own in settings
    if is_known:
        setting = settings[own]
    else:
        definitions = {label: definition_in(each) for label, each in settings.items()}
        rarities = {
            label: _RARITY_OF_NONE if definition is None else definition.rarity
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
    left_out = _NOT_OF_PROBABILITIES if "predict_proba" in methods else set()
    if setting.try_once(scorer, np.arange(4))[0] is None:  # it refuses labels as scores
        left_out = {*left_out, "integers"}
    trials = CallLog(partial(setting.call, scorer), random_state, left_out, gets_series=True)
    return trials.try_all(is_brief=is_of_sklearn(scorer)), setting, ranks_by


def _title_of_scorer(scorer: Scorer, audited: Audit, found: Recognized, ranks_by: str) -> str:
    methods = ranks_by.partition(", for")[0]
    values = audited.rows[0]
    rule, slip = found.computed.rule, found.computed.slip
    is_error = found.sentence.startswith(FAILS)
    if methods == "predict" and (is_error or (isinstance(rule, Step) and slip in _OF_LABELS)):
        example = values.finding.rpartition(" (")[0] or values.finding  # without counts
        if is_error:
            example = f"every call fails{audited.title.removeprefix(FAILS).rstrip('.')}"
        return (
            f"Ranks by predict, so by labels instead of scores: {example}. Pass "
            'response_method=("decision_function", "predict_proba").'
        )
    if found.model is None and is_of_sklearn(scorer) and not is_error:
        return f"{_NO_AVERAGE}; it ranks by {ranks_by}."
    if isinstance(rule, RocArea):
        return f"ROC AUC isn't average precision; it ranks by {ranks_by}."
    if is_error:
        return f"{audited.title} {_GIVEN}"
    if slip in (Slip.TURNED, Slip.OTHER_CLASS_TURNED) and methods == "predict_proba":
        column = f"the column of {ranks_by.replace(',', '')}"
        return f"{audited.title} Take {column}, not the other one."
    if audited.agrees and found.model is not None:
        return f"{found.model.sentence}, by {ranks_by}."
    return f"{audited.title} It ranks by {ranks_by}."


def audit_of_scorer(
    scorer: Scorer, setting: Setting, tolerance: float, random_state: Any
) -> tuple[CallLog, Audit, Recognized, Setting]:
    """Audit a scorer, and return the setting whose positive class it ranks by, too."""
    trials, setting, ranks_by = trials_of(scorer, setting, tolerance, random_state)
    audited, found = findings_of(trials, tolerance, is_of_sklearn(scorer))
    title = _title_of_scorer(scorer, audited, found, ranks_by)
    return (
        trials,
        replace(audited, title=title, ranks_by=ranks_by or None, tools=()),
        found,
        setting,
    )


def audit_of_scorers(
    scorers: dict[str, Scorer], tolerance: float, random_state: Any
) -> Audit | ScoringAudit:
    """Audit scorers alone, and then together."""
    settings = settings_for(scorers)
    audits, positives = {}, {}
    for name, scorer in scorers.items():
        _, audited, _, setting = audit_of_scorer(scorer, settings[0], tolerance, random_state)
        audits[name], positives[name] = audited, setting.positive
    if [*audits] == [""]:
        return audits[""]
    return ScoringAudit(
        (*audits,), (*audits.values(),), tuple(changes(scorers, settings, positives))
    )


# --- public functions ----------------------------------------------------------------------------


@public()
def audit(function: Any, *, tolerance: float = 1e-6, random_state: Any = 0) -> Audit | ScoringAudit:
    """Find out which definition of average precision a function computes, and where they differ.

    The function is called as ``function(y_true, y_score)`` with about 1,500 rankings: all labels
    and ties of up to five samples, and random ones of up to 100,000, with their rows in an order
    that is far from sorted. Its values are compared with the values of each definition, and with
    each other, for example after shuffling the rows. Each difference is shown on the smallest
    ranking that has it. What isn't tried isn't claimed.

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
    [1, 0] with equal scores gives 1.0 instead of 0.5 (437 of 641 rankings)

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
    scorers = scorers_of(function)
    if scorers is None:
        return findings_of(calls_of(function, random_state), tolerance)[0]
    return audit_of_scorers(scorers, tolerance, random_state)
