"""What every picture must satisfy."""

import matplotlib

STYLES = ["default", "dark_background"]
LONG = {
    "gradient boosting with calibrated probabilities, v2.1 (October)": "model_b",
    "a_logistic_regression_with_all_features_and_no_spaces_in_its_name": "model_a",
}


def assert_nothing_is_cut(figure):
    figure.canvas.draw()
    width, height = figure.get_size_inches()
    box = figure.get_tightbbox()
    assert min(box.x0, box.y0) > -0.01
    assert box.x1 < width + 0.01
    assert box.y1 < height + 0.01
    # Lines and text are seen on the background.
    for line in figure.axes[0].lines:
        assert matplotlib.colors.to_rgb(line.get_color()) != matplotlib.colors.to_rgb(
            figure.axes[0].get_facecolor()
        )
