"""What is timed, against which tools, and with which goals: one entry per race."""

from functools import partial

import numpy as np
from sklearn.metrics import average_precision_score, precision_recall_curve

import sklearn_ap as ap

from . import data, others
from .sides import SIZES, Goal, Race, Side, calling

STEP = ap.average_precision_score
THEIRS = average_precision_score
SKLEARN, SORT = "scikit-learn", "np.sort"
ASKED = "With few rows, inspecting the container takes a noticeable part of the time."
CALLS = "With few rows, the time depends on how many NumPy calls there are, not on what they do."
NUMBERS = "NumPy arrays"  # the same labels and scores in the cheapest form
OUR_STEP, OUR_INTEGERS = "our step AP", "integer groups"
LOADED = "loading it with pandas"
LOOP, SCIPY = "1999 resamples in a loop around scikit-learn", "1999 of SciPy around scikit-learn"

# Here step, envelope, N-point and linear differ by a tenth or more, also if ties are not grouped.
TIED = np.array([0, 1, 0, 1, 1, 0, 1]), np.array([0.9, 0.8, 0.7, 0.7, 0.5, 0.5, 0.3])
WEIGHTED = *TIED, np.arange(1.0, 8.0)
COLUMNS = np.column_stack([TIED[0], TIED[0][::-1]]), np.column_stack([TIED[1]] * 2)
CLASSES = (
    np.array([0, 1, 2, 1, 1, 0, 1]),
    np.array([[5, 2, 3], [4, 1, 5], [1, 8, 1], [4, 4, 2], [1, 4, 5], [2, 5, 3], [7, 2, 1]]) / 10,
)
# There are no ties within queries, because not all tools group them.
QUERIES = (
    np.array([0, 1, 0, 1, 1, 1, 0, 1, 1, 0]),
    np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.8, 0.7, 0.4, 0.3, 0.2]),
    np.array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]),
)
A_STRING = {"pos_label": str(data.LABELS[1])}


def ranking(share):
    return partial(data.ranking, share=share)


def percent(share):
    return f"{share:.0%} positives"


def passed(work, take, *goals, share=0.01, sizes=SIZES, lead="", limit="", **options):
    """Pass labels and scores in a common form to both tools."""
    return Race(
        work,
        ranking(share),
        Side(calling(STEP, take, **options)),
        {
            SKLEARN: Side(calling(THEIRS, take, **options)),
            NUMBERS: Side(calling(STEP), value=None),
        },
        goals,
        TIED,
        sizes,
        lead,
        limit,
    )


def weights(share, lead=""):
    return Race(
        f"weights, {percent(share)}",
        partial(data.weighted, share=share),
        Side(calling(others.with_weights(STEP))),
        {SKLEARN: Side(calling(others.with_weights(THEIRS)))},
        (Goal(SKLEARN, 6, 8),),
        WEIGHTED,
        lead=lead,
        limit="Weights have to be gathered in the order of the scores, so sorting the scores is not"
        " enough.",
    )


def numbers(share, *goals, limit, lead=""):
    return Race(
        f"NumPy arrays, {percent(share)}",
        ranking(share),
        Side(calling(STEP)),
        {
            SORT: Side(calling(lambda y_true, y_score: np.sort(y_score)), value=None),
            SKLEARN: Side(calling(THEIRS), largest=10**7),
            "torchmetrics": Side(others.torchmetrics_binary, tolerance=1e-6, largest=10**6),
            "torcheval": Side(others.torcheval_binary, tolerance=1e-6, largest=10**6),
        },
        goals,
        TIED,
        tuple(10**e for e in range(2, 9)),
        lead=lead,
        limit=limit,
    )


def besides_step(work, score, make, *goals, sizes=(10**6,), limit="", **options):
    """Compare another definition with step on the same data."""
    return Race(
        work,
        make,
        Side(calling(score, **options)),
        {OUR_STEP: Side(calling(STEP), value=None)},
        goals,
        sizes=sizes,
        limit=limit,
    )


def n_points(n, share, sizes=(10**6,)):
    return besides_step(
        f"{n}-point, {percent(share)}",
        "interpolated_average_precision_score",
        ranking(share),
        Goal(OUR_STEP, 1.3, 1.1, since=10**6),
        sizes=sizes,
        n_points=n,
        limit="Recall levels are compared in integers, with a division for each positive.",
    )


def columns(average, against, *goals, n_classes=100, size=10**4, limit=""):
    return Race(
        f"{n_classes} labels per row, {average}",
        partial(data.cells, n_classes=n_classes),
        Side(calling(STEP, average=average, zero_division=0.0)),
        {SKLEARN: Side(calling(THEIRS, average=average))} | against,
        goals,
        COLUMNS,
        (size,),
        limit=limit,
    )


def classes(n_classes, sizes, *goals):
    return Race(
        f"{n_classes} classes",
        partial(data.classes, n_classes=n_classes),
        Side(calling(STEP)),
        {
            SKLEARN: Side(calling(THEIRS)),
            "torchmetrics": Side(others.torchmetrics_multiclass, tolerance=1e-6),
            "torcheval": Side(others.torcheval_multiclass, tolerance=1e-6),
        },
        goals,
        CLASSES,
        sizes,
    )


def mean_ap(y_true, y_score, group):
    return ap.mean_average_precision_score(y_true, y_score, groups=group, zero_division=0.0)


def groups(group_size, against, *goals, lead=""):
    return Race(
        f"MAP, shuffled groups of {group_size}",
        partial(data.queries, size=group_size),
        Side(calling(mean_ap)),
        {"ranx": Side(others.ranx_map), "pytrec_eval": Side(others.pytrec_eval_map)} | against,
        (
            Goal("ranx", 9, None, since=10**6),
            Goal("pytrec_eval", 9, None, since=10**6),
            *goals,
        ),
        QUERIES,
        lead=lead,
        lead_rival="pytrec_eval",
    )


def string_groups(work, take):
    return Race(
        f"MAP, groups of 100, {work}",
        partial(data.queries, size=100),
        Side(calling(mean_ap, take)),
        {OUR_INTEGERS: Side(calling(mean_ap), value=None)},
        (Goal(OUR_INTEGERS, 2, 1.3),),
        limit="Each string has to be looked at to tell the groups apart.",
    )


def of_clusters(y_true, y_score, cluster):
    return ap.inference.confidence_interval(y_true, y_score, clusters=cluster)


def reported(y_true, a, b):
    models = {"a": a, "b": b}
    return ap.report(y_true, models, metrics=["AP", "P@1%", "R@1%"], random_state=0)


def reported_in_groups(y_true, a, b):
    rows = np.arange(len(y_true))
    models, given = {"a": a, "b": b}, {"groups": rows % 4, "clusters": rows}
    return ap.report(y_true, models, metrics="P@1%", random_state=0, **given)


def of_rows(report):
    return [row.value for row in report.rows]


def compare_in_file(path):
    return ap.inference.compare("label", "model 0", "model 1", data=path)


def compare_loaded(path):
    import pandas as pd

    table = pd.read_parquet(path)
    return ap.inference.compare(table["label"], table["model 0"], table["model 1"])


def error_of(result):
    return result.standard_error


def resamplings(n_resamples=20):
    """Time some of the 1999 resamples that are usual, and extrapolate to all of them."""
    part = {"parts": 1999 / n_resamples}
    return {
        LOOP: Side(
            partial(others.loop_of_resamples, n_resamples=n_resamples), relative=0.65, **part
        ),
        SCIPY: Side(
            partial(others.scipy_bootstrap, n_resamples=n_resamples),
            relative=1,
            largest=10**4,
            **part,
        ),
    }


def frames(size):
    return data.as_polars_frame(*data.ranking(size, share=0.01))


def cross_validated(y_true, y_score):
    return others.cross_validated(ap.make_ap_scorer())(y_true, y_score)


def envelope_of(curve):
    """Return scikit-learn's curve with the best precision at each recall or beyond."""
    precision, recall, thresholds = curve
    return np.concatenate([np.maximum.accumulate(precision), recall, thresholds])


SECTIONS: dict[str, tuple[Race, ...]] = {
    "Common forms of input": (
        passed(
            "pandas Series",
            data.as_series,
            Goal(SKLEARN, 8, None),
            Goal(SKLEARN, 12, None, since=10**6),
            Goal(NUMBERS, 1.5, 1.1),
            lead="Score a million rows of two pandas Series",
            limit=ASKED,
        ),
        passed(
            "polars Series",
            data.as_polars,
            Goal(SKLEARN, 8, None),
            Goal(NUMBERS, 1.5, 1.1),
            limit=ASKED,
        ),
        Race(
            f"polars DataFrame, {percent(0.01)}",
            frames,
            Side(lambda frame: partial(STEP, "label", "score", data=frame)),
            {
                "polars_ds": Side(others.polars_ds_metrics),
                "SQL in DuckDB": Side(others.sql_query, largest=10**6),
            },
            (Goal("polars_ds", 2, 10, since=10**5),),
            data.as_polars_frame(*TIED),
            limit="polars_ds is one call of compiled code.",
        ),
        passed(
            "lists",
            data.as_lists,
            Goal(SKLEARN, 3, 4),
            sizes=SIZES[:2],
            limit="Both convert the list to an array first, one element at a time.",
        ),
        passed(
            "strings in an array", data.as_strings, Goal(SKLEARN, 8, 15), limit=CALLS, **A_STRING
        ),
        passed(
            "strings as objects", data.as_objects, Goal(SKLEARN, 8, 15), limit=CALLS, **A_STRING
        ),
        passed(
            "strings in pandas",
            data.as_string_series,
            Goal(SKLEARN, 8, 15),
            lead="The same, with labels that are strings",
            **A_STRING,
        ),
        passed(
            "pandas categorical",
            data.as_categorical,
            Goal(SKLEARN, 8, None),
            Goal(SKLEARN, 40, None, since=10**5),
            Goal(NUMBERS, None, 1.5),
            lead="The same, with labels that are a categorical",
            limit=ASKED,
            **A_STRING,
        ),
        weights(0.01, lead="Score a million samples with weights"),
        weights(0.5),
        passed(
            f"float32 scores, {percent(0.01)}",
            data.as_float32,
            Goal(SKLEARN, 10, None),
            Goal(SKLEARN, 20, 30, since=10**5),
        ),
        passed(
            f"float32 scores, {percent(0.5)}",
            data.as_float32,
            Goal(SKLEARN, 10, None),
            Goal(SKLEARN, 12, 20, since=10**5),
            share=0.5,
            limit="Many positives are tied with other samples, which have to be counted together.",
        ),
        passed(f"500 pairs of tied scores, {percent(0.5)}", data.with_tied_pairs, share=0.5),
        passed("scores with two decimals", data.as_percentages, share=0.5),
        passed(
            "scores from 1e-300 to 1e300",
            data.over_the_whole_range,
            limit="No bit is free for the label, so the scores are ranked first.",
        ),
        Race(
            "precision-recall curve",
            ranking(0.5),
            Side(calling("interpolated_precision_recall_curve"), value=np.concatenate),
            {SKLEARN: Side(calling(precision_recall_curve), value=envelope_of)},
            (Goal(SKLEARN, 2, 8), Goal(SKLEARN, 4, 8, since=10**5)),
            TIED,
            lead="Compute the precision-recall curve of a million samples",
            limit="A curve has a point for each distinct score, and all of its arrays have to be"
            " written.",
        ),
        classes(5, SIZES[:2], Goal(SKLEARN, 7, 10)),
        Race(
            "scoring in cross_val_score",
            ranking(0.1),
            Side(
                cross_validated,
                value=lambda found: found["test_score"],
                clock=lambda found: found["score_time"].sum(),
            ),
            {
                SKLEARN: Side(
                    others.cross_validated("average_precision"),
                    value=lambda found: found["test_score"],
                    clock=lambda found: found["score_time"].sum(),
                )
            },
            lead="Score a million samples in `cross_val_score`",
        ),
    ),
    "NumPy arrays": (
        numbers(
            0.01,
            Goal(SKLEARN, 10, None),
            Goal(SKLEARN, 15, 30, since=10**5),
            Goal(SORT, 2.5, 1.5, since=10**5),
            lead="Score ten million samples in NumPy arrays",
            limit="Below 50,000 samples, all scores are sorted. From there on, most of the time"
            " goes into counting them in bins.",
        ),
        numbers(
            0.5,
            Goal(SKLEARN, 10, None),
            Goal(SKLEARN, 5, 10, since=10**5),
            Goal(SORT, 6, 3, since=10**5),
            limit="From ten million samples on, the time depends on how fast the system provides"
            " fresh memory.",
        ),
    ),
    "Other definitions": (
        *(
            besides_step(
                f"envelope, {percent(share)}",
                "interpolated_average_precision_score",
                ranking(share),
                Goal(OUR_STEP, 1.3, 1.1),
            )
            for share in (0.01, 0.5)
        ),
        n_points(11, 0.01),
        n_points(11, 0.5, sizes=SIZES),
        n_points(101, 0.01),
        n_points(101, 0.5),
        *(
            besides_step(
                f"AP@10, {percent(share)}",
                "average_precision_at_k_score",
                ranking(share),
                Goal(OUR_STEP, 1, 0.25),
                k=10,
                limit="Nothing is left but the checks and a comparison of all scores with one.",
            )
            for share in (0.01, 0.5)
        ),
        *(
            besides_step(
                f"step, expected over ties, half of the samples tied, {percent(share)}",
                STEP,
                partial(data.half_tied, share=share),
                Goal(OUR_STEP, 2, 1.3),
                ties="expected",
            )
            for share in (0.01, 0.5)
        ),
    ),
    "Many rankings at once": (
        columns(
            "macro",
            {
                "torchmetrics": Side(others.torchmetrics_multilabel, tolerance=1e-6),
                "torcheval": Side(others.torcheval_multilabel, tolerance=1e-6),
            },
            Goal(SKLEARN, 5, 10),
            limit="The columns have to be transposed into rows first, and they are short, so"
            " scikit-learn's sorts are cheap too.",
        ),
        columns("macro", {}, n_classes=10, size=10**5),
        columns(
            "samples",
            {},
            Goal(SKLEARN, 50, 200),
            limit="Packing and checking a million cells takes as long as sorting them.",
        ),
        classes(50, (10**4,), Goal(SKLEARN, 5, 10)),
        groups(
            100,
            {
                "torchmetrics": Side(others.torchmetrics_map, tolerance=1e-6),
                "loop over scikit-learn": Side(others.loop_over_scikit_learn, largest=10**5),
            },
            Goal("loop over scikit-learn", 50, 200, since=10**5),
            lead="Compute the MAP of 10,000 queries with 100 documents each",
        ),
        groups(10, {}),
        string_groups("named by strings in an array", data.string_groups),
        string_groups("named by strings in pandas", data.string_series_groups),
    ),
    "Intervals and comparisons": (
        Race(
            f"standard error, {percent(0.01)}",
            ranking(0.01),
            Side(calling("inference.confidence_interval"), value=error_of),
            {OUR_STEP: Side(calling(STEP), value=None)} | resamplings(),
            (Goal(OUR_STEP, 2, 1.2, since=10**6),),
            sizes=(1000, 10**4, 10**6),
            lead="Compute a confidence interval from a million samples",
            lead_rival=LOOP,
        ),
        Race(
            f"two models compared, {percent(0.01)}",
            partial(data.two_models, share=0.01),
            Side(calling("inference.compare"), value=error_of),
            {OUR_STEP: Side(calling(lambda y_true, a, b: STEP(y_true, a)), value=None)},
            (Goal(OUR_STEP, 25, 10, since=10**6),),
            sizes=(1000, 10**4, 10**6),
            limit="It needs the influence of every sample for both models, in the order of rows.",
        ),
        Race(
            f"standard error, clusters of about 4, {percent(0.01)}",
            partial(data.accounts, share=0.01),
            Side(calling(of_clusters), value=error_of),
            {OUR_STEP: Side(calling(lambda y_true, y_score, _: STEP(y_true, y_score)), value=None)},
            sizes=(10**5, 10**6),
        ),
        Race(
            f"report of two models and three metrics, {percent(0.01)}",
            partial(data.two_models, share=0.01),
            Side(calling(reported), value=of_rows),
            {OUR_STEP: Side(calling(lambda y_true, a, b: STEP(y_true, a)), value=None)},
            sizes=(1000, 10**5, 10**6),
        ),
        Race(
            f"two models in a Parquet file compared in batches, {percent(0.01)}",
            partial(data.two_models, share=0.01),
            Side(calling(compare_in_file, data.as_parquet), value=error_of),
            {LOADED: Side(calling(compare_loaded, data.as_parquet), value=error_of)},
            sizes=(10**6,),
        ),
        Race(
            f"bootstrap of 1999 resamples, {percent(0.5)}",
            ranking(0.5),
            Side(
                calling(
                    "inference.confidence_interval",
                    method="bootstrap",
                    n_resamples=1999,
                    random_state=0,
                ),
                value=error_of,
            ),
            resamplings(),
            sizes=(1000, 10**4),
        ),
    ),
}
RACES = [race for section in SECTIONS.values() for race in section]

# These are only timed against other versions of the package.
OF_VERSIONS: dict[str, tuple[Race, ...]] = {
    "Cutoffs": tuple(
        Race(
            f"{work} at {k}, {percent(share)}",
            ranking(share),
            Side(calling(function, k=k)),
            {},
            sizes=(10**6,),
        )
        for work, function in (
            ("precision", "precision_at_k_score"),
            ("recall", "recall_at_k_score"),
            ("AP", "average_precision_at_k_score"),
        )
        for k in (10, 0.01, 0.1)
        for share in (0.01, 0.5)
    ),
    "Drawn together": (
        Race(
            f"report of rows in 4 groups, clusters of one row, P@1%, {percent(0.01)}",
            partial(data.two_models, share=0.01),
            Side(calling(reported_in_groups), value=of_rows),
            {},
            sizes=(10**5,),
        ),
    ),
}

# How many calls within the package each makes at most: with few rows, its time depends on them.
_DRAWN = np.random.default_rng(0).random((2, 100))
_FEW = _DRAWN[0] < 0.3, _DRAWN[1]
CALLED = {
    "average precision of 100 samples": (partial(STEP, *_FEW), 60),
    "identify with 100 samples": (partial(ap.compat.identify, 0.5, *_FEW), 5000),
}
