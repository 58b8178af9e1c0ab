"""A threshold on new data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from math import isnan, nan, sqrt
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from scipy.special import betainc, gammaincinv, stdtrit

from .._inputs.records import Inputs
from .._package import read_toml
from .._read.tables import find_column_name, list_columns_and_index, list_role_columns
from .._show.results import (
    READER_OPTIONS,
    Measurement,
    Note,
    Printed,
    format_ends,
    format_level,
    format_verdict_column,
    sort_notes,
    to_json,
    write_notes,
)
from .._words.parameters import format_name
from ..core.exact_scores import are_flagged
from ..core.ragged import Array
from ..core.rankings import Rankings
from ..core.spread import compute_unit_mass
from ..core.tolerances import SUM_TOLERANCE
from .measured_rows import MeasuredRows, count_flagged_in_groups
from .point import Choice, Point, find_remembered_names
from .promises import BinomialEvidence, compare_classes
from .rounding import Doubt

T = TypeVar("T", bound=Callable[..., Any])

_MAX_NAMED_GROUPS = 10  # groups over a budget
# The p-value below which two samples are taken to be of different populations
_SIGNIFICANCE_OF_CHANGE = 0.001

_OR_LATE_LABELS = ", or labels come late: check only rows that are older than the delay."
VERDICTS = {True: "met", False: "not met", None: "unclear"}


class Estimate(NamedTuple):
    """A fraction, or an amount, with its confidence interval."""

    value: float
    low: float
    high: float

    def times(self, total: float) -> Estimate:
        """Return the amount that the fraction is of a total."""
        return Estimate(*(float(fraction * total) for fraction in self))

    def __str__(self) -> str:
        return f"{self.value:.3f} ({format_ends(self.low, self.high)})"


def _to_columns(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a check as columns: three for each estimate, and one for each target."""
    columns: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, Estimate):
            columns[name] = value.value
            columns[f"{name}_low"] = value.low
            columns[f"{name}_high"] = value.high
        elif name == "kept":
            columns |= {f"{target}_kept": is_kept for target, is_kept in value.items()}
        else:
            columns[name] = value
    return columns


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdCheck(Measurement):
    """Result of `point.check()`: what a threshold does on new data.

    It prints as a table of measures.

    Attributes
    ----------
    precision, recall, flagged_share : tuple
        Each has a `value`, and `low` and `high`, the ends of its confidence interval. With weights,
        they are fractions of weight.
    n_samples, n_flagged, true_positives : int
        How many samples there are, how many are flagged, and how many of these are positive.
    flagged_mass, found_mass : tuple or None
        With weights, the total weight of the flagged samples, and of the positives among them.
    targets : dict
        The targets by name: "min_recall", "min_precision", and "k" if the threshold was chosen for
        a budget per group.
    kept : dict
        Whether each target was kept: True or False, or None if there isn't enough data to tell. A
        budget is judged by the confidence interval of the mean over groups. Groups without
        samples don't count.
    is_kept : bool or None
        False if a target was missed, otherwise None if the data can't decide or there is no target,
        otherwise True.
    notes : tuple of Note
        Remarks, each with a `code` and a `text`; for example, signs that these samples come from a
        different population than the samples that the threshold was chosen on, or are weighted
        differently, or how many of them may be flagged only because scores are rounded differently.
    confidence_level : float
        The probability that each interval contains the true value.
    flagged_per_group : dict or None
        With groups, the number of flagged samples in each group.
    n_within : int or None
        With a budget per group, the number of groups that stay within it.
    groups_over : dict or None
        For each group that exceeds the budget, the number of flagged samples, or their weight if k
        counts weight.
    threshold : float or int
        The threshold.
    as_chosen : dict
        What the check has taken over from the choice: names of columns, and `min_grade`.
    mean_per_group : tuple or None
        With groups, the average that is flagged per group, with `low` and `high`, which are nan
        unless the budget is one for the mean. If the threshold was chosen for this budget, the
        interval is wider, because the groups that the threshold was chosen on were a sample, too.

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
    threshold: Any = field(default=None, repr=False)
    mean_per_group: Estimate | None = None
    notes: tuple[Note, ...] = ()
    as_chosen: dict[str, Any] = field(default_factory=dict, kw_only=True, repr=False, compare=False)

    @property
    def is_kept(self) -> bool | None:
        """False if a target was missed, True if there are targets and all were kept, else None."""
        return _summarize_verdicts(self.kept.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the values as a dict that can be stored as JSON.

        Undefined values are None, and numbers of groups are lists of [name, number].
        """
        values = super().to_dict() | {"threshold": self.threshold}
        values |= {name: self.targets.get(name) for name in ("min_recall", "min_precision", "k")}
        values["as_chosen"] = self.as_chosen
        for name in ("groups_over", "flagged_per_group"):
            counts = getattr(self, name)
            values[name] = None if counts is None else [*counts.items()]
        return dict(to_json(values))

    def _as_dict(self) -> dict[str, Any]:
        return _to_columns(super()._as_dict()) | {"is_kept": self.is_kept}

    def _printed(self) -> Printed:
        by_weight = "" if self.flagged_mass is None else ", by weight"
        header = [f"measure{by_weight}", "value", format_level(self)]
        if self.targets:
            header += ["target", format_verdict_column(self)]
        rows = []
        for name, words in read_toml("_words/messages.toml")["measures"].items():
            estimate = getattr(self, name)
            if estimate is not None:  # as the masses are without weights
                rows.append([words, *self._format(estimate, 3, f"min_{name}", "at least")])
        per_group = self.mean_per_group
        if per_group is None and "k" in self.targets:  # which only groups can tell
            per_group = Estimate(nan, nan, nan)
        if per_group is not None:
            rows.append(["flagged per group", *self._format(per_group, 2, "k", "at most")])
        flagged = f"{self.n_flagged:,} of {self.n_samples:,} new samples flagged"
        title = f"{flagged}, {self.true_positives:,} of them positive"
        said = [*_describe_choice(self.as_chosen), *self._list_groups_over()]
        return Printed(header, [("", "", rows)], title, said, write_notes(self.notes))

    def _format(self, estimate: Estimate, places: int, target: str, words: str) -> list[str]:
        """Format an estimate, and if there are targets, its own and whether it was met."""
        value, low, high = estimate
        cells = ["" if isnan(value) else f"{value:,.{places}f}", format_ends(low, high, places)]
        if target in self.targets:
            cells += [f"{words} {float(self.targets[target]):g}", VERDICTS[self.kept[target]]]
        elif self.targets:
            cells += ["", ""]
        return cells

    def _list_groups_over(self) -> Iterator[str]:
        if self.groups_over and self.flagged_per_group:
            groups = [f"{format_name(name)} ({n:,})" for name, n in self.groups_over.items()]
            if len(groups) > _MAX_NAMED_GROUPS:
                n_more = len(groups) - _MAX_NAMED_GROUPS
                groups[_MAX_NAMED_GROUPS:] = [f"and {n_more:,} more"]
            number = f"{len(self.groups_over):,} of {len(self.flagged_per_group):,}"
            yield f"Groups over the budget ({number}): {', '.join(groups)}."


def as_chosen(check: T) -> T:
    """Let a check take from the choice of its threshold what isn't passed: the positive class, and
    columns that its table has. False as a column takes none.
    """

    @wraps(check)
    def checking(point: Point, *args: Any, **options: Any) -> Any:
        targets = point.source.targets
        of_choice = _find_remembered_columns(point.source, options)
        if options.get("pos_label") is None:
            options["pos_label"] = targets.pos_label
            of_choice["min_grade"] = targets.min_grade
        named = dict(zip(_LABELS_AND_SCORES, args, strict=False))
        passed = named | options
        taken = {name: value for name, value in of_choice.items() if passed.get(name) is None}
        for role in _WORDS:
            if options.get(role) is False:
                options[role] = None
        _check_read_alike(point, options.get("data"))
        if len(named) == len(args) and not named.keys() & options.keys():
            options, args = passed | options, ()  # else Python says what is wrong
        result = check(point, *args, **options | taken)
        told = {name: taken[name] for name in taken if name not in _LABELS_AND_SCORES}
        told = {name: value for name, value in told.items() if value is not None}
        return replace(result, as_chosen=told)

    return cast(T, checking)  # with the types of its parameters


_LABELS_AND_SCORES = "y_true", "y_score"
_WORDS = {"clusters": "clusters", "groups": "groups", "sample_weight": "weights"}


def _check_read_alike(point: Point, table: Any) -> None:
    """Refuse a table that a reader made with other options than that of the choice."""
    if not hasattr(table, "get_known_arguments"):
        return
    before = {name: value for name, value in point.conditions.items() if name in READER_OPTIONS}
    if before != {**table.conditions}:
        raise ValueError(
            f"The threshold was chosen on a table that was read with {before or 'the default'}, "
            f"but this one with {table.conditions or 'the default'}, which says nothing about the "
            "threshold. Read both with the same options."
        )


def _find_remembered_columns(source: Choice, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of the columns of the choice that the table of a check has, by role."""
    data = options.get("data")
    if data is None or hasattr(data, "get_known_arguments"):  # which a table of a reader knows
        return {}
    names = list_columns_and_index(data) or ()
    of_roles = {"y_true": source.labels, "y_score": source.scores, **source.columns}
    named = {role: list_role_columns(of_role) for role, of_role in of_roles.items() if of_role}
    return {role: of_roles[role] for role in named if {*named[role]} <= {*names}}


def _describe_choice(taken: Mapping[str, Any]) -> Iterator[str]:
    """Say what a check has taken over from the choice of the threshold."""
    parts = []
    if "min_grade" in taken:
        parts.append(f"with grades from {float(taken['min_grade']):g} on as positive")
    for role, word in _WORDS.items():
        if role in taken:
            parts.append(f"with {word} {' and '.join(list_role_columns(taken[role]))}")
    if parts:
        yield f"Checked {', '.join(parts)}, as in the choice."


ThresholdCheck.__module__ = "sklearn_ap.thresholds"  # where users find it


# Kinds of samples are the cells of a table: negatives and positives in its rows, unflagged and
# flagged samples in its columns. `cells` are a mask of the table.
_POSITIVE_CELLS = np.array([[False, False], [True, True]])
_FLAGGED_CELLS = np.array([[False, True], [False, True]])
_FOUND_CELLS = _POSITIVE_CELLS & _FLAGGED_CELLS
_MISSED_CELLS = _POSITIVE_CELLS & ~_FLAGGED_CELLS
_WRONG_CELLS = ~_POSITIVE_CELLS & _FLAGGED_CELLS
_ALL_CELLS = np.ones((2, 2), dtype=bool)


class KindSums(NamedTuple):
    """What the samples of each kind add up to: for all samples, or in each cluster.

    The arrays have the shape (n_clusters, 2, 2), where all samples are like one cluster.
    """

    rows: Array  # how many samples there are
    mass: Array  # their weights, divided by a power of two, because squares of large ones overflow
    squares: Array  # of these
    exponent: int = 0  # of that power
    by_cluster: bool = False

    def count(self, cells: Array) -> int:
        """Count the samples in these cells."""
        return int(self.rows[:, cells].sum())

    def sum_mass(self, cells: Array) -> float:
        """Return the mass of the samples in these cells."""
        return float(self.mass[:, cells].ravel().sum())  # in this order, which decides on rounding

    def size(self, cells: Array) -> float:
        """Return the typical mass of a unit among the samples in these cells; 0 without any."""
        if self.by_cluster:
            unit_masses = self.mass[:, cells].sum(axis=1, dtype=float)
            mass, squares = unit_masses.sum(), unit_masses @ unit_masses
        else:
            mass, squares = self.mass[:, cells].sum(), self.squares[:, cells].sum()
        return float(compute_unit_mass(mass, squares))

    @property
    def weight_ratio(self) -> float:
        """How many times as much as a positive a negative weighs."""
        labels = np.broadcast_to(_POSITIVE_CELLS, self.mass.shape)
        return compare_classes(labels, self.mass, self.squares)

    def estimate(
        self,
        cells: Array,
        besides: Array,
        error: float,
        unscored: float = 0.0,
        heavier: float = 1.0,
    ) -> Estimate:
        """Compute which fraction of the mass in both is in `cells`, with its interval.

        Each end of the interval is wrong with a probability of `error`. `unscored` is mass that
        belongs to `besides`, but is in no row. There, units weigh at least `heavier` times as
        much as in `cells`.
        """
        mass, other_mass = self.sum_mass(cells), self.sum_mass(besides) + unscored
        if not mass + other_mass:
            return Estimate(np.nan, 0.0, 1.0)
        # Positives that weren't seen may be all there are.
        size = self.size(cells) or self.size(cells | besides) or self.size(_ALL_CELLS) or 1.0
        other_size = max(self.size(besides), size * heavier)
        evidence = BinomialEvidence(np.array([mass]), np.array([other_mass]), size, other_size)
        low, high = evidence.limits(error)
        return Estimate(mass / (mass + other_mass), low.item(), high.item())


class Kinds(NamedTuple):
    """What is known of new samples."""

    rows: MeasuredRows
    sums: KindSums
    # With groups, how many samples of each group are flagged
    flagged_in: dict[Any, int] | None
    amounts_in: Mapping[Any, float] | None  # what counts of that if k is a budget


def judge_kinds(
    point: Point, confidence_level: float, kinds: Kinds, inputs: Inputs
) -> ThresholdCheck:
    """Say what a threshold does on new samples, and whether its targets are kept."""
    rows, sums, targets = kinds.rows, kinds.sums, point.source.targets
    error = (1 - confidence_level) / 2  # at each end of an interval
    unscored = 0.0  # the mass of positives that exist, but have no row
    if rows.exist is not None:
        unscored = rows.exist.item() - rows.found
    recall = sums.estimate(_FOUND_CELLS, _MISSED_CELLS, error, unscored / 2.0**sums.exponent)
    precision = sums.estimate(_FOUND_CELLS, _WRONG_CELLS, error, heavier=sums.weight_ratio)
    flagged_share = sums.estimate(_FLAGGED_CELLS, ~_FLAGGED_CELLS, error)
    wanted: dict[str, Any] = targets.target_fractions
    estimates = {"min_recall": recall, "min_precision": precision}
    kept = {name: _is_kept(estimates[name], target) for name, target in wanted.items()}
    of_groups: dict[str, Any] = {"flagged_per_group": kinds.flagged_in}
    if kinds.flagged_in:
        mean = float(np.mean([*kinds.flagged_in.values()]))
        of_groups["mean_per_group"] = Estimate(mean, nan, nan)
    if targets.is_budget(point.n_groups is not None):
        wanted["k"], kept["k"] = int(targets.k), None  # which can't be told without groups
        if kinds.amounts_in:
            kept["k"], of_budget = _check_budget(point, kinds.amounts_in, error)
            of_groups |= of_budget
    is_weighted = rows.samples.weight is not None
    return ThresholdCheck(
        precision,
        recall,
        flagged_share,
        n_samples=sums.count(_ALL_CELLS),
        n_flagged=sums.count(_FLAGGED_CELLS),
        true_positives=sums.count(_FOUND_CELLS),
        flagged_mass=flagged_share.times(rows.size) if is_weighted else None,
        found_mass=recall.times(rows.found + unscored) if is_weighted else None,
        kept=kept,
        confidence_level=confidence_level,
        targets=wanted,
        threshold=point.threshold,
        **of_groups,
        notes=sort_notes(_notes_on_choice(point, inputs, kinds)),
    )


def _check_budget(
    point: Point, flagged: Mapping[Any, float], error: float
) -> tuple[bool | None, dict[str, Any]]:
    """Check a budget by what is flagged in each group: how many samples, or their weight. Return
    whether it was kept, None if that can't be told, and what a check says about it.
    """
    targets = point.source.targets
    are_counts = all(isinstance(amount, int) for amount in flagged.values())
    most = targets.k if are_counts else targets.k * (1 + SUM_TOLERANCE)
    groups_over = {name: amount for name, amount in flagged.items() if amount > most}
    n_within = len(flagged) - len(groups_over)
    said = {"n_within": n_within, "groups_over": groups_over}
    # Where precision or recall is the target, k is only a limit.
    is_chosen = targets.threshold is None and not targets.target_fractions
    n_chosen = point.n_groups if is_chosen else None
    unit = 1.0 if are_counts else None
    mean = _estimate_mean_per_group(np.array([*flagged.values()], float), n_chosen, error, unit)
    is_kept = None if mean.low <= most < mean.high else mean.high <= most
    return is_kept, said | {"mean_per_group": mean}


def _estimate_mean_per_group(
    numbers: Array, n_chosen: int | None, error: float, unit: float | None
) -> Estimate:
    """Compute the mean number of flagged samples in a group, with its interval.

    A threshold that the same budget has chosen flags exactly k on average in `n_chosen` groups, of
    which the mean of all groups differs by as much as it differs from that of as many new groups.
    `n_chosen` is None if no budget has chosen it. `unit` is what an event adds to a number, which
    is None for weights.
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


def _summarize_verdicts(verdicts: Iterable[bool | None]) -> bool | None:
    """Sum up: False if a target was missed, otherwise None if the data can't decide or there is no
    target, otherwise True.
    """
    distinct = {*verdicts}
    if False in distinct:
        return False
    return None if None in distinct or not distinct else True


def _is_kept(estimate: Estimate, target: float) -> bool | None:
    """Whether a fraction is at least the target; None if its interval contains the target."""
    if estimate.low >= target:
        return True
    return False if estimate.high < target else None


class Proportion(NamedTuple):
    """So many of so many samples."""

    n: float
    of: float


def _convert_to_equal_weights(n_positives: float, n_samples: float, share: float) -> Proportion:
    """Return as many positives and samples of equal weights as say as much about their share, which
    is that of the positives in the weight.
    """
    n_negatives = n_samples - n_positives
    if not share or not n_negatives:
        return Proportion(n_positives, n_samples)
    number = n_positives * n_negatives / n_samples
    return Proportion(number, number / share)


def _notes_on_choice(point: Point, inputs: Inputs, kinds: Kinds) -> Iterator[Note]:
    """Say what differs too much from the samples that chose the threshold."""
    source, model = point.source, find_column_name(inputs, "y_score")
    yield from _notes_on_missing(source, inputs, kinds.rows.samples)
    if source.scores and model and source.scores != model:
        yield Note(
            "other_scores",
            f"The threshold was chosen on the scores of {source.scores!r}, but is checked on those "
            f"of {model!r}.",
        )
    samples, threshold = kinds.rows.samples, np.array([point.threshold])
    doubt = Doubt.of(samples.scores, point.threshold, source.score_types, source.is_lasting)
    yield from _notes_on_type(doubt)
    was_weighted, is_weighted = point.flagged_mass is not None, samples.weight is not None
    have_equal_weights = source.equal_weights and kinds.rows.have_equal_weights
    if is_weighted != was_weighted and not have_equal_weights:
        chosen, here = ("without", "with") if is_weighted else ("with", "without")
        yield Note(
            "other_weights",
            f"The threshold was chosen {chosen} weights, but is checked {here} them, so the "
            "targets may have a different meaning here.",
        )
        return
    by_weight = have_equal_weights and (is_weighted or was_weighted)
    by_row = kinds.sums._replace(mass=kinds.sums.rows, squares=kinds.sums.rows)
    of_kind = _find_cells(samples.take(doubt.places), threshold)
    rows_in_doubt = np.bincount(of_kind, minlength=4).reshape(2, 2)
    for words, cells, before, now in _compare_proportions(point, kinds, by_weight):
        rows_per_unit = by_row.size(cells) or 1.0
        nearest = _move_doubtful_rows(before, now, cells, rows_in_doubt)
        if _compute_change_pvalue(before, nearest, rows_per_unit) < _SIGNIFICANCE_OF_CHANGE:
            share, chosen_share = now.n / now.of, before.n / before.of
            has_fewer_positives = cells is _POSITIVE_CELLS and share < chosen_share
            yield Note(
                "other_population",
                f"{100 * share:.3g}% {words}, compared with {100 * chosen_share:.3g}% where the "
                "threshold was chosen, so these samples seem to come from a different population"
                f"{_OR_LATE_LABELS if has_fewer_positives else '.'}",
            )


def _notes_on_missing(source: Choice, inputs: Inputs, samples: Rankings) -> Iterator[Note]:
    """Say what the choice had and the check lacks."""
    had = {"n_positives": source.existing, **source.columns}
    has = {"n_positives": inputs.n_positives, **find_remembered_names(inputs)}
    if samples.weight is None:  # then "other_weights" says so if it matters
        has["sample_weight"] = []
    for name, (words, meaning) in read_toml("_words/messages.toml")["lacking"].items():
        if had.get(name) is None or has.get(name) is not None:
            continue
        if name in source.columns and had[name]:
            words += f" ({' and '.join(list_role_columns(had[name]))})"
        text = f"The threshold was chosen with {words}, but is checked without them, {meaning}."
        yield Note("other_data", text)


def _notes_on_type(doubt: Doubt) -> Iterator[Note]:
    """Say how many rows may be flagged by scores of one type, but not by those of the other."""
    n_near = doubt.places.size
    if n_near:
        lie = "row lies" if n_near == 1 else "rows lie"
        yield Note(
            "other_type",
            f"{n_near:,} {lie} within one step of {doubt.step} from the threshold, and the scores "
            "are rounded in another way than where the threshold was chosen, so other samples may "
            "be flagged.",
        )


def _move_doubtful_rows(
    before: Proportion, now: Proportion, cells: Array, rows_in_doubt: Array
) -> Proportion:
    """Return the proportion of the samples in these cells that is nearest to what it was before, if
    those in doubt may be flagged or not. `rows_in_doubt` counts them in each cell.
    """
    if_other = cells[:, ::-1]  # the cells from which samples come that are in these otherwise
    least = now.n - int(rows_in_doubt[cells & ~if_other].sum())
    most = now.n + int(rows_in_doubt[if_other & ~cells].sum())
    expected = before.n / (before.of or 1) * now.of
    return now._replace(n=min(max(expected, least), most))


def _compare_proportions(
    point: Point, kinds: Kinds, by_weight: bool
) -> Iterator[tuple[str, Array, Proportion, Proportion]]:
    """Yield words for each proportion to compare, the cells of the samples in it, and how large it
    was where the threshold was chosen, and is on new samples.

    Weights can let subsampled negatives stand for all, so they are allowed on one side only. The
    fraction of positives is then compared by weight. The number of flagged rows can't be compared.
    """
    source, sums = point.source, kinds.sums
    n_positives, n_samples = sums.count(_POSITIVE_CELLS), sums.count(_ALL_CELLS)
    before = Proportion(source.n_positives, point.n_samples)
    now = Proportion(n_positives, n_samples)
    if by_weight:
        before = _convert_to_equal_weights(*before, source.positive_share)
        now = _convert_to_equal_weights(*now, kinds.rows.found / (kinds.rows.size or 1))
    yield "are positive", _POSITIVE_CELLS, before, now
    if not by_weight:
        before = Proportion(point.n_flagged, point.n_samples)
        now = Proportion(sums.count(_FLAGGED_CELLS), n_samples)
        yield "are flagged", _FLAGGED_CELLS, before, now
    before = Proportion(source.n_positives - point.true_positives, source.n_positives)
    now = Proportion(sums.count(_MISSED_CELLS), n_positives)
    yield "of the positives are missed", _MISSED_CELLS, before, now


def _compute_change_pvalue(before: Proportion, now: Proportion, rows_per_unit: float) -> float:
    """Compute the p-value of the difference between two proportions of rows.

    Given the sum of two rare counts, each of them is binomial, with the fraction of all rows that
    are new as its probability.
    """
    n_before, n_now = before.n / rows_per_unit, now.n / rows_per_unit
    new_fraction = now.of / ((now.of + before.of) or 1)
    at_least = betainc(n_now, n_before + 1, new_fraction) if n_now else 1.0
    at_most = betainc(n_before, n_now + 1, 1 - new_fraction) if n_before else 1.0
    return float(2 * min(at_least, at_most))


def measure_rows(point: Point, rows: MeasuredRows) -> Kinds:
    """Add up what a threshold does on new samples."""
    samples, threshold = rows.samples, np.array([point.threshold])
    flagged_in: dict[Any, int] | None = None
    amounts_in: Mapping[Any, float] | None = None
    if samples.group is not None:
        flagged_in = amounts_in = count_flagged_in_groups(samples, threshold)
        is_weighted = samples.weight is not None
        if is_weighted and point.source.targets.k_counts != "samples":  # of new samples
            amounts_in = count_flagged_in_groups(samples, threshold, by_weight=True)
    return Kinds(rows, sum_kinds(samples, threshold, rows.cluster), flagged_in, amounts_in)


def _find_cells(samples: Rankings, threshold: Array) -> Array:
    """Return the place of each sample's cell. `threshold` is an array of one."""
    return np.asarray(2 * samples.labels + are_flagged(samples.scores, threshold))


def sum_kinds(samples: Rankings, threshold: Array, cluster: Array | None) -> KindSums:
    """Add up the samples of each kind.

    `threshold` is an array of one, and `cluster` has the number of each sample's cluster.
    """
    kind = _find_cells(samples, threshold)
    n_clusters = 1
    if cluster is not None:
        n_clusters = int(cluster.max(initial=-1)) + 1
        kind = kind + 4 * cluster
    shape = n_clusters, 2, 2
    by_cluster = cluster is not None
    rows = np.bincount(kind, minlength=4 * n_clusters).reshape(shape)
    if samples.weight is None:
        return KindSums(rows, rows.astype(float), rows.astype(float), by_cluster=by_cluster)
    exponent = int(np.frexp(samples.weight.max(initial=0))[1])  # so that all are less than 1
    weight = np.ldexp(samples.weight.astype(float), -exponent)
    mass = np.bincount(kind, weight, 4 * n_clusters).reshape(shape)
    squares = np.bincount(kind, weight * weight, 4 * n_clusters).reshape(shape)
    return KindSums(rows, mass, squares, exponent, by_cluster)
