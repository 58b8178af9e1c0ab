"""PASCAL VOC: files and arrays of boxes, matched as py-faster-rcnn matches them."""

import math
import re
import warnings
from collections import defaultdict
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap.readers import read_coco, read_voc

from .detections import DIFFICULT, detected

ABSENT = "ignore:There is no detection in .* images with objects"

# --- py-faster-rcnn's voc_eval, in plain loops ----------------------------------------------------


def overlap_of(a, b):
    """The overlap of boxes that contain the pixels of both corners."""
    width = max(min(a[2], b[2]) - max(a[0], b[0]) + 1.0, 0.0)
    height = max(min(a[3], b[3]) - max(a[1], b[1]) + 1.0, 0.0)
    shared = width * height
    area_a = (a[2] - a[0] + 1.0) * (a[3] - a[1] + 1.0)
    area_b = (b[2] - b[0] + 1.0) * (b[3] - b[1] + 1.0)
    return shared / (area_a + area_b - shared)


def match_class(objects, found, threshold, use_difficult):
    """Return the image of each detection of a class with its result, "hit", "miss" or "ignored",
    the most confident first, and how many objects count.

    `objects` are pairs of a box and whether it is difficult, by image, and `found` are triples of
    an image, a score and a box.
    """
    n_objects = 0
    for of_image in objects.values():
        for _, is_difficult in of_image:
            if use_difficult or not is_difficult:
                n_objects += 1
    taken = {image: [False] * len(of_image) for image, of_image in objects.items()}
    results = []
    for image, _, box in sorted(found, key=lambda each: -each[1]):  # sorted() is stable
        largest, nearest = -math.inf, None
        for place, (other, _) in enumerate(objects[image]):
            overlap = overlap_of(box, other)
            if overlap > largest:  # of equal overlaps the first, as by argmax
                largest, nearest = overlap, place
        if largest > threshold:
            if objects[image][nearest][1] and not use_difficult:
                results.append((image, "ignored"))
            elif taken[image][nearest]:
                results.append((image, "miss"))
            else:
                taken[image][nearest] = True
                results.append((image, "hit"))
        else:
            results.append((image, "miss"))
    return results, n_objects


def average_precision(results, n_objects, use_07_metric):
    n_hits, n_misses, points = 0, 0, []
    for _, result in results:
        n_hits += result == "hit"
        n_misses += result == "miss"
        points.append((n_hits / n_objects, n_hits / max(n_hits + n_misses, 1e-300)))
    if use_07_metric:
        total = 0.0
        for level in np.arange(0.0, 1.1, 0.1):
            total += max([p for recall, p in points if recall >= level], default=0.0) / 11.0
        return total
    total, reached = 0.0, 0.0
    for recall, _ in points:
        if recall > reached:
            total += (recall - reached) * max(p for other, p in points if other >= recall)
            reached = recall
    return total


# --- random sets ----------------------------------------------------------------------------------

CLASSES = "cat", "dog", "light", "traffic_light", "sofa"
# Objects are 10 pixels wide and high. These boxes overlap them by 1/2, 1/4, 3/5, 1 and 1/3.
NEAR = [(0, 0, 9, 4), (0, 0, 4, 4), (0, 0, 9, 5), (0, 0, 9, 9), (5, 0, 14, 9)]
THRESHOLDS = 0.5, 0.5, 0.25, 0.6, 1 / 3, 0.0


def random_set(seed):
    """Return objects and detections with ties, difficult objects, overlaps that equal the
    threshold, crowded objects, and images and classes without either.
    """
    rng = np.random.default_rng(seed)
    images = [f"{number:06}" for number in range(rng.integers(1, 7))]
    classes = CLASSES[: rng.integers(1, 6)]
    objects = {image: [] for image in images}
    for _ in range(rng.integers(1, 25)):
        x, y = rng.choice([1, 4, 11, 40], 2).tolist()
        box = x, y, x + 9, y + 9
        label = str(rng.choice(classes[:4]))
        objects[str(rng.choice(images[:5]))].append((label, box, int(rng.random() < 0.25)))
    found = []
    for _ in range(rng.integers(0, 60)):
        image = str(rng.choice(images))
        label = str(rng.choice(classes))
        x, y = rng.choice([1, 4, 11, 40, 90], 2).tolist()
        if objects[image] and rng.random() < 0.8:
            label, (x, y, _, _), _ = objects[image][rng.integers(len(objects[image]))]
        left, top, right, low = NEAR[rng.integers(len(NEAR))]
        box = np.add([x, y, x, y], [left, top, right, low])
        if rng.random() < 0.3:
            box = np.sort(np.round(box + rng.normal(0, 1.5, 4), 2).reshape(2, 2), axis=0).ravel()
        score = round(rng.random(), int(rng.choice([1, 1, 6])))
        found.append((image, label, score, tuple(box.tolist())))
    return objects, found


def as_mappings(objects, found):
    """Each image has a dict. Detections have the order of `found` only within an image."""
    annotations, detections = {}, {}
    for image, of_image in objects.items():
        labels, boxes, difficult = zip(*of_image, strict=True) if of_image else ([], [], [])
        annotations[image] = {"boxes": boxes, "labels": labels, "difficult": difficult}
    for image, label, score, box in found:
        fields = detections.setdefault(image, {"boxes": [], "labels": [], "scores": []})
        fields["boxes"].append(box)
        fields["labels"].append(label)
        fields["scores"].append(score)
    return annotations, detections


def xml_of(objects, declaration=""):
    lines = [declaration, "<annotation><filename>other.jpg</filename><size><width>9</width></size>"]
    for label, (left, top, right, low), difficult in objects:
        lines += [
            f"<object><name>{label}</name><pose>Left</pose><difficult>{difficult}</difficult>",
            "<part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax>",
            "<ymax>2</ymax></bndbox></part>",
            f"<bndbox><xmin>{left}</xmin><ymin>{top}</ymin>",
            f"<xmax>{right}</xmax><ymax>{low}</ymax></bndbox></object>",
        ]
    return "\n".join([*lines, "</annotation>"]).lstrip()


def write_files(folder, objects, found, classes, name="comp4_det_test_{}.txt"):
    """Write the files of VOC, and return their folders."""
    annotations, detections = folder / "Annotations", folder / "results"
    for each in (annotations, detections):
        each.mkdir(parents=True, exist_ok=True)
    for image, of_image in objects.items():
        (annotations / f"{image}.xml").write_text(xml_of(of_image), encoding="utf-8")
    for label in classes:
        lines = [
            " ".join(map(str, [image, score, *box]))
            for image, of_class, score, box in found
            if of_class == label
        ]
        (detections / name.format(label)).write_text("\n".join([*lines, ""]), encoding="utf-8")
    return annotations, detections


def check_set(objects, found, given, image_set=None, **options):
    """Compare matches and values with those of py-faster-rcnn. `found` has the order of `given`."""
    threshold = options.get("overlap", 0.5)
    use_difficult = options.get("use_difficult", False)
    images = [*objects] if image_set is None else image_set
    expected, values = {}, {}
    for label in {label for of_image in objects.values() for label, _, _ in of_image}:
        of_class = {
            image: [(box, difficult) for name, box, difficult in objects[image] if name == label]
            for image in images
        }
        of_detector = [
            (image, score, box)
            for image, name, score, box in found
            if name == label and image in images
        ]
        results, n_objects = match_class(of_class, of_detector, threshold, use_difficult)
        if n_objects:
            expected[label] = [each for each in results if each[1] != "ignored"], n_objects
            values[label] = [average_precision(results, n_objects, each) for each in (True, False)]
    if not expected:
        with pytest.raises(ValueError, match="no objects that count"):
            read_voc(*given, image_set=image_set, **options)
        return
    table = read_voc(*given, image_set=image_set, **options)
    rows = defaultdict(list)
    by_confidence = np.argsort(-table.columns["confidence"], kind="stable")
    columns = (table.columns[name][by_confidence] for name in ("class", "image", "correct"))
    for label, image, correct in zip(*columns, strict=True):
        rows[label].append((image, "hit" if correct else "miss"))
    assert table.n_positives == {label: n for label, (_, n) in expected.items()}
    assert {label: rows.get(label, []) for label in expected} == {
        label: results for label, (results, _) in expected.items()
    }
    assert rows.keys() <= expected.keys()
    assert {image for _, image in table.n_per_cluster} == {*images}
    for place, name in enumerate(["VOC07", "VOC2010"]):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "There are no rows")
            by_class = ap.metric(name).by_name(data=table)
            mean = ap.metric(name)(data=table)
        assert by_class == pytest.approx({label: each[place] for label, each in values.items()})
        assert mean == pytest.approx(np.mean([each[place] for each in values.values()]))


@pytest.mark.filterwarnings(ABSENT)
@pytest.mark.sweep(25)
@pytest.mark.parametrize("seeds", [range(n, n + 10) for n in range(0, 500, 10)], ids=str)
def test_matches_and_values_are_those_of_py_faster_rcnn(seeds, tmp_path):
    for seed in seeds:
        objects, found = random_set(seed)
        options = {"overlap": THRESHOLDS[seed % 6], "use_difficult": seed % 3 == 0}
        classes = {label for of_image in objects.values() for label, _, _ in of_image}
        files = write_files(tmp_path / str(seed), objects, found, classes)
        check_set(objects, found, files, **options)
        annotations, detections = as_mappings(objects, found)
        by_image = sorted(found, key=lambda each: [*detections].index(each[0]))
        known = {label for _, label, _, _ in found} & classes
        if known or not found:
            check_set(objects, by_image, (annotations, detections), **options)
        chosen = [*objects][:: 1 + seed % 2]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Left out .* detections")
            check_set(objects, found, files, image_set=chosen, **options)


# --- each kind of input ---------------------------------------------------------------------------

ONE = {"boxes": [[1, 1, 10, 10]], "labels": ["cat"]}
FOUND = {"boxes": [[1, 1, 10, 9]], "labels": ["cat"], "scores": [0.9]}
NOTHING = {"boxes": [], "labels": []}


class Tensor:
    """Whatever has `__array__`."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=np.float32 if np.ndim(self.values) == 2 else None)


def rows_of(table):
    columns = (table.columns[name].tolist() for name in ("class", "image", "correct"))
    return [*zip(*columns, strict=True)]


@pytest.mark.parametrize("wrap", [list, np.array, Tensor])
def test_lists_pair_by_position_and_nothing_is_changed(wrap):
    def as_lists(rows):
        return [{name: wrap(values) for name, values in fields.items()} for fields in rows]

    annotations, detections = as_lists([ONE, NOTHING]), as_lists([FOUND, NOTHING | {"scores": []}])
    before = repr([annotations, detections])
    table = read_voc(annotations, detections)
    assert rows_of(table) == [("cat", 0, True)]
    assert table.n_per_cluster == {("cat", 0): 1, ("cat", 1): 0}
    assert table.conditions == {}
    if wrap is not Tensor:
        assert repr([annotations, detections]) == before
    by_name = read_voc({"a": ONE, "b": NOTHING}, {"a": FOUND})
    assert rows_of(by_name) == [("cat", "a", True)]


def test_boxes_are_compared_in_double_precision():
    """In single precision, these overlaps are 0.5 and 0.50000006."""
    corners = [[6.1, 6.1, 24.1, 25.1], [6.9, 6.9, 11.9, 51.9]]
    shorter = [[6.1, 6.1, 24.1, 15.1], [6.9, 6.9, 11.9, 28.9]]
    boxes, found = np.array(corners, dtype=np.float32), np.array(shorter, dtype=np.float32)
    truth = [{"boxes": boxes, "labels": ["cat", "dog"]}]
    found = [{"boxes": found, "labels": ["cat", "dog"], "scores": [0.9, 0.8]}]
    assert read_voc(truth, found).columns["correct"].tolist() == [True, False]


def test_the_table_is_one_of_the_readers():
    objects, found = random_set(3)
    given = as_mappings(objects, found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = read_voc(*given)
        of_coco = detected()
    assert [*table.columns] == [*of_coco.columns]
    assert table.roles == of_coco.roles
    assert table.overlaps == (0.5,)
    interval = ap.confidence_interval(data=table, metric="VOC07")
    assert interval.basis.endswith(f"{len(objects)} images")


def test_boxes_that_begin_with_0_are_converted_as_the_page_says():
    """The overlap is then that of COCO."""
    rng = np.random.default_rng(0)
    start, size = rng.integers(0, 30, (500, 2)), rng.integers(1, 30, (500, 2))
    place, label = {"category_id": 1, "area": 1}, {"labels": [1]}
    for (x, y), (width, height) in zip(start.tolist(), size.tolist(), strict=True):
        corners = [x + 1, y + 1, x + width, y + height]  # of VOC
        voc = [label | {"boxes": [[5, 5, 24, 24]]}], [label | {"boxes": [corners], "scores": [1]}]
        coco = (
            {
                "images": [{"id": 0}],
                "categories": [{"id": 1}],
                "annotations": [place | {"image_id": 0, "bbox": [4, 4, 20, 20]}],
            },
            [place | {"image_id": 0, "bbox": [x, y, width, height], "score": 1}],
        )
        of_coco, of_voc = read_coco(*coco, overlap=0.3), read_voc(*voc, overlap=0.3)
        assert of_voc.columns["correct"] == of_coco.columns["correct"]


def test_detectors_are_compared_by_image():
    """The second one finds all that the first one finds, and in half of the images the rest."""
    box, other, left = [1, 1, 10, 10], [31, 1, 40, 10], [61, 1, 70, 10]
    truth = [{"boxes": [box, other], "labels": ["cat", "dog"]} for _ in range(60)]

    def find(boxes, labels):
        return {"boxes": boxes, "labels": labels, "scores": [0.9, 0.8]}

    some, both = find([box, left], ["cat", "dog"]), find([box, other], ["cat", "dog"])
    tables = {
        "old": read_voc(truth, [some] * 60),
        "new": read_voc(truth, [both if place % 2 else some for place in range(60)]),
    }
    old, new = ap.report(data=tables, metrics="VOC07", baseline="old", random_state=0)
    assert (old.value, new.verdict) == (0.5, "better")
    dogs = [1 if place % 2 else 0 for place in range(60)]
    values = ap.metric("VOC07").by_name(data=tables["new"])
    assert values["dog"] == pytest.approx(average_precision(
        [(place, "hit" if hit else "miss") for place, hit in enumerate(dogs)], 60, True
    ))  # fmt: skip
    tables["new"] = read_voc(truth[1:], [both] * 59)
    with pytest.raises(ValueError, match="have different n_positives"):
        ap.report(data=tables, metrics="VOC07", baseline="old")


def test_a_report_by_category_counts_objects():
    """A column of groups would be 1 in each row."""
    table = read_voc([ONE | {"boxes": [[1, 1, 10, 10]]}, ONE], [FOUND, FOUND])
    report = ap.report(data=table, metrics="VOC07", by={"cat": "animals"})
    rows = [line.split(" | ") for line in report.to_markdown().splitlines() if "|" in line]
    assert [row[:2] for row in rows if "--" not in row[0]] == [
        ["| segment", "positives"],
        ["| all data", "2"],
        ["| animals", "2"],
    ]


def test_what_coco_finds_and_voc_does_not():
    """The most confident detection takes the nearest object, the next one only another one."""
    truth = [{"boxes": [[1, 1, 10, 10], [1, 3, 10, 12]], "labels": ["cat", "cat"]}]
    boxes = [[1, 1, 10, 10], [1, 1, 10, 11]]
    found = [{"boxes": boxes, "labels": ["cat", "cat"], "scores": [0.9, 0.8]}]
    assert read_voc(truth, found).columns["correct"].tolist() == [True, False]
    assert read_coco(truth, found).columns["correct"].tolist() == [True, True]


def test_the_devkit_takes_an_overlap_of_one_half():
    """VOCevaldet.m has `ovmax>=VOCopts.minoverlap`, which is 0.5."""
    truth = [ONE | {"boxes": [[1, 1, 10, 10]]}]
    half, less = [[1, 1, 10, 5]], [[1, 1, 10, 4.99]]
    for boxes, overlap, expected in (
        (half, 0.5, False),
        (half, np.nextafter(0.5, 0), True),
        (less, np.nextafter(0.5, 0), False),
    ):
        table = read_voc(truth, [FOUND | {"boxes": boxes}], overlap=overlap)
        assert table.columns["correct"].tolist() == [expected]


def test_difficult_objects_are_neither_found_nor_missed():
    plain, whole = read_voc(*DIFFICULT), read_voc(*DIFFICULT, use_difficult=True)
    assert plain.n_positives == {"cat": 1, "dog": 1}
    assert whole.n_positives == {"cat": 2, "dog": 2}
    assert (len(plain), len(whole)) == (2, 4)
    assert (plain.conditions, whole.conditions) == ({}, {"use_difficult": True})
    only = [ONE | {"difficult": [1]}, ONE | {"labels": ["dog"]}]
    table = read_voc(only, [FOUND, FOUND])  # in the second image, of another class
    assert table.n_positives == {"dog": 1}
    assert len(table) == 0


# --- files ----------------------------------------------------------------------------------------


def test_files_and_mappings_give_the_same_table(tmp_path):
    for seed in range(5):
        objects, found = random_set(seed)
        found = sorted(found, key=lambda each: each[0])  # so that both have one order
        classes = {label for of_image in objects.values() for label, _, _ in of_image}
        found = [each for each in found if each[1] in classes]
        with warnings.catch_warnings():
            warnings.filterwarnings(*ABSENT.split(":"))
            of_files = read_voc(*write_files(tmp_path / str(seed), objects, found, classes))
            of_mappings = read_voc(*as_mappings(objects, found))
        assert sorted(rows_of(of_files)) == sorted(rows_of(of_mappings))
        assert of_files.n_per_cluster == of_mappings.n_per_cluster


@pytest.mark.parametrize(
    ("stem", "label"),
    [
        ("cat", "cat"),
        ("comp4_det_test_cat", "cat"),
        ("comp4_det_test_light", "light"),
        ("comp4_det_test_traffic_light", "traffic_light"),
        ("traffic_light", "traffic_light"),
        ("comp3_7a1b_det_val_traffic_light", "traffic_light"),
        ("det_light", "light"),
    ],
)
def test_a_lone_file_is_of_the_class_after_the_prefix_of_voc(stem, label, tmp_path):
    box = 1, 1, 10, 10
    objects = {"a": [(each, box, 0) for each in CLASSES[:4]]}
    files = write_files(tmp_path, objects, [("a", label, 0.5, box)], [label], f"{stem}.txt")
    assert rows_of(read_voc(*files)) == [(label, "a", True)]


@pytest.mark.parametrize(
    ("names", "read", "left_out"),
    [
        (["cat", "light"], ["cat", "light"], []),
        (["comp4_det_test_cat", "comp4_det_test_car"], ["cat"], ["comp4_det_test_car"]),
        (["det_light", "det_traffic_light"], ["light", "traffic_light"], []),
        (["det_cat", "det_fire_cat"], ["cat"], ["det_fire_cat"]),
        (["cat", "old_cat", "bobcat"], ["cat"], ["bobcat", "old_cat"]),
        (["my.v2_night_cat", "my.v2_night_cow"], ["cat"], ["my.v2_night_cow"]),
        (["old_traffic_light", "old_traffic_sign"], ["traffic_light"], ["old_traffic_sign"]),
        (["fire_cat"], [], None),
        (["det_fire_cat"], [], None),
        (["bobcat"], [], None),
        (["old_cat"], [], None),
    ],
)
def test_files_are_of_the_class_after_the_prefix_that_all_share(names, read, left_out, tmp_path):
    """Each file finds its class in an image of its own, so that none is read for another."""
    box = 1, 1, 10, 10
    objects = {name: [(each, box, 0) for each in CLASSES[:4]] for name in sorted(names)}
    truth, folder = write_files(tmp_path, objects, [], [])
    for name in names:
        (folder / f"{name}.txt").write_text(f"{name} .5 1 1 10 10")
    if left_out is None:
        words = f"{folder} has no file that is named after a class of annotations, which are cat, "
        with pytest.raises(ValueError, match=re.escape(words)) as refusal:
            read_voc(truth, folder)
        assert str(refusal.value).endswith(
            f"Got {names[0]}.txt. Name each file after its class, as in cat.txt or "
            "comp4_det_test_cat.txt."
        )
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = read_voc(truth, folder)
    images = dict(zip(table.columns["class"].tolist(), table.columns["image"], strict=True))
    kept = sorted({*names} - {*left_out})
    assert {label: images[label] for label in images} == dict(zip(read, kept, strict=True))
    said = [str(each.message) for each in caught if "Left out" in str(each.message)]
    assert [words.rpartition(": ")[2] for words in said] == (
        [f"{', '.join(f'{name}.txt' for name in left_out)}."] if left_out else []
    )


@pytest.mark.parametrize("as_path", [str, Path])
def test_an_image_set_is_a_file_or_a_list(as_path, tmp_path):
    objects = {image: [("cat", (1, 1, 10, 10), 0)] for image in "abcd"}
    found = [(image, "cat", 0.5, (1, 1, 10, 10)) for image in "abc"]
    files = [*map(as_path, write_files(tmp_path, objects, found, ["cat"]))]
    (tmp_path / "cat_test.txt").write_text("a  1\n\nd -1\n")
    for image_set in (
        as_path(tmp_path / "cat_test.txt"),
        StringIO("a\nd\na\n"),
        ["a", "d"],
        ("d", "a"),
        np.array(["a", "d"]),
    ):
        with pytest.warns(
            UserWarning, match=r"^Left out 2 of 3 detections, whose images aren't in image_set"
        ):
            table = read_voc(*files, image_set=image_set)
        assert rows_of(table) == [("cat", "a", True)]
        assert table.n_per_cluster == {("cat", "a"): 1, ("cat", "d"): 1}


def test_a_note_names_image_set_if_many_images_have_no_detection():
    """Images without objects may have none, and one in ten of the others."""
    empty = {f"{number} without objects": NOTHING for number in range(20)}
    truth = {f"{number:03}": ONE for number in range(30)} | empty
    read_voc(truth, dict.fromkeys([*truth][3:30], FOUND))
    words = "^There is no detection in 4 of 30 images with objects.* pass these as image_set"
    with pytest.warns(UserWarning, match=words):
        read_voc(truth, dict.fromkeys([*truth][4:30], FOUND))
    read_voc(truth, dict.fromkeys([*truth][4:30], FOUND), image_set=[*truth][:30])
    other_class = FOUND | {"labels": ["dog"]}
    read_voc(truth, dict.fromkeys([*truth][:29], other_class) | {"029": FOUND})


# --- what is refused ------------------------------------------------------------------------------

SECRET = "<!DOCTYPE annotation [<!ENTITY name SYSTEM '{}'>]>"
BILLION = "<!DOCTYPE annotation [<!ENTITY a 'cat'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
OBJECT = "<annotation>\n<object><name>cat</name>{}\n</object></annotation>"
BOX = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>{}</xmax><ymax>9</ymax></bndbox>"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<annotation>\n<object>\n</annotation>", "line 3 of {}: it is not XML (mismatched tag)"),
        ("", "line 1 of {}: it is not XML (no element found)"),
        ('{"images": []}', "line 1 of {}: it is not XML (not well-formed (invalid token))"),
        (SECRET, "line 1 of {}: <!DOCTYPE annotation> declares entities or names another file"),
        (f"{BILLION}{OBJECT}", "line 1 of {}: <!DOCTYPE annotation> declares entities or names"),
        ("<!DOCTYPE a SYSTEM 'http://x/y.dtd'><a/>", "line 1 of {}: <!DOCTYPE a> declares"),
        ("<!DOCTYPE a PUBLIC 'x' 'y.dtd'><a/>", "line 1 of {}: <!DOCTYPE a> declares"),
        (OBJECT.format("&other;"), "line 2 of {}: it is not XML (undefined entity)"),
        ("\n<svg/>", "line 2 of {}: VOC's files begin with <annotation>, but this one with <svg>"),
        (OBJECT.format(""), "line 3 of {}: an <object> has no <bndbox><xmin>"),
        (OBJECT.format(BOX.format("")), "line 3 of {}: an <object> has no <bndbox><xmax>"),
        (OBJECT.format(BOX.format("wide")), "line 3 of {}: 'wide' is not a number"),
        (OBJECT.format(BOX.format("nan")), "line 3 of {}: 'nan' is not a number"),
        (OBJECT.format(BOX.format("0.5")), "boxes of object 1 of {} must each be four finite numb"),
        (OBJECT.format(BOX.format("inf")), "boxes of object 1 of {} must each be four finite numb"),
        (OBJECT.format(BOX.format("9</xmax><xmax>8")), "line 2 of {}: <xmax> is there twice in an"),
        (OBJECT.format("<name>dog</name>"), "line 2 of {}: <name> is there twice in an <object>"),
        (OBJECT.format("<name/>"), "line 2 of {}: <name> is there twice in an <object>"),
        (OBJECT.format(2 * BOX.format(9)), "line 2 of {}: <bndbox> is there twice in an <object>"),
        (OBJECT.format(BOX.format("9<b>9</b>")), "<xmax> contains <b>, but must be text"),
        (
            OBJECT.format("<object></object>"),
            "an <object> is below <object> instead of <annotation>",
        ),
        (
            OBJECT.format("<x><difficult>1</difficult></x>"),
            "line 2 of {}: <difficult> is below <x> instead of <object>",
        ),
        (f"<annotation>{'<x>' * 100}", "line 1 of {}: elements are nested more than 100 deep"),
        ("<?xml version='1.0' encoding='klingon'?><annotation/>", "{}: unknown encoding: klingon"),
        (
            OBJECT.format(f"{BOX.format(9)}<difficult>yes</difficult>"),
            "line 3 of {}: <difficult> must be 0 or 1. Got 'yes'",
        ),
        (OBJECT.replace("cat", " "), "line 3 of {}: an <object> has no <name>"),
    ],
)
def test_files_that_are_no_annotations_are_named_with_their_line(text, words, tmp_path):
    files = write_files(tmp_path, {"a": []}, [], [])
    path = files[0] / "a.xml"
    (tmp_path / "secret").write_text("secret")
    text = text.replace("'{}'", f"'{tmp_path / 'secret'}'")
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(words.format(path))) as refusal:
        read_voc(*files)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_xml_that_is_harmless_is_read(encoding, tmp_path):
    """Encodings are declared, coordinates have decimals, and a DOCTYPE has only a name."""
    files = write_files(tmp_path, {"a": []}, [], [])
    name = "utf-8" if encoding == "utf-8-sig" else encoding
    text = xml_of([("B\u00e4r &amp; <![CDATA[<cat>]]>", (1, 1, "9.5", 9), 0)])
    text = text.replace("<difficult>0</difficult>", "<!-- none --><difficult/>")
    text = f"<?xml version='1.0' encoding='{name}'?>\n<!DOCTYPE annotation>\n{text}"
    (files[0] / "a.xml").write_bytes(text.encode(encoding))
    (files[1] / "comp4_det_test_B\u00e4r & <cat>.txt").write_text("a .5 1 1 9.5 9")
    assert rows_of(read_voc(*files)) == [("B\u00e4r & <cat>", "a", True)]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("cat.TXT", "", "results/cat.TXT and cat.txt have the same name. Keep one of them"),
        ("cat.txt", "a 0.5 1 1 9 9\n\na 0.5 1 1 9\n", "line 3 of {}: each line needs image, score"),
        ("cat.txt", "a 0.5 1 1 9 9 1", "line 1 of {}: each line needs image, .* has 7 fields"),
        ("cat.txt", "a high 1 1 9 9", "line 1 of {}: 'high' is not a number"),
        ("cat.txt", "a 0.5 9 1 1 9", "boxes of line 1 of {} must each be .* Got ..9.0, 1.0"),
        (
            "cat.txt",
            "a inf 1 1 9 9",
            "line 1 of {}: the score of a detection must be a finite number. Got inf",
        ),
        ("cat.txt", "A 0.5 1 1 9 9", "the images of 1 of 1 detections: \\['A'\\]. .*'a'"),
        ("cat.txt", "a\0", "encoded in UTF-16, or isn't text"),
    ],
)
def test_files_that_are_no_detections_are_refused(name, text, words, tmp_path):
    files = write_files(tmp_path, {"a": [("cat", (1, 1, 9, 9), 0)]}, [], ["cat"], "cat.txt")
    path = files[1] / name
    path.write_text(text)
    with pytest.raises(ValueError, match=words.format(re.escape(str(path)))):
        read_voc(*files)


def test_folders_without_files_are_named(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ValueError, match=r"empty has no \.xml files, such as .*/Annotations"):
        read_voc(empty, empty)
    files = write_files(tmp_path, {"a": [("cat", (1, 1, 9, 9), 0)]}, [], [])
    with pytest.raises(ValueError, match=r"results has no \.txt files, such as comp4_det_test_cat"):
        read_voc(*files)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_voc(tmp_path / "nowhere", empty)


@pytest.mark.parametrize("n_images", [127, 200])
def test_intervals_of_one_class_in_many_images(n_images):
    """Numbers of pairs of a class and an image are larger than the type of a class's number."""
    objects = [{"boxes": [[1, 1, 50, 50]], "labels": ["cat"]}] * n_images
    found = [
        {"boxes": [[1, 1, 50, 50], [60, 60, 90, 90]], "labels": ["cat"] * 2,
         "scores": [0.9 - image / 1000, 0.5 + image / 1000]}
        for image in range(n_images)
    ]  # fmt: skip
    table = read_voc(objects, found)
    interval = ap.confidence_interval(data=table, metric="VOC07")
    assert interval.value == ap.metric("VOC07")(data=table)
    assert interval.low <= interval.value <= interval.high
