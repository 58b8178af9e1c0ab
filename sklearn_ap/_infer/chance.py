"""What random rankings get, and whether a value is beyond that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from .._evaluate.value import average_values, score
from .._read.units import Sample
from .._words.messages import heard_by
from ..core.chance import Shape, in_orders, mean_value, shapes_of
from ..core.rankings import Elsewhere, Rankings
from ..core.rules import OfGroup, Rule
from ..core.runs import Array
from .requests import IntervalRequest

_FIRST, _MOST = 20, 10_000  # random orders
_ENOUGH = 0.0003  # the standard error of a mean over random orders
_UPSIDE_DOWN = 0.99  # the level of the interval below which random rankings are


def chance_of(request: IntervalRequest, sample: Sample) -> float:
    """Compute the mean value if the scores are shuffled among the rows of each ranking.

    It is nan if the rows aren't in memory, and for functions, whose calls can take long.
    """
    rule, rankings = request.rule, sample.rankings
    if isinstance(rule, OfGroup) or isinstance(rankings, Elsewhere) or not rankings.n_rows:
        return np.nan
    with heard_by(lambda *_: None):  # as the value has warned
        if not have_shapes(rankings):
            return _mean_of(_shuffled(rule, rankings, request))
        shapes = shapes_of(rankings)
        means = {shape.key: mean_value(rule, shape) for shape in shapes}
        if None in means.values():
            means = _drawn_means(rule, shapes, shares_of(rule, rankings, shapes, request))
        values = np.array([means[shape.key] for shape in shapes], float)
        exist = np.array([shape.exist for shape in shapes])
        given = rule, values, exist, rankings.queries, request.quietly
        return float(average_values(*given))


def have_shapes(rankings: Rankings) -> bool:
    """Whether the samples of each ranking differ by labels and scores only."""
    if rankings.average == "samples":
        return True
    return rankings.average != "micro" and (
        rankings.weight is None or bool((rankings.weight == 1).all())
    )


def shares_of(
    rule: Rule, rankings: Rankings, shapes: list[Shape], request: IntervalRequest
) -> Array:
    """Return the weight of each ranking in the mean, 0 for those that are left out."""
    exist = np.array([shape.exist for shape in shapes], float)
    weight = exist if rankings.average == "weighted" else rankings.queries.weight
    weight = np.ones(exist.size) if weight is None else weight.astype(float)
    if request.quietly != request.quietly:
        weight = np.where(exist > 0, weight, 0.0)
    return np.asarray(weight / (weight.sum() or 1))


def _drawn_means(rule: Rule, shapes: list[Shape], shares: Array) -> dict[Any, float]:
    """Estimate the mean value of each shape from random orders, until that of all is known."""
    rng = np.random.default_rng(0)
    share: dict[Any, float] = {}
    for shape, own in zip(shapes, shares.tolist(), strict=True):
        share[shape.key] = share.get(shape.key, 0.0) + own
    distinct = {shape.key: shape for shape in shapes}
    values: dict[Any, Array] = {key: np.zeros(0) for key in distinct}
    for times in _times():
        for key, shape in distinct.items():
            more = in_orders(rule, shape, times - values[key].size, rng)
            values[key] = np.append(values[key], more)
        variance = sum(share[key] ** 2 * np.nan_to_num(each).var() for key, each in values.items())
        if variance <= times * _ENOUGH**2:
            break
    return {key: float(each.mean()) for key, each in values.items()}


def _times() -> Iterator[int]:
    """Yield how many orders to draw in all, if those so far aren't enough."""
    times = _FIRST
    while times < _MOST:
        yield times
        times *= 2
    yield _MOST


def _shuffled(rule: Rule, rankings: Rankings, request: IntervalRequest) -> Iterator[float]:
    """Yield the values of random orders of rows that keep their labels and weights."""
    rng = np.random.default_rng(0)
    group = rankings.group
    place = None if group is None else np.argsort(group, kind="stable")
    while True:
        order = rng.permutation(rankings.n_rows)
        if place is not None:
            order = order[np.argsort(group[order], kind="stable")][np.argsort(place)]
        yield score(rule, replace(rankings, scores=rankings.scores[order]), request.quietly)


def _mean_of(values: Iterator[float]) -> float:
    found: list[float] = []
    for times in _times():
        found += [next(values) for _ in range(times - len(found))]
        if np.std(found) <= sqrt(times) * _ENOUGH:
            break
    return float(np.mean(found))
