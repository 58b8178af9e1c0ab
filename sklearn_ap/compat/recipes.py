"""Evaluate recipes on some data: transforms of it, a definition, a mean, and what is returned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from enum import Enum
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._core import (
    Array,
    Rankings,
    choose_ranking_weights,
    find_distinct,
    flatten,
    read,
    take_mean,
)
from ..exceptions import InvalidParameterError
from .definitions import Definition
from .formulas import Ranked, are_probabilities
from .peers import Peer
from .transforms import (
    AS_IT_IS,
    BEST,
    BY_ROW,
    POOLED,
    TIE_ORDERS,
    TRANSFORMS,
    UNKNOWN_ORDER,
    WORST,
    Transform,
    ValueTransform,
    can_order_ties,
    convert_to_single,
)
from .wording import join_words

Item = TypeVar("Item")

_ROUNDING_ERROR = 1e-12
_AVERAGES = "macro", "micro", "weighted", "samples"


class Mean(Enum):
    """How values of rankings are averaged: what those without positives count as, or by weight."""

    ZERO = ""
    HALF = "no positives: 0.5"
    ONE = "no positives: 1"
    LEFT_OUT = "no positives: left out"
    WEIGHTED = "weighted by positives"  # Rankings without any count nothing; no tool does so.


_WITHOUT_POSITIVES = {Mean.HALF: 0.5, Mean.ONE: 1.0, Mean.LEFT_OUT: np.nan}


class Recipe(NamedTuple):
    """What people, tools and functions compute: a definition, and what is done around it.

    Transforms change the data before it, and the mean and what is returned come after it. A recipe
    without any is the definition.
    """

    definition: Definition
    transforms: tuple[Transform, ...] = ()
    mean: Mean = Mean.ZERO
    returned: ValueTransform = AS_IT_IS

    @property
    def name(self) -> str:
        done = [transform.name for transform in self.transforms]
        return join_words(self.definition.name, *done, self.mean.value, self.returned.name)

    @property
    def tie_order(self) -> Transform | None:
        """How tied samples are ranked one by one; None if they are one threshold."""
        return next((each for each in self.transforms if each in _ORDERS), None)

    @property
    def mistakes(self) -> list[str]:
        """What isn't the definition, but for the order of ties."""
        others = [each.name for each in self.transforms if each not in _ORDERS]
        return [*filter(None, (self.definition.mistake, *others, self.returned.name))]

    @property
    def phrase(self) -> str:
        """The title of the definition with what is done to it."""
        order = "" if self.tie_order is None else self.tie_order.name
        return join_words(self.definition.title, *self.mistakes, order)

    @property
    def has_known_range(self) -> bool:
        """Whether the lowest value over all orders of ties is that of the worst one."""
        return self.definition.rule.options.get("denominator") != "hits"

    def transform(self, *transforms: Transform | None) -> Recipe:
        """Return the recipe with more transforms, None being none."""
        more = tuple(each for each in transforms if each is not None)
        return self._replace(transforms=self.transforms + more)


_ORDERS = *TIE_ORDERS, UNKNOWN_ORDER


class Variants:
    """Some data after any transforms, each of which is made once, and the values of recipes.

    Each part of the data is transformed and averaged by itself. `explain` and `identify` have one,
    which may have many rankings, and an audit one for each call.
    """

    def __init__(self, *parts: Rankings) -> None:
        self._parts: dict[tuple[Transform, ...], list[Rankings] | None] = {(): [*parts]}
        self._ranked: dict[tuple[Transform, ...], Ranked] = {}
        self.evaluate = cache(self._evaluate)

    def simplify(self, transforms: Iterable[Transform]) -> tuple[Transform, ...]:
        """Return the transforms that have an effect, each on the data after those before it."""
        effective: tuple[Transform, ...] = ()
        for transform in transforms:
            tried = (*effective, transform)
            if tried not in self._parts:
                before = self.get(effective)
                after = [transform.apply(part) for part in before]
                has_effect = any(part is not None for part in after)
                parts = [new or old for new, old in zip(after, before, strict=True)]
                self._parts[tried] = parts if has_effect else None
            if self._parts[tried] is not None:
                effective = tried
        return effective

    def get(self, transforms: Iterable[Transform]) -> list[Rankings]:
        """Return the parts after transforms."""
        return self._parts[self.simplify(transforms)] or []

    def rank(self, transforms: Iterable[Transform] = ()) -> Ranked:
        effective = self.simplify(transforms)
        if effective not in self._ranked:
            parts = self.get(effective)
            self._ranked[effective] = Ranked(parts[0] if len(parts) == 1 else join_rankings(parts))
        return self._ranked[effective]

    def compute(self, recipe: Recipe) -> Array:
        """Return the value of each part."""
        ranked = self.rank(recipe.transforms)
        values = self.average(ranked.compute(recipe.definition.rule), ranked, recipe)
        return recipe.returned.apply(values)

    def average(self, values: Array, ranked: Ranked, recipe: Recipe) -> Array:
        """Return the mean over rankings, by default of a single part, and nan of one ranking
        without positives.
        """
        if values.size == 1:
            return values
        rankings = ranked.rankings
        if recipe.mean == Mean.WEIGHTED:
            rankings = replace(rankings, average="weighted")
        filled = np.where(np.isnan(values), _WITHOUT_POSITIVES.get(recipe.mean, 0.0), values)
        weights = choose_ranking_weights(rankings, filled, ranked.points.n_positives)
        return np.array([take_mean(filled, weights)])

    def _evaluate(self, recipe: Recipe) -> Array:
        """Return the value of each part, and the lowest and the highest one over orders of ties."""
        orders: tuple[Transform | None, ...] = (None,)
        if UNKNOWN_ORDER in recipe.transforms:
            orders = BY_ROW, WORST, BEST
        values = [self.compute(recipe.transform(order)) for order in orders]
        return np.column_stack((values[0], np.min(values, axis=0), np.max(values, axis=0)))


class Data(Variants):
    """What users pass to `explain` and `identify`."""

    def __init__(self, rankings: Rankings, every_row: Rankings | None = None) -> None:
        """Take the data, and if it has weights, `every_row` without them, also those of 0."""
        super().__init__(rankings)
        self.rankings = rankings
        self.has_every_row = every_row is None or every_row.scores.size == rankings.scores.size
        is_weighted = rankings.weight is not None or rankings.ranking_weight is not None
        unweighted = every_row if is_weighted or not self.has_every_row else None
        self.unweighted = Transform("weights left out", lambda _: unweighted, 1)

    def is_defined(self, definition: Definition, transforms: tuple[Transform, ...]) -> bool:
        return definition.rule.takes_weights or self.get(transforms)[0].weight is None

    def shorten(self, recipe: Recipe) -> Recipe:
        """Leave out the last transforms as long as they have no effect on the definition."""
        values = self.evaluate(recipe)
        while recipe.transforms and self.is_defined(recipe.definition, recipe.transforms[:-1]):
            shorter = recipe._replace(transforms=recipe.transforms[:-1])
            if not np.allclose(values, self.evaluate(shorter), rtol=0, atol=_ROUNDING_ERROR):
                break
            recipe = shorter
        return recipe


def join_rankings(parts: Sequence[Rankings]) -> Rankings:
    """Put rankings without weights end to end."""
    starts = np.cumsum([0, *(part.n_rankings for part in parts)])
    # The last start is the end.
    groups = [start + part.code_of_samples for start, part in zip(starts, parts, strict=False)]
    return Rankings(
        labels=np.concatenate([part.labels for part in parts]).astype(bool),
        scores=np.concatenate([part.scores for part in parts]).astype(float),
        group_codes=np.concatenate(groups),
        n_rankings=int(starts[-1]),
    )


def read_data(y_true: Any, y_score: Any, **options: Any) -> Data:
    average = options["average"]
    if not isinstance(average, str) or average not in _AVERAGES:
        raise InvalidParameterError(f"average must be one of {_AVERAGES}. Got {average!r} instead.")
    rankings, every_row = flatten(read(y_true, y_score, **options)), None
    if options["sample_weight"] is not None:
        options |= {"sample_weight": None, "n_positives": None}
        every_row = flatten(read(y_true, y_score, **options))
    return Data(rankings, every_row)


def group(items: Iterable[Item], key: Callable[[Item], Any]) -> dict[Any, list[Item]]:
    """Return the items that have the same key, by their keys, in the order of the first ones."""
    alike: dict[Any, list[Item]] = defaultdict(list)
    for item in items:
        alike[key(item)].append(item)
    return alike


def describe_size(rankings: Rankings) -> str:
    n_positives = int(np.count_nonzero(rankings.labels > 0))
    text = f"{rankings.scores.size:,} samples, {n_positives:,} positives"
    if rankings.n_rankings > 1:
        text += f", mean over {rankings.n_rankings:,} {rankings.kind}"
    return text


# --- tools ----------------------------------------------------------------------------------------

PeersOf = dict[Recipe, list[Peer]]  # the tools that report the value of a recipe


def list_reported(data: Data, definitions: Iterable[Definition], peers: Iterable[Peer]) -> PeersOf:
    """Return what tools report of some data, and which ones, as far as that is known."""
    by_name = group(definitions, lambda definition: definition.name_of_any_k)
    kinds = {words for words, is_such in KNOWN_ON.items() if is_such(data)}
    has_groups = data.rankings.group_codes is not None and data.rankings.kind == "groups"
    peers_of: PeersOf = defaultdict(list)
    for peer in peers:
        if peer.order == "not known" or peer.is_known_on not in kinds:
            continue
        weights = [] if peer.weights else [data.unweighted]
        ways = [[*weights, *peer.transforms]]
        if has_groups and not peer.queries:
            ways.append([*weights, POOLED, *peer.transforms])
        for transforms in map(data.simplify, ways):
            # Some rank both classes, which can't be done with all data.
            if peer.ranks and TRANSFORMS[peer.ranks] not in transforms:
                continue
            points = data.rank(transforms).points
            has_negatives = (points.mass > points.sum(points.hits)).all()
            words = "" if (points.n_positives > 0).all() else peer.in_mean
            if words is None or (peer.needs_negatives and not has_negatives):
                continue  # It has no value.
            for definition in by_name.get(peer.definition, ()):
                peers_of[Recipe(definition, transforms, Mean(words))].append(peer)
    return peers_of


def _has_no_ties_in_single(data: Data) -> bool:
    distinct = find_distinct(data.rankings.scores)
    is_tied = find_distinct(convert_to_single(distinct)).size < distinct.size
    return are_probabilities(distinct) and not is_tied


def _has_untied_best(data: Data) -> bool:
    points = data.rank().points
    is_best = (points.samples_above == 0) & (points.hits == points.samples)
    has_few_scores = find_distinct(data.rankings.scores).size < 2000
    return has_few_scores and np.count_nonzero(is_best) == points.n_rankings


# The data on which the value of a tool is known, in the words of peers.toml. With other words, the
# tool is not listed.
KNOWN_ON: dict[str, Callable[[Data], bool]] = {
    "": lambda data: True,
    "no ties": lambda data: not can_order_ties(data.rankings),
    "all rows have weight": lambda data: data.has_every_row,
    "few scores, the best of them untied": _has_untied_best,
    "plain probabilities": _has_no_ties_in_single,
    "positives score above 0": lambda data: bool(
        (data.rankings.scores[data.rankings.labels] > 0).all()
    ),
}
