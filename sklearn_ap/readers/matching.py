"""COCO's matching of detections with objects, for all categories and images at once.

A cell has the detections and the objects of one category in one image.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..core.ragged import Array, is_first

_MAX_PAIRS_PER_PART = 2**20  # each of which takes some hundred bytes


class Pairs(NamedTuple):
    """All pairs of a detection and an object of the same cell, by detection."""

    detection: Array  # of shape (n_pairs,): its place among the detections
    target: Array  # of shape (n_pairs,): the place of the object among the objects


def rank_by_confidence(cell: Array, score: Array, max_detections: int) -> tuple[Array, Array]:
    """Return the order of detections by cell and score, and the rank of each within its cell.

    Each cell keeps the `max_detections` most confident ones. Of equal scores, the first one ranks
    first.
    """
    order = np.lexsort((-score, cell))
    cell = cell[order]
    rank = np.arange(cell.size) - np.searchsorted(cell, cell)
    return order[rank < max_detections], rank[rank < max_detections]


def find_pairs(cell_of_detection: Array, cell_of_object: Array) -> Pairs:
    """Return the pairs of detections and objects, both of which are ordered by cell."""
    first, n_objects = _count_objects(cell_of_detection, cell_of_object)
    n_before = np.cumsum(n_objects) - n_objects
    detection = np.repeat(np.arange(first.size), n_objects)
    return Pairs(detection, np.arange(detection.size) + (first - n_before)[detection])


def split_by_pairs(cell_of_detection: Array, cell_of_object: Array) -> list[slice]:
    """Return slices of the detections, of whole cells. Each has about a million pairs, which take
    some hundred bytes each, or more if they are of a single cell.
    """
    _, n_objects = _count_objects(cell_of_detection, cell_of_object)
    start = np.flatnonzero(is_first(cell_of_detection))
    n_before = (np.cumsum(n_objects) - n_objects)[start]
    starts = start[is_first(n_before // _MAX_PAIRS_PER_PART)].tolist()
    return [slice(*ends) for ends in pairwise([*starts, cell_of_detection.size])]


def _count_objects(cell_of_detection: Array, cell_of_object: Array) -> tuple[Array, Array]:
    """Return the first object in the cell of each detection, and how many there are."""
    first = np.searchsorted(cell_of_object, cell_of_detection)
    stop = np.searchsorted(cell_of_object, cell_of_detection, side="right")
    return first, stop - first


def compute_box_overlaps(detection: Array, target: Array, is_crowd: Array) -> Array:
    """Return the overlap of each pair of boxes, which are x, y, width and height.

    It is the part of the detection that is in a crowd, and the IoU with other objects.
    """
    stop = np.minimum(detection[:, :2] + detection[:, 2:], target[:, :2] + target[:, 2:])
    width, height = (stop - np.maximum(detection[:, :2], target[:, :2])).T
    area, area_of_object = detection[:, 2] * detection[:, 3], target[:, 2] * target[:, 3]
    with np.errstate(all="ignore"):  # of areas beyond floats, which do not overlap
        shared = width * height
        union = np.where(is_crowd, area, area + area_of_object - shared)
        return np.where((width > 0) & (height > 0), shared / union, 0.0)


def match_pairs(
    pairs: Pairs,
    overlap: Array,
    rank: Array,
    is_crowd: Array,
    is_ignored: Array,
    levels: Sequence[float],
) -> Array:
    """Return the object of each detection at each level, or -1, of shape (n_levels, n_detections).

    The most confident detections choose first. Each takes an object that counts, or if there is
    none an ignored one: the free object that it overlaps most, and the last one of equal overlaps.
    Crowds are always free.
    """
    detection, target = pairs
    order = np.lexsort((-target, -overlap, is_ignored[target], detection, rank[detection]))
    matched = np.full((len(levels), rank.size), -1)
    for matched_at, level in zip(matched, np.minimum(levels, 1 - 1e-10), strict=True):
        near = order[overlap[order] >= level]
        is_taken = np.zeros(is_crowd.size, dtype=bool)
        # Detections of the same rank are of different cells, so that they don't compete.
        starts = np.flatnonzero(is_first(rank[detection[near]]))
        for start, stop in pairwise([*starts.tolist(), near.size]):
            pair = near[start:stop]
            free = pair[~is_taken[target[pair]]]
            chosen = free[is_first(detection[free])]
            matched_at[detection[chosen]] = target[chosen]
            is_taken[target[chosen]] = ~is_crowd[target[chosen]]
    return matched
