"""COCO's six average precisions as a report: those of pycocotools, each with an interval."""

import json
import pickle
from contextlib import redirect_stdout
from copy import deepcopy
from functools import cache
from inspect import signature
from io import StringIO

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._show import progress
from sklearn_ap.readers import detections as detections_module
from sklearn_ap.readers import read_coco, report_coco

from .detections import FILES, of_pycocotools, random_files

NAMES = ["AP", "AP50", "AP75", "APs", "APm", "APl"]
# How each is read alone
ALONE = {
    "AP": {"overlap": "0.50:0.95"},
    "AP50": {"overlap": 0.5},
    "AP75": {"overlap": 0.75},
    "APs": {"overlap": "0.50:0.95", "area": "small"},
    "APm": {"overlap": "0.50:0.95", "area": "medium"},
    "APl": {"overlap": "0.50:0.95", "area": "large"},
}
# Resamples are few, as most tests are on values.
QUICK = {"n_resamples": 9, "random_state": 0}

pytestmark = pytest.mark.filterwarnings("ignore:There are no rows|The model|All ")


def evaluated_by_default(annotations, detections):
    """Return the COCOeval of pycocotools, with all of its default settings, and its summary."""
    COCO, COCOeval = of_pycocotools()
    with redirect_stdout(StringIO()):
        truth = COCO()
        truth.dataset = deepcopy(annotations)
        truth.createIndex()
        found = truth.loadRes(deepcopy(detections)) if detections else COCO()
        evaluation = COCOeval(truth, found, "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation


def values_of(report, **where):
    """Return the values by metric in the rows where attributes have these values."""
    rows = [row for row in report if all(getattr(row, name) == of for name, of in where.items())]
    assert len({row.metric for row in rows}) == len(rows)
    return {row.metric: row.value for row in rows}


def two_detectors(seed):
    """Return the annotations, and what two detectors have found: the second one with other scores,
    and without a third of the boxes.
    """
    annotations, found = random_files(seed)
    rng = np.random.default_rng(seed)
    other = [box | {"score": float(rng.random())} for box in found if rng.random() < 0.67]
    return annotations, {"a": found, "b": other}


def test_all_six_are_those_of_pycocotools():
    has_size, has_crowds, has_ties = set(), 0, 0
    seeds = [0, 1, 4, 5, 20]  # of which 5 has no small objects, and 20 no medium ones
    for seed in seeds:
        annotations, found = two_detectors(seed)
        has_crowds += any(entry["iscrowd"] for entry in annotations["annotations"])
        scores = [box["score"] for box in found["a"]]
        has_ties += len(set(scores)) < len(scores)
        report = report_coco(annotations, found, **QUICK)
        for model, boxes in found.items():
            stats = evaluated_by_default(annotations, boxes).stats[:6]
            for name, theirs in zip(NAMES, stats.tolist(), strict=True):
                ours = values_of(report, model=model)[name]
                has_size.add((name, theirs == -1))
                if theirs == -1:
                    assert np.isnan(ours)
                else:
                    assert ours == pytest.approx(theirs, rel=0, abs=1e-9)
    assert has_size >= {(name, is_none) for name in NAMES[3:] for is_none in (False, True)}
    assert min(has_crowds, has_ties) > len(seeds) / 3


@pytest.mark.parametrize("seed", range(3))
def test_each_category_has_its_value_of_pycocotools(seed):
    annotations, found = two_detectors(seed)
    # A category that no detector finds counts as 0.
    lost = annotations["annotations"][-1]["category_id"]
    found = {model: [box for box in found[model] if box["category_id"] != lost] for model in found}
    report = report_coco(annotations, found, by="category", **QUICK)
    for model, boxes in found.items():
        precision = evaluated_by_default(annotations, boxes).eval["precision"][:, :, :, 0, -1]
        of_class = {
            f"class {number}": of.mean()
            for number, of in enumerate(np.moveaxis(precision, 2, 0))
            if (of > -1).any()
        }
        values = {row.segment: row.value for row in report if row.model == model}
        assert values.pop(None) == pytest.approx(np.mean([*of_class.values()]), abs=1e-9)
        assert values == pytest.approx(of_class, rel=0, abs=1e-9)
        if any(entry["iscrowd"] == 0 for entry in annotations["annotations"][-1:]):
            assert values[f"class {lost}"] == 0
    assert {row.metric for row in report} == {"AP"}


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("seed", "how"),
    [(4, {}), (22, {}), (4, {"baseline": "b", "margin": 0.1}), (22, {"joint": False})],
)
def test_each_metric_is_a_report_of_its_own(seed, how):
    """Each is a family, so it says what a report of its table says."""
    annotations, found = two_detectors(seed)
    report = report_coco(annotations, found, **how, **QUICK)
    assert [row.metric for row in report] == [name for name in NAMES for _ in found]
    assert report.conditions == {}
    for name in NAMES:
        rows = [row for row in report if row.metric == name]
        if np.isnan(rows[0].value):
            assert all(row.verdict is None and np.isnan(row.low) for row in rows)
            continue
        tables = {model: read_coco(annotations, found[model], **ALONE[name]) for model in found}
        chosen = {"baseline": report.baseline} if name != "AP" and "baseline" not in how else {}
        alone = ap.report(data=tables, metrics=["101-point float"], **how, **chosen, **QUICK)
        is_chosen = "baseline" not in how  # of two models, which have one difference
        assert is_chosen == report.is_chosen
        for row, one in zip(rows, alone, strict=True):
            for field in ("model", "value", "low", "high", "difference", "difference_low"):
                np.testing.assert_equal(getattr(row, field), getattr(one, field))
            np.testing.assert_equal(row.pvalue, one.pvalue)
            assert (row.verdict, row.margin) == (one.verdict, one.margin)


def test_segments_are_a_mapping_of_categories_too():
    annotations, found = two_detectors(4)
    names = [entry["name"] for entry in annotations["categories"]]
    segments = {name: "odd" if number % 2 else "even" for number, name in enumerate(names)}
    report = report_coco(annotations, found["a"], by=segments, **QUICK)
    each = report_coco(annotations, found["a"], by="category", **QUICK)
    values = {row.segment: row.value for row in each}
    for row in report:
        if row.segment is not None:
            of = [values[name] for name in names if segments[name] == row.segment]
            assert row.value == pytest.approx(np.mean(of))
    same = report_coco(annotations, found["a"], by=segments | {names[0]: None}, **QUICK)
    assert [row.segment for row in same][:2] == [None, "even"]
    with pytest.raises(ValueError, match=r"by has no segment for 1 of \d categories \('class 0'\)"):
        report_coco(annotations, found, by=dict.fromkeys(names[1:], "x"))
    # Categories without names are called by their ids, which are text in a file.
    unnamed = annotations | {"categories": [{"id": number} for number in range(len(names))]}
    of_ids = {str(number): segments[name] for number, name in enumerate(names)}
    assert [*report_coco(unnamed, found["a"], by=of_ids, **QUICK)] == [*report]
    for wrong in ("image", 3, ["category"]):
        with pytest.raises(ap.exceptions.InvalidParameterError, match="must be 'category', or a m"):
            report_coco(annotations, None, by=wrong)  # before anything is matched


def test_few_objects_are_counted_once_though_they_are_matched_at_ten_overlaps():
    annotations, found = two_detectors(4)
    counts = {}
    for entry in annotations["annotations"]:
        name = f"class {entry['category_id']}"
        counts[name] = counts.get(name, 0) + (not entry["iscrowd"])
    least = min(counts.values()) + 1
    report = report_coco(annotations, found, by="category", min_positives=least, **QUICK)
    for row in report:
        if row.segment is not None:
            assert row.n_positives == counts[row.segment]
            assert np.isnan(row.low) == (counts[row.segment] < least)
    assert {row.verdict for row in report if row.segment and row.n_positives < least} == {None}
    assert "few positives" in str(report)


def test_boxes_are_matched_once_at_each_overlap(monkeypatch):
    matched = []
    real = detections_module.match_pairs

    def counting(*arguments):
        matched.append([*arguments[-1]])
        return real(*arguments)

    monkeypatch.setattr(detections_module, "match_pairs", counting)
    report_coco(*FILES, **QUICK)
    assert [len(levels) for levels in matched] == [10] * 4  # for all areas, and each size


def test_a_report_says_where_there_are_no_objects():
    report = report_coco(*FILES, **QUICK)
    assert np.isnan(values_of(report)["APl"])
    text = str(report)
    assert "APl (large objects)\n       no large objects" in text
    assert "APs (small objects): " in text
    several = report_coco(FILES[0], {"x": FILES[1], "y": FILES[1][:4]}, **QUICK)
    assert "no large objects" in several.to_markdown()
    assert "no large objects" in several._repr_html_()
    for result in (report, several):
        assert pickle.loads(pickle.dumps(result)) == result
        rows = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert [row["metric"] for row in rows][:: len(rows) // 6] == NAMES
        assert result.to_frame()["value"].isna().sum() == len(rows) // 6
        first, *others = result.plot().figure_.axes  # of values, and of differences
        assert len(others) == (result is several)
        assert [text.get_text().split("\n")[0] for text in first.get_yticklabels()] == [
            "AP", "AP50", "AP75", "APs (small objects)", "APm (medium objects)",
            "APl (large objects)",
        ]  # fmt: skip
        assert [text.get_text() for text in first.texts] == ["no large objects"]
        assert {name for name in NAMES if name in {*result.to_metrics()}} in (set(), {*NAMES[:5]})
        assert [*result.per_group().columns.get_level_values(-1)][:2] in (
            ["AP", "AP50"],
            ["AP"] * 2,
        )
    crowds = deepcopy(FILES[0])
    for entry in crowds["annotations"]:
        entry["iscrowd"] = 1
    with pytest.raises(ValueError, match="annotations has no objects that count, with area='all'"):
        report_coco(crowds, FILES[1])


def test_a_detector_without_a_name_is_not_named(tmp_path):
    annotations, found = FILES
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(annotations))
    assert values_of(report_coco(path, found, **QUICK)) == pytest.approx(
        values_of(report_coco(annotations, {"one": found}, **QUICK)), nan_ok=True
    )
    assert {row.model for row in report_coco(*FILES, **QUICK)} == {""}


def test_lists_of_boxes_are_read_as_by_read_coco():
    targets = [{"boxes": [[0, 0, 10, 10], [50, 0, 60, 10]], "labels": [2, 2]}] * 2
    found = [{"boxes": [[0, 0, 10, 9]], "labels": [2], "scores": [0.5]}] * 2
    report = report_coco(targets, {"a": found, "b": found}, **QUICK)
    assert values_of(report, model="a") == pytest.approx(values_of(report, model="b"), nan_ok=True)
    table = read_coco(targets, found)
    expected = ap.mean_average_precision_score(data=table, n_points=101, grid="float")
    assert values_of(report, model="a")["AP50"] == expected


@pytest.mark.parametrize(
    ("annotations", "detections", "words"),
    [
        (FILES[0], {}, "detections has no detectors. Pass at least one."),
        (FILES[1], FILES[0], "detections must be a list. Pass the annotations first."),
        (FILES[0], {"a": FILES[1], "b": [{"image_id": 7, "category_id": 2}]}, "has no 'score'"),
        (FILES[0], {"a": FILES[1], "b": [FILES[1][0] | {"image_id": 1}]}, "the model 'b'"),
    ],
)
def test_wrong_files_are_refused(annotations, detections, words):
    with pytest.raises(ValueError, match=words):
        report_coco(annotations, detections)


def test_an_evaluation_is_refused_with_what_to_pass():
    evaluation = evaluated_by_default(*random_files(3))
    with pytest.raises(TypeError, match=r"report\(data=read_coco\(evaluation, overlap='0.50:0.95"):
        report_coco(evaluation, {"a": []})
    table = read_coco(evaluation, overlap="0.50:0.95")
    value = ap.report(data=table, metrics="101-point float").rows[0].value
    assert value == pytest.approx(evaluation.stats[0], abs=1e-9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"baseline": "c"}, "baseline='c' is not one of the models"),
        ({"margin": {"AP99": 0.1}}, "margin"),
        ({"margin": 2}, "A margin of 2 isn't smaller than the range"),
        ({"min_positives": 2}, "min_positives says which segments are judged, but there are none"),
        ({"confidence_level": 2}, "'confidence_level' parameter of report_coco"),
        ({"method": "influence"}, "has no influence in closed form"),
    ],
)
def test_arguments_are_those_of_a_report(options, words):
    annotations, found = two_detectors(4)
    with pytest.raises((ValueError, TypeError), match=words):
        report_coco(annotations, found, **options)


# For each argument, what else a call has, and a value that matters.
MATTERS = {
    "by": ({}, "category"),
    "baseline": ({}, "b"),
    "margin": ({"baseline": "b"}, 0.3),
    "min_positives": ({"by": "category"}, 9),
    "joint": ({"by": "category"}, False),
    "confidence_level": ({}, 0.8),
    "method": ({}, "influence"),
    "n_resamples": ({}, 29),
    "random_state": ({}, 1),
    "verbose": ({}, 1),
}


@cache
def report_with(*options):
    return report_coco(*two_detectors(4), **QUICK | dict(options))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("argument", [*signature(report_coco).parameters][2:])
def test_no_argument_is_ignored(argument, capsys, monkeypatch):
    """Each changes the report, or is refused."""
    monkeypatch.setattr(progress, "_PAUSE", 0.0)
    annotations, found = two_detectors(4)
    besides, value = MATTERS[argument]
    plain = report_with(*besides.items())
    capsys.readouterr()
    try:
        report = report_coco(annotations, found, **QUICK | besides | {argument: value})
    except ValueError:
        return
    printed = bool(capsys.readouterr().err)
    assert (report.to_dict(), str(report), printed) != (plain.to_dict(), str(plain), False)
