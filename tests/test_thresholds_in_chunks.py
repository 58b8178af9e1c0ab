"""Thresholds from data in chunks, which is read in passes: they are those of data in memory."""

import warnings
from functools import partial
from itertools import pairwise, product
from pickle import dumps

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import thresholds
from sklearn_ap._evaluate import jobs
from sklearn_ap._evaluate.targets import Targets
from sklearn_ap._words.engine import Engine, join_in_tree
from sklearn_ap._words.inputs import Inputs, Unread

from .tables import LAZY, ROWS, arrow

pa = pytest.importorskip("pyarrow")
pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning"),
    pytest.mark.usefixtures("in_small_batches"),
]


@pytest.fixture
def few_slices(monkeypatch):
    """Wide bins, so that thresholds are often within one, and fewer batches of more rows."""
    monkeypatch.setattr(jobs, "_SLICES", 4)
    for name in ("BATCH", "ROWS"):
        monkeypatch.setattr(f"sklearn_ap._read.arrow.{name}", 90)


@pytest.fixture
def not_in_memory(monkeypatch):
    """Fail if the columns of an engine are read into memory."""

    def refuse(engine):
        raise AssertionError("the columns are read into memory")

    from sklearn_ap._read import arrow as batches

    kinds = [Engine, batches.Batches]
    try:
        from sklearn_ap._read.dask import Graph
    except ImportError:
        pass
    else:
        kinds.append(Graph)
    for kind in kinds:
        monkeypatch.setattr(kind, "collected", refuse)


# What is asked for
REQUESTS = {
    "recall": {"min_recall": 0.8},
    "all recall": {"min_recall": 1.0, "min_precision": 0.05},
    "precision": {"min_precision": 0.5},
    "a count": {"k": 20},
    "one": {"k": 1},
    "a fraction": {"k": 0.2},
    "a fraction and a recall": {"k": 0.5, "min_recall": 0.3},
    "a count and a precision": {"k": 150, "min_precision": 0.3},
    "a count and both": {"k": 250, "min_precision": 0.2, "min_recall": 0.1},
    "a threshold": {"threshold": 0.3},
    "a threshold below all": {"threshold": -99},
    "a threshold above all": {"threshold": 99.5},
    "a promised recall": {"min_recall": 0.5, "confidence_level": 0.9},
    "a promised precision": {"min_precision": 0.25, "confidence_level": 0.8},
    "a promise of both": {"min_recall": 0.2, "min_precision": 0.2, "confidence_level": 0.7},
    "a promise within k": {"min_recall": 0.1, "confidence_level": 0.7, "k": 0.4},
    "a promised precision within k": {"min_precision": 0.2, "confidence_level": 0.7, "k": 300},
    "a budget": {"k": 3, "groups": "group"},
    "a budget and a recall": {"k": 5, "groups": "group", "min_recall": 0.1},
    "a quantile": {"k": 3, "groups": "group", "quantile": 0.8},
    "a quantile and a precision": {
        "k": 4,
        "groups": "group",
        "quantile": 0.6,
        "min_precision": 0.1,
    },
    "a promised quantile": {"k": 3, "groups": "group", "quantile": 0.7, "confidence_level": 0.7},
    "groups": {"min_recall": 0.5, "groups": "group"},
    "a threshold and groups": {"threshold": 0.5, "groups": "group"},
    "columns of groups": {"k": 4, "groups": ["group", "half"]},
    # What can't be met
    "too much precision": {"min_precision": 1.0, "min_recall": 1.0},
    "too much within k": {"k": 3, "min_recall": 0.9},
    "too much to promise": {"min_precision": 0.9, "confidence_level": 0.99},
    "too much recall to promise": {"min_recall": 0.999, "confidence_level": 0.9},
    "too few groups": {"k": 3, "groups": "group", "quantile": 0.999},
}
WEIGHTS = {
    "no weights": {},
    "whole weights": {"sample_weight": "count", "k_counts": "weight"},
    "weights": {"sample_weight": "mass", "k_counts": "samples"},
    "prevalence": {"prevalence": 0.02, "k_counts": "samples"},
}
LABELS = {
    "labels": {},
    "strings": {"y_true": "answer", "pos_label": "yes"},
    "grades": {"y_true": "grade", "min_grade": 2},
}
SCORES = ["score", "tied", "narrow", "whole"]


def rows_of(seed, size=300):
    rng = np.random.default_rng(seed)
    label = (rng.random(size) < (0.05, 0.2, 0.4)[seed % 3]).astype(int)
    score = rng.standard_normal(size) + 1.5 * label
    return {
        "label": label,
        "answer": np.where(label, "yes", "no"),
        "grade": 2 * label + rng.integers(0, 2, size),
        "score": score,
        "tied": np.round(score, 1),
        "narrow": score.astype(np.float32),
        "whole": np.round(9 * score).astype(int),
        "count": rng.integers(0, 4, size),
        "mass": rng.integers(0, 99, size) / 64,
        "group": np.array([f"g{i}" for i in rng.integers(0, 40, size)]),
        "half": rng.integers(0, 2, size),
    }


def chunked(columns, seed):
    """A dataset of batches of different sizes, one of which is empty."""
    import pyarrow.dataset

    table, rng = pa.table(columns), np.random.default_rng(seed)
    cuts = np.sort(rng.integers(0, len(table), 5)).tolist()
    cuts = [0, *cuts[:3], cuts[2], *cuts[3:], len(table)]
    parts = [table.slice(a, b - a) for a, b in pairwise(cuts)]
    return pyarrow.dataset.dataset([pa.concat_tables([part]) for part in parts])


def outcome(call):
    """Return a result and its warnings, or an error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = call()
        except ValueError as error:
            return None, (type(error), str(error))
    said = sorted({str(warning.message) for warning in caught})
    return found, (said, found.shown, found.flagged_per_group)


def check_same(expected, found, is_exact):
    values, others = expected
    assert others == found[1]
    if values is not None:
        whole, here = values.to_dict(), found[0].to_dict()
        assert whole.keys() == here.keys()
        assert not is_exact or whole["digest"] == here["digest"]
        del whole["digest"]
        for name, value in whole.items():
            if is_exact or not isinstance(value, float):
                assert (value, type(value)) == (here[name], type(here[name])), name
            else:
                assert here[name] == pytest.approx(value, rel=1e-12), name


def check_request(seed, request, weights, labels, scores):
    columns = rows_of(seed)
    given = {"y_true": "label", "y_score": scores, **request, **weights, **labels}
    if "k" not in request:
        given.pop("k_counts", None)
    if "groups" in given and seed % 2 and "sample_weight" not in given:
        given["n_positives"] = dict.fromkeys(np.unique(columns["group"]).tolist(), 30)
        given["n_positives"]["none"] = 7
        if isinstance(given["groups"], list):
            del given["n_positives"]
    expected = outcome(lambda: ap.operating_point(**given, data=pa.table(columns)))
    found = outcome(lambda: ap.operating_point(**given, data=chunked(columns, seed)))
    # The same fractional weights are added up in another order.
    is_exact = "prevalence" not in given and weights is not WEIGHTS["weights"]
    check_same(expected, found, is_exact)


def is_in_passes(request, weights):
    is_promised = "confidence_level" in request and "min_precision" in request
    return not (is_promised and "sample_weight" in weights)


@pytest.mark.usefixtures("few_slices", "not_in_memory")
@pytest.mark.parametrize(
    ("request_", "weights"),  # half of all pairs, and the slow test has the others
    [pair for i, pair in enumerate(product(REQUESTS, WEIGHTS)) if (i + i // 4) % 2],
)
def test_any_request(request_, weights):
    request, weights = REQUESTS[request_], WEIGHTS[weights]
    if is_in_passes(request, weights):
        names = [*LABELS]
        place = len(request_) % 12  # of several tables, labels and types of scores
        check_request(place, request, weights, LABELS[names[place % 3]], SCORES[place % 4])


@pytest.mark.slow
@pytest.mark.usefixtures("few_slices", "not_in_memory")
@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_any_request_of_many_tables(request_, weights):
    request, weights = REQUESTS[request_], WEIGHTS[weights]
    if is_in_passes(request, weights):
        for seed in range(3, 27):
            check_request(seed, request, weights, [*LABELS.values()][seed % 3], SCORES[seed % 4])


@pytest.mark.usefixtures("few_slices", "not_in_memory")
@pytest.mark.parametrize("prevalence", [None, 0.05])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.4, 0.9])
@pytest.mark.parametrize(("first", "last"), [(22, 47), (43, 79)])
def test_a_test_that_starts_between_positives(first, last, share, prevalence):
    """Below negatives where the tests of higher starts fail, and above those that follow."""
    labels = np.zeros(300, dtype=int)
    labels[first:last] = 1
    columns = {"label": labels, "score": np.arange(300.0)[::-1]}
    given = {"min_precision": share, "confidence_level": 0.8, "prevalence": prevalence}
    chosen_in = partial(ap.operating_point, "label", "score", **given)
    tables = pa.table(columns), chunked(columns, 0)
    expected, found = (outcome(partial(chosen_in, data=table)) for table in tables)
    check_same(expected, found, prevalence is None)


@pytest.mark.usefixtures("not_in_memory")
def test_a_threshold_that_narrow_arrays_round():
    columns = {"label": [1, 0, 1], "score": np.array([0.9, 0.7, 0.2], np.float32)}
    given = {"y_true": "label", "y_score": "score", "threshold": 0.7}
    for table in (pa.table(columns), chunked(columns, 0)):
        with pytest.warns(UserWarning, match=r"flags 1 samples .* but 2 if an array of float32"):
            ap.operating_point(**given, data=table)


ON_ENGINES = ["recall", "a fraction", "a count and a precision", "a promised precision"]
ON_ENGINES += ["a quantile", "columns of groups", "a threshold and groups", "too much precision"]


@pytest.mark.usefixtures("few_slices", "not_in_memory")
@pytest.mark.parametrize("kind", LAZY)
def test_engines(kind, tmp_path):
    names = {"group": "query", "half": "day"}
    table = LAZY[kind](arrow(ROWS), tmp_path)
    for name in ON_ENGINES[:: 3 if kind == "Dask" else 1]:
        given = dict(REQUESTS[name])
        groups = given.get("groups")
        if groups is not None:
            given["groups"] = [names[each] for each in groups if each in names] or names[groups]
        given |= {"k": 7} if given.get("k", 0) > 1 else {}
        chosen_in = partial(ap.operating_point, "label", "score", **given)
        whole, found = (outcome(partial(chosen_in, data=each)) for each in (pa.table(ROWS), table))
        check_same(whole, found, True)


@pytest.mark.usefixtures("not_in_memory")
@pytest.mark.parametrize("kind", LAZY)
def test_several_models(kind, tmp_path):
    given = {"min_recall": 0.5, "groups": "query"}
    models = {"one": "score", "two": "other"}
    expected = ap.operating_point("label", models, data=pa.table(ROWS), **given)
    found = ap.operating_point("label", models, data=LAZY[kind](arrow(ROWS), tmp_path), **given)
    assert str(found) == str(expected)
    assert [each.to_dict() for each in found.values()] == [
        each.to_dict() for each in expected.values()
    ]


@pytest.fixture
def passes(monkeypatch):
    """The number of passes over data."""
    from sklearn_ap._read import arrow as batches

    found, over_chunks = [], batches.Batches.over_chunks
    monkeypatch.setattr(
        batches.Batches, "over_chunks", lambda *args: found.append(1) or over_chunks(*args)
    )
    return found


# Checks of a threshold
CHECKS = {
    "alone": {},
    "groups": {"groups": "group"},
    "weights": {"sample_weight": "mass"},
    "whole weights and groups": {"sample_weight": "count", "groups": "group"},
    "fractions of weights and groups": {"sample_weight": "mass", "groups": "group"},
    "n_positives": {"n_positives": 900},
    "prevalence": {"prevalence": 0.1},
    "grades": {"y_true": "grade", "min_grade": 2},
}


@pytest.mark.usefixtures("few_slices", "not_in_memory")
@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("request_", ["a budget", "a quantile", "all recall"])
def test_checks(request_, check, passes):
    columns, new = rows_of(1), rows_of(5)
    options = {"k_counts": "weight"} if "k" in REQUESTS[request_] else {}
    point = ap.operating_point(
        "label", "score", data=pa.table(columns), **REQUESTS[request_], **options
    )
    given = {"y_true": "label", "y_score": "score", **CHECKS[check]}
    if "n_positives" in given and "groups" in given:
        given["n_positives"] = {"none": 3}
    expected = point.check(**given, data=pa.table(new))
    passes.clear()
    found = point.check(**given, data=chunked(new, 3))
    assert len(passes) == 1 + ("prevalence" in given)
    assert str(found) == str(expected)
    whole, here = expected.to_dict(), found.to_dict()
    assert whole.keys() == here.keys()
    for name, value in whole.items():
        if isinstance(value, float):
            assert here[name] == pytest.approx(value, rel=1e-9), name
        elif name not in ("groups_over", "precision", "recall", "flagged_share"):
            assert str(here[name]) == str(value), name


SEGMENTS = {
    "a column": "country",
    "numbers": "half",
    "days": "date",
    "columns": ["country", "half"],
    "masks": {"low": "is_low", "new": "is_new"},
}


def rows_in_segments(seed):
    columns, rng = rows_of(seed), np.random.default_rng([seed, 1])
    size = columns["label"].size
    missing = rng.random((2, size)) < 0.1
    return columns | {
        "country": np.where(missing[0], None, rng.choice(["FR", "DE", "US"], size)),
        "date": np.datetime64("2026-11-01") + rng.integers(0, 3, size),
        "is_low": columns["score"] < 0,
        "is_new": np.where(missing[1], None, rng.random(size) < 0.3),
        "own": rng.integers(0, size, size),
        "unknown": np.full(size, None),
    }


def check_in_segments(point, columns, given):
    """Compare all values to the last bit, texts and warnings with those in memory."""
    every = []
    for data in (pa.table(columns), chunked(columns, 3)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = point.check("label", **given, data=data)
        said = sorted(str(warning.message) for warning in caught)
        every.append((found, (found.notes, str(found), said)))
    (expected, words), (found, others) = every
    assert others == words
    if "prevalence" not in given:  # whose weights are added up in another order
        assert found == expected
    for here, row in zip(found.to_dict(), expected.to_dict(), strict=True):
        values = {name: value for name, value in row.items() if isinstance(value, float)}
        assert {name: here[name] for name in values} == pytest.approx(values, rel=1e-12)
    return found


PROMISES = ["all recall", "a budget", "a quantile", "a threshold"]
IN_PASSES = [name for name in CHECKS if "n_positives" not in CHECKS[name]]


@pytest.mark.usefixtures("few_slices", "not_in_memory")
@pytest.mark.parametrize(("place", "check", "by"), [
    (place, *pair) for place, pair in enumerate(product(IN_PASSES, SEGMENTS)) if place % 2
])  # fmt: skip
def test_checks_in_segments(place, check, by):
    request = PROMISES[place // 2 % 4]
    old, new = rows_in_segments(1), rows_in_segments(5)
    given = {"y_score": "tied", "by": SEGMENTS[by], "joint": place % 3 == 0} | CHECKS[check]
    new["label"] = new[given.pop("y_true", "label")]
    new["mass"] = np.where(new["half"], 2.0, new["mass"])  # whole ones in one segment
    asked = REQUESTS[request] | ({"k_counts": "weight"} if "k" in REQUESTS[request] else {})
    point = ap.operating_point("label", "score", data=pa.table(old), **asked)
    found = check_in_segments(point, new, given)
    names = [row.segment for row in found.rows[1:]]
    assert names == ([*SEGMENTS[by]] if by == "masks" else sorted(names))


@pytest.mark.parametrize("given", [
    {"clusters": "group"},
    {"groups": "group", "clusters": "half"},
    {"groups": "half", "n_positives": {0: 99, 1: 99, 2: 9}, "by": "half"},
    {"by": np.arange(300) % 3},
    {"by": {"low": "is_low", "odd": np.arange(300) % 2 == 1}},
    {"groups": "half", "by": {0: "day", 1: "night"}},
    {"groups": "half", "n_positives": {0: 99, 1: 99, 2: 9}, "by": {0: "a", 1: "b", 2: "c"}},
], ids=lambda given: " ".join(given))  # fmt: skip
def test_checks_in_segments_that_need_rows(given):
    point = ap.operating_point("label", "score", data=pa.table(rows_of(1)), **REQUESTS["a budget"])
    check_in_segments(point, rows_in_segments(5), {"y_score": "score", "by": "country"} | given)


@pytest.mark.usefixtures("not_in_memory")
def test_many_segments_are_refused_in_chunks_as_soon_as_they_are_seen(monkeypatch):
    monkeypatch.setattr("sklearn_ap._read.segments._MOST_OF_COLUMNS", 2)
    point, columns = ap.operating_point([1, 0], [3, 1], k=1), rows_in_segments(5)
    for data in (pa.table(columns), chunked(columns, 3)):
        with pytest.raises(ValueError, match="by has more than 2 different values"):
            point.check("label", "score", by="country", data=data)
    masks = {"low": "is_low", "new": "is_new", "half": "half"}
    check_in_segments(
        point, columns | {"half": columns["half"] == 1}, {"y_score": "score", "by": masks}
    )


@pytest.mark.usefixtures("not_in_memory")
@pytest.mark.parametrize(("by", "words"), [
    ("own", "by has .* different values among 300 rows"),
    ("unknown", "by has no segments: all of its values are missing"),
    ({"low": "score"}, "by maps 'low' to something that isn't a mask"),
])  # fmt: skip
def test_segments_that_are_refused(by, words):
    point, columns = ap.operating_point([1, 0], [3, 1], k=1), rows_in_segments(5)
    for data in (pa.table(columns), chunked(columns, 3)):
        with pytest.raises(ValueError, match=words):
            point.check("label", "score", by=by, data=data)


@pytest.mark.usefixtures("not_in_memory")
@pytest.mark.parametrize("kind", LAZY)
def test_segments_on_engines(kind, tmp_path):
    table = LAZY[kind](arrow(ROWS), tmp_path)
    point = ap.operating_point("label", "score", data=pa.table(ROWS), min_recall=0.5)
    for by in ("query", ["query", "day"]):
        given = {"by": by, "groups": "query"}
        expected, found = (
            point.check("label", "score", data=each, **given) for each in (pa.table(ROWS), table)
        )
        assert (found, str(found)) == (expected, str(expected))


@pytest.mark.usefixtures("not_in_memory")
def test_segments_of_dask_arrays():
    array = pytest.importorskip("dask.array")
    point, columns = ap.operating_point([1, 0], [0.5, 0], k=1), rows_of(5)
    given = [columns[name] for name in ("label", "score", "half")]
    y_true, y_score, by = (array.from_array(column, chunks=90) for column in given)
    assert point.check(y_true, y_score, by=by) == point.check(*given[:2], by=given[2])


def test_categories_of_dask_keep_their_order():
    pandas, dask = (pytest.importorskip(name) for name in ("pandas", "dask.dataframe"))
    kind = pandas.Categorical(["low", "high"] * 9, ["low", "high"])
    frame = pandas.DataFrame({"y": [0, 1, 1] * 6, "s": range(18), "kind": kind})
    point = ap.operating_point([1, 0], [3, 1], k=1)
    found = point.check("y", "s", by="kind", data=dask.from_pandas(frame, npartitions=3))
    assert [row.segment for row in found] == [None, "low", "high"]
    assert found == point.check("y", "s", by="kind", data=frame)


def test_a_check_with_weights_whose_squares_overflow():
    columns = {"y": [1, 0, 1, 0, 1], "s": [5, 4, 3, 2, 1], "w": [1e200, 2e200, 1e200, 3e200, 1e200]}
    import pyarrow.dataset

    point = ap.operating_point([1, 0], [3, 1], k=1)
    table, given = pa.table(columns), {"sample_weight": "w"}
    found = point.check("y", "s", data=pyarrow.dataset.dataset(table), **given)
    assert str(found) == str(point.check("y", "s", data=table, **given))


# What is read
def dataset():
    import pyarrow.dataset

    return pyarrow.dataset.dataset(arrow(ROWS))


@pytest.mark.parametrize(
    ("request_", "number"),
    [
        ({"threshold": 0.5}, 1),
        ({"min_recall": 0.5}, 2),
        ({"min_recall": 0.5, "confidence_level": 0.8}, 2),
        ({"k": 5}, 2),  # of scores that are tied
        ({"min_recall": 0.5, "groups": "query"}, 3),
    ],
)
def test_passes(request_, number, passes, few_slices):
    ap.operating_point("label", "score", data=dataset(), **request_)
    assert len(passes) == number


def test_models_share_the_passes(passes):
    models = ["score", "other", "third"]
    ap.operating_point("label", models, min_recall=0.5, data=dataset())
    assert len(passes) == 2


def test_all_thresholds_are_read_into_memory_when_they_are_asked_for(passes, recwarn):
    given = {"k": 5, "sample_weight": "mass"}
    with pytest.warns(UserWarning, match="k=5 counts weight"):
        point = ap.operating_point("label", "score", data=dataset(), **given)
    with pytest.warns(UserWarning, match="k=5 counts weight"):
        whole = ap.operating_point("label", "score", data=pa.table(ROWS), **given)
    recwarn.clear()
    expected, columns = whole.all_thresholds(), point.all_thresholds()
    assert not recwarn  # the first call has said it
    assert columns.keys() == expected.keys()
    for name, column in columns.items():
        assert column == pytest.approx(expected[name], rel=1e-12), name


class Lists(Engine):
    """Chunks in memory, whose summaries are measured."""

    def __init__(self, chunks, *roles):
        self.chunks, self.columns = chunks, dict.fromkeys(["y_score", *roles])
        self.largest = 0

    def over_chunks(self, make, join):
        def measured(part):
            self.largest = max(self.largest, len(dumps(part)))
            return part

        chunks = self.chunks() if callable(self.chunks) else self.chunks
        made = (measured(make(chunk)) for chunk in chunks)
        return join_in_tree(made, lambda parts: measured(join(parts)))


def chosen(engine, **given):
    names = "min_recall", "min_precision", "k", "k_counts", "quantile", "confidence_level"
    given = {"k_counts": "weight", **given}
    request = Targets(*(given.get(name) for name in names), 1, None, given.get("threshold"))
    inputs = Inputs(engine=engine, n_positives=given.get("n_positives"))
    (point,) = thresholds._points_in_passes(request, Unread(), inputs).values()
    return point


@pytest.mark.parametrize(
    "request_",
    [
        {"min_recall": 0.8},
        {"k": 0.3},
        {"k": 3000, "min_recall": 0.1},
        {"min_precision": 0.02, "confidence_level": 0.9},
        {"min_recall": 0.5, "confidence_level": 0.9},
    ],
)
def test_summaries_are_small(request_, monkeypatch):
    """Few positives, each with a score of its own, among many other scores."""
    monkeypatch.setattr(jobs, "_SLICES", 64)
    rng = np.random.default_rng(0)
    size, labels = 40_000, np.zeros(40_000, dtype=int)
    labels[rng.choice(size, 40, replace=False)] = 1
    scores = rng.standard_normal(size) + 2 * labels
    parts = [slice(start, start + 1000) for start in range(0, size, 1000)]
    engine = Lists([[labels[part], scores[part], None, None] for part in parts])
    found = chosen(engine, **request_)
    assert found.to_dict() == ap.operating_point(labels, scores, **request_).to_dict()
    assert engine.largest < 8 * size / 4


@pytest.mark.parametrize("request_", [{"min_recall": 0.5}, {"k": 2}, {"k": 0.5}])
@pytest.mark.parametrize("change", ["scores", "labels", "rows", "a score"])
def test_data_that_changes_between_passes(request_, change, monkeypatch):
    monkeypatch.setattr(jobs, "_SLICES", 2)
    labels, scores = np.array([1, 0, 1, 0, 0, 1]), np.array([6.0, 5, 4, 3, 2, 1])
    times = []

    def chunks():
        times.append(1)
        y, s = labels, scores
        if len(times) > 1:
            y = y[::-1] if change == "labels" else y
            s = {"scores": s + 1, "a score": np.where(s == 3, 3.5, s)}.get(change, s)
            y, s = (y[1:], s[1:]) if change == "rows" else (y, s)
        return [[y[:2], s[:2], None, None], [y[2:], s[2:], None, None]]

    with pytest.raises(RuntimeError, match="when they were read a second time"):
        chosen(Lists(chunks), **request_)


@pytest.mark.parametrize("after", [["a", "a", "b", "c"], ["a", "b", "b", "b"]])
def test_groups_that_change_between_passes(after):
    times = []

    def chunks():
        times.append(1)
        names = np.array(["a", "a", "b", "b"] if len(times) == 1 else after)
        return [[np.array([1, 0, 1, 0]), np.array([4.0, 3, 2, 1]), None, names]]

    with pytest.raises(RuntimeError, match="contained other groups when they were read a second"):
        chosen(Lists(chunks, "groups"), k=1)


def test_too_many_scores_of_positives(monkeypatch):
    monkeypatch.setattr(Lists, "most", 2)
    with pytest.raises(ValueError, match=r"more than 2 distinct .* Use data on one machine"):
        chosen(Lists([[[1, 1, 1, 0], [4.0, 3, 2, 1], None, None]]), min_recall=0.5)


def test_data_that_can_be_read_once():
    """It is read into memory, in one pass."""
    reader = arrow(ROWS).to_reader(7)
    found = ap.operating_point("label", "score", min_recall=0.5, prevalence=0.1, data=reader)
    given = {"min_recall": 0.5, "prevalence": 0.1, "data": pa.table(ROWS)}
    assert str(found) == str(ap.operating_point("label", "score", **given))
    with pytest.raises(ValueError, match="data can be read only once"):
        ap.operating_point("label", "score", min_recall=0.5, data=reader)


@pytest.mark.parametrize(
    "given",
    [
        {"k": 5, "clusters": "day"},
        {"min_recall": 0.5, "sample_weight": ROWS["mass"]},
    ],
)
def test_what_is_read_into_memory(given):
    found = ap.operating_point("label", "score", data=dataset(), **given)
    assert str(found) == str(ap.operating_point("label", "score", data=pa.table(ROWS), **given))


def test_no_rows():
    import pyarrow.dataset

    nothing = pyarrow.dataset.dataset(arrow(ROWS).slice(0, 0))
    for given in ({"min_recall": 0.5}, {"k": 3}, {"threshold": 1.0}):
        with pytest.raises(ValueError, match=r"0 sample\(s\) in y_true"):
            ap.operating_point("label", "score", data=nothing, **given)


@pytest.mark.parametrize("scores", ["score", ["score", "other"]])
def test_errors_name_columns(scores):
    rng = np.random.default_rng(0)
    table = pa.table({"label": [0, 1] * 20, "score": rng.random(40), "other": rng.random(40)})
    said = []
    for data in (table, pytest.importorskip("pyarrow.dataset").dataset(table)):
        with pytest.raises(ap.exceptions.NotReachableError, match=r"is the column 'score'\)$") as e:
            ap.operating_point("label", scores, min_precision=1.0, k=30, data=data)
        said.append(str(e.value))
    assert said[0] == said[1]


def test_a_lazy_table_without_rows_is_refused_by_segment():
    pl = pytest.importorskip("polars")
    point = ap.operating_point([1, 0, 1], [3, 2, 1], min_recall=0.5)
    empty = pl.DataFrame({"y": [1], "s": [1.0], "g": [1]}).lazy().filter(pl.col("s") > 9)
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        point.check("y", "s", by="g", data=empty)
