"""PASCAL VOC: files and arrays of boxes, matched as py-faster-rcnn matches them."""

import math
import warnings
from collections import defaultdict

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap.readers import read_voc

ABSENT = "ignore:.*images with objects have no detection"

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
@pytest.mark.sweep(12)
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
            warnings.filterwarnings("ignore", ".*were left out")
            check_set(objects, found, files, image_set=chosen, **options)
