"""mAP from one table of detections, with classes as groups and objects that were not detected."""

import json
import sys
from copy import deepcopy
from dataclasses import replace
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap.readers import matching, read_coco

from .detections import FILES, detected, evaluated, random_files

# --- COCO's files --------------------------------------------------------------------------------

AREAS = ("all", "small", "medium", "large")
OVERLAPS = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]

CATS = {"boxes": [[0, 0, 10, 10], [50, 0, 60, 10], [90, 0, 100, 10]], "iscrowd": [0, 0, 1]}
FOUND = {"boxes": [[30, 0, 40, 10], [0, 0, 10, 10], [90, 0, 99, 9], [50, 0, 60, 9]]}
DOGS = {"boxes": [[0, 0, 40, 41], [0, 0, 40, 40], [0, 0, 1, 1]], "labels": [5, 5, 6]}
NOTHING = {"boxes": [], "labels": []}
TENSORS = (
    [CATS | {"labels": [2] * 3}, {"boxes": [[0, 0, 40, 40]], "labels": [5], "area": [0]}, NOTHING],
    [
        FOUND | {"labels": [2] * 4, "scores": [0.5, 0.5, 0.5, 0.25]},
        DOGS | {"scores": [0.75, 0.5, 0.9]},
        NOTHING | {"scores": []},
    ],
)


class Tensor:
    """Whatever has `__array__`."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=np.float32 if np.ndim(self.values) == 2 else None)


@pytest.mark.parametrize("way", ["files", "open files", "parsed", "COCOeval", "tensors"])
def test_a_table_of_detections_from_each_kind_of_input(way, tmp_path):
    """The cats were found at ranks 2 and 3, so the best precision is 2/3 at every recall."""
    given, names, images = FILES, ["cat", "dog"], [7, 8, 9]
    if way == "files":
        given = [tmp_path / "annotations.json", str(tmp_path / "detections.json")]
        for path, content in zip(given, FILES, strict=True):
            Path(path).write_text(json.dumps(content), encoding="utf-8")
    elif way == "open files":
        given = map(StringIO, map(json.dumps, FILES))
    elif way == "COCOeval":
        annotations = deepcopy(FILES[0])
        annotations["annotations"][0]["iscrowd"] = 0
        given = [evaluated(annotations, FILES[1])]
    elif way == "tensors":
        given, names, images = deepcopy(TENSORS), [2, 5], [0, 1, 2]
        for one in (*given[0], *given[1]):
            one |= {name: Tensor(values) for name, values in one.items()}
    before = deepcopy(FILES)
    table = read_coco(*given)
    assert before == FILES
    cat, dog = names
    below = np.nextafter(0.5, 0)
    assert {name: column.tolist() for name, column in table.columns.items()} == {
        "correct": [False, True, True, True, False],
        "confidence": [0.5, below, 0.25, 0.75, 0.5],  # those of another class are not tied
        "class": [cat, cat, cat, dog, dog],
        "image": [images[0]] * 3 + [images[1]] * 2,
        "category": [cat, cat, cat, dog, dog],
        "overlap": [0.5] * 5,
    }
    assert table.n_positives == {cat: 2, dog: 1}
    exist = {key: number for key, number in table.n_per_cluster.items() if number}
    assert exist == {(cat, images[0]): 2, (dog, images[1]): 1}
    assert {image for _, image in table.n_per_cluster} == set(images)  # also those of no objects
    assert ap.metric("mAP", n_points=101).by_name(data=table) == pytest.approx({cat: 2 / 3, dog: 1})


def rows_of(evaluation, area, level):
    """Return the detections of an evaluation that aren't ignored, and the objects that count."""
    area_range = evaluation.params.areaRng[evaluation.params.areaRngLbl.index(area)]
    rows, counts = [], {}
    for cell in evaluation.evalImgs:
        if not cell or cell["aRng"] != area_range:
            continue
        place = cell["category_id"], cell["image_id"]
        n_counting = np.sum(np.equal(cell["gtIgnore"], 0))
        if n_counting:
            counts[place] = n_counting
        of_cell = cell["dtScores"], cell["dtMatches"][level], cell["dtIgnore"][level]
        for score, match, is_ignored in zip(*of_cell, strict=True):
            if not is_ignored:
                rows.append((*place, pytest.approx(score, rel=1e-12), match > 0))
    counted = {category for category, _ in counts}
    return [row for row in rows if row[0] in counted], counts


def rows_of_table(table):
    names = ["category", "image", "confidence", "correct"]
    rows = [*zip(*(table.columns[name].tolist() for name in names), strict=True)]
    return rows, {place: n for place, n in table.n_per_cluster.items() if n}


def assert_same_matches(evaluation, given, areas=AREAS):
    """Compare the matches in all ranges of areas and at all overlaps."""
    for area in areas:
        if not rows_of(evaluation, area, 0)[1]:
            with pytest.raises(ValueError, match=f"no objects that count, with area='{area}'"):
                read_coco(*given, area=area)
            continue
        tables = read_coco(*given, area=area, overlap=OVERLAPS).values()
        for level, table in enumerate(tables):
            assert rows_of_table(table) == rows_of(evaluation, area, level)


def without_names(files):
    """Give categories no names, so that ids tell them apart."""
    names = [{"id": entry["id"]} for entry in files[0]["categories"]]
    return files[0] | {"categories": names}, files[1]


def with_text_for(files):
    """Convert ids of images and categories to text, which is in the same order."""
    keys = {"id", "image_id", "category_id"}
    truth = {
        name: [
            {key: str(value) if key in keys else value for key, value in entry.items()}
            for entry in entries
        ]
        for name, entries in files[0].items()
    }
    found = [
        {key: str(value) if key in keys else value for key, value in entry.items()}
        for entry in files[1]
    ]
    return truth, found


@pytest.mark.parametrize(
    "seeds",
    [
        range(4),
        *(pytest.param(range(n, n + 100), marks=pytest.mark.slow) for n in range(4, 2004, 100)),
    ],
)
def test_matches_are_those_of_pycocotools(seeds):
    for seed in seeds:
        files = without_names(random_files(seed))
        evaluation = evaluated(*files)
        assert_same_matches(evaluation, files)
        if rows_of(evaluation, "all", 0)[1]:
            texts, numbers = read_coco(*with_text_for(files)), read_coco(*files)
            assert texts.columns["image"].tolist() == [*map(str, numbers.columns["image"])]
            assert texts.columns["correct"].tolist() == numbers.columns["correct"].tolist()
        if seed % 2:
            params = {"useCats": seed % 3 % 2, "maxDets": [1, 1 + seed % 7]}
            evaluation = evaluated(*files, **params)
        assert_same_matches(evaluation, [evaluation])


def with_shapes(seed):
    """Return files whose boxes have masks, and five points each, some of which aren't there."""
    rng = np.random.default_rng(seed)
    truth, found = without_names(random_files(seed + 20))
    for entry in (*truth["annotations"], *found):
        x, y, width, height = entry["bbox"]
        right, low = x + width, y + height
        entry["segmentation"] = [[x, y, right, y, right, low, x + width / 2, low]]
        points = np.column_stack([rng.uniform(x, right, 17), rng.uniform(y, low, 17)])
        entry["keypoints"] = np.column_stack([points, np.full(17, 2)]).ravel().tolist()
        entry["num_keypoints"] = int(rng.integers(0, 3))
    truth["images"] = [entry | {"width": 200, "height": 200} for entry in truth["images"]]
    return truth, found


@pytest.mark.sweep(5)
@pytest.mark.parametrize("of", ["segm", "keypoints"])
@pytest.mark.parametrize("seed", range(5))
def test_matches_of_masks_and_keypoints_are_those_of_pycocotools(of, seed):
    truth, found = with_shapes(seed)
    truth["annotations"] = [entry | {"iscrowd": 0} for entry in truth["annotations"]]
    if of == "segm":
        masks = pytest.importorskip("pycocotools.mask")
        for entry in found:  # of which only masks are left
            (entry["segmentation"],) = masks.frPyObjects(entry["segmentation"], 200, 200)
            del entry["bbox"]
    evaluation = evaluated(truth, found, of=of)
    areas = {"segm": AREAS, "keypoints": ("all", "medium", "large")}[of]
    assert_same_matches(evaluation, [evaluation], areas)


some_are_slow = [*range(8), *(pytest.param(n, marks=pytest.mark.slow) for n in range(8, 200))]


@pytest.mark.sweep(4)
@pytest.mark.filterwarnings("ignore:There are no rows")
@pytest.mark.parametrize("seed", some_are_slow)
def test_pycocotools_has_the_same_map(seed):
    files = random_files(seed)
    evaluation = evaluated(*files, maxDets=[1, 3, 100])
    found = []
    for i, area in enumerate(AREAS):
        precision = evaluation.eval["precision"][..., i, -1].transpose(0, 2, 1)
        given, options = [evaluation] if (seed + i) % 2 else files, {"area": area}
        if (precision == -1).all():
            with pytest.raises(ValueError, match=f"no objects that count, with area='{area}'"):
                read_coco(*given, **options)
            continue
        tables = read_coco(*given, overlap=OVERLAPS, **options)
        assert list(tables) == OVERLAPS
        for each, table in zip(precision, tables.values(), strict=True):
            value = ap.mean_average_precision_score(data=table, n_points=101)
            assert value == pytest.approx(each[each[:, 0] > -1].mean(), rel=0, abs=1e-12)
            found.append(value)
        together = read_coco(*given, overlap="0.50:0.95", **options)
        value = ap.mean_average_precision_score(data=together, n_points=101)
        assert value == pytest.approx(np.mean(found[-10:]), rel=1e-12)
    assert found


def with_one_label(rows):
    return [row | {"category_id": 0} for row in rows]


@pytest.mark.parametrize("seed", range(4))
def test_one_label_for_all_boxes_gives_the_micro_average(seed):
    files, detections = random_files(seed)
    for place, one in enumerate(detections):  # no ties, which pycocotools orders by class
        one["score"] = 1 - place / len(detections)
    precision = evaluated(files, detections, useCats=0).eval["precision"][0, :, 0, 0, -1]
    of_one_label = files | {"annotations": with_one_label(files["annotations"])}
    table = read_coco(of_one_label, with_one_label(detections))
    value = ap.mean_average_precision_score(data=table, n_points=101)
    assert value == pytest.approx(precision.mean(), rel=0, abs=1e-12)


def test_recall_levels_that_pycocotools_misses():
    """Seven of ten objects are found, which is less than the level 0.7000000000000001."""
    place = {"image_id": 1, "category_id": 1}
    boxes = [{**place, "bbox": [20 * i, 0, 10, 10]} for i in range(10)]
    objects = [{**box, "id": i, "area": 100, "iscrowd": 0} for i, box in enumerate(boxes, 1)]
    files = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": objects}
    scored = [{**box, "score": 0.5} for box in boxes[:7]]
    theirs = evaluated(files, scored, recThrs=np.linspace(0, 1, 101)).eval["precision"]
    assert theirs[0, ..., 0, 2].mean() == pytest.approx(70 / 101)
    table = read_coco(files, scored)
    ours = ap.mean_average_precision_score(data=table, n_points=101)
    assert ours == pytest.approx(71 / 101)
    ours = ap.mean_average_precision_score(data=table, n_points=101, grid="float")
    assert ours == pytest.approx(70 / 101)


def test_the_100_most_confident_detections_of_an_image_count_in_any_order():
    """Only the last 100 of the file are correct, and the first of these is the most confident."""
    place = {"image_id": 1, "category_id": 1}
    boxes = [{**place, "bbox": [20 * i, 0, 10, 10]} for i in range(150)]
    objects = [{**box, "id": i, "area": 100, "iscrowd": 0} for i, box in enumerate(boxes[50:], 1)]
    files = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": objects}
    scores = [*range(50), *range(150, 50, -1)]
    detections = [{**box, "score": score} for box, score in zip(boxes, scores, strict=True)]
    table = detected(files, detections)
    assert table.columns["confidence"].tolist() == [*range(150, 50, -1)]
    assert ap.mean_average_precision_score(data=table) == 1.0


def test_an_overlap_of_nine_tenths_is_that_of_pycocotools():
    """The overlap of these boxes is 0.8999999999999999, a bit less than 0.9."""
    place = {"image_id": 1, "category_id": 1}
    box = {**place, "bbox": [0, 0, 0.3, 1], "area": 0.3, "id": 1, "iscrowd": 0}
    files = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": [box]}
    found = [{**place, "bbox": [0, 0, 0.27, 1], "score": 0.5}]
    assert evaluated(files, found).eval["precision"][8].max() == pytest.approx(1)
    assert ap.mean_average_precision_score(data=read_coco(files, found, overlap=0.9)) == 1.0


def test_an_object_without_width_counts_as_one_that_nothing_finds():
    targets = [{"boxes": [[0, 0, 0, 5], [0, 0, 5, 5]], "labels": [1, 1]}]
    predictions = [{"boxes": [[0, 0, 5, 5]], "scores": [0.5], "labels": [1]}]
    table = read_coco(targets, predictions)
    assert table.n_positives == {1: 2}
    assert table.columns["correct"].tolist() == [True]


def test_an_area_of_0_is_that_of_the_box_as_in_torchmetrics():
    assert read_coco(*TENSORS, area="medium").n_positives == {5: 1}


def test_categories_of_the_same_name_are_called_by_their_ids():
    names = [{"id": 2, "name": "cat"}, {"id": 5, "name": "cat"}, {"id": 6}]
    table = detected(FILES[0] | {"categories": names})
    assert table.n_positives == {2: 2, 5: 1}


def test_images_are_drawn_with_the_objects_that_were_missed():
    table = detected()
    columns = [table.columns[name] for name in table.columns]
    given = dict(zip(("groups", "clusters"), columns[2:4], strict=True), metric="VOC2007")
    expected = ap.confidence_interval(*columns[:2], n_positives=table.n_per_cluster, **given)
    found = ap.confidence_interval(data=table, metric="VOC2007")
    assert tuple(found) == tuple(expected)
    assert found.basis == "2 groups (class), 3 images"
    assert ap.hit_curve(data=table).keys() == {"cat", "dog"}
    ap.HitCurveDisplay.from_predictions(data=table)
    of_classes = ap.confidence_interval(data=table, metric="VOC2007", clusters=None)
    assert of_classes.basis == "2 groups (class)"


def test_cutoffs_of_detections_are_named_by_percentages_or_passed_as_k():
    table = detected()
    assert table.overlaps == (0.5,)
    half = ap.precision_at_k_score(data=table, k=0.5)
    assert half == pytest.approx((1 / 2 + 1) / 2)  # one of two cats, and one dog
    for metric in ("P@50%", ap.metric("precision_at_k", k=0.5)):
        assert ap.confidence_interval(data=table, metric=metric).value == half
    whole = dict.fromkeys(["AP@10", "AP@100", "map_cut_50", "AP@50 rows"], 19 / 24)
    for name, value in ({"P@50": (2 / 50 + 1 / 50) / 2, "R@50": 1} | whole).items():
        assert ap.metric(name)(data=table) == pytest.approx(value)
    # Arrays don't tell what they are.
    columns = dict(zip(("y_true", "y_score", "groups"), table.columns.values(), strict=False))
    assert ap.metric("P@50%")(**columns) == half


@pytest.mark.filterwarnings("ignore:There are no rows")
def test_a_detector_that_found_nothing_has_a_table_too():
    assert ap.mean_average_precision_score(data=detected(detections=[])) == 0.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"area": "tiny"}, "area='tiny' isn't among .* 'small'"),
        ({"overlap": 0.75}, r"overlap=0.75 isn't among .* \[0.5\]"),
    ],
)
def test_what_a_cocoeval_does_not_know_is_refused(options, words):
    evaluation = evaluated(*random_files(0), maxDets=[1, 10], iouThrs=[0.5])
    with pytest.raises(ValueError, match=words):
        read_coco(evaluation, **options)


@pytest.mark.parametrize("seed", range(3))
def test_matches_that_a_cocoeval_keeps_to_itself_are_made_again(seed):
    """As those of faster-coco-eval, which are in C++, with the same images and limits."""
    evaluation = evaluated(*random_files(seed), maxDets=[1, 2], iouThrs=[0.5, 0.7])
    evaluation.params.imgIds = evaluation.params.imgIds[1:]
    evaluation.evaluate()
    expected = read_coco(evaluation, overlap=0.7)
    evaluation.evalImgs = []
    for box in evaluation.cocoGt.anns.values():
        box.pop("ignore")  # an entry of pycocotools
    before = str([vars(evaluation.params), evaluation.cocoGt.anns, evaluation.cocoDt.anns])
    table = read_coco(evaluation, overlap=0.7)
    assert {name: column.tolist() for name, column in table.columns.items()} == {
        name: column.tolist() for name, column in expected.columns.items()
    }
    assert table.n_per_cluster == expected.n_per_cluster
    after = str([vars(evaluation.params), evaluation.cocoGt.anns, evaluation.cocoDt.anns])
    assert before == after


def test_objects_that_pycocotools_cannot_match():
    files = deepcopy(FILES)
    files[0]["annotations"][0]["id"] = 0
    with pytest.warns(UserWarning, match="An object has the id 0"):
        table = read_coco(*files)
    assert table.columns["correct"].tolist() == [False, False, True, True, False]
    assert table.n_positives == {"cat": 2, "dog": 1}


@pytest.mark.parametrize("role", ["annotations", "detections"])
def test_boxes_of_a_cocoeval_are_numbers(role):
    """pycocotools takes a box of NaN for correct."""
    files = deepcopy(FILES)
    files[0]["annotations"][0]["iscrowd"] = 0
    (files[0]["annotations"] if role == "annotations" else files[1])[1]["bbox"][2] = np.nan
    with pytest.raises(ValueError, match=rf"bbox of {role}\[1\], in the image 7, .*nan, 10"):
        read_coco(evaluated(*files))


def test_boxes_are_matched_without_pycocotools(monkeypatch):
    for name in ("pycocotools", "pycocotools.coco", "pycocotools.mask"):
        monkeypatch.setitem(sys.modules, name, None)
    assert read_coco(*FILES).n_positives == {"cat": 2, "dog": 1}


def test_names_of_overlaps_say_if_the_table_fits():
    table, already = detected(), "This table has that overlap already"
    for name in ("AP@50", "mAP@50"):
        with pytest.raises(ValueError, match=rf"such as '101-point' \(COCO\) .*{already}, so only"):
            ap.metric(name)(data=table)
    with pytest.raises(ValueError, match=r"Read the table with overlap=0\.75,") as caught:
        ap.metric("AP@75")(data=table)
    assert already not in str(caught.value)
    of_search = {name: column for name, column in table.columns.items() if name != "overlap"}
    tables = {"detector": table, "search engine": replace(table, columns=of_search)}
    with pytest.raises(ValueError, match=r"Read the table with overlap=0\.5,") as caught:
        ap.report(data=tables, metrics="AP@50")
    assert already not in str(caught.value)
    with pytest.raises(ValueError, match="'AP-50' says which overlap") as caught:
        ap.metric("AP-50")
    assert "Did you mean" not in str(caught.value)


def test_map_of_detections_is_not_taken_for_that_of_scikit_learn():
    table = detected()
    for call in (
        lambda name: ap.metric(name)(data=table),
        lambda name: ap.confidence_interval(data=table, metric=name),
        lambda name: ap.report(data={"a": table, "b": table}, metrics=["101-point", name]),
    ):
        with pytest.raises(ValueError, match=r"means another metric by 'mAP'\. Pass '101-point'"):
            call("mAP")
        call("MAP")
    assert ap.metric("mAP", n_points=101)(data=table) == ap.metric("101-point")(data=table)


@pytest.mark.parametrize("name", ["MAP", "AP", "P@50%"])
def test_tables_are_passed_to_metrics_by_name(name):
    table, metric = detected(), ap.metric(name)
    for call in (metric, metric.by_name):
        with pytest.raises(
            TypeError, match=rf"passed by name, as metric\('{name}'\)\(data=table\)"
        ):
            call(table)
    assert metric(data=table) == pytest.approx(3 / 4 if name == "P@50%" else 19 / 24)


def test_annotations_of_unknown_categories_are_not_those_of_a_detector():
    files = deepcopy(FILES)
    files[0]["categories"] = files[0]["categories"][1:]
    with pytest.raises(ValueError, match=r"Got .2. in 3 of 4 annotations. Add them to categories"):
        read_coco(*files)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"id": 2}, r"2 annotations have the id 2, .* Number the annotations from 1\."),
        ({"iscrowd": "0"}, r"iscrowd of annotations\[0\], .* must be the number 0 or 1. Got '0'"),
    ],
)
def test_ids_and_crowds_are_checked(change, words):
    annotations = deepcopy(FILES[0])
    annotations["annotations"][0] |= change
    with pytest.raises(ValueError, match=words):
        detected(annotations)


def test_difficult_objects_are_refused():
    boxes = np.array([[0.0, 0, 10, 10]])
    targets = [{"boxes": boxes, "labels": np.array([1]), "difficult": np.array([1])}]
    found = [{"boxes": boxes, "labels": np.array([1]), "scores": np.array([0.5])}]
    with pytest.raises(ValueError, match=r"targets\[0\] has 'difficult', .* with read_voc\."):
        ap.readers.read_coco(targets, found)
    with pytest.raises(ValueError, match=r"call read_coco for each, as in \{name: "):
        ap.readers.read_coco(FILES[0], {"a": FILES[1], "b": FILES[1]})


@pytest.mark.parametrize("shift", [0, -2, 5])
def test_ties_are_broken_by_the_order_of_rows_whatever_the_sign_of_scores(shift):
    """Scores may be logits."""
    annotations, found = deepcopy(FILES)
    for box in found:
        box["score"] += shift
    plain, shifted = detected(*deepcopy(FILES)), detected(annotations, found)
    value = ap.interpolated_average_precision_score
    assert value(data=shifted) == value(data=plain)
    np.testing.assert_allclose(shifted.columns["confidence"], plain.columns["confidence"] + shift)


@pytest.mark.parametrize("most", [1, 3, 10])
def test_parts_of_the_pairs_are_matched_as_all_of_them(monkeypatch, most):
    for seed in range(10):
        files = random_files(seed)
        whole = read_coco(*files, overlap="0.50:0.95")
        with monkeypatch.context() as patched:
            patched.setattr(matching, "_MAX_PAIRS_PER_PART", most)
            assert (
                len(matching.split_by_pairs(*np.ones((2, 20), dtype=int))) == 1
            )  # of a single cell
            parts = read_coco(*files, overlap="0.50:0.95")
        assert parts.n_positives == whole.n_positives
        for name, column in whole.columns.items():
            np.testing.assert_array_equal(parts.columns[name], column)


class Detections:
    """As those of supervision, which dataclasses print on several lines."""

    def __init__(self):
        self.xyxy, self.class_id, self.confidence = np.zeros((2, 4)), np.zeros(2), np.ones(2)

    def __repr__(self):
        return f"Detections(xyxy={self.xyxy})"


@pytest.mark.parametrize("detections", [Detections(), [Detections()]], ids=["one", "list"])
def test_objects_of_other_tools_are_refused_with_what_to_pass(detections):
    got = "Got a list of Detections instead" if isinstance(detections, list) else "Got a Detections"
    found = "{'boxes': each.xyxy, 'scores': each.confidence, 'labels': each.class_id}."
    with pytest.raises(TypeError, match=f"detections must be a list of dicts. {got}") as caught:
        ap.readers.read_coco([], detections)
    assert str(caught.value).endswith(f"Pass a dict for each image, as {found}")
    with pytest.raises(TypeError, match="annotations must be a list of dicts") as caught:
        ap.readers.read_coco(detections, [])
    assert str(caught.value).endswith("as {'boxes': each.xyxy, 'labels': each.class_id}.")
    with pytest.raises(TypeError, match="annotations must be a list of dicts") as caught:
        ap.readers.read_coco([SimpleNamespace(boxes=None, orig_shape=(4, 4))], [])
    assert str(caught.value).endswith("as {'boxes': each.boxes.xyxy, 'labels': each.boxes.cls}.")


def test_what_the_advice_on_objects_passes_is_read():
    each = Detections()
    each.xyxy = np.array([[0.0, 0.0, 2.0, 2.0], [5.0, 5.0, 7.0, 7.0]])
    targets = [{"boxes": each.xyxy[:1], "labels": each.class_id[:1]}]
    found = [{"boxes": each.xyxy, "scores": each.confidence, "labels": each.class_id}]
    table = ap.readers.read_coco(targets, found)
    assert table.n_positives == {0: 1}
    assert table.columns["correct"].tolist() == [True, False]


def test_classes_that_every_detector_has_found():
    targets = [{"boxes": np.eye(2, 4, 2), "labels": np.arange(2)}]
    found = [{"boxes": np.eye(1, 4, 2), "scores": np.ones(1), "labels": np.zeros(1)}]
    table = read_coco(targets, found)
    assert table.n_positives == {0: 1, 1: 1}
    answered = ap.readers.answered(table)
    assert (answered.n_positives, answered.n_per_cluster) == ({0: 1}, {(0, 0): 1})
