"""Sentences on models: their verdicts, and lists of their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._package.toml import read_toml
from .._show.results import join_lines

_MOST_NAMED = 5  # models in a sentence
_MOST_SENTENCES = 3  # of more metrics, models are listed


def in_sentence(metric: str) -> str:
    """Return the name of a metric as it stands within a sentence."""
    is_word = metric[1:2].islower() or metric[1:2] == " "
    return metric[:1].lower() + metric[1:] if is_word else metric


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
    compared = f"Compared with {join_lines(baseline)}{where}"
    if len(said) > _MOST_SENTENCES:
        by_metric = [f"By {in_sentence(join_lines(name))}: {words}" for name, words in said.items()]
        return [f"{compared}{family}. {'. '.join(by_metric)}."]
    sentences = []
    for metric, words in said.items():
        if metric in first:
            sentences.append(f"{first[metric]}{where}{family}: {words}.")
        else:
            by = in_sentence(join_lines(metric))
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
            said.append(f"{listed(models[verdict])} {words.format(baseline='it')}")
    return "; ".join(said)


def describe_verdict(verdict: str, model: str, baseline: str) -> str:
    """Say which verdict a model has, as compared with another one."""
    of_one, _ = read_toml("_words/messages.toml")["verdicts"][verdict]
    return f"{model} {of_one.format(baseline=baseline)}"


def said_of_segments(verdicts: Mapping[str, Sequence[str]]) -> str:
    """Say in which segments a model has which verdict, of many only in how many of them."""
    said = []
    for verdict, (of_one, _) in read_toml("_words/messages.toml")["verdicts"].items():
        if verdict in verdicts:
            words = of_one.format(baseline="it")
            said.append(f"{words} in {_segments_in_words(verdicts[verdict])}")
    return _joined(said)


def _segments_in_words(segments: Sequence[str]) -> str:
    if len(segments) > _MOST_NAMED:
        return f"{len(segments):,} segments"
    return listed(segments)


def listed(models: Sequence[Any]) -> str:
    """List names as a sentence does, of many only the first ones."""
    names = [*map(join_lines, models)]
    if len(names) > _MOST_NAMED + 1:  # so that there are at least two others
        names[_MOST_NAMED:] = [f"{len(names) - _MOST_NAMED} others"]
    return _joined(names)


def _joined(words: Sequence[str]) -> str:
    """Join words as in "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
