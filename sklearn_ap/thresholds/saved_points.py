"""Operating points as dicts of JSON, from which another process loads them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from fractions import Fraction
from functools import cache
from math import nan
from numbers import Real
from typing import Any, NamedTuple, NoReturn

from .._show.results import FORMAT_VERSION, Origin, to_json
from .._words.parameters import find_allowed_values
from ..core.tolerances import SUM_TOLERANCE
from ..exceptions import InvalidParameterError
from .point import REMEMBERED_ROLES, TARGET_FIELDS, Choice, Point
from .targets import Targets

_NOT_NUMBERS = "shown", "source", "origin", "flagged_per_group"
_NUMBERS = [field.name for field in fields(Point) if field.name not in _NOT_NUMBERS]
_OF_TARGETS = "k", "k_counts", "pos_label", "min_grade"
_OF_GROUPS = "n_groups", "least_per_group", "mean_per_group", "most_per_group"
_EXACT = "threshold", *TARGET_FIELDS, "k", "min_grade"  # which may be fractions of integers
_KEYS_OF_SOURCE = {  # by the fields of a `Choice`
    "n_positives": "n_positives",
    "positive_share": "positive_share",
    "equal_weights": "equal_weights",
    "scores": "score_column",
    "labels": "label_column",
    "columns": "columns",
    "existing": "existing_positives",
    "score_types": "score_types",
    "is_lasting": "is_lasting",
}


class _Allowed(NamedTuple):
    """What a saved field can be."""

    words: str
    test: Callable[[Any], bool]
    can_be_none: bool = False


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and value == value


def _is_amount(value: Any) -> bool:
    return _is_number(value) and not isinstance(value, Fraction) and 0 <= value <= _MAX_FLOAT


def _is_count(value: Any) -> bool:
    return _is_amount(value) and value == int(value)


def _is_rate(value: Any) -> bool:
    return _is_amount(value) and value <= 1 + SUM_TOLERANCE  # of masses


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_label(value: Any) -> bool:
    return isinstance(value, str | bool) or (_is_number(value) and abs(value) <= _MAX_FLOAT)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_text, value))


def _are_columns(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and {*value} <= {*REMEMBERED_ROLES}
        and all(_is_text(names) or _are_texts(names) for names in value.values())
    )


def _is_json(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)


def _of_parameter(name: str, can_be_none: bool = True) -> _Allowed:
    """Return what a parameter of `operating_point` can be."""
    allowed = find_allowed_values()[name]

    def test(value: Any) -> bool:
        return value in allowed and (isinstance(value, str) or value <= _MAX_FLOAT)

    return _Allowed(allowed.words, test, can_be_none)


_MAX_FLOAT = sys.float_info.max
_COUNT = _Allowed("a whole number of at least 0", _is_count)
_COUNT_OR_NONE = _COUNT._replace(can_be_none=True)
_MASS = _Allowed("a number of at least 0", _is_amount)
_MASS_OR_NONE = _MASS._replace(can_be_none=True)
_RATE = _Allowed("a number in the range [0, 1]", _is_rate, can_be_none=True)  # of 0/0
_BOOL = _Allowed("True or False", lambda value: isinstance(value, bool))
_TEXT = _Allowed("a str", _is_text)
_NAME = _Allowed("the name of a column", _is_text, can_be_none=True)


@cache
def _list_allowed() -> dict[str, _Allowed]:
    """Return what each field can be."""
    return {
        "threshold": _Allowed(
            "a number", lambda value: isinstance(value, bool) or _is_number(value)
        ),
        "shown": _TEXT,
        **dict.fromkeys(("precision", "recall", "flagged_share", "positive_share"), _RATE),
        **dict.fromkeys(("n_flagged", "true_positives", "false_positives"), _COUNT),
        "n_samples": _Allowed("a whole number of at least 1", lambda n: _is_count(n) and n > 0),
        **dict.fromkeys(("flagged_mass", "found_mass", "existing_positives"), _MASS_OR_NONE),
        **dict.fromkeys(("n_groups", "least_per_group", "most_per_group"), _COUNT_OR_NONE),
        "mean_per_group": _MASS_OR_NONE,
        "n_positives": _MASS,
        "min_recall": _of_parameter("min_recall"),
        "min_precision": _of_parameter("min_precision"),
        "confidence_level": _of_parameter("confidence_level"),
        "k": _of_parameter("k"),
        "k_counts": _of_parameter("k_counts", can_be_none=False),
        "pos_label": _Allowed("a finite number, a str or a bool", _is_label),
        "min_grade": _of_parameter("min_grade"),
        **dict.fromkeys(("k_is_share", "is_given", "equal_weights", "is_lasting"), _BOOL),
        "score_column": _NAME,
        "label_column": _NAME,
        "columns": _Allowed(f"a dict from {', '.join(REMEMBERED_ROLES)} to columns", _are_columns),
        "score_types": _Allowed("a list of str", _are_texts),
        "conditions": _Allowed("a dict", _is_json),
    }


def save_point(point: Point) -> dict[str, Any]:
    """Return what another process needs to print a point, and to check it on new data."""
    source, targets = point.source, point.source.targets
    saved: dict[str, Any] = {"version": FORMAT_VERSION}
    saved |= {name: getattr(point, name) for name in _NUMBERS}
    saved["shown"] = point.shown
    saved |= {name: getattr(targets, name) for name in _OF_TARGETS}
    saved["k_counts"] = str(targets.k_counts)  # without whether it's the default
    saved["k_is_share"] = targets.cut is not None and targets.cut.is_share
    saved["is_given"] = targets.threshold is not None
    saved |= {key: getattr(source, name) for name, key in _KEYS_OF_SOURCE.items()}
    saved["conditions"] = point.conditions
    return dict(to_json(saved))


def read_fields(saved: Any) -> dict[str, Any]:
    """Return the fields of the point that was saved as this dict."""
    _check_saved(saved)
    read = {name: _read_field(saved, name) for name in _list_allowed()}
    in_groups = [name for name in _OF_GROUPS if read[name] is not None]
    if in_groups and len(in_groups) < len(_OF_GROUPS):
        (first, *_) = (name for name in _OF_GROUPS if name not in in_groups)
        _refuse_value(first, f"a number beside {in_groups[0]!r}")
    if read["min_grade"] is not None and read["pos_label"] != 1:
        _refuse_value("min_grade", f"None beside pos_label={read['pos_label']!r}")
    numbers = {name: read[name] for name in _NUMBERS}
    targets = Targets(
        **{name: numbers[name] for name in TARGET_FIELDS},
        **{name: read[name] for name in _OF_TARGETS},
        threshold=read["threshold"] if read["is_given"] else None,
    )
    of_source = {name: read[key] for name, key in _KEYS_OF_SOURCE.items()}
    source = Choice(targets, **of_source)
    return numbers | {
        "shown": read["shown"],
        "source": source,
        "origin": Origin(read["conditions"]),
    }


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
    others = ["shown", *_OF_TARGETS, "k_is_share", "is_given", "conditions"]
    for name in [*_NUMBERS, *others, *_KEYS_OF_SOURCE.values()]:
        if name not in saved:
            raise InvalidParameterError(
                f"{what} needs all that to_dict returned, but this dict has no {name!r}. Save the "
                "whole dict."
            )


def _read_field(saved: Mapping[str, Any], name: str) -> Any:
    """Return what a field can be, of which JSON has another form in places."""
    allowed, value = _list_allowed()[name], saved[name]
    if value is None and allowed.can_be_none:
        return nan if allowed is _RATE else None
    if name in _EXACT and isinstance(value, str):
        value = _read_number(value)
    if name == "k":
        value = _read_cutoff(value, saved["k_is_share"])
    if not allowed.test(value):
        _refuse_value(name, allowed.words)
    return value


def _read_number(text: str) -> Any:
    """Return the number that is text in JSON: infinity, or a fraction of integers."""
    if text in ("inf", "-inf"):
        return float(text)
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return text


def _refuse_value(name: str, needed: str) -> NoReturn:
    raise InvalidParameterError(
        f"OperatingPoint.from_dict needs {needed} as {name!r}, as to_dict returned it. Choose the "
        "threshold again, and save it."
    ) from None


def _read_cutoff(k: Any, is_share: Any) -> Any:
    """Return k. Other programs write all of the samples, 1.0, as 1, which is a count here."""
    if not _is_amount(k):  # such as a fraction
        return k
    if is_share:
        return float(k)
    return int(k) if k == int(k) else k


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
