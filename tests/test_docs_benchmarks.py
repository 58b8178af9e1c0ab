"""The benchmark report, with data too small to be timed: it runs, compares and judges."""

import gc
import json
import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid

import sklearn_ap as ap
from benchmarks import __main__, coverage, measure, races, report
from benchmarks.sides import OURS, Side, calling
from sklearn_ap import compat

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SAVED = json.loads((DOCS / "speed.json").read_text(encoding="utf-8"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # in the other libraries
]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "results.json"
    with pytest.MonkeyPatch.context() as patch:
        for name, few in {"TURN": 1e-9, "FEWEST": 2, "FEWEST_OF_SLOW": 1}.items():
            patch.setattr(measure, name, few)
        patch.setattr(measure, "import_seconds", partial(measure.import_seconds, repeats=1))
        gc.freeze()  # or each race begins with a collection of all modules and tests
        __main__.main(["--scale", "1e-4", "--seconds", "0", "--json", str(file)])
        gc.unfreeze()
    return json.loads(file.read_text(encoding="utf-8"))


def test_every_value_is_compared_and_agrees(results):
    race_of = {race.work: race for race in races.RACES}
    for result in results["races"]:
        race = race_of[result["work"]]
        assert not result["disagree"]
        rivals = {name for name in result["ratios"] if not race.is_yardstick(name)}
        assert rivals == set(result["off_by"])
        for name, error in result["off_by"].items():
            assert error <= race.against[name].tolerance or race.against[name].relative


def test_every_race_is_run_at_each_of_its_sizes(results):
    """And what was saved is of the whole data. If not: python -m benchmarks --docs"""
    wanted = {(race.work, size) for race in races.RACES for size in race.sizes}
    assert set(report.found(results)) == set(report.found(SAVED)) == wanted
    assert len(results["races"]) == len(wanted)
    assert not any(result["disagree"] for result in SAVED["races"])
    assert SAVED["scale"] == 1


@pytest.mark.parametrize("race", races.RACES, ids=lambda race: race.work)
def test_goals_are_of_sides_that_are_there_and_aims_are_beyond_floors(race):
    for goal in race.goals:
        assert goal.against in race.against
        marks = [mark for mark in (goal.floor, goal.aim) if mark is not None]
        assert marks == sorted(marks, reverse=race.is_yardstick(goal.against))
        assert marks


def test_tables_are_whole(results):
    for text in (report.growth(results), report.resources(results), report.lead(results)):
        assert len({line.count("|") for line in text.splitlines()}) == 1
    for title, section in races.SECTIONS.items():
        lines = report.section_table(title, results).splitlines()
        assert len({line.count("|") for line in lines}) == 1
        assert len(lines) == 2 + sum(1 + len(race.against) for race in section)
    assert "the goals are not for these" in report.setting(results)


NUMBERS = next(race for race in races.RACES if race.work == "NumPy arrays, 50% positives")
SKLEARN = NUMBERS.against["scikit-learn"]


def run(**sides):
    """Race against scikit-learn and others, and return the result and the row of the others."""
    race = replace(NUMBERS, against={"scikit-learn": SKLEARN, **sides}, sizes=(1000,))
    result = measure.run(race, 1000, 1000, budget=0)
    return result, report.race_table(race, {"races": [result]}).splitlines()[-1]


@pytest.mark.parametrize(
    "impostor",
    [
        ap.interpolated_average_precision_score,
        ap.eleven_point_average_precision_score,
        compat.trapezoidal_average_precision_score,
        partial(ap.average_precision_score, ties="best"),
    ],
    ids=["envelope", "11-point", "linear", "best"],
)
def test_another_definition_is_not_timed(impostor):
    result, line = run(other=Side(calling(impostor), tolerance=1e-6))
    assert set(result["disagree"]) == {"other"}
    assert set(result["seconds"]) == {OURS, "scikit-learn"}
    assert "not timed: returns" in line


def test_arrays_are_compared_number_by_number():
    curve = next(race for race in races.RACES if race.work.startswith("precision-recall curve"))
    assert not measure.run(curve, 1000, 1000, budget=0)["disagree"]
    shifted = Side(calling(lambda *arrays: np.zeros(3)), value=np.asarray)
    result = measure.run(replace(curve, against={"other": shifted}), 1000, 1000, budget=0)
    assert set(result["disagree"]) == {"other"}


def missing(*arrays):
    raise ModuleNotFoundError("No module named 'no_such_package'", name="no_such_package")


def test_what_is_not_installed_is_named():
    result, line = run(other=Side(missing))
    assert result["missing"] == {"other": "no_such_package"}
    assert "skipped: needs no_such_package" in line


def test_the_lead_has_nine_rows_with_the_rivals_that_it_names():
    rows = report.lead(SAVED).splitlines()[2:]
    assert len(rows) == 9
    for race in races.RACES:
        if race.lead:
            assert (race.lead_rival or races.SKLEARN) in race.against
            assert sum(row.startswith(f"| {race.lead} |") for row in rows) == 1


def test_some_races_only(capsys):
    __main__.main(["--only", "weights", "--scale", "1e-4", "--seconds", "0"])
    works = re.findall(r"^\| \*\*(.+)\*\* \|", capsys.readouterr().out, re.M)
    assert works == ["weights, 1% positives", "weights, 50% positives"]


def test_the_picture(results, tmp_path):
    pytest.importorskip("matplotlib")
    report.draw(results, tmp_path / "speed.svg")
    assert "<svg" in (tmp_path / "speed.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", __main__.PAGES, ids=lambda page: page.name)
def test_a_page_shows_the_results_that_were_saved(page):
    """If not: python -m benchmarks --rewrite, and after a change of races --docs."""
    text = page.read_text(encoding="utf-8")
    assert report.fill(text, SAVED) == text


def test_the_page_has_all_parts():
    texts = "".join(page.read_text(encoding="utf-8") for page in __main__.PAGES)
    assert {name for _, name, _ in report.PLACE.findall(texts)} == set(report.PARTS)


def test_the_page_gives_the_range_over_what_people_pass():
    """From the smallest speed-up to the largest, not just the best one."""
    real = {race.work for race in races.SECTIONS[report.REAL]}
    ratios = [
        result["ratios"]["scikit-learn"]["of_medians"]
        for result in SAVED["races"]
        if result["work"] in real and "scikit-learn" in result["ratios"]
    ]
    page = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
    least, most = (report.number(end(ratios)) for end in (min, max))
    (row,) = (line for line in page.splitlines() if line.startswith(f"| {report.LAPTOP} |"))
    assert f"| {least} to {most} |" in row


# The populations of the coverage tables


each_of = partial(
    pytest.mark.parametrize, "population", ids=lambda each: f"{each.what}, {each.n_units}"
)


@each_of([*coverage.HARDER, *coverage.THINNED])
def test_the_truth_about_a_population_is_what_many_samples_give(population):
    large = replace(population, n_units=20_000)
    if getattr(large, "share", 1) < 0.01:
        large = replace(large, one_in=10)  # or else the value is still too high
    value = ap.average_precision_score(**large.draw(np.random.default_rng(0)))
    assert value == pytest.approx(population.truth, rel=0.05)


@each_of([*coverage.CLASSES[:4], *coverage.UNEQUAL])
def test_the_truth_about_units_of_unequal_size_is_what_many_of_them_give(population):
    for given in replace(population, n_units=60_000).draw(np.random.default_rng(1)):
        value = ap.average_precision_score(**coverage.without_clusters(given))
        assert value == pytest.approx(population.truth, rel=0.05)


def test_the_truth_about_detectors_is_what_their_rates_give():
    """Right and wrong boxes above each confidence, on average over images and objects."""
    detectors = coverage.Detectors()
    node, share = np.polynomial.hermite_e.hermegauss(40)
    share /= share.sum()
    ease = np.add.outer(node, node)  # of an image, and of an object in it
    both = np.multiply.outer(share, share)
    confidence = np.linspace(12, -8, 4001)
    wrong = share @ np.exp(-node / 2) * stats.norm.sf(confidence)
    expected = []
    for better in (0.0, detectors.better):
        center = 1 + better + ease / 2
        found = both / (1 + np.exp(-1 - better - ease))
        recall = np.array([np.sum(found * stats.norm.sf(c - center)) for c in confidence])
        each = [objects * recall / (objects * recall + wrong) for objects in detectors.objects]
        expected.append(np.mean([trapezoid(precision, recall) for precision in each]))
    a, b, difference = detectors.truths(ap.average_precision_score, 100_000)
    assert (a, b) == pytest.approx(expected, abs=0.005)
    assert difference == a - b


# Two versions in turn


def test_two_versions_take_turns(capsys):
    """Compare the checkout with itself: each race at each size, with the ratio of both."""
    if not (ROOT / ".git").exists():
        pytest.skip("there is no other version outside a repository")
    asked = ["--only", "float32 scores, 1%", "--scale", "1e-3", "--seconds", "0.01"]
    __main__.main(["--against", "HEAD", *asked])
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.split() == ["now", "/", "HEAD", "ms", "before", "ms", "now", "race"]
    (race,) = (race for race in races.RACES if race.work == "float32 scores, 1% positives")
    assert [row.partition("  float32")[2] for row in rows] == [
        f" scores, 1% positives, {size:,} samples" for size in race.sizes
    ]
    for row in rows:
        ratio, before, now, *_ = map(float, row.split()[:3])
        assert min(ratio, before, now) > 0


def test_a_race_that_a_version_cannot_run_is_skipped(monkeypatch, capsys):
    def unpack(ref, folder):
        without = shutil.ignore_patterns("reports")
        shutil.copytree(ROOT / "sklearn_ap", Path(folder) / "sklearn_ap", ignore=without)

    monkeypatch.setattr(__main__.versions_in_turn, "unpack", unpack)
    asked = ["--only", "report of two models", "--scale", "1e-5", "--seconds", "0.01"]
    __main__.main(["--against", "older", *asked])
    _, *rows = capsys.readouterr().out.splitlines()
    (race,) = (race for race in races.RACES if race.work.startswith("report of two models"))
    words = "samples: not in older (ModuleNotFoundError: No module named"
    assert [row.strip().partition(" 'sklearn_ap.reports'")[0] for row in rows] == [
        f"{race.work}, {size:,} {words}" for size in race.sizes
    ]
