"""One law of inference: what intervals, p-values and verdicts of all kinds have in common.

The number u of sampling units with positives decides how surely anything is known.
"""

import warnings
from functools import partial

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logit

import sklearn_ap as ap
from sklearn_ap._infer.settings import IntervalSettings
from sklearn_ap._infer.variation import make_plan
from sklearn_ap.core.rules import Step
from sklearn_ap.core.spread import compute_value_limits
from sklearn_ap.core.verdicts import decide_verdict

from .by_page import interval_without_variance, lacked, subtract, weigh, weigh_classes, weigh_groups
from .documentation import DOCS
from .values import compare_values

pytestmark = pytest.mark.filterwarnings("ignore")

KINDS = ["rows", "weights", "clusters", "groups", "weighted groups", "classes", "micro", "at k"]


def compared_at_random(rng, kind, **given):
    """Compare two models on a few or many rows, which may be copies, near copies or neither."""
    n_rows = int(rng.choice([12, 40, 150]))
    y = rng.random(n_rows) < rng.choice([0.1, 0.3, 0.6])
    y[:2] = True, False
    given["confidence_level"] = rng.choice([0.5, 0.8, 0.95, 0.99])
    if kind in ("classes", "micro"):
        y = np.column_stack([y, rng.permutation(y), rng.permutation(y)])
        given["average"] = "macro" if kind == "classes" else "micro"
    noise = rng.choice([0.0, 0.01, 0.3, 2.0])
    a = rng.normal(size=y.shape) + rng.choice([0, 1, 4]) * y
    b = a + noise * rng.normal(size=y.shape) + rng.choice([0.0, 0.0, 0.5, 2.0]) * y
    if rng.random() < 0.3:
        a, b = np.round(a), np.round(b)
    if kind in ("weights", "weighted groups"):
        given["sample_weight"] = rng.choice([1.0, 30.0]) ** rng.random(n_rows)
    if kind == "clusters":
        given["clusters"] = np.r_[0, 1, rng.integers(0, rng.choice([3, 20]), n_rows - 2)]
    if kind in ("groups", "weighted groups"):
        given["groups"] = np.r_[0, 1, rng.integers(0, rng.choice([3, 20]), n_rows - 2)]
        given["zero_division"] = 0.0
    if kind == "at k":
        given |= {"metric": "P@5", "n_resamples": 60, "random_state": 0}
    return ap.compare(y, a, b, **given)


def agree(found):
    """Whether p and the interval say the same, of a single difference or of one in a family. Where
    nothing is known, neither says anything.
    """
    if found.reason:
        ends = found.low, found.high, found.margin_low, found.margin_high
        return np.isnan([*ends, found.pvalue]).all() and found.verdict == "unclear"
    excludes = found.low > 0 or found.high < 0
    alpha = round(1 - found.confidence_level, 12)
    same = excludes == (found.pvalue < alpha)
    is_clear = decide_verdict(found.low, found.high) in ("better", "worse")
    return same and excludes == is_clear and found.low <= found.difference <= found.high


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", KINDS)
def test_p_and_interval_agree(kind):
    rng = np.random.default_rng(0)
    found = [compared_at_random(rng, kind) for _ in range(30)]
    assert all(map(agree, found))
    clear = sum(one.verdict != "unclear" for one in found)
    assert 0 < clear < len(found)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_p_and_interval_agree_in_thousands_of_results(kind):
    rng = np.random.default_rng(1)
    assert all(agree(compared_at_random(rng, kind)) for _ in range(3000))


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", KINDS)
def test_a_margin_never_changes_p(kind):
    for seed in range(8):
        plain, *others = (
            compared_at_random(np.random.default_rng(seed), kind, **given)
            for given in ({}, {"margin": 0.01}, {"margin": 0.5})
        )
        for other in others:
            assert (other.pvalue, other.low, other.high) == (plain.pvalue, plain.low, plain.high)


# --- what the law says, computed in another way ---------------------------------------------------


def drawn(n_positives=12, n_rows=60, noise=0.5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) < n_positives
    a = rng.normal(size=n_rows) + 1.5 * y
    return y, a, a + noise * rng.normal(size=n_rows)


@pytest.mark.parametrize("n_positives", [5, 12, 40])
def test_influences_are_derivatives_by_weight(n_positives):
    y, score, _ = drawn(n_positives, 5 * n_positives)
    step, value = 1e-6, ap.average_precision_score(y, score)
    weights = np.ones(y.size) + step * np.eye(y.size)
    raised = [ap.average_precision_score(y, score, sample_weight=weight) for weight in weights]
    slopes = (np.array(raised) - value) / step
    assert weigh(y, score).influences == pytest.approx(slopes, rel=1e-4, abs=1e-6)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", KINDS)
def test_attributes_give_the_ends_and_p_of_a_difference(kind):
    """As a reader computes them from what `to_dict` has."""
    rng = np.random.default_rng(2)
    seen = 0
    for _ in range(10):
        found = compared_at_random(rng, kind).to_dict()
        if found["pvalue"] is None:
            continue
        d, s, freedom = found["difference"], found["standard_error"], found["units"] - 1
        level, least = found["confidence_level"], found["least_margin"]
        p = 2 * stats.t.sf(abs(d) / s, freedom) if s else 1.0
        reach = stats.t.ppf((1 + level) / 2, freedom) * s
        ends = [d + sign * width for width in (reach, np.hypot(reach, least)) for sign in (-1, 1)]
        named = [found[name] for name in ("low", "high", "margin_low", "margin_high")]
        assert named == pytest.approx(np.clip(ends, -1, 1).tolist(), rel=1e-9, abs=1e-12)
        assert found["pvalue"] == pytest.approx(p, rel=1e-9)
        seen += 1
    assert seen >= 3


@pytest.mark.parametrize("n_units", [2, 5, 30])
@pytest.mark.parametrize("gain", [0.0, 1e-5, 0.3])
@pytest.mark.parametrize(
    "compare",
    [compare_values, partial(ap.compare_folds, n_train=4, n_test=1)],
    ids=["groups", "folds"],
)
def test_equal_differences_are_those_that_nearly_are(compare, n_units, gain):
    rng = np.random.default_rng(0)
    values, noise = rng.uniform(0.4, 0.6, n_units), 1e-9 * rng.normal(size=n_units)
    equal, nearly = compare(values + gain, values), compare(values + gain + noise, values)
    assert (nearly.low, nearly.high) == pytest.approx((equal.low, equal.high), abs=1e-6)
    assert (nearly.margin_low, nearly.margin_high) == pytest.approx(
        (equal.margin_low, equal.margin_high), abs=1e-6
    )


PAGE_KINDS = ["rows", "weights", "heavy negatives", "clusters", "weighted clusters", "groups"]
PAGE_KINDS += ["classes", "a class of one positive"]


def drawn_as(kind, seed):
    """Draw two models, and what the page says that they rest on."""
    rng = np.random.default_rng(seed)
    n_rows = rng.choice([40, 80, 200])
    y = rng.random(n_rows) < 0.3
    y[:9] = True
    a, b = rng.normal(size=(2, n_rows)) + np.outer(rng.choice([0.5, 1.0, 2.0], 2), y)
    given = {}
    if kind in ("weights", "weighted clusters"):
        given["sample_weight"] = rng.choice([1.0, 2.0, 5.0], n_rows)
    if kind == "heavy negatives":
        given["sample_weight"] = np.where(y, 1.0, 10.0)
    if "clusters" in kind:
        given["clusters"] = rng.integers(0, n_rows // 3, n_rows)
    if "class" in kind:
        y = np.column_stack([y, rng.permutation(y), rng.permutation(y)])
        if kind == "a class of one positive":
            y[1:, 0] = False
        a, b = rng.normal(size=(2, *y.shape)) + np.multiply.outer([1.5, 1.0], y)
        if kind == "a class of one positive" and seed % 2:
            b[:, 1:] = a[:, 1:]
        return y, a, b, {"average": "macro"}, [weigh_classes(y, s) for s in (a, b)]
    if kind == "groups":
        given |= {"groups": np.arange(n_rows) % 8, "zero_division": 0.0}
        each = (ap.average_precision_score(y, s, average=None, **given) for s in (a, b))
        return y, a, b, given, [weigh_groups(values) for values in each]
    columns = given.get("sample_weight"), given.get("clusters")
    return y, a, b, given, [weigh(y, s, *columns) for s in (a, b)]


@pytest.mark.parametrize("kind", PAGE_KINDS)
def test_results_are_what_the_page_says(kind):
    """Four of each kind, from the formulas of the page alone."""
    for seed in range(4):
        y, a, b, given, (one, other) = drawn_as(kind, seed)
        found = ap.confidence_interval(y, a, **given)
        assert tuple(found) == pytest.approx((one.value, *one.interval()), rel=1e-9)
        assert found.standard_error == pytest.approx(one.error, rel=1e-9)
        expected, found = subtract(one, other), ap.compare(y, a, b, **given)
        assert found.pvalue == pytest.approx(expected.p, rel=1e-9)
        ends = expected.low, expected.high, expected.margin_low, expected.margin_high
        found_ends = found.low, found.high, found.margin_low, found.margin_high
        assert found_ends == pytest.approx(ends, rel=1e-9, abs=1e-12)


def test_the_example_of_the_page_follows_from_its_formulas():
    payments = ap.datasets.load_payments(as_frame=False)
    one = weigh(payments["fraud"], payments["model_b"])
    v, u, c = one.value, one.u, lacked(one.u)
    t = stats.t.ppf(0.975, u - 1)
    reach = t * one.error / (v * (1 - v))
    test_low, test_high = expit(logit(v) - reach), expit(logit(v) + reach)
    low, high = one.interval()
    assert high == test_high
    page = DOCS.joinpath("confidence_intervals.md").read_text(encoding="utf-8")
    assert (
        f"For model B of the payments, $v={v:.3f}$, $u={u:.0f}$, $c={c:.4f}$, "
        f"$K={one.cost:.4f}$, $S={one.error:.4f}$ and $t={t:.3f}$. So $l={test_low:.3f}$ "
        f"and $h={test_high:.3f}$. The low end is "
        f"${v:.3f}-\\sqrt{{{v - test_low:.3f}^2+{one.cost:.4f}^2}}={low:.3f}$. "
        f"The high end is $h$, because $v+c(1-v)$ is only {v + c * (1 - v):.3f}."
    ) in " ".join(page.split())


SETTINGS = IntervalSettings(Step(), "influence", None, 0)


def plan_for(y, score, **given):
    found = ap.confidence_interval(y, score, **given)
    return make_plan(SETTINGS, found.source.data.get("", "")[1])


@pytest.mark.parametrize("n_positives", [1, 2, 7, 40])
def test_results_without_variance_are_what_the_page_says(n_positives):
    y, s = np.arange(3 * n_positives) < n_positives, -np.arange(3.0 * n_positives)
    cost = 1 - np.mean(np.arange(1, n_positives + 1) / np.arange(2, n_positives + 2))
    found = ap.confidence_interval(y, s)
    assert tuple(found)[1:] == pytest.approx(interval_without_variance(1, n_positives, cost))
    none = ap.confidence_interval(y, -s, metric="P@1", random_state=0)
    if n_positives > 1:
        assert (none.value, none.low) == (0, 0)
    if n_positives == 1:
        return
    for value in (0.0, 0.25, 1.0):
        expected = interval_without_variance(value, n_positives)
        gain, _ = as_gain_and_loss(np.full(n_positives, value))
        assert tuple(gain)[1:] == pytest.approx(expected)


# --- few units ------------------------------------------------------------------------------------


def with_positives(rng, number, kind):
    """Draw models and options for so many units with positives among many."""
    n_rows = 60
    y = np.zeros(n_rows, bool)
    given = {}
    if kind == "clusters":
        given["clusters"] = np.arange(n_rows) // 3
        y[: 3 * number] = True
    else:
        y[:number] = True
    a = rng.normal(size=n_rows) + rng.choice([0.0, 2.0, 6.0]) * y
    b = a + rng.choice([0.0, 0.02, 1.0]) * rng.normal(size=n_rows) - rng.choice([0.0, 3.0]) * y
    return y, a, b, given


@pytest.mark.parametrize("kind", ["rows", "clusters"])
def test_with_one_positive_every_verdict_is_unclear(kind):
    rng = np.random.default_rng(0)
    for _ in range(40):
        y, a, b, given = with_positives(rng, 1, kind)
        found = ap.compare(y, a, b, margin=rng.choice([0.05, 0.3, 0.9]), **given)
        assert found.verdict == "unclear"
        assert np.isnan([found.low, found.high, found.pvalue]).all()
        assert found.reason == ("1 positive" if kind == "rows" else "1 cluster with positives")
        assert found.notes == ()


@pytest.mark.parametrize("kind", ["rows", "clusters"])
@pytest.mark.parametrize("number", [2, 3])
def test_with_two_or_three_positives_nothing_is_equivalent(kind, number):
    rng = np.random.default_rng(1)
    for _ in range(50):
        y, a, b, given = with_positives(rng, number, kind)
        found = ap.compare(y, a, b, margin=rng.choice([0.05, 0.2]), **given)
        assert found.verdict in ("unclear", "better", "worse")
        assert [note.code for note in found.notes] == ["least_margin"]


@pytest.mark.parametrize("number", [2, 3])
def test_with_two_or_three_positives_a_model_that_differs_in_some_is_never_better(number):
    rng = np.random.default_rng(2)
    for _ in range(50):
        y, a, _, _ = with_positives(rng, number, "rows")
        b = a.copy()
        b[1:number] += rng.normal(0, 5, number - 1)  # all positives but the first
        assert ap.compare(y, a, b).verdict == "unclear"


def test_models_that_find_whole_clusters_or_none_are_not_told_apart():
    """Three patients have all positives, and 80 healthy ones say nothing about those."""
    rng = np.random.default_rng(0)
    patient = np.r_[np.repeat([0, 1, 2], 10), 3 + np.arange(80)]
    y = np.arange(110) < 30

    def model():
        found = np.where(y, 3 * (rng.random(83) < 0.5)[patient], 0)
        return found + 0.7 * rng.normal(size=83)[patient] + 0.5 * rng.normal(size=110)

    pvalues = [ap.compare(y, model(), model(), clusters=patient).pvalue for _ in range(100)]
    assert np.mean(np.less(pvalues, 0.05)) <= 0.05


def test_headers_and_notes_say_how_many_units_have_positives():
    rng = np.random.default_rng(0)
    patient = np.r_[np.repeat([0, 1], 10), 2 + np.arange(80)]
    y = np.arange(100) < 20
    a, b = rng.normal(size=(2, 100)) + y
    found = ap.compare(y, a, b, clusters=patient)
    assert found.basis == "82 clusters, 2 with positives"
    (note,) = found.notes
    least = f"{found.least_margin:.2g}"
    shown = f"the smallest margin within which equivalence can be shown is {least}."
    assert note.text == f"With 2 clusters with positives, {shown}"
    (note,) = ap.confidence_interval(y, a, clusters=patient).notes
    assert note.code == "few_groups"
    unequal = np.r_[np.repeat([0], 18), [1, 1], 2 + np.arange(80)]
    found = ap.confidence_interval(y, a, clusters=unequal)
    assert found.basis == "82 clusters, 2 with positives, effectively 1.2"


def test_a_note_names_the_margin_that_could_be_shown():
    y, a, b = drawn(200, 1000, noise=0.01)
    found = ap.compare(y, a, b, margin=0.01)
    (note,) = found.notes
    least = found.least_margin
    shown = f"the smallest margin within which equivalence can be shown is {least:.2g}."
    assert note.text == f"With 200 positives, {shown}"
    at_top = max(weigh(y, a).cost, weigh(y, b).cost)
    assert least == pytest.approx(np.hypot(lacked(200), at_top))
    assert not ap.compare(y, a, b, margin=1.2 * least).notes
    assert ap.compare(y, a, b, margin=1.2 * least).verdict == "equivalent"
    assert ap.compare(y, a, b, margin=0.9 * least).verdict == "unclear"
    assert not ap.compare(y, a, b).notes


# --- what must not matter -------------------------------------------------------------------------


def what_is_claimed(found):
    return np.array([found.difference, found.low, found.high, found.pvalue])


@pytest.mark.parametrize("n_rows", [20, 100, 1000, 65_535, 65_536, 131_072, 200_000])
def test_a_negative_that_both_models_rank_last_changes_almost_nothing(n_rows):
    y, a, b = drawn(max(n_rows // 20, 6), n_rows, noise=0.5, seed=1)
    before = ap.compare(y, a, b)
    y, a, b = np.append(y, False), np.append(a, -99.0), np.append(b, -99.0)
    after = ap.compare(y, a, b)
    ratio = after.standard_error / before.standard_error
    assert np.sqrt(1 - 1 / n_rows) * (1 - 1e-9) <= ratio <= 1
    assert after.high - after.low == pytest.approx(before.high - before.low, rel=0.05)
    assert after.pvalue == pytest.approx(before.pvalue, rel=0.05, abs=1e-12)


def test_negatives_that_both_models_rank_last_lower_p_only_as_a_variance_does():
    y, a, b = drawn(noise=1.5)
    before = ap.compare(y, a, b)
    freedom, n_rows = before.units - 1, y.size
    distance = abs(before.difference) / before.standard_error * np.sqrt(n_rows / (n_rows - 1))
    least = 2 * stats.t.sf(distance, freedom)
    for number in (1, 10, 1000):
        more = np.append(y, np.zeros(number, bool))
        scores = [np.append(s, np.full(number, -99.0)) for s in (a, b)]
        assert least * (1 - 1e-9) <= ap.compare(more, *scores).pvalue <= before.pvalue


def test_a_cluster_split_into_two_never_makes_u_smaller():
    rng = np.random.default_rng(0)
    for _ in range(30):
        y = rng.random(60) < 0.3
        y[0] = True
        a, cluster = rng.normal(size=60), rng.integers(0, 8, 60)
        weight = 10.0 ** rng.random(60) if rng.random() < 0.5 else None
        split = np.where((cluster == 3) & (rng.random(60) < 0.5), 99, cluster)
        units = []
        for clusters in (cluster, split):
            plan = plan_for(y, a, clusters=clusters, sample_weight=weight)
            units.append(plan.spread.equal_units)
        assert units[1] >= units[0] * (1 - 1e-9)


@pytest.mark.parametrize("kind", ["rows", "weights", "clusters", "groups"])
def test_order_and_scales_change_nothing(kind):
    y, a, b = drawn(noise=1.0)
    rng = np.random.default_rng(0)
    columns = {
        "rows": {},
        "weights": {"sample_weight": 5.0 ** rng.random(60)},
        "clusters": {"clusters": np.arange(60) % 17},
        "groups": {"groups": np.arange(60) % 9, "zero_division": 0.0},
    }[kind]
    options = {"zero_division": columns.pop("zero_division")} if kind == "groups" else {}
    expected = what_is_claimed(ap.compare(y, a, b, **columns, **options))
    order = rng.permutation(60)
    permuted = {name: column[order] for name, column in columns.items()}
    found = ap.compare(y[order], a[order], b[order], **permuted, **options)
    assert what_is_claimed(found) == pytest.approx(expected, rel=1e-9)
    found = ap.compare(y, 3 * a + 7, np.exp(b), **columns, **options)
    assert what_is_claimed(found) == pytest.approx(expected, rel=1e-9)
    if kind == "weights":
        found = ap.compare(y, a, b, sample_weight=1e6 * columns["sample_weight"])
        assert what_is_claimed(found) == pytest.approx(expected, rel=1e-9)


def test_equal_rankings_cannot_be_told_apart_but_a_sample_may_lack_where_they_differ():
    y, a, _ = drawn(200, 1000)
    found = ap.compare(y, a, np.exp(a), margin=0.1)
    assert found.pvalue == 1
    assert found.low == found.high == 0
    assert found.margin_low == -found.margin_high == -found.least_margin < 0
    assert found.verdict == "equivalent"
    assert ap.compare(y, a, a, margin=0.005).verdict == "unclear"


def test_widths_change_with_u_as_the_quantile_and_what_may_lack_do():
    """Scores are at the normal quantiles, so that nothing is left to chance."""
    negatives = stats.norm.ppf((np.arange(400) + 0.5) / 400)
    widths = []
    for number in range(4, 40):
        positives = stats.norm.ppf((np.arange(number) + 0.5) / number) + 1.5
        y = np.arange(400 + number) < number
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ap.confidence_interval(y, np.append(positives, negatives))
        widths.append((found.high - found.low) / found.standard_error)
    number = np.arange(4, 40)
    assert np.all(np.diff(widths) < 0.02 * np.array(widths[1:]))
    largest = stats.t.ppf(0.975, number[:-1] - 1) / stats.t.ppf(0.975, number[1:] - 1)
    assert np.all(np.array(widths[:-1]) / widths[1:] < largest * 1.1)


@pytest.mark.parametrize("units", [6.0, 20.0, 100.0])
def test_a_perfect_ranking_does_not_show_what_is_missing_by_chance(units):
    """At a cutoff, it may have less than 1, and a small standard error."""
    value, error = np.array([0.9]), np.array([1e-4])
    low, _ = compute_value_limits(value, error, np.array([units]), 0.95, perfect=0.9)
    assert low.item() == pytest.approx(0.9 * 0.025 ** (1 / units))
    of_others, _ = compute_value_limits(value, error, np.array([units]), 0.95)
    assert 0.899 < of_others.item() < 0.9


CLASS = np.random.default_rng(4).choice(3, 60, p=[0.6, 0.3, 0.1])


@pytest.mark.parametrize("method", ["influence", "bootstrap"])
@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "samples"])
def test_the_order_of_two_models_only_changes_signs(average, method):
    """Shares of classes that vary move both values, so their effects are subtracted, too."""
    rng = np.random.default_rng(5)
    labels = np.equal.outer(CLASS, np.arange(3)).astype(int)
    a, b = labels + rng.standard_normal((60, 3)), 0.3 * labels + rng.standard_normal((60, 3))
    given = {"average": average, "method": method, "random_state": 0, "n_resamples": 99}
    if method == "influence":
        del given["n_resamples"], given["random_state"]
    one, other = ap.compare(labels, a, b, **given), ap.compare(labels, b, a, **given)
    assert one.difference == pytest.approx(-other.difference, rel=1e-12)
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), rel=1e-9)
    assert one.pvalue == pytest.approx(other.pvalue, rel=1e-9)


def as_gain_and_loss(values, others=None, **given):
    """Return the results of the same values, once as a gain between 0 and 1, once as a loss."""
    n = len(values)
    group, found = np.repeat(np.arange(n), 2), []
    for is_gain in (True, False):
        rows = [np.column_stack([each if is_gain else 1 - each, np.zeros(n)]).ravel()
                for each in (values, others) if each is not None]  # fmt: skip
        metric = ap.metric(
            lambda y, s: s[0], name="first", limits=(0, 1), greater_is_better=is_gain
        )
        function = ap.confidence_interval if others is None else ap.compare
        labels = np.tile([1, 0], n)
        found.append(function(labels, *rows, groups=group, metric=metric, **given))
    return found


def values_of_groups(rng):
    """Skewed values, few or many, of which some may be equal."""
    n = int(rng.choice([2, 3, 5, 12, 40]))
    values = rng.beta(*rng.choice([0.3, 1.0, 4.0], 2), n)
    if rng.random() < 0.3:
        values = np.round(values * rng.choice([1, 4])) / 4
    return np.full(n, values[0]) if rng.random() < 0.1 else values


def test_a_loss_has_the_mirrored_interval_of_the_gain():
    """Where lower is better, the worst value is the highest one, and the best the lowest."""
    rng = np.random.default_rng(0)
    for _ in range(30):
        level = rng.choice([0.8, 0.95])
        values = values_of_groups(rng)
        gain, loss = as_gain_and_loss(values, confidence_level=level)
        mirrored = 1 - loss.value, 1 - loss.high, 1 - loss.low
        assert tuple(gain) == pytest.approx(mirrored, rel=1e-9, abs=1e-12)
        others = np.clip(values + rng.normal(0, rng.choice([0.01, 0.3]), values.size), 0, 1)
        gain, loss = as_gain_and_loss(values, others, confidence_level=level, margin=0.1)
        mirrored = -loss.difference, -loss.high, -loss.low, -loss.margin_high, -loss.margin_low
        ends = gain.low, gain.high, gain.margin_low, gain.margin_high
        assert (gain.difference, *ends) == pytest.approx(mirrored, rel=1e-9, abs=1e-12)
        assert gain.pvalue == pytest.approx(loss.pvalue)
        assert gain.verdict == loss.verdict


# --- verdicts ------------------------------------------------------------------------------------

SEVERITY = {"better": 0, "equivalent": 1, "no worse": 1, "unclear": 2, "no better": 3, "worse": 4}


@pytest.mark.sweep(2)
@pytest.mark.parametrize("middle", [0.5, 0.0])
@pytest.mark.parametrize("greater_is_better", [True, False])
def test_a_larger_loss_with_the_same_spread_never_has_a_milder_verdict(middle, greater_is_better):
    """Values around 0.5 are between 0 and 1, and those around 0 have no limits."""
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(5):
        n, spread = int(rng.choice([4, 8, 30])), rng.choice([0.005, 0.02])
        baseline, noise = middle + 0.1 * rng.standard_normal(n), spread * rng.standard_normal(n)
        given = {"margin": rng.choice([0.01, 0.05, 0.15]), "greater_is_better": greater_is_better}
        before = 0
        for loss in np.linspace(-0.2, 0.2, 21):
            model = baseline + noise - (loss if greater_is_better else -loss)
            verdict = compare_values(model, baseline, **given).verdict
            assert SEVERITY[verdict] >= before
            before = SEVERITY[verdict]
            seen.add(verdict)
    assert len(seen) >= 4


def judge(low, high, margin_low, margin_high, margin):
    """Return the verdict that follows from attributes, where greater is better."""
    if low is None:
        return "unclear"
    if margin is not None and max(-margin_low, margin_high) < margin:
        return "equivalent"
    if low > 0 or high < 0:
        return "better" if low > 0 else "worse"
    if margin is not None and -margin_low < margin:
        return "no worse"
    if margin is not None and margin_high < margin:
        return "no better"
    return "unclear"


def attributes_of(row):
    """The interval of the difference, and the ends that claims about a margin need."""
    names = (
        ["low", "high"] if "difference_low" not in row else ["difference_low", "difference_high"]
    )
    return [row[name] for name in (*names, "margin_low", "margin_high", "margin")]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", KINDS)
def test_verdicts_follow_from_attributes_alone(kind):
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(30):
        found = compared_at_random(rng, kind, margin=rng.choice([0.02, 0.1, 0.4]))
        facts = found.to_dict()
        assert facts["verdict"] == judge(*attributes_of(facts))
        if not found.reason:
            assert found.margin_low <= found.low <= found.high <= found.margin_high
        seen.add(found.verdict)
    assert len(seen) > 2


def test_verdicts_in_tables_and_reports_follow_from_attributes_alone():
    rng = np.random.default_rng(0)
    seen = set()
    for seed in range(12):
        y, a, b = drawn(int(rng.choice([12, 60])), 200, noise=rng.choice([0.02, 1.0]), seed=seed)
        models = {"a": a, "b": b, "c": a - y, "d": -a}
        table = ap.compare(y, models, baseline="a", margin=0.1)
        report = ap.report(y, models, baseline="a", margin=0.1)
        for row in [*table.to_dict(), *report.to_dict()]:
            if row["model"] != "a":
                facts = {"margin": 0.1} | row
                assert row["verdict"] == judge(*attributes_of(facts))
                seen.add(row["verdict"])
    assert len(seen) > 2


DOUBTS = (
    "p-value",
    "p can",
    "p is",
    "not be trusted",
    "can't be trusted",
    "one model than",
    "biased",
)


def test_no_verdict_stands_beside_a_doubt_about_p():
    """Notes and warnings on heavy negatives and bursts are about values, not about p."""
    rng = np.random.default_rng(0)
    n_clear = 0
    for _ in range(60):
        y = rng.random(150) < 0.3
        weight = np.where(y, 1.0, rng.choice([1.0, 20.0, 100.0]))
        given = {"sample_weight": weight} if rng.random() < 0.7 else {}
        if not given or rng.random() < 0.2:
            given["clusters"] = np.where(y, np.arange(150), rng.integers(1000, 1004, 150))
        a, b = rng.normal(size=(2, 150)) + np.outer([2.5, 1.0], y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = ap.compare(y, a, b, **given)
            report = ap.report(y, {"a": a, "b": b}, baseline="b", **given)
        said = [str(each.message) for each in caught]
        said += [note.text for note in (*found.notes, *report.notes)]
        if found.verdict != "unclear":
            n_clear += bool(caught)
            assert not any(doubt in text for doubt in DOUBTS for text in said)
    assert n_clear > 5
