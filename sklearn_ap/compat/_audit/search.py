"""Find the definition, and the mistake, that give what a function returned for many rankings.

Definitions are evaluated once on the rankings of all audits, so that thousands take a second.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from ..._core import Array
from .. import definitions, transforms
from ..definitions import Definition
from ..formulas import Ranked
from ..peers import read_peers
from ..recipes import Recipe, Variants
from ..transforms import TIE_ORDERS, UNKNOWN_ORDER, Transform
from ..wording import write_value
from .battery import Call, CallLog, plan_calls

# Enough for sums in single precision, as of 200 thresholds in Keras, and for 1e-6 in denominators
TOLERANCE = 2.5e-6
IGNORES_RANKING = "fraction of positives"  # It has the same value whatever is ranked.
_COMMON_CUTOFFS = (10, 1, 3, 5, 12, 20, 50, 100, 0.01, 0.05, 0.1)  # tried with mistakes, too
_OTHER_CUTOFFS = (*range(1, 101), 150, 200, 0.001, 0.02, 0.2, 0.25, 0.5)
_CUTOFFS_OF_TRANSFORMS = (5, 10, 100)
_ORDERS = None, *TIE_ORDERS  # None is one threshold
_MIN_RANKINGS = 5  # Nothing is recognized on fewer ones.
_LARGEST_SMALL = 10  # samples, up to which AP@10 and step are the same
_MIN_RANGE = 1e-4  # of values; smaller ones are those of any definition that is mostly 0


# --- values of the rankings -----------------------------------------------------------------------


class Battery(Variants):
    """The rankings that functions are called with."""

    def average(self, values: Array, ranked: Ranked, recipe: Recipe) -> Array:
        """Return the mean of each call; nan where it has none, or where nobody knows it."""
        is_undefined = np.isnan(values) | (ranked.points.n_positives == 0)
        values = np.where(is_undefined, recipe.definition.without_positives, values)
        sizes = [part.n_rankings for part in self.get(recipe.transforms)]
        starts = np.cumsum([0, *sizes[:-1]])
        return np.asarray(np.add.reduceat(values, starts) / sizes)


@cache
def get_battery(aspect: str, is_weighted: bool = True) -> Battery:
    weighted = plan_calls()[aspect]
    calls = weighted if is_weighted else [call._replace(weight=None) for call in weighted]
    return Battery(*(call.rankings for call in calls))


def equals(returned: Array, expected: Array) -> Array:
    """Whether each returned value is an expected one."""
    with np.errstate(invalid="ignore"):  # Infinities have no difference.
        error = np.abs(returned - expected) / np.maximum(np.abs(expected), 1)
    are_undefined = np.isnan(returned) & np.isnan(expected)
    is_same = returned == expected  # such as an infinity
    return np.asarray((error <= TOLERANCE) | is_same | are_undefined)


def compute(recipe: Recipe, calls: list[Call], is_weighted: bool = True) -> Array:
    """Return the value of a recipe, the lowest and the highest one over orders of ties, for each
    call.
    """
    aspects = dict.fromkeys(call.aspect for call in calls)
    rows = {aspect: get_battery(aspect, is_weighted).evaluate(recipe) for aspect in aspects}
    return np.array([rows[call.aspect][call.place] for call in calls])


def fits(recipe: Recipe, calls: list[Call], is_weighted: bool = True) -> Array:
    """Whether the value of each call is that of a recipe, or one that an order of ties allows."""
    if not calls:
        return np.zeros(0, dtype=bool)
    returned = np.array([call.value for call in calls])
    nearest, low, high = compute(recipe, calls, is_weighted).T
    if recipe.tie_order == UNKNOWN_ORDER:
        nearest = returned.clip(low, high)
    # Where nobody knows the value, any but an infinite one fits.
    is_unknown = np.isnan(nearest) & ~np.isinf(returned)
    return np.asarray(equals(returned, nearest) | is_unknown)


# --- what a function may compute ------------------------------------------------------------------


class Candidates(NamedTuple):
    """Recipes that a function may follow, and the values of rankings without ties, one a row."""

    recipes: tuple[Recipe, ...]
    values: Array

    def return_otherwise(self) -> Iterator["Candidates"]:
        """Yield the same for values that something is done to, such as a sign."""
        for transform in transforms.VALUE_TRANSFORMS:
            recipes = (recipe._replace(returned=transform) for recipe in self.recipes)
            yield Candidates(tuple(recipes), transform.apply(self.values))


def evaluate(recipes: Iterable[Recipe]) -> Candidates:
    listed = tuple(recipes)
    return Candidates(listed, np.array([get_battery("values").compute(each) for each in listed]))


@cache
def suppose(k: float | None) -> Candidates:
    """Return the definitions of the top k, or those without k, the best known first."""
    if k is None:
        return evaluate(map(Recipe, definitions.DEFINITIONS.values()))
    of_top = definitions.list_at_k(k)
    if k == 1:  # AP@1 is better known as P@1.
        of_top = {"precision@1": of_top["precision@1"]} | of_top
    return evaluate(map(Recipe, of_top.values()))


@cache
def suppose_mistakes(k: float | None) -> Candidates:
    """Return these definitions with each mistake in what they count."""
    wrong = definitions.MISTAKES if k is None else definitions.list_mistakes_at_k(k)
    return evaluate(map(Recipe, wrong.values()))


@cache
def suppose_transform(transform: Transform) -> Candidates:
    """Return common definitions after a transform of the rankings."""
    of_tools = {peer.definition for peer in read_peers()}
    common = [
        recipe.transform(transform)
        for recipe in join(map(suppose, (None, *_CUTOFFS_OF_TRANSFORMS))).recipes
        if recipe.definition.rarity <= 1 or recipe.definition.name_of_any_k in of_tools
    ]
    points = get_battery("values").rank((transform,)).points
    has_ties = points.n_rows.sum() > points.samples.size
    orders = _ORDERS if has_ties else (None,)
    return evaluate(recipe.transform(order) for order in orders for recipe in common)


def join(candidates: Iterable[Candidates]) -> Candidates:
    listed = [each for each in candidates if each.recipes]
    recipes = tuple(recipe for each in listed for recipe in each.recipes)
    return Candidates(recipes, np.vstack([each.values for each in listed]))


def list_candidates(cutoffs: tuple[float, ...]) -> Iterator[Candidates]:
    """Yield what a function may compute, the most common first. `cutoffs` are its own ones."""
    common = (None, *dict.fromkeys(cutoffs + _COMMON_CUTOFFS))
    right = join(map(suppose, common))
    yield right
    yield join(map(suppose, _OTHER_CUTOFFS))
    wrong = join(map(suppose_mistakes, common))
    yield wrong
    yield join(right.return_otherwise())
    yield join(wrong.return_otherwise())
    yield from map(suppose_transform, transforms.OF_RANKINGS)


def list_definitions_and_mistakes(cutoffs: tuple[float, ...]) -> Candidates:
    """Return what the values of a function in another shape are compared with."""
    ks = (None, *dict.fromkeys(cutoffs + _COMMON_CUTOFFS))
    recipes, values = join(
        suppose_what(k) for suppose_what in (suppose, suppose_mistakes) for k in ks
    )
    # Definitions of the first rank have few values, which are easily those of others.
    places = [
        place
        for place, recipe in enumerate(recipes)
        if is_about_order(recipe.definition) and recipe.definition.rule.k != 1
    ]
    return Candidates(tuple(recipes[place] for place in places), values[places])


def is_about_order(definition: Definition) -> bool:
    return not definition.needs_threshold and definition.term != IGNORES_RANKING


# --- which of them it computes --------------------------------------------------------------------


@dataclass(frozen=True)
class Recognition:
    """What the calls show that a function computes."""

    recipe: Recipe | None = None  # what it computes, or the nearest recipe
    is_nearest: bool = False
    failure: str = ""  # the reason why there is nothing to recognize, as a sentence

    @property
    def is_certain(self) -> bool:
        """Whether this is a definition, and not only a function of the fraction of positives."""
        if self.recipe is None or self.is_nearest:
            return False
        return self.recipe.definition.term != IGNORES_RANKING or not self.recipe.mistakes


def recognize(log: CallLog) -> Recognition:
    """Find what gives all values without ties, and then what is done with ties."""
    untied = log.select("values")
    failure = find_failure(log, untied)
    if failure:
        return Recognition(failure=failure)
    returned, places = np.array([call.value for call in untied]), [call.place for call in untied]
    for recipes, values in list_candidates(log.cutoffs):
        rows = values[:, places]
        is_unknown = np.isnan(rows) & ~np.isinf(returned)
        fitting = np.flatnonzero((equals(returned, rows) | is_unknown).all(axis=1))
        if fitting.size:
            return Recognition(find_tie_order(log, choose(log, [recipes[i] for i in fitting])))
    # The nearest definition has most of the values, and at least half of them.
    recipes, values = next(list_candidates(log.cutoffs))
    counts = equals(returned, values[:, places]).sum(axis=1)
    if 2 * counts.max() < len(untied):
        return Recognition(is_nearest=True)
    return Recognition(find_tie_order(log, recipes[counts.argmax()]), is_nearest=True)


def find_failure(log: CallLog, untied: list[Call]) -> str:
    """Say why there are no values that tell anything, if so."""
    if not untied:
        return f"Every call with both classes gives {log.write_failure()}."
    largest = max(call.labels.size for call in untied)
    if len(untied) < _MIN_RANKINGS or largest <= _LARGEST_SMALL:
        few = f"It returned a number for {len(untied)} of {len(log.calls['values'])} rankings"
        others = f" The others give {log.write_failure()}." if log.has_tried_first else ""
        return f"{few}: too few to tell.{others}"
    values = [call.value for call in untied]
    if max(values) - min(values) < _MIN_RANGE:
        return f"Not a metric: every ranking without ties gives {write_value(values[0])}."
    return ""


def choose(log: CallLog, fitting: list[Recipe]) -> Recipe:
    """Return the one that has most other values in any order of ties, or the first of these."""
    others = log.select("ties", "no positives", "no negatives", "many samples")
    if len(fitting) == 1 or not others:
        return fitting[0]

    def count(recipe: Recipe) -> int:
        orders = _ORDERS if recipe.tie_order is None else (None,)
        return max(int(fits(recipe.transform(order), others).sum()) for order in orders)

    return max(fitting, key=count)


def find_tie_order(log: CallLog, recipe: Recipe) -> Recipe:
    """Find out how the function ranks tied samples, the most common ways first."""
    tied = log.select("ties")
    if recipe.tie_order is not None or not tied:  # A transform's order is known.
        return recipe
    tried = [recipe.transform(order) for order in _ORDERS]
    if not recipe.mistakes:
        untied, term = log.select("values"), recipe.definition.term
        wrong = [each for each in suppose_mistakes(None).recipes if each.definition.term == term]
        tried += [each for each in wrong if fits(each, untied).all()]
    tried.append(recipe.transform(UNKNOWN_ORDER))
    return next((each for each in tried if fits(each, tied).all()), recipe)


def takes_labels_and_scores(log: CallLog) -> bool:
    """Whether the values are those of any function of the order of labels y by scores s.

    They differ among rankings of as many samples and positives, and are the same in another order
    of the rows, and for scores that rise otherwise.
    """
    of_sizes: dict[tuple[int, int], set[float]] = {}
    for call in log.select("values"):
        size = call.labels.size, int(call.labels.sum())
        of_sizes.setdefault(size, set()).add(round(call.value, 6))
    others = log.select("order of rows", "other scores")
    is_same = [abs(call.value - log.get_plain(call).value) <= TOLERANCE for call in others]
    return any(len(values) > 1 for values in of_sizes.values()) and any(is_same) and all(is_same)
