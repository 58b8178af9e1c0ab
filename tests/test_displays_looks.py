"""The looks of displays, as data: colors, legends, scales, and words on the axes."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from sklearn.naive_bayes import GaussianNB

import sklearn_ap as ap
from sklearn_ap import AveragePrecisionDisplay, HitCurveDisplay
from sklearn_ap.displays.artists import _COLORS

DISPLAYS = [AveragePrecisionDisplay, HitCurveDisplay]
each_display = pytest.mark.parametrize("display", DISPLAYS)
LONG = "gradient boosting, 500 trees, calibrated on the validation set of March {}"


def labels_and_models(count, name="model {}", n_samples=100):
    rng = np.random.default_rng(0)
    y = rng.random(n_samples) < 0.2
    scores = rng.normal(size=(count, n_samples)) + np.linspace(2, 0.5, count)[:, np.newaxis] * y
    return y, {name.format(place): each for place, each in enumerate(scores)}


# --- colors -------------------------------------------------------------------------------------

# How the complete lack of one kind of cones changes linear RGB (Machado, Oliveira and Fernandes,
# "A physiologically-based model for simulation of color vision deficiency", IEEE TVCG 15, 2009).
# fmt: off
BLIND = {
    "none": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
}
# fmt: on
TO_XYZ = [
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
]


def linear(colors):
    rgb = np.array([to_rgb(color) for color in colors])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    xyz = np.clip(rgb, 0, 1) @ np.transpose(TO_XYZ) / [0.95047, 1, 1.08883]
    root = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = root.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def differences(colors, kind):
    """Return the color difference CIEDE2000 of all pairs, as people see them."""
    seen = lab(linear(colors) @ np.transpose(BLIND[kind]))
    one, other = seen[:, :, np.newaxis], seen[:, np.newaxis]
    chroma = (np.hypot(*one[1:]) + np.hypot(*other[1:])) / 2
    factor = 1.5 - 0.5 * np.sqrt(chroma**7 / (chroma**7 + 25**7))
    (light, a, b), (light_2, a_2, b_2) = one, other
    c, c_2 = np.hypot(a * factor, b), np.hypot(a_2 * factor, b_2)
    h, h_2 = np.arctan2(b, a * factor), np.arctan2(b_2, a_2 * factor)
    apart = (h_2 - h + np.pi) % (2 * np.pi) - np.pi
    hue, mean_c, mean_l = np.degrees(h + apart / 2), (c + c_2) / 2, (light + light_2) / 2
    waves = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.2, 4, -63))
    wave = 1 + sum(size * np.cos(np.radians(n * hue + shift)) for size, n, shift in waves)
    by_light = (light_2 - light) / (
        1 + 0.015 * (mean_l - 50) ** 2 / np.sqrt(20 + (mean_l - 50) ** 2)
    )
    by_chroma = (c_2 - c) / (1 + 0.045 * mean_c)
    by_hue = 2 * np.sqrt(c * c_2) * np.sin(apart / 2) / (1 + 0.015 * mean_c * wave)
    turn = 60 * np.exp(-((((hue % 360) - 275) / 25) ** 2))
    rotated = -2 * np.sqrt(mean_c**7 / (mean_c**7 + 25**7)) * np.sin(np.radians(turn))
    square = by_light**2 + by_chroma**2 + by_hue**2 + rotated * by_chroma * by_hue
    return np.sqrt(square)


def test_color_differences_are_those_of_the_standard():
    """Pairs 1 and 17 of Sharma, Wu and Dalal (2005), and the matrices keep white white."""
    for matrix in BLIND.values():
        np.testing.assert_allclose(np.sum(matrix, axis=1), 1, atol=1e-5)
    assert differences(["white", "black"], "none")[0, 1] == pytest.approx(100, abs=0.01)
    assert differences(["red", "lime"], "none")[0, 1] == pytest.approx(86.61, abs=0.05)
    tab10 = [f"C{place}" for place in range(10)]
    assert np.sort(differences(tab10, "protanopia"), axis=None)[10] < 2


@each_display
@pytest.mark.parametrize(
    ("style", "apart"),
    [("default", False), ("default", True), ("dark_background", False)],
)
def test_twelve_models_stay_apart_for_color_blind_readers(display, style, apart):
    y, models = labels_and_models(12)
    with plt.style.context(style):
        ax = Figure().subplots()
        calls = [{name: score} for name, score in models.items()] if apart else [models]
        shown = [display.from_predictions(y, each, ax=ax).line_ for each in calls]
    lines = shown if apart else shown[0]
    colors = [to_hex(line.get_color()) for line in lines]
    styles = np.array([line.get_linestyle() for line in lines])
    assert colors == list(_COLORS)
    for kind in BLIND:
        seen = differences(colors, kind) + 100 * np.eye(12)
        assert seen[styles[:, np.newaxis] == styles].min() > 18
        assert kind != "none" or seen.min() > 13
    luminance = linear(colors) @ TO_XYZ[1]
    background = linear([ax.get_facecolor()]) @ TO_XYZ[1]
    light, dark = np.maximum(luminance, background), np.minimum(luminance, background)
    assert np.all((light + 0.05) / (dark + 0.05) > 2.99)


@each_display
def test_the_colors_that_a_user_sets_win(display):
    y, models = labels_and_models(4)
    cycle = ["#ff0000", "#00ff00", "#0000ff"]
    with plt.rc_context({"axes.prop_cycle": plt.cycler(color=cycle)}):
        lines = display.from_predictions(y, models, ax=Figure().subplots()).line_
    assert [line.get_color() for line in lines] == [*cycle, cycle[0]]
    assert [line.get_linestyle() for line in lines] == ["-", "-", "-", "--"]
    both = plt.cycler(color=cycle[:2], linestyle=["-.", ":"])
    ax = Figure().subplots()
    ax.set_prop_cycle(both)
    lines = display.from_predictions(y, dict(list(models.items())[:2]), ax=ax).line_
    assert [(line.get_color(), line.get_linestyle()) for line in lines] == [
        ("#ff0000", "-."),
        ("#00ff00", ":"),
    ]
    given = [{"color": "k"}, {"c": "k"}, {"ls": ":"}, {}]
    lines = display.from_predictions(y, models, ax=Figure().subplots(), curve_kwargs=given).line_
    assert [line.get_color() for line in lines] == ["k", "k", *_COLORS[:2]]
    assert [line.get_linestyle() for line in lines] == ["-", "--", ":", "-"]


def test_definitions_of_a_model_share_its_color():
    y, models = labels_and_models(8)
    display = AveragePrecisionDisplay.from_predictions(
        y, models, metric=["step", "envelope", "11-point"], ax=Figure().subplots()
    )
    looks = [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in display.line_]
    assert len(set(looks)) == 24
    assert len({color for color, *_ in looks}) == 8
    assert [style for _, style, _ in looks[:3]] == ["-", "--", "None"]


# --- legends ------------------------------------------------------------------------------------


def check_legend(ax):
    """Check that the legend is in the figure, but not in the axes, where everything is drawn."""
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    for other in (ax.get_window_extent(), ax.xaxis.get_tightbbox(), ax.yaxis.get_tightbbox()):
        assert not box.overlaps(other)
    assert ax.figure.bbox.padded(1).contains(*box.p0)
    assert ax.figure.bbox.padded(1).contains(*box.p1)
    return box


@each_display
@pytest.mark.parametrize(
    ("count", "name", "level"),
    [
        *[(1, "model {}", None), (3, "model {}", 0.95), (12, "model {}", None)],
        *[(1, LONG, 0.95), (3, LONG, None), (12, LONG, 0.95)],
    ],
)
def test_a_legend_covers_nothing(display, count, name, level):
    y, models = labels_and_models(count, name)
    options = (
        {} if count > 1 else {"operating_points": ap.operating_point(y, *models.values(), k=9)}
    )
    new = display.from_predictions(y, models, confidence_level=level, **options)
    check_legend(new.ax_)
    size = new.ax_.get_window_extent().size
    assert size.min() > 0.6 * 370  # of the axes in a figure without legend
    again = display.from_predictions(
        y, models, ax=(ax := plt.figure(figsize=(12, 9)).subplots()), **options
    )
    check_legend(ax)
    ax.legend().remove()
    position = ax.get_position(original=True).bounds
    ax.clear()  # the room of the first legend is given back
    again.plot(ax, **options)
    assert ax.get_position(original=True).bounds == pytest.approx(position)
    plt.close("all")
    if name == LONG:  # broken into lines, with the interval in one of them
        texts = [text.get_text() for text in new.ax_.get_legend().get_texts()]
        assert max(len(line) for text in texts for line in text.split("\n")) <= 45
        assert level is None or any("95% 0." in text for text in texts)


@each_display
def test_a_figure_grows_with_the_models_that_are_added_to_it(display):
    y, models = labels_and_models(12, LONG, n_samples=30)
    ax = None
    for name, score in models.items():
        ax = display.from_predictions(y, score, name=name, ax=ax).ax_
    check_legend(ax)
    assert ax.get_window_extent().size.min() > 0.6 * 370
    assert np.all(ax.figure.get_size_inches() < 12)
    plt.close("all")


@each_display
def test_axes_that_were_placed_by_hand_stay_there(display):
    y, models = labels_and_models(2)
    ax = Figure().add_axes((0.1, 0.6, 0.3, 0.3))
    for _ in range(2):
        display.from_predictions(y, models, ax=ax)
        assert ax.get_position(original=True).bounds == pytest.approx((0.1, 0.6, 0.3, 0.3))


@each_display
@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_legends_of_several_axes_stay_in_their_places(display, layout):
    y, models = labels_and_models(2, "m{}")
    figure = Figure(figsize=(12, 4.5), layout=layout)
    boxes = []
    for ax in figure.subplots(1, 2):
        display.from_predictions(y, models, ax=ax)
    for ax in figure.axes:
        boxes.append(check_legend(ax))
        others = [other for other in figure.axes if other is not ax]
        assert not any(boxes[-1].overlaps(other.get_window_extent()) for other in others)


# --- scales -------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["step", "linear", "11-point"])
def test_a_logarithmic_recall_axis_is_honest(metric):
    """The first sample is negative, so the first operating point has recall 0."""
    y, score = [0, 1, 0, 1, 1, 0, 1], range(7, 0, -1)
    display = AveragePrecisionDisplay.from_predictions(
        y, score, metric=metric, xscale="log", confidence_level=0.9, ax=(ax := Figure().subplots())
    )
    ax.figure.draw_without_rendering()
    assert ax.get_xscale() == "log"
    assert 0 < ax.get_xlim()[0] < (1 / 11 if metric == "11-point" else 1 / 4)
    assert not display.fill_.get_visible()
    shown = display.line_.get_transform().transform_path(display.line_.get_path()).vertices
    if metric == "linear":  # halfway between recalls, the precision is halfway between 1/3 and 1/2
        x, height = ax.transData.transform((0.375, 5 / 12))
        assert np.interp(x, *shown.T) == pytest.approx(height, abs=0.5)
    assert np.all(np.isfinite(shown))
    whole = AveragePrecisionDisplay.from_predictions(y, score, ax=Figure().subplots())
    assert whole.fill_.get_visible()
    assert (whole.ax_.get_xlim(), whole.ax_.get_aspect()) == ((-0.01, 1.01), 1)


@each_display
@pytest.mark.parametrize("max_detected", [None, 0.5])
def test_a_logarithmic_axis_of_missed_positives(display, max_detected):
    """No positive is found, so a precision-recall curve has no recall to show on such an axis."""
    options = {"n_positives": 3, "xscale": "log", "max_detected": max_detected}
    shown = display.from_predictions([0, 0], [1, 2], **options, ax=Figure().subplots())
    shown.figure_.draw_without_rendering()
    low, high = shown.ax_.get_xlim()
    assert shown.ax_.get_xscale() == "log"
    assert 0 < low < high / 1.9
    if display is AveragePrecisionDisplay:
        assert (low, high) == (0.01, 1.01)
    assert shown.value == 0


@pytest.mark.parametrize("xscale", ["linear", "log"])
def test_an_axis_can_end_before_the_first_positive(xscale):
    """Half of the samples contain a third of a positive if it is tied, and none if it is last."""
    for scores, end in (([4, 3, 3, 3], 1 / 3), ([4, 3, 2, 1], 1)):
        shown = AveragePrecisionDisplay.from_predictions(
            [0, 0, 0, 1], scores, max_detected=0.5, xscale=xscale, ax=Figure().subplots()
        )
        low, high = shown.ax_.get_xlim()
        assert low < high == pytest.approx(1.01 * end)


@pytest.mark.parametrize("max_detected", [None, 0.1])
def test_a_logarithmic_hit_curve_starts_at_the_first_sample(max_detected):
    y, models = labels_and_models(3, n_samples=1000)
    display = HitCurveDisplay.from_predictions(
        y,
        models,
        xscale="log",
        max_detected=max_detected,
        confidence_level=0.9,
        ax=(ax := Figure().subplots()),
    )
    ax.figure.draw_without_rendering()
    low, high = ax.get_xlim()
    assert 0.0005 < low <= 0.001
    assert high == pytest.approx(max_detected or 1, rel=0.1)
    assert [line.get_xdata()[0] for line in display.line_] == [0, 0, 0]


# --- words --------------------------------------------------------------------------------------


def words(display):
    return display.ax_.get_xlabel(), display.ax_.get_ylabel()


@pytest.mark.parametrize(
    ("given", "by"),
    [
        ({"sample_weight": np.arange(1.0, 101)}, "weight"),
        ({"sample_weight": pd.Series(np.arange(1.0, 101), name="amount")}, "amount"),
        ({"sample_weight": "amount", "data": "table"}, "amount"),
        ({"sample_weight": "amount", "data": "file"}, "amount"),
        ({"sample_weight": "amount", "data": "file", "prevalence": 0.01}, "amount"),
        ({"sample_weight": np.full(100, 2.0)}, None),
        ({"sample_weight": np.arange(100) % 2}, None),  # which leaves samples out
        ({"prevalence": 0.01}, "population"),
    ],
)
def test_axes_say_by_what_samples_are_weighted(given, by, tmp_path):
    y, models = labels_and_models(1)
    score, given = models["model 0"], dict(given)
    if "data" in given:
        table = pd.DataFrame({"y": y, "s": score, "amount": np.arange(1.0, 101)})
        table.to_parquet(tmp_path / "table.parquet")
        given["data"] = table if given["data"] == "table" else tmp_path / "table.parquet"
        y, score = "y", "s"
    given["ax"] = Figure().subplots()
    hits = HitCurveDisplay.from_predictions(y, score, **given)
    found = f"the {by}" if by in ("amount", "weight") else "positives"
    assert words(hits) == (
        f"Fraction of {'samples' if by is None else f'the {by}'} detected",
        f"Fraction of {found} found (Positive label: 1)",
    )
    given["ax"] = Figure().subplots()
    areas = AveragePrecisionDisplay.from_predictions(y, score, **given)
    by = f", by {by}" if by else ""
    assert words(areas) == tuple(
        f"{name}{by} (Positive label: 1)" for name in ("Recall", "Precision")
    )
    assert words(areas.plot(Figure().subplots(), xlabel="x", ylabel="y")) == ("x", "y")


# --- reference lines, and means of folds --------------------------------------------------------


def test_reference_lines_are_drawn_once_or_say_whose_they_are():
    y, models = labels_and_models(2)
    ax = Figure().subplots()
    first, second = (
        HitCurveDisplay.from_predictions(y, score, name=name, ax=ax)
        for name, score in models.items()
    )
    assert second.perfect_ is first.perfect_
    assert second.chance_level_ is first.chance_level_
    other = HitCurveDisplay.from_predictions(y[:50], y[:50], name="fewer rows", ax=ax)
    assert other.perfect_ is not first.perfect_
    assert other.chance_level_ is first.chance_level_  # always the diagonal
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[3:] == [
        "Perfect detection",
        "Random selection",
        "Perfect detection of fewer rows",
    ]


@each_display
def test_folds_are_thin_lines_behind_their_mean(display):
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    X = rng.normal(size=(300, 1)) + y[:, np.newaxis]
    model, tests = GaussianNB().fit(X, y), np.arange(300).reshape(3, 100)
    results = {"estimator": [model] * 3, "indices": {"test": tests}}
    ax = Figure().subplots()
    one = display.from_cv_results(results, X, y, name="A", ax=ax)
    x = np.array([0.25, 0.5, 0.75]) + 0.0005
    mean = np.interp(x, *one.mean_.get_data())
    edges = one.curves if display is AveragePrecisionDisplay else one.line_
    each = [
        curve.height(x) if display is AveragePrecisionDisplay else np.interp(x, *curve.get_data())
        for curve in edges
    ]
    assert mean == pytest.approx(np.mean(each, axis=0), abs=0.01)
    assert one.mean_.get_color() == one.line_[0].get_color()
    assert one.mean_.get_linewidth() > 2 * one.line_[0].get_linewidth()
    label = f"A ({'Step ' * (display is AveragePrecisionDisplay)}AP = {np.mean(one.value):.3f} +/- "
    entries = [text.get_text() for text in ax.get_legend().get_texts()]
    assert entries[0] == one.mean_.get_label()
    assert entries[0].startswith(label)
    both = display.from_cv_results({"A": results, "B": results}, X, y, ax=Figure().subplots())
    assert [line.get_color() for line in both.mean_] == list(_COLORS[:2])
