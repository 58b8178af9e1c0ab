"""What a result says about a difference comes from one test.

Its p-value is below 1 minus the level exactly if its interval excludes 0, and exactly if its
verdict without a margin is "better" or "worse". Models are as different as they can be, and also
alike, because a perfect or a useless one doesn't vary.
"""

import re
from functools import partial
from html import unescape
from itertools import permutations, product

import numpy as np
import pytest
from sklearn_ap.core.swaps import Swaps

import sklearn_ap as ap
from sklearn_ap.core.all_pairs import pairs_with
from sklearn_ap.core.influence import is_smooth

from .registry import METRICS, needed_by_name

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.usefixtures("no_random_orders"),
]

LEVELS = [0.5, 0.8, 0.95, 0.999]
ROW = np.arange(40)
UNITS = {
    "rows": {},
    "weighted rows": {"sample_weight": 1.0 + ROW % 3},
    "classes": {"average": "macro"},
    "rows that are queries": {"average": "samples"},
    "groups": {"groups": ROW % 5},
    "clusters": {"clusters": ROW // 4},
    "groups in clusters": {"groups": ROW % 4, "clusters": ROW // 8},
    "clusters of groups": {"groups": ROW // 4, "clusters": ROW // 8},
}
BY_GROUP = {"rows that are queries", "groups", "clusters of groups"}
METRIC = {name: ap.metric(name, **needed_by_name(name, row)) for name, row in METRICS.items()}
METRIC |= {name: ap.metric(name) for name in ("AP@5", "P@3", "P@10%")}
DRAWS = {"n_resamples": 30, "random_state": 0, "zero_division": 0.0}
MARGINS = [None, None, 0.0213, 0.391]  # on which no end lies


def data_of(units, seed):
    """Make models of which two are as good and as bad as can be, one has no information, and the
    others have some, with and without ties. Two are the same.
    """
    rng = np.random.default_rng(seed)
    label = np.concatenate([rng.permutation(8) < some for some in (2, 2, 4, 1, 3)]).astype(int)
    if "average" in UNITS[units]:
        label = np.stack([np.roll(label, 7 * place) for place in range(3)], axis=1)
    noise = rng.normal(size=(4, *label.shape))
    return label, {
        "perfect": label + 0.1 * noise[0],
        "good": label + noise[1],
        "fair": label + noise[2],
        "upside down": 0.1 * noise[1] - label,
        "rounded": np.round(label + noise[2]),
        "all tied": np.zeros(label.shape),
        "useless": noise[3],
        "the same": label + noise[1],
        "almost": label + noise[1] + 0.1 * noise[3],
    }


def metrics_for(units):
    """Metrics of a single sample have intervals for queries only."""
    return [name for name in METRIC if METRIC[name].rule.takes_weights or units in BY_GROUP]


def methods_for(metric, units):
    swaps = units in BY_GROUP or is_smooth(METRIC[metric].rule)
    return ["auto", "bootstrap", *["randomization"] * swaps]


def calls(units, number):
    """Yield labels, scores of two to nine models, a metric, and arguments of some calls."""
    rng = np.random.default_rng([*units.encode()])

    def one_of(values):
        return values[rng.integers(len(values))]

    for _ in range(number):
        label, scores = data_of(units, rng.integers(3))
        models = rng.permutation([*scores])[: rng.integers(2, 10)].tolist()
        metric = one_of(metrics_for(units))
        given = {
            "baseline": one_of([None, *models]),
            "joint": one_of([True, False]),
            "margin": one_of(MARGINS),
            "method": one_of(methods_for(metric, units)),
            "confidence_level": one_of(LEVELS),
        }
        yield label, {model: scores[model] for model in models}, metric, given


def by_definition(low, high, margin):
    """Return the verdict on a metric that is better if it's greater."""
    if margin is not None and -margin < low and high < margin:
        return "equivalent"
    if low > 0 or high < 0:
        return "better" if low > 0 else "worse"
    if margin is not None and (low > -margin or high < margin):
        return "no worse" if low > -margin else "no better"
    return "unclear"


def check(result):
    """Check each difference, and return which intervals exclude 0."""
    found = []
    of_report = isinstance(result, ap.reports.Report)
    alpha = round(1 - result.confidence_level, 12)
    for row in getattr(result, "rows", [result]):
        low, high = (row.difference_low, row.difference_high) if of_report else (row.low, row.high)
        if not np.isnan(row.pvalue):
            margin = row.margin if of_report else result.margin
            assert row.verdict == by_definition(low, high, margin), row
            found.append(low > 0 or high < 0)
            assert found[-1] == (row.pvalue < alpha), row
    assert found
    check_lines(result)
    return found


LEGEND = "|".join(
    [
        r"The baseline is [\w ]+(, which ranks first by .*)?\.",
        r"Intervals of differences and p hold for all \d models at once\.",
        r"Intervals and p are not adjusted for \d models\.",
        r"Verdicts are with a margin of [\d.]+\.",
        r"(For .*, a|A)part from the row for all data, the intervals .*hold for .*\.",
        r"Each interval and p is for one segment alone\. Differences are from .*\.",
        r"(For .*, n|N)o segment has an interval\.",
    ]
)
SENTENCE = r"Compared with .*|[\w ]+ has the highest .*|No model is shown to be better than a .*"


def check_lines(result):
    """What stands under a table is its legend, its notes, or a sentence on the verdicts."""
    texts = [note.text for note in result.notes]
    lines = [unescape(line) for line in re.findall("<p>(.*?)</p>", result.to_html())]
    besides = [line for line in lines if line not in texts]
    kept = [line for line in lines if line in texts]
    if len(texts) > 3:
        besides.remove(
            f"{len(texts) - 3} more note{'s' * (len(texts) > 4)} in the attribute `notes`."
        )
    assert kept == texts[:3]
    for line in besides:
        assert re.fullmatch(f"(({LEGEND}) ?)+|{SENTENCE}", line)
    (row, *_) = np.atleast_1d(result.to_dict())
    assert row["notes"] == [{"code": note.code, "text": note.text} for note in result.notes]


def few(number):
    many = pytest.param(40, marks=pytest.mark.slow)
    return pytest.mark.parametrize("number", [number, many])


@pytest.mark.sweep(8)
@few(3)
@pytest.mark.parametrize("units", UNITS)
def test_all_that_is_said_about_models_agrees(units, number):
    """Ranks that differ imply a difference in the table, and that one implies it in a pair, which
    doesn't depend on which model is the first one. The report says the same.
    """
    found = []
    for label, scores, name, given in calls(units, number):
        metric, own = METRIC[name], {**DRAWS, **UNITS[units]}
        table = ap.compare(label, scores, metric=metric, **given, **own)
        found += check(table)
        report = ap.report(label, scores, metrics=metric, **given, **own)
        check(report)
        claims = [(row.model, row.pvalue, row.verdict) for row in table]
        np.testing.assert_equal([(row.model, row.pvalue, row.verdict) for row in report], claims)
        if "average" not in UNITS[units]:
            both = {"metrics": metric, "by": ROW // 8 % 2, **given, **own}
            check(ap.report(label, scores, **both))
            of_one = [*ap.report(label, scores, **both | {"by": ROW * 0})]
            for whole, part in zip(of_one[: len(scores)], of_one[len(scores) :], strict=True):
                assert part.pvalue == pytest.approx(whole.pvalue, rel=0.05, nan_ok=True)
            (model, one), *_ = scores.items()
            alone = both | {"baseline": None, "method": "auto"}
            check(ap.report(label, {model: one}, **alone))
        ranks = {row.model: row for row in table.ranks()}
        given = {name: given[name] for name in ("method", "margin", "confidence_level")}
        for row in table:
            if row.model == table.baseline:
                continue
            one, other = ranks[row.model], ranks[table.baseline]
            if one.high < other.low or other.high < one.low:
                assert row.low > 0 or row.high < 0, row
            pair = scores[row.model], scores[table.baseline]
            alone, mirrored = (
                ap.compare(label, *models, metric=metric, **given, **own)
                for models in (pair, pair[::-1])
            )
            found += check(alone)
            assert mirrored.pvalue == pytest.approx(alone.pvalue, rel=1e-9)
            expected = pytest.approx((-alone.difference, -alone.high, -alone.low), abs=1e-9)
            assert tuple(mirrored) == expected
            assert row.pvalue >= alone.pvalue - 1e-12
            assert row.low <= alone.low + 1e-12
            assert row.high >= alone.high - 1e-12
    assert len(set(found)) == 2


@pytest.mark.parametrize("joint", [True, False])
def test_lines_where_nothing_varies(joint):
    """A single group has no intervals, and a segment may have no positives, or one of them."""
    label, scores = data_of("rows", 0)
    given = {"joint": joint, "metrics": ["AP", "P@3"], "margin": 0.1}
    (note,) = (found := ap.report(label, scores, groups=ROW * 0, **given)).notes
    assert (note.code, note.text[:20]) == ("no_interval", "At least two groups ")
    check_lines(found)
    by = np.where(label & (ROW > 3), "some", np.where(ROW < 3, "few", "none"))
    for models in ({"good": scores["good"]}, scores):
        given = {"by": by, "groups": ROW // 10, "joint": joint, "metrics": ["AP", "P@3"]}
        check_lines(ap.report(label, models, **given))


@pytest.mark.parametrize("clusters", [None, ROW // 4])
def test_values(clusters):
    rng = np.random.default_rng(0)
    values = [rng.random(40), np.zeros(40), np.ones(40), rng.random(40) ** 4, rng.normal(size=40)]
    found = []
    for (one, other), level in product(permutations(values, 2), LEVELS):
        given = {"clusters": clusters, "confidence_level": level}
        found += check(ap.compare_values(one, other, **given))
    for level, joint in product(LEVELS, [True, False]):
        models = dict(enumerate(values))
        check(ap.compare_values(models, joint=joint, confidence_level=level))
    assert len(set(found)) == 2


@pytest.mark.parametrize("metric", ["AP@5", "R-precision", "recall_at_precision_0.5"])
def test_models_that_never_vary(metric):
    """The interval is made of those of both models, and ends at 0 at the level of the p-value."""
    label = np.repeat([1, 0], [5, 35])
    found = ap.compare(label, -ROW, ROW, metric=metric, random_state=0)
    assert (found.difference, found.verdict) == (1, "better")
    assert found.pvalue < 0.05
    edge = {"metric": metric, "random_state": 0, "confidence_level": 1 - found.pvalue}
    assert ap.compare(label, -ROW, ROW, **edge).low == pytest.approx(0, abs=1e-5)


# Random swaps over groups


def swaps_by_definition(differences, shift=0.0):
    """Return how far all swaps bring each difference from 0, one row per difference."""
    shifted = np.atleast_2d(differences) - shift
    signs = np.array([*product([1, -1], repeat=shifted.shape[1])])
    return np.abs(shifted @ signs.T) / np.linalg.norm(shifted, axis=1)[:, np.newaxis]


def grouped(seed, n_groups, n_models=3):
    """Return labels and models of groups that consist of a positive and five negatives."""
    rng = np.random.default_rng(seed)
    label = np.tile([1, 0, 0, 0, 0, 0], n_groups)
    scores = {number: rng.normal(size=label.size) + number * label for number in range(n_models)}
    return label, scores, {"groups": np.repeat(np.arange(n_groups), 6)}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_groups", [6, 9])
def test_swaps_of_groups_by_definition(seed, n_groups):
    """The interval has the differences that aren't rejected, and p is one of a maximum."""
    label, scores, given = grouped(seed, n_groups)
    given |= {"method": "randomization", "random_state": 0, "baseline": 0}
    starts = range(0, label.size, 6)
    each = {
        model: np.array(
            [ap.average_precision_score(label[i : i + 6], s[i : i + 6]) for i in starts]
        )
        for model, s in scores.items()
    }
    differences = np.stack([each[1] - each[0], each[2] - each[0]])
    far = swaps_by_definition(differences)
    largest = far.max(axis=0)
    found = ap.compare(label, scores, **given)
    for row, own in zip(found.rows[1:], far, strict=True):
        assert row.pvalue == np.mean(largest >= own[0] - 1e-9)
        alone = ap.compare(label, scores[row.model], scores[0], **given | {"baseline": None})
        assert alone.pvalue == np.mean(own >= own[0] - 1e-9)
        for end, inside in ((alone.low, 1e-6), (alone.high, -1e-6)):
            if abs(end) < 1:
                values = each[row.model] - each[0]
                inner, outer = (swaps_by_definition(values, end + x)[0] for x in (inside, -inside))
                assert np.mean(inner >= inner[0] - 1e-9) >= 0.05
                assert np.mean(outer >= outer[0] - 1e-9) < 0.05


@pytest.mark.parametrize("seed", range(4))
def test_swaps_drawn_at_random_by_definition(seed):
    """They count with that of no unit. Ends are where the test of one difference changes its mind,
    and the critical distance is that of a family.
    """
    rng, size = np.random.default_rng(seed), 20
    models = rng.normal([[0.0], [0.4], [0.8]], 1.0, (3, size)) / size
    swaps = Swaps(size, 99, partial(np.random.default_rng, seed))
    assert swaps.is_random
    signs = 1 - 2 * np.vstack([*swaps.flips(), np.zeros((1, size), np.int64)])

    def far(values):
        return np.abs(signs @ values)

    def pvalue(shift):
        own = far(models[2] - models[0] - shift)
        return np.mean(own >= own[-1] - 1e-9)

    weight = np.full(size, 1 / size)
    low, high, found = swaps.test(models[2] - models[0], weight, 0.9)
    assert found == pvalue(0)
    for end, inside in ((low, 1e-6), (high, -1e-6)):
        inner, outer = (pvalue((end + x) / size) for x in (inside, -inside))
        assert outer < 0.1 <= inner
    pairs = pairs_with(3, None)
    each = [models[one] - models[other] for one, other in pairs]
    largest = np.max([far(one) / np.linalg.norm(one) for one in each], axis=0)
    critical = swaps.together(models, pairs).critical(0.9)
    assert np.mean(largest > critical + 1e-9) < 0.1 <= np.mean(largest >= critical - 1e-9)


@pytest.mark.parametrize("is_cut", [False, True])
def test_swaps_of_groups_in_segments_by_definition(is_cut):
    """A group that segments cut is swapped in all of them. Each row is a segment and a model."""
    label, scores, given = grouped(1, 12)
    label = np.tile([1, 0, 0] * 2, 12)
    by = ROW[:6].repeat(12) // 3 if not is_cut else np.tile([0, 0, 0, 1, 1, 1], 12)
    found = ap.report(label, scores, by=by, baseline=0, method="randomization", **given)
    expected = {}
    for segment, model in product([0, 1], [1, 2]):
        own = [(by == segment) & (given["groups"] == group) for group in range(12)]
        expected[segment, model] = [
            ap.average_precision_score(label[some], scores[model][some])
            - ap.average_precision_score(label[some], scores[0][some])
            if some.any()
            else 0
            for some in own
        ]
    far = swaps_by_definition([*expected.values()])
    largest = far.max(axis=0)
    rows = {(row.segment, row.model): row for row in found}
    for key, own in zip(expected, far, strict=True):
        assert rows[key].pvalue == np.mean(largest >= own[0] - 1e-9)
    check(found)


@pytest.mark.parametrize("n_models", [2, 3, 6])
def test_the_smallest_p_doesnt_depend_on_the_family(n_models):
    label = np.tile([1, 0], 40)
    worse = np.tile([0, 1], 40) + 1e-3 * np.arange(80)
    models = {"good": label + 1e-3 * np.arange(80)}
    for number in range(1, n_models):
        models[number] = np.where(np.arange(80) < 2 * number, 1 - worse, worse)
    given = {"groups": np.arange(80) // 2, "method": "randomization", "random_state": 0}
    found = ap.compare(label, models, **given)
    assert {row.pvalue for row in found if row.model != "good"} == {1 / 2000}
    by = np.arange(80) // 40
    segments = [row for row in ap.report(label, models, by=by, **given) if row.model != "good"]
    assert [row.pvalue for row in segments] == [1 / 2000] * (3 * (n_models - 1))


def test_too_few_groups_for_random_swaps():
    for n_groups in (5, 6):
        label = np.tile([1, 0, 0, 0], n_groups)
        one, other = np.tile([4.0, 3, 2, 1], n_groups), np.tile([3.0, 4, 2, 1], n_groups)
        given = {"groups": np.arange(4 * n_groups) // 4, "method": "randomization"}
        found = ap.compare(label, one, other, **given)
        assert found.pvalue == 2 / 2**n_groups
        is_possible, by_chance = n_groups == 6, 0.025 ** (1 / n_groups)
        ends = (by_chance - 0.5, 1 - 0.5 * by_chance) if is_possible else (-1, 1)
        assert tuple(found) == pytest.approx((0.5, *ends))
        assert found.verdict == ("better" if is_possible else "unclear")
        assert [note.code for note in found.notes] == ["few_groups"] * (not is_possible)
        assert ("no p-value of random swaps is below 0.0625" in str(found)) != is_possible
        by = dict.fromkeys(range(n_groups), "x")
        found = ap.report(label, {"a": one, "b": other}, by=by, **given)
        assert ["few_groups", "few_groups"][2 * is_possible :] == [
            note.code for note in found.notes if note.code not in ("adjusted", "upside_down")
        ]


# Families of differences


@pytest.mark.sweep(4)
@few(2)
@pytest.mark.parametrize("units", UNITS)
def test_families_are_adjusted_for_the_number_of_their_distinct_differences(units, number):
    """p is that of `compare` of two, times the number, and intervals are those at its level."""
    for label, scores, name, given in calls(units, number):
        if given["method"] == "randomization" and units in BY_GROUP:
            continue  # these have the maxima of the family
        scores.pop("the same", None)
        scores.pop("almost", None)  # which can rank like "good" in small groups
        if not scores:
            continue
        baseline, *models = scores
        scores["copy"] = scores[baseline]
        own = {"metric": METRIC[name], "method": given["method"], **DRAWS, **UNITS[units]}
        level, pairs = given["confidence_level"], len(models)
        found = ap.compare(label, scores, baseline=baseline, confidence_level=level, **own)
        for row in found.rows:
            if row.model in models:  # and neither the baseline nor its copy
                two = label, scores[row.model], scores[baseline]
                single = ap.compare(*two, confidence_level=1 - (1 - level) / pairs, **own)
                expected = single.low, single.high, min(single.pvalue * pairs, 1)
                own_row = row.low, row.high, row.pvalue
                assert own_row == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("units", ["rows", "weighted rows"])
@pytest.mark.parametrize("seed", range(3))
def test_intervals_grow_with_their_level(units, seed):
    """Also where only swaps of the models find a difference, and the t-test doesn't."""
    label, scores = data_of(units, seed)
    for one, other in permutations([*scores][:4], 2):
        pair = label, scores[one], scores[other]
        levels = 1 - np.geomspace(0.3, 1e-3, 12)
        found = [ap.compare(*pair, confidence_level=each, **UNITS[units]) for each in levels]
        ends = np.array([(-each.low, each.high) for each in found])
        assert np.all(np.diff(ends, axis=0) >= -1e-12), (one, other)


# Laws about models that aren't changed


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(8, 20))]
)
def test_permutation_of_units_on_tied_models(seed):
    """Which of the models with the highest value is the baseline doesn't depend on the last bit."""
    rng = np.random.default_rng(seed)
    values = rng.random(30) ** 3
    models = {name: rng.permutation(values) for name in "abc"}
    models["d"] = models["a"] * rng.uniform(0.3, 0.9, 30)
    label = np.tile([1, 0, 0, 0], 30)
    places = {name: np.stack([rng.permutation(4) for _ in range(30)]) for name in "ab"}
    places["c"] = places["b"][::-1]
    places["b"] = places["a"][rng.permutation(30)]
    found = []
    for order in (np.arange(30), *(rng.permutation(30) for _ in range(5))):
        table = ap.compare_values({name: each[order] for name, each in models.items()})
        ranked = {name: each[order].ravel() for name, each in places.items()}
        report = ap.report(label, ranked, groups=np.arange(120) // 4, metrics=["RR", "AP"])
        said = (table.baseline, report.baseline, str(report).splitlines()[-2:])
        found.append((said, [row.pvalue for row in [*table, *report]]))
        best = max(np.mean(each) for each in models.values())
        assert models[table.baseline].mean() == pytest.approx(best, rel=1e-12)
    for said, pvalues in found:
        assert said == found[0][0]
        np.testing.assert_allclose(pvalues, found[0][1], rtol=1e-9)
    assert found[0][0][0] == "a"


@pytest.mark.sweep(4)
@few(3)
@pytest.mark.parametrize("units", UNITS)
def test_a_copied_model_changes_nothing_for_the_others(units, number):
    for label, scores, name, given in calls(units, number):
        own = {"metric": METRIC[name], **given, **DRAWS, **UNITS[units]}
        (first, copied), *_ = scores.items()
        before = ap.compare(label, scores, **own)
        after = ap.compare(label, scores | {"copy": copied}, **own)
        for one, other in zip(before, after, strict=False):
            assert (one.model, one.verdict) == (other.model, other.verdict)
            expected = pytest.approx((one.pvalue, one.low, one.high), rel=1e-9, nan_ok=True)
            assert (other.pvalue, other.low, other.high) == expected
        of_first = (after.rows[0].pvalue, after.rows[0].low, after.rows[0].high)
        if first != before.baseline:
            assert (after.rows[-1].pvalue, after.rows[-1].low, after.rows[-1].high) == of_first


@pytest.mark.parametrize("seed", range(3))
def test_ranks_of_many_models_claim_no_more_than_a_pair_alone(seed):
    """Of 50 models in few clusters, a quick test would tell more apart than swaps can."""
    rng = np.random.default_rng(seed)
    y, clusters = np.arange(160) % 4 == 0, np.arange(160) % 8
    models = {f"m{n}": rng.normal(size=160) + n / 12 * y for n in range(50)}
    ranks = ap.compare(y, models, clusters=clusters).ranks()
    alpha = 0.05 / (50 * 49 / 2)
    assert 2.0**-7 > alpha  # the smallest p-value of eight clusters
    assert {(row.low, row.high) for row in ranks.rows} == {(1, 50)}
