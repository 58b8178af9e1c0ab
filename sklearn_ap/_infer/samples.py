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
    """Return the sample of each model in these inputs: rows, groups, or counts of the only one.

    Rows are those of one model, read for the first rule. `unread` reads the rows of the only model
    that is counted, if they are needed after all.
    """
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
    samples: dict[Any, Sample] = {}
    for reading in readings_of_models(unread, needs.of_interval(rules, unread, len(models))):
        with reading as inputs:
            samples |= _samples_in(rules, of_first, inputs)
    has_tables = are_tables(unread.data)
    if has_tables and _may_rank_alike(rules, samples.values()):
        for reading in readings_of_models(unread):  # again, with rows
            with reading as inputs:
                samples |= _samples_in(rules, unread, inputs)
    samples = {model: sample._replace(model=model) for model, sample in samples.items()}
    return beside_one_another(samples, rules[0]) if has_tables else samples


def _may_rank_alike(rules: Sequence[Rule], samples: Iterable[Sample]) -> bool:
    """Whether models with tables of their own have equal values in all groups, so that only their
    rows tell whether they rank alike.
    """
    evidence = [sample.evidence for sample in samples]
    if all(of_model.has_rows for of_model in evidence):
        return False
    values = []  # of each model, of shape (n_rules, n_groups)
    for of_model in evidence:
        values.append(np.array([valued(rule, of_model).values for rule in rules]))
    return any(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-9, atol=0, equal_nan=True)
        for a, b in combinations(values, 2)
    )
