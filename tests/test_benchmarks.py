"""The benchmark report, with data too small to be timed: that it runs, compares and judges."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap as ap
from benchmarks import __main__, measure, others, races, report
from sklearn_ap import compat

DOCS = Path(__file__).parents[1] / "docs"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # in the other libraries
]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "results.json"
    options = ["--scale", "1e-4", "--seconds", "0", "--largest", "1e4", "--json", str(file)]
    __main__.main(options)
    return json.loads(file.read_text(encoding="utf-8"))


def test_every_value_is_compared_and_agrees(results):
    against_sklearn = 0
    for result in results["races"]:
        assert not result["disagree"]
        against_sklearn += any("scikit-learn" in name for name in result["off_by"])
        for name, error in result["off_by"].items():
            assert error <= measure.tolerance(name)
    assert against_sklearn == 21  # with Dask, which the tests need


def test_ratios_lie_within_their_range(results):
    for result in results["races"]:
        for ratio in result["ratios"].values():
            assert ratio["min"] <= ratio["of_medians"] <= ratio["max"]
            assert ratio["rounds"] >= measure.FEWEST


def test_every_goal_is_judged_where_its_other_is_installed(results):
    for result in results["races"]:
        for goal in result["goals"]:
            assert goal["against"] in [*result["ratios"], *result["missing"]]
    n_goals = sum(
        goal["against"] in result["ratios"]
        for result in results["races"]
        for goal in result["goals"]
    )
    verdicts = re.findall(r"x \| (?:aim|yes|\*\*no\*\*) \|", report.table(results))
    assert len(verdicts) == n_goals > 30


GOALS = {
    "AP, 100 samples": {"scikit-learn": (5, 10)},
    "AP, 1,000 samples": {"scikit-learn": (5, 10)},
    **{
        f"AP, {n} samples, {share}": goals
        for n in ("100,000", "1,000,000", "10,000,000")
        for share, goals in {
            "1%": {"scikit-learn": (15, 30), "np.sort": (2.5, 1.5)},
            "50%": {"scikit-learn": (5, 10), "np.sort": (6, 3)},
        }.items()
    },
    "AP with weights": {"scikit-learn": (3, 6)},
    "envelope": {"our step AP": (1.3, 1.1)},
    "11-point": {"our step AP": (1.3, 1.1)},
    "101-point": {"our step AP": (1.3, 1.1)},
    "AP@10": {"our step AP": (1, 0.25)},
    "AP, ties expected": {"our step AP": (2, 1.3)},
    "multilabel AP, macro, 10,000 x 100": {"scikit-learn": (5, 10)},
    "multilabel AP, samples, 10,000 x 100": {"scikit-learn": (50, 200)},
    "multiclass AP, macro, 10,000 x 50": {"scikit-learn": (5, 10)},
    "interval around AP, 1,000,000": {"our step AP": (2, 1.2)},
    "interval around AP, 1,000 ": {},
    "interval around AP, 10,000 ": {},
    "bootstrap of AP": {},
    "comparison of two models": {"our step AP": (25, 10)},
    "MAP, ": {"ranx": (3, 5), "pytrec_eval": (3, 5), "loop over scikit-learn": (50, 200)},
}


def test_the_goals_are_those_that_were_set():
    for race in races.races():
        if " chunks" in race.name:
            continue  # no goals were set for these
        [wanted] = [goals for name, goals in GOALS.items() if race.name.startswith(name)]
        assert {goal.against: (goal.floor, goal.aim) for goal in race.goals} == wanted
        assert all(goal.at_most == (goal.floor > goal.aim) for goal in race.goals)
    assert len({race.name for race in races.races()}) == len(races.races()) == 36


def test_tables_are_whole(results):
    for part in (report.table, report.resources, report.growth):
        n_bars = {line.count("|") for line in part(results).splitlines()}
        assert len(n_bars) == 1
    assert "the goals are not for these" in report.setting(results)


STEP = races.step(1000, 0.5, ())


@pytest.mark.parametrize(
    "impostor",
    [
        ap.interpolated_average_precision_score,
        ap.eleven_point_average_precision_score,
        compat.trapezoidal_average_precision_score,
        lambda y_true, y_score: ap.average_precision_score(y_true, y_score, ties="best"),
    ],
    ids=["envelope", "11-point", "linear", "best"],
)
def test_another_definition_is_not_timed(impostor):
    def prepare(y_true, y_score):
        return lambda: impostor(y_true, y_score)

    sides = {"torchmetrics": prepare, "scikit-learn": others.scikit_learn}
    names = {"torchmetrics": "sklearn"}  # stands in, with the looser tolerance
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(others, "PACKAGES", names)
        result = measure.run(replace(STEP, others=sides), budget=0)
    assert set(result["disagree"]) == {"torchmetrics"}
    assert set(result["seconds"]) == {"sklearn_ap", "np.sort", "scikit-learn"}
    assert "not timed: gives" in report.table({"races": [result]})


def test_a_value_that_differs_on_the_data_alone_is_not_timed():
    def prepare(y_true, y_score):
        off = 1e-9 if y_true.size == 1000 else 0
        return lambda: ap.average_precision_score(y_true, y_score) + off

    result = measure.run(replace(STEP, others={"scikit-learn": prepare}), budget=0)
    assert set(result["disagree"]) == {"scikit-learn"}


def test_what_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(others.PACKAGES, "torcheval", "no_such_package")
    result = measure.run(replace(STEP, others={"torcheval": None}), budget=0)
    assert result["missing"] == ["torcheval"]
    assert "| torcheval | not installed |" in report.table({"races": [result]})


@pytest.mark.parametrize(
    ("ratio", "at_most", "words"),
    [
        (31, False, "aim"),
        (30, False, "aim"),
        (15, False, "yes"),
        (14.9, False, "**no**"),
        (15, True, "aim"),
        (30, True, "yes"),
        (30.1, True, "**no**"),
    ],
)
def test_verdict(ratio, at_most, words):
    floor, aim = (30, 15) if at_most else (15, 30)
    assert report.verdict(ratio, {"floor": floor, "aim": aim, "at_most": at_most}) == words


def test_ratios_are_of_the_rounds_in_which_both_ran():
    times = {"sklearn_ap": [1.0, 2.0, 4.0, 0.1, 0.1, 0.1], "other": [3.0, 8.0, 20.0]}
    ratio = measure.summary(times)["ratios"]["other"]
    assert ratio == {"min": 3.0, "median": 4.0, "max": 5.0, "rounds": 3, "of_medians": 4.0}


@pytest.mark.parametrize(
    ("at_most", "cells"),
    [
        (False, "2.00x as fast (1.50 to 4.0) | 3x | 5x | **no** |"),
        (True, "0.50x of its time (0.25 to 0.67) | at most 3x | 5x | aim |"),
    ],
)
def test_a_line_of_the_table(at_most, cells):
    times = {"sklearn_ap": [2.0, 1.0, 2.0], "other": [3.0, 4.0, 4.0]}
    goal = {"against": "other", "floor": 3, "aim": 5, "at_most": at_most}
    result = {"name": "x", "value": 0.5, "goals": [goal], "missing": [], "disagree": {}}
    result |= {"off_by": {"other": 0.0}} | measure.summary(times)
    assert report.table({"races": [result]}).endswith(f"| x | 2.00 s | other | {cells}")


def test_a_short_call_is_timed_many_times_in_a_row(monkeypatch):
    calls, clock = [], iter([1.0, 9.0])
    monkeypatch.setattr(measure.time, "perf_counter", lambda: next(clock))
    assert measure.seconds(lambda: calls.append(None), times=4) == 2.0
    assert len(calls) == 4


def test_every_side_has_its_turn():
    order = []
    measure.in_turn({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, budget=0)
    starts = re.sub(r"(.)\1*", r"\1", "".join(order)[2:])  # without the calls that set the pace
    assert starts == "abababababa"[: len(starts)]
    assert order.count("a") > measure.FEWEST <= order.count("b")


def test_memory_is_that_of_the_scores():
    row = __main__.memory(scale=0.01, share=0.5)
    assert row["name"] == "100,000 samples, 50% positives"
    keys = 8 * 100_000
    assert keys < row["sklearn_ap"] < row["scikit-learn"]


def test_peak_memory_is_what_a_call_holds_at_once():
    def call():
        np.ones(10**6)
        np.ones(2 * 10**6)

    assert measure.peak_bytes(call) == pytest.approx(16e6, rel=0.01)


def test_the_picture(results, tmp_path):
    pytest.importorskip("matplotlib")
    report.draw(results, tmp_path / "speed.svg")
    assert "<svg" in (tmp_path / "speed.svg").read_text(encoding="utf-8")


def test_a_page_without_places_for_the_tables_is_refused(results):
    with pytest.raises(ValueError, match="0 places for setting"):
        report.fill("# Speed\n", results)


def test_the_page_shows_the_results_that_were_saved():
    """If not: python -m benchmarks --page docs/speed.md --json docs/speed.json"""
    page = (DOCS / "speed.md").read_text(encoding="utf-8")
    saved = json.loads((DOCS / "speed.json").read_text(encoding="utf-8"))
    assert report.fill(page, saved) == page
    assert not any(result["missing"] or result["disagree"] for result in saved["races"])
    assert saved["scale"] == 1
