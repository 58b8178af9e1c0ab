"""The ranks of models, with intervals that hold for all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from .._package.toml import read_toml
from .._show.figures import draws
from .._show.results import Printed, Table, Value, level_of, one_line, resting_on
from ..core.all_pairs import rank_limits
from ..core.within import Array

_MOST_NAMED = 5  # models in a sentence
_MOST_SENTENCES = 3  # of more metrics, models are listed


@dataclass(frozen=True, eq=False)
class RankedModel(Value):
    """One model and its rank: a row of `Ranks`."""

    model: str
    value: float
    rank: int
    low: int
    high: int


@dataclass(frozen=True, eq=False, repr=False)
class Ranks(Table):
    """The ranks of several models, as the method `ranks` of a comparison returns them.

    It prints as a table from the best model to the worst one, and `plot` draws it.

    Attributes
    ----------
    rows : tuple
        One row for each model in the order in which you passed them, with the attributes `model`,
        `value`, `rank`, `low` and `high`. The model with the best value has rank 1, and models with
        the same value have the same rank. Of n models, `low` - 1 are significantly better than this
        one, and n - `high` are significantly worse.
    best : tuple
        The models that can't be told apart from the best one: no model is significantly better than
        any of them.
    confidence_level : float
        The probability, such as 0.95, that the intervals of all models contain their true ranks.
    method : str
        How the models were compared, such as "influence" or "bootstrap".
    metric : str
        The name of the metric, such as "Average precision".
    basis : str
        What the comparisons are based on, such as "40 positives" or "30 queries".
    n_resamples, random_state : int or None
        The number of resamples or random swaps, and the seed that reproduces them. None if the
        method draws nothing.
    n_groups : int or None
        The number of groups that values are averaged over; None without groups.

    See Also
    --------
    Comparisons.ranks : Rank the models that were compared.

    Examples
    --------
    >>> import numpy as np
    >>> import sklearn_ap as ap
    >>> y_true = np.arange(200) % 4 == 0
    >>> noise = np.random.default_rng(0).normal(size=(3, 200))
    >>> models = dict(zip("abc", np.array([[3], [2.8], [1]]) * y_true + noise))
    >>> ranks = ap.compare(y_true, models).ranks()
    >>> ranks
    Average precision, ranks of 3 models (50 positives)
    model  value  rank  95% interval
    a      0.975  1     1 to 2
    b      0.917  2     1 to 2
    c      0.615  3     3 to 3
    a and b can't be told apart as the best by average precision: no model is
    significantly better than either, all pairs at once.
    >>> ranks.best
    ('a', 'b')
    """

    _index = "model"

    rows: tuple[RankedModel, ...]
    best: tuple[Any, ...]
    confidence_level: float
    method: str
    metric: str
    basis: str
    n_resamples: int | None = None
    random_state: int | None = None
    n_groups: int | None = None
    places: int = field(default=3, repr=False, compare=False)

    @classmethod
    def of(
        cls, models: Sequence[Any], values: Array, ranks: Array, is_better: Array, **how: Any
    ) -> Self:
        """Make the ranks of models from what is known about all pairs: whether the model of a row
        of `is_better`, of shape (n_models, n_models), is better than that of a column. `how` are
        all other fields.
        """
        low, high = rank_limits(is_better)
        columns = values.tolist(), ranks.tolist(), low.tolist(), high.tolist()
        rows = tuple(map(RankedModel, models, *columns))
        best = tuple(row.model for row in rows if row.low == 1)
        return cls(rows, best, **how)

    @draws
    def plot(self, ax: Any = None) -> RanksDisplay:
        """Draw the rank of each model with its interval, the best model on top.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to plot on. If None, a new figure is created.

        Returns
        -------
        display : RanksDisplay
            Its `ax_` and `figure_` are the axes and the figure.
        """
        from .._show import plots  # which needs matplotlib

        rows = self._sorted()
        names = [one_line(row.model) for row in rows]
        below = f"Rank by {in_sentence(self.metric)}", level_of(self)
        ax = plots.panels(1, names, below)[0] if ax is None else ax
        intervals = [(row.rank, row.low, row.high) for row in rows]
        drawn = plots.draw_intervals(ax, names, intervals, None, below)
        ax.xaxis.get_major_locator().set_params(integer=True)
        return RanksDisplay(self, ax, ax.figure, drawn)

    def _sorted(self) -> list[RankedModel]:
        return sorted(self.rows, key=lambda row: (row.rank, row.low, row.high))

    def _as_dict(self) -> list[dict[str, Any]]:
        rows = super()._as_dict()
        for row in rows:
            row["best"] = row["model"] in self.best
        return rows

    def _printed(self) -> Printed:
        header = "model", "value", "rank", level_of(self)
        cells = [
            [
                one_line(row.model),
                f"{row.value:z.{self.places}f}",
                str(row.rank),
                f"{row.low} to {row.high}",
            ]
            for row in self._sorted()
        ]
        title = (
            f"{self.metric}, ranks of {len(cells)} models ({resting_on(self.method, self.basis)})"
        )
        notes = [_sentence_on_best(self.metric, self.best, len(cells))]
        return Printed(header, [("", "", cells)], title, notes)


@dataclass(frozen=True, eq=False)
class RanksDisplay:
    """Picture of ranks, as :meth:`~sklearn_ap.inference.Ranks.plot` draws it.

    Attributes
    ----------
    ranks : Ranks
        The ranks.
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure that contains the axes.
    errorbar_ : matplotlib ErrorbarContainer
        The ranks of all models with their intervals.

    See Also
    --------
    Ranks.plot : Draw the ranks.

    Examples
    --------
    >>> import sklearn_ap as ap
    >>> y_true = [0, 1, 1, 0, 1]
    >>> scores = {"a": [1, 2, 3, 4, 5], "b": [2, 1, 4, 3, 5]}
    >>> display = ap.compare(y_true, scores).ranks().plot()
    >>> len(display.errorbar_[0].get_xdata())
    2
    """

    ranks: Ranks
    ax_: Any
    figure_: Any
    errorbar_: Any


def in_sentence(metric: str) -> str:
    """Return the name of a metric as it stands within a sentence."""
    is_word = metric[1:2].islower() or metric[1:2] == " "
    return metric[:1].lower() + metric[1:] if is_word else metric


def _sentence_on_best(metric: str, best: Sequence[Any], n_models: int) -> str:
    """Say which models may be the best one."""
    at_once = ", all pairs at once" if n_models > 2 else ""
    models, by = listed(best), in_sentence(one_line(metric))
    if len(best) == 1:
        others = "all other models" if n_models > 2 else "the other model"
        return f"{models} is significantly better than {others} by {by}{at_once}."
    whom = "either" if len(best) == 2 else "any of them"
    no_better = f"no model is significantly better than {whom}"
    return f"{models} can't be told apart as the best by {by}: {no_better}{at_once}."


def sentences_on_verdicts(
    verdicts: Mapping[str, Mapping[Any, str]],
    baseline: Any,
    where: str,
    family: str,
    first: Mapping[str, str],
) -> list[str]:
    """Say how models compare with the baseline by each metric, for all comparisons of a family.

    `verdicts` are those on each model by each metric. `first` says of a metric that the baseline
    has the highest value, if the data chose it so. `where` and `family` are what sentences say
    about that, such as " in all data" and ", all pairs at once"; both can be "".
    """
    said = {metric: _verdicts_in_words(by_model) for metric, by_model in verdicts.items()}
    compared = f"Compared with {one_line(baseline)}{where}"
    if len(said) > _MOST_SENTENCES:
        by_metric = [f"By {in_sentence(one_line(name))}: {words}" for name, words in said.items()]
        return [f"{compared}{family}. {'. '.join(by_metric)}."]
    sentences = []
    for metric, words in said.items():
        if metric in first:
            sentences.append(f"{first[metric]}{where}{family}: {words}.")
        else:
            by = in_sentence(one_line(metric))
            sentences.append(f"{compared} by {by}{family}: {words}.")
    return sentences


def _verdicts_in_words(verdicts: Mapping[Any, str]) -> str:
    """Say which models have which verdict, in the order of messages.toml."""
    models: dict[str, list[Any]] = {}
    for model, verdict in verdicts.items():
        models.setdefault(verdict, []).append(model)
    said = []
    for verdict, (of_one, of_several) in read_toml("_words/messages.toml")["verdicts"].items():
        if verdict in models:
            words = of_one if len(models[verdict]) == 1 else of_several
            said.append(f"{listed(models[verdict])} {words}")
    return "; ".join(said)


def said_of_segments(verdicts: Mapping[str, Sequence[str]]) -> str:
    """Say in which segments a model has which verdict, of many only in how many of them."""
    said = []
    for verdict, (of_one, _) in read_toml("_words/messages.toml")["verdicts"].items():
        if verdict in verdicts:
            said.append(f"{of_one} in {_segments_in_words(verdicts[verdict])}")
    return _joined(said)


def _segments_in_words(segments: Sequence[str]) -> str:
    if len(segments) > _MOST_NAMED:
        return f"{len(segments):,} segments"
    return listed(segments)


def listed(models: Sequence[Any]) -> str:
    """List names as a sentence does, of many only the first ones."""
    names = [*map(one_line, models)]
    if len(names) > _MOST_NAMED + 1:  # so that there are at least two others
        names[_MOST_NAMED:] = [f"{len(names) - _MOST_NAMED} others"]
    return _joined(names)


def _joined(words: Sequence[str]) -> str:
    """Join words as in "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


# Users import the results from where the functions are that return them.
for _result in (Ranks, RanksDisplay):
    _result.__module__ = "sklearn_ap.inference"
