"""Functions of users."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import Rankings
from ..points import PerRanking, PerSample
from .rule import RowRule


@dataclass(frozen=True)
class UserFunction(RowRule):
    """A function of the labels and scores of one ranking."""

    function: Callable[..., float]
    name: str
    greater_is_better: bool = True
    limits: tuple[float, float] = (-np.inf, np.inf)
    is_function = True
    names = ()
    usual_label = None
    needs_positives = False  # The function knows what labels mean.
    varies_by = "rows"

    def __post_init__(self) -> None:
        """Check nothing, because these fields aren't options of a definition."""

    @classmethod
    def list_options(cls) -> list[str]:
        return []

    def __str__(self) -> str:
        return self.name

    @property
    def title(self) -> str:
        """The name as it was passed."""
        return self.name

    def split_name(self) -> tuple[str, dict[str, Any]]:
        return self.name, {}

    def list_arguments(self, is_mean: bool) -> tuple[Any, dict[str, Any]]:
        keywords = self.list_unusual()
        return keywords.pop("function"), keywords

    def keeps_grades(self, pos_label: Any) -> bool:
        """The function gets numbers as they are, unless the caller names the positive label."""
        return pos_label is None

    def values(self, rankings: Rankings) -> PerRanking:
        if rankings.source in ("rows", "classes"):
            raise ValueError(f"{self.name} takes one column of labels and one of scores.")
        labels, scores = [rankings.labels], [rankings.scores]
        if rankings.group_codes is not None:
            order = np.argsort(rankings.group_codes, kind="stable")
            ends = np.cumsum(np.bincount(rankings.group_codes, minlength=rankings.n_rankings))[:-1]
            labels = np.split(rankings.labels[order], ends)
            scores = np.split(rankings.scores[order], ends)
        values = [
            self._call(*each) if each[0].size else np.nan  # nothing was retrieved
            for each in zip(labels, scores, strict=True)
        ]
        return np.where(np.isfinite(values), values, np.nan)

    def _call(self, labels: PerSample, scores: PerSample) -> float:
        value = self.function(labels, scores)
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{self.name} must return one number. Got {value!r}.") from error
