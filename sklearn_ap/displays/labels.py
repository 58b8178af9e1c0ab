"""Texts in the pictures: axis labels and legend entries, with as many digits as they need."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._results import ends
from .._validation.grades import AtLeast
from ..core.rankings import mean
from .bands import Band
from .families import Family, defined
from .geometry import DrawnCurve


def short(share: float) -> str:
    """Format a share with two decimals, or with two significant digits if it is small."""
    if share >= 0.1 or not share:
        return f"{share:.2f}"
    return np.format_float_positional(share, precision=2, fractional=False, trim="-")


def curve_entry(family: Family, band: Band | None, name: str | None) -> str | None:
    """Return the legend entry of one curve, or of the curves of several folds."""
    first, value = family[0], _mean_of(family)
    if first.group is not None:
        return _kept(str(first.group) if value is None else f"{first.group}: {value:.3f}")
    name = name if first.model is None else str(first.model)
    if value is None:
        return named(None, name)
    entry = f"{first.label} = {value:.3f}"
    if len(family) > 1:
        entry += f" +/- {np.std([curve.value for curve in defined(family)] or [np.nan]):.3f}"
    return named(entry + _interval_entry(band), name)


def _mean_of(family: Family) -> float | None:
    """Return the mean of the values of a family, without undefined ones; None without values."""
    values = [curve.value for curve in family if curve.value is not None]
    return mean(np.array(values)) if values else None


def _interval_entry(band: Band | None) -> str:
    if band is None:
        return ""
    return f", {100 * band.confidence_level:g}% {ends(*band.interval)}"


def mean_entry(families: Sequence[Family], groups: str, name: str | None) -> str | None:
    """Return the legend entry of the mean over groups."""
    values = [_mean_of(family) for family in families if defined(family)]
    if None in values:
        return named(None, name)
    label = families[0][0].label
    entry = f"{label.replace('AP', 'MAP', 1)} = {np.mean(np.array(values)):.3f}"
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
