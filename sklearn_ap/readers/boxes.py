"""Boxes of objects and of detections, from files or from arrays."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from .._arrays.host import to_host
from .._package import read_toml
from .._words.parameters import format_value
from ..core.ragged import Array
from .files import is_source, make_file_error, name_source, parse_json, read_content

# What COCO calls the fields of torchmetrics
_COCO_NAMES = {"labels": "category_id", "scores": "score", "iscrowd": "iscrowd"}
# Where objects of other tools, supervision's and Ultralytics', have them
_FIELDS_OF_TOOLS = {
    ("xyxy", "class_id"): {"boxes": "xyxy", "scores": "confidence", "labels": "class_id"},
    ("boxes", "orig_shape"): {"boxes": "boxes.xyxy", "scores": "boxes.conf", "labels": "boxes.cls"},
}
_KEYS = {
    "annotations": ("image_id", "category_id", "bbox", "area"),
    "detections": ("image_id", "category_id", "score", "bbox"),
    "images": ("id",),
    "categories": ("id",),
}
_ALLOWED_VALUES = {
    "bbox": "four finite numbers, x, y, width and height, both sides >= 0",
    "area": "a finite number >= 0",
    "score": "a finite number",
    "iscrowd": "the number 0 or 1",
}


def read_boxes(ground_truth: Any, detections: Any) -> tuple[Mapping[str, Any], list[Any]]:
    """Return the contents of COCO's two files: the data set, and its list of detections."""
    if detections is None:
        raise TypeError("read_coco needs detections, unless annotations is a COCOeval.")
    truth = read_json(ground_truth, "annotations")
    boxes = read_json(detections, "detections")
    if isinstance(boxes, Mapping):
        advice = "Pass the annotations first."
        if "annotations" not in boxes:  # of several detectors
            advice = (
                "For several detectors, call read_coco for each, as in {name: "
                "read_coco(annotations, each) for name, each in detections.items()}."
            )
        raise ValueError(f"detections must be a list. {advice}")
    check_dicts("detections", boxes)
    if isinstance(truth, Mapping):
        check_keys("annotations", truth, ("images", "categories", "annotations"))
        for name in ("images", "categories", "annotations"):
            check_dicts(f"{name!r} of annotations", truth[name])
            check_entries(name, truth[name])
        check_entries("detections", boxes)
    else:
        check_dicts("annotations", truth)
        truth, boxes = _convert_arrays(truth, boxes)
    if not truth["annotations"]:
        raise ValueError("annotations has no objects.")
    _check_ids(truth, boxes)
    _check_names(truth["categories"])
    return truth, boxes


def _check_ids(truth: Mapping[str, Any], boxes: list[Any]) -> None:
    """Check that ids are unique and known. pycocotools would drop the others without a word."""
    ids_of_objects = [entry["id"] for entry in truth["annotations"] if "id" in entry]
    _check_unique(
        "annotations",
        ids_of_objects,
        "pycocotools would mix them up. Number the annotations from 1.",
    )
    for key, place in (("category_id", "categories"), ("image_id", "images")):
        ids = [entry["id"] for entry in truth[place]]
        check_types(f"The ids of {place}", ids)
        if place == "categories":
            _check_unique(place, ids, "only one can be meant. Give each category an id of its own.")
        for role, entries in (("annotations", truth["annotations"]), ("detections", boxes)):
            _check_known_ids(ids, place, [entry[key] for entry in entries], key, role)


def _check_unique(place: str, ids: Collection[Any], advice: str) -> None:
    check_types(f"The ids of {place}", ids)
    [(most_common, number)] = Counter(ids).most_common(1) or [(None, 0)]
    if number > 1:
        raise ValueError(f"{number} {place} have the id {most_common!r}, and {advice}")


def _check_names(categories: Collection[Mapping[str, Any]]) -> None:
    for place, entry in enumerate(categories):
        if not isinstance(entry.get("name", ""), str | Real):
            raise ValueError(
                f"The name of categories[{place}] must be text. Got {format_value(entry['name'])} "
                "instead."
            )


def check_types(what: str, ids: Collection[Any]) -> None:
    """Check that ids can be sorted, and that equal ones have the same type."""
    example_of_type = {Real if isinstance(each, Real) else type(each): each for each in ids}
    if len(example_of_type) > 1 or not example_of_type.keys() <= {Real, str}:
        raise ValueError(
            f"{what} must be all integers or all strings. Got "
            f"{' and '.join(map(format_value, example_of_type.values()))}."
        )


def _check_known_ids(ids: list[Any], place: str, used: list[Any], key: str, role: str) -> None:
    """Check the ids that entries of this role have as their `key`, such as "image_id".

    They must be among `ids`, those of a `place` of the data set, such as "images".
    """
    known = {*ids}
    have_names = all(issubclass(kind, Real | str) for kind in {*map(type, used)})
    if have_names and known.issuperset(used):
        return
    unknown = [each for each in used if not (isinstance(each, Real | str) and each in known)]
    id_of_text = {str(each): each for each in ids}
    for each in unknown:
        if str(each) in id_of_text:
            raise ValueError(
                f"{role} have {key}={each!r}, but {place} have id={id_of_text[str(each)]!r}. "
                "Convert one of them, because ids of different types never match."
            )
    advice = f"Add them to {place}."
    if role == "detections":
        advice = read_toml("_words/messages.toml")["unknown_ids"][key]
    distinct = [*{repr(each): each for each in unknown}.values()]
    raise ValueError(
        f"The {key} of {role} must be among the ids of {place}, {format_value(ids)}. Got "
        f"{format_value(distinct)} in {len(unknown):,} of {len(used):,} {role}. {advice}"
    )


def read_box_columns(role: str, entries: Collection[Mapping[str, Any]]) -> dict[str, Array]:
    """Return the numbers of entries, which are checked: a box of NaN would match every object."""
    check_entries(role, entries)
    columns = {"bbox": _convert_to_floats("bbox", [entry["bbox"] for entry in entries])}
    if role == "annotations":
        columns["area"] = _convert_to_floats("area", [entry["area"] for entry in entries])
        crowds = [entry.get("iscrowd", 0) for entry in entries]
        columns["iscrowd"] = _convert_to_floats("iscrowd", crowds)
    else:
        columns["score"] = _convert_to_floats("score", [entry["score"] for entry in entries])
    if all(map(_are_allowed, columns, columns.values())):
        return columns
    for number, entry in enumerate(entries):
        for key in columns.keys() & entry.keys():
            if not _are_allowed(key, _convert_to_floats(key, [entry[key]])):
                raise ValueError(
                    f"The {key} of {role}[{number}], in the image {entry['image_id']!r}, must be "
                    f"{_ALLOWED_VALUES[key]}. Got {format_value(entry[key])} instead."
                )
    raise AssertionError(columns)


def _convert_to_floats(key: str, values: list[Any]) -> Array:
    """Return the numbers, or boxes, that entries have as their `key` as floats, or nan if one of
    them isn't a number.
    """
    try:
        kinds = {*map(type, chain.from_iterable(values) if key == "bbox" else values)}
        if key == "iscrowd":
            kinds.discard(bool)
        if all(issubclass(kind, Real) and not issubclass(kind, bool) for kind in kinds):
            return np.array(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        pass
    return np.full(len(values), np.nan)


def _are_allowed(key: str, column: Array) -> bool:
    """Whether this column of `read_box_columns` has only legal values."""
    if not column.size:
        return True
    if key == "iscrowd":
        return bool(np.isin(column, (0, 1)).all())
    if key == "area":
        return bool(((column >= 0) & (column < inf)).all())
    if key == "score":
        return bool(np.isfinite(column).all())
    if column.shape[1:] != (4,):
        return False
    sides = column[:, 2:]
    with np.errstate(over="ignore"):
        reach = np.prod(np.abs(column[:, :2]) + sides, axis=1)
    return bool((sides >= 0).all() and np.isfinite(reach).all())


def check_entries(role: str, entries: Iterable[Mapping[str, Any]]) -> None:
    """Check that each entry has the keys of its role."""
    for place, entry in enumerate(entries):
        check_keys(f"{role}[{place}]", entry, _KEYS[role])


def check_keys(name: str, entry: Mapping[str, Any], keys: Iterable[str]) -> None:
    for key in keys:
        if key not in entry:
            raise ValueError(f"{name} has no {key!r}.")


def read_json(contents: Any, role: str) -> Any:
    """Return the contents of a JSON file, unless it was parsed already."""
    if not is_source(contents):
        return contents
    content = read_content(contents, role)
    try:
        return parse_json(content)
    except ValueError as error:
        raise make_file_error(f"{name_source(contents, role)} is not JSON: {error}.") from None


def check_dicts(name: str, entries: Any) -> None:
    is_list = isinstance(entries, Collection) and not isinstance(entries, Mapping)
    if not is_list or not all(issubclass(kind, Mapping) for kind in set(map(type, entries))):
        raise TypeError(
            f"{name} must be a list of dicts. Got {format_value(entries)} instead."
            f"{_advise_on_objects(name, entries)}"
        )


def _advise_on_objects(name: str, entries: Any) -> str:
    """Say which dicts to make of the objects of other tools, if their attributes are known."""
    first = entries[0] if isinstance(entries, list | tuple) and entries else entries
    for attributes, fields in _FIELDS_OF_TOOLS.items():
        if all(hasattr(first, attribute) for attribute in attributes):
            wanted = [field for field in fields if field != "scores" or name == "detections"]
            pairs = ", ".join(f"{field!r}: each.{fields[field]}" for field in wanted)
            return f" Pass a dict for each image, as {{{pairs}}}."
    return ""


def _convert_arrays(targets: Any, preds: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Convert the lists of torchmetrics to what COCO's files contain.

    Both lists have one dict of arrays for each image, which gets its place in the lists as its id.
    """
    if len(targets) != len(preds):
        raise ValueError(f"There are targets of {len(targets)} images, but preds of {len(preds)}.")
    objects: list[dict[str, Any]] = []
    boxes: list[dict[str, Any]] = []
    for image, target in enumerate(targets):
        objects += _convert_boxes("targets", target, image)
    for image, pred in enumerate(preds):
        boxes += _convert_boxes("preds", pred, image)
    images = [{"id": image} for image in range(len(targets))]
    categories = [{"id": each} for each in {row["category_id"] for row in objects + boxes}]
    return {"images": images, "categories": categories, "annotations": objects}, boxes


def _convert_boxes(role: str, fields: Mapping[str, Any], image: int) -> list[dict[str, Any]]:
    """Return the boxes of an image as COCO has them, one dict each.

    `fields` are the arrays of torchmetrics, whose boxes are x1, y1, x2, y2. Those of COCO are x, y,
    width, height.
    """
    if "difficult" in fields:
        raise ValueError(
            f"{role}[{image}] has 'difficult', but COCO's matching knows no difficult objects. "
            "Leave it out to count them like others, or match as PASCAL VOC does, with read_voc."
        )
    needed = ("boxes", "labels", "scores") if role == "preds" else ("boxes", "labels")
    check_keys(f"{role}[{image}]", fields, needed)
    arrays = {name: np.asarray(to_host(array)) for name, array in fields.items()}
    corners, sizes = check_corners(f"{role}[{image}]", arrays["boxes"])
    columns = {coco: arrays[name].tolist() for name, coco in _COCO_NAMES.items() if name in arrays}
    columns["bbox"] = np.hstack([corners[:, :2], sizes]).tolist()
    area = np.asarray(arrays.get("area", 0))  # of the mask, or else of the box
    columns["area"] = np.where(area > 0, area, sizes.prod(axis=1)).tolist()
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise ValueError(
            f"{role}[{image}] must have as many labels and scores as boxes, {len(corners)}. Got "
            f"{format_value({name: len(array) for name, array in arrays.items()})}."
        )
    return [
        dict(zip(columns, row, strict=True), image_id=image)
        for row in zip(*columns.values(), strict=True)
    ]


def check_corners(name: str, boxes: Array) -> tuple[Array, Array]:
    """Return the corners of boxes, x1, y1, x2 and y2, and their widths and heights, in two arrays
    of shapes (n_boxes, 4) and (n_boxes, 2).
    """
    corners = np.atleast_2d(boxes) if boxes.size else np.zeros((0, 4))
    sizes, wrong = np.zeros((0, 2)), boxes
    if corners.shape[1:] == (4,) and corners.dtype.kind in "iuf":
        if corners.dtype.kind != "f":
            corners = corners.astype(float)  # differences of unsigned integers would wrap around
        with np.errstate(over="ignore", invalid="ignore"):
            sizes = (corners[:, 2:] - corners[:, :2]).astype(float)
        is_finite = np.isfinite(np.hstack([corners, sizes])).all(axis=1)
        wrong = corners[~is_finite | (sizes < 0).any(axis=1)]
    if wrong.size:
        raise make_file_error(
            f"The boxes of {name} must each be four finite numbers, x1, y1, x2 and y2, with "
            f"x1 <= x2 and y1 <= y2. Got {format_value(wrong.tolist())} instead."
        )
    return corners, sizes
