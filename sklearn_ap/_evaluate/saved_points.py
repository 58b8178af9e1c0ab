"""Operating points as dicts of JSON, which are checked when they are loaded."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context
from math import inf, isclose, isinf
from typing import Any

from .._show.results import Local, in_json
from .._show.saved import VERSION, Record, write_counts
from .._words.errors import InvalidParameterError
from .._words.parameters import check_allowed
from ..core.cutoff import RELATIVE
from .targets import Source, Targets

_OF_GROUPS = ("n_groups", "least_per_group", "mean_per_group", "most_per_group")
_OF_TARGETS = ("min_recall", "min_precision", "k", "quantile", "confidence_level", "alert_cost")


def written(point: Any) -> dict[str, Any]:
    """Return everything that a point needs in another process."""
    source, of_each = point.source, point.flagged_per_group
    request = source.request
    counts, kind = write_counts(of_each)
    first = [
        *("threshold", "precision", "recall", "n_flagged", "true_positives", "false_positives"),
        *("flagged_share", "flagged_mass", "found_mass", "net_value", "n_samples", "shown"),
    ]
    record = {"version": VERSION} | {name: getattr(point, name) for name in first}
    record |= {name: getattr(request, name) for name in _OF_TARGETS}
    record |= {
        "is_given": request.threshold is not None,
        "k_counts": str(request.k_counts),
        "benefit": request.benefit,
        "pos_label": request.pos_label,
        "min_grade": request.min_grade,
        "label_column": source.labels,
        "score_column": source.scores,
        "n_positives": source.n_positives,
        "positive_share": source.positive_share,
        "equal_weights": source.equal_weights,
        "are_shares": source.are_shares,
        "n_within": point.n_within,
        "flagged_per_group": counts,
        "group_type": kind,
    }
    found: dict[str, Any] = in_json(record | {name: getattr(point, name) for name in _OF_GROUPS})
    return found


def fields_of(values: Any) -> dict[str, Any]:
    """Return the fields of a point that was saved, after checking that they fit together."""
    if isinstance(values, list | tuple):
        raise InvalidParameterError(
            "OperatingPoint.from_dict needs the dict of one point, but got a list, as the points "
            "of several models are. Pass it to OperatingPointTable.from_dict."
        )
    record = Record.of(values, "OperatingPoint")
    request = _targets_of(record)
    n_samples, n_positives = record.count("n_samples"), record.count("n_positives")
    of_each = record.counts("flagged_per_group", "group_type")
    fields = {
        "threshold": record.score("threshold"),
        "precision": record.share("precision", may_be_none=True),
        "recall": record.share("recall", may_be_none=True),
        "n_flagged": record.count("n_flagged"),
        "true_positives": record.count("true_positives"),
        "false_positives": record.count("false_positives"),
        "flagged_share": record.share("flagged_share"),
        "flagged_mass": record.number("flagged_mass", may_be_none=True),
        "found_mass": record.number("found_mass", may_be_none=True),
        "net_value": record.number("net_value", may_be_none=True),
        "n_samples": n_samples,
        "shown": record.text("shown"),
        "min_recall": request.min_recall,
        "min_precision": request.min_precision,
        "confidence_level": request.confidence_level,
        "n_groups": record.count("n_groups", may_be_none=True),
        "least_per_group": record.count("least_per_group", may_be_none=True),
        "mean_per_group": record.number("mean_per_group", may_be_none=True),
        "most_per_group": record.count("most_per_group", may_be_none=True),
        "flagged_per_group": of_each,
        "n_within": record.count("n_within", may_be_none=True),
    }
    source = Source(
        request=request,
        n_positives=n_positives,
        are_shares=record.flag("are_shares"),
        state=Local(when="saved"),
        positive_share=record.share("positive_share"),
        equal_weights=record.flag("equal_weights"),
        scores=record.text("score_column", may_be_none=True),
        labels=record.text("label_column", may_be_none=True),
    )
    _check_counts(record, fields, n_positives)
    _check_groups(record, fields, request)
    shown = fields["shown"]
    record.check(_is_short(shown, fields["threshold"]), "shown", "it isn't this threshold")
    return fields | {"source": source}


def _targets_of(record: Record) -> Targets:
    given = {name: record.number(name, may_be_none=True) for name in _OF_TARGETS}
    given |= {"pos_label": record.get("pos_label"), "min_grade": record.get("min_grade")}
    counts = record.text("k_counts")
    nullable = {*_OF_TARGETS, "min_grade"}
    allowed = given | ({} if counts == RELATIVE else {"k_counts": counts})
    check_allowed("OperatingPoint.from_dict", nullable, allowed)
    threshold = record.score("threshold") if record.flag("is_given") else None
    request = Targets(**given, k_counts=counts, threshold=threshold, benefit=_benefit_of(record))
    try:
        request.check(grouped=record.get("n_groups") is not None)
    except InvalidParameterError as error:
        raise InvalidParameterError(
            f"OperatingPoint.from_dict got a dict that contradicts itself. {error}"
        ) from None
    return request


def _benefit_of(record: Record) -> Any:
    if isinstance(record.get("benefit"), str):
        return record.text("benefit")
    benefit = record.number("benefit", may_be_none=True)
    record.check(benefit is None or 0 <= benefit < inf, "benefit", "it must be in [0, inf)")
    return benefit


def _check_counts(record: Record, fields: dict[str, Any], n_positives: int) -> None:
    """Check that counts add up and that fractions are those of the counts, or of the weights."""
    n_samples, flagged, found, wrong = (
        fields[name] for name in ("n_samples", "n_flagged", "true_positives", "false_positives")
    )
    record.check(found + wrong == flagged, "n_flagged", f"{found} + {wrong} are positive and not")
    record.check(n_positives <= n_samples, "n_positives", f"n_samples is {n_samples}")
    record.check(found <= n_positives, "true_positives", f"n_positives is {n_positives}")
    n_negatives = n_samples - n_positives
    record.check(wrong <= n_negatives, "false_positives", f"there are {n_negatives} negatives")
    mass, found_mass = fields["flagged_mass"], fields["found_mass"]
    record.check((mass is None) == (found_mass is None), "found_mass", f"flagged_mass is {mass!r}")
    is_weighted = mass is not None
    part, whole = (found_mass, mass) if is_weighted else (found, flagged)
    record.check(0 <= part <= whole * (1 + _ROUNDING), "found_mass", f"flagged_mass is {mass!r}")
    precision = part / whole if whole else None
    _check_share(record, "precision", precision)
    if not is_weighted:
        _check_share(record, "flagged_share", flagged / n_samples if n_samples else None)
        most = found / n_positives if n_positives else 0
        recall = record.values["recall"]
        record.check(
            recall is None or recall <= most + _ROUNDING,
            "recall",
            f"{found} of {n_positives} positives are found",
        )
    asked_value = record.values["alert_cost"]
    net_value = fields["net_value"]
    record.check(
        (net_value is None) == (asked_value is None), "net_value", f"alert_cost is {asked_value!r}"
    )
    for name in ("min_recall", "min_precision"):
        target, reached = fields[name], record.values[name[4:]]
        if target is not None and fields["confidence_level"] is None:
            holds = reached is not None and reached >= target - _ROUNDING
            record.check(holds, name[4:], f"{name} is {target!r}")


_ROUNDING = 1e-9


def _check_share(record: Record, name: str, value: float | None) -> None:
    saved = record.values[name]
    same = saved is value is None or (
        None not in (saved, value) and isclose(saved, value, rel_tol=_ROUNDING)  # type: ignore[arg-type]
    )
    record.check(same, name, f"from the counts, or from the weights, it is {value!r}")


def _check_groups(record: Record, fields: dict[str, Any], request: Targets) -> None:
    """Check that what is said about groups is true of their counts."""
    of_each, n_groups = fields["flagged_per_group"], fields["n_groups"]
    for name in (*_OF_GROUPS, "flagged_per_group"):
        record.check((fields[name] is None) == (n_groups is None), name, f"n_groups is {n_groups}")
    has_quantile = request.quantile is not None
    within = fields["n_within"]
    record.check(
        (within is not None) == has_quantile, "n_within", f"quantile is {request.quantile!r}"
    )
    if n_groups is None:
        return
    counts = [*of_each.values(), *[0] * (n_groups > len(of_each))]
    record.check(0 < len(of_each) <= n_groups, "n_groups", f"there are {len(of_each)} groups")
    n_flagged = fields["n_flagged"]
    record.check(sum(counts) == n_flagged, "n_flagged", f"the groups have {sum(counts)} in all")
    record.check(min(counts) == fields["least_per_group"], "least_per_group", "a group has others")
    record.check(max(counts) == fields["most_per_group"], "most_per_group", "a group has others")
    mean = n_flagged / n_groups
    record.check(isclose(mean, fields["mean_per_group"]), "mean_per_group", f"it is {mean!r}")
    record.check(within is None or within <= n_groups, "n_within", f"n_groups is {n_groups}")
    counts_rows = request.k_counts == "samples" or fields["flagged_mass"] is None
    if request.is_budget(grouped=True) and not has_quantile and counts_rows:
        record.check(n_flagged <= request.k * n_groups, "k", f"the mean per group is {mean:.4g}")


def short_forms(score: float) -> dict[str, float]:
    """Return a score with fewer digits, from three on, and in full.

    Digits are cut off rather than rounded, because a rounded threshold may exceed the score itself.
    """
    if isinf(score):
        return {repr(score): score}
    cut = (Context(digits, ROUND_FLOOR).create_decimal(repr(score)) for digits in range(3, 17))
    return {repr(short): short for short in [*map(float, cut), score]}


def _is_short(shown: str, threshold: Any) -> bool:
    if isinstance(threshold, float):
        return shown in short_forms(threshold)
    return shown in (str(threshold), f"{threshold}.0")  # if JSON has lost that it's a float


def models_of(rows: Any) -> dict[Any, Any]:
    """Return the record of each model, if these are the rows of several models."""
    what = "OperatingPointTable.from_dict"
    if not isinstance(rows, list | tuple) or not rows:
        one = " For one point, use OperatingPoint.from_dict." if isinstance(rows, dict) else ""
        raise InvalidParameterError(
            f"{what} needs the list that to_dict returned, with a dict for each model, but got "
            f"{'an empty ' * (rows in ([], ()))}{type(rows).__name__}.{one}"
        )
    models: dict[Any, Any] = {}
    for row in rows:
        model = Record.of(row, "OperatingPointTable").get("model")
        if isinstance(model, list | dict) or model in models:
            raise InvalidParameterError(
                f"{what} got the model {model!r}, but each model needs a name of its own. Pass the "
                "list that to_dict returned, without changes."
            )
        models[model] = row
    return models
