"""Find the definition that produced a reported value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import product
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core import Column, Scores, load
from .._results import Printed, Result
from ..exceptions import InvalidParameterError
from . import recipes
from .definitions import DEFINITIONS, MISTAKES, Definition, list_at_k, list_mistakes_at_k
from .peers import name_tools, read_peers
from .recipes import Data, Mean, PeersOf, Recipe
from .transforms import AS_IT_IS, UNKNOWN_ORDER, VALUE_TRANSFORMS, list_transforms
from .wording import format_range, list_first

# Cutoffs that are tried, and how rare they are
_GUESSED_KS: dict[float, int] = {
    **dict.fromkeys((10, 5, 1, 3, 20, 50, 100, 12), 1),
    **dict.fromkeys((2, 4, 6, 7, 8, 9, 15, 25, 30, 500, 0.01, 0.05, 0.1), 2),
}
_MAX_RARITY = 3  # the sum over definition, transforms and mean
_EXACT_DECIMALS = 12  # Later digits depend on the tool.
_SINGLE_DECIMALS = 6
_WINDOW = 0.05  # the distance up to which values are counted that would match, too
_UNLIKELY = 0.005  # a chance of a match that isn't worth a word
_NO_EVIDENCE = 0.3  # a chance with which a match tells little
_MAX_SHOWN = 3
_MAX_WIDTH = 100
_MAX_TOOLS, _MAX_NAMES, _MAX_NAMES_OF_RANGES = 2, 2, 9


@dataclass(frozen=True)
class Match:
    """A value on your data, and what gives it, the most common first."""

    value: float  # the value that would be reported
    names: tuple[str, ...]
    tools: tuple[str, ...]
    rarity: int  # 0 for step average precision
    chance: float  # the chance that an unrelated value matches something as common
    low: float  # different from `high` if some order of tied samples gives the reported value
    high: float


@dataclass(frozen=True, repr=False)
class Identification(Result):
    """Result of :func:`identify`: print it, or use its `matches`.

    Attributes
    ----------
    reported : float
        The reported value.
    decimals : int
        How many of its decimals are compared.
    matches : tuple of Match
        What gives the value, the most common first, with the attributes `value`, `names`, `tools`,
        `rarity`, `chance`, `low` and `high`.
    n_tried : int
        How many different values were tried.
    title : str
        How many samples and positives there are.
    untried : str
        What else may give another value.
    """

    reported: float
    decimals: int
    matches: tuple[Match, ...]
    n_tried: int
    title: str
    untried: str

    @property
    def names(self) -> tuple[str, ...]:
        """All names, of all matches."""
        return tuple(name for match in self.matches for name in match.names)

    def to_frame(self) -> Any:
        """Return a DataFrame of pandas."""
        return load("pandas", "to_frame").DataFrame(map(asdict, self.matches))

    def __str__(self) -> str:
        heading, lines = self._describe()
        shown = [_join(self._list_cells(match)) for match in self.matches[:_MAX_SHOWN]]
        return "\n".join([heading, *shown, *lines])

    def _print(self) -> Printed:
        heading, lines = self._describe()
        rows = [self._list_cells(match) for match in self.matches[:_MAX_SHOWN]]
        return Printed(["value", "definition", "tools"], [(heading, rows)], lines)

    def _describe(self) -> tuple[str, list[str]]:
        """Return what stands above the matches and below."""
        reported = f"{self.reported:.{self.decimals}f}"
        untried = f"Not tried: {self.untried}."
        if not self.matches:
            tried = f"{self.title}. None of {self.n_tried:,} values tried is {reported}."
            return tried, [untried]
        n_more = len(self.matches) - _MAX_SHOWN
        more = f" ({n_more:,} more in `matches`)" if n_more > 0 else ""
        chance = self.matches[0].chance
        by_chance = f"{chance:.0%} of unrelated values would match a definition by chance"
        if chance >= _NO_EVIDENCE and all(match.low < match.high for match in self.matches):
            missing = " (do you need groups=?)" if "groups=" in self.untried else ""
            by_chance = f"Only a range that ties allow has this value{missing}"
        if self.reported in (0, 1):
            by_chance, chance = "Most metrics can be exactly 0 or 1", 1.0
        if chance >= _NO_EVIDENCE:
            says_little = f"so {reported} says little. It could be{more}:"
            return f"{self.title}. {by_chance},\n{says_little}", [untried]
        heading = f"{self.title}. {reported} could be{more}:"
        return heading, [f"{by_chance}.", untried] if chance > _UNLIKELY else []

    def _list_cells(self, match: Match) -> list[str]:
        """Return a value, its names and tools, fewer of them if the line would be too long."""
        value = format_range(match.low, match.high, max(self.decimals, 4))
        is_range, cells = match.low < match.high, [value]
        mark, end = (", ", f", {UNKNOWN_ORDER.name}") if is_range else ("; ", "")
        names = [name.removesuffix(end) for name in match.names]
        most = _MAX_NAMES_OF_RANGES if is_range else _MAX_NAMES
        for n_tools, n_names in product(range(_MAX_TOOLS, -1, -1), range(most, 0, -1)):
            tools = list_first(match.tools, n_tools) if match.tools and n_tools else ""
            cells = [value, f"{list_first(names, n_names, mark)}{end}", tools]
            if len(_join(cells)) <= _MAX_WIDTH:
                break
        return cells


def _join(cells: Sequence[str]) -> str:
    value, names, tools = cells
    return f"{value}  {names}: {tools}" if tools else f"{value}  {names}"


def identify(
    value: float | str,
    y_true: Column = None,
    y_score: Scores = None,
    *,
    k: float | None = None,
    average: str = "macro",
    pos_label: float | bool | str = 1,
    sample_weight: Column = None,
    classes: ArrayLike | None = None,
    n_positives: Any = None,
    groups: Column = None,
    min_grade: float | None = None,
    data: Any = None,
) -> Identification:
    """Find the definitions that give a reported value on your data.

    Pass the predictions that the value was computed from. `identify` tries every definition, and
    what may have been done to the data: another class, labels instead of scores, rounded scores,
    thresholds, orders of ties, weights and groups that are left out, means over folds.

    Read more in :doc:`Which definition? </which_definition>`.

    Parameters
    ----------
    value : float or str
        The reported value. A str keeps zeros at the end, as in "0.780", and may be a percentage, as
        in "78.0%".
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        Binary labels, multilabel indicators or multiclass labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Prediction scores, higher for the positive class.
    k : int or float, default=None
        The cutoff, if you know it. Common ones are tried as well.
    average : {'macro', 'micro', 'weighted', 'samples'}, default='macro'
        How values of classes, rows or groups are averaged.
    pos_label : int, float, bool or str, default=1
        The label of the positive class.
    sample_weight : array-like of shape (n_samples,), default=None
        How much each sample counts. Samples with weight 0 are ignored.
    classes : array-like of shape (n_classes,), default=None
        The class of each column of scores if `y_true` is multiclass, by default the sorted labels.
    n_positives : number, array-like, mapping or 'rows', default=None
        How many positives exist, scored or not: in total, per column or per group. 'rows' means
        that every positive has a row, and that the rows of unscored positives have no score.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, such as its query. Groups are ranked separately and averaged.
    min_grade : float, default=None
        The lowest grade that is positive, if `y_true` has grades.
    data : table, default=None
        A table from pandas, polars, Arrow or any library that narwhals reads. The other parameters
        then name its columns.

    Returns
    -------
    identification : Identification
        It prints in six lines or fewer. `matches` has all matches, the most common first.

    See Also
    --------
    explain : The values of all definitions.
    audit : Which definition a function computes.

    Examples
    --------
    >>> from sklearn_ap.compat import identify
    >>> identify("0.4056", [0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]).names[0]
    'linear'
    """
    reported, decimals = _read_reported(value)
    known = recipes.read_data(
        y_true,
        y_score,
        average=average,
        pos_label=pos_label,
        sample_weight=sample_weight,
        classes=classes,
        n_positives=n_positives,
        groups=groups,
        min_grade=min_grade,
        data=data,
    )
    definitions = _list_definitions(k)
    tried = [*_try_all(known, definitions)]
    peers_of = recipes.list_reported(known, definitions, read_peers())
    matches = find_matches(tried, reported, decimals, peers_of)
    if not matches and decimals > _SINGLE_DECIMALS:  # It may be a value in single precision.
        decimals = _SINGLE_DECIMALS
        matches = find_matches(tried, reported, decimals, peers_of)
    if all(match.chance > _UNLIKELY for match in matches):
        matches += match_any_order(known, reported, decimals, peers_of, k)

    def find_place(match: Match) -> tuple[bool, int, bool]:
        """Put what tools compute before what nobody may have meant, and ranges that say little
        last.
        """
        says_little = match.low < match.high and match.chance >= _NO_EVIDENCE
        return says_little, match.rarity - bool(match.tools), not match.tools

    title = recipes.describe_size(known.rankings)
    untried = ["other rows, labels and models"]
    if min_grade is not None:
        untried.append("metrics of grades, such as nDCG")
    names = "groups= (or folds)", "sample_weight=", "n_positives=", "other k="
    options = groups, sample_weight, n_positives, k
    untried += [name for name, option in zip(names, options, strict=True) if option is None]
    n_tried = len({round(each.value, 12) for each in tried})
    in_order = tuple(sorted(matches, key=find_place))
    return Identification(reported, decimals, in_order, n_tried, title, ", ".join(untried))


def _read_reported(value: float | str) -> tuple[float, int]:
    """Return a value and the number of its decimals."""
    text = str(value).strip()
    try:
        number = Decimal(text.removesuffix("%"))
    except InvalidOperation:
        number = Decimal("nan")
    if not isfinite(float(number)):
        raise InvalidParameterError(
            f"value must be a number, or text such as '0.4448' or '44.48%'. Got {value!r}."
        )
    if text.endswith("%"):
        number = number.scaleb(-2)
    return float(number), min(max(-int(number.as_tuple().exponent), 0), _EXACT_DECIMALS)


class Tried(NamedTuple):
    """A value, and what gives it."""

    value: float
    recipe: Recipe
    rarity: int


def _list_definitions(k: float | None) -> list[Definition]:
    """Return everything that is tried, the rarity of those of the top k with that of k."""
    definitions = DEFINITIONS | MISTAKES
    for cutoff, rarity in _GUESSED_KS.items():
        for name, definition in (list_at_k(cutoff) | list_mistakes_at_k(cutoff)).items():
            if definition.rarity + rarity <= _MAX_RARITY:
                definitions[name] = replace(definition, rarity=definition.rarity + rarity)
    if k is not None:
        definitions |= list_at_k(k) | list_mistakes_at_k(k)
    return [*definitions.values()]


def _try_all(known: Data, definitions: Sequence[Definition]) -> Iterator[Tried]:
    """Yield the value of each definition after each transform, unless both are too rare."""
    transforms = (known.unweighted, *list_transforms(known.rankings))
    ways = [(each,) for each in transforms if known.simplify([each])]
    for way in ((), *ways):
        ranked = known.rank(way)
        for definition in definitions:
            rarity = definition.rarity + sum(transform.rarity for transform in way)
            if rarity > _MAX_RARITY or not known.is_defined(definition, way):
                continue
            values = ranked.compute(definition.rule)
            means = {Mean.ZERO: rarity}
            if values.size > 1:
                means[Mean.WEIGHTED] = rarity + (1 if ranked.rankings.kind == "classes" else 2)
                if np.isnan(values).any():
                    means |= {Mean.LEFT_OUT: rarity + 1, Mean.ONE: rarity + 2}
            for mean, together in means.items():
                if together <= _MAX_RARITY:
                    recipe = Recipe(definition, way, mean)
                    value = float(known.average(values, ranked, recipe)[0])
                    if isfinite(value):
                        yield Tried(value, recipe, together)


def find_matches(
    tried: Sequence[Tried], reported: float, decimals: int, peers_of: PeersOf
) -> list[Match]:
    """Return what has a reported value, the most common first."""
    half = 0.5 * 10.0**-decimals * (1 + 1e-9) + 1e-15
    values = np.array([each.value for each in tried])
    matches = []
    for transform in (AS_IT_IS, *VALUE_TRANSFORMS):
        if transform.rarity > _MAX_RARITY or not transform.may_give(reported):
            continue
        is_near = np.abs(transform.apply(values) - reported) <= half
        near = [tried[place] for place in np.flatnonzero(is_near).tolist()]
        near = [each for each in near if each.rarity + transform.rarity <= _MAX_RARITY]
        near.sort(key=lambda each: each.rarity)
        of_zero, of_one = transform.apply(np.array([0.0, 1.0])).tolist()
        unit = 10.0**-decimals / abs(of_one - of_zero)
        # What has the same value can't be told apart on this data.
        for same in recipes.group(near, lambda each: round(each.value, 12)).values():
            value, rarity = same[0].value, same[0].rarity + transform.rarity
            alike = [each.recipe._replace(returned=transform) for each in same]
            parts = [{*recipe.name.split(", ")} for recipe in alike]
            names = [  # without those that only add something to another one
                recipe.name
                for recipe, own in zip(alike, parts, strict=True)
                if not any(other < own for other in parts)
            ]
            peers = [peer for recipe in alike for peer in peers_of.get(recipe, ())]
            tools = name_tools(peers)
            chance = compute_chance_of_match(tried, value, rarity, unit)
            returned = float(transform.apply(np.array(value)))
            matches.append(Match(returned, tuple(names), tools, rarity, chance, returned, returned))
    return matches


def compute_chance_of_match(
    tried: Sequence[Tried], value: float, rarity: int, unit: float
) -> float:
    """Compute how likely a number that comes from elsewhere would match something as common.

    That is the fraction of the numbers near the value, with as many decimals, that match.
    """
    near = {
        round(each.value / unit)
        for each in tried
        if each.rarity <= rarity and abs(each.value - value) <= _WINDOW
    }
    low, high = max(value - _WINDOW, 0.0), value + _WINDOW
    if value <= 1:
        high = min(high, 1.0)
    return min(len(near) * unit / max(high - low, unit), 1.0)


def match_any_order(
    known: Data, reported: float, decimals: int, peers_of: PeersOf, k: float | None
) -> list[Match]:
    """Return what may give the value in some order of the tied samples, all as one match.

    These are step average precision, and what tools compute that sort tied samples in any order.
    """
    step = Recipe(DEFINITIONS["step"], known.simplify([UNKNOWN_ORDER]))
    half, ranges = 0.5 * 10.0**-decimals, {}
    for recipe in dict.fromkeys([step, *peers_of]):
        is_in_any_order = UNKNOWN_ORDER in recipe.transforms and recipe.has_known_range
        if is_in_any_order and recipe.definition.rule.k in (None, k):
            _, low, high = known.evaluate(recipe)[0].tolist()
            is_range = round(low, decimals) < round(high, decimals)
            if is_range and low - half <= reported <= high + half:
                ranges[recipe] = low, high
    if not ranges:
        return []
    lows, highs = zip(*ranges.values(), strict=True)
    low, high = min(lows), max(highs)
    # The most common definitions first, and then those of most tools
    fitting = sorted(
        ranges, key=lambda each: (each.definition.rarity, -len(peers_of.get(each, ())), each.name)
    )
    names = dict.fromkeys(recipe.name for recipe in fitting)
    tools = name_tools([peer for recipe in fitting for peer in peers_of.get(recipe, ())])
    chance = min((high - low) / (2 * _WINDOW), 1.0)
    return [Match(reported, (*names,), tools, 2, chance, low, high)]
