"""What is timed, against whom, and what was set out to be reached."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import sklearn_ap as ap

from . import data, others

Call = Callable[[], float]


@dataclass(frozen=True)
class Goal:
    """How often our time shall go into another's; with `at_most`, the share that it may take."""

    against: str
    floor: float
    aim: float
    at_most: bool = False


@dataclass(frozen=True)
class Race:
    name: str
    ours: Call
    others: dict[str, Call | None]  # they must give our value; None: not installed
    yardsticks: dict[str, Call] = field(default_factory=dict)  # something else to measure by
    goals: tuple[Goal, ...] = ()


def faster(floor, aim, *against):
    return tuple(Goal(other, floor, aim) for other in against)


def at_most(against, floor, aim):
    return Goal(against, floor, aim, at_most=True)


def step(n_samples, share, goals):
    y_true, y_score = data.ranking(n_samples, share)
    return Race(
        f"AP, {n_samples:,} samples, {share:.0%} positives",
        lambda: ap.average_precision_score(y_true, y_score),
        {
            "scikit-learn": others.scikit_learn(y_true, y_score),
            "torchmetrics": others.torchmetrics_binary(y_true, y_score),
            "torcheval": others.torcheval_binary(y_true, y_score),
        },
        {"np.sort": lambda: np.sort(y_score)},
        goals,
    )


def weighted(n_samples, share):
    y_true, y_score = data.ranking(n_samples, share)
    weight = data.rng(3).random(n_samples)
    return Race(
        f"AP with weights, {n_samples:,} samples, {share:.0%} positives",
        lambda: ap.average_precision_score(y_true, y_score, sample_weight=weight),
        {"scikit-learn": others.scikit_learn(y_true, y_score, sample_weight=weight)},
        goals=faster(3, 6, "scikit-learn"),
    )


def definition(title, score, n_samples, share, goal, **options):
    y_true, y_score = data.ranking(n_samples, share)
    return Race(
        f"{title}, {n_samples:,} samples, {share:.0%} positives",
        lambda: score(y_true, y_score, **options),
        {},
        {"our step AP": lambda: ap.average_precision_score(y_true, y_score)},
        (at_most("our step AP", *goal),),
    )


def expected_ties(n_samples, share):
    y_true, y_score = data.ranking(n_samples, share)
    tied = data.rng(4).random(n_samples) < 0.5
    y_score[tied] = y_score[tied].round(2)
    return Race(
        f"AP, ties expected, half of {n_samples:,} tied, {share:.0%} positives",
        lambda: ap.average_precision_score(y_true, y_score, ties="expected"),
        {},
        {"our step AP": lambda: ap.average_precision_score(y_true, y_score)},
        (at_most("our step AP", 2, 1.3),),
    )


def multilabel(n_samples, n_classes, average, goals):
    y_true, y_score = data.cells(n_samples, n_classes)
    peers = {"scikit-learn": others.scikit_learn(y_true, y_score, average=average)}
    if average == "macro":
        peers["torchmetrics"] = others.torchmetrics_multilabel(y_true, y_score)
        peers["torcheval"] = others.torcheval_multilabel(y_true, y_score)
    return Race(
        f"multilabel AP, {average}, {n_samples:,} x {n_classes}",
        lambda: ap.average_precision_score(y_true, y_score, average=average, zero_division=0.0),
        peers,
        goals=goals,
    )


def multiclass(n_samples, n_classes):
    y_true, y_score = data.classes(n_samples, n_classes)
    return Race(
        f"multiclass AP, macro, {n_samples:,} x {n_classes}",
        lambda: ap.average_precision_score(y_true, y_score),
        {
            "scikit-learn": others.scikit_learn(y_true, y_score),
            "torchmetrics": others.torchmetrics_multiclass(y_true, y_score),
            "torcheval": others.torcheval_multiclass(y_true, y_score),
        },
        goals=faster(5, 10, "scikit-learn"),
    )


def groups(n_groups, size):
    y_true, y_score, group = data.queries(n_groups, size)
    return Race(
        f"MAP, {n_groups:,} shuffled groups of {size}",
        lambda: ap.mean_average_precision_score(y_true, y_score, groups=group, zero_division=0.0),
        {
            "ranx": others.ranx_map(y_true, y_score, group),
            "pytrec_eval": others.pytrec_eval_map(y_true, y_score, group),
            "torchmetrics": others.torchmetrics_map(y_true, y_score, group),
            "loop over scikit-learn": others.loop_over_scikit_learn(y_true, y_score, group),
        },
        goals=(
            *faster(3, 5, "ranx", "pytrec_eval"),
            *faster(50, 200, "loop over scikit-learn"),
        ),
    )


def races(scale: float) -> list[Callable[[], Race]]:
    """Everything there is to time. The data are made when a race is called, and gone after it."""

    def size(n_samples):
        return max(round(n_samples * scale), 100)

    small, rare = faster(5, 10, "scikit-learn"), faster(15, 30, "scikit-learn")
    rare += (at_most("np.sort", 2.5, 1.5),)
    half = (*small, at_most("np.sort", 6, 3))
    million, sizes = size(10**6), [size(10**e) for e in (5, 6, 7)]
    interpolated = ap.interpolated_average_precision_score
    all_races = [
        *(lambda n=n, p=p: step(n, p, small) for n in (100, 1000) for p in (0.01, 0.5)),
        *(lambda n=n: step(n, 0.01, rare) for n in sizes),
        *(lambda n=n: step(n, 0.5, half) for n in sizes),
        *(lambda p=p: weighted(million, p) for p in (0.01, 0.5)),
    ]
    for p in (0.01, 0.5):
        all_races += [
            lambda p=p: definition("envelope AP", interpolated, million, p, (1.3, 1.1)),
            *(
                lambda p=p, n=n: definition(
                    f"{n}-point AP", interpolated, million, p, (1.3, 1.1), n_points=n
                )
                for n in (11, 101)
            ),
            lambda p=p: definition(
                "AP@10", ap.average_precision_at_k_score, million, p, (1, 0.25), k=10
            ),
            lambda p=p: expected_ties(million, p),
        ]
    return [
        *all_races,
        lambda: multilabel(size(10**4), 100, "macro", faster(5, 10, "scikit-learn")),
        lambda: multilabel(size(10**4), 100, "samples", faster(50, 200, "scikit-learn")),
        lambda: multiclass(size(10**4), 50),
        lambda: groups(size(10**4), 100),
        lambda: groups(size(10**5), 10),
    ]
