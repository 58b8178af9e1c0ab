"""Rows of 23 groups, and what is asked about them."""

import warnings
from functools import cache, partial
from math import nan

import numpy as np
import pytest

import sklearn_ap as ap

from .tables import columns_of, without_chance
from .units import contributions

COLUMNS = columns_of(240)
COLUMNS |= {
    "query": np.array([f"q{i}" for i in np.arange(240) * 7 % 23]),
    "site": np.array(["a", "b", "c", "d", "e"])[np.arange(240) * 7 % 23 % 5],
    "kind_of_site": np.arange(240) * 7 % 23 % 5 // 2,
    "date": np.datetime64("2026-01-01") + np.arange(240) * 7 % 23,
    "twice": 2 * COLUMNS["score"] - 1,
    "light": np.where(COLUMNS["label"], 1, 0.1),
    "heavy": np.where(COLUMNS["label"], 1, 20),
}
EXIST = {f"q{i}": 20 + i for i in range(25)}  # two were never retrieved

of = {"y_true": "label", "y_score": "score", "groups": "query"}
both = {"y_true": "label", "y_score": ["score", "other"], "groups": "query"}
METRICS = ["AP", "P@3", "MRR", "R-precision", "interpolated_average_precision", "EF@20%", "hit@2"]


def intervals(data, metrics=("AP", "P@3"), **given):
    return [
        ap.confidence_interval(metric=metric, data=data, random_state=0, **of | given)
        for metric in metrics
    ]


def comparison(data, **given):
    found = compare(data, **given)
    return [found]


def compare(data, **given):
    given = {"y_true": "label", "y_score_a": ["score", "other", "twice"], "groups": "query"} | given
    return ap.compare(data=data, random_state=0, **given)


def pair(data, **given):
    given = {"y_score_a": "score", "y_score_b": "other"} | given
    found = compare(data, **given)
    return [found, found.wins, found.ties, found.losses]


def report(data, metrics=METRICS, **given):
    table = ap.report(metrics=metrics, data=data, random_state=0, **both | given)
    values = np.asarray(table.per_group())[:, -2 * len(metrics) :]
    return [table, str(table), values.astype(float)]


def of_tables(data, **given):
    """One of the models has other rows of the same groups."""
    models = {"score": data, "other": data}
    names = {model: model for model in models}
    return [ap.compare("label", names, groups="query", data=models, **given)]


def of_equal_tables(data):
    models = {"a": "score", "b": "score", "c": "twice"}
    tables = dict.fromkeys(models, data)
    return [ap.compare("label", models, groups="query", data=tables, margin=0.1)]


def of_interval(data):
    found = ap.confidence_interval(data=data, **of)
    return [found, contributions(found)]


CASES = {
    "metrics": partial(intervals, metrics=METRICS),
    "bootstrap": partial(intervals, method="bootstrap"),
    "weighted by positives": partial(intervals, average="weighted"),
    "left out": partial(intervals, zero_division=nan),
    "chosen": partial(intervals, zero_division=1.0),
    "existing positives": partial(intervals, metrics=METRICS, n_positives=EXIST),
    "weights": partial(intervals, sample_weight="mass", k=0.2, metrics=["precision_at_k"]),
    "whole weights": partial(intervals, sample_weight="count", metrics=["AP", "recall_at_20%"]),
    "weights that count rows": partial(
        intervals, sample_weight="mass", k=3, k_counts="samples", metrics=["precision_at_k"]
    ),
    "light negatives": partial(intervals, sample_weight="light", metrics=["AP"]),
    "heavy negatives": partial(intervals, sample_weight="heavy", metrics=["AP", "P@10%"]),
    "labels": partial(intervals, y_true="answer", pos_label="yes"),
    "grades": partial(intervals, y_true="grade", min_grade=2),
    "integers": partial(intervals, groups="day"),
    "dates": partial(intervals, groups="date"),
    "several columns": partial(intervals, groups=["day", "query"]),
    "few scores": partial(intervals, y_score="truth", metrics=["AP", "P@2"]),
    "large integers": partial(intervals, y_score="whole"),
    "three models": comparison,
    "three models with a margin": partial(comparison, margin=0.1, baseline="other"),
    "three models, one by one": partial(comparison, metric="P@3", joint=False),
    "two models": pair,
    "two models, by bootstrap": partial(pair, method="bootstrap"),
    "two models, with existing positives": partial(pair, n_positives=EXIST),
    "two models that rank alike": partial(pair, y_score_b="twice"),
    "a report": report,
    "a report with existing positives": partial(report, metrics=["AP"], n_positives=EXIST),
    "a report with metrics of their own": partial(
        report, metrics=["AP", ap.metric("P@3", average="weighted"), ap.metric("AP@3", ties="best")]
    ),
    "clusters of whole groups": partial(intervals, clusters="site", metrics=METRICS),
    "clusters by bootstrap": partial(
        intervals, clusters=["site", "kind_of_site"], method="bootstrap"
    ),
    "clusters of rows": partial(intervals, clusters="kind"),
    "two models, with clusters": partial(pair, clusters="site"),
    "models in tables": of_tables,
    "equal models in tables": of_equal_tables,
    "an interval with its units": of_interval,
}


def ordered(columns):
    order = np.argsort(columns["query"], kind="stable")
    return {name: column[order] for name, column in columns.items()}


@cache
def expected(case, is_sorted):
    """Return what a case shows of rows in memory, and its warnings."""
    pandas = pytest.importorskip("pandas")
    return heard(case, pandas.DataFrame(ordered(COLUMNS) if is_sorted else COLUMNS))


def heard(case, data):
    """Return what the results of a case show, and its warnings."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        found = CASES[case](data)
    ours = [str(each.message) for each in given if each.filename == __file__]
    return [shown(each) for each in found], ours


def shown(result):
    if isinstance(result, np.ndarray):
        return result.tolist()
    return without_chance(result.to_dict() if hasattr(result, "to_dict") else result)
