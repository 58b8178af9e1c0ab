"""Streams: with any chunks, the values are those of the public functions for the whole data."""

import copy
import pickle
import sys
from decimal import Decimal
from fractions import Fraction
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap
from sklearn_ap.streaming import MetricAccumulator

from .chunks import chunked, fill, pieces
from .examples import AP
from .registry import DEFINITIONS, RULE_OF, chosen
from .strategies import INTEGERS, any_weight_of_k, rankings, untied_rankings

PUBLIC = [name for name, row in DEFINITIONS.items() if row.score]
WEIGHTED = [name for name in PUBLIC if RULE_OF[name].takes_weights]


def local(name, labels, scores, weights=None, **options):
    row = DEFINITIONS[name]
    score = getattr(sklearn_ap, row.score)
    options = {"zero_division": 0.0} | row.options | chosen(row) | options
    return score(labels, scores, sample_weight=weights, **options)


WHOLE = st.one_of(rankings(), untied_rankings(), rankings(weights=INTEGERS))


@any_weight_of_k
@given(chunked(WHOLE), st.integers(1, 9))
def test_any_chunking_gives_the_same_to_the_bit(data, k):
    stream = fill(*data)
    for name in PUBLIC if data[0].weights is None else WEIGHTED:
        row = DEFINITIONS[name]
        options = {"k": k} if RULE_OF[name].depth and not row.options else chosen(row)
        value = local(name, *data[0], **options)
        assert stream.result(name, zero_division=0.0, **options) == value


@given(chunked(rankings(positives=True)), st.permutations(range(3)))
def test_merging_in_any_order_gives_the_same(data, order):
    ranking, cuts = data
    whole = fill(ranking, cuts)
    parts = [MetricAccumulator() for _ in range(3)]
    for i, piece in enumerate(pieces(ranking, cuts)):
        parts[i % 3].update(*piece)
    merged = MetricAccumulator()
    for i in order:
        merged.merge(pickle.loads(pickle.dumps(parts[i])))
    for name, row in DEFINITIONS.items():
        assert merged.result(name, **chosen(row)) == whole.result(name, **chosen(row))


# Scores are compared exactly
BIG = 2**53


@pytest.mark.parametrize(
    "chunks",
    [
        [np.array([BIG, BIG + 1])],
        [np.array([BIG]), np.array([BIG + 1])],
        [np.array([BIG], dtype=np.uint64), np.array([BIG + 1])],
        [np.array([BIG + 2**63], dtype=np.uint64), np.array([-1])],
        [np.array([float(BIG)]), np.array([BIG + 1])],
        [np.array([BIG + 1]), np.array([0.5]), np.array([BIG])],
        [np.array([BIG], dtype=object), np.array([Fraction(2 * BIG + 1, 2)], dtype=object)],
        [np.array([0.1], dtype=np.float32), np.array([0.1])],
    ],
)
def test_no_score_is_rounded(chunks):
    stream = MetricAccumulator()
    scores = [score for chunk in chunks for score in chunk.tolist()]
    for chunk in chunks:
        stream.update(np.array([score == max(scores) for score in chunk.tolist()]), chunk)
    assert stream.result() == 1


def test_numbers_of_numpy_among_objects_are_not_rounded():
    larger = Fraction(1, 10)
    pairs = (np.float64(BIG), BIG + 1), (np.float32(1), 10**400), (np.float16(0.1), larger)
    for one, other in pairs:
        scores = np.array([one, other], dtype=object)
        assert AP([0, 1], scores) == MetricAccumulator().update([0, 1], scores).result() == 1


def test_equal_scores_of_several_kinds_are_tied():
    for one, other in ((0.0, -0.0), (1, 1.0), (np.float32(0.5), 0.5), (np.uint8(3), 3), (True, 1)):
        stream = MetricAccumulator().update([1], np.array([one]))
        assert stream.update([0], np.array([other])).result() == 0.5


def test_zeros_of_both_signs_are_tied_below_large_scores():
    stream = MetricAccumulator().update([1, 0, 0], [0.0, 1e300, 1e301])
    assert stream.update([0, 0], [-0.0, 1.1e301]).result() == 0.2


# What is refused changes nothing

REFUSED = {
    "inf": ([0, 1], [np.inf, 0.5]),
    "another label": ([2, 2], [0.1, 0.2]),
    "text": (["a", "b"], [0.1, 0.2]),
    "missing label": ([0, np.nan], [0.1, 0.2]),
    "negative weights": ([0, 1], [0.1, 0.2], [1, -1]),
    "dates": ([0, 1], np.array([0, 1], dtype="datetime64[D]")),
}


@pytest.mark.parametrize("chunk", REFUSED.values(), ids=REFUSED)
def test_a_refused_update_changes_nothing(chunk):
    stream = MetricAccumulator().update([0, 1, 1], [0.3, 0.4, 0.1])
    before = stream.result(), repr(stream), pickle.dumps(stream)
    with pytest.raises(ValueError, match=" "):
        stream.update(*chunk)
    assert (stream.result(), repr(stream), pickle.dumps(stream)) == before


def test_streams_and_arrays_say_the_same_of_no_positives():
    rows = [0, 0], [0.2, 0.1]
    words = r"recall is set to one for all thresholds\. The value \(pos_label=1, and .* only 0\) is"
    for call in (MetricAccumulator().update(*rows).result, lambda: AP(*rows)):
        with pytest.warns(UndefinedMetricWarning, match=words):
            assert call() == 0


def test_no_positives_anywhere():
    stream = MetricAccumulator().update([0, 0], [0.1, 0.2]).update([0], [0.3])
    with pytest.warns(UndefinedMetricWarning, match="No positive class found") as caught:
        assert stream.result() == 0
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert np.isnan(stream.result("11-point", zero_division=np.nan))
    assert stream.result(zero_division=1.0) == 1


@pytest.mark.parametrize(
    "copied",
    [
        copy.copy,
        copy.deepcopy,
        lambda stream: pickle.loads(pickle.dumps(stream)),
    ],
)
@pytest.mark.parametrize("grouped", [False, True])
def test_a_copy_goes_its_own_way(copied, grouped):
    a, b = ({"groups": [name] * 2} if grouped else {} for name in "ab")
    stream = MetricAccumulator().update([0, 1], [0.9, 0.8], **a)
    other = copied(stream).update([0, 1], [0.6, 0.7], **b)
    assert stream.result() == 0.5
    stream.update([1, 0], [1.0, 0.1], **b)
    expected = (3 / 4, 3 / 4) if grouped else ((1 + 2 / 3) / 2, (1 / 2 + 2 / 3) / 2)
    assert (stream.result(), other.result()) == pytest.approx(expected)


@pytest.fixture
def hasty_threads():
    """Make Python switch between threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def run_in_threads(work, arguments):
    threads = [Thread(target=work, args=[each], daemon=True) for each in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)


@pytest.mark.parametrize("merged", [False, True])
def test_threads_may_share_one(hasty_threads, merged):
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 2, 40_000), rng.integers(0, 3000, 40_000)
    stream = MetricAccumulator()

    def count(rows):
        for part in np.array_split(rows, 50):
            chunk = labels[part], scores[part]
            if merged:
                stream.merge(MetricAccumulator().update(*chunk))
            else:
                stream.update(*chunk)
            stream.result()

    run_in_threads(count, np.array_split(np.arange(40_000), 4))
    assert ": 40,000 samples" in repr(stream)
    assert stream.result() == local("step", labels, scores)


def test_threads_may_merge_two_into_each_other(hasty_threads):
    pair = [MetricAccumulator() for _ in range(2)]
    pair[0].update([0, 1], [0.9, 0.8])

    def merge(order):
        for _ in range(20):
            pair[order].merge(pair[1 - order])

    run_in_threads(merge, [0, 1])
    assert [stream.result() for stream in pair] == [0.5, 0.5]


def test_merging_waits_until_the_other_one_is_at_rest():
    """An update in another thread is merged completely or not at all."""
    stream, other = MetricAccumulator(), MetricAccumulator()
    thread = Thread(target=stream.merge, args=[other], daemon=True)
    with other._lock:  # as during an update
        thread.start()
        thread.join(timeout=0.1)
        assert thread.is_alive()
    thread.join(timeout=60)
    assert not thread.is_alive()


def test_scores_beyond_the_floats():
    stream = MetricAccumulator().update([0, 1], [1, 2])
    stream.update([0, 1, 0], np.array([10**400, 1, -(10**400)], dtype=object))
    assert stream.result() == 1 / 2 * (1 / 2 + 2 / 4)


def test_positives_that_were_all_scored_are_not_too_many_in_any_order():
    rng = np.random.default_rng(0)
    for _ in range(20):
        columns = labels, _, weights = rng.random(50) < 0.5, rng.random(50), rng.random(50)
        stream = MetricAccumulator()
        for part in zip(*(np.split(column, 5) for column in columns), strict=True):
            stream.update(*part)
        for mass in (weights[labels].sum(), (weights * labels).sum()):
            value = local("step", *columns, n_positives=mass)
            assert stream.result(n_positives=mass) == pytest.approx(value, abs=1e-12)


# --- intervals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"metric": "linear", "confidence_level": 0.9, "n_positives": 60},
        {"metric": "at-k", "k": 5, "random_state": 3},
        {"method": "bootstrap", "n_resamples": 99, "n_positives": 60},
    ],
)
def test_interval_of_a_stream_is_that_of_the_whole(options):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    score = (rng.standard_normal(100) + y).round(1)
    stream = MetricAccumulator()
    for part in np.array_split(np.arange(100), 7):
        stream.update(y[part], score[part])
    options = {"random_state": 0} | options
    found = stream.confidence_interval(**options)
    assert found == sklearn_ap.confidence_interval(y, score, **options)
    named = stream.confidence_interval(name="bm25", **options)
    assert (named, named.name) == (found, "bm25")


def test_interval_of_a_billion_samples():
    """From counts alone: there are few distinct scores, each with many samples."""
    stream = MetricAccumulator().update([0, 1, 0, 1], [1, 2, 3, 4])
    for _ in range(28):
        stream.merge(copy.deepcopy(stream))
    found = stream.confidence_interval()
    assert found.basis == f"{2 * 2**28:,} positives"
    assert 0 < found.standard_error < 1e-4
    drawn = stream.confidence_interval(method="bootstrap", random_state=0)
    assert drawn.standard_error == pytest.approx(found.standard_error, rel=0.1)


# Groups, each of which is complete in one update
@pytest.fixture(scope="module")
def queries():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    score = (rng.standard_normal(300) + y).round(1)
    return y, score, np.sort(rng.integers(0, 25, 300))


def in_batches(queries, size=7):
    """A stream of batches of seven queries, with rows in any order."""
    y, score, group = queries
    stream = MetricAccumulator()
    for start in range(0, 25, size):
        rows = np.flatnonzero((group >= start) & (group < start + size))[::-1]
        stream.update(y[rows], score[rows], groups=group[rows])
    return stream


def test_interval_over_groups(queries):
    y, score, group = queries
    for average in ("macro", "weighted"):
        given = {"average": average, "zero_division": np.nan}
        found = in_batches(queries).confidence_interval(**given)
        assert found == sklearn_ap.confidence_interval(y, score, groups=group, **given)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("n_negatives", [0, 1, 3])
@pytest.mark.parametrize("name", ["AP", "P@30%", "R@30%", "AP@30%", "EF@30%", "envelope"])
def test_groups_of_hardly_any_negatives_have_a_prevalence(name, n_negatives):
    """Rounding errors of sums of weights aren't taken for negatives, which would be scaled up."""
    options = {"k_counts": "weight"} if "@" in name else {}
    metric, rng = sklearn_ap.metric(name, **options), np.random.default_rng(0)
    for _ in range(20):
        y, weight = np.ones(120, int), rng.random(120) + 0.1
        y[rng.permutation(120)[:n_negatives]] = 0
        score, group, stream = rng.integers(0, 9, 120), np.arange(120) // 30, MetricAccumulator()
        for rows in (slice(0, 60), slice(60, None)):
            stream.update(y[rows], score[rows], weight[rows], groups=group[rows])
        given = {"groups": group, "sample_weight": weight, "prevalence": 0.01}
        found = stream.result(metric, prevalence=0.01)
        assert found == pytest.approx(metric(y, score, **given), rel=1e-9)


def test_streams_of_groups_are_merged(queries):
    y, score, group = queries
    first, rest = (
        MetricAccumulator().update(y[some], score[some], groups=group[some])
        for some in (group < 9, group > 8)
    )
    expected = in_batches(queries).result(zero_division=0.0)
    assert first.merge(rest).result(zero_division=0.0) == pytest.approx(expected)
    assert repr(rest).endswith(f"{(group > 8).sum()} samples, 16 groups")


@pytest.mark.parametrize(
    ("update", "match"),
    [
        (
            lambda s: s.update([1, 0], [1.0, 2.0], groups=[99, 3]),
            "The group 3 was already in an earlier",
        ),
        (lambda s: s.merge(copy.deepcopy(s)), "The group 0 was already in an earlier update"),
        (lambda s: s.update([1], [1.0]), "groups must be passed in all updates or in none"),
        (
            lambda s: s.update([1], [1.0], [2], groups=[99]),
            "With groups, sample_weight must be passed in all updates",
        ),
        (lambda s: s.result(average="micro"), "average must be one of"),
    ],
)
def test_groups_that_do_not_fit(queries, update, match):
    stream = in_batches(queries)
    before = repr(stream), stream.result(zero_division=0.0)
    with pytest.raises(ValueError, match=match):
        update(stream)
    assert (repr(stream), stream.result(zero_division=0.0)) == before


def test_whole_weights_of_many_chunks_do_not_overflow():
    """In each chunk they are below 2**53 and counted in integers; together they exceed 2**64."""
    stream = MetricAccumulator()
    stream.update([1, 0, 1, 0], [4, 3, 2, 1], [2**50, 2**50, 2**50, 2**50 - 1])
    for _ in range(14):
        stream.merge(copy.deepcopy(stream))
    assert stream.result() == pytest.approx((1 + 2 / 3) / 2)


def test_rows_count_where_only_some_updates_have_weights(recwarn):
    stream = MetricAccumulator().update([1, 0], [0.9, 0.8])
    stream.update([0, 1], [0.85, 0.7], sample_weight=[5, 5])
    found = [stream.result("recall-at-k", k=k, k_counts="samples") for k in (3, 4)]
    assert found == pytest.approx([1 / 6, 1])
    stream = MetricAccumulator().update([1, 0, 1], [3, 2, 1], [1, 1, 0])
    assert stream.result("precision-at-k", k=2) == 0.5
    assert not recwarn.list  # a row of no weight is not among the weights


@pytest.mark.parametrize(
    "kind", [Decimal, Fraction, np.array, np.float64, lambda value: np.array(value, dtype=object)]
)
def test_numbers_of_all_kinds_come_one_by_one(kind):
    stream = MetricAccumulator()
    for label, score, weight in ((1, 0.5, 2), (0, 0.75, 1), (1, 0.25, 1)):
        given = {"y_score": kind(score), "sample_weight": kind(weight)}
        assert stream.update(np.array(label), **given) is stream
    # The negative is first: 2/3 at a recall of 2/3, and 3/4 at a recall of 1
    assert stream.result() == pytest.approx(2 / 3 * 2 / 3 + 3 / 4 / 3)


def test_samples_can_come_one_by_one_without_lists():
    labels, scores, weights = [True, False, True, False], [0.7, 0.9, 0.4, 0.4], [1.0, 2.0, 0.5, 1.0]
    one, weighted, words = (
        MetricAccumulator(),
        MetricAccumulator(),
        MetricAccumulator(pos_label="y"),
    )
    for label, score, weight in zip(labels, scores, weights, strict=True):
        assert one.update(label, score) is one
        weighted.update(np.bool_(label), y_score=np.float32(score), sample_weight=weight)
        words.update("y" if label else "n", score, None)
    assert one.result() == words.result() == AP(labels, scores)
    in_32_bits = np.float32(scores)
    assert weighted.result() == AP(labels, in_32_bits, sample_weight=weights)
    for wrong, match in (
        ((True, "0.7"), "y_true"),
        ((True, [0.7]), "y_true"),
        (([True], 0.7), "y_score"),
        ((True, np.nan), "y_score contains NaN"),
        (("fraud", 0.7), "Mix of label input types"),
    ):
        before = repr(one)
        with pytest.raises(ValueError, match=match):
            one.update(*wrong)
        assert repr(one) == before


def test_decimals_of_chunks_that_become_equal_warn_once():
    """At the end, because chunks can be read by several processes."""
    near = [Decimal("0.3"), Decimal("0.30000000000000000001"), Decimal("0.2")]
    stream = MetricAccumulator()
    for _ in range(3):
        stream.update([1, 0, 1], near)
    with pytest.warns(UserWarning, match="decimals are converted to float64") as caught:
        value = stream.result()
    assert len(caught) == 1
    assert value == AP([1, 0, 1] * 3, [0.3, 0.3, 0.2] * 3)


# --- thresholds ----------------------------------------------------------------------------------


TARGETS = [
    {"min_recall": 0.6},
    {"min_precision": 0.5},
    {"min_recall": 0.5, "min_precision": 0.3},
    {"k": 5},
    {"k": 0.3, "k_counts": "samples"},
    {"k": 12, "min_recall": 0.2, "k_counts": "weight"},
    {"threshold": 3},
    {"threshold": 3.5},
    {"min_recall": 0.4, "n_positives": 90},
    {"min_recall": 0.5, "prevalence": 0.05},
    {"k": 0.2, "prevalence": 0.05, "k_counts": "weight"},
    {"min_precision": 0.05, "prevalence": 0.05, "n_positives": 90},
]
PROMISES = [
    {"min_recall": 0.5, "confidence_level": 0.9},
    {"min_precision": 0.3, "confidence_level": 0.9},
    {"min_recall": 0.4, "min_precision": 0.2, "confidence_level": 0.9},
    {"min_recall": 0.4, "k": 0.9, "confidence_level": 0.9},
    {"min_recall": 0.3, "n_positives": 60, "confidence_level": 0.9},
]


def outcome_of(choose, *args, **options):
    try:
        found = choose(*args, **options).to_dict()
        return found | {"digest": None}  # of values that can differ by rounding
    except sklearn_ap.exceptions.NotReachableError as error:
        return str(error)


def in_decimals(outcome):
    """Forget the last bits, because a prevalence multiplies sums here and weights in memory."""
    if isinstance(outcome, str):
        return outcome
    return {
        name: float(f"{each:.12g}") if isinstance(each, float) else each
        for name, each in outcome.items()
    }


def point_or_error(data, weights, seed, targets):
    """Return the threshold of a stream and that of all samples in memory, or what errors say."""
    rng = np.random.default_rng(seed)
    stream = MetricAccumulator()
    for some in np.array_split(rng.permutation(data[0].size), [5, 5, 60]):
        stream.update(*(each[some] for each in data), None if weights is None else weights[some])
    found = outcome_of(stream.operating_point, **targets)
    return found, outcome_of(sklearn_ap.operating_point, *data, sample_weight=weights, **targets)


def any_ranking(seed, dtype):
    """Samples with many ties and a few high scores without any."""
    rng = np.random.default_rng(seed)
    y = rng.random(150) < 0.35
    return y, (rng.integers(-4, 6, y.size) / 2 + y * rng.integers(0, 4, y.size)).astype(dtype)


@pytest.mark.sweep(5)
@pytest.mark.parametrize("targets", [*TARGETS, *PROMISES], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_thresholds_of_a_stream_are_those_in_memory(targets, dtype):
    n_points = 0
    for seed in range(6):
        found, expected = point_or_error(any_ranking(seed, dtype), None, seed, targets)
        if "prevalence" in targets:
            found, expected = in_decimals(found), in_decimals(expected)
        assert found == expected
        n_points += isinstance(found, dict)
    assert n_points


@pytest.mark.sweep(4)
@pytest.mark.parametrize("targets", TARGETS, ids=str)
def test_thresholds_of_a_stream_with_integer_weights_are_those_in_memory(targets):
    if "k" in targets:
        targets = {"k_counts": "weight"} | targets
    if "n_positives" in targets:
        targets = targets | {"n_positives": 400}
    for seed in range(6):
        weights = np.random.default_rng([seed, 1]).integers(0, 6, 150)
        found, expected = point_or_error(any_ranking(seed, float), weights, seed, targets)
        if isinstance(found, dict) and isinstance(expected, dict):
            # The stream knows no more about weights of positives than their sums, and no columns.
            for name in ("equal_weights", "columns"):
                found[name] = expected[name]
        if "prevalence" in targets:
            found, expected = in_decimals(found), in_decimals(expected)
        assert found == expected


@pytest.mark.parametrize("targets", TARGETS[:4], ids=str)
def test_thresholds_of_a_stream_with_fractional_weights_are_those_in_memory(targets):
    if "k" in targets:
        targets = {"k_counts": "weight"} | targets
    for seed in range(6):
        y, scores = any_ranking(seed, float)
        weights = np.random.default_rng([seed, 1]).exponential(size=150)
        stream = MetricAccumulator()
        for some in np.array_split(np.arange(150), 4):
            stream.update(y[some], scores[some], weights[some])
        found = stream.operating_point(**targets)
        expected = sklearn_ap.operating_point(y, scores, sample_weight=weights, **targets)
        assert (found.threshold, found.n_flagged) == (expected.threshold, expected.n_flagged)
        assert found.true_positives == expected.true_positives
        assert found.precision == pytest.approx(expected.precision, rel=1e-12)
        assert found.found_mass == pytest.approx(expected.found_mass, rel=1e-12)


def test_weights_of_negatives_only_leave_those_of_positives_equal():
    y, scores = any_ranking(0, float)
    for weights, expected in [(np.where(y, 1.0, 10.0), True), (1.0 + np.arange(150), False)]:
        point = MetricAccumulator().update(y, scores, weights).operating_point(threshold=2)
        assert point.source.equal_weights is expected


def test_a_threshold_of_a_stream_does_what_others_do():
    y, scores = any_ranking(3, float)
    stream = MetricAccumulator(min_grade=2).update(2 * y, scores)
    point = stream.operating_point(min_recall=0.6)
    expected = sklearn_ap.operating_point(2 * y, scores, min_grade=2, min_recall=0.6)
    assert point == expected
    assert str(point.check(2 * y, scores)) == str(expected.check(2 * y, scores))
    halves = [MetricAccumulator().update(y[some], scores[some]) for some in (y > 0, y == 0)]
    merged = pickle.loads(pickle.dumps(halves[0].merge(halves[1])))
    assert merged.operating_point(k=7) == sklearn_ap.operating_point(y, scores, k=7)


def test_a_threshold_of_a_stream_warns_of_narrow_scores():
    y, scores = any_ranking(0, "float32")
    scores = scores / np.float32(10)
    stream = MetricAccumulator().update(y, scores)
    for choose in (stream.operating_point, lambda **o: sklearn_ap.operating_point(y, scores, **o)):
        with pytest.warns(UserWarning, match=r"threshold=0\.35 flags"):
            choose(threshold=0.35)


METHODS = [name for name in vars(MetricAccumulator) if not name.startswith("_")]
ASKED = [name for name in METHODS if name not in ("reset", "update", "merge")]


@pytest.mark.parametrize("method", ASKED)
def test_what_is_asked_says_where_options_about_the_data_go(method):
    where = {"clusters": "doesn't remember", "groups": "to update", "min_grade": "when you create"}
    for option, words in where.items():
        with pytest.raises(TypeError, match=words):
            getattr(MetricAccumulator(), method)(**{option: 1})
