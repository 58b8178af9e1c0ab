"""Validation for intervals and comparisons: methods, sampling units, and positives."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from typing import Any, TypeGuard

import numpy as np
from sklearn.utils import check_random_state

from .._arrays import to_host
from ..core.rankings import Names, Rankings
from ..core.rules import AreaRule, Rule
from ..core.segments import Array
from ..core.units import Absent, Clusters
from .errors import about
from .parameters import is_mapping
from .samples import (
    check_counts,
    check_group_column,
    check_groups,
    if_other_type,
    in_types_of,
    name_groups,
)


def check_one_number(caller: str, average: Any) -> None:
    if average is None:
        raise ValueError(
            f"{caller} needs a single value, but average=None gives several. Choose another "
            "average, or pass one class or group at a time."
        )


def check_smooth(rule: Rule) -> AreaRule:
    """Check that a rule has influences in closed form."""
    if not is_smooth(rule):
        raise ValueError(
            f"{rule.label} has no influence in closed form, because it is not smooth in the "
            "weights of the samples. Use method='bootstrap', which works for every definition."
        )
    return rule


def is_smooth(rule: Rule) -> TypeGuard[AreaRule]:
    """Whether a rule has influences in closed form."""
    return isinstance(rule, AreaRule) and rule.has_influence


def check_method(method: str, rule: Rule, by_query: bool, comparing: bool = False) -> str:
    """Resolve the method. "auto" uses the closed form if there is one."""
    if not by_query and not rule.takes_weights:
        raise ValueError(
            f"{rule.label} looks for one sample of a ranking, so a single ranking doesn't tell how "
            "much it varies. Pass groups= without clusters=, or average='samples' if each row is a "
            "query."
        )
    if method == "randomization":
        if not comparing:
            raise ValueError(
                "method='randomization' compares two models, so only compare can use it."
            )
        if not by_query:
            raise ValueError(
                "method='randomization' swaps the models in random groups. Pass groups=, or "
                "average='samples' if each row is a query."
            )
        return method
    if by_query:
        return "influence" if method == "auto" else method
    if method == "influence":
        check_smooth(rule)
    if method == "auto":
        return "influence" if is_smooth(rule) else "bootstrap"
    return method


def check_generator(random_state: Any) -> int:
    """Convert what scikit-learn accepts as random_state to a seed for NumPy's generators."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


@about("y_score_a", "y_score_b")
def check_same_samples(y_score_a: Any, y_score_b: Any) -> None:
    one, other = np.shape(to_host(y_score_a)), np.shape(to_host(y_score_b))
    if one != other:
        raise ValueError(
            "y_score_a and y_score_b must be prediction scores of the same samples, in the same "
            f"order. Their shapes are {one} and {other}."
        )


@about("y_true")
def check_order(y_true: Any, y_score_b: Any) -> None:
    """Check that the labels come first if three columns are passed."""
    labels, scores = np.asarray(to_host(y_true)), np.asarray(to_host(y_score_b))
    if labels.dtype.kind == "f" and labels.ndim == 1 and labels.size == scores.size:
        is_continuous = bool((labels % 1 != 0).any())
        if is_continuous and (scores.dtype.kind in "bOUS" or np.unique(scores).size <= 2):
            raise ValueError(
                "y_true contains continuous values, and y_score_b looks like labels. Pass the "
                "labels first, as compare(y_true, y_score_a, y_score_b)."
            )


def name_units(column: Any, role: str, data: Any) -> str:
    """Name groups or clusters for results, with the name of their column if it has one."""
    own = (data or {}).get(role) or getattr(column, "name", None)
    return f"{role} ({own})" if isinstance(own, str) and own else role


# From a group and a cluster to the number of positives that exist there.
Pairs = dict[tuple[Any, Any], float]


def split_n_positives(n_positives: Any, groups: Any, clusters: Any) -> tuple[Any, Pairs | None]:
    """Split n_positives into totals, or counts of groups, and counts of clusters if it has them.

    Without groups, the keys are clusters. With groups, they are groups, or pairs of a group and a
    cluster.
    """
    if clusters is None or not is_mapping(n_positives):
        return n_positives, None
    counts = dict(n_positives.items())
    check_counts(list(counts.values()), list(counts), weighted=True)
    if groups is None:
        pairs: Pairs = {(None, cluster): number for cluster, number in counts.items()}
        return sum(counts.values()), pairs
    names = check_groups(to_host(groups))
    by_pair = all(isinstance(key, tuple) and len(key) == 2 for key in counts)
    if not by_pair or (names.size and isinstance(names[0], tuple)):
        return n_positives, None
    _check_order(list(counts), names)
    totals: dict[Any, float] = {}
    for (group, _), number in counts.items():
        totals[group] = totals.get(group, 0) + number
    return totals, counts


def _check_order(pairs: Sequence[tuple[Any, Any]], groups: Array) -> None:
    """Check that pairs are not those of a cluster and a group."""
    known = set(name_groups(groups)[0])
    if known.isdisjoint(first for first, _ in pairs) and not known.isdisjoint(
        second for _, second in pairs
    ):
        raise ValueError(
            f"The keys of n_positives must be pairs (group, cluster), but {pairs[0]!r} seems to be "
            "a pair (cluster, group). Swap them, as {(g, c): n for (c, g), n in "
            "n_positives.items()}."
        )


@about("clusters")
def check_clusters(
    clusters: Any, rankings: Rankings, sample_weight: Any, pairs: Pairs | None
) -> tuple[Clusters, Names]:
    """Check clusters. Return those of samples and of missed positives, and their sorted names."""
    if rankings.average == "samples":
        raise ValueError(
            "With average='samples', the rows are the sampling units, so clusters are not "
            "available."
        )
    exists = find_existing(sample_weight, rankings)
    column = check_group_column(clusters, exists.size, "clusters")
    names, of = name_groups(column[exists], "clusters")
    if pairs is None:
        return Clusters(of, len(names)), names
    keys = in_types_of(names, [cluster for _, cluster in pairs])
    names, number = name_groups(check_groups([*names, *keys], "clusters"), "clusters")
    present, keyed = np.split(number, [len(number) - len(keys)])
    of = present[of]
    return Clusters(of, len(names), _check_absent(pairs, keyed, of, rankings, names)), names


def _check_absent(
    pairs: Pairs, cluster: Array, of: Array, rankings: Rankings, names: Names
) -> Absent:
    groups = ["all samples"] if rankings.group is None else list(rankings.names or [])
    place = {name: number for number, name in enumerate(groups)}
    keys = in_types_of(groups, [group for group, _ in pairs])
    query = np.array([place.get(group, 0) for group in keys], dtype=np.int64)
    group = np.zeros(of.size, dtype=np.int64) if rankings.group is None else rankings.group
    mass = rankings.labels if rankings.weight is None else rankings.labels * rankings.weight
    found = np.bincount(group * len(names) + of, mass, len(groups) * len(names))
    at = query * len(names) + cluster
    unnamed = np.setdiff1d(np.flatnonzero(found), at)
    if unnamed.size:
        one, other = divmod(int(unnamed[0]), len(names))
        key = names[other] if rankings.group is None else (groups[one], names[other])
        raise ValueError(
            f"n_positives has no number for {key!r}, where y_true contains positives. It needs one "
            "for each cluster that has any."
            f"{if_other_type(names[other], [each for _, each in pairs], 'cluster')}"
        )
    number = np.array(list(pairs.values()), dtype=float) - found[at]
    slack = 1e-9 * found[at] if rankings.weight is not None else 0.0
    if (number < -slack).any():
        worst = int(np.argmin(number))
        key = list(pairs)[worst][1] if rankings.group is None else list(pairs)[worst]
        raise ValueError(
            f"n_positives for {key!r} is too small: it counts all positives, found or not, and "
            f"y_true already contains {found[at][worst]:g}."
        )
    return Absent(query, cluster, np.maximum(number, 0.0))


def check_same_units(one: Names, other: Names, kind: str) -> None:
    """Check that two models were measured on the same sampling units, even if their rows differ."""
    if kind == "rows" and np.array_equal(one, other):
        return
    first, second = list(one), list(other)
    if kind == "rows":
        raise ValueError(
            f"The intervals were computed from different rows, {len(first)} and {len(second)}. If "
            "both models share queries, images or other sampling units, pass these as groups= or "
            "clusters=."
        )
    if first == second:
        return
    thing, known, theirs = kind.removesuffix("s"), set(first), set(second)
    only = [name for name in first if name not in theirs]
    where, lacking = ("first", "second") if only else ("second", "first")
    only = only or [name for name in second if name not in known]
    raise ValueError(
        f"The {thing} {only[0]!r} is only in the {where} interval, but both need every {thing}. If "
        f"the {lacking} model found nothing there, add the {thing} to the n_positives of its "
        f"interval{', with 0 if it has no positives' if kind == 'clusters' else ''}."
    )


def check_only_intervals(others: Any, besides: Any) -> None:
    """Check that nothing is passed with two intervals that these already contain."""
    if others or besides:
        what = ", ".join(besides) or f"{len(others)} more arguments"
        raise TypeError(
            "With two intervals, compare only accepts confidence_level and method, by name, but "
            f"got {what}. Pass everything else to confidence_interval."
        )


def check_comparable(a: Any, b: Any) -> None:
    """Check that two intervals can be compared."""
    if type(b) is not type(a):
        raise TypeError(
            "compare needs two intervals, or labels and prediction scores. Got an Interval and "
            f"{type(b).__name__} instead."
        )
    for what in ("metric", "kind"):
        one, other = getattr(a, what), getattr(b, what)
        if one != other:
            raise ValueError(
                f"The intervals differ in their {what}: {one} and {other}. Compute both with the "
                "same."
            )
    if a.sample is None or b.sample is None:
        raise ValueError(
            "An interval of a stream has no single sampling units. Pass labels and prediction "
            "scores to confidence_interval instead."
        )


def check_has_units(interval: Any) -> tuple[Any, Any]:
    """Check that the sampling units of an interval have contributions, and return their source."""
    if interval.sample is None or (interval.method == "bootstrap" and interval.kind != "groups"):
        raise ValueError(
            "This interval comes from resamples or from a stream, so there are no contributions of "
            "single sampling units. Use method='influence' on arrays."
        )
    return interval.sample, interval.question


def _undefined(zero_division: Any) -> str:
    """Write the value without positives as a str, so that nan equals nan."""
    return "0.0" if zero_division == "warn" else str(float(zero_division))


def check_same_question(one: Any, other: Any) -> None:
    """Check that two intervals have the same options, including those that titles don't show."""
    for what, first, second in (
        ("options of the metric", one.rule, other.rule),
        ("zero_division", *(_undefined(each.zero_division) for each in (one, other))),
    ):
        if first != second:
            raise ValueError(
                f"The intervals differ in their {what}: {first} and {second}. Compute both with "
                "the same."
            )


def check_same_weight(each: Array | None) -> Array:
    """Check that groups have the same weight for both models, so that these can be swapped."""
    if each is None:
        raise ValueError(
            "method='randomization' swaps the models in random groups, but with "
            "average='weighted', the groups have different weights in the two intervals. Use "
            "method='influence' or method='bootstrap'."
        )
    return each


def check_same_averaged(one: Names, other: Names, by_group: bool) -> None:
    """Check that two models are averaged over the same groups or classes."""
    if by_group:
        check_same_units(one, other, "groups")
    elif list(one) != list(other):
        raise ValueError(
            f"The intervals average different classes: {list(one)} and {list(other)}. Compute both "
            "over the same classes, because only these means can be compared."
        )


def check_same_labels(kind: str, same_rows: bool) -> None:
    """Check that rows that are paired by their position are the same."""
    if kind == "rows" and not same_rows:
        raise ValueError(
            "The intervals were computed from different y_true, although rows are paired by their "
            "position. If the models share queries, images or other sampling units, pass these as "
            "groups= or clusters=."
        )


def check_same_missing(one: Array, other: Array, same_rows: bool) -> None:
    """Check that both models missed the same positives, if any."""
    if not (same_rows and np.allclose(one, other, rtol=1e-9, atol=1e-9)) and (
        one.any() or other.any()
    ):
        raise ValueError(
            "Both models missed positives, but it isn't known which of them belong together. Pass "
            "n_positives by group and cluster, or by cluster if there are no groups."
        )


def import_pandas(user: str = "to_frame") -> Any:
    try:
        return import_module("pandas")
    except ImportError as error:
        raise ImportError(f"{user} needs pandas: pip install pandas") from error


def check_two_models(models: Any) -> None:
    if len(models) < 2:
        raise ValueError(f"compare needs at least two models. Got {list(models)} instead.")


def check_baseline(models: Any, baseline: Any) -> None:
    if baseline is not None and baseline not in models:
        by_text = {str(model): model for model in models}
        near = get_close_matches(str(baseline), by_text, 1)
        meant = f" Did you mean {by_text[near[0]]!r}?" if near else ""
        raise ValueError(f"baseline={baseline!r} is not one of the models {list(models)}.{meant}")


def check_models(y_score_a: Any, y_score_b: Any, baseline: Any) -> None:
    """Check that models are passed as two columns, or as a mapping from names to columns."""
    is_many = isinstance(y_score_a, Mapping)
    if is_many and y_score_b is not None:
        raise TypeError("With a mapping of models, y_score_b must be left out.")
    if not is_many and y_score_b is None:
        raise TypeError(
            "compare needs the prediction scores of a second model, a mapping from names to "
            "prediction scores, as compare(y_true, {'A': a, 'B': b}), or with data, a list of "
            "columns."
        )
    if not is_many and baseline is not None:
        raise TypeError("baseline needs a mapping of models, as compare(y_true, {'A': a, 'B': b}).")


def find_existing(sample_weight: Any, rankings: Rankings) -> Array:
    """Whether each sample counts, which those of weight 0 don't."""
    if sample_weight is None:
        return np.ones(len(rankings.labels), dtype=bool)
    return np.asarray(np.asarray(to_host(sample_weight)).ravel() != 0)


def check_units(n_units: int, kind: str) -> None:
    if n_units < 2:
        raise ValueError(
            f"At least two {kind} are needed to estimate how much a value varies, but there is "
            f"{n_units}."
        )


@about("y_true")
def check_positives(n_positives: Array, names: Names | None) -> None:
    if not n_positives.all():
        name = "" if names is None or len(names) != 1 else f" ({names[0]})"
        raise ValueError(
            f"No positive class found in y_true{name}, so the value is undefined (0/0) and has no "
            "interval."
        )


@about("y_true")
def check_columns(rankings: Rankings, may_lack: bool) -> Rankings:
    """Keep the columns that have positives. All of them must have some unless they
    may lack them.
    """
    if rankings.average not in ("macro", "weighted"):
        return rankings
    found = rankings.labels.sum(axis=0) if rankings.n_positives is None else rankings.n_positives
    empty = np.flatnonzero(found == 0)
    if not empty.size or empty.size == found.size:
        return rankings
    if not may_lack:
        names = range(found.size) if rankings.names is None else rankings.names
        which = ", ".join(str(names[place]) for place in empty[:5].tolist())
        raise ValueError(
            f"No positive class found in y_true for {empty.size} of {found.size} classes "
            f"({which}), so their value is undefined (0/0) and has no interval. Pass "
            "zero_division=nan to leave them out of the mean."
        )
    kept = np.flatnonzero(found)
    names = range(found.size) if rankings.names is None else rankings.names
    return replace(
        rankings,
        labels=rankings.labels[:, kept],
        scores=rankings.scores[:, kept],
        names=[names[place] for place in kept.tolist()],
        n_positives=None if rankings.n_positives is None else rankings.n_positives[kept],
    )


def check_all_scored(weighted: bool) -> None:
    """Check that a stream has no weights, which intervals cannot be computed with."""
    if weighted:
        raise ValueError(
            "A stream keeps the sums of weights, but an interval also needs the sums of their "
            "squares. Use sklearn_ap.inference on arrays, or a stream without sample_weight."
        )


def check_resampled(values: Array) -> Array:
    """Check that at least two resamples have positives."""
    if (~np.isnan(values)).sum(axis=0).min() < 2:
        raise ValueError("Fewer than two resamples have positives. Use a larger n_resamples.")
    return values
