"""What each question reads of a table that may not fit in memory: passes over chunks, or all rows.

A row says what is enough, and a spy sees whether rows were read into memory.
"""

import inspect

import numpy as np
import pyarrow as pa
import pytest
from matplotlib import pyplot as plt

import sklearn_ap as ap
from sklearn_ap._enter.entry import readings_of_models
from sklearn_ap._words.engine import NeedsRowsError
from sklearn_ap._words.inputs import Unread
from sklearn_ap._words.reads import Reads

from .calls import FUNCTIONS, IN_PASSES, functions_of_tables

ONCE, AGAIN, ROWS = Reads

RNG = np.random.default_rng(0)
QUERY = np.repeat(np.arange(12), 10)
LABEL = RNG.random(120) < 0.3
LABEL[::10] = True
COLUMNS = {
    "label": LABEL.astype(int),
    "score": np.round(RNG.normal(1.0 * LABEL), 1),
    "other": np.round(RNG.normal(0.5 * LABEL), 1),
    "query": QUERY,
    "user": QUERY // 2,
    "country": np.where(QUERY < 6, "DE", "FR"),
    "amount": RNG.integers(1, 9, 120),
}
TABLE = pa.table(COLUMNS)
POINT = ap.operating_point("label", "score", min_recall=0.5, data=TABLE)

PLAIN = {"y_true": "label", "y_score": "score"}
WEIGHTED = {**PLAIN, "sample_weight": "amount"}
CLUSTERS = {**PLAIN, "clusters": "user"}
GROUPS = {**PLAIN, "groups": "query"}
USERS = {**GROUPS, "clusters": "user"}
MODELS = {"y_true": "label", "y_score": ["score", "other"]}
COMPARED = {"y_true": "label", "y_score_a": ["score", "other"]}
EXIST = dict.fromkeys(range(12), 10)


def error_of_group(y_true, y_score):
    return float(np.mean(y_true))


FUNCTION = ap.metric(error_of_group, name="mean")
PROMISE = {"min_precision": 0.1, "confidence_level": 0.9}
RECALL = {"min_recall": 0.5}
by_country = {"by": "country"}

# question, arguments, what is enough
QUESTIONS = [
    (ap.average_precision_score, PLAIN, ONCE),
    (ap.average_precision_score, WEIGHTED, ONCE),
    (ap.precision_at_k_score, {**PLAIN, "k": 3}, ONCE),
    (ap.mean_average_precision_score, {**WEIGHTED, "groups": "query"}, ONCE),
    (ap.average_precision_score, {**GROUPS, "prevalence": 0.1}, ONCE),
    (ap.confidence_interval, PLAIN, AGAIN),
    (ap.confidence_interval, WEIGHTED, ROWS),
    (ap.confidence_interval, CLUSTERS, ROWS),
    (ap.confidence_interval, {**PLAIN, "prevalence": 0.1}, ROWS),
    (ap.confidence_interval, GROUPS, AGAIN),
    (ap.confidence_interval, {**GROUPS, "sample_weight": "amount"}, AGAIN),
    (ap.confidence_interval, USERS, AGAIN),
    (ap.confidence_interval, {**USERS, "n_positives": EXIST}, ROWS),
    (ap.confidence_interval, {**GROUPS, "average": "weighted"}, AGAIN),
    (ap.confidence_interval, {**GROUPS, "metric": FUNCTION}, ROWS),
    (ap.compare, COMPARED, ROWS),
    (ap.compare, {**COMPARED, "groups": "query"}, AGAIN),
    (ap.report, {**PLAIN, "metrics": ["AP", "P@3"]}, AGAIN),
    (ap.report, MODELS, ROWS),
    (ap.report, {**MODELS, "groups": "query"}, AGAIN),
    (ap.report, {**GROUPS, **by_country}, ROWS),
    (ap.hit_curve, MODELS, AGAIN),
    (ap.hit_curve, {**WEIGHTED, "groups": "query"}, AGAIN),
    (ap.interpolated_precision_recall_curve, WEIGHTED, AGAIN),
    (ap.AveragePrecisionDisplay.from_predictions, MODELS, AGAIN),
    (ap.AveragePrecisionDisplay.from_predictions, {**PLAIN, "confidence_level": 0.9}, ROWS),
    (ap.HitCurveDisplay.from_predictions, GROUPS, AGAIN),
    (
        ap.HitCurveDisplay.from_predictions,
        {**WEIGHTED, "metric": ap.metric("precision_at_k", k=3, k_counts="samples")},
        ROWS,
    ),
    (ap.operating_point, {**MODELS, **RECALL}, AGAIN),
    (ap.operating_point, {**WEIGHTED, **RECALL}, AGAIN),
    (ap.operating_point, {**GROUPS, "k": 2, "quantile": 0.5}, AGAIN),
    (ap.operating_point, {**PLAIN, **PROMISE}, AGAIN),
    (ap.operating_point, {**WEIGHTED, **PROMISE}, ROWS),
    (ap.operating_point, {**WEIGHTED, **RECALL, "confidence_level": 0.9}, AGAIN),
    (ap.operating_point, {**CLUSTERS, **RECALL, "confidence_level": 0.9}, ROWS),
    (POINT.check, PLAIN, AGAIN),
    (POINT.check, {**WEIGHTED, "groups": "query"}, AGAIN),
    (POINT.check, CLUSTERS, ROWS),
    (POINT.check, {**PLAIN, **by_country}, AGAIN),
    (POINT.check, {**WEIGHTED, "groups": "query", "by": ["country", "user"]}, AGAIN),
    (POINT.check, {**CLUSTERS, **by_country}, ROWS),
    (POINT.check, {**GROUPS, **by_country, "n_positives": EXIST}, ROWS),
    (ap.compare_chance, {**PLAIN, "n_resamples": 9}, ROWS),
    (ap.compat.explain, PLAIN, ROWS),
    (ap.compat.identify, {"value": "0.5", **PLAIN}, ROWS),
]
NAMES = [f"{f.__qualname__}-{'-'.join(given)}" for f, given, _ in QUESTIONS]


def test_each_function_of_tables_is_a_question():
    """All metrics read alike, so some are enough."""
    asked = {question.__qualname__ for question, *_ in QUESTIONS}
    functions = {function.__qualname__ for _, function in functions_of_tables()}
    assert not {name for name in functions - asked if not name.endswith("_score")}


def test_each_question_of_several_passes_is_asked_about_tables_that_change():
    functions = [FUNCTIONS[name] for name in IN_PASSES if name in FUNCTIONS]
    changing = {inspect.unwrap(getattr(each, "func", each)).__qualname__ for each in functions}
    again = {question.__qualname__ for question, _, enough in QUESTIONS if enough is AGAIN}
    assert again - changing == {"OperatingPoint.check"}  # which needs one pass


@pytest.fixture
def collected(monkeypatch):
    """How often rows were read into memory."""
    from sklearn_ap._read import arrow

    times, collect = [], arrow.Batches.collected
    monkeypatch.setattr(arrow.Batches, "collected", lambda self: times.append(1) or collect(self))
    yield times
    plt.close("all")


def parquet(folder):
    import pyarrow.parquet as pq

    pq.write_table(TABLE, folder / "rows.parquet")
    return folder


@pytest.mark.parametrize(("question", "given", "enough"), QUESTIONS, ids=NAMES)
def test_rows_are_read_only_if_passes_are_not_enough(question, given, enough, collected, tmp_path):
    question(**given, data=parquet(tmp_path))
    assert bool(collected) == (enough is ROWS)


MANY_SCORES = {
    "different": RNG.normal(size=4000),
    "heavy tails": RNG.standard_cauchy(4000) ** 5,
    "zeros of both signs": np.where(RNG.random(4000) < 0.1, 0.0, RNG.normal(size=4000)) * -1,
    "of 32 bits": RNG.normal(size=4000).astype(np.float32),
    "beyond 2**53": 2**53 + np.arange(4000),
    "rounded": RNG.normal(size=4000).round(1),
    "constant": np.full(4000, 0.5),
}
TIED = ("rounded", "constant")


@pytest.mark.filterwarnings("ignore:All prediction scores")
@pytest.mark.parametrize("share", [0.5, 0.05])
@pytest.mark.parametrize("name", MANY_SCORES)
def test_rows_are_read_if_counts_at_their_scores_would_be_larger(
    name, share, collected, tmp_path, monkeypatch
):
    """Two passes count tables that aren't small, unless most positives have scores of their own."""
    import pyarrow.parquet as pq

    monkeypatch.setattr("sklearn_ap._evaluate.counted._FEW_SCORES", 100)
    rng = np.random.default_rng(1)
    labels = (rng.random(4000) < share).astype(int)
    table = {"label": labels, "score": MANY_SCORES[name], "weight": rng.integers(1, 9, 4000)}
    pq.write_table(pa.table(table), tmp_path / "rows.parquet", row_group_size=1000)
    given = "label", "score"

    value = ap.average_precision_score(*given, data=tmp_path)
    assert value == ap.average_precision_score(*given, data=table)
    assert len(collected) == (share == 0.5 and name not in TIED)

    weighted = ap.enrichment_factor_score(*given, k=0.1, sample_weight="weight", data=tmp_path)
    expected = ap.enrichment_factor_score(*given, k=0.1, sample_weight="weight", data=table)
    assert weighted == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("question", "given", "enough"), QUESTIONS, ids=NAMES)
def test_readers_that_can_be_read_once(question, given, enough, collected):
    """What needs more than one pass reads them into memory, or refuses them if it is never read."""
    if enough is ONCE and "prevalence" in given:
        with pytest.raises(ValueError, match="data can be read only once"):
            question(**given, data=TABLE.to_reader())
        return
    question(**given, data=TABLE.to_reader())
    assert bool(collected) == (enough is not ONCE)


class Counting:
    """A table that counts how often it is scanned."""

    def __init__(self, monkeypatch):
        from sklearn_ap._read import arrow

        self.passes, over_chunks = 0, arrow.Batches.over_chunks

        def counting(engine, *args):
            self.passes += 1
            return over_chunks(engine, *args)

        monkeypatch.setattr(arrow.Batches, "over_chunks", counting)


THREE = {"y_true": "label", "y_score": ["score", "other", "amount"]}
PASSES = [
    (ap.average_precision_score, PLAIN, 2),
    (ap.precision_at_k_score, {**PLAIN, "k": 3}, 1),
    (ap.average_precision_score, GROUPS, 1),  # sorted by groups
    (ap.average_precision_score, {**PLAIN, "groups": "country"}, 1),
    (ap.confidence_interval, PLAIN, 2),
    (ap.hit_curve, THREE, 2),
    (ap.hit_curve, {**THREE, "groups": "query"}, 1),
    (ap.AveragePrecisionDisplay.from_predictions, THREE, 2),
    (ap.operating_point, {**THREE, **RECALL}, 2),
    (POINT.check, PLAIN, 1),
    (POINT.check, {**PLAIN, **by_country}, 1),
]


@pytest.mark.parametrize(
    ("question", "given", "passes"), PASSES, ids=[each[0].__qualname__ for each in PASSES]
)
def test_models_share_passes(question, given, passes, monkeypatch, tmp_path):
    counting = Counting(monkeypatch)
    question(**given, data=parquet(tmp_path))
    plt.close("all")
    assert counting.passes == passes


def _always_ask(unread, asked):
    for reading in readings_of_models(unread, Reads.AGAIN):
        with reading as inputs:
            asked.append(inputs.has_rows)
            raise NeedsRowsError


SCORES = {"a": COLUMNS["score"], "b": COLUMNS["other"]}


@pytest.mark.parametrize(
    ("unread", "have_rows"),
    [
        (Unread(LABEL, COLUMNS["score"]), [True]),
        (Unread(LABEL, SCORES), [True]),
        (Unread("label", "score", data=COLUMNS), [True]),
        (Unread("label", "score", data="parquet"), [False, True]),
        (Unread("label", ["score", "other"], data="parquet"), [False, True]),
    ],
    ids=["arrays", "models", "table in memory", "passes", "passes over models"],
)
def test_a_block_that_has_the_rows_cannot_ask_for_them(unread, have_rows, tmp_path):
    """Nobody would read them again, so the caller would get no answer and no error."""
    if isinstance(unread.data, str):
        unread = unread._replace(data=parquet(tmp_path))
    asked = []
    with pytest.raises(NeedsRowsError):
        _always_ask(unread, asked)
    assert asked == have_rows
