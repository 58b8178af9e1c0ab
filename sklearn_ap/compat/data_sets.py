"""A data set, the ways in which tools and people rank it, and what may be computed from it."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import combinations
from math import comb, prod
from numbers import Integral
from typing import Any, Self, TypeVar

import numpy as np

from .._evaluate.metric_values import fill_with_zero
from .._inputs.records import Inputs
from .._read.group_names import read_names
from .._read.validation import read_rankings, warn_of_predicted, warn_of_single_row_groups
from .._words.messages import warn_of_weighed_k
from .._words.refusals import attribute_errors
from ..core.cutoff import ALL_MASS_CUT, Cut, count_above, select_reached
from ..core.operating_points import OperatingPoints
from ..core.ragged import Array, sum_rankings
from ..core.rankings import Rankings
from ..core.rules import NDCG, Rule, Step
from ..core.ties import break_ties
from . import tie_orders, variant_rules
from .mistakes import MISTAKES_WITH_ROWS, Mistake
from .readings import AnyReading, Batches, Reading, ThresholdBins, apply_reading
from .tie_orders import Order
from .variant_rules import find_label_threshold

T = TypeVar("T")

_MAX_AVERAGED_PRECISIONS = 100  # nobody reports a mean of more precisions than this
MAX_ENUMERATED_ORDERS = 10_000
_ROW_CUT = Cut(1, "samples")  # for which points have the numbers of rows, whatever its k is
_MAX_ENUMERATED_ROWS = 200_000  # in all orders; more take a rule longer than a tenth of a second


def _keep_results(method: Callable[..., T]) -> cached_property[Callable[..., T]]:
    """Make a method of a sample keep what it returns for the same arguments.

    Call it with positional arguments, and don't change what it returns, which all callers share.
    """
    return cached_property(lambda data_set: cache(partial(method, data_set)))


@dataclass
class DataSet:
    """A data set, with everything that was computed from it kept for reuse."""

    rankings: Rankings
    every_row: Rankings | None  # without weights, if there are any; and without `n_positives`
    ids: Array | None = None  # the places of all rows in the order of their ids, if they have any
    of_grades: Rankings | None = None  # with the grades of all rows, if the labels are grades

    @classmethod
    def from_inputs(cls, inputs: Inputs, cut: Cut | None = None) -> Self:
        """Check the input, and warn about undefined values and about k as the metrics do."""
        rankings = read_rankings(inputs)
        if rankings.labels.ndim == 2:
            with attribute_errors("y_true"):
                raise ValueError(
                    "y_true must be binary. Pass one column of y_true with its column of y_score. "
                    "With groups, each group is a ranking."
                )
        every_row = None
        if rankings.weight is not None:
            every_row = read_rankings(inputs._replace(sample_weight=None, n_positives=None))
        ids = inputs.besides.get("ids")
        places = None if ids is None else _read_ids(ids, every_row or rankings)
        warn_of_predicted(rankings, inputs)
        of_grades = None
        if inputs.min_grade is not None:
            plain = inputs._replace(min_grade=None, n_positives=None, sample_weight=None)
            of_grades = read_rankings(plain, NDCG())
        data_set = cls(rankings, every_row, places, of_grades)
        fill_with_zero(Step().values(data_set.points()), rankings.averaging)  # for its warning
        warn_of_weighed_k(cut, rankings.averaging.sample_weight)
        warn_of_single_row_groups(cut, rankings)
        return data_set

    # --- properties ------------------------------------------------------------------------------

    @cached_property
    def is_weighted(self) -> bool:
        return self.rankings.weight is not None

    @cached_property
    def is_grouped(self) -> bool:
        return self.rankings.group is not None

    @cached_property
    def has_only_positive_weights(self) -> bool:
        """Whether no row has weight 0."""
        return self.every_row is None or self.every_row.scores.size == self.rankings.scores.size

    @cached_property
    def has_unretrieved(self) -> bool:
        """Whether there are groups without rows."""
        return not self.n_rows.all()

    @cached_property
    def misses_positives(self) -> bool:
        """Whether positives exist that were not scored."""
        exist = self.rankings.n_positives
        return exist is not None and bool((exist > self.rankings.positive_mass).any())

    @cached_property
    def distinct_scores(self) -> int:
        return np.unique(self.rankings.scores).size

    @cached_property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes that could change a value on this data."""
        return tuple(each for each in MISTAKES_WITH_ROWS if each.can_matter(self))

    @cached_property
    def are_probabilities(self) -> bool:
        scores = self.rankings.scores
        return bool(((scores >= 0) & (scores <= 1)).all())

    @cached_property
    def has_both_columns(self) -> bool:
        """Whether the scores may be the second of two columns of `predict_proba`."""
        is_plain = self.rankings.group is None and self.rankings.n_positives is None
        return is_plain and self.are_probabilities and self.distinct_scores > 2

    @cached_property
    def has_plain_rows(self) -> bool:
        """Whether the rows are all that is known."""
        is_alone = not self.is_grouped and not self.is_weighted
        return is_alone and self.rankings.n_positives is None

    @cached_property
    def has_plain_groups(self) -> bool:
        """Whether groups may be the rows of another ranking."""
        return self.is_grouped and not self.is_weighted and self.rankings.n_positives is None

    @cached_property
    def graded(self) -> Rankings | None:
        """The rankings with the grades of all rows; None if these aren't known."""
        if self.is_weighted or self.rankings.n_positives is not None:
            return None
        if self.of_grades is not None:
            return self.of_grades
        return replace(self.rankings, y_true=self.rankings.labels.astype(float))

    @cached_property
    def n_rows(self) -> Array:
        """The number of samples in each ranking."""
        n_groups = 1 if self.rankings.names is None else len(self.rankings.names)
        return np.bincount(self.rankings.group_of_rows, minlength=n_groups)

    def count_rows(self, cut: Cut) -> int | None:
        """Return k for a tool that counts rows; None if there is no single such number."""
        if not cut.is_share:
            return int(cut.k)
        rows = np.unique(cut.compute_k(self.n_rows[self.n_rows > 0]))
        is_of_rows = cut.counts_rows or not self.is_weighted
        return int(rows[0]) if rows.size == 1 and is_of_rows else None

    def make_mean_of_precisions(self, cut: Cut) -> variant_rules.MeanOfPrecisions | None:
        """Return that rule for the top k, unless nobody would report so long a mean."""
        rows = self.count_rows(cut)
        if not rows or rows > _MAX_AVERAGED_PRECISIONS:
            return None
        return variant_rules.MeanOfPrecisions(rows)

    # --- operating points ------------------------------------------------------------------------

    @_keep_results
    def points(self, counts_rows: bool = False) -> OperatingPoints:
        """Return the points, on request with the numbers of rows beside their weights."""
        has_other_counts = counts_rows and self.is_weighted
        cut = _ROW_CUT if has_other_counts else ALL_MASS_CUT
        return self.rankings.points(cut)

    @cached_property
    def _every_point(self) -> OperatingPoints:
        """All points, also those without positives."""
        return _weigh_rows(self.rankings).points(_ROW_CUT)

    @_keep_results
    def select_first_points(self, cut: Cut | None, ties: str) -> OperatingPoints:
        """Return the points that the top k samples reach, or without a cutoff all points.

        Ties are "grouped", or ranked with their positives first, "best", or last, "worst".
        """
        if ties != "grouped":
            return break_ties(self.select_first_points(cut, "grouped"), ties)
        if cut is None:
            return self.points()
        return select_reached(self.points(cut.counts_rows), cut)

    @cached_property
    def has_empty(self) -> bool:
        """Whether some ranking has no positives."""
        return not self.points().n_positives.all()

    @cached_property
    def has_negatives(self) -> bool:
        """Whether every ranking has negatives."""
        points = self.points()
        return bool((points.n_samples > sum_rankings(points.positives, points.offsets)).all())

    @_keep_results
    def has_ties(self, cut: Cut | None = None) -> bool:
        """Whether tied samples include positives, among those that the top k reach.

        If k counts weights, this is about all samples, because points that it reaches have no rows.
        """
        if cut is None or (self.is_weighted and not cut.counts_rows):
            points = self.points(True)
        elif self.has_ties():
            points = self.select_first_points(cut, "grouped")
        else:
            return False
        has_ties_with_positives = (_count_rows_at_points(points) > 1) & (points.positives > 0)
        return bool(has_ties_with_positives.any())

    @_keep_results
    def has_split_tie(self, cut: Cut) -> bool:
        """Whether k, in rows, splits tied samples that include positives."""
        if not self.has_ties(cut):
            return False
        points = self.select_first_points(cut, "grouped")
        above, k = count_above(points, cut)
        # As these points begin within the top k
        is_split = above + _count_rows_at_points(points) > k
        return bool((is_split & (points.positives > 0)).any())

    # --- how scores are read ---------------------------------------------------------------------

    @_keep_results
    def as_read(self, reading: AnyReading) -> Self:
        """Return the data set with its scores as a tool reads them."""
        if reading is Reading.EXACT:
            return self
        every_row = self.every_row and apply_reading(self.every_row, reading)
        rankings = apply_reading(self.rankings, reading)
        return replace(self, rankings=rankings, every_row=every_row)

    @_keep_results
    def is_read_alike(self, mistake: Mistake, reading: AnyReading) -> bool:
        """Whether the scores, as they are read, rank the samples like the exact scores."""
        exact = self.rank_by(mistake).points()
        read = self.as_read(reading).rank_by(mistake).points()
        has_same_positives = np.array_equal(exact.positives, read.positives)
        if isinstance(reading, Batches):
            return exact.n_positives.size == read.n_positives.size and not reading.drops_last
        return has_same_positives and np.array_equal(exact.total, read.total)

    @_keep_results
    def can_read(self, mistake: Mistake, reading: AnyReading) -> bool:
        """Whether it is known how these scores are read."""
        rankings = self.rank_by(mistake).rankings
        if isinstance(reading, ThresholdBins):
            return self.are_probabilities and reading.is_clear(rankings.scores)
        is_alone = rankings.group is None and rankings.weight is None
        return reading is not Reading.CLOSE_TIED or is_alone or self.is_read_alike(mistake, reading)

    # --- the order of ties -----------------------------------------------------------------------

    def order_ties(self, rule: Rule, order: Order) -> tuple[Rule, OperatingPoints]:
        """Return the rule and the points that give the value of an order.

        If the order is open, these are the points of the order that is assumed.
        """
        if isinstance(rule, variant_rules.StepOfFirst):
            return Step(), self._select_first_rows(rule.k)
        if isinstance(rule, variant_rules.RowNumbersAsRanks):
            return rule, self._number_rows()
        every = isinstance(rule, tie_orders.RULES_OF_EVERY_POINT)
        if order in tie_orders.ROW_ORDERS:
            of_rows = tie_orders.ASSUMED.get(order, order)
            return rule, self._make_row_points(of_rows, rule.cut, every)
        if every:
            return rule, self._every_point
        ties = order.name.lower()  # "grouped", "expected", "best" or "worst"
        if ties != "grouped" and tie_orders.knows_orders(rule):
            # The rule knows it by itself, from the points of tied samples.
            rule, ties = replace(rule, ties=ties), "grouped"  # type: ignore[type-var]
        return rule, self.select_first_points(rule.cut, ties)

    def order_grades(self, order: Order) -> Rankings:
        """Return the rankings with the grades of all rows, and with scores in this order of ties.

        Grouped ties get their mean discount, which is the mean over all orders, too.
        """
        graded = self.graded
        assert graded is not None
        if order in (Order.GROUPED, Order.EXPECTED):
            return graded
        if order in (Order.BEST, Order.WORST):
            _, grades, _, _ = graded.find_graded_rows()
            rising = np.lexsort((grades if order is Order.BEST else -grades, graded.scores))
            untied = np.empty(rising.size, dtype=np.int64)
            untied[rising] = np.arange(rising.size)
        else:
            untied = self._untie_scores(tie_orders.ASSUMED.get(order, order))
        return replace(graded, scores=untied)

    def order_points(self, order: Order, counts_rows: bool) -> OperatingPoints:
        """Return all points in an order. With weights, ties are one point in any."""
        return self.points(counts_rows) if self.is_weighted else self.order_ties(Step(), order)[1]

    @_keep_results
    def _make_row_points(self, order: Order, cut: Cut | None, every: bool) -> OperatingPoints:
        """Return one point per row, only those that the top k samples reach."""
        if cut is not None:
            return select_reached(self._make_row_points(order, None, every), cut)
        ranked = replace(self.rankings, scores=self._untie_scores(order))
        return _weigh_rows(ranked).points(_ROW_CUT) if every else ranked.points(None)

    @cached_property
    def all_orders(self) -> OperatingPoints | None:
        """One point per row for each order of the tied samples, one order after the other.

        Orders in which the same ranks are positive are one. None if there are too many of them.
        """
        rankings = self.rankings
        tied = [*_find_tied_rows(rankings)]
        numbers = [comb(rows.size, np.count_nonzero(rankings.labels[rows])) for rows in tied]
        n_orders = prod(numbers)
        if n_orders > MAX_ENUMERATED_ORDERS or n_orders * rankings.n_rows > _MAX_ENUMERATED_ROWS:
            return None
        labels = np.tile(rankings.labels, (n_orders, 1))
        choices = np.unravel_index(np.arange(n_orders), numbers)
        for rows, chosen in zip(tied, choices, strict=True):
            labels[:, rows] = _list_arrangements(rankings.labels[rows])[chosen]

        n_rankings = 1 if rankings.names is None else len(rankings.names)
        group = n_rankings * np.arange(n_orders)[:, np.newaxis] + rankings.group_of_rows
        exist = rankings.n_positives
        of_all_orders = replace(
            rankings,
            labels=labels.ravel(),
            scores=np.tile(self._untie_scores(Order.BY_ROW), n_orders),
            group=group.ravel(),
            names=range(n_orders * n_rankings),
            n_positives=None if exist is None else np.tile(exist, n_orders),
            average="macro",
        )
        return of_all_orders.points(None)

    def _number_rows(self) -> OperatingPoints:
        """Return one point per row, with the row's number in its ranking in place of its rank."""
        points = self._make_row_points(Order.BY_ROW, None, True)
        group = self.rankings.group_of_rows
        number = np.empty(group.size, dtype=np.int64)
        by_group = np.argsort(group, kind="stable")
        number[by_group] = np.arange(1, group.size + 1) - np.searchsorted(
            group[by_group], group[by_group]
        )
        ranked = np.lexsort((-self._untie_scores(Order.BY_ROW), group))
        return points._replace(cum_total=number[ranked])

    def _select_first_rows(self, k: float) -> OperatingPoints:
        """Return the points of only the first k rows of each ranking."""
        group = self.rankings.group_of_rows
        order = np.lexsort((-self._untie_scores(Order.BY_ROW), group))
        group = group[order]
        rank = np.arange(order.size) - np.searchsorted(group, group)  # in its ranking, from 0
        k_of_group = Cut(k).compute_k(np.bincount(group))
        first = order[rank < k_of_group[group]]
        # No others count, so these rows contain all positives.
        return replace(self.rankings, n_positives=None).take(np.sort(first)).points(None)

    @_keep_results
    def _untie_scores(self, order: Order) -> Array:
        """Replace scores by the integers from 1 up, ranking tied rows by row or by the given ids.

        The highest integer ranks first, as the highest score does.
        """
        scores = self.rankings.scores
        # The rows, in the opposite of the order in which they would be ranked if all were tied
        if order is Order.BY_GIVEN_ID:
            assert self.ids is not None
            # Tools that rank by id take no weights, so they rank all rows.
            last_first = np.argsort(self.ids, kind="stable")
        elif order is Order.LAST_ROW_FIRST:
            last_first = np.arange(scores.size)
        else:
            last_first = np.arange(scores.size)[::-1]
        last_first = last_first[np.argsort(scores[last_first], kind="stable")]
        untied = np.empty(scores.size, dtype=np.int64)
        untied[last_first] = np.arange(1, scores.size + 1)
        return untied

    # --- rankings --------------------------------------------------------------------------------

    @_keep_results
    def rank_by(self, mistake: Mistake) -> Self:
        """Return the data set as somebody ranks it, without `n_positives` if that ignores them."""
        if mistake.rank is None:
            return self
        rankings = mistake.rank(self)
        if not mistake.knows_positives:
            rankings = replace(rankings, n_positives=None)
        return replace(self, rankings=rankings)

    @property
    def retrieved(self) -> Rankings:
        """The groups that have rows, which are numbered without gaps."""
        if not self.has_unretrieved:
            return self.rankings
        with_rows = np.flatnonzero(self.n_rows)
        group = np.searchsorted(with_rows, self.rankings.group_of_rows)
        n_positives = np.asarray(self.rankings.n_positives)[with_rows]
        return replace(self.rankings, group=group, names=with_rows, n_positives=n_positives)

    @cached_property
    def threshold(self) -> float:
        return find_label_threshold(self.rankings.scores)


def _weigh_rows(rankings: Rankings) -> Rankings:
    """Give rows without weights the weight 1, which keeps all points."""
    if rankings.weight is not None:
        return rankings
    return replace(rankings, weight=np.ones(rankings.scores.size, np.int64))


def _find_tied_rows(rankings: Rankings) -> Iterator[Array]:
    """Yield the rows of each group of tied samples that has positives and negatives."""
    scores = np.unique(rankings.scores, return_inverse=True)[1]
    group = rankings.group_of_rows
    order = np.lexsort((scores, group))
    scores, group = scores[order], group[order]
    begins = np.flatnonzero((scores[1:] != scores[:-1]) | (group[1:] != group[:-1])) + 1
    for rows in np.split(order, begins):
        if 0 < np.count_nonzero(rankings.labels[rows]) < rows.size:
            yield rows


def _list_arrangements(labels: Array) -> Array:
    """Return all different orders of labels, of shape (n_orders, n_labels)."""
    n_positives = int(np.count_nonzero(labels))
    places = np.array([*combinations(range(labels.size), n_positives)])
    arrangements = np.zeros((len(places), labels.size), dtype=bool)
    np.put_along_axis(arrangements, places, True, axis=1)
    return arrangements


def _count_rows_at_points(points: OperatingPoints) -> Array:
    """Return how many rows are at each point."""
    return points.total if points.rows is None else points.rows.at


def _read_ids(ids: Any, rankings: Rankings) -> Array:
    """Check that rows of a group have different ids. Return their places in the order of the ids.

    Ids are compared as text, character by character, so that "d10" is before "d9".
    """
    names = read_names(ids, "ids", rankings.labels.size, sorts=False).cells.tolist()
    for name in names:
        if not isinstance(name, str | Integral) or isinstance(name, bool):
            raise ValueError(
                f"ids must be strings or integers, but contains {name!r}. Pass the ids of the "
                "documents as they are written in the run."
            )
    texts = [str(name) for name in names]
    counts = Counter(zip(rankings.group_of_rows.tolist(), texts, strict=True))
    (_, name), count = counts.most_common(1)[0]
    if count > 1:
        where = "" if rankings.group is None else " in the same group"
        raise ValueError(
            f"ids contains {name!r} twice{where}, so the order of tied samples is not known. Pass "
            "one row for each document, and groups= if there are several queries."
        )
    return np.unique(np.array(texts, dtype=object), return_inverse=True)[1]
