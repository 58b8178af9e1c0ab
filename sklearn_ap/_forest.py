"""The forest plot of results: their intervals in rows."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np

_MAX_LABEL = 36  # characters in a line beside a row
_GRAY = "0.5"  # which is seen on white and on black


def plot_forest(result: Any, ax: Any = None) -> Any:
    """Plot the intervals of a report, a comparison or candidates as rows, and return the axes.

    The rows are differences from the baseline with their verdicts, with lines at 0 and at the
    margin. A mark is open if the verdict is unclear. For a single model, the rows are values, with
    a tick at the value of a random ranking.
    """
    import matplotlib.pyplot as plt

    baseline, margin = result.baseline, result.margin
    rows, labels, against = [], [], str(baseline)
    for row, label in _label_rows(list(getattr(result, "rows", [result])), baseline):
        if baseline is None or row.model != baseline:
            rows.append(row)
            labels.append("\n".join(wrap(label, _MAX_LABEL)))
        elif hasattr(row, "params"):
            against = label
    if ax is None:
        n_lines = sum(label.count("\n") + 1 for label in labels)
        height = 1.4 + 0.16 * len(rows) + 0.18 * n_lines
        _, ax = plt.subplots(figsize=(7, height), layout="constrained")
    models = list(dict.fromkeys(row.model for row in rows))
    beside = ax.get_yaxis_transform()  # x as a fraction of the axes
    for place, row in enumerate(rows):
        color = "C0"
        if len(models) < len(rows):  # each in several segments, or by several metrics
            color = f"C{models.index(row.model) % 10}"
        filling = color
        middle, low, high = row.value, row.low, row.high
        if baseline is not None:
            middle = row.difference
            low = getattr(row, "difference_low", low)
            high = getattr(row, "difference_high", high)
            ax.text(1.02, place, row.verdict, transform=beside, va="center")
            if margin is not None:
                ax.hlines(place, row.margin_low, row.margin_high, color, linewidth=0.6)
            if row.verdict == "unclear":
                filling = ax.get_facecolor()
        elif not np.isnan(row.chance):
            ax.plot(row.chance, place, "|", color=_GRAY, markersize=10)
        ax.hlines(place, low, high, color)
        ax.plot(middle, place, "o", color=color, markerfacecolor=filling)
    if baseline is not None:
        ax.axvline(0, color=_GRAY, linestyle="--", linewidth=0.8, zorder=0)
        for place in () if margin is None else (-margin, margin):
            ax.axvline(place, color=_GRAY, linestyle="dotted", zorder=0)
    ax.set_xlabel(_describe_intervals(result, rows, against if baseline is not None else None))
    ax.set_yticks(range(len(rows)), labels)
    ax.set_ylim(len(rows) - 0.5, -0.5)  # the first row at the top
    ax.locator_params(axis="x", nbins=6)
    return ax


def _label_rows(rows: Sequence[Any], baseline: Any) -> list[tuple[Any, str]]:
    """Name each row by what varies: its metric, segment and model, or parameters of a candidate."""
    named: list[dict[str, str]] = []
    for row in rows:
        segment = getattr(row, "segment", None)
        parts = {"metric": getattr(row, "metric", "")}
        parts["segment"] = "all data" if segment is None else str(segment)
        if hasattr(row, "params"):
            for parameter, value in row.params.items():
                parts[parameter] = f"{parameter.rpartition('__')[2]}={value}"
        else:
            parts["model"] = str(row.model)
        named.append(parts)
    names = list(dict.fromkeys(name for parts in named for name in parts))
    # Against a baseline, a single other model needs no name.
    others = [parts for parts in named if parts.get("model", "") != str(baseline)]
    varied = [name for name in names if len({parts.get(name) for parts in others}) > 1]
    shown = varied or names[-1:]
    labels = [", ".join(parts[name] for name in shown if name in parts) for parts in named]
    return list(zip(rows, labels, strict=True))


def _describe_intervals(result: Any, rows: Sequence[Any], against: str | None) -> str:
    """Say what the intervals are of, and how many of them they are adjusted for."""
    metrics = {getattr(row, "metric", None) or getattr(result, "metric", "") for row in rows}
    others = {str(row.model) for row in rows if not hasattr(row, "params")} if against else set()
    what = "Value" if against is None else f"Difference from {against}"
    if len(metrics) == 1:
        what = f"{what[0].lower()}{what[1:]}"
    if len(others) == 1:
        what = f"{others.pop()} minus {against}"
    if len(metrics) == 1:
        what = f"{metrics.pop()}: {what}"
    intervals = [f"{100 * result.confidence_level:g}% interval"]
    n_compared = getattr(result, "family", getattr(result, "n_compared", 1))
    n_segments = getattr(result, "n_segments", 0)
    if n_compared > 1:
        intervals.append(f"adjusted for {n_compared} comparisons")
    if n_segments > 1:
        intervals.append(f"in segments adjusted for {n_segments * n_compared}")
    if len(rows) > 1 and len(intervals) == 1:
        intervals.append("not adjusted")
    lines = [*wrap(what, 60), ", ".join(intervals)]
    if against is None:
        lines.append("Gray ticks: a random ranking")
    elif result.margin is not None:
        lines.append(f"Dotted lines: the margin, {result.margin:g}")
        lines.append("Thin ends, for verdicts about it: rare cases may be missing from the sample")
    return "\n".join(lines)
