"""Operating points as dicts of JSON."""

from __future__ import annotations

from typing import Any

from .._words.errors import InvalidParameterError
from .point import OF_TARGETS, ChosenFrom, Point
from .saved import Record, write_counts
from .targets import Targets

_SHARES = ("precision", "recall", "flagged_share")
_COUNTS = ("n_flagged", "true_positives", "false_positives", "n_samples", "n_within")
_NUMBERS = ("flagged_mass", "found_mass")
_OF_GROUPS = ("n_groups", "least_per_group", "mean_per_group", "most_per_group")
_OF_REQUEST = (*OF_TARGETS, "k", "quantile", "pos_label", "min_grade")
_RECORDED = {  # what a record calls the fields of a `ChosenFrom`
    **{"labels": "label_column", "scores": "score_column", "columns": "columns"},
    **{"existing": "existing_positives", "n_positives": "n_positives"},
    **{"positive_share": "positive_share", "equal_weights": "equal_weights"},
    **{"score_type": "score_type", "is_lasting": "is_lasting"},
}


def point_as_dict(point: Point) -> dict[str, Any]:
    """Return everything that a point needs in another process."""
    source, request = point.source, point.source.request
    counts, kind = write_counts(point.flagged_per_group)
    of_point = ("threshold", "shown", *_SHARES, *_COUNTS, *_NUMBERS, *_OF_GROUPS)
    return {
        **{name: getattr(point, name) for name in of_point},
        **{name: getattr(request, name) for name in _OF_REQUEST},
        "is_given": request.threshold is not None,
        "k_is_share": isinstance(request.k, float),
        "k_counts": str(request.k_counts),
        **{name: getattr(source, field) for field, name in _RECORDED.items()},
        "flagged_per_group": counts,
        "group_type": kind,
        "conditions": point.conditions,
    }


def fields_of(values: Any) -> dict[str, Any]:
    """Return the fields of a point that was saved."""
    if isinstance(values, list | tuple):
        raise InvalidParameterError(
            "OperatingPoint.from_dict needs the dict of one point, but got a list, as the points "
            "of several models are. Pass it to OperatingPointTable.from_dict."
        )
    record = Record.of(values, "OperatingPoint")
    request = _targets_of(record)
    of_source = {field: record.get(name) for field, name in _RECORDED.items()}
    of_source["positive_share"] = record.share("positive_share")  # which may be nan
    return {
        **{name: record.number(name) for name in (*_COUNTS, *_NUMBERS, *_OF_GROUPS)},
        **{name: record.share(name) for name in _SHARES},
        **{name: getattr(request, name) for name in OF_TARGETS},
        "threshold": record.score("threshold"),
        "shown": record.get("shown"),
        "flagged_per_group": record.counts("flagged_per_group", "group_type"),
        "source": ChosenFrom(request, **of_source),
    }


def _targets_of(record: Record) -> Targets:
    targets = {name: record.get(name) for name in _OF_REQUEST}
    if record.get("k_is_share"):  # of 1.0, which JavaScript writes as 1
        targets["k"] = float(targets["k"])
    threshold = record.score("threshold") if record.get("is_given") else None
    return Targets(**targets, k_counts=record.get("k_counts"), threshold=threshold)


def models_of(rows: Any) -> dict[Any, Any]:
    """Return the record of each model, if these are the rows of several models."""
    what = "OperatingPointTable.from_dict"
    if not isinstance(rows, list | tuple) or not rows:
        empty = "an empty " if rows in ([], ()) else ""
        advice = " For one point, use OperatingPoint.from_dict." if isinstance(rows, dict) else ""
        raise InvalidParameterError(
            f"{what} needs the list that to_dict returned, with a dict for each model, but got "
            f"{empty}{type(rows).__name__}.{advice}"
        )
    models: dict[Any, Any] = {}
    for row in rows:
        model = Record.of(row, "OperatingPointTable").get("model")
        if model in models:
            raise InvalidParameterError(
                f"{what} got the model {model!r}, but each model needs a name of its own. Pass the "
                "list that to_dict returned, without changes."
            )
        models[model] = row
    return models
