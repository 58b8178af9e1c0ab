"""What a threshold is chosen for, and which one meets that, here or in the population."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import ceil, log
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np

from .._read.validation import Seen
from .._words.errors import InvalidParameterError, NotReachableError
from .._words.inputs import Label
from .._words.messages import about, heard_by, warn, warn_of_heavy_missed, warn_of_weighed_k
from .._words.parameters import check_by_model
from ..core.cutoff import ENOUGH, Cut, as_fraction
from ..core.keys import rank
from ..core.operating_points import OperatingPoints, by_group
from ..core.promises import Squares, Trials, keeps_precision
from ..core.rankings import Rankings
from ..core.rules import PrecisionAtK, PrecisionAtRecall, RecallAtPrecision
from ..core.tallies import number_among
from ..core.within import Array, running_sum

# Suggested targets must be reachable.
_floor = Context(prec=4, rounding=ROUND_FLOOR).divide
_ceil = Context(prec=4, rounding=ROUND_CEILING).divide


class Targets(NamedTuple):
    """What the threshold is chosen for."""

    min_recall: float | None
    min_precision: float | None
    k: Any  # a number, or None without a limit
    k_counts: str
    quantile: Any  # a float, or None if the budget is a mean
    confidence_level: Any  # a float, or None if nothing is promised
    pos_label: Label
    min_grade: float | None
    threshold: Any = None  # the one that the caller has

    @property
    def shares(self) -> dict[str, float]:
        """The targets for recall and precision, by name."""
        given = {} if self.min_recall is None else {"min_recall": self.min_recall}
        if self.min_precision is not None:
            given["min_precision"] = self.min_precision
        return given

    @property
    def rules(self) -> list[PrecisionAtRecall | RecallAtPrecision]:
        """The rules that know which points reach the targets for recall and precision."""
        both: dict[str, Any] = {"min_recall": PrecisionAtRecall, "min_precision": RecallAtPrecision}
        return [both[name](target) for name, target in self.shares.items()]

    @property
    def is_plain(self) -> bool:
        """Whether a metric has the value of the threshold that meets the first target."""
        return bool(self.shares) and self.k is None and self.confidence_level is None

    @property
    def depth(self) -> Cut | None:
        return None if self.k is None else Cut(self.k, self.k_counts)

    def is_budget(self, grouped: bool) -> bool:
        """Whether k limits the flagged samples of each group."""
        return grouped and self.k is not None and not Cut(self.k).is_share

    @property
    def error(self) -> float:
        """The probability of not keeping a promise, which several promises share."""
        n_promises = len(self.shares) + (self.quantile is not None)
        return float(1 - as_fraction(self.confidence_level)) / n_promises

    @property
    def sure(self) -> str:
        return f"with {100 * self.confidence_level:g}% confidence"

    @property
    def promise(self) -> str:
        """Which recall and precision is promised; empty if none is."""
        if self.confidence_level is None or not self.shares:
            return ""
        each = [f"{name[4:]} at least {target:g}" for name, target in self.shares.items()]
        return f"{' and '.join(each)} {self.sure}"

    def of_model(self, model: Any) -> Self:
        """Return what one model is asked for, of which the caller may have a threshold for each."""
        if not isinstance(self.threshold, Mapping):
            return self
        check_by_model("threshold", self.threshold, [model], are_all=False)
        return self._replace(threshold=plain_score(self.threshold[model]))

    def check(self, grouped: bool) -> None:
        """Check that there is something to choose a threshold for, and that it goes together."""
        names = "min_recall", "min_precision", "k", "quantile", "confidence_level"
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        if self.threshold is not None and given:
            raise InvalidParameterError(
                f"threshold={self.threshold!r} is a threshold to be measured, so it can't be "
                f"combined with {_with_values(given)}. Leave one of them out."
            )
        if self.threshold is None and not self.shares and self.k is None:
            raise InvalidParameterError(
                "operating_point needs a target: min_recall, min_precision or k, but got "
                f"{_with_values(given) or 'none of them'}. Pass the recall or the precision that "
                "the threshold has to reach, or how many samples it may flag. To measure a "
                "threshold that you have, pass threshold."
            )
        if self.confidence_level is not None and not self.shares and self.quantile is None:
            raise InvalidParameterError(
                f"confidence_level={self.confidence_level!r} needs min_recall or min_precision, "
                "which it promises for new data, or quantile, to promise that k suffices in that "
                "fraction of new groups."
            )
        if self.quantile is not None and not self.is_budget(grouped):
            raise InvalidParameterError(
                f"quantile={self.quantile!r} is the fraction of groups with at most k flagged "
                "samples, so it needs groups and an int k."
            )


def _with_values(given: Mapping[str, Any]) -> str:
    return " and ".join(f"{name}={value!r}" for name, value in given.items())


def plain_score(score: Any) -> Any:
    """Convert a prediction score to a plain Python number."""
    score = score.item() if isinstance(score, np.generic) else score
    return score + 0.0 if isinstance(score, float) else score  # -0.0 is 0.0


class Candidates(NamedTuple):
    """Everything from which a threshold is chosen."""

    points: OperatingPoints
    in_rows: OperatingPoints  # the same points, with each sample counted once
    scores: Array
    seen: Seen
    units: Squares | None = None
    limits: Array | None = None  # the scores at which groups exceed a budget
    at_top: Array | None = None  # what groups have at the highest score, in descending order
    # The highest score of each point if points are bins, of which `scores` has the lowest ones.
    tops: Array | None = None

    @property
    def highest(self) -> Array:
        return self.scores if self.tops is None else self.tops


def threshold_at(request: Targets, state: Candidates, place: int) -> Array:
    """Return an array of the threshold, which is the score of a point or that of the caller."""
    if request.threshold is not None:
        return np.array([request.threshold])
    return state.scores[place : place + 1]


def out_of(exist: Array | None, points: OperatingPoints) -> OperatingPoints:
    """Return points out of all existing positives, or of those in the samples."""
    # Leave the zeros out, because they can change the last bit of the sum.
    found = points.positives[points.positives > 0].sum(keepdims=True)
    return points.out_of(found if exist is None else exist)


def choose(request: Targets, state: Candidates, n_groups: int | None) -> int:
    """Return the index of the point that meets the targets, or that is the lowest one at or above
    the caller's threshold, which is -1 if that flags nothing.
    """
    if request.threshold is not None:
        threshold = np.array([request.threshold])
        return int(np.count_nonzero(number_among(state.scores, threshold) >= 1)) - 1
    depth = request.depth
    if depth is not None:
        warn_of_weighed_k(depth, state.seen.sample_weight)
    if not state.in_rows.n_positives.item() and request.shares:
        with about("y_true"):
            raise NotReachableError(
                f"{_as_option(request.rules[0])} cannot be met, because y_true has no positives "
                f"({state.seen.name}). Without positives, only k chooses a "
                "threshold."
            )
    lowest = state.scores.size - 1
    if depth is not None:
        lowest = _within_k(request, depth, state, n_groups)
    return _meeting(request, state, lowest)


def _meeting(request: Targets, state: Candidates, lowest: int) -> int:
    """Return the index of the point that meets the targets, down to the index `lowest`."""
    if request.confidence_level is not None and request.shares:
        return _promised(request, state, lowest)
    if request.is_plain:
        return _met(request, state.points)
    return _met_within(request, state, lowest) if request.shares else lowest


def _why_not(find: Callable[[], int]) -> NotReachableError | None:
    """Return the error of a search for a threshold; None if there is one."""
    try:
        with heard_by(lambda *_: None):
            find()
    except NotReachableError as error:
        return error
    return None


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
    order, offsets = by_group(np.arange(group.size), group, int(group.max()) + 1)
    over = order[running_sum(mass[order], offsets) > depth.k * ENOUGH]
    limits = scores[over[np.unique(group[over], return_index=True)[1]]]
    is_top = scores == scores[:1]
    at_top = np.bincount(group[is_top], mass[is_top])
    return np.sort(limits), np.sort(at_top)[::-1]


def _within_k(request: Targets, depth: Cut, state: Candidates, n_groups: int | None) -> int:
    """Return the index of the lowest point that flags at most k samples. Alone, k is no limit
    without groups, but the number of samples to flag.
    """
    if state.limits is not None and state.at_top is not None and n_groups is not None:
        return _within_groups(request, state, state.limits, state.at_top, n_groups)
    of_weight = state.seen.weighted and not depth.by_rows
    points = state.in_rows if depth.by_rows else state.points
    size, per_group = points.n_samples.item(), n_groups if request.is_budget(True) else None
    if not request.shares and not depth.is_share and depth.k * (per_group or 1) > size * ENOUGH:
        most = f"the sum of sample_weight, {size:g}" if of_weight else f"the {size:,} samples"
        if per_group is not None:
            what = "weight" if of_weight else "number of samples"
            most = f"the mean {what} per group, {size / per_group:.4g}"
        warn(f"k={depth} exceeds {most}, so all samples are flagged.")
    if per_group is None and not request.shares:
        return PrecisionAtK(depth.k, k_counts=depth.counts).chosen(points)
    flagged = points.cum_total
    budget = depth.of(points.n_samples, points.whole).item() * (per_group or 1)
    budget *= ENOUGH if flagged.dtype.kind == "f" else 1
    place = int(np.count_nonzero(flagged <= budget)) - 1
    if place < 0:
        _refuse_k(request, state, flagged, size, per_group, of_weight)
    return place


def _refuse_k(
    request: Targets,
    state: Candidates,
    flagged: Array,
    size: float,
    n_groups: int | None,
    of_weight: bool,
) -> NoReturn:
    """Say which k the highest threshold needs, or the highest one that meets the targets."""
    depth, place = request.depth, 0
    assert depth is not None
    what = "units of weight" if of_weight else "samples"
    each, among = "", ""
    if n_groups is not None:
        each, among = " per group on average", f", and there are {n_groups:,} groups"
    most = f"k={depth}" if depth.is_share else f"k={depth} {what}{each}"
    why_not = _why_not(lambda: _meeting(request._replace(k=None), state, flagged.size - 1))
    if request.shares and not why_not:
        place = bisect_left(
            range(flagged.size - 1),
            True,
            key=lambda each: not _why_not(lambda: _meeting(request, state, each)),
        )
    needed = flagged[place].item()
    least: float = ceil(needed / (n_groups or 1) / ENOUGH)
    if depth.is_share:
        least = float(_ceil(Decimal(needed), Decimal(size)))
    words = (
        f"No threshold flags at most {most}, because {flagged[0].item():,} {what} with the highest "
        f"prediction score are tied{among}. Pass k={least} or more."
    )
    raise _and(words, least, why_not)


def _and(words: str, reachable: float, why_not: NotReachableError | None) -> NotReachableError:
    """Make an error about one parameter. If another one can't be met either, none is enough."""
    if why_not:
        return NotReachableError(f"{words} Even then: {why_not}")
    return NotReachableError(words, reachable)


def _within_groups(
    request: Targets, state: Candidates, limits: Array, at_top: Array, n_groups: int
) -> int:
    """Return the index of the last point at which few enough groups exceed k."""
    most, thresholds = _may_exceed(request, state, n_groups), state.scores
    place = thresholds.size - 1
    if most >= limits.size:
        if not request.shares:
            warn(
                f"Even with all samples flagged, {n_groups - limits.size:,} of {n_groups:,} groups "
                f"stay within k={request.k}, so all samples are flagged."
            )
    else:
        place = int(np.count_nonzero(thresholds > limits[-1 - most])) - 1
    if place < 0:
        least = ceil(at_top[most] / ENOUGH)
        words = (
            f"No threshold flags at most k={request.k} samples in {n_groups - most:,} of "
            f"{n_groups:,} groups, which quantile={request.quantile!r} needs, because too many "
            f"samples are tied at the highest prediction score. Pass k={least} or more."
        )
        easier = request._replace(k=least)
        raise _and(words, least, _why_not(lambda: _meeting(easier, state, 0)))
    return place


@about("groups")
def _may_exceed(request: Targets, state: Candidates, n_groups: int) -> int:
    """Return how many of the groups may exceed k, so that a new group keeps to it with this
    probability on average, or so that this fraction of new groups does, with the confidence that
    was asked for.
    """
    part = as_fraction(request.quantile)
    if request.confidence_level is not None:
        over = np.arange(n_groups + 1)
        passed = Trials(n_groups - over, over).until_failure(float(part), request.error)
        if passed:
            return passed - 1
        least = ceil(log(request.error) / log(part) - 1e-9)
        what = f"k={request.k} can't be promised in {100 * request.quantile:g}% of new groups"
        what += f" {request.sure}"
    else:
        within = ceil((n_groups + 1) * part)
        if within <= n_groups:
            return n_groups - within
        least = ceil(part / (1 - part))
        what = f"quantile={request.quantile!r} can't be met in new groups on average"

    def best(n_over: int) -> str:
        """Return the highest quantile for which so many groups may exceed k."""
        n_within = n_groups - n_over
        if request.confidence_level is None:
            return rounded_down(n_within, n_groups + 1)
        evidence = Trials(np.array([n_within]), np.array([n_over]))
        return rounded_down(evidence.limits(request.error)[0].item() * (1 - 1e-12))

    def why_not(n_over: int) -> NotReachableError | None:
        easier = request._replace(quantile=float(best(n_over)))
        return _why_not(lambda: choose(easier, state, n_groups))

    each = range(n_groups)
    n_over = bisect_left(each, True, key=lambda number: not why_not(number)) % n_groups
    words = (
        f"{what}: that takes at least {least:,} groups, and there "
        f"{'is' if n_groups == 1 else 'are'} {n_groups:,}. Pass quantile={best(n_over)} or less, "
        "or collect more groups."
    )
    raise _and(words, float(best(n_over)), why_not(n_over))


# --- targets on these samples ---------------------------------------------------------------------


def _met(request: Targets, points: OperatingPoints) -> int:
    """Return the index of the best point that meets the targets."""
    rule, *others = request.rules
    place = rule.chosen(points)
    if place is None or not all(
        each.reached(points.take(np.array([place]))).item() for each in others
    ):
        _refuse_targets(request, points)
    return place


def _met_within(request: Targets, state: Candidates, lowest: int) -> int:
    """Return the index of the lowest point within k that meets the targets."""
    points = state.points.take(np.arange(lowest + 1))
    meets = np.flatnonzero(np.logical_and.reduce([each.reached(points) for each in request.rules]))
    if not meets.size:
        _refuse_targets(request, points)
    return int(meets[-1])


@about("y_score")
def _refuse_targets(request: Targets, points: OperatingPoints) -> NoReturn:
    """Say how far a target gets at these points, beside the other one if that can be met."""
    target, *others = request.rules
    if others and target.reached(points).any():
        target, others = others[0], [target]
    within, larger = "", ""
    if request.k is not None:
        within, larger = f" within {_limit(request)}", ", or a larger k"
    reached = others[0].reached(points) if others else np.ones(points.positives.size, dtype=bool)
    is_enough = bool(reached.any())
    usable = points.take(np.flatnonzero(reached)) if is_enough else points
    part, whole = target.most_of_one(usable)
    best, name = rounded_down(part, whole), target.number.removeprefix("min_")
    beside = f" beside {_as_option(others[0])}" if others and is_enough else ""
    why = f"the highest {name}{' there' if within or beside else ''} is {best}"
    if not within and target.number == "min_recall" and not beside:
        why = f"of n_positives={whole}, y_true has {part}, so {why}"
    advice = f"{target.number}={best} or less"
    if not is_enough:
        kept = PrecisionAtRecall(float(best)).reached(points)
        beside_it = others[0].most_of_one(points.take(np.flatnonzero(kept)))
        advice += f" and {others[0].number}={rounded_down(*beside_it)} or less"
    raise NotReachableError(
        f"No threshold{within} reaches {_as_option(target)}{beside}: {why}. Pass {advice}{larger}.",
        float(best) if is_enough else None,
    )


def _limit(request: Targets) -> str:
    k = f"k={request.depth}"
    return k if request.quantile is None else f"{k} in {100 * request.quantile:g}% of the groups"


def _as_option(rule: PrecisionAtRecall | RecallAtPrecision) -> str:
    return f"{rule.number}={getattr(rule, rule.number)}"


def rounded_down(part: float, whole: float = 1) -> str:
    return f"{_floor(Decimal(part), Decimal(whole)).normalize():f}"


# --- targets in the population --------------------------------------------------------------------


def _promised(request: Targets, state: Candidates, lowest: int) -> int:
    """Return the index of the point that keeps the targets in the population: the lowest one within
    k, which is the index `lowest`. Without k, a promised recall takes the highest one.
    """
    points, cum_rows, units = state.points, state.in_rows.cum_total, state.units
    highest, of_recall = 0, None
    if request.min_recall is not None:
        of_recall = Trials.of_recall(points, units)
        if units is not None:
            what = "Positives" if units.cluster is None else "Clusters of positives"
            warn_of_heavy_missed(units.heavier_below(), what, request.min_recall, request.error)
        # From the lowest threshold up, the first one that fails is the end, so there is only one
        # error. Without weights, it is next to an order statistic of the positives' scores.
        passed = of_recall.at(slice(None, None, -1)).until_failure(
            request.min_recall, request.error
        )
        highest = np.flatnonzero(points.positives)[-passed].item() if passed else lowest + 1

    def keeps(precision: float) -> Array:
        return keeps_precision(points, units, cum_rows, precision, request.error)[: lowest + 1]

    def recall_at(place: int) -> str:
        """Return the recall that the thresholds from this one on keep."""
        n_above = int(np.count_nonzero(points.positives[: place + 1]))
        if of_recall is None or not n_above:
            return "0"
        is_alike = np.ndim(of_recall.found_size) == 0  # so that recall only rises
        below = of_recall.at(slice(n_above - 1, n_above if is_alike else None))
        return rounded_down(below.limits(request.error)[0].min().item())

    if request.min_precision is None:
        if highest > lowest:
            _refuse_recall(request, state, recall_at(lowest), passed > 0)
        return highest if request.k is None else lowest
    kept = keeps(request.min_precision)
    places = highest + np.flatnonzero(kept[highest:])
    if not places.size:
        deepest = np.flatnonzero(kept).max(initial=-1)
        if highest > lowest:
            _refuse_recall(request, state, recall_at(deepest), passed > 0)
        best = _highest(lambda each: bool(keeps(each)[highest:].any()), request.min_precision)
        _refuse_precision(request, best, recall_at(deepest))
    return int(places[-1 if of_recall is None or request.k is not None else 0])


def _highest(holds: Callable[[float], bool], below: float) -> float:
    """Return the highest target that holds, in thousandths, by bisection; 0 if there is none."""
    thousandths = range(1, ceil(below * 1000))  # the first ones hold, so count them
    return bisect_left(thousandths, True, key=lambda each: not holds(each / 1000)) / 1000


@about("y_true")
def _refuse_recall(request: Targets, state: Candidates, best: str, is_promised: bool) -> NoReturn:
    """Say which recall can be promised, within k and beside a precision, or what it takes.

    Without k, the recall that was asked for may be promised.
    """
    recall, precision = request.shares["min_recall"], request.min_precision
    here, exist = state.in_rows.n_positives.item(), state.points.n_positives.item()
    what = f"min_recall={recall} can't be promised {request.sure}"
    instead = "collect more positives"
    within = "" if request.k is None else f" within {_limit(request)}"
    if recall == 1:
        what = f"A recall of 1 can't be promised {request.sure}, however many positives there are"
        instead = ""
    elif is_promised:
        what += within
        within, instead = "", "pass a larger k"
    elif here < (least := ceil(log(request.error) / log(recall) - 1e-9)):
        what += f": that takes at least {least:,} positives, and y_true has {here:,}"
    elif exist > state.points.cum_positives[-1] * ENOUGH:
        what += ": too many positives were missed (n_positives)"
    else:
        what += ": with these weights or clusters, there is too little evidence"
    within += " beside that precision" * (precision is not None)
    options = [f"pass min_recall={best} or less{within}"] * (best != "0")
    options += [instead] * bool(instead)
    if best == "0" and precision is not None:
        options = ["lower both targets", "collect more data"]
    advice = ", or ".join(options) or "leave it out"
    raise NotReachableError(f"{what}. {advice[0].upper()}{advice[1:]}.", float(best) or None)


@about("y_score")
def _refuse_precision(request: Targets, best: float, recall: str) -> NoReturn:
    """Say how far each target gets. `recall` is the highest one that goes with the precision."""
    wanted, both = f"min_precision={request.min_precision}", request.min_recall is not None
    within = "" if request.k is None else f" within {_limit(request)}"
    options = [f"min_precision={best}{' beside that recall' * both}"] * bool(best)
    options += [f"min_recall={recall} beside that precision"] * (recall != "0")
    instead = f"Pass {', or '.join(options)}, or collect" if options else "Collect"
    why = f"{wanted} can't be promised {request.sure} by any threshold{within}"
    if both:
        why = (
            f"min_recall={request.min_recall} and {wanted} can't both be promised {request.sure}"
            f"{within}: no threshold that keeps the recall also keeps the precision"
        )
    raise NotReachableError(f"{why}. {instead} more data.", best or float(recall) or None)
