"""Axes on which displays are drawn, and what they show."""

from functools import wraps
from inspect import signature

import pytest

from sklearn_ap import AveragePrecisionDisplay, HitCurveDisplay

areas, hits = AveragePrecisionDisplay.from_predictions, HitCurveDisplay.from_predictions
each_draw = pytest.mark.parametrize("draw", [areas, hits], ids=["areas", "hits"])


def new_axes(**scale):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    return figure.subplots(subplot_kw=scale)


def on_new_axes(from_predictions):
    """Return the constructor of a display, which then needs no axes."""

    @wraps(from_predictions)
    def draw(*args, **kwargs):
        return from_predictions(*args, ax=new_axes(), **kwargs)

    return draw


def options_of_plot(display):
    """Return the parameters of `plot`, which the constructors of the display take, too."""
    parameters = signature(display.plot).parameters
    return {name: parameter for name, parameter in parameters.items() if name != "self"}


def shown_path(line):
    """Return what the axes draw, in pixels."""
    return line.get_transform().transform_path(line.get_path()).vertices


def legend(ax):
    """Return the entries of a legend, without line breaks."""
    return [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]
