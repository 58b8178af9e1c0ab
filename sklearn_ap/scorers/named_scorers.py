"""Scorers by their names."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import sklearn
import sklearn.metrics

from .._enter.entry import public
from .._enter.metric import Metric, advise_on_name, refuse_name
from .._inputs.metric_names import find_meaning, scorer_names
from .._inputs.records import SHARED
from ..core.rules import GroupFunction
from .metric_scorers import is_metric_function, make_scorer_of_metric
from .ranking_scorer import make_ap_scorer
from .scorer_types import NamedScorer, Scorer


@public(metric="scoring", unchecked=SHARED)  # which `make_ap_scorer` checks
def get_scorer(scoring: str | Metric | Scorer, **options: Any) -> NamedScorer:
    """Get a scorer by its name.

    Parameters
    ----------
    scoring : str, Metric or callable
        A name from :func:`get_scorer_names` with any number, such as "precision_at_1%", a metric
        that :func:`make_ap_scorer` accepts, or the name of a scorer of scikit-learn. A callable is
        returned unchanged.
    **options
        Parameters of :func:`make_ap_scorer`. Other scorers don't accept options.

    Returns
    -------
    scorer : callable
        The scorer, a new object at each call.

    See Also
    --------
    get_scorer_names
    make_ap_scorer : Pass the options as keywords.

    Examples
    --------
    >>> from sklearn_ap import get_scorer
    >>> get_scorer("average_precision_at_5", pos_label="fraud")
    make_ap_scorer('average_precision_at_k', k=5, pos_label='fraud')
    """
    scorer: Any = scoring
    if is_metric_function(scoring):
        return make_scorer_of_metric(scoring, **options)
    if isinstance(scoring, GroupFunction):  # which a `Metric` of a function is unpacked into
        return make_ap_scorer(scoring, **options)
    if isinstance(scoring, str):
        if find_meaning(scoring):
            return make_ap_scorer(scoring, **options)
        theirs = sklearn.metrics.get_scorer_names()
        if scoring not in theirs:
            _refuse_scoring(scoring, theirs)
        scorer = sklearn.metrics.get_scorer(scoring)
    elif not callable(scoring):
        raise TypeError(
            f"scoring must be a name or a scorer. Got {scoring!r} instead. For several, pass a "
            "list to make_multi_scorer."
        )
    if options:
        raise TypeError(
            f"Only names of metrics in this package accept options, but {', '.join(options)} was "
            f"passed with {scorer!r}, which is a scorer already. Pass them where it is made, to "
            "make_ap_scorer or to sklearn.metrics.make_scorer. In make_multi_scorer, options apply "
            "to the metrics of this package only."
        )
    return scorer  # type: ignore[no-any-return]


def _refuse_scoring(scoring: str, theirs: Sequence[str]) -> None:
    """Refuse an unknown name, and suggest one of this package or of scikit-learn."""
    near = get_close_matches(scoring, {*scorer_names(), *theirs}, cutoff=0.8)
    close = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    invalid = f"{scoring!r} is not a valid scoring value."  # scikit-learn's words
    refuse_name(
        f"{invalid} The 'scoring' parameter of get_scorer",
        scoring,
        instead=f"{advise_on_name(scoring) or close} sklearn_ap.get_scorer_names() lists some.",
    )


def get_scorer_names() -> list[str]:
    """Get the names of the predefined scorers.

    Returns
    -------
    names : list of str
        Names for :func:`get_scorer`, sorted. You can replace the numbers in them. Those that begin
        with "mean_average_precision" need metadata routing, by which groups reach them.

    See Also
    --------
    get_scorer

    Examples
    --------
    >>> from sklearn_ap import get_scorer_names
    >>> get_scorer_names()[:2]
    ['101_point_average_precision', '101_point_float_average_precision']
    """
    return scorer_names()
