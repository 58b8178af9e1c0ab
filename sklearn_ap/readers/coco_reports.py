"""COCO's numbers, which are of several overlaps and areas, as one report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from .._enter.entry import public
from .._enter.metric import Metric
from .._inputs.records import Inputs
from .._package import load
from .._read.tables import add_known_arguments
from .._show.results import describe_conditions
from .._words.parameters import format_list, format_value
from .._words.refusals import name_model_in_errors
from ..core.memo import Memo
from ..core.rules import Rule
from ..exceptions import InvalidParameterError
from ..metrics import make_metric
from .boxes import read_boxes, read_json
from .coco import make_detection_table, name_categories, name_groups, read_overlaps
from .detections import MatchedDetections, get_area_range, match_boxes
from .files import name_files_in_errors
from .retrieved import MEAN_OVERLAP, Retrieved, select_conditions

if TYPE_CHECKING:
    from ..reports import Report


class DetectionMetric(NamedTuple):
    """A metric of detections that were matched at an overlap, of objects in a range of areas."""

    name: str
    metric: Metric
    overlap: float | str
    area: str
    title: str = ""  # the name above the table, if it says more

    @property
    def rule(self) -> Rule:
        return self.metric.rule

    @property
    def objects(self) -> str:
        """What it counts, such as "large objects"."""
        return "objects" if self.area == "all" else f"{self.area} objects"


def make_coco_metrics() -> dict[str, DetectionMetric]:
    """Return COCO's metrics by their names."""
    metric = make_metric("101-point float", {}, "report_coco", "metrics")
    metrics = (
        DetectionMetric("AP", metric, MEAN_OVERLAP, "all"),
        DetectionMetric("AP50", metric, 0.5, "all"),
        DetectionMetric("AP75", metric, 0.75, "all"),
        DetectionMetric("APs", metric, MEAN_OVERLAP, "small", "APs (small objects)"),
        DetectionMetric("APm", metric, MEAN_OVERLAP, "medium", "APm (medium objects)"),
        DetectionMetric("APl", metric, MEAN_OVERLAP, "large", "APl (large objects)"),
    )
    return {each.name: each for each in metrics}


def make_detection_metric(metric: Metric, overlap: float | str, area: str) -> DetectionMetric:
    """Return a metric whose name says how detections are matched, which is checked."""
    read_overlaps(overlap)
    get_area_range(area)
    words = describe_conditions({"overlap": overlap, **select_conditions(area=area)})
    return DetectionMetric(f"{metric.name} {words}", metric, overlap, area)


@public(warns_once=True, unchecked=["by"])
def report_coco(
    annotations: Any,
    detections: Any,
    *,
    by: Any = None,
    baseline: str | None = None,
    margin: float | Mapping[Any, float] | None = None,
    min_positives: int = 0,
    joint: bool = True,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> Report:
    """Report COCO's six average precisions, with intervals, and compare detectors.

    AP is the mean over the overlaps (IoU) 0.50, 0.55, ..., 0.95, which AP50 and AP75 are two of.
    APs, APm and APl are AP of small, medium and large objects. All values are those of pycocotools,
    but where there are no objects of a size, for which pycocotools has -1, they are undefined.

    Parameters
    ----------
    annotations, detections
        As in :func:`read_coco`, but for a `COCOeval`. Or `detections` is a mapping from the names
        of detectors to what each has found.
    by : 'category' or mapping, default=None
        Pass 'category' to get AP of each category, or a mapping from names of categories to
        segments, such as {"cat": "animals"}.
    baseline : str, default=None
        As in :func:`~sklearn_ap.report`.
    margin : float or mapping, default=None
        As in :func:`~sklearn_ap.report`, where a mapping has names such as "AP50".
    min_positives : int, default=0
        With `by`, the number of objects below which a segment only has values.
    joint, confidence_level, method, n_resamples, random_state, verbose
        As in :func:`~sklearn_ap.report`. Images are the sampling units.

    Returns
    -------
    report : Report
        As of :func:`~sklearn_ap.report`. Its metrics are called "AP", "AP50", "AP75", "APs", "APm"
        and "APl".

    See Also
    --------
    read_coco : Read detections into a table, to evaluate them by other metrics.
    sklearn_ap.report : Evaluate models by metrics that you choose.

    Examples
    --------
    >>> from sklearn_ap.readers import report_coco
    >>> place = {"image_id": 1, "category_id": 1}
    >>> annotations = {
    ...     "images": [{"id": 1}, {"id": 2}],
    ...     "categories": [{"id": 1, "name": "cat"}],
    ...     "annotations": [
    ...         {**place, "bbox": [0, 0, 10, 10], "area": 100},
    ...         {**place, "bbox": [50, 0, 50, 40], "area": 2000},
    ...     ],
    ... }
    >>> detections = [
    ...     {**place, "bbox": [0, 0, 10, 9], "score": 0.9},
    ...     {**place, "bbox": [52, 0, 50, 40], "score": 0.8},
    ... ]
    >>> report = report_coco(annotations, detections)
    >>> {row.metric: row.value for row in report}
    {'AP': 0.9, 'AP50': 1.0, 'AP75': 1.0, 'APs': 0.9, 'APm': 0.9, 'APl': nan}
    """
    metrics = make_coco_metrics()
    chosen = [*metrics.values()] if by is None else [metrics["AP"]]
    return report_detections(
        annotations, detections, chosen, by=by, baseline=baseline, margin=margin,
        min_positives=min_positives, joint=joint, confidence_level=confidence_level,
        method=method, n_resamples=n_resamples, random_state=random_state, verbose=verbose,
    )  # fmt: skip


@public(warns_once=True, unchecked=["by"])
def report_detections(
    annotations: Any,
    detections: Any,
    chosen: Sequence[DetectionMetric],
    *,
    by: Any = None,
    baseline: str | None = None,
    margin: float | Mapping[Any, float] | None = None,
    min_positives: int = 0,
    joint: bool = True,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
) -> Report:
    """Report any metrics of detections. The other arguments are those of `report_coco`."""
    _check_segments(by)
    matched = _match_detectors(annotations, detections, chosen)
    of_objects = next(iter(matched.values()))  # which are the same for all detectors
    counted = [metric for metric in chosen if of_objects[metric.area].objects]
    if not counted:
        raise ValueError(f"annotations has no objects that count, with area={chosen[0].area!r}.")
    segment_of = None if by is None else _find_segments(by, of_objects)
    unreads = {}
    for metric in counted:
        matched_at, overlaps = _list_overlaps(chosen, metric.area), read_overlaps(metric.overlap)
        places = [matched_at.index(overlap) for overlap in overlaps]
        tables = {
            model: make_detection_table(each[metric.area], places, overlaps, area=metric.area)
            for model, each in matched.items()
        }
        unreads[metric] = _make_inputs(tables, metric, of_objects[metric.area], segment_of)
    reporting = load("reports.reporting")
    questions = [
        reporting.Question(
            metric.name,
            metric.metric,
            unreads.get(metric, unreads[counted[0]]),
            title=metric.title,
            shows_groups=False,
            n_repeats=len(read_overlaps(metric.overlap)),
            lacks="" if metric in counted else metric.objects,
        )
        for metric in chosen
    ]
    report: Report = reporting.answer_questions(
        questions, baseline=baseline, margin=margin, min_positives=min_positives, joint=joint,
        confidence_level=confidence_level, method=method, n_resamples=n_resamples,
        random_state=random_state,
    )  # fmt: skip
    return report


def _match_detectors(
    annotations: Any, detections: Any, chosen: Sequence[DetectionMetric]
) -> dict[Any, dict[str, MatchedDetections]]:
    """Match what each detector has found once for each range of areas, at all overlaps."""
    if hasattr(annotations, "evalImgs"):
        raise TypeError(
            "report_coco takes annotations and detections, but no COCOeval. Pass a table of it to "
            "report, as in report(data=read_coco(evaluation, overlap='0.50:0.95'), "
            "metrics='101-point float')."
        )
    truth = read_json(annotations, "annotations")
    is_one = not isinstance(detections, Mapping) or "annotations" in detections
    by_model = {"": detections} if is_one else detections
    if not by_model:
        raise ValueError("detections has no detectors. Pass at least one.")
    areas = dict.fromkeys(metric.area for metric in chosen)
    matched = {}
    for model, found in by_model.items():
        with (
            name_model_in_errors(model, by_model, not is_one),
            name_files_in_errors(annotations=annotations, detections=found),
        ):
            objects, boxes = read_boxes(truth, found)
            matched[model] = {
                area: match_boxes(
                    objects, boxes, _list_overlaps(chosen, area), get_area_range(area)
                )
                for area in areas
            }
    return matched


def _list_overlaps(chosen: Sequence[DetectionMetric], area: str) -> list[float]:
    """Return the overlaps of all metrics of this range of areas."""
    of_area = [read_overlaps(metric.overlap) for metric in chosen if metric.area == area]
    return sorted({*chain.from_iterable(of_area)})


def _check_segments(by: Any) -> None:
    is_category = isinstance(by, str) and by == "category"
    if not (by is None or is_category or hasattr(by, "items")):
        raise InvalidParameterError(
            "The 'by' parameter of report_coco must be 'category', or a mapping from names of "
            f"categories to segments. Got {format_value(by)} instead."
        )


def _find_segments(by: Any, matched: Mapping[str, MatchedDetections]) -> dict[Any, Any]:
    """Return the segment of each category, by its name."""
    of_areas = [name_categories(each).values() for each in matched.values()]
    names = [*dict.fromkeys(chain.from_iterable(of_areas))]
    if isinstance(by, str):  # 'category'
        return {name: name for name in names}
    segments = {str(name): segment for name, segment in by.items()}  # as a file has them
    missing = [name for name in names if str(name) not in segments]
    if missing:
        raise ValueError(
            f"by has no segment for {len(missing):,} of {len(names):,} categories "
            f"({format_list(missing)}). Add them, with None for those without a segment."
        )
    return {name: segments[str(name)] for name in names}


def _make_inputs(
    tables: Mapping[Any, Retrieved],
    metric: DetectionMetric,
    matched: MatchedDetections,
    segment_of: Mapping[Any, Any] | None,
) -> Inputs:
    """Return what the tables of all detectors say about their data, and its segments."""
    roles = ("y_true", "y_score", "groups", "clusters", "n_positives")
    arguments = add_known_arguments({"data": tables, "metric": metric.metric}, dict.fromkeys(roles))
    assert arguments is not None
    y_score = dict.fromkeys(tables, arguments["y_score"])
    besides = {}
    if segment_of is not None:
        names = [*name_categories(matched).values()]
        besides["by"] = {
            group: segment_of[name]
            for groups in name_groups(names, read_overlaps(metric.overlap))
            for group, name in zip(groups, names, strict=True)
        }
    return Inputs.of_call(arguments, "report_coco", y_score=y_score, besides=besides, memo=Memo())


report_coco.__module__ = "sklearn_ap.readers"  # where users find it
