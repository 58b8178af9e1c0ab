"""Results that are drawn as intervals, of values and of differences from a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .figures import draws
from .results import format_level

Ends = tuple[float, float, float]  # a value and the ends of its interval, nan for none
NOTHING = np.nan, np.nan, np.nan

MOST_ROWS = 40  # above each other, of at most five models


class IntervalMark(NamedTuple):
    """What a picture shows of a model in a row."""

    value: Ends
    difference: Ends  # from the baseline
    verdict: str | None  # None for the baseline, which has no difference
    folds: Sequence[float] = ()  # the values that the value is the mean of


class MarkedRow(NamedTuple):
    """What a picture shows next to a name."""

    name: str
    marks: Sequence[IntervalMark]  # of each model
    margin: float | None = None  # of the differences
    reason: str = ""  # why there are no values


class Strip(NamedTuple):
    """Rows that share their axes: the models or segments of a metric, or several metrics."""

    title: str
    rows: Sequence[MarkedRow]
    models: Sequence[str] = ("",)  # in each row
    has_all: bool = False  # whether the first row is all data, and the others are segments


class Drawn(NamedTuple):
    """What the picture of a result shows."""

    strips: Sequence[Strip]
    lines: Sequence[str]  # what has to be known to read it
    times: Sequence[Any] = ()  # the segments if they are times, which are drawn as a line
    baseline: str = "baseline"  # what differences are from

    @property
    def columns(self) -> list[str]:
        """Which fields of the marks have panels. Differences without intervals tell nothing."""
        marks = [mark for strip in self.strips for row in strip.rows for mark in row.marks]
        has_intervals = any(mark.difference[1] == mark.difference[1] for mark in marks)
        return ["value", "difference"] if has_intervals else ["value"]


@dataclass(frozen=True, eq=False)
class IntervalDisplay:
    """Picture of a report or a comparison, as its `plot` draws it.

    Attributes
    ----------
    result : Report, Comparison, Comparisons or SearchComparison
        What is drawn.
    ax_ : matplotlib Axes or array of Axes
        The axes, as an array if there are several.
    figure_ : matplotlib Figure
        The figure that contains the axes.
    errorbar_ : list of ErrorbarContainer
        The values and differences of each model with their intervals, one axes after the other.

    See Also
    --------
    Comparisons.plot : Draw a comparison.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [0, 1, 1, 0, 1]
    >>> scores = {"a": [1, 2, 3, 4, 5], "b": [2, 1, 4, 3, 5]}
    >>> display = ap.compare(y_true, scores, baseline="a").plot()
    >>> len(display.figure_.axes)
    2
    """

    result: Any
    ax_: Any
    figure_: Any
    errorbar_: list[Any]


class Drawable:
    """Mixin of results that are drawn as intervals."""

    def _drawn(self) -> Drawn:
        raise NotImplementedError

    @draws
    def plot(self, ax: Any = None) -> IntervalDisplay:
        """Plot values, and next to them the differences from the baseline, with their intervals.

        A difference is filled if it's better or worse, and hollow if neither is shown. The dashed
        line at 0 is the baseline, and dotted lines are the margin. Small dots are folds.

        With `by`, the rows are all data and the segments, with their numbers of positives; of many
        segments, those with the lowest differences or values. Days and other times are drawn as a
        line with a band.

        Parameters
        ----------
        ax : matplotlib Axes or array of Axes, default=None
            The axes to plot on. For each metric, these are one for its values and one for the
            differences, or only one, for the differences if there are any. If None, a new figure is
            created.

        Returns
        -------
        display : IntervalDisplay
            Its `ax_` and `figure_` are the axes and the figure.
        """
        from . import interval_plots  # which needs matplotlib

        axes, bars = interval_plots.draw(self._drawn(), format_level(self), ax)
        return IntervalDisplay(self, axes if axes.size > 1 else axes[0], axes[0].figure, bars)
