"""Validation for scorers: names, metrics, and options that can be bound."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from difflib import get_close_matches
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from .._catalogue import MAP, SHORT_NAMES, nearest_name, read_name, write_name
from ..core.segments import Array
from .labels import positive_class
from .parameters import advice_on_name, check_options, refuse_metric, shown

# What belongs to the data, so no scorer can contain it.
NOT_BOUND = ("sample_weight", "groups", "data")

_SHORTEST = 4  # the minimum length of a prefix to suggest names for


class Scored(NamedTuple):
    """The public metric that a name stands for."""

    metric: str  # without `_score`
    options: dict[str, Any]
    grouped: bool


def find_metric(name: Any) -> Scored | None:
    """Look up the public metric that a name stands for; None if there is none."""
    try:
        named = read_name(name)
    except (KeyError, TypeError, AttributeError):
        return None
    return Scored(named.metric, named.options, named.grouped) if named.metric else None


def check_metric(name: Any, user: str, grouped: bool = False) -> Scored:
    """Look up the metric of a scorer. Means over groups are only allowed if it is `grouped`."""
    named = find_metric(name)
    if named is None:
        refuse_metric("metric", f"a {user}", name)
    if named.grouped and not grouped:
        instead = f"make_ap_scorer({write_name(named.metric, named.options)!r})"
        use = "make_map_scorer" if named.metric == MAP else f"{instead}, and request the groups"
        raise ValueError(f"{name!r} needs the groups of the samples. Use {use}.")
    return named


def check_given_once(
    name: Any, in_name: Mapping[str, Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    twice = set(in_name) & set(options)
    if twice:
        where = f"the name {name!r}" if isinstance(name, str) else repr(name)
        raise TypeError(
            f"{', '.join(sorted(twice))} is already given in {where}. Pass it only once."
        )
    return {**in_name, **options}


def check_has_function(name: str, score: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return the function of a metric, if it has one to call."""
    if score is None:
        raise TypeError(
            f"The metric {name!r} can't be called, because it has no function outside of "
            "sklearn_ap.compat. Call trapezoidal_average_precision_score there."
        )
    return score


def check_no_average(options: Mapping[str, Any]) -> None:
    if "average" in options:
        raise TypeError(
            "by_name returns each value, so it takes no average. Call the metric itself to average "
            "values."
        )


def check_bare_scorer(scorer: Any, options: Mapping[str, Any]) -> Callable[..., Any]:
    """Check that this is a scorer, and that it comes without options, which it would not take."""
    if not callable(scorer):
        raise TypeError(f"scoring must be a name or a scorer. Got {scorer!r} instead.")
    if options:
        raise TypeError(
            f"Only scorers of this package accept options, but {', '.join(options)} was passed "
            f"with {scorer!r}."
        )
    plain: Callable[..., Any] = scorer
    return plain


def refuse_name(scoring: str, names: Iterable[str]) -> None:
    names = sorted(set(names))
    near = [name for name in names if name.startswith(scoring) and len(scoring) >= _SHORTEST][:3]
    nearest = nearest_name(scoring)
    near = near or ([nearest] if nearest and nearest != scoring else [])
    names = [name for name in names if _keeps_all(name, scoring)]
    near = near or get_close_matches(scoring, names, cutoff=0.8)  # 'pr_auc' is not 'roc_auc'
    meant = f" Did you mean {' or '.join(map(repr, near))}?" if near else advice_on_name(scoring)
    raise ValueError(
        f"{scoring!r} is not a valid scoring value.{meant} Use a name such as "
        f"{', '.join(map(repr, SHORT_NAMES))}. sklearn_ap.get_scorer_names() lists all names."
    )


def _keeps_all(name: str, scoring: str) -> bool:
    """Whether a name has the digits of a misspelled one, if any, and as many words."""
    digits, given = (re.findall("[0-9%]", each) for each in (name, scoring))
    words, others = (re.findall("[a-z]{2,}", each.lower()) for each in (name, scoring))
    return (digits == given or not given) and len(words) >= len(others)


def check_scored_class(classes: Array, pos_label: Any) -> None:
    """Check that a scorer can combine `classes` with a `pos_label` other than the default."""
    if classes.size > 2:
        raise ValueError(
            f"pos_label={pos_label!r} is for two classes, but there are {classes.size} in classes, "
            "each of which is evaluated, so leave pos_label out. To evaluate one class against the "
            f"rest, make the target binary, as in y == {pos_label!r}, and leave out both."
        )
    if pos_label not in classes.tolist():
        raise ValueError(f"pos_label={pos_label!r} is not one of the classes {classes.tolist()}.")


def columns_of(classes: Array, estimator: Any) -> list[int]:
    """Return the column of each class in the prediction scores of an estimator."""
    known = getattr(estimator, "classes_", None)
    if known is None:
        raise ValueError(
            "A scorer with classes= looks up their columns in the estimator's classes_, but "
            f"{estimator!r} has none. Fit the estimator. If it is fitted, set its classes_ to the "
            "classes in the order of the columns of its prediction scores."
        )
    given, known = classes.tolist(), np.asarray(known).tolist()
    strange = [each for each in given if each not in known]
    if strange:
        raise ValueError(
            f"classes={given} contains {strange}, but the estimator was fitted on the classes "
            f"{known} only, so it has no prediction scores for the others. Pass the classes that "
            "it knows, or fit it on samples of all classes, as in folds of StratifiedKFold."
        )
    missing = [each for each in known if each not in given]
    if missing:
        raise ValueError(
            f"classes={given} lacks {missing}, which the estimator knows: its classes_ are "
            f"{known}. Pass all of its classes, in any order."
        )
    return [known.index(each) for each in given]


def check_one_column(y_true: Any, y_score: Any) -> None:
    """Check that a scorer of two classes gets one column, which scikit-learn selects."""
    if np.ndim(y_score) == 2 and np.shape(y_score)[1] == 2 and np.ndim(y_true) == 1:
        raise ValueError(
            "The scorer got the prediction scores of both classes, because scikit-learn doesn't "
            "take the estimator for a classifier, and so doesn't select the column of the positive "
            "class. Derive the estimator's class from sklearn.base.ClassifierMixin, before its "
            "other base classes, and let fit set classes_, in the order of the columns."
        )


def options_among(keywords: Mapping[str, Any], known: Set[str]) -> list[str]:
    """Return the keywords that are options rather than the names of scorers."""
    return [name for name, value in keywords.items() if name in known and not callable(value)]


def check_keywords(named: Mapping[str, Any], options: Set[str], theirs: Iterable[str]) -> None:
    """Check that keywords of scorers are no misspelled options."""
    for name, value in named.items():
        near = get_close_matches(name, options, 1, cutoff=0.7)
        is_scorer = callable(value) or find_metric(value) or value in [*theirs]
        if near and not is_scorer:
            raise TypeError(
                f"make_multi_scorer got {name}={shown(value)}, which is neither a scorer nor an "
                f"option. Did you mean {near[0]!r}?"
            )


def check_some_scorers(scorers: Any, named: Mapping[str, Any]) -> dict[str, Any]:
    """Return scorers by name. Those of a list are called as they are written there."""
    if isinstance(scorers, str) or not isinstance(scorers, Sequence):
        many = "**scorers" if isinstance(scorers, Mapping) else "['AP', 'P@1%']"
        raise TypeError(
            f"make_multi_scorer needs a list of names or scorers, but got {shown(scorers)}. Write "
            f"make_multi_scorer({many})."
        )
    names = [each if isinstance(each, str) else getattr(each, "__name__", None) for each in scorers]
    if None in names:
        raise TypeError(
            f"{shown(scorers[names.index(None)])} has no name, so pass it by keyword, as in "
            "make_multi_scorer(name=...)."
        )
    twice = [name for name in names if [*names, *named].count(name) > 1]
    if twice:
        raise ValueError(f"Two scorers are called {twice[0]!r}. Pass each name once.")
    if not scorers and not named:
        raise ValueError(
            "make_multi_scorer needs at least one scorer, as in make_multi_scorer(['AP'])."
        )
    return {**dict(zip(map(str, names), scorers, strict=True)), **named}


def check_all_taken(options: Mapping[str, Any], taken: Mapping[str, Mapping[str, Any]]) -> None:
    for option in options:
        if not any(option in each for each in taken.values()):
            raise TypeError(
                f"None of the scorers {', '.join(taken)} takes the option {option}, or its name or "
                "metric() already contains it. Leave it out."
            )


def check_bindable(
    score: Callable[..., Any], options: Mapping[str, Any], pos_label: Any, user: str
) -> None:
    """Check that options can be bound to a scorer or the like.

    The metric would reject other options later, in every fold or round.
    """
    for name in ("classes", *NOT_BOUND):
        if name in options:
            raise TypeError(
                f"{name} cannot be an option of a {user}, because it belongs to the data."
            )
    if options.get("average", "macro") is None:
        raise ValueError(
            f"A {user} must return a single value, but average=None gives one for each class. "
            "Choose another average."
        )
    check_options(score, {**options, "pos_label": pos_label})
    positive_class(pos_label, options.get("min_grade"))
    for name, parameter in list(signature(score).parameters.items())[2:]:
        if parameter.default is parameter.empty and name not in (*options, "groups"):
            raise TypeError(f"{score.__name__} needs {name}. Pass it to the {user}, as {name}=...")


def check_groups_given(groups: Any) -> Any:
    if groups is None:
        raise ValueError(
            "make_map_scorer needs the groups of the samples, which reach a scorer by metadata "
            "routing only. Call sklearn.set_config(enable_metadata_routing=True). Then pass groups "
            "to the fit of a search, as params={'groups': ...} to cross_validate, or as groups=... "
            "to the scorer itself."
        )
    return groups
