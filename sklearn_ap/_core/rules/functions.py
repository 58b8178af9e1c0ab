"""Functions of users."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from ..data import Rankings
from ..points import PerRanking
from .rule import RowRule


@dataclass(frozen=True)
class UserFunction(RowRule):
    """A function of the labels and scores of one ranking, and of their weights if one of its
    parameters is called `sample_weight`.
    """

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
    def takes_weights(self) -> bool:  # type: ignore[override]
        try:
            return "sample_weight" in signature(self.function).parameters
        except (TypeError, ValueError):  # Some functions in C have no signature.
            return False

    @property
    def title(self) -> str:
        """The name as it was passed."""
        return self.name

    def split_name(self) -> tuple[str, dict[str, Any]]:
        return self.name, {}

    def keeps_grades(self, pos_label: Any) -> bool:
        """The function gets numbers as they are, unless the caller names the positive label."""
        return pos_label is None

    def values(self, rankings: Rankings) -> PerRanking:
        if rankings.kind in ("rows", "classes"):
            raise ValueError(f"{self.name} takes one column of labels and one of scores.")
        columns = [rankings.labels, rankings.scores]
        if rankings.weight is not None and self.takes_weights:
            columns.append(rankings.weight)
        split = [[column.copy()] for column in columns]  # A function may change what it gets.
        if rankings.group_codes is not None:
            order = np.argsort(rankings.group_codes, kind="stable")
            ends = np.cumsum(np.bincount(rankings.group_codes, minlength=rankings.n_rankings))[:-1]
            split = [np.split(column[order], ends) for column in columns]
        values = np.full(rankings.n_rankings, np.nan)  # Nothing may have been retrieved.
        for place, (labels, scores, *weight) in enumerate(zip(*split, strict=True)):
            if labels.size:
                weights = {"sample_weight": weight[0]} if weight else {}
                value = self.function(labels, scores, **weights)
                try:
                    values[place] = float(value)
                except (TypeError, ValueError) as error:
                    raise TypeError(
                        f"{self.name} must return one number. Got {value!r}."
                    ) from error
        return np.where(np.isfinite(values), values, np.nan)
