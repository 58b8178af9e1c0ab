"""PASCAL VOC: XML files of objects, text files of detections, or arrays of both."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain, compress, pairwise
from math import inf, isfinite
from numbers import Real
from os import PathLike
from os.path import commonprefix
from pathlib import Path
from typing import Any, NamedTuple, cast
from xml.parsers import expat

import numpy as np

from .._arrays.host import to_host
from .._enter.entry import public
from .._words.messages import format_count, warn
from .._words.parameters import format_list, format_value
from ..core.ragged import Array, is_first
from .boxes import check_corners, check_dicts, check_types
from .coco import make_detection_table
from .detections import CocoParams, MatchedDetections
from .entries import parse_number
from .files import decode, is_source, make_file_error, name_files_in_errors, read_content
from .matching import find_pairs, split_by_pairs
from .retrieved import Retrieved, refuse_score, separate_ties

_FIELDS_OF_LINES = "image", "score", "x1", "y1", "x2", "y2"
_CORNERS = "bndbox/xmin", "bndbox/ymin", "bndbox/xmax", "bndbox/ymax"
# The elements of an object, each of which it has once: "bndbox/xmin" is below <bndbox>.
_ELEMENTS = "name", "difficult", "bndbox", *_CORNERS
_MAX_DEPTH = 100  # of elements
# What the names of a lone file may have before the class, as the devkit and py-faster-rcnn write it
_PREFIX_OF_VOC = re.compile(r"((comp\d+_([^_]+_)?)?det_)?((train|val|trainval|test)_)?")
_MAX_ABSENT = 0.1  # note if more than this fraction of the images with objects has no detection


class VocBoxes(NamedTuple):
    """Objects or detections, in the order in which they were read."""

    images: list[Any]
    labels: list[Any]  # the classes
    corners: list[list[float]]  # x1, y1, x2 and y2
    values: list[float]  # whether each object is difficult, or the score of each detection

    def keep(self, is_kept: list[bool]) -> VocBoxes:
        return VocBoxes(*([*compress(column, is_kept)] for column in self))


def read_objects(annotations: Any) -> tuple[list[Any], VocBoxes]:
    """Return the images, also those without objects, and the objects in them."""
    if isinstance(annotations, str | PathLike):
        paths = _list_files(annotations, ".xml", "those in VOCdevkit/VOC2007/Annotations")
        return [path.stem for path in paths], _merge_boxes(_read_xml(path) for path in paths)
    fields_of = _map_images(annotations, "annotations")
    parts = [
        _read_arrays(f"annotations[{image!r}]", image, fields, "difficult")
        for image, fields in fields_of.items()
    ]
    return [*fields_of], _merge_boxes(parts)


def read_detections(detections: Any, classes: Collection[Any]) -> VocBoxes:
    """Return what a detector has found. A text file is named after its class."""
    if isinstance(detections, str | PathLike):
        paths = _list_files(detections, ".txt", "comp4_det_test_cat.txt")
        label_of = _find_classes(paths, classes)
        return _merge_boxes(_read_lines(path, label) for path, label in label_of.items())
    fields_of = _map_images(detections, "detections")
    return _merge_boxes(
        _read_arrays(f"detections[{image!r}]", image, fields, "scores")
        for image, fields in fields_of.items()
    )


def _merge_boxes(parts: Iterable[VocBoxes]) -> VocBoxes:
    columns = zip(VocBoxes([], [], [], []), *parts, strict=True)
    return VocBoxes(*([*chain.from_iterable(column)] for column in columns))


# --- files ----------------------------------------------------------------------------------------


def _list_files(folder: str | PathLike[str], ending: str, example: str) -> list[Path]:
    paths = sorted(path for path in Path(folder).iterdir() if path.suffix.lower() == ending)
    if not paths:
        raise make_file_error(f"{folder} has no {ending} files, such as {example}.")
    for one, other in pairwise(paths):
        if one.stem == other.stem:  # as in i1.XML and i1.xml, which only the ending tells apart
            raise make_file_error(f"{one} and {other.name} have the same name. Keep one of them.")
    return paths


def _find_classes(paths: Sequence[Path], classes: Collection[Any]) -> dict[Path, Any]:
    """Return the class of each file, such as "light" of comp4_det_test_light.txt. Files of classes
    without objects are left out.
    """
    label_of_name = {str(each): each for each in classes}
    for prefix in _list_prefixes([path.stem for path in paths]):
        found = {
            path: label_of_name[path.stem.removeprefix(prefix)]
            for path in paths
            if path.stem.removeprefix(prefix) in label_of_name
        }
        if found:
            break
    else:
        raise make_file_error(
            f"{paths[0].parent} has no file that is named after a class of annotations, which are "
            f"{', '.join(label_of_name)}. Got {format_list([path.name for path in paths], str)}. "
            "Name each file after its class, as in cat.txt or comp4_det_test_cat.txt."
        )
    if left_out := [path.name for path in paths if path not in found]:
        begin = f" after {prefix!r}" if prefix else ""
        warn(
            f"Left out {len(left_out):,} of {len(paths):,} files of detections, whose names"
            f"{begin} are no class that has objects: {format_list(left_out, str)}."
        )
    return found


def _list_prefixes(stems: Sequence[str]) -> list[str]:
    """Return what may come before the class in the names of files: nothing, what VOC's files have,
    or words that all names share. A lone file may only have the first two, because in "fire_truck"
    the first word could be of its class.
    """
    shared = commonprefix(stems)  # noqa: RUF071
    of_voc = cast("re.Match[str]", _PREFIX_OF_VOC.match(shared))[0]
    if len(stems) == 1:
        return ["", of_voc]
    ends = [place + 1 for place, sign in enumerate(shared) if sign == "_"]
    return ["", of_voc, *(shared[:end] for end in ends)]


def _read_lines(path: Path, label: Any) -> VocBoxes:
    """Read the detections of a class, one a line."""
    images, numbers, places = [], [], []
    for place, line in enumerate(read_content(path, path.name).splitlines(), 1):
        fields = line.split()
        if not fields:
            continue
        try:
            if len(fields) != len(_FIELDS_OF_LINES):
                raise ValueError(
                    f"each line needs {', '.join(_FIELDS_OF_LINES)}, but this one has "
                    f"{len(fields)} fields"
                )
            numbers.append([parse_number(field, is_whole=False) for field in fields[1:]])
            if not isfinite(numbers[-1][0]):
                raise ValueError(
                    f"the score of a detection must be a finite number. Got {numbers[-1][0]}"
                )
        except ValueError as error:
            raise make_file_error(f"line {place} of {path}: {error}.") from None
        images.append(decode(fields[0]))
        places.append(place)
    columns = np.array(numbers).reshape(-1, 5)
    corners = _check_boxes(path, [f"line {place}" for place in places], columns[:, 1:])
    return VocBoxes(images, [label] * len(images), corners.tolist(), columns[:, 0].tolist())


def _check_boxes(path: Path, places: Sequence[str], corners: Array) -> Array:
    """Return the corners of boxes, whose places in a file are for errors."""
    try:
        return check_corners(str(path), corners)[0]
    except ValueError:
        for place, box in zip(places, corners, strict=True):
            check_corners(f"{place} of {path}", box)
        raise


def _read_xml(path: Path) -> VocBoxes:
    """Read the objects of an image, which is called like the file."""
    annotation, content = _Annotation(), read_content(path, "annotations")
    try:
        annotation.parser.Parse(content, True)
    except expat.ExpatError as error:
        words = f"it is not XML ({expat.ErrorString(error.code)})"
        raise make_file_error(f"line {error.lineno} of {path}: {words}.") from None
    except LookupError as error:  # of an encoding
        raise make_file_error(f"line 1 of {path}: {error.args[0]}.") from None
    except ValueError as error:
        line = annotation.parser.CurrentLineNumber
        raise make_file_error(f"line {line} of {path}: {error}.") from None
    places = [f"object {number}" for number in range(1, 1 + len(annotation.labels))]
    _check_boxes(path, places, np.array(annotation.corners))
    images = [path.stem] * len(annotation.labels)
    return VocBoxes(images, annotation.labels, annotation.corners, annotation.difficult)


class _Annotation:
    """What an XML file says about the objects of an image, in which `parser` finds them."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.corners: list[list[float]] = []
        self.difficult: list[float] = []
        self._tags: list[str] = []  # of the elements around the place that is parsed
        # The elements of the last object with their texts. Those of its parts, such as heads, are
        # "part/name", and aren't read.
        self._text_of: dict[str, str] = {}
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._check_declaration
        self.parser.StartElementHandler = self._start
        self.parser.CharacterDataHandler = self._add_text
        self.parser.EndElementHandler = self._end

    def _check_declaration(self, name: str, file: Any, _: Any, has_entities: int) -> None:
        """Refuse what could read other files, or grow without bounds."""
        if file or has_entities:
            raise ValueError(
                f"<!DOCTYPE {name}> declares entities or names another file, neither of which is "
                "read. Remove it"
            )

    def _start(self, tag: str, _: Any) -> None:
        around = self._find_element()
        if around in _ELEMENTS and around != "bndbox":
            raise ValueError(f"<{self._tags[-1]}> contains <{tag}>, but must be text")
        self._tags.append(tag)
        if self._tags[0] != "annotation":
            raise ValueError(f"VOC's files begin with <annotation>, but this one with <{tag}>")
        if len(self._tags) > _MAX_DEPTH:
            raise ValueError(f"elements are nested more than {_MAX_DEPTH} deep")
        if self._is_object():
            self._text_of = {}
        elif tag == "object":
            raise ValueError(f"an <object> is below <{self._tags[-2]}> instead of <annotation>")
        place = self._find_element()
        if tag == "difficult" and place != tag and "object" in self._tags:
            raise ValueError(f"<difficult> is below <{self._tags[-2]}> instead of <object>")
        if place in _ELEMENTS:
            if place in self._text_of:
                raise ValueError(f"<{tag}> is there twice in an <object>")
            self._text_of[place] = ""

    def _find_element(self) -> str:
        """Return the place within an object, such as "bndbox/xmin", or nothing outside of one."""
        return "/".join(self._tags[2:]) if self._tags[1:2] == ["object"] else ""

    def _add_text(self, text: str) -> None:
        place = self._find_element()
        if place in _ELEMENTS:
            self._text_of[place] += text

    def _end(self, _: str) -> None:
        if self._is_object():
            self._add_object({key: text.strip() for key, text in self._text_of.items()})
        self._tags.pop()

    def _is_object(self) -> bool:
        return self._tags[1:] == ["object"]

    def _add_object(self, text_of: Mapping[str, str]) -> None:
        for key in ("name", *_CORNERS):
            if not text_of.get(key):
                raise ValueError(f"an <object> has no <{key.replace('/', '><')}>")
        difficult = text_of.get("difficult") or "0"
        if difficult not in ("0", "1"):
            raise ValueError(f"<difficult> must be 0 or 1. Got {difficult!r}")
        self.labels.append(text_of["name"])
        self.corners.append([parse_number(text_of[key].encode(), False) for key in _CORNERS])
        self.difficult.append(float(difficult))


# --- arrays ---------------------------------------------------------------------------------------


def _map_images(source: Any, role: str) -> Mapping[Any, Mapping[str, Any]]:
    """Return the fields of each image. Those of a list are called by their places."""
    if not isinstance(source, Mapping):
        check_dicts(role, source)
        return dict(enumerate(source))
    check_dicts(f"The values of {role}", [*source.values()])
    return source


def _read_arrays(name: str, image: Any, fields: Mapping[str, Any], of_values: str) -> VocBoxes:
    """Read the boxes of an image, whose `name` is for errors. `of_values` is "difficult", which may
    be missing, or "scores".
    """
    for field in ("boxes", "labels", of_values):
        if field not in fields and field != "difficult":
            raise ValueError(f"{name} has no {field!r}, which every image needs.")
    corners, _ = check_corners(name, np.asarray(to_host(fields["boxes"])))
    n_boxes = len(corners)
    labels = np.asarray(to_host(fields["labels"]))
    values = np.asarray(to_host(fields.get(of_values, np.zeros(n_boxes))))
    if labels.shape != (n_boxes,) or values.shape != (n_boxes,):
        raise ValueError(
            f"{name} must have as many labels and {of_values} as boxes, {n_boxes:,}. Got "
            f"{labels.size:,} labels and {values.size:,} {of_values}."
        )
    if of_values == "difficult" and not np.isin(values, (0, 1)).all():
        raise ValueError(
            f"difficult of {name} must be 0 or 1. Got {format_value(values.tolist())}."
        )
    if values.size and values.dtype.kind not in "biuf":
        refuse_score(values.tolist()[0])
    return VocBoxes([image] * n_boxes, labels.tolist(), corners.tolist(), values.tolist())


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
        with lines of image, score, x1, y1, x2 and y2. All names begin alike. Or a mapping from
        images to dicts of "boxes", "labels" and "scores". If both are lists of dicts, these pair by
        position.
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
    with name_files_in_errors(annotations=annotations, detections=detections, image_set=image_set):
        return _read_and_match(annotations, detections, image_set, float(overlap), use_difficult)


def _read_and_match(
    annotations: Any, detections: Any, image_set: Any, overlap: float, use_difficult: bool
) -> Retrieved:
    images, objects = read_objects(annotations)
    check_types("The images of annotations", images)
    classes = [*dict.fromkeys(objects.labels)]
    if not classes:
        raise ValueError("annotations has no objects.")
    found = read_detections(detections, classes)
    _check_detections(found, images, classes)
    if image_set is None:
        _note_absent_images(objects, found)
    else:
        chosen = _read_image_set(image_set, images)
        images = [*chosen]
        objects = objects.keep([image in chosen for image in objects.images])
        is_inside = [image in chosen for image in found.images]
        if n_outside := is_inside.count(False):
            warn(
                f"Left out {n_outside:,} of {len(is_inside):,} detections, whose images aren't in "
                "image_set."
            )
        found = found.keep(is_inside)
    matched = _match(images, objects, found, overlap, use_difficult)
    if not matched.objects:
        raise ValueError("annotations has no objects that count in these images.")
    return make_detection_table(matched, [0], [overlap], use_difficult=use_difficult)


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
    if not all(isinstance(image, Hashable) for image in chosen):
        raise TypeError(
            f"image_set must be a list of images. Got {format_value(image_set)} instead."
        )
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
