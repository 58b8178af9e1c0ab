"""Boxes of PASCAL VOC: XML files of objects, text files of detections, or arrays of both."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain, compress
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

import numpy as np

from .._arrays.host import to_host
from .._words.parameters import format_value
from .boxes import check_corners, check_dicts
from .entries import parse_number
from .files import decode, read_content
from .retrieved import refuse_score

_FIELDS_OF_LINES = "image", "score", "x1", "y1", "x2", "y2"
_CORNERS = "bndbox/xmin", "bndbox/ymin", "bndbox/xmax", "bndbox/ymax"


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
    """Return what a detector has found. A text file is named after one of the classes."""
    if isinstance(detections, str | PathLike):
        label_of: dict[Path, Any] = {}
        for path in _list_files(detections, ".txt", "comp4_det_test_cat.txt"):
            label = _find_class(path, classes)
            if label in label_of.values():
                raise ValueError(
                    f"{detections} has several files of the class {label!r}, of which {path.name} "
                    "is one. Keep a file for each class."
                )
            label_of[path] = label
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
        raise ValueError(f"{folder} has no {ending} files, such as {example}.")
    return paths


def _find_class(path: Path, classes: Collection[Any]) -> Any:
    """Return the class of a file, such as "light" of comp4_det_test_light.txt: the longest one with
    which its name ends.
    """
    fitting = [each for each in classes if f"_{path.stem}".endswith(f"_{each}")]
    if not fitting:
        raise ValueError(
            f"{path} must be named after a class, as comp4_det_test_cat.txt is. The classes of "
            f"annotations are {', '.join(map(str, classes))}."
        )
    return max(fitting, key=lambda each: len(str(each)))


def _read_lines(path: Path, label: Any) -> VocBoxes:
    """Read the detections of a class, one a line."""
    images, numbers = [], []
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
        except ValueError as error:
            raise ValueError(f"line {place} of {path}: {error}.") from None
        images.append(decode(fields[0]))
    columns = np.array(numbers).reshape(-1, 5)
    corners, _ = check_corners(str(path), columns[:, 1:])
    return VocBoxes(images, [label] * len(images), corners.tolist(), columns[:, 0].tolist())


def _read_xml(path: Path) -> VocBoxes:
    """Read the objects of an image, which is called like the file."""
    annotation, content = _Annotation(), read_content(path, "annotations")
    try:
        annotation.parser.Parse(content, True)
    except expat.ExpatError as error:
        words = f"it is not XML ({expat.ErrorString(error.code)})"
        raise ValueError(f"line {error.lineno} of {path}: {words}.") from None
    except ValueError as error:
        line = annotation.parser.CurrentLineNumber
        raise ValueError(f"line {line} of {path}: {error}.") from None
    check_corners(str(path), np.array(annotation.corners))
    images = [path.stem] * len(annotation.labels)
    return VocBoxes(images, annotation.labels, annotation.corners, annotation.difficult)


class _Annotation:
    """What an XML file says about the objects of an image, in which `parser` finds them."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.corners: list[list[float]] = []
        self.difficult: list[float] = []
        self._tags: list[str] = []  # of the elements around the place that is parsed
        # Of the last object: those of its parts, such as heads, are "part/name".
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
        self._tags.append(tag)
        if self._tags[0] != "annotation":
            raise ValueError(f"VOC's files begin with <annotation>, but this one with <{tag}>")
        if self._is_object():
            self._text_of = {}

    def _add_text(self, text: str) -> None:
        if self._tags[1:2] == ["object"]:
            place = "/".join(self._tags[2:])
            self._text_of[place] = self._text_of.get(place, "") + text

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
