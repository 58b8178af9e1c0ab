"""Validation across chunks: whether all of them together are one binary target."""

from typing import Any, NamedTuple, Self

import numpy as np

from .._names import written
from ..core.rules import Rule
from ..core.segments import Array
from .errors import NO_SAMPLES, NO_WEIGHT, about, warn_of_no_rows
from .labels import check_told_apart, name_of, name_positives
from .parameters import check_weighted, shown
from .samples import check_found, check_mass, read_counts, refuse_mapping

_NUMBERS = "numbers"


class Seen(NamedTuple):
    """Summary of chunks, for checks that concern all of them."""

    labels: frozenset[Any] = frozenset()  # empty for grades
    n_samples: int = 0
    n_counted: int = 0  # samples whose weight is not 0
    weighted: bool = False
    scores: frozenset[str] = frozenset()  # dtypes, as `score_dtype` tells them
    mass: float = 0.0
    weights: tuple[float, ...] = ()  # of the lightest and the heaviest sample; 1 without weights
    groups: frozenset[str] = frozenset()  # dtypes, as far as they are times
    scale: int | None = None  # of the integers that replace decimals as scores

    def join(self, other: Self) -> Self:
        weights = sorted(self.weights + other.weights)
        return type(self)(
            labels=self.labels | other.labels,
            n_samples=self.n_samples + other.n_samples,
            n_counted=self.n_counted + other.n_counted,
            weighted=self.weighted or other.weighted,
            scores=self.scores | other.scores,
            mass=self.mass + other.mass,
            weights=(weights[0], weights[-1]) if weights else (),
            groups=self.groups | other.groups,
            scale=other.scale if self.scale is None else self.scale,
        )

    def weighing(self, weight: Array) -> Self:
        """Add the weights of the only chunk."""
        counted = weight[weight > 0]
        return self._replace(
            n_counted=counted.size,
            mass=float(weight.sum()),
            weights=(counted.min().item(), counted.max().item()) if counted.size else (),
        )

    @property
    def sample_weight(self) -> Array | None:
        """Return what is known about the weights, which is the lightest and the heaviest."""
        return np.array(self.weights) if self.weighted else None

    @property
    def sorted_labels(self) -> list[Any]:
        return sorted(self.labels, key=lambda label: (isinstance(label, str), label))


@about("y_true")
def check_together(seen: Seen, pos_label: Any) -> None:
    """Check that chunks are one binary target with comparable prediction scores."""
    if seen.weighted:
        check_mass(seen.mass)
    if len(seen.scores) > 1:
        _check_comparable(seen.scores)
    if len(seen.groups) > 1:
        with about("groups"):
            raise ValueError(
                f"groups have several dtypes, {sorted(seen.groups)}, in which equal times would "
                "not be the same group. Convert all chunks to one dtype, as "
                "groups.astype('datetime64[us]')."
            )
    if seen.labels == {0, 1} and pos_label == 1:
        return  # which is faster than what follows
    labels = seen.sorted_labels
    if labels and isinstance(labels[-1], str):
        if not isinstance(labels[0], str):
            raise ValueError(f"Mix of label input types (string and number) in y_true: {labels}.")
        check_told_apart(labels, pos_label)
    if len(labels) > 2:
        raise ValueError(
            f"y_true contains more than two labels, {labels[:5]}, but it must be binary here. "
            "Evaluate one class at a time, as y_true == label with its column of y_score. For "
            "grades, pass min_grade, the lowest one that counts as positive."
        )
    if labels:
        name_positives(labels, pos_label)


def name_seen(seen: Seen, pos_label: Any) -> str:
    """Return the name of the positives for messages."""
    labels = seen.sorted_labels
    return name_positives(labels, pos_label) if labels else name_of(pos_label)


def check_seen(
    seen: Seen, found: float, rule: Rule, n_positives: Any, by_group: bool = False
) -> Array | None:
    """Check that a rule can evaluate what was seen. Return n_positives as an array, or None."""
    if seen.n_samples or n_positives is None:
        check_counted(seen)
    else:
        warn_of_no_rows()
    if seen.weighted:
        check_weighted(rule)
    if n_positives is None or by_group:
        return None
    refuse_mapping(n_positives)
    if np.ndim(n_positives) != 0:
        raise ValueError(f"n_positives must be one number here. Got {shown(n_positives)} instead.")
    exist = read_counts([n_positives], None, seen.weighted)
    return check_found(exist, np.array([found]), seen.weighted)


def check_counted(seen: Seen) -> None:
    if not seen.n_samples:
        with about("y_true"):
            raise ValueError(NO_SAMPLES)
    if not seen.n_counted:
        with about("sample_weight"):
            raise ValueError(NO_WEIGHT)


def check_bounded(rule: Rule, weighted: bool) -> None:
    """Check that a rule has bounds if prediction scores share bins."""
    if not rule.has_bounds:
        raise ValueError(f"{written(rule)} has no bounds if prediction scores share bins.")
    if weighted and rule.depth is not None and rule.depth.by_rows:
        raise ValueError(
            "k_counts='samples' has no bounds if prediction scores share bins and samples have "
            "weights."
        )


@about("y_score")
def _check_comparable(dtypes: frozenset[str]) -> None:
    """Check that prediction scores of these dtypes can be compared exactly."""
    are_times = any(dtype.startswith(("datetime", "timedelta")) for dtype in dtypes)
    several = dtypes if are_times else dtypes - {_NUMBERS}
    if len(several) > 1:
        raise ValueError(
            f"y_score mixes types that cannot be compared: {sorted(several)}. Convert all chunks "
            "to one type."
        )


def score_dtype(scores: Array) -> str:
    """Return the dtype of prediction scores as far as not all others can be compared with it."""
    if scores.dtype.type is np.longdouble:
        return "longdouble"
    is_object = scores.dtype.kind == "O"
    return "Python's own numbers, as Decimal" if is_object else time_dtype(scores, _NUMBERS)


def time_dtype(column: Array, otherwise: str = "no times") -> str:
    return str(column.dtype.newbyteorder("=")) if column.dtype.kind in "mM" else otherwise
