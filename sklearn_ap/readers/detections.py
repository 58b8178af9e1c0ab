"""Detections that were matched with objects, from boxes or by a COCOeval."""

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .._words.messages import warn
from ..core.ragged import Array, is_first
from .boxes import read_box_columns
from .matching import (
    compute_box_overlaps,
    find_pairs,
    match_pairs,
    rank_by_confidence,
    split_by_pairs,
)
from .retrieved import COCO_OVERLAPS, separate_ties

Entries = Collection[Mapping[str, Any]]  # annotations or detections
_AREA_RANGES = {
    "all": (0.0, 1e10),
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}


class CocoParams(NamedTuple):
    """What is matched, as the params of a COCOeval say."""

    images: Sequence[Any]  # the ids
    categories: Sequence[Any]  # the ids
    names: Mapping[Any, Any]  # of categories, by their ids
    overlaps: Sequence[float]
    area: tuple[float, float]
    max_detections: int = 100  # detections of a class in an image, of which COCO ignores all others
    has_keypoints: bool = False

    def number_cells(self, categories: Sequence[Any], images: Sequence[Any]) -> Array:
        """Return the number of the cell of each box, which has a category in an image."""
        number_of_category = {each: number for number, each in enumerate(self.categories)}
        number_of_image = {each: number for number, each in enumerate(self.images)}
        category = [number_of_category[each] for each in categories]
        image = [number_of_image[each] for each in images]
        first = np.array(category, dtype=np.intp) * len(self.images)
        return first + np.array(image, dtype=np.intp)

    def split_cells(self, cell: Array) -> tuple[Array, Array]:
        """Return the number of the category and of the image of each cell."""
        return np.divmod(cell, max(len(self.images), 1))

    def get_ids(self, cell: Array) -> list[tuple[Any, Any]]:
        """Return the ids of the category and of the image of each cell."""
        category, image = self.split_cells(cell)
        pairs = zip(category.tolist(), image.tolist(), strict=True)
        return [(self.categories[category], self.images[image]) for category, image in pairs]

    def are_outside(self, area: Array) -> Array:
        """Whether areas are outside the range of those that count."""
        return np.asarray((area < self.area[0]) | (area > self.area[1]))


class MatchedDetections(NamedTuple):
    """Detections without ties within their category, and the objects that count."""

    params: CocoParams
    category: Array  # of shape (n_detections,): the number of the category
    image: Array  # of shape (n_detections,): the id of the image
    score: Array  # of shape (n_detections,)
    is_hit: Array  # of shape (n_overlaps, n_detections)
    is_ignored: Array  # of shape (n_overlaps, n_detections)
    objects: Mapping[tuple[Any, Any], int]  # how many there are, by category and image; never 0


def match_boxes(
    truth: Mapping[str, Any], boxes: list[Any], overlaps: list[float], area: tuple[float, float]
) -> MatchedDetections:
    """Match the boxes of files."""
    of_objects = read_box_columns("annotations", truth["annotations"])
    box = read_box_columns("detections", boxes)["bbox"].reshape(-1, 4)
    names = {entry["id"]: entry.get("name", entry["id"]) for entry in truth["categories"]}
    params = CocoParams(
        images=sorted({entry["id"] for entry in truth["images"]}),
        categories=sorted(names),
        names=names,
        overlaps=[COCO_OVERLAPS.get(round(each, 9), each) for each in overlaps],
        area=area,
    )

    def compute_overlaps(cell: Array, detection: Array, target: Array) -> Array:
        is_crowd = of_objects["iscrowd"][target] == 1
        return compute_box_overlaps(box[detection], of_objects["bbox"][target], is_crowd)

    return _match_entries(
        params, truth["annotations"], boxes, box[:, 2] * box[:, 3], compute_overlaps
    )


def get_area_range(area: str) -> tuple[float, float]:
    return [*_AREA_RANGES.values()][_find_place("area", area, _AREA_RANGES)]


def match_evaluation(evaluation: Any, overlaps: list[float], area: str) -> MatchedDetections:
    """Match what a COCOeval has, by the overlaps that it has computed, which may be of masks."""
    if not evaluation.ious:
        evaluation = deepcopy(evaluation)
        evaluation.evaluate()
    # Without categories, accumulate() replaces those of the other params.
    used, coco = evaluation._paramsEval, evaluation.cocoGt
    params = CocoParams(
        images=[*used.imgIds],
        categories=[*used.catIds] if used.useCats else [-1],
        names={each: entry.get("name", each) for each, entry in coco.cats.items()},
        overlaps=[used.iouThrs[_find_place("overlap", each, used.iouThrs)] for each in overlaps],
        area=used.areaRng[_find_place("area", area, used.areaRngLbl)],
        max_detections=max(used.maxDets),
        has_keypoints="keypoints" in used.iouType,
    )

    def compute_overlaps(cell: Array, detection: Array, target: Array) -> Array:
        cells = params.get_ids(cell[is_first(cell)])
        ious = [evaluation.ious.get((image, category), ()) for category, image in cells]
        overlap = np.concatenate([np.zeros(0), *map(np.ravel, ious)])
        if overlap.size != cell.size:
            raise ValueError(
                "annotations has the overlaps of other detections than those of its cocoDt and "
                "params. Call its evaluate() again, and then read_coco."
            )
        return overlap

    objects, found = _select_entries(coco, used), _select_entries(evaluation.cocoDt, used)
    areas = np.array([entry["area"] for entry in found], dtype=float)
    return _match_entries(params, objects, found, areas, compute_overlaps)


def _select_entries(coco: Any, params: Any) -> list[dict[str, Any]]:
    """Return the objects or detections that a COCOeval has evaluated, in its order."""
    images = {*params.imgIds}
    of_category: dict[Any, list[dict[str, Any]]] = {each: [] for each in params.catIds}
    for entry in coco.anns.values():
        if entry["image_id"] in images and entry["category_id"] in of_category:
            of_category[entry["category_id"]].append(entry)
    entries = [*chain.from_iterable(of_category.values())]
    return entries if params.useCats else [{**entry, "category_id": -1} for entry in entries]


def _match_entries(
    params: CocoParams,
    objects: Entries,
    found: Entries,
    area_of_found: Array,
    compute_overlaps: Callable[[Array, Array, Array], Array],
) -> MatchedDetections:
    """Match detections with objects.

    `compute_overlaps` gets the cell, the detection and the object of each pair, which are
    ordered by cell, and in it by the rank of the detection.
    """
    there = _sort_objects(params, objects)
    cell = _number_cells(params, found)
    score = np.array([entry["score"] for entry in found], dtype=float)
    order, rank = rank_by_confidence(cell, score, params.max_detections)
    cell, score = cell[order], score[order]
    matched = np.zeros((len(params.overlaps), rank.size), dtype=np.intp)
    for part in split_by_pairs(cell, there.cell):
        detection, target = pairs = find_pairs(cell[part], there.cell)
        overlap = compute_overlaps(
            cell[part][detection], order[part][detection], there.place[target]
        )
        found_at = match_pairs(
            pairs, overlap, rank[part], there.is_crowd, there.is_ignored, params.overlaps
        )
        matched[:, part] = found_at
    # -1, which is no object, takes what is appended.
    is_hit = np.append(there.has_id, False)[matched]
    is_outside = params.are_outside(area_of_found[order])

    category, image = params.split_cells(cell)
    by_score = np.lexsort((-score, category))
    score[by_score] = separate_ties(score[by_score], category[by_score])
    counting, n_objects = np.unique(there.cell[~there.is_ignored], return_counts=True)
    return MatchedDetections(
        params,
        category=category,
        image=np.array(params.images)[image],
        score=score,
        is_hit=is_hit,
        is_ignored=np.append(there.is_ignored, False)[matched] | (~is_hit & is_outside),
        objects=dict(zip(params.get_ids(counting), n_objects.tolist(), strict=True)),
    )


def _number_cells(params: CocoParams, entries: Entries) -> Array:
    categories = [entry["category_id"] for entry in entries]
    return params.number_cells(categories, [entry["image_id"] for entry in entries])


class _Objects(NamedTuple):
    """Objects, ordered by their cells."""

    place: Array  # in the list of annotations
    cell: Array
    is_crowd: Array
    is_ignored: Array
    has_id: Array


def _sort_objects(params: CocoParams, entries: Entries) -> _Objects:
    cell = _number_cells(params, entries)
    place = np.argsort(cell, kind="stable")
    is_crowd = np.array([entry.get("iscrowd", 0) for entry in entries], dtype=bool)
    is_ignored = is_crowd | params.are_outside(np.array([entry["area"] for entry in entries]))
    if params.has_keypoints:
        is_ignored |= [not entry.get("num_keypoints") for entry in entries]
    has_id = np.array([entry.get("id", 1) != 0 for entry in entries], dtype=bool)
    if not has_id.all():
        warn(
            "An object has the id 0, which means to pycocotools that a detection has no object, so "
            "the detection of this object counts as wrong. Number the annotations from 1."
        )
    return _Objects(place, cell[place], is_crowd[place], is_ignored[place], has_id[place])


def _find_place(name: str, value: Any, matched: Any) -> int:
    """Return the place of an area or an overlap, by `name`, in those that a COCOeval has."""
    for place, each in enumerate(matched):
        if each == value or (name == "overlap" and abs(each - value) < 1e-9):
            return place
    raise ValueError(f"{name}={value!r} isn't among those that were matched: {list(matched)}.")
