"""Validation of single chunks, and of the functions that load them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from .._arrays import to_host
from .._inputs import Inputs
from .._intake import Codes, Decimals, numbers
from ..core.rankings import Rankings
from .grades import positive_class
from .labels import check_chunk_labels
from .parameters import check_unmasked, shown
from .samples import check_group_column, check_lengths, check_scores, check_weight, distinct_in
from .seen import Seen, check_counted, check_together, ends, time_dtype


def check_loaders(loaders: Any) -> Iterator[Callable[[], Any]]:
    """Yield the loaders, after checking that each is callable."""
    for loader in [loaders] if isinstance(loaders, str | bytes) else loaders:
        if not callable(loader):
            raise TypeError(
                "Each of the loaders must be a function without arguments that returns y_true and "
                f"y_score of one chunk. Got {shown(loader)} instead. To read a file, pass "
                "functools.partial(load, file), with your own function load."
            )
        yield loader


def check_chunk(
    y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any = None, groups: Any = None
) -> tuple[Rankings, Seen]:
    """Check a chunk of a binary target with its prediction scores.

    Samples of weight 0 are removed, which may leave none. The names of the groups are an array in
    any order.
    """
    values: Any = None
    if isinstance(groups, Codes):
        groups, values, _ = groups
    y_score, scale = y_score if isinstance(y_score, Decimals) else (y_score, None)
    given = {"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight, "groups": groups}
    for name, column in given.items():
        if column is not None and type(column) is not np.ndarray:
            check_unmasked(name, column)
    y_true, y_score = numbers(y_true), to_host(y_score)
    if not np.ndim(y_score):
        column_or_1d(y_score)  # which raises scikit-learn's error about its shape
    size = _size_of(y_true, y_score, sample_weight)
    if size:
        labels, present = check_chunk_labels(y_true, pos_label, y_score)
        scores = check_scores(y_score, y_true, pos_label) if scale is None else y_score
    else:
        labels, scores, present = np.zeros(0, dtype=bool), np.zeros(0), set()
    group = None if groups is None else check_group_column(groups, size)
    seen = Seen(
        labels=frozenset(present),
        n_samples=size,
        n_counted=size,
        weighted=sample_weight is not None,
        scores=ends(scores) if size else (),
        scale=scale,
        groups=frozenset() if group is None or not size else frozenset([time_dtype(group)]),
    )
    check_together(seen, pos_label)
    weight = None
    if sample_weight is not None and size:
        weight = check_weight(sample_weight, labels, scores, may_vanish=True)
        counted = weight[weight > 0]
        seen = seen._replace(n_counted=counted.size, mass=float(weight.sum()))
        if counted.size:
            lightest, heaviest = counted.min().item(), counted.max().item()
            seen = seen._replace(lightest=lightest, heaviest=heaviest)
    rankings = Rankings(labels, scores, weight, "binary", group=group)
    if weight is not None and seen.n_counted < size:
        rankings = rankings.take(np.flatnonzero(weight))
    if group is None:
        return rankings, seen
    found, group = distinct_in(rankings.group)
    return replace(rankings, group=group, names=found if values is None else values[found]), seen


def _size_of(y_true: Any, y_score: Any, sample_weight: Any) -> int:
    """Return the number of samples, after checking that all columns have as many."""
    are_arrays = type(y_true) is type(y_score) is np.ndarray and sample_weight is None
    if not (are_arrays and y_true.ndim and len(y_true) == len(y_score)):
        check_lengths(y_true=y_true, y_score=y_score, sample_weight=sample_weight)
    return len(y_true)


def check_ranking(inputs: Inputs) -> tuple[Rankings, Seen]:
    """Check a binary target that is in memory, which is a single chunk that is not empty."""
    ranking, seen = check_chunk(
        inputs.y_true,
        inputs.y_score,
        pos_label=positive_class(inputs.pos_label, inputs.min_grade),
        sample_weight=inputs.sample_weight,
        groups=inputs.groups,
    )
    check_counted(seen)
    return ranking, seen
