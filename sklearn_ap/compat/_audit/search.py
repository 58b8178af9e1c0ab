"""Find the definition, and the mistake, that give what a function returned for many rankings.

All rankings are evaluated as one, so that thousands of recipes take a second.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..._core import Array
from .. import definitions, transforms
from ..definitions import Definition
from ..peers import read_peers
from ..recipes import Ranked, Recipe, Variants
from ..transforms import TIE_ORDERS, UNKNOWN_ORDER
from ..wording import write_value
from .calls import Call, CallLog, draw_rankings, name_aspect

# Enough for sums in single precision, as of 200 thresholds in Keras, and for 1e-6 in denominators
TOLERANCE = 2.5e-6
IGNORES_RANKING = "fraction of positives"  # It has the same value whatever is ranked.
_CUTOFFS = (*range(1, 101), 150, 200, 0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5)
_COMMON_CUTOFFS = (1, 3, 5, 10, 12, 20, 50, 100, 0.01, 0.05, 0.1)  # tried with mistakes, too
_CUTOFFS_OF_SHAPES = _COMMON_CUTOFFS[1:]  # AP@1 has few values, which are easily those of others.
_CUTOFFS_OF_TRANSFORMS = (5, 10, 100)
_ORDERS = None, *TIE_ORDERS  # None is one threshold
_MIN_RANKINGS = 5  # Nothing is recognized on fewer ones.
_LARGEST_SMALL = 10  # samples, up to which AP@10 and step are the same
_MIN_RANGE = 1e-4  # of values; smaller ones are those of any definition that is mostly 0
_PROBE_SIZE = 12


# --- what the calls show --------------------------------------------------------------------------


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


class Batch(Variants):
    """What the function returned for some calls, whose rankings are evaluated as one."""

    def __init__(self, calls: Sequence[Call]) -> None:
        super().__init__(*(call.rankings for call in calls))
        self.calls = calls
        self.returned = np.array([call.value for call in calls])

    def average(self, values: Array, ranked: Ranked, recipe: Recipe) -> Array:
        """Return the mean of each call; nan where it has none, or where nobody knows it."""
        is_undefined = np.isnan(values) | (ranked.points.n_positives == 0)
        values = np.where(is_undefined, recipe.definition.without_positives, values)
        return np.asarray(np.bincount(ranked.part, values) / np.bincount(ranked.part))

    def fits(self, recipe: Recipe) -> Array:
        """Whether each returned value is that of a recipe, or one that an order of ties allows."""
        values, low, high = self.evaluate(recipe).T
        nearest = values if recipe.tie_order != UNKNOWN_ORDER else self.returned.clip(low, high)
        # Where nobody knows the value, any but an infinite one fits.
        is_unknown = np.isnan(nearest) & ~np.isinf(self.returned)
        return np.asarray(self.equals(nearest) | is_unknown)

    def equals(self, expected: Array) -> Array:
        """Whether each returned value is an expected one."""
        with np.errstate(invalid="ignore"):  # Infinities have no difference.
            error = np.abs(self.returned - expected) / np.maximum(np.abs(expected), 1)
        are_undefined = np.isnan(self.returned) & np.isnan(expected)
        is_same = self.returned == expected  # such as an infinity
        return np.asarray((error <= TOLERANCE) | is_same | are_undefined)


# --- which of them it computes --------------------------------------------------------------------


@cache
def suppose(cutoffs: tuple[float, ...]) -> tuple[Recipe, ...]:
    """Return all definitions, the best known first."""
    every = definitions.DEFINITIONS.copy()
    for k in cutoffs:
        of_top = definitions.list_at_k(k)
        if k == 1:  # AP@1 is better known as P@1.
            every["precision@1"] = of_top["precision@1"]
        every |= of_top
    return tuple(map(Recipe, every.values()))


@cache
def suppose_mistakes(cutoffs: tuple[float, ...]) -> tuple[Recipe, ...]:
    """Return each definition with each mistake in what it counts."""
    wrong = [*definitions.MISTAKES.values()]
    for k in cutoffs:
        wrong += definitions.list_mistakes_at_k(k).values()
    return tuple(map(Recipe, wrong))


@cache
def compute_probe(cutoffs: tuple[float, ...]) -> tuple[tuple[Call, ...], Array, list[Recipe]]:
    """Return some rankings without ties, a row of their values for each definition or mistake, and
    these.

    Where a function takes another shape, its values are compared with these. `cutoffs` are those
    of the function itself.
    """
    drawn = draw_rankings(np.random.default_rng(0))
    untied = [each for each in drawn if name_aspect(*each) == "values" and each[0].size > 4]
    largest_first = sorted(untied[:_PROBE_SIZE], key=lambda each: -each[0].size)
    # With all positives below all negatives, hit rates aren't all 1.
    worst = [(labels, (scores + 1 - labels) / 2) for labels, scores in largest_first[3:7]]
    calls = tuple(Call("values", *each) for each in largest_first + worst)
    ks = join_cutoffs(_CUTOFFS_OF_SHAPES, cutoffs)
    every = suppose(ks) + suppose_mistakes(ks)
    compared = [each for each in every if is_about_order(each.definition)]
    batch = Batch(calls)
    return calls, np.array([batch.compute(each) for each in compared]), compared


def join_cutoffs(some: tuple[float, ...], others: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(dict.fromkeys(some + others))


def is_about_order(definition: Definition) -> bool:
    return not definition.needs_threshold and definition.term != IGNORES_RANKING


def list_recipes(probe: Batch, cutoffs: tuple[float, ...]) -> Iterator[Sequence[Recipe]]:
    """Yield what a function may compute: what it should, then mistakes, each with the most common
    definitions. Some are left out that don't fit a few calls, the probe.
    """
    common_cutoffs = join_cutoffs(_COMMON_CUTOFFS, cutoffs)
    yield suppose(join_cutoffs(_CUTOFFS, cutoffs))
    yield suppose_mistakes(common_cutoffs)
    yield list_transformed_values(probe, common_cutoffs)
    of_tools = {peer.definition for peer in read_peers()}
    common = [
        each
        for each in suppose(_CUTOFFS_OF_TRANSFORMS)
        if each.definition.rarity <= 1 or each.definition.name_of_any_k in of_tools
    ]
    for transform in transforms.OF_RANKINGS:
        points = probe.rank((transform,)).points
        orders = _ORDERS if points.n_rows.sum() > points.tied.size else (None,)
        for order in orders:
            yield [each.transform(transform, order) for each in common]


def list_transformed_values(probe: Batch, cutoffs: tuple[float, ...]) -> list[Recipe]:
    """Return definitions and mistakes that fit the probe if their values are transformed."""
    fitting = []
    for each in suppose(cutoffs) + suppose_mistakes(cutoffs):
        values = probe.compute(each)
        for transform in transforms.VALUE_TRANSFORMS:
            if probe.equals(transform.apply(values)).all():
                fitting.append(each._replace(returned=transform))
    return fitting


class Search:
    """The search for what a function computes."""

    def __init__(self, log: CallLog) -> None:
        self.log = log
        self.untied = self.collect("values")

    def collect(self, *aspects: str) -> Batch:
        """Return the calls of some aspects that gave a number."""
        calls = [call for call in self.log.calls if call.aspect in aspects and call.is_number]
        return Batch(calls)

    def recognize(self) -> Recognition:
        failure = self.find_failure()
        if failure:
            return Recognition(failure=failure)
        recipe = self.find_recipe()
        return self.find_nearest() if recipe is None else Recognition(recipe)

    def find_failure(self) -> str:
        """Say why there are no values that tell anything, if so."""
        values = self.untied.returned
        if not values.size:
            return f"Every call with both classes gives {self.log.write_failure()}."
        largest = max(call.labels.size for call in self.untied.calls)
        if values.size < _MIN_RANKINGS or largest <= _LARGEST_SMALL:
            few = f"It returned a number for {values.size} of {self.log.n_untied} rankings"
            return f"{few}: too few to tell. The others give {self.log.write_failure()}."
        if np.ptp(values) < _MIN_RANGE:
            return f"Not a metric: every ranking without ties gives {write_value(values[0])}."
        return ""

    def takes_labels_and_scores(self) -> bool:
        """Whether the values are those of any function of the order of labels y by scores s.

        They differ among rankings of as many samples and positives, and are the same in another
        order of the rows, and for scores that rise otherwise.
        """
        of_sizes: dict[tuple[int, int], set[float]] = {}
        for call in self.untied.calls:
            size = call.labels.size, int(call.labels.sum())
            of_sizes.setdefault(size, set()).add(round(call.value, 6))
        others = self.collect("order of rows", "other scores").calls
        plain = [self.log.plain[call.place].value for call in others]
        is_same = np.isclose([call.value for call in others], plain, rtol=0, atol=TOLERANCE)
        has_order = any(len(values) > 1 for values in of_sizes.values())
        return has_order and bool(is_same.size) and bool(is_same.all())

    def find_recipe(self) -> Recipe | None:
        """Find what gives all values without ties, and then what is done with ties."""
        telling = sorted(self.untied.calls, key=lambda call: abs(call.labels.size - 20))
        probe = Batch([*telling[:4], *self.untied.calls[-2:]])
        for recipes in list_recipes(probe, self.log.cutoffs):
            near = [each for each in recipes if probe.fits(each).all()]
            fits = [each for each in near if self.untied.fits(each).all()]
            if fits:
                return self.find_tie_order(self.choose(fits))
        return None

    def choose(self, fits: list[Recipe]) -> Recipe:
        """Return the one that has most other values in any order of ties, or the first of these."""
        others = self.collect("ties", "no positives", "no negatives", "many samples")
        if len(fits) == 1 or not others.calls:
            return fits[0]

        def count(each: Recipe) -> int:
            orders = _ORDERS if each.tie_order is None else (None,)
            return max(int(others.fits(each.transform(order)).sum()) for order in orders)

        return max(fits, key=count)

    def find_tie_order(self, recipe: Recipe) -> Recipe:
        """Find out how the function ranks tied samples."""
        tied = self.collect("ties")
        if recipe.tie_order is not None or not tied.calls:  # A transform's order is known.
            return recipe
        fits = (each for each in self.list_tie_orders(recipe) if tied.fits(each).all())
        return next(fits, recipe)

    def list_tie_orders(self, recipe: Recipe) -> Iterator[Recipe]:
        """Yield what may be done with ties, the most common first."""
        for order in _ORDERS:
            yield recipe.transform(order)
        if not recipe.mistakes:
            term = recipe.definition.term
            for each in suppose_mistakes(()):
                if each.definition.term == term and self.untied.fits(each).all():
                    yield each
        yield recipe.transform(UNKNOWN_ORDER)

    def find_nearest(self) -> Recognition:
        """Find the definition that has most of the values without ties, if it has half of them."""
        candidates = suppose(join_cutoffs(_COMMON_CUTOFFS, self.log.cutoffs))
        counts = [int(self.untied.fits(each).sum()) for each in candidates]
        if 2 * max(counts) < len(self.untied.calls):
            return Recognition(is_nearest=True)
        nearest = candidates[counts.index(max(counts))]
        return Recognition(self.find_tie_order(nearest), is_nearest=True)
