"""What a threshold is chosen for, and which one meets that, here or in the population."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal
from math import ceil, log
from typing import Any, NamedTuple, NoReturn

import numpy as np

from .._read.rankings import Seen
from .._show.results import Local
from .._words.errors import InvalidParameterError, NotReachableError
from .._words.inputs import Label
from .._words.messages import about, warn, warn_of_weighed_k
from ..core.cutoff import Cut, as_fraction
from ..core.keys import rank
from ..core.operating_points import OperatingPoints, gather
from ..core.promises import Evidence, Units, keeps_precision
from ..core.rankings import Rankings
from ..core.rules import PrecisionAtK, PrecisionAtRecall, RecallAtPrecision
from ..core.runs import Array, running_sum

_ENOUGH = 1 + 1e-9  # sums of the same weights can differ by this factor
_floor = Context(prec=4, rounding=ROUND_FLOOR).divide  # the suggested target must be reachable


class Targets(NamedTuple):
    """What the threshold is chosen for."""

    min_recall: float | None
    min_precision: float | None
    k: Any  # a number, or None with the targets above
    k_counts: str
    quantile: Any  # a float, or None if the budget is a mean
    confidence_level: Any  # a float, or None if nothing is promised
    pos_label: Label
    min_grade: float | None
    alert_cost: float | None = None  # what an alert costs, if the net value is asked for
    is_given: bool = False  # whether the caller knows the threshold

    @property
    def shares(self) -> dict[str, float]:
        """The targets for recall and precision, by name."""
        both = {"min_recall": self.min_recall, "min_precision": self.min_precision}
        return {name: target for name, target in both.items() if target is not None}

    @property
    def rule(self) -> PrecisionAtRecall | RecallAtPrecision | PrecisionAtK:
        if self.min_recall is not None:
            return PrecisionAtRecall(self.min_recall)
        if self.min_precision is not None:
            return RecallAtPrecision(self.min_precision)
        return PrecisionAtK(self.k, k_counts=self.k_counts)

    @property
    def error(self) -> float:
        """The probability of not keeping a target, which two targets share."""
        return float(1 - as_fraction(self.confidence_level)) / len(self.shares)

    @property
    def sure(self) -> str:
        return f"with {100 * self.confidence_level:g}% confidence"

    @property
    def promise(self) -> str:
        """What is promised; empty if nothing is."""
        if self.confidence_level is None:
            return ""
        each = [f"{name[4:]} at least {target:g}" for name, target in self.shares.items()]
        return f"{' and '.join(each)} {self.sure}"

    def check(self, grouped: bool) -> None:
        """Check that there is one target, or two that go together."""
        given = self.shares | ({} if self.k is None else {"k": self.k})
        if bool(self.shares) == (self.k is not None):
            words = " and ".join(f"{name}={value!r}" for name, value in given.items())
            raise InvalidParameterError(
                "operating_point needs min_recall, min_precision or both, or else k, but got "
                f"{words or 'none of them'}. Pass the recall or the precision that the threshold "
                "has to reach, or as k, how many samples it may flag."
            )
        if self.confidence_level is not None and not self.shares:
            raise InvalidParameterError(
                f"confidence_level={self.confidence_level!r} needs min_recall or min_precision, "
                "which it promises for new data. Leave it out if you pass k."
            )
        is_budget = grouped and self.k is not None and not Cut(self.k).is_share
        if self.quantile is not None and not is_budget:
            raise InvalidParameterError(
                f"quantile={self.quantile!r} is the fraction of groups with at most k flagged "
                "samples, so it needs groups and an int k."
            )


class State(NamedTuple):
    """Everything from which a threshold is chosen."""

    points: OperatingPoints
    in_rows: OperatingPoints  # the same points, with each sample counted once
    scores: Array
    seen: Seen
    units: Units | None = None
    limits: Array | None = None  # the scores at which groups exceed a budget
    at_top: Array | None = None  # what groups have at the highest score, in descending order


class Source(NamedTuple):
    """What a threshold was chosen from."""

    asked: Targets
    n_positives: int  # in the samples
    are_shares: bool  # whether all prediction scores can be probabilities
    state: Local[State]
    positive_share: float  # of the samples, or of their weight
    equal_weights: bool = True  # whether all positives weigh the same
    scores: str | None = None  # the name of the model, if its prediction scores have one
    labels: str | None = None  # the name of the column of labels


def choose(asked: Targets, state: State, n_groups: int | None) -> int:
    """Return the index of the point that meets the targets."""
    rule = asked.rule
    if isinstance(rule, PrecisionAtK):
        warn_of_weighed_k(rule.depth, state.seen.sample_weight)
        if state.limits is None or state.at_top is None or n_groups is None:
            return _first_k(rule, state, n_groups)
        return _within(asked, state.scores, state.limits, state.at_top, n_groups)
    if not state.in_rows.n_positives.item():
        with about("y_true"):
            raise NotReachableError(
                f"{_written(rule)} cannot be met, because y_true has no positives "
                f"({state.seen.name}). Without positives, only k chooses a "
                "threshold."
            )
    if asked.confidence_level is None:
        return _met(asked, rule, state.points)
    return _promised(asked, state)


# --- budgets --------------------------------------------------------------------------------------


def limits_of_groups(depth: Cut, samples: Rankings) -> tuple[Array, Array]:
    """Return the score of each group at which its flagged samples exceed k, in ascending order, and
    what each group has at the highest score, in descending order.

    Groups that never exceed k are left out, and so are those without the highest score.
    """
    assert samples.group is not None
    mass, scores = samples.weight, samples.scores
    if mass is None or depth.by_rows:
        mass = np.ones(scores.size, dtype=np.int64)
    _, mass, group, scores = rank(samples.labels, scores, mass, samples.group, scores)
    order, offsets = gather(np.arange(group.size), group, int(group.max()) + 1)
    over = order[running_sum(mass[order], offsets) > depth.k * _ENOUGH]
    limits = scores[over[np.unique(group[over], return_index=True)[1]]]
    is_top = scores == scores[:1]
    at_top = np.bincount(group[is_top], mass[is_top])
    return np.sort(limits), np.sort(at_top)[::-1]


def _within(asked: Targets, thresholds: Array, limits: Array, at_top: Array, n_groups: int) -> int:
    """Return the index of the last point that is within k in this fraction of the groups."""
    most = n_groups - ceil(as_fraction(asked.quantile) * n_groups)  # groups that may exceed k
    place = thresholds.size - 1
    if most >= limits.size:
        warn(
            f"Even with all samples flagged, {n_groups - limits.size:,} of {n_groups:,} groups "
            f"stay within k={asked.k}, so all samples are flagged."
        )
    else:
        place = int(np.count_nonzero(thresholds > limits[-1 - most])) - 1
    if place < 0:
        least = ceil(at_top[most] / _ENOUGH)
        raise NotReachableError(
            f"No threshold flags at most k={asked.k} samples in {100 * asked.quantile:.4g}% "
            "of the groups, because too many samples are tied at the highest prediction score. "
            f"Pass k={least} or more.",
            least,
        )
    return place


def _first_k(rule: PrecisionAtK, state: State, n_groups: int | None) -> int:
    """Return the index of the point that completes the top k.

    With groups, a count is a budget: return the index of the last point within k per group.
    """
    depth, of_weight = rule.depth, state.seen.weighted and not rule.depth.by_rows
    points = state.in_rows if depth.by_rows else state.points
    size = points.n_samples.item()
    if not depth.is_share and depth.k * (n_groups or 1) > size * _ENOUGH:
        most = f"the sum of sample_weight, {size:g}" if of_weight else f"the {size:,} samples"
        if n_groups is not None:
            what = "weight" if of_weight else "number of samples"
            most = f"the mean {what} per group, {size / n_groups:.4g}"
        warn(f"k={depth} exceeds {most}, so all samples are flagged.")
    if n_groups is None or depth.is_share:
        return rule.chosen(points)
    flagged = points.cum_total
    budget = depth.k * n_groups * (_ENOUGH if flagged.dtype.kind == "f" else 1)
    place = int(np.count_nonzero(flagged <= budget)) - 1
    if place < 0:
        first, what = flagged[0].item(), "units of weight" if of_weight else "samples"
        least = ceil(first / n_groups / _ENOUGH)
        raise NotReachableError(
            f"No threshold flags at most k={depth.k} {what} per group on average, because "
            f"{first:,} {what} with the highest prediction score are tied, and there are "
            f"{n_groups:,} groups. Pass k={least} or more.",
            least,
        )
    return place


# --- targets on these samples ---------------------------------------------------------------------


@about("y_score")
def _met(
    asked: Targets, rule: PrecisionAtRecall | RecallAtPrecision, points: OperatingPoints
) -> int:
    """Return the index of the best point that meets the targets."""
    place = rule.chosen(points)
    if place is None:
        part, whole = rule.most_of_one(points)
        best = rounded_down(part, whole)
        if isinstance(rule, PrecisionAtRecall):
            why = f"of n_positives={whole}, y_true has {part}, so the highest recall is {best}"
        else:
            why = f"the highest precision at any threshold is {best}"
        raise NotReachableError(
            f"No threshold reaches {_written(rule)}: {why}. Pass {rule.number}={best} or less.",
            float(best),
        )
    if asked.min_recall is not None and asked.min_precision is not None:
        chosen = points.take(np.array([place]))
        if not RecallAtPrecision(asked.min_precision).reached(chosen).item():
            best = rounded_down(chosen.cum_positives.item(), chosen.cum_total.item())
            raise NotReachableError(
                f"No threshold reaches both {_written(rule)} and "
                f"min_precision={asked.min_precision}: with that recall, the highest precision is "
                f"{best}. Pass min_precision={best} or less.",
                float(best),
            )
    return place


def _written(rule: PrecisionAtRecall | RecallAtPrecision) -> str:
    return f"{rule.number}={getattr(rule, rule.number)}"


def rounded_down(part: float, whole: float = 1) -> str:
    return f"{_floor(Decimal(part), Decimal(whole)).normalize():f}"


# --- targets in the population --------------------------------------------------------------------


def _promised(asked: Targets, state: State) -> int:
    """Return the index of the point that keeps the targets in the population."""
    points, cum_rows, units = state.points, state.in_rows.cum_total, state.units
    highest, of_recall = 0, None
    if asked.min_recall is not None:
        of_recall = Evidence.of_recall(points, units)
        # From the lowest threshold up, the first one that fails is the end, so there is only one
        # error. Without weights, it is next to an order statistic of the positives' scores.
        passed = of_recall.at(slice(None, None, -1)).until_failure(asked.min_recall, asked.error)
        if not passed:
            _refuse_recall(asked, of_recall.at([-1]), state)
        highest = int(np.flatnonzero(points.positives)[-passed])
    if asked.min_precision is None:
        return highest

    def keeps(precision: float) -> Array:
        return keeps_precision(points, units, cum_rows, precision, asked.error)

    kept = keeps(asked.min_precision)
    places = highest + np.flatnonzero(kept[highest:])
    if not places.size:
        best = _highest(lambda each: bool(keeps(each)[highest:].any()), asked.min_precision)
        above = points.positives[: np.flatnonzero(kept).max(initial=-1) + 1]
        n_above = int(np.count_nonzero(above))
        deepest = of_recall.at([n_above - 1]) if of_recall is not None and n_above else None
        _refuse_precision(asked, best, deepest)
    return int(places[-1 if of_recall is None else 0])


def _highest(holds: Callable[[float], bool], below: float) -> float:
    """Return the highest target that holds, in thousandths, by bisection; 0 if there is none."""
    thousandths = range(1, ceil(below * 1000))  # the first ones hold, so count them
    return bisect_left(thousandths, True, key=lambda each: not holds(each / 1000)) / 1000


@about("y_true")
def _refuse_recall(asked: Targets, lowest: Evidence, state: State) -> NoReturn:
    """Say which recall can be promised at the lowest threshold, or what it takes."""
    recall, best = asked.shares["min_recall"], rounded_down(lowest.limits(asked.error)[0].item())
    if recall == 1:
        raise NotReachableError(
            f"A recall of 1 can't be promised {asked.sure}, however many positives there are. Pass "
            f"min_recall={best} or less.",
            float(best) or None,
        )
    least = ceil(log(asked.error) / log(recall) - 1e-9)
    here, exist = state.in_rows.n_positives.item(), state.points.n_positives.item()
    if here < least:
        why = f"that takes at least {least:,} positives, and y_true has {here:,}"
    elif exist > state.points.cum_positives[-1] * _ENOUGH:
        why = "too many positives were missed (n_positives)"
    else:
        why = "with these weights or clusters, there is too little evidence"
    instead = "Please " if best == "0" else f"Pass min_recall={best} or less, or "
    raise NotReachableError(
        f"min_recall={recall} can't be promised {asked.sure}: {why}. {instead}collect more "
        "positives.",
        float(best) or None,
    )


@about("y_score")
def _refuse_precision(asked: Targets, best: float, deepest: Evidence | None) -> NoReturn:
    """Say how far each target gets. `deepest` is the lowest threshold that keeps the precision."""
    wanted, both = f"min_precision={asked.min_precision}", asked.min_recall is not None
    options = [f"min_precision={best}{' beside that recall' * both}"] * bool(best)
    recall = "0" if deepest is None else rounded_down(deepest.limits(asked.error)[0].item())
    options += [f"min_recall={recall} beside that precision"] * (recall != "0")
    instead = f"Pass {', or '.join(options)}, or collect" if options else "Collect"
    why = f"{wanted} can't be promised {asked.sure} by any threshold"
    if both:
        why = (
            f"min_recall={asked.min_recall} and {wanted} can't both be promised {asked.sure}: no "
            "threshold that keeps the recall also keeps the precision"
        )
    raise NotReachableError(f"{why}. {instead} more data.", best or None)
