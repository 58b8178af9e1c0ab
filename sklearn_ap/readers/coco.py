"""Detections in the formats of COCO."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from .._enter.entry import public
from .boxes import read_box_columns, read_boxes
from .detections import MatchedDetections, get_area_range, match_boxes, match_evaluation
from .files import name_files_in_errors
from .retrieved import COCO_OVERLAPS, MEAN_OVERLAP, Retrieved, select_conditions


@overload
def read_coco(
    annotations: Any, detections: Any = None, *, overlap: float | str = 0.5, area: str = "all"
) -> Retrieved: ...


@overload
def read_coco(
    annotations: Any, detections: Any = None, *, overlap: Sequence[float], area: str = "all"
) -> dict[float, Retrieved]: ...


@public()
def read_coco(
    annotations: Any,
    detections: Any = None,
    *,
    overlap: float | str | Sequence[float] = 0.5,
    area: str = "all",
) -> Retrieved | dict[float, Retrieved]:
    """Read detections, and match them with objects as COCO does.

    The classes are the groups of the table, and the images are its clusters. It leaves out whatever
    COCO ignores: crowds, objects and wrong detections outside the range of areas, all but the 100
    most confident detections of a class in an image, and classes without objects. Detections of
    equal confidence keep COCO's order, because each one after the first gets the next lower
    floating-point number.

    Parameters
    ----------
    annotations, detections : path, open file, or the parsed contents
        COCO's two JSON files, possibly compressed, or lists of dicts as torchmetrics takes them,
        the targets first, with boxes as x1, y1, x2, y2. Instead of both, you can pass a `COCOeval`
        of pycocotools or faster-coco-eval, which may also have masks, or match more detections per
        image.
    overlap : float, sequence of float or str, default=0.5
        The minimum overlap (IoU) of a correct detection with its object. A sequence gives a table
        for each overlap. "0.50:0.95" gives one table for COCO's mean over the overlaps 0.50, 0.55,
        ..., 0.95, with a group for each class at each overlap.
    area : {'all', 'small', 'medium', 'large'}, default='all'
        Which objects count, by their area. A `COCOeval` may have other ranges.

    Returns
    -------
    table : Retrieved, or dict from overlaps to Retrieved
        The table to pass as `data`.

    See Also
    --------
    read_voc : Read detections in the formats of PASCAL VOC, and match them as VOC does.
    read_trec : Read the files of a search engine.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> from sklearn_ap.readers import read_coco
    >>> place = {"image_id": 1, "category_id": 1}
    >>> annotations = {
    ...     "images": [{"id": 1}],
    ...     "categories": [{"id": 1, "name": "cat"}],
    ...     "annotations": [
    ...         {**place, "bbox": [0, 0, 10, 10], "area": 100},
    ...         {**place, "bbox": [50, 0, 10, 10], "area": 100},
    ...     ],
    ... }
    >>> detections = [
    ...     {**place, "bbox": [0, 0, 10, 9], "score": 0.9},
    ...     {**place, "bbox": [20, 0, 10, 10], "score": 0.8},
    ... ]
    >>> coco = read_coco(annotations, detections)
    >>> ap.mean_average_precision_score(data=coco, n_points=101)
    0.504950495...
    """
    overlaps = read_overlaps(overlap)
    if hasattr(annotations, "evalImgs"):
        if annotations.params.iouType == "bbox":
            read_box_columns("annotations", annotations.cocoGt.anns.values())
            read_box_columns("detections", annotations.cocoDt.anns.values())
        matched = match_evaluation(annotations, overlaps, area)
    else:
        limits = get_area_range(area)
        with name_files_in_errors(annotations=annotations, detections=detections):
            truth, boxes = read_boxes(annotations, detections)
            matched = match_boxes(truth, boxes, overlaps, limits)
    if not matched.objects:
        with name_files_in_errors(annotations=annotations):
            raise ValueError(f"annotations has no objects that count, with area={area!r}.")
    if isinstance(overlap, str):
        return make_detection_table(matched, range(len(overlaps)), overlaps, area=area)
    tables = {
        each: make_detection_table(matched, [place], [each], area=area)
        for place, each in enumerate(overlaps)
    }
    return tables if np.ndim(overlap) else tables[overlaps[0]]


def read_overlaps(overlap: float | str | Sequence[float]) -> list[float]:
    """Return the overlaps that a number, several ones or a text stand for."""
    if isinstance(overlap, str):
        overlaps: list[float] = [*COCO_OVERLAPS] if overlap == MEAN_OVERLAP else []
    else:
        overlaps = np.ravel(overlap).astype(float).tolist()
    if not overlaps or not all(0 < each <= 1 for each in overlaps):
        raise ValueError(
            "overlap must be a number in the range (0, 1], several of these, or '0.50:0.95'. Got "
            f"{overlap!r} instead."
        )
    return overlaps


def name_categories(matched: MatchedDetections) -> dict[Any, Any]:
    """Return the names of the categories that have objects, by their ids, which are their names if
    some share one.
    """
    categories = sorted({category for category, _ in matched.objects})
    names = [matched.params.names.get(category, category) for category in categories]
    if len(set(names)) < len(names):
        names = categories
    return dict(zip(categories, names, strict=True))


def name_groups(names: Sequence[Any], overlaps: Sequence[float]) -> list[Sequence[Any]]:
    """Return the groups of categories with these names, of shape (n_overlaps, n_categories)."""
    if len(overlaps) == 1:
        return [names]
    return [[f"{name} at {overlap:.2f}" for name in names] for overlap in overlaps]


def make_detection_table(
    matched: MatchedDetections, places: Sequence[int], overlaps: Sequence[float], **options: Any
) -> Retrieved:
    """Return the table of the overlaps at these places of the first axis of `matched.is_hit`.

    The groups are the categories that have objects. With several overlaps, each category is a group
    at each of them. `options` are others of the reader, which are conditions.
    """
    name_of = name_categories(matched)
    categories, names = [*name_of], [*name_of.values()]
    numbers = [matched.params.categories.index(category) for category in categories]
    groups_at = name_groups(names, overlaps)

    # The table has a row for each detection at each overlap, unless it is ignored there.
    is_kept = ~matched.is_ignored[places] & np.isin(matched.category, numbers)
    at_overlap, detection = np.nonzero(is_kept)
    category = np.searchsorted(numbers, matched.category)[detection]

    # Each image is a cluster, also without objects: then it has a count of 0 in the first group.
    n_per_cluster = dict.fromkeys(((groups_at[0][0], image) for image in matched.params.images), 0)
    for groups in groups_at:
        group_of = dict(zip(categories, groups, strict=True))
        for (of_category, image), n_objects in matched.objects.items():
            n_per_cluster[group_of[of_category], image] = n_objects
    n_objects_of = Counter[Any]()
    for (of_category, _), n_objects in matched.objects.items():
        n_objects_of[of_category] += n_objects
    n_positives = {
        group: n_objects_of[of_category]
        for groups in groups_at
        for of_category, group in zip(categories, groups, strict=True)
    }

    groups_name = "class" if len(overlaps) == 1 else "class at an overlap"
    columns = {
        "correct": matched.is_hit[places][is_kept],
        "confidence": matched.score[detection],
        groups_name: np.array(groups_at, dtype=object)[at_overlap, category],
        "image": matched.image[detection],
        "category": np.array(names, dtype=object)[category],
        "overlap": np.asarray(overlaps)[at_overlap],
    }
    roles = {
        "y_true": "correct",
        "y_score": "confidence",
        "groups": groups_name,
        "clusters": "image",
    }
    overlap = overlaps[0] if len(overlaps) == 1 else MEAN_OVERLAP
    conditions = select_conditions(overlap=overlap, **options)
    return Retrieved(columns, roles, n_positives, n_per_cluster, conditions)


read_coco.__module__ = "sklearn_ap.readers"  # where users find it
