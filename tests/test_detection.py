"""mAP from one table of detections, with classes as groups and objects that were not detected."""

from fractions import Fraction

import numpy as np
import pytest

import sklearn_ap as ap

from . import oracle

OBJECTS = {"cat": 5, "cow": 3, "dog": 4, "sheep": 2}  # sheep are never detected


@pytest.fixture(params=range(5))
def table(request):
    """Return class, confidence, label and weight, which is 0 for difficult objects."""
    rng = np.random.default_rng(request.param)
    label = rng.permutation(np.repeat(["cat", "cow", "dog"], [12, 7, 9]))
    right = np.zeros(label.size, dtype=bool)
    for name in ("cat", "cow", "dog"):
        right[rng.choice(np.flatnonzero(label == name), 3, replace=False)] = True
    difficult = rng.random(label.size) < 0.2
    return label, rng.permutation(label.size) / label.size, right, ~difficult


DEFINITIONS = {
    "PASCAL VOC 2007": (
        ap.eleven_point_average_precision_score,
        {},
        oracle.n_point,
        {"n_points": 11},
    ),
    "PASCAL VOC 2010": (ap.interpolated_average_precision_score, {}, oracle.envelope, {}),
    "COCO": (
        ap.interpolated_average_precision_score,
        {"n_points": 101},
        oracle.n_point,
        {"n_points": 101},
    ),
}
each_definition = pytest.mark.parametrize("benchmark", DEFINITIONS)


@each_definition
def test_mean_over_classes_is_that_of_a_loop_over_them(benchmark, table):
    score, options, exact, exact_options = DEFINITIONS[benchmark]
    label, confidence, right, counted = table
    given = {"groups": label, "n_positives": OBJECTS, "sample_weight": counted, **options}
    expected = []
    for name, n_objects in OBJECTS.items():
        own = (label == name) & counted
        value = exact(right[own], confidence[own], n_positives=n_objects, **exact_options)
        expected.append(Fraction(0) if value is None else value)
    values = score(right, confidence, average=None, **given)
    assert values == pytest.approx([float(value) for value in expected], rel=1e-12)
    assert score(right, confidence, **given) == pytest.approx(float(sum(expected) / 4), rel=1e-12)
    assert expected[-1] == 0 < expected[0]


def test_coco_itself(table):
    """All boxes are in one image. Objects in crowds are the difficult ones, and there is no bus."""
    pytest.importorskip("pycocotools")
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    label, confidence, right, counted = table
    numbers = {name: number for number, name in enumerate([*sorted(OBJECTS), "zebra"])}
    boxes = [{"image_id": 1, "category_id": numbers[name]} for name in label]
    boxes = [{**box, "bbox": [20 * i, 0, 10, 10]} for i, box in enumerate(boxes)]
    hit = [i for i in range(len(boxes)) if right[i] or not counted[i]]
    objects = [{**boxes[i], "iscrowd": int(not counted[i])} for i in hit]
    for name, n_objects in OBJECTS.items():
        n_missed = n_objects - int((right & counted & (label == name)).sum())
        missed = {"image_id": 1, "category_id": numbers[name], "iscrowd": 0}
        objects += [{**missed, "bbox": [20 * i, 50, 10, 10]} for i in range(n_missed)]
    truth = COCO()
    truth.dataset = {
        "info": {},
        "images": [{"id": 1}],
        "categories": [{"id": number, "name": name} for name, number in numbers.items()],
        "annotations": [{**box, "id": i, "area": 100} for i, box in enumerate(objects, 1)],
    }
    truth.createIndex()
    scored = [{**box, "score": float(score)} for box, score in zip(boxes, confidence, strict=True)]
    evaluation = COCOeval(truth, truth.loadRes(scored), "bbox")
    evaluation.evaluate()
    evaluation.accumulate()
    precision = evaluation.eval["precision"][0, :, :, 0, -1]
    theirs = precision.mean(axis=0)

    values = ap.interpolated_average_precision_score(
        right,
        confidence,
        n_points=101,
        groups=label,
        n_positives={**OBJECTS, "zebra": 0},
        sample_weight=counted,
        average=None,
        zero_division=float("nan"),
    )
    assert np.isnan(values[-1])
    assert theirs[-1] == -1
    assert values[:-1] == pytest.approx(theirs[:-1], rel=1e-9)
