"""Input that comes in chunks: each is checked by itself, and all of them together."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length

from .._arrays import to_host
from ..core.averaging import Rankings
from ..core.segments import Array
from .labels import check_chunk_labels, name_positives
from .parameters import check_ties, is_dask_collection
from .samples import (
    check_found,
    check_groups,
    check_mass,
    check_scores,
    check_weight,
    in_one_unit,
    whole_if_possible,
)

_TIMES = {"M": "datetimes", "m": "timedeltas"}
_NUMBERS = "numbers"
_NOT_TIMES = "no times"


@dataclass(frozen=True, slots=True)
class Seen:
    """What chunks have held, for the checks that need to know of all of them."""

    labels: frozenset[Any] = frozenset()
    n_samples: int = 0
    n_counted: int = 0  # those whose weight is not 0
    weighted: bool = False
    scores: tuple[Array, ...] = ()  # one of each dtype: the ends of times, no numbers
    mass: float = 0.0
    groups: frozenset[str] = frozenset()  # the dtypes of times

    def join(self, other: Self) -> Self:
        return type(self)(
            labels=self.labels | other.labels,
            n_samples=self.n_samples + other.n_samples,
            n_counted=self.n_counted + other.n_counted,
            weighted=self.weighted or other.weighted,
            scores=_join_ends(self.scores + other.scores),
            mass=self.mass + other.mass,
            groups=self.groups | other.groups,
        )

    def name(self, pos_label: Any) -> str:
        """What the positives are called, if this can be one binary target."""
        check_mass(self.mass)
        _check_comparable(self.scores)
        _check_one_dtype(self.groups)
        labels = sorted(self.labels, key=lambda label: (isinstance(label, str), label))
        texts = sum(isinstance(label, str) for label in labels)
        if 0 < texts < len(labels):
            raise ValueError(f"Mix of label input types (string and number) in y_true: {labels}.")
        if len(labels) > 2:
            raise ValueError(
                f"y_true holds more than two labels, {labels[:5]}: the chunks have to be binary. "
                "Score one class at a time, as y_true == label with its column of y_score."
            )
        return name_positives(labels, pos_label) if labels else f"pos_label={pos_label!r}"


def check_chunk(
    y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any = None, groups: Any = None
) -> tuple[Rankings, Seen]:
    """Part of a binary target with its scores; groups are left as they are named.

    The samples of weight 0 do not exist. There may be none at all.
    """
    y_true, y_score = to_host(y_true), to_host(y_score)
    check_consistent_length(y_true, y_score, sample_weight)
    size = len(y_true)
    if size:
        y_true, present = check_chunk_labels(y_true, y_score)
        labels, scores = np.asarray(y_true == pos_label, dtype=bool), check_scores(y_score)
    else:
        labels, scores, present = np.zeros(0, dtype=bool), np.zeros(0), set()
    group = None if groups is None else _check_chunk_groups(groups, size)
    seen = Seen(
        labels=frozenset(present),
        n_samples=size,
        n_counted=size,
        weighted=sample_weight is not None,
        scores=_ends(scores) if size else (),
        groups=frozenset() if group is None or not size else frozenset([_time_dtype(group)]),
    )
    seen.name(pos_label)
    weight = None
    if sample_weight is not None and size:
        weight = check_weight(sample_weight, labels, scores, may_vanish=True)
        n_counted = int(np.count_nonzero(weight))
        seen = replace(seen, n_counted=n_counted, mass=float(weight.sum()))
    rankings = Rankings(labels, scores, weight, "binary", group=group)
    if weight is not None and seen.n_counted < size:
        rankings = rankings.take(np.flatnonzero(weight))
    return rankings, seen


def check_seen(
    seen: Seen,
    found: float,
    *,
    pos_label: Any,
    ties: str = "grouped",
    n_positives: float | None = None,
) -> tuple[float | None, str]:
    """That chunks with this mass of positives can be scored; n_positives, and their name."""
    check_counted(seen)
    check_ties(ties, seen.weighted)
    if n_positives is not None:
        n_positives = whole_if_possible(n_positives)
        check_found(n_positives, found, seen.weighted)
    return n_positives, seen.name(pos_label)


def check_counted(seen: Seen) -> None:
    if not seen.n_samples:
        raise ValueError("Found array with 0 sample(s) in y_true while a minimum of 1 is required.")
    if not seen.n_counted:
        raise ValueError("Sample weights must contain at least one non-zero number.")


def check_mergeable(ours: Any, theirs: Any) -> None:
    if not isinstance(theirs, type(ours)):
        raise TypeError(f"Only a {type(ours).__name__} can be merged, got {theirs!r}.")
    if ours.pos_label != theirs.pos_label:
        raise ValueError(
            f"The two differ in what is positive: pos_label={ours.pos_label!r} here and "
            f"pos_label={theirs.pos_label!r} there."
        )


def check_exact(exact: bool, max_bins: int | None) -> None:
    if not exact:
        raise ValueError(
            f"The score is not known exactly: scores share bins, as there were more than max_bins"
            f"{'' if max_bins is None else f'={max_bins}'} of them. bounds() says between which "
            "numbers it lies; with max_bins=None every score is remembered."
        )


def check_bounded(definition: str, options: dict[str, Any]) -> None:
    """That there are bounds when scores share bins."""
    if definition == "linear":
        raise ValueError("definition='linear' has no bounds where scores share bins.")
    if options.get("ties", "grouped") != "grouped":
        raise ValueError("Only ties='grouped' has bounds where scores share bins.")
    if options.get("denominator") == "hits":
        raise ValueError("denominator='hits' has no bounds where scores share bins.")


def _ends(scores: Array) -> tuple[Array]:
    """The first and the last of times; of numbers the dtype is enough."""
    if scores.dtype.kind in _TIMES:
        return (np.array([scores.min(), scores.max()], dtype=scores.dtype),)
    return (np.zeros(0, dtype=scores.dtype),)


def _join_ends(scores: tuple[Array, ...]) -> tuple[Array, ...]:
    joined: dict[Any, Array] = {}
    for some in scores:
        if some.size and some.dtype in joined:
            (some,) = _ends(np.concatenate([joined[some.dtype], some]))
        joined[some.dtype] = some
    return tuple(joined.values())


def _check_comparable(scores: tuple[Array, ...]) -> None:
    """That scores of these dtypes have one order, and that putting them together keeps it."""
    kinds = {_TIMES.get(some.dtype.kind, _NUMBERS) for some in scores}
    types = {some.dtype.type for some in scores}
    if {np.longdouble, np.object_} <= types:
        kinds = {"longdouble", "Python's own numbers, as Decimal"}
    if len(kinds) > 1:
        raise ValueError(f"y_score mixes what cannot be compared: {sorted(kinds)}.")
    if kinds and kinds != {_NUMBERS}:
        in_one_unit(scores, "y_score")


def _check_one_dtype(groups: frozenset[str]) -> None:
    if len(groups) > 1:
        raise ValueError(
            f"groups are of several dtypes: {sorted(groups)}. Times that are equal would not be "
            "one group: give all chunks one dtype, as groups.astype('datetime64[us]')."
        )


def _time_dtype(groups: Array) -> str:
    return str(groups.dtype.newbyteorder("=")) if groups.dtype.kind in _TIMES else _NOT_TIMES


def _check_chunk_groups(groups: Any, size: int) -> Array:
    group = check_groups(to_host(groups))
    if len(group) != size:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: y_true has "
            f"{size} and groups {len(group)}."
        )
    return group


# --- Dask collections, without importing Dask ----------------------------------------------------


def check_delayed(name: str, collection: Any) -> list[Any]:
    """The chunks of a collection, delayed."""
    if isinstance(collection, list | tuple):
        chunks = list(collection)
    elif hasattr(type(collection), "to_delayed"):
        if getattr(collection, "ndim", 1) != 1:
            raise ValueError(
                f"{name} should be 1d, and has {collection.ndim} dimensions: pass one column, as "
                f"{name}{'[column]' if hasattr(collection, 'columns') else '[:, 1]'}."
            )
        # As it is, so that what several collections share is made once.
        chunks = list(np.ravel(collection.to_delayed(optimize_graph=False)))
    else:
        chunks = []
    if not chunks or not all(map(is_dask_collection, chunks)):
        raise TypeError(
            f"{name} must be a dask array, a dask series or a list of delayed chunks, got "
            f"{type(collection).__name__}. What is in memory goes to the functions of sklearn_ap."
        )
    return chunks


def check_as_many_chunks(numbers: dict[str, int]) -> int:
    if len(set(numbers.values())) > 1:
        raise ValueError(
            f"Found inconsistent numbers of chunks: {numbers}. Rechunk or repartition them alike."
        )
    return numbers["y_true"]


def check_few_enough(distinct: int, most: int, instead: str) -> None:
    if distinct > most:
        raise ValueError(
            f"The positives have more than {most:,} distinct scores, too many to be sent to every "
            f"worker. Use {instead}."
        )


def check_same_data(strange: Array) -> None:
    if strange.any():
        raise RuntimeError(
            "The chunks gave other scores the second time that they were read. Persist them, or "
            "seed what makes them."
        )


def check_each_once(names: list[Any]) -> None:
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            raise ValueError(
                f"sorted_by_group=True, and the samples of group {name!r} do not follow one "
                "another. Sort them, or leave it at False."
            )
        seen.add(name)
