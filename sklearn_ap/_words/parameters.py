"""Validation of parameters against one table of allowed values, parameters.toml."""

from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterator,
    Mapping,
    Sequence,
    Set,
    ValuesView,
)
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from functools import cache, lru_cache
from inspect import Parameter, signature
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from numpy.ma import MaskedArray, getmaskarray
from scipy.sparse import issparse

from .._arrays.host import find_library, has
from .._inputs.metric_names import find_rule_options, write_rule
from .._inputs.records import (
    COLUMNS,
    SHARED,
    Inputs,
    find_missing_parameters,
    find_needed_parameters,
)
from .._package import read_toml
from ..core.rankings import BY_NAME
from ..core.rules import Graded, GroupFunction, RecallAtK, Rule
from ..core.tolerances import MAX_EXACT_INTEGER
from ..exceptions import InvalidParameterError
from .messages import warn_of_other_order
from .refusals import attribute_errors, find_substitute

_MAX_VALUE_LENGTH = 100  # characters of a value that an error shows
_MAX_LISTED_ITEMS = 5  # which fit on a line of a message


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _is_finite(value: Any) -> bool:
    try:
        return _is_real(value) and isfinite(value)
    except OverflowError:  # out of range for floats
        return False


def is_mass(value: Any) -> bool:
    """Whether the value can be a count of samples, or their weight."""
    is_number = _is_real(value) or isinstance(value, Decimal)
    try:
        return is_number and 0 <= float(value) <= MAX_EXACT_INTEGER
    except (OverflowError, ValueError):  # out of range; a signaling nan
        return False


def is_mapping(value: Any) -> bool:
    """Whether the value is a mapping, or a Series, which maps its index to values."""
    if not hasattr(value, "items"):
        return False
    return isinstance(value, Mapping) or (hasattr(value, "index") and hasattr(value, "name"))


def _is_array_like(value: Any) -> bool:
    if isinstance(value, (Set, Mapping, ValuesView)) or issparse(value):
        return False
    sized = hasattr(value, "__len__") or hasattr(value, "shape") or hasattr(value, "__array__")
    return sized and not np.isscalar(value)


def _are_operating_points(value: Any) -> bool:
    points = value if isinstance(value, list | tuple) else [value]
    points = list(value.values()) if isinstance(value, Mapping) else points
    return all(hasattr(point, "flagged_share") for point in points)


def _suggest_number(value: Any, allowed: Container[Any]) -> str:
    """Suggest an allowed number: 10 for 10.0, and where counts aren't, 0.8 for 80 or "80%"."""
    text = str(value).strip()
    try:
        number = Decimal(text.removesuffix("%"))
        if abs(number) > MAX_EXACT_INTEGER:  # an error if it is nan
            return ""
    except InvalidOperation:
        return ""
    meant: float = float(number)
    if text.endswith("%") or (number >= 2 and 2 not in allowed):  # 1.5 is unlikely to mean 1.5%
        meant = float(number / 100)
    elif number == int(number):
        meant = int(number)
    is_unclear = text == "1.0"  # a count or a share
    return f" Did you mean {meant!r}?" if meant in allowed and not is_unclear else ""


_RESPONSES = "decision_function", "predict_proba"

# What is true of allowed values that are no strings or ranges of numbers, by the `test` of
# parameters.toml or by the parameter.
_TESTS: dict[str, Callable[[Any], bool]] = {
    "array_like": _is_array_like,
    "by": lambda by: isinstance(by, Mapping) or _is_array_like(by),
    "finite_number": _is_finite,
    "function": lambda given: (
        callable(given)
        or (isinstance(given, str | list | tuple | set | Mapping) and len(given) > 0)
        or hasattr(given, "__array__")
    ),
    "gains": lambda gains: (
        gains in ("linear", "exponential")
        if isinstance(gains, str)
        else isinstance(gains, Mapping)
        and all(_is_finite(n) and n >= 0 for pair in gains.items() for n in pair)
        and gains.get(0, 0) == 0  # as unjudged documents
    ),
    "mapping": lambda value: isinstance(value, Mapping),
    "margin": lambda margin: all(
        _is_finite(each) and each > 0
        for each in (dict(margin.items()).values() if is_mapping(margin) else [margin])
    ),
    "n_positives": lambda n: (
        is_mass(n) or (not _is_real(n) and (is_mapping(n) or _is_array_like(n)))
    ),
    "operating_points": _are_operating_points,
    "pos_label": lambda label: isinstance(label, Real | str | np.bool_),
    "random_state": lambda r: (
        (isinstance(r, Integral) and 0 <= int(r) < 2**32)
        or isinstance(r, np.random.Generator | np.random.RandomState)
        or r is np.random
    ),
    "response_method": lambda method: (
        method in ("auto", *_RESPONSES)
        if isinstance(method, str)
        else isinstance(method, list | tuple)
        and len(method) > 0
        and {*_RESPONSES}.issuperset(method)
    ),
    "text": lambda value: isinstance(value, str),
    "threshold": lambda t: all(
        _is_real(each) and each == each for _, each in (t.items() if is_mapping(t) else [(0, t)])
    ),
    "value_without_positives": lambda z: (
        z in ("raise", "warn") if isinstance(z, str) else _is_real(z)
    ),
    "zero_division": lambda z: (
        z == "warn" if isinstance(z, str) else _is_real(z) and (z in (0, 1) or z != z)
    ),
}


class _Range(NamedTuple):
    """A range of numbers, as scikit-learn's Interval has it."""

    kind: str  # "int", "float" or "number"
    low: float
    closed: str  # "left", "right", "both" or "neither"
    high: float = inf

    def __contains__(self, value: Any) -> bool:
        is_above = self.low < value or (value == self.low and self.closed in ("left", "both"))
        is_below = value < self.high or (value == self.high and self.closed in ("right", "both"))
        return is_above and is_below and (self.kind != "int" or isinstance(value, Integral))

    def __str__(self) -> str:
        article = "an" if self.kind == "int" else "a"
        opening = "[" if self.closed in ("left", "both") else "("
        closing = "]" if self.closed in ("right", "both") else ")"
        return f"{article} {self.kind} in the range {opening}{self.low}, {self.high}{closing}"


class AllowedValues:
    """The values that a parameter can have, from its entry in parameters.toml."""

    def __init__(self, parameter: str, entry: Mapping[str, Any]) -> None:
        kinds = [kind for kind in ("int", "float", "number") if kind in entry]
        self._ranges = [_Range(kind, **entry[kind]) for kind in kinds]
        self._strings = entry.get("strings", ())
        self._can_be_bool, self._can_be_none = "bool" in entry, "none" in entry
        test = entry.get("test", parameter)
        self._test = _TESTS.get(test) if "words" in entry else None
        self.are_arrays = test == "array_like"
        self.words: str = entry.get("words") or self._write_words(entry.get("note"))

    def __contains__(self, value: Any) -> bool:
        if self._test is not None:
            return self._test(value)
        if value is None:
            return self._can_be_none
        if isinstance(value, str):
            return value in self._strings
        if isinstance(value, bool):
            return self._can_be_bool
        return _is_real(value) and any(value in each for each in self._ranges)

    def _write_words(self, note: str | None) -> str:
        """Say what the value must be, in scikit-learn's words."""
        kinds = [str(each) for each in self._ranges]
        if self._strings:
            kinds.append(f"a str among {{{', '.join(map(repr, self._strings))}}}")
        if self._can_be_bool:
            kinds.append("an instance of 'bool'")
        if self._can_be_none:
            kinds.append("None")
        words = " or ".join(kinds)
        return f"{words}, {note}" if note else words


@cache
def find_allowed_values() -> dict[str, AllowedValues]:
    """Return what parameters.toml allows, by parameters, or by functions and parameters."""
    entries = read_toml("_words/parameters.toml")
    return {parameter: AllowedValues(parameter, entry) for parameter, entry in entries.items()}


def check_single_margin(function: str, margin: Any) -> None:
    """Refuse a mapping of margins where there is a single metric."""
    if is_mapping(margin):
        raise InvalidParameterError(
            f"The 'margin' parameter of {function} must be a number, because {function} evaluates "
            f"one metric. Got {format_value(margin)} instead. Only report takes a mapping from "
            "metrics to margins."
        )


def make_checks(
    function: Callable[..., Any],
    of_models: bool,
    unchecked: Collection[str],
    passes_on: Callable[..., Any] | None,
) -> Callable[..., None]:
    """Return a function that checks the arguments of a public function, passed by name.

    If the function takes `data`, what can be names of columns is checked by `check_read_columns`,
    unless the check is `whole`. If it is that `of_models`, their rows have to be in the same order.
    What the function doesn't name are options of the method `passes_on`.
    """
    name = function.__qualname__
    parameters: Mapping[str, Parameter] = signature(function).parameters
    passed_on: Mapping[str, Parameter] = {}
    if passes_on is not None:
        named = {key: p for key, p in parameters.items() if p.kind is not p.VAR_KEYWORD}
        passed_on = {key: p for key, p in signature(passes_on).parameters.items() if key != "self"}
        parameters = named | passed_on
    nullable = {parameter.name for parameter in parameters.values() if parameter.default is None}
    needed = find_needed_parameters(function.__name__, nullable)
    nullable -= needed
    unread = {*COLUMNS} if "data" in parameters else {*unchecked}
    options_name = [parameter for parameter, p in parameters.items() if p.kind is p.VAR_KEYWORD]
    if options_name:
        nullable |= find_rule_options()  # of which the metric says which can be None
    known = frozenset(parameters)
    by_row = {"sample_weight", "groups", "clusters"}
    by_row.update(parameter for parameter in parameters if parameter.startswith("y_"))

    def check(arguments: Mapping[str, Any], whole: bool = False) -> None:
        for parameter, value in arguments.items():
            if parameter != "data" and not isinstance(value, np.ndarray | str):
                _check_in_memory(name, parameter, value)
        if not arguments.keys() <= known and options_name in ([], ["options"]):
            _check_spelling(name, known, arguments, bool(options_name), passed_on)
        checked = arguments
        if unread and not whole:
            labels = arguments.get("y_true")
            if type(labels) is not np.ndarray:
                _check_no_estimator(name, "y_true", labels)
            checked = {}
            for parameter, value in arguments.items():
                if parameter not in unread or (value is None and parameter in needed):
                    checked[parameter] = value
        if checked:
            check_allowed(name, nullable, checked)
        if of_models or not unread:
            _check_row_order({role: value for role, value in arguments.items() if role in by_row})

    return check


NULLABLE = {name for name, default in Inputs._field_defaults.items() if default is None}
_BY_ROW = ("y_true", "y_score", "sample_weight", "groups", "clusters")


def check_read_columns(inputs: Inputs) -> None:
    """Check the columns of one model, once they are read. All else is checked as an argument."""
    columns = {}
    for name in _BY_ROW:
        column = getattr(inputs, name)
        # Arrays are the most common input, of which nothing is checked here.
        if column is not None and type(column) is not np.ndarray:
            columns[name] = column
    for name, column in inputs.besides.items():
        if column is not None:
            columns[name] = column
    if columns:
        check_allowed(inputs.caller, NULLABLE, columns)
        # Those of one table have the same order.
        if not columns.keys() <= inputs.column_names.keys():
            _check_row_order({name: columns[name] for name in _BY_ROW if name in columns})


def _check_row_order(columns: Mapping[str, Any]) -> None:
    """Warn if columns of pandas, or those of models, have different orders of rows."""
    for column in columns.values():
        if type(column) is not np.ndarray and has(type(column), "items"):
            return warn_of_other_order(columns.items())


# What other tools call a parameter, where its letters don't tell.
_ALIASES = {
    **dict.fromkeys(("top_k", "topk", "at_k"), "k"),
    **dict.fromkeys(("seed", "random_seed", "rng"), "random_state"),
    **dict.fromkeys(("n_bootstrap", "n_bootstraps", "n_boot"), "n_resamples"),
    **dict.fromkeys(("weight", "weights"), "sample_weight"),
}


def suggest_option(unknown: str, names: Collection[str]) -> str:
    """Ask whether the caller meant a known parameter; empty if none is close."""
    alias = _ALIASES.get(unknown)
    near = [alias] if alias in names else get_close_matches(unknown, names, 1, 0.7)
    return f" Did you mean {near[0]!r}?" if near else ""


def _check_spelling(
    name: str,
    known: Set[str],
    arguments: Mapping[str, Any],
    has_options: bool,
    passed_on: Collection[str],
) -> None:
    """Refuse an unknown parameter that other functions have, or whose name is close to a known one.

    Python refuses others, or the metric does, whose options some functions take. Of a function that
    passes options on, all are refused, because Python would only refuse them at the end.
    """
    known = known | find_rule_options() if has_options else known
    for unknown in (parameter for parameter in arguments if parameter not in known):
        if has_options and (unknown in SHARED or unknown == "data"):
            continue  # the metric says why it isn't among its options
        is_cut_off = unknown == "k" or _ALIASES.get(unknown) == "k"
        value = format_value(arguments[unknown])
        advice = explain_missing_parameters(name, [unknown]) or suggest_option(unknown, known)
        if is_cut_off and name == "average_precision_score":
            advice = f" For the top k, use average_precision_at_k_score(..., k={value})."
        elif not advice and "metrics" in known and unknown in find_rule_options():
            advice = (
                " It is an option of a metric: pass metrics=[sklearn_ap.metric(..., "
                f"{unknown}={value})]."
            )
        elif not advice and passed_on:
            advice = f" The options of plot are {', '.join(passed_on)}."
        if advice:
            raise TypeError(f"{name}() got an unexpected keyword argument {unknown!r}.{advice}")


def explain_missing_parameters(function: str, unknown: Collection[str]) -> str:
    """Say why a function lacks parameters, or what to use instead; empty if no list says so."""
    reasons = find_missing_parameters(function)
    sentences = dict.fromkeys(
        reasons.get(name) or find_substitute(name) or find_substitute(f"{function}.{name}")
        for name in unknown
    )
    return "".join(f" {sentence}" for sentence in sentences if sentence)


def check_allowed(name: str, nullable: set[str], arguments: Mapping[str, Any]) -> None:
    """Check that arguments, or options, have values that parameters.toml allows.

    `name` is the function, and `nullable` are the parameters that can be None. Those that the table
    doesn't have are allowed anything.
    """
    has_data = "data" in nullable
    known = find_allowed_values()
    for parameter, value in arguments.items():
        if (value is None and parameter in nullable) or value is BY_NAME:
            continue
        allowed = known.get(f"{name}.{parameter}") or known.get(parameter)
        if allowed is not None and allowed.are_arrays:
            if _is_plain_column(type(value)):
                continue
            _check_is_data(name, parameter, value)
        if not isinstance(value, str):
            check_unmasked(parameter, value)
        if allowed is None or value in allowed:
            continue
        advice = ""
        if allowed.are_arrays:
            if has_data and isinstance(value, str) and parameter != "classes":
                advice = " If that is a column, pass its table as data."
            advice += _advise_on_array(name, parameter, value)
        if substitute := find_substitute(f"{parameter}={value}"):
            advice += f" {substitute}"
        raise InvalidParameterError(
            f"The {parameter!r} parameter of {name} must be {allowed.words}. "
            f"Got {format_value(value)} instead.{advice}{_suggest_number(value, allowed)}"
        )


def _advise_on_array(name: str, parameter: str, value: Any) -> str:
    """Say what to pass instead of what is no array."""
    if issparse(value):
        return " Use '.toarray()' to convert to a dense numpy array."
    if isinstance(value, Iterator | ValuesView):
        return f" It is not indexed, and may be readable only once: pass list({parameter})."
    if callable(getattr(value, "fit", None)):
        return " For an estimator, pass what its predict_proba or decision_function returns."
    if parameter == "y_score" and isinstance(value, Mapping):
        if name == "OperatingPoint.check":
            return " Pass one model, whose threshold this is."
        return " Pass one model per call, or pass the mapping to sklearn_ap.report."
    return ""


def check_unmasked(name: str, value: Any) -> None:
    """Check that no values are masked. They would count, because plain arrays have no mask."""
    if isinstance(value, MaskedArray):
        hidden = int(getmaskarray(value).sum())
        if hidden:
            raise ValueError(
                f"{name} is a masked array, and its mask hides {hidden:,} of {value.size:,} "
                f"values. Remove these samples from all arrays, with ~np.ma.getmaskarray({name}), "
                f"or replace the masked values, with {name}.filled(...)."
            )
    elif isinstance(value, list | tuple) and value and isinstance(value[0], np.ndarray):
        for array in value:
            check_unmasked(name, array)


def format_value(value: Any) -> str:
    """Format a value for an error message, on one line and shortened if it is long."""
    try:
        text = repr(value)
    except RecursionError:  # of lists in lists
        return f"a {_type_name(value)}"
    if "\n" in text:
        is_list = isinstance(value, list | tuple) and value
        return f"a {_type_name(value)}{f' of {_type_name(value[0])}' if is_list else ''}"
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]}..."


def format_list(
    items: Sequence[Any], write: Callable[[Any], str] = repr, limit: int = _MAX_LISTED_ITEMS
) -> str:
    """List items for a message, with dots in the place of those beyond the limit."""
    listed = [write(item) for item in items[:limit]]
    if len(items) > limit:
        listed.append("...")
    return ", ".join(listed)


def format_name(name: Any, write: Callable[[Any], str] = str) -> str:
    """Write the name of a group: tuples as (2026-06-01, FR), and times as short as they are, those
    with a time zone in UTC, as in columns of tables.
    """
    if isinstance(name, tuple):
        return f"({', '.join(format_name(item, write) for item in name)})"
    if isinstance(name, datetime):
        in_utc = name if name.tzinfo is None else name.astimezone(UTC).replace(tzinfo=None)
        name = np.datetime64(in_utc.isoformat())
    return str(np.datetime_as_string(name, "auto")) if type(name) is np.datetime64 else write(name)


def _check_no_estimator(name: str, parameter: str, value: Any) -> None:
    """Refuse an estimator as this parameter of a function."""
    if has(value if isinstance(value, type) else type(value), "fit"):
        instead = "Pass the true labels, and what predict_proba or decision_function returns."
        if name.endswith("_score"):
            instead = (
                "A metric is not a scorer. For `scoring=`, use sklearn_ap.make_ap_scorer, or "
                f"sklearn.metrics.make_scorer({name}, response_method=('decision_function', "
                "'predict_proba'))."
            )
        elif name.endswith("from_predictions"):
            instead = f"For an estimator, use {name.replace('predictions', 'estimator')}."
        raise TypeError(
            f"{name} takes y_true and y_score, but got an estimator ({_type_name(value)}) instead "
            f"of {parameter}. {instead}"
        )


def _check_is_data(name: str, parameter: str, value: Any) -> None:
    """Check that the value is neither an estimator nor a table."""
    _check_no_estimator(name, parameter, value)
    library = find_library(value)
    if library in ("pyspark", "duckdb", "_duckdb"):
        raise TypeError(
            f"{parameter} is a {_type_name(value)} of {library.removeprefix('_')}, but {name} "
            "needs an array here. Pass the whole table as data=..., and the names of its columns."
        )


def _check_in_memory(name: str, parameter: str, value: Any) -> None:
    """Refuse columns of Dask, also as the values of a mapping, with code that computes them."""
    columns = [value]
    if isinstance(value, Mapping) and parameter != "n_positives":  # which can have many groups
        columns = [*value.values()]
    if any(map(is_collection, columns)):
        raise TypeError(
            f"{parameter} is a Dask collection, or contains one, but {name} needs it in memory. "
            f"Pass dask.compute({parameter})[0]."
        )


def is_collection(value: Any) -> bool:
    """Whether this is a Dask collection, or a list of them."""
    first = value[0] if isinstance(value, list | tuple) and value else value
    if _is_of_dask(type(first)):
        return True
    # Wrappers of NumPy arrays have a graph of None.
    return has(type(first), "__dask_graph__") and first.__dask_graph__() is not None


# Whether nothing can be wrong with a column of this type but its values.
_is_plain_column: Callable[[type], bool] = lru_cache(maxsize=256)(
    lambda kind: (
        kind is np.ndarray
        or (kind.__module__.partition(".")[0] == "pandas" and hasattr(kind, "iloc"))
    )
)

_is_of_dask: Callable[[type], bool] = lru_cache(maxsize=256)(
    lambda kind: kind.__module__.partition(".")[0] in ("dask", "dask_expr")
)


def check_rule(rule: Rule) -> Rule:
    """Refuse a rule that can't be evaluated, and return it as it is."""
    if isinstance(rule, RecallAtK) and rule.denominator not in ("relevant", "min"):
        raise InvalidParameterError(
            "The 'denominator' parameter of recall_at_k must be a str among {'relevant', 'min'}. "
            f"Got {rule.denominator!r} instead."
        )
    if rule.ties == "expected" and getattr(rule, "denominator", "min") == "hits":
        raise ValueError(
            "denominator='hits' is not available with ties='expected', because there is no closed "
            "form: use ties='grouped', 'best' or 'worst', or another denominator."
        )
    return rule


@attribute_errors("sample_weight")
def check_weighted(rule: Rule, are_equal: bool = False) -> None:
    """Check that a rule takes weights, or `are_equal` ones, which it takes for counts."""
    if rule.takes_weights and rule.ties == "grouped":
        return
    if rule.takes_equal_weights:
        if are_equal:
            return
        raise ValueError(
            f"{write_rule(rule)} is not available with weights that aren't equal, because it "
            "counts samples: use grid='exact', or leave sample_weight out."
        )
    if rule.takes_weights:
        raise ValueError(
            f"ties={rule.ties!r} is not available with sample_weight, because it orders "
            "single samples: use ties='grouped'."
        )
    why = "it looks for one single sample, the first positive: leave sample_weight out."
    if isinstance(rule, GroupFunction):
        why = "its function has no parameter sample_weight: add one, or leave sample_weight out."
    elif isinstance(rule, Graded):
        why = (
            "it counts whole ranks: leave sample_weight out. Only rows of a matrix can have "
            "weights."
        )
    raise ValueError(f"{write_rule(rule)} is not available with sample_weight, because {why}")


def _type_name(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else type(value).__name__


def check_group_average(average: Any) -> None:
    """Check that an average is one of groups."""
    if average not in ("macro", "weighted", None):
        raise ValueError("average must be one of (None, 'macro', 'weighted') with groups.")
