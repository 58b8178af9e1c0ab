"""The benchmark report, with data too small to be timed: that it runs, compares and judges."""

import json
import re

import numpy as np
import pytest

from benchmarks import __main__, measure, others, races, report

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # in the other libraries


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "results.json"
    options = ["--scale", "1e-4", "--seconds", "0", "--largest", "1e8", "--json", str(file)]
    __main__.main(options)
    return json.loads(file.read_text(encoding="utf-8"))


def test_every_value_is_compared_and_agrees_where_double_precision_is_kept(results):
    against_sklearn = 0
    for result in results["races"]:
        assert not set(result["disagree"]) - set(others.IN_SINGLE_PRECISION)
        against_sklearn += any("scikit-learn" in name for name in result["off_by"])
        for name, error in result["off_by"].items():
            assert error <= measure.tolerance(name)
            assert result["ratios"][name]["rounds"] == measure.FEWEST
    assert against_sklearn == 17


def test_every_goal_is_judged_where_its_other_is_installed(results):
    for result in results["races"]:
        for goal in result["goals"]:
            assert goal["against"] in [*result["ratios"], *result["missing"]]
    n_goals = sum(
        goal["against"] in result["ratios"]
        for result in results["races"]
        for goal in result["goals"]
    )
    assert len(re.findall(r"x \| (?:aim|yes|\*\*no\*\*) \|", report.table(results))) == n_goals > 30


def test_tables_are_whole(results):
    for part in (report.table, report.resources, report.growth):
        n_bars = {line.count("|") for line in part(results).splitlines()}
        assert len(n_bars) == 1
    assert "NumPy" in report.setting(results)


def test_a_value_that_differs_is_not_timed():
    race = races.Race("unequal", lambda: 0.5, {"twin": lambda: 0.5, "wrong": lambda: 0.501})
    result = measure.run(race, budget=0)
    assert set(result["seconds"]) == {"sklearn_ap", "twin"}
    assert result["disagree"] == {"wrong": 0.501}
    assert "not timed: gives 0.501000, not 0.500000" in report.table({"races": [result]})


def test_what_is_not_installed_is_named():
    @others.needs("no_such_package")
    def prepare(y_true, y_score):
        raise AssertionError("called without the package")

    race = races.Race("alone", lambda: 0.5, {"absent": prepare([1], [0.5])})
    result = measure.run(race, budget=0)
    assert result["missing"] == ["absent"]
    assert "| absent | not installed |" in report.table({"races": [result]})


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


def test_ratios_are_of_rounds_side_by_side():
    race = races.Race("made up", None, {}, goals=(races.Goal("other", 2, 3),))
    times = {"sklearn_ap": [1.0, 2.0, 4.0], "other": [3.0, 8.0, 20.0]}
    ratio = measure.summary(race, 0.5, {"other": 0.5}, ["other"], times)["ratios"]["other"]
    assert ratio == {"min": 3.0, "median": 4.0, "max": 5.0, "rounds": 3, "of_medians": 4.0}


def test_peak_memory_is_what_a_call_holds_at_once():
    def call():
        np.ones(10**6)
        np.ones(2 * 10**6)

    assert measure.peak_bytes(call) == pytest.approx(16e6, rel=0.01)


def test_the_picture(results, tmp_path):
    pytest.importorskip("matplotlib")
    report.draw(results, tmp_path / "speed.svg")
    drawn = (tmp_path / "speed.svg").read_text(encoding="utf-8")
    assert "<svg" in drawn
