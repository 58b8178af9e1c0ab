"""What a result says about a difference comes from one test.

Its p-value is below 1 minus the level exactly if its interval excludes 0, and exactly if its
verdict without a margin is "better" or "worse". Models are as different as they can be, and also
alike, because a perfect or a useless one doesn't vary.
"""

import re
from dataclasses import replace
from html import unescape
from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

import sklearn_ap as ap

from .registry import METRICS, needed_by_name
from .values import compare_values

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
            "method": one_of(["auto", "bootstrap"]),
            "confidence_level": one_of(LEVELS),
        }
        yield label, {model: scores[model] for model in models}, metric, given


def by_definition(low, high, margin, margin_low, margin_high):
    """Return the verdict on a metric that is better if it's greater."""
    if margin is not None and -margin < margin_low and margin_high < margin:
        return "equivalent"
    if low > 0 or high < 0:
        return "better" if low > 0 else "worse"
    if margin is not None and (margin_low > -margin or margin_high < margin):
        return "no worse" if margin_low > -margin else "no better"
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
            ends = row.margin_low, row.margin_high
            assert row.verdict == by_definition(low, high, margin, *ends), row
            found.append(low > 0 or high < 0)
            assert found[-1] == (row.pvalue < alpha), row
    check_lines(result)
    check_printed(result)
    return found


def check_end(text, end):
    """Check that a printed number is a float that was rounded, on the same side of 0."""
    number, decimals = float(text.strip("<>")), len(text.partition(".")[2])
    assert number == end or abs(number - end) <= 0.5 * 10**-decimals + 1e-12, (text, end)
    side = {"<": -1, ">": 1}[text[0]] if text[0] in "<>" else np.sign(number)
    assert side == np.sign(end), (text, end)


REASON = r"(effectively )?[\d.]+ (positives?|rows?|clusters?|groups?)( .*)?|no hit in the top .*"


def check_difference(text, limits, verdict, row, difference, low, high):
    """Check a printed difference, its verdict, and the ends of its interval, which it may lack."""
    decimals = len(text.partition(".")[2])
    assert abs(float(text) - difference) <= 0.5 * 10**-decimals + 1e-12
    assert text[0] in "+-" or not float(text)
    if np.isnan(low):
        assert (limits, row.verdict) == ("", "unclear")
        assert re.fullmatch(REASON, verdict), verdict
        return
    assert verdict == row.verdict
    least, most = limits.split(" to ")
    check_end(least, low)
    check_end(most, high)


def tables_in(result):
    """Yield the cells of the table of a result, in its Markdown and in its HTML. Each row has the
    names of the models, the segments or the params, the values, and so on.
    """
    yield [
        [cell.strip() for cell in line[1:-1].split("|")]
        for line in result.to_markdown().splitlines()
        if re.match(r"\|(?! \*\*| :--| --:)", line)
    ]
    rows = re.findall("<tr>(.*?)</tr>", result._repr_html_())
    cells = [re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row) for row in rows]
    yield [[unescape(cell) for cell in row] for row in cells]


def printed_differences(result):
    """Yield each difference that is printed, with the ends of its interval and the verdict."""
    for header, *rows in tables_in(result):
        place = header.index("diff") - len(header)
        yield [
            (row[place], row[place + 1], row[-1]) for row in rows if row[-1] not in WITHOUT_VERDICT
        ]


WITHOUT_VERDICT = "baseline", "best", "no positives"


def check_printed(result):
    """What is printed has the signs of the attributes: first minus second, model minus baseline."""
    of_report = isinstance(result, ap.reports.Report)
    names = ["difference", "low", "high"]
    if of_report:
        names[1:] = ["difference_low", "difference_high"]
    rows = getattr(result, "rows", [result])
    expected = [(row, *(getattr(row, name) for name in names)) for row in rows if row.verdict]
    n_found = 0
    for differences in printed_differences(result):
        assert len(differences) == len(expected)
        for printed, attributes in zip(differences, expected, strict=True):
            check_difference(*printed, *attributes)
        n_found += 1
    assert n_found > 1


LINE = "|".join(
    [
        r"diff, p and verdict: .*against .*\.",
        r"Intervals and p are adjusted for \d+ "
        r"(comparisons with the (baseline|best)|pairs of models) \(Bonferroni\)\.",
        r"Intervals and p are not adjusted\.",
        r"All data: segments ranked together\.",
        r"Margin: [\d.]+\.( The verdict compares it with a wider interval, -?[\d.]+ to -?[\d.]+, "
        r"because rare cases may be missing from the sample\.)?",
        r"(For .*, i|I)ntervals are adjusted for \d segments \(Bonferroni\)\.",
        r"(For .*, i|I)ntervals and p of segments are adjusted for \d+ comparisons "
        r"\(Bonferroni\)\.",
        r"(For .*, i|I)ntervals( and p of segments)? are not adjusted: each is for .* alone\.",
        r"No model is shown to be better than random by .*\.",
        r"A has \d+ wins?, \d+ ties? and \d+ loss(es)?\.",
    ]
)


def check_lines(result):
    """What stands under a table says who is compared and what holds, but no verdict again."""
    printed = result._printed_fully()
    assert [*printed.notes] == [note.text for note in result.notes]
    rows = getattr(result, "rows", [result])
    for row in rows:
        low = getattr(row, "difference_low", row.low)
        high = getattr(row, "difference_high", row.high)
        if hasattr(row, "margin_low") and not np.isnan(low):
            assert row.margin_low <= low <= high <= row.margin_high
    of_segments = [row for row in rows if getattr(row, "segment", None) is not None]
    has_p = not np.isnan([row.pvalue for row in of_segments or rows]).all()
    for line in printed.lines:
        assert re.fullmatch(LINE, line), line
        assert has_p or not re.match("(For .*, i|I)ntervals and p", line), line
    (row, *_) = np.atleast_1d(result.to_dict())
    assert row["notes"] == [{"code": note.code, "text": note.text} for note in result.notes]


def few(number):
    many = pytest.param(40, marks=pytest.mark.slow)
    return pytest.mark.parametrize("number", [number, many])


@pytest.mark.sweep(8)
@few(3)
@pytest.mark.parametrize("units", UNITS)
def test_all_that_is_said_about_models_agrees(units, number):
    """A difference in the table implies one in a pair, which doesn't depend on which model is the
    first one. The report says the same.
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
            alone = both | {"baseline": None, "margin": None}
            check_lines(ap.report(label, {model: one}, **alone))
        given = {name: given[name] for name in ("method", "margin", "confidence_level")}
        for row in table:
            if row.model == table.baseline:
                continue
            pair = scores[row.model], scores[table.baseline]
            alone, mirrored = (
                ap.compare(label, *models, metric=metric, **given, **own)
                for models in (pair, pair[::-1])
            )
            found += check(alone)
            assert mirrored.pvalue == pytest.approx(alone.pvalue, rel=1e-9, nan_ok=True)
            ends = -alone.difference, -alone.high, -alone.low
            assert tuple(mirrored) == pytest.approx(ends, abs=1e-9, nan_ok=True)
            if not np.isnan(alone.pvalue):
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
    one = np.isin(ROW, [8, 30])  # a positive in each half
    check_lines(ap.compare(ROW == 8, scores, joint=joint))
    check_lines(ap.report(ROW == 8, scores, joint=joint))
    check_lines(ap.report(one, scores, by=ROW < 20, joint=joint))
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
        found += check(compare_values(one, other, **given))
    for level, joint in product(LEVELS, [True, False]):
        models = dict(enumerate(values))
        check(compare_values(models, joint=joint, confidence_level=level))
    assert len(set(found)) == 2


@pytest.mark.parametrize("seed", range(20))
def test_differences_of_folds_are_printed_with_the_signs_of_their_attributes(seed):
    rng = np.random.default_rng(seed)
    n_folds, n_candidates = int(rng.integers(5, 9)), int(rng.integers(2, 7))
    values = rng.random((n_candidates, n_folds)) + 0.3 * rng.random((n_candidates, 1))
    given = {"n_train": n_folds - 1, "n_test": 1, "confidence_level": LEVELS[seed % 4]}
    pair = ap.compare_folds(*({"test_score": of_folds} for of_folds in values[:2]), **given)
    columns = {f"split{place}_test_score": values[:, place] for place in range(n_folds)}
    params = [{"C": place} for place in range(n_candidates)]
    search = SimpleNamespace(cv_results_={"params": params, **columns})
    candidates = ap.compare_folds(search, **given)
    assert pair.difference == pytest.approx(np.mean(values[0] - values[1]))
    check_printed(pair)
    # They are printed from the best to the worst one.
    in_order = sorted(candidates.rows, key=lambda row: row.rank)
    check_printed(replace(candidates, rows=tuple(in_order)))


def drawn_in(bars):
    """Return what is drawn: differences, and the ends of their intervals, nan for none."""
    points, _, (lines,) = bars.lines
    ends = [part[:, 0] if part.size else (np.nan, np.nan) for part in lines.get_segments()]
    return [(x, *both) for x, both in zip(points.get_xdata(), ends, strict=True)]


@pytest.mark.parametrize("by", [None, ROW // 8 % 2])
def test_differences_are_drawn_with_the_signs_of_their_attributes(by):
    for label, scores, name, given in calls("groups", 5):
        options = {"metrics": METRIC[name], "by": by, **given, **DRAWS, **UNITS["groups"]}
        report = ap.report(label, scores, **options)
        bars = report.plot(Figure().subplots()).errorbar_
        drawn = [interval for model in bars for interval in drawn_in(model)]
        if by is None:  # where models have rows of their own
            drawn = [interval for interval in drawn if interval[0] == interval[0]]
        rows = [row for row in report if row.model != report.baseline]
        if by is not None:
            rows.sort(key=lambda row: [*scores].index(row.model))
        expected = [(row.difference, row.difference_low, row.difference_high) for row in rows]
        np.testing.assert_allclose(drawn, expected, atol=1e-12)


@pytest.mark.parametrize("metric", ["AP@5", "R-precision", "recall_at_precision_0.5"])
def test_models_that_never_vary(metric):
    """All positives show the same difference, which is as sure as if one more showed none."""
    for number, verdict in ((3, "unclear"), (5, "better")):
        label = np.repeat([1, 0], [number, 40 - number])
        given = {"metric": metric.replace("@5", f"@{number}"), "random_state": 0}
        found = ap.compare(label, -ROW, ROW, **given)
        assert (found.difference, found.verdict) == (1, verdict)
        assert found.pvalue == pytest.approx(2 * stats.t.sf(number, number - 1))
        assert found.low == pytest.approx(1 - stats.t.ppf(0.975, number - 1) / number)


# Families of differences


@pytest.mark.sweep(4)
@few(2)
@pytest.mark.parametrize("units", UNITS)
def test_families_are_adjusted_for_the_number_of_their_differences(units, number):
    """p is that of `compare` of two, times the number, and intervals are those at its level."""
    for label, scores, name, given in calls(units, number):
        scores.pop("the same", None)
        scores.pop("almost", None)  # which can rank like "good" in small groups
        if len(scores) < 2:
            continue
        baseline, *models = scores
        own = {"metric": METRIC[name], "method": given["method"], **DRAWS, **UNITS[units]}
        level, pairs = given["confidence_level"], len(models)
        found = ap.compare(label, scores, baseline=baseline, confidence_level=level, **own)
        for row in found.rows:
            if row.model in models:
                two = label, scores[row.model], scores[baseline]
                single = ap.compare(*two, confidence_level=1 - (1 - level) / pairs, **own)
                expected = single.low, single.high, min(single.pvalue * pairs, 1)
                own_row = row.low, row.high, row.pvalue
                assert own_row == pytest.approx(expected, rel=1e-6, abs=1e-9, nan_ok=True)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("units", ["rows", "weighted rows"])
@pytest.mark.parametrize("seed", range(3))
def test_intervals_grow_with_their_level(units, seed):
    label, scores = data_of(units, seed)
    for one, other in permutations([*scores][:4], 2):
        pair = label, scores[one], scores[other]
        levels = 1 - np.geomspace(0.3, 1e-3, 12)
        found = [ap.compare(*pair, confidence_level=each, **UNITS[units]) for each in levels]
        ends = np.array([(-each.low, each.high) for each in found])
        assert np.all(np.diff(ends, axis=0) >= -1e-12), (one, other)


# Laws about models that aren't changed
