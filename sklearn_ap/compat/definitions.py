"""List what tools and people compute as average precision or report in its place, also by mistake.

`DEFINITIONS`, `list_at_k` and the lists of mistakes are tables of `Definition`, which `explain`,
`identify`, `audit` and the pages read. Rules of metrics are in `_core.rules`; other definitions
have a function of formulas.py.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import nan
from numbers import Integral
from typing import Any

import numpy as np

from .._core import Array, Points, Rule, check, rules
from .._core.rules import DENOMINATORS, write_number
from ..exceptions import InvalidParameterError
from . import formulas
from .facts import find_reason
from .formulas import F1OfLabels, Formula, define


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
    def needs_threshold(self) -> bool:
        """Whether more than the order of the scores counts."""
        return isinstance(self.rule, F1OfLabels)


# --- definitions ----------------------------------------------------------------------------------

_ROC_AREA = "area under the ROC curve"
_LARGEST_CUTOFF = 2**53  # Larger ones have no digits of their own.
_TARGETS = (0.5, 0.8, 0.9, 0.95, 1.0)
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
    "linear after the first point": define(formulas.join_after_first),
    "lines between 101 points": define(formulas.join_levels, ends_at_last=True),
    "lines between 101 points, to (1, 0)": define(formulas.join_levels, ends_at_last=False),
    "101-point, levels in single precision": define(formulas.average_single_levels),
    "11-point, levels rounded up": define(formulas.average_rounded_levels, added=0.9),
    "11-point, levels rounded": define(formulas.average_rounded_levels, added=0.5),
    "AP@R": define(formulas.add_precisions_to_r),
}
_COMMON_METRICS: dict[str, Rule] = {
    _ROC_AREA: define(formulas.compute_roc_area),
    "R-precision": rules.RPrecision(),
    "reciprocal rank": rules.ReciprocalRank(),
    "nDCG": define(formulas.compute_ndcg, takes_weights=False),
}
_OTHER_METRICS: dict[str, Rule] = {
    "normalized Gini": define(lambda points: 2 * formulas.compute_roc_area(points) - 1),
    "best F1 of all thresholds": define(formulas.find_best_f1),
    "fraction of positives": define(formulas.compute_prevalence),
    "F1 of predicted labels": F1OfLabels(),
}
for _target in _TARGETS:
    _OTHER_METRICS[f"precision at recall {_target}"] = rules.PrecisionAtRecall(_target)
    _OTHER_METRICS[f"recall at precision {_target}"] = rules.RecallAtPrecision(_target)


def _describe(
    terms: Mapping[str, Rule], rarity: int, title: str = "{}", is_average_precision: bool = True
) -> Iterator[Definition]:
    for term, rule in terms.items():
        words = title.format(term)
        for denominator, meaning in DENOMINATORS.items():
            words = words.replace(f" / {denominator}", f" divided by {meaning}")
        differ = term in (_ROC_AREA, "normalized Gini") or isinstance(rule, F1OfLabels)
        without_positives = nan if differ else 0.0
        yield Definition(term, rule, rarity, words, is_average_precision, without_positives)


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
    metrics: dict[str, Rule] = {
        f"precision@{at}": rules.PrecisionAtK(k),
        f"recall@{at}": rules.RecallAtK(k),
        f"nDCG@{at}": define(formulas.compute_ndcg, k=k),
        f"reciprocal rank@{at}": rules.ReciprocalRank(k),
        f"hit rate@{at}": rules.HitRateAtK(k),
        f"enrichment factor@{at}": rules.EnrichmentFactor(k),
        f"recall@{at} / min": rules.RecallAtK(k, denominator="min"),
    }
    f1: dict[str, Rule] = {f"F1@{at}": define(formulas.compute_f1_of_top, k=k)}
    return _index(
        *_describe(areas, 1),
        *_describe(metrics, 1, is_average_precision=False),
        *_describe(f1, 2, is_average_precision=False),
    )


def find_definition(term: str, k: float | None) -> Definition | None:
    """Return the definition of a term with this k, or None if there is none."""
    known = DEFINITIONS if k is None else list_at_k(k)
    return known.get(term)


# --- mistakes in what is counted ------------------------------------------------------------------

_WRONG_GAINS: dict[str, dict[str, Any]] = {
    "ranks 1 and 2 without a discount": {"sum_up_to": formulas.sum_first_discounts},
    "without the ideal, so DCG": {"is_divided": False},
}


def list_mistakes_at_k(k: float | None) -> dict[str, Definition]:
    """Return what nobody means to compute of the top k, or of whole rankings."""
    known = DEFINITIONS if k is None else list_at_k(k)
    at = "" if k is None else f"@{write_number(k, 'k')}"
    # The term of a definition, the words that follow it, and what is computed instead
    mistakes: list[tuple[str, str, Callable[[Points], Array]]] = []
    if k is None:
        add_up = formulas.add_precisions
        mistakes += [
            ("step", "1/rank instead of precision", formulas.average_inverse_ranks),
            ("step", "not divided by R", add_up),
            ("step", "divided by all samples", lambda points: add_up(points) / points.mass),
        ]
        for n, grid in product((11, 101), ("exact", "float")):
            term = f"{n}-point" if grid == "exact" else f"{n}-point float"
            where_reached = partial(formulas.average_where_reached, n=n, grid=grid)
            mistakes.append((term, "without the maximum to the right", where_reached))
        for target in _TARGETS:
            term = f"precision at recall {target}"
            first = partial(formulas.find_first_precision, recall=target)
            mistakes.append((term, "at the first point that reaches it", first))
    if k is None or isinstance(k, Integral):
        for words, options in _WRONG_GAINS.items():
            gain = partial(formulas.compute_ndcg, k=k, **options)
            mistakes.append((f"nDCG{at}", words, gain))
    if isinstance(k, Integral):
        for term in (f"precision{at}", f"AP{at} / k"):
            fewer = partial(formulas.divide_by_fewer, rule=known[term].rule, k=k)
            mistakes.append((term, "divided by n if n < k", fewer))
    elif k is not None:  # a fraction that isn't rounded up
        for name in ("precision", "recall", "enrichment factor"):
            for words, round_size in (("k rounded down", np.floor), ("k rounded", np.rint)):
                count = partial(
                    formulas.count_in_rounded_top, name=name, k=k, round_size=round_size
                )
                mistakes.append((f"{name}{at}", words, count))
    return _index(
        *(
            replace(
                known[term],
                rule=Formula(function, k, known[term].rule.takes_weights and k is None),
                # Who discounts otherwise may well mean to.
                rarity=2 if term.startswith("nDCG") else 3,
                mistake=words,
            )
            for term, words, function in mistakes
        )
    )


MISTAKES = list_mistakes_at_k(None)
