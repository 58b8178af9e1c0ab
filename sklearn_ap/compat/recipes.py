"""Evaluate recipes on some data: transforms of the data, a definition, and a mean over rankings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from enum import Enum
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._core import Array, Points, Rankings, flatten, read, take_mean, weigh
from ..exceptions import InvalidParameterError
from .definitions import Definition
from .formulas import are_probabilities, compute_values, rank_every_point
from .peers import Peer, read_peers
from .transforms import (
    BEST,
    BY_ROW,
    POOLED,
    UNKNOWN_ORDER,
    WORST,
    Transform,
    can_order_ties,
    convert_scores,
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

    def explain_undefined(self, rankings: Rankings) -> str:
        """Say what rankings without positives count as, if that isn't 0."""
        if self not in _UNDEFINED:
            return ""
        return f"Without positives, {rankings.source} {_UNDEFINED[self][1]}."


_UNDEFINED = {
    Mean.HALF: (0.5, "count as 0.5"),
    Mean.ONE: (1.0, "count as 1"),
    Mean.LEFT_OUT: (np.nan, "are left out"),
}


def compute_mean(values: Array, n_positives: Array, rankings: Rankings, mean: Mean) -> float:
    """Return the mean over rankings, nan of a single one without positives."""
    if values.size == 1:
        return float(values[0])
    if mean == Mean.WEIGHTED:
        rankings = replace(rankings, average="weighted")
    without_positives, _ = _UNDEFINED.get(mean, (0.0, ""))
    filled = np.where(np.isnan(values), without_positives, values)
    return take_mean(filled, weigh(rankings, filled, n_positives))


class Recipe(NamedTuple):
    """What tools and people report: a definition, after transforms of the data, and a mean."""

    definition: Definition
    transforms: tuple[Transform, ...] = ()
    mean: Mean = Mean.ZERO

    @property
    def name(self) -> str:
        done = [transform.name for transform in self.transforms]
        return join_words(self.definition.name, *done, self.mean.value)

    @property
    def has_known_range(self) -> bool:
        """Whether the lowest value over all orders of ties is that of the worst one."""
        return self.definition.rule.options.get("denominator") != "hits"


class Variants:
    """Some data after any transforms, each of which is made once, and the values of recipes."""

    def __init__(self, rankings: Rankings, every_row: Rankings | None) -> None:
        """Take the data, and if it has weights, `every_row` without them, also those of 0."""
        self.rankings = rankings
        self.has_every_row = every_row is None or every_row.scores.size == rankings.scores.size
        is_weighted = rankings.weight is not None or rankings.ranking_weight is not None
        unweighted = every_row if is_weighted or not self.has_every_row else None
        self.unweighted = Transform("weights left out", lambda _: unweighted, 1)
        self._transformed: dict[tuple[Transform, ...], Rankings | None] = {(): rankings}
        self._ranked: dict[tuple[Transform, ...], Points] = {}
        self.evaluate = cache(self._evaluate)

    def simplify(self, transforms: Iterable[Transform]) -> tuple[Transform, ...]:
        """Return the transforms that have an effect, each on the data after those before it."""
        effective: tuple[Transform, ...] = ()
        for transform in transforms:
            tried = (*effective, transform)
            if tried not in self._transformed:
                self._transformed[tried] = transform.apply(self.get(effective))
            if self._transformed[tried] is not None:
                effective = tried
        return effective

    def get(self, transforms: tuple[Transform, ...]) -> Rankings:
        """Return the data after transforms that have an effect."""
        rankings = self._transformed[transforms]
        assert rankings is not None
        return rankings

    def rank(self, transforms: tuple[Transform, ...]) -> Points:
        if transforms not in self._ranked:
            self._ranked[transforms] = rank_every_point(self.get(transforms))
        return self._ranked[transforms]

    def is_defined(self, definition: Definition, transforms: tuple[Transform, ...]) -> bool:
        return definition.rule.takes_weights or self.get(transforms).weight is None

    def _evaluate(self, recipe: Recipe) -> tuple[float, float, float]:
        """Return the mean value, and the lowest and the highest one over orders of ties."""
        alternatives = [recipe.transforms]
        if UNKNOWN_ORDER in recipe.transforms:
            orders = BY_ROW, WORST, BEST
            alternatives = [self.simplify([*recipe.transforms, order]) for order in orders]
        values = []
        for transforms in alternatives:
            rankings, points = self.get(transforms), self.rank(transforms)
            of_rankings = compute_values(recipe.definition.rule, rankings, points)
            values.append(compute_mean(of_rankings, points.n_positives, rankings, recipe.mean))
        return values[0], min(values), max(values)

    def shorten(self, recipe: Recipe) -> Recipe:
        """Leave out the last transforms as long as they have no effect on the definition."""
        values = self.evaluate(recipe)
        while recipe.transforms and self.is_defined(recipe.definition, recipe.transforms[:-1]):
            shorter = recipe._replace(transforms=recipe.transforms[:-1])
            if not np.allclose(values, self.evaluate(shorter), rtol=0, atol=_ROUNDING_ERROR):
                break
            recipe = shorter
        return recipe


def read_data(y_true: Any, y_score: Any, **options: Any) -> Variants:
    average = options["average"]
    if not isinstance(average, str) or average not in _AVERAGES:
        raise InvalidParameterError(f"average must be one of {_AVERAGES}. Got {average!r} instead.")
    rankings, every_row = flatten(read(y_true, y_score, **options)), None
    if options["sample_weight"] is not None:
        options |= {"sample_weight": None, "n_positives": None}
        every_row = flatten(read(y_true, y_score, **options))
    return Variants(rankings, every_row)


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
        text += f", mean over {rankings.n_rankings:,} {rankings.source}"
    return text


# --- tools ----------------------------------------------------------------------------------------

PeersOf = dict[Recipe, list[Peer]]  # the tools that report the value of a recipe


def list_reported(variants: Variants, definitions: Iterable[Definition]) -> PeersOf:
    """Return what tools report of some data, and which ones, as far as that is known."""
    by_name = group(definitions, lambda definition: definition.name_of_any_k)
    kinds = {words for words, is_such in KNOWN_ON.items() if is_such(variants)}
    peers_of: PeersOf = defaultdict(list)
    for peer in read_peers():
        is_known = peer.order != "not known" and peer.is_known_on in kinds
        if not is_known or peer.definition not in by_name:
            continue
        for transforms in _list_transforms_of(peer, variants):
            mean = _choose_mean(peer, variants.rank(transforms))
            if mean is not None:
                for definition in by_name[peer.definition]:
                    peers_of[Recipe(definition, transforms, mean)].append(peer)
    return peers_of


def _choose_mean(peer: Peer, points: Points) -> Mean | None:
    """Return how a tool averages some rankings, or None if it has no value for one of them."""
    has_negatives = (points.mass > points.sum(points.hits)).all()
    if peer.needs_negatives and not has_negatives:
        return None
    if (points.n_positives > 0).all():
        return Mean.ZERO
    return None if peer.in_mean is None else Mean(peer.in_mean)


def _list_transforms_of(peer: Peer, variants: Variants) -> Iterator[tuple[Transform, ...]]:
    """Yield what a tool does to the data, by group and if it can't do that for all rows."""
    weights = [] if peer.weights else [variants.unweighted]
    ways = [[*weights, *peer.transforms]]
    rankings = variants.rankings
    if rankings.group_codes is not None and rankings.source == "groups" and not peer.queries:
        ways.append([*weights, POOLED, *peer.transforms])
    for way in ways:
        effective = variants.simplify(way)
        if not peer.ranks or peer.ranks in [transform.name for transform in effective]:
            yield effective


def _has_no_ties_in_single(rankings: Rankings) -> bool:
    distinct = np.unique(rankings.scores)
    single = np.unique(convert_scores("float32", distinct))
    return are_probabilities(rankings.scores) and single.size == distinct.size


def _has_scores_above_zero(rankings: Rankings) -> bool:
    return bool((rankings.scores[rankings.labels > 0] > 0).all())


def _has_untied_best(points: Points) -> bool:
    is_best = points.above == 0
    return points.tied.size < 2000 and bool((points.hits == points.tied)[is_best].all())


# The data on which the value of a tool is known, in the words of peers.toml. With other words, the
# tool is not listed.
KNOWN_ON: dict[str, Callable[[Variants], bool]] = {
    "": lambda variants: True,
    "no ties": lambda variants: not can_order_ties(variants.rankings),
    "all rows have weight": lambda variants: variants.has_every_row,
    "few scores, the best of them untied": lambda variants: _has_untied_best(variants.rank(())),
    "plain probabilities": lambda variants: _has_no_ties_in_single(variants.rankings),
    "positives score above 0": lambda variants: _has_scores_above_zero(variants.rankings),
}
