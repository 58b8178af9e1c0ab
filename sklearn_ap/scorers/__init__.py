"""Scorers for `scoring=`, of one metric or several."""

from .multi_scorer import MultiScorer, make_multi_scorer
from .named_scorers import get_scorer, get_scorer_names
from .ranking_scorer import RankingScorer, make_ap_scorer
from .scorer_types import NamedScorer

__all__ = [
    "MultiScorer",
    "NamedScorer",
    "RankingScorer",
    "get_scorer",
    "get_scorer_names",
    "make_ap_scorer",
    "make_multi_scorer",
]
