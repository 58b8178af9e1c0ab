"""Which definition made a reported number?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import ceil, floor, nan
from typing import Any

from numpy.typing import ArrayLike

from .. import _table as table
from .._data import takes_table
from .._typing import Label, NPositives
from .._validation import check_reported, positive_class
from ..core.cutoff import DEFAULT_COUNTS, Cut
from ..core.rules import AtK, PrecisionAtK, Rule
from .explain import credits, in_words, notes_on, times
from .naming import name_of
from .numbers import Number, Numbers
from .rules import MeanOfPrecisions
from .sample import Sample

_USUAL_KS = (1, 3, 5, 10, 20, 50, 100)
_GUESSED_KS = (*range(1, 11), 15, 20, 25, 30, 32, 50, 100)
_SAME_DECIMALS = 12  # numbers that agree so far are one
_N_CLOSEST = 5
_N_SHOWN = 8
_LIKELY = 0.2  # a match that so many numbers are by chance is no more than counted
_HEADER = ("number", "value", "by chance", "reported by")
_CLOSEST = ("number", "value", "distance", "reported by")


@dataclass(frozen=True)
class Match:
    """A number, and how far it is from the reported one.

    Chances are those of a number with as many decimals. Where an order of ties is open, it is the
    chance to lie within reach of one.
    """

    number: str
    definition: str  # the same without orders of ties, slips and the like
    value: float
    distance: float  # 0 within reach of an order of ties
    reported_by: str
    low: float  # the least and the most that an order of tied samples makes of it, where
    high: float  # the tools leave the order open; else both are the value
    rarity: int  # 0 for step, more for what is seldom reported
    chance: float  # how likely any number matches one that is no rarer
    guessed_k: float | None = None  # where k was not given

    @property
    def is_within_reach(self) -> bool:
        """Whether it is the reported number in some order of tied samples, not in that of the rows
        alone."""
        return self.low < self.high

    @property
    def called(self) -> str:
        return self.number + " (k guessed)" * (self.guessed_k is not None)


@dataclass(frozen=True)
class Identification:
    """The result of `identify`: print it, or use its matches."""

    reported: float
    decimals: int
    matches: tuple[Match, ...]  # the least likely by chance first; empty if there are none
    closest: tuple[Match, ...]  # the nearest of all, where none matches
    n_tried: int = 0  # different numbers
    chance: float = 0.0  # how likely a number of so many decimals equals one of them,
    chance_within_reach: float = 0.0  # or one of them in some order of tied samples
    guessed_ks: tuple[int, ...] = ()  # those that were tried where k was not given
    notes: tuple[str, ...] = ()  # what is odd about the data

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the numbers that match."""
        return tuple(match.number for match in self.matches)

    @property
    def indistinguishable(self) -> tuple[tuple[str, ...], ...]:
        """Matching numbers that are equal on this data."""
        names = (tuple(match.number for match in same) for same in _by_value(self.matches))
        return tuple(same for same in names if len(same) > 1)

    def __str__(self) -> str:
        header, rows = self._table()
        text = f"{self._title()}\n\n{table.stacked(header, rows)}"
        return "\n\n".join([text, *map(table.paragraph, self._remarks())])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return table.html(*self._table(), self._title(), [*self._remarks()])

    def _title(self) -> str:
        reported = f"{self.reported:.{self.decimals}f}"
        if self.matches:
            return f"{reported} is, to {times(self.decimals, 'decimal')}:"
        return f"None of the numbers that were tried is {reported} here. The closest ones are:"

    def _table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        if not self.matches:
            return _CLOSEST, list(_rows(self.closest, lambda match: f"{match.distance:.2g}"))
        shown = [match for same in self._shown for match in same]
        return _HEADER, list(_rows(shown, lambda match: _percent(match.chance)))

    @property
    def _shown(self) -> list[list[Match]]:
        """Not those that anything matches, if there are better ones."""
        likely = max(_LIKELY, self.matches[0].chance) if self.matches else 1.0
        same = _by_value(match for match in self.matches if match.chance <= likely)
        return same[:_N_SHOWN]

    def _remarks(self) -> Iterator[str]:
        more = len(_by_value(self.matches)) - len(self._shown)
        if more:
            yield f"Not shown, as they say less: {times(more, 'number')}, see matches."
        if any(match.is_within_reach for same in self._shown for match in same):
            yield (
                "If a row has a range instead of a value, the reported number is within reach of "
                "an order of the tied samples."
            )
        if any(len({match.definition for match in same}) > 1 for same in self._shown):
            yield "Numbers in one row are equal on this data."
        yield self._odds()
        yield from self.notes

    def _odds(self) -> str:
        ks = f", k among {_listed(self.guessed_ks)}" if self.guessed_ks else ""
        places = times(self.decimals, "decimal")
        text = (
            f"{times(self.n_tried, 'number')} were tried{ks}. Of all numbers with {places} "
            f"{_percent(self.chance)} equal one of them by chance"
        )
        if self.chance_within_reach > self.chance:
            text += f", and {_percent(self.chance_within_reach)} in some order of tied samples"
        if max(self.chance, self.chance_within_reach) < 0.05:
            return f"{text}."
        return f"{text}: more decimals{', or the k,' * bool(ks)} would tell more."


def _listed(ks: tuple[int, ...]) -> str:
    """The first ones follow one another."""
    run = next((i for i, k in enumerate(ks) if k != ks[0] + i), len(ks))
    return ", ".join([f"{ks[0]} to {ks[run - 1]}", *map(str, ks[run:])])


def _by_value(matches: Iterable[Match]) -> list[list[Match]]:
    same = defaultdict(list)
    for match in matches:
        ends = {match.low, match.high} if match.is_within_reach else {match.value}
        same[tuple(sorted(round(end, _SAME_DECIMALS) for end in ends))].append(match)
    return list(same.values())


def _rows(matches: Iterable[Match], middle: Any) -> Iterator[tuple[str, ...]]:
    for same in _by_value(matches):
        first = same[0]
        plainest = {match.definition: match for match in reversed(same)}
        yield (
            "; ".join(match.called for match in same if match in plainest.values()),
            in_words(first.value, first.low, first.high),
            middle(first),
            "; ".join(dict.fromkeys(match.reported_by for match in same if match.reported_by)),
        )


def _percent(share: float) -> str:
    return "< 0.1%" if share < 0.001 else f"{100 * share:.2g}%"


@takes_table
def identify(
    value: float | str,
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    decimals: int | None = None,
    k: float | None = None,
    pos_label: Label = 1,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_positives: NPositives = None,
    k_counts: str = DEFAULT_COUNTS,
    min_grade: float | None = None,
    data: Any = None,
) -> Identification:
    r"""Find the definitions that give a reported number on this data.

    It tries all definitions, with every denominator and every order of tied samples. It also tries
    recall levels as floats, old releases of scikit-learn, and common mistakes: scores upside down,
    the wrong positive class, predicted labels instead of scores, precision or recall at k, the area
    under the ROC curve. A number :math:`v` matches if it rounds to the reported one, :math:`|v -
    \mathrm{value}| \le \frac{1}{2} 10^{-\mathrm{decimals}}`. It also matches if some order of the
    tied samples gives such a number, and the tools do not fix that order.

    Parameters
    ----------
    value : float or str
        The reported number. Pass a str to keep zeros at the end, as in "0.780". A str may be a
        percentage, as in "78.0%".
    y_true : array-like of shape (n_samples,)
        Binary labels.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class.
    decimals : int, default=None
        How many decimals of the value are known. By default all that it has, and six for a number
        in single precision.
    k : int or float, default=None
        The cut-off, if you know it. An int is a number of samples. A float in (0, 1] is a share of
        them. None tries small and common ones.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample. Then the numbers are means over groups.
    n_positives : int, float or mapping from groups to them, default=None
        How many positives exist, found or not. With groups, how many exist in each.
    k_counts : {'samples', 'weight'}, default='weight'
        What `k` counts if samples have weights.
    min_grade : int or float, default=None
        The lowest grade that counts as positive; see :func:`sklearn_ap.average_precision_score`.
    data : table, default=None
        Where the columns are, if names of columns are passed. Here it has to be in memory: see
        :func:`sklearn_ap.average_precision_score`.

    Returns
    -------
    identification : Identification
        Its `matches` are sorted: the one that is least likely by chance comes first. `names` are
        the names of the matches. `indistinguishable` are those that are equal on this data.
        `closest` are the nearest numbers, if nothing matches. `n_tried` is how many numbers were
        tried. `chance` is how likely any number with so many decimals equals one of them. It prints
        as text, and shows as a table in a notebook.

    See Also
    --------
    explain : Lists all the numbers, and why they differ.

    Examples
    --------
    >>> from sklearn_ap.compat import identify
    >>> y_true, y_score = [0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]
    >>> identify("0.4056", y_true, y_score, k=3).names
    ('linear',)
    >>> identify("0.99", y_true, y_score, k=3).names
    ()
    """
    reported, places = check_reported(value, decimals)
    sample = Sample.of(
        y_true,
        y_score,
        pos_label=positive_class(pos_label, min_grade),
        sample_weight=sample_weight,
        groups=groups,
        n_positives=n_positives,
    )
    given = None if k is None else Cut(k, k_counts)
    sample.warn_of(given)
    guessed = () if given else _GUESSED_KS
    tried = _tried(sample, given, guessed, k_counts)
    exact, ranges = ([m for m in tried if m.is_within_reach == open_] for open_ in (False, True))
    chances = {False: _chances(exact, places), True: _chances(tried, places)}
    found = [
        replace(
            match,
            distance=max(match.low - reported, reported - match.high, 0.0),
            chance=chances[match.is_within_reach][match.rarity],
        )
        for match in tried
    ]
    matches = [match for match in found if match.distance <= _half(places)]
    matches.sort(key=lambda match: (match.chance, match.rarity, match.distance))
    closest = [] if matches else sorted(found, key=lambda match: match.distance)
    return Identification(
        reported=reported,
        decimals=places,
        matches=tuple(matches),
        closest=tuple(match for same in _by_value(closest)[:_N_CLOSEST] for match in same),
        n_tried=len(_by_value(tried)),
        chance=max(chances[False].values()),
        chance_within_reach=max(chances[True].values()) if ranges else 0.0,
        guessed_ks=guessed,
        notes=notes_on(sample),
    )


def _tried(
    sample: Sample, given: Cut | None, guessed: tuple[int, ...], k_counts: str
) -> list[Match]:
    """All numbers, each once, those without a cut-off first."""
    numbers = Numbers(sample, k_counts)
    cuts = [None, *([given] if given else []), *(Cut(k, k_counts) for k in guessed)]
    longest = sample.n_rows.max(initial=0)
    enough = min((k for k in guessed if k >= longest), default=0)  # of more k most are the same
    matches: dict[Number, Match] = {}
    for cut in cuts:
        guess = None if cut is None or cut == given else int(cut.k)
        names = credits([numbers.of_peers(cut), numbers.of_ids_that_rise(cut)])
        for number in dict.fromkeys((*numbers.all(cut, is_guess=guess is not None), *names)):
            if number in matches or (
                enough and (guess or 0) > enough and not _grows(number.rule, sample)
            ):
                continue
            value = number.value(sample)
            if 0 <= value.at <= 1:  # no nan: nobody has a number for this
                by = names.get(number, "")
                rarity = number.rarity + (by == "") + _rarity_of(guess)
                matches[number] = Match(
                    number=number.name,
                    definition=name_of(number.rule),
                    value=value.at,
                    distance=nan,
                    reported_by=by,
                    low=value.low,
                    high=value.high,
                    rarity=rarity,
                    chance=nan,
                    guessed_k=guess,
                )
    return list(matches.values())


def _rarity_of(guess: int | None) -> int:
    return 0 if guess is None else 1 if guess in _USUAL_KS else 2


def _grows(rule: Rule, sample: Sample) -> bool:
    """Whether a k beyond all samples still makes another number."""
    if isinstance(rule, AtK):
        return rule.denominator == "k" or (rule.denominator == "min" and sample.misses_positives)
    return isinstance(rule, PrecisionAtK | MeanOfPrecisions)


def _half(places: int) -> float:
    """How far from a number a report with so many decimals may be, and some rounding."""
    return 0.5 * 10.0**-places * (1 + 1e-9) + 1e-15


def _chances(tried: list[Match], places: int) -> dict[int, float]:
    """By rarity: which share of all numbers with so many decimals equal one that is no rarer."""
    unit, half = 10**places, _half(places)
    ends = sorted(
        (
            max(ceil((each.low - half) * unit), 0),
            min(floor((each.high + half) * unit), unit),
            each.rarity,
        )
        for each in tried
    )
    chances = {}
    for rarity in sorted({each.rarity for each in tried}):
        covered, upto = 0, -1
        for first, last, rare in ends:
            if rare <= rarity and last > upto:
                covered += last - max(first - 1, upto)
                upto = last
        chances[rarity] = covered / (unit + 1)
    return chances
