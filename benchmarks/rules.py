"""What does each rule of our own buy? Results with all rules, and without one of them.

python -m benchmarks.rules              # some minutes; docs/method.md has the results
python -m benchmarks.rules --sets 1000

Each row has a rule and a population: how often results are wrong without the rule and with it, and
the mean width of intervals without and with it.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import sklearn_ap as ap
from sklearn_ap._uncertainty import unsampled

from . import law, worst


class Row(NamedTuple):
    rule: str
    name: str
    draw: Callable[..., Any]
    what: str  # what is counted: "missed", "alarms" or "no worse"
    truth: Callable[[], float] = lambda: 0.0
    metric: str = "AP"


def list_rows() -> Iterator[Row]:
    draw = partial(worst.rank_first, expected=0.7, share=0.5, size=400)
    truth = partial(law.value_of, partial(draw, n=law.LARGE))
    yield Row("K", "200 of 400, 0.7 negatives first", partial(draw, n=400), "missed", truth)
    draw = partial(worst.find_easily, expected=1.0, share=0.05, size=400)
    truth = partial(law.value_of, partial(draw, n=law.LARGE))
    yield Row("unit", "5% easy, 20 of 400", partial(draw, n=400), "missed", truth)
    large = partial(law.rows, n=law.LARGE, positives=0.02 * law.LARGE, apart=0.0)
    draw = partial(law.rows, n=500, positives=10, apart=0.0)
    yield Row("unit", "random, 10 of 500", draw, "missed", partial(law.value_of, large))
    draw = partial(law.failing_queries, rate=0.1)
    truth = partial(law.value_of, partial(draw, n_queries=20_000), "MAP")
    yield Row("group", "12 queries", partial(draw, n_queries=12), "missed", truth, "MAP")
    draw = partial(worst.separate, apart=3.5, share=0.1)
    truth = partial(law.value_of, partial(draw, n=law.LARGE), "11-point")
    yield Row("3.69", "100 of 1,000", partial(draw, n=1000), "missed", truth, "11-point")
    truth = partial(law.value_of, partial(law.bursts, n_clusters=100_000))
    draw = partial(law.bursts, n_clusters=300)
    yield Row("factor", "bursts", draw, "missed", truth)
    yield Row("factor", "bursts", draw, "alarms")
    draw = partial(law.weighted, n=500, positives=50, weight=50.0, rate=0.1)
    yield Row("e", "a tenth weighs 50", draw, "alarms")
    large = partial(law.rows, n=law.LARGE, positives=0.1 * law.LARGE)
    draw = partial(law.folds, n=300, positives=30, apart=1.5)
    yield Row("bias", "ten folds of 3", draw, "missed", partial(law.value_of, large), "MAP")
    yield Row("rare", "ten classes of 1", partial(law.classes, positives=1, n=100), "alarms")
    draw = partial(worst.rank_first, expected=1.5, share=0.1, size=500)
    truth = partial(law.difference_of, partial(draw, n=law.LARGE))
    yield Row("3.69", "1.5 negatives first", partial(draw, n=500), "no worse", truth)


def weigh_usual(find_negatives, sampled, derivatives):
    usual = unsampled.compute_usual_weight(sampled, label=False)
    return replace(find_negatives(sampled, derivatives), weight=usual)


def leave_unit_out(widen, variation, *ends_and_level):
    """Let one more unit, or one more group, have the value of all others."""
    v, unseen = variation.value, variation.unseen
    limits = variation.limits[0], v
    unseen = None if unseen is None else (v, v)
    return widen(replace(variation, limits=limits, unseen=unseen), *ends_and_level)


WITHOUT = {
    "K": (unsampled.Variation, "compute_cost", lambda variation, *_, **__: 0.0),
    "unit": (unsampled, "widen", partial(leave_unit_out, unsampled.widen)),
    "group": (unsampled, "widen", partial(leave_unit_out, unsampled.widen)),
    "3.69": (unsampled, "count_unsampled_negatives", lambda level: 1.0),
    "factor": (unsampled, "find_negatives", partial(weigh_usual, unsampled.find_negatives)),
    "e": (unsampled, "compute_extra_weight", lambda sampled, _: np.zeros(sampled.n_rankings)),
    "bias": (unsampled, "compute_bias", lambda sampled: 0.0),
    "rare": (unsampled, "list_rare_parts", lambda sampled: np.zeros(0)),
}


@contextmanager
def leave_out(rule: str) -> Iterator[None]:
    place, name, instead = WITHOUT[rule]
    usual = getattr(place, name)
    setattr(place, name, instead)
    yield
    setattr(place, name, usual)


def judge(row: Row, number: int) -> tuple[bool, float]:
    """Return whether a result is wrong, and how wide the interval is."""
    y, (first, second), options = row.draw(np.random.default_rng([number, 11]))
    if row.what == "missed":
        found = ap.confidence_interval(y, first, metric=row.metric, **options)
        return not found.low <= row.truth() <= found.high, found.high - found.low
    margin = -row.truth() if row.what == "no worse" else None
    found = ap.compare(y, first, second, metric=row.metric, margin=margin, **options)
    if row.what == "no worse":
        return found.verdict in ("no worse", "equivalent", "better"), found.least_margin
    return found.pvalue < 0.05, found.high - found.low


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=200, help="data sets of each population")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for row in list_rows():
        row.truth()
        results = [judge(row, number) for number in range(arguments.sets)]
        with leave_out(row.rule):
            others = [judge(row, number) for number in range(arguments.sets)]
        (wrong, width), (wrong_without, width_without) = np.mean(results, 0), np.mean(others, 0)
        print(
            f"{row.rule} | {row.name} | {row.what} | without {wrong_without:.3f} | "
            f"with {wrong:.3f} | {width:.3f} for {width_without:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
