"""Call a function that takes or returns another shape than labels and scores, and a number."""

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from itertools import product
from typing import Any, NamedTuple
from warnings import catch_warnings, simplefilter

import numpy as np

from ..._core import Array
from .calls import WEIGHTS, Call, CallLog, read_parameters
from .hypotheses import TOLERANCE
from .scorers import list_needed
from .search import compute_probe

_MIN_SHARE = 2 / 3  # of the values that a definition has to explain
_MIN_DISTINCT = 3  # values that a definition has to explain


Make = Callable[[Array, Array], Any]


def sort_rows(s: Array) -> Array:
    return np.argsort(-s, kind="stable")


def rank_labels(y: Array, s: Array) -> Array:
    return np.asarray(y[sort_rows(s)])


def compute_recall(y: Array, s: Array) -> Array:
    return np.asarray(np.cumsum(rank_labels(y, s)) / max(y.sum(), 1))


def compute_precision(y: Array, s: Array) -> Array:
    return np.asarray(np.cumsum(rank_labels(y, s)) / np.arange(1, y.size + 1))


_ORDER = 'np.argsort(-s, kind="stable")'
_HITS = f"y[{_ORDER}]"  # labels from the highest score down
_RETRIEVED, _RELEVANT = f"{_ORDER}.tolist()", "np.flatnonzero(y).tolist()"
_RECALL, _PRECISION = (
    f"np.cumsum({_HITS}) / max(y.sum(), 1)",
    f"np.cumsum({_HITS}) / np.arange(1, y.size + 1)",
)
_COUNT, _CUTOFF, _FRACTION, _EQUAL_WEIGHTS = "int(y.sum())", "10", "0.1", "np.ones(y.size)"

# What a function may take, as code that a user writes, and as the function that the code is
ARGUMENTS: dict[str, Make] = {
    "y": lambda y, s: y,
    "s": lambda y, s: s,
    "-s": lambda y, s: -s,
    "y.tolist()": lambda y, s: y.tolist(),
    "s.tolist()": lambda y, s: s.tolist(),
    "y[:, None]": lambda y, s: y[:, None],
    "s[:, None]": lambda y, s: s[:, None],
    "list(zip(s, y))": lambda y, s: list(zip(s, y, strict=True)),
    _HITS: rank_labels,
    f"1 - {_HITS}": lambda y, s: 1 - rank_labels(y, s),
    f"np.flatnonzero({_HITS})": lambda y, s: np.flatnonzero(rank_labels(y, s)),
    f"np.flatnonzero({_HITS}) + 1": lambda y, s: np.flatnonzero(rank_labels(y, s)) + 1,
    _RETRIEVED: lambda y, s: sort_rows(s).tolist(),
    _RELEVANT: lambda y, s: np.flatnonzero(y).tolist(),
    "{*np.flatnonzero(y)}": lambda y, s: {*np.flatnonzero(y)},
    f"[{_RETRIEVED}]": lambda y, s: [sort_rows(s).tolist()],
    f"[{_RELEVANT}]": lambda y, s: [np.flatnonzero(y).tolist()],
    _RECALL: compute_recall,
    _PRECISION: compute_precision,
    f"({_RECALL}).tolist()": lambda y, s: compute_recall(y, s).tolist(),
    f"({_PRECISION}).tolist()": lambda y, s: compute_precision(y, s).tolist(),
    _COUNT: lambda y, s: int(y.sum()),
    _CUTOFF: lambda y, s: 10,
    _FRACTION: lambda y, s: 0.1,
    _EQUAL_WEIGHTS: lambda y, s: np.ones(y.size),
    "1": lambda y, s: 1,
}
_USUAL = "y", "s"
# What functions take together, the most common first
SHAPES: tuple[tuple[str, ...], ...] = (
    _USUAL,
    ("s", "y"),
    ("-s", "y"),  # distances
    ("y.tolist()", "s.tolist()"),
    (_HITS,),
    (f"np.flatnonzero({_HITS}) + 1",),  # the ranks of positives
    (f"np.flatnonzero({_HITS})",),
    (_RELEVANT, _RETRIEVED),
    (_RETRIEVED, _RELEVANT),
    (_RETRIEVED, "{*np.flatnonzero(y)}"),
    (f"[{_RELEVANT}]", f"[{_RETRIEVED}]"),  # of one query
    (f"[{_RETRIEVED}]", f"[{_RELEVANT}]"),
    (_HITS, f"1 - {_HITS}"),  # hits and misses
    ("1", _HITS),
    ("list(zip(s, y))",),
    ("y[:, None]", "s[:, None]"),  # of one class
    ("s[:, None]", "y[:, None]"),
)
# What parameters may take that come after these
_OF_OTHERS = _COUNT, _CUTOFF, "1"
# After these, only the number of positives can come.
_CURVES: tuple[tuple[str, ...], ...] = (
    (_RECALL, _PRECISION),
    (_PRECISION, _RECALL),
    (f"({_RECALL}).tolist()", f"({_PRECISION}).tolist()"),
)
_OF_NAMES = dict.fromkeys(WEIGHTS, _EQUAL_WEIGHTS) | dict.fromkeys(("frac", "fraction"), _FRACTION)
_OF_NAMES |= dict.fromkeys(("k", "topk", "top_k", "cutoff"), _CUTOFF)


class Way(NamedTuple):
    """A way to call a function with labels and scores."""

    arguments: tuple[str, ...]
    names: tuple[str, ...] = ()  # of all arguments, if they are passed by name
    keys: tuple[Any, ...] = ()  # of the number among what the function returns

    @property
    def code(self) -> str:
        arguments = list(self.arguments)
        if self.names:
            arguments = [f"{name}={code}" for name, code in zip(self.names, arguments, strict=True)]
        return f"f({', '.join(arguments)})" + "".join(f"[{key!r}]" for key in self.keys)

    def wrap(self, function: Callable[..., Any]) -> Make:
        """Return the function of labels and scores that the code is."""

        def call(y: Array, s: Array) -> Any:
            values = [ARGUMENTS[code](y, s) for code in self.arguments]
            if self.names:
                returned = function(**dict(zip(self.names, values, strict=True)))
            else:
                returned = function(*values)
            for key in self.keys:
                returned = returned[key]
            return returned

        return call


def find_way(log: CallLog, is_near: bool) -> Way | None:
    """Return a way to call a function whose values then fit a definition.

    If none `is_near` what labels and scores give, two thirds of them are enough. A way that gives a
    definition is better than one that gives a mistake. If there is none, a number that the function
    returns for labels and scores among others is taken.
    """
    probe, rows, n_definitions = compute_probe()
    prevalence = np.array([each.labels.mean() for each in probe])  # It is that of any ranking.
    most = (1.0 if is_near else _MIN_SHARE), False
    best = among_others = None
    for way in _list_ways(log.function, probe[0]):
        values = _evaluate(log, way, probe)
        is_telling = np.isfinite(values) & (values != prevalence)
        fits = (np.abs(values - rows) <= TOLERANCE) & is_telling
        row = int(fits.sum(axis=1).argmax())
        share = fits[row].sum() / max(is_telling.sum(), len(probe) // 2)
        n_distinct = np.unique(np.round(values[fits[row]], 9)).size
        fit = share, row < n_definitions
        if n_distinct >= _MIN_DISTINCT and (fit > most or (best is None and fit >= most)):
            most, best = fit, way
        is_plain = way.arguments == _USUAL and not way.names
        if among_others is None and is_plain and np.isfinite(values).all():
            among_others = way
    return best or among_others


def _evaluate(log: CallLog, way: Way, probe: tuple[Call, ...]) -> Array:
    """Return the values of rankings, all nan if the first three have none or time is up."""
    call, values = way.wrap(log.function), np.full(len(probe), np.nan)
    for place, each in enumerate(probe):
        if log.can_retry and (place < 3 or np.isfinite(values).any()):
            values[place] = log.call(each, call).value
    return values


def _list_ways(function: Any, call: Call) -> Iterator[Way]:
    """Yield ways to call a function, and then those that take a part of what it returns."""
    for way in _list_ways_to_pass(function):
        if way.arguments != _USUAL or way.names:  # This is what was tried before.
            yield way
        for key in _list_keys(way.wrap(function), call):
            yield way._replace(keys=(key,))


def _list_ways_to_pass(function: Any) -> Iterator[Way]:
    """Yield arguments in each shape that the parameters have room for."""
    needed = [name.lower() for name in list_needed(function)]
    for shape, other in (*product(SHAPES, _OF_OTHERS), *product(_CURVES, (_COUNT,))):
        rest, arguments = [*shape], []
        for name in needed or [""] * len(shape):
            if name in _OF_NAMES:
                arguments.append(_OF_NAMES[name])
            else:
                arguments.append(rest.pop(0) if rest else other)
        if not rest and (other in arguments or other == _OF_OTHERS[0]):
            yield Way(tuple(arguments))
    parameters = read_parameters(function).values()
    names = tuple(each.name for each in parameters if each.kind == each.KEYWORD_ONLY)[:2]
    if len(names) == 2 and not needed:
        yield Way(_USUAL, names)
        yield Way(_USUAL[::-1], names)


def _list_keys(call: Make, ranking: Call) -> list[Any]:
    """Return the keys or places of what may be a number among several values."""
    returned: Any = None
    with suppress(Exception, SystemExit), redirect_stdout(io.StringIO()), catch_warnings():
        simplefilter("ignore")
        returned = call(*ranking.passed)
    if isinstance(returned, Mapping):
        return [*returned]
    is_short = isinstance(returned, tuple | list) or np.size(returned) == 1
    return [*range(len(returned))] if is_short and hasattr(returned, "__len__") else []
