"""Tables of the readers, which know their columns and under which conditions they were made."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from .._inputs.metric_names import read_overlap
from .._inputs.records import NO_COLUMNS, ReaderLabels
from .._words.parameters import format_name, format_value
from ..core.rules import GroupFunction
from .column_names import ReaderColumn, get_column_name, get_series_name
from .table_kinds import are_tables, refuse_tables


def add_known_arguments(
    arguments: Mapping[str, Any], parameters: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Add to the arguments of a function those that their table, or each of their tables, knows.

    A table knows what `get_known_arguments` of its class returns: names of its columns, and how
    many positives exist, in each cluster if the function draws clusters. Its `columns` then take
    its place. Arguments that were passed take precedence. Return None if no table knows any.

    `arguments` has `data`, and `parameters` are those of the function.
    """
    data = arguments["data"]
    knowing = _select_reader_tables(data)
    if not knowing:
        return None
    if isinstance(data, Mapping) and len(knowing) < len(data):
        refuse_tables()
    of_differences = [arguments.get(name) for name in ("baseline", "margin", "by")]
    if "y_score_a" in parameters or any(each is not None for each in of_differences):
        _check_same_conditions(data if are_tables(data) else knowing)
    by_cluster = _has_drawn_clusters(arguments, parameters)
    overlaps = [getattr(table, "overlaps", ()) for table in knowing.values()]
    if any(overlaps):
        _check_no_overlaps(arguments, overlaps)
    added: dict[str, Any] = {}
    counts_of_added = None  # of positives, where n_positives counts judged documents by grade
    for model, table in knowing.items():
        from_table = table.get_known_arguments(by_cluster)
        if isinstance(labels := from_table["y_true"], ReaderLabels):
            _check_takes_judged(arguments)
            if arguments.get("y_true") == labels.grades:  # which the table's labels also have
                arguments = {role: arguments[role] for role in arguments if role != "y_true"}
        from_table["y_score"] = ReaderColumn(from_table["y_score"])
        if "y_score_a" in parameters:
            from_table["y_score_a"] = from_table.pop("y_score")
        if "n_positives" in parameters:
            _check_known_positives(arguments, from_table, by_cluster)
        wanted = parameters.keys() - arguments.keys()
        from_table = {role: from_table[role] for role in from_table if role in wanted}
        counts = table.n_positives if "n_positives" in from_table else None
        if added and (from_table, counts) != (added, counts_of_added):
            _refuse_different_tables(next(iter(knowing)), added, model, from_table)
        added, counts_of_added = from_table, counts
    if not isinstance(data, Mapping):
        return {**arguments, **added, "data": ReaderColumns(data)}
    columns = {model: ReaderColumns(table) for model, table in knowing.items()}
    return {**arguments, **added, "data": columns}


class ReaderColumns(dict[str, Any]):
    """The columns of a table that knows them, and under which conditions it was made."""

    only_retrieved = True  # so it lacks the candidates that weren't

    def __init__(self, table: Any) -> None:
        super().__init__(table.columns)
        self.conditions: Mapping[str, Any] = table.conditions


def find_conditions(arguments: Mapping[str, Any], model: Any = None) -> dict[str, Any]:
    """Return what changes the meaning of values and isn't a default: what the arguments of a call
    say about the data, and how a reader made the table, or the one of this model. Of the tables of
    several models, it is what they have in common.
    """
    conditions: dict[str, Any] = {}
    weight = arguments.get("sample_weight")
    if weight is not None:
        conditions["sample_weight"] = get_column_name(weight) or get_series_name(weight) or True
    data: Any = arguments.get("data")
    tables = [data]
    if are_tables(data):
        tables = [data[model]] if model in data else [*data.values()]
    of_tables = []
    for table in tables:
        found = getattr(table, "conditions", None)
        # DataFrames have their columns as attributes, and those of Spark Connect any others, too.
        of_tables.append(found if isinstance(found, Mapping) else NO_COLUMNS)
    first, *others = of_tables
    for name, value in first.items():
        if all(other.get(name) == value for other in others):
            conditions[name] = value
    return conditions


def find_lowest_grade(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the lowest grade that counts as positive, if the call or the table names one."""
    lowest = arguments.get("min_grade")
    known = getattr(arguments.get("y_true"), "min_grade", 1)  # which is 1 by default
    if lowest is None and known != 1:
        lowest = known
    return {} if lowest is None else {"min_grade": lowest}


def _refuse_different_tables(
    first_model: Any, first: Mapping[str, Any], second_model: Any, second: Mapping[str, Any]
) -> NoReturn:
    """Refuse tables that don't know the same. What they know is equal only if their lowest relevant
    grades differ, and with them the counts of positives.
    """
    roles = [role for role in {**second, **first} if second.get(role) != first.get(role)]
    role = roles[0] if roles else "min_grade"
    which = _describe_first_difference(first[role], second[role]) if role == "n_positives" else ""
    raise ValueError(
        f"The tables of {first_model!r} and {second_model!r} have different {role}{which}. "
        f"Read both with the same judgments or annotations, or pass {role}."
    )


def _check_same_conditions(tables: Mapping[Any, Any]) -> None:
    """Refuse differences between tables that a reader made with different options."""
    first, *others = tables
    for model in others:
        options = [{**getattr(tables[each], "conditions", {})} for each in (first, model)]
        if options[0] != options[1]:
            raise ValueError(
                f"The tables of {first!r} and {model!r} were read under different conditions, "
                f"{options[0] or 'the default'} and {options[1] or 'the default'}, so differences "
                "say nothing about the models. Read both with the same options, or call report "
                "without baseline, margin and by, which then only lists their values."
            )


def _describe_first_difference(first: Mapping[Any, Any], second: Mapping[Any, Any]) -> str:
    """Name the first group that has other counts in two tables, and how many groups do."""
    groups = {**first, **second}
    differ = [group for group in groups if first.get(group) != second.get(group)]
    group = differ[0]
    return (
        f": {first.get(group, 'none')} and {second.get(group, 'none')} for "
        f"{format_name(group, repr)} (they differ for {len(differ):,} of {len(groups):,} groups)"
    )


def _select_reader_tables(data: Any) -> dict[Any, Any]:
    """Return the tables that know their columns, by their models if there are several."""
    if not isinstance(data, Mapping):
        return {None: data} if hasattr(type(data), "get_known_arguments") else {}
    return {model: t for model, t in data.items() if hasattr(type(t), "get_known_arguments")}


def _list_metrics(arguments: Mapping[str, Any]) -> list[Any]:
    """Return the metrics among the arguments, by their names or as objects, or [None]."""
    metrics = arguments.get("metrics", arguments.get("metric"))
    metrics = metrics.values() if isinstance(metrics, Mapping) else metrics
    are_several = isinstance(metrics, Iterable) and not isinstance(metrics, str)
    return [*metrics] if are_several else [metrics]


def _check_takes_judged(arguments: Mapping[str, Any]) -> None:
    """Refuse functions that wouldn't see the relevant documents that weren't retrieved."""
    for metric in [*_list_metrics(arguments), arguments.get("rule")]:
        rule = getattr(metric, "rule", metric)
        if isinstance(rule, GroupFunction) and not rule.takes_judged:
            name = getattr(rule.function, "__name__", "function")
            raise ValueError(
                f"{rule.called!r} doesn't see the judged documents that weren't retrieved, so "
                "engines that find fewer could look better. Give the function a parameter judged, "
                f"as in def {name.replace('<lambda>', 'function')}(y_true, y_score, judged), which "
                "gets the grades of all judged documents of a query. 'nDCG@10' has them "
                "without a function."
            )


def _check_no_overlaps(arguments: Mapping[str, Any], of_tables: Sequence[Sequence[float]]) -> None:
    """Check that no metric of detections is called like AP@0.5, which isn't AP of their top 50%.

    `of_tables` are the overlaps at which the detections of each table were matched, none for a
    table of something else.
    """
    for metric in _list_metrics(arguments):
        name = getattr(metric, "definition", metric)
        if name == "mAP" and "n_points" not in {**arguments, **getattr(metric, "options", {})}:
            raise ValueError(
                "For detections, each benchmark means another metric by 'mAP'. Pass '101-point' "
                "for COCO's, '11-point' for PASCAL VOC's until 2009, "
                "'interpolated_average_precision' for that from 2010 on, or 'MAP' for the mean of "
                "scikit-learn's average precision."
            )
        meaning = read_overlap(name)
        if meaning is None:
            continue
        overlap, cutoff_call = meaning
        already = ""
        if all(overlaps and np.allclose(overlaps, overlap, atol=1e-9) for overlaps in of_tables):
            already = "This table has that overlap already, so only change the metric. "
        raise ValueError(
            f"For detections, {name!r} means an overlap (IoU) of {overlap:g}, not a cutoff k. "
            f"Read the table with overlap={overlap:g}, and pass a metric such as '101-point' "
            "(COCO) or 'interpolated_average_precision' (PASCAL VOC). "
            f"{already}For the cutoff, pass sklearn_ap.{cutoff_call}."
        )


def _check_known_positives(
    arguments: Mapping[str, Any], from_table: Mapping[str, Any], by_cluster: bool
) -> None:
    """Check that arguments and options of metrics leave a table the positives that it counted.

    `known` are the arguments that the table knows, of which n_positives counts clusters if
    `by_cluster`.
    """
    if "y_true" in arguments and "n_positives" in arguments:
        return
    metrics = _list_metrics(arguments)
    option_sets = [arguments, *(getattr(metric, "of_data", {}) for metric in metrics)]
    has_grades = isinstance(from_table["y_true"], ReaderLabels)
    if not has_grades and any(options.get("min_grade") is not None for options in option_sets):
        raise ValueError(
            "min_grade is the lowest grade that counts as positive, but this table has no grades. "
            "Leave min_grade out."
        )
    if "n_positives" in arguments:
        return
    counted_with = {"pos_label": 1, "y_true": from_table["y_true"], "groups": from_table["groups"]}
    if by_cluster and "clusters" in from_table:
        counted_with["clusters"] = from_table["clusters"]
    for role, name in counted_with.items():
        for options in option_sets:
            value = options.get(role, name)
            is_array = hasattr(value, "__len__") and not isinstance(value, str)
            if is_array or value != name:
                raise ValueError(
                    f"The table has counted its n_positives with {role}={name!r}, but got "
                    f"{role}={format_value(value)}. Pass n_positives, too."
                )


def _has_drawn_clusters(arguments: Mapping[str, Any], parameters: Mapping[str, Any]) -> bool:
    """Whether a function draws clusters, which few do without a confidence level."""
    if "clusters" not in parameters or arguments.get("clusters", "known") is None:
        return False
    default = getattr(parameters.get("confidence_level"), "default", 1)
    return arguments.get("confidence_level", default) is not None


def check_tables_are_data(caller: str, arguments: Mapping[str, Any]) -> None:
    """Check that no table that knows its columns was passed as one of them."""
    for role, value in arguments.items():
        if _select_reader_tables(value):
            table = "tables" if isinstance(value, Mapping) else "table"
            raise TypeError(
                f"{caller}() got a {type(value).__name__} as {role}. Such a table is passed by "
                f"name, as {caller}(data={table}), and knows its columns."
            )


def refuse_missing_arguments(
    caller: str, missing: Collection[str], arguments: Mapping[str, Any]
) -> NoReturn:
    """Refuse a call that lacks arguments, unless a table that knows them was passed wrongly."""
    check_tables_are_data(caller, arguments)
    known = "Only tables of sklearn_ap.readers are passed without names."
    if caller == "OperatingPoint.check":
        known = "Those of the choice are taken only if the table has columns of the same names."
    raise TypeError(
        f"{caller}() needs {' and '.join(sorted(missing, reverse=True))}: pass arrays, or with "
        f"data, the names of its columns. {known}"
    )
