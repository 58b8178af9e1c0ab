"""Operating points as dicts of JSON, from which another process loads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from math import nan
from typing import Any, NoReturn

from .._show.results import FORMAT_VERSION, Origin, to_json
from ..exceptions import InvalidParameterError
from .point import TARGET_FIELDS, Choice, Point
from .rounding import Form
from .targets import Targets

_NOT_NUMBERS = "shown", "source", "origin", "flagged_per_group"
_NUMBERS = [field.name for field in fields(Point) if field.name not in _NOT_NUMBERS]
_COUNTS = "n_flagged", "true_positives", "false_positives", "n_samples"
_RATES = "precision", "recall", "flagged_share"  # which are nan for 0/0
_OF_REQUEST = "k", "k_counts", "pos_label", "min_grade"
_OF_FORM = "score_type", "score_decimals"
_KEYS_OF_SOURCE = {  # by the fields of a `Choice`
    "n_positives": "n_positives",
    "positive_share": "positive_share",
    "equal_weights": "equal_weights",
    "scores": "score_column",
    "labels": "label_column",
    "columns": "columns",
    "existing": "existing_positives",
    "is_lasting": "is_lasting",
}


def save_point(point: Point) -> dict[str, Any]:
    """Return what another process needs to print a point, and to check it on new data."""
    source, request = point.source, point.source.request
    saved: dict[str, Any] = {"version": FORMAT_VERSION}
    saved |= {name: getattr(point, name) for name in _NUMBERS}
    saved["shown"] = point.shown
    saved |= {name: getattr(request, name) for name in _OF_REQUEST}
    saved["k_counts"] = str(request.k_counts)  # without whether it's the default
    saved["k_is_share"] = request.depth is not None and request.depth.is_share
    saved["is_given"] = request.threshold is not None
    saved |= {key: getattr(source, name) for name, key in _KEYS_OF_SOURCE.items()}
    saved |= dict(zip(_OF_FORM, source.form, strict=True))
    saved["conditions"] = point.conditions
    return dict(to_json(saved))


def read_fields(saved: Any) -> dict[str, Any]:
    """Return the fields of the point that was saved as this dict."""
    _check_saved(saved)
    numbers = {name: _read_number(saved, name) for name in _NUMBERS}
    for name in ("threshold", *_COUNTS):
        if numbers[name] is None:
            _refuse_value(name, "a number")
    if saved["k_counts"] not in ("samples", "weight"):
        _refuse_value("k_counts", "'samples' or 'weight'")
    for name in _RATES:
        if numbers[name] is None:
            numbers[name] = nan
    request = Targets(
        **{name: numbers[name] for name in TARGET_FIELDS},
        k=_read_cutoff(saved),
        k_counts=saved["k_counts"],
        pos_label=saved["pos_label"],
        min_grade=_read_number(saved, "min_grade"),
        threshold=numbers["threshold"] if saved["is_given"] else None,
    )
    of_source = {name: saved[key] for name, key in _KEYS_OF_SOURCE.items()}
    form = Form(*(saved[key] for key in _OF_FORM))
    source = Choice(request, form=form, **of_source)
    if source.positive_share is None:
        source = source._replace(positive_share=nan)
    origin = Origin(saved["conditions"])
    return numbers | {"shown": saved["shown"], "source": source, "origin": origin}


def _check_saved(saved: Any) -> None:
    """Refuse what isn't a whole dict of `save_point` in this version."""
    what = "OperatingPoint.from_dict"
    if not isinstance(saved, Mapping):
        raise InvalidParameterError(
            f"{what} needs the dict that to_dict returned, but got {type(saved).__name__}. Read "
            "JSON text with json.loads, and pass the list of several models to "
            "OperatingPointTable.from_dict."
        )
    version = saved.get("version")
    if version != FORMAT_VERSION:
        advice = "Choose the threshold again, and save it."
        if isinstance(version, int | float) and version > FORMAT_VERSION:
            advice = "It was written by a newer sklearn_ap: install that version here, too."
        raise InvalidParameterError(
            f"{what} reads version {FORMAT_VERSION}, but this dict has version {version!r}. "
            f"{advice}"
        )
    others = ["shown", *_OF_REQUEST, "k_is_share", "is_given", *_OF_FORM, "conditions"]
    for name in [*_NUMBERS, *others, *_KEYS_OF_SOURCE.values()]:
        if name not in saved:
            raise InvalidParameterError(
                f"{what} needs all that to_dict returned, but this dict has no {name!r}. Save the "
                "whole dict."
            )


def _read_number(saved: Mapping[str, Any], name: str) -> Any:
    """Return a number or None. In JSON, it's text if it's infinite or a fraction of integers."""
    value = saved[name]
    if value is None or isinstance(value, int | float):
        return value
    if value in ("inf", "-inf"):
        return float(value)
    try:
        return Fraction(value)
    except (TypeError, ValueError):
        _refuse_value(name, "a number")


def _refuse_value(name: str, needed: str) -> NoReturn:
    raise InvalidParameterError(
        f"OperatingPoint.from_dict needs {needed} as {name!r}, as to_dict returned it. Choose the "
        "threshold again, and save it."
    ) from None


def _read_cutoff(saved: Mapping[str, Any]) -> Any:
    """Return k. Other programs write all of the samples, 1.0, as 1, which is a count here."""
    k = _read_number(saved, "k")
    if k is None or isinstance(k, Fraction):
        return k
    return float(k) if saved["k_is_share"] else int(k)


def read_models_of_points(saved: Any) -> dict[Any, dict[str, Any]]:
    """Return the dict of each model, from the list of a table of points."""
    what = "OperatingPointTable.from_dict"
    if not isinstance(saved, list | tuple) or not saved:
        got = "an empty list" if saved in ([], ()) else type(saved).__name__
        raise InvalidParameterError(
            f"{what} needs the list that to_dict returned, with a dict for each model, but got "
            f"{got}. For one point, use OperatingPoint.from_dict."
        )
    models: dict[Any, dict[str, Any]] = {}
    for row in saved:
        if not isinstance(row, Mapping) or "model" not in row:
            raise InvalidParameterError(
                f"{what} needs a dict with a 'model' for each model. Pass the list that to_dict "
                "returned."
            )
        if row["model"] in models:
            raise InvalidParameterError(
                f"{what} got the model {row['model']!r} twice, but each model needs a name of its "
                "own."
            )
        models[row["model"]] = dict(row)
    return models
