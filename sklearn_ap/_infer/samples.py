"""Where the sampling units of a call are read: into memory, or as groups where the rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from .._enter import needs
from .._enter.entry import gather, gather_each
from .._evaluate.counted import samples_of_counts
from .._evaluate.group_values import samples_of_groups
from .._evaluate.value import valued
from .._read.tables import are_tables, read_models
from .._read.units import Sample, beside_one_another, read_sample
from .._words.inputs import Inputs, Unread
from .._words.messages import naming_model
from ..core.rules import Rule

T = TypeVar("T")


def with_sample(function: Callable[[Sample], T], rule: Rule, unread: Unread, name: Any) -> T:
    """Call a function with the sample of one model. Its errors name the columns."""

    def in_memory(inputs: Inputs) -> T:
        with naming_model(name, [name]):
            sample = read_sample(rule, inputs)
        return function(sample)

    def in_passes(inputs: Inputs) -> T:
        with naming_model(name, [name]):
            (sample,) = _counted([rule], unread, inputs).values()
        return function(sample)

    return gather(in_memory, unread, in_passes, needs.of_interval([rule], unread))


def _counted(rules: Sequence[Rule], unread: Unread, inputs: Inputs) -> dict[Any, Sample]:
    """Evaluate the groups of an engine, or count the rows of its only model."""
    if unread.groups is not None:
        return samples_of_groups(rules, inputs)
    in_memory = partial(gather, partial(read_sample, rules[0]), unread)
    return samples_of_counts(rules[0], inputs, in_memory)


def read_samples(rules: Sequence[Rule], unread: Unread) -> dict[Any, Sample]:
    """Return the samples of all models, which are rows read for the first of these metrics, groups
    that were evaluated by all of them, or the counted rows of one model.
    """
    models = read_models(unread.caller, "y_score", unread.y_score, unread.data)
    in_memory = partial(read_sample, rules[0])
    of_first = unread._replace(y_score=next(iter(models.values())))
    reads = needs.of_interval(rules, unread, len(models))
    found = gather_each(in_memory, unread, partial(_counted, rules, of_first), reads)
    if are_tables(unread.data) and _may_rank_alike(rules, found.values()):
        found = gather_each(in_memory, unread)
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
