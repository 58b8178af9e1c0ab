"""The examples of the gallery and the pictures of the landing page run and draw."""

import re
import runpy
from html import unescape
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import sklearn_ap as ap

DOCS = Path(__file__).parents[1] / "docs"
EXAMPLES = sorted((DOCS / "examples").glob("plot_*.py"))
OPTIONAL = ("lightgbm", "pandas")  # installed for the site, and maybe not for the tests


@pytest.fixture
def plt(monkeypatch):
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: None)
    with plt.rc_context():  # some examples pick a style
        yield plt
    plt.close("all")


def each_engine_wins_somewhere(shown, output):
    counts, tf_idf = shown["by_query"].values()
    return 0 < np.count_nonzero(counts > tf_idf) < np.count_nonzero(tf_idf > counts)


def outliers_come_last_upside_down(shown, output):
    chance = np.mean(shown["labels"] == -1)
    values = re.findall(r"upside down: (\S+)", output)
    return len(values) == 3 and all(float(value) < chance for value in values)


def fewer_patients_gain_more(shown, output):
    gains = [float(gain) for gain in re.findall(r"\+ (\S+)", output)]
    return len(gains) == 4 and gains == sorted(gains, reverse=True)


def stopped_too_early_by_log_loss(shown, output):
    by_loss, of_loss, by_score, of_score, _ = shown["table"].to_numpy().T
    earlier, gain = by_loss < by_score, of_score - of_loss
    return len(gain) == 5 and earlier.all() and gain.sum() > 0


def two_intervals_overlap_and_yet_b_is_better(shown, output):
    ends = re.findall(r"interval (-?[\d.]+) to (-?[\d.]+)", output)
    (_, high_a), (low_b, _) = [tuple(map(float, pair)) for pair in ends]
    paired = shown["paired"]
    return low_b < high_a and paired.difference < 0 and paired.pvalue < 0.01


def rows_make_intervals_far_too_narrow(shown, output):
    return shown["n_containing"]["rows"] < 70 < 90 <= shown["n_containing"]["patients"]


def two_denominators_give_the_best_ranking_1(shown, output):
    """The best ranking of the top 5 gets 1 if there are few positives, and if there are many."""
    values = {}
    for n_positives in (3, 8):
        labels = np.repeat([1, 0], [n_positives, 10])
        for name in shown["DENOMINATORS"]:
            options = {"k": shown["K"], "denominator": name}
            value = ap.average_precision_at_k_score(labels, -np.arange(labels.size), **options)
            values.setdefault(name, []).append(value)
    return [name for name, both in values.items() if both == [1, 1]] == ["min", "hits"]


def rows_that_are_ranked_together_get_less(shown, output):
    mean, weighted, together = map(float, re.findall(r"0\.\d+", output))
    return together < mean < weighted


CLAIMS = {
    "denominators": two_denominators_give_the_best_ranking_1,
    "groups": rows_that_are_ranked_together_get_less,
    "is_b_better": two_intervals_overlap_and_yet_b_is_better,
    "units": rows_make_intervals_far_too_narrow,
    "early_stopping": stopped_too_early_by_log_loss,
    "search_engine": each_engine_wins_somewhere,
    "outliers": outliers_come_last_upside_down,
    "interpolated": fewer_patients_gain_more,
}


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_draws_without_a_warning_what_it_says(path, plt, capsys):
    for package in OPTIONAL:
        if re.search(rf"^(?:import|from) {package}\b", path.read_text(encoding="utf-8"), re.M):
            pytest.importorskip(package)
    shown = runpy.run_path(str(path), run_name="__main__")
    assert plt.get_fignums()
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    if claim := CLAIMS.get(path.stem.removeprefix("plot_")):
        assert claim(shown, capsys.readouterr().out)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_ends_in_its_picture(path):
    assert path.read_text(encoding="utf-8").endswith("\nplt.show()\n")
    assert set(CLAIMS) <= {path.stem.removeprefix("plot_") for path in EXAMPLES}


def test_picture_says_what_the_landing_page_says(plt):
    draw = runpy.run_path(str(DOCS / "_picture.py"))["draw"]
    titles = [
        [ax.get_title(loc="left").strip(), *(text.get_text() for text in ax.texts)]
        for ax in draw().axes
    ]
    plt.gcf().canvas.draw()
    assert titles == [
        ["scikit-learn", "0.567"],
        ["PASCAL VOC 2010", "0.608"],
        ["scikit-learn before 0.19", "0.462"],
        ["PASCAL VOC 2007", "0.609"],
    ]
    drawn = unescape((DOCS / "definitions.svg").read_text(encoding="utf-8"))
    assert [line for lines in titles for line in lines if line not in drawn] == []


@pytest.fixture(scope="module")
def sheet():
    return runpy.run_path(str(DOCS / "_cheat_sheet.py"))


def test_calls_of_the_cheat_sheet_return_what_it_shows(sheet):
    for metric, call in sheet["DEFINITIONS"].values():
        display = ap.AveragePrecisionDisplay.from_predictions(
            sheet["Y"], sheet["S"], metric=metric, ax=Figure().subplots()
        )
        assert eval(call, sheet["HERE"]) == pytest.approx(display.value)
    tasks = {task: eval(call, sheet["HERE"]) for task, call in sheet["TASKS"].items()}
    calls = [*sheet["TASKS"].values(), *(call for _, call in sheet["DEFINITIONS"].values())]
    assert [call for call in calls if not call.startswith("ap.")] == []
    assert tasks["fraction of positives in the top 20%"] == 0.5
    assert tasks["which definition gave 0.608?"].names[0] == "envelope"


def test_tools_of_the_cheat_sheet_are_known(sheet):
    tools = {definition: sheet["tools_of"](definition) for definition in sheet["DEFINITIONS"]}
    assert all(tools.values())
    named = [words for each in tools.values() for words in each]
    assert len(set(named)) == len(named)  # so each says which definition is meant
    assert tools["step"][0] == "scikit-learn average_precision_score (0.19 and later)"
    assert tools["linear"][0] == "scikit-learn average_precision_score (0.13 to 0.18)"
    assert tools["AP@k / k"] == ["RecTools MAP(divide_by_k=True)"]


@pytest.mark.slow
def test_the_cheat_sheet_is_one_page_within_whose_edges_all_words_are(sheet, tmp_path):
    figure = sheet["draw"]()
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.texts]
    for place, box in enumerate(boxes):
        assert figure.bbox.contains(*box.p0)
        assert figure.bbox.contains(*box.p1)
        for other in [*boxes[:place], *(ax.get_window_extent() for ax in figure.axes)]:
            assert not box.overlaps(other)
    sheet["write"](tmp_path)
    assert b"/Count 1 " in (tmp_path / "cheat_sheet.pdf").read_bytes()


def test_words_of_the_first_picture_can_be_read_on_a_phone():
    """Where 350 pixels are as wide as a page, letters are at least 10 pixels high."""
    drawn = (DOCS / "definitions.svg").read_text(encoding="utf-8")
    width = float(re.search(r'width="([\d.]+)pt"', drawn)[1])
    sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)px", drawn)]
    assert min(sizes) * min(350 / width, 4 / 3) >= 10


def test_cards_of_the_landing_page_have_their_pictures(plt):
    pictures = runpy.run_path(str(DOCS / "_picture.py"))
    page = (DOCS / "index.md").read_text(encoding="utf-8")
    names = [drawing.__name__ for drawing in pictures["THUMBNAILS"]]
    assert re.findall(r"^:img-top: _static/(\w+)\.svg$", page, re.M) == names
    for drawing in pictures["THUMBNAILS"]:
        pictures["thumbnail"](drawing).canvas.draw()
        assert "<text" not in (DOCS / "_static" / f"{drawing.__name__}.svg").read_text(
            encoding="utf-8"
        )


@pytest.mark.parametrize("kind", ["path", "none"])
def test_the_smallest_letters_of_a_picture_are_measured(kind, plt, tmp_path):
    measure = runpy.run_path(str(DOCS / "_check_browser.py"))["find_smallest_letters"]
    figure = Figure(figsize=(5, 4))
    for place, size in enumerate((12, 7.5, 30)):
        figure.text(0.1, 0.3 * place, "letters", size=size)
    with plt.rc_context({"svg.fonttype": kind}):
        figure.savefig(tmp_path / "picture.svg")
    assert measure(tmp_path / "picture.svg", 5 * 72) == pytest.approx(7.5)
    assert measure(tmp_path / "picture.svg", 10 * 72) == pytest.approx(15)


@pytest.mark.parametrize("name", ["atlas", "definitions", "speed"])
def test_letters_of_pictures_can_be_read_on_phones(name):
    measure = runpy.run_path(str(DOCS / "_check_browser.py"))["find_smallest_letters"]
    assert 9 <= measure(DOCS / f"{name}.svg", 350) < 12
