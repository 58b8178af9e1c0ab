"""The looks of displays, as data: colors, legends, scales, and words on the axes."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from scipy.integrate import trapezoid

import sklearn_ap as ap
from sklearn_ap._show.figures import COLORS
from sklearn_ap.displays import artists
from sklearn_ap.displays.artists import thin_points

from .axes import areas, each_draw, hits, legend, new_axes, shown_path

pytestmark = pytest.mark.slow
LONG = "gradient boosting, 500 trees, calibrated on the validation set of March {}"


def looks(display):
    """Return the color and the style of each line."""
    return [(line.get_color(), line.get_linestyle()) for line in display.line_]


def labels_and_models(count, name="model {}", n_samples=100):
    rng = np.random.default_rng(0)
    y = rng.random(n_samples) < 0.2
    scores = rng.normal(size=(count, n_samples)) + np.linspace(2, 0.5, count)[:, np.newaxis] * y
    return y, {name.format(place): each for place, each in enumerate(scores)}


# --- colors -------------------------------------------------------------------------------------

# How the complete lack of one kind of cones changes linear RGB (Machado, Oliveira and Fernandes,
# "A physiologically-based model for simulation of color vision deficiency", IEEE TVCG 15, 2009).
BLIND = {
    "none": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
# Linear RGB in CIE XYZ, of which the second row is the luminance.
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                   [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip


def linear(colors):
    rgb = np.array([to_rgb(color) for color in colors])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(linear_rgb):
    xyz = np.clip(linear_rgb, 0, 1) @ TO_XYZ.T / TO_XYZ.sum(axis=1)
    is_light = xyz > (6 / 29) ** 3
    x, y, z = np.where(is_light, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def ciede2000(one, other):
    """Return color differences as in G. Sharma, W. Wu and E. Dalal, "The CIEDE2000 color-difference
    formula", Color Research and Application 30, 2005.
    """
    (light_1, a_1, b_1), (light_2, a_2, b_2) = np.moveaxis(one, -1, 0), np.moveaxis(other, -1, 0)
    chroma = (np.hypot(a_1, b_1) + np.hypot(a_2, b_2)) / 2
    stretch = 1.5 - 0.5 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
    chroma_1, chroma_2 = np.hypot(stretch * a_1, b_1), np.hypot(stretch * a_2, b_2)
    hue_1, hue_2 = (
        np.degrees(np.arctan2(b, stretch * a)) % 360 for a, b in ((a_1, b_1), (a_2, b_2))
    )
    light, chroma = (light_1 + light_2) / 2, (chroma_1 + chroma_2) / 2
    turn = (hue_2 - hue_1 + 180) % 360 - 180
    hue = np.radians((hue_1 + turn / 2) % 360)
    by_hue = 1 - 0.17 * np.cos(hue - np.radians(30)) + 0.24 * np.cos(2 * hue)
    by_hue += 0.32 * np.cos(3 * hue + np.radians(6)) - 0.2 * np.cos(4 * hue - np.radians(63))
    from_50 = (light - 50) ** 2
    of_light = (light_2 - light_1) / (1 + 0.015 * from_50 / np.sqrt(20 + from_50))
    of_chroma = (chroma_2 - chroma_1) / (1 + 0.045 * chroma)
    of_hue = 2 * np.sqrt(chroma_1 * chroma_2) * np.sin(np.radians(turn / 2))
    of_hue /= 1 + 0.015 * chroma * by_hue
    rotation = np.radians(60 * np.exp(-(((np.degrees(hue) - 275) / 25) ** 2)))
    both = -2 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7)) * np.sin(rotation)
    return np.sqrt(of_light**2 + of_chroma**2 + of_hue**2 + both * of_chroma * of_hue)


@pytest.mark.parametrize(  # from the paper's table 1
    ("one", "other", "difference"),
    [
        ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
        ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
        ([22.7233, 20.0904, -46.6940], [23.0331, 14.9730, -42.5619], 2.0373),
        ([2.0776, 0.0795, -1.1350], [0.9033, -0.0636, -0.5514], 0.9082),
    ],
)
def test_color_differences_are_those_of_the_paper(one, other, difference):
    assert ciede2000(np.array(one), np.array(other)) == pytest.approx(difference, abs=1e-4)


def differences(colors, kind):
    """Return the color differences of all pairs, as people with a kind of vision see them."""
    seen = lab(linear(colors) @ np.transpose(BLIND[kind]))
    return ciede2000(seen[:, np.newaxis], seen) + 100 * np.eye(len(colors))


@pytest.mark.parametrize("kind", BLIND)
def test_all_eyes_tell_colors_apart(kind):
    apart = differences(COLORS, kind)
    assert apart[:8, :8].min() > 15
    assert apart[8:, 8:].min() > 16  # with another line style
    assert apart.min() > 7.5
    assert kind != "none" or apart.min() > 13.5


@each_draw
@pytest.mark.parametrize(
    ("style", "apart"), [("default", False), ("default", True), ("dark_background", False)]
)
def test_twelve_models_stay_apart_for_color_blind_readers(draw, style, apart):
    y, models = labels_and_models(12)
    with plt.style.context(style):
        ax = new_axes()
        calls = [{name: score} for name, score in models.items()] if apart else [models]
        shown = [draw(y, each, ax=ax).line_ for each in calls]
    lines = shown if apart else shown[0]
    colors = [to_hex(line.get_color()) for line in lines]
    styles = np.array([line.get_linestyle() for line in lines])
    assert colors == list(COLORS)
    for kind in BLIND:
        assert differences(colors, kind)[styles[:, np.newaxis] == styles].min() > 15
    luminance, background = linear(colors) @ TO_XYZ[1], linear([ax.get_facecolor()]) @ TO_XYZ[1]
    light, dark = np.maximum(luminance, background), np.minimum(luminance, background)
    assert np.all((light + 0.05) / (dark + 0.05) > 2.99)


@each_draw
def test_the_colors_that_a_user_sets_win(draw):
    y, models = labels_and_models(4)
    cycle = ["#ff0000", "#00ff00", "#0000ff"]
    with plt.rc_context({"axes.prop_cycle": plt.cycler(color=cycle)}):
        by_style = looks(draw(y, models))
    assert by_style == [*zip([*cycle, cycle[0]], ["-", "-", "-", "--"], strict=True)]
    ax = new_axes()
    ax.set_prop_cycle(plt.cycler(color=cycle[:2], linestyle=["-.", ":"]))
    two = {name: models[name] for name in ("model 0", "model 1")}
    assert looks(draw(y, two, ax=ax)) == [("#ff0000", "-."), ("#00ff00", ":")]
    given = [{"color": "k"}, {"c": "k"}, {"ls": ":"}, {}]
    expected = [("k", "-"), ("k", "--"), (COLORS[0], ":"), (COLORS[1], "-")]
    assert looks(draw(y, models, curve_kwargs=given)) == expected


def test_definitions_of_a_model_share_its_color():
    y, models = labels_and_models(8)
    display = areas(y, models, metric=["step", "envelope", "11-point"])
    both = [
        (*look, line.get_marker()) for look, line in zip(looks(display), display.line_, strict=True)
    ]
    assert len(set(both)) == 24
    assert len({color for color, *_ in both}) == 8
    assert [style for _, style, _ in both[:3]] == ["-", "--", "None"]


# --- legends ------------------------------------------------------------------------------------


# A new figure grows by the height of the legend above its axes. A legend at the "best" place is in
# its axes, if it is not larger than they are, and covers no more of the lines than at any other of
# nine places there.


def box_of_legend(ax):
    ax.figure.figure.draw_without_rendering()
    return ax.get_legend().get_window_extent()


def check_above(ax):
    """Check that the legend is in the figure, but not in the axes, where everything is drawn."""
    box = box_of_legend(ax)
    for other in (ax.get_window_extent(), ax.xaxis.get_tightbbox(), ax.yaxis.get_tightbbox()):
        assert not box.overlaps(other)
    assert ax.figure.bbox.padded(1).contains(*box.p0)
    assert ax.figure.bbox.padded(1).contains(*box.p1)


def check_inside(ax):
    """Check that the legend is in its own axes."""
    box, axes = box_of_legend(ax), ax.get_window_extent().padded(1)
    assert axes.contains(*box.p0)
    assert axes.contains(*box.p1)


@each_draw
@pytest.mark.parametrize(
    ("count", "name", "level"),
    [
        (1, "model {}", None),
        (3, "model {}", 0.95),
        pytest.param(12, "model {}", None, marks=pytest.mark.slow),
        pytest.param(1, LONG, 0.95, marks=pytest.mark.slow),
        pytest.param(3, LONG, None, marks=pytest.mark.slow),
        (5, LONG, 0.95),
    ],
)
def test_a_legend_of_a_new_figure_covers_nothing(draw, count, name, level):
    y, models = labels_and_models(count, name)
    chosen = {} if count > 1 else {"operating_points": ap.operating_point(y, *models.values(), k=9)}
    new = draw(y, models, confidence_level=level, **chosen)
    check_above(new.ax_)
    assert new.ax_.get_window_extent().size.min() > 0.6 * 370  # of axes without legend
    if name == LONG:  # broken into lines, with the interval in one of them
        lines = "\n".join(text.get_text() for text in new.ax_.get_legend().get_texts()).split("\n")
        assert max(map(len, lines)) <= 45
        assert level is None or any("95% 0." in line for line in lines)


@each_draw
def test_models_that_are_added_to_a_new_figure_share_a_legend_above_it(draw):
    y, models = labels_and_models(12, n_samples=30)
    ax = None
    for name, score in models.items():
        ax = draw(y, score, name=name, ax=ax).ax_
    check_above(ax)
    assert ax.get_window_extent().size.min() > 0.6 * 370
    assert len(ax.get_legend().get_texts()) == 12 + 2 * (draw is hits)


@each_draw
@pytest.mark.parametrize("place", ["left", "center"])
@pytest.mark.parametrize("title", ["Fraud", "Fraud\nby day\nof 2026"])
def test_a_legend_of_a_new_figure_is_below_a_title_that_is_set_later(draw, title, place):
    ax = draw(*labels_and_models(3)).ax_
    text = ax.set_title(title, loc=place, color="red", fontsize=15)
    check_above(ax)
    box, above = box_of_legend(ax), text.get_window_extent()
    assert ax.get_window_extent().y1 < box.y0 < ax.get_window_extent().y1 + box.height / 3
    assert box.y1 < above.y0 < box.y1 + box.height / 3
    assert above.y1 < ax.figure.bbox.y1
    assert (text.get_color(), text.get_fontsize()) == ("red", 15)


@each_draw
@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_a_legend_in_axes_of_the_caller_is_inside_and_leaves_them_as_they_are(draw, layout):
    """They have the place that they have without a legend."""
    figure = Figure(figsize=(10, 8), layout=layout)
    y, models = labels_and_models(3, LONG)
    ax = draw(y, models, ax=figure.subplots()).ax_
    check_inside(ax)
    place = ax.get_position().bounds
    ax.get_legend().remove()
    figure.draw_without_rendering()
    assert ax.get_position().bounds == pytest.approx(place, abs=0.005)  # a layout can iterate
    assert figure.get_size_inches().tolist() == [10, 8]
    assert (figure.get_layout_engine() is None) == (layout is None)


@each_draw
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_legend_in_small_axes_of_the_caller_is_inside(draw, count):
    figure = Figure(figsize=(6.4, 3))
    for ax in figure.subplots(1, 2):
        draw(*labels_and_models(count, "gradient boosting of month {}"), ax=ax)
        check_inside(ax)


@each_draw
@pytest.mark.parametrize("at_once", [False, True])
def test_all_curves_have_dots_or_none(draw, at_once):
    y, models = labels_and_models(2, n_samples=1000)
    models["model 1"] = models["model 1"].round()  # has few points
    ax = new_axes()
    for each in [models] if at_once else [{name: models[name]} for name in models]:
        draw(y, each, ax=ax)
    dots = [line for line in ax.lines if str(line.get_label()).startswith("_operating points")]
    assert [line.get_visible() for line in dots] == [False, False]
    assert min(len(line.get_xdata()) for line in dots) < 20


def test_long_thresholds_are_short_in_legends():
    y, models = labels_and_models(1)
    point = ap.operating_point(y, models["model 0"], threshold=0.123456789)
    shown = areas(y, models["model 0"], operating_points=point)
    assert shown.marks_[0].get_label().startswith("threshold 0.123: precision ")


@each_draw
def test_a_legend_in_axes_of_the_caller_covers_no_line_if_there_is_room(draw):
    ax = Figure(figsize=(10, 8)).subplots()
    shown = draw([1, 1, 0, 0], [4, 3, 2, 1], ax=ax)  # a perfect ranking
    box = box_of_legend(ax).padded(-1)
    assert not any(
        line.get_transform().transform_path(line.get_path()).intersects_bbox(box, filled=False)
        for line in (shown.line_, shown.points_)
    )


NAME = "gradient_boosting_with_calibration_v{}"
BREAKS = "gradient_boosting_with_calibration_v0", "gradient_boosting_with_\ncalibration_v0"


@each_draw
@pytest.mark.parametrize("name", ["model {}", NAME])
def test_a_mark_has_its_precision_and_its_recall_in_one_line(draw, name):
    y, models = labels_and_models(3, name)
    shown = draw(y, models, operating_points=ap.operating_point(y, models, min_recall=0.5))
    check_above(shown.ax_)
    entries = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    for entry, mark in zip(entries[3:6], shown.marks_, strict=True):
        first, second = entry.split("\n")
        assert f"{first} {second}" == mark.get_label()
        pattern = r"(threshold \S+: )?precision \d\.\d\d, recall \d\.\d\d"
        assert re.fullmatch(pattern, second)


@pytest.mark.parametrize("count", [1, 3, 12])
def test_new_figures_have_square_axes_for_precision_and_recall(count):
    display = areas(*labels_and_models(count))
    check_above(display.ax_)
    width, height = display.ax_.get_window_extent().size
    assert width == pytest.approx(height)


@each_draw
def test_axes_that_were_placed_by_hand_stay_there(draw):
    ax = Figure().add_axes((0.1, 0.6, 0.3, 0.3))
    for _ in range(2):
        draw(*labels_and_models(2), ax=ax)
        assert ax.get_position(original=True).bounds == pytest.approx((0.1, 0.6, 0.3, 0.3))


@each_draw
def test_legends_of_several_axes_stay_in_their_places(draw):
    figure = Figure(figsize=(12, 4.5))
    for ax in figure.subplots(1, 2):
        draw(*labels_and_models(2, "m{}"), ax=ax)
        check_inside(ax)


@each_draw
@pytest.mark.parametrize("count", [1, 3])
def test_axes_can_be_arranged_after_they_were_drawn_in(draw, count):
    """The legends move with them, and nothing warns of a layout that the caller didn't choose."""
    figure = Figure(figsize=(10, 4))
    for ax in figure.subplots(1, 2):
        draw(*labels_and_models(count), ax=ax)
    assert figure.get_layout_engine() is None
    figure.subplots_adjust(wspace=0.5)
    figure.tight_layout()
    for ax in figure.axes:
        check_inside(ax)


@each_draw
def test_legends_in_parts_of_a_figure_stay_there(draw):
    figure = Figure(figsize=(10, 4))
    for part in figure.subfigures(1, 2):
        draw(*labels_and_models(2), ax=part.subplots())
    for part in figure.subfigs:
        check_inside(part.axes[0])


# --- intervals of models and segments -----------------------------------------------------------


def check_texts(figure):
    """Check that the words of a figure are in it, and that none covers another or the axes."""
    figure.draw_without_rendering()
    words = []
    for ax in figure.axes:
        for place, axis in enumerate((ax.xaxis, ax.yaxis)):
            low, high = sorted(axis.get_view_interval())
            labels = axis.get_ticklabels()
            words += [each for each in labels if low <= each.get_position()[place] <= high]
            words += [axis.label, axis.get_offset_text()]
    boxes = [each.get_window_extent() for each in words if each.get_visible() and each.get_text()]
    for place, box in enumerate(boxes):
        assert figure.bbox.padded(1).contains(*box.p0)
        assert figure.bbox.padded(1).contains(*box.p1)
        for other in [*boxes[:place], *(ax.get_window_extent() for ax in figure.axes)]:
            assert not box.padded(-1).overlaps(other)


FEW, MANY = "AP", ["AP", "P@10%", "recall_at_precision_0.9"]


@pytest.mark.parametrize(
    ("count", "name", "metrics"),
    [
        (1, NAME, MANY),
        (3, "m{}", FEW),
        (3, NAME, MANY),
        (12, NAME, FEW),
        (12, "m{}", MANY),
    ],
)
def test_words_in_pictures_of_reports_cover_nothing(count, name, metrics):
    y, models = labels_and_models(count, name)
    found = ap.report(y, models, metrics=metrics, n_resamples=20, random_state=0)
    display = found.plot()
    check_texts(display.figure_)
    assert display.figure_.get_size_inches()[0] < 15
    axes = np.ravel(display.ax_)
    assert min(ax.get_window_extent().width for ax in axes) > 120
    first, *_ = [tick.get_text().split("\n") for tick in axes[0].get_yticklabels()]
    model = BREAKS[1].split("\n") if name == NAME else ["m0"]
    if found.baseline == next(iter(models)):
        model[-1] += " (baseline)"
    has_models = metrics == FEW or count > 8
    assert first == (model if has_models else ["AP", f"{y.sum()} positives"])


@pytest.mark.parametrize(("count", "metrics"), [(1, FEW), (5, MANY[:2])])
def test_words_in_pictures_of_many_segments_cover_nothing(count, metrics):
    y, models = labels_and_models(count, n_samples=1000)
    country = [f"country {each % 50:02}" for each in range(1000)]
    given = {"by": country, "zero_division": 0.0, "n_resamples": 20, "random_state": 0}
    found = ap.report(y, models, metrics=metrics, **given)
    display = found.plot()
    check_texts(display.figure_)
    assert max(display.figure_.get_size_inches()) < 15
    assert display.figure_.get_size_inches()[1] < 11  # inches, which a screen has
    assert "40 of 50 segments are shown" in display.figure_.get_supxlabel()
    first, *names = [tick.get_text() for tick in np.ravel(display.ax_)[0].get_yticklabels()]
    assert first == f"all data ({np.sum(y)} positives)"
    assert len(names) == 40
    assert {name.partition(" (")[0] for name in names} < {*country}


def test_lines_over_time_are_wide_enough():
    """They stand one below the other, and say what the dashed line is."""
    y, models = labels_and_models(3, NAME, n_samples=1000)
    days = np.datetime64("2026-01-01", "D") + np.arange(1000) % 20
    given = {"by": days, "baseline": BREAKS[0], "n_resamples": 20, "random_state": 0}
    display = ap.report(y, models, metrics="AP", **given).plot()
    check_texts(display.figure_)
    values, differences = display.ax_.ravel()
    assert min(ax.get_window_extent().width for ax in display.ax_.ravel()) > 300
    assert values.get_title("left") == "AP"
    assert values.get_ylabel() == "value\n95% interval"
    assert "Dashed: all data." in display.figure_.get_supxlabel()
    assert [0, 0] in [list(line.get_ydata()) for line in differences.lines]
    one = ap.report(y, models[BREAKS[0]], by=days, metrics="AP").plot()
    assert one.ax_.get_ylabel() == "value\n95% interval"
    many = ap.report(y, models, metrics=["AP", "P@10%", "R@10%"], **given).plot()
    check_texts(many.figure_)


# --- scales -------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["step", "linear", "11-point"])
def test_a_logarithmic_recall_axis_is_honest(metric):
    """The first sample is negative, so the first operating point has recall 0."""
    y, score = [0, 1, 0, 1, 1, 0, 1], range(7, 0, -1)
    display = areas(y, score, metric=metric, confidence_level=0.9, ax=new_axes(xscale="log"))
    ax = display.ax_
    ax.figure.draw_without_rendering()
    assert ax.get_xscale() == "log"
    assert 0 < ax.get_xlim()[0] < (1 / 11 if metric == "11-point" else 1 / 4)
    assert not display.fill_.get_visible()
    shown = shown_path(display.line_)
    if metric == "linear":  # halfway between recalls, the precision is halfway between 1/3 and 1/2
        x, height = ax.transData.transform((0.375, 5 / 12))
        assert np.interp(x, *shown.T) == pytest.approx(height, abs=0.5)
    assert np.all(np.isfinite(shown))
    whole = areas(y, score)
    assert whole.fill_.get_visible()
    assert (whole.ax_.get_xlim(), whole.ax_.get_aspect()) == ((-0.01, 1.01), 1)


@each_draw
def test_a_logarithmic_axis_of_missed_positives(draw):
    """No positive is found, so a precision-recall curve has no recall to show on such an axis."""
    shown = draw([0, 0], [1, 2], n_positives=3, ax=new_axes(xscale="log"))
    shown.figure_.draw_without_rendering()
    low, high = shown.ax_.get_xlim()
    assert shown.ax_.get_xscale() == "log"
    assert 0 < low < high / 1.9
    assert draw is hits or (low, high) == (0.01, 1.01)
    assert shown.value == 0


# --- many points --------------------------------------------------------------------------------


def many_points(n_samples=100_000):
    rng = np.random.default_rng(0)
    y = rng.random(n_samples) < 0.5
    return y, rng.normal(size=n_samples) + 1.5 * y


def sharp_pixels(figure, times=4):
    """Draw a figure at several times its resolution, and return the mean of these pixels, because
    Agg draws short lines inexactly.
    """
    figure.set_dpi(100 * times)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    colors = np.asarray(canvas.buffer_rgba())[..., :3]
    height, width, _ = colors.shape
    return colors.reshape(height // times, times, width // times, times, 3).mean(axis=(1, 3))


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("xlim", [(0.001, 1), (0.25, 0.75)])
@pytest.mark.parametrize(
    ("draw", "given"),
    [
        (areas, {}),
        (areas, {"metric": "linear"}),
        (hits, {}),
        (hits, {"fraction_of": "lift"}),
    ],
)
def test_a_thinned_line_looks_like_the_line_also_at_twice_the_zoom(
    draw, given, scale, xlim, monkeypatch
):
    pictures, sizes = [], []
    for most in (20_000, np.inf):
        monkeypatch.setattr(artists, "_MANY", most)
        shown = draw(*many_points(), ax=new_axes(xscale=scale), **given)
        shown.ax_.set(xlim=xlim, aspect="auto")
        shown.ax_.get_legend().remove()  # whose best place can be another one
        pictures.append(sharp_pixels(shown.figure_))
        sizes.append(shown.line_.get_xdata().size)
    assert sizes[0] < 20_000 < sizes[1]
    differences = np.abs(pictures[0] - pictures[1]).max(axis=-1)
    assert np.mean(differences > 25) < 0.0005  # of 255


@each_draw
def test_curves_keep_the_points_that_lines_lack(draw):
    y, score = many_points()
    shown = draw(y, score)
    assert shown.line_.get_xdata().size < 20_000
    curve = shown.curves[0]
    points = (curve.detected, curve.hits) if draw is hits else (curve.recall, curve.precision)
    assert {each.size for each in points} == {y.size + (draw is hits)}
    assert shown.line_.get_xdata()[[0, -1]].tolist() == [0, 1]


@pytest.mark.parametrize("upper", [None, 1.0])
def test_a_thinned_line_has_the_ends_and_the_extremes_of_each_column(upper):
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(50_000))
    low = rng.random(x.size)
    heights = [low] if upper is None else [low, low + rng.random(x.size)]
    left, *left_heights = thin_points(x, *heights)
    assert left.size < 20_000 * len(heights)
    before = {tuple(point) for point in np.transpose([x, *heights]).tolist()}
    assert {tuple(point) for point in np.transpose([left, *left_heights]).tolist()} <= before
    for start in (0, 0.0005, 0.4, 0.9995):
        was, now = (np.flatnonzero((each >= start) & (each < start + 0.0005)) for each in (x, left))
        assert left[now[[0, -1]]].tolist() == x[was[[0, -1]]].tolist()
        for height, left_height in zip(heights, left_heights, strict=True):
            extremes = np.min(height[was]), np.max(height[was])
            assert (np.min(left_height[now]), np.max(left_height[now])) == extremes
    assert thin_points(x[:20_000], low)[0].size == 20_000


@pytest.mark.parametrize("metric", ["step", "envelope"])
def test_a_thinned_step_curve_has_steps(metric):
    y, score = many_points()
    whole, few = areas(y, score, metric=metric), areas(y, np.round(score, 3), metric=metric)
    x, height = whole.line_.get_data()
    assert np.all((np.diff(x) == 0) | (np.diff(height) == 0))
    assert np.all(np.diff(x) >= 0)
    assert trapezoid(height, x) == pytest.approx(whole.value, abs=1 / 4000)  # half a column
    np.testing.assert_array_equal(few.line_.get_data(), few.curves[0].line)  # of few points


# --- words --------------------------------------------------------------------------------------


def words(display):
    return display.ax_.get_xlabel(), display.ax_.get_ylabel()


AMOUNT = pd.Series(np.arange(1.0, 101), name="amount")


@pytest.mark.parametrize(
    ("given", "by"),
    [
        ({"sample_weight": np.arange(1.0, 101)}, "weight"),
        ({"sample_weight": AMOUNT}, "amount"),
        ({"sample_weight": "amount"}, "amount"),
        ({"sample_weight": np.full(100, 2.0)}, None),
        ({"sample_weight": np.arange(100) % 2}, None),  # which leaves samples out
    ],
)
def test_axes_say_by_what_samples_are_weighted(given, by):
    y, models = labels_and_models(1)
    score = models["model 0"]
    if isinstance(given["sample_weight"], str):
        given = given | {"data": {"y": y, "s": score, "amount": AMOUNT}}
        y, score = "y", "s"
    found = f"the {by}" if by in ("amount", "weight") else "positives"
    assert words(hits(y, score, **given)) == (
        f"Fraction of {'samples' if by is None else f'the {by}'} flagged",
        f"Fraction of {found} found",
    )
    assert words(hits(y, score, fraction_of="samples", **given)) == (
        f"Fraction of {'samples' if by is None else f'the {by}'} flagged",
        f"Positives found / all {by or 'samples'}",
    )
    shown, by = areas(y, score, **given), f", by {by}" if by else ""
    assert words(shown) == (f"Recall{by}", f"Precision{by}")


# --- defaults -----------------------------------------------------------------------------------


def test_a_legend_of_five_models_has_three_lines_and_lift_a_logarithmic_axis():
    """The lines are those of the legend's columns: five curves, and two to compare with."""
    y, models = labels_and_models(5, "m{}", n_samples=200)
    display = hits(y, models, fraction_of="lift")
    assert (display.ax_.get_xscale(), display.ax_.get_yscale()) == ("log", "linear")
    display.figure_.draw_without_rendering()
    rows = {round(text.get_window_extent().y0) for text in display.ax_.get_legend().get_texts()}
    assert len(display.ax_.get_legend().get_texts()) == 7
    assert len(rows) == 3
    own = new_axes()
    assert hits(y, models, fraction_of="lift", ax=own).ax_.get_xscale() == "linear"
    plt.close("all")


@pytest.mark.parametrize(
    ("metric", "called"),
    [("VOC07", "VOC07"), ("11-point", "11-point"), ("average_precision", "AP"), ("ap", "AP")],
)
def test_pictures_call_a_metric_as_the_caller_did(metric, called):
    """But names in code are spelled out, in titles as results print them."""
    y, models = labels_and_models(2, n_samples=200)
    first, _ = legend(areas(y, models, metric=metric).ax_)
    assert first.partition(" (")[2].partition(" = ")[0] == called
    title = "Average precision" if called == "AP" else called
    found = ap.compare(y, models, metric=metric), ap.report(y, models, metrics=metric)
    for result in found:
        axes = result.plot().ax_
        assert axes[0].get_title("left").partition(":")[0] == title
    plt.close("all")


# --- reference lines ----------------------------------------------------------------------------


def test_reference_lines_are_drawn_once_or_say_whose_they_are():
    y, models = labels_and_models(2)
    ax = new_axes()
    first, second = (hits(y, score, name=name, ax=ax) for name, score in models.items())
    assert second.perfect_ is first.perfect_
    assert second.chance_level_ is first.chance_level_
    other = hits(y[:50], 1 + y[:50], name="fewer rows", ax=ax)
    assert other.perfect_ is not first.perfect_
    assert other.chance_level_ is first.chance_level_  # always the diagonal
    perfect = "Perfect ranking"
    assert legend(ax)[3:] == [perfect, "Random selection", f"{perfect} of fewer rows"]
    unnamed = hits(y[:20], 1 + y[:20], ax=ax)
    assert unnamed.perfect_ not in (first.perfect_, other.perfect_)
    assert legend(ax)[-1] == f"{perfect} 3"
