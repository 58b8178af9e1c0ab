"""What alerts cost, what they bring, and the threshold with the highest net value."""

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import sklearn_ap as ap
from sklearn_ap.core.skewed import Mean, skewness_of
from sklearn_ap.thresholds import OperatingPoint

from .refusals import refuses
from .test_compare_values import hall_and_t

Y = [1, 0, 1, 0, 0, 1]
S = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
AMOUNT = [10, 70, 20, 5, 8, 9]


def written(number):
    return Fraction(str(number))


def net_values(labels, scores, weight, benefit, cost):
    """Return the net value of each threshold, highest threshold first, in fractions."""
    rows = [
        (s, written(w) * (written(b) * int(y) - written(cost)))
        for y, s, w, b in zip(labels, scores, weight, benefit, strict=True)
        if w
    ]
    return {
        t: sum(value for s, value in rows if s >= t)
        for t in sorted({s for s, _ in rows}, reverse=True)
    }


def best_of(values):
    """Return the highest threshold with the highest net value, if any alert pays."""
    best = max(values.values())
    return next(t for t, value in values.items() if value == best) if best > 0 else np.inf


COSTS = [0, 0.1, 0.3, 1 / 3, 0.5, 1, 2, 5, 0.07]
AMOUNTS = {
    "one": lambda rng, size: None,
    "a number": lambda rng, size: 2.5,
    "whole": lambda rng, size: rng.integers(0, 9, size),
    "cents": lambda rng, size: (rng.integers(0, 900, size) / 100).round(2),
    "tenths": lambda rng, size: (rng.integers(0, 9, size) / 10).round(1),
}
WEIGHTS = {
    "no": lambda rng, size: None,
    "whole": lambda rng, size: rng.integers(0, 4, size) + (np.arange(size) == 0),
    "tenths": lambda rng, size: (rng.integers(0, 40, size) / 10).round(1) + (np.arange(size) == 0),
}


@pytest.mark.parametrize("amounts", AMOUNTS)
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("n_sets", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_against_every_threshold(amounts, weights, n_sets):
    """With ties of prediction scores, and of net values, which take fewer alerts."""
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        size, cost = int(rng.integers(1, 13)), COSTS[seed % len(COSTS)]
        if cost == 1 / 3 and {amounts, weights} & {"tenths", "cents"}:
            cost = 0.33  # a tie up to the 16th decimal is one for floats
        labels = (rng.random(size) < 0.5).astype(int)
        scores = rng.integers(-3, 4, size) / 4
        benefit, weight = AMOUNTS[amounts](rng, size), WEIGHTS[weights](rng, size)
        groups = rng.integers(0, 3, size) if seed % 2 else None
        point = ap.operating_point(
            labels, scores, alert_cost=cost, benefit=benefit, sample_weight=weight, groups=groups
        )
        each = np.broadcast_to(1 if benefit is None else benefit, size).tolist()
        mass = np.broadcast_to(1 if weight is None else weight, size).tolist()
        values = net_values(labels, scores.tolist(), mass, each, cost)
        assert point.threshold == best_of(values)
        expected = max(0, *values.values())
        assert point.net_value == pytest.approx(float(expected), abs=1e-12)
        flagged = (scores >= point.threshold) & (np.array(mass) > 0)
        assert (point.n_flagged, point.true_positives) == (flagged.sum(), labels[flagged].sum())
        every = point.all_thresholds()
        assert every["threshold"].tolist() == [*values]
        assert every["net_value"] == pytest.approx([*map(float, values.values())], abs=1e-12)
        for threshold in (0.1, -2, 5):
            given = ap.operating_point(
                *(labels, scores), threshold=threshold, alert_cost=cost, benefit=benefit,
                sample_weight=weight,
            )  # fmt: skip
            above = [value for t, value in values.items() if t >= threshold]
            assert given.net_value == pytest.approx(float(above[-1]) if above else 0, abs=1e-12)


def test_by_hand():
    """With 9 an alert: 10 - 9 = 1 at .9, -8 at .8, 30 - 27 = 3 at .7, -6, -15 and -15."""
    point = ap.operating_point(Y, S, alert_cost=9, benefit=AMOUNT)
    assert (point.threshold, point.net_value) == (0.7, 3)
    assert str(point).splitlines()[2:] == [
        "The net value of these alerts is 3, at a cost of 9 each.",
        "It is the highest of these samples, so expect less of new ones.",
    ]
    there = ap.operating_point(Y, S, threshold=0.9, alert_cost=9, benefit=AMOUNT)
    assert there.net_value == 1
    assert str(there).splitlines()[-1] == "The net value of these alerts is 1, at a cost of 9 each."


def test_nothing_is_flagged_if_no_alert_pays():
    point = ap.operating_point(Y, S, alert_cost=10, benefit=AMOUNT, groups=[*"aabbcc"])
    assert (point.threshold, point.net_value, point.n_flagged) == (np.inf, 0, 0)
    assert np.isnan(point.precision)
    assert point.recall == 0
    assert point.flagged_per_group == {"a": 0, "b": 0, "c": 0}
    assert str(point).splitlines()[0] == (
        "Flag nothing: undefined precision (nothing is flagged) and recall 0.000."
    )
    assert str(point).splitlines()[-1] == "No alert pays at a cost of 10 each."
    assert (point.to_dict()["threshold"], point.to_dict()["precision"]) == ("inf", None)
    assert OperatingPoint.from_dict(point.to_dict()) == point
    assert point.check(Y, S).n_flagged == 0
    nobody = ap.operating_point([0, 0], [2, 1], alert_cost=1)
    assert (nobody.threshold, nobody.net_value) == (np.inf, 0)
    assert np.isnan(nobody.recall)


@pytest.mark.parametrize("cost", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("prevalence", [None, 0.01, 0.3])
def test_with_a_benefit_of_1_it_is_net_benefit(cost, prevalence):
    """n (1 - c) times the net benefit of Vickers and Elkin (2006), as dcurves computes it."""
    rng = np.random.default_rng(0)
    y = rng.random(500) < 0.2
    p = rng.beta(1 + y, 3)
    point = ap.operating_point(y, p, threshold=cost, alert_cost=cost, prevalence=prevalence)
    share = y.mean() if prevalence is None else prevalence
    hits, alarms = (p[y] >= cost).mean() * share, (p[~y] >= cost).mean() * (1 - share)
    net_benefit = hits - alarms * cost / (1 - cost)
    n = y.size if prevalence is None else y.sum() / prevalence
    assert point.net_value == pytest.approx(n * (1 - cost) * net_benefit)
    best = ap.operating_point(y, p, alert_cost=cost, prevalence=prevalence)
    assert best.net_value >= point.net_value


def test_weights_are_repeated_rows_and_missed_positives_change_only_recall():
    weight = [1, 2, 3, 1, 0, 2]
    times = np.repeat(np.arange(6), weight)
    repeated = ap.operating_point(
        np.array(Y)[times], np.array(S)[times], alert_cost=5, benefit=np.array(AMOUNT)[times]
    )
    weighted = ap.operating_point(Y, S, alert_cost=5, benefit=AMOUNT, sample_weight=weight)
    assert weighted.net_value == repeated.net_value
    assert weighted.threshold == repeated.threshold
    missed = ap.operating_point(Y, S, alert_cost=5, benefit=AMOUNT, n_positives=6)
    found = ap.operating_point(Y, S, alert_cost=5, benefit=AMOUNT)
    assert (missed.net_value, missed.recall) == (found.net_value, found.recall / 2)


def test_ways_to_pass_the_benefit(tmp_path):
    pl, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    frame = pd.DataFrame({"y": Y, "a": S, "b": S[::-1], "amount": AMOUNT})
    path = tmp_path / "payments.parquet"
    frame.to_parquet(path)
    expected = ap.operating_point(Y, S, alert_cost=9, benefit=AMOUNT)
    tables = [frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy(), path]
    tables.append(duckdb.sql(f"from '{path}'"))
    for data in tables:
        found = ap.operating_point("y", "a", alert_cost=9, benefit="amount", data=data)
        assert found == expected
        several = ap.operating_point("y", ["a", "b"], alert_cost=9, benefit="amount", data=data)
        assert several["a"] == expected
        by_number = ap.operating_point("y", "a", alert_cost=2, benefit=3, data=data)
        assert by_number == ap.operating_point(Y, S, alert_cost=2, benefit=[3] * 6)
    assert "net value" in str(several)
    for benefit in (AMOUNT, np.array(AMOUNT), pd.Series(AMOUNT), pl.Series(AMOUNT)):
        assert ap.operating_point(Y, S, alert_cost=9, benefit=benefit) == expected


def test_the_best_threshold_promises_too_much():
    """The sentence that is printed: on other samples, the same threshold is worth less."""
    here, there = [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        y = rng.random((2, 400)) < 0.1
        score = rng.standard_normal((2, 400)) + 1.5 * y
        amount = rng.lognormal(3, 1, (2, 400))
        point = ap.operating_point(y[0], score[0], alert_cost=10, benefit=amount[0])
        again = ap.operating_point(
            y[1], score[1], threshold=point.threshold, alert_cost=10, benefit=amount[1]
        )
        here.append(point.net_value)
        there.append(again.net_value)
    assert np.mean(here) > np.mean(there) + 3 * np.std(np.subtract(here, there)) / 200**0.5


# New data
def test_hall_is_the_transform_of_the_paper():
    """The cubes of large deviations don't overflow, and without skewness, nothing is 0/0."""
    rng = np.random.default_rng(0)
    for n, level in product([3, 10, 200], [0.5, 0.95, 0.999]):
        units = rng.lognormal(size=n) - 1
        far = units - units.mean()
        mean = Mean(units.mean(), stats.sem(units), n - 1, n, skewness_of(1e200 * far))
        low, high, p = mean.test(level)
        assert (low, high, p) == pytest.approx(hall_and_t(units, level))
        assert (p < 1 - level) == (low > 0 or high < 0)
    straight = Mean(1.0, 1.0, 9, 10, 0.0).test(0.95)
    assert straight == pytest.approx(Mean(1.0, 1.0, 9, 10, 1e-12).test(0.95))


NEW = np.random.default_rng(3)
NEW_Y, NEW_S, NEW_AMOUNT = NEW.random(400) < 0.3, NEW.normal(size=400), NEW.lognormal(size=400)
NEW_W = NEW.integers(1, 4, 400)


def chosen(**given):
    return ap.operating_point(Y, S, **{"threshold": 0.3, "alert_cost": 0.4} | given)


def test_alerts_of_one_benefit_pay_if_their_precision_is_high_enough():
    """The net value follows from the precision, so both say the same."""
    for cost, kept in ((0.05, True), (0.4, False), (0.3, None)):
        for given in ({}, {"sample_weight": NEW_W}, {"clusters": np.arange(400) // 3}):
            check = chosen(alert_cost=cost, benefit=1).check(NEW_Y, NEW_S, **given)
            weight = given.get("sample_weight", np.ones(400))[NEW_S >= 0.3].sum()
            expected = [weight * (each - cost) for each in check.precision]
            assert [*check.net_value] == pytest.approx(expected)
            assert (check.kept, check.is_kept) == ({"net_value": kept}, kept)
            assert check.is_kept in (None, check.precision.value > cost)
            column = chosen(alert_cost=cost, benefit=S).check(
                NEW_Y, NEW_S, benefit=np.ones(400), **given
            )
            assert column.net_value == check.net_value


@pytest.mark.parametrize("units", ["rows", "weights", "clusters"])
def test_alerts_of_different_benefits_pay_by_the_test_of_compare_values(units):
    point = chosen(benefit=AMOUNT)
    weight = NEW_W if units == "weights" else np.ones(400)
    clusters = np.arange(400) // 3 if units == "clusters" else np.arange(400)
    given = {"weights": {"sample_weight": weight}, "clusters": {"clusters": clusters}}
    check = point.check(NEW_Y, NEW_S, benefit=NEW_AMOUNT, **given.get(units, {}))
    rows = NEW_S >= 0.3
    net = (weight * (NEW_AMOUNT * NEW_Y - 0.4))[rows]
    of_each = np.array([net[clusters[rows] == each].sum() for each in np.unique(clusters[rows])])
    low, high = (of_each.size * each for each in hall_and_t(of_each)[:2])
    assert check.net_value == pytest.approx((net.sum(), low, high))
    measured = ap.operating_point(
        NEW_Y, NEW_S, threshold=0.3, alert_cost=0.4, benefit=NEW_AMOUNT, sample_weight=weight
    )
    assert check.net_value.value == pytest.approx(measured.net_value)
    assert check.kept == {"net_value": None if low < 0 < high else low > 0}
    text = " ".join(str(check).split())
    assert f"net value {check.net_value.value:.3f} (" in text
    assert f"Net value above 0: {'kept' if low > 0 else 'not enough data to tell'}." in text
    assert "net value" in check.to_markdown()
    assert check.to_dict()["net_value_low"] == pytest.approx(low)


def test_few_benefits_do_not_tell_whether_alerts_pay():
    amounts = np.ones(400)
    hits = np.flatnonzero(NEW_Y & (NEW_S >= 0.3))
    for first, told in ((0.24, True), (0.26, False)):  # of as much as the others
        amounts[hits[0]] = first * (hits.size - 1)
        check = chosen(benefit=AMOUNT).check(NEW_Y, NEW_S, benefit=amounts)
        assert (check.notes == ()) == told
    (note,) = check.notes
    assert note.code == "few_benefits"
    assert note.text == "The data don't tell whether alerts pay: one positive brings 21% of all."
    assert f"Note: {note.text}" in " ".join(str(check).split())
    assert check.to_dict()["notes"] == [{"code": note.code, "text": note.text}]
    for n_found, words in enumerate(["no positive is flagged", "only one positive is flagged"]):
        y = np.isin(np.arange(400), [*hits[:n_found], *np.flatnonzero(NEW_S < 0.3)[:9]])
        check = chosen(benefit=AMOUNT).check(y, NEW_S, benefit=NEW_AMOUNT)
        assert check.is_kept is None
        assert words in check.notes[0].text
    check = chosen(benefit=AMOUNT).check(np.zeros(400), NEW_S, benefit=NEW_AMOUNT)
    assert (check.net_value.high, check.is_kept) == (np.inf, None)
    nothing = chosen(threshold=9).check(NEW_Y, NEW_S)
    assert (nothing.net_value, nothing.is_kept) == ((0, 0, 0), None)
    nothing = chosen(threshold=9, benefit=AMOUNT).check(NEW_Y, NEW_S, benefit=NEW_AMOUNT)
    assert (nothing.net_value, nothing.is_kept) == ((0, 0, 0), None)
    one = chosen(benefit=AMOUNT).check([1, 0, 1], [1, 0, 0], benefit=[5, 1, 9])
    assert one.net_value == pytest.approx((4.6, -0.4, np.inf))


def test_where_the_benefit_of_new_samples_comes_from(tmp_path):
    frame = pd.DataFrame({"y": NEW_Y, "s": NEW_S, "amount": NEW_AMOUNT, "day": np.arange(400) % 3})
    path = tmp_path / "new.parquet"
    frame.to_parquet(path)
    old = pd.DataFrame({"y": Y, "s": S, "amount": AMOUNT})
    expected = chosen(benefit=AMOUNT).check(NEW_Y, NEW_S, benefit=NEW_AMOUNT)
    named = ap.operating_point("y", "s", threshold=0.3, alert_cost=0.4, benefit="amount", data=old)
    series = chosen(benefit=old["amount"])
    for point, data in product([named, series], [frame, path]):
        for one in (point, OperatingPoint.from_dict(point.to_dict())):
            assert one.check("y", "s", data=data) == expected
    by_number = chosen(benefit=2)
    assert by_number.check("y", "s", data=path) == by_number.check(NEW_Y, NEW_S)
    assert by_number.check(NEW_Y, NEW_S, benefit=NEW_AMOUNT) == expected
    unknown = chosen(benefit=AMOUNT).check(NEW_Y, NEW_S)
    assert (unknown.net_value, unknown.kept) == (None, {"net_value": None})
    assert "Net value above 0: can't be told without benefit" in str(unknown)
    by_day = named.check("y", "s", by="day", data=frame, joint=False)
    days = [expected, *(named.check("y", "s", data=frame[frame.day == day]) for day in range(3))]
    assert [row.kept for row in by_day] == [check.kept for check in days]


def test_is_kept_only_if_something_was_promised():
    for given in ({"threshold": 0.3}, {"k": 2}, {"k": 0.3}, {"k": 0.3, "groups": [*"aabbcc"]}):
        point = ap.operating_point(Y, S, **given)
        check = point.check(Y, S)
        assert (check.kept, check.is_kept) == ({}, None)
        assert "was chosen without a target, so there is none to keep." in " ".join(
            str(check).split()
        )
        segments = point.check(Y, S, by=[*"aabbcc"])
        assert segments.is_kept is None
        assert "enough data" not in str(segments)


def test_watch_says_where_alerts_pay():
    for given, words in (
        ({"benefit": 5}, "Alerts pay if min_precision=0.08, alert_cost/benefit, is kept."),
        ({}, "min_precision=0.4"),
        ({"benefit": AMOUNT}, "if min_precision is alert_cost divided by the mean benefit"),
        ({"benefit": 0}, "if min_precision is alert_cost divided by the mean benefit"),
    ):
        with pytest.raises(ap.exceptions.InvalidParameterError, match="needs a target") as caught:
            chosen(**given).watch()
        assert words in str(caught.value)
    with pytest.raises(ap.exceptions.InvalidParameterError) as caught:
        ap.operating_point(Y, S, k=2).watch()
    assert "pay" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("n_flagged", [50, 200])
@pytest.mark.parametrize("true_net", [0, 0.5])
def test_alerts_that_pay_are_rarely_called_broken(n_flagged, true_net):
    """Log-normal benefits, and 20% positives: by a t-test, .15 and .09 of those that just pay."""
    cost, verdicts = 0.2 * np.exp(0.5) - true_net * 0.1, []
    point = ap.operating_point([1, 0], [1, 0], threshold=0.5, alert_cost=cost, benefit=[1, 2])
    for seed in range(2000):
        rng = np.random.default_rng(seed)
        y, scores = rng.random(2 * n_flagged) < 0.2, np.arange(2 * n_flagged) < n_flagged
        check = point.check(y, scores * 1.0, benefit=rng.lognormal(size=y.size))
        verdicts.append(check.is_kept)
    assert np.mean([each is False for each in verdicts]) <= 0.05
    if not true_net:
        assert np.mean([each is True for each in verdicts]) <= 0.05


# The curve
def test_curve_of_net_values():
    """The net value of each threshold, after 0 where nothing is detected."""
    for given in ({}, {"benefit": AMOUNT}, {"benefit": 3, "sample_weight": [1, 2, 0, 1, 3, 1]}):
        detected, values, thresholds = ap.hit_curve(Y, S, alert_cost=2, **given)
        every = ap.operating_point(Y, S, alert_cost=2, **given).all_thresholds()
        assert values.tolist() == [0, *every["net_value"]]
        assert thresholds.tolist() == [np.inf, *every["threshold"]]
        plain = {name: value for name, value in given.items() if name != "benefit"}
        np.testing.assert_array_equal(detected, ap.hit_curve(Y, S, **plain)[0])


def test_curves_of_groups_and_models():
    day = np.array([*"aababb"])
    found = ap.hit_curve(
        *(Y, {"new": S, "old": S[::-1]}), alert_cost=2, benefit=AMOUNT, groups=day,
        n_positives=dict.fromkeys("abc", 5),
    )  # fmt: skip
    for model, scores in {"new": S, "old": S[::-1]}.items():
        for name in "ab":
            rows = [np.array(column)[day == name] for column in (Y, scores, AMOUNT)]
            one = ap.hit_curve(*rows[:2], alert_cost=2, benefit=rows[2])
            for expected, array in zip(one, found[model][name], strict=True):
                assert array.tolist() == expected.tolist()
        assert found[model]["c"][1].tolist() == [0]
    frame = pd.DataFrame({"y": Y, "s": S, "amount": AMOUNT, "day": day})
    named = ap.hit_curve("y", "s", alert_cost=2, benefit="amount", groups="day", data=frame)
    assert named["b"][1].tolist() == found["new"]["b"][1].tolist()


# The picture


@pytest.fixture
def display():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    yield ap.HitCurveDisplay
    pyplot.close("all")


@pytest.mark.parametrize(
    "given", [{}, {"benefit": AMOUNT}, {"benefit": 3, "sample_weight": [1, 2, 0, 1, 3, 1]}]
)
def test_the_picture_shows_the_curve(display, given):
    drawn = display.from_predictions(Y, S, alert_cost=2, **given)
    flagged, values, _ = ap.hit_curve(Y, S, alert_cost=2, **given)
    assert drawn.points_.get_xdata() == pytest.approx(flagged)
    assert drawn.points_.get_ydata() == pytest.approx(values)
    assert drawn.ax_.get_ylabel() == "Net value (Positive label: 1)"
    assert drawn.chance_level_.get_ydata()[-1] == pytest.approx(values[-1])


def test_the_best_picture_by_hand(display):
    """The positives are worth 20, 10 and 9, and each of six alerts costs 2."""
    drawn = display.from_predictions(Y, S, alert_cost=2, benefit=AMOUNT)
    line = drawn.perfect_.get_data()
    corners = np.interp([0, 1 / 6, 2 / 6, 3 / 6, 1], *line)
    assert corners == pytest.approx([0, 18, 26, 33, 27])
    halves = display.from_predictions(Y, S, alert_cost=0.5).perfect_.get_data()
    assert np.interp([0, 1 / 6, 3 / 6, 1], *halves) == pytest.approx([0, 0.5, 1.5, 0])


def test_the_picture_marks_the_best_threshold(display):
    frame = {"y": Y, "new": S, "old": S[::-1], "amount": AMOUNT}
    costs = {"alert_cost": 2, "benefit": "amount", "data": frame}
    points = ap.operating_point("y", ["new", "old"], **costs)
    drawn = display.from_predictions("y", ["new", "old"], **costs, operating_points=points)
    heights = [mark.get_ydata().item() for mark in drawn.marks_]
    assert heights == pytest.approx([point.net_value for point in points.values()])
    for model, curve in zip(("new", "old"), drawn.curves, strict=True):
        assert curve.net.line[1].tolist() == ap.hit_curve("y", model, **costs)[1].tolist()


def test_the_picture_has_groups_prevalence_and_folds(display):
    from sklearn.model_selection import cross_validate
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 2))
    y, amount, day = (X[:, 0] + rng.standard_normal(90) > 1) * 1, rng.random(90), np.arange(90) % 3
    costs = {"alert_cost": 0.2, "benefit": amount}
    of_groups = {"groups": day, "n_positives": dict.fromkeys(range(4), 30)}
    drawn = display.from_predictions(y, X[:, 0], **costs, **of_groups)
    expected = ap.hit_curve(y, X[:, 0], **costs, **of_groups)
    for curve in drawn.curves[:3]:
        assert curve.net.line[1].tolist() == expected[curve.group][1].tolist()
    assert drawn.curves[3].net.line[1].tolist() == [0, 0]
    assert drawn.mean_.get_ydata()[-1] == pytest.approx(
        np.mean([expected[name][1][-1] for name in range(4)])
    )
    drawn = display.from_predictions(y, X[:, 0], **costs, prevalence=0.01)
    expected = ap.hit_curve(y, X[:, 0], **costs, prevalence=0.01)
    assert drawn.curves[0].net.line[1] == pytest.approx(expected[1])
    model = GaussianNB().fit(X, y)
    own = display.from_estimator(model, X, y, **costs).curves[0].net.line
    assert own[1].tolist() == ap.hit_curve(y, model.predict_proba(X)[:, 1], **costs)[1].tolist()
    results = cross_validate(model, X, y, return_estimator=True, return_indices=True, cv=3)
    folds = display.from_cv_results(results, X, y, **costs)
    each = zip(folds.curves, results["estimator"], results["indices"]["test"], strict=True)
    for curve, fold, test in each:
        scores = fold.predict_proba(X[test])[:, 1]
        found = ap.hit_curve(y[test], scores, alert_cost=0.2, benefit=amount[test])
        assert curve.net.line[1].tolist() == found[1].tolist()


test_refused = refuses(
    [
        ("operating_point(Y, S, k=1).check(Y, S, benefit=3)", "needs a threshold with costs"),
        ("chosen().check(Y, S, benefit={-1|'x'|float('nan')})", "benefit"),
        ("chosen().check(Y, S, benefit=[1, 2])", "inconsistent"),
        ("hit_curve(Y, S, benefit=AMOUNT)", "benefit=[10, 70 ... needs alert_cost"),
        ("HitCurveDisplay.from_predictions(Y, S, benefit=3)", "benefit=3 needs alert_cost"),
        (
            "HitCurveDisplay.from_predictions(Y, S, alert_cost=2, confidence_level=0.9)",
            "no band is drawn around the net value, but got confidence_level=0.9",
        ),
        (
            "HitCurveDisplay.from_predictions(Y, S, alert_cost=2, benefit=[1, 2])",
            "inconsistent",
        ),
        ("hit_curve(Y, S, alert_cost=-1)", "'alert_cost' parameter of hit_curve must be"),
        ("operating_point(Y, S, benefit={AMOUNT|3})", "needs alert_cost, the cost of a flagged"),
        ("operating_point(Y, S, benefit=AMOUNT, k=3)", "benefit=[10, 70 ... needs alert_cost"),
        ("operating_point(Y, S, alert_cost={-1|'5'|True|float('nan')|1j})", "'alert_cost' param"),
        ("operating_point(Y, S, alert_cost=float('inf'))", "'alert_cost' parameter"),
        (
            "operating_point(Y, S, alert_cost=1, min_recall=0.8, k=3)",
            "alert_cost=1 chooses ... combined with min_recall=0.8 and k=3",
        ),
        ("operating_point(Y, S, alert_cost=1, confidence_level=0.9)", "confidence_level=0.9"),
        ("operating_point(Y, S, alert_cost=1, benefit={-1|float('nan')|float('inf')})", "'benefit"),
        ("operating_point(Y, S, alert_cost=1, benefit=[-1] * 6)", "Negative values in data passed"),
        ("operating_point(Y, S, alert_cost=1, benefit=[None] * 6)", "contains missing values"),
        ("operating_point(Y, S, alert_cost=1, benefit=[float('nan')] * 6)", "benefit contains NaN"),
        ("operating_point(Y, S, alert_cost=1, benefit=[*'abcdef'])", "must contain numbers"),
        ("operating_point(Y, S, alert_cost=1, benefit=[1, 2])", "6 in y_score and 2 in benefit"),
        ("operating_point(Y, S, alert_cost=1, benefit='amount')", "pass its table as data"),
        ("operating_point(Y, S, alert_cost=1, benefit=[1e308] * 6)", "sum of benefit is too large"),
        (
            "operating_point('y', 's', alert_cost=1, benefit='amout', data=pd.DataFrame({'y': Y, "
            "'s': S, 'amount': AMOUNT}))",
            "benefit='amout' is not a column of data. Did you mean 'amount'?",
        ),
    ],
    globals(),
)
