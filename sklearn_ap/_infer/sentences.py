"""The sentences that inference says, made from facts: notes, what an interval rests on, verdicts.

Functions elsewhere decide whether a note is due. Those here only write it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .._inputs.metric_names import lower_first
from .._read.model_rows import ModelRows
from .._show.results import Note, join_lines
from .._words.messages import format_count
from ..core.rules import Rule
from ..core.tolerances import SUM_TOLERANCE
from ..core.units import PositiveUnits, SamplingUnits
from .chance import RandomBaseline

_MAX_NAMED_MODELS = 5  # models in a sentence
_MANY_UNITS = 30  # units with positives, which a t distribution hardly tells from more
_LEAST_RANDOM_DIFFERENCE = 0.01  # between models; less isn't worth a range


def list_names(models: Sequence[Any], most: int = _MAX_NAMED_MODELS) -> str:
    """List names as a sentence does, of many only the first ones."""
    names = [*map(join_lines, models)]
    if len(names) > most + 1:  # so that there are at least two others
        names[most:] = [f"{len(names) - most} others"]
    return join_words(names) if names else ""


def join_words(words: Sequence[str]) -> str:
    """Join words as in "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


# --- what an interval rests on -------------------------------------------------------------------


def write_metric(result: Any) -> str:
    """Write the metric above a table, and in which direction it is better if that isn't usual."""
    metric = join_lines(result.metric)
    return metric if result.greater_is_better else f"{metric} (lower is better)"


def describe_basis(result: Any, random: str = "") -> str:
    """Say what an interval rests on. The usual method goes without saying."""
    method = "" if result.method == "influence" else result.method
    return ", ".join(filter(None, [method, result.basis, random]))


def describe_units_of_plan(
    model_rows: ModelRows, units: SamplingUnits, positive_units: PositiveUnits
) -> str:
    """Say on what the interval of samples or clusters rests."""
    clusters, rankings = model_rows.cluster_words, units.rankings
    n_with_positives = positive_units.n_units
    if rankings.group is not None:
        basis = format_count(units.n_scored, clusters)
        if model_rows.rankings.group is None:  # a single ranking, made a group by its plan
            return basis
        return f"{format_count(n_with_positives.size, model_rows.group_words)}, {basis}"
    if n_with_positives.size > 1:
        kind = "samples" if units.cluster is None else clusters
        return f"{n_with_positives.size:,} classes, {units.n_scored:,} {kind}"
    if units.cluster is not None:
        basis = count_units(units.n_scored, clusters, n_with_positives.item())
    else:
        kind = "rows with positives" if rankings.average == "micro" else "positives"
        basis = format_count(n_with_positives.item(), kind)
    return basis + describe_inequality(n_with_positives.item(), positive_units.equal_units.item())


def count_units(number: int, kind: str, n_with_positives: int) -> str:
    """Count sampling units, and those with positives if some have none."""
    basis = format_count(number, kind)
    return basis if n_with_positives == number else f"{basis}, {n_with_positives:,} with positives"


def describe_inequality(number: int, equal_units: float) -> str:
    """Say how many equal units would say as much as a number of units, unless that is all."""
    if round(equal_units) >= number or equal_units >= _MANY_UNITS:
        return ""
    return f", effectively {_format_units(equal_units)}"


def _format_units(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


def describe_equal_units(
    rule: Rule, model_rows: ModelRows, number: float, equal_units: float
) -> str:
    """Say on how many equal sampling units a value rests: on all `equal_units` that have positives,
    or on fewer at a cutoff.
    """
    kind = "positives"
    if model_rows.units_have_values:
        kind = model_rows.ranking_words if model_rows.clusters is None else model_rows.cluster_words
    elif rule.cut is not None and number < equal_units * (1 - SUM_TOLERANCE):
        if model_rows.clusters is None and not rule.cut.is_share and 1 < number == rule.cut.k:
            return f"the top {rule.cut} rows"
        units = "rows" if model_rows.clusters is None else model_rows.cluster_words
        kind = f"{units} in the top {rule.cut}"
    elif model_rows.clusters is not None:
        kind = f"{model_rows.cluster_words} with positives"
    if number == int(number):
        return format_count(int(number), kind)
    return f"effectively {_format_units(number)} {kind}"


def describe_random_values(baselines: Iterable[RandomBaseline], places: int) -> str:
    """Say what random rankings get, which depends on the ties of each model, if all models have a
    closed form, so that printing stays fast. Otherwise, return "".
    """
    means = []
    for random in baselines:
        exact = random.exact if random.has_all else None
        means.append(np.nan if exact is None else exact)
    if np.isnan(means).any():
        return ""
    least, most = min(means), max(means)
    if most - least < _LEAST_RANDOM_DIFFERENCE:
        return f"random {np.mean(means):z.{places}f}"
    return f"random {least:z.{places}f} to {most:z.{places}f}"


def note_upside_down(
    metric: str, value: float, end: float, random: RandomBaseline, places: int, model: Any
) -> Note:
    """Say that random rankings are above the `end` of the interval of 99%, or that they rarely have
    such a mean over groups, and what to do. A `model` without a name is None or "".
    """
    scores = "scores" if model in (None, "") else f"scores of {join_lines(model)}"
    mean, doubt = f"{random.mean:z.{places}f}", f"99% interval up to {end:z.{places}f}"
    but = f", but random rankings {mean}" if random.has_all else ""
    if random.is_of_groups:
        doubt = "as low in fewer than 5 of 1,000 random orders"
    fill_later = ""
    if random.fill_value is not None:
        fill_later = (
            f" If missing scores were filled with {random.fill_value:g}, fill them after that, so "
            "that they still rank last."
        )
    return Note(
        "upside_down",
        f"The {scores} seem to be upside down: by {lower_first(join_lines(metric))}, they have "
        f"{value:z.{places}f} ({doubt}){but}.\nIf a lower score "
        f"means more positive, as for a distance or a rank, pass -y_score.{fill_later}",
    )


# --- notes ---------------------------------------------------------------------------------------


def _name_model(model: Any) -> str:
    """Name a model; without a name, it is None or ""."""
    return "The model" if model in (None, "") else f"The model {model!r}"


def note_undefined(number: int, n_groups: int, kind: str, zero_division: float) -> Note:
    have, values_are = ("has", "its value is") if number == 1 else ("have", "their values are")
    instead = "left out" if np.isnan(zero_division) else f"set to {zero_division}"
    lacking = f"{number:,} of {n_groups:,} {kind} {have} no positives"
    return Note("undefined", f"{lacking}, so {values_are} undefined (0/0) and {instead}.")


def note_no_rows(model: Any, number: int, n_groups: int, kind: str, can_leave_out: bool) -> Note:
    text = (
        f"{_name_model(model)} has no rows for {number:,} of {n_groups:,} {kind}, which count as "
        "0.\nWas the table cut off, or are its groups named differently?"
    )
    if can_leave_out:
        text += (
            " To compare the models where all of them have rows, leave out the other groups, as "
            "readers.answered(tables) does with tables of the readers."
        )
    return Note("no_rows", text)


def note_no_values(model: Any, number: int, n_groups: int, kind: str) -> Note:
    groups = f"{number:,} of {n_groups:,} {kind}"
    text = f"{_name_model(model)} has no finite value for {groups}.\nDid it fail there?"
    return Note("no_values", text)


def note_only_zeros(model: Any, number: int, kind: str) -> Note:
    return Note(
        "only_zeros",
        f"{_name_model(model)} has a value of 0 in all {number:,} {kind}.\nDid it fail, or were "
        "missing values filled with 0?",
    )


def note_few_units(units: str, number: float, least: int) -> Note:
    """Say that fewer than `least` units tell how much values vary."""
    if number <= 1:
        return Note("few_groups", f"This rests on {units}, which doesn't tell how values vary.")
    return Note(
        "few_groups",
        f"{units[0].upper()}{units[1:]} are few: with fewer than {least}, intervals are very wide.",
    )


def note_least_margin(units: str, least_margin: float | None) -> Note:
    """Say from which margin on so many units can show equivalence; None if there is none."""
    text = f"With {units}, equivalence can't be shown."
    if least_margin is not None:
        within = f"{least_margin:.2g}"
        text = (
            f"With {units}, the smallest margin within which equivalence can be shown is {within}."
        )
    return Note("least_margin", text)


def note_few_deciding(model_rows: ModelRows, number: int) -> Note:
    """Say how many units a difference rests on; 0 if the models don't differ at all."""
    kind = "rows"
    if model_rows.units_have_values:
        kind = model_rows.ranking_words
    elif model_rows.clusters is not None:
        kind = model_rows.cluster_words
    if not number:
        return Note("few_deciding", f"The models don't differ on any of the {kind}.")
    units = format_count(number, kind)
    return Note(
        "few_deciding",
        f"The difference rests on {units}: other samples may have more of that kind, or none.",
    )


def note_no_limits(model_rows: ModelRows) -> Note:
    kind = model_rows.ranking_words if model_rows.clusters is None else model_rows.cluster_words
    units = format_count(len(model_rows.names), kind)
    return Note(
        "no_limits",
        f"All {units} have equal values, which have no limits, so other units may have any.",
    )


def note_any_recall(min_precision: float) -> Note:
    return Note(
        "any_recall",
        f"Precision stays close to {min_precision:g} over nearly all recalls, so a few "
        "samples decide which recall it allows, and the interval may miss the true one.\nUse "
        "precision at a recall instead.",
    )


def note_few_folds(basis: str, n_ways: int, advice: str) -> Note:
    text = f"{basis} are too few to tell {n_ways:,} candidates apart: use {advice}."
    return Note("few_folds", text)


# --- candidates of a search ----------------------------------------------------------------------


def describe_best(n_best: int, n_candidates: int) -> list[str]:
    """Say how many candidates, if there are several, are the best for all that is known."""
    return [f"{n_best:,} of {n_candidates:,} candidates may be the best."] if n_best > 1 else []


# --- reasons of refusals -------------------------------------------------------------------------


def explain_undefined_classes(number: int) -> str:
    its, it = ("its", "it") if number == 1 else ("their", "them")
    return (
        f"so {its} value is undefined (0/0) and has no interval. "
        f"Pass zero_division=nan to leave {it} out of the mean."
    )


def explain_counted_classes(number: int) -> str:
    if number == 1:
        return "and it counts as 0. Leave its column out."
    return "and they count as 0. Leave their columns out."


def explain_few_units(number: int, kind: str) -> str:
    return (
        f"At least two {kind} are needed to estimate how much a value varies, but there is "
        f"{number}."
    )
