"""`operating_point`: the threshold for a target, checked against every threshold in fractions."""

from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import ceil, isnan

import numpy as np
import pytest

import sklearn_ap as ap

LABELS = [1, 0, 1, 1, 0, 0]
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
AMOUNTS = [10, 2000, 30, 40, 50, 60.5]


# Against every threshold
def every_threshold(labels, scores, weights, n_positives):
    """Return what each threshold flags, highest first, in fractions. Weights are eighths."""
    rows = [(s, y, Fraction(w)) for s, y, w in zip(scores, labels, weights, strict=True) if w]
    positives = sum(weight for _, label, weight in rows if label)
    exist = positives if n_positives is None else Fraction(n_positives)
    mass = sum(weight for *_, weight in rows)
    found = []
    for threshold in sorted({score for score, *_ in rows}, reverse=True):
        flagged = [(label, weight) for score, label, weight in rows if score >= threshold]
        hits = [weight for label, weight in flagged if label]
        size = sum(weight for _, weight in flagged)
        found.append(
            {
                "threshold": threshold,
                "precision": sum(hits) / size,
                "recall": sum(hits) / exist if exist else None,
                "n_flagged": len(flagged),
                "true_positives": len(hits),
                "flagged_mass": size,
                "found_mass": sum(hits),
                "flagged_share": size / mass,
            }
        )
    return found


def best_by(target, value, found, by_rows, whole):
    """Return the threshold for a target; None if there is none."""
    if target == "k":
        counted = "n_flagged" if by_rows else "flagged_mass"
        size = found[-1][counted]
        amount = value if isinstance(value, int) else Fraction(str(value)) * size
        if by_rows or whole:
            amount = ceil(amount)
        enough = [each for each in found if each[counted] >= amount]
        return enough[0] if enough else found[-1]
    one, other = ("recall", "precision") if target == "min_recall" else ("precision", "recall")
    if not found[-1]["found_mass"]:
        return None
    reached = [each for each in found if each[one] >= Fraction(str(value))]
    return max(reached, key=lambda each: (each[other], each[one]), default=None)


TARGETS = [
    *(("min_recall", least) for least in (0.0, 0.3, 0.5, 0.75, 0.9, 1.0)),
    *(("min_precision", least) for least in (0.0, 0.3, 0.5, 0.6, 0.75, 0.9, 1.0)),
    *(("k", k) for k in (1, 3, 8, 0.1, 0.3, 0.5, 0.7, 1.0)),
]


def rankings(n_rankings):
    """Small ones with ties: without weights, with whole ones and with fractions; some positives
    are missing.
    """
    rng = np.random.default_rng(0)
    for i in range(n_rankings):
        size = int(rng.integers(1, 13))
        labels = (rng.random(size) < rng.choice([0.1, 0.4, 0.7])).astype(int)
        scores = rng.integers(-3, 4, size) / 4
        weights = [None, rng.integers(0, 4, size), rng.integers(0, 16, size) / 8][i % 3]
        if weights is not None:
            weights[rng.integers(size)] = 1
        mass = labels.sum() if weights is None else weights[labels == 1].sum()
        n_positives = [None, mass.item() + int(rng.integers(1, 3))][i // 3 % 2]
        yield labels, scores, weights, n_positives, TARGETS[i % len(TARGETS)]


@pytest.mark.filterwarnings("ignore:k=.*(counts weight|exceeds):UserWarning")
@pytest.mark.parametrize("n_rankings", [700, pytest.param(10_000, marks=pytest.mark.slow)])
def test_against_every_threshold(n_rankings):
    refused = 0
    cases = enumerate(rankings(n_rankings))
    for i, (labels, scores, weights, n_positives, (target, value)) in cases:
        plain = [1] * labels.size if weights is None else weights.tolist()
        by_rows = target == "k" and i % 2 == 1
        found = every_threshold(labels.tolist(), scores.tolist(), plain, n_positives)
        whole = all(weight == int(weight) for weight in plain)
        expected = best_by(target, value, found, by_rows, whole)
        given = {target: value, "sample_weight": weights, "n_positives": n_positives}
        given |= {"k_counts": "samples"} if by_rows else {}
        if expected is None:
            refused += 1
            with pytest.raises(ValueError, match=r"cannot be met|No threshold reaches"):
                ap.operating_point(labels, scores, **given)
            continue
        point = ap.operating_point(labels, scores, **given)
        expected["false_positives"] = point.n_flagged - expected["true_positives"]
        if weights is None:
            expected |= {"flagged_mass": None, "found_mass": None}
        if expected["recall"] is None:
            expected["recall"] = np.nan
        for name, exact in expected.items():
            exact = None if exact is None else float(exact)
            np.testing.assert_equal(getattr(point, name), exact, err_msg=f"{i}, {name}")
        assert point.n_flagged == ((scores >= point.threshold) & np.array(plain, bool)).sum()
    assert refused > n_rankings / 20


@pytest.mark.parametrize("weight", [0.1, 0.7, 1e-9, 3.3])
@pytest.mark.filterwarnings("ignore:k=.* counts weight:UserWarning")
def test_roundings_of_weights_do_not_decide(weight):
    """Equal weights make the same choice as no weights, although their sums are rounded."""
    rng = np.random.default_rng(2)
    for _ in range(10):
        labels = rng.random(40) < 0.3
        scores = np.round(rng.standard_normal(40) + labels, 1)
        for target, value in TARGETS:
            if target == "k" and (isinstance(value, int) or 40 * Fraction(str(value)) % 1):
                continue  # weight 1 is no sample, and shares of samples are rounded up
            given = {"sample_weight": np.full(40, weight), target: value}
            try:
                expected = ap.operating_point(labels, scores, **{target: value})
            except ValueError:
                with pytest.raises(ValueError, match="No threshold reaches"):
                    ap.operating_point(labels, scores, **given)
                continue
            point = ap.operating_point(labels, scores, **given)
            assert point.threshold == expected.threshold, (target, value)


# What the parameters mean
def test_k_beyond_the_samples_flags_all_of_them():
    with pytest.warns(UserWarning, match=r"^k=7 exceeds the 6 samples, so all samples are flagged"):
        point = ap.operating_point(LABELS, SCORES, k=7)
    assert (point.n_flagged, point.precision, point.recall) == (6, 0.5, 1)
    words = r"^k=3000 exceeds the sum of sample_weight, 2190\.5, so all"
    with pytest.warns(UserWarning, match=words):
        assert ap.operating_point(LABELS, SCORES, k=3000, sample_weight=AMOUNTS).n_flagged == 6
    assert ap.operating_point([1] * 10, range(10), k=1, sample_weight=[0.1] * 10).n_flagged == 10


def test_no_positives():
    point = ap.operating_point([0, 0, 0], [3, 2, 1], k=2)
    assert isnan(point.recall)
    assert "precision 0.000 and undefined recall (no positives)" in str(point)


# Scores of every type
TYPED = {
    "float64": np.array([0.3, 0.1 + 0.2, 0.1, -1e-300]),
    "float32": np.array([0.3, 0.1, 0.1, -7.7], dtype=np.float32),
    "float16": np.array([0.3, 0.1, 0.1, -7.7], dtype=np.float16),
    "int8": np.array([100, -1, -1, -128], dtype=np.int8),
    "large integers": np.array([2**53 + 1, 2**53, 2**53, 2**53 - 1]),
    "uint64": np.array([2**64 - 1, 2**64 - 2, 2**64 - 2, 0], dtype=np.uint64),
    "Python's integers": np.array([2**70 + 1, 2**70, 2**70, 0], dtype=object),
    "bool": np.array([True, False, False, False]),
    "Fraction": np.array([Fraction(1, 3), Fraction(1, 7), Fraction(1, 7), Fraction(-1)]),
    "zeros": np.array([1.0, -0.0, 0.0, -1.0]),
    "tiny": np.array([5e-324, 1e-323, 1e-323, 0.0]),
    "least": np.array([-1, -65472, -65472, -65504], dtype=np.float16),
    "huge": np.array([1.7e308, 1.6e308, 1.6e308, -1.7e308]),
}


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("weight", [None, [1, 2, 1, 1]])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_threshold_is_exact_for_every_type_of_score(name, weight, k):
    scores = TYPED[name]
    point = ap.operating_point([1, 0, 1, 0], scores, k=k, k_counts="samples", sample_weight=weight)
    assert point.threshold == np.sort(scores)[-k]
    assert (scores >= point.threshold).sum() == point.n_flagged
    assert str(point.threshold) != "-0.0"


def test_thresholds_of_decimals_are_floats():
    """Decimal("0.1") is less than the float 0.1, but both are read as the same score."""
    scores = [Decimal("0.3"), Decimal("0.1"), Decimal("0.1"), Decimal(-1)]
    point = ap.operating_point([1, 0, 1, 0], scores, k=2)
    assert (point.threshold, type(point.threshold), point.n_flagged) == (0.1, float, 3)
    for given in (scores, list(map(float, scores)), np.array(scores)):
        check = point.check([1, 0, 1, 0], given)
        assert (check.n_flagged, check.true_positives) == (3, 2)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-4, 1, 1e4])
def test_what_is_printed_flags_the_same_samples(dtype, scale):
    rng = np.random.default_rng(4)
    for size in (1, 3, 30, 1000):
        scores = (scale * rng.standard_normal(size)).astype(dtype)
        for k in {1, size // 2 or 1, size}:
            point = ap.operating_point([1] * size, scores, k=k)
            printed = float(str(point).split(":")[0].removeprefix("Flag scores of at least "))
            assert printed <= point.threshold
            assert (scores >= printed).sum() == point.n_flagged
            assert (scores.astype(float) >= printed).sum() == point.n_flagged


# Groups

DAYS = ["Mon", "Mon", "Tue", "Tue", "Tue", "Wed"]


def test_k_with_groups_is_a_budget():
    """Three days with one alert each on average, so three alerts; a fraction is one of all rows."""
    point = ap.operating_point(LABELS, SCORES, k=1, groups=DAYS)
    assert (point.threshold, point.n_flagged) == (0.7, 3)
    assert (point.n_groups, point.least_per_group, point.most_per_group) == (3, 0, 2)
    assert point.mean_per_group == 1.0
    words = "In 3 groups, it flags 0 to 2 samples per group, 1.00 on average."
    assert str(point).splitlines()[-1] == words
    names = ["n_groups", "least_per_group", "mean_per_group", "most_per_group"]
    assert list(point.to_dict())[-4:] == names
    alone, half = (ap.operating_point(LABELS, SCORES, k=0.5, groups=g) for g in (None, DAYS))
    assert half.threshold == alone.threshold == 0.7
    assert alone.n_groups is alone.least_per_group is None
    even = ap.operating_point([1, 0, 1, 0], [3, 2, 3, 1], k=1, groups=[*"aabb"])
    assert str(even).endswith("\nIn 2 groups, it flags 1 sample each.")


def test_budget_counts_weight_or_samples():
    point = partial(ap.operating_point, LABELS, SCORES, groups=DAYS, k=20)
    by_weight = point(sample_weight=[10, 40, 30, 40, 50, 60.5], k_counts="weight")
    assert (by_weight.n_flagged, by_weight.flagged_mass) == (2, 50)
    with pytest.warns(UserWarning, match=r"k=20 exceeds the mean number of samples per group, 2,"):
        by_rows = point(sample_weight=AMOUNTS, k_counts="samples")
    assert (by_rows.n_flagged, by_rows.mean_per_group) == (6, 2.0)


def test_positives_of_groups_are_added_up():
    """Of 6 positives, 4 samples have 3; a day without samples has no alerts."""
    point = partial(ap.operating_point, LABELS, SCORES, min_recall=0.5, groups=DAYS)
    found = point(n_positives={"Mon": 2, "Tue": 2, "Wed": 0, "Thu": 2})
    assert (found.threshold, found.recall) == (0.6, 0.5)
    assert (found.n_groups, found.least_per_group, found.mean_per_group) == (4, 0, 1.0)
    assert point(n_positives=6).recall == 0.5


@pytest.mark.filterwarnings("ignore:Even with all samples flagged:UserWarning")
@pytest.mark.parametrize("part", [None, 0.3, 0.8])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(7))
def test_budgets_against_every_threshold(seed, weighted, part):
    """The lowest with at most k for each day, on average or on this part of the days and one
    more, so that it is right on average for a new day.
    """
    rng = np.random.default_rng(seed)
    day, scores, labels = rng.integers([[6], [15], [2]], size=(3, 40))
    k, weight = int(rng.integers(2, 6)), rng.integers(1, 3 if weighted else 2, 40)
    given = {"k": k, "groups": day, "quantile": part}
    given |= {"sample_weight": weight, "k_counts": "weight"} if weighted else {}
    flagged = {t: np.bincount(day, weight * (scores >= t))[np.unique(day)] for t in set(scores)}
    n_days = np.unique(day).size
    least = 0 if part is None else ceil((n_days + 1) * Fraction(str(part)))
    if least > n_days:
        with pytest.raises(ValueError, match=f"and there are {n_days}"):
            ap.operating_point(labels, scores, **given)
        return
    within = [
        t
        for t, each in flagged.items()
        if (each.mean() <= k if part is None else (each <= k).sum() >= least)
    ]
    if not within:
        with pytest.raises(ValueError, match=f"at most k={k}"):
            ap.operating_point(labels, scores, **given)
        return
    point = ap.operating_point(labels, scores, **given)
    assert point.threshold == min(within)
    if not weighted:
        each = flagged[point.threshold]
        counts = point.least_per_group, point.mean_per_group, point.most_per_group
        assert counts == (each.min(), each.mean(), each.max())


# Several models
def test_one_point_for_each_model():
    models = {"old": SCORES, "new": [0.9, 0.3, 0.7, 0.6, 0.5, 0.4]}
    points = ap.operating_point(LABELS, models, min_recall=0.8)
    assert list(points) == ["old", "new"]
    assert points["new"] == ap.operating_point(LABELS, models["new"], min_recall=0.8)
    assert str(points).splitlines() == [
        "model  threshold  precision  recall  flagged  positive",
        "old    0.6        0.750      1.000   4 of 6   3",
        "new    0.6        1.000      1.000   3 of 6   3",
    ]
    assert "<td" in points._repr_html_()
    assert points.to_dict()[1] == {"model": "new"} | points["new"].to_dict()
    assert points == ap.operating_point(LABELS, models, min_recall=0.8)
    assert points != ap.operating_point(LABELS, models, min_recall=0.3)
    with pytest.warns(UserWarning, match="exceeds the 6 samples") as given:
        ap.operating_point(LABELS, models, k=10)
    assert [warning.filename for warning in given] == [__file__]


def test_models_with_weights_and_groups():
    given = {"k": 1, "k_counts": "samples", "sample_weight": AMOUNTS, "groups": DAYS}
    points = ap.operating_point(LABELS, {"old": SCORES}, **given)
    header = "model  threshold  precision  recall  flagged  positive  flagged weight"
    assert str(points).splitlines() == [
        f"{header}  positive weight  per group  mean",
        "old    0.7        0.020      0.500   3 of 6   2         2,040           40"
        "               0 to 2     1.00",
    ]


# The result
def test_result_prints_as_sentences():
    point = ap.operating_point(LABELS, SCORES, min_precision=0.9, sample_weight=AMOUNTS)
    assert repr(point) == (
        "Flag scores of at least 0.9: precision 1.000 and recall 0.125 by weight.\n"
        "This flags 1 of 6 samples; 1 of those flagged is positive.\n"
        "The flagged samples weigh 10, the positives among them 10."
    )
    whole = ap.operating_point(LABELS, SCORES, k=1.0, sample_weight=AMOUNTS)
    assert "weigh 2,190, the positives among them 80." in str(whole)
    assert "<br>This flags 4 of 6 samples" in ap.operating_point(LABELS, SCORES, k=4)._repr_html_()
    huge = ap.operating_point(LABELS, SCORES, k=1.0, sample_weight=[1e300] * 6)
    assert "weigh 6e+300, the positives among them 3e+300." in str(huge)
    thousands = ap.operating_point([1, 0] * 1000, range(2000), k=0.75)
    assert "1,500 of 2,000 samples; 750 of those flagged are positive" in str(thousands)
    assert "at least 500:" in str(thousands)


# Refusals
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"min_precision": 0.9}, "highest precision .* is 0.6666"),
        ({"min_recall": 0.5, "n_positives": 7}, "n_positives=7, y_true has 3, .* is 0.4285"),
        ({"min_precision": 0.9, "sample_weight": [0.1] * 6}, "highest precision .* is 0.6666"),
        (
            {"min_recall": 0.5, "n_positives": 3.3, "sample_weight": [0.1] * 6},
            "the highest recall is 0.0909",
        ),
    ],
)
def test_a_target_out_of_reach_says_what_is_in_reach(given, words):
    labels = LABELS if "min_recall" in given else [0, 1, 1, 0, 0, 1]
    name, best = advised(labels, SCORES, given, words)
    reached = ap.operating_point(labels, SCORES, **given | {name: float(best)})
    assert getattr(reached, name.removeprefix("min_")) >= float(best) - 1e-12


def advised(labels, scores, given, words):
    with pytest.raises(ValueError, match=words) as caught:
        ap.operating_point(labels, scores, **given)
    name, best = str(caught.value).removesuffix(" or less.").split("Pass ")[1].split("=")
    assert name in given
    return name, best


def test_advice_is_rounded_down():
    """However small the best value is, and however many samples there are."""
    for n_negatives in (1, 2, 5, 6, 700, 59_999):
        labels = np.r_[np.zeros(n_negatives, dtype=int), 1]
        for given in ({"min_precision": 1.0}, {"min_recall": 1, "n_positives": n_negatives + 1}):
            scores = -np.arange(labels.size)
            name, best = advised(labels, scores, given, "No threshold reaches")
            exact = Fraction(1, n_negatives + 1)
            assert exact * Fraction("0.999") < Fraction(best) <= exact
            ap.operating_point(labels, scores, **given | {name: float(best)})


@pytest.mark.parametrize(
    ("scores", "shown"),
    [
        (np.array([0.12345, 0.123]), "0.1234"),
        # 1.0000005 is between two neighbors among floats of 32 bits, but closer to the lower one.
        (1 + np.array([5, 4], dtype=np.float32) * np.finfo(np.float32).eps, "1.00000059"),
    ],
)
def test_a_printed_threshold_is_above_the_score_below(scores, shown):
    point = ap.operating_point([1, 0], scores, k=1)
    assert point.shown == shown
    assert (scores >= float(shown)).tolist() == [True, False]
