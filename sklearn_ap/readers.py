"""Judgments and runs of search engines, and objects and detections in images, as tables."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from csv import QUOTE_NONE
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np

from ._core import check, is_finite, load, warn_caller

__all__ = ["read_coco", "read_trec"]

Source = str | PathLike[str] | IO[Any] | Mapping[str, Mapping[str, float]]

# The fields of each line, and the one that is a number
_FIELDS = {
    "qrels": ("query", "iteration", "document", "grade"),
    "run": ("query", "Q0", "document", "rank", "score", "name"),
}
_NUMBERS = {"qrels": ("grade", "a whole grade"), "run": ("score", "a finite score")}


def read_trec(
    qrels: Source, run: Source | Mapping[Any, Source]
) -> tuple[Any, dict[str, dict[int, int]]]:
    """Read the judgments and the run of a search engine, in the formats of TREC.

    With both results, metrics have the values of ``trec_eval -c``: tied documents are ranked by
    name in descending order, scores are in single precision, queries without judgments are left
    out, and queries without documents count as 0.

    Read more in :doc:`Queries and users </groups>`.

    Parameters
    ----------
    qrels : path, open file or dict
        Lines of query, iteration, document and grade, plain or compressed by gzip, or a dict
        ``{query: {document: grade}}``. A document with a grade below 0 counts as not judged.
    run : path, open file or dict, or mapping from names to these
        Lines of query, Q0, document, rank, score and name, of which the ranks aren't read, or a
        dict ``{query: {document: score}}``.

    Returns
    -------
    table : DataFrame of pandas
        A row for each document that was retrieved, in the order of ranks, with "query", "document",
        "grade" (0 if there is none), "judged", and "score", in which ties are broken by the last
        digits. For several runs, it is a dict of such tables, which :func:`sklearn_ap.compare`
        takes.
    n_positives : dict of dicts
        The number of judged documents of each grade, for each query.

    See Also
    --------
    sklearn_ap.mean_average_precision_score : MAP.
    sklearn_ap.compare : Compare engines by their runs.

    Examples
    --------
    >>> from sklearn_ap.readers import read_trec
    >>> from io import StringIO
    >>> import sklearn_ap as ap
    >>> qrels = StringIO("cat 0 d1 1\\ncat 0 d2 0\\ndog 0 d1 2\\n")
    >>> run = StringIO("cat Q0 d2 1 0.9 me\\ncat Q0 d1 2 0.8 me\\n")
    >>> table, n_positives = read_trec(qrels, run)
    >>> n_positives
    {'cat': {0: 1, 1: 1}, 'dog': {2: 1}}
    >>> of_table = {"groups": "query", "n_positives": n_positives, "data": table}
    >>> ap.ndcg_score("grade", "score", k=10, **of_table)
    0.315...
    >>> ap.mean_average_precision_score("grade", "score", min_grade=1, **of_table)
    0.25
    """
    judgments = _read_source(qrels, "qrels")
    n_positives: dict[str, dict[int, int]] = {name: {} for name in judgments["query"].unique()}
    by_grade = judgments[judgments["grade"] >= 0].groupby(["query", "grade"]).size()
    for (query, grade), count in by_grade.items():
        n_positives[query][int(grade)] = int(count)

    # A dict holds the scores of documents, which are one run, or runs by their names.
    runs: Any = run
    first: Any = next(iter(runs.values()), {}) if isinstance(run, Mapping) else {}
    if isinstance(first, Mapping) and not any(isinstance(d, Mapping) for d in first.values()):
        return _judge_run(runs, judgments), n_positives
    return {name: _judge_run(source, judgments) for name, source in runs.items()}, n_positives


def _judge_run(source: Source, judgments: Any) -> Any:
    """Return the documents of judged queries in the order of ranks, with their grades."""
    run = _read_source(source, "run")
    for column in ("query", "document"):
        names = [*run[column].unique().tolist(), *judgments[column].unique().tolist()]
        kinds = {isinstance(name, str): name for name in names}
        if len(kinds) > 1:
            raise ValueError(
                f"Write each {column} as text, or each as a number. "
                f"Got {kinds[True]!r} and {kinds[False]!r}."
            )
    table = run[run["query"].isin(judgments["query"])]
    if table.empty:
        raise ValueError(
            f"No query of the run has judgments: {run['query'].iloc[0]!r} is in the run, and "
            f"{judgments['query'].iloc[0]!r} in the judgments."
        )
    table = table.merge(judgments[judgments["grade"] >= 0], how="left", on=["query", "document"])
    table["score"] = table["score"].astype(np.float32).astype(float)
    table["judged"] = table["grade"].notna()
    table["grade"] = table["grade"].fillna(0).astype(int)
    # The last names come first among tied documents, whose scores are made to differ.
    table = table.sort_values(["query", "score", "document"], ascending=[True, False, False])
    n_below = table.groupby(["query", "score"], sort=False).cumcount(ascending=False)
    table["score"] += n_below * np.spacing(table["score"].abs())
    return table[["query", "document", "grade", "judged", "score"]].reset_index(drop=True)


# --- sources --------------------------------------------------------------------------------------


def _read_source(source: Any, role: str) -> Any:
    """Read the query, the document, and the grade or the score of each line, or of each item of a
    dict as pytrec_eval and ranx take it.
    """
    pd = load("pandas", "read_trec")
    place, fields, (column, wanted) = "Line", _FIELDS[role], _NUMBERS[role]
    try:
        if isinstance(source, Mapping):
            place, fields = "Item", ("query", "document", column)
            items = [
                (query, *item) for query, of_query in source.items() for item in of_query.items()
            ]
            table = pd.DataFrame(items, columns=fields)
        else:
            table = pd.read_csv(
                source,
                sep=r"\s+",
                header=None,
                names=[*fields, "more"],  # Longer lines have more, which is refused.
                index_col=False,
                dtype=str,
                na_filter=False,
                quoting=QUOTE_NONE,
                skip_blank_lines=False,  # so that lines have their numbers
                encoding="utf-8-sig",
            ).fillna("")
            table = table[table["query"] != ""]
    except Exception as error:  # Each kind of archive has errors of its own for broken files.
        if isinstance(error, ImportError | MemoryError) or getattr(error, "errno", None):
            raise  # It lacks a library, or the system can't open the file.
        raise ValueError(
            f"The {role} must be a dict {{query: {{document: {column}}}}}, or a file of text in "
            f"UTF-8, plain or compressed by gzip, whose lines are {', '.join(_FIELDS[role])}. "
            f"Got {source!r:.200}: {error}"
        ) from error
    if table.empty:
        raise ValueError(f"The {role} has no documents.")
    values = pd.to_numeric(table[column], errors="coerce").to_numpy(dtype=float)
    if role == "qrels":
        is_valid = (values == np.rint(values)) & (np.abs(values) <= 2**31)
    else:
        is_valid = np.abs(values) <= np.finfo(np.float32).max  # as in trec_eval
    is_valid &= np.asarray(table.get("more", "") == "")
    if not is_valid.all():
        row = table.astype(object).iloc[int(is_valid.argmin())]
        raise ValueError(
            f"{place} {row.name + 1} of the {role} must be {', '.join(fields)}, with {wanted}. "
            f"Got {' '.join(map(str, row)).strip()!r}."
        )
    table = table[["query", "document"]].assign(**{column: values})
    again = table[table.duplicated(["query", "document"])]
    if len(again):
        query, document = again["query"].iloc[0], again["document"].iloc[0]
        raise ValueError(f"Document {document!r} is there twice for query {query!r}.")
    return table


# --- detections -----------------------------------------------------------------------------------


def read_coco(
    annotations: Any,
    detections: Any,
    *,
    iou: float | Sequence[float] | None = None,
    area: str = "all",
    max_detections: int = 100,
    iou_type: str = "bbox",
) -> Any:
    """Read objects in images and the detections of them, in the format of COCO.

    pycocotools decides which detections are hits, and which don't count, such as those of crowds.
    With the results, ``metric("COCO mAP")`` has the values of its ``COCOeval``.

    Read more in :doc:`Object detection </detection>`.

    Parameters
    ----------
    annotations : path, dict or COCO
        The images, categories and annotations: a file in JSON, what it holds, or an object of
        pycocotools.
    detections : path, list or COCO, or mapping from names to these
        The detections with "image_id", "category_id", "score", and "bbox" or "segmentation".
    iou : float or list of float, default=None
        How much a hit overlaps its object at least: one or several thresholds of intersection
        over union, by default those of COCO, which are 0.5, 0.55, ..., 0.95.
    area : {'all', 'small', 'medium', 'large'}, default='all'
        Which objects count: by their area, up to 32² pixels, up to 96², and above.
    max_detections : int, default=100
        How many detections of a class in an image count, the highest scores first.
    iou_type : {'bbox', 'segm'}, default='bbox'
        Whether boxes or masks overlap.

    Returns
    -------
    table : DataFrame of pandas
        A row for each detection that counts, with "image", "class", "overlap" (the threshold),
        "hit" and "score"; and for each missed object, a hit without a score. For
        several detectors, it is a dict of such tables, which :func:`sklearn_ap.compare` takes.
        Classes without objects are left out, as COCO does.

    See Also
    --------
    sklearn_ap.metric : Make COCO's mAP.
    sklearn_ap.compare : Compare detectors.

    Notes
    -----
    Pass ``n_positives="rows"`` to metrics, because each object has a row. With several
    overlaps, pass ``groups=["class", "overlap"]``, because ``groups="class"`` ranks them together.

    Examples
    --------
    >>> from sklearn_ap.readers import read_coco
    >>> import sklearn_ap as ap
    >>> objects = {
    ...     "images": [{"id": 1}],
    ...     "categories": [{"id": 1, "name": "cat"}],
    ...     "annotations": [
    ...         {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 9], "area": 81},
    ...         {"id": 2, "image_id": 1, "category_id": 1, "bbox": [20, 0, 9, 9], "area": 81},
    ...     ],
    ... }
    >>> found = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 9, 8], "score": 0.9}]
    >>> table = read_coco(objects, found, iou=0.5)
    >>> table
       image class  overlap   hit  score
    0      1   cat      0.5  True    0.9
    1      1   cat      0.5  True    NaN
    >>> of_table = {"groups": ["class", "overlap"], "n_positives": "rows", "data": table}
    >>> ap.metric("COCO mAP")("hit", "score", **of_table)
    0.504...
    """
    check(iou=iou, area=area, max_detections=max_detections, iou_type=iou_type)
    shape = "bbox" if iou_type == "bbox" else "segmentation"
    truth = _read_objects(annotations, shape)

    def match(source: Any, name: str) -> Any:
        cocoeval = load("pycocotools.cocoeval", "read_coco")
        boxes = _read_detections(truth, source, name, shape)
        ids = [each["category_id"] for each in boxes.dataset["annotations"]]
        if unknown := [each for each in ids if each not in truth.cats]:
            warn_caller(
                f"{name}: {len(unknown):,} of {len(ids):,} have a category_id that annotations "
                f"lack, so they are ignored: first {[*dict.fromkeys(unknown)][:5]}, for classes "
                f"{[*truth.cats][:5]}. Are these counted from 0 in one file, and from 1 in another?"
            )
        evaluation = cocoeval.COCOeval(truth, boxes, iou_type)
        params = evaluation.params
        range_of = dict(zip(params.areaRngLbl, params.areaRng, strict=True))
        params.areaRng, params.areaRngLbl = [range_of[area]], [area]
        params.maxDets = [max_detections]
        params.iouThrs = params.iouThrs if iou is None else np.ravel(iou).astype(float)
        return _tabulate(evaluation)

    if isinstance(detections, Mapping):
        return {name: match(source, repr(name)) for name, source in detections.items()}
    return match(detections, "detections")


def _read_objects(annotations: Any, shape: str) -> Any:
    """Return annotations as pycocotools' object, whose dicts are copies."""
    coco = load("pycocotools.coco", "read_coco")
    content, where = _read_json(annotations, "annotations")
    content = content.dataset if isinstance(content, coco.COCO) else content
    if not isinstance(content, Mapping):
        raise ValueError(f"{where} must be a dict with images, categories and annotations.")
    objects: Any = content.get("annotations")
    fields = ["id", "image_id", "category_id", "area", shape]
    for name, needed in (("annotations", fields), ("categories", ["id"]), ("images", ["id"])):
        _check_entries(content.get(name), needed, f"{where}: {name}")
    ids = [each["id"] for each in objects]
    # pycocotools takes an object whose id is 0 as missed, and loses one of two with the same id.
    if min(ids, default=1) < 1 or len({*ids}) < len(ids):
        raise ValueError(f"{where}: annotations must have different ids from 1.")
    return _make_coco(content, [{"iscrowd": 0, **each} for each in objects])


def _read_detections(truth: Any, detections: Any, name: str, shape: str) -> Any:
    """Return detections as pycocotools' object, whose dicts are copies."""
    content, where = _read_json(detections, name)
    if isinstance(content, type(truth)):
        return _make_coco(content.dataset, [*map(dict, content.dataset["annotations"])])
    _check_entries(content, ["image_id", "category_id", "score", shape], where)
    if not content:  # which loadRes refuses
        return _make_coco(truth.dataset, [])
    images = [box["image_id"] for box in content if box["image_id"] not in truth.imgs]
    if images:
        raise ValueError(
            f"{where}: {len(images):,} of {len(content):,} have an image_id that annotations lack: "
            f"first {images[0]!r}, for images {[*truth.imgs][:3]}. Replace names of files by ids."
        )
    with contextlib.redirect_stdout(StringIO()):
        return truth.loadRes([*map(dict, content)])


def _read_json(source: Any, name: str) -> tuple[Any, str]:
    """Return what a file in JSON holds, or anything else as it is, and what errors call it."""
    if not isinstance(source, str | PathLike):
        return source, name
    try:
        return json.loads(Path(source).read_bytes()), str(source)
    except ValueError as error:
        raise ValueError(f"{source} isn't JSON: {error}.") from error


def _check_entries(entries: Any, fields: Sequence[str], where: str) -> None:
    """Refuse what isn't a list of dicts with such fields."""
    if not isinstance(entries, list):
        raise ValueError(f"{where} must be a list of dicts. Got {entries!r:.80}.")
    for place, each in enumerate(entries):
        for name in fields:
            value = each.get(name) if isinstance(each, Mapping) else None
            is_valid = value is not None
            if name in ("area", "score", "bbox"):  # pycocotools takes nan as a hit of any object.
                numbers = value if isinstance(value, list | tuple) else [value]
                is_valid = all(map(is_finite, numbers))
            if not is_valid:
                raise ValueError(
                    f"{where}[{place}] must be a dict with {name!r}. Got {each!r:.200}."
                )


def _make_coco(content: Mapping[str, Any], annotations: list[Any]) -> Any:
    data = load("pycocotools.coco", "read_coco").COCO()
    data.dataset = {"info": {}, **content, "annotations": annotations}  # loadRes may need info
    with contextlib.redirect_stdout(StringIO()):
        data.createIndex()
    return data


def _tabulate(evaluation: Any) -> Any:
    """Return a row for each detection that counts at a threshold, and each object missed there."""
    pd = load("pandas", "read_coco")
    with contextlib.redirect_stdout(StringIO()):
        evaluation.evaluate()
    params, categories = evaluation.params, evaluation.cocoGt.cats
    # For each class and image, what counts, in the order in which COCOeval ranks equal scores
    matches = [each for each in evaluation.evalImgs if each is not None]
    classes = {each["category_id"] for each in matches if not np.all(each["gtIgnore"])}
    if not classes:
        raise ValueError(
            f"annotations have no objects that count, with area={params.areaRngLbl[0]!r}."
        )
    matches = [each for each in matches if each["category_id"] in classes]
    match = np.arange(len(matches))
    match_of_box = np.repeat(match, [len(each["dtIds"]) for each in matches])
    match_of_object = np.repeat(match, [len(each["gtIds"]) for each in matches])
    is_hit = np.hstack([each["dtMatches"] > 0 for each in matches])
    is_counted = np.hstack([each["dtIgnore"] == 0 for each in matches])
    is_missed = np.hstack([(each["gtMatches"] == 0) & (each["gtIgnore"] == 0) for each in matches])
    scores = np.concatenate([each["dtScores"] for each in matches])
    box, missed = np.nonzero(is_counted), np.nonzero(is_missed)
    match = np.append(match_of_box[box[1]], match_of_object[missed[1]])
    kinds, code = np.unique([each["category_id"] for each in matches], return_inverse=True)
    return pd.DataFrame(
        {
            "image": np.array([each["image_id"] for each in matches])[match],
            "class": pd.Categorical.from_codes(
                code[match], [categories[kind].get("name", kind) for kind in kinds.tolist()]
            ),
            "overlap": params.iouThrs.round(10)[np.append(box[0], missed[0])],
            "hit": np.append(is_hit[box], np.ones(missed[0].size, dtype=bool)),
            "score": np.append(scores[box[1]], np.full(missed[0].size, np.nan)),
        }
    )
