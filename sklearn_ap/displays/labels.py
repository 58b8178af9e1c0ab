"""Texts in the pictures: axis labels and legend entries, with as many digits as they need."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._table import ends
from .._validation.grades import AtLeast
from .bands import Band
from .geometry import DrawnCurve


def short(share: float) -> str:
    """Format a share with two decimals, or with two significant digits if it is small."""
    if share >= 0.1 or not share:
        return f"{share:.2f}"
    return np.format_float_positional(share, precision=2, fractional=False, trim="-")


def curve_entry(group: Sequence[DrawnCurve], band: Band | None, name: str | None) -> str | None:
    """Return the legend entry of one curve, or of the curves of several folds."""
    values = [curve.average_precision for curve in group]
    if group[0].group is not None:
        return group_entry(group[0].group, values[0])
    entry = f"{group[0].label} = {np.mean(values):.3f}"
    if len(values) > 1:
        entry += f" +/- {np.std(values):.3f}"
    return named(entry + interval_entry(band), name)


def group_entry(group: Any, value: float | None) -> str:
    return _kept(str(group) if value is None else f"{group}: {value:.3f}")


def interval_entry(band: Band | None) -> str:
    if band is None:
        return ""
    return f", {100 * band.confidence_level:g}% {ends(*band.interval)}"


def mean_entry(label: str, values: Sequence[float], groups: str, name: str | None) -> str | None:
    """Return the legend entry of the mean over groups."""
    entry = f"{label.replace('AP', 'MAP', 1)} = {np.mean(values):.3f}"
    groups = groups.replace("groups", "group", 1) if len(values) == 1 else groups
    count = f"{len(values)} {groups}"
    return f"{entry} ({count})" if name is None else named(f"{entry}, {count}", name)


def named(entry: str | None, name: str | None) -> str | None:
    """Return the legend entry of a model, if it has a name or an entry."""
    if name is None:
        return entry
    return _kept(name if entry is None else f"{name} ({entry})")


def _kept(entry: str) -> str:
    """Indent an entry that begins with an underscore, as legends ignore such labels."""
    return f" {entry}" if entry.startswith("_") else entry


def mark_entry(point: Any) -> str:
    """Return the legend entry of an operating point that was chosen."""
    shares = f"precision {short(point.precision)}, recall {short(point.recall)}"
    return f"threshold {point.shown}: {shares}"


def chance_entry(prevalence: float) -> str:
    return f"Chance level (precision = {short(prevalence)})"


def shares(curves: Sequence[DrawnCurve]) -> str:
    """Return the label of the x axis, which names the definitions if they differ."""
    shares = list(dict.fromkeys(curve.share for curve in curves))
    if len(shares) == 1:
        return shares[0]
    labels = {curve.share: curve.label for curve in curves}
    others = "; ".join(f"{labels[share]}: {share.lower()}" for share in shares[1:])
    return f"{shares[0]} ({others})"


def positive_label(pos_label: Any) -> str:
    if isinstance(pos_label, AtLeast):
        return f" (Positive label: {pos_label.grade} or higher)"
    return "" if pos_label is None else f" (Positive label: {pos_label})"


def joined(names: str, name: str) -> str:
    """Add a name below those that the axis already has, each only once."""
    return "\n".join(dict.fromkeys([*names.splitlines(), name]))
