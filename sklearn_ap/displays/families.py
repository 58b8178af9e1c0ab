"""Curves that belong together: their means, their confidence bands, and their legend entries."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np

from .._names import written
from .._results import ends
from .._validation.rankings import Sample
from .._validation.samples import apply_n_positives
from .._variation import Question, resamples_of_curve, varied
from ..core.intervals import ROUNDING, Spread, limits
from ..core.operating_points import OperatingPoints
from ..core.rankings import Rankings, mean
from ..core.rules import AreaRule, Step
from ..core.segments import Array
from ..core.variation import heights, hits

Line = tuple[Array, Array]  # x and y

SPOTS = np.linspace(0, 1, 101)[1:]  # positions at which the band is computed
_MOST_POINTS = 500  # of more positives, neighbors are merged, which makes no visible difference
_SEED = 0  # so that a picture is the same each time


@dataclass(frozen=True, eq=False, kw_only=True)
class Curve:
    """A curve as it is drawn.

    Parameters
    ----------
    label : str
        The definition, as the legend shows it.
    value : float
        The value, which the legend shows.
    line, points, edge : pair of ndarray
        The line, its operating points, and the upper edge of the area, over which means are taken.
        Without positives, there may be no edge.
    beyond : float, default=0.0
        The height to the right of the edge. If None, it is the last height.
    has_levels : bool, default=False
        Whether the line consists of marks at recall levels.
    group : object, default=None
        The group that was ranked.
    model : object, default=None
        The name of the model, if there are several.
    """

    label: str
    value: float
    line: Line
    points: Line
    edge: Line
    beyond: float | None = 0.0
    has_levels: bool = False
    group: Any = None
    model: Any = None

    def height(self, x: Array) -> Array:
        """Return the height of the edge; without an edge, it is the value."""
        if not self.edge[0].size:
            return np.full(x.size, self.value)
        return np.interp(x, *self.edge, right=self.beyond)

    def height_in_band(self, x: Array) -> Array:
        return self.height(x)


Family = Sequence[Curve]  # curves that share a legend entry, such as those of one model on folds


@dataclass(frozen=True, eq=False)
class Band:
    """Confidence band around the curve of a definition, and the interval of its value.

    Parameters
    ----------
    label : str
        The definition, as the legend shows it.
    confidence_level : float
        The proportion of such intervals that should contain the true value.
    interval : tuple of float
        The ends of the interval of the value.
    x, low, high : ndarray
        Positions on the x axis, and the ends of the interval of the curve there.
    fraction_of : str, default=None
        What the y axis of a hit curve shows.
    """

    label: str
    confidence_level: float
    interval: tuple[float, float]
    x: Array
    low: Array
    high: Array
    fraction_of: str | None = None


# --- families and their means ---------------------------------------------------------------------


def families_of(curves: Sequence[Any], *same: str) -> list[list[Any]]:
    """Gather the curves that are the same in these attributes, which by default are folds."""
    families: dict[Any, list[Any]] = {}
    for curve in curves:
        key = attrgetter(*same or ("label", "group", "model"))(curve)
        families.setdefault(key, []).append(curve)
    return list(families.values())


def families_to_draw(curves: Family) -> tuple[list[list[Any]], bool]:
    """Return the families that have a legend entry, and whether these are groups.

    With groups, several models or definitions have only their means drawn.
    """
    kinds = families_of(curves, "label", "model")
    apart = curves[0].group is not None and len(kinds) == 1
    return families_of(curves) if apart else kinds, apart


def defined(family: Sequence[Any]) -> list[Any]:
    """Return the curves whose value is not nan, which are those that count in means."""
    return [curve for curve in family if not np.isnan(curve.value)]


def mean_line(curves: Family, spots: Array | None) -> Line | None:
    """Return the mean over groups of the mean over folds, at recall levels without spots.

    It is None if no curve is defined.
    """
    x = curves[0].line[0] if spots is None else spots
    means = [
        sum(curve.line[1] if spots is None else curve.height(x) for curve in known) / len(known)
        for family in families_of(curves)
        if (known := defined(family))
    ]
    return (x, np.asarray(sum(means) / len(means))) if means else None


# --- legend entries, with as many digits as they need ---------------------------------------------


def short(share: float) -> str:
    """Format a fraction with two decimals, or with two significant digits if it is small."""
    if share >= 0.1 or not share:
        return f"{share:.2f}"
    return np.format_float_positional(share, precision=2, fractional=False, trim="-")


def entry_and_mean(
    family: Family, band: Band | None, spots: Array, groups: str, name: str | None
) -> tuple[str, Line | None]:
    """Return the legend entry of one curve, or of several curves with their mean."""
    first = family[0]
    mean = mean_line(family, None if first.has_levels else spots)
    if first.group is not None:
        return mean_entry(family, band, groups, name), mean
    entry = f"{first.label} = {_mean_value(family):.3f}"
    if len(family) > 1:
        entry += f" +/- {np.std([curve.value for curve in defined(family)] or [np.nan]):.3f}"
    entry = _named(entry + _interval_entry(band), first, name)
    return entry, mean if len(family) > 1 else None


def group_entry(family: Family) -> str:
    return _kept(f"{family[0].group}: {_mean_value(family):.3f}")


def mean_entry(curves: Family, band: Band | None, groups: str, name: str | None) -> str:
    """Return the legend entry of the mean over groups, with its interval if there is a band."""
    values = [_mean_value(known) for each in families_of(curves) if (known := defined(each))]
    entry = f"{curves[0].label.replace('AP', 'MAP', 1)} = {mean(np.array(values)):.3f}"
    entry += _interval_entry(band)
    groups = groups.replace("groups", "group", 1) if len(values) == 1 else groups
    is_named = name is not None or curves[0].model is not None
    count = f"{len(values)} {groups}"
    return _named(f"{entry}, {count}" if is_named else f"{entry} ({count})", curves[0], name)


def _mean_value(family: Family) -> float:
    """Return the mean of the values of a family, without undefined ones."""
    return mean(np.array([curve.value for curve in family]))


def _interval_entry(band: Band | None) -> str:
    if band is None:
        return ""
    return f", {100 * band.confidence_level:g}% {ends(*band.interval)}"


def _named(entry: str, curve: Curve, name: str | None) -> str:
    """Add the name of the model to a legend entry, if it has one."""
    name = name if curve.model is None else str(curve.model)
    return entry if name is None else _kept(f"{name} ({entry})")


def _kept(entry: str) -> str:
    """Indent an entry that begins with an underscore, as legends ignore such labels."""
    return f" {entry}" if entry.startswith("_") else entry


# --- bands ----------------------------------------------------------------------------------------


def spots_of_hits(n_samples: int) -> Array:
    """Return positions that are dense enough on a linear axis and on a logarithmic one."""
    return np.union1d(SPOTS, np.geomspace(1 / n_samples, 1, SPOTS.size))


def band_of(rule: AreaRule, sample: Sample, level: float) -> Band:
    """Compute the band of a definition, with samples or clusters as the sampling units."""
    found, rankings = _spread(rule, sample), sample.rankings
    area = rule.area(apply_n_positives(rankings.points(rule.depth), rankings))
    end = float(area.width.sum() / area.whole.item())
    x = np.linspace(0, end, SPOTS.size + 1)[1:]
    drawn = _resamples(rule, sample, lambda points: heights(rule.area(points), x))
    # The end is 0 if no positive is in the top k.
    trials = np.maximum(np.floor(found.trials * x / (end or 1.0)), 1.0)
    curve = heights(area, x)[0]
    low, high = _middle(curve, drawn, trials, level)
    return Band(written(rule, "short"), level, found.limits(level), x, low, high)


def bands_of_hits(sample: Sample, level: float) -> list[Band]:
    """Compute the band of a hit curve for each value of `fraction_of`."""
    found, rankings = _spread(Step(), sample), sample.rankings
    points = rankings.points(None)
    size, n_found = points.n_samples.item(), points.n_positives.item()
    points = apply_n_positives(points, rankings)
    positives = points.n_positives.item()
    x = spots_of_hits(rankings.scores.size)

    def shares(points: OperatingPoints) -> Array:
        """Return precision and recall where these fractions of the samples are detected."""
        caught, exist = hits(points, x), points.n_positives[:, np.newaxis]
        with np.errstate(invalid="ignore"):  # nan in a resample without positives
            return np.hstack([caught / (x * points.n_samples[:, np.newaxis]), caught / exist])

    precision, recall = np.split(shares(points)[0], 2)
    drawn_p, drawn_r = np.split(_resamples(Step(), sample, shares), 2, axis=1)
    trials = np.maximum(np.floor(_effective(sample) * x), 1.0)
    low, high = _middle(precision, drawn_p, trials, level)
    # You can't find more than you detect, and the first samples may all be hits by chance.
    low_r, high_r = _middle(recall, drawn_r, np.broadcast_to(found.trials, x.shape), level)
    if n_found and low[-1]:
        high_r = np.minimum(high_r, x / low[-1] * (n_found / positives))
    low_r = np.where(precision > 1 - ROUNDING, np.minimum(low_r, low * x * size / positives), low_r)
    if rankings.n_positives is None:
        low_r[-1] = 1.0  # if everything is detected, everything is found
    interval = found.limits(level)
    return [
        Band(written(Step(), "short"), level, interval, x, *_rising(low * x, high * x), "samples"),
        Band(written(Step(), "short"), level, interval, x, *_rising(low_r, high_r), "positives"),
    ]


def band_over(
    curves: Family,
    x: Array,
    level: float,
    rule: AreaRule,
    sample: Sample | None,
    fraction_of: str | None = None,
) -> Band:
    """Compute the band around the mean curve, with the folds or groups as the sampling units.

    A group on several folds counts with its mean. The interval of a sample with groups is that of
    `confidence_interval`.
    """
    words = "folds" if curves[0].group is None else "groups"
    units = [[curve] for curve in curves] if words == "folds" else families_of(curves)
    known = [found for unit in units if (found := defined(unit))]
    if len(known) < 2:
        raise ValueError(
            f"confidence_level needs at least two {words}, because the {words} are the sampling "
            "units."
        )
    values = np.array([np.mean([curve.value for curve in unit]) for unit in known])
    y = np.stack([sum(curve.height_in_band(x) for curve in unit) / len(unit) for unit in known])
    band = band_over_units(curves[0].label, values, x, y, level, fraction_of)
    if sample is None:
        return band
    return replace(band, interval=_spread(rule, sample).limits(level))


def band_over_units(
    label: str, values: Array, x: Array, curves: Array, level: float, fraction_of: str | None = None
) -> Band:
    """Compute the band around the mean over units.

    The units have one value each, and one row of `curves`, which are the heights at `x`.
    """
    n_units = np.array([len(values)])
    each = np.column_stack([values, curves])
    errors = each.std(axis=0, ddof=1) / np.sqrt(len(values))
    is_constant = np.ptp(each, axis=0) <= ROUNDING
    errors[is_constant] = 0
    low, high = limits(each.mean(axis=0), errors, n_units, n_units - 1.0, level, is_constant)
    ends = low[1:], high[1:]
    if fraction_of is not None:
        has_all = fraction_of == "positives" and bool(np.all(curves[:, -1] == 1))
        ends = _rising_over_units(curves.mean(axis=0), *ends, has_all)
    return Band(label, level, (low[0], high[0]), x, *ends, fraction_of)


def _rising_over_units(mean: Array, low: Array, high: Array, has_all: bool) -> tuple[Array, Array]:
    """Make both ends nondecreasing, as a hit curve is.

    Where no unit has found anything yet, or each has found everything, an interval follows only
    from their number. The curve is not higher there than just after, or not lower than just before.
    """
    between = np.flatnonzero((mean > 0) & (mean < 1 - ROUNDING))
    if between.size:
        first, last = between[[0, -1]]
        high[:first] = np.minimum(high[:first], high[first])
        low[last:] = np.maximum(low[last:], low[last])
    if has_all:
        low[-1] = 1.0  # if everything is detected, everything is found
    return _rising(low, high)


def _rising(low: Array, high: Array) -> tuple[Array, Array]:
    """Widen a band where its ends decrease.

    An interval must not be cut to what holds at another position: after nothing but hits, the lower
    end depends on chance, but where all samples are detected, it depends on the fraction of
    positives, which may be lower.
    """
    return np.minimum.accumulate(low[::-1])[::-1], np.maximum.accumulate(high)


def _middle(curve: Array, drawn: Array, trials: Array, level: float) -> tuple[Array, Array]:
    """Compute the interval at each position from resamples, which bend where positives run out."""
    errors = np.asarray(np.nanstd(drawn, axis=0, ddof=1))
    return limits(curve, errors, trials, np.maximum(trials[-1:] - 1, 1), level, drawn=drawn)


def _spread(rule: AreaRule, sample: Sample) -> Spread:
    """Estimate how much the value varies."""
    question = Question(rule, "auto", None, _SEED).resolved(sample.by_query)
    return varied(question, sample).spread


def _resamples(rule: AreaRule, sample: Sample, curve: Callable[[OperatingPoints], Array]) -> Array:
    question = Question(rule, "bootstrap", None, _SEED)
    return resamples_of_curve(question, replace(sample, rankings=_joined(sample.rankings)), curve)


def _effective(sample: Sample) -> float:
    """Return the effective sample size: as many unweighted samples would be as informative."""
    weight = sample.rankings.weight
    if sample.clusters is not None:
        return float(sample.clusters.size)
    if weight is None:
        return float(sample.rankings.scores.size)
    return float((weight / weight.max()).sum() ** 2 / ((weight / weight.max()) ** 2).sum())


def _joined(rankings: Rankings) -> Rankings:
    """Merge neighboring scores of a ranking that has many positives.

    Scores at the top stay distinct, because a logarithmic axis shows them one by one.
    """
    found = np.sort(rankings.scores[rankings.labels])
    if found.size <= _MOST_POINTS:
        return rankings
    even = np.linspace(0, found.size - 1, _MOST_POINTS)
    at_the_top = found.size - np.geomspace(1, found.size, _MOST_POINTS // 5)
    edges = found[np.union1d(even, at_the_top).astype(np.int64)]
    return replace(rankings, scores=np.searchsorted(edges, rankings.scores, side="right"))
