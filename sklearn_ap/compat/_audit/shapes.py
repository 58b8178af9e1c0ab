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


class Argument(NamedTuple):
    """What a function may take, as code that a user writes, and as a function of that."""

    code: str
    make: Callable[[Array, Array], Any]

    def of_query(self) -> "Argument":
        """Return the argument of one query in a list of queries."""
        return Argument(f"[{self.code}]", lambda y, s: [self.make(y, s)])

    def as_list(self) -> "Argument":
        return Argument(f"({self.code}).tolist()", lambda y, s: self.make(y, s).tolist())


def sort_rows(s: Array) -> Array:
    return np.argsort(-s, kind="stable")


def rank_labels(y: Array, s: Array) -> Array:
    return np.asarray(y[sort_rows(s)])


_ORDER = 'np.argsort(-s, kind="stable")'
_HITS = f"y[{_ORDER}]"
LABELS = Argument("y", lambda y, s: y)
SCORES = Argument("s", lambda y, s: s)
DISTANCES = Argument("-s", lambda y, s: -s)
RANKED_LABELS = Argument(_HITS, rank_labels)
MISSES = Argument(f"1 - {_HITS}", lambda y, s: 1 - rank_labels(y, s))
RANKS = Argument(f"np.flatnonzero({_HITS}) + 1", lambda y, s: np.flatnonzero(rank_labels(y, s)) + 1)
PLACES = Argument(f"np.flatnonzero({_HITS})", lambda y, s: np.flatnonzero(rank_labels(y, s)))
RETRIEVED = Argument(f"{_ORDER}.tolist()", lambda y, s: sort_rows(s).tolist())
RELEVANT = Argument("np.flatnonzero(y).tolist()", lambda y, s: np.flatnonzero(y).tolist())
RELEVANT_SET = Argument("{*np.flatnonzero(y)}", lambda y, s: {*np.flatnonzero(y)})
RECALL = Argument(
    f"np.cumsum({_HITS}) / max(y.sum(), 1)",
    lambda y, s: np.cumsum(rank_labels(y, s)) / max(y.sum(), 1),
)
PRECISION = Argument(
    f"np.cumsum({_HITS}) / np.arange(1, y.size + 1)",
    lambda y, s: np.cumsum(rank_labels(y, s)) / np.arange(1, y.size + 1),
)
PAIRS = Argument("list(zip(s, y))", lambda y, s: list(zip(s, y, strict=True)))
POSITIVE = Argument("1", lambda y, s: 1)
COUNT = Argument("int(y.sum())", lambda y, s: int(y.sum()))
CUTOFF = Argument("10", lambda y, s: 10)
FRACTION = Argument("0.1", lambda y, s: 0.1)
EQUAL_WEIGHTS = Argument("np.ones(y.size)", lambda y, s: np.ones(y.size))
LABEL_LIST = Argument("y.tolist()", lambda y, s: y.tolist())
SCORE_LIST = Argument("s.tolist()", lambda y, s: s.tolist())
LABEL_COLUMN = Argument("y[:, None]", lambda y, s: y[:, None])
SCORE_COLUMN = Argument("s[:, None]", lambda y, s: s[:, None])

# What functions take, the most common first
SHAPES: tuple[tuple[Argument, ...], ...] = (
    (LABELS, SCORES),
    (SCORES, LABELS),
    (DISTANCES, LABELS),
    (LABEL_LIST, SCORE_LIST),
    (RANKED_LABELS,),
    (RANKS,),
    (PLACES,),
    (RELEVANT, RETRIEVED),
    (RETRIEVED, RELEVANT),
    (RETRIEVED, RELEVANT_SET),
    (RELEVANT.of_query(), RETRIEVED.of_query()),
    (RETRIEVED.of_query(), RELEVANT.of_query()),
    (RANKED_LABELS, MISSES),
    (POSITIVE, RANKED_LABELS),
    (PAIRS,),
    (LABEL_COLUMN, SCORE_COLUMN),
    (SCORE_COLUMN, LABEL_COLUMN),
)
# Parameters that follow can't be cutoffs of these.
CURVES: tuple[tuple[Argument, ...], ...] = (
    (RECALL, PRECISION),
    (PRECISION, RECALL),
    (RECALL.as_list(), PRECISION.as_list()),
)
# What parameters of these names take, and what others may take that a shape has nothing for
_OF_NAMES = dict.fromkeys(WEIGHTS, EQUAL_WEIGHTS)
_OF_NAMES |= dict.fromkeys(("k", "topk", "top_k", "cutoff"), CUTOFF)
_OF_NAMES |= dict.fromkeys(("frac", "fraction"), FRACTION)
_OF_OTHERS = COUNT, CUTOFF, POSITIVE


class Way(NamedTuple):
    """A way to call a function with labels and scores."""

    arguments: tuple[Argument, ...]
    names: tuple[str, ...] = ()  # of all arguments, if they are passed by name
    keys: tuple[Any, ...] = ()  # of the number among what the function returns

    @property
    def code(self) -> str:
        codes = [argument.code for argument in self.arguments]
        if self.names:
            codes = [f"{name}={code}" for name, code in zip(self.names, codes, strict=True)]
        return f"f({', '.join(codes)})" + "".join(f"[{key!r}]" for key in self.keys)

    def wrap(self, function: Callable[..., Any]) -> Callable[[Array, Array], Any]:
        """Return the function of labels and scores that the code is."""

        def call(y: Array, s: Array) -> Any:
            values = [argument.make(y, s) for argument in self.arguments]
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
        is_plain = way.arguments == SHAPES[0] and not way.names
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
        if way.arguments != SHAPES[0] or way.names:  # This is what was tried before.
            yield way
        for key in _list_keys(way.wrap(function), call):
            yield way._replace(keys=(key,))


def _list_ways_to_pass(function: Any) -> Iterator[Way]:
    """Yield arguments in each shape that the parameters have room for."""
    needed = [name.lower() for name in list_needed(function)]
    for shape, other in (*product(SHAPES, _OF_OTHERS), *product(CURVES, (COUNT,))):
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
        yield Way((LABELS, SCORES), names)
        yield Way((SCORES, LABELS), names)


def _list_keys(call: Callable[[Array, Array], Any], ranking: Call) -> list[Any]:
    """Return the keys or places of what may be a number among several values."""
    returned: Any = None
    with suppress(Exception, SystemExit), redirect_stdout(io.StringIO()), catch_warnings():
        simplefilter("ignore")
        returned = call(*ranking.passed)
    if isinstance(returned, Mapping):
        return [*returned]
    is_short = isinstance(returned, tuple | list) or np.size(returned) == 1
    return [*range(len(returned))] if is_short and hasattr(returned, "__len__") else []
