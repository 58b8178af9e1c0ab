"""What is timed, against whom, and what was set out to be reached."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import sklearn_ap as ap
from sklearn_ap.inference import compare, confidence_interval
from sklearn_ap.streaming import AveragePrecisionAccumulator

from . import data, others

Arrays = tuple[Any, ...]
STEP = ap.average_precision_score


@dataclass(frozen=True)
class Goal:
    """How often our time shall go into another's; with `at_most`, the share that it may take."""

    against: str
    floor: float
    aim: float
    at_most: bool = False


@dataclass(frozen=True)
class Race:
    """Sides that take the same arrays."""

    name: str
    make: Callable[[], Arrays]
    ours: Callable[..., float]
    others: dict[str, Callable[..., Callable[[], float]]] = field(default_factory=dict)
    probe: Arrays = ()  # few samples on which other definitions give other values
    yardsticks: dict[str, Callable[..., Any]] = field(default_factory=dict)
    goals: tuple[Goal, ...] = ()


# On these, step, envelope, N-point and linear differ, by a tenth and more; and so they do if ties
# are not grouped.
TIED = np.array([0, 1, 0, 1, 1, 0, 1]), np.array([0.9, 0.8, 0.7, 0.7, 0.5, 0.5, 0.3])
COLUMNS = np.column_stack([TIED[0], TIED[0][::-1]]), np.column_stack([TIED[1]] * 2)
CLASSES = (
    np.array([0, 1, 2, 1, 1, 0, 1]),
    np.array([[5, 2, 3], [4, 1, 5], [1, 8, 1], [4, 4, 2], [1, 4, 5], [2, 5, 3], [7, 2, 1]]) / 10,
)
# Not all tools group ties within queries, so there are none.
QUERIES = (
    np.array([0, 1, 0, 1, 1, 1, 0, 1, 1, 0]),
    np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.8, 0.7, 0.4, 0.3, 0.2]),
    np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]),
)

TEN = np.array([0, 1, 0, 1, 1, 0, 0, 1, 0, 0]), np.linspace(1, 0.1, 10)


def faster(floor, aim, *against):
    return tuple(Goal(other, floor, aim) for other in against)


def at_most(against, floor, aim):
    return (Goal(against, floor, aim, at_most=True),)


def percent(share):
    return f"{share:.0%} positives"


def step(n_samples, share, goals):
    return Race(
        f"AP, {n_samples:,} samples, {percent(share)}",
        partial(data.ranking, n_samples, share),
        STEP,
        {
            "scikit-learn": others.scikit_learn,
            "torchmetrics": others.torchmetrics_binary,
            "torcheval": others.torcheval_binary,
        },
        TIED,
        {"np.sort": lambda y_true, y_score: np.sort(y_score)},
        goals,
    )


def weighted(n_samples, share):
    def score(y_true, y_score, weight):
        return STEP(y_true, y_score, sample_weight=weight)

    return Race(
        f"AP with weights, {n_samples:,} samples, {percent(share)}",
        lambda: (*data.ranking(n_samples, share), data.rng(3).random(n_samples)),
        score,
        {"scikit-learn": others.scikit_learn},
        (*TIED, np.arange(1.0, 8.0)),
        goals=faster(3, 6, "scikit-learn"),
    )


def definition(title, score, n_samples, share, goal, **options):
    return Race(
        f"{title}, {n_samples:,} samples, {percent(share)}",
        partial(data.ranking, n_samples, share),
        partial(score, **options),
        yardsticks={"our step AP": STEP},
        goals=at_most("our step AP", *goal),
    )


def expected_ties(n_samples, share):
    def make():
        y_true, y_score = data.ranking(n_samples, share)
        tied = data.rng(4).random(n_samples) < 0.5
        y_score[tied] = y_score[tied].round(2)
        return y_true, y_score

    return Race(
        f"AP, ties expected, half of {n_samples:,} tied, {percent(share)}",
        make,
        partial(STEP, ties="expected"),
        yardsticks={"our step AP": STEP},
        goals=at_most("our step AP", 2, 1.3),
    )


def multilabel(n_samples, n_classes, average, goals):
    tools = {"scikit-learn": partial(others.scikit_learn, average=average)}
    if average == "macro":
        tools["torchmetrics"] = others.torchmetrics_multilabel
        tools["torcheval"] = others.torcheval_multilabel
    return Race(
        f"multilabel AP, {average}, {n_samples:,} x {n_classes}",
        partial(data.cells, n_samples, n_classes),
        partial(STEP, average=average, zero_division=0.0),
        tools,
        COLUMNS,
        goals=goals,
    )


def multiclass(n_samples, n_classes):
    return Race(
        f"multiclass AP, macro, {n_samples:,} x {n_classes}",
        partial(data.classes, n_samples, n_classes),
        STEP,
        {
            "scikit-learn": others.scikit_learn,
            "torchmetrics": others.torchmetrics_multiclass,
            "torcheval": others.torcheval_multiclass,
        },
        CLASSES,
        goals=faster(5, 10, "scikit-learn"),
    )


def groups(n_groups, size):
    def score(y_true, y_score, group):
        return ap.mean_average_precision_score(y_true, y_score, groups=group, zero_division=0.0)

    return Race(
        f"MAP, {n_groups:,} shuffled groups of {size}",
        partial(data.queries, n_groups, size),
        score,
        {
            "ranx": others.ranx_map,
            "pytrec_eval": others.pytrec_eval_map,
            "torchmetrics": others.torchmetrics_map,
            "loop over scikit-learn": others.loop_over_scikit_learn,
        },
        QUERIES,
        goals=(
            *faster(3, 5, "ranx", "pytrec_eval"),
            *faster(50, 200, "loop over scikit-learn"),
        ),
    )


def intervals(n_samples, resamples, goals=()):
    """The standard error, against so many of the 1999 resamples that SciPy takes by default."""
    return Race(
        f"interval around AP, {n_samples:,} samples, {percent(0.01)}",
        partial(data.ranking, n_samples, 0.01),
        lambda y_true, y_score: confidence_interval(y_true, y_score).standard_error,
        yardsticks={
            "our step AP": STEP,
            f"{resamples} resamples of SciPy around scikit-learn": partial(
                others.scipy_bootstrap, n_resamples=resamples
            ),
        },
        goals=goals,
    )


def bootstraps(n_samples, resamples):
    def score(y_true, y_score):
        given = {"method": "bootstrap", "n_resamples": resamples, "random_state": 0}
        return confidence_interval(y_true, y_score, **given).standard_error

    return Race(
        f"bootstrap of AP, {resamples} resamples, {n_samples:,} samples, {percent(0.5)}",
        partial(data.ranking, n_samples, 0.5),
        score,
        yardsticks={
            "SciPy around scikit-learn": partial(others.scipy_bootstrap, n_resamples=resamples)
        },
    )


def comparison(n_samples, goals):
    def make():
        y_true, y_score = data.ranking(n_samples, 0.01)
        return y_true, y_score, data.probabilities(y_true, seed=5)

    return Race(
        f"comparison of two models, {n_samples:,} samples, {percent(0.01)}",
        make,
        lambda y_true, a, b: compare(y_true, a, b).standard_error,
        yardsticks={"our step AP": lambda y_true, a, b: STEP(y_true, a)},
        goals=goals,
    )


def stream(n_samples, share):
    """Ten chunks, one after the other; scikit-learn gets them in one piece."""

    def score(y_true, y_score):
        whole = AveragePrecisionAccumulator()
        for labels, scores in zip(np.split(y_true, 10), np.split(y_score, 10), strict=True):
            whole.update(labels, scores)
        return whole.result()

    return Race(
        f"AP of a stream, {n_samples:,} samples in 10 chunks, {percent(share)}",
        partial(data.ranking, n_samples, share),
        score,
        {"scikit-learn": others.scikit_learn},
        TEN,
    )


def dask(n_samples, share):
    import sklearn_ap.dask

    return Race(
        f"AP in Dask, {n_samples:,} samples in 10 chunks, {percent(share)}",
        lambda: others.to_dask(*data.ranking(n_samples, share)),
        sklearn_ap.dask.average_precision_score,
        {
            "scikit-learn, gathered": others.scikit_learn_gathered,
            "sort in Dask": others.sort_in_dask,
        },
        others.to_dask(*TEN),
    )


def races(scale: float = 1.0) -> list[Race]:
    """Everything there is to time; with a scale below 1 on fewer samples, to see that it runs."""

    def size(n_samples):
        return max(round(n_samples * scale), 100)

    small, rare = faster(5, 10, "scikit-learn"), faster(15, 30, "scikit-learn")
    rare += at_most("np.sort", 2.5, 1.5)
    half = (*small, *at_most("np.sort", 6, 3))
    million = size(10**6)
    interpolated, at_k = ap.interpolated_average_precision_score, ap.average_precision_at_k_score
    shares = (0.01, 0.5)
    chunked = [stream(size(10**7), p) for p in shares]
    if others.is_installed("sort in Dask"):
        chunked += [dask(size(10**7), p) for p in shares]
    return [
        *(step(n, p, small) for n in (100, 1000) for p in shares),
        *(step(size(10**e), 0.01, rare) for e in (5, 6, 7)),
        *(step(size(10**e), 0.5, half) for e in (5, 6, 7)),
        *(weighted(million, p) for p in shares),
        *(definition("envelope AP", interpolated, million, p, (1.3, 1.1)) for p in shares),
        *(
            definition(f"{n}-point AP", interpolated, million, p, (1.3, 1.1), n_points=n)
            for n in (11, 101)
            for p in shares
        ),
        *(definition("AP@10", at_k, million, p, (1, 0.25), k=10) for p in shares),
        *(expected_ties(million, p) for p in shares),
        multilabel(size(10**4), 100, "macro", faster(5, 10, "scikit-learn")),
        multilabel(size(10**4), 100, "samples", faster(50, 200, "scikit-learn")),
        multiclass(size(10**4), 50),
        groups(size(10**4), 100),
        groups(size(10**5), 10),
        intervals(size(1000), 199),
        intervals(size(10**4), 199),
        intervals(million, 10, at_most("our step AP", 2, 1.2)),
        bootstraps(size(10**4), 199),
        comparison(million, at_most("our step AP", 25, 10)),
        *chunked,
    ]
