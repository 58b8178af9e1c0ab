"""What a threshold is chosen for, and which threshold keeps that in the population."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal
from math import ceil, log
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ._applied import clusters_of
from ._inputs import Inputs, Label
from ._passes.curves import Squares, State, heavier_of
from ._validation.errors import about
from ._validation.parameters import InvalidParameterError
from .core.cutoff import Cut, as_fraction
from .core.operating_points import OperatingPoints
from .core.promises import Evidence, keeps_precision, keeps_recall, sized, squares_in_clusters
from .core.rankings import Rankings
from .core.rules import PrecisionAtK, PrecisionAtRecall, RecallAtPrecision

Target = PrecisionAtRecall | RecallAtPrecision | PrecisionAtK

_ENOUGH = 1 + 1e-9  # sums of the same weights can differ by this factor
_floor = Context(prec=4, rounding=ROUND_FLOOR).divide  # the suggested target must be reachable


class Targets(NamedTuple):
    """What the threshold is chosen for."""

    min_recall: float | None
    min_precision: float | None
    k: float | None
    k_counts: str
    quantile: float | None
    confidence_level: float | None
    pos_label: Label
    min_grade: float | None

    def check(self, inputs: Inputs) -> None:
        """Check that there is one target, or two that go together."""
        targets = [each for each in (self.min_recall, self.min_precision) if each is not None]
        if bool(targets) == (self.k is not None):
            named = zip(("min_recall", "min_precision", "k"), self, strict=False)
            given = [f"{name}={value!r}" for name, value in named if value is not None]
            raise InvalidParameterError(
                "operating_point needs min_recall, min_precision or both, or else k, but got "
                f"{' and '.join(given) or 'none of them'}. Each of them chooses a threshold."
            )
        if self.confidence_level is not None and not targets:
            raise InvalidParameterError(
                f"confidence_level={self.confidence_level!r} needs min_recall or min_precision, "
                "which it promises for new data. Leave it out if you pass k."
            )
        of_days = inputs.engine is not None or inputs.groups is not None
        if self.quantile is not None and (not of_days or self.k is None or Cut(self.k).is_share):
            raise InvalidParameterError(
                f"quantile={self.quantile!r} is the fraction of groups with at most k flagged "
                "samples, so it needs groups and an int k."
            )

    @property
    def rule(self) -> Target:
        if self.min_recall is not None:
            return PrecisionAtRecall(self.min_recall)
        if self.min_precision is not None:
            return RecallAtPrecision(self.min_precision)
        assert self.k is not None
        return PrecisionAtK(self.k, k_counts=self.k_counts)

    @property
    def error(self) -> float:
        """The probability of not keeping a target, which two targets share."""
        assert self.confidence_level is not None
        both = self.min_recall is not None and self.min_precision is not None
        return float(1 - as_fraction(self.confidence_level)) / (2 if both else 1)


class Source(NamedTuple):
    """What a threshold was chosen from. After pickling, other thresholds are unknown."""

    asked: Targets
    n_positives: int  # in the samples
    are_shares: bool  # whether all prediction scores can be probabilities
    state: State | None


def squares_of_units(samples: Rankings, in_rows: OperatingPoints, inputs: Inputs) -> Squares | None:
    """Return the squared masses of the sampling units; None if they are samples of weight 1."""
    if samples.weight is None and inputs.clusters is None:
        return None
    order = np.argsort(samples.scores, kind="stable")[::-1]
    labels, ends = samples.labels[order], in_rows.cum_total - 1
    mass = np.ones(order.size) if samples.weight is None else samples.weight[order].astype(float)
    scale = float(mass.max())
    mass /= scale  # squares of large weights would overflow
    down = up = squares = mass**2
    if inputs.clusters is not None:
        down, up = squares_in_clusters(clusters_of(inputs, samples)[order], labels, mass)
    sums = [float(each[of].sum()) for of in (labels, ~labels) for each in (squares, mass)]
    return Squares(
        found=np.cumsum(np.where(labels, down, 0.0))[ends],
        wrong=np.cumsum(np.where(labels, 0.0, down))[ends],
        missed=(up @ labels) - np.cumsum(np.where(labels, up, 0.0))[ends],
        heavier=heavier_of(*sums),
        scale=scale,
    )


def promised(asked: Targets, state: State) -> int:
    """Return the index of the point that keeps the targets in the population."""
    of_recall, of_precision, heavier = _evidence(state)
    cum_rows, has_positives = state.in_rows.cum_total, state.points.positives > 0
    highest = 0
    if asked.min_recall is not None:
        highest = keeps_recall(of_recall, asked.min_recall, asked.error, has_positives)
        _check_recall(asked, highest, of_recall.at(slice(-1, None)), state)
    if asked.min_precision is None:
        return highest

    def keeps(precision: float) -> list[tuple[int, int]]:
        return keeps_precision(of_precision, precision, asked.error, cum_rows, heavier)

    ranges = keeps(asked.min_precision)
    if asked.min_recall is None:
        _check_precision(asked, ranges, keeps)
        return max(last for _, last in ranges)
    both = [max(first, highest) for first, last in ranges if last >= highest]
    if not both:
        deepest = max((last for _, last in ranges), default=None)
        _refuse_promises(
            asked, keeps, highest, None if deepest is None else of_recall.at([deepest])
        )
    return min(both)


def _evidence(state: State) -> tuple[Evidence, Evidence, float]:
    """Return the evidence of recall and of precision, and how much heavier negatives are."""
    points, squares = state.points, state.squares
    found, exist = points.cum_positives, points.n_positives.item()
    missed, wrong = np.maximum(exist - found, 0), np.maximum(points.cum_total - found, 0)
    if squares is None:
        return Evidence(found, missed), Evidence(found, wrong), 1.0
    found, missed, wrong = (each / squares.scale for each in (found, missed, wrong))
    of_found = squares.found
    of_missed = squares.missed + missed[-1] * (of_found[-1] / found[-1])
    recall, precision = (
        sized(found, missed, of_found, of_missed),
        sized(found, wrong, of_found, squares.wrong, squares.heavier),
    )
    return recall, precision, squares.heavier


@about("y_true")
def _check_recall(asked: Targets, place: int, lowest: Evidence, state: State) -> None:
    """Check that a recall can be promised, at least at the lowest threshold."""
    if place >= 0:
        return
    recall, sure = asked.min_recall, _in_percent(asked)
    assert recall is not None
    best = rounded_down(lowest.limits(asked.error)[0].item())
    if recall == 1:
        raise ValueError(
            f"A recall of 1 can't be promised {sure}, however many positives there are. Pass "
            f"min_recall={best} or less."
        )
    least = ceil(log(asked.error) / log(recall) - 1e-9)
    here, exist = state.in_rows.n_positives.item(), state.points.n_positives.item()
    more = f"that takes at least {least:,} positives, and y_true has {here:,}"
    if here >= least:
        missing = exist > state.points.cum_positives[-1] * _ENOUGH
        more = (
            "too many positives were missed (n_positives)"
            if missing
            else ("with these weights or clusters, there is too little evidence")
        )
    instead = "" if best == "0" else f"Pass min_recall={best} or less, or "
    raise ValueError(
        f"min_recall={recall} can't be promised {sure}: {more}. "
        f"{instead or 'Please '}collect more positives."
    )


@about("y_score")
def _check_precision(
    asked: Targets, ranges: list[Any], keeps: Callable[..., list[tuple[int, int]]]
) -> None:
    if ranges:
        return
    best = _highest(lambda each: bool(keeps(each)), asked.min_precision)
    raise ValueError(
        f"min_precision={asked.min_precision} can't be promised {_in_percent(asked)} by any "
        f"threshold. {_pass_less('min_precision', best)}"
    )


@about("y_score")
def _refuse_promises(
    asked: Targets,
    keeps: Callable[..., list[tuple[int, int]]],
    highest: int,
    deepest: Evidence | None,
) -> NoReturn:
    """Say how far each target gets. `deepest` is the lowest threshold that keeps the precision."""
    precision = _highest(
        lambda each: any(last >= highest for _, last in keeps(each)), asked.min_precision
    )
    recall = None if deepest is None else rounded_down(deepest.limits(asked.error)[0].item())
    instead = [f"min_precision={precision} beside that recall"] * (precision is not None)
    instead += [f"min_recall={recall} beside that precision"] * (recall not in (None, "0"))
    raise ValueError(
        f"min_recall={asked.min_recall} and min_precision={asked.min_precision} can't both be "
        f"promised {_in_percent(asked)}: no threshold that keeps the recall also keeps the "
        f"precision. {'Pass ' * bool(instead)}{', or '.join([*instead, 'collect more data'])}."
    )


def _highest(holds: Callable[[float], bool], below: float | None) -> float | None:
    """Return the highest target that holds, in thousandths, by bisection; None if there is none."""
    assert below is not None
    low, high = 0, ceil(below * 1000)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle / 1000) else (low, middle)
    return low / 1000 if low else None


def _pass_less(target: str, best: float | None) -> str:
    return "Collect more data." if best is None else f"Pass {target}={best}, or collect more data."


def _in_percent(asked: Targets) -> str:
    assert asked.confidence_level is not None
    return f"with {100 * asked.confidence_level:g}% confidence"


def rounded_down(part: float, whole: float = 1) -> str:
    return f"{_floor(Decimal(part), Decimal(whole)).normalize():f}"
