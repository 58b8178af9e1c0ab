"""Where the sampling units of a call are read: into memory, or as groups where the rows are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from .._enter import needs
from .._enter.entry import read_rows, readings_of_models
from .._evaluate.counted import samples_of_counts
from .._evaluate.group_values import samples_of_groups
from .._evaluate.passes import by_model
from .._evaluate.value import valued
from .._read.sampling_units import Sample, beside_one_another, read_sample
from .._read.tables import are_tables, read_models
from .._words.inputs import Inputs, Unread
from .._words.messages import naming_model
from ..core.rules import Rule


def read_named(rule: Rule, unread: Unread, inputs: Inputs, name: Any) -> Sample:
    """Return the sample of the only model, which the caller may have named."""
    with naming_model(name, [name]):
        (sample,) = _samples_in([rule], unread, inputs).values()
    return sample


def _samples_in(rules: Sequence[Rule], unread: Unread, inputs: Inputs) -> dict[Any, Sample]:
    """Return the sample of each model in these inputs: rows, groups, or counts of the only one."""
    if inputs.has_rows:
        return {inputs.model: read_sample(rules[0], inputs)}
    if unread.groups is not None:
        return by_model(samples_of_groups(rules, inputs), inputs)

    def in_memory() -> Sample:
        with read_rows(unread) as rows:
            sample = read_sample(rules[0], rows)
        return sample

    return by_model(samples_of_counts(rules[0], inputs, in_memory), inputs)


def read_samples(rules: Sequence[Rule], unread: Unread) -> dict[Any, Sample]:
    """Return the samples of all models, which are rows read for the first of these metrics, groups
    that were evaluated by all of them, or the counted rows of one model.
    """
    models = read_models(unread.caller, "y_score", unread.y_score, unread.data)
    of_first = unread._replace(y_score=next(iter(models.values())))
    found: dict[Any, Sample] = {}
    for reading in readings_of_models(unread, needs.of_interval(rules, unread, len(models))):
        with reading as inputs:
            found |= _samples_in(rules, of_first, inputs)
    if are_tables(unread.data) and _may_rank_alike(rules, found.values()):
        for reading in readings_of_models(unread):
            with reading as inputs:
                found |= _samples_in(rules, unread, inputs)
    named = {model: sample._replace(model=model) for model, sample in found.items()}
    return beside_one_another(named, rules[0]) if are_tables(unread.data) else named


def _may_rank_alike(rules: Sequence[Rule], samples: Iterable[Sample]) -> bool:
    """Whether models with tables of their own have equal values in all groups, so that only their
    rows tell whether they rank alike.
    """
    each = [sample.evidence for sample in samples]
    if all(evidence.has_rows for evidence in each):
        return False
    values = [np.array([valued(rule, one).values for rule in rules]) for one in each]
    return any(
        one.shape == other.shape and np.allclose(one, other, rtol=1e-9, atol=0, equal_nan=True)
        for one, other in combinations(values, 2)
    )
