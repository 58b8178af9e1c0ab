"""The passes over large data, run by minimal engines: lists of chunks in memory."""

from functools import partial
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap import confidence_interval, curves
from sklearn_ap._evaluate import counted
from sklearn_ap._evaluate.passes import run_models
from sklearn_ap._read.validation import read_rankings
from sklearn_ap._words.engine import join_in_tree
from sklearn_ap._words.inputs import Inputs
from sklearn_ap.core.rules import PrecisionAtK, Step
from sklearn_ap.streaming import MetricAccumulator

from .chunks import ENGINES, Gathering, Lists, Once, Ordered, chunked, evaluate, pieces
from .registry import (
    FIRST,
    OPTIONS,
    RULES,
    SOME,
    definition_of,
    exact,
    has_function,
    is_legal,
    score,
)
from .strategies import DYADIC, INTEGERS, Ranking, any_weight_of_k, picks, rankings, untied_rankings

PUBLIC = [rule for rule in SOME if has_function(rule)]
WITH_WEIGHTS = [rule for rule in PUBLIC if is_legal(rule, weighted=True)]
SHARES = [rule for rule in WITH_WEIGHTS if rule.depth and rule.depth.is_share]


each_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
once_or_again = pytest.mark.parametrize("engine", [Lists, Once])


def engine_of(engine, ranking, cuts, groups=None):
    rows = list(zip(*pieces(ranking, cuts), strict=True))
    labels, scores, weights = ([None] * (len(cuts) - 1) if row[0] is None else row for row in rows)
    names = [None if groups is None else list(groups[a:b]) for a, b in pairwise(cuts)]
    chunks = [list(chunk) for chunk in zip(labels, scores, weights, names, strict=True)]
    given_ = {"sample_weight": weights[0], "groups": names[0]}
    return engine(chunks, {role: True for role, column in given_.items() if column is not None})


def ten(rules):
    return st.lists(st.sampled_from(rules), min_size=10, max_size=10, unique=True)


WHOLE = st.one_of(rankings(), untied_rankings(), rankings(weights=INTEGERS))


def near(value, weights):
    """Expect the same to the last bit, except from weights, which chunks add up in other orders."""
    return value if weights is None else pytest.approx(value, abs=1e-12)


def check_same_in_chunks(engine, data, rules, missing=None):
    (labels, scores, weights), _ = data
    mass = int(np.sum(labels if weights is None else labels * weights))
    exist = None if missing is None else mass + missing
    for rule in rules:
        found = evaluate(engine_of(engine, *data), rule, n_positives=exist)
        given = {"sample_weight": weights, "n_positives": exist, "zero_division": 0.0}
        assert found == near(score(rule, labels, scores, **given), weights), rule


@once_or_again
@any_weight_of_k
@given(chunked(WHOLE), st.none() | st.integers(0, 3), st.data())
def test_any_chunks_give_the_same(engine, data, missing, draw):
    rules = PUBLIC if data[0].weights is None else WITH_WEIGHTS
    check_same_in_chunks(engine, data, draw.draw(ten(rules)), missing)


@once_or_again
@pytest.mark.parametrize("name", FIRST)
def test_shares_are_the_same_to_the_last_bit(engine, name):
    """Zeros of points below the cutoff can change the last bit of a sum over many points."""
    options = [
        {"ties": ties, **({} if name != "at-k" else {"denominator": denominator})}
        for ties in OPTIONS["ties"]
        for denominator in OPTIONS["denominator"][: None if name == "at-k" else 1]
    ]
    rules = [RULES[name](k, **each) for k in (0.07, 0.29, 0.5, 1.0) for each in options]
    rules = [rule for rule in rules if is_legal(rule, weighted=False)]
    rng = np.random.default_rng(0)
    for decimals in (1, 2, 9):
        labels = rng.random(1000) < 0.3
        ranking = Ranking(labels, np.round(rng.standard_normal(1000) + labels, decimals))
        for missing in (None, 7):
            check_same_in_chunks(engine, (ranking, [0, 100, 600, 1000]), rules, missing)


# Groups
@st.composite
def grouped(draw):
    """A ranking whose groups are consecutive or not, and how many positives exist."""
    ranking, cuts = draw(chunked(st.one_of(rankings(), rankings(weights=INTEGERS))))
    size = len(ranking.labels)
    names = draw(st.sampled_from([[3, 1, 2], ["b", "a", "c"]]))
    groups = draw(picks(size, names))[0].tolist()
    if draw(st.booleans()):
        groups.sort(reverse=draw(st.booleans()))
    return ranking, cuts, groups, draw(exist_in(ranking, groups))


def exist_in(ranking, groups):
    """Return how many positives exist in each group and in one without rows, or None."""
    found = dict.fromkeys([*groups, 99 if isinstance(groups[0], int) else "zz"], 0)
    masses = ranking.labels if ranking.weights is None else ranking.labels * ranking.weights
    for name, mass in zip(groups, masses.tolist(), strict=True):
        found[name] += int(mass)
    missed = st.lists(st.integers(0, 2), min_size=len(found), max_size=len(found))
    return st.none() | missed.map(
        lambda more: {name: n + m for (name, n), m in zip(found.items(), more, strict=True)}
    )


def follow_one_another(groups):
    return 1 + sum(a != b for a, b in pairwise(groups)) == len(set(groups))


@each_engine
@any_weight_of_k
@given(grouped(), st.sampled_from(["macro", "weighted", None]), st.data())
def test_groups(engine, data, average, draw):
    """In any order if the chunks can be read again, or if each group is in one chunk."""
    ranking, cuts, groups, exist = data
    labels, scores, weights = ranking
    given_ = {"average": average, "n_positives": exist}
    for rule in draw.draw(ten(PUBLIC if weights is None else WITH_WEIGHTS)):
        chunks = engine_of(engine, ranking, cuts, groups)
        if engine is Once and not follow_one_another(groups):
            with pytest.raises(ValueError, match=r"are not consecutive.*Sort it by groups"):
                evaluate(chunks, rule, **given_)
            continue
        found = evaluate(chunks, rule, **given_)
        data = {"groups": groups, "sample_weight": weights, "zero_division": 0.0}
        expected = score(rule, labels, scores, **data, **given_)
        if average is None:
            found, expected = found.tolist(), expected.tolist()
        assert found == near(expected, weights), rule


# Curves
def kept(labels):
    """Return which points of a curve it keeps: positives, and the lowest of negatives in a row."""
    return [
        bool(found) or place + 1 == len(labels) or bool(labels[place + 1])
        for place, found in enumerate(labels)
    ]


def check_curve(found, whole, is_exact):
    """Compare what is known of a ranking with all that memory knows."""
    keep = np.flatnonzero(kept(whole.points.positives))
    assert found.scores.tolist() == whole.scores[keep].tolist()
    starts = [0, *(keep[:-1] + 1)]  # of stretches
    assert found.highest.tolist() == whole.scores[starts[: keep.size]].tolist()
    for name in ("positives", "cum_positives", "cum_total"):
        values, expected = getattr(found.points, name), getattr(whole.points, name)[keep]
        assert np.array_equal(values, expected) or not is_exact, name
        assert values == pytest.approx(expected, abs=1e-12), name
    assert found.points.n_positives == pytest.approx(whole.points.n_positives)
    sizes = [
        each.points.n_samples if each.points.rows is None else each.points.rows.whole
        for each in (found, whole)
    ]
    assert sizes[0].tolist() == sizes[1].tolist()
    assert found.lacking == whole.lacking


@given(chunked(WHOLE), st.none() | st.integers(0, 3))
def test_curves(data, missing):
    (labels, scores, weights), _ = data
    mass = int(np.sum(labels if weights is None else labels * weights))
    exist = None if missing is None else mass + missing
    given_ = Inputs(labels, scores, sample_weight=weights, n_positives=exist)
    in_memory, _ = curves.rank_in_memory(given_)
    found, _ = curves.rank_in_passes(given_._replace(engine=engine_of(Lists, *data)))[None]
    assert [*found] == [*in_memory] == [None]
    check_curve(found[None], in_memory[None], is_exact=True)


@given(grouped())
def test_curves_of_groups(data):
    ranking, cuts, groups, exist = data
    labels, scores, weights = ranking
    given_ = Inputs(labels, scores, sample_weight=weights, n_positives=exist, groups=groups)
    in_memory, _ = curves.rank_in_memory(given_)
    engine = engine_of(Lists, ranking, cuts, groups)
    found, seen = curves.rank_in_passes(given_._replace(engine=engine))[None]
    assert seen.n_samples == len(labels)
    assert [*found] == [*in_memory]
    for name, whole in in_memory.items():
        check_curve(found[name], whole, is_exact=True)


@given(chunked(rankings(weights=DYADIC)), st.lists(st.integers(-9, 9), max_size=3))
def test_curves_at_marks(data, marks):
    """A threshold that is marked is no part of a stretch, whether it is a score or not."""
    (_, scores, weights), _ = data
    marks = [*map(float, marks), float(scores[0])]
    engine = engine_of(Lists, *data)
    task = partial(counted.count_curve, marks)
    (counts,) = run_models(task, Inputs(engine=engine)).values()
    points, _, at = counts.tally.curve()
    for mark in marks:
        flagged = np.flatnonzero(at >= mark)
        total = points.cum_total[flagged[-1]] if flagged.size else 0
        assert total == pytest.approx(weights[scores >= mark].sum(), abs=1e-12)
    highest = counts.tally.high[::-1]
    assert not any(np.any((at < mark) & (mark <= highest)) for mark in marks)


# Rows that are counted
@pytest.mark.parametrize("rule", [rule for rule in PUBLIC if rule.takes_weights], ids=str)
def test_counted_rows_have_the_values_of_memory_to_the_last_bit(rule):
    """Zeros of points below a cutoff would change it."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels = rng.random(300) < 0.3
        scores = np.round(rng.standard_normal(300) + labels, rng.integers(0, 2))
        inputs = Inputs(labels, scores)
        chunks = [[labels[part], scores[part], None, None] for part in (slice(90), slice(90, 300))]
        held = inputs._replace(engine=Lists(chunks, {}))
        rows = counted.samples_of_counts(rule, held, None)[None].evidence
        found, expected = (each.points(rule.depth) for each in (rows, read_rankings(inputs)))
        assert rule.values(found).tolist() == rule.values(expected).tolist()
        assert (rows.n_rows, rows.positive_rows) == (300, labels.sum())


# Shares of k, which are rounded up in rankings of whole weights
@once_or_again
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_shares_of_chunks_with_and_without_fractions(engine, order):
    """0.3 of 5 is 1.5, which is not rounded up, in any order of the chunks."""
    chunks = [[1, 0], [5, 4], [1, 1]], [[1], [3], [2]], [[0, 1], [2, 1], [0.5, 0.5]]
    chunks = [[*chunks[place], None] for place in order]
    found = evaluate(engine(chunks, {"sample_weight": True}), PrecisionAtK(0.3))
    stream = MetricAccumulator()
    for chunk in chunks:
        stream.update(*chunk[:3])
    assert found == stream.result("precision-at-k", k=0.3) == 1 / 1.5


@st.composite
def differently_weighted(draw):
    """Chunks in which all weights of "a" are whole, none of "b", and some of "c"."""
    (labels, scores, weights), cuts = draw(chunked(rankings(weights=DYADIC)))
    (groups,) = draw(picks(len(labels), ["c", "a", "b"]))
    whole, fractions = np.floor(weights) + 1, np.floor(weights) + 0.5
    weights = np.select([groups == "a", groups == "b"], [whole, fractions], weights)
    if draw(st.booleans()):
        order = np.argsort(groups, kind="stable")
        labels, scores, weights, groups = (x[order] for x in (labels, scores, weights, groups))
    return Ranking(labels, scores, weights), cuts, groups


def each_alone(rule, ranking, groups):
    """Return the oracle's values of groups that have any weight, from only their own samples."""
    present = np.unique(groups[ranking.weights > 0])
    each = (Ranking(*(part[groups == name] for part in ranking)) for name in present)
    return [float(exact(rule, *own) or 0) for own in each]


@each_engine
@any_weight_of_k
@given(differently_weighted(), st.sampled_from(SHARES))
def test_shares_of_groups_in_chunks(engine, data, rule):
    ranking, cuts, groups = data
    if engine is Once and not follow_one_another(groups[ranking.weights > 0]):
        return
    chunks = engine_of(engine, ranking, cuts, groups)
    found = evaluate(chunks, rule, average=None)
    assert found == pytest.approx(each_alone(rule, ranking, groups), abs=1e-12)


@any_weight_of_k
@given(differently_weighted(), st.sampled_from(SHARES), st.permutations("abc"))
def test_shares_of_groups_in_memory_and_in_streams(data, rule, order):
    ranking, _, groups = data
    labels, scores, weights = ranking
    expected = pytest.approx(each_alone(rule, ranking, groups), abs=1e-12)
    given_ = {"average": None, "zero_division": 0.0}
    data = {"sample_weight": weights, "groups": groups}
    assert score(rule, labels, scores, **data, **given_) == expected
    stream = MetricAccumulator()
    for names in (order[:2], order[2:]):
        own = np.isin(groups, names)
        data = {"sample_weight": weights[own], "groups": groups[own]}
        stream.update(labels[own], scores[own], **data)
    definition, options = definition_of(rule)
    assert stream.result(definition, **options, **given_) == expected


def test_sorted_groups_take_one_pass_and_others_one_more():
    reads = []

    class Counting(Ordered):
        def over_chunks(self, make, join):
            reads.append(make.func.__name__)
            return super().over_chunks(make, join)

    of_groups(Counting, ["b", "b", "b", "a"])
    assert reads == ["_made_of_chunk"]
    of_groups(Counting, ["b", "a", "b", "a"])
    assert reads[1:] == ["_made_of_chunk", "_split_by_group"]


def of_groups(engine, groups, weights=None):
    """The values of groups in chunks of one sample, in which the highest score is the positive."""
    weights = [None] * 4 if weights is None else [[weight] for weight in weights]
    rows = zip([1, 0, 1, 0], [1, 2, 4, 3], weights, groups, strict=True)
    chunks = [[[label], [score], weight, np.array([name])] for label, score, weight, name in rows]
    columns = {"groups": True} | ({} if weights[0] is None else {"sample_weight": True})
    return evaluate(engine(chunks, columns), Step(), average=None).tolist()


@pytest.mark.parametrize("engine", [Lists, Ordered])
@pytest.mark.parametrize("unit", ["M", "D", "us", "ns"])
def test_groups_that_are_times(engine, unit):
    """The second month comes first; Python has no dates in the year 12000."""
    months = np.array(["12000-01" if unit in "MD" else "2200-01", "2020-01"], "M8[M]")
    assert of_groups(engine, months.astype(f"M8[{unit}]")[[0, 0, 1, 1]]) == [1, 0.5]


@pytest.mark.parametrize("other", ["M8[ns]", np.int64, object])
def test_groups_that_are_times_of_several_units_are_refused(other):
    day = np.array(["2020-01-01"], "M8[D]")
    chunks = [[[1], [2], None, each] for each in (day, day.astype(other))]
    with pytest.raises(ValueError, match=r"mixes types that cannot be compared: \['datetime64"):
        evaluate(Lists(chunks, {"groups": True}), Step(), average=None)


@each_engine
def test_groups_without_weight_do_not_exist(engine):
    assert of_groups(engine, "bbac", [1, 1, 2, 0]) == [1, 0.5]
    with pytest.raises(ValueError, match="Sample weights must contain at least one non-zero"):
        of_groups(engine, "aabb", [0, 0, 0, 0])


def test_groups_that_were_not_brought_together():
    class Broken(Gathering):
        def by_group(self):
            return Lists(self.chunks, self.columns)

    with pytest.raises(RuntimeError, match="group 'a' came from several partitions"):
        of_groups(Broken, "abac")


@each_engine
def test_more_positives_than_exist(engine):
    engine = engine([[[1, 1], [2, 1], None, ["a", "a"]]], {"groups": True})
    with pytest.raises(ValueError, match=r"n_positives=1.* y_true already contains 2"):
        evaluate(engine, Step(), average=None, n_positives={"a": 1})


@given(st.integers(0, 70) | st.just(1000))
def test_parts_are_joined_in_a_tree(size):
    """Each counts once, in order, takes part in few joins, and is soon joined and let go."""
    held, most = 0, 0

    def make(number):
        nonlocal held, most
        held += 1
        most = max(held, most)
        return [number], 0

    def join(few):
        nonlocal held
        held -= len(few) - 1
        assert len(few) <= 2 * 4
        return [x for some, _ in few for x in some], 1 + max(depth for _, depth in few)

    joined, depth = join_in_tree(map(make, range(size)), join) or ([], 0)
    assert joined == list(range(size))
    assert depth <= (4 if size <= 70 else 8)
    assert most <= 16


class Changing(Lists):
    """Chunks that are others in each pass."""

    def over_chunks(self, make, join):
        return join_in_tree([make(self.chunks.pop(0))], join)


FIRST = [[1, 0, 1, 0], [0.4, 0.3, 0.2, 0.1], [1, 2, 1, 2]]
CHANGED = {
    "fewer rows": ([column[:3] for column in FIRST], "3 rows instead of 4"),
    "no rows": ([column[:0] for column in FIRST], "0 rows instead of 4"),
    "more rows": ([[*column, column[-1]] for column in FIRST], "5 rows instead of 4"),
    "another weight": ([*FIRST[:2], [1, 2, 1, 2.5]], "other rows"),
    "another label": ([[1, 0, 0, 0], *FIRST[1:]], "other rows"),
    # Now the positive ranks above, between or below all those of the first pass.
    **{
        f"a score of {score}": ([FIRST[0], [score, *FIRST[1][1:]], *FIRST[2:]], "prediction scores")
        for score in (0.9, 0.25, 0.05)
    },
}


def curve_of(engine, rule):
    return curves.rank_in_passes(Inputs(engine=engine))


CALLS = {
    "ranking": evaluate,
    "curve": curve_of,
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("change", CHANGED)
def test_rows_that_change_between_the_passes(call, change):
    """Also if every score of a positive in the second pass was there in the first one."""
    second, match = CHANGED[change]
    chunks = [[*map(np.array, rows), None] for rows in (FIRST, second)]
    engine = Changing(chunks, {"sample_weight": None})
    with pytest.raises(RuntimeError, match=f"{match} when they were read a second time"):
        CALLS[call](engine, rule=Step())


def test_scores_of_negatives_that_change_between_the_passes():
    """They have to be known if k is half of the rows, whatever these weigh."""
    scores = [0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.2, 0.35]
    chunks = [[[1, 0, 1, 0], some, [1, 2, 1, 2], None] for some in scores]
    engine = Changing(chunks, {"sample_weight": None})
    with pytest.raises(RuntimeError, match="different prediction scores"):
        evaluate(engine, PrecisionAtK(0.5, k_counts="samples"))


def test_a_share_of_the_rows_is_cut_among_negatives_of_different_weights():
    """So the scores of negatives have to be known, too."""
    labels, scores, weights = np.array([1, 0, 0, 1]), np.array([4.0, 3, 2, 1]), [1.0, 5, 1, 1]
    engine = Lists([[labels, scores, np.array(weights), None]], {"sample_weight": None})
    assert evaluate(engine, PrecisionAtK(0.5, k_counts="samples")) == pytest.approx(1 / 6)


def test_a_bootstrap_of_counts_is_that_of_the_rows():
    rng = np.random.default_rng(0)
    columns = {"y": rng.integers(0, 2, 300), "s": rng.random(300).round(2)}
    pl = pytest.importorskip("polars", minversion="1.34", reason="older ones collect the columns")
    rows = pl.DataFrame(columns)
    lazy, whole = (
        confidence_interval("y", "s", data=data, method="bootstrap", n_resamples=20, random_state=0)
        for data in (rows.lazy(), rows)
    )
    assert (lazy.low, lazy.high) == (whole.low, whole.high)
