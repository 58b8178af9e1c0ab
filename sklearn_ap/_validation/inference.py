"""What an interval or a comparison needs: a method that fits, two units, and positives."""

from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np
from sklearn.utils import check_random_state

from .._arrays import to_host
from ..core.rankings import Names, Rankings
from ..core.rules import AreaRule, Rule
from ..core.segments import Array
from .samples import check_group_column, name_groups


def check_one_number(caller: str, average: Any) -> None:
    if average is None:
        raise ValueError(
            f"{caller} needs one number, but average=None gives several. Choose another average, "
            "or pass one class or group at a time."
        )


def check_smooth(rule: Rule) -> AreaRule:
    """A rule whose influence has a closed form."""
    if not is_smooth(rule):
        raise ValueError(
            f"{rule.label} has no influence in closed form: it is not smooth in the weights of the "
            "samples. Use method='bootstrap', which works for every definition."
        )
    return rule


def is_smooth(rule: Rule) -> TypeGuard[AreaRule]:
    """Whether influences on it have a closed form."""
    return isinstance(rule, AreaRule) and rule.has_influence


def check_method(method: str, rule: Rule, by_query: bool, comparing: bool = False) -> str:
    """The method that is meant; "auto" takes the closed form where there is one."""
    if method == "randomization":
        if not comparing:
            raise ValueError("method='randomization' compares two models. Only compare can use it.")
        if not by_query:
            raise ValueError(
                "method='randomization' swaps the models in random groups: pass groups=, or "
                "average='samples', where each row is a query."
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
    """A seed for NumPy's generators, out of what scikit-learn takes for one."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def check_same_samples(y_score_a: Any, y_score_b: Any) -> None:
    one, other = np.shape(to_host(y_score_a)), np.shape(to_host(y_score_b))
    if one != other:
        raise ValueError(
            "y_score_a and y_score_b must be scores of the same samples, in the same order. "
            f"Their shapes are {one} and {other}."
        )


def check_clusters(clusters: Any, n_samples: int, groups: Any, average: Any) -> Array:
    """The number of each sample's cluster."""
    if groups is not None:
        raise ValueError(
            "Pass groups or clusters, not both: with groups the groups are the units, and with "
            "clusters the clusters are."
        )
    if average == "samples":
        raise ValueError(
            "With average='samples' the rows are the units, so clusters are not possible."
        )
    column = check_group_column(clusters, n_samples, "clusters")
    return name_groups(column, "clusters")[1]


def find_existing(sample_weight: Any, rankings: Rankings) -> Array:
    """Whether each sample that was passed exists: those of weight 0 do not."""
    if sample_weight is None:
        return np.ones(len(rankings.labels), dtype=bool)
    return np.asarray(np.asarray(to_host(sample_weight)).ravel() != 0)


def check_units(n_units: int, kind: str) -> None:
    if n_units < 2:
        raise ValueError(
            f"At least two {kind} are needed to tell how much a number varies, but there is "
            f"{n_units}."
        )


def check_positives(n_positives: Array, names: Names | None) -> None:
    if not n_positives.all():
        name = "" if names is None or len(names) != 1 else f" ({names[0]})"
        raise ValueError(
            f"No positive class found in y_true{name}: the score is 0/0, and it is not known how "
            "it varies."
        )


def check_columns(rankings: Rankings, may_lack: bool) -> Rankings:
    """The columns that have positives; all of them must have some unless they may lack them."""
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
            f"({which}): their score is 0/0, and it is not known how it varies. "
            "zero_division=nan leaves them out of the mean."
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
    """That a stream kept what an interval needs."""
    if weighted:
        raise ValueError(
            "A stream keeps sums of weights, but an interval needs sums of their squares too. Use "
            "sklearn_ap.inference on arrays, or a stream without sample_weight."
        )


def check_resampled(values: Array) -> Array:
    """The values of resamples, at least two of which have positives."""
    if (~np.isnan(values)).sum(axis=0).min() < 2:
        raise ValueError("Fewer than two resamples have positives. Use a larger n_resamples.")
    return values
