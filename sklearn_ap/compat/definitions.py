"""List what tools and people compute as average precision or report in its place, also by mistake.

`DEFINITIONS`, `list_at_k` and the lists of mistakes are tables of `Definition`, which `explain`,
`identify`, `audit` and the pages read. Rules of metrics are in `_core.rules`; other definitions
have a function of formulas.py.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import nan
from numbers import Integral

import numpy as np

from .._core import Array, Points, Rule, check, rules
from .._core.rules import DENOMINATORS, write_number
from ..exceptions import InvalidParameterError
from . import formulas
from .facts import find_reason
from .formulas import Formula, LabelMetric, define


@dataclass(frozen=True)
class Definition:
    """What a tool or a person computes of a ranking, and how common that is."""

    term: str  # the name in peers.toml, with a number for k
    rule: Rule
    rarity: int  # 0 for what is reported most, 3 for what nobody means to report
    title: str  # the term in a sentence
    is_average_precision: bool = True
    without_positives: float = 0.0  # what most implementations return; nan if they differ
    mistake: str = ""  # what the rule does wrong

    @property
    def name(self) -> str:
        return f"{self.term}, {self.mistake}" if self.mistake else self.term

    @property
    def name_of_any_k(self) -> str:
        """The name with "@k" for a cutoff, as in peers.toml."""
        k = self.rule.k
        return self.name if k is None else self.name.replace(f"@{write_number(k, 'k')}", "@k")

    @property
    def why(self) -> str:
        """The reason why it isn't step average precision, as peers.toml gives it."""
        return find_reason("definitions", self.name_of_any_k)

    @property
    def has_two_values(self) -> bool:
        return self.term.startswith("hit rate")

    @property
    def needs_threshold(self) -> bool:
        """Whether more than the order of the scores counts."""
        return isinstance(self.rule, LabelMetric)


# --- definitions ----------------------------------------------------------------------------------

_ROC_AREA = "area under the ROC curve"
_LARGEST_CUTOFF = 2**53  # Larger ones have no digits of their own.
_TARGETS = (0.5, 0.8, 0.9, 0.95)
_define_with_misses = partial(define, needs_every_point=True)
_COMMON: dict[str, Rule] = {
    "linear": rules.Linear(),
    "envelope": rules.Interpolated(),
    "11-point": rules.Interpolated(11),
    "11-point float": rules.Interpolated(11, "float"),
    "101-point": rules.Interpolated(101),
    "101-point float": rules.Interpolated(101, "float"),
    "curved": define(formulas.interpolate_counts),
}
_OF_SOME_TOOLS: dict[str, Rule] = {
    "step, ties expected": define(rules.Step("expected").values, takes_weights=False),
    "calibrated AP": define(formulas.average_precisions, precision=formulas.count_in_balance),
    "linear, points sorted by recall": _define_with_misses(formulas.join_recalls, to_lowest=True),
    "linear, between the highest points": _define_with_misses(
        formulas.join_recalls, to_lowest=False
    ),
    "linear, Davis and Goadrich": define(formulas.add_point_for_each_positive, takes_weights=False),
    "linear after the first point": define(formulas.skip_first, height=formulas.find_middle),
    "lines between 101 points": _define_with_misses(formulas.join_levels, ends_at_last=True),
    "lines between 101 points, to (1, 0)": _define_with_misses(
        formulas.join_levels, ends_at_last=False
    ),
    "101-point, levels in single precision": define(formulas.average_single_levels),
    "R40, recalls 1/40 to 1": define(formulas.average_levels, parts=40, first=1),
    "11-point, levels rounded up": define(formulas.average_rounded_levels, added=0.9),
    "11-point, levels rounded": define(formulas.average_rounded_levels, added=0.5),
    "AP@R": define(formulas.add_precisions_to_r),
    "mean of all precisions": _define_with_misses(formulas.average_all_precisions),
    "11-point, with (0, 1)": define(formulas.average_levels_from_one, grid="exact"),
    "11-point float, with (0, 1)": define(formulas.average_levels_from_one, grid="float"),
}
_COMMON_METRICS: dict[str, Rule] = {
    _ROC_AREA: define(formulas.compute_roc_area),
    "R-precision": rules.RPrecision(),
    "reciprocal rank": rules.ReciprocalRank(),
    "nDCG": define(formulas.discount_by, takes_weights=False),
}
_OTHER_METRICS: dict[str, Rule] = {
    "normalized Gini": define(lambda points: 2 * formulas.compute_roc_area(points) - 1),
    "mean of P@1 to P@R": define(
        partial(formulas.average_precisions_at_ranks, k=np.inf, up_to_r=True), takes_weights=False
    ),
    "best F1 of all thresholds": define(formulas.find_best_f1),
    "fraction of positives": define(formulas.compute_prevalence),
    "precision at recall 1.0": rules.PrecisionAtRecall(1.0),
}
for _target in _TARGETS:
    _OTHER_METRICS[f"precision at recall {_target}"] = rules.PrecisionAtRecall(_target)
    _OTHER_METRICS[f"recall at precision {_target}"] = rules.RecallAtPrecision(_target)
_OTHER_METRICS |= {
    "F1 of predicted labels": LabelMetric(lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn)),
    "accuracy of predicted labels": LabelMetric(
        lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn)
    ),
    "precision of predicted labels": LabelMetric(lambda tp, fp, fn, tn: tp / (tp + fp)),
    "recall of predicted labels": LabelMetric(lambda tp, fp, fn, tn: tp / (tp + fn)),
}


def _describe(
    terms: Mapping[str, Rule], rarity: int, title: str = "{}", is_average_precision: bool = True
) -> Iterator[Definition]:
    for term, rule in terms.items():
        words = title.format(term)
        for denominator, meaning in DENOMINATORS.items():
            words = words.replace(f" / {denominator}", f" divided by {meaning}")
        is_zero = term not in (_ROC_AREA, "normalized Gini") and not isinstance(rule, LabelMetric)
        undefined = 0.0 if is_zero else nan
        yield Definition(term, rule, rarity, words, is_average_precision, undefined)


def _index(*definitions: Definition) -> dict[str, Definition]:
    return {definition.name: definition for definition in definitions}


DEFINITIONS = _index(
    *_describe({"step": rules.Step()}, 0, "{} average precision"),
    *_describe(_COMMON, 1, "{} average precision"),
    *_describe(_COMMON_METRICS, 1, is_average_precision=False),
    *_describe(_OF_SOME_TOOLS, 2),
    *_describe(_OTHER_METRICS, 2, is_average_precision=False),
)


def list_at_k(k: float) -> dict[str, Definition]:
    """Return the definitions of the top k, by their terms with a number for k."""
    check(k=k)
    if k > _LARGEST_CUTOFF:
        raise InvalidParameterError(f"k must be at most 2**53. Got {k}.")
    at = write_number(k, "k")
    areas: dict[str, Rule] = {
        f"AP@{at} / {denominator}": rules.AveragePrecisionAtK(k, denominator=denominator)
        for denominator in DENOMINATORS
    }
    rare: dict[str, Rule] = {}
    if isinstance(k, Integral) and k > 1:
        first = f"AP@{at} / min, first positives wherever they rank"
        rare = {
            f"AP@{at} / relevant, top min(k, R)": define(formulas.add_precisions_to_r, k=k),
            first: _define_with_misses(formulas.average_first_precisions, k=k),
            f"mean of P@1 to P@{at}": define(formulas.average_precisions_at_ranks, k=k),
        }
    metrics: dict[str, Rule] = {
        f"precision@{at}": rules.PrecisionAtK(k),
        f"recall@{at}": rules.RecallAtK(k),
        f"nDCG@{at}": define(formulas.discount_by, k=k),
        f"reciprocal rank@{at}": rules.ReciprocalRank(k),
        f"hit rate@{at}": rules.HitRateAtK(k),
        f"enrichment factor@{at}": rules.EnrichmentFactor(k),
        f"recall@{at} / min": rules.RecallAtK(k, denominator="min"),
    }
    f1: dict[str, Rule] = {f"F1@{at}": define(formulas.compute_f1_of_top, k=k)}
    return _index(
        *_describe(areas, 1),
        *_describe(rare, 2),
        *_describe(metrics, 1, is_average_precision=False),
        *_describe(f1, 2, is_average_precision=False),
    )


def find_definition(term: str, k: float | None) -> Definition | None:
    """Return the definition of a term with this k, or None if there is none."""
    known = DEFINITIONS if k is None else list_at_k(k)
    return known.get(term)


# --- mistakes in what is counted ------------------------------------------------------------------

# The term of a definition, the words that follow it, and what is computed instead
Mistake = tuple[str, str, Callable[[Points], Array]]


_WITHOUT_MAXIMUM = "without the maximum to the right"


def _list_wrong_levels() -> Iterator[Mistake]:
    """Yield means at 10 or 100 levels, and with other heights or comparisons."""
    for parts in (10, 100):
        for grid, words in (("exact", ""), ("float", " float")):
            term = f"{parts + 1}-point{words}"
            levels = partial(formulas.average_levels, parts=parts, grid=grid)
            yield term, f"recalls 0 to {parts - 1}/{parts}", partial(levels, last=parts - 1)
            yield term, f"recalls 1/{parts} to 1", partial(levels, first=1)
            precision = formulas.get_precision
            yield term, _WITHOUT_MAXIMUM, partial(levels, height=precision)
        term = f"{parts + 1}-point"
        strict = partial(formulas.average_strict_levels, n=parts + 1)
        yield term, "recall > each level instead of >=", strict


_MISTAKES: list[Mistake] = [
    *(
        ("step", words, partial(formulas.average_precisions, precision=precision))
        for words, precision in (formulas.WRONG_PRECISIONS | formulas.OTHER_PRECISIONS).items()
    ),
    *(
        ("step", words, partial(formulas.average_precisions, divisor=divisor))
        for words, divisor in formulas.WRONG_DIVISORS.items()
    ),
    *(("envelope", words, function) for words, function in formulas.WRONG_ENVELOPES.items()),
    *_list_wrong_levels(),
    *(
        (
            f"precision at recall {target}",
            "at the first point that reaches it",
            partial(formulas.find_first_precision, recall=target),
        )
        for target in _TARGETS
    ),
    ("mean of all precisions", "divided by R", formulas.divide_all_precisions_by_r),
    *(("nDCG", words, function) for words, function in formulas.WRONG_GAINS.items()),
]
# These say something else of repeated rows than of weights.
_WITHOUT_WEIGHTS = *formulas.OTHER_PRECISIONS, "ranks 1 and 2 without a discount"


def _describe_mistakes(
    mistakes: Iterable[Mistake], known: Mapping[str, Definition]
) -> Iterator[Definition]:
    """Yield what nobody means to compute."""
    for term, words, function in mistakes:
        definition = known[term]
        takes_weights = definition.rule.takes_weights and definition.rule.k is None
        takes_weights = takes_weights and words not in _WITHOUT_WEIGHTS
        # Recall 0 is reached at the first sample, which may be a negative.
        needs_every_point = definition.rule.needs_every_point or words == _WITHOUT_MAXIMUM
        formula = Formula(function, definition.rule.k, takes_weights, needs_every_point)
        # Who discounts otherwise may well mean to.
        rarity = 2 if term.startswith("nDCG") else 3
        yield replace(definition, rule=formula, rarity=rarity, mistake=words)


MISTAKES = _index(*_describe_mistakes(_MISTAKES, DEFINITIONS))


def list_mistakes_at_k(k: float) -> dict[str, Definition]:
    """Return what nobody means to compute of the top k."""
    of_k = _list_mistakes_at_count(k) if isinstance(k, int) else _list_mistakes_at_fraction(k)
    return _index(*_describe_mistakes(of_k, list_at_k(k)))


def _list_mistakes_at_count(k: int) -> Iterator[Mistake]:
    for denominator, (words, precision) in product(DENOMINATORS, formulas.WRONG_PRECISIONS.items()):
        average = partial(
            formulas.average_precisions_at_k, k=k, denominator=denominator, precision=precision
        )
        yield f"AP@{k} / {denominator}", words, average
    for words, function in formulas.WRONG_GAINS.items():
        yield f"nDCG@{k}", words, partial(function, k=k)
    yield f"nDCG@{k}", "with the ideal of the top k", partial(formulas.compute_ndcg_of_found, k=k)
    if k > 1:
        up_to_r = partial(formulas.average_precisions_at_ranks, k=k, up_to_r=True)
        yield f"mean of P@1 to P@{k}", "or to P@R if that is less", up_to_r
    count, add_up = rules.PrecisionAtK, partial(rules.AveragePrecisionAtK, denominator="k")
    top, area, divide = f"precision@{k}", f"AP@{k} / k", formulas.divide_sum
    yield top, "not divided by k", divide(count(k), lambda points: 1)
    for term, rule in ((top, count(k)), (area, add_up(k))):
        fewer = divide(rule, lambda points: np.minimum(points.mass, k))
        yield term, "divided by n if n < k", fewer
    for size in (k - 1, k + 1) if k > 1 else (2,):
        words = f"over {size} samples"
        of_all = divide(add_up(size), lambda points: np.minimum(points.n_positives, k))
        yield top, words, divide(count(size), lambda points: k)
        yield f"AP@{k} / min", words, of_all
        yield area, words, divide(add_up(size), lambda points: k)


def _list_mistakes_at_fraction(k: float) -> Iterator[Mistake]:
    """Yield what is counted if a fraction of samples isn't rounded up to whole ones."""
    at = write_number(k, "k")
    count = partial(formulas.count_in_rounded_top, k=k)
    for words, round_size in (("k rounded down", np.floor), ("k rounded", np.rint)):
        for name in ("precision", "recall", "enrichment factor"):
            yield f"{name}@{at}", words, partial(count, name=name, round_size=round_size)
    divide = rules.RecallAtK(k).values
    yield f"enrichment factor@{at}", "as recall / k", lambda points: divide(points) / k
