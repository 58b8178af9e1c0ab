"""Detections in the formats of PASCAL VOC."""

from __future__ import annotations

from collections.abc import Collection
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from .._enter.entry import public
from .._words.messages import format_count, warn
from .._words.parameters import format_value
from ..core.ragged import Array, is_first
from .boxes import check_types
from .coco import make_detection_table
from .detections import CocoParams, MatchedDetections
from .files import decode, is_source, read_content
from .matching import find_pairs, split_by_pairs
from .retrieved import Retrieved, separate_ties
from .voc_boxes import VocBoxes, read_detections, read_objects

_MAX_ABSENT = 0.1  # note if more than this fraction of the images with objects has no detection


@public()
def read_voc(
    annotations: Any,
    detections: Any,
    *,
    image_set: Any = None,
    overlap: float = 0.5,
    use_difficult: bool = False,
) -> Retrieved:
    """Read detections, and match them with objects as PASCAL VOC does.

    This is the matching of py-faster-rcnn and detectron2. Each detection is tried on the object of
    its class that it overlaps most, in its image: it's correct if they overlap by more than
    `overlap`, and if no more confident detection has found this object. Widths and heights are
    those of inclusive corners, x2 - x1 + 1 and y2 - y1 + 1. Detections of a class with equal
    confidence are ranked in the order in which they were read.

    The classes are the groups of the table, and the images are its clusters. Detections of
    difficult objects are left out, and so are classes without objects that count.

    Parameters
    ----------
    annotations : path of a folder, mapping or list
        The objects: a folder of VOC's XML files, each of which is named after its image. Or a
        mapping from each image to a dict of "boxes", as x1, y1, x2, y2, "labels", and if you have
        it "difficult".
    detections : path of a folder, mapping or list
        A folder with a text file for each class, such as ``comp4_det_test_cat.txt`` or ``cat.txt``,
        with lines of image, score, x1, y1, x2 and y2. Or a mapping from images to dicts of "boxes",
        "labels" and "scores". If both are lists of dicts, these pair by position.
    image_set : path, file or list, default=None
        The images to evaluate: a list of them, or a file with an image in the first column of each
        line, such as ``ImageSets/Main/test.txt``. By default, all images of `annotations`.
    overlap : float, default=0.5
        The overlap (IoU) that a correct detection exceeds.
    use_difficult : bool, default=False
        Whether difficult objects count like others.

    Returns
    -------
    table : Retrieved
        The table to pass as `data`.

    See Also
    --------
    read_coco : Read detections in the formats of COCO, and match them as COCO does.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> from sklearn_ap.readers import read_voc
    >>> annotations = {
    ...     "000001": {
    ...         "boxes": [[1, 1, 10, 10], [51, 1, 60, 10]],
    ...         "labels": ["cat", "cat"],
    ...     }
    ... }
    >>> detections = {
    ...     "000001": {
    ...         "boxes": [[1, 1, 10, 9], [21, 1, 30, 10]],
    ...         "labels": ["cat", "cat"],
    ...         "scores": [0.9, 0.8],
    ...     }
    ... }
    >>> voc = read_voc(annotations, detections)
    >>> ap.metric("VOC07")(data=voc)
    0.545454545...
    """
    if isinstance(overlap, bool) or not isinstance(overlap, Real) or not 0 <= overlap < 1:
        raise ValueError(
            f"overlap must be a number in the range [0, 1). Got {format_value(overlap)} instead."
        )
    are_lists = all(isinstance(each, list | tuple) for each in (annotations, detections))
    if are_lists and len(annotations) != len(detections):
        raise ValueError(
            "Lists pair by position, but annotations has "
            f"{format_count(len(annotations), 'images')}, and detections {len(detections):,}."
        )
    images, objects = read_objects(annotations)
    check_types("The images of annotations", images)
    classes = [*dict.fromkeys(objects.labels)]
    found = read_detections(detections, classes)
    _check_detections(found, images, classes)
    if image_set is None:
        _note_absent_images(objects, found)
    else:
        images = _read_image_set(image_set, images)
        objects = objects.keep([image in images for image in objects.images])
        is_inside = [image in images for image in found.images]
        if n_outside := is_inside.count(False):
            warn(
                f"Left out {n_outside:,} of {len(is_inside):,} detections, whose images aren't in "
                "image_set."
            )
        found = found.keep(is_inside)
    matched = _match(images, objects, found, float(overlap), use_difficult)
    if not matched.objects:
        raise ValueError("annotations has no objects that count in these images.")
    return make_detection_table(matched, [0], [float(overlap)], use_difficult=use_difficult)


def _check_detections(found: VocBoxes, images: list[Any], classes: list[Any]) -> None:
    """Check that images are known, and that the classes of arrays are called alike."""
    known = {*images}
    unknown = [image for image in found.images if image not in known]
    if unknown:
        raise ValueError(
            f"annotations doesn't have the images of {len(unknown):,} of {len(found.images):,} "
            f"detections: {format_value([*dict.fromkeys(unknown)])}. Call images as annotations "
            f"does: {format_value(images)}."
        )
    check_types("The classes of annotations and detections", {*classes, *found.labels})
    if found.labels and not {*classes}.intersection(found.labels):
        raise ValueError(
            f"No class of detections, {format_value([*dict.fromkeys(found.labels)])}, is among "
            f"those of annotations, {format_value(classes)}."
        )


def _note_absent_images(objects: VocBoxes, found: VocBoxes) -> None:
    """Warn if a detector probably saw only some of the images, such as those of a test set."""
    with_objects = {*objects.images}
    n_absent = len(with_objects.difference(found.images))
    if n_absent > _MAX_ABSENT * len(with_objects):
        warn(
            f"There is no detection in {n_absent:,} of {len(with_objects):,} images with objects, "
            "which count as missed. If the detector saw only some of the images, such as those of "
            "ImageSets/Main/test.txt, pass these as image_set."
        )


def _read_image_set(image_set: Any, images: list[Any]) -> dict[Any, None]:
    """Return the images of the set, each of which has annotations."""
    if is_source(image_set):
        lines = read_content(image_set, "image_set").splitlines()
        chosen = [decode(line.split()[0]) for line in lines if line.strip()]
    elif isinstance(image_set, Collection):
        chosen = [*image_set]
    else:
        raise TypeError(
            f"image_set must be a list of images, or a file. Got {format_value(image_set)} instead."
        )
    if not chosen:
        raise ValueError("image_set has no images.")
    known = {*images}
    unknown = [image for image in chosen if image not in known]
    if unknown:
        raise ValueError(
            f"{len(unknown):,} of {len(chosen):,} images of image_set aren't in annotations: "
            f"{format_value(unknown)}. Those of annotations are {format_value(images)}."
        )
    return dict.fromkeys(chosen)


def _match(
    images: Collection[Any], objects: VocBoxes, found: VocBoxes, overlap: float, use_difficult: bool
) -> MatchedDetections:
    """Match each detection with the object that it overlaps most, even if that is found already."""
    params = CocoParams(
        images=[*images],
        categories=sorted({*objects.labels, *found.labels}),
        names={},
        overlaps=[overlap],
        area=(0, inf),
    )
    cell_of_object = params.number_cells(objects.labels, objects.images)
    place = np.argsort(cell_of_object, kind="stable")
    cell_of_object = cell_of_object[place]
    is_difficult = np.array(objects.values, dtype=bool)[place] & (not use_difficult)

    cell = params.number_cells(found.labels, found.images)
    category, _ = params.split_cells(cell)
    score = np.array(found.values, dtype=float)
    by_score = np.lexsort((-score, category))
    score[by_score] = separate_ties(score[by_score], category[by_score])
    order = np.lexsort((-score, cell))
    cell, score = cell[order], score[order]
    nearest, largest = _find_nearest(
        cell,
        np.reshape(found.corners, (-1, 4))[order],
        cell_of_object,
        np.reshape(objects.corners, (-1, 4))[place],
    )

    is_near = largest > overlap
    is_ignored = is_near & np.append(is_difficult, False)[nearest]
    claims = np.flatnonzero(is_near & ~is_ignored)
    _, first = np.unique(nearest[claims], return_index=True)  # the most confident of each object
    is_hit = np.zeros(cell.size, dtype=bool)
    is_hit[claims[first]] = True
    category, image = params.split_cells(cell)
    counting, n_objects = np.unique(cell_of_object[~is_difficult], return_counts=True)
    return MatchedDetections(
        params,
        category=category,
        image=np.array(params.images)[image],
        score=score,
        is_hit=is_hit[np.newaxis],
        is_ignored=is_ignored[np.newaxis],
        objects=dict(zip(params.get_ids(counting), n_objects.tolist(), strict=True)),
    )


def _find_nearest(
    cell: Array, corners: Array, cell_of_object: Array, corners_of_object: Array
) -> tuple[Array, Array]:
    """Return the object of its cell that each detection overlaps most, the first of equal ones, and
    this overlap, or -1 and 0. Detections and objects are ordered by cell.
    """
    nearest, largest = np.full(cell.size, -1), np.zeros(cell.size)
    for part in split_by_pairs(cell, cell_of_object):
        detection, target = find_pairs(cell[part], cell_of_object)
        overlap = _compute_overlaps(corners[part][detection], corners_of_object[target])
        order = np.lexsort((-overlap, detection))
        best = order[is_first(detection[order])]
        nearest[part][detection[best]] = target[best]
        largest[part][detection[best]] = overlap[best]
    return nearest, largest


def _compute_overlaps(a: Array, b: Array) -> Array:
    """Return the overlap of each pair of boxes, which contain the pixels of both corners. The order
    of operations is py-faster-rcnn's, so that rounding is the same.
    """
    start, stop = np.maximum(a[:, :2], b[:, :2]), np.minimum(a[:, 2:], b[:, 2:])
    with np.errstate(all="ignore"):  # of areas beyond floats, which do not overlap
        shared = np.maximum(stop - start + 1, 0).prod(axis=1)
        area_a, area_b = ((box[:, 2:] - box[:, :2] + 1).prod(axis=1) for box in (a, b))
        return np.asarray(shared / (area_a + area_b - shared))


read_voc.__module__ = "sklearn_ap.readers"  # where users find it
