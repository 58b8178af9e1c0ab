"""What a threshold is chosen for, and which one meets that, here or in the population."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from math import ceil, log
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np

from .._inputs.records import Inputs, Label
from .._read.labels import read_one_target
from .._words.messages import warn, warn_of_heavy_missed, warn_of_weighed_k
from .._words.parameters import format_value
from .._words.refusals import attribute_errors
from ..core.cutoff import Cut, as_fraction
from ..core.exact_scores import are_flagged
from ..core.operating_points import OperatingPoints
from ..core.ragged import Array
from ..core.rankings import Rankings
from ..core.rules import PrecisionAtK, PrecisionAtRecall, RecallAtPrecision
from ..core.tolerances import SUM_TOLERANCE
from ..exceptions import InvalidParameterError, NotReachableError
from .promises import BinomialEvidence, SquaredMasses, find_precise_points

# Suggested targets must be reachable.
_divide_down = Context(prec=4, rounding=ROUND_FLOOR).divide
_divide_up = Context(prec=4, rounding=ROUND_CEILING).divide
_LOWEST_SUGGESTED_TARGET = 0.001  # the lowest target that is suggested
_LOWER_TARGETS_TOO = ", and lower the targets, which no threshold meets"


class Targets(NamedTuple):
    """What the threshold is chosen for."""

    min_recall: float | None
    min_precision: float | None
    k: Any  # a number of samples, or as a float, a fraction of them; None without a limit
    k_counts: str  # "samples" or "weight"
    confidence_level: Any  # a float, or None if nothing is promised
    pos_label: Label
    min_grade: float | None
    threshold: Any = None  # the one that the caller has

    @property
    def target_fractions(self) -> dict[str, float]:
        """A new dict of the targets for recall and precision, by name, in this order."""
        targets = {"min_recall": self.min_recall, "min_precision": self.min_precision}
        return {name: target for name, target in targets.items() if target is not None}

    @property
    def rules(self) -> list[PrecisionAtRecall | RecallAtPrecision]:
        """The rules that know which points reach the targets for recall and precision."""
        both: dict[str, Any] = {"min_recall": PrecisionAtRecall, "min_precision": RecallAtPrecision}
        return [both[name](target) for name, target in self.target_fractions.items()]

    @property
    def is_plain(self) -> bool:
        """Whether a metric has the value of the threshold that meets the first target."""
        return bool(self.target_fractions) and self.k is None and self.confidence_level is None

    @property
    def cut(self) -> Cut | None:
        return None if self.k is None else Cut(self.k, self.k_counts)

    def is_budget(self, grouped: bool) -> bool:
        """Whether k limits the flagged samples of each group."""
        return grouped and self.k is not None and not Cut(self.k).is_share

    @property
    def error(self) -> float:
        """The probability of not keeping a promise, which several promises share."""
        return float(1 - as_fraction(self.confidence_level)) / len(self.target_fractions)

    @property
    def sure(self) -> str:
        return f"with {100 * float(self.confidence_level):g}% confidence"

    @property
    def promise(self) -> str:
        """Which recall and precision is promised; empty if none is."""
        if self.confidence_level is None:
            return ""
        targets = [
            f"{name.removeprefix('min_')} at least {float(target):g}"
            for name, target in self.target_fractions.items()
        ]
        return f"{' and '.join(targets)} {self.sure}"

    def select_model(self, model: Any) -> Self:
        """Return what one model is asked for, of which the caller may have a threshold for each."""
        if not isinstance(self.threshold, Mapping):
            return self
        if model not in self.threshold and model is None:
            raise InvalidParameterError(
                f"threshold={format_value(self.threshold)} maps models to values, so y_score has "
                "to map the same models to their prediction scores. For a single model, pass a "
                "number."
            )
        if model not in self.threshold:
            raise ValueError(
                f"threshold has no value for the model {model!r}, but only for "
                f"{', '.join(map(repr, self.threshold)) or 'none'}. Pass one for each model."
            )
        return self._replace(threshold=to_plain_score(self.threshold[model]))

    def check(self, grouped: bool) -> None:
        """Check that there is something to choose a threshold for, and that it goes together."""
        names = "min_recall", "min_precision", "k", "confidence_level"
        options = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        if self.threshold is not None and options:
            raise InvalidParameterError(
                f"threshold={self.threshold} is a threshold to be measured, so it can't "
                f"be combined with {_format_options_with_values(options)}. Leave one of them out."
            )
        if self.threshold is None and not self.target_fractions and self.k is None:
            raise InvalidParameterError(
                "operating_point needs a target: min_recall, min_precision or k, but got "
                f"{_format_options_with_values(options) or 'none of them'}. Pass the recall or the "
                "precision that the threshold has to reach, or how many samples it may flag. To "
                "measure a threshold that you have, pass threshold."
            )
        if self.confidence_level is not None and not self.target_fractions:
            raise InvalidParameterError(
                f"confidence_level={self.confidence_level} needs min_recall or "
                "min_precision, which it promises for new data."
            )


def _format_options_with_values(options: Mapping[str, Any]) -> str:
    return " and ".join(f"{name}={value}" for name, value in options.items())


def to_plain_score(score: Any) -> Any:
    """Convert a prediction score to a plain Python number."""
    score = score.item() if isinstance(score, np.generic) else score
    return score + 0.0 if isinstance(score, float) else score  # -0.0 is 0.0


class Candidates(NamedTuple):
    """Everything from which a threshold is chosen. Points are in descending order of scores."""

    targets: Targets
    n_groups: int | None  # None without groups
    points: OperatingPoints
    in_rows: OperatingPoints  # the same points, with each sample counted once
    scores: Array  # of the points, at or above which they flag samples
    samples: Rankings
    inputs: Inputs  # of which they were read
    units: SquaredMasses | None = None  # for a promise, if samples have weights or clusters

    @property
    def is_weighted(self) -> bool:
        return self.samples.weight is not None

    def get_threshold(self, place: int) -> Array:
        """Return an array of the threshold, which is the score of a point or that of the caller."""
        if self.targets.threshold is not None:
            return np.array([self.targets.threshold])
        return self.scores[place : place + 1]


def choose_place(state: Candidates) -> int:
    """Return the index of the point that meets the targets, or that is the lowest one at or above
    the caller's threshold, which is -1 if that flags nothing.
    """
    targets = state.targets
    if targets.threshold is not None:
        threshold = np.array([targets.threshold])
        return int(np.count_nonzero(are_flagged(state.scores, threshold))) - 1
    cut = targets.cut
    if cut is not None:
        warn_of_weighed_k(cut, state.samples.weight)
    if not state.in_rows.n_positives.item() and targets.target_fractions:
        inputs = state.inputs
        _, name = read_one_target(inputs.y_true, inputs.positive, inputs.y_score)
        with attribute_errors("y_true"):
            raise NotReachableError(
                f"{_format_target(targets.rules[0])} cannot be met, because y_true has no "
                f"positives ({name}). Without positives, only k chooses a threshold."
            )
    lowest = state.scores.size - 1
    if cut is not None:
        lowest = _choose_within_k(state, cut)
    if not targets.target_fractions:
        return lowest
    if targets.promise:
        return _choose_promised(state, lowest)
    within = state.points if cut is None else state.points.take(np.arange(lowest + 1))
    return _choose_met(state, within)


def _find_first_met(state: Candidates) -> int | None:
    """Return the index of the first point that meets the targets, whatever k is, or None."""
    if state.targets.promise:
        ends = _find_kept(state).find_ends(state.scores.size - 1)
        return ends and ends[0]
    places = np.flatnonzero(_find_met(state.targets, state.points))
    return int(places[0]) if places.size else None


# --- budgets --------------------------------------------------------------------------------------


def _choose_within_k(state: Candidates, cut: Cut) -> int:
    """Return the index of the lowest point that flags at most k samples. Alone, k is no limit
    without groups, but the number of samples to flag. `cut` is that of the targets.
    """
    targets, n_groups = state.targets, state.n_groups
    points = state.in_rows if cut.counts_rows else state.points
    what = "weight" if state.is_weighted and not cut.counts_rows else "samples"
    # A budget need only suffice on average, so it is n_budgets times k for all groups.
    n_budgets = n_groups if targets.is_budget(n_groups is not None) else None
    if not targets.target_fractions:
        _warn_if_all_within_k(cut, what, points.n_samples.item(), n_budgets)
        if n_budgets is None:
            return PrecisionAtK(cut.k, k_counts=cut.counts).chosen(points)
    flagged = points.cum_total
    most = cut.compute_k(points.n_samples, points.are_integers).item() * (n_budgets or 1)
    place = int(np.count_nonzero(flagged <= most * (1 + SUM_TOLERANCE))) - 1
    if place < 0:
        _refuse_k(state, cut, points, n_budgets)
    return place


def _warn_if_all_within_k(cut: Cut, what: str, size: float, n_budgets: int | None) -> None:
    """Warn if k exceeds all "samples" or their "weight", of which there is `size`."""
    if cut.is_share or cut.k * (n_budgets or 1) <= size * (1 + SUM_TOLERANCE):
        return
    if n_budgets is not None:
        number = "weight" if what == "weight" else "number of samples"
        most = f"the mean {number} per group, {size / n_budgets:.4g}"
    elif what == "weight":
        most = f"the sum of sample_weight, {size:g}"
    else:
        most = f"the {size:,} samples"
    warn(f"k={cut} exceeds {most}, so all samples are flagged.")


def _refuse_k(
    state: Candidates, cut: Cut, points: OperatingPoints, n_budgets: int | None
) -> NoReturn:
    """Say which k the highest threshold needs, or the highest one that meets the targets.

    The points are in units of what k counts, samples or weight.
    """
    flagged, first = points.cum_total, _find_first_met(state)
    needed = flagged[first or 0].item()
    least: float = ceil(needed / (n_budgets or 1) / (1 + SUM_TOLERANCE))
    if cut.is_share:
        least = float(_divide_up(Decimal(needed), Decimal(points.n_samples.item())))
    units = "units of weight" if state.is_weighted and not cut.counts_rows else "samples"
    per_group, among = "", ""
    if n_budgets is not None:
        per_group, among = " per group on average", f", and there are {n_budgets:,} groups"
    most = f"k={cut}" if cut.is_share else f"k={cut} {units}{per_group}"
    besides = _LOWER_TARGETS_TOO if first is None else ""
    words = (
        f"No threshold flags at most {most}, because {flagged[0].item():,} {units} with the "
        f"highest prediction score are tied{among}. Pass k={least} or more{besides}."
    )
    raise NotReachableError(words, None if first is None else least)


# --- targets on these samples ---------------------------------------------------------------------


def _choose_met(state: Candidates, points: OperatingPoints) -> int:
    """Return the index of the best point within k for the first target, which must meet the second
    one.
    """
    targets = state.targets
    place = targets.rules[0].chosen(points)
    if place is None:  # no positive is within k, which can only meet a target of 0
        place = points.cum_total.size - 1
    if not _find_met(targets, points.take(np.array([place]))).item():
        _refuse_targets(state, points)
    return place


def _find_met(targets: Targets, points: OperatingPoints) -> Array:
    """Return which points meet the targets on these samples."""
    return np.asarray(np.all([rule.reached(points) for rule in targets.rules], axis=0))


@attribute_errors("y_score")
def _refuse_targets(state: Candidates, points: OperatingPoints) -> NoReturn:
    """Say how far a target gets at these points, beside the other one if that can be met."""
    targets = state.targets
    target, *second = targets.rules
    other = second[0] if second else None
    if other is not None and target.reached(points).any():
        target, other = other, target  # so that `target` is out of reach, at least beside the other
    usable, beside, is_one_enough = points, "", True  # whether it is enough to lower the target
    if other is not None:
        meets_other = other.reached(points)
        is_one_enough = bool(meets_other.any())
        if is_one_enough:
            usable = points.take(np.flatnonzero(meets_other))
            beside = f" beside {_format_target(other)}"
    numerator, denominator = target.find_largest_part(usable)
    best, name = round_down(numerator, denominator), target.number.removeprefix("min_")
    advice = f"{target.number}={best}{' or less' if float(best) else ''}"
    if other is not None and not is_one_enough:  # so `target` is the first one, for recall
        meets_best = PrecisionAtRecall(float(best)).reached(points)
        other_best = other.find_largest_part(points.take(np.flatnonzero(meets_best)))
        advice += f" and {other.number}={round_down(*other_best)} or less"
    within, there = "", " there" if beside else ""
    if targets.k is not None:
        within, there = f" within k={targets.cut}", " there"
        if _find_met(targets, state.points).any():
            advice += ", or a larger k"
    why = f"the highest {name}{there} is {best}"
    if target.number == "min_recall" and not there:
        exist = f"n_positives={denominator}"
        of_weight = "a weight of " if state.is_weighted else ""
        why = f"of {exist}, y_true has {of_weight}{numerator}, so {why}"
    raise NotReachableError(
        f"No threshold{within} reaches {_format_target(target)}{beside}: {why}. Pass {advice}.",
        float(best) if is_one_enough else None,
    )


def _format_target(rule: PrecisionAtRecall | RecallAtPrecision) -> str:
    return f"{rule.number}={getattr(rule, rule.number)}"


def round_down(numerator: float, denominator: float = 1) -> str:
    """Return a fraction in four significant digits, which is reachable if the fraction is."""
    return f"{_divide_down(Decimal(numerator), Decimal(denominator)).normalize():f}"


# --- targets in the population --------------------------------------------------------------------


class KeptPoints(NamedTuple):
    """Which points keep the targets in the population, whatever k is."""

    of_recall: BinomialEvidence | None  # of the points with positives, if a recall is asked for
    highest: int  # the index of the first point that keeps the recall; beyond the last for none
    are_precise: Array | None  # which points keep the precision, if one is asked for

    def find_ends(self, lowest: int) -> tuple[int, int] | None:
        """Return the indices of the first and the last point that keeps both, down to `lowest`."""
        if self.are_precise is None:
            return (self.highest, lowest) if self.highest <= lowest else None
        places = self.highest + np.flatnonzero(self.are_precise[self.highest : lowest + 1])
        return (int(places[0]), int(places[-1])) if places.size else None


def _find_kept(state: Candidates) -> KeptPoints:
    targets, points = state.targets, state.points
    of_recall, highest = None, 0
    if targets.min_recall is not None:
        of_recall = BinomialEvidence.from_recall(points, state.units)
        # From the lowest threshold up, the first one that fails is the end, so there is only one
        # error. Without weights, it is next to an order statistic of the positives' scores.
        upwards = of_recall.select(slice(None, None, -1))
        n_passed = upwards.count_until_failure(targets.min_recall, targets.error)
        with_positives = np.append(np.flatnonzero(points.positives), state.scores.size)
        highest = with_positives[-1 - n_passed].item()
    are_precise = None
    if targets.min_precision is not None:
        are_precise = _find_kept_precision(state, targets.min_precision)
    return KeptPoints(of_recall, highest, are_precise)


def _find_kept_precision(state: Candidates, precision: float) -> Array:
    cum_rows, error = state.in_rows.cum_total, state.targets.error
    return find_precise_points(state.points, state.units, cum_rows, precision, error)


def _choose_promised(state: Candidates, lowest: int) -> int:
    """Return the index of the point that keeps the targets in the population: the highest one if a
    recall is promised, and otherwise the lowest one within k, whose index is at most `lowest`.
    """
    targets = state.targets
    if targets.min_recall is not None and state.units is not None:
        what = "Positives" if state.units.cluster is None else "Clusters of positives"
        ratio = state.units.compare_lower_half()
        warn_of_heavy_missed(ratio, what, targets.min_recall, targets.error)
    keeping = _find_kept(state)
    if ends := keeping.find_ends(lowest):
        return ends[1] if targets.min_recall is None else ends[0]
    last = lowest
    if keeping.are_precise is not None:
        last = np.flatnonzero(keeping.are_precise[: lowest + 1]).max(initial=-1)
    best_recall = _compute_kept_recall(last, state.points, keeping.of_recall, targets.error)
    candidates = slice(keeping.highest, lowest + 1)
    if keeping.highest > lowest:
        _refuse_recall(state, best_recall, keeping.highest < state.scores.size)

    def is_kept(precision: float) -> bool:
        return bool(_find_kept_precision(state, precision)[candidates].any())

    assert targets.min_precision is not None
    _refuse_precision(state, _find_highest_target(is_kept, targets.min_precision), best_recall)


def _compute_kept_recall(
    place: int, points: OperatingPoints, of_recall: BinomialEvidence | None, error: float
) -> str:
    """Return the recall that the thresholds from this point on down keep; "0" for none, or if it
    isn't asked for.

    `place` is the index of the point, or -1. `of_recall` has the points with positives.
    """
    n_above = int(np.count_nonzero(points.positives[: place + 1]))
    if of_recall is None or not n_above:
        return "0"
    # With units of one size, recall only rises, so it is the lowest at the first of these points.
    is_alike = np.ndim(of_recall.found_size) == 0
    below = of_recall.select(slice(n_above - 1, n_above if is_alike else None))
    return round_down(below.limits(error)[0].min().item())


def _find_highest_target(holds: Callable[[float], bool], below: float) -> float:
    """Return the highest target that holds, in thousandths, by bisection; 0 if there is none."""
    thousandths = range(1, ceil(below * 1000))  # the first ones hold, so count them
    return bisect_left(thousandths, True, key=lambda number: not holds(number / 1000)) / 1000


@attribute_errors("y_true")
def _refuse_recall(state: Candidates, best: str, is_promised: bool) -> NoReturn:
    """Say which recall can be promised, within k and beside a precision, or what it takes.

    `best` is that recall, or "0" for none. Without k, the recall that was asked for may be
    promised, which is `is_promised`.
    """
    targets, recall = state.targets, state.targets.target_fractions["min_recall"]
    n_here, exist = state.in_rows.n_positives.item(), state.points.n_positives.item()
    what = f"min_recall={recall} can't be promised {targets.sure}"
    instead = "collect more positives"
    beside = "" if targets.k is None else f" within k={targets.cut}"
    if recall == 1:
        what = f"A recall of 1 can't be promised {targets.sure}, however many positives there are"
        instead = ""
    elif is_promised:
        what += beside
        beside, instead = "", "pass a larger k"
    elif n_here < (least := ceil(log(targets.error) / log(recall) - 1e-9)):
        what += f": that takes at least {least:,} positives, and y_true has {n_here:,}"
    elif exist > state.points.cum_positives[-1] * (1 + SUM_TOLERANCE):
        what += ": too many positives were missed (n_positives)"
    else:
        what += ": with these weights or clusters, there is too little evidence"
    if targets.min_precision is not None:
        beside += " beside that precision"
        if best == "0":
            low = targets._replace(
                min_recall=_LOWEST_SUGGESTED_TARGET, min_precision=_LOWEST_SUGGESTED_TARGET
            )
            can_be_lower = _find_kept(state._replace(targets=low)).find_ends(state.scores.size - 1)
            instead = "collect more data"
            if can_be_lower:
                instead = f"lower both targets, or {instead}"
    options = [instead] if instead else []
    if best != "0":
        options.insert(0, f"pass min_recall={best} or less{beside}")
    advice = ", or ".join(options) or "leave it out"
    raise NotReachableError(f"{what}. {advice[0].upper()}{advice[1:]}.", float(best) or None)


@attribute_errors("y_score")
def _refuse_precision(state: Candidates, best: float, recall: str) -> NoReturn:
    """Say how far each target gets: the precision to `best`, and the recall beside the precision
    that was asked for to `recall`. Both are 0 for none.
    """
    targets = state.targets
    target, beside_recall = f"min_precision={targets.min_precision}", ""
    within = "" if targets.k is None else f" within k={targets.cut}"
    why = f"{target} can't be promised {targets.sure} by any threshold{within}"
    if targets.min_recall is not None:
        beside_recall = " beside that recall"
        why = (
            f"min_recall={targets.min_recall} and {target} can't both be promised "
            f"{targets.sure}{within}: no threshold that keeps the recall also keeps the precision"
        )
    options = [f"min_precision={best}{beside_recall}"] if best else []
    if recall != "0":
        options.append(f"min_recall={recall} beside that precision")
    instead = f"Pass {', or '.join(options)}, or collect" if options else "Collect"
    words = f"{why}. {instead} more data."
    if options:
        words += (
            f" A target that was chosen on these samples isn't promised {targets.sure}, so check "
            "it on others."
        )
    weight = state.samples.weight
    have_weights = weight is not None and weight.min() < weight.max()
    if targets.min_recall is None and targets.k is None and have_weights:
        words += (
            " Precision above a score c doesn't depend on the rows below c, so if only those were "
            "thinned, pass the others alone."
        )
    raise NotReachableError(words, best or float(recall) or None)
