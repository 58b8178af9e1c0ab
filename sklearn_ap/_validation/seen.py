"""Validation across chunks: whether all of them together are one binary target."""

from typing import Any, NamedTuple, Self

import numpy as np

from .._names import written
from ..core.rules import Rule
from ..core.segments import Array
from .errors import NO_SAMPLES, NO_WEIGHT, about, warn_of_no_rows
from .labels import name_of, name_positives
from .parameters import check_weighted
from .samples import check_found, check_mass, read_one_count

_OTHERS = "numbers or text"


class Seen(NamedTuple):
    """Summary of chunks, for checks that concern all of them."""

    labels: frozenset[Any] = frozenset()  # empty for grades
    n_samples: int = 0
    n_counted: int = 0  # samples whose weight is not 0
    weighted: bool = False
    scores: frozenset[str] = frozenset()  # see `dtypes_of`
    mass: float = 0.0
    weights: tuple[float, ...] = ()  # of the lightest and the heaviest sample; 1 without weights
    groups: frozenset[str] = frozenset()
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
    for name, dtypes in (("y_score", seen.scores), ("groups", seen.groups)):
        if len(dtypes) > 1:
            _check_comparable(name, dtypes)
    if seen.labels == {0, 1} and pos_label == 1:
        return  # which is faster than what follows
    labels = seen.sorted_labels
    if labels and isinstance(labels[-1], str) and not isinstance(labels[0], str):
        raise ValueError(f"Mix of label input types (string and number) in y_true: {labels}.")
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
    exist = read_one_count(n_positives, None, seen.weighted)
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


def dtypes_of(column: Array | None) -> frozenset[str]:
    """Return the dtype of a column, if it can't be compared with all others exactly."""
    if column is None or not column.size:
        return frozenset()
    if column.dtype.kind in "mM":
        return frozenset([str(column.dtype.newbyteorder("="))])
    is_special = column.dtype.type in (np.longdouble, np.object_)
    return frozenset([column.dtype.type.__name__ if is_special else _OTHERS])


def _check_comparable(name: str, dtypes: frozenset[str]) -> None:
    """Check that none of several dtypes are times, and that they aren't longdouble and objects."""
    are_times = any(each.startswith(("datetime64", "timedelta64")) for each in dtypes)
    if are_times or len(dtypes - {_OTHERS}) > 1:
        with about(name):
            raise ValueError(
                f"{name} mixes types that cannot be compared: {sorted(dtypes)}. Convert all chunks "
                "to one type."
            )
