"""How much a value varies between samples: the deviations from which all of inference follows.

`vary` returns a `Variation`, whose deviations have one of three sources: the values of groups, if
whole groups are drawn; influences, which are derivatives by the weights of samples, if a rule is
smooth in these; and resamples of the sampling units for all other rules. _law.py says what follows
from them. In formulas, T and N are the positives and all samples at a point or above it.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np

from ._chance import compute_chance
from ._data import Rankings
from ._evaluate import average_values, choose_fill, evaluate_rankings, rank_all, weigh
from ._law import Variation, count_equal
from ._points import Array, Points, from_counts, make_points, mark, pack
from ._rules import (
    EnrichmentFactor,
    GroupFunction,
    HitRateAtK,
    Interpolated,
    Linear,
    PointRule,
    PrecisionAtRecall,
    ReciprocalRank,
    RPrecision,
    Rule,
    Step,
)
from ._slopes import Slopes, compute_slopes
from ._units import (
    NoIntervalError,
    Ranked,
    Rows,
    Units,
    check_positives,
    check_units,
    count,
    count_positive_rows,
)

# By simulation: a first-order bias of 1 is 1.5 with the higher orders, which few positives have
_BIAS_FACTOR = 1.5
_N_RESAMPLES = 499
_MAX_BLOCKS = 1024  # that are drawn; more units are put into as many random blocks
_MAX_POINTS = 512  # of resamples; more are merged
_MAX_SUMMED = 8192  # samples that are added up one by one in resamples, if that's cheaper:
_SUM_COST = 12  # a sum costs as much as so many products in a product of matrices
_FEW_CELLS = 8
_MAX_FLOAT32 = 2**23  # half of the integers that float32 has, since some resamples have more


# --- what a rule tells inference ------------------------------------------------------------------


def is_smooth(rule: Rule) -> bool:
    """Whether small weights change a value little, and by sums of what single samples change."""
    if isinstance(rule, Step):
        return rule.ties == "grouped"
    if isinstance(rule, Interpolated):
        return rule.n_points is None
    return isinstance(rule, Linear)


def has_cutoff(rule: Rule) -> bool:
    """Whether only the top of a ranking decides the value. One more negative then takes one of the
    places there, which resamples show.
    """
    return rule.k is not None or isinstance(rule, RPrecision)


def compute_used_fraction(rule: Rule, points: Points) -> Array:
    """Compute the fraction of the positives of each ranking that its value rests on."""
    if rule.k is not None:
        return np.minimum(rule.compute_cutoffs(points) / np.maximum(points.n_positives, 1e-300), 1)
    used = rule.min_recall if isinstance(rule, PrecisionAtRecall) else 1.0
    return np.full(points.n_rankings, used)


def evaluate_perfect(rule: PointRule, points: Points) -> Array:
    """Return the values that rankings would have if their positives were first, without ties."""
    n = points.n_rankings
    zeros, found = np.zeros(n, np.int64), np.maximum(points.n_positives, 1)
    mass = np.maximum(points.mass, found)
    perfect = Points(found, found, zeros, zeros, np.arange(n + 1), found, mass, points.n_rows)
    if points.tied_rows is not None:
        perfect = perfect._replace(
            tied_rows=found, rows_above=zeros, has_whole_weights=points.has_whole_weights
        )
    return np.where(points.n_positives > 0, rule.values(perfect), 0.0)


def unbias(deviations: Array, n_units: int | None = None) -> Array:
    """Multiply deviations so that their squares add up to an unbiased variance."""
    n = deviations.size if n_units is None else n_units
    scaled: Array = deviations * np.sqrt(n / (n - 1))
    return scaled


def vary(
    rule: Rule,
    rankings: Rankings,
    units: Units,
    zero_division: float | str,
    *,
    is_alone: bool = False,
    with_chance: bool = False,
) -> Variation:
    """Compute the value of a model, and how much it varies.

    Unless it `is_alone`, it's compared with others, and each sample needs a deviation of its own.
    `rankings` are flat.
    """
    if rankings.average is None:
        raise ValueError("average=None has a value for each class: pass those of one class.")
    if rankings.kind in ("groups", "rows"):
        of_group = units.find_clusters_of_groups(rankings)
        if of_group is not None:
            return _vary_groups(rule, rankings, of_group, units, zero_division, with_chance)
    if not isinstance(rule, PointRule) or isinstance(rule, ReciprocalRank | HitRateAtK):
        raise ValueError(
            "This metric is one value of a whole ranking, which doesn't tell how much it varies. "
            "Pass groups=, such as queries, and clusters= only if they are made of whole groups."
        )
    described = rankings.group, rankings.weight, rankings.n_positives, units.cluster
    is_plain = all(each is None for each in described) and rankings.scores.size == units.n_rows
    if is_alone and is_plain and is_smooth(rule):
        return _vary_counts(rule, rankings, with_chance)
    return _vary_rows(Rows(rule, rankings, units), zero_division, with_chance)


# --- groups that are drawn ------------------------------------------------------------------------


def _vary_groups(
    rule: Rule,
    rankings: Rankings,
    unit: Array,
    units: Units,
    zero_division: float | str,
    with_chance: bool,
) -> Variation:
    """Vary the mean over groups, each of which has a value, and belongs to a sampling unit."""
    most = perfect = np.ones(rankings.n_rankings)
    chance = np.nan
    if isinstance(rule, PointRule):
        points = rank_all(rule, rankings)
        values, exist = rule.values(points), points.n_positives
        if rule.k is not None:
            perfect = evaluate_perfect(rule, points)
        if isinstance(rule, EnrichmentFactor):
            most = np.where(points.mass > 0, points.mass / rule.compute_cutoffs(points), 1.0)
        if with_chance and rankings.weight is None:
            ranked = Ranked.sort(rankings)
            chance = compute_chance(
                rule, rankings, points, ranked.is_first, ranked.ends, zero_division
            )
    else:
        values, exist = evaluate_rankings(rule, rankings)
    value = average_values(rule, values, exist, rankings, zero_division)
    if np.isnan(values).any():
        values = np.where(np.isnan(values), choose_fill(rule, zero_division), values)
    weight = weigh(rankings, values, exist)
    is_left_out = np.isnan(values)
    drawn = weight > 0
    if not drawn.any() or not (exist.any() or isinstance(rule, GroupFunction)):
        raise NoIntervalError("y_true has no positives.", "no positives")
    values, weight, most, perfect = values[drawn], weight[drawn], most[drawn], perfect[drawn]
    weight = weight / weight.sum()
    n_units = np.unique(unit[~is_left_out]).size  # also those of weight 0, as without positives
    _, unit = np.unique(unit[drawn], return_inverse=True)
    deviations = np.bincount(unit, weight * (values - weight @ values))
    n = deviations.size
    check_units(n)

    limits = 0.0, float(weight @ np.maximum(most, values))
    basis = count(values.size, units.group_word if rankings.names is not None else "row")
    n_with_positives = int(np.count_nonzero(exist[drawn]))
    if isinstance(rule, GroupFunction):  # which knows what its labels mean
        limits = rule.limits
    elif n_with_positives < values.size:
        basis += f", {n_with_positives:,} with positives"
    if n < values.size:
        basis += f", {count(n, units.cluster_word)}"
    return Variation(
        value=value,
        deviations=unbias(deviations, n_units),
        units=count_equal(np.bincount(unit, weight)),
        basis=basis,
        limits=limits,
        perfect=float(weight @ np.maximum(perfect, values)),
        group_values=values,
        chance=chance,
        n_samples=rankings.scores.size if rankings.kind == "groups" else units.n_rows,
        n_positives=count_positive_rows(rankings),
    )


# --- rows or clusters that are drawn --------------------------------------------------------------


def _vary_counts(rule: PointRule, rankings: Rankings, with_chance: bool) -> Variation:
    """Vary the value of one ranking of equal samples, by counting these at each point."""
    n = rankings.scores.size
    ends = np.array([0, n])
    keys = pack(rankings.labels, rankings.scores)
    keys.sort()
    is_hit, is_first = mark(keys, ends)
    del keys  # a tenth of the peak memory
    points = make_points(is_hit, is_first, ends)
    n_positives = float(points.n_positives[0])
    check_positives(points.n_positives, rankings)
    check_units(n)
    values = rule.values(points)
    slopes = compute_slopes(rule, points, values, np.zeros(1))
    end = points.above + points.tied
    n_between = points.above - np.append(0, end)[:-1]
    # One deviation for all equal samples, whose squares add up to so many times that of one
    of_positives = slopes.positive * np.sqrt(points.hits)
    of_tied = slopes.tied * np.sqrt(points.tied - points.hits)
    deviations = np.concatenate([of_positives, of_tied, slopes.between * np.sqrt(n_between)])
    return Variation(
        value=float(values[0]),
        deviations=unbias(deviations, n),
        units=n_positives,
        basis=count(int(n_positives), "positive"),
        cost=float(compute_losses(rule, points, values, np.ones(1))[0]),
        chance=compute_chance(rule, rankings, points, is_first, ends) if with_chance else np.nan,
        n_samples=n,
        n_positives=n_positives,
    )


def compute_losses(rule: PointRule, points: Points, values: Array, weight: Array) -> Array:
    """Compute what each ranking would lose to one more negative of this weight above all others."""
    moved = points._replace(above=points.above + points.repeat(weight))
    losses = np.maximum(values - np.nan_to_num(rule.values(moved)), 0)
    return np.where(points.n_positives > 0, losses, 0.0)


def _vary_rows(rows: Rows, zero_division: float | str, with_chance: bool) -> Variation:
    """Vary the value of one ranking, or the mean over several."""
    rule, points, exist, rankings = rows.rule, rows.points, rows.exist, rows.rankings
    check_positives(exist, rankings, zero_division)
    shares = exist if rankings.average == "weighted" else np.ones(exist.size)
    if zero_division != zero_division:  # nan leaves out rankings without positives
        shares = np.where(exist == 0, 0, shares)
    fractions = shares / shares.sum()
    are_several = np.count_nonzero(fractions) > 1
    units, of_each, in_each, basis = rows.count_units(fractions)
    used = compute_used_fraction(rule, points)[fractions > 0].max()
    variation = Variation(
        value=average_values(rule, rule.values(points), exist, rankings, zero_division),
        deviations=np.zeros(0),
        units=max(units * used, 1.0),
        basis=basis,
        lone=np.where(of_each < 2, fractions * rows.values, 0.0) * are_several,
        n_samples=rows.units.n_rows,
        n_positives=count_positive_rows(rankings),
    )
    if with_chance:
        chance = compute_chance(
            rule, rankings, points, rows.ranked.is_first, rows.ranked.ends, zero_division
        )
        variation = replace(variation, chance=chance)
    if has_cutoff(rule):
        of_perfect = evaluate_perfect(rule, points)
        # Another sample can have more positives.
        fraction = np.minimum(exist / np.maximum(points.mass, 1), 1)
        more = np.exp(1.96 * np.sqrt((1 - fraction) / np.maximum(of_each, 1)))
        most = np.minimum(of_perfect * more, rule.limits[1])
        perfect = float(fractions @ np.maximum(of_perfect, rows.values))
        limits = 0.0, float(fractions @ np.maximum(most, rows.values))
        variation = replace(variation, perfect=perfect, limits=limits)
    influence = Influence(rows, rule if is_smooth(rule) else Step())
    if not has_cutoff(rule):
        losses = compute_losses(rule, points, rows.values, influence.negative)
        variation = replace(variation, cost=float(np.max(fractions * losses)))
    if not is_smooth(rule):
        resampled = Resampling(rows).evaluate(fractions)
        deviations = _compute_deviations_of_resamples(resampled)
        return replace(variation, deviations=deviations, resampled=resampled)
    lifts = influence.slopes.lifts * exist / np.maximum(in_each, 1)
    strata = None
    if rows.units.cluster is not None and rankings.group is None and not rows.missing.any():
        strata = np.bincount(rows.unit, rows.mass * rankings.labels, rows.n_units)
    return replace(
        variation,
        deviations=influence.compute_deviations(fractions),
        bias=float(_BIAS_FACTOR * fractions @ lifts) if are_several else 0.0,
        strata=strata,
    )


# --- influences of samples ------------------------------------------------------------------------


class Influence:
    """What samples contribute to the values of their rankings."""

    def __init__(self, rows: Rows, rule: PointRule) -> None:
        self.rows, self.rule, self.points = rows, rule, rows.points
        self.values = np.nan_to_num(rule.values(rows.points))
        self.slopes = compute_slopes(rule, rows.points, self.values, np.zeros(rows.n_rankings))
        self.negative, self.excess = np.ones(rows.n_rankings), np.zeros(rows.n_rankings)
        if rows.weight is not None or not rows.are_rows:
            self.negative, positive = self._weigh_usual(False), self._weigh_usual(True)
            if not rows.are_rows:
                self.negative = self.negative * self._count_together()
            self.excess = np.maximum(self.negative - positive * (1 + 1e-9), 0)

    def _weigh_usual(self, label: bool) -> Array:
        """Compute the usual weights of negatives or of positives: sum w^2 / sum w, or that of all
        samples of a ranking that has none.
        """
        rows, n = self.rows, self.rows.n_rankings
        if rows.weight is None:
            return np.ones(n)
        of_kind = rows.mass * (rows.rankings.labels == label)
        sums = np.bincount(rows.group, of_kind, n)
        of_all = np.average(rows.mass, weights=rows.mass)
        squares = np.bincount(rows.group, of_kind * rows.mass, n)
        usual: Array = np.divide(squares, sums, out=np.full(n, of_all), where=sums > 0)
        return usual

    def _count_together(self) -> Array:
        """Compute how many times as much the negatives of a unit change together as apart. If no
        negative is above a positive, all of a unit do.
        """
        rows, n = self.rows, self.rows.n_rankings
        is_negative, (ranking, pair) = ~rows.rankings.labels, rows.pairs
        alone = np.where(is_negative, self._assign(self.slopes) * rows.mass, 0)
        together = np.bincount(ranking, np.bincount(pair, alone, ranking.size) ** 2, n)
        apart = np.bincount(rows.group, alone**2, n)
        held = np.bincount(pair, rows.mass * is_negative, ranking.size)
        n_holding = np.maximum(np.bincount(ranking, held > 0, n), 1)
        mean = np.bincount(ranking, held, n) / n_holding / self.negative
        return np.divide(together, apart, out=mean, where=apart > 0)

    def compute_deviations(self, fractions: Array) -> Array:
        """Return the deviation of the mean for each unit, and each positive that wasn't scored."""
        rows, points = self.rows, self.points
        are_groups = rows.rankings.kind == "groups" and rows.n_rankings > 1
        is_micro = rows.n_rankings == 1 and rows.unit.size > rows.units.n_rows
        slopes = self.slopes
        if self.excess.any() and not are_groups and not is_micro:
            slopes = compute_slopes(self.rule, points, self.values, self.excess)
        influence = self._assign(slopes)
        if rows.weight is not None:
            influence = influence * rows.mass
        if rows.n_rankings > 1:
            influence = influence * fractions[rows.group]
        drift = np.zeros(rows.n_rankings)
        if rows.rankings.average == "weighted":  # each positive also changes the fractions
            drift = (self.values - fractions @ self.values) / points.n_positives.sum()
            influence = influence + drift[rows.group] * rows.rankings.labels * rows.mass
        deviations = influence
        if not rows.are_rows or rows.unit.size > rows.n_units:
            deviations = np.bincount(rows.unit, influence, rows.n_units)
        if rows.missing.any():
            of_each = drift - fractions * self.values / np.maximum(rows.exist, 1e-300)
            # Their number may have a fraction, as that of weights has.
            of_each *= np.sqrt(rows.missing / np.maximum(rows.n_missing, 1)) * rows.missing_weight
            deviations = np.append(deviations, np.repeat(of_each, rows.n_missing))
        check_units(deviations.size)
        return unbias(deviations)

    def _assign(self, slopes: Slopes) -> Array:
        """Return the influence of each sample on its ranking, for each unit of weight."""
        ranked, points = self.rows.ranked, self.points
        n_scores, n_points = ranked.first.size, points.tied.size
        kept = np.arange(n_scores) if self.rows.rule.needs_every_point else ranked.with_hits
        is_point = np.zeros(n_scores, dtype=bool)
        is_point[kept] = True
        # The point of each distinct score, or the next one below it in its ranking
        place = np.cumsum(is_point) - is_point
        if points.n_rankings > 1:
            end = np.repeat(points.offsets[1:], np.diff(ranked.offsets))
            place = np.where(place >= end, n_points, place)
        in_order = np.append(slopes.between, 0)[place]
        in_order[kept] = slopes.tied
        if ranked.has_ties:
            in_order, place = np.repeat(in_order, ranked.counts), np.repeat(place, ranked.counts)
        hits = np.flatnonzero(ranked.is_hit)
        in_order[hits] = slopes.positive[place[hits]]
        influence = np.empty(in_order.size)
        influence[ranked.order] = in_order
        return influence


# --- resamples ------------------------------------------------------------------------------------


def _compute_deviations_of_resamples(drawn: Array) -> Array:
    """Return what differs from the mean of resamples, so that its squares add up to a variance."""
    is_defined = ~np.isnan(drawn)
    n = int(np.count_nonzero(is_defined))
    if n < 2:
        raise NoIntervalError("Fewer than two resamples have positives.")
    deviations = np.where(is_defined, drawn - drawn[is_defined].mean(), 0)
    return np.asarray(deviations / np.sqrt(n - 1))


@lru_cache(maxsize=1)
def draw_blocks(n_units: int) -> tuple[Array, Array]:
    """Return the block of each unit, and how often each block is in each resample: the same ones
    for all models of a call.
    """
    rng = np.random.default_rng(0)
    n_blocks = min(n_units, _MAX_BLOCKS)
    block = np.arange(n_units)
    if n_units > n_blocks:
        block = rng.integers(0, n_blocks, n_units)
    block = block.astype(np.int16)  # which is kept
    drawn = rng.integers(0, n_blocks, (_N_RESAMPLES, n_blocks))
    drawn += n_blocks * np.arange(_N_RESAMPLES)[:, np.newaxis]
    times = np.bincount(drawn.ravel(), minlength=drawn.size)
    return block, times.reshape(drawn.shape).astype(np.float32)


class Resampling:
    """Resamples of units.

    Many units are drawn in random blocks, which leaves the variance of sums as it is. Samples are
    sorted once. Then only their counts change.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        check_units(rows.n_units + int(rows.n_missing.sum()))
        block, self.times = draw_blocks(rows.n_units)
        self.block = block[rows.unit]
        self.n_blocks = self.times.shape[1]
        rng = np.random.default_rng(1)
        number = rng.poisson(rows.missing, (_N_RESAMPLES, rows.n_rankings))
        self.missing = (number * rows.missing_weight).ravel()

    def evaluate(self, fractions: Array) -> Array:
        """Return the mean value of each resample, nan of a single ranking without positives."""
        rows, rule, n = self.rows, self.rows.rule, self.rows.n_rankings
        points = self._count_points()
        exist = points.n_positives + self.missing
        values = rule.values(points._replace(n_positives=exist))
        # The value of a class or group without positives is a convention, so it doesn't vary.
        usual = np.full(1, np.nan) if n == 1 else rows.values
        values = np.where(exist > 0, values, np.tile(usual, _N_RESAMPLES))
        values, exist = values.reshape(_N_RESAMPLES, n), exist.reshape(_N_RESAMPLES, n)
        means: Array = values @ fractions
        if rows.rankings.average == "weighted":
            means = np.sum(values * exist, axis=1) / np.maximum(exist.sum(axis=1), 1e-300)
        return means

    def _count_points(self) -> Points:
        """Return the points of all resamples, whose rankings are held end to end."""
        rows, weight = self.rows, self.rows.weight
        near = self._count_near()
        ranked = rows.ranked if near is None else rows.ranked.take_top(near)
        cell, offsets = number_cells(ranked, rows.rule)
        n_cells, block = int(offsets[-1]), self.block[ranked.order]
        kinds: list[Array | None] = [ranked.is_hit, None]
        if weight is not None:
            mass = weight[ranked.order]
            kinds = [mass * ranked.is_hit, mass, None]
        positives, total, *counts = self._draw(block, cell, n_cells, kinds)
        offsets = offsets[:-1] + n_cells * np.arange(_N_RESAMPLES)[:, np.newaxis]
        points = from_counts(
            positives,
            total,
            counts[0] if counts else None,
            weight is None or weight.dtype.kind == "i",
            np.append(offsets, n_cells * _N_RESAMPLES),
        )
        points = points.take(np.flatnonzero(total if rows.rule.needs_every_point else positives))
        if near is None:
            return points
        # All samples count, those far below the cutoff, too.
        kinds = [rows.rankings.labels, None]
        positive, in_all = self._draw(self.block, rows.group, rows.n_rankings, kinds)
        return points._replace(n_positives=positive, mass=in_all, n_rows=in_all)

    def _draw(
        self, block: Array, cell: Array, n_cells: int, kinds: Sequence[Array | None]
    ) -> list[Array]:
        """Add up each kind of mass in each cell, in all resamples; None counts samples."""
        size = self.n_blocks * n_cells
        are_few = _SUM_COST * block.size < size and block.size <= _MAX_SUMMED
        if are_few and (cell[1:] >= cell[:-1]).all():
            return self._sum_samples(block, np.searchsorted(cell, np.arange(n_cells)), kinds)
        # The threads of BLAS cost more than they save with a few cells.
        multiply = np.matmul if n_cells > _FEW_CELLS else partial(np.einsum, "ij,jk->ik")
        key, drawn = np.multiply(block, n_cells, dtype=np.int64) + cell, []
        for mass in kinds:
            held = np.bincount(key, mass, size).reshape(self.n_blocks, n_cells)
            if mass is not None and mass.dtype.kind == "f":
                drawn.append(multiply(self.times, held).ravel())
                continue
            is_exact = (block.size if mass is None else mass.sum()) < _MAX_FLOAT32
            sums = multiply(self.times, held.astype(np.float32 if is_exact else np.float64))
            drawn.append(sums.ravel().astype(np.int64))
        return drawn

    def _sum_samples(
        self, block: Array, starts: Array, kinds: Sequence[Array | None]
    ) -> list[Array]:
        """Do this for samples in the order of their cells, which is faster for few of them."""
        times, drawn = self.times[:, block], []
        for mass in kinds:
            of_samples = times if mass is None else times * mass
            sums = np.add.reduceat(of_samples, starts, axis=1).ravel()
            are_whole = mass is None or mass.dtype.kind != "f"
            drawn.append(sums.astype(np.int64) if are_whole else sums)
        return drawn

    def _count_near(self) -> Array | None:
        """Return how many samples of each ranking a cutoff can reach in resamples, if that's worth
        it. Of k samples, resamples have k on average, with a variance of k (1 + k/n_blocks).
        """
        rows, rule = self.rows, self.rows.rule
        if rule.k is None or rows.weight is not None or not rows.are_rows:
            return None
        k = rule.compute_cutoffs(rows.points).astype(float)
        near = (k + 8 * np.sqrt(k * (1 + k / self.n_blocks)) + 100).astype(np.int64)
        return None if (near > rows.points.n_rows / 2).any() else near


def number_cells(ranked: Ranked, rule: Rule) -> tuple[Array, Array]:
    """Return the cell of each sample in order, and where those of each ranking begin.

    Each point with positives is a cell, as are the samples between two of them. Many points are
    merged, which hardly changes how much a value varies.
    """
    has_hits = np.zeros(ranked.first.size, np.int64)
    has_hits[ranked.with_hits] = 1
    number = np.cumsum(has_hits)
    n_rankings = ranked.ends.size - 1
    n_points, most = int(number[-1]), max(_MAX_POINTS, 64 * n_rankings)
    if n_points > most and rule.ties == "grouped":
        number = (number - has_hits) * most // n_points
    else:
        number = 2 * number - has_hits
    of_ranking = np.repeat(np.arange(n_rankings), np.diff(ranked.offsets))
    # A ranking ends with samples below all its positives, which aren't those above the next ones.
    n_numbers = int(number[-1]) + 1
    number = number + n_numbers * of_ranking
    is_new = np.append(True, number[1:] != number[:-1])
    offsets = np.searchsorted(number[is_new], n_numbers * np.arange(n_rankings + 1))
    return np.repeat(np.cumsum(is_new) - 1, ranked.counts), offsets
