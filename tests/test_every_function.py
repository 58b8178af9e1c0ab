"""Laws over all public functions that have data, from metrics to explanations."""

import inspect
import json
import pickle
import warnings
from math import isnan

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer

import sklearn_ap as ap

from .random_calls import Draw, find, run

KINDS = {  # of calls, with a function of each
    "metric": "average_precision_score",
    "curve": "hit_curve",
    "inference": "compare",
    "threshold": "operating_point",
    "explanation": "explain",
}
KINDS = [kind for kind, name in KINDS.items() if find(ap, name)]


def draw(kind, number=40):
    """Return calls that work, each with what it gives."""
    drawn = Draw(len(kind))
    calls = [getattr(drawn, kind)() for _ in range(20 if kind == "explanation" else number)]
    results = [(call, run(ap, *call)[0]) for call in calls]
    return [(call, result) for call, result in results if not isinstance(result, str)]


@pytest.fixture(scope="module", params=KINDS)
def calls(request):
    found = draw(request.param)
    assert len(found) > 10
    return found


def same(ours, theirs):
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[n], theirs[n]) for n in ours)
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, str):
        return ours == theirs
    return np.isclose(ours, theirs, rtol=1e-7, atol=1e-9, equal_nan=True)


def assert_same(call, expected):
    found = run(ap, *call)[0]
    assert not isinstance(found, str), (call, found)
    assert same(found, expected), (call, found, expected)


def change_columns(call, change):
    """Change the labels, the scores, and all else that has as many elements."""
    name, args, options = call
    given = dict(enumerate(args)) | options
    labels = given.get("y_true", given.get(0))
    size = len(labels)
    changed = {}
    for each, value in given.items():
        if isinstance(value, dict) and all(np.ndim(v) and len(v) == size for v in value.values()):
            value = {model: change(model, column) for model, column in value.items()}
        elif each not in ("classes", "n_positives") and np.ndim(value) and len(value) == size:
            value = change(each, value)
        changed[each] = value
    return name, tuple(changed.pop(place) for place in range(len(args))), changed


def test_nothing_that_is_passed_is_changed(calls):
    for call, _ in calls:
        before = pickle.dumps(call)
        run(ap, *call)
        assert pickle.dumps(call) == before


def test_the_same_call_gives_the_same(calls):
    for call, result in calls:
        assert_same(call, result)


def test_the_order_of_the_rows(calls):
    for (name, args, options), result in calls:
        metric = options.get("metric", options.get("metrics", "AP"))
        is_ordered = options.get("ties") == "input"
        if "data" in options or name in ("compare_folds", "explain") or is_ordered:
            continue
        if "P@10" in metric or "11-point" in metric:  # with resamples, of rows in their order
            continue
        rng = np.random.default_rng(0)
        labels = options.get("y_true", args[0] if args else None)
        rows = rng.permutation(len(labels))

        def permute(_, column, rows=rows):
            return np.asarray(column)[rows]

        call = change_columns((name, args, options), permute)
        assert_same(call, result)


def test_columns_of_a_table(calls):
    n_tried = 0
    for (name, args, options), result in calls:
        columns = {}

        def keep(which, column, columns=columns):
            if np.ndim(column) != 1:
                columns["a matrix"] = column
            columns[str(which)] = np.asarray(column)
            return str(which)

        if "data" in options or name == "compare_folds":
            continue
        _, args, options = change_columns((name, args, options), keep)
        if "a matrix" in columns:
            continue
        args = tuple([*each] if isinstance(each, dict) else each for each in args)
        n_tried += 1
        assert_same((name, args, options | {"data": pd.DataFrame(columns)}), result)
    assert n_tried > 5


def to_json(value):
    if isinstance(value, dict):
        return {name: to_json(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(each) for each in value]
    return None if isinstance(value, float) and isnan(value) else value


@pytest.mark.parametrize("kind", ["inference", "threshold"])
def test_results_survive_json(kind):
    for (name, args, options), _ in draw(kind):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = getattr(ap, name)(*args, **options)
        written = json.dumps(result.to_dict(), allow_nan=False)
        assert json.loads(written) == to_json(result.to_dict())
        assert str(result) == repr(result)
        assert len(result.to_frame()) >= 1


def test_warnings_point_at_the_caller_and_are_given_once(calls):
    for (name, args, options), _ in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            find(ap, name)(*args, **options)
        assert {each.filename for each in caught} <= {__file__}
        messages = [str(each.message) for each in caught]
        assert len(messages) == len({*messages})


def test_warnings_of_scorers_point_at_the_caller():
    estimator = LogisticRegression().fit([[0], [1], [2]], [0, 1, 1])
    for scorer in (ap.get_scorer("AP"), make_scorer(ap.average_precision_score)):
        with pytest.warns(UndefinedMetricWarning) as caught:
            scorer(estimator, [[0], [1]], [0, 0])
        assert {each.filename for each in caught} == {__file__}


@pytest.mark.skipif(not find(ap, "report"), reason="needs inference")
def test_several_models_metrics_and_segments_warn_once_of_each_thing():
    rng = np.random.default_rng(0)
    labels, groups, weight = rng.integers(0, 2, 120), np.arange(120) % 12, rng.integers(1, 4, 120)
    models = dict(zip("abc", rng.random((3, 120)), strict=True))
    data = {"sample_weight": weight, "by": np.arange(120) // 60, "clusters": groups}
    with pytest.warns(UserWarning, match="k=10 counts weight") as caught:
        ap.report(labels, models, metrics=["P@10", "AP"], **data)
    assert len(caught) == 1
    with pytest.warns(UndefinedMetricWarning, match="2 of 12 groups") as caught:
        ap.compare(labels * (groups > 1), models, groups=groups)
    assert len(caught) == 1


# --- every parameter changes something, or is refused ---------------------------------------------

RANKED = {"y_true": "labels", "y_score": "scores"}
GROUPED = RANKED | {"groups": "groups"}
NEEDED = {  # what functions need
    "compare": {"y_true": "labels", "y_score_a": "scores", "y_score_b": "others"},
    "compare_folds": {"results": "folds", "n_train": 90, "n_test": 10},
    "mean_average_precision_score": GROUPED,
    "ndcg_score": GROUPED | {"y_true": "grades"},
    "operating_point": RANKED | {"min_recall": 0.5},
    "precision_at_recall_score": RANKED | {"min_recall": 0.5},
    "recall_at_precision_score": RANKED | {"min_precision": 0.6},
    "report": RANKED | {"y_score": "models"},
    "values_by_group": GROUPED,
}
CLASSES = {"y_true": "three", "y_score": "matrix", "y_score_a": "matrix", "y_score_b": "matrix"}
CHANGES = {  # a value of each parameter, and what else it needs
    "adjust": (False, {"by": "groups"}),
    "average": ("weighted", {"groups": "groups"}),
    "baseline": ("b", {"y_score_a": "models", "y_score_b": None, "y_score": "models"}),
    "by": ("groups", {}),
    "classes": ([2, 1, 0], CLASSES),
    "clusters": ("groups", {"confidence_level": 0.5}),
    "confidence_level": (0.8, {}),
    "denominator": ("relevant", {"k": 2}),
    "gains": ("exponential", {}),
    "grid": ("float", {"n_points": 11}),
    "groups": ("groups", {}),
    "k": (1, {"min_recall": None}),
    "k_counts": ("samples", {"sample_weight": "weight", "k": 3}),
    "margin": (0.9, {}),
    "metric": ("P@3", {}),
    "metrics": (["P@3"], {}),
    "min_grade": (2, {"y_true": "grades"}),
    "min_precision": (0.6, {"min_recall": None}),
    "min_recall": (0.9, {}),
    "min_specificity": (0.9, {"min_recall": None}),
    "n_points": (4, {}),
    "n_positives": ("counts", {"groups": "groups", "average": "weighted"}),
    "n_test": (60, {}),
    "n_train": (20, {}),
    "other": ("fold", {"results": "fold"}),
    "pos_label": (0, {"k": 1, "min_recall": None}),
    "sample_weight": ("weight", {}),
    "threshold": (0.4, {"min_recall": None}),
    "ties": ("best", {"k": 3}),
    "y_score_b": ("scores", {}),
    "zero_division": (1.0, {"y_true": "rare", "groups": "groups"}),
    ("enrichment_factor_score", "k"): (0.5, {}),
    ("operating_point", "n_positives"): (90, {}),
    ("recall_at_k_score", "denominator"): ("min", {"k": 2}),
    ("precision_at_recall_score", "pos_label"): (0, {}),
}
# Precision without positives is 0, not 0/0, and folds have no metric but in their title.
UNUSED = {("precision_at_k_score", "zero_division"), ("compare_folds", "metric")}
FUNCTIONS = [name for name in ap.__all__ if inspect.isfunction(getattr(ap, name))]
FUNCTIONS = [each for each in FUNCTIONS if "scorer" not in each and each != "metric"]
PARAMETERS = [
    (name, each)
    for name in [*FUNCTIONS, "explain"]
    if find(ap, name)
    for each in inspect.signature(find(ap, name)).parameters
    if each not in {"y_true", "y_score", "data", "name", "options", *NEEDED.get(name, {})}
    and (name, each) not in UNUSED
]


def draw_samples():
    """Yield columns by name, which `NEEDED` and `CHANGES` say."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels, matrix = rng.integers(0, 2, 40), rng.integers(0, 9, (40, 3)) / 8
        groups = rng.integers(0, 5, 40)
        scores, others, _ = matrix.T
        yield {
            "labels": labels, "rare": labels * (groups < 3), "grades": rng.integers(0, 4, 40),
            "three": np.arange(40) % 3, "matrix": matrix, "scores": scores, "others": others,
            "models": {"a": scores, "b": others}, "weight": rng.integers(1, 4, 40),
            "groups": groups, "counts": dict.fromkeys(range(7), 40), "fold": rng.random(10),
            "folds": {"a": rng.random(10), "b": rng.random(10)},
        }  # fmt: skip


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_every_parameter_changes_something_or_is_refused(name, parameter):
    value, others = CHANGES.get((name, parameter), CHANGES[parameter])
    known = inspect.signature(find(ap, name)).parameters
    needed = NEEDED.get(name, RANKED) | {each: of for each, of in others.items() if each in known}
    for columns in draw_samples():
        usual, changed = (
            {n: columns.get(v, v) if isinstance(v, str) else v for n, v in given.items()}
            for given in (needed, needed | {parameter: value})
        )
        (before, _), (after, _) = (run(ap, name, (), given) for given in (usual, changed))
        if isinstance(before, str) != isinstance(after, str) or not same(before, after):
            return
    raise AssertionError(before)
