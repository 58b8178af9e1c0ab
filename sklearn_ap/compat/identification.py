"""Find the definition that produced a reported value."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from itertools import accumulate, chain, groupby
from math import ceil
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._enter.entry import public, read_rows
from .._inputs.metric_names import write_rule
from .._inputs.records import Inputs, Label, NPositives
from .._show.results import Printed, Result, Value
from .._words.messages import format_count
from .._words.parameters import format_value
from ..core.cutoff import DEFAULT_COUNTS, Cut
from ..core.rules import (
    Rule,
    Step,
)
from . import explanation
from .candidates import GUESSED_KS, Candidate, list_candidates
from .data_sets import DataSet
from .peers import (
    Peer,
    format_tools,
    list_some_tools,
    name_tools,
)
from .readings import AnyReading, Batches, RoundedScores, SparkBins, ThresholdBins
from .tie_orders import ASSUMED, Order
from .variant_rules import (
    Curved,
    LinearFromFirst,
)
from .variants import AREA_RULES, Variant

_GUESSED_FRACTION = 0.01
_ROUNDED_DECIMALS = (1, 2, 3, 4)
_NUMBERS_OF_THRESHOLDS = (5, 10, 11, 20, 25, 50, 100, 101, 200, 500, 1000)  # 11 for 10 bins
_SPARK_BINS = 1000  # its numBins by default
# All sizes would give half of all numbers with four decimals
_BATCH_SIZES = (16, 32, 64, 128, 256, 512, 1024, 50, 100, 200, 250, 500, 1000)
_HIGHEST_LIFT = 10**6  # lift that is looked for
_COMPARED_DECIMALS = 12  # values that agree to this many decimals count as one
_MAX_EXACT_DECIMALS = 12  # the last digits of a float printed in full depend on the tool
_ROUNDING_OF_SUMS = 1e-6  # in single precision
# The most that an average differs if positives are counted in the type of scores that are float32,
# as in https://github.com/scikit-learn/scikit-learn/pull/34817
_ROUNDING_OF_COUNTS = 1e-8
_N_CLOSEST_VALUES = 5
_MAX_SHOWN_ROWS = 8
_MAX_SHOWN_CLOSEST = 3
_MAX_LENGTH_OF_NAMES = 125  # the length of a list of names, in characters
_LIKELY_CHANCE = 0.2  # matches that are more likely than this by chance are only named
_TITLE_IN_SOME_ORDER = "These could, in some order of the tied samples:"
_TITLE_BETWEEN_ORDERS = (
    "It's between the values that these give in the best and the worst order of the tied samples:"
)
_HEADER = "value", "by chance", "definition and tools"
_WORTH_A_COLUMN = 0.01  # the chance from which on it changes what one concludes


@dataclass(frozen=True, eq=False)
class Match(Value):
    """A definition, its value on your data, and how far it is from the reported value.

    `chance` is the probability that a random value with as many decimals also matches. If tools
    leave the order of tied samples open, every value that some order gives is a match, or if there
    are too many orders to try them all, every value between the lowest and the highest one.
    """

    name: str  # the definition, followed by how ties are ranked, what went wrong and the like
    definition: str  # only the definition
    value: float
    distance: float  # 0 if some order of the tied samples gives the reported value
    reported_by: str
    low: float  # the lowest and highest value over all orders of tied samples, where tools
    high: float  # leave the order open; otherwise both are the value
    rarity: int  # 0 for step, higher for what is rarely reported
    chance: float  # the probability that a random value matches a definition that is no rarer
    guessed_k: int | float | None = None  # if it isn't the k that you passed
    is_found_in_order: bool = True  # False if it's only known to be between two orders of ties
    tools: tuple[str, ...] = ()  # the names of those that report it
    short_name: str = field(default="", repr=False)  # without the order of ties, if that is open
    family: str = field(default="", repr=False)  # the definition, or for any guessed k the same

    @property
    def is_within_reach(self) -> bool:
        """Whether it matches because some order of the tied samples gives the reported value."""
        return self.low < self.high

    def show_name(self, given_k: float | None) -> str:
        """Return the name, and say if k isn't the one that was passed."""
        if self.guessed_k is None:
            return self.name
        if given_k is None:
            return f"{self.name} (k guessed)"
        return f"{self.name}, though k={given_k:g} was passed"


@dataclass(frozen=True, eq=False, repr=False)
class Identification(Result):
    """Result of :func:`~sklearn_ap.compat.identify`: print it, or use its `matches`.

    Attributes
    ----------
    reported : float
        The reported value.
    decimals : int
        How many decimals it has.
    matches : tuple
        The definitions that match, starting with the match that is least likely by chance; empty if
        none matches. Each has the attributes `name`, `value`, `distance`, `reported_by`, `tools`,
        `low`, `high`, `chance`, `guessed_k` and `is_found_in_order`. If `low` is less than `high`,
        the definition gives the reported value only in some order of the tied samples, or if
        `is_found_in_order` is False, the value is between those of the best and the worst order.
    closest : tuple
        If no definition matches, the nearest ones, with the same attributes.
    names : tuple of str
        The names of the definitions that match.
    indistinguishable : tuple
        Tuples with the names of matching definitions that have the same value on this data.
    n_tried : int
        How many different values were tried.
    chance : float
        The probability that a random value with as many decimals equals one of the values tried.
    chance_within_reach : float
        The highest probability that such a value equals one of these, with tied samples in any
        order.
    k : float or None
        The cutoff that you passed.
    guessed_ks : tuple of int
        The cutoffs that were tried besides 1% and the k that you passed.
    notes : tuple of str
        What is unusual about the data, and what to check next.

    See Also
    --------
    identify : Find the definition behind a value.

    Examples
    --------
    >>> from sklearn_ap.compat import identify
    >>> found = identify("0.4056", [0, 1, 0, 1, 1], [5, 4, 3, 2, 1], k=3)
    >>> found.names
    ('linear', 'linear, ranked by the order of rows', 'mean of P@1 to P@6')
    >>> found.matches[0].value
    0.405556
    >>> identify("0.99", [0, 1, 0, 1, 1], [5, 4, 3, 2, 1], k=3).matches
    ()
    """

    reported: float
    decimals: int
    matches: tuple[Match, ...]  # the least likely by chance first; empty if nothing matches
    closest: tuple[Match, ...]  # the nearest definitions, if nothing matches
    n_tried: int = 0  # how many different values were tried
    chance: float = 0.0  # the probability that a random value equals one of them
    chance_within_reach: float = 0.0  # at most, if tied samples can be in any order
    k: int | float | None = None  # the cutoff that you passed
    guessed_ks: tuple[int, ...] = ()  # the other cutoffs that were tried
    notes: tuple[str, ...] = ()  # what is unusual about the data, and what to check next

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the definitions that match."""
        return tuple(match.name for match in self.matches)

    @property
    def indistinguishable(self) -> tuple[tuple[str, ...], ...]:
        """Matching definitions that have the same value on this data."""
        names = (tuple(match.name for match in same) for same in _group_by_value(self.matches))
        return tuple(same for same in names if len(same) > 1)

    def _printed(self) -> Printed:
        """Name the tools of what hardly matches by chance, and only the definitions of all else."""
        reported = f"{self.reported:z.{self.decimals}f}"
        places = format_count(self.decimals, "decimals")
        if not self.matches:
            title = f"On your data, no definition gives {reported}. The closest ones are:"
            return Printed(_HEADER[::2], [("", "", self._format_closest())], title, self.notes)
        gives = f"On your data, these definitions give {reported}, to {places}:"
        if all(match.is_within_reach for match in self.matches):
            gives = f"On your data, no definition is sure to give {reported}, to {places}. "
            is_found = any(match.is_found_in_order for match in self.matches)
            gives += _TITLE_IN_SOME_ORDER if is_found else _TITLE_BETWEEN_ORDERS
        if not self._is_convincing:
            chance = _format_percent(self.matches[0].chance)
            title = (
                f"Every match may well be an accident: {chance} of all values with {places} match "
                f"at least as well. {gives}"
            )
            rows = [(reported, text) for text in self._list_names()]
            return Printed(_HEADER[::2], [("", "", rows)], title, self.notes)
        blocks: list[tuple[str, str, list[tuple[str, ...]]]] = []
        for alike in self._split_matches():  # sure ones first, if any
            above = ""
            if blocks and alike[0][0].is_found_in_order:
                above = "These could give it, in some order of the tied samples:"
            elif blocks:
                above = _TITLE_BETWEEN_ORDERS
            blocks.append((above, "", [_format_match(same, self.k) for same in alike]))
        if all(same[0].chance < _WORTH_A_COLUMN for same in self._shown_matches):
            blocks = [
                (above, basis, [(value, text) for value, _, text in rows])
                for above, basis, rows in blocks
            ]
            return Printed(_HEADER[::2], blocks, gives, self.notes)
        return Printed(_HEADER, blocks, gives, self.notes)

    def _split_matches(self) -> list[list[list[Match]]]:
        """Split matches into certain ones, those in an order of ties, and those between orders."""
        blocks = groupby(
            self._shown_matches, lambda same: (same[0].is_within_reach, same[0].is_found_in_order)
        )
        return [[*alike] for _, alike in blocks]

    def _format_closest(self) -> list[tuple[str, str]]:
        """Return the definitions of each closest value, and that value."""
        rows = []
        for same in _group_by_value(self.closest)[:_MAX_SHOWN_CLOSEST]:
            names = [match.short_name for match in _select_plainest(same)]
            rows.append(
                (_format_range(same), _join_names(names, _MAX_LENGTH_OF_NAMES // 3, "closest"))
            )
        return rows

    def _rows(self) -> list[dict[str, Any]]:
        return [match._as_dict() for match in self.matches or self.closest]

    @property
    def _shown_matches(self) -> list[list[Match]]:
        """The matches without those that many values would match, if there are better ones.

        The best definition that gives the value is always shown, before all that could give it.
        """
        # If all orders of ties give the value, the name without an order says as much.
        half, names = _compute_half_unit(self.decimals), self.names
        possible = [
            match
            for match in self.matches
            if match.is_within_reach
            and (
                match.short_name not in names
                or max(match.high - self.reported, self.reported - match.low) > half
            )
        ]

        def select_unlikely(matches: list[Match], best: Sequence[Match]) -> list[list[Match]]:
            """Return the matches that are unlikely by chance, or no likelier than the best one."""
            most = max([_LIKELY_CHANCE, *(match.chance for match in best)])
            return _group_by_value(match for match in matches if match.chance <= most)

        possible.sort(key=lambda match: not match.is_found_in_order)
        certain = select_unlikely(self._certain_matches, self._certain_matches[:1])
        could_be = select_unlikely(possible, self.matches[:1])
        # Neither crowds out the other.
        n_certain = max(_MAX_SHOWN_ROWS - len(could_be), _MAX_SHOWN_ROWS // 2)
        return (certain[:n_certain] + could_be)[:_MAX_SHOWN_ROWS]

    @property
    def _certain_matches(self) -> list[Match]:
        """The matches that don't depend on the order of ties."""
        return [match for match in self.matches if not match.is_within_reach]

    @property
    def _is_convincing(self) -> bool:
        return bool(self.matches) and self.matches[0].chance <= _LIKELY_CHANCE

    def _list_names(self) -> Iterator[str]:
        """Name each definition once, in the first of these rows that has it."""
        surest = self._certain_matches or self.matches
        found = [match for match in self.matches if match.is_found_in_order]
        between = [] if found else self.matches  # which say least
        named: set[str] = set()  # the families
        for label, matches in (
            ("", [match for match in surest if match.guessed_k is None]),
            (
                "with a guessed k: ",
                [match for match in surest if match.guessed_k is not None],
            ),
            ("in some order of the tied samples: ", found),
            ("between the best and the worst order of the tied samples: ", between),
        ):
            names: dict[str, str] = {}  # by family
            for match in matches:
                if match.family not in named:
                    short_name = match.short_name if match.guessed_k is None else match.family
                    names.setdefault(match.family, short_name)
            named |= names.keys()
            if names:
                yield label + _join_names([*names.values()], _MAX_LENGTH_OF_NAMES)


Identification.__module__ = "sklearn_ap.compat"  # where users find it


def _group_by_value(matches: Iterable[Any]) -> list[list[Any]]:
    """Group matches, or what was tried, by their lowest and highest value, in their order."""
    by_value = defaultdict(list)
    for match in matches:
        low, high = round(match.low, _COMPARED_DECIMALS), round(match.high, _COMPARED_DECIMALS)
        by_value[low, high, match.low < match.high].append(match)
    return list(by_value.values())


def _select_plainest(same: list[Match]) -> list[Match]:
    """Return the first match of each definition, without mistakes that make no difference here."""
    plainest = {match.definition: match for match in reversed(same)}
    return [
        match
        for match in same
        if match in plainest.values()
        and not any(match.definition.startswith(f"{other}, ") for other in plainest)
    ]


def _join_names(names: list[str], most: int, attribute: str = "matches") -> str:
    """Join names, but only count those after `most` characters, which an attribute has."""
    lengths = [*accumulate(len(name) + len("; ") for name in names)]
    n_shown = max(bisect_right(lengths, most), 1)
    texts = names[:n_shown]
    if n_shown < len(names):
        texts.append(f"and {len(names) - n_shown} more in `{attribute}`")
    return "; ".join(texts)


def _format_range(same: list[Match]) -> str:
    return explanation.format_value_range(same[0].value, same[0].low, same[0].high)


def _format_match(same: list[Match], given_k: float | None) -> tuple[str, ...]:
    """Return the cells of matches with the same value."""
    shown = [match.show_name(given_k) for match in _select_plainest(same)]
    names = _join_names(shown, _MAX_LENGTH_OF_NAMES)
    tools = list_some_tools(chain.from_iterable(match.tools for match in same))
    text = f"{names}: {tools}" if tools else names
    return _format_range(same), _format_percent(same[0].chance), text


def _format_percent(share: float) -> str:
    if share < 0.001:
        return "<0.1%"
    digits = 3 if share > 0.995 else 2  # 99.9% isn't 100%
    return f"{100 * share:.{digits}g}%"


@public()
def identify(
    value: float | str,
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    decimals: int | None = None,
    k: float | None = None,
    k_counts: str = DEFAULT_COUNTS,
    ids: ArrayLike | None = None,
    n_thresholds: int | None = None,
    batch_size: int | None = None,
    pos_label: Label = 1,  # written by docs/_write/parameters.py
    sample_weight: ArrayLike | None = None,
    n_positives: NPositives = None,
    groups: ArrayLike | None = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Identification:
    r"""Find the definitions that give a reported value on your data.

    Pass the predictions that the value was computed from. With another model, split or sample, no
    definition can give the same value, and any match is an accident.

    All definitions are tried, with every denominator and every order of tied samples. Recall levels
    as floats, old releases of scikit-learn and common mistakes are tried as well: negated scores,
    the wrong positive class, predicted labels instead of scores, both columns of `predict_proba`,
    one row per group, rows in their order, the best row, duplicated or tied rows left out, scores
    clipped to [0, 1] or without their signs, ranks from 0, the precision of the point above, all
    other metrics of this package, the area under the ROC curve, F1, the best F1, precision above
    0.5 and accuracy. So are scores with 1 to 4 decimals, the bins of Spark, and the mean over
    batches of rows in their order. If the scores are probabilities, so are the threshold grids of
    Keras and torchmetrics.

    A definition matches if its value rounds to the reported one. It also matches if the tools leave
    the order of tied samples open, and some order gives such a value.

    Parameters
    ----------
    value : float or str
        The reported value. Pass a str to keep zeros at the end, as in "0.780". A str may be a
        percentage, as in "78.0%". Above 1, it's a lift, or a mistake.
    y_true : array-like of shape (n_samples,), default=None
        Binary labels.
    y_score : array-like of shape (n_samples,), default=None
        Prediction scores, higher for the positive class.
    decimals : int, default=None
        How many decimals of the value are known. By default, these are all decimals of the value,
        or six for a value in single precision.
    k : int or float, default=None
        The cutoff, if you know it: an int counts samples, and a float in (0, 1] is a fraction of
        them. Small and common cutoffs are tried as well, after this one.
    k_counts : {'samples', 'weight'}, default='weight'
        What `k` counts if samples have weights.
    ids : array-like of shape (n_samples,), default=None
        The document ids, strings or integers, by which trec_eval breaks ties: it ranks the last id
        first, compared as text. Without ids, the rows of trec_eval show the range over all orders
        of ties.
    n_thresholds : int, default=None
        A number of thresholds, evenly spaced from 0 to 1, between which scores may have been tied,
        in addition to common numbers.
    batch_size : int, default=None
        A number of rows, over whose values somebody may have averaged, in addition to common ones.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts, such as the number of rows that it stands for.
    n_positives : int, float, array-like or mapping, default=None
        How many positives exist, found or not; with `groups`, a mapping from groups to counts.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query; groups are ranked separately. If the value may
        be a mean over the folds of a cross-validation, pass the fold of each sample.
    min_grade : int or float, default=None
        The lowest grade that counts as positive, if `y_true` contains grades.
    data : table, default=None
        The table that contains the columns, if you pass column names instead of arrays.

    Returns
    -------
    identification : Identification
        It prints as a table. `matches` contains the definitions that match, starting with the match
        that is least likely by chance, and `names` contains their names. If nothing matches,
        `closest` contains the nearest ones.

    See Also
    --------
    explain : Show the values of all definitions, and why they differ.

    Examples
    --------
    >>> from sklearn_ap.compat import identify
    >>> y_true, y_score = [0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> identify("0.4056", y_true, y_score, k=3).names
    ('linear', 'linear, ranked by the order of rows', 'mean of P@1 to P@6')
    >>> identify("0.99", y_true, y_score, k=3).names
    ()
    """
    reported, places = _read_reported(value, decimals)
    cut = None if k is None else Cut(k, k_counts)
    unread = Inputs.of_call(locals(), "identify", besides={"ids": ids})
    with read_rows(unread) as inputs:
        data_set = DataSet.from_inputs(inputs, cut=cut)
    guessed_ks = tuple(guess for guess in GUESSED_KS if guess != k)
    guesses = [Cut(guess, k_counts) for guess in (*guessed_ks, _GUESSED_FRACTION) if guess != k]
    readings = _list_readings(data_set, n_thresholds, batch_size)
    tried = _try_candidates(data_set, reported, guesses, cut, readings)
    sure = [variant for variant in tried if variant.low == variant.high]
    tolerance = _compute_tolerance(value, places, decimals)
    if reported > 1 and all(each.distance > tolerance for each in tried):
        raise _make_range_error(value)
    is_exact = places == _MAX_EXACT_DECIMALS and decimals is None
    if is_exact and _is_counted_in_single(data_set, sure, tolerance):
        places, tolerance = 8, _ROUNDING_OF_COUNTS
    chances = _compute_chances(sure, places, tolerance), _compute_chances(tried, places, tolerance)

    matches = [each.make_match(chances, cut) for each in tried if each.distance <= tolerance]
    matches.sort(key=lambda match: (match.chance, match.rarity, match.distance))
    notes = explanation.describe_scores(data_set)
    if not matches or matches[0].chance > _LIKELY_CHANCE:
        notes.append(_note_missing(data_set, cut, is_found=bool(matches)))
    nearest = (
        []
        if matches
        else _group_by_value(sorted(tried, key=attrgetter("distance")))[:_N_CLOSEST_VALUES]
    )
    closest = (variant.make_match(chances, cut) for variant in chain.from_iterable(nearest))
    return Identification(
        reported=reported,
        decimals=places,
        matches=tuple(matches),
        closest=tuple(closest),
        n_tried=len(_group_by_value(tried)),
        chance=max(chances[0].values()),
        chance_within_reach=max(chances[1].values()) if len(sure) < len(tried) else 0.0,
        k=k,
        guessed_ks=guessed_ks,
        notes=tuple(notes),
    )


def _compute_tolerance(value: Any, places: int, decimals: int | None) -> float:
    """Return how far the exact value can be from the reported one."""
    tolerance = _compute_half_unit(places)
    if decimals is None and _is_single(value):
        tolerance += _ROUNDING_OF_SUMS
    return max(tolerance, float(np.spacing(value)) / 2 if isinstance(value, np.float16) else 0.0)


def _is_counted_in_single(data_set: DataSet, sure: list[_TriedVariant], tolerance: float) -> bool:
    """Whether only one value or rule is near, as if positives were counted in float32 scores."""
    if data_set.rankings.scores.dtype != np.float32:
        return False
    near = [variant for variant in sure if variant.distance <= _ROUNDING_OF_COUNTS]
    is_one = 1 in (len(_group_by_value(near)), len({each.variant.rule for each in near}))
    return is_one and min(each.distance for each in near) > tolerance


def _note_missing(data_set: DataSet, given: Cut | None, is_found: bool) -> str:
    """Say what may be missing if nothing matches, or only what many values would match."""
    missing = {
        "groups (queries or folds)": data_set.is_grouped,
        "sample_weight": data_set.is_weighted,
        "n_positives": data_set.rankings.n_positives is not None,
        "k": given is not None,
        "ids": data_set.ids is not None,
        "more decimals": not is_found,
    }
    names = [name for name, is_known in missing.items() if not is_known]
    passed = f", and what you may have passed: {', '.join(names)}" if names else ""
    return f"Not tried: other rows, labels and models{passed}."


class _TriedVariant(NamedTuple):
    """A variant and its value. Most of them are not shown, so they have no name yet.

    The fields are those of `Match`, to which `make_match` adds the others.
    """

    low: float
    high: float
    rarity: int
    value: float
    distance: float
    is_found_in_order: bool
    variant: Variant
    peers: Sequence[Peer]

    def make_match(self, chances: Sequence[dict[int, float]], given: Cut | None) -> Match:
        """Return the match of this variant, whose cutoff is a guess if it isn't the given one."""
        variant, rule = self.variant, self.variant.rule
        order = Order.GROUPED if variant.order in ASSUMED else variant.order
        definition = family = write_rule(rule, "term")
        guessed_k = rule.cut.k if rule.cut and (given is None or rule.cut.k != given.k) else None
        if guessed_k is not None:
            family = rule.term.format(n="k")
        return Match(
            name=variant.name,
            definition=definition,
            value=self.value,
            distance=self.distance,
            reported_by=format_tools(variant, self.peers),
            low=self.low,
            high=self.high,
            rarity=self.rarity,
            chance=chances[self.low < self.high][self.rarity],
            guessed_k=guessed_k,
            is_found_in_order=self.is_found_in_order,
            tools=name_tools(self.peers),
            short_name=replace(variant, order=order).name,
            family=family,
        )


def _list_readings(
    data_set: DataSet, n_thresholds: int | None, batch_size: int | None
) -> list[AnyReading]:
    """Return how somebody may have read the rows or their scores."""
    readings: list[AnyReading] = []
    if data_set.rankings.scores.dtype.kind == "f":
        readings += map(RoundedScores, _ROUNDED_DECIMALS)
    if data_set.are_probabilities:
        numbers = {*_NUMBERS_OF_THRESHOLDS, n_thresholds or _NUMBERS_OF_THRESHOLDS[0]}
        readings += [
            ThresholdBins(number, goes_up)
            for number in sorted(numbers)
            for goes_up in (True, False)
        ]
    elif n_thresholds is not None:
        scores = data_set.rankings.scores
        raise ValueError(
            "n_thresholds are evenly spaced from 0 to 1, but y_score has scores from "
            f"{scores.min().item()} to {scores.max().item()}. Pass probabilities, or "
            "leave n_thresholds out."
        )
    if data_set.distinct_scores >= 2 * _SPARK_BINS:
        readings.append(SparkBins(_SPARK_BINS))
    if data_set.is_grouped or data_set.is_weighted or data_set.misses_positives:
        if batch_size is not None:
            raise ValueError(
                "batch_size is for batches of all rows, which aren't tried with groups, "
                "sample_weight or n_positives. Leave these out, or batch_size."
            )
        return readings
    n_rows = data_set.rankings.n_rows
    for size in sorted({*_BATCH_SIZES, batch_size or _BATCH_SIZES[0]}):
        if 1 < size < n_rows:
            readings += [Batches(size, drops_last=False), Batches(size, drops_last=True)]
    return readings


def _list_read(data_set: DataSet, readings: Iterable[AnyReading]) -> Iterator[Variant]:
    """Yield what is computed from rows or scores that were read in another way."""
    for reading in readings:
        rules: tuple[Rule, ...] = AREA_RULES
        if isinstance(reading, ThresholdBins):  # torchmetrics', and Keras'
            rules = (Step(),) if reading.goes_up else (Curved(),)
        elif isinstance(reading, SparkBins):
            rules = (LinearFromFirst(),)
        elif isinstance(reading, Batches):
            rules = (Step(),)
        for rule in rules:
            variant = Variant(rule, reading=reading)
            yield variant.simplify_on(data_set)
            if isinstance(reading, Batches):
                yield replace(variant, empty=None).simplify_on(data_set)
        if isinstance(reading, RoundedScores) and not data_set.is_weighted:
            # As sorted(zip(y_score, y_true)) ranks what rounding ties
            yield Variant(Step(), reading=reading, order=Order.BEST).simplify_on(data_set)


def _try_candidates(
    data_set: DataSet,
    reported: float,
    guesses: list[Cut],
    given: Cut | None,
    readings: Iterable[AnyReading],
) -> list[_TriedVariant]:
    """Compute the value of each candidate."""
    tried = []
    candidates = list_candidates(data_set, guesses, given)
    for variant in _list_read(data_set, readings):
        candidates.setdefault(variant, Candidate(variant.rarity + 1, ()))
    for variant, (rarity, peers) in candidates.items():
        at, low, high = variant.value(data_set)
        if 0 <= at < np.inf and (at > 1) == (reported > 1):  # a tool without a value has nan
            distance = max(low - reported, reported - high, 0.0)
            in_orders = None
            if distance == 0 and low < high:
                in_orders = variant.measure_distance_in_orders(data_set, reported)
            if in_orders is not None:
                distance = in_orders
            is_found = low == high or in_orders is not None
            tried.append(_TriedVariant(low, high, rarity, at, distance, is_found, variant, peers))
    return tried


def _compute_half_unit(places: int) -> float:
    """Return how far a value with this many decimals can be from the exact one."""
    return 0.5 * 10.0**-places * (1 + 1e-9) + 1e-15


def _compute_chances(tried: list[_TriedVariant], places: int, tolerance: float) -> dict[int, float]:
    """Return, for each rarity, the fraction of values that match a definition no rarer than it.

    What was tried is all, or only what doesn't depend on the order of ties.
    The values are all that have this many decimals, from 0 to 1, or to the highest one above 1.
    """
    unit = 10**places
    highest = unit * max(1, ceil(max(each.high for each in tried) - _ROUNDING_OF_SUMS))
    low, high, rarity = np.array([(each.low, each.high, each.rarity) for each in tried]).T
    order = np.argsort(low, kind="stable")
    low, high, rarity = low[order], high[order], rarity[order]
    # Of the values 0, 1, ..., highest, each definition matches those from `first` to `last`.
    first = np.maximum(np.ceil((low - tolerance) * unit), 0)
    last = np.minimum(np.floor((high + tolerance) * unit), highest)
    chances = {}
    for rarest in np.unique(rarity):
        is_counted = rarity <= rarest
        begin, end = first[is_counted], last[is_counted]
        # Each adds those values that are after all values which the ones before it match.
        matched_up_to = np.maximum.accumulate(np.append(-1, end))[:-1]
        n_added = np.maximum(end - np.maximum(begin - 1, matched_up_to), 0)
        chances[int(rarest)] = float(n_added.sum()) / (highest + 1)
    return chances


def _is_single(value: Any) -> bool:
    """Whether a number has single precision."""
    return not isinstance(value, str) and float(np.float32(value)) == value


def _read_reported(value: Any, decimals: int | None) -> tuple[float, int]:
    """Return a value, which is above 1 only for a lift, and how many of its decimals are known.

    `decimals` is what the caller passed, or None to count those of the value.
    """
    is_narrow = isinstance(value, np.float32 | np.float16)
    try:
        has_text = isinstance(value, str) or is_narrow  # the shortest of its type, as "0.53"
        text = str(value).strip() if has_text else repr(float(value))
        exact = Decimal(text.removesuffix("%"))
        places = -int(exact.as_tuple().exponent)
    except (InvalidOperation, TypeError, ValueError):
        raise ValueError(
            "value must be a number, or a str that contains one, and comes first, as in "
            f"identify('0.78', y_true, y_score). Got {format_value(value)} instead."
        ) from None
    if text.endswith("%"):
        exact, places = exact / 100, places + 2
    # Sums can round to more than 1 in some tools.
    rounded = round(exact, _MAX_EXACT_DECIMALS) if -1 < exact < _HIGHEST_LIFT else Decimal(-1)
    if rounded < 0 or (rounded > 1 and text.endswith("%")):
        raise _make_range_error(value)
    if _is_single(value) and (is_narrow or places > 8):
        places = min(places, 6)  # of a float32, as hardly any float64 has this form by chance
    if decimals is not None:
        places = decimals
    most = float(exact) if rounded > 1 else 1.0
    return min(max(float(exact), 0.0), most), min(max(places, 0), _MAX_EXACT_DECIMALS)


def _make_range_error(value: Any) -> ValueError:
    return ValueError(
        "value must be between 0 and 1, or a percentage with its sign, from '0%' to '100%'. "
        f"Got {value!r} instead."
    )
