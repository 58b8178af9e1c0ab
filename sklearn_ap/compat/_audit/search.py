"""Find the definition, and the mistake, that give what a function returned for many rankings.

Definitions are evaluated once on the rankings of all audits, so that thousands take a second.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..._core import Array, Rankings
from .. import definitions, transforms
from ..formulas import Ranked
from ..recipes import Recipe, Variants
from ..transforms import TIE_ORDERS, UNKNOWN_ORDER, Transform, ValueTransform
from ..wording import write_value
from .battery import Call, CallLog, plan_calls

# Enough for sums in single precision, as of 200 thresholds in Keras, and for 1e-6 in denominators
TOLERANCE = 2.5e-6
IGNORES_RANKING = "fraction of positives"  # It has the same value whatever is ranked.
_COMMON_CUTOFFS = (10, 1, 3, 5, 12, 20, 50, 100, 0.01, 0.05, 0.1)  # tried with mistakes, too
_OTHER_CUTOFFS = (*range(1, 101), 150, 200, 0.001, 0.02, 0.2, 0.25, 0.5)
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
def get_battery(aspect: str) -> Battery:
    return Battery(*(Rankings(call.labels == 1, call.scores) for call in plan_calls()[aspect]))


def equals(returned: Array, expected: Array) -> Array:
    """Whether each returned value is an expected one."""
    with np.errstate(invalid="ignore"):  # Infinities have no difference.
        error = np.abs(returned - expected) / np.maximum(np.abs(expected), 1)
    are_undefined = np.isnan(returned) & np.isnan(expected)
    is_same = returned == expected  # such as an infinity
    return np.asarray((error <= TOLERANCE) | is_same | are_undefined)


def compute(recipe: Recipe, calls: list[Call]) -> Array:
    """Return the value of a recipe, the lowest and the highest one over orders of ties, for each
    call.
    """
    aspects = dict.fromkeys(call.aspect for call in calls)
    rows = {aspect: get_battery(aspect).evaluate(recipe) for aspect in aspects}
    return np.array([rows[call.aspect][call.place] for call in calls]).reshape(-1, 3)


def fits(recipe: Recipe, calls: list[Call]) -> Array:
    """Whether the value of each call is that of a recipe, or one that an order of ties allows."""
    returned = np.array([call.value for call in calls])
    nearest, low, high = compute(recipe, calls).T
    if recipe.tie_order == UNKNOWN_ORDER:
        nearest = returned.clip(low, high)
    # Where nobody knows the value, any but an infinite one fits.
    is_unknown = np.isnan(nearest) & ~np.isinf(returned)
    return np.asarray(equals(returned, nearest) | is_unknown)


# --- what a function may compute ------------------------------------------------------------------

# Recipes that a function may follow, and the values of rankings without ties, one a row
Candidates = tuple[list[Recipe], Array]


def evaluate(recipes: Iterable[Recipe]) -> Candidates:
    listed = [*recipes]
    return listed, np.array([get_battery("values").compute(each) for each in listed])


def join(candidates: Iterable[Candidates]) -> Candidates:
    listed = [each for each in candidates if each[0]]
    recipes = [recipe for recipes, _ in listed for recipe in recipes]
    return recipes, np.vstack([values for _, values in listed])


@cache
def suppose(k: float | None, with_mistakes: bool = False) -> Candidates:
    """Return the definitions of the top k, or those without k, the best known first; or these with
    each mistake in what they count.
    """
    if with_mistakes:
        known = definitions.MISTAKES if k is None else definitions.list_mistakes_at_k(k)
    else:
        known = definitions.DEFINITIONS if k is None else definitions.list_at_k(k)
        if k == 1:  # AP@1 is better known as P@1.
            known = {"precision@1": known["precision@1"]} | known
    return evaluate(map(Recipe, known.values()))


@cache
def suppose_transform(transform: Transform) -> Candidates:
    """Return common definitions after a transform of the rankings."""
    recipes, _ = join((suppose(None), suppose(10)))
    points = get_battery("values").rank((transform,)).points
    has_ties = (points.samples > points.hits).any()
    return evaluate(
        recipe.transform(transform, order)
        for order in (_ORDERS if has_ties else (None,))
        for recipe in recipes
        if recipe.definition.rarity <= 1
    )


def suppose_common(cutoffs: tuple[float, ...], with_mistakes: bool = False) -> Candidates:
    """Suppose the cutoffs of a function, those that most people use, and none."""
    ks = (None, *dict.fromkeys(cutoffs + _COMMON_CUTOFFS))
    return join(suppose(k, with_mistakes) for k in ks)


def return_otherwise(candidates: Candidates, transform: ValueTransform) -> Candidates:
    recipes, values = candidates
    return [recipe._replace(returned=transform) for recipe in recipes], transform.apply(values)


def list_candidates(cutoffs: tuple[float, ...]) -> Iterator[Candidates]:
    """Yield what a function may compute, the most common first. `cutoffs` are its own ones."""
    yield join(map(suppose, (None, *cutoffs)))
    common = suppose_common(cutoffs)
    yield common
    yield join(map(suppose, _OTHER_CUTOFFS))
    yield suppose_common(cutoffs, with_mistakes=True)
    for change in transforms.VALUE_TRANSFORMS:
        yield return_otherwise(common, change)
    yield from map(suppose_transform, transforms.OF_RANKINGS)


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
    results = [call.result for call in log.calls["values"] if not call.is_number]
    most = max(results, key=results.count, default="")
    if not untied:
        return Recognition(failure=f"Every call with both classes gives {most}.")
    if len(untied) < _MIN_RANKINGS or max(call.labels.size for call in untied) <= _LARGEST_SMALL:
        few = f"It returned a number for {len(untied)} of {len(log.calls['values'])} rankings"
        return Recognition(failure=f"{few}: too few to tell. The others give {most}.")
    returned, places = np.array([call.value for call in untied]), [call.place for call in untied]
    if np.ptp(returned) < _MIN_RANGE:
        same = f"every ranking without ties gives {write_value(returned[0])}"
        return Recognition(failure=f"Not a metric of labels y and scores s: {same}.")
    found, many = None, log.select("many samples")[:1]
    for recipes, values in list_candidates(log.cutoffs):
        rows = values[:, places]
        is_unknown = np.isnan(rows) & ~np.isinf(returned)
        fitting = np.flatnonzero((equals(returned, rows) | is_unknown).all(axis=1))
        if fitting.size:
            recipe = choose(log, [recipes[place] for place in fitting])
            found = found or recipe
            if fits(recipe, many).all():  # A later one may give the value of many samples, too.
                return Recognition(find_tie_order(log, recipe))
    if found is not None:
        return Recognition(find_tie_order(log, found))
    # The nearest definition has most of the values, and at least half of them.
    recipes, values = suppose_common(log.cutoffs)
    counts = equals(returned, values[:, places]).sum(axis=1)
    if 2 * counts.max() < len(untied):
        return Recognition(is_nearest=True)
    return Recognition(find_tie_order(log, recipes[counts.argmax()]), is_nearest=True)


def choose(log: CallLog, fitting: list[Recipe]) -> Recipe:
    """Return the one that has most other values in any order of ties, or the first of these."""
    others = log.select("ties", "no positives", "no negatives", "many samples")

    def count(recipe: Recipe) -> int:
        orders = _ORDERS if recipe.tie_order is None else (None,)
        return max(int(fits(recipe.transform(order), others).sum()) for order in orders)

    return max(fitting, key=count) if len(fitting) > 1 else fitting[0]


def find_tie_order(log: CallLog, recipe: Recipe) -> Recipe:
    """Find out how the function ranks tied samples, the most common ways first."""
    if recipe.tie_order is not None:  # A transform's order is known.
        return recipe
    tied, many = log.select("ties"), log.select("many samples")
    for calls in (tied + many, tied):
        for order in (*_ORDERS, UNKNOWN_ORDER):
            tried = recipe.transform(order)
            if fits(tried, calls).all():
                return tried
    return recipe


def takes_labels_and_scores(log: CallLog) -> bool:
    """Whether the values are those of any function of the order of labels y by scores s.

    They differ among rankings of as many samples and positives, and are the same in another order
    of the rows, and for scores that rise otherwise.
    """
    others = log.select("order of rows", "other scores")
    returned = np.array([call.value for call in others])
    if not others or not equals(returned, log.get_plain_values(others)).all():
        return False
    of_sizes: dict[tuple[int, int], set[float]] = {}
    for call in log.select("values"):
        size = call.labels.size, int(call.labels.sum())
        of_sizes.setdefault(size, set()).add(round(call.value, 6))
    return any(len(values) > 1 for values in of_sizes.values())
