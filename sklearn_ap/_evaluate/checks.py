"""A threshold on new data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from math import sqrt
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from scipy.special import betainc, gammaincinv, stdtrit

from .._read.columns import check_found
from .._read.group_names import name_all_groups
from .._read.sampling_units import read_clusters, split_n_positives
from .._read.tables import name_in
from .._read.validation import Seen, check_counted, check_seen, read_ranking
from .._show.results import (
    Note,
    Printed,
    Result,
    ends,
    in_json,
    level_of,
    paragraph,
    printed_notes,
)
from .._show.saved import write_counts
from .._words.arrays import as_list
from .._words.inputs import Inputs, NPositives
from .._words.messages import warn
from .._words.parameters import is_mapping, text_of
from ..core.cutoff import ENOUGH
from ..core.promises import Trials, heavier_class
from ..core.rankings import Rankings
from ..core.rules import Step
from ..core.within import Array
from .jobs import (
    Amounts,
    are_flagged,
    by_name,
    extremes,
    flagged_in_groups,
    flagged_weight_in_groups,
    found_in_groups,
    join_amounts,
    weigh,
)
from .passes import First, Job, Task, run_models, run_on, samples_at
from .point import Point

T = TypeVar("T")

_MOST_SHOWN = 10  # groups over a budget
_OTHER = 0.001  # the p-value below which two samples are taken to be of different populations

_VERDICTS = {True: "kept", False: "not kept", None: "not enough data to tell"}
_MEASURES = {
    "precision": "precision",
    "recall": "recall",
    "flagged_share": "fraction flagged",
    "flagged_mass": "flagged weight",
    "found_mass": "positive weight",
}


class Estimate(NamedTuple):
    """A fraction, or an amount, with its confidence interval."""

    value: float
    low: float
    high: float

    def times(self, whole: float) -> Estimate:
        return Estimate(*(float(part * whole) for part in self))

    def __str__(self) -> str:
        return f"{self.value:.3f} ({ends(self.low, self.high)})"


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdCheck(Result):
    """Result of `point.check()`: what a threshold does on new data.

    It prints as a few sentences.

    Attributes
    ----------
    precision, recall, flagged_share : tuple
        Each has `value`, `low` and `high`, the ends of its confidence interval. With weights, they
        are fractions of weight.
    n_samples, n_flagged, true_positives : int
        How many samples there are, how many are flagged, and how many of these are positive.
    flagged_mass, found_mass : tuple or None
        With weights, the total weight of the flagged samples, and of the positives among them.
    targets : dict
        The values of the targets, by their names "min_recall" and "min_precision", and "k" if it
        was chosen as a budget for each group.
    kept : dict
        Whether each target was kept: True or False, or None if there isn't enough data to tell. A
        budget with `quantile` is judged by the confidence interval of the fraction of groups within
        it, and one without by that of the mean over groups. Groups without samples don't count.
    is_kept : bool or None
        False if a target was broken, otherwise None if the data can't decide or there is none,
        otherwise True.
    notes : tuple of Note
        What else there is to say, each with a `code` and a `text`, such as signs that these samples
        come from a different population than those on which the threshold was chosen, or aren't
        weighted alike.
    confidence_level : float
        The probability with which each interval contains the true value.
    flagged_per_group : dict or None
        With groups, the number of flagged samples in each group.
    n_within : int or None
        With groups and a budget for each of them, the number of groups that stay within it.
    groups_over : dict or None
        The number of flagged samples, or with weights that k counts, their weight, in each group
        that exceeds the budget.
    threshold : float or int
        The threshold.
    quantile : float or None
        The fraction of groups in which the budget must suffice, if the threshold was chosen so.
    mean_per_group : tuple or None
        With a budget for the mean of groups, what is flagged in a group on average, with `low` and
        `high`. If the threshold was chosen by this budget, the interval is wider, because the
        groups that chose it were a sample, too.

    See Also
    --------
    OperatingPoint.check : Check a threshold on new data.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [1, 0, 1, 1, 0, 0]
    >>> y_score = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    >>> point = ap.operating_point(y_true, y_score, min_recall=0.6)
    >>> check = point.check([1, 0, 0, 1], [0.7, 0.3, 0.8, 0.5])
    >>> check.recall.value, check.kept
    (0.5, {'min_recall': None})
    """

    precision: Estimate
    recall: Estimate
    flagged_share: Estimate
    n_samples: int
    n_flagged: int
    true_positives: int
    flagged_mass: Estimate | None
    found_mass: Estimate | None
    kept: dict[str, bool | None]
    confidence_level: float
    targets: dict[str, float] = field(repr=False)
    flagged_per_group: dict[Any, int] | None = field(default=None, repr=False)
    n_within: int | None = None
    groups_over: dict[Any, float] | None = field(default=None, repr=False)
    quantile: float | None = field(default=None, repr=False)
    threshold: Any = field(default=None, repr=False)
    mean_per_group: Estimate | None = None
    notes: tuple[Note, ...] = ()

    @property
    def is_kept(self) -> bool | None:
        """False if a target was broken, True if there are targets and all were kept, else None."""
        return in_all(self.kept.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the values as a dict that can be stored as JSON.

        Undefined values are None, and numbers of groups are lists of [name, number].
        """
        found = super().to_dict() | {"threshold": self.threshold, "quantile": self.quantile}
        found |= {name: self.targets.get(name) for name in ("min_recall", "min_precision", "k")}
        found["groups_over"], _ = write_counts(self.groups_over)
        found["flagged_per_group"], found["group_type"] = write_counts(self.flagged_per_group)
        return dict(in_json(found))

    def _as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in super()._as_dict().items():
            if isinstance(value, Estimate):
                found |= {name: value.value, f"{name}_low": value.low, f"{name}_high": value.high}
            elif isinstance(value, dict):
                found |= {f"{target}_kept": each for target, each in value.items()}
            else:
                found[name] = value
        return found | {"is_kept": self.is_kept}

    def _printed(self) -> Printed:
        rows = [
            (words, f"{found.value:,.3f}", f"{found.low:,.3f} to {found.high:,.3f}")
            for name, words in _MEASURES.items()
            if (found := getattr(self, name)) is not None
        ]
        header = f"measure{self._by_weight}", "value", level_of(self)
        return Printed(header, [("", "", rows)], self._counts, [*self._notes()])

    def __str__(self) -> str:
        found = (
            f"With {level_of(self)}s{self._by_weight}: precision {self.precision}, "
            f"recall {self.recall}, fraction flagged {self.flagged_share}."
        )
        return "\n".join(map(paragraph, [self._counts, found, *self._notes()]))

    @property
    def _by_weight(self) -> str:
        return "" if self.flagged_mass is None else ", by weight"

    @property
    def _counts(self) -> str:
        are = ["is" if number == 1 else "are" for number in (self.n_flagged, self.true_positives)]
        return (
            f"Of {self.n_samples:,} new samples, {self.n_flagged:,} {are[0]} flagged, and "
            f"{self.true_positives:,} of these {are[1]} positive."
        )

    def _notes(self) -> Iterator[str]:
        for name, target in self.targets.items():
            what = f"{name.removeprefix('min_').capitalize()} of at least {target:g}"
            verdict = _VERDICTS[self.kept[name]]
            if name == "k":
                part = self.quantile
                where = "on average" if part is None else f"in {100 * part:g}% of groups"
                what = f"At most k={target} per group {where}"
                if self.flagged_per_group is None:
                    verdict = "can't be told without groups"
            yield f"{what}: {verdict}."
        if not self.targets:
            yield "The threshold was chosen without a target, so there is none to keep."
        yield from (f"Note: {text}" for text in printed_notes(self.notes))
        if self.flagged_per_group is not None:
            flagged = self.flagged_per_group.values()
            mean = f"{sum(flagged) / len(flagged):,.2f} on average"
            if (per_group := self.mean_per_group) is not None:
                each = ends(per_group.low, per_group.high, 2)
                mean = f"{per_group.value:,.2f} on average ({level_of(self)} {each})"
            within = ""
            if self.n_within is not None:
                stay = "stays" if self.n_within == 1 else "stay"
                within = f" {self.n_within:,} of these groups {stay} within the budget."
            yield (
                f"In {len(flagged):,} groups, {min(flagged):,} to {max(flagged):,} samples are "
                f"flagged per group, {mean}.{within}"
            )
        if self.groups_over:
            over = [f"{text_of(name)} ({n:,})" for name, n in self.groups_over.items()]
            more = f", and {len(over) - _MOST_SHOWN:,} more" if len(over) > _MOST_SHOWN else ""
            yield f"Groups over the budget: {', '.join(over[:_MOST_SHOWN])}{more}."


def of_same_class(check: Callable[..., T]) -> Callable[..., T]:
    """Let a check without a positive class take that of the threshold."""

    @wraps(check)
    def checking(point: Point, *args: Any, **given: Any) -> T:
        if given.get("pos_label") is None:
            request = point.source.request
            given["pos_label"] = request.pos_label
            if given.get("min_grade") is None and request.min_grade is not None:
                given["min_grade"] = request.min_grade
        return check(point, *args, **given)

    return checking


ThresholdCheck.__module__ = "sklearn_ap.thresholds"  # where users find it


# Kinds of samples are the cells of a table: negatives and positives in its rows, unflagged and
# flagged samples in its columns. A part of the samples is a mask of cells.
POSITIVE = np.array([[False, False], [True, True]])
_FLAGGED = np.array([[False, True], [False, True]])
_FOUND, _MISSED, _WRONG = POSITIVE & _FLAGGED, POSITIVE & ~_FLAGGED, ~POSITIVE & _FLAGGED
_ALL = np.ones((2, 2), dtype=bool)


class KindSums(NamedTuple):
    """What the samples of each kind add up to: for all samples, or in each cluster.

    The arrays have the shape (n_clusters, 2, 2), where all samples are like one cluster.
    """

    rows: Array  # how many samples there are
    mass: Array  # their weights, divided by a power of two, because squares of large ones overflow
    squares: Array  # of these
    exponent: int = 0  # of that power
    by_cluster: bool = False

    def count(self, part: Array) -> int:
        """Count the samples of a part."""
        return int(self.rows[:, part].sum())

    def size(self, part: Array) -> float:
        """Return the typical mass of a sampling unit in a part of the samples; 0 if it is empty."""
        mass = _sums_of_part(self.mass, part)
        if not self.by_cluster:
            whole = mass.sum()
            return float(_sums_of_part(self.squares, part).sum() / whole) if whole else 0.0
        kinds = mass.reshape(-1, np.count_nonzero(part)).T
        in_clusters = sum(kinds, np.zeros(len(self.mass)))
        whole = in_clusters.sum()
        return float(in_clusters @ in_clusters / whole) if whole else 0.0

    def estimate(
        self, part: Array, other: Array, error: float, unseen: float = 0.0, heavier: float = 1.0
    ) -> Estimate:
        """Compute the fraction that one part is of both, with its interval.

        Its ends are too early with a probability of `error` each.
        """
        found = _sums_of_part(self.mass, part).sum()
        rest = _sums_of_part(self.mass, other).sum() + unseen
        if not found + rest:
            return Estimate(np.nan, 0.0, 1.0)
        # Positives that weren't seen may be all there are.
        size = self.size(part) or self.size(part | other) or self.size(_ALL) or 1.0
        masses = np.array([found]), np.array([rest])
        evidence = Trials(*masses, size, max(self.size(other), size * heavier))
        low, high = evidence.limits(error)
        return Estimate(float(found / (found + rest)), low.item(), high.item())


def _sums_of_part(sums: Array, part: Array) -> Array:
    """Return the sums of a part of the kinds, cluster by cluster."""
    found: Array = sums[np.broadcast_to(part, sums.shape)]
    return found


class Kinds(NamedTuple):
    """What is known of new samples."""

    sums: KindSums
    first: First  # of all of them
    equal_weights: bool  # whether all positives weigh the same
    exist: Array | None  # how many positives there are, if the caller said so
    n_groups: int | None
    flagged_in: dict[Any, int] | None  # how many samples of each group are flagged
    amounts_in: Mapping[Any, float] | None  # what counts of that if k is a budget


def judged(
    point: Point, confidence_level: float, kinds: Kinds, model: str | None = None
) -> ThresholdCheck:
    """Say what a threshold does on new samples, and whether its targets are kept.

    `model` is the name of their prediction scores, if they have one.
    """
    sums, first, error = kinds.sums, kinds.first, (1 - confidence_level) / 2
    unseen = 0.0 if kinds.exist is None else kinds.exist.item() - first.found
    scale = 2.0**sums.exponent
    recall = sums.estimate(_FOUND, _MISSED, error, unseen / scale)
    of_positives = np.broadcast_to(POSITIVE, sums.mass.shape)
    heavier = heavier_class(of_positives, sums.mass, sums.squares)
    precision = sums.estimate(_FOUND, _WRONG, error, heavier=heavier)
    share = sums.estimate(_FLAGGED, ~_FLAGGED, error)
    request, n_groups, weighted = point.source.request, kinds.n_groups, first.seen.weighted
    targets: dict[str, Any] = request.shares
    estimates = {"min_recall": recall, "min_precision": precision}
    kept = {name: _is_kept(estimates[name], target) for name, target in targets.items()}
    n_within, over, per_group = None, None, None
    if request.is_budget(point.n_groups is not None):
        targets |= {"k": int(request.k)}
        kept["k"] = None
        if n_groups and kinds.amounts_in is not None:
            kept["k"], over, per_group = _budget_kept(point, kinds.amounts_in, error)
            n_within = n_groups - len(over)
    return ThresholdCheck(
        precision,
        recall,
        share,
        n_samples=sums.count(_ALL),
        n_flagged=sums.count(_FLAGGED),
        true_positives=sums.count(_FOUND),
        flagged_mass=share.times(first.size) if weighted else None,
        found_mass=recall.times(first.found + unseen) if weighted else None,
        kept=kept,
        confidence_level=confidence_level,
        targets=targets,
        flagged_per_group=kinds.flagged_in,
        n_within=n_within,
        groups_over=over,
        quantile=request.quantile,
        threshold=point.threshold,
        mean_per_group=per_group,
        notes=tuple(_population_notes(point, model, kinds)),
    )


def _budget_kept(
    point: Point, numbers: Mapping[Any, float], error: float
) -> tuple[bool | None, dict[Any, float], Estimate | None]:
    """Return whether a budget was kept, what is flagged in each group that exceeds it, and for a
    budget that is a mean, what is flagged in a group on average.
    """
    request, n_groups = point.source.request, len(numbers)
    is_whole = all(isinstance(number, int) for number in numbers.values())
    most = request.k * (1 if is_whole else ENOUGH)
    over = {name: number for name, number in numbers.items() if number > most}
    if request.quantile is None:
        n_chosen = point.n_groups if request.threshold is None else None
        unit = 1.0 if is_whole else None
        found = _mean_per_group(np.array([*numbers.values()], float), n_chosen, error, unit)
        is_kept = None if found.low <= most < found.high else found.high <= most
        return is_kept, over, found
    within = np.array([n_groups - len(over)])
    low, high = Trials(within, n_groups - within).limits(error)
    part = Estimate(within.item() / n_groups, low.item(), high.item())
    return _is_kept(part, request.quantile), over, None


def _mean_per_group(
    numbers: Array, n_chosen: int | None, error: float, unit: float | None
) -> Estimate:
    """Compute the mean number of flagged samples in a group, with its interval.

    A threshold that the same budget has chosen flags exactly k on average in `n_chosen` groups, of
    which the mean of all groups differs by as much as it differs from that of as many new groups.
    """
    size, center = numbers.size, float(numbers.mean())
    if np.ptp(numbers):
        deviation = float(numbers.std(ddof=1)) / sqrt(size)
        deviation *= sqrt(1 + size / n_chosen) if n_chosen else 1.0
        reach = float(stdtrit(size - 1, 1 - error)) * deviation
        return Estimate(center, max(center - reach, 0.0), center + reach)
    # Equal numbers don't tell how much groups differ, so they are taken for counts of events: of
    # flagged samples, or of weights of which each group has one.
    unit = center if unit is None else unit
    total = center * size / (unit or 1.0)
    low = float(gammaincinv(total, error)) if total else 0.0
    high = float(gammaincinv(total + 1, 1 - error))
    return Estimate(center, low * unit / size, high * unit / size)


def in_all(verdicts: Iterable[bool | None]) -> bool | None:
    """Sum up: False if a target was broken, otherwise None if the data can't decide or there is
    none, otherwise True.
    """
    each = [*verdicts]
    return False if False in each else None if None in each or not each else True


def _is_kept(found: Estimate, target: float) -> bool | None:
    return None if found.low < target <= found.high else found.low >= target


def _as_if_equal(n_positives: float, n_samples: float, share: float) -> tuple[float, float]:
    """Return as many positives and samples of equal weights as say as much about their share."""
    n_negatives = n_samples - n_positives
    if not share or not n_negatives:
        return n_positives, n_samples
    number = n_positives * n_negatives / n_samples
    return number, number / share


def _population_notes(point: Point, model: str | None, kinds: Kinds) -> Iterator[Note]:
    """Say what differs too much from the samples that chose the threshold.

    Given the sum of two rare counts, each of them is binomial. Weights such as those of a
    prevalence let subsampled negatives stand for all, so they are allowed on one side only. The
    fraction of positives is then compared by weight. The number of flagged rows can't be compared.
    """
    source, sums = point.source, kinds.sums
    if source.scores and model and source.scores != model:
        yield Note(
            "other_scores",
            f"the threshold was chosen on the scores of {source.scores!r}, but is checked on those "
            f"of {model!r}.",
        )
    was_weighted, is_weighted = point.flagged_mass is not None, kinds.first.seen.weighted
    have_equal = source.equal_weights and kinds.equal_weights
    if is_weighted != was_weighted and not have_equal:
        chosen, here = ("with", "without") if not is_weighted else ("without", "with")
        yield Note(
            "other_weights",
            f"the threshold was chosen {chosen} weights, but is checked {here} them, so the "
            "targets may have a different meaning here.",
        )
        return
    n_before, n_now, n_samples = source.n_positives, sums.count(POSITIVE), sums.count(_ALL)
    n_missed_before = n_before - point.true_positives
    samples_before: tuple[float, float] = n_before, point.n_samples
    samples_now: tuple[float, float] = n_now, n_samples
    by_weight = have_equal and (is_weighted or was_weighted)
    if by_weight:
        samples_before = _as_if_equal(*samples_before, source.positive_share)
        samples_now = _as_if_equal(*samples_now, kinds.first.found / (kinds.first.size or 1))
    before_and_now: dict[str, tuple[tuple[float, float], Array, tuple[float, float]]] = {
        "are positive": (samples_before, POSITIVE, samples_now),
        "are flagged": (
            (point.n_flagged, point.n_samples),
            _FLAGGED,
            (sums.count(_FLAGGED), n_samples),
        ),
        "of the positives are missed": (
            (n_missed_before, n_before),
            _MISSED,
            (sums.count(_MISSED), n_now),
        ),
    }
    if by_weight:
        del before_and_now["are flagged"]
    by_row = sums._replace(mass=sums.rows, squares=sums.rows)
    for what, ((before, of_before), is_one, (now, of_now)) in before_and_now.items():
        size = by_row.size(is_one) or 1.0
        one, other, share = now / size, before / size, of_now / ((of_now + of_before) or 1)
        more = betainc(one, other + 1, share) if one else 1.0
        less = betainc(other, one + 1, 1 - share) if other else 1.0
        if 2 * min(more, less) < _OTHER:
            here, there = (f"{100 * each:.3g}%" for each in (now / of_now, before / of_before))
            yield Note(
                "other_population",
                f"{here} {what}, compared with {there} where the threshold was chosen, so these "
                "samples seem to come from a different population.",
            )


class NewRows(NamedTuple):
    """Samples in memory for which a threshold is chosen, or on which it is measured."""

    samples: Rankings
    seen: Seen
    n_positives: NPositives  # of all data, or by group
    cluster: Array | None  # the number of each sample's cluster, if the caller passed clusters

    def at(self, places: Array, n_positives: NPositives) -> Self:
        """Return some samples with the groups and clusters that they belong to."""
        cluster = self.cluster
        if cluster is not None:
            _, cluster = np.unique(cluster[places], return_inverse=True)
        samples = samples_at(self.samples, places)
        return self._replace(samples=samples, n_positives=n_positives, cluster=cluster)


def read_new_rows(inputs: Inputs) -> NewRows:
    samples, seen = read_ranking(inputs)
    n_positives, pairs = split_n_positives(inputs.n_positives, inputs.groups, inputs.clusters)
    cluster = None
    if inputs.clusters is not None:
        of_all = pairs if inputs.groups is None else None
        cluster = read_clusters(inputs.clusters, samples, of_all)[0].of
    return NewRows(samples, seen, n_positives, cluster)


def existing(
    first: First, n_positives: Any, found_in: Amounts | None
) -> tuple[Array | None, int | None]:
    """Return how many positives exist, if the caller said so, and how many groups have rows, of
    which the positives that were found in each are known.

    A group that only `n_positives` names says nothing about how many rows are flagged in a group.
    """
    seen = first.seen
    by_group = found_in is not None and is_mapping(n_positives)
    exist = check_seen(seen, first.found, Step(), n_positives, by_group)
    if found_in is None or not by_group:
        return exist, None if found_in is None else len(found_in[0])
    names, found = found_in
    known, place, exist_in = name_all_groups(as_list(names), n_positives, seen.weighted)
    found_in_all = np.zeros(len(known), dtype=found.dtype)
    found_in_all[place] = found
    check_found(exist_in, found_in_all, seen.weighted, known)
    return exist_in.sum(keepdims=True), len(names)


def warn_if_narrow(scores: Array, numbers: Array, threshold: Array) -> None:
    """Warn if arrays of narrow floats flag other samples, because they round the threshold.

    `numbers` has how many samples have each of the scores.
    """
    if scores.dtype.kind == "f" and scores.dtype.itemsize < 8 and threshold.dtype == np.float64:
        with np.errstate(over="ignore"):
            rounded = threshold.astype(scores.dtype)
        flagged = are_flagged(scores, threshold), scores >= rounded
        exact, here = (int(numbers[each].sum()) for each in flagged)
        if exact != here:
            given = repr(threshold[0].item())
            warn(
                f"threshold={given} flags {exact:,} samples if it is compared exactly, as here, "
                f"but {here:,} if an array of {scores.dtype} compares, which rounds it first. To "
                f"flag the same samples everywhere, pass np.{scores.dtype}({given})."
            )


def check_all(point: Point, confidence_level: float, inputs: Inputs) -> ThresholdCheck:
    """Measure a threshold on new samples."""
    if inputs.has_rows:
        kinds = measured(point, read_new_rows(inputs))
    else:
        engine = inputs.chunks
        task = partial(measuring, point, inputs.n_positives, engine.grouped, engine.weighted)
        (kinds,) = run_models(lambda _: task(), inputs).values()
    return judged(point, confidence_level, kinds, name_in(inputs, "y_score"))


def measured(point: Point, rows: NewRows) -> Kinds:
    """Add up what a threshold does on samples in memory."""
    samples, seen, n_positives, cluster = rows
    grouped = samples.group is not None
    return run_on(measuring(point, n_positives, grouped, seen.weighted, cluster), samples, seen)


def measuring(
    point: Point,
    n_positives: Any,
    grouped: bool,
    weighted: bool,
    cluster: Array | None = None,
) -> Task[Kinds]:
    threshold = np.array([point.threshold])
    jobs = {
        "weights": Job(weigh, extremes),
        "kinds": Job(sum_kinds, join_kinds, (threshold, cluster)),
    }
    if grouped:
        jobs["found"] = Job(found_in_groups, join_amounts)
        jobs["flagged"] = Job(flagged_in_groups, join_amounts, (threshold,))
        if weighted and point.source.request.k_counts != "samples":  # of new samples
            jobs["amounts"] = Job(flagged_weight_in_groups, join_amounts, (threshold,))
    first, found = yield jobs
    check_counted(first.seen)
    exist, n_groups = existing(first, n_positives, found.get("found"))
    flagged_in, amounts_in = None, None
    if grouped:
        flagged_in = amounts_in = by_name(*found["flagged"])
    if "amounts" in found:
        amounts_in = by_name(*found["amounts"])
    return Kinds(
        found["kinds"],
        first,
        equal_weights=len({*found["weights"]}) < 2,
        exist=exist,
        n_groups=n_groups,
        flagged_in=flagged_in,
        amounts_in=amounts_in,
    )


def sum_kinds(samples: Rankings, threshold: Array, cluster: Array | None) -> KindSums:
    """Add up the samples of each kind. `cluster` has the number of each sample's cluster."""
    by_cluster = cluster is not None
    n_clusters = 1
    kind = 2 * samples.labels + are_flagged(samples.scores, threshold)  # the place of its cell
    if cluster is not None:
        n_clusters = int(cluster.max(initial=-1)) + 1
        kind = kind + 4 * cluster
    shape = n_clusters, 2, 2
    rows = np.bincount(kind, minlength=4 * n_clusters).reshape(shape)
    if samples.weight is None:
        return KindSums(rows, rows.astype(float), rows.astype(float), by_cluster=by_cluster)
    exponent = int(np.frexp(samples.weight.max(initial=0))[1])
    weight = np.ldexp(samples.weight.astype(float), -exponent)
    mass = np.bincount(kind, weight, 4 * n_clusters).reshape(shape)
    squares = np.bincount(kind, weight * weight, 4 * n_clusters).reshape(shape)
    return KindSums(rows, mass, squares, exponent, by_cluster)


def join_kinds(parts: list[KindSums]) -> KindSums:
    """Add up the sums of several chunks, divided by the largest of their powers of two."""
    exponent = max([part.exponent for part in parts if part.rows.any()], default=0)
    rows = np.sum([part.rows for part in parts], axis=0)
    mass = np.sum([np.ldexp(part.mass, part.exponent - exponent) for part in parts], axis=0)
    squares = np.sum(
        [np.ldexp(part.squares, 2 * (part.exponent - exponent)) for part in parts], axis=0
    )
    return KindSums(rows, mass, squares, exponent)
