"""What chunks have held, all of them together, and whether that can be one binary target."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..core.rules import Rule
from ..core.segments import Array
from .grades import name_of, positive_class
from .labels import default_pos_label, name_positives
from .parameters import check_ties, shown
from .samples import check_counts, check_found, check_mass, in_one_unit, refuse_mapping

_TIMES = {"M": "datetimes", "m": "timedeltas"}
_NUMBERS = "numbers"
_NOT_TIMES = "no times"


@dataclass(frozen=True, slots=True)
class Seen:
    """What chunks have held, for the checks that need to know of all of them."""

    labels: frozenset[Any] = frozenset()  # no grades
    n_samples: int = 0
    n_counted: int = 0  # those whose weight is not 0
    weighted: bool = False
    scores: tuple[Array, ...] = ()  # one of each dtype: the ends of times, no numbers
    mass: float = 0.0
    lightest: float | None = None  # what the lightest sample weighs; None without weights
    groups: frozenset[str] = frozenset()  # the dtypes of times

    def join(self, other: Self) -> Self:
        lightest = [each.lightest for each in (self, other) if each.lightest is not None]
        return type(self)(
            labels=self.labels | other.labels,
            n_samples=self.n_samples + other.n_samples,
            n_counted=self.n_counted + other.n_counted,
            weighted=self.weighted or other.weighted,
            scores=_join_ends(self.scores + other.scores),
            mass=self.mass + other.mass,
            lightest=min(lightest, default=None),
            groups=self.groups | other.groups,
        )

    @property
    def sample_weight(self) -> Array | None:
        """What is still known of the weights: that of the lightest sample."""
        return None if self.lightest is None else np.array([self.lightest])

    @property
    def sorted_labels(self) -> list[Any]:
        return sorted(self.labels, key=lambda label: (isinstance(label, str), label))


def check_together(seen: Seen, pos_label: Any) -> None:
    """That chunks can be one binary target with its scores."""
    check_mass(seen.mass)
    _check_comparable(seen.scores)
    _check_one_dtype(seen.groups)
    labels = seen.sorted_labels
    texts = sum(isinstance(label, str) for label in labels)
    if 0 < texts < len(labels):
        raise ValueError(f"Mix of label input types (string and number) in y_true: {labels}.")
    if len(labels) > 2:
        raise ValueError(
            f"y_true holds more than two labels, {labels[:5]}, but it must be binary here. "
            "Score one class at a time, as y_true == label with its column of y_score. For grades, "
            "pass min_grade, the lowest one that counts as positive."
        )
    name_seen(seen, pos_label)


def name_seen(seen: Seen, pos_label: Any) -> str:
    """What the positives are called."""
    labels = seen.sorted_labels
    return name_positives(labels, pos_label) if labels else name_of(pos_label)


def check_seen(
    seen: Seen, found: float, rule: Rule, n_positives: Any, by_group: bool = False
) -> Array | None:
    """That a rule can score chunks with this mass of positives; how many exist, if it is said."""
    if seen.n_samples or n_positives is None:
        check_counted(seen)
    check_ties(rule.ties, seen.weighted)
    if n_positives is None or by_group:
        return None
    refuse_mapping(n_positives)
    if np.ndim(n_positives) != 0:
        raise ValueError(f"n_positives must be one number here, got {shown(n_positives)}.")
    exist = check_counts([n_positives], None, seen.weighted)
    return check_found(exist, np.array([found]), seen.weighted)


def check_curve_seen(seen: Seen, pos_label: Any) -> None:
    """That it is plain which label is positive, where none is named."""
    if pos_label is None:
        default_pos_label(seen.sorted_labels)


def check_counted(seen: Seen) -> None:
    if not seen.n_samples:
        raise ValueError("Found array with 0 sample(s) in y_true while a minimum of 1 is required.")
    if not seen.n_counted:
        raise ValueError("Sample weights must contain at least one non-zero number.")


def check_new_groups(before: Seen, now: Seen, names: Sequence[Any], known: Container[Any]) -> None:
    """That chunks of a stream bring whole groups, or that none of them brings any."""
    if before.n_samples and now.n_samples and bool(before.groups) != bool(now.groups):
        raise ValueError(
            "groups must be passed in all updates, or in none: a group cannot be told from samples "
            "without one."
        )
    if now.groups and before.n_samples and now.n_samples and before.weighted != now.weighted:
        raise ValueError(
            "With groups, sample_weight must be passed in all updates, or in none. Pass ones where "
            "samples count once."
        )
    for name in names:
        if name in known:
            raise ValueError(
                f"The group {name!r} was in an earlier update. Each update must bring all samples "
                "of its groups, as their ranking is finished with it."
            )


def check_mergeable(ours: Any, theirs: Any) -> None:
    if not isinstance(theirs, type(ours)):
        raise TypeError(f"Only a {type(ours).__name__} can be merged, got {theirs!r}.")
    here, there = (positive_class(each.pos_label, each.min_grade) for each in (ours, theirs))
    if here != there:
        raise ValueError(
            f"The two have different positive labels: {name_of(here)} here and {name_of(there)} "
            "there."
        )


def check_exact(exact: bool, max_bins: int | None) -> None:
    if not exact:
        raise ValueError(
            f"The score is not known exactly: there were more scores than max_bins"
            f"{'' if max_bins is None else f'={max_bins}'}, so scores share bins. bounds() says "
            "between which numbers it lies. max_bins=None remembers every score."
        )


def check_remembers_all(max_bins: int | None) -> None:
    if max_bins is not None:
        raise ValueError(
            f"groups are only for a stream that remembers every score: use max_bins=None instead "
            f"of max_bins={max_bins}."
        )


def check_one_stream(groups: Any) -> None:
    if groups is not None:
        raise ValueError("bounds() is for one ranking. With groups, result() is exact.")


def check_bounded(rule: Rule, weighted: bool) -> None:
    """That there are bounds when scores share bins."""
    if not rule.has_bounds:
        raise ValueError(f"{rule.label} has no bounds if scores share bins.")
    if weighted and rule.depth is not None and rule.depth.by_rows:
        raise ValueError(
            "k_counts='samples' has no bounds if scores share bins and samples have weights."
        )


def ends(scores: Array) -> tuple[Array]:
    """The first and the last of times; of numbers the dtype is enough."""
    if scores.dtype.kind in _TIMES:
        return (np.array([scores.min(), scores.max()], dtype=scores.dtype),)
    return (np.zeros(0, dtype=scores.dtype),)


def _join_ends(scores: tuple[Array, ...]) -> tuple[Array, ...]:
    joined: dict[Any, Array] = {}
    for some in scores:
        if some.size and some.dtype in joined:
            (some,) = ends(np.concatenate([joined[some.dtype], some]))
        joined[some.dtype] = some
    return tuple(joined.values())


def _check_comparable(scores: tuple[Array, ...]) -> None:
    """That scores of these dtypes have one order, and that putting them together keeps it."""
    kinds = {_TIMES.get(some.dtype.kind, _NUMBERS) for some in scores}
    types = {some.dtype.type for some in scores}
    if {np.longdouble, np.object_} <= types:
        kinds = {"longdouble", "Python's own numbers, as Decimal"}
    if len(kinds) > 1:
        raise ValueError(f"y_score mixes types that cannot be compared: {sorted(kinds)}.")
    if kinds and kinds != {_NUMBERS}:
        in_one_unit(scores, "y_score")


def _check_one_dtype(groups: frozenset[str]) -> None:
    if len(groups) > 1:
        raise ValueError(
            f"groups have several dtypes: {sorted(groups)}. So equal times would not be the same "
            "group. Give all chunks one dtype, as groups.astype('datetime64[us]')."
        )


def time_dtype(groups: Array) -> str:
    return str(groups.dtype.newbyteorder("=")) if groups.dtype.kind in _TIMES else _NOT_TIMES
